//! The software TLB: page number to raw page pointer, separate for loads and stores.
//!
//! It belongs to the machine and speaks of the running state's memory only: [`Tlb::flush`] when
//! another state runs, [`Memory::fork`](crate::Memory::fork) (or [`Tlb::flush_writes`] after a
//! `clone`) when pages become shared. Debug builds check the owner and each pointer at each hit.
//!
//! Every operation that may copy or drop a page takes the `Tlb` and keeps it right.

use crate::array_cache::ArrayCache;
use crate::mask::Mask;
use crate::page::{PAGE_BITS, Page};
use term::{Term, Trace};

const ENTRIES: usize = 128;
/// No page has this number: addresses are below 2^64.
const NO_PAGE: u64 = u64::MAX;

#[derive(Clone, Copy)]
struct Entry {
    number: u64,
    page: *mut Page,
    mask: *const Mask,
}

const NONE: Entry = Entry {
    number: NO_PAGE,
    page: std::ptr::null_mut(),
    mask: std::ptr::null(),
};

/// The software TLB of a machine.
pub struct Tlb {
    reads: [Entry; ENTRIES],
    writes: [Entry; ENTRIES],
    /// The identity of the memory whose pages these are (0: none).
    pub(crate) owner: u64,
    pub(crate) arrays: ArrayCache,
}

impl Default for Tlb {
    fn default() -> Tlb {
        Tlb::new()
    }
}

impl Tlb {
    /// An empty TLB.
    pub fn new() -> Tlb {
        Tlb {
            reads: [NONE; ENTRIES],
            writes: [NONE; ENTRIES],
            owner: 0,
            arrays: ArrayCache::default(),
        }
    }

    /// Forgets everything: another state is going to run.
    pub fn flush(&mut self) {
        for entry in &mut self.reads {
            entry.number = NO_PAGE;
        }
        self.flush_writes();
        self.owner = 0;
    }

    /// Forgets the pages that may be written: the running state was cloned.
    pub fn flush_writes(&mut self) {
        for entry in &mut self.writes {
            entry.number = NO_PAGE;
        }
    }

    #[inline(always)]
    pub(crate) fn read_page(&self, number: u64) -> Option<(*mut Page, *const Mask)> {
        let entry = &self.reads[number as usize % ENTRIES];
        (entry.number == number).then_some((entry.page, entry.mask))
    }

    #[inline(always)]
    pub(crate) fn write_page(&self, number: u64) -> Option<(*mut Page, *const Mask)> {
        let entry = &self.writes[number as usize % ENTRIES];
        (entry.number == number).then_some((entry.page, entry.mask))
    }

    pub(crate) fn set_read(&mut self, number: u64, page: *mut Page) {
        // SAFETY: callers pass a page that the running state holds.
        let mask = unsafe { &raw const *(*page).plain() };
        self.reads[number as usize % ENTRIES] = Entry { number, page, mask };
    }

    pub(crate) fn set_write(&mut self, number: u64, page: *mut Page) {
        // SAFETY: callers pass a page that only the running state holds.
        let mask = unsafe { &raw const *(*page).plain_write() };
        self.writes[number as usize % ENTRIES] = Entry { number, page, mask };
        self.set_read(number, page);
    }

    /// Forgets the pages from..=to.
    pub(crate) fn forget(&mut self, from: u64, to: u64) {
        if to - from >= ENTRIES as u64 {
            for entry in self.reads.iter_mut().chain(&mut self.writes) {
                entry.number = NO_PAGE;
            }
            return;
        }
        for number in from..=to {
            for entry in [
                &mut self.reads[number as usize % ENTRIES],
                &mut self.writes[number as usize % ENTRIES],
            ] {
                if entry.number == number {
                    entry.number = NO_PAGE;
                }
            }
        }
    }

    /// A page is not this state's alone any more.
    pub(crate) fn forget_write(&mut self, number: u64) {
        let entry = &mut self.writes[number as usize % ENTRIES];
        if entry.number == number {
            entry.number = NO_PAGE;
        }
    }

    /// How many reads at symbolic indices found their array term made before, and how many did not.
    pub fn array_cache_counts(&self) -> (u64, u64) {
        (self.arrays.hits, self.arrays.misses)
    }
}

impl Trace for Tlb {
    /// The cached array terms are dropped: the next loads make them again.
    fn trace(&mut self, _visit: &mut dyn FnMut(&mut Term)) {
        self.arrays.clear();
    }
}

/// The number of the page that `addr` lies in.
#[inline(always)]
pub(crate) const fn page_number(addr: u64) -> u64 {
    addr >> PAGE_BITS
}
