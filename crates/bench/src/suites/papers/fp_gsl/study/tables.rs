//! The tables and figures of the study.

use super::paper::{self, Paper};
use super::{SEARCHES, Study, StudyRun};
use crate::tools::Context;
use crate::tools::curve::{self, Curve};
use crate::tools::float::FloatTable;
use crate::tools::report::{Cell, Report, number};
use anyhow::{Context as _, Result};
use std::collections::{BTreeMap, BTreeSet};

/// Goals: lines of `auto` over those of `isc`; share of the files in which it is best.
const LINES: f64 = 1.05;
const FILES: f64 = 0.8;

impl Study {
    /// All of them.
    pub fn tables(mut self, context: &Context) -> Result<Vec<FloatTable>> {
        let mut tables = Vec::new();
        for s in self.searches.clone() {
            let search = SEARCHES[s];
            let name = |what: &str| format!("fp-study-{what}-{search}");
            let write = |what: &str, text: String| -> Result<()> {
                let path = context.out.join(format!("{}.svg", name(what)));
                std::fs::write(&path, text).with_context(|| path.display().to_string())
            };
            let files = self.by_file(s);
            write("time", self.over_time(s))?;
            let mut lines = self.lines(s, &files);
            lines.failures.append(&mut self.failures);
            tables.push(FloatTable::new(&name("lines"), lines));
            tables.push(FloatTable::new(&name("files"), self.file_table(s, &files)));
            tables.push(FloatTable::new(&name("exceptions"), self.exceptions(s)));
        }
        Ok(tables)
    }

    pub(super) fn of(&self, search: usize, method: usize) -> impl Iterator<Item = &StudyRun> {
        self.outcomes[search][method].iter().flatten()
    }

    pub(super) fn at(&self, method: &str) -> Option<usize> {
        self.methods.iter().position(|m| m == method)
    }

    /// Covered lines of a method in each function, the mean of its seeds.
    fn by_function(&self, search: usize, method: usize) -> Vec<f64> {
        let seeds = self.outcomes[search][method].iter();
        let mean = |own: &Vec<StudyRun>| {
            own.iter().map(StudyRun::covered).sum::<f64>() / own.len().max(1) as f64
        };
        seeds.map(mean).collect()
    }

    /// Different lines that a method covers in all functions of a header, the mean of its seeds, by header.
    fn by_file(&self, search: usize) -> BTreeMap<String, Vec<f64>> {
        let mut found: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for topic in self
            .functions
            .iter()
            .map(|f| &f.topic)
            .collect::<BTreeSet<_>>()
        {
            let count = |method: &Vec<Vec<StudyRun>>| {
                let own = self
                    .functions
                    .iter()
                    .zip(method)
                    .filter(|(f, _)| f.topic == *topic)
                    .map(|(_, runs)| runs);
                let seeds = own.clone().map(Vec::len).max().unwrap_or(0);
                let of_seed = |seed: usize| {
                    let lines = own.clone().filter_map(|runs| runs.get(seed));
                    let lines = lines.flat_map(|o| &o.lines);
                    let lines: BTreeSet<(&String, &u32)> = lines
                        .flat_map(|(file, lines)| lines.iter().map(move |l| (file, l)))
                        .collect();
                    lines.len() as f64
                };
                mean(&(0..seeds).map(of_seed).collect::<Vec<_>>())
            };
            let counts = self.outcomes[search].iter().map(count).collect();
            found.insert(topic.clone(), counts);
        }
        found
    }

