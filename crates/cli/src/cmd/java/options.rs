//! The options of `polypath java run`.

use crate::exit::UsageError;
use crate::session::jobs;
use crate::session::options::{self as common, Tests};
use dse::ExplorerOptions;
use host::Stop;
use host::shelf::Shelf;
use jvm::{Fencing, InputFiles, Kit, MainInput, Options};
use solver::{Budget, Solver, SolverOptions, Technique, TheoryKind};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;
use testcase::java::junit::Version;

/// Files of input at most: their names are letters.
const MOST_FILES: u32 = 26;
/// Bytes of one at most: each is a symbol, and every run writes them all.
const LONGEST_FILE: u32 = 1 << 20;
/// The file in the directory of results where JVMs' own messages go.
pub const LOG: &str = "jvm.log";

/// Instructions of one execution: some seconds of a loop.
const RUN_STEPS: u64 = 1 << 28;

/// Where the program of a worker works if its sandbox has no directories of its own, in the directory of results.
pub fn place_of(results: &Path, worker: u32) -> PathBuf {
    results.join(format!("work-{worker}"))
}

/// Bytes of disk for parts of the frontier that do not fit into memory.
const DISK: u64 = 4 << 30;

/// The order of open branches, if nothing else is said.
const SEARCH: &str = "cover-shallow";

/// MiB of memory, if nothing else is said.
pub const MEMORY: u64 = 2000;

/// Runs a method on symbolic input and writes test cases.
#[derive(clap::Args, Clone, Debug)]
pub struct RunArgs {
    /// Directories and .jar files with the program's classes, joined by colons
    pub class_path: String,

    /// Go on with the run that wrote DIR, with its class path and options; --time, --memory, --jobs, --search, --quiet and
    /// --strict can be given anew
    #[arg(long, value_name = "DIR")]
    pub resume: Option<PathBuf>,

    /// The method to explore, each of its parameters symbolic: CLASS.METHOD, or CLASS.METHOD(TYPES) where several have the
    /// name
    #[arg(long, value_name = "METHOD")]
    pub entry: Option<String>,

    /// The class whose method main is run, without --entry [default: the one that the archive names, or the only one
    /// that has such a method]
    #[arg(long, value_name = "CLASS", conflicts_with = "entry")]
    pub main: Option<String>,

