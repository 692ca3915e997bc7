//! Delivery of signals to handlers of the program.
//!
//! A handler is entered like a called function that returns to an address of ours behind the program's code, where the
//! engine restores the signal mask and continues.

use super::process::{Interrupted, Retried, Trap, process, process_mut};
use super::{SIGNAL_RETURN, Table, death, system_call};
use exec::Machine;
use exec::State;
use exec::{Call, Done};
use exec::{ErrorKind, Termination};
use ir::{Pc, Reg};
use linux::{CallAnswer, Delivery};
use memory::{Fault, FaultKind, ObjectKind, Protection, Value};
use std::rc::Rc;

/// A handler that returns so often without having mended the access never does, as far as we are concerned: natively, the
/// two would take turns for ever.
const MOST_RETRIES: u32 = 1000;

impl Interrupted {
    /// Frames below that of the handler.
    pub fn depth(&self) -> usize {
        self.depth
    }
}

pub const TABLE: Table = &[(RETURN, handler_returns)];

/// Name of the engine function behind a handler.
pub const RETURN: &str = "__polypath_signal_return";
/// The handler takes a `siginfo_t` and a context.
const SA_SIGINFO: u64 = 4;
/// The handler runs on the stack of `sigaltstack`, if there is one.
const SA_ONSTACK: u64 = 0x0800_0000;
/// How a run says that it did not.
const OTHER_STACK: &str = "a signal handler on the stack of sigaltstack";

/// Bytes of a `ucontext_t` on x86-64 (musl), with the floating-point state behind it.
const CONTEXT: usize = 936;
/// Its general registers: 23 of 8 bytes.
const REGISTERS: usize = 40;
/// The pointer to the floating-point state, which is the end of the context.
const FLOAT_POINTER: usize = REGISTERS + 23 * 8;
const FLOAT_STATE: usize = 424;
/// The mask that the kernel takes over when the handler returns.
const SIGNAL_MASK: usize = 296;

const SIGBUS: i32 = 7;
const SIGSEGV: i32 = 11;
/// How a run says that a handler was not run, since the access is undefined.
const NOT_RUN: &str = "a signal handler of a fault outside of the program's mappings";

/// Does a handler of the program see a fault, which then need not be an error? That is so where a mapping's protection
/// forbids the access, or its file ends before it. What else the kernel reports for certain is an error
/// ([`uncaught`]).
pub fn catches(s: &State, fault: &Fault) -> bool {
    if !has_handler(s, SIGSEGV) && !has_handler(s, SIGBUS) || !is_of_protection(fault) {
        return false;
    }
    let (at, signal) = trap_of(s, fault);
    has_handler(s, signal) && retries(s, at) < MOST_RETRIES
}

/// A fault is an error although the program has a handler for it, which is not run: that is counted.
pub fn uncaught(m: &mut Machine, s: &State, fault: &Fault) {
    let is_certain = matches!(
        fault.kind,
        FaultKind::Null | FaultKind::Unmapped | FaultKind::ReadOnly
    );
    if is_certain && !is_of_protection(fault) && has_handler(s, SIGSEGV) {
        *m.stats.refused.entry(NOT_RUN.to_string()).or_default() += 1;
    }
}

/// Has the program a handler of the signal, and lets it through?
fn has_handler(s: &State, signal: i32) -> bool {
    let world = &process(s).world;
    world.has_handler(signal) && world.signal_mask() & (1 << (signal - 1)) == 0
}

/// Does a mapping's protection, or the end of its file, forbid the access?
fn is_of_protection(fault: &Fault) -> bool {
    matches!(fault.kind, FaultKind::NoAccess | FaultKind::ReadOnly)
        && fault.object.is_some_and(|o| o.kind == ObjectKind::Mapping)
}

/// How often the instruction at hand was made again since a handler was asked to mend this address, and nothing else between.
fn retries(s: &State, at: u64) -> u32 {
    let is_again =
        |r: &Retried| r.pc == s.hot.pc && r.at == at && s.progress.instructions <= r.since + 1;
    process(s).retried.filter(is_again).map_or(0, |r| r.times)
}

