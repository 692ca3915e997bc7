//! Workers on other machines, see `docs/cluster.md`: `hall` is the run's side of a connection, `agent` a node's. A node has the
//! binary and the connection and nothing else (for a Java program a JDK): program, options and everything that a worker reads come through it.

pub mod agent;
pub(crate) mod classes;
pub(crate) mod hall;
mod program;
pub(crate) mod ray;
pub mod secret;

use super::member::{Carrier, Fate};
use crate::exit::UsageError;
use crate::plan::Plan;
use fleet::net::door::Door;
use fleet::net::handshake::Secret;
use fleet::net::message::ToNode;
use fleet::{Death, ToWorker};
use host::Stop;
use ray::Launcher;
use serde::{Deserialize, Serialize};
use std::sync::mpsc::Sender;

/// The job of a node, which it gets before it starts workers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Job {
    /// What kind of program it is.
    form: Form,
    /// Places of the program, at most.
    sites: u64,
    /// Bytes of memory for the node's workers together if the node has no limit of its own; 0: no limit.
    memory: u64,
}

impl Job {
    pub fn new(form: Form, sites: usize, memory: u64) -> Job {
        Job {
            form,
            sites: sites as u64,
            memory,
        }
    }
}

/// What machines get of a program, and have to have for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// Its IR.
    Ir,
    /// What stands on its class path; it needs a JDK of this version.
    Java {
        /// As the JDK says it.
        version: String,
    },
}

/// A program on its way to other machines.
pub struct Parcel {
    /// What kind of program it is.
    pub form: Form,
    /// The hash of the bytes, as this form has one.
    pub hash: String,
    /// What is sent.
    pub bytes: Vec<u8>,
}

/// Further machines may join: where, and who starts workers there, if it is no user.
pub struct Invitation {
    /// Where they join.
    pub entrance: Entrance,
    /// Who starts workers there.
    pub launcher: Option<Launcher>,
}

impl Invitation {
    /// Takes the address at which further machines may join, if they may, and has a cluster's engine start its workers.
    ///
    /// # Errors
    /// The address cannot be had, there is no secret, or the engine does not start.
    pub fn new(plan: &Plan) -> anyhow::Result<Option<Invitation>> {
        let workers = &plan.workers;
        let Some(address) = &workers.listen else {
            return Ok(None);
        };
        let secret = match workers.ray {
            // Nobody else needs to know it.
            Some(_) => secret::random()?,
            None => secret::read(workers.secret_file.as_deref())?,
        };
        let door = Door::open(address);
        let door = door.map_err(|e| UsageError(format!("--listen {address}: {e}")))?;
        let cluster = workers.ray.as_ref();
        let launcher = cluster.map(|cluster| {
            Launcher::start(&ray::Plan {
                address: cluster.clone(),
                python: workers.python.clone(),
                listen: door.address,
                secret: secret.clone(),
            })
        });
        let secret = Secret::new(secret.as_bytes()).map_err(UsageError)?;
        Ok(Some(Invitation {
            launcher: launcher.transpose()?,
            entrance: Entrance { door, secret },
        }))
    }

    /// Waits until the engine has answered, if there is one.
    ///
    /// # Errors
    /// There is no such cluster.
    pub fn wait(&self, stop: Stop) -> anyhow::Result<()> {
        self.launcher
            .as_ref()
            .map_or(Ok(()), |launcher| launcher.wait(stop))
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
