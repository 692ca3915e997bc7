//! The intrinsics of `klee/klee.h`.

use super::Table;
use super::process::errno_address;
use super::text::{self, c_string};
use exec::Machine;
use exec::State;
use exec::{Call, Done};
use exec::{ErrorKind, Termination};
use explore::{Bound, Ending, Loss};
use memory::Value;
use std::rc::Rc;
use term::Term;

pub const TABLE: Table = &[
    ("klee_make_symbolic", make_symbolic),
    ("klee_range", range),
    ("klee_int", int),
    ("klee_assume", assume),
    ("klee_choose", choose),
    ("klee_prefer_cex", prefer),
    ("klee_posix_prefer_cex", prefer),
    ("klee_silent_exit", silent_exit),
    ("klee_abort", abort),
    ("klee_report_error", report_error),
    ("klee_is_symbolic", is_symbolic),
    ("klee_is_replay", zero),
    ("klee_get_valuef", get_value),
    ("klee_get_valued", get_value),
    ("klee_get_valuel", get_value),
    ("klee_get_valuell", get_value),
    ("klee_get_value_i32", get_value),
    ("klee_get_value_i64", get_value),
    ("klee_get_errno", get_errno),
    ("klee_get_obj_size", object_size),
    ("klee_check_memory_access", check_access),
    ("klee_warning", warning),
    ("klee_warning_once", warning),
    ("klee_print_expr", print_expr),
    ("klee_print_range", zero),
    ("klee_stack_trace", stack_trace),
    ("klee_open_merge", zero),
    ("klee_close_merge", zero),
    ("klee_mark_global", zero),
    ("klee_set_forking", zero),
    ("__assert_fail", assert_fail),
    ("__assert_rtn", assert_rtn),
    ("abort", abort),
    ("__stack_chk_fail", stack_smashed),
    ("__ubsan_handle_builtin_unreachable", unreachable),
    ("polypath_defer", defer),
    ("polypath_grows", grows),
    ("polypath_made", made),
    ("polypath_none_made", none_made),
    ("polypath_text", text::end_text),
    ("__polypath_internal_error", internal_error),
    ("__polypath_unchecked", unchecked),
    ("__polypath_optimized", optimized),
];

fn make_symbolic(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let at = m.concrete_address(s, c.arg(0));
    let len = m.concretize(s, c.arg(1), 64);
    let name = m.concrete_address(s, c.arg(2));
    let name = match name {
        0 => String::new(),
        _ => c_string(m, s, Value::concrete(name))?,
    };
    whole_object(m, s, at, len)?;
    let Ok(count) = usize::try_from(len) else {
        return Err(m.unsupported(s, "klee_make_symbolic of a huge object"));
    };
    let terms = m.new_object(s, &name, count)?;
    s.objects.put(at);
    s.memory
        .make_symbolic(&mut m.tlb, at, &terms)
        .map_err(|f| m.fault(s, &f))?;
    Ok(Done::Next)
}

/// What is made symbolic is one object as a whole, as KLEE wants it.
fn whole_object(m: &mut Machine, s: &mut State, at: u64, len: u64) -> Result<(), Termination> {
    let object = s.memory.object_at(at);
    let Some(o) = object.filter(|o| o.live && (o.contains(at) || o.start == at)) else {
        let fault = s.memory.check_access(at, len.max(1), true);
        return fault.map_err(|f| m.fault(s, &f));
    };
    let o = match s.memory.bound_of(&o) {
        Some((size, _)) => {
            let size = m.concretize(s, Value::symbolic(size), 64);
            s.memory.prove(&mut m.tlb, &o, size);
            o.with_size(size)
        }
        None => o,
    };
    let what = o.describe(&|o| m.object_name(s, o));
    let wrong = if at != o.start {
        format!("the pointer points {} bytes into the {what}", at - o.start)
    } else if o.read_only {
        format!("the {what} is constant")
    } else if len != o.size {
        format!("{len} bytes are asked for of the {what}")
    } else {
        return Ok(());
    };
    let message = format!("klee_make_symbolic: {wrong}");
    Err(m.error(s, ErrorKind::User, message))
}

