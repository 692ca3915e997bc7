//! The branches of whole tests.
//!
//! A pruned state leaves a test. Natively its input goes on to the end of the program, and what it covers there is what the paper learns
//! from (Algorithm 2, lines 8 and 9: B is what the *test* covers, counted by gcov when a round is over, outside of the budget). So
//! the inputs of states that are about to be pruned run on here, too: a copy of the state runs on its witness, without a fork and
//! without a query, as live states do (`live`). The test is that of the whole path then, so that an error behind the state is seen.
//!
//! It costs time of the run, and is bounded by a share of its work ([`PruningPlan::test_share`](super::PruningPlan::test_share)). Which states have their turn
//! within it is drawn; the others teach what their paths covered up to where they were pruned. Core conditions come from the path of the state in
//! both cases: what its input decides later was not decided when the state was judged.

use super::Engine;
use crate::endings::Keep;
use explore::Sink;
use search::StateId;

/// One input may take this part of what is left of the share, and so much work in any case: some milliseconds.
const LONGEST: u64 = 4;
const LEAST_WORK: u64 = 4_000_000;

impl Engine {
    /// Lets inputs of these live states, which are about to leave tests, run on to the end of the program, and learns what they cover, as
    /// far as the share goes. Those that come to an end leave their tests.
    pub(super) fn run_whole_tests(&mut self, ids: &[StateId], sink: &mut dyn Sink) {
        let Some(pruning) = &mut self.pruning else {
            return;
        };
        if pruning.plan.test_share <= 0.0 {
            return;
        }
        let order = pruning.pruner.shuffled(ids.to_vec());
        for (done, &id) in order.iter().enumerate() {
            let left = self.left_for_tests();
            if left == 0 || !self.between_inputs(sink) || self.worker.machine.stop().is_set() {
                let status = self.worker.counters.pruning.get_or_insert_default();
                status.tests_left += (order.len() - done) as u64;
                return;
            }
            self.run_whole_test(id, LEAST_WORK.max(left / LONGEST), sink);
        }
    }

    /// Work that tests may still take.
    fn left_for_tests(&self) -> u64 {
        self.pruning.as_ref().map_or(0, |p| {
            let share = (self.worker.work() as f64 * p.plan.test_share) as u64;
            share.saturating_sub(p.tests_work)
        })
    }

