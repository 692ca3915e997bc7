//! A worker's side: it explores the prefixes that the coordinator gives it, and reports its findings.

use super::board::Seat;
use super::wire::{AHEAD, Wire};
use super::{Halted, Report};
use crate::record::{Cases, Finding};
use explore::{Counted, Ended, Exploration, Halt, InDoubt, PathEnd, Sink};
use fleet::{Change, Commit, Prefix, Task, ToCoordinator, ToWorker};
use host::Stop;
use std::collections::HashSet;
use std::os::unix::net::UnixStream;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Between two commits, at first and later. What a commit takes grows with the pause before it, and one is due when the run
/// has to end, which is soon then: so it is no longer where commits take long.
const PAUSE_FIRST: Duration = Duration::from_millis(50);
const PAUSE: Duration = Duration::from_secs(1);
/// Bytes of findings that are sent before their commit, unless the last commit was long and recent.
const UNCOMMITTED: usize = 2 * AHEAD;
const SOON: u32 = 10;
/// Interval between two looks at the places that others have covered.
const COVERED_EVERY: Duration = Duration::from_millis(100);

/// The coordinator, as a worker sees it.
pub struct Link {
    cases: Cases,
    /// When the run began; `None`: it repeats, and tests do not say when they were found.
    started: Option<Instant>,
    wire: Wire,
    stop: Stop,
    seat: Rc<Seat>,
    findings: Vec<Finding>,
    /// Bytes that they take, about, and that were sent ahead.
    size: usize,
    ahead: usize,
    held: HashSet<u32>,
    last_commit: Instant,
    pause: Duration,
    /// How long the last commit took.
    cost: Duration,
    last_look: Instant,
    /// The frontier was reported for the last time.
    is_closed: bool,
    /// Everything is explored, as the coordinator knows. It may know that before this worker waits: from a commit between two steps.
    is_dismissed: bool,
}

