//! The size of a term, as far as its range depends on it: a property of the term, whatever the path and whatever is kept.
//!
//! A loop over a table makes terms that grow with its iterations, and asks for the bounds of each. Those above [`MAX_NODES`] are not
//! looked at. Their number of nodes is counted once for a term, over what is known of the terms below: a term above one that is too
//! large is too large, and one whose operands have few nodes together has few. Where a term is too large, so are those below it from which that comes: they are
//! noted, too, since the next term of a loop is made from them, and not from the term that was asked about.

use super::MAX_NODES;
use super::pass::is_narrow;
use rustc_hash::{FxHashMap, FxHashSet};
use term::{Op, Pool, Relocation, Term};

/// A read of an array with stores counts as so many nodes: some of its elements are looked at, too.
const READ: usize = 32;
/// So many terms below one that is too large are looked at.
const BELOW: usize = 32;
/// Terms whose sizes are kept.
const KEPT: usize = 1 << 18;

/// See the module: terms that were asked for, each with a number of nodes that is not below its own, and not above [`MAX_NODES`] unless
/// its own is.
#[derive(Default)]
pub(super) struct Sizes(FxHashMap<Term, usize>);

impl Sizes {
    /// Is the term small enough for a pass?
    pub fn fits(&mut self, pool: &Pool, t: Term) -> bool {
        let tree = pool.size_hint(t) as usize;
        let has_reads = pool.has_array(t);
        if tree <= MAX_NODES / if has_reads { READ } else { 1 } {
            return true;
        }
        if let Some(&nodes) = self.0.get(&t) {
            return nodes <= MAX_NODES;
        }
        let mut nodes = self.count(pool, t, true);
        if nodes > MAX_NODES {
            nodes = self.count(pool, t, false);
        }
        if self.0.len() >= KEPT {
            self.0.clear();
        }
        self.0.insert(t, nodes);
        if nodes > MAX_NODES {
            self.note_below(pool, t);
        }
        nodes <= MAX_NODES
    }

    /// Notes that terms below one that is too large are too large, down to the first that is not.
    fn note_below(&mut self, pool: &Pool, root: Term) {
        let mut t = root;
        for _ in 0..BELOW {
            let largest = operands(pool, t).max_by_key(|&c| pool.size_hint(c));
            let Some(largest) = largest.filter(|c| !self.0.contains_key(c)) else {
                return;
            };
            let nodes = self.count(pool, largest, false);
            if nodes <= MAX_NODES {
                return;
            }
            self.0.insert(largest, nodes);
            t = largest;
        }
    }

    /// The number of nodes of a term, or any larger one than [`MAX_NODES`]. A rough count takes the terms that are known as if they
    /// shared nothing with others, and may be too large.
    fn count(&self, pool: &Pool, root: Term, is_rough: bool) -> usize {
        let mut seen = FxHashSet::default();
        let mut stack = vec![root];
        let mut nodes = 0;
        while let Some(t) = stack.pop() {
            if nodes > MAX_NODES {
                break;
            }
            if pool.is_const(t) || !is_narrow(pool, t) || !seen.insert(t) {
                continue;
            }
            if let Some(&known) = self.0.get(&t)
                && (is_rough || known > MAX_NODES)
            {
                nodes += known;
                continue;
            }
            nodes += match pool.op(t) {
                Op::Select if pool.op(pool.children(t)[0]) == Op::Store => READ,
                _ => 1,
            };
            let from = stack.len();
            stack.extend(operands(pool, t));
            // The largest comes next: what is known to be too large lies there.
            stack[from..].sort_unstable_by_key(|&c| pool.size_hint(c));
        }
        nodes
    }

    /// Terms were renumbered.
    pub fn relocate(&mut self, relocation: &Relocation) {
        let known = std::mem::take(&mut self.0).into_iter();
        self.0 = known
            .filter_map(|(t, nodes)| Some((relocation.get(t)?, nodes)))
            .collect();
    }
}

/// The operands of a term on which its range depends.
fn operands(pool: &Pool, t: Term) -> impl Iterator<Item = Term> + '_ {
    let kids = pool.children(t);
    let (kids, is_read) = match pool.op(t) {
        Op::Select => (&kids[1..2], true),
        _ => (kids, false),
    };
    let is_looked_at = is_read || kids.iter().all(|&c| is_narrow(pool, c));
    kids.iter().copied().filter(move |_| is_looked_at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use term::Sort;

    /// A chain that doubles as a tree with each link, and is asked for at each: the sizes are those of the graph, whatever was asked before.
    #[test]
    fn sizes_do_not_depend_on_what_was_asked_before() {
        let mut pool = Pool::new();
        let symbol = pool.new_symbol("x", Sort::BitVec(8));
        let x = pool.symbol_term(symbol);
        let x = pool.zext(32, x);
        let (mut chain, mut t) = (Vec::new(), x);
        for i in 0..2000u64 {
            let k = pool.bv(32, 2 * i + 3);
            let product = pool.mul(t, k);
            t = pool.xor(product, t);
            chain.push(t);
        }
        let mut each = Sizes::default();
        let each: Vec<bool> = chain.iter().map(|&t| each.fits(&pool, t)).collect();
        let alone = chain.iter().map(|&t| Sizes::default().fits(&pool, t));
        assert_eq!(each, alone.collect::<Vec<_>>());
        // Two nodes a link, beside the symbol and its extension.
        let fitting = each.iter().filter(|&&fits| fits).count();
        assert_eq!(fitting, (MAX_NODES - 2) / 2);
        // Nobody asks about a link, but about what is made of each.
        let one = pool.bv(32, 1);
        let made: Vec<Term> = chain.iter().map(|&t| pool.add(t, one)).collect();
        let mut beside = Sizes::default();
        let beside: Vec<bool> = made.iter().map(|&t| beside.fits(&pool, t)).collect();
        let alone = made.iter().map(|&t| Sizes::default().fits(&pool, t));
        assert_eq!(beside, alone.collect::<Vec<_>>());
        let mut backwards = Sizes::default();
        let backwards = chain.iter().rev().map(|&t| backwards.fits(&pool, t));
        let mut backwards: Vec<bool> = backwards.collect();
        backwards.reverse();
        assert_eq!(each, backwards);
    }
}
