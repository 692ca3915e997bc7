//! One operation under a rounding mode that is not constant: read as a choice among the operation under each mode, computed
//! by one circuit.

use super::logic::Terms;
use float::{Logic as _, Rounding, RoundingMode};
use term::{Op, Pool, Term};

/// A choice among results that differ in nothing but their rounding modes.
pub(super) struct Choice {
    /// One of the results.
    pub operation: Term,
    /// Conditions in the order in which they are asked, with the modes that they stand for.
    pub cases: Vec<(Term, RoundingMode)>,
    /// The mode if no condition holds.
    last: RoundingMode,
}

impl Choice {
    /// The choice that a term is, if it is one.
    pub fn of(pool: &Pool, t: Term) -> Option<Choice> {
        let (mut cases, mut at) = (Vec::new(), t);
        let mut operation = None;
        while pool.op(at) == Op::Ite && cases.len() < RoundingMode::ALL.len() {
            let result = pool.child(at, 1);
            if !is_rounded(pool.op(result)) {
                return None;
            }
            let first = *operation.get_or_insert(result);
            if !is_alike(pool, first, result) {
                return None;
            }
            cases.push((pool.child(at, 0), pool.rounding(result)));
            at = pool.child(at, 2);
        }
        let operation = operation.filter(|&first| is_alike(pool, first, at))?;
        Some(Choice {
            operation,
            cases,
            last: pool.rounding(at),
        })
    }
}

fn is_alike(pool: &Pool, a: Term, b: Term) -> bool {
    pool.op(a) == pool.op(b) && pool.sort(a) == pool.sort(b) && pool.children(a) == pool.children(b)
}

/// Does the operation depend on a rounding mode?
pub(super) fn is_rounded(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        FAdd | FSub
            | FMul
            | FDiv
            | Fma
            | FSqrt
            | FRound
            | FpToFp
            | FpToSint
            | FpToUint
            | SintToFp
            | UintToFp
    )
}

/// How an operation rounds.
pub(super) enum Mode {
    Constant(RoundingMode),
    /// Conditions without floats, as in [`Choice`], and the mode if none holds.
    Chosen(Vec<(Term, RoundingMode)>, RoundingMode),
}

impl Mode {
    /// The mode of a choice whose conditions have become these.
    pub fn chosen(choice: &Choice, conditions: &[Term]) -> Mode {
        let modes = choice.cases.iter().map(|(_, mode)| *mode);
        Mode::Chosen(conditions.iter().copied().zip(modes).collect(), choice.last)
    }

    pub fn rounding<'p>(&self, terms: &Terms<'p>) -> Rounding<Terms<'p>> {
        let (cases, last) = match self {
            Mode::Constant(mode) => return Rounding::constant(terms, *mode),
            Mode::Chosen(cases, last) => (cases, *last),
        };
        let is = |wanted: RoundingMode| {
            let otherwise = terms.truth(last == wanted);
            let cases = cases.iter().rev();
            cases.fold(otherwise, |rest, (condition, mode)| {
                terms.choose_bool(condition, &terms.truth(*mode == wanted), &rest)
            })
        };
        Rounding {
            nearest_even: is(RoundingMode::NearestEven),
            nearest_away: is(RoundingMode::NearestAway),
            upward: is(RoundingMode::TowardPositive),
            downward: is(RoundingMode::TowardNegative),
        }
    }
}
