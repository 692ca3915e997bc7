//! The bits of symbols that a SAT solver knows, and the models made from their values.

use super::Circuit;
use super::cnf::Cnf;
use crate::model::Model;
use crate::sat::{Lit, SatBackend};
use crate::slice::limbs;
use term::{Pool, Sort, Symbol};

/// A bit of a symbol that has a variable in the SAT solver.
pub(crate) struct Input {
    symbol: Symbol,
    bit: usize,
    /// The SAT solver's literal.
    pub lit: Lit,
}

impl Input {
    /// Its value in a model.
    pub fn value(&self, model: &Model) -> bool {
        model.limb(self.symbol, self.bit / 64) >> (self.bit % 64) & 1 == 1
    }
}

/// The bits of bit-vector symbols that clauses mention, in the order of the symbols.
pub(crate) fn inputs(pool: &Pool, circuit: &Circuit, cnf: &Cnf, symbols: &[Symbol]) -> Vec<Input> {
    let mut inputs = Vec::new();
    for &symbol in symbols {
        if !matches!(pool.symbol_sort(symbol), Sort::BitVec(_)) {
            continue;
        }
        for (bit, &own) in circuit.symbol(symbol).unwrap_or(&[]).iter().enumerate() {
            if let Some(lit) = cnf.get(own) {
                inputs.push(Input { symbol, bit, lit });
            }
        }
    }
    inputs
}

/// The model that gives inputs these values, and everything else those of `start`.
pub(crate) fn completed(pool: &Pool, start: &Model, inputs: &[Input], values: &[bool]) -> Model {
    let mut model = start.clone();
    let mut values = values.iter();
    for bits in inputs.chunk_by(|a, b| a.symbol == b.symbol) {
        let symbol = bits[0].symbol;
        let width = pool.symbol_sort(symbol).bits();
        let mut limbs = limbs(start, symbol, width);
        for (input, &value) in bits.iter().zip(&mut values) {
            let (limb, mask) = (input.bit / 64, 1u64 << (input.bit % 64));
            limbs[limb] = limbs[limb] & !mask | if value { mask } else { 0 };
        }
        match width {
            ..=64 => model.set(symbol, limbs[0]),
            _ => model.set_wide(symbol, &limbs),
        }
    }
    model
}

/// The symbols' values in the SAT solver's model. Bits that no clause mentions keep the start
/// assignment's value.
pub(crate) fn read_model(
    pool: &Pool,
    circuit: &Circuit,
    cnf: &Cnf,
    sat: &mut dyn SatBackend,
    symbols: &[Symbol],
    start: &Model,
) -> Model {
    let inputs = inputs(pool, circuit, cnf, symbols);
    let values: Vec<bool> = inputs.iter().map(|input| sat.value(input.lit)).collect();
    completed(pool, start, &inputs, &values)
}
