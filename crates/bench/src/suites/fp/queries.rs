//! Part `queries`: queries about floats that the functions of the study cause, as scripts for each method and for other
//! solvers.
//!
//! A log has our reading of floats, which is the processor's; a query that SMT-LIB's theory cannot say in the same
//! meaning is left out and counted ([`Meaning`]). Of the others one of each structure is kept.

use super::Setting;
use super::conditions::{PLAIN, solve_methods};
use super::explore::{Gsl, explore};
use super::functions::functions;
use crate::tools::contenders::{Answer, Contender};
use crate::tools::fresh_dir;
use crate::tools::kept::Kept;
use crate::tools::queries::log::{Log, has_floats, structure};
use crate::tools::queries::shares;
use crate::tools::report::{Cell, Report, number};
use anyhow::{Context as _, Result, ensure};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// CPU seconds a query by default.
const SECONDS: f64 = 10.0;
/// CPU seconds of a run that is logged.
const LOGGED: f64 = 3.0;
/// Queries by default.
const COUNT: u64 = 2000;
/// Most queries of one function, as a multiple of its share.
const MOST: usize = 8;
/// We may leave open this share of what bitwuzla or z3 decides.
const DECIDED: f64 = 0.99;
/// And take so many times bitwuzla's time where both decide.
const TIME: f64 = 2.0;

/// How a logged query can be told to other solvers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Same,
    NoFloats,
    /// The payload and sign of a NaN are free in the theory.
    Patterns,
    /// It has an explicit integer bit, and encodings that are no numbers.
    Extended,
    /// A function of libm as one operation, which a log leaves uninterpreted.
    Calls,
}

impl Meaning {
    fn of(script: &str) -> Meaning {
        if !has_floats(script) {
            Meaning::NoFloats
        } else if script.contains("(declare-fun ") {
            Meaning::Calls
        } else if script.contains("FloatingPoint 15 64") {
            Meaning::Extended
        } else if script.contains("(assert (= ((_ to_fp ") {
            Meaning::Patterns
        } else {
            Meaning::Same
        }
    }

    /// Why it is left out.
    fn reason(self) -> Option<&'static str> {
        match self {
            Meaning::Same => None,
            Meaning::NoFloats => Some("without floats"),
            Meaning::Patterns => Some("the bits of a computed float, where SMT-LIB has one NaN"),
            Meaning::Extended => Some("x87's format, which has an explicit integer bit"),
            Meaning::Calls => Some("a function of libm as one operation"),
        }
    }
}

/// What the log of one function gave.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Logged {
    /// Queries in the log.
    queries: u64,
    /// Distinct ones by the reason why they are left out.
    left_out: BTreeMap<String, u64>,
    /// The scripts of the others.
    files: Vec<PathBuf>,
}

/// See the module.
pub fn run(setting: &Setting) -> Result<Vec<(String, Report)>> {
    let context = setting.context;
    let limit = context.time.unwrap_or(SECONDS);
    let (files, mut remarks) = collect(setting)?;
    ensure!(!files.is_empty(), "no query about floats was logged");
    let mut asked = Vec::new();
    for method in solve_methods(setting)? {
        let options: &[&str] = &["--fp-solver", &method];
        let options = if method == PLAIN { &[] } else { options };
        asked.push(Contender::ours_with(context, &method, options)?);
    }
    asked.extend(Contender::peers(context));
    let mut kept = Kept::open(&setting.dir.join("queries-said.jsonl"))?;
    let mut said = Vec::new();
    for contender in &asked {
        say::err!("fp: {}, {} queries", contender.name, files.len());
        said.push(contender.answer(context, &mut kept, &files, limit)?);
    }
    let asked = Asked {
        files,
        names: asked.iter().map(|c| c.name.clone()).collect(),
        ours: asked.iter().filter(|c| c.is_ours).count(),
        said,
        limit,
    };
    asked.write(&context.out.join("fp-queries.csv"))?;
    let mut report = asked.table();
    report.remarks.append(&mut remarks);
    Ok(vec![("fp-queries".into(), report)])
}

