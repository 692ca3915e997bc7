//! `check-sat`: the query to the solver, and the checks before its answer is printed.
//!
//! Every model is evaluated on the assertions as they were read; every core of named assertions is checked again by
//! itself and, if it is not unsatisfiable, replaced by all of them.

use super::partial;
use super::reals::Step;
use super::session::{Session, Status};
use crate::script::ScriptSolver;
use smtlib::{
    Applied, Declaration, Meaning, ModelValue, Product, Reader, Scalar, ScriptSort, Sorts, write,
};
use solver::{
    Budget, Model, NoTrials, Origin, Outcome, PathCondition, Receiver, SolverOptions, Trials, Why,
};
use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
use term::{BigInt, Op, Pool, Sort, Symbol, Term};

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

/// The numbers of the groups of conditions that a core takes part in.
fn members(core: &[Term], groups: &[Vec<Term>]) -> Vec<usize> {
    let core: rustc_hash::FxHashSet<Term> = core.iter().copied().collect();
    // `false` is a conjunct of nothing once it is on the path.
    let is_part = |part: &Term| core.contains(part) || *part == Term::FALSE;
    let is_kept = |k: &usize| groups[*k].iter().any(is_part);
    (0..groups.len()).filter(is_kept).collect()
}

impl Session {
    /// Decides the assertions with some assumptions, and prints the answer.
    pub(super) fn check<R: Read>(
        &mut self,
        pool: &mut Pool,
        reader: &mut Reader<R>,
        mut assumptions: Vec<smtlib::Assumption>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        self.limits.ask();
        self.collect(pool, reader, &mut assumptions);
        let mut path = self.path.clone();
        let products: Vec<Product> = reader.products().collect();
        self.products.rounds = 0;
        self.applications = reader.applications().count();
        let conditions = self.conditions(&assumptions);
        let lemmas = self.product_lemmas(pool, &products, &conditions);
        let outcome = self.guarded(|session| {
            for &lemma in &lemmas {
                let base = &mut session.solver.base;
                base.push(pool, &mut path, lemma, Origin::Assume);
            }
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
                let step =
                    session.decide_reals(pool, reader.reals_mut(), &mut path, &budget, outcome);
                let step = match step {
                    Step::Done(outcome) => session.decide_products(
                        pool,
                        &products,
                        &mut path,
                        &budget,
                        &assumptions,
                        outcome,
                    ),
                    again => again,
                };
                match step {
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

    /// Asks the solver about a path, alone (preprocessed first) or as one of several questions (preprocessed if it is not
    /// decided soon).
    fn ask<R: Read>(
        &mut self,
        pool: &mut Pool,
        reader: &Reader<R>,
        path: &PathCondition,
        conditions: Vec<Term>,
        budget: &Budget,
        is_alone: bool,
    ) -> Outcome {
        let has_passes = self.has_passes();
        let (solver, is_preprocessed) = (&mut self.solver, &mut self.is_preprocessed);
        let mut ask = |pool: &mut Pool, trials: &mut dyn Trials| {
            *is_preprocessed = is_alone;
            if is_alone {
                return solver.solve_once(pool, path, budget, trials);
            }
            if !has_passes {
                return solver.base.solve(pool, path, budget, trials);
            }
            let answer = solver.solve_in_turns(pool, path, budget, trials);
            *is_preprocessed = answer.by_passes;
            answer.outcome
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

    /// Is the query preprocessed at once? In a dialogue the circuits of the next check would not be those of
    /// this one.
    fn stands_alone(&self, assumptions: &[smtlib::Assumption]) -> bool {
        self.solver.base.stats().queries == 0
            && self.levels() == 0
            && assumptions.is_empty()
            && self.has_passes()
    }

    /// Are queries preprocessed? Not if layers were picked.
    fn has_passes(&self) -> bool {
        self.solver_options.layers.is_empty()
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
        rest.extend(self.products.lemmas.values().flatten());
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
            members(core, &groups)
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
        let groups = self.assumptions.iter();
        let groups: Vec<Vec<Term>> = groups.map(|a| conjuncts(pool, a.term)).collect();
        let mut rest = self.conditions(&[]);
        rest.extend(self.products.lemmas.values().flatten());
        let kept = if self.is_preprocessed {
            let parts = rest.iter().flat_map(|&t| conjuncts(pool, t));
            let parts: Vec<Term> = parts.collect();
            self.smaller_core(pool, &parts, &groups)
        } else {
            members(core, &groups)
        };
        rest.extend(kept.iter().flat_map(|&k| &groups[k]));
        let texts = self.assumptions.iter().map(|a| a.text.to_string());
        let texts: Vec<String> = texts.collect();
        Some(if self.is_unsat(pool, &rest) {
            kept.into_iter().map(|k| texts[k].clone()).collect()
        } else {
            texts
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
        if !matches!(self.status, Status::Sat(_)) {
            return self.report(out, "there is no model: the last check did not say sat");
        }
        writeln!(out, "(")?;
        for declaration in reader.declarations() {
            if let Meaning::Applied(function) = declaration.meaning {
                let cases = self.cases(pool, reader, function);
                let (name, params) = (&declaration.name, &declaration.params);
                let text = write::cases(reader.sorts(), name, params, declaration.sort, &cases);
                writeln!(out, "  {text}")?;
                continue;
            }
            let Status::Sat(model) = &self.status else {
                break;
            };
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

    /// The applications of a function over integers in the model of the last check.
    fn cases<R: Read>(
        &mut self,
        pool: &Pool,
        reader: &Reader<R>,
        function: usize,
    ) -> Vec<(Vec<ModelValue>, ModelValue)> {
        let applications = reader.applications().of_function(function);
        let mut cases = Vec::new();
        for (args, result) in applications {
            let values = args.iter().map(|&arg| self.evaluate(pool, reader, arg));
            let values: Option<Vec<ModelValue>> = values.collect();
            let result = self.evaluate(pool, reader, result);
            cases.extend(values.zip(result));
        }
        cases
    }

    /// Gives the applications that were read since the check their values in its model.
    fn complete<R: Read>(&mut self, pool: &Pool, reader: &Reader<R>) {
        let table = reader.applications();
        let first = std::mem::replace(&mut self.applications, table.count());
        for (k, (function, args, symbol)) in table.since(first).enumerate() {
            let values = args.iter().map(|&arg| self.value(pool, reader, arg));
            let values: Option<Vec<ModelValue>> = values.collect();
            let Some(values) = values else {
                return;
            };
            let known = match (function, &values[..]) {
                (Applied::Product, [ModelValue::Int(a), ModelValue::Int(b)]) => {
                    Some(ModelValue::Int(a * b))
                }
                // The axiom of a new quotient is in no check yet.
                (Applied::Quotient, [ModelValue::Int(a), ModelValue::Int(b)]) => {
                    let has_quotient = *b != BigInt::ZERO;
                    has_quotient.then(|| ModelValue::Int(quotient(a, b)))
                }
                _ => {
                    let before = table.before(first + k);
                    let mut alike = before.filter(|(other, ..)| *other == function);
                    // Elsewhere a function has the value of its first application, as in `write::cases`.
                    let elsewhere = alike.clone().next();
                    let same = alike.find(|(_, args, _)| {
                        let others = args.iter().map(|&arg| self.value(pool, reader, arg));
                        others.collect::<Option<Vec<ModelValue>>>().as_ref() == Some(&values)
                    });
                    let result = same.or(elsewhere).map(|(.., result)| result);
                    result.and_then(|result| self.value(pool, reader, result))
                }
            };
            let Status::Sat(model) = &mut self.status else {
                return;
            };
            match known {
                Some(ModelValue::Int(value)) => model.set_int(symbol, value),
                Some(ModelValue::Bits(value)) if value.limbs().len() > 1 => {
                    model.set_wide(symbol, value.limbs());
                }
                Some(ModelValue::Bits(value)) => {
                    model.set(symbol, value.limbs().first().copied().unwrap_or(0));
                }
                _ => {}
            }
        }
    }

    /// The value of a term under the model of the last check.
    pub(super) fn evaluate<R: Read>(
        &mut self,
        pool: &Pool,
        reader: &Reader<R>,
        value: smtlib::Typed,
    ) -> Option<ModelValue> {
        self.complete(pool, reader);
        self.value(pool, reader, value)
    }

    fn value<R: Read>(
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

/// SMT-LIB's `div`: the remainder is not negative.
fn quotient(a: &BigInt, b: &BigInt) -> BigInt {
    let (quotient, rest) = (a / b, a % b);
    let is_negative = |n: &BigInt| n.sign() == num_bigint::Sign::Minus;
    match (is_negative(&rest), is_negative(b)) {
        (false, _) => quotient,
        (true, false) => quotient - 1,
        (true, true) => quotient + 1,
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
    let params: Vec<Scalar> = declaration
        .params
        .iter()
        .filter_map(|p| p.scalar())
        .collect();
    write::function(sorts, &declaration.name, &params, result, array)
}
