//! The options of `polypath run` as the user writes them, and the plain values they become.

use super::jobs;
use crate::exit::UsageError;
use anyhow::Context;
use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use host::shelf::Shelf;
use serde::{Deserialize, Serialize};
use solver::{ArrayMethod, FloatMethod, LayerId, Metric, Technique, TheoryKind};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;
use vocab::{Check, Checks, Group};

/// Runs a program on symbolic input and writes test cases.
#[derive(clap::Args, Clone, Debug)]
#[command(after_long_help = format!("{EXAMPLES}\n\n{}", crate::exit::HELP))]
pub struct Args {
    /// A C source (.c, .cpp), bitcode (.bc, .ll), or a native binary built by `polypath cc`
    pub program: PathBuf,

    /// The program's arguments; KLEE's --sym-… options may stand among them
    #[arg(last = true)]
    pub args: Vec<String>,

    /// Fork states at branches, or run one input after the other and ask the solver for the next
    #[arg(
        long,
        value_name = "MODE",
        default_value = "fork",
        help_heading = "Exploration"
    )]
    pub mode: Mode,

    /// Which state runs next, or (concolic) which open branch is asked for; see --help
    #[arg(long, value_name = "NAME", help_heading = "Exploration", long_help = search_help())]
    pub search: Option<String>,

    /// Also run what the solver tried on its way (with --mode concolic)
    #[arg(long, help_heading = "Exploration")]
    pub partial_solutions: bool,

    /// Only run what these techniques tried (with --partial-solutions)
    #[arg(
        long,
        value_name = "LIST",
        long_help = format!(
            "Only run what these techniques tried (with --partial-solutions): {}",
            technique_names()
        ),
        value_delimiter = ',',
        requires = "partial_solutions",
        help_heading = "Exploration"
    )]
    pub partial_from: Vec<String>,

    /// Begin with the inputs in this directory: raw files, test directories or .ktest files (with --mode
    /// concolic)
    #[arg(long, value_name = "DIR", help_heading = "Exploration")]
    pub seed_input: Option<PathBuf>,

    /// A selected state keeps running for this many instructions (0: choose anew at each fork)
    #[arg(
        long,
        value_name = "N",
        default_value_t = 10_000,
        help_heading = "Exploration"
    )]
    pub batch_instructions: u64,

    /// Seed of everything random: same seed, same run (with --jobs 1 or --deterministic)
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        help_heading = "Exploration"
    )]
    pub seed: u64,

    /// The same files for every --jobs and on every machine (docs/jobs.md): tests, errors and coverage depend on program, options and
    /// seed only, unless a limit of time or memory decides something, which is said. It costs a part of the speed
    #[arg(long, help_heading = "Exploration")]
    pub deterministic: bool,

    /// Processes that explore (docs/jobs.md); --memory, --cpu-time and --max-forks are for all together. With 1, the same
    /// seed gives the same run [default: one, and all cores once there has been enough to do for half a second]
    #[arg(long, value_name = "N", help_heading = "Exploration")]
    pub jobs: Option<u32>,

    /// No scout: with several workers and the default search, a process beside them runs one input after the other and what the
    /// solver tries (docs/jobs.md)
    #[arg(long, help_heading = "Exploration")]
    pub no_scout: bool,

    /// Go on with the run in DIR, which was stopped or killed (docs/jobs.md); its options stay, limits, --jobs and --search can be
    /// given anew
    #[arg(long, value_name = "DIR", help_heading = "Exploration")]
    pub resume: Option<PathBuf>,

    /// Let further machines explore, too: they run `polypath worker --connect HOST:PORT` (docs/cluster.md). Port 0 is any that
    /// is free; with --jobs 0 this machine only coordinates
    #[arg(long, value_name = "HOST:PORT", help_heading = "Exploration")]
    pub listen: Option<String>,

    /// A file with the secret that this run and its further machines share [default: the variable POLYPATH_SECRET]
    #[arg(
        long,
        value_name = "FILE",
        requires = "listen",
        help_heading = "Exploration"
    )]
    pub secret_file: Option<PathBuf>,

    /// A Ray cluster whose nodes explore, and the Python that has Ray: `polypath cluster ray`
    #[arg(long, value_name = "ADDRESS", requires = "listen", hide = true)]
    pub ray: Option<String>,
    #[arg(long, value_name = "FILE", default_value = "python3", hide = true)]
    pub python: PathBuf,

    #[command(flatten)]
    pub pruning: super::pruning::HomiArgs,

    /// Stop this many seconds after the start of the command (0: no limit); "90", "15m", "2h"
    #[arg(long, value_name = "S", default_value = "0", value_parser = seconds, help_heading = "Limits")]
    pub time: Duration,

    /// Stop after this many seconds of processor time (0: no limit). Of two runs with the same seed and --jobs 1, the
    /// one that got less far did what the other one did first
    #[arg(long, value_name = "S", default_value = "0", value_parser = seconds, help_heading = "Limits")]
    pub cpu_time: Duration,

    /// Memory of the whole process in MiB (0: no limit); the least promising states are put
    /// aside and rebuilt later
    #[arg(
        long,
        value_name = "MB",
        default_value_t = 2048,
        help_heading = "Limits"
    )]
    pub memory: u64,

    /// Disk for the prefixes of states that were put aside and do not fit into memory, in MiB (0: none); all workers
    /// of this machine together [default: half of what is free where the results go]
    #[arg(long, value_name = "MB", help_heading = "Limits")]
    pub spill_disk: Option<u64>,

    /// What the files of one path and its output may hold together, in MiB (0: no limit); beyond it the path
    /// ends [default: a sixteenth of --memory]
    #[arg(long, value_name = "MB", help_heading = "Limits")]
    pub max_output: Option<u64>,

    /// Forks in the whole run (0: no limit); the states alive then go on for a while, and the run ends
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Limits")]
    pub max_forks: u64,

    /// Forks on one path (0: no limit)
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Limits")]
    pub max_depth: u32,

    /// Seconds of processor time for one query before its side of the branch is parked
    #[arg(
        long,
        value_name = "S",
        default_value_t = 10.0,
        help_heading = "Solver"
    )]
    pub solver_time: f64,

    /// Solver layers to use, joined by commas (default: all)
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        value_parser = LayerId::by_name,
        help_heading = "Solver"
    )]
    pub solver_layers: Vec<LayerId>,

    /// How reads of arrays are decided
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = ArrayMethod::by_name, help_heading = "Solver", long_help = arrays_help())]
    pub arrays: ArrayMethod,

    /// Theory tried first: bits, or lia (linear integers as if nothing wrapped around; models are
    /// checked on the bits, and what integers leave open goes on to the bits)
    #[arg(long, value_name = "NAME", default_value = "bits", value_parser = TheoryKind::by_name, help_heading = "Solver")]
    pub theory: TheoryKind,

    /// How conditions on symbolic floats are decided
    #[arg(
        long,
        value_name = "NAME",
        default_value = "auto",
        help_heading = "Solver"
    )]
    pub fp_solver: FpSolver,

    /// What a call of sin, exp, pow and their like is, for `double` and `float`
    #[arg(
        long,
        value_enum,
        default_value_t,
        value_name = "HOW",
        help_heading = "Solver"
    )]
    pub libm: Libm,

    /// Write every query, as asked, into DIR/queries.smt2 (with several workers into DIR/queries-N.smt2, a file for each): a
    /// script for an incremental SMT-LIB solver
    #[arg(long, value_name = "DIR", help_heading = "Solver")]
    pub log_queries: Option<PathBuf>,

    /// Between MIN and MAX symbolic arguments of at most LEN bytes each
    #[arg(long, num_args = 3, value_names = ["MIN", "MAX", "LEN"], action = clap::ArgAction::Append, help_heading = "Symbolic input")]
    pub sym_args: Vec<String>,

    /// One symbolic argument of at most LEN bytes
    #[arg(long, value_name = "LEN", help_heading = "Symbolic input")]
    pub sym_arg: Vec<u64>,

    /// N symbolic files (A, B, C, …) of LEN bytes each
    #[arg(long, num_args = 2, value_names = ["N", "LEN"], help_heading = "Symbolic input")]
    pub sym_files: Vec<u64>,

    /// Symbolic standard input of LEN bytes
    #[arg(long, value_name = "LEN", help_heading = "Symbolic input")]
    pub sym_stdin: Option<u64>,

    /// Record the standard output as KLEE does
    #[arg(long, help_heading = "Symbolic input")]
    pub sym_stdout: bool,

    /// System calls that may fail on one path, by choice
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        help_heading = "Symbolic input"
    )]
    pub fail_syscalls: u32,

    /// Show this directory of the host to the program, at the same path; its changes stay in the world.
    /// The program starts where polypath was started if that lies inside a DIR, else in the first DIR
    #[arg(long, value_name = "DIR", help_heading = "The program's world")]
    pub fs: Vec<PathBuf>,

    /// When the one path of a concrete run ends, write what the first --fs directory holds then
    #[arg(
        long,
        value_name = "NEW-DIR",
        requires = "fs",
        help_heading = "The program's world"
    )]
    pub save_fs: Option<PathBuf>,

    /// Standard input of the program, from a file (concrete)
    #[arg(long, value_name = "FILE", help_heading = "The program's world")]
    pub stdin: Option<PathBuf>,

    /// What standard input is connected to when it is concrete: file pipe terminal null
    #[arg(
        long,
        value_name = "KIND",
        default_value = "file",
        help_heading = "The program's world"
    )]
    pub stdin_kind: StdinKind,

    /// Sets a variable of the program's environment, which is else LC_ALL=C; NAME alone takes it away
    #[arg(long, value_name = "NAME=VALUE", help_heading = "The program's world")]
    pub env: Vec<String>,

    /// The program's file mode creation mask
    #[arg(long, value_name = "OCTAL", default_value = "022", value_parser = octal, help_heading = "The program's world")]
    pub umask: u32,

    /// The size of the program's stack (RLIMIT_STACK) in MiB, at most 64
    #[arg(
        long,
        value_name = "MB",
        default_value_t = 8,
        value_parser = clap::value_parser!(u64).range(1..=ir::layout::STACK_MOST >> 20),
        help_heading = "The program's world"
    )]
    pub stack: u64,

    /// The program's clock at its start, in seconds since 1970
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 1_700_000_000,
        help_heading = "The program's world"
    )]
    pub clock: i64,

    /// Errors to look for: a list with commas (docs/errors.md)
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        value_parser = check_parser(),
        default_value = "memory,assert,div,shift,builtin,align,overlap,scope,varargs,libc,alloc,function-type",
        help_heading = "Errors"
    )]
    pub check: Vec<Checks>,

    /// Say nothing of a klee_assume that no path gets past
    #[arg(long, help_heading = "Errors")]
    pub silent_assume: bool,

    /// A flag for the compiler when PROGRAM is a source (repeatable)
    #[arg(
        long,
        value_name = "FLAG",
        allow_hyphen_values = true,
        help_heading = "Program"
    )]
    pub cc_flag: Vec<String>,

    /// Explore this function of PROGRAM (then also an archive) instead of main, its parameters symbolic
    /// by their types; FILE:FUNCTION where several have the name. `polypath harness` shows how
    #[arg(long, value_name = "FUNCTION", help_heading = "One function")]
    pub entry: Option<String>,

    /// The driver that calls it: what `polypath harness` wrote, edited
    #[arg(
        long,
        value_name = "FILE",
        requires = "entry",
        help_heading = "One function"
    )]
    pub harness: Option<PathBuf>,

    #[command(flatten)]
    pub parameters: super::harness::Parameters,

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

    /// Write no tests
    #[arg(long, help_heading = "Output")]
    pub no_tests: bool,

    /// No progress and no summary; only errors and what was left out
    #[arg(long, short, help_heading = "Output")]
    pub quiet: bool,

    /// Forks of one instruction that may execute it anew, in a row
    #[arg(long, value_name = "N", default_value_t = 100_000, hide = true)]
    pub max_retries: u32,

    /// Exit with status 4 when nothing was found but something was left out
    #[arg(long, help_heading = "Output")]
    pub strict: bool,
}

