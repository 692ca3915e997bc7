//! FloatingPoint: constants, operations, comparisons and classes.

use crate::error::{Checked, wrong};
use crate::sort::{Scalar, ScriptSort, Sorts};
use crate::table::Typed;
use crate::theory::{Open, bits_of, held, rounding, same_sort};
use term::{FloatFormat, FloatPredicate, Pool, RoundingMode, Term};

/// A format of the theory; refused where terms have none.
pub(crate) fn format(eb: u32, sb: u32) -> Checked<FloatFormat> {
    if eb < 2 || sb < 2 {
        return wrong(format!(
            "a floating-point format has at least 2 bits of exponent and 2 of significand, not {eb} and {sb}"
        ));
    }
    FloatFormat::new(eb, sb).or(crate::error::refuse(
        "floats with more than 30 bits of exponent or 1023 of significand",
    ))
}

/// A term as a float of its format.
pub(super) fn float(pool: &Pool, term: Term) -> Typed {
    Typed {
        term,
        sort: ScriptSort::Scalar(Scalar::Float(pool.float_format(term))),
    }
}

/// The format of a float.
pub(super) fn format_of(sorts: &Sorts, arg: Typed) -> Checked<FloatFormat> {
    match arg.sort {
        ScriptSort::Scalar(Scalar::Float(format)) => Ok(format),
        sort => wrong(format!(
            "floating-point number expected, found {}",
            sorts.name(sort)
        )),
    }
}

/// The common format of floats.
fn formats_of(sorts: &Sorts, args: &[Typed]) -> Checked<FloatFormat> {
    let format = format_of(sorts, args[0])?;
    same_sort(sorts, args)?;
    Ok(format)
}

/// `(_ +oo eb sb)` and the like, if it is one of the constants with a name.
pub(crate) fn named(pool: &mut Pool, name: &str, indices: &[u32]) -> Option<Checked<Typed>> {
    let (negative, infinite) = match name {
        "+oo" => (false, true),
        "-oo" => (true, true),
        "+zero" => (false, false),
        "-zero" => (true, false),
        "NaN" => (false, true),
        _ => return None,
    };
    let &[eb, sb] = indices else {
        return Some(wrong(format!(
            "'{name}' has 2 indices, not {}",
            indices.len()
        )));
    };
    Some(format(eb, sb).map(|format| {
        if name == "NaN" {
            let pattern = held::nan_pattern(pool, format);
            let term = pool.fp_from_bits(format, pattern);
            return float(pool, term);
        }
        let term = special(pool, format, negative, infinite);
        float(pool, term)
    }))
}

/// A zero or an infinity.
fn special(pool: &mut Pool, format: FloatFormat, negative: bool, infinite: bool) -> Term {
    let (eb, stored) = (format.exponent_bits(), format.stored_bits());
    let sign = pool.bool(negative);
    let exponent = if infinite {
        pool.ones(eb)
    } else {
        pool.zero(eb)
    };
    let zeros = pool.zero(stored);
    let upper = pool.concat(sign, exponent);
    let pattern = pool.concat(upper, zeros);
    pool.fp_from_bits(format, pattern)
}

/// `(fp sign exponent significand)`.
pub(super) fn of_parts(pool: &mut Pool, sorts: &Sorts, args: &[Typed]) -> Checked<Typed> {
    let [sign, eb, stored] = [0, 1, 2].map(|k| bits_of(sorts, args[k]));
    if sign? != 1 {
        return wrong("the sign of 'fp' is one bit");
    }
    let format = format(eb?, stored?.saturating_add(1))?;
    let upper = pool.concat(args[0].term, args[1].term);
    let pattern = pool.concat(upper, args[2].term);
    let term = pool.fp_from_bits(format, pattern);
    Ok(float(pool, term))
}

/// `fp.abs`, `fp.neg`.
pub(super) fn unary(
    pool: &mut Pool,
    sorts: &Sorts,
    args: &[Typed],
    op: fn(&mut Pool, Term) -> Term,
) -> Checked<Typed> {
    format_of(sorts, args[0])?;
    let term = op(pool, args[0].term);
    Ok(float(pool, term))
}

/// An operation whose first argument is the rounding mode; `op` gets the others.
pub(super) fn rounded(
    pool: &mut Pool,
    sorts: &Sorts,
    args: &[Typed],
    op: fn(&mut Pool, RoundingMode, &[Term]) -> Term,
) -> Checked<Typed> {
    let mode = rounding::mode(sorts, args[0])?;
    formats_of(sorts, &args[1..])?;
    let operands: Vec<Term> = args[1..].iter().map(|arg| arg.term).collect();
    let term = rounding::under(pool, mode, |pool, mode| op(pool, mode, &operands));
    Ok(float(pool, term))
}

