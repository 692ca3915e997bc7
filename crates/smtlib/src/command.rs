//! Commands, as a driver gets them.

use crate::table::Typed;
use std::rc::Rc;
use term::Term;

/// One command of a script. Declarations and definitions are done when they arrive.
#[derive(Clone, Debug)]
pub enum Command {
    /// `set-logic`.
    SetLogic(String),
    /// `set-option`: keyword with its colon, value as text.
    SetOption(String, String),
    /// `set-info`, done.
    SetInfo(String, String),
    /// A declaration or a definition, done.
    Declared,
    /// `assert`.
    Assert(Assertion),
    /// `check-sat`.
    CheckSat,
    /// `check-sat-assuming`.
    CheckSatAssuming(Vec<Assumption>),
    /// `push`, with the number of levels; done for names.
    Push(u32),
    /// `pop`, with the number of levels; done for names.
    Pop(u32),
    /// `get-model`.
    GetModel,
    /// `get-value`: the terms with their texts.
    GetValue(Vec<(String, Typed)>),
    /// `get-unsat-core`.
    GetUnsatCore,
    /// `get-unsat-assumptions`.
    GetUnsatAssumptions,
    /// `get-info`, with the keyword.
    GetInfo(String),
    /// `get-option`, with the keyword.
    GetOption(String),
    /// `get-assertions`.
    GetAssertions,
    /// `get-assignment`.
    GetAssignment,
    /// `echo`.
    Echo(String),
    /// `reset`, done for names.
    Reset,
    /// `reset-assertions`, done for names.
    ResetAssertions,
    /// `exit`.
    Exit,
}

/// The content of `assert`.
#[derive(Clone, Debug)]
pub struct Assertion {
    /// The condition, of width 1.
    pub term: Term,
    /// The `:named` name of the whole condition.
    pub name: Option<Rc<str>>,
    /// The text, when [`crate::Reader::keep_text`] asked for it.
    pub text: Option<Rc<str>>,
}

/// A literal of `check-sat-assuming`.
#[derive(Clone, Debug)]
pub struct Assumption {
    /// The condition, of width 1.
    pub term: Term,
    /// Its text.
    pub text: Rc<str>,
}
