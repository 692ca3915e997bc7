//! Delivery of signals to handlers of the program.
//!
//! A handler is entered like a called function that returns to a spot of our own behind the
//! program's code, where the engine gives the world its signal mask back and goes on.

use super::process::process_mut;
use super::{SIGNAL_RETURN, Table, system_call};
use crate::environment::{Call, Done};
use crate::errors::Termination;
use crate::machine::Machine;
use crate::state::State;
use ir::{Pc, Reg};
use linux::Delivery;
use memory::Value;
use std::rc::Rc;

/// A signal handler in progress.
#[derive(Clone, Debug)]
pub struct Interrupted {
    delivery: Delivery,
    /// Where the interrupted path goes on.
    resume: Pc,
}

pub const TABLE: Table = &[(RETURN, handler_returns)];

/// Name of the engine function behind a handler.
pub const RETURN: &str = "__polypath_signal_return";
/// Bytes of a `siginfo_t`.
const SA_SIGINFO: u64 = 4;

/// Enters the handler of a delivery; the interrupted path goes on at `resume`.
pub fn deliver(
    m: &mut Machine,
    s: &mut State,
    delivery: Delivery,
    resume: Pc,
) -> Result<(), Termination> {
    let defined = m.module.functions.len() as u64;
    let Some(f) = ir::layout::callable_index(delivery.handler).filter(|&i| i < defined) else {
        return Err(m.unsupported(s, "a signal handler that is no function of the program"));
    };
    let mark = s.memory.stack_mark();
    let info = if delivery.flags & SA_SIGINFO != 0 {
        let bytes = delivery.siginfo();
        let at = s
            .memory
            .stack_alloc(&mut m.tlb, bytes.len() as u64, 16, u32::MAX)
            .map_err(|_| m.stack_overflow(s))?;
        s.memory
            .write_concrete(&mut m.tlb, at, &bytes)
            .map_err(|f| m.fault(s, &f))?;
        at
    } else {
        0
    };
    let args = [delivery.signal as u32 as u64, info, 0].map(Value::concrete);
    Rc::make_mut(&mut process_mut(s).interrupted).push(Interrupted { delivery, resume });
    // What a handler returns, nobody takes.
    let spot = m.landing(SIGNAL_RETURN);
    let callee = f as ir::FuncId;
    m.enter(s, callee, &args, Reg(0), spot.site, spot.pc, 0, mark)
}

fn handler_returns(m: &mut Machine, s: &mut State, _: &Call) -> Result<Done, Termination> {
    let process = process_mut(s);
    let Some(back) = Rc::make_mut(&mut process.interrupted).pop() else {
        return Err(Termination::Internal(
            "a signal handler returns to nowhere".into(),
        ));
    };
    let answer = process.world.handler_returned(&back.delivery);
    system_call::finish(m, s, answer, back.resume, None)?;
    Ok(Done::Moved)
}
