//! Which state runs next.
//!
//! A [`Searcher`] sees states as ids with [`Metrics`]; it knows no memory, no terms and no solver.
//! All searchers are listed in [`registry`]; `a,b` interleaves. Distances to code that is not
//! covered yet come from [`distance`], which knows the IR and nothing else.
//!
//! # Protocol
//!
//! 1. `add(root, None, &m)` once; `add(child, Some(running), &m)` at each fork.
//! 2. After a state ran (a slice, or up to a fork): `update(id, &m)` if it lives, `remove(id)` if
//!    it ended. Other states need no update: when `select` considers one, it asks `fresh` for
//!    its metrics of now, so nothing ever sweeps over all states.
//! 3. `select(fresh)` names the next state; `None` only when no state is left.
//!
//! # How to add a searcher
//!
//! One file with a type that implements [`Searcher`] (or, for a weight, [`nurs::Weight`]), and one
//! line in [`registry::REGISTRY`]. The meta-tests run over the registry.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]
#![warn(missing_docs)]

pub mod batching;
pub mod bfs;
pub mod class_uniform;
pub mod dfs;
pub mod distance;
pub mod frontier;
pub mod interleaved;
pub mod nurs;
pub mod random_path;
pub mod random_state;
pub mod registry;
mod rng;
mod state_map;
mod state_set;
pub mod subpath;
mod sum_tree;

pub use batching::Batching;
pub use distance::{Distances, Near};

pub use registry::{Entry, Options, REGISTRY, UnknownSearcher, parse};

/// Names a live state. Ids may be reused once their state was removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(pub u32);

/// Stands for "none" where a metric is a site or a distance.
pub const UNKNOWN: u32 = u32::MAX;

/// What a searcher may know of a state. Fields that no chosen searcher asks for (see [`Needs`])
/// may keep their default.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metrics {
    /// Forks on the path.
    pub depth: u32,
    /// Instructions executed on the path.
    pub instructions: u64,
    /// Instructions since the path last covered a site first; `u64::MAX`: it never did.
    pub since_new_coverage: u64,
    /// The path covered something new since it was last selected.
    pub covered_new: bool,
    /// Instructions to the nearest uncovered site, see [`Distances`]; [`UNKNOWN`]: none reachable.
    pub min_distance_to_uncovered: u32,
    /// That site, or [`UNKNOWN`].
    pub nearest_uncovered: u32,
    /// The coverage site that the state passed last, or [`UNKNOWN`].
    pub site: u32,
    /// The outcomes of the last four forks, 16 bits each, the newest lowest: see [`push_branch`].
    pub recent_branches: u64,
    /// Instructions that all states together executed under this state's call stack.
    pub call_path_instructions: u64,
    /// How often all states together executed the instruction at this state's pc.
    pub pc_instructions: u64,
    /// Cost of the queries on the path, in seconds (or ticks scaled to seconds, to repeat runs).
    pub query_cost_s: f64,
}

impl Default for Metrics {
    fn default() -> Metrics {
        Metrics {
            depth: 0,
            instructions: 0,
            since_new_coverage: u64::MAX,
            covered_new: false,
            min_distance_to_uncovered: UNKNOWN,
            nearest_uncovered: UNKNOWN,
            site: UNKNOWN,
            recent_branches: 0,
            call_path_instructions: 0,
            pc_instructions: 0,
            query_cost_s: 0.0,
        }
    }
}

/// The new value of [`Metrics::recent_branches`] after a fork at `pc` took side `outcome`.
#[inline]
pub const fn push_branch(recent: u64, pc: u32, outcome: u32) -> u64 {
    let h = ((pc as u64) << 8 ^ outcome as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 48;
    // Zero means "no fork yet".
    (recent << 16) | if h == 0 { 1 } else { h }
}

/// Which metrics beyond `depth`, `instructions`, `covered_new` and `site` a searcher reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// `min_distance_to_uncovered` and `nearest_uncovered`.
    pub distance: bool,
    /// `since_new_coverage`.
    pub new_coverage: bool,
    /// `recent_branches`.
    pub recent_branches: bool,
    /// `call_path_instructions`.
    pub call_path: bool,
    /// `pc_instructions`.
    pub pc_count: bool,
    /// `query_cost_s`.
    pub query_cost: bool,
}

impl Needs {
    /// Nothing beyond the basic metrics.
    pub const NONE: Needs = Needs {
        distance: false,
        new_coverage: false,
        recent_branches: false,
        call_path: false,
        pc_count: false,
        query_cost: false,
    };

    /// What either needs.
    pub const fn union(self, o: Needs) -> Needs {
        Needs {
            distance: self.distance | o.distance,
            new_coverage: self.new_coverage | o.new_coverage,
            recent_branches: self.recent_branches | o.recent_branches,
            call_path: self.call_path | o.call_path,
            pc_count: self.pc_count | o.pc_count,
            query_cost: self.query_cost | o.query_cost,
        }
    }
}

/// Gives the metrics of a live state as they are now.
pub type Fresh<'a> = &'a mut dyn FnMut(StateId) -> Metrics;

/// Decides which state runs next. See the crate's protocol.
///
/// No operation's cost may grow with the number of live states by more than a logarithm, but for
/// [`worst`](Searcher::worst).
pub trait Searcher {
    /// A new state; `parent` is the live state that it forked from.
    fn add(&mut self, id: StateId, parent: Option<StateId>, m: &Metrics);
    /// A state ran and its metrics changed.
    fn update(&mut self, id: StateId, m: &Metrics);
    /// A state ended. Unknown ids are ignored.
    fn remove(&mut self, id: StateId);
    /// The state to run next, without removing it.
    fn select(&mut self, fresh: Fresh<'_>) -> Option<StateId>;
    /// The `n` least promising states, the worst first; for the memory cap, may sweep over all.
    fn worst(&mut self, n: usize) -> Vec<StateId>;
    /// Live states.
    fn len(&self) -> usize;
    /// Whether no state is left.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The name as the user would write it.
    fn name(&self) -> String;
    /// The metrics that must be filled in.
    fn needs(&self) -> Needs;
    /// Elementary operations so far (tree steps, list entries looked at): for the scaling test.
    fn operations(&self) -> u64;
}
