//! Allocation: the malloc family and stack objects.
//!
//! Bump pointers: addresses depend on the path's own history alone, and freed heap addresses are
//! never used again, so that every later use of them is found (a quarantine without end; the
//! bytes' pages are given back at once).

use crate::object::HeapObject;
use crate::page::PAGE;
use crate::tlb::page_number;
use crate::{FreeFault, FreeFaultKind, Mark, Memory, Object, StackOverflow, Tlb, locate};
use ir::layout::{MMAP, STACK_END};
use term::Pool;

/// The next multiple of a power of two.
#[inline]
fn align_up(addr: u64, align: u64) -> Option<u64> {
    debug_assert!(align.is_power_of_two());
    Some(addr.checked_add(align - 1)? & !(align - 1))
}

/// Unaddressable bytes behind an object: enough that an off-by-one element of a larger type or a
/// small overrun meets them, more for larger objects.
#[inline]
fn red_zone(size: u64) -> u64 {
    if size <= 128 {
        16
    } else {
        (size / 8).clamp(32, 1024)
    }
}

impl Memory {
    /// Allocates `size` bytes; `None` when a limit says no. `site` is for messages.
    pub fn malloc(
        &mut self,
        tlb: &mut Tlb,
        size: u64,
        align: u64,
        zeroed: bool,
        site: u32,
    ) -> Option<u64> {
        self.own(tlb);
        if size > self.checks.max_object || self.heap_live + size > self.checks.max_heap {
            return None;
        }
        // Large objects begin at a page, so that copies among them share pages.
        let natural = if size >= 4 * PAGE as u64 {
            PAGE as u64
        } else {
            16
        };
        let start = align_up(self.heap_next, align.max(natural))?;
        let end = start + size;
        let next = (end + red_zone(size)).next_multiple_of(16);
        if next >= MMAP {
            return None;
        }
        self.heap.push(HeapObject {
            start,
            size,
            site,
            freed: false,
            initialised: zeroed,
        });
        self.heap_next = next;
        self.heap_live += size;
        let initialised = zeroed || !self.checks.uninitialized;
        // Only the first page can have been touched before: by the objects in front.
        let number = page_number(start);
        if size > 0
            && let Some(page) = self.touched_page(tlb, number)
        {
            let from = start as usize % PAGE;
            page.add(from, PAGE.min(from + size as usize), initialised, false);
        }
        Some(start)
    }

    /// The heap object that begins at `addr`: its place in the table.
    fn heap_start(&self, addr: u64) -> Result<u64, FreeFault> {
        let fault = |kind, object| FreeFault {
            kind,
            address: addr,
            object,
        };
        let near = || self.object_at(addr);
        let Some(place) = self.heap.upper_bound(addr).checked_sub(1) else {
            return Err(fault(FreeFaultKind::NotHeap, near()));
        };
        let object = self.heap.get(place).object();
        if object.start != addr {
            return Err(if object.contains(addr) {
                fault(FreeFaultKind::NotStart, Some(object))
            } else {
                fault(FreeFaultKind::NotHeap, near())
            });
        }
        if !object.live {
            return Err(fault(FreeFaultKind::AlreadyFreed, Some(object)));
        }
        Ok(place)
    }

    /// Frees the heap object at `addr`. Null is the caller's to ignore.
    pub fn free(&mut self, tlb: &mut Tlb, addr: u64) -> Result<(), FreeFault> {
        self.own(tlb);
        let place = self.heap_start(addr)?;
        let object = self.heap.get_mut(place);
        object.freed = true;
        let (start, size) = (object.start, object.size);
        self.heap_live -= size;
        self.remove_bytes(tlb, start, start + size);
        for addr in [start, start + size] {
            self.drop_unused_page(tlb, page_number(addr));
        }
        Ok(())
    }

    /// Drops a heap page without an addressable byte, unless the next object may lie in it.
    fn drop_unused_page(&mut self, tlb: &mut Tlb, number: u64) {
        if number < page_number(self.heap_next)
            && let Some((region, key)) = locate(number)
            && self.regions[region]
                .get(key)
                .is_some_and(|cell| cell.page().is_unused())
        {
            self.regions[region].remove_range(key, key + 1);
            tlb.forget(number, number);
        }
    }

    /// Moves the heap object at `addr` to a new one of `size` bytes, always at a new address, so
    /// that stale pointers are found. `None`: no room, the old object stays.
    pub fn realloc(
        &mut self,
        pool: &mut Pool,
        tlb: &mut Tlb,
        addr: u64,
        size: u64,
        site: u32,
    ) -> Result<Option<u64>, FreeFault> {
        let old = self.heap.get(self.heap_start(addr)?).size;
        let Some(new) = self.malloc(tlb, size, 16, false, site) else {
            return Ok(None);
        };
        self.copy(pool, tlb, new, addr, old.min(size))
            .expect("both objects are live");
        self.free(tlb, addr)?;
        Ok(Some(new))
    }

    /// The size of the live heap object that begins at `addr`.
    pub fn usable_size(&self, addr: u64) -> Option<u64> {
        self.heap_start(addr)
            .ok()
            .map(|place| self.heap.get(place).size)
    }

    /// Where the stack stands, to return to.
    #[inline]
    pub fn stack_mark(&self) -> Mark {
        self.stack.mark()
    }

    /// A new stack object. `name` is for messages.
    pub fn stack_alloc(
        &mut self,
        tlb: &mut Tlb,
        size: u64,
        align: u64,
        name: u32,
    ) -> Result<u64, StackOverflow> {
        self.own(tlb);
        let overflow = StackOverflow { size };
        let start = align_up(self.stack.top, align.max(16)).ok_or(overflow)?;
        let end = start
            .checked_add(size)
            .filter(|&end| end <= STACK_END)
            .ok_or(overflow)?;
        let top = (end + red_zone(size)).next_multiple_of(16);
        if top > STACK_END {
            return Err(overflow);
        }
        self.stack.push(start, size, name);
        self.stack.top = top;
        self.stack.high = self.stack.high.max(top);
        let initialised = !self.checks.uninitialized;
        let mut at = start;
        while at < end {
            let from = at as usize % PAGE;
            let to = PAGE.min(from + (end - at) as usize);
            if let Some(page) = self.touched_page(tlb, page_number(at)) {
                page.add(from, to, initialised, false);
            }
            at += (to - from) as u64;
        }
        Ok(start)
    }

    /// Drops the stack objects made since `mark`.
    #[inline]
    pub fn stack_release(&mut self, tlb: &mut Tlb, mark: Mark) {
        // Every object moves the top: no object, nothing to do.
        if self.stack.top != mark.top {
            self.release(tlb, mark);
        }
    }

    fn release(&mut self, tlb: &mut Tlb, mark: Mark) {
        self.own(tlb);
        let top = self.stack.top;
        self.stack.pop_to(mark);
        // Pages are kept for the next frame unless it was a large one.
        if top - mark.top > 8 * PAGE as u64 {
            self.remove_bytes(tlb, mark.top, top);
            return;
        }
        self.clip_overlays(mark.top, top);
        let mut at = mark.top;
        while at < top {
            let from = at as usize % PAGE;
            let to = PAGE.min(from + (top - at) as usize);
            if let Some(page) = self.touched_page(tlb, page_number(at)) {
                page.remove(from, to);
            }
            at += (to - from) as u64;
        }
    }

    /// The stack objects made since `mark` and still live, newest first.
    pub fn stack_objects_since(&self, mark: Mark) -> impl Iterator<Item = Object> {
        self.stack
            .newest_first()
            .take_while(move |object| object.start >= mark.top)
    }
}