/// The scripts, and what is to be said of them.
fn collect(setting: &Setting) -> Result<(Vec<PathBuf>, Vec<String>)> {
    let context = setting.context;
    let count = context.count.unwrap_or(COUNT) as usize;
    let gsl = Gsl::find()?;
    let chosen = functions(context, &gsl.tree)?;
    let most = MOST * count.div_ceil(chosen.len().max(1));
    let mut kept: Kept<Logged> = Kept::open(&setting.dir.join("queries-logged.jsonl"))?;
    let mut lists = Vec::new();
    let mut sum = Logged::default();
    let mut seen = BTreeSet::new();
    let mut same = 0;
    for function in &chosen {
        let key = setting.key(&[&function.name, &format!("at most {most}")]);
        let logged = kept.get(&key, || log_queries(setting, &gsl, &function.name, most))?;
        sum.queries += logged.queries;
        for (reason, n) in logged.left_out {
            *sum.left_out.entry(reason).or_default() += n;
        }
        let mut own = Vec::new();
        for file in logged.files {
            let text =
                std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
            if seen.insert(structure(&text)) {
                own.push(file);
            } else {
                same += 1;
            }
        }
        lists.push(own);
    }
    let files: Vec<PathBuf> = shares(&lists, count).concat();
    let mut remarks = vec![format!(
        "{} queries of {} functions were logged; of the sample, {same} have the structure of another one",
        number(sum.queries as f64),
        chosen.len()
    )];
    let reasons = sum.left_out.iter();
    remarks
        .extend(reasons.map(|(reason, n)| format!("{n} distinct queries are left out: {reason}")));
    if files.len() < count {
        remarks.push(format!("{} of {count} queries were found", files.len()));
    }
    Ok((files, remarks))
}

/// Logs the queries of one function and writes those that can be told.
fn log_queries(setting: &Setting, gsl: &Gsl, function: &str, most: usize) -> Result<Logged> {
    say::err!("fp: logging the queries of {function}");
    let raw = setting.dir.join("queries-raw");
    fresh_dir(&raw)?;
    // Terms stay terms, and paths go deep.
    explore(setting, LOGGED, 0, |command| {
        command.args(["--no-tests", "--search", "bfs", "--fp-solver", "search"]);
        command.arg("--log-queries").arg(&raw);
        gsl.entry(command, function);
    })?;
    let log = Log::read(&raw.join("queries.smt2"), most, 0)?;
    fresh_dir(&raw)?;
    let dir = setting.dir.join("queries").join(function);
    fresh_dir(&dir)?;
    std::fs::create_dir_all(&dir)?;
    let mut logged = Logged {
        queries: log.queries,
        ..Logged::default()
    };
    for (k, script) in log.scripts().enumerate() {
        match Meaning::of(&script).reason() {
            Some(reason) => *logged.left_out.entry(reason.into()).or_default() += 1,
            None => {
                let path = dir.join(format!("{k:05}.smt2"));
                std::fs::write(&path, script)?;
                logged.files.push(path);
            }
        }
    }
    Ok(logged)
}

/// All answers.
struct Asked {
    files: Vec<PathBuf>,
    names: Vec<String>,
    /// So many of the names are ours; they stand first.
    ours: usize,
    /// By name, then by file.
    said: Vec<Vec<Answer>>,
    limit: f64,
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
        let score = |file| match self.is_decided(k, file) {
            true => self.said[k][file].solve,
            false => 2.0 * self.limit,
        };
        (0..self.files.len()).map(score).sum()
    }

    /// Whether somebody says the opposite.
    fn is_disputed(&self, k: usize, file: usize) -> bool {
        let own = &self.said[k][file];
        let differs =
            |other: &Vec<Answer>| other[file].is_decided() && other[file].word != own.word;
        own.is_decided() && self.said.iter().any(differs)
    }

    fn at(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|n| n == name)
    }

    fn table(&self) -> Report {
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
    fn write(&self, path: &Path) -> Result<()> {
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
    fn what_cannot_be_told_is_left_out() {
        let float = "(declare-const x (_ FloatingPoint 11 53))\n";
        let with = |more: &str| Meaning::of(&format!("{float}{more}"));
        assert_eq!(with("(assert (fp.isNaN x))"), Meaning::Same);
        assert_eq!(Meaning::of("(assert true)"), Meaning::NoFloats);
        assert_eq!(
            with("(assert (= ((_ to_fp 11 53) ?1) x))"),
            Meaning::Patterns
        );
        assert_eq!(
            with("(declare-const y (_ FloatingPoint 15 64))"),
            Meaning::Extended
        );
        assert_eq!(
            with("(declare-fun sin!f64 (Float64) Float64)"),
            Meaning::Calls
        );
    }

    #[test]
    fn answers_are_compared() {
        let answer = |word: &str, solve: f64| Answer {
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
