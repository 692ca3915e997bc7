//! Sources that GCC has preprocessed against glibc's headers (`gcc -E`, `.i`), made fit for clang and musl.
//!
//! The text is read as tokens and changed where clang would refuse it or where the two libraries disagree:
//!
//! * `__attribute__((__malloc__(free, 1)))`: clang knows the attribute without arguments;
//! * `_Float128`, `_Float64x`, …: clang's names of these types;
//! * inline functions of `_FORTIFY_SOURCE` that call `__builtin_va_arg_pack`, which only GCC has: the body is left out, so
//!   the plain function is called;
//! * calls that `_FORTIFY_SOURCE` checks: the size of the object that is written to must be taken where the call stands,
//!   which GCC does by inlining, and is put into the call here;
//! * `regexec` and `nftw` with what belongs to them: their arguments are laid out differently, so the functions of
//!   `runtime/glibc/layout.c` are called.
//!
//! All other structures that such a source passes to the C library agree on x86-64. Line breaks stay where they are.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Types that clang calls by another name (glibc defines them itself for older compilers).
const TYPES: &[(&str, &str)] = &[
    ("_Float32", "float"),
    ("_Float64", "double"),
    ("_Float32x", "double"),
    ("_Float64x", "long double"),
    ("_Float128", "__float128"),
];

/// Functions that are called by another name if the first word is in the source: it shows glibc's header.
const LAYOUTS: &[(&str, &[&str])] = &[
    (
        "re_pattern_buffer",
        &["regcomp", "regexec", "regerror", "regfree"],
    ),
    ("FTW_F", &["ftw", "nftw"]),
];

/// A function that `_FORTIFY_SOURCE` checks, by the call that is checked: its name, behind which argument (if not the last)
/// the size comes, whether a flag comes before that, and what of the first argument is measured (as for
/// `__builtin_object_size`).
struct Fortified {
    name: &'static str,
    checked: &'static str,
    behind: Option<usize>,
    has_flag: bool,
    measure: u8,
}

const fn fortified(
    name: &'static str,
    checked: &'static str,
    behind: Option<usize>,
    has_flag: bool,
    measure: u8,
) -> Fortified {
    Fortified {
        name,
        checked,
        behind,
        has_flag,
        measure,
    }
}

#[rustfmt::skip]
const FORTIFIED: &[Fortified] = &[
    fortified("memcpy", "__builtin___memcpy_chk", None, false, 0),
    fortified("memmove", "__builtin___memmove_chk", None, false, 0),
    fortified("mempcpy", "__builtin___mempcpy_chk", None, false, 0),
    fortified("memset", "__builtin___memset_chk", None, false, 0),
    fortified("strcpy", "__builtin___strcpy_chk", None, false, 1),
    fortified("stpcpy", "__builtin___stpcpy_chk", None, false, 1),
    fortified("strncpy", "__builtin___strncpy_chk", None, false, 1),
    fortified("strcat", "__builtin___strcat_chk", None, false, 1),
    fortified("strncat", "__builtin___strncat_chk", None, false, 1),
    fortified("sprintf", "__builtin___sprintf_chk", Some(1), true, 1),
    fortified("vsprintf", "__builtin___vsprintf_chk", Some(1), true, 1),
    fortified("snprintf", "__builtin___snprintf_chk", Some(2), true, 1),
    fortified("vsnprintf", "__builtin___vsnprintf_chk", Some(2), true, 1),
    fortified("fgets", "__fgets_chk", Some(1), false, 1),
];

/// Names that show that the source was preprocessed with `_FORTIFY_SOURCE`.
const FORTIFY: &str = "__builtin___strcpy_chk";

/// What the new names begin with.
const PREFIX: &str = "__polypath_glibc_";

const PACK: &[&str] = &["__builtin_va_arg_pack", "__builtin_va_arg_pack_len"];

