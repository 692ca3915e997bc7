//! The malloc family on the engine's allocator, with the family of functions to which each object belongs.
//!
//! `operator new` and the like are code (`runtime/rt/cxx.c`) that calls `malloc` and marks the object through
//! `__polypath_new`; `__polypath_delete` checks the mark before the object is freed. A program's own operators mark
//! nothing: the memory that they get from `malloc` belongs to `malloc`.

use super::Table;
use super::process::errno_address;
use exec::Machine;
use exec::State;
use exec::sizes::Size;
use exec::{Call, Done};
use exec::{ErrorKind, Termination};
use memory::{FreeFault, FreeFaultKind, Value};
use std::fmt;
use vocab::Check;

pub const TABLE: Table = &[
    ("malloc", malloc),
    ("calloc", calloc),
    ("realloc", realloc),
    ("reallocarray", reallocarray),
    ("free", free),
    ("memalign", memalign),
    ("aligned_alloc", memalign),
    ("posix_memalign", posix_memalign),
    ("malloc_usable_size", usable_size),
    ("__libc_malloc", malloc),
    ("__libc_free", free),
    ("__libc_calloc", calloc),
    ("__libc_realloc", realloc),
    ("__polypath_new", belongs_to_new),
    ("__polypath_delete", belongs_to_delete),
];

/// The functions that allocated an object, as the number that memory keeps: 0 is `malloc` and the like; otherwise bit
/// 0 is set, bit 1 means `new[]`, and the bits above have the logarithm of a requested alignment.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Family(u8);

impl Family {
    const MALLOC: Family = Family(0);

    fn of_new(is_array: bool, alignment: u64) -> Family {
        let log = alignment.max(1).ilog2() as u8;
        Family(1 | u8::from(is_array) << 1 | log << 2)
    }

    /// The allocating functions, or, with the names for them, the functions that free.
    fn shown(self, malloc: &str, new: &str) -> String {
        let brackets = if self.0 & 2 != 0 { "[]" } else { "" };
        match self.0 >> 2 {
            _ if self == Family::MALLOC => malloc.to_string(),
            0 => format!("operator {new}{brackets}"),
            log => format!(
                "operator {new}{brackets} for an alignment of {}",
                1u64 << log
            ),
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown("malloc", "new"))
    }
}

/// An object that begins at an address is freed by a function of some family, which has to be its own. Whether there is
/// one to free is asked elsewhere.
fn check_family(
    m: &mut Machine,
    s: &State,
    at: u64,
    family: Family,
    by: &str,
) -> Result<(), Termination> {
    let has = s.memory.family(at).map_or(family, Family);
    if has == family || !m.options.checks.has(Check::Alloc) {
        return Ok(());
    }
    let object = s.memory.object_at(at);
    let object = object.map_or("memory".into(), |o| {
        m.sized(s, &o).describe(&|o| m.object_name(s, o))
    });
    let text = format!("{object} by {has} is freed by {by}");
    Err(m.error(s, ErrorKind::MismatchedFree, text))
}

/// `void __polypath_new(void *p, int is_array, size_t alignment)`
fn belongs_to_new(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let at = m.concrete_address(s, c.arg(0));
    let (is_array, alignment) = (
        m.concretize(s, c.arg(1), 32) != 0,
        m.concretize(s, c.arg(2), 64),
    );
    s.memory
        .set_family(at, Family::of_new(is_array, alignment).0);
    Ok(Done::Next)
}

/// `void __polypath_delete(void *p, int is_array, size_t size, size_t alignment)`: `free(p)` follows.
fn belongs_to_delete(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let at = m.concrete_address(s, c.arg(0));
    let (is_array, alignment) = (
        m.concretize(s, c.arg(1), 32) != 0,
        m.concretize(s, c.arg(3), 64),
    );
    let family = Family::of_new(is_array, alignment);
    let by = family.shown("free", "delete");
    check_family(m, s, at, family, &by)?;
    if let Some(size) = s.memory.usable_size(at)
        && m.options.checks.has(Check::Alloc)
    {
        let object = s.memory.object_at(at);
        let bound = object.and_then(|o| s.memory.bound_of(&o));
        let has = bound.map_or_else(|| m.reason.pool.bv(64, size), |(term, _)| term);
        let says = m.term(c.arg(2), 64u32);
        let zero = m.reason.pool.bv(64, 0);
        let (is_said, is_other) = (m.reason.pool.ne(says, zero), m.reason.pool.ne(says, has));
        let bad = m.reason.pool.and(is_said, is_other);
        let object = object.map_or("memory".into(), |o| {
            m.sized(s, &o).describe(&|o| m.object_name(s, o))
        });
        let says = m.eval_value(s, c.arg(2));
        m.forbid(s, bad, ErrorKind::MismatchedFree, || {
            format!("{object} is freed by {by} for an object of {says} bytes")
        })?;
    }
    s.memory.set_family(at, Family::MALLOC.0);
    Ok(Done::Next)
}

