//! The pass itself: from facts, byte sets and the ranges known so far to the range of a term.

use super::elements::elements;
use super::facts::Facts;
use crate::domain::TruthTables;
use crate::path::PathCondition;
use rustc_hash::FxHashMap;
use term::domain::{Fact, forward};
use term::{Op, Pool, Sort, Symbol, Term};

/// Looking at so many stores of an array takes as long as looking at one node.
const STORES_PER_NODE: usize = 16;
/// Sets of bytes with more values give their ends only.
const MAX_VALUES: u32 = 32;
/// Elements of a read are looked at if they have so many nodes, read as trees.
const MAX_ELEMENTS: usize = 256;

/// What a pass tells about its way.
pub(super) trait Notes {
    /// A conjunct has sharpened a range.
    fn uses(&mut self, conjunct: Term);
    /// The range of a term was computed from that of another one.
    fn rests_on(&mut self, t: Term, on: Term);
    /// The range of a term was computed from the values that the path leaves to a byte.
    fn rests_on_byte(&mut self, t: Term, byte: Symbol);
}

/// The nodes that a pass may look at, and those that it has looked at.
#[derive(Clone, Copy)]
pub(super) struct Effort {
    most: usize,
    /// Ranges computed.
    nodes: usize,
    /// Stores that were looked at.
    walked: usize,
    /// Nodes that waited for others at a time.
    deepest: usize,
}

impl Effort {
    /// So many nodes.
    pub fn of(most: usize) -> Effort {
        Effort {
            most,
            nodes: 0,
            walked: 0,
            deepest: 0,
        }
    }

    /// Were more nodes asked for than may be looked at?
    fn is_spent(&self) -> bool {
        self.nodes.max(self.deepest) + self.walked / STORES_PER_NODE > self.most
    }
}

/// See the module.
pub(super) struct Pass<'a, N> {
    pub pool: &'a Pool,
    pub tables: &'a mut TruthTables,
    pub pc: &'a PathCondition,
    pub facts: &'a Facts,
    /// The ranges of narrow terms that are no constants.
    pub known: &'a mut FxHashMap<Term, Fact>,
    pub notes: &'a mut N,
    pub effort: Effort,
}

/// Is it a bit-vector of at most 64 bits?
pub(super) fn is_narrow(pool: &Pool, t: Term) -> bool {
    matches!(pool.sort(t), Sort::BitVec(1..=64))
}

