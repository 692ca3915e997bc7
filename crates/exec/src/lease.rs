//! The lease of a state: the entry of the frontier ([`explore::List`]) to which it belongs.

use explore::{List, Update};

/// See the module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lease {
    key: u64,
    /// It is that entry itself.
    is_told: bool,
    /// A part of its path was explored by another engine.
    is_foreign: bool,
}

impl Lease {
    /// Numbers from here on are given by the sender of prefixes.
    const LEASED: u64 = 1 << 63;

    /// Is it an entry of the list itself?
    pub(crate) fn is_told(self) -> bool {
        self.is_told
    }

    /// The lease of a prefix that another worker sent under this number.
    pub(crate) fn adopted(key: u64) -> Lease {
        Lease {
            key,
            is_told: true,
            is_foreign: true,
        }
    }

    /// The lease of a state that belongs to the entry of this number.
    pub(crate) fn of(key: u64) -> Lease {
        Lease {
            key,
            ..Lease::default()
        }
    }

    /// The number; 0: the exploration is not shared.
    pub fn key(self) -> u64 {
        self.key
    }

    /// Was the number given by others?
    pub(crate) fn is_leased(self) -> bool {
        self.key >= Lease::LEASED
    }

    /// Was it given by others, and has not run here?
    pub(crate) fn is_new(self) -> bool {
        self.is_leased() && self.is_told
    }

    pub(crate) fn is_foreign(self) -> bool {
        self.is_foreign
    }

    pub(crate) fn of_child(self) -> Lease {
        Lease {
            is_told: false,
            ..self
        }
    }

    /// The state has run: it is no longer the state that was reported.
    pub(crate) fn moved_on(&mut self) {
        self.is_told = false;
    }

    /// The entry does not change for a while, and is not reported until it wakes.
    pub(crate) fn rest(self, list: &mut List) {
        if self.is_told {
            list.rest(self.key);
        }
    }

    /// An entry that rested is shown again, or is gone.
    pub(crate) fn wake(self, list: &mut List) {
        if self.is_told {
            list.wake(self.key);
        }
    }

    /// This is to be explored: the entry itself, or a new one if it was not reported.
    pub(crate) fn show(&mut self, list: &mut Update<'_>, prefix: impl FnOnce(&mut Vec<u8>)) {
        list.entry(&mut self.key, &mut self.is_told, prefix);
    }

    /// The same of one that goes on resting.
    pub(crate) fn show_resting(
        &mut self,
        list: &mut Update<'_>,
        prefix: impl FnOnce(&mut Vec<u8>),
    ) {
        list.resting(&mut self.key, &mut self.is_told, prefix);
    }
}
