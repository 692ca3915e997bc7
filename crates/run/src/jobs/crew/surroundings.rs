//! The coordinator's interface to the world: a clock, events, and the start of workers. [`super::super::machine`]
//! implements it for runs, and tests have an implementation in which nothing happens by itself.

use super::super::cluster::Entrance;
use super::super::cluster::hall::{NodeEvent, Offer};
use super::super::member::{Carrier, Event, NodeId};
use fleet::WorkerId;
use std::io;
use std::time::{Duration, Instant};

/// An event for the coordinator.
pub enum Heard {
    Worker(Event),
    Node(NodeId, NodeEvent),
}

/// See the module.
pub trait Surroundings {
    /// The time.
    fn now(&self) -> Instant;

    /// The next event, if one comes within this time.
    fn hear(&mut self, patience: Duration) -> Option<Heard>;

    /// Starts a worker on this machine, which waits for its first message. Its messages become events.
    ///
    /// # Errors
    /// When the system refuses.
    fn start(&mut self, id: WorkerId) -> io::Result<Box<dyn Carrier>>;

    /// Lets machines join from now on. Their messages become events.
    ///
    /// # Errors
    /// When the system refuses.
    fn admit(&mut self, entrance: Entrance, offer: Offer) -> io::Result<()>;

    /// Bytes of memory that this process has.
    fn memory(&self) -> u64;

    /// Bytes of memory of a worker on this machine, and its processor time, while it is there.
    fn memory_of(&self, pid: u32) -> Option<u64>;
    fn time_of(&self, pid: u32) -> Option<Duration>;
}
