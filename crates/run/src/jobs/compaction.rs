//! A thread that copies what still counts of the frontier's file into a new one, while records go on being written into the old one.
//!
//! To write the frontier anew takes seconds for a million states, and nobody waits for that: neither the exploration nor the next
//! record. What was written meanwhile is copied as it is at the end, which takes as long as a few records.

use super::frontier_log::{ChangeWriter, FrontierChange};
use rustc_hash::FxHashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::JoinHandle;
use testcase::frontier::{Journal, Parts};

/// See the module.
pub(super) struct Compaction {
    dir: PathBuf,
    /// Bytes of the file that the thread copies.
    to: u64,
    thread: Option<JoinHandle<io::Result<Journal>>>,
    give_up: Arc<AtomicBool>,
}

impl Compaction {
    /// Begins to copy so many bytes of the file in this directory, up to a record.
    ///
    /// # Errors
    /// There can be no more threads.
    pub fn begin(dir: &Path, to: u64) -> io::Result<Compaction> {
        let give_up = Arc::new(AtomicBool::new(false));
        let (of, flag) = (dir.to_owned(), give_up.clone());
        let thread = std::thread::Builder::new().name("compaction".into());
        let thread = thread.spawn(move || copy(&of, to, &flag))?;
        Ok(Compaction {
            dir: dir.to_owned(),
            to,
            thread: Some(thread),
            give_up,
        })
    }

    /// Has the thread ended?
    pub fn is_over(&self) -> bool {
        self.thread.as_ref().is_some_and(JoinHandle::is_finished)
    }

    /// The new file, with everything that counts of so many bytes of the old one. The thread has ended.
    ///
    /// # Errors
    /// A file could not be read or written: the old one stays what it is.
    pub fn finish(mut self, bytes: u64) -> io::Result<Journal> {
        let ended = self.thread.take().map(JoinHandle::join);
        let Some(Ok(copied)) = ended else {
            return Err(io::Error::other("its thread panicked"));
        };
        let mut journal = copied?;
        let mut later = Parts::between(&self.dir, self.to, bytes)?;
        while let Some(part) = later.part()? {
            journal.add(&part)?;
        }
        Ok(journal)
    }
}

impl Drop for Compaction {
    fn drop(&mut self) {
        self.give_up.store(true, Relaxed);
        if let Some(thread) = self.thread.take() {
            // It looks at the flag at each part; what it has written is removed with its journal.
            drop(thread.join());
        }
    }
}

/// Copies the prefixes that count at this place of the file.
fn copy(dir: &Path, to: u64, give_up: &AtomicBool) -> io::Result<Journal> {
    let mut parts = Parts::between(dir, Parts::FIRST, to)?;
    let next = |parts: &mut Parts| -> io::Result<Option<FrontierChange>> {
        if give_up.load(Relaxed) {
            return Err(io::Error::other("it is not wanted any more"));
        }
        let part = parts.part()?;
        let read = |part: Vec<u8>| postcard::from_bytes(&part).map_err(io::Error::other);
        part.map(read).transpose()
    };
    // By its number, the part that has it.
    let mut counts: FxHashMap<u64, u32> = FxHashMap::default();
    let mut number = 0;
    while let Some(change) = next(&mut parts)? {
        for key in change.gone {
            counts.remove(&key);
        }
        counts.extend(change.new.iter().map(|&(key, _)| (key, number)));
        number += 1;
    }
    let mut parts = Parts::between(dir, Parts::FIRST, to)?;
    let mut journal = Journal::create(dir)?;
    let mut writer = ChangeWriter::default();
    let mut number = 0;
    while let Some(change) = next(&mut parts)? {
        for (key, prefix) in &change.new {
            if counts.get(key) == Some(&number) {
                writer.add(*key, prefix);
            }
            if writer.is_full() {
                journal.add(writer.take())?;
            }
        }
        number += 1;
    }
    journal.add(writer.take())?;
    Ok(journal)
}
