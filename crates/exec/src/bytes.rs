//! Operations on runs of bytes: what the `memcpy` family, struct copies and `memset` do.
//!
//! A symbolic length is first compared with the room in the objects: if it can be too large, that is one error with
//! one test, however many such lengths there are. The lengths that fit are then taken one by one.

use crate::errors::{ErrorKind, Termination, WrongAccess, fault_kind};
use crate::machine::Machine;
use crate::state::State;
use memory::{Fault, Value};
use vocab::Check;

/// Bytes that are moved between two looks at the run's end.
const PART: u64 = 1 << 20;

/// An operation on runs of bytes, as messages name it.
#[derive(Clone, Copy, Debug)]
pub struct Bulk {
    /// How the user knows it.
    pub name: &'static str,
    /// The ranges must not overlap (unless they are the same).
    pub apart: bool,
}

impl Bulk {
    /// Ranges that overlap are an error.
    pub const MEMCPY: Bulk = Bulk {
        name: "memcpy",
        apart: true,
    };
    /// Ranges may overlap.
    pub const MEMMOVE: Bulk = Bulk {
        name: "memmove",
        apart: false,
    };
    /// One range, all of one value.
    pub const MEMSET: Bulk = Bulk {
        name: "memset",
        apart: false,
    };
}

/// One side of an operation.
#[derive(Clone, Copy)]
struct RangeAccess {
    at: u64,
    write: bool,
}

impl Machine {
    /// Copies `len` bytes.
    ///
    /// # Errors
    /// The path ends there: a range is not in an object, the ranges overlap, or the run has to end.
    pub fn copy_bytes(
        &mut self,
        s: &mut State,
        what: Bulk,
        dst: Value,
        src: Value,
        len: Value,
    ) -> Result<(), Termination> {
        let (dst, src, len) = (self.used(s, dst)?, self.used(s, src)?, self.used(s, len)?);
        let len = self.fit(len, 64);
        if len.term.is_none() && len.bits == 0 {
            return Ok(());
        }
        let (to, from) = if len.term.is_none() {
            (dst, src)
        } else {
            let (to, from) = (self.concrete_address(s, dst), self.concrete_address(s, src));
            (Value::concrete(to), Value::concrete(from))
        };
        let sides = [(to, true), (from, false)].map(|(v, write)| RangeAccess { at: v.bits, write });
        let len = self.length(s, what, len, &sides)?;
        if len == 0 {
            return Ok(());
        }
        let dst = self.concrete_address(s, to);
        let src = self.concrete_address(s, from);
        self.admit(s, src, len, false)?;
        self.admit(s, dst, len, true)?;
        if what.apart
            && self.options.checks.has(Check::Overlap)
            && dst != src
            && dst.abs_diff(src) < len
        {
            let distance = dst.abs_diff(src);
            let text = format!(
                "{} of {len} bytes between overlapping ranges, {distance} apart",
                what.name
            );
            // An access that fails is the graver error.
            for side in [(dst, true), (src, false)] {
                let checked = s.memory.check_access(side.0, len, side.1);
                checked.map_err(|f| self.fault(s, &f))?;
            }
            return Err(self.error(s, ErrorKind::Overlap, text));
        }
        if len > PART {
            s.memory
                .check_access(src, len, false)
                .and_then(|()| s.memory.check_access(dst, len, true))
                .map_err(|f| self.fault(s, &f))?;
        }
        // Overlapping ranges begin at the end that is not overwritten before it is read.
        let backward = dst > src && dst - src < len;
        let mut left = len;
        while left > 0 {
            self.may_go_on()?;
            let part = left.min(PART);
            let at = if backward { left - part } else { len - left };
            s.memory
                .copy(
                    &mut self.reason.pool,
                    &mut self.tlb,
                    dst + at,
                    src + at,
                    part,
                )
                .map_err(|f| self.fault(s, &f))?;
            left -= part;
        }
        Ok(())
    }

