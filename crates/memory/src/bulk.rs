//! Many bytes at once: system calls, the memcpy family, scans of strings.
//!
//! Work goes page by page and there by runs of bytes of one kind; runs of concrete bytes move at
//! the speed of `memcpy`.

use crate::access::little_endian;
use crate::page::{ByteState, PAGE, Page, PageCell};
use crate::tlb::page_number;
use crate::{Fault, Memory, Tlb, Value};
use std::rc::Rc;
use term::{Pool, Term};

/// The content of one byte: concrete, or byte `index` of `term`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Value8 {
    /// [`Term::NONE`] when concrete.
    pub term: Term,
    /// Which byte of the term, 0 the least significant.
    pub index: u8,
    /// The concrete value; 0 when symbolic.
    pub bits: u8,
}

impl Value8 {
    /// A concrete byte.
    pub const fn concrete(bits: u8) -> Value8 {
        Value8 {
            term: Term::NONE,
            index: 0,
            bits,
        }
    }

    /// The byte that an 8-bit term stands for.
    pub const fn symbolic(term: Term) -> Value8 {
        Value8 {
            term,
            index: 0,
            bits: 0,
        }
    }

    /// The byte as a term of width 8.
    pub fn to_term(self, pool: &mut Pool) -> Term {
        if self.term.is_none() {
            pool.bv(8, self.bits as u64)
        } else if self.index == 0 && pool.width(self.term) == 8 {
            self.term
        } else {
            let low = 8 * self.index as u32;
            pool.extract(low + 7, low, self.term)
        }
    }
}

/// The result of [`Memory::scan_zero`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StrScan {
    /// Bytes before the first concrete zero, or before the scan ended.
    pub len: u64,
    /// A concrete zero stands at `len`.
    pub terminated: bool,
    /// Offsets below `len` of symbolic bytes, ascending.
    pub symbolic: Vec<u64>,
    /// Reading the byte at `len` is this fault.
    pub fault: Option<Fault>,
}

/// The result of [`Memory::compare_concrete`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// All `len` bytes are concrete and equal.
    Equal,
    /// The bytes at this offset are concrete and differ.
    Differ(u64, u8, u8),
    /// One of the bytes at this offset is not concrete (or not readable).
    NotConcrete(u64),
}

/// Fills of at least so many bytes share their whole pages. (What is filled is written to soon: each page is
/// copied then.)
const SHARED_FILL: u64 = 16 * PAGE as u64;
/// So many shared pages are made between two looks at memory.
const NODES_EVERY: u64 = 1 << 10;

/// The part of a page that an operation at `addr` with `left` bytes to go covers.
#[inline]
fn part_at(addr: u64, left: u64) -> (usize, usize) {
    let from = addr as usize % PAGE;
    (from, from + left.min((PAGE - from) as u64) as usize)
}

impl Memory {
    /// Appends the content of `len` bytes at `addr`.
    pub fn read_bytes(
        &self,
        pool: &mut Pool,
        addr: u64,
        len: u64,
        out: &mut Vec<Value8>,
    ) -> Result<(), Fault> {
        let mut done = 0;
        while done < len {
            let at = addr.wrapping_add(done);
            let (from, to) = part_at(at, len - done);
            let Some(page) = self.view(page_number(at)) else {
                return Err(self.fault(addr, len, false));
            };
            let mut offset = from;
            while offset < to {
                let end = page.plain().run_end(offset, to);
                if page.plain().get(offset) {
                    out.extend(
                        page.bytes[offset..end]
                            .iter()
                            .map(|&bits| Value8::concrete(bits)),
                    );
                } else {
                    for offset in offset..end {
                        match page.state(offset) {
                            ByteState::Symbolic(term, index) => out.push(Value8 {
                                term,
                                index,
                                bits: 0,
                            }),
                            ByteState::Unset => {
                                match self.overlay_byte(pool, at + (offset - from) as u64) {
                                    Some(byte) => out.push(byte),
                                    None => return Err(self.fault(addr, len, false)),
                                }
                            }
                            _ => return Err(self.fault(addr, len, false)),
                        }
                    }
                }
                offset = end;
            }
            done += (to - from) as u64;
        }
        Ok(())
    }

