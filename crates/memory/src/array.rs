//! Accesses at symbolic addresses inside one object: array terms.
//!
//! A load builds an array term of a *window* of the object: a base interned by content, with a
//! `store` at a constant index for each symbolic byte, and reads it by `select_bounded`. Only the
//! solver lowers selects. The window is the whole object when that is small, so that all reads
//! of a table share one array; else what the access can reach.
//!
//! A store turns the bytes that it can reach into an *overlay*: a version
//! `store(A, i, v)` of the window's array. Bytes in an overlay have no content in their page, so
//! that every access to them takes the slow way, where a constant address becomes
//! `select(A, constant)`. A byte that is written at a constant address leaves the overlay (its page
//! knows it again) and is folded back, as one more store, only when the array is needed next.
//!
//! An access that reaches past an overlay widens it: its stores are replayed over the base of the
//! wider window. The bits known of the address (alignment, residues) shrink windows and say when
//! few positions are left, which are then spelled out without arrays.

use crate::access::assemble;
use crate::page::{ByteState, PAGE};
use crate::tlb::page_number;
use crate::{Fault, FaultKind, Memory, Object, Tlb, Value, Value8};
use std::cell::Cell;
use std::rc::Rc;
use term::{Op, Pool, Term};

/// Objects up to this size are read as one array.
const WHOLE_OBJECT: u64 = 4096;
/// Windows of larger objects are rounded outwards to multiples of this.
const WINDOW_UNIT: u64 = 256;
/// Arrays of smaller windows are made anew at each load, unless they are constant: a cached array
/// makes the next write to its pages copy them.
const CACHED: u64 = 128;
/// A load with at most so many positions is a chain of if-then-else.
const SPELLED_LOADS: u64 = 2;
/// A store with at most so many positions changes each of them.
const SPELLED_STORES: u64 = 8;

/// A range of bytes whose content is an array term.
#[derive(Clone)]
struct Overlay {
    /// Address of the array's element 0.
    origin: u64,
    /// The bytes concerned.
    start: u64,
    end: u64,
    /// Interior mutability for the collector.
    array: Cell<Term>,
}

/// The overlays of a memory, in address order.
#[derive(Clone, Default)]
pub(crate) struct Overlays {
    list: Vec<Overlay>,
    /// The last collection that visited the terms.
    pub stamp: Cell<u64>,
}

impl Overlays {
    fn find(&self, addr: u64) -> Option<&Overlay> {
        let place = self.list.partition_point(|overlay| overlay.end <= addr);
        self.list.get(place).filter(|overlay| overlay.start <= addr)
    }

