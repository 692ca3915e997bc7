//! `tests.pack`: an append-only file of whole test cases.
//!
//! A run can find 40,000 paths per second; no file system creates that many files. Tests beyond
//! the first ones (see [`crate::output`]) that reach nothing new go here and are read back as if
//! they were files.
//!
//! A record is `"PPTE"`, the length and a checksum of the payload (both 32-bit little-endian), and
//! the payload. A run killed in the middle of a write leaves a torn last record, which the reader
//! drops and reports; everything before it is whole.

use crate::model::TestCase;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// The name of the file, beside the directories of tests.
pub const NAME: &str = "tests.pack";

const MAGIC: &[u8; 4] = b"PPTE";
const HEADER: usize = 12;
/// Bytes gathered before a write.
const BATCH: usize = 64 << 10;

/// A test as a pack keeps it, without its number: the worker that found it makes these bytes, and the coordinator that
/// numbers it need not decode them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlainTest(#[serde(with = "serde_bytes")] Vec<u8>);

impl PlainTest {
    /// Encodes a test, without its number.
    pub fn of(test: TestCase) -> PlainTest {
        let test = TestCase { id: 0, ..test };
        let mut bytes = postcard::to_stdvec(&test).expect("plain values can be written");
        // The number comes first; a zero is one byte.
        bytes.remove(0);
        PlainTest(bytes)
    }

    /// The test under this number.
    ///
    /// # Errors
    /// These bytes are no test.
    pub fn under(&self, id: u32) -> io::Result<TestCase> {
        let mut bytes = vec![0];
        bytes.extend_from_slice(&self.0);
        let test: TestCase = postcard::from_bytes(&bytes).map_err(io::Error::other)?;
        Ok(TestCase { id, ..test })
    }

    /// How many bytes it takes.
    pub fn size(&self) -> usize {
        self.0.len()
    }
}

/// Appends test cases to a pack file.
pub struct PackWriter {
    file: File,
    buffer: Vec<u8>,
    /// Tests in the buffer.
    buffered: u64,
    /// Length of the file up to which all records are whole.
    good: u64,
}

impl PackWriter {
    /// Creates an empty pack.
    pub fn create(path: &Path) -> io::Result<PackWriter> {
        let file = OpenOptions::new().write(true).create_new(true).open(path)?;
        Ok(PackWriter {
            file,
            buffer: Vec::new(),
            buffered: 0,
            good: 0,
        })
    }

    /// Continues a pack of so many bytes; everything after them is cut off. There may be no pack yet.
    pub fn reopen(path: &Path, len: u64) -> io::Result<PackWriter> {
        let mut file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        if file.metadata()?.len() < len {
            return Err(io::Error::other("it is shorter than it was"));
        }
        file.set_len(len)?;
        io::Seek::seek(&mut file, io::SeekFrom::Start(len))?;
        Ok(PackWriter {
            file,
            buffer: Vec::new(),
            buffered: 0,
            good: len,
        })
    }

    /// Bytes on the disk.
    pub fn bytes(&self) -> u64 {
        self.good
    }

    /// Adds a test; it is on disk after the next flush. An error means that `lost` tests of the
    /// batch are gone.
    pub fn add(&mut self, test: &TestCase) -> Result<(), Lost> {
        self.record(|buffer| postcard::to_extend(test, buffer))
    }

    /// The same with a test that is bytes already, under this number.
    pub fn add_plain(&mut self, id: u32, test: &PlainTest) -> Result<(), Lost> {
        self.record(|buffer| {
            let mut buffer = postcard::to_extend(&id, buffer)?;
            buffer.extend_from_slice(&test.0);
            Ok(buffer)
        })
    }

    fn record(
        &mut self,
        fill: impl FnOnce(Vec<u8>) -> postcard::Result<Vec<u8>>,
    ) -> Result<(), Lost> {
        let start = self.buffer.len();
        self.buffer.extend_from_slice(&[0; HEADER]);
        let taken = std::mem::take(&mut self.buffer);
        self.buffer = match fill(taken) {
            Ok(buffer) => buffer,
            Err(e) => {
                return Err(Lost {
                    tests: self.buffered + 1,
                    why: io::Error::other(e),
                });
            }
        };
        let payload = &self.buffer[start + HEADER..];
        let (len, sum) = (payload.len() as u32, checksum(payload));
        let header = &mut self.buffer[start..start + HEADER];
        header[..4].copy_from_slice(MAGIC);
        header[4..8].copy_from_slice(&len.to_le_bytes());
        header[8..].copy_from_slice(&sum.to_le_bytes());
        self.buffered += 1;
        if self.buffer.len() >= BATCH {
            self.flush()
        } else {
            Ok(())
        }
    }

    /// Writes the buffered tests. After a failure the torn part is cut off again.
    pub fn flush(&mut self) -> Result<(), Lost> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let tests = std::mem::take(&mut self.buffered);
        let result = self.file.write_all(&self.buffer);
        let len = self.buffer.len() as u64;
        self.buffer.clear();
        match result {
            Ok(()) => {
                self.good += len;
                Ok(())
            }
            Err(why) => {
                // Both may fail on a broken disk; the reader copes with a torn end.
                let _ = self.file.set_len(self.good);
                let _ = io::Seek::seek(&mut self.file, io::SeekFrom::Start(self.good));
                Err(Lost { tests, why })
            }
        }
    }
}

/// Tests that could not be written.
#[derive(Debug)]
pub struct Lost {
    /// How many.
    pub tests: u64,
    /// Why they could not be written.
    pub why: io::Error,
}

