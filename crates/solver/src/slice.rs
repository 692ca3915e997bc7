//! Independence: the conjuncts that transitively share symbols with a condition.
//!
//! KLEE computes this per query by a fixed point over all conjuncts; here the path condition maintains the groups, so
//! a slice costs its own size.

use crate::model::Model;
use crate::path::PathCondition;
use rustc_hash::FxHashSet;
use term::{ArrayValue, Pool, Sort, Symbol, Term};

/// The part of a path that can matter for a condition.
#[derive(Clone, Debug, Default)]
pub struct Slice {
    /// Conjuncts in path order.
    pub terms: Vec<Term>,
    /// Symbols of the condition and of every conjunct.
    pub symbols: Vec<Symbol>,
}

impl Slice {
    /// The slice for a condition.
    pub fn of(pool: &Pool, pc: &PathCondition, cond: Term) -> Slice {
        let mut labels: Vec<u32> = Vec::new();
        let mut symbols: Vec<Symbol> = Vec::new();
        let mut seen_labels: FxHashSet<u32> = FxHashSet::default();
        for symbol in pool.set_iter(pool.symbols(cond)) {
            match pc.group_of(symbol) {
                Some(label) => {
                    if seen_labels.insert(label) {
                        labels.push(label);
                    }
                }
                None => symbols.push(symbol),
            }
        }
        let mut positions: Vec<u32> = pc.closed().to_vec();
        for label in labels {
            let group = pc.group(label);
            symbols.extend_from_slice(&group.symbols);
            positions.extend_from_slice(&group.conjuncts);
        }
        for &symbol in &symbols {
            positions.extend_from_slice(pc.unary(symbol));
        }
        // A few lists in order, one behind the other: this sort merges them.
        positions.sort();
        symbols.sort_unstable();
        Slice {
            terms: positions.iter().map(|&p| pc.term_at(p)).collect(),
            symbols,
        }
    }

    /// Everything: independence switched off, or no witness to fill the rest from.
    pub fn whole(pool: &Pool, pc: &PathCondition, cond: Term) -> Slice {
        let terms: Vec<Term> = pc.iter().map(|c| c.term).collect();
        let sets = terms.iter().chain([&cond]).map(|&t| pool.symbols(t));
        let symbols = pool.set_elements(sets);
        Slice { terms, symbols }
    }

    /// Completes an assignment of the slice's symbols: the others keep the witness's values.
    pub fn lift(&self, pool: &Pool, witness: &Model, values: &Model) -> Model {
        let mut model = witness.clone();
        for &symbol in &self.symbols {
            copy_symbol(pool, &mut model, values, symbol);
        }
        model
    }
}

/// Copies the value of one symbol.
pub(crate) fn copy_symbol(pool: &Pool, to: &mut Model, from: &Model, symbol: Symbol) {
    match pool.symbol_sort(symbol) {
        Sort::BitVec(0..=64) => {
            let value = from.get(symbol);
            if to.get(symbol) != value {
                to.set(symbol, value);
            }
        }
        Sort::BitVec(width) => to.set_wide(symbol, &limbs(from, symbol, width)),
        Sort::Int => to.set_int(symbol, from.int(symbol)),
        _ => match from.array(symbol) {
            Some(array) => to.set_array(symbol, array.clone()),
            None if to.array(symbol).is_some() => {
                to.set_array(symbol, ArrayValue::default());
            }
            None => {}
        },
    }
}

/// The limbs of a symbol's value.
pub(crate) fn limbs(a: &Model, symbol: Symbol, width: u32) -> Vec<u64> {
    (0..width.div_ceil(64) as usize)
        .map(|i| a.limb(symbol, i))
        .collect()
}
