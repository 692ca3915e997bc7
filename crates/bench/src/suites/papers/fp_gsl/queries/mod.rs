//! Part `queries`: queries about floats that the functions of the study cause, as scripts for each method and for other
//! solvers.
//!
//! A log has our reading of floats, which is the processor's; what SMT-LIB's theory cannot say is left out and counted
//! ([`Meaning`]). In one point the scripts say less than the queries: the bits of a computed float are a constant that
//! converts to it, so that sign and payload of a NaN are free, which the processor fixes. All solvers are asked the same
//! script. Of each structure one query is kept.

mod answers;

use self::answers::Asked;
use super::gsl_functions::functions;
use crate::tools::contenders::Contender;
use crate::tools::float::{FloatTable, Gsl, PLAIN, Setting, explore, solve_methods};
use crate::tools::fresh_dir;
use crate::tools::kept::ResultStore;
use crate::tools::queries::log::{Log, has_floats, structure};
use crate::tools::queries::shares;
use crate::tools::report::number;
use anyhow::{Context as _, Result, ensure};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// CPU seconds a query by default.
const SECONDS: f64 = 10.0;
/// CPU seconds of a run that is logged.
const LOGGED: f64 = 3.0;
/// Queries by default.
const COUNT: u64 = 2000;
/// Most queries of one function, as a multiple of its share.
const MOST: usize = 8;

/// How a logged query can be told to other solvers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Said,
    NoFloats,
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
        } else {
            Meaning::Said
        }
    }

    /// Why it is left out.
    fn reason(self) -> Option<&'static str> {
        match self {
            Meaning::Said => None,
            Meaning::NoFloats => Some("without floats"),
            Meaning::Extended => Some("x87's format, which has an explicit integer bit"),
            Meaning::Calls => Some("a function of libm as one operation"),
        }
    }
}

/// Whether the bits of a computed float are a constant in a script.
fn has_bits(script: &str) -> bool {
    script.contains("(assert (= ((_ to_fp ")
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
pub fn run(setting: &Setting) -> Result<Vec<FloatTable>> {
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
    let mut kept = ResultStore::open(&setting.dir.join("queries-said.jsonl"))?;
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
    Ok(vec![FloatTable::new("fp-queries", report)])
}

/// The scripts, and what is to be said of them.
fn collect(setting: &Setting) -> Result<(Vec<PathBuf>, Vec<String>)> {
    let context = setting.context;
    let count = context.count.unwrap_or(COUNT) as usize;
    let gsl = Gsl::find()?;
    let chosen = functions(context, &gsl.tree)?;
    let most = MOST * count.div_ceil(chosen.len().max(1));
    let mut kept: ResultStore<Logged> =
        ResultStore::open(&setting.dir.join("queries-logged.jsonl"))?;
    let mut lists = Vec::new();
    let mut sum = Logged::default();
    let mut seen = BTreeSet::new();
    let mut bits = BTreeSet::new();
    let mut same = 0;
    for function in &chosen {
        let key = setting.key(&[&function.name, &format!("{most} queries")]);
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
                if has_bits(&text) {
                    bits.insert(file.clone());
                }
                own.push(file);
            } else {
                same += 1;
            }
        }
        lists.push(own);
    }
    let files: Vec<PathBuf> = shares(&lists, count).concat();
    let with_bits = files.iter().filter(|file| bits.contains(*file)).count();
    let mut remarks = vec![format!(
        "{} queries of {} functions were logged; of the sample, {same} have the structure of another one",
        number(sum.queries as f64),
        chosen.len()
    )];
    remarks.push(format!(
        "{with_bits} queries are about the bits of a computed float: sign and payload of its NaN are free"
    ));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_told_is_left_out() {
        let float = "(declare-const x (_ FloatingPoint 11 53))\n";
        let with = |more: &str| Meaning::of(&format!("{float}{more}"));
        assert_eq!(with("(assert (fp.isNaN x))"), Meaning::Said);
        assert_eq!(Meaning::of("(assert true)"), Meaning::NoFloats);
        assert!(has_bits("(assert (= ((_ to_fp 11 53) ?1) x))"));
        assert_eq!(
            with("(declare-const y (_ FloatingPoint 15 64))"),
            Meaning::Extended
        );
        assert_eq!(
            with("(declare-fun sin!f64 (Float64) Float64)"),
            Meaning::Calls
        );
    }
}
