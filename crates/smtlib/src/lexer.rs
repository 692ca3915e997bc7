//! Bytes to tokens, one at a time, from a buffer of fixed size: a script of any length is read in
//! the memory of its longest token. Nothing behind the token asked for is read, so that a
//! dialogue gets its answer at the closing parenthesis.

use crate::error::{Error, ErrorKind, Position};
use std::io::Read;

const BUFFER: usize = 1 << 16;

/// Kinds of tokens; the text is [`Lexer::text`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    Open,
    Close,
    /// A simple symbol or reserved word.
    Symbol,
    /// A symbol in bars, without them.
    Quoted,
    /// With its colon.
    Keyword,
    Numeral,
    Decimal,
    /// Digits behind `#x`.
    Hex,
    /// Digits behind `#b`.
    Binary,
    /// The content of a string literal, escapes resolved.
    String,
    End,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub kind: TokenKind,
    pub at: Position,
}

pub(crate) struct Lexer<R> {
    input: R,
    buffer: Box<[u8]>,
    from: usize,
    to: usize,
    ended: bool,
    at: Position,
    /// Open parentheses.
    depth: u64,
    bytes: Vec<u8>,
    text: String,
    /// The tokens since [`Lexer::record`], normalized.
    recorded: Option<String>,
    returned: Option<Token>,
}

fn is_symbol(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"~!@$%^&*_-+=<>.?/".contains(&byte)
}

impl<R: Read> Lexer<R> {
    pub fn new(input: R) -> Lexer<R> {
        Lexer {
            input,
            buffer: vec![0; BUFFER].into(),
            from: 0,
            to: 0,
            ended: false,
            at: Position { line: 1, column: 1 },
            depth: 0,
            bytes: Vec::new(),
            text: String::new(),
            recorded: None,
            returned: None,
        }
    }

    /// Text of the token that was read last.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Open parentheses so far.
    pub fn depth(&self) -> u64 {
        self.depth
    }

    /// Gives the token that was read last once more.
    pub fn unread(&mut self, token: Token) {
        self.returned = Some(token);
    }

    /// From now on keeps the text of tokens.
    pub fn record(&mut self) {
        self.recorded = Some(String::new());
    }

    /// Keeps the text of tokens from the one that was given back on.
    pub fn record_from(&mut self, returned: TokenKind) {
        self.record();
        self.append(returned);
    }

    /// The text since [`Lexer::record`].
    pub fn recorded(&mut self) -> String {
        self.recorded.take().unwrap_or_default()
    }

