//! Results on stdout, and the output of programs under test.
//!
//! A pipe or terminal is asked before each write whether it has room, so that whoever writes can look around meanwhile. A
//! pipe that has room has it for [`PIECE`] bytes; only this process writes to it while it has something to say.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, fstat};
use rustix::io::Errno;
use std::io::{self, IsTerminal, StdoutLock, Write};
use std::os::fd::AsFd;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Bytes for which a pipe with room has room (`PIPE_BUF`): they are written at once.
const PIECE: usize = 4096;
/// Bytes of results that are put together.
const TOGETHER: usize = 64 << 10;
/// How often whoever waits for a reader looks around.
const PERIOD: Duration = Duration::from_millis(20);
/// How long results wait for a reader after the process was asked to end.
const LAST: Duration = Duration::from_millis(500);
/// How long the output of a program waits for its reader.
const PATIENCE: Duration = Duration::from_secs(1);

/// Whether the process was asked to end.
static ASKED_TO_END: OnceLock<fn() -> bool> = OnceLock::new();
/// Milliseconds since the reader of stdout has taken nothing; 0 if nobody waits for it.
static STALLED: AtomicU64 = AtomicU64::new(0);
/// The reader of stdout was given up: it has taken nothing since.
static IS_GIVEN_UP: AtomicBool = AtomicBool::new(false);

/// Tells how to find out that the process was asked to end, by a signal say: then results no longer wait for their reader.
pub fn set_asked_to_end(is_asked: fn() -> bool) {
    ASKED_TO_END.get_or_init(|| is_asked);
}

/// How long results have been waiting for a reader of stdout that takes nothing.
pub fn stalled() -> Duration {
    Duration::from_millis(STALLED.load(Relaxed))
}

/// Does a process or a person stand behind this stream, so that a write to it may last for ever?
pub(crate) fn has_reader(stream: impl AsFd + IsTerminal) -> bool {
    let Ok(stat) = fstat(&stream) else {
        return false;
    };
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::Fifo | FileType::Socket => true,
        FileType::CharacterDevice => stream.is_terminal(),
        _ => false,
    }
}

/// The width of a terminal, if it says it.
pub(crate) fn columns(stream: impl AsFd) -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(stream).ok()?;
    (size.ws_col > 0).then_some(size.ws_col.into())
}

fn stdout_has_reader() -> bool {
    static HAS: OnceLock<bool> = OnceLock::new();
    *HAS.get_or_init(|| has_reader(io::stdout()))
}

/// Has the stream room, now or within this time? A closed one has: the write says so.
fn has_room(stream: impl AsFd, patience: Duration) -> bool {
    let mut room = [PollFd::new(&stream, PollFlags::OUT)];
    let patience = Timespec {
        tv_sec: 0,
        tv_nsec: patience.subsec_nanos().into(),
    };
    matches!(poll(&mut room, Some(&patience)), Ok(1..))
}

/// Writes to stderr, and waits as long as that takes.
pub(crate) fn write_stderr(mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match rustix::io::write(io::stderr(), bytes) {
            Ok(written) => bytes = &bytes[written..],
            Err(Errno::INTR) => {}
            // Another process has made it one that does not wait.
            Err(Errno::AGAIN) => drop(has_room(io::stderr(), PERIOD)),
            Err(e) => return Err(e.into()),
        }
    }
    Ok(())
}

/// Writes to stdout until its reader has taken nothing for so long, if that `may_end`. A reader that was given up gets no time
/// until it takes something again.
fn write_stdout(mut bytes: &[u8], longest: Duration, may_end: impl Fn() -> bool) -> io::Result<()> {
    let mut last = Instant::now();
    let mut patience = Duration::ZERO;
    let may_wait = stdout_has_reader();
    while !bytes.is_empty() {
        if !may_wait || has_room(io::stdout(), patience) {
            let piece = if may_wait { PIECE } else { bytes.len() };
            match rustix::io::write(io::stdout(), &bytes[..piece.min(bytes.len())]) {
                Ok(written) => {
                    bytes = &bytes[written..];
                    (last, patience) = (Instant::now(), Duration::ZERO);
                    STALLED.store(0, Relaxed);
                    IS_GIVEN_UP.store(false, Relaxed);
                    continue;
                }
                Err(Errno::INTR | Errno::AGAIN) => {}
                Err(e) => {
                    STALLED.store(0, Relaxed);
                    return Err(e.into());
                }
            }
        }
        patience = PERIOD;
        let since = last.elapsed();
        if (IS_GIVEN_UP.load(Relaxed) || since >= longest) && may_end() {
            IS_GIVEN_UP.store(true, Relaxed);
            STALLED.store(0, Relaxed);
            return Err(io::Error::new(io::ErrorKind::TimedOut, "nobody reads it"));
        }
        STALLED.store(since.as_millis().max(1) as u64, Relaxed);
    }
    Ok(())
}

/// Writes results to stdout. They wait for a slow reader; when the process was asked to end, one that takes nothing for half a second
/// is given up.
pub struct Results {
    /// Others wait until this is dropped.
    _lock: StdoutLock<'static>,
    bytes: Vec<u8>,
}

impl Results {
    /// Takes hold of stdout.
    #[expect(clippy::new_without_default, reason = "it takes hold of something")]
    pub fn new() -> Results {
        Results {
            _lock: io::stdout().lock(),
            bytes: Vec::new(),
        }
    }
}

impl Write for Results {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() >= TOGETHER {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let is_asked = || ASKED_TO_END.get().is_some_and(|is_asked| is_asked());
        let written = write_stdout(&self.bytes, LAST, is_asked);
        self.bytes.clear();
        written
    }
}

impl Drop for Results {
    fn drop(&mut self) {
        if !self.bytes.is_empty() {
            super::remember(self.flush());
        }
    }
}

/// Writes results without taking hold of stdout, which another thread may have: for the thread that ends the process. They wait
/// for a fifth of a second.
///
/// # Errors
/// Nobody reads them, or they cannot be written.
pub fn try_results(text: &str) -> io::Result<()> {
    write_stdout(text.as_bytes(), LAST * 2 / 5, || true)
}

/// A standard stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Passes on what a program under test has written to a stream of its own, as it is. That waits for a second for a reader that takes
/// nothing; then no more until it takes something again.
///
/// # Errors
/// It was not taken, or not all of it: [`io::ErrorKind::TimedOut`] if nobody reads it.
pub fn pass_on(stream: Stream, bytes: &[u8]) -> io::Result<()> {
    match (stream, super::outbox()) {
        (Stream::Stdout, _) => {
            let _lock = io::stdout().lock();
            write_stdout(bytes, PATIENCE, || true)
        }
        (Stream::Stderr, None) => io::stderr().lock().write_all(bytes),
        (Stream::Stderr, Some(outbox)) => {
            let mut pieces = bytes.chunks(PIECE);
            pieces.try_for_each(|piece| outbox.pass(piece, PATIENCE))
        }
    }
}
