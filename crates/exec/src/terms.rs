//! From instructions to terms: the symbolic half of the semantics, parallel to `concrete`, `wide`
//! and `concrete_float`. Register terms are bit-vectors; floats are wrapped where they are operated on.

use crate::concrete_float::{self, conv, instruction_width};
use ir::{BinOp, CmpOp, ConvOp, FloatBinOp, FloatFormat, FloatPredicate, FloatUnOp, UnOp};
use term::{Pool, RoundingMode, Term};

pub fn bin(pool: &mut Pool, op: BinOp, a: Term, b: Term) -> Term {
    match op {
        BinOp::Add => pool.add(a, b),
        BinOp::Sub => pool.sub(a, b),
        BinOp::Mul => pool.mul(a, b),
        BinOp::UDiv => pool.udiv(a, b),
        BinOp::SDiv => pool.sdiv(a, b),
        BinOp::URem => pool.urem(a, b),
        BinOp::SRem => pool.srem(a, b),
        BinOp::Shl => pool.shl(a, b),
        BinOp::LShr => pool.lshr(a, b),
        BinOp::AShr => pool.ashr(a, b),
        BinOp::And => pool.and(a, b),
        BinOp::Or => pool.or(a, b),
        BinOp::Xor => pool.xor(a, b),
    }
}

pub fn cmp(pool: &mut Pool, op: CmpOp, a: Term, b: Term) -> Term {
    match op {
        CmpOp::Eq => pool.eq(a, b),
        CmpOp::Ne => pool.ne(a, b),
        CmpOp::Ult => pool.ult(a, b),
        CmpOp::Ule => pool.ule(a, b),
        CmpOp::Slt => pool.slt(a, b),
        CmpOp::Sle => pool.sle(a, b),
    }
}

/// A constant of any width.
pub fn constant(pool: &mut Pool, w: u32, n: u64) -> Term {
    if w <= 64 {
        pool.bv(w, n)
    } else {
        let mut limbs = vec![0; w.div_ceil(64) as usize];
        limbs[0] = n;
        pool.bv_wide(w, &limbs)
    }
}

/// Counting operations become chains over the bits, byte operations concatenations.
pub fn un(pool: &mut Pool, op: UnOp, w: u32, a: Term) -> Term {
    match op {
        UnOp::Ctlz | UnOp::Cttz => {
            // The last bit tested decides first: go from the far end towards the near one.
            let mut r = constant(pool, w, u64::from(w));
            for i in (0..w).rev() {
                let at = if op == UnOp::Ctlz { w - 1 - i } else { i };
                let bit = pool.extract(at, at, a);
                let n = constant(pool, w, u64::from(i));
                r = pool.ite(bit, n, r);
            }
            r
        }
        UnOp::Ctpop => {
            let mut r = constant(pool, w, 0);
            for i in 0..w {
                let bit = pool.extract(i, i, a);
                let bit = pool.zext(w, bit);
                r = pool.add(r, bit);
            }
            r
        }
        UnOp::Bswap => reverse(pool, w, 8, a),
        UnOp::Bitreverse => reverse(pool, w, 1, a),
    }
}

/// Reverses the order of `unit`-bit groups.
fn reverse(pool: &mut Pool, w: u32, unit: u32, a: Term) -> Term {
    let mut r = pool.extract(unit - 1, 0, a);
    for i in 1..w / unit {
        let group = pool.extract(i * unit + unit - 1, i * unit, a);
        r = pool.concat(r, group);
    }
    r
}

/// Funnel shift of `(a ++ b)` by `c mod w`.
pub fn funnel(pool: &mut Pool, left: bool, w: u32, a: Term, b: Term, c: Term) -> Term {
    let both = pool.concat(a, b);
    let width = constant(pool, w, u64::from(w));
    let by = pool.urem(c, width);
    let by = pool.zext(2 * w, by);
    if left {
        let shifted = pool.shl(both, by);
        pool.extract(2 * w - 1, w, shifted)
    } else {
        let shifted = pool.lshr(both, by);
        pool.extract(w - 1, 0, shifted)
    }
}

/// A float operation on bits, giving bits.
pub fn float_bin(
    pool: &mut Pool,
    op: FloatBinOp,
    f: FloatFormat,
    mode: RoundingMode,
    a: Term,
    b: Term,
) -> Term {
    if op == FloatBinOp::CopySign {
        let top = f.bits() - 1;
        let sign = pool.extract(top, top, b);
        let rest = pool.extract(top - 1, 0, a);
        return pool.concat(sign, rest);
    }
    let (x, y) = (pool.fp_from_bits(f, a), pool.fp_from_bits(f, b));
    let r = match op {
        FloatBinOp::Add => pool.fadd_rounded(mode, x, y),
        FloatBinOp::Sub => pool.fsub_rounded(mode, x, y),
        FloatBinOp::Mul => pool.fmul_rounded(mode, x, y),
        FloatBinOp::Div => pool.fdiv_rounded(mode, x, y),
        FloatBinOp::Rem => pool.frem(x, y),
        FloatBinOp::Min => pool.fmin(x, y),
        FloatBinOp::Max | FloatBinOp::CopySign => pool.fmax(x, y),
    };
    pool.fp_to_bits(r)
}

