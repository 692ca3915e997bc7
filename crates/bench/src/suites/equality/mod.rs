//! Suite `equality`: generated scripts about equality of arrays, functions and declared sorts, our solver beside the others
//! (with `--only`, beside those, or over these families).
//!
//! Each family of [`FAMILIES`] has [`SIZES`] sizes; `--count` problems (500) go round over families and sizes, with and without
//! models. The goal is of each problem by itself: at most [`RATIO`] times the best of the others, and [`MORE`]. The time is that of
//! reading and solving, in a process that has started.

mod chains;
mod relations;
mod script;

use crate::tools::Context;
use crate::tools::contenders::{Answer, Contender, PEERS};
use crate::tools::kept::Kept;
use crate::tools::report::{Cell, Report, number};
use anyhow::{Context as _, Result, bail};
use oracle::random::Random;
use std::path::PathBuf;

/// Sizes of each family.
const SIZES: u64 = 6;
/// Problems unless `--count` says otherwise.
const COUNT: u64 = 500;
/// We may take so many times the time of the best of the others,
const RATIO: f64 = 3.0;
/// and so many seconds more.
const MORE: f64 = 0.02;

/// The script of a problem of a size below [`SIZES`].
type Generate = fn(&mut Random, usize) -> String;

/// All families, each one's own row.
#[rustfmt::skip]
const FAMILIES: &[(&str, Generate)] = &[
    ("choices", relations::choices),
    ("chosen-stores", relations::chosen_stores),
    ("constants", relations::constants),
    ("copies", chains::copies),
    ("declared-sorts", relations::declared_sorts),
    ("different-before-a-store", chains::different_before_a_store),
    ("exchanges", chains::exchanges),
    ("functions", relations::functions),
    ("stores-in-two-orders", chains::stores_in_two_orders),
    ("swaps-and-back", chains::swaps_and_back),
    ("swaps-in-two-orders", chains::swaps_in_two_orders),
];

/// A problem, its family, and what all solvers say, ours first.
struct Row {
    family: &'static str,
    file: PathBuf,
    answers: Vec<Answer>,
}

impl Row {
    fn is_decided(&self, contender: usize, limit: f64) -> bool {
        let answer = &self.answers[contender];
        answer.is_decided() && answer.solve <= limit
    }

    /// CPU seconds of reading and solving, the latter at most the limit.
    fn time(&self, contender: usize, limit: f64) -> f64 {
        let answer = &self.answers[contender];
        answer.read + answer.solve.min(limit)
    }

    /// Are we slower than the best of the others allows? Not where none of them decides.
    fn is_over(&self, limit: f64) -> bool {
        let others = (1..self.answers.len()).filter(|&k| self.is_decided(k, limit));
        let best = others.map(|k| self.time(k, limit)).min_by(f64::total_cmp);
        best.is_some_and(|best| {
            !self.is_decided(0, limit) || self.time(0, limit) > RATIO * best + MORE
        })
    }

    /// Does an answer contradict another solver's?
    fn is_disputed(&self) -> bool {
        let has = |word: &str| self.answers.iter().any(|a| a.word == word);
        has("sat") && has("unsat")
    }
}

/// See the module.
pub fn run(context: &Context) -> Result<Report> {
    let limit = context.time.unwrap_or(4.0);
    let is_peer = |name: &String| PEERS.contains(&&name[..]);
    let is_family = |name: &String| FAMILIES.iter().any(|(family, _)| family == name);
    if let Some(name) = context.only.iter().find(|n| !is_peer(n) && !is_family(n)) {
        bail!("--only: '{name}' is neither a solver nor a family of this suite");
    }
    let is_any_peer = context.only.iter().any(is_peer);
    let mut asked = vec![Contender::ours()];
    let peers = Contender::peers(context).into_iter();
    asked.extend(peers.filter(|c| !is_any_peer || context.only.contains(&c.name)));
    let mut rows = problems(context)?;
    let mut kept = Kept::open(&context.out.join("equality/said.jsonl"))?;
    let files: Vec<PathBuf> = rows.iter().map(|r| r.file.clone()).collect();
    for contender in &asked {
        say::err!("equality: {}, {} problems", contender.name, rows.len());
        let answers = contender.answer(context, &mut kept, &files, limit)?;
        for (row, answer) in rows.iter_mut().zip(answers) {
            row.answers.push(answer);
        }
    }
    Ok(report(&rows, &asked, limit))
}

