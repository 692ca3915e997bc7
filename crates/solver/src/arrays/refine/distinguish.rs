//! The witnesses of equalities that may have to be false.

use super::super::read::ReadKey;
use super::Refiner;
use crate::query::Why;
use term::{Sort, Term, mask};

impl Refiner<'_, '_> {
    /// Gives equalities of arrays that may have to be false an index at which the arrays differ then, if they have none.
    pub fn distinguish(&mut self, equalities: &[Term]) -> Result<(), Why> {
        for &t in equalities {
            let (a, b) = (self.pool.child(t, 0), self.pool.child(t, 1));
            let Sort::Array { index: width, .. } = self.pool.sort(a) else {
                return Err(Why::Array);
            };
            let Some(equality) = self.arrays.equalities.get(&t) else {
                return Err(Why::Internal);
            };
            let (bit, known) = (equality.bit, equality.witness);
            if known.is_some() {
                continue;
            }
            let bits = self.cx.circuit.inputs(width as usize);
            let witness = self.arrays.index(&bits);
            let keys = [a, b].map(|array| ReadKey::at_bits(array, witness, (0, mask(width))));
            let left = self.instance(keys[0])?;
            let right = self.instance(keys[1])?;
            if let Some(equality) = self.arrays.equalities.get_mut(&t) {
                equality.witness = Some(witness);
                equality.keys.extend(keys);
            }
            let same = self.cx.circuit.aig.equal(&left, &right);
            let different = self.cx.circuit.aig.or(bit, !same);
            self.assert(different);
        }
        self.settle();
        Ok(())
    }
}
