//! The software TLB: page number to raw page pointer, separate for loads and stores.
//!
//! It belongs to the machine and to one memory at a time, that of the running state: a memory that meets a TLB of
//! another one takes it over, empty. Every operation that may copy, share or drop a page takes the `Tlb` and keeps it
//! right. Why its pointers may be followed: see `running`.

use crate::array_cache::ArrayCache;
use crate::mask::Mask;
use crate::page::{ByteState, PAGE_BITS, Page, PageCell};
use term::{Term, Trace};

pub(crate) const ENTRIES: usize = 256;
/// No page has this number: addresses are below 2^64.
const NO_PAGE: u64 = u64::MAX;

#[derive(Clone, Copy)]
struct TlbEntry {
    number: u64,
    page: *mut Page,
    mask: *const Mask,
}

const NONE: TlbEntry = TlbEntry {
    number: NO_PAGE,
    page: std::ptr::null_mut(),
    mask: std::ptr::null(),
};

/// One direct-mapped table, with the set of its places in use: flushing is as cheap as what it
/// holds is little.
struct TlbTable {
    entries: [TlbEntry; ENTRIES],
    used: [u64; ENTRIES / 64],
}

impl TlbTable {
    fn new() -> TlbTable {
        TlbTable {
            entries: [NONE; ENTRIES],
            used: [0; ENTRIES / 64],
        }
    }

    #[inline(always)]
    fn get(&self, number: u64) -> Option<&TlbEntry> {
        let entry = &self.entries[number as usize % ENTRIES];
        (entry.number == number).then_some(entry)
    }

    #[inline]
    fn set(&mut self, entry: TlbEntry) {
        let place = entry.number as usize % ENTRIES;
        self.entries[place] = entry;
        self.used[place / 64] |= 1 << (place % 64);
    }

    #[inline]
    fn forget(&mut self, number: u64) {
        let entry = &mut self.entries[number as usize % ENTRIES];
        if entry.number == number {
            entry.number = NO_PAGE;
        }
    }

    #[inline]
    fn flush(&mut self) {
        for (at, set) in self.used.iter_mut().enumerate() {
            while *set != 0 {
                self.entries[64 * at + set.trailing_zeros() as usize].number = NO_PAGE;
                *set &= *set - 1;
            }
        }
    }
}

/// The software TLB of a machine.
pub struct Tlb {
    reads: TlbTable,
    writes: TlbTable,
    /// The identity of the memory whose pages these are (0: none).
    pub(crate) owner: u64,
    pub(crate) arrays: ArrayCache,
    /// Pages that writes made a state's own, ever.
    pub(crate) pages_made: u64,
    /// Bytes on their way from page to page.
    pub(crate) staged: Vec<ByteState>,
}

impl Default for Tlb {
    fn default() -> Tlb {
        Tlb::new()
    }
}

impl Tlb {
    /// Pages that writes made a state's own, ever: a measure of the memory that a run asks for.
    pub fn pages_made(&self) -> u64 {
        self.pages_made
    }

    /// An empty TLB.
    pub fn new() -> Tlb {
        Tlb {
            reads: TlbTable::new(),
            writes: TlbTable::new(),
            owner: 0,
            arrays: ArrayCache::default(),
            pages_made: 0,
            staged: Vec::new(),
        }
    }

    /// Forgets all pages: another state is going to run.
    #[inline]
    pub(crate) fn flush(&mut self) {
        self.reads.flush();
        self.writes.flush();
    }

    /// Forgets the pages that may be written: the running state was forked.
    #[inline]
    pub(crate) fn flush_writes(&mut self) {
        self.writes.flush();
    }

    #[inline(always)]
    pub(crate) fn read_page(&self, number: u64) -> Option<*mut Page> {
        self.reads.get(number).map(|entry| entry.page)
    }

    #[inline(always)]
    pub(crate) fn write_page(&self, number: u64) -> Option<(*mut Page, *const Mask)> {
        self.writes
            .get(number)
            .map(|entry| (entry.page, entry.mask))
    }

    /// A page that the running state holds.
    #[inline]
    pub(crate) fn set_read(&mut self, number: u64, cell: &PageCell) {
        let page = cell.raw();
        // SAFETY: it points to a page.
        let mask = unsafe { Page::plain_of(page) };
        self.reads.set(TlbEntry { number, page, mask });
    }

    /// A page that only the running state holds.
    pub(crate) fn set_write(&mut self, number: u64, cell: &PageCell) {
        let (page, mask) = (cell.raw(), &raw const *cell.page().plain_write());
        self.writes.set(TlbEntry { number, page, mask });
        self.set_read(number, cell);
    }

    /// Forgets the pages from..=to.
    pub(crate) fn forget(&mut self, from: u64, to: u64) {
        if to - from >= ENTRIES as u64 {
            self.flush();
            return;
        }
        for number in from..=to {
            self.reads.forget(number);
            self.writes.forget(number);
        }
    }

    /// A page is not this state's alone any more.
    pub(crate) fn forget_write(&mut self, number: u64) {
        self.writes.forget(number);
    }

    /// Begins a run whose terms may not depend on reads of earlier runs.
    pub fn begin_run(&mut self) {
        self.arrays.begin_run();
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
