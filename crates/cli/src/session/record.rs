//! What a run leaves behind: tests, errors, time line, statistics.

use super::options::Tests;
use super::progress::Progress;
use exec::{Counters, ErrorKind, Machine, Sink, State, Termination};
use linux::{Start, WorldConfig};
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use testcase::{
    Coverage, ErrorRecord, ExitKind, Expected, FileSpec, OutputDir, Stats, TestCase, TimePoint,
};

/// Between two lines of `run.jsonl`, at first (when most is covered) and at most.
const TIMELINE_FIRST: Duration = Duration::from_millis(100);
const TIMELINE_EVERY: Duration = Duration::from_secs(1);
/// Between two rewrites of the statistics while the run goes on.
const STATS_EVERY: Duration = Duration::from_secs(10);

/// Writes what the engine tells.
pub struct Recorder {
    pub out: OutputDir,
    pub progress: Progress,
    tests: Tests,
    starts: Vec<Start>,
    config: WorldConfig,
    /// What a replay has to find in its working directory, when that is one of the host's.
    base: Vec<FileSpec>,
    /// Where the first host view goes when a path ends; taken by the first path.
    pub save_fs: Option<PathBuf>,
    /// Further statistics of the exploration.
    pub more: BTreeMap<String, u64>,
    /// Assignments tried by the solver that were kept.
    pub partial_solutions: u64,
    next_test: u32,
    last_point: Option<Instant>,
    /// What was covered at the last look: (branches, instructions), lines.
    covered: ((usize, u64), u64),
    last_stats: Instant,
}

