//! Concrete integers in registers of up to 64 bits: the total functions of SMT-LIB, as terms compute them, and the
//! machine's further operations. Whether an operation is *allowed* is decided by `Check` instructions before it.

use ir::bits::{mask, signed};
use ir::{BinOp, CmpOp, Inst, Reg, UnOp, Val};
use term::Op;

/// The operator of terms that computes the same.
#[inline(always)]
pub const fn operator(op: BinOp) -> Op {
    match op {
        BinOp::Add => Op::Add,
        BinOp::Sub => Op::Sub,
        BinOp::Mul => Op::Mul,
        BinOp::UDiv => Op::Udiv,
        BinOp::SDiv => Op::Sdiv,
        BinOp::URem => Op::Urem,
        BinOp::SRem => Op::Srem,
        BinOp::Shl => Op::Shl,
        BinOp::LShr => Op::Lshr,
        BinOp::AShr => Op::Ashr,
        BinOp::And => Op::And,
        BinOp::Or => Op::Or,
        BinOp::Xor => Op::Xor,
    }
}

/// A binary operation on `w`-bit operands.
#[inline(always)]
pub fn bin(op: BinOp, w: u8, a: u64, b: u64) -> u64 {
    term::apply_narrow(operator(op), w.into(), 0, a, b, 0)
}

/// A comparison of `w`-bit operands.
#[inline(always)]
pub fn cmp(op: CmpOp, w: u8, a: u64, b: u64) -> bool {
    match op {
        CmpOp::Eq => a == b,
        CmpOp::Ne => a != b,
        CmpOp::Ult => a < b,
        CmpOp::Ule => a <= b,
        CmpOp::Slt => signed(w, a) < signed(w, b),
        CmpOp::Sle => signed(w, a) <= signed(w, b),
    }
}

/// A unary operation on a `w`-bit operand.
pub fn un(op: UnOp, w: u8, a: u64) -> u64 {
    let spare = 64 - u32::from(w);
    match op {
        UnOp::Ctlz => u64::from(a.leading_zeros() - spare),
        UnOp::Cttz => u64::from(a.trailing_zeros().min(u32::from(w))),
        UnOp::Ctpop => u64::from(a.count_ones()),
        UnOp::Bswap => a.swap_bytes() >> spare,
        UnOp::Bitreverse => a.reverse_bits() >> spare,
    }
}

/// Result and overflow bit of add, sub or mul.
pub fn overflow(op: BinOp, is_signed: bool, w: u8, a: u64, b: u64) -> (u64, bool) {
    let r = bin(op, w, a, b);
    let wide = |x: u64| {
        if is_signed {
            i128::from(signed(w, x))
        } else {
            i128::from(x)
        }
    };
    let (x, y) = (wide(a), wide(b));
    let exact = match op {
        BinOp::Add => Some(x + y),
        BinOp::Sub => Some(x - y),
        // The product of two 64-bit unsigned numbers may not fit i128.
        _ => x.checked_mul(y),
    };
    (r, exact != Some(wide(r)))
}

/// Funnel shift of `(a ++ b)` by `c mod w`.
pub fn funnel(left: bool, w: u8, a: u64, b: u64, c: u64) -> u64 {
    let c = (c % u64::from(w)) as u32;
    let both = u128::from(a) << w | u128::from(b);
    let r = if left { (both << c) >> w } else { both >> c };
    r as u64 & mask(w)
}

/// Takes apart the instructions that are plain binary operations.
#[inline]
pub fn as_bin(inst: Inst) -> Option<(BinOp, u8, Reg, Val, Val)> {
    Some(match inst {
        Inst::Add { w, dst, a, b } => (BinOp::Add, w, dst, a, b),
        Inst::Sub { w, dst, a, b } => (BinOp::Sub, w, dst, a, b),
        Inst::Mul { w, dst, a, b } => (BinOp::Mul, w, dst, a, b),
        Inst::UDiv { w, dst, a, b } => (BinOp::UDiv, w, dst, a, b),
        Inst::SDiv { w, dst, a, b } => (BinOp::SDiv, w, dst, a, b),
        Inst::URem { w, dst, a, b } => (BinOp::URem, w, dst, a, b),
        Inst::SRem { w, dst, a, b } => (BinOp::SRem, w, dst, a, b),
        Inst::Shl { w, dst, a, b } => (BinOp::Shl, w, dst, a, b),
        Inst::LShr { w, dst, a, b } => (BinOp::LShr, w, dst, a, b),
        Inst::AShr { w, dst, a, b } => (BinOp::AShr, w, dst, a, b),
        Inst::And { w, dst, a, b } => (BinOp::And, w, dst, a, b),
        Inst::Or { w, dst, a, b } => (BinOp::Or, w, dst, a, b),
        Inst::Xor { w, dst, a, b } => (BinOp::Xor, w, dst, a, b),
        _ => return None,
    })
}

/// Takes apart the instructions that are plain comparisons.
#[inline]
pub fn as_cmp(inst: Inst) -> Option<(CmpOp, u8, Reg, Val, Val)> {
    Some(match inst {
        Inst::Eq { w, dst, a, b } => (CmpOp::Eq, w, dst, a, b),
        Inst::Ne { w, dst, a, b } => (CmpOp::Ne, w, dst, a, b),
        Inst::Ult { w, dst, a, b } => (CmpOp::Ult, w, dst, a, b),
        Inst::Ule { w, dst, a, b } => (CmpOp::Ule, w, dst, a, b),
        Inst::Slt { w, dst, a, b } => (CmpOp::Slt, w, dst, a, b),
        Inst::Sle { w, dst, a, b } => (CmpOp::Sle, w, dst, a, b),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shifts_by_the_width_are_total() {
        assert_eq!(bin(BinOp::Shl, 32, 1, 32), 0);
        assert_eq!(bin(BinOp::LShr, 64, 1, 64), 0);
        assert_eq!(bin(BinOp::AShr, 8, 0x80, 200), 0xff);
    }

    #[test]
    fn division_is_total() {
        assert_eq!(bin(BinOp::UDiv, 8, 7, 0), 0xff);
        assert_eq!(bin(BinOp::SDiv, 8, 0xff, 0), 1);
        assert_eq!(bin(BinOp::SDiv, 8, 0x80, 0xff), 0x80);
        assert_eq!(bin(BinOp::SRem, 8, 0x80, 0xff), 0);
    }

    #[test]
    fn overflow_matches_wider_arithmetic() {
        for a in 0..=255u64 {
            for b in 0..=255u64 {
                let (r, o) = overflow(BinOp::Mul, true, 8, a, b);
                let exact = i64::from(a as i8) * i64::from(b as i8);
                assert_eq!(r, exact as u64 & 0xff);
                assert_eq!(o, i64::from(exact as i8) != exact);
                let (_, o) = overflow(BinOp::Sub, false, 8, a, b);
                assert_eq!(o, a < b);
            }
        }
    }

    #[test]
    fn funnel_shifts_rotate() {
        assert_eq!(funnel(true, 8, 0x81, 0x81, 1), 0x03);
        assert_eq!(funnel(false, 64, 0, u64::MAX, 0), u64::MAX);
        assert_eq!(funnel(true, 64, 1, 1 << 63, 1), 3);
    }
}
