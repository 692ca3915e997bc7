//! Suite `lia`: generated problems over linear integers, our solver beside z3 (with `--only`, beside others).
//!
//! Each family of [`FAMILIES`] has [`SIZES`] sizes; `--count` problems (300) go round over families and sizes. Where the
//! construction of a problem fixes its answer, every solver's is held against it.

mod choices;
mod programs;
mod script;
mod systems;

use crate::tools::Context;
use crate::tools::contenders::{Answer, Contender, PEERS};
use crate::tools::kept::Kept;
use crate::tools::report::{Cell, Report, number};
use anyhow::{Context as _, Result};
use oracle::random::Random;
use script::Problem;
use std::path::PathBuf;

/// Sizes of each family.
const SIZES: u32 = 5;
/// Problems unless `--count` says otherwise.
const COUNT: u64 = 300;
/// We may take so many times z3's time in all, and in a family.
const RATIO: (f64, f64) = (2.0, 5.0);
/// Seconds added to both times before a family's ratio is taken: below, what differs is noise.
const NOISE: f64 = 0.02;

/// A problem of a size below [`SIZES`].
type Generate = fn(&mut Random, u32) -> Problem;

/// All families, each one's own row.
#[rustfmt::skip]
const FAMILIES: &[(&str, Generate)] = &[
    ("circuits", programs::circuits),
    ("dense", systems::dense),
    ("diamonds", choices::diamonds),
    ("differences", choices::differences),
    ("digits", programs::digits),
    ("disjunctions", choices::disjunctions),
    ("fft", programs::fft),
    ("gcd", systems::gcd),
    ("knapsack", systems::knapsack),
    ("loops", programs::loops),
    ("narrow", systems::narrow),
    ("packing", choices::packing),
    ("petri", systems::petri),
    ("pigeons", choices::pigeons),
    ("pseudo-boolean", choices::pseudo_boolean),
    ("puzzles", choices::puzzles),
    ("queens", choices::queens),
    ("rhombi", systems::rhombi),
    ("rings", programs::rings),
    ("scheduling", choices::scheduling),
    ("slack", systems::slack),
    ("tropical", programs::tropical),
    ("unbounded", systems::unbounded),
];

/// A problem, its family, and what all solvers say, ours first.
struct Row {
    family: &'static str,
    file: PathBuf,
    is_sat: Option<bool>,
    answers: Vec<Answer>,
}

impl Row {
    fn is_decided(&self, contender: usize, limit: f64) -> bool {
        let answer = &self.answers[contender];
        answer.is_decided() && answer.solve <= limit
    }

    /// CPU seconds, at most the limit.
    fn time(&self, contender: usize, limit: f64) -> f64 {
        self.answers[contender].solve.min(limit)
    }

    /// Does an answer contradict the construction or another solver's answer?
    fn is_disputed(&self) -> bool {
        let by_construction = self.is_sat.map(|s| if s { "sat" } else { "unsat" });
        let words = self.answers.iter().map(|a| a.word.as_str());
        let words: Vec<&str> = words.chain(by_construction).collect();
        words.contains(&"sat") && words.contains(&"unsat")
    }
}

/// See the module.
pub fn run(context: &Context) -> Result<Report> {
    let limit = context.time.unwrap_or(10.0);
    let mut asked = vec![Contender::ours()];
    let peers = Contender::peers(context).into_iter();
    let is_named = |c: &Contender| context.only.contains(&c.name);
    let is_any_named = PEERS.iter().any(|p| context.only.iter().any(|o| o == p));
    asked.extend(peers.filter(|c| {
        if is_any_named {
            is_named(c)
        } else {
            c.name == "z3"
        }
    }));
    let mut rows = problems(context)?;
    let mut kept = Kept::open(&context.out.join("lia/said.jsonl"))?;
    let files: Vec<PathBuf> = rows.iter().map(|r| r.file.clone()).collect();
    for contender in &asked {
        say::err!("lia: {}, {} problems", contender.name, rows.len());
        let answers = contender.answer(context, &mut kept, &files, limit)?;
        for (row, answer) in rows.iter_mut().zip(answers) {
            row.answers.push(answer);
        }
    }
    Ok(report(&rows, &asked, limit))
}

