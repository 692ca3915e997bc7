//! The call stack as the user sees it, and the rule by which two errors are different.
//!
//! Libc's functions are the program's too, but not what its author looks at: a stack begins in the innermost function
//! of the program itself, and libc's functions further in are listed apart. So are functions of the program without a
//! position in any source (`_mm_load_si128` of a header), if one of their callers has one. Two errors of a kind are
//! one if they stand at the same place in that function and the calls to it are the same ones; a recursion counts each
//! of its calls once, so that its depth makes no new errors.

use crate::errors::{ErrorKind, ProgramError};
use crate::machine::Machine;
use crate::state::State;
use explore::{InDoubt, Reported};
pub use explore::{Stack, StackEntry};
use ir::{FuncId, Location, Pc};
use solver::Model;
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeSet, HashSet};
use std::hash::{Hash, Hasher};
use term::Symbol;

/// From this depth on, a stack is shown folded.
const DEEP: usize = 64;

/// Kind and place of an error, and the calls that led there.
pub(crate) type ErrorPlace = ((ErrorKind, Location), u64);

/// Which errors were reported.
#[derive(Default)]
pub(crate) struct ErrorReports {
    /// By the exploration.
    explored: KnownErrors,
    /// By paths that were run ahead of it, to which it is still to come.
    ahead: KnownErrors,
}

/// Errors by kind and place, and the calls that led there.
#[derive(Default)]
struct KnownErrors {
    places: Reported<(ErrorKind, Location), u64>,
    /// Names of constructs that are not supported.
    unsupported: HashSet<String>,
}

impl Machine {
    /// Whether an error is new: of another kind, at another place, or through other calls. Notes it. One of a path that was run
    /// `ahead` is not noted as explored.
    pub(crate) fn first_report(&mut self, s: &State, e: &ProgramError, ahead: bool) -> bool {
        if !self.options.dedupe_errors {
            return true;
        }
        let (place, calls) = self.known_by(s, e);
        let ErrorReports {
            explored,
            ahead: others,
        } = &mut self.observers.reported;
        if e.kind == ErrorKind::Unsupported {
            let is_known = explored.unsupported.contains(&e.message);
            let noted = if ahead { others } else { explored };
            return !is_known && noted.unsupported.insert(e.message.clone());
        }
        if ahead && !explored.places.is_open(&place, &calls) {
            return false;
        }
        let noted = if ahead { others } else { explored };
        noted.places.report(place, calls)
    }

    /// An error that was new has been told, and it is in doubt or not: others like it are still wanted in the first case.
    pub(crate) fn told_in_doubt(&mut self, s: &State, e: &ProgramError, doubt: Option<InDoubt>) {
        let (place, calls) = self.known_by(s, e);
        let ErrorReports { explored, ahead } = &mut self.observers.reported;
        for noted in [explored, ahead] {
            noted.places.told(&place, &calls, doubt.is_some());
        }
        if let Some(InDoubt { made_up }) = doubt.filter(|d| !d.made_up.is_empty()) {
            self.keep_way(s, (place, calls), made_up);
        }
    }

    /// The bytes on which an error does not depend, although they decide its path.
    pub(crate) fn idle_of(
        &mut self,
        s: &State,
        e: &ProgramError,
        model: &Model,
    ) -> BTreeSet<Symbol> {
        let place = self.known_by(s, e);
        self.idle_bytes(s, &place, model)
    }

    /// Kind and place of an error, and the calls that led there.
    fn known_by(&self, s: &State, e: &ProgramError) -> ErrorPlace {
        let (place, calls) = match self.elsewhere(s, e) {
            Some((function, pc)) => (self.position(function, pc), u64::from(pc)),
            None => (self.place(s), self.calls(s)),
        };
        ((e.kind, place), calls)
    }

    /// The position of an error that is not where the path is: a leak is at the allocation, in the program's own code.
    fn elsewhere(&self, s: &State, e: &ProgramError) -> Option<(FuncId, Pc)> {
        let function = self.module.function_at(e.pc).filter(|_| e.pc != s.hot.pc)?;
        (!self.is_library(function)).then_some((function, e.pc))
    }

    /// The call stack of an error with which the path ends.
    pub fn stack_of(&self, s: &State, e: &ProgramError) -> Stack {
        match self.elsewhere(s, e) {
            Some(place) => Stack {
                inside: Vec::new(),
                frames: self.entries(&[place]),
            },
            None => self.stack(s),
        }
    }

