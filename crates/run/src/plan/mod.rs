//! The plan of a run: its complete description as plain values. It is made once from the options, kept in `info.json`,
//! and sent to every worker. A process that continues a run, replays its tests or explores a part of it reads the plan
//! and parses no command line.
//!
//! The options themselves (names, defaults, help) stand in the table of `cli::options`.

mod c;
mod fuzz;
mod homi;
mod java;
mod named;

pub use c::{C, CProgram, Conversions, EntryPlan, Libm, Parameters};
pub use fuzz::FuzzPlan;
pub use homi::Homi;
pub use java::Java;
pub use named::{FpSolver, KeptTests, MemoryPolicy, Mode, Named, ProgressForm, StdinKind, Tests};

use crate::exit::UsageError;
use crate::jobs;
use dse::{PartialLimits, PartialOptions};
use host::shelf::Shelf;
use serde::{Deserialize, Serialize};
use solver::{ArrayMethod, LayerId, SatStart, SolverOptions, Technique, TheoryKind};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;
use testcase::RunInfo;

/// The version of the form in which plans are kept.
const FORM: u32 = 3;

/// See the module.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plan {
    /// The version of its form.
    form: u32,
    /// The directory in which the command was given: relative names, also those inside the program, are relative to
    /// it.
    pub directory: PathBuf,
    /// The run continues the frontier of an earlier one.
    pub goes_on: bool,
    /// In which order paths are explored.
    pub search: SearchPlan,
    /// How conditions are decided.
    pub solver: SolverPlan,
    /// Its limits.
    pub limits: LimitsPlan,
    /// Its workers.
    pub workers: WorkersPlan,
    /// Its native fuzzers, if it has any.
    #[serde(default)]
    pub fuzz: Option<FuzzPlan>,
    /// Its files and messages.
    pub output: OutputPlan,
    /// The program in its language.
    pub language: Language,
}

/// The program in its language.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Language {
    /// A program in IR.
    C(Box<C>),
    /// A Java program.
    Java(Box<Java>),
}

/// In which order paths are explored, and which of them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SearchPlan {
    /// What happens at a branch.
    pub mode: Mode,
    /// The searcher, or the order of open branches. `None`: the default of the mode.
    pub name: Option<String>,
    /// The solver's partial solutions run, too.
    pub partial_solutions: bool,
    /// Only what techniques of these names tried; all of them if there are none.
    pub partial_from: Vec<String>,
    /// How many of them are considered.
    pub partial_limits: PartialLimits,
    /// A directory of inputs to begin with.
    pub seed_input: Option<PathBuf>,
    /// A directory of inputs that the run and fuzzers exchange.
    #[serde(default)]
    pub sync: Option<PathBuf>,
    /// Instructions for which a selected state keeps running (0: it is chosen anew at each fork).
    pub batch_instructions: u64,
    /// The seed of all random choices.
    pub seed: u64,
    /// Which states are not worth keeping.
    pub homi: Homi,
}

/// How conditions are decided.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SolverPlan {
    /// Seconds of processor time for one query.
    pub seconds: f64,
    /// The layers to use by name; all if there are none.
    pub layers: Vec<String>,
    /// How reads of arrays are decided, by name.
    pub arrays: String,
    /// The theory that is tried first, by name.
    pub theory: String,
    /// Where the searches of SAT solvers begin, by name.
    #[serde(default = "at_the_witness")]
    pub sat_start: String,
    /// What happens to operations on symbolic floats.
    pub floats: FpSolver,
    /// A directory for a log of all queries.
    pub log: Option<PathBuf>,
}