    /// MIN to MAX symbolic arguments of at most LEN characters (repeatable)
    #[arg(
        long,
        num_args = 3,
        value_names = ["MIN", "MAX", "LEN"],
        conflicts_with = "entry",
        help_heading = "Input of a whole program"
    )]
    pub sym_args: Vec<u32>,

    /// One symbolic argument of at most N characters (repeatable)
    #[arg(
        long,
        value_name = "N",
        conflicts_with = "entry",
        help_heading = "Input of a whole program"
    )]
    pub sym_arg: Vec<u32>,

    /// N symbolic bytes on standard input
    #[arg(
        long,
        value_name = "N",
        conflicts_with = "entry",
        help_heading = "Input of a whole program"
    )]
    pub sym_stdin: Option<u32>,

    /// N symbolic files of LEN bytes, named A, B and so on, in the directory that the program then works in
    #[arg(
        long,
        num_args = 2,
        value_names = ["N", "LEN"],
        conflicts_with = "entry",
        help_heading = "Input of a whole program"
    )]
    pub sym_files: Vec<u32>,

    /// Arguments of the program, before the symbolic ones
    #[arg(
        last = true,
        value_name = "ARGS",
        conflicts_with = "entry",
        help_heading = "Input of a whole program"
    )]
    pub arguments: Vec<String>,

    /// The most elements of an array or characters of a string that is a parameter, or the fewest and the most (MIN-MAX);
    /// its length is input, too
    #[arg(long, value_name = "N", default_value = "4", value_parser = sizes)]
    pub array_len: (u32, u32),

    /// The most characters of a string that the program asks for (Verifier.nondetString and its like). Without it they have
    /// up to 12, and the run does not claim to be complete
    #[arg(long, value_name = "N")]
    pub string_len: Option<u16>,

    /// Begin with the contents of the files in DIR, each as the first array of bytes or string that is a parameter, or as
    /// standard input
    #[arg(long, value_name = "DIR")]
    pub seed_input: Option<PathBuf>,

    /// Write a violation witness in SV-COMP's form (GraphML) for the first error, with the values that the program asked for
    #[arg(long, value_name = "FILE")]
    pub witness: Option<PathBuf>,

    /// Exceptions that are no errors, by the names of their classes or of classes above
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub expect: Vec<String>,

    /// Only these kinds of errors; `deliberate` adds exceptions that the program throws on purpose
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub check: Vec<String>,

    /// Where sources lie, for reports [default: near the class path] (repeatable)
    #[arg(long, value_name = "DIR")]
    pub source_path: Vec<PathBuf>,

    /// Which open branch is asked for
    #[arg(long, value_name = "NAME", default_value = SEARCH, help_heading = "Exploration")]
    pub search: String,

    /// Also run what the solver tried on its way
    #[arg(long, help_heading = "Exploration")]
    pub partial_solutions: bool,

    /// Only run what these techniques tried
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        requires = "partial_solutions",
        help_heading = "Exploration"
    )]
    pub partial_from: Vec<String>,

    /// Processes that explore, each with a JVM of its own [default: one, and once the run turns out to be long as many as there
    /// are cores]
    #[arg(long, value_name = "N", help_heading = "Exploration")]
    pub jobs: Option<u32>,

    /// Seed of everything random
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        help_heading = "Exploration"
    )]
    pub seed: u64,

    /// Theory tried first: bits, or lia (linear integers)
    #[arg(long, value_name = "NAME", default_value = "bits", value_parser = TheoryKind::by_name, help_heading = "Solver")]
    pub theory: TheoryKind,

    /// Seconds of processor time for one query before its side of the branch is parked
    #[arg(
        long,
        value_name = "S",
        default_value_t = 10.0,
        help_heading = "Solver"
    )]
    pub solver_time: f64,

    /// Write every query, as asked, into DIR/queries.smt2 (with several workers into DIR/queries-N.smt2, a file for each): a
    /// script for an incremental SMT-LIB solver
    #[arg(long, value_name = "DIR", help_heading = "Solver")]
    pub log_queries: Option<PathBuf>,

    /// Wall-clock time of the run (0: none)
    #[arg(long, value_name = "TIME", default_value = "0", value_parser = common::seconds, help_heading = "Limits")]
    pub time: Duration,

    /// Processor time of all processes of the run, JVMs included (0: none)
    #[arg(long, value_name = "TIME", default_value = "0", value_parser = common::seconds, help_heading = "Limits")]
    pub cpu_time: Duration,

    /// Wall-clock time of one execution of the method
    #[arg(long, value_name = "TIME", default_value = "10", value_parser = common::seconds, help_heading = "Limits")]
    pub run_time: Duration,

    /// Instructions of one execution of the method at most, turns of the JDK's loops included
    #[arg(long, value_name = "N", default_value_t = RUN_STEPS, value_parser = clap::value_parser!(u64).range(1..), help_heading = "Limits")]
    pub run_steps: u64,

    /// Memory of all processes of the run in MiB, without the JVMs (0: no limit)
    #[arg(
        long,
        value_name = "MIB",
        default_value_t = MEMORY,
        help_heading = "Limits"
    )]
    pub memory: u64,

    /// Heap of each JVM in MiB
    #[arg(
        long,
        value_name = "MIB",
        default_value_t = 512,
        help_heading = "Limits"
    )]
    pub heap: u64,

    /// Where the results go [default: polypath-out-N, with a link polypath-last]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,

    /// Which paths get a test
    #[arg(
        long,
        value_name = "WHICH",
        default_value = "all",
        help_heading = "Output"
    )]
    pub tests: Tests,

    /// No progress and no summary; only errors and what was left out
    #[arg(long, short, help_heading = "Output")]
    pub quiet: bool,

    /// Write the tests as a class for this JUnit into DIR/junit: 5, 4, or none
    #[arg(
        long,
        value_name = "VERSION",
        default_value = "5",
        help_heading = "Output"
    )]
    pub junit: String,

    /// Exit with status 4 if something was left out
    #[arg(long, help_heading = "Output")]
    pub strict: bool,
}

