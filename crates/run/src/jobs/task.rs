//! A worker's side with `--deterministic`: it explores one task from the beginning and reports its result once,
//! independently of other workers. Other workers, clocks and free memory must not influence it; if one of them does
//! all the same, it reports that.

use super::board::Seat;
use super::link::{Link, bytes};
use super::{Halted, Report, Swayed};
use explore::{
    Commons, Counted, Counters, Ended, Ending, Exploration, Halt, InDoubt, PathEnd, Place, Sink,
    Totals,
};
use fleet::{Change, Commit, Spent, Task};
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::rc::Rc;

/// The data of the run that a task knows: the coverage at the start of its round, and the number of forks that it may
/// have.
pub struct Known {
    seat: Rc<Seat>,
    covered: RefCell<HashSet<Place>>,
    forks: Cell<u64>,
}

impl Known {
    /// The places in the bytes of `covered`; `forks` are those that others have or may have.
    ///
    /// # Errors
    /// These bytes are no places.
    pub fn new(seat: Rc<Seat>, covered: &[u8], forks: u64) -> postcard::Result<Known> {
        Ok(Known {
            seat,
            covered: RefCell::new(postcard::from_bytes(covered)?),
            forks: Cell::new(forks),
        })
    }

    /// Places as bytes.
    pub fn bytes(covered: &HashSet<Place>) -> Vec<u8> {
        bytes(covered)
    }

    /// Places that are covered.
    pub fn covered(&self) -> HashSet<Place> {
        self.covered.borrow().clone()
    }
}

impl Commons for Known {
    fn works_on(&self, lease: u64) {
        self.seat.works_on(lease);
    }

    fn claim(&self, place: Place) -> bool {
        self.covered.borrow_mut().insert(place)
    }

    fn forked(&self) {
        self.forks.set(self.forks.get() + 1);
    }

    fn forks(&self) -> u64 {
        self.forks.get()
    }
}

/// Steps between two looks at the places that were covered when the round began, except at first: the program may know further ones
/// by then.
const OFTEN: u64 = 64;

/// The connection to the coordinator, for the exploration of a task.
pub struct TaskLink {
    link: Link,
    /// Places that were covered when the round began.
    covered: HashSet<Place>,
    looks: u64,
    /// The frontier when the run had to end, and the numbers then.
    before_end: Option<(Change, Totals)>,
}

impl TaskLink {
    /// Over this connection: gives the engine the task, and the places that were covered. `None`: the task makes no sense, and the
    /// coordinator knows.
    pub fn new(
        mut link: Link,
        all: &mut dyn Exploration,
        task: &Task,
        covered: HashSet<Place>,
    ) -> Option<TaskLink> {
        all.look_at_others(&mut |place| covered.contains(&place));
        for (key, prefix) in &task.prefixes {
            if let Err(why) = all.adopt(key.0, prefix) {
                link.fail(why);
                return None;
            }
        }
        Some(TaskLink {
            link,
            covered,
            looks: 0,
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
        let totals = all.totals();
        let spent = Spent {
            work: all.work(),
            forks: totals.machine.forks,
            was_halted: halt.is_some(),
        };
        let report = Report {
            counted,
            halted: halt.map(Halted::of),
            before_end,
            swayed: swayed(&totals.counters, halt),
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
    if linear::was_late() || n.late > 0 || matches!(halt, Some(Halt::Stopped(_))) {
        Some(Swayed::Clock)
    } else {
        for_memory.then_some(Swayed::Memory)
    }
}

impl Sink for TaskLink {
    fn wants_input(&mut self, end: Ended) -> bool {
        self.link.wants_input(end)
    }

    fn ended(&mut self, path: PathEnd) -> Option<InDoubt> {
        self.link.ended(path)
    }

    fn look(&mut self, all: &mut dyn Exploration) {
        self.link.show_live(all);
        self.looks += 1;
        if self.looks.is_power_of_two() || self.looks.is_multiple_of(OFTEN) {
            all.look_at_others(&mut |place| self.covered.contains(&place));
        }
    }

    fn halting(&mut self, all: &mut dyn Exploration) {
        let (change, counted) = self.link.changes(all);
        let totals = super::member::without_gauges(all.totals(), &counted);
        self.before_end = Some((change, totals));
    }
}