/// The first byte of an access to a mapping that could not be accessed, and the signal that the kernel sends.
fn trap_of(s: &State, fault: &Fault) -> (u64, i32) {
    const PAGE: u64 = 4096;
    let mut at = fault.address;
    let end = fault.address.saturating_add(fault.size);
    while s.memory.check_access(at, 1, fault.write).is_ok() {
        let next = (at / PAGE + 1) * PAGE;
        if next >= end {
            break;
        }
        at = next;
    }
    let signal = match s.memory.protection(at) {
        Some(Protection::Beyond) => SIGBUS,
        _ => SIGSEGV,
    };
    (at, signal)
}

/// The path ends, or continues in the handler of a fault. A handler that does not return, but ends the program, leaves
/// the fault an error.
pub fn goes_on(
    m: &mut Machine,
    s: &mut State,
    fault: Option<Fault>,
    end: Termination,
) -> Result<(), Termination> {
    if let (Some(fault), Termination::Error(error)) = (fault, &end) {
        // SEGV_ACCERR and BUS_ADRERR.
        const CODE: i32 = 2;
        let (at, signal) = trap_of(s, &fault);
        let trap = Trap {
            error: error.clone(),
            at,
            write: fault.write,
            retries: retries(s, at),
        };
        return match process_mut(s).world.raise(signal, CODE, at) {
            CallAnswer::Deliver(delivery) => enter(m, s, delivery, s.hot.pc, Some(trap)),
            _ => Err(end),
        };
    }
    let gives_up = match &end {
        Termination::Exit(_) => true,
        Termination::Error(e) => e.kind == ErrorKind::Abort,
        Termination::Cut(_) | Termination::Internal(_) => false,
    };
    let interrupted = process(s).interrupted.clone();
    let open = interrupted
        .iter()
        .find_map(|i| Some((i.depth, i.trap.as_ref()?)));
    match open {
        Some((depth, trap)) if gives_up => {
            s.frames_mut().truncate(depth);
            Err(Termination::Error(trap.error.clone()))
        }
        _ => Err(end),
    }
}

/// A signal handler's third argument. Registers are not modelled: only those have a value that a program looks at, and
/// none may be changed.
fn context(delivery: &Delivery, write: bool, at: u64, code: u64, stack: u64) -> Vec<u8> {
    const RSP: usize = 15;
    const RIP: usize = 16;
    const ERR: usize = 19;
    const TRAPNO: usize = 20;
    const CR2: usize = 22;
    let mut bytes = vec![0; CONTEXT];
    let mut put = |offset: usize, word: u64| {
        bytes[offset..offset + 8].copy_from_slice(&word.to_le_bytes());
    };
    put(REGISTERS + 8 * RSP, stack);
    put(REGISTERS + 8 * RIP, code);
    if [SIGSEGV, SIGBUS].contains(&delivery.signal) && delivery.code > 0 {
        put(REGISTERS + 8 * TRAPNO, 14);
        put(REGISTERS + 8 * ERR, if write { 6 } else { 4 });
        put(REGISTERS + 8 * CR2, delivery.value);
    }
    put(FLOAT_POINTER, at + FLOAT_STATE as u64);
    put(SIGNAL_MASK, delivery.saved_mask);
    bytes
}

/// Enters the handler of a delivery; the interrupted path goes on at `resume`.
pub fn deliver(
    m: &mut Machine,
    s: &mut State,
    delivery: Delivery,
    resume: Pc,
) -> Result<(), Termination> {
    enter(m, s, delivery, resume, None)
}