impl Recorder {
    pub fn new(
        out: OutputDir,
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
            progress,
            tests,
            starts,
            config,
            save_fs: None,
            more: BTreeMap::new(),
            partial_solutions: 0,
            next_test: 1,
            last_point: None,
            covered: ((usize::MAX, 0), 0),
            last_stats: Instant::now(),
        }
    }

    /// One of the program's beginnings.
    pub fn first_start(&self) -> Option<&Start> {
        self.starts.first()
    }

    fn wanted(&self, s: &State, why: &Termination, error_is_new: bool) -> bool {
        let ended = match why {
            Termination::Silent | Termination::Internal(_) => return false,
            Termination::Error(e) if e.kind == ErrorKind::Unsupported => false,
            Termination::Error(_) | Termination::Exit(_) => true,
            // Nobody comes back to what memory ended: its input is all that stays of it.
            Termination::Limit("memory") => true,
            // Cut short: worth a test only for what it saw.
            Termination::Limit(_) => false,
        };
        match self.tests {
            Tests::None => false,
            Tests::New => s.progress.covered_new || error_is_new,
            Tests::All => ended || s.progress.covered_new,
        }
    }

    fn error_record(&self, m: &Machine, s: &State, why: &Termination) -> Option<ErrorRecord> {
        let Termination::Error(e) = why else {
            return None;
        };
        let stack = m.stack(s);
        // The innermost frame of the program itself says where the user has to look.
        let own = |name: &str| m.module.functions.iter().any(|f| f.own && f.name == name);
        let at = stack.iter().find(|f| own(&f.function)).or(stack.first());
        Some(ErrorRecord {
            kind: kind(e.kind),
            message: e.message.clone(),
            file: at.map(|f| f.file.clone()).unwrap_or_default(),
            line: at.map_or(0, |f| f.location.line),
            function: at.map(|f| f.function.clone()).unwrap_or_default(),
            test: String::new(),
            stack: stack
                .into_iter()
                .map(|f| testcase::Frame {
                    function: f.function,
                    file: f.file,
                    line: f.location.line,
                    column: f.location.column,
                })
                .collect(),
            paths: 1,
        })
    }

    fn test_case(
        &mut self,
        m: &mut Machine,
        s: &State,
        why: &Termination,
        error: Option<ErrorRecord>,
    ) -> TestCase {
        let model = m.test_model(s);
        let objects: Vec<(String, Vec<u8>)> = s
            .objects
            .iter()
            .map(|o| {
                let bytes = o.symbols.iter().map(|&x| model.get(x) as u8).collect();
                (o.name.clone(), bytes)
            })
            .collect();
        let start = &self.starts[s.start as usize];
        let values: Vec<Vec<u8>> = objects
            .iter()
            .take(start.objects.len())
            .map(|(_, b)| b.clone())
            .collect();
        let shot = start.snapshot(&self.config, &values);
        let mut args = vec![self.config.program.clone().into_bytes()];
        args.extend(shot.args);
        let id = self.next_test;
        self.next_test += 1;
        let stdout = m.bytes_under(&s.world.stdout_content(), &model);
        let stderr = m.bytes_under(&s.world.stderr_content(), &model);
        TestCase {
            id,
            objects,
            input_objects: s.input_objects,
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
                exit: match why {
                    Termination::Exit(status) => ExitKind::Status(*status),
                    Termination::Error(e) => ExitKind::Error(kind(e.kind)),
                    Termination::Limit(what) => ExitKind::Killed((*what).to_string()),
                    Termination::Silent => ExitKind::Killed("silent".into()),
                    Termination::Internal(what) => ExitKind::Killed(what.clone()),
                },
                stdout,
                stderr,
                path_hash: Some(s.hash),
            },
            prefix: s
                .trail
                .choices()
                .into_iter()
                .map(|c| (c.pc, c.kind as u8, c.choice))
                .collect(),
            error,
            covered_new: s.progress.covered_new,
            time_s: self.progress.elapsed().as_secs_f64(),
            instructions: s.progress.instructions,
        }
    }

    /// Adds a line to the time line.
    pub fn point(&mut self, m: &Machine, n: &Counters) {
        self.last_point = Some(Instant::now());
        let covered = |site: ir::SiteId| m.covered[site as usize];
        let (instructions, _) = m.module.covered_instructions(covered);
        let key = (m.covered_outcomes.len(), instructions);
        if self.covered.0 != key {
            let lines = Coverage::from_sites(&m.module, covered).counts().lines.0;
            self.covered = (key, lines);
        }
        self.out.timeline(&TimePoint {
            t: self.progress.elapsed().as_secs_f64(),
            cpu_s: cpu_seconds(),
            paths: n.completed,
            partial_paths: n.partial,
            states: n.live as u64,
            instructions: n.instructions,
            covered_branches: m.covered_outcomes.len() as u64,
            covered_lines: self.covered.1,
            covered_instructions: instructions,
            queries: m.solver.stats().queries,
            solver_time_s: m.solver.solver_time_s(),
            memory_mb: n.memory_bytes as f64 / f64::from(1 << 20),
            errors: self.out.program_errors(),
            tests: u64::from(self.next_test - 1),
            parked: n.parked,
            more: BTreeMap::new(),
        });
        if let Some(problem) = self.out.problem() {
            self.progress.say(&problem);
        }
    }

    /// Rewrites statistics and coverage.
    pub fn write_stats(&mut self, m: &Machine, n: &Counters, halted: Option<&str>) -> Stats {
        let coverage = Coverage::from_sites(&m.module, |site| m.covered[site as usize]);
        let lines = coverage.counts().lines;
        let instructions = m
            .module
            .covered_instructions(|site| m.covered[site as usize]);
        let mut more: BTreeMap<String, serde_json::Value> = BTreeMap::new();
        for row in m.solver.stats().rows() {
            more.insert(format!("solver_{}", row.name), row.value.into());
        }
        more.insert("concretizations".into(), m.stats.concretizations.into());
        more.insert(
            "limited_resolutions".into(),
            m.stats.limited_resolutions.into(),
        );
        more.insert("limited_forks".into(), m.stats.limited_forks.into());
        if m.stats.soft_float_calls > 0 {
            for (name, value) in [
                ("soft_float_calls", m.stats.soft_float_calls),
                ("soft_float_branches", m.stats.soft_float_branches),
                ("soft_float_forks", m.stats.soft_float_forks),
            ] {
                more.insert(name.into(), value.into());
            }
        }
        more.insert("parked_rescued".into(), n.rescued.into());
        more.insert("memory_killed".into(), n.memory_killed.into());
        more.insert("internal_errors".into(), n.internal_errors.into());
        more.insert("collections".into(), n.collections.into());
        more.insert("terms".into(), (m.pool.len() as u64).into());
        more.extend(self.more.iter().map(|(k, v)| (k.clone(), (*v).into())));
        let stats = Stats {
            completed_paths: n.completed,
            partial_paths: n.partial,
            instructions: n.instructions,
            forks: m.stats.forks,
            queries: m.solver.stats().queries,
            solver_time_s: m.solver.solver_time_s(),
            covered_branches: m.covered_outcomes.len() as u64,
            total_branches: m.module.total_outcomes(),
            covered_lines: lines.0,
            total_lines: lines.1,
            covered_instructions: instructions.0,
            total_instructions: instructions.1,
            exit_status: if n.completed == 1 {
                n.exit_status
            } else {
                None
            },
            halted: halted.map(str::to_string),
            wall_s: self.progress.elapsed().as_secs_f64(),
            cpu_s: cpu_seconds(),
            memory_max_mb: n.memory_max as f64 / f64::from(1 << 20),
            states_max: n.live_max as u64,
            parked: n
                .parked_by
                .iter()
                .map(|(k, v)| ((*k).to_string(), *v))
                .collect(),
            endings: n
                .endings
                .iter()
                .map(|(k, v)| ((*k).to_string(), *v))
                .collect(),
            unsupported: m.stats.unmodelled.clone(),
            more,
            partial_solutions: self.partial_solutions,
            ..Stats::default()
        };
        self.out.write_stats(&stats);
        self.out.write_coverage(&coverage);
        stats
    }
}

