//! The native fuzzers of a run: processes of [`fuzz`] that share a directory with the exploration.
//!
//! `DIR/fuzz/polypath-fuzzerN` is the directory of each, as AFL++ has it. What the exploration finds lies beside them, in
//! `DIR/fuzz/polypath`. With `--sync` all of them lie in the directory of the other fuzzers.
//! A thread makes the native programs, starts the processes, sums up their figures and sets their pace.

use crate::corpus::Corpus;
use crate::exit::UsageError;
use crate::frontend;
use crate::fuzz_board::{FuzzBoard, FuzzFigures, FuzzWords};
use crate::plan::{FuzzPlan, Plan};
use anyhow::Context;
use fuzz::{NativeSetting, Order, PART, Programs, STATS, WHOLE};
use host::Stop;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The folder of a run's results that its fuzzers and its exploration share.
pub const FOLDER: &str = "fuzz";
/// Between two looks at the fuzzers.
const LOOK: Duration = Duration::from_millis(250);
/// Between two changes of their pace.
const JUDGE: Duration = Duration::from_secs(2);
/// The least part of the processor time that the fuzzers have. They have most of it when none of them rests: the exploration is one
/// process, which never does.
const LEAST: f64 = 0.1;
/// How much of a judgement stays for the next one.
const MEMORY: f64 = 0.7;

/// See the module.
pub struct Fuzzers {
    dir: PathBuf,
    processes: u32,
    board: FuzzBoard,
    has_ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Fuzzers {
    /// Starts those of a plan, if it has any, for a run with these results.
    ///
    /// # Errors
    /// The program's input is none that fuzzers can give, or the seeds cannot be listed.
    pub fn start(plan: &Plan, results: &Path, stop: Stop) -> anyhow::Result<Option<Fuzzers>> {
        let Some(fuzzing) = &plan.fuzz else {
            return Ok(None);
        };
        let input = plan.native_input()?;
        let own = results.join(FOLDER);
        let dir = plan.search.sync.clone().unwrap_or_else(|| own.clone());
        let dir = std::path::absolute(&dir)?;
        std::fs::create_dir_all(&own).with_context(|| own.display().to_string())?;
        if crate::exchange::is_plain(&dir)? {
            return Err(UsageError(format!(
                "--sync {}: it has files of its own; fuzzers share a directory that is laid out as AFL++ has it, DIR/NAME/queue",
                dir.display()
            ))
            .into());
        }
        let seeds = match &plan.search.seed_input {
            Some(corpus) => Corpus::open(corpus)?.entries()?,
            None => Vec::new(),
        };
        let setting = NativeSetting {
            arguments: input.arguments,
            by: input.by,
            max_len: input.max_len,
            time: fuzzing.time,
            memory: fuzzing.memory_mb << 20,
            place: std::path::absolute(own.join("place"))?,
            open: false,
            environment: input.environment,
        };
        let work = Work {
            plan: plan.clone(),
            fuzzing: fuzzing.clone(),
            dir: dir.clone(),
            seeds: seeds.into_iter().filter(|path| path.is_file()).collect(),
            setting,
            board: FuzzBoard::default(),
            has_ended: Arc::default(),
            stop,
            running: Vec::new(),
        };
        let (board, has_ended) = (work.board.clone(), work.has_ended.clone());
        let thread = std::thread::Builder::new()
            .name("fuzzers".into())
            .spawn(move || work.go())?;
        Ok(Some(Fuzzers {
            dir,
            processes: fuzzing.processes,
            board,
            has_ended,
            thread: Some(thread),
        }))
    }

    /// The directory that they share with the exploration.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The folders of inputs that crash the program, which are there once a fuzzer has begun.
    pub fn crashes(&self) -> Vec<PathBuf> {
        let folders = (0..self.processes).map(|number| of_fuzzer(&self.dir, number));
        folders.map(|folder| folder.join("crashes")).collect()
    }

    /// What is known of them.
    pub fn board(&self) -> &FuzzBoard {
        &self.board
    }

    /// Ends them.
    pub fn end(&mut self) {
        self.has_ended.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            let text = "the thread of the fuzzers has failed".to_string();
            self.board.say(FuzzWords::Failure(text));
        }
    }
}

/// The directory of a fuzzer.
fn of_fuzzer(dir: &Path, number: u32) -> PathBuf {
    dir.join(format!("polypath-fuzzer{number}"))
}

