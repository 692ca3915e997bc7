//! The results of the JVM's instructions, as terms. An int (and what is narrower) is a bit-vector of 32 bits, a long
//! one of 64; a float or double is its bits, which the operations on floats wrap and unwrap (rewriting takes that away
//! again).

mod arrays;
mod convert;
mod floats;
mod integers;

pub(crate) use arrays::Array;

use crate::wire::opcode::*;
use crate::wire::{ABS, ATAN2, FLOAT_ABS, FUNCTION, MAX, MIN, POWER, SQRT};
use term::{Pool, Term};

/// The width of a value of this type on the operand stack.
pub(crate) fn width(kind: char) -> u32 {
    match kind {
        'J' | 'D' => 64,
        'B' => 8,
        'S' | 'C' => 16,
        _ => 32,
    }
}

/// The width of input of this type.
pub(crate) fn symbol_width(kind: char) -> u32 {
    if kind == 'Z' { 1 } else { width(kind) }
}

/// Is it a type of input?
pub(crate) fn is_kind(kind: char) -> bool {
    matches!(kind, 'Z' | 'B' | 'S' | 'C' | 'I' | 'J' | 'F' | 'D')
}

/// Bytes of an element of this type.
pub(crate) fn size(kind: char) -> usize {
    if kind == 'Z' {
        1
    } else {
        width(kind) as usize / 8
    }
}

/// Behind the numbers of the operations [`MAX`] of four types.
const LAST: u32 = MAX + 4;

/// The types of the two operands of an operation; `None` for an operation that is none of these.
pub(crate) fn operands(op: u32) -> Option<(char, char)> {
    let of = |at: u32| ['I', 'J', 'F', 'D'][at as usize & 3];
    Some(match op {
        IADD..=DREM => (of(op - IADD), of(op - IADD)),
        ISHL..=LUSHR if op & 1 == 1 => ('J', 'I'),
        ISHL..=LUSHR => ('I', 'I'),
        IAND..=LXOR if op & 1 == 1 => ('J', 'J'),
        IAND..=LXOR => ('I', 'I'),
        LCMP => ('J', 'J'),
        FCMPL..DCMPL => ('F', 'F'),
        DCMPL..=DCMPG => ('D', 'D'),
        MIN..MAX => (of(op - MIN), of(op - MIN)),
        MAX..LAST => (of(op - MAX), of(op - MAX)),
        ATAN2..=POWER => ('D', 'D'),
        _ => return None,
    })
}

/// The result of an operation on two operands, of which [`operands`] knows the types.
pub(crate) fn binary(pool: &mut Pool, op: u32, a: Term, b: Term) -> Term {
    match op {
        IADD..=DREM if (op - IADD) & 3 >= 2 => floats::arithmetic(pool, op, a, b),
        FCMPL..=DCMPG => floats::compare(pool, op, a, b),
        LCMP => integers::three_way(pool, a, b),
        MIN..LAST if (op - MIN) & 3 >= 2 => floats::extreme(pool, op >= MAX, a, b),
        MIN..LAST => integers::extreme(pool, op >= MAX, a, b),
        ATAN2..=POWER => floats::approximate_of_two(pool, op, a, b),
        _ => integers::arithmetic(pool, op, a, b),
    }
}

/// The result of an operation on one operand; `None` for one that is none of these.
pub(crate) fn unary(pool: &mut Pool, op: u32, a: Term) -> Option<Term> {
    match op {
        INEG..=DNEG => Some(match op - INEG {
            0 | 1 => pool.neg(a),
            _ => floats::negate(pool, a),
        }),
        I2L..=I2S => Some(convert::convert(pool, op - I2L, a)),
        SQRT..=FLOAT_ABS => Some(floats::function(pool, op, a)),
        ABS => Some(integers::absolute(pool, a)),
        FUNCTION..ATAN2 => Some(floats::approximate(pool, op, a)),
        _ => None,
    }
}

pub(crate) use floats::decimal;
pub(crate) use integers::relation;