/// `fp.rem`.
pub(super) fn remainder(pool: &mut Pool, sorts: &Sorts, args: &[Typed]) -> Checked<Typed> {
    formats_of(sorts, args)?;
    let term = pool.fremainder(args[0].term, args[1].term);
    Ok(float(pool, term))
}

/// `fp.min`, `fp.max`. Which of unlike zeros it is, is left open.
pub(super) fn min_max(
    pool: &mut Pool,
    sorts: &Sorts,
    open: &mut Open,
    args: &[Typed],
    minimum: bool,
) -> Checked<Typed> {
    let format = formats_of(sorts, args)?;
    let (a, b) = (args[0].term, args[1].term);
    let plain = if minimum {
        pool.fmin(a, b)
    } else {
        pool.fmax(a, b)
    };
    let [zero_a, zero_b] = [a, b].map(|t| is_zero(pool, t));
    let zeros = pool.and(zero_a, zero_b);
    let [negative_a, negative_b] = [a, b].map(|t| sign(pool, t));
    let differ = pool.xor(negative_a, negative_b);
    let unlike = pool.and(zeros, differ);
    if unlike == Term::FALSE {
        return Ok(float(pool, plain));
    }
    let [before, after] =
        [true, false].map(|negative| open.first_zero(pool, format, minimum, negative));
    let first = pool.ite(negative_a, before, after);
    let zero = pool.ite(first, a, b);
    let term = pool.ite(unlike, zero, plain);
    Ok(float(pool, term))
}

/// A chained comparison.
pub(super) fn compare(
    pool: &mut Pool,
    sorts: &Sorts,
    args: &[Typed],
    predicate: FloatPredicate,
) -> Checked<Typed> {
    formats_of(sorts, args)?;
    let mut all = Term::TRUE;
    for pair in args.windows(2) {
        let holds = pool.fcmp(predicate, pair[0].term, pair[1].term);
        all = pool.and(all, holds);
    }
    Ok(Typed::bool(all))
}

/// A test of one float.
pub(super) fn test(
    pool: &mut Pool,
    sorts: &Sorts,
    args: &[Typed],
    holds: fn(&mut Pool, Term) -> Term,
) -> Checked<Typed> {
    format_of(sorts, args[0])?;
    Ok(Typed::bool(holds(pool, args[0].term)))
}

/// The sign's bit, which NaN has too.
fn sign(pool: &mut Pool, float: Term) -> Term {
    let pattern = pool.fp_to_bits(float);
    let top = pool.width(pattern) - 1;
    pool.extract(top, top, pattern)
}

pub(super) fn is_zero(pool: &mut Pool, float: Term) -> Term {
    let format = pool.float_format(float);
    let zero = special(pool, format, false, false);
    pool.fcmp(FloatPredicate::Oeq, float, zero)
}

pub(super) fn is_infinite(pool: &mut Pool, float: Term) -> Term {
    let format = pool.float_format(float);
    let infinity = special(pool, format, false, true);
    let magnitude = pool.fabs(float);
    pool.fcmp(FloatPredicate::Oeq, magnitude, infinity)
}

/// Is it at least the smallest normal number, and below infinity?
pub(super) fn is_normal(pool: &mut Pool, float: Term) -> Term {
    let format = pool.float_format(float);
    let magnitude = pool.fabs(float);
    let least = least_normal(pool, format);
    let infinity = special(pool, format, false, true);
    let above = pool.fcmp(FloatPredicate::Ole, least, magnitude);
    let below = pool.fcmp(FloatPredicate::Olt, magnitude, infinity);
    pool.and(above, below)
}

/// Is it below the smallest normal number, and not zero?
pub(super) fn is_subnormal(pool: &mut Pool, float: Term) -> Term {
    let format = pool.float_format(float);
    let magnitude = pool.fabs(float);
    let least = least_normal(pool, format);
    let zero = special(pool, format, false, false);
    let below = pool.fcmp(FloatPredicate::Olt, magnitude, least);
    let above = pool.fcmp(FloatPredicate::Olt, zero, magnitude);
    pool.and(above, below)
}

fn least_normal(pool: &mut Pool, format: FloatFormat) -> Term {
    let one = pool.bv(format.exponent_bits(), 1);
    let zeros = pool.zero(format.stored_bits());
    let pattern = pool.concat(one, zeros);
    let pattern = pool.zext(format.bits(), pattern);
    pool.fp_from_bits(format, pattern)
}

pub(super) fn is_negative(pool: &mut Pool, float: Term) -> Term {
    let nan = held::is_nan(pool, float);
    let negative = sign(pool, float);
    let number = pool.not(nan);
    pool.and(number, negative)
}

pub(super) fn is_positive(pool: &mut Pool, float: Term) -> Term {
    let nan = held::is_nan(pool, float);
    let negative = sign(pool, float);
    let neither = pool.or(nan, negative);
    pool.not(neither)
}
