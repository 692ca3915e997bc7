//! What a run of a Java program has reached and what it has yet to explore: the content of its `frontier.bin`.

use super::super::explored::Explored;
use super::super::record::{Recorded, Recorder};
use super::Program;
use crate::session::jobs::checkpoint::{read_pieces, read_rest, write_pieces};
use crate::session::jobs::keeper::Left;
use crate::session::jobs::link::bytes;
use host::shelf::{Piece, Shelf};
use jvm::{Info, Places, Totals};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use testcase::frontier::{Journal, Kept, Written};

/// The version of its form; those of C programs have smaller numbers.
const FORMAT: u32 = 0x4a00_0002;

/// See the module.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The version of its form.
    format: u32,
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
        journal.commit(&bytes(&self))
    }
}

impl Checkpoint {
    /// Where a run is: what is left, and what was found before.
    pub fn of(
        program: &Program,
        recorder: &Recorder,
        places: &Places,
        left: Vec<Arc<Piece>>,
        (mut totals, explored): (Totals, Explored),
        rejected: Vec<String>,
    ) -> Checkpoint {
        let recorded = recorder.recorded(&totals);
        // The time of JVMs that still run is in what was recorded.
        totals.jvm_s = 0.0;
        Checkpoint {
            format: FORMAT,
            entry: program.entry.clone(),
            program: program.hash.clone(),
            parts: left,
            totals,
            explored,
            places: places.all().to_vec(),
            sources: places.sources().clone(),
            rejected,
            recorded,
            written: recorder.out.written(),
        }
    }

    /// What was written; what is left to explore goes on the shelf.
    ///
    /// # Errors
    /// It is of another version, or cannot be read.
    pub fn read(kept: Kept, shelf: &Shelf) -> anyhow::Result<Checkpoint> {
        let checkpoint: Checkpoint = read_rest(&kept, FORMAT)?;
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
