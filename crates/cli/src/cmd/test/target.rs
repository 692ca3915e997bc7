//! One target: its run, its replay, and how both ended.

use super::{Course, THE_END};
use crate::cmd::replay;
use crate::cmd::replay::within::Cut;
use crate::exit::Exit;
use crate::project::{Target, Words};
use run::plan::Plan;
use std::fs::File;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use testcase::replay::ExitSummary;
use testcase::{Run, TimePoint};

/// Between two lines of progress that stay.
const PLAIN_EVERY: Duration = Duration::from_secs(30);
/// What a run says is kept up to so many lines.
const MOST_LINES: usize = 10_000;
/// Lines of a run that failed which are shown.
const SHOWN_LINES: usize = 10;

/// How a target ended.
pub struct Outcome {
    pub name: String,
    pub dir: PathBuf,
    /// The status of run and replay as if no error had been found; the errors are in the results.
    pub exit: Exit,
    /// The results without tests; none if it did not begin.
    pub run: Option<Run>,
    pub replayed: Option<ExitSummary>,
    /// Why it was not run, or what failed.
    pub trouble: Option<String>,
    /// The budget did not reach it.
    pub is_unserved: bool,
    /// Wall-clock and processor time of making the native program for its replay.
    pub linking: (Duration, Duration),
    /// Somebody named the target: it is worth more words than one of all functions of a library.
    pub is_named: bool,
}

/// A part of a target's run, or all of it.
pub struct PartOfRun<'a> {
    /// The target's name, for the progress.
    pub label: &'a str,
    /// Limits of this part, as options of the run.
    pub limits: Vec<String>,
    /// It goes on with what is there, if anything is.
    pub goes_on: bool,
}

impl Outcome {
    /// What its run could not write, in words.
    fn failures(&self) -> &[String] {
        let stats = self.run.as_ref().and_then(|run| run.stats.as_ref());
        stats.map_or(&[], |stats| &stats.failures)
    }

    /// Adds to what went wrong.
    fn trouble(&mut self, why: String) {
        self.trouble = Some(match self.trouble.take() {
            Some(before) => format!("{before}; {why}"),
            None => why,
        });
    }

    pub fn not_run(target: &Target, dir: PathBuf, exit: Exit, why: &str) -> Outcome {
        Outcome {
            name: target.name.clone(),
            dir,
            exit,
            run: None,
            replayed: None,
            trouble: Some(why.into()),
            is_unserved: false,
            linking: (Duration::ZERO, Duration::ZERO),
            is_named: target.is_named,
        }
    }

    /// One that the budget did not reach.
    pub fn unserved(target: &Target, dir: PathBuf) -> Outcome {
        let why = "there was no time left for it";
        let outcome = Outcome::not_run(target, dir, Exit::Nothing, why);
        Outcome {
            is_unserved: true,
            ..outcome
        }
    }

    /// Was it explored to its end, or as far as its limits go? Then what it does not show is not there, as far as anyone knows.
    pub fn is_explored(&self) -> bool {
        let stats = self.run.as_ref().and_then(|run| run.stats.as_ref());
        let has_paths = stats.is_some_and(|stats| stats.completed_paths > 0);
        has_paths && matches!(self.exit, Exit::Nothing | Exit::LeftOut)
    }
}

