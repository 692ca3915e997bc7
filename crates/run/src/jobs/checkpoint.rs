//! The results and the frontier of a run: the content of `frontier.bin`.
//!
//! It is written as a list of changes of the frontier ([`Parts`]), and a record for all of them ([`Checkpoint`]).

use super::keeper::Left;
use crate::record::Finding;
use anyhow::{Context, ensure};
use explore::{Place, Places, Totals};
use host::shelf::{Piece, Shelf};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use testcase::frontier::{Journal, Kept, Written};
use vocab::Bound;

/// The version of its form.
const FORMAT: u32 = 9;
/// Bytes of prefixes in one part, about.
const PART: usize = 1 << 18;

/// See the module.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The version of its form; set when it is written.
    pub format: u32,
    /// The hash of the program.
    pub program: String,
    /// The frontier; written separately.
    #[serde(skip)]
    pub prefixes: Vec<Arc<Piece>>,
    /// The numbers so far, without the frontier.
    pub totals: Totals,
    /// The known places, and those that are covered.
    pub places: Places,
    /// Places that the scout has covered.
    pub scouted: Vec<Place>,
    /// Instructions at which an assumption held, and those at which one failed and none has held.
    pub held: Vec<u32>,
    pub unmet: Vec<(u32, Finding)>,
    /// Objects that the driver of a function made up.
    pub invented: Vec<(String, String)>,
    /// Limits of the claim that were known before the run.
    pub limits: BTreeMap<Bound, String>,
    /// Findings that are not written yet.
    pub unwritten: Vec<Finding>,
    /// The number of the next test, and the results written so far.
    pub next_test: u32,
    pub written: Written,
    /// How long the run has taken so far, in seconds, and its processor time.
    pub wall_s: f64,
    pub cpu_s: f64,
}

impl Left for Checkpoint {
    fn write(mut self, journal: &mut Journal, revoked: &dyn Fn() -> bool) -> io::Result<()> {
        write_pieces(std::mem::take(&mut self.prefixes), journal, revoked)?;
        self.commit(journal)
    }
}

/// Writes the frontier, unless that is revoked meanwhile.
///
/// # Errors
/// It cannot be written, or was revoked.
pub fn write_pieces(
    pieces: Vec<Arc<Piece>>,
    journal: &mut Journal,
    revoked: &dyn Fn() -> bool,
) -> io::Result<()> {
    let mut parts = Parts::of(journal);
    for (key, piece) in (0..).zip(pieces) {
        if revoked() {
            return Err(io::Error::other("not wanted any more"));
        }
        parts.left(key, piece.read()?.into_owned())?;
    }
    parts.end()
}

const OTHER: &str = "the frontier was written by another version of polypath";

/// Reads what belongs to all of it, which begins with the version of its form.
///
/// # Errors
/// It is of another version, or cannot be read.
pub fn read_rest<Rest: DeserializeOwned>(kept: &Kept, format: u32) -> anyhow::Result<Rest> {
    let (written, _) = postcard::take_from_bytes::<u32>(&kept.rest).context(OTHER)?;
    ensure!(written == format, OTHER);
    postcard::from_bytes(&kept.rest).context(OTHER)
}

/// Reads the frontier; it goes on the shelf.
///
/// # Errors
/// It is of another version, or cannot be read.
pub fn read_pieces(mut kept: Kept, shelf: &Shelf) -> anyhow::Result<Vec<Arc<Piece>>> {
    let mut pieces = BTreeMap::new();
    while let Some(part) = kept.part()? {
        let part: FrontierChange = postcard::from_bytes(&part).context(OTHER)?;
        for key in part.gone {
            pieces.remove(&key);
        }
        let piece = |bytes: ByteBuf| Arc::new(shelf.put(bytes.into_vec()));
        let new = part.new.into_iter();
        pieces.extend(new.map(|(key, bytes)| (key, piece(bytes))));
    }
    Ok(pieces.into_values().collect())
}

impl Checkpoint {
    /// Commits the changes written so far: they are the frontier now.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn commit(mut self, journal: &mut Journal) -> io::Result<()> {
        self.format = FORMAT;
        // That time is in the run's.
        self.totals.children = explore::Children::default();
        journal.commit(&super::link::bytes(&self))
    }

    /// Reads a checkpoint; the frontier goes on the shelf.
    ///
    /// # Errors
    /// It is of another version, or cannot be read.
    pub fn read(kept: Kept, shelf: &Shelf) -> anyhow::Result<Checkpoint> {
        let checkpoint: Checkpoint = read_rest(&kept, FORMAT)?;
        Ok(Checkpoint {
            prefixes: read_pieces(kept, shelf)?,
            ..checkpoint
        })
    }
}

/// Changes of the frontier; each prefix has a number.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct FrontierChange {
    gone: Vec<u64>,
    new: Vec<(u64, ByteBuf)>,
}

/// Writes changes of the frontier.
pub struct Parts<'a> {
    journal: &'a mut Journal,
    part: FrontierChange,
    size: usize,
}

impl Parts<'_> {
    pub fn of(journal: &mut Journal) -> Parts<'_> {
        Parts {
            journal,
            part: FrontierChange::default(),
            size: 0,
        }
    }

    /// This is left to explore, too.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn left(&mut self, key: u64, prefix: Vec<u8>) -> io::Result<()> {
        self.size += prefix.len();
        self.part.new.push((key, prefix.into()));
        if self.size > PART {
            self.end()?;
        }
        Ok(())
    }

    /// These are left no longer.
    pub fn gone(&mut self, keys: Vec<u64>) {
        self.part.gone = keys;
    }

    /// Writes the buffered changes.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn end(&mut self) -> io::Result<()> {
        self.size = 0;
        self.journal
            .add(&super::link::bytes(&std::mem::take(&mut self.part)))
    }
}
