//! The intrinsics of `klee/klee.h`.

use super::{Call, Done, Table};
use crate::errors::{ErrorKind, Termination};
use crate::machine::Machine;
use crate::slow::concrete_value;
use crate::state::State;
use memory::Value;
use std::rc::Rc;
use term::{Symbol, Term};

pub const TABLE: Table = &[
    ("klee_make_symbolic", make_symbolic),
    ("klee_range", range),
    ("klee_int", int),
    ("klee_assume", assume),
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
    ("__assert_rtn", assert_fail),
    ("abort", abort),
    ("__stack_chk_fail", abort),
    ("__ubsan_handle_builtin_unreachable", abort),
];

/// The symbols of a new symbolic object of this name, its name made unique on this path as KLEE does.
pub(crate) fn new_object(m: &mut Machine, s: &mut State, name: &str, len: usize) -> Vec<Term> {
    let name = if name.is_empty() { "unnamed" } else { name };
    let mut unique = name.to_string();
    let mut n = 0u32;
    while s.objects.iter().any(|o| o.name == unique) {
        n += 1;
        unique = format!("{name}_{n}");
    }
    m.symbolic_object(s, &unique, len)
}

impl Machine {
    /// Adds a symbolic object to the path. Sibling paths that add an object of the same name and size
    /// share its symbols.
    pub(crate) fn symbolic_object(&mut self, s: &mut State, name: &str, len: usize) -> Vec<Term> {
        let symbols = self.symbols_of(name, len).to_vec();
        let pool = &mut self.pool;
        let terms = symbols.iter().map(|&x| pool.symbol_term(x)).collect();
        Rc::make_mut(&mut s.objects).push(crate::state::SymbolicObject {
            name: name.to_string(),
            symbols,
        });
        terms
    }

    /// The symbols of objects of a name and size.
    pub(crate) fn symbols_of(&mut self, name: &str, len: usize) -> &[Symbol] {
        let key = (name.to_string(), len);
        let pool = &mut self.pool;
        self.symbols.entry(key).or_insert_with(|| {
            (0..len)
                .map(|i| pool.new_symbol(&format!("{name}[{i}]"), term::Sort::BitVec(8)))
                .collect()
        })
    }
}

fn make_symbolic(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let at = m.concrete_address(s, c.arg(0));
    let len = m.concretize(s, c.arg(1), 64);
    let name = if c.arg(2).bits == 0 {
        String::new()
    } else {
        m.c_string(s, c.arg(2))?
    };
    s.memory
        .check_access(at, len, true)
        .map_err(|f| m.fault(s, &f))?;
    let Ok(count) = usize::try_from(len) else {
        return Err(m.unsupported(s, "klee_make_symbolic of a huge object"));
    };
    let terms = new_object(m, s, &name, count);
    s.memory
        .make_symbolic(&mut m.tlb, at, &terms)
        .map_err(|f| m.fault(s, &f))?;
    Ok(Done::Next)
}

/// A little-endian term of `bytes` fresh input bytes.
pub(crate) fn fresh(m: &mut Machine, s: &mut State, name: &str, bytes: usize) -> Term {
    let parts = new_object(m, s, name, bytes);
    let mut t = parts[0];
    for &p in &parts[1..] {
        t = m.pool.concat(p, t);
    }
    t
}

fn range(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let low = m.concretize(s, c.arg(0), 32);
    let high = m.concretize(s, c.arg(1), 32);
    let name = m.c_string(s, c.arg(2))?;
    if (low as i32) >= (high as i32) {
        return Err(m.error(s, ErrorKind::User, "klee_range: the range is empty".into()));
    }
    let t = fresh(m, s, &name, 4);
    let (low, high) = (m.pool.bv(32, low), m.pool.bv(32, high));
    let above = m.pool.sge(t, low);
    let below = m.pool.slt(t, high);
    m.require(s, above)?;
    m.require(s, below)?;
    Ok(Done::Value(m.value(t)))
}

