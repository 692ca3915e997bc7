//! Objects that the program allocated, and the tables of them.
//!
//! Globals are fixed before the run. The heap's addresses only grow, so its table is a persistent
//! vector sorted by address; freed objects stay in it for messages. Mappings are few.

use crate::tree::Tree;
use std::rc::Rc;

/// The region of an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ObjectKind {
    /// A variable with static storage; `tag` counts the globals in address order.
    Global,
    /// From the malloc family; `tag` is the allocation site.
    Heap,
    /// A local variable; `tag` is the name given to `stack_alloc`.
    Stack,
    /// From `mmap` or `brk`.
    Mapping,
}

/// An object of the program, live or gone.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Object {
    /// Its region.
    pub kind: ObjectKind,
    /// Its first address.
    pub start: u64,
    /// Its size in bytes.
    pub size: u64,
    /// False once freed.
    pub live: bool,
    /// May not be written.
    pub read_only: bool,
    /// Site, name or index; see [`ObjectKind`].
    pub tag: u32,
    /// Bytes that were never written count as initialized zeros.
    pub initialized: bool,
}

impl Object {
    /// The same object, of another size.
    pub fn with_size(self, size: u64) -> Object {
        Object { size, ..self }
    }

    /// The address behind the last byte.
    pub fn end(&self) -> u64 {
        self.start + self.size
    }

    /// Does `addr` lie in the object?
    pub fn contains(&self, addr: u64) -> bool {
        addr.wrapping_sub(self.start) < self.size
    }

    /// Bytes between `addr` and the object; 0 inside.
    pub fn distance(&self, addr: u64) -> u64 {
        if addr < self.start {
            self.start - addr
        } else if addr >= self.end() {
            addr - self.end()
        } else {
            0
        }
    }
}

/// A global variable.
#[derive(Clone)]
pub(crate) struct Global {
    pub start: u64,
    pub size: u64,
    pub read_only: bool,
    pub name: Rc<str>,
}

impl Global {
    pub fn object(&self, index: usize) -> Object {
        Object {
            kind: ObjectKind::Global,
            start: self.start,
            size: self.size,
            live: true,
            read_only: self.read_only,
            tag: index as u32,
            initialized: true,
        }
    }
}

/// The accesses that a program may make to the bytes of a mapping.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protection {
    /// Read and write.
    Write,
    /// Read.
    Read,
    /// Nothing (`PROT_NONE`).
    None,
    /// Nothing, and no call changes that: there is no page of the file behind it.
    Beyond,
}

impl Protection {
    /// Can the bytes be read?
    pub fn is_readable(self) -> bool {
        matches!(self, Protection::Write | Protection::Read)
    }
}

/// A mapped range.
#[derive(Clone, Copy)]
pub(crate) struct Mapping {
    pub start: u64,
    pub size: u64,
    pub protection: Protection,
}

impl Mapping {
    pub fn object(&self) -> Object {
        Object {
            kind: ObjectKind::Mapping,
            start: self.start,
            size: self.size,
            live: true,
            read_only: self.protection == Protection::Read,
            tag: 0,
            initialized: true,
        }
    }
}

const CHUNK: usize = 16;

#[derive(Clone, Copy, Default)]
pub(crate) struct HeapObject {
    pub start: u64,
    pub size: u64,
    pub site: u32,
    pub family: u8,
    pub freed: bool,
    pub initialized: bool,
}

impl HeapObject {
    pub fn object(&self) -> Object {
        Object {
            kind: ObjectKind::Heap,
            start: self.start,
            size: self.size,
            live: !self.freed,
            read_only: false,
            tag: self.site,
            initialized: self.initialized,
        }
    }
}

pub(crate) type Chunk = [HeapObject; CHUNK];

/// The heap's objects in address order.
#[derive(Clone)]
pub(crate) struct HeapTable {
    chunks: Tree<Chunk>,
    len: u64,
}

impl HeapTable {
    pub const fn new() -> HeapTable {
        HeapTable {
            chunks: Tree::new(),
            len: 0,
        }
    }

    pub fn len(&self) -> u64 {
        self.len
    }

    pub fn chunks(&self) -> &Tree<Chunk> {
        &self.chunks
    }

    fn chunk(&self, index: u64) -> &Chunk {
        self.chunks
            .get(index)
            .expect("chunks below the length exist")
    }

    pub fn get(&self, index: u64) -> &HeapObject {
        &self.chunk(index / CHUNK as u64)[index as usize % CHUNK]
    }

    pub fn get_mut(&mut self, index: u64) -> &mut HeapObject {
        let slot = self.chunks.slot(index / CHUNK as u64);
        let chunk = Rc::make_mut(slot.get_or_insert_with(Default::default));
        &mut chunk[index as usize % CHUNK]
    }

    /// Appends an object; its address is above all others.
    pub fn push(&mut self, object: HeapObject) {
        let index = self.len;
        self.len += 1;
        *self.get_mut(index) = object;
    }

    /// The number of objects that begin at or below `addr`.
    pub fn upper_bound(&self, addr: u64) -> u64 {
        // Recent objects are asked for most: look from the end in growing steps first.
        let mut high = self.len.div_ceil(CHUNK as u64);
        let mut low = high;
        let mut step = 1;
        while low > 0 {
            low = low.saturating_sub(step);
            if self.chunk(low)[0].start <= addr {
                low += 1;
                break;
            }
            high = low;
            step *= 2;
        }
        while low < high {
            let middle = (low + high) / 2;
            if self.chunk(middle)[0].start <= addr {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if low == 0 {
            return 0;
        }
        let base = (low - 1) * CHUNK as u64;
        let used = (self.len - base).min(CHUNK as u64) as usize;
        base + self.chunk(low - 1)[..used].partition_point(|object| object.start <= addr) as u64
    }

    /// The objects from `index` on.
    pub fn iter_from(&self, index: u64) -> impl Iterator<Item = &HeapObject> {
        (index..self.len).map(|index| self.get(index))
    }
}
