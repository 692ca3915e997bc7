//! SSE instructions under a rounding mode, and the flags that they leave in MXCSR.

use polypath_float::{FloatFormat, Operation, RoundingMode};
use std::arch::asm;

/// All exceptions masked, no flag raised.
fn control(mode: RoundingMode) -> u32 {
    0x1f80 | super::field(mode) << 13
}

/// Runs one instruction under a control word; gives the status that it leaves.
macro_rules! under {
    ($mode:expr, $instruction:literal, $($operands:tt)*) => {{
        let mut state = [control($mode), 0u32];
        // SAFETY: the instruction works on its operands; the control word is restored.
        unsafe {
            asm!(
                "stmxcsr [{state} + 4]",
                "ldmxcsr [{state}]",
                $instruction,
                "stmxcsr [{state}]",
                "ldmxcsr [{state} + 4]",
                state = in(reg) state.as_mut_ptr(),
                $($operands)*
            );
        }
        state[0] & super::ALL
    }};
}

macro_rules! binary {
    ($mode:expr, $instruction:literal, $a:expr, $b:expr) => {{
        let mut a = $a;
        let flags = under!($mode, $instruction, a = inout(xmm_reg) a, b = in(xmm_reg) $b,);
        (a.to_bits().into(), flags)
    }};
}

/// One of the arithmetic instructions on two operands (the square root is of the first).
pub fn operation(
    op: Operation,
    format: FloatFormat,
    mode: RoundingMode,
    [a, b]: [u128; 2],
) -> (u128, u32) {
    if format == FloatFormat::DOUBLE {
        let (a, b) = (f64::from_bits(a as u64), f64::from_bits(b as u64));
        return match op {
            Operation::Add => binary!(mode, "addsd {a}, {b}", a, b),
            Operation::Subtract => binary!(mode, "subsd {a}, {b}", a, b),
            Operation::Multiply => binary!(mode, "mulsd {a}, {b}", a, b),
            Operation::Divide => binary!(mode, "divsd {a}, {b}", a, b),
            Operation::Minimum => binary!(mode, "minsd {a}, {b}", a, b),
            Operation::Maximum => binary!(mode, "maxsd {a}, {b}", a, b),
            _ => binary!(mode, "sqrtsd {a}, {b}", b, a),
        };
    }
    let (a, b) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
    match op {
        Operation::Add => binary!(mode, "addss {a}, {b}", a, b),
        Operation::Subtract => binary!(mode, "subss {a}, {b}", a, b),
        Operation::Multiply => binary!(mode, "mulss {a}, {b}", a, b),
        Operation::Divide => binary!(mode, "divss {a}, {b}", a, b),
        Operation::Minimum => binary!(mode, "minss {a}, {b}", a, b),
        Operation::Maximum => binary!(mode, "maxss {a}, {b}", a, b),
        _ => binary!(mode, "sqrtss {a}, {b}", b, a),
    }
}

/// a * b + c, where the processor has the instruction.
pub fn multiply_add(format: FloatFormat, mode: RoundingMode, args: [u128; 3]) -> (u128, u32) {
    if format == FloatFormat::DOUBLE {
        let [mut a, b, c] = args.map(|x| f64::from_bits(x as u64));
        let flags = under!(
            mode,
            "vfmadd213sd {a}, {b}, {c}",
            a = inout(xmm_reg) a, b = in(xmm_reg) b, c = in(xmm_reg) c,
        );
        return (a.to_bits().into(), flags);
    }
    let [mut a, b, c] = args.map(|x| f32::from_bits(x as u32));
    let flags = under!(
        mode,
        "vfmadd213ss {a}, {b}, {c}",
        a = inout(xmm_reg) a, b = in(xmm_reg) b, c = in(xmm_reg) c,
    );
    (a.to_bits().into(), flags)
}

/// Between `float` and `double`.
pub fn convert(from: FloatFormat, mode: RoundingMode, a: u128) -> (u128, u32) {
    if from == FloatFormat::DOUBLE {
        let mut result = 0f32;
        let a = f64::from_bits(a as u64);
        let flags =
            under!(mode, "cvtsd2ss {r}, {a}", r = inout(xmm_reg) result, a = in(xmm_reg) a,);
        return (result.to_bits().into(), flags);
    }
    let mut result = 0f64;
    let a = f32::from_bits(a as u32);
    let flags = under!(mode, "cvtss2sd {r}, {a}", r = inout(xmm_reg) result, a = in(xmm_reg) a,);
    (result.to_bits().into(), flags)
}

/// To a signed integer of 32 or 64 bits.
pub fn to_integer(from: FloatFormat, mode: RoundingMode, width: u32, a: u128) -> (u128, u32) {
    let mut wide = 0u64;
    let double = f64::from_bits(a as u64);
    let single = f32::from_bits(a as u32);
    let flags = match (from == FloatFormat::DOUBLE, width) {
        (true, 32) => {
            under!(mode, "cvtsd2si {r:e}, {a}", r = inout(reg) wide, a = in(xmm_reg) double,)
        }
        (true, _) => {
            under!(mode, "cvtsd2si {r}, {a}", r = inout(reg) wide, a = in(xmm_reg) double,)
        }
        (_, 32) => {
            under!(mode, "cvtss2si {r:e}, {a}", r = inout(reg) wide, a = in(xmm_reg) single,)
        }
        _ => under!(mode, "cvtss2si {r}, {a}", r = inout(reg) wide, a = in(xmm_reg) single,),
    };
    (wide.into(), flags)
}

/// From a signed integer of 64 bits.
pub fn from_integer(to: FloatFormat, mode: RoundingMode, integer: u64) -> (u128, u32) {
    if to == FloatFormat::DOUBLE {
        let mut result = 0f64;
        let flags =
            under!(mode, "cvtsi2sd {r}, {a}", r = inout(xmm_reg) result, a = in(reg) integer,);
        return (result.to_bits().into(), flags);
    }
    let mut result = 0f32;
    let flags = under!(mode, "cvtsi2ss {r}, {a}", r = inout(xmm_reg) result, a = in(reg) integer,);
    (result.to_bits().into(), flags)
}
