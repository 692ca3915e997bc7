//! Decisions on symbolic values: branches, checks, concretization.
//!
//! The side that the state's witness takes continues without a query. Module `policy` decides what happens to the
//! other side.

use crate::endings::{Ending, Loss};
use crate::errors::{ErrorKind, ProgramError, Termination, WrongAccess};
use crate::machine::Machine;
use crate::policy::Sides;
use crate::state::State;
use crate::trail::{Choice, ChoiceKind};
use memory::Value;
use solver::{Ask, Origin, Outcome};
use term::Term;

impl Machine {
    /// The value of a condition or operand under the state's witness.
    pub fn eval(&mut self, s: &State, t: Term) -> u64 {
        self.reason.eval(t, &s.witness)
    }

    /// The bits of a value under the state's witness.
    #[inline]
    pub fn eval_value(&mut self, s: &State, v: Value) -> u64 {
        match v.term {
            Term::NONE => v.bits,
            term => self.eval(s, term),
        }
    }

    /// Decides `cond` (one bit) on this path: returns the side that the witness takes, which the path then
    /// contains. If the other side is feasible it comes back as a state at the same
    /// instruction, its own condition already part of its path.
    pub(crate) fn split(
        &mut self,
        s: &mut State,
        cond: Term,
        origin: Origin,
        kind: ChoiceKind,
    ) -> (bool, Option<Box<State>>) {
        // Whoever can end the path has asked whether the condition may be used.
        let cond = self.without_unwritten(cond);
        let cond = self.with_settled(s, cond);
        if let Some(c) = self.reason.pool.as_const(cond) {
            return (c != 0, None);
        }
        self.stats.branches_symbolic += 1;
        self.count_branch(s);
        let side = self.eval(s, cond) != 0;
        self.links.environment.clone().decides(self, s, cond);
        let negated = self.reason.pool.not(cond);
        let (here, there) = if side {
            (cond, negated)
        } else {
            (negated, cond)
        };
        let branch = Sides {
            side,
            here,
            there,
            origin,
            kind,
        };
        (side, self.take_side(s, &branch))
    }

    /// As `split`, for engine operations and system calls: the other side re-executes the whole instruction, where the
    /// same question has its answer already.
    pub fn decide(&mut self, s: &mut State, cond: Term, kind: ChoiceKind) -> bool {
        let (side, child) = self.split(s, cond, Origin::Resolve, kind);
        if let Some(mut child) = child {
            child.is_deferred = s.is_deferred;
            self.fork_again(child);
        }
        side
    }

    /// As `decide`, for a bound of the input: the side on which the condition does not hold waits until the others bring nothing new.
    pub fn decide_bound(&mut self, s: &mut State, cond: Term) -> bool {
        let (side, child) = self.split(s, cond, Origin::Resolve, ChoiceKind::Inner);
        if let Some(mut child) = child {
            child.is_deferred = s.is_deferred;
            self.defer(if side { &mut child } else { s });
            self.fork_again(child);
        }
        side
    }

    pub(crate) fn note(&mut self, s: &mut State, kind: ChoiceKind, side: bool) {
        s.trail.push(Choice {
            pc: s.hot.pc,
            kind,
            choice: u32::from(side),
            at: s.progress.instructions,
        });
        s.recent_branches = search::push_branch(s.recent_branches, s.hot.pc, u32::from(side));
    }

    /// Adds a conjunct that the witness satisfies (or that a model just found does).
    pub fn assume(&mut self, s: &mut State, cond: Term, origin: Origin) {
        if !self.part_seeds(s, cond).is_empty() {
            self.tell_lost_seeds();
        }
        self.reason.push(&mut s.path, cond, origin);
        self.mark_condition(s, cond);
    }