/// Writes the problems.
fn problems(context: &Context) -> Result<Vec<Row>> {
    let dir = context.out.join("equality");
    std::fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
    let families = context.choose(FAMILIES, |(name, _)| name);
    let mut rows = Vec::new();
    for k in 0..context.count.unwrap_or(COUNT) {
        let (family, generate) = *families[k as usize % families.len()];
        let round = k / families.len() as u64;
        let seed = context.first_seed + round;
        let file = dir.join(format!("{family}-{seed}.smt2"));
        let script = problem(family, generate, seed, round % SIZES);
        std::fs::write(&file, script)
            .with_context(|| format!("cannot write {}", file.display()))?;
        rows.push(Row {
            family,
            file,
            answers: Vec::new(),
        });
    }
    Ok(rows)
}

/// The script of a problem; it does not depend on which other families there are.
fn problem(family: &str, generate: Generate, seed: u64, size: u64) -> String {
    let own = family
        .bytes()
        .fold(0u64, |all, b| all.wrapping_mul(31).wrapping_add(b.into()));
    let mut random = Random(own.wrapping_mul(1 << 20).wrapping_add(seed));
    generate(&mut random, size as usize)
}

fn report(rows: &[Row], asked: &[Contender], limit: f64) -> Report {
    let title = format!("{} scripts about equality, {limit} s each", rows.len());
    let mut columns = vec!["family".to_string(), "problems".into()];
    for contender in asked {
        columns.push(format!("{} decided", contender.name));
        columns.push("CPU s".into());
    }
    columns.push(format!("over {RATIO} times the best and {MORE} s"));
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut report = Report::new(&title, &columns);
    report.plotted = (0..asked.len()).map(|k| 3 + 2 * k).collect();
    for (family, _) in FAMILIES {
        let own: Vec<&Row> = rows.iter().filter(|r| r.family == *family).collect();
        if !own.is_empty() {
            report.rows.push(score(family, &own, asked.len(), limit));
        }
    }
    let all: Vec<&Row> = rows.iter().collect();
    report.rows.push(score("all", &all, asked.len(), limit));
    for row in rows {
        let said = |k: usize| {
            let answer = &row.answers[k];
            let seconds = number(answer.read + answer.solve);
            format!("{} {} {seconds} s", asked[k].name, answer.word)
        };
        let all: Vec<String> = (0..asked.len()).map(said).collect();
        let text = format!("{}: {}", row.file.display(), all.join(", "));
        if row.is_disputed() {
            report.failures.push(format!("disagreement: {text}"));
        } else if row.is_over(limit) {
            report.remarks.push(format!("over: {text}"));
        }
    }
    report
}

/// The cells of a row: its name, how many, for each solver what it decided in which time, and how often we are over.
fn score(name: &str, rows: &[&Row], solvers: usize, limit: f64) -> Vec<Cell> {
    let mut cells: Vec<Cell> = vec![name.into(), (rows.len() as u64).into()];
    for k in 0..solvers {
        let decided = rows.iter().filter(|r| r.is_decided(k, limit)).count();
        cells.push((decided as u64).into());
        cells.push(rows.iter().map(|r| r.time(k, limit)).sum::<f64>().into());
    }
    cells.push(Cell::Goal {
        value: rows.iter().filter(|r| r.is_over(limit)).count() as f64,
        goal: 0.0,
        at_most: true,
    });
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_makes_the_same_problem_from_the_same_seed() {
        for &(name, generate) in FAMILIES {
            for size in 0..SIZES {
                let [a, b] = [(); 2].map(|()| problem(name, generate, 7, size));
                assert_eq!(a, b, "{name}");
                assert_ne!(a, problem(name, generate, 7, (size + 1) % SIZES), "{name}");
                assert!(a.ends_with("(check-sat)\n"), "{name}");
                let depth = a.bytes().fold(0i64, |d, b| match b {
                    b'(' => d + 1,
                    b')' => d - 1,
                    _ => d,
                });
                assert_eq!(depth, 0, "{name}");
            }
        }
    }

    #[test]
    fn what_is_over_is_held_against_the_best_that_decides() {
        let answer = |&(word, solve): &(&str, f64)| Answer {
            word: word.into(),
            read: 0.0,
            solve,
        };
        let row = |answers: &[(&str, f64)]| Row {
            family: "a",
            file: PathBuf::new(),
            answers: answers.iter().map(answer).collect(),
        };
        let best = ("sat", 0.1);
        assert!(!row(&[("sat", 0.31), ("unknown", 0.01), best]).is_over(4.0));
        assert!(row(&[("sat", 0.33), ("sat", 3.0), best]).is_over(4.0));
        assert!(row(&[("unknown", 0.01), best]).is_over(4.0));
        assert!(!row(&[("unknown", 4.0), ("unknown", 4.0)]).is_over(4.0));
        assert!(row(&[("unsat", 0.1), ("unknown", 4.0), best]).is_disputed());
        assert!(!row(&[best, ("unknown", 4.0)]).is_disputed());
    }
}
