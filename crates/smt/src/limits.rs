//! Time, memory and Ctrl-C. The solver gets the rest of the time and mostly stops by itself; a watching thread ends
//! the process when it does not, or when memory runs out. Either way the last answer is `unknown`. If other scripts
//! follow, the process restarts itself for them (`exec`), which frees everything that the stuck thread holds.

use crate::run::Ended;
use anyhow::Context;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How often memory and signals are looked at.
const PERIOD: Duration = Duration::from_millis(5);

/// Largest time beyond the limit for a solver that reads the clock rarely.
const MOST_GRACE: Duration = Duration::from_millis(800);

/// How much longer a script may take that has no question open. The last answer often comes at the limit itself, and
/// whether another question follows is known only when the rest is read.
const READING_ON: Duration = Duration::from_millis(500);

/// How long an answer may wait for its reader beyond the limit.
pub(crate) const STALLED: Duration = Duration::from_millis(500);

/// State of the answer that is due: the thread that takes it first prints it, once.
const DUE: u8 = 0;
/// The main thread has it and is writing.
const TAKEN: u8 = 1;
/// It is written, or none was asked for.
const SAID: u8 = 2;
/// And nothing more will be asked: the script has ended.
const OVER: u8 = 3;

/// The environment's variable that tells a process that begins anew where: the number of scripts that are done,
/// and their exit status.
const RESUME: &str = "POLYPATH_SOLVE_RESUME";

/// One of several scripts.
pub(crate) struct CurrentScript {
    script: PathBuf,
    /// Scripts up to this one.
    count: usize,
    /// Ended status of those before it.
    worst: Ended,
    /// The process's CPU seconds when it was begun.
    begun: f64,
    /// Is the comment behind its answers written?
    is_told: bool,
}

impl CurrentScript {
    /// Which one begins now, as the `count`th, and the exit status of those before it.
    pub fn new(script: &Path, count: usize, worst: Ended) -> CurrentScript {
        CurrentScript {
            script: script.to_path_buf(),
            count,
            worst,
            begun: process_seconds(),
            is_told: false,
        }
    }
}

struct LimitState {
    /// The script at work, if others may follow it. Whoever looks whether it has to be given up, or goes on to the next
    /// one, holds this.
    place: Mutex<Option<CurrentScript>>,
    /// [`DUE`], [`TAKEN`], [`SAID`] or [`OVER`].
    answer: AtomicU8,
    /// Is a command at work (and not the dialogue's other side)?
    busy: AtomicBool,
    /// When the process ends itself: microseconds after the start; `u64::MAX` for never.
    end: AtomicU64,
}

/// The budget of the script.
pub(crate) struct ScriptLimits {
    shared: Arc<LimitState>,
    /// The start of the process, and that of the script.
    first: Instant,
    begun: Instant,
    time: Option<Duration>,
    deadline: Option<Instant>,
    dialogue: bool,
}

impl ScriptLimits {
    /// Starts to count and to watch; the process began at `first`.
    pub fn start(
        first: Instant,
        time: Option<Duration>,
        megabytes: Option<u64>,
        dialogue: bool,
    ) -> anyhow::Result<ScriptLimits> {
        let shared = Arc::new(LimitState {
            place: Mutex::new(None),
            answer: AtomicU8::new(if dialogue { SAID } else { DUE }),
            busy: AtomicBool::new(!dialogue),
            end: AtomicU64::new(u64::MAX),
        });
        host::signals::listen().context("cannot listen to signals")?;
        let watched = shared.clone();
        let bytes = megabytes.map(|mb| mb << 20);
        // Searches that look at their deadline give up by themselves before.
        room::set_limit(bytes.map_or(0, |cap| cap / 16 * 15));
        std::thread::Builder::new()
            .name("limits".into())
            .spawn(move || {
                loop {
                    std::thread::sleep(PERIOD);
                    let place = watched.place.lock().expect("no panic under it");
                    let busy = watched.busy.load(Ordering::Relaxed);
                    let end = watched.end.load(Ordering::Relaxed);
                    let mut now = first.elapsed();
                    if watched.answer.load(Ordering::SeqCst) == SAID {
                        now = now.saturating_sub(READING_ON);
                    }
                    let late = busy && now.as_micros() >= u128::from(end);
                    // A little below the cap: some is allocated before the next look.
                    let full = bytes.is_some_and(|cap| room::sample() > cap / 100 * 97);
                    let is_stopped = host::signals::came();
                    let cause = match (is_stopped, full) {
                        (true, _) => Some(None),
                        (_, true) => Some(Some("memory limit")),
                        _ => (late && end != u64::MAX).then_some(Some("time limit")),
                    };
                    if let Some(limit) = cause {
                        watched.give_up(place.as_ref().filter(|_| !is_stopped), limit);
                    }
                }
            })
            .context("cannot start a thread")?;
        let limits = ScriptLimits {
            shared,
            first,
            begun: first,
            time,
            deadline: None,
            dialogue,
        };
        Ok(limits.again(None))
    }

    /// The same limits for another script, which starts now. If it is one of several and has to be given up, the process
    /// goes on after it.
    pub fn again(&self, place: Option<CurrentScript>) -> ScriptLimits {
        let mut current = self.shared.place.lock().expect("no panic under it");
        *current = place;
        let begun = Instant::now();
        let end = self.time.and_then(|time| {
            // Solvers that look at the clock rarely get a little more before they are stopped.
            let end = (begun - self.first)
                .checked_add(time)?
                .checked_add((time / 20).min(MOST_GRACE))?;
            u64::try_from(end.as_micros()).ok()
        });
        self.shared
            .end
            .store(end.unwrap_or(u64::MAX), Ordering::Relaxed);
        if !self.dialogue {
            self.ask(); // a script that is too long to be read has one answer
        }
        ScriptLimits {
            shared: self.shared.clone(),
            begun,
            deadline: self.time.and_then(|time| begun.checked_add(time)),
            ..*self
        }
    }

