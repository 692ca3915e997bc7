//! CaDiCaL behind [`SatBackend`].
//!
//! Limits are set anew before each call because CaDiCaL forgets them after one. The terminator is
//! connected only when there is a deadline, and looks at the clock at each of its (rare) calls.
//!
//! A search is watched through IPASIR-UP (Fazekas et al., "IPASIR-UP: User Propagators for CDCL", SAT 2023) with
//! the inputs observed, which costs about a fifth: every second call is. A variable that in-processing has
//! eliminated must not become observed, so inputs are frozen while that cannot have happened yet.

use super::{Lit, Recorder, SatBackend, SatLimits, SatResult};
use cadical_sys::{CaDiCal, ExternalPropagator, Status, Terminator};
use linear::Deadline;
use std::cell::RefCell;
use std::rc::Rc;

struct Until(Deadline);

impl Terminator for Until {
    fn terminated(&mut self) -> bool {
        self.0.is_past()
    }
}

/// Before this many conflicts no variable was eliminated (CaDiCaL's first round comes at 2,000).
const UNTOUCHED: u64 = 1000;
/// One in so many calls is watched.
const WATCHED: u64 = 2;

/// A propagator without opinions that sees the assignments of observed variables.
struct Watch {
    recorder: Rc<RefCell<Recorder>>,
    positions: Vec<u32>,
}

impl ExternalPropagator for Watch {
    fn notify_assignment(&mut self, lits: &[i32]) {
        let mut recorder = self.recorder.borrow_mut();
        for &lit in lits {
            if let Some(&position) = self.positions.get(lit.unsigned_abs() as usize) {
                recorder.assign(position, lit > 0);
            }
        }
    }

    fn notify_new_decision_level(&mut self) {}

    fn notify_backtrack(&mut self, _: usize) {
        self.recorder.borrow_mut().backtrack();
    }

    fn cb_check_found_model(&mut self, _: &[i32]) -> bool {
        true
    }

    fn cb_has_external_clause(&mut self, _: &mut bool) -> bool {
        false
    }

    fn cb_add_external_clause_lit(&mut self) -> i32 {
        0
    }
}

/// One CaDiCaL instance.
pub struct Cadical {
    solver: CaDiCal,
    vars: u32,
    conflicts: u64,
    deadline_connected: bool,
    /// By variable: was it frozen so that it can be watched?
    frozen: Vec<bool>,
    /// Calls that could be watched.
    watchable: u64,
    /// Is a propagator connected?
    is_watched: bool,
}

/// CaDiCaL's literals are signed variable numbers.
fn external(lit: Lit) -> i32 {
    let v = lit.var() as i32;
    if lit.is_negated() { -v } else { v }
}

impl Cadical {
    /// An empty solver.
    pub fn new() -> Cadical {
        let mut solver = CaDiCal::new();
        solver.set("quiet", 1);
        Cadical {
            solver,
            vars: 0,
            conflicts: 0,
            deadline_connected: false,
            frozen: Vec::new(),
            watchable: 0,
            is_watched: false,
        }
    }
}

impl SatBackend for Cadical {
    fn new_var(&mut self) -> u32 {
        self.vars += 1;
        self.vars
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        for &lit in clause {
            self.solver.add(external(lit));
        }
        self.solver.add(0);
    }

    fn solve(&mut self, assumptions: &[Lit], limits: &SatLimits) -> SatResult {
        if std::mem::take(&mut self.is_watched) {
            self.solver.disconnect_external_propagator();
        }
        self.run(assumptions, limits)
    }

    fn solve_watched(
        &mut self,
        assumptions: &[Lit],
        limits: &SatLimits,
        recorder: &mut Recorder,
    ) -> SatResult {
        self.watchable += 1;
        if !self.watchable.is_multiple_of(WATCHED) {
            return self.solve(assumptions, limits);
        }
        let shared = Rc::new(RefCell::new(std::mem::take(recorder)));
        let watch = Watch {
            positions: shared.borrow().positions(|l| l.var() as usize),
            recorder: shared.clone(),
        };
        self.solver.connect_external_propagator(watch);
        let known = self.solver.vars() as usize;
        // Not borrowed meanwhile: a variable that is fixed is notified at once.
        let inputs = shared.borrow().inputs.clone();
        for input in inputs {
            let var = input.var() as usize;
            if var > known {
                continue;
            }
            if self.frozen.len() <= var {
                self.frozen.resize(var + 1, false);
            }
            if !self.frozen[var] && self.conflicts < UNTOUCHED {
                self.solver.freeze(var as i32);
                self.frozen[var] = true;
            }
            if self.frozen[var] {
                self.solver.add_observed_var(var as i32);
            }
        }
        // It stays connected until the next call: disconnecting ends the model.
        self.is_watched = true;
        let result = self.run(assumptions, limits);
        *recorder = shared.take();
        result
    }

    fn value(&mut self, lit: Lit) -> bool {
        let v = lit.var() as i32;
        // A variable that no clause mentions is unknown to CaDiCaL; false is as good as true.
        let value = v <= self.solver.vars() && self.solver.val(v) > 0;
        value != lit.is_negated()
    }

    fn failed(&mut self, lit: Lit) -> bool {
        self.solver.failed(external(lit))
    }

    fn conflicts(&self) -> u64 {
        self.conflicts
    }
}

impl Cadical {
    fn run(&mut self, assumptions: &[Lit], limits: &SatLimits) -> SatResult {
        for &lit in assumptions {
            self.solver.assume(external(lit));
        }
        if limits.conflicts < i32::MAX as u64 {
            self.solver.limit("conflicts", limits.conflicts as i32);
        }
        match limits.deadline {
            Some(end) => {
                self.solver.connect_terminator(Until(end));
                self.deadline_connected = true;
            }
            None if self.deadline_connected => {
                self.solver.disconnect_terminator();
                self.deadline_connected = false;
            }
            None => {}
        }
        let status = self.solver.solve();
        self.conflicts = self.solver.get_statistic_value("conflicts").max(0) as u64;
        match status {
            Status::SATISFIABLE => SatResult::Sat,
            Status::UNSATISFIABLE => SatResult::Unsat,
            _ if limits.deadline.is_some_and(|end| end.is_past()) => SatResult::OutOfTime,
            _ => SatResult::OutOfConflicts,
        }
    }
}
