//! The messages between a run and a node, which has several workers.

use crate::message::{ToCoordinator, ToWorker};
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

/// From the run to a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToNode {
    /// The first message: the job, for the caller; this crate does not look at it.
    Job {
        /// The hash of the program.
        program: String,
        /// Further data for a node.
        job: ByteBuf,
    },
    /// A part of the program, in order, for the node that asked for it. An empty one is the end.
    Program(ByteBuf),
    /// Start a worker of this number, which gets this as its [`ToWorker::Welcome`], after the node has put in what only the
    /// node knows.
    Start {
        /// Its number.
        worker: u32,
        /// For the caller.
        welcome: ByteBuf,
    },
    /// Say this to a worker.
    Say {
        /// Its number.
        worker: u32,
        /// The message.
        message: ToWorker,
    },
    /// End a worker.
    Kill {
        /// Its number.
        worker: u32,
    },
    /// All sites that are covered somewhere and that were not sent to the node yet.
    Covered(Vec<u64>),
    /// So many forks there were elsewhere.
    Forks(u64),
    /// The run lives.
    Alive,
    /// The run has ended.
    Finished,
    /// The run has no use for the node, in words.
    Refused(String),
}

/// From a node to the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FromNode {
    /// The answer to a job: send the program.
    WantsProgram,
    /// It makes what the program needs, which takes longer than a machine may be silent.
    Prepares,
    /// It cannot work for the run, in words: something is missing that the program needs.
    Unfit(String),
    /// It has the program, and can have so many workers.
    Ready {
        /// How many.
        workers: u32,
    },
    /// A message of a worker.
    Said {
        /// Its number.
        worker: u32,
        /// The message.
        message: ToCoordinator,
    },
    /// A worker has ended.
    Ended {
        /// Its number.
        worker: u32,
        /// The lease that it worked for; 0: none.
        lease: u64,
        /// It was by its own fault.
        crashed: bool,
        /// How, in words.
        how: String,
    },
    /// The state of the node, several times a second.
    Seen(Seen),
}

/// The state of a node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// For each worker: its number, the lease that it works for, and its number of live states.
    pub workers: Vec<(u32, u64, u64)>,
    /// Forks on this node.
    pub forks: u64,
    /// Memory of all its processes, in bytes.
    pub memory: u64,
    /// Their processor time since the node began, in milliseconds.
    pub cpu_ms: u64,
}