    /// The overlays with a byte in start..end.
    fn within(&self, start: u64, end: u64) -> &[Overlay] {
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

/// The addresses lo..=hi that are congruent to the address modulo `1 << align`.
#[derive(Clone, Copy)]
struct Positions {
    lo: u64,
    hi: u64,
    align: u32,
}

impl Positions {
    /// Tightens lo..=hi by what the pool knows of the address; `None` when nothing is left (the
    /// path condition says more than the bounds: any answer will do).
    fn new(pool: &Pool, address: Term, lo: u64, hi: u64) -> Option<Positions> {
        let (low, high) = pool.interval(address);
        let (mut lo, mut hi) = (lo.max(low), hi.min(high));
        let (zeros, ones) = pool.known_bits(address);
        let align = (zeros | ones).trailing_ones().min(32);
        let residue_mask = (1u64 << align) - 1;
        let residue = ones & residue_mask;
        lo += residue.wrapping_sub(lo) & residue_mask;
        hi = hi.checked_sub(hi.wrapping_sub(residue) & residue_mask)?;
        (lo <= hi).then_some(Positions { lo, hi, align })
    }

    fn count(self) -> u64 {
        ((self.hi - self.lo) >> self.align) + 1
    }

    fn iter(self) -> impl Iterator<Item = u64> {
        (self.lo..=self.hi).step_by(1 << self.align)
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
    fn drop_spent_overlays(&mut self, start: u64, end: u64) {
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

    /// Loads `bytes` at `address`, whose value lies in lo..=hi, all of it inside `object`.
    #[expect(clippy::too_many_arguments, reason = "an access is what it is")]
    pub fn load_indexed(
        &mut self,
        pool: &mut Pool,
        tlb: &mut Tlb,
        object: &Object,
        address: Term,
        lo: u64,
        hi: u64,
        bytes: u32,
    ) -> Result<Value, Fault> {
        self.own(tlb);
        debug_assert!(lo >= object.start && lo <= hi && hi + bytes as u64 <= object.end());
        let Some(at) = Positions::new(pool, address, lo, hi) else {
            return Ok(Value::concrete(0));
        };
        if at.count() <= SPELLED_LOADS {
            let width = bytes * 8;
            let mut result = self.load_or_zero(pool, tlb, at.lo, bytes)?;
            for position in at.iter().skip(1) {
                let here = self.load_or_zero(pool, tlb, position, bytes)?;
                let constant = pool.bv(64, position);
                let condition = pool.eq(address, constant);
                let (here, rest) = (to_term(pool, here, width), to_term(pool, result, width));
                result = Value::symbolic(pool.ite(condition, here, rest));
            }
            return Ok(concretised(pool, result));
        }
        let (start, end) = (at.lo, at.hi + bytes as u64);
        if self.checks.uninitialized && self.all_unset(start, end) {
            return Err(Fault {
                kind: FaultKind::Uninitialized,
                address: start,
                size: bytes as u64,
                write: false,
                object: Some(*object),
            });
        }
        self.drop_spent_overlays(start, end);
        let (start, end) = match self
            .overlays
            .as_ref()
            .and_then(|overlays| overlays.find(start))
        {
            Some(overlay) if end <= overlay.end => (overlay.start, overlay.end),
            _ => {
                let (start, end) = self.load_window(object, start, end);
                self.with_overlays(start, end)
            }
        };
        let array = if object.read_only || end - start >= CACHED {
            self.cached_array(pool, tlb, start, end)
        } else {
            self.window_array(pool, start, end)
        };
        let origin = self.origin_of(start, end);
        let constant = pool.bv(64, origin);
        let index = pool.sub(address, constant);
        let cells: Vec<Value8> = (0..bytes as u64)
            .map(|byte| {
                let offset = pool.bv(64, byte);
                let here = pool.add(index, offset);
                Value8::symbolic(pool.select_bounded(
                    array,
                    here,
                    at.lo - origin + byte,
                    at.hi - origin + byte,
                ))
            })
            .collect();
        Ok(assemble(pool, &cells))
    }

    /// Stores `bytes` at `address`, whose value lies in lo..=hi, all of it inside `object`.
    #[expect(clippy::too_many_arguments, reason = "an access is what it is")]
    pub fn store_indexed(
        &mut self,
        pool: &mut Pool,
        tlb: &mut Tlb,
        object: &Object,
        address: Term,
        lo: u64,
        hi: u64,
        bytes: u32,
        value: Value,
    ) -> Result<(), Fault> {
        self.own(tlb);
        debug_assert!(lo >= object.start && lo <= hi && hi + bytes as u64 <= object.end());
        let Some(at) = Positions::new(pool, address, lo, hi) else {
            return Ok(());
        };
        self.check_access(at.lo, at.hi - at.lo + bytes as u64, true)?;
        if at.count() == 1 {
            return self.store(pool, tlb, at.lo, bytes, value);
        }
        let value = to_term(pool, value, bytes * 8);
        if at.count() <= SPELLED_STORES {
            // Later positions see the earlier ones' changes where they overlap; under each value of
            // the address exactly one condition holds, so the order does not matter.
            for position in at.iter() {
                let constant = pool.bv(64, position);
                let condition = pool.eq(address, constant);
                let old = self.load_or_zero(pool, tlb, position, bytes)?;
                let old = to_term(pool, old, bytes * 8);
                let new = pool.ite(condition, value, old);
                self.store(pool, tlb, position, bytes, Value::symbolic(new))?;
            }
            return Ok(());
        }
        self.drop_spent_overlays(at.lo, at.hi + bytes as u64);
        let (start, end) = self.with_overlays(at.lo, at.hi + bytes as u64);
        let mut array = self.window_array(pool, start, end);
        let origin = self.origin_of(start, end);
        let constant = pool.bv(64, origin);
        let index = pool.sub(address, constant);
        for byte in 0..bytes {
            let offset = pool.bv(64, byte as u64);
            let here = pool.add(index, offset);
            let part = if bytes == 1 {
                value
            } else {
                pool.extract(byte * 8 + 7, byte * 8, value)
            };
            array = pool.store(array, here, part);
        }
        self.set_overlay(tlb, start, end, origin, array);
        Ok(())
    }

    /// A load for an access that was checked; uninitialised bytes are zero.
    fn load_or_zero(
        &mut self,
        pool: &mut Pool,
        tlb: &mut Tlb,
        addr: u64,
        bytes: u32,
    ) -> Result<Value, Fault> {
        match self.load(pool, tlb, addr, bytes) {
            Err(fault) if fault.kind == FaultKind::Uninitialized => {
                let cells: Vec<Value8> = (addr..addr + bytes as u64)
                    .map(|at| self.byte_at(pool, at).unwrap_or_default())
                    .collect();
                Ok(assemble(pool, &cells))
            }
            result => result,
        }
    }

    /// The byte at `addr`; `None` when it has no content or is not addressable.
    pub(crate) fn byte_at(&self, pool: &mut Pool, addr: u64) -> Option<Value8> {
        let page = self.view(page_number(addr))?;
        match page.state(addr as usize % PAGE) {
            ByteState::Concrete(bits) => Some(Value8::concrete(bits)),
            ByteState::Symbolic(term, index) => Some(Value8 {
                term,
                index,
                bits: 0,
            }),
            ByteState::Unset => self.overlay_byte(pool, addr),
            ByteState::Unaddressable => None,
        }
    }

    /// Calls `f(address of the part, page, from, to)` for the pages of start..end; all addressable.
    fn for_parts(&self, start: u64, end: u64, mut f: impl FnMut(u64, &crate::Page, usize, usize)) {
        let mut at = start;
        while at < end {
            let from = at as usize % PAGE;
            let to = PAGE.min(from + (end - at) as usize);
            let page = self
                .view(page_number(at))
                .expect("the object's bytes are mapped");
            f(at, &page, from, to);
            at += (to - from) as u64;
        }
    }

    fn all_unset(&self, start: u64, end: u64) -> bool {
        let mut all = true;
        self.for_parts(start, end, |_, page, from, to| {
            all &= !page.plain().any(from, to) && !page.has_cells(from, to);
        });
        all && self
            .overlays
            .as_ref()
            .is_none_or(|overlays| overlays.within(start, end).is_empty())
    }

    /// The window of a load: more than the access reaches, where that lets loads share an array.
    fn load_window(&self, object: &Object, start: u64, end: u64) -> (u64, u64) {
        let base = object.start;
        let (wide_start, wide_end) = if object.size <= WHOLE_OBJECT {
            (base, object.end())
        } else {
            let start = base + (start - base) / WINDOW_UNIT * WINDOW_UNIT;
            let end = base + (end - base).next_multiple_of(WINDOW_UNIT);
            (start, end.min(object.end()))
        };
        // Symbolic bytes outside would only lengthen the list of stores; so would overlays.
        let mut clean = true;
        for (from, to) in [(wide_start, start), (end, wide_end)] {
            self.for_parts(from, to, |_, page, from, to| {
                clean &= !page.has_cells(from, to)
            });
            clean &= self
                .overlays
                .as_ref()
                .is_none_or(|overlays| overlays.within(from, to).is_empty());
        }
        if clean {
            (wide_start, wide_end)
        } else {
            (start, end)
        }
    }

    /// Widens start..end to contain the overlays that it meets.
    fn with_overlays(&self, start: u64, end: u64) -> (u64, u64) {
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
    fn exact_overlay(&self, start: u64, end: u64) -> Option<&Overlay> {
        let overlay = self.overlays.as_ref()?.find(start)?;
        (overlay.start == start && overlay.end == end).then_some(overlay)
    }

    /// The address of element 0 of the array that `window_array` makes.
    pub(crate) fn origin_of(&self, start: u64, end: u64) -> u64 {
        self.exact_overlay(start, end)
            .map_or(start, |overlay| overlay.origin)
    }

    /// The array term of the bytes start..end; overlays lie in it or do not touch it.
    pub(crate) fn window_array(&self, pool: &mut Pool, start: u64, end: u64) -> Term {
        let origin = self.origin_of(start, end);
        let mut array;
        if let Some(overlay) = self.exact_overlay(start, end) {
            array = overlay.array.get();
        } else {
            let overlays = self
                .overlays
                .as_ref()
                .map_or(&[][..], |overlays| overlays.within(start, end));
            let covered = |addr: u64| {
                overlays
                    .iter()
                    .any(|overlay| overlay.start <= addr && addr < overlay.end)
            };
            let mut content = vec![0u8; (end - start) as usize];
            let mut cells = Vec::new();
            self.for_parts(start, end, |at, page, from, to| {
                let place = (at - start) as usize;
                // Bytes without content are zero in the page.
                content[place..place + (to - from)].copy_from_slice(&page.bytes[from..to]);
                if page.has_cells(from, to) {
                    for offset in from..to {
                        let (term, index) = page.cell(offset);
                        let here = at + (offset - from) as u64;
                        if term.is_some() && !covered(here) {
                            cells.push((
                                here - origin,
                                Value8 {
                                    term,
                                    index,
                                    bits: 0,
                                },
                            ));
                        }
                    }
                }
            });
            let mut updates = Vec::new();
            for overlay in overlays {
                let (base, chain) = unwind(pool, overlay.array.get());
                let from = overlay.start - overlay.origin;
                let place = (overlay.start - start) as usize;
                let covered = (overlay.end - overlay.start) as usize;
                for (at, byte) in content[place..place + covered].iter_mut().enumerate() {
                    *byte = base_byte(pool, base, from + at as u64);
                }
                let shift = pool.bv(64, overlay.origin.wrapping_sub(origin));
                for &(index, value) in chain.iter().rev() {
                    updates.push((pool.add(index, shift), value));
                }
            }
            array = pool.array_bytes(&content);
            for (index, cell) in cells {
                array = store_byte(pool, array, index, cell);
            }
            for (index, value) in updates {
                array = pool.store(array, index, value);
            }
            if overlays.is_empty() {
                return array;
            }
        }
        // Bytes that left an overlay.
        let overlays = self
            .overlays
            .as_ref()
            .map_or(&[][..], |overlays| overlays.within(start, end));
        let mut back = Vec::new();
        for overlay in overlays {
            self.for_parts(overlay.start, overlay.end, |at, page, from, to| {
                let mut offset = from;
                while offset < to {
                    let run = page.plain().run_end(offset, to);
                    let plain = page.plain().get(offset);
                    if plain || page.has_cells(offset, run) {
                        for offset in offset..run {
                            let here = at + (offset - from) as u64 - origin;
                            match page.state(offset) {
                                ByteState::Concrete(bits) => {
                                    back.push((here, Value8::concrete(bits)))
                                }
                                ByteState::Symbolic(term, index) => back.push((
                                    here,
                                    Value8 {
                                        term,
                                        index,
                                        bits: 0,
                                    },
                                )),
                                ByteState::Unset | ByteState::Unaddressable => {}
                            }
                        }
                    }
                    offset = run;
                }
            });
        }
        for (index, byte) in back {
            array = store_byte(pool, array, index, byte);
        }
        array
    }

    /// Makes start..end one overlay; the ones inside are replaced.
    fn set_overlay(&mut self, tlb: &mut Tlb, start: u64, end: u64, origin: u64, array: Term) {
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
            self.checked_page(tlb, page_number(at)).unset(from, to);
            at += (to - from) as u64;
        }
    }
}

fn to_term(pool: &mut Pool, value: Value, width: u32) -> Term {
    if value.term.is_some() {
        value.term
    } else {
        pool.bv(width, value.bits)
    }
}

fn concretised(pool: &Pool, value: Value) -> Value {
    if value.term.is_none() {
        return value;
    }
    pool.as_const(value.term).map_or(value, Value::concrete)
}

pub(crate) fn store_byte(pool: &mut Pool, array: Term, index: u64, byte: Value8) -> Term {
    let index = pool.bv(64, index);
    let value = byte.to_term(pool);
    pool.store(array, index, value)
}

/// The array at the bottom of a chain of stores, and the stores, newest first.
fn unwind(pool: &Pool, array: Term) -> (Term, Vec<(Term, Term)>) {
    let mut chain = Vec::new();
    let mut array = array;
    while pool.op(array) == Op::Store {
        chain.push((pool.child(array, 1), pool.child(array, 2)));
        array = pool.child(array, 0);
    }
    (array, chain)
}

/// An element of the array at the bottom of a chain.
fn base_byte(pool: &mut Pool, base: Term, index: u64) -> u8 {
    let index = pool.bv(64, index);
    let value = pool.select(base, index);
    pool.as_const(value)
        .expect("windows stand on constant content") as u8
}
