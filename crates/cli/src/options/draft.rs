//! From options to the plan of a run that begins: values of options, before files are read and contradictions are
//! refused.

use crate::exit::UsageError;
use anyhow::Context;
use jvm::{InputFiles, MainInput};
use run::corpus::Corpus;
use run::exchange::Exchange;
use run::plan::{C, CProgram, EntryPlan, Java, Language, Mode, Plan, StdinKind, Tests};
use std::path::{Path, PathBuf};

/// Files of input of a Java program at most: their names are letters.
const MOST_FILES: u32 = 26;
/// Bytes of one at most: each is a symbol, and every run writes them all.
const LONGEST_FILE: u32 = 1 << 20;

/// The settings of this invocation alone, which are no part of the plan.
#[derive(Clone, Debug, Default)]
pub struct Invocation {
    /// The directory of the results, if the user gives one.
    pub out: Option<PathBuf>,
    /// The run that is continued.
    pub resume: Option<PathBuf>,
}

/// See the module. Options with a field in the plan go there at once.
#[derive(Debug)]
pub struct Draft {
    pub plan: Plan,
    pub invocation: Invocation,
    /// The directory to which names are relative that are given to a run that is continued: the run works where it was
    /// started.
    here: Option<PathBuf>,
    /// The argument that names the program, and the arguments behind `--`.
    pub program: PathBuf,
    pub arguments: Vec<String>,
    pub input: InputWords,
    pub world: WorldWords,
    pub c: CProgram,
    pub silent_assume: bool,
    pub save_fs: Option<PathBuf>,
    /// The function that is explored, and how.
    pub function: Option<String>,
    /// The most bytes of an input, as the user gives it for a fuzz target, and as it is for one.
    pub max_len: Option<u64>,
    pub longest_input: Option<u64>,
    pub entry: EntryPlan,
    pub no_tests: bool,
    pub java: Java,
}

/// The `--sym-…` options.
#[derive(Debug, Default)]
pub struct InputWords {
    /// Three words for each option.
    pub args: Vec<String>,
    pub arg: Vec<u64>,
    pub files: Vec<u64>,
    pub stdin: Option<u64>,
    pub stdout: bool,
    pub grows: bool,
    pub may_be_empty: bool,
    pub is_exact: bool,
    pub attributes: bool,
    pub fail_syscalls: u32,
    /// The same of a Java program.
    pub java_args: Vec<u32>,
    pub java_arg: Vec<u32>,
    pub java_files: Vec<u32>,
    pub java_stdin: Option<u32>,
}

/// The options on the world of a program in IR.
#[derive(Debug, Default)]
pub struct WorldWords {
    pub fs: Vec<PathBuf>,
    pub stdin: Option<PathBuf>,
    pub stdin_kind: StdinKind,
    pub env: Vec<String>,
    pub umask: u32,
    pub stack_mb: u64,
    pub clock: i64,
    /// MiB that the files of a path may hold.
    pub max_output: Option<u64>,
}

/// Ends with a mistake of the user, exit status 2.
macro_rules! usage {
    ($($text:tt)*) => {
        Err(UsageError(format!($($text)*)).into())
    };
}

impl Draft {
    fn new(plan: Plan) -> Draft {
        Draft {
            plan,
            invocation: Invocation::default(),
            here: None,
            program: PathBuf::new(),
            arguments: Vec::new(),
            input: InputWords::default(),
            world: WorldWords::default(),
            c: CProgram::default(),
            silent_assume: false,
            save_fs: None,
            function: None,
            max_len: None,
            longest_input: None,
            entry: EntryPlan::default(),
            no_tests: false,
            java: Java::default(),
        }
    }

    /// A draft of a run of a program in IR that begins here.
    ///
    /// # Errors
    /// The working directory is gone.
    pub fn of_c() -> anyhow::Result<Draft> {
        let language = Language::C(Box::default());
        Ok(Draft::new(Plan::new(std::env::current_dir()?, language)))
    }

