//! Formats of `printf` and `scanf` against the arguments that are passed with them (C11 7.21.6.1, 7.21.6.2).
//!
//! The program's own calls of the functions in [`FUNCTIONS`] are looked at, not those with a `va_list`. A call is a loss
//! ([`Loss::Unchecked`]) if bytes of its format depend on the input. That too few arguments are passed is found where libc reads
//! them.

use exec::Machine;
use exec::State;
use exec::{ErrorKind, Termination};
use ir::{ArgClass, VarArg};
use memory::{ObjectKind, Value};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use vocab::{Check, Loss};

/// A function with a format.
struct FormatFunction {
    name: &'static str,
    /// Which argument the format is.
    format: usize,
    /// Which argument is the array that is written, or the string that is scanned.
    target: Option<usize>,
    scans: bool,
    /// Bytes of a character.
    unit: u64,
}

const fn function(name: &'static str, format: usize) -> FormatFunction {
    FormatFunction {
        name,
        format,
        target: None,
        scans: false,
        unit: 1,
    }
}

const fn writes(name: &'static str, format: usize) -> FormatFunction {
    FormatFunction {
        target: Some(0),
        ..function(name, format)
    }
}

const fn scans(name: &'static str, format: usize) -> FormatFunction {
    FormatFunction {
        scans: true,
        ..function(name, format)
    }
}

const fn reads(name: &'static str, format: usize) -> FormatFunction {
    FormatFunction {
        target: Some(0),
        ..scans(name, format)
    }
}

const fn wide(f: FormatFunction) -> FormatFunction {
    FormatFunction { unit: 4, ..f }
}

const FUNCTIONS: &[FormatFunction] = &[
    function("printf", 0),
    function("fprintf", 1),
    function("dprintf", 1),
    function("asprintf", 1),
    writes("sprintf", 1),
    writes("snprintf", 2),
    function("syslog", 1),
    function("warn", 0),
    function("warnx", 0),
    function("err", 1),
    function("errx", 1),
    function("error", 2),
    function("error_at_line", 4),
    function("__printf_chk", 1),
    function("__fprintf_chk", 2),
    function("__dprintf_chk", 2),
    function("__asprintf_chk", 2),
    writes("__sprintf_chk", 3),
    writes("__snprintf_chk", 4),
    function("__syslog_chk", 2),
    wide(function("__wprintf_chk", 1)),
    wide(function("__fwprintf_chk", 2)),
    wide(writes("__swprintf_chk", 4)),
    scans("scanf", 0),
    scans("fscanf", 1),
    reads("sscanf", 1),
    wide(function("wprintf", 0)),
    wide(function("fwprintf", 1)),
    wide(writes("swprintf", 2)),
    wide(scans("wscanf", 0)),
    wide(scans("fwscanf", 1)),
    wide(reads("swscanf", 1)),
];

/// Functions without a format that read no more variable arguments than they need.
const NEEDS: &[&str] = &[
    "execl", "execle", "execlp", "open", "openat", "sem_open", "mq_open",
];

/// Does the function read no more arguments than it has to be given? Some of libc's (`fcntl`, `ioctl`, `syscall`) read
/// one always and then ignore it.
pub fn reads_what_it_needs(f: &ir::Function) -> bool {
    let name = f.name.as_str();
    let has_format = || FUNCTIONS.iter().any(|function| function.name == name);
    // Other libraries have functions with formats, too.
    let sounds_so = name.ends_with("printf") || name.ends_with("scanf");
    f.own || sounds_so || NEEDS.contains(&name) || has_format()
}

/// Bytes of a format that are looked at.
const MOST: u64 = 1 << 16;

/// Errors of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrong {
    /// There is no such conversion.
    Unknown,
    /// The argument is passed in another place: a float for an integer, an integer for a pointer.
    Class,
    /// The argument has fewer bytes than are read.
    Narrow,
    /// A flag, a precision or a length that the conversion does not have.
    Part,
    /// The argument is the array that is written, or the string that is scanned.
    Same,
}

impl Wrong {
    /// The check that reports it: the second one if the libraries of x86-64 do what was intended most of the time.
    fn check(self) -> Check {
        match self {
            Wrong::Unknown | Wrong::Class | Wrong::Same => Check::Libc,
            Wrong::Narrow | Wrong::Part => Check::Pedantic,
        }
    }

