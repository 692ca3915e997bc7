//! Strings that end at their NUL: those of the program, and those of its input.

use super::process::process;
use exec::Machine;
use exec::State;
use exec::Termination;
use memory::{Object, Value};
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
