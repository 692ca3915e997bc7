//! Facts about every term of a query, and their propagation to a fixed point.
//!
//! A queue of terms to look at; looking at a term takes what its operands say about it and tells the operands what it
//! says about them. Who learns something is looked at again, with all it is an operand of. Bounded: a term learns at
//! most [`MAX_LESSONS`] times (chains like `x < y, y < x` would count through all values; a last value is always
//! learned) and all looks together are bounded by the number of terms.

use super::backward::backward;
use super::forward;
use super::operands;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use term::domain::Fact;
use term::{Pool, Sort, Term};

/// Times a term learns.
const MAX_LESSONS: u8 = 24;
/// Looks per term, on average, and those any query gets.
const LOOKS: (usize, usize) = (8, 20_000);

/// The facts contradict each other: no assignment satisfies what was asserted.
#[derive(Debug, PartialEq)]
pub(super) struct Contradiction;

/// The terms of a query with their facts.
pub(super) struct Network {
    terms: Vec<Term>,
    index: FxHashMap<Term, u32>,
    /// Width, 0 for what no facts are kept about.
    widths: Vec<u8>,
    facts: Vec<Fact>,
    lessons: Vec<u8>,
    /// Operands of the terms that pass facts on; none for others.
    kids: Vec<Vec<u32>>,
    parents: Vec<Vec<u32>>,
    queue: VecDeque<u32>,
    is_queued: Vec<bool>,
    looks: usize,
}

impl Network {
    /// The terms of some conditions, with what is known about them under every assignment.
    pub fn new(pool: &Pool, conditions: &[Term]) -> Network {
        let terms = pool.cone(conditions);
        let count = terms.len();
        let mut index = FxHashMap::default();
        let narrow = |t: Term| match pool.sort(t) {
            Sort::BitVec(width @ 1..=64) => width as u8,
            _ => 0,
        };
        let mut network = Network {
            widths: terms.iter().map(|&t| narrow(t)).collect(),
            facts: Vec::with_capacity(count),
            lessons: vec![0; count],
            kids: Vec::with_capacity(count),
            parents: vec![Vec::new(); count],
            queue: VecDeque::new(),
            is_queued: vec![false; count],
            looks: LOOKS.0 * count + LOOKS.1,
            index: FxHashMap::default(),
            terms,
        };
        index.reserve(count);
        for (at, &t) in network.terms.iter().enumerate() {
            index.insert(t, at as u32);
            let width = network.widths[at] as u32;
            let kids: Vec<u32> = operands(pool, t).iter().map(|k| index[k]).collect();
            for &kid in &kids {
                let parents: &mut Vec<u32> = &mut network.parents[kid as usize];
                if parents.last() != Some(&(at as u32)) {
                    parents.push(at as u32);
                }
            }
            let fact = match width {
                0 => Fact::anything(1),
                _ => {
                    let known = pool.fact(t);
                    let operands = kids.iter().map(|&k| network.facts[k as usize]);
                    let operands: Vec<Fact> = operands.collect();
                    let own = forward(pool, t, &operands);
                    known.meet(own, width).unwrap_or(known)
                }
            };
            network.facts.push(fact);
            network.kids.push(kids);
        }
        network.index = index;
        network
    }

    /// The fact about a term of the network that facts are kept about.
    pub fn fact(&self, t: Term) -> Option<&Fact> {
        let at = *self.index.get(&t)? as usize;
        (self.widths[at] > 0).then(|| &self.facts[at])
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
        let operands: Vec<Fact> = kids.iter().map(|&k| self.facts[k as usize]).collect();
        let mut teaches = false;
        let own = Fact::constant(holds as u64, 1);
        backward(pool, t, &own, &operands, &mut |k, fact| {
            let width = self.widths[kids[k] as usize] as u32;
            teaches |= operands[k].meet(fact, width) != Some(operands[k]);
        });
        teaches
    }

    /// A condition holds (or does not), with all that follows.
    pub fn assert(&mut self, pool: &Pool, t: Term, holds: bool) -> Result<(), Contradiction> {
        let Some(&at) = self.index.get(&t) else {
            return Ok(());
        };
        self.learn(at, Fact::constant(holds as u64, 1))?;
        while let Some(at) = self.queue.pop_front() {
            self.is_queued[at as usize] = false;
            if self.looks == 0 {
                continue; // empties the queue
            }
            self.looks -= 1;
            self.look(pool, at)?;
        }
        Ok(())
    }

    /// A term learns; it and its parents will be looked at.
    fn learn(&mut self, at: u32, fact: Fact) -> Result<(), Contradiction> {
        let i = at as usize;
        let old = self.facts[i];
        let met = old.meet(fact, self.widths[i] as u32).ok_or(Contradiction)?;
        if met == old || self.lessons[i] >= MAX_LESSONS && met.value().is_none() {
            return Ok(());
        }
        self.lessons[i] += u8::from(self.lessons[i] < MAX_LESSONS);
        self.facts[i] = met;
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
        let t = self.terms[at as usize];
        let mut operands = [Fact::anything(1); 3];
        let count = self.kids[at as usize].len();
        for (k, operand) in operands[..count].iter_mut().enumerate() {
            *operand = self.facts[self.kids[at as usize][k] as usize];
        }
        let operands = &operands[..count];
        self.learn(at, forward(pool, t, operands))?;
        let own = self.facts[at as usize];
        let mut lessons = [None; 4];
        let mut told = 0;
        backward(pool, t, &own, operands, &mut |k, fact| {
            debug_assert!(told < lessons.len());
            if told < lessons.len() {
                lessons[told] = Some((k, fact));
                told += 1;
            }
        });
        for (k, fact) in lessons.into_iter().flatten() {
            self.learn(self.kids[at as usize][k], fact)?;
        }
        Ok(())
    }
}
