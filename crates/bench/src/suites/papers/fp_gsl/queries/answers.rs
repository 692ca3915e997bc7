//! The answers of all solvers to the queries: the table, and the disagreements.

use crate::tools::contenders::ContenderAnswer;
use crate::tools::float::PLAIN;
use crate::tools::report::{Cell, Report};
use anyhow::{Context as _, Result};
use std::path::{Path, PathBuf};

/// We may leave open this share of what bitwuzla or z3 decides.
const DECIDED: f64 = 0.99;
/// And take so many times bitwuzla's time where both decide.
const TIME: f64 = 2.0;

/// All answers.
pub struct Asked {
    pub files: Vec<PathBuf>,
    pub names: Vec<String>,
    /// So many of the names are ours; they stand first.
    pub ours: usize,
    /// By name, then by file.
    pub said: Vec<Vec<ContenderAnswer>>,
    pub limit: f64,
}

impl Asked {
    fn is_decided(&self, k: usize, file: usize) -> bool {
        let answer = &self.said[k][file];
        answer.is_decided() && answer.solve <= self.limit
    }

    fn files_where(&self, test: impl Fn(usize) -> bool) -> Vec<usize> {
        (0..self.files.len()).filter(|&file| test(file)).collect()
    }

    fn decided(&self, k: usize) -> Vec<usize> {
        self.files_where(|file| self.is_decided(k, file))
    }

    fn par2(&self, k: usize) -> f64 {
        let score = |file| {
            if self.is_decided(k, file) {
                self.said[k][file].solve
            } else {
                2.0 * self.limit
            }
        };
        (0..self.files.len()).map(score).sum()
    }

    /// Whether somebody says the opposite.
    fn is_disputed(&self, k: usize, file: usize) -> bool {
        let own = &self.said[k][file];
        let differs =
            |other: &Vec<ContenderAnswer>| other[file].is_decided() && other[file].word != own.word;
        own.is_decided() && self.said.iter().any(differs)
    }

    fn at(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|n| n == name)
    }

    pub fn table(&self) -> Report {
        let title = format!(
            "{} distinct queries about floats, CPU s, {} s a query",
            self.files.len(),
            self.limit
        );
        let columns = [
            "solver",
            "decided",
            "sat",
            "unsat",
            "errors",
            "PAR-2",
            "time / bitwuzla's",
            "disputed",
        ];
        let mut report = Report::new(&title, &columns);
        report.plotted = vec![1, 5];
        for (k, name) in self.names.iter().enumerate() {
            let said = |word: &str| self.said[k].iter().filter(|a| a.word == word).count() as u64;
            let unknown = self.said[k].iter().filter(|a| a.word == "unknown").count();
            let words = (said("sat"), said("unsat"));
            let errors = self.files.len() as u64 - words.0 - words.1 - unknown as u64;
            let disputed = self.files_where(|file| self.is_disputed(k, file)).len();
            let is_default = k < self.ours && (name == "auto" || name == PLAIN);
            let mut row: Vec<Cell> = vec![
                name.as_str().into(),
                (self.decided(k).len() as u64).into(),
                words.0.into(),
                words.1.into(),
                errors.into(),
                self.par2(k).into(),
                self.time_ratio(k).map_or(Cell::Empty, Cell::from),
                (disputed as u64).into(),
            ];
            if is_default {
                self.set_goals(k, &mut row);
            }
            report.rows.push(row);
        }
        self.remarks(&mut report);
        report
    }

    /// Our time over bitwuzla's for what both decide.
    fn time_ratio(&self, k: usize) -> Option<f64> {
        let other = self.at("bitwuzla")?;
        let both = self.files_where(|f| self.is_decided(k, f) && self.is_decided(other, f));
        let time = |k: usize| both.iter().map(|&f| self.said[k][f].solve).sum::<f64>();
        (!both.is_empty()).then(|| time(k) / time(other).max(1e-9))
    }

    /// The goals of the default method.
    fn set_goals(&self, k: usize, row: &mut [Cell]) {
        let goal = |value: f64, goal: f64, at_most| Cell::Goal {
            value,
            goal,
            at_most,
        };
        let others = [self.at("bitwuzla"), self.at("z3")];
        let others: Vec<usize> = others.into_iter().flatten().collect();
        let theirs = self.files_where(|f| others.iter().any(|&o| self.is_decided(o, f)));
        if !others.is_empty() {
            let decided = self.decided(k).len() as f64;
            row[1] = goal(decided, (DECIDED * theirs.len() as f64).floor(), false);
        }
        if let Some(other) = self.at("bitwuzla") {
            row[5] = goal(self.par2(k), self.par2(other), true);
        }
        if let Some(ratio) = self.time_ratio(k) {
            row[6] = goal(ratio, TIME, true);
        }
    }

    fn remarks(&self, report: &mut Report) {
        for file in self.files_where(|f| (0..self.ours).any(|k| self.is_disputed(k, f))) {
            let text = format!(
                "disagreement: {}: {}",
                self.files[file].display(),
                self.words(file)
            );
            report.failures.push(text);
        }
        let others = self.ours..self.names.len();
        for file in self.files_where(|f| others.clone().any(|k| self.is_disputed(k, f))) {
            let text = format!(
                "the others' answers: {}: {}",
                self.files[file].display(),
                self.words(file)
            );
            report.remarks.push(text);
        }
        let open = |f: usize| {
            !(0..self.ours).any(|k| self.is_decided(k, f))
                && others.clone().any(|k| self.is_decided(k, f))
        };
        for file in self.files_where(open).into_iter().take(10) {
            let text = format!(
                "only others decide: {}: {}",
                self.files[file].display(),
                self.words(file)
            );
            report.remarks.push(text);
        }
    }

    fn words(&self, file: usize) -> String {
        let each = self.names.iter().zip(&self.said);
        let texts =
            each.map(|(n, said)| format!("{n} {} {:.3} s", said[file].word, said[file].solve));
        texts.collect::<Vec<_>>().join(", ")
    }

    /// Every answer as a line of a table, for scripts.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut text = String::from("query");
        for name in &self.names {
            text.push_str(&format!(",{name},{name}_solve_s"));
        }
        for (k, file) in self.files.iter().enumerate() {
            text.push_str(&format!("\n{}", file.display()));
            for said in &self.said {
                text.push_str(&format!(",{:?},{:.6}", said[k].word, said[k].solve));
            }
        }
        text.push('\n');
        std::fs::write(path, text).with_context(|| path.display().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_compared() {
        let answer = |word: &str, solve: f64| ContenderAnswer {
            word: word.into(),
            read: 0.0,
            solve,
        };
        let asked = Asked {
            files: ["a", "b", "c"].map(PathBuf::from).into(),
            names: ["auto", "bitwuzla"].map(String::from).into(),
            ours: 1,
            said: vec![
                vec![
                    answer("sat", 1.0),
                    answer("unknown", 2.0),
                    answer("unsat", 1.0),
                ],
                vec![answer("sat", 2.0), answer("sat", 3.0), answer("sat", 1.0)],
            ],
            limit: 10.0,
        };
        assert_eq!((asked.par2(0), asked.par2(1)), (22.0, 6.0));
        assert_eq!(asked.time_ratio(0), Some(2.0 / 3.0));
        let report = asked.table();
        assert_eq!(report.failures.len(), 1);
        assert!(
            report.failures[0].contains("disagreement: c"),
            "{}",
            report.failures[0]
        );
        assert!(
            report
                .remarks
                .iter()
                .any(|r| r.contains("only others decide: b"))
        );
        assert!(!report.met());
    }
}
