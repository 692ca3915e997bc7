//! Tests of a function as C, for a developer who keeps them beside the library: one file for the function, which is compiled with the
//! library and without Polypath, and `CMakeLists.txt`, by which CTest runs each test under a name that says what it shows.
//!
//! A test whose path has no error passes when it comes to the predicted end. A test of an error fails as long as the error
//! is there, and passes when it was mended; one that needs a precondition that nobody knows is skipped unless it is asked for.
//! `runtime/ctest.c` is the file around the driver ([`harness::test_source`]) and the table of the tests' inputs.

mod collect;
mod literal;
mod names;

pub use collect::collect;

use crate::bug::{self, Bug};
use crate::disk;
use crate::kind::{ErrorKind, ReplayCheck, checks};
use crate::model::{ExitKind, TestCase, test_name};
use crate::read::Run;
use crate::telling::{MOST, Telling};
use anyhow::{Context, Result};
use harness::test_source::{OWN_DECLARATIONS, TestSource};
use literal::{comment, literal, or_null};
use names::{identifier, name};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

const TEMPLATE: &str = include_str!("../../runtime/ctest.c");

/// The directory of the tests in that of a run.
pub const FOLDER: &str = "ctest";

/// The file that tells CTest of them.
const LISTS: &str = "CMakeLists.txt";

/// The file that a run keeps beside the driver, from which its tests are written whenever it ends.
const SUBJECT: &str = "harness/ctest.json";

/// Ends of the names of sources.
const SOURCES: &[&str] = &["c", "cc", "cpp", "cxx", "C"];

/// Bytes of a test's input at most: more is nothing that anybody keeps in a source.
const LARGEST: usize = 1 << 16;

/// The library's public header in a test.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublicHeader {
    /// Its file name.
    pub name: String,
    /// Directories in which it and what it includes are found.
    pub directories: Vec<PathBuf>,
}

/// What the tests of a function are made of, apart from the tests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestedFunction {
    /// Its name.
    pub function: String,
    /// The driver.
    pub source: TestSource,
    /// The header that declares it.
    pub header: Option<PublicHeader>,
    /// Why the tests declare the library's functions themselves although there is a header.
    pub without_header: Option<String>,
    /// Libraries and sources with which the tests are compiled.
    pub libraries: Vec<PathBuf>,
    /// Flags for sources among them.
    pub flags: Vec<String>,
}

/// The tests that were written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenTests {
    /// The source; none if there are no tests.
    pub file: Option<PathBuf>,
    /// How many tests it has.
    pub tests: usize,
    /// How many of these show an error.
    pub findings: usize,
    /// How many of these need a precondition.
    pub marked: usize,
    /// Reasons why others are not there, each with their number.
    pub left_out: Vec<(&'static str, usize)>,
}

impl std::fmt::Display for WrittenTests {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.file {
            Some(file) => {
                let shown = file.display();
                write!(f, "tests as C: {} in {shown}", self.tests)?;
                if self.findings > 0 {
                    write!(f, ", {} of errors", self.findings)?;
                }
                if self.marked > 0 {
                    write!(f, " ({} precondition likely)", self.marked)?;
                }
            }
            None => write!(f, "no tests as C")?,
        }
        for (why, n) in &self.left_out {
            write!(f, "; not there: {n} that {why}")?;
        }
        Ok(())
    }
}