impl Course<'_> {
    /// Explores a target, or a part of it.
    pub fn explore(
        &mut self,
        target: &Target,
        words: &Words,
        plan: &Plan,
        part: &PartOfRun<'_>,
    ) -> anyhow::Result<Outcome> {
        let dir = self.results.of(&target.name);
        let goes_on = part.goes_on && self.results.has(&target.name, &fixed(words))?;
        let is_whole = goes_on && !testcase::frontier::exists(&dir) && has_stats(&dir);
        let status = if is_whole {
            say::note(&format!("polypath: {}: was explored before", target.name));
            None
        } else {
            let mut command = Command::new(std::env::current_exe()?);
            command.args(target.of.words()).args(&words.changeable);
            command.arg("--progress=json");
            if goes_on {
                command.args(&part.limits).arg("--resume").arg(&dir);
            } else {
                self.results.begin(&target.name, &fixed(words))?;
                command.arg("--out").arg(&dir);
                // Of options that stand twice the last one counts.
                command.args(&words.fixed).args(&part.limits);
                command.args(&words.program);
            }
            Some(self.attend(part.label, &mut command)?)
        };
        let mut linking = (Duration::ZERO, Duration::ZERO);
        let (status, said) = status.map_or((None, Vec::new()), |(s, said, took)| {
            linking = took;
            (Some(s), said)
        });
        let run = Run::without_tests(&dir).ok();
        if run.is_some() && !said.is_empty() {
            let log = dir.join("run.log");
            let mut file = File::options();
            file.create(true).append(true);
            let text = said.join("\n") + "\n";
            let written = file
                .open(&log)
                .and_then(|mut f| f.write_all(text.as_bytes()));
            if let Err(e) = written {
                say::err!("polypath: cannot write {}: {e}", log.display());
            }
        }
        let strict = plan.output.strict;
        let mut outcome = Outcome {
            name: target.name.clone(),
            exit: self.exit_of(status, run.as_ref(), strict),
            dir,
            run,
            replayed: None,
            trouble: None,
            is_unserved: false,
            linking,
            is_named: target.is_named,
        };
        let failures = outcome.failures();
        if !failures.is_empty() {
            // The rest of its results is there.
            for line in failures {
                say::err!("polypath: {}: {line}", target.name);
            }
            let why = failures.join("; ");
            outcome.trouble(why);
        } else if matches!(outcome.exit, Exit::Usage | Exit::Failed) {
            let first = said.len().saturating_sub(SHOWN_LINES);
            let is_shown = target.is_named || outcome.exit == Exit::Failed;
            for line in said[first..].iter().filter(|_| is_shown) {
                say::err!("{}: {line}", target.name);
            }
            let last = said.last().map_or("it said nothing", String::as_str);
            let last = last.trim_start_matches("polypath: ");
            let how = status.map_or(String::new(), |s| format!(" ({s})"));
            outcome.trouble = Some(format!("{last}{how}"));
            if !target.is_named && outcome.exit == Exit::Usage {
                outcome.exit = Exit::Nothing;
            }
        }
        Ok(outcome)
    }

    /// Starts a run and waits for its end; returns what it said, and how long its native program took.
    fn attend(&self, name: &str, command: &mut Command) -> anyhow::Result<RunEnd> {
        let is_live = std::io::stderr().is_terminal();
        let begun = Instant::now();
        let mut told = begun;
        let mut said: Vec<String> = Vec::new();
        let mut linking = (Duration::ZERO, Duration::ZERO);
        let status = host::child::lines_until(command, self.stop, |line| {
            let point: Option<TimePoint> = serde_json::from_str(line).ok();
            if point.is_none() && !line.is_empty() && said.len() < MOST_LINES {
                said.push(line.to_string());
            }
            if let Some(point) = &point {
                linking.0 += seconds_of(point, "native_s");
                linking.1 += seconds_of(point, "native_cpu_s");
            }
            let text = match &point {
                Some(point) => format!("polypath: {name}: {}", progress(point)),
                None => format!("{name}: {line}"),
            };
            if is_live {
                say::status(Some(&text));
            } else if point.is_some() && told.elapsed() >= PLAIN_EVERY {
                told = Instant::now();
                say::note(&text);
            }
        });
        if is_live {
            say::status(None);
        }
        Ok((status?, said, linking))
    }

    /// The status of a run without its errors.
    fn exit_of(&self, status: Option<ExitStatus>, run: Option<&Run>, strict: bool) -> Exit {
        let stopped = self.stop.load(Ordering::Relaxed);
        let exit = match status.map(Exit::of) {
            Some(Exit::Status(0)) => Exit::Nothing,
            Some(Exit::Status(2)) => Exit::Usage,
            Some(Exit::Status(4)) => Exit::LeftOut,
            // It was explored before, or it found errors: its statistics have the rest.
            None | Some(Exit::Status(1)) => match run.and_then(|run| run.stats.as_ref()) {
                Some(stats) => run::besides_errors(stats, strict, stopped),
                None => Exit::Failed,
            },
            Some(Exit::Status(code)) if THE_END.contains(&code) => Exit::Status(code),
            Some(_) => Exit::Failed,
        };
        match exit {
            // The signal was ours, and the run has it from us.
            Exit::Status(_) if stopped => Exit::Nothing.unless_stopped(),
            exit => exit,
        }
    }

    /// Runs its tests natively, for so long; the builds for it have as long again.
    pub fn replay(&self, target: &Target, limit: Option<Duration>, outcome: &mut Outcome) {
        let stats = outcome.run.as_ref().and_then(|run| run.stats.as_ref());
        let has_tests = stats.is_some_and(|stats| stats.tests > 0);
        // Of a run that failed there may be anything; one that could not write a file has the rest.
        let has_failed = matches!(outcome.exit, Exit::Usage | Exit::Failed);
        let has_failed = has_failed && outcome.failures().is_empty();
        let is_wanted = target.replay && !self.args.no_replay;
        if !is_wanted || !has_tests || has_failed || self.stop.load(Ordering::Relaxed) {
            return;
        }
        let args = replay::Args::of_run(outcome.dir.clone(), self.args.no_fence);
        // (It works in the directory of its run, which is that of the file.)
        let replayed = replay::replay(&args, limit, self.stop);
        let stopped = self.stop.load(Ordering::Relaxed);
        match replayed {
            // What failed, failed because it was stopped.
            Err(_) if stopped => {
                outcome.exit = super::worse(outcome.exit, Exit::Nothing.unless_stopped());
                outcome.trouble("the replay was interrupted".into());
            }
            Ok((summary, _)) => {
                let exit = if summary.divergences.is_empty() && summary.unwritten.is_none() {
                    if summary.tests.iter().all(|t| t.verdict.is_as_predicted()) {
                        Exit::Nothing
                    } else {
                        Exit::LeftOut
                    }
                } else {
                    Exit::Failed
                };
                let exit = if stopped && summary.interrupted {
                    exit.unless_stopped()
                } else {
                    exit
                };
                outcome.exit = super::worse(outcome.exit, exit);
                outcome.replayed = Some(summary);
            }
            Err(e) if e.is::<Cut>() => {
                outcome.exit = super::worse(outcome.exit, Exit::LeftOut);
                outcome.trouble(format!("no replay: {e}"));
            }
            Err(e) => {
                outcome.exit = super::worse(outcome.exit, Exit::of_error(&e));
                outcome.trouble(format!("no replay: {e:#} (`replay = false` leaves it out)"));
            }
        }
    }
}