    /// A draft of a run of a Java program that begins here.
    ///
    /// # Errors
    /// The working directory is gone.
    pub fn of_java() -> anyhow::Result<Draft> {
        let language = Language::Java(Box::default());
        let mut plan = Plan::new(std::env::current_dir()?, language);
        plan.search.mode = Mode::Concolic;
        Ok(Draft::new(plan))
    }

    /// A draft of a run that is continued; new names are relative to `here`.
    pub fn going_on(mut plan: Plan, here: PathBuf) -> Draft {
        plan.goes_on = true;
        plan.limits.first_look = false;
        Draft {
            here: Some(here),
            ..Draft::new(plan)
        }
    }

    /// A name that means the same where the run works.
    pub fn absolute(&self, name: &Path) -> PathBuf {
        match &self.here {
            Some(here) => here.join(name),
            None => name.to_owned(),
        }
    }

    /// The plan of a run of a program in IR.
    ///
    /// # Errors
    /// Options that contradict each other, and files that cannot be read.
    pub fn plan_of_c(mut self) -> anyhow::Result<(Plan, Invocation)> {
        self.settle_c()?;
        is_program(&self.program)?;
        if let Some(dir) = self.save_fs.as_ref().filter(|d| d.exists()) {
            return usage!("--save-fs {}: exists already", dir.display());
        }
        let mut input = self.program_input()?;
        self.settle_target(&mut input)?;
        if self.longest_input.is_none() {
            self.make_room_for_seeds(&mut input)?;
        }
        if input.files.is_some() {
            input.fill_placeholder();
        }
        let world = self.program_world(input.stdin.is_none())?;
        let entry = self.function.take().map(|function| EntryPlan {
            library: self.program.clone(),
            function,
            ..self.entry
        });
        if let Language::C(c) = &mut self.plan.language {
            c.program.input = input;
            c.longest_input = self.longest_input;
            c.program.set_world(world);
            c.entry = entry.map(|entry| EntryPlan {
                cc_flags: c.program.cc_flags.clone(),
                ..entry
            });
        }
        Ok((self.plan, self.invocation))
    }

    /// What can be known of a run of a program in IR without looking at any file.
    ///
    /// # Errors
    /// Options that contradict each other.
    pub fn settle_c(&mut self) -> anyhow::Result<()> {
        if self.plan.search.mode == Mode::Fork && self.plan.search.partial_solutions {
            return usage!("--partial-solutions: only with --mode concolic");
        }
        match self.plan.search.mode {
            Mode::Fork => {
                let options = search::SearchOptions::default();
                let parsed = search::parse(self.plan.search_name(), &options);
                parsed.map_err(|e| UsageError(format!("--search: {e}")))?;
            }
            Mode::Concolic => {
                self.plan.strategy(0)?;
                self.plan.partial_options()?;
            }
        }
        if self.function.is_none() && self.entry.parameters.any() {
            return usage!("options on the parameters of a function go with --entry FUNCTION");
        }
        if self.no_tests {
            self.plan.output.tests = Tests::None;
        }
        self.settle_kept_tests()?;
        // What several workers cannot have is refused before a file is missed.
        let mut program = std::mem::take(&mut self.c);
        program.file.clone_from(&self.program);
        program.soft_float = self.plan.simulates_floats();
        self.plan.language = Language::C(Box::new(C {
            program,
            entry: None,
            longest_input: None,
            silent_assume: self.silent_assume,
            save_fs: self.save_fs.clone(),
        }));
        if self.plan.search.sync.is_some() {
            self.plan.workers.jobs.get_or_insert(1);
        }
        self.plan.check_workers(!self.world.fs.is_empty())?;
        let is_seeded = self.plan.search.seed_input.is_some();
        if is_seeded && self.plan.search.mode == Mode::Fork && self.plan.has_workers() {
            return usage!(
                "--seed-input: with --mode fork one worker begins, and further ones follow by themselves; leave --jobs, --deterministic and --listen out, or add --mode concolic"
            );
        }
        self.program_input().map(drop)
    }

