//! Checks of the requirements that C makes on callers of libc's functions, if libc itself does not check them.
//!
//! A contract runs before the program's own code calls a function of this name that libc defines. It only reads memory
//! and forbids conditions. An argument that is no string is left to the function itself, and a call that cannot be
//! checked is a loss. Lowering keeps calls of [`vocab::CONTRACTS`] where the machine sees them; a function that the
//! program defines itself has no contract. Libc reports through `__polypath_misuse` what only it can see, such as the
//! state of a stream.

use super::Table;
use super::text::c_string;
use exec::Machine;
use exec::State;
use exec::size_text;
use exec::{Call, Contract, Done};
use exec::{ErrorKind, Termination};
use memory::Value;
use term::Term;
use vocab::{Check, Loss};

pub const TABLE: Table = &[("__polypath_misuse", misuse)];

/// A misuse that libc itself saw (`runtime/musl/build`): whether only C leaves it undefined, and a description.
fn misuse(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let check = match m.concretize(s, c.arg(0), 32) {
        0 => Check::Libc,
        _ => Check::Pedantic,
    };
    if !m.options.checks.has(check) {
        return Ok(Done::Next);
    }
    let text = c_string(m, s, c.arg(1))?;
    Err(m.error(s, ErrorKind::Misuse, text))
}

/// The contract of each function in [`vocab::CONTRACTS`].
pub fn contract(name: &str) -> Option<Contract> {
    Some(match name {
        "strcpy" | "stpcpy" | "__stpcpy" => copies_string::<BYTE>,
        "strncpy" | "stpncpy" | "__stpncpy" => copies_some::<BYTE>,
        "strcat" => appends::<BYTE>,
        "strncat" => appends_some::<BYTE>,
        "wcscpy" | "wcpcpy" => copies_string::<WIDE>,
        "wcsncpy" | "wcpncpy" => copies_some::<WIDE>,
        "wcscat" => appends::<WIDE>,
        "wcsncat" => appends_some::<WIDE>,
        "wmemcpy" | "wmempcpy" => copies_wide,
        "strlcpy" | "strxfrm" => copies_what_fits,
        "memccpy" => copies_up_to,
        "swab" => swaps,
        "mbstowcs" => converts::<WIDE, BYTE>,
        "wcstombs" => converts::<BYTE, WIDE>,
        "strftime" => formats_time,
        "imaxabs" => absolute,
        "isalnum" | "isalpha" | "isblank" | "iscntrl" | "isdigit" | "isgraph" | "islower"
        | "isprint" | "ispunct" | "isspace" | "isupper" | "isxdigit" | "tolower" | "toupper" => {
            character
        }
        "exit" | "quick_exit" => exits,
        "snprintf" | "vsnprintf" => cuts,
        _ if vocab::STUBS.contains(&name) => does_nothing,
        _ => return None,
    })
}

const INT_MAX: u64 = i32::MAX as u64;

/// Bytes of a character.
const BYTE: u32 = 1;
const WIDE: u32 = 4;

/// Characters of a string that are looked at.
const MOST: u64 = 1 << 16;

/// A call with a requirement that cannot be checked for these arguments.
fn unchecked(m: &mut Machine) -> Result<(), Termination> {
    m.lose(Loss::Unchecked);
    Ok(())
}

/// The characters of the string at an address, where neither depends on the input and it has a NUL.
fn known_length<const UNIT: u32>(
    m: &mut Machine,
    s: &mut State,
    at: Value,
) -> Result<Option<u64>, Termination> {
    if !Machine::is_concrete(at) {
        return Ok(None);
    }
    for i in 0..MOST {
        m.may_go_on()?;
        let place = at.bits.wrapping_add(i * u64::from(UNIT));
        let Some(character) = look_at(m, s, place, UNIT) else {
            return Ok(None);
        };
        if !Machine::is_concrete(character) {
            return Ok(None);
        }
        if character.bits == 0 {
            return Ok(Some(i));
        }
    }
    Ok(None)
}

/// A character that exists for certain.
fn look_at(m: &mut Machine, s: &mut State, place: u64, unit: u32) -> Option<Value> {
    let bytes = u64::from(unit);
    let exists = s.memory.check_access(place, bytes, false).is_ok();
    if !exists || s.memory.is_unproven(place, bytes) {
        return None;
    }
    m.load(s, Value::concrete(place), unit).ok()
}

