//! What ran, as plain values in `info.json`: replay reads these and parses no command line.

use super::options::RunArgs;
use anyhow::{Context, anyhow};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use testcase::RunInfo;
use testcase::java::Method;

/// A run of a Java program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plan {
    /// Directories and archives with the program's classes, absolute.
    pub class_path: Vec<PathBuf>,
    /// The method under test.
    pub method: Method,
    /// Heap of the JVM in MiB.
    pub heap_mb: u64,
    /// Where it was started.
    #[serde(default)]
    pub directory: PathBuf,
}

impl Plan {
    /// `facts` is what the driver says of the entry point.
    ///
    /// # Errors
    /// It says something else than we know.
    pub fn new(
        args: &RunArgs,
        class_path: &[PathBuf],
        facts: &BTreeMap<String, String>,
    ) -> anyhow::Result<Plan> {
        let facts = serde_json::to_value(facts)?;
        Ok(Plan {
            class_path: class_path.to_vec(),
            method: serde_json::from_value(facts).context("what the driver says of the method")?,
            heap_mb: args.heap,
            directory: std::env::current_dir()?,
        })
    }

    /// The plan of a run, from its record.
    ///
    /// # Errors
    /// There is none: the run did not begin, or another version wrote it.
    pub fn of(info: Option<&RunInfo>) -> anyhow::Result<Plan> {
        let info = info.context("the run does not say what was run (info.json)")?;
        let plan = info.plan.clone();
        let plan = plan.ok_or_else(|| anyhow!("the run's info.json has no plan"))?;
        serde_json::from_value(plan).context("the plan in info.json")
    }
}
