//! Plain data: test cases, expected results, errors, statistics.

use crate::bytes;
use crate::kind::ErrorKind;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use vocab::Ending;

/// One explored path as something that can be run again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TestCase {
    /// Unique in its run; names the files (`test000001`).
    pub id: u32,
    /// Symbolic objects with their values, in the order in which they were made.
    pub objects: Vec<(String, Vec<u8>)>,
    /// How many leading entries of `objects` stand for the program's input (`n_args`, `argNN`,
    /// `A_data`, `stdin` …); the rest was made by the program itself (`klee_make_symbolic`).
    pub input_objects: u32,
    /// The concrete argument vector, `argv[0]` included.
    pub args: Vec<Vec<u8>>,
    /// Standard input; `None`: empty.
    pub stdin: Option<Vec<u8>>,
    /// Files that exist when the program starts.
    pub files: Vec<FileSpec>,
    /// The environment, complete (`NAME=value`).
    pub env: Vec<Vec<u8>>,
    /// The result of the program on this input, as the machine observed it.
    pub expected: Expected,
    /// The choices of the path: (site, kind, choice).
    pub prefix: Vec<(u32, u8, u32)>,
    /// The error with which the path ended.
    pub error: Option<ErrorRecord>,
    /// The path reached code that no path before it had reached.
    pub covered_new: bool,
    /// When it was found, in seconds since the start of the run.
    pub time_s: f64,
    /// Instructions executed on the path.
    pub instructions: u64,
    /// For each of `objects`: the bytes on which the path's conditions depend. Empty: not known. (It stands
    /// in the test's directory; packed tests go without.)
    #[serde(skip)]
    pub relevant: Vec<ByteRanges>,
}

/// Bytes of an object: ascending ranges (first, last), apart from each other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByteRanges(pub Vec<(u32, u32)>);

impl ByteRanges {
    /// The ranges of ascending positions.
    pub fn of(positions: impl IntoIterator<Item = usize>) -> ByteRanges {
        let mut list: Vec<(u32, u32)> = Vec::new();
        for position in positions {
            let position = position as u32;
            match list.last_mut() {
                Some((_, last)) if *last + 1 == position => *last = position,
                _ => list.push((position, position)),
            }
        }
        ByteRanges(list)
    }

    /// Whether a byte is among them.
    pub fn contains(&self, position: usize) -> bool {
        let position = position as u32;
        let after = self.0.partition_point(|(first, _)| *first <= position);
        after > 0 && self.0[after - 1].1 >= position
    }

    /// "0-3, 7, …": the first ones.
    pub fn brief(&self) -> String {
        const SHOWN: usize = 3;
        let first = ByteRanges(self.0.iter().take(SHOWN).copied().collect());
        if self.0.len() > SHOWN {
            format!("{}, …", first.shown())
        } else {
            first.shown()
        }
    }

    /// "0-3, 7"; empty without ranges.
    pub fn shown(&self) -> String {
        let one = |(first, last): &(u32, u32)| {
            if first == last {
                first.to_string()
            } else {
                format!("{first}-{last}")
            }
        };
        self.0.iter().map(one).collect::<Vec<_>>().join(", ")
    }
}

impl TestCase {
    /// The bytes of the input that decided the path, by object ("arg00[0-1]"), without objects of which
    /// none did; empty when that is not known.
    pub fn decided_by(&self) -> Vec<String> {
        let named = self.objects.iter().zip(&self.relevant);
        named
            .filter(|(_, ranges)| !ranges.0.is_empty())
            .map(|((name, _), ranges)| format!("{name}[{}]", ranges.shown()))
            .collect()
    }
}

/// A file of the program's world.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileSpec {
    /// Relative to the working directory, or absolute.
    pub path: String,
    /// Its content.
    pub bytes: Vec<u8>,
    /// Permission bits and, if not zero, the type (`S_IFREG`, `S_IFDIR`, `S_IFLNK` with the target
    /// in `bytes`, `S_IFIFO`); zero type means a regular file.
    pub mode: u32,
    /// Modification time, seconds since 1970.
    pub mtime: i64,
    /// Access time, seconds since 1970.
    pub atime: i64,
}

