//! The kinds of errors, as one table: kind → identifier, class, title, how it is confirmed natively.
//!
//! The identifiers are part of the contract of `errors.json`. To add a kind: one variant, one row.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What went wrong on a path. The serialised form is the identifier in [`ErrorKind::row`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// A failed assertion.
    Assert,
    /// Abnormal termination: `abort`, a failed check of libc, a trap instruction.
    Abort,
    /// Code that is declared unreachable was reached.
    Unreachable,
    /// An access outside of the object that the pointer was derived from.
    OutOfBounds,
    /// An access through a null pointer or close to one.
    Null,
    /// An access to memory that was freed, or to a variable after its lifetime.
    UseAfterFree,
    /// Memory was freed twice.
    DoubleFree,
    /// A free of what is no heap object.
    InvalidFree,
    /// A write to read-only memory.
    Readonly,
    /// A call through a type that is not the function's.
    FunctionType,
    /// A copy between ranges that overlap.
    Overlap,
    /// A read of bytes that were never written.
    Uninitialized,
    /// Heap memory that nothing points to at exit.
    Leak,
    /// An integer division by zero.
    DivZero,
    /// A shift by the width of the type or more.
    Shift,
    /// Signed integer overflow.
    Overflow,
    /// A floating-point result too large for its format.
    FpOverflow,
    /// A floating-point result too small for its format.
    FpUnderflow,
    /// A floating-point division by zero.
    FpDivZero,
    /// A floating-point operation without a meaning, such as 0/0.
    FpInvalid,
    /// The stack is full.
    StackOverflow,
    /// An intrinsic was used wrongly, or the program reported an error by `klee_report_error`.
    User,
    /// The program reported an error through an intrinsic, with its own message.
    Report,
    /// A construct that the engine could not follow; no error of the program.
    Unsupported,
}

/// Whose fault it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The program under test is wrong.
    Program,
    /// We could not follow the program; does not count as an error found.
    Engine,
}

/// A way in which a native run shows an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// The plain binary meets one of these signals as a fault, whether it handles it or dies.
    Fault(&'static [i32]),
    /// The plain binary aborts, or says one of these words on stderr and fails.
    Abort(&'static [&'static str]),
    /// The address-sanitised build reports an access of the kind of one of these classes.
    Address(&'static [&'static str]),
    /// The build with checks of undefined behaviour stops (SIGILL or SIGTRAP).
    Traps,
    /// The address-sanitised build reads, at the error's place, what was never written.
    Unset,
    /// Valgrind reports a value that was never written, in the unoptimised build.
    Valgrind,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The kind of this row.
    pub kind: ErrorKind,
    /// The identifier in `errors.json` and on the command line.
    pub id: &'static str,
    /// Whose fault it is.
    pub class: Class,
    /// A title for people.
    pub title: &'static str,
    /// What shows it natively, best first; none where nothing can.
    pub checks: &'static [Check],
    /// The weakness in the CWE catalogue, for SARIF.
    pub cwe: Option<u32>,
}

const fn row(
    kind: ErrorKind,
    id: &'static str,
    title: &'static str,
    cwe: u32,
    checks: &'static [Check],
) -> Row {
    let class = match kind {
        ErrorKind::Unsupported => Class::Engine,
        _ => Class::Program,
    };
    let cwe = if cwe == 0 { None } else { Some(cwe) };
    Row {
        kind,
        id,
        class,
        title,
        checks,
        cwe,
    }
}

const SEGV: Check = Check::Fault(&[libc::SIGSEGV, libc::SIGBUS]);
const TRAP: Check = Check::Fault(&[libc::SIGILL, libc::SIGTRAP]);
const FPE: Check = Check::Fault(&[libc::SIGFPE]);
/// Accesses that the address-sanitised build refuses. Which of them it sees depends on the layout of memory, so any
/// confirms any.
const ACCESS: Check = Check::Address(&[
    "heap-buffer-overflow",
    "stack-buffer-overflow",
    "global-buffer-overflow",
    "out-of-object",
    "heap-use-after-free",
    "stack-use-after-return",
    "stack-use-after-scope",
    "wild-access",
    "null-access",
]);

#[rustfmt::skip]
const TABLE: &[Row] = {
    use Check::*;
    use ErrorKind::*;
    &[
        row(Assert, "assert", "Assertion failed", 617, &[Check::Abort(&["Assertion", "assertion", "__VERIFIER_assert", "reach_error"])]),
        row(ErrorKind::Abort, "abort", "Abnormal termination", 617, &[Check::Abort(&[]), TRAP]),
        row(Unreachable, "unreachable", "Unreachable code reached", 561, &[Traps, TRAP]),
        row(OutOfBounds, "out_of_bounds", "Out-of-bounds access", 119, &[ACCESS, SEGV]),
        row(Null, "null", "Null pointer dereference", 476, &[SEGV, ACCESS]),
        row(UseAfterFree, "use_after_free", "Use after free", 416, &[ACCESS, SEGV]),
        row(DoubleFree, "double_free", "Double free", 415, &[Address(&["double-free"])]),
        row(InvalidFree, "invalid_free", "Free of memory that is not on the heap", 590, &[Address(&["invalid-free", "double-free"])]),
        row(Readonly, "readonly", "Write to read-only memory", 123, &[SEGV, ACCESS]),
        row(FunctionType, "function_type", "Call through a wrong function type", 686, &[]),
        row(Overlap, "overlap", "Copy between overlapping ranges", 475, &[]),
        row(Uninitialized, "uninitialized", "Use of uninitialised memory", 457, &[Unset, Valgrind]),
        row(Leak, "leak", "Memory leak", 401, &[Address(&["leak"])]),
        row(DivZero, "div_zero", "Division by zero", 369, &[FPE, Traps]),
        row(Shift, "shift", "Shift out of range", 1335, &[Traps]),
        row(Overflow, "overflow", "Signed integer overflow", 190, &[Traps, FPE]),
        row(FpOverflow, "fp_overflow", "Floating-point overflow", 0, &[]),
        row(FpUnderflow, "fp_underflow", "Floating-point underflow", 0, &[]),
        row(FpDivZero, "fp_div_zero", "Floating-point division by zero", 369, &[]),
        row(FpInvalid, "fp_invalid", "Invalid floating-point operation", 0, &[]),
        row(StackOverflow, "stack_overflow", "Stack overflow", 674, &[SEGV]),
        row(User, "user", "Error reported by the program", 0, &[Check::Abort(&[".err]"])]),
        row(Report, "report", "Error reported by the program", 0, &[Check::Abort(&[".err]"])]),
        row(Unsupported, "unsupported", "Not supported by Polypath", 0, &[]),
    ]
};

impl ErrorKind {
    /// All kinds, in the order of the table.
    pub fn all() -> impl Iterator<Item = ErrorKind> {
        TABLE.iter().map(|r| r.kind)
    }

    /// What the table says about this kind.
    pub fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    /// The identifier used in files.
    pub fn id(self) -> &'static str {
        self.row().id
    }

    /// Whether it counts as an error found in the program.
    pub fn is_program_error(self) -> bool {
        self.row().class == Class::Program
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_rows_stand_at_their_kind_and_match_the_serialised_name() {
        for (i, r) in TABLE.iter().enumerate() {
            assert_eq!(r.kind as usize, i);
            let json = serde_json::to_string(&r.kind).unwrap();
            assert_eq!(json, format!("\"{}\"", r.id));
        }
        assert_eq!(ErrorKind::Unsupported as usize + 1, TABLE.len());
    }
}
