//! The address space of a state: flat, byte-precise, copy-on-write.
//!
//! A [`Memory`] is small pages in one persistent radix tree per region of [`ir::layout`], plus
//! tables of objects. Cloning it is a handful of reference counts; pages are copied when written.
//! Pages exist only where they were touched: an untouched page is described by the objects that
//! lie in it, so that large objects cost nothing until used.
//!
//! Concrete accesses go through a [`Tlb`] that belongs to the machine, not to the state ([`Memory::enter`]): one tag
//! compare, one test of the bits of the bytes accessed. Everything else takes the slow way, which also determines
//! faults. This crate keeps track of the memory to which a TLB belongs: any TLB may be given to any memory.
//!
//! A page that a write makes a state's own is announced to `room`, which may refuse it: the operation then
//! unwinds with its first pages written, and the path has to end.
//!
//! The crate knows no program and no solver: it never decides whether a symbolic address can leave
//! an object, it answers which objects a range of addresses meets.

#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]
#![warn(missing_docs)]

mod access;
mod alloc;
mod array;
mod array_cache;
mod bounds;
mod bulk;
mod fault;
mod map;
mod mask;
mod object;
mod overlay;
mod page;
mod running;
mod side;
mod stack;
mod stats;
mod tlb;
mod trace;
mod tree;
mod window;

pub use bulk::{Comparison, StrScan, Value8};
pub use fault::{Fault, FaultKind, FreeFault, FreeFaultKind, StackOverflow};
pub use object::{Object, ObjectKind, Protection};
pub use running::Running;
pub use stack::Mark;
pub use stats::Footprint;
pub use tlb::Tlb;
pub use trace::{TraceEpoch, trace_all};

use bounds::Bounds;
use ir::layout::{GLOBALS, HEAP, MMAP, STACK, STACK_END};
use object::{Global, HeapTable, Mapping};
use overlay::Overlays;
use page::{PAGE, PAGE_BITS, Page, PageCell};
use stack::Stack;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use term::Term;
use tlb::page_number;
use tree::Tree;

/// Bytes of address space kept for `brk` at the beginning of the heap region.
const BRK_SPACE: u64 = 4 << 30;
/// The start of heap objects.
const HEAP_OBJECTS: u64 = HEAP + BRK_SPACE;
/// So many times farther behind an object than before the next one, an address belongs to the former.
const BEFORE: u64 = 16;
/// A quarter of the TLB's reach. The heap, the stack and mappings begin one, two and three of these
/// into their regions: their first pages, the busiest, are apart in the TLB, and every first object
/// has a red zone before it.
const STAGGER: u64 = (tlb::ENTRIES / 4 * PAGE) as u64;
/// The address of the first heap object.
pub const HEAP_START: u64 = HEAP_OBJECTS + STAGGER;
/// The address of the first stack object.
pub const STACK_START: u64 = STACK + 2 * STAGGER;
/// The address of the first mapping; between two lies a page.
pub const MMAP_START: u64 = MMAP + 3 * STAGGER;

/// The content of up to eight bytes; the width is that of the access.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Value {
    /// The concrete bits; 0 when symbolic.
    pub bits: u64,
    /// [`Term::NONE`] when concrete.
    pub term: Term,
}

impl Value {
    /// A concrete value.
    pub const fn concrete(bits: u64) -> Value {
        Value {
            bits,
            term: Term::NONE,
        }
    }

    /// A symbolic value.
    pub const fn symbolic(term: Term) -> Value {
        Value { bits: 0, term }
    }
}

/// Which checks cost something and can be switched, and the limits of allocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checks {
    /// Report reads of memory that was never written. Off: such bytes are zero.
    pub uninitialized: bool,
    /// `malloc` of more than this returns null.
    pub max_object: u64,
    /// `malloc` returns null rather than let the sum of live heap objects exceed this.
    pub max_heap: u64,
}

impl Default for Checks {
    fn default() -> Checks {
        Checks {
            uninitialized: false,
            max_object: 1 << 31,
            max_heap: 8 << 30,
        }
    }
}