    /// The same of one state, whose input may take so much work.
    fn run_whole_test(&mut self, id: StateId, most: u64, sink: &mut dyn Sink) {
        let (Some(pruning), Some(s)) = (&mut self.pruning, self.states.get(id)) else {
            return;
        };
        let identity = s.identity();
        if pruning.told.contains(&identity) || pruning.have_test.contains(&identity) {
            return;
        }
        let mut copy = Box::new(s.fork(&mut self.worker.machine.tlb));
        let before = self.worker.work();
        let end = before.saturating_add(most);
        let may_go_on = &mut |worker: &crate::worker::Worker| worker.work() < end;
        let (why, sites) = self.worker.run_ahead(&mut copy, sink, may_go_on);
        pruning.tests_work += self.worker.work() - before;
        for site in sites {
            self.features.covered(site);
        }
        let is_whole = why.ending().is_complete();
        let status = self.worker.counters.pruning.get_or_insert_default();
        status.tests_run += 1;
        status.tests_cut += u64::from(!is_whole);
        let Some(s) = self.states.get_mut(id) else {
            return;
        };
        if let (Some(of_state), Some(of_test)) = (&s.marks, &copy.marks) {
            pruning.learn(&of_state.conditions, &of_test.passed);
        }
        if why.ending().keep() == Keep::Never {
            s.progress.covered_new = copy.progress.covered_new;
            return;
        }
        s.progress.covered_new = false;
        if is_whole {
            s.has_run_ahead = true;
            pruning.have_test.insert(identity);
        }
        // A path that was cut is told for what it covered; its state leaves a test of its own.
        self.worker.tell_ahead(&copy, &why, is_whole, sink);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bare::Bare;
    use crate::endings::Ending;
    use crate::engine::{Engine, PruningPlan};
    use crate::turn::Turn;
    use crate::worker::RunLimits;
    use explore::{Ended, InDoubt, PathEnd, PathOutcome};
    use search::homi::{METHODS, Options, Span};

    /// Two states fork where nothing is covered yet; the first one's input takes a branch later, on a core condition.
    const PROGRAM: &str = "
entry main main
extern symbolic
global x size 1
branch in main outcomes 2
branch in main outcomes 2
site in main outcome 0 0
site in main outcome 0 1
site in main outcome 1 0
site in main outcome 1 1

function main(32, 64, 64) -> (32)
    CallSite extern symbolic(64 &x) -> ()
    r3 = Load.1 &x
    CmpBranch.Ult.8 r3, 100, low, high
low:
    Cover site 0
    CmpBranch.Eq.8 r3, 0, zero, other
zero:
    Cover site 2
    Ret 0
other:
    Cover site 3
    Ret 1
high:
    Cover site 1
    Ret 2
";

    #[derive(Default)]
    struct Told(Vec<PathEnd>);

    impl Sink for Told {
        fn wants_input(&mut self, _: Ended) -> bool {
            true
        }

        fn ended(&mut self, path: PathEnd) -> Option<InDoubt> {
            self.0.push(path);
            None
        }
    }

    fn dfs() -> Box<dyn search::Searcher> {
        search::parse("dfs", &search::SearchOptions::default()).expect("it exists")
    }

    /// The engine after both states were pruned, and what was told.
    fn pruned(test_share: f64) -> (Engine, Vec<PathEnd>) {
        let mut machine = Bare::machine(PROGRAM);
        let first = machine.first_states(memory::Checks::default());
        let first = first.expect("the program has a beginning");
        let method = METHODS.iter().find(|m| m.name == "learned");
        let plan = PruningPlan {
            options: Options {
                method: method.expect("the paper's method"),
                round: Span::Ticks(1 << 40),
                ..Options::default()
            },
            searchers: vec![("dfs".into(), Box::new(|_| dfs()))],
            resume: Some(0),
            test_share,
        };
        let engine = Engine::new(machine, dfs(), first, RunLimits::default());
        let (mut engine, mut told) = (engine.pruned_by(Some(plan)), Told::default());
        let id = engine.select().expect("the first state");
        let mut s = engine.states.take(id, &mut None).expect("the first state");
        let mut turn = Turn::default();
        let end = engine.worker.run(&mut s, &mut turn, &mut told);
        engine.settle(id, s, end, &mut turn, &mut told);
        let ids: Vec<StateId> = engine.states.iter().map(|(id, _)| id).collect();
        assert_eq!((ids.len(), told.0.len()), (2, 0));
        engine.run_whole_tests(&ids, &mut told);
        engine.evict(ids, Ending::Pruned, &mut told);
        (engine, told.0)
    }

    fn branches(engine: &Engine) -> Vec<u32> {
        let pruning = engine.pruning.as_ref().expect("it prunes");
        let marking = engine.worker.machine.observers.marking.as_ref();
        let features = marking.map(|m| m.conditions.count());
        assert_eq!(features, Some(0), "no state has decided x == 0");
        assert!(pruning.tested.is_empty());
        pruning.pruner.branches().iter().collect()
    }

    #[test]
    fn a_pruned_state_teaches_what_its_test_covers() {
        let (engine, told) = pruned(0.9);
        assert_eq!(branches(&engine), [0, 1, 2]);
        let status = engine.worker.counters.pruning.clone().expect("a status");
        let counts = (status.tests_run, status.tests_cut, status.tests_left);
        assert_eq!(counts, (2, 0, 0));
        // One test for each, of the whole path; the states are pruned all the same.
        assert_eq!(told.len(), 2);
        let is_whole = |t: &PathEnd| matches!(t.outcome, PathOutcome::Exit(_)) && t.is_ahead;
        assert!(told.iter().all(|t| is_whole(t) && t.input.is_some()));
        let n = &engine.worker.counters;
        assert_eq!((n.endings.of(Ending::Pruned), n.completed), (2, 0));
    }

    #[test]
    fn without_a_share_it_teaches_what_it_covered_itself() {
        let (engine, told) = pruned(0.0);
        assert_eq!(branches(&engine), [] as [u32; 0]);
        let is_cut = |t: &PathEnd| matches!(t.outcome, PathOutcome::Cut(Ending::Pruned));
        assert!(told.len() == 2 && told.iter().all(is_cut));
    }
}
