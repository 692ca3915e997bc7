//! Faults of accesses, and their messages for the user.

use crate::object::{Object, ObjectKind};

/// The alignment of `malloc`'s objects.
const HEAP_ALIGN: u64 = 16;

/// Kinds of bad accesses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FaultKind {
    /// In the pages around address 0.
    Null,
    /// Outside of every live object; `object` is the nearest one.
    OutOfBounds,
    /// In (or just behind) a heap object that was freed.
    UseAfterFree,
    /// In the frame of a function that returned.
    UseAfterReturn,
    /// In bytes of a live stack object that were hidden ([`Memory::hide`](crate::Memory::hide)): a variable
    /// whose scope has ended.
    UseAfterScope,
    /// In a mapping that may not be accessed (`PROT_NONE`, or behind the end of its file).
    NoAccess,
    /// A store to constant memory.
    ReadOnly,
    /// A load of bytes that were never written.
    Uninitialized,
    /// Far from every object.
    Unmapped,
}

/// A bad access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The kind of fault.
    pub kind: FaultKind,
    /// The first address of the access.
    pub address: u64,
    /// Bytes accessed.
    pub size: u64,
    /// A store, not a load.
    pub write: bool,
    /// The object concerned: the one accessed, or the nearest.
    pub object: Option<Object>,
}

/// The ways in which a pointer given to `free` or `realloc` can be wrong.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FreeFaultKind {
    /// No heap object there.
    NotHeap,
    /// The object was freed before.
    AlreadyFreed,
    /// Inside a heap object, not at its start.
    NotStart,
}

/// A bad `free`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FreeFault {
    /// The kind of fault.
    pub kind: FreeFaultKind,
    /// The pointer given.
    pub address: u64,
    /// The object concerned, if any is near.
    pub object: Option<Object>,
}

/// `stack_alloc` found no room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StackOverflow {
    /// Bytes asked for.
    pub size: u64,
}

impl Object {
    /// "heap object of 16 bytes", with what `name` knows of it ("allocated at f.c:3", "`buffer`").
    pub fn describe(&self, name: &dyn Fn(&Object) -> Option<String>) -> String {
        let kind = match self.kind {
            ObjectKind::Global => "global",
            ObjectKind::Heap => "heap object",
            ObjectKind::Stack => "local variable",
            ObjectKind::Mapping => "mapping",
        };
        match (name(self), self.kind) {
            (Some(name), ObjectKind::Heap) => format!("{kind} of {} {name}", bytes(self.size)),
            (Some(name), _) => format!("{kind} {name} of {}", bytes(self.size)),
            (None, _) => format!("{kind} of {}", bytes(self.size)),
        }
    }
}

fn bytes(count: u64) -> String {
    if count == 1 {
        "1 byte".to_string()
    } else {
        format!("{count} bytes")
    }
}

fn place(address: u64, object: &Object) -> String {
    if object.contains(address) {
        format!("{} inside the", bytes(address - object.start))
    } else if address < object.start {
        format!("{} before the", bytes(object.start - address))
    } else {
        match address - object.end() {
            0 => "at the end of the".to_string(),
            distance => format!("{} past the end of the", bytes(distance)),
        }
    }
}

impl Fault {
    /// Is it an aligned read that leaves the bytes of a heap object, and not the aligned words that an allocator gives?
    /// Some programs read so on purpose, to go through a key or a string by words.
    fn within_alignment(&self, object: &Object) -> bool {
        let aligned = self.size.is_power_of_two() && self.address.is_multiple_of(self.size);
        let end = object.end().next_multiple_of(HEAP_ALIGN);
        object.kind == ObjectKind::Heap && !self.write && aligned && self.address + self.size <= end
    }

    /// A sentence for the user; `name` adds what the caller knows of an object (its name in
    /// back quotes, or "allocated at file:line").
    pub fn message(&self, name: &dyn Fn(&Object) -> Option<String>) -> String {
        let access = format!(
            "{} of {}",
            if self.write { "write" } else { "read" },
            bytes(self.size)
        );
        let object = self.object.as_ref();
        let near = || match object {
            Some(object) => format!("{} {}", place(self.address, object), object.describe(name)),
            None => format!("at {:#x}", self.address),
        };
        match self.kind {
            FaultKind::Null => format!("{access} at null pointer ({:#x})", self.address),
            // The access begins inside and runs over the end.
            FaultKind::OutOfBounds
                if object.is_some_and(|object| object.contains(self.address)) =>
            {
                let within = if object.is_some_and(|object| self.within_alignment(object)) {
                    ", within the allocation's alignment"
                } else {
                    ""
                };
                format!(
                    "{access} that begins {} and runs past its end{within}",
                    near()
                )
            }
            FaultKind::OutOfBounds => format!("{access} {}", near()),
            FaultKind::UseAfterFree => match object {
                Some(object) => format!(
                    "{access} after free: {} freed {}",
                    place(self.address, object),
                    object.describe(name)
                ),
                None => format!("{access} after free, at {:#x}", self.address),
            },
            FaultKind::UseAfterReturn => format!(
                "{access} of a local variable of a function that has returned ({:#x})",
                self.address
            ),
            FaultKind::UseAfterScope => format!("{access} {} after its scope ended", near()),
            FaultKind::NoAccess => {
                format!("{access} {} that must not be accessed", near())
            }
            FaultKind::ReadOnly => format!("{access} to constant memory: {}", near()),
            FaultKind::Uninitialized => format!("{access} that was never written: {}", near()),
            FaultKind::Unmapped => format!("{access} at wild pointer {:#x}", self.address),
        }
    }
}

impl FreeFault {
    /// A sentence for the user, as [`Fault::message`].
    pub fn message(&self, name: &dyn Fn(&Object) -> Option<String>) -> String {
        let near = match &self.object {
            Some(object) => format!("{} {}", place(self.address, object), object.describe(name)),
            None => format!("pointer {:#x}", self.address),
        };
        match (self.kind, &self.object) {
            (FreeFaultKind::AlreadyFreed, Some(object)) => {
                format!("double free of {}", object.describe(name))
            }
            (FreeFaultKind::AlreadyFreed, None) => format!("double free of {:#x}", self.address),
            (FreeFaultKind::NotHeap, _) => {
                format!("free of memory that is not from malloc: {near}")
            }
            (FreeFaultKind::NotStart, _) => format!("free of a pointer into an object: {near}"),
        }
    }
}