/// The condition that the string at an address has at least `count` characters before its NUL; false where it cannot be
/// read so far.
fn has_length<const UNIT: u32>(
    m: &mut Machine,
    s: &mut State,
    at: u64,
    count: u64,
) -> Result<Term, Termination> {
    let zero = m.reason.pool.bv(8 * UNIT, 0);
    lacks::<UNIT>(m, s, at, count, zero)
}

/// The condition that none of `count` characters is this one; false where they cannot be read.
fn lacks<const UNIT: u32>(
    m: &mut Machine,
    s: &mut State,
    at: u64,
    count: u64,
    last: Term,
) -> Result<Term, Termination> {
    let unit = u64::from(UNIT);
    let readable = s.memory.check_access(at, count.saturating_mul(unit), false);
    if readable.is_err() {
        return Ok(m.reason.pool.fls());
    }
    let mut all = m.reason.pool.tru();
    for i in 0..count {
        m.may_go_on()?;
        let place = at + i * unit;
        if i == MOST || s.memory.is_unproven(place, unit) {
            m.lose(Loss::Unchecked);
            return Ok(m.reason.pool.fls());
        }
        let Some(character) = look_at(m, s, place, UNIT) else {
            return Ok(m.reason.pool.fls());
        };
        let character = m.term(character, 8 * UNIT);
        let is_more = m.reason.pool.ne(character, last);
        all = m.reason.pool.and(all, is_more);
        if m.reason.pool.as_const(all) == Some(0) {
            break;
        }
    }
    Ok(all)
}

/// The bytes of the objects in which an address can lie.
fn reach(m: &mut Machine, s: &State, at: Value) -> (u64, u64) {
    let (lo, hi) = if Machine::is_concrete(at) {
        (at.bits, at.bits)
    } else {
        let bounds = m.bounds_of(s, at.term);
        (bounds.lo, bounds.hi)
    };
    let start = s.memory.object_at(lo).map_or(lo, |o| o.start.min(lo));
    let end = s.memory.object_at(hi).map_or(hi, |o| o.end().max(hi));
    (start, end)
}

/// Whether two addresses can lie in one object: only then is anything asked of them.
fn may_overlap(m: &mut Machine, s: &State, to: Value, from: Value) -> bool {
    if Machine::is_concrete(to) && Machine::is_concrete(from) {
        let object = s.memory.object_at(to.bits);
        return object.is_some_and(|o| o.live && o.contains(from.bits));
    }
    let ((a, a_end), (b, b_end)) = (reach(m, s, to), reach(m, s, from));
    a <= b_end && b <= a_end
}

/// `written` bytes at one address overlap `read` bytes at the other, which is not the same.
fn forbid_overlap(
    m: &mut Machine,
    s: &mut State,
    name: &str,
    (to, written): (Value, Term),
    (from, read): (Value, Term),
) -> Result<(), Termination> {
    let (to, from) = (m.term(to, 64u32), m.term(from, 64u32));
    let (ahead, behind) = (m.reason.pool.sub(to, from), m.reason.pool.sub(from, to));
    let (one, other) = (
        m.reason.pool.ult(ahead, read),
        m.reason.pool.ult(behind, written),
    );
    let (either, differ) = (m.reason.pool.or(one, other), m.reason.pool.ne(to, from));
    let bad = m.reason.pool.and(either, differ);
    overlap(m, s, name, bad)
}

fn overlap(m: &mut Machine, s: &mut State, name: &str, bad: Term) -> Result<(), Termination> {
    let text = || format!("{name} between ranges that overlap");
    m.forbid(s, bad, ErrorKind::Overlap, text)
}

/// The two pointers that a function is given, if they have to be looked at.
fn pointers(m: &mut Machine, s: &State, args: &[Value]) -> Option<(Value, Value)> {
    let &[to, from, ..] = args else { return None };
    let is_wanted = m.options.checks.has(Check::Overlap) && may_overlap(m, s, to, from);
    is_wanted.then_some((to, from))
}

/// Those of a copy, which may be to where it is from.
fn copied(m: &mut Machine, s: &State, args: &[Value]) -> Option<(Value, Value)> {
    pointers(m, s, args).filter(|(to, from)| to != from)
}

/// The same with the number that comes behind them.
fn counted(pointers: Option<(Value, Value)>, args: &[Value]) -> Option<((Value, Value), Value)> {
    Some((pointers?, *args.get(2)?))
}

/// An argument; one that is missing is zero, as the callee gets it.
fn argument(args: &[Value], index: usize) -> Value {
    args.get(index).copied().unwrap_or(Value::concrete(0))
}

