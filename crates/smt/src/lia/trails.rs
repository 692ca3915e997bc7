//! Trails of the Boolean search under CDCL(T) as trials ("Multiplex symbolic execution", section 3.5: "as in the CDCL
//! framework", beside those of the theory's solver).
//!
//! Each time that the search backtracks, what it had is a partial assignment: atoms and bits on the trail, and the values of
//! the simplex, which satisfy the atoms unless these were the conflict. Bits that the trail leaves out have their last value,
//! or that of the start; integers are rounded within their bounds. Searches are sampled as those of the bit-blaster are
//! ([`Recorder`]).

use batsat::Lit as TrailLit;
use linear::{Rational, Simplex, Var};
use solver::sat::{Lit, Recorder};
use solver::theory::nearest;

/// Notes assignments during a search.
pub(super) struct Trails {
    recorder: Recorder,
    /// Literals of the trail that were noted, and how many there were at the beginning of each level.
    seen: usize,
    marks: Vec<usize>,
    symbols: Vec<Var>,
    /// Values of the symbols, for each assignment of the recorder.
    numbers: Vec<Vec<Rational>>,
}

impl Trails {
    /// For so many variables of the SAT solver, and some integers. `start` has the first values of literals.
    pub fn new(variables: u32, start: &[(Lit, bool)], symbols: Vec<Var>) -> Trails {
        let mut phases = vec![false; variables as usize];
        for &(lit, value) in start {
            phases[lit.var() as usize - 1] = value != lit.is_negated();
        }
        let inputs = (1..=variables).map(Lit::positive).collect();
        Trails {
            recorder: Recorder::new(inputs, phases),
            seen: 0,
            marks: Vec::new(),
            symbols,
            numbers: Vec::new(),
        }
    }

    /// The trail has become longer.
    pub fn look_at(&mut self, trail: &[TrailLit]) {
        for lit in trail.iter().skip(self.seen) {
            self.recorder.assign(lit.var().idx(), lit.sign());
        }
        self.seen = trail.len();
    }

    /// A level begins.
    pub fn push(&mut self) {
        self.marks.push(self.seen);
    }

    /// The search gives levels up.
    pub fn backtrack(&mut self, levels: usize, simplex: &Simplex) {
        if levels == 0 {
            return;
        }
        self.recorder.backtrack();
        if self.recorder.tried.len() > self.numbers.len() {
            let values = self.symbols.iter().map(|&v| nearest(simplex, v));
            self.numbers.push(values.collect());
        }
        self.marks.truncate(self.marks.len() + 1 - levels);
        self.seen = self.marks.pop().unwrap_or(0);
    }

    /// The assignments in the order of the search: of the variables of the SAT solver, and of the integers.
    pub fn assignments(&self) -> impl Iterator<Item = (&[bool], &[Rational])> {
        let phases = self.recorder.tried.iter().map(Vec::as_slice);
        phases.zip(self.numbers.iter().map(Vec::as_slice))
    }
}

/// The value of a literal in an assignment; literals that came later are false.
pub(super) fn value(phases: &[bool], lit: Lit) -> bool {
    let phase = phases.get(lit.var() as usize - 1);
    phase.is_some_and(|&phase| phase != lit.is_negated())
}