impl TestedFunction {
    /// Keeps it in the directory of a run.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn keep(&self, run: &Path) -> Result<()> {
        let path = run.join(SUBJECT);
        let written = serde_json::to_vec(self).map_err(Into::into);
        let written = written.and_then(|bytes| disk::write_atomic(&path, &bytes));
        written.with_context(|| format!("cannot write {}", path.display()))
    }

    /// What a run has kept; `None`: its tests are not written as C.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn kept(run: &Path) -> Result<Option<TestedFunction>> {
        let path = run.join(SUBJECT);
        if !path.exists() {
            return Ok(None);
        }
        let read = std::fs::read(&path).map_err(anyhow::Error::from);
        let read = read.and_then(|bytes| Ok(serde_json::from_slice(&bytes)?));
        read.with_context(|| format!("cannot read {}", path.display()))
    }

    /// The file without tests, to see whether it compiles.
    pub fn without_tests(&self) -> String {
        self.file(&CTable::default(), "")
    }

    /// The stem of its files' names.
    fn stem(&self) -> String {
        identifier(&self.function)
    }

    fn file(&self, table: &CTable, head: &str) -> String {
        let own = match (&self.without_header, &self.header) {
            (Some(why), _) => format!("#define {OWN_DECLARATIONS} /* {} */\n", comment(why)),
            (None, _) => String::new(),
        };
        let header = match &self.header {
            Some(header) if !self.source.behind_header.is_empty() => format!(
                "\n#ifndef {OWN_DECLARATIONS}\n#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\"\n\
                 #include \"{}\"\n\n/* The library's functions, as the driver calls them. */{}#endif\n",
                header.name, self.source.behind_header
            ),
            _ => String::new(),
        };
        let parts = [
            ("/*** DRIVER ***/\n", &self.source.driver),
            ("/*** TABLE ***/\n", &table.text()),
            ("/*** HEADER ***/\n", &header),
        ];
        let mut file = format!("{head}{own}");
        let mut rest = TEMPLATE;
        for (marker, part) in parts {
            let (before, behind) = rest.split_once(marker).unwrap_or((rest, ""));
            file += before;
            file += part;
            rest = behind;
        }
        file + rest
    }
}

/// Writes the tests of a run, if it has kept what they are made of.
///
/// # Errors
/// The tests cannot be read, or the files cannot be written.
pub fn write(dir: &Path) -> Result<Option<WrittenTests>> {
    let Some(of) = TestedFunction::kept(dir)? else {
        return Ok(None);
    };
    let run = Run::outline(dir, MOST)?;
    let bugs = bug::of_program(&run.errors);
    let mut telling = Telling::new(&bugs);
    let mut table = CTable {
        environment: run.tests.first().map_or(Vec::new(), |t| t.env.clone()),
        ..CTable::default()
    };
    for test in &run.tests {
        let outcome = format!("{:?}", test.expected.exit);
        let made = telling.choose(test, &outcome, || table.refusal(test).map_or(Ok(()), Err));
        if made.is_some() {
            let bug = test.error.as_ref().and_then(|e| telling.bug(e));
            let name = telling.unique(name(&of.function, test, &of.source));
            table.add(test, name, bug);
        }
    }
    let mut written = WrittenTests {
        tests: table.names.len(),
        findings: table.count(|kind| kind != Label::Covering),
        marked: table.count(|kind| kind == Label::Marked),
        left_out: telling.left_out().collect(),
        file: None,
    };
    if written.tests == 0 {
        return Ok(Some(written));
    }
    let folder = run.dir.join(FOLDER);
    let path = folder.join(format!("{}.c", of.stem()));
    let head = head(&of, &written, run.totals.tests);
    let text = of.file(&table, &head);
    let lists = cmake(&of, &table);
    std::fs::create_dir_all(&folder)
        .and_then(|()| disk::write_atomic(&path, text.as_bytes()))
        .and_then(|()| disk::write_atomic(&folder.join(LISTS), lists.as_bytes()))
        .with_context(|| format!("cannot write {}", path.display()))?;
    written.file = Some(path);
    Ok(Some(written))
}

/// What kind of test it is, for CTest's labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Label {
    Covering,
    Finding,
    Marked,
    Accepted,
}

impl Label {
    fn word(self) -> &'static str {
        match self {
            Label::Covering => "covering",
            Label::Finding => "finding",
            Label::Marked => "finding;precondition",
            Label::Accepted => "finding;accepted",
        }
    }
}

