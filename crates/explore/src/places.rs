//! The places of a program that coverage counts, and the news about them.

use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

/// The number of a place of the program that coverage counts: the same in all processes of a run. Of a program whose places are all
/// known when it is loaded, the number of the place; of one whose classes are loaded on the way, a hash of its name.
pub type Place = u64;

/// The news of a process about places since the last call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Places {
    /// Those that it has covered.
    pub covered: Vec<Place>,
    /// The descriptions of places that it has met for the first time, in a form of the language's own; empty if all
    /// places are known from the beginning.
    pub known: ByteBuf,
}

impl Places {
    /// Covered places of which everything is known.
    pub fn of(covered: Vec<Place>) -> Places {
        Places {
            covered,
            known: ByteBuf::new(),
        }
    }

    /// Is there nothing to say?
    pub fn is_empty(&self) -> bool {
        self.covered.is_empty() && self.known.is_empty()
    }
}
