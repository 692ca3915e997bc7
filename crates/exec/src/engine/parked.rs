//! Sides of branches, and questions about exceptions of floats, that the solver could not decide: they wait until
//! nothing else is left, or, if they are sides, until the solver comes across a model of them.

use super::Engine;
use crate::machine::Machine;
use crate::pile::Waiting;
use crate::prefix::Prefix;
use crate::simulation::Kept;
use crate::turn::{OpenCheck, Parked};
use explore::Sink;
use solver::{Budget, NoTrials, Outcome, Why};

/// Parked sides kept as states; the others wait as prefixes, which are followed when these have been asked.
const MAX_PARKED: usize = 1000;
/// Time for a parked query at its last retry, as a multiple of the usual budget.
const RETRY_FACTOR: f64 = 4.0;

/// More effort for the next attempt; at the last one, time limits it. Returns whether there is another one.
fn grow(budget: &mut Budget, effort: &mut u64) -> bool {
    let next = Budget::next_effort(*effort);
    if let Some(next) = next {
        *effort = next;
        budget.effort = next;
    } else {
        budget.seconds *= RETRY_FACTOR;
        budget.conflicts = budget.conflicts.saturating_mul(RETRY_FACTOR as u64);
    }
    next.is_some()
}

/// What the solver says of a parked side that it is asked for once more.
pub(super) enum AskedAgain {
    /// It has a witness now.
    Lives,
    /// It stays parked.
    Open,
    /// It is infeasible, is left to simulation, or stays counted as parked for good.
    Closed,
}

impl Engine {
    /// Sets a side aside.
    pub(super) fn park(&mut self, side: Parked) {
        if self.worker.machine.was_parked(&side.state) {
            return;
        }
        self.worker.counters.park(side.why.name(), 1);
        if self.parked.len() < MAX_PARKED {
            self.parked.push(side);
        } else if !self.leave_to_simulation(&side) {
            let effort = Some((side.why, side.effort));
            let waiting = Waiting::of(&self.worker.machine, &Prefix::of(&side.state), effort);
            // What there is no room for stays counted as parked.
            self.spilled.keep(waiting, &mut self.shared);
        }
    }

    /// Gives up a side if its path is simulated later; returns whether it is.
    pub(super) fn leave_to_simulation(&mut self, side: &Parked) -> bool {
        let starts = &mut self.worker.machine.observers.simulation.starts;
        let left = side.then_simulated && starts.note_parked(&side.state);
        if left {
            self.worker.counters.unpark(side.why.name(), 1);
            self.worker.counters.park(Why::Float.name(), 1);
        }
        left
    }

    /// Gives parked sides another chance with a larger budget, when nothing else is left to run.
    /// Returns whether it is worth going on.
    pub(super) fn retry_parked(&mut self) -> bool {
        let mut go_on = false;
        for mut p in std::mem::take(&mut self.parked) {
            if self.worker.machine.stop().is_set() {
                self.parked.push(p);
                go_on = true;
                continue;
            }
            match self.ask_again(&mut p) {
                AskedAgain::Lives => {
                    self.unpark(p);
                    go_on = true;
                }
                AskedAgain::Open => {
                    self.parked.push(p);
                    go_on = true;
                }
                AskedAgain::Closed => {}
            }
        }
        go_on
    }

