//! The compiler wrapper: clang-19, our sysroot, and bitcode in every object.
//!
//! The command line is passed on with flags before and after it ([`crate::flags`]), and when it links,
//! with musl's start files and libraries. lld concatenates the objects' `.llvmbc` sections, those of
//! the archive members that it pulls in included, and so the binary carries the whole program.
//!
//! Shared libraries do not exist in this world: `-shared` makes a relocatable object under the
//! library's name, which a later link takes whole, so that projects whose build insists on them work.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use crate::command_line::{self, CommandLine, InputKind, Mode};
use crate::cxx::{self, CxxLibrary};
use crate::extract::{self, ExtractError};
use crate::flags::{self, FlagVerdict, Flags};
use crate::fuzz_target;
use crate::gcc;
use crate::libraries::recipes::{Recipe, Wanted};
use crate::libraries::{self, Added, wanted};
use crate::linked;
use crate::preprocessed;
use crate::sysroot::{self, Sysroot, SysrootError};
use crate::tools::{Missing, Tool};

/// The compiler that is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C, `polypath cc`.
    C,
    /// C++, `polypath c++`.
    Cxx,
}

impl Language {
    /// By the name that the program was called by: `cc`, `polypath-c++`, …
    pub fn of_program_name(name: &str) -> Option<Language> {
        match name {
            "polypath-cc" | "cc" | "gcc" | "clang" | "c99" | "c89" => Some(Language::C),
            "polypath-c++" | "c++" | "g++" | "clang++" => Some(Language::Cxx),
            _ => None,
        }
    }
}

/// Why the wrapper did not get as far as clang.
#[derive(Debug)]
pub enum DriverError {
    /// The sysroot could not be built.
    Sysroot(SysrootError),
    /// A program of the toolchain is not installed.
    Missing(Missing),
    /// Reading or writing a file, or starting a program, failed.
    Io(io::Error),
    /// Code for another machine than x86-64 was asked for: its target triple.
    ForeignTarget(String),
}

impl fmt::Display for DriverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DriverError::Sysroot(error) => error.fmt(f),
            DriverError::Missing(missing) => missing.fmt(f),
            DriverError::Io(error) => error.fmt(f),
            DriverError::ForeignTarget(target) => write!(
                f,
                "target {target}: Polypath compiles for x86-64 Linux only"
            ),
        }
    }
}

impl std::error::Error for DriverError {}

impl From<SysrootError> for DriverError {
    fn from(error: SysrootError) -> Self {
        DriverError::Sysroot(error)
    }
}

impl From<Missing> for DriverError {
    fn from(missing: Missing) -> Self {
        DriverError::Missing(missing)
    }
}

impl From<io::Error> for DriverError {
    fn from(error: io::Error) -> Self {
        DriverError::Io(error)
    }
}

