//! Floating-point exceptions that the program's own operations can raise (`--check fp-overflow, ...`).
//!
//! Before each such operation stands an instruction that looks for them. An exception does not end the path: nothing
//! is assumed, and nothing forks. A finding is reported at once, as a copy of the state with an input. Each kind is
//! reported once at a line, and not looked for there any more. Questions that the solver does not decide with little
//! effort wait, as sides of branches do, until nothing else is left to run.

use crate::concrete_float::Bits;
use crate::errors::{ErrorKind, ProgramError};
use crate::float_exceptions::{self, Raiser};
use crate::machine::Machine;
use crate::state::State;
use crate::turn::{LineKey, OpenCheck};
use ir::Val;
use solver::{Ask, Model, Origin, Outcome};
use std::collections::{HashMap, HashSet};
use term::Term;
use vocab::Check;

/// Questions about one kind at one line that are kept at a time, from different paths.
const MAX_WAITING: u32 = 4;

/// Questions about one kind at one line.
#[derive(Default)]
struct Open {
    /// Those that are kept.
    waiting: u32,
    /// Was one of them given up?
    gave_up: bool,
}

/// What is known about the program's lines: findings, and open questions.
#[derive(Default)]
pub(crate) struct FloatChecks {
    found: HashSet<(Check, LineKey)>,
    open: HashMap<(Check, LineKey), Open>,
}

impl FloatChecks {
    /// Kinds and lines that the solver did not decide, and of which no path showed that they can be.
    pub fn undecided(&self) -> u64 {
        let is_open = |open: &Open| open.gave_up || open.waiting > 0;
        let open = self.open.iter().filter(|(_, open)| is_open(open));
        open.filter(|(asked, _)| !self.found.contains(asked))
            .count() as u64
    }

    /// Is the answer no longer of interest?
    pub fn is_answered(&self, check: &OpenCheck) -> bool {
        self.found.contains(&check.asked)
    }

    /// One that was kept is decided.
    pub fn decide(&mut self, check: &OpenCheck, holds: bool) {
        self.open.entry(check.asked).or_default().waiting -= 1;
        if holds {
            self.found.insert(check.asked);
        }
    }

    /// One that was kept stays undecided.
    pub fn give_up(&mut self, check: &OpenCheck) {
        let open = self.open.entry(check.asked).or_default();
        open.waiting -= 1;
        open.gave_up = true;
    }
}

/// The answer to a question.
enum Answer {
    /// With such an input, and under this condition (or always).
    Yes(Option<Term>, Model),
    No,
    Unknown(Term),
}

/// The kind of error of an exception, and its effect on a result.
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
        if self.is_following() {
            return;
        }
        let (widths, _) = op.widths();
        let line = self.float_line(s);
        for &what in op.exceptions() {
            let is_wanted = self.options.checks.has(what);
            if !is_wanted || self.observers.float_checks.found.contains(&(what, line)) {
                continue;
            }
            let bits = |v: Val, w: u32| self.concrete_bits(s, v, w);
            let numbers: Option<Vec<Bits>> = operands
                .iter()
                .zip(widths)
                .map(|(&v, w)| bits(v, w))
                .collect();
            let mode = s.float_control.rounding;
            let answer = match numbers.as_deref() {
                Some(&[a, b, c]) if float_exceptions::raised(what, op, mode, [a, b, c]) => {
                    Answer::Yes(None, s.witness.clone())
                }
                Some(_) => Answer::No,
                None => {
                    let args = [0, 1, 2].map(|i| self.wide_term(s, operands[i], widths[i]));
                    let pool = &mut self.reason.pool;
                    let condition = float_exceptions::condition(pool, what, op, mode, args);
                    self.can_raise(s, condition)
                }
            };
            let (kind, meaning) = error(what);
            let error = ProgramError {
                kind,
                message: format!("{} {meaning}", op.words()),
                pc: s.hot.pc,
                object: None,
            };
            match answer {
                Answer::Yes(condition, input) => {
                    self.observers.float_checks.found.insert((what, line));
                    let mut found = self.raising(s, condition);
                    found.witness = input;
                    self.turn.found.push((found, error));
                }
                Answer::No => {}
                Answer::Unknown(condition) => self.keep_open(s, condition, error, (what, line)),
            }
        }
    }

    /// Has this path an input on which the condition holds?
    fn can_raise(&mut self, s: &mut State, condition: Term) -> Answer {
        match self.reason.pool.as_const(condition) {
            Some(0) => return Answer::No,
            Some(_) => return Answer::Yes(None, s.witness.clone()),
            None if self.eval(s, condition) != 0 => {
                return Answer::Yes(Some(condition), s.witness.clone());
            }
            None => {}
        }
        let before = self.work();
        let budget = solver::Budget {
            effort: self.options.first_effort,
            ..self.options.budget
        };
        let ask = Ask::new(&s.path, &s.witness, &budget);
        let outcome = self
            .reason
            .solver
            .feasible(&mut self.reason.pool, condition, ask);
        self.stats.float_check_queries += 1;
        s.progress.query_cost_s += self.seconds_since(before);
        match outcome {
            Outcome::Sat(model) => Answer::Yes(Some(condition), model),
            Outcome::Unsat(_) => Answer::No,
            Outcome::Unknown(_) => Answer::Unknown(condition),
        }
    }

    /// A copy of the path, on which its operation raises the exception; the path itself goes on.
    fn raising(&mut self, s: &State, condition: Option<Term>) -> Box<State> {
        let mut found = Box::new(s.fork(&mut self.tlb));
        found.progress.covered_new = false;
        if let Some(condition) = condition {
            self.assume(&mut found, condition, Origin::Check);
        }
        found
    }

    /// Keeps an undecided question, if it can be asked again and there are few of its kind.
    fn keep_open(
        &mut self,
        s: &State,
        condition: Term,
        error: ProgramError,
        asked: (Check, LineKey),
    ) {
        let may_wait = self.decider.forks();
        let open = self.observers.float_checks.open.entry(asked).or_default();
        if may_wait && open.waiting < MAX_WAITING {
            open.waiting += 1;
            let state = self.raising(s, Some(condition));
            self.turn.open_checks.push(OpenCheck {
                state,
                error,
                effort: self.options.first_effort,
                asked,
            });
        } else {
            open.gave_up = true;
        }
    }

    fn float_line(&self, s: &State) -> LineKey {
        let at = self.module.location_at(s.hot.pc);
        (at.file, at.line, if at.line == 0 { s.hot.pc } else { 0 })
    }
}