    /// Gives `len` bytes one value.
    ///
    /// # Errors
    /// The path ends there: the range is not in an object, or the run has to end.
    pub fn fill_bytes(
        &mut self,
        s: &mut State,
        dst: Value,
        byte: Value,
        len: Value,
    ) -> Result<(), Termination> {
        let (dst, len) = (self.used(s, dst)?, self.used(s, len)?);
        let len = self.fit(len, 64);
        if len.term.is_none() && len.bits == 0 {
            return Ok(());
        }
        let to = if len.term.is_none() {
            dst
        } else {
            Value::concrete(self.concrete_address(s, dst))
        };
        let side = RangeAccess {
            at: to.bits,
            write: true,
        };
        let len = self.length(s, Bulk::MEMSET, len, &[side])?;
        if len == 0 {
            return Ok(());
        }
        let dst = self.concrete_address(s, to);
        self.admit(s, dst, len, true)?;
        if len > PART {
            s.memory
                .check_access(dst, len, true)
                .map_err(|f| self.fault(s, &f))?;
        }
        let mut done = 0;
        while done < len {
            self.may_go_on()?;
            let part = (len - done).min(PART);
            s.memory
                .fill(&mut self.reason.pool, &mut self.tlb, dst + done, byte, part)
                .map_err(|f| self.fault(s, &f))?;
            done += part;
        }
        Ok(())
    }

    /// An error where these bytes do not exist for some length. Nothing of them is read.
    pub fn check_bytes(
        &mut self,
        s: &mut State,
        at: u64,
        len: Value,
        write: bool,
    ) -> Result<(), Termination> {
        let len = self.fit(len, 64);
        if len.term.is_some() {
            return self.forbid_longer(s, len, RangeAccess { at, write });
        }
        self.admit(s, at, len.bits, write)?;
        let checked = s.memory.check_access(at, len.bits, write);
        checked.map_err(|f| self.fault(s, &f))
    }

    /// The length of an operation; an error where it does not fit. The sides count if the length is symbolic.
    fn length(
        &mut self,
        s: &mut State,
        what: Bulk,
        len: Value,
        sides: &[RangeAccess],
    ) -> Result<u64, Termination> {
        if len.term.is_some() {
            for side in sides {
                self.forbid_longer(s, len, *side)?;
            }
        }
        let n = self.concretize(s, len, 64);
        if n > i64::MAX as u64 {
            let text = format!("{} with size {}", what.name, size_text(n));
            return Err(self.error(s, ErrorKind::OutOfBounds, text));
        }
        Ok(n)
    }

    /// An error if the symbolic length can be more than there is room for.
    fn forbid_longer(
        &mut self,
        s: &mut State,
        len: Value,
        side: RangeAccess,
    ) -> Result<(), Termination> {
        let object = s.memory.object_at(side.at);
        let object = object.filter(|o| o.live && o.contains(side.at));
        let mut room = object.map_or(0, |o| o.end() - side.at);
        let fault = loop {
            let checked = s.memory.check_access(side.at, room + 1, side.write);
            let Err(fault) = checked else {
                // Parts of one mapping follow each other.
                let next = s.memory.object_at(side.at + room);
                room = next.map_or(room + 1, |o| o.end() - side.at);
                continue;
            };
            break fault;
        };
        if self.links.environment.catches(s, &fault) {
            // That is no error: the lengths fault one by one.
            return Ok(());
        }
        let object = object.map(|o| self.sized(s, &o)).or(fault.object);
        let fault = Fault { object, ..fault };
        let too_long = match object.and_then(|o| s.memory.bound_of(&o).map(|b| (o, b.0))) {
            Some((o, size)) => {
                let offset = self.reason.pool.bv(64, side.at - o.start);
                let rest = self.reason.pool.sub(size, offset);
                let (short, long) = (
                    self.reason.pool.ult(size, offset),
                    self.reason.pool.ugt(len.term, rest),
                );
                self.reason.pool.or(short, long)
            }
            None => {
                let limit = self.reason.pool.bv(64, room);
                self.reason.pool.ugt(len.term, limit)
            }
        };
        let text = fault.message(&|o| self.object_name(s, o));
        let about = WrongAccess::of(&fault);
        self.forbid_of(s, too_long, fault_kind(&fault), about, || {
            format!("{text} (at least: the size is symbolic)")
        })
    }
}

/// A size that is negative or huge, as its author may have meant it.
pub fn size_text(n: u64) -> String {
    format!("{} ({n})", n as i64)
}
