//! Plain data: a test case, what is expected of it, errors, statistics.

use crate::bytes;
use crate::kind::ErrorKind;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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
}

/// A file of the program's world.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileSpec {
    /// Relative to the working directory, or absolute.
    pub path: String,
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

/// What the machine saw the program do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Expected {
    pub exit: ExitKind,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// Hash over the coverage sites passed (`ir::trace`).
    pub path_hash: Option<u64>,
}

/// An entry of `errors.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorRecord {
    pub kind: ErrorKind,
    pub message: String,
    pub file: String,
    pub line: u32,
    pub function: String,
    /// Name of the first test that shows it, `test000001`; empty when no test was written.
    #[serde(default)]
    pub test: String,
    /// Innermost frame first.
    #[serde(default)]
    pub stack: Vec<Frame>,
    /// How many paths ended here.
    #[serde(default = "one")]
    pub paths: u64,
}

fn one() -> u64 {
    1
}

impl ErrorRecord {
    /// Errors with equal keys are one error.
    pub fn key(&self) -> (ErrorKind, &str, u32, &str) {
        // An unsupported construct is known by its name, wherever it stands.
        match self.kind {
            ErrorKind::Unsupported => (self.kind, "", 0, &self.message),
            _ => (self.kind, &self.file, self.line, &self.function),
        }
    }
}

/// A stack frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    pub function: String,
    pub file: String,
    pub line: u32,
    #[serde(default)]
    pub column: u32,
}

/// `stats.json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Stats {
    /// Paths that ran to an end of the program (exit, signal or error).
    pub completed_paths: u64,
    /// Paths that we ended early.
    pub partial_paths: u64,
    pub instructions: u64,
    pub forks: u64,
    pub queries: u64,
    pub solver_time_s: f64,
    /// Branch outcomes of the program under test that were taken, of how many.
    pub covered_branches: u64,
    pub total_branches: u64,
    pub covered_lines: u64,
    pub total_lines: u64,
    /// Instructions of the program under test, as the compiler's front end wrote them, by basic block.
    /// With `--entry` that is the function and what it calls.
    pub covered_instructions: u64,
    pub total_instructions: u64,
    /// Assignments that the solver tried and the executor ran.
    pub partial_solutions: u64,
    /// The program's exit status when exactly one path completed.
    pub exit_status: Option<i32>,
    /// Why the run stopped before everything was explored; `null`: everything was explored.
    pub halted: Option<String>,
    /// Distinct errors of the program.
    pub errors: u64,
    pub tests: u64,
    /// Tests that could not be written (disk full).
    pub tests_lost: u64,
    pub wall_s: f64,
    pub cpu_s: f64,
    pub memory_max_mb: f64,
    pub states_max: u64,
    /// Branch sides put aside, by reason.
    pub parked: BTreeMap<String, u64>,
    /// Paths by how they ended.
    pub endings: BTreeMap<String, u64>,
    /// Constructs that we do not support, by name, with the number of paths that met them.
    pub unsupported: BTreeMap<String, u64>,
    /// Further counters (solver layers, caches …).
    #[serde(flatten)]
    pub more: BTreeMap<String, serde_json::Value>,
}

/// A line of `run.jsonl`: the state of the run at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TimePoint {
    /// Seconds since the start.
    pub t: f64,
    pub cpu_s: f64,
    pub paths: u64,
    pub partial_paths: u64,
    pub states: u64,
    pub instructions: u64,
    pub covered_branches: u64,
    pub covered_lines: u64,
    pub covered_instructions: u64,
    pub queries: u64,
    pub solver_time_s: f64,
    pub memory_mb: f64,
    pub errors: u64,
    pub tests: u64,
    pub parked: u64,
    #[serde(flatten)]
    pub more: BTreeMap<String, serde_json::Value>,
}

/// `info.json`: what was run, with what.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunInfo {
    /// The command line of Polypath.
    #[serde(with = "bytes::list")]
    pub command: Vec<Vec<u8>>,
    pub version: String,
    /// The program under test as the user named it, made absolute.
    pub program: String,
    /// The native binary of the program, if there is one (the program itself or compiled beside it).
    pub native: Option<String>,
    /// The extracted bitcode (a copy in the output directory or a cache).
    pub bitcode: Option<String>,
    /// Content hash of the IR.
    pub ir_hash: String,
    pub mode: String,
    pub search: String,
    pub seed: u64,
    /// Start of the run, seconds since 1970.
    pub started: u64,
    /// Versions of what took part (clang, libLLVM, libc …).
    pub versions: BTreeMap<String, String>,
}

/// The name of test number `id`.
pub fn test_name(id: u32) -> String {
    format!("test{id:06}")
}