pub fn float_un(
    pool: &mut Pool,
    op: FloatUnOp,
    f: FloatFormat,
    mode: RoundingMode,
    a: Term,
) -> Term {
    let top = f.bits() - 1;
    match op {
        // On bits, so that NaNs keep theirs.
        FloatUnOp::Neg => {
            let sign = pool.extract(top, top, a);
            let sign = pool.not(sign);
            let rest = pool.extract(top - 1, 0, a);
            return pool.concat(sign, rest);
        }
        FloatUnOp::Abs => {
            let rest = pool.extract(top - 1, 0, a);
            return pool.zext(top + 1, rest);
        }
        _ => {}
    }
    let x = pool.fp_from_bits(f, a);
    let r = match op {
        FloatUnOp::Neg => pool.fneg(x),
        FloatUnOp::Abs => pool.fabs(x),
        FloatUnOp::Sqrt => pool.fsqrt_rounded(mode, x),
        FloatUnOp::Floor => pool.fround_to_integral(RoundingMode::TowardNegative, x),
        FloatUnOp::Ceil => pool.fround_to_integral(RoundingMode::TowardPositive, x),
        FloatUnOp::Trunc => pool.fround_to_integral(RoundingMode::TowardZero, x),
        FloatUnOp::RoundCurrent => pool.fround_to_integral(mode, x),
        FloatUnOp::RoundEven => pool.fround_to_integral(RoundingMode::NearestEven, x),
        FloatUnOp::RoundAway => pool.fround_to_integral(RoundingMode::NearestAway, x),
    };
    pool.fp_to_bits(r)
}

pub fn float_fma(
    pool: &mut Pool,
    f: FloatFormat,
    mode: RoundingMode,
    a: Term,
    b: Term,
    c: Term,
) -> Term {
    let x = pool.fp_from_bits(f, a);
    let y = pool.fp_from_bits(f, b);
    let z = pool.fp_from_bits(f, c);
    let r = pool.fma_rounded(mode, x, y, z);
    pool.fp_to_bits(r)
}

pub fn float_cmp(pool: &mut Pool, op: FloatPredicate, f: FloatFormat, a: Term, b: Term) -> Term {
    let x = pool.fp_from_bits(f, a);
    let y = pool.fp_from_bits(f, b);
    pool.fcmp(op, x, y)
}

pub fn float_cast(
    pool: &mut Pool,
    from: FloatFormat,
    to: FloatFormat,
    mode: RoundingMode,
    a: Term,
) -> Term {
    let x = pool.fp_from_bits(from, a);
    let r = pool.fp_to_fp_rounded(mode, to, x);
    pool.fp_to_bits(r)
}

/// Conversions as x86 does them, see `concrete_float::conv`.
pub fn float_conv(
    pool: &mut Pool,
    op: ConvOp,
    saturating: bool,
    f: FloatFormat,
    mode: RoundingMode,
    w: u32,
    a: Term,
) -> Term {
    match op {
        ConvOp::SignedToFloat => {
            let r = pool.sint_to_fp_rounded(mode, f, a);
            pool.fp_to_bits(r)
        }
        ConvOp::UnsignedToFloat => {
            let r = pool.uint_to_fp_rounded(mode, f, a);
            pool.fp_to_bits(r)
        }
        ConvOp::FloatToSigned | ConvOp::FloatToUnsigned => {
            let is_signed = op == ConvOp::FloatToSigned;
            let through = instruction_width(is_signed, f, w as u8);
            if !saturating && w <= 64 && u32::from(through) != w {
                let op = if w <= 32 { ConvOp::FloatToSigned } else { op };
                let wide = float_conv(pool, op, false, f, mode, u32::from(through), a);
                return pool.extract(w - 1, 0, wide);
            }
            if !saturating && w > 64 {
                let wide = by_library(pool, is_signed, f, a);
                return pool.extract(w - 1, 0, wide);
            }
            float_to_int(pool, is_signed, saturating, f, w, a)
        }
    }
}

