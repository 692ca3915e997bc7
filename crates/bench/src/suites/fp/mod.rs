//! Suite `fp`: single conditions on floating-point numbers, each as a program for `polypath run` and as a script for
//! `polypath solve` and the other solvers, by every method of `--fp-solver`. A wrong answer is a failure.
//!
//! `--only` names conditions, methods and solvers. (GSL's functions are in the papers' suite `fp-gsl`.)

mod cases;

use crate::tools::Context;
use crate::tools::contenders::{Contender, ContenderAnswer, PEERS};
use crate::tools::float::{
    self, FloatTable, PLAIN, Setting, compile, explore, replay, solve_methods,
};
use crate::tools::kept::ResultStore;
use crate::tools::report::{Cell, Report, median, number};
use anyhow::{Context as _, Result, bail};
use cases::{CONDITIONS, Condition, HEADER};
use oracle::measure::measure;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// CPU seconds by default.
const SECONDS: f64 = 10.0;

/// CPU seconds of the run before the one that is measured. It translates the program, which is done once.
const FIRST: f64 = 1.0;

/// The method that the goals are for.
const DEFAULT: &str = "auto";

/// See the module.
pub fn run(context: &Context) -> Result<Report> {
    let offered = float::methods(context)?;
    let is_known = |name: &&String| {
        CONDITIONS.iter().any(|c| c.name == *name)
            || PEERS.contains(&name.as_str())
            || offered.contains(name)
    };
    // A misspelled name would choose everything.
    if let Some(name) = context.only.iter().find(|name| !is_known(name)) {
        bail!(
            "--only: '{name}' is no condition, method or solver; GSL's functions are in papers fp-gsl"
        );
    }
    Setting::new(context, &offered)?.report(&[tables])
}

fn tables(setting: &Setting) -> Result<Vec<FloatTable>> {
    let conditions = setting.context.choose(CONDITIONS, |c| c.name);
    let dir = setting.dir.join("conditions");
    std::fs::create_dir_all(&dir).with_context(|| dir.display().to_string())?;
    std::fs::write(dir.join(HEADER.0), HEADER.1)?;
    Ok(vec![
        FloatTable::new("fp-conditions-run", programs(setting, &conditions, &dir)?),
        FloatTable::new("fp-conditions-solve", scripts(setting, &conditions, &dir)?),
    ])
}

/// What happened within the limit.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct LimitedVerdict {
    /// CPU seconds of the process.
    cpu_s: f64,
    /// CPU seconds until it said `sat` or found the input.
    found: Option<f64>,
    /// It said `unsat` or explored everything.
    done: bool,
    /// The input does what is said of it natively; `None`: there is nothing to replay.
    confirmed: Option<bool>,
    /// What it said where that is neither.
    said: String,
}

impl LimitedVerdict {
    fn is_wrong(&self, condition: &Condition) -> bool {
        let is_refuted = self.confirmed == Some(false);
        if condition.is_satisfiable {
            self.done && self.found.is_none() || is_refuted
        } else {
            self.found.is_some()
        }
    }

    fn is_right(&self, condition: &Condition) -> bool {
        !self.is_wrong(condition)
            && if condition.is_satisfiable {
                self.found.is_some()
            } else {
                self.done
            }
    }
}

/// The cell of one method: CPU seconds until it knows the answer, or what it leaves open.
fn cell(condition: &Condition, verdicts: &[LimitedVerdict], limit: f64, goal: Option<f64>) -> Cell {
    if let Some(wrong) = verdicts.iter().find(|v| v.is_wrong(condition)) {
        return format!("WRONG: {}", wrong.said).into();
    }
    let right = verdicts.iter().filter(|v| v.is_right(condition));
    let times: Vec<f64> = right.map(|v| v.found.unwrap_or(v.cpu_s)).collect();
    let value = median(&times).unwrap_or(0.0);
    if times.len() == verdicts.len() {
        return match goal {
            Some(goal) => Cell::Goal {
                value,
                goal,
                at_most: true,
            },
            None => value.into(),
        };
    }
    let mut text = if times.is_empty() {
        match verdicts.iter().find(|v| v.cpu_s < limit / 2.0) {
            Some(early) => format!("{} after {}", short(&early.said), number(early.cpu_s)),
            None => format!("none in {}", number(limit)),
        }
    } else {
        format!("{} of {}, {}", times.len(), verdicts.len(), number(value))
    };
    if let Some(goal) = goal {
        text += &format!(" (MISSED, <= {})", number(goal));
    }
    text.into()
}

