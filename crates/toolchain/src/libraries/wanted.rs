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
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let dir = match argument.strip_prefix("-L") {
            Some("") => arguments.next().map(String::as_str),
            dir => dir,
        };
        let is_in = |dir: &str| {
            let file = |suffix| Path::new(dir).join(format!("lib{name}.{suffix}"));
            ["a", "so"].iter().any(|suffix| file(suffix).exists())
        };
        if dir.is_some_and(is_in) {
            return true;
        }
    }
    false
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

    #[test]
    fn a_library_is_found_where_the_linker_looks_however_that_is_written() {
        let dir = std::env::temp_dir().join(format!("polypath-wanted-{}", std::process::id()));
        std::fs::create_dir(&dir).expect("a directory");
        std::fs::write(dir.join("libhere.a"), "").expect("a file");
        let place = dir.display().to_string();
        let found = |name: &str, words: &[&str]| {
            let words: Vec<String> = words.iter().map(|w| w.to_string()).collect();
            is_found(name, &words)
        };
        let joined = format!("-L{place}");
        assert!(found("here", &["-lhere", "-L/nowhere", &joined]));
        assert!(found("here", &["-L", &place, "-lhere"]));
        assert!(!found("there", &[&joined]) && !found("here", &["-L"]));
        // The operand of another option is no directory of the linker's.
        assert!(!found("here", &["-I", &place]));
        std::fs::remove_dir_all(&dir).expect("it is ours");
    }
}
