//! Prints messages on stderr and results on stdout; neither a failure to print nor a reader that does not read can hold the
//! process up.
//!
//! `println!` and `eprintln!` panic when their stream is closed or full, and wait for ever for a reader that has stopped
//! reading. A run whose status line nobody reads (`2>&1 | head -1`, `2>/dev/full`) has to go on, and so every other crate denies
//! them (`clippy::print_stdout`, `clippy::print_stderr`) and says what it has to say through this one.
//!
//! - *Messages* (stderr, [`err!`]) are written in order and as whole lines. A message waits a moment for its reader; from then on
//!   nobody waits until the reader reads again, and what exceeds the queue is dropped and counted ([`unread`], module [`outbox`]).
//! - *Results* (stdout, [`out!`] and [`Results`]) wait for a slow reader, until the process has been asked to end
//!   ([`set_asked_to_end`]).
//! - The *output of a program* under test ([`pass_on`]) waits for a second.
//!
//! Texts have parts that a program under test makes up: messages, names of objects and files. What could take a terminal
//! over (ESC, CR, BEL, …) is shown as an escape.
//!
//! What stderr does not take because it is closed is lost in silence: there is nobody left to tell. What stdout does not take is
//! remembered, for [`lost`]: a reader that went away (`| head`) wanted no more, any other failure lost a result.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod outbox;
mod outlet;

pub use outlet::{Results, Stream, pass_on, set_asked_to_end, stalled, try_results};

use outbox::{MessageRank, Outbox};
use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};
use std::sync::{Mutex, OnceLock};

/// The first failure of stdout that lost something.
static LOST: Mutex<Option<String>> = Mutex::new(None);

/// Where messages wait for a reader of stderr; `None` if stderr is a file or a device, whose writes end.
static STDERR: OnceLock<Option<Outbox>> = OnceLock::new();

/// A line on stderr.
#[macro_export]
macro_rules! err {
    ($($text:tt)*) => { $crate::stderr(::std::format_args!($($text)*), "\n") };
}

/// Text on stderr, without a line's end.
#[macro_export]
macro_rules! err_part {
    ($($text:tt)*) => { $crate::stderr(::std::format_args!($($text)*), "") };
}

/// A line on stdout.
#[macro_export]
macro_rules! out {
    ($($text:tt)*) => { $crate::stdout(::std::format_args!($($text)*), "\n") };
}

/// Text on stdout, without a line's end.
#[macro_export]
macro_rules! out_part {
    ($($text:tt)*) => { $crate::stdout(::std::format_args!($($text)*), "") };
}

/// Characters that show nothing and change what others look like: marks, embeddings, overrides and isolates of direction, and
/// ends of lines and paragraphs.
const REORDERING: [std::ops::RangeInclusive<char>; 4] = [
    '\u{61c}'..='\u{61c}',
    '\u{200e}'..='\u{200f}',
    '\u{2028}'..='\u{202e}',
    '\u{2066}'..='\u{2069}',
];

/// A text whose control characters, but for line ends and tabulators, are shown as escapes, and so are those that turn the
/// direction of text around. All that a terminal is to show goes through here; files and JSON have the true text.
pub fn printable(text: &str) -> Cow<'_, str> {
    let acts = |c: char| {
        (c.is_control() && c != '\n' && c != '\t')
            || (!c.is_ascii() && REORDERING.iter().any(|r| r.contains(&c)))
    };
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if acts(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

fn outbox() -> Option<&'static Outbox> {
    let make = || {
        let may_wait = outlet::has_reader(io::stderr());
        may_wait.then(|| Outbox::new(outlet::write_stderr))
    };
    STDERR.get_or_init(make).as_ref()
}

fn message(text: fmt::Arguments<'_>, end: &str, rank: MessageRank) {
    let text = format!("{text}{end}");
    let text = printable(&text);
    match outbox() {
        Some(outbox) => outbox.put(text.as_bytes(), rank),
        // If nobody listens there is nobody to tell.
        None => drop(io::stderr().lock().write_all(text.as_bytes())),
    }
}

/// What `err!` calls. One write for each text, so that those of several processes do not mix.
pub fn stderr(text: fmt::Arguments<'_>, end: &str) {
    message(text, end, MessageRank::Message);
}

/// A line on stderr that matters less than the others: if there is no room for all, it goes first.
pub fn note(text: &str) {
    message(format_args!("{text}"), "\n", MessageRank::Note);
}

/// Shows a line at the bottom of the terminal that is stderr, instead of the last such line; `None` takes it away. Messages
/// come above it. Nobody waits for it, and only the newest is shown. What does not fit into the terminal's width is left out.
pub fn status(line: Option<&str>) {
    if let Some(outbox) = outbox() {
        let columns = outlet::columns(io::stderr()).unwrap_or(usize::MAX);
        outbox.status(line.map(|line| fitting(&printable(line), columns)));
    }
}

/// The beginning of a line that leaves the last column free, where a terminal would begin the next line.
fn fitting(line: &str, columns: usize) -> String {
    line.chars().take(columns.saturating_sub(1)).collect()
}

/// The number of messages that nobody has read: those that were dropped, and those that wait for a reader that has stopped.
pub fn unread() -> u64 {
    STDERR
        .get()
        .and_then(Option::as_ref)
        .map_or(0, Outbox::unread)
}

/// Waits a moment until the messages are read, before the process ends. Those that matter less are dropped if the reader does not
/// read.
pub fn settle() {
    if let Some(outbox) = STDERR.get().and_then(Option::as_ref) {
        outbox.settle();
    }
}

/// What `out!` calls.
pub fn stdout(text: fmt::Arguments<'_>, end: &str) {
    let text = format!("{text}{end}");
    let mut out = Results::new();
    remember(
        out.write_all(printable(&text).as_bytes())
            .and_then(|()| out.flush()),
    );
}

/// Remembers what became of a write to stdout, for [`lost`].
pub fn remember(written: io::Result<()>) {
    if let Err(e) = written
        && e.kind() != io::ErrorKind::BrokenPipe
        && let Ok(mut lost) = LOST.lock()
    {
        lost.get_or_insert(e.to_string());
    }
}

/// Why something that was written to stdout did not arrive, if that happened. To be asked when all is said.
pub fn lost() -> Option<String> {
    remember(io::stdout().lock().flush());
    LOST.lock().ok().and_then(|lost| lost.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_takes_the_terminal_over() {
        assert_eq!(printable("a\tb\n"), "a\tb\n");
        assert_eq!(
            printable("m\x1b[2J\r\x07\u{9b}é"),
            "m\\u{1b}[2J\\r\\u{7}\\u{9b}é"
        );
        assert_eq!(printable("a\u{202e}b\u{2066}"), "a\\u{202e}b\\u{2066}");
    }

    #[test]
    fn a_status_line_keeps_to_its_line() {
        assert_eq!(fitting("12 s  äöü paths", 10), "12 s  äöü");
        assert_eq!(fitting("12 s", 80), "12 s");
        assert_eq!(fitting("12 s", 0), "");
    }

    #[test]
    fn a_reader_that_goes_away_loses_nothing_and_a_full_disk_does() {
        remember(Err(io::ErrorKind::BrokenPipe.into()));
        assert_eq!(lost(), None);
        remember(Err(io::Error::other("no room")));
        remember(Err(io::Error::other("still no room")));
        assert_eq!(lost().as_deref(), Some("no room"));
    }
}