    fn text(self) -> &'static str {
        match self {
            Wrong::Unknown => "no conversion that exists",
            Wrong::Class => "an argument of another kind",
            Wrong::Narrow => "an argument of a smaller type",
            Wrong::Part => "a flag, a precision or a length that it does not have",
            Wrong::Same => "the array of the call itself",
        }
    }
}

/// The argument that a conversion takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wants {
    class: ArgClass,
    bytes: u32,
    text: bool,
    /// Which argument it is, if the format numbers them (POSIX's `%2$d`); otherwise the next one.
    at: Option<usize>,
}

const fn integer(bytes: u32) -> Wants {
    Wants {
        class: ArgClass::General,
        bytes,
        text: false,
        at: None,
    }
}

/// One conversion of a format: its text, the arguments that it takes, in order, and its own error.
#[derive(Debug, Default, PartialEq)]
struct Conversion {
    text: String,
    wants: Vec<Wants>,
    wrong: Option<Wrong>,
}

/// The conversions of a format.
fn conversions(format: &[u32], scans: bool) -> Vec<Conversion> {
    let letter = |i: usize| {
        let c = format.get(i).copied().unwrap_or(0);
        char::from_u32(c).filter(char::is_ascii).unwrap_or('?')
    };
    let is_end = |i: usize| i >= format.len();
    // "2$" names the argument with the index 1.
    let position = |i: &mut usize| {
        let digits = (*i..).take_while(|&j| letter(j).is_ascii_digit());
        let text: String = digits.map(letter).collect();
        let number: usize = text.parse().ok()?;
        let end = *i + text.len();
        (letter(end) == '$').then(|| *i = end + 1)?;
        number.checked_sub(1)
    };
    let mut all = Vec::new();
    let mut i = 0;
    while !is_end(i) {
        if letter(i) != '%' {
            i += 1;
            continue;
        }
        let start = i;
        i += 1;
        let mut c = Conversion::default();
        let at = position(&mut i);
        let flags_from = i;
        let flags = if scans { "*'" } else { "-+ #0'I" };
        while !is_end(i) && flags.contains(letter(i)) {
            i += 1;
        }
        let flag = |f: char| (flags_from..i).any(|j| letter(j) == f);
        let (suppressed, alternative, zero) = (scans && flag('*'), flag('#'), flag('0'));
        let flagged = i > flags_from;
        let number = |i: &mut usize, c: &mut Conversion| {
            let from = *i;
            if !scans && letter(*i) == '*' {
                *i += 1;
                let at = position(i);
                c.wants.push(Wants { at, ..integer(4) });
            } else {
                while letter(*i).is_ascii_digit() {
                    *i += 1;
                }
            }
            *i > from
        };
        let width = number(&mut i, &mut c);
        let mut precision = false;
        if !scans && letter(i) == '.' {
            i += 1;
            number(&mut i, &mut c);
            precision = true;
        }
        let length_from = i;
        if scans && letter(i) == 'm' {
            i += 1;
        }
        while !is_end(i) && "hlLqjzt".contains(letter(i)) {
            i += 1;
        }
        let length: String = (length_from..i).map(letter).collect();
        if is_end(i) {
            c.wrong = Some(Wrong::Unknown);
            c.text = (start..i).map(letter).collect();
            all.push(c);
            break;
        }
        let kind = letter(i);
        i += 1;
        if scans && kind == '[' {
            if letter(i) == '^' {
                i += 1;
            }
            if letter(i) == ']' {
                i += 1;
            }
            while !is_end(i) && letter(i) != ']' {
                i += 1;
            }
            i += 1;
        }
        c.text = (start..i.min(format.len())).map(letter).collect();
        let wide = matches!(length.as_str(), "l" | "ll" | "q" | "j" | "z" | "t" | "L");
        let pointer = integer(8);
        let wants = match kind {
            '%' => None,
            'm' if !scans => None,
            'd' | 'i' | 'o' | 'u' | 'x' | 'X' | 'b' | 'B' if !scans => {
                Some(integer(if wide { 8 } else { 4 }))
            }
            'c' | 'C' if !scans => Some(integer(4)),
            'a' | 'A' | 'e' | 'E' | 'f' | 'F' | 'g' | 'G' if !scans => {
                Some(match length.as_str() {
                    "L" | "ll" | "q" => Wants {
                        class: ArgClass::Stack,
                        bytes: 16,
                        text: false,
                        at: None,
                    },
                    _ => Wants {
                        class: ArgClass::Vector,
                        bytes: 8,
                        text: false,
                        at: None,
                    },
                })
            }
            's' | 'S' if !scans => Some(Wants {
                text: true,
                ..pointer
            }),
            'p' | 'n' => Some(pointer),
            'd' | 'i' | 'o' | 'u' | 'x' | 'X' | 'b' | 'a' | 'A' | 'e' | 'E' | 'f' | 'F' | 'g'
            | 'G' | 'c' | 'C' | 's' | 'S' | '[' => Some(pointer),
            _ => {
                c.wrong = Some(Wrong::Unknown);
                c.wants.clear();
                None
            }
        };
        if c.wrong.is_none() {
            let part = match kind {
                '%' => flagged || width || precision || !length.is_empty(),
                'n' => flagged || width || precision,
                _ if scans => false,
                'd' | 'i' | 'u' => alternative,
                'c' | 'C' | 's' | 'S' | 'p' => {
                    alternative
                        || zero
                        || (precision && !matches!(kind, 's' | 'S'))
                        || !matches!(length.as_str(), "" | "l")
                }
                _ => false,
            };
            c.wrong = part.then_some(Wrong::Part);
        }
        if !suppressed {
            c.wants.extend(wants.map(|w| Wants { at, ..w }));
        }
        all.push(c);
    }
    all
}

