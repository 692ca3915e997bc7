//! `check-sat`: the query to the solver, and the checks before its answer is printed.
//!
//! Every model is evaluated on the assertions as they were read; every core of named assertions is checked again by
//! itself and, if it is not unsatisfiable, replaced by all of them.

use super::partial;
use super::reals::Step;
use super::session::{Session, Status};
use crate::script::ScriptSolver;
use smtlib::{Declaration, ModelValue, Reader, ScriptSort, Sorts, write};
use solver::{
    Budget, Model, NoTrials, Origin, Outcome, PathCondition, Receiver, SolverOptions, Trials, Why,
};
use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
use term::{Op, Pool, Sort, Symbol, Term};

/// Seconds for finding a core, and for asking again whether it is one.
const CORE_SECONDS: f64 = 10.0;

/// The conditions that a conjunction is made of.
pub(crate) fn conjuncts(pool: &Pool, condition: Term) -> Vec<Term> {
    let mut parts = Vec::new();
    let mut stack = vec![condition];
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(t) = stack.pop() {
        if pool.op(t) == Op::And {
            if seen.insert(t) {
                stack.extend(pool.children(t).iter().rev());
            }
        } else {
            parts.push(t);
        }
    }
    parts
}

impl Session {
    /// Decides the assertions with some assumptions, and prints the answer.
    pub(super) fn check<R: Read>(
        &mut self,
        pool: &mut Pool,
        reader: &mut Reader<R>,
        assumptions: Vec<smtlib::Assumption>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        self.limits.ask();
        self.collect(pool, reader, &assumptions);
        let mut path = self.path.clone();
        let outcome = self.guarded(|session| {
            for assumption in &assumptions {
                for part in conjuncts(pool, assumption.term) {
                    session
                        .solver
                        .base
                        .push(pool, &mut path, part, Origin::Assume);
                }
            }
            let budget = session.budget();
            let mut is_alone = session.stands_alone(&assumptions);
            loop {
                let conditions = session.conditions(&assumptions);
                let outcome = session.ask(pool, reader, &path, conditions, &budget, is_alone);
                match session.decide_reals(pool, reader.reals_mut(), &mut path, &budget, outcome) {
                    Step::Done(outcome) => break outcome,
                    Step::Again => is_alone = false,
                }
            }
        });
        self.assumptions = assumptions;
        self.status = self.judge(pool, outcome);
        self.limits.take();
        for comment in std::mem::take(&mut self.comments) {
            writeln!(out, "{comment}")?;
        }
        let word = match &self.status {
            Status::Sat(_) => "sat",
            Status::Unsat(_) => "unsat",
            Status::None | Status::Unknown(_) => "unknown",
        };
        writeln!(out, "{word}")?;
        if self.print_models && matches!(self.status, Status::Sat(_)) {
            self.model(pool, reader, out)?;
        }
        out.flush()?;
        self.limits.said();
        Ok(())
    }

    /// Asks the solver about a path, alone (preprocessed) or as one of several questions.
    fn ask<R: Read>(
        &mut self,
        pool: &mut Pool,
        reader: &Reader<R>,
        path: &PathCondition,
        conditions: Vec<Term>,
        budget: &Budget,
        is_alone: bool,
    ) -> Outcome {
        self.is_preprocessed = is_alone;
        let solver = &mut self.solver;
        let mut ask = |pool: &mut Pool, trials: &mut dyn Trials| {
            if is_alone {
                solver.solve_once(pool, path, budget, trials)
            } else {
                solver.base.solve(pool, path, budget, trials)
            }
        };
        if !self.partial_solutions {
            return ask(pool, &mut NoTrials);
        }
        let count = conditions.len();
        let mut receiver = Receiver::new(conditions, |_| true);
        let outcome = ask(pool, &mut receiver);
        for kept in receiver.judge(pool, &mut self.evaluator) {
            let (sorts, all) = (reader.sorts(), reader.declarations());
            let line = partial::line(pool, sorts, all, count, &kept);
            self.comments.push(line);
        }
        outcome
    }

    /// May the query be preprocessed? In a dialogue the circuits of the next check would not be those of
    /// this one.
    fn stands_alone(&self, assumptions: &[smtlib::Assumption]) -> bool {
        self.solver.base.stats().queries == 0
            && self.levels() == 0
            && assumptions.is_empty()
            && self.solver_options.layers.is_empty()
    }

