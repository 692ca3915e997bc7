//! How each layer is made, and where it stands in the chain: in the order of [`LayerId::ALL`], but for the few that
//! [`assemble`] places otherwise.

use super::ilp::Ilp;
use super::{
    Layer, blast, congruence, cores, domains, enumeration, facts, float_intervals, float_search,
    fuzz, intervals, real_box, reuse, rewrite, search, small_float, synergy,
};
use crate::layer_id::LayerId;
use crate::numeric::Metric;
use crate::options::{FloatMethod, SolverOptions, TheoryKind};

/// The layer of that name, set up; `None` for a row that is no layer of its own in the chain, or that [`assemble`] places.
fn make(id: LayerId, options: &SolverOptions) -> Option<Box<dyn Layer>> {
    let layer: Box<dyn Layer> = match id {
        LayerId::Rewrite => Box::new(rewrite::Rewrite),
        LayerId::Domains => Box::new(domains::Domains),
        LayerId::Cores => Box::new(cores::Cores::default()),
        LayerId::Reuse => Box::new(reuse::Reuse::default()),
        LayerId::Intervals => Box::new(intervals::Intervals::default()),
        LayerId::Facts => Box::new(facts::Facts),
        LayerId::Search => Box::new(search::LocalSearch::new(options.seed)),
        LayerId::Congruence => Box::new(congruence::Congruence),
        LayerId::FloatIntervals => Box::<float_intervals::FloatIntervals>::default(),
        LayerId::FloatSearch => {
            let metric = match options.floats {
                FloatMethod::Search(metric) => metric,
                _ => Metric::default(),
            };
            Box::new(float_search::FloatSearch::new(metric, options.seed))
        }
        LayerId::RealBox => Box::new(real_box::RealBox::new(options.seed)),
        LayerId::Fuzz => Box::new(fuzz::Fuzz::new(options.seed)),
        LayerId::Synergy => Box::new(synergy::Synergy::new(options)),
        LayerId::SmallFloat => Box::new(small_float::SmallFloat::new(options)),
        LayerId::Ilp => Box::new(Ilp::new(false)),
        LayerId::Blast => Box::new(blast::Blast::new(options)),
        LayerId::Independence | LayerId::Enumeration | LayerId::Bvfp | LayerId::Lia => return None,
    };
    Some(layer)
}

/// A layer that a crate above brings along, and its row.
pub type Guest = (LayerId, Box<dyn Layer>);

/// A layer in the chain.
pub(crate) struct Placed {
    pub id: LayerId,
    pub layer: Box<dyn Layer>,
}

/// Two places in the chain for the enumeration of small inputs.
fn enumerations(options: &SolverOptions) -> [Option<Placed>; 2] {
    if !options.has(LayerId::Enumeration) {
        return [None, None];
    }
    let first = enumeration::Enumeration::default();
    let last = first.at_the_end();
    [first, last].map(|layer| {
        let layer: Box<dyn Layer> = Box::new(layer);
        let id = LayerId::Enumeration;
        Some(Placed { id, layer })
    })
}

/// The chain: the layers that are switched on, in the order in which a query meets them.
/// `guests` are layers from outside, which stand at the rows of their names.
pub(crate) fn assemble(options: &SolverOptions, mut guests: Vec<Guest>) -> Vec<Placed> {
    let mut chain = Vec::new();
    let [first, last] = enumerations(options);
    let mut first = first;
    for &id in LayerId::ALL {
        if id == LayerId::Search && options.theory == TheoryKind::Lia && options.has(LayerId::Ilp) {
            // Before the layers that would guess a model and show nothing of the simplex's way.
            let layer = Box::new(Ilp::new(true));
            chain.push(Placed {
                id: LayerId::Ilp,
                layer,
            });
        }
        if id == LayerId::Enumeration {
            chain.extend(first.take());
        }
        if !options.has(id) {
            continue;
        }
        if let Some(at) = guests.iter().position(|&(guest, _)| guest == id) {
            let (id, layer) = guests.swap_remove(at);
            chain.push(Placed { id, layer });
        }
        if let Some(layer) = make(id, options) {
            chain.push(Placed { id, layer });
        }
    }
    chain.extend(last);
    chain
}