/// The regions of the address space, each with its own tree of pages.
const REGIONS: usize = 5;
const BASES: [u64; REGIONS] = [GLOBALS, HEAP, HEAP_START, MMAP_START, STACK_START];
pub(crate) const STACK_REGION: usize = 4;

const _: () = {
    let mut region = 0;
    while region < REGIONS {
        assert!(BASES[region].is_multiple_of(PAGE as u64));
        region += 1;
    }
};

/// Region and key within its tree of the page with this number.
#[inline]
fn locate(number: u64) -> Option<(usize, u64)> {
    const FIRST: [u64; REGIONS] = [
        page_number(BASES[0]),
        page_number(BASES[1]),
        page_number(BASES[2]),
        page_number(BASES[3]),
        page_number(BASES[4]),
    ];
    if number >= FIRST[STACK_REGION] {
        return (number < page_number(STACK_END))
            .then(|| (STACK_REGION, number - FIRST[STACK_REGION]));
    }
    let region = (0..STACK_REGION)
        .rev()
        .find(|&region| number >= FIRST[region])?;
    Some((region, number - FIRST[region]))
}

/// Two pages that many places of many states share: inside a zeroed object, inside an
/// uninitialized one.
struct Untouched {
    zero: Rc<PageCell>,
    unset: Rc<PageCell>,
}

/// The memory of one state.
pub struct Memory {
    /// The owner's id in the TLB that knows this memory's pages. It changes when pages become shared and when another
    /// TLB takes over, so that no other TLB has it.
    id: Cell<u64>,
    checks: Checks,
    regions: [Tree<PageCell>; REGIONS],
    untouched: Rc<Untouched>,
    globals: Rc<Vec<Global>>,
    heap: HeapTable,
    heap_next: u64,
    heap_live: u64,
    /// Live heap objects.
    heap_count: usize,
    mappings: Rc<Vec<Mapping>>,
    map_next: u64,
    brk: u64,
    stack: Stack,
    overlays: Option<Rc<Overlays>>,
    bounds: Option<Rc<Bounds>>,
}

/// A new identity, never used before; so is the number after it.
fn fresh_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(2, Ordering::Relaxed)
}

impl Memory {
    /// A copy that shares everything. The TLB's write entries become invalid.
    fn share(&self) -> Memory {
        let id = fresh_id();
        self.id.set(id);
        Memory {
            id: Cell::new(id + 1),
            checks: self.checks,
            regions: self.regions.clone(),
            untouched: self.untouched.clone(),
            globals: self.globals.clone(),
            heap: self.heap.clone(),
            heap_next: self.heap_next,
            heap_live: self.heap_live,
            heap_count: self.heap_count,
            mappings: self.mappings.clone(),
            map_next: self.map_next,
            brk: self.brk,
            stack: self.stack.clone(),
            overlays: self.overlays.clone(),
            bounds: self.bounds.clone(),
        }
    }

    /// An empty address space.
    pub fn new(checks: Checks) -> Memory {
        Memory {
            id: Cell::new(fresh_id()),
            checks,
            regions: [const { Tree::new() }; REGIONS],
            untouched: Rc::new(Untouched {
                zero: Rc::new(PageCell::new(Page::untouched(true))),
                unset: Rc::new(PageCell::new(Page::untouched(false))),
            }),
            globals: Rc::new(Vec::new()),
            heap: HeapTable::new(),
            heap_next: HEAP_START,
            heap_live: 0,
            heap_count: 0,
            mappings: Rc::new(Vec::new()),
            map_next: MMAP_START,
            brk: HEAP,
            stack: Stack::new(),
            overlays: None,
            bounds: None,
        }
    }

    /// The checks it was made with.
    pub fn checks(&self) -> Checks {
        self.checks
    }

    /// A copy that shares everything, for a new state. If the TLB is this memory's, it stays so.
    pub fn fork(&self, tlb: &mut Tlb) -> Memory {
        let ours = tlb.owner == self.id.get();
        let copy = self.share();
        if ours {
            tlb.flush_writes();
            tlb.owner = self.id.get();
        }
        copy
    }

