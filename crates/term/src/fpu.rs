//! What each floating-point operator computes, on bit patterns.
//!
//! Single and Double to nearest even run on the host's IEEE arithmetic; the other formats and
//! rounding modes on `rustc_apfloat`, which has no square root: ours takes the root digit by
//! digit over the integers and rounds once. Functions of the mathematical library run through the
//! host's `f32` and `f64` methods: Half and BFloat through `f64`, and so do X87 and Quad, whose results
//! are therefore good to 53 bits only.

use crate::node::Op;
use crate::semantics::{mask, signed};
use crate::sort::{FloatFormat, FloatPredicate, MathFunction, RoundingMode, Sort};
use rustc_apfloat::ieee::{BFloat, Double, Half, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round, Status};
use std::cmp::Ordering;

/// Applies the float operator `op`: `from` is the sort of the first operand, `to` of the result,
/// `imm` the node's rounding mode, predicate or function.
pub(crate) fn apply(op: Op, from: Sort, to: Sort, imm: u8, args: [u128; 3]) -> u128 {
    match (from, to) {
        (_, _) if matches!(op, Op::FpFromBits | Op::FpToBits) => args[0],
        (Sort::BitVec(width), Sort::Float(format)) => {
            from_integer(format, op == Op::SintToFp, width, rounding(imm), args[0])
        }
        (Sort::Float(format), Sort::BitVec(width)) => match op {
            Op::FCmp => {
                let order = compare(format, args[0], args[1]);
                FloatPredicate::ALL[imm as usize].holds(order) as u128
            }
            _ => to_integer(format, op == Op::FpToSint, width, rounding(imm), args[0]),
        },
        (Sort::Float(format), Sort::Float(target)) => match op {
            Op::FNeg => args[0] ^ sign_bit(format),
            Op::FAbs => args[0] & !sign_bit(format),
            Op::FMin | Op::FMax => min_max(format, op == Op::FMin, args[0], args[1]),
            Op::FpToFp => convert(format, target, rounding(imm), args[0]),
            Op::FCall => call(format, MathFunction::ALL[imm as usize], args),
            _ => arithmetic(format, op, rounding(imm), args),
        },
        _ => unreachable!("{op:?} from {from:?} to {to:?}"),
    }
}

fn rounding(imm: u8) -> RoundingMode {
    RoundingMode::ALL[imm as usize]
}

fn sign_bit(format: FloatFormat) -> u128 {
    1 << (format.bits() - 1)
}

fn round(rm: RoundingMode) -> Round {
    match rm {
        RoundingMode::NearestEven => Round::NearestTiesToEven,
        RoundingMode::NearestAway => Round::NearestTiesToAway,
        RoundingMode::TowardPositive => Round::TowardPositive,
        RoundingMode::TowardNegative => Round::TowardNegative,
        RoundingMode::TowardZero => Round::TowardZero,
    }
}

/// Runs `$body` with the type alias `$f` set to the software type of `$format`.
macro_rules! software {
    ($format:expr, $f:ident => $body:expr) => {
        match $format {
            FloatFormat::Half => {
                type $f = Half;
                $body
            }
            FloatFormat::BFloat => {
                type $f = BFloat;
                $body
            }
            FloatFormat::Single => {
                type $f = Single;
                $body
            }
            FloatFormat::Double => {
                type $f = Double;
                $body
            }
            FloatFormat::X87 => {
                type $f = X87DoubleExtended;
                $body
            }
            FloatFormat::Quad => {
                type $f = Quad;
                $body
            }
        }
    };
}

fn arithmetic(format: FloatFormat, op: Op, rm: RoundingMode, args: [u128; 3]) -> u128 {
    if rm == RoundingMode::NearestEven {
        match format {
            FloatFormat::Double => {
                let [a, b, c] = args.map(|bits| f64::from_bits(bits as u64));
                if let Some(result) = host_double(op, a, b, c) {
                    return result.to_bits() as u128;
                }
            }
            FloatFormat::Single => {
                let [a, b, c] = args.map(|bits| f32::from_bits(bits as u32));
                if let Some(result) = host_single(op, a, b, c) {
                    return result.to_bits() as u128;
                }
            }
            _ => {}
        }
    }
    software!(format, F => soft_arithmetic::<F>(op, round(rm), args.map(F::from_bits), format.precision()))
}

/// Double arithmetic to nearest even on the host.
#[inline]
pub(crate) fn host_double(op: Op, a: f64, b: f64, c: f64) -> Option<f64> {
    Some(match op {
        Op::FAdd => a + b,
        Op::FSub => a - b,
        Op::FMul => a * b,
        Op::FDiv => a / b,
        Op::FRem => a % b,
        Op::Fma => a.mul_add(b, c),
        Op::FSqrt => a.sqrt(),
        Op::FRound => a.round_ties_even(),
        _ => return None,
    })
}

