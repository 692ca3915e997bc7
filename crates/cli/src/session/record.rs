//! What a run leaves behind: tests, errors, time line, statistics.

use super::contract;
use super::last_words;
use super::options::Tests;
use super::progress::Progress;
use super::pruning;
use super::usage::{cpu_seconds, peak_memory_mb};
use exec::{
    Counters, Ended, Ending, Keep, Loss, Machine, ObjectEnd, PathEnd, PathInput, PathOutcome, Sink,
    State,
};
use linux::{Start, WorldConfig};
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use testcase::{
    ByteRanges, Coverage, ErrorRecord, ExitKind, Expected, FileSpec, OutputDir, RunStats, TestCase,
    TimePoint,
};

/// Between two lines of `run.jsonl`, at first (when most is covered) and at most.
const TIMELINE_FIRST: Duration = Duration::from_millis(100);
const TIMELINE_EVERY: Duration = Duration::from_secs(1);
/// Between two rewrites of the statistics while the run goes on, at first and at most.
const STATS_FIRST: Duration = Duration::from_secs(1);
const STATS_EVERY: Duration = Duration::from_secs(10);
/// What they say of its end meanwhile.
pub const STILL_RUNNING: &str = "still running";

/// What is covered; of instructions and lines, also how many there are.
#[derive(Default)]
struct Covered {
    branches: usize,
    sites: usize,
    instructions: (u64, u64),
    lines: (u64, u64),
    /// Whether `coverage.json` says it.
    written: bool,
}

/// Writes what the engine tells.
pub struct Recorder {
    pub out: Arc<OutputDir>,
    /// For who has to end the run.
    pub snapshot: last_words::Shared,
    pub progress: Progress,
    tests: Tests,
    starts: Vec<Start>,
    config: WorldConfig,
    /// What a replay has to find in its working directory, when that is one of the host's.
    base: Vec<FileSpec>,
    /// Where the first host view goes when a path ends; taken by the first path.
    pub save_fs: Option<PathBuf>,
    /// Objects that the driver of a function made up although only the library knows what they may be.
    pub invented: Vec<(String, String)>,
    /// Further statistics of the exploration.
    pub more: BTreeMap<String, u64>,
    /// Assignments tried by the solver that were kept.
    pub partial_solutions: u64,
    next_test: u32,
    last_point: Option<Instant>,
    /// What was covered at the last look.
    covered: Covered,
    last_stats: Instant,
}

impl Recorder {
    pub fn new(
        out: Arc<OutputDir>,
        mut progress: Progress,
        tests: Tests,
        starts: Vec<Start>,
        config: WorldConfig,
    ) -> Recorder {
        let base = shown_files(&config).unwrap_or_else(|why| {
            progress.say(&format!(
                "{}: {why}: tests do not replay natively",
                config.cwd
            ));
            Vec::new()
        });
        Recorder {
            base,
            out,
            snapshot: last_words::Shared::default(),
            progress,
            tests,
            starts,
            config,
            save_fs: None,
            invented: Vec::new(),
            more: BTreeMap::new(),
            partial_solutions: 0,
            next_test: 1,
            last_point: None,
            covered: Covered::default(),
            last_stats: Instant::now(),
        }
    }

    fn wanted(&self, s: &State, end: &Ended<'_>) -> bool {
        let ending = end.why.ending();
        let new = s.progress.covered_new || end.is_new;
        match (self.tests, ending.keep()) {
            // Without it nobody could say what happened.
            _ if ending == Ending::Internal => true,
            (Tests::None, _) | (_, Keep::Never) => false,
            (Tests::All, Keep::Always) => true,
            (Tests::New, _) | (Tests::All, Keep::New) => new,
        }
    }

