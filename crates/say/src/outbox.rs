//! Messages on their way to a reader that may not read them.
//!
//! A thread of its own writes, so that whoever has something to say never waits in `write`. In the usual case, where the
//! reader reads, a message is written when [`Outbox::put`] returns, so that the order of messages, results and the words of other
//! processes is kept. A reader that takes nothing for [`PATIENCE`] is one that has stopped: until it takes something again, messages
//! only go into the queue. When the queue is full, the oldest ones of the lower rank go first. The reader learns at the place of
//! the gap how many there were.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Bytes that may wait.
const MOST: usize = 256 << 10;
/// How long a message waits for its reader.
const PATIENCE: Duration = Duration::from_millis(50);
/// How long the end of the process waits for a reader that takes nothing, and for one that is slow.
const LAST: Duration = Duration::from_millis(500);
const LAST_OF_ALL: Duration = Duration::from_secs(2);
/// Takes the status line away.
const ERASE: &str = "\r\x1b[2K";

/// Which messages go first when there is no room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MessageRank {
    /// Progress, and what the user need not know.
    Note,
    /// All others.
    Message,
}

struct Message {
    text: Vec<u8>,
    rank: MessageRank,
    number: u64,
}

#[derive(Default)]
struct OutboxState {
    waiting: VecDeque<Message>,
    /// Bytes of them.
    bytes: usize,
    /// The next status line; `Some(None)` takes it away.
    status: Option<Option<String>>,
    /// Something is being written.
    is_writing: bool,
    /// The reader has stopped.
    is_stuck: bool,
    /// There is no reader any more.
    is_closed: bool,
    /// The number of the last message that was put in, and that of the last one that was written.
    last: u64,
    done: u64,
    /// Messages that were dropped, and those of them that the reader was not told of.
    dropped: u64,
    untold: u64,
}

impl OutboxState {
    fn is_idle(&self) -> bool {
        self.is_closed || (self.waiting.is_empty() && !self.is_writing && self.status.is_none())
    }

    /// Drops the oldest message of the lowest rank.
    fn drop_one(&mut self) {
        let note = self
            .waiting
            .iter()
            .position(|m| m.rank == MessageRank::Note);
        if let Some(gone) = self.waiting.remove(note.unwrap_or(0)) {
            self.bytes -= gone.text.len();
            self.dropped += 1;
            self.untold += 1;
        }
    }

    /// The next text for the terminal or pipe, and the number of the message that it is.
    fn next(&mut self, is_drawn: &mut bool) -> Option<(Vec<u8>, Option<u64>)> {
        let mut text = Vec::new();
        if let Some(message) = self.waiting.pop_front() {
            self.bytes -= message.text.len();
            if std::mem::take(is_drawn) {
                text.extend(ERASE.as_bytes());
            }
            if self.untold > 0 {
                let gap = format!(
                    "polypath: {} messages were dropped, nobody read them\n",
                    self.untold
                );
                text.extend(gap.into_bytes());
                self.untold = 0;
            }
            text.extend(message.text);
            return Some((text, Some(message.number)));
        }
        let status = self.status.take()?;
        if std::mem::replace(is_drawn, status.is_some()) || status.is_some() {
            text.extend(ERASE.as_bytes());
        }
        text.extend(status.unwrap_or_default().into_bytes());
        Some((text, None))
    }
}