    /// The content of `len` bytes at `addr` if all of it is readable and concrete.
    pub fn read_concrete(&self, addr: u64, len: u64) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        while (out.len() as u64) < len {
            let at = addr.wrapping_add(out.len() as u64);
            let (from, to) = part_at(at, len - out.len() as u64);
            let page = self.view(page_number(at))?;
            if !page.plain().all(from, to) {
                return None;
            }
            out.extend_from_slice(&page.bytes[from..to]);
        }
        Some(out)
    }

    /// Writes concrete bytes.
    pub fn write_concrete(&mut self, tlb: &mut Tlb, addr: u64, data: &[u8]) -> Result<(), Fault> {
        self.own(tlb);
        self.check_access(addr, data.len() as u64, true)?;
        let mut done = 0;
        while done < data.len() {
            let at = addr + done as u64;
            let (from, to) = part_at(at, (data.len() - done) as u64);
            let page = self.checked_page(tlb, page_number(at));
            page.write(from, &data[done..done + (to - from)]);
            done += to - from;
        }
        Ok(())
    }

    /// Writes bytes, symbolic ones included.
    pub fn write_bytes(&mut self, tlb: &mut Tlb, addr: u64, data: &[Value8]) -> Result<(), Fault> {
        self.own(tlb);
        self.check_access(addr, data.len() as u64, true)?;
        let mut done = 0;
        while done < data.len() {
            let at = addr + done as u64;
            let (from, to) = part_at(at, (data.len() - done) as u64);
            let page = self.checked_page(tlb, page_number(at));
            put_states(page, from, to - from, |at| {
                let byte = data[done + at];
                if byte.term.is_none() {
                    ByteState::Concrete(byte.bits)
                } else {
                    ByteState::Symbolic(byte.term, byte.index)
                }
            });
            done += to - from;
        }
        Ok(())
    }

    /// Copies `len` bytes as `memmove` does: symbolic bytes, and uninitialized ones as such.
    pub fn copy(
        &mut self,
        pool: &mut Pool,
        tlb: &mut Tlb,
        dst: u64,
        src: u64,
        len: u64,
    ) -> Result<(), Fault> {
        self.own(tlb);
        if self.copy_known(tlb, dst, src, len) {
            return Ok(());
        }
        self.check_access(src, len, false)?;
        self.check_access(dst, len, true)?;
        if src == dst {
            return Ok(());
        }
        let backward = dst > src && dst - src < len;
        let mut left = len;
        while left > 0 {
            // The next part lies in one page on either side, at the end that the direction begins with.
            let (at, part) = if backward {
                let room = |end: u64| (end - 1) % PAGE as u64 + 1;
                let part = left.min(room(src + left)).min(room(dst + left));
                (left - part, part)
            } else {
                let at = len - left;
                let room = |start: u64| PAGE as u64 - start % PAGE as u64;
                (at, left.min(room(src + at)).min(room(dst + at)))
            };
            self.copy_part(pool, tlb, dst + at, src + at, part as usize);
            left -= part;
        }
        Ok(())
    }

    /// The common copy: concrete bytes in one page on either side, over concrete ones, both known
    /// to the TLB.
    #[inline]
    fn copy_known(&mut self, tlb: &Tlb, dst: u64, src: u64, len: u64) -> bool {
        let (from, to) = (src as usize % PAGE, dst as usize % PAGE);
        if len == 0 || len > PAGE as u64 || from.max(to) + len as usize > PAGE {
            return false;
        }
        let len = len as usize;
        let Some(source) = tlb.read_page(page_number(src)) else {
            return false;
        };
        let Some((target, mask)) = tlb.write_page(page_number(dst)) else {
            return false;
        };
        // SAFETY: the TLB is this memory's (`own`), so the pages are alive and the target is ours
        // alone; both ranges lie in their pages.
        unsafe {
            if !(*source).plain().all(from, from + len) || !(*mask).all(to, to + len) {
                return false;
            }
            let bytes = source.cast::<u8>().add(from);
            std::ptr::copy(bytes, target.cast::<u8>().add(to), len);
        }
        true
    }

    /// Copies a whole page by sharing it.
    fn share_page(&mut self, tlb: &mut Tlb, dst: u64, src: u64) {
        self.page_for_read(tlb, src)
            .expect("the access was checked");
        let page = self.page_cell(src).expect("it was just read").clone();
        tlb.forget_write(src);
        tlb.forget(dst, dst);
        let (region, key) = crate::locate(dst).expect("the access was checked");
        let slot = self.regions[region].slot(key).insert(page);
        if slot.page().has_read_only(0, PAGE) {
            // The copy of a constant can be written.
            PageCell::make_unique(slot).protect(0, PAGE, false);
        }
    }

    /// Copies within one page on either side; both were checked.
    fn copy_part(&mut self, pool: &mut Pool, tlb: &mut Tlb, dst: u64, src: u64, len: usize) {
        let (src_offset, dst_offset) = (src as usize % PAGE, dst as usize % PAGE);
        if len == PAGE && self.overlays.is_none() {
            self.share_page(tlb, page_number(dst), page_number(src));
            return;
        }
        let source = self
            .page_for_read(tlb, page_number(src))
            .expect("the access was checked");
        if source.plain().all(src_offset, src_offset + len) {
            let source: *const Page = source;
            let target = self.checked_page(tlb, page_number(dst));
            // SAFETY: making the target this state's own moves no other page, and when it is the
            // source's page the old one lives on in whoever shares it. `copy` allows overlap.
            unsafe {
                let from = (&raw const (*source).bytes).cast::<u8>().add(src_offset);
                std::ptr::copy(
                    from,
                    (&raw mut target.bytes).cast::<u8>().add(dst_offset),
                    len,
                );
            }
            target.make_plain(dst_offset, dst_offset + len);
            return;
        }
        let mut staged = std::mem::take(&mut tlb.staged);
        staged.clear();
        staged.extend((src_offset..src_offset + len).map(|offset| source.state(offset)));
        if self.overlays.is_some() {
            for (at, byte) in staged.iter_mut().enumerate() {
                if *byte == ByteState::Unset
                    && let Some(value) = self.overlay_byte(pool, src + at as u64)
                {
                    *byte = match value.term {
                        Term::NONE => ByteState::Concrete(value.bits),
                        term => ByteState::Symbolic(term, value.index),
                    };
                }
            }
            // What is uninitialized must not show what an overlay of the target holds. (The source
            // may be in the same overlay: it was read before.)
            for at in (0..len).filter(|&at| staged[at] == ByteState::Unset) {
                self.clip_overlays(dst + at as u64, dst + at as u64 + 1);
            }
        }
        let target = self.checked_page(tlb, page_number(dst));
        put_states(target, dst_offset, len, |at| staged[at]);
        tlb.staged = staged;
    }

    /// Sets `len` bytes to `value`, whose term is NONE or of width 8.
    pub fn fill(
        &mut self,
        pool: &mut Pool,
        tlb: &mut Tlb,
        addr: u64,
        value: Value,
        len: u64,
    ) -> Result<(), Fault> {
        self.own(tlb);
        self.check_access(addr, len, true)?;
        let constant = match value.term {
            Term::NONE => Some(value.bits as u8),
            term => pool.as_const(term).map(|bits| bits as u8),
        };
        // Whole pages of one content are one page, until they are written to.
        let all_same = match constant {
            Some(0) => Some(self.untouched.zero.clone()),
            _ if len < SHARED_FILL => None,
            Some(byte) => Some(Page::of_byte(byte)),
            None => Some(Page::of_term(value.term)),
        };
        let mut done = 0;
        while done < len {
            let at = addr + done;
            let (from, to) = part_at(at, len - done);
            let number = page_number(at);
            if to - from == PAGE
                && let Some(same) = &all_same
            {
                self.replace_page(tlb, number, same.clone());
            } else {
                let page = self.checked_page(tlb, number);
                match constant {
                    Some(byte) => {
                        page.bytes[from..to].fill(byte);
                        page.make_plain(from, to);
                    }
                    None => (from..to)
                        .for_each(|offset| page.write_term(offset, offset + 1, value.term, 0)),
                }
            }
            done += (to - from) as u64;
        }
        Ok(())
    }

    /// A page that one object covers becomes another one, which other places may share.
    fn replace_page(&mut self, tlb: &mut Tlb, number: u64, page: Rc<PageCell>) {
        let (region, key) = crate::locate(number).expect("the access was checked");
        *self.regions[region].slot(key) = Some(page);
        tlb.forget(number, number);
        // A tree of a thousand such pages is about as large as a few of its own.
        if number.is_multiple_of(NODES_EVERY) {
            room::need(0);
        }
    }

    /// Compares concrete bytes as far as they go.
    pub fn compare_concrete(&self, a: u64, b: u64, len: u64) -> Comparison {
        let mut done = 0;
        while done < len {
            let (at_a, at_b) = (a.wrapping_add(done), b.wrapping_add(done));
            let (from_a, to_a) = part_at(at_a, len - done);
            let (from_b, to_b) = part_at(at_b, len - done);
            let part = (to_a - from_a).min(to_b - from_b);
            let (Some(page_a), Some(page_b)) =
                (self.view(page_number(at_a)), self.view(page_number(at_b)))
            else {
                return Comparison::NotConcrete(done);
            };
            let plain = |page: &Page, from: usize| {
                if page.plain().get(from) {
                    page.plain().run_end(from, from + part) - from
                } else {
                    0
                }
            };
            let concrete = plain(&page_a, from_a).min(plain(&page_b, from_b));
            let bytes_a = &page_a.bytes[from_a..from_a + concrete];
            let bytes_b = &page_b.bytes[from_b..from_b + concrete];
            if bytes_a != bytes_b {
                let at = (0..concrete)
                    .find(|&at| bytes_a[at] != bytes_b[at])
                    .expect("they differ");
                return Comparison::Differ(done + at as u64, bytes_a[at], bytes_b[at]);
            }
            if concrete < part {
                return Comparison::NotConcrete(done + concrete as u64);
            }
            done += part as u64;
        }
        Comparison::Equal
    }

    /// Looks for the first concrete zero at or after `addr`, among at most `limit` bytes.
    pub fn scan_zero(&self, addr: u64, limit: u64) -> StrScan {
        let mut scan = StrScan::default();
        while scan.len < limit {
            let at = addr.wrapping_add(scan.len);
            let (from, to) = part_at(at, limit - scan.len);
            let Some(page) = self.view(page_number(at)) else {
                scan.fault = Some(self.fault(at, 1, false));
                return scan;
            };
            let mut offset = from;
            while offset < to {
                let end = page.plain().run_end(offset, to);
                if page.plain().get(offset) {
                    let run = &page.bytes[offset..end];
                    if let Some(zero) = find_zero(run) {
                        scan.len += zero as u64;
                        scan.terminated = true;
                        return scan;
                    }
                    scan.len += run.len() as u64;
                } else {
                    for offset in offset..end {
                        match page.state(offset) {
                            ByteState::Symbolic(..) => scan.symbolic.push(scan.len),
                            ByteState::Unset if self.in_overlay(addr.wrapping_add(scan.len)) => {
                                scan.symbolic.push(scan.len);
                            }
                            _ => {
                                scan.fault =
                                    Some(self.fault(addr.wrapping_add(scan.len), 1, false));
                                return scan;
                            }
                        }
                        scan.len += 1;
                    }
                }
                offset = end;
            }
        }
        scan
    }
}