const EXAMPLES: &str = "\
Examples:
  polypath run max.c                                   what klee_make_symbolic names is symbolic
  polypath run ./src/cut --sym-args 0 2 4 --sym-files 1 8 --time 60
  polypath run prog.bc --check memory,overflow -- -x file
  polypath run libgsl.a --entry gsl_sort --array-len data=n*stride --time 60
  polypath replay polypath-last; polypath report polypath-last      run the tests natively; write the report

Results, in --out: tests/ (one directory per test, and KLEE's .ktest), errors.json, stats.json, coverage.json.";

fn search_help() -> String {
    let mut text = format!(
        "Which state runs next; several names joined by commas share the time, in shares of N with NAME*N, of M in the first seconds with NAME*M:N [default: {}].\n",
        search::registry::DEFAULT
    );
    for entry in search::registry::searchers() {
        text.push_str(&format!("  {:<14} {}\n", entry.name, entry.help));
    }
    text.push_str(&format!(
        "With --mode concolic: which open branch the solver is asked for [default: {}].\n",
        search::registry::DEFAULT_STRATEGY
    ));
    for entry in search::registry::strategies() {
        text.push_str(&format!("  {:<14} {}\n", entry.branch_name(), entry.help));
    }
    text
}

/// The array configurations with their help.
pub fn arrays_help() -> String {
    let mut text = String::from("How reads of arrays are decided.\n");
    for (name, _, help) in ArrayMethod::ALL {
        text.push_str(&format!("  {name:<21} {help}\n"));
    }
    text
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    Fork,
    Concolic,
}

/// What becomes of operations on symbolic floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FpSolver {
    /// Float terms, decided by numeric search and circuits; where sides are parked for them, integer simulation when
    /// nothing else is left to run
    Auto,
    /// Float terms only: known inputs are tried on a condition, else its side is parked
    None,
    /// Float terms, decided by numeric search: descent on the distance to satisfying a condition
    Search,
    /// Float terms, decided by basin hopping on the differences of the sides of comparisons (goSAT)
    #[value(name = "search:gosat")]
    SearchGosat,
    /// Float terms, decided by basin hopping on the floats between the sides of comparisons (XSat)
    #[value(name = "search:xsat")]
    SearchXsat,
    /// Float terms, decided by fuzzing: inputs that cover something new of a condition are mutated
    Fuzz,
    /// Float terms, decided over the real numbers: boxes of values are contracted and halved, and the floats next to a
    /// solution are searched
    Rso,
    /// Float terms, decided by circuits: operations as bit-vector terms for the SAT solver
    Bvfp,
    /// Float terms, decided as "Symbolic execution of floating-point programs: how far are we?" combines methods: simple
    /// conditions by circuits, then real numbers, then fuzzing from there
    Synergy,
    /// Integer simulation: each operation runs as code over integers, whose special cases (NaN,
    /// infinity, zero, overflow, underflow) become paths; all conditions are about bits
    Isc,
}

