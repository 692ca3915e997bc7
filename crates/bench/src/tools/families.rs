//! Generated scripts in families, and the answers of solvers.
//!
//! Each family has several sizes; problems go round over families and sizes, and one does not depend on which other families there
//! are. Every solver's answer is held against the others', and against the construction where that fixes it.

use super::Context;
use super::contenders::{Contender, ContenderAnswer, PEERS};
use super::kept::ResultStore;
use super::report::{Cell, Report, number};
use super::script::Problem;
use anyhow::{Context as _, Result, bail};
use oracle::random::Random;
use std::path::PathBuf;

/// A problem of a size.
pub type Generate = fn(&mut Random, u32) -> Problem;

/// What a suite asks.
pub struct Families {
    /// The suite's name, and the directory below `OUT`.
    pub name: &'static str,
    /// Each is a row of the table.
    pub all: &'static [(&'static str, Generate)],
    /// Sizes of each family.
    pub sizes: u32,
    /// Problems unless `--count` says otherwise.
    pub count: u64,
    /// CPU seconds a problem unless `--time` says otherwise.
    pub limit: f64,
    /// The other solvers, unless `--only` names some.
    pub peers: &'static [&'static str],
}

/// A problem, its family, and what all solvers say, ours first.
pub struct FamilyRow {
    pub family: &'static str,
    pub file: PathBuf,
    pub is_sat: Option<bool>,
    pub answers: Vec<ContenderAnswer>,
}

impl FamilyRow {
    pub fn is_decided(&self, contender: usize, limit: f64) -> bool {
        let answer = &self.answers[contender];
        answer.is_decided() && answer.solve <= limit
    }

    /// Does an answer contradict the construction or another solver's answer?
    pub fn is_disputed(&self) -> bool {
        let by_construction = self.is_sat.map(|s| if s { "sat" } else { "unsat" });
        let words = self.answers.iter().map(|a| a.word.as_str());
        let words: Vec<&str> = words.chain(by_construction).collect();
        words.contains(&"sat") && words.contains(&"unsat")
    }
}

/// All answers.
pub struct Asked {
    pub rows: Vec<FamilyRow>,
    pub solvers: Vec<Contender>,
    /// CPU seconds a problem.
    pub limit: f64,
}

/// How a suite reads the answers.
pub struct Reading<'a> {
    pub title: String,
    /// CPU seconds that count for a problem and a solver.
    pub time: &'a dyn Fn(&FamilyRow, usize) -> f64,
    /// The name of the last column.
    pub last_column: String,
    /// Its cell for problems of a family or, with `true`, of all.
    pub last: &'a dyn Fn(&[&FamilyRow], bool) -> Cell,
    /// What is to be remarked on a problem.
    pub remark: &'a dyn Fn(&FamilyRow) -> Option<&'static str>,
}

impl Families {
    /// Writes the problems, and asks all solvers.
    ///
    /// # Errors
    /// `--only` names neither a solver nor a family; a file or a process fails.
    pub fn ask(&self, context: &Context) -> Result<Asked> {
        let is_peer = |name: &String| PEERS.contains(&name.as_str());
        let is_family = |name: &String| self.all.iter().any(|(family, _)| family == name);
        let unknown = |name: &&String| !is_peer(name) && !is_family(name);
        if let Some(name) = context.only.iter().find(unknown) {
            bail!("--only: '{name}' is neither a solver nor a family of this suite");
        }
        let is_any_named = context.only.iter().any(is_peer);
        let mut solvers = vec![Contender::ours()];
        solvers.extend(Contender::peers(context).into_iter().filter(|peer| {
            if is_any_named {
                context.only.contains(&peer.name)
            } else {
                self.peers.contains(&peer.name.as_str())
            }
        }));
        let limit = context.time.unwrap_or(self.limit);
        let mut rows = self.problems(context)?;
        let mut kept = ResultStore::open(&context.out.join(self.name).join("said.jsonl"))?;
        let files: Vec<PathBuf> = rows.iter().map(|r| r.file.clone()).collect();
        for solver in &solvers {
            say::err!("{}: {}, {} problems", self.name, solver.name, rows.len());
            let answers = solver.answer(context, &mut kept, &files, limit)?;
            for (row, answer) in rows.iter_mut().zip(answers) {
                row.answers.push(answer);
            }
        }
        Ok(Asked {
            rows,
            solvers,
            limit,
        })
    }

