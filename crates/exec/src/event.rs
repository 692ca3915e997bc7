//! The end of a path as an event for the [`explore::Sink`].

use crate::errors::Termination;
use crate::machine::Machine;
use crate::state::State;
use explore::{Ended, Error, ObjectEnd, PathEnd, PathInput, PathOutcome};
use solver::Model;
use std::collections::BTreeSet;
use term::Symbol;

/// The end of a path, while its state is there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LiveEnd<'a> {
    /// Why.
    pub why: &'a Termination,
    /// An error that no earlier path has shown.
    pub is_new: bool,
    /// The path was run ahead of the exploration.
    pub is_ahead: bool,
}

impl<'a> LiveEnd<'a> {
    /// The end of a path that the exploration came to.
    pub fn new(why: &'a Termination, is_new: bool) -> LiveEnd<'a> {
        LiveEnd {
            why,
            is_new,
            is_ahead: false,
        }
    }
}

impl LiveEnd<'_> {
    /// The end in the form that a sink gets.
    pub fn of(&self, s: &State) -> Ended {
        Ended {
            ending: self.why.ending(),
            is_new: self.is_new,
            covered_new: s.progress.covered_new,
        }
    }
}

impl Machine {
    /// The event of a path's end.
    pub(crate) fn path_end(&mut self, s: &State, end: &LiveEnd<'_>, wants_input: bool) -> PathEnd {
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
            Termination::Error(e) => PathOutcome::Error(Error {
                kind: e.kind,
                message: e.message.clone(),
                object: e.object.and_then(|o| self.accessed_object(s, o)),
                is_precondition: self.is_precondition(s, e),
            }),
            Termination::Cut(ending) => PathOutcome::Cut(*ending),
            Termination::Internal(what) => PathOutcome::Internal(what.clone()),
        };
        let stack = match end.why {
            Termination::Error(e) => Some(self.stack_of(s, e)),
            _ => None,
        };
        let idle = match end.why {
            Termination::Error(e) if end.is_new => self.idle_of(s, e, &model),
            _ => BTreeSet::new(),
        };
        let environment = self.links.environment.clone();
        PathEnd {
            outcome,
            is_new: end.is_new,
            covered_new: s.progress.covered_new,
            is_ahead: end.is_ahead,
            start: s.start,
            instructions: s.progress.instructions,
            stack,
            objects: if has_news || wants_input {
                self.objects_under(s, &model, has_news.then_some(&idle))
            } else {
                Vec::new()
            },
            input: wants_input.then(|| PathInput {
                input_objects: s.input_objects,
                output: environment.output(self, s, &model),
                hash: Some(s.hot.hash),
                unsteady: Vec::new(),
                arguments: Vec::new(),
                prefix: (s.trail.choices().iter())
                    .map(|c| (c.pc, c.kind as u8, c.choice))
                    .collect(),
            }),
        }
    }

    /// The objects of a path; with the bytes that decide it, but for the idle ones, if these are given.
    fn objects_under(
        &self,
        s: &State,
        model: &Model,
        idle: Option<&BTreeSet<Symbol>>,
    ) -> Vec<ObjectEnd> {
        let known = |list: fn(&Machine, &State) -> Vec<Vec<usize>>| {
            let all = idle.map(|_| list(self, s));
            all.into_iter().flatten()
        };
        let is_idle = |x: &Symbol| idle.is_some_and(|idle| idle.contains(x));
        let without_idle = |o: &crate::SymbolicObject, mut bytes: Vec<usize>| {
            bytes.retain(|&at| !is_idle(&o.symbols[at]));
            bytes
        };
        let (mut relevant, mut decisive) = (known(Machine::relevant), known(Machine::decisive));
        let end = |o: &crate::SymbolicObject| ObjectEnd {
            name: o.name.to_string(),
            kind: 'B',
            bytes: o.symbols.iter().map(|&x| model.get(x) as u8).collect(),
            relevant: relevant.next().unwrap_or_default(),
            decisive: without_idle(o, decisive.next().unwrap_or_default()),
        };
        s.objects.iter().map(end).collect()
    }
}