/// How a path ended in the machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ExitKind {
    /// `exit(n)`, as the parent sees it (0..=255).
    Status(i32),
    /// Killed by a signal that it raised itself.
    Signal(i32),
    /// Ended by an error, see [`TestCase::error`].
    Error(ErrorKind),
    /// Ended early by us (memory cap, time, depth …): the output is only a beginning.
    Killed(String),
}

impl Default for ExitKind {
    fn default() -> Self {
        ExitKind::Status(0)
    }
}

/// The result of a program, as the machine observed it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Expected {
    /// How it ended.
    pub exit: ExitKind,
    /// Its output on stdout.
    pub stdout: Vec<u8>,
    /// Its output on stderr.
    pub stderr: Vec<u8>,
    /// Hash over the coverage sites passed (`ir::trace`).
    pub path_hash: Option<u64>,
    /// Where the path asked for what each run answers in its own way (the time, a random number, an object's identity): what it came to may
    /// follow from that.
    pub unsteady: Vec<String>,
}

impl Expected {
    /// May another run come to something else, through no fault of the prediction?
    pub fn is_unsteady(&self) -> bool {
        !self.unsteady.is_empty()
    }

    /// The places that make it unsteady, in words.
    pub(crate) fn unsteady_words(&self) -> String {
        let places: Vec<&str> = self.unsteady.iter().take(3).map(|p| &p[..]).collect();
        let more = if self.unsteady.len() > places.len() {
            ", …"
        } else {
            ""
        };
        format!(
            "it may follow from what each run answers in its own way ({}{more})",
            places.join(", ")
        )
    }
}

/// Kind, file, line and column of an error, and its function if no place is known.
pub(crate) type BugPlace<'a> = ((ErrorKind, &'a str, u32, u32), Option<&'a str>);

/// An entry of `errors.json`: a kind, a place in the program itself, and the calls that lead there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorRecord {
    /// The kind of error.
    pub kind: ErrorKind,
    /// The details in words.
    pub message: String,
    /// The place is that of the innermost function that is the program's own.
    pub file: String,
    /// Line, from 1; 0 when unknown.
    pub line: u32,
    /// Column, from 1; 0 when unknown.
    #[serde(default)]
    pub column: u32,
    /// The function of the program that the place is in.
    pub function: String,
    /// Name of the first test that shows it, `test000001`; empty when no test was written.
    #[serde(default)]
    pub test: String,
    /// Innermost frame first; it begins in the program's own code.
    #[serde(default)]
    pub stack: Vec<StackFrame>,
    /// Libc's functions that it called and in which the error was seen, innermost first.
    #[serde(default)]
    pub inside: Vec<StackFrame>,
    /// How many paths ended here.
    #[serde(default = "one")]
    pub paths: u64,
    /// Paths that came to the same place through calls that no entry lists: of those there are too many.
    #[serde(default)]
    pub other_calls: u64,
    /// The bytes of the first test's input that decide whether it happens: "arg00[0-1]".
    #[serde(default)]
    pub input: Vec<String>,
    /// The condition under which it happens, if nobody knows whether a caller can bring that about: it depends on what
    /// the driver made up, such as "parser->state = 17" (`--entry`). `None`: nothing that was made up decides.
    #[serde(default)]
    pub precondition: Option<String>,
    /// What the driver made up that it follows from, if that is one thing: a null pointer, an object of a size that it chose, or one that it
    /// set member by member.
    #[serde(default)]
    pub made_up: Option<String>,
    /// Why the project accepts it ([`crate::suppress`]); `errors.json` has it, packed tests and frontiers do not.
    #[serde(skip)]
    pub suppressed: Option<String>,
}

impl Default for ErrorRecord {
    fn default() -> ErrorRecord {
        ErrorRecord {
            kind: ErrorKind::Unsupported,
            message: String::new(),
            file: String::new(),
            line: 0,
            column: 0,
            function: String::new(),
            test: String::new(),
            stack: Vec::new(),
            inside: Vec::new(),
            paths: 1,
            other_calls: 0,
            input: Vec::new(),
            precondition: None,
            made_up: None,
            suppressed: None,
        }
    }
}

