//! One paragraph per kind of error: what happened, where to look, what to do if it is intended.
//!
//! `polypath explain` prints them, and `docs/kinds.md` is written from them.

use crate::kind::ErrorKind;

/// The paragraph of a kind.
pub fn paragraph(kind: ErrorKind) -> &'static str {
    use ErrorKind::*;
    match kind {
        Assert => {
            "An `assert` of the program does not hold. The message has its condition; the test is an input that breaks it. Either \
             the program is wrong, or the assertion demands more than its callers promise."
        }
        Abort => {
            "The program ended itself abnormally: `abort`, a check of libc's fortify functions, C++'s `terminate` or a trap instruction. \
             The stack begins where the program called it."
        }
        Unreachable => {
            "Execution came to a place that the program declares unreachable (`__builtin_unreachable`, the end of a function that \
             returns a value). Compilers delete what leads there, so anything may happen natively."
        }
        OutOfBounds => {
            "A read or write outside of the object that its pointer was derived from. The message names the object, its size and the \
             distance. Natively it may hit a neighbor silently; the address-sanitised build of `polypath \
             replay` detects it at once. With --entry, an array of unknown length may be longer in real \
             calls: --array-len gives its length."
        }
        Null => {
            "An access through a null pointer, or close to one (a member of a null structure). With --entry, a parameter may be null: \
             if its contract forbids that, use --no-null or --precondition."
        }
        UseAfterFree => {
            "An access to memory that was freed, or to a variable whose function has returned or whose scope was left. The message names \
             the object."
        }
        DoubleFree => {
            "Memory is freed that was freed before. Allocators check that rarely; it corrupts the heap."
        }
        InvalidFree => {
            "`free` or `realloc` of a pointer that no allocation gave: into the middle of an object, to the stack or to a global variable."
        }
        MismatchedFree => {
            "Memory is freed by a function that does not belong to the one which allocated it: `delete` of memory from `new[]` or `malloc`, \
             `free` of memory from `new`, or a `delete` for another size or alignment (of a derived object through a base class \
             without a virtual destructor). It works if all of them are the same allocator, and corrupts the heap otherwise."
        }
        ReadOnly => {
            "A write to memory that cannot be written: a string literal, a `const` object, code."
        }
        FunctionType => {
            "A function is called through a pointer of another type, by the program or by a function of libc (`qsort`, `atexit`): number or machine \
             types of parameters or result differ. Natively the callee reads arguments that were not passed, or its caller a result that was not returned."
        }
        Overlap => {
            "`memcpy`, a copy of a string or an assignment of structures between ranges that overlap and are not the same. The result depends on the order \
             in which bytes are copied; `memmove` is meant."
        }
        Misuse => {
            "The program calls a function of libc in a way that C leaves undefined: a format that does not fit its arguments, a stream that was \
             closed or that changes between input and output, a character that is none. The message names the violation. With --check pedantic, also \
             calls that the libraries of x86-64 define or survive."
        }
        Uninitialized => {
            "A value that was never written decides a branch, an address or output. Reported with --check uninit; without it such bytes are zero, \
             while natively they have any old content."
        }
        Leak => {
            "When the program ended, no pointer led to this allocation any more. Reported with --check leak; memory that is still \
             referred to from a global variable is no leak."
        }
        DivZero => {
            "An integer is divided by zero, or its remainder by zero is asked for. The processor stops the program."
        }
        Shift => {
            "A shift by a negative number or by at least the width of the (promoted) operand. C leaves the result undefined; \
             processors shift by the low bits."
        }
        Builtin => {
            "`__builtin_clz` or `__builtin_ctz` (or one of their variants) of zero: there is no bit whose place could be returned. GCC and Clang leave \
             the result undefined; processors leave an old value in a register, or give the width. Without the check it is the width."
        }
        Misaligned => {
            "A vector of 16 bytes or more is read or written at an address that is not a multiple of what its type promises (`_mm_load_si128`, \
             `*p` of a vector type, `__float128`, atomic access to 16 bytes). x86-64's instructions for that fault; those for unaligned \
             vectors (`_mm_loadu_si128`) do not. Accesses to scalars at any address work, and are not looked at."
        }
        Overflow => {
            "A signed addition, subtraction, multiplication or negation whose result does not fit. Reported with --check overflow. \
             Compilers assume that it never happens; unsigned numbers wrap around by definition and are not reported."
        }
        FpOverflow => {
            "The result of a floating-point operation on finite numbers is too large for its type: it becomes infinite. Reported with \
             --check fp-overflow or fp; the path continues."
        }
        FpUnderflow => {
            "The result of a floating-point operation is so small that it loses digits or becomes zero, although it is not zero. \
             Reported with --check fp-underflow or fp; the path continues. A tiny result that is exact is no underflow."
        }
        FpDivZero => {
            "A finite floating-point number that is not zero is divided by zero: the result is infinite. Reported with --check fp-div \
             or fp; the path continues."
        }
        FpInvalid => {
            "A floating-point operation has no meaning (0/0, inf - inf, 0 * inf, the root of a negative number) and gives NaN, although \
             no operand is one. Reported with --check fp-invalid or fp; the path continues."
        }
        FpInexact => {
            "The result of a floating-point operation is rounded. Most operations do that: it is an error only in code that computes \
             with exact numbers. Reported with --check fp-inexact; the path continues."
        }
        FpNan => {
            "An operation or a call of a library's function gives NaN, although no operand is one. Reported with --check fp-nan; the path \
             continues. A NaN that is computed with further is not reported again."
        }
        FpCast => {
            "A float is converted to an integer type that does not have its integral part (NaN has none), which C leaves undefined. \
             Reported with --check fp-cast; the path continues with the result of x86-64, mostly the lowest number."
        }
        StackOverflow => {
            "The stack is full: recursion without end, a huge local array, or an `alloca` that does not fit. It has 8 MiB (--stack), or what the \
             program sets RLIMIT_STACK to, from 128 KiB to 64 MiB. Counted are the program's arrays and structures, what else \
             of its variables has to be in memory, and 48 bytes for each call, which few functions go below natively. A variable that the stack has no room for is reported where it is declared, \
             touched or not: natively the next call or signal touches the stack behind it. The depth, what the stack has and what is wanted stand in the message."
        }
        User => {
            "The program used an intrinsic wrongly or reported an error itself: `klee_report_error`, an assumption that cannot hold, \
             `klee_make_symbolic` of something that is not a whole object. The message tells which."
        }
        Report => "The program reported an error through an intrinsic, with its own message.",
        ClassCast => {
            "An object is cast to a class or interface that it is not of: `ClassCastException` leaves the entry point (`polypath java`)."
        }
        NegativeSize => {
            "The size of a new array is negative: `NegativeArraySizeException` leaves the entry point (`polypath java`). An overflow of \
             the size is a frequent cause."
        }
        ArrayStore => {
            "An object is written to an array whose elements are of another class: `ArrayStoreException` leaves the entry point \
             (`polypath java`)."
        }
        OutOfMemory => {
            "The heap is exhausted: `OutOfMemoryError` leaves the entry point (`polypath java`). An input decides how much is allocated, \
             or a loop allocates without end."
        }
        UncaughtException => {
            "A C++ exception is thrown that no handler takes, or it would leave a function that promises to let none out (`noexcept`, destructors): \
             `std::terminate` ends the program. The message has its type and what `what()` says; the stack is that of the `throw`."
        }
        Exception => {
            "An exception leaves the entry point that the program's own code did not throw and the entry point does not declare \
             (`polypath java`): the library refused an argument. The message begins with its class."
        }
        Unsupported => {
            "Polypath could not follow the path; the message names the construct. It is no error of the program and not counted as one, \
             but a loss of the run."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_sentence() {
        for &kind in ErrorKind::ALL {
            let text = paragraph(kind);
            assert!(text.ends_with('.') && text.len() > 40, "{kind}: {text}");
            assert!(!text.contains("  "), "{kind}: {text}");
        }
    }
}
