//! The processor's x87 unit: quick answers for `long double`, the same as by definition in the machine's reading.

#![allow(unsafe_code, reason = "x87 instructions have no other way in")]

use crate::format::FloatFormat;
use crate::operation::Operation;
use crate::rounding::RoundingMode;
use std::arch::asm;
use std::cmp::Ordering;

/// What the instructions see.
#[repr(C, align(16))]
struct Memory {
    a: u128,
    b: u128,
    result: u128,
    control: u16,
    /// The control word of before.
    saved: u16,
}

/// The control word: all exceptions masked, 64 bits of precision; `None` for the mode that the unit lacks.
fn control(mode: RoundingMode) -> Option<u16> {
    let field = match mode {
        RoundingMode::NearestEven => 0,
        RoundingMode::TowardNegative => 1,
        RoundingMode::TowardPositive => 2,
        RoundingMode::TowardZero => 3,
        RoundingMode::NearestAway => return None,
    };
    Some(0x037f | field << 10)
}

/// Runs instructions on a [`Memory`] at `{m}`: the operands are at 0 and 16, the result at 32.
macro_rules! run {
    ($mode:expr, $a:expr, $b:expr, $($line:literal),*) => {{
        let mut memory = Memory {
            a: $a,
            b: $b,
            result: 0,
            control: control($mode)?,
            saved: 0,
        };
        // SAFETY: the instructions stay within the memory and leave the register stack empty, as it must be on entry,
        // and the control word is restored. Exceptions are masked; nobody reads their flags.
        unsafe {
            asm!(
                "fnstcw [{m} + 50]",
                "fldcw [{m} + 48]",
                $($line,)*
                "fldcw [{m} + 50]",
                m = in(reg) &raw mut memory,
                out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
                options(nostack),
            );
        }
        Some(memory.result)
    }};
}

macro_rules! binary {
    ($mode:expr, $a:expr, $b:expr, $instruction:literal) => {
        run!(
            $mode,
            $a,
            $b,
            "fld tbyte ptr [{m}]",
            "fld tbyte ptr [{m} + 16]",
            $instruction,
            "fstp tbyte ptr [{m} + 32]"
        )
    };
}

/// The result of an operation, if there is an instruction for it.
pub(crate) fn arithmetic(
    operation: Operation,
    mode: RoundingMode,
    [a, b, _]: [u128; 3],
) -> Option<u128> {
    match operation {
        Operation::Add => binary!(mode, a, b, "faddp st(1), st"),
        Operation::Subtract => binary!(mode, a, b, "fsubp st(1), st"),
        Operation::Multiply => binary!(mode, a, b, "fmulp st(1), st"),
        Operation::Divide => binary!(mode, a, b, "fdivp st(1), st"),
        Operation::SquareRoot => {
            run!(
                mode,
                a,
                0,
                "fld tbyte ptr [{m}]",
                "fsqrt",
                "fstp tbyte ptr [{m} + 32]"
            )
        }
        // The instruction makes a NaN quiet; the C library's functions do not.
        Operation::RoundToIntegral if compare(a, a).is_some() => {
            run!(
                mode,
                a,
                0,
                "fld tbyte ptr [{m}]",
                "frndint",
                "fstp tbyte ptr [{m} + 32]"
            )
        }
        Operation::Minimum => Some(choice(a, b, Ordering::Greater)),
        Operation::Maximum => Some(choice(a, b, Ordering::Less)),
        _ => None,
    }
}

/// The first operand, unless it is a NaN or lies on the given side of the second; -0 is below +0.
fn choice(a: u128, b: u128, worse: Ordering) -> u128 {
    let second = match compare(a, b) {
        None => compare(a, a).is_none(),
        // Zeros, if the signs differ.
        Some(Ordering::Equal) => (b >> 79).cmp(&(a >> 79)) == worse,
        Some(order) => order == worse,
    };
    if second { b } else { a }
}

/// The order of two numbers; `None` if one is a NaN.
pub(crate) fn compare(a: u128, b: u128) -> Option<Ordering> {
    let operands = [a, b];
    let (below, equal, unordered): (u8, u8, u8);
    // SAFETY: the instructions read the operands and leave the register stack empty, as it must be on entry.
    unsafe {
        asm!(
            "fld tbyte ptr [{m} + 16]",
            "fld tbyte ptr [{m}]",
            "fucomip st, st(1)",
            "fstp st(0)",
            "setb {below}",
            "sete {equal}",
            "setp {unordered}",
            m = in(reg) operands.as_ptr(),
            below = lateout(reg_byte) below,
            equal = lateout(reg_byte) equal,
            unordered = lateout(reg_byte) unordered,
            out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
            out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
            options(nostack, readonly),
        );
    }
    match (unordered != 0, equal != 0, below != 0) {
        (true, ..) => None,
        (_, true, _) => Some(Ordering::Equal),
        (.., true) => Some(Ordering::Less),
        _ => Some(Ordering::Greater),
    }
}

/// Between `long double` and `float` or `double`.
pub(crate) fn convert(
    from: FloatFormat,
    to: FloatFormat,
    mode: RoundingMode,
    a: u128,
) -> Option<u128> {
    match (from, to) {
        (FloatFormat::X87, FloatFormat::SINGLE) => {
            run!(
                mode,
                a,
                0,
                "fld tbyte ptr [{m}]",
                "fstp dword ptr [{m} + 32]"
            )
        }
        (FloatFormat::X87, FloatFormat::DOUBLE) => {
            run!(
                mode,
                a,
                0,
                "fld tbyte ptr [{m}]",
                "fstp qword ptr [{m} + 32]"
            )
        }
        (FloatFormat::SINGLE, FloatFormat::X87) => {
            run!(
                mode,
                a,
                0,
                "fld dword ptr [{m}]",
                "fstp tbyte ptr [{m} + 32]"
            )
        }
        (FloatFormat::DOUBLE, FloatFormat::X87) => {
            run!(
                mode,
                a,
                0,
                "fld qword ptr [{m}]",
                "fstp tbyte ptr [{m} + 32]"
            )
        }
        _ => None,
    }
}

/// From an integer, if it fits in 64 bits with its sign: exact.
pub(crate) fn from_integer(integer: i128) -> Option<u128> {
    let integer = i64::try_from(integer).ok()?;
    let mode = RoundingMode::NearestEven;
    run!(
        mode,
        integer as u128,
        0,
        "fild qword ptr [{m}]",
        "fstp tbyte ptr [{m} + 32]"
    )
}

/// To an integer, if it is above -2^63 and below 2^63.
pub(crate) fn to_integer(mode: RoundingMode, a: u128) -> Option<i64> {
    let integer = run!(
        mode,
        a,
        0,
        "fld tbyte ptr [{m}]",
        "fistp qword ptr [{m} + 32]"
    )? as i64;
    // What does not fit gives this one.
    (integer != i64::MIN).then_some(integer)
}