impl std::fmt::Display for ErrorRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (kind, message) = (self.kind.id(), &self.message);
        let function = crate::names::readable(&self.function);
        write!(f, "{kind}")?;
        if let Some(why) = &self.suppressed {
            write!(f, " (suppressed: {why})")?;
        }
        if let Some(why) = &self.precondition {
            write!(f, " (precondition likely: happens if {why})")?;
        }
        if crate::origin::is_known(&self.file) {
            write!(
                f,
                ": {message} at {}:{} in {function}",
                self.file, self.line
            )?;
        } else {
            write!(f, ": {message} in {function} (no source position)")?;
        }
        // That an assertion fails inside of `__assert_fail` is no news.
        let deliberate = matches!(
            self.kind,
            ErrorKind::Assert | ErrorKind::Abort | ErrorKind::UncaughtException
        );
        match self.inside.last() {
            Some(called) if !deliberate => {
                let called = crate::names::readable(&called.function);
                write!(f, ", inside {called}")?;
            }
            _ => {}
        }
        if self.input.is_empty() {
            Ok(())
        } else {
            write!(f, " (decided by {})", self.input.join(", "))
        }
    }
}

fn one() -> u64 {
    1
}

impl ErrorRecord {
    /// How many paths ended there, those through calls that no entry lists among them.
    pub fn all_paths(&self) -> u64 {
        self.paths.saturating_add(self.other_calls)
    }

    /// Its position, independent of the path to it.
    pub fn place(&self) -> (ErrorKind, &str, u32, u32) {
        // An unsupported construct is known by its name, wherever it stands.
        match self.kind {
            ErrorKind::Unsupported => (self.kind, &self.message, 0, 0),
            _ => (self.kind, &self.file, self.line, self.column),
        }
    }

    /// Whether it is the same bug: the same place, where that is known, or else the same function. Errors that follow from one thing that a
    /// driver made up are one, wherever the function shows them.
    pub fn is_bug_of(&self, other: &ErrorRecord) -> bool {
        let is_one = |thing| other.assumption() == Some(thing);
        self.bug_place() == other.bug_place() || self.assumption().is_some_and(is_one)
    }

    /// Where its bug is: its place, and its function where no place is known.
    pub(crate) fn bug_place(&self) -> BugPlace<'_> {
        let has_place = crate::origin::is_known(&self.file) || self.kind == ErrorKind::Unsupported;
        (self.place(), (!has_place).then_some(&self.function[..]))
    }

    /// The one thing that was made up and that it follows from, if a contract may exclude it: kind of error, function under test, thing.
    pub(crate) fn assumption(&self) -> Option<(ErrorKind, Option<&str>, &str)> {
        let made_up = self.made_up.as_deref()?;
        let is_doubtful = self.precondition.is_some();
        is_doubtful.then(|| (self.kind, self.tested(), made_up))
    }

    /// The function under test, in a call of which the error is: that which the driver's `main` calls (`--entry`), or the outermost method of
    /// Java.
    fn tested(&self) -> Option<&str> {
        let main = self.stack.iter().rposition(|f| f.function == "main");
        let frame = match main {
            Some(main) => self.stack.get(main.checked_sub(1)?),
            None => self.stack.last(),
        };
        Some(&frame?.function)
    }

    /// Whether it is the same error: the same place, and the same calls that lead there, those of a recursion once.
    pub fn is(&self, other: &ErrorRecord) -> bool {
        let unsupported = self.kind == ErrorKind::Unsupported;
        self.place() == other.place() && (unsupported || self.calls() == other.calls())
    }

    fn calls(&self) -> Vec<(&str, &str, u32)> {
        let mut calls = Vec::new();
        for f in self.inside.iter().chain(&self.stack) {
            let call = (f.file.as_str(), f.function.as_str(), f.line);
            if !calls.contains(&call) {
                calls.push(call);
            }
        }
        calls
    }
}

