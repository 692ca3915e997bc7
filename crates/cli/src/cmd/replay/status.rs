//! The progress messages of a replay, which have names and messages of the program under test. It continues if the terminal is gone or the disk under the output is full.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use testcase::replay::ReplayProgress;

/// Between two lines: on a terminal, where one replaces the other, and else.
const LIVE: Duration = Duration::from_millis(200);
const LOG: Duration = Duration::from_secs(10);

/// A line on stderr.
pub fn say(text: &str) {
    put(
        &mut std::io::stderr(),
        &say::printable(&format!("polypath: {text}\n")),
    );
}

/// The result, on stdout.
pub fn print(text: &str) {
    put(&mut std::io::stdout(), &say::printable(text));
}

fn put(to: &mut impl Write, text: &str) {
    // Nobody may be listening; what counts stands in replay.json.
    let _ = to.write_all(text.as_bytes()).and_then(|()| to.flush());
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
            put(&mut std::io::stderr(), &format!("\r\x1b[Kpolypath: {text}"));
        } else {
            say(&text);
        }
    }

    /// Ends the line.
    pub fn clear(&self) {
        let last = self.last.lock().unwrap_or_else(|e| e.into_inner());
        if self.live && last.is_some() {
            put(&mut std::io::stderr(), "\r\x1b[K");
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
