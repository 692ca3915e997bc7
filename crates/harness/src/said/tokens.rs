//! The tokens of a source of C, with their lines. Comments are tokens, too; lines of the preprocessor are left out.

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) text: &'a str,
    /// From 1 on.
    pub(super) line: u32,
}

impl Token<'_> {
    pub(super) fn is_comment(&self) -> bool {
        self.text.starts_with("/*") || self.text.starts_with("//")
    }

    pub(super) fn is_word(&self) -> bool {
        self.text
            .starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
    }
}

/// A source.
pub(super) struct Tokens<'a>(pub(super) Vec<Token<'a>>);

impl<'a> Tokens<'a> {
    pub(super) fn of(text: &'a str) -> Tokens<'a> {
        let mut all = Vec::new();
        let (mut at, mut line) = (0, 1);
        let mut begins_line = true;
        while let Some(first) = text[at..].chars().next() {
            let rest = &text[at..];
            let length = match first {
                '\n' => {
                    (at, line, begins_line) = (at + 1, line + 1, true);
                    continue;
                }
                _ if first.is_whitespace() => {
                    at += first.len_utf8();
                    continue;
                }
                '#' if begins_line => {
                    let length = directive(rest);
                    line += lines(&rest[..length]);
                    at += length;
                    continue;
                }
                '/' if rest.starts_with("/*") => rest[2..].find("*/").map_or(rest.len(), |n| n + 4),
                '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
                '"' | '\'' => literal(rest),
                _ if is_part(first) => rest.find(|c| !is_part(c)).unwrap_or(rest.len()),
                _ => first.len_utf8(),
            };
            let text = &rest[..length];
            all.push(Token { text, line });
            line += lines(text);
            at += length;
            begins_line = false;
        }
        Tokens(all)
    }
}

fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn lines(text: &str) -> u32 {
    text.bytes().filter(|b| *b == b'\n').count() as u32
}

/// The length of a line of the preprocessor, with those that a backslash joins to it. A comment that begins in it and goes on is no
/// part of it.
fn directive(text: &str) -> usize {
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        if c == '\n' && before != '\\' || text[at..].starts_with("/*") {
            return at;
        }
        before = c;
    }
    text.len()
}

/// The length of the literal at the beginning, which ends with its line at the latest.
fn literal(text: &str) -> usize {
    let quote = text.as_bytes().first().copied();
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            b'\n' => return at,
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            byte if Some(byte) == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}
