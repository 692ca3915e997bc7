//! Proofs of integer infeasibility, and their check.
//!
//! A proof is a list of steps; each concludes an inequality `form <= value` over integer
//! variables, or *false*, from earlier steps:
//!
//! - a bound that was given, with its owner's tag;
//! - one side of a case distinction `form <= k` or `form >= k + 1`;
//! - a sum of earlier steps with positive multipliers; when the result's coefficients are
//!   integers, the right side is rounded down (Chvátal and Gomory). Farkas' lemma, bound
//!   propagation and divisibility tests are all of this kind;
//! - the end of a case distinction whose two sides conclude the same. Branches end in *false*, a
//!   Gomory mixed-integer cut is what both sides of its disjunction imply.
//!
//! The check uses definitions of variables and rational arithmetic only, nothing of the search.

use crate::form::{Form, Var};
use crate::rational::Rational;
use crate::simplex::{Conflict, Side, Simplex};

/// Index of a step.
pub type StepId = u32;

/// What a step concludes.
#[derive(Clone, Debug, PartialEq)]
pub enum Conclusion {
    /// A bound of a variable.
    Bound(Var, Side, Rational),
    /// `form <= value`, over variables without a definition.
    AtMost(Form, Rational),
    /// A contradiction.
    False,
}

#[derive(Clone, Debug)]
enum Rule {
    Given {
        reason: u32,
    },
    Hypothesis,
    Sum(Vec<(StepId, Rational)>),
    Cases {
        low: (StepId, StepId),
        high: (StepId, StepId),
    },
}

#[derive(Clone, Debug)]
struct ProofStep {
    conclusion: Conclusion,
    rule: Rule,
    /// Open hypotheses, ascending.
    open: Vec<StepId>,
}

/// Steps in order.
#[derive(Clone, Default, Debug)]
pub struct Proof {
    steps: Vec<ProofStep>,
}

impl Proof {
    /// Number of steps.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// No step?
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Forgets the steps from `len` on.
    pub fn truncate(&mut self, len: usize) {
        self.steps.truncate(len);
    }

    fn add(&mut self, conclusion: Conclusion, rule: Rule, open: Vec<StepId>) -> StepId {
        self.steps.push(ProofStep {
            conclusion,
            rule,
            open,
        });
        self.steps.len() as StepId - 1
    }

    /// A bound that somebody asserts.
    pub fn given(&mut self, v: Var, side: Side, value: Rational, reason: u32) -> StepId {
        let conclusion = Conclusion::Bound(v, side, value);
        self.add(conclusion, Rule::Given { reason }, Vec::new())
    }

    /// One side of a case distinction.
    pub fn hypothesis(&mut self, conclusion: Conclusion) -> StepId {
        let id = self.steps.len() as StepId;
        self.add(conclusion, Rule::Hypothesis, vec![id])
    }

    /// A sum of earlier steps with positive multipliers; parts with multiplier 0 are left out.
    pub fn sum(&mut self, parts: Vec<(StepId, Rational)>, conclusion: Conclusion) -> StepId {
        let parts: Vec<_> = parts.into_iter().filter(|(_, f)| !f.is_zero()).collect();
        let mut open: Vec<StepId> = Vec::new();
        for (step, _) in &parts {
            open.extend_from_slice(&self.steps[*step as usize].open);
        }
        open.sort_unstable();
        open.dedup();
        self.add(conclusion, Rule::Sum(parts), open)
    }

    /// A conflict of the simplex whose tags are steps.
    pub fn conflict(&mut self, conflict: Conflict) -> StepId {
        let parts = conflict.0.into_iter();
        let parts = parts.map(|p| (p.bound.reason, p.factor)).collect();
        self.sum(parts, Conclusion::False)
    }

    /// The end of a case distinction: a hypothesis and what follows from it, for both sides.
    pub fn cases(&mut self, low: (StepId, StepId), high: (StepId, StepId)) -> StepId {
        let conclusion = self.steps[low.1 as usize].conclusion.clone();
        let mut open: Vec<StepId> = Vec::new();
        for (hypothesis, end) in [low, high] {
            let ids = self.steps[end as usize].open.iter();
            open.extend(ids.filter(|&&h| h != hypothesis));
        }
        open.sort_unstable();
        open.dedup();
        self.add(conclusion, Rule::Cases { low, high }, open)
    }

    /// Does a step rest on a hypothesis?
    pub fn rests_on(&self, step: StepId, hypothesis: StepId) -> bool {
        let open = &self.steps[step as usize].open;
        open.binary_search(&hypothesis).is_ok()
    }

    /// The tags of the given bounds that a step rests on, ascending.
    pub fn core(&self, step: StepId) -> Vec<u32> {
        let mut core = Vec::new();
        for id in self.needed(step) {
            if let Rule::Given { reason } = self.steps[id as usize].rule {
                core.push(reason);
            }
        }
        core.sort_unstable();
        core.dedup();
        core
    }

