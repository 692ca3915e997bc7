//! Which open branch is asked for next, in concolic mode.
//!
//! The heuristics are those of the searchers, over the same features and in the same table
//! ([`registry`](crate::registry)), but what is ranked is another thing. A state is chosen again and again, and its features
//! change while others run: searchers draw by weights of now. An open branch is asked for once and leaves; its features
//! are those of when a run found it, and it may close without anybody's doing. So an order that is kept does, and a
//! strategy names a branch only to give it away.

mod cover_new;
mod dfs;
mod goals;
mod ordered;
mod random;
mod shallow;

pub(crate) use cover_new::CoverNew;
pub(crate) use dfs::Dfs;
use goals::Goals;
pub(crate) use ordered::Ordered;
pub(crate) use random::Random;
pub(crate) use shallow::Shallow;

use crate::Metrics;

/// Names an open branch; never reused.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BranchId(pub u64);

/// Keeps the open branches.
pub trait Strategy {
    /// A run met an open branch. Those of one run come in the order of the path.
    fn add(&mut self, id: BranchId, m: &Metrics);
    /// The branch to ask for. The strategy may also name branches that are open no longer, or that it has named before: those are passed over.
    fn next(&mut self) -> Option<BranchId>;
    /// A place is covered now: nothing leads to it any more that was [`Metrics::nearest_uncovered`].
    fn covered(&mut self, _place: u32) {}
    /// May a branch that it names wait where questions at its place are in vain? Where the order is the strategy's point it may not.
    fn may_put_off(&self) -> bool {
        false
    }
}
