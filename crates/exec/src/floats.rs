//! The way in which a path computes with symbolic floats: by terms or by integer simulation.

use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::rc::Rc;

/// How a path computes with symbolic floats.
#[derive(Clone, Debug)]
pub struct Floats(Computed);

#[derive(Clone, Debug)]
enum Computed {
    /// By terms; the path has none yet.
    Untouched,
    /// By terms. The number of the copy that was kept when the path made its first float term, if one was.
    Terms(Option<Rc<u64>>),
    /// By simulation. The exits of the paths that were explored before from here on, by terms.
    Simulated(Rc<HashSet<SeenExit>>),
}

/// How a path exited, for the user: its hash, and its status if that does not depend on its input.
pub(crate) type SeenExit = (u64, Option<i32>);

/// The same in a prefix that goes to another process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum PortableFloats {
    Untouched,
    Terms,
    Simulated(Vec<SeenExit>),
}

impl Floats {
    /// At the beginning of a path.
    pub(crate) fn new(simulated: bool) -> Floats {
        if simulated {
            Floats::simulated(HashSet::new())
        } else {
            Floats(Computed::Untouched)
        }
    }

    /// By terms; the copy with this number was kept before the first one.
    pub(crate) fn terms(start: Option<Rc<u64>>) -> Floats {
        Floats(Computed::Terms(start))
    }

    /// By simulation; paths that exit like these were explored before.
    pub(crate) fn simulated(explored: HashSet<SeenExit>) -> Floats {
        Floats(Computed::Simulated(Rc::new(explored)))
    }

    /// On the way to a place where a path computes so: nothing is kept there again.
    pub(crate) fn on_the_way(&self) -> Floats {
        match &self.0 {
            Computed::Simulated(_) => self.clone(),
            Computed::Untouched | Computed::Terms(_) => Floats::terms(None),
        }
    }

    /// Has the path met no operation on symbolic floats?
    pub(crate) fn are_untouched(&self) -> bool {
        matches!(self.0, Computed::Untouched)
    }

    /// Are they computed with by simulation?
    pub fn are_simulated(&self) -> bool {
        matches!(self.0, Computed::Simulated(_))
    }

    /// The number of the copy from which the path may be simulated later.
    pub(crate) fn start(&self) -> Option<&Rc<u64>> {
        match &self.0 {
            Computed::Terms(start) => start.as_ref(),
            Computed::Untouched | Computed::Simulated(_) => None,
        }
    }

    /// Was a path that exits like this explored before, without simulation?
    pub(crate) fn has_seen(&self, exit: &SeenExit) -> bool {
        match &self.0 {
            Computed::Simulated(explored) => explored.contains(exit),
            Computed::Untouched | Computed::Terms(_) => false,
        }
    }

    /// Can the path go on elsewhere as it would here? Not if it may have to be simulated from an earlier place on.
    pub(crate) fn may_leave(&self) -> bool {
        match &self.0 {
            Computed::Untouched | Computed::Terms(None) => true,
            Computed::Terms(Some(_)) => false,
            Computed::Simulated(explored) => explored.is_empty(),
        }
    }
}

impl PortableFloats {
    /// The part of it that another process can know.
    pub fn of(floats: &Floats) -> PortableFloats {
        match &floats.0 {
            Computed::Untouched => PortableFloats::Untouched,
            Computed::Terms(_) => PortableFloats::Terms,
            Computed::Simulated(explored) => {
                PortableFloats::Simulated(explored.iter().copied().collect())
            }
        }
    }

    /// In this process.
    pub fn floats(self) -> Floats {
        match self {
            PortableFloats::Untouched => Floats(Computed::Untouched),
            PortableFloats::Terms => Floats::terms(None),
            PortableFloats::Simulated(explored) => {
                Floats::simulated(explored.into_iter().collect())
            }
        }
    }

    /// Has it an earlier place from which its floats are simulated, and paths that were explored from there on?
    pub fn has_explored(&self) -> bool {
        matches!(self, PortableFloats::Simulated(explored) if !explored.is_empty())
    }
}