/// Runs the compiler with `arguments` and gives its exit status. `quiet` silences the notes on objects
/// without bitcode and on flags left out.
pub fn run(
    language: Language,
    arguments: &[String],
    quiet: bool,
) -> Result<ExitStatus, DriverError> {
    let line = command_line::parse(arguments);
    let sysroot = sysroot::ensure(&mut |text| say::err!("polypath cc: {text}"))?;
    let tool = if language == Language::Cxx {
        Tool::ClangPlusPlus
    } else {
        Tool::Clang
    };
    if let Some(target) = &line.foreign_target
        && !target.starts_with("x86_64")
    {
        return Err(DriverError::ForeignTarget(target.clone()));
    }
    let is_probe = is_probe(&line);
    let wants_cxx = line.mode != Mode::Query && (language == Language::Cxx || line.is_cxx());
    let mut library = None;
    if wants_cxx {
        let mut tell = |text: &str| say::err!("polypath cc: {text}");
        library = Some(cxx::ensure(&sysroot, &mut tell)?);
    }
    let added = libraries::added(&sysroot)?;
    let (mut all, notes) = assemble(&line, library.as_ref(), &sysroot, &added, is_probe);
    let copies = adapt_preprocessed(&line, &mut all)?;
    let read = list_of_files(&line, is_probe, &mut all);
    let mut command = Command::new(tool.find()?);
    let _list = pass(&all, &mut command)?;
    let quiet = quiet || is_probe;
    if !quiet {
        for note in &notes {
            say::err!("polypath cc: note: {note}");
        }
    }
    let suspects: Vec<&Path> = if quiet {
        Vec::new()
    } else {
        without_bitcode(&line)
    };
    host::child::tie_gently(&mut command);
    let status = command.status()?;
    if !status.success() {
        if line.mode == Mode::Link && !quiet {
            name_fuzz_target(&line);
        }
        name_libraries(&line, &all, &added, tool, is_probe)?;
    } else if let Some(read) = &read {
        let program = line.output.as_deref().unwrap_or(Path::new("a.out"));
        let ours: Vec<&Path> = std::iter::once(&sysroot.lib)
            .chain(library.as_ref().map(|library| &library.lib))
            .map(PathBuf::as_path)
            .collect();
        tell_linked(program, &read.0, &ours, quiet, line.mode == Mode::Link)?;
    }
    drop(copies);
    if library.is_some() && !status.success() && !quiet {
        for note in line
            .inputs
            .iter()
            .filter_map(|(path, _)| cxx::note_on(path))
        {
            say::err!("polypath cc: note: {note}");
        }
    }
    if status.success() {
        if line.shared {
            mark_executable(line.output.as_deref().unwrap_or(Path::new("a.out")))?;
        }
        for input in suspects {
            if yields_none(&line) {
                say::err!(
                    "polypath cc: note: {}: no bitcode (assembly): Polypath cannot look inside",
                    input.display()
                );
            }
        }
    }
    Ok(status)
}

/// The arguments for clang, and notes about options that were left out.
fn assemble(
    line: &CommandLine,
    library: Option<&CxxLibrary>,
    sysroot: &Sysroot,
    added: &[Added],
    is_probe: bool,
) -> (Vec<String>, Vec<String>) {
    let mut notes = Vec::new();
    if line.mode == Mode::Query {
        // Answers to --version, -dumpmachine and the like should tell of the real target.
        let mut all = vec!["--target=x86_64-linux-musl".to_owned()];
        all.extend(line.arguments.iter().cloned());
        return (all, notes);
    }
    let links = matches!(line.mode, Mode::Link | Mode::Relocatable);
    let Flags { before, after } = Flags::new(sysroot, added, library);
    let mut all = before;
    if links {
        all.extend(["-nostdlib", "-static", "-no-pie"].map(String::from));
        // Where there is none, clang says so by this name.
        let linker = Tool::Lld
            .find()
            .unwrap_or_else(|_| Tool::Lld.program().into());
        all.push(format!("--ld-path={}", linker.display()));
        all.push(format!("-L{}", sysroot.lib.display()));
        if let Some(library) = library {
            all.push(format!("-L{}", library.lib.display()));
            // The unwinder looks for the tables of the program by it.
            all.push("-Wl,--eh-frame-hdr".into());
        }
        if line.mode == Mode::Link && line.start_files {
            for file in ["crt1.o", "crti.o"] {
                all.push(sysroot.lib.join(file).display().to_string());
            }
        }
    }
    let mut arguments = line.arguments.iter();
    while let Some(argument) = arguments.next() {
        let takes_operand = command_line::takes_operand(argument);
        match flags::judge(argument) {
            FlagVerdict::Keep(kept) => {
                let operand = if takes_operand {
                    arguments.next()
                } else {
                    None
                };
                if flags::names_host(argument, operand.map(String::as_str)) {
                    continue;
                }
                match library_as_object(argument, operand, &line.arguments) {
                    Some(object) if links => all.push(object),
                    _ => all.extend(std::iter::once(kept).chain(operand.cloned())),
                }
            }
            FlagVerdict::Drop(reason) => {
                notes.extend(reason.map(|why| format!("{argument} is left out: {why}")))
            }
        }
    }
    all.extend(after);
    if links {
        all.extend(libraries::search_flags(added));
    }
    all.extend(gcc::errors(line, is_probe));
    if line.mode != Mode::NoCode {
        all.extend(flags::EMBED.iter().map(|&f| f.into()));
    }
    // Where "shared" libraries are involved the first definition of a symbol counts, as it does at run time.
    let has_library = |a: &String| a.contains(".so") && is_relocatable(Path::new(a));
    if links && (line.shared || all.iter().any(has_library)) {
        all.push("-Wl,-z,muldefs".into());
    }
    match line.mode {
        Mode::Relocatable => all.push("-Wl,-r".into()),
        Mode::Link => {
            all.extend(["-Wl,-z,noexecstack", "-x", "none"].map(String::from));
            all.extend(record(&all));
            if line.default_libraries {
                all.push("-Wl,--start-group".into());
                if fuzz_target::is_wanted(&line.arguments) {
                    all.push(fuzz_target::LIBRARY.into());
                }
                all.extend(libraries::needed_archives(&line.arguments, added));
                // Before the C library, which has what C++ needs without its own.
                all.extend(library.map(|_| "-lc++".to_owned()));
                all.extend(
                    [
                        "-lpolypath",
                        if is_probe { "-lmusl" } else { "-lc" },
                        "-lgcc",
                        "-Wl,--end-group",
                    ]
                    .map(String::from),
                );
            }
            if line.start_files {
                all.push(sysroot.lib.join("crtn.o").display().to_string());
            }
        }
        _ => {}
    }
    (all, notes)
}

