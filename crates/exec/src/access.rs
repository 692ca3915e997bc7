//! Loads and stores, and what a symbolic address means.
//!
//! If interval or solver prove that the whole access stays inside one object, the access is a `select`/`store`
//! on that object's array term. Otherwise, if the object is known that the address was derived from
//! (`provenance`), what leaves it is an error. Else the witness names the object, and the rest is forked off: a
//! sibling re-executes the instruction with "not in this object" on its path, so each fork resolves one object,
//! up to a limit that is counted. A witness that hits no object is then an error; before that path ends, the
//! objects in the address's range get their chance.

use crate::errors::{Termination, fault_kind};
use crate::machine::{Machine, Policy};
use crate::provenance::Home;
use crate::state::State;
use crate::trail::ChoiceKind;
use memory::{Fault, FaultKind, Object, Value};
use solver::{Bounds, NoTrials, Origin};
use term::Term;

/// Objects asked about when the witness's address hits none.
const MAX_CANDIDATES: usize = 32;
/// As many in one decision of a recorded run: left out, an object would be reached by what is told as reaching none.
const MAX_RECORDED: usize = 1024;

impl Machine {
    pub(crate) fn load(
        &mut self,
        s: &mut State,
        address: Value,
        bytes: u32,
    ) -> Result<Value, Termination> {
        if address.term.is_none() {
            return s
                .memory
                .load(&mut self.pool, &mut self.tlb, address.bits, bytes)
                .map_err(|f| self.fault(s, &f));
        }
        match self.resolve(s, address.term, bytes, false)? {
            Place::Concrete(at) => s
                .memory
                .load(&mut self.pool, &mut self.tlb, at, bytes)
                .map_err(|f| self.fault(s, &f)),
            Place::Window { object, lo, hi } => {
                let (pool, tlb) = (&mut self.pool, &mut self.tlb);
                s.memory
                    .load_indexed(pool, tlb, &object, address.term, lo, hi, bytes)
                    .map_err(|f| self.fault(s, &f))
            }
        }
    }

    pub(crate) fn store(
        &mut self,
        s: &mut State,
        address: Value,
        bytes: u32,
        value: Value,
    ) -> Result<(), Termination> {
        if address.term.is_none() {
            return s
                .memory
                .store(&mut self.pool, &mut self.tlb, address.bits, bytes, value)
                .map_err(|f| self.fault(s, &f));
        }
        match self.resolve(s, address.term, bytes, true)? {
            Place::Concrete(at) => s
                .memory
                .store(&mut self.pool, &mut self.tlb, at, bytes, value)
                .map_err(|f| self.fault(s, &f)),
            Place::Window { object, lo, hi } => s
                .memory
                .store_indexed(
                    &mut self.pool,
                    &mut self.tlb,
                    &object,
                    address.term,
                    lo,
                    hi,
                    bytes,
                    value,
                )
                .map_err(|f| self.fault(s, &f)),
        }
    }

    /// The program error that a fault is.
    pub(crate) fn fault(&mut self, s: &State, f: &Fault) -> Termination {
        let kind = fault_kind(f);
        self.error(s, kind, f.message(&|o| self.object_name(s, o)))
    }

    /// Where an access of `bytes` at a symbolic address goes on this path.
    fn resolve(
        &mut self,
        s: &mut State,
        address: Term,
        bytes: u32,
        write: bool,
    ) -> Result<Place, Termination> {
        let at = self.eval(s, address);
        let access = Access {
            address,
            at,
            bytes,
            write,
        };
        let fits =
            |o: &Object| o.live && at >= o.start && at - o.start + u64::from(bytes) <= o.size;
        let object = s.memory.object_at(at).filter(fits);
        if self.too_much_float(address) {
            if object.is_none() {
                return Err(self.unresolved(s, &access));
            }
            // As at a branch: the witness's side goes on, the rest is parked with reason float.
            self.park_float();
            let here = self.pool.bv(64, at);
            let same = self.pool.eq(address, here);
            self.assume(s, same, Origin::Resolve);
            return Ok(Place::Concrete(at));
        }
        let bounds = self.bounds_of(s, address);
        let is_within =
            |o: &Object| bounds.lo >= o.start && bounds.hi <= o.end() - u64::from(bytes);
        if !object.as_ref().is_some_and(is_within) {
            match self.home(s, &access, &bounds) {
                Home::Object(home) => {
                    return self.at_home(s, &access, home, &bounds);
                }
                Home::Left(home) => return Err(self.stray(s, &access, home)),
                Home::Unknown => {}
            }
        }
        let Some(object) = object else {
            return Err(self.unresolved(s, &access));
        };
        let (first, last) = (object.start, object.start + object.size - u64::from(bytes));
        if bounds.lo < first || bounds.hi > last {
            let inside = self.inside(address, first, last);
            if s.retries < self.options.max_resolutions {
                let (_, child) = self.split(s, inside, Origin::BoundsCheck, ChoiceKind::Resolve);
                if let Some(mut child) = child {
                    child.retries += 1;
                    self.spawned.push(child);
                }
            } else {
                self.stats.limited_resolutions += 1;
                s.concretized = true;
                self.assume(s, inside, Origin::Concretised);
            }
        }
        Ok(Place::within(object, bytes, &bounds))
    }

