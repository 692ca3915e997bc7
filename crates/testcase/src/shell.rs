//! Words for a shell to read: what is pasted into bash, zsh, dash or `sh -c` means these bytes.
//!
//! POSIX shells quote everything but NUL by single quotes, but a terminal shows neither control characters nor bytes that are no
//! text. Such bytes stand as octal numbers in the format of `printf`, whose output a command substitution takes: unlike `$'…'`, every shell
//! has that. It takes newlines off the end; a word that ends in one is made by `eval` ([`command`]).

use std::fmt::Write;

/// An argument as one would type it.
pub fn word(bytes: &[u8]) -> String {
    let plain = |b: &u8| b.is_ascii_alphanumeric() || b"-_./=:,+@%".contains(b);
    if !bytes.is_empty() && bytes.iter().all(plain) {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    if is_typed(bytes) {
        return quoted(&String::from_utf8_lossy(bytes));
    }
    if bytes.ends_with(b"\n") {
        return ansi(bytes);
    }
    format!("\"$(printf {})\"", format(bytes))
}

/// A command of these words.
pub fn command(words: &[Vec<u8>]) -> String {
    let is_cut = |w: &Vec<u8>| w.ends_with(b"\n");
    if !words.iter().any(is_cut) {
        let words: Vec<String> = words.iter().map(|w| word(w)).collect();
        return words.join(" ");
    }
    // The shell reads the words a second time, with what printf made of them in quotes.
    let mut line = Vec::new();
    for (i, word) in words.iter().enumerate() {
        if i > 0 {
            line.push(b' ');
        }
        line.push(b'\'');
        for &b in word {
            match b {
                b'\'' => line.extend(b"'\\''"),
                b => line.push(b),
            }
        }
        line.push(b'\'');
    }
    format!("eval \"$(printf {})\"", format(&line))
}

/// A command that writes these bytes.
pub fn printf(bytes: &[u8]) -> String {
    format!("printf {}", format(bytes))
}

/// The format of `printf` that writes these bytes, as a word.
fn format(bytes: &[u8]) -> String {
    let mut out = String::from("'");
    for (i, &b) in bytes.iter().enumerate() {
        match b {
            b'%' => out.push_str("%%"),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            // A quote would end the word, and a dash at the front begins an option.
            b'\'' => out.push_str("\\047"),
            b'-' if i == 0 => out.push_str("\\055"),
            b if b.is_ascii_graphic() || b == b' ' => out.push(b as char),
            b => {
                let _ = write!(out, "\\{b:03o}");
            }
        }
    }
    out.push('\'');
    out
}

/// Can all of this be typed on a keyboard?
fn is_typed(bytes: &[u8]) -> bool {
    bytes.iter().all(|b| b.is_ascii_graphic() || *b == b' ')
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The form of bash, zsh and ksh.
fn ansi(bytes: &[u8]) -> String {
    let mut out = String::from("$'");
    for b in bytes {
        match b {
            b'\'' | b'\\' => {
                out.push('\\');
                out.push(*b as char);
            }
            b'\n' => out.push_str("\\n"),
            b if b.is_ascii_graphic() || *b == b' ' => out.push(*b as char),
            b => {
                let _ = write!(out, "\\x{b:02x}");
            }
        }
    }
    out.push('\'');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn words_are_as_one_types_them() {
        assert_eq!(word(b"-n"), "-n");
        assert_eq!(word(b""), "''");
        assert_eq!(word(b"a b"), "'a b'");
        assert_eq!(word(b"it's"), "'it'\\''s'");
        assert_eq!(word(b"\xff'\n%"), "\"$(printf '\\377\\047\\n%%')\"");
        assert_eq!(word(b"a\n"), "$'a\\n'");
        assert_eq!(printf(b"-n\0"), "printf '\\055n\\000'");
    }

    /// The bytes that the shell makes of a command's output.
    fn output(shell: &str, text: &str) -> Vec<u8> {
        let output = Command::new(shell).args(["-c", text]).output();
        let output = output.expect("a shell");
        assert!(output.status.success(), "{text}: {output:?}");
        output.stdout
    }

    #[test]
    fn all_bytes_survive_the_shells() {
        let all: Vec<u8> = (1..=255).collect();
        let mut words: Vec<Vec<u8>> = all.iter().map(|&b| vec![b]).collect();
        words.extend(all.iter().map(|&b| vec![b'a', b, b'z']));
        words.extend([
            all.clone(),
            Vec::new(),
            b"-e \\n %s $HOME `id` \"$x\" !! * ~ # \\".to_vec(),
            b"x\n\n".to_vec(),
            b"\n\n\n'".to_vec(),
        ]);
        for shell in ["sh", "bash"] {
            let mut expected = Vec::new();
            let mut list = vec![b"printf".to_vec(), b"%s\\0".to_vec()];
            for word in &words {
                expected.extend(word);
                expected.push(0);
                list.push(word.clone());
            }
            assert!(output(shell, &command(&list)) == expected, "{shell}: all");
            // One by one, those that end in a newline by `eval`.
            for word in words.iter().skip(9).step_by(17).chain(&words[9..10]) {
                let list = [b"printf".to_vec(), b"%s\\0".to_vec(), word.clone()];
                let seen = output(shell, &command(&list));
                assert_eq!(seen.split_last(), Some((&0, &word[..])), "{shell}");
            }
            let all: Vec<u8> = (0..=255).collect();
            assert!(output(shell, &printf(&all)) == all, "{shell}: printf");
        }
    }
}
