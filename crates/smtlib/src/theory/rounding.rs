//! Rounding modes: bit-vectors whose values are the modes' numbers, in the order of [`RoundingMode::ALL`].

use crate::error::{Checked, wrong};
use crate::sort::{ROUNDING_WIDTH, Scalar, ScriptSort, Sorts};
use crate::table::Typed;
use term::{Pool, RoundingMode, Term};

/// The mode of that name.
pub(super) fn by_name(name: &str) -> Option<RoundingMode> {
    const LONG: [&str; 5] = [
        "roundNearestTiesToEven",
        "roundNearestTiesToAway",
        "roundTowardPositive",
        "roundTowardNegative",
        "roundTowardZero",
    ];
    let is_it = |(mode, long): &(&RoundingMode, &str)| mode.smt_name() == name || *long == name;
    let mut modes = RoundingMode::ALL.iter().zip(LONG);
    modes.find(is_it).map(|(mode, _)| *mode)
}

/// A mode as a constant.
pub(super) fn constant(pool: &mut Pool, mode: RoundingMode) -> Typed {
    Typed {
        term: pool.bv(ROUNDING_WIDTH, mode as u64),
        sort: ScriptSort::Scalar(Scalar::Rounding),
    }
}

/// A term of sort `RoundingMode`.
pub(super) fn mode(sorts: &Sorts, arg: Typed) -> Checked<Term> {
    match arg.sort {
        ScriptSort::Scalar(Scalar::Rounding) => Ok(arg.term),
        sort => wrong(format!("RoundingMode expected, found {}", sorts.name(sort))),
    }
}

/// The result of an operation under a mode that need not be constant: a case for each one.
pub(super) fn under(
    pool: &mut Pool,
    mode: Term,
    mut operation: impl FnMut(&mut Pool, RoundingMode) -> Term,
) -> Term {
    if let Some(number) = pool.as_const(mode) {
        return operation(pool, RoundingMode::ALL[number as usize]);
    }
    let [others @ .., last] = RoundingMode::ALL;
    let last = operation(pool, last);
    others.into_iter().rev().fold(last, |rest, other| {
        let number = pool.bv(ROUNDING_WIDTH, other as u64);
        let is_it = pool.eq(mode, number);
        let result = operation(pool, other);
        pool.ite(is_it, result, rest)
    })
}
