//! Value ranges and known bits of terms under a path.
//!
//! A forward pass over a term's graph. Leaves are bounded by the byte sets; a term that a
//! conjunct compares with a constant is bounded by that conjunct; every node keeps an abstract
//! value ([`term::domain`]). Gives bounds for addresses and sizes without a query.
//!
//! A condition over one byte is looked up in its truth table, a read of few possible elements is
//! their join.
//!
//! Sound outer bounds only. Terms wider than 64 bits and other arrays get the pool's facts. The pass looks at no more
//! than [`MAX_NODES`] nodes; beyond, the pool's path-free facts are used.

mod effort;
mod elements;
mod facts;

use crate::domain::TruthTables;
use crate::path::PathCondition;
pub(crate) use effort::RangeEffort;
use elements::elements;
pub(crate) use facts::{Facts, LastFacts};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use term::domain::{Fact, forward};
use term::{Op, Pool, Sort, Symbol, Term};

const MAX_NODES: usize = 3000;
/// Looking at so many stores of an array takes as long as looking at one node.
const STORES_PER_NODE: usize = 16;
/// Sets of bytes with more values give their ends only.
const MAX_VALUES: u32 = 32;
/// Bounds that conjuncts put on terms, and the ranges computed from them.
pub(crate) struct Ranges<'p> {
    pc: &'p PathCondition,
    facts: Cow<'p, Facts>,
    memo: FxHashMap<Term, Fact>,
    /// Nodes that may be looked at.
    most: usize,
    /// Stores that were looked at.
    walked: usize,
    /// Nodes that waited for others at a time.
    deepest: usize,
    /// Conjuncts that were used.
    used: FxHashSet<Term>,
}

impl<'p> Ranges<'p> {
    /// Collects what the conjuncts say about single terms.
    pub fn new(pool: &Pool, pc: &'p PathCondition, conjuncts: &[Term]) -> Ranges<'p> {
        let mut facts = Facts::default();
        for &c in conjuncts {
            facts.add(pool, c);
        }
        Ranges::over(pc, Cow::Owned(facts))
    }

    /// From what conjuncts of the path are known to say.
    pub fn of(pc: &'p PathCondition, facts: &'p Facts) -> Ranges<'p> {
        Ranges::over(pc, Cow::Borrowed(facts))
    }

