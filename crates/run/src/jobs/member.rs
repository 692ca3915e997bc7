//! A worker, as the coordinator sees it: its numbers, and what carries messages to it.

use super::Halted;
use explore::{Counted, Totals};
use fleet::{Death, ToCoordinator, ToWorker, WorkerId};
use serde_bytes::ByteBuf;

/// Names a machine that has joined the run, a node; one that comes back is another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// What comes from a worker.
pub enum Event {
    Said(WorkerId, ToCoordinator),
    /// It said its last word; if that made no sense, why.
    Gone(WorkerId, Option<String>),
}

/// How a worker ended.
#[derive(Clone, Debug)]
pub struct Fate {
    pub death: Death,
    /// In words.
    pub words: String,
}

/// What carries messages to a worker, and ends it: its process, or the connection to the machine that it runs on.
pub trait Carrier {
    /// Says something to it. One that cannot be reached is killed, which is told as its death.
    fn say(&mut self, message: ToWorker);
    /// Ends it.
    fn kill(&mut self);
    /// The number of its process, if it is one of this machine.
    fn pid(&self) -> Option<u32>;
    /// Waits for its end, which is near: how it ended. `has_ended`: it has said its last word by itself.
    fn bury(&mut self, has_ended: bool) -> Fate;
}

pub struct Member {
    carrier: Box<dyn Carrier>,
    /// The machine that it runs on, if it is another one.
    pub node: Option<NodeId>,
    /// How it ended, if somebody has said so.
    pub fate: Option<Fate>,
    pub seat: u32,
    /// Bytes that it may take; 0: no limit.
    pub memory: u64,
    /// It has said that it fits.
    pub has_joined: bool,
    /// It has said its last word, by itself.
    pub has_ended: bool,
    pub halted: Option<Halted>,
    /// What it found, as a part of its next commit.
    pub found: Vec<ByteBuf>,
    /// As of its last commit.
    pub totals: Totals,
    /// What of them is left to explore.
    pub counted: Counted,
    /// Of those, what stays true when what it has left to explore goes to others.
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

    /// Says something to it. One that cannot be reached is killed, which is told as its death.
    pub fn say(&mut self, message: ToWorker) {
        self.carrier.say(message);
    }

    /// Ends it.
    pub fn kill(&mut self) {
        self.carrier.kill();
    }

    /// Its numbers as of a commit, and what of them is left to explore.
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

/// The numbers that stay true when what is left to explore goes to others: what is `counted` of that does not.
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
