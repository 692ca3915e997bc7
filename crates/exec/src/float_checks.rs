//! Floating-point exceptions that the program's own operations can raise (`--check fp-overflow, ...`).
//!
//! Before each such operation stands an instruction that looks for them. An exception is no end of the path: nothing is
//! assumed, and nothing forks. What is found leaves as a state of its own, which is told at once, with an input. Each
//! kind is found once at a line, and is not asked for there any more.

use crate::concrete_float::Bits;
use crate::errors::{ErrorKind, ProgramError};
use crate::float_exceptions::{self, Raiser};
use crate::machine::Machine;
use crate::state::State;
use ir::Val;
use solver::{Ask, Model, Origin, Outcome};
use std::collections::HashSet;
use term::Term;
use vocab::Check;

/// A line of the program, or where it has none an instruction: (file, line, instruction).
type Line = (u32, u32, u32);

/// What is known of the program's lines.
#[derive(Default)]
pub(crate) struct FloatChecks {
    found: HashSet<(Check, Line)>,
    undecided: HashSet<(Check, Line)>,
}

impl FloatChecks {
    /// Kinds and lines that the solver did not decide, and of which no path showed that they can be.
    pub fn undecided(&self) -> u64 {
        self.undecided.difference(&self.found).count() as u64
    }
}

/// The error that an exception is, and what it means for a result.
fn error(what: Check) -> (ErrorKind, &'static str) {
    match what {
        Check::FpOverflow => (ErrorKind::FpOverflow, "gives a number that is too large"),
        Check::FpUnderflow => (
            ErrorKind::FpUnderflow,
            "gives a number that is so small that it loses digits",
        ),
        Check::FpDiv => (ErrorKind::FpDivZero, "by zero"),
        Check::FpInexact => (ErrorKind::FpInexact, "is rounded"),
        Check::FpNan => (ErrorKind::FpNan, "gives NaN, although no operand is one"),
        Check::FpCast => (ErrorKind::FpCast, "of a number that does not fit"),
        _ => (ErrorKind::FpInvalid, "has no meaning for its operands"),
    }
}

impl Machine {
    /// Looks for the exceptions of an operation on these operands.
    pub(crate) fn check_float(&mut self, s: &mut State, op: Raiser, operands: [Val; 3]) {
        if self.following.is_some() {
            return;
        }
        let (widths, _) = op.widths();
        let line = self.float_line(s);
        for &what in op.exceptions() {
            let is_wanted = self.options.checks.has(what);
            if !is_wanted || self.float_checks.found.contains(&(what, line)) {
                continue;
            }
            let bits = |v: Val, w: u32| self.concrete_bits(s, v, w);
            let numbers: Option<Vec<Bits>> = operands
                .iter()
                .zip(widths)
                .map(|(&v, w)| bits(v, w))
                .collect();
            let mode = s.float_control.rounding;
            let found = match numbers.as_deref() {
                Some(&[a, b, c]) => float_exceptions::raised(what, op, mode, [a, b, c])
                    .then(|| (None, s.witness.clone())),
                _ => {
                    let args = [0, 1, 2].map(|i| self.wide_term(s, operands[i], widths[i]));
                    let pool = &mut self.pool;
                    let condition = float_exceptions::condition(pool, what, op, mode, args);
                    self.input_for(s, condition, (what, line))
                }
            };
            if let Some((condition, input)) = found {
                self.float_checks.found.insert((what, line));
                self.found_exception(s, op, what, condition, input);
            }
        }
    }

    /// An input of this path on which the condition holds, with the condition unless it always does.
    fn input_for(
        &mut self,
        s: &mut State,
        condition: Term,
        asked: (Check, Line),
    ) -> Option<(Option<Term>, Model)> {
        match self.pool.as_const(condition) {
            Some(0) => return None,
            Some(_) => return Some((None, s.witness.clone())),
            None if self.eval(s, condition) != 0 => {
                return Some((Some(condition), s.witness.clone()));
            }
            None => {}
        }
        let before = self.solver.meter.mark();
        let budget = solver::Budget {
            // It is not asked again.
            effort: solver::Budget::float_effort(self.options.first_effort),
            ..self.options.budget
        };
        let ask = Ask::new(&s.path, &s.witness, &budget);
        let outcome = self.solver.feasible(&mut self.pool, condition, ask);
        self.stats.float_check_queries += 1;
        s.progress.query_cost_s += self.solver.meter.seconds_since(before);
        match outcome {
            Outcome::Sat(model) => Some((Some(condition), model)),
            Outcome::Unsat(_) => None,
            Outcome::Unknown(_) => {
                self.float_checks.undecided.insert(asked);
                None
            }
        }
    }

    /// Puts aside what is told of an exception; the path itself goes on.
    fn found_exception(
        &mut self,
        s: &State,
        op: Raiser,
        what: Check,
        condition: Option<Term>,
        input: Model,
    ) {
        let mut found = Box::new(s.fork(&mut self.tlb));
        found.witness = input;
        found.progress.covered_new = false;
        if let Some(condition) = condition {
            self.assume(&mut found, condition, Origin::Check);
        }
        let (kind, meaning) = error(what);
        let error = ProgramError {
            kind,
            message: format!("{} {meaning}", op.words()),
            pc: s.pc,
        };
        self.turn.found.push((found, error));
    }

    fn float_line(&self, s: &State) -> Line {
        let at = self.module.location_at(s.pc);
        (at.file, at.line, if at.line == 0 { s.pc } else { 0 })
    }
}
