//! The stack's objects: a persistent list of chunks, pushed and popped at the end.
//!
//! Cloning shares every chunk; the first push after that copies one chunk. Objects are laid out
//! upwards with a gap behind each.

use crate::STACK_START;
use crate::object::{Object, ObjectKind};
use ir::layout::STACK;
use std::rc::Rc;

const CHUNK: usize = 32;

/// Objects begin at multiples of this.
const UNIT: u64 = 16;

#[derive(Clone, Copy, Default)]
struct StackObject {
    /// In units.
    offset: u32,
    size: u32,
    name: u32,
}

impl StackObject {
    fn start(&self) -> u64 {
        STACK + u64::from(self.offset) * UNIT
    }

    fn object(self) -> Object {
        Object {
            kind: ObjectKind::Stack,
            start: self.start(),
            size: u64::from(self.size),
            live: true,
            read_only: false,
            tag: self.name,
            initialized: false,
        }
    }
}

/// The bytes of the stack's size that an object takes, at least. Objects of the machine (variable arguments, the
/// arguments of a signal handler) have no name and count as nothing: natively they may be in registers.
fn cost(size: u32, name: u32) -> u32 {
    if name == u32::MAX { 0 } else { size }
}

#[derive(Clone, Default)]
struct StackChunk {
    previous: Option<Rc<StackChunk>>,
    objects: [StackObject; CHUNK],
}

/// A position of the stack, to return to when a frame ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mark {
    pub(crate) top: u64,
}

impl Mark {
    /// The stack's first free address at the mark.
    pub fn address(self) -> u64 {
        self.top
    }
}

/// The live stack objects.
pub(crate) struct Stack {
    tail: Option<Rc<StackChunk>>,
    /// A chunk that was just left, kept against thrashing at a boundary.
    spare: Option<Rc<StackChunk>>,
    count: u32,
    /// Bytes of the live objects that have names.
    used: u32,
    pub top: u64,
    /// The highest `top` so far: between the two are addresses of frames that returned.
    pub high: u64,
}

impl Clone for Stack {
    #[inline]
    fn clone(&self) -> Stack {
        Stack {
            tail: self.tail.clone(),
            spare: None,
            count: self.count,
            used: self.used,
            top: self.top,
            high: self.high,
        }
    }
}

impl Drop for Stack {
    /// Iterative: a deep recursion of the program makes a long list.
    fn drop(&mut self) {
        let mut tail = self.tail.take();
        while let Some(chunk) = tail {
            tail = match Rc::try_unwrap(chunk) {
                Ok(mut chunk) => chunk.previous.take(),
                Err(_) => None,
            };
        }
    }
}

impl Stack {
    pub fn new() -> Stack {
        Stack {
            tail: None,
            spare: None,
            count: 0,
            used: 0,
            top: STACK_START,
            high: STACK_START,
        }
    }

    #[inline]
    pub fn mark(&self) -> Mark {
        Mark { top: self.top }
    }

    /// The number of live objects.
    #[inline]
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// How many places of the newest chunk are taken.
    fn used_of_tail(&self) -> usize {
        match self.count as usize {
            0 => 0,
            count => (count - 1) % CHUNK + 1,
        }
    }

    /// The bytes of the stack's size that live objects take.
    #[inline]
    pub fn used(&self) -> u64 {
        u64::from(self.used)
    }

    #[inline]
    pub fn push(&mut self, start: u64, size: u64, name: u32) {
        let place = self.count as usize % CHUNK;
        if place == 0 {
            let mut chunk = self.spare.take().unwrap_or_default();
            let previous = self.tail.take();
            Rc::make_mut(&mut chunk).previous = previous;
            self.tail = Some(chunk);
        }
        let tail = Rc::make_mut(self.tail.as_mut().expect("there is a chunk"));
        tail.objects[place] = StackObject {
            offset: ((start - STACK) / UNIT) as u32,
            size: size as u32,
            name,
        };
        self.count += 1;
        self.used += cost(size as u32, name);
    }

    /// Drops the newest object if it was made since `mark`: its start and size.
    #[inline]
    pub fn pop_above(&mut self, mark: Mark) -> Option<(u64, u64)> {
        let place = (self.count.checked_sub(1)?) as usize % CHUNK;
        let object = self.tail.as_ref()?.objects[place];
        if object.start() < mark.top {
            return None;
        }
        self.count -= 1;
        self.used -= cost(object.size, object.name);
        if place == 0 {
            let mut chunk = self.tail.take()?;
            self.tail = match Rc::get_mut(&mut chunk) {
                Some(owned) => owned.previous.take(),
                None => chunk.previous.clone(),
            };
            self.spare = Some(chunk).filter(|chunk| Rc::strong_count(chunk) == 1);
        }
        Some((object.start(), u64::from(object.size)))
    }

    /// The live objects from the newest to the oldest.
    pub fn newest_first(&self) -> impl Iterator<Item = Object> {
        downwards(self.tail.as_deref(), self.used_of_tail())
    }

