//! The data that the workers of one run share in addition to prefixes: a few numbers that all may read and write at
//! any time.

use crate::places::Place;

/// See the module. It does not decide what is explored, only what is reported and preferred.
pub trait Commons {
    /// The worker begins to work for the lease of this number; 0: for none. If the process dies, the number is to be found.
    fn works_on(&self, lease: u64);
    /// This worker has covered a place. Is it the first?
    fn claim(&self, place: Place) -> bool;
    /// A state was forked.
    fn forked(&self);
    /// States that were forked in the whole run.
    fn forks(&self) -> u64;
}
