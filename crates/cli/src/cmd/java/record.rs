//! What a run of a Java program leaves behind: tests, errors, time line.

use super::claim;
use super::explored::Explored;
use super::kinds;
use super::policy::Policy;
use super::sources::{self, Sources};
use crate::session::last_words;
use crate::session::options::Tests;
use crate::session::usage::{cpu_seconds, peak_memory_mb};
use exec::{Ending, Keep};
use jvm::{Look, MethodCoverage, Observer, Outcome, PathEnd, Piece, Totals};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use testcase::{
    ByteRanges, ErrorKind, ExitKind, Expected, OutputDir, RunStats, TestCase, TimePoint,
};

/// Between two lines of `run.jsonl`.
const EVERY: Duration = Duration::from_secs(1);

/// What a run that goes on has to know of what was recorded.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Recorded {
    /// The number of the next test.
    pub next_test: u32,
    first: Option<u64>,
    endings: BTreeMap<Ending, u64>,
    errors: BTreeMap<String, u64>,
    unsupported: BTreeMap<String, u64>,
    crashes: Vec<String>,
    /// How long the run has taken, in seconds by the clock and of processor time.
    wall_s: f64,
    cpu_s: f64,
    memory_max_mb: f64,
}

/// Writes what the target tells.
pub struct Recorder {
    pub out: Arc<OutputDir>,
    /// The entry point.
    entry: String,
    policy: Policy,
    sources: Sources,
    tests: Tests,
    /// Instructions that the first path covered.
    first: Option<u64>,
    next_test: u32,
    /// What is written if the run is stopped inside an operation.
    pub snapshot: last_words::Shared,
    last_point: Option<Instant>,
    /// Of processes beside this one that have not ended: processor time, and the most memory of all together.
    cpu_beside: f64,
    memory_max_mb: f64,
    /// How long the run had taken when this process began: by the clock, and of processor time.
    wall_before: f64,
    cpu_before: f64,
    /// Paths by how they ended; errors by their kind.
    pub endings: BTreeMap<Ending, u64>,
    errors: BTreeMap<String, u64>,
    unsupported: BTreeMap<String, u64>,
    /// Why JVMs crashed.
    pub crashes: Vec<String>,
}

/// A path's end as the tables name it.
fn ending(outcome: &Outcome, is_error: bool) -> Ending {
    match outcome {
        Outcome::Thrown(_) if is_error => Ending::Error,
        Outcome::Returned(_) | Outcome::Thrown(_) | Outcome::Exit(_) => Ending::Exit,
        Outcome::Assumed => Ending::Silent,
        Outcome::Steps => Ending::Instructions,
        Outcome::Hangs => Ending::Blocked,
        Outcome::Unsupported(_) => Ending::Unsupported,
        Outcome::Crashed(_) => Ending::Internal,
        Outcome::Stopped => Ending::Interrupted,
    }
}

impl Recorder {
    pub fn new(out: Arc<OutputDir>, tests: Tests, policy: Policy, sources: Sources) -> Recorder {
        Recorder {
            out,
            policy,
            sources,
            entry: String::new(),
            tests,
            first: None,
            next_test: 1,
            snapshot: last_words::Shared::default(),
            last_point: None,
            cpu_beside: 0.0,
            memory_max_mb: 0.0,
            wall_before: 0.0,
            cpu_before: 0.0,
            endings: BTreeMap::new(),
            errors: BTreeMap::new(),
            unsupported: BTreeMap::new(),
            crashes: Vec::new(),
        }
    }

    /// Writes which lines were covered; gives those that were, and all.
    pub fn coverage(&mut self, methods: &[MethodCoverage]) -> (u64, u64) {
        let coverage = self.sources.coverage(methods);
        self.out.write_coverage(&coverage);
        coverage.counts().lines
    }

    /// What is run, for the tests.
    pub fn runs(&mut self, entry: &str) {
        self.entry = entry.into();
    }