/// Shows all whole records of a pack of `len` bytes, and returns the problem with the rest, if there is one. One
/// record is in memory at a time.
pub fn each(file: &mut impl Read, len: u64, show: &mut dyn FnMut(TestCase)) -> Option<String> {
    let mut at = 0;
    let mut payload = Vec::new();
    while at < len {
        match record(file, len - at, &mut payload) {
            Ok((test, size)) => {
                show(test);
                at += size;
            }
            Err(why) => {
                let left = len - at;
                return Some(format!("{why} at byte {at}; {left} bytes dropped"));
            }
        }
    }
    None
}

/// Shows all whole records of a pack from a byte on. Returns the byte at which the last whole one ends: a torn end does not
/// count.
///
/// # Errors
/// The file cannot be read, or is shorter than that.
pub fn each_from(path: &Path, from: u64, show: &mut dyn FnMut(TestCase)) -> io::Result<u64> {
    let mut file = File::open(path)?;
    let len = file.metadata()?.len();
    if len < from {
        return Err(io::Error::other("it is shorter than it was"));
    }
    file.seek(SeekFrom::Start(from))?;
    let mut file = BufReader::new(file);
    let (mut at, mut payload) = (from, Vec::new());
    while at < len {
        let Ok((test, size)) = record(&mut file, len - at, &mut payload) else {
            break;
        };
        show(test);
        at += size;
    }
    Ok(at)
}

/// The next record, of which `left` bytes can be there at most.
fn record(
    file: &mut impl Read,
    left: u64,
    payload: &mut Vec<u8>,
) -> Result<(TestCase, u64), String> {
    let mut header = [0; HEADER];
    let torn = |what: &'static str| {
        move |e: io::Error| match e.kind() {
            io::ErrorKind::UnexpectedEof => what.to_string(),
            _ => e.to_string(),
        }
    };
    file.read_exact(&mut header)
        .map_err(torn("torn record header"))?;
    if &header[..4] != MAGIC {
        return Err("no record header".into());
    }
    let word = |at: usize| {
        u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
    };
    let size = u64::from(word(4));
    if size > left - HEADER as u64 {
        return Err("torn record".into());
    }
    payload.resize(size as usize, 0);
    file.read_exact(payload).map_err(torn("torn record"))?;
    if checksum(payload) != word(8) {
        return Err("wrong checksum".into());
    }
    let test = postcard::from_bytes(payload).map_err(|_| "unreadable record")?;
    Ok((test, HEADER as u64 + size))
}

/// The checksum of all these bytes.
pub(crate) fn checksum(bytes: &[u8]) -> u32 {
    let mut sum = Checksum::default();
    sum.add(bytes);
    sum.sum()
}

/// FNV-1a over 8-byte words and the tail, folded to 32 bits.
#[derive(Clone, Debug)]
pub(crate) struct Checksum {
    hash: u64,
    length: u64,
    /// Bytes that make no word yet.
    tail: [u8; 8],
}

impl Default for Checksum {
    fn default() -> Checksum {
        Checksum {
            hash: 0xCBF2_9CE4_8422_2325,
            length: 0,
            tail: [0; 8],
        }
    }
}

impl Checksum {
    fn step(hash: u64, word: u64) -> u64 {
        (hash ^ word)
            .wrapping_mul(0x0000_0100_0000_01B3)
            .rotate_left(29)
    }

    /// Further bytes.
    pub fn add(&mut self, mut bytes: &[u8]) {
        let waiting = (self.length % 8) as usize;
        self.length += bytes.len() as u64;
        if waiting > 0 {
            let (first, rest) = bytes.split_at(bytes.len().min(8 - waiting));
            self.tail[waiting..waiting + first.len()].copy_from_slice(first);
            if waiting + first.len() < 8 {
                return;
            }
            self.hash = Checksum::step(self.hash, u64::from_le_bytes(self.tail));
            bytes = rest;
        }
        let (words, rest) = bytes.as_chunks::<8>();
        let words = words.iter().map(|&word| u64::from_le_bytes(word));
        self.hash = words.fold(self.hash, Checksum::step);
        self.tail[..rest.len()].copy_from_slice(rest);
    }

    /// The sum of the added bytes.
    pub fn sum(&self) -> u32 {
        let hash = self.wide();
        (hash ^ hash >> 32) as u32
    }

    /// The same in 64 bits.
    pub fn wide(&self) -> u64 {
        let tail = &self.tail[..(self.length % 8) as usize];
        let bytes = tail.iter().map(|&b| u64::from(b));
        let hash = bytes.fold(self.hash, Checksum::step);
        Checksum::step(hash, self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_does_not_depend_on_the_parts() {
        let bytes: Vec<u8> = (0..100u32).map(|i| (i * 37) as u8).collect();
        for part in 1..30 {
            let mut sum = Checksum::default();
            bytes.chunks(part).for_each(|chunk| sum.add(chunk));
            assert_eq!(sum.sum(), checksum(&bytes), "{part}");
        }
        assert_ne!(checksum(&bytes[..99]), checksum(&bytes));
    }

    #[test]
    fn a_plain_test_gets_its_number_later() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("tests.pack");
        let mut pack = PackWriter::create(&path).unwrap();
        let test = TestCase {
            id: 5,
            objects: vec![("in".into(), vec![1, 2, 3])],
            instructions: 300,
            ..TestCase::default()
        };
        let plain = PlainTest::of(test.clone());
        assert_eq!(
            plain.under(300).unwrap(),
            TestCase {
                id: 300,
                ..test.clone()
            }
        );
        pack.add(&test).unwrap();
        pack.add_plain(70_000, &plain).unwrap();
        pack.flush().unwrap();
        let mut read = Vec::new();
        let mut file = File::open(&path).unwrap();
        let problem = each(&mut file, pack.bytes(), &mut |test| read.push(test));
        assert_eq!(problem, None);
        assert_eq!(read, [test.clone(), TestCase { id: 70_000, ..test }]);
    }
}
