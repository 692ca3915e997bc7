//! Loads and stores, and what a symbolic address means.
//!
//! If interval or solver prove that the whole access stays inside one object, the access is a `select`/`store` on that
//! object's array term. Otherwise, if the object that the address was derived from is known (`provenance`), an access
//! outside of it is an error. Else the witness names the object, and the other addresses are forked off: a sibling
//! re-executes the instruction with "not in this object" on its path, so each fork resolves one object, up to a limit
//! that is counted. A witness that hits no object is then an error; before that path ends, the objects in the
//! address's range get their chance.

use crate::endings::{Ending, Loss};
use crate::errors::{ErrorKind, Termination, WrongAccess, fault_kind};
use crate::machine::Machine;
use crate::provenance::{Access, Home, Sum};
use crate::state::{Frame, State};
use crate::trail::ChoiceKind;
use memory::{Fault, FaultKind, Object, Value};
use solver::{Ask, Bounds, Origin};
use term::Term;

/// Objects asked about when the witness's address hits none.
const MAX_CANDIDATES: usize = 32;
/// Runs of unwritten bytes of an object that a load at a symbolic address is held against.
const MAX_UNWRITTEN: usize = 256;
/// Bytes in front of a null pointer that are told to belong to it.
const BEFORE_NULL: u64 = 4096;
/// The same limit for one decision of a recorded run. It is larger because an omitted object would silently count as
/// "no object".
const MAX_RECORDED: usize = 1024;

impl Machine {
    /// Reads `bytes` bytes of the program's memory, at most eight.
    pub fn load(
        &mut self,
        s: &mut State,
        address: Value,
        bytes: u32,
    ) -> Result<Value, Termination> {
        let value = self.load_as::<false>(s, address, bytes)?;
        if value.term.is_none() {
            return Ok(value);
        }
        let at = self.eval_value(s, address);
        self.used_read(s, at, u64::from(bytes), value)
    }

    /// [`Machine::load`] that takes bytes along which were never written, see `unwritten`.
    pub(crate) fn load_raw(
        &mut self,
        s: &mut State,
        address: Value,
        bytes: u32,
    ) -> Result<Value, Termination> {
        self.load_as::<true>(s, address, bytes)
    }

    /// The value of a read of the program: an error if it depends on bytes that were never written.
    pub fn used_read(
        &mut self,
        s: &mut State,
        address: u64,
        size: u64,
        value: Value,
    ) -> Result<Value, Termination> {
        self.used_or(s, value, |m, s| {
            let fault = Fault {
                kind: FaultKind::Uninitialized,
                address,
                size,
                write: false,
                object: s.memory.object_at(address),
            };
            m.fault(s, &fault)
        })
    }

    #[inline]
    fn load_as<const RAW: bool>(
        &mut self,
        s: &mut State,
        address: Value,
        bytes: u32,
    ) -> Result<Value, Termination> {
        let address = self.used(s, address)?;
        let size = u64::from(bytes);
        let (place, address) = match address.term {
            Term::NONE => (AccessTarget::Concrete(address.bits), Term::NONE),
            term => self.resolve_by_classes(s, term, bytes)?,
        };
        match place {
            AccessTarget::Concrete(at) => {
                self.admit(s, at, size, false)?;
                if RAW
                    && let Some(object) = s.memory.object_at(at)
                    && object.live
                    && object.contains(at)
                    && at + size <= object.end()
                {
                    self.name_unwritten(s, &object, at, at + size);
                }
                s.memory
                    .load(&mut self.reason.pool, &mut self.tlb, at, bytes)
                    .map_err(|f| self.fault(s, &f))
            }
            AccessTarget::Window { object, lo, hi } => {
                self.may_access(s, &object, address, bytes, false)?;
                if !RAW || !self.name_unwritten(s, &object, lo, hi + size) {
                    self.is_written(s, &object, address, (lo, hi), bytes)?;
                }
                let (pool, tlb) = (&mut self.reason.pool, &mut self.tlb);
                s.memory
                    .load_indexed(pool, tlb, &object, address, lo, hi, bytes)
                    .map_err(|f| self.fault(s, &f))
            }
        }
    }

