//! Which files of a link have no bitcode: objects that another compiler made, or archives of them. Polypath cannot look inside, and a run
//! only finds out when a path gets there, so the link says it.
//!
//! The linker writes the list of the files that it read (`--dependency-file`), in which libraries stand under their paths. What was linked goes
//! to a file as well that `polypath build` names in [`RECORD`], and that it ends with.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use object::read::archive::ArchiveFile;
use object::{Object, ObjectSection, SectionKind};

use crate::extract::SECTION;
use crate::fuzz_target;

/// The variable that names the file of what a build has linked.
pub const RECORD: &str = "POLYPATH_LINKED";

/// How the remedy is called.
pub const REMEDY: &str =
    "compile it with `polypath cc` (CC=polypath-cc), or the whole project with `polypath build`";

/// Code without bitcode in a file that was linked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opaque {
    /// The object or archive.
    pub file: PathBuf,
    /// For an archive: its members with code but without bitcode, and all with code. Which of them the linker took is not known.
    pub members: Option<(usize, usize)>,
}

impl std::fmt::Display for Opaque {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let file = self.file.display();
        match self.members {
            None => write!(f, "{file}"),
            Some((some, all)) => write!(f, "{file} ({some} of {all} members)"),
        }
    }
}

/// A link that has been done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linked {
    /// The program.
    pub program: PathBuf,
    /// What of it has no bitcode.
    pub opaque: Vec<Opaque>,
    /// Something beside the run-time library has bitcode.
    pub has_some: bool,
}

/// Looks at the files that the linker has read, but for those below directories that are `ours`.
///
/// # Errors
/// The list cannot be read.
pub fn look(program: &Path, list: &Path, ours: &[&Path]) -> io::Result<Linked> {
    let text = fs::read_to_string(list)?;
    let mut linked = Linked {
        program: std::path::absolute(program)?,
        opaque: Vec::new(),
        has_some: false,
    };
    for file in files(&text) {
        if ours.iter().any(|dir| file.starts_with(dir)) {
            continue;
        }
        // The compiler's own intermediate files are gone: they have bitcode, since it made them.
        let Ok(data) = fs::read(&file) else {
            linked.has_some = true;
            continue;
        };
        if let Ok(archive) = ArchiveFile::parse(&*data) {
            let members = archive
                .members()
                .filter_map(|member| member.ok()?.data(&*data).ok());
            let seen: Vec<Content> = members.map(content).collect();
            linked.has_some |= seen.contains(&Content::Bitcode);
            let opaque = seen.iter().filter(|c| **c == Content::Code).count();
            let all = seen.iter().filter(|c| **c != Content::Nothing).count();
            if opaque > 0 {
                let members = Some((opaque, all));
                linked.opaque.push(Opaque { file, members });
            }
            continue;
        }
        match content(&data) {
            Content::Bitcode => linked.has_some = true,
            Content::Code => linked.opaque.push(Opaque {
                file,
                members: None,
            }),
            Content::Nothing => {}
        }
    }
    Ok(linked)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    Bitcode,
    Code,
    /// No code: no object, data, a linker script.
    Nothing,
}

fn content(data: &[u8]) -> Content {
    let Ok(file) = object::File::parse(data) else {
        return Content::Nothing;
    };
    if file.section_by_name(SECTION).is_some() {
        return Content::Bitcode;
    }
    let has_content = |kind| file.sections().any(|s| s.kind() == kind && s.size() > 0);
    if [
        SectionKind::Text,
        SectionKind::Data,
        SectionKind::UninitializedData,
        SectionKind::ReadOnlyData,
    ]
    .into_iter()
    .any(has_content)
    {
        Content::Code
    } else {
        Content::Nothing
    }
}

/// The files in a rule for make.
fn files(text: &str) -> Vec<PathBuf> {
    let Some((_, rest)) = text.split_once(':') else {
        return Vec::new();
    };
    // The first rule only; others have no prerequisites.
    let rest = rest.split("\n\n").next().unwrap_or(rest);
    let mut files: Vec<PathBuf> = Vec::new();
    let mut file = String::new();
    let mut letters = rest.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if letters.peek() == Some(&'\n') => {}
            '\\' if letters
                .peek()
                .is_some_and(|c| matches!(c, ' ' | '#' | '\\')) =>
            {
                file.extend(letters.next());
            }
            '$' if letters.peek() == Some(&'$') => file.extend(letters.next()),
            ' ' | '\n' => {
                if !file.is_empty() {
                    files.push(std::mem::take(&mut file).into());
                }
            }
            letter => file.push(letter),
        }
    }
    if !file.is_empty() {
        files.push(file.into());
    }
    files
}

