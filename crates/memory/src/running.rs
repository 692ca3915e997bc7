//! The fast way to the memory of the state that runs: concrete bytes through the TLB.
//!
//! # Why following the TLB's raw pointers is sound
//!
//! 1. *The TLB is this memory's.* Ids of memories are never used twice, and at most one TLB is the owner of an id:
//!    when a memory meets a TLB that is not its own, both get a new id and the TLB is emptied (`Memory::own`). A fork
//!    gives the forked memory a new id, too, and the TLB only if it came along. [`Running`] borrows both mutably, so
//!    nothing changes that while it lives, and no state can be forked, collected or dropped below it.
//! 2. *An entry's page is alive.* Entries are made from pages that the memory holds. Whatever replaces or removes a page
//!    of a memory has its TLB at hand and forgets the number, with nothing in between that can unwind.
//! 3. *A page with a write entry is held by this memory alone*: it is made unique before the entry is made, and what
//!    shares a page afterwards (a fork, a copy of a whole page, the cache of arrays) forgets the entry. So no other
//!    memory has a reference into it, and this one is borrowed by the guard.
//! 4. *The bytes are inside the page.* A mask has no bit beyond the end of its page, so that an access which runs past it
//!    is refused by the test of its bits. A write entry's mask lives as long as the page, or as its read-only bytes:
//!    whatever gives or takes these forgets the entry first (`Memory::for_touched`).
//!
//! Debug builds check 1 to 3 at each access.

use crate::mask::Mask;
use crate::page::{PAGE, Page};
use crate::tlb::page_number;
use crate::{Mark, Memory, Tlb};

/// A memory while its state runs, with the TLB that knows its pages. Made by [`Memory::enter`].
pub struct Running<'a> {
    memory: &'a mut Memory,
    tlb: &'a mut Tlb,
}

impl Memory {
    /// This memory's state runs from here on: the fast way to its bytes.
    #[inline(always)]
    pub fn enter<'a>(&'a mut self, tlb: &'a mut Tlb) -> Running<'a> {
        self.own(tlb);
        Running { memory: self, tlb }
    }
}

impl Running<'_> {
    /// A load of 1, 2, 4 or 8 bytes that are all concrete and in one page that the TLB knows. Best when the size is a
    /// constant after inlining. `None`: call [`Memory::load`].
    #[inline(always)]
    pub fn load(&self, addr: u64, bytes: u32) -> Option<u64> {
        let page = self.tlb.read_page(page_number(addr))?;
        let offset = addr as usize % PAGE;
        #[cfg(debug_assertions)]
        self.check_entry(addr, page, false);
        // SAFETY: the page is alive, and the bytes are inside; see the module.
        unsafe {
            if !Mask::test_raw(Page::plain_of(page), offset, bytes) {
                return None;
            }
            let at = page.cast::<u8>().cast_const().add(offset);
            Some(match bytes {
                1 => u64::from(at.read()),
                2 => u64::from(at.cast::<u16>().read_unaligned()),
                4 => u64::from(at.cast::<u32>().read_unaligned()),
                8 => at.cast::<u64>().read_unaligned(),
                _ => return None,
            })
        }
    }

    /// A store of 1, 2, 4 or 8 concrete bytes over concrete ones in one page that the TLB knows as
    /// writable. `false`: call [`Memory::store`].
    #[inline(always)]
    pub fn store(&mut self, addr: u64, bytes: u32, value: u64) -> bool {
        let Some((page, mask)) = self.tlb.write_page(page_number(addr)) else {
            return false;
        };
        let offset = addr as usize % PAGE;
        #[cfg(debug_assertions)]
        self.check_entry(addr, page, true);
        // SAFETY: the page is alive and this memory's alone, its mask is alive, and the bytes are inside; see the module.
        unsafe {
            if !Mask::test_raw(mask, offset, bytes) {
                return false;
            }
            let at = page.cast::<u8>().add(offset);
            match bytes {
                1 => at.write(value as u8),
                2 => at.cast::<u16>().write_unaligned(value as u16),
                4 => at.cast::<u32>().write_unaligned(value as u32),
                8 => at.cast::<u64>().write_unaligned(value),
                _ => return false,
            }
        }
        true
    }

    /// As [`Memory::stack_used`].
    #[inline]
    pub fn stack_used(&self) -> u64 {
        self.memory.stack_used()
    }

    /// As [`Memory::stack_mark`].
    #[inline(always)]
    pub fn stack_mark(&self) -> Mark {
        self.memory.stack_mark()
    }

    /// As [`Memory::stack_release`].
    #[inline(always)]
    pub fn stack_release(&mut self, mark: Mark) {
        self.memory.stack_release(self.tlb, mark);
    }

    /// Does the TLB tell the truth about the page of `addr`?
    #[cfg(debug_assertions)]
    fn check_entry(&self, addr: u64, page: *mut Page, write: bool) {
        assert!(
            self.tlb.owner == self.memory.id.get(),
            "the TLB of another memory"
        );
        let number = page_number(addr);
        let cell = self.memory.page_cell(number);
        let cell = cell.expect("the TLB knows touched pages only");
        assert!(cell.raw() == page, "stale TLB entry");
        assert!(
            !write || std::rc::Rc::strong_count(cell) == 1,
            "write entry of a shared page"
        );
    }
}
