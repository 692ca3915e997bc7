//! The stack's objects: a persistent list of chunks, pushed and popped at the end.
//!
//! Cloning shares every chunk; the first push after that copies one chunk. Objects are laid out
//! upwards with a red zone behind each.

use crate::STACK_START;
use crate::object::{Object, ObjectKind};
use ir::layout::STACK;
use std::rc::Rc;

const CHUNK: usize = 32;

#[derive(Clone, Copy, Default)]
struct StackObject {
    offset: u32,
    size: u32,
    name: u32,
}

#[derive(Clone, Default)]
struct Chunk {
    previous: Option<Rc<Chunk>>,
    objects: [StackObject; CHUNK],
}

/// A position of the stack, to return to when a frame ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mark {
    pub(crate) top: u64,
    pub(crate) count: u32,
}

impl Mark {
    /// The stack's first free address at the mark.
    pub fn address(self) -> u64 {
        self.top
    }
}

/// The live stack objects.
pub(crate) struct Stack {
    tail: Option<Rc<Chunk>>,
    /// A chunk that was just left, kept against thrashing at a boundary.
    spare: Option<Rc<Chunk>>,
    count: u32,
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
            top: STACK_START,
            high: STACK_START,
        }
    }

    #[inline]
    pub fn mark(&self) -> Mark {
        Mark {
            top: self.top,
            count: self.count,
        }
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
            offset: (start - STACK) as u32,
            size: size as u32,
            name,
        };
        self.count += 1;
    }

    /// Drops the objects above `mark`.
    #[inline]
    pub fn pop_to(&mut self, mark: Mark) {
        debug_assert!(mark.count <= self.count && mark.top <= self.top);
        let keep = (mark.count as usize).div_ceil(CHUNK);
        for _ in keep..(self.count as usize).div_ceil(CHUNK) {
            let mut chunk = self.tail.take().expect("there is a chunk");
            self.tail = match Rc::get_mut(&mut chunk) {
                Some(owned) => owned.previous.take(),
                None => chunk.previous.clone(),
            };
            self.spare = Some(chunk).filter(|chunk| Rc::strong_count(chunk) == 1);
        }
        self.count = mark.count;
        self.top = mark.top;
    }

    /// The live objects from the newest to the oldest.
    pub fn newest_first(&self) -> impl Iterator<Item = Object> {
        let mut chunk = self.tail.as_deref();
        let mut left = self.count as usize;
        std::iter::from_fn(move || {
            if left == 0 {
                return None;
            }
            let object = &chunk?.objects[(left - 1) % CHUNK];
            left -= 1;
            if left.is_multiple_of(CHUNK) {
                chunk = chunk?.previous.as_deref();
            }
            Some(Object {
                kind: ObjectKind::Stack,
                start: STACK + object.offset as u64,
                size: object.size as u64,
                live: true,
                read_only: false,
                tag: object.name,
                initialised: false,
            })
        })
    }

    pub fn heap_bytes(&self) -> usize {
        (self.count as usize).div_ceil(CHUNK) * (std::mem::size_of::<Chunk>() + 16)
    }
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
        stack.pop_to(marks[64]);
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
        stack.pop_to(marks[0]);
        assert_eq!(stack.newest_first().count(), 0);
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
