//! What is generated: functions of one byte, and how they are judged.

use testkit::Random;

/// Inputs of a case: 0 to 7.
pub const INPUTS: u32 = 8;

/// Functions, the last of them `int case_N(unsigned char x)`.
///
/// `FAILS_IF(condition)` in them is nothing but the truth: natively it ends the function as a sanitizer would, and the
/// explored program does not have it. It stands where no sanitizer looks.
#[derive(Clone)]
pub struct Case {
    /// One statement a line, so that a line says which one fails.
    pub text: String,
}

impl Case {
    pub fn new(text: &str) -> Case {
        Case { text: lines(text) }
    }
}

/// How cases are held against a sanitizer.
pub struct Kind {
    pub name: &'static str,
    /// Clang's options for it.
    pub sanitizer: &'static [&'static str],
    pub checks: &'static str,
    /// The kinds of errors that are the sanitizer's.
    pub errors: &'static [&'static str],
    pub lines: Lines,
    /// What an error is for the rest of its path.
    pub after: After,
    pub make: fn(usize, &mut Random) -> Case,
}

/// Where an error is reported.
#[derive(Clone, Copy, PartialEq)]
pub enum Lines {
    /// In the line in which the sanitizer sees it.
    Same,
    /// Somewhere in the case: the sanitizer follows a value to its use.
    Inside,
}

/// What an error is for the rest of its path.
#[derive(Clone, Copy, PartialEq)]
pub enum After {
    /// Its end.
    Ends,
    /// Nothing: the path goes on. A place has one error of each kind, so inputs that fail and those that do not are
    /// explored in two runs.
    GoesOn,
}

/// The text with one statement a line.
fn lines(text: &str) -> String {
    let (mut out, mut depth, mut quoted) = (String::new(), 0, false);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        out.push(c);
        match c {
            '\\' => out.extend(rest.next()),
            '"' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth -= 1,
            ';' if !quoted && depth == 0 && rest.peek() != Some(&'\n') => out.push('\n'),
            _ => {}
        }
    }
    if !out.ends_with('\n') {
        out.push('\n');
    }
    out
}

#[test]
fn a_line_has_one_statement() {
    let text = "for (int i = 0; i < 3; i++) f(\";\", ';'); g();\nh(\"\\\";\");";
    let expected = "for (int i = 0; i < 3; i++) f(\";\", ';');\n g();\nh(\"\\\";\");\n";
    assert_eq!(lines(text), expected);
}
