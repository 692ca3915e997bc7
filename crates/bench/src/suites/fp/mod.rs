//! Suite `fp`: conditions on floating-point numbers. Every method of `--fp-solver` is measured against the others and
//! against other solvers, beside the figures of "Symbolic Execution of Floating-point Programs: How far are we?" (the
//! study) and "Multiplex symbolic execution", Table 7 (the matrices).
//!
//! The suite has four parts; `--only` names parts, and cases, functions or methods within them. Each result is kept
//! in `OUT/fp` as soon as it is there, under the build that it is of: a run that was killed goes on.

mod conditions;
mod explore;
mod functions;
mod matrices;
mod queries;
mod study;

use crate::tools::contenders::PEERS;
use crate::tools::report::{Cell, Report};
use crate::tools::{Context, help};
use anyhow::{Context as _, Result, ensure};
use std::path::PathBuf;

/// A part of the suite.
struct Part {
    name: &'static str,
    run: fn(&Setting) -> Result<Vec<Table>>,
}

/// A table, and the name of its files.
struct Table {
    name: String,
    report: Report,
}

impl Table {
    fn new(name: &str, report: Report) -> Table {
        Table {
            name: name.into(),
            report,
        }
    }
}

const PARTS: &[Part] = &[
    Part {
        name: "conditions",
        run: conditions::run,
    },
    Part {
        name: "queries",
        run: queries::run,
    },
    Part {
        name: "study",
        run: study::run,
    },
    Part {
        name: "multiplex",
        run: matrices::run,
    },
];

/// What the parts share.
struct Setting<'a> {
    context: &'a Context,
    /// Methods of `--fp-solver` that the user chose or, by default, that there are.
    methods: Vec<String>,
    /// The build that is measured.
    build: String,
    /// Where results are kept.
    dir: PathBuf,
}

impl Setting<'_> {
    /// The key of a result of the build that is measured.
    fn key(&self, words: &[&str]) -> String {
        format!("{} {}", self.build, words.join(" "))
    }

    fn seeds(&self) -> u64 {
        self.context.seeds.unwrap_or(1)
    }
}

/// See the module.
pub fn run(context: &Context) -> Result<Report> {
    let dir = context.out.join("fp");
    std::fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
    let offered = help::values(context, "run", "--fp-solver")?;
    ensure!(!offered.is_empty(), "this polypath has no --fp-solver");
    know_names(context, &offered)?;
    let methods = context.choose(&offered, |m| m);
    let setting = Setting {
        context,
        methods: methods.into_iter().cloned().collect(),
        build: context.build()?,
        dir,
    };
    let mut summary = Report::new(
        "Floating-point conditions: tables, and what they miss",
        &["table", "rows", "goals met", "missed", "failures"],
    );
    summary.plotted = vec![2, 3];
    for part in context.choose(PARTS, |p| p.name) {
        for Table { name, report } in (part.run)(&setting)? {
            say::out!("{}", report.table());
            write(context, &name, &report)?;
            let goals = report.rows.iter().flatten().filter_map(Cell::is_met);
            let (met, missed): (Vec<bool>, Vec<bool>) = goals.partition(|met| *met);
            summary.rows.push(vec![
                name.as_str().into(),
                (report.rows.len() as u64).into(),
                (met.len() as u64).into(),
                (missed.len() as u64).into(),
                (report.failures.len() as u64).into(),
            ]);
            if !report.met() {
                let text = format!("{name}: a goal was missed or a result is wrong");
                summary.failures.push(text);
            }
        }
    }
    if let Ok(load) = std::fs::read_to_string("/proc/loadavg") {
        let load = load.split(' ').next().unwrap_or_default();
        summary
            .remarks
            .push(format!("load of the machine at the end: {load}"));
    }
    Ok(summary)
}

/// A misspelled name would choose everything.
fn know_names(context: &Context, methods: &[String]) -> Result<()> {
    let parts = PARTS.iter().map(|p| p.name);
    let peers = PEERS.iter().copied();
    let mut known: Vec<&str> = parts
        .chain(conditions::names())
        .chain(matrices::names())
        .chain(peers)
        .collect();
    known.extend(methods.iter().map(String::as_str));
    let mut unknown = context.only.clone();
    unknown.retain(|name| !known.contains(&name.as_str()));
    if !unknown.is_empty() {
        let functions = functions::all(&explore::Gsl::find()?.tree)?;
        unknown.retain(|name| functions.iter().all(|f| f.name != *name));
    }
    ensure!(
        unknown.is_empty(),
        "--only: unknown names {}; there are functions of GSL, and {}",
        unknown.join(", "),
        known.join(", ")
    );
    Ok(())
}

/// The files of one table.
fn write(context: &Context, name: &str, report: &Report) -> Result<()> {
    report.write(&context.out, name)?;
    let path = context.out.join(format!("{name}.md"));
    std::fs::write(&path, report.markdown())
        .with_context(|| format!("cannot write {}", path.display()))
}