    /// The steps that a step rests on, itself included, ascending.
    fn needed(&self, step: StepId) -> Vec<StepId> {
        let mut needed = vec![false; step as usize + 1];
        needed[step as usize] = true;
        for id in (0..=step).rev() {
            if !needed[id as usize] {
                continue;
            }
            match &self.steps[id as usize].rule {
                Rule::Given { .. } | Rule::Hypothesis => {}
                Rule::Sum(parts) => {
                    for &(part, _) in parts {
                        needed[part as usize] = true;
                    }
                }
                Rule::Cases { low, high } => {
                    for part in [low.0, low.1, high.0, high.1] {
                        needed[part as usize] = true;
                    }
                }
            }
        }
        (0..=step).filter(|&id| needed[id as usize]).collect()
    }

    /// Checks that a step is a contradiction that rests on given bounds only; names the first
    /// fault. Definitions of variables are taken from the simplex.
    pub fn check(&self, simplex: &Simplex, refutation: StepId) -> Result<(), String> {
        let last = &self.steps[refutation as usize];
        if last.conclusion != Conclusion::False {
            return Err("the last step is no contradiction".to_string());
        }
        if !last.open.is_empty() {
            return Err("the contradiction rests on a hypothesis".to_string());
        }
        for id in self.needed(refutation) {
            let step = &self.steps[id as usize];
            self.check_step(simplex, id, step)
                .map_err(|fault| format!("step {id}: {fault}"))?;
        }
        Ok(())
    }

    fn check_step(&self, simplex: &Simplex, id: StepId, step: &ProofStep) -> Result<(), String> {
        match &step.rule {
            Rule::Given { .. } => Ok(()),
            Rule::Hypothesis => {
                if step.open == [id] {
                    Ok(())
                } else {
                    Err("a hypothesis that is not open".to_string())
                }
            }
            Rule::Sum(parts) => {
                let mut form = Form::new();
                let mut value = Rational::ZERO;
                for (part, factor) in parts {
                    let part = &self.steps[*part as usize];
                    if !factor.is_positive() || !includes(&step.open, &part.open) {
                        return Err("a bad part of a sum".to_string());
                    }
                    let (f, v) = inequality(simplex, &part.conclusion);
                    form.add_scaled(&f, factor);
                    value.add_product(&v, factor);
                }
                follows(simplex, form, value, &step.conclusion)
            }
            Rule::Cases { low, high } => {
                let (f, v) = inequality(simplex, &self.steps[low.0 as usize].conclusion);
                let (g, w) = inequality(simplex, &self.steps[high.0 as usize].conclusion);
                let opposite = !f.is_zero() && g == f.scaled(&Rational::MINUS_ONE);
                if !opposite || !f.is_integral() || !(&(&v + &w) + &Rational::ONE).is_zero() {
                    return Err("the cases do not cover everything".to_string());
                }
                if !v.is_integer() {
                    return Err("a case distinction at a fraction".to_string());
                }
                for (hypothesis, end) in [low, high] {
                    let end = &self.steps[*end as usize];
                    let outside: Vec<_> = end
                        .open
                        .iter()
                        .copied()
                        .filter(|h| h != hypothesis)
                        .collect();
                    if end.conclusion != step.conclusion || !includes(&step.open, &outside) {
                        return Err("a case that ends elsewhere".to_string());
                    }
                }
                Ok(())
            }
        }
    }
}

/// Is every element of `part` in `whole`?
fn includes(whole: &[StepId], part: &[StepId]) -> bool {
    part.iter().all(|h| whole.binary_search(h).is_ok())
}

/// A conclusion as `form <= value` over variables without a definition.
fn inequality(simplex: &Simplex, conclusion: &Conclusion) -> (Form, Rational) {
    match conclusion {
        Conclusion::False => (Form::new(), Rational::MINUS_ONE),
        Conclusion::AtMost(form, value) => (form.clone(), value.clone()),
        Conclusion::Bound(v, side, value) => {
            let sign = side.sign();
            let form = match simplex.definition(*v) {
                Some(definition) => definition.scaled(&sign),
                None => Form::var(*v).scaled(&sign),
            };
            (form, &sign * value)
        }
    }
}

/// Does `form <= value` imply the conclusion for all integers?
fn follows(
    simplex: &Simplex,
    form: Form,
    value: Rational,
    conclusion: &Conclusion,
) -> Result<(), String> {
    if form.is_zero() && value.is_negative() {
        return Ok(());
    }
    let (goal, least) = inequality(simplex, conclusion);
    let (Some((v, c)), Some((w, d))) = (form.terms().first(), goal.terms().first()) else {
        return Err("the sum is not what it concludes".to_string());
    };
    let factor = d / c;
    if v != w || !factor.is_positive() || form.scaled(&factor) != goal {
        return Err("the sum is a multiple of something else".to_string());
    }
    let mut implied = &value * &factor;
    if goal.is_integral() {
        implied = implied.floor();
    }
    if implied <= least {
        Ok(())
    } else {
        Err("the sum is too weak".to_string())
    }
}