    /// Makes the TLB this memory's only one: its entries of another memory are forgotten.
    #[inline(always)]
    fn own(&self, tlb: &mut Tlb) {
        if tlb.owner != self.id.get() {
            self.take_over(tlb);
        }
    }

    #[cold]
    fn take_over(&self, tlb: &mut Tlb) {
        tlb.flush();
        let id = fresh_id();
        self.id.set(id);
        tlb.owner = id;
    }

    /// The page with this number, if it was ever touched.
    #[inline]
    fn page(&self, number: u64) -> Option<&Page> {
        Some(self.page_cell(number)?.page())
    }

    #[inline]
    fn page_cell(&self, number: u64) -> Option<&Rc<PageCell>> {
        let (region, key) = locate(number)?;
        self.regions[region].get(key)
    }

    /// The content of an untouched page, by the objects in it; `None` if there are none.
    fn build_page(&self, number: u64) -> Option<Rc<PageCell>> {
        let first = number << PAGE_BITS;
        let last = first + (PAGE as u64 - 1);
        let mut page = None;
        for object in self.objects_between(first, last) {
            let plain_end = if object.initialized || !self.checks.uninitialized {
                self.proven_end(&object)
            } else {
                object.start
            };
            if object.start <= first && object.end() > last && !object.read_only {
                if plain_end > last {
                    return Some(self.untouched.zero.clone());
                } else if plain_end <= first {
                    return Some(self.untouched.unset.clone());
                }
            }
            let from = (object.start.max(first) - first) as usize;
            let to = (object.end().min(last + 1) - first) as usize;
            let middle = (plain_end.clamp(first, last + 1) - first) as usize;
            let middle = middle.clamp(from, to);
            let page = PageCell::make_unique(page.get_or_insert_with(Page::empty_shared));
            page.add(from, middle, true, object.read_only);
            page.add(middle, to, false, object.read_only);
        }
        page
    }

