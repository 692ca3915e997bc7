//! Facts about every term of a query, and their propagation to a fixed point.
//!
//! There is a queue of terms to visit. A visit propagates from the operands to the term and from the term to the
//! operands. A term whose fact changes is visited again, with all terms of which it is an operand. This is bounded: a
//! fact changes at most [`MAX_LESSONS`] times (chains like `x < y, y < x` would count through all values; a last value
//! is always accepted), and all visits together are bounded by the number of terms.

use super::backward::backward;
use super::forward;
use super::operands;
use crate::boxes::{self, Enclosure, Floats, Relations};
use linear::Deadline;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use term::domain::Fact;
use term::{Pool, Sort, Term};

/// Times that a bit-vector learns, and a float.
const MAX_LESSONS: (u8, u8) = (24, 8);
/// Looks per term, on average, and those any query gets.
const LOOKS: (usize, usize) = (8, 20_000);
/// Looks from one look at the clock to the next. One at a float may take thousands of operations.
const LOOKS_A_CLOCK: usize = 64;
/// Times that the order of floats is looked at.
const MAX_ROUNDS: usize = 8;
/// Work of a look at a term.
const LOOK_STEP: u64 = 100;

/// The facts contradict each other: no assignment satisfies what was asserted.
#[derive(Debug, PartialEq)]
pub struct Contradiction;

/// The set of a term under every assignment, given those of its [`operands`].
pub(super) fn result(pool: &Pool, t: Term, operands: &[Enclosure]) -> Enclosure {
    if boxes::has_floats(pool, t) {
        let known = Enclosure::known(pool, t).unwrap_or(Enclosure::NOTHING);
        let own = boxes::forward(pool, t, operands).unwrap_or(known);
        let width = match pool.sort(t) {
            Sort::BitVec(width @ 1..=64) => width,
            _ => 0,
        };
        return known.meet(own, width).unwrap_or(known);
    }
    let Sort::BitVec(width @ 1..=64) = pool.sort(t) else {
        return Enclosure::NOTHING;
    };
    let known = pool.fact(t);
    let mut facts = [Fact::anything(1); 3];
    let given = operands.iter().map(fact).zip(&mut facts);
    given.for_each(|(fact, operand)| *operand = fact);
    let own = forward(pool, t, &facts[..operands.len()]);
    Enclosure::Bits(known.meet(own, width).unwrap_or(known))
}

/// The fact about a bit-vector.
fn fact(value: &Enclosure) -> Fact {
    value.bits().copied().unwrap_or(Fact::anything(1))
}

/// The terms of a query with their facts.
#[derive(Clone, Default)]
pub struct Network {
    terms: Vec<Term>,
    index: FxHashMap<Term, u32>,
    /// Width of a bit-vector that facts are kept about, else 0.
    widths: Vec<u8>,
    values: Vec<Enclosure>,
    /// Is the term a float, or an operand of it?
    has_floats: Vec<bool>,
    lessons: Vec<u8>,
    /// Operands of the terms that pass facts on; none for others.
    kids: Vec<Vec<u32>>,
    parents: Vec<Vec<u32>>,
    queue: VecDeque<u32>,
    is_queued: Vec<bool>,
    looks: usize,
    /// The deadline of the propagation; facts learned until then are kept.
    pub(super) until: Option<Deadline>,
}

impl Network {
    /// The terms of some conditions, with the facts that hold under every assignment.
    pub fn new(pool: &Pool, conditions: &[Term]) -> Network {
        let mut network = Network::default();
        network.extend(pool, conditions);
        network
    }

