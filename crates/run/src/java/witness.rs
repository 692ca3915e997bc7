//! `--witness FILE`: the way to the first error, in the form that validators of SV-COMP read. The values come from a
//! plain JVM that runs the error's test: if it does not confirm the error, no witness is written.

use super::plain::{How, on_plain_jvm};
use crate::plan::Java;
use anyhow::{Context, ensure};
use sha2::{Digest, Sha256};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, SystemTime};
use testcase::java::Method;
use testcase::java::replay::{Asked, asked};
use testcase::java::witness::{WitnessProgram, graphml};
use testcase::replay::Selection;
use testcase::{ErrorRecord, OutputDir, Run, test_name};

/// The longest that the error's test may take.
const TIME: Duration = Duration::from_secs(5);

/// Writes the witness, if there is an error. Returns the message for the user.
///
/// # Errors
/// A plain JVM does not confirm the error, or the file cannot be written.
pub fn write(file: &Path, out: &OutputDir, plan: &Java) -> anyhow::Result<String> {
    let errors = out.errors();
    let Some(error) = errors.iter().find(|e| e.kind.is_program_error()) else {
        return Ok("no error was found, so there is no witness".into());
    };
    let run = Run::read(out.path())?;
    let test = run.tests.iter().find(|t| test_name(t.id) == error.test);
    let test = test.context("the error has no test")?;
    let how = How {
        time: TIME,
        selection: Selection::default(),
        open: false,
        progress: &|_| {},
        stop: &AtomicBool::new(false),
    };
    let asked = on_plain_jvm(out.path(), plan, &how, |options| asked(options, test))?;
    let given = test.args.len() > 1 || test.stdin.is_some();
    ensure!(
        !asked.is_empty() || !given,
        "a witness has the values that a program asks for (Verifier.nondet…), and this one got others"
    );
    let text = text(error, plan.method()?, &asked);
    std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))?;
    Ok(format!("witness: {}", file.display()))
}

fn text(error: &ErrorRecord, method: &Method, asked: &[Asked]) -> String {
    let source = std::fs::read(&error.file);
    let hash = source.map(|bytes| format!("{:x}", Sha256::digest(bytes)));
    let time = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let program = WitnessProgram {
        file: &error.file,
        hash: &hash.unwrap_or_default(),
        class: &method.class,
        time: &time,
    };
    graphml(&program, error, asked)
}
