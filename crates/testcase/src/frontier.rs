//! `frontier.bin`: what a run has yet to explore, so that a later one can go on. The directory of the results keeps it; what it
//! says, crate `cli` knows.
//!
//! It is there whole or not at all: it is written beside its place and renamed. The one before stays as `frontier.old.bin`: it counts if
//! a power cut leaves a file whose content has not reached the disk. The first bytes are `"PPFR"` and a checksum.

use crate::disk;
use crate::model::ErrorRecord;
use crate::output::{OutputDir, WriteSummary};
use crate::pack::{Checksum, checksum};
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

const NAME: &str = "frontier.bin";
const OLD: &str = "frontier.old.bin";
const MAGIC: &[u8; 4] = b"PPFR";
const HEADER: usize = 8;

/// What of the results belongs to a frontier: what was written later, a run that goes on from there writes again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Written {
    /// The errors, in the order of `errors.json`.
    pub errors: Vec<ErrorRecord>,
    /// Tests that are files, and tests in the pack.
    pub loose: u64,
    /// See `loose`.
    pub packed: u64,
    /// Bytes of the pack.
    pub pack: u64,
}

/// Writes the frontier: what `fill` writes. It need not be on the disk when this returns, see [`sync`].
///
/// # Errors
/// It cannot be written; then the one before is still there.
pub fn write(dir: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    disk::replace(&dir.join(NAME), &dir.join(OLD), |file| {
        file.write_all(&[0; HEADER])?;
        let mut summed = Summed {
            file: BufWriter::with_capacity(1 << 18, &mut *file),
            sum: Checksum::default(),
        };
        fill(&mut summed)?;
        let sum = summed.sum.sum();
        summed.file.flush()?;
        drop(summed);
        file.seek(SeekFrom::Start(0))?;
        file.write_all(MAGIC)?;
        file.write_all(&sum.to_le_bytes())
    })
}

/// A file, and the checksum of what was written to it.
struct Summed<'a> {
    file: BufWriter<&'a mut File>,
    sum: Checksum,
}

impl Write for Summed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sum.add(bytes);
        self.file.write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Waits until the frontier is on the disk. That may take seconds.
///
/// # Errors
/// It cannot be brought there.
pub fn sync(dir: &Path) -> io::Result<()> {
    File::open(dir.join(NAME))?.sync_all()?;
    File::open(dir)?.sync_all()
}

/// Takes the frontier away: nothing is left to explore.
///
/// # Errors
/// It cannot be removed.
pub fn remove(dir: &Path) -> io::Result<()> {
    for name in [NAME, OLD] {
        match fs::remove_file(dir.join(name)) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
            _ => {}
        }
    }
    Ok(())
}

/// Reads the frontier; `None` if there is none.
///
/// # Errors
/// It cannot be read, or is damaged.
pub fn read(dir: &Path) -> Result<Option<Vec<u8>>> {
    let latest = read_one(&dir.join(NAME));
    if let Ok(Some(_)) = latest {
        return latest;
    }
    match read_one(&dir.join(OLD)) {
        Ok(Some(older)) => Ok(Some(older)),
        _ => latest,
    }
}

fn read_one(path: &Path) -> Result<Option<Vec<u8>>> {
    let mut bytes = match fs::read(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        read => read.with_context(|| format!("cannot read {}", path.display()))?,
    };
    let is_whole = bytes.len() >= HEADER
        && &bytes[..4] == MAGIC
        && bytes[4..HEADER] == checksum(&bytes[HEADER..]).to_le_bytes();
    if !is_whole {
        bail!("{} is damaged", path.display());
    }
    Ok(Some(bytes.split_off(HEADER)))
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

impl OutputDir {
    /// What is written so far. Call it when it is to go with a frontier: then the pack is on the disk up to here.
    pub fn written(&self) -> Written {
        let (errors, summary, pack) = self.flushed();
        Written {
            errors,
            loose: summary.loose,
            packed: summary.packed,
            pack,
        }
    }

    /// Goes on where a run was when it wrote this much, with test `next_test`: later tests go, and so does what was half
    /// written.
    ///
    /// # Errors
    /// They cannot be removed.
    pub fn resume(dir: &Path, written: Written, next_test: u32) -> Result<OutputDir> {
        let tests = dir.join("tests");
        let entries = fs::read_dir(&tests).with_context(|| format!("no {}", tests.display()))?;
        for entry in entries {
            let path = entry?.path();
            let id = path
                .file_stem()
                .and_then(|name| name.to_str()?.strip_prefix("test")?.parse::<u32>().ok());
            let is_half = path.file_name().is_some_and(disk::is_temporary);
            if is_half || id.is_some_and(|id| id >= next_test) {
                let gone = if path.is_dir() {
                    fs::remove_dir_all(&path)
                } else {
                    fs::remove_file(&path)
                };
                gone.with_context(|| format!("cannot remove {}", path.display()))?;
            }
        }
        let summary = WriteSummary {
            loose: written.loose,
            packed: written.packed,
            ..WriteSummary::default()
        };
        OutputDir::go_on(dir, written.errors, summary, written.pack)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_there_whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(read(dir.path()).unwrap(), None);
        write(dir.path(), |w| w.write_all(b"what is left")).unwrap();
        write(dir.path(), |w| w.write_all(b"what is left now")).unwrap();
        let broken = write(dir.path(), |w| {
            w.write_all(b"what")?;
            Err(io::Error::other("no more"))
        });
        assert!(broken.is_err());
        sync(dir.path()).unwrap();
        assert_eq!(read(dir.path()).unwrap().unwrap(), b"what is left now");
        let path = dir.path().join(NAME);
        let whole = fs::read(&path).unwrap();
        for harm in [&whole[..whole.len() - 1], &whole[..3], b""] {
            fs::write(&path, harm).unwrap();
            assert_eq!(read(dir.path()).unwrap().unwrap(), b"what is left");
        }
        fs::remove_file(dir.path().join(OLD)).unwrap();
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
