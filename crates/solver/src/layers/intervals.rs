//! Value ranges and known bits under a path.
//!
//! A forward pass over the condition's graph. Leaves are bounded by the byte sets; a term that a
//! conjunct compares with a constant is bounded by that conjunct; every node keeps an unsigned
//! interval and known bits, each refining the other. The pass decides a condition that comes out
//! constant, and gives bounds for addresses and sizes without a query.
//!
//! Sound outer bounds only. Widths above 64 and arrays get what the pool knows. The pass looks at
//! no more than [`MAX_NODES`] nodes; beyond, the pool's path-free facts are used.

use super::{Env, Layer};
use crate::path::PathCondition;
use crate::query::{Budget, Outcome, Query, Trials, Why};
use crate::stats::SolverStats;
use rustc_hash::{FxHashMap, FxHashSet};
use term::{Op, Pool, Sort, Term};

const MAX_NODES: usize = 3000;
/// Terms that one conjunct may bound.
const MAX_STEPS: usize = 200;

/// What is known about a value of at most 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub lo: u64,
    pub hi: u64,
    zeros: u64,
    ones: u64,
}

fn mask(width: u32) -> u64 {
    if width >= 64 {
        u64::MAX
    } else {
        (1 << width) - 1
    }
}

impl Range {
    fn of_pool(pool: &Pool, t: Term) -> Range {
        let (lo, hi) = pool.interval(t);
        let (zeros, ones) = pool.known_bits(t);
        Range {
            lo,
            hi,
            zeros,
            ones,
        }
    }

    fn interval(lo: u64, hi: u64, width: u32) -> Range {
        Range {
            lo,
            hi,
            zeros: !mask(width),
            ones: 0,
        }
        .refined(width)
    }

    fn bits(zeros: u64, ones: u64, width: u32) -> Range {
        Range {
            lo: 0,
            hi: mask(width),
            zeros: zeros | !mask(width),
            ones,
        }
        .refined(width)
    }

    fn constant(value: u64, width: u32) -> Range {
        Range::interval(value, value, width)
    }

    fn anything(width: u32) -> Range {
        Range::interval(0, mask(width), width)
    }

    /// Each domain refines the other once.
    fn refined(mut self, width: u32) -> Range {
        self.lo = self.lo.max(self.ones);
        self.hi = self.hi.min(!self.zeros & mask(width));
        if self.lo <= self.hi {
            // The bits above the highest one in which the ends differ are known.
            let differ = self.lo ^ self.hi;
            let below = if differ == 0 {
                0
            } else {
                u64::MAX >> differ.leading_zeros()
            };
            self.ones |= self.lo & !below;
            self.zeros |= !self.lo & !below;
        }
        self
    }

    fn meet(self, other: Range, width: u32) -> Range {
        Range {
            lo: self.lo.max(other.lo),
            hi: self.hi.min(other.hi),
            zeros: self.zeros | other.zeros,
            ones: self.ones | other.ones,
        }
        .refined(width)
    }

    fn is_empty(&self) -> bool {
        self.lo > self.hi || self.zeros & self.ones != 0
    }

    fn value(&self) -> Option<u64> {
        (self.lo == self.hi).then_some(self.lo)
    }

    fn join(self, other: Range) -> Range {
        Range {
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
            zeros: self.zeros & other.zeros,
            ones: self.ones & other.ones,
        }
    }

    /// The range as two's complement ends.
    fn signed(&self, width: u32) -> (i64, i64) {
        let shift = 64 - width;
        let extend = |v: u64| ((v << shift) as i64) >> shift;
        let sign = 1u64 << (width - 1);
        if (self.lo ^ self.hi) & sign == 0 {
            (extend(self.lo), extend(self.hi))
        } else {
            (extend(sign), extend(sign - 1))
        }
    }
}

