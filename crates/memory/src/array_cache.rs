//! Array terms of windows that were read before, valid as long as their pages are the same.
//!
//! An entry holds its pages, so that whoever writes to one gets a copy of it and pointer equality
//! tells whether the content is unchanged, in whichever state that shares the page. When few bytes
//! changed, the new version is the old array with a `store` for each of them: this keeps large
//! objects cheap whose content changes between reads.
//!
//! Concolic runs that decide alike have to meet the same terms, whatever ran before them ([`Tlb::begin_run`]): what a run
//! meets of an earlier one is an array made from content, which it would have made itself, and it derives versions from
//! its own reads only.

use crate::page::{ByteState, PAGE, Page, PageCell};
use crate::tlb::page_number;
use crate::trace::passes;
use crate::{Memory, Tlb, Value8};
use std::rc::Rc;
use term::{Pool, Term};

const ENTRIES: usize = 64;
/// A version is derived from an older one when at most so many bytes changed since the base.
const MAX_UPDATES: usize = 64;

/// Bytes compared at once when looking for changes.
const LINE: usize = 64;

struct CachedArray {
    start: u64,
    end: u64,
    /// `None`: a page that was never touched.
    pages: Vec<Option<Rc<PageCell>>>,
    /// Origin, start, end and term of the overlays in the window.
    overlays: Vec<(u64, u64, u64, Term)>,
    array: Term,
    /// Stores added since the array was made from content.
    updates: usize,
    /// The run that read it last.
    run: u64,
}

/// The cache; belongs to the machine, as part of its [`Tlb`].
#[derive(Default)]
pub(crate) struct ArrayCache {
    entries: Vec<Option<CachedArray>>,
    /// [`passes`] when the entries were made: a collection in between made their terms stale.
    passes: u64,
    /// The number of the run.
    run: u64,
    /// Loads that found their array, and those that did not.
    pub hits: u64,
    pub misses: u64,
}

impl ArrayCache {
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    pub fn begin_run(&mut self) {
        self.run += 1;
    }
}

fn same(a: Option<&Rc<PageCell>>, b: Option<&Rc<PageCell>>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => Rc::ptr_eq(a, b),
        _ => false,
    }
}

/// Are from..to concrete bytes on both pages, and the same ones? An untouched page holds zeros.
fn same_concrete(old: Option<&Page>, new: &Page, from: usize, to: usize) -> bool {
    new.plain().all(from, to)
        && match old {
            Some(old) => old.plain().all(from, to) && old.bytes[from..to] == new.bytes[from..to],
            None => new.bytes[from..to].iter().all(|&byte| byte == 0),
        }
}

fn slot_of(start: u64, end: u64) -> usize {
    (start.rotate_left(7) ^ end).wrapping_mul(0x9e37_79b9_7f4a_7c15) as usize >> 58
}

impl Memory {
    /// [`Memory::window_array`] through the cache.
    pub(crate) fn cached_array(
        &self,
        pool: &mut Pool,
        tlb: &mut Tlb,
        start: u64,
        end: u64,
    ) -> Term {
        let pages = page_number(start)..=page_number(end - 1);
        let overlays = self.overlay_versions(start, end);
        let mut derived = None;
        if tlb.arrays.passes != passes() {
            tlb.arrays.clear();
            tlb.arrays.passes = passes();
        }
        if tlb.arrays.entries.is_empty() {
            tlb.arrays.entries.resize_with(ENTRIES, || None);
        }
        let slot = slot_of(start, end);
        let run = tlb.arrays.run;
        if let Some(entry) = &mut tlb.arrays.entries[slot]
            && (entry.run == run || entry.updates == 0)
            && (entry.start, entry.end) == (start, end)
            && entry.overlays == overlays
        {
            let current = pages.clone().map(|number| self.page_cell(number));
            if entry
                .pages
                .iter()
                .zip(current)
                .all(|(old, new)| same(old.as_ref(), new))
            {
                entry.run = run;
                let array = entry.array;
                tlb.arrays.hits += 1;
                return array;
            }
            if entry.run == run && end - start >= 1024 {
                derived = self.derive(pool, entry);
            }
        }
        tlb.arrays.misses += 1;
        let (array, updates) = derived.unwrap_or_else(|| (self.window_array(pool, start, end), 0));
        for number in pages.clone() {
            tlb.forget_write(number);
        }
        tlb.arrays.entries[slot] = Some(CachedArray {
            start,
            end,
            pages: pages
                .map(|number| self.page_cell(number).cloned())
                .collect(),
            overlays,
            array,
            updates,
            run,
        });
        array
    }

    /// The window's array as an update of an older version; `None` when too much changed.
    fn derive(&self, pool: &mut Pool, entry: &CachedArray) -> Option<(Term, usize)> {
        let mut changes = Vec::new();
        let origin = self.origin_of(entry.start, entry.end);
        for (old, number) in entry.pages.iter().zip(page_number(entry.start)..) {
            let new = self.page_cell(number);
            if same(old.as_ref(), new) {
                continue;
            }
            // Pages are never dropped while their object lives.
            let new = new?.page();
            let first = number * PAGE as u64;
            let from = entry.start.saturating_sub(first) as usize;
            let to = (entry.end - first).min(PAGE as u64) as usize;
            let old = old.as_ref().map(|cell| cell.page());
            let lines = (from / LINE..to.div_ceil(LINE))
                .map(|line| (from.max(line * LINE), to.min(line * LINE + LINE)))
                .filter(|&(from, to)| !same_concrete(old, new, from, to));
            for offset in lines.flat_map(|(from, to)| from..to) {
                let after = new.state(offset);
                let unchanged = match old {
                    Some(old) => old.state(offset) == after,
                    // It was not touched before: zeros, and no overlay.
                    None => matches!(after, ByteState::Concrete(0) | ByteState::Unset),
                };
                if !unchanged {
                    let value = match after {
                        ByteState::Concrete(bits) => Value8::concrete(bits),
                        ByteState::Symbolic(term, index) => Value8 {
                            term,
                            index,
                            bits: 0,
                        },
                        ByteState::Unset | ByteState::Unaddressable => Value8::concrete(0),
                    };
                    changes.push((first + offset as u64 - origin, value));
                    if entry.updates + changes.len() > MAX_UPDATES {
                        return None;
                    }
                }
            }
        }
        let updates = entry.updates + changes.len();
        let mut array = entry.array;
        for (index, value) in changes {
            array = crate::window::store_byte(pool, array, index, value);
        }
        Some((array, updates))
    }
}