fn int(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let name = m.c_string(s, c.arg(0))?;
    let t = fresh(m, s, &name, 4);
    Ok(Done::Value(m.value(t)))
}

/// "Not zero" as a condition of one bit, or the concrete answer.
pub(crate) fn truth(m: &mut Machine, v: Value, w: u32) -> Term {
    let t = m.term(v, w);
    let zero = m.pool.bv(w, 0);
    m.pool.ne(t, zero)
}

fn assume(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let cond = truth(m, c.arg(0), u32::from(c.widths[0]));
    m.require(s, cond)?;
    Ok(Done::Next)
}

fn prefer(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let v = c.arg(1);
    if !Machine::is_concrete(v) {
        let cond = truth(m, v, u32::from(c.widths[1]));
        Rc::make_mut(&mut s.soft).push(cond);
    }
    Ok(Done::Next)
}

fn silent_exit(_: &mut Machine, _: &mut State, _: &Call) -> Result<Done, Termination> {
    Err(Termination::Silent)
}

fn abort(m: &mut Machine, s: &mut State, _: &Call) -> Result<Done, Termination> {
    Err(m.error(s, ErrorKind::Abort, "abort was called".into()))
}

fn assert_fail(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let what = m.c_string(s, c.arg(0))?;
    Err(m.error(s, ErrorKind::Assert, format!("assertion failed: {what}")))
}

fn report_error(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let message = m.c_string(s, c.arg(2))?;
    let suffix = m.c_string(s, c.arg(3))?;
    let kind = if suffix.starts_with("assert") {
        ErrorKind::Assert
    } else {
        ErrorKind::Report
    };
    Err(m.error(s, kind, message))
}

fn is_symbolic(_: &mut Machine, _: &mut State, c: &Call) -> Result<Done, Termination> {
    Ok(Done::Value(concrete_value(u64::from(
        !Machine::is_concrete(c.arg(0)),
    ))))
}

fn zero(_: &mut Machine, _: &mut State, _: &Call) -> Result<Done, Termination> {
    Ok(Done::Next)
}

/// Some value that the argument can have, without a constraint that it does.
fn get_value(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let v = c.arg(0);
    let bits = if Machine::is_concrete(v) {
        v.bits
    } else {
        m.eval(s, v.term)
    };
    Ok(Done::Value(concrete_value(bits)))
}

fn object_size(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let at = m.concrete_address(s, c.arg(0));
    match s.memory.object_at(at) {
        Some(o) if o.live && o.contains(at) => Ok(Done::Value(concrete_value(o.size))),
        _ => Err(m.error(
            s,
            ErrorKind::OutOfBounds,
            "klee_get_obj_size: not an object".into(),
        )),
    }
}

fn check_access(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let at = m.concrete_address(s, c.arg(0));
    let len = m.concretize(s, c.arg(1), 64);
    s.memory
        .check_access(at, len, false)
        .map_err(|f| m.fault(s, &f))?;
    Ok(Done::Next)
}

fn warning(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let text = m.c_string(s, c.arg(0))?;
    m.warn_once(format!("the program warns: {text}"));
    Ok(Done::Next)
}

fn print_expr(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let text = m.c_string(s, c.arg(0))?;
    let v = c.arg(1);
    let shown = if Machine::is_concrete(v) {
        v.bits.to_string()
    } else {
        format!(
            "a term over {} input bytes",
            m.pool.set_len(m.pool.symbols(v.term))
        )
    };
    m.warn_once(format!("{text} {shown}"));
    Ok(Done::Next)
}

fn stack_trace(m: &mut Machine, s: &mut State, _: &Call) -> Result<Done, Termination> {
    let trace = m
        .stack(s)
        .iter()
        .map(|f| f.to_string())
        .collect::<Vec<_>>()
        .join(" <- ");
    m.warn_once(format!("klee_stack_trace: {trace}"));
    Ok(Done::Next)
}
