//! The headers that a library's sources include, and what they declare.
//!
//! A compiled library does not say which of its functions a header offers: debug information has where a function is defined, not
//! where it is declared. So the sources' `#include` lines are followed, and headers are searched for the names. It takes sources that
//! still stand where they were compiled.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A header, and what it speaks of.
#[derive(Debug, Default)]
struct Header {
    /// Words that a parenthesis follows.
    called: BTreeSet<String>,
    /// Headers that it includes.
    includes: BTreeSet<PathBuf>,
    /// Directories in which these were found, other than its own.
    directories: BTreeSet<PathBuf>,
}

/// The header that a user of a library includes to call a function.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct UserHeader {
    /// Where it stands.
    pub file: PathBuf,
    /// The directories in which it and what it includes are found.
    pub directories: Vec<PathBuf>,
    /// It and the headers that it includes.
    files: BTreeSet<PathBuf>,
    /// What they speak of.
    called: BTreeSet<String>,
}

impl UserHeader {
    /// Does it speak of this function, or a header that it includes?
    pub fn declares(&self, function: &str) -> bool {
        self.called.contains(function)
    }

    /// Is this file it, or a header that it includes?
    pub fn has(&self, file: &Path) -> bool {
        let whole = file.canonicalize();
        whole.is_ok_and(|whole| self.files.contains(&whole))
    }
}

/// The headers of a library.
#[derive(Debug, Default)]
pub struct LibraryHeaders(BTreeMap<PathBuf, Header>);

impl LibraryHeaders {
    /// Follows the sources' `#include` lines. Headers are looked for beside the file that includes them, and in the directories
    /// of these other files; those of the system stand in none of them.
    pub fn of(sources: &[String], files: &[String]) -> LibraryHeaders {
        let parents = |paths: &[String]| -> BTreeSet<PathBuf> {
            let parents = paths.iter().filter_map(|p| Path::new(p).parent());
            parents.map(Path::to_owned).collect()
        };
        let of_sources = parents(sources);
        let mut directories = parents(files);
        directories.retain(|dir| !dir.starts_with("/usr") && !is_of_ours(dir));
        directories.extend(of_sources);
        let mut headers = BTreeMap::new();
        let mut work: Vec<PathBuf> = sources.iter().map(PathBuf::from).collect();
        let mut seen: BTreeSet<PathBuf> = work.iter().cloned().collect();
        while let Some(path) = work.pop() {
            let Ok(text) = std::fs::read(&path) else {
                continue;
            };
            let text = without_comments(&String::from_utf8_lossy(&text));
            let beside = path.parent().map(Path::to_owned);
            let mut others = BTreeSet::new();
            let find = |name: &str| {
                let mut all = beside.iter().chain(&directories);
                let from = all.find(|dir| dir.join(name).is_file())?;
                if Some(from) != beside.as_ref() {
                    others.insert(from.clone());
                }
                from.join(name).canonicalize().ok()
            };
            let includes: BTreeSet<PathBuf> = included(&text).filter_map(find).collect();
            let new = includes.iter().filter(|p| seen.insert((*p).clone()));
            work.extend(new.cloned().collect::<Vec<_>>());
            let is_source = sources.iter().any(|s| Path::new(s) == path);
            if !is_source {
                let called = called(&text);
                let header = Header {
                    called,
                    includes,
                    directories: others,
                };
                headers.insert(path, header);
            }
        }
        LibraryHeaders(headers)
    }

    /// Where they stand.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.0.keys().map(PathBuf::as_path)
    }

    /// Are there any?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The headers of these file names, and those that they include.
    pub fn named(self, names: &[String]) -> LibraryHeaders {
        let is_named = |path: &PathBuf| names.iter().any(|name| path.ends_with(name));
        let mut work: Vec<PathBuf> = self.0.keys().filter(|p| is_named(p)).cloned().collect();
        let mut headers = self.0;
        let mut named = BTreeMap::new();
        while let Some(path) = work.pop() {
            if let Some(header) = headers.remove(&path) {
                work.extend(header.includes.iter().cloned());
                named.insert(path, header);
            }
        }
        LibraryHeaders(named)
    }

    /// The file name of the header that is the library's own: `csv.h` or `libcsv.h` of `libcsv.a`.
    pub fn own(&self, library: &Path) -> Option<String> {
        let stem = library.file_name()?.to_string_lossy();
        let stem = stem.split('.').next()?.to_lowercase();
        let short = stem.strip_prefix("lib").unwrap_or(&stem).to_string();
        let names = self.0.keys().filter_map(|p| p.file_name());
        let mut names = names.map(|n| n.to_string_lossy().into_owned());
        names.find(|name| {
            let name = name.to_lowercase();
            let name = name.strip_suffix(".h").unwrap_or(&name);
            name == stem || name == short
        })
    }

    /// The header by which users of this library call a function: the library's own, if it has one that declares the function, or else
    /// that of all that declare it which declares most.
    pub fn of_user(&self, library: &Path, function: &str) -> Option<UserHeader> {
        let own = self.own(library);
        let is_own = |path: &&PathBuf| own.as_ref().is_some_and(|own| path.ends_with(own));
        let own = self.0.keys().find(is_own).map(|path| self.as_user(path));
        own.filter(|own| own.declares(function)).or_else(|| {
            let declaring = self.0.iter().filter(|(_, h)| h.called.contains(function));
            let most = declaring.max_by_key(|(_, h)| h.called.len());
            most.map(|(path, _)| self.as_user(path))
        })
    }

    /// A header with all that it includes.
    fn as_user(&self, path: &Path) -> UserHeader {
        let mut user = UserHeader {
            file: path.to_owned(),
            directories: path.parent().map(Path::to_owned).into_iter().collect(),
            ..UserHeader::default()
        };
        let mut work = vec![path];
        let mut seen = BTreeSet::from([path]);
        while let Some((path, header)) = work.pop().and_then(|path| self.0.get_key_value(path)) {
            user.called.extend(header.called.iter().cloned());
            user.files.insert(path.clone());
            for directory in &header.directories {
                if !user.directories.contains(directory) {
                    user.directories.push(directory.clone());
                }
            }
            let next = header.includes.iter().map(PathBuf::as_path);
            work.extend(next.filter(|next| self.0.contains_key(*next) && seen.insert(next)));
        }
        user
    }

    /// Does one of them speak of this function?
    pub fn declare(&self, function: &str) -> bool {
        self.0.values().any(|h| h.called.contains(function))
    }
}

