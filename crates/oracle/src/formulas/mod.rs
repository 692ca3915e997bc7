//! Generated formulas: our answers against z3's and bitwuzla's.
//!
//! Each model is put in place of the declarations and z3 is asked whether the assertions hold under it, each
//! core and each list of failed assumptions is asked of z3 by itself. A check of a dialogue is asked of the
//! others as a script of its own. What is wrong is shrunk by delta debugging (Zeller and Hildebrandt,
//! 2002) over the tree: assertions dropped, nodes replaced by a child of their sort or by the
//! simplest term, as long as it stays wrong.

mod formula;
mod generate;
mod script;
pub mod solvers;

use anyhow::{Context, Result};
pub use script::Script;
use script::{ScriptCheck, assertion};
pub use solvers::{Answer, Subject};
use solvers::{Oracles, Polypath};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Most attempts to shrink one formula.
const MOST_ATTEMPTS: usize = 1500;

/// What came of one formula; the worst of its checks.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FormulaFinding {
    /// The solvers agree, and model or core are right.
    Agreed(&'static str),
    /// No other solver says anything.
    Undecided,
    /// We do not say anything while another solver does.
    Unsolved(String),
    /// We are wrong.
    Wrong(String),
}

/// The solvers of one comparison.
pub struct Comparison {
    subject: Box<dyn Subject>,
    oracles: Oracles,
    of_floats: bool,
}

impl Comparison {
    /// Starts the solvers; the others are installed if they are not there.
    pub fn start(polypath: &Path, options: &[String], milliseconds: u64) -> Result<Comparison> {
        let python = solvers::python().context("z3 and bitwuzla are not there")?;
        Ok(Comparison {
            subject: Box::new(Polypath::new(polypath, options, milliseconds)),
            oracles: Oracles::start(&python, milliseconds)?,
            of_floats: false,
        })
    }

    /// Compares scripts with floats only.
    pub fn of_floats(self) -> Comparison {
        Comparison {
            of_floats: true,
            ..self
        }
    }

    /// Puts something between our solver and the comparison: tests of the comparison plant faults there.
    pub fn interpose(self, wrap: impl FnOnce(Box<dyn Subject>) -> Box<dyn Subject>) -> Comparison {
        Comparison {
            subject: wrap(self.subject),
            ..self
        }
    }

    /// How other solvers ended without an answer, one line each.
    pub fn crashes(&self) -> &[String] {
        &self.oracles.crashes
    }

    /// Compares the answers to the script of a seed, and gives its text; a wrong one comes back
    /// shrunk.
    pub fn check(&mut self, seed: u64) -> Result<(FormulaFinding, String)> {
        let script = generate::script(seed, self.of_floats);
        let finding = self.compare(&script)?;
        let (finding, script) = match finding {
            FormulaFinding::Wrong(_) => self.shrink(script, finding)?,
            _ => (finding, script),
        };
        Ok((finding, script.text()))
    }

    /// The worst finding. A script of one check is preprocessed; it is also asked on a level of its own, where it
    /// is not.
    fn compare(&mut self, script: &Script) -> Result<FormulaFinding> {
        let mut worst = None;
        let mut variants = vec![script.clone()];
        if script.is_plain() {
            variants.push(script.on_a_level());
        }
        let mut verdicts = Vec::new();
        for check in script.checks() {
            verdicts.push(self.verdict(script, &check)?);
        }
        for variant in &variants {
            let answers = self.subject.answers(variant);
            let each = variant.checks().into_iter().zip(&answers).zip(&verdicts);
            for ((check, ours), theirs) in each {
                let finding = self.judge(variant, &check, ours, theirs)?;
                if worst.as_ref().is_none_or(|w| *w < finding) {
                    worst = Some(finding);
                }
            }
        }
        Ok(worst.unwrap_or(FormulaFinding::Undecided))
    }

    /// What the others say about a check: the first one that decides it.
    fn verdict(&mut self, script: &Script, check: &ScriptCheck<'_>) -> Result<String> {
        let text = format!("{}{}", script.declarations(), conditions(script, check));
        for name in ["bitwuzla", "z3"] {
            if name == "bitwuzla" && script.is_for_z3_alone() {
                continue;
            }
            let word = self.oracles.ask(name, &text)?;
            if word == "sat" || word == "unsat" {
                return Ok(word);
            }
        }
        Ok("unknown".into())
    }