    /// `klee_assume` and friends: the path continues with `cond`, under a new witness if need be.
    pub fn require(&mut self, s: &mut State, cond: Term) -> Result<(), Termination> {
        let cond = self.used_term(s, cond)?;
        match self.reason.pool.as_const(cond) {
            Some(0) => return Err(Termination::Cut(Ending::Silent)),
            Some(_) => return Ok(()),
            None => {}
        }
        let is_broken = self.eval(s, cond) == 0;
        if is_broken && s.seeds.lead() {
            // The witness is one.
            self.tell_lost_seeds();
        }
        if is_broken && !self.seed_for(s, cond) {
            if self.decider.is_ahead() {
                // Under another input it would be another path.
                return Err(Termination::Cut(Ending::Silent));
            }
            let ask = Ask::new(&s.path, &s.witness, &self.options.budget);
            match self.reason.feasible(cond, ask) {
                Outcome::Sat(model) => {
                    s.witness = model;
                    s.has_run_ahead = false;
                }
                Outcome::Unsat(_) => return Err(Termination::Cut(Ending::Silent)),
                Outcome::Unknown(why) => {
                    self.put_off(s, cond, Origin::Assume, None, why);
                    return Err(Termination::Cut(Ending::Undecided));
                }
            }
        }
        self.assume(s, cond, Origin::Assume);
        Ok(())
    }

    /// A check: if `bad` can hold, that is an error with a test of its own, and the path continues without it. `Err`
    /// if the path cannot continue.
    pub fn forbid(
        &mut self,
        s: &mut State,
        bad: Term,
        kind: ErrorKind,
        message: impl FnOnce() -> String,
    ) -> Result<(), Termination> {
        self.forbid_of(s, bad, kind, None, message)
    }

    /// The same of an error that is about the object which begins at an address.
    pub(crate) fn forbid_of(
        &mut self,
        s: &mut State,
        bad: Term,
        kind: ErrorKind,
        object: Option<WrongAccess>,
        message: impl FnOnce() -> String,
    ) -> Result<(), Termination> {
        let bad = self.used_term(s, bad)?;
        let error = |s: &State| {
            let (message, pc) = (message(), s.hot.pc);
            Termination::Error(ProgramError {
                kind,
                message,
                pc,
                object,
            })
        };
        match self.reason.pool.as_const(bad) {
            Some(0) => return Ok(()),
            Some(_) => return Err(error(s)),
            None => {}
        }
        let good = self.reason.pool.not(bad);
        if self.eval(s, bad) == 0 {
            if self.was_reported(kind, s) {
                self.take_known(s, good, bad, Origin::Check);
                return Ok(());
            }
            let (_, failing) = self.split(s, good, Origin::Check, ChoiceKind::Inner);
            if let Some(failing) = failing {
                let t = error(&failing);
                self.turn.ended.push((failing, t));
            }
            return Ok(());
        }
        // The witness itself fails: look for a way on, and let this one end.
        let (_, surviving) = self.split(s, bad, Origin::Check, ChoiceKind::Inner);
        if let Some(child) = surviving {
            self.fork_again(child);
        }
        Err(error(s))
    }

    /// An error of the program at the state's instruction.
    pub fn error(&self, s: &State, kind: ErrorKind, message: String) -> Termination {
        Termination::Error(ProgramError {
            kind,
            message,
            pc: s.hot.pc,
            object: None,
        })
    }

    /// A construct that the engine cannot execute.
    pub fn unsupported(&mut self, s: &State, what: &str) -> Termination {
        *self.stats.unsupported.entry(what.to_string()).or_default() += 1;
        self.error(s, ErrorKind::Unsupported, what.to_string())
    }

    /// One value for an operand of `w` bits that must be concrete. Other feasible values re-execute the
    /// instruction in forks, up to `max_values`; then the rest is cut off by a recorded conjunct.
    pub fn concretize(&mut self, s: &mut State, v: Value, w: u32) -> u64 {
        if v.term.is_none() {
            return v.bits;
        }
        // A call through a wrong declaration gives other widths.
        let v = self.fit(v, w as u16);
        let v = match v.term {
            Term::NONE => v,
            term => {
                let term = self.without_unwritten(term);
                self.value(term)
            }
        };
        if v.term.is_none() {
            return v.bits;
        }
        let value = self.eval(s, v.term);
        let c = self.reason.pool.bv(w, value);
        let same = self.reason.pool.eq(v.term, c);
        if s.retries < self.options.max_values {
            self.decide(s, same, ChoiceKind::Value);
        } else {
            self.lose(Loss::Concretized);
            s.concretized = true;
            self.assume(s, same, Origin::Concretized);
        }
        value
    }
}
