//! What the library's sources say of the arguments of a function, beside its types: attributes that a compiler may not know or keep
//! (`access(read_only, 1, 2)`, `counted_by(n)`), arrays among the parameters (`int v[n]`), and the comment above the declaration.
//!
//! Sources are read as text, because debug information has none of this: clang drops GCC's `access`, macros hide `counted_by` from old
//! compilers, and comments are nowhere. What is not understood is left out. A length that is said takes the place of
//! one that is guessed by names. A sentence is quoted as the reason of a mark; one that a pointer may be null makes it so.

mod comment;
mod counted;
mod declaration;
mod tokens;

pub use comment::Demand;

use serde::{Deserialize, Serialize};
use tokens::Tokens;

/// All that was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// Lengths of parameters of the function.
    pub lengths: Vec<SaidLength>,
    /// Lengths of parameters that calls in the library show, where nothing else says one.
    #[serde(default)]
    pub called: Vec<SaidLength>,
    /// Parameters for which calls in the library pass texts.
    #[serde(default)]
    pub texts: Vec<SaidText>,
    /// Lengths of members of structures.
    pub members: Vec<SaidLength>,
    /// Sentences about parameters.
    pub sentences: Vec<SaidWords>,
}

/// An array with its length.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SaidLength {
    /// The structure whose members they are; empty for parameters.
    pub of: String,
    /// The pointer.
    pub array: String,
    /// The length: a number, or the name of another parameter or member.
    pub length: String,
    /// Whether that counts bytes, and not elements.
    pub is_in_bytes: bool,
    /// The place: `csv.h:12`.
    pub place: String,
}

/// A pointer to bytes that are a text, which ends with a zero.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SaidText {
    /// The parameter.
    pub parameter: String,
    /// The place that shows it.
    pub place: String,
}

/// A sentence about a parameter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SaidWords {
    /// The parameter.
    pub parameter: String,
    /// What is asked of it.
    pub about: Demand,
    /// The place and the words: `text.h:12: "s must not be null"`.
    pub quote: String,
}

/// A parameter of the function, as debug information has it.
#[derive(Clone, Debug)]
pub struct KnownParameter<'a> {
    /// Its name.
    pub name: &'a str,
    /// Whether it is a pointer to data.
    pub is_pointer: bool,
}

impl Said {
    /// Takes in what a header or a source says, whose file name is this.
    pub fn read(&mut self, file: &str, text: &str, function: &str, known: &[KnownParameter<'_>]) {
        let tokens = Tokens::of(text);
        for member in counted::members(&tokens, file) {
            let is_it = |m: &SaidLength| m.of == member.of && m.array == member.array;
            if !self.members.iter().any(is_it) {
                self.members.push(member);
            }
        }
        for found in declaration::of(&tokens, function) {
            for length in found.lengths(known, file) {
                if !self.lengths.iter().any(|l| l.array == length.array) {
                    self.lengths.push(length);
                }
            }
            let names = found.names(known);
            for words in comment::asked(&found.comments, known, &names, file) {
                let is_it =
                    |w: &SaidWords| (&w.parameter, w.about) == (&words.parameter, words.about);
                if !self.sentences.iter().any(is_it) {
                    self.sentences.push(words);
                }
            }
        }
    }

    /// The sentence that asks this of a parameter.
    pub fn sentence(&self, parameter: &str, about: Demand) -> Option<&str> {
        let is_it = |w: &&SaidWords| w.parameter == parameter && w.about == about;
        self.sentences.iter().find(is_it).map(|w| &w.quote[..])
    }
}

#[cfg(test)]
mod tests;