    /// Judges whether an outcome may be printed.
    fn judge(&mut self, pool: &Pool, outcome: Outcome) -> Status {
        match outcome {
            Outcome::Sat(_) if self.has_lost() => Status::Unknown("incomplete".into()),
            Outcome::Sat(model) => {
                let conditions = self.conditions(&self.assumptions);
                match self.evaluator.first_false(pool, &conditions, &model) {
                    None => Status::Sat(model),
                    Some(_) => {
                        say::err!("polypath: a model does not satisfy the assertions");
                        self.failed = true;
                        Status::Unknown("internal".into())
                    }
                }
            }
            Outcome::Unsat(_) if self.sizes_matter => Status::Unknown("incomplete".into()),
            Outcome::Unsat(core) => Status::Unsat(core),
            Outcome::Unknown(why) => Status::Unknown(match why {
                _ if self.has_lost() => "incomplete".into(),
                Why::Unsupported(_) | Why::Array => "incomplete".into(),
                why => why.name().into(),
            }),
        }
    }

    /// Runs the solver; a panic in it costs the answer and the caches, not the dialogue.
    fn guarded(&mut self, ask: impl FnOnce(&mut Session) -> Outcome) -> Outcome {
        let session = &mut *self;
        match catch_unwind(AssertUnwindSafe(|| ask(session))) {
            Ok(outcome) => outcome,
            Err(_) => {
                self.failed = true;
                self.solver = ScriptSolver::new(self.solver_options.clone());
                self.forget_reals();
                Outcome::Unknown(Why::Internal)
            }
        }
    }

    fn budget(&self) -> Budget {
        let each = match self.options.timeout {
            0 => None,
            milliseconds => Instant::now().checked_add(Duration::from_millis(milliseconds)),
        };
        Budget {
            conflicts: u64::MAX,
            until: self.limits.deadline().into_iter().chain(each).min(),
            ..Budget::seconds(f64::INFINITY)
        }
    }

    /// Names of the assertions that make the last check unsatisfiable.
    pub(super) fn core(&mut self, pool: &mut Pool) -> Option<Vec<String>> {
        let Status::Unsat(core) = &self.status else {
            return None;
        };
        let mut rest = self.axioms.clone();
        rest.extend(&self.real_axioms);
        let mut names = Vec::new();
        let mut groups = Vec::new();
        for assertion in &self.assertions {
            let parts = conjuncts(pool, assertion.term);
            match &assertion.name {
                Some(name) => {
                    names.push(write::symbol(name));
                    groups.push(parts);
                }
                None => rest.extend(parts),
            }
        }
        rest.extend(self.assumptions.iter().map(|assumption| assumption.term));
        let kept: Vec<usize> = if self.is_preprocessed {
            self.smaller_core(pool, &rest, &groups)
        } else {
            let core: rustc_hash::FxHashSet<Term> = core.iter().copied().collect();
            // `false` is a conjunct of nothing once it is on the path.
            let is_part = |part: &Term| core.contains(part) || *part == Term::FALSE;
            let is_kept = |k: &usize| groups[*k].iter().any(is_part);
            (0..groups.len()).filter(is_kept).collect()
        };
        rest.extend(kept.iter().flat_map(|&k| &groups[k]));
        let kept = kept.into_iter().map(|k| names[k].clone()).collect();
        Some(if self.is_unsat(pool, &rest) {
            kept
        } else {
            names
        })
    }

    /// The groups of conditions that are needed in addition to the `fixed` ones, found by further queries.
    fn smaller_core(
        &mut self,
        pool: &mut Pool,
        fixed: &[Term],
        groups: &[Vec<Term>],
    ) -> Vec<usize> {
        let mut kept: Vec<usize> = (0..groups.len()).collect();
        let budget = self.core_budget();
        let mut solver = self.fresh_solver();
        let found = &mut kept;
        self.guarded(|_| {
            *found = solver.smaller_core(pool, fixed, groups, &budget);
            Outcome::Unknown(Why::Incomplete)
        });
        kept
    }

