//! Texts that the page has but does not show at first: they are compressed, and its script unpacks those that somebody asks for.
//!
//! A browser takes seconds for the markup of tens of megabytes, and milliseconds to pass over a script of a type that it does not run. Each text
//! is named by the number of its script and by its own number in it (`data-later="3-17"`). A script is zlib's format in base64, and texts in it
//! are parted by a zero byte.

use super::text::forbidden;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use maud::{Markup, PreEscaped, html};
use std::io::Write;

/// Bytes of text after which the next one begins another script: what is unpacked for one text.
const FULL: usize = 512 << 10;

/// The texts so far.
#[derive(Default)]
pub struct Later {
    /// Scripts that are full.
    full: Vec<String>,
    /// The texts of the next one, each with a zero byte behind it.
    open: String,
    texts: usize,
}

impl Later {
    /// Keeps a text, and returns its name.
    pub fn add(&mut self, text: &str) -> String {
        let name = format!("{}-{}", self.full.len(), self.texts);
        self.texts += 1;
        // Most texts have nothing else, and byte by byte this is seen at once.
        let is_plain = |b: u8| matches!(b, b' '..=b'~' | b'\n' | b'\t' | b'\r');
        if text.bytes().all(is_plain) {
            self.open.push_str(text);
        } else {
            let chars = text.chars();
            self.open
                .extend(chars.map(|c| if forbidden(c) { '\u{FFFD}' } else { c }));
        }
        self.open.push('\0');
        if self.open.len() >= FULL {
            self.close();
        }
        name
    }

    fn close(&mut self) {
        self.full.push(packed(&self.open));
        self.open.clear();
        self.texts = 0;
    }

    /// All of them as markup.
    pub fn markup(mut self) -> Markup {
        if !self.open.is_empty() {
            self.close();
        }
        html! {
            @for (number, packed) in self.full.iter().enumerate() {
                script type="application/zlib" id={ "later" (number) } { (PreEscaped(packed)) }
            }
        }
    }
}

/// zlib's format in base64.
fn packed(text: &str) -> String {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(4));
    let written = encoder.write_all(text.as_bytes());
    let bytes = written.and_then(|()| encoder.finish());
    base64(&bytes.expect("a vector takes all that is written"))
}

/// Base 64 with padding (RFC 4648, section 4).
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let at = |i: usize| u32::from(three.get(i).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for digit in 0..4 {
            let value = bits >> (18 - 6 * digit) & 63;
            let is_padding = digit > three.len();
            text.push(if is_padding {
                '='
            } else {
                char::from(DIGITS[value as usize])
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        let of = |text: &str| base64(text.as_bytes());
        let texts = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(of);
        let wanted = [
            "", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy",
        ];
        assert_eq!(texts, wanted);
        assert_eq!(base64(&[0xff, 0xfe, 0xfd]), "//79");
    }

    #[test]
    fn texts_are_named_by_script_and_number() {
        let mut later = Later::default();
        let large = "x".repeat(FULL);
        let names = ["a\u{1}", &large, "b"].map(|text| later.add(text));
        assert_eq!(names, ["0-0", "0-1", "1-0"]);
        let page = later.markup().into_string();
        assert_eq!(page.matches("<script").count(), 2);
        assert!(page.len() < FULL / 10, "{}", page.len());
    }
}
