//! `frontier.bin`: the frontier of a run (what it has yet to explore), so that the run can be resumed. This module stores it in the
//! directory of results; the front end of the run interprets the bytes.
//!
//! It is a list of parts, of records that say "what stands before this counts", and of news of the results since the last record
//! ([`Journal`]). A new one is written beside its place
//! and renamed at its first record, and may grow from then on; a torn end does not count. The one before stays as `frontier.old.bin`:
//! it counts if a power cut leaves a file whose content has not reached the disk. The first bytes are `"PPFR"`; then each part,
//! record or news has its length and a checksum (both 32-bit little-endian), its kind (one byte) and its content.

use crate::ahead::Ahead;
use crate::disk;
use crate::model::ErrorRecord;
use crate::pack::Checksum;
use anyhow::{Context, Result, anyhow, bail};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

const NAME: &str = "frontier.bin";
const OLD: &str = "frontier.old.bin";
const MAGIC: &[u8; 4] = b"PPFR";
const HEADER: usize = 8;
/// Kinds.
const PART: u8 = 0;
const REST: u8 = 1;
const NEWS: u8 = 2;

/// One thread at a time moves and removes the files: between two moves of one, only the older file may be there.
static PLACES: Mutex<()> = Mutex::new(());

fn places() -> MutexGuard<'static, ()> {
    PLACES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The part of the results that belongs to a frontier. What was written later is ahead of it ([`Ahead`]).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Written {
    /// The errors, in the order of `errors.json`.
    pub errors: Vec<ErrorRecord>,
    /// Names of the tests that are provisional ([`OutputDir::write_provisional`]).
    pub provisional: BTreeSet<String>,
    /// Tests in the pack.
    pub packed: u64,
    /// Bytes of the pack.
    pub pack: u64,
    /// Results that an earlier run wrote after its last record.
    pub ahead: Ahead,
}

/// Writes the frontier of a run: its parts, and now and then a record for all of them together. Everything up to the
/// last whole [`Journal::commit`] counts.
pub struct Journal {
    file: BufWriter<File>,
    dir: PathBuf,
    /// The file's name until the first commit.
    beside: Option<PathBuf>,
    bytes: u64,
}

impl Journal {
    /// A new one; the one that is there counts until the first commit of this one.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn create(dir: &Path) -> io::Result<Journal> {
        let beside = disk::temp_name(&dir.join(NAME));
        let mut journal = Journal {
            file: BufWriter::with_capacity(1 << 18, File::create(&beside)?),
            dir: dir.to_owned(),
            beside: Some(beside),
            bytes: MAGIC.len() as u64,
        };
        journal.file.write_all(MAGIC)?;
        Ok(journal)
    }

    /// Writes a part.
    ///
    /// # Errors
    /// It cannot be written; then nothing more can be.
    pub fn add(&mut self, part: &[u8]) -> io::Result<()> {
        self.frame(PART, part)
    }

    /// What was written so far can be read by [`Parts`].
    ///
    /// # Errors
    /// It cannot be written; then nothing more can be.
    pub fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }

    /// Everything written so far counts from now on, with this record. It need not be on the disk when this returns,
    /// see [`sync`].
    ///
    /// # Errors
    /// It cannot be written; then nothing more can be written, and the last commit still counts.
    pub fn commit(&mut self, rest: &[u8]) -> io::Result<()> {
        self.frame(REST, rest)?;
        self.file.flush()?;
        if let Some(beside) = self.beside.take() {
            let _places = places();
            let moved = disk::move_into(&beside, &self.dir.join(NAME), &self.dir.join(OLD));
            if moved.is_err() {
                self.beside = Some(beside);
            }
            moved?;
        }
        Ok(())
    }

    /// Writes news of the results: they count at once, until the next commit.
    ///
    /// # Errors
    /// They cannot be written; then nothing more can be.
    pub fn note(&mut self, news: &[u8]) -> io::Result<()> {
        self.frame(NEWS, news)?;
        self.file.flush()
    }

    /// Bytes that were written.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    fn frame(&mut self, kind: u8, content: &[u8]) -> io::Result<()> {
        let length = u32::try_from(content.len() + 1).map_err(io::Error::other)?;
        let mut sum = Checksum::default();
        sum.add(&[kind]);
        sum.add(content);
        self.file.write_all(&length.to_le_bytes())?;
        self.file.write_all(&sum.sum().to_le_bytes())?;
        self.file.write_all(&[kind])?;
        self.file.write_all(content)?;
        self.bytes += (HEADER + content.len()) as u64 + 1;
        Ok(())
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        if let Some(beside) = &self.beside {
            // Readers skip what is left over.
            let _ = fs::remove_file(beside);
        }
    }
}