    /// The live objects that begin at or before `addr`, from the newest to the oldest.
    pub fn newest_first_from(&self, addr: u64) -> impl Iterator<Item = Object> {
        let (chunk, used, _) = self.find(addr);
        downwards(chunk, used)
    }

    /// The last object that begins at or before `addr`, and the first one behind it.
    pub fn around(&self, addr: u64) -> [Option<Object>; 2] {
        let (chunk, used, above) = self.find(addr);
        [
            downwards(chunk, used).next(),
            above.map(StackObject::object),
        ]
    }

    /// The chunk of the last object that begins at or before `addr`, how many of its objects do, and the first object behind
    /// them. Chunks that lie above the address are passed over whole: a deep recursion has thousands of them.
    fn find(&self, addr: u64) -> (Option<&StackChunk>, usize, Option<StackObject>) {
        let mut above = None;
        let mut chunk = self.tail.as_deref();
        let mut used = self.used_of_tail();
        while let Some(StackChunk { previous, objects }) = chunk {
            let objects = &objects[..used];
            let after = objects.partition_point(|object| object.start() <= addr);
            above = objects.get(after).copied().or(above);
            if after > 0 {
                return (chunk, after, above);
            }
            chunk = previous.as_deref();
            used = CHUNK;
        }
        (None, 0, above)
    }

    pub fn heap_bytes(&self) -> usize {
        (self.count as usize).div_ceil(CHUNK) * (std::mem::size_of::<StackChunk>() + 16)
    }
}

/// The first `used` objects of a chunk and those of the chunks before it, the newest first.
fn downwards(mut chunk: Option<&StackChunk>, mut used: usize) -> impl Iterator<Item = Object> {
    std::iter::from_fn(move || {
        let StackChunk { previous, objects } = chunk?;
        let object = objects[..used].last()?.object();
        used -= 1;
        if used == 0 {
            (chunk, used) = (previous.as_deref(), CHUNK);
        }
        Some(object)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pushes_and_pops_across_chunks_and_clones() {
        let mut stack = Stack::new();
        let mut marks = Vec::new();
        for at in 0..200u64 {
            marks.push(stack.mark());
            stack.push(STACK_START + at * 32, 16, at as u32);
            stack.top = STACK_START + at * 32 + 32;
        }
        let snapshot = stack.clone();
        let pop_to = |stack: &mut Stack, mark: Mark| {
            while stack.pop_above(mark).is_some() {}
            stack.top = mark.top;
        };
        pop_to(&mut stack, marks[64]);
        assert_eq!(
            stack.newest_first().next().map(|object| object.tag),
            Some(63)
        );
        stack.push(STACK_START + 64 * 32, 8, 1000);
        let tags: Vec<u32> = stack.newest_first().map(|object| object.tag).collect();
        assert_eq!(tags.len(), 65);
        assert_eq!((tags[0], tags[1], tags[64]), (1000, 63, 0));
        let tags: Vec<u32> = snapshot.newest_first().map(|object| object.tag).collect();
        assert_eq!(tags, (0..200).rev().collect::<Vec<_>>());
        pop_to(&mut stack, marks[0]);
        assert_eq!((stack.newest_first().count(), stack.used()), (0, 0));
    }

    #[test]
    fn what_is_found_around_an_address_is_what_a_walk_finds() {
        for count in [0, 1, 2, CHUNK - 1, CHUNK, CHUNK + 1, 5 * CHUNK + 7] {
            let mut stack = Stack::new();
            for at in 0..count as u64 {
                // Every third object is empty: it begins where it ends.
                stack.push(
                    STACK_START + at * 32,
                    if at % 3 == 0 { 0 } else { 16 },
                    at as u32,
                );
            }
            let all: Vec<u32> = stack.newest_first().map(|object| object.tag).collect();
            for addr in (0..(count as u64 + 2) * 32).step_by(8) {
                let addr = STACK_START - 16 + addr;
                let start = |tag: u32| STACK_START + u64::from(tag) * 32;
                let below: Vec<u32> = all
                    .iter()
                    .copied()
                    .filter(|&tag| start(tag) <= addr)
                    .collect();
                let above = all.iter().copied().filter(|&tag| start(tag) > addr).min();
                let found = stack
                    .around(addr)
                    .map(|object| object.map(|object| object.tag));
                assert_eq!(found, [below.first().copied(), above], "{count} {addr:x}");
                let walked: Vec<u32> = stack
                    .newest_first_from(addr)
                    .map(|object| object.tag)
                    .collect();
                assert_eq!(walked, below, "{count} {addr:x}");
            }
        }
    }

    #[test]
    fn a_long_stack_is_dropped_without_recursion() {
        let mut stack = Stack::new();
        for _ in 0..3_000_000 {
            stack.push(STACK, 1, 0);
        }
        drop(stack);
    }
}