/// Towards zero into `w` bits, by the instruction of that width.
fn float_to_int(
    pool: &mut Pool,
    is_signed: bool,
    saturating: bool,
    f: FloatFormat,
    w: u32,
    a: Term,
) -> Term {
    // In range means: above `low` and below `high`, both exact in every format (as
    // infinity where the format is too small).
    let one = |pool: &mut Pool, e: u32, negative: bool| {
        let mode = RoundingMode::NearestEven;
        let exact = |e: u32| conv(ConvOp::UnsignedToFloat, false, f, mode, 128, 1 << e);
        let power = concrete_float::bin(FloatBinOp::Mul, f, mode, exact(e / 2), exact(e - e / 2));
        let sign = u128::from(negative) << (f.bits() - 1);
        float_const(pool, f, power | sign)
    };
    let x = pool.fp_from_bits(f, a);
    let cut = pool.fround_to_integral(RoundingMode::TowardZero, x);
    let (high, low) = if is_signed {
        (one(pool, w - 1, false), one(pool, w - 1, true))
    } else {
        (one(pool, w, false), float_const(pool, f, 0))
    };
    let above = pool.fcmp(FloatPredicate::Oge, cut, low);
    let below = pool.fcmp(FloatPredicate::Olt, cut, high);
    let fits = pool.and(above, below);
    let r = if is_signed {
        pool.fp_to_sint(w, x)
    } else {
        pool.fp_to_uint(w, x)
    };
    let out = if saturating {
        let zero = constant(pool, w, 0);
        let ones = pool.not(zero);
        let top = top_bit(pool, w);
        let most = if is_signed { pool.not(top) } else { ones };
        let least = if is_signed { top } else { zero };
        let too_low = pool.fcmp(FloatPredicate::Olt, cut, low);
        let nan = pool.fcmp(FloatPredicate::Uno, x, x);
        let clamped = pool.ite(too_low, least, most);
        pool.ite(nan, zero, clamped)
    } else if !is_signed && w <= 64 {
        // Two signed conversions: see `concrete_float::to_unsigned`.
        let signed = float_to_int(pool, true, false, f, 64, a);
        let signed = pool.extract(w - 1, 0, signed);
        if f == FloatFormat::X87 {
            let zero = constant(pool, w, 0);
            let too_high = pool.fcmp(FloatPredicate::Oge, cut, high);
            pool.ite(too_high, zero, signed)
        } else {
            signed
        }
    } else {
        top_bit(pool, w)
    };
    pool.ite(fits, r, out)
}

/// libgcc's conversion to 128 bits, see `concrete_float::conv`.
fn by_library(pool: &mut Pool, is_signed: bool, f: FloatFormat, a: Term) -> Term {
    let mode = RoundingMode::NearestEven;
    let x = pool.fp_from_bits(f, a);
    let size = pool.fabs(x);
    let limit = {
        // Infinity where the format is too small.
        let half = conv(ConvOp::UnsignedToFloat, false, f, mode, 128, 1 << 64);
        let limit = concrete_float::bin(FloatBinOp::Mul, f, mode, half, half);
        float_const(pool, f, limit)
    };
    let zero = float_const(pool, f, 0);
    let (fits, negative, nan) = (
        pool.fcmp(FloatPredicate::Olt, size, limit),
        pool.fcmp(FloatPredicate::Olt, x, zero),
        pool.fcmp(FloatPredicate::Uno, x, x),
    );
    let none = constant(pool, 128, 0);
    let magnitude = pool.fp_to_uint(128, size);
    let magnitude = pool.ite(fits, magnitude, none);
    let below = if is_signed {
        pool.neg(magnitude)
    } else if f == FloatFormat::X87 {
        none
    } else {
        let (upper, lower) = (
            pool.extract(127, 64, magnitude),
            pool.extract(63, 0, magnitude),
        );
        let nothing = pool.bv(64, 0);
        let short = pool.eq(upper, nothing);
        let short = pool.and(fits, short);
        let halves = [(upper, fits), (lower, short)].map(|(n, known)| {
            let least = pool.bv(64, 1 << 63);
            let small = pool.ule(n, least);
            let known = pool.and(known, small);
            let negated = pool.neg(n);
            pool.ite(known, negated, least)
        });
        pool.concat(halves[0], halves[1])
    };
    let out = pool.ite(negative, below, magnitude);
    let [high, low] = [64, 0].map(|by| pool.bv(64, (concrete_float::WIDE_NAN >> by) as u64));
    let of_nan = pool.concat(high, low);
    pool.ite(nan, of_nan, out)
}

fn top_bit(pool: &mut Pool, w: u32) -> Term {
    let one = constant(pool, w, 1);
    let by = constant(pool, w, u64::from(w - 1));
    pool.shl(one, by)
}

