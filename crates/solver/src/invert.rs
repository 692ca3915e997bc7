//! Down-propagation: which inputs would give a term a wanted value?
//!
//! From a term and a target the walk goes down one path, at each operator inverting it for one
//! operand while the others keep their current values, until symbols are reached. It is the
//! propagation-based local search of Niemetz, Preiner and Biere ("Precise and complete propagation
//! based local search for satisfiability modulo theories", 2016), without its completeness: where
//! no inverse exists the walk fails and the caller chooses again.

use crate::model::Model;
use fastrand::Rng;
use term::{Evaluator, Op, Pool, Sort, Symbol, Term, mask};

/// Table entries looked at for an index that gives a wanted element.
const MAX_SCAN: u64 = 4096;
/// Steps of one walk.
const MAX_STEPS: usize = 400;

/// The inverse of an odd number modulo 2^64.
pub(crate) fn inverse_odd(a: u64) -> u64 {
    // Newton: each step doubles the number of correct bits.
    let mut x = a;
    for _ in 0..6 {
        x = x.wrapping_mul(2u64.wrapping_sub(a.wrapping_mul(x)));
    }
    x
}

/// Changes of symbols that would make `root` equal to `target`, if a path is found. The evaluator
/// must hold (or may compute) values under `model`.
pub(crate) fn invert(
    pool: &Pool,
    ev: &mut Evaluator,
    model: &Model,
    root: Term,
    target: u64,
    rng: &mut Rng,
) -> Option<Vec<(Symbol, u64)>> {
    let mut changes: Vec<(Symbol, u64)> = Vec::new();
    let mut stack = vec![(root, target)];
    let mut steps = 0;
    while let Some((t, target)) = stack.pop() {
        steps += 1;
        if steps > MAX_STEPS {
            return None;
        }
        let Sort::BitVec(width @ 1..=64) = pool.sort(t) else {
            return None;
        };
        if let Some(value) = pool.as_const(t) {
            if value != target {
                return None;
            }
            continue;
        }
        if let Some(symbol) = pool.as_symbol(t) {
            changes.push((symbol, target));
            continue;
        }
        let mut walk = Walk {
            pool,
            ev,
            model,
            rng,
            stack: &mut stack,
        };
        walk.step(t, target, width)?;
    }
    (!changes.is_empty()).then_some(changes)
}

struct Walk<'a> {
    pool: &'a Pool,
    ev: &'a mut Evaluator,
    model: &'a Model,
    rng: &'a mut Rng,
    stack: &'a mut Vec<(Term, u64)>,
}

