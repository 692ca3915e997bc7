//! Chooses what is explored next: the state that runs, or, in concolic mode, the open branch that the solver is asked
//! for.
//!
//! A [`Searcher`] sees states as ids with [`Metrics`], and a [`Strategy`] sees open branches in the same way; they
//! know no memory, no terms and no solver. All are listed in [`registry`]; `a,b` interleaves searchers. Distances to
//! code that is not covered yet come from [`distance`], which knows the IR and nothing else (and for other programs a
//! graph). [`homi`] learns which states are not worth keeping, and [`RandomDrop`] loses some at random.
//!
//! # Protocol
//!
//! 1. `add(root, None, &m)` once; `add(child, Some(running), &m)` at each fork.
//! 2. After a state ran (a slice, or up to a fork): `spent(work)`, `covered(n)` and `erred()` if it did, then `update(id, &m)` if it lives,
//!    `defer(id)` if it is to wait, `remove(id)` if it ended. Other states need no update: when `select` considers one, it asks `fresh` for
//!    its metrics of now, so nothing ever sweeps over all states.
//! 3. `select(fresh)` names the next state; `None` only when no state is left.
//!
//! # How to add a searcher
//!
//! One file with a type that implements [`Searcher`] (or, for a weight, [`nurs::Weight`]), and one line in
//! [`registry::REGISTRY`]. For concolic mode: a type in [`branches`] that implements [`Strategy`], or a rank in the
//! line itself. The meta-tests run over the registry. A feature that [`Metrics`] does not have yet is one row in
//! [`feature`].

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]
#![warn(missing_docs)]

mod bandit;
pub mod batching;
pub mod bfs;
pub mod branches;
pub mod class_uniform;
pub mod deferring;
pub mod dfs;
pub mod distance;
pub mod feature;
pub mod frontier;
pub mod homi;
pub mod interleaved;
pub mod nurs;
mod random_drop;
pub mod random_path;
pub mod random_state;
pub mod registry;
mod seed;
mod state_map;
mod state_set;
pub mod subpath;
mod sum_tree;

pub use batching::Batching;
pub use branches::{BranchId, Strategy};
pub use deferring::Deferring;
pub use distance::{Distances, Near};
pub use feature::{Feature, Metrics, Needs, UNKNOWN, push_branch};

pub use random_drop::RandomDrop;
pub use registry::{Heuristic, REGISTRY, SearchOptions, UnknownSearcher, parse, strategy};

/// Names a live state. Ids may be reused once their state was removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(pub u32);

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
    /// The state that was selected last has run, and that took so much work: steps of a nanosecond or two, counted so that
    /// runs repeat. Said before its [`update`](Searcher::update) or [`remove`](Searcher::remove).
    fn spent(&mut self, _work: u64) {}
    /// The state that was selected last has covered so many places that nobody had covered.
    fn covered(&mut self, _places: usize) {}
    /// The state that was selected last has shown an error that was not known.
    fn erred(&mut self) {}
    /// A state ran, and is to wait until the others bring nothing new; said instead of [`update`](Searcher::update). Only
    /// [`Deferring`], around all others, makes it wait.
    fn defer(&mut self, _id: StateId) {}
    /// A state is to run before all others, those that are hastened earlier before it; said after [`add`](Searcher::add). Only
    /// [`Deferring`], around all others, hurries.
    fn hasten(&mut self, _id: StateId) {}
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
    /// The features that must be found out.
    fn needs(&self) -> Needs;
    /// Elementary operations so far (tree steps, list entries looked at): for the scaling test.
    fn operations(&self) -> u64;
}