/// A frontier as it was written. It may be large, so its parts are read one after the other.
pub struct Kept {
    /// The record for all parts.
    pub rest: Vec<u8>,
    /// News since that record.
    pub news: Vec<Vec<u8>>,
    frames: Frames,
    /// Parts that count and have not been read.
    left: usize,
}

impl Kept {
    /// The next part.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn part(&mut self) -> Result<Option<Vec<u8>>> {
        while self.left > 0 {
            let (kind, content) = self.frames.next()?.context("the frontier has changed")?;
            if kind == PART {
                self.left -= 1;
                return Ok(Some(content));
            }
        }
        Ok(None)
    }
}

/// The parts of the file in this directory between two places, while its [`Journal`] goes on writing behind them.
pub struct Parts {
    frames: Frames,
}

impl Parts {
    /// From one place to another one: the beginning ([`Parts::FIRST`]), or places that the journal has had ([`Journal::bytes`]) when it
    /// committed.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn between(dir: &Path, from: u64, to: u64) -> io::Result<Parts> {
        let mut frames = Frames::open(&dir.join(NAME))?;
        frames.file.seek(SeekFrom::Start(from))?;
        frames.left = to.saturating_sub(from);
        Ok(Parts { frames })
    }

    /// Where the first part stands.
    pub const FIRST: u64 = MAGIC.len() as u64;

    /// The next one.
    ///
    /// # Errors
    /// It cannot be read, or is damaged.
    pub fn part(&mut self) -> io::Result<Option<Vec<u8>>> {
        while self.frames.left > 0 {
            match self.frames.next()? {
                Some((PART, content)) => return Ok(Some(content)),
                Some(_) => {}
                None => return Err(io::Error::other("the frontier has changed")),
            }
        }
        Ok(None)
    }
}

/// Waits until the frontier is on the disk. That may take seconds. The file before it is not needed then, and goes: it may be as large.
///
/// # Errors
/// It cannot be brought there.
pub fn sync(dir: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    let file = File::open(dir.join(NAME))?;
    file.sync_all()?;
    File::open(dir)?.sync_all()?;
    let _places = places();
    // Unless another one has taken its place meanwhile.
    if fs::metadata(dir.join(NAME))?.ino() == file.metadata()?.ino() {
        remove_file(&dir.join(OLD))?;
    }
    Ok(())
}

/// Removes a file, if it is there.
fn remove_file(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}

/// Removes what a process that was killed has left of a file that it was writing beside the frontier's place: it may be as large. No
/// process writes there now ([`lock`]).
///
/// # Errors
/// It cannot be removed.
pub fn sweep(dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name();
        if disk::is_temporary(&name) && name.as_encoded_bytes().ends_with(NAME.as_bytes()) {
            remove_file(&entry.path())?;
        }
    }
    Ok(())
}

/// Takes the frontier away: nothing is left to explore.
///
/// # Errors
/// It cannot be removed.
pub fn remove(dir: &Path) -> io::Result<()> {
    [NAME, OLD]
        .iter()
        .try_for_each(|name| remove_file(&dir.join(name)))
}

/// Is there a frontier?
pub fn exists(dir: &Path) -> bool {
    [NAME, OLD].iter().any(|name| dir.join(name).exists())
}

/// Reads the frontier; `None` if there is none.
///
/// # Errors
/// It cannot be read, or is damaged.
pub fn read(dir: &Path) -> Result<Option<Kept>> {
    let latest = open(&dir.join(NAME));
    if let Ok(Some(_)) = latest {
        return latest;
    }
    match open(&dir.join(OLD)) {
        Ok(Some(older)) => Ok(Some(older)),
        _ => latest,
    }
}