impl Walk<'_> {
    fn value(&mut self, t: Term) -> u64 {
        self.ev.eval_more(self.pool, t, self.model)
    }

    fn narrow(&self, t: Term) -> bool {
        matches!(self.pool.sort(t), Sort::BitVec(1..=64))
    }

    /// The operand to change (one that has symbols, any when both have), and the other one.
    fn pick(&mut self, kids: &[Term]) -> Option<(Term, u64, bool)> {
        let (a, b) = (kids[0], kids[1]);
        if !self.narrow(a) || !self.narrow(b) {
            return None;
        }
        let first = match (self.pool.is_const(a), self.pool.is_const(b)) {
            (true, _) => false,
            (_, true) => true,
            _ => self.rng.bool(),
        };
        Some(if first {
            (a, self.value(b), true)
        } else {
            (b, self.value(a), false)
        })
    }

    fn step(&mut self, t: Term, target: u64, width: u32) -> Option<()> {
        let pool = self.pool;
        let kids = pool.children(t);
        let max = mask(width);
        match pool.op(t) {
            Op::Not => self.stack.push((kids[0], !target & max)),
            Op::Neg => self.stack.push((kids[0], target.wrapping_neg() & max)),
            Op::Add => {
                let (x, other, _) = self.pick(kids)?;
                self.stack.push((x, target.wrapping_sub(other) & max));
            }
            Op::Sub => {
                let (x, other, first) = self.pick(kids)?;
                let wanted = if first {
                    target.wrapping_add(other)
                } else {
                    other.wrapping_sub(target)
                };
                self.stack.push((x, wanted & max));
            }
            Op::Xor => {
                let (x, other, _) = self.pick(kids)?;
                self.stack.push((x, target ^ other));
            }
            Op::And => self.and_or(kids, target, max, true)?,
            Op::Or => self.and_or(kids, target, max, false)?,
            Op::Mul => {
                let (x, other, _) = self.pick(kids)?;
                if other == 0 {
                    return None;
                }
                let low = other.trailing_zeros();
                if target & ((1 << low) - 1) != 0 {
                    return None;
                }
                let part = (target >> low).wrapping_mul(inverse_odd(other >> low)) & (max >> low);
                let free = !(max >> low) & max;
                let current = self.value(x);
                self.stack.push((x, part | (current & free)));
            }
            Op::Udiv => {
                let (a, b) = (kids[0], kids[1]);
                let divisor = self.value(b);
                if pool.is_const(a) || divisor == 0 {
                    return None;
                }
                let lowest = target.checked_mul(divisor).filter(|&v| v <= max)?;
                let room = (divisor - 1).min(max - lowest);
                let rest = self.value(a) % divisor;
                self.stack.push((a, lowest + rest.min(room)));
            }
            Op::Urem => {
                let (a, b) = (kids[0], kids[1]);
                let divisor = self.value(b);
                if pool.is_const(a) || (divisor != 0 && target >= divisor) {
                    return None;
                }
                let current = self.value(a);
                let base = if divisor == 0 {
                    0
                } else {
                    current - current % divisor
                };
                let wanted = base
                    .checked_add(target)
                    .filter(|&v| v <= max)
                    .unwrap_or(target);
                self.stack.push((a, wanted));
            }
            Op::Shl => {
                let (a, s) = (kids[0], self.value(kids[1]));
                if s >= width as u64 || target & ((1 << s) - 1) != 0 {
                    return None;
                }
                let free = !(max >> s) & max;
                let current = self.value(a);
                self.stack.push((a, target >> s | (current & free)));
            }
            Op::Lshr => {
                let (a, s) = (kids[0], self.value(kids[1]));
                if s >= width as u64 || target > max >> s {
                    return None;
                }
                let current = self.value(a);
                self.stack
                    .push((a, target << s | (current & ((1 << s) - 1))));
            }
            Op::Ashr => {
                let (a, s) = (kids[0], self.value(kids[1]));
                if s >= width as u64 {
                    return None;
                }
                let shift = 64 - width;
                let wanted = (target << s | (self.value(a) & ((1 << s) - 1))) & max;
                let back = (((wanted << shift) as i64 >> shift) >> s) as u64 & max;
                if back != target {
                    return None;
                }
                self.stack.push((a, wanted));
            }
            Op::Concat => {
                let low_width = pool.width(kids[1]);
                let low = target & mask(low_width);
                let high = target >> low_width;
                for (kid, wanted) in [(kids[0], high), (kids[1], low)] {
                    if self.value(kid) != wanted {
                        self.stack.push((kid, wanted));
                    }
                }
            }
            Op::Extract => {
                if !self.narrow(kids[0]) {
                    return None;
                }
                let (_, lo) = pool.extract_bounds(t);
                let current = self.value(kids[0]);
                self.stack
                    .push((kids[0], (current & !(max << lo)) | target << lo));
            }
            Op::Zext => {
                if target > mask(pool.width(kids[0])) {
                    return None;
                }
                self.stack.push((kids[0], target));
            }
            Op::Sext => {
                let from = pool.width(kids[0]);
                let low = target & mask(from);
                let shift = 64 - from;
                if ((low << shift) as i64 >> shift) as u64 & max != target {
                    return None;
                }
                self.stack.push((kids[0], low));
            }
            Op::Eq => {
                let (x, other, _) = self.pick(kids)?;
                let wanted = if target != 0 {
                    other
                } else {
                    let m = mask(pool.width(x));
                    let bit = self.rng.u32(..pool.width(x));
                    (other ^ (1 << bit)) & m
                };
                self.stack.push((x, wanted));
            }
            Op::Ult => self.less(kids, target != 0, 0)?,
            Op::Slt => {
                if !self.narrow(kids[0]) {
                    return None;
                }
                let sign = 1 << (pool.width(kids[0]) - 1);
                self.less(kids, target != 0, sign)?;
            }
            Op::Ite => {
                let holds = self.value(kids[0]) != 0;
                let (now, other) = if holds {
                    (kids[1], kids[2])
                } else {
                    (kids[2], kids[1])
                };
                if !self.narrow(now) {
                    return None;
                }
                if !pool.is_const(kids[0])
                    && self.value(other) == target
                    && (pool.is_const(now) || self.rng.bool())
                {
                    self.stack.push((kids[0], !holds as u64));
                } else {
                    self.stack.push((now, target));
                }
            }
            Op::Select => self.index(t, target)?,
            _ => return None,
        }
        Some(())
    }

    fn and_or(&mut self, kids: &[Term], target: u64, max: u64, and: bool) -> Option<()> {
        let (a, b) = (kids[0], kids[1]);
        // A conjunction that must hold (a disjunction that must not) needs both sides.
        if target == if and { max } else { 0 } {
            for kid in [a, b] {
                if self.value(kid) != target {
                    self.stack.push((kid, target));
                }
            }
            return Some(());
        }
        let (mut x, mut other, first) = self.pick(kids)?;
        let possible = |other: u64| {
            if and {
                target & !other == 0
            } else {
                other & !target == 0
            }
        };
        if !possible(other) {
            // The operand that stays forbids the target: change it instead.
            let swapped = if first { b } else { a };
            if self.pool.is_const(swapped) {
                return None;
            }
            other = self.value(x);
            x = swapped;
            if !possible(other) {
                return None;
            }
        }
        let current = self.value(x);
        let wanted = if and {
            target | (current & !other)
        } else {
            (target & !other) | (current & other)
        };
        self.stack.push((x, wanted & max));
        Some(())
    }

    /// `a < b` (with `sign` added to both sides for the signed order).
    fn less(&mut self, kids: &[Term], holds: bool, sign: u64) -> Option<()> {
        let (x, other, first) = self.pick(kids)?;
        let max = mask(self.pool.width(x));
        let other = other ^ sign;
        // The interval in which the changed operand must lie.
        let (lo, hi) = match (first, holds) {
            (true, true) => (0, other.checked_sub(1)?),
            (true, false) => (other, max),
            (false, true) => (other.checked_add(1).filter(|&v| v <= max)?, max),
            (false, false) => (0, other),
        };
        let near = if first == holds { hi } else { lo };
        let far = if first == holds { lo } else { hi };
        let wanted = match self.rng.u8(..4) {
            0 => far,
            1 => self.rng.u64(lo..=hi),
            _ => near,
        };
        self.stack.push((x, wanted ^ sign));
        Some(())
    }

    /// An index whose element is (as far as stores at constant indices tell) the target.
    fn index(&mut self, select: Term, target: u64) -> Option<()> {
        let pool = self.pool;
        let (mut array, index) = (pool.child(select, 0), pool.child(select, 1));
        if pool.is_const(index) || !self.narrow(index) {
            return None;
        }
        let mut stores: Vec<(u64, u64)> = Vec::new();
        loop {
            match pool.op(array) {
                Op::ArrayBytes => break,
                Op::Store => {
                    let (at, value) = (pool.child(array, 1), pool.child(array, 2));
                    if stores.len() < 256 && self.narrow(at) && self.narrow(value) {
                        let entry = (self.value(at), self.value(value));
                        stores.push(entry);
                    }
                    array = pool.child(array, 0);
                }
                _ => return None,
            }
        }
        let content = pool.array_content(array);
        let (lo, hi) = pool.select_bounds(select).unwrap_or((0, u64::MAX));
        let (ilo, ihi) = pool.interval(index);
        let (zeros, ones) = pool.known_bits(index);
        let lo = lo.max(ilo);
        let hi = hi.min(ihi).min(content.len().max(1) as u64 - 1);
        if lo > hi {
            return None;
        }
        let count = (hi - lo + 1).min(MAX_SCAN);
        let start = self.rng.u64(..count);
        for k in 0..count {
            let i = lo + (start + k) % count;
            if i & zeros != 0 || !i & ones != 0 {
                continue;
            }
            let stored = stores.iter().find(|s| s.0 == i).map(|s| s.1);
            let element =
                stored.unwrap_or_else(|| content.get(i as usize).copied().unwrap_or(0) as u64);
            if element == target {
                self.stack.push((index, i));
                return Some(());
            }
        }
        None
    }
}