/// A number of characters in bytes.
fn bytes<const UNIT: u32>(m: &mut Machine, characters: Term) -> Term {
    let unit = m.reason.pool.bv(64, u64::from(UNIT));
    m.reason.pool.mul(characters, unit)
}

/// A string is copied to an address.
fn copies<const UNIT: u32>(
    m: &mut Machine,
    s: &mut State,
    name: &str,
    to: Value,
    from: Value,
) -> Result<(), Termination> {
    if let Some(length) = known_length::<UNIT>(m, s, from)? {
        let bytes = m.reason.pool.bv(64, (length + 1) * u64::from(UNIT));
        return forbid_overlap(m, s, name, (to, bytes), (from, bytes));
    }
    if !(Machine::is_concrete(to) && Machine::is_concrete(from)) {
        return unchecked(m);
    }
    // A string of at least as many characters as lie between the two reaches into the other range.
    let between = to.bits.abs_diff(from.bits) / u64::from(UNIT);
    let bad = has_length::<UNIT>(m, s, from.bits, between)?;
    overlap(m, s, name, bad)
}

fn copies_string<const UNIT: u32>(
    m: &mut Machine,
    s: &mut State,
    name: &str,
    args: &[Value],
) -> Result<(), Termination> {
    match copied(m, s, args) {
        Some((to, from)) => copies::<UNIT>(m, s, name, to, from),
        None => Ok(()),
    }
}

/// `strncpy`: it writes `n` characters, and reads as many or up to the NUL.
fn copies_some<const UNIT: u32>(
    m: &mut Machine,
    s: &mut State,
    name: &str,
    args: &[Value],
) -> Result<(), Termination> {
    let Some(((to, from), n)) = counted(copied(m, s, args), args) else {
        return Ok(());
    };
    let n = m.term(n, 64u32);
    if let Some(length) = known_length::<UNIT>(m, s, from)? {
        let all = m.reason.pool.bv(64, length + 1);
        let is_shorter = m.reason.pool.ult(n, all);
        let read = m.reason.pool.ite(is_shorter, n, all);
        let (written, read) = (bytes::<UNIT>(m, n), bytes::<UNIT>(m, read));
        return forbid_overlap(m, s, name, (to, written), (from, read));
    }
    if !(Machine::is_concrete(to) && Machine::is_concrete(from)) {
        return unchecked(m);
    }
    let between = to.bits.abs_diff(from.bits) / u64::from(UNIT);
    let distance = m.reason.pool.bv(64, between);
    let mut bad = m.reason.pool.ugt(n, distance);
    if to.bits > from.bits {
        let reaches = has_length::<UNIT>(m, s, from.bits, between)?;
        bad = m.reason.pool.and(bad, reaches);
    }
    overlap(m, s, name, bad)
}

/// `strcat`: the appended string lies in the range that is written, or ends with the string to which it is appended.
/// Its end is checked if it does not depend on input.
fn appends<const UNIT: u32>(
    m: &mut Machine,
    s: &mut State,
    name: &str,
    args: &[Value],
) -> Result<(), Termination> {
    let Some((to, from)) = pointers(m, s, args) else {
        return Ok(());
    };
    if !(Machine::is_concrete(to) && Machine::is_concrete(from)) {
        return unchecked(m);
    }
    let Some(length) = known_length::<UNIT>(m, s, to)? else {
        return unchecked(m);
    };
    let end = to.bits + length * u64::from(UNIT);
    if (to.bits..=end).contains(&from.bits) {
        let bad = m.reason.pool.tru();
        return overlap(m, s, name, bad);
    }
    copies::<UNIT>(m, s, name, Value::concrete(end), from)
}

/// `strncat`: up to `n` characters are appended, and a NUL.
fn appends_some<const UNIT: u32>(
    m: &mut Machine,
    s: &mut State,
    name: &str,
    args: &[Value],
) -> Result<(), Termination> {
    let Some(((to, from), n)) = counted(pointers(m, s, args), args) else {
        return Ok(());
    };
    if !(Machine::is_concrete(to) && Machine::is_concrete(from)) {
        return unchecked(m);
    }
    let Some(length) = known_length::<UNIT>(m, s, to)? else {
        return unchecked(m);
    };
    let end = to.bits + length * u64::from(UNIT);
    let between = end.abs_diff(from.bits) / u64::from(UNIT);
    let n = m.fit(n, 64);
    let (n, distance) = (m.term(n, 64u32), m.reason.pool.bv(64, between));
    // The NUL behind what is appended is written, and not read.
    let is_enough = if from.bits < end {
        m.reason.pool.ugt(n, distance)
    } else {
        m.reason.pool.uge(n, distance)
    };
    if m.reason.pool.as_const(is_enough) == Some(0) {
        return Ok(());
    }
    let reaches = has_length::<UNIT>(m, s, from.bits, between)?;
    let bad = m.reason.pool.and(is_enough, reaches);
    overlap(m, s, name, bad)
}

