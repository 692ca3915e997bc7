//! Loads and stores of up to eight bytes, the slow way: it handles symbolic bytes, page crossings and all faults. The
//! fast way is `running`.

use crate::object::ObjectKind;
use crate::page::{ByteState, PAGE, Page};
use crate::tlb::page_number;
use crate::{Fault, FaultKind, Memory, Tlb, Value, Value8};
use ir::layout::{NULL_END, STACK};
use term::{Pool, Term};

/// How far from an object a wild pointer may be for the object to be named.
const NEAR: u64 = 1 << 16;

impl Memory {
    /// Loads 1..=8 bytes, little-endian.
    pub fn load(
        &mut self,
        pool: &mut Pool,
        tlb: &mut Tlb,
        addr: u64,
        bytes: u32,
    ) -> Result<Value, Fault> {
        debug_assert!((1..=8).contains(&bytes));
        self.own(tlb);
        let offset = addr as usize % PAGE;
        let fits = offset + bytes as usize <= PAGE;
        if let Some(page) = self.page_for_read(tlb, page_number(addr))
            && fits
        {
            if page.plain().all_short(offset, bytes) {
                return Ok(Value::concrete(little_endian(
                    &page.bytes[offset..offset + bytes as usize],
                )));
            }
            if let Some(term) = whole_term(pool, page, offset, bytes) {
                return Ok(Value::symbolic(term));
            }
        }
        let mut cells = [Value8::concrete(0); 8];
        let cells = &mut cells[..bytes as usize];
        for (at, cell) in cells.iter_mut().enumerate() {
            let here = addr.wrapping_add(at as u64);
            *cell = match self.page_for_read(tlb, page_number(here)) {
                None => return Err(self.fault(addr, bytes as u64, false)),
                Some(page) => match page.state(here as usize % PAGE) {
                    ByteState::Concrete(bits) => Value8::concrete(bits),
                    ByteState::Symbolic(term, index) => Value8 {
                        term,
                        index,
                        bits: 0,
                    },
                    ByteState::Unset => match self.overlay_byte(pool, here) {
                        Some(byte) => byte,
                        None => return Err(self.fault(addr, bytes as u64, false)),
                    },
                    ByteState::Unaddressable => return Err(self.fault(addr, bytes as u64, false)),
                },
            };
        }
        Ok(assemble(pool, cells))
    }

    /// Stores 1..=8 bytes, little-endian. The term's width is that of the access.
    pub fn store(
        &mut self,
        pool: &mut Pool,
        tlb: &mut Tlb,
        addr: u64,
        bytes: u32,
        value: Value,
    ) -> Result<(), Fault> {
        debug_assert!((1..=8).contains(&bytes));
        self.own(tlb);
        let value = match value.term {
            Term::NONE => value,
            term => match pool.as_const(term) {
                Some(bits) => Value::concrete(bits),
                None => {
                    debug_assert_eq!(pool.width(term), bytes * 8);
                    value
                }
            },
        };
        let offset = addr as usize % PAGE;
        let end = offset + bytes as usize;
        if end <= PAGE {
            if let Some(page) = self.page_for_write(tlb, page_number(addr))
                && page.addressable(offset, end)
                && !page.has_read_only(offset, end)
            {
                put(page, offset, end, value, 0);
                return Ok(());
            }
            return Err(self.fault(addr, bytes as u64, true));
        }
        self.check_access(addr, bytes as u64, true)?;
        let here = (PAGE - offset) as u8;
        let next = page_number(addr) + 1;
        put(
            self.checked_page(tlb, page_number(addr)),
            offset,
            PAGE,
            value,
            0,
        );
        put(self.checked_page(tlb, next), 0, end - PAGE, value, here);
        Ok(())
    }