    fn test_case(
        &mut self,
        path: PathEnd,
        input: PathInput,
        error: Option<ErrorRecord>,
    ) -> TestCase {
        let start = &self.starts[path.start as usize];
        let given = path.objects.iter().take(start.objects.len());
        let values: Vec<Vec<u8>> = given.map(|o| o.bytes.clone()).collect();
        let shot = start.snapshot(&self.config, &values);
        let mut args = vec![self.config.program.clone().into_bytes()];
        args.extend(shot.args);
        let id = self.next_test;
        self.next_test += 1;
        let relevant = if path.has_news() {
            path.objects.iter().map(relevant).collect()
        } else {
            Vec::new()
        };
        let objects = path.objects.into_iter().map(|o| (o.name, o.bytes));
        TestCase {
            id,
            objects: objects.collect(),
            input_objects: input.input_objects,
            args,
            stdin: Some(shot.stdin.bytes),
            files: self
                .base
                .iter()
                .cloned()
                .chain(shot.files.into_iter().map(|f| FileSpec {
                    path: f.path,
                    bytes: f.bytes,
                    mode: f.mode,
                    mtime: f.mtime,
                    atime: f.atime,
                }))
                .collect(),
            env: shot
                .env
                .into_iter()
                .map(|(k, v)| format!("{k}={v}").into_bytes())
                .collect(),
            expected: Expected {
                exit: match path.outcome {
                    PathOutcome::Exit(status) => ExitKind::Status(status),
                    PathOutcome::Error(e) => ExitKind::Error(e.kind),
                    PathOutcome::Cut(ending) => ExitKind::Killed(ending.name().to_string()),
                    PathOutcome::Internal(what) => {
                        ExitKind::Killed(format!("internal error: {what}"))
                    }
                },
                stdout: input.output.stdout,
                stderr: input.output.stderr,
                path_hash: Some(input.hash),
            },
            prefix: input
                .prefix
                .into_iter()
                .map(|c| (c.pc, c.kind as u8, c.choice))
                .collect(),
            error,
            covered_new: path.covered_new,
            time_s: self.progress.elapsed().as_secs_f64(),
            instructions: path.instructions,
            relevant,
        }
    }

    /// Adds a line to the time line.
    pub fn point(&mut self, m: &Machine, n: &Counters) {
        self.last_point = Some(Instant::now());
        self.look(m);
        self.out.timeline(&TimePoint {
            t: self.progress.elapsed().as_secs_f64(),
            cpu_s: cpu_seconds(),
            paths: n.completed,
            partial_paths: n.partial,
            states: n.live as u64,
            instructions: n.instructions,
            covered_branches: self.covered.branches as u64,
            covered_lines: self.covered.lines.0,
            covered_instructions: self.covered.instructions.0,
            queries: m.solver.stats().queries,
            solver_time_s: m.solver.solver_time_s(),
            memory_mb: n.memory_bytes as f64 / f64::from(1 << 20),
            errors: self.out.program_errors(),
            tests: u64::from(self.next_test - 1),
            parked: n.parked,
            more: pruning::point(n),
        });
        if let Some(problem) = self.out.problem() {
            self.progress.say(&problem);
        }
    }

    /// Rewrites statistics and coverage.
    pub fn write_stats(&mut self, m: &Machine, n: &Counters, halted: Option<&str>) -> RunStats {
        self.look(m);
        let stats = self.stats(m, n, halted.map(str::to_string));
        self.out.write_stats(&stats);
        if !self.covered.written {
            self.covered.written = true;
            let coverage = self.snapshot.lock().coverage.clone();
            self.out.write_coverage(&coverage);
        }
        stats
    }

    /// Brings up to date what is covered.
    fn look(&mut self, m: &Machine) {
        let covered = |site: ir::SiteId| m.covered[site as usize];
        let branches = m.covered_outcomes.len();
        let sites = m.covered.iter().filter(|&&hit| hit).count();
        let known = &self.covered;
        if known.lines.1 > 0 && (known.branches, known.sites) == (branches, sites) {
            return;
        }
        let coverage = Coverage::from_sites(&m.module, covered);
        self.covered = Covered {
            branches,
            sites,
            instructions: m.module.covered_instructions(covered),
            lines: coverage.counts().lines,
            written: false,
        };
        self.snapshot.lock().coverage = Arc::new(coverage);
    }