/// Alignment of what malloc returns.
const ALIGN: u64 = 16;
const ENOMEM: u64 = 12;
const EINVAL: u64 = 22;

/// A new heap object, 0 if there is no room. Asks before it changes anything.
fn allocate(m: &mut Machine, s: &mut State, size: Value, align: u64, zeroed: bool) -> u64 {
    let limit = s.memory.checks().max_object;
    let (size, term) = match m.allocation_size(s, size, limit) {
        Size::Known(size) => (size, None),
        Size::Symbolic(term, room) => (room, Some(term)),
        Size::TooLarge { may_be_real } => {
            if may_be_real {
                refused(m, &format!("an allocation of more than {limit} bytes"));
            }
            return 0;
        }
    };
    // Where the program asks for it, be it by way of libc.
    let own = m.positions(s).find(|&(f, _)| !m.is_library(f));
    let site = own.map_or(s.hot.pc, |(_, pc)| pc);
    let Some(at) = s.memory.malloc(&mut m.tlb, size, align, zeroed, site) else {
        let most = s.memory.checks().max_heap;
        refused(
            m,
            &format!("allocations of more than {most} bytes together"),
        );
        return 0;
    };
    if let Some(term) = term {
        s.memory.set_bound(&mut m.tlb, at, term);
    }
    at
}

/// A real system may have room where our limits say that there is none.
fn refused(m: &mut Machine, what: &str) {
    *m.stats.refused.entry(what.to_string()).or_default() += 1;
    m.warn_once(format!("{what} was refused: malloc returned null"));
}

/// The pointer for the program; `errno` tells why there is none.
fn answer(m: &mut Machine, s: &mut State, at: u64) -> Result<Done, Termination> {
    if at == 0 {
        set_errno(m, s, ENOMEM)?;
    }
    Ok(Done::Value(Value::concrete(at)))
}

fn set_errno(m: &mut Machine, s: &mut State, number: u64) -> Result<(), Termination> {
    let at = errno_address(s);
    m.store(s, at, 4, Value::concrete(number))
}

fn malloc(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let at = allocate(m, s, c.arg(0), ALIGN, false);
    answer(m, s, at)
}

/// `a * b` as a value of 64 bits that is huge when the product does not fit.
fn product(m: &mut Machine, a: Value, b: Value) -> Value {
    if Machine::is_concrete(a) && Machine::is_concrete(b) {
        return Value::concrete(a.bits.saturating_mul(b.bits));
    }
    let [x, y] = [a, b].map(|n| {
        let n = m.fit(n, 64);
        m.term(n, 64u32)
    });
    let overflow = exec::overflows(&mut m.reason.pool, ir::BinOp::Mul, false, 64, x, y);
    let n = m.reason.pool.mul(x, y);
    let huge = m.reason.pool.bv(64, u64::MAX);
    let t = m.reason.pool.ite(overflow, huge, n);
    m.value(t)
}

fn calloc(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let n = product(m, c.arg(0), c.arg(1));
    let at = allocate(m, s, n, ALIGN, true);
    answer(m, s, at)
}