/// Has the linker write which files it reads; `None` where nobody wants to know.
fn list_of_files(
    line: &CommandLine,
    is_probe: bool,
    all: &mut Vec<String>,
) -> Option<ResponseFile> {
    let links = matches!(line.mode, Mode::Link | Mode::Relocatable);
    // A list that the user asks for is the user's.
    let is_taken = all.iter().any(|a| a.contains("dependency-file"));
    if !links || is_probe || is_taken {
        return None;
    }
    let path = std::env::temp_dir().join(format!("polypath-ld-{}.d", std::process::id()));
    all.extend([
        "-Xlinker".to_owned(),
        format!("--dependency-file={}", path.display()),
    ]);
    Some(ResponseFile(path))
}

/// Says what of a link has no bitcode.
fn tell_linked(
    program: &Path,
    list: &Path,
    ours: &[&Path],
    quiet: bool,
    is_program: bool,
) -> io::Result<()> {
    // A mode of clang that does not come to the linker.
    if !list.is_file() {
        return Ok(());
    }
    let linked = linked::look(program, list, ours)?;
    if !quiet {
        for note in linked.notes() {
            say::err!("polypath cc: note: {note}");
        }
    }
    if is_program && program != Path::new("/dev/null") {
        linked.record()?;
    }
    Ok(())
}

/// After a failure to link: says how a fuzz target is linked.
fn name_fuzz_target(line: &CommandLine) {
    let mut inputs = line.inputs.iter();
    let found = inputs.find(|(path, _)| fuzz_target::is_named_in(path));
    if let Some((path, _)) = found.filter(|_| !fuzz_target::is_wanted(&line.arguments)) {
        say::err!(
            "polypath cc: note: {}: a fuzz target ({}) is linked with {}",
            path.display(),
            vocab::FUZZ_TARGET,
            fuzz_target::FLAG
        );
    }
}

/// After a failure: names the libraries that were not found and that can be added.
fn name_libraries(
    line: &CommandLine,
    all: &[String],
    added: &[Added],
    tool: Tool,
    is_probe: bool,
) -> Result<(), DriverError> {
    let mut found: Vec<(&Recipe, String)> = Vec::new();
    let mut note = |wanted: Wanted, what: String| {
        if let Some(recipe) = wanted::missing(wanted, added) {
            found.push((recipe, what));
        }
    };
    if line.mode == Mode::Link {
        for name in wanted::libraries(&line.arguments) {
            if !wanted::is_found(name, all) {
                note(Wanted::Library(name), format!("-l{name}"));
            }
        }
    }
    if line
        .inputs
        .iter()
        .any(|(_, kind)| *kind == InputKind::Source)
    {
        if is_probe {
            // Often, and expected to fail: the source's own words are enough.
            for (path, _) in &line.inputs {
                let text = std::fs::read(path).unwrap_or_default();
                let text = String::from_utf8_lossy(&text);
                for name in wanted::includes(&text) {
                    note(Wanted::Header(name), name.to_owned());
                }
            }
        } else {
            let mut again = Command::new(tool.find()?);
            let _list = pass(all, &mut again)?;
            again.args(["-E", "-w", "-o", "/dev/null"]);
            let output = again.stdin(std::process::Stdio::null()).output()?;
            let words = String::from_utf8_lossy(&output.stderr);
            if let Some(name) = wanted::header_in(&words) {
                note(Wanted::Header(name), name.to_owned());
            }
        }
    }
    for (recipe, what) in found {
        if !is_probe {
            say::err!(
                "polypath cc: {what} is of a library that can be added: polypath add {}",
                recipe.name
            );
        }
        wanted::record(recipe, &what)?;
    }
    Ok(())
}