    /// Texts of the assumptions that make the last check unsatisfiable.
    pub(super) fn failed_assumptions(&mut self, pool: &mut Pool) -> Option<Vec<String>> {
        let Status::Unsat(core) = &self.status else {
            return None;
        };
        let core: rustc_hash::FxHashSet<Term> = core.iter().copied().collect();
        let mut kept = Vec::new();
        let mut rest = self.conditions(&[]);
        for assumption in &self.assumptions {
            let parts = conjuncts(pool, assumption.term);
            if parts
                .iter()
                .any(|part| core.contains(part) || *part == Term::FALSE)
            {
                kept.push(assumption.text.to_string());
                rest.push(assumption.term);
            }
        }
        let all = self
            .assumptions
            .iter()
            .map(|a| a.text.to_string())
            .collect();
        Some(if self.is_unsat(pool, &rest) {
            kept
        } else {
            all
        })
    }

    fn core_budget(&self) -> Budget {
        Budget {
            until: self.limits.deadline(),
            ..Budget::seconds(CORE_SECONDS)
        }
    }

    /// A solver that knows nothing yet, with all layers.
    fn fresh_solver(&self) -> ScriptSolver {
        ScriptSolver::new(SolverOptions {
            layers: Vec::new(),
            ..self.solver_options.clone()
        })
    }

    /// Asks a new solver, in the way of the last check.
    fn is_unsat(&mut self, pool: &mut Pool, conditions: &[Term]) -> bool {
        let mut solver = self.fresh_solver();
        let budget = self.core_budget();
        let outcome = self.guarded(|session| {
            let mut path = PathCondition::new();
            for &condition in conditions {
                for part in conjuncts(pool, condition) {
                    solver.base.push(pool, &mut path, part, Origin::Assume);
                }
            }
            if session.is_preprocessed {
                return solver.solve_once(pool, &path, &budget, &mut NoTrials);
            }
            solver.base.solve(pool, &path, &budget, &mut NoTrials)
        });
        matches!(outcome, Outcome::Unsat(_))
    }

    /// Prints the model of the last check.
    pub(super) fn model<R: Read>(
        &mut self,
        pool: &Pool,
        reader: &Reader<R>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let Status::Sat(model) = &self.status else {
            return self.report(out, "there is no model: the last check did not say sat");
        };
        writeln!(out, "(")?;
        for declaration in reader.declarations() {
            let value = self.declared_value(pool, declaration.meaning, model);
            if declaration.params.is_empty() {
                let name = write::symbol(&declaration.name);
                let sort = reader.sorts().name(declaration.sort);
                let value = write::value(reader.sorts(), declaration.sort, &value);
                writeln!(out, "  (define-fun {name} () {sort} {value})")?;
            } else {
                writeln!(
                    out,
                    "  {}",
                    interpretation(reader.sorts(), declaration, &value)
                )?;
            }
        }
        writeln!(out, ")")
    }

    /// The value of a term under the model of the last check.
    pub(super) fn evaluate<R: Read>(
        &mut self,
        pool: &Pool,
        reader: &Reader<R>,
        value: smtlib::Typed,
    ) -> Option<ModelValue> {
        let Status::Sat(model) = &self.status else {
            return None;
        };
        let evaluator = &mut self.evaluator;
        Some(match value.sort {
            ScriptSort::Scalar(_) => {
                let limbs = evaluator.eval_wide(pool, value.term, model);
                ModelValue::Bits(term::BitValue::from_limbs(&limbs))
            }
            ScriptSort::Int => ModelValue::Int(evaluator.eval_int(pool, value.term, model)),
            ScriptSort::Real => self.real_value(&reader.real(pool, value)?),
            ScriptSort::Array { .. } => {
                ModelValue::Array(evaluator.eval_array(pool, value.term, model))
            }
        })
    }
}

/// A symbol's value in a model.
pub(super) fn value_of(pool: &Pool, symbol: Symbol, model: &Model) -> ModelValue {
    match pool.symbol_sort(symbol) {
        Sort::Int => ModelValue::Int(model.int(symbol)),
        Sort::Array { .. } => ModelValue::Array(model.array(symbol).cloned().unwrap_or_default()),
        sort => {
            let count = sort.bits().div_ceil(64) as usize;
            let limbs: Vec<u64> = (0..count).map(|k| model.limb(symbol, k)).collect();
            ModelValue::Bits(term::BitValue::from_limbs(&limbs))
        }
    }
}

/// A function's definition in a model.
pub(super) fn interpretation(
    sorts: &Sorts,
    declaration: &Declaration,
    value: &ModelValue,
) -> String {
    let (ModelValue::Array(array), Some(result)) = (value, declaration.sort.scalar()) else {
        unreachable!("a function stands for an array of plain values");
    };
    write::function(sorts, &declaration.name, &declaration.params, result, array)
}
