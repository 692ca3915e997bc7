//! ArraysEx, and functions as arrays.

use crate::error::{Checked, wrong};
use crate::sort::{Scalar, Sort, Sorts};
use crate::table::{Function, Typed};
use term::Pool;

fn parts(sorts: &Sorts, array: Typed) -> Checked<(Scalar, Scalar)> {
    match array.sort {
        Sort::Array { index, elem } => Ok((index, elem)),
        sort => wrong(format!("array expected, found {}", sorts.name(sort))),
    }
}

fn fits(sorts: &Sorts, expected: Scalar, arg: Typed) -> Checked<()> {
    if arg.sort == Sort::Scalar(expected) {
        return Ok(());
    }
    let (expected, found) = (sorts.scalar_name(expected), sorts.name(arg.sort));
    wrong(format!("{expected} expected, found {found}"))
}

pub(super) fn select(pool: &mut Pool, sorts: &Sorts, args: &[Typed]) -> Checked<Typed> {
    let (index, elem) = parts(sorts, args[0])?;
    fits(sorts, index, args[1])?;
    Ok(Typed {
        term: pool.select(args[0].term, args[1].term),
        sort: Sort::Scalar(elem),
    })
}

pub(super) fn store(pool: &mut Pool, sorts: &Sorts, args: &[Typed]) -> Checked<Typed> {
    let (index, elem) = parts(sorts, args[0])?;
    fits(sorts, index, args[1])?;
    fits(sorts, elem, args[2])?;
    Ok(Typed {
        term: pool.store(args[0].term, args[1].term, args[2].term),
        sort: args[0].sort,
    })
}

/// `((as const S) v)`.
pub(crate) fn constant(
    pool: &mut Pool,
    sorts: &Sorts,
    sort: Sort,
    args: &[Typed],
) -> Checked<Typed> {
    let Sort::Array { index, elem } = sort else {
        return wrong(format!("array sort expected, found {}", sorts.name(sort)));
    };
    let [value] = args else {
        return wrong(format!(
            "a constant array has 1 argument, not {}",
            args.len()
        ));
    };
    fits(sorts, elem, *value)?;
    Ok(Typed {
        term: pool.array_const(index.width(), elem.width(), value.term),
        sort,
    })
}

/// A declared function of some arguments: a read of its array at all of them side by side, the
/// first one highest.
pub(crate) fn call(
    pool: &mut Pool,
    sorts: &Sorts,
    function: &Function,
    args: &[Typed],
) -> Checked<Typed> {
    if args.len() != function.params.len() {
        let (want, have) = (function.params.len(), args.len());
        return wrong(format!("the function has {want} arguments, not {have}"));
    }
    for (&param, &arg) in function.params.iter().zip(args) {
        fits(sorts, param, arg)?;
    }
    let (last, first) = args.split_last().expect("a function has arguments");
    let index = first
        .iter()
        .rev()
        .fold(last.term, |low, high| pool.concat(high.term, low));
    Ok(Typed {
        term: pool.select(function.array, index),
        sort: Sort::Scalar(function.result),
    })
}
