//! The kinds of errors: identifier, title, weakness in the CWE catalogue, meaning.
//!
//! How a kind is confirmed natively is a table of the crate `testcase`.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! error_kinds {
    ($($variant:ident $id:literal $title:literal $cwe:expr, $help:literal;)*) => {
        /// What went wrong on a path. The serialized form is the identifier.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum ErrorKind { $(#[doc = $help] #[serde(rename = $id)] $variant),* }

        impl ErrorKind {
            /// All kinds, in the order of the table.
            pub const ALL: &[ErrorKind] = &[$(ErrorKind::$variant),*];

            /// The identifier in `errors.json`.
            pub const fn id(self) -> &'static str {
                match self { $(ErrorKind::$variant => $id),* }
            }

            /// The title in reports.
            pub const fn title(self) -> &'static str {
                match self { $(ErrorKind::$variant => $title),* }
            }

            /// The weakness in the CWE catalogue.
            pub const fn cwe(self) -> Option<u32> {
                match self { $(ErrorKind::$variant => $cwe),* }
            }
        }
    };
}

#[rustfmt::skip]
error_kinds! {
    Assert "assert" "Assertion failed" Some(617), "An assertion of the program failed.";
    Abort "abort" "Abnormal termination" Some(617), "The program called abort or died of a signal it raised.";
    Unreachable "unreachable" "Unreachable code reached" Some(561), "The program reached code declared unreachable.";
    OutOfBounds "out_of_bounds" "Out-of-bounds access" Some(119), "An access outside of every object.";
    Null "null" "Null pointer dereference" Some(476), "An access at or near the null pointer.";
    UseAfterFree "use_after_free" "Use after free" Some(416), "An access to freed heap memory or to a stack object that is gone.";
    DoubleFree "double_free" "Double free" Some(415), "Memory was freed twice.";
    InvalidFree "invalid_free" "Free of memory that is not on the heap" Some(590), "Something that malloc did not return was freed.";
    MismatchedFree "mismatched_free" "Memory freed by another family of functions" Some(762), "Memory was freed by functions that do not belong to those which allocated it.";
    ReadOnly "readonly" "Write to read-only memory" Some(123), "A write to constant memory.";
    FunctionType "function_type" "Call through a wrong function type" Some(686), "A call of a function through another type than it has.";
    Overlap "overlap" "Copy between overlapping ranges" Some(475), "A memcpy between ranges that overlap.";
    Misuse "misuse" "Misuse of a library function" Some(628), "A call of a library function that C leaves undefined.";
    Uninitialized "uninitialized" "Use of uninitialized memory" Some(457), "A read of bytes that nothing has written.";
    Leak "leak" "Memory leak" Some(401), "Heap memory that is still allocated at exit and that nothing points to.";
    DivZero "div_zero" "Division by zero" Some(369), "A division by zero.";
    Shift "shift" "Shift out of range" Some(1335), "A shift by the width of the type or more.";
    Builtin "builtin" "Builtin without a result for zero" Some(758), "A builtin that counts zeros at one end of a number was given zero.";
    Misaligned "misaligned" "Misaligned access" Some(758), "An access by a vector instruction at an address that it faults at.";
    Overflow "overflow" "Signed integer overflow" Some(190), "A signed operation that overflows.";
    FpOverflow "fp_overflow" "Floating-point overflow" None, "A float operation that overflows.";
    FpUnderflow "fp_underflow" "Floating-point underflow" None, "A float operation that underflows.";
    FpDivZero "fp_div_zero" "Floating-point division by zero" Some(369), "A float division by zero.";
    FpInvalid "fp_invalid" "Invalid floating-point operation" None, "An invalid float operation.";
    FpInexact "fp_inexact" "Inexact floating-point operation" None, "A float operation whose result is rounded.";
    FpNan "fp_nan" "NaN" None, "A NaN that comes of operands that are none.";
    FpCast "fp_cast" "Float out of an integer's range" Some(681), "A conversion of a float to an integer that it does not fit.";
    StackOverflow "stack_overflow" "Stack overflow" Some(674), "Too deep a recursion or too much on the stack.";
    User "user" "Error reported by the program" None, "The program called the error function of its test.";
    Report "report" "Error reported by the program" None, "The program reported an error through klee_report_error.";
    ClassCast "class_cast" "Invalid cast" Some(704), "An object is cast to a class that it is not of (Java).";
    NegativeSize "negative_size" "Negative array size" Some(1284), "An array of negative size is made (Java).";
    ArrayStore "array_store" "Object of a wrong type stored in an array" Some(843), "An object is written to an array of another type (Java).";
    OutOfMemory "out_of_memory" "Out of memory" Some(789), "The heap of the JVM is exhausted (Java).";
    Exception "exception" "Uncaught exception" Some(248), "An exception that the library raised leaves the entry point (Java).";
    UncaughtException "uncaught_exception" "Uncaught C++ exception" Some(248), "An exception that nothing catches, or that leaves a function which promises to let none out (C++).";
    Unsupported "unsupported" "Not supported by Polypath" None, "Polypath cannot execute this construct; not an error of the program.";
}

impl ErrorKind {
    /// Whether it is a floating-point exception. The path goes on after one.
    pub const fn is_float_exception(self) -> bool {
        use ErrorKind::*;
        matches!(
            self,
            FpOverflow | FpUnderflow | FpDivZero | FpInvalid | FpInexact | FpNan | FpCast
        )
    }

    /// Whether it counts as an error found in the program; else we could not follow the program.
    pub const fn is_program_error(self) -> bool {
        !matches!(self, ErrorKind::Unsupported)
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
    fn the_serialized_form_is_the_identifier() {
        for &kind in ErrorKind::ALL {
            let json = serde_json::to_string(&kind).unwrap();
            assert_eq!(json, format!("\"{}\"", kind.id()));
            assert_eq!(serde_json::from_str::<ErrorKind>(&json).unwrap(), kind);
        }
    }
}
