//! Errors grouped into bugs: the entries of one kind at one place, which differ in the calls that lead there, and accesses to one thing
//! that a driver made up (`--entry`), which is one reason for all of them.
//!
//! `errors.json` has an entry for each stack of calls, since a function may be right for one caller and wrong for another one. A
//! reader who mends a line wants to see it once: all that is told of errors (terminal, `polypath show`, report, SARIF, JUnit) has an entry for
//! each bug, with its stacks inside.

use crate::model::ErrorRecord;
use std::collections::BTreeSet;

/// All errors of one kind at one place, or about one thing that was made up.
#[derive(Clone, Debug)]
pub struct Bug<'a> {
    /// Its entries, in the order in which they were found; at least one.
    pub stacks: Vec<&'a ErrorRecord>,
}

impl<'a> Bug<'a> {
    /// The entry that stands for all: one with a test that no contract excludes, if there is one.
    pub fn shown(&self) -> &'a ErrorRecord {
        let rank = |e: &&&ErrorRecord| (e.precondition.is_some(), e.test.is_empty());
        self.stacks.iter().min_by_key(rank).expect("one entry")
    }

    /// Is each of its entries one that the function's contract may exclude?
    pub fn is_doubtful(&self) -> bool {
        self.stacks.iter().all(|e| e.precondition.is_some())
    }

    /// Why the project accepts it, if it does.
    pub fn suppressed(&self) -> Option<&'a str> {
        self.stacks.iter().find_map(|e| e.suppressed.as_deref())
    }

    /// At how many places it happens.
    pub fn places(&self) -> usize {
        let places: BTreeSet<_> = self
            .stacks
            .iter()
            .map(|e| (&e.file, e.line, e.column))
            .collect();
        places.len()
    }

    /// How many paths end there.
    pub fn paths(&self) -> u64 {
        self.stacks
            .iter()
            .map(|e| e.all_paths())
            .fold(0, u64::saturating_add)
    }
}

impl std::fmt::Display for Bug<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.shown())?;
        match self.places() {
            1 => {}
            places => write!(f, "; {places} places")?,
        }
        match (self.stacks.len(), self.paths()) {
            (1, 1) => Ok(()),
            (1, paths) => write!(f, "; {paths} paths"),
            (stacks, paths) => write!(f, "; {stacks} call stacks, {paths} paths"),
        }
    }
}

/// The bugs among these errors, in the order in which they were found.
pub fn bugs<'a>(errors: impl IntoIterator<Item = &'a ErrorRecord>) -> Vec<Bug<'a>> {
    let mut bugs: Vec<Bug<'a>> = Vec::new();
    for error in errors {
        match bugs.iter_mut().find(|b| b.stacks[0].is_bug_of(error)) {
            Some(bug) => bug.stacks.push(error),
            None => bugs.push(Bug {
                stacks: vec![error],
            }),
        }
    }
    bugs
}

/// The number of the bug of each of these errors, from 1 on, in the order in which they were found.
pub fn numbers(errors: &[ErrorRecord]) -> Vec<usize> {
    let mut first: Vec<&ErrorRecord> = Vec::new();
    let mut numbers = Vec::new();
    for error in errors {
        let at = first.iter().position(|e| e.is_bug_of(error));
        numbers.push(at.unwrap_or(first.len()) + 1);
        if at.is_none() {
            first.push(error);
        }
    }
    numbers
}

/// The bugs of the program; those that a contract may exclude come behind the others, and suppressed ones last.
pub fn of_program<'a>(errors: impl IntoIterator<Item = &'a ErrorRecord>) -> Vec<Bug<'a>> {
    let errors = errors.into_iter().filter(|e| e.kind.is_program_error());
    let mut bugs = bugs(errors);
    bugs.sort_by_key(|bug| (bug.suppressed().is_some(), bug.is_doubtful()));
    bugs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StackFrame;
    use crate::kind::ErrorKind;

    #[test]
    fn entries_at_one_place_are_one_bug() {
        let error = |kind, line, test: &str, precondition: bool| ErrorRecord {
            kind,
            file: "a.c".into(),
            line,
            test: test.into(),
            paths: 2,
            precondition: precondition.then(|| "n > 0".into()),
            ..ErrorRecord::default()
        };
        let all = [
            error(ErrorKind::Null, 3, "", true),
            error(ErrorKind::Null, 3, "test000002", false),
            error(ErrorKind::DivZero, 3, "test000003", true),
            error(ErrorKind::Null, 4, "test000004", false),
            error(ErrorKind::Unsupported, 3, "", false),
        ];
        let of = of_program(&all);
        let seen: Vec<(usize, &str)> = of
            .iter()
            .map(|b| (b.stacks.len(), &b.shown().test[..]))
            .collect();
        assert_eq!(
            seen,
            [(2, "test000002"), (1, "test000004"), (1, "test000003")]
        );
        assert_eq!(numbers(&all), [1, 1, 2, 3, 4]);
        // A null parameter is one bug of the function, wherever it looks there; what needs no such call is another one.
        let of_null = |line, precondition| ErrorRecord {
            made_up: Some("p is null".into()),
            ..error(ErrorKind::Null, line, "", precondition)
        };
        let all = [of_null(3, true), of_null(4, true), of_null(4, false)];
        assert_eq!(numbers(&all), [1, 1, 2]);
        assert!(
            of_program(&all)[1]
                .to_string()
                .ends_with("; 2 places; 2 call stacks, 4 paths")
        );
        // Of another function it is another parameter.
        let in_calls = |functions: &[&str], line| {
            let frame = |function: &&str| StackFrame {
                function: (*function).into(),
                ..StackFrame::default()
            };
            ErrorRecord {
                stack: functions.iter().map(frame).collect(),
                ..of_null(line, true)
            }
        };
        let all = [
            in_calls(&["inner", "f", "main", "start"], 3),
            in_calls(&["f", "main", "start"], 4),
            in_calls(&["g", "main", "start"], 5),
        ];
        assert_eq!(numbers(&all), [1, 1, 2]);
        // Of code without source positions only the function is known.
        let nowhere = ["f", "g", "f"].map(|function| ErrorRecord {
            kind: ErrorKind::Null,
            file: crate::origin::UNKNOWN.into(),
            function: function.into(),
            ..ErrorRecord::default()
        });
        assert_eq!(numbers(&nowhere), [1, 2, 1]);
        assert!(of[0].to_string().ends_with("; 2 call stacks, 4 paths"));
        assert!(of[1].to_string().ends_with("; 2 paths"));
    }
}
