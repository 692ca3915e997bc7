//! Terms to bits, iteratively: a term is visited again once its operands have bits.

use super::aig::Aig;
use super::circuits::Bits;
use super::cnf::Cnf;
use super::model::{completed, inputs, read_model};
use super::terms::refusal;
use super::{Circuit, Extension, Lowered};
use crate::model::Model;
use crate::query::Why;
use crate::sat::{Lit, SatBackend};
use term::{Pool, Relocation, Symbol, Term};

/// A circuit and its extensions.
pub struct Lowering {
    pub(crate) circuit: Circuit,
    pub(crate) extensions: Vec<Box<dyn Extension>>,
}

impl Lowering {
    /// The graph of gates.
    pub fn aig(&self) -> &Aig {
        &self.circuit.aig
    }

    /// The same, to build in.
    pub fn aig_mut(&mut self) -> &mut Aig {
        &mut self.circuit.aig
    }

    /// Is there room and time for more?
    ///
    /// # Errors
    /// [`Why::TooLarge`] or [`Why::Timeout`] if not.
    pub fn check(&mut self) -> Result<(), Why> {
        self.circuit.check()
    }

    /// Gives a term bits that were built elsewhere.
    pub fn provide(&mut self, t: Term, bits: &[Lit]) {
        self.circuit.provide(t, bits);
    }

    /// The symbols' values in the SAT solver's model. Bits that no clause mentions keep the start
    /// assignment's value.
    pub fn read_model(
        &self,
        pool: &Pool,
        cnf: &Cnf,
        sat: &mut dyn SatBackend,
        symbols: &[Symbol],
        start: &Model,
    ) -> Model {
        read_model(pool, &self.circuit, cnf, sat, symbols, start)
    }

    /// The bits of the symbols that clauses mention: the SAT solver's literals, with their values in a model.
    pub fn inputs(
        &self,
        pool: &Pool,
        cnf: &Cnf,
        symbols: &[Symbol],
        model: &Model,
    ) -> Vec<(Lit, bool)> {
        let inputs = inputs(pool, &self.circuit, cnf, symbols);
        inputs.iter().map(|i| (i.lit, i.value(model))).collect()
    }

    /// The model in which these bits have the values that `value` gives them, and everything else those of `start`.
    pub fn completed(
        &self,
        pool: &Pool,
        cnf: &Cnf,
        symbols: &[Symbol],
        start: &Model,
        value: impl Fn(Lit) -> bool,
    ) -> Model {
        let inputs = inputs(pool, &self.circuit, cnf, symbols);
        let values: Vec<bool> = inputs.iter().map(|i| value(i.lit)).collect();
        completed(pool, start, &inputs, &values)
    }

    /// The bit of a condition; builds the missing circuits.
    ///
    /// # Errors
    /// A term has no circuit, or a limit of the circuit was reached.
    pub fn condition(&mut self, pool: &mut Pool, root: Term) -> Result<Lit, Why> {
        let mut work = vec![root];
        while let Some(&t) = work.last() {
            self.circuit.check()?;
            if self.circuit.has(t) {
                work.pop();
            } else if let Some(bits) = self.lower(pool, t, &mut work)? {
                self.circuit.set(pool, t, &bits);
                work.pop();
            }
        }
        Ok(self.circuit.get(root).expect("just built")[0])
    }

    /// The bits of a term, `None` if `work` has more now.
    fn lower(
        &mut self,
        pool: &mut Pool,
        t: Term,
        work: &mut Vec<Term>,
    ) -> Result<Option<Bits>, Why> {
        let mut lowered = Lowered::Unknown;
        if pool.has_array(t) {
            for extension in &mut self.extensions {
                if matches!(lowered, Lowered::Unknown) {
                    lowered = extension.whole(&mut self.circuit, pool, t, work);
                }
            }
        }
        if matches!(lowered, Lowered::Unknown) {
            lowered = self.circuit.lower(pool, t, work)?;
        }
        for extension in &mut self.extensions {
            if !matches!(lowered, Lowered::Unknown) {
                break;
            }
            lowered = extension.lower(&mut self.circuit, pool, t, work)?;
        }
        match lowered {
            Lowered::Bits(bits) => Ok(Some(bits)),
            Lowered::Later => Ok(None),
            Lowered::Unknown => Err(refusal(pool, t)),
        }
    }

    /// Renumbers the terms after a collection.
    pub(crate) fn relocate(&mut self, relocation: &Relocation) {
        self.circuit.relocate(relocation);
        for extension in &mut self.extensions {
            extension.relocate(relocation);
        }
    }
}
