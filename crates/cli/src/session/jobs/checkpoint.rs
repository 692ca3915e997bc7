//! What a run has reached and what it has yet to explore: the content of `frontier.bin`.

use crate::session::record::Finding;
use anyhow::{Context, ensure};
use exec::Totals;
use fleet::Prefix;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::sync::Arc;
use testcase::frontier::Written;

/// The version of its form.
const FORMAT: u32 = 2;

/// See the module.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The version of its form; set when it is written.
    pub format: u32,
    /// The hash of the program.
    pub program: String,
    /// What is left to explore.
    pub prefixes: Vec<Arc<Prefix>>,
    /// The numbers so far, without what is left.
    pub totals: Totals,
    /// Sites that are covered.
    pub sites: Vec<ir::SiteId>,
    /// Instructions at which an assumption held, and those at which one failed and none has held.
    pub held: Vec<ir::Pc>,
    pub unmet: Vec<(ir::Pc, Finding)>,
    /// Objects that the driver of a function made up.
    pub invented: Vec<(String, String)>,
    /// What was found and is not written yet.
    pub unwritten: Vec<Finding>,
    /// The number of the next test, and what is written.
    pub next_test: u32,
    pub written: Written,
    /// How long the run has taken so far, in seconds, and its processor time.
    pub wall_s: f64,
    pub cpu_s: f64,
}

impl Checkpoint {
    /// Writes it as bytes.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn write(mut self, to: &mut dyn Write) -> io::Result<()> {
        self.format = FORMAT;
        postcard::to_io(&self, to).map_err(io::Error::other)?;
        Ok(())
    }

    /// From bytes.
    ///
    /// # Errors
    /// They are of another version.
    pub fn from_bytes(bytes: &[u8]) -> anyhow::Result<Checkpoint> {
        let (format, _) = postcard::take_from_bytes::<u32>(bytes).context("no frontier")?;
        ensure!(
            format == FORMAT,
            "the frontier was written by another version of polypath"
        );
        postcard::from_bytes(bytes)
            .context("the frontier was written by another version of polypath")
    }
}