    /// Goes on where a run was that had recorded this.
    pub fn goes_on(&mut self, before: &Recorded) {
        self.next_test = before.next_test;
        self.first = before.first;
        self.endings.clone_from(&before.endings);
        self.errors.clone_from(&before.errors);
        self.unsupported.clone_from(&before.unsupported);
        self.crashes.clone_from(&before.crashes);
        self.memory_max_mb = before.memory_max_mb;
        (self.wall_before, self.cpu_before) = (before.wall_s, before.cpu_s);
    }

    /// What a run that goes on from here has to know. Executions that were interrupted happen again then.
    pub fn recorded(&self, totals: &Totals) -> Recorded {
        let mut endings = self.endings.clone();
        endings.remove(&Ending::Interrupted);
        Recorded {
            next_test: self.next_test,
            first: self.first,
            endings,
            errors: self.errors.clone(),
            unsupported: self.unsupported.clone(),
            crashes: self.crashes.clone(),
            wall_s: self.elapsed_s(),
            cpu_s: self.cpu_s(totals),
            memory_max_mb: self.memory_max_mb,
        }
    }

    fn elapsed_s(&self) -> f64 {
        self.wall_before + crate::started().elapsed().as_secs_f64()
    }

    fn paths(&self) -> (u64, u64) {
        let complete = self.endings.iter().filter(|(e, _)| e.is_complete());
        let complete: u64 = complete.map(|(_, n)| n).sum();
        (complete, self.endings.values().sum::<u64>() - complete)
    }

    /// A line of the time line.
    pub fn point(&mut self, totals: &Totals) {
        self.last_point = Some(Instant::now());
        let (paths, partial_paths) = self.paths();
        self.out.timeline(&TimePoint {
            t: self.elapsed_s(),
            cpu_s: self.cpu_s(totals),
            paths,
            partial_paths,
            instructions: totals.steps,
            covered_instructions: totals.instructions.0,
            queries: totals.queries,
            solver_time_s: totals.solver_time_s,
            errors: self.out.program_errors(),
            tests: u64::from(self.next_test - 1),
            ..TimePoint::default()
        });
    }

    /// Keeps the run as it is now.
    fn keep(&mut self, run: Look<'_>) {
        let explored = Explored::default();
        let halted = claim::left_out(None, &explored, &self.endings, run.totals);
        let mut stats = self.stats(run.totals, halted);
        let coverage = self.sources.coverage(&run.places.methods());
        (stats.covered_lines, stats.total_lines) = coverage.counts().lines;
        let mut snapshot = self.snapshot.lock();
        snapshot.stats = stats;
        snapshot.coverage = Arc::new(coverage);
    }

    /// The run in numbers; `halted` is what it left out.
    pub fn stats(&self, totals: &Totals, halted: Option<String>) -> RunStats {
        let (completed_paths, partial_paths) = self.paths();
        let named = self.endings.iter().map(|(e, n)| (e.name(), *n));
        let errors = self.errors.iter().map(|(k, n)| (k.as_str(), *n));
        let endings = named.filter(|(name, _)| *name != Ending::Error.name());
        let losses = totals
            .losses
            .iter()
            .filter(|((lost, _), _)| lost.bound().is_none());
        let losses: Vec<serde_json::Value> = losses
            .map(|((lost, place), n)| {
                serde_json::json!({"what": lost.words(), "place": place, "times": n})
            })
            .collect();
        let mut more: BTreeMap<String, serde_json::Value> = BTreeMap::new();
        more.insert("java_losses".into(), losses.into());
        more.insert("java_records".into(), totals.records.into());
        more.insert("java_jvms".into(), totals.starts.into());
        more.insert("java_put_aside".into(), totals.put_aside.into());
        more.insert("java_checked".into(), totals.checked.into());
        more.insert("java_wrong".into(), totals.wrong.clone().into());
        more.insert(
            "dse_first_instructions".into(),
            self.first.unwrap_or(0).into(),
        );
        more.insert("terms".into(), totals.terms.into());
        RunStats {
            completed_paths,
            partial_paths,
            instructions: totals.steps,
            queries: totals.queries,
            solver_time_s: totals.solver_time_s,
            covered_instructions: totals.instructions.0,
            total_instructions: totals.instructions.1,
            halted,
            wall_s: self.elapsed_s(),
            cpu_s: self.cpu_s(totals),
            memory_max_mb: peak_memory_mb().max(self.memory_max_mb),
            endings: endings.chain(errors).map(|(k, n)| (k.into(), n)).collect(),
            unsupported: self.unsupported.clone(),
            more,
            ..RunStats::default()
        }
    }

