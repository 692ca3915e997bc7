//! Text of ours in C: literals and comments.

use std::fmt::Write;

/// Characters of a literal on one line.
const LINE: usize = 96;

/// A literal of these bytes.
pub fn literal(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    let mut line = 0;
    for &b in bytes {
        let before = text.len();
        match b {
            b'"' | b'\\' | b'?' => {
                text.push('\\');
                text.push(b as char);
            }
            b' '..=b'~' => text.push(b as char),
            // Three digits: no digit behind them belongs to them.
            _ => {
                let _ = write!(text, "\\{b:03o}");
            }
        }
        line += text.len() - before;
        if line >= LINE {
            text.push_str("\"\n        \"");
            line = 0;
        }
    }
    text.push('"');
    text
}

/// A literal of a text that may be missing.
pub fn or_null(text: Option<&str>) -> String {
    text.map_or("0".into(), |text| literal(text.as_bytes()))
}

/// A text that ends no comment and begins none.
pub fn comment(text: &str) -> String {
    let plain = |c: char| match c {
        '\n' | '\t' => ' ',
        c if c.is_control() => '?',
        c => c,
    };
    let text: String = text.chars().map(plain).collect();
    // (A backslash at the end of a line would continue it.)
    text.replace("*/", "* /")
        .replace("/*", "/ *")
        .replace('\\', "\\ ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_stand_as_they_are_or_as_octal_numbers() {
        assert_eq!(literal(b"a\"\\?\n1\xff"), r#""a\"\\\?\0121\377""#);
        let long = literal(&[b'x'; 200]);
        assert_eq!(long.matches('x').count(), 200);
        assert_eq!(long.lines().count(), 3);
        assert_eq!(or_null(None), "0");
    }

    #[test]
    fn a_comment_stays_one() {
        assert_eq!(comment("a*/b/*c\nd\\"), "a* /b/ *c d\\ ");
    }
}
