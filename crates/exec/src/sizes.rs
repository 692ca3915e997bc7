//! Objects whose size is symbolic.
//!
//! `malloc(n)` keeps `n`: the object has room for the largest value that `n` can have, and for each access the solver
//! is asked whether `n` reaches that far. The answer holds for the rest of the path (`memory::bounds`). Only a size
//! that can exceed [`ROOM`] is split into classes: sizes up to it, sizes above it (one value, which is counted), and
//! sizes that malloc refuses.

use crate::endings::Loss;
use crate::errors::Termination;
use crate::machine::Machine;
use crate::state::State;
use crate::trail::ChoiceKind;
use memory::{Fault, FaultKind, Object, Value};
use solver::Origin;
use term::Term;

/// The largest size that is kept as a term.
pub const ROOM: u64 = 1 << 16;

/// The largest address space of a program on x86-64: a system gives no more, whatever it has.
pub const ADDRESSES: u64 = 1 << 47;

/// The size of an object to be made.
pub enum Size {
    /// So many bytes.
    Known(u64),
    /// At most the second number.
    Symbolic(Term, u64),
    /// Beyond the limit.
    TooLarge {
        /// Can it be a size that a real system may have room for?
        may_be_real: bool,
    },
}

impl Machine {
    /// The size of an object to be made, which may not be above `limit`.
    pub fn allocation_size(&mut self, s: &mut State, v: Value, limit: u64) -> Size {
        let known = |size| {
            if size > limit {
                Size::TooLarge {
                    may_be_real: size <= ADDRESSES,
                }
            } else {
                Size::Known(size)
            }
        };
        // A call without a prototype may give an `int`.
        let v = self.fit(v, 64);
        if v.term.is_none() {
            return known(v.bits);
        }
        let (limit_term, room) = (
            self.reason.pool.bv(64, limit),
            self.reason.pool.bv(64, ROOM),
        );
        let fails = self.reason.pool.ugt(v.term, limit_term);
        if self.ask(s, fails) {
            let most = self.reason.pool.bv(64, ADDRESSES);
            let is_real = self.reason.pool.ule(v.term, most);
            let may_be_real = self.is_possible(s, is_real) != Some(false);
            return Size::TooLarge { may_be_real };
        }
        let large = self.reason.pool.ugt(v.term, room);
        if self.ask(s, large) {
            let value = self.eval(s, v.term);
            let constant = self.reason.pool.bv(64, value);
            let same = self.reason.pool.eq(v.term, constant);
            if self.reason.pool.as_const(same).is_none() {
                self.lose(Loss::Sizes);
                s.concretized = true;
                // Runs with another size go another way from here.
                let other = self.reason.pool.not(same);
                self.take_known(s, same, other, Origin::Concretized);
            }
            return known(value);
        }
        let bounds = self.bounds_of(s, v.term);
        if bounds.lo == bounds.hi {
            known(bounds.lo)
        } else {
            Size::Symbolic(v.term, bounds.hi.min(ROOM))
        }
    }

    /// The bytes of the stack's size that are in use.
    pub(crate) fn stack_taken(&self, s: &State) -> u64 {
        s.memory.stack_used() + s.frames_taken()
    }

    /// Has the stack room for a call with a frame of so many bytes? Objects of symbolic size count as nothing here, since a
    /// call asks nothing.
    #[inline]
    pub(crate) fn frame_has_room(&self, s: &State, frame: u64) -> bool {
        let taken = self.stack_taken(s).saturating_add(frame);
        taken <= s.stack_size || {
            let symbolic: u64 = s.memory.stack_bounds().iter().map(|&(room, _)| room).sum();
            taken.saturating_sub(symbolic) <= s.stack_size
        }
    }

    /// Has the stack room for another object of this size, which is a term if there is one? The path forks where that
    /// depends on objects of symbolic size.
    #[inline]
    pub(crate) fn stack_has_room(&mut self, s: &mut State, size: u64, term: Option<Term>) -> bool {
        size.saturating_add(self.stack_taken(s)) <= s.stack_size
            || self.stack_has_room_exactly(s, size, term)
    }

