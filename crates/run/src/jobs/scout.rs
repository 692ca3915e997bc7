//! The scout: a process next to the workers of forking mode that runs in concolic mode, with the partial solutions of
//! the solver. It may go anywhere in the tree of paths, so it gets behind checksums and the like long before an
//! exploration that takes path by path.
//!
//! Its work does not count: it owns no part of the frontier, and the workers explore its paths like any others. A
//! finding that is new to the run is written as a provisional test (`testcase::OutputDir::write_provisional`).
//! `crew::scout` is the coordinator's side, and `head_start` that of one worker in the user's own process.

use super::board::{Board, Seat};
use super::link::Link;
use crate::plan::{Mode, Plan, Tests};
use explore::{Commons, Ended, Exploration, Halt, InDoubt, PathEnd, Place, Sink};
use host::{Stop, clock};
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

/// The parts of the run's memory that are kept for it and that it may take, and the least of the former that is worth it: with less there
/// is no scout. (An open branch takes a kilobyte, and those that it has to let go of are the ones that it came for.)
const KEPT: u64 = 16;
const MOST: u64 = 4;
const LEAST_MEMORY: u64 = 64 << 20;

/// Processor time for which it has its own core, if it begins before the workers.
const HEAD_START: Duration = Duration::from_secs(2);
/// Its part of a core behind that, and the processor time without news after which that is halved, then a third, a quarter and so on.
const SHARE: f64 = 0.5;
const PATIENCE: Duration = Duration::from_secs(4);
/// If the run seems to end within so many seconds, the workers will reach everything soon: the scout then stops after
/// this part of its head start, and continues if the run does not end.
const NEAR_END_S: f64 = 120.0;
const HEAD_START_NEAR_END: Duration = Duration::from_millis(500);
/// It rests when it owes so much, in pieces of this length at most.
const REST: Duration = Duration::from_millis(5);
const PIECE: Duration = Duration::from_millis(20);

/// A scout's memory, in bytes; 0: no limit.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// Memory reserved for it alone.
    pub kept: u64,
    /// It may take so much, and the workers have less then.
    pub most: u64,
}

/// A scout's memory, if there is a scout. There is none if the user chooses the search, or needs all paths in order.
pub fn memory(plan: &Plan) -> Option<Memory> {
    let is_fit = plan.c().is_ok_and(|c| c.save_fs.is_none())
        && plan.search.mode == Mode::Fork
        && plan.search.name.is_none()
        && plan.search.homi.method.is_none()
        && plan.jobs() > 1
        && plan.limits.max_forks == 0
        && !plan.workers.deterministic
        && !plan.workers.no_scout
        && plan.solver.log.is_none();
    let all = plan.memory();
    let memory = Memory {
        kept: all / KEPT,
        most: all / MOST,
    };
    (is_fit && (all == 0 || memory.kept >= LEAST_MEMORY)).then_some(memory)
}

/// Does the run seem to come to its end without a scout?
pub fn is_near_end(board: &Board) -> bool {
    board.seconds_left() < NEAR_END_S
}

/// The plan of a run, as its scout has it.
#[must_use]
pub fn ahead(mut plan: Plan) -> Plan {
    plan.search.mode = Mode::Concolic;
    // The worker that began runs the seeds.
    plan.search.seed_input = None;
    plan.search.partial_solutions = true;
    if matches!(plan.output.tests, Tests::All | Tests::Live) {
        plan.output.tests = Tests::New;
    }
    plan
}

/// The data that the scout shares with the workers: they steer by its coverage, but their tests do not depend on it;
/// and its search is guided by the places that its own runs were the first to cover.
pub struct Ahead {
    seat: Rc<Seat>,
    /// The run at work has covered what no worker has.
    has_news: Cell<bool>,
}

impl Ahead {
    /// From this place.
    pub fn new(seat: Rc<Seat>) -> Ahead {
        Ahead {
            seat,
            has_news: Cell::new(false),
        }
    }
}

impl Commons for Ahead {
    fn works_on(&self, _lease: u64) {}

    fn claim(&self, place: Place) -> bool {
        let board = &self.seat.board;
        let is_first = board.scout(place);
        if is_first && !board.is_claimed(place) {
            self.has_news.set(true);
        }
        is_first
    }

    fn forked(&self) {}

    fn forks(&self) -> u64 {
        0
    }
}

/// How much it works.
struct Pace {
    /// Does it begin before the workers?
    has_head_start: bool,
    /// Processor time since it began.
    spent: Duration,
    /// Processor time of the thread when it was looked at last.
    last: Duration,
    /// Processor time since there was news.
    fruitless: Duration,
    /// Time to rest.
    owed: Duration,
}

