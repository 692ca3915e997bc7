//! Workers on other machines, see `docs/cluster.md`: `hall` is the run's side of a connection, `agent` a node's. A node has the
//! binary and the connection and nothing else: program, options and everything that a worker reads come through it.

pub mod agent;
pub(crate) mod hall;
mod program;
pub(crate) mod ray;
pub mod secret;

use super::member::{Carrier, Fate};
use fleet::net::door::Door;
use fleet::net::handshake::Secret;
use fleet::net::message::ToNode;
use fleet::{Death, ToWorker};
use serde::{Deserialize, Serialize};
use std::sync::mpsc::Sender;

/// The job of a node, which it gets before it starts workers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Job {
    /// Coverage sites of the program.
    sites: u64,
    /// Bytes of memory for the node's workers together if the node has no limit of its own; 0: no limit.
    memory: u64,
}

impl Job {
    pub fn new(sites: usize, memory: u64) -> Job {
        Job {
            sites: sites as u64,
            memory,
        }
    }
}

/// The address where further machines may join a run, and the data that they need.
pub struct Entrance {
    /// The listening port.
    pub door: Door,
    /// The secret that they share with the run.
    pub secret: Secret,
}

/// The connection to a node.
#[derive(Clone)]
pub(crate) struct Wire(Sender<ToNode>);

impl Wire {
    pub fn new(put: Sender<ToNode>) -> Wire {
        Wire(put)
    }

    /// Sends it a message. A node that is gone gets none; the thread that reads from it reports its end.
    pub fn say(&self, message: ToNode) {
        let _ = self.0.send(message);
    }
}

/// A worker on a node.
pub(crate) struct Remote {
    /// Its number.
    pub worker: u32,
    pub wire: Wire,
}

impl Carrier for Remote {
    fn say(&mut self, message: ToWorker) {
        let worker = self.worker;
        self.wire.say(ToNode::Say { worker, message });
    }

    fn kill(&mut self) {
        let worker = self.worker;
        self.wire.say(ToNode::Kill { worker });
    }

    fn pid(&self) -> Option<u32> {
        None
    }

    /// A node reports the end of a worker; if it has not, the node is gone, or there is no time to wait for it.
    fn bury(&mut self, _: bool) -> Fate {
        Fate {
            death: Death::Killed,
            words: "its machine was lost".into(),
        }
    }
}
