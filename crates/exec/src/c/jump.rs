//! `setjmp` and `longjmp`: the engine keeps the jump points, keyed by the buffer's address.

use super::Table;
use super::process::{process, process_mut};
use crate::environment::{Call, Done};
use crate::errors::Termination;
use crate::machine::Machine;
use crate::state::State;
use ir::{FuncId, Pc, Reg};
use memory::{Mark, Value};
use std::rc::Rc;

/// Where `longjmp` goes back to.
#[derive(Clone, Debug)]
pub struct JumpPoint {
    frames: usize,
    function: FuncId,
    return_pc: Pc,
    dst: Reg,
    /// Width of the result that the call of `setjmp` expects, if any.
    result: Option<u16>,
    mark: Mark,
}

pub const TABLE: Table = &[
    ("setjmp", setjmp),
    ("_setjmp", setjmp),
    ("__setjmp", setjmp),
    ("sigsetjmp", setjmp),
    ("__sigsetjmp", setjmp),
    ("longjmp", longjmp),
    ("_longjmp", longjmp),
    ("siglongjmp", longjmp),
];

fn setjmp(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let buffer = m.concrete_address(s, c.arg(0));
    let point = JumpPoint {
        frames: s.frames.len(),
        function: s.frame().function,
        return_pc: s.pc + 1,
        dst: c.dst,
        result: c.results.first().copied(),
        mark: s.memory.stack_mark(),
    };
    let jumps = Rc::make_mut(&mut process_mut(s).jumps);
    jumps.retain(|(b, _)| *b != buffer);
    jumps.push((buffer, point));
    Ok(Done::Value(Value::concrete(0)))
}

fn longjmp(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let buffer = m.concrete_address(s, c.arg(0));
    let found = process(s)
        .jumps
        .iter()
        .find(|(b, _)| *b == buffer)
        .map(|(_, p)| p.clone());
    let Some(point) = found else {
        return Err(m.unsupported(s, "longjmp to a buffer that setjmp did not fill"));
    };
    let alive =
        point.frames <= s.frames.len() && s.frames[point.frames - 1].function == point.function;
    if !alive {
        return Err(m.unsupported(s, "longjmp into a function that has returned"));
    }
    let value = c.arg(1);
    let value = if Machine::is_concrete(value) {
        Value::concrete(value.bits.max(1))
    } else {
        let zero = m.pool.bv(32, 0);
        let one = m.pool.bv(32, 1);
        let is_zero = m.pool.eq(value.term, zero);
        let t = m.pool.ite(is_zero, one, value.term);
        m.value(t)
    };
    s.frames.truncate(point.frames);
    s.memory.stack_release(&mut m.tlb, point.mark);
    m.set_result(s, point.dst, point.result.as_slice(), value);
    m.goto(s, point.return_pc)?;
    Ok(Done::Moved)
}
