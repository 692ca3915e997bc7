//! `polypath report`: the findings of a run, for people (HTML) and for tools.
//!
//! * `report.html`: one static page without network access;
//! * `lcov.info`: line and branch coverage (genhtml, editors, coverage services);
//! * `report.sarif`: errors as SARIF 2.1.0 (code hosts, editors);
//! * `junit.xml`: tests as JUnit cases (build servers);
//! * `jacoco.xml`: line coverage of a Java run (build servers).

mod chart;
mod dump;
mod errors;
mod files;
mod jacoco;
mod junit;
mod later;
mod lcov;
mod page;
mod parts;
mod pruning;
mod sarif;
mod source;
mod tests;
pub(crate) mod text;
mod view;

use crate::coverage::Coverage;
use crate::disk;
use crate::read::Run;
use crate::replay::ExitSummary;
use anyhow::{Context, Result};
use parts::OneRun;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub use source::Sources;

/// The files written.
#[derive(Clone, Debug)]
pub struct Written {
    /// The page.
    pub html: PathBuf,
    /// All files, the page first.
    pub files: Vec<PathBuf>,
    /// Parts of the run that could not be read.
    pub problems: Vec<String>,
}

/// Writes all reports into the run's directory.
pub fn run(dir: &Path) -> Result<Written> {
    let mut run = Run::outline_within(dir, tests::SHOWN, TESTS_BYTES)?;
    let replay = read_replay(&mut run);
    let program = run.info.as_ref().map(|i| PathBuf::from(&i.program));
    let mut sources = Sources::new(program.as_deref());
    let alone = [OneRun {
        name: None,
        run: &run,
        replay: replay.as_ref(),
    }];
    let mut outputs = vec![
        (
            "report.html",
            page::page(&run, replay.as_ref(), &mut sources, false),
        ),
        (LCOV, lcov::lcov(run.coverage.as_ref())),
        (SARIF, sarif::sarif(&alone)),
        (JUNIT, junit::junit(&alone)),
    ];
    outputs.extend(jacoco::jacoco(&run).map(|text| ("jacoco.xml", text)));
    let mut files = Vec::new();
    for (name, text) in outputs {
        let path = run.dir.join(name);
        disk::write_atomic(&path, text.as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))?;
        files.push(path);
    }
    Ok(Written {
        html: files[0].clone(),
        files,
        problems: run.problems,
    })
}

/// The page of a run as it is now; nothing is written. While the run goes on, the page renews itself.
///
/// # Errors
/// The directory is none of a run.
pub fn now(dir: &Path, goes_on: bool) -> Result<String> {
    let mut run = Run::outline_within(dir, tests::SHOWN, TESTS_BYTES)?;
    let replay = read_replay(&mut run);
    let program = run.info.as_ref().map(|i| PathBuf::from(&i.program));
    let mut sources = Sources::new(program.as_deref());
    Ok(page::page(&run, replay.as_ref(), &mut sources, goes_on))
}

/// Bytes of input and output of the tests that the page shows: more than it has of 10,000 tests that are not unusually large.
const TESTS_BYTES: usize = 128 << 20;

const SARIF: &str = "report.sarif";
const JUNIT: &str = "junit.xml";
const LCOV: &str = "lcov.info";

/// Writes the findings of several runs as one SARIF and one JUnit document, and what they covered together as one `lcov.info`, into a
/// directory; each run has the name of its directory there. A bug that several runs show is one result.
///
/// # Errors
/// A file cannot be written.
pub fn together(dir: &Path, runs: &mut [(&str, &mut Run)]) -> Result<Coverage> {
    let replays: Vec<Option<ExitSummary>> =
        runs.iter_mut().map(|(_, run)| read_replay(run)).collect();
    let parts: Vec<OneRun<'_>> = runs
        .iter()
        .zip(&replays)
        .map(|((name, run), replay)| OneRun {
            name: Some(name),
            run,
            replay: replay.as_ref(),
        })
        .collect();
    let mut coverage = Coverage::default();
    for part in &parts {
        part.run.coverage.iter().for_each(|c| coverage.merge(c));
    }
    for (name, text) in [
        (SARIF, sarif::sarif(&parts)),
        (JUNIT, junit::junit(&parts)),
        (LCOV, lcov::lcov(Some(&coverage))),
    ] {
        let path = dir.join(name);
        disk::write_atomic(&path, text.as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(coverage)
}

/// The results of `polypath replay`, if it was run.
fn read_replay(run: &mut Run) -> Option<ExitSummary> {
    let result = match fs::read(run.dir.join("replay.json")) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|e| e.to_string()),
        Err(e) if e.kind() == io::ErrorKind::NotFound => return None,
        Err(e) => Err(e.to_string()),
    };
    result
        .map_err(|e| run.problems.push(format!("replay.json: {e}")))
        .ok()
}