/// A stretch of the source: a word, or anything else that is one piece.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Token<'a> {
    text: &'a str,
    is_word: bool,
}

impl Token<'_> {
    fn is_space(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_whitespace()) || self.text.starts_with('#')
    }
}

/// Splits the source; the tokens' texts joined are the source again. Strings, characters, comments and lines with a
/// directive are one token each.
fn tokens(source: &str) -> Vec<Token<'_>> {
    let bytes = source.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    let mut line_start = true;
    while at < bytes.len() {
        let start = at;
        let c = bytes[at];
        let word = c.is_ascii_alphanumeric() || c == b'_' || c >= 0x80;
        let until = |from: usize, end: &str| {
            source[from..]
                .find(end)
                .map_or(bytes.len(), |i| from + i + end.len())
        };
        if word {
            while at < bytes.len()
                && (bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_' || bytes[at] >= 0x80)
            {
                at += 1;
            }
        } else if c.is_ascii_whitespace() {
            while at < bytes.len() && bytes[at].is_ascii_whitespace() {
                line_start |= bytes[at] == b'\n';
                at += 1;
            }
        } else if c == b'#' && line_start {
            at = source[at..].find('\n').map_or(bytes.len(), |i| at + i);
        } else if c == b'"' || c == b'\'' {
            at += 1;
            while at < bytes.len() && bytes[at] != c && bytes[at] != b'\n' {
                at += if bytes[at] == b'\\' { 2 } else { 1 };
            }
            at = (at + 1).min(bytes.len());
            while !source.is_char_boundary(at) {
                at += 1;
            }
        } else if source[at..].starts_with("/*") {
            at = until(at + 2, "*/");
        } else if source[at..].starts_with("//") {
            at = source[at..].find('\n').map_or(bytes.len(), |i| at + i);
        } else {
            at += 1;
        }
        if !c.is_ascii_whitespace() {
            line_start = false;
        }
        out.push(Token {
            text: &source[start..at],
            is_word: word,
        });
    }
    out
}

/// The source as clang and musl take it; the same if there is nothing to change.
pub fn adapt(source: &str) -> Cow<'_, str> {
    let tokens = tokens(source);
    let has = |word: &str| tokens.iter().any(|t| t.is_word && t.text == word);
    let adapter = Adapter {
        types: TYPES
            .iter()
            .filter(|(name, _)| !is_defined(&tokens, name))
            .copied()
            .collect(),
        renamed: LAYOUTS
            .iter()
            .filter(|(sign, _)| has(sign))
            .flat_map(|(_, names)| names.iter().copied())
            .collect(),
        bodies: if has(FORTIFY) || PACK.iter().any(|p| has(p)) {
            bodies(&tokens)
        } else {
            Vec::new()
        },
        is_fortified: has(FORTIFY),
        tokens: &tokens,
    };
    let mut out = String::with_capacity(source.len());
    adapter.write(0, tokens.len(), &mut out);
    if out == source {
        Cow::Borrowed(source)
    } else {
        Cow::Owned(out)
    }
}

/// What is to be changed in a source.
struct Adapter<'a> {
    tokens: &'a [Token<'a>],
    types: Vec<(&'static str, &'static str)>,
    renamed: Vec<&'static str>,
    bodies: Vec<Body>,
    is_fortified: bool,
}

