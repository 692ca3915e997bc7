//! Constructs the layers, and the chain from them in the order of the table of [`LayerId`].

use crate::chain::{Chain, Placed, Wrapped, Wrapper};
use crate::layer::Layer;
use crate::layer_id::{LayerId, Stand};
use crate::layers::ilp::Ilp;
use crate::layers::{
    blast, cores, domains, enumeration, facts, float_intervals, float_search, intervals, real_box,
    reuse, rewrite, search, small_float, without_floats,
};
use crate::options::{SolverOptions, TheoryKind};
use crate::papers;

/// A layer that a crate above brings along, and its row.
pub type Guest = (LayerId, Box<dyn Layer>);

/// Makes layers.
struct Registry<'o> {
    options: &'o SolverOptions,
    guests: Vec<Guest>,
    enumeration: enumeration::Enumeration,
}

impl Registry<'_> {
    /// The layer of that name for this place, set up: a guest's, a paper's, or our own.
    fn layer(&mut self, id: LayerId, place: Stand) -> Option<Box<dyn Layer>> {
        let options = self.options;
        if let Some(at) = self.guests.iter().position(|&(guest, _)| guest == id) {
            return Some(self.guests.swap_remove(at).1);
        }
        if let Some(layer) = papers::layer(id, options) {
            return Some(layer);
        }
        let layer: Box<dyn Layer> = match id {
            LayerId::Rewrite => Box::new(rewrite::Rewrite),
            LayerId::Domains => Box::new(domains::Domains),
            LayerId::Cores => Box::new(cores::Cores::default()),
            LayerId::Reuse => Box::new(reuse::Reuse::default()),
            LayerId::Intervals => Box::new(intervals::Intervals),
            LayerId::Facts => Box::new(facts::Facts),
            LayerId::Search => Box::new(search::LocalSearch::new(options.seed)),
            LayerId::Enumeration => Box::new(self.enumeration.at(place == Stand::End)),
            LayerId::FloatIntervals => Box::<float_intervals::FloatIntervals>::default(),
            LayerId::FloatSearch => Box::new(float_search::FloatSearch::descent(options)),
            LayerId::RealBox => Box::new(real_box::RealBox::new(options)),
            LayerId::SmallFloat => Box::new(small_float::SmallFloat::new(options)),
            // Before the layers that would guess a model and show nothing of the simplex's way.
            LayerId::Ilp => Box::new(Ilp::new(place != Stand::Row)),
            LayerId::Blast => Box::new(blast::Blast::new(options)),
            // Stands in no place of a layer, or is the row of a guest or of a paper: with these options nothing stands there.
            _ => return None,
        };
        Some(layer)
    }

    /// The wrapper of that name.
    fn wrapper(&self, id: LayerId) -> Box<dyn Wrapper> {
        match id {
            LayerId::Bvfp => Box::<without_floats::WithoutFloats>::default(),
            _ => unreachable!("stands around nothing"),
        }
    }

    /// Puts a layer at the end of the chain, if it is switched on and has this place.
    fn place(&mut self, chain: &mut Chain, id: LayerId, place: Stand) {
        if self.options.has(id)
            && id.places().contains(&place)
            && let Some(layer) = self.layer(id, place)
        {
            chain.layers.push(Placed { id, layer });
        }
    }

    /// The chain from these rows on.
    fn chain(&mut self, mut rows: &[LayerId]) -> Chain {
        let mut chain = Chain::default();
        while let Some((&id, behind)) = rows.split_first() {
            rows = behind;
            if self.options.theory == TheoryKind::Lia {
                for &other in LayerId::ALL {
                    self.place(&mut chain, other, Stand::Before(id));
                }
            }
            self.place(&mut chain, id, Stand::Row);
            if self.options.has(id) && id.places().contains(&Stand::Around) {
                chain.rest = Some(Wrapped {
                    id,
                    wrapper: self.wrapper(id),
                    chain: Box::new(self.chain(rows)),
                });
                return chain;
            }
        }
        for &id in LayerId::ALL {
            self.place(&mut chain, id, Stand::End);
        }
        chain
    }
}

