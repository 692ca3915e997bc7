//! Suggests the library whose lack made a build fail.
//!
//! `polypath cc` sees what is missing: a header, or `-lNAME`. It reports this itself, but its message gets lost in the
//! output of a build, and configure tests are silent. So it also writes them to a file that `polypath build` names in
//! [`RECORD`], and that ends with one line.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use super::Added;
use super::recipes::{self, Recipe, Wanted};

/// The variable that names the file.
pub const RECORD: &str = "POLYPATH_WANTED";

/// Extracts the missing header's name from the compiler's error message.
pub fn header_in(words: &str) -> Option<&str> {
    words.lines().find_map(|line| {
        let (_, rest) = line.split_once("fatal error: '")?;
        let (name, rest) = rest.split_once('\'')?;
        rest.starts_with(" file not found").then_some(name)
    })
}

/// The headers that a source includes itself.
pub fn includes(source: &str) -> impl Iterator<Item = &str> {
    source.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start();
        let rest = rest.strip_prefix("include")?.trim_start();
        let end = match rest.chars().next()? {
            '<' => '>',
            '"' => '"',
            _ => return None,
        };
        rest[1..].split_once(end).map(|(name, _)| name)
    })
}

/// Names of `-lNAME` in the arguments.
pub fn libraries(arguments: &[String]) -> Vec<&str> {
    let mut out = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.strip_prefix("-l") {
            Some("") => out.extend(arguments.next().map(String::as_str)),
            Some(name) => out.push(name),
            None => {}
        }
    }
    out
}

/// Whether the linker would find `-lNAME` in these arguments' directories.
pub fn is_found(name: &str, arguments: &[String]) -> bool {
    arguments
        .iter()
        .filter_map(|a| a.strip_prefix("-L"))
        .any(|dir| {
            ["a", "so"]
                .iter()
                .any(|suffix| Path::new(dir).join(format!("lib{name}.{suffix}")).exists())
        })
}

/// The library that has it, unless it was added.
pub fn missing(wanted: Wanted, added: &[Added]) -> Option<&'static Recipe> {
    recipes::provider(wanted).filter(|r| !added.iter().any(|a| a.recipe.name == r.name))
}

/// Leaves a note for the `polypath build` above us, if there is one.
pub fn record(recipe: &Recipe, what: &str) -> io::Result<()> {
    let Some(path) = std::env::var_os(RECORD) else {
        return Ok(());
    };
    let mut file = File::options().append(true).open(path)?;
    // One write, so that lines of several compilers do not mix.
    file.write_all(format!("{} {what}\n", recipe.name).as_bytes())
}

/// The line at the end of a build that failed, from the notes: the missing libraries and the command that adds them.
/// The notes of pkg-config are names of modules.
pub fn advice(notes: &str, added: &[Added]) -> Option<String> {
    let (mut names, mut things): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for line in notes.lines() {
        let (name, what) = match line.split_once(' ') {
            Some(("pkg-config", module)) => match missing(Wanted::Module(module), added) {
                Some(recipe) => (recipe.name, module),
                None => continue,
            },
            Some(note) => note,
            None => continue,
        };
        if !names.contains(&name) {
            names.push(name);
        }
        if !things.contains(&what) {
            things.push(what);
        }
    }
    (!names.is_empty()).then(|| {
        format!(
            "looked for and not found: {}; to add: polypath add {}",
            things.join(", "),
            names.join(" ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_from_words_and_sources() {
        let words = "a.c:1:10: fatal error: 'zlib.h' file not found\n    1 | #include <zlib.h>\n";
        assert_eq!(header_in(words), Some("zlib.h"));
        assert_eq!(header_in("a.c:1: error: no\n"), None);
        let source = "#include <a/b.h>\n  #  include\"c.h\"\n#define x\n#include MACRO\n";
        assert_eq!(includes(source).collect::<Vec<_>>(), ["a/b.h", "c.h"]);
    }

    #[test]
    fn advice_names_each_library_once() {
        let notes = "zlib zlib.h\nzlib -lz\npkg-config libpng\npkg-config gtk+-3.0\n";
        assert_eq!(
            advice(notes, &[]).as_deref(),
            Some("looked for and not found: zlib.h, -lz, libpng; to add: polypath add zlib libpng")
        );
        assert_eq!(advice("pkg-config gtk+-3.0\n", &[]), None);
    }
}