/// The tests as tables of C.
#[derive(Default)]
struct CTable {
    inputs: String,
    rows: String,
    names: Vec<(String, Label)>,
    /// Inputs of a test at most.
    most: usize,
    /// The environment of all tests.
    environment: Vec<Vec<u8>>,
}

impl CTable {
    /// Why a test cannot be one of C's; `None`: it can.
    fn refusal(&self, test: &TestCase) -> Option<&'static str> {
        if matches!(test.expected.exit, ExitKind::Killed(_)) {
            return Some("did not come to an end");
        }
        if test.error.as_ref().map(|e| e.kind) == Some(ErrorKind::Unsupported) {
            return Some("met something that Polypath does not follow");
        }
        let has_stdin = test.stdin.as_ref().is_some_and(|bytes| !bytes.is_empty());
        if has_stdin || !test.files.is_empty() || test.input_objects > 0 {
            return Some(
                "take input beside the function's parameters (standard input, files, arguments)",
            );
        }
        if test.env != self.environment {
            return Some("have another environment than the first one");
        }
        let size = test.objects.iter().map(|(_, bytes)| bytes.len());
        (size.sum::<usize>() > LARGEST).then_some("have more than 64 KiB of input")
    }

    fn add(&mut self, test: &TestCase, name: String, bug: Option<&Bug<'_>>) {
        let number = self.names.len() + 1;
        let told = match (bug, &test.error) {
            (Some(bug), _) => Some(bug.to_string()),
            (None, error) => error.as_ref().map(ToString::to_string),
        };
        let shown = bug.map(Bug::shown).or(test.error.as_ref());
        let condition = shown.and_then(|e| e.precondition.as_deref());
        let accepted = bug.and_then(Bug::suppressed);
        let label = match (shown, condition, accepted) {
            (None, ..) => Label::Covering,
            (_, _, Some(_)) => Label::Accepted,
            (_, Some(_), _) => Label::Marked,
            _ => Label::Finding,
        };
        let mut text = format!("\n/* {name}: {}", test_name(test.id));
        if let Some(told) = &told {
            let _ = write!(text, ": {}", comment(told));
        }
        let _ = writeln!(text, " */");
        let mut inputs = "0".to_string();
        if !test.objects.is_empty() {
            inputs = format!("pp_inputs_{number}");
            let _ = writeln!(text, "static const struct pp_input {inputs}[] = {{");
            for (name, bytes) in &test.objects {
                let given = bytes.iter().rposition(|b| *b != 0).map_or(0, |at| at + 1);
                let _ = writeln!(
                    text,
                    "    {{{}, {}, {given}, {}}},",
                    literal(name.as_bytes()),
                    bytes.len(),
                    literal(&bytes[..given])
                );
            }
            text += "};\n";
        }
        let (status, signal) = match test.expected.exit {
            ExitKind::Status(n) => (n, 0),
            ExitKind::Signal(n) => (0, n),
            ExitKind::Error(_) | ExitKind::Killed(_) => (0, 0),
        };
        let kind = test.error.as_ref().map(|e| e.kind);
        let _ = writeln!(
            self.rows,
            "    {{{}, {inputs}, {}, {status}, {signal},\n     {}, {}, {}, {}}},",
            literal(name.as_bytes()),
            test.objects.len(),
            or_null(told.as_deref()),
            or_null(condition),
            or_null(accepted),
            kind.map_or("PP_NONE", shown_by)
        );
        self.inputs += &text;
        self.most = self.most.max(test.objects.len());
        self.names.push((name, label));
    }

    fn count(&self, is_counted: impl Fn(Label) -> bool) -> usize {
        let counted = self.names.iter().filter(|(_, label)| is_counted(*label));
        counted.count()
    }

    fn text(&self) -> String {
        let mut environment = String::new();
        for variable in &self.environment {
            let _ = write!(environment, "{}, ", literal(variable));
        }
        // (C has no empty array.)
        let none = "    {\"none\", 0, 0, 0, 0, 0, 0, 0, PP_NONE},\n";
        let rows = if self.rows.is_empty() {
            none
        } else {
            &self.rows
        };
        format!(
            "enum {{ PP_MOST_INPUTS = {} }};\n\nstatic char *pp_environment[] = {{{environment}0}};\n{}\n\
             static const struct pp_test pp_tests[] = {{\n{rows}}};\n",
            self.most + 1,
            self.inputs
        )
    }
}