    /// An access whose address was derived from this object: outside of it, an error.
    fn at_home(
        &mut self,
        s: &mut State,
        access: &Access,
        home: Object,
        bounds: &Bounds,
    ) -> Result<Place, Termination> {
        let last = home.end() - u64::from(access.bytes);
        let inside = self.inside(access.address, home.start, last);
        let (is_inside, other) = self.split(s, inside, Origin::BoundsCheck, ChoiceKind::Resolve);
        match (is_inside, other) {
            (true, Some(leaving)) => {
                let at = self.eval(&leaving, access.address);
                let error = self.stray(&leaving, &Access { at, ..*access }, Some(home));
                self.ended.push((leaving, error));
            }
            (false, Some(mut staying)) => {
                staying.retries += 1;
                self.spawned.push(staying);
            }
            (_, None) => {}
        }
        match is_inside {
            true => Ok(Place::within(home, access.bytes, bounds)),
            false => Err(self.stray(s, access, Some(home))),
        }
    }

    /// The error of an access that was derived from another object than it hits, or from none.
    fn stray(&mut self, s: &State, access: &Access, home: Option<Object>) -> Termination {
        let (address, size) = (access.at, u64::from(access.bytes));
        let kind = match s.memory.check_access(address, size, access.write) {
            Err(fault) if fault.kind == FaultKind::Null => FaultKind::Null,
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

    /// Bounds of an address, without a query.
    fn bounds_of(&mut self, s: &State, address: Term) -> Bounds {
        self.solver.bounds(
            &mut self.pool,
            &s.path,
            &s.witness,
            address,
            true,
            &self.options.budget,
            &mut NoTrials,
        )
    }

    /// `first <= address <= last` as one unsigned comparison.
    pub(crate) fn inside(&mut self, address: Term, first: u64, last: u64) -> Term {
        let base = self.pool.bv(64, first);
        let offset = self.pool.sub(address, base);
        let room = self.pool.bv(64, last - first);
        self.pool.ule(offset, room)
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
        let most = match self.options.policy {
            Policy::Record => MAX_RECORDED,
            Policy::Fork => MAX_CANDIDATES,
        };
        let mut candidates: Vec<Object> = Vec::new();
        let reach = bounds.hi.saturating_add(u64::from(bytes));
        for o in s.memory.objects_between(bounds.lo, reach) {
            if o.size >= u64::from(bytes) {
                candidates.push(o);
            }
            if candidates.len() > most {
                self.stats.limited_resolutions += 1;
                break;
            }
        }
        candidates.truncate(most);
        let outsides: Vec<Term> = candidates
            .iter()
            .map(|o| {
                let inside = self.inside(address, o.start, o.start + o.size - u64::from(bytes));
                self.pool.not(inside)
            })
            .collect();
        if self.options.policy == Policy::Record {
            // One decision, whose alternatives exclude each other: an object each, or none of them. Other runs that
            // come here decide on theirs.
            let first = self.pool.tru();
            let wild = outsides.iter().fold(first, |all, &c| self.pool.and(all, c));
            self.split(s, wild, Origin::BoundsCheck, ChoiceKind::Resolve);
            return self.fault(s, &fault);
        }
        for outside in outsides {
            let (_, child) = self.split(s, outside, Origin::BoundsCheck, ChoiceKind::Resolve);
            if let Some(mut child) = child {
                child.retries += 1;
                self.spawned.push(child);
            }
        }
        self.fault(s, &fault)
    }

    /// A concrete address for an engine operation that reads or writes a run of bytes.
    pub(crate) fn concrete_address(&mut self, s: &mut State, v: Value) -> u64 {
        self.concretize(s, v, 64)
    }
}

/// An access at a symbolic address.
pub(crate) struct Access {
    pub address: Term,
    /// The address under the witness.
    pub at: u64,
    pub bytes: u32,
    pub write: bool,
}

/// Where an access goes.
enum Place {
    Concrete(u64),
    /// Somewhere in the object, the first byte at `lo..=hi`.
    Window {
        object: Object,
        lo: u64,
        hi: u64,
    },
}

impl Place {
    /// An access that stays in the object, its address within bounds.
    fn within(object: Object, bytes: u32, bounds: &Bounds) -> Place {
        let lo = bounds.lo.max(object.start);
        let hi = bounds.hi.min(object.end() - u64::from(bytes));
        match lo == hi {
            true => Place::Concrete(lo),
            false => Place::Window { object, lo, hi },
        }
    }
}
