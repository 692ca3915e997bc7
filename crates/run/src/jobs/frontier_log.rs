//! The file `frontier.bin` while a run writes it: the changes of the frontier since the last record, and then the record.
//!
//! A record costs as much as the frontier has changed, whatever its size. When changes have made the file much larger than the
//! frontier, a thread copies what still counts into a new file ([`Compaction`]), and the log goes on there.

use super::compaction::Compaction;
use super::link::bytes;
use explore::Places;
use host::shelf::{Piece, Shelf};
use serde::{Deserialize, Serialize};
use serde_bytes::{ByteBuf, Bytes};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use testcase::frontier::{Journal, Kept};

/// Bytes of prefixes in one part, about.
const PART: usize = 1 << 18;
/// From so many bytes on, what counts is copied into a new file when it is only this part of the prefixes.
const LARGE: u64 = 64 << 20;
const GROWN: u64 = 4;

/// Between two records, at least and at most, and the part of the processor time that they are to take.
const PAUSE: Duration = Duration::from_secs(1);
const MOST_PAUSE: Duration = Duration::from_secs(2);
const SHARE: u32 = 50;

/// The time until the next record after one that took so much. It is not much longer after one that took long: what a record takes
/// grows with the changes since the last one, so waiting longer makes the next one dearer and spares nothing.
pub fn pause(took: Duration) -> Duration {
    (took * SHARE).clamp(PAUSE, MOST_PAUSE)
}

/// A change of the frontier, as it is read; each prefix has a number. [`ChangeWriter`] writes it.
#[derive(Deserialize)]
pub(super) struct FrontierChange {
    pub gone: Vec<u64>,
    pub new: Vec<(u64, ByteBuf)>,
}

/// A change of the frontier that is being put together. A run reports thousands of prefixes a second, so they are encoded as they
/// come, and the memory is used again for the next part.
#[derive(Default)]
pub(super) struct ChangeWriter {
    gone: Vec<u64>,
    /// The number of new prefixes, and each with its number, encoded.
    count: usize,
    new: Vec<u8>,
    /// The bytes of all of it.
    whole: Vec<u8>,
}

impl ChangeWriter {
    pub fn add(&mut self, key: u64, prefix: &[u8]) {
        self.count += 1;
        encode(&(key, Bytes::new(prefix)), &mut self.new);
    }

    /// Is it as large as a part is to be?
    pub fn is_full(&self) -> bool {
        self.new.len() > PART
    }

    /// Its bytes; it is empty afterwards.
    pub fn take(&mut self) -> &[u8] {
        self.whole.clear();
        encode(&self.gone, &mut self.whole);
        // A list begins with its length.
        encode(&self.count, &mut self.whole);
        self.whole.extend(&self.new);
        self.gone.clear();
        self.new.clear();
        self.count = 0;
        &self.whole
    }
}

fn encode(value: &impl Serialize, to: &mut Vec<u8>) {
    *to = postcard::to_extend(value, std::mem::take(to)).expect("plain values can be written");
}

/// See the module. After an error it must not be used any more; the last record still counts.
pub struct FrontierLog {
    dir: PathBuf,
    journal: Journal,
    change: ChangeWriter,
    /// Prefixes in the file, and how many of them count.
    written: u64,
    open: u64,
    /// The same of what the thread copies.
    copied: (u64, u64),
    /// Bytes up to which it may grow, however few prefixes count.
    large: u64,
    compaction: Option<Compaction>,
}

