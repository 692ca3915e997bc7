//! Values of circuit nodes under a SAT model.
//!
//! A node that no clause mentions has no SAT variable. Inputs without one keep the value that was set (the start
//! assignment's, or what an extension needs), so that the values here are those that the evaluation of terms will
//! find.

use super::aig::{Aig, Gate};
use super::cnf::Cnf;
use crate::sat::{Lit, SatBackend};

/// Little-endian limbs of a value.
pub(crate) type Limbs = Vec<u64>;

/// Node values, computed on demand.
pub(crate) struct Valuation<'a> {
    aig: &'a Aig,
    cnf: &'a Cnf,
    sat: &'a mut dyn SatBackend,
    /// 0 unknown, 1 false, 2 true.
    values: Vec<u8>,
    stack: Vec<u32>,
}

impl<'a> Valuation<'a> {
    pub fn new(aig: &'a Aig, cnf: &'a Cnf, sat: &'a mut dyn SatBackend) -> Valuation<'a> {
        Valuation {
            aig,
            cnf,
            sat,
            values: vec![0; aig.len()],
            stack: Vec::new(),
        }
    }

    /// Is the literal an input that no clause mentions?
    pub fn is_free(&self, lit: Lit) -> bool {
        !lit.is_const() && self.cnf.get(lit).is_none()
    }

    /// Sets an input.
    pub fn set(&mut self, lit: Lit, value: bool) {
        self.values[lit.var() as usize] = 1 + (value != lit.is_negated()) as u8;
    }

    /// The value of a literal.
    pub fn bit(&mut self, lit: Lit) -> bool {
        let root = lit.var();
        if self.values[root as usize] == 0 {
            self.stack.push(root);
            while let Some(&node) = self.stack.last() {
                if self.step(node) {
                    self.stack.pop();
                }
            }
        }
        (self.values[root as usize] == 2) != lit.is_negated()
    }

    /// Computes a node, or pushes the nodes that it needs first.
    fn step(&mut self, node: u32) -> bool {
        if self.values[node as usize] != 0 {
            return true;
        }
        let gate = self.aig.gate(node);
        let value = match gate {
            Gate::True => true,
            Gate::Input => match self.cnf.get(Lit::positive(node)) {
                Some(lit) => self.sat.value(lit),
                None => false,
            },
            Gate::And(a, b) | Gate::Xor(a, b) => {
                let (Some(x), Some(y)) = (self.known(a), self.known(b)) else {
                    return false;
                };
                if matches!(gate, Gate::And(..)) {
                    x && y
                } else {
                    x != y
                }
            }
            Gate::Mux(c, t, e) => {
                let Some(c) = self.known(c) else { return false };
                match self.known(if c { t } else { e }) {
                    Some(value) => value,
                    None => return false,
                }
            }
        };
        self.values[node as usize] = 1 + value as u8;
        true
    }

    fn known(&mut self, lit: Lit) -> Option<bool> {
        let value = self.values[lit.var() as usize];
        if value == 0 {
            self.stack.push(lit.var());
            return None;
        }
        Some((value == 2) != lit.is_negated())
    }

    /// The value of a vector of bits.
    pub fn limbs(&mut self, bits: &[Lit]) -> Limbs {
        let mut limbs = vec![0; bits.len().div_ceil(64).max(1)];
        for (i, &bit) in bits.iter().enumerate() {
            limbs[i / 64] |= (self.bit(bit) as u64) << (i % 64);
        }
        limbs
    }
}

/// Bit `i` of a value.
pub(crate) fn bit_of(limbs: &[u64], i: usize) -> bool {
    limbs
        .get(i / 64)
        .is_some_and(|limb| limb >> (i % 64) & 1 != 0)
}
