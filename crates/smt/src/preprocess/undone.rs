//! Pass `undone`: an equation with a chain of stores over an array symbol defines the symbol, except for the elements
//! that the stores overwrote.
//!
//! `store(a, i, v) = t`, where `a` is neither in `t` nor in `i`, holds if and only if `t[i] = v` and `a = store(t, i, e)` for some
//! element `e`: the store is undone (Stump, Barrett, Dill and Levitt, "A decision procedure for an extensional theory of arrays",
//! LICS 2001, eliminate such equations in the same way). `e` is a new symbol, and the pass `equality` puts the array in
//! the symbol's place. So arrays that differ in some elements only become chains over one array, which the pass `idle` compares.
//!
//! Of the two sides, the one with fewer stores is undone. Chains of more than [`DEPTH`] stores stay.

use super::{Pass, PassContext, Preprocess};
use term::{Op, Pool, Sort, Term};

/// Stores that are undone in one equation.
const DEPTH: usize = 64;

/// The pass.
pub(super) struct UndoneStores;

impl Pass for UndoneStores {
    fn name(&self) -> &'static str {
        "undone"
    }

    fn apply(&self, query: &mut Preprocess, around: &mut PassContext<'_>) -> bool {
        undo(query, around.pool, &mut around.stats.undone)
    }
}

/// Applies the rule; counts the equations that it turned round.
fn undo(query: &mut Preprocess, pool: &mut Pool, count: &mut u64) -> bool {
    let before = *count;
    let mut all = Vec::with_capacity(query.conjuncts.len());
    for t in std::mem::take(&mut query.conjuncts) {
        match undoing(pool, t) {
            Some((chain, other)) => {
                *count += 1;
                turn(pool, chain, other, &mut all);
            }
            None => all.push(t),
        }
    }
    query.conjuncts = all;
    if *count == before {
        return false;
    }
    query.flatten(pool);
    true
}

/// The side of an equation whose stores can be undone, and the other one. Neither is a symbol: that would be a definition already.
fn undoing(pool: &Pool, t: Term) -> Option<(Term, Term)> {
    if pool.op(t) != Op::Eq || pool.has_float(t) {
        return None;
    }
    let sides = [0, 1].map(|k| pool.child(t, k));
    if sides.iter().any(|&side| pool.as_symbol(side).is_some()) {
        return None;
    }
    let ways = [(sides[0], sides[1]), (sides[1], sides[0])];
    let ways = ways
        .into_iter()
        .filter_map(|(chain, other)| Some((depth(pool, chain, other)?, chain, other)));
    let (_, chain, other) = ways.min_by_key(|way| way.0)?;
    Some((chain, other))
}

/// The number of stores of a chain over a symbol that is neither in their indices nor in another array.
fn depth(pool: &Pool, chain: Term, other: Term) -> Option<usize> {
    let mut indices = Vec::new();
    let mut array = chain;
    while pool.op(array) == Op::Store {
        indices.push(pool.child(array, 1));
        array = pool.child(array, 0);
    }
    let symbol = pool.as_symbol(array)?;
    let is_without = |t: Term| !pool.set_contains(pool.symbols(t), symbol);
    let is_fit = (1..=DEPTH).contains(&indices.len())
        && is_without(other)
        && indices.iter().all(|&index| is_without(index));
    is_fit.then_some(indices.len())
}

/// What `chain = other` says, with the symbol that the chain begins with alone on one side.
fn turn(pool: &mut Pool, chain: Term, other: Term, conjuncts: &mut Vec<Term>) {
    let (mut array, mut value) = (chain, other);
    while pool.op(array) == Op::Store {
        let [older, index, stored] = [0, 1, 2].map(|k| pool.child(array, k));
        let there = pool.select(value, index);
        conjuncts.push(pool.eq(there, stored));
        let before = pool.new_symbol("before", Sort::BitVec(pool.width(stored)));
        let before = pool.symbol_term(before);
        value = pool.store(value, index, before);
        array = older;
    }
    conjuncts.push(pool.eq(array, value));
}

#[cfg(test)]
mod tests {
    use super::*;
    use solver::Model;
    use term::{ArrayValue, BitValue, Evaluator, Symbol};
    use testkit::Random;

    const ARRAY: Sort = Sort::Array { index: 1, elem: 1 };

    fn query(conjuncts: Vec<Term>) -> Preprocess {
        Preprocess {
            conjuncts,
            gone: Vec::new(),
            changed_by: Vec::new(),
            path: None,
        }
    }

    fn new_terms(pool: &mut Pool, names: &[&str], sort: Sort) -> Vec<Term> {
        let mut new = |name: &&str| {
            let symbol = pool.new_symbol(name, sort);
            pool.symbol_term(symbol)
        };
        names.iter().map(&mut new).collect()
    }

