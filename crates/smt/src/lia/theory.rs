//! Linear integer arithmetic under batsat's search: CDCL(T).
//!
//! Literals become bounds as they come onto the trail; after each round of Boolean propagation, and when intervals imply no
//! further atom (`propagator.rs`), the simplex looks for rational values, and when every atom has a value the integer layer looks for
//! integers. Conflicts are the negations of the literals whose bounds take part. Levels follow
//! the SAT solver's.

use super::encode::Atom;
use super::propagator::Propagator;
use super::trails::Trails;
use batsat::{Lit, TheoryArg};
use linear::{IntegerVerdict, Integers, Observer, Rational, Side, Ticks, Var};
use std::cell::Cell;
use std::rc::Rc;

/// Share of the budget that one final check may use.
const SHARE: u64 = 8;

/// The state of the theory during a search.
pub(super) struct Theory<'o> {
    problem: Integers,
    /// `None` if a receiver watches the simplex.
    propagator: Option<Propagator>,
    atoms: Vec<Option<Atom>>,
    observer: &'o mut dyn Observer,
    /// What the search tries, if somebody wants to know.
    pub trails: Option<Trails>,
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
        let is_watched = observer.is_watching();
        let propagator = (!is_watched).then(|| Propagator::new(problem.simplex(), &atoms));
        Theory {
            problem,
            propagator,
            atoms,
            observer,
            trails: None,
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

    /// Adds bounds that hold always because the literal with a code does. `false`: they contradict each other.
    pub fn fix(&mut self, bounds: &[(Var, Side, Rational)], truth: u32) -> bool {
        let mut bounds_of = bounds.iter();
        let hold = bounds_of.all(|(v, side, value)| {
            let asserted = self.problem.assert(*v, *side, value, truth);
            asserted.is_ok()
        });
        if let Some(propagator) = &mut self.propagator
            && hold
        {
            propagator.fix(bounds, truth);
        }
        hold
    }

    /// Atoms that bounds implied.
    pub fn propagations(&self) -> u64 {
        self.propagator.as_ref().map_or(0, |p| p.told_literals)
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
            if let Some((v, side, value)) = atom(&self.atoms, lit) {
                changed = true;
                self.problem.assert(v, side, &value, lit.idx())?;
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

    /// Propagates atoms by intervals. `false`: a conflict, or atoms that the SAT solver has to propagate first.
    fn propagate(&mut self, acts: &mut TheoryArg) -> bool {
        let Some(propagator) = &mut self.propagator else {
            return true;
        };
        let simplex = self.problem.simplex();
        match propagator.propagate(acts, &self.atoms, simplex, &mut self.ticks) {
            Ok(told) => !told,
            Err(core) => {
                self.raise(acts, core, false);
                false
            }
        }
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

/// The bound that a literal of the SAT solver says, if it is needed; atoms are numbered as our variables are, from 1.
pub(super) fn atom(atoms: &[Option<Atom>], lit: Lit) -> Option<(Var, Side, Rational)> {
    let Atom { var, bound, needed } = atoms.get(lit.var().idx() as usize + 1)?.as_ref()?;
    needed[!lit.sign() as usize].then(|| {
        if lit.sign() {
            (*var, Side::Upper, bound.clone())
        } else {
            (*var, Side::Lower, bound + &Rational::ONE)
        }
    })
}

/// The variable of a literal's code.
pub(super) fn sat_var(code: u32) -> batsat::Var {
    batsat::Var::unsafe_from_idx(code >> 1)
}

impl batsat::Theory for Theory<'_> {
    fn partial_check(&mut self, acts: &mut TheoryArg) {
        if let Some(trails) = &mut self.trails {
            trails.look_at(acts.model());
        }
        if !self.stop.get() && self.propagate(acts) {
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
            IntegerVerdict::Sat => self.solution = Some(self.problem.solution().to_vec()),
            IntegerVerdict::Unsat(core) => self.raise(acts, core, true),
            IntegerVerdict::OutOfTicks if self.stop.get() => {}
            IntegerVerdict::OutOfTicks => {
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
        self.propagator.iter_mut().for_each(Propagator::push);
        self.trails.iter_mut().for_each(Trails::push);
        self.marks.push(self.done);
    }

    fn pop_levels(&mut self, n: usize) {
        if let Some(trails) = &mut self.trails {
            trails.backtrack(n, self.problem.simplex());
        }
        for _ in 0..n {
            self.problem.pop();
            self.propagator.iter_mut().for_each(Propagator::pop);
            self.done = self.marks.pop().expect("as many levels as were made");
        }
    }

    fn n_levels(&self) -> usize {
        self.marks.len()
    }

    fn explain_propagation(&mut self, lit: Lit) -> &[Lit] {
        match &mut self.propagator {
            Some(propagator) => propagator.explain(lit, self.problem.simplex()),
            None => unreachable!("nothing was propagated"),
        }
    }
}
