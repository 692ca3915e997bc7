//! File descriptors and the open file descriptions that they share.

use std::rc::Rc;

use crate::abi::*;
use crate::bytes::{Bytes, Chunk};
use crate::inode::Ino;
use crate::locks::Locks;
use crate::trace::Tracer;

/// An open file description: what `dup` shares.
#[derive(Clone, Debug)]
pub(crate) struct Description {
    pub(crate) ino: Ino,
    /// The value of F_GETFL: the access mode and the flags that stay.
    pub(crate) flags: u32,
    pub(crate) offset: u64,
    /// The directory and name it was opened by, for `/proc/self/fd`.
    pub(crate) origin: Option<(Ino, Rc<Chunk>)>,
    /// The entries of a directory as they were when the listing began.
    pub(crate) listing: Option<Rc<Vec<ListEntry>>>,
    /// The receiver of its signals (F_SETOWN_EX): a type and a number.
    pub(crate) signals_to: (i32, i32),
}

/// One entry of a directory listing.
#[derive(Clone, Debug)]
pub(crate) struct ListEntry {
    pub(crate) name: Chunk,
    pub(crate) ino: Ino,
}

impl Description {
    pub(crate) fn new(ino: Ino, flags: u32) -> Description {
        Description {
            ino,
            flags,
            offset: 0,
            origin: None,
            listing: None,
            signals_to: (0, 0),
        }
    }

    pub(crate) fn readable(&self) -> bool {
        self.flags & O_ACCMODE != O_WRONLY && self.flags & O_PATH == 0
    }

    pub(crate) fn writable(&self) -> bool {
        self.flags & O_ACCMODE != O_RDONLY && self.flags & O_PATH == 0
    }
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    description: usize,
    close_on_exec: bool,
}

/// The table of one process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Descriptors {
    slots: Vec<Option<Slot>>,
    descriptions: Vec<Option<Rc<Description>>>,
    pub(crate) locks: Locks,
}

impl Descriptors {
    fn slot(&self, fd: i32) -> Result<Slot, i32> {
        usize::try_from(fd)
            .ok()
            .and_then(|i| self.slots.get(i).copied().flatten())
            .ok_or(EBADF)
    }

    fn description(&self, index: usize) -> &Rc<Description> {
        self.descriptions[index]
            .as_ref()
            .expect("a slot's description is open")
    }

    /// The description behind a descriptor, also one that was opened with O_PATH and stands only
    /// for a place in the tree.
    pub(crate) fn get_any(&self, fd: i32) -> Result<&Description, i32> {
        Ok(self.description(self.slot(fd)?.description))
    }

    /// The description behind a descriptor of an open file.
    pub(crate) fn get(&self, fd: i32) -> Result<&Description, i32> {
        let description = self.get_any(fd)?;
        if description.flags & O_PATH == 0 {
            Ok(description)
        } else {
            Err(EBADF)
        }
    }

    /// The place of the description behind an open descriptor, which is its identity.
    pub(crate) fn identity(&self, fd: i32) -> Result<usize, i32> {
        Ok(self.slot(fd)?.description)
    }

    /// The description behind an open descriptor, to change.
    pub(crate) fn get_mut(&mut self, fd: i32) -> &mut Description {
        let index = self
            .slot(fd)
            .expect("the caller has looked the descriptor up")
            .description;
        Rc::make_mut(
            self.descriptions[index]
                .as_mut()
                .expect("a slot's description is open"),
        )
    }

    /// The lowest free number from `least` on.
    pub(crate) fn free(&self, least: usize, limit: usize) -> Result<i32, i32> {
        let free = (least..)
            .find(|&i| !self.slots.get(i).is_some_and(Option::is_some))
            .expect("some number is free");
        if free < limit {
            Ok(free as i32)
        } else {
            Err(EMFILE)
        }
    }

    fn set(&mut self, fd: i32, slot: Slot) {
        let index = fd as usize;
        if self.slots.len() <= index {
            self.slots.resize(index + 1, None);
        }
        self.slots[index] = Some(slot);
    }

    /// Opens `fd` (a free number) on a new description.
    pub(crate) fn open(&mut self, fd: i32, description: Description, close_on_exec: bool) {
        let free = self.descriptions.iter().position(Option::is_none);
        let index = free.unwrap_or_else(|| {
            self.descriptions.push(None);
            self.descriptions.len() - 1
        });
        self.descriptions[index] = Some(Rc::new(description));
        self.set(
            fd,
            Slot {
                description: index,
                close_on_exec,
            },
        );
    }

    /// Makes `to` (a free number) share the description of `from`.
    pub(crate) fn duplicate(&mut self, from: i32, to: i32, close_on_exec: bool) {
        let description = self
            .slot(from)
            .expect("the caller has looked the descriptor up")
            .description;
        self.set(
            to,
            Slot {
                description,
                close_on_exec,
            },
        );
    }

    /// Closes a descriptor; the inode of its description, when that was the last one on it.
    pub(crate) fn close(&mut self, fd: i32) -> Result<Option<Ino>, i32> {
        let index = self.slot(fd)?.description;
        self.locks.descriptor_closed(self.description(index).ino);
        self.slots[fd as usize] = None;
        if self
            .slots
            .iter()
            .flatten()
            .any(|slot| slot.description == index)
        {
            return Ok(None);
        }
        self.locks.description_gone(index);
        Ok(self.descriptions[index].take().map(|d| d.ino))
    }

    pub(crate) fn close_on_exec(&self, fd: i32) -> Result<bool, i32> {
        Ok(self.slot(fd)?.close_on_exec)
    }

    pub(crate) fn set_close_on_exec(&mut self, fd: i32, on: bool) {
        if let Some(Some(slot)) = self.slots.get_mut(fd as usize) {
            slot.close_on_exec = on;
        }
    }

    /// Whether two descriptors share a description.
    pub(crate) fn is_open(&self, ino: Ino) -> bool {
        self.descriptions.iter().flatten().any(|d| d.ino == ino)
    }

    /// Descriptions of an inode that can be read from, or written to.
    pub(crate) fn ends(&self, ino: Ino, writers: bool) -> usize {
        let end = |d: &&Rc<Description>| {
            d.ino == ino && if writers { d.writable() } else { d.readable() }
        };
        self.descriptions.iter().flatten().filter(end).count()
    }

    /// The open descriptors in order.
    pub(crate) fn open_numbers(&self) -> impl Iterator<Item = i32> + '_ {
        self.slots
            .iter()
            .enumerate()
            .filter(|(_, slot)| slot.is_some())
            .map(|(fd, _)| fd as i32)
    }

    pub(crate) fn trace(&self, tracer: &mut Tracer<'_>) {
        for description in self.descriptions.iter().flatten() {
            if !tracer.first_visit(description) {
                continue;
            }
            if let Some((_, name)) = &description.origin {
                tracer.chunk(name);
            }
            if let Some(listing) = &description.listing
                && tracer.first_visit(listing)
            {
                listing
                    .iter()
                    .for_each(|entry| entry.name.trace(tracer.visit));
            }
        }
    }
}

impl ListEntry {
    pub(crate) fn new(name: &Bytes, ino: Ino) -> ListEntry {
        ListEntry {
            name: Chunk::new(name),
            ino,
        }
    }
}
