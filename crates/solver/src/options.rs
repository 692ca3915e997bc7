//! The options of the solver, and the layers by name.

use crate::arrays::ArrayMethod;
use crate::layer_id::LayerId;
use crate::numeric::Metric;
use crate::sat::SatKind;

/// Which theory queries over bit-vectors meet first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum TheoryKind {
    /// Bit-vectors as they are.
    #[default]
    Bits,
    /// Linear integers, as if nothing wrapped around; queries that they leave open go to the bit-vectors.
    Lia,
}

impl TheoryKind {
    /// Every theory with the name used on the command line.
    pub const ALL: &'static [(&'static str, TheoryKind)] =
        &[("bits", TheoryKind::Bits), ("lia", TheoryKind::Lia)];

    /// The theory of that name; otherwise a message with all names.
    pub fn by_name(name: &str) -> Result<TheoryKind, String> {
        let found = TheoryKind::ALL.iter().find(|(n, _)| *n == name);
        found.map(|&(_, theory)| theory).ok_or_else(|| {
            let names: Vec<&str> = TheoryKind::ALL.iter().map(|(n, _)| *n).collect();
            format!("unknown theory '{name}'; there are {}", names.join(", "))
        })
    }
}

/// Where the search of a SAT solver begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum SatStart {
    /// Near the assignment that satisfies the path so far: its phases are set to that after a few conflicts, and inputs that
    /// no clause mentions keep their values.
    #[default]
    Witness,
    /// From its own phases, which those of earlier queries are; inputs that no clause mentions are zero.
    None,
    /// The same in an instance that knows no earlier query and has no axiom of one, as when a solver is called anew each time.
    Fresh,
}

impl SatStart {
    /// Every start with the name used on the command line.
    pub const ALL: &'static [(&'static str, SatStart)] = &[
        ("witness", SatStart::Witness),
        ("none", SatStart::None),
        ("fresh", SatStart::Fresh),
    ];

    /// The start of that name; otherwise a message with all names.
    pub fn by_name(name: &str) -> Result<SatStart, String> {
        let found = SatStart::ALL.iter().find(|(n, _)| *n == name);
        found.map(|&(_, start)| start).ok_or_else(|| {
            let names: Vec<&str> = SatStart::ALL.iter().map(|(n, _)| *n).collect();
            format!("unknown start '{name}'; there are {}", names.join(", "))
        })
    }
}

/// What is done with the floats next to a solution over the real numbers that are no solution themselves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum Points {
    /// Their neighbors are searched, then further real solutions, and fuzzing starts where none is left.
    #[default]
    Searched,
    /// Fuzzing starts from them, as in the paper.
    Fuzzed,
}

/// How conditions on floats are decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum FloatMethod {
    /// All methods, in the order of their layers.
    #[default]
    Auto,
    /// Only by assignments that are tried for other reasons.
    None,
    /// Numeric search with this distance: descent with [`Metric::Steps`], basin hopping with the papers'.
    Search(Metric),
    /// Simulated annealing with this distance.
    Annealing(Metric),
    /// Fuzzing.
    Fuzz,
    /// Over the real numbers, then by fuzzing.
    Rso(Points),
    /// Circuits.
    Bvfp,
    /// Circuits, the real numbers and fuzzing in turn.
    Synergy(Points),
}

impl FloatMethod {
    /// Does the method use this layer? Layers that have nothing to do with floats belong to all; those of papers say themselves
    /// for which method they are made.
    fn has(self, id: LayerId) -> bool {
        match id {
            LayerId::FloatIntervals => matches!(self, FloatMethod::Auto | FloatMethod::Bvfp),
            LayerId::FloatSearch => matches!(
                self,
                FloatMethod::Auto | FloatMethod::Search(_) | FloatMethod::Annealing(_)
            ),
            LayerId::RealBox => matches!(self, FloatMethod::Auto | FloatMethod::Rso(_)),
            LayerId::SmallFloat => matches!(self, FloatMethod::Auto | FloatMethod::Bvfp),
            LayerId::Bvfp => matches!(self, FloatMethod::Auto | FloatMethod::Bvfp),
            _ => true,
        }
    }
}

/// How a [`Solver`](crate::Solver) is set up.
#[derive(Clone, Debug, Default)]
pub struct SolverOptions {
    /// The layers to use; empty for all.
    pub layers: Vec<LayerId>,
    /// The SAT solver under the bit-blaster.
    pub sat: SatKind,
    /// Where its searches begin.
    pub sat_start: SatStart,
    /// How reads of arrays are decided.
    pub arrays: ArrayMethod,
    /// Products and divisions of operands with at least this many bits are abstracted; `None` for what measured
    /// best, `Some(u32::MAX)` for none.
    pub abstract_width: Option<u32>,
    /// Largest number of gates in one query's circuits; `None` for as many as fit in memory next to a run.
    pub max_gates: Option<usize>,
    /// Which theory is tried first.
    pub theory: TheoryKind,
    /// How conditions on floats are decided.
    pub floats: FloatMethod,
    /// Seed of the layers that guess.
    pub seed: u64,
}

impl SolverOptions {
    /// Only these layers.
    pub fn with_layers(layers: &[LayerId]) -> SolverOptions {
        SolverOptions {
            layers: layers.to_vec(),
            ..SolverOptions::default()
        }
    }

    /// Is this layer switched on?
    pub(crate) fn has(&self, id: LayerId) -> bool {
        let is_named = self.layers.is_empty() || self.layers.contains(&id);
        is_named && self.floats.has(id)
    }
}
