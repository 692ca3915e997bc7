//! Redundant conditions from sets of floats ([`crate::boxes`]), which bound the circuits of a query.
//!
//! With them the search need not find out by conflicts that no intermediate result is NaN or infinite, nor in which
//! direction two exponents differ: such parts of circuits are decided by propagation. The circuits stay the same, so
//! that queries of one path share them.

use super::logic::Terms;
use super::lower::{FloatTerms, Lowering};
use crate::boxes::Floats;
use float::Logic as _;
use term::{Pool, Term};

/// A condition without floats that follows from floats lying in sets, as far as these are lowered already.
pub(super) fn implied(pool: &mut Pool, lowering: &Lowering, sets: &[(Term, Floats)]) -> Term {
    sets.iter().fold(Term::TRUE, |all, (t, set)| {
        let float = lowering.float(*t).filter(|_| !set.nan);
        float.map_or(all, |x| {
            let own = within(pool, &x, set);
            pool.and(all, own)
        })
    })
}

/// Follows from the float being one of a set without NaN: not NaN, its sign, and bounds of its exponent.
fn within(pool: &mut Pool, x: &FloatTerms, set: &Floats) -> Term {
    let mut all = pool.not(x.nan);
    let mut add = |pool: &mut Pool, t: Term| all = pool.and(all, t);
    if set.negative.is_empty() {
        let positive = pool.not(x.negative);
        add(pool, positive);
    } else if set.positive.is_empty() {
        add(pool, x.negative);
    }
    if let Some((least, most)) = set.exponents(x.format) {
        let finite = pool.not(x.infinite);
        add(pool, finite);
        let width = pool.width(x.exponent);
        let terms = Terms::new(pool);
        let [least, most] = [least, Some(most)].map(|e| e.map(|e| terms.constant(width, e)));
        if let Some(least) = least {
            let nonzero = pool.not(x.zero);
            add(pool, nonzero);
            let below = pool.slt(x.exponent, least);
            let not_below = pool.not(below);
            add(pool, not_below);
        }
        if let Some(most) = most {
            let above = pool.slt(most, x.exponent);
            let not_above = pool.not(above);
            add(pool, not_above);
        }
    }
    all
}