impl Adapter<'_> {
    /// Writes the tokens from `start` to before `end`, changed.
    fn write(&self, start: usize, end: usize, out: &mut String) {
        let mut at = start;
        while at < end {
            let token = self.tokens[at];
            if token.text == "{"
                && let Ok(i) = self.bodies.binary_search_by_key(&at, |body| body.start)
                && let Body {
                    end,
                    kind: MarkerKind::ForGcc,
                    ..
                } = self.bodies[i]
            {
                out.push(';');
                self.write_lines(at, end, out);
                at = end + 1;
                continue;
            }
            if let Some((call, open, close)) = self.checked_call(at) {
                self.write_checked(call, open, close, out);
                at = close + 1;
                continue;
            }
            out.push_str(&self.renamed(at));
            at = match attribute_arguments(self.tokens, at) {
                Some(end) => end + 1,
                None => at + 1,
            };
        }
    }

    /// The line breaks of the omitted text, with the markers that say where the next line is.
    fn write_lines(&self, start: usize, end: usize, out: &mut String) {
        for token in &self.tokens[start..=end] {
            if token.text.starts_with('#') && token.text.len() > 1 {
                out.push_str(token.text);
            } else {
                out.extend(token.text.chars().filter(|c| *c == '\n'));
            }
        }
    }

    /// The token's text, or its other name.
    fn renamed(&self, at: usize) -> Cow<'_, str> {
        let token = self.tokens[at];
        if !token.is_word {
            return token.text.into();
        }
        if let Some((_, ours)) = self.types.iter().find(|(name, _)| *name == token.text) {
            return (*ours).into();
        }
        if self.renamed.contains(&token.text) && !follows_member_access(self.tokens, at) {
            return format!("{PREFIX}{}", token.text).into();
        }
        token.text.into()
    }

    /// If a call that is to be checked stands here: which, and its parentheses.
    fn checked_call(&self, at: usize) -> Option<(&'static Fortified, usize, usize)> {
        if !self.is_fortified || !self.tokens[at].is_word {
            return None;
        }
        let call = FORTIFIED.iter().find(|f| f.name == self.tokens[at].text)?;
        // Inside of a function, but not of one of the header's own.
        let body = match self.bodies.binary_search_by_key(&at, |body| body.start) {
            Ok(i) => &self.bodies[i],
            Err(i) => self.bodies.get(i.checked_sub(1)?)?,
        };
        if at > body.end
            || body.kind != MarkerKind::Ordinary
            || follows_member_access(self.tokens, at)
        {
            return None;
        }
        let open = next(self.tokens, at).filter(|&i| self.tokens[i].text == "(")?;
        let close = closing(self.tokens, open, "(", ")")?;
        Some((call, open, close))
    }

    fn write_checked(&self, call: &Fortified, open: usize, close: usize, out: &mut String) {
        let mut commas = Vec::new();
        let mut depth = 0;
        for i in open + 1..close {
            match self.tokens[i].text {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                "," if depth == 0 => commas.push(i),
                _ => {}
            }
        }
        let first_end = commas.first().copied().unwrap_or(close);
        let mut object = String::new();
        self.write(open + 1, first_end, &mut object);
        // On one line: the lines were written already.
        let object: Vec<&str> = object
            .lines()
            .filter(|line| !line.starts_with('#'))
            .collect();
        let flag = if call.has_flag { "1, " } else { "" };
        let size = format!(
            ", {flag}__builtin_object_size({}, {})",
            object.join(" ").trim(),
            call.measure
        );
        let split = call
            .behind
            .and_then(|n| commas.get(n - 1).copied())
            .unwrap_or(close);
        out.push_str(call.checked);
        self.write(open, split, out);
        out.push_str(&size);
        self.write(split, close + 1, out);
    }
}

/// The next token that is no white space.
fn next(tokens: &[Token], at: usize) -> Option<usize> {
    (at + 1..tokens.len()).find(|&i| !tokens[i].is_space())
}

/// The one before.
fn previous(tokens: &[Token], at: usize) -> Option<usize> {
    (0..at).rev().find(|&i| !tokens[i].is_space())
}

fn follows_member_access(tokens: &[Token], at: usize) -> bool {
    let Some(before) = previous(tokens, at) else {
        return false;
    };
    tokens[before].text == "."
        || tokens[before].text == ">" && before > 0 && tokens[before - 1].text == "-"
}