/// Bounds that conjuncts put on terms, and the ranges computed from them.
pub(crate) struct Ranges<'p> {
    pc: &'p PathCondition,
    facts: FxHashMap<Term, Vec<(Range, Term)>>,
    memo: FxHashMap<Term, Range>,
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
                Op::Eq | Op::Ult | Op::Slt => self.atom(pool, t, positive, c),
                _ => self.bound(pool, t, positive as u64, positive as u64, c),
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
            let range = Range::interval(lo, hi, width);
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

    /// The range of a bit-vector term of at most 64 bits.
    pub fn range(&mut self, pool: &Pool, root: Term) -> Range {
        let mut stack = vec![root];
        while let Some(&t) = stack.last() {
            if self.memo.contains_key(&t) {
                stack.pop();
                continue;
            }
            let kids = pool.children(t);
            let over = self.memo.len() > MAX_NODES;
            let narrow = |c: Term| matches!(pool.sort(c), Sort::BitVec(1..=64));
            if !over {
                let before = stack.len();
                stack.extend(
                    kids.iter()
                        .filter(|&&c| narrow(c) && !self.memo.contains_key(&c)),
                );
                if stack.len() > before {
                    continue;
                }
            }
            let known = Range::of_pool(pool, t);
            let computed = if over || !narrow(t) || !kids.iter().all(|&c| narrow(c)) {
                known
            } else {
                let width = pool.width(t);
                let fresh = self.transfer(pool, t, width);
                let met = known.meet(fresh, width);
                self.bounded(t, if met.is_empty() { known } else { met }, width)
            };
            self.memo.insert(t, computed);
            stack.pop();
        }
        self.memo[&root]
    }

    /// Applies the facts about a term.
    fn bounded(&mut self, t: Term, mut range: Range, width: u32) -> Range {
        if let Some(facts) = self.facts.get(&t) {
            for &(fact, source) in facts {
                let met = range.meet(fact, width);
                if met != range && !met.is_empty() {
                    range = met;
                    self.used.insert(source);
                }
            }
        }
        range
    }

    fn transfer(&mut self, pool: &Pool, t: Term, width: u32) -> Range {
        let kids = pool.children(t);
        let kid = |i: usize| self.memo[&kids[i]];
        let max = mask(width);
        match pool.op(t) {
            Op::Symbol => {
                let symbol = pool.as_symbol(t).expect("a symbol");
                let set = self.pc.domain(symbol);
                let (Some(lo), Some(hi), 8) = (set.first(), set.last(), width) else {
                    return Range::anything(width);
                };
                if lo > 0 || hi < 255 {
                    let pc = self.pc;
                    self.used
                        .extend(pc.unary(symbol).iter().map(|&p| pc.term_at(p)));
                }
                let mut range = Range::interval(lo as u64, hi as u64, 8);
                if set.len() <= 32 {
                    let (mut and, mut or) = (0xffu64, 0u64);
                    for v in set.iter() {
                        and &= v as u64;
                        or |= v as u64;
                    }
                    range = range.meet(Range::bits(!or, and, 8), 8);
                }
                range
            }
            Op::Not => {
                let a = kid(0);
                Range {
                    lo: !a.hi & max,
                    hi: !a.lo & max,
                    zeros: (a.ones & max) | !max,
                    ones: a.zeros & max,
                }
            }
            Op::Add => {
                let (a, b) = (kid(0), kid(1));
                match (a.lo.checked_add(b.lo), a.hi.checked_add(b.hi)) {
                    (Some(lo), Some(hi)) if hi <= max => Range::interval(lo, hi, width),
                    // Both ends wrap once: the order is kept.
                    _ if (a.lo as u128 + b.lo as u128) > max as u128 => Range::interval(
                        a.lo.wrapping_add(b.lo) & max,
                        a.hi.wrapping_add(b.hi) & max,
                        width,
                    ),
                    _ => Range::anything(width),
                }
            }
            Op::Sub => {
                let (a, b) = (kid(0), kid(1));
                if a.lo >= b.hi {
                    Range::interval(a.lo - b.hi, a.hi - b.lo, width)
                } else if a.hi < b.lo {
                    Range::interval(
                        a.lo.wrapping_sub(b.hi) & max,
                        a.hi.wrapping_sub(b.lo) & max,
                        width,
                    )
                } else {
                    Range::anything(width)
                }
            }
            Op::Neg => {
                let a = kid(0);
                if a.lo > 0 {
                    Range::interval(a.hi.wrapping_neg() & max, a.lo.wrapping_neg() & max, width)
                } else if a.hi == 0 {
                    Range::constant(0, width)
                } else {
                    Range::anything(width)
                }
            }
            Op::Mul => {
                let (a, b) = (kid(0), kid(1));
                match a.hi.checked_mul(b.hi) {
                    Some(hi) if hi <= max => {
                        let zeros_below = (!a.zeros).trailing_zeros().min(63)
                            + (!b.zeros).trailing_zeros().min(63);
                        let low = if zeros_below >= 64 {
                            u64::MAX
                        } else {
                            (1 << zeros_below) - 1
                        };
                        Range::interval(a.lo * b.lo, hi, width)
                            .meet(Range::bits(low, 0, width), width)
                    }
                    _ => Range::anything(width),
                }
            }
            Op::Udiv => {
                let (a, b) = (kid(0), kid(1));
                match (a.lo.checked_div(b.hi), a.hi.checked_div(b.lo)) {
                    (Some(lo), Some(hi)) => Range::interval(lo, hi, width),
                    _ => Range::anything(width),
                }
            }
            Op::Urem => {
                let (a, b) = (kid(0), kid(1));
                if b.lo == 0 {
                    Range::interval(0, a.hi, width)
                } else if a.hi < b.lo {
                    a
                } else {
                    Range::interval(0, (b.hi - 1).min(a.hi), width)
                }
            }
            Op::And => {
                let (a, b) = (kid(0), kid(1));
                Range::bits(a.zeros | b.zeros, a.ones & b.ones, width)
                    .meet(Range::interval(0, a.hi.min(b.hi), width), width)
            }
            Op::Or => {
                let (a, b) = (kid(0), kid(1));
                Range::bits(a.zeros & b.zeros, a.ones | b.ones, width)
                    .meet(Range::interval(a.lo.max(b.lo), max, width), width)
            }
            Op::Xor => {
                let (a, b) = (kid(0), kid(1));
                let known = (a.zeros | a.ones) & (b.zeros | b.ones);
                let value = a.ones ^ b.ones;
                Range::bits(known & !value, known & value, width)
            }
            Op::Shl => {
                let (a, b) = (kid(0), kid(1));
                match b.value() {
                    Some(s) if s < width as u64 => {
                        let low = (1u64 << s) - 1;
                        let bits = Range::bits(a.zeros << s | low, (a.ones << s) & max, width);
                        if a.hi <= max >> s {
                            bits.meet(Range::interval(a.lo << s, a.hi << s, width), width)
                        } else {
                            bits
                        }
                    }
                    _ => Range::anything(width),
                }
            }
            Op::Lshr => {
                let (a, b) = (kid(0), kid(1));
                let shift = |v: u64, s: u64| if s >= 64 { 0 } else { v >> s };
                Range::interval(shift(a.lo, b.hi), shift(a.hi, b.lo), width)
            }
            Op::Concat => {
                let (a, b) = (kid(0), kid(1));
                let low = pool.width(kids[1]);
                let low_mask = mask(low);
                Range {
                    lo: a.lo << low | b.lo,
                    hi: a.hi << low | b.hi,
                    zeros: ((a.zeros << low) | (b.zeros & low_mask)) | !max,
                    ones: a.ones << low | b.ones,
                }
            }
            Op::Extract => {
                let a = kid(0);
                let (_, lo_bit) = pool.extract_bounds(t);
                let bits = Range::bits(a.zeros >> lo_bit, (a.ones >> lo_bit) & max, width);
                if a.hi >> lo_bit <= max {
                    bits.meet(
                        Range::interval(a.lo >> lo_bit, a.hi >> lo_bit, width),
                        width,
                    )
                } else {
                    bits
                }
            }
            Op::Zext => kid(0).refined(width),
            Op::Sext => {
                let a = kid(0);
                let from = pool.width(kids[0]);
                let (lo, hi) = a.signed(from);
                if (lo < 0) == (hi < 0) {
                    Range::interval(lo as u64 & max, hi as u64 & max, width)
                } else {
                    Range::anything(width)
                }
            }
            Op::Eq => {
                let (a, b) = (kid(0), kid(1));
                if a.lo > b.hi || b.lo > a.hi || a.zeros & b.ones != 0 || a.ones & b.zeros != 0 {
                    Range::constant(0, 1)
                } else if a.value().is_some() && a.value() == b.value() {
                    Range::constant(1, 1)
                } else {
                    Range::anything(1)
                }
            }
            Op::Ult => {
                let (a, b) = (kid(0), kid(1));
                truth(a.hi < b.lo, a.lo >= b.hi)
            }
            Op::Slt => {
                let w = pool.width(kids[0]);
                let ((alo, ahi), (blo, bhi)) = (kid(0).signed(w), kid(1).signed(w));
                truth(ahi < blo, alo >= bhi)
            }
            Op::Ite => match kid(0).value() {
                Some(0) => kid(2),
                Some(_) => kid(1),
                None => kid(1).join(kid(2)),
            },
            _ => Range::anything(width),
        }
    }
}

fn truth(yes: bool, no: bool) -> Range {
    if yes {
        Range::constant(1, 1)
    } else if no {
        Range::constant(0, 1)
    } else {
        Range::anything(1)
    }
}

pub(super) struct Intervals;

impl Layer for Intervals {
    fn name(&self) -> &'static str {
        "intervals"
    }

    fn check(
        &mut self,
        env: &mut Env<'_>,
        query: &Query<'_>,
        _: &Budget,
        _: &mut dyn Trials,
    ) -> Outcome {
        let mut ranges = Ranges::new(env.pool, query.pc, &query.slice.terms);
        let range = ranges.range(env.pool, query.cond);
        match range.value() {
            Some(0) => Outcome::Unsat(ranges.used()),
            Some(_) if query.witness_holds => Outcome::Sat(query.witness.clone()),
            _ => Outcome::Unknown(Why::Incomplete),
        }
    }

    fn decided<'s>(&self, stats: &'s mut SolverStats) -> &'s mut u64 {
        &mut stats.by_intervals
    }
}
