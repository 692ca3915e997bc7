//! `setjmp` and `longjmp`.
//!
//! A jump buffer holds a number, for which the path has the place to return to. So a buffer can be copied, saved and
//! restored as on a machine, where it holds registers; a buffer that was never filled, or was overwritten, holds no
//! number.

use super::Table;
use super::process::{JumpPoint, process, process_mut};
use super::system_call::finish;
use exec::Machine;
use exec::State;
use exec::{Call, Done};
use exec::{ErrorKind, Termination};
use linux::{CallAnswer, Word};
use memory::Value;
use std::rc::Rc;

impl JumpPoint {
    /// Has the function that called `setjmp` not returned?
    fn is_alive(&self, s: &State) -> bool {
        let frame = self.frames.checked_sub(1).and_then(|i| s.frames().get(i));
        frame.is_some_and(|f| f.tag == self.tag)
    }
}

pub const TABLE: Table = &[
    ("setjmp", setjmp),
    ("_setjmp", setjmp),
    ("__setjmp", setjmp),
    ("sigsetjmp", sigsetjmp),
    ("__sigsetjmp", sigsetjmp),
    ("longjmp", longjmp),
    ("_longjmp", longjmp),
    ("siglongjmp", longjmp),
];

/// What the numbers in buffers begin with: no address and no small number looks like one.
const NUMBERS: u64 = 0x7a6d_6a70 << 32;
/// Words that a machine writes: eight registers. The number stands in each, so that none may be written over.
const WORDS: u64 = 8;

fn setjmp(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    fill(m, s, c, None)
}

fn sigsetjmp(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let saves = m.concretize(s, c.arg(1), 32) & 0xffff_ffff != 0;
    let mask = saves.then(|| process(s).world.signal_mask());
    fill(m, s, c, mask)
}

fn fill(
    m: &mut Machine,
    s: &mut State,
    c: &Call,
    signal_mask: Option<u64>,
) -> Result<Done, Termination> {
    let last = process(s).jumps.last().map_or(NUMBERS, |p| p.number);
    let number = last + 1;
    let at = m.concrete_address(s, c.arg(0));
    m.check_bytes(s, at, Value::concrete(8 * WORDS), true)?;
    for word in 0..WORDS {
        m.store(
            s,
            Value::concrete(at + 8 * word),
            8,
            Value::concrete(number),
        )?;
    }
    // What tells a frame from later ones at the same place is the first number that it was given.
    let frame = s.frame_mut();
    if frame.tag == 0 {
        frame.tag = number as u32;
    }
    let tag = frame.tag;
    let point = JumpPoint {
        number,
        frames: s.frames().len(),
        tag,
        return_pc: s.hot.pc + 1,
        dst: c.dst,
        result: c.results.first().copied(),
        mark: s.memory.stack_mark(),
        signal_mask,
    };
    // Points of functions that have returned lead nowhere: of these the numbers are enough. Numbers are never used again.
    let alive: Vec<bool> = process(s).jumps.iter().map(|p| p.is_alive(s)).collect();
    let jumps = Rc::make_mut(&mut process_mut(s).jumps);
    let mut alive = alive.into_iter();
    jumps.retain(|_| alive.next().unwrap_or(false));
    jumps.push(point);
    Ok(Done::Value(Value::concrete(0)))
}

fn longjmp(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let at = m.concrete_address(s, c.arg(0));
    let mut number = None;
    for word in 0..WORDS {
        let value = m.load(s, Value::concrete(at + 8 * word), 8)?;
        let value = m.concretize(s, value, 64);
        // Words of two calls of `setjmp` are no place to go to.
        number = (number.is_none() || number == Some(value)).then_some(value);
        if number.is_none() {
            break;
        }
    }
    let number = number.unwrap_or(0);
    let found = process(s).jumps.iter().find(|p| p.number == number);
    let Some(point) = found.filter(|p| p.is_alive(s)).cloned() else {
        let (kind, why) = if number > NUMBERS && number - NUMBERS < 1 << 32 {
            (
                ErrorKind::UseAfterFree,
                "longjmp into a function that has returned",
            )
        } else {
            (
                ErrorKind::Uninitialized,
                "longjmp to a buffer that setjmp did not fill",
            )
        };
        return Err(m.error(s, kind, why.into()));
    };
    let value = m.fit(c.arg(1), 32);
    let value = if Machine::is_concrete(value) {
        Value::concrete((value.bits & 0xffff_ffff).max(1))
    } else {
        let zero = m.reason.pool.bv(32, 0);
        let one = m.reason.pool.bv(32, 1);
        let is_zero = m.reason.pool.eq(value.term, zero);
        let t = m.reason.pool.ite(is_zero, one, value.term);
        m.value(t)
    };
    s.frames_mut().truncate(point.frames);
    s.memory.stack_release(&mut m.tlb, point.mark);
    // Handlers that the jump leaves do not return.
    let process = process_mut(s);
    let depth = point.frames;
    if process.interrupted.iter().any(|i| i.depth() >= depth) {
        Rc::make_mut(&mut process.interrupted).retain(|i| i.depth() < depth);
    }
    m.set_result(s, point.dst, point.result.as_slice(), value);
    let Some(mask) = point.signal_mask else {
        m.goto(s, point.return_pc)?;
        return Ok(Done::Moved);
    };
    let answer = process_mut(s)
        .world
        .restore_signal_mask(mask, Word::Concrete(0));
    match answer {
        CallAnswer::Return(_) => m.goto(s, point.return_pc)?,
        // It arrives before `sigsetjmp` returns again, and takes nothing of what that returns.
        signal => finish(m, s, signal, point.return_pc, None)?,
    }
    Ok(Done::Moved)
}
