//! FixedSizeBitVectors with the derived operators, and the overflow predicates of SMT-LIB 2.7.

use crate::error::{Checked, wrong};
use crate::sort::{Scalar, ScriptSort, Sorts};
use crate::table::Typed;
use crate::theory::{bits_of, same_sort};
use term::{Pool, Term};

type Unary = fn(&mut Pool, Term) -> Term;
type Binary = fn(&mut Pool, Term, Term) -> Term;

fn bits(pool: &Pool, term: Term) -> Typed {
    Typed {
        term,
        sort: ScriptSort::bits(pool.width(term)),
    }
}

/// Bit-vectors of one width.
fn same_width(sorts: &Sorts, args: &[Typed]) -> Checked<u32> {
    let width = bits_of(sorts, args[0])?;
    same_sort(sorts, args)?;
    Ok(width)
}

pub(super) fn unary(pool: &mut Pool, sorts: &Sorts, args: &[Typed], op: Unary) -> Checked<Typed> {
    bits_of(sorts, args[0])?;
    let term = op(pool, args[0].term);
    Ok(bits(pool, term))
}

/// A left-associative operator that keeps the width.
pub(super) fn fold(pool: &mut Pool, sorts: &Sorts, args: &[Typed], op: Binary) -> Checked<Typed> {
    same_width(sorts, args)?;
    let first = args[0].term;
    let term = args[1..].iter().fold(first, |a, b| op(pool, a, b.term));
    Ok(bits(pool, term))
}

/// A predicate over two bit-vectors.
pub(super) fn compare(
    pool: &mut Pool,
    sorts: &Sorts,
    args: &[Typed],
    op: Binary,
) -> Checked<Typed> {
    same_width(sorts, args)?;
    Ok(Typed::bool(op(pool, args[0].term, args[1].term)))
}

/// A predicate over one bit-vector.
pub(super) fn test(pool: &mut Pool, sorts: &Sorts, args: &[Typed], op: Unary) -> Checked<Typed> {
    bits_of(sorts, args[0])?;
    Ok(Typed::bool(op(pool, args[0].term)))
}

pub(super) fn comp(pool: &mut Pool, sorts: &Sorts, args: &[Typed]) -> Checked<Typed> {
    same_width(sorts, args)?;
    let term = pool.eq(args[0].term, args[1].term);
    Ok(bits(pool, term))
}

/// Bits are widened step by step to a width that the pool can hold.
fn check_width(width: u64) -> Checked<u32> {
    match u32::try_from(width) {
        Ok(width @ 1..=term::Sort::MAX_WIDTH) => Ok(width),
        _ => wrong(format!(
            "width {width} is not within 1..={}",
            term::Sort::MAX_WIDTH
        )),
    }
}

pub(super) fn concat(pool: &mut Pool, sorts: &Sorts, args: &[Typed]) -> Checked<Typed> {
    let mut total = 0u64;
    for &arg in args {
        total += bits_of(sorts, arg)? as u64;
    }
    check_width(total)?;
    let (last, first) = args.split_last().expect("at least two arguments");
    let term = first
        .iter()
        .rev()
        .fold(last.term, |low, high| pool.concat(high.term, low));
    Ok(bits(pool, term))
}

pub(super) fn extract(
    pool: &mut Pool,
    sorts: &Sorts,
    hi: u32,
    lo: u32,
    args: &[Typed],
) -> Checked<Typed> {
    let width = bits_of(sorts, args[0])?;
    if hi >= width || lo > hi {
        return wrong(format!(
            "no bits {hi} to {lo} in a bit-vector of width {width}"
        ));
    }
    let term = pool.extract(hi, lo, args[0].term);
    Ok(bits(pool, term))
}

pub(super) fn extend(
    pool: &mut Pool,
    sorts: &Sorts,
    by: u32,
    args: &[Typed],
    op: fn(&mut Pool, u32, Term) -> Term,
) -> Checked<Typed> {
    let width = check_width(bits_of(sorts, args[0])? as u64 + by as u64)?;
    let term = if by == 0 {
        args[0].term
    } else {
        op(pool, width, args[0].term)
    };
    Ok(bits(pool, term))
}

