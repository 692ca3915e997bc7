//! Targets that share a budget: parts of it go to those that still find something ([`crate::budget`]).

use super::target::{Outcome, PartOfRun};
use super::{Course, Wanted, worse};
use crate::budget::{BudgetPart, Shares, Shown};
use crate::exit::Exit;
use crate::options::Whose;
use run::plan::Plan;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use testcase::{Coverage, ErrorRecord, RunStats, bug};

/// What a function needs at least: its driver is written and compiled, and it is explored for a moment.
pub const LEAST: Duration = Duration::from_secs(2);
/// The least time for the replay of a target, and for each build for it.
const REPLAY: Duration = Duration::from_secs(10);

/// What all targets have together.
#[derive(Clone, Copy, Debug)]
pub struct TestBudget {
    pub time: Option<Duration>,
    pub cpu_time: Option<Duration>,
}

impl TestBudget {
    /// Options of a run that has this part.
    fn limits(&self, part: Duration) -> Vec<String> {
        let limit = |name: &str, of: Option<Duration>| {
            of.map(|_| format!("--{name}={:.3}", part.as_secs_f64()))
        };
        let limits = [limit("time", self.time), limit("cpu-time", self.cpu_time)];
        limits.into_iter().flatten().collect()
    }
}

impl TestBudget {
    /// Options of the first run of a target: of a function all that comes before longer arrays and strings, at most for this time.
    fn first_look(&self, part: Duration, of: Whose) -> Vec<String> {
        let mut limits = self.limits(part);
        limits.extend((of == Whose::Run).then(|| "--first-look".to_string()));
        limits
    }
}

/// The clocks of a budget. Replays do not count, nor do the native programs that are made for them.
struct Clocks {
    budget: TestBudget,
    time: Duration,
    cpu: Duration,
}

impl Clocks {
    fn left(&self) -> Duration {
        let left = |of: Option<Duration>, used| of.map(|of| of.saturating_sub(used));
        let both = [
            left(self.budget.time, self.time),
            left(self.budget.cpu_time, self.cpu),
        ];
        both.into_iter().flatten().min().unwrap_or(Duration::MAX)
    }

    /// Counts the exploration of a target; how much of the budget it took.
    fn count(&mut self, work: impl FnOnce() -> Outcome) -> (Outcome, Duration) {
        let (before, begun) = (host::clock::family_time(), Instant::now());
        let done = work();
        let all = host::clock::family_time().saturating_sub(before);
        let (time, cpu) = (
            begun.elapsed().saturating_sub(done.linking.0),
            all.saturating_sub(done.linking.1),
        );
        self.time += time;
        self.cpu += cpu;
        let took = match self.budget.time {
            Some(_) => time,
            None => cpu,
        };
        (done, took)
    }
}

/// What all of them have found.
#[derive(Default)]
struct Gathered {
    coverage: Coverage,
    errors: Vec<ErrorRecord>,
}

impl Gathered {
    /// Adds the results of a run; how many ways and bugs are new.
    fn add(&mut self, outcome: &Outcome) -> (u64, u64) {
        let Some(run) = &outcome.run else {
            return (0, 0);
        };
        let ways = self.coverage.counts().branches.0;
        run.coverage.iter().for_each(|c| self.coverage.merge(c));
        let bugs = bug::of_program(&self.errors).len();
        let is_new = |e: &&ErrorRecord| !self.errors.iter().any(|known| known.is_bug_of(e));
        let new: Vec<ErrorRecord> = run.errors.iter().filter(is_new).cloned().collect();
        self.errors.extend(new);
        (
            self.coverage.counts().branches.0 - ways,
            (bug::of_program(&self.errors).len() - bugs) as u64,
        )
    }
}

