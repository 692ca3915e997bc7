//! Suite `formulas`: generated formulas, our answers against z3's and bitwuzla's.
//!
//! Each model is put in place of the declarations and z3 is asked whether the assertions hold under it, each
//! core is asked of z3 by itself. What is wrong is shrunk by delta debugging (Zeller and Hildebrandt,
//! 2002) over the tree: assertions dropped, nodes replaced by a child of their sort or by the
//! simplest term, as long as it stays wrong; the result is kept as a script.

mod formula;
mod generate;
pub(crate) mod solvers;

use crate::Context;
use crate::report::{Cell, Report};
use anyhow::{Context as _, Result};
use formula::{Formula, Node};
use solvers::{Oracles, Polypath};
use std::collections::BTreeMap;
use std::path::Path;

/// Most attempts to shrink one formula.
const MOST_ATTEMPTS: usize = 1500;

/// What came of one formula.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Finding {
    /// The solvers agree, and model or core are right.
    Agreed(&'static str),
    /// We do not say anything while another solver does.
    Unsolved(String),
    /// No other solver says anything.
    Undecided,
    /// We are wrong.
    Wrong(String),
}

/// The solvers of one comparison.
pub struct Comparison {
    polypath: Polypath,
    oracles: Oracles,
}

impl Comparison {
    /// Starts the solvers; `folder` is where the others live and are installed.
    pub fn start(
        polypath: &Path,
        options: &[String],
        folder: &Path,
        milliseconds: u64,
    ) -> Result<Comparison> {
        let python = solvers::python(folder).context("z3 and bitwuzla are not there")?;
        Ok(Comparison {
            polypath: Polypath::new(polypath, options, milliseconds),
            oracles: Oracles::start(&python, milliseconds)?,
        })
    }

    /// Compares the answers to the formula of a seed, and gives its script; a wrong one comes back
    /// shrunk.
    pub fn check(&mut self, seed: u64) -> Result<(Finding, String)> {
        let formula = generate::formula(seed);
        let finding = self.compare(&formula)?;
        let (finding, formula) = match finding {
            Finding::Wrong(_) => self.shrink(formula, finding)?,
            _ => (finding, formula),
        };
        Ok((finding, formula.script()))
    }

    fn compare(&mut self, formula: &Formula) -> Result<Finding> {
        let ours = self.polypath.ask(&format!(
            "{}{}",
            formula.declarations(),
            formula.assertions(|_| true)
        ));
        let script = formula.script();
        let mut theirs = "unknown".to_string();
        for name in ["bitwuzla", "z3"] {
            if name == "bitwuzla" && formula.has_ints() {
                continue;
            }
            let word = self.oracles.ask(name, &script)?;
            if word == "sat" || word == "unsat" {
                theirs = word;
                break;
            }
        }
        let wrong = match &ours.word[..] {
            "sat" | "unsat" if theirs != "unknown" && theirs != ours.word => {
                Some(format!("we say {}, others say {theirs}", ours.word))
            }
            "sat" => {
                let inner = ours.proof.len().saturating_sub(1).max(1);
                let model = ours.proof[1.min(inner)..inner].join("\n");
                let text = format!("{model}\n{}(check-sat)\n", formula.assertions(|_| true));
                match &self.oracles.ask("z3", &text)?[..] {
                    "sat" | "unknown" => None,
                    other => Some(format!("the model is wrong: {other}")),
                }
            }
            "unsat" => {
                let named = |k: usize| ours.proof.contains(&format!("a{k}"));
                let core = formula.assertions(named);
                let text = format!("{}{core}(check-sat)\n", formula.declarations());
                match &self.oracles.ask("z3", &text)?[..] {
                    "unsat" | "unknown" => None,
                    other => Some(format!("the core is wrong: {other}")),
                }
            }
            "unknown" if theirs != "unknown" => {
                return Ok(Finding::Unsolved(theirs));
            }
            "unknown" => return Ok(Finding::Undecided),
            other => Some(format!("we answer {other}")),
        };
        Ok(match wrong {
            Some(why) => Finding::Wrong(why),
            None if ours.word == "sat" => Finding::Agreed("sat"),
            None => Finding::Agreed("unsat"),
        })
    }

    /// The smallest formula found that is wrong in the same way (up to the first words).
    fn shrink(&mut self, mut best: Formula, mut finding: Finding) -> Result<(Finding, Formula)> {
        let mut attempts = 0;
        let kind = |finding: &Finding| match finding {
            Finding::Wrong(why) => why.split([',', ':']).next().map(str::to_string),
            _ => None,
        };
        let wanted = kind(&finding);
        'again: loop {
            for candidate in candidates(&best) {
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

/// Formulas that are a little smaller, the smallest first.
fn candidates(formula: &Formula) -> Vec<Formula> {
    let mut out = Vec::new();
    for k in 0..formula.assertions.len() {
        let mut smaller = formula.clone();
        smaller.assertions.remove(k);
        out.push(smaller);
    }
    for (k, assertion) in formula.assertions.iter().enumerate() {
        for at in 0..assertion.size() {
            let Some(node) = assertion.get(at) else {
                continue;
            };
            let simplest = node.sort.simplest();
            let mut replacements: Vec<Node> = Vec::new();
            if !node.args.is_empty() {
                replacements.push(simplest);
            }
            replacements.extend(node.args.iter().filter(|a| a.sort == node.sort).cloned());
            for new in replacements {
                let mut smaller = formula.clone();
                smaller.assertions[k] = assertion.with(at, &new);
                out.push(smaller);
            }
        }
    }
    out.sort_by_key(Formula::size);
    out
}

/// See the module.
pub fn run(context: &Context) -> Result<Report> {
    let folder = toolchain::cache::root()?.join("oracles");
    let milliseconds = (context.time.unwrap_or(5.0) * 1000.0) as u64;
    let dir = context.out.join("formulas");
    std::fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
    let mut comparison = Comparison::start(
        &context.polypath,
        &context.run_options,
        &folder,
        milliseconds,
    )?;
    let mut report = Report::new("Generated formulas against z3 and bitwuzla", &["", "count"]);
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for seed in context.first_seed..context.first_seed + context.count {
        let (finding, script) = comparison.check(seed)?;
        let row = match &finding {
            Finding::Agreed(word) => format!("{word}, agreed and checked"),
            Finding::Unsolved(word) => format!("unknown to us, {word} to others"),
            Finding::Undecided => "unknown to all".into(),
            Finding::Wrong(_) => "wrong".into(),
        };
        *counts.entry(row).or_default() += 1;
        match finding {
            Finding::Wrong(why) => {
                let text = format!("; seed {seed}: {why}\n{script}");
                std::fs::write(dir.join(format!("wrong-{seed}.smt2")), &text)?;
                eprintln!("formulas: seed {seed}: {why}");
                report.failures.push(format!("seed {seed}: {why}"));
            }
            Finding::Unsolved(word) => {
                let text = format!("; seed {seed}: others say {word}\n{script}");
                std::fs::write(dir.join(format!("unsolved-{seed}.smt2")), text)?;
            }
            Finding::Agreed(_) | Finding::Undecided => {}
        }
        if (seed + 1 - context.first_seed).is_multiple_of(500) {
            eprintln!("formulas: {counts:?}");
        }
    }
    for (name, count) in counts {
        report.rows.push(vec![Cell::from(name), Cell::from(count)]);
    }
    Ok(report)
}
