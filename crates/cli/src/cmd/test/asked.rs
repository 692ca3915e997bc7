//! What the command line asks for: targets of a `polypath.toml`, or libraries whose functions are the targets.

use super::Args;
use super::outline;
use crate::exit::UsageError;
use crate::project::{self, LibraryWish, NAME, Project};
use run::plan::{KeptTests, Named};
use std::path::{Path, PathBuf};

/// What is to be tested.
pub struct TestSubject {
    pub project: Project,
    /// The file, as messages name it; for libraries these.
    pub shown: PathBuf,
    /// The targets' names that were given; without one all are asked for.
    pub names: Vec<String>,
    /// They are functions of libraries.
    pub is_library: bool,
}

/// Reads it. Names in a file are relative to it: this process goes there.
///
/// # Errors
/// A file with mistakes, or none; a library without functions.
pub fn asked(args: &Args) -> anyhow::Result<TestSubject> {
    let libraries = libraries(args);
    let mut asked = if libraries.is_empty() {
        of_file(args)?
    } else {
        if args.resume && args.time.is_none() && args.cpu_time.is_none() {
            say::note("polypath: --resume: the budget counts anew");
        }
        let wish = LibraryWish {
            paths: libraries.iter().map(Path::new).collect(),
            headers: &args.headers,
            options: &args.options,
            write_tests: args.write_tests.map(KeptTests::name),
        };
        TestSubject {
            project: project::of_libraries(&wish)?,
            shown: PathBuf::from(
                libraries
                    .iter()
                    .map(|l| &l[..])
                    .collect::<Vec<_>>()
                    .join(" "),
            ),
            names: Vec::new(),
            is_library: true,
        }
    };
    if !asked.is_library && !args.headers.is_empty() {
        let why = "--header: says which functions of a library are tested, and no library is named";
        return Err(UsageError(why.into()).into());
    }
    if !asked.is_library && args.write_tests.is_some() {
        let why = "--write-tests: writes tests of a library's functions, and no library is named (in polypath.toml it is an \
                   option of a target with `entry`)";
        return Err(UsageError(why.into()).into());
    }
    let others = args.targets.iter().filter(|t| !libraries.contains(t));
    asked.names = others.cloned().collect();
    if let Some(out) = &args.out {
        asked.project.out = out.clone();
    }
    Ok(asked)
}

/// Of the arguments, those that are libraries: what stands there as a file or directory, unless a target has the name. With a slash
/// it is never a target.
fn libraries(args: &Args) -> Vec<&String> {
    let mut there: Vec<&String> = args
        .targets
        .iter()
        .filter(|t| Path::new(t).exists())
        .collect();
    if there.iter().any(|t| !t.contains('/')) {
        // (What is wrong with the file is told when it is asked for.)
        let file = find(args.file.as_deref()).ok();
        let text = file.and_then(|file| std::fs::read_to_string(file).ok());
        let project = text.and_then(|text| project::read(&text).ok());
        let is_target = |name: &str| {
            let mut targets = project.iter().flat_map(|p| &p.targets);
            targets.any(|t| t.name == name)
        };
        there.retain(|t| t.contains('/') || !is_target(t));
    }
    there
}

fn of_file(args: &Args) -> anyhow::Result<TestSubject> {
    let file = find(args.file.as_deref())?;
    let text = std::fs::read_to_string(&file)
        .map_err(|e| UsageError(format!("{}: {e}", file.display())))?;
    let shown = super::shown(&file);
    let project = project::read(&text).map_err(|faults| project::usage(&shown, &faults))?;
    if let Some(directory) = file.parent() {
        std::env::set_current_dir(directory)
            .map_err(|e| UsageError(format!("{}: {e}", directory.display())))?;
    }
    Ok(TestSubject {
        project,
        shown,
        names: Vec::new(),
        is_library: false,
    })
}

/// The file, absolute.
fn find(named: Option<&Path>) -> anyhow::Result<PathBuf> {
    if let Some(file) = named {
        return file
            .canonicalize()
            .map_err(|e| UsageError(format!("{}: {e}", file.display())).into());
    }
    let here = std::env::current_dir()?;
    let mut above = here.ancestors().map(|dir| dir.join(NAME));
    above.find(|file| file.is_file()).ok_or_else(|| {
        let why = format!(
            "there is no {NAME} in {} or above it; `polypath test LIB.a` tests the functions of a library without one, and \
             `polypath test --init` writes one to begin with:\n\n{}",
            here.display(),
            outline::TEXT
        );
        UsageError(why).into()
    })
}