/// Whether the source has a `typedef … name;` or `typedef … name __attribute__…;`.
fn is_defined(tokens: &[Token], name: &str) -> bool {
    let mut in_typedef = false;
    tokens.iter().enumerate().any(|(at, token)| {
        match token.text {
            "typedef" => in_typedef = true,
            ";" => in_typedef = false,
            _ => {}
        }
        in_typedef
            && token.text == name
            && next(tokens, at).is_some_and(|i| matches!(tokens[i].text, ";" | "__attribute__"))
    })
}

/// For the word `__malloc__` inside of an attribute's parentheses and followed by arguments: the last token of these.
fn attribute_arguments(tokens: &[Token], at: usize) -> Option<usize> {
    if !matches!(tokens[at].text, "__malloc__" | "malloc") {
        return None;
    }
    let open = next(tokens, at).filter(|&i| tokens[i].text == "(")?;
    let before = previous(tokens, at)?;
    // `((__malloc__ (…)))` or `((a, __malloc__ (…)))`: the list that the word stands in is an attribute's.
    let mut depth = 0;
    let list = (0..=before).rev().find(|&i| {
        match tokens[i].text {
            ")" => depth += 1,
            "(" if depth == 0 => return true,
            "(" => depth -= 1,
            _ => {}
        }
        false
    })?;
    let outer = previous(tokens, list).filter(|&i| tokens[i].text == "(")?;
    let word = previous(tokens, outer)?;
    if !matches!(tokens[word].text, "__attribute__" | "__attribute") {
        return None;
    }
    closing(tokens, open, "(", ")")
}

/// The token that closes what `open` opens.
fn closing(tokens: &[Token], open: usize, left: &str, right: &str) -> Option<usize> {
    let mut depth = 0;
    (open..tokens.len()).find(|&i| {
        if tokens[i].text == left {
            depth += 1;
        } else if tokens[i].text == right {
            depth -= 1;
        }
        depth == 0
    })
}

