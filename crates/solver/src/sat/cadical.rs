//! CaDiCaL behind [`SatBackend`].
//!
//! Limits are set anew before each call because CaDiCaL forgets them after one. The terminator is
//! connected only when there is a deadline, and looks at the clock at each of its (rare) calls.

use super::{Lit, SatBackend, SatLimits, SatResult};
use cadical_sys::{CaDiCal, Status, Terminator};
use std::time::Instant;

struct Deadline(Instant);

impl Terminator for Deadline {
    fn terminated(&mut self) -> bool {
        Instant::now() >= self.0
    }
}

/// One CaDiCaL instance.
pub struct Cadical {
    solver: CaDiCal,
    vars: u32,
    conflicts: u64,
    deadline_connected: bool,
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
        for &lit in assumptions {
            self.solver.assume(external(lit));
        }
        if limits.conflicts < i32::MAX as u64 {
            self.solver.limit("conflicts", limits.conflicts as i32);
        }
        match limits.deadline {
            Some(end) => {
                self.solver.connect_terminator(Deadline(end));
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
            _ if limits.deadline.is_some_and(|end| Instant::now() >= end) => SatResult::OutOfTime,
            _ => SatResult::OutOfConflicts,
        }
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
