//! Pass `joined`: what both branches of an if-then-else say about one integer sum is said once, outside.
//!
//! `ite(c, s = p and A, s = q and B)` for a sum `s` and numbers is `s = ite(c, p, q)` and `ite(c, A, B)`: the join of two
//! affine relations (Karr, "Affine relationships among variables of a program", Acta Informatica 1976), made exact by the
//! condition. So the unrolled steps of a loop become equations, of which the integer layer finds what no choice can change.

use super::{Pass, PassContext, Preprocess};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use term::{BigInt, Op, Pool, Sort, Term};

/// The sum of an equation without its constant, as factors and terms.
type Key = Vec<(Term, BigInt)>;

/// The pass.
pub(super) struct JoinedEquations;

impl Pass for JoinedEquations {
    fn name(&self) -> &'static str {
        "joined"
    }

    fn apply(&self, query: &mut Preprocess, around: &mut PassContext<'_>) -> bool {
        join(query, around.pool, &mut around.stats.joined)
    }
}

/// Applies the rule; counts the equations that came out.
fn join(query: &mut Preprocess, pool: &mut Pool, count: &mut u64) -> bool {
    let before = *count;
    let mut all = Vec::with_capacity(query.conjuncts.len());
    for &t in &query.conjuncts {
        if pool.op(t) == Op::Ite && pool.has_int(t) {
            joined(pool, t, &mut all, count);
        } else {
            all.push(t);
        }
    }
    if *count == before {
        return false;
    }
    query.conjuncts = all;
    query.flatten(pool);
    true
}

/// The conjuncts of a conjunction.
fn parts(pool: &Pool, t: Term) -> Vec<Term> {
    let mut parts = Vec::new();
    let mut stack = vec![t];
    while let Some(t) = stack.pop() {
        if pool.op(t) == Op::And {
            stack.extend([pool.child(t, 1), pool.child(t, 0)]);
        } else {
            parts.push(t);
        }
    }
    parts
}

/// The sum and what it is equal to.
fn equation(pool: &Pool, t: Term) -> Option<(Key, BigInt)> {
    let is_equation = pool.op(t) == Op::Eq && pool.sort(pool.child(t, 0)) == Sort::Int;
    let sum = is_equation.then(|| pool.linear_atom(t))??;
    Some((sum.monomials, -sum.constant))
}

/// The equations that both branches have, and what is left of the choice.
fn joined(pool: &mut Pool, t: Term, all: &mut Vec<Term>, count: &mut u64) {
    let [condition, yes, no] = [0, 1, 2].map(|k| pool.child(t, k));
    let mut of_no: FxHashMap<Key, (Term, BigInt)> = FxHashMap::default();
    let mut rest_no = Vec::new();
    for part in parts(pool, no) {
        match equation(pool, part) {
            Some((sum, value)) => match of_no.entry(sum) {
                Entry::Vacant(place) => {
                    place.insert((part, value));
                }
                Entry::Occupied(_) => rest_no.push(part),
            },
            None => rest_no.push(part),
        }
    }
    let mut rest_yes = Vec::new();
    for part in parts(pool, yes) {
        let found =
            equation(pool, part).and_then(|(sum, value)| Some((of_no.remove(&sum)?.1, sum, value)));
        let Some((other, monomials, value)) = found else {
            rest_yes.push(part);
            continue;
        };
        let sum = pool.linear_term(&term::Linear {
            monomials,
            constant: BigInt::ZERO,
        });
        let [value, other] = [value, other].map(|number| pool.int(&number));
        let chosen = pool.ite(condition, value, other);
        all.push(pool.eq(sum, chosen));
        *count += 1;
    }
    rest_no.extend(of_no.into_values().map(|(part, _)| part));
    rest_no.sort_unstable();
    let [yes, no] = [rest_yes, rest_no].map(|parts| {
        let all = parts.into_iter();
        all.fold(Term::TRUE, |all, part| pool.and(all, part))
    });
    all.push(pool.ite(condition, yes, no));
}

#[cfg(test)]
mod tests {
    use super::*;
    use solver::Model;
    use term::Evaluator;

    #[test]
    fn equations_of_both_branches_come_out_and_others_stay() {
        let pool = &mut Pool::new();
        let names = ["x", "y", "z"];
        let symbols = names.map(|name| pool.new_symbol(name, Sort::Int));
        let [x, y, z] = symbols.map(|s| pool.symbol_term(s));
        let guard = pool.new_symbol("c", Sort::BitVec(1));
        let condition = pool.symbol_term(guard);
        let difference = pool.int_sub(x, y);
        let number = [2, -3, 1].map(|n: i32| pool.int(&n.into()));
        let [up, down, other] = number.map(|n| pool.eq(difference, n));
        let below = pool.int_le(z, number[0]);
        let is_z = pool.eq(z, number[2]);
        let [yes, no] = [(up, below), (down, is_z)].map(|(a, b)| pool.and(a, b));
        let choice = pool.ite(condition, yes, no);
        let mut query = Preprocess {
            conjuncts: vec![choice],
            gone: Vec::new(),
            changed_by: Vec::new(),
            path: None,
        };
        let mut count = 0;
        assert!(join(&mut query, pool, &mut count));
        assert_eq!((count, query.conjuncts.len()), (1, 2));
        assert!(!join(&mut query, pool, &mut count));
        let mut evaluator = Evaluator::new();
        for n in 0..2 * 7 * 7 * 5 {
            let mut model = Model::default();
            model.set(guard, n & 1);
            let values = [n / 2 % 7, n / 14 % 7, n / 98 % 5];
            for (&symbol, value) in symbols.iter().zip(values) {
                model.set_int(symbol, BigInt::from(value));
            }
            let before = evaluator.first_false(pool, &[choice], &model).is_none();
            let after = evaluator
                .first_false(pool, &query.conjuncts, &model)
                .is_none();
            assert_eq!(before, after);
        }
        // Sums that differ have nothing in common.
        let sum = pool.int_add(x, z);
        let is_sum = pool.eq(sum, number[2]);
        let mut query = Preprocess {
            conjuncts: vec![pool.ite(condition, other, is_sum)],
            gone: Vec::new(),
            changed_by: Vec::new(),
            path: None,
        };
        assert!(!join(&mut query, pool, &mut 0));
    }
}