    /// The page with this number for looking at, built for the moment when it was never touched.
    fn view(&self, number: u64) -> Option<View<'_>> {
        match self.page(number) {
            Some(page) => Some(View::Present(page)),
            None => self.build_page(number).map(View::Built),
        }
    }

    /// The page with this number for loads; enters the TLB.
    fn page_for_read(&mut self, tlb: &mut Tlb, number: u64) -> Option<&Page> {
        let (region, key) = locate(number)?;
        if self.regions[region].get(key).is_none() {
            let page = self.build_page(number)?;
            *self.regions[region].slot(key) = Some(page);
        }
        let cell = self.regions[region].get(key)?;
        tlb.set_read(number, cell);
        Some(cell.page())
    }

    /// The page with this number for changes: made this state's own; enters the TLB.
    fn page_for_write<'a>(&'a mut self, tlb: &mut Tlb, number: u64) -> Option<&'a mut Page> {
        if let Some((page, _)) = tlb.write_page(number) {
            // SAFETY: a write entry's page is held by this memory alone, which is borrowed mutably.
            return Some(unsafe { &mut *page });
        }
        let (region, key) = locate(number)?;
        if self.regions[region].get(key).is_none() {
            let page = self.build_page(number)?;
            *self.regions[region].slot(key) = Some(page);
        }
        let slot = self.regions[region].slot(key).as_mut()?;
        if Rc::strong_count(slot) > 1 {
            tlb.pages_made += 1;
            room::need(slot.page().heap_bytes() as u64);
        }
        PageCell::make_unique(slot);
        tlb.set_write(number, slot);
        Some(PageCell::make_unique(slot))
    }

    /// As [`Memory::page_for_write`], for pages that were touched already: the others need no change.
    fn touched_page<'a>(&'a mut self, tlb: &mut Tlb, number: u64) -> Option<&'a mut Page> {
        if let Some((page, _)) = tlb.write_page(number) {
            // SAFETY: as in `page_for_write`.
            return Some(unsafe { &mut *page });
        }
        let (region, key) = locate(number)?;
        self.regions[region].get(key)?;
        self.page_for_write(tlb, number)
    }

    /// Applies `change(page, from, to)` to the touched pages of addr..end.
    fn for_touched(
        &mut self,
        tlb: &mut Tlb,
        addr: u64,
        end: u64,
        mut change: impl FnMut(&mut Page, usize, usize),
    ) {
        let mut at = addr;
        while at < end {
            let number = page_number(at);
            let offset = at as usize % PAGE;
            let to = PAGE.min(offset + (end - at) as usize);
            if let Some(page) = self.touched_page(tlb, number) {
                // The mask that stores test may move.
                tlb.forget(number, number);
                change(page, offset, to);
            }
            at += (to - offset) as u64;
        }
    }

    /// The bytes addr..end are not addressable any more; pages that lie inside are dropped.
    fn remove_bytes(&mut self, tlb: &mut Tlb, addr: u64, end: u64) {
        if addr == end {
            return;
        }
        self.clip_overlays(addr, end);
        let first_whole = addr.next_multiple_of(PAGE as u64);
        let end_whole = end - end % PAGE as u64;
        if first_whole >= end_whole {
            self.for_touched(tlb, addr, end, |page, from, to| page.remove(from, to));
            return;
        }
        self.for_touched(tlb, addr, first_whole, |page, from, to| {
            page.remove(from, to)
        });
        self.for_touched(tlb, end_whole, end, |page, from, to| page.remove(from, to));
        let (first, last) = (page_number(first_whole), page_number(end_whole) - 1);
        tlb.forget(first, last);
        if let Some((region, key)) = locate(first) {
            self.regions[region].remove_range(key, key + (last - first) + 1);
        }
    }

    /// Adds a global variable. `init` is the beginning of its content, zeros follow. Before the run.
    pub fn add_global(
        &mut self,
        tlb: &mut Tlb,
        addr: u64,
        size: u64,
        init: &[u8],
        read_only: bool,
        name: &str,
    ) {
        assert!(
            addr >= GLOBALS && addr + size <= HEAP && init.len() as u64 <= size,
            "global {name} is misplaced"
        );
        self.own(tlb);
        let globals = Rc::make_mut(&mut self.globals);
        let place = globals.partition_point(|global| global.start <= addr);
        globals.insert(
            place,
            Global {
                start: addr,
                size,
                read_only,
                name: name.into(),
            },
        );
        self.for_touched(tlb, addr, addr + size, |page, from, to| {
            page.add(from, to, true, read_only)
        });
        let mut done = 0;
        while done < init.len() {
            let at = addr + done as u64;
            let offset = at as usize % PAGE;
            let part = &init[done..init.len().min(done + PAGE - offset)];
            if part.iter().any(|&byte| byte != 0) {
                let page = self
                    .page_for_write(tlb, page_number(at))
                    .expect("an object lies in the page");
                page.bytes[offset..offset + part.len()].copy_from_slice(part);
            }
            done += part.len();
        }
    }

    /// The name of a global, by its object.
    pub fn global_name(&self, object: &Object) -> Option<&str> {
        if object.kind != ObjectKind::Global {
            return None;
        }
        self.globals
            .get(object.tag as usize)
            .map(|global| &*global.name)
    }

    /// The live objects that have a byte in lo..=hi, in address order.
    pub fn objects_between(&self, lo: u64, hi: u64) -> impl Iterator<Item = Object> {
        let within = |region: u64, end: u64| lo < end && hi >= region;
        let first = self
            .globals
            .partition_point(|global| global.start + global.size <= lo);
        let globals = self.globals[first..]
            .iter()
            .enumerate()
            .map(move |(at, global)| global.object(first + at))
            .take_while(move |global| global.start <= hi);
        let from = if within(HEAP_OBJECTS, MMAP) {
            self.heap.upper_bound(lo).saturating_sub(1)
        } else {
            self.heap.len()
        };
        let heap = self
            .heap
            .iter_from(from)
            .map(|object| object.object())
            .take_while(move |object| object.start <= hi)
            .filter(|object| object.live);
        let readable = self.mappings.iter().filter(|m| m.protection.is_readable());
        let mappings = readable.map(|mapping| mapping.object());
        let mut stack: Vec<Object> = Vec::new();
        if within(STACK, STACK_END) {
            stack.extend(
                self.stack
                    .newest_first_from(hi)
                    .take_while(|object| object.end() > lo),
            );
            stack.reverse();
        }
        globals
            .chain(self.brk_object())
            .chain(heap)
            .chain(mappings)
            .chain(stack)
            .filter(move |object| object.size > 0 && object.start <= hi && object.end() > lo)
    }

    fn brk_object(&self) -> Option<Object> {
        (self.brk > HEAP).then(|| {
            Mapping {
                start: HEAP,
                size: self.brk - HEAP,
                protection: Protection::Write,
            }
            .object()
        })
    }

    /// The object at `addr`, live or freed, or else the one of the same region that is meant most likely.
    pub fn object_at(&self, addr: u64) -> Option<Object> {
        // What misses an object goes past its end, by little or much; before its start it is by little.
        self.around(addr)
            .into_iter()
            .flatten()
            .min_by_key(|object| {
                let weight = if addr < object.start { BEFORE } else { 1 };
                object.distance(addr).saturating_mul(weight)
            })
    }

    /// The addresses from the first to the last that are, as `addr`, between the same two objects of a region, or in the same
    /// object or at its end. Every address is in one such range, and which ones there are depends on the objects alone.
    pub fn range_around(&self, addr: u64) -> (u64, u64) {
        let bases = [0, GLOBALS, HEAP, HEAP_OBJECTS, MMAP, STACK, STACK_END];
        let after = bases.partition_point(|&base| base <= addr);
        let mut first = bases[after - 1];
        let mut last = bases.get(after).map_or(u64::MAX, |base| base - 1);
        let [below, above] = self.around(addr);
        if let Some(o) = above {
            last = last.min(o.start - 1);
        }
        match below {
            Some(o) if addr <= o.end() => (first, last) = (o.start, last.min(o.end())),
            Some(o) => first = first.max(o.end() + 1),
            None => {}
        }
        (first, last)
    }

    /// The last object, live or freed, that begins at or before `addr`, and the first one behind it, both of
    /// the region of `addr`.
    pub fn around(&self, addr: u64) -> [Option<Object>; 2] {
        let bases = [GLOBALS, HEAP, HEAP_OBJECTS, MMAP, STACK];
        let region = match bases.iter().rposition(|&base| addr >= base) {
            Some(region) if addr < STACK_END => region,
            _ => return [None, None],
        };
        let mut candidates: [Option<Object>; 2] = [None, None];
        match region {
            0 => {
                let place = self.globals.partition_point(|global| global.start <= addr);
                let at = |index: usize| self.globals.get(index).map(|global| global.object(index));
                candidates = [place.checked_sub(1).and_then(at), at(place)];
            }
            1 => candidates[0] = self.brk_object(),
            2 => {
                let place = self.heap.upper_bound(addr);
                let at =
                    |index: u64| (index < self.heap.len()).then(|| self.heap.get(index).object());
                candidates = [place.checked_sub(1).and_then(at), at(place)];
            }
            3 => {
                let place = self
                    .mappings
                    .partition_point(|mapping| mapping.start <= addr);
                let at = |index: usize| self.mappings.get(index).map(|mapping| mapping.object());
                candidates = [place.checked_sub(1).and_then(at), at(place)];
            }
            _ => candidates = self.stack.around(addr),
        }
        candidates
    }

    /// The live heap objects, for the leak check.
    pub fn live_heap(&self) -> impl Iterator<Item = Object> {
        self.heap
            .iter_from(0)
            .filter(|object| !object.freed)
            .map(|object| object.object())
    }

    /// The bytes of live heap objects.
    pub fn live_heap_bytes(&self) -> u64 {
        self.heap_live
    }
}

/// A page to look at.
enum View<'a> {
    Present(&'a Page),
    Built(Rc<PageCell>),
}

impl std::ops::Deref for View<'_> {
    type Target = Page;

    fn deref(&self) -> &Page {
        match self {
            View::Present(page) => page,
            View::Built(cell) => cell.page(),
        }
    }
}
