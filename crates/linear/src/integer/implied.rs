//! Bounds that asserted bounds imply through definitions, as they come: interval propagation of
//! `s = Σ aᵢ·xᵢ` over the integers, so that a search need not guess what follows already (Dutertre and de
//! Moura 2006, section 5.2, over definitions instead of rows of the tableau).
//!
//! Bounds live on a trail of their own, apart from the simplex; each remembers its cause only. Reasons are found when
//! somebody asks, back along the trail (lazy explanations: Ohrimenko, Stuckey and Codish, "Propagation via
//! lazy clause generation", Constraints 2009), with what a row has to spare used to take weaker, earlier bounds.
//!
//! Both bounds of a variable are upper bounds here: of `x` at the *end* `2x` and of `-x` at `2x + 1`. A row is
//! `Σ |aⱼ|·eⱼ >= 0` over ends `eⱼ`, and the same over the opposite ends; both bound each opposite end by the others.
//!
//! Incomplete on purpose: numbers beyond machine words and long rows are left to the simplex, and the work of a
//! call is limited ([`VISITS`]), because two rows can push each other's bounds by one for ever.

use crate::form::Var;
use crate::proof::{Conclusion, Proof, StepId};
use crate::rational::Rational;
use crate::simplex::{Side, Simplex};
use crate::ticks::Ticks;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Visits of rows in one call for each row that a new bound touched.
const VISITS: usize = 4;
/// Longest row.
const LONGEST: usize = 100;
/// Largest coefficient and bound: sums of products of [`LONGEST`] such numbers fit in double words.
const LARGEST: i64 = 1 << 59;

/// No bound.
const OPEN: u32 = u32::MAX;

/// `2·variable`, and 1 more for its negation.
type BoundLiteral = u32;

/// One bound of the trail.
#[derive(Clone, Copy, Debug)]
struct TrailEntry {
    end: BoundLiteral,
    value: i64,
    cause: Cause,
    /// The end's bound before.
    before: u32,
}

#[derive(Clone, Copy, Debug)]
enum Cause {
    /// Somebody asserted it.
    Given(u32),
    /// A row, `2·index`, or the same over the opposite ends, 1 more.
    Row(u32),
}

/// An end of a row and the absolute value of its coefficient.
#[derive(Clone, Copy, Debug)]
struct Term {
    end: BoundLiteral,
    factor: i64,
}

/// A bound of the trail and how much of it is needed; valid until the level that made the bound is undone.
#[derive(Clone, Copy, Debug)]
pub struct Needed {
    id: u32,
    /// Of the end.
    value: i64,
}

/// A bound and one of the opposite side that cannot hold together.
pub type Clash = [Needed; 2];

/// Bounds, given and implied, and the definitions of a simplex as rows.
#[derive(Clone, Default, Debug)]
pub struct Implied {
    rows: Vec<Vec<Term>>,
    /// Rows in which a variable stands.
    stands_in: Vec<Vec<u32>>,
    /// The latest bound of each end.
    latest: Vec<u32>,
    trail: Vec<TrailEntry>,
    marks: Vec<usize>,
    /// Bounds of the trail that are propagated.
    done: usize,
    queue: VecDeque<u32>,
    queued: Vec<bool>,
}

fn end_of(v: Var, side: Side) -> BoundLiteral {
    2 * v.0 + (side == Side::Lower) as u32
}

/// The number in machine words, if it is not too large.
fn word(number: &Rational) -> Option<i64> {
    number.word().filter(|n| n.abs() <= LARGEST)
}

impl Implied {
    /// The definitions of a simplex; none may come later.
    pub fn new(simplex: &Simplex) -> Implied {
        let vars = simplex.vars();
        let mut implied = Implied {
            stands_in: vec![Vec::new(); vars],
            latest: vec![OPEN; 2 * vars],
            ..Implied::default()
        };
        for v in (0..vars as u32).map(Var) {
            let Some(definition) = simplex.definition(v) else {
                continue;
            };
            if definition.terms().len() >= LONGEST {
                continue;
            }
            let terms = definition.terms().iter();
            let terms = terms.map(|(w, c)| {
                let side = if c.is_positive() {
                    Side::Upper
                } else {
                    Side::Lower
                };
                let factor = word(c)?.abs();
                Some(Term {
                    end: end_of(*w, side),
                    factor,
                })
            });
            let own = Term {
                end: end_of(v, Side::Lower),
                factor: 1,
            };
            let Some(row) = terms.chain([Some(own)]).collect::<Option<Vec<Term>>>() else {
                continue;
            };
            for term in &row {
                implied.stands_in[term.end as usize / 2].push(implied.rows.len() as u32);
            }
            implied.rows.push(row);
        }
        implied.queued = vec![false; implied.rows.len()];
        implied
    }

    /// Marks a point to which [`Self::pop`] returns.
    pub fn push(&mut self) {
        self.marks.push(self.trail.len());
    }

    /// Undoes every bound since the last mark.
    pub fn pop(&mut self) {
        let mark = self.marks.pop().expect("pop without push");
        for entry in self.trail.drain(mark..).rev() {
            self.latest[entry.end as usize] = entry.before;
        }
        self.done = self.done.min(mark);
    }

