//! Overlays: bytes whose content is an array term, since a store at a symbolic index reached them.
//!
//! An overlay's bytes are addressable and have no content in their page. A byte that is written
//! at a constant address has content again and is out of the overlay, until the next symbolic
//! store folds it in. Overlays do not overlap and lie in one object each.

use crate::page::{ByteState, PAGE};
use crate::tlb::page_number;
use crate::{Memory, Tlb, Value8};
use std::cell::Cell;
use std::rc::Rc;
use term::{Pool, Term};

/// A range of bytes whose content is an array term.
#[derive(Clone)]
pub(crate) struct Overlay {
    /// Address of the array's element 0.
    pub origin: u64,
    /// The bytes concerned.
    pub start: u64,
    pub end: u64,
    /// Interior mutability for the collector.
    pub array: Cell<Term>,
}

/// The overlays of a memory, in address order.
#[derive(Clone, Default)]
pub(crate) struct Overlays {
    list: Vec<Overlay>,
    /// The last collection that visited the terms.
    pub stamp: Cell<u64>,
}

impl Overlays {
    pub fn find(&self, addr: u64) -> Option<&Overlay> {
        let place = self.list.partition_point(|overlay| overlay.end <= addr);
        self.list.get(place).filter(|overlay| overlay.start <= addr)
    }

    /// The overlays with a byte in start..end.
    pub fn within(&self, start: u64, end: u64) -> &[Overlay] {
        let from = self.list.partition_point(|overlay| overlay.end <= start);
        let to = self.list.partition_point(|overlay| overlay.start < end);
        &self.list[from..to.max(from)]
    }

    pub fn trace(&self, visit: &mut dyn FnMut(&mut Term)) {
        for overlay in &self.list {
            let mut term = overlay.array.get();
            visit(&mut term);
            overlay.array.set(term);
        }
    }

    pub fn heap_bytes(&self) -> usize {
        std::mem::size_of::<Overlays>() + self.list.capacity() * std::mem::size_of::<Overlay>()
    }
}

impl Memory {
    /// Is the byte at `addr`, if it has no content in its page, in an overlay?
    pub(crate) fn in_overlay(&self, addr: u64) -> bool {
        self.overlays
            .as_ref()
            .is_some_and(|overlays| overlays.find(addr).is_some())
    }

    /// The byte at `addr` that has no content in its page: from its overlay, if it has one.
    pub(crate) fn overlay_byte(&self, pool: &mut Pool, addr: u64) -> Option<Value8> {
        let overlay = self.overlays.as_ref()?.find(addr)?;
        let index = pool.bv(64, addr - overlay.origin);
        let term = pool.select(overlay.array.get(), index);
        Some(match pool.as_const(term) {
            Some(bits) => Value8::concrete(bits as u8),
            None => Value8::symbolic(term),
        })
    }

    /// Drops the overlays in start..end whose bytes were all written since: after a `memset`, say,
    /// the object is as concrete as before.
    pub(crate) fn drop_spent_overlays(&mut self, start: u64, end: u64) {
        let Some(overlays) = &self.overlays else {
            return;
        };
        let mut spent = Vec::new();
        for overlay in overlays.within(start, end) {
            let mut known = true;
            self.for_parts(overlay.start, overlay.end, |_, page, from, to| {
                known &= page.plain().all(from, to)
                    || page.has_cells(from, to)
                        && (from..to).all(|offset| page.state(offset) != ByteState::Unset);
            });
            if known {
                spent.push((overlay.start, overlay.end));
            }
        }
        for (start, end) in spent {
            self.clip_overlays(start, end);
        }
    }

    /// The bytes start..end are gone: so are overlays there.
    pub(crate) fn clip_overlays(&mut self, start: u64, end: u64) {
        let Some(overlays) = &mut self.overlays else {
            return;
        };
        if overlays.within(start, end).is_empty() {
            return;
        }
        let overlays = Rc::make_mut(overlays);
        let mut kept = Vec::new();
        for overlay in overlays.list.drain(..) {
            for (from, to) in [
                (overlay.start, overlay.end.min(start)),
                (overlay.start.max(end), overlay.end),
            ] {
                if from < to {
                    kept.push(Overlay {
                        start: from,
                        end: to,
                        ..overlay.clone()
                    });
                }
            }
        }
        overlays.list = kept;
        if overlays.list.is_empty() {
            self.overlays = None;
        }
    }