    /// The statistics as they are now, with the coverage of the last look.
    fn stats(&self, m: &Machine, n: &Counters, halted: Option<String>) -> RunStats {
        let covered = &self.covered;
        let mut more: BTreeMap<String, serde_json::Value> = BTreeMap::new();
        for row in m.solver.stats().rows() {
            more.insert(format!("solver_{}", row.name), row.value.into());
        }
        for &loss in Loss::ALL {
            more.insert(loss.name().into(), exec::lost(loss, n, m).into());
        }
        if m.stats.soft_float_calls > 0 {
            for (name, value) in [
                ("soft_float_calls", m.stats.soft_float_calls),
                ("soft_float_branches", m.stats.soft_float_branches),
                ("soft_float_forks", m.stats.soft_float_forks),
                ("float_restarts", m.stats.float_restarts),
            ] {
                more.insert(name.into(), value.into());
            }
        }
        if m.stats.float_check_queries > 0 {
            let queries = m.stats.float_check_queries;
            more.insert("float_check_queries".into(), queries.into());
        }
        more.insert("parked_rescued".into(), n.rescued.into());
        more.insert("states_spilled".into(), n.spilled.into());
        more.insert("states_taken_up".into(), n.taken_up.into());
        if n.followed > 0 {
            more.insert("prefixes_followed".into(), n.followed.into());
        }
        if let Some(p) = &n.pruning {
            more.insert("homi".into(), pruning::stats(p));
            more.insert("states_resumed".into(), n.resumed.into());
        }
        more.insert("memory_killed".into(), n.endings.of(Ending::Memory).into());
        more.insert(
            "internal_errors".into(),
            n.endings.of(Ending::Internal).into(),
        );
        more.insert("collections".into(), n.collections.into());
        more.insert("terms".into(), (m.pool.len() as u64).into());
        more.extend(self.more.iter().map(|(k, v)| (k.clone(), (*v).into())));
        RunStats {
            completed_paths: n.completed,
            partial_paths: n.partial,
            instructions: n.instructions,
            forks: m.stats.forks,
            queries: m.solver.stats().queries,
            solver_time_s: m.solver.solver_time_s(),
            covered_branches: covered.branches as u64,
            total_branches: m.module.total_outcomes(),
            covered_lines: covered.lines.0,
            total_lines: covered.lines.1,
            covered_instructions: covered.instructions.0,
            total_instructions: covered.instructions.1,
            exit_status: if n.completed == 1 {
                n.exit_status
            } else {
                None
            },
            halted,
            wall_s: self.progress.elapsed().as_secs_f64(),
            cpu_s: cpu_seconds(),
            memory_max_mb: peak_memory_mb(),
            states_max: n.live_max as u64,
            parked: n
                .parked_by
                .iter()
                .map(|(k, v)| ((*k).to_string(), *v))
                .collect(),
            endings: endings(n),
            unsupported: m.stats.unsupported.clone(),
            refused: m.stats.refused.clone(),
            more,
            partial_solutions: self.partial_solutions,
            ..RunStats::default()
        }
    }
}

impl Sink for Recorder {
    fn wants_input(&mut self, s: &State, end: &Ended<'_>) -> bool {
        if let (Some(dir), Some(view)) = (self.save_fs.take(), self.config.views.first())
            && let Err(e) = exec::c::world(s).save(&view.at, &dir)
        {
            self.progress
                .say(&format!("--save-fs {}: {e}", dir.display()));
        }
        self.wanted(s, end)
    }

    fn ended(&mut self, mut path: PathEnd) {
        let mut error = error_record(&mut path);
        if let (true, Some(e)) = (path.is_new, &mut error) {
            e.input = decided_by(&path.objects);
            e.precondition = contract::precondition(&self.invented, e.kind, &path.objects);
            if e.kind.is_program_error() {
                self.progress.say(&e.to_string());
            }
        }
        match path.input.take() {
            Some(input) => {
                let test = self.test_case(path, input, error);
                self.out.write_test(&test);
            }
            None => {
                if let Some(error) = error {
                    self.out.record_error(error);
                }
            }
        }
    }

    fn tick(&mut self, m: &Machine, n: &Counters) {
        self.progress.show(m, n, self.out.program_errors());
        let now = Instant::now();
        let every = (self.progress.elapsed() / 50).clamp(TIMELINE_FIRST, TIMELINE_EVERY);
        if self.last_point.is_none_or(|l| now - l >= every) {
            self.point(m, n);
        }
        let every = (self.progress.elapsed() / 10).clamp(STATS_FIRST, STATS_EVERY);
        if now - self.last_stats >= every {
            self.last_stats = now;
            self.write_stats(m, n, Some(STILL_RUNNING));
        }
        let left_out = exec::left_out(None, n, m);
        let stats = self.stats(m, n, left_out);
        self.snapshot.lock().stats = stats;
    }
}