    /// Is it an assertion with which the innermost function of the program begins, before it has changed anything?
    pub(crate) fn is_precondition(&self, s: &State, e: &ProgramError) -> bool {
        let Some(first) = self.first_shown(self.positions(s)) else {
            return false;
        };
        let place = self.positions(s).nth(first);
        e.kind == ErrorKind::Assert
            && place.is_some_and(|(function, pc)| self.module.is_at_beginning(function, pc))
    }

    /// Whether an error here would be nothing new.
    pub(crate) fn was_reported(&self, kind: ErrorKind, s: &State) -> bool {
        let explored = &self.observers.reported.explored;
        let place = (kind, self.place(s));
        self.options.dedupe_errors
            && explored.places.has(&place)
            && !explored.places.is_open(&place, &self.calls(s))
    }

    /// Function and instruction of each frame, innermost first.
    pub fn positions<'a>(&'a self, s: &'a State) -> impl Iterator<Item = (FuncId, Pc)> + 'a {
        let mut pc = s.hot.pc;
        s.frames().iter().rev().filter_map(move |f| {
            let at = pc;
            // The call itself stands before the place of return.
            pc = f.return_pc.saturating_sub(1);
            // An operation that is simulated stands in the caller.
            (!self.observers.simulation.has(f.function)).then_some((f.function, at))
        })
    }

    /// Is the function none of the program itself?
    pub fn is_library(&self, function: FuncId) -> bool {
        !self.module.functions[function as usize].own
    }

    /// The position in the program itself.
    fn place(&self, s: &State) -> Location {
        let first = self.first_shown(self.positions(s)).unwrap_or(0);
        let mut all = self.positions(s);
        all.nth(first)
            .map_or(Location::default(), |(f, pc)| self.position(f, pc))
    }

    /// Which of these is the first one that the program's author looks at?
    fn first_shown(&self, positions: impl Iterator<Item = (FuncId, Pc)>) -> Option<usize> {
        let mut own = positions
            .enumerate()
            .filter(|&(_, (f, _))| !self.is_library(f));
        let (first, (function, _)) = own.next()?;
        let has_source = |f: FuncId| self.module.functions[f as usize].location.line != 0;
        if has_source(function) {
            return Some(first);
        }
        let located = own.find(|&(_, (f, _))| has_source(f));
        Some(located.map_or(first, |(n, _)| n))
    }

    /// The calls that led here, each once.
    fn calls(&self, s: &State) -> u64 {
        let mut seen = HashSet::new();
        let mut hash = DefaultHasher::new();
        for (function, pc) in self.positions(s) {
            let line = self.position(function, pc).line;
            // Code without line numbers: by instruction.
            let call = (function, line, if line == 0 { pc } else { 0 });
            if seen.insert(call) {
                call.hash(&mut hash);
            }
        }
        hash.finish()
    }

    fn position(&self, function: FuncId, pc: Pc) -> Location {
        if self.module.function_at(pc) == Some(function) {
            self.module.location_at(pc)
        } else {
            self.module.functions[function as usize].location
        }
    }

    /// The call stack. One that the program itself has no part in (before `main`, or at exit) is shown whole.
    pub fn stack(&self, s: &State) -> Stack {
        let all: Vec<(FuncId, Pc)> = self.positions(s).collect();
        let first = self.first_shown(all.iter().copied());
        let (inside, frames) = all.split_at(first.unwrap_or(0));
        Stack {
            inside: self.entries(inside),
            frames: self.entries(frames),
        }
    }

    fn entries(&self, positions: &[(FuncId, Pc)]) -> Vec<StackEntry> {
        let mut out: Vec<StackEntry> = Vec::new();
        for &(function, pc) in positions {
            let location = self.position(function, pc);
            let name = &self.module.functions[function as usize].name;
            let file = self.module.file_name(location);
            let at = (location.line, location.column);
            if positions.len() > DEEP
                && let Some(known) = out
                    .iter_mut()
                    .find(|e| (e.line, e.column) == at && e.function == *name && e.file == file)
            {
                known.times += 1;
                continue;
            }
            out.push(StackEntry {
                function: name.clone(),
                file: file.to_string(),
                line: at.0,
                column: at.1,
                library: self.is_library(function),
                times: 1,
            });
        }
        out
    }
}
