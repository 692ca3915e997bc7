//! Dictionaries of AFL++ and libFuzzer: a token a line, `name="value"` or `"value"`, with `\xNN`, `\\` and `\"` in it.

/// The tokens of a dictionary.
///
/// # Errors
/// The number of a line, and what is wrong with it.
pub fn parse(text: &[u8]) -> Result<Vec<Vec<u8>>, (usize, &'static str)> {
    let mut tokens = Vec::new();
    for (at, line) in text.split(|&b| b == b'\n').enumerate() {
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        tokens.push(token(line).map_err(|why| (at + 1, why))?);
    }
    Ok(tokens)
}

fn token(line: &[u8]) -> Result<Vec<u8>, &'static str> {
    let begin = line.iter().position(|&b| b == b'"');
    let mut rest = &line[begin.ok_or("there is no token in quotes")? + 1..];
    let mut token = Vec::new();
    loop {
        rest = match rest {
            [b'"', after @ ..] => {
                let after = after.trim_ascii();
                let is_end = after.is_empty() || after.starts_with(b"#");
                let is_token = is_end && !token.is_empty();
                return is_token
                    .then_some(token)
                    .ok_or("an empty token, or something behind it");
            }
            [b'\\', b'x', high, low, after @ ..] => {
                let digits = [*high, *low];
                let byte = std::str::from_utf8(&digits).ok();
                let byte = byte.and_then(|digits| u8::from_str_radix(digits, 16).ok());
                token.push(byte.ok_or("\\x is followed by two hexadecimal digits")?);
                after
            }
            [b'\\', escaped @ (b'\\' | b'"'), after @ ..] => {
                token.push(*escaped);
                after
            }
            [b'\\', ..] => return Err("a \\ that escapes nothing known (\\xNN, \\\\, \\\")"),
            [byte, after @ ..] => {
                token.push(*byte);
                after
            }
            [] => return Err("the quote is not closed"),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_read_and_mistakes_have_lines() {
        let text = b"# a\n\nkw=\"GIF\"\n\"a \\x00\\\\\\\"\" # b\nx@2=\"\xff\"\r\n";
        let tokens = [b"GIF".to_vec(), b"a \x00\\\"".to_vec(), vec![0xff]];
        assert_eq!(parse(text).unwrap(), tokens);
        for (bad, line) in [
            (&b"x\n"[..], 1),
            (b"\"a\n", 1),
            (b"#\n\"\"\n", 2),
            (b"\"\\n\"", 1),
            (b"\"\\xg0\"", 1),
            (b"\"a\" b", 1),
        ] {
            assert_eq!(parse(bad).unwrap_err().0, line, "{bad:?}");
        }
    }
}