/// The chain: the layers that are switched on, in the order in which a query meets them. `guests` are layers from outside.
pub(crate) fn assemble(options: &SolverOptions, guests: Vec<Guest>) -> Chain {
    let mut registry = Registry {
        options,
        guests,
        enumeration: enumeration::Enumeration::default(),
    };
    registry.chain(LayerId::ALL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{FloatMethod, Points};

    /// The rows of a chain in their order, with how many wrappers stand around each.
    fn standing(chain: &Chain, depth: usize) -> Vec<(LayerId, usize)> {
        let mut all: Vec<(LayerId, usize)> = chain.layers.iter().map(|l| (l.id, depth)).collect();
        if let Some(rest) = &chain.rest {
            all.push((rest.id, depth));
            all.extend(standing(&rest.chain, depth + 1));
        }
        all
    }

    fn with(theory: TheoryKind, floats: FloatMethod) -> Vec<(LayerId, usize)> {
        let options = SolverOptions {
            theory,
            floats,
            ..SolverOptions::default()
        };
        standing(&assemble(&options, Vec::new()), 0)
    }

    #[test]
    fn each_row_stands_where_the_table_says() {
        use LayerId::*;
        let auto = [
            Rewrite,
            Domains,
            Cores,
            Reuse,
            Intervals,
            Facts,
            Search,
            Enumeration,
            Congruence,
            FloatIntervals,
            FloatSearch,
            RealBox,
            SmallFloat,
            Bvfp,
        ];
        let behind = [Ilp, Blast, Enumeration].map(|id| (id, 1));
        let mut expected: Vec<(LayerId, usize)> = auto.map(|id| (id, 0)).into();
        expected.extend(behind);
        assert_eq!(with(TheoryKind::Bits, FloatMethod::Auto), expected);
        // Integers first.
        let mut early = expected.clone();
        let at = early.iter().position(|&(id, _)| id == Search).unwrap();
        early.insert(at, (Ilp, 0));
        assert_eq!(with(TheoryKind::Lia, FloatMethod::Auto), early);
        // Where nothing is lowered, nothing is wrapped.
        let floats = [FloatIntervals, FloatSearch, RealBox, SmallFloat, Bvfp];
        expected.retain(|(id, _)| !floats.contains(id));
        expected.iter_mut().for_each(|(_, depth)| *depth = 0);
        assert_eq!(with(TheoryKind::Bits, FloatMethod::None), expected);
    }

    /// Each row that stands in the chain has a layer with some options, but for those of guests.
    #[test]
    fn no_row_of_the_chain_is_empty() {
        let methods = [
            FloatMethod::Auto,
            FloatMethod::Fuzz,
            FloatMethod::Synergy(Points::Searched),
        ];
        let found: Vec<LayerId> = methods
            .iter()
            .flat_map(|&floats| with(TheoryKind::Bits, floats))
            .map(|(id, _)| id)
            .collect();
        let in_chain = |id: &LayerId| id.places() != [Stand::Door];
        let empty: Vec<LayerId> = LayerId::ALL
            .iter()
            .copied()
            .filter(|id| in_chain(id) && !found.contains(id))
            .collect();
        assert_eq!(empty, [LayerId::Lia]);
    }

    /// The page of the design has each row, in order, with its places.
    #[test]
    fn the_design_page_shows_the_table() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/design/solver.md");
        let page = std::fs::read_to_string(page).expect("the page");
        let rows = page.lines().filter_map(|line| {
            let mut cells = line.strip_prefix("| `")?.split(" | ");
            let name = cells.next()?.strip_suffix('`')?;
            let places = cells.next()?;
            LayerId::by_name(name).ok().map(|id| (id, places))
        });
        let word = |place: &Stand| match place {
            Stand::Door => "door".to_string(),
            Stand::Row => "row".to_string(),
            Stand::Before(other) => format!("before `{}`", other.name()),
            Stand::Around => "around".to_string(),
            Stand::End => "end".to_string(),
        };
        let words = |id: LayerId| id.places().iter().map(word).collect::<Vec<_>>().join(", ");
        let shown: Vec<(LayerId, String)> = rows.map(|(id, p)| (id, p.to_string())).collect();
        let table: Vec<(LayerId, String)> =
            LayerId::ALL.iter().map(|&id| (id, words(id))).collect();
        assert_eq!(shown, table);
    }
}