/// Single arithmetic to nearest even on the host.
#[inline]
pub(crate) fn host_single(op: Op, a: f32, b: f32, c: f32) -> Option<f32> {
    Some(match op {
        Op::FAdd => a + b,
        Op::FSub => a - b,
        Op::FMul => a * b,
        Op::FDiv => a / b,
        Op::FRem => a % b,
        Op::Fma => a.mul_add(b, c),
        Op::FSqrt => a.sqrt(),
        Op::FRound => a.round_ties_even(),
        _ => return None,
    })
}

fn soft_arithmetic<F: Float>(op: Op, round: Round, [a, b, c]: [F; 3], precision: u32) -> u128 {
    let result = match op {
        Op::FAdd => a.add_r(b, round).value,
        Op::FSub => a.sub_r(b, round).value,
        Op::FMul => a.mul_r(b, round).value,
        Op::FDiv => a.div_r(b, round).value,
        Op::FRem => a.c_fmod(b).value,
        Op::FRemainder => a.ieee_rem(b).value,
        Op::Fma => a.mul_add_r(b, c, round).value,
        Op::FSqrt => square_root(a, round, precision),
        Op::FRound => a.round_to_integral(round).value,
        _ => unreachable!("{op:?} is not float arithmetic"),
    };
    result.to_bits()
}

/// Correctly rounded square root. For x = m 2^e with e even, the root of m is taken to
/// `precision` + 2 bits, two radicand bits a step, and a sticky bit tells whether it was exact.
fn square_root<F: Float>(x: F, round: Round, precision: u32) -> F {
    if x.is_nan() || x.is_zero() || x.is_pos_infinity() {
        // Adding makes a signalling NaN quiet and keeps the others.
        return if x.is_nan() {
            x.add_r(x, round).value
        } else {
            x
        };
    }
    if x.is_negative() {
        return F::NAN;
    }
    let exponent = x.ilogb();
    let integer = x.scalbn(precision as i32 - 1 - exponent).to_u128(128).value;
    // x = integer * 2^scale; make the scale even by doubling the integer.
    let mut scale = exponent - (precision as i32 - 1);
    let mut radicand = integer;
    if scale & 1 != 0 {
        radicand <<= 1;
        scale -= 1;
    }
    // Radicand bits from an even position above its top, then zeros.
    let top = (128 - radicand.leading_zeros()).div_ceil(2) * 2;
    let steps = precision + 2;
    let (mut root, mut rest) = (0u128, 0u128);
    for step in 0..steps {
        let position = top as i32 - 2 * (step as i32 + 1);
        let pair = if position >= 0 {
            radicand >> position & 3
        } else {
            0
        };
        rest = rest << 2 | pair;
        let trial = root << 2 | 1;
        root <<= 1;
        if rest >= trial {
            rest -= trial;
            root |= 1;
        }
    }
    let consumed = (2 * steps as i32 - top as i32).max(0);
    let unread = if 2 * steps < top {
        radicand & ((1 << (top - 2 * steps)) - 1)
    } else {
        0
    };
    let left_over = (2 * steps as i32 - top as i32).min(0);
    let sticky = (rest != 0 || unread != 0) as u128;
    // root^2 is about radicand * 2^consumed, or radicand >> -left_over.
    let half_scale = (scale - consumed - left_over) / 2;
    let rounded = F::from_u128_r(root << 1 | sticky, round).value;
    rounded.scalbn(half_scale - 1)
}

fn compare(format: FloatFormat, a: u128, b: u128) -> Option<Ordering> {
    match format {
        FloatFormat::Double => f64::from_bits(a as u64).partial_cmp(&f64::from_bits(b as u64)),
        FloatFormat::Single => f32::from_bits(a as u32).partial_cmp(&f32::from_bits(b as u32)),
        _ => software!(format, F => F::from_bits(a).partial_cmp(&F::from_bits(b))),
    }
}

fn min_max(format: FloatFormat, min: bool, a: u128, b: u128) -> u128 {
    match compare(format, a, b) {
        None if compare(format, a, a).is_none() => b,
        None => a,
        Some(Ordering::Equal) if min => a | b, // differ in the sign of zero only
        Some(Ordering::Equal) => a & b,
        Some(order) => {
            if (order == Ordering::Less) == min {
                a
            } else {
                b
            }
        }
    }
}

/// Is the pattern a NaN?
#[cfg(test)]
pub(crate) fn is_nan(format: FloatFormat, bits: u128) -> bool {
    compare(format, bits, bits).is_none()
}

fn convert(from: FloatFormat, to: FloatFormat, rm: RoundingMode, bits: u128) -> u128 {
    match (from, to) {
        (FloatFormat::Single, FloatFormat::Double) => {
            return (f32::from_bits(bits as u32) as f64).to_bits() as u128;
        }
        (FloatFormat::Double, FloatFormat::Single) if rm == RoundingMode::NearestEven => {
            return (f64::from_bits(bits as u64) as f32).to_bits() as u128;
        }
        _ => {}
    }
    fn step<F: Float + FloatConvert<G>, G: Float>(bits: u128, round: Round) -> u128 {
        let mut loses_info = false;
        F::from_bits(bits)
            .convert_r(round, &mut loses_info)
            .value
            .to_bits()
    }
    software!(from, F => software!(to, G => step::<F, G>(bits, round(rm))))
}