/// What shows an error of this kind. A compiler may remove an access or a division whose result nobody needs, so nothing is said of
/// those without a check.
fn shown_by(kind: ErrorKind) -> &'static str {
    let all = checks(kind);
    let has = |is_it: fn(&ReplayCheck) -> bool| all.iter().any(is_it);
    if kind == ErrorKind::Leak {
        // (The driver keeps its objects, so leaks are not looked for.)
        "PP_NONE"
    } else if has(|c| matches!(c, ReplayCheck::Abort(_))) {
        "PP_SIGNAL"
    } else if has(|c| matches!(c, ReplayCheck::Address(_))) {
        "PP_ADDRESS"
    } else if has(|c| matches!(c, ReplayCheck::Traps)) || kind == ErrorKind::Misaligned {
        "PP_UNDEFINED"
    } else if has(|c| matches!(c, ReplayCheck::Unset | ReplayCheck::Valgrind)) {
        "PP_MEMORY"
    } else if has(|c| matches!(c, ReplayCheck::Fault(_))) {
        "PP_SIGNAL"
    } else {
        "PP_NONE"
    }
}

/// The comment at the head of the file.
fn head(of: &TestedFunction, written: &WrittenTests, all: usize) -> String {
    let mut text = format!(
        "/* Tests of {}, written by Polypath: {} of {all} paths that it found",
        comment(&of.function),
        written.tests
    );
    if written.findings > 0 {
        let _ = write!(text, ", {} of them with an error", written.findings);
    }
    text += ".\n";
    for (why, n) in &written.left_out {
        let _ = writeln!(text, " * Not here: {n} that {why}.");
    }
    let stem = of.stem();
    let mut words: Vec<String> = vec![
        "cc -g -fsanitize=address,undefined".into(),
        format!("{stem}.c"),
    ];
    let shell = |word: &str| crate::shell::word(word.as_bytes());
    let paths = |paths: &[PathBuf]| -> Vec<String> {
        let shown = paths.iter().map(|p| shell(&p.to_string_lossy()));
        shown.collect()
    };
    words.extend(paths(&of.directories()).iter().map(|d| format!("-I{d}")));
    words.extend(of.flags.iter().map(|flag| shell(flag)));
    words.extend(paths(&of.libraries));
    if of.has_binary() {
        words.push("-no-pie".into());
    }
    words.push(format!("-o {stem} && ./{stem}"));
    let _ = write!(
        text,
        " *\n *     {}\n *\n \
         * Build the library with the same sanitizers: many errors show only under them. CMakeLists.txt runs each test by CTest.\n \
         * A test without an error passes when it ends as predicted. A test of an error FAILS as long as the error is there, and\n \
         * passes once it is mended; where it happens only if some precondition holds, it is skipped, and --marked runs it. Tests\n \
         * that do not fit the library any more are skipped, too. They run on x86-64 Linux, each in a process and an empty\n \
         * directory of its own, as you: what the function does to files whose names it is given, it does.\n",
        comment(&words.join(" "))
    );
    if let Some(header) = &of.header {
        let _ = writeln!(
            text,
            " * -D{OWN_DECLARATIONS}: without {}.",
            comment(&header.name)
        );
    }
    text += " */\n";
    text
}

impl TestedFunction {
    /// Is something that is linked no source? What `polypath cc` made is for programs at fixed addresses.
    fn has_binary(&self) -> bool {
        let is_source = |path: &PathBuf| {
            let end = path.extension().map(|e| e.to_string_lossy());
            end.is_some_and(|end| SOURCES.contains(&&*end))
        };
        !self.libraries.iter().all(is_source)
    }