impl Course<'_> {
    /// Explores the targets for as long as the budget allows; each is replayed when it is over.
    pub fn share(
        &mut self,
        wanted: &[Wanted<'_>],
        plans: &[Plan],
        budget: TestBudget,
    ) -> Vec<Outcome> {
        let mut clocks = Clocks {
            budget,
            time: Duration::ZERO,
            cpu: Duration::ZERO,
        };
        let mut shares = Shares::new(wanted.len(), LEAST, 1);
        let mut known = Gathered::default();
        let mut outcomes: Vec<Option<Outcome>> = wanted.iter().map(|_| None).collect();
        let mut used = vec![Duration::ZERO; wanted.len()];
        let mut open = Vec::new();
        let mut seen = 0;
        while !self.stop.load(Ordering::Relaxed)
            && let Some(part) = shares.next(clocks.left())
        {
            let BudgetPart { at, goes_on, .. } = part;
            let (target, plan) = (&wanted[at], &plans[at]);
            seen += usize::from(!goes_on);
            // A target's own limit counts, too.
            let own = [plan.limits.time, plan.limits.cpu_time];
            let own = own.into_iter().filter(|limit| !limit.is_zero()).min();
            let own = own.map(|own| own.saturating_sub(used[at]));
            let time = own.map_or(part.time, |own| own.min(part.time));
            let label = format!("[{seen}/{}] {}", wanted.len(), target.target.name);
            let this = PartOfRun {
                label: &label,
                limits: if goes_on {
                    budget.limits(time)
                } else {
                    budget.first_look(time, target.target.of)
                },
                goes_on: goes_on || self.args.resume,
            };
            let (outcome, took) = clocks.count(|| self.explore_or_tell(target, plan, &this));
            used[at] += took;
            let can_go_on = testcase::frontier::exists(&outcome.dir) && outcome.run.is_some();
            let is_over = !can_go_on
                || matches!(outcome.exit, Exit::Usage | Exit::Failed)
                || own.is_some_and(|own| own <= time);
            let (ways, bugs) = known.add(&outcome);
            say::note(&format!(
                "polypath: {label}: {}",
                progress(&outcome, took, ways, bugs)
            ));
            let shown = if has_ended(&outcome) {
                Shown::New(ways + bugs)
            } else {
                Shown::Nothing
            };
            shares.ended(at, took, shown, is_over);
            let outcome = outcomes[at].insert(outcome);
            open.retain(|other| *other != at);
            if is_over {
                self.replay(target.target, Some(REPLAY.max(used[at])), outcome);
            } else {
                open.push(at);
            }
        }
        for at in open {
            if let Some(outcome) = &mut outcomes[at] {
                self.replay(wanted[at].target, Some(REPLAY.max(used[at])), outcome);
            }
        }
        let is_stopped = self.stop.load(Ordering::Relaxed);
        let has_served = outcomes.iter().flatten().any(|o| o.run.is_some());
        let outcomes = outcomes.into_iter().zip(wanted).map(|(outcome, target)| {
            let dir = self.results.of(&target.target.name);
            let mut outcome = outcome.unwrap_or_else(|| {
                if is_stopped {
                    self.interrupted(target.target)
                } else {
                    Outcome::unserved(target.target, dir)
                }
            });
            if !has_served && !is_stopped {
                outcome.exit = worse(outcome.exit, Exit::LeftOut);
            }
            outcome
        });
        outcomes.collect()
    }
}

/// Did any path come to its end?
fn has_ended(outcome: &Outcome) -> bool {
    let stats = outcome.run.as_ref().and_then(|run| run.stats.as_ref());
    stats.is_some_and(RunStats::has_ended_paths)
}

/// How a part of a target went.
fn progress(outcome: &Outcome, took: Duration, ways: u64, bugs: u64) -> String {
    let stats = outcome.run.as_ref().and_then(|run| run.stats.as_ref());
    let Some(stats) = stats else {
        let why = outcome.trouble.as_deref().unwrap_or("it left no results");
        return format!("not explored: {why}");
    };
    let mut text = format!("{:.1} s, {} tests", took.as_secs_f64(), stats.tests);
    let counted = |n: u64, one: &str, more: &str| match n {
        1 => format!(", 1 new {one}"),
        n => format!(", {n} new {more}"),
    };
    text += &counted(ways, "branch", "branches");
    if bugs > 0 {
        text += &counted(bugs, "error", "errors");
    }
    if stats.halted.is_none() && stats.completed_paths > 0 {
        text += ", explored";
    }
    text
}
