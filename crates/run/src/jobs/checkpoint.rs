//! The results and the frontier of a run: the content of `frontier.bin`.
//!
//! It is written as a list of changes of the frontier ([`super::frontier_log`]), and a record for all of them ([`Checkpoint`]).

use super::frontier_log;
use crate::record::Finding;
use anyhow::{Context, ensure};
use explore::{Place, Places, Totals};
use host::shelf::{Piece, Shelf};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use testcase::frontier::{Kept, Written};
use vocab::Bound;

/// The version of its form.
const FORMAT: u32 = 10;
const OTHER: &str = "the frontier was written by another version of polypath";

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
    /// Places that no path of this record has covered: the scout's, and those that were covered after an earlier record. A path
    /// that covers one of them is still the first to do so.
    pub seen: Vec<Place>,
    /// News about places that were written after the record.
    #[serde(skip)]
    pub news: Vec<Places>,
    /// Instructions at which an assumption held, and those at which one failed and none has held.
    pub held: Vec<u32>,
    pub unmet: Vec<(u32, Finding)>,
    /// What the driver of a function made up.
    pub invented: harness::Invented,
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

impl Checkpoint {
    /// Reads the record of a frontier; its prefixes go on the shelf.
    ///
    /// # Errors
    /// It is of another version, or cannot be read.
    pub fn read(mut kept: Kept, shelf: &Shelf) -> anyhow::Result<Checkpoint> {
        let (format, _) = postcard::take_from_bytes::<u32>(&kept.rest).context(OTHER)?;
        ensure!(format == FORMAT, OTHER);
        let mut checkpoint: Checkpoint = postcard::from_bytes(&kept.rest).context(OTHER)?;
        for news in std::mem::take(&mut kept.news) {
            let news: Places = postcard::from_bytes(&news).context(OTHER)?;
            checkpoint.seen.extend(&news.covered);
            checkpoint.news.push(news);
        }
        checkpoint.prefixes = frontier_log::read(kept, shelf).context(OTHER)?;
        Ok(checkpoint)
    }

    /// All news about places, from the first to the last.
    pub fn all_places(&self) -> impl Iterator<Item = Places> {
        let seen = Places::of(self.seen.clone());
        let news = self.news.iter().cloned();
        std::iter::once(self.places.clone())
            .chain(news)
            .chain([seen])
    }

    /// The record as bytes.
    pub fn into_bytes(mut self) -> Vec<u8> {
        self.format = FORMAT;
        // That time is in the run's.
        self.totals.children = explore::Children::default();
        super::link::bytes(&self)
    }
}