/// Finds out how much of it counts.
fn open(path: &Path) -> Result<Option<Kept>> {
    let mut frames = match Frames::open(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.with_context(|| format!("cannot read {}", path.display()))?,
    };
    let (mut parts, mut kept, mut news) = (0, None, Vec::new());
    // The end may be torn.
    while let Some((kind, content)) = frames.next()? {
        match kind {
            PART => parts += 1,
            NEWS => news.push(content),
            _ => {
                kept = Some((parts, content));
                news.clear();
            }
        }
    }
    let (left, rest) = kept.ok_or_else(|| anyhow!("{} is damaged", path.display()))?;
    frames.rewind()?;
    Ok(Some(Kept {
        rest,
        news,
        frames,
        left,
    }))
}

/// Reads a file up to where it is damaged.
struct Frames {
    file: BufReader<File>,
    /// Bytes that were not read yet.
    left: u64,
}

impl Frames {
    fn open(path: &Path) -> io::Result<Frames> {
        let file = File::open(path)?;
        let mut frames = Frames {
            file: BufReader::with_capacity(1 << 18, file),
            left: 0,
        };
        frames.rewind()?;
        Ok(frames)
    }

    /// Goes to the first one. A file that does not begin as it should has none.
    fn rewind(&mut self) -> io::Result<()> {
        self.left = self.file.get_ref().metadata()?.len();
        self.file.seek(SeekFrom::Start(0))?;
        let mut magic = [0; MAGIC.len()];
        if !self.take(&mut magic)? || magic != *MAGIC {
            self.left = 0;
        }
        Ok(())
    }

    fn take(&mut self, bytes: &mut [u8]) -> io::Result<bool> {
        let Some(left) = self.left.checked_sub(bytes.len() as u64) else {
            return Ok(false);
        };
        self.left = left;
        self.file.read_exact(bytes)?;
        Ok(true)
    }

    /// The next one with its kind, if it is whole.
    fn next(&mut self) -> io::Result<Option<(u8, Vec<u8>)>> {
        let (mut length, mut sum) = ([0; 4], [0; 4]);
        if !self.take(&mut length)? || !self.take(&mut sum)? {
            return Ok(None);
        }
        let length = u32::from_le_bytes(length);
        let mut kind = [0];
        if length == 0 || u64::from(length) > self.left || !self.take(&mut kind)? {
            return Ok(None);
        }
        let mut content = vec![0; length as usize - 1];
        if !self.take(&mut content)? {
            return Ok(None);
        }
        let mut found = Checksum::default();
        found.add(&kind);
        found.add(&content);
        let is_whole = found.sum().to_le_bytes() == sum;
        Ok(is_whole.then_some((kind[0], content)))
    }
}