    /// The terms of further conditions, too. All terms may learn again.
    pub(super) fn extend(&mut self, pool: &Pool, conditions: &[Term]) {
        let narrow = |t: Term| match pool.sort(t) {
            Sort::BitVec(width @ 1..=64) => width as u8,
            _ => 0,
        };
        for t in pool.cone(conditions) {
            if self.index.contains_key(&t) {
                continue;
            }
            let at = self.terms.len();
            let width = u32::from(narrow(t));
            let has_floats = boxes::has_floats(pool, t);
            let kids: Vec<u32> = operands(pool, t).iter().map(|k| self.index[k]).collect();
            for &kid in &kids {
                let parents: &mut Vec<u32> = &mut self.parents[kid as usize];
                if parents.last() != Some(&(at as u32)) {
                    parents.push(at as u32);
                }
            }
            let mut known = [Enclosure::NOTHING; 3];
            self.of(&kids)
                .zip(&mut known)
                .for_each(|(value, operand)| *operand = value);
            let value = result(pool, t, &known[..kids.len()]);
            self.index.insert(t, at as u32);
            self.terms.push(t);
            self.widths.push(width as u8);
            self.has_floats.push(has_floats);
            self.values.push(value);
            self.kids.push(kids);
            self.parents.push(Vec::new());
            self.is_queued.push(false);
        }
        let count = self.terms.len();
        self.lessons.clear();
        self.lessons.resize(count, 0);
        self.looks = LOOKS.0 * count + LOOKS.1;
    }

    /// The sets of some terms.
    fn of(&self, terms: &[u32]) -> impl Iterator<Item = Enclosure> {
        terms.iter().map(|&at| self.values[at as usize])
    }

    /// The facts about some bit-vectors.
    fn facts(&self, terms: &[u32]) -> impl Iterator<Item = Fact> {
        self.of(terms).map(|value| fact(&value))
    }

    /// The fact about a bit-vector of the network that facts are kept about.
    pub fn fact(&self, t: Term) -> Option<&Fact> {
        let at = *self.index.get(&t)? as usize;
        self.values[at].bits().filter(|_| self.widths[at] > 0)
    }

    /// The sets of floats that are not all floats of their format, constants left out.
    pub(super) fn floats(&self, pool: &Pool) -> impl Iterator<Item = (Term, Floats)> {
        let all = self.terms.iter().zip(&self.values);
        all.filter_map(move |(&t, value)| match (pool.sort(t), value) {
            (Sort::Float(format), Enclosure::Floats(set)) => {
                let is_constant = pool.set_len(pool.symbols(t)) == 0;
                let says = !set.is_empty() && *set != Floats::anything(format) && !is_constant;
                says.then_some((t, *set))
            }
            _ => None,
        })
    }

    /// The set of a term of the network.
    pub(super) fn known(&self, t: Term) -> Option<Enclosure> {
        Some(self.values[*self.index.get(&t)? as usize])
    }

    /// The one value left of a term.
    pub fn value(&self, t: Term) -> Option<u64> {
        self.fact(t)?.value()
    }

    /// Would the value of a condition say anything about its operands?
    pub fn teaches(&self, pool: &Pool, t: Term, holds: bool) -> bool {
        if pool.as_symbol(t).is_some() {
            return true;
        }
        let Some(&at) = self.index.get(&t) else {
            return false;
        };
        let kids = &self.kids[at as usize];
        let mut teaches = false;
        let own = Enclosure::Bits(Fact::constant(holds as u64, 1));
        self.backward(pool, at, own, &mut |k, value| {
            let known = self.values[kids[k] as usize];
            let width = self.widths[kids[k] as usize] as u32;
            teaches |= known.meet(value, width) != Some(known);
        });
        teaches
    }

    /// Asserts that a condition holds (or does not), and propagates.
    ///
    /// # Errors
    /// It contradicts what was asserted before.
    pub fn assert(&mut self, pool: &Pool, t: Term, holds: bool) -> Result<(), Contradiction> {
        let Some(&at) = self.index.get(&t) else {
            return Ok(());
        };
        self.learn(at, Enclosure::Bits(Fact::constant(holds as u64, 1)))?;
        self.propagate(pool)
    }

    /// Learns how floats are ordered, until nothing follows any more.
    pub(super) fn relate(&mut self, pool: &Pool) -> Result<(), Contradiction> {
        if !self.has_floats.contains(&true) {
            return Ok(());
        }
        let relations = Relations::new(pool, &self.terms);
        for _ in 0..MAX_ROUNDS {
            let known = |t| Some(self.values[*self.index.get(&t)? as usize]);
            let before = self.looks;
            for (t, value) in relations.deduce(pool, &known) {
                self.learn(self.index[&t], value)?;
            }
            self.propagate(pool)?;
            if self.looks == before {
                break;
            }
        }
        Ok(())
    }

