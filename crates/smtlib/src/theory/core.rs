//! Core: Booleans, equality, if-then-else.

use crate::error::{Checked, refuse, wrong};
use crate::sort::{ScriptSort, Sorts};
use crate::table::Typed;
use crate::theory::{Open, held, same_sort};
use term::{Pool, Term};

/// Most arguments of a `distinct`, which makes an equality for each pair.
const MOST_DISTINCT: usize = 4096;

pub(super) fn bools(sorts: &Sorts, args: &[Typed]) -> Checked<()> {
    match args.iter().find(|arg| arg.sort != ScriptSort::BOOL) {
        Some(arg) => wrong(format!("Bool expected, found {}", sorts.name(arg.sort))),
        None => Ok(()),
    }
}

/// Left-associative connective.
pub(super) fn connective(
    pool: &mut Pool,
    sorts: &Sorts,
    args: &[Typed],
    join: fn(&mut Pool, Term, Term) -> Term,
) -> Checked<Typed> {
    bools(sorts, args)?;
    let first = args[0].term;
    let term = args[1..].iter().fold(first, |a, b| join(pool, a, b.term));
    Ok(Typed::bool(term))
}

/// `(=> a b c)` is `(=> a (=> b c))`.
pub(super) fn implies(pool: &mut Pool, sorts: &Sorts, args: &[Typed]) -> Checked<Typed> {
    bools(sorts, args)?;
    let (last, first) = args.split_last().expect("at least two arguments");
    let term = first
        .iter()
        .rev()
        .fold(last.term, |b, a| pool.implies(a.term, b));
    Ok(Typed::bool(term))
}

/// Chained equality.
pub(super) fn equal(
    pool: &mut Pool,
    sorts: &Sorts,
    open: &mut Open,
    args: &[Typed],
) -> Checked<Typed> {
    same_sort(sorts, args)?;
    let mut all = Term::TRUE;
    for pair in args.windows(2) {
        let equal = held::equal(pool, open, args[0].sort, pair[0].term, pair[1].term);
        all = pool.and(all, equal);
    }
    Ok(Typed::bool(all))
}

pub(super) fn distinct(
    pool: &mut Pool,
    sorts: &Sorts,
    open: &mut Open,
    args: &[Typed],
) -> Checked<Typed> {
    same_sort(sorts, args)?;
    if let Some(scalar) = args[0].sort.scalar()
        && scalar.width() < 20
        && args.len() > 1 << scalar.width()
    {
        return Ok(Typed::bool(Term::FALSE));
    }
    check_distinct(args)?;
    let mut all = Term::TRUE;
    for (k, a) in args.iter().enumerate() {
        for b in &args[k + 1..] {
            let equal = held::equal(pool, open, a.sort, a.term, b.term);
            let differ = pool.not(equal);
            all = pool.and(all, differ);
        }
    }
    Ok(Typed::bool(all))
}

/// Refuses a `distinct` of too many arguments.
pub(super) fn check_distinct(args: &[Typed]) -> Checked<()> {
    if args.len() > MOST_DISTINCT {
        return refuse("distinct of more than 4096 terms");
    }
    Ok(())
}

pub(super) fn ite(pool: &mut Pool, sorts: &Sorts, args: &[Typed]) -> Checked<Typed> {
    bools(sorts, &args[..1])?;
    same_sort(sorts, &args[1..])?;
    let term = pool.ite(args[0].term, args[1].term, args[2].term);
    Ok(Typed {
        term,
        sort: args[1].sort,
    })
}
