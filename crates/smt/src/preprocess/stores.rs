//! Pass `stores`: stores at indices that are known to differ stand in one order, in arrays that are compared.
//!
//! Such stores commute, so that a chain of them is a trace (Mazurkiewicz, 1977); it gets the order that insertion by its
//! indices gives. Chains that write the same elements in different orders become the same term, and a store that another
//! one covers goes. Without the pass, each order would be compared at an unknown index bit by bit.

use super::{Pass, PassContext, Preprocess};
use rustc_hash::{FxHashMap, FxHashSet};
use term::{Op, Pool, Sort, Term};

/// Stores that are looked at in one pass; longer chains stay as they are.
const MAX_STEPS: usize = 1 << 20;

/// The pass.
pub(super) struct Stores;

impl Pass for Stores {
    fn name(&self) -> &'static str {
        "stores"
    }

    fn apply(&self, query: &mut Preprocess, around: &mut PassContext<'_>) -> bool {
        sort(query, around.pool, &mut around.stats.stores)
    }
}

/// Applies the rule; counts the chains changed.
fn sort(query: &mut Preprocess, pool: &mut Pool, count: &mut u64) -> bool {
    let cone = pool.cone(&query.conjuncts);
    let chains = compared(pool, &cone);
    if chains.is_empty() {
        return false;
    }
    let distinct = distinct(pool, &query.conjuncts);
    let mut steps = MAX_STEPS;
    let mut rebuilt: FxHashMap<Term, Term> = FxHashMap::default();
    let mut found = 0;
    for t in cone {
        let old: Vec<Term> = pool.children(t).to_vec();
        let new: Vec<Term> = old.iter().map(|k| rebuilt[k]).collect();
        let in_order = if chains.contains(&t) {
            sorted(pool, t, &rebuilt, &distinct, &mut steps)
        } else {
            None
        };
        let own = match in_order {
            Some(sorted) => {
                found += u64::from(sorted != t && new == old);
                sorted
            }
            None if new == old => t,
            None => pool.rebuild(t, &new),
        };
        rebuilt.insert(t, own);
    }
    if found > 0 {
        query.conjuncts = query.conjuncts.iter().map(|t| rebuilt[t]).collect();
        query.flatten(pool);
    }
    *count += found;
    found > 0
}

/// The chains of at least two stores that arrays which are compared end with.
fn compared(pool: &Pool, cone: &[Term]) -> FxHashSet<Term> {
    let is_array = |t: Term| matches!(pool.sort(t), Sort::Array { .. });
    let mut chains = FxHashSet::default();
    let equalities = cone.iter().filter(|&&t| pool.op(t) == Op::Eq);
    let mut stack: Vec<Term> = equalities
        .flat_map(|&t| pool.children(t))
        .copied()
        .filter(|&t| is_array(t))
        .collect();
    let mut seen = FxHashSet::default();
    while let Some(t) = stack.pop() {
        if !seen.insert(t) {
            continue;
        }
        match pool.op(t) {
            Op::Ite => stack.extend(&pool.children(t)[1..]),
            Op::Store if pool.op(pool.child(t, 0)) == Op::Store => {
                chains.insert(t);
            }
            _ => {}
        }
    }
    chains
}

/// The pairs of terms that the conjuncts say are different.
fn distinct(pool: &Pool, conjuncts: &[Term]) -> FxHashSet<(Term, Term)> {
    let negated = conjuncts.iter().filter(|&&t| pool.op(t) == Op::Not);
    let equations = negated.map(|&t| pool.child(t, 0));
    equations
        .filter(|&t| pool.op(t) == Op::Eq)
        .flat_map(|t| {
            let (a, b) = (pool.child(t, 0), pool.child(t, 1));
            [(a, b), (b, a)]
        })
        .collect()
}

/// Do two indices differ under every assignment that satisfies the conjuncts?
fn differ(pool: &Pool, distinct: &FxHashSet<(Term, Term)>, a: Term, b: Term) -> bool {
    if distinct.contains(&(a, b)) || pool.is_const(a) && pool.is_const(b) && a != b {
        return true;
    }
    let ((low, high), (from, to)) = (pool.interval(a), pool.interval(b));
    pool.width(a) <= 64 && (high < from || to < low)
}

/// The same array with its stores in order; `None` if they are too many for the steps that are left.
fn sorted(
    pool: &mut Pool,
    chain: Term,
    rebuilt: &FxHashMap<Term, Term>,
    distinct: &FxHashSet<(Term, Term)>,
    steps: &mut usize,
) -> Option<Term> {
    let mut stores = Vec::new();
    let mut base = chain;
    while pool.op(base) == Op::Store {
        *steps = steps.checked_sub(1)?;
        let [index, value] = [1, 2].map(|k| rebuilt[&pool.child(base, k)]);
        stores.push((index, value));
        base = pool.child(base, 0);
    }
    // The oldest one comes first.
    let mut order: Vec<(Term, Term)> = Vec::with_capacity(stores.len());
    for (index, value) in stores.into_iter().rev() {
        let mut at = order.len();
        let mut place = at;
        while at > 0 && *steps > 0 {
            *steps -= 1;
            at -= 1;
            let below = order[at].0;
            if below == index {
                // It is covered.
                order.remove(at);
                place -= usize::from(place > at);
                break;
            }
            if !differ(pool, distinct, below, index) {
                break;
            }
            if below > index {
                place = at;
            }
        }
        order.insert(place, (index, value));
    }
    let mut array = rebuilt[&base];
    for (index, value) in order {
        array = pool.store(array, index, value);
    }
    Some(array)
}

