//! The ways in which a path ends.

use crate::endings::{Ending, stopped};
use host::Cause;
use ir::Pc;
use memory::Value;
use memory::{Fault, FaultKind};
pub use vocab::ErrorKind;

/// An error of the program, at the instruction that `pc` names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramError {
    /// The kind of the error.
    pub kind: ErrorKind,
    /// The error in words.
    pub message: String,
    /// The instruction that failed.
    pub pc: Pc,
    /// The object that was accessed wrongly, if one is known.
    pub object: Option<WrongAccess>,
}

/// A wrong access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongAccess {
    /// The first address of the object.
    pub start: u64,
    /// Bytes of the object before the first one that is accessed.
    pub before: u64,
    /// It is accessed from its first byte on.
    pub is_first: bool,
    /// The access begins right behind it.
    pub is_at_end: bool,
    /// Is it written?
    pub write: bool,
}

impl WrongAccess {
    /// That of a fault.
    pub fn of(f: &Fault) -> Option<WrongAccess> {
        let object = f.object?;
        let start = object.start;
        Some(WrongAccess {
            start,
            before: f.address.saturating_sub(start),
            is_first: f.address == start,
            is_at_end: f.address == object.end(),
            write: f.write,
        })
    }
}

impl ProgramError {
    /// The row of the table of endings.
    pub fn ending(&self) -> Ending {
        match self.kind {
            ErrorKind::Unsupported => Ending::Unsupported,
            _ => Ending::Error,
        }
    }
}

/// Why a path ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Termination {
    /// The program exited with this status, of which the low eight bits count. The test's input gives the number if it
    /// is symbolic.
    Exit(Value),
    /// An error of the program, or `Unsupported`.
    Error(ProgramError),
    /// It was cut, or ends without more to say.
    Cut(Ending),
    /// The engine contradicts itself, in words.
    Internal(String),
}

impl Termination {
    /// The end of a path that was alive when the run had to end.
    pub fn stopped(cause: Cause) -> Termination {
        Termination::Cut(stopped(cause))
    }

    /// The row of the table of endings.
    pub fn ending(&self) -> Ending {
        match self {
            Termination::Exit(_) => Ending::Exit,
            Termination::Error(e) => e.ending(),
            Termination::Cut(ending) => *ending,
            Termination::Internal(_) => Ending::Internal,
        }
    }
}

/// The error that a memory fault means.
pub fn fault_kind(fault: &Fault) -> ErrorKind {
    match fault.kind {
        FaultKind::Null => ErrorKind::Null,
        FaultKind::OutOfBounds | FaultKind::Unmapped | FaultKind::NoAccess => {
            ErrorKind::OutOfBounds
        }
        FaultKind::UseAfterFree | FaultKind::UseAfterReturn | FaultKind::UseAfterScope => {
            ErrorKind::UseAfterFree
        }
        FaultKind::ReadOnly => ErrorKind::ReadOnly,
        FaultKind::Uninitialized => ErrorKind::Uninitialized,
    }
}