/// The headers of our C library.
fn is_of_ours(dir: &Path) -> bool {
    dir.components()
        .any(|c| c.as_os_str().to_string_lossy().starts_with("sysroot-"))
}

/// The names in `#include` lines.
fn included(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start();
        let name = rest.strip_prefix("include")?.trim_start();
        let end = match name.chars().next()? {
            '"' => '"',
            '<' => '>',
            _ => return None,
        };
        name[1..].split(end).next()
    })
}

/// The words that an opening parenthesis follows: functions that are declared or called, macros. A word in parentheses counts, too
/// (`int (name)(void)`, `DECLARE(int, name)(void)`).
fn called(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let bytes = text.as_bytes();
    let mut end = 0;
    for (start, _) in text.match_indices(is_word) {
        if start < end {
            continue;
        }
        let length = text[start..].find(|c| !is_word(c));
        end = length.map_or(text.len(), |length| start + length);
        let mut rest = text[end..].trim_start();
        if bytes[..start].trim_ascii_end().last() == Some(&b'(')
            || bytes[..start].trim_ascii_end().last() == Some(&b',')
        {
            rest = rest.strip_prefix(')').map_or(rest, str::trim_start);
        }
        if rest.starts_with('(') {
            found.insert(text[start..end].to_string());
        }
    }
    found
}

/// A text of C with blanks in the place of its comments; literals stay.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['/', '"', '\'']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (keeps, length) = if let Some(comment) = rest.strip_prefix("/*") {
            (false, comment.find("*/").map_or(rest.len(), |n| n + 4))
        } else if rest.starts_with("//") {
            (false, rest.find('\n').unwrap_or(rest.len()))
        } else if rest.starts_with('/') {
            (true, 1)
        } else {
            (true, literal(rest))
        };
        out.push_str(if keeps { &rest[..length] } else { " " });
        rest = &rest[length..];
    }
    out + rest
}

/// The length of the literal at the beginning, which ends with its line at the latest.
fn literal(text: &str) -> usize {
    let quote = text.as_bytes().first().copied();
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            b'\n' => return at,
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            byte if Some(byte) == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_headers_declare_is_found_through_includes() {
        let place = tempfile::tempdir().expect("a directory");
        let place = place.path().canonicalize().expect("it is there");
        let write = |name: &str, text: &str| {
            let path = place.join(name);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
            std::fs::write(&path, text).expect("a file");
            path.to_string_lossy().into_owned()
        };
        let source = write(
            "src/a.c",
            "#include \"inner.h\"\n# include <pair.h>\n#include <stdio.h>\nint plain(void);\n",
        );
        write(
            "src/inner.h",
            "/* int gone(void); */ int inside(void); // int gone_too(void);\nchar *s = \"/*\"; int after (int);",
        );
        write(
            "include/pair.h",
            "#include \"types.h\"\nEXPORT(int) pair_new PROTO((int (in_parens)(void)));\nDECLARE(int, by_macro)(void);",
        );
        write("include/types.h", "int of_types\n  (void);");
        let seen = write("include/seen.h", "int not_included(void);");
        let headers =
            || LibraryHeaders::of(std::slice::from_ref(&source), std::slice::from_ref(&seen));
        for name in ["inside", "after", "of_types", "in_parens", "by_macro"] {
            assert!(headers().declare(name), "{name}: {:?}", headers());
        }
        for name in ["gone", "gone_too", "plain", "not_included", "printf"] {
            assert!(!headers().declare(name), "{name}");
        }
        let own = headers().own(Path::new("/lib/libPair.a"));
        assert_eq!(own.as_deref(), Some("pair.h"));
        assert_eq!(headers().own(Path::new("libinn.a")), None);
        // Whoever calls a function includes the library's own header, or one that declares it, and finds what that includes.
        let user = headers().of_user(Path::new("libpair.a"), "of_types");
        let user = user.expect("the own header includes it");
        assert!(user.file.ends_with("include/pair.h") && user.declares("by_macro"));
        assert_eq!(user.directories, [place.join("include")]);
        let has = |name: &str| user.has(&place.join(name));
        assert!(has("include/types.h") && has("src/../include/pair.h") && !has("src/inner.h"));
        let user = headers().of_user(Path::new("libx.a"), "inside");
        assert!(user.is_some_and(|user| user.file.ends_with("src/inner.h")));
        assert_eq!(headers().of_user(Path::new("libx.a"), "plain"), None);
        let public = headers().named(&["pair.h".into()]);
        assert!(public.declare("of_types") && !public.declare("inside"));
        assert!(headers().named(&["none.h".into()]).is_empty());
    }
}