struct Shared {
    state: Mutex<OutboxState>,
    changed: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, OutboxState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(
        &self,
        state: MutexGuard<'a, OutboxState>,
        time: Duration,
    ) -> MutexGuard<'a, OutboxState> {
        let woken = self.changed.wait_timeout(state, time);
        woken.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Writes what comes, for ever.
    fn run(&self, mut write: impl FnMut(&[u8]) -> io::Result<()>) {
        let mut is_drawn = false;
        let mut state = self.lock();
        loop {
            let Some((text, number)) = state.next(&mut is_drawn) else {
                let woken = self.changed.wait(state);
                state = woken.unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            state.is_writing = true;
            drop(state);
            let written = write(&text);
            state = self.lock();
            state.is_writing = false;
            state.is_stuck = false;
            state.done = number.unwrap_or(state.done);
            if written.is_err() {
                // There is nobody left to tell, nor to hear of what is left.
                state.is_closed = true;
                (state.waiting, state.status, state.bytes) = Default::default();
            }
            self.changed.notify_all();
        }
    }
}

/// See the module.
pub(crate) struct Outbox(Arc<Shared>);

impl Outbox {
    /// Messages for `write`, which may wait as long as it likes.
    pub fn new(write: impl FnMut(&[u8]) -> io::Result<()> + Send + 'static) -> Outbox {
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            changed: Condvar::new(),
        });
        let writer = shared.clone();
        let thread = std::thread::Builder::new().name("messages".into());
        if thread.spawn(move || writer.run(write)).is_err() {
            // Without a thread nobody can write and not wait: all messages are counted as unread.
            shared.lock().is_stuck = true;
        }
        Outbox(shared)
    }

    /// Hands a message over, and waits for it for a moment if the reader has read the last ones.
    pub fn put(&self, text: &[u8], rank: MessageRank) {
        let mut state = self.0.lock();
        if state.is_closed {
            return;
        }
        state.last += 1;
        let number = state.last;
        state.bytes += text.len();
        state.waiting.push_back(Message {
            text: text.to_vec(),
            rank,
            number,
        });
        while state.bytes > MOST {
            state.drop_one();
        }
        self.0.changed.notify_all();
        let begun = Instant::now();
        while !state.is_stuck && !state.is_closed && state.done < number {
            let left = PATIENCE.saturating_sub(begun.elapsed());
            if left.is_zero() {
                state.is_stuck = true;
            } else {
                state = self.0.wait(state, left);
            }
        }
    }

    /// The same for the output of a program, which is no message: it is written within this time, or not at all.
    ///
    /// # Errors
    /// The reader has stopped, and then waits for nothing.
    pub fn pass(&self, text: &[u8], patience: Duration) -> io::Result<()> {
        let mut state = self.0.lock();
        let begun = Instant::now();
        let patience = if state.is_stuck {
            Duration::ZERO
        } else {
            patience
        };
        while !state.is_idle() {
            let left = patience.saturating_sub(begun.elapsed());
            if left.is_zero() {
                state.is_stuck = true;
                return Err(io::ErrorKind::TimedOut.into());
            }
            state = self.0.wait(state, left);
        }
        if state.is_closed {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        state.last += 1;
        state.bytes += text.len();
        let number = state.last;
        state.waiting.push_back(Message {
            text: text.to_vec(),
            rank: MessageRank::Message,
            number,
        });
        self.0.changed.notify_all();
        Ok(())
    }

    /// Shows a status line.
    pub fn status(&self, line: Option<String>) {
        let mut state = self.0.lock();
        if !state.is_closed {
            state.status = Some(line);
            self.0.changed.notify_all();
        }
    }

    /// See [`super::unread`].
    pub fn unread(&self) -> u64 {
        let state = self.0.lock();
        let waiting = state.waiting.len() as u64 + u64::from(state.is_writing);
        state.dropped + if state.is_stuck { waiting } else { 0 }
    }

    /// See [`super::settle`].
    pub fn settle(&self) {
        let mut state = self.0.lock();
        if state.is_stuck {
            while state.waiting.iter().any(|m| m.rank == MessageRank::Note) {
                state.drop_one();
            }
        }
        let begun = Instant::now();
        let mut moved = (state.done, begun);
        while !state.is_idle() {
            if state.done != moved.0 {
                moved = (state.done, Instant::now());
            }
            let left = LAST.saturating_sub(moved.1.elapsed());
            let left = left.min(LAST_OF_ALL.saturating_sub(begun.elapsed()));
            if left.is_zero() {
                state.is_stuck = true;
                return;
            }
            state = self.0.wait(state, left);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, Sender, channel};

    /// An outbox whose reader takes a text for each word that comes over the sender, and what it took.
    fn reader() -> (Outbox, Sender<()>, Receiver<String>) {
        let (go, may) = channel();
        let (put, got) = channel();
        let outbox = Outbox::new(move |text| {
            // Who has gone away is a reader that does not read.
            while may.recv().is_err() {
                std::thread::park();
            }
            let text = String::from_utf8(text.to_vec()).expect("text");
            put.send(text).map_err(io::Error::other)
        });
        (outbox, go, got)
    }

    #[test]
    fn nobody_waits_for_a_reader_that_has_stopped() {
        let (outbox, go, _got) = reader();
        drop(go);
        let begun = Instant::now();
        for i in 0..10_000 {
            outbox.put(
                format!("message {i} of many\n").as_bytes(),
                MessageRank::Message,
            );
            outbox.status(Some("status".into()));
        }
        outbox.settle();
        // Once for the first message and once at the end, on a busy machine.
        assert!(begun.elapsed() < Duration::from_secs(10));
        assert_eq!(outbox.unread(), 10_000);
        assert!(outbox.pass(b"output", Duration::from_secs(100)).is_err());
    }

    #[test]
    fn what_matters_less_goes_first_and_the_gap_is_told() {
        let (outbox, go, got) = reader();
        let long = "x".repeat(MOST / 4);
        outbox.put(b"first\n", MessageRank::Message); // is being written
        outbox.put(b"second\n", MessageRank::Message);
        for _ in 0..9 {
            outbox.put(long.as_bytes(), MessageRank::Note);
        }
        outbox.put(b"last\n", MessageRank::Message);
        let dropped = outbox.unread() - 6;
        assert_eq!(dropped, 6);
        let take = || {
            go.send(()).expect("a reader");
            got.recv_timeout(Duration::from_secs(60)).expect("a text")
        };
        assert_eq!(take(), "first\n");
        assert_eq!(
            take(),
            "polypath: 6 messages were dropped, nobody read them\nsecond\n"
        );
        (0..3).for_each(|_| assert_eq!(take(), long));
        assert_eq!(take(), "last\n");
        outbox.settle();
        assert_eq!(outbox.unread(), 6);
    }

    #[test]
    fn messages_come_above_the_status_line() {
        let (outbox, go, got) = reader();
        (0..5).for_each(|_| go.send(()).expect("a reader"));
        let take = || got.recv_timeout(Duration::from_secs(60)).expect("a text");
        outbox.status(Some("1 s".into()));
        assert_eq!(take(), format!("{ERASE}1 s"));
        outbox.put(b"an error\n", MessageRank::Message);
        assert_eq!(take(), format!("{ERASE}an error\n"));
        outbox.status(Some("2 s".into()));
        assert_eq!(take(), format!("{ERASE}2 s"));
        outbox.status(None);
        assert_eq!(take(), ERASE);
        outbox.put(b"the end\n", MessageRank::Message);
        assert_eq!(take(), "the end\n");
    }
}
