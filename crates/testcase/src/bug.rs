//! Errors grouped into bugs: the entries of one kind at one place, which differ in the calls that lead there, and those that follow from one
//! thing that a driver made up (`--entry`): a parameter that is null, an object that was set member by member. A reader has to judge that thing
//! once: can a caller bring it about?
//!
//! `errors.json` has an entry for each stack of calls, since a function may be right for one caller and wrong for another one. A
//! reader who mends a line wants to see it once: all that is told of errors (terminal, `polypath show`, report, SARIF, JUnit) has an entry for
//! each bug, with its stacks inside.

use crate::model::ErrorRecord;
use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;

/// All errors of one kind at one place, or of one kind that follow from one thing that was made up.
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
    let errors: Vec<&'a ErrorRecord> = errors.into_iter().collect();
    let mut bugs: Vec<Bug<'a>> = Vec::new();
    for (number, error) in numbered(&errors).into_iter().zip(errors) {
        match bugs.get_mut(number) {
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
    let errors: Vec<&ErrorRecord> = errors.iter().collect();
    numbered(&errors).into_iter().map(|at| at + 1).collect()
}

/// The same, from 0 on. Errors at one place are one bug. What follows from one thing that was made up is one, too, with all places where
/// it shows; but a place where it happens without that is a bug of its own.
fn numbered(errors: &[&ErrorRecord]) -> Vec<usize> {
    let mut places = Groups::default();
    let by_place: Vec<usize> = errors.iter().map(|e| places.of(e.bug_place())).collect();
    let mut is_certain = vec![false; places.len()];
    for (place, error) in by_place.iter().zip(errors) {
        is_certain[*place] |= error.precondition.is_none();
    }
    let mut things = vec![Vec::new(); places.len()];
    for (place, error) in by_place.iter().zip(errors) {
        things[*place].extend(error.assumption().filter(|_| !is_certain[*place]));
    }
    // Of several things from which a place follows, the first counts, or one that other places follow from, too.
    let mut bugs = Groups::default();
    let mut bug_of_thing = HashMap::new();
    let of_places: Vec<usize> = things
        .into_iter()
        .enumerate()
        .map(|(place, things)| {
            let known = things.iter().find_map(|thing| bug_of_thing.get(thing));
            let bug = known.copied().unwrap_or_else(|| bugs.of(place));
            if let (None, Some(thing)) = (known, things.first()) {
                bug_of_thing.insert(*thing, bug);
            }
            bug
        })
        .collect();
    by_place.into_iter().map(|place| of_places[place]).collect()
}

/// Numbers for keys, in the order in which they come.
struct Groups<K>(HashMap<K, usize>);

impl<K> Default for Groups<K> {
    fn default() -> Self {
        Groups(HashMap::new())
    }
}

impl<K: Eq + Hash> Groups<K> {
    fn of(&mut self, key: K) -> usize {
        let next = self.0.len();
        *self.0.entry(key).or_insert(next)
    }

    fn len(&self) -> usize {
        self.0.len()
    }
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
        // A null parameter is one bug of the function, wherever it looks there; a place that needs no such call is another one.
        let follows = |thing: &str, line| ErrorRecord {
            made_up: Some(thing.into()),
            ..error(ErrorKind::Null, line, "", true)
        };
        let of_null = |line| follows("p is null", line);
        let without = error(ErrorKind::Null, 4, "", false);
        let all = [of_null(3), of_null(4), of_null(5), without];
        assert_eq!(numbers(&all), [1, 2, 1, 2]);
        let text = of_program(&all)[1].to_string();
        assert!(text.ends_with("; 2 places; 2 call stacks, 4 paths"));
        // A place counts for the first thing that leads there, or for one that leads to other places.
        let members = |line| follows("the members of p", line);
        let all = [of_null(3), members(3), members(4), members(5), of_null(5)];
        assert_eq!(numbers(&all), [1, 1, 2, 2, 2]);
        // Of another function it is another parameter.
        let in_calls = |functions: &[&str], line| {
            let frame = |function: &&str| StackFrame {
                function: (*function).into(),
                ..StackFrame::default()
            };
            ErrorRecord {
                stack: functions.iter().map(frame).collect(),
                ..of_null(line)
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
