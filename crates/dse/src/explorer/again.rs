//! Second attempts of queries that a little effort did not decide.
//!
//! Of the branches beside a long path most are decided quickly, and many of the others take what they are given without being decided. So the
//! first query for a branch gets a part of the effort that it may take ([`quick`]). Where that is not enough, the branch waits for its second query,
//! with the whole of it; second queries get half of the solver's work at most. (What is not decided then waits until nothing else is left.)
//!
//! Where the whole effort decides most of those that a part of it does not, the first query gets the whole at once: see [`Again::is_worth_while`].

use super::Explorer;
use crate::target::Target;
use search::BranchId;
use solver::{Outcome, Why};
use std::collections::VecDeque;

/// A first query gets this part of the effort.
const QUICK: u64 = 16;
/// So many more hard queries may be decided than not before first queries get the whole effort.
const SLACK: u64 = 4;
/// Hard queries that are remembered; then all count half.
const REMEMBERED: u64 = 64;

/// The effort of a first query, where the second one gets so much.
pub(super) fn quick(effort: u64) -> u64 {
    effort / QUICK + u64::from(effort < QUICK)
}

/// The branches that wait for a second query.
#[derive(Default)]
pub(super) struct Again {
    waiting: VecDeque<BranchId>,
    /// The work done before the first question of this module.
    began: Option<u64>,
    /// The work of second queries.
    spent: u64,
    /// Hard queries, for which a part of the effort is not enough, that the whole of it decided, and that it did not.
    decided: u64,
    undecided: u64,
}

impl Again {
    /// Do queries that a part of the effort does not decide take the whole of it in vain, most of them?
    fn is_worth_while(&self) -> bool {
        self.decided <= self.undecided + SLACK
    }

    /// A query with the whole effort has ended, and spent so much of it.
    fn learn(&mut self, outcome: &Outcome, spent: u64, whole: u64) {
        match outcome {
            Outcome::Unknown(_) => self.undecided += 1,
            _ if spent > quick(whole) => self.decided += 1,
            _ => return,
        }
        if self.decided + self.undecided > REMEMBERED {
            self.decided /= 2;
            self.undecided /= 2;
        }
    }

    /// The one that has waited longest, if second queries have not had half of the work yet.
    fn due(&mut self, work: u64) -> Option<BranchId> {
        let all = work.saturating_sub(*self.began.get_or_insert(work));
        if self.spent.saturating_mul(2) > all {
            return None;
        }
        self.waiting.pop_front()
    }
}

impl Explorer {
    /// The effort of a branch's next query.
    pub(super) fn effort_for(&mut self, id: BranchId) -> u64 {
        let whole = self.options.first_effort;
        let own = self.tree.branches[id].effort;
        if own >= whole || self.again.is_worth_while() {
            return own;
        }
        self.tree.update(id, |branch| branch.effort = whole);
        whole
    }

    /// A query with this effort, of which so much was spent, has ended.
    pub(super) fn learn_effort(&mut self, outcome: &Outcome, effort: u64, spent: u64) {
        if effort == self.options.first_effort {
            self.again.learn(outcome, spent, effort);
        }
    }

    /// A query with this effort did not decide a branch, which is parked now. It waits for its second one if that is what it lacked.
    pub(super) fn may_ask_again(&mut self, id: BranchId, effort: u64, why: Why) {
        let lacks_effort = matches!(why, Why::Budget | Why::TooLarge | Why::Float);
        if lacks_effort && effort < self.options.first_effort {
            self.again.waiting.push_back(id);
        }
    }

    /// Asks for a branch with more effort, if one waits and it is time. Whether there was one.
    pub(super) fn ask_again(&mut self, target: &mut dyn Target) -> bool {
        let work = target.reason().work();
        let Some(id) = self.again.due(work) else {
            return false;
        };
        // It may have been taken up since with all that are parked.
        if let Some(at) = self.parked.iter().position(|&(parked, _)| parked == id) {
            let (_, why) = self.parked.remove(at);
            self.unpark_count(why);
            if self.tree.branches.contains(id) {
                let effort = self.options.first_effort;
                self.tree.update(id, |branch| {
                    branch.effort = effort;
                    branch.parked = None;
                });
                self.ask(target, id);
                self.again.spent += target.reason().work() - work;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_queries_take_turns_with_all_other_work() {
        let mut again = Again::default();
        assert_eq!(again.due(100), None, "nobody waits");
        again.waiting.extend([BranchId(1), BranchId(2)]);
        assert_eq!(again.due(150), Some(BranchId(1)));
        again.spent += 300;
        assert_eq!(again.due(450), None, "300 of 350 were theirs");
        assert_eq!(again.due(700), Some(BranchId(2)));
    }

    #[test]
    fn first_queries_get_all_effort_where_it_decides_most_hard_ones() {
        let mut again = Again::default();
        let (open, refuted) = (Outcome::Unknown(Why::Budget), Outcome::Unsat(Vec::new()));
        again.learn(&refuted, 10, 1600);
        assert_eq!(again.decided, 0, "an easy one says nothing");
        for _ in 0..=SLACK {
            assert!(again.is_worth_while());
            again.learn(&refuted, 1000, 1600);
        }
        assert!(!again.is_worth_while());
        again.learn(&open, 1600, 1600);
        assert!(again.is_worth_while());
    }

    #[test]
    fn a_first_query_has_some_effort() {
        assert_eq!([0, 1, 15, 16, 4_000_000].map(quick), [1, 1, 1, 1, 250_000]);
    }
}