    /// Adds a bound; a number beyond machine words is ignored.
    pub fn assert(
        &mut self,
        v: Var,
        side: Side,
        value: &Rational,
        reason: u32,
    ) -> Result<(), Clash> {
        let Some(value) = word(value) else {
            return Ok(());
        };
        let value = if side == Side::Upper { value } else { -value };
        self.add(end_of(v, side), value, Cause::Given(reason))
    }

    /// Records a bound if it is tighter.
    fn add(&mut self, end: BoundLiteral, value: i64, cause: Cause) -> Result<(), Clash> {
        let before = self.latest[end as usize];
        if before != OPEN && self.trail[before as usize].value <= value {
            return Ok(());
        }
        let id = self.trail.len() as u32;
        self.trail.push(TrailEntry {
            end,
            value,
            cause,
            before,
        });
        self.latest[end as usize] = id;
        let opposite = self.latest[end as usize ^ 1];
        if opposite != OPEN {
            let other = self.trail[opposite as usize].value;
            if value + other < 0 {
                // What the two have to spare goes to the new one.
                let needed = |id, value| Needed { id, value };
                return Err([needed(id, -other - 1), needed(opposite, other)]);
            }
        }
        Ok(())
    }

    /// Propagates the bounds that are new.
    pub fn propagate(&mut self, ticks: &mut Ticks) -> Result<(), Clash> {
        let result = self.run(ticks);
        for row in self.queue.drain(..) {
            self.queued[row as usize] = false;
        }
        self.done = self.trail.len();
        result
    }

    fn run(&mut self, ticks: &mut Ticks) -> Result<(), Clash> {
        let mut work = 0;
        let mut left = usize::MAX;
        loop {
            while let Some(entry) = self.trail.get(self.done) {
                self.done += 1;
                let own = match entry.cause {
                    Cause::Row(row) => row / 2,
                    Cause::Given(_) => OPEN,
                };
                for &row in &self.stands_in[entry.end as usize / 2] {
                    if row != own && !std::mem::replace(&mut self.queued[row as usize], true) {
                        self.queue.push_back(row);
                    }
                }
            }
            left = left.min(VISITS * self.queue.len());
            let next = if left == 0 {
                None
            } else {
                self.queue.pop_front()
            };
            let Some(row) = next else {
                ticks.spend(work);
                return Ok(());
            };
            left -= 1;
            self.queued[row as usize] = false;
            work += self.rows[row as usize].len() as u64;
            for flip in [0, 1] {
                self.visit(row, flip)?;
            }
        }
    }

    /// Bounds each opposite end of a row by the others.
    fn visit(&mut self, row: u32, flip: u32) -> Result<(), Clash> {
        let terms = &self.rows[row as usize];
        let mut sum = 0i128;
        let mut open = None;
        for (i, term) in terms.iter().enumerate() {
            match self.value(term.end ^ flip) {
                Some(value) => sum += term.factor as i128 * value as i128,
                None if open.is_some() => return Ok(()),
                None => open = Some(i),
            }
        }
        let range = open.map_or(0..terms.len(), |i| i..i + 1);
        for i in range {
            let Term { end, factor } = self.rows[row as usize][i];
            let end = end ^ flip;
            let own = self.value(end).unwrap_or(0);
            let rest = sum - factor as i128 * own as i128;
            let value = divide_down(rest, factor);
            if value.unsigned_abs() <= LARGEST as u128 {
                self.add(end ^ 1, value as i64, Cause::Row(2 * row + flip))?;
            }
        }
        Ok(())
    }

    /// The upper bound of an end.
    fn value(&self, end: BoundLiteral) -> Option<i64> {
        let id = self.latest[end as usize];
        (id != OPEN).then(|| self.trail[id as usize].value)
    }

    /// How many bounds there are.
    pub fn len(&self) -> usize {
        self.trail.len()
    }

    /// No bound at all?
    pub fn is_empty(&self) -> bool {
        self.trail.is_empty()
    }

    /// The variable, the side and the value of the bound at a place of the trail.
    pub fn bound(&self, at: usize) -> (Var, Side, i64) {
        let TrailEntry { end, value, .. } = self.trail[at];
        match end & 1 {
            0 => (Var(end / 2), Side::Upper, value),
            _ => (Var(end / 2), Side::Lower, -value),
        }
    }

    /// The bound at a place of the trail, needed only up to a value.
    pub fn needed(&self, at: usize, value: i64) -> Needed {
        let value = if self.trail[at].end & 1 == 0 {
            value
        } else {
            -value
        };
        Needed {
            id: at as u32,
            value,
        }
    }

    /// The tags of given bounds that imply others as far as these are needed, ascending.
    pub fn reasons(&self, goals: &[Needed]) -> Vec<u32> {
        let mut reasons = Vec::new();
        self.walk(goals, |_, cause, _| {
            if let Cause::Given(reason) = cause {
                reasons.push(reason);
            }
        });
        reasons.sort_unstable();
        reasons.dedup();
        reasons
    }

