//! The kinds of errors, as one table: kind → identifier, class, title, how it is confirmed natively.
//!
//! The identifiers are part of the contract of `errors.json`. To add a kind: one variant, one row.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What went wrong on a path. The serialised form is the identifier in [`ErrorKind::row`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    Assert,
    Abort,
    Unreachable,
    OutOfBounds,
    Null,
    UseAfterFree,
    DoubleFree,
    InvalidFree,
    Readonly,
    Uninitialized,
    Leak,
    DivZero,
    Shift,
    Overflow,
    FpOverflow,
    FpUnderflow,
    FpDivZero,
    FpInvalid,
    StackOverflow,
    User,
    Report,
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

/// How a native run confirms an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confirm {
    /// The plain binary dies of one of these signals.
    Signal(&'static [i32]),
    /// The plain binary aborts, or says one of these words on stderr and fails.
    AbortOrText(&'static [&'static str]),
    /// The address-sanitised build reports one of these classes.
    AddressSanitizer(&'static [&'static str]),
    /// The build with undefined-behaviour traps stops (SIGILL or SIGTRAP).
    UndefinedTrap,
    /// Cannot be seen natively, with the reason.
    Never(&'static str),
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub kind: ErrorKind,
    pub id: &'static str,
    pub class: Class,
    pub title: &'static str,
    pub confirm: Confirm,
    /// The weakness in the CWE catalogue, for SARIF.
    pub cwe: Option<u32>,
}

const fn row(
    kind: ErrorKind,
    id: &'static str,
    title: &'static str,
    cwe: u32,
    confirm: Confirm,
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
        confirm,
        cwe,
    }
}

const SEGV: &[i32] = &[libc::SIGSEGV, libc::SIGBUS];

#[rustfmt::skip]
const TABLE: &[Row] = {
    use Confirm::*;
    use ErrorKind::*;
    &[
        row(Assert, "assert", "Assertion failed", 617, AbortOrText(&["Assertion", "assertion"])),
        row(Abort, "abort", "Abnormal termination", 617, AbortOrText(&[])),
        row(Unreachable, "unreachable", "Unreachable code reached", 561, UndefinedTrap),
        row(OutOfBounds, "out_of_bounds", "Out-of-bounds access", 119, AddressSanitizer(&["heap-buffer-overflow", "stack-buffer-overflow", "global-buffer-overflow", "wild-access"])),
        row(Null, "null", "Null pointer dereference", 476, Signal(SEGV)),
        row(UseAfterFree, "use_after_free", "Use after free", 416, AddressSanitizer(&["heap-use-after-free", "stack-use-after-return", "stack-use-after-scope"])),
        row(DoubleFree, "double_free", "Double free", 415, AddressSanitizer(&["double-free"])),
        row(InvalidFree, "invalid_free", "Free of memory that is not on the heap", 590, AddressSanitizer(&["invalid-free"])),
        row(Readonly, "readonly", "Write to read-only memory", 123, Signal(SEGV)),
        row(Uninitialized, "uninitialized", "Use of uninitialised memory", 457, Never("no native check sees uninitialised reads")),
        row(Leak, "leak", "Memory leak", 401, AddressSanitizer(&["leak"])),
        row(DivZero, "div_zero", "Division by zero", 369, Signal(&[libc::SIGFPE])),
        row(Shift, "shift", "Shift out of range", 1335, UndefinedTrap),
        row(Overflow, "overflow", "Signed integer overflow", 190, UndefinedTrap),
        row(FpOverflow, "fp_overflow", "Floating-point overflow", 0, Never("floating-point exceptions do not stop a native run")),
        row(FpUnderflow, "fp_underflow", "Floating-point underflow", 0, Never("floating-point exceptions do not stop a native run")),
        row(FpDivZero, "fp_div_zero", "Floating-point division by zero", 369, Never("floating-point exceptions do not stop a native run")),
        row(FpInvalid, "fp_invalid", "Invalid floating-point operation", 0, Never("floating-point exceptions do not stop a native run")),
        row(StackOverflow, "stack_overflow", "Stack overflow", 674, Signal(SEGV)),
        row(User, "user", "Error reported by the program", 0, Never("the program reports it through an intrinsic")),
        row(Report, "report", "Error reported by the program", 0, Never("the program reports it through an intrinsic")),
        row(Unsupported, "unsupported", "Not supported by Polypath", 0, Never("a limit of Polypath, not an error of the program")),
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