/// The limits of a run. Zero is no limit unless stated otherwise.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct LimitsPlan {
    /// Wall-clock time from the start of the command.
    pub time: Duration,
    /// Processor time of all processes.
    pub cpu_time: Duration,
    /// Memory of all processes, in MiB.
    pub memory_mb: u64,
    /// What happens to live states when memory is short.
    #[serde(default)]
    pub memory_policy: MemoryPolicy,
    /// Disk for states that do not fit into memory, in MiB (0: none). `None`: half of the free space.
    pub spill_disk_mb: Option<u64>,
    /// Forks in the whole run.
    pub max_forks: u64,
    /// The run ends when what is left has longer arrays and strings than the first ones of a driver.
    #[serde(default)]
    pub first_look: bool,
    /// Forks on one path.
    pub max_depth: u32,
    /// Forks of one instruction in a row that may execute it anew.
    pub max_retries: u32,
    /// The part of the time in which the inputs of live states run on to the end of the program, from 0 to 1.
    #[serde(default)]
    pub live_share: f64,
}

/// The workers of a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct WorkersPlan {
    /// Processes of this machine. `None`: one, and more once there has been enough to do.
    pub jobs: Option<u32>,
    /// The same results for every number of workers.
    pub deterministic: bool,
    /// No scout runs ahead.
    pub no_scout: bool,
    /// The address where further machines may join (HOST:PORT).
    pub listen: Option<String>,
    /// The file with the secret that they share.
    pub secret_file: Option<PathBuf>,
    /// The address of a Ray cluster whose nodes explore.
    pub ray: Option<String>,
    /// The Python that has Ray.
    pub python: PathBuf,
}

/// Files and messages.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct OutputPlan {
    /// Which paths get a test.
    pub tests: Tests,
    /// The form in which tests of a function are written, too.
    #[serde(default)]
    pub kept_tests: Option<KeptTests>,
    /// Only losses are printed.
    pub quiet: bool,
    /// How the progress is shown.
    #[serde(default)]
    pub progress: ProgressForm,
    /// The exit status tells whether something was left out.
    pub strict: bool,
}

/// The start of searches unless another one is asked for.
fn at_the_witness() -> String {
    "witness".into()
}

impl Default for SolverPlan {
    fn default() -> SolverPlan {
        SolverPlan {
            seconds: 10.0,
            layers: Vec::new(),
            arrays: ArrayMethod::default().name().into(),
            theory: "bits".into(),
            sat_start: at_the_witness(),
            floats: FpSolver::default(),
            log: None,
        }
    }
}

impl Plan {
    /// A plan with defaults, for a program of this language.
    pub fn new(directory: PathBuf, language: Language) -> Plan {
        Plan {
            form: FORM,
            directory,
            goes_on: false,
            search: SearchPlan::default(),
            solver: SolverPlan::default(),
            limits: LimitsPlan::default(),
            workers: WorkersPlan::default(),
            fuzz: None,
            output: OutputPlan::default(),
            language,
        }
    }

