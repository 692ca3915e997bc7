//! The coverage of a run's tests on a plain JVM, counted by JaCoCo.

use anyhow::{Context as _, Result, ensure};
use oracle::measure::measure;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use testcase::ExitKind;

/// JaCoCo as Debian packages it, and what it needs.
const JARS: [&str; 4] = ["org.jacoco.core", "asm", "asm-tree", "asm-commons"];
const SOURCE: &str = include_str!("Confirm.java");

/// The compiled program that makes the calls.
pub struct Confirmer {
    class_path: String,
}

impl Confirmer {
    /// Compiles it below a directory.
    ///
    /// # Errors
    /// JaCoCo is missing, or javac.
    pub fn new(out: &Path) -> Result<Confirmer> {
        let jars: Vec<PathBuf> = JARS
            .iter()
            .map(|jar| Path::new("/usr/share/java").join(format!("{jar}.jar")))
            .collect();
        ensure!(
            jars.iter().all(|jar| jar.is_file()),
            "JaCoCo is missing: apt-get install libjacoco-java"
        );
        let place = out.join("confirm");
        std::fs::create_dir_all(&place)?;
        let source = place.join("Confirm.java");
        std::fs::write(&source, SOURCE)?;
        let classes = std::path::absolute(&place)?;
        let class_path = std::env::join_paths(std::iter::once(&classes).chain(&jars))?;
        let class_path = class_path.to_string_lossy().into_owned();
        let mut command = Command::new("javac");
        command.args(["-nowarn", "-cp", &class_path, "-d"]);
        command.arg(&place).arg(&source);
        let output = command.output().context("cannot run javac")?;
        let words = String::from_utf8_lossy(&output.stderr);
        ensure!(
            output.status.success(),
            "Confirm.java does not compile: {words}"
        );
        Ok(Confirmer { class_path })
    }

    /// Instructions that the tests of this run cover and its first one does not. Those that did not come to an end are left out.
    ///
    /// # Errors
    /// The tests cannot be read, or the JVM fails.
    pub fn new_instructions(&self, program: &str, entry: &str, out: &Path) -> Result<f64> {
        let mut problems = Vec::new();
        let tests = testcase::read::tests(&out.join("tests"), &mut problems)?;
        let ended = |t: &&testcase::TestCase| !matches!(t.expected.exit, ExitKind::Killed(_));
        let mut list = String::new();
        for test in tests.iter().filter(ended) {
            let inputs = test.objects.iter();
            let mut inputs = inputs.filter(|(name, _)| !name.contains(".length"));
            let (_, bytes) = inputs.next().context("a test without input")?;
            bytes
                .iter()
                .for_each(|byte| write!(list, "{byte:02x}").expect("a string"));
            list.push('\n');
        }
        let file = out.join("inputs");
        std::fs::write(&file, list)?;
        let mut command = Command::new("java");
        command.args(["-Xss4m", "-ea", "-cp", &self.class_path, "Confirm", program]);
        command.arg(entry).arg(std::path::absolute(&file)?);
        command.current_dir(out);
        let usage = measure(&mut command, Duration::from_secs(300))?;
        let said = String::from_utf8_lossy(&usage.stdout);
        let numbers: Vec<f64> = said
            .split_whitespace()
            .filter_map(|n| n.parse().ok())
            .collect();
        match numbers[..] {
            [first, last] => Ok((last - first).max(0.0)),
            _ => anyhow::bail!("JaCoCo counts nothing: {}", usage.last_words()),
        }
    }
}