/// Puts changed copies of sources that GCC preprocessed in their places.
fn adapt_preprocessed(
    line: &CommandLine,
    all: &mut [String],
) -> io::Result<Vec<preprocessed::Copy>> {
    let mut copies = Vec::new();
    for (path, kind) in &line.inputs {
        // A source that cannot be read is clang's to complain of.
        if *kind != InputKind::Source || !path.is_file() {
            continue;
        }
        let Some(copy) = preprocessed::copy(path)? else {
            continue;
        };
        let (old, new) = (path.to_string_lossy(), copy.path.to_string_lossy());
        all.iter_mut()
            .filter(|argument| **argument == old)
            .for_each(|argument| *argument = new.clone().into_owned());
        copies.push(copy);
    }
    Ok(copies)
}

/// For `-lNAME`: the path of a `libNAME.so` that is really a relocatable object, if the search comes to it
/// before a `libNAME.a`. The linker, linking statically, would only look for the latter.
fn library_as_object(argument: &str, operand: Option<&String>, all: &[String]) -> Option<String> {
    let name = argument.strip_prefix("-l")?;
    let name = if name.is_empty() { operand? } else { name };
    let mut directories = Vec::new();
    let mut arguments = all.iter();
    while let Some(argument) = arguments.next() {
        match argument.strip_prefix("-L") {
            Some("") => directories.extend(arguments.next().map(String::as_str)),
            Some(directory) => directories.push(directory),
            None => {}
        }
    }
    for directory in directories.into_iter().map(Path::new) {
        if directory.join(format!("lib{name}.a")).exists() {
            return None;
        }
        let path = directory.join(format!("lib{name}.so"));
        if is_relocatable(&path) {
            return path.to_str().map(String::from);
        }
    }
    None
}

/// Flags that put a note with the linker's options about names into the binary, since the bitcode has the names of the
/// source. `strip` leaves the note alone. Crate `llvm` reads it.
fn record(arguments: &[String]) -> [String; 2] {
    let facts = link_facts(&linker_words(arguments)).join(" ");
    let metadata = format!("--package-metadata={}", vocab::link_note::text(&facts));
    ["-Xlinker".into(), metadata]
}

/// The arguments that go to the linker itself.
fn linker_words(arguments: &[String]) -> Vec<&str> {
    let mut words: Vec<&str> = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.strip_prefix("-Wl,") {
            Some(list) => words.extend(list.split(',')),
            None if matches!(argument.as_str(), "-Xlinker" | "-z" | "-e") => {
                words.extend((argument != "-Xlinker").then_some(argument.as_str()));
                words.extend(arguments.next().map(String::as_str));
            }
            None if argument.starts_with("-T") => words.push(argument),
            None => {}
        }
    }
    words
}

/// The linker's options about names: `wrap=NAME`, `defsym=NAME=VALUE`, `muldefs`, `icf`, `entry=NAME`, `script`.
fn link_facts(words: &[&str]) -> Vec<String> {
    let mut facts = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let Some(option) = word.strip_prefix('-') else {
            continue;
        };
        let option = option.strip_prefix('-').unwrap_or(option);
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (option, None),
        };
        match name {
            "e" | "entry" => {
                let value = value.or_else(|| words.next().copied());
                facts.extend(value.map(|v| format!("entry={v}")));
            }
            "wrap" | "defsym" => {
                let value = value.or_else(|| words.next().copied());
                facts.extend(value.map(|v| format!("{name}={v}")));
            }
            "z" => {
                let is_it = words.next().is_some_and(|&v| v == "muldefs");
                facts.extend(is_it.then(|| "muldefs".to_owned()));
            }
            "icf" if value == Some("all") => facts.push("icf".into()),
            "allow-multiple-definition" | "zmuldefs" => facts.push("muldefs".into()),
            "Ttext" | "Tdata" | "Tbss" | "Ttext-segment" => {}
            "script" | "just-symbols" | "R" => facts.push("script".into()),
            _ if name.starts_with('T') => facts.push("script".into()),
            _ => {}
        }
    }
    // The note is a string of JSON; no name of C needs any of these.
    facts.retain(|f| !f.contains(|c: char| c == '"' || c == '\\' || c == '%' || c.is_whitespace()));
    facts
}