fn float_const(pool: &mut Pool, f: FloatFormat, bits: u128) -> Term {
    let b = if f.bits() <= 64 {
        pool.bv(f.bits(), bits as u64)
    } else {
        pool.bv_wide(f.bits(), &[bits as u64, (bits >> 64) as u64])
    };
    pool.fp_from_bits(f, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Zeros, subnormal and normal numbers, infinities, quiet and signalling NaNs, both signs; and x87's strange encodings.
    fn operands(f: FloatFormat) -> Vec<u128> {
        let stored = f.stored_bits();
        let one = (f.max_exponent() as u128) << stored;
        let infinity = (1 << (f.bits() - 1)) - (1 << stored);
        let mut all = Vec::new();
        for n in [
            0,
            1,
            one,
            one + 1,
            one + (3 << (stored - 2)),
            one + (40 << stored) + 77,
            one + (64 << stored),
            infinity - 1,
            infinity,
            infinity + 1,
            infinity + (1 << (f.precision() - 2)) + 5,
        ] {
            if n >> (f.bits() - 1) != 0 {
                continue;
            }
            let normal = f.has_integer_bit() && n >> stored != 0;
            let n = n | u128::from(normal) << (stored - 1);
            all.extend([n, n | 1 << (f.bits() - 1)]);
        }
        if f.has_integer_bit() {
            all.extend([one + 7, infinity, 1 << 63]);
        }
        all
    }

    fn term(pool: &mut Pool, w: u32, bits: u128) -> Term {
        pool.bv_wide(
            w,
            &[bits as u64, (bits >> 64) as u64][..w.div_ceil(64) as usize],
        )
    }

    fn value(pool: &Pool, t: Term) -> u128 {
        let limbs = pool.const_limbs(t);
        u128::from(limbs[0]) | u128::from(*limbs.get(1).unwrap_or(&0)) << 64
    }

    /// Folding a term gives the bits that the machine computes, those of NaNs too.
    #[test]
    fn float_terms_mean_what_the_machine_computes() {
        use FloatBinOp as B;
        use FloatUnOp as U;
        for &f in FloatFormat::NAMED {
            let (w, operands) = (f.bits(), operands(f));
            let mut pool = Pool::new();
            let pool = &mut pool;
            let mut modes = RoundingMode::ALL.into_iter().cycle();
            for &a in &operands {
                let x = term(pool, w, a);
                let mode = modes.next().expect("a cycle");
                for op in [
                    U::Neg,
                    U::Abs,
                    U::Sqrt,
                    U::Floor,
                    U::Ceil,
                    U::Trunc,
                    U::RoundEven,
                    U::RoundCurrent,
                    U::RoundAway,
                ] {
                    let t = float_un(pool, op, f, mode, x);
                    assert_eq!(
                        value(pool, t),
                        concrete_float::un(op, f, mode, a),
                        "{f:?} {op:?} {a:#x}"
                    );
                }
                for &to in FloatFormat::NAMED {
                    let t = float_cast(pool, f, to, mode, x);
                    assert!(
                        f == to || value(pool, t) == concrete_float::cast(f, to, mode, a),
                        "{f:?} {to:?} {a:#x}"
                    );
                }
                for op in [ConvOp::FloatToSigned, ConvOp::FloatToUnsigned] {
                    for w in [8, 16, 32, 64, 65, 100, 128] {
                        for saturating in [false, true] {
                            let t = float_conv(pool, op, saturating, f, mode, w, x);
                            let expected = conv(op, saturating, f, mode, w as u8, a);
                            assert_eq!(
                                value(pool, t),
                                expected,
                                "{f:?} {op:?} {w} {saturating} {a:#x}"
                            );
                        }
                    }
                }
                for &b in &operands {
                    let y = term(pool, w, b);
                    let mode = modes.next().expect("a cycle");
                    for op in [
                        B::Add,
                        B::Sub,
                        B::Mul,
                        B::Div,
                        B::Rem,
                        B::Min,
                        B::Max,
                        B::CopySign,
                    ] {
                        let t = float_bin(pool, op, f, mode, x, y);
                        assert_eq!(
                            value(pool, t),
                            concrete_float::bin(op, f, mode, a, b),
                            "{f:?} {op:?} {a:#x} {b:#x}"
                        );
                    }
                    for op in FloatPredicate::ALL {
                        let t = float_cmp(pool, op, f, x, y);
                        assert_eq!(
                            value(pool, t) != 0,
                            concrete_float::cmp(op, f, a, b),
                            "{f:?} {op:?} {a:#x} {b:#x}"
                        );
                    }
                    let t = float_fma(pool, f, mode, x, y, x);
                    assert_eq!(
                        value(pool, t),
                        concrete_float::fma(f, mode, a, b, a),
                        "{f:?} {a:#x} {b:#x}"
                    );
                }
            }
        }
    }
}
