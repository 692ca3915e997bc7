//! `Check` instructions: what they forbid, concretely and as a term.

use crate::concrete::overflow;
use crate::errors::ErrorKind;
use crate::terms::constant;
use crate::wide::{self, Limbs};
use ir::bits::{mask, signed};
use ir::{BinOp, CastOp, CheckKind, CmpOp};
use smallvec::smallvec;
use term::{Pool, Term};

/// One thing that a check forbids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forbidden {
    DivZero,
    /// The lowest number divided by -1.
    Quotient,
    Shift,
    Add,
    Sub,
    Mul,
    /// Ranges of `b` bytes whose starts are `a` apart overlap.
    Overlap,
    /// An index that is not below its limit.
    Index,
    /// A number without any bit.
    Zero,
    /// An address that is no multiple of a power of two.
    Misaligned,
}

/// The conditions that a check forbids, in the order in which they are tested.
#[inline]
pub fn parts(kind: CheckKind) -> &'static [Forbidden] {
    match kind {
        CheckKind::DivZero => &[Forbidden::DivZero],
        CheckKind::SignedDiv => &[Forbidden::DivZero, Forbidden::Quotient],
        CheckKind::Shift => &[Forbidden::Shift],
        CheckKind::SignedAdd => &[Forbidden::Add],
        CheckKind::SignedSub => &[Forbidden::Sub],
        CheckKind::SignedMul => &[Forbidden::Mul],
        CheckKind::Overlap => &[Forbidden::Overlap],
        CheckKind::Index => &[Forbidden::Index],
        CheckKind::Zero => &[Forbidden::Zero],
        CheckKind::Misaligned => &[Forbidden::Misaligned],
    }
}

/// Do these concrete operands violate the check?
#[inline]
pub fn violated(kind: CheckKind, w: u8, a: u64, b: u64) -> bool {
    match kind {
        CheckKind::DivZero => Forbidden::DivZero.violated(w, a, b),
        CheckKind::SignedDiv => {
            Forbidden::DivZero.violated(w, a, b) || Forbidden::Quotient.violated(w, a, b)
        }
        CheckKind::Shift => Forbidden::Shift.violated(w, a, b),
        CheckKind::SignedAdd => Forbidden::Add.violated(w, a, b),
        CheckKind::SignedSub => Forbidden::Sub.violated(w, a, b),
        CheckKind::SignedMul => Forbidden::Mul.violated(w, a, b),
        CheckKind::Overlap => Forbidden::Overlap.violated(w, a, b),
        CheckKind::Index => Forbidden::Index.violated(w, a, b),
        CheckKind::Zero => Forbidden::Zero.violated(w, a, b),
        CheckKind::Misaligned => Forbidden::Misaligned.violated(w, a, b),
    }
}

impl Forbidden {
    /// Do these concrete operands, `w` bits wide, violate it?
    #[inline]
    pub fn violated(self, w: u8, a: u64, b: u64) -> bool {
        match self {
            Forbidden::DivZero => b == 0,
            Forbidden::Quotient => b == mask(w) && signed(w, a) == signed(w, 1 << (w - 1)),
            Forbidden::Shift => b >= u64::from(w),
            Forbidden::Add => overflow(BinOp::Add, true, w, a, b).1,
            Forbidden::Sub => overflow(BinOp::Sub, true, w, a, b).1,
            Forbidden::Mul => overflow(BinOp::Mul, true, w, a, b).1,
            Forbidden::Index => a >= b,
            Forbidden::Zero => a == 0,
            Forbidden::Misaligned => a & b.wrapping_sub(1) & mask(w) != 0,
            Forbidden::Overlap => a != 0 && (a < b || a.wrapping_neg() & mask(w) < b),
        }
    }

