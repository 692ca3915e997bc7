//! Advisory locks: of whole files (`flock`) and of ranges of bytes (`fcntl`).
//!
//! There is one process, and yet locks conflict: those of `flock` and F_OFD_SETLK belong to open file descriptions, of which
//! a process may have several of one file, and those of F_SETLK to the process, which is another owner than its
//! descriptions.

use crate::inode::Ino;

/// The last offset of a file, at which a lock without an end ends.
pub(crate) const OFFSET_MAX: u64 = i64::MAX as u64;

/// The owner of a lock of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    Process,
    /// An open file description, by its place in the table.
    Description(usize),
}

/// Bytes of a file, both ends included, that are locked for one writer or for many readers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) exclusive: bool,
}

impl Range {
    fn meets(&self, other: &Range) -> bool {
        self.start <= other.end && other.start <= self.end
    }

    fn conflicts(&self, other: &Range) -> bool {
        self.meets(other) && (self.exclusive || other.exclusive)
    }
}

/// The locks of whole files: description, file, and whether for one alone.
type Whole = (usize, Ino, bool);

/// All locks that are held.
#[derive(Clone, Debug, Default)]
pub(crate) struct Locks {
    whole: Vec<Whole>,
    /// For each file and owner, in the order in which they came, the ranges from the front to the back.
    ranges: Vec<(Ino, Owner, Vec<Range>)>,
}

impl Locks {
    /// `flock`: locks a file for a description (exclusively or not), or unlocks it. False if another one is in the way; the
    /// old lock is lost even so, as in the kernel.
    pub(crate) fn lock_whole(&mut self, by: usize, ino: Ino, exclusive: Option<bool>) -> bool {
        let held = self.whole.iter().position(|w| w.0 == by);
        if let Some(held) = held {
            if Some(self.whole[held].2) == exclusive {
                return true;
            }
            self.whole.remove(held);
        }
        let Some(exclusive) = exclusive else {
            return true;
        };
        let in_the_way = |w: &Whole| w.1 == ino && (w.2 || exclusive);
        if self.whole.iter().any(in_the_way) {
            return false;
        }
        self.whole.push((by, ino, exclusive));
        true
    }

    /// The first lock of another owner that conflicts with a range.
    pub(crate) fn conflict(&self, ino: Ino, by: Owner, range: &Range) -> Option<(Owner, Range)> {
        let others = self.ranges.iter().filter(|r| r.0 == ino && r.1 != by);
        let mut each = others.flat_map(|(_, owner, held)| held.iter().map(|r| (*owner, *r)));
        each.find(|(_, held)| held.conflicts(range))
    }

    /// Locks or unlocks a range that nobody else's conflicts with: what the owner held there before goes.
    pub(crate) fn set(&mut self, ino: Ino, by: Owner, range: Range, lock: bool) {
        let found = self.ranges.iter().position(|r| r.0 == ino && r.1 == by);
        let place = found.unwrap_or_else(|| {
            self.ranges.push((ino, by, Vec::new()));
            self.ranges.len() - 1
        });
        let mut parts = Vec::new();
        for held in self.ranges[place].2.drain(..) {
            if !held.meets(&range) {
                parts.push(held);
                continue;
            }
            if held.start < range.start {
                let end = range.start - 1;
                parts.push(Range { end, ..held });
            }
            if held.end > range.end {
                let start = range.end + 1;
                parts.push(Range { start, ..held });
            }
        }
        if lock {
            parts.push(range);
        }
        parts.sort_by_key(|r| r.start);
        let mut merged: Vec<Range> = Vec::new();
        for part in parts {
            match merged.last_mut() {
                Some(last) if last.exclusive == part.exclusive && last.end + 1 == part.start => {
                    last.end = part.end
                }
                _ => merged.push(part),
            }
        }
        if merged.is_empty() {
            self.ranges.remove(place);
        } else {
            self.ranges[place].2 = merged;
        }
    }

    /// A descriptor of a file is closed: the process loses its locks of it, whichever descriptor they came by.
    pub(crate) fn descriptor_closed(&mut self, ino: Ino) {
        self.ranges.retain(|r| r.0 != ino || r.1 != Owner::Process);
    }

    /// A description is gone, and its locks with it.
    pub(crate) fn description_gone(&mut self, index: usize) {
        self.whole.retain(|w| w.0 != index);
        self.ranges.retain(|r| r.1 != Owner::Description(index));
    }
}
