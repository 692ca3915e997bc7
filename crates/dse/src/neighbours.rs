//! Inputs next to one that ran: other values in bytes that a branch depends on.
//!
//! A query about hashes, products or remainders takes a SAT solver milliseconds, although one input in a few would
//! take the branch. A change of a byte that the conditions before the branch do not mention keeps the path up to
//! there, so such bytes are changed most. New values come from the inputs of the last runs (other paths needed them in
//! this byte), from the neighbourhood of the byte's value, or at random. Samplers of solutions do the same around a
//! model of one formula (Dutra et al., "Efficient sampling of SAT solutions for testing", ICSE 2018); here a point
//! that violates the formula is as good, if it opens a branch elsewhere in the tree.

use fastrand::Rng;
use solver::Model;
use term::{Pool, Sort, Symbol, SymbolSet, Term, mask};

/// Inputs of the last runs that values are taken from.
const REMEMBERED: usize = 16;
/// Bytes that are changed together, at most.
const MOST: usize = 4;
/// Largest step from the value that a byte has.
const NEAR: u64 = 8;

/// Makes neighbours of inputs, the same ones in each run.
pub struct Neighbours {
    rng: Rng,
    remembered: Vec<Model>,
    next: usize,
}

impl Default for Neighbours {
    fn default() -> Neighbours {
        Neighbours {
            rng: Rng::with_seed(0),
            remembered: Vec::new(),
            next: 0,
        }
    }
}

impl Neighbours {
    /// Takes note of the input of a run.
    pub fn remember(&mut self, input: &Model) {
        match self.remembered.get_mut(self.next) {
            Some(oldest) => *oldest = input.clone(),
            None => self.remembered.push(input.clone()),
        }
        self.next = (self.next + 1) % REMEMBERED;
    }

    /// Another input, in which some of these symbols, rather of the first ones, have other values.
    pub fn of(&mut self, pool: &Pool, symbols: &[Symbol], input: &Model) -> Option<Model> {
        if symbols.is_empty() {
            return None;
        }
        let mut neighbour = input.clone();
        let mut count = 1;
        while count < MOST && self.rng.bool() {
            count += 1;
        }
        for _ in 0..count {
            let mut at = || self.rng.usize(..symbols.len());
            let symbol = symbols[at().min(at())];
            let width = pool.symbol_sort(symbol).bits();
            let value = neighbour.get(symbol);
            let other = self.other(symbol, value, width);
            neighbour.set(symbol, other & mask(width));
        }
        symbols
            .iter()
            .any(|&s| neighbour.get(s) != input.get(s))
            .then_some(neighbour)
    }

    /// A value instead of this one, which may be the same.
    fn other(&mut self, symbol: Symbol, value: u64, width: u32) -> u64 {
        match self.rng.u8(..6) {
            0 | 1 if !self.remembered.is_empty() => {
                let which = self.rng.usize(..self.remembered.len());
                self.remembered[which].get(symbol)
            }
            2 => value ^ 1 << self.rng.u32(..width),
            3 => {
                let step = self.rng.u64(1..=NEAR);
                let is_down = self.rng.bool();
                value.wrapping_add(if is_down { step.wrapping_neg() } else { step })
            }
            _ => self.rng.u64(..),
        }
    }
}

/// The symbols of a condition that can be changed, those in the fewest of the conditions before it first.
pub fn changeable(pool: &Pool, cond: &[Term], before: &[Term]) -> Vec<Symbol> {
    let mut symbols: Vec<Symbol> = Vec::new();
    for &t in cond {
        let of = pool.set_iter(pool.symbols(t));
        symbols.extend(of.filter(|&s| matches!(pool.symbol_sort(s), Sort::BitVec(1..=64))));
    }
    symbols.sort_unstable();
    symbols.dedup();
    let sets: Vec<SymbolSet> = before.iter().map(|&t| pool.symbols(t)).collect();
    symbols.sort_by_cached_key(|&s| {
        sets.iter()
            .filter(|&&set| pool.set_contains(set, s))
            .count()
    });
    symbols
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(pool: &mut Pool, n: usize) -> (Vec<Symbol>, Vec<Term>) {
        let symbols: Vec<Symbol> = (0..n)
            .map(|i| pool.new_symbol(&format!("b{i}"), Sort::BitVec(8)))
            .collect();
        let terms = symbols.iter().map(|&s| pool.symbol_term(s)).collect();
        (symbols, terms)
    }

    #[test]
    fn bytes_that_few_earlier_conditions_mention_come_first() {
        let mut pool = Pool::new();
        let (symbols, b) = bytes(&mut pool, 4);
        let limit = pool.bv(8, 9);
        let before: Vec<Term> = [b[0], b[0], b[2]]
            .map(|byte| pool.ult(byte, limit))
            .to_vec();
        let sum = pool.add(b[0], b[1]);
        let sum = pool.add(sum, b[2]);
        let cond = pool.ult(sum, limit);
        let order = changeable(&pool, &[cond], &before);
        // The fourth byte is not in the condition.
        assert_eq!(order, [symbols[1], symbols[2], symbols[0]]);
    }

    #[test]
    fn neighbours_differ_in_the_symbols_given_and_are_the_same_in_each_run() {
        let mut pool = Pool::new();
        let (symbols, _) = bytes(&mut pool, 6);
        let mut input = Model::new();
        for (i, &s) in symbols.iter().enumerate() {
            input.set(s, 40 + i as u64);
        }
        let free = &symbols[1..4];
        let make = || {
            let mut neighbours = Neighbours::default();
            neighbours.remember(&Model::new());
            let many = (0..300).filter_map(|_| neighbours.of(&pool, free, &input));
            many.collect::<Vec<Model>>()
        };
        let made = make();
        assert!(made.len() > 200);
        for neighbour in &made {
            let differing = neighbour.differing(&input);
            assert!(!differing.is_empty());
            assert!(differing.iter().all(|s| free.contains(s)), "{differing:?}");
            assert!(symbols.iter().all(|&s| neighbour.get(s) < 256));
        }
        let values = |models: &[Model]| -> Vec<u64> {
            let each = models.iter();
            each.flat_map(|m| symbols.iter().map(|&s| m.get(s)))
                .collect()
        };
        assert_eq!(values(&made), values(&make()));
        assert!(Neighbours::default().of(&pool, &[], &input).is_none());
    }
}
