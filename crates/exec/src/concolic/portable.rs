//! The names by which other processes know inputs and conditions of this machine.

use crate::machine::Machine;
use crate::portable::{Contents, PortableConditions, contents, input};
use dse::Names;
use solver::Model;
use term::Term;

/// A part of the frontier on its way to another process: inputs by the names of the symbolic objects, and conditions
/// as lists of nodes, as in a [`PortablePrefix`](crate::PortablePrefix).
pub type PortablePart = dse::PortablePart<Contents, PortableConditions>;

impl Names for Machine {
    type Contents = Contents;
    type Conditions = PortableConditions;

    fn contents(&self, values: &Model) -> Contents {
        contents(self, &values.pack())
    }

    fn conditions(&self, terms: &[Term]) -> PortableConditions {
        PortableConditions::of(self, terms)
    }

    fn input(&mut self, contents: &Contents) -> Result<Model, String> {
        input(self, contents)
    }

    fn rebuild(&mut self, conditions: &PortableConditions) -> Result<Vec<Term>, String> {
        conditions.rebuild(self)
    }
}