fn from_integer(
    format: FloatFormat,
    is_signed: bool,
    width: u32,
    rm: RoundingMode,
    value: u128,
) -> u128 {
    if is_signed {
        let shift = 128 - width;
        let value = ((value << shift) as i128) >> shift;
        if rm == RoundingMode::NearestEven {
            match format {
                FloatFormat::Double => return (value as f64).to_bits() as u128,
                FloatFormat::Single => return (value as f32).to_bits() as u128,
                _ => {}
            }
        }
        return software!(format, F => F::from_i128_r(value, round(rm)).value.to_bits());
    }
    if rm == RoundingMode::NearestEven {
        match format {
            FloatFormat::Double => return (value as f64).to_bits() as u128,
            FloatFormat::Single => return (value as f32).to_bits() as u128,
            _ => {}
        }
    }
    software!(format, F => F::from_u128_r(value, round(rm)).value.to_bits())
}

fn to_integer(
    format: FloatFormat,
    is_signed: bool,
    width: u32,
    rm: RoundingMode,
    bits: u128,
) -> u128 {
    let all = u128::MAX >> (128 - width);
    let mut exact = false;
    let result = software!(format, F => {
        let x = F::from_bits(bits);
        if is_signed {
            let result = x.to_i128_r(width as usize, round(rm), &mut exact);
            result.map(|value| value as u128)
        } else {
            x.to_u128_r(width as usize, round(rm), &mut exact)
        }
    });
    if result.status.contains(Status::INVALID_OP) {
        return if is_signed { 1 << (width - 1) } else { all };
    }
    result.value & all
}

fn call(format: FloatFormat, function: MathFunction, args: [u128; 3]) -> u128 {
    if format == FloatFormat::Single {
        let [a, b, _] = args.map(|bits| f32::from_bits(bits as u32));
        return call_single(function, a, b).to_bits() as u128;
    }
    let widen = |bits| {
        let bits = if format == FloatFormat::Double {
            bits
        } else {
            convert(format, FloatFormat::Double, RoundingMode::NearestEven, bits)
        };
        f64::from_bits(bits as u64)
    };
    let result = call_double(function, widen(args[0]), widen(args[1])).to_bits() as u128;
    if format == FloatFormat::Double {
        return result;
    }
    convert(
        FloatFormat::Double,
        format,
        RoundingMode::NearestEven,
        result,
    )
}

macro_rules! call_host {
    ($name:ident, $float:ident) => {
        fn $name(function: MathFunction, a: $float, b: $float) -> $float {
            match function {
                MathFunction::Sin => a.sin(),
                MathFunction::Cos => a.cos(),
                MathFunction::Tan => a.tan(),
                MathFunction::Asin => a.asin(),
                MathFunction::Acos => a.acos(),
                MathFunction::Atan => a.atan(),
                MathFunction::Atan2 => a.atan2(b),
                MathFunction::Sinh => a.sinh(),
                MathFunction::Cosh => a.cosh(),
                MathFunction::Tanh => a.tanh(),
                MathFunction::Asinh => a.asinh(),
                MathFunction::Acosh => a.acosh(),
                MathFunction::Atanh => a.atanh(),
                MathFunction::Exp => a.exp(),
                MathFunction::Exp2 => a.exp2(),
                MathFunction::Expm1 => a.exp_m1(),
                MathFunction::Log => a.ln(),
                MathFunction::Log2 => a.log2(),
                MathFunction::Log10 => a.log10(),
                MathFunction::Log1p => a.ln_1p(),
                MathFunction::Pow => a.powf(b),
                MathFunction::Cbrt => a.cbrt(),
                MathFunction::Hypot => a.hypot(b),
            }
        }
    };
}
call_host!(call_double, f64);
call_host!(call_single, f32);

/// [`apply`] for operands and results of at most 64 bits.
#[inline]
pub(crate) fn apply_narrow(op: Op, from: Sort, to: Sort, imm: u8, a: u64, b: u64, c: u64) -> u64 {
    let double = Sort::Float(FloatFormat::Double);
    if from == double && (imm == 0 || op == Op::FCmp) {
        let (x, y, z) = (f64::from_bits(a), f64::from_bits(b), f64::from_bits(c));
        if op == Op::FCmp {
            return FloatPredicate::ALL[imm as usize].holds(x.partial_cmp(&y)) as u64;
        }
        if to == double
            && op != Op::FCall
            && let Some(result) = host_double(op, x, y, z)
        {
            return result.to_bits();
        }
    }
    if op == Op::SintToFp && to == double && imm == 0 {
        return (signed(a, from.bits()) as f64).to_bits();
    }
    debug_assert!(to.bits() <= 64);
    apply(op, from, to, imm, [a as u128, b as u128, c as u128]) as u64 & mask(to.bits())
}

#[cfg(test)]
mod tests;
