//! Names of tests that say what a test shows: the function, what is special about its arguments, and the outcome
//! (`csv_parse.s_null_and_len_zero.completes`).

use crate::model::{ExitKind, TestCase};
use harness::test_source::{BY_HAND, SpecialValues, TellingInput, TestSource};
use std::path::Path;

/// Arguments that a name has, at most.
const SHOWN: usize = 2;

/// Calls before the tested one that a name has, at most.
const CALLS: usize = 2;

/// Characters of a text that a name has, at most.
const CHARACTERS: usize = 12;

/// Numbers beyond it tell nobody anything.
const GREATEST: u64 = 9999;

/// The value of a choice that stands for null.
const NULL: u8 = 1;

/// A name for a test of a function.
pub fn name(function: &str, test: &TestCase, source: &TestSource) -> String {
    let special = with(test, &source.telling, special);
    let mut said: Vec<String> = special.iter().map(|(_, text)| text.clone()).collect();
    // What is not special is told, too, if it decided where the path went.
    let is_new = |(of, _): &(&str, String)| special.iter().all(|(known, _)| known != of);
    let plain = with(test, &source.telling, plain).into_iter();
    said.extend(plain.filter(is_new).map(|(_, text)| text));
    said.truncate(SHOWN);
    if bytes(test, BY_HAND).is_some_and(|made| made != [0]) {
        said.push("by_hand".into());
    }
    said.extend(calls(test, source).map(|f| format!("after_{}", identifier(f))));
    let parts = [identifier(function), said.join("_and_"), outcome(test)];
    let parts: Vec<String> = parts.into_iter().filter(|p| !p.is_empty()).collect();
    parts.join(".")
}

fn bytes<'a>(test: &'a TestCase, name: &str) -> Option<&'a [u8]> {
    let object = test.objects.iter().find(|(n, _)| n == name);
    object.map(|(_, bytes)| &bytes[..])
}

/// What these words say of the arguments, each with its parameter.
fn with<'a>(
    test: &TestCase,
    telling: &'a [TellingInput],
    word: impl Fn(&TestCase, &TellingInput, &[u8]) -> Option<String>,
) -> Vec<(&'a str, String)> {
    let mut said: Vec<(&str, String)> = Vec::new();
    for input in telling {
        // The content of what is null is nothing.
        let is_told = said.iter().any(|(of, _)| *of == input.of);
        let word = bytes(test, &input.input).and_then(|bytes| word(test, input, bytes));
        said.extend(
            word.filter(|_| !is_told)
                .map(|word| (&input.of[..], format!("{}_{word}", input.of))),
        );
    }
    said
}

/// The word for a special value.
fn special(_: &TestCase, input: &TellingInput, bytes: &[u8]) -> Option<String> {
    let word = match input.what {
        SpecialValues::Choice => (bytes.first() == Some(&NULL)).then_some("null"),
        SpecialValues::Text => (bytes.first() == Some(&0)).then_some("empty"),
        SpecialValues::Data => None,
        SpecialValues::Number { .. } if bytes.iter().all(|b| *b == 0) => Some("zero"),
        SpecialValues::Number { signed } => {
            let has_sign = bytes.last().is_some_and(|b| b & 0x80 != 0);
            (signed && has_sign).then_some("negative")
        }
    };
    word.map(str::to_string)
}

/// A value that decided something, if it can stand in a name.
fn plain(test: &TestCase, input: &TellingInput, bytes: &[u8]) -> Option<String> {
    let at = test.objects.iter().position(|(n, _)| *n == input.input)?;
    let is_decisive = test.relevant.get(at).is_some_and(|r| !r.0.is_empty());
    if !is_decisive {
        return None;
    }
    match input.what {
        SpecialValues::Choice => None,
        SpecialValues::Number { .. } => {
            let digits = bytes
                .iter()
                .rev()
                .fold(0u128, |n, b| n << 8 | u128::from(*b));
            let number = u64::try_from(digits).ok()?;
            (number <= GREATEST).then(|| number.to_string())
        }
        SpecialValues::Text | SpecialValues::Data => {
            let text = bytes.split(|b| *b == 0).next()?;
            let text = identifier(&String::from_utf8_lossy(text));
            let text: String = text.chars().take(CHARACTERS).collect();
            let says = text.contains(|c: char| c.is_ascii_alphanumeric());
            says.then_some(text)
        }
    }
}

