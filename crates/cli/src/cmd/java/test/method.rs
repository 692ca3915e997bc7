//! What is known of one method, and the words for it: the same ones in `methods.json`, in the progress and at the end.

use serde::Serialize;
use std::time::Duration;
use testcase::ErrorRecord;

/// Why a method has had no part.
pub const NO_TIME: &str = "there was no time left";
/// The same after Ctrl-C and its like.
pub const INTERRUPTED: &str = "interrupted";

/// How far a method has come. One that is not [`MethodState::NotServed`] is *served*.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MethodState {
    /// Each path came to its end, within bounds.
    Explored,
    /// Paths came to their ends, and others are left.
    InPart,
    /// It has no paths: no value can be made for a parameter, or its run failed.
    NotRun,
    /// No path came to its end: it had no part of the time, or parts that were too short.
    NotServed,
}

/// The result of a method.
#[derive(Clone, Debug, Serialize)]
pub struct MethodResult {
    pub method: String,
    pub state: MethodState,
    /// Below the directory of results; empty if it was not run.
    pub directory: String,
    pub tests: u64,
    pub errors: u64,
    /// Places of errors.
    pub bugs: u64,
    #[serde(skip)]
    pub found: Vec<ErrorRecord>,
    pub covered_lines: u64,
    pub total_lines: u64,
    /// Parts of the time that it had, and how long they took.
    #[serde(skip)]
    pub parts: u32,
    #[serde(skip)]
    pub took: Duration,
    /// The losses of its run; `null`: everything was explored.
    pub halted: Option<String>,
    /// Why it was not run, or not served.
    pub trouble: Option<String>,
}

impl MethodResult {
    /// Of a method that had no part yet.
    pub fn of(name: &str) -> MethodResult {
        MethodResult {
            method: name.to_string(),
            state: MethodState::NotServed,
            directory: String::new(),
            tests: 0,
            errors: 0,
            bugs: 0,
            found: Vec::new(),
            covered_lines: 0,
            total_lines: 0,
            parts: 0,
            took: Duration::ZERO,
            halted: None,
            trouble: None,
        }
    }

    pub fn is_served(&self) -> bool {
        self.state != MethodState::NotServed
    }

    /// Names why a method is not served, when all parts are over.
    pub fn conclude(&mut self, is_stopped: bool) {
        if self.is_served() {
            return;
        }
        let seconds = self.took.as_secs_f64();
        self.trouble = Some(match self.parts {
            _ if is_stopped => INTERRUPTED.into(),
            0 => NO_TIME.into(),
            1 => format!("no path came to its end in {seconds:.1} s"),
            parts => format!("no path came to its end in {parts} parts of {seconds:.1} s together"),
        });
    }

    /// Its line.
    pub fn line(&self) -> String {
        let why = self.trouble.as_deref().unwrap_or_default();
        match self.state {
            MethodState::NotRun => format!("{}: not run: {why}", self.method),
            MethodState::NotServed => format!("{}: not served: {why}", self.method),
            MethodState::Explored | MethodState::InPart => {
                let (covered, total) = (self.covered_lines, self.total_lines);
                let is_explored = self.state == MethodState::Explored;
                let end = if is_explored { ", explored" } else { "" };
                format!(
                    "{}: {} tests, {} errors, {covered} of {total} lines{end}",
                    self.method, self.tests, self.bugs
                )
            }
        }
    }
}

/// How many methods are in each state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StateCounts {
    pub explored: usize,
    pub in_part: usize,
    pub not_run: usize,
    pub not_served: usize,
}

impl StateCounts {
    pub fn of(methods: &[MethodResult]) -> StateCounts {
        let mut counts = StateCounts::default();
        for method in methods {
            *match method.state {
                MethodState::Explored => &mut counts.explored,
                MethodState::InPart => &mut counts.in_part,
                MethodState::NotRun => &mut counts.not_run,
                MethodState::NotServed => &mut counts.not_served,
            } += 1;
        }
        counts
    }

    pub fn served(self) -> usize {
        self.explored + self.in_part + self.not_run
    }
}

impl std::fmt::Display for StateCounts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let StateCounts {
            explored,
            in_part,
            not_run,
            not_served,
        } = self;
        write!(
            f,
            "{explored} explored, {in_part} in part, {not_run} not run, {not_served} not served"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_method_is_in_one_state_and_says_why() {
        let in_state = |state, parts| MethodResult {
            state,
            parts,
            took: Duration::from_millis(750) * parts,
            ..MethodResult::of("A.f()")
        };
        let mut all = [
            in_state(MethodState::Explored, 1),
            in_state(MethodState::InPart, 2),
            in_state(MethodState::NotServed, 0),
            in_state(MethodState::NotServed, 2),
        ];
        all.iter_mut().for_each(|m| m.conclude(false));
        let counts = StateCounts::of(&all);
        assert_eq!((counts.served(), counts.not_served), (2, 2));
        assert_eq!(
            counts.to_string(),
            "1 explored, 1 in part, 0 not run, 2 not served"
        );
        let lines = all.map(|m| m.line());
        assert_eq!(lines[0], "A.f(): 0 tests, 0 errors, 0 of 0 lines, explored");
        assert_eq!(lines[2], "A.f(): not served: there was no time left");
        let told = "A.f(): not served: no path came to its end in 2 parts of 1.5 s together";
        assert_eq!(lines[3], told);
    }
}
