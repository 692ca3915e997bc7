//! The tests of many functions in one directory that can be copied to the library's own sources.

use super::{FOLDER, LISTS, TestedFunction, cmake_word};
use crate::disk;
use anyhow::{Context, Result};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Copies the tests of these runs, each into a folder of its name, and writes the `CMakeLists.txt` of all. `None`: there are none.
///
/// # Errors
/// A file cannot be read or written.
pub fn collect(to: &Path, runs: &[(&str, &Path)]) -> Result<Option<PathBuf>> {
    let mut folders = String::new();
    let (mut libraries, mut include, mut flags) = (Vec::new(), Vec::new(), Vec::new());
    for (name, run) in runs {
        let from = run.join(FOLDER);
        let Some(of) = TestedFunction::kept(run)?.filter(|_| from.join(LISTS).exists()) else {
            continue;
        };
        let folder = to.join(name);
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("cannot make {}", folder.display()))?;
        for file in [LISTS.to_string(), format!("{}.c", of.stem())] {
            std::fs::copy(from.join(&file), folder.join(&file))
                .with_context(|| format!("cannot write {}", folder.join(&file).display()))?;
        }
        let _ = writeln!(folders, "add_subdirectory({name})");
        let words = |paths: &[PathBuf]| -> Vec<String> {
            let shown = paths.iter().map(|p| cmake_word(&p.to_string_lossy()));
            shown.collect()
        };
        add(&mut libraries, words(&of.libraries));
        add(&mut include, words(&of.directories()));
        add(&mut flags, of.flags.iter().map(|f| cmake_word(f)).collect());
    }
    if folders.is_empty() {
        return Ok(None);
    }
    let text = format!(
        "# Tests of many functions, written by Polypath:\n\
         #   cmake -S . -B build -DLIBRARY=libraries-or-sources -DINCLUDE=directories\n\
         #   cmake --build build && ctest --test-dir build\n\
         cmake_minimum_required(VERSION 3.16)\n\
         project(polypath_tests C)\n\
         enable_testing()\n\
         set(LIBRARY \"{}\" CACHE STRING \"The library under test, and what it needs: libraries or sources\")\n\
         set(INCLUDE \"{}\" CACHE STRING \"Directories with the library's headers\")\n\
         set(FLAGS \"{}\" CACHE STRING \"Flags of the compiler\")\n\
         {folders}",
        libraries.join(";"),
        include.join(";"),
        flags.join(";")
    );
    let lists = to.join(LISTS);
    disk::write_atomic(&lists, text.as_bytes())
        .with_context(|| format!("cannot write {}", lists.display()))?;
    Ok(Some(lists))
}

/// Adds what is not there yet.
fn add(all: &mut Vec<String>, more: Vec<String>) {
    for word in more {
        if !all.contains(&word) {
            all.push(word);
        }
    }
}
