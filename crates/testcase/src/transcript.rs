//! The transcript of a path's system calls: what a modelled replay answers from.
//!
//! The machine runs the test concretely and tells a [`Recorder`] each system call: number, result
//! and what the call wrote to the program's memory. Addresses differ in the native binary, so a
//! write is stored relative to the pointer through which the call reached it: an argument, an entry
//! of an `iovec` array, or (for `mmap`) the result.
//!
//! # Format (little-endian; read by `runtime/modelled.c`)
//!
//! ```text
//! header   "PPTR", version 1, target hash u64, complete u32, number of failed allocations u32,
//!          their indices u64 …
//! record   kind u32, number u32, result i64, signal u32, writes u32, then each write:
//!          argument u32 (0–5, 6 = the result), pointer offset u32 (0: the argument itself, else 1 +
//!          where in the memory at the argument the pointer stands), offset u64, length u64, bytes
//!          padded to 8
//! ```

/// The descriptor on which the replay binary finds the transcript.
pub const FD_TRANSCRIPT: i32 = 1021;
/// The descriptor to which it writes its report.
pub const FD_RESULT: i32 = 1022;

const MAGIC: &[u8; 4] = b"PPTR";
const VERSION: u32 = 1;
/// A write further than this behind a pointer argument is not reached through it.
const REACH: u64 = 1 << 24;

const RETURN: u32 = 1;
const EXIT: u32 = 2;
const KILL: u32 = 3;
const DELIVER: u32 = 4;

/// Records the system calls of one path.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    records: Vec<u8>,
    allocations: u64,
    failed: Vec<u64>,
    problem: Option<String>,
}

/// What happened on a system call.
#[derive(Clone, Copy, Debug)]
pub enum Answer {
    /// It returned this (`-errno` for errors).
    Return(i64),
    /// It ended the program (exit, exit_group).
    Exit(i32),
    /// It killed the program with a signal.
    Kill(i32),
    /// A signal handler runs before it returns `result`; the handler's own calls follow.
    Deliver { signal: i32, result: i64 },
}

impl Recorder {
    /// A recorder for a path that is about to start.
    pub fn new() -> Recorder {
        Recorder::default()
    }

    /// Tells of one system call. `writes` are the (address, bytes) that it wrote, in order; `read`
    /// reads the program's memory (for `iovec` arrays).
    pub fn call(
        &mut self,
        number: u64,
        args: &[u64; 6],
        answer: Answer,
        writes: &[(u64, Vec<u8>)],
        read: &mut dyn FnMut(u64, u64) -> Option<Vec<u8>>,
    ) {
        let (kind, result, signal) = match answer {
            Answer::Return(result) => (RETURN, result, 0),
            Answer::Exit(status) => (EXIT, i64::from(status), 0),
            Answer::Kill(signal) => (KILL, 0, signal),
            Answer::Deliver { signal, result } => (DELIVER, result, signal),
        };
        put32(&mut self.records, kind);
        put32(&mut self.records, number as u32);
        put64(&mut self.records, result as u64);
        put32(&mut self.records, signal as u32);
        put32(&mut self.records, writes.len() as u32);
        for (address, bytes) in writes {
            let Some(place) = place(number, args, result, *address, read) else {
                let why =
                    format!("system call {number} writes to memory that no argument points at");
                self.problem.get_or_insert(why);
                continue;
            };
            put32(&mut self.records, place.argument);
            put32(&mut self.records, place.pointer);
            put64(&mut self.records, place.offset);
            put64(&mut self.records, bytes.len() as u64);
            self.records.extend_from_slice(bytes);
            self.records
                .resize(self.records.len().next_multiple_of(8), 0);
        }
    }

    /// Tells of one allocation (malloc, calloc, realloc to more than nothing, memalign …), in order.
    pub fn allocation(&mut self, succeeded: bool) {
        if !succeeded {
            self.failed.push(self.allocations);
        }
        self.allocations += 1;
    }

    /// The recording, or why it cannot be replayed.
    pub fn finish(self) -> Result<Vec<u8>, String> {
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        let mut out = Vec::with_capacity(self.records.len() + 4 + 8 * self.failed.len());
        put32(&mut out, self.failed.len() as u32);
        self.failed.iter().for_each(|i| put64(&mut out, *i));
        out.extend_from_slice(&self.records);
        Ok(out)
    }
}

/// The whole file for a replay of `test`.
pub(crate) fn file(hash: u64, complete: bool, recording: &[u8]) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    put32(&mut out, VERSION);
    put64(&mut out, hash);
    put32(&mut out, u32::from(complete));
    out.extend_from_slice(recording);
    out
}

struct Place {
    argument: u32,
    pointer: u32,
    offset: u64,
}

const MMAP: u64 = 9;
/// readv, preadv, preadv2: the second argument is an array of (base, length).
const VECTORED: [u64; 3] = [19, 295, 327];
const RESULT: u32 = 6;

fn place(
    number: u64,
    args: &[u64; 6],
    result: i64,
    address: u64,
    read: &mut dyn FnMut(u64, u64) -> Option<Vec<u8>>,
) -> Option<Place> {
    if number == MMAP {
        let offset = address.checked_sub(result as u64)?;
        return Some(Place {
            argument: RESULT,
            pointer: 0,
            offset,
        });
    }
    if VECTORED.contains(&number) {
        let entries = read(args[1], args[2].min(1024).checked_mul(16)?)?;
        for (i, entry) in entries.chunks_exact(16).enumerate() {
            let word = |at: usize| {
                entry[at..at + 8]
                    .iter()
                    .rev()
                    .fold(0u64, |n, b| n << 8 | u64::from(*b))
            };
            let offset = address.wrapping_sub(word(0));
            if offset < word(8) {
                return Some(Place {
                    argument: 1,
                    pointer: 1 + 16 * i as u32,
                    offset,
                });
            }
        }
        return None;
    }
    // The nearest pointer at or below; small numbers (descriptors, flags) are no pointers.
    let nearest = (0..6)
        .filter(|i| args[*i] >= 4096 && args[*i] <= address)
        .max_by_key(|i| args[*i])?;
    let offset = address - args[nearest];
    (offset < REACH).then_some(Place {
        argument: nearest as u32,
        pointer: 0,
        offset,
    })
}

fn put32(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_le_bytes());
}

fn put64(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(&value.to_le_bytes());
}

/// What the replay binary says at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Report {
    /// The program exited, with the machine's path hash or another one.
    Finished {
        same: bool,
    },
    /// The machine's path hash was passed (paths that do not end with an exit).
    Reached,
    WrongCall {
        index: u32,
        expected: u32,
        seen: u32,
    },
    OutOfCalls {
        index: u32,
        seen: u32,
    },
    BadTranscript,
}

impl Report {
    /// Reads a report; `None` if there is none.
    pub fn parse(bytes: &[u8]) -> Option<Report> {
        let word = |i: usize| {
            let b = bytes.get(4 * i..4 * i + 4)?;
            Some(u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        };
        let (index, expected, seen) = (word(1)?, word(2)?, word(3)?);
        match word(0)? {
            1 => Some(Report::Finished { same: true }),
            2 => Some(Report::Finished { same: false }),
            3 => Some(Report::Reached),
            4 => Some(Report::WrongCall {
                index,
                expected,
                seen,
            }),
            5 => Some(Report::OutOfCalls { index, seen }),
            6 => Some(Report::BadTranscript),
            _ => None,
        }
    }
}
