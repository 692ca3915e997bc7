//! The progress of work that is counted: tests and errors of a replay, methods of `java test`.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use run::plan::ProgressForm;
use testcase::replay::ReplayProgress;

/// Between two lines: on a terminal, where one replaces the other, elsewhere, and for programs.
const LIVE: Duration = Duration::from_millis(200);
const LOG: Duration = Duration::from_secs(10);
const JSON: Duration = Duration::from_secs(1);

/// A line on stderr.
pub fn say(text: &str) {
    say::err!("polypath: {text}");
}

/// The status line.
pub struct StatusLine {
    form: ProgressForm,
    /// What was done with those that are counted.
    done: &'static str,
    live: bool,
    last: Mutex<Option<Instant>>,
}

impl StatusLine {
    /// In this form; `done`: what is done with each.
    pub fn new(form: ProgressForm, done: &'static str) -> StatusLine {
        StatusLine {
            form,
            done,
            live: form == ProgressForm::Line && std::io::stderr().is_terminal(),
            last: Mutex::default(),
        }
    }

    /// Shows how far it is, not too often.
    pub fn show(&self, p: &ReplayProgress) {
        let mut last = self.last.lock().unwrap_or_else(|e| e.into_inner());
        let is_json = self.form == ProgressForm::Json;
        let every = match self.live {
            true => LIVE,
            false if is_json => JSON,
            false => LOG,
        };
        let now = Instant::now();
        let due = match *last {
            Some(then) => now - then >= every || p.done == p.all,
            // Into a file, the first line is worth something only when there is more to come.
            None => self.live || is_json || p.elapsed >= every,
        };
        if !due {
            return;
        }
        *last = Some(now);
        let left = p.left().filter(|_| p.done < p.all);
        if is_json {
            let record = serde_json::json!({
                "t": p.elapsed.as_secs_f64(),
                "what": p.what,
                "done": p.done,
                "all": p.all,
                "left_s": left.map(|left| left.as_secs_f64()),
            });
            return say::note(&record.to_string());
        }
        let left = left.map_or(String::new(), |left| format!(", {} left", duration(left)));
        let text = format!(
            "polypath: {} of {} {} {}{left}",
            p.done, p.all, p.what, self.done
        );
        if self.live {
            say::status(Some(&text));
        } else {
            say::note(&text);
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
