//! The program's standard output and error, in order.
//!
//! The log is a list linked from its newest piece: appending and forking are O(1), and states that
//! fork share all they wrote before.

use std::rc::Rc;

use crate::bytes::{Bytes, Chunk};
use crate::trace::Tracer;

/// A standard stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stream {
    /// Descriptor 0 at the start.
    Stdin,
    /// Descriptor 1 at the start.
    Stdout,
    /// Descriptor 2 at the start.
    Stderr,
}

/// Bytes that one call wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenBytes {
    /// The stream.
    pub stream: Stream,
    /// The bytes.
    pub bytes: Bytes,
}

/// Pieces of one stream grow up to so many bytes.
const SMALL: usize = 512;

#[derive(Debug)]
struct OutputPiece {
    stream: Stream,
    bytes: Chunk,
    /// Bytes in this piece and all before it.
    total: u64,
    previous: Option<Rc<OutputPiece>>,
}

impl Drop for OutputPiece {
    // Long lists must not be dropped recursively.
    fn drop(&mut self) {
        let mut next = self.previous.take();
        while let Some(piece) = next {
            next = Rc::into_inner(piece).and_then(|mut p| p.previous.take());
        }
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Log {
    last: Option<Rc<OutputPiece>>,
}

impl Log {
    pub(crate) fn len(&self) -> u64 {
        self.last.as_ref().map_or(0, |p| p.total)
    }

    pub(crate) fn append(&mut self, stream: Stream, bytes: &Bytes) {
        if bytes.is_empty() {
            return;
        }
        let total = self.len() + bytes.len() as u64;
        // A program that writes byte by byte would make more lists than bytes.
        let small = self
            .last
            .as_ref()
            .filter(|last| last.stream == stream && last.bytes.len() + bytes.len() <= SMALL);
        let (bytes, previous) = match small {
            Some(last) => {
                let mut all = last.bytes.to_bytes();
                all.extend(bytes);
                (Chunk::new(&all), last.previous.clone())
            }
            None => (Chunk::new(bytes), self.last.take()),
        };
        self.last = Some(Rc::new(OutputPiece {
            stream,
            bytes,
            total,
            previous,
        }));
    }

    /// The pieces after the first `mark` bytes, oldest first.
    pub(crate) fn since(&self, mark: u64) -> Vec<WrittenBytes> {
        let mut pieces = Vec::new();
        let mut next = &self.last;
        while let Some(piece) = next.as_ref().filter(|p| p.total > mark) {
            let before = piece.total - piece.bytes.len() as u64;
            let start = mark.saturating_sub(before) as usize;
            pieces.push(WrittenBytes {
                stream: piece.stream,
                bytes: piece.bytes.bytes(start..piece.bytes.len()),
            });
            next = &piece.previous;
        }
        pieces.reverse();
        pieces
    }

    /// Everything written to `stream`.
    pub(crate) fn stream(&self, stream: Stream) -> Bytes {
        let mut all = Bytes::new();
        self.since(0)
            .iter()
            .filter(|piece| piece.stream == stream)
            .for_each(|piece| all.extend(&piece.bytes));
        all
    }

    pub(crate) fn trace(&self, tracer: &mut Tracer<'_>) {
        let mut next = &self.last;
        // What hangs on a piece that was visited has been visited too.
        while let Some(piece) = next.as_ref().filter(|p| tracer.first_visit(p)) {
            piece.bytes.trace(tracer.visit);
            next = &piece.previous;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_cut_inside_a_piece() {
        let mut log = Log::default();
        log.append(Stream::Stdout, &Bytes::concrete(*b"hello "));
        log.append(Stream::Stderr, &Bytes::concrete(*b"oops"));
        log.append(Stream::Stdout, &Bytes::concrete(*b"world"));
        let parts: Vec<_> = log.since(8).into_iter().map(|o| o.bytes.bits).collect();
        assert_eq!(parts, [b"ps".to_vec(), b"world".to_vec()]);
        assert_eq!(log.stream(Stream::Stdout).bits, b"hello world");
    }

    #[test]
    fn small_pieces_join_and_forks_keep_theirs() {
        let mut log = Log::default();
        log.append(Stream::Stdout, &Bytes::concrete(*b"ab"));
        let fork = log.clone();
        log.append(Stream::Stdout, &Bytes::concrete(*b"cd"));
        log.append(Stream::Stderr, &Bytes::concrete(*b"e"));
        assert_eq!((log.since(0).len(), log.len()), (2, 5));
        assert_eq!(log.since(3)[0].bytes.bits, b"d");
        assert_eq!(fork.stream(Stream::Stdout).bits, b"ab");
        for _ in 0..1000 {
            log.append(Stream::Stderr, &Bytes::concrete(*b"x"));
        }
        assert!(log.since(0).len() < 6 && log.len() == 1005);
    }

    #[test]
    fn a_long_log_is_dropped_without_recursion() {
        let mut log = Log::default();
        for _ in 0..200_000 {
            log.append(Stream::Stdout, &Bytes::concrete(*b"x"));
        }
        assert_eq!(log.clone().len(), 200_000);
    }
}