impl Linked {
    /// What the link says of it.
    pub fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = self
            .opaque
            .iter()
            .map(|part| {
                format!("{part}: no bitcode: Polypath cannot look inside, and a path that gets there ends; {REMEDY}")
            })
            .collect();
        if !self.has_some {
            notes.push(format!(
                "{}: nothing in it has bitcode but the run-time library: it cannot be explored",
                self.program.display()
            ));
        }
        notes
    }

    /// Leaves a note for the `polypath build` above us, if there is one.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn record(&self) -> io::Result<()> {
        let Some(path) = std::env::var_os(RECORD) else {
            return Ok(());
        };
        let mut line = format!("{}\t{}", self.program.display(), u8::from(self.has_some));
        for part in &self.opaque {
            let _ = write!(line, "\t{part}");
        }
        line.push('\n');
        // One write, so that lines of several compilers do not mix.
        File::options()
            .append(true)
            .open(path)?
            .write_all(line.as_bytes())
    }
}

/// A file as a user names it who works in this directory.
pub(crate) fn shown(path: &Path, here: &Path) -> String {
    match path.strip_prefix(here) {
        Ok(below) => format!("./{}", below.display()),
        Err(_) => path.display().to_string(),
    }
}

/// At most so many names, and how many more there are.
pub(crate) fn named(names: &[impl AsRef<str>], most: usize) -> String {
    let shown: Vec<&str> = names.iter().take(most).map(AsRef::as_ref).collect();
    let more = match names.len().saturating_sub(most) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    shown.join(", ") + &more
}

/// The end of a build, in lines: what of it can be explored, and what cannot and why. `None` if nothing was linked.
pub fn summary(notes: &str, here: &Path) -> Option<Vec<String>> {
    /// Programs that are named at most, and parts of each.
    const NAMED: usize = 8;
    const PARTS: usize = 3;
    let mut programs: Vec<(&str, &str)> = Vec::new();
    for line in notes.lines() {
        let Some((program, rest)) = line.split_once('\t') else {
            continue;
        };
        // What was linked again counts as it is now.
        programs.retain(|(other, _)| *other != program);
        // Tests of a configuration and the like are gone.
        if Path::new(program).is_file() {
            programs.push((program, rest));
        }
    }
    if programs.is_empty() {
        return None;
    }
    let (mut whole, mut others) = (Vec::new(), Vec::new());
    for (program, rest) in &programs {
        let mut words = rest.split('\t');
        let has_some = words.next() == Some("1");
        let parts: Vec<&str> = words.collect();
        let name = shown(Path::new(program), here);
        if !has_some {
            others.push(format!(
                "cannot be explored: {name}: nothing in it has bitcode; {REMEDY}"
            ));
        } else if parts.is_empty() {
            whole.push(name);
        } else {
            let parts = named(&parts, PARTS);
            others.push(format!(
                "can be explored in part: {name}: no bitcode in {parts}; {REMEDY}"
            ));
        }
    }
    let mut lines = Vec::new();
    if !whole.is_empty() {
        let program = here.join(&whole[0]);
        let input = match fuzz_target::is_one(&program) {
            Ok(true) => "",
            Ok(false) | Err(_) => " --sym-args 0 2 4",
        };
        lines.push(format!(
            "can be explored: {} (polypath run {}{input})",
            named(&whole, NAMED),
            whole[0]
        ));
    }
    let left = others.len().saturating_sub(NAMED);
    lines.extend(others.into_iter().take(NAMED));
    if left > 0 {
        lines.push(format!(
            "{left} more programs cannot be explored as a whole"
        ));
    }
    Some(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_linkers_list_is_read_with_all_its_marks() {
        let text = "a.out: \\\n  /x/crt1.o \\\n  b\\ c.o \\\n  d$$e.o \\\n  lib\\#.a\n\nb.o:\n\n";
        let wants = ["/x/crt1.o", "b c.o", "d$e.o", "lib#.a"].map(PathBuf::from);
        assert_eq!(files(text), wants);
        assert_eq!(files(""), Vec::<PathBuf>::new());
    }

    #[test]
    fn a_build_ends_with_what_can_be_explored_and_what_cannot() {
        let here = std::env::temp_dir().join(format!("polypath-linked-{}", std::process::id()));
        fs::create_dir(&here).expect("a directory");
        let program = |name: &str| {
            let path = here.join(name);
            fs::write(&path, "").expect("a file");
            path.display().to_string()
        };
        let (a, b, c) = (program("a"), program("b"), program("c"));
        let notes = format!(
            "{a}\t0\n{b}\t1\tx.o\tliby.a (1 of 2 members)\n{c}\t0\n/nowhere/gone\t1\n{a}\t1\n"
        );
        let lines = summary(&notes, &here).expect("programs");
        fs::remove_dir_all(&here).expect("it is ours");
        assert_eq!(lines.len(), 3, "{lines:?}");
        assert!(lines[0].starts_with("can be explored: ./a (polypath run ./a "));
        assert!(lines[1].contains("./b: no bitcode in x.o, liby.a (1 of 2 members)"));
        assert!(lines[2].contains("./c: nothing in it has bitcode"));
        assert_eq!(summary("/nowhere/gone\t1\n", &here), None);
    }
}