/// A pair of braces at the top level.
struct Body {
    start: usize,
    end: usize,
    kind: MarkerKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum MarkerKind {
    Ordinary,
    /// An inline function with a definition elsewhere, as the headers of `_FORTIFY_SOURCE` have.
    Inline,
    /// Such a one that GCC alone can compile.
    ForGcc,
}

/// All bodies, in order.
fn bodies(tokens: &[Token]) -> Vec<Body> {
    let mut out = Vec::new();
    let (mut at, mut declaration) = (0, 0);
    while at < tokens.len() {
        match tokens[at].text {
            ";" => declaration = at + 1,
            "{" => {
                let Some(end) = closing(tokens, at, "{", "}") else {
                    break;
                };
                let is_inline = tokens[declaration..at]
                    .iter()
                    .any(|t| matches!(t.text, "__gnu_inline__" | "gnu_inline"));
                let packs = tokens[at..end].iter().any(|t| PACK.contains(&t.text));
                let kind = match (is_inline, packs) {
                    (true, true) => MarkerKind::ForGcc,
                    (true, false) => MarkerKind::Inline,
                    (false, _) => MarkerKind::Ordinary,
                };
                out.push(Body {
                    start: at,
                    end,
                    kind,
                });
                at = end;
                declaration = end + 1;
            }
            _ => {}
        }
        at += 1;
    }
    out
}

/// A changed copy of a source, under the source's own file name; deleted with this value.
pub struct Copy {
    directory: PathBuf,
    /// The changed copy.
    pub path: PathBuf,
}

impl Drop for Copy {
    fn drop(&mut self) {
        // A leftover in the temporary directory harms nobody.
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

/// A copy of the source at `path`, if it is a preprocessed one (`.i`) in which something must be changed.
pub fn copy(path: &Path) -> io::Result<Option<Copy>> {
    if path.extension().is_none_or(|e| e != "i") {
        return Ok(None);
    }
    // One character for each byte, so that any encoding comes through.
    let source: String = std::fs::read(path)?.into_iter().map(char::from).collect();
    let Cow::Owned(text) = adapt(&source) else {
        return Ok(None);
    };
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let directory =
        std::env::temp_dir().join(format!("polypath-i-{}-{number}", std::process::id()));
    std::fs::create_dir(&directory)?;
    let copy = Copy {
        path: directory.join(path.file_name().unwrap_or_default()),
        directory,
    };
    let bytes: Vec<u8> = text.chars().map(|c| c as u8).collect();
    std::fs::write(&copy.path, bytes)?;
    Ok(Some(copy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tokens_are_the_source() {
        let source = "# 1 \"a b.c\"\nchar *s = \"a\\\"{\", c = '\\''; /* { */ int ä; // x\n#pragma x {\nf(a->b);";
        let all: String = tokens(source).iter().map(|t| t.text).collect();
        assert_eq!(all, source);
        assert!(matches!(adapt(source), Cow::Borrowed(_)));
        assert_eq!(adapt("\"abc"), "\"abc");
        assert_eq!(adapt("'\\"), "'\\");
    }

    #[test]
    fn attributes_and_types_become_clangs() {
        let source =
            "extern _Float128 f (void) __attribute__ ((__malloc__ (free, 1), __nothrow__));";
        let wanted = "extern __float128 f (void) __attribute__ ((__malloc__, __nothrow__));";
        assert_eq!(adapt(source), wanted);
        for same in [
            "void *p = malloc (3);",
            "typedef float _Float32; _Float32 x;",
            "extern void *malloc (unsigned long) __attribute__ ((__malloc__));",
            "int x = f((malloc (3)));",
        ] {
            assert_eq!(adapt(same), same);
        }
    }

    #[test]
    fn bodies_for_gcc_alone_are_left_out_with_their_lines_kept() {
        let source = "extern inline __attribute__((__gnu_inline__)) int printf(const char *f, ...)\n{\n  return __printf_chk(1, f, __builtin_va_arg_pack());\n}\nint main(void) { return 0; }\n";
        let wanted = "extern inline __attribute__((__gnu_inline__)) int printf(const char *f, ...)\n;\n\n\nint main(void) { return 0; }\n";
        assert_eq!(adapt(source), wanted);
        let own = "static int f(int x, ...) { return g(__builtin_va_arg_pack()); }";
        assert_eq!(adapt(own), own);
    }

    #[test]
    fn checked_calls_measure_their_object_where_they_stand() {
        let header = "extern inline __attribute__((gnu_inline)) char *strcpy(char *d, const char *s) { return __builtin___strcpy_chk(d, s, 1); }";
        let source = "char *strcpy(char *, const char *); void f(void) { strcpy(s.a, strcpy(b, g(1, 2))); p->strcpy(1); sprintf(x[i, 0],\n\"%d\", 1); }";
        let wanted = "char *strcpy(char *, const char *); void f(void) { __builtin___strcpy_chk(s.a, __builtin___strcpy_chk(b, g(1, 2), __builtin_object_size(b, 1)), __builtin_object_size(s.a, 1)); p->strcpy(1); __builtin___sprintf_chk(x[i, 0], 1, __builtin_object_size(x[i, 0], 1),\n\"%d\", 1); }";
        assert_eq!(
            adapt(&format!("{header}{source}")),
            format!("{header}{wanted}")
        );
        assert_eq!(adapt(source), source);
    }

    #[test]
    fn functions_of_another_layout_are_renamed_with_glibcs_header_only() {
        let glibc = "struct re_pattern_buffer { int x; }; int r = regexec(a.regexec, p->regexec);";
        assert_eq!(
            adapt(glibc),
            "struct re_pattern_buffer { int x; }; int r = __polypath_glibc_regexec(a.regexec, p->regexec);"
        );
        let musl = "int r = regexec(&x, s, 0, 0, 0);";
        assert_eq!(adapt(musl), musl);
    }
}
