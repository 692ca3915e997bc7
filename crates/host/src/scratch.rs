//! Room on disk for what does not fit into memory: blocks of bytes in a file that has no name, so that nothing of it is left
//! when its process ends, however it ends.

use std::cell::Cell;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Where blocks go, and how many bytes they may take together.
#[derive(Debug)]
pub struct Scratch {
    dir: PathBuf,
    most: u64,
    used: Cell<u64>,
    /// A write failed when so much was used: there is no room for more.
    full_at: Cell<u64>,
}

impl Scratch {
    /// Files in this directory, with so many bytes together at most.
    pub fn new(dir: &Path, most: u64) -> Rc<Scratch> {
        Rc::new(Scratch {
            dir: dir.to_owned(),
            most,
            used: Cell::new(0),
            full_at: Cell::new(u64::MAX),
        })
    }

    /// May so many bytes more be written? A disk that was full is tried again once something has gone.
    pub fn has_room(&self, bytes: u64) -> bool {
        let used = self.used.get();
        used < self.full_at.get() && used.saturating_add(bytes) <= self.most
    }

    /// Bytes that may be written at most.
    pub fn most(&self) -> u64 {
        self.most
    }
}

/// Blocks of bytes, the latest on top.
#[derive(Debug)]
pub struct Blocks {
    scratch: Rc<Scratch>,
    /// Made when the first block comes.
    file: Option<File>,
    /// Where each block ends.
    ends: Vec<u64>,
}

impl Blocks {
    /// None yet.
    pub fn new(scratch: Rc<Scratch>) -> Blocks {
        Blocks {
            scratch,
            file: None,
            ends: Vec::new(),
        }
    }

    /// May a block of so many bytes be added?
    pub fn has_room(&self, bytes: u64) -> bool {
        self.scratch.has_room(bytes)
    }

    /// Adds a block.
    ///
    /// # Errors
    /// It cannot be written. Nothing has changed then.
    pub fn push(&mut self, block: &[u8]) -> io::Result<()> {
        let begin = self.end();
        let written = self.write(block, begin);
        let used = self.scratch.used.get();
        match &written {
            Ok(()) => {
                self.ends.push(begin + block.len() as u64);
                self.scratch.used.set(used + block.len() as u64);
                self.scratch.full_at.set(u64::MAX);
            }
            Err(_) => self.scratch.full_at.set(used),
        }
        written
    }

    fn write(&mut self, block: &[u8], at: u64) -> io::Result<()> {
        let file = match self.file.take() {
            Some(file) => file,
            None => nameless(&self.scratch.dir)?,
        };
        self.file.insert(file).write_all_at(block, at)
    }

    /// The block of this number, the oldest being 0.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(&self, block: usize) -> io::Result<Vec<u8>> {
        let (begin, end) = (self.begin(block), self.ends[block]);
        let mut bytes = vec![0; (end - begin) as usize];
        if let Some(file) = &self.file {
            file.read_exact_at(&mut bytes, begin)?;
        }
        Ok(bytes)
    }

    /// Takes the latest block away, if there is one. What it took of the disk is free then.
    pub fn pop(&mut self) {
        let Some(last) = self.ends.len().checked_sub(1) else {
            return;
        };
        let begin = self.begin(last);
        let used = self.scratch.used.get();
        self.scratch.used.set(used - (self.ends[last] - begin));
        self.ends.pop();
        if let Some(file) = &self.file {
            // What stays is written over.
            let _ = file.set_len(begin);
        }
    }

    fn begin(&self, block: usize) -> u64 {
        block.checked_sub(1).map_or(0, |before| self.ends[before])
    }

    fn end(&self) -> u64 {
        self.begin(self.ends.len())
    }
}

impl Drop for Blocks {
    fn drop(&mut self) {
        let used = self.scratch.used.get();
        self.scratch.used.set(used - self.end());
    }
}

/// A file in this directory that is gone when nobody has it open any more.
pub(crate) fn nameless(dir: &Path) -> io::Result<File> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let number = COUNT.fetch_add(1, Relaxed);
    let path = dir.join(format!(".tmp-scratch-{}-{number}", std::process::id()));
    let mut options = OpenOptions::new();
    let file = options
        .read(true)
        .write(true)
        .create_new(true)
        .open(&path)?;
    fs::remove_file(&path)?;
    Ok(file)
}

/// Bytes that are free for this user where the directory lies.
///
/// # Errors
/// The system does not say.
pub fn free(dir: &Path) -> io::Result<u64> {
    let found = rustix::fs::statvfs(dir)?;
    Ok(found.f_bavail.saturating_mul(found.f_frsize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_come_back_and_leave_nothing() {
        let dir = std::env::temp_dir().join(format!("scratch-test-{}", std::process::id()));
        fs::create_dir(&dir).unwrap();
        let scratch = Scratch::new(&dir, 100);
        let mut one = Blocks::new(scratch.clone());
        let mut other = Blocks::new(scratch.clone());
        one.push(&[1; 40]).unwrap();
        other.push(&[2; 20]).unwrap();
        one.push(&[3; 30]).unwrap();
        assert!(scratch.has_room(10) && !scratch.has_room(11));
        assert_eq!(one.read(0).unwrap(), [1; 40]);
        assert_eq!(one.read(1).unwrap(), [3; 30]);
        assert_eq!(other.read(0).unwrap(), [2; 20]);
        one.pop();
        one.push(&[4; 5]).unwrap();
        assert_eq!(one.read(1).unwrap(), [4; 5]);
        drop(one);
        assert!(scratch.has_room(80) && !scratch.has_room(81));
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 0);
        assert!(free(&dir).unwrap() > 0);
        fs::remove_dir(&dir).unwrap();
        // The place is gone: an error, after which nothing more is tried until something goes.
        let mut late = Blocks::new(scratch.clone());
        assert!(late.push(&[5; 5]).is_err());
        assert!(!scratch.has_room(1));
        other.pop();
        assert!(scratch.has_room(1));
    }
}
