//! The live status: one line that redraws itself on a terminal, plain lines elsewhere.

use crate::figures::short;
use crate::plan::ProgressForm;
use std::io::IsTerminal;
use std::time::{Duration, Instant};
use testcase::TimePoint;

/// Between two plain lines.
const PLAIN_EVERY: Duration = Duration::from_secs(10);
/// Seconds without news of which the line speaks.
const NEWS_S: f64 = 2.0;

pub struct Progress {
    started: Instant,
    /// The time that the run took before it was continued.
    before: Duration,
    terminal: bool,
    quiet: bool,
    form: ProgressForm,
    last: Option<Instant>,
    /// What was said, for tests.
    #[cfg(test)]
    pub said: Vec<String>,
}

impl Progress {
    pub fn new(form: ProgressForm, quiet: bool) -> Progress {
        Progress {
            started: crate::process::started(),
            before: Duration::ZERO,
            terminal: std::io::stderr().is_terminal(),
            quiet,
            form,
            last: None,
            #[cfg(test)]
            said: Vec::new(),
        }
    }

    pub fn elapsed(&self) -> Duration {
        self.before + self.started.elapsed()
    }

    /// The run has taken so long before.
    pub fn goes_on_after(&mut self, before: Duration) {
        self.before = before;
    }

    /// Is it read by programs?
    pub fn is_for_programs(&self) -> bool {
        self.form == ProgressForm::Json
    }

    /// A line of `run.jsonl`, for programs that read the progress.
    pub fn record(&self, point: &TimePoint) {
        if !self.is_for_programs() {
            return;
        }
        match serde_json::to_string(point) {
            Ok(line) => say::note(&line),
            Err(e) => say::err!("polypath: the progress cannot be written: {e}"),
        }
    }

    /// Shows where the run is, as often as fits the medium: coverage is out of so many branches, and `beside` is about what goes on beside
    /// the exploration.
    pub fn show(&mut self, point: &TimePoint, branches: u64, beside: String) {
        if self.quiet || self.form != ProgressForm::Line {
            return;
        }
        let now = Instant::now();
        let every = if self.terminal {
            Duration::from_millis(100)
        } else {
            PLAIN_EVERY
        };
        if self.last.is_some_and(|l| now - l < every) || (self.last.is_none() && !self.terminal) {
            self.last.get_or_insert(now);
            return;
        }
        self.last = Some(now);
        let line = line(point, self.started.elapsed(), branches, &beside);
        if self.terminal {
            say::status(Some(&line));
        } else {
            say::note(&format!("polypath: {line}"));
        }
    }

    /// Prints a message next to the status line.
    pub fn say(&mut self, text: &str) {
        #[cfg(test)]
        self.said.push(text.to_string());
        say::err!("polypath: {text}");
    }

    /// The same, for what the user need not know.
    pub fn note(&mut self, text: &str) {
        if !self.quiet {
            #[cfg(test)]
            self.said.push(text.to_string());
            say::note(&format!("polypath: {text}"));
        }
    }

    /// Takes the status line away.
    pub fn clear(&mut self) {
        if self.terminal {
            say::status(None);
        }
    }
}

/// The line for people, of a process that began so long ago.
fn line(point: &TimePoint, process: Duration, branches: u64, beside: &str) -> String {
    let t = process.as_secs();
    let mut line = format!(
        "{t} s  {} paths ({}/s)  {} states  {}/{branches} branches ({} %)",
        short(point.paths + point.partial_paths),
        short(point.paths_per_s.round() as u64),
        short(point.states),
        point.covered_branches,
        100 * point.covered_branches / branches.max(1),
    );
    if point.since_new_s >= NEWS_S {
        line.push_str(&format!("  nothing new for {:.0} s", point.since_new_s));
    }
    line.push_str(beside);
    if point.bugs > 0 {
        let word = if point.bugs == 1 { "error" } else { "errors" };
        line.push_str(&format!("  {} {word}", point.bugs));
    }
    if point.parked > 0 {
        line.push_str(&format!("  {} parked", point.parked));
    }
    if let Some(left) = point.left_s {
        line.push_str(&format!("  all in about {}", about(left)));
    }
    if let Some(left) = point.limit_left_s {
        line.push_str(&format!("  {left:.0} s left"));
    }
    let share = |part: f64| 100.0 * part / point.cpu_s.max(f64::MIN_POSITIVE);
    line.push_str(&format!(
        "  {} instr ({}/s)  {} queries ({:.0} % of the time)",
        short(point.instructions),
        short(point.instructions_per_s.round() as u64),
        short(point.queries),
        share(point.solver_time_s).min(100.0),
    ));
    if share(point.writing_s) >= 1.0 {
        line.push_str(&format!("  writing {:.0} %", share(point.writing_s)));
    }
    line.push_str(&format!("  {:.0} MB", point.memory_mb));
    line
}

/// "12 s", "3 min", "2 h".
fn about(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.0} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_what_there_is_to_say() {
        let mut point = TimePoint {
            cpu_s: 20.0,
            solver_time_s: 5.0,
            writing_s: 1.0,
            paths: 30_000,
            paths_per_s: 2999.7,
            states: 7,
            covered_branches: 3,
            ..TimePoint::default()
        };
        let process = Duration::from_secs(10);
        assert_eq!(
            line(&point, process, 4, ""),
            "10 s  30 k paths (3000/s)  7 states  3/4 branches (75 %)  0 instr (0/s)  0 queries (25 % of the time)  writing 5 %  0 MB"
        );
        (point.since_new_s, point.left_s, point.limit_left_s) = (8.4, Some(400.0), Some(50.0));
        let said = line(&point, process, 4, "  round 1");
        assert!(
            said.contains("  nothing new for 8 s  round 1  all in about 7 min  50 s left  "),
            "{said}"
        );
    }
}