    /// The words of the command that makes runs of this language, behind `polypath`.
    pub fn command(&self) -> &'static [&'static str] {
        match self.language {
            Language::C(_) => &["run"],
            Language::Java(_) => &["java", "run"],
        }
    }

    /// The plan of the C program.
    ///
    /// # Errors
    /// It is a run of another language.
    pub fn c(&self) -> Result<&C, String> {
        match &self.language {
            Language::C(c) => Ok(c),
            Language::Java(_) => Err("the plan is one of a Java program".into()),
        }
    }

    /// The plan of the Java program.
    ///
    /// # Errors
    /// It is a run of another language.
    pub fn java(&self) -> Result<&Java, String> {
        match &self.language {
            Language::Java(java) => Ok(java),
            Language::C(_) => Err("the plan is one of a program in IR".into()),
        }
    }

    /// The plan of a run, from its record.
    ///
    /// # Errors
    /// In words: it has none that this version understands.
    pub fn of(info: &RunInfo) -> Result<Plan, String> {
        let version = &info.version;
        let plan = info
            .plan
            .as_ref()
            .ok_or_else(|| format!("polypath {version} could keep no plan in info.json"))?;
        if plan.get("form").and_then(serde_json::Value::as_u64) != Some(FORM.into()) {
            return Err(format!(
                "the plan in info.json is of another form (polypath {version} wrote it)"
            ));
        }
        Plan::deserialize(plan).map_err(|e| format!("the plan in info.json: {e}"))
    }

    /// The seed by which a worker with this seed loses states when memory is short; `None`: it spills them.
    ///
    /// # Errors
    /// The run has no states that could be lost.
    pub fn drop_seed(&self, seed: u64) -> Result<Option<u64>, UsageError> {
        match (self.limits.memory_policy, self.search.mode) {
            (MemoryPolicy::Spill, _) => Ok(None),
            (MemoryPolicy::Drop, Mode::Fork) => Ok(Some(seed)),
            (MemoryPolicy::Drop, Mode::Concolic) => Err(UsageError(
                "--memory-policy drop: only with --mode fork (concolic mode has no states to drop)"
                    .into(),
            )),
        }
    }

    /// Encodes it for a worker.
    ///
    /// # Errors
    /// A name is not UTF-8.
    pub(crate) fn to_text(&self) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }

    /// Bytes of memory of all processes of the run; 0: no limit.
    pub fn memory(&self) -> u64 {
        self.limits.memory_mb << 20
    }

    /// Bytes of disk that may be taken where the results go. None if the system does not say how much is free.
    pub(crate) fn spill_bytes(&self, results: &Path) -> u64 {
        match self.limits.spill_disk_mb {
            Some(megabytes) => megabytes.saturating_mul(1 << 20),
            None => host::shelf::free_disk(results).map_or(0, |free| free / 2),
        }
    }

    /// The shelf on which the coordinator of a run with these results keeps prefixes.
    pub fn shelf(&self, results: &Path) -> Shelf {
        let memory = jobs::memory_of_prefixes(self.memory());
        let disk = match self.language {
            Language::C(_) => jobs::shares_of_disk(self.spill_bytes(results), self.jobs()).0,
            Language::Java(_) => java::DISK,
        };
        Shelf::new(results, memory, disk)
    }

    /// How many processes were asked for.
    fn asked_jobs(&self) -> Option<u32> {
        jobs::asked(self.workers.jobs)
    }

    /// How many processes may explore.
    pub fn jobs(&self) -> u32 {
        if self.alone().is_some() {
            return 1;
        }
        let that_fit = || jobs::that_fit(self.limits.memory_mb);
        self.asked_jobs().unwrap_or_else(that_fit)
    }

    /// Do separate processes explore from the beginning?
    pub fn has_workers(&self) -> bool {
        let has_several = self.asked_jobs().is_some_and(|n| n > 1) || self.workers.listen.is_some();
        let goes_on = self.goes_on && self.jobs() > 1;
        self.alone().is_none() && (has_several || goes_on || self.workers.deterministic)
    }

    /// Do they once it pays?
    pub(crate) fn may_get_workers(&self) -> bool {
        !self.has_workers() && self.asked_jobs().is_none() && self.jobs() > 1
    }

    /// The option with which one worker explores, whatever was asked for.
    pub fn alone(&self) -> Option<&'static str> {
        self.search.homi.alone()
    }

    /// The same, if more were asked for or would be the default.
    pub(crate) fn alone_because(&self) -> Option<&'static str> {
        let wanted = self.asked_jobs().unwrap_or_else(jobs::cores);
        self.alone().filter(|_| wanted > 1)
    }

    /// The searcher as the user or the mode names it.
    pub fn search_name(&self) -> &str {
        match (&self.search.name, self.search.mode) {
            (Some(name), _) => name,
            (None, Mode::Fork) => search::registry::DEFAULT,
            (None, Mode::Concolic) => search::registry::DEFAULT_STRATEGY,
        }
    }

    /// The order in which a concolic run asks for open branches, with this seed.
    ///
    /// # Errors
    /// There is none of this name.
    pub fn strategy(&self, seed: u64) -> Result<Box<dyn search::Strategy>, UsageError> {
        let name = self.search_name();
        search::strategy(name, seed).ok_or_else(|| {
            let names = search::registry::strategies().map(search::Heuristic::branch_name);
            let names: Vec<&str> = names.collect();
            let with = match self.language {
                Language::C(_) => "with --mode concolic ",
                Language::Java(_) => "",
            };
            let names = names.join(", ");
            UsageError(format!("--search {name}: {with}there are {names}"))
        })
    }

    /// The partial solutions that are run.
    ///
    /// # Errors
    /// There is none of a name.
    pub fn partial_options(&self) -> Result<PartialOptions, UsageError> {
        Ok(PartialOptions {
            techniques: self.techniques()?,
            limits: self.search.partial_limits,
        })
    }

    fn techniques(&self) -> Result<Rc<[Technique]>, UsageError> {
        if !self.search.partial_solutions {
            return Ok(Rc::default());
        }
        if self.search.partial_from.is_empty() {
            return Ok(Technique::ALL.into());
        }
        let known = |name: &String| {
            Technique::by_name(name).ok_or_else(|| {
                let names: Vec<_> = Technique::ALL.iter().map(|t| t.name()).collect();
                let names = names.join(",");
                UsageError(format!(
                    "--partial-from {name}: no such technique; they are {names}"
                ))
            })
        };
        self.search.partial_from.iter().map(known).collect()
    }

    /// The solver's options.
    ///
    /// # Errors
    /// There is nothing of a name.
    pub fn solver_options(&self) -> Result<SolverOptions, UsageError> {
        let asked = &self.solver;
        let layers = asked.layers.iter().map(|name| LayerId::by_name(name));
        Ok(SolverOptions {
            layers: layers.collect::<Result<_, _>>().map_err(UsageError)?,
            seed: self.search.seed,
            arrays: ArrayMethod::by_name(&asked.arrays).map_err(UsageError)?,
            theory: TheoryKind::by_name(&asked.theory).map_err(UsageError)?,
            sat_start: SatStart::by_name(&asked.sat_start).map_err(UsageError)?,
            floats: asked.floats.method(),
            ..SolverOptions::default()
        })
    }

    /// Numbers and places of workers that cannot be. `shows_files`: the program sees files of this machine.
    ///
    /// # Errors
    /// Which, and why.
    pub fn check_workers(&self, shows_files: bool) -> Result<(), UsageError> {
        let c = self.c().ok();
        let (listens, logs) = (self.workers.listen.is_some(), self.solver.log.is_some());
        let elsewhere = [
            ("--fs", shows_files),
            (
                "--libm call",
                c.is_some_and(|c| c.program.libm == Libm::Call),
            ),
            ("--log-queries", logs),
        ];
        if let Some((name, _)) = elsewhere.iter().find(|(_, given)| *given)
            && listens
        {
            return Err(UsageError(format!(
                "--listen: {name} needs files of this machine, which others do not have"
            )));
        }
        if let Some(name) = self.alone().filter(|_| listens) {
            return Err(UsageError(format!(
                "--listen: with {name} one worker explores"
            )));
        }
        let not_repeated = [
            ("--homi", self.search.homi.method.is_some()),
            ("--log-queries", logs),
            ("--save-fs", c.is_some_and(|c| c.save_fs.is_some())),
        ];
        if let Some((name, _)) = not_repeated.iter().find(|(_, given)| *given)
            && self.workers.deterministic
        {
            return Err(UsageError(format!("--deterministic: not with {name}")));
        }
        self.check_jobs()
    }

    /// Numbers of workers that cannot be.
    ///
    /// # Errors
    /// Which, and why.
    pub fn check_jobs(&self) -> Result<(), UsageError> {
        if self.search.sync.is_some() && self.has_workers() {
            let why = "--sync: one worker explores and exchanges inputs; leave --jobs, --deterministic and --listen out";
            return Err(UsageError(why.into()));
        }
        if self.search.sync.is_some()
            && let Some(name) = self.alone()
        {
            return Err(UsageError(format!("--sync: not with {name}")));
        }
        let may_be_none = self.workers.listen.is_some();
        jobs::check(self.workers.jobs, self.limits.memory_mb, may_be_none)
    }
}