    /// Can tests be written as source?
    fn settle_kept_tests(&self) -> anyhow::Result<()> {
        if self.plan.output.kept_tests.is_none() {
            return Ok(());
        }
        if self.function.is_none() {
            return usage!(
                "--write-tests: a test as source calls a function, which --entry FUNCTION names (`polypath test LIB` has all of a library)"
            );
        }
        if self.entry.harness.is_some() {
            return usage!(
                "--write-tests: not with --harness, a driver of your own needs klee/klee.h and libpolypath.a"
            );
        }
        if self.plan.output.tests == Tests::None {
            return usage!("--write-tests: not with --no-tests");
        }
        if self.input.fail_syscalls > 0 {
            return usage!(
                "--write-tests: not with --fail-syscalls, a test as source cannot make system calls fail"
            );
        }
        Ok(())
    }

    /// The program's input: `--sym-*` options here and among ARGS.
    fn program_input(&self) -> anyhow::Result<linux::ProgramInput> {
        let mut input = linux::parse_program_args(&self.arguments)
            .map_err(|e| UsageError(format!("in the program's arguments: {e}")))?;
        let mut symbolic = Vec::new();
        for three in self.input.args.chunks(3) {
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
        let one = |&len| linux::ArgSpec::Symbolic { len };
        symbolic.extend(self.input.arg.iter().map(one));
        symbolic.append(&mut input.args);
        input.args = symbolic;
        if let [count, len] = self.input.files[..] {
            let count = u32::try_from(count).context("--sym-files: too many files")?;
            input.files = Some(linux::SymFiles { count, len });
        }
        input.stdin = self.input.stdin.or(input.stdin);
        input.stdout |= self.input.stdout;
        input.attributes |= self.input.attributes;
        let sizes = [
            (self.input.grows, linux::Sizes::Growing),
            (self.input.may_be_empty, linux::Sizes::FullOrEmpty),
            (self.input.is_exact, linux::Sizes::Full),
        ];
        let given: Vec<_> = sizes.iter().filter(|(given, _)| *given).collect();
        match given[..] {
            [] => {}
            [(_, sizes)] => input.sizes = *sizes,
            _ => return usage!("--sym-size, --sym-empty, --sym-exact: one of them at most"),
        }
        input.max_fail = input.max_fail.max(self.input.fail_syscalls);
        Ok(input)
    }

    /// Gives the input the length of the longest raw file with which the run begins. Where nothing is symbolic, the file for which AFL's
    /// placeholder stands is, or standard input.
    fn make_room_for_seeds(&mut self, input: &mut linux::ProgramInput) -> anyhow::Result<()> {
        let Some(longest) = self.longest_seed()? else {
            return Ok(());
        };
        if self.function.is_some() {
            let parameters = &mut self.entry.parameters;
            parameters.array_max = parameters.array_max.max(longest);
            parameters.string_max = parameters.string_max.max(longest);
            return Ok(());
        }
        let len = longest.max(1);
        if !input.is_symbolic() {
            if input.has_placeholder() {
                input.files = Some(linux::SymFiles { count: 1, len });
            } else {
                input.stdin = Some(len);
            }
        }
        match (&mut input.files, &mut input.stdin) {
            (Some(files), _) => files.len = files.len.max(len),
            (None, Some(stdin)) => *stdin = len.max(*stdin),
            (None, None) => return Ok(()),
        }
        Ok(())
    }

    /// The length of the longest raw file that the run knows before it begins.
    pub(super) fn longest_seed(&self) -> anyhow::Result<Option<u64>> {
        let search = &self.plan.search;
        let seeds = match &search.seed_input {
            Some(dir) => Corpus::open(dir)?.longest()?,
            None => None,
        };
        let others = match &search.sync {
            Some(dir) => Exchange::longest(dir)?,
            None => None,
        };
        Ok(seeds.max(others))
    }

    /// The world's fixed part. Standard input has a kind if it is concrete; a symbolic one chooses for itself.
    fn program_world(&self, is_concrete: bool) -> anyhow::Result<linux::WorldConfig> {
        let program = self.program.file_stem().map_or_else(
            || "program".into(),
            |name| name.to_string_lossy().into_owned(),
        );
        let mut config = linux::WorldConfig {
            program,
            ..linux::WorldConfig::default()
        };
        config.max_output = match self.world.max_output {
            Some(megabytes) => megabytes.saturating_mul(1 << 20),
            None => self.plan.limits.memory_mb.saturating_mul(1 << 20) / 16,
        };
        config.umask = self.world.umask;
        config.epoch = self.world.clock;
        config.stack = self.world.stack_mb << 20;
        for variable in &self.world.env {
            let (name, value) = match variable.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (&variable[..], None),
            };
            config.env.retain(|(n, _)| n != name);
            config
                .env
                .extend(value.map(|v| (name.to_string(), v.to_string())));
        }
        for dir in &self.world.fs {
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
            let here = &self.plan.directory;
            let inside = config.views.iter().any(|v| here.starts_with(&v.host));
            config.cwd = if inside {
                here.to_string_lossy().into_owned()
            } else {
                first.at.clone()
            };
        }
        if let Some(file) = &self.world.stdin {
            config.stdin = std::fs::read(file)
                .map_err(|e| UsageError(format!("--stdin {}: {e}", file.display())))?;
        }
        if is_concrete {
            config.stdin_kind = self.world.stdin_kind.stream();
        }
        Ok(config)
    }