/// A little-endian term of `bytes` fresh input bytes.
pub fn fresh(
    m: &mut Machine,
    s: &mut State,
    name: &str,
    bytes: usize,
) -> Result<Term, Termination> {
    let parts = m.new_object(s, name, bytes)?;
    let mut t = parts[0];
    for &p in &parts[1..] {
        t = m.reason.pool.concat(p, t);
    }
    Ok(t)
}

fn range(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let [low, high] = [0, 1].map(|i| {
        let end = m.fit(c.arg(i), 32);
        m.term(end, 32u32)
    });
    let name = c_string(m, s, c.arg(2))?;
    let is_empty = m.reason.pool.sge(low, high);
    m.forbid(s, is_empty, ErrorKind::User, || {
        "klee_range: the range is empty".into()
    })?;
    let t = fresh(m, s, &name, 4)?;
    let above = m.reason.pool.sge(t, low);
    let below = m.reason.pool.slt(t, high);
    m.require(s, above)?;
    m.require(s, below)?;
    Ok(Done::Value(m.value(t)))
}

fn int(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let name = c_string(m, s, c.arg(0))?;
    let t = fresh(m, s, &name, 4)?;
    Ok(Done::Value(m.value(t)))
}

/// "Not zero" as a condition of one bit, or the concrete answer.
pub fn truth(m: &mut Machine, (v, w): (Value, u32)) -> Term {
    let t = m.term(v, w);
    let zero = m.reason.pool.bv(w, 0);
    m.reason.pool.ne(t, zero)
}

fn assume(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let cond = truth(m, c.wide(0));
    match m.require(s, cond) {
        Ok(()) => {
            m.assumption_held(s);
            Ok(Done::Next)
        }
        Err(Termination::Cut(Ending::Silent)) => Err(m.assumption_failed(s)),
        Err(other) => Err(other),
    }
}

/// Some number below the argument.
fn choose(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let limit = m.fit(c.arg(0), 64);
    let limit = m.term(limit, 64u32);
    let zero = m.reason.pool.bv(64, 0);
    let is_empty = m.reason.pool.eq(limit, zero);
    m.forbid(s, is_empty, ErrorKind::User, || {
        "klee_choose: there is nothing to choose from".into()
    })?;
    let t = fresh(m, s, "klee_choose", 8)?;
    let below = m.reason.pool.ult(t, limit);
    m.require(s, below)?;
    Ok(Done::Value(m.value(t)))
}

fn prefer(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let (v, width) = c.wide(1);
    if !Machine::is_concrete(v) {
        let cond = truth(m, (v, width));
        Rc::make_mut(&mut s.soft).push(cond);
    }
    Ok(Done::Next)
}

fn defer(m: &mut Machine, s: &mut State, _: &Call) -> Result<Done, Termination> {
    m.defer(s);
    Ok(Done::Next)
}

fn grows(m: &mut Machine, _: &mut State, _: &Call) -> Result<Done, Termination> {
    m.end_first_look();
    Ok(Done::Next)
}

fn made(m: &mut Machine, _: &mut State, _: &Call) -> Result<Done, Termination> {
    m.reach_made();
    Ok(Done::Next)
}

fn none_made(m: &mut Machine, _: &mut State, _: &Call) -> Result<Done, Termination> {
    Ok(Done::Value(Value::concrete(u64::from(m.is_none_made()))))
}

fn silent_exit(_: &mut Machine, _: &mut State, _: &Call) -> Result<Done, Termination> {
    Err(Termination::Cut(Ending::Silent))
}

/// An error of ours, for tests of what a run does then.
fn internal_error(_: &mut Machine, s: &mut State, _: &Call) -> Result<Done, Termination> {
    panic!("asked for at {:#x}", s.hot.pc)
}

fn abort(m: &mut Machine, s: &mut State, _: &Call) -> Result<Done, Termination> {
    Err(m.error(s, ErrorKind::Abort, "abort was called".into()))
}

fn assert_fail(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let what = c_string(m, s, c.arg(0))?;
    Err(m.error(s, ErrorKind::Assert, format!("assertion failed: {what}")))
}

/// As Darwin's headers call it: function, file, line, condition.
fn assert_rtn(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let what = c_string(m, s, c.arg(3))?;
    Err(m.error(s, ErrorKind::Assert, format!("assertion failed: {what}")))
}

