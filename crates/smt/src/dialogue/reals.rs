//! Reals next to the solver's theories: for a model of those, the theory of reals looks for values; if there are none,
//! the reason goes back to the solver as lemmas, until both have a model or there is none.

use super::session::Session;
use lra::{Reals, Theory, Verdict, to_fraction};
use smtlib::ModelValue;
use solver::{Budget, Model, Origin, Outcome, PathCondition, Why};
use term::{Pool, Term};

/// The consequence of a model of the other theories.
pub(super) enum Step {
    /// The answer stands.
    Done(Outcome),
    /// The path has lemmas that it had not: ask again.
    Again,
}

impl Session {
    /// Looks for values of the reals for an answer of the solver on a path.
    pub(super) fn decide_reals(
        &mut self,
        pool: &mut Pool,
        reals: &mut Reals,
        path: &mut PathCondition,
        budget: &Budget,
        outcome: Outcome,
    ) -> Step {
        let Outcome::Sat(model) = outcome else {
            return Step::Done(outcome);
        };
        if reals.is_empty() {
            return Step::Done(Outcome::Sat(model));
        }
        let deadline = budget.deadline();
        let theory = &mut self.theory;
        match theory.check(pool, reals, &model, &mut self.evaluator, deadline) {
            Verdict::Values(values) => {
                self.reals = values;
                Step::Done(Outcome::Sat(model))
            }
            Verdict::OutOfTime => Step::Done(Outcome::Unknown(Why::Timeout)),
            Verdict::Lemmas(lemmas) => {
                for lemma in lemmas {
                    self.real_axioms.push(lemma);
                    for path in [&mut *path, &mut self.path] {
                        self.solver.base.push(pool, path, lemma, Origin::Assume);
                    }
                }
                Step::Again
            }
        }
    }

    /// Takes over the assertions about reals.
    pub(super) fn hear_of_reals(&mut self, pool: &mut Pool, axioms: Vec<Term>) {
        for &axiom in &axioms {
            self.solver
                .base
                .push(pool, &mut self.path, axiom, Origin::Assume);
        }
        self.real_axioms.extend(axioms);
    }

    /// Goes back to a level with so many axioms about reals.
    pub(super) fn pop_reals(&mut self, pool: &mut Pool, axioms: usize) {
        if self.options.global_declarations {
            for &axiom in &self.real_axioms[axioms..] {
                self.solver
                    .base
                    .push(pool, &mut self.path, axiom, Origin::Assume);
            }
        } else {
            self.real_axioms.truncate(axioms);
            self.forget_reals();
        }
    }

    /// Forgets the computed values of reals.
    pub(super) fn forget_reals(&mut self) {
        self.theory = Theory::default();
        self.reals.clear();
    }

    /// The value of a linear form in the last model.
    pub(super) fn real_value(&self, form: &linear::Affine) -> ModelValue {
        let zero = linear::Rational::ZERO;
        // What was declared since the check may have any value.
        let of = |v: linear::Var| self.reals.get(v.at()).unwrap_or(&zero);
        let value = &form.form.value(of) + &form.constant;
        let (numerator, denominator) = to_fraction(&value);
        ModelValue::Real(numerator, denominator)
    }

    /// The value of a declared constant.
    pub(super) fn declared_value(
        &self,
        pool: &Pool,
        meaning: smtlib::Meaning,
        model: &Model,
    ) -> ModelValue {
        match meaning {
            smtlib::Meaning::Symbol(symbol) => super::check::value_of(pool, symbol, model),
            smtlib::Meaning::Applied(_) => unreachable!("a function over integers has cases"),
            smtlib::Meaning::Real(var) => self.real_value(&linear::Affine {
                form: linear::Form::var(var),
                ..linear::Affine::default()
            }),
        }
    }
}
