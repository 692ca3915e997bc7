//! Strings that end at their NUL: those of the program, and those of its input.

use super::process::{process, process_mut};
use exec::{Call, Done, ErrorKind, Machine, State, Termination};
use memory::{Object, Value};
use std::rc::Rc;
use term::Term;

/// Bytes of a string that are looked at.
const MAX_STRING: usize = 4096;

/// The bytes of a C string of the program as text, symbolic ones as the witness has them.
pub fn c_string(m: &mut Machine, s: &mut State, v: Value) -> Result<String, Termination> {
    let mut at = m.concrete_address(s, v);
    let mut out = Vec::new();
    loop {
        let b = m.load(s, Value::concrete(at), 1)?;
        let b = m.eval_value(s, b);
        if b == 0 || out.len() >= MAX_STRING {
            return Ok(vocab::text_of(&out));
        }
        out.push(b as u8);
        at += 1;
    }
}

/// `char *polypath_text(char *text)`: a symbolic object whose last byte is zero ends at its first zero byte from now on. Accesses
/// beyond that are errors; no path forks before there are some.
pub(super) fn end_text(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let at = m.concrete_address(s, c.arg(0));
    let object = s.memory.object_at(at);
    let object = object.filter(|o| o.live && o.start == at && s.memory.bound_of(o).is_none());
    let (Some(o), Some(index)) = (object, s.objects.index_at(at)) else {
        let what = format!("polypath_text: no symbolic object begins at {at:#x}");
        return Err(m.error(s, ErrorKind::User, what));
    };
    let symbols = s.objects.get(index).map_or(0, |o| o.symbols.len());
    let last = m.load(s, Value::concrete(o.end().saturating_sub(1)), 1)?;
    if symbols as u64 != o.size || !(last.term.is_none() && last.bits == 0) {
        let what = "polypath_text: the object's last byte is not zero";
        return Err(m.error(s, ErrorKind::User, what.into()));
    }
    let mut terms = Vec::new();
    for i in 0..o.size {
        terms.push(m.load(s, Value::concrete(at + i), 1)?.term);
    }
    let size = size_to_zero(m, &terms);
    s.memory.set_bound(&mut m.tlb, at, size);
    let put = s.memory.make_symbolic(&mut m.tlb, at, &terms);
    put.map_err(|f| m.fault(s, &f))?;
    Rc::make_mut(&mut process_mut(s).texts).push((at, index));
    Ok(Done::Value(Value::concrete(at)))
}

/// How many bytes a text has, its zero included: of these bytes the last one is zero, and others are if they are symbolic
/// (concrete ones have no term).
pub(super) fn size_to_zero(m: &mut Machine, bytes: &[Term]) -> Term {
    let pool = &mut m.reason.pool;
    let mut size = pool.bv(64, bytes.len() as u64);
    for (at, &byte) in bytes.iter().enumerate().rev() {
        if byte.is_some() {
            let (zero, here) = (pool.bv(8, 0), pool.bv(64, at as u64 + 1));
            let ends = pool.eq(byte, zero);
            size = pool.ite(ends, here, size);
        }
    }
    size
}

/// The condition that a string of the input, if the object is one, has `count` bytes, its NUL included, when it has
/// `proven` ones: all before the last are not NUL.
pub fn has_bytes(
    m: &mut Machine,
    s: &State,
    object: &Object,
    proven: u64,
    count: u64,
) -> Option<Term> {
    let texts = &process(s).texts;
    let &(_, text) = texts.iter().find(|(start, _)| *start == object.start)?;
    let mut all = m.reason.pool.tru();
    let zero = m.reason.pool.bv(8, 0);
    let symbols = s.objects.get(text).map_or(&[][..], |o| &o.symbols);
    let before = symbols.iter().take(count as usize - 1);
    for &symbol in before.skip((proven as usize).saturating_sub(1)) {
        let byte = m.reason.pool.symbol_term(symbol);
        let goes_on = m.reason.pool.ne(byte, zero);
        if !s.path.contains(&m.reason.pool, goes_on) {
            all = m.reason.pool.and(all, goes_on);
        }
    }
    Some(all)
}
