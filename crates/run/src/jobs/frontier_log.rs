//! The file `frontier.bin` while a run writes it: the changes of the frontier since the last record, and then the record.
//!
//! A record costs as much as the frontier has changed, whatever its size. When changes have made the file much larger than the
//! frontier, it is written anew.

use super::link::bytes;
use explore::Places;
use host::shelf::{Piece, Shelf};
use serde::{Deserialize, Serialize};
use serde_bytes::{ByteBuf, Bytes};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;
use testcase::frontier::{Journal, Kept};

/// Bytes of prefixes in one part, about.
const PART: usize = 1 << 18;
/// Bytes of the file from which on it is written anew when it has grown by this factor.
const LARGE: u64 = 64 << 20;
const GROWN: u64 = 4;

/// A change of the frontier, as it is read; each prefix has a number. [`ChangeWriter`] writes it.
#[derive(Deserialize)]
struct FrontierChange {
    gone: Vec<u64>,
    new: Vec<(u64, ByteBuf)>,
}

/// A change of the frontier that is being put together. A run reports thousands of prefixes a second, so they are encoded as they
/// come, and the memory is used again for the next part.
#[derive(Default)]
struct ChangeWriter {
    gone: Vec<u64>,
    /// The number of new prefixes, and each with its number, encoded.
    count: usize,
    new: Vec<u8>,
    /// The bytes of all of it.
    whole: Vec<u8>,
}

impl ChangeWriter {
    fn add(&mut self, key: u64, prefix: &[u8]) {
        self.count += 1;
        encode(&(key, Bytes::new(prefix)), &mut self.new);
    }

    /// Its bytes; it is empty afterwards.
    fn take(&mut self) -> &[u8] {
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
    journal: Journal,
    change: ChangeWriter,
    /// Bytes of the file at its first record.
    whole: u64,
    is_recorded: bool,
}

impl FrontierLog {
    /// An empty one, which replaces the file in this directory at its first record.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn create(dir: &Path) -> io::Result<FrontierLog> {
        Ok(FrontierLog {
            journal: Journal::create(dir)?,
            change: ChangeWriter::default(),
            whole: 0,
            is_recorded: false,
        })
    }

    /// Is it time to write the frontier anew?
    pub fn is_large(&self) -> bool {
        self.journal.bytes() > LARGE.max(GROWN * self.whole)
    }

    /// Adds a prefix.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn add(&mut self, key: u64, prefix: &[u8]) -> io::Result<()> {
        self.change.add(key, prefix);
        if self.change.new.len() > PART {
            self.end()
        } else {
            Ok(())
        }
    }

    /// Removes prefixes.
    pub fn remove(&mut self, keys: Vec<u64>) {
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
        self.journal.commit(rest)?;
        if !std::mem::replace(&mut self.is_recorded, true) {
            self.whole = self.journal.bytes();
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