impl Pace {
    fn new(has_head_start: bool) -> Pace {
        Pace {
            has_head_start,
            spent: Duration::ZERO,
            last: clock::thread_time(),
            fruitless: Duration::ZERO,
            owed: Duration::ZERO,
        }
    }

    /// So much was done.
    fn worked(&mut self, time: Duration) {
        let free = time.min(self.free(HEAD_START));
        self.spent += time;
        self.fruitless += time;
        let doubt = 1.0 + self.fruitless.as_secs_f64() / PATIENCE.as_secs_f64();
        self.owed += (time - free).mul_f64(doubt / SHARE - 1.0);
    }

    /// The rest of a head start.
    fn free(&self, head_start: Duration) -> Duration {
        if self.has_head_start {
            head_start.saturating_sub(self.spent)
        } else {
            Duration::ZERO
        }
    }

    /// Something new was found.
    fn news(&mut self) {
        self.fruitless /= 2;
    }
}

/// The coordinator, as the scout sees it.
pub struct ScoutLink {
    link: Link,
    ahead: Rc<Ahead>,
    pace: Pace,
    stop: Stop,
}

impl ScoutLink {
    /// Over this connection. Does it begin before the workers?
    pub fn new(link: Link, ahead: Rc<Ahead>, stop: Stop, has_head_start: bool) -> ScoutLink {
        ScoutLink {
            link,
            ahead,
            pace: Pace::new(has_head_start),
            stop,
        }
    }

    /// Does the run come to its end without it?
    fn is_too_late(&self) -> bool {
        is_near_end(&self.ahead.seat.board) && self.pace.free(HEAD_START_NEAR_END).is_zero()
    }

    /// The last message.
    pub fn finish(mut self, all: &mut dyn Exploration, halt: Option<Halt>) {
        self.link.finish(all, halt);
    }
}

impl Sink for ScoutLink {
    fn wants_input(&mut self, end: Ended) -> bool {
        self.link.wants_input(end)
    }

    fn ended(&mut self, mut path: PathEnd) -> Option<InDoubt> {
        path.covered_new &= self.ahead.has_news.take();
        if !path.has_news() {
            return None;
        }
        self.pace.news();
        if path.shows_new_error() {
            self.link.hurry();
        }
        self.link.ended(path)
    }

    fn look(&mut self, all: &mut dyn Exploration) {
        self.link.look(all);
        let now = clock::thread_time();
        self.pace.worked(now - self.pace.last);
        self.pace.last = now;
        if self.is_too_late() {
            // What it found is not to wait as long as it does.
            self.link.hurry();
            self.link.look(all);
        }
        while self.is_too_late() && !self.stop.is_set() {
            std::thread::sleep(PIECE);
        }
        if self.pace.owed < REST {
            return;
        }
        while !self.pace.owed.is_zero() && !self.stop.is_set() {
            let piece = self.pace.owed.min(PIECE);
            std::thread::sleep(piece);
            self.pace.owed -= piece;
        }
    }

    fn halting(&mut self, all: &mut dyn Exploration) {
        self.link.halting(all);
    }

    fn wait(&mut self, all: &mut dyn Exploration) -> bool {
        self.link.wait(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The part of the time that is spent on so much work.
    fn share(pace: &mut Pace, work: Duration) -> f64 {
        let before = pace.owed;
        pace.worked(work);
        work.as_secs_f64() / (work + pace.owed - before).as_secs_f64()
    }

    #[test]
    fn who_finds_nothing_works_less() {
        let step = Duration::from_millis(1);
        let is = |got: f64, part: f64| (got - part * SHARE).abs() < 0.01;
        let mut pace = Pace::new(false);
        assert!(is(share(&mut pace, step), 1.0));
        pace.worked(4 * PATIENCE);
        assert!(is(share(&mut pace, step), 0.2));
        pace.news();
        assert!(is(share(&mut pace, step), 1.0 / 3.0));
    }

    #[test]
    fn who_begins_first_has_a_core_for_a_while() {
        let mut pace = Pace::new(true);
        pace.worked(HEAD_START / 2);
        assert_eq!(
            (pace.owed, pace.free(HEAD_START)),
            (Duration::ZERO, HEAD_START / 2)
        );
        assert_eq!(pace.free(HEAD_START_NEAR_END), Duration::ZERO);
        pace.worked(HEAD_START);
        assert!(pace.owed > HEAD_START / 2);
    }
}