impl<N: Notes> Pass<'_, N> {
    /// The range of a term. Terms that the effort does not allow to look at get the pool's facts.
    pub fn range(&mut self, root: Term) -> Fact {
        let pool = self.pool;
        let mut stack = vec![root];
        while let Some(&t) = stack.last() {
            if self.known(t).is_some() {
                stack.pop();
                continue;
            }
            // A chain of operations is all on the stack before its first node is done.
            self.effort.deepest = self.effort.deepest.max(stack.len() / 2);
            if self.effort.is_spent() {
                return pool.fact(root);
            }
            let computed = match self.by_table(t) {
                Some(truth) => truth,
                None => {
                    let before = stack.len();
                    let (known, width) = (pool.fact(t), pool.width(t));
                    let kids = pool.children(t);
                    let fresh = if pool.op(t) == Op::Select {
                        self.read(t, &mut stack)
                    } else if kids.iter().all(|&c| is_narrow(pool, c)) {
                        stack.extend(kids.iter().filter(|&&c| self.known(c).is_none()));
                        (stack.len() == before).then(|| self.transfer(t, width))
                    } else {
                        Some(known)
                    };
                    let Some(fresh) = fresh else { continue };
                    self.bounded(t, known.meet(fresh, width).unwrap_or(known), width)
                }
            };
            self.known.insert(t, computed);
            self.effort.nodes += 1;
            stack.pop();
        }
        self.known(root).expect("the root was looked at")
    }

    /// The range of a term by its uppermost operations alone: those below, so many deep, get the pool's facts and what conjuncts say of
    /// them.
    pub fn shallow(&mut self, t: Term, depth: u32) -> Fact {
        let (pool, known) = (self.pool, self.pool.fact(t));
        if !is_narrow(pool, t) || pool.is_const(t) {
            return known;
        }
        let (width, kids) = (pool.width(t), pool.children(t));
        let looks_below = depth > 0
            && (1..=3).contains(&kids.len())
            && pool.op(t) != Op::Select
            && kids.iter().all(|&c| is_narrow(pool, c));
        let fresh = if let Some(symbol) = pool.as_symbol(t).filter(|_| width == 8) {
            self.byte(t, symbol)
        } else if looks_below {
            let mut operands = [Fact::anything(1); 3];
            for (operand, &kid) in operands.iter_mut().zip(kids) {
                *operand = self.shallow(kid, depth - 1);
            }
            forward(pool.operator(t), &operands[..kids.len()])
        } else {
            known
        };
        self.bounded(t, known.meet(fresh, width).unwrap_or(known), width)
    }

    /// The range of a term, if it is known; wide terms and constants have the pool's.
    fn known(&self, t: Term) -> Option<Fact> {
        if self.pool.is_const(t) || !is_narrow(self.pool, t) {
            Some(self.pool.fact(t))
        } else {
            self.known.get(&t).copied()
        }
    }

    /// The range of an operand of a term, which is known.
    fn operand(&mut self, of: Term, t: Term) -> Fact {
        if !self.pool.is_const(t) {
            self.notes.rests_on(of, t);
        }
        self.known(t).expect("operands come first")
    }

    /// A condition over one byte is decided exactly by the byte's set.
    fn by_table(&mut self, t: Term) -> Option<Fact> {
        let (pool, pc) = (self.pool, self.pc);
        if pool.width(t) != 1 {
            return None;
        }
        let symbol = pool.single_symbol(t)?;
        if pool.symbol_sort(symbol) != Sort::BitVec(8) {
            return None;
        }
        self.notes.rests_on_byte(t, symbol);
        if pc.unary(symbol).is_empty() {
            return None;
        }
        let (domain, allowed) = (pc.domain(symbol), self.tables.get(pool, t, symbol));
        let no = domain.intersect(&allowed).is_empty();
        let yes = domain.intersect(&allowed.complement()).is_empty();
        if no == yes {
            return None; // open, or a path that is contradictory anyway
        }
        self.uses_conjuncts_over(symbol);
        Some(Fact::truth(yes, no))
    }

    /// The join of the elements that a read can meet; `None` when something was pushed first.
    fn read(&mut self, select: Term, stack: &mut Vec<Term>) -> Option<Fact> {
        let pool = self.pool;
        let (array, index) = (pool.child(select, 0), pool.child(select, 1));
        let width = pool.width(select);
        let anything = Some(Fact::anything(width));
        if !is_narrow(pool, index) {
            return anything;
        }
        if self.known(index).is_none() {
            stack.push(index);
            return None;
        }
        let at = self.operand(select, index);
        let (lo, hi) = pool.select_bounds(select).unwrap_or((0, u64::MAX));
        let window = Fact {
            lo: at.lo.max(lo),
            hi: at.hi.min(hi),
            ..at
        };
        let Some((values, bytes)) = elements(pool, array, &window, &mut self.effort.walked) else {
            return anything;
        };
        let nodes: usize = values.iter().map(|&v| pool.size_hint(v) as usize).sum();
        if nodes > MAX_ELEMENTS {
            return anything;
        }
        let before = stack.len();
        stack.extend(values.iter().filter(|&&v| self.known(v).is_none()));
        if stack.len() > before {
            return None;
        }
        let bytes = bytes.iter().map(|&b| Fact::constant(b as u64, width));
        let bytes = bytes.reduce(Fact::join);
        let values = values.iter().map(|&v| self.operand(select, v));
        let joined = values.chain(bytes).reduce(Fact::join);
        Some(joined.unwrap_or(Fact::anything(width)))
    }

    /// Applies the facts about a term.
    fn bounded(&mut self, t: Term, mut range: Fact, width: u32) -> Fact {
        for &(fact, source) in self.facts.of(t) {
            if let Some(met) = range.meet(fact, width)
                && met != range
            {
                range = met;
                self.notes.uses(source);
            }
        }
        range
    }

    /// The fact about a term that follows from its operands' ranges, or from a symbol's set of values.
    fn transfer(&mut self, t: Term, width: u32) -> Fact {
        let pool = self.pool;
        if let Some(symbol) = pool.as_symbol(t).filter(|_| width == 8) {
            return self.byte(t, symbol);
        }
        let mut operands = [Fact::anything(1); 3];
        let kids = pool.children(t);
        for (operand, &kid) in operands.iter_mut().zip(kids) {
            *operand = self.operand(t, kid);
        }
        forward(pool.operator(t), &operands[..kids.len()])
    }

    /// The fact about all values that a byte has on the path.
    fn byte(&mut self, t: Term, symbol: Symbol) -> Fact {
        self.notes.rests_on_byte(t, symbol);
        let set = self.pc.domain(symbol);
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
            self.uses_conjuncts_over(symbol);
        }
        fact
    }

    fn uses_conjuncts_over(&mut self, byte: Symbol) {
        for &position in self.pc.unary(byte) {
            self.notes.uses(self.pc.term_at(position));
        }
    }
}
