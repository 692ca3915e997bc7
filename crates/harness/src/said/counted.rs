//! Members of structures whose length an attribute names: `char *data __counted_by(len)`.

use super::SaidLength;
use super::declaration::list;
use super::tokens::{Token, Tokens};

/// The names of such attributes and of the macros that stand for them, in small letters without underscores around; whether they count bytes.
const ATTRIBUTES: &[(&str, bool)] = &[
    ("counted_by", false),
    ("counted_by_or_null", false),
    ("sized_by", true),
    ("sized_by_or_null", true),
];

/// All such members in a source.
pub(super) fn members(source: &Tokens<'_>, file: &str) -> Vec<SaidLength> {
    let all: Vec<Token<'_>> = source
        .0
        .iter()
        .copied()
        .filter(|t| !t.is_comment())
        .collect();
    let mut found: Vec<SaidLength> = Vec::new();
    // Open braces: the tag of a structure (or nothing), and the members found before.
    let mut open: Vec<(Option<&str>, usize)> = Vec::new();
    let mut begin = 0;
    for (i, token) in all.iter().enumerate() {
        match token.text {
            "{" => {
                let head = &all[begin..i];
                open.push((tag(head), found.len()));
                begin = i + 1;
            }
            "}" => {
                let name = all.get(i + 1).filter(|t| t.is_word()).map(|t| t.text);
                if let Some((tag, from)) = open.pop()
                    && let Some(of) = tag.or(name)
                {
                    let unnamed = found[from..].iter_mut().filter(|m| m.of.is_empty());
                    unnamed.for_each(|m| m.of = of.to_string());
                }
                begin = i + 1;
            }
            ";" => begin = i + 1,
            word => {
                let plain = word.trim_matches('_').to_lowercase();
                let Some((_, is_in_bytes)) = ATTRIBUTES.iter().find(|(name, _)| *name == plain)
                else {
                    continue;
                };
                if open.is_empty() || all.get(i + 1).is_none_or(|t| t.text != "(") {
                    continue;
                }
                let (parts, _) = list(&all, i + 1);
                if let [part] = &parts[..]
                    && let [length] = &part[..]
                    && length.is_word()
                    && let Some(array) = declarator(&all[begin..i])
                {
                    found.push(SaidLength {
                        of: String::new(),
                        array: array.to_string(),
                        length: length.text.to_string(),
                        is_in_bytes: *is_in_bytes,
                        place: format!("{file}:{}", token.line),
                    });
                }
            }
        }
    }
    found.retain(|m| !m.of.is_empty());
    found
}

/// The tag of a structure whose body begins behind this.
fn tag<'a>(head: &[Token<'a>]) -> Option<&'a str> {
    let at = head.iter().rposition(|t| t.text == "struct")?;
    let tag = head.get(at + 1).filter(|t| t.is_word())?;
    Some(tag.text)
}

/// The name that is declared in front of an attribute: the last word that is no part of `__attribute__((`.
fn declarator<'a>(before: &[Token<'a>]) -> Option<&'a str> {
    let is_name = |t: &&Token<'_>| t.is_word() && !t.text.starts_with("__attribute");
    before.iter().rev().find(is_name).map(|t| t.text)
}