/// A stack frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StackFrame {
    /// The function of the frame.
    pub function: String,
    /// Its source file; empty when unknown.
    pub file: String,
    /// Line, from 1; 0 when unknown.
    pub line: u32,
    /// Column, from 1; 0 when unknown.
    #[serde(default)]
    pub column: u32,
    /// A function of libc between functions of the program (`qsort`), or before `main`.
    #[serde(default)]
    pub library: bool,
    /// How many frames of a deep recursion it stands for.
    #[serde(default = "one_frame")]
    pub times: u32,
}

fn one_frame() -> u32 {
    1
}

impl Default for StackFrame {
    fn default() -> StackFrame {
        StackFrame {
            function: String::new(),
            file: String::new(),
            line: 0,
            column: 0,
            library: false,
            times: 1,
        }
    }
}

/// `stats.json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunStats {
    /// Paths that ran to an end of the program (exit, signal or error).
    pub completed_paths: u64,
    /// Paths that we ended early.
    pub partial_paths: u64,
    /// Instructions of the IR that were executed, on all paths.
    pub instructions: u64,
    /// Times that a state was copied to follow both sides of a decision.
    pub forks: u64,
    /// Queries to the solver.
    pub queries: u64,
    /// Processor time spent in the solver, in seconds, of all workers.
    pub solver_time_s: f64,
    /// Branch outcomes of the program under test that were taken, of how many.
    pub covered_branches: u64,
    /// Branch outcomes of the program under test.
    pub total_branches: u64,
    /// Lines of the program under test that were reached.
    pub covered_lines: u64,
    /// Lines of the program under test with code.
    pub total_lines: u64,
    /// Instructions of the program under test, as the compiler's front end wrote them, by basic block.
    /// With `--entry` that is the function and what it calls.
    pub covered_instructions: u64,
    /// Their total.
    pub total_instructions: u64,
    /// Assignments that the solver tried and the executor ran.
    pub partial_solutions: u64,
    /// The program's exit status when exactly one path completed.
    pub exit_status: Option<i32>,
    /// Why the run stopped before everything was explored; `null`: everything was explored.
    pub halted: Option<String>,
    /// The limits of the claim that everything was explored, by name, each with a message.
    pub bounds: BTreeMap<String, String>,
    /// Distinct errors of the program: entries of `errors.json`, which has one for each stack of calls.
    pub errors: u64,
    /// Distinct bugs of the program: places of errors.
    pub bugs: u64,
    /// Tests that were written.
    pub tests: u64,
    /// Those of them that have a directory of their own, and a `.ktest`.
    pub tests_in_files: u64,
    /// Those of them that are in the pack.
    pub tests_in_pack: u64,
    /// Tests that could not be written (disk full).
    pub tests_lost: u64,
    /// Wall-clock time of the run, in seconds.
    pub wall_s: f64,
    /// Processor time of the process and its children, in seconds.
    pub cpu_s: f64,
    /// Largest memory of the process or of one of its children, in MiB.
    pub memory_max_mb: f64,
    /// Largest number of states that were alive at the same time.
    pub states_max: u64,
    /// Branch sides put aside, by reason.
    pub parked: BTreeMap<String, u64>,
    /// Paths by how they ended.
    pub endings: BTreeMap<String, u64>,
    /// Constructs that we do not support, by name, with the number of paths that met them.
    pub unsupported: BTreeMap<String, u64>,
    /// Calls that the modelled world refused where a real system would do them, by name.
    pub refused: BTreeMap<String, u64>,
    /// What failed beside the exploration, in words: results and extra files that could not be written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<String>,
    /// Further counters (solver layers, caches …).
    #[serde(flatten)]
    pub more: BTreeMap<String, serde_json::Value>,
}

impl RunStats {
    /// Did a path come to its end, or to one that the run could not pass? One that was cut since the run's time was over says nothing.
    pub fn has_ended_paths(&self) -> bool {
        let is_cut = |name: &str| {
            [Ending::Time, Ending::Interrupted]
                .iter()
                .any(|e| e.name() == name)
        };
        let mut ended = self.endings.iter();
        ended.any(|(name, &n)| n > 0 && !is_cut(name))
    }
}

