//! `memcpy` and its family: whole runs of bytes, no word-at-a-time loops to see through.

use super::{Call, Done, Table};
use crate::errors::Termination;
use crate::machine::Machine;
use crate::slow::concrete_value;
use crate::state::State;
use crate::trail::ChoiceKind;
use memory::Value;
use term::Term;

pub const TABLE: Table = &[
    ("memcpy", memcpy),
    ("memmove", memcpy),
    ("mempcpy", mempcpy),
    ("memset", memset),
    ("memcmp", memcmp),
    ("bcmp", memcmp),
    ("memchr", memchr),
    ("strlen", strlen),
];

fn memcpy(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    m.copy_bytes(s, c.arg(0), c.arg(1), c.arg(2))?;
    Ok(Done::Value(c.arg(0)))
}

fn mempcpy(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let len = m.concretize(s, c.arg(2), 64);
    let dst = m.concrete_address(s, c.arg(0));
    m.copy_bytes(s, concrete_value(dst), c.arg(1), concrete_value(len))?;
    Ok(Done::Value(concrete_value(dst.wrapping_add(len))))
}

fn memset(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let byte = c.arg(1);
    let byte = if byte.term.is_none() {
        concrete_value(byte.bits & 0xff)
    } else {
        let t = m.pool.extract(7, 0, byte.term);
        m.value(t)
    };
    m.fill_bytes(s, c.arg(0), byte, c.arg(2))?;
    Ok(Done::Value(c.arg(0)))
}

/// One term instead of a fork per byte: the sign of the first difference.
fn memcmp(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let len = m.concretize(s, c.arg(2), 64);
    let (a, b) = (
        m.concrete_address(s, c.arg(0)),
        m.concrete_address(s, c.arg(1)),
    );
    let mut differences: Vec<(Value, Value)> = Vec::new();
    let mut decided = 0i32;
    for i in 0..len {
        let x = m.load(s, concrete_value(a.wrapping_add(i)), 1)?;
        let y = m.load(s, concrete_value(b.wrapping_add(i)), 1)?;
        if Machine::is_concrete(x) && Machine::is_concrete(y) {
            if x.bits != y.bits {
                decided = x.bits as i32 - y.bits as i32;
                break;
            }
        } else if x != y {
            differences.push((x, y));
        }
    }
    let mut result = m.pool.bv(32, decided as u32 as u64);
    for (x, y) in differences.into_iter().rev() {
        let (x, y) = (m.term(x, 8u32), m.term(y, 8u32));
        let same = m.pool.eq(x, y);
        let (x, y) = (m.pool.zext(32, x), m.pool.zext(32, y));
        let difference = m.pool.sub(x, y);
        result = m.pool.ite(same, result, difference);
    }
    Ok(Done::Value(m.value(result)))
}

/// Is this byte equal to `wanted`? Forks when it may or may not be.
fn is(m: &mut Machine, s: &mut State, byte: Value, wanted: Value) -> bool {
    if Machine::is_concrete(byte) && Machine::is_concrete(wanted) {
        return byte.bits == wanted.bits;
    }
    let (x, y) = (m.term(byte, 8u32), m.term(wanted, 8u32));
    let same: Term = m.pool.eq(x, y);
    m.decide(s, same, ChoiceKind::Inner)
}

fn memchr(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let len = m.concretize(s, c.arg(2), 64);
    let at = m.concrete_address(s, c.arg(0));
    let wanted = c.arg(1);
    let wanted = if wanted.term.is_none() {
        concrete_value(wanted.bits & 0xff)
    } else {
        let t = m.pool.extract(7, 0, wanted.term);
        m.value(t)
    };
    for i in 0..len {
        let byte = m.load(s, concrete_value(at.wrapping_add(i)), 1)?;
        if is(m, s, byte, wanted) {
            return Ok(Done::Value(concrete_value(at.wrapping_add(i))));
        }
    }
    Ok(Done::Value(concrete_value(0)))
}

fn strlen(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let at = m.concrete_address(s, c.arg(0));
    let mut len = 0u64;
    loop {
        let byte = m.load(s, concrete_value(at.wrapping_add(len)), 1)?;
        if is(m, s, byte, concrete_value(0)) {
            return Ok(Done::Value(concrete_value(len)));
        }
        len += 1;
    }
}