/// The characters of a format that do not depend on the input; which one it is may, as libc is going to ask, too.
fn format_text(
    m: &mut Machine,
    s: &mut State,
    at: Value,
    unit: u64,
) -> Result<Option<Vec<u32>>, Termination> {
    let at = m.concrete_address(s, at);
    let mut text = Vec::new();
    for i in 0..MOST {
        m.may_go_on()?;
        let place = at.wrapping_add(i * unit);
        if s.memory.check_access(place, unit, false).is_err() {
            return Ok(None);
        }
        // A byte that was never written is libc's to read, which tells.
        let Ok(c) = m.load(s, Value::concrete(place), unit as u32) else {
            return Ok(None);
        };
        match c.bits {
            _ if c.term.is_some() => return Ok(None),
            0 => return Ok(Some(text)),
            bits => text.push(bits as u32),
        }
    }
    Ok(None)
}

/// The error of an argument that a conversion takes.
fn misfit(wants: Wants, passed: &VarArg, value: Value, target: Option<Value>) -> Option<Wrong> {
    if passed.class != wants.class || passed.by_value {
        return Some(Wrong::Class);
    }
    if passed.bytes < wants.bytes {
        return Some(if wants.text {
            Wrong::Class
        } else {
            Wrong::Narrow
        });
    }
    // `printf` has no operand that is a part of a larger one.
    if passed.bytes > wants.bytes.next_multiple_of(8) {
        return Some(Wrong::Class);
    }
    let same = target.is_some_and(|t| t == value);
    same.then_some(Wrong::Same)
}

/// Formats in constant memory that were looked at, by their addresses, and how a character is stored and read there.
#[derive(Clone, Debug, Default)]
pub struct Known(RefCell<HashMap<(u64, u64, bool), Conversions>>);

/// The conversions of a format; `None` where it cannot be looked at.
type Conversions = Option<Rc<[Conversion]>>;

/// The conversions of the format at an address. Only those of constants are kept: what else is read-only may have other bytes
/// on another path.
fn conversions_at(
    known: &Known,
    m: &mut Machine,
    s: &mut State,
    at: Value,
    f: &FormatFunction,
) -> Result<Conversions, Termination> {
    let key = (at.bits, f.unit, f.scans);
    let object = s.memory.object_at(at.bits).filter(|_| at.term.is_none());
    let is_constant =
        object.is_some_and(|o| o.kind == ObjectKind::Global && o.read_only && o.contains(at.bits));
    if is_constant && let Some(all) = known.0.borrow().get(&key) {
        return Ok(all.clone());
    }
    let text = format_text(m, s, at, f.unit)?;
    let all = text.map(|text| Rc::from(conversions(&text, f.scans)));
    if is_constant {
        known.0.borrow_mut().insert(key, all.clone());
    }
    Ok(all)
}

