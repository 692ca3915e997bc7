//! Methods of papers that a default run does not use, each in a folder of its own.
//!
//! They are baselines of experiments, or try assignments for a receiver of trials. The solver knows them by
//! [`METHODS`]: a row names the layer that a method is or replaces, and its options. To add one: a folder, its `mod`
//! line and its row. Encodings of arrays from papers have their own such table, in `arrays/papers`.

mod annealing;
mod congruence;
mod fuzz;
mod hopping;
mod rso;
mod shares;
mod synergy;

use crate::layer::Layer;
use crate::layer_id::LayerId;
use crate::options::{FloatMethod, SolverOptions};

/// Makes the layer if these options ask for it.
type Make = fn(&SolverOptions) -> Option<Box<dyn Layer>>;

/// The methods, with the rows of the table of layers at which they stand.
const METHODS: &[(LayerId, Make)] = &[
    (LayerId::Congruence, |_| {
        Some(Box::new(congruence::Congruence))
    }),
    (LayerId::FloatSearch, hopping::layer),
    (LayerId::FloatSearch, annealing::layer),
    (LayerId::Fuzz, |options| {
        let is_asked = options.floats == FloatMethod::Fuzz;
        is_asked.then(|| Box::new(fuzz::Fuzz::new(options.seed)) as Box<dyn Layer>)
    }),
    (LayerId::RealBox, rso::layer),
    (LayerId::Synergy, synergy::layer),
];

/// The layer of a paper that stands at this row with these options, if one does.
pub(crate) fn layer(id: LayerId, options: &SolverOptions) -> Option<Box<dyn Layer>> {
    let at_row = METHODS.iter().filter(|&&(row, _)| row == id);
    at_row.filter_map(|(_, make)| make(options)).next()
}