/// What calls of the mathematical library are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Libm {
    /// The library's code, whose branches are explored
    #[default]
    Code,
    /// One operation without branches: its conditions are decided by numeric search, never proved
    Call,
}

impl FpSolver {
    /// What the solver does of it.
    pub fn method(self) -> FloatMethod {
        match self {
            FpSolver::Auto => FloatMethod::Auto,
            FpSolver::Search => FloatMethod::Search(Metric::Steps),
            FpSolver::SearchGosat => FloatMethod::Search(Metric::Gosat),
            FpSolver::SearchXsat => FloatMethod::Search(Metric::Xsat),
            FpSolver::Fuzz => FloatMethod::Fuzz,
            FpSolver::Synergy => FloatMethod::Synergy,
            FpSolver::Rso => FloatMethod::Rso,
            FpSolver::Bvfp => FloatMethod::Bvfp,
            FpSolver::None | FpSolver::Isc => FloatMethod::None,
        }
    }
}

/// Reads the name of a check; `--help` lists them from the table.
fn check_parser() -> impl clap::builder::TypedValueParser<Value = Checks> {
    let rows = Check::ALL.iter().map(|c| (c.name(), c.help()));
    let groups = Group::ALL.iter().map(|g| (g.name, g.help));
    let value = |(name, help)| PossibleValue::new(name).help(help);
    PossibleValuesParser::new(rows.chain(groups).map(value)).map(|name| Checks::named(&name))
}

