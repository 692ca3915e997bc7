//! Values of floats and rounding modes as the bit-vectors that hold them: in symbols, in arrays, in arguments.
//!
//! Terms compute with floats as the machine does, where NaN has many bit patterns; in SMT-LIB there is one NaN. So
//! nothing here tells one NaN from another: values are equal if both are NaN, and what is put into an array or handed to
//! a function is *canonical*, with one pattern for NaN. Of the eight numbers for rounding modes, those beyond the fifth
//! are read as `RTZ`. Free arrays can hold any bit-vectors at any index; they are read as the values that these stand for.

use crate::sort::{ROUNDING_WIDTH, Scalar, ScriptSort};
use crate::table::Typed;
use crate::theory::Open;
use term::{FloatFormat, FloatPredicate, Pool, RoundingMode, Term};

/// The value that a bit-vector holds.
pub(crate) fn value(pool: &mut Pool, sort: Scalar, bits: Term) -> Typed {
    let term = match sort {
        Scalar::Float(format) => pool.fp_from_bits(format, bits),
        Scalar::Rounding => {
            let last = pool.bv(ROUNDING_WIDTH, RoundingMode::TowardZero as u64);
            let is_other = pool.ult(bits, last);
            pool.ite(is_other, bits, last)
        }
        Scalar::Bool | Scalar::BitVec(_) | Scalar::Declared(_) => bits,
    };
    Typed {
        term,
        sort: ScriptSort::Scalar(sort),
    }
}

/// The canonical bit-vector that holds a value.
pub(crate) fn bits(pool: &mut Pool, sort: Scalar, value: Term) -> Term {
    let Scalar::Float(format) = sort else {
        return value;
    };
    let pattern = pool.fp_to_bits(value);
    let nan = nan_pattern(pool, format);
    let is_nan = is_nan(pool, value);
    pool.ite(is_nan, nan, pattern)
}

/// The pattern of the NaN that is used: positive and quiet, without payload.
pub(crate) fn nan_pattern(pool: &mut Pool, format: FloatFormat) -> Term {
    let stored = format.stored_bits();
    let ones = pool.ones(format.exponent_bits() + 1);
    let pattern = if stored == 1 {
        ones
    } else {
        let rest = pool.zero(stored - 1);
        pool.concat(ones, rest)
    };
    pool.zext(format.bits(), pattern)
}

pub(super) fn is_nan(pool: &mut Pool, float: Term) -> Term {
    pool.fcmp(FloatPredicate::Uno, float, float)
}

/// Are two values of a sort equal?
pub(super) fn equal(pool: &mut Pool, open: &mut Open, sort: ScriptSort, a: Term, b: Term) -> Term {
    match sort {
        ScriptSort::Scalar(Scalar::Float(_)) => pool.fp_same(a, b),
        ScriptSort::Array { index, elem } if index.is_redundant() || elem.is_redundant() => {
            arrays(pool, open, index, elem, a, b)
        }
        _ => pool.eq(a, b),
    }
}

/// Equality of arrays as that of the arrays of bit-vectors that hold them. That these differ only where they hold the
/// same values is excluded by an axiom: they are equal, or differ in a value at some index, which is a fresh symbol.
fn arrays(pool: &mut Pool, open: &mut Open, index: Scalar, elem: Scalar, a: Term, b: Term) -> Term {
    let equal = pool.eq(a, b);
    if pool.is_const(equal) || !open.compares(a, b) {
        return equal;
    }
    let at = pool.new_symbol("difference", term::Sort::BitVec(index.width()));
    let at = pool.symbol_term(at);
    let at = value(pool, index, at);
    let at = bits(pool, index, at.term);
    let [x, y] = [a, b].map(|array| {
        let read = pool.select(array, at);
        value(pool, elem, read).term
    });
    let same = self::equal(pool, open, ScriptSort::Scalar(elem), x, y);
    let differ = pool.not(same);
    let axiom = pool.or(equal, differ);
    open.demand(axiom);
    equal
}