    /// [`Forbidden::violated`] for operands of any width, as limbs.
    pub fn violated_wide(self, w: u32, a: &[u64], b: &[u64]) -> bool {
        let is_zero = |x: &[u64]| x.iter().all(|&limb| limb == 0);
        let constant = |n: u64| {
            let mut limbs: Limbs = smallvec![0; wide::limbs(w)];
            limbs[0] = n;
            limbs
        };
        let overflows = |op, width: u32| {
            let extend = |x: &[u64]| wide::cast(CastOp::Sext, w, width, x);
            let exact = wide::bin(op, width, &extend(a), &extend(b));
            extend(&wide::cast(CastOp::Trunc, width, w, &exact)) != exact
        };
        match self {
            Forbidden::DivZero => is_zero(b),
            Forbidden::Quotient => {
                let ones = wide::bin(BinOp::Sub, w, &constant(0), &constant(1));
                let least = wide::bin(BinOp::Shl, w, &constant(1), &constant(u64::from(w - 1)));
                *b == ones[..] && *a == least[..]
            }
            Forbidden::Shift => !wide::cmp(CmpOp::Ult, w, b, &constant(u64::from(w))),
            Forbidden::Add => overflows(BinOp::Add, w + 1),
            Forbidden::Sub => overflows(BinOp::Sub, w + 1),
            Forbidden::Mul => overflows(BinOp::Mul, 2 * w),
            Forbidden::Index => !wide::cmp(CmpOp::Ult, w, a, b),
            Forbidden::Zero => is_zero(a),
            Forbidden::Misaligned => {
                let below = wide::bin(BinOp::Sub, w, b, &constant(1));
                !is_zero(&wide::bin(BinOp::And, w, a, &below))
            }
            Forbidden::Overlap => {
                let back = wide::bin(BinOp::Sub, w, &constant(0), a);
                let is_near = |x: &[u64]| wide::cmp(CmpOp::Ult, w, x, b);
                !is_zero(a) && (is_near(a) || is_near(&back))
            }
        }
    }

    /// The condition (one bit) under which the operands, `w` bits wide, violate it.
    pub fn violation(self, pool: &mut Pool, w: u32, a: Term, b: Term) -> Term {
        match self {
            Forbidden::DivZero => is_zero(pool, w, b),
            Forbidden::Quotient => {
                let (ones, least) = extremes(pool, w);
                let minus_one = pool.eq(b, ones);
                let lowest = pool.eq(a, least);
                pool.and(minus_one, lowest)
            }
            Forbidden::Shift => {
                let bits = constant(pool, w, u64::from(w));
                pool.uge(b, bits)
            }
            Forbidden::Add => overflows(pool, BinOp::Add, true, w, a, b),
            Forbidden::Sub => overflows(pool, BinOp::Sub, true, w, a, b),
            Forbidden::Mul => overflows(pool, BinOp::Mul, true, w, a, b),
            Forbidden::Index => pool.uge(a, b),
            Forbidden::Zero => is_zero(pool, w, a),
            Forbidden::Misaligned => {
                let one = constant(pool, w, 1);
                let below = pool.sub(b, one);
                let rest = pool.and(a, below);
                let zero = constant(pool, w, 0);
                pool.ne(rest, zero)
            }
            Forbidden::Overlap => {
                let zero = constant(pool, w, 0);
                let back = pool.sub(zero, a);
                let apart = pool.ne(a, zero);
                let (forward, backward) = (pool.ult(a, b), pool.ult(back, b));
                let near = pool.or(forward, backward);
                pool.and(apart, near)
            }
        }
    }

    /// The error that it means.
    pub fn error(self) -> (ErrorKind, &'static str) {
        match self {
            Forbidden::DivZero => (ErrorKind::DivZero, "division by zero"),
            Forbidden::Quotient => (
                ErrorKind::Overflow,
                "signed division overflows: the lowest number divided by -1",
            ),
            Forbidden::Shift => (ErrorKind::Shift, "shift amount is not below the width"),
            Forbidden::Add => (ErrorKind::Overflow, "signed addition overflows"),
            Forbidden::Sub => (ErrorKind::Overflow, "signed subtraction overflows"),
            Forbidden::Mul => (ErrorKind::Overflow, "signed multiplication overflows"),
            Forbidden::Index => (ErrorKind::OutOfBounds, "the index is outside of its array"),
            Forbidden::Zero => (
                ErrorKind::Builtin,
                "the zeros of a number without any bit are counted",
            ),
            Forbidden::Misaligned => (
                ErrorKind::Misaligned,
                "a vector instruction needs an aligned address",
            ),
            Forbidden::Overlap => (ErrorKind::Overlap, "memcpy between overlapping ranges"),
        }
    }
}

fn is_zero(pool: &mut Pool, w: u32, b: Term) -> Term {
    let zero = constant(pool, w, 0);
    pool.eq(b, zero)
}