/// Why a run ended, in a word: sides of branches are parked (set aside) when nobody decides them.
fn short(said: &str) -> String {
    match said.split_once(" parked (") {
        Some((_, reasons)) => format!("parked ({reasons}"),
        None => said.into(),
    }
}

/// A goal that was missed without a time is a failure.
fn note(report: &mut Report, condition: &Condition, method: &str, cell: &Cell, is_goal: bool) {
    if let Cell::Text(text) = cell
        && (is_goal || text.starts_with("WRONG"))
    {
        report
            .failures
            .push(format!("{}: {method}: {text}", condition.name));
    }
}

fn programs(setting: &Setting, conditions: &[&Condition], dir: &Path) -> Result<Report> {
    let limit = setting.context.time.unwrap_or(SECONDS);
    let title = format!(
        "Conditions as programs: CPU s of `polypath run` until the input is found, or everything is explored, {limit} s at most"
    );
    let mut columns = vec!["condition", "satisfiable"];
    columns.extend(setting.methods.iter().map(String::as_str));
    let mut report = Report::new(&title, &columns);
    report.plotted = (2..columns.len()).collect();
    let mut kept: ResultStore<LimitedVerdict> =
        ResultStore::open(&setting.dir.join("conditions-run.jsonl"))?;
    for condition in conditions {
        say::err!("fp: {} as a program", condition.name);
        let source = dir.join(format!("{}.c", condition.name));
        std::fs::write(&source, condition.program)?;
        let program = dir.join(condition.name);
        compile(setting, &[&source], &["-lm"], &program)?;
        let mut row: Vec<Cell> = vec![condition.name.into(), answer_word(condition).into()];
        for method in &setting.methods {
            let mut verdicts = Vec::new();
            for seed in 0..setting.seeds() {
                let words = [condition.name, method, &format!("{limit} s, seed {seed}")];
                let key = setting.key(&words);
                let verdict =
                    kept.get(&key, || explored(setting, &program, method, limit, seed))?;
                verdicts.push(verdict);
            }
            let goal = (method == DEFAULT).then_some(condition.goal);
            let cell = cell(condition, &verdicts, limit, goal);
            note(&mut report, condition, method, &cell, goal.is_some());
            row.push(cell);
        }
        report.rows.push(row);
    }
    Ok(report)
}

fn answer_word(condition: &Condition) -> &'static str {
    if condition.is_satisfiable {
        "yes"
    } else {
        "no"
    }
}

/// One run of a program.
fn explored(
    setting: &Setting,
    program: &Path,
    method: &str,
    limit: f64,
    seed: u64,
) -> Result<LimitedVerdict> {
    let arguments = |command: &mut Command| {
        command.args(["--fp-solver", method]).arg(program);
    };
    explore(setting, FIRST, seed, arguments)?;
    let explored = explore(setting, limit, seed, arguments)?;
    let found = explored.run.timeline.iter().find(|point| point.errors > 0);
    let found = (explored.stats.errors > 0).then(|| found.map_or(explored.cpu_s, |p| p.cpu_s));
    let confirmed = match found {
        Some(_) => Some(!replay(setting, &explored)?.confirmed.is_empty()),
        None => None,
    };
    Ok(LimitedVerdict {
        cpu_s: explored.cpu_s,
        found,
        done: explored.stats.halted.is_none(),
        confirmed,
        said: explored
            .stats
            .halted
            .clone()
            .unwrap_or_else(|| "explored".into()),
    })
}