    #[cold]
    fn stack_has_room_exactly(&mut self, s: &mut State, size: u64, term: Option<Term>) -> bool {
        let (limit, taken) = (s.stack_size, self.stack_taken(s));
        if size.saturating_add(taken) <= limit {
            return true;
        }
        let bounds = s.memory.stack_bounds();
        let symbolic: u64 = bounds.iter().map(|&(room, _)| room).sum();
        let fixed = taken.saturating_sub(symbolic) + if term.is_none() { size } else { 0 };
        let mut sum = self.reason.pool.bv(64, fixed);
        for t in bounds.into_iter().map(|(_, t)| t).chain(term) {
            sum = self.reason.pool.add(sum, t);
        }
        let limit = self.reason.pool.bv(64, limit);
        let overflows = self.reason.pool.ugt(sum, limit);
        !self.ask(s, overflows)
    }

    fn ask(&mut self, s: &mut State, cond: Term) -> bool {
        match self.reason.pool.as_const(cond) {
            Some(value) => value != 0,
            None => self.decide(s, cond, ChoiceKind::AllocationSize),
        }
    }

    /// Bytes are going to be accessed: do they exist, where the size of their object is symbolic? Anything else that may
    /// be wrong with the access is not looked at.
    #[inline]
    pub fn admit(
        &mut self,
        s: &mut State,
        address: u64,
        len: u64,
        write: bool,
    ) -> Result<(), Termination> {
        if s.memory.is_unproven(address, len) {
            self.admit_bounded(s, address, len, write)
        } else {
            Ok(())
        }
    }

    #[cold]
    fn admit_bounded(
        &mut self,
        s: &mut State,
        address: u64,
        len: u64,
        write: bool,
    ) -> Result<(), Termination> {
        let object = s.memory.object_at(address);
        let Some(o) = object.filter(|o| o.live && o.contains(address)) else {
            return Ok(());
        };
        let Some((size, proven)) = s.memory.bound_of(&o) else {
            return Ok(());
        };
        let count = (address - o.start).saturating_add(len);
        if count <= proven {
            return Ok(());
        }
        let environment = self.links.environment.clone();
        let exists = match environment.has_bytes(self, s, &o, proven, count) {
            Some(exists) => exists,
            None => {
                let needed = self.reason.pool.bv(64, count);
                self.reason.pool.uge(size, needed)
            }
        };
        let fault = Fault {
            kind: FaultKind::OutOfBounds,
            address,
            size: len,
            write,
            object: Some(o),
        };
        self.demand(s, exists, |m, s| m.fault(s, &fault))?;
        s.memory.prove(&mut self.tlb, &o, count);
        Ok(())
    }

    /// A condition that must hold for an access to be right; if it can be violated, that side ends with the given
    /// error.
    pub(crate) fn demand(
        &mut self,
        s: &mut State,
        holds: Term,
        error: impl Fn(&mut Machine, &State) -> Termination,
    ) -> Result<(), Termination> {
        match self.reason.pool.as_const(holds) {
            Some(0) => return Err(error(self, s)),
            Some(_) => return Ok(()),
            None => {}
        }
        let (is_held, other) = self.split(s, holds, Origin::BoundsCheck, ChoiceKind::Resolve);
        match (is_held, other) {
            (true, Some(failing)) => {
                let error = error(self, &failing);
                self.turn.ended.push((failing, error));
            }
            (false, Some(going_on)) => self.fork_again(going_on),
            (_, None) => {}
        }
        if is_held { Ok(()) } else { Err(error(self, s)) }
    }

    /// The condition that an access of `bytes` at `address` stays inside of an object.
    pub(crate) fn inside_object(
        &mut self,
        s: &State,
        o: &Object,
        address: Term,
        bytes: u32,
    ) -> Term {
        let bytes = u64::from(bytes);
        let Some((size, _)) = s.memory.bound_of(o) else {
            return self.inside(address, o.start, o.end() - bytes);
        };
        let (start, bytes) = (
            self.reason.pool.bv(64, o.start),
            self.reason.pool.bv(64, bytes),
        );
        let offset = self.reason.pool.sub(address, start);
        let last = self.reason.pool.sub(size, bytes);
        let (fits, is_before) = (
            self.reason.pool.uge(size, bytes),
            self.reason.pool.ule(offset, last),
        );
        self.reason.pool.and(fits, is_before)
    }

    /// The end of the bytes of an object that exist whatever its size is.
    pub fn certain_end(s: &State, o: &Object) -> u64 {
        match s.memory.bound_of(o) {
            Some((_, proven)) => o.start + proven,
            None => o.end(),
        }
    }

    /// An object as it is under the path's witness.
    pub fn sized(&mut self, s: &State, o: &Object) -> Object {
        match s.memory.bound_of(o) {
            Some((size, _)) => o.with_size(self.eval(s, size).min(o.size)),
            None => *o,
        }
    }
}
