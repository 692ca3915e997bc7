//! The effort of the pass on a path.
//!
//! A loop over a table makes terms that grow with its iterations, and asks for the bounds of each. Once a few in a row were too large, the
//! next ones are likely to be, and the pass looks for small terms only; now and then it tries in full again. The path carries the count, so
//! that bounds depend on the path alone, whoever follows it.

use super::MAX_NODES;
use rustc_hash::FxHashSet;
use std::cell::Cell;
use term::{Op, Pool, Sort, Term};

/// Nodes that are looked at when the last passes were too large.
const FEW: usize = 200;
/// Passes in a row that may be too large, and how often a full one is tried from then on.
const PATIENCE: u32 = 16;
const AGAIN: u32 = 64;

/// See the module: the passes in a row that were too large.
#[derive(Clone, Default)]
pub(crate) struct RangeEffort(Cell<u32>);

impl RangeEffort {
    /// The nodes that a pass for the term may look at; `None`: they would not be enough.
    pub fn nodes(&self, pool: &Pool, t: Term) -> Option<usize> {
        let in_vain = self.0.get();
        if in_vain < PATIENCE || in_vain.is_multiple_of(AGAIN) {
            return Some(MAX_NODES);
        }
        if exceeds(pool, t, FEW) {
            self.in_vain();
            return None;
        }
        Some(FEW)
    }

    /// A pass has looked at so many nodes, and it `was_full` before it came to its term.
    pub fn spent(&self, nodes: usize, was_full: bool) {
        if was_full {
            self.in_vain();
        } else if nodes > FEW {
            self.0.set(0);
        }
    }

    fn in_vain(&self) {
        self.0.set(self.0.get().wrapping_add(1));
    }
}

/// Does the range of a term take more than so many nodes, whatever the path?
fn exceeds(pool: &Pool, root: Term, most: usize) -> bool {
    let mut seen = FxHashSet::default();
    let mut stack = vec![root];
    while let Some(t) = stack.pop() {
        if seen.insert(t) {
            if seen.len() > most {
                return true;
            }
            stack.extend(below(pool, t));
        }
    }
    false
}

/// The terms whose ranges are needed for that of this one on every path.
fn below(pool: &Pool, t: Term) -> &[Term] {
    let is_narrow = |&c: &Term| matches!(pool.sort(c), Sort::BitVec(1..=64));
    let kids = pool.children(t);
    // A condition over one byte may be looked up.
    if !is_narrow(&t) || (pool.width(t) == 1 && pool.single_symbol(t).is_some()) {
        return &[];
    }
    match pool.op(t) {
        Op::Select if is_narrow(&kids[1]) => &kids[1..2],
        Op::Select => &[],
        _ if kids.iter().all(is_narrow) => kids,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::TruthTables;
    use crate::path::PathCondition;
    use crate::ranges::Ranges;

    /// A chain that grows by `of` for each question, and a small term now and then: nodes that were looked at, and the answers.
    fn ask(of: u64, questions: u64) -> (usize, usize) {
        let mut pool = Pool::new();
        let symbol = pool.new_symbol("x", Sort::BitVec(8));
        let x = pool.symbol_term(symbol);
        let x = pool.zext(32, x);
        let (pc, mut tables) = (PathCondition::default(), TruthTables::default());
        let (mut t, mut looked_at, mut small) = (x, 0, 0);
        for i in 0..questions {
            for k in 0..of {
                let k = pool.bv(32, i * of + k + 1);
                let product = pool.mul(t, k);
                t = pool.xor(product, x);
            }
            let k = pool.bv(32, i + 1);
            let sum = pool.add(x, k);
            for term in [t, sum] {
                let Some(nodes) = pc.effort.nodes(&pool, term) else {
                    assert_eq!(term, t);
                    continue;
                };
                let mut ranges = Ranges::new(&pool, &pc, &[]).within(nodes);
                let range = ranges.range(&pool, &mut tables, term);
                looked_at += ranges.looked_at();
                pc.effort.spent(ranges.looked_at(), ranges.is_full());
                if term == sum {
                    small += usize::from((range.lo, range.hi) == (i + 1, i + 256));
                }
            }
        }
        (looked_at, small)
    }

    #[test]
    fn terms_that_grow_cost_little_and_small_ones_keep_their_ranges() {
        let (looked_at, small) = ask(2000, 500);
        assert_eq!(small, 500);
        assert!(looked_at < 40 * MAX_NODES, "{looked_at}");
    }

    #[test]
    fn a_full_pass_that_is_enough_makes_the_next_ones_full() {
        let pool = Pool::new();
        let effort = RangeEffort::default();
        for _ in 0..PATIENCE {
            assert_eq!(effort.nodes(&pool, Term::TRUE), Some(MAX_NODES));
            effort.spent(MAX_NODES + 1, true);
        }
        assert_eq!(effort.nodes(&pool, Term::TRUE), Some(FEW));
        effort.spent(FEW, false);
        assert_eq!(effort.nodes(&pool, Term::TRUE), Some(FEW));
        effort.spent(FEW + 1, false);
        assert_eq!(effort.nodes(&pool, Term::TRUE), Some(MAX_NODES));
    }
}
