//! The trait of a layer: one technique that tries to decide queries.

use crate::cx::Cx;
use crate::query::{Outcome, Query};
use term::Relocation;

/// One technique.
pub trait Layer {
    /// Tries to decide the query.
    fn check(&mut self, cx: &mut Cx<'_>, query: &Query<'_>) -> Outcome;
    /// Sees the answer that some layer gave.
    fn learn(&mut self, _cx: &mut Cx<'_>, _query: &Query<'_>, _outcome: &Outcome) {}
    /// Terms were renumbered: translates what the layer holds, or drops it when the new numbers
    /// are not known.
    fn relocate(&mut self, _relocation: Option<&Relocation>) {}
}
