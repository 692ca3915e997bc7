//! Why a path ends: the table of terminations and error kinds.

use ir::Pc;
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
    Uninitialized "uninitialized" "A read of bytes that nothing has written.";
    Leak "leak" "Heap memory that is still allocated at exit and that nothing points to.";
    DivZero "div_zero" "A division by zero, or a signed division that overflows.";
    Shift "shift" "A shift by the width of the type or more.";
    Overflow "overflow" "A signed addition, subtraction or multiplication that overflows.";
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

/// Why a path ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Termination {
    /// The program exited with this status.
    Exit(i32),
    /// An error of the program, or `Unsupported`.
    Error(ProgramError),
    /// `klee_silent_exit`, or an assumption that cannot hold: no test is written.
    Silent,
    /// A limit of the run: depth, memory, time, a wait that never ends.
    Limit(&'static str),
    /// The engine contradicts itself; the path is dropped and counted.
    Internal(String),
}

impl Termination {
    /// The path was explored to its end.
    pub fn is_complete(&self) -> bool {
        match self {
            Termination::Exit(_) => true,
            Termination::Error(e) => e.kind != ErrorKind::Unsupported,
            Termination::Silent | Termination::Limit(_) | Termination::Internal(_) => false,
        }
    }
}

/// The error that a memory fault means.
pub fn fault_kind(fault: &Fault) -> ErrorKind {
    match fault.kind {
        FaultKind::Null => ErrorKind::Null,
        FaultKind::OutOfBounds | FaultKind::Unmapped => ErrorKind::OutOfBounds,
        FaultKind::UseAfterFree | FaultKind::UseAfterReturn => ErrorKind::UseAfterFree,
        FaultKind::ReadOnly => ErrorKind::ReadOnly,
        FaultKind::Uninitialized => ErrorKind::Uninitialized,
    }
}
