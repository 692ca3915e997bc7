//! One line of the text: its words, numbers and strings, and what to say when another one was expected.

use crate::print::is_word;

/// Why text is not a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// From 1.
    pub line: usize,
    /// In bytes, from 1.
    pub column: usize,
    /// What should stand there.
    pub expected: String,
    /// What stands there instead.
    pub found: String,
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ParseError {
            line,
            column,
            expected,
            found,
        } = self;
        write!(
            f,
            "line {line}, column {column}: expected {expected}, found {found}"
        )
    }
}

impl std::error::Error for ParseError {}

/// Characters of the unexpected text that an error shows.
const SHOWN: usize = 24;

/// A place in a line.
#[derive(Clone)]
pub(crate) struct Cursor<'t> {
    text: &'t str,
    at: usize,
    line: usize,
}

impl<'t> Cursor<'t> {
    /// The beginning of a line, which counts from 1.
    pub(crate) fn new(text: &'t str, line: usize) -> Cursor<'t> {
        let mut c = Cursor { text, at: 0, line };
        c.skip();
        c
    }

    fn rest(&self) -> &'t [u8] {
        &self.text.as_bytes()[self.at..]
    }

    /// Over spaces and a comment.
    fn skip(&mut self) {
        while self.rest().first().is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        if self.rest().first() == Some(&b';') {
            self.at = self.text.len();
        }
    }

    /// Line and column, for comparison.
    pub(crate) fn place(&self) -> (usize, usize) {
        (self.line, self.at)
    }

    pub(crate) fn is_done(&self) -> bool {
        self.rest().is_empty()
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.rest().first().copied()
    }

    /// Something else than expected is here.
    pub(crate) fn wrong<T>(&self, expected: impl Into<String>) -> Result<T, ParseError> {
        let rest = String::from_utf8_lossy(self.rest());
        let found = match rest.trim_end() {
            "" => "the end of the line".to_string(),
            found => format!("`{}`", found.chars().take(SHOWN).collect::<String>()),
        };
        Err(ParseError {
            line: self.line,
            column: self.at + 1,
            expected: expected.into(),
            found,
        })
    }

    /// Over a character, if it is here.
    pub(crate) fn eat(&mut self, c: u8) -> bool {
        let here = self.peek() == Some(c);
        if here {
            self.at += 1;
            self.skip();
        }
        here
    }

    /// Over a character, which must be here.
    pub(crate) fn expect(&mut self, c: u8) -> Result<(), ParseError> {
        if self.eat(c) {
            Ok(())
        } else {
            self.wrong(format!("`{}`", char::from(c)))
        }
    }

    /// Over an arrow.
    pub(crate) fn arrow(&mut self) -> Result<(), ParseError> {
        if !self.rest().starts_with(b"->") {
            return self.wrong("`->`");
        }
        self.at += 2;
        self.skip();
        Ok(())
    }

    /// The word here, empty if there is none.
    pub(crate) fn peek_word(&self) -> &'t str {
        let rest = &self.text[self.at..];
        let end = rest.bytes().position(|b| !is_word(b));
        &rest[..end.unwrap_or(rest.len())]
    }

    /// Over a word.
    pub(crate) fn word(&mut self, expected: &str) -> Result<&'t str, ParseError> {
        let word = self.peek_word();
        if word.is_empty() {
            return self.wrong(expected);
        }
        self.at += word.len();
        self.skip();
        Ok(word)
    }

    /// Over this word, if it is here.
    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        let here = self.peek_word() == word;
        if here {
            self.at += word.len();
            self.skip();
        }
        here
    }

    /// Over this word, which must be here.
    pub(crate) fn expect_word(&mut self, word: &str) -> Result<(), ParseError> {
        if self.eat_word(word) {
            Ok(())
        } else {
            self.wrong(format!("`{word}`"))
        }
    }

    /// A number, of a type that has room for it.
    pub(crate) fn number<N: TryFrom<i128>>(&mut self, expected: &str) -> Result<N, ParseError> {
        let before = self.clone();
        let negative = self.eat(b'-');
        let word = self.word(expected)?;
        let digits = word.strip_prefix("0x");
        let value = match digits {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => word.parse().ok(),
        };
        let value = value.map(i128::from);
        let value = value.map(|v| if negative { -v } else { v });
        match value.and_then(|v| N::try_from(v).ok()) {
            Some(value) => Ok(value),
            None => before.wrong(expected),
        }
    }

    /// A string in quotation marks.
    pub(crate) fn quoted(&mut self, expected: &str) -> Result<Vec<u8>, ParseError> {
        let before = self.clone();
        if self.peek() != Some(b'"') {
            return self.wrong(expected);
        }
        self.at += 1;
        let mut bytes = Vec::new();
        loop {
            match *self.rest() {
                [] => return before.wrong("a string with an end"),
                [b'"', ..] => break,
                [b'\\', high, low, ..] => {
                    let digit = |b: u8| char::from(b).to_digit(16);
                    let (Some(high), Some(low)) = (digit(high), digit(low)) else {
                        return self.wrong("`\\` and two hexadecimal digits");
                    };
                    bytes.push((high << 4 | low) as u8);
                    self.at += 3;
                }
                [b'\\', ..] => return self.wrong("`\\` and two hexadecimal digits"),
                [b, ..] => {
                    bytes.push(b);
                    self.at += 1;
                }
            }
        }
        self.at += 1;
        self.skip();
        Ok(bytes)
    }

    /// A string in quotation marks that is UTF-8.
    pub(crate) fn string(&mut self, expected: &str) -> Result<String, ParseError> {
        let before = self.clone();
        let bytes = self.quoted(expected)?;
        match String::from_utf8(bytes) {
            Ok(text) => Ok(text),
            Err(_) => before.wrong("a string in UTF-8"),
        }
    }

    /// A name: a word, or anything in quotation marks.
    pub(crate) fn name(&mut self, expected: &str) -> Result<String, ParseError> {
        match self.peek() {
            Some(b'"') => self.string(expected),
            _ => self.word(expected).map(str::to_string),
        }
    }

    /// Nothing may follow.
    pub(crate) fn end(&self) -> Result<(), ParseError> {
        if self.is_done() {
            Ok(())
        } else {
            self.wrong("the end of the line")
        }
    }
}
