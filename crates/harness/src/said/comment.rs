//! What the comment above a declaration asks of the arguments, sentence by sentence.
//!
//! Three things are looked for: that a pointer must not be null, that it may be, and that an array needs more room than its length. A sentence is about
//! the parameters that it names; one that names none is about the only pointer, if there is one.

use super::tokens::Token;
use super::{KnownParameter, SaidWords};
use serde::{Deserialize, Serialize};

/// What a sentence asks of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Demand {
    /// It must not be null.
    NotNull,
    /// It may be null.
    MayBeNull,
    /// It needs more room than its length says.
    MoreRoom,
}

/// Words by which a pointer must not be null. ("If `p` is not null" asks for nothing.)
const NOT_NULL: &[&str] = &[
    "not be null",
    "not be a null",
    "never be null",
    "be non-null",
    "be nonnull",
    "be not null",
    "not pass null",
    "never pass null",
    "a non-null pointer",
];

/// Words by which a pointer may be null, in a sentence that names it and has none of the former.
const MAY_BE_NULL: &[&str] = &[
    "be null",
    "is null",
    "are null",
    "or null",
    "a null pointer",
    "null if",
    "null to",
    "null for",
    "null when",
    "null means",
    "pass null",
    "passing null",
    "passed null",
    "optional",
];

/// Words that ask for something.
const MUST: &[&str] = &[
    "must",
    "has to",
    "have to",
    "need",
    "should",
    "shall",
    "required",
    "requires",
    "at least",
    "ensure",
    "make sure",
    "assert",
];

/// Words by which an array has more bytes or elements than its length says.
const MORE: &[&str] = &[
    "one more",
    "one byte more",
    "one element more",
    "one character more",
    "by one",
    "by at least one",
    "one extra",
    "an extra",
    "extra byte",
    "extra room",
    "extra space",
    "one additional",
    "an additional",
    "spare",
    "plus one",
    "plus 1",
    "+ 1",
    "+1",
    "1 more",
    "1 byte more",
    "exceed",
];

/// Characters of a sentence that are quoted.
const MAX_QUOTE: usize = 140;

/// A sentence of a comment.
struct Sentence {
    line: u32,
    /// In single blanks, as it stands there.
    text: String,
}

/// What the comments ask of the parameters, whose names the declaration may have of its own.
pub(super) fn asked(
    comments: &[Token<'_>],
    known: &[KnownParameter<'_>],
    names: &[String],
    file: &str,
) -> Vec<SaidWords> {
    let pointers: Vec<usize> = (0..known.len()).filter(|i| known[*i].is_pointer).collect();
    let mut found = Vec::new();
    for sentence in comments.iter().flat_map(sentences) {
        let says = sentence.text.to_lowercase();
        let has = |list: &[&str]| list.iter().any(|words| says.contains(words));
        let about = if has(NOT_NULL) {
            Demand::NotNull
        } else if has(MUST) && has(MORE) {
            Demand::MoreRoom
        } else if has(MAY_BE_NULL) {
            Demand::MayBeNull
        } else {
            continue;
        };
        let named: Vec<usize> = (0..known.len())
            .filter(|i| {
                mentions(&sentence.text, &names[*i]) || mentions(&sentence.text, known[*i].name)
            })
            .collect();
        let mut meant: Vec<usize> = named
            .iter()
            .copied()
            .filter(|i| known[*i].is_pointer)
            .collect();
        if named.is_empty() && pointers.len() == 1 && about == Demand::NotNull {
            meant.clone_from(&pointers);
        }
        for i in meant {
            found.push(SaidWords {
                parameter: known[i].name.to_string(),
                about,
                quote: format!("{file}:{}: \"{}\"", sentence.line, shown(&sentence.text)),
            });
        }
    }
    found
}

fn shown(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTE) {
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
        None => text.to_string(),
    }
}

/// Whether a text has this name as a word.
fn mentions(text: &str, name: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    !name.is_empty() && words.any(|word| word == name)
}

/// The sentences of a comment: they end at a mark of punctuation before a blank, at an empty line, and before a tag (`@param`).
fn sentences(comment: &Token<'_>) -> Vec<Sentence> {
    let mut all: Vec<Sentence> = Vec::new();
    let mut is_open = false;
    for (line, text) in (comment.line..).zip(comment.text.lines()) {
        let text = text.trim().trim_end_matches("*/");
        let text = text.trim_start_matches(['/', '*', '!', '<']).trim();
        if text.is_empty() || text.starts_with(['@', '\\', '-']) {
            is_open = false;
        }
        for word in text.split_whitespace() {
            match all.last_mut().filter(|_| is_open) {
                Some(sentence) => {
                    sentence.text.push(' ');
                    sentence.text.push_str(word);
                }
                None => all.push(Sentence {
                    line,
                    text: word.to_string(),
                }),
            }
            is_open = !word.ends_with(['.', ';', '!', '?']);
        }
    }
    all
}