    /// Divides the overlay that `addr` is inside of, if there is one.
    pub(crate) fn split_overlay(&mut self, addr: u64) {
        let Some(overlays) = &mut self.overlays else {
            return;
        };
        let inside = |overlay: &Overlay| overlay.start < addr && addr < overlay.end;
        let Some(place) = overlays.list.iter().position(inside) else {
            return;
        };
        let list = &mut Rc::make_mut(overlays).list;
        let rest = Overlay {
            start: addr,
            ..list[place].clone()
        };
        list[place].end = addr;
        list.insert(place + 1, rest);
    }

    /// Widens start..end to contain the overlays that it meets.
    pub(crate) fn with_overlays(&self, start: u64, end: u64) -> (u64, u64) {
        match self
            .overlays
            .as_ref()
            .map(|overlays| overlays.within(start, end))
        {
            Some([first, .., last]) => (start.min(first.start), end.max(last.end)),
            Some([only]) => (start.min(only.start), end.max(only.end)),
            _ => (start, end),
        }
    }

    /// Origin, start, end and version of the overlays in start..end.
    pub(crate) fn overlay_versions(&self, start: u64, end: u64) -> Vec<(u64, u64, u64, Term)> {
        let overlays = self
            .overlays
            .as_ref()
            .map_or(&[][..], |overlays| overlays.within(start, end));
        overlays
            .iter()
            .map(|overlay| {
                (
                    overlay.origin,
                    overlay.start,
                    overlay.end,
                    overlay.array.get(),
                )
            })
            .collect()
    }

    /// The overlay that covers exactly start..end.
    pub(crate) fn exact_overlay(&self, start: u64, end: u64) -> Option<&Overlay> {
        let overlay = self.overlays.as_ref()?.find(start)?;
        (overlay.start == start && overlay.end == end).then_some(overlay)
    }

    /// The address of element 0 of the array that `window_array` makes.
    pub(crate) fn origin_of(&self, start: u64, end: u64) -> u64 {
        self.exact_overlay(start, end)
            .map_or(start, |overlay| overlay.origin)
    }

    /// Makes start..end one overlay; the ones inside are replaced.
    pub(crate) fn set_overlay(
        &mut self,
        tlb: &mut Tlb,
        start: u64,
        end: u64,
        origin: u64,
        array: Term,
    ) {
        let overlays = Rc::make_mut(self.overlays.get_or_insert_with(Default::default));
        overlays
            .list
            .retain(|overlay| overlay.end <= start || overlay.start >= end);
        let place = overlays
            .list
            .partition_point(|overlay| overlay.start < start);
        let overlay = Overlay {
            origin,
            start,
            end,
            array: Cell::new(array),
        };
        overlays.list.insert(place, overlay);
        let mut at = start;
        while at < end {
            let from = at as usize % PAGE;
            let to = PAGE.min(from + (end - at) as usize);
            self.empty_part(tlb, page_number(at), from, to);
            at += (to - from) as u64;
        }
    }
    /// The bytes from..to of a page, all of them of one object, lose their content.
    fn empty_part(&mut self, tlb: &mut Tlb, number: u64, from: usize, to: usize) {
        if to - from == PAGE {
            // Large windows cost no pages.
            let (region, key) = crate::locate(number).expect("the access was checked");
            let unset = self.untouched.unset.clone();
            *self.regions[region].slot(key) = Some(unset);
            tlb.forget(number, number);
            return;
        }
        let empty = self
            .page(number)
            .is_some_and(|page| !page.plain().any(from, to) && !page.has_cells(from, to));
        if !empty {
            self.checked_page(tlb, number).unset(from, to);
        }
    }
}
