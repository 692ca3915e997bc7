//! The kinds of errors, and what ends a path; the endings themselves are a table in `endings`.

use crate::endings::Ending;
use host::Cause;
use ir::Pc;
use memory::Value;
use memory::{Fault, FaultKind};

macro_rules! error_kinds {
    ($($variant:ident $name:literal $help:literal;)*) => {
        /// What went wrong in the program under test. The names are those of `errors.json`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum ErrorKind { $(#[doc = $help] $variant),* }

        impl ErrorKind {
            /// All kinds, in the order of the table.
            pub const ALL: &[ErrorKind] = &[$(ErrorKind::$variant),*];

            /// The name in `errors.json`.
            pub const fn name(self) -> &'static str {
                match self { $(ErrorKind::$variant => $name),* }
            }
        }
    };
}

error_kinds! {
    Assert "assert" "An assertion of the program failed.";
    Abort "abort" "The program called abort or died of a signal it raised.";
    Unreachable "unreachable" "The program reached code declared unreachable.";
    OutOfBounds "out_of_bounds" "An access outside of every object.";
    Null "null" "An access at or near the null pointer.";
    UseAfterFree "use_after_free" "An access to freed heap memory or to a stack object that is gone.";
    DoubleFree "double_free" "Memory was freed twice.";
    InvalidFree "invalid_free" "Something that malloc did not return was freed.";
    ReadOnly "readonly" "A write to constant memory.";
    FunctionType "function_type" "A call of a function through another type than it has.";
    Overlap "overlap" "A memcpy between ranges that overlap.";
    Uninitialized "uninitialized" "A read of bytes that nothing has written.";
    Leak "leak" "Heap memory that is still allocated at exit and that nothing points to.";
    DivZero "div_zero" "A division by zero.";
    Shift "shift" "A shift by the width of the type or more.";
    Overflow "overflow" "A signed operation that overflows.";
    FpOverflow "fp_overflow" "A float operation that overflows.";
    FpUnderflow "fp_underflow" "A float operation that underflows.";
    FpDivZero "fp_div_zero" "A float division by zero.";
    FpInvalid "fp_invalid" "An invalid float operation.";
    StackOverflow "stack_overflow" "Too deep a recursion or too much on the stack.";
    User "user" "The program called the error function of its test.";
    Report "report" "The program reported an error through klee_report_error.";
    Unsupported "unsupported" "Polypath cannot execute this construct; not an error of the program.";
}

/// An error of the program, at the instruction that `pc` names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramError {
    pub kind: ErrorKind,
    pub message: String,
    pub pc: Pc,
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
    /// The program exited with this status, of which the low eight bits count. What number a symbolic one is, the
    /// test's input says.
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
        Termination::Cut(Ending::stopped(cause))
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
        FaultKind::OutOfBounds | FaultKind::Unmapped => ErrorKind::OutOfBounds,
        FaultKind::UseAfterFree | FaultKind::UseAfterReturn | FaultKind::UseAfterScope => {
            ErrorKind::UseAfterFree
        }
        FaultKind::ReadOnly => ErrorKind::ReadOnly,
        FaultKind::Uninitialized => ErrorKind::Uninitialized,
    }
}