    /// The page of an access that was checked to be addressable.
    pub(crate) fn checked_page<'a>(&'a mut self, tlb: &mut Tlb, number: u64) -> &'a mut Page {
        self.page_for_write(tlb, number)
            .expect("the access was checked")
    }

    /// May `len` bytes at `addr` be accessed? For loads uninitialized bytes count as accessible.
    pub fn check_access(&self, addr: u64, len: u64, write: bool) -> Result<(), Fault> {
        let mut done = 0;
        while done < len {
            let Some(at) = addr.checked_add(done) else {
                return Err(self.fault(addr, len, write));
            };
            let offset = at as usize % PAGE;
            let part = (len - done).min((PAGE - offset) as u64);
            let to = offset + part as usize;
            match self.view(page_number(at)) {
                Some(page)
                    if page.addressable(offset, to)
                        && !(write && page.has_read_only(offset, to)) => {}
                _ => return Err(self.fault(addr, len, write)),
            }
            done += part;
        }
        Ok(())
    }

    /// The fault of an access that was found to be bad.
    #[cold]
    pub(crate) fn fault(&self, address: u64, size: u64, write: bool) -> Fault {
        let fault = |kind, object| Fault {
            kind,
            address,
            size,
            write,
            object,
        };
        if address < NULL_END {
            return fault(FaultKind::Null, None);
        }
        let mut bad = address;
        let mut page = None;
        let mut done = 0;
        while done < size {
            bad = address.wrapping_add(done);
            let offset = bad as usize % PAGE;
            let is_new = done == 0 || offset == 0;
            if is_new {
                page = self.view(page_number(bad));
            }
            let Some(page) = &page else { break };
            if is_new {
                let part = (size - done).min((PAGE - offset) as u64);
                let to = offset + part as usize;
                let is_good = if write {
                    page.addressable(offset, to) && !page.has_read_only(offset, to)
                } else {
                    page.plain().all(offset, to)
                };
                if is_good {
                    done += part;
                    continue;
                }
            }
            match page.state(offset) {
                ByteState::Unaddressable => break,
                _ if write && page.has_read_only(offset, offset + 1) => {
                    return fault(FaultKind::ReadOnly, self.object_at(bad));
                }
                ByteState::Unset if !write && !self.in_overlay(bad) => {
                    let object = self.object_at(bad);
                    let exists = object.is_none_or(|o| bad < self.proven_end(&o));
                    let kind = if exists {
                        FaultKind::Uninitialized
                    } else {
                        FaultKind::OutOfBounds
                    };
                    return fault(kind, object);
                }
                _ => done += 1,
            }
        }
        let object = self
            .object_at(bad)
            .filter(|object| object.distance(bad) < object.size.max(NEAR));
        match object {
            Some(object) if !object.live => fault(FaultKind::UseAfterFree, Some(object)),
            Some(object) if object.kind == ObjectKind::Stack && object.contains(bad) => {
                fault(FaultKind::UseAfterScope, Some(object))
            }
            Some(object) if object.kind == ObjectKind::Mapping && object.contains(bad) => {
                fault(FaultKind::NoAccess, Some(object))
            }
            _ if bad >= STACK && bad >= self.stack.top && bad < self.stack.high => {
                fault(FaultKind::UseAfterReturn, None)
            }
            Some(object) => fault(FaultKind::OutOfBounds, Some(object)),
            None => fault(FaultKind::Unmapped, None),
        }
    }

    /// Makes the bytes from `addr` on symbolic, one 8-bit term each (NONE leaves a byte as it is).
    pub fn make_symbolic(&mut self, tlb: &mut Tlb, addr: u64, terms: &[Term]) -> Result<(), Fault> {
        self.own(tlb);
        self.check_access(addr, terms.len() as u64, true)?;
        for (at, &term) in terms.iter().enumerate() {
            let here = addr + at as u64;
            if term.is_some() {
                let offset = here as usize % PAGE;
                self.checked_page(tlb, page_number(here))
                    .write_term(offset, offset + 1, term, 0);
            }
        }
        Ok(())
    }
}

/// Writes the bytes `index..` of `value` to from..to.
#[inline]
fn put(page: &mut Page, from: usize, to: usize, value: Value, index: u8) {
    if value.term.is_none() {
        let data = (value.bits >> (8 * index as u32)).to_le_bytes();
        page.write(from, &data[..to - from]);
    } else {
        page.write_term(from, to, value.term, index);
    }
}

pub(crate) fn little_endian(bytes: &[u8]) -> u64 {
    let mut all = [0; 8];
    all[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(all)
}

/// The term that was stored there whole, if one was.
#[inline]
fn whole_term(pool: &Pool, page: &Page, offset: usize, bytes: u32) -> Option<Term> {
    let term = page.side()?.whole(offset, offset + bytes as usize)?;
    (pool.width(term) == bytes * 8).then_some(term)
}

/// The value of consecutive bytes: runs of one term by one extract each, runs of concrete bytes by
/// one constant each, all concatenated.
pub(crate) fn assemble(pool: &mut Pool, cells: &[Value8]) -> Value {
    let mut value = Term::NONE;
    let mut at = 0;
    while at < cells.len() {
        let first = cells[at];
        let mut end = at + 1;
        while end < cells.len()
            && cells[end].term == first.term
            && (first.term.is_none()
                || cells[end].index as usize == first.index as usize + (end - at))
        {
            end += 1;
        }
        let width = 8 * (end - at) as u32;
        let part = if first.term.is_none() {
            let bits = cells[at..end]
                .iter()
                .rev()
                .fold(0, |bits, cell| bits << 8 | cell.bits as u64);
            if width as usize == 8 * cells.len() {
                return Value::concrete(bits);
            }
            pool.bv(width, bits)
        } else {
            let low = 8 * first.index as u32;
            if low == 0 && pool.width(first.term) == width {
                first.term
            } else {
                pool.extract(low + width - 1, low, first.term)
            }
        };
        value = if value.is_none() {
            part
        } else {
            pool.concat(part, value)
        };
        at = end;
    }
    match pool.as_const(value) {
        Some(bits) => Value::concrete(bits),
        None => Value::symbolic(value),
    }
}
