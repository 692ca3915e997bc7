//! Facts about single terms that follow from conjuncts.

use rustc_hash::FxHashMap;
use term::domain::Fact;
use term::{Op, Pool, Relocation, Sort, Term, mask};

/// Largest number of terms that one conjunct may bound.
const MAX_STEPS: usize = 200;

/// Bounds of terms, each with the conjunct that it comes from.
#[derive(Clone, Default)]
pub(crate) struct Facts {
    by_term: FxHashMap<Term, Vec<(Fact, Term)>>,
    /// The terms that were bounded, in the order in which they were.
    trail: Vec<Term>,
}

impl Facts {
    /// The bounds of a term, in the order of the conjuncts.
    pub fn of(&self, t: Term) -> &[(Fact, Term)] {
        self.by_term.get(&t).map_or(&[], Vec::as_slice)
    }

    /// Adds the facts of a conjunct: comparisons with constants, through conjunctions.
    pub fn add(&mut self, pool: &Pool, c: Term) {
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

    /// The terms that were bounded, in the order in which they were: one may occur again.
    pub fn trail(&self) -> &[Term] {
        &self.trail
    }

    /// Removes the facts after this place of the trail.
    pub fn take_back(&mut self, place: usize) {
        for t in self.trail.drain(place..) {
            if let Some(facts) = self.by_term.get_mut(&t) {
                facts.pop();
                if facts.is_empty() {
                    self.by_term.remove(&t);
                }
            }
        }
    }

    /// Terms were renumbered, and those of all facts are there.
    pub fn relocate(&mut self, relocation: &Relocation) {
        let old = std::mem::take(self);
        let moved = |t: Term| relocation.get(t);
        for (t, facts) in old.by_term {
            let facts = facts.into_iter();
            let facts = facts.filter_map(|(fact, source)| Some((fact, moved(source)?)));
            if let Some(t) = moved(t) {
                self.by_term.insert(t, facts.collect());
            }
        }
        self.trail = old.trail.into_iter().filter_map(moved).collect();
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
    pub fn bound(&mut self, pool: &Pool, t: Term, lo: u64, hi: u64, source: Term) {
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
            self.by_term.entry(t).or_default().push((range, source));
            self.trail.push(t);
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
}
