//! batsat behind [`SatBackend`].
//!
//! Its conflict budget is private, so the callbacks count learnt clauses and ask the search to
//! stop; the clock is read at every 256th conflict and every 1024th decision.

use super::{Lit, Recorder, SatBackend, SatLimits, SatResult};
use batsat::theory::EmptyTheory;
use batsat::{Callbacks, ClauseKind, Solver, SolverInterface, Theory, TheoryArg, Var, lbool};
use linear::Deadline;
use std::cell::Cell;
use std::rc::Rc;

struct Limits {
    conflicts: u64,
    stop_at: u64,
    deadline: Option<Deadline>,
    late: Cell<bool>,
    /// Times that the search asked whether to stop.
    asked: Cell<u64>,
    /// A theory wants the search to end.
    interrupt: Rc<Cell<bool>>,
}

impl Callbacks for Limits {
    fn on_new_clause(&mut self, _clause: &[batsat::Lit], kind: ClauseKind) {
        if kind == ClauseKind::Learnt {
            self.conflicts += 1;
            if self.conflicts & 255 == 0 {
                self.look_at_clock();
            }
        }
    }

    fn on_restart(&mut self) {
        self.look_at_clock();
    }

    fn stop(&self) -> bool {
        // Asked before each decision; a large circuit takes seconds with few conflicts.
        self.asked.set(self.asked.get() + 1);
        if self.asked.get() & 1023 == 0 {
            self.look_at_clock();
        }
        self.late.get() || self.interrupt.get() || self.conflicts >= self.stop_at
    }
}

impl Limits {
    fn look_at_clock(&self) {
        if self.deadline.is_some_and(|end| end.is_past()) {
            self.late.set(true);
        }
    }
}

/// One batsat instance.
pub struct Batsat {
    solver: Solver<Limits>,
    vars: Vec<Var>,
    /// The value that decisions give new variables.
    preference: lbool,
    scratch: Vec<batsat::Lit>,
}

impl Default for Batsat {
    fn default() -> Batsat {
        Batsat::new()
    }
}

impl Batsat {
    /// An empty solver.
    pub fn new() -> Batsat {
        let limits = Limits {
            conflicts: 0,
            stop_at: u64::MAX,
            deadline: None,
            late: Cell::new(false),
            asked: Cell::new(0),
            interrupt: Rc::new(Cell::new(false)),
        };
        Batsat {
            solver: Solver::new(Default::default(), limits),
            vars: Vec::new(),
            preference: lbool::UNDEF,
            scratch: Vec::new(),
        }
    }

    /// The value that decisions always give the variables made from now on; `None`: the last one.
    pub fn prefer(&mut self, value: Option<bool>) {
        self.preference = value.map_or(lbool::UNDEF, lbool::from);
    }

    /// Number of variables.
    pub fn variables(&self) -> u32 {
        self.vars.len() as u32
    }

    /// Ends the search when it is set.
    pub fn interrupt(&self) -> Rc<Cell<bool>> {
        self.solver.cb().interrupt.clone()
    }

    /// batsat's own literal.
    pub fn external(&self, lit: Lit) -> batsat::Lit {
        batsat::Lit::new(self.vars[lit.var() as usize - 1], !lit.is_negated())
    }
}

impl SatBackend for Batsat {
    fn new_var(&mut self) -> u32 {
        let var = self.solver.new_var(self.preference, true);
        self.vars.push(var);
        self.vars.len() as u32
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        scratch.extend(clause.iter().map(|&l| self.external(l)));
        self.solver.add_clause_reuse(&mut scratch);
        self.scratch = scratch;
    }

    fn solve(&mut self, assumptions: &[Lit], limits: &SatLimits) -> SatResult {
        self.run(&mut EmptyTheory::new(), assumptions, limits)
    }

    fn solve_watched(
        &mut self,
        assumptions: &[Lit],
        limits: &SatLimits,
        recorder: &mut Recorder,
    ) -> SatResult {
        let positions = recorder.positions(|l| self.external(l).var().idx() as usize);
        let mut watch = Watch {
            positions,
            recorder,
            seen: 0,
            marks: Vec::new(),
        };
        self.run(&mut watch, assumptions, limits)
    }

    fn value(&mut self, lit: Lit) -> bool {
        self.solver.value_lit(self.external(lit)) == lbool::TRUE
    }

    fn failed(&mut self, lit: Lit) -> bool {
        // batsat's core is a clause: the negations of the assumptions it used.
        let lit = self.external(lit);
        self.solver.unsat_core_contains_lit(lit) || self.solver.unsat_core_contains_lit(!lit)
    }

    fn conflicts(&self) -> u64 {
        self.solver.cb().conflicts
    }
}

impl Batsat {
    /// Decides the clauses with a theory.
    pub fn run(
        &mut self,
        theory: &mut impl Theory,
        assumptions: &[Lit],
        limits: &SatLimits,
    ) -> SatResult {
        let callbacks = self.solver.cb_mut();
        callbacks.stop_at = callbacks.conflicts.saturating_add(limits.conflicts);
        callbacks.deadline = limits.deadline;
        callbacks.late.set(false);
        let assumptions: Vec<_> = assumptions.iter().map(|&l| self.external(l)).collect();
        let result = self.solver.solve_limited_th(theory, &assumptions);
        if result == lbool::TRUE {
            SatResult::Sat
        } else if result == lbool::FALSE {
            SatResult::Unsat
        } else if self.solver.cb().late.get() {
            SatResult::OutOfTime
        } else {
            SatResult::OutOfConflicts
        }
    }
}

/// A theory without opinions that sees the trail.
struct Watch<'r> {
    recorder: &'r mut Recorder,
    positions: Vec<u32>,
    /// Literals of the trail that were recorded.
    seen: usize,
    marks: Vec<usize>,
}

impl Theory for Watch<'_> {
    fn partial_check(&mut self, acts: &mut TheoryArg) {
        let trail = acts.model();
        for lit in trail.get(self.seen..).unwrap_or_default() {
            if let Some(&position) = self.positions.get(lit.var().idx() as usize) {
                self.recorder.assign(position, lit.sign());
            }
        }
        self.seen = trail.len();
    }

    fn final_check(&mut self, _: &mut TheoryArg) {}

    fn create_level(&mut self) {
        self.marks.push(self.seen);
    }

    fn pop_levels(&mut self, n: usize) {
        if n == 0 {
            return;
        }
        self.recorder.backtrack();
        self.marks.truncate(self.marks.len().saturating_sub(n - 1));
        self.seen = self.marks.pop().unwrap_or(0);
    }

    fn n_levels(&self) -> usize {
        self.marks.len()
    }

    fn explain_propagation(&mut self, _: batsat::Lit) -> &[batsat::Lit] {
        unreachable!("nothing is propagated here")
    }
}
