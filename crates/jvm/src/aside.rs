//! Parts of the frontier that were put aside while memory was short. They come back when nothing else is left to
//! explore. They wait in the form in which they go to other processes, as many as fit in memory and the others in a
//! file.

use dse::Ticket;
use host::shelf::{Piece, Shelf};

/// See the module.
#[derive(Default)]
pub(crate) struct Aside {
    /// Without one, nothing is kept.
    shelf: Option<Shelf>,
    kept: Vec<StoredPart>,
    /// Branches, cut runs and inputs of them all.
    branches: usize,
    /// Why the file took no more.
    refused: Option<String>,
    /// Branches that were ever kept.
    put: u64,
    /// Branches of parts that could not be read again.
    forgotten: u64,
}

struct StoredPart {
    piece: Piece,
    ticket: Ticket,
    branches: usize,
}

impl Aside {
    pub fn put_on(&mut self, shelf: Shelf) {
        self.shelf = Some(shelf);
    }

    pub fn branches(&self) -> usize {
        self.branches
    }

    pub fn refused(&self) -> Option<&str> {
        self.refused.as_deref()
    }

    pub fn put(&self) -> u64 {
        self.put
    }

    pub fn forgotten(&self) -> u64 {
        self.forgotten
    }

    /// Keeps a part of so many branches that belongs to this entry of the frontier. Returns whether there was room.
    pub fn keep(&mut self, bytes: Vec<u8>, branches: usize, key: u64) -> bool {
        let Some(shelf) = &self.shelf else {
            return false;
        };
        let piece = shelf.put(bytes);
        if let Some(why) = shelf.refused() {
            self.refused.get_or_insert(why);
        }
        if shelf.is_over() {
            return false;
        }
        self.branches += branches;
        self.put += branches as u64;
        let is_told = false;
        self.kept.push(StoredPart {
            piece,
            ticket: Ticket { key, is_told },
            branches,
        });
        true
    }

    /// Takes back the part that was kept last.
    pub fn pop(&mut self) -> Option<(Vec<u8>, Ticket, usize)> {
        loop {
            let kept = self.kept.pop()?;
            self.branches -= kept.branches;
            match kept.piece.read() {
                Ok(bytes) => return Some((bytes.into_owned(), kept.ticket, kept.branches)),
                Err(_) => self.forget(kept.branches),
            }
        }
    }

    /// A part cannot be had again.
    pub fn forget(&mut self, branches: usize) {
        self.forgotten += branches as u64;
    }

    /// So many branches for others, about; at most half of all parts.
    pub fn give(&mut self, mut branches: usize) -> Vec<Vec<u8>> {
        let least = self.kept.len().div_ceil(2);
        let mut given = Vec::new();
        while branches > 0
            && self.kept.len() > least
            && let Some((bytes, _, n)) = self.pop()
        {
            branches = branches.saturating_sub(n);
            given.push(bytes);
        }
        given
    }

    /// Shows each part: its entry in the list, and its content if it was not reported yet, or with `whole`.
    pub fn each(&mut self, whole: bool, show: &mut dyn FnMut(&mut Ticket, Vec<u8>)) {
        let mut lost = 0;
        self.kept.retain_mut(|kept| {
            let bytes = if kept.ticket.is_told && !whole {
                Some(Vec::new())
            } else {
                kept.piece.read().ok().map(|bytes| bytes.into_owned())
            };
            match bytes {
                Some(bytes) => show(&mut kept.ticket, bytes),
                None => {
                    lost += kept.branches;
                    return false;
                }
            }
            true
        });
        self.branches -= lost;
        self.forget(lost);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_comes_back_the_last_first_and_half_may_go() {
        let mut aside = Aside::default();
        assert!(!aside.keep(vec![0], 1, 0), "there is no shelf");
        aside.put_on(Shelf::new(&std::env::temp_dir(), 2, 1 << 20));
        for n in 1..=5u8 {
            assert!(aside.keep(vec![n; n.into()], n.into(), n.into()));
        }
        assert_eq!(aside.branches(), 15);
        let given = aside.give(100);
        assert_eq!(given, [vec![5; 5], vec![4; 4]]);
        let (bytes, ticket, branches) = aside.pop().unwrap();
        assert_eq!((bytes, ticket.key, branches), (vec![3; 3], 3, 3));
        let mut shown = Vec::new();
        aside.each(false, &mut |ticket, bytes| {
            ticket.is_told = true;
            shown.push(bytes);
        });
        assert_eq!(shown, [vec![1], vec![2, 2]]);
        aside.each(false, &mut |_, bytes| assert!(bytes.is_empty()));
        let mut all = Vec::new();
        aside.each(true, &mut |_, bytes| all.push(bytes));
        assert_eq!(all, shown);
        assert_eq!(aside.branches(), 3);
    }

    #[test]
    fn what_neither_memory_nor_disk_has_room_for_is_not_kept() {
        let mut aside = Aside::default();
        aside.put_on(Shelf::new(&std::env::temp_dir(), 2, 0));
        assert!(aside.keep(vec![1, 1], 1, 0));
        assert!(!aside.keep(vec![2], 1, 0));
        assert_eq!(aside.branches(), 1);
    }
}
