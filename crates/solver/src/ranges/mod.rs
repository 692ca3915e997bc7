//! Value ranges and known bits of terms under a path.
//!
//! A forward pass over a term's graph. Leaves are bounded by the byte sets; a term that a
//! conjunct compares with a constant is bounded by that conjunct; every node keeps an abstract
//! value ([`term::domain`]). Gives bounds for addresses and sizes without a query.
//!
//! A condition over one byte is looked up in its truth table, a read of few possible elements is
//! their join.
//!
//! Sound outer bounds only. Widths above 64 and other arrays get what the pool knows. The pass looks at
//! no more than [`MAX_NODES`] nodes; beyond, the pool's path-free facts are used.

mod elements;

use crate::domain::TruthTables;
use crate::path::PathCondition;
use elements::elements;
use rustc_hash::{FxHashMap, FxHashSet};
use term::domain::{Fact, forward};
use term::{Op, Pool, Sort, Symbol, Term, mask};

const MAX_NODES: usize = 3000;
/// Sets of bytes with more values give their ends only.
const MAX_VALUES: u32 = 32;
/// Terms that one conjunct may bound.
const MAX_STEPS: usize = 200;

/// Bounds that conjuncts put on terms, and the ranges computed from them.
pub(crate) struct Ranges<'p> {
    pc: &'p PathCondition,
    facts: FxHashMap<Term, Vec<(Fact, Term)>>,
    memo: FxHashMap<Term, Fact>,
    /// Conjuncts that were used.
    used: FxHashSet<Term>,
}

impl<'p> Ranges<'p> {
    /// Collects what the conjuncts say about single terms.
    pub fn new(pool: &Pool, pc: &'p PathCondition, conjuncts: &[Term]) -> Ranges<'p> {
        let mut ranges = Ranges {
            pc,
            facts: FxHashMap::default(),
            memo: FxHashMap::default(),
            used: FxHashSet::default(),
        };
        for &c in conjuncts {
            ranges.fact(pool, c);
        }
        ranges
    }

    /// Takes `lo <= t <= hi` for granted; [`Self::used`] has [`Term::TRUE`] when something rests on it.
    pub fn grant(&mut self, pool: &Pool, t: Term, (lo, hi): (u64, u64)) {
        self.bound(pool, t, lo, hi, Term::TRUE);
    }

    /// What a conjunct says about terms: comparisons with constants, through conjunctions.
    fn fact(&mut self, pool: &Pool, c: Term) {
        let mut work = vec![(c, true)];
        let mut steps = 0;
        while let Some((t, positive)) = work.pop() {
            steps += 1;
            if steps > MAX_STEPS {
                return;
            }
            let kids = pool.children(t);
            match pool.op(t) {
                Op::Not => work.push((kids[0], !positive)),
                Op::And if positive => work.extend(kids.iter().map(|&k| (k, true))),
                Op::Or if !positive => work.extend(kids.iter().map(|&k| (k, false))),
                op => {
                    if matches!(op, Op::Eq | Op::Ult | Op::Slt) {
                        self.atom(pool, t, positive, c);
                    }
                    self.bound(pool, t, positive as u64, positive as u64, c);
                }
            }
        }
    }

    fn atom(&mut self, pool: &Pool, atom: Term, positive: bool, source: Term) {
        let kids = pool.children(atom);
        let (a, b) = (kids[0], kids[1]);
        let Sort::BitVec(width @ 1..=64) = pool.sort(a) else {
            return;
        };
        let max = mask(width);
        let half = max / 2;
        let (t, lo, hi) = match (pool.op(atom), positive, pool.as_const(a), pool.as_const(b)) {
            (Op::Eq, true, Some(v), None) => (b, v, v),
            (Op::Eq, true, None, Some(v)) => (a, v, v),
            (Op::Eq, false, Some(0), None) => (b, 1, max),
            (Op::Eq, false, None, Some(0)) => (a, 1, max),
            (Op::Ult, true, None, Some(v)) if v > 0 => (a, 0, v - 1),
            (Op::Ult, true, Some(v), None) if v < max => (b, v + 1, max),
            (Op::Ult, false, None, Some(v)) => (a, v, max),
            (Op::Ult, false, Some(v), None) => (b, 0, v),
            (Op::Slt, true, None, Some(0)) => (a, half + 1, max),
            (Op::Slt, false, None, Some(0)) => (a, 0, half),
            (Op::Slt, true, Some(v), None) if v < half => (b, v + 1, half),
            (Op::Slt, false, None, Some(v)) if v <= half => (a, v, half),
            _ => return,
        };
        self.bound(pool, t, lo, hi, source);
    }

    /// `lo <= t <= hi`, and what follows for the operands of `t`.
    fn bound(&mut self, pool: &Pool, t: Term, lo: u64, hi: u64, source: Term) {
        let mut work = vec![(t, lo, hi)];
        let mut steps = 0;
        while let Some((t, lo, hi)) = work.pop() {
            let Sort::BitVec(width @ 1..=64) = pool.sort(t) else {
                continue;
            };
            let max = mask(width);
            steps += 1;
            if lo > hi || (lo == 0 && hi >= max) || pool.is_const(t) || steps > MAX_STEPS {
                continue;
            }
            let range = Fact::interval(lo, hi, width);
            self.facts.entry(t).or_default().push((range, source));
            let kids = pool.children(t);
            match pool.op(t) {
                Op::Concat => {
                    let low = pool.width(kids[1]);
                    work.push((kids[0], lo >> low, hi >> low));
                    if lo >> low == hi >> low {
                        work.push((kids[1], lo & mask(low), hi & mask(low)));
                    }
                }
                Op::Zext => {
                    let from = mask(pool.width(kids[0]));
                    work.push((kids[0], lo, hi.min(from)));
                }
                Op::Not => work.push((kids[0], !hi & max, !lo & max)),
                Op::Add => {
                    // Subtracting the constant keeps the order unless exactly one end wraps.
                    for (x, k) in [(kids[0], kids[1]), (kids[1], kids[0])] {
                        if let Some(k) = pool.as_const(k)
                            && (lo < k) == (hi < k)
                        {
                            work.push((x, lo.wrapping_sub(k) & max, hi.wrapping_sub(k) & max));
                        }
                    }
                }
                _ => {}
            }
        }
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
            let known = pool.fact(t);
            let computed = if self.memo.len() > MAX_NODES || !narrow(t) {
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
        let Some((values, bytes)) = elements(pool, array, &window) else {
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
        if let Some(facts) = self.facts.get(&t) {
            for &(fact, source) in facts {
                if let Some(met) = range.meet(fact, width)
                    && met != range
                {
                    range = met;
                    self.used.insert(source);
                }
            }
        }
        range
    }

    /// What the operands' ranges, or a symbol's set of values, say about a term.
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

    /// What is known of all values that a byte has on the path.
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