/// What the thread has.
struct Work {
    plan: Plan,
    fuzzing: FuzzPlan,
    dir: PathBuf,
    seeds: Vec<PathBuf>,
    setting: NativeSetting,
    board: FuzzBoard,
    has_ended: Arc<AtomicBool>,
    /// Set when the run has to end: then its children are killed.
    stop: Stop,
    running: Vec<Running>,
}

/// A fuzzer's process.
struct Running {
    dir: PathBuf,
    process: host::child::Tied,
    /// Its pace goes there, and its end is that this is closed.
    pace: Option<std::process::ChildStdin>,
}

impl Work {
    fn go(mut self) {
        if let Err(error) = self.begin() {
            if self.stop.is_set() || self.has_ended.load(Ordering::Relaxed) {
                let text = "the run ended before its fuzzers began".to_string();
                self.board.say(FuzzWords::Note(text));
            } else {
                self.board.fail(format!("there are no fuzzers: {error:#}"));
            }
            return;
        }
        let mut judge = Judge::of(self.running.len());
        while !self.has_ended.load(Ordering::Relaxed) && !self.stop.is_set() {
            self.look(&mut judge);
            std::thread::sleep(LOOK);
        }
        for fuzzer in &mut self.running {
            fuzzer.pace = None;
        }
        // Each writes its last figures, between two inputs that it mutates; what takes longer than that is ended.
        let begun = Instant::now();
        while begun.elapsed() < JUDGE
            && self
                .running
                .iter_mut()
                .any(|fuzzer| !fuzzer.process.has_ended())
        {
            std::thread::sleep(LOOK / 10);
        }
        self.look(&mut judge);
    }

    fn begin(&mut self) -> anyhow::Result<()> {
        let c = self.plan.c().map_err(anyhow::Error::msg)?;
        let board = self.board.clone();
        let mut say = |text: &str| {
            board.say(FuzzWords::Note(text.to_string()));
        };
        let carrier = frontend::c::bitcode(&c.program, &mut say)?;
        let programs = Programs::of(&carrier, &mut say)?;
        for number in 0..self.fuzzing.processes {
            let dir = of_fuzzer(&self.dir, number);
            let order = Order {
                programs: programs.clone(),
                setting: NativeSetting {
                    place: self.setting.place.join(number.to_string()),
                    ..self.setting.clone()
                },
                dir: dir.clone(),
                seeds: self.seeds.clone(),
                tokens: self.fuzzing.tokens.clone(),
                seed: self.plan.search.seed.wrapping_add(u64::from(number)),
            };
            let mut command = Command::new(std::env::current_exe()?);
            command
                .arg(PART)
                .stdin(Stdio::piped())
                .stdout(Stdio::null());
            let mut process = host::child::spawn(&mut command)?;
            let mut pace = process.stdin()?;
            let mut line = serde_json::to_string(&order)?;
            line.push('\n');
            pace.write_all(line.as_bytes())?;
            self.running.push(Running {
                dir,
                process,
                pace: Some(pace),
            });
        }
        Ok(())
    }

    fn look(&mut self, judge: &mut Judge) {
        let mut sum = FuzzFigures::default();
        let mut gone = Vec::new();
        for (at, fuzzer) in self.running.iter_mut().enumerate() {
            let figures = figures(&fuzzer.dir);
            let figure = |name: &str| figures.get(name).copied().unwrap_or(0.0);
            let whole = |name: &str| figure(name) as u64;
            sum.executions += whole("execs_done");
            sum.corpus = sum.corpus.max(whole("corpus_count"));
            sum.imported = sum.imported.max(whole("corpus_imported"));
            sum.edges = sum.edges.max((whole("edges_found"), whole("total_edges")));
            // (The files themselves: the figures of a fuzzer that was killed are old.)
            sum.crashes = sum.crashes.max(inputs(&fuzzer.dir.join("crashes")));
            sum.hangs = sum.hangs.max(inputs(&fuzzer.dir.join("hangs")));
            if fuzzer.pace.is_some() && fuzzer.process.has_ended() && !self.stop.is_set() {
                fuzzer.pace = None;
                gone.push(at);
            }
            if fuzzer.pace.is_some() {
                sum.processes += u64::from(!figures.is_empty());
                // Its program and what that starts: their time is its own.
                fuzzer.process.adopt();
            }
        }
        for at in gone {
            let text = format!(
                "fuzzer {at} has ended by itself; what it said of the reason, if anything, stands above"
            );
            self.board.say(FuzzWords::Failure(text));
        }
        sum.has_failed = !self.running.is_empty()
            && self.running.iter().all(|fuzzer| fuzzer.pace.is_none())
            && !self.has_ended.load(Ordering::Relaxed);
        let pace = judge.pace(&mut sum);
        self.board.set(sum);
        let Some(pace) = pace else { return };
        for fuzzer in &mut self.running {
            // One that has just ended hears nothing; the next look tells of its end.
            if let Some(to) = &mut fuzzer.pace {
                drop(writeln!(to, "{pace}"));
            }
        }
    }
}

