//! The malloc family on the engine's allocator.

use super::{Call, Done, Table};
use crate::errors::{ErrorKind, Termination};
use crate::machine::Machine;
use crate::slow::concrete_value;
use crate::state::State;
use crate::trail::ChoiceKind;
use memory::{FreeFault, FreeFaultKind, Value};

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
];

/// Alignment of what malloc returns.
const ALIGN: u64 = 16;
/// A symbolic size above this is the "failing" size.
const FAILING: u64 = 1 << 31;
/// The "ordinary" symbolic size.
const ORDINARY: u64 = 128;
const ENOMEM: u64 = 12;
const EINVAL: u64 = 22;

/// A concrete size. A symbolic one explores a small, an ordinary and a failing size, each a fork of
/// its own with the size as a recorded conjunct (origin "concretised").
fn size(m: &mut Machine, s: &mut State, v: Value) -> u64 {
    if Machine::is_concrete(v) {
        return v.bits;
    }
    let pool = &mut m.pool;
    let (failing, ordinary) = (pool.bv(64, FAILING), pool.bv(64, ORDINARY));
    let fails = pool.ugt(v.term, failing);
    if m.decide(s, fails, ChoiceKind::AllocationSize) {
        return u64::MAX;
    }
    // Re-executed forks find their class decided already; within it the witness's value stands for
    // the others, which is cut off, recorded and counted.
    let large = m.pool.ugt(v.term, ordinary);
    m.decide(s, large, ChoiceKind::AllocationSize);
    let value = m.eval(s, v.term);
    let c = m.pool.bv(64, value);
    let same = m.pool.eq(v.term, c);
    if m.pool.as_const(same).is_none() {
        m.stats.concretizations += 1;
        s.concretized = true;
        m.assume(s, same, solver::Origin::Concretised);
    }
    value
}

fn allocate(m: &mut Machine, s: &mut State, size: u64, align: u64, zeroed: bool) -> u64 {
    let site = s.pc;
    if size > i64::MAX as u64 {
        return 0;
    }
    let at = s.memory.malloc(&mut m.tlb, size, align, zeroed, site);
    if at.is_none() {
        m.warn_once(format!(
            "an allocation of {size} bytes was refused: malloc returned null"
        ));
    }
    at.unwrap_or(0)
}

fn malloc(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let n = size(m, s, c.arg(0));
    Ok(Done::Value(concrete_value(allocate(m, s, n, ALIGN, false))))
}

/// `a * b` as a value of 64 bits that is huge when the product does not fit.
fn product(m: &mut Machine, a: Value, b: Value) -> Value {
    if Machine::is_concrete(a) && Machine::is_concrete(b) {
        return concrete_value(a.bits.saturating_mul(b.bits));
    }
    let (x, y) = (m.term(a, 64u32), m.term(b, 64u32));
    let overflow = crate::check::overflows(&mut m.pool, ir::BinOp::Mul, false, 64, x, y);
    let n = m.pool.mul(x, y);
    let huge = m.pool.bv(64, u64::MAX);
    let t = m.pool.ite(overflow, huge, n);
    m.value(t)
}

fn calloc(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let n = product(m, c.arg(0), c.arg(1));
    let n = size(m, s, n);
    Ok(Done::Value(concrete_value(allocate(m, s, n, ALIGN, true))))
}

fn resize(m: &mut Machine, s: &mut State, p: Value, n: Value) -> Result<Done, Termination> {
    let n = size(m, s, n);
    let old = m.concrete_address(s, p);
    if old == 0 {
        return Ok(Done::Value(concrete_value(allocate(m, s, n, ALIGN, false))));
    }
    match s.memory.realloc(&mut m.pool, &mut m.tlb, old, n, s.pc) {
        Ok(new) => Ok(Done::Value(concrete_value(new.unwrap_or(0)))),
        Err(f) => Err(free_error(m, s, &f)),
    }
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

fn memalign(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let align = m.concretize(s, c.arg(0), 64);
    let n = size(m, s, c.arg(1));
    if !align.is_power_of_two() {
        return Ok(Done::Value(concrete_value(0)));
    }
    Ok(Done::Value(concrete_value(allocate(
        m,
        s,
        n,
        align.max(ALIGN),
        false,
    ))))
}

fn posix_memalign(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let align = m.concretize(s, c.arg(1), 64);
    let n = size(m, s, c.arg(2));
    if !align.is_power_of_two() || align < 8 {
        return Ok(Done::Value(concrete_value(EINVAL)));
    }
    let at = allocate(m, s, n, align.max(ALIGN), false);
    if at == 0 {
        return Ok(Done::Value(concrete_value(ENOMEM)));
    }
    m.store(s, c.arg(0), 8, concrete_value(at))?;
    Ok(Done::Value(concrete_value(0)))
}

fn usable_size(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let at = m.concrete_address(s, c.arg(0));
    Ok(Done::Value(concrete_value(
        s.memory.usable_size(at).unwrap_or(0),
    )))
}
