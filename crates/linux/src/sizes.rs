//! The sizes that symbolic files may have, and which of them come first.

use serde::{Deserialize, Serialize};

/// Sizes of symbolic files and of a symbolic stdin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sizes {
    /// The one given (`--sym-exact`).
    Full,
    /// That one, or empty (`--sym-empty`).
    FullOrEmpty,
    /// Any up to that one, which comes first; paths with shorter ones wait until it brings nothing new.
    #[default]
    Any,
    /// Any up to that one, the short ones first (`--sym-size`).
    Growing,
}
