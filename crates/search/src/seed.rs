//! Seeds of generators that are parts of a larger one.

use fastrand::Rng;

/// The seed of the `index`-th part of a generator with this seed.
pub(crate) fn derive(seed: u64, index: u64) -> u64 {
    Rng::with_seed(seed ^ index.wrapping_mul(0xD134_2543_DE82_EF95)).u64(..)
}
