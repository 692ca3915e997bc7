//! The array term of a window of an object, from its pages and overlays.

use crate::page::{ByteState, PAGE, Page};
use crate::tlb::page_number;
use crate::{Memory, Object, Value8};
use term::{Op, Pool, Term};

/// Objects up to this size are read as one array.
const WHOLE_OBJECT: u64 = 4096;
/// Windows of larger objects are rounded outwards to multiples of this.
const WINDOW_UNIT: u64 = 256;

impl Memory {
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
    pub(crate) fn for_parts(
        &self,
        start: u64,
        end: u64,
        mut f: impl FnMut(u64, &Page, usize, usize),
    ) {
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

    pub(crate) fn all_unset(&self, start: u64, end: u64) -> bool {
        let mut all = true;
        self.for_parts(start, end, |_, page, from, to| {
            all &= !page.plain().any(from, to) && !page.has_cells(from, to);
        });
        all && self
            .overlays
            .as_ref()
            .is_none_or(|overlays| overlays.within(start, end).is_empty())
    }

    /// Where in start..end of an object nothing was ever written, if that is an error: runs of addresses, the first and the
    /// one behind the last. At most `most`; whether there are more.
    pub fn unwritten(
        &self,
        object: &Object,
        start: u64,
        end: u64,
        most: usize,
    ) -> (Vec<(u64, u64)>, bool) {
        let mut runs: Vec<(u64, u64)> = Vec::new();
        let mut more = false;
        if !self.checks.uninitialized || object.initialized {
            return (runs, more);
        }
        let overlays = self.overlays.as_ref();
        let overlays = overlays.map_or(&[][..], |overlays| overlays.within(start, end));
        self.for_parts(start, end, |at, page, from, to| {
            if page.plain().all(from, to) {
                return;
            }
            for place in from..to {
                let at = at + (place - from) as u64;
                let is_written = page.state(place) != ByteState::Unset
                    || overlays.iter().any(|o| o.start <= at && at < o.end);
                let is_full = runs.len() == most;
                match runs.last_mut() {
                    _ if is_written => {}
                    Some(run) if run.1 == at => run.1 += 1,
                    _ if is_full => more = true,
                    _ => runs.push((at, at + 1)),
                }
            }
        });
        (runs, more)
    }

    /// The window of a load: more than the access reaches, where that lets loads share an array.
    pub(crate) fn load_window(&self, object: &Object, start: u64, end: u64) -> (u64, u64) {
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
            // The content, and the copy of it that the pool keeps.
            room::need(2 * (end - start));
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