fn scripts(setting: &Setting, conditions: &[&Condition], dir: &Path) -> Result<Report> {
    let limit = setting.context.time.unwrap_or(SECONDS);
    let title = format!(
        "Conditions as scripts: CPU s of a process of `polypath solve`, of the query alone for the others, {limit} s at most"
    );
    let methods = solve_methods(setting)?;
    let conditions: Vec<(&Condition, &str)> = conditions
        .iter()
        .filter_map(|c| Some((*c, c.script?)))
        .collect();
    let mut files: Vec<PathBuf> = Vec::new();
    for (condition, script) in &conditions {
        let path = dir.join(format!("{}.smt2", condition.name));
        std::fs::write(&path, script)?;
        files.push(path);
    }
    let mut said = ResultStore::open(&setting.dir.join("conditions-said.jsonl"))?;
    let mut peers = Vec::new();
    for peer in Contender::peers(setting.context) {
        say::err!("fp: {} on {} scripts", peer.name, files.len());
        let answers = peer.answer(setting.context, &mut said, &files, limit)?;
        peers.push((peer.name, answers));
    }
    let mut columns = vec!["condition", "satisfiable"];
    columns.extend(methods.iter().map(String::as_str));
    columns.extend(peers.iter().map(|(name, _)| name.as_str()));
    let mut report = Report::new(&title, &columns);
    report.plotted = (2..columns.len()).collect();
    let mut kept: ResultStore<LimitedVerdict> =
        ResultStore::open(&setting.dir.join("conditions-solve.jsonl"))?;
    for (at, (condition, _)) in conditions.iter().enumerate() {
        let mut row: Vec<Cell> = vec![condition.name.into(), answer_word(condition).into()];
        for method in &methods {
            let key = setting.key(&[condition.name, method, &format!("{limit} s")]);
            let verdict = kept.get(&key, || solved(setting, &files[at], method, limit))?;
            let is_default = method == DEFAULT || method == PLAIN;
            let goal = is_default.then_some(condition.goal);
            let cell = cell(condition, &[verdict], limit, goal);
            note(&mut report, condition, method, &cell, is_default);
            row.push(cell);
        }
        for (name, answers) in &peers {
            let cell = cell(condition, &[peer_verdict(&answers[at], limit)], limit, None);
            note(&mut report, condition, name, &cell, false);
            row.push(cell);
        }
        report.rows.push(row);
    }
    if methods == [PLAIN] {
        report
            .remarks
            .push("methods are not told apart: this `polypath solve` has no --fp-solver".into());
    }
    Ok(report)
}

/// One process of ours.
fn solved(setting: &Setting, file: &Path, method: &str, limit: f64) -> Result<LimitedVerdict> {
    let mut command = Command::new(&setting.context.polypath);
    // The limit is by the clock; what counts is processor time.
    command.args(["solve", "--time", &(4.0 * limit).to_string()]);
    if method != PLAIN {
        command.args(["--fp-solver", method]);
    }
    command.arg(file);
    let usage = measure(&mut command, Duration::from_secs_f64(5.0 * limit + 30.0))?;
    let said = String::from_utf8_lossy(&usage.stdout);
    let said = said.lines().next().unwrap_or("nothing").to_string();
    let in_time = usage.cpu_s <= limit;
    let decided = in_time && (said == "sat" || said == "unsat");
    Ok(LimitedVerdict {
        cpu_s: usage.cpu_s,
        found: (in_time && said == "sat").then_some(usage.cpu_s),
        done: decided,
        confirmed: None,
        said,
    })
}

fn peer_verdict(answer: &ContenderAnswer, limit: f64) -> LimitedVerdict {
    let in_time = answer.solve <= limit;
    LimitedVerdict {
        cpu_s: answer.solve,
        found: (in_time && answer.word == "sat").then_some(answer.solve),
        done: in_time && answer.is_decided(),
        confirmed: None,
        said: answer.word.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_judged() {
        let verdict = |found: Option<f64>, done| LimitedVerdict {
            cpu_s: 0.5,
            found,
            done,
            confirmed: found.map(|_| true),
            said: "word".into(),
        };
        let of = |name| *CONDITIONS.iter().find(|c| c.name == name).unwrap();
        let (sat, unsat) = (of("cube"), of("squares"));
        let text = |condition: &Condition, verdicts: &[LimitedVerdict]| match cell(
            condition, verdicts, 10.0, None,
        ) {
            Cell::Text(text) => text,
            Cell::Number(n) => n.to_string(),
            _ => unreachable!("no goal was given"),
        };
        let found = verdict(Some(0.2), true);
        assert_eq!(text(&sat, std::slice::from_ref(&found)), "0.2");
        assert_eq!(text(&sat, &[verdict(Some(0.2), false)]), "0.2");
        assert_eq!(
            text(&sat, &[found.clone(), verdict(None, false)]),
            "1 of 2, 0.20"
        );
        assert_eq!(text(&sat, &[verdict(None, false)]), "word after 0.50");
        assert_eq!(text(&sat, &[verdict(None, true)]), "WRONG: word");
        assert_eq!(
            short("2 paths unfinished; 1 branches parked (float)"),
            "parked (float)"
        );
        assert_eq!(text(&unsat, &[verdict(None, true)]), "0.5");
        assert_eq!(text(&unsat, std::slice::from_ref(&found)), "WRONG: word");
        let refuted = LimitedVerdict {
            confirmed: Some(false),
            ..found
        };
        assert_eq!(text(&sat, &[refuted]), "WRONG: word");
    }
}
