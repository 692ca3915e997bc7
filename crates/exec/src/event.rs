//! What a run tells: events as plain values.
//!
//! Who hears them gets no machine to change, and an event can be sent to another thread or process. What is costly
//! to find out about a path (its input, its output) is found out only if it is wanted.

use crate::counters::Counters;
use crate::endings::Ending;
use crate::environment::Output;
use crate::errors::{ProgramError, Termination};
use crate::exploration::Exploration;
use crate::machine::Machine;
use crate::stack::Stack;
use crate::state::State;
use crate::trail::Choice;
use solver::Model;

/// What hears of the run's events.
pub trait Sink {
    /// A path ended and will be told of: is its input wanted? It still stands as it was.
    fn wants_input(&mut self, s: &State, end: &Ended<'_>) -> bool;
    /// A path ended.
    fn ended(&mut self, path: PathEnd);
    /// Called about ten times a second.
    fn tick(&mut self, m: &Machine, n: &Counters);
    /// Called between two slices now and then: who shares the exploration with others talks to them here.
    fn look(&mut self, _all: &mut dyn Exploration) {}
    /// The run has to end, and what is alive ends with it after this.
    fn halting(&mut self, _all: &mut dyn Exploration) {}
    /// Nothing is left to run. Have others given something meanwhile? It may take long to find out.
    fn wait(&mut self, _all: &mut dyn Exploration) -> bool {
        false
    }
}

/// The end of a path, while its state is there.
#[derive(Clone, Copy, Debug)]
pub struct Ended<'a> {
    /// Why.
    pub why: &'a Termination,
    /// An error that no earlier path has shown.
    pub is_new: bool,
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
    /// Which of the first states it began as.
    pub start: u32,
    /// Instructions that it executed.
    pub instructions: u64,
    /// The call stack, if it ended in an error.
    pub stack: Option<Stack>,
    /// Its symbolic objects, if they are wanted or the path has shown something new. How many of the leading ones are
    /// program input is said in `input`.
    pub objects: Vec<ObjectEnd>,
    /// What takes it again, if that is wanted.
    pub input: Option<PathInput>,
}

impl PathEnd {
    /// Has it shown something that no earlier path did? Then it is known which bytes decided it.
    pub fn has_news(&self) -> bool {
        (self.is_new || self.covered_new) && self.outcome.ending() != Ending::Internal
    }

    /// Does it show an error of the program that no earlier path has shown?
    pub fn shows_new_error(&self) -> bool {
        self.is_new && matches!(&self.outcome, PathOutcome::Error(e) if e.kind.is_program_error())
    }
}

/// How a path ended.
#[derive(Clone, Debug)]
pub enum PathOutcome {
    /// It exited, with this status on the input that is told.
    Exit(i32),
    /// An error of the program, or a construct that is not supported.
    Error(ProgramError),
    /// It was cut, or ended without more to say.
    Cut(Ending),
    /// The engine contradicts itself, in words.
    Internal(String),
}

impl PathOutcome {
    /// The row of the table of endings.
    pub fn ending(&self) -> Ending {
        match self {
            PathOutcome::Exit(_) => Ending::Exit,
            PathOutcome::Error(e) => e.ending(),
            PathOutcome::Cut(ending) => *ending,
            PathOutcome::Internal(_) => Ending::Internal,
        }
    }
}

/// A symbolic object at the end of its path.
#[derive(Clone, Debug)]
pub struct ObjectEnd {
    /// The name under which it was made.
    pub name: String,
    /// Its bytes in the path's input.
    pub bytes: Vec<u8>,
    /// Indices of the bytes on which the path's conditions depend, if the path has shown something new.
    pub relevant: Vec<usize>,
}

/// An input that takes a path, and what the program does on it.
#[derive(Clone, Debug)]
pub struct PathInput {
    /// How many of the leading objects are program input (arguments, files).
    pub input_objects: u32,
    /// What the program wrote.
    pub output: Output,
    /// Hash of the sites that it passed.
    pub hash: u64,
    /// The choices on the way.
    pub prefix: Vec<Choice>,
}

impl Machine {
    /// The event of a path's end.
    pub(crate) fn path_end(&mut self, s: &State, end: &Ended<'_>, wants_input: bool) -> PathEnd {
        let failed = matches!(end.why, Termination::Internal(_));
        let model = if wants_input && !failed {
            self.test_model(s)
        } else {
            // Nothing more is asked of what has just failed.
            s.witness.clone()
        };
        let has_news = (end.is_new || s.progress.covered_new) && !failed;
        let outcome = match end.why {
            Termination::Exit(status) => PathOutcome::Exit(self.status_under(*status, &model)),
            Termination::Error(e) => PathOutcome::Error(e.clone()),
            Termination::Cut(ending) => PathOutcome::Cut(*ending),
            Termination::Internal(what) => PathOutcome::Internal(what.clone()),
        };
        let stack = match &outcome {
            PathOutcome::Error(e) => Some(self.stack_of(s, e)),
            _ => None,
        };
        let environment = self.environment.clone();
        PathEnd {
            outcome,
            is_new: end.is_new,
            covered_new: s.progress.covered_new,
            start: s.start,
            instructions: s.progress.instructions,
            stack,
            objects: if has_news || wants_input {
                self.objects_under(s, &model, has_news)
            } else {
                Vec::new()
            },
            input: wants_input.then(|| PathInput {
                input_objects: s.input_objects,
                output: environment.output(self, s, &model),
                hash: s.hash,
                prefix: s.trail.choices(),
            }),
        }
    }

    fn objects_under(&self, s: &State, model: &Model, with_relevant: bool) -> Vec<ObjectEnd> {
        let mut relevant = (if with_relevant {
            self.relevant(s)
        } else {
            Vec::new()
        })
        .into_iter();
        let end = |o: &crate::SymbolicObject| ObjectEnd {
            name: o.name.to_string(),
            bytes: o.symbols.iter().map(|&x| model.get(x) as u8).collect(),
            relevant: relevant.next().unwrap_or_default(),
        };
        s.objects.iter().map(end).collect()
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