    /// Our answer to one check.
    fn judge(
        &mut self,
        script: &Script,
        check: &ScriptCheck<'_>,
        ours: &Answer,
        theirs: &str,
    ) -> Result<FormulaFinding> {
        let wrong = match &ours.word[..] {
            "sat" | "unsat" if theirs != "unknown" && theirs != ours.word => {
                Some(format!("we say {}, others say {theirs}", ours.word))
            }
            "sat" => {
                let text = format!("{}{}", definitions(&ours.model), conditions(script, check));
                match &self.oracles.ask("z3", &text)?[..] {
                    "sat" | "unknown" => None,
                    other => Some(format!("the model is wrong: {other}")),
                }
            }
            "unsat" => self.wrong_core(script, check, ours)?,
            "unknown" if theirs != "unknown" => {
                return Ok(FormulaFinding::Unsolved(theirs.into()));
            }
            "unknown" => return Ok(FormulaFinding::Undecided),
            other => Some(format!("we answer {other}")),
        };
        Ok(match wrong {
            Some(why) => FormulaFinding::Wrong(why),
            None if ours.word == "sat" => FormulaFinding::Agreed("sat"),
            None => FormulaFinding::Agreed("unsat"),
        })
    }

    /// Are the named assertions of the core, with what has no name and the assumptions, satisfiable?
    /// Or all assertions with the assumptions that we say failed?
    fn wrong_core(
        &mut self,
        script: &Script,
        check: &ScriptCheck<'_>,
        ours: &Answer,
    ) -> Result<Option<String>> {
        let mut part = check.clone();
        let is_kept = |at: usize| !script.named[at] || ours.core.contains(&format!("a{at}"));
        part.asserted.retain(|(at, _)| is_kept(*at));
        let mut parts = vec![("core", conditions(script, &part))];
        if !check.assumed.is_empty() {
            let is_kept = |t: &&formula::Expr| ours.failed.contains(&t.to_string());
            let kept: Vec<_> = check.assumed.iter().filter(is_kept).cloned().collect();
            let part = ScriptCheck {
                assumed: &kept,
                ..check.clone()
            };
            parts.push(("list of failed assumptions", conditions(script, &part)));
        }
        for (what, conditions) in parts {
            let text = format!("{}{conditions}", script.declarations());
            match &self.oracles.ask("z3", &text)?[..] {
                "unsat" | "unknown" => {}
                other => return Ok(Some(format!("the {what} is wrong: {other}"))),
            }
        }
        Ok(None)
    }

    /// The smallest script found that is wrong in the same way (up to the first words).
    fn shrink(
        &mut self,
        mut best: Script,
        mut finding: FormulaFinding,
    ) -> Result<(FormulaFinding, Script)> {
        let mut attempts = 0;
        let kind = |finding: &FormulaFinding| match finding {
            FormulaFinding::Wrong(why) => why.split([',', ':']).next().map(str::to_string),
            _ => None,
        };
        let wanted = kind(&finding);
        'again: loop {
            for candidate in best.smaller() {
                attempts += 1;
                if attempts > MOST_ATTEMPTS {
                    return Ok((finding, best));
                }
                let found = self.compare(&candidate)?;
                if kind(&found) == wanted {
                    (best, finding) = (candidate, found);
                    continue 'again;
                }
            }
            return Ok((finding, best));
        }
    }
}

/// What holds at a check, as assertions, and the question.
fn conditions(script: &Script, check: &ScriptCheck<'_>) -> String {
    let mut text = String::new();
    for &(at, term) in &check.asserted {
        text.push_str(&assertion(at, term, script.named[at]));
    }
    for term in check.assumed {
        text.push_str(&format!("(assert {term})\n"));
    }
    text.push_str("(check-sat)\n");
    text
}

/// Our model as definitions that others read: what is `(as @S!3 S)` to us is a constant that
/// differs from the other ones of its sort.
fn definitions(model: &[String]) -> String {
    let body = model.join("\n");
    let mut text = String::with_capacity(body.len());
    let mut elements: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut rest = &body[..];
    while let Some(at) = rest.find("(as @") {
        let (before, from) = rest.split_at(at);
        text.push_str(before);
        let Some((value, after)) = from[4..].split_once(')') else {
            break;
        };
        let (name, sort) = value.split_once(' ').unwrap_or((value, ""));
        elements.entry(sort).or_default().insert(name);
        text.push_str(&format!("|{name}|"));
        rest = after;
    }
    text.push_str(rest);
    let mut head = String::new();
    for (sort, names) in elements {
        head.push_str(&format!("(declare-sort {sort} 0)\n"));
        for name in &names {
            head.push_str(&format!("(declare-fun |{name}| () {sort})\n"));
        }
        if names.len() > 1 {
            let names: Vec<String> = names.iter().map(|name| format!("|{name}|")).collect();
            head.push_str(&format!("(assert (distinct {}))\n", names.join(" ")));
        }
    }
    head + &text
}

#[cfg(test)]
mod tests {
    use super::definitions;

    #[test]
    fn elements_of_declared_sorts_become_distinct_constants() {
        let model = [
            "(define-fun a () S (as @S!0 S))",
            "(define-fun b () S (as @S!2 S))",
        ];
        let text = definitions(&model.map(String::from));
        assert!(text.contains("(declare-fun |@S!2| () S)"), "{text}");
        assert!(text.contains("(assert (distinct |@S!0| |@S!2|))"), "{text}");
        assert!(text.ends_with("(define-fun b () S |@S!2|)"), "{text}");
    }
}