impl Link {
    /// `socket` leads to the coordinator, which has sent its first message.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn new(
        socket: UnixStream,
        cases: Cases,
        seat: Rc<Seat>,
        stop: Stop,
        started: Option<Instant>,
    ) -> std::io::Result<Link> {
        let now = Instant::now();
        Ok(Link {
            cases,
            started,
            wire: Wire::new(socket, stop)?,
            stop,
            seat,
            findings: Vec::new(),
            size: 0,
            ahead: 0,
            held: HashSet::new(),
            last_commit: now,
            pause: PAUSE_FIRST,
            cost: Duration::ZERO,
            last_look: now,
            is_closed: false,
            is_dismissed: false,
        })
    }

    /// The first message.
    pub fn greet(&mut self, program: String) {
        self.wire.greet(program);
    }

    /// The next commit is due at once.
    pub fn hurry(&mut self) {
        self.pause = Duration::ZERO;
    }

    /// The last one.
    pub fn finish(&mut self, all: &mut dyn Exploration, halt: Option<Halt>) {
        let halted = halt.map(Halted::of);
        let last = Commit {
            is_last: true,
            ..Commit::default()
        };
        self.commit(all, last, halted);
    }

    fn obey(&mut self, all: &mut dyn Exploration, message: ToWorker) {
        match message {
            ToWorker::Work(prefixes) => {
                for (key, prefix) in prefixes {
                    if let Err(why) = all.adopt(key.0, &prefix) {
                        self.fail(why);
                    }
                }
            }
            ToWorker::Give(n) => {
                let given = all.give(n as usize);
                let given = given.into_iter().map(Prefix::from).collect();
                let answer = Commit {
                    answers: true,
                    is_idle: all.live() == 0,
                    change: Change {
                        given,
                        ..Change::default()
                    },
                    ..Commit::default()
                };
                self.commit(all, answer, None);
            }
            ToWorker::Memory(bytes) => all.resize(bytes),
            ToWorker::Finish => self.is_dismissed = true,
            // The flag is set already; the others are for workers that ask for them. What others cover stands on the board.
            ToWorker::Covered(_) | ToWorker::Stop(_) | ToWorker::Welcome(_) | ToWorker::Task(_) => {
            }
        }
    }

    /// Commits the changes and findings.
    fn commit(&mut self, all: &mut dyn Exploration, mut commit: Commit, halted: Option<Halted>) {
        let begun = Instant::now();
        let mut report = Report {
            halted,
            ..Report::default()
        };
        if !self.is_closed {
            let (change, counted) = self.changes(all);
            commit.change.gone = change.gone;
            commit.change.new = change.new;
            report.counted = counted;
        }
        self.tell(all, commit, report);
        self.last_commit = Instant::now();
        self.cost = begun.elapsed();
        self.pause = (2 * self.pause).clamp(PAUSE_FIRST, PAUSE);
    }

    /// The changes of the frontier, and the share of it that is counted elsewhere, too.
    pub(super) fn changes(&mut self, all: &mut dyn Exploration) -> (Change, Counted) {
        self.wire.tell_changes(|new| all.changes(false, new))
    }

    /// Sends a commit with findings and numbers.
    pub(super) fn tell(
        &mut self,
        all: &mut dyn Exploration,
        mut commit: Commit,
        mut report: Report,
    ) {
        let news = all.assumptions(self);
        let held = news.held.into_iter();
        report.held = held.filter(|&pc| self.held.insert(pc)).collect();
        let unmet = news.unmet.into_iter();
        report.unmet = unmet.map(|(pc, end)| (pc, self.finding(end))).collect();
        report.places = all.news();
        if commit.is_last {
            report.rejected = all.rejected();
        }
        report.totals = all.totals();
        report.findings = std::mem::take(&mut self.findings);
        (self.size, self.ahead) = (0, 0);
        commit.found = bytes(&report).into();
        self.wire.say(&ToCoordinator::Commit(commit));
        self.show_live(all);
    }

    /// Reports that it cannot work.
    pub(super) fn fail(&mut self, why: String) {
        self.wire.say(&ToCoordinator::Failed(why));
    }

    /// Sends the last message of a worker for which there was nothing to do.
    pub fn part(&mut self) {
        self.wire.say(&ToCoordinator::Commit(Commit {
            found: bytes(&Report::default()).into(),
            is_last: true,
            ..Commit::default()
        }));
    }

    /// Shows how many states are live.
    pub(super) fn show_live(&self, all: &dyn Exploration) {
        self.seat.has(all.live());
    }

    /// Waits for the one task that there is for this worker, if there is any.
    pub fn task(&self) -> Option<Task> {
        loop {
            match self.wire.next() {
                Some(ToWorker::Task(task)) => return Some(task),
                Some(ToWorker::Stop(_) | ToWorker::Finish) | None => return None,
                Some(_) => {}
            }
        }
    }

    fn finding(&mut self, end: PathEnd) -> Finding {
        let started = self.started.as_ref();
        let time_s = started.map_or(0.0, |started| started.elapsed().as_secs_f64());
        self.cases.finding(end, time_s)
    }

    /// Removes the places that others have covered from the goals.
    fn look_at_others(&mut self, all: &mut dyn Exploration) {
        if self.last_look.elapsed() < COVERED_EVERY {
            return;
        }
        self.last_look = Instant::now();
        let board = &self.seat.board;
        all.look_at_others(&mut |place| board.is_claimed(place) || board.is_scouted(place));
    }
}

/// A value as bytes.
pub fn bytes(value: &impl serde::Serialize) -> Vec<u8> {
    postcard::to_stdvec(value).expect("plain values can be written")
}

impl Sink for Link {
    fn wants_input(&mut self, end: Ended) -> bool {
        self.cases.wants(end)
    }

    fn ended(&mut self, path: PathEnd) -> Option<InDoubt> {
        let finding = self.finding(path);
        let doubt = finding.doubt();
        if finding.is_nothing() {
            return doubt;
        }
        let finding = finding.packed();
        self.size += finding.size();
        self.findings.push(finding);
        if self.size > AHEAD {
            let ahead = bytes(&std::mem::take(&mut self.findings));
            self.wire.say(&ToCoordinator::Found(ahead.into()));
            self.ahead += std::mem::take(&mut self.size);
        }
        doubt
    }

