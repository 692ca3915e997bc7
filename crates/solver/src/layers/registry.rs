//! The layers as one table, in the order in which a query meets them: name, help, what their counter says, and how one
//! is made. Two rows are no layers of the chain but stand in it by their name: `domains` also has a fast path before the
//! chain, and `independence` cuts the query before it.

use super::ilp::Ilp;
use super::{
    Layer, blast, congruence, cores, domains, enumeration, facts, float_intervals, float_search,
    fuzz, intervals, lia, real_box, reuse, rewrite, search, small_float, synergy,
};
use crate::numeric::Metric;
use crate::options::{FloatMethod, SolverOptions, TheoryKind};

type Make = fn(&SolverOptions) -> Option<Box<dyn Layer>>;

macro_rules! layers {
    ($($variant:ident $name:literal $help:literal, $decided:literal, $make:expr;)*) => {
        /// Something that decides queries, or makes them smaller, and that `--solver-layers` can name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum LayerId { $(#[doc = $help] $variant),* }

        impl LayerId {
            /// All layers, in the order of the table.
            pub const ALL: &[LayerId] = &[$(LayerId::$variant),*];

            /// The name on the command line.
            pub const fn name(self) -> &'static str {
                match self { $(LayerId::$variant => $name),* }
            }

            /// What it does, for `--help`.
            pub const fn help(self) -> &'static str {
                match self { $(LayerId::$variant => $help),* }
            }

            /// Name of the counter of queries that it decided.
            pub(crate) const fn counter(self) -> &'static str {
                match self { $(LayerId::$variant => concat!("by_", $name)),* }
            }

            /// What that counter says.
            pub(crate) const fn decided(self) -> &'static str {
                match self { $(LayerId::$variant => concat!("decided ", $decided)),* }
            }

            fn make(self) -> Make {
                match self { $(LayerId::$variant => $make),* }
            }
        }
    };
}

#[rustfmt::skip]
layers! {
    Rewrite "rewrite" "constants, and conditions that stand on the path already",
        "as constants or by a conjunct on the path", |_| Some(Box::new(rewrite::Rewrite));
    Domains "domains" "the exact set of values of each input byte",
        "by sets of byte values", |_| Some(Box::new(domains::Domains));
    Independence "independence" "only the conjuncts that share symbols with the condition",
        "never: it makes queries smaller", |_| None;
    Cores "cores" "answers and unsatisfiable cores of earlier queries",
        "by an earlier answer or core", |_| Some(Box::new(cores::Cores::default()));
    Reuse "reuse" "models of earlier queries",
        "by an earlier model", |_| Some(Box::new(reuse::Reuse::default()));
    Lia "lia" "linear integer arithmetic: queries over integers",
        "by linear integer arithmetic", |_| Some(Box::new(lia::Lia));
    Intervals "intervals" "value ranges and known bits under the path",
        "by value ranges", |_| Some(Box::new(intervals::Intervals::default()));
    Facts "facts" "value ranges and known bits in both directions, for queries with products",
        "by value ranges in both directions", |_| Some(Box::new(facts::Facts));
    Search "search" "a few guided changes of the witness",
        "by local search", |o| Some(Box::new(search::LocalSearch::new(o.seed)));
    Enumeration "enumeration" "every assignment of up to 16 input bits",
        "by every assignment of a few bits", |_| None;
    Congruence "congruence" "one value for each class of equal terms, tried where trials are wanted",
        "by the classes of the congruence closure", |_| Some(Box::new(congruence::Congruence));
    FloatIntervals "float-intervals" "sets of floats in both directions, and the order of terms",
        "by sets of floats", |_| Some(Box::<float_intervals::FloatIntervals>::default());
    FloatSearch "float-search" "descent on the distance to satisfying conditions with floats",
        "by descent on float conditions", |o| {
            let metric = match o.floats { FloatMethod::Search(metric) => metric, _ => Metric::default() };
            Some(Box::new(float_search::FloatSearch::new(metric, o.seed)))
        };
    RealBox "real-box" "float conditions over boxes of real numbers, and the floats next to a solution",
        "next to a real solution", |o| Some(Box::new(real_box::RealBox::new(o.seed)));
    Fuzz "fuzz" "fuzzing of conditions with floats, only with the method of that name",
        "by fuzzing float conditions", |o| Some(Box::new(fuzz::Fuzz::new(o.seed)));
    Synergy "synergy" "simple conditions by circuits, then real numbers, then fuzzing, only with the method of that name",
        "by circuits, real numbers and fuzzing in turn", |o| Some(Box::new(synergy::Synergy::new(o)));
    SmallFloat "small-float" "float conditions at smaller precisions, and a descent from their models",
        "from a solution at a smaller precision", |o| Some(Box::new(small_float::SmallFloat::new(o)));
    Bvfp "bvfp" "floating-point conditions as conditions on bit-vectors, for the layers behind this one",
        "never: it makes queries of other ones", |_| None;
    Ilp "ilp" "integer linear programs for what is linear in the query",
        "by an integer linear program", |_| Some(Box::new(Ilp::new(false)));
    Blast "blast" "bit-blasting onto a SAT solver",
        "by the SAT solver", |o| Some(Box::new(blast::Blast::new(o)));
}

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
pub(crate) fn assemble(options: &SolverOptions) -> Vec<Placed> {
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
        if options.has(id)
            && let Some(layer) = (id.make())(options)
        {
            chain.push(Placed { id, layer });
        }
    }
    chain.extend(last);
    chain
}