    /// Writes the low `bytes` bytes of a value, at most eight.
    pub fn store(
        &mut self,
        s: &mut State,
        address: Value,
        bytes: u32,
        value: Value,
    ) -> Result<(), Termination> {
        let address = self.used(s, address)?;
        let place = match address.term {
            Term::NONE => AccessTarget::Concrete(address.bits),
            term => self.resolve(s, term, bytes, true)?,
        };
        match place {
            AccessTarget::Concrete(at) => {
                self.admit(s, at, u64::from(bytes), true)?;
                s.memory
                    .store(&mut self.reason.pool, &mut self.tlb, at, bytes, value)
                    .map_err(|f| self.fault(s, &f))
            }
            AccessTarget::Window { object, lo, hi } => {
                self.may_access(s, &object, address.term, bytes, true)?;
                // One of them is written, and nobody knows which.
                if !self.name_unwritten(s, &object, lo, hi + u64::from(bytes)) {
                    self.lose(Loss::Resolutions);
                }
                let (pool, tlb) = (&mut self.reason.pool, &mut self.tlb);
                s.memory
                    .store_indexed(pool, tlb, &object, address.term, lo, hi, bytes, value)
                    .map_err(|f| self.fault(s, &f))
            }
        }
    }

    /// The bytes of an object may all be accessed, or none of them: a variable is hidden as a whole when its scope ends, a
    /// mapping has an object for each part with a protection of its own, and a constant is constant.
    fn may_access(
        &mut self,
        s: &mut State,
        object: &Object,
        address: Term,
        bytes: u32,
        write: bool,
    ) -> Result<(), Termination> {
        let Err(all) = s.memory.check_access(object.start, 1, write) else {
            return Ok(());
        };
        let at = if self.links.environment.catches(s, &all) {
            // The handler is told the address.
            self.concretize(s, Value::symbolic(address), 64)
        } else {
            self.eval(s, address)
        };
        let here = s.memory.check_access(at, u64::from(bytes), write);
        Err(self.fault(s, &here.err().unwrap_or(all)))
    }

    /// A load at a symbolic address in lo..=hi may not meet a byte that was never written (`--check uninit`).
    fn is_written(
        &mut self,
        s: &mut State,
        object: &Object,
        address: Term,
        (lo, hi): (u64, u64),
        bytes: u32,
    ) -> Result<(), Termination> {
        let size = u64::from(bytes);
        let (runs, more) = s.memory.unwritten(object, lo, hi + size, MAX_UNWRITTEN);
        if more {
            self.lose(Loss::Resolutions);
        }
        let mut written = self.reason.pool.tru();
        for &(first, end) in &runs {
            let meets = self.inside(address, lo.max((first + 1).saturating_sub(size)), end - 1);
            let apart = self.reason.pool.not(meets);
            written = self.reason.pool.and(written, apart);
        }
        self.demand(s, written, |m, s| {
            let at = m.eval(s, address);
            let fault = Fault {
                kind: FaultKind::Uninitialized,
                address: at,
                size,
                write: false,
                object: Some(*object),
            };
            m.fault(s, &fault)
        })
    }

    /// The program error that a fault is.
    pub fn fault(&mut self, s: &State, f: &Fault) -> Termination {
        let beyond = |o: &Object| f.kind == FaultKind::UseAfterScope && o.tag == Frame::VARARGS;
        if f.object.as_ref().is_some_and(beyond) {
            let text = "more variable arguments are read than were passed".to_string();
            return self.error(s, ErrorKind::OutOfBounds, text);
        }
        let object = f.object.map(|o| self.sized(s, &o));
        let fault = Fault { object, ..*f };
        let message = fault.message(&|o| self.object_name(s, o));
        let mut error = self.error(s, fault_kind(f), message);
        if let Termination::Error(e) = &mut error {
            e.object = WrongAccess::of(&fault);
            if self.links.environment.catches(s, f) {
                self.turn.caught = Some((*f, e.clone()));
            } else {
                self.links.environment.clone().uncaught(self, s, f);
            }
        }
        error
    }

