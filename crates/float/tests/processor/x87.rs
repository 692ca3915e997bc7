//! x87 instructions under a rounding mode, and the flags that they leave in the status word.

use polypath_float::{FloatFormat, Operation, RoundingMode};
use std::arch::asm;

/// What the instructions see: operands, result, control and status.
#[repr(C, align(16))]
struct Memory {
    a: u128,
    b: u128,
    result: u128,
    /// All exceptions masked, 64 bits of precision.
    control: u16,
    status: u16,
    saved: u16,
}

/// Runs instructions on a [`Memory`] at `{m}`: operands at 0 and 16, the result at 32.
macro_rules! run {
    ($mode:expr, $a:expr, $b:expr, [$($line:literal),*]) => {{
        let mut memory = Memory {
            a: $a,
            b: $b,
            result: 0,
            control: 0x033f | (super::field($mode) as u16) << 10,
            status: 0,
            saved: 0,
        };
        // SAFETY: the instructions read and write the memory and leave the stack empty; the control word is restored.
        unsafe {
            asm!(
                "fnstcw [{m} + 52]",
                "fldcw [{m} + 48]",
                "fnclex",
                $($line,)*
                "fnstsw word ptr [{m} + 50]",
                "fldcw [{m} + 52]",
                m = in(reg) &raw mut memory,
                out("ax") _,
                out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
            );
        }
        (memory.result, u32::from(memory.status) & super::ALL)
    }};
}

macro_rules! binary {
    ($mode:expr, $a:expr, $b:expr, $instruction:literal) => {
        run!(
            $mode,
            $a,
            $b,
            [
                "fld tbyte ptr [{m}]",
                "fld tbyte ptr [{m} + 16]",
                $instruction,
                "fstp tbyte ptr [{m} + 32]"
            ]
        )
    };
}

macro_rules! unary {
    ($mode:expr, $a:expr, $instruction:literal) => {
        run!(
            $mode,
            $a,
            0,
            [
                "fld tbyte ptr [{m}]",
                $instruction,
                "fstp tbyte ptr [{m} + 32]"
            ]
        )
    };
}

macro_rules! remainder {
    ($mode:expr, $a:expr, $b:expr, $instruction:literal) => {
        run!(
            $mode,
            $a,
            $b,
            [
                "fld tbyte ptr [{m} + 16]",
                "fld tbyte ptr [{m}]",
                "2:",
                $instruction,
                "fnstsw ax",
                "test ah, 4",
                "jne 2b",
                "fstp st(1)",
                "fstp tbyte ptr [{m} + 32]"
            ]
        )
    };
}

/// An operation (unary ones are of the first operand).
pub fn operation(op: Operation, mode: RoundingMode, [a, b]: [u128; 2]) -> (u128, u32) {
    match op {
        Operation::Add => binary!(mode, a, b, "faddp st(1), st"),
        Operation::Subtract => binary!(mode, a, b, "fsubp st(1), st"),
        Operation::Multiply => binary!(mode, a, b, "fmulp st(1), st"),
        Operation::Divide => binary!(mode, a, b, "fdivp st(1), st"),
        Operation::SquareRoot => unary!(mode, a, "fsqrt"),
        Operation::RoundToIntegral => unary!(mode, a, "frndint"),
        Operation::Modulo => remainder!(mode, a, b, "fprem"),
        _ => remainder!(mode, a, b, "fprem1"),
    }
}

/// To `float` or `double`.
pub fn store(to: FloatFormat, mode: RoundingMode, a: u128) -> (u128, u32) {
    if to == FloatFormat::SINGLE {
        return run!(
            mode,
            a,
            0,
            ["fld tbyte ptr [{m}]", "fstp dword ptr [{m} + 32]"]
        );
    }
    run!(
        mode,
        a,
        0,
        ["fld tbyte ptr [{m}]", "fstp qword ptr [{m} + 32]"]
    )
}

/// From `float` or `double`.
pub fn load(from: FloatFormat, a: u128) -> (u128, u32) {
    let mode = RoundingMode::NearestEven;
    if from == FloatFormat::SINGLE {
        return run!(
            mode,
            a,
            0,
            ["fld dword ptr [{m}]", "fstp tbyte ptr [{m} + 32]"]
        );
    }
    run!(
        mode,
        a,
        0,
        ["fld qword ptr [{m}]", "fstp tbyte ptr [{m} + 32]"]
    )
}

/// To a signed integer of 16, 32 or 64 bits.
pub fn to_integer(width: u32, mode: RoundingMode, a: u128) -> (u128, u32) {
    match width {
        16 => run!(
            mode,
            a,
            0,
            ["fld tbyte ptr [{m}]", "fistp word ptr [{m} + 32]"]
        ),
        32 => run!(
            mode,
            a,
            0,
            ["fld tbyte ptr [{m}]", "fistp dword ptr [{m} + 32]"]
        ),
        _ => run!(
            mode,
            a,
            0,
            ["fld tbyte ptr [{m}]", "fistp qword ptr [{m} + 32]"]
        ),
    }
}

/// From a signed integer of 64 bits.
pub fn from_integer(integer: u64) -> u128 {
    let mode = RoundingMode::NearestEven;
    run!(
        mode,
        integer.into(),
        0,
        ["fild qword ptr [{m}]", "fstp tbyte ptr [{m} + 32]"]
    )
    .0
}
