//! Which tests of a run are worth being source that people read and keep: one for each bug, one for each outcome, and those that
//! reach something new. The others are counted by the reason why they are left out.

use crate::bug::Bug;
use crate::model::{ErrorRecord, TestCase, test_name};
use std::collections::{BTreeMap, BTreeSet};

/// Tests in one file of source, at most: a reader wants to see those that tell something.
pub(crate) const MOST: usize = 400;

/// Tests that are left out since another one shows their bug.
pub(crate) const REPEATS: &str = "fail where another test here fails, most through other calls";

/// Tests that are left out since another one has the same outcome, and they reach nothing new.
pub(crate) const SAME: &str =
    "come to what another test here shows, through code that the tests here reach";

/// Chooses among the tests of a run, one after the other.
pub(crate) struct Telling<'a> {
    bugs: &'a [Bug<'a>],
    outcomes: BTreeSet<String>,
    names: BTreeMap<String, u32>,
    left: BTreeMap<&'static str, usize>,
}

impl<'a> Telling<'a> {
    pub(crate) fn new(bugs: &'a [Bug<'a>]) -> Telling<'a> {
        Telling {
            bugs,
            outcomes: BTreeSet::new(),
            names: BTreeMap::new(),
            left: BTreeMap::new(),
        }
    }

    /// The source of a test, if it tells something that those before it do not; `make` has it, or the reason why there is none.
    pub(crate) fn choose<T>(
        &mut self,
        test: &TestCase,
        outcome: &str,
        make: impl FnOnce() -> Result<T, &'static str>,
    ) -> Option<T> {
        if self.repeats(test) {
            self.leave_out(REPEATS);
            return None;
        }
        let is_new = !self.outcomes.contains(outcome) || test.covered_new || test.error.is_some();
        match make() {
            Ok(_) if !is_new => self.leave_out(SAME),
            Ok(made) => {
                self.outcomes.insert(outcome.to_string());
                return Some(made);
            }
            Err(why) => self.leave_out(why),
        }
        None
    }

    fn leave_out(&mut self, why: &'static str) {
        *self.left.entry(why).or_default() += 1;
    }

    /// Does the test show a bug that another one is here for?
    fn repeats(&self, test: &TestCase) -> bool {
        let bug = test.error.as_ref().and_then(|e| self.bug(e));
        // A bug without a test is shown by all.
        bug.is_some_and(|b| !b.shown().test.is_empty() && b.shown().test != test_name(test.id))
    }

    /// The bug of an error.
    pub(crate) fn bug(&self, error: &ErrorRecord) -> Option<&'a Bug<'a>> {
        bug_of(error, self.bugs)
    }

    /// A name that no test before it has: of several with one name each later one has a number.
    pub(crate) fn unique(&mut self, name: String) -> String {
        let same = self.names.entry(name.clone()).or_insert(0);
        *same += 1;
        match *same {
            1 => name,
            n => format!("{name}_{n}"),
        }
    }

    /// The reasons why tests were left out, each with their number.
    pub(crate) fn left_out(&self) -> impl Iterator<Item = (&'static str, usize)> + '_ {
        self.left.iter().map(|(why, n)| (*why, *n))
    }
}

/// The bug of an error among these.
pub(crate) fn bug_of<'a>(error: &ErrorRecord, bugs: &'a [Bug<'a>]) -> Option<&'a Bug<'a>> {
    let has = |is_it: fn(&ErrorRecord, &ErrorRecord) -> bool| {
        let mut bugs = bugs.iter();
        bugs.find(|b| b.stacks.iter().any(|e| is_it(e, error)))
    };
    has(ErrorRecord::is).or_else(|| has(ErrorRecord::is_bug_of))
}
