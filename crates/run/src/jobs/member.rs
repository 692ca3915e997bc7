//! A worker from the side of the coordinator: its numbers, and the carrier of messages to it.

use super::Halted;
use explore::{Counted, Totals};
use fleet::{Death, ToCoordinator, ToWorker, WorkerId};
use serde_bytes::ByteBuf;

/// Names a machine that has joined the run, a node; one that comes back is another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// An event of a worker.
pub enum Event {
    Said(WorkerId, ToCoordinator),
    /// It sent its last message; the problem if that made no sense.
    Gone(WorkerId, Option<String>),
}

/// How a worker ended.
#[derive(Clone, Debug)]
pub struct Fate {
    pub death: Death,
    /// In words.
    pub words: String,
}

/// Carries messages to a worker, and ends it: its process, or the connection to its machine.
pub trait Carrier {
    /// Sends it a message. A worker that cannot be reached is killed, and its death is reported.
    fn say(&mut self, message: ToWorker);
    /// Ends it.
    fn kill(&mut self);
    /// The number of its process, if it is one of this machine.
    fn pid(&self) -> Option<u32>;
    /// Waits for its end, which is near, and returns how it ended. `has_ended`: it has sent its last message by
    /// itself.
    fn bury(&mut self, has_ended: bool) -> Fate;
}

pub struct Member {
    carrier: Box<dyn Carrier>,
    /// The machine that it runs on, if it is another one.
    pub node: Option<NodeId>,
    /// How it ended, if that was reported.
    pub fate: Option<Fate>,
    pub seat: u32,
    /// Bytes that it may take; 0: no limit.
    pub memory: u64,
    /// It has reported that it fits.
    pub has_joined: bool,
    /// It has sent an impossible message, and none of its later messages counts.
    pub is_disbelieved: bool,
    /// It has sent its last message, by itself.
    pub has_ended: bool,
    pub halted: Option<Halted>,
    /// Its findings, as a part of its next commit.
    pub found: Vec<ByteBuf>,
    /// The totals of its last commit.
    pub totals: Totals,
    /// The part of them that belongs to its frontier.
    pub counted: Counted,
    /// The part of them that remains when its frontier goes to others.
    pub settled: Totals,
}

impl Member {
    /// One that was just started.
    pub fn new(carrier: Box<dyn Carrier>, seat: u32, node: Option<NodeId>) -> Member {
        Member {
            carrier,
            node,
            fate: None,
            seat,
            memory: 0,
            has_joined: false,
            is_disbelieved: false,
            has_ended: false,
            halted: None,
            found: Vec::new(),
            totals: Totals::default(),
            counted: Counted::default(),
            settled: Totals::default(),
        }
    }

    /// The number of its process, if it is one of this machine.
    pub fn pid(&self) -> Option<u32> {
        self.carrier.pid()
    }

    /// Sends it a message. A worker that cannot be reached is killed, and its death is reported.
    pub fn say(&mut self, message: ToWorker) {
        self.carrier.say(message);
    }

    /// Ends it.
    pub fn kill(&mut self) {
        self.carrier.kill();
    }

    /// Takes over the numbers of a commit, and the part of them that belongs to the frontier.
    pub fn counts(&mut self, totals: Totals, counted: Counted) {
        // What is alive when the run has to end is counted as ended, but a later run may go on with it.
        if !(self.has_ended && self.halted.is_some()) {
            self.settled = without_gauges(totals.clone(), &counted);
        }
        self.totals = totals;
        self.counted = counted;
    }

    /// Waits for its end, which is near: how it died, and its numbers.
    pub fn bury(mut self) -> (Fate, Totals) {
        let told = self.fate.take();
        let fate = told.unwrap_or_else(|| self.carrier.bury(self.has_ended));
        (fate, without_gauges(self.totals, &self.counted))
    }
}

/// The numbers that remain when the frontier goes to others: without the `counted` part.
pub fn without_gauges(mut totals: Totals, counted: &Counted) -> Totals {
    let n = &mut totals.counters;
    n.live = 0;
    n.memory_bytes = 0;
    for (why, &sides) in &counted.parked {
        n.parked = n.parked.saturating_sub(sides);
        if let Some(of) = n.parked_by.get_mut(why.as_str()) {
            *of = of.saturating_sub(sides);
        }
    }
    n.unprune(counted.pruned);
    if let Some(pruning) = &mut n.pruning {
        pruning.waiting = pruning.waiting.saturating_sub(counted.pruned);
    }
    totals.losses.set(explore::Loss::Parked, n.parked);
    totals.terms = 0;
    // Of processes that ran the program nobody else hears.
    totals.children.running_s = totals.children.unheard_s;
    totals
}