pub(super) fn repeat(pool: &mut Pool, sorts: &Sorts, times: u32, args: &[Typed]) -> Checked<Typed> {
    if times == 0 {
        return wrong("repeated 0 times");
    }
    check_width(bits_of(sorts, args[0])? as u64 * times as u64)?;
    // By the binary digits of the count: a constant is copied a logarithmic number of times.
    let mut doubled = args[0].term;
    let mut term = Term::NONE;
    let mut left = times;
    loop {
        if left & 1 == 1 {
            term = if term.is_none() {
                doubled
            } else {
                pool.concat(doubled, term)
            };
        }
        left >>= 1;
        if left == 0 {
            return Ok(bits(pool, term));
        }
        doubled = pool.concat(doubled, doubled);
    }
}

pub(super) fn rotate_left(
    pool: &mut Pool,
    sorts: &Sorts,
    by: u32,
    args: &[Typed],
) -> Checked<Typed> {
    let width = bits_of(sorts, args[0])?;
    let (by, part) = (by % width, args[0].term);
    if by == 0 {
        return Ok(args[0]);
    }
    let high = pool.extract(width - 1 - by, 0, part);
    let low = pool.extract(width - 1, width - by, part);
    let term = pool.concat(high, low);
    Ok(bits(pool, term))
}

pub(super) fn rotate_right(
    pool: &mut Pool,
    sorts: &Sorts,
    by: u32,
    args: &[Typed],
) -> Checked<Typed> {
    let width = bits_of(sorts, args[0])?;
    rotate_left(pool, sorts, width - by % width, args)
}

pub(super) fn nand(pool: &mut Pool, a: Term, b: Term) -> Term {
    let both = pool.and(a, b);
    pool.not(both)
}

pub(super) fn nor(pool: &mut Pool, a: Term, b: Term) -> Term {
    let either = pool.or(a, b);
    pool.not(either)
}

pub(super) fn xnor(pool: &mut Pool, a: Term, b: Term) -> Term {
    let differ = pool.xor(a, b);
    pool.not(differ)
}

fn sign(pool: &mut Pool, t: Term) -> Term {
    let top = pool.width(t) - 1;
    pool.extract(top, top, t)
}

/// Remainder with the sign of the divisor.
pub(super) fn smod(pool: &mut Pool, a: Term, b: Term) -> Term {
    let width = pool.width(a);
    let (sign_a, sign_b) = (sign(pool, a), sign(pool, b));
    let (minus_a, minus_b) = (pool.neg(a), pool.neg(b));
    let x = pool.ite(sign_a, minus_a, a);
    let y = pool.ite(sign_b, minus_b, b);
    let rest = pool.urem(x, y);
    let zero = pool.zero(width);
    let minus_rest = pool.neg(rest);
    let signed = pool.ite(sign_a, minus_rest, rest);
    let moved = pool.add(signed, b);
    let none = pool.eq(rest, zero);
    let same = xnor(pool, sign_a, sign_b);
    let keep = pool.or(none, same);
    pool.ite(keep, signed, moved)
}

fn smallest(pool: &mut Pool, width: u32) -> Term {
    let top = pool.tru();
    if width == 1 {
        return top;
    }
    let rest = pool.zero(width - 1);
    pool.concat(top, rest)
}

/// Is `-a` not representable?
pub(super) fn neg_overflows(pool: &mut Pool, a: Term) -> Term {
    let width = pool.width(a);
    let smallest = smallest(pool, width);
    pool.eq(a, smallest)
}

pub(super) fn unsigned_add_overflows(pool: &mut Pool, a: Term, b: Term) -> Term {
    let sum = pool.add(a, b);
    pool.ult(sum, a)
}