    fn peek(&mut self) -> Result<Option<u8>, Error> {
        while self.from == self.to {
            if self.ended {
                return Ok(None);
            }
            match self.input.read(&mut self.buffer) {
                Ok(0) => self.ended = true,
                Ok(count) => (self.from, self.to) = (0, count),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.ended = true;
                    return Err(Error {
                        at: self.at,
                        kind: ErrorKind::Io(error.to_string()),
                        lost_assertion: false,
                    });
                }
            }
        }
        Ok(Some(self.buffer[self.from]))
    }

    /// Passes the byte that [`Lexer::peek`] gave.
    fn pass(&mut self, byte: u8) {
        self.from += 1;
        if byte == b'\n' {
            self.at.line += 1;
            self.at.column = 1;
        } else if byte & 0xc0 != 0x80 {
            self.at.column += 1;
        }
    }

    /// The next token.
    pub fn next(&mut self) -> Result<Token, Error> {
        if let Some(token) = self.returned.take() {
            return Ok(token);
        }
        let token = self.scan()?;
        if self.recorded.is_some() {
            self.append(token.kind);
        }
        Ok(token)
    }

    fn scan(&mut self) -> Result<Token, Error> {
        self.skip_space()?;
        let at = self.at;
        self.text.clear();
        self.bytes.clear();
        let token = |kind| Ok(Token { kind, at });
        let Some(first) = self.peek()? else {
            return token(TokenKind::End);
        };
        match first {
            b'(' => {
                self.pass(first);
                self.depth += 1;
                token(TokenKind::Open)
            }
            b')' => {
                self.pass(first);
                if self.depth == 0 {
                    return Err(Error::malformed(at, "unexpected ')'"));
                }
                self.depth -= 1;
                token(TokenKind::Close)
            }
            b'|' => {
                self.pass(first);
                self.quoted(at)?;
                token(TokenKind::Quoted)
            }
            b'"' => {
                self.pass(first);
                self.string(at)?;
                token(TokenKind::String)
            }
            b'#' => {
                self.pass(first);
                self.literal(at).and_then(token)
            }
            b'0'..=b'9' => self.number(at).and_then(token),
            b':' => {
                self.pass(first);
                self.bytes.push(first);
                self.word()?;
                self.finish(at)?;
                if self.text.len() == 1 {
                    return Err(Error::malformed(at, "a keyword without a name"));
                }
                token(TokenKind::Keyword)
            }
            _ if is_symbol(first) => {
                self.word()?;
                self.finish(at)?;
                token(TokenKind::Symbol)
            }
            _ => {
                self.pass(first);
                let shown = match first {
                    0x21..=0x7e => format!("'{}'", first as char),
                    _ => format!("byte {first:#04x}"),
                };
                Err(Error::malformed(at, format!("unexpected {shown}")))
            }
        }
    }

    fn skip_space(&mut self) -> Result<(), Error> {
        while let Some(byte) = self.peek()? {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => self.pass(byte),
                b';' => {
                    while let Some(byte) = self.peek()? {
                        self.pass(byte);
                        if byte == b'\n' {
                            break;
                        }
                    }
                }
                _ => break,
            }
        }
        Ok(())
    }

    /// Appends symbol characters to `bytes`.
    fn word(&mut self) -> Result<(), Error> {
        while let Some(byte) = self.peek()? {
            if !is_symbol(byte) {
                break;
            }
            self.pass(byte);
            self.bytes.push(byte);
        }
        Ok(())
    }

    fn number(&mut self, at: Position) -> Result<TokenKind, Error> {
        self.word()?;
        self.finish(at)?;
        let (whole, fraction) = match self.text.split_once('.') {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (self.text.as_str(), None),
        };
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        match fraction {
            None if digits(whole) => Ok(TokenKind::Numeral),
            Some(fraction) if digits(whole) && digits(fraction) => Ok(TokenKind::Decimal),
            _ => {
                let message = format!("'{}' is no number", shortened(&self.text));
                Err(Error::malformed(at, message))
            }
        }
    }

    /// What stands behind `#`.
    fn literal(&mut self, at: Position) -> Result<TokenKind, Error> {
        self.word()?;
        self.finish(at)?;
        let kind = match self.text.bytes().next() {
            Some(b'x') if self.text[1..].bytes().all(|b| b.is_ascii_hexdigit()) => TokenKind::Hex,
            Some(b'b') if self.text[1..].bytes().all(|b| matches!(b, b'0' | b'1')) => {
                TokenKind::Binary
            }
            _ => {
                let message = format!("'#{}' is no literal", shortened(&self.text));
                return Err(Error::malformed(at, message));
            }
        };
        if self.text.len() == 1 {
            return Err(Error::malformed(at, "a literal without digits"));
        }
        self.text.remove(0);
        Ok(kind)
    }

    fn quoted(&mut self, at: Position) -> Result<(), Error> {
        loop {
            let Some(byte) = self.peek()? else {
                return Err(Error::malformed(at, "the symbol's closing '|' is missing"));
            };
            self.pass(byte);
            match byte {
                b'|' => return self.finish(at),
                b'\\' => return Err(Error::malformed(at, "'\\' in a quoted symbol")),
                _ => self.bytes.push(byte),
            }
        }
    }

    fn string(&mut self, at: Position) -> Result<(), Error> {
        loop {
            let Some(byte) = self.peek()? else {
                return Err(Error::malformed(at, "the string's closing '\"' is missing"));
            };
            self.pass(byte);
            if byte == b'"' {
                // Two quotes are one; the first of them ends nothing yet.
                if self.peek()? != Some(b'"') {
                    return self.finish(at);
                }
                self.pass(b'"');
            }
            self.bytes.push(byte);
        }
    }

    /// Moves the bytes of a token to its text.
    fn finish(&mut self, at: Position) -> Result<(), Error> {
        match std::str::from_utf8(&self.bytes) {
            Ok(text) => {
                self.text.push_str(text);
                Ok(())
            }
            Err(_) => Err(Error::malformed(at, "the text is not UTF-8")),
        }
    }

    fn append(&mut self, kind: TokenKind) {
        let Some(record) = &mut self.recorded else {
            return;
        };
        if kind != TokenKind::Close && !record.is_empty() && !record.ends_with('(') {
            record.push(' ');
        }
        match kind {
            TokenKind::Open => record.push('('),
            TokenKind::Close => record.push(')'),
            TokenKind::Quoted => record.push_str(&crate::write::symbol(&self.text)),
            TokenKind::Hex | TokenKind::Binary => {
                record.push_str(if kind == TokenKind::Hex { "#x" } else { "#b" });
                record.push_str(&self.text);
            }
            TokenKind::String => record.push_str(&crate::write::string(&self.text)),
            TokenKind::Symbol | TokenKind::Keyword | TokenKind::Numeral | TokenKind::Decimal => {
                record.push_str(&self.text);
            }
            TokenKind::End => {}
        }
    }

    /// Skips to the end of the command that is open. Bytes that are no tokens are skipped, too.
    pub fn recover(&mut self) {
        self.returned = None;
        self.recorded = None;
        while self.depth > 0 {
            match self.next() {
                Ok(token) if token.kind == TokenKind::End => self.depth = 0,
                Ok(_) => {}
                Err(_) if self.ended => self.depth = 0,
                Err(_) => {}
            }
        }
    }
}

