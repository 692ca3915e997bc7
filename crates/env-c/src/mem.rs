//! `memcpy` and its family: whole runs of bytes, no word-at-a-time loops to see through.

use super::Table;
use exec::ChoiceKind;
use exec::Machine;
use exec::State;
use exec::{Bulk, size_text};
use exec::{Call, Done};
use exec::{ErrorKind, Termination};
use memory::Value;
use term::Term;
use vocab::Check;

pub const TABLE: Table = &[
    ("memcpy", memcpy),
    ("memmove", memmove),
    ("mempcpy", mempcpy),
    ("memset", memset),
    ("memcmp", memcmp),
    ("bcmp", memcmp),
    ("memchr", memchr),
    ("strlen", strlen),
];

fn memcpy(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    m.copy_bytes(s, Bulk::MEMCPY, c.arg(0), c.arg(1), c.arg(2))?;
    Ok(Done::Value(c.arg(0)))
}

fn memmove(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    m.copy_bytes(s, Bulk::MEMMOVE, c.arg(0), c.arg(1), c.arg(2))?;
    Ok(Done::Value(c.arg(0)))
}

fn mempcpy(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let what = Bulk {
        name: "mempcpy",
        ..Bulk::MEMCPY
    };
    m.copy_bytes(s, what, c.arg(0), c.arg(1), c.arg(2))?;
    if Machine::is_concrete(c.arg(2)) && c.arg(2).bits == 0 {
        return Ok(Done::Value(c.arg(0)));
    }
    // Both are settled by now.
    let dst = m.concrete_address(s, c.arg(0));
    let len = m.concretize(s, c.arg(2), 64);
    Ok(Done::Value(Value::concrete(dst.wrapping_add(len))))
}

fn memset(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let byte = c.arg(1);
    let byte = if byte.term.is_none() {
        Value::concrete(byte.bits & 0xff)
    } else {
        let t = m.reason.pool.extract(7, 0, byte.term);
        m.value(t)
    };
    m.fill_bytes(s, c.arg(0), byte, c.arg(2))?;
    Ok(Done::Value(c.arg(0)))
}

/// One term instead of a fork per byte: the sign of the first difference.
///
/// C says that both ranges are read whole (7.24.4.1), as `--check memcmp` demands. Without it the function does
/// what machines do: it reads up to the first difference. A byte that cannot be read is an error where all
/// before it can be equal.
fn memcmp(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let len = m.concretize(s, c.arg(2), 64);
    let (a, b) = (
        m.concrete_address(s, c.arg(0)),
        m.concrete_address(s, c.arg(1)),
    );
    if len > i64::MAX as u64 && m.options.checks.has(Check::Memcmp) {
        let text = format!("memcmp with size {}", size_text(len));
        return Err(m.error(s, ErrorKind::OutOfBounds, text));
    }
    if m.options.checks.has(Check::Memcmp) {
        for at in [a, b] {
            m.check_bytes(s, at, Value::concrete(len), false)?;
        }
    }
    let mut differences: Vec<(Value, Value)> = Vec::new();
    let mut decided = 0i32;
    for i in 0..len {
        m.may_go_on()?;
        let both = [a, b].map(|at| m.load(s, Value::concrete(at.wrapping_add(i)), 1));
        let (x, y) = match both {
            [Ok(x), Ok(y)] => (x, y),
            [Err(t), _] | [_, Err(t)] => {
                unless_different(m, s, &differences, t)?;
                break;
            }
        };
        if Machine::is_concrete(x) && Machine::is_concrete(y) {
            if x.bits != y.bits {
                decided = x.bits as i32 - y.bits as i32;
                break;
            }
        } else if x != y {
            differences.push((x, y));
        }
    }
    let mut result = m.reason.pool.bv(32, decided as u32 as u64);
    for (x, y) in differences.into_iter().rev() {
        let (x, y) = (m.term(x, 8u32), m.term(y, 8u32));
        let same = m.reason.pool.eq(x, y);
        let (x, y) = (m.reason.pool.zext(32, x), m.reason.pool.zext(32, y));
        let difference = m.reason.pool.sub(x, y);
        result = m.reason.pool.ite(same, result, difference);
    }
    Ok(Done::Value(m.value(result)))
}

/// A read behind these bytes ended so: that is how the path ends, unless some of them may differ. Then it
/// goes on with that.
fn unless_different(
    m: &mut Machine,
    s: &mut State,
    compared: &[(Value, Value)],
    end: Termination,
) -> Result<(), Termination> {
    let Termination::Error(e) = end else {
        return Err(end);
    };
    let mut equal = m.reason.pool.tru();
    for &(x, y) in compared {
        let (x, y) = (m.term(x, 8u32), m.term(y, 8u32));
        let same = m.reason.pool.eq(x, y);
        equal = m.reason.pool.and(equal, same);
    }
    m.forbid(s, equal, e.kind, || e.message)
}

/// Is this byte equal to `wanted`? Forks when it may or may not be.
fn is(m: &mut Machine, s: &mut State, byte: Value, wanted: Value) -> bool {
    if Machine::is_concrete(byte) && Machine::is_concrete(wanted) {
        return byte.bits == wanted.bits;
    }
    let (x, y) = (m.term(byte, 8u32), m.term(wanted, 8u32));
    let same: Term = m.reason.pool.eq(x, y);
    m.decide(s, same, ChoiceKind::Inner)
}

fn memchr(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let len = m.concretize(s, c.arg(2), 64);
    let at = m.concrete_address(s, c.arg(0));
    let wanted = c.arg(1);
    let wanted = if wanted.term.is_none() {
        Value::concrete(wanted.bits & 0xff)
    } else {
        let t = m.reason.pool.extract(7, 0, wanted.term);
        m.value(t)
    };
    for i in 0..len {
        m.may_go_on()?;
        let byte = m.load(s, Value::concrete(at.wrapping_add(i)), 1)?;
        if is(m, s, byte, wanted) {
            return Ok(Done::Value(Value::concrete(at.wrapping_add(i))));
        }
    }
    Ok(Done::Value(Value::concrete(0)))
}

fn strlen(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let at = m.concrete_address(s, c.arg(0));
    let mut len = 0u64;
    loop {
        m.may_go_on()?;
        let byte = m.load(s, Value::concrete(at.wrapping_add(len)), 1)?;
        if is(m, s, byte, Value::concrete(0)) {
            return Ok(Done::Value(Value::concrete(len)));
        }
        len += 1;
    }
}
