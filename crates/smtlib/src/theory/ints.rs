//! Ints, and the conversions between integers and bit-vectors.

use crate::error::{Checked, refuse, wrong};
use crate::sort::{ScriptSort, Sorts};
use crate::table::Typed;
use crate::theory::applied::{ApplicationTable, multiply_all};
use crate::theory::{Open, bits_of};
use term::{BigInt, Pool, Term};

/// Widest bit-vector that is converted from or to an integer bit by bit.
const WIDEST_CONVERSION: u32 = 1024;

fn check(sorts: &Sorts, args: &[Typed]) -> Checked<()> {
    match args.iter().find(|arg| arg.sort != ScriptSort::Int) {
        Some(arg) => wrong(format!("Int expected, found {}", sorts.name(arg.sort))),
        None => Ok(()),
    }
}

fn int(term: Term) -> Checked<Typed> {
    Ok(Typed {
        term,
        sort: ScriptSort::Int,
    })
}

pub(super) fn add(pool: &mut Pool, sorts: &Sorts, args: &[Typed]) -> Checked<Typed> {
    check(sorts, args)?;
    let terms: Vec<Term> = args.iter().map(|arg| arg.term).collect();
    int(pool.int_sum(&terms))
}

/// Negation, or the first argument less all others.
pub(super) fn subtract(pool: &mut Pool, sorts: &Sorts, args: &[Typed]) -> Checked<Typed> {
    check(sorts, args)?;
    let [first, rest @ ..] = args else {
        return wrong("'-' has no argument");
    };
    if rest.is_empty() {
        return int(pool.int_neg(first.term));
    }
    let mut terms = vec![first.term];
    terms.extend(rest.iter().map(|arg| pool.int_neg(arg.term)));
    int(pool.int_sum(&terms))
}

pub(super) fn multiply(
    pool: &mut Pool,
    sorts: &Sorts,
    applications: &mut ApplicationTable,
    args: &[Typed],
) -> Checked<Typed> {
    check(sorts, args)?;
    int(multiply_all(pool, applications, args))
}

/// `div` and `mod`, left-associative.
pub(super) fn divide(
    pool: &mut Pool,
    sorts: &Sorts,
    args: &[Typed],
    (open, applications): (&mut Open, &mut ApplicationTable),
    is_remainder: bool,
) -> Checked<Typed> {
    check(sorts, args)?;
    let mut term = args[0].term;
    for arg in &args[1..] {
        term = match pool.as_int(arg.term) {
            Some(divisor) if divisor != BigInt::ZERO && is_remainder => {
                pool.int_mod(term, &divisor)
            }
            Some(divisor) if divisor != BigInt::ZERO => pool.int_div(term, &divisor),
            _ => applications.divide(pool, open, (term, arg.term), is_remainder),
        };
    }
    int(term)
}

pub(super) fn abs(pool: &mut Pool, sorts: &Sorts, args: &[Typed]) -> Checked<Typed> {
    check(sorts, args)?;
    int(pool.int_abs(args[0].term))
}

/// A chained order: `holds` of each pair.
pub(super) fn compare(
    pool: &mut Pool,
    sorts: &Sorts,
    args: &[Typed],
    holds: fn(&mut Pool, Term, Term) -> Term,
) -> Checked<Typed> {
    check(sorts, args)?;
    let mut all = Term::TRUE;
    for pair in args.windows(2) {
        let pair = holds(pool, pair[0].term, pair[1].term);
        all = pool.and(all, pair);
    }
    Ok(Typed::bool(all))
}

/// `((_ divisible n) t)`.
pub(super) fn divisible(
    pool: &mut Pool,
    sorts: &Sorts,
    divisor: u32,
    args: &[Typed],
) -> Checked<Typed> {
    check(sorts, args)?;
    if divisor == 0 {
        return wrong("the divisor is 0");
    }
    let rest = pool.int_mod(args[0].term, &divisor.into());
    let zero = pool.int(&BigInt::ZERO);
    Ok(Typed::bool(pool.eq(rest, zero)))
}

/// The number that a bit-vector is: a sum over its bits, the highest one negative when `signed`.
pub(super) fn of_bits(
    pool: &mut Pool,
    sorts: &Sorts,
    signed: bool,
    args: &[Typed],
) -> Checked<Typed> {
    let width = bits_of(sorts, args[0])?;
    if width > WIDEST_CONVERSION {
        return refuse("conversion of wide bit-vectors to integers");
    }
    let zero = pool.int(&BigInt::ZERO);
    let parts: Vec<Term> = (0..width)
        .map(|k| {
            let bit = pool.extract(k, k, args[0].term);
            let mut weight = BigInt::from(1) << k;
            if signed && k + 1 == width {
                weight = -weight;
            }
            let one = pool.int(&1.into());
            let digit = pool.ite(bit, one, zero);
            pool.int_scale(&weight, digit)
        })
        .collect();
    int(pool.int_sum(&parts))
}

/// `((_ int_to_bv w) t)`: the bits of t modulo 2^w.
pub(super) fn to_bits(
    pool: &mut Pool,
    sorts: &Sorts,
    width: u32,
    args: &[Typed],
) -> Checked<Typed> {
    check(sorts, args)?;
    if width == 0 {
        return wrong("width 0");
    }
    if width > WIDEST_CONVERSION {
        return refuse("conversion of integers to wide bit-vectors");
    }
    let one = pool.int(&1.into());
    let mut vector = Term::NONE;
    for k in 0..width {
        let shifted = pool.int_div(args[0].term, &(BigInt::from(1) << k));
        let parity = pool.int_mod(shifted, &2.into());
        let bit = pool.eq(parity, one);
        vector = if vector.is_none() {
            bit
        } else {
            pool.concat(bit, vector)
        };
    }
    Ok(Typed {
        term: vector,
        sort: ScriptSort::bits(width),
    })
}
