//! Objects whose size is a term.
//!
//! Such an object has room for the largest size that it may have, and its bytes are in one of two states. The *proven*
//! ones exist by the path condition: they are like the bytes of any object. The others may exist. They are
//! addressable, but never plain, so every access to them takes the slow way, where the machine first asks the solver
//! and then reports the answer ([`Memory::prove`]). Only stores at symbolic addresses give them content before, in
//! overlays.

use crate::page::Page;
use crate::{Memory, Object, STACK_START, Tlb};
use ir::layout::STACK_END;
use std::cell::Cell;
use std::rc::Rc;
use term::{Pool, Term};

/// The size of an object.
#[derive(Clone)]
struct SizeBound {
    start: u64,
    /// The largest size that it may have.
    room: u64,
    /// Leading bytes that exist for certain. All when it was freed: then no question is left.
    proven: u64,
    /// 64 bits wide. Interior mutability for the collector.
    size: Cell<Term>,
}

/// The sizes that are terms, in address order. Those of freed objects stay, for messages.
#[derive(Clone, Default)]
pub(crate) struct Bounds {
    list: Vec<SizeBound>,
    /// The last collection that visited the terms.
    pub stamp: Cell<u64>,
}

impl Bounds {
    fn find(&self, start: u64) -> Option<&SizeBound> {
        let place = self.list.binary_search_by_key(&start, |b| b.start).ok()?;
        self.list.get(place)
    }

    pub fn trace(&self, visit: &mut dyn FnMut(&mut Term)) {
        for bound in &self.list {
            let mut size = bound.size.get();
            visit(&mut size);
            bound.size.set(size);
        }
    }
}

impl Memory {
    /// Does the existence of some of these bytes depend on the size of their object?
    #[inline]
    pub fn is_unproven(&self, address: u64, len: u64) -> bool {
        let Some(bounds) = &self.bounds else {
            return false;
        };
        let place = bounds.list.partition_point(|b| b.start <= address);
        let Some(bound) = place.checked_sub(1).and_then(|at| bounds.list.get(at)) else {
            return false;
        };
        let offset = address - bound.start;
        len > 0 && offset < bound.room && len > bound.proven.saturating_sub(offset)
    }

    /// The live stack objects whose size is a term: the largest size that each may have, and the term.
    pub fn stack_bounds(&self) -> Vec<(u64, Term)> {
        let list = self.bounds.iter().flat_map(|bounds| &bounds.list);
        let on_stack = list.filter(|b| (STACK_START..STACK_END).contains(&b.start));
        on_stack.map(|b| (b.room, b.size.get())).collect()
    }

    /// The size of an object if that is a term, and how many of its bytes exist for certain. [`Object::size`] is the
    /// room then.
    pub fn bound_of(&self, object: &Object) -> Option<(Term, u64)> {
        let bound = self.bounds.as_ref()?.find(object.start)?;
        Some((bound.size.get(), bound.proven))
    }

    /// The end of the bytes of an object that certainly exist.
    pub(crate) fn proven_end(&self, object: &Object) -> u64 {
        self.bound_of(object)
            .map_or(object.end(), |(_, proven)| object.start + proven)
    }

    /// The object that was just allocated at `start` has a term as its size; its room is the size it was given.
    pub fn set_bound(&mut self, tlb: &mut Tlb, start: u64, size: Term) {
        self.own(tlb);
        let Some(object) = self.object_at(start).filter(|o| o.start == start) else {
            return;
        };
        let bounds = Rc::make_mut(self.bounds.get_or_insert_with(Default::default));
        let place = bounds.list.partition_point(|b| b.start < start);
        let bound = SizeBound {
            start,
            room: object.size,
            proven: 0,
            size: Cell::new(size),
        };
        bounds.list.insert(place, bound);
        self.for_touched(tlb, start, object.end(), Page::unset);
    }

    /// Reports that the path condition now implies the first `count` bytes of an object.
    pub fn prove(&mut self, tlb: &mut Tlb, object: &Object, count: u64) {
        self.own(tlb);
        let Some(bounds) = &mut self.bounds else {
            return;
        };
        let bounds = Rc::make_mut(bounds);
        let place = bounds.list.binary_search_by_key(&object.start, |b| b.start);
        let Some(bound) = place.ok().and_then(|place| bounds.list.get_mut(place)) else {
            return;
        };
        let count = count.min(object.size);
        let proven = bound.proven;
        if count <= proven {
            return;
        }
        bound.proven = count;
        if !object.initialized && self.checks.uninitialized {
            return;
        }
        let (from, to) = (object.start + proven, object.start + count);
        let overlays = self.overlays.clone();
        let within = overlays.as_ref().map_or(&[][..], |o| o.within(from, to));
        let mut at = from;
        while at < to {
            // Bytes of an overlay keep their content.
            let overlay = within.iter().find(|o| o.end > at);
            let end = overlay.map_or(to, |o| o.start.clamp(at, to));
            self.for_touched(tlb, at, end, Page::settle);
            at = overlay.map_or(to, |o| o.end.min(to)).max(end);
        }
    }

    /// Gives the first `count` bytes of an object whose size is a term, or came from one, the content that another
    /// object has there. What was not written there counts as zero.
    pub fn copy_content(
        &mut self,
        pool: &mut Pool,
        tlb: &mut Tlb,
        to: &Object,
        from: &Object,
        count: u64,
    ) {
        self.own(tlb);
        let count = count.min(to.size).min(from.size);
        if count > 0 {
            let (start, end) = self.with_overlays(from.start, from.start + count);
            let array = self.window_array(pool, start, end);
            debug_assert!(self.origin_of(start, end) == from.start);
            let (start, end) = (to.start, to.start + count);
            self.set_overlay(tlb, start, end, start, array);
        }
    }

    /// The object is gone: its size is for messages only.
    pub(crate) fn retire_bound(&mut self, start: u64) {
        if let Some(bounds) = &mut self.bounds
            && let Ok(place) = bounds.list.binary_search_by_key(&start, |b| b.start)
        {
            let bound = &mut Rc::make_mut(bounds).list[place];
            bound.proven = bound.room;
        }
    }

    /// Drops the sizes of the stack's objects from `start` on.
    pub(crate) fn drop_bounds(&mut self, start: u64, end: u64) {
        let Some(bounds) = &mut self.bounds else {
            return;
        };
        if bounds.list.iter().any(|b| (start..end).contains(&b.start)) {
            let bounds = Rc::make_mut(bounds);
            bounds.list.retain(|b| !(start..end).contains(&b.start));
            if bounds.list.is_empty() {
                self.bounds = None;
            }
        }
    }
}