fn enter(
    m: &mut Machine,
    s: &mut State,
    delivery: Delivery,
    resume: Pc,
    trap: Option<Trap>,
) -> Result<(), Termination> {
    let defined = m.module.functions.len() as u64;
    let Some(f) = ir::layout::callable_index(delivery.handler).filter(|&i| i < defined) else {
        return Err(m.unsupported(s, "a signal handler that is no function of the program"));
    };
    const SIGABRT: i32 = 6;
    if delivery.signal == SIGABRT && death::is_error_called(m, s) {
        // A failed assertion stays one, whatever the handler does then.
        return Err(death::killed(m, s, SIGABRT));
    }
    if delivery.flags & SA_ONSTACK != 0 && process(s).world.has_signal_stack() {
        let refused = m.stats.refused.entry(OTHER_STACK.to_string());
        *refused.or_default() += 1;
    }
    let below = s.memory.stack_mark();
    let depth = s.frames().len();
    let (mut info, mut at) = (0, None);
    if delivery.flags & SA_SIGINFO != 0 {
        info = place(m, s, |_| delivery.siginfo().to_vec())?;
        let code = ir::layout::function_address(s.frame().function);
        let stack = below.address();
        let write = trap.as_ref().is_some_and(|t| t.write);
        at = Some(place(m, s, |at| {
            context(&delivery, write, at, code, stack)
        })?);
    }
    let args = [delivery.signal as u32 as u64, info, at.unwrap_or(0)].map(Value::concrete);
    Rc::make_mut(&mut process_mut(s).interrupted).push(Interrupted {
        delivery,
        resume,
        depth,
        below,
        context: at,
        trap,
    });
    // The handler's own variables come after what it was given, which is looked at when it returns.
    let mark = s.memory.stack_mark();
    // What a handler returns, nobody takes.
    let spot = m.landing(SIGNAL_RETURN);
    let callee = f as ir::FuncId;
    m.enter(s, callee, &args, Reg(0), spot.site, spot.pc, 0, mark)?;
    // Of several that are ready, the handler of the last one begins.
    match process_mut(s).world.next_delivery() {
        CallAnswer::Return(_) => Ok(()),
        next => system_call::finish(m, s, next, s.hot.pc, None),
    }
}

/// Puts bytes, which may depend on their address, on the stack.
fn place(
    m: &mut Machine,
    s: &mut State,
    bytes: impl Fn(u64) -> Vec<u8>,
) -> Result<u64, Termination> {
    let size = bytes(0).len() as u64;
    let at = s
        .memory
        .stack_alloc(&mut m.tlb, size, 16, u32::MAX)
        .map_err(|_| m.stack_overflow(s, Value::concrete(size)))?;
    s.memory
        .write_concrete(&mut m.tlb, at, &bytes(at))
        .map_err(|f| m.fault(s, &f))?;
    Ok(at)
}

/// The signal mask in a context that a handler leaves behind, if all else in it is as it was given.
fn mask_after(s: &State, back: &Interrupted, at: u64) -> Option<u64> {
    let code = ir::layout::function_address(s.frame().function);
    let write = back.trap.as_ref().is_some_and(|t| t.write);
    let mut given = context(&back.delivery, write, at, code, back.below.address());
    let now = s.memory.read_concrete(at, CONTEXT as u64)?;
    let mask: [u8; 8] = now[SIGNAL_MASK..][..8].try_into().ok()?;
    given[SIGNAL_MASK..][..8].copy_from_slice(&mask);
    (given == now).then(|| u64::from_le_bytes(mask))
}

fn handler_returns(m: &mut Machine, s: &mut State, _: &Call) -> Result<Done, Termination> {
    let process = process_mut(s);
    let Some(mut back) = Rc::make_mut(&mut process.interrupted).pop() else {
        return Err(Termination::Internal(
            "a signal handler returns to nowhere".into(),
        ));
    };
    if let Some(at) = back.context {
        let Some(mask) = mask_after(s, &back, at) else {
            let what = "a signal handler that changes the interrupted context";
            return Err(m.unsupported(s, what));
        };
        back.delivery.saved_mask = mask;
    }
    s.memory.stack_release(&mut m.tlb, back.below);
    if let Some(trap) = &back.trap {
        process_mut(s).retried = Some(Retried {
            pc: back.resume,
            at: trap.at,
            since: s.progress.instructions,
            times: trap.retries + 1,
        });
    }
    let process = process_mut(s);
    let answer = process.world.handler_returned(&back.delivery);
    if let (CallAnswer::Kill { .. }, Some(trap)) = (&answer, back.trap) {
        // It sent the signal once more, to die of it.
        return Err(Termination::Error(trap.error));
    }
    system_call::finish(m, s, answer, back.resume, None)?;
    Ok(Done::Moved)
}