    fn test(&mut self, path: PathEnd, error: Option<testcase::ErrorRecord>) -> TestCase {
        let id = self.next_test;
        self.next_test += 1;
        let mut args = vec![self.entry.clone().into_bytes()];
        let (pieces, arguments) = match path.call {
            Some(call) => (call.pieces.min(path.input.len()), call.arguments),
            None => (path.input.len(), Vec::new()),
        };
        args.extend(arguments.into_iter().map(String::into_bytes));
        args.extend(path.input[pieces..].iter().map(|p| shown(p).into_bytes()));
        let relevant = path.input.iter().map(relevant).collect();
        let mut expected = Expected {
            stdout: path.output.into_bytes(),
            path_hash: path.way,
            ..Expected::default()
        };
        let (exit, words) = match path.outcome {
            Outcome::Returned(value) => (ExitKind::Status(0), format!("returned {value}")),
            Outcome::Exit(status) => (ExitKind::Status(status & 255), String::new()),
            Outcome::Thrown(t) => {
                let exit = error.as_ref().map(|e| ExitKind::Error(e.kind));
                let mut words = format!("threw {}\n{}", kinds::words(&t), t.nameable);
                if t.in_thread {
                    words.push_str(testcase::java::IN_THREAD);
                }
                (exit.unwrap_or(ExitKind::Status(1)), words)
            }
            Outcome::Crashed(what) => {
                let text = format!("internal error: {what}");
                (ExitKind::Killed(text), String::new())
            }
            other => {
                let name = ending(&other, false).name();
                (ExitKind::Killed(name.into()), String::new())
            }
        };
        (expected.exit, expected.stderr) = (exit, words.into_bytes());
        let stdin = path.input[..pieces].iter().find(|p| p.name == "stdin");
        TestCase {
            id,
            stdin: stdin.map(|p| p.bytes.clone()),
            input_objects: pieces as u32,
            objects: path.input.into_iter().map(|p| (p.name, p.bytes)).collect(),
            args,
            expected,
            error,
            covered_new: !path.covered.is_empty(),
            time_s: self.elapsed_s(),
            instructions: path.steps,
            relevant,
            ..TestCase::default()
        }
    }
}

/// The bytes of an object that decide its path.
fn relevant(piece: &Piece) -> ByteRanges {
    let size = size(piece.kind);
    let bytes = piece
        .relevant
        .iter()
        .flat_map(|at| at * size..(at + 1) * size);
    ByteRanges::of(bytes)
}

fn size(kind: char) -> usize {
    match kind {
        'Z' | 'B' => 1,
        'S' | 'C' => 2,
        'J' | 'D' => 8,
        _ => 4,
    }
}