/// Whether the file is an ELF relocatable object (type 1, at offset 16).
fn is_relocatable(path: &Path) -> bool {
    let mut header = [0; 18];
    let read =
        std::fs::File::open(path).and_then(|mut file| io::Read::read_exact(&mut file, &mut header));
    read.is_ok() && header.starts_with(b"\x7fELF") && header[16] == 1 && header[17] == 0
}

/// Gives the arguments to the command, by a response file if they are very many. The returned
/// guard deletes the file.
fn pass(all: &[String], command: &mut Command) -> io::Result<Option<ResponseFile>> {
    const LIMIT: usize = 100_000;
    if all.iter().map(|a| a.len() + 1).sum::<usize>() < LIMIT {
        command.args(all);
        return Ok(None);
    }
    let path = std::env::temp_dir().join(format!("polypath-cc-{}.rsp", std::process::id()));
    let mut text = String::new();
    for argument in all {
        text.push('"');
        for c in argument.chars() {
            if matches!(c, '"' | '\\') {
                text.push('\\');
            }
            text.push(c);
        }
        text.push_str("\"\n");
    }
    std::fs::write(&path, text).map_err(crate::cache::at(&path))?;
    command.arg(format!("@{}", path.display()));
    Ok(Some(ResponseFile(path)))
}

struct ResponseFile(std::path::PathBuf);

impl Drop for ResponseFile {
    fn drop(&mut self) {
        // A leftover in the temporary directory harms nobody.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Compiles by which configure, cmake and meson try the compiler out: they take words on stderr for a failure.
fn is_probe(line: &CommandLine) -> bool {
    let probing = |path: &Path| {
        path.file_name()
            .is_some_and(|n| n.to_string_lossy().starts_with("conftest"))
            || path.components().any(|c| {
                let name = c.as_os_str().to_string_lossy();
                name == "CMakeTmp" || name == "CMakeScratch" || name.starts_with("meson-private")
            })
            || path == Path::new("/dev/null")
            || path == Path::new("-")
    };
    line.inputs.iter().any(|(path, _)| probing(path))
        || line.output.as_deref().is_some_and(probing)
        || std::env::current_dir().is_ok_and(|dir| probing(&dir))
}

/// Libraries are executable when a linker writes them, and configure tests look for that.
fn mark_executable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mut permissions = std::fs::metadata(path)?.permissions();
    if path.is_file() {
        permissions.set_mode(permissions.mode() | (permissions.mode() & 0o444) >> 2);
        std::fs::set_permissions(path, permissions)?;
    }
    Ok(())
}

/// Inputs that may give code without bitcode.
fn without_bitcode(line: &CommandLine) -> Vec<&Path> {
    if !matches!(line.mode, Mode::Object | Mode::Link | Mode::Relocatable) {
        return Vec::new();
    }
    line.inputs
        .iter()
        .filter(|(_, kind)| *kind == InputKind::Assembler)
        .map(|(path, _)| path.as_path())
        .collect()
}

/// Whether the result has no bitcode. Assembly that `-S` wrote does contain it, so with `-c` the object is looked at;
/// after a link the parts cannot be distinguished any more.
fn yields_none(line: &CommandLine) -> bool {
    let object = match (&line.output, line.inputs.as_slice()) {
        (Some(output), _) => output.clone(),
        (None, [(input, _)]) => {
            Path::new(input.file_name().unwrap_or_default()).with_extension("o")
        }
        _ => return true,
    };
    line.mode != Mode::Object
        || matches!(extract::modules(&object), Err(ExtractError::NoBitcode(_)))
}
