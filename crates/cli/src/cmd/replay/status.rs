//! The progress messages of a replay, which have names and messages of the program under test.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use testcase::replay::ReplayProgress;

/// Between two lines: on a terminal, where one replaces the other, and else.
const LIVE: Duration = Duration::from_millis(200);
const LOG: Duration = Duration::from_secs(10);

/// A line on stderr.
pub fn say(text: &str) {
    say::err!("polypath: {text}");
}

/// The status line.
pub struct StatusLine {
    live: bool,
    last: Mutex<Option<Instant>>,
}

impl Default for StatusLine {
    fn default() -> StatusLine {
        StatusLine {
            live: std::io::stderr().is_terminal(),
            last: Mutex::default(),
        }
    }
}

impl StatusLine {
    /// Shows how far it is, not too often.
    pub fn show(&self, p: &ReplayProgress) {
        let mut last = self.last.lock().unwrap_or_else(|e| e.into_inner());
        let every = if self.live { LIVE } else { LOG };
        let now = Instant::now();
        let due = match *last {
            Some(then) => now - then >= every || p.done == p.all,
            // Into a file, the first line is worth something only when there is more to come.
            None => self.live || p.elapsed >= every,
        };
        if !due {
            return;
        }
        *last = Some(now);
        let left = match p.left() {
            Some(left) if p.done < p.all => format!(", {} left", duration(left)),
            _ => String::new(),
        };
        let text = format!("{} of {} {} replayed{left}", p.done, p.all, p.what);
        if self.live {
            say::status(Some(&format!("polypath: {text}")));
        } else {
            say::note(&format!("polypath: {text}"));
        }
    }

    /// Ends the line.
    pub fn clear(&self) {
        if self.live {
            say::status(None);
        }
    }
}

/// `12 s`, `3 min`, `2 h`.
fn duration(d: Duration) -> String {
    match d.as_secs() {
        s @ 0..120 => format!("{s} s"),
        s @ 120..7200 => format!("{} min", s / 60),
        s => format!("{} h", s / 3600),
    }
}
