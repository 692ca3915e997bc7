//! The events of an exploration, as plain values.
//!
//! A receiver cannot change the exploration through them, and an event can be sent to another thread or process.
//! Costly facts about a path (its input, its output) are computed only if they are wanted.

use crate::exploration::{Exploration, SoFar};
use vocab::{Ending, ErrorKind};

/// An error depends on what a driver made up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InDoubt {
    /// The symbolic objects whose bytes it depends on.
    pub made_up: Vec<String>,
}

/// The receiver of an exploration's events.
pub trait Sink {
    /// A path ended and will be reported: is its input wanted?
    fn wants_input(&mut self, end: Ended) -> bool;
    /// A path ended. Returns the doubt about the error that it is the first to show, if it depends on what a driver
    /// made up: then other paths may show it that leave no doubt.
    fn ended(&mut self, path: PathEnd) -> Option<InDoubt>;
    /// Called about ten times a second.
    fn tick(&mut self, _now: &mut dyn SoFar) {}
    /// Called between two steps now and then: a worker that shares the exploration talks to the others here.
    fn look(&mut self, _all: &mut dyn Exploration) {}
    /// The run has to end; live states and open branches end after this.
    fn halting(&mut self, _all: &mut dyn Exploration) {}
    /// Nothing is left to run. Have others given something meanwhile? It may take long to find out.
    fn wait(&mut self, _all: &mut dyn Exploration) -> bool {
        false
    }
}

/// The end of a path, before more is found out about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The row of the table of endings.
    pub ending: Ending,
    /// An error that no earlier path has shown.
    pub is_new: bool,
    /// It was the first to cover something.
    pub covered_new: bool,
}

/// The end of a path.
#[derive(Clone, Debug)]
pub struct PathEnd {
    /// How it ended.
    pub outcome: PathOutcome,
    /// An error that no earlier path has shown.
    pub is_new: bool,
    /// It was the first to cover something.
    pub covered_new: bool,
    /// It was run ahead of the exploration from a live state, which is still to be explored: it counts as no path.
    pub is_ahead: bool,
    /// Which of the first states it began as.
    pub start: u32,
    /// Instructions that it executed.
    pub instructions: u64,
    /// The call stack, if it ended in an error.
    pub stack: Option<Stack>,
    /// Its symbolic objects, if they are wanted or the path has shown something new. `input` has the number of those
    /// that are program input; they come first.
    pub objects: Vec<ObjectEnd>,
    /// The input that takes the path again, if it is wanted.
    pub input: Option<PathInput>,
}

impl PathEnd {
    /// Has it shown something that no earlier path did? Then it is known which bytes decided it.
    pub fn has_news(&self) -> bool {
        (self.is_new || self.covered_new) && self.outcome.ending() != Ending::Internal
    }

    /// Does it show an error of the program that no earlier path has shown?
    pub fn shows_new_error(&self) -> bool {
        self.is_new
            && self
                .outcome
                .error()
                .is_some_and(ErrorKind::is_program_error)
    }
}

/// How a path ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathOutcome {
    /// It exited, with this status on the reported input.
    Exit(i32),
    /// The entry point returned: its result as source shows it.
    Returned(String),
    /// An exception left the entry point.
    Thrown(Thrown),
    /// An error of the program, or a construct that is not supported.
    Error(Error),
    /// It was cut, or ended without more to say.
    Cut(Ending),
    /// The engine contradicts itself, in words.
    Internal(String),
}

impl PathOutcome {
    /// The row of the table of endings.
    pub fn ending(&self) -> Ending {
        match self {
            PathOutcome::Exit(_) | PathOutcome::Returned(_) => Ending::Exit,
            PathOutcome::Thrown(t) if t.error.is_some() => Ending::Error,
            PathOutcome::Thrown(_) => Ending::Exit,
            PathOutcome::Error(e) => e.ending(),
            PathOutcome::Cut(ending) => *ending,
            PathOutcome::Internal(_) => Ending::Internal,
        }
    }

    /// The kind of the error that it is, if it is one.
    pub fn error(&self) -> Option<ErrorKind> {
        match self {
            PathOutcome::Error(e) => Some(e.kind),
            PathOutcome::Thrown(t) => t.error,
            _ => None,
        }
    }
}

