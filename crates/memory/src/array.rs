//! Accesses at symbolic addresses inside one object: array terms.
//!
//! A load builds an array term of a *window* of the object: a base interned by content, with a
//! `store` at a constant index for each symbolic byte, and reads it by `select_bounded`. Only the
//! solver lowers selects. The window is the whole object when that is small, so that all reads
//! of a table share one array; else what the access can reach.
//!
//! A store turns the bytes that it can reach into an *overlay*: a version
//! `store(A, i, v)` of the window's array. Bytes in an overlay have no content in their page, so
//! that every access to them takes the slow way, where a constant address becomes
//! `select(A, constant)`. A byte that is written at a constant address leaves the overlay (its page
//! knows it again) and is folded back, as one more store, only when the array is needed next.
//!
//! An access that reaches past an overlay widens it: its stores are replayed over the base of the
//! wider window. The bits known of the address (alignment, residues) shrink windows and say when
//! few positions are left, which are then spelled out without arrays.

use crate::access::assemble;
use crate::{Fault, FaultKind, Memory, Object, Tlb, Value, Value8};
use term::{Pool, Term};

/// Arrays of smaller windows are made anew at each load, unless they are constant: a cached array
/// makes the next write to its pages copy them.
const CACHED: u64 = 128;
/// A load with at most so many positions is a chain of if-then-else.
const SPELLED_LOADS: u64 = 2;
/// A store with at most so many positions changes each of them.
const SPELLED_STORES: u64 = 8;

/// The addresses lo..=hi that are congruent to the address modulo `1 << align`.
#[derive(Clone, Copy)]
struct Positions {
    lo: u64,
    hi: u64,
    align: u32,
}

impl Positions {
    /// Tightens lo..=hi by what the pool knows of the address; `None` when nothing is left (the
    /// path condition says more than the bounds: any answer will do).
    fn new(pool: &Pool, address: Term, lo: u64, hi: u64) -> Option<Positions> {
        let (low, high) = pool.interval(address);
        let (mut lo, mut hi) = (lo.max(low), hi.min(high));
        let (zeros, ones) = pool.known_bits(address);
        let align = (zeros | ones).trailing_ones().min(32);
        let residue_mask = (1u64 << align) - 1;
        let residue = ones & residue_mask;
        lo += residue.wrapping_sub(lo) & residue_mask;
        hi = hi.checked_sub(hi.wrapping_sub(residue) & residue_mask)?;
        (lo <= hi).then_some(Positions { lo, hi, align })
    }

    fn count(self) -> u64 {
        ((self.hi - self.lo) >> self.align) + 1
    }

    fn iter(self) -> impl Iterator<Item = u64> {
        (self.lo..=self.hi).step_by(1 << self.align)
    }
}

impl Memory {
    /// Loads `bytes` at `address`, whose value lies in lo..=hi, all of it inside `object`.
    #[expect(clippy::too_many_arguments, reason = "an access is what it is")]
    pub fn load_indexed(
        &mut self,
        pool: &mut Pool,
        tlb: &mut Tlb,
        object: &Object,
        address: Term,
        lo: u64,
        hi: u64,
        bytes: u32,
    ) -> Result<Value, Fault> {
        self.own(tlb);
        debug_assert!(lo >= object.start && lo <= hi && hi + bytes as u64 <= object.end());
        let Some(at) = Positions::new(pool, address, lo, hi) else {
            return Ok(Value::concrete(0));
        };
        if at.count() <= SPELLED_LOADS {
            let width = bytes * 8;
            let mut result = self.load_or_zero(pool, tlb, at.lo, bytes)?;
            for position in at.iter().skip(1) {
                let here = self.load_or_zero(pool, tlb, position, bytes)?;
                let constant = pool.bv(64, position);
                let condition = pool.eq(address, constant);
                let (here, rest) = (to_term(pool, here, width), to_term(pool, result, width));
                result = Value::symbolic(pool.ite(condition, here, rest));
            }
            return Ok(concretized(pool, result));
        }
        let (start, end) = (at.lo, at.hi + bytes as u64);
        if self.checks.uninitialized && !object.initialized && self.all_unset(start, end) {
            return Err(Fault {
                kind: FaultKind::Uninitialized,
                address: start,
                size: bytes as u64,
                write: false,
                object: Some(*object),
            });
        }
        self.drop_spent_overlays(start, end);
        let (start, end) = match self
            .overlays
            .as_ref()
            .and_then(|overlays| overlays.find(start))
        {
            Some(overlay) if end <= overlay.end => (overlay.start, overlay.end),
            _ => {
                let (start, end) = self.load_window(object, start, end);
                self.with_overlays(start, end)
            }
        };
        let array = if object.read_only || end - start >= CACHED {
            self.cached_array(pool, tlb, start, end)
        } else {
            self.window_array(pool, start, end)
        };
        let origin = self.origin_of(start, end);
        let constant = pool.bv(64, origin);
        let index = pool.sub(address, constant);
        let cells: Vec<Value8> = (0..bytes as u64)
            .map(|byte| {
                let offset = pool.bv(64, byte);
                let here = pool.add(index, offset);
                Value8::symbolic(pool.select_typed(
                    array,
                    here,
                    at.lo - origin + byte,
                    at.hi - origin + byte,
                    bytes,
                ))
            })
            .collect();
        Ok(assemble(pool, &cells))
    }