    /// The directories of the header, if it is included.
    pub fn directories(&self) -> Vec<PathBuf> {
        let header = self.header.as_ref();
        let header = header.filter(|_| self.without_header.is_none());
        header.map_or(Vec::new(), |h| h.directories.clone())
    }
}

/// `CMakeLists.txt`: the program, and a test for each of the tests.
fn cmake(of: &TestedFunction, table: &CTable) -> String {
    let stem = of.stem();
    let list = |paths: &[PathBuf]| {
        let shown = paths
            .iter()
            .map(|p| cmake_word(&p.to_string_lossy()))
            .collect::<Vec<_>>();
        shown.join(";")
    };
    let flags: Vec<String> = of.flags.iter().map(|f| cmake_word(f)).collect();
    let no_pie = if of.has_binary() {
        format!("target_link_options({stem}_tests PRIVATE -no-pie)\n")
    } else {
        String::new()
    };
    let mut text = format!(
        "# Tests of {function}, written by Polypath:\n\
         #   cmake -S . -B build -DLIBRARY=libraries-or-sources -DINCLUDE=directories\n\
         #   cmake --build build && ctest --test-dir build\n\
         # Build the library with the same sanitizers. `ctest -L finding` runs the tests of errors, `-LE finding` the others.\n\
         cmake_minimum_required(VERSION 3.16)\n\
         project({stem}_tests C)\n\
         enable_testing()\n\
         set(LIBRARY \"{libraries}\" CACHE STRING \"The library under test, and what it needs: libraries or sources\")\n\
         set(INCLUDE \"{include}\" CACHE STRING \"Directories with the library's headers\")\n\
         set(FLAGS \"{flags}\" CACHE STRING \"Flags of the compiler\")\n\
         set(SANITIZE \"address,undefined\" CACHE STRING \"Sanitizers, or nothing\")\n\
         option(MARKED \"Run tests that happen only under a precondition, too\" OFF)\n\n\
         set(sources ${{LIBRARY}})\n\
         list(FILTER sources INCLUDE REGEX \"[.]({ends})$\")\n\
         set(libraries ${{LIBRARY}})\n\
         list(FILTER libraries EXCLUDE REGEX \"[.]({ends})$\")\n\
         add_executable({stem}_tests {stem}.c ${{sources}})\n\
         target_include_directories({stem}_tests PRIVATE ${{INCLUDE}})\n\
         target_compile_options({stem}_tests PRIVATE -g ${{FLAGS}})\n\
         target_link_libraries({stem}_tests PRIVATE ${{libraries}})\n{no_pie}\
         if(SANITIZE)\n    \
         target_compile_options({stem}_tests PRIVATE -fsanitize=${{SANITIZE}})\n    \
         target_link_libraries({stem}_tests PRIVATE -fsanitize=${{SANITIZE}})\n\
         endif()\n\
         set(marked)\n\
         if(MARKED)\n    \
         set(marked --marked)\n\
         endif()\n\n\
         function(polypath_test name labels)\n    \
         add_test(NAME ${{name}} COMMAND {stem}_tests ${{marked}} ${{name}})\n    \
         set_tests_properties(${{name}} PROPERTIES SKIP_RETURN_CODE 77 LABELS \"${{labels}}\")\n\
         endfunction()\n\n",
        function = of.function.replace('\n', " "),
        libraries = list(&of.libraries),
        include = list(&of.directories()),
        flags = flags.join(";"),
        ends = SOURCES.join("|"),
    );
    for (name, label) in &table.names {
        let _ = writeln!(text, "polypath_test({name} \"{}\")", label.word());
    }
    text
}

/// A word inside of a string of CMake.
fn cmake_word(text: &str) -> String {
    let escaped: BTreeMap<char, &str> =
        BTreeMap::from([('\\', "\\\\"), ('"', "\\\""), ('$', "\\$"), (';', "\\;")]);
    let one = |c: char| escaped.get(&c).map_or(c.to_string(), |e| (*e).to_string());
    text.chars().map(one).collect()
}