/// An exception that left the entry point. Its calls are the path's stack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thrown {
    /// Its class, and the classes above.
    pub class: String,
    /// All its classes, itself first.
    pub classes: Vec<String>,
    /// Its message; empty for none.
    pub message: String,
    /// The program's own code threw it, or the entry point declares it.
    pub is_deliberate: bool,
    /// It left the code of another thread, and the entry point came to its end all the same.
    pub in_thread: bool,
    /// The nearest class above that source in the entry point's package can name, as it names it.
    pub nameable: String,
    /// The calls that the driver made up to there, the entry point's first: the names of their parameters, in order.
    pub calls: Vec<Vec<String>>,
    /// The input that it is about, if the program handed it on to a method that asks something of it.
    pub unfit: Option<UnfitInput>,
    /// The kind of error that it is; `None` for one that is a test like others.
    pub error: Option<ErrorKind>,
}

/// Input of which a method of the library asks more than it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnfitInput {
    /// What it is: "is no number".
    pub why: String,
    /// The names of the objects that it may be.
    pub objects: Vec<String>,
    /// It is that one, whether it decided the path or not. Else it is one that looks like it.
    pub is_certain: bool,
}

/// An error of the program, or a construct that is not supported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The kind of the error.
    pub kind: ErrorKind,
    /// The error in words.
    pub message: String,
    /// The symbolic object that was accessed wrongly, if it is one.
    pub object: Option<AccessedObject>,
    /// It is an assertion with which the innermost function of the program begins, before it has changed anything: what it
    /// asks of its callers.
    pub is_precondition: bool,
}

/// A symbolic object that was accessed wrongly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessedObject {
    /// Its name.
    pub name: String,
    /// Was it written?
    pub write: bool,
    /// The access begins right behind it.
    pub is_at_end: bool,
    /// It was read, and none of its bytes before that place can be zero on the path: the program may have looked for one that
    /// ends it.
    pub has_no_zero: bool,
    /// It was read, it has no byte on the path, and the program has looked at nothing that its size depends on.
    pub is_unasked: bool,
}

impl Error {
    /// The row of the table of endings.
    pub fn ending(&self) -> Ending {
        match self.kind {
            ErrorKind::Unsupported => Ending::Unsupported,
            _ => Ending::Error,
        }
    }
}

/// A symbolic object at the end of its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectEnd {
    /// The name under which it was made.
    pub name: String,
    /// The type of its values, as a letter of Java's descriptions; `B` for bytes.
    pub kind: char,
    /// Its bytes in the path's input.
    pub bytes: Vec<u8>,
    /// Indices of the bytes on which the path's conditions depend, if the path has shown something new.
    pub relevant: Vec<usize>,
    /// Those of them on which more than assumptions depend: the program decided something by their values (C only).
    pub decisive: Vec<usize>,
}

/// An input that takes a path, and what the program does on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathInput {
    /// How many of the leading objects are program input (arguments, files).
    pub input_objects: u32,
    /// The output of the program.
    pub output: Output,
    /// Hash of the places that it passed; `None` if another run may take another way.
    pub hash: Option<u64>,
    /// Where it asked for what another run answers in another way (the time, a random number, an object's identity): its output, its result
    /// and its way may follow from that.
    pub unsteady: Vec<String>,
    /// The arguments of the call of the entry point as source has them; `?` for one that it cannot make.
    pub arguments: Vec<String>,
    /// The choices on the way: the instruction, the number of the kind of choice, and the choice.
    pub prefix: Vec<(u32, u8, u32)>,
}

/// The output that a path has written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// To its standard output.
    pub stdout: Vec<u8>,
    /// To its standard error.
    pub stderr: Vec<u8>,
}

/// A call stack, innermost first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stack {
    /// Functions of a library that the program's innermost function called.
    pub inside: Vec<StackEntry>,
    /// From the program's innermost function outwards.
    pub frames: Vec<StackEntry>,
}

/// A call frame as shown to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackEntry {
    /// Name of the function.
    pub function: String,
    /// Source file, as the compiler named it.
    pub file: String,
    /// Line in it, from 1; 0 if unknown.
    pub line: u32,
    /// Column, from 1; 0 if unknown.
    pub column: u32,
    /// A function of a library or the run time, not of the program.
    pub library: bool,
    /// How many frames it stands for: a deep recursion is folded.
    pub times: u32,
}

impl std::fmt::Display for StackEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({}:{})", self.function, self.file, self.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_can_be_sent() {
        fn is_send<T: Send + 'static>() {}
        is_send::<PathEnd>();
    }
}