/// "4" or "2-4".
fn sizes(text: &str) -> Result<(u32, u32), String> {
    let (least, most) = text.split_once('-').unwrap_or(("0", text));
    let number = |t: &str| t.parse::<u16>().map_err(|e| format!("{t}: {e}"));
    let (least, most) = (number(least)?, number(most)?);
    if least > most {
        return Err(format!("{least} is more than {most}"));
    }
    Ok((least.into(), most.into()))
}

impl RunArgs {
    /// How many processes may explore, and whether they do so from the beginning.
    ///
    /// # Errors
    /// So many cannot be.
    pub fn workers(&self) -> Result<(u32, bool), UsageError> {
        jobs::check(self.jobs, self.memory, false)?;
        Ok(match jobs::asked(self.jobs) {
            Some(jobs) => (jobs, jobs > 1),
            None => {
                let jobs = jobs::that_fit(self.memory);
                (jobs, self.resume.is_some() && jobs > 1)
            }
        })
    }

    /// What limits a claim over input whose length is ours to choose.
    pub fn lengths(&self) -> String {
        let asked = self.string_len.map_or(String::new(), |n| {
            format!(", strings that it asks for up to {n} characters (--string-len)")
        });
        let most = self.array_len.1;
        format!("arrays, strings and collections have up to {most} elements (--array-len){asked}")
    }

    /// Where a process of a run with these results keeps parts of the frontier.
    pub fn shelf(&self, results: &Path) -> Shelf {
        let memory = jobs::memory_of_prefixes(self.memory << 20);
        Shelf::new(results, memory, DISK)
    }

    /// What is run, and how, by the worker of this number. What its JVM says goes to a file in the directory of results.
    ///
    /// # Errors
    /// The class path or the input makes no sense.
    pub fn program(
        &self,
        kit: Kit,
        entry: String,
        results: &Path,
        worker: u32,
    ) -> Result<Options, UsageError> {
        Ok(Options {
            kit,
            class_path: self.classes()?,
            entry,
            shortest: self.array_len.0,
            longest: self.array_len.1,
            string_length: self.string_len.map(u32::from),
            main: self.whole()?,
            heap_mb: self.heap,
            run_time: self.run_time,
            checks: std::env::var_os("POLYPATH_JAVA_CHECK").is_some_and(|v| v == "1"),
            log: results.join(LOG),
            fence: Fencing::Fenced(place_of(results, worker)),
        })
    }

    /// The solver of who explores alone, or of one of several workers.
    ///
    /// # Errors
    /// Its log cannot be written.
    pub fn solver(&self, has_others: bool) -> Result<Solver, UsageError> {
        let options = SolverOptions {
            seed: self.seed,
            theory: self.theory,
            ..SolverOptions::default()
        };
        let mut solver = Solver::new(options);
        if let Some(dir) = &self.log_queries {
            let logged = solver.log_to(dir, has_others);
            logged.map_err(|e| UsageError(format!("--log-queries: {e}")))?;
        }
        Ok(solver)
    }

    /// How the explorer behaves.
    ///
    /// # Errors
    /// A technique does not exist.
    pub fn explorer(&self, stop: Stop) -> Result<ExplorerOptions, UsageError> {
        Ok(ExplorerOptions {
            partial_solutions: self.techniques()?,
            budget: Budget {
                stop,
                ..Budget::seconds(self.solver_time)
            },
            last_steps: self.run_steps,
            ..ExplorerOptions::default()
        })
    }

