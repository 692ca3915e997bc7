//! Terms to bits, iteratively: a term is visited again once what it needs has bits.

use super::circuits::Bits;
use super::terms::refusal;
use super::{Circuit, Extension, Lowered};
use crate::query::Why;
use crate::sat::Lit;
use term::{Pool, Relocation, Term};

/// A circuit and who extends it.
pub(crate) struct Lowering {
    pub circuit: Circuit,
    pub extensions: Vec<Box<dyn Extension>>,
}

impl Lowering {
    /// The bit of a condition, building what is missing.
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
        let mut lowered = self.circuit.lower(pool, t, work)?;
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
    pub fn relocate(&mut self, relocation: &Relocation) {
        self.circuit.relocate(relocation);
        for extension in &mut self.extensions {
            extension.relocate(relocation);
        }
    }
}