/// The functions that were called before.
fn calls<'a>(test: &'a TestCase, source: &'a TestSource) -> impl Iterator<Item = &'a String> {
    let called = test.objects.iter().filter_map(|(name, bytes)| {
        let is_it = |input: &str| {
            let rest = name.strip_prefix(input)?;
            let number = rest.strip_prefix('_').unwrap_or(rest);
            number.bytes().all(|b| b.is_ascii_digit()).then_some(())
        };
        let mut all = source.choosing.iter();
        let (_, functions) = all.find(|(input, _)| is_it(input).is_some())?;
        let chosen = usize::from(*bytes.first()?).min(functions.len().checked_sub(1)?);
        functions.get(chosen)
    });
    called.take(CALLS)
}

fn outcome(test: &TestCase) -> String {
    if let Some(error) = &test.error {
        let stem = Path::new(&error.file).file_stem().unwrap_or_default();
        let place = identifier(&stem.to_string_lossy());
        return format!("{}_{place}_{}", error.kind.id(), error.line);
    }
    match test.expected.exit {
        ExitKind::Status(0) => "completes".into(),
        ExitKind::Status(n) => format!("exits_{n}"),
        ExitKind::Signal(n) => format!("signal_{n}"),
        ExitKind::Error(_) | ExitKind::Killed(_) => String::new(),
    }
}

/// Letters, digits and underscores alone.
pub fn identifier(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    text.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;
    use crate::model::{ByteRanges, ErrorRecord};

    #[test]
    fn a_name_says_arguments_and_outcome() {
        let input = |input: &str, of: &str, what| TellingInput {
            input: input.into(),
            of: of.into(),
            what,
        };
        let source = TestSource {
            telling: vec![
                input("s.choice", "s", SpecialValues::Choice),
                input("s", "s", SpecialValues::Text),
                input("n", "n", SpecialValues::Number { signed: true }),
            ],
            choosing: vec![("p.call".into(), vec!["p_add".into(), "p_set".into()])],
            ..TestSource::default()
        };
        let test = |s: u8, text: &[u8], n: [u8; 2], call: Option<u8>| {
            let mut objects = vec![
                ("s.choice".to_string(), vec![s]),
                ("s".into(), text.to_vec()),
                ("n".into(), n.to_vec()),
            ];
            objects.extend(call.map(|c| ("p.call_1".into(), vec![c])));
            TestCase {
                relevant: vec![ByteRanges::of([0]); objects.len()],
                objects,
                ..TestCase::default()
            }
        };
        let is = |test: &TestCase, wanted: &str| assert_eq!(name("f", test, &source), wanted);
        is(
            &test(1, b"\0", [0, 0], None),
            "f.s_null_and_n_zero.completes",
        );
        is(
            &test(0, b"\0", [0, 0x80], Some(7)),
            "f.s_empty_and_n_negative_and_after_p_set.completes",
        );
        is(
            &test(0, b"a+b\0c", [4, 1], Some(0)),
            "f.s_a_b_and_n_260_and_after_p_add.completes",
        );
        let mut failing = test(2, b"??", [1, 0], None);
        failing.error = Some(ErrorRecord {
            kind: ErrorKind::OutOfBounds,
            file: "/src/a-b.c".into(),
            line: 12,
            ..ErrorRecord::default()
        });
        is(&failing, "f.n_1.out_of_bounds_a_b_12");
        failing.error = None;
        failing.relevant = Vec::new();
        failing.expected.exit = ExitKind::Status(3);
        is(&failing, "f.exits_3");
    }
}
