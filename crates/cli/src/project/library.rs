//! The second way to a project: no file names its targets, each public function of a library is one (`polypath test LIB.a`).

use super::{OUT, Project, Setting, Target};
use crate::budget::pay::Pay;
use crate::exit::UsageError;
use crate::options::{Value, Whose};
use run::library::{PublicFunctions, public_functions};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What is asked for of a library.
#[derive(Clone, Debug, Default)]
pub struct LibraryWish<'a> {
    /// Libraries, or directories in which they stand.
    pub paths: Vec<&'a Path>,
    /// Names of headers that declare the functions.
    pub headers: &'a [String],
    /// Options of `polypath run`, for all functions.
    pub options: &'a [String],
    /// The form in which their tests are written, too (`--write-tests`).
    pub write_tests: Option<&'a str>,
}

/// Makes a project of libraries: their public functions, in the order of what is likely to pay.
///
/// # Errors
/// A file cannot be read, or there are no functions.
pub fn of_libraries(wish: &LibraryWish<'_>) -> anyhow::Result<Project> {
    let libraries = libraries(&wish.paths)?;
    let mut found = Vec::new();
    let mut names = BTreeSet::new();
    for library in &libraries {
        let say = &mut |text: &str| say::err!("polypath: {text}");
        let public = public_functions(library, &cc_flags(wish.options), wish.headers, say)?;
        let variadic = public.functions.iter().filter(|f| f.is_variadic).count();
        say::note(&told(library, &public, variadic));
        let others: Vec<&PathBuf> = libraries.iter().filter(|l| *l != library).collect();
        for f in public.functions.into_iter().filter(|f| !f.is_variadic) {
            if names.insert(f.name.clone()) {
                let pay = Pay::of_c(f.takes_data, f.reach);
                let mut target = target(library, &f.name, &others);
                target.settings.extend(wish.write_tests.map(write_tests));
                found.push((pay, f.reach, target));
            }
        }
    }
    // What reaches more code finds more; else the order of the library.
    found.sort_by_key(|(pay, reach, _)| (*pay, std::cmp::Reverse(*reach)));
    if found.is_empty() {
        let shown: Vec<String> = libraries.iter().map(|l| l.display().to_string()).collect();
        let mut why = format!("{}: no public functions to explore", shown.join(", "));
        let is_native = |l: &&PathBuf| toolchain::compile::kind(l).is_none() && !has_bitcode(l);
        if libraries.iter().find(is_native).is_some() {
            why += " (it has no bitcode: build it by `polypath build -- make`)";
        }
        return Err(UsageError(why).into());
    }
    Ok(Project {
        out: OUT.into(),
        build: None,
        stale_fails: false,
        targets: found.into_iter().map(|(_, _, target)| target).collect(),
        suppressions: Vec::new(),
    })
}

/// What was taken for public, in words.
fn told(library: &Path, public: &PublicFunctions, variadic: usize) -> String {
    let count = public.functions.len() - variadic;
    let mut text = format!("polypath: {}: {count} public functions", library.display());
    text += &match &public.header {
        _ if public.without_headers => {
            ": no header was found, all with external linkage count".to_string()
        }
        Some(header) => format!(", by {header}"),
        None => ", by the headers that its sources include".to_string(),
    };
    if let n @ 1.. = public.undeclared.len() {
        let (others, are) = if n == 1 {
            ("other", "is")
        } else {
            ("others", "are")
        };
        text += &format!("; {n} {others} {are} left out (--header NAME.h: what that declares)");
    }
    if variadic > 0 {
        text += &format!("; {variadic} with variable arguments are left out, no driver calls them");
    }
    text
}

/// A function as a target.
fn target(library: &Path, function: &str, others: &[&PathBuf]) -> Target {
    let setting = |name: &str, value: Value| Setting {
        name: name.into(),
        value,
        line: 0,
    };
    let mut settings = vec![
        setting("entry", Value::Word(function.into())),
        // Of paths that differ in nothing that anybody has seen before there are many.
        setting("tests", Value::Word("new".into())),
    ];
    if !others.is_empty() {
        let others = others.iter().map(|o| Value::Word(o.display().to_string()));
        settings.push(setting("with", Value::List(others.collect())));
    }
    Target {
        name: function.into(),
        of: Whose::Run,
        program: library.display().to_string(),
        arguments: Vec::new(),
        replay: true,
        settings,
        line: 0,
        is_named: false,
    }
}

/// The setting that a target's tests are written in this form, too.
fn write_tests(form: &str) -> Setting {
    Setting {
        name: "write-tests".into(),
        value: Value::Word(form.into()),
        line: 0,
    }
}

/// The flags for the compiler among options of `polypath run`.
fn cc_flags(options: &[String]) -> Vec<String> {
    const FLAG: &str = "--cc-flag";
    let mut flags = Vec::new();
    let mut words = options.iter();
    while let Some(word) = words.next() {
        if word == FLAG {
            flags.extend(words.next().cloned());
        } else if let Some(flag) = word.strip_prefix(FLAG).and_then(|w| w.strip_prefix('=')) {
            flags.push(flag.into());
        }
    }
    flags
}

/// The libraries that are meant: files as they are, and of a directory its archives, if it has none its shared objects, and if
/// it has neither its objects.
fn libraries(paths: &[&Path]) -> anyhow::Result<Vec<PathBuf>> {
    let mut libraries: Vec<PathBuf> = Vec::new();
    for path in paths {
        if !path.is_dir() {
            libraries.push((*path).to_owned());
            continue;
        }
        let mut files = Vec::new();
        walk(path, &mut files)?;
        let is_kind = |kind: fn(&str) -> bool| {
            let of_kind = |f: &&PathBuf| f.file_name().is_some_and(|n| kind(&n.to_string_lossy()));
            let found = files.iter().filter(of_kind).filter(|f| has_bitcode(f));
            found.cloned().collect::<Vec<_>>()
        };
        let mut found = is_kind(|name| name.ends_with(".a"));
        if found.is_empty() {
            found = is_kind(|name| name.ends_with(".so") || name.contains(".so."));
        }
        if found.is_empty() {
            found = is_kind(|name| name.ends_with(".o"));
        }
        if found.is_empty() {
            let why = format!(
                "{}: no archive, shared object or object of `polypath cc` in it (`polypath build -- make` makes them)",
                path.display()
            );
            return Err(UsageError(why).into());
        }
        libraries.extend(found);
    }
    Ok(libraries)
}

/// Does a file carry bitcode, as far as a glance tells?
fn has_bitcode(file: &Path) -> bool {
    const SECTION: &[u8] = b".llvmbc";
    let bytes = std::fs::read(file).unwrap_or_else(|_| Vec::new());
    bytes.windows(SECTION.len()).any(|w| w == SECTION)
}

/// All files below, in the order of their names; links are not followed, and results of ours are no library.
fn walk(dir: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let usage = |e: std::io::Error| UsageError(format!("{}: {e}", dir.display()));
    let entries = std::fs::read_dir(dir).map_err(usage)?;
    let mut entries: Vec<_> = entries.filter_map(Result::ok).collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        let path = entry.path();
        let is_of_ours =
            path.join("polypath-test.json").exists() || path.join("info.json").exists();
        if kind.is_dir() && !is_of_ours {
            walk(&path, files)?;
        } else if kind.is_file() {
            files.push(path);
        }
    }
    Ok(())
}
