//! Allocation: the malloc family and stack objects.
//!
//! Bump pointers: addresses depend on the path's own history alone, and freed heap addresses are
//! never used again, so that every later use of them is found (a quarantine without end; the
//! bytes' pages are given back at once).

use crate::object::HeapObject;
use crate::page::{PAGE, Page};
use crate::tlb::page_number;
use crate::{
    FreeFault, FreeFaultKind, Mark, Memory, Object, STACK_START, StackOverflow, Tlb, locate,
};
use ir::layout::{MMAP, STACK_END, STACK_MOST, gap, local_gap};
use term::Pool;

/// The next multiple of a power of two.
#[inline]
fn align_up(addr: u64, align: u64) -> Option<u64> {
    debug_assert!(align.is_power_of_two());
    Some(addr.checked_add(align - 1)? & !(align - 1))
}

/// The start of an object: aligned, and in one page if it fits there.
#[inline]
fn place(from: u64, size: u64, align: u64) -> Option<u64> {
    let start = align_up(from, align)?;
    let page = PAGE as u64;
    if size <= page && start % page + size > page {
        return align_up(start, align.max(page));
    }
    Some(start)
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
        let start = place(self.heap_next, size, align.max(natural))?;
        let end = start + size;
        let next = end.next_multiple_of(16) + gap(size, self.heap_count);
        if next >= MMAP {
            return None;
        }
        self.heap.push(HeapObject {
            start,
            size,
            site,
            family: 0,
            freed: false,
            initialized: zeroed,
        });
        self.heap_next = next;
        self.heap_live += size;
        self.heap_count += 1;
        let initialized = zeroed || !self.checks.uninitialized;
        // Only the first page can have been touched before: by the objects in front.
        let number = page_number(start);
        if size > 0
            && let Some(page) = self.touched_page(tlb, number)
        {
            let from = start as usize % PAGE;
            page.add(from, PAGE.min(from + size as usize), initialized, false);
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
        self.heap_count -= 1;
        self.retire_bound(start);
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

    /// The family that [`Memory::set_family`] recorded for the live heap object at `addr`; else 0.
    pub fn family(&self, addr: u64) -> Option<u8> {
        let place = self.heap_start(addr).ok()?;
        Some(self.heap.get(place).family)
    }

    /// Notes of the live heap object that begins at `addr`, if there is one, by which functions it was allocated. What
    /// the number means is the caller's.
    pub fn set_family(&mut self, addr: u64, family: u8) {
        if let Ok(place) = self.heap_start(addr) {
            self.heap.get_mut(place).family = family;
        }
    }

    /// The current end of the stack, to return to.
    #[inline]
    pub fn stack_mark(&self) -> Mark {
        self.stack.mark()
    }

    /// The mark at an address that [`Mark::address`] gave, if the stack still reaches there.
    pub fn stack_mark_at(&self, address: u64) -> Option<Mark> {
        let reaches = (STACK_START..=self.stack.top).contains(&address);
        reaches.then_some(Mark { top: address })
    }

    /// Bytes of the live stack objects that have names: what the program's variables take of the stack's size. An object
    /// of symbolic size counts as the largest that it may be.
    #[inline]
    pub fn stack_used(&self) -> u64 {
        self.stack.used()
    }

    /// A new stack object. `name` is for messages; one of `u32::MAX` is not the program's.
    pub fn stack_alloc(
        &mut self,
        tlb: &mut Tlb,
        size: u64,
        align: u64,
        name: u32,
    ) -> Result<u64, StackOverflow> {
        self.own(tlb);
        let overflow = StackOverflow { size };
        if size > STACK_MOST.saturating_sub(self.stack.used()) {
            return Err(overflow);
        }
        let start = place(self.stack.top, size, align.max(16)).ok_or(overflow)?;
        let end = start + size;
        let top = end.next_multiple_of(16) + local_gap(size, self.stack.len());
        if top > STACK_END {
            return Err(overflow);
        }
        self.stack.push(start, size, name);
        self.stack.top = top;
        self.stack.high = self.stack.high.max(top);
        let initialized = !self.checks.uninitialized;
        let mut at = start;
        while at < end {
            let from = at as usize % PAGE;
            let to = PAGE.min(from + (end - at) as usize);
            if let Some(page) = self.touched_page(tlb, page_number(at)) {
                page.add(from, to, initialized, false);
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
        self.clip_overlays(mark.top, self.stack.top);
        self.drop_bounds(mark.top, self.stack.top);
        while let Some((start, size)) = self.stack.pop_above(mark) {
            let end = start + size;
            // Pages are kept for the next frame unless the object is a large one.
            if size > 8 * PAGE as u64 {
                self.remove_bytes(tlb, start, end);
                continue;
            }
            let mut at = start;
            while at < end {
                let from = at as usize % PAGE;
                let to = PAGE.min(from + (end - at) as usize);
                if let Some(page) = self.touched_page(tlb, page_number(at)) {
                    page.remove(from, to);
                }
                at += (to - from) as u64;
            }
        }
        self.stack.top = mark.top;
    }

    /// Bytes of a live stack object cannot be accessed until [`Memory::reveal`]: the scope of a variable ends.
    pub fn hide(&mut self, tlb: &mut Tlb, addr: u64, len: u64) {
        self.own(tlb);
        self.clip_overlays(addr, addr + len);
        self.for_stack_pages(tlb, addr, len, |page, from, to| page.remove(from, to));
    }

    /// Makes hidden bytes of a live stack object accessible again. As in machine code they have their old content, as
    /// far as that was concrete.
    pub fn reveal(&mut self, tlb: &mut Tlb, addr: u64, len: u64) {
        self.own(tlb);
        let initialized = !self.checks.uninitialized;
        self.for_stack_pages(tlb, addr, len, |page, from, to| {
            page.restore(from, to, initialized)
        });
    }

    /// Applies `change(page, from, to)` to all pages of a stack object, touched or not.
    fn for_stack_pages(
        &mut self,
        tlb: &mut Tlb,
        addr: u64,
        len: u64,
        mut change: impl FnMut(&mut Page, usize, usize),
    ) {
        let (mut at, end) = (addr, addr + len);
        while at < end {
            let from = at as usize % PAGE;
            let to = PAGE.min(from + (end - at) as usize);
            if let Some(page) = self.page_for_write(tlb, page_number(at)) {
                change(page, from, to);
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
