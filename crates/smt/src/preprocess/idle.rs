//! Pass `idle`: stores that change nothing go, and reads look past stores that write what is there already.
//!
//! The axioms of arrays as rewrite rules (McCarthy 1962; as in Stump, Barrett, Dill and Levitt, "A decision procedure for an
//! extensional theory of arrays", LICS 2001), where the indices need not be known to differ:
//!
//! * covered: of two stores at one index, the older one goes, whatever is stored between them;
//! * idle: `store(a, i, v)` is `a` if `a[i]` is `v`, by construction or by a conjunct;
//! * passed: `store(a, j, v)[i]` is `a[i]` if `v` and `a[i]` become the same term when `i` and `j` do: either the indices differ, or
//!   the store does not matter. So a swap is undone by another swap, though nobody knows whether its two indices are equal;
//! * one base: chains of few stores over the same array are equal if they agree at the indices of their stores;
//! * one index: `store(a, i, v) = store(b, i, w)` says `v = w`, and the same of the two arrays with `v`.
//!
//! A conjunct that justifies a rewriting is itself rewritten by what the others do not say only, so that two conjuncts cannot
//! justify each other away. Bounded by [`STEPS`] terms looked at in one pass and [`DEPTH`] stores in one walk.

use super::{Pass, PassContext, Preprocess};
use rustc_hash::{FxHashMap, FxHashSet};
use term::{Op, Pool, Sort, Term};

/// Terms looked at in one pass.
const STEPS: usize = 1 << 17;
/// Stores that one read or one covered store is looked for under.
const DEPTH: usize = 64;
/// Indices at which chains over the same array are compared; with more of them, they stay arrays, of which refinement looks at fewer
/// elements (measured on swaps in two orders).
const INDICES: usize = 2;
/// Rounds in one pass: what one equation of stores says may make the next one simpler.
const ROUNDS: usize = 32;

/// The pass.
pub(super) struct IdleStores;

impl Pass for IdleStores {
    fn name(&self) -> &'static str {
        "idle"
    }

    fn apply(&self, query: &mut Preprocess, around: &mut PassContext<'_>) -> bool {
        remove(query, around.pool, &mut around.stats.idle)
    }
}

/// Applies the rule; counts the terms changed.
fn remove(query: &mut Preprocess, pool: &mut Pool, count: &mut u64) -> bool {
    let before = *count;
    let mut steps = STEPS;
    for _ in 0..ROUNDS {
        if steps == 0 || !round(query, pool, &mut steps, count) {
            break;
        }
    }
    *count > before
}

fn round(query: &mut Preprocess, pool: &mut Pool, steps: &mut usize, count: &mut u64) -> bool {
    let cone = pool.cone(&query.conjuncts);
    if !cone.iter().any(|&t| pool.op(t) == Op::Store) {
        return false;
    }
    let equal = Equal::of_reads(pool, &query.conjuncts);
    let (sources, others): (Vec<usize>, Vec<usize>) =
        (0..query.conjuncts.len()).partition(|&k| equal.sources.contains(&query.conjuncts[k]));
    let nothing = Equal::default();
    let mut found = 0;
    for (places, equal) in [(sources, &nothing), (others, &equal)] {
        let mut rewriting = Rewriting {
            pool: &mut *pool,
            equal,
            steps: &mut *steps,
            found: 0,
        };
        let roots: Vec<Term> = places.iter().map(|&k| query.conjuncts[k]).collect();
        let rebuilt = rewriting.rebuild(&roots);
        for (k, root) in places.into_iter().zip(roots) {
            query.conjuncts[k] = rewriting.conjunct(rebuilt[&root]);
        }
        found += rewriting.found;
    }
    query.flatten(pool);
    *count += found;
    found > 0
}

/// What conjuncts say reads are equal to.
#[derive(Default)]
struct Equal {
    /// Another term of the class; that of the last one is itself.
    next: FxHashMap<Term, Term>,
    /// The conjuncts that say so.
    sources: FxHashSet<Term>,
}

impl Equal {
    fn of_reads(pool: &Pool, conjuncts: &[Term]) -> Equal {
        let mut equal = Equal::default();
        for &t in conjuncts.iter().filter(|&&t| pool.op(t) == Op::Eq) {
            let sides = [0, 1].map(|k| pool.child(t, k));
            if !sides.iter().any(|&side| pool.op(side) == Op::Select) {
                continue;
            }
            let [a, b] = sides.map(|side| equal.class(side));
            equal.next.insert(a.max(b), a.min(b));
            equal.sources.insert(t);
        }
        equal
    }

