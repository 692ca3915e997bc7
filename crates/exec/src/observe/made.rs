//! Whether some path came to a point of which other paths ask: a driver's objects were made by the library's constructors.
//!
//! A path that asks gets an answer for the time being. It may be told "no" and go on, and a constructor succeeds later; so that a
//! path which is followed again by its decisions takes the same way, "no" once said is said for ever.

use crate::machine::Machine;

/// What is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Made {
    /// No path came there, and none has asked.
    #[default]
    Open,
    /// A path came there before one asked.
    Yes,
    /// A path was told that none had come there.
    No,
}

impl Made {
    /// A path comes there.
    fn reach(&mut self) {
        if *self == Made::Open {
            *self = Made::Yes;
        }
    }

    /// Did no path come there?
    fn is_none(&mut self) -> bool {
        if *self == Made::Open {
            *self = Made::No;
        }
        *self == Made::No
    }
}

impl Machine {
    /// A path has all that a driver makes (`polypath_made`).
    pub fn reach_made(&mut self) {
        self.observers.made.reach();
    }

    /// Did no path have that so far (`polypath_none_made`)? One that is followed again was told so, perhaps by another worker: otherwise it would
    /// not go on behind this question.
    pub fn is_none_made(&mut self) -> bool {
        self.is_following() || self.observers.made.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_that_comes_decides() {
        let mut made = Made::default();
        made.reach();
        assert!(!made.is_none());
        let mut made = Made::default();
        assert!(made.is_none());
        made.reach();
        assert!(made.is_none());
    }
}