/// How a run ended, what it said, and what the link of its native program took.
type RunEnd = (ExitStatus, Vec<String>, (Duration, Duration));

/// A time that a line of progress has, if it has it.
fn seconds_of(point: &TimePoint, name: &str) -> Duration {
    let seconds = point.more.get(name).and_then(serde_json::Value::as_f64);
    let time = seconds.and_then(|s| Duration::try_from_secs_f64(s).ok());
    time.unwrap_or(Duration::ZERO)
}

/// What a run that goes on must have in common with the one before.
fn fixed(words: &Words) -> Vec<String> {
    [&words.fixed[..], &words.program].concat()
}

fn has_stats(dir: &Path) -> bool {
    Run::without_tests(dir).is_ok_and(|run| run.stats.is_some())
}

/// Where a run is, in a few words.
fn progress(point: &TimePoint) -> String {
    let mut text = format!(
        "{:.0} s  {} paths  {} branches",
        point.t,
        point.paths + point.partial_paths,
        point.covered_branches
    );
    if point.bugs > 0 {
        let word = if point.bugs == 1 { "error" } else { "errors" };
        text += &format!("  {} {word}", point.bugs);
    }
    if let Some(left) = point.limit_left_s {
        text += &format!("  {left:.0} s left");
    }
    text
}