fn copies_wide(
    m: &mut Machine,
    s: &mut State,
    name: &str,
    args: &[Value],
) -> Result<(), Termination> {
    let Some(((to, from), n)) = counted(copied(m, s, args), args) else {
        return Ok(());
    };
    let (n, four) = (m.term(n, 64u32), m.reason.pool.bv(64, 4));
    let bytes = m.reason.pool.mul(n, four);
    forbid_overlap(m, s, name, (to, bytes), (from, bytes))
}

/// `strlcpy`, `strxfrm`: at most `n` bytes are written, and all of the string is read.
fn copies_what_fits(
    m: &mut Machine,
    s: &mut State,
    name: &str,
    args: &[Value],
) -> Result<(), Termination> {
    let Some(((to, from), n)) = counted(copied(m, s, args), args) else {
        return Ok(());
    };
    let Some(length) = known_length::<BYTE>(m, s, from)? else {
        return unchecked(m);
    };
    let all = m.reason.pool.bv(64, length + 1);
    let written = at_most(m, n, all);
    forbid_overlap(m, s, name, (to, written), (from, all))
}

/// The smaller of an argument and a number.
fn at_most(m: &mut Machine, n: Value, most: Term) -> Term {
    let n = m.fit(n, 64);
    let n = m.term(n, 64u32);
    let is_less = m.reason.pool.ult(n, most);
    m.reason.pool.ite(is_less, n, most)
}

/// `memccpy`: what is copied ends with the first byte of some value.
fn copies_up_to(
    m: &mut Machine,
    s: &mut State,
    name: &str,
    args: &[Value],
) -> Result<(), Termination> {
    let (Some((to, from)), &[_, _, last, n, ..]) = (copied(m, s, args), args) else {
        return Ok(());
    };
    if !(Machine::is_concrete(to) && Machine::is_concrete(from)) {
        return unchecked(m);
    }
    let between = to.bits.abs_diff(from.bits);
    let n = m.fit(n, 64);
    let (n, distance) = (m.term(n, 64u32), m.reason.pool.bv(64, between));
    let is_enough = m.reason.pool.ugt(n, distance);
    if m.reason.pool.as_const(is_enough) == Some(0) {
        return Ok(());
    }
    let last = m.fit(last, 8);
    let last = m.term(last, 8u32);
    let reaches = lacks::<BYTE>(m, s, from.bits, between, last)?;
    let bad = m.reason.pool.and(is_enough, reaches);
    overlap(m, s, name, bad)
}

/// `swab`: from the first to the second, both of as many bytes.
fn swaps(m: &mut Machine, s: &mut State, name: &str, args: &[Value]) -> Result<(), Termination> {
    let Some(((from, to), n)) = counted(copied(m, s, args), args) else {
        return Ok(());
    };
    let n = m.fit(n, 64);
    let (n, zero) = (m.term(n, 64u32), m.reason.pool.bv(64, 0));
    let is_some = m.reason.pool.sgt(n, zero);
    let n = m.reason.pool.ite(is_some, n, zero);
    forbid_overlap(m, s, name, (to, n), (from, n))
}

/// `mbstowcs` and back: each byte is a character, as in the locale C.
fn converts<const TO: u32, const FROM: u32>(
    m: &mut Machine,
    s: &mut State,
    name: &str,
    args: &[Value],
) -> Result<(), Termination> {
    let Some(((to, from), n)) = counted(pointers(m, s, args), args) else {
        return Ok(());
    };
    let Some(length) = known_length::<FROM>(m, s, from)? else {
        return unchecked(m);
    };
    let all = m.reason.pool.bv(64, length + 1);
    let characters = at_most(m, n, all);
    let (written, read) = (bytes::<TO>(m, characters), bytes::<FROM>(m, characters));
    if to == from {
        let zero = m.reason.pool.bv(64, 0);
        let bad = m.reason.pool.ne(characters, zero);
        return overlap(m, s, name, bad);
    }
    forbid_overlap(m, s, name, (to, written), (from, read))
}

