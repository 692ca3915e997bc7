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
    let result = if width == 64 {
        on_host(op, 64, imm, a, b)
    } else {
        on_host(op, 32, imm, a, b)
    };
    result.unwrap_or_else(|| nan(op, width, a, b))
}

/// [`apply`] on several operands each.
#[inline(always)]
pub(crate) fn apply_all<const N: usize>(
    op: Op,
    width: u32,
    imm: u32,
    [a, b]: [&[u64; N]; 2],
    out: &mut [u64; N],
) {
    let mut is_nan = false;
    let mut take = |k: usize, result: Option<u64>| {
        is_nan |= result.is_none();
        out[k] = result.unwrap_or(0);
    };
    if width == 64 {
        for k in 0..N {
            take(k, on_host(op, 64, imm, a[k], b[k]));
        }
    } else {
        for k in 0..N {
            take(k, on_host(op, 32, imm, a[k], b[k]));
        }
    }
    if is_nan {
        for k in 0..N {
            out[k] = apply(op, width, imm, a[k], b[k]);
        }
    }
}

/// What the host computes, unless that is a NaN: which one, the definition says.
#[inline(always)]
fn on_host(op: Op, width: u32, imm: u32, a: u64, b: u64) -> Option<u64> {
    if width == 64 {
        let (x, y) = (f64::from_bits(a), f64::from_bits(b));
        let result = match op {
            Op::FAdd => x + y,
            Op::FSub => x - y,
            Op::FMul => x * y,
            Op::FDiv => x / y,
            Op::FSqrt => x.sqrt(),
            Op::FNeg => return Some(a ^ 1 << 63),
            Op::FAbs => return Some(a & !(1 << 63)),
            Op::FpToFp => return (!x.is_nan()).then(|| u64::from((x as f32).to_bits())),
            _ => return Some(u64::from(holds(imm, x < y, x == y, x > y))),
        };
        (!result.is_nan()).then(|| result.to_bits())
    } else {
        let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
        let result = match op {
            Op::FAdd => x + y,
            Op::FSub => x - y,
            Op::FMul => x * y,
            Op::FDiv => x / y,
            Op::FSqrt => x.sqrt(),
            Op::FNeg => return Some(a ^ 1 << 31),
            Op::FAbs => return Some(a & !(1 << 31)),
            Op::FpToFp => return (!x.is_nan()).then(|| f64::from(x).to_bits()),
            _ => return Some(u64::from(holds(imm, x < y, x == y, x > y))),
        };
        (!result.is_nan()).then(|| result.to_bits().into())
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

/// An operation whose result is a NaN: the first operand that is one, made quiet, or the default NaN.
#[inline]
fn nan(op: Op, width: u32, a: u64, b: u64) -> u64 {
    if op == Op::FpToFp {
        return converted_nan(width, a);
    }
    let (infinity, below) = if width == 64 {
        (0x7ff0 << 48, 52)
    } else {
        (0x7f80_0000, 23)
    };
    let sign = 1 << (width - 1);
    let quiet = 1 << (below - 1);
    let is_nan = |x: u64| x & !sign > infinity;
    if is_nan(a) {
        a | quiet
    } else if op != Op::FSqrt && is_nan(b) {
        b | quiet
    } else {
        sign | infinity | quiet
    }
}

/// A NaN in the other format, by the definition.
#[cold]
fn converted_nan(width: u32, a: u64) -> u64 {
    let [single, double] = [FloatFormat::SINGLE, FloatFormat::DOUBLE].map(Sort::Float);
    let (from, to) = if width == 64 {
        (double, single)
    } else {
        (single, double)
    };
    let mode = RoundingMode::NearestEven as u8;
    fpu::apply_narrow(Op::FpToFp, from, to, mode, [a, 0, 0])
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
                        let mut all = [0; 2];
                        let one = if k == 0 { 0x3f80_0000 } else { 0x3ff0 << 48 };
                        apply_all(
                            op,
                            from.bits(),
                            imm.into(),
                            [&[a, one], &[b, one]],
                            &mut all,
                        );
                        let ones = fpu::apply_narrow(op, from, to, imm, [one, one, 0]);
                        assert_eq!(all, [want, ones], "{op:?} {imm} of {a:x} and {b:x}");
                    }
                }
            }
        }
    }
}
