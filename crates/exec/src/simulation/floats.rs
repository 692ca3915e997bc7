//! How a path computes with symbolic floats.

use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::rc::Rc;

/// How a path computes with symbolic floats.
#[derive(Clone, Debug)]
pub struct Floats(Way);

#[derive(Clone, Debug)]
enum Way {
    /// As terms, of which it has none yet.
    Untouched,
    /// As terms. The number of the copy that was kept where the path made the first one, if one was.
    Terms(Option<Rc<u64>>),
    /// By simulation. What was explored before from here on, as terms.
    Simulated(Rc<HashSet<SeenExit>>),
}

/// How a path exited, for the user: its hash, and its status if that does not depend on its input.
pub(super) type SeenExit = (u64, Option<i32>);

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
            Floats(Way::Untouched)
        }
    }

    /// As terms; the copy of this number was kept before the first one.
    pub(super) fn terms(start: Option<Rc<u64>>) -> Floats {
        Floats(Way::Terms(start))
    }

    /// By simulation; paths that exit like these were explored before.
    pub(super) fn simulated(explored: HashSet<SeenExit>) -> Floats {
        Floats(Way::Simulated(Rc::new(explored)))
    }

    /// On the way to a place where a path computes so: nothing is kept there again.
    pub(crate) fn on_the_way(&self) -> Floats {
        match &self.0 {
            Way::Simulated(_) => self.clone(),
            Way::Untouched | Way::Terms(_) => Floats::terms(None),
        }
    }

    /// Has the path met no operation on symbolic floats?
    pub(super) fn are_untouched(&self) -> bool {
        matches!(self.0, Way::Untouched)
    }

    pub(super) fn are_simulated(&self) -> bool {
        matches!(self.0, Way::Simulated(_))
    }

    /// The number of the copy from which the path may be simulated later.
    pub(super) fn start(&self) -> Option<&Rc<u64>> {
        match &self.0 {
            Way::Terms(start) => start.as_ref(),
            Way::Untouched | Way::Simulated(_) => None,
        }
    }

    /// Was a path that exits like this explored before, without simulation?
    pub(super) fn has_seen(&self, exit: &SeenExit) -> bool {
        match &self.0 {
            Way::Simulated(explored) => explored.contains(exit),
            Way::Untouched | Way::Terms(_) => false,
        }
    }

    /// Can the path go on elsewhere as it would here? Not if it may have to be simulated from an earlier place on.
    pub(crate) fn may_leave(&self) -> bool {
        match &self.0 {
            Way::Untouched | Way::Terms(None) => true,
            Way::Terms(Some(_)) => false,
            Way::Simulated(explored) => explored.is_empty(),
        }
    }
}

impl PortableFloats {
    /// What another process can know of them.
    pub fn of(floats: &Floats) -> PortableFloats {
        match &floats.0 {
            Way::Untouched => PortableFloats::Untouched,
            Way::Terms(_) => PortableFloats::Terms,
            Way::Simulated(explored) => {
                PortableFloats::Simulated(explored.iter().copied().collect())
            }
        }
    }

    /// In this process.
    pub fn floats(self) -> Floats {
        match self {
            PortableFloats::Untouched => Floats(Way::Untouched),
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