    /// Asks for a parked side with more effort than before.
    pub(super) fn ask_again(&mut self, p: &mut Parked) -> AskedAgain {
        // A clock would decide the last attempts.
        let repeats = self.worker.limits.budget.is_some();
        let m = &mut self.worker.machine;
        m.works_on(p.state.lease.key());
        let mut budget = m.options.budget;
        let is_last = !grow(&mut budget, &mut p.effort);
        if repeats && (is_last || p.effort > explore::Budget::MOST_EFFORT) {
            return AskedAgain::Closed;
        }
        let is_enough = is_last || p.effort >= Budget::float_effort(m.options.first_effort);
        let outcome =
            m.reason
                .solver
                .solve(&mut m.reason.pool, &p.state.path, &budget, &mut NoTrials);
        match outcome {
            Outcome::Sat(model) => {
                p.state.witness = model;
                AskedAgain::Lives
            }
            Outcome::Unsat(_) => {
                self.worker.counters.unpark(p.why.name(), 1);
                AskedAgain::Closed
            }
            Outcome::Unknown(_) if is_enough && self.leave_to_simulation(p) => AskedAgain::Closed,
            Outcome::Unknown(_) if is_last => AskedAgain::Closed,
            Outcome::Unknown(_) => {
                // Who goes on with it need not try in vain what was tried.
                p.state.lease.moved_on();
                AskedAgain::Open
            }
        }
    }

    /// Keeps a question about an exception of floats.
    pub(super) fn keep_check(&mut self, check: OpenCheck) {
        if self.open_checks.len() < MAX_PARKED {
            self.open_checks.push(check);
        } else {
            self.worker.machine.observers.float_checks.give_up(&check);
        }
    }

    /// Asks them again with a larger budget, when nothing else is left to run. Returns whether it is worth going on.
    pub(super) fn retry_checks(&mut self, sink: &mut dyn Sink) -> bool {
        for mut check in std::mem::take(&mut self.open_checks) {
            let m = &mut self.worker.machine;
            if m.stop().is_set() {
                self.open_checks.push(check);
                continue;
            }
            if m.observers.float_checks.is_answered(&check) {
                m.observers.float_checks.decide(&check, true);
                continue;
            }
            let mut budget = m.options.budget;
            let is_last = !grow(&mut budget, &mut check.effort);
            let repeats = self.worker.limits.budget.is_some();
            if repeats && (is_last || check.effort > explore::Budget::MOST_EFFORT) {
                m.observers.float_checks.give_up(&check);
                continue;
            }
            let path = &check.state.path;
            match m
                .reason
                .solver
                .solve(&mut m.reason.pool, path, &budget, &mut NoTrials)
            {
                Outcome::Sat(model) => {
                    m.observers.float_checks.decide(&check, true);
                    check.state.witness = model;
                    self.worker.tell_error(&check.state, check.error, sink);
                }
                Outcome::Unsat(_) => m.observers.float_checks.decide(&check, false),
                Outcome::Unknown(_) if is_last => m.observers.float_checks.give_up(&check),
                Outcome::Unknown(_) => self.open_checks.push(check),
            }
        }
        !self.open_checks.is_empty()
    }

    /// Lets parked sides go on of which the solver has tried a model meanwhile.
    pub(super) fn rescue(&mut self) {
        let Machine {
            decider, reason, ..
        } = &mut self.worker.machine;
        let Some(fork) = decider.fork() else {
            return;
        };
        for p in fork.rescue(reason, &mut self.parked) {
            self.worker.counters.rescued += 1;
            self.unpark(p);
        }
    }

    /// A side that has a witness now.
    pub(super) fn unpark(&mut self, mut side: Parked) {
        self.worker.counters.unpark(side.why.name(), 1);
        side.state.lease.moved_on();
        self.add(side.state, None);
    }

    /// Lets the paths on which sides were parked because of floats go on from their first float, with simulation: at
    /// once, or when they have been rebuilt. Returns whether there are any.
    pub(super) fn simulate_floats(&mut self) -> bool {
        let starts = self.worker.machine.observers.simulation.starts.take();
        self.spilled.float_starts = 0;
        let any = !starts.is_empty();
        for (start, parked) in starts {
            self.worker.counters.unpark(Why::Float.name(), parked);
            self.worker.machine.stats.float_restarts += 1;
            match start {
                Kept::State(state) => self.add(state, None),
                Kept::Prefix(prefix) => {
                    self.worker.counters.spilled += 1;
                    let waiting = Waiting::of(&self.worker.machine, &prefix, None);
                    self.spilled.put_back(waiting, &mut self.shared);
                }
            }
        }
        any
    }
}
