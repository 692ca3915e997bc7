//! The layers past the byte domains' fast path, one file each.
//!
//! A layer answers, or says `Unknown(Why::Incomplete)` to hand the query on; any other `Unknown`
//! is remembered as the reason should nobody answer. After a query is decided, every layer may
//! learn from it. To add a layer: a file here, its `mod` line, its row in `layer_id.rs`, whose
//! order is the order, and its arm in [`registry`].

mod blast;
mod congruence;
mod cores;
mod domains;
mod enumeration;
mod facts;
mod float_intervals;
mod float_search;
mod fuzz;
mod ilp;
mod intervals;
mod real_box;
mod record;
mod registry;
mod reuse;
mod rewrite;
mod search;
mod small_float;
mod synergy;

pub use registry::Guest;
pub(crate) use registry::{Placed, assemble};

use crate::env::Env;
use crate::query::{Budget, Outcome, Query, Trials};
use term::Relocation;

/// One technique.
pub trait Layer {
    /// Tries to decide the query.
    fn check(
        &mut self,
        env: &mut Env<'_>,
        query: &Query<'_>,
        budget: &Budget,
        trials: &mut dyn Trials,
    ) -> Outcome;
    /// Sees the answer that some layer gave.
    fn learn(&mut self, _env: &mut Env<'_>, _query: &Query<'_>, _outcome: &Outcome) {}
    /// Terms were renumbered: translates what the layer holds, or drops it when the new numbers
    /// are not known.
    fn relocate(&mut self, _relocation: Option<&Relocation>) {}
}