/// The beginning of a text, for messages.
pub(crate) fn shortened(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<(TokenKind, String, u32, u32)> {
        let mut lexer = Lexer::new(text.as_bytes());
        let mut out = vec![];
        loop {
            let token = lexer.next().unwrap();
            if token.kind == TokenKind::End {
                return out;
            }
            out.push((
                token.kind,
                lexer.text().to_string(),
                token.at.line,
                token.at.column,
            ));
        }
    }

    #[test]
    fn tokens_have_kinds_texts_and_places() {
        let text = "(assert ; c\n |a b| #xAf #b01 12 1.5 :k \"x\"\"y\") <=";
        let found = tokens(text);
        let expected = [
            (TokenKind::Open, "", 1, 1),
            (TokenKind::Symbol, "assert", 1, 2),
            (TokenKind::Quoted, "a b", 2, 2),
            (TokenKind::Hex, "Af", 2, 8),
            (TokenKind::Binary, "01", 2, 13),
            (TokenKind::Numeral, "12", 2, 18),
            (TokenKind::Decimal, "1.5", 2, 21),
            (TokenKind::Keyword, ":k", 2, 25),
            (TokenKind::String, "x\"y", 2, 28),
            (TokenKind::Close, "", 2, 34),
            (TokenKind::Symbol, "<=", 2, 36),
        ];
        assert_eq!(found.len(), expected.len());
        for (found, (kind, text, line, column)) in found.iter().zip(expected) {
            assert_eq!(*found, (kind, text.to_string(), line, column));
        }
    }

    #[test]
    fn bad_tokens_are_refused_where_they_stand() {
        for (text, at, says) in [
            ("\n #q", (2, 2), "no literal"),
            ("#x", (1, 1), "without digits"),
            ("|abc", (1, 1), "closing '|'"),
            ("\"abc", (1, 1), "closing '\"'"),
            ("12a", (1, 1), "no number"),
            ("1.", (1, 1), "no number"),
            (")", (1, 1), "unexpected ')'"),
            ("  [", (1, 3), "unexpected '['"),
            ("é", (1, 1), "unexpected byte"),
            (":", (1, 1), "without a name"),
        ] {
            let error = Lexer::new(text.as_bytes()).next().unwrap_err();
            assert_eq!((error.at.line, error.at.column), at, "{text}");
            assert!(error.to_string().contains(says), "{text}: {error}");
        }
    }
}
