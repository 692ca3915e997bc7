//! The scout: a process beside the workers of forking mode that runs one input after the other (concolic mode) and whatever the solver
//! tries on the way (partial solutions). It goes where it likes in the whole tree of paths, so it comes to what lies behind checksums
//! and the like long before an exploration that takes path by path does.
//!
//! What it does counts for nothing: it has no part of what is left to explore, and the workers come to its paths as to any other. What it
//! shows that nobody has shown before is written as a provisional test (`testcase::OutputDir::write_provisional`).
//! `crew::scout` is the coordinator's side.

use super::board::Seat;
use super::link::Link;
use crate::session::options::{Args, Mode, Tests};
use exec::{Commons, Counters, Ended, Exploration, Halt, Machine, PathEnd, Sink, State};
use host::{Stop, clock};
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

/// Its part of the run's memory, and the least that is worth it: with less there is no scout.
const PART: u64 = 16;
const LEAST_MEMORY: u64 = 64 << 20;

/// Its part of a core at first, and the processor time without news after which it is halved, then a third, a quarter and so on.
const SHARE: f64 = 0.5;
const PATIENCE: Duration = Duration::from_millis(500);
/// It rests when it owes so much, in pieces of this length at most.
const REST: Duration = Duration::from_millis(5);
const PIECE: Duration = Duration::from_millis(20);

/// Bytes that a scout may take if there is one; 0: no limit. Where somebody says what is to be searched or how, or has every
/// path come in its order, there is none.
pub fn memory(args: &Args) -> Option<u64> {
    let is_fit = args.mode == Mode::Fork
        && args.search.is_none()
        && args.pruning.homi.is_none()
        && args.jobs() > 1
        && args.max_forks == 0
        && !args.deterministic
        && !args.no_scout
        && args.log_queries.is_none()
        && args.save_fs.is_none();
    let memory = (args.memory << 20) / PART;
    (is_fit && (memory == 0 || memory >= LEAST_MEMORY)).then_some(memory)
}

/// The options of a run, as its scout has them.
pub fn options(args: &Args) -> Args {
    Args {
        mode: Mode::Concolic,
        partial_solutions: true,
        tests: Tests::New,
        ..args.clone()
    }
}

/// What the scout shares with the workers: they steer by what it has covered, but their tests do not depend on it; and its search goes
/// by what its own runs were the first to cover.
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

    fn claim(&self, site: ir::SiteId) -> bool {
        let board = &self.seat.board;
        let is_first = board.scout(site);
        if is_first && !board.is_claimed(site) {
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
    /// Processor time of the thread when it was looked at last.
    last: Duration,
    /// Processor time since there was news.
    fruitless: Duration,
    /// Time to rest.
    owed: Duration,
}

impl Pace {
    fn new() -> Pace {
        Pace {
            last: clock::thread_time(),
            fruitless: Duration::ZERO,
            owed: Duration::ZERO,
        }
    }

    /// So much was done.
    fn worked(&mut self, time: Duration) {
        self.fruitless += time;
        let doubt = 1.0 + self.fruitless.as_secs_f64() / PATIENCE.as_secs_f64();
        self.owed += time.mul_f64(doubt / SHARE - 1.0);
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
    /// Over this connection.
    pub fn new(link: Link, ahead: Rc<Ahead>, stop: Stop) -> ScoutLink {
        ScoutLink {
            link,
            ahead,
            pace: Pace::new(),
            stop,
        }
    }

    /// The last message.
    pub fn finish(mut self, all: &mut dyn Exploration, halt: Option<Halt>) {
        self.link.finish(all, halt);
    }
}

impl Sink for ScoutLink {
    fn wants_input(&mut self, s: &State, end: &Ended<'_>) -> bool {
        self.link.wants_input(s, end)
    }

    fn ended(&mut self, mut path: PathEnd) {
        path.covered_new &= self.ahead.has_news.take();
        if path.has_news() {
            self.pace.news();
            self.link.ended(path);
        }
    }

    fn tick(&mut self, _: &Machine, _: &Counters) {}

    fn look(&mut self, all: &mut dyn Exploration) {
        self.link.look(all);
        let now = clock::thread_time();
        self.pace.worked(now - self.pace.last);
        self.pace.last = now;
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
        let mut pace = Pace::new();
        assert!((share(&mut pace, step) - SHARE).abs() < 0.01);
        pace.worked(4 * PATIENCE);
        let tired = share(&mut pace, step);
        assert!((tired - SHARE / 5.0).abs() < 0.01, "{tired}");
        pace.news();
        let encouraged = share(&mut pace, step);
        assert!((encouraged - SHARE / 3.0).abs() < 0.01, "{encouraged}");
    }
}