/// Paths by how they ended; errors by their kind.
fn endings(n: &Counters) -> BTreeMap<String, u64> {
    let errors = n.errors.iter().map(|(kind, &paths)| (kind.id(), paths));
    let others = Ending::ALL
        .iter()
        .filter(|e| !matches!(e, Ending::Error | Ending::Unsupported))
        .map(|&e| (e.name(), n.endings.of(e)));
    errors
        .chain(others)
        .filter(|&(_, paths)| paths > 0)
        .map(|(name, paths)| (name.to_string(), paths))
        .collect()
}

/// The error with which a path ended; takes its stack.
fn error_record(path: &mut PathEnd) -> Option<ErrorRecord> {
    let PathOutcome::Error(e) = &path.outcome else {
        return None;
    };
    let stack = path.stack.take().unwrap_or_default();
    let frames = |entries: Vec<exec::StackEntry>| -> Vec<testcase::StackFrame> {
        entries.into_iter().map(frame).collect()
    };
    let stack_frames = frames(stack.frames);
    let at = stack_frames.first().cloned().unwrap_or_default();
    Some(ErrorRecord {
        kind: e.kind,
        message: e.message.clone(),
        file: at.file,
        line: at.line,
        column: at.column,
        function: at.function,
        stack: stack_frames,
        inside: frames(stack.inside),
        ..ErrorRecord::default()
    })
}

/// The bytes of a symbolic object on which its path's conditions depend.
fn relevant(o: &ObjectEnd) -> ByteRanges {
    ByteRanges::of(o.relevant.iter().copied())
}

/// The same of all objects, in words; a few are enough for a line.
fn decided_by(objects: &[ObjectEnd]) -> Vec<String> {
    const SHOWN: usize = 4;
    let of = |o: &ObjectEnd| format!("{}[{}]", o.name, relevant(o).brief());
    let named = objects.iter().filter(|o| !o.relevant.is_empty());
    let mut list: Vec<String> = named.map(of).collect();
    let more = list.len().saturating_sub(SHOWN);
    list.truncate(SHOWN);
    if more > 0 {
        list.push(format!("{more} more objects"));
    }
    list
}

/// The files of the working directory that `--fs` shows, for every test; none if it shows another
/// one. An error, in words, when they are too many to be written with each test.
fn shown_files(config: &WorldConfig) -> Result<Vec<FileSpec>, String> {
    const FILES: usize = 100;
    const BYTES: u64 = 256 << 10;
    let root = Path::new(&config.cwd);
    let mut files = Vec::new();
    if !config.views.iter().any(|view| root.starts_with(&view.at)) {
        return Ok(files);
    }
    let mut open = vec![root.to_path_buf()];
    let mut bytes = 0;
    while let Some(dir) = open.pop() {
        let entries = std::fs::read_dir(&dir).map_err(|e| e.to_string())?;
        for entry in entries {
            let path = entry.map_err(|e| e.to_string())?.path();
            let meta = path.symlink_metadata().map_err(|e| e.to_string())?;
            let content = if meta.is_dir() {
                open.push(path.clone());
                Vec::new()
            } else if meta.is_symlink() {
                let target = std::fs::read_link(&path).map_err(|e| e.to_string())?;
                target.into_os_string().into_encoded_bytes()
            } else if meta.is_file() {
                bytes += meta.len();
                if bytes > BYTES {
                    return Err(format!("more than {BYTES} bytes"));
                }
                std::fs::read(&path).map_err(|e| e.to_string())?
            } else {
                continue;
            };
            if files.len() == FILES {
                return Err(format!("more than {FILES} files"));
            }
            let name = path.strip_prefix(root).unwrap_or(&path);
            files.push(FileSpec {
                path: name.to_string_lossy().into_owned(),
                bytes: content,
                mode: meta.mode(),
                mtime: meta.mtime(),
                atime: meta.atime(),
            });
        }
    }
    Ok(files)
}

fn frame(f: exec::StackEntry) -> testcase::StackFrame {
    testcase::StackFrame {
        function: f.function,
        file: f.file,
        line: f.location.line,
        column: f.location.column,
        library: f.library,
        times: f.times,
    }
}