    /// Writes the comment behind a script's answers, unless the watching thread is about to: then this does not
    /// return. From here on its status counts and its time is no longer limited: only its data have still to be freed.
    pub fn tell(&self, comment: std::fmt::Arguments<'_>, worst: Ended) {
        let mut place = self.shared.place.lock().expect("no panic under it");
        self.shared.end.store(u64::MAX, Ordering::Relaxed);
        self.shared.answer.store(OVER, Ordering::SeqCst);
        // When the reader has gone, nobody is left to tell.
        say::out!("{comment}");
        if let Some(place) = place.as_mut() {
            (place.is_told, place.worst) = (true, worst);
        }
    }

    /// An answer is asked for.
    pub fn ask(&self) {
        self.shared.answer.store(DUE, Ordering::SeqCst);
    }

    /// The answer may be written; [`Self::said`] follows. Does not return if the watching thread has given up and
    /// answered `unknown`.
    pub fn take(&self) {
        let taken =
            self.shared
                .answer
                .compare_exchange(DUE, TAKEN, Ordering::SeqCst, Ordering::SeqCst);
        while taken.is_err() {
            std::thread::sleep(PERIOD); // until the process ends
        }
    }

    /// The answer is written and flushed.
    pub fn said(&self) {
        self.shared.answer.store(SAID, Ordering::SeqCst);
    }

    /// The next command is waited for.
    pub fn idle(&self) {
        self.shared.busy.store(!self.dialogue, Ordering::Relaxed);
    }

    /// A command has arrived.
    pub fn busy(&self) {
        self.shared.busy.store(true, Ordering::Relaxed);
    }

    /// The end by the clock, if there is one.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Seconds since the start.
    pub fn elapsed(&self) -> f64 {
        self.begun.elapsed().as_secs_f64()
    }
}

impl LimitState {
    /// Ends the process, or begins it anew after the script, whatever the solver does; an answer that is being
    /// written is waited for.
    fn give_up(&self, place: Option<&CurrentScript>, limit: Option<&str>) {
        // A reader that takes nothing would be waited for as long as it likes.
        if say::stalled() >= STALLED {
            end_unread("nobody reads it");
        }
        let mine = self
            .answer
            .compare_exchange(DUE, SAID, Ordering::SeqCst, Ordering::SeqCst);
        match mine {
            Err(TAKEN) => return,
            // Between two questions there is no answer to give, but somebody may be about to ask.
            Err(SAID) if place.is_none() => {
                if let Some(limit) = limit {
                    last_answer(&format!("(error \"{limit} before the next check-sat\")\n"));
                }
            }
            Err(_) => {}
            Ok(_) => last_answer("unknown\n"),
        }
        say::settle();
        if let Some(place) = place {
            if !place.is_told {
                let spent = process_seconds() - place.begun;
                let script = place.script.display();
                last_answer(&format!("; read 0 solve {spent:.6} {script}\n"));
            }
            let error = again(place);
            last_answer(&format!("(error \"cannot go on after it: {error}\")\n"));
            host::end_now(3);
        }
        host::end_now(0)
    }
}

/// Writes to standard output without its lock, which the working thread may hold. If that fails, the process ends.
fn last_answer(text: &str) {
    match say::try_results(text) {
        // A reader that has gone wanted no more.
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => end_unread(&e.to_string()),
        _ => {}
    }
}

/// Ends the process, whose answers were not taken.
pub(crate) fn end_unread(why: &str) -> ! {
    say::err!("polypath: cannot write to standard output: {why}");
    say::settle();
    host::end_now(3)
}

/// Begins the process anew after a script; returns only if that fails.
fn again(place: &CurrentScript) -> std::io::Error {
    match std::env::current_exe() {
        Ok(program) => Command::new(program)
            .args(std::env::args_os().skip(1))
            .env(RESUME, format!("{} {}", place.count, place.worst as u8))
            .exec(),
        Err(error) => error,
    }
}

/// How many scripts a process before this one was done with, and their exit status.
pub(crate) fn resumed() -> (usize, Ended) {
    let text = std::env::var(RESUME).unwrap_or_default();
    let Some((count, worst)) = text.split_once(' ') else {
        return (0, Ended::Answered);
    };
    let worst = match worst {
        "0" => Ended::Answered,
        "1" => Ended::Errors,
        _ => Ended::Failed,
    };
    (count.parse().unwrap_or(0), worst)
}

/// CPU seconds of this process.
fn process_seconds() -> f64 {
    host::clock::process_time().as_secs_f64()
}

/// Memory of a gate with its clauses, bytes: measured on 10^5 sums and comparisons.
const GATE_BYTES: u64 = 400;

/// As many gates as fit into half of the memory: that of the cap in MB, otherwise the machine's.
pub fn max_gates(megabytes: Option<u64>) -> usize {
    let bytes = megabytes.map_or_else(room::physical, |mb| mb.saturating_mul(1 << 20));
    usize::try_from(bytes / 2 / GATE_BYTES).unwrap_or(usize::MAX)
}