impl FrontierLog {
    /// An empty one, which replaces the file in this directory at its first record.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn create(dir: &Path) -> io::Result<FrontierLog> {
        Ok(FrontierLog {
            dir: dir.to_owned(),
            journal: Journal::create(dir)?,
            change: ChangeWriter::default(),
            written: 0,
            open: 0,
            copied: (0, 0),
            large: LARGE,
            compaction: None,
        })
    }

    /// Adds a prefix.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn add(&mut self, key: u64, prefix: &[u8]) -> io::Result<()> {
        self.change.add(key, prefix);
        self.written += 1;
        self.open += 1;
        if self.change.is_full() {
            self.end()
        } else {
            Ok(())
        }
    }

    /// Removes prefixes that were there at the last record.
    pub fn remove(&mut self, keys: Vec<u64>) {
        self.open = self.open.saturating_sub(keys.len() as u64);
        self.change.gone.extend(keys);
    }

    fn end(&mut self) -> io::Result<()> {
        self.journal.add(self.change.take())
    }

    /// Records that the frontier is what was added and not removed, with these bytes for all of it.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn record(&mut self, rest: &[u8]) -> io::Result<()> {
        self.end()?;
        self.take_over()?;
        self.journal.commit(rest)?;
        let is_large = self.journal.bytes() > self.large && self.written > GROWN * self.open;
        if is_large && self.compaction.is_none() {
            self.copied = (self.written, self.open);
            // If there can be no more threads now, the next record tries it.
            self.compaction = Compaction::begin(&self.dir, self.journal.bytes()).ok();
        }
        Ok(())
    }

    /// Goes on in the file with what counts, if that has been copied.
    fn take_over(&mut self) -> io::Result<()> {
        let Some(compaction) = self.compaction.take_if(|c| c.is_over()) else {
            return Ok(());
        };
        self.journal.flush()?;
        match compaction.finish(self.journal.bytes()) {
            Ok(journal) => {
                let (written, open) = self.copied;
                self.written -= written - open;
                self.journal = journal;
            }
            // The file as it is counts on. If the disk is full, it refuses the next record, too; else the file is copied when it has
            // grown to twice its size.
            Err(_) => self.large = 2 * self.journal.bytes(),
        }
        Ok(())
    }

    /// Writes news about places, which count until the next record.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn note(&mut self, news: &Places) -> io::Result<()> {
        self.journal.note(&bytes(news))
    }
}

/// Reads the prefixes of a frontier; they go on the shelf.
///
/// # Errors
/// They cannot be read.
pub fn read(mut kept: Kept, shelf: &Shelf) -> anyhow::Result<Vec<Arc<Piece>>> {
    let mut pieces = BTreeMap::new();
    while let Some(part) = kept.part()? {
        let change: FrontierChange = postcard::from_bytes(&part)?;
        for key in change.gone {
            pieces.remove(&key);
        }
        let piece = |bytes: ByteBuf| Arc::new(shelf.put(bytes.into_vec()));
        let new = change.new.into_iter();
        pieces.extend(new.map(|(key, bytes)| (key, piece(bytes))));
    }
    Ok(pieces.into_values().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::time::Instant;
    use testcase::frontier;
    use testkit::Random;

    /// The frontier as the file has it, by its contents, and the record.
    fn kept(dir: &Path) -> (Vec<Vec<u8>>, Vec<u8>) {
        let kept = frontier::read(dir).unwrap().expect("a frontier");
        let rest = kept.rest.clone();
        let pieces = read(kept, &Shelf::in_memory()).unwrap();
        let bytes = |piece: Arc<Piece>| piece.read().unwrap().into_owned();
        (pieces.into_iter().map(bytes).collect(), rest)
    }

    /// Whatever is added and removed, and whenever a thread copies what counts, the file has the frontier of its last record.
    #[test]
    fn records_are_the_frontier_while_the_file_is_copied() {
        let dir = tempfile::tempdir().unwrap();
        let mut random = Random::new(7);
        let mut log = FrontierLog::create(dir.path()).unwrap();
        log.large = 1 << 16;
        let (mut now, mut next, mut copies, mut last) = (BTreeMap::new(), 0, 0, 0);
        let end = Instant::now() + Duration::from_secs(120);
        while copies < 5 && Instant::now() < end {
            let gone = now.keys().copied().filter(|_| random.below(3) == 0);
            let gone: Vec<u64> = gone.collect();
            gone.iter().for_each(|key| drop(now.remove(key)));
            log.remove(gone);
            for _ in 0..random.below(300) {
                let prefix = vec![next as u8; 1 + random.index(200)];
                log.add(next, &prefix).unwrap();
                now.insert(next, prefix);
                next += 1;
            }
            if random.below(4) == 0 {
                log.note(&Places::default()).unwrap();
            }
            let rest = next.to_le_bytes();
            log.record(&rest).unwrap();
            let (prefixes, record) = kept(dir.path());
            assert_eq!(record, rest);
            assert!(prefixes.iter().eq(now.values()), "record {next}");
            copies += u32::from(log.journal.bytes() < last);
            last = log.journal.bytes();
        }
        assert_eq!(copies, 5, "the file was not copied in time");
        drop(log);
        let left = std::fs::read_dir(dir.path()).unwrap().count();
        assert!(left <= 2, "a copy stays behind");
    }
}