    fn over(pc: &'p PathCondition, facts: Cow<'p, Facts>) -> Ranges<'p> {
        Ranges {
            pc,
            facts,
            memo: FxHashMap::default(),
            most: MAX_NODES,
            walked: 0,
            deepest: 0,
            used: FxHashSet::default(),
        }
    }

    /// The same, looking at so many nodes at most.
    pub fn within(mut self, nodes: usize) -> Ranges<'p> {
        self.most = nodes;
        self
    }

    /// Takes `lo <= t <= hi` for granted; [`Self::used`] has [`Term::TRUE`] when something rests on it.
    pub fn grant(&mut self, pool: &Pool, t: Term, (lo, hi): (u64, u64)) {
        self.facts.to_mut().bound(pool, t, lo, hi, Term::TRUE);
    }

    /// The conjuncts that the ranges rest on so far.
    pub fn used(&self) -> Vec<Term> {
        let mut used: Vec<Term> = self.used.iter().copied().collect();
        used.sort_unstable();
        used
    }

    /// The range of a bit-vector term of at most 64 bits; it is never empty.
    pub fn range(&mut self, pool: &Pool, tables: &mut TruthTables, root: Term) -> Fact {
        let narrow = |c: Term| matches!(pool.sort(c), Sort::BitVec(1..=64));
        let mut stack = vec![root];
        while let Some(&t) = stack.last() {
            if self.memo.contains_key(&t) {
                stack.pop();
                continue;
            }
            // A chain of operations is all on the stack before its first node is done.
            self.deepest = self.deepest.max(stack.len() / 2);
            if self.is_full() {
                return pool.fact(root);
            }
            let known = pool.fact(t);
            let computed = if !narrow(t) {
                known
            } else if let Some(truth) = self.by_table(pool, tables, t) {
                truth
            } else {
                let before = stack.len();
                let width = pool.width(t);
                let fresh = if pool.op(t) == Op::Select {
                    self.read(pool, t, &mut stack)
                } else if pool.children(t).iter().all(|&c| narrow(c)) {
                    let missing = |c: &&Term| !self.memo.contains_key(*c);
                    stack.extend(pool.children(t).iter().filter(missing));
                    (stack.len() == before).then(|| self.transfer(pool, t, width))
                } else {
                    Some(known)
                };
                let Some(fresh) = fresh else { continue };
                self.bounded(t, known.meet(fresh, width).unwrap_or(known), width)
            };
            self.memo.insert(t, computed);
            stack.pop();
        }
        self.memo[&root]
    }

    /// Nodes that were looked at; stores count by their costs.
    pub fn looked_at(&self) -> usize {
        self.memo.len().max(self.deepest) + self.walked / STORES_PER_NODE
    }

    /// Were more nodes asked for than may be looked at? Terms that were not seen get the pool's facts.
    pub fn is_full(&self) -> bool {
        self.looked_at() > self.most
    }

    /// A condition over one byte is decided exactly by the byte's set.
    fn by_table(&mut self, pool: &Pool, tables: &mut TruthTables, t: Term) -> Option<Fact> {
        let pc = self.pc;
        if pool.width(t) != 1 {
            return None;
        }
        let symbol = pool.single_symbol(t)?;
        if pool.symbol_sort(symbol) != Sort::BitVec(8) || pc.unary(symbol).is_empty() {
            return None;
        }
        let (domain, allowed) = (pc.domain(symbol), tables.get(pool, t, symbol));
        let no = domain.intersect(&allowed).is_empty();
        let yes = domain.intersect(&allowed.complement()).is_empty();
        if no == yes {
            return None; // open, or a path that is contradictory anyway
        }
        self.used
            .extend(pc.unary(symbol).iter().map(|&p| pc.term_at(p)));
        Some(Fact::truth(yes, no))
    }

    /// The join of the elements that a read can meet; `None` when something was pushed first.
    fn read(&mut self, pool: &Pool, select: Term, stack: &mut Vec<Term>) -> Option<Fact> {
        let (array, index) = (pool.child(select, 0), pool.child(select, 1));
        let width = pool.width(select);
        let anything = Some(Fact::anything(width));
        if !matches!(pool.sort(index), Sort::BitVec(1..=64)) {
            return anything;
        }
        let Some(&at) = self.memo.get(&index) else {
            stack.push(index);
            return None;
        };
        let (lo, hi) = pool.select_bounds(select).unwrap_or((0, u64::MAX));
        let window = Fact {
            lo: at.lo.max(lo),
            hi: at.hi.min(hi),
            ..at
        };
        let Some((values, bytes)) = elements(pool, array, &window, &mut self.walked) else {
            return anything;
        };
        let before = stack.len();
        stack.extend(values.iter().filter(|v| !self.memo.contains_key(*v)));
        if stack.len() > before {
            return None;
        }
        let values = values.iter().map(|v| self.memo[v]);
        let bytes = bytes.iter().map(|&b| Fact::constant(b as u64, width));
        Some(
            values
                .chain(bytes)
                .reduce(Fact::join)
                .unwrap_or(Fact::anything(width)),
        )
    }

    /// Applies the facts about a term.
    fn bounded(&mut self, t: Term, mut range: Fact, width: u32) -> Fact {
        for &(fact, source) in self.facts.of(t) {
            if let Some(met) = range.meet(fact, width)
                && met != range
            {
                range = met;
                self.used.insert(source);
            }
        }
        range
    }

    /// The fact about a term that follows from its operands' ranges, or from a symbol's set of values.
    fn transfer(&mut self, pool: &Pool, t: Term, width: u32) -> Fact {
        let mut operands = [Fact::anything(1); 3];
        let kids = pool.children(t);
        for (operand, kid) in operands.iter_mut().zip(kids) {
            *operand = self.memo[kid];
        }
        match pool.as_symbol(t) {
            Some(symbol) if width == 8 => self.byte(symbol),
            _ => forward(pool.operator(t), &operands[..kids.len()]),
        }
    }

    /// The fact about all values that a byte has on the path.
    fn byte(&mut self, symbol: Symbol) -> Fact {
        let pc = self.pc;
        let set = pc.domain(symbol);
        let (Some(lo), Some(hi)) = (set.first(), set.last()) else {
            return Fact::anything(8);
        };
        let fact = match set.len() {
            0..=MAX_VALUES => {
                let values = set.iter().map(|v| Fact::constant(v as u64, 8));
                values.reduce(Fact::join).unwrap_or(Fact::anything(8))
            }
            _ => Fact::interval(lo as u64, hi as u64, 8),
        };
        if fact != Fact::anything(8) {
            self.used
                .extend(pc.unary(symbol).iter().map(|&p| pc.term_at(p)));
        }
        fact
    }
}
