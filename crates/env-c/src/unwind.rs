//! Exceptions: the walk over the frames that the unwinder makes natively.
//!
//! `runtime/cxx/eh.cpp` searches for a handler and matches types, in the program, and asks for frames and their landing pads here
//! ([`ir::Inst::Invoked`]). Frames are counted from the outermost one, which is 1.

use super::Table;
use super::process::{Landed, process, process_mut};
use super::text::c_string;
use exec::{Call, Done, ErrorKind, Machine, State, Termination};
use ir::{Clause, Inst, LandingPad, Pc};
use memory::Value;
use std::rc::Rc;

pub const TABLE: Table = &[
    ("__polypath_unwind_next", next),
    ("__polypath_unwind_word", word),
    ("__polypath_unwind_land", land),
    ("__polypath_landed_exception", exception),
    ("__polypath_landed_selector", selector),
    ("__polypath_uncaught", uncaught),
];

/// Flags of a landing pad, as `eh.cpp` knows them.
const CLEANUP: u64 = 1;
const TERMINATES: u64 = 2;

/// Where the call that frame number `frame` has in progress ends if an exception ends it.
fn pad_of(m: &Machine, s: &State, frame: usize) -> Option<(Pc, u32)> {
    let back = s.frames().get(frame)?.return_pc;
    match m.module.code.get(back as usize)? {
        Inst::Invoked { pad, clauses, .. } => Some((*pad, *clauses)),
        _ => None,
    }
}

/// Does the frame return to code of the engine? No exception passes a handler of a signal.
fn is_barrier(m: &Machine, s: &State, frame: usize) -> bool {
    let code = &m.module.functions;
    let end = code.last().map_or(0, |f| f.end);
    s.frames().get(frame).is_some_and(|f| f.return_pc >= end)
}

fn next(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let from = m.concretize(s, c.arg(0), 64) as i64;
    let count = s.frames().len();
    let from = usize::try_from(from).map_or(count, |from| from.min(count));
    for frame in (1..from).rev() {
        if is_barrier(m, s, frame) {
            break;
        }
        if pad_of(m, s, frame).is_some() {
            return Ok(Done::Value(Value::concrete(frame as u64)));
        }
    }
    Ok(Done::Value(Value::concrete(0)))
}

/// The words of a landing pad's table, as `eh.cpp` reads them.
fn words(pad: &LandingPad) -> impl Iterator<Item = u64> {
    let mut flags = 0;
    if pad.cleanup {
        flags |= CLEANUP;
    }
    if pad.terminates {
        flags |= TERMINATES;
    }
    let clauses = pad.clauses.iter().flat_map(|clause| match clause {
        Clause::Catch { selector, ty } => vec![u64::from(*selector), *ty],
        Clause::Filter(types) => {
            let selector = -(types.len() as i64) - 1;
            [selector as u64]
                .into_iter()
                .chain(types.iter().copied())
                .collect()
        }
    });
    std::iter::once(flags).chain(clauses)
}

fn word(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let frame = m.concretize(s, c.arg(0), 64) as usize;
    let index = m.concretize(s, c.arg(1), 64) as usize;
    let module = m.module.clone();
    let pad = pad_of(m, s, frame).and_then(|(_, clauses)| module.pads.get(clauses as usize));
    let word = pad.and_then(|pad| words(pad).nth(index));
    Ok(Done::Value(Value::concrete(word.unwrap_or(0))))
}

fn land(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let frame = m.concretize(s, c.arg(0), 64) as usize;
    let exception = m.concretize(s, c.arg(1), 64);
    let selector = m.concretize(s, c.arg(2), 64) & 0xffff_ffff;
    let Some((pad, _)) = pad_of(m, s, frame) else {
        let what = "an exception that lands where nothing waits for it";
        return Err(Termination::Internal(what.into()));
    };
    let mark = s.frames()[frame].mark;
    s.frames_mut().truncate(frame);
    s.memory.stack_release(&mut m.tlb, mark);
    let process = process_mut(s);
    process.landed = Landed {
        exception,
        selector,
    };
    // Handlers of signals that it leaves do not return.
    if process.interrupted.iter().any(|i| i.depth() >= frame) {
        Rc::make_mut(&mut process.interrupted).retain(|i| i.depth() < frame);
    }
    m.goto(s, pad)?;
    Ok(Done::Moved)
}

fn exception(_: &mut Machine, s: &mut State, _: &Call) -> Result<Done, Termination> {
    Ok(Done::Value(Value::concrete(process(s).landed.exception)))
}

fn selector(_: &mut Machine, s: &mut State, _: &Call) -> Result<Done, Termination> {
    Ok(Done::Value(Value::concrete(process(s).landed.selector)))
}

/// The words of an exception for one line of a message: not too many, and control characters escaped.
fn shown(words: &str) -> String {
    const MOST: usize = 200;
    let mut text = String::new();
    for c in words.chars().take(MOST) {
        if c.is_control() {
            text.extend(c.escape_default());
        } else {
            text.push(c);
        }
    }
    if words.chars().nth(MOST).is_some() {
        text += "…";
    }
    text
}

/// `void __polypath_uncaught(const char *type, const char *what, long frame)`: the exception has no handler, or that of a function which
/// lets none out.
fn uncaught(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let frame = m.concretize(s, c.arg(2), 64) as usize;
    let of = match m.concretize(s, c.arg(0), 64) {
        0 => "of another language".to_string(),
        ty => {
            let name = c_string(m, s, Value::concrete(ty))?;
            format!("of type {}", vocab::symbol::type_name(&name))
        }
    };
    let said = match m.concretize(s, c.arg(1), 64) {
        0 => String::new(),
        what => format!(": {}", shown(&c_string(m, s, Value::concrete(what))?)),
    };
    let inside = frame.checked_sub(1).and_then(|i| s.frames().get(i));
    let message = match inside {
        None => format!("an exception {of} is not caught{said}"),
        Some(f) => {
            let name = &m.module.functions[f.function as usize].name;
            let name = vocab::symbol::readable(name);
            format!("an exception {of} leaves {name}, which lets none out{said}")
        }
    };
    Err(m.error(s, ErrorKind::UncaughtException, message))
}
