//! Inputs and terms in which symbols go by the names of their objects: they have a meaning in each machine, and after each
//! compaction of the pool.

use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use term::PortableTerms;

/// An input: objects by their names, without those that are all zero.
pub type Contents = Vec<(String, ByteBuf)>;

/// Terms over bytes of symbolic objects.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PortableConditions {
    pub(crate) terms: PortableTerms,
    /// The objects of their symbols.
    pub(crate) asked: Vec<(String, u64)>,
}