/// All ones, and only the top bit set.
fn extremes(pool: &mut Pool, w: u32) -> (Term, Term) {
    let zero = constant(pool, w, 0);
    let ones = pool.not(zero);
    let one = constant(pool, w, 1);
    let by = constant(pool, w, u64::from(w - 1));
    (ones, pool.shl(one, by))
}

/// Does the exact result of add, sub or mul lie outside of the type's range?
pub fn overflows(pool: &mut Pool, op: BinOp, is_signed: bool, w: u32, a: Term, b: Term) -> Term {
    let wide = if op == BinOp::Mul { 2 * w } else { w + 1 };
    let (x, y) = if is_signed {
        (pool.sext(wide, a), pool.sext(wide, b))
    } else {
        (pool.zext(wide, a), pool.zext(wide, b))
    };
    let exact = match op {
        BinOp::Add => pool.add(x, y),
        BinOp::Sub => pool.sub(x, y),
        _ => pool.mul(x, y),
    };
    // As a range, which intervals decide: comparing with the wrapped result would mean a second product
    // that nothing but search relates to this one.
    let (ones, least) = extremes(pool, w);
    if !is_signed {
        let greatest = pool.zext(wide, ones);
        // A difference below zero is huge in the wider type.
        return pool.ult(greatest, exact);
    }
    let greatest = pool.not(least);
    let (least, greatest) = (pool.sext(wide, least), pool.sext(wide, greatest));
    let (below, above) = (pool.slt(exact, least), pool.slt(greatest, exact));
    pool.or(below, above)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARTS: [Forbidden; 10] = [
        Forbidden::DivZero,
        Forbidden::Quotient,
        Forbidden::Shift,
        Forbidden::Add,
        Forbidden::Sub,
        Forbidden::Mul,
        Forbidden::Overlap,
        Forbidden::Index,
        Forbidden::Zero,
        Forbidden::Misaligned,
    ];

    /// Operands of 16 bits, and the same question in 80 bits: shifted to the top, a sum overflows where it did.
    #[test]
    fn one_answer_in_limbs_in_terms_and_in_registers() {
        let samples = [0, 1, 2, 15, 16, 17, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff];
        let mut pool = Pool::new();
        for part in PARTS {
            for a in samples {
                for b in samples {
                    let narrow = part.violated(16, a, b);
                    assert_eq!(
                        part.violated_wide(16, &[a], &[b]),
                        narrow,
                        "{part:?} {a} {b}"
                    );
                    let (x, y) = (pool.bv(16, a), pool.bv(16, b));
                    let term = part.violation(&mut pool, 16, x, y);
                    assert_eq!(
                        pool.as_const(term),
                        Some(u64::from(narrow)),
                        "{part:?} {a} {b}"
                    );
                }
            }
        }
    }

    #[test]
    fn wide_operands_are_compared_with_their_terms() {
        let w = 130;
        let limbs: Vec<[u64; 3]> = vec![
            [0, 0, 0],
            [1, 0, 0],
            [129, 0, 0],
            [130, 0, 0],
            [0, 1, 0],
            [u64::MAX, u64::MAX, 1],
            [0, 0, 2],
            [u64::MAX, u64::MAX, 3],
            [0, 0, 1],
        ];
        let mut pool = Pool::new();
        let term = |pool: &mut Pool, x: &[u64; 3]| {
            let parts = [(64, x[0]), (64, x[1]), (2, x[2])];
            let mut parts = parts.map(|(w, n)| pool.bv(w, n)).into_iter();
            let low = parts.next().expect("there are three");
            parts.fold(low, |all, high| pool.concat(high, all))
        };
        for part in PARTS {
            let mut holds = 0;
            for a in &limbs {
                for b in &limbs {
                    let concrete = part.violated_wide(w, a, b);
                    holds += u32::from(concrete);
                    let (x, y) = (term(&mut pool, a), term(&mut pool, b));
                    let bad = part.violation(&mut pool, w, x, y);
                    let expected = Some(u64::from(concrete));
                    assert_eq!(pool.as_const(bad), expected, "{part:?} {a:?} {b:?}");
                }
            }
            assert!(holds > 0, "{part:?} is violated by some operands");
        }
    }
}
