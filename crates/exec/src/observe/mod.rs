//! Observers of running paths. Each is a file with its own state, which no other one knows, and a row in
//! [`Observers`].
//!
//! The machine calls them at the moments that they watch: a site that is passed (`coverage`, `marks`), a condition
//! that is added to a path (`marks`), a value that is used (`unwritten`), an assumption (`assumptions`), an operation
//! on floats (`float_checks`), a call through another type (`function_type`), an error (`stack`, `evidence`, `in_doubt`). An observer that
//! holds states or terms shows them to the collector in [`Observers::holders`].

mod assumptions;
mod core_conditions;
mod coverage;
mod evidence;
mod float_checks;
mod function_type;
mod in_doubt;
mod made;
mod marks;
mod stack;
mod unwritten;
mod warnings;

pub(crate) use in_doubt::Way;
pub(crate) use marks::Marking;
pub(crate) use stack::ErrorPlace;

use crate::prefix::Prefix;
use crate::simulation::Simulation;
use crate::state::State;
use ir::Module;
use std::collections::HashSet;
use term::Pool;

/// All observers.
pub(crate) struct Observers {
    pub coverage: coverage::Coverage,
    /// For a pruner, if there is one.
    pub marking: Option<Marking>,
    pub float_checks: float_checks::FloatChecks,
    /// Float operations that are computed otherwise.
    pub simulation: Simulation,
    unwritten: unwritten::Unwritten,
    assumptions: assumptions::Assumptions,
    /// Pairs of types, of calls and of the functions that they called, that differ and fit all the same.
    fitting_types: HashSet<(u32, u32)>,
    reported: stack::ErrorReports,
    pub in_doubt: in_doubt::InDoubtSoFar,
    made: made::Made,
    warnings: warnings::Warnings,
}

impl Observers {
    /// For a program.
    pub fn of(module: &Module) -> Observers {
        Observers {
            coverage: coverage::Coverage::of(module.sites.len()),
            marking: None,
            float_checks: float_checks::FloatChecks::default(),
            simulation: Simulation::of(module),
            unwritten: unwritten::Unwritten::default(),
            assumptions: assumptions::Assumptions::default(),
            fitting_types: HashSet::new(),
            reported: stack::ErrorReports::default(),
            in_doubt: in_doubt::InDoubtSoFar::default(),
            made: made::Made::default(),
            warnings: warnings::Warnings::default(),
        }
    }

    /// The sites at which the inner loop need not stop: those that were passed before, by the running path if it is marked, else
    /// by any.
    #[inline]
    pub fn passed(&self) -> &[bool] {
        let marking = self.marking.as_ref();
        marking.map_or(&self.coverage.sites, |m| &m.passed)
    }

    /// The states and prefixes that observers hold, for the collector.
    pub fn holders(&mut self) -> (Vec<&mut State>, Vec<&mut Prefix>) {
        let (mut states, prefixes) = self.simulation.starts.holders();
        states.extend(self.assumptions.holders());
        (states, prefixes)
    }

    /// The terms were compacted.
    pub fn collected(&mut self, pool: &mut Pool) {
        self.unwritten.collected(pool);
    }
}
