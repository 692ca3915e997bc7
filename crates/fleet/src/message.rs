//! The messages between the coordinator and a worker.

use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

/// A prefix: the way to a part of the program that is to be explored. This crate does not look at it.
pub type Prefix = ByteBuf;

/// Names a prefix on the list of one worker. The coordinator's numbers ([`Key::leased`]) and the worker's own
/// ([`Key::own`]) never meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Key(pub u64);

impl Key {
    const LEASED: u64 = 1 << 63;

    /// The prefix that the coordinator sent as number `n`.
    pub fn leased(n: u64) -> Key {
        Key(n | Key::LEASED)
    }

    /// The prefix that a worker made as number `n`.
    pub fn own(n: u64) -> Key {
        Key(n & !Key::LEASED)
    }

    /// Did the coordinator name it?
    pub fn is_leased(self) -> bool {
        self.0 & Key::LEASED != 0
    }
}

/// A prefix that a worker has from now on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct New {
    /// Its name.
    pub key: Key,
    /// The one that the worker had before, of which this is a part: the same path farther along, or one that was forked off.
    pub from: Key,
    /// The prefix.
    pub prefix: Prefix,
}

/// The changes of a worker's prefixes since its last report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// It no longer has these.
    pub gone: Vec<Key>,
    /// It has these now.
    pub new: Vec<New>,
    /// These are for others to explore.
    pub given: Vec<Prefix>,
}

/// The budget of a task, see [`Rounds`](crate::Rounds).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// Work, in steps of a nanosecond or two, after which the rest of the frontier goes to the next round.
    pub work: u64,
    /// Forks after which it does.
    pub forks: u64,
    /// Forks that there may be at most.
    pub most_forks: u64,
    /// Whether sides that were too hard before are tried again.
    pub retries: bool,
}

/// The work that a task has used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// See [`Budget::work`].
    pub work: u64,
    /// Forks.
    pub forks: u64,
    /// A limit of the run ended it: its rest is for a later run.
    pub was_halted: bool,
}

/// A part of an exploration whose result does not depend on the worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Its number in the whole run.
    pub number: u64,
    /// Its budget.
    pub budget: Budget,
    /// The coverage at the beginning of its round, for the caller; this crate does not look at it.
    pub known: ByteBuf,
    /// The prefixes to explore, in this order.
    pub prefixes: Vec<(Key, Prefix)>,
}

/// The changes of a worker since its last commit. They are taken as a whole or not at all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// The frontier.
    pub change: Change,
    /// Its findings, as opaque bytes; this crate does not look at it. What was sent ahead as
    /// [`ToCoordinator::Found`] belongs to it.
    pub found: ByteBuf,
    /// It has nothing to do.
    pub is_idle: bool,
    /// It answers an order to give.
    pub answers: bool,
    /// It is the last message.
    pub is_last: bool,
    /// The work of its task, if it had one.
    pub spent: Spent,
}

/// From a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToCoordinator {
    /// The first message: whether the two fit together.
    Hello {
        /// The version of Polypath.
        version: String,
        /// The hash of the program.
        program: String,
    },
    /// A part of what the next commit found.
    Found(ByteBuf),
    /// Prefixes that it has, as a part of the next commit.
    New(Vec<New>),
    /// See [`Commit`].
    Commit(Commit),
    /// It cannot work, in words.
    Failed(String),
}

/// To a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToWorker {
    /// The first message: the worker's instructions, for the caller; this crate does not look at it.
    Welcome(ByteBuf),
    /// Prefixes to explore.
    Work(Vec<(Key, Prefix)>),
    /// Give away so many states at most. It is answered by a commit.
    Give(u32),
    /// The one task to explore; the worker ends with the commit that has its result.
    Task(Task),
    /// It may take so many bytes of memory from now on.
    Memory(u64),
    /// Places that others have covered; this crate does not look at it.
    Covered(ByteBuf),
    /// The run has to end, for the reason of this number.
    Stop(u8),
    /// Everything is explored.
    Finish,
}
