//! Builds the objects that run a Java program from its plan.

use super::given::Calls;
use super::sources::Sources;
use crate::corpus::{Corpus, Met};
use crate::exit::UsageError;
use crate::plan::{Java, Plan};
use crate::record::Cases;
use dse::ExplorerOptions;
use host::Stop;
use jvm::{Fencing, Kit, Options};
use solver::{Budget, Solver};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The file in the directory of results where JVMs' own messages go.
pub const LOG: &str = "jvm.log";

/// The working directory of a worker's program if its sandbox has none of its own, in the directory of results.
pub fn place_of(results: &Path, worker: u32) -> PathBuf {
    results.join(format!("work-{worker}"))
}

/// The options of the JVM of the worker of this number. The messages of its JVM go to a file in the directory of
/// results.
///
/// # Errors
/// The method to run is not known.
pub fn options(java: &Java, kit: Kit, results: &Path, worker: u32) -> anyhow::Result<Options> {
    Ok(Options {
        kit,
        class_path: java.class_path.clone(),
        entry: java.entry()?.to_string(),
        lengths: java.bounds(),
        string_length: java.string_len.map(u32::from),
        main: java.whole.clone(),
        heap_mb: java.heap_mb,
        run_time: java.run_time,
        checks: std::env::var_os("POLYPATH_JAVA_CHECK").is_some_and(|v| v == "1"),
        log: results.join(LOG),
        fence: Fencing::Fenced(place_of(results, worker)),
        borrowed: None,
    })
}

/// The options of the JVM that the worker of this number lends to runs whose results lie below this directory.
pub fn spare(kit: Kit, class_path: Vec<PathBuf>, heap_mb: u64, at: (&Path, u32)) -> Options {
    let (results, worker) = at;
    Options {
        kit,
        class_path,
        // What is about one run comes with it.
        entry: String::new(),
        lengths: jvm::Lengths::default(),
        string_length: None,
        main: None,
        heap_mb,
        run_time: std::time::Duration::ZERO,
        checks: false,
        log: results.join(LOG),
        fence: Fencing::Fenced(place_of(results, worker)),
        borrowed: None,
    }
}

/// The solver of the only worker, or of one of several workers.
///
/// # Errors
/// Its log cannot be written.
pub fn solver(plan: &Plan, has_others: bool) -> Result<Solver, UsageError> {
    let mut solver = Solver::new(plan.solver_options()?);
    if let Some(dir) = &plan.solver.log {
        let logged = solver.log_to(dir, has_others);
        logged.map_err(|e| UsageError(format!("--log-queries: {e}")))?;
    }
    Ok(solver)
}

/// How the explorer behaves, in a process that has so many seconds for a query, and a task if the run has rounds.
///
/// # Errors
/// A technique does not exist.
pub fn explorer(
    plan: &Plan,
    java: &Java,
    stop: Stop,
    (seconds, task): (f64, Option<explore::Budget>),
) -> Result<ExplorerOptions, UsageError> {
    Ok(ExplorerOptions {
        partial: plan.partial_options()?,
        budget: Budget {
            stop,
            ..Budget::seconds(seconds)
        },
        task,
        last_steps: java.run_steps,
        ..ExplorerOptions::default()
    })
}

/// The maker of tests from the ends of paths.
///
/// # Errors
/// The method to run is not known.
pub fn cases(plan: &Plan, java: &Java, sources: Rc<RefCell<Sources>>) -> anyhow::Result<Cases> {
    Ok(Cases {
        tests: plan.output.tests,
        given: Box::new(Calls {
            entry: java.entry()?.to_string(),
            sources,
            java: java.clone(),
        }),
    })
}

/// The contents of the seeds, by name.
///
/// # Errors
/// They cannot be read.
pub fn seeds(plan: &Plan) -> Result<Vec<(String, Vec<u8>)>, UsageError> {
    let Some(dir) = plan.search.seed_input.as_ref().filter(|_| !plan.goes_on) else {
        return Ok(Vec::new());
    };
    let corpus = Corpus::open(dir)?;
    if let Some(words) = corpus.left_out() {
        say::err!("polypath: {words}");
    }
    let (mut seeds, mut met) = (Vec::new(), Met::default());
    for path in corpus.entries()?.into_iter().filter(|p| p.is_file()) {
        let name = path.display().to_string();
        let bytes = std::fs::read(&path).map_err(|e| UsageError(format!("{name}: {e}")))?;
        if met.is_new(&bytes) {
            seeds.push((name, bytes));
        }
    }
    if seeds.is_empty() {
        let why = "no raw files in it, which are the seeds of a Java program";
        return Err(UsageError(format!("{}: {why}", dir.display())));
    }
    Ok(seeds)
}
