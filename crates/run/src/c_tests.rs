//! `--write-tests c`: what the tests of a function as C are made of. `testcase::ctest` writes them when the run ends.

use crate::exit::UsageError;
use crate::harness::Scratch;
use crate::library::user_header;
use crate::plan::EntryPlan;
use anyhow::Context;
use harness::Description;
use harness::test_source::SeenHeader;
use std::path::{Path, PathBuf};
use std::process::Command;
use testcase::ctest::{PublicHeader, TestedFunction};
use toolchain::headers::UserHeader;

/// Why tests declare what they call themselves.
const NO_HEADER: &str = "no header that the library's sources include declares the function";

/// The header as drivers ask for it.
struct AsSeen<'a>(&'a UserHeader);

impl SeenHeader for AsSeen<'_> {
    fn declares(&self, function: &str) -> bool {
        self.0.declares(function)
    }

    fn has(&self, file: &str) -> bool {
        self.0.has(Path::new(file))
    }
}

/// What the tests of a described function are made of. If a compiler is there, it is asked whether they compile with the header that
/// declares the function, and if they do not, they go without.
///
/// # Errors
/// No other file can call the function.
pub(crate) fn of(
    entry: &EntryPlan,
    library: &Description,
    scratch: &Scratch,
    progress: &mut dyn FnMut(&str),
) -> anyhow::Result<TestedFunction> {
    let function = &library.entry.name;
    let header = user_header(&entry.library, &entry.cc_flags, function, progress)?;
    let options = entry.parameters.driver_options(true)?;
    let seen = header.as_ref().map(AsSeen);
    let seen = seen.as_ref().map(|seen| seen as &dyn SeenHeader);
    let source = harness::test_source::write(library, &options, seen)
        .map_err(|why| UsageError(format!("--write-tests: {why}")))?;
    let libraries = std::iter::once(&entry.library).chain(&entry.parameters.with);
    let libraries: Result<Vec<PathBuf>, _> = libraries.map(std::path::absolute).collect();
    let has_header = !source.behind_header.is_empty();
    let header = header.filter(|_| has_header);
    let name = header.as_ref().map(|h| name(&h.file));
    let directories = header.map_or(Vec::new(), |h| h.directories);
    let mut tested = TestedFunction {
        function: function.clone(),
        source,
        header: name.map(|name| PublicHeader {
            name,
            directories: directories.clone(),
        }),
        without_header: None,
        libraries: libraries.context("no working directory")?,
        flags: entry.cc_flags.clone(),
    };
    let Some(compiler) = toolchain::tools::find_program("cc") else {
        progress(
            "note: --write-tests: there is no `cc` here, so nobody has seen whether the tests compile",
        );
        return Ok(tested);
    };
    if tested.header.is_none() {
        progress(&format!("note: --write-tests: {NO_HEADER}"));
    }
    // Most headers need no other directory than their own, and there may be others that only the library's sources should see.
    let mut reasons = Vec::new();
    for count in [1.min(directories.len()), directories.len()] {
        if let Some(header) = &mut tested.header {
            header.directories = directories[..count].to_vec();
        }
        match compiles(&compiler, &tested, scratch)? {
            Ok(()) => return Ok(tested),
            Err(why) => reasons.push(why),
        }
    }
    let why = reasons.into_iter().next().unwrap_or_else(String::new);
    let Some(header) = &tested.header else {
        progress(&format!(
            "note: --write-tests: the tests do not compile here: {why}"
        ));
        return Ok(tested);
    };
    let why = format!("with {} it does not compile: {why}", header.name);
    progress(&format!("note: --write-tests: {why}"));
    tested.without_header = Some(why);
    if let Err(why) = compiles(&compiler, &tested, scratch)? {
        progress(&format!("note: --write-tests: nor without it: {why}"));
    }
    Ok(tested)
}

/// Asks a compiler whether the tests compile; the first of its errors if they do not.
fn compiles(
    compiler: &Path,
    tested: &TestedFunction,
    scratch: &Scratch,
) -> anyhow::Result<Result<(), String>> {
    let file = scratch.path("ctest.c");
    std::fs::write(&file, tested.without_tests())
        .with_context(|| format!("cannot write {}", file.display()))?;
    let directories = tested.directories();
    let mut command = Command::new(compiler);
    command
        .args(["-fsyntax-only", "-w"])
        .args(directories.iter().map(|dir| format!("-I{}", dir.display())))
        .args(&tested.flags)
        .arg(&file)
        .env("LC_ALL", "C");
    let done = host::child::output(&mut command)?;
    if done.status.success() {
        return Ok(Ok(()));
    }
    let said = String::from_utf8_lossy(&done.stderr);
    let error = said
        .lines()
        .find_map(|line| line.split_once("error: ").map(|(_, what)| what));
    Ok(Err(error.unwrap_or("the compiler says no reason").into()))
}

fn name(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}