/// Writes the problems.
fn problems(context: &Context) -> Result<Vec<Row>> {
    let dir = context.out.join("lia");
    std::fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
    let families = context.choose(FAMILIES, |(name, _)| name);
    let mut rows = Vec::new();
    for k in 0..context.count.unwrap_or(COUNT) {
        let (family, generate) = *families[k as usize % families.len()];
        let round = k / families.len() as u64;
        // A family's problems do not depend on which others there are.
        let own = family.bytes().fold(0, |all, b| 31 * all + b as u64);
        let seed = context.first_seed + round;
        let mut random = Random(own.wrapping_mul(1 << 20) + seed);
        let problem = generate(&mut random, (round % SIZES as u64) as u32);
        let file = dir.join(format!("{family}-{seed}.smt2"));
        std::fs::write(&file, problem.script)
            .with_context(|| format!("cannot write {}", file.display()))?;
        rows.push(Row {
            family,
            file,
            is_sat: problem.is_sat,
            answers: Vec::new(),
        });
    }
    Ok(rows)
}

fn report(rows: &[Row], asked: &[Contender], limit: f64) -> Report {
    let title = format!(
        "{} problems over linear integers, {limit} s each",
        rows.len()
    );
    let mut columns = vec!["family".to_string(), "problems".into()];
    for contender in asked {
        columns.push(format!("{} decided", contender.name));
        columns.push("CPU s".into());
    }
    columns.push(format!(
        "ratio to {}",
        asked[1..].first().map_or("-", |c| &c.name)
    ));
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut report = Report::new(&title, &columns);
    report.plotted = (0..asked.len()).map(|k| 3 + 2 * k).collect();
    let mut families: Vec<&str> = rows.iter().map(|r| r.family).collect();
    families.sort_unstable();
    families.dedup();
    for family in families {
        let own: Vec<&Row> = rows.iter().filter(|r| r.family == family).collect();
        report
            .rows
            .push(score(family, &own, asked.len(), limit, RATIO.1));
    }
    let all: Vec<&Row> = rows.iter().collect();
    let mut cells = score("all", &all, asked.len(), limit, RATIO.0);
    if let (Cell::Number(value), Some(Cell::Number(goal))) = (&cells[2], cells.get(4)) {
        cells[2] = Cell::Goal {
            value: *value,
            goal: *goal,
            at_most: false,
        };
    }
    report.rows.push(cells);
    for row in rows {
        let said = |k: usize| {
            let answer = &row.answers[k];
            format!(
                "{} {} {} s",
                asked[k].name,
                answer.word,
                number(answer.solve)
            )
        };
        let all: Vec<String> = (0..asked.len()).map(said).collect();
        let text = format!("{}: {}", row.file.display(), all.join(", "));
        if row.is_disputed() {
            report.failures.push(format!("disagreement: {text}"));
        } else if !row.is_decided(0, limit) && (1..asked.len()).any(|k| row.is_decided(k, limit)) {
            report.remarks.push(format!("undecided: {text}"));
        }
    }
    report
}

/// The cells of a row: its name, how many, for each solver what it decided in which time, our ratio to the first other one.
fn score(name: &str, rows: &[&Row], solvers: usize, limit: f64, most: f64) -> Vec<Cell> {
    let mut cells: Vec<Cell> = vec![name.into(), (rows.len() as u64).into()];
    let time = |k: usize| rows.iter().map(|r| r.time(k, limit)).sum::<f64>();
    for k in 0..solvers {
        let decided = rows.iter().filter(|r| r.is_decided(k, limit)).count();
        cells.push((decided as u64).into());
        cells.push(time(k).into());
    }
    if solvers > 1 {
        let noise = NOISE * rows.len() as f64;
        cells.push(Cell::Goal {
            value: (time(0) + noise) / (time(1) + noise),
            goal: most,
            at_most: true,
        });
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_makes_the_same_problem_from_the_same_seed() {
        for (name, generate) in FAMILIES {
            for size in 0..SIZES {
                let [a, b] = [(); 2].map(|()| generate(&mut Random(7), size));
                assert_eq!(a.script, b.script, "{name}");
                assert!(a.script.ends_with("(check-sat)\n"), "{name}");
                let depth = a.script.bytes().fold(0i64, |d, b| match b {
                    b'(' => d + 1,
                    b')' => d - 1,
                    _ => d,
                });
                assert_eq!(depth, 0, "{name}");
            }
        }
    }

    #[test]
    fn an_answer_is_held_against_the_construction() {
        let answer = |word: &str| Answer {
            word: word.into(),
            read: 0.0,
            solve: 0.1,
        };
        let row = |is_sat, words: &[&str]| Row {
            family: "a",
            file: PathBuf::new(),
            is_sat,
            answers: words.iter().map(|w| answer(w)).collect(),
        };
        assert!(row(Some(false), &["sat", "sat"]).is_disputed());
        assert!(row(None, &["sat", "unsat"]).is_disputed());
        assert!(!row(Some(true), &["sat", "unknown"]).is_disputed());
    }
}