impl Sink for Recorder {
    fn ended(&mut self, m: &mut Machine, s: &State, why: &Termination, _: &Counters) {
        let error = self.error_record(m, s, why);
        let is_new = match (why, &error) {
            (Termination::Error(e), Some(_)) => m.first_report(e.kind, e.pc),
            _ => false,
        };
        if is_new
            && let Some(e) = &error
            && e.kind.is_program_error()
        {
            self.progress.say(&format!(
                "{}: {} at {}:{} in {}",
                e.kind.id(),
                e.message,
                e.file,
                e.line,
                e.function
            ));
        }
        if let (Some(dir), Some(view)) = (self.save_fs.take(), self.config.views.first())
            && let Err(e) = s.world.save(&view.at, &dir)
        {
            self.progress
                .say(&format!("--save-fs {}: {e}", dir.display()));
        }
        if self.wanted(s, why, is_new) {
            let test = self.test_case(m, s, why, error);
            self.out.write_test(&test);
        } else if let Some(error) = error {
            self.out.record_error(error);
        }
    }

    fn tick(&mut self, m: &Machine, n: &Counters) {
        self.progress.show(m, n, self.out.program_errors());
        let now = Instant::now();
        let every = (self.progress.elapsed() / 50).clamp(TIMELINE_FIRST, TIMELINE_EVERY);
        if self.last_point.is_none_or(|l| now - l >= every) {
            self.point(m, n);
        }
        if now - self.last_stats >= STATS_EVERY {
            self.last_stats = now;
            self.write_stats(m, n, Some("still running"));
        }
    }
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

fn kind(k: ErrorKind) -> testcase::ErrorKind {
    use testcase::ErrorKind as K;
    match k {
        ErrorKind::Assert => K::Assert,
        ErrorKind::Abort => K::Abort,
        ErrorKind::Unreachable => K::Unreachable,
        ErrorKind::OutOfBounds => K::OutOfBounds,
        ErrorKind::Null => K::Null,
        ErrorKind::UseAfterFree => K::UseAfterFree,
        ErrorKind::DoubleFree => K::DoubleFree,
        ErrorKind::InvalidFree => K::InvalidFree,
        ErrorKind::ReadOnly => K::Readonly,
        ErrorKind::Uninitialized => K::Uninitialized,
        ErrorKind::Leak => K::Leak,
        ErrorKind::DivZero => K::DivZero,
        ErrorKind::Shift => K::Shift,
        ErrorKind::Overflow => K::Overflow,
        ErrorKind::FpOverflow => K::FpOverflow,
        ErrorKind::FpUnderflow => K::FpUnderflow,
        ErrorKind::FpDivZero => K::FpDivZero,
        ErrorKind::FpInvalid => K::FpInvalid,
        ErrorKind::StackOverflow => K::StackOverflow,
        ErrorKind::User => K::User,
        ErrorKind::Report => K::Report,
        ErrorKind::Unsupported => K::Unsupported,
    }
}

/// CPU seconds of this process and its children.
pub fn cpu_seconds() -> f64 {
    usage::total()
}

/// `getrusage` through `libc`.
mod usage {
    /// User and system time of this process and of its children that have ended.
    pub fn total() -> f64 {
        [libc::RUSAGE_SELF, libc::RUSAGE_CHILDREN]
            .into_iter()
            .map(of)
            .sum()
    }

    fn of(who: libc::c_int) -> f64 {
        // SAFETY: getrusage fills the zeroed structure or fails, and then it stays zero.
        let usage = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            libc::getrusage(who, &mut usage);
            usage
        };
        let seconds = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 / 1e6;
        seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}
