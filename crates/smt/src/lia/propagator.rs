//! Theory propagation: atoms that the bounds of the trail imply by intervals are propagated to the SAT solver before
//! it decides them (Dutertre and de Moura 2006, section 5.2). Explanations are made when conflict analysis asks.
//!
//! Only the strongest atom of each bound is propagated; weaker ones of the variable follow from the clauses that order
//! them.

use super::encode::Atom;
use super::theory::{atom, sat_var};
use batsat::{Lit, TheoryArg, lbool};
use linear::{Implied, Needed, Rational, Side, Simplex, Ticks, Var};
use rustc_hash::FxHashMap;

/// Implied bounds, and what the SAT solver knows of them.
pub(super) struct Propagator {
    implied: Implied,
    /// Trail literals whose bounds are asserted.
    done: usize,
    marks: Vec<usize>,
    /// Bounds whose atoms the SAT solver knows.
    told: usize,
    /// The atoms of a variable by bound.
    atoms_of: Vec<Vec<(i64, Lit)>>,
    /// Why literals were propagated, by code; those of the trail are right.
    why: FxHashMap<u32, Needed>,
    explanation: Vec<Lit>,
    /// Propagated literals.
    pub told_literals: u64,
}

impl Propagator {
    /// For the definitions of a simplex, and atoms by SAT variable.
    pub fn new(simplex: &Simplex, atoms: &[Option<Atom>]) -> Propagator {
        let mut atoms_of: Vec<Vec<(i64, Lit)>> = vec![Vec::new(); simplex.vars()];
        for (i, atom) in atoms.iter().enumerate() {
            if let Some(atom) = atom
                && let Some(bound) = atom.bound.to_i64()
            {
                // Numbered as our variables are, from 1.
                let lit = Lit::new(batsat::Var::unsafe_from_idx(i as u32 - 1), true);
                atoms_of[atom.var.at()].push((bound, lit));
            }
        }
        atoms_of.iter_mut().for_each(|all| all.sort_unstable());
        Propagator {
            implied: Implied::new(simplex),
            done: 0,
            marks: Vec::new(),
            told: 0,
            atoms_of,
            why: FxHashMap::default(),
            explanation: Vec::new(),
            told_literals: 0,
        }
    }

    /// Adds bounds that hold always because the literal with a code does. They are not contradictory.
    pub fn fix(&mut self, bounds: &[(Var, Side, Rational)], truth: u32) {
        for (v, side, value) in bounds {
            let asserted = self.implied.assert(*v, *side, value, truth);
            debug_assert!(asserted.is_ok());
        }
    }

    /// A new level.
    pub fn push(&mut self) {
        self.implied.push();
        self.marks.push(self.done);
    }

    /// Undoes the latest level.
    pub fn pop(&mut self) {
        self.implied.pop();
        self.told = self.told.min(self.implied.len());
        self.done = self.marks.pop().expect("as many levels as were made");
    }

    /// Tells the SAT solver what the trail implies; gives whether it did not know something. `Err`: codes of literals that
    /// conflict.
    pub fn propagate(
        &mut self,
        acts: &mut TheoryArg,
        atoms: &[Option<Atom>],
        simplex: &Simplex,
        ticks: &mut Ticks,
    ) -> Result<bool, Vec<u32>> {
        let mut result = Ok(());
        while result.is_ok()
            && let Some(&lit) = acts.model().get(self.done)
        {
            self.done += 1;
            if let Some((v, side, value)) = atom(atoms, lit) {
                result = self.implied.assert(v, side, &value, lit.idx());
            }
        }
        let result = result.and_then(|()| self.implied.propagate(ticks));
        result.map_err(|clash| {
            debug_assert!(self.implied.is_proved(simplex, &clash));
            self.implied.reasons(&clash)
        })?;
        let before = self.told_literals;
        for at in std::mem::replace(&mut self.told, self.implied.len())..self.implied.len() {
            // What is false says nothing, or the two bounds clash above.
            if let Some((lit, value)) = self.strongest(at)
                && acts.value(lit.var()) == lbool::UNDEF
            {
                self.why.insert(lit.idx(), self.implied.needed(at, value));
                self.told_literals += 1;
                acts.propagate(lit);
            }
        }
        Ok(self.told_literals > before)
    }

    /// The strongest atom that a bound implies, as a literal, and the bound that the literal says.
    fn strongest(&self, at: usize) -> Option<(Lit, i64)> {
        let (v, side, value) = self.implied.bound(at);
        let atoms = &self.atoms_of[v.at()];
        let next = atoms.partition_point(|(bound, _)| *bound < value);
        match side {
            Side::Upper => atoms.get(next).map(|&(bound, lit)| (lit, bound)),
            Side::Lower => {
                let (bound, lit) = atoms[next.checked_sub(1)?];
                Some((!lit, bound + 1))
            }
        }
    }

    /// The literals that imply a propagated one.
    pub fn explain(&mut self, lit: Lit, simplex: &Simplex) -> &[Lit] {
        let needed = [self.why[&lit.idx()]];
        debug_assert!(self.implied.is_proved(simplex, &needed));
        let codes = self.implied.reasons(&needed).into_iter();
        self.explanation.clear();
        let lits = codes.map(|code| Lit::new(sat_var(code), code & 1 == 0));
        self.explanation.extend(lits);
        &self.explanation
    }
}