/// Which paths get a test case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Tests {
    /// Every path that ends
    All,
    /// Paths that covered something new, and errors
    New,
    None,
}

/// What concrete standard input comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StdinKind {
    File,
    Pipe,
    Terminal,
    Null,
}

impl StdinKind {
    fn stream(self) -> linux::StreamKind {
        match self {
            StdinKind::File => linux::StreamKind::File,
            StdinKind::Pipe => linux::StreamKind::Pipe,
            StdinKind::Terminal => linux::StreamKind::Terminal,
            StdinKind::Null => linux::StreamKind::Null,
        }
    }
}

/// A mistake of the user unless the path is a file.
fn is_program(path: &Path) -> Result<(), UsageError> {
    let metadata =
        std::fs::metadata(path).map_err(|e| UsageError(format!("{}: {e}", path.display())))?;
    if metadata.is_file() {
        return Ok(());
    }
    let what = what_it_is(metadata.file_type());
    Err(UsageError(format!(
        "{}: {what}, not a program",
        path.display()
    )))
}

/// What stands where a program should; opening it could wait for ever.
fn what_it_is(kind: std::fs::FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    if kind.is_dir() {
        "a directory"
    } else if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

/// Permission bits as the shell's `umask` takes them.
fn octal(text: &str) -> Result<u32, String> {
    u32::from_str_radix(text, 8)
        .ok()
        .filter(|mask| *mask <= 0o777)
        .ok_or_else(|| format!("`{text}` is not a mask (examples: 022, 077)"))
}

/// "90", "1.5", "15m", "2h", "1d" as a duration; zero is "no limit".
pub fn seconds(text: &str) -> Result<Duration, String> {
    let (number, unit) = match text.trim().strip_suffix(['s', 'm', 'h', 'd']) {
        Some(number) => (number, text.trim().as_bytes()[number.len()]),
        None => (text.trim(), b's'),
    };
    let factor = match unit {
        b'm' => 60.0,
        b'h' => 3600.0,
        b'd' => 86400.0,
        _ => 1.0,
    };
    number
        .parse::<f64>()
        .ok()
        .map(|n| n * factor)
        .and_then(|n| Duration::try_from_secs_f64(n).ok())
        .ok_or_else(|| format!("`{text}` is not a time (examples: 90, 15m, 2h)"))
}

/// Ends with a mistake of the user, exit status 2.
macro_rules! usage {
    ($($text:tt)*) => {
        Err(UsageError(format!($($text)*)).into())
    };
}

fn technique_names() -> String {
    let names: Vec<_> = Technique::ALL.iter().map(|t| t.name()).collect();
    names.join(",")
}

impl Args {
    /// What cannot work, said before anything starts.
    pub fn check(&self) -> anyhow::Result<()> {
        self.check_jobs()?;
        let fork_only = [
            ("--partial-solutions", self.partial_solutions),
            ("--seed-input", self.seed_input.is_some()),
        ];
        if let Some((name, _)) = fork_only.iter().find(|(_, given)| *given)
            && self.mode == Mode::Fork
        {
            return usage!("{name}: only with --mode concolic");
        }
        if self.entry.is_none() && self.parameters.any() {
            return usage!("options on the parameters of a function go with --entry FUNCTION");
        }
        is_program(&self.program)?;
        let saved = self.save_fs.as_ref().filter(|_| self.resume.is_none());
        if let Some(dir) = saved.filter(|d| d.exists()) {
            return usage!("--save-fs {}: exists already", dir.display());
        }
        Ok(())
    }

    /// Bytes of disk that spilled prefixes may take where the results go. None if the system does not say how much is free.
    pub fn spill_bytes(&self, results: &Path) -> u64 {
        match self.spill_disk {
            Some(megabytes) => megabytes.saturating_mul(1 << 20),
            None => host::shelf::free_disk(results).map_or(0, |free| free / 2),
        }
    }

    /// Where the coordinator of a run with these results keeps prefixes.
    pub fn shelf(&self, results: &Path) -> Shelf {
        let memory = jobs::memory_of_prefixes(self.memory << 20);
        let (disk, _) = jobs::shares_of_disk(self.spill_bytes(results), self.jobs());
        Shelf::new(results, memory, disk)
    }

    /// How many processes were asked for.
    fn asked_jobs(&self) -> Option<u32> {
        jobs::asked(self.jobs)
    }

    /// How many processes may explore.
    pub fn jobs(&self) -> u32 {
        if self.alone().is_some() {
            return 1;
        }
        let that_fit = || jobs::that_fit(self.memory);
        self.asked_jobs().unwrap_or_else(that_fit)
    }

    /// Do processes of their own explore from the beginning?
    pub fn has_workers(&self) -> bool {
        let has_several = self.asked_jobs().is_some_and(|n| n > 1) || self.listen.is_some();
        let goes_on = self.resume.is_some() && self.jobs() > 1;
        self.alone().is_none() && (has_several || goes_on || self.deterministic)
    }

    /// Do they once it pays?
    pub fn may_get_workers(&self) -> bool {
        !self.has_workers() && self.asked_jobs().is_none() && self.jobs() > 1
    }

    /// The option with which one worker explores, whatever was asked for.
    pub fn alone(&self) -> Option<&'static str> {
        self.pruning.alone()
    }

    /// The same, if more were asked for or would be the default.
    pub fn alone_because(&self) -> Option<&'static str> {
        let wanted = self.asked_jobs().unwrap_or_else(jobs::cores);
        self.alone().filter(|_| wanted > 1)
    }

    /// Numbers of workers that cannot be.
    fn check_jobs(&self) -> anyhow::Result<()> {
        let elsewhere = [
            ("--fs", !self.fs.is_empty()),
            ("--libm call", self.libm == Libm::Call),
            ("--log-queries", self.log_queries.is_some()),
        ];
        if let Some((name, _)) = elsewhere.iter().find(|(_, given)| *given)
            && self.listen.is_some()
        {
            return usage!(
                "--listen: {name} needs files of this machine, which others do not have"
            );
        }
        if let Some(name) = self.alone().filter(|_| self.listen.is_some()) {
            return usage!("--listen: with {name} one worker explores");
        }
        let not_repeated = [
            ("--mode concolic", self.mode == Mode::Concolic),
            ("--homi", self.pruning.homi.is_some()),
            ("--log-queries", self.log_queries.is_some()),
            ("--save-fs", self.save_fs.is_some()),
        ];
        if let Some((name, _)) = not_repeated.iter().find(|(_, given)| *given)
            && self.deterministic
        {
            return usage!("--deterministic: not with {name}");
        }
        jobs::check(self.jobs, self.memory, self.listen.is_some())?;
        Ok(())
    }

    /// The techniques whose partial solutions are run.
    pub fn techniques(&self) -> anyhow::Result<Rc<[Technique]>> {
        if !self.partial_solutions {
            return Ok(Rc::default());
        }
        if self.partial_from.is_empty() {
            return Ok(Technique::ALL.into());
        }
        let known = |name: &String| match Technique::by_name(name) {
            Some(technique) => Ok(technique),
            None => usage!(
                "--partial-from {name}: no such technique; they are {}",
                technique_names()
            ),
        };
        self.partial_from.iter().map(known).collect()
    }

    /// The searcher as the user or the mode names it.
    pub fn search_name(&self) -> &str {
        match (&self.search, self.mode) {
            (Some(name), _) => name,
            (None, Mode::Fork) => search::registry::DEFAULT,
            (None, Mode::Concolic) => search::registry::DEFAULT_STRATEGY,
        }
    }

    /// The strategy of a concolic run, with this seed.
    pub fn strategy(&self, seed: u64) -> anyhow::Result<Box<dyn search::Strategy>> {
        let name = self.search_name();
        let Some(strategy) = search::strategy(name, seed) else {
            let names = search::registry::strategies().map(search::Entry::branch_name);
            let names: Vec<&str> = names.collect();
            return usage!(
                "--search {name}: with --mode concolic there are {}",
                names.join(", ")
            );
        };
        Ok(strategy)
    }

    pub fn tests(&self) -> Tests {
        if self.no_tests {
            Tests::None
        } else {
            self.tests
        }
    }

    /// What is looked for.
    pub fn checks(&self) -> Checks {
        self.check.iter().flat_map(|c| c.iter()).collect()
    }

    /// May the run simulate float operations?
    pub fn simulates_floats(&self) -> bool {
        match (self.fp_solver, self.mode) {
            // Concolic mode has no states to go on from.
            (FpSolver::Isc, _) => true,
            (FpSolver::Auto, mode) => mode == Mode::Fork,
            _ => false,
        }
    }

    /// The program's input: `--sym-*` options here and among ARGS.
    pub fn input(&self) -> anyhow::Result<linux::ProgramInput> {
        let mut input = linux::parse_program_args(&self.args)
            .map_err(|e| UsageError(format!("in the program's arguments: {e}")))?;
        let mut symbolic = Vec::new();
        for three in self.sym_args.chunks(3) {
            let number = |i: usize, what: &str| {
                three[i]
                    .parse::<u64>()
                    .with_context(|| format!("--sym-args: {what} `{}`", three[i]))
            };
            let (min, max, len) = (number(0, "MIN")?, number(1, "MAX")?, number(2, "LEN")?);
            let (Ok(min), Ok(max)) = (u32::try_from(min), u32::try_from(max)) else {
                return usage!("--sym-args: too many arguments");
            };
            if min > max {
                return usage!("--sym-args {min} {max}: MIN is above MAX");
            }
            symbolic.push(linux::ArgSpec::Several { min, max, len });
        }
        symbolic.extend(
            self.sym_arg
                .iter()
                .map(|&len| linux::ArgSpec::Symbolic { len }),
        );
        symbolic.append(&mut input.args);
        input.args = symbolic;
        if let [count, len] = self.sym_files[..] {
            let count = u32::try_from(count).context("--sym-files: too many files")?;
            input.files = Some(linux::SymFiles { count, len });
        }
        input.stdin = self.sym_stdin.or(input.stdin);
        input.stdout |= self.sym_stdout;
        input.max_fail = input.max_fail.max(self.fail_syscalls);
        Ok(input)
    }

    /// The world's fixed part.
    pub fn world(&self) -> anyhow::Result<linux::WorldConfig> {
        let program = self.program.file_stem().map_or_else(
            || "program".into(),
            |name| name.to_string_lossy().into_owned(),
        );
        let mut config = linux::WorldConfig {
            program,
            ..linux::WorldConfig::default()
        };
        config.max_output = match self.max_output {
            Some(megabytes) => megabytes.saturating_mul(1 << 20),
            None => self.memory.saturating_mul(1 << 20) / 16,
        };
        config.umask = self.umask;
        config.epoch = self.clock;
        config.stack = self.stack << 20;
        for variable in &self.env {
            let (name, value) = match variable.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (&variable[..], None),
            };
            config.env.retain(|(n, _)| n != name);
            config
                .env
                .extend(value.map(|v| (name.to_string(), v.to_string())));
        }
        for dir in &self.fs {
            let host = dir
                .canonicalize()
                .map_err(|e| UsageError(format!("--fs {}: {e}", dir.display())))?;
            if !host.is_dir() {
                return usage!("--fs {}: not a directory", dir.display());
            }
            let at = host.to_string_lossy().into_owned();
            config.views.push(linux::HostView { host, at });
        }
        if let Some(first) = config.views.first() {
            let here = std::env::current_dir()
                .map_err(|e| UsageError(format!("--fs: the working directory: {e}")))?;
            let inside = config.views.iter().any(|v| here.starts_with(&v.host));
            config.cwd = if inside {
                here.to_string_lossy().into_owned()
            } else {
                first.at.clone()
            };
        }
        if let Some(file) = &self.stdin {
            config.stdin = std::fs::read(file)
                .map_err(|e| UsageError(format!("--stdin {}: {e}", file.display())))?;
        }
        // A symbolic one chooses for itself.
        if self.input()?.stdin.is_none() {
            config.stdin_kind = self.stdin_kind.stream();
        }
        Ok(config)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_of_check_is_the_table_s() {
        use clap::Args as _;
        let command = Args::augment_args(clap::Command::new("run"));
        let check = command.get_arguments().find(|a| a.get_id() == "check");
        let default = check.unwrap().get_default_values();
        assert_eq!(default, [Checks::default().to_string().as_str()]);
    }

    #[test]
    fn times_have_units() {
        assert_eq!(seconds("90"), Ok(Duration::from_secs(90)));
        assert_eq!(seconds("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(seconds("2h"), Ok(Duration::from_secs(7200)));
        assert!(seconds("-1").is_err());
        assert!(seconds("soon").is_err());
        assert!(seconds("1e300").is_err());
    }
}