    /// Writes the problems.
    fn problems(&self, context: &Context) -> Result<Vec<FamilyRow>> {
        let dir = context.out.join(self.name);
        std::fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
        let families = context.choose(self.all, |(name, _)| name);
        let mut rows = Vec::new();
        for k in 0..context.count.unwrap_or(self.count) {
            let (family, generate) = *families[k as usize % families.len()];
            let round = k / families.len() as u64;
            let seed = context.first_seed + round;
            let size = (round % u64::from(self.sizes)) as u32;
            let problem = problem(family, generate, seed, size);
            let file = dir.join(format!("{family}-{seed}.smt2"));
            std::fs::write(&file, problem.script)
                .with_context(|| format!("cannot write {}", file.display()))?;
            rows.push(FamilyRow {
                family,
                file,
                is_sat: problem.is_sat,
                answers: Vec::new(),
            });
        }
        Ok(rows)
    }
}

/// A problem of a family.
pub fn problem(family: &str, generate: Generate, seed: u64, size: u32) -> Problem {
    let own = family
        .bytes()
        .fold(0u64, |all, b| all.wrapping_mul(31).wrapping_add(b.into()));
    let mut random = Random(own.wrapping_mul(1 << 20).wrapping_add(seed));
    generate(&mut random, size)
}

impl Asked {
    /// A row for each family, and one for all; disagreements are failures.
    pub fn report(&self, reading: &Reading) -> Report {
        let mut columns = vec!["family".to_string(), "problems".into()];
        for solver in &self.solvers {
            columns.extend([format!("{} decided", solver.name), "CPU s".into()]);
        }
        columns.push(reading.last_column.clone());
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        let mut report = Report::new(&reading.title, &columns);
        report.plotted = (0..self.solvers.len()).map(|k| 3 + 2 * k).collect();
        let mut families: Vec<&str> = self.rows.iter().map(|r| r.family).collect();
        families.sort_unstable();
        families.dedup();
        for family in families {
            let own: Vec<&FamilyRow> = self.rows.iter().filter(|r| r.family == family).collect();
            report.rows.push(self.score(reading, family, &own, false));
        }
        let all: Vec<&FamilyRow> = self.rows.iter().collect();
        report.rows.push(self.score(reading, "all", &all, true));
        for row in &self.rows {
            let said = |(k, answer): (usize, &ContenderAnswer)| {
                let seconds = number((reading.time)(row, k));
                format!("{} {} {seconds} s", self.solvers[k].name, answer.word)
            };
            let said: Vec<String> = row.answers.iter().enumerate().map(said).collect();
            let text = format!("{}: {}", row.file.display(), said.join(", "));
            if row.is_disputed() {
                report.failures.push(format!("disagreement: {text}"));
            } else if let Some(what) = (reading.remark)(row) {
                report.remarks.push(format!("{what}: {text}"));
            }
        }
        report
    }

    /// A name, how many, for each solver what it decided in which time, and the last cell.
    fn score(&self, reading: &Reading, name: &str, rows: &[&FamilyRow], is_all: bool) -> Vec<Cell> {
        let mut cells: Vec<Cell> = vec![name.into(), (rows.len() as u64).into()];
        for k in 0..self.solvers.len() {
            let decided = rows.iter().filter(|r| r.is_decided(k, self.limit)).count();
            cells.push((decided as u64).into());
            let time: f64 = rows.iter().map(|r| (reading.time)(r, k)).sum();
            cells.push(time.into());
        }
        cells.push((reading.last)(rows, is_all));
        cells
    }
}

/// Shows that the families of a suite make whole scripts, and the same ones from the same seeds.
#[cfg(test)]
pub fn check(families: &Families) {
    for &(name, generate) in families.all {
        for size in 0..families.sizes {
            let [a, b] = [(); 2].map(|()| problem(name, generate, 7, size).script);
            assert_eq!(a, b, "{name}");
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_held_against_the_construction_and_the_others() {
        let answer = |word: &&str| ContenderAnswer {
            word: (*word).into(),
            read: 0.0,
            solve: 0.1,
        };
        let row = |is_sat, words: &[&str]| FamilyRow {
            family: "a",
            file: PathBuf::new(),
            is_sat,
            answers: words.iter().map(answer).collect(),
        };
        assert!(row(Some(false), &["sat", "sat"]).is_disputed());
        assert!(row(None, &["sat", "unknown", "unsat"]).is_disputed());
        assert!(!row(Some(true), &["sat", "unknown"]).is_disputed());
        let late = row(None, &["sat"]);
        assert!(late.is_decided(0, 0.1) && !late.is_decided(0, 0.05));
    }
}