    /// Fig. 2 and 3, and the averages of Fig. 4 and 5.
    fn lines(&self, search: usize, files: &BTreeMap<String, Vec<f64>>) -> Report {
        let title = format!(
            "Lines covered in {} functions of GSL, {} CPU s, {} (in brackets the paper's, after an hour)",
            self.functions.len(),
            self.seconds,
            SEARCHES[search]
        );
        let columns = [
            "method",
            "a function",
            "quartiles",
            "a file",
            "best in files",
            "s to isc's",
            "parked",
            "queries",
        ];
        let mut report = Report::new(&title, &columns);
        report.plotted = vec![1];
        let best = best_in(files, self.methods.len());
        for (m, method) in self.methods.iter().enumerate() {
            let paper = paper::of(method);
            let mut lines = self.by_function(search, m);
            lines.sort_by(f64::total_cmp);
            let a_file: Vec<f64> = files.values().map(|counts| counts[m]).collect();
            let a_file = beside(mean(&a_file), paper.and_then(|p| p.lines_a_file[search]));
            let in_files = beside(best[m], paper.and_then(|p| p.best[search]));
            let quarter = |k: usize| number(lines.get(lines.len() * k / 4).copied().unwrap_or(0.0));
            let parked: u64 = self.of(search, m).flat_map(|o| o.parked.values()).sum();
            let queries: u64 = self.of(search, m).map(|o| o.queries).sum();
            report.rows.push(vec![
                method.as_str().into(),
                mean(&lines).into(),
                format!("{} {} {}", quarter(1), quarter(2), quarter(3)).into(),
                a_file.into(),
                in_files.into(),
                self.time_to_isc(search, m).map_or(Cell::Empty, Cell::from),
                parked.into(),
                queries.into(),
            ]);
        }
        let function = |paper: &Paper| paper.lines_a_function.filter(|_| search == 0);
        let papers = self
            .methods
            .iter()
            .filter_map(|m| Some((m, function(paper::of(m)?)?)));
        let papers: Vec<String> = papers.map(|(m, lines)| format!("{m} {lines}")).collect();
        if !papers.is_empty() {
            report.remarks.push(format!(
                "lines a function in the paper: {}",
                papers.join(", ")
            ));
        }
        let all = (0..self.methods.len()).flat_map(|m| self.of(search, m));
        let longest = all.map(|o| o.cpu_s).fold(0.0, f64::max);
        report
            .remarks
            .push(format!("the longest run took {} CPU s", number(longest)));
        self.goals_of_lines(search, &best, files.len(), &mut report);
        report
    }

    fn goals_of_lines(&self, search: usize, best: &[f64], files: usize, report: &mut Report) {
        let Some(auto) = self.at("auto") else {
            return;
        };
        let share = best[auto] / files.max(1) as f64;
        let mut row = vec![Cell::Empty; report.columns.len()];
        row[0] = "auto: goals".into();
        row[4] = at_least(share, FILES);
        if let Some(isc) = self.at("isc") {
            let sum = |m| self.by_function(search, m).iter().sum::<f64>();
            row[1] = at_least(sum(auto) / sum(isc).max(1.0), LINES);
            if let Some(time) = self.time_to_isc(search, auto) {
                row[5] = Cell::Goal {
                    value: time,
                    goal: self.seconds / 3.0,
                    at_most: true,
                };
            }
        }
        report.rows.push(row);
        report.remarks.push(format!(
            "goals of auto: {LINES} times the lines of isc, best or equal in {FILES} of the files, isc's lines in a third of the time"
        ));
    }

    /// CPU seconds a run until all functions together have the lines that `isc` ends with.
    fn time_to_isc(&self, search: usize, method: usize) -> Option<f64> {
        let total = |m| curve::sum(self.of(search, m).map(|o| &o.curve[..]));
        let goal = total(self.at("isc")?).last()?.coverage;
        curve::reaches(&total(method), goal).map(|point| point.time)
    }

    /// Fig. 4 and 5.
    fn file_table(&self, search: usize, files: &BTreeMap<String, Vec<f64>>) -> Report {
        let title = format!("Lines covered by header, {}", SEARCHES[search]);
        let mut columns = vec!["header"];
        columns.extend(self.methods.iter().map(String::as_str));
        let mut report = Report::new(&title, &columns);
        report.plotted = (1..columns.len()).collect();
        for (topic, counts) in files {
            let mut row: Vec<Cell> = vec![topic.as_str().into()];
            row.extend(counts.iter().map(|&c| Cell::from(c)));
            report.rows.push(row);
        }
        self.weakest(search, &mut report);
        report
    }

    /// The functions in which the default is furthest behind another method.
    fn weakest(&self, search: usize, report: &mut Report) {
        let Some(auto) = self.at("auto") else {
            return;
        };
        let lines: Vec<Vec<f64>> = (0..self.methods.len())
            .map(|m| self.by_function(search, m))
            .collect();
        let mut behind: Vec<(f64, String)> = Vec::new();
        for (f, function) in self.functions.iter().enumerate() {
            for (m, method) in self.methods.iter().enumerate() {
                let lost = lines[m][f] - lines[auto][f];
                if lost > 0.0 {
                    let text = format!(
                        "{}: auto covers {} lines, {method} {}",
                        function.name,
                        number(lines[auto][f]),
                        number(lines[m][f])
                    );
                    behind.push((lost, text));
                }
            }
        }
        behind.sort_by(|a, b| b.0.total_cmp(&a.0));
        report
            .remarks
            .extend(behind.into_iter().take(10).map(|(_, text)| text));
    }

