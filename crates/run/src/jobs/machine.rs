//! The machine of the run: its clock, the processes of workers, and the channel of events from them and from other
//! machines.

use super::cluster::Entrance;
use super::cluster::hall::{self, Offer};
use super::crew::{Heard, Surroundings};
use super::local::Local;
use super::member::Carrier;
use fleet::WorkerId;
use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// Messages that wait to be read: then workers wait, too.
const BACKLOG: usize = 4;

/// See the module.
pub struct ThisMachine {
    put: SyncSender<Heard>,
    events: Receiver<Heard>,
}

impl ThisMachine {
    /// On which no worker has begun.
    pub fn new() -> ThisMachine {
        let (put, events) = sync_channel(BACKLOG);
        ThisMachine { put, events }
    }
}

impl Surroundings for ThisMachine {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn hear(&mut self, patience: Duration) -> Option<Heard> {
        // It ends with the time: this machine holds a sender.
        self.events.recv_timeout(patience).ok()
    }

    fn start(&mut self, id: WorkerId) -> io::Result<Box<dyn Carrier>> {
        let put = self.put.clone();
        let process = Local::start(id, move |event| put.send(Heard::Worker(event)).is_ok())?;
        Ok(Box::new(process))
    }

    fn admit(&mut self, entrance: Entrance, offer: Offer) -> io::Result<()> {
        let put = self.put.clone();
        hall::open(entrance, offer, move |id, event| {
            put.send(Heard::Node(id, event)).is_ok()
        })
    }

    fn memory(&self) -> u64 {
        room::sample()
    }

    fn memory_of(&self, pid: u32) -> Option<u64> {
        room::resident_of(pid)
    }

    fn time_of(&self, pid: u32) -> Option<Duration> {
        host::clock::time_of_process(pid)
    }
}
