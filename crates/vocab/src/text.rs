//! Bytes of a program as text, and back.

/// Bytes as text; those that are no UTF-8 are shown as `\xff`, and so is a backslash that would begin such a word itself, so that different bytes
/// stay different. Names of symbolic objects in tests are such texts; files of other tools have the bytes ([`bytes_of`]).
pub fn text_of(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some(at) = rest.find('\\') {
            text.push_str(&rest[..at]);
            let is_word = word(&rest.as_bytes()[at..]).is_some();
            text.push_str(if is_word { "\\x5c" } else { "\\" });
            rest = &rest[at + 1..];
        }
        text.push_str(rest);
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}

/// The bytes of which this is the text.
pub fn bytes_of(text: &str) -> Vec<u8> {
    let mut rest = text.as_bytes();
    let mut bytes = Vec::with_capacity(rest.len());
    while let Some((first, others)) = rest.split_first() {
        match word(rest) {
            Some(byte) => {
                bytes.push(byte);
                rest = &rest[4..];
            }
            None => {
                bytes.push(*first);
                rest = others;
            }
        }
    }
    bytes
}

/// The byte whose word stands at the beginning.
fn word(text: &[u8]) -> Option<u8> {
    let [b'\\', b'x', high, low, ..] = text else {
        return None;
    };
    let digit = |c: u8| (c as char).to_digit(16);
    u8::try_from(digit(*high)? << 4 | digit(*low)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_is_shown() {
        assert_eq!(text_of("é x".as_bytes()), "é x");
        assert_eq!(text_of(b"x\xff\xc3(y"), "x\\xff\\xc3(y");
        assert_eq!(text_of(b"a\\b\\x4"), "a\\b\\x4");
    }

    #[test]
    fn different_bytes_have_different_texts_and_come_back() {
        let mut random = 1u64;
        let mut texts = std::collections::BTreeMap::new();
        // Short names of those bytes that matter.
        let letters = b"\\x5cf\xff\xc3\xa9\n";
        for _ in 0..20_000 {
            let mut bytes = Vec::new();
            for _ in 0..random % 9 {
                random = random
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                bytes.push(letters[(random >> 33) as usize % letters.len()]);
            }
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1)
                >> 1;
            let text = text_of(&bytes);
            assert_eq!(bytes_of(&text), bytes, "{text}");
            let other = texts.insert(text, bytes.clone());
            assert!(other.is_none_or(|other| other == bytes));
        }
    }
}