    /// The target of a load at a symbolic address, and the address after the path was split by the classes of its states.
    fn resolve_by_classes(
        &mut self,
        s: &mut State,
        address: Term,
        bytes: u32,
    ) -> Result<(AccessTarget, Term), Termination> {
        let settled = self.by_classes(s, address);
        if settled != address {
            // The object is the one in which the constant part of the address is as the program has it.
            let sum = Sum::of(&self.reason.pool, address);
            let base = sum.and_then(|sum| {
                let object = s.memory.object_at(sum.constant)?;
                (object.live && object.contains(sum.constant)).then_some(object)
            });
            let bounds = self.bounds_of(s, settled);
            if let Some(base) = base {
                let end = Machine::certain_end(s, &base);
                let last = end.checked_sub(u64::from(bytes));
                if bounds.lo >= base.start && last.is_some_and(|last| bounds.hi <= last) {
                    return Ok((AccessTarget::within(base, bytes, &bounds), settled));
                }
            }
        }
        Ok((self.resolve(s, address, bytes, false)?, address))
    }

    /// Resolves an access of `bytes` at a symbolic address on this path.
    fn resolve(
        &mut self,
        s: &mut State,
        address: Term,
        bytes: u32,
        write: bool,
    ) -> Result<AccessTarget, Termination> {
        let at = self.eval(s, address);
        let mut access = Access {
            address,
            at,
            bytes,
            write,
        };
        let fits = |o: &Object, at: u64| {
            o.live && at >= o.start && at - o.start + u64::from(bytes) <= o.size
        };
        let mut object = s.memory.object_at(at).filter(|o| fits(o, at));
        let is_in = |o: &Object, bounds: &Bounds| {
            let last = Machine::certain_end(s, o).saturating_sub(u64::from(bytes));
            bounds.lo >= o.start && bounds.hi <= last
        };
        let pool = &self.reason.pool;
        let by_byte = self.reason.solver.byte_bounds(pool, &s.path, address);
        if let (Some(o), Some(bounds)) = (object, by_byte)
            && is_in(&o, &bounds)
        {
            return Ok(AccessTarget::within(o, bytes, &bounds));
        }
        let mut bounds = self.bounds_of(s, address);
        let is_within = |o: &Object| is_in(o, &bounds);
        if !object.as_ref().is_some_and(is_within) {
            match self.home(s, &access, &bounds) {
                Home::Object(home) => {
                    let place = self.at_home(s, &access, home, bounds)?;
                    if !s.memory.is_divided(&home) {
                        return Ok(place);
                    }
                    // It is in the mapping; in which part of it, is to be told yet.
                    access.at = self.eval(s, address);
                    object = s.memory.object_at(access.at).filter(|o| fits(o, access.at));
                    bounds = self.bounds_of(s, address);
                }
                Home::Left(home) => return Err(self.stray(s, &access, home)),
                Home::Unknown => {}
                Home::Undecided => {
                    self.lose(Loss::Resolutions);
                    if self.decider.records() {
                        // A run whose address is in the object knows its home, and decides something else.
                        return Err(Termination::Cut(Ending::Undecided));
                    }
                }
            }
        }
        let Some(object) = object else {
            let size = u64::from(bytes);
            if s.memory.check_access(access.at, size, write).is_ok() {
                // It begins in one part of a mapping and ends in the next.
                let at = self.concretize(s, Value::symbolic(address), 64);
                return Ok(AccessTarget::Concrete(at));
            }
            return Err(self.unresolved(s, &access));
        };
        let last = Machine::certain_end(s, &object).saturating_sub(u64::from(bytes));
        if bounds.lo < object.start || bounds.hi > last {
            let inside = self.inside_object(s, &object, address, bytes);
            if s.retries < self.options.max_resolutions {
                let (_, child) = self.split(s, inside, Origin::BoundsCheck, ChoiceKind::Resolve);
                if let Some(child) = child {
                    self.fork_again(child);
                }
            } else {
                self.lose(Loss::Resolutions);
                s.concretized = true;
                self.assume(s, inside, Origin::Concretized);
            }
        }
        Ok(AccessTarget::within(object, bytes, &bounds))
    }

    /// An access whose address was derived from this object: outside of it, an error.
    fn at_home(
        &mut self,
        s: &mut State,
        access: &Access,
        home: Object,
        mut bounds: Bounds,
    ) -> Result<AccessTarget, Termination> {
        let inside = self.inside_object(s, &home, access.address, access.bytes);
        self.demand(s, inside, |m, s| {
            let at = m.eval(s, access.address);
            m.stray(s, &Access { at, ..*access }, Some(home))
        })?;
        if s.memory.bound_of(&home).is_some() {
            // The size says more than the room.
            bounds = self.bounds_of(s, access.address);
        }
        Ok(AccessTarget::within(home, access.bytes, &bounds))
    }