/// Writes `len` bytes from `from` on, run by run.
fn put_states(page: &mut Page, from: usize, len: usize, state: impl Fn(usize) -> ByteState) {
    let mut at = 0;
    while at < len {
        let first = at;
        match state(at) {
            ByteState::Concrete(_) => {
                while at < len
                    && let ByteState::Concrete(bits) = state(at)
                {
                    page.bytes[from + at] = bits;
                    at += 1;
                }
                page.make_plain(from + first, from + at);
            }
            ByteState::Symbolic(term, index) => {
                let mut next = index;
                while at < len && state(at) == ByteState::Symbolic(term, next) {
                    at += 1;
                    next = next.wrapping_add(1);
                }
                page.write_term(from + first, from + at, term, index);
            }
            ByteState::Unset | ByteState::Unaddressable => {
                page.unset(from + at, from + at + 1);
                at += 1;
            }
        }
    }
}

/// The place of the first zero byte, eight bytes at a time.
fn find_zero(bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let words = bytes.chunks_exact(8);
    let tail = bytes.len() - words.remainder().len();
    for (at, word) in words.enumerate() {
        let word = little_endian(word);
        let zeros = word.wrapping_sub(ONES) & !word & (ONES << 7);
        if zeros != 0 {
            return Some(at * 8 + zeros.trailing_zeros() as usize / 8);
        }
    }
    bytes[tail..]
        .iter()
        .position(|&byte| byte == 0)
        .map(|at| tail + at)
}
