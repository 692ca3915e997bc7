//! The live status: one line that redraws itself on a terminal, plain lines elsewhere.

use explore::Totals;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Between two plain lines.
const PLAIN_EVERY: Duration = Duration::from_secs(10);

pub struct Progress {
    started: Instant,
    /// The time that the run took before it was continued.
    before: Duration,
    limit: Option<Duration>,
    terminal: bool,
    quiet: bool,
    last: Option<Instant>,
    /// What was said, for tests.
    #[cfg(test)]
    pub said: Vec<String>,
}

/// "1.2 M", "34 k", "56".
pub fn short(n: u64) -> String {
    match n {
        0..=9_999 => n.to_string(),
        10_000..=9_999_999 => format!("{:.0} k", n as f64 / 1e3),
        10_000_000..=9_999_999_999 => format!("{:.0} M", n as f64 / 1e6),
        _ => format!("{:.0} G", n as f64 / 1e9),
    }
}

impl Progress {
    pub fn new(limit: Option<Duration>, quiet: bool) -> Progress {
        Progress {
            started: crate::process::started(),
            before: Duration::ZERO,
            limit,
            terminal: std::io::stderr().is_terminal(),
            quiet,
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

    /// Shows where the run is, as often as fits the medium.
    pub fn show(&mut self, totals: &Totals, branches: (u64, u64), errors: u64) {
        if self.quiet {
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
        let line = self.line(totals, branches, errors);
        if self.terminal {
            say::status(Some(&line));
        } else {
            say::note(&format!("polypath: {line}"));
        }
    }

    fn line(&self, totals: &Totals, branches: (u64, u64), errors: u64) -> String {
        let n = &totals.counters;
        let t = self.started.elapsed().as_secs();
        let (covered, all) = branches;
        let percent = 100 * covered / all.max(1);
        let mut line = format!(
            "{t} s  {} paths  {} states  {}/{} branches ({} %)  {} instr  {} queries  {} MB",
            short(n.completed + n.partial),
            short(n.live as u64),
            covered,
            all,
            percent,
            short(n.instructions),
            short(totals.queries),
            n.memory_bytes >> 20,
        );
        line.extend(super::pruning::status(n));
        if errors > 0 {
            let word = if errors == 1 { "error" } else { "errors" };
            line.push_str(&format!("  {errors} {word}"));
        }
        if n.parked > 0 {
            line.push_str(&format!("  {} parked", n.parked));
        }
        if let Some(limit) = self.limit {
            line.push_str(&format!("  {} s left", limit.as_secs().saturating_sub(t)));
        }
        line
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