/// How many inputs a folder of a fuzzer has; none before it is there.
fn inputs(folder: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return 0;
    };
    let names = entries.flatten().map(|entry| entry.file_name());
    names
        .filter(|name| name.as_encoded_bytes().starts_with(b"id:"))
        .count() as u64
}

/// The figures that a fuzzer has written, if it has.
fn figures(dir: &Path) -> BTreeMap<String, f64> {
    let text = std::fs::read_to_string(dir.join(STATS)).unwrap_or_else(|_| String::new());
    let lines = text.lines().filter_map(|line| line.split_once(':'));
    lines
        .filter_map(|(name, value)| Some((name.trim().to_string(), value.trim().parse().ok()?)))
        .collect()
}

/// Gives the fuzzers their part of the time by what they and the exploration found lately, for each second that they had.
///
/// An input that covers a new edge is a finding of whoever made it: a fuzzer keeps its own, and those that it imports.
struct Judge {
    fuzzers: f64,
    last: Option<(Instant, FuzzFigures)>,
    judged: Option<Instant>,
    before: FuzzFigures,
    own: f64,
    imported: f64,
    share: f64,
}

impl Judge {
    /// Of so many fuzzers, which do not rest at first.
    fn of(fuzzers: usize) -> Judge {
        let fuzzers = fuzzers as f64;
        Judge {
            fuzzers,
            last: None,
            judged: None,
            before: FuzzFigures::default(),
            own: 0.0,
            imported: 0.0,
            share: fuzzers / (fuzzers + 1.0),
        }
    }

    /// The new pace, when it is time for one.
    fn pace(&mut self, sum: &mut FuzzFigures) -> Option<u32> {
        let now = Instant::now();
        if let Some((then, last)) = &self.last {
            let seconds = now.duration_since(*then).as_secs_f64();
            let rate = sum.executions.saturating_sub(last.executions) as f64 / seconds.max(0.001);
            sum.rate = MEMORY * last.rate + (1.0 - MEMORY) * rate;
        }
        self.last = Some((now, *sum));
        if sum.processes == 0
            || self
                .judged
                .is_some_and(|then| now.duration_since(then) < JUDGE)
        {
            return None;
        }
        self.judged = Some(now);
        let imported = sum.imported.saturating_sub(self.before.imported) as f64;
        let own = sum.corpus.saturating_sub(self.before.corpus) as f64 - imported;
        self.before = *sum;
        let share = self.share;
        self.own = MEMORY * self.own + own.max(0.0) / share;
        self.imported = MEMORY * self.imported + imported / (1.0 - share);
        let most = self.fuzzers / (self.fuzzers + 1.0);
        let share = share_for(self.own, self.imported).clamp(LEAST, most);
        self.share = share;
        let each = share / (1.0 - share) / self.fuzzers;
        Some((f64::from(WHOLE) * each).round() as u32)
    }
}

/// The part of the time for who finds so much, beside others who find so much; where nobody finds anything both have the same.
fn share_for(own: f64, others: f64) -> f64 {
    // One finding more on each side: few findings decide little.
    (own + 1.0) / (own + others + 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_finds_more_has_more_of_the_time() {
        assert_eq!(share_for(0.0, 0.0), 0.5);
        let (many, few) = (share_for(100.0, 0.0), share_for(1.0, 3.0));
        assert!(many > 0.9 && LEAST < few && few < 0.5, "{many} {few}");
    }

    #[test]
    fn a_pace_follows_what_is_found() {
        let mut judge = Judge::of(1);
        let mut sum = FuzzFigures {
            processes: 1,
            ..FuzzFigures::default()
        };
        assert_eq!(judge.pace(&mut sum), Some(WHOLE));
        assert_eq!(judge.pace(&mut sum), None);
        judge.judged = None;
        (sum.corpus, sum.imported) = (50, 50);
        assert_eq!(judge.pace(&mut sum), Some(WHOLE / 9));
        judge.judged = None;
        sum.corpus = 1000;
        assert_eq!(judge.pace(&mut sum), Some(WHOLE));
    }
}
