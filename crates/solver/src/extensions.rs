//! The extensions of the circuit builder, as one list.
//!
//! To add one: a type that implements [`Extension`](crate::circuit::Extension) and an entry in [`Settings::lowering`].

use crate::arith::Arithmetic;
use crate::arrays::{ArrayMethod, Arrays};
use crate::circuit::{Circuit, Lowering};
use crate::options::SatStart;
use linear::Deadline;

/// How circuits are built, and where the search in them begins.
#[derive(Clone, Copy)]
pub(crate) struct Settings {
    /// How reads of arrays are lowered.
    pub arrays: ArrayMethod,
    /// Products and divisions of at least this many bits are abstract.
    pub abstract_width: u32,
    /// More gates than this in one circuit end the query as too large.
    pub max_gates: usize,
    /// Where searches begin.
    pub start: SatStart,
}

impl Default for Settings {
    /// Whole circuits, of a size that fits in memory next to a run.
    fn default() -> Self {
        Settings {
            arrays: ArrayMethod::Auto,
            abstract_width: u32::MAX,
            max_gates: 4_000_000,
            start: SatStart::Witness,
        }
    }
}

impl Settings {
    /// An empty circuit with its extensions. Where a query rests on several of them, its abstract models are shown
    /// under the first one's name.
    pub fn lowering(self) -> Lowering {
        Lowering {
            circuit: Circuit::new(self.max_gates),
            extensions: vec![
                Box::new(Arrays::new(self.arrays)),
                Box::new(Arithmetic::new(self.abstract_width)),
            ],
        }
    }
}

/// An empty circuit in which only arrays are abstract, for a separate search with this deadline.
pub fn whole_circuits(until: Option<Deadline>) -> Lowering {
    let mut lowering = Settings::default().lowering();
    lowering.circuit.limits.deadline = until;
    lowering
}
