//! `Check` instructions: what they forbid, concretely and as a term.

use crate::concrete::{mask, overflow, signed};
use crate::errors::ErrorKind;
use crate::terms::constant;
use ir::{BinOp, CheckKind};
use term::{Pool, Term};

/// One thing that a check forbids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
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
}

/// What a check forbids, in the order in which it is looked at.
#[inline]
pub fn parts(kind: CheckKind) -> &'static [Part] {
    match kind {
        CheckKind::DivZero => &[Part::DivZero],
        CheckKind::SignedDiv => &[Part::DivZero, Part::Quotient],
        CheckKind::Shift => &[Part::Shift],
        CheckKind::SignedAdd => &[Part::Add],
        CheckKind::SignedSub => &[Part::Sub],
        CheckKind::SignedMul => &[Part::Mul],
        CheckKind::Overlap => &[Part::Overlap],
        CheckKind::Index => &[Part::Index],
    }
}

/// Do these concrete operands violate the check?
#[inline]
pub fn violated(kind: CheckKind, w: u8, a: u64, b: u64) -> bool {
    match kind {
        CheckKind::DivZero => Part::DivZero.violated(w, a, b),
        CheckKind::SignedDiv => Part::DivZero.violated(w, a, b) || Part::Quotient.violated(w, a, b),
        CheckKind::Shift => Part::Shift.violated(w, a, b),
        CheckKind::SignedAdd => Part::Add.violated(w, a, b),
        CheckKind::SignedSub => Part::Sub.violated(w, a, b),
        CheckKind::SignedMul => Part::Mul.violated(w, a, b),
        CheckKind::Overlap => Part::Overlap.violated(w, a, b),
        CheckKind::Index => Part::Index.violated(w, a, b),
    }
}

impl Part {
    /// Do these concrete operands, `w` bits wide, violate it?
    #[inline]
    pub fn violated(self, w: u8, a: u64, b: u64) -> bool {
        match self {
            Part::DivZero => b == 0,
            Part::Quotient => b == mask(w) && signed(w, a) == signed(w, 1 << (w - 1)),
            Part::Shift => b >= u64::from(w),
            Part::Add => overflow(BinOp::Add, true, w, a, b).1,
            Part::Sub => overflow(BinOp::Sub, true, w, a, b).1,
            Part::Mul => overflow(BinOp::Mul, true, w, a, b).1,
            Part::Index => a >= b,
            Part::Overlap => a != 0 && (a < b || a.wrapping_neg() & mask(w) < b),
        }
    }

    /// The condition (one bit) under which the operands, `w` bits wide, violate it.
    pub fn violation(self, pool: &mut Pool, w: u32, a: Term, b: Term) -> Term {
        match self {
            Part::DivZero => is_zero(pool, w, b),
            Part::Quotient => {
                let (ones, least) = extremes(pool, w);
                let minus_one = pool.eq(b, ones);
                let lowest = pool.eq(a, least);
                pool.and(minus_one, lowest)
            }
            Part::Shift => {
                let bits = constant(pool, w, u64::from(w));
                pool.uge(b, bits)
            }
            Part::Add => overflows(pool, BinOp::Add, true, w, a, b),
            Part::Sub => overflows(pool, BinOp::Sub, true, w, a, b),
            Part::Mul => overflows(pool, BinOp::Mul, true, w, a, b),
            Part::Index => pool.uge(a, b),
            Part::Overlap => {
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
            Part::DivZero => (ErrorKind::DivZero, "division by zero"),
            Part::Quotient => (
                ErrorKind::Overflow,
                "signed division overflows: the lowest number divided by -1",
            ),
            Part::Shift => (ErrorKind::Shift, "shift amount is not below the width"),
            Part::Add => (ErrorKind::Overflow, "signed addition overflows"),
            Part::Sub => (ErrorKind::Overflow, "signed subtraction overflows"),
            Part::Mul => (ErrorKind::Overflow, "signed multiplication overflows"),
            Part::Index => (ErrorKind::OutOfBounds, "the index is outside of its array"),
            Part::Overlap => (ErrorKind::Overlap, "memcpy between overlapping ranges"),
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
