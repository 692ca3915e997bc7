//! Mappings, for the model of `mmap`, `munmap`, `mprotect` and `brk`.

use crate::object::{Mapping, Protection};
use crate::{BRK_SPACE, Memory, Object, ObjectKind, Tlb};
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
            protection: Protection::Write,
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

    /// Are all bytes of addr..addr+len mapped?
    pub fn is_mapped(&self, addr: u64, len: u64) -> bool {
        let end = addr.saturating_add(len);
        let inside = self.mappings.iter().map(|mapping| {
            let (from, to) = (
                mapping.start.max(addr),
                (mapping.start + mapping.size).min(end),
            );
            to.saturating_sub(from)
        });
        inside.sum::<u64>() == end - addr
    }

    /// Puts fresh zeros in the place of mapped bytes, as `MAP_FIXED` over a mapping does.
    pub fn map_again(&mut self, tlb: &mut Tlb, addr: u64, len: u64) {
        self.unmap(tlb, addr, len);
        let mapping = Mapping {
            start: addr,
            size: len.next_multiple_of(SYSTEM_PAGE),
            protection: Protection::Write,
        };
        let place = self.mappings.partition_point(|m| m.start < addr);
        Rc::make_mut(&mut self.mappings).insert(place, mapping);
    }

    /// The mapping of which an object is a part: parts follow each other, each an object with a protection of its own. Any
    /// other object is whole.
    pub fn whole(&self, object: &Object) -> Object {
        let mut whole = *object;
        if object.kind == ObjectKind::Mapping {
            let place = self.mappings.partition_point(|m| m.start < object.start);
            let (before, from) = self.mappings.split_at(place);
            for part in before.iter().rev() {
                if part.start + part.size != whole.start {
                    break;
                }
                whole.start = part.start;
                whole.size += part.size;
            }
            for part in from.iter().skip_while(|m| m.start <= object.start) {
                if part.start != whole.end() {
                    break;
                }
                whole.size += part.size;
            }
        }
        whole
    }

    /// The accesses that the program may make to a mapped byte.
    pub fn protection(&self, addr: u64) -> Option<Protection> {
        let place = self.mappings.partition_point(|m| m.start <= addr);
        let last = place.checked_sub(1).map(|i| &self.mappings[i])?;
        (addr < last.start + last.size).then_some(last.protection)
    }

    /// Does a [whole](Memory::whole) mapping have more than one part?
    pub fn is_divided(&self, whole: &Object) -> bool {
        if whole.kind != ObjectKind::Mapping {
            return false;
        }
        let place = self.mappings.partition_point(|m| m.start < whole.start);
        let first = self.mappings.get(place).filter(|m| m.start == whole.start);
        first.is_some_and(|m| m.size < whole.size)
    }

    /// Changes what may be done with the mapped parts of addr..addr+len. `false`: not all is mapped.
    ///
    /// What was hidden comes back with the concrete bytes that it had; [`Memory::is_concrete`] tells whether there are
    /// others.
    pub fn protect(&mut self, tlb: &mut Tlb, addr: u64, len: u64, to: Protection) -> bool {
        self.own(tlb);
        let end = addr.saturating_add(len.next_multiple_of(SYSTEM_PAGE));
        self.split_mapping(addr);
        self.split_mapping(end);
        // A window of a part does not reach into another one.
        self.split_overlay(addr);
        self.split_overlay(end);
        let mut covered = 0;
        let mut changed = Vec::new();
        for mapping in Rc::make_mut(&mut self.mappings) {
            if mapping.start >= addr && mapping.start < end {
                covered += mapping.size;
                if mapping.protection != Protection::Beyond {
                    let before = std::mem::replace(&mut mapping.protection, to);
                    changed.push((mapping.start, mapping.start + mapping.size, before));
                }
            }
        }
        for (start, end, before) in changed {
            self.for_touched(tlb, start, end, |page, from, up_to| {
                if to.is_readable() && !before.is_readable() {
                    page.restore(from, up_to, true);
                }
                if to.is_readable() {
                    page.protect(from, up_to, to == Protection::Read);
                } else {
                    page.remove(from, up_to);
                }
            });
        }
        covered == end - addr
    }

    /// Do all mapped bytes of addr..addr+len have values that depend on no input?
    pub fn is_concrete(&self, addr: u64, len: u64) -> bool {
        let end = addr.saturating_add(len.next_multiple_of(SYSTEM_PAGE));
        let readable = self.mappings.iter().filter(|m| m.protection.is_readable());
        readable
            .map(|m| (m.start.max(addr), (m.start + m.size).min(end)))
            .filter(|(from, to)| from < to)
            .all(|(from, to)| self.read_concrete(from, to - from).is_some())
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