    /// Looks at the terms in the queue, and at those that it brings there.
    fn propagate(&mut self, pool: &Pool) -> Result<(), Contradiction> {
        while let Some(at) = self.queue.pop_front() {
            self.is_queued[at as usize] = false;
            if self.looks == 0 {
                continue; // empties the queue
            }
            if self.looks.is_multiple_of(LOOKS_A_CLOCK)
                && self.until.is_some_and(|end| end.is_past())
            {
                self.looks = 0;
                continue;
            }
            self.looks -= 1;
            term::work::spend(LOOK_STEP);
            self.look(pool, at)?;
        }
        Ok(())
    }

    /// A term learns; it and its parents will be looked at.
    fn learn(&mut self, at: u32, value: Enclosure) -> Result<(), Contradiction> {
        let i = at as usize;
        let old = self.values[i];
        let met = old
            .meet(value, self.widths[i] as u32)
            .ok_or(Contradiction)?;
        let most = if met.bits().is_some() {
            MAX_LESSONS.0
        } else {
            MAX_LESSONS.1
        };
        if met == old || self.lessons[i] >= most && !met.is_single() {
            return Ok(());
        }
        self.values[i] = met;
        // Ends that creep would be passed on round a cycle.
        if !met.is_news(&old) {
            return Ok(());
        }
        self.lessons[i] += u8::from(self.lessons[i] < most);
        for k in 0..=self.parents[i].len() {
            let next = *self.parents[i].get(k).unwrap_or(&at);
            if !self.kids[next as usize].is_empty() && !self.is_queued[next as usize] {
                self.is_queued[next as usize] = true;
                self.queue.push_back(next);
            }
        }
        Ok(())
    }

    fn look(&mut self, pool: &Pool, at: u32) -> Result<(), Contradiction> {
        if let Some(own) = self.forward(pool, at) {
            self.learn(at, own)?;
        }
        let own = self.values[at as usize];
        let mut lessons = [None; 4];
        let mut told = 0;
        self.backward(pool, at, own, &mut |k, value| {
            debug_assert!(told < lessons.len());
            if told < lessons.len() {
                lessons[told] = Some((k, value));
                told += 1;
            }
        });
        for (k, value) in lessons.into_iter().flatten() {
            self.learn(self.kids[at as usize][k], value)?;
        }
        Ok(())
    }

    /// The set of a term that follows from its operands.
    fn forward(&self, pool: &Pool, at: u32) -> Option<Enclosure> {
        let (t, kids) = (self.terms[at as usize], &self.kids[at as usize]);
        if self.has_floats[at as usize] {
            let mut operands = [Enclosure::NOTHING; 3];
            self.of(kids)
                .zip(&mut operands)
                .for_each(|(value, operand)| *operand = value);
            return boxes::forward(pool, t, &operands[..kids.len()]);
        }
        let mut operands = [Fact::anything(1); 3];
        self.facts(kids)
            .zip(&mut operands)
            .for_each(|(fact, operand)| *operand = fact);
        Some(Enclosure::Bits(forward(pool, t, &operands[..kids.len()])))
    }

    /// The sets of a term's operands that follow from its own, by their places.
    fn backward(
        &self,
        pool: &Pool,
        at: u32,
        own: Enclosure,
        learn: &mut dyn FnMut(usize, Enclosure),
    ) {
        let (t, kids) = (self.terms[at as usize], &self.kids[at as usize]);
        if self.has_floats[at as usize] {
            let mut operands = [Enclosure::NOTHING; 3];
            self.of(kids)
                .zip(&mut operands)
                .for_each(|(value, operand)| *operand = value);
            boxes::backward(pool, t, &own, &operands[..kids.len()], learn);
        } else if let Enclosure::Bits(own) = own {
            let mut operands = [Fact::anything(1); 3];
            self.facts(kids)
                .zip(&mut operands)
                .for_each(|(fact, operand)| *operand = fact);
            let learn = &mut |k, fact| learn(k, Enclosure::Bits(fact));
            backward(pool, t, &own, &operands[..kids.len()], learn);
        }
    }
}