    fn class(&self, t: Term) -> Term {
        let mut t = t;
        while let Some(&next) = self.next.get(&t).filter(|&&next| next != t) {
            t = next;
        }
        t
    }
}

struct Rewriting<'a> {
    pool: &'a mut Pool,
    equal: &'a Equal,
    steps: &'a mut usize,
    /// Rules that fired.
    found: u64,
}

impl Rewriting<'_> {
    /// What takes the place of each term below some roots.
    fn rebuild(&mut self, roots: &[Term]) -> FxHashMap<Term, Term> {
        let mut rebuilt: FxHashMap<Term, Term> = FxHashMap::default();
        for t in self.pool.cone(roots) {
            let old = self.pool.children(t).to_vec();
            let new: Vec<Term> = old.iter().map(|k| rebuilt[k]).collect();
            let own = if new == old {
                t
            } else {
                self.pool.rebuild(t, &new)
            };
            let simpler = match self.pool.op(own) {
                Op::Store => self.store(own),
                Op::Select => self.read(own),
                Op::Eq => self.equation(own),
                _ => own,
            };
            self.found += u64::from(simpler != own);
            rebuilt.insert(t, simpler);
        }
        rebuilt
    }

    fn kids(&self, t: Term) -> [Term; 3] {
        [0, 1, 2].map(|k| self.pool.child(t, k))
    }

    fn is_store(&self, t: Term) -> bool {
        self.pool.op(t) == Op::Store
    }

    /// Counts a step; `false` when none is left.
    fn step(&mut self) -> bool {
        let left = self.steps.checked_sub(1);
        *self.steps = left.unwrap_or(0);
        left.is_some()
    }

    /// A store without the one that it covers, or what is below it if it is idle.
    fn store(&mut self, t: Term) -> Term {
        let [array, index, value] = self.kids(t);
        let below = self.uncovered(array, index);
        let there = self.pool.select(below, index);
        let there = self.read(there);
        if self.equal.class(there) == self.equal.class(value) {
            return below;
        }
        if below == array {
            t
        } else {
            self.pool.store(below, index, value)
        }
    }

    /// An array without its latest store at an index that another one will cover.
    fn uncovered(&mut self, array: Term, index: Term) -> Term {
        let mut above = Vec::new();
        let mut at = array;
        while self.is_store(at) && above.len() < DEPTH && self.step() {
            let [older, place, value] = self.kids(at);
            if place == index {
                let stores = above.into_iter().rev();
                return stores.fold(older, |array, (i, v)| self.pool.store(array, i, v));
            }
            above.push((place, value));
            at = older;
        }
        array
    }

    /// A read past the stores that do not matter.
    fn read(&mut self, t: Term) -> Term {
        if self.pool.op(t) != Op::Select {
            return t;
        }
        let index = self.pool.child(t, 1);
        // Reads of ever older versions; the builder goes past stores at other indices by itself.
        let mut reads = vec![t];
        while reads.len() < DEPTH
            && let Some(&last) = reads.last()
            && self.pool.op(last) == Op::Select
            && self.is_store(self.pool.child(last, 0))
            && self.step()
        {
            let older = self.pool.child(self.pool.child(last, 0), 0);
            reads.push(self.pool.rebuild(last, &[older, index]));
        }
        let Some(mut result) = reads.pop() else {
            return t;
        };
        while let Some(read) = reads.pop() {
            let [_, at, value] = self.kids(self.pool.child(read, 0));
            if !self.agree(at, index, value, result) {
                // What is below stays as it is: a read has one array.
                result = read;
            }
        }
        result
    }

    /// Are two values the same term where two indices are equal?
    fn agree(&mut self, i: Term, j: Term, value: Term, other: Term) -> bool {
        value == other
            || [(i, j), (j, i)].into_iter().any(|(from, to)| {
                !self.pool.is_const(from)
                    && match [value, other].map(|t| self.put(t, from, to)) {
                        [Some(a), Some(b)] => a == b,
                        _ => false,
                    }
            })
    }

    /// A term with `to` for `from`; `None` when the steps are used up.
    fn put(&mut self, root: Term, from: Term, to: Term) -> Option<Term> {
        let symbol = self.pool.as_symbol(from);
        let mut rebuilt: FxHashMap<Term, Term> = FxHashMap::default();
        rebuilt.insert(from, to);
        let mut work = vec![root];
        while let Some(&t) = work.last() {
            if !self.step() {
                return None;
            }
            // Operands are older than what they are operands of.
            let is_below =
                t > from && symbol.is_none_or(|s| self.pool.set_contains(self.pool.symbols(t), s));
            if rebuilt.contains_key(&t) {
                work.pop();
                continue;
            }
            if !is_below {
                rebuilt.insert(t, t);
                work.pop();
                continue;
            }
            let old = self.pool.children(t).to_vec();
            let open = work.len();
            work.extend(old.iter().filter(|k| !rebuilt.contains_key(k)));
            if work.len() > open {
                continue;
            }
            work.pop();
            let new: Vec<Term> = old.iter().map(|k| rebuilt[k]).collect();
            let own = if new == old {
                t
            } else {
                self.pool.rebuild(t, &new)
            };
            rebuilt.insert(t, own);
        }
        rebuilt.get(&root).copied()
    }

    /// An equation of chains over the same array as equations of elements.
    fn equation(&mut self, t: Term) -> Term {
        let sides = [0, 1].map(|k| self.pool.child(t, k));
        if !matches!(self.pool.sort(sides[0]), Sort::Array { .. }) {
            return t;
        }
        let mut indices: Vec<Term> = Vec::new();
        let bases = sides.map(|side| {
            let mut array = side;
            while self.is_store(array) && indices.len() <= INDICES && self.step() {
                let [older, index, _] = self.kids(array);
                if !indices.contains(&index) {
                    indices.push(index);
                }
                array = older;
            }
            array
        });
        if bases[0] != bases[1] || indices.len() > INDICES {
            return t;
        }
        let mut all = Term::TRUE;
        for index in indices {
            let [a, b] = sides.map(|side| {
                let read = self.pool.select(side, index);
                self.read(read)
            });
            let same = self.pool.eq(a, b);
            all = self.pool.and(all, same);
        }
        all
    }

    /// A conjunct that says that stores at one index are equal: so are their values.
    fn conjunct(&mut self, t: Term) -> Term {
        if self.pool.op(t) != Op::Eq {
            return t;
        }
        let [a, b] = [0, 1].map(|k| self.pool.child(t, k));
        if !self.is_store(a) || !self.is_store(b) {
            return t;
        }
        let ([_, i, v], [below, j, w]) = (self.kids(a), self.kids(b));
        if i != j || v == w {
            return t;
        }
        self.found += 1;
        let values = self.pool.eq(v, w);
        let other = self.pool.store(below, i, v);
        let rest = self.pool.eq(a, other);
        self.pool.and(values, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use solver::Model;
    use term::{ArrayValue, BitValue, Evaluator};
    use testkit::Random;

    fn query(conjuncts: Vec<Term>) -> Preprocess {
        Preprocess {
            conjuncts,
            gone: Vec::new(),
            changed_by: Vec::new(),
            path: None,
        }
    }

    fn new_terms(pool: &mut Pool, names: &[&str], sort: Sort) -> Vec<Term> {
        let new = |name: &&str| {
            let symbol = pool.new_symbol(name, sort);
            pool.symbol_term(symbol)
        };
        names.iter().map(new).collect()
    }

    fn swap(pool: &mut Pool, array: Term, i: Term, j: Term) -> Term {
        let [at_i, at_j] = [i, j].map(|index| pool.select(array, index));
        let half = pool.store(array, i, at_j);
        pool.store(half, j, at_i)
    }

    const ARRAY: Sort = Sort::Array { index: 32, elem: 8 };

    #[test]
    fn swaps_are_undone_by_their_inverses_and_not_in_another_order() {
        let pool = &mut Pool::new();
        let a = new_terms(pool, &["a"], ARRAY)[0];
        let names: Vec<String> = (0..12).map(|k| format!("i{k}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let indices = new_terms(pool, &names, Sort::BitVec(32));
        let pairs: Vec<&[Term]> = indices.chunks(2).collect();
        let there = pairs
            .iter()
            .fold(a, |array, p| swap(pool, array, p[0], p[1]));
        let back = pairs.iter().rev();
        let back = back.fold(there, |array, p| swap(pool, array, p[1], p[0]));
        let equal = pool.eq(back, a);
        let mut all = query(vec![pool.not(equal)]);
        assert!(remove(&mut all, pool, &mut 0));
        assert!(all.is_contradiction(pool));

        let wrong = pairs
            .iter()
            .fold(there, |array, p| swap(pool, array, p[1], p[0]));
        let equal = pool.eq(wrong, a);
        let mut all = query(vec![pool.not(equal)]);
        remove(&mut all, pool, &mut 0);
        assert!(!all.is_contradiction(pool) && !all.conjuncts.is_empty());
    }

    #[test]
    fn elements_exchanged_between_equal_arrays_were_equal() {
        let pool = &mut Pool::new();
        let [a, b] = ["a", "b"].map(|name| new_terms(pool, &[name], ARRAY)[0]);
        let indices = new_terms(pool, &["i", "j", "k", "l"], Sort::BitVec(32));
        let (mut x, mut y) = (a, b);
        for &i in &indices {
            let [at_x, at_y] = [x, y].map(|array| pool.select(array, i));
            (x, y) = (pool.store(x, i, at_y), pool.store(y, i, at_x));
        }
        let [before, after] = [(a, b), (x, y)].map(|(s, t)| pool.eq(s, t));
        let mut all = query(vec![after, pool.not(before)]);
        assert!(remove(&mut all, pool, &mut 0));
        assert!(all.conjuncts.contains(&before));
        assert!(all.is_contradiction(pool));
    }

    /// A random array over two symbols and a random element, built upon each other.
    fn random_array(
        pool: &mut Pool,
        random: &mut Random,
        arrays: &mut Vec<Term>,
        at: &[Term],
        of: &[Term],
    ) {
        for _ in 0..5 {
            let array = random.pick(arrays);
            let read = pool.select(random.pick(arrays), random.pick(at));
            let value = if random.below(3) == 0 {
                random.pick(of)
            } else {
                read
            };
            arrays.push(pool.store(array, random.pick(at), value));
        }
    }

    #[test]
    fn what_is_left_has_the_same_models() {
        let mut random = Random::new(23);
        let mut changed = 0;
        for _ in 0..60 {
            let pool = &mut Pool::new();
            let sort = Sort::Array { index: 2, elem: 1 };
            let symbols = ["a", "b"].map(|name| pool.new_symbol(name, sort));
            let mut arrays = symbols.map(|s| pool.symbol_term(s)).to_vec();
            let indices = ["i", "j", "k"].map(|name| pool.new_symbol(name, Sort::BitVec(2)));
            let mut at = indices.map(|s| pool.symbol_term(s)).to_vec();
            at.push(pool.bv(2, random.below(4)));
            let element = pool.new_symbol("e", Sort::BitVec(1));
            let of = [pool.symbol_term(element), Term::TRUE];
            random_array(pool, &mut random, &mut arrays, &at, &of);
            let conjuncts: Vec<Term> = (0..4)
                .map(|k| {
                    let [x, y] = [(); 2].map(|()| random.pick(&arrays));
                    let condition = if k < 2 {
                        pool.eq(x, y)
                    } else {
                        let read = pool.select(x, random.pick(&at));
                        let other = pool.select(y, random.pick(&at));
                        pool.eq(read, other)
                    };
                    match random.below(3) {
                        0 => pool.not(condition),
                        _ => condition,
                    }
                })
                .collect();
            let mut all = query(conjuncts.clone());
            changed += u64::from(remove(&mut all, pool, &mut 0));
            let mut evaluator = Evaluator::new();
            for bits in 0..1u64 << 15 {
                let mut model = Model::default();
                model.set(element, bits & 1);
                for (k, &index) in indices.iter().enumerate() {
                    model.set(index, bits >> (1 + 2 * k) & 3);
                }
                for (k, &symbol) in symbols.iter().enumerate() {
                    let mut value = ArrayValue::default();
                    for index in 0..4u64 {
                        let one = bits >> (7 + 4 * k as u64 + index) & 1;
                        value
                            .entries
                            .insert(BitValue::from(index), BitValue::from(one));
                    }
                    model.set_array(symbol, value);
                }
                let before = evaluator.first_false(pool, &conjuncts, &model).is_none();
                let after = evaluator
                    .first_false(pool, &all.conjuncts, &model)
                    .is_none();
                assert_eq!(before, after);
            }
        }
        assert!(changed > 15, "{changed}");
    }

    #[test]
    fn reads_of_other_elements_stay() {
        let pool = &mut Pool::new();
        let a = new_terms(pool, &["a"], ARRAY)[0];
        let at = new_terms(pool, &["i", "j", "k"], Sort::BitVec(32));
        // What is stored at j is what k has, not what i has.
        let other = pool.select(a, at[2]);
        let array = pool.store(a, at[1], other);
        let [read, before] = [array, a].map(|array| pool.select(array, at[0]));
        let same = pool.eq(read, before);
        let mut all = query(vec![same]);
        assert!(!remove(&mut all, pool, &mut 0));
        assert_eq!(all.conjuncts, [same]);
    }
}