    /// The error of an access that was derived from another object than it hits, or from none.
    fn stray(&mut self, s: &State, access: &Access, home: Option<Object>) -> Termination {
        let (address, size) = (access.at, u64::from(access.bytes));
        let kind = match s.memory.check_access(address, size, access.write) {
            Err(fault) if fault.kind == FaultKind::Null => FaultKind::Null,
            // In front of a null pointer: `a[n - 1]` of no elements.
            _ if home.is_none() && address.wrapping_neg() <= BEFORE_NULL => FaultKind::Null,
            _ if home.is_none() => FaultKind::Unmapped,
            _ => FaultKind::OutOfBounds,
        };
        let fault = Fault {
            kind,
            address,
            size,
            write: access.write,
            object: home,
        };
        self.fault(s, &fault)
    }

    /// Bounds of a value, without a query.
    pub fn bounds_of(&mut self, s: &State, address: Term) -> Bounds {
        self.reason.solver.meter.enter();
        let bounds = self.reason.solver.bounds(
            &mut self.reason.pool,
            address,
            true,
            Ask::new(&s.path, &s.witness, &self.options.budget),
        );
        self.reason.solver.meter.leave();
        bounds
    }

    /// `first <= address <= last` as one unsigned comparison.
    pub fn inside(&mut self, address: Term, first: u64, last: u64) -> Term {
        let base = self.reason.pool.bv(64, first);
        let offset = self.reason.pool.sub(address, base);
        let room = self.reason.pool.bv(64, last - first);
        self.reason.pool.ule(offset, room)
    }

    /// The witness's address is in no object: an error, once the other objects were tried.
    fn unresolved(&mut self, s: &mut State, access: &Access) -> Termination {
        let &Access {
            address,
            at,
            bytes,
            write,
        } = access;
        let Err(fault) = s.memory.check_access(at, u64::from(bytes), write) else {
            return Termination::Internal(format!("no object at {at:#x}, yet it is mapped"));
        };
        let bounds = self.bounds_of(s, address);
        let most = if self.decider.records() {
            MAX_RECORDED
        } else {
            MAX_CANDIDATES
        };
        let mut candidates: Vec<Object> = Vec::new();
        let reach = bounds.hi.saturating_add(u64::from(bytes));
        for o in s.memory.objects_between(bounds.lo, reach) {
            if o.size >= u64::from(bytes) {
                candidates.push(o);
            }
            if candidates.len() > most {
                self.lose(Loss::Resolutions);
                break;
            }
        }
        candidates.truncate(most);
        let outsides: Vec<Term> = candidates
            .iter()
            .map(|o| {
                let inside = self.inside(address, o.start, o.start + o.size - u64::from(bytes));
                self.reason.pool.not(inside)
            })
            .collect();
        if self.decider.records() {
            // One decision, whose alternatives exclude each other: an object each, or none of them. Other runs that
            // come here decide on theirs.
            let first = self.reason.pool.tru();
            let wild = outsides
                .iter()
                .fold(first, |all, &c| self.reason.pool.and(all, c));
            self.split(s, wild, Origin::BoundsCheck, ChoiceKind::Resolve);
            return self.fault(s, &fault);
        }
        for outside in outsides {
            let (_, child) = self.split(s, outside, Origin::BoundsCheck, ChoiceKind::Resolve);
            if let Some(child) = child {
                self.fork_again(child);
            }
        }
        self.fault(s, &fault)
    }

    /// A concrete address for an engine operation that reads or writes a run of bytes.
    #[inline]
    pub fn concrete_address(&mut self, s: &mut State, v: Value) -> u64 {
        self.concretize(s, v, 64)
    }
}

/// The target of an access.
enum AccessTarget {
    Concrete(u64),
    /// Somewhere in the object, the first byte at `lo..=hi`.
    Window {
        object: Object,
        lo: u64,
        hi: u64,
    },
}

impl AccessTarget {
    /// An access that stays in the object, its address within bounds.
    fn within(object: Object, bytes: u32, bounds: &Bounds) -> AccessTarget {
        let lo = bounds.lo.max(object.start);
        let hi = bounds.hi.min(object.end() - u64::from(bytes));
        if lo == hi {
            AccessTarget::Concrete(lo)
        } else {
            AccessTarget::Window { object, lo, hi }
        }
    }
}