impl RunStats {
    /// Tests that were found and that there was no time to write; of a run that can be continued, the frontier has them.
    pub fn unsaved(&self) -> u64 {
        let value = self.more.get(vocab::Loss::Unsaved.name());
        value.and_then(serde_json::Value::as_u64).unwrap_or(0)
    }
}

/// A line of `run.jsonl`: the state of the run at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TimePoint {
    /// Seconds since the start.
    pub t: f64,
    /// Processor time so far, in seconds.
    pub cpu_s: f64,
    /// Paths that ran to an end of the program.
    pub paths: u64,
    /// Paths that we ended early.
    pub partial_paths: u64,
    /// States that are alive.
    pub states: u64,
    /// Instructions executed so far.
    pub instructions: u64,
    /// Branch outcomes covered so far.
    pub covered_branches: u64,
    /// Lines covered so far.
    pub covered_lines: u64,
    /// Front-end instructions covered so far.
    pub covered_instructions: u64,
    /// Queries so far.
    pub queries: u64,
    /// Processor time spent in the solver so far, in seconds, of all workers.
    pub solver_time_s: f64,
    /// Memory of the process, in MiB.
    pub memory_mb: f64,
    /// Distinct errors so far.
    pub errors: u64,
    /// Distinct bugs so far: places of errors.
    pub bugs: u64,
    /// Tests written so far.
    pub tests: u64,
    /// Branch sides that are put aside.
    pub parked: u64,
    /// Seconds since code was covered for the first time.
    pub since_new_s: f64,
    /// Paths that ended in a second, on the average of the last five to ten.
    pub paths_per_s: f64,
    /// The same of instructions.
    pub instructions_per_s: f64,
    /// The part of the tree of paths that is explored, from 0 to 1, if both sides of each branch are as large as each other; 0 if
    /// that is not known.
    pub explored: f64,
    /// An estimate of the seconds until everything is explored, if there is one.
    pub left_s: Option<f64>,
    /// Seconds until a limit of time ends the run, if there is one; that of processor time at the present pace.
    pub limit_left_s: Option<f64>,
    /// Processor time of following paths, in seconds: what neither the solver nor writing took.
    pub executing_s: f64,
    /// Processor time of writing results, in seconds, since the run was begun or continued.
    pub writing_s: f64,
    /// States (in concolic mode: open branches) that wait, by what they wait for.
    pub waits: BTreeMap<String, u64>,
    /// Further counters.
    #[serde(flatten)]
    pub more: BTreeMap<String, serde_json::Value>,
}

/// `info.json`: the program and its options.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunInfo {
    /// The command line of Polypath.
    #[serde(with = "bytes::list")]
    pub command: Vec<Vec<u8>>,
    /// Polypath's version.
    pub version: String,
    /// The program under test as the user named it, made absolute.
    pub program: String,
    /// The native binary of the program, if there is one (the program itself or one compiled from it).
    pub native: Option<String>,
    /// The extracted bitcode (a copy in the output directory or a cache).
    pub bitcode: Option<String>,
    /// Content hash of the IR.
    pub ir_hash: String,
    /// `fork` or `concolic`.
    pub mode: String,
    /// The searcher or strategy by name.
    pub search: String,
    /// The seed of all random choices.
    pub seed: u64,
    /// The option with which one worker explored although there could have been more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_worker: Option<String>,
    /// Start of the run, seconds since 1970.
    pub started: u64,
    /// With `--entry`, the function's parameter that a file of bytes is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameter: Option<harness::RawInput>,
    /// The plan of the run; crate `run` knows its form.
    pub plan: Option<serde_json::Value>,
    /// Versions of what took part (clang, libLLVM, libc …).
    pub versions: BTreeMap<String, String>,
}

/// The name of test number `id`.
pub fn test_name(id: u32) -> String {
    format!("test{id:06}")
}

/// The number in the name of a test: `test000012`, or just the number. `None`: it is no such name.
pub fn test_number(name: &str) -> Option<u32> {
    let name = name.strip_suffix(".ktest").unwrap_or(name);
    name.strip_prefix("test").unwrap_or(name).parse().ok()
}
