//! Bytes of a program as text.

/// Bytes as text; those that are no UTF-8 are shown as `\\xff`, so that different bytes stay different. Names of symbolic
/// objects in tests are such texts, and replay compares them with the program's bytes.
pub fn text_of(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_is_shown() {
        assert_eq!(text_of("é x".as_bytes()), "é x");
        assert_eq!(text_of(b"x\xff\xc3(y"), "x\\xff\\xc3(y");
    }
}