    /// Fig. 6 and 7.
    fn over_time(&self, search: usize) -> String {
        let functions = self.functions.len().max(1) as f64;
        let line = |(m, method): (usize, &String)| {
            let seeds = self.of(search, m).count() as f64 / functions;
            let sum = curve::sum(self.of(search, m).map(|o| &o.curve[..]));
            let mean = |coverage: f64| coverage / (functions * seeds.max(1.0));
            (
                method.clone(),
                sum.iter().map(|p| (p.time, mean(p.coverage))).collect(),
            )
        };
        let found: Vec<(String, Vec<(f64, f64)>)> =
            self.methods.iter().enumerate().map(line).collect();
        let highest = found.iter().flat_map(|(_, points)| points).map(|p| p.1);
        let highest = highest.fold(1.0, f64::max);
        let lines: Vec<Curve> = found
            .iter()
            .map(|(name, points)| Curve {
                name,
                dashed: name == "isc",
                points: points.clone(),
            })
            .collect();
        let title = format!(
            "Lines covered in a function over CPU seconds, {}",
            SEARCHES[search]
        );
        curve::svg(&title, "CPU seconds", self.seconds, highest, &lines)
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

pub fn at_least(value: f64, goal: f64) -> Cell {
    Cell::Goal {
        value,
        goal,
        at_most: false,
    }
}

/// A number beside the paper's.
pub fn beside(value: f64, paper: Option<f64>) -> String {
    match paper {
        Some(paper) => format!("{} ({paper})", number(value)),
        None => number(value),
    }
}

/// In how many files each method covers as much as any.
fn best_in(files: &BTreeMap<String, Vec<f64>>, methods: usize) -> Vec<f64> {
    let mut best = vec![0.0; methods];
    for counts in files.values() {
        let most = counts.iter().copied().fold(0.0, f64::max);
        for (best, count) in best.iter_mut().zip(counts) {
            *best += f64::from(*count >= most);
        }
    }
    best
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::GslFunction;
    use super::*;
    use crate::tools::curve::Point;

    /// Two functions of one header; a method covers the lines up to a number.
    pub fn study(looked: bool) -> Study {
        let outcome = |lines: u32, kinds: &[&str]| StudyRun {
            curve: vec![Point {
                time: f64::from(lines),
                coverage: f64::from(lines),
                queries: 1,
            }],
            lines: [("a.c".to_string(), (1..=lines).collect())].into(),
            total: 9,
            exceptions: looked.then(|| {
                let places = kinds.iter().enumerate();
                places
                    .map(|(k, kind)| (kind.to_string(), "a.c".into(), k as u32))
                    .collect()
            }),
            ..StudyRun::default()
        };
        let function = |name: &str| GslFunction {
            name: name.into(),
            topic: "bessel".into(),
        };
        let isc = vec![vec![outcome(4, &["fp_overflow"])], vec![outcome(2, &[])]];
        let auto = vec![
            vec![outcome(3, &["fp_overflow", "fp_invalid"])],
            vec![outcome(5, &["fp_overflow"])],
        ];
        Study {
            seconds: 30.0,
            functions: vec![function("f"), function("g")],
            methods: vec!["isc".into(), "auto".into()],
            searches: vec![0, 1],
            outcomes: vec![vec![isc, auto]; 2],
            failures: Vec::new(),
        }
    }

    #[test]
    fn lines_are_counted_by_function_and_by_file() {
        let study = study(true);
        let files = study.by_file(0);
        assert_eq!(files["bessel"], [4.0, 5.0]);
        assert_eq!(best_in(&files, 2), [0.0, 1.0]);
        let table = study.lines(0, &files).table();
        assert!(
            table.contains("4 (515)") && table.contains("1.33 (ok, >= 1.05)"),
            "{table}"
        );
        let weak = study.file_table(0, &files).table();
        assert!(weak.contains("f: auto covers 3 lines, isc 4"), "{weak}");
        assert_eq!(study.time_to_isc(0, 1), Some(5.0));
    }
}
