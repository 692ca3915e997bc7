//! The paths to errors that are in doubt, since they depend on what a driver made up.

use super::stack::ErrorPlace;
use crate::named::{Contents, PortableConditions};
use std::collections::{BTreeSet, HashMap};

/// See the module.
#[derive(Default)]
pub(crate) struct InDoubtSoFar(pub HashMap<ErrorPlace, Ways>);

/// The ways to an error that is in doubt.
#[derive(Clone, Default)]
pub(crate) struct Ways {
    /// The objects that were made up.
    pub made_up: BTreeSet<String>,
    pub paths: Vec<Way>,
    /// Paths that were held against these.
    pub tries: u32,
}

/// A path to an error. Terms by name: the pool may be compacted.
#[derive(Clone)]
pub(crate) struct Way {
    pub conditions: PortableConditions,
    /// Its input.
    pub input: Contents,
}