fn stack_smashed(m: &mut Machine, s: &mut State, _: &Call) -> Result<Done, Termination> {
    Err(m.error(s, ErrorKind::OutOfBounds, "stack smashing detected".into()))
}

fn unreachable(m: &mut Machine, s: &mut State, _: &Call) -> Result<Done, Termination> {
    let text = "code declared unreachable was reached";
    Err(m.error(s, ErrorKind::Unreachable, text.into()))
}

fn report_error(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let message = c_string(m, s, c.arg(2))?;
    let suffix = c_string(m, s, c.arg(3))?;
    let kind = if suffix.starts_with("assert") {
        ErrorKind::Assert
    } else {
        ErrorKind::Report
    };
    Err(m.error(s, kind, message))
}

fn is_symbolic(_: &mut Machine, _: &mut State, c: &Call) -> Result<Done, Termination> {
    Ok(Done::Value(Value::concrete(u64::from(
        !Machine::is_concrete(c.arg(0)),
    ))))
}

fn zero(_: &mut Machine, _: &mut State, _: &Call) -> Result<Done, Termination> {
    Ok(Done::Next)
}

/// A function begins in which a check that was asked for cannot be made (`crates/llvm/src/instrument.rs`).
fn unchecked(m: &mut Machine, _: &mut State, _: &Call) -> Result<Done, Termination> {
    m.lose(Loss::Unchecked);
    Ok(Done::Next)
}

/// A function of an optimizer's bitcode begins (`crates/llvm/src/instrument.rs`). The first is named.
fn optimized(m: &mut Machine, s: &mut State, _: &Call) -> Result<Done, Termination> {
    if !m.stats.bounds.contains_key(&Bound::Optimized) {
        let name = m.module.functions[s.frame().function as usize].name.clone();
        m.meets(Bound::Optimized, name);
    }
    Ok(Done::Next)
}

/// Some value that the argument can have, without a constraint that it does.
fn get_value(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let v = c.arg(0);
    if Machine::is_concrete(v) {
        return Ok(Done::Value(v));
    }
    if m.reason.pool.as_const(v.term).is_none() {
        m.lose(Loss::Values);
    }
    Ok(Done::Value(Value::concrete(m.eval(s, v.term))))
}

fn get_errno(m: &mut Machine, s: &mut State, _: &Call) -> Result<Done, Termination> {
    let at = errno_address(s);
    Ok(Done::Value(m.load(s, at, 4)?))
}

fn object_size(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let at = m.concrete_address(s, c.arg(0));
    match s.memory.object_at(at) {
        Some(o) if o.live && (o.contains(at) || o.start == at) => {
            Ok(Done::Value(match s.memory.bound_of(&o) {
                Some((size, _)) => Value::symbolic(size),
                None => Value::concrete(o.size),
            }))
        }
        _ => Err(m.error(
            s,
            ErrorKind::User,
            format!("klee_get_obj_size: {at:#x} is in no object"),
        )),
    }
}

fn check_access(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let at = m.concrete_address(s, c.arg(0));
    m.check_bytes(s, at, c.arg(1), false)?;
    Ok(Done::Next)
}

fn warning(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let text = c_string(m, s, c.arg(0))?;
    m.warn_once(format!("the program warns: {text}"));
    Ok(Done::Next)
}

fn print_expr(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let text = c_string(m, s, c.arg(0))?;
    let Some(&v) = c.args.get(1) else {
        m.warn_once(text);
        return Ok(Done::Next);
    };
    let shown = if Machine::is_concrete(v) {
        v.bits.to_string()
    } else {
        format!(
            "a term over {} input bytes",
            m.reason.pool.set_len(m.reason.pool.symbols(v.term))
        )
    };
    m.warn_once(format!("{text} {shown}"));
    Ok(Done::Next)
}

fn stack_trace(m: &mut Machine, s: &mut State, _: &Call) -> Result<Done, Termination> {
    let trace = m
        .stack(s)
        .frames
        .iter()
        .map(|f| f.to_string())
        .collect::<Vec<_>>()
        .join(" <- ");
    m.warn_once(format!("klee_stack_trace: {trace}"));
    Ok(Done::Next)
}
