//! Reads of long update lists, a block of stores at a time.
//!
//! A read that may meet more than [`EAGER_UPDATES`] stores becomes fresh inputs. It covers only the newest stores;
//! below them is the read of an older array at the same index, which refinement makes when a model gets there. So a
//! read costs as much as models demand of it, and many reads of one chain do not each cost its length (lemmas on
//! demand: Brummayer and Biere, "Lemmas on demand for the extensional theory of arrays", JSAT 2009). No gate is built
//! before that: whether two indices can be equal is seen from their bits.
//!
//! Chains over constant content that is a multiplexer tree are not read like this, since their oldest stores are entries
//! of the tree.

use super::walk::EAGER_UPDATES;
use super::{Arrays, ReadKey};
use crate::circuit::Circuit;
use crate::circuit::circuits::Bits;
use crate::circuit::terms::Range;
use crate::sat::Lit;
use rustc_hash::FxHashSet;
use term::{Op, Pool, Term};

/// The newest stores of a chain that a read may meet.
pub(super) struct Block {
    /// Index and value, newest first.
    pub updates: Vec<(Range, Range)>,
    /// The read of the array below.
    pub below: ReadKey,
}

/// How a read of an array begins.
pub(super) enum Beginning {
    /// With few stores, or above a table.
    Short,
    /// Terms, now on the work list, need bits first.
    Later,
    Block(Block),
}

impl Arrays {
    /// The first block of the stores that a read of `key` at `index` may meet.
    pub(super) fn beginning(
        &mut self,
        circuit: &Circuit,
        pool: &Pool,
        key: ReadKey,
        index: &Bits,
        work: &mut Vec<Term>,
    ) -> Beginning {
        if !self.method.traits().is_lazy
            || !self.is_long(pool, key)
            || self.is_over_table(pool, key)
        {
            return Beginning::Short;
        }
        if !self.is_ready(circuit, pool, key.array, work) {
            return Beginning::Later;
        }
        let mut updates = Vec::with_capacity(EAGER_UPDATES);
        for store in self.stores(pool, key) {
            let [older, at, value] = [0, 1, 2].map(|k| pool.child(store, k));
            let (Some(at), Some(value)) = (circuit.kept(at), circuit.kept(value)) else {
                unreachable!("the array is ready");
            };
            match are_equal(index, circuit.range(at)) {
                Some(true) => break,
                Some(false) => {}
                None => {
                    updates.push((at, value));
                    if updates.len() == EAGER_UPDATES {
                        let below = key.at(older);
                        return Beginning::Block(Block { updates, below });
                    }
                }
            }
        }
        Beginning::Short
    }

    /// The stores of an array that a read may meet as far as terms tell, newest first, down to a base or to an older array of
    /// which the read is known.
    fn stores<'a>(&'a self, pool: &'a Pool, key: ReadKey) -> impl Iterator<Item = Term> + 'a {
        let is_open = move |&array: &Term| {
            pool.op(array) == Op::Store
                && (array == key.array || !self.lowered.contains_key(&key.at(array)))
        };
        let first = Some(key.array).filter(is_open);
        let chain = std::iter::successors(first, move |&array| {
            Some(pool.child(array, 0)).filter(is_open)
        });
        chain.filter(move |&store| {
            let at = pool.child(store, 1);
            let (low, high) = match pool.as_const(at) {
                Some(at) => (at, at),
                None => pool.interval(at),
            };
            high >= key.lo && low <= key.hi
        })
    }

    /// May a read meet more stores than are compared at once?
    fn is_long(&self, pool: &Pool, key: ReadKey) -> bool {
        self.stores(pool, key).nth(EAGER_UPDATES).is_some()
    }

    /// Is an array stores over content that is a table for this read?
    fn is_over_table(&mut self, pool: &Pool, key: ReadKey) -> bool {
        let mut base = key.array;
        while pool.op(base) == Op::Store {
            base = match self.bases.get(&base) {
                Some(&known) => known,
                None => pool.child(base, 0),
            };
        }
        self.bases.insert(key.array, base);
        pool.op(base) == Op::ArrayBytes
            && self.is_table(pool.array_content(base).len() as u64, key.window())
    }

    /// Do all parts of an array have bits? Pushes those that have none.
    fn is_ready(
        &mut self,
        circuit: &Circuit,
        pool: &Pool,
        array: Term,
        work: &mut Vec<Term>,
    ) -> bool {
        let waiting = work.len();
        let mut seen: FxHashSet<Term> = FxHashSet::default();
        let mut stack = vec![array];
        while let Some(array) = stack.pop() {
            if self.ready.contains(&array) || !seen.insert(array) {
                continue;
            }
            let kids = pool.children(array);
            let (parts, arrays) = match pool.op(array) {
                Op::Store => (&kids[1..], &kids[..1]),
                Op::Ite => (&kids[..1], &kids[1..]),
                Op::ArrayConst => (kids, &kids[..0]),
                _ => continue,
            };
            work.extend(parts.iter().filter(|&&part| !circuit.has(part)));
            stack.extend(arrays);
        }
        if work.len() > waiting {
            return false;
        }
        self.ready.extend(seen);
        true
    }
}

/// Are two vectors of bits equal, as far as their literals tell?
fn are_equal(a: &[Lit], b: &[Lit]) -> Option<bool> {
    if a.iter().zip(b).any(|(&x, &y)| x == !y) {
        return Some(false);
    }
    (a == b).then_some(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::circuits::constant;

    #[test]
    fn literals_tell_whether_vectors_are_equal() {
        let [x, y] = [1, 2].map(Lit::positive);
        assert_eq!(are_equal(&[x, y], &[x, y]), Some(true));
        assert_eq!(are_equal(&[x, y], &[y, !y]), Some(false));
        assert_eq!(are_equal(&[x, y], &[y, x]), None);
        assert_eq!(are_equal(&[x, Lit::TRUE], &constant(2, 1)), Some(false));
        assert_eq!(are_equal(&[x, Lit::TRUE], &constant(2, 2)), None);
    }
}
