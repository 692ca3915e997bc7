//! Judges whether an error of a function under test needs a call that its contract may forbid.
//!
//! A driver makes up arguments that it cannot know. An error that depends on one of them happens *if* it is so; whether a caller can bring
//! that about, the driver cannot tell. [`c`] and [`java`] have the rules of the languages.

pub mod c;
pub mod java;

/// Conditions that are told; the others are counted.
const SHOWN: usize = 3;

/// Why an error may be one that no caller can bring about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// What has to hold for it, in words: "parser->state = 17, s is null".
    pub precondition: String,
    /// The thing that was made up and that it is about, if that is one: a null pointer, or an object of a size that was chosen.
    pub made_up: Option<String>,
    /// The symbolic objects whose content it is about.
    pub objects: Vec<String>,
}

/// The doubt that these conditions are, if there are any.
fn told(mut all: Vec<String>, made_up: Option<String>) -> Option<Doubt> {
    let more = all.len().saturating_sub(SHOWN);
    all.truncate(SHOWN);
    match more {
        0 => {}
        1 => all.push("1 more condition".into()),
        n => all.push(format!("{n} more conditions")),
    }
    (!all.is_empty()).then(|| Doubt {
        precondition: all.join(", "),
        made_up,
        objects: Vec::new(),
    })
}

/// A path that ended so, for tests.
#[cfg(test)]
fn path(outcome: explore::PathOutcome, objects: Vec<explore::ObjectEnd>) -> explore::PathEnd {
    explore::PathEnd {
        outcome,
        is_new: true,
        covered_new: false,
        is_ahead: false,
        start: 0,
        instructions: 0,
        stack: None,
        objects,
        input: None,
    }
}