    fn look(&mut self, all: &mut dyn Exploration) {
        self.seat.has(all.live());
        for message in self.wire.mail() {
            self.obey(all, message);
        }
        self.look_at_others(all);
        let pause = if self.ahead > UNCOMMITTED {
            self.pause.min(SOON * self.cost)
        } else {
            self.pause
        };
        if self.last_commit.elapsed() > pause {
            self.commit(all, Commit::default(), None);
        }
    }

    fn halting(&mut self, all: &mut dyn Exploration) {
        self.commit(all, Commit::default(), None);
        self.is_closed = true;
    }

    fn wait(&mut self, all: &mut dyn Exploration) -> bool {
        self.seat.has(0);
        let idle = Commit {
            is_idle: true,
            ..Commit::default()
        };
        self.commit(all, idle, None);
        while !self.stop.is_set() && !self.is_dismissed {
            let Some(message) = self.wire.next() else {
                return false;
            };
            self.obey(all, message);
            if all.live() > 0 || all.has_parked() {
                break;
            }
        }
        !self.is_dismissed
    }
}

#[cfg(test)]
mod tests {
    use super::super::board::Board;
    use super::*;
    use crate::plan::Tests;
    use crate::record::Nothing;
    use explore::{Changes, Hear, Place, Places, SoFar, Totals};
    use fleet::frame;
    use host::Cause;
    use std::sync::mpsc::channel;

    /// An exploration that has explored everything that it had.
    struct Explored;

    impl SoFar for Explored {
        fn totals(&mut self) -> Totals {
            Totals::default()
        }

        fn news(&mut self) -> Places {
            Places::default()
        }
    }

    impl Exploration for Explored {
        fn run(&mut self, _: &mut dyn Sink) -> Option<Halt> {
            None
        }

        fn record(&mut self) {}

        fn leave(&mut self) {}

        fn may_go_elsewhere(&self) -> bool {
            true
        }

        fn live(&self) -> usize {
            0
        }

        fn has_parked(&self) -> bool {
            false
        }

        fn adopt(&mut self, _: u64, _: &[u8]) -> Result<(), String> {
            Ok(())
        }

        fn give(&mut self, _: usize) -> Vec<Vec<u8>> {
            Vec::new()
        }

        fn changes(&mut self, _: bool, _: &mut Hear<'_>) -> Option<Changes> {
            None
        }

        fn resize(&mut self, _: u64) {}

        fn look_at_others(&mut self, _: &mut dyn FnMut(Place) -> bool) {}

        fn work(&self) -> u64 {
            0
        }

        fn rejected(&self) -> Vec<String> {
            Vec::new()
        }
    }

    /// The coordinator knows that all is explored from a commit between two steps, and the worker hears of it before it waits.
    #[test]
    fn a_worker_that_is_dismissed_before_it_waits_does_not_wait() {
        let (ours, mut coordinators) = UnixStream::pair().unwrap();
        let seat = Seat {
            board: Board::new(1, 64).unwrap(),
            number: 0,
        };
        let (tests, given) = (Tests::None, Box::new(Nothing));
        let stop = Stop::new();
        let mut link = Link::new(ours, Cases { tests, given }, Rc::new(seat), stop, None).unwrap();
        frame::write(&mut coordinators, &ToWorker::Finish).unwrap();
        let end = Instant::now() + Duration::from_secs(60);
        while !link.is_dismissed && Instant::now() < end {
            link.look(&mut Explored);
        }
        // Were it to wait, this would end it, and it would say that it goes on.
        let (done, is_done) = channel::<()>();
        let late = std::thread::spawn(move || {
            let _ = is_done.recv_timeout(Duration::from_secs(60));
            let word = ToWorker::Stop(Cause::Time as u8);
            frame::write(&mut coordinators, &word).unwrap();
            coordinators
        });
        let goes_on = link.wait(&mut Explored);
        done.send(()).unwrap();
        // The link's thread ends the process with the connection, so that stays.
        std::mem::forget(late.join().unwrap());
        assert!(!goes_on);
    }
}