    /// The plan of a run of a Java program.
    ///
    /// # Errors
    /// The class path or the input makes no sense, or an option has an unknown value.
    pub fn plan_of_java(mut self) -> anyhow::Result<(Plan, Invocation)> {
        self.settle_java()?;
        let files = self.java_files()?;
        let class_path = class_path(self.program.as_os_str())?;
        let longest = self.longest_seed()?.map(u32::try_from);
        let mut java = std::mem::take(&mut self.java);
        if let Some(Ok(longest)) = longest {
            java.array_max = java.array_max.max(longest);
            java.string_max = java.string_max.max(longest);
        }
        if java.entry.is_none() {
            java.whole = Some(self.whole(files));
        }
        java.named = self.program.to_string_lossy().into_owned();
        java.class_path = class_path;
        self.plan.language = Language::Java(Box::new(java));
        Ok((self.plan, self.invocation))
    }

    /// What can be known of a run of a Java program without looking at any file.
    ///
    /// # Errors
    /// The input makes no sense, or an option has an unknown value.
    pub fn settle_java(&self) -> anyhow::Result<()> {
        self.plan.strategy(0)?;
        self.plan.partial_options()?;
        self.java_files()?;
        self.java.junit()?;
        if self.input.java_args.chunks(3).any(|c| c[0] > c[1]) {
            return usage!("--sym-args MIN MAX LEN: MIN is more than MAX");
        }
        self.plan.check_workers(false)?;
        Ok(())
    }

    /// The files of input of a whole program.
    fn java_files(&self) -> Result<Option<InputFiles>, UsageError> {
        match self.input.java_files[..] {
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

    /// The input of a whole program.
    fn whole(&self, files: Option<InputFiles>) -> MainInput {
        let given = self.arguments.iter().map(|a| format!("={a}"));
        let one = self.input.java_arg.iter().map(|n| format!("1,1,{n}"));
        let some = self.input.java_args.chunks_exact(3);
        let some = some.map(|c| format!("{},{},{}", c[0], c[1], c[2]));
        MainInput {
            arguments: given.chain(one).chain(some).collect(),
            stdin: self.input.java_stdin,
            files,
        }
    }
}

/// The parts of a class path, absolute.
///
/// # Errors
/// There is none, or one is not there.
pub fn class_path(text: &std::ffi::OsStr) -> Result<Vec<PathBuf>, UsageError> {
    let mut paths = Vec::new();
    for part in std::env::split_paths(text).filter(|p| !p.as_os_str().is_empty()) {
        let path = part.canonicalize();
        paths.push(path.map_err(|e| UsageError(format!("{}: {e}", part.display())))?);
    }
    if paths.is_empty() {
        return Err(UsageError("the class path is empty".into()));
    }
    Ok(paths)
}

/// A mistake of the user unless the path is a file.
///
/// # Errors
/// What it is instead.
pub fn is_program(path: &Path) -> Result<(), UsageError> {
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

/// The kind of file that stands in the place of a program; opening it could wait for ever.
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
