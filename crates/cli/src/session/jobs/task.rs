//! A worker's side with `--deterministic`: it explores one task from the beginning and tells once what came of it, whatever other workers
//! do meanwhile. Nothing that depends on them, on a clock or on how much memory is free may decide what it does; where something
//! does all the same, it says so.

use super::board::Seat;
use super::link::Link;
use super::{Halted, Report, Swayed};
use exec::{
    Commons, Counted, Counters, Ended, Ending, Exploration, Halt, Machine, PathEnd, Sink, State,
    Totals,
};
use fleet::{Change, Commit, Spent, Task};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// What a task knows of the run: what was covered when its round began, and how many forks it may have.
pub struct Known {
    seat: Rc<Seat>,
    covered: RefCell<Vec<bool>>,
    forks: Cell<u64>,
}

impl Known {
    /// The sites in the bytes of `covered`, a bit for each; `forks` are those that others have or may have.
    pub fn new(seat: Rc<Seat>, covered: &[u8], sites: usize, forks: u64) -> Known {
        let bit = |site: usize| {
            covered
                .get(site / 8)
                .is_some_and(|b| b >> (site % 8) & 1 != 0)
        };
        Known {
            seat,
            covered: RefCell::new((0..sites).map(bit).collect()),
            forks: Cell::new(forks),
        }
    }

    /// Sites as bytes, a bit for each.
    pub fn bytes(covered: &[bool]) -> Vec<u8> {
        let bits = |chunk: &[bool]| {
            (0..)
                .zip(chunk)
                .fold(0, |all, (i, &hit)| all | u8::from(hit) << i)
        };
        covered.chunks(8).map(bits).collect()
    }

    /// Sites that are covered.
    pub fn covered(&self) -> Vec<bool> {
        self.covered.borrow().clone()
    }
}

impl Commons for Known {
    fn works_on(&self, lease: u64) {
        self.seat.works_on(lease);
    }

    fn claim(&self, site: ir::SiteId) -> bool {
        !std::mem::replace(&mut self.covered.borrow_mut()[site as usize], true)
    }

    fn forked(&self) {
        self.forks.set(self.forks.get() + 1);
    }

    fn forks(&self) -> u64 {
        self.forks.get()
    }
}

/// The coordinator, as who explores a task sees it.
pub struct TaskLink {
    link: Link,
    /// What was left when the run had to end, and the numbers then.
    before_end: Option<(Change, Totals)>,
}

impl TaskLink {
    /// Over this connection: gives the engine the task, and the sites that were covered. `None`: the task makes no sense, and the
    /// coordinator knows.
    pub fn new(
        mut link: Link,
        all: &mut dyn Exploration,
        task: &Task,
        covered: Vec<bool>,
    ) -> Option<TaskLink> {
        for (site, _) in (0..).zip(&covered).filter(|&(_, &is_covered)| is_covered) {
            all.covered_elsewhere(site);
        }
        link.have_told(covered);
        for (key, prefix) in &task.prefixes {
            if let Err(why) = all.adopt(key.0, prefix) {
                link.fail(why);
                return None;
            }
        }
        Some(TaskLink {
            link,
            before_end: None,
        })
    }

    /// The one message.
    pub fn finish(mut self, all: &mut dyn Exploration, halt: Option<Halt>) {
        let (change, counted, before_end) = match self.before_end.take() {
            Some((change, totals)) => (change, Counted::default(), Some(totals)),
            None => {
                let (change, counted) = self.link.changes(all);
                (change, counted, None)
            }
        };
        let spent = Spent {
            work: all.worker().work(),
            forks: all.worker().machine.stats.forks,
            was_halted: halt.is_some(),
        };
        let report = Report {
            counted,
            halted: halt.map(Halted::of),
            before_end,
            swayed: swayed(&all.worker().counters, halt),
            ..Report::default()
        };
        let commit = Commit {
            change,
            is_last: true,
            spent,
            ..Commit::default()
        };
        self.link.tell(all, commit, report);
    }
}

/// Did anything else than program, options and seed decide what the task came to?
fn swayed(n: &Counters, halt: Option<Halt>) -> Option<Swayed> {
    let for_memory = n.shortages > 0 || n.endings.of(Ending::Memory) > 0;
    if linear::was_late() || matches!(halt, Some(Halt::Stopped(_))) {
        Some(Swayed::Clock)
    } else {
        for_memory.then_some(Swayed::Memory)
    }
}

impl Sink for TaskLink {
    fn wants_input(&mut self, s: &State, end: &Ended<'_>) -> bool {
        self.link.wants_input(s, end)
    }

    fn ended(&mut self, path: PathEnd) {
        self.link.ended(path);
    }

    fn tick(&mut self, _: &Machine, _: &Counters) {}

    fn look(&mut self, all: &mut dyn Exploration) {
        self.link.show_live(all);
    }

    fn halting(&mut self, all: &mut dyn Exploration) {
        let (change, counted) = self.link.changes(all);
        let worker = all.worker();
        let totals = Totals::of(&worker.machine, &worker.counters);
        let totals = super::member::without_gauges(totals, &counted);
        self.before_end = Some((change, totals));
    }
}