#[cfg(test)]
mod tests {
    use super::*;
    use solver::Model;
    use term::{ArrayValue, BitValue, Evaluator, Symbol};
    use testkit::Random;

    fn query(conjuncts: Vec<Term>) -> Preprocess {
        Preprocess {
            conjuncts,
            gone: Vec::new(),
            changed_by: Vec::new(),
            path: None,
        }
    }

    fn new_symbols(pool: &mut Pool, name: &str, width: u32, count: usize) -> Vec<Symbol> {
        let new = |k| pool.new_symbol(&format!("{name}{k}"), Sort::BitVec(width));
        (0..count).map(new).collect()
    }

    #[test]
    fn orders_of_one_set_of_stores_become_one_term() {
        let pool = &mut Pool::new();
        let array = Sort::Array { index: 32, elem: 8 };
        let base = pool.new_symbol("a", array);
        let base = pool.symbol_term(base);
        let indices = new_symbols(pool, "i", 32, 12);
        let values = new_symbols(pool, "v", 8, 12);
        let [indices, values] = [indices, values]
            .map(|all| all.iter().map(|&s| pool.symbol_term(s)).collect::<Vec<_>>());
        let chain = |pool: &mut Pool, order: &mut dyn Iterator<Item = usize>| {
            order.fold(base, |array, k| pool.store(array, indices[k], values[k]))
        };
        let one = chain(pool, &mut (0..12));
        let other = chain(pool, &mut (0..12).map(|k| k * 5 % 12));
        let equal = pool.eq(one, other);
        let mut conjuncts = vec![pool.not(equal)];
        for a in 0..12 {
            for b in 0..a {
                // The two orders differ in this pair.
                if (a, b) != (5, 3) {
                    let same = pool.eq(indices[a], indices[b]);
                    conjuncts.push(pool.not(same));
                }
            }
        }
        let mut all = query(conjuncts.clone());
        sort(&mut all, pool, &mut 0);
        assert!(!all.is_contradiction(pool), "two indices may be equal");
        let same = pool.eq(indices[5], indices[3]);
        conjuncts.push(pool.not(same));
        let mut all = query(conjuncts);
        assert!(sort(&mut all, pool, &mut 0));
        assert!(all.is_contradiction(pool));
    }

    #[test]
    fn sorted_chains_are_the_same_arrays() {
        let mut random = Random::new(11);
        let mut changed = 0;
        for _ in 0..300 {
            let pool = &mut Pool::new();
            let array = Sort::Array { index: 2, elem: 2 };
            let symbol = pool.new_symbol("a", array);
            let indices = new_symbols(pool, "i", 2, 4);
            let mut at: Vec<Term> = indices.iter().map(|&s| pool.symbol_term(s)).collect();
            at.extend((0..4).map(|k| pool.bv(2, k)));
            let mut conjuncts = Vec::new();
            for a in 0..4 {
                for b in 0..a {
                    if random.below(3) > 0 {
                        let same = pool.eq(at[a], at[b]);
                        conjuncts.push(pool.not(same));
                    }
                }
            }
            let base = pool.symbol_term(symbol);
            let chain = (0..6).fold(base, |array, _| {
                let index = at[random.below(8) as usize];
                let value = pool.bv(2, random.below(4));
                pool.store(array, index, value)
            });
            let distinct = distinct(pool, &conjuncts);
            let rebuilt = pool.cone(&[chain]).into_iter().map(|t| (t, t)).collect();
            let sorted = sorted(pool, chain, &rebuilt, &distinct, &mut 1000).unwrap();
            changed += usize::from(sorted != chain);
            let mut evaluator = Evaluator::new();
            for bits in 0..256u64 {
                let mut model = Model::default();
                for (k, &index) in indices.iter().enumerate() {
                    model.set(index, bits >> (2 * k) & 3);
                }
                model.set_array(symbol, ArrayValue::default());
                if conjuncts
                    .iter()
                    .any(|&t| evaluator.eval(pool, t, &model) == 0)
                {
                    continue;
                }
                let [a, b] = [chain, sorted].map(|t| {
                    evaluator.start(pool);
                    evaluator.eval_array(pool, t, &model)
                });
                for k in 0..4u64 {
                    assert_eq!(a.get(&BitValue::from(k)), b.get(&BitValue::from(k)));
                }
            }
        }
        assert!(changed > 100, "{changed}");
    }

    #[test]
    fn a_chain_that_is_too_long_stays() {
        let pool = &mut Pool::new();
        let zero = pool.bv(8, 0);
        let base = pool.array_const(8, 8, zero);
        let [one, two] = [1, 2].map(|k| pool.bv(8, k));
        let chain = pool.store(base, two, two);
        let chain = pool.store(chain, one, one);
        let rebuilt = pool.cone(&[chain]).into_iter().map(|t| (t, t)).collect();
        let distinct = FxHashSet::default();
        assert_eq!(sorted(pool, chain, &rebuilt, &distinct, &mut 1), None);
        assert_ne!(
            sorted(pool, chain, &rebuilt, &distinct, &mut 9),
            Some(chain)
        );
    }
}
