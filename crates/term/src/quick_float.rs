//! Operations on `float` and `double` to nearest even, as the host has them: what a tape need not take the long way for.

use crate::fpu;
use crate::node::Op;
use crate::sort::Sort;
use float::{FloatFormat, FloatPredicate, RoundingMode};

/// Is the operation one of [`apply`]? `imm` is its node's.
pub(crate) fn is_quick(op: Op, from: Sort, to: Sort, imm: u8) -> bool {
    let is_host = |sort| matches!(sort, Sort::Float(format) if [FloatFormat::SINGLE, FloatFormat::DOUBLE].contains(&format));
    match op {
        Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FSqrt => {
            is_host(from) && imm == RoundingMode::NearestEven as u8
        }
        Op::FpToFp => {
            from != to && is_host(from) && is_host(to) && imm == RoundingMode::NearestEven as u8
        }
        Op::FNeg | Op::FAbs | Op::FCmp => is_host(from),
        _ => false,
    }
}

/// Applies a quick operation. `width` is that of the first operand's format, and `imm` a comparison's predicate.
#[inline(always)]
pub(crate) fn apply(op: Op, width: u32, imm: u32, a: u64, b: u64) -> u64 {
    if width == 64 {
        let (x, y) = (f64::from_bits(a), f64::from_bits(b));
        let result = match op {
            Op::FAdd => x + y,
            Op::FSub => x - y,
            Op::FMul => x * y,
            Op::FDiv => x / y,
            Op::FSqrt => x.sqrt(),
            Op::FNeg => return a ^ 1 << 63,
            Op::FAbs => return a & !(1 << 63),
            Op::FpToFp if x.is_nan() => return nan(op, width, a, b),
            Op::FpToFp => return u64::from((x as f32).to_bits()),
            _ => return u64::from(holds(imm, x < y, x == y, x > y)),
        };
        if result.is_nan() {
            return nan(op, width, a, b);
        }
        result.to_bits()
    } else {
        let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
        let result = match op {
            Op::FAdd => x + y,
            Op::FSub => x - y,
            Op::FMul => x * y,
            Op::FDiv => x / y,
            Op::FSqrt => x.sqrt(),
            Op::FNeg => return a ^ 1 << 31,
            Op::FAbs => return a & !(1 << 31),
            Op::FpToFp if x.is_nan() => return nan(op, width, a, b),
            Op::FpToFp => return f64::from(x).to_bits(),
            _ => return u64::from(holds(imm, x < y, x == y, x > y)),
        };
        if result.is_nan() {
            return nan(op, width, a, b);
        }
        u64::from(result.to_bits())
    }
}

/// The truth of a predicate; terms have few of them.
#[inline(always)]
fn holds(imm: u32, less: bool, equal: bool, greater: bool) -> bool {
    const OEQ: u32 = FloatPredicate::Oeq as u32;
    const OLT: u32 = FloatPredicate::Olt as u32;
    const OLE: u32 = FloatPredicate::Ole as u32;
    match imm {
        OEQ => equal,
        OLT => less,
        OLE => less || equal,
        other => {
            let order = match (less, equal, greater) {
                (true, ..) => Some(std::cmp::Ordering::Less),
                (_, true, _) => Some(std::cmp::Ordering::Equal),
                (.., true) => Some(std::cmp::Ordering::Greater),
                _ => None,
            };
            FloatPredicate::ALL[other as usize].holds(order)
        }
    }
}

/// Which NaN it is, the definition says.
#[cold]
fn nan(op: Op, width: u32, a: u64, b: u64) -> u64 {
    let formats = [FloatFormat::SINGLE, FloatFormat::DOUBLE].map(Sort::Float);
    let from = formats[usize::from(width == 64)];
    let to = match op {
        Op::FpToFp => formats[usize::from(width != 64)],
        _ => from,
    };
    fpu::apply_narrow(op, from, to, RoundingMode::NearestEven as u8, [a, b, 0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quick_operations_are_those_of_the_definition() {
        let singles = [
            0u32,
            1,
            0x0080_0000,
            0x3f80_0000,
            0x7f7f_ffff,
            0x7f80_0000,
            0x7fa0_0001,
            0x7fc0_0003,
        ];
        let doubles = [
            0u64,
            1,
            1 << 52,
            0x3ff0_0000_0000_0000,
            0x7fef_ffff_ffff_ffff,
            0x7ff0 << 48,
            0x7ff4 << 48 | 5,
            0x7ff8 << 48 | 9,
            0x3ff0_0000_1000_0001,
            0x380f_ffff_f000_0000,
        ];
        let singles: Vec<u64> = singles
            .iter()
            .flat_map(|&x| [x, x | 1 << 31])
            .map(u64::from)
            .collect();
        let doubles: Vec<u64> = doubles.iter().flat_map(|&x| [x, x | 1 << 63]).collect();
        let formats = [FloatFormat::SINGLE, FloatFormat::DOUBLE].map(Sort::Float);
        let ops = [
            Op::FAdd,
            Op::FSub,
            Op::FMul,
            Op::FDiv,
            Op::FSqrt,
            Op::FNeg,
            Op::FAbs,
            Op::FpToFp,
            Op::FCmp,
        ];
        for (k, patterns) in [singles, doubles].iter().enumerate() {
            for op in ops {
                let from = formats[k];
                let (to, imms) = match op {
                    Op::FpToFp => (formats[1 - k], 0..1),
                    Op::FCmp => (Sort::BitVec(1), 0..FloatPredicate::ALL.len() as u8),
                    _ => (from, 0..1),
                };
                for imm in imms {
                    assert!(is_quick(op, from, to, imm));
                    for (&a, &b) in patterns
                        .iter()
                        .flat_map(|a| patterns.iter().map(move |b| (a, b)))
                    {
                        let want = fpu::apply_narrow(op, from, to, imm, [a, b, 0]);
                        let got = apply(op, from.bits(), imm.into(), a, b);
                        assert_eq!(got, want, "{op:?} {imm} of {a:x} and {b:x}");
                    }
                }
            }
        }
    }
}
