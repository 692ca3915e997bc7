//! Mappings: what the model of `mmap`, `munmap`, `mprotect` and `brk` needs.

use crate::object::Mapping;
use crate::{BRK_SPACE, Memory, Tlb};
use ir::layout::{HEAP, STACK, gap};
use std::rc::Rc;

/// The page size that the program sees.
pub(crate) const SYSTEM_PAGE: u64 = 4096;

impl Memory {
    /// Maps `len` bytes of zeros (rounded up to 4096) at a new address; `None` when a limit says no.
    pub fn map_anonymous(&mut self, len: u64) -> Option<u64> {
        let len = len.checked_next_multiple_of(SYSTEM_PAGE)?;
        let step = len.checked_add(gap(len, 0))?;
        if len == 0 || len > self.checks.max_heap || step > STACK - self.map_next {
            return None;
        }
        let start = self.map_next;
        self.map_next += step;
        Rc::make_mut(&mut self.mappings).push(Mapping {
            start,
            size: len,
            read_only: false,
        });
        Some(start)
    }

    /// Splits mappings so that `addr` is not inside one.
    fn split_mapping(&mut self, addr: u64) {
        let inside =
            |mapping: &Mapping| mapping.start < addr && addr < mapping.start + mapping.size;
        if let Some(place) = self.mappings.iter().position(inside) {
            let mappings = Rc::make_mut(&mut self.mappings);
            let whole = mappings[place];
            mappings[place].size = addr - whole.start;
            let rest = Mapping {
                start: addr,
                size: whole.start + whole.size - addr,
                ..whole
            };
            mappings.insert(place + 1, rest);
        }
    }

    /// Unmaps the mapped parts of addr..addr+len.
    pub fn unmap(&mut self, tlb: &mut Tlb, addr: u64, len: u64) {
        self.own(tlb);
        let end = addr.saturating_add(len.next_multiple_of(SYSTEM_PAGE));
        self.split_mapping(addr);
        self.split_mapping(end);
        let gone: Vec<Mapping> = self
            .mappings
            .iter()
            .filter(|mapping| mapping.start >= addr && mapping.start < end)
            .copied()
            .collect();
        Rc::make_mut(&mut self.mappings)
            .retain(|mapping| mapping.start < addr || mapping.start >= end);
        for mapping in gone {
            self.remove_bytes(tlb, mapping.start, mapping.start + mapping.size);
        }
    }

    /// Makes the mapped parts of addr..addr+len read-only or writable. `false`: not all mapped.
    pub fn protect(&mut self, tlb: &mut Tlb, addr: u64, len: u64, read_only: bool) -> bool {
        self.own(tlb);
        let end = addr.saturating_add(len.next_multiple_of(SYSTEM_PAGE));
        self.split_mapping(addr);
        self.split_mapping(end);
        let mut covered = 0;
        let mut ranges = Vec::new();
        for mapping in Rc::make_mut(&mut self.mappings) {
            if mapping.start >= addr && mapping.start < end {
                mapping.read_only = read_only;
                covered += mapping.size;
                ranges.push((mapping.start, mapping.start + mapping.size));
            }
        }
        for (start, end) in ranges {
            self.for_touched(tlb, start, end, |page, from, to| {
                page.protect(from, to, read_only)
            });
        }
        covered == end - addr
    }

    /// The end of the data segment.
    pub fn brk(&self) -> u64 {
        self.brk
    }

    /// Moves the end of the data segment; returns where it is then (unchanged when refused).
    pub fn set_brk(&mut self, tlb: &mut Tlb, end: u64) -> u64 {
        self.own(tlb);
        if end < HEAP || end - HEAP > BRK_SPACE - SYSTEM_PAGE || end - HEAP > self.checks.max_heap {
            return self.brk;
        }
        let old = std::mem::replace(&mut self.brk, end);
        if end > old {
            self.for_touched(tlb, old, end, |page, from, to| {
                page.add(from, to, true, false)
            });
        } else {
            self.remove_bytes(tlb, end, old);
        }
        self.brk
    }
}
