//! What a run of a Java program has reached and what it has yet to explore: the content of its `frontier.bin`.

use super::super::explored::Explored;
use super::super::record::Recorded;
use crate::session::jobs::checkpoint::{OTHER, read_pieces, write_pieces};
use crate::session::jobs::keeper::Left;
use crate::session::jobs::link::bytes;
use anyhow::{Context, ensure};
use host::shelf::{Piece, Shelf};
use jvm::{Info, Places, Totals};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use testcase::frontier::{Journal, Kept, Written};

/// The version of its form; those of C programs have smaller numbers.
const FORMAT: u32 = 0x4a00_0001;

/// See the module.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The version of its form; set when it is written.
    pub(super) format: u32,
    /// The entry point, and the hash of the program's classes.
    pub entry: String,
    pub program: String,
    /// What is left to explore; written apart.
    #[serde(skip)]
    pub parts: Vec<Arc<Piece>>,
    /// The numbers so far, without what is left.
    pub totals: Totals,
    pub explored: Explored,
    /// What is known of places, and of source files by their classes.
    pub places: Vec<Info>,
    pub sources: BTreeMap<String, String>,
    /// Queries that the solver answered with a wrong model.
    pub rejected: Vec<String>,
    /// What was recorded, and what of that is written.
    pub recorded: Recorded,
    pub written: Written,
}

impl Left for Checkpoint {
    fn write(mut self, journal: &mut Journal, revoked: &dyn Fn() -> bool) -> io::Result<()> {
        write_pieces(std::mem::take(&mut self.parts), journal, revoked)?;
        self.format = FORMAT;
        journal.commit(&bytes(&self))
    }
}

impl Checkpoint {
    /// What was written; what is left to explore goes on the shelf.
    ///
    /// # Errors
    /// It is of another version, or cannot be read.
    pub fn read(kept: Kept, shelf: &Shelf) -> anyhow::Result<Checkpoint> {
        let (format, _) = postcard::take_from_bytes::<u32>(&kept.rest).context(OTHER)?;
        ensure!(format == FORMAT, OTHER);
        let checkpoint: Checkpoint = postcard::from_bytes(&kept.rest).context(OTHER)?;
        Ok(Checkpoint {
            parts: read_pieces(kept, shelf)?,
            ..checkpoint
        })
    }

    /// The places, with what is covered.
    pub fn places(&mut self) -> Places {
        let mut places = Places::default();
        for info in std::mem::take(&mut self.places) {
            let is_covered = info.covered;
            let number = places.take_in(info);
            if is_covered {
                places.cover(number);
            }
        }
        places.take_in_sources(std::mem::take(&mut self.sources));
        places
    }
}
