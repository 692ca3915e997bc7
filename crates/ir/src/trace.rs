//! The path hash: what the machine and a natively replayed binary both compute over the coverage
//! sites they pass. Equal input must give equal hashes; anything else is a divergence.

use crate::SiteId;

/// Value before the first site.
pub const START: u64 = 0x243F_6A88_85A3_08D3;
/// Odd multiplier (2^64 / golden ratio).
pub const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// The hash after passing `site`.
#[inline(always)]
pub const fn step(hash: u64, site: SiteId) -> u64 {
    (hash ^ site as u64).wrapping_mul(FACTOR).rotate_left(23)
}