/// "x=5": an object as a reader of the test wants to see it.
fn shown(piece: &Piece) -> String {
    let values: Vec<String> = piece
        .bytes
        .chunks(size(piece.kind))
        .map(|b| {
            let mut wide = [0; 8];
            wide[..b.len()].copy_from_slice(b);
            let bits = u64::from_le_bytes(wide);
            match piece.kind {
                'Z' => (bits != 0).to_string(),
                'B' => (bits as i8).to_string(),
                'S' => (bits as i16).to_string(),
                'C' => (bits as u16).to_string(),
                'I' => (bits as i32).to_string(),
                'F' => f32::from_bits(bits as u32).to_string(),
                'D' => f64::from_bits(bits).to_string(),
                _ => (bits as i64).to_string(),
            }
        })
        .collect();
    // Characters that belong together are a string.
    if piece.kind == 'C' && !piece.name.ends_with(".length") {
        let units: Vec<u16> = piece
            .bytes
            .chunks_exact(2)
            .map(|b| u16::from_le_bytes([b[0], b[1]]))
            .collect();
        return format!("{}={:?}", piece.name, String::from_utf16_lossy(&units));
    }
    format!("{}={}", piece.name, values.join(","))
}

impl Recorder {
    /// Is it time for a line of the time line?
    pub fn is_due(&self) -> bool {
        self.last_point.is_none_or(|last| last.elapsed() >= EVERY)
    }

    /// What processes that have not ended have taken: processor time, and memory of all together in bytes.
    pub fn beside(&mut self, cpu: Duration, memory: u64) {
        self.cpu_beside = cpu.as_secs_f64();
        self.memory_max_mb = self.memory_max_mb.max(memory as f64 / f64::from(1 << 20));
    }

    fn cpu_s(&self, totals: &Totals) -> f64 {
        self.cpu_before + cpu_seconds() + self.cpu_beside + totals.jvm_s
    }

    /// A line of the time line, and the run as it is now.
    pub fn look(&mut self, run: Look<'_>) {
        self.point(run.totals);
        self.keep(run);
    }

    /// Writes what there is to write of a path. Returns how it ended.
    pub fn write(&mut self, path: PathEnd, run: Look<'_>) -> Ending {
        let sources = &mut self.sources;
        let mut path_of = |method: &str, file: &str| {
            let class = method.rsplit_once('.').map_or(method, |(class, _)| class);
            sources.path(sources::package(class), file)
        };
        let mut error = match &path.outcome {
            Outcome::Thrown(t) => {
                let kind = self.policy.kind(t);
                kind.map(|kind| kinds::error(t, kind, &mut path_of))
            }
            _ => None,
        };
        let ending = ending(&path.outcome, error.is_some());
        *self.endings.entry(ending).or_default() += 1;
        self.first.get_or_insert(run.totals.instructions.0);
        if let Some(e) = &mut error {
            *self.errors.entry(e.kind.id().to_string()).or_default() += 1;
            let decisive = path.input.iter().filter(|p| !p.relevant.is_empty());
            e.input = decisive.map(|p| p.name.clone()).collect();
        }
        match &path.outcome {
            Outcome::Unsupported(what) => {
                *self.unsupported.entry(what.clone()).or_default() += 1;
                error = Some(testcase::ErrorRecord {
                    kind: ErrorKind::Unsupported,
                    message: what.clone(),
                    ..testcase::ErrorRecord::default()
                });
            }
            Outcome::Crashed(why) => self.crashes.push(why.clone()),
            _ => {}
        }
        let is_new = error.as_ref().is_some_and(|e| !self.out.knows(e));
        let news = is_new || !path.covered.is_empty();
        let wanted = match (self.tests, ending.keep()) {
            _ if ending == Ending::Internal => true,
            (Tests::None, _) | (_, Keep::Never) => false,
            (Tests::All, Keep::Always) => true,
            (Tests::New, _) | (Tests::All, Keep::New) => news,
        };
        if wanted {
            let test = self.test(path, error);
            self.out.write_test(&test);
        } else if let Some(error) = error {
            self.out.record_error(error);
        }
        ending
    }
}

impl Observer for Recorder {
    fn ended(&mut self, path: PathEnd, run: Look<'_>) {
        self.write(path, run);
        self.tick(run);
    }

    fn tick(&mut self, run: Look<'_>) {
        if self.is_due() {
            self.look(run);
        }
    }
}