    /// The files of input of a whole program.
    ///
    /// # Errors
    /// There are too many, or they are too long.
    pub fn files(&self) -> Result<Option<InputFiles>, UsageError> {
        match self.sym_files[..] {
            [0, _] | [] => Ok(None),
            [count, _] if count > MOST_FILES => {
                let why = format!("--sym-files {count}: at most {MOST_FILES}, named A to Z");
                Err(UsageError(why))
            }
            [count, length] if length <= LONGEST_FILE => Ok(Some(InputFiles { count, length })),
            _ => {
                let why =
                    format!("--sym-files: two numbers, files of at most {LONGEST_FILE} bytes");
                Err(UsageError(why))
            }
        }
    }

    /// What a whole program gets; `None` with `--entry`.
    fn whole(&self) -> Result<Option<MainInput>, UsageError> {
        if self.entry.is_some() {
            return Ok(None);
        }
        let given = self.arguments.iter().map(|a| format!("={a}"));
        let one = self.sym_arg.iter().map(|n| format!("1,1,{n}"));
        let some = self.sym_args.chunks_exact(3);
        let some = some.map(|c| format!("{},{},{}", c[0], c[1], c[2]));
        Ok(Some(MainInput {
            arguments: given.chain(one).chain(some).collect(),
            stdin: self.sym_stdin,
            files: self.files()?,
        }))
    }

    /// The contents of the seeds, by name.
    pub fn seeds(&self) -> Result<Vec<(String, Vec<u8>)>, UsageError> {
        let Some(dir) = &self.seed_input else {
            return Ok(Vec::new());
        };
        let unreadable = |e: std::io::Error| UsageError(format!("{}: {e}", dir.display()));
        let mut paths = Vec::new();
        for entry in std::fs::read_dir(dir).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            if path.is_file() {
                paths.push(path);
            }
        }
        paths.sort();
        let read = |path: PathBuf| {
            let name = path.display().to_string();
            let bytes = std::fs::read(&path).map_err(|e| UsageError(format!("{name}: {e}")))?;
            Ok((name, bytes))
        };
        paths.into_iter().map(read).collect()
    }

    /// Which trials of the solver are run.
    pub fn techniques(&self) -> Result<Rc<[Technique]>, UsageError> {
        if !self.partial_solutions {
            return Ok(Rc::default());
        }
        if self.partial_from.is_empty() {
            return Ok(Technique::ALL.into());
        }
        let known = |name: &String| {
            Technique::by_name(name)
                .ok_or_else(|| UsageError(format!("--partial-from {name}: no such technique")))
        };
        self.partial_from.iter().map(known).collect()
    }

    /// The order in which open branches are asked for, of the worker of this number.
    pub fn strategy(&self, worker: u32) -> Result<Box<dyn search::Strategy>, UsageError> {
        let seed = self.seed.wrapping_add(u64::from(worker));
        search::strategy(&self.search, seed).ok_or_else(|| {
            let names = search::registry::strategies().map(search::Entry::branch_name);
            let names: Vec<&str> = names.collect();
            UsageError(format!(
                "--search {}: there are {}",
                self.search,
                names.join(", ")
            ))
        })
    }

    /// The JUnit that tests are written for, if they are.
    pub fn junit(&self) -> Result<Option<Version>, UsageError> {
        if self.junit == "none" {
            return Ok(None);
        }
        let version = Version::by_name(&self.junit);
        let version = version.map_err(|e| UsageError(format!("--junit {}: {e}", self.junit)))?;
        Ok(Some(version))
    }

    /// The parts of the class path, absolute.
    pub fn classes(&self) -> Result<Vec<PathBuf>, UsageError> {
        class_path(&self.class_path)
    }
}

/// The parts of a class path, absolute.
///
/// # Errors
/// There is none, or one is not there.
pub fn class_path(text: &str) -> Result<Vec<PathBuf>, UsageError> {
    let mut paths = Vec::new();
    for part in text.split(':').filter(|p| !p.is_empty()) {
        let path = PathBuf::from(part).canonicalize();
        paths.push(path.map_err(|e| UsageError(format!("{part}: {e}")))?);
    }
    if paths.is_empty() {
        return Err(UsageError("the class path is empty".into()));
    }
    Ok(paths)
}
