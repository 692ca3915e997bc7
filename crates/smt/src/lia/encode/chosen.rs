//! Which integers the SAT search should choose: those whose values decide conditions below disjunctions. Branch and bound
//! would choose them anew after each assignment, and nothing would be learned of its choices.

use rustc_hash::FxHashSet;
use term::{Linear, Op, Pool, Sort, Term};

/// Integer symbols in atoms and choices that are no conjuncts.
pub(in super::super) fn find(pool: &Pool, cone: &[Term], conditions: &[Term]) -> FxHashSet<Term> {
    let mut conjuncts: FxHashSet<Term> = FxHashSet::default();
    for &t in conditions {
        conjuncts.insert(t);
        // A disequality is a choice.
        let inner = (pool.op(t) == Op::Not).then(|| pool.child(t, 0));
        conjuncts.extend(inner.filter(|&inner| pool.op(inner) == Op::IntLe));
    }
    let mut chosen = FxHashSet::default();
    let mut add = |sum: &Linear| {
        let atoms = sum.monomials.iter().map(|(atom, _)| *atom);
        chosen.extend(atoms.filter(|&atom| pool.op(atom) == Op::Symbol));
    };
    for &t in cone {
        if let Some(sum) = pool.linear_atom(t) {
            if !conjuncts.contains(&t) {
                add(&sum);
            }
        } else if pool.op(t) == Op::Ite && pool.sort(t) == Sort::Int {
            add(&pool.linear(pool.child(t, 1)));
            add(&pool.linear(pool.child(t, 2)));
        }
    }
    chosen
}