    /// Stores `bytes` at `address`, whose value lies in lo..=hi, all of it inside `object`.
    #[expect(clippy::too_many_arguments, reason = "an access is what it is")]
    pub fn store_indexed(
        &mut self,
        pool: &mut Pool,
        tlb: &mut Tlb,
        object: &Object,
        address: Term,
        lo: u64,
        hi: u64,
        bytes: u32,
        value: Value,
    ) -> Result<(), Fault> {
        self.own(tlb);
        debug_assert!(lo >= object.start && lo <= hi && hi + bytes as u64 <= object.end());
        let Some(at) = Positions::new(pool, address, lo, hi) else {
            return Ok(());
        };
        self.check_access(at.lo, at.hi - at.lo + bytes as u64, true)?;
        if at.count() == 1 {
            return self.store(pool, tlb, at.lo, bytes, value);
        }
        let value = to_term(pool, value, bytes * 8);
        // Bytes that may not exist have content in overlays only.
        let may_spell = self.proven_end(object) >= at.hi + bytes as u64;
        if at.count() <= SPELLED_STORES && may_spell {
            // Later positions see the earlier ones' changes where they overlap; under each value of
            // the address exactly one condition holds, so the order does not matter.
            for position in at.iter() {
                let constant = pool.bv(64, position);
                let condition = pool.eq(address, constant);
                let old = self.load_or_zero(pool, tlb, position, bytes)?;
                let old = to_term(pool, old, bytes * 8);
                let new = pool.ite(condition, value, old);
                self.store(pool, tlb, position, bytes, Value::symbolic(new))?;
            }
            return Ok(());
        }
        self.drop_spent_overlays(at.lo, at.hi + bytes as u64);
        let (start, end) = self.with_overlays(at.lo, at.hi + bytes as u64);
        let mut array = self.window_array(pool, start, end);
        let origin = self.origin_of(start, end);
        let constant = pool.bv(64, origin);
        let index = pool.sub(address, constant);
        for byte in 0..bytes {
            let offset = pool.bv(64, byte as u64);
            let here = pool.add(index, offset);
            let part = if bytes == 1 {
                value
            } else {
                pool.extract(byte * 8 + 7, byte * 8, value)
            };
            array = pool.store(array, here, part);
        }
        self.set_overlay(tlb, start, end, origin, array);
        Ok(())
    }

    /// A load for an access that was checked; uninitialized bytes are zero.
    fn load_or_zero(
        &mut self,
        pool: &mut Pool,
        tlb: &mut Tlb,
        addr: u64,
        bytes: u32,
    ) -> Result<Value, Fault> {
        let end = addr + bytes as u64;
        match self.load(pool, tlb, addr, bytes) {
            // Bytes that may not exist do under the value that the address has here.
            Err(fault)
                if fault
                    .object
                    .is_some_and(|o| addr >= o.start && end <= o.end()) =>
            {
                let cells: Vec<Value8> = (addr..addr + bytes as u64)
                    .map(|at| self.byte_at(pool, at).unwrap_or_default())
                    .collect();
                Ok(assemble(pool, &cells))
            }
            result => result,
        }
    }
}

fn to_term(pool: &mut Pool, value: Value, width: u32) -> Term {
    if value.term.is_some() {
        value.term
    } else {
        pool.bv(width, value.bits)
    }
}

fn concretized(pool: &Pool, value: Value) -> Value {
    if value.term.is_none() {
        return value;
    }
    pool.as_const(value.term).map_or(value, Value::concrete)
}
