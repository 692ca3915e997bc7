//! The plan of a run of a Java program.

use crate::exit::UsageError;
use jvm::{Lengths, MainInput};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;
use testcase::java::Method;
use testcase::java::junit::Version;

/// Bytes of disk for parts of the frontier that do not fit into memory.
pub(crate) const DISK: u64 = 4 << 30;

/// See the module.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Java {
    /// The class path as the user named it.
    pub named: String,
    /// Directories and archives with the program's classes, absolute.
    pub class_path: Vec<PathBuf>,
    /// The hash of the program's classes.
    pub hash: String,
    /// The method to explore, as the user names it. `None`: the method main of a whole program, until it is known which.
    pub entry: Option<String>,
    /// The inputs of a whole program.
    pub whole: Option<MainInput>,
    /// The class whose method main is run, if the user names it.
    pub main: Option<String>,
    /// The method under test, once the driver has reported it.
    pub method: Option<Method>,
    /// The fewest and the most elements of an array or characters of a string that is a parameter. `None`: from none to a bound that grows.
    pub array_len: Option<(u32, u32)>,
    /// Where that ends for arrays and collections.
    pub array_max: u32,
    /// And for strings.
    pub string_max: u32,
    /// The most characters of a string that the program asks for. `None`: a few, and the run claims nothing of them.
    pub string_len: Option<u16>,
    /// Exceptions that are no errors.
    pub expect: Vec<String>,
    /// The only kinds of errors.
    pub check: Vec<String>,
    /// The directories of sources.
    pub source_path: Vec<PathBuf>,
    /// Wall-clock time of one execution.
    pub run_time: Duration,
    /// Instructions of one execution.
    pub run_steps: u64,
    /// Heap of each JVM in MiB.
    pub heap_mb: u64,
    /// The JUnit that tests are written for, or `none`.
    pub junit: String,
    /// The file for the violation witness of the first error.
    pub witness: Option<PathBuf>,
}

impl Java {
    /// The method that is explored.
    ///
    /// # Errors
    /// It is not known yet.
    pub fn entry(&self) -> anyhow::Result<&str> {
        let entry = self.entry.as_deref();
        entry.ok_or_else(|| anyhow::anyhow!("the run has no entry point"))
    }

    /// The method under test.
    ///
    /// # Errors
    /// The run did not come so far that it was known.
    pub fn method(&self) -> anyhow::Result<&Method> {
        let method = self.method.as_ref();
        method.ok_or_else(|| {
            anyhow::anyhow!("the plan in info.json has no method: the run did not begin")
        })
    }

    /// Takes over the driver's facts about the entry point.
    ///
    /// # Errors
    /// They are in another form.
    pub fn learn(&mut self, facts: &BTreeMap<String, String>) -> anyhow::Result<()> {
        use anyhow::Context;
        let facts = serde_json::to_value(facts)?;
        let method =
            serde_json::from_value(facts).context("the driver's description of the method")?;
        self.method = Some(method);
        Ok(())
    }

    /// How long arrays, strings and collections may be.
    pub fn bounds(&self) -> Lengths {
        /// Bounds begin with that.
        const FIRST: u32 = 4;
        let growing = Lengths {
            least: 0,
            first: FIRST.min(self.array_max.max(self.string_max)),
            arrays: self.array_max,
            strings: self.string_max,
        };
        self.array_len.map_or(growing, |(least, most)| Lengths {
            least,
            first: most,
            arrays: most,
            strings: most,
        })
    }

    /// The limits of a claim over input whose length we choose, of which the longest bound was this.
    pub fn lengths(&self, reached: &str) -> String {
        let asked = self.string_len.map_or(String::new(), |n| {
            format!(", strings that it asks for up to {n} characters (--string-len)")
        });
        let by = match self.array_len {
            Some(_) => "--array-len",
            None => "--array-max, --string-max",
        };
        format!("arrays, strings and collections have up to {reached} elements ({by}){asked}")
    }

    /// The JUnit that tests are written for, if they are.
    ///
    /// # Errors
    /// There is no such one.
    pub fn junit(&self) -> Result<Option<Version>, UsageError> {
        if self.junit == "none" {
            return Ok(None);
        }
        let version = Version::by_name(&self.junit);
        let version = version.map_err(|e| UsageError(format!("--junit {}: {e}", self.junit)))?;
        Ok(Some(version))
    }
}