fn resize(m: &mut Machine, s: &mut State, p: Value, n: Value) -> Result<Done, Termination> {
    let old = m.concrete_address(s, p);
    if old == 0 {
        let at = allocate(m, s, n, ALIGN, false);
        return answer(m, s, at);
    }
    let from = s.memory.object_at(old);
    let Some(from) = from.filter(|_| s.memory.usable_size(old).is_some()) else {
        let freed = s.memory.free(&mut m.tlb, old);
        return freed.map(|()| Done::Next).map_err(|f| free_error(m, s, &f));
    };
    check_family(m, s, old, Family::MALLOC, "realloc")?;
    // Always a new place, so that stale pointers are found.
    let new = allocate(m, s, n, ALIGN, false);
    let Some(to) = s.memory.object_at(new).filter(|_| new != 0) else {
        return answer(m, s, 0);
    };
    let count = from.size.min(to.size);
    let is_bounded = |o| s.memory.bound_of(o).is_some();
    let (pool, tlb) = (&mut m.reason.pool, &mut m.tlb);
    let is_bounded_before = is_bounded(&from);
    if is_bounded_before || is_bounded(&to) {
        s.memory.copy_content(pool, tlb, &to, &from, count);
        if !is_bounded_before && to.size <= from.size {
            // It is the same input, of which only a part is there.
            s.objects.moved(old, new);
        }
    } else {
        s.memory
            .copy(pool, tlb, new, old, count)
            .map_err(|f| m.fault(s, &f))?;
    }
    s.memory
        .free(&mut m.tlb, old)
        .map_err(|f| free_error(m, s, &f))?;
    Ok(Done::Value(Value::concrete(new)))
}

fn realloc(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    resize(m, s, c.arg(0), c.arg(1))
}

fn reallocarray(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let n = product(m, c.arg(1), c.arg(2));
    resize(m, s, c.arg(0), n)
}

fn free(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let at = m.concrete_address(s, c.arg(0));
    if at != 0 {
        check_family(m, s, at, Family::MALLOC, "free")?;
        s.memory
            .free(&mut m.tlb, at)
            .map_err(|f| free_error(m, s, &f))?;
    }
    Ok(Done::Next)
}

fn free_error(m: &Machine, s: &State, f: &FreeFault) -> Termination {
    let kind = match f.kind {
        FreeFaultKind::AlreadyFreed => ErrorKind::DoubleFree,
        FreeFaultKind::NotHeap | FreeFaultKind::NotStart => ErrorKind::InvalidFree,
    };
    m.error(s, kind, f.message(&|o| m.object_name(s, o)))
}

/// Alignments from here on are too large for musl.
const LARGEST_ALIGN: u64 = 1 << 35;

fn memalign(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let align = m.concretize(s, c.arg(0), 64);
    // As musl: none at all is an ordinary one.
    if align != 0 && !align.is_power_of_two() {
        set_errno(m, s, EINVAL)?;
        return Ok(Done::Value(Value::concrete(0)));
    }
    let at = aligned(m, s, c.arg(1), align);
    answer(m, s, at)
}

fn aligned(m: &mut Machine, s: &mut State, size: Value, align: u64) -> u64 {
    if align >= LARGEST_ALIGN {
        return 0;
    }
    allocate(m, s, size, align.max(ALIGN), false)
}

fn posix_memalign(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let align = m.concretize(s, c.arg(1), 64);
    if !align.is_power_of_two() || align < 8 {
        return Ok(Done::Value(Value::concrete(EINVAL)));
    }
    // Where the pointer goes is asked before there is one.
    let to = m.concrete_address(s, c.arg(0));
    m.admit(s, to, 8, true)?;
    let at = aligned(m, s, c.arg(2), align);
    if at == 0 {
        return Ok(Done::Value(Value::concrete(ENOMEM)));
    }
    m.store(s, Value::concrete(to), 8, Value::concrete(at))?;
    Ok(Done::Value(Value::concrete(0)))
}

fn usable_size(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let at = m.concrete_address(s, c.arg(0));
    let Some(size) = s.memory.usable_size(at) else {
        if at != 0 && m.options.checks.has(Check::Libc) {
            let text =
                format!("malloc_usable_size of {at:#x}, which is not the start of a heap object");
            return Err(m.error(s, ErrorKind::Misuse, text));
        }
        return Ok(Done::Value(Value::concrete(0)));
    };
    let object = s.memory.object_at(at);
    let bound = object.and_then(|o| s.memory.bound_of(&o));
    Ok(Done::Value(match bound {
        Some((term, _)) => Value::symbolic(term),
        None => Value::concrete(size),
    }))
}