/// The sum's sign differs from both operands'.
pub(super) fn signed_add_overflows(pool: &mut Pool, a: Term, b: Term) -> Term {
    let sum = pool.add(a, b);
    let (x, y) = (pool.xor(a, sum), pool.xor(b, sum));
    let both = pool.and(x, y);
    sign(pool, both)
}

/// The operands' signs differ, and the difference's from the first one's.
pub(super) fn signed_sub_overflows(pool: &mut Pool, a: Term, b: Term) -> Term {
    let difference = pool.sub(a, b);
    let (x, y) = (pool.xor(a, b), pool.xor(a, difference));
    let both = pool.and(x, y);
    sign(pool, both)
}

/// The upper half of the double product is not 0.
pub(super) fn unsigned_mul_overflows(pool: &mut Pool, a: Term, b: Term) -> Term {
    let width = pool.width(a);
    let (x, y) = (pool.zext(2 * width, a), pool.zext(2 * width, b));
    let product = pool.mul(x, y);
    let high = pool.extract(2 * width - 1, width, product);
    let zero = pool.zero(width);
    pool.ne(high, zero)
}

/// The double product is not the extension of its lower half.
pub(super) fn signed_mul_overflows(pool: &mut Pool, a: Term, b: Term) -> Term {
    let width = pool.width(a);
    let (x, y) = (pool.sext(2 * width, a), pool.sext(2 * width, b));
    let product = pool.mul(x, y);
    let low = pool.extract(width - 1, 0, product);
    let back = pool.sext(2 * width, low);
    pool.ne(product, back)
}

pub(super) fn signed_div_overflows(pool: &mut Pool, a: Term, b: Term) -> Term {
    let ones = pool.ones(pool.width(a));
    let (least, minus_one) = (neg_overflows(pool, a), pool.eq(b, ones));
    pool.and(least, minus_one)
}

/// A predicate that needs a double width.
pub(super) fn compare_double(
    pool: &mut Pool,
    sorts: &Sorts,
    args: &[Typed],
    op: Binary,
) -> Checked<Typed> {
    check_width(2 * same_width(sorts, args)? as u64)?;
    compare(pool, sorts, args, op)
}

/// A bit-vector literal from digits of `per` bits each.
pub(crate) fn literal(pool: &mut Pool, digits: &str, per: u32) -> Checked<Typed> {
    let width = check_width(digits.len() as u64 * per as u64)?;
    let mut limbs = vec![0u64; width.div_ceil(64) as usize];
    for (k, digit) in digits.bytes().rev().enumerate() {
        let value = (digit as char).to_digit(16).expect("the lexer saw a digit");
        let bit = k as u32 * per;
        limbs[(bit / 64) as usize] |= (value as u64) << (bit % 64);
    }
    let term = pool.bv_wide(width, &limbs);
    Ok(bits(pool, term))
}

/// `(_ bvN width)`.
pub(crate) fn numbered(pool: &mut Pool, number: &str, width: u32) -> Checked<Typed> {
    let width = check_width(width as u64)?;
    if number.is_empty() || !number.bytes().all(|b| b.is_ascii_digit()) {
        return wrong(format!(
            "'bv{}' is no literal",
            crate::lexer::shortened(number)
        ));
    }
    // A number of d digits has at least 3.3 * (d - 1) bits: no need to read it all to refuse it.
    let too_large = || wrong(format!("the literal does not fit into {width} bits"));
    let significant = number.trim_start_matches('0');
    if significant.len() as u64 > width as u64 / 3 + 2 {
        return too_large();
    }
    let value: term::BigInt = number.parse().expect("digits");
    if value.bits() > width as u64 {
        return too_large();
    }
    let limbs: Vec<u64> = value.magnitude().iter_u64_digits().collect();
    let term = pool.bv_wide(width, &limbs);
    Ok(bits(pool, term))
}

/// The sort `(_ BitVec width)`.
pub(crate) fn sort(width: u32) -> Checked<ScriptSort> {
    Ok(ScriptSort::Scalar(Scalar::BitVec(check_width(
        width as u64,
    )?)))
}
