//! Linear integer arithmetic under batsat's search: CDCL(T).
//!
//! Literals become bounds as they come onto the trail; after each round of Boolean propagation the
//! simplex looks for rational values, and when every atom has a value the integer layer looks for
//! integers. Conflicts are the negations of the literals whose bounds take part. Levels follow
//! the SAT solver's.

use super::encode::Atom;
use batsat::{Lit, TheoryArg};
use linear::{Integers, Observer, Rational, Side, Ticks, Verdict};
use std::cell::Cell;
use std::rc::Rc;

/// Share of the budget that one final check may use.
const SHARE: u64 = 8;

/// The state of the theory during a search.
pub(super) struct Theory<'o> {
    problem: Integers,
    atoms: Vec<Option<Atom>>,
    observer: &'o mut dyn Observer,
    ticks: Ticks,
    share: u64,
    /// Trail literals already asserted.
    done: usize,
    marks: Vec<usize>,
    /// Set when the budget is used up: the search stops.
    stop: Rc<Cell<bool>>,
    /// Some candidate was dropped undecided: "unsatisfiable" is not known any more.
    pub incomplete: bool,
    /// Values of the last candidate that integers satisfy.
    pub solution: Option<Vec<Rational>>,
    clause: Vec<Lit>,
}

impl<'o> Theory<'o> {
    pub fn new(
        problem: Integers,
        atoms: Vec<Option<Atom>>,
        observer: &'o mut dyn Observer,
        ticks: Ticks,
        stop: Rc<Cell<bool>>,
    ) -> Theory<'o> {
        Theory {
            problem,
            atoms,
            observer,
            share: (ticks.left() / SHARE).max(1000),
            ticks,
            done: 0,
            marks: Vec::new(),
            stop,
            incomplete: false,
            solution: None,
            clause: Vec::new(),
        }
    }

    /// Pivots made so far.
    pub fn pivots(&self) -> u64 {
        self.problem.simplex().stats.pivots
    }

    /// Asserts the bounds of new trail literals. `Err`: codes of literals that conflict.
    fn assert_new(&mut self, trail: &[Lit]) -> Result<bool, Vec<u32>> {
        let mut changed = false;
        while let Some(&lit) = trail.get(self.done) {
            self.done += 1;
            let Some(Atom { var, bound }) = atom(&self.atoms, lit) else {
                continue;
            };
            changed = true;
            if lit.sign() {
                self.problem.assert(*var, Side::Upper, bound, lit.idx())?;
            } else {
                let bound = bound + &Rational::ONE;
                self.problem.assert(*var, Side::Lower, &bound, lit.idx())?;
            }
        }
        Ok(changed)
    }

    fn raise(&mut self, acts: &mut TheoryArg, core: Vec<u32>, costly: bool) {
        self.clause.clear();
        let lits = core.into_iter().map(|code| {
            let var = sat_var(code);
            Lit::new(var, code & 1 != 0)
        });
        self.clause.extend(lits);
        acts.raise_conflict(&self.clause, costly);
    }

    fn rational_check(&mut self, acts: &mut TheoryArg) -> bool {
        let trail: Vec<Lit> = acts.model()[self.done..].to_vec();
        let base = self.done;
        self.done = 0;
        let asserted = self.assert_new(&trail);
        self.done += base;
        let outcome = match asserted {
            Ok(false) => return true,
            Ok(true) => self
                .problem
                .check_relaxation(&mut self.ticks, self.observer),
            Err(core) => Err(core),
        };
        match outcome {
            Ok(true) => true,
            Ok(false) => {
                self.stop.set(true);
                true
            }
            Err(core) => {
                self.raise(acts, core, false);
                false
            }
        }
    }
}

/// What a literal of the SAT solver says; atoms are numbered as our variables are, from 1.
fn atom(atoms: &[Option<Atom>], lit: Lit) -> Option<&Atom> {
    atoms.get(lit.var().idx() as usize + 1)?.as_ref()
}

/// The variable of a literal's code.
fn sat_var(code: u32) -> batsat::Var {
    batsat::Var::unsafe_from_idx(code >> 1)
}

impl batsat::Theory for Theory<'_> {
    fn partial_check(&mut self, acts: &mut TheoryArg) {
        if !self.stop.get() {
            self.rational_check(acts);
        }
    }

    fn final_check(&mut self, acts: &mut TheoryArg) {
        self.solution = None;
        if self.stop.get() || !self.rational_check(acts) || self.stop.get() {
            return;
        }
        let mut ticks = self.ticks.part(self.share);
        let verdict = self.problem.solve(&mut ticks, self.observer);
        if !self.ticks.spend(ticks.spent()) {
            self.stop.set(true);
        }
        match verdict {
            Verdict::Sat => self.solution = Some(self.problem.solution().to_vec()),
            Verdict::Unsat(core) => self.raise(acts, core, true),
            Verdict::OutOfTicks if self.stop.get() => {}
            Verdict::OutOfTicks => {
                // Look elsewhere: this candidate stays undecided.
                self.incomplete = true;
                let trail = acts.model().iter();
                let asserted = trail.filter(|&&l| atom(&self.atoms, l).is_some());
                let codes = asserted.map(Lit::idx).collect();
                self.raise(acts, codes, false);
            }
        }
    }

    fn create_level(&mut self) {
        self.problem.push();
        self.marks.push(self.done);
    }

    fn pop_levels(&mut self, n: usize) {
        for _ in 0..n {
            self.problem.pop();
            self.done = self.marks.pop().expect("as many levels as were made");
        }
    }

    fn n_levels(&self) -> usize {
        self.marks.len()
    }

    fn explain_propagation(&mut self, _: Lit) -> &[Lit] {
        unreachable!("the theory propagates nothing by itself")
    }
}
