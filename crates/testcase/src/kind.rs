//! The native checks that confirm each kind of error.

pub use vocab::ErrorKind;

/// A way in which a native run shows an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayCheck {
    /// The plain binary meets one of these signals as a fault, whether it handles it or dies.
    Fault(&'static [i32]),
    /// The plain binary aborts, or prints one of these words on stderr and fails.
    Abort(&'static [&'static str]),
    /// An instruction at the error's line raises one of these floating-point exceptions (bits of the processor's status
    /// words): of the plain binary, or of the unoptimized build.
    Exception(u16, Optimized),
    /// The address-sanitised build reports an access of the kind of one of these classes.
    Address(&'static [&'static str]),
    /// The build with checks of undefined behavior stops (SIGILL or SIGTRAP).
    Traps,
    /// The address-sanitised build reads, at the error's place, bytes that were never written.
    Unset,
    /// Valgrind reports a value that was never written, in the unoptimized build.
    Valgrind,
}

/// Which build of the program raises an exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Optimized {
    /// The plain binary, as the user's compiler made it.
    AsBuilt,
    /// The unoptimized build of what the machine ran.
    No,
}

/// The exceptions as bits of MXCSR and of x87's status word.
const INVALID: u16 = 1 << 0;
const DIVIDE_BY_ZERO: u16 = 1 << 2;
const OVERFLOW: u16 = 1 << 3;
const UNDERFLOW: u16 = 1 << 4;
const INEXACT: u16 = 1 << 5;

const SEGV: ReplayCheck = ReplayCheck::Fault(&[libc::SIGSEGV, libc::SIGBUS]);
const TRAP: ReplayCheck = ReplayCheck::Fault(&[libc::SIGILL, libc::SIGTRAP]);
const FPE: ReplayCheck = ReplayCheck::Fault(&[libc::SIGFPE]);
/// Accesses that the address-sanitised build refuses. Which of them it sees depends on the layout of memory, so any
/// confirms any.
const ACCESS: ReplayCheck = ReplayCheck::Address(&[
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

/// The checks that show an error of this kind natively, best first; empty if there is none.
#[rustfmt::skip]
pub fn checks(kind: ErrorKind) -> &'static [ReplayCheck] {
    use ReplayCheck::{Address, Exception, Traps, Unset, Valgrind};
    use Optimized::{AsBuilt, No};
    match kind {
        ErrorKind::Assert => &[ReplayCheck::Abort(&["Assertion", "assertion", "__VERIFIER_assert", "reach_error"])],
        ErrorKind::Abort => &[ReplayCheck::Abort(&[]), TRAP],
        ErrorKind::UncaughtException => &[ReplayCheck::Abort(&["terminating"])],
        ErrorKind::Unreachable => &[Traps, TRAP],
        ErrorKind::OutOfBounds => &[ACCESS, SEGV],
        ErrorKind::Null => &[SEGV, ACCESS],
        ErrorKind::UseAfterFree => &[ACCESS, SEGV],
        ErrorKind::DoubleFree => &[Address(&["double-free"])],
        ErrorKind::InvalidFree => &[Address(&["invalid-free", "double-free"])],
        ErrorKind::MismatchedFree => &[Address(&["alloc-dealloc-mismatch", "new-delete-type-mismatch"])],
        ErrorKind::ReadOnly => &[SEGV, ACCESS],
        ErrorKind::FunctionType => &[],
        ErrorKind::Overlap => &[],
        ErrorKind::Misuse => &[],
        ErrorKind::Uninitialized => &[Unset, Valgrind],
        ErrorKind::Leak => &[Address(&["leak"])],
        ErrorKind::DivZero => &[FPE, Traps],
        ErrorKind::Shift => &[Traps],
        ErrorKind::Builtin => &[Traps],
        ErrorKind::Misaligned => &[SEGV],
        ErrorKind::Overflow => &[Traps, FPE],
        ErrorKind::FpOverflow => &[Exception(OVERFLOW, AsBuilt), Exception(OVERFLOW, No)],
        ErrorKind::FpUnderflow => &[Exception(UNDERFLOW, AsBuilt), Exception(UNDERFLOW, No)],
        ErrorKind::FpDivZero => &[Exception(DIVIDE_BY_ZERO, AsBuilt), Exception(DIVIDE_BY_ZERO, No)],
        ErrorKind::FpInvalid => &[Exception(INVALID, AsBuilt), Exception(INVALID, No)],
        ErrorKind::FpInexact => &[Exception(INEXACT, AsBuilt), Exception(INEXACT, No)],
        ErrorKind::FpNan => &[Exception(INVALID, AsBuilt), Exception(INVALID, No)],
        ErrorKind::FpCast => &[Exception(INVALID, AsBuilt), Exception(INVALID, No)],
        ErrorKind::StackOverflow => &[SEGV],
        ErrorKind::User => &[ReplayCheck::Abort(&[".err]"])],
        ErrorKind::Report => &[ReplayCheck::Abort(&[".err]"])],
        // Those of Java, which a JVM confirms.
        ErrorKind::ClassCast
        | ErrorKind::NegativeSize
        | ErrorKind::ArrayStore
        | ErrorKind::OutOfMemory
        | ErrorKind::Exception => &[],
        ErrorKind::Unsupported => &[],
    }
}