/// Looks at a call of a function with variable arguments.
pub fn look(
    known: &Known,
    m: &mut Machine,
    s: &mut State,
    callee: &ir::Function,
    args: &[Value],
    list: &[VarArg],
) -> Result<(), Termination> {
    let checks = m.options.checks;
    if callee.own || !(checks.has(Check::Libc) || checks.has(Check::Pedantic)) {
        return Ok(());
    }
    let Some(f) = FUNCTIONS.iter().find(|f| f.name == callee.name) else {
        return Ok(());
    };
    let Some(&format) = args.get(f.format) else {
        return Ok(());
    };
    let target = f.target.and_then(|i| args.get(i)).copied();
    if !f.scans && target == Some(format) && checks.has(Check::Overlap) {
        let text = format!("the format of {} is the array that is written", f.name);
        return Err(m.error(s, ErrorKind::Overlap, text));
    }
    let Some(all) = conversions_at(known, m, s, format, f)? else {
        m.lose(Loss::Unchecked);
        return Ok(());
    };
    let mut passed = list.iter();
    for conversion in all.iter() {
        let mut wrong = conversion.wrong;
        for &wants in &conversion.wants {
            let argument = match wants.at {
                Some(at) => list.get(at),
                None => passed.next(),
            };
            let Some(argument) = argument else {
                break;
            };
            let value = if argument.by_value {
                Value::concrete(0)
            } else {
                m.get(s, argument.value)
            };
            let target = target.filter(|_| wants.text || f.scans);
            wrong = wrong.or(misfit(wants, argument, value, target));
            if wrong.is_none() && wants.text && checks.has(Check::Pedantic) {
                let (value, zero) = (m.term(value, 64u32), m.reason.pool.bv(64, 0));
                let bad = m.reason.pool.eq(value, zero);
                let text = || format!("`{}` of {} has a null pointer", conversion.text, f.name);
                m.forbid(s, bad, ErrorKind::Misuse, text)?;
            }
        }
        if let Some(wrong) = wrong.filter(|w| checks.has(w.check())) {
            let kind = if wrong == Wrong::Same {
                ErrorKind::Overlap
            } else {
                ErrorKind::Misuse
            };
            let text = format!("`{}` of {} has {}", conversion.text, f.name, wrong.text());
            return Err(m.error(s, kind, text));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(format: &str, scans: bool) -> Vec<Conversion> {
        let text: Vec<u32> = format.chars().map(u32::from).collect();
        conversions(&text, scans)
    }

    #[test]
    fn correct_formats_have_nothing_wrong() {
        let printf = "%d %5i %-5.3u %#x %#o %08lX %hhd %hd %lld %jd %zu %td %c %lc %s %.3s %.*s %ls %-*s %f %+.2f %#g %Lf %le %p %n %hhn %% %m %'d";
        assert!(of(printf, false).iter().all(|c| c.wrong.is_none()));
        let scanf = "%d %*d %5s %ms %[^]a] %[]x] %3c %lf %Lf %lld %n %% %p %hhx";
        assert!(
            of(scanf, true).iter().all(|c| c.wrong.is_none()),
            "{:?}",
            of(scanf, true)
        );
    }

    #[test]
    fn what_a_conversion_takes() {
        let wants: Vec<Wants> = of("%*.*f%%%s", false)
            .into_iter()
            .flat_map(|c| c.wants)
            .collect();
        let float = Wants {
            class: ArgClass::Vector,
            bytes: 8,
            text: false,
            at: None,
        };
        let text = Wants {
            text: true,
            ..integer(8)
        };
        assert_eq!(wants, [integer(4), integer(4), float, text]);
        let numbered = of("%2$s %1$0*3$d", false).into_iter();
        let numbered: Vec<Option<usize>> = numbered.flat_map(|c| c.wants).map(|w| w.at).collect();
        assert_eq!(numbered, [Some(1), Some(2), Some(0)]);
        let scanned: usize = of("%*d %d %[a-z]", true)
            .iter()
            .map(|c| c.wants.len())
            .sum();
        assert_eq!(scanned, 2);
    }

    #[test]
    fn wrong_formats_are_seen() {
        for (format, wrong) in [
            ("%y", Wrong::Unknown),
            ("%", Wrong::Unknown),
            ("%5%", Wrong::Part),
            ("%#d", Wrong::Part),
            ("%.3c", Wrong::Part),
            ("%hs", Wrong::Part),
            ("%5n", Wrong::Part),
        ] {
            assert_eq!(of(format, false)[0].wrong, Some(wrong), "{format}");
        }
    }
}
