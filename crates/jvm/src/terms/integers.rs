//! Arithmetic on int and long: two's complement that wraps around, shifts by the low bits of their distance. A division is
//! recorded only where its divisor is not zero, and that is a condition of the path.

use crate::wire::opcode::*;
use term::{Pool, Term};

pub(crate) fn arithmetic(pool: &mut Pool, op: u32, a: Term, b: Term) -> Term {
    match op {
        IADD..=DREM => match (op - IADD) / 4 {
            0 => pool.add(a, b),
            1 => pool.sub(a, b),
            2 => pool.mul(a, b),
            // The least number by -1 wraps, as it does here.
            3 => pool.sdiv(a, b),
            _ => pool.srem(a, b),
        },
        ISHL..=LUSHR => {
            let width = pool.width(a);
            let low = pool.bv(32, u64::from(width - 1));
            let distance = pool.and(b, low);
            let distance = if width > 32 {
                pool.zext(width, distance)
            } else {
                distance
            };
            match (op - ISHL) / 2 {
                0 => pool.shl(a, distance),
                1 => pool.ashr(a, distance),
                _ => pool.lshr(a, distance),
            }
        }
        _ => match (op - IAND) / 2 {
            0 => pool.and(a, b),
            1 => pool.or(a, b),
            _ => pool.xor(a, b),
        },
    }
}

/// -1, 0 or 1.
pub(crate) fn three_way(pool: &mut Pool, a: Term, b: Term) -> Term {
    let (less, equal) = (pool.slt(a, b), pool.eq(a, b));
    let (minus, zero, one) = (pool.bv(32, u64::MAX), pool.bv(32, 0), pool.bv(32, 1));
    let rest = pool.ite(equal, zero, one);
    pool.ite(less, minus, rest)
}

/// The greater or the lesser of two.
pub(crate) fn extreme(pool: &mut Pool, greatest: bool, a: Term, b: Term) -> Term {
    let less = pool.slt(a, b);
    if greatest {
        pool.ite(less, b, a)
    } else {
        pool.ite(less, a, b)
    }
}

/// `abs`, which is negative for the least number.
pub(crate) fn absolute(pool: &mut Pool, a: Term) -> Term {
    let width = pool.width(a);
    let zero = pool.bv(width, 0);
    let (negative, negated) = (pool.slt(a, zero), pool.neg(a));
    pool.ite(negative, negated, a)
}

/// The relation of a conditional jump, by its distance from the first of its family: eq ne lt ge gt le.
pub(crate) fn relation(pool: &mut Pool, relation: u32, a: Term, b: Term) -> Term {
    match relation {
        0 => pool.eq(a, b),
        1 => pool.ne(a, b),
        2 => pool.slt(a, b),
        3 => pool.sge(a, b),
        4 => pool.sgt(a, b),
        _ => pool.sle(a, b),
    }
}
