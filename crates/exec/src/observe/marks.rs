//! The features of a path that learned pruning needs: its core conditions, and the sites that it passed.
//!
//! Both are sets that grow when something is added to the path, and that forks share. Without a pruner no state has any,
//! and the inner loop leaves only at sites that nobody has passed. With one it leaves at sites that *this path* has not
//! passed: it looks at a list with a byte for each site, which is brought up to date for the state that runs next.

use super::core_conditions::CoreConditions;
use crate::machine::Machine;
use crate::state::{Marks, State};
use ir::SiteId;
use std::collections::HashSet;
use term::Term;

/// The marks that all paths share.
pub(crate) struct Marking {
    pub conditions: CoreConditions,
    /// Has the running path passed the site?
    pub passed: Vec<bool>,
    /// The same as [`BitSet::words`](search::homi::BitSet::words).
    words: Vec<u64>,
    /// Sides that were parked, by their identity: where rounds begin anew, they come again.
    parked: HashSet<u64>,
}

impl Marking {
    /// For a program with so many sites.
    pub fn new(sites: usize) -> Marking {
        Marking {
            conditions: CoreConditions::default(),
            passed: vec![false; sites],
            words: vec![0; sites.div_ceil(64)],
            parked: HashSet::new(),
        }
    }

    fn run(&mut self, marks: &Marks) {
        let passed = marks.passed.words().iter().copied();
        let passed = passed.chain(std::iter::repeat(0));
        for (at, (word, now)) in self.words.iter_mut().zip(passed).enumerate() {
            let mut differ = *word ^ now;
            while differ != 0 {
                let bit = differ.trailing_zeros() as usize;
                self.passed[at * 64 + bit] = now >> bit & 1 != 0;
                differ &= differ - 1;
            }
            *word = now;
        }
    }

    fn pass(&mut self, site: SiteId) {
        self.passed[site as usize] = true;
        self.words[site as usize / 64] |= 1 << (site % 64);
    }
}

impl Machine {
    /// This state runs next.
    pub(crate) fn marks_run(&mut self, s: &State) {
        if let (Some(marking), Some(marks)) = (&mut self.observers.marking, &s.marks) {
            marking.run(marks);
        }
    }

    /// The running path passed a site.
    pub(crate) fn mark_site(&mut self, s: &mut State, site: SiteId) {
        if let (Some(marking), Some(marks)) = (&mut self.observers.marking, &mut s.marks) {
            marking.pass(site);
            marks.passed.insert(site);
        }
    }

    /// Did an earlier round park this side? It is counted, and waits, once.
    pub(crate) fn was_parked(&mut self, side: &State) -> bool {
        let marking = self.observers.marking.as_mut();
        marking.is_some_and(|m| !m.parked.insert(side.identity()))
    }

    /// A condition was added to a path. One that a state decides only ahead of the exploration is none of its features yet.
    pub(crate) fn mark_condition(&mut self, s: &mut State, condition: Term) {
        if self.decider.is_ahead() {
            return;
        }
        if let (Some(marking), Some(marks)) = (&mut self.observers.marking, &mut s.marks)
            && let Some(number) = {
                let (pool, solver) = (&self.reason.pool, &mut self.reason.solver);
                let satisfying = || solver.satisfying(pool, condition);
                marking.conditions.number(pool, condition, satisfying)
            }
        {
            marks.conditions.insert(number);
        }
    }
}