    /// Are the needed bounds implied by given ones with [these tags](Self::reasons)? Checks the steps by the definitions of
    /// the simplex.
    pub fn is_proved(&self, simplex: &Simplex, goals: &[Needed]) -> bool {
        let mut steps = Vec::new();
        self.walk(goals, |goal, cause, parts| {
            steps.push((goal, cause, parts.to_vec()))
        });
        let mut proof = Proof::default();
        let mut ids: FxHashMap<u32, StepId> = FxHashMap::default();
        for (Needed { id, value }, cause, parts) in steps.into_iter().rev() {
            let end = self.trail[id as usize].end;
            let (v, side, given) = self.bound(id as usize);
            let value = &Rational::from(value) * &side.sign();
            let step = match cause {
                Cause::Given(reason) => proof.given(v, side, given.into(), reason),
                Cause::Row(row) => {
                    let factor = |end| {
                        let term = self.rows[row as usize / 2]
                            .iter()
                            .find(|t| t.end / 2 == end / 2);
                        Rational::from(term.map_or(0, |t| t.factor))
                    };
                    let own = factor(end);
                    let parts = parts.iter().map(|part| {
                        let factor = factor(self.trail[part.id as usize].end);
                        (ids[&part.id], &factor / &own)
                    });
                    proof.sum(parts.collect(), Conclusion::Bound(v, side, value))
                }
            };
            ids.insert(id, step);
        }
        goals.iter().all(|goal| {
            let at = self.earliest(goal.id, goal.value as i128);
            let end = self.trail[at as usize].end;
            let (side, value) = match end & 1 {
                0 => (Side::Lower, Rational::from(goal.value + 1)),
                _ => (Side::Upper, Rational::from(-goal.value - 1)),
            };
            let beyond = proof.given(Var(end / 2), side, value, u32::MAX);
            let parts = [ids[&at], beyond].map(|step| (step, Rational::ONE));
            let refutation = proof.sum(parts.to_vec(), Conclusion::False);
            proof.check(simplex, refutation).is_ok()
        })
    }

    /// Visits the bounds on which others rest, the latest first: the bound with the value needed, its cause, and the terms
    /// of its row with the bounds needed of them.
    fn walk(&self, goals: &[Needed], mut see: impl FnMut(Needed, Cause, &[Needed])) {
        let goals = goals.iter();
        let goals = goals.map(|g| (self.earliest(g.id, g.value as i128), Reverse(g.value)));
        let mut open: BinaryHeap<(u32, Reverse<i64>)> = goals.collect();
        let mut last = OPEN;
        let mut parts: Vec<Needed> = Vec::new();
        while let Some((id, Reverse(value))) = open.pop() {
            // The tightest need of a bound comes first.
            if std::mem::replace(&mut last, id) == id {
                continue;
            }
            let goal = Needed { id, value };
            let cause = self.trail[id as usize].cause;
            parts.clear();
            if let Cause::Row(row) = cause {
                self.antecedents(goal, row, &mut parts);
            }
            open.extend(parts.iter().map(|part| (part.id, Reverse(part.value))));
            see(goal, cause, &parts);
        }
    }

    /// The bounds by which a row implied another, with what is needed of them.
    fn antecedents(&self, goal: Needed, row: u32, parts: &mut Vec<Needed>) {
        let end = self.trail[goal.id as usize].end;
        let terms = &self.rows[row as usize / 2];
        let flip = row & 1;
        let mut sum = 0i128;
        let mut own = 1;
        for term in terms {
            let part = term.end ^ flip;
            if part ^ 1 == end {
                own = term.factor;
                continue;
            }
            let id = self.before(part, goal.id);
            let value = self.trail[id as usize].value;
            sum += term.factor as i128 * value as i128;
            parts.push(Needed { id, value });
        }
        // own·end <= sum, and own·(value + 1) - 1 is enough.
        let mut spare = own as i128 * (goal.value as i128 + 1) - 1 - sum;
        let others = terms.iter().filter(|term| term.end ^ flip ^ 1 != end);
        for (part, term) in parts.iter_mut().zip(others) {
            let most = part.value as i128 + spare / term.factor as i128;
            part.id = self.earliest(part.id, most);
            let value = self.trail[part.id as usize].value;
            spare -= term.factor as i128 * (value as i128 - part.value as i128);
            part.value = value;
        }
    }

    /// The first bound of the same end that is at most so great.
    fn earliest(&self, mut id: u32, most: i128) -> u32 {
        loop {
            let before = self.trail[id as usize].before;
            if before == OPEN || self.trail[before as usize].value as i128 > most {
                return id;
            }
            id = before;
        }
    }

    /// The end's latest bound before another bound.
    fn before(&self, end: BoundLiteral, id: u32) -> u32 {
        let mut at = self.latest[end as usize];
        while at >= id {
            at = self.trail[at as usize].before;
        }
        at
    }
}

/// Quotient by a positive number, rounded down.
fn divide_down(number: i128, divisor: i64) -> i128 {
    if divisor == 1 {
        return number;
    }
    match i64::try_from(number) {
        Ok(number) => number.div_euclid(divisor) as i128,
        Err(_) => number.div_euclid(divisor as i128),
    }
}