/// `strftime`: its format is not the array that it writes.
fn formats_time(
    m: &mut Machine,
    s: &mut State,
    name: &str,
    args: &[Value],
) -> Result<(), Termination> {
    let &[to, _, format, ..] = args else {
        return Ok(());
    };
    if !m.options.checks.has(Check::Overlap) || !may_overlap(m, s, to, format) {
        return Ok(());
    }
    let (to, format) = (m.term(to, 64u32), m.term(format, 64u32));
    let bad = m.reason.pool.eq(to, format);
    overlap(m, s, name, bad)
}

/// `imaxabs`: the lowest number has no absolute value.
fn absolute(m: &mut Machine, s: &mut State, name: &str, args: &[Value]) -> Result<(), Termination> {
    if !m.options.checks.has(Check::Overflow) {
        return Ok(());
    }
    let n = m.term(argument(args, 0), 64u32);
    let lowest = m.reason.pool.bv(64, 1 << 63);
    let bad = m.reason.pool.eq(n, lowest);
    m.forbid(s, bad, ErrorKind::Overflow, || {
        format!("{name} of the lowest number")
    })
}

/// `exit` and `quick_exit`: once on a path. What runs since then are the functions that the first call calls.
fn exits(m: &mut Machine, s: &mut State, name: &str, _: &[Value]) -> Result<(), Termination> {
    if !m.options.checks.has(Check::Pedantic) {
        return Ok(());
    }
    let mut callers = s
        .frames()
        .iter()
        .map(|f| &m.module.functions[f.function as usize]);
    if callers.any(|f| !f.own && matches!(f.name.as_str(), "exit" | "quick_exit")) {
        let text = format!("{name} is called while exit or quick_exit runs");
        return Err(m.error(s, ErrorKind::Misuse, text));
    }
    Ok(())
}

/// The behaviour of other C libraries is left out.
fn does_nothing(
    m: &mut Machine,
    _: &mut State,
    name: &str,
    _: &[Value],
) -> Result<(), Termination> {
    let name = name.trim_start_matches("stub_").trim_start_matches('_');
    *m.stats.refused.entry(name.to_string()).or_default() += 1;
    Ok(())
}

/// `snprintf`: a size above INT_MAX is a difference below zero. POSIX lets the call fail, as musl does, and glibc writes.
fn cuts(m: &mut Machine, s: &mut State, name: &str, args: &[Value]) -> Result<(), Termination> {
    let size = argument(args, 1);
    if !m.options.checks.has(Check::Libc) || size.term.is_none() && size.bits <= INT_MAX {
        return Ok(());
    }
    let shown = m.eval_value(s, size);
    let (size, most) = (m.term(size, 64u32), m.reason.pool.bv(64, INT_MAX));
    let bad = m.reason.pool.ugt(size, most);
    m.forbid(s, bad, ErrorKind::Misuse, || {
        let shown = if shown > INT_MAX {
            size_text(shown)
        } else {
            "above INT_MAX".into()
        };
        format!("{name} with size {shown}")
    })
}

/// `isalpha` and its like: what no table of characters has, glibc's included, which begins at -128.
fn character(
    m: &mut Machine,
    s: &mut State,
    name: &str,
    args: &[Value],
) -> Result<(), Termination> {
    let lowest: u64 = if m.options.checks.has(Check::Pedantic) {
        1
    } else if m.options.checks.has(Check::Libc) {
        128
    } else {
        return Ok(());
    };
    let c = argument(args, 0);
    if c.term.is_none() && (c.bits as u32).wrapping_add(lowest as u32) <= 255 + lowest as u32 {
        return Ok(());
    }
    let c = m.term(c, 32u32);
    // -lowest to 255, moved to begin at zero.
    let offset = m.reason.pool.bv(32, lowest);
    let moved = m.reason.pool.add(c, offset);
    let last = m.reason.pool.bv(32, 255 + lowest);
    let bad = m.reason.pool.ugt(moved, last);
    m.forbid(s, bad, ErrorKind::Misuse, || {
        format!("{name} of a number that is neither EOF nor one of an unsigned char")
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn each_function_that_lowering_keeps_has_a_contract() {
        let mut names = vocab::CONTRACTS.iter().chain(vocab::STUBS);
        assert!(names.all(|name| super::contract(name).is_some()));
        assert!(super::contract("memmove").is_none());
    }
}