    /// The symbols of some conjuncts, ascending.
    fn symbols(pool: &Pool, conjuncts: &[Term]) -> Vec<Symbol> {
        query(conjuncts.to_vec()).symbols(pool)
    }

    /// The assignments of `symbols`, bits or arrays of two bits, under which some values of the other symbols satisfy the conjuncts.
    fn models(pool: &Pool, conjuncts: &[Term], wanted: &[Symbol]) -> Vec<Vec<u32>> {
        let mut order = wanted.to_vec();
        let all = symbols(pool, conjuncts);
        order.extend(all.into_iter().filter(|s| !wanted.contains(s)));
        let bits: Vec<u32> = order
            .iter()
            .map(|&s| if pool.symbol_sort(s) == ARRAY { 2 } else { 1 })
            .collect();
        let mut found = Vec::new();
        let mut evaluator = Evaluator::new();
        for all in 0u32..1 << bits.iter().sum::<u32>() {
            let mut rest = all;
            let mut model = Model::default();
            let mut values = Vec::new();
            for (&symbol, &bits) in order.iter().zip(&bits) {
                let value = rest & ((1 << bits) - 1);
                rest >>= bits;
                values.push(value);
                if bits == 1 {
                    model.set(symbol, value.into());
                    continue;
                }
                let mut array = ArrayValue::default();
                for k in 0..2u64 {
                    let element = BitValue::from(u64::from(value >> k & 1));
                    array.entries.insert(BitValue::from(k), element);
                }
                model.set_array(symbol, array);
            }
            if evaluator.first_false(pool, conjuncts, &model).is_none() {
                values.truncate(wanted.len());
                found.push(values);
            }
        }
        found.sort();
        found.dedup();
        found
    }

    #[test]
    fn the_same_assignments_are_left() {
        let mut random = Random::new(5);
        let (mut turned, mut satisfiable) = (0, 0);
        for _ in 0..300 {
            let pool = &mut Pool::new();
            let arrays = new_terms(pool, &["a", "b"], ARRAY);
            let bits = new_terms(pool, &["i", "j", "v"], Sort::BitVec(1));
            let side = |pool: &mut Pool, random: &mut Random| {
                let first = arrays[random.below(2) as usize];
                (0..1 + random.below(2)).fold(first, |array, _| {
                    let index = bits[random.below(3) as usize];
                    let value = match random.below(2) {
                        0 => bits[random.below(3) as usize],
                        _ => pool.select(arrays[random.below(2) as usize], index),
                    };
                    pool.store(array, index, value)
                })
            };
            let mut conjuncts = Vec::new();
            for _ in 0..1 + random.below(2) {
                let [a, b] = [0; 2].map(|_| side(pool, &mut random));
                conjuncts.push(pool.eq(a, b));
            }
            let same = pool.eq(arrays[0], arrays[1]);
            conjuncts.push(pool.not(same));
            let wanted = symbols(pool, &conjuncts);
            let mut after = query(conjuncts.clone());
            let mut count = 0;
            assert_eq!(undo(&mut after, pool, &mut count), count > 0);
            turned += count;
            let before = models(pool, &conjuncts, &wanted);
            satisfiable += usize::from(!before.is_empty());
            assert_eq!(before, models(pool, &after.conjuncts, &wanted));
        }
        assert!(turned > 100 && satisfiable > 50, "{turned} {satisfiable}");
    }

    #[test]
    fn what_is_a_definition_or_would_be_part_of_itself_stays() {
        let pool = &mut Pool::new();
        let array = Sort::Array { index: 8, elem: 8 };
        let [a, b] = new_terms(pool, &["a", "b"], array)[..] else {
            unreachable!("two")
        };
        let [i, v, w] = new_terms(pool, &["i", "v", "w"], Sort::BitVec(8))[..] else {
            unreachable!("three")
        };
        let store = pool.store(a, i, v);
        let other = pool.store(a, v, i);
        let own = pool.select(a, v);
        let inside = pool.store(a, own, v);
        let own = pool.select(b, v);
        let both = pool.store(b, own, w);
        for (x, y) in [(b, store), (store, other), (inside, both)] {
            let same = pool.eq(x, y);
            let mut all = query(vec![same]);
            assert!(!undo(&mut all, pool, &mut 0), "{}", pool.display(same));
        }
        let read = pool.select(a, v);
        let crossed = pool.select(b, v);
        let crossed = pool.store(a, i, crossed);
        let value = pool.store(b, i, read);
        let same = pool.eq(crossed, value);
        assert!(
            !undo(&mut query(vec![same]), pool, &mut 0),
            "both on both sides"
        );
        let chain = pool.store(a, i, read);
        let value = pool.store(b, v, w);
        let same = pool.eq(chain, value);
        assert!(undo(&mut query(vec![same]), pool, &mut 0));
    }
}