/// Whether a process explores in this directory of a run.
pub fn is_at_work(dir: &Path) -> bool {
    let file = File::open(dir.join("info.json"));
    file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Takes the directory of a run for this process, until the value is dropped.
///
/// # Errors
/// Another process has it.
pub fn lock(dir: &Path) -> Result<File> {
    let path = dir.join("info.json");
    let file = File::open(&path).with_context(|| format!("cannot read {}", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => bail!("{}: a run is at work there", dir.display()),
        Err(TryLockError::Error(e)) => {
            Err(e).with_context(|| format!("cannot lock {}", path.display()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(dir: &Path, parts: &[&[u8]], rest: &[u8]) -> Journal {
        let mut journal = Journal::create(dir).unwrap();
        parts.iter().for_each(|part| journal.add(part).unwrap());
        journal.commit(rest).unwrap();
        journal
    }

    /// The parts that are kept, and the rest.
    type Content = (Vec<Vec<u8>>, Vec<u8>);

    fn kept(parts: &[&[u8]], rest: &[u8]) -> Content {
        let parts = parts.iter().map(|part| part.to_vec());
        (parts.collect(), rest.to_vec())
    }

    fn read(dir: &Path) -> Result<Option<Content>> {
        let Some(mut kept) = super::read(dir)? else {
            return Ok(None);
        };
        let mut parts = Vec::new();
        while let Some(part) = kept.part()? {
            parts.push(part);
        }
        Ok(Some((parts, kept.rest)))
    }

    #[test]
    fn it_is_there_whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(read(dir.path()).unwrap(), None);
        write(dir.path(), &[b"what is left"], b"all");
        write(dir.path(), &[b"what", b"is left now"], b"all now");
        let now = kept(&[b"what", b"is left now"], b"all now");
        assert_eq!(read(dir.path()).unwrap(), Some(now));
        // One that is not finished leaves nothing.
        Journal::create(dir.path()).unwrap().add(b"more").unwrap();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
        // One whose process was killed stays until somebody goes on.
        std::mem::forget(Journal::create(dir.path()).unwrap());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 3);
        sweep(dir.path()).unwrap();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
        let path = dir.path().join(NAME);
        let whole = fs::read(&path).unwrap();
        for harm in [&whole[..whole.len() - 1], &whole[..3], b""] {
            fs::write(&path, harm).unwrap();
            let before = kept(&[b"what is left"], b"all");
            assert_eq!(read(dir.path()).unwrap(), Some(before));
        }
        // What is on the disk needs nothing before it.
        sync(dir.path()).unwrap();
        assert!(!dir.path().join(OLD).exists());
        for harm in [&whole[..whole.len() - 1], &whole[..3], b""] {
            fs::write(&path, harm).unwrap();
            let why = read(dir.path()).unwrap_err().to_string();
            assert!(why.contains("damaged"), "{why}");
        }
        remove(dir.path()).unwrap();
        remove(dir.path()).unwrap();
        assert_eq!(read(dir.path()).unwrap(), None);
    }

    #[test]
    fn what_is_added_later_counts_once_it_is_whole() {
        let dir = tempfile::tempdir().unwrap();
        let mut journal = write(dir.path(), &[b"one"], b"1");
        let path = dir.path().join(NAME);
        let first = fs::read(&path).unwrap().len();
        journal.add(b"two").unwrap();
        journal.add(b"three").unwrap();
        journal.commit(b"3").unwrap();
        let whole = fs::read(&path).unwrap();
        assert_eq!(whole.len() as u64, journal.bytes());
        for end in first..=whole.len() {
            fs::write(&path, &whole[..end]).unwrap();
            let now = if end == whole.len() {
                kept(&[b"one", b"two", b"three"], b"3")
            } else {
                kept(&[b"one"], b"1")
            };
            assert_eq!(read(dir.path()).unwrap(), Some(now), "{end}");
        }
    }

    #[test]
    fn news_count_from_the_last_record_on() {
        let dir = tempfile::tempdir().unwrap();
        let news = || super::read(dir.path()).unwrap().unwrap().news;
        let mut journal = write(dir.path(), &[b"one"], b"1");
        assert!(news().is_empty());
        journal.note(b"a").unwrap();
        journal.note(b"b").unwrap();
        assert_eq!(news(), [b"a", b"b"]);
        // A part that is not recorded yet changes nothing.
        journal.add(b"two").unwrap();
        journal.note(b"c").unwrap();
        assert_eq!(news(), [b"a", b"b", b"c"]);
        assert_eq!(read(dir.path()).unwrap(), Some(kept(&[b"one"], b"1")));
        journal.commit(b"2").unwrap();
        assert!(news().is_empty());
        journal.note(b"d").unwrap();
        let path = dir.path().join(NAME);
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole[..whole.len() - 1]).unwrap();
        assert!(news().is_empty(), "a torn end does not count");
        assert_eq!(
            read(dir.path()).unwrap(),
            Some(kept(&[b"one", b"two"], b"2"))
        );
    }

    #[test]
    fn one_process_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        assert!(lock(dir.path()).is_err(), "there is no run");
        fs::write(dir.path().join("info.json"), "{}").unwrap();
        let held = lock(dir.path()).unwrap();
        assert!(lock(dir.path()).is_err());
        drop(held);
        assert!(lock(dir.path()).is_ok());
    }
}
