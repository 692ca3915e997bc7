//! `Check` instructions: what they forbid, concretely and as a term.

use crate::concrete::{mask, overflow, signed};
use crate::errors::ErrorKind;
use crate::terms::constant;
use ir::{BinOp, CheckKind};
use term::{Pool, Term};

/// Do these concrete operands violate the check?
#[inline]
pub fn violated(kind: CheckKind, w: u8, a: u64, b: u64) -> bool {
    match kind {
        CheckKind::DivZero => b == 0,
        CheckKind::SignedDiv => b == 0 || (b == mask(w) && signed(w, a) == signed(w, 1 << (w - 1))),
        CheckKind::Shift => b >= u64::from(w),
        CheckKind::SignedAdd => overflow(BinOp::Add, true, w, a, b).1,
        CheckKind::SignedSub => overflow(BinOp::Sub, true, w, a, b).1,
        CheckKind::SignedMul => overflow(BinOp::Mul, true, w, a, b).1,
    }
}

/// The condition (one bit) under which the operands, `w` bits wide, violate the check.
pub fn violation(pool: &mut Pool, kind: CheckKind, w: u32, a: Term, b: Term) -> Term {
    match kind {
        CheckKind::DivZero => is_zero(pool, w, b),
        CheckKind::SignedDiv => {
            let zero = is_zero(pool, w, b);
            let (ones, least) = extremes(pool, w);
            let minus_one = pool.eq(b, ones);
            let lowest = pool.eq(a, least);
            let both = pool.and(minus_one, lowest);
            pool.or(zero, both)
        }
        CheckKind::Shift => {
            let bits = constant(pool, w, u64::from(w));
            pool.uge(b, bits)
        }
        CheckKind::SignedAdd => overflows(pool, BinOp::Add, true, w, a, b),
        CheckKind::SignedSub => overflows(pool, BinOp::Sub, true, w, a, b),
        CheckKind::SignedMul => overflows(pool, BinOp::Mul, true, w, a, b),
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

/// Does the exact result of add, sub or mul differ from the wrapped one?
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
    let cut = pool.extract(w - 1, 0, exact);
    let back = if is_signed {
        pool.sext(wide, cut)
    } else {
        pool.zext(wide, cut)
    };
    pool.ne(exact, back)
}

/// The error that a violated check means.
pub fn error(kind: CheckKind) -> (ErrorKind, &'static str) {
    match kind {
        CheckKind::DivZero => (ErrorKind::DivZero, "division by zero"),
        CheckKind::SignedDiv => (ErrorKind::DivZero, "division by zero or quotient overflow"),
        CheckKind::Shift => (ErrorKind::Shift, "shift amount is not below the width"),
        CheckKind::SignedAdd => (ErrorKind::Overflow, "signed addition overflows"),
        CheckKind::SignedSub => (ErrorKind::Overflow, "signed subtraction overflows"),
        CheckKind::SignedMul => (ErrorKind::Overflow, "signed multiplication overflows"),
    }
}
