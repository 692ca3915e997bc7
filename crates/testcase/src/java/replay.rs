//! Replay of Java tests on a plain JVM: a class with a call for each test is compiled, and a process in the sandbox
//! makes the calls, each with classes of its own. The outcome of a call is compared with that on the woven JVM:
//! result, or class and message of the exception, and output. An error is confirmed if the same exception comes from
//! the same line. An agent records the path of each call through the blocks of the program's classes, which is
//! compared with the run's.
//!
//! A program that asks for input itself (`polypath.Symbolic`, SV-COMP's `Verifier` and its like) gets classes of these names
//! that have the test's values.
//!
//! A call that ends its process (`System.exit`, a time-out, a crash) ends only itself: the next process continues with
//! the next call.

use super::{Method, SAYS, asks, digits, inside, thrown, utf8};
use crate::disk;
use crate::model::{ErrorRecord, ExitKind, Expected, FileSpec, TestCase, test_name};
use crate::read::{self, Run};
use crate::replay::sandbox::{NativeEnd, Sandbox, Scratch, tool};
use crate::replay::{
    Confirmation, ErrorResult, ExitSummary, ReplayProgress, ReplayVerdict, SandboxLimits,
    Selection, TestResult,
};
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Options of a replay.
pub struct Options<'a> {
    /// The output directory of a run, or the directory of a single test.
    pub dir: &'a Path,
    /// The method under test.
    pub method: &'a Method,
    /// Directories and archives with the program's classes.
    pub class_path: &'a [PathBuf],
    /// The JVM, the compiler, and the class path of the driver.
    pub java: &'a Path,
    /// The compiler.
    pub javac: &'a Path,
    /// The class path of the driver.
    pub driver: &'a str,
    /// The agent that follows the way of calls.
    pub agent: &'a Path,
    /// Sources of the classes that stand in for those by which programs ask other tools for input: name and text.
    pub stand_ins: &'a [(&'static str, &'static str)],
    /// The directory for compiled classes; programs in the sandbox can see it.
    pub scratch: &'a Scratch,
    /// Options of the JVM that say what the program sees of the world around it.
    pub world: &'a [&'a str],
    /// Heap of the JVM in MiB.
    pub heap_mb: u64,
    /// The time limit of one call.
    pub time: Duration,
    /// The sandbox of the JVM.
    pub sandbox: &'a Sandbox,
    /// Which tests.
    pub selection: Selection,
    /// Called after each process.
    pub progress: &'a dyn Fn(ReplayProgress),
    /// When this is set, the replay ends with the results so far.
    pub stop: &'a AtomicBool,
}

/// Calls in one class: a class file has room for some thousand.
const CALLS: usize = 250;
/// Calls made by one process.
const BATCH: usize = 100;
/// Beyond the calls' own time.
const START: Duration = Duration::from_secs(20);
/// How the process ends when a call takes too long (`Replay.java`).
const HANGS: i32 = 86;

/// Something that a program asked for (`Given.java`).
pub struct Asked {
    /// Its type and its value, in Java's words.
    pub kind: String,
    /// See `kind`.
    pub value: String,
    /// Source file and line of the call that asked.
    pub file: String,
    /// See `file`.
    pub line: u32,
}

/// The values that one call of a program asked for, in order.
///
/// # Errors
/// The call cannot be made, does not compile, or ends in a wrong way.
pub fn asked(options: &Options<'_>, test: &TestCase) -> Result<Vec<Asked>> {
    let (calls, refused) = calls(options.method, &[test]);
    if let Some(why) = refused.get(&test.id) {
        anyhow::bail!("its test {why}");
    }
    compile(options, &calls)?;
    let mut heard = ProcessReport {
        says: true,
        ..ProcessReport::default()
    };
    process(options, &calls, &mut heard)?;
    match heard.seen.get(&test.id).map(|seen| compare(test, seen)) {
        Some(ReplayVerdict::Same | ReplayVerdict::DifferentMessages(_)) => Ok(heard.asked),
        _ => anyhow::bail!("on a plain JVM the program does something else"),
    }
}

/// The reports of processes.
#[derive(Default)]
struct ProcessReport {
    /// Results by test.
    seen: BTreeMap<u32, CallResult>,
    /// Does the program report the values that it asks for? If so, the reports.
    says: bool,
    asked: Vec<Asked>,
}

impl ProcessReport {
    /// A line about something that was asked for, without its first word.
    fn add_asked(&mut self, line: &str) {
        let parts: Vec<&str> = line.split('\t').collect();
        if let [kind, value, file, line] = parts[..] {
            self.asked.push(Asked {
                kind: kind.into(),
                value: unescaped(value),
                file: file.into(),
                line: line.parse().unwrap_or(0),
            });
        }
    }
}

/// The outcome of a call.
enum CallResult {
    /// Its outcome, its output, and its path through the blocks, if that is known.
    Ended(String, String, Option<u64>),
    /// It ended its process.
    Gone(NativeEnd),
}

/// Replays the tests; writes `replay.json` if `dir` is a run's directory.
///
/// # Errors
/// The tests cannot be read, their source does not compile, or no process can be started.
pub fn run(options: &Options<'_>) -> Result<ExitSummary> {
    let single = options.dir.join("meta.json").is_file();
    let run = if single {
        let mut problems = Vec::new();
        let tests = read::tests(options.dir, &mut problems)?;
        Run {
            errors: tests.iter().filter_map(|t| t.error.clone()).collect(),
            tests,
            problems,
            ..Run::default()
        }
    } else {
        Run::read(options.dir)?
    };
    let selected = options.selection.of(&run.tests);
    let mut summary = ExitSummary {
        binary: options.java.display().to_string(),
        problems: run.problems.clone(),
        ..ExitSummary::default()
    };
    let (calls, refused) = calls(options.method, &selected);
    compile(options, &calls)?;
    let seen = make(options, &calls)?;
    for test in &selected {
        let name = test_name(test.id);
        let verdict = match (seen.get(&test.id), refused.get(&test.id)) {
            (Some(seen), _) => compare(test, seen),
            (None, Some(why)) => ReplayVerdict::NotRun(format!("such tests {why}")),
            (None, None) => continue,
        };
        if let (Some(CallResult::Ended(.., Some(_))), Some(_)) =
            (seen.get(&test.id), test.expected.path_hash)
        {
            *summary.followed.get_or_insert_default() += 1;
        }
        let is_error = test.error.is_some() && verdict == ReplayVerdict::Same;
        let verdict = if is_error {
            ReplayVerdict::Error
        } else {
            verdict
        };
        if let ReplayVerdict::DifferentExit(how)
        | ReplayVerdict::DifferentOutput(how)
        | ReplayVerdict::DifferentWay(how) = &verdict
        {
            summary.divergences.push((name.clone(), how.clone()));
        }
        *summary.totals.entry(verdict.name().into()).or_default() += 1;
        summary.tests.push(TestResult {
            test: name,
            verdict,
        });
    }
    for error in run.errors.iter().filter(|e| e.kind.is_program_error()) {
        let test = selected.iter().find(|t| shows(t, error, single));
        let confirmation = match test.and_then(|t| seen.get(&t.id)) {
            Some(seen) => {
                let expected = test.map(|t| &t.expected);
                confirm(error, seen, expected.filter(|e| e.is_unsteady()))
            }
            None => Confirmation::Undecided("its test was not run".into()),
        };
        let result = ErrorResult {
            kind: error.kind,
            file: error.file.clone(),
            line: error.line,
            column: error.column,
            test: error.test.clone(),
            precondition: error.precondition.clone(),
            confirmation,
        };
        *summary
            .error_totals
            .entry(result.name().into())
            .or_default() += 1;
        summary.errors.push(result);
    }
    let mut why: Vec<String> = Vec::new();
    why.extend(options.selection.words(selected.len(), run.tests.len()));
    summary.interrupted = summary.tests.len() < selected.len();
    if summary.interrupted {
        let (n, all) = (summary.tests.len(), selected.len());
        why.push(format!("interrupted after {n} of {all} tests"));
    }
    summary.incomplete = (!why.is_empty()).then(|| why.join("; "));
    if !single {
        let path = run.dir.join("replay.json");
        if let Err(e) = disk::write_atomic(&path, &serde_json::to_vec_pretty(&summary)?) {
            // The results are still told.
            summary.unwritten = Some(format!("cannot write {}: {e}", path.display()));
        }
    }
    Ok(summary)
}

fn shows(test: &TestCase, error: &ErrorRecord, single: bool) -> bool {
    single || test_name(test.id) == error.test
}

/// A test's call: class and method to call, and the statement.
struct TestCall {
    id: u32,
    class: String,
    statement: String,
    /// The program asks for input itself.
    asks: bool,
}

/// The classes by which programs ask for input, with a test's values.
const INPUT: [(&str, &str); 2] = [
    (
        "polypath/Given.java",
        include_str!("../../runtime/java/polypath/Given.java"),
    ),
    (
        "polypath/Symbolic.java",
        include_str!("../../runtime/java/polypath/Symbolic.java"),
    ),
];

/// A statement that supplies the values that a program asks for; empty if it asks for none.
fn given(test: &TestCase) -> String {
    let objects = inside(test);
    if objects.is_empty() {
        return String::new();
    }
    let list = |words: Vec<String>| format!("new String[] {{{}}}", words.join(", "));
    let names = objects.iter().map(|(name, _)| text(name)).collect();
    let bytes = objects.iter().map(|(_, bytes)| text(&digits(bytes)));
    format!(
        "polypath.Given.set({}, {});",
        list(names),
        list(bytes.collect())
    )
}

/// A string in source.
pub(super) fn text(words: &str) -> String {
    let mut out = String::from("\"");
    for unit in words.encode_utf16() {
        match u8::try_from(unit) {
            Ok(c) if (c.is_ascii_graphic() || c == b' ') && c != b'"' && c != b'\\' => {
                out.push(c.into());
            }
            // By its octal or its Unicode number: no other character can end the string.
            Ok(c) => out.push_str(&format!("\\{c:03o}")),
            Err(_) => out.push_str(&format!("\\u{unit:04x}")),
        }
    }
    out.push('"');
    out
}

/// The calls, and why the other tests have none.
fn calls(method: &Method, tests: &[&TestCase]) -> (Vec<TestCall>, BTreeMap<u32, &'static str>) {
    let mut calls: Vec<TestCall> = Vec::new();
    let mut refused = BTreeMap::new();
    for test in tests {
        let call = match &test.expected.exit {
            ExitKind::Killed(_) => Err("did not come to an end"),
            _ => method.call(test),
        };
        match call {
            Ok(call) => {
                let simple = format!("Polypath{}Calls{}", method.camel(), calls.len() / CALLS);
                let class = if method.package.is_empty() {
                    simple
                } else {
                    format!("{}.{simple}", method.package)
                };
                let statement = match method.returns.as_str() {
                    "void" => format!("{call};"),
                    returns => {
                        let typed = method.typed(&call, result_type(returns));
                        format!("return {typed};")
                    }
                };
                calls.push(TestCall {
                    id: test.id,
                    class,
                    statement: format!("{} {} {statement}", given(test), method.before(test)),
                    asks: asks(test),
                });
            }
            Err(why) => {
                refused.insert(test.id, why);
            }
        }
    }
    (calls, refused)
}

/// The type that the call's own method has: primitives differ in what is said of them, all others do not.
fn result_type(returns: &str) -> &str {
    match returns {
        "void" | "boolean" | "byte" | "short" | "char" | "int" | "long" | "float" | "double" => {
            returns
        }
        _ => "Object",
    }
}

fn classes(options: &Options<'_>) -> PathBuf {
    options.scratch.path().join("classes")
}

/// The class path of compiler and JVM: the calls, then the program.
fn path(options: &Options<'_>) -> Result<OsString> {
    let all = std::iter::once(classes(options)).chain(options.class_path.iter().cloned());
    std::env::join_paths(all).context("a colon in the class path")
}

fn compile(options: &Options<'_>, calls: &[TestCall]) -> Result<()> {
    let to = classes(options);
    std::fs::create_dir_all(&to).with_context(|| format!("cannot make {}", to.display()))?;
    if calls.is_empty() {
        return Ok(());
    }
    let method = options.method;
    let returns = result_type(&method.returns);
    let mut command = Command::new(options.javac);
    command.args(["-nowarn", "-proc:none", "-encoding", "UTF-8", "-cp"]);
    command.arg(path(options)?).arg("-d").arg(&to);
    if calls.iter().any(|c| c.asks) {
        for (name, text) in INPUT.iter().chain(options.stand_ins) {
            let file = options.scratch.path().join("sources").join(name);
            let folder = file.parent().unwrap_or(&file);
            std::fs::create_dir_all(folder)
                .and_then(|()| std::fs::write(&file, text))
                .with_context(|| format!("cannot write {}", file.display()))?;
            command.arg(file);
        }
    }
    for group in calls.chunks(CALLS) {
        let class = &group[0].class;
        let simple = class.rsplit('.').next().unwrap_or_default();
        let mut text = format!("{}public class {simple} {{\n", method.package_line());
        for call in group {
            let (name, statement) = (test_name(call.id), &call.statement);
            let _ = writeln!(
                text,
                "    public static {returns} {name}() throws Throwable {{ {statement} }}"
            );
        }
        text += method.helper();
        text.push_str("}\n");
        let file = options.scratch.path().join(format!("{simple}.java"));
        std::fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
        command.arg(file);
    }
    tool(&mut command).context("the tests as Java source do not compile")?;
    Ok(())
}

/// Makes the calls, in as many processes as it takes.
fn make(options: &Options<'_>, calls: &[TestCall]) -> Result<BTreeMap<u32, CallResult>> {
    let mut heard = ProcessReport::default();
    let begun = Instant::now();
    let mut rest = calls;
    while !rest.is_empty() && !options.stop.load(Ordering::Relaxed) {
        let batch = &rest[..rest.len().min(BATCH)];
        let ended = process(options, batch, &mut heard)?;
        rest = &rest[ended..];
        (options.progress)(ReplayProgress {
            what: "tests",
            done: calls.len() - rest.len(),
            all: calls.len(),
            elapsed: begun.elapsed(),
        });
    }
    Ok(heard.seen)
}

/// One process; how many of the calls are done with it.
fn process(options: &Options<'_>, batch: &[TestCall], heard: &mut ProcessReport) -> Result<usize> {
    let path = path(options)?;
    let mut list = format!("{}\n{}\n", path.to_string_lossy(), options.time.as_millis());
    for call in batch {
        let _ = writeln!(list, "{0}\t{1}\t{0}", test_name(call.id), call.class);
    }
    const LIST: &str = ".polypath-calls";
    let heap = format!("-Xmx{}m", options.heap_mb);
    let asked = format!("-Dpolypath.asked={}", heard.says);
    let method = options.method;
    let class = if method.declares.is_empty() {
        &method.class
    } else {
        &method.declares
    };
    let agent = options.agent.display();
    let agent = format!("-javaagent:{agent}={class}.{}", method.name);
    let words = [
        "java",
        "-ea",
        "-Xss4m",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-XX:-UsePerfData",
        "-XX:-OmitStackTraceInFastThrow",
        &heap,
        &asked,
        &agent,
    ];
    let program = ["-cp", options.driver, "polypath.driver.Replay", LIST];
    let words = words.iter().chain(options.world).chain(&program);
    let environment = fence::inherit::JAVA_ENVIRONMENT.iter();
    let test = TestCase {
        env: environment
            .map(|(name, value)| format!("{name}={value}").into_bytes())
            .collect(),
        args: words.map(|w| w.as_bytes().to_vec()).collect(),
        files: vec![FileSpec {
            path: LIST.into(),
            bytes: list.into_bytes(),
            mode: 0o644,
            ..FileSpec::default()
        }],
        ..TestCase::default()
    };
    let all = options.time * u32::try_from(batch.len()).unwrap_or(u32::MAX) + START;
    let limits = SandboxLimits {
        time: all,
        // A JVM reserves what it never uses.
        memory: None,
        ..SandboxLimits::default()
    };
    let observed = options.sandbox.run(options.java, &test, &limits)?;
    let mut begun = None;
    let mut done = 0;
    for line in String::from_utf8_lossy(&observed.stdout).lines() {
        if let Some(asked) = line.strip_prefix("asked\t") {
            heard.add_asked(asked);
            continue;
        }
        let mut parts = line.split('\t');
        let (name, what) = (parts.next().unwrap_or_default(), parts.next());
        let Some(at) = batch.iter().position(|c| test_name(c.id) == name) else {
            continue;
        };
        match (what, parts.next()) {
            (Some(said), Some(printed)) => {
                let way = parts.next().and_then(|w| u64::from_str_radix(w, 16).ok());
                let way = way.filter(|&way| way != 0);
                let ended = CallResult::Ended(unescaped(said), unescaped(printed), way);
                heard.seen.insert(batch[at].id, ended);
                (begun, done) = (None, at + 1);
            }
            _ => begun = Some(at),
        }
    }
    if let Some(at) = begun {
        let end = match observed.end {
            NativeEnd::Exited(HANGS) => NativeEnd::TimedOut,
            end => end,
        };
        heard.seen.insert(batch[at].id, CallResult::Gone(end));
        done = at + 1;
    }
    anyhow::ensure!(
        done > 0,
        "the JVM does not start: {}",
        String::from_utf8_lossy(&observed.stderr).trim()
    );
    Ok(done)
}

fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, c == '\\') {
            (_, true) => match chars.next() {
                Some('n') => out.push('\n'),
                Some('r') => out.push('\r'),
                Some('t') => out.push('\t'),
                Some(other) => out.push(other),
                None => {}
            },
            _ => out.push(c),
        }
    }
    out
}

/// An exception in the form of `Said.java`.
struct Exception<'a> {
    class: &'a str,
    message: String,
    /// File and line of the innermost call that is the program's own.
    place: (&'a str, u32),
}

fn exception(said: &str) -> Option<Exception<'_>> {
    let mut lines = said.strip_prefix("threw ")?.lines();
    let class = lines.next()?;
    let message = unescaped(lines.next().unwrap_or_default());
    let own = lines.skip(2).find_map(|line| {
        let parts: Vec<&str> = line.split('\t').collect();
        let is_own = parts.get(4).is_none_or(|module| module.is_empty());
        is_own.then(|| {
            let number = parts.get(3).and_then(|n| n.parse().ok());
            (
                parts.get(2).copied().unwrap_or_default(),
                number.unwrap_or(0),
            )
        })
    });
    Some(Exception {
        class,
        message,
        place: own.unwrap_or_default(),
    })
}

/// Compares. What differs where the run asked for what each run answers in its own way is no fault of the prediction.
fn compare(test: &TestCase, seen: &CallResult) -> ReplayVerdict {
    let verdict = difference(test, seen);
    let expected = &test.expected;
    match verdict {
        ReplayVerdict::DifferentExit(what)
        | ReplayVerdict::DifferentOutput(what)
        | ReplayVerdict::DifferentWay(what)
            if expected.is_unsteady() =>
        {
            ReplayVerdict::Unsteady(format!("{what}; {}", expected.unsteady_words()))
        }
        verdict => verdict,
    }
}

fn difference(test: &TestCase, seen: &CallResult) -> ReplayVerdict {
    let (said, printed, way) = match seen {
        CallResult::Gone(NativeEnd::TimedOut) => return ReplayVerdict::TimedOut,
        CallResult::Gone(NativeEnd::Exited(n)) => {
            // `System.exit` says nothing.
            return match &test.expected.exit {
                ExitKind::Status(m) if m == n && test.expected.stderr.is_empty() => {
                    ReplayVerdict::Same
                }
                _ => ReplayVerdict::DifferentExit(format!(
                    "the JVM exited with status {n}, expected: {}",
                    brief(utf8(&test.expected.stderr))
                )),
            };
        }
        CallResult::Gone(end) => {
            return ReplayVerdict::DifferentExit(format!("the JVM ended: {end:?}"));
        }
        CallResult::Ended(said, printed, way) => (said, printed, way),
    };
    let wanted = utf8(&test.expected.stderr);
    let differs = |said: &str| {
        ReplayVerdict::DifferentExit(format!("{}, expected: {}", brief(said), brief(wanted)))
    };
    let mut words = None;
    match (exception(said), wanted.strip_prefix("threw ")) {
        (Some(e), Some(expected)) => {
            let expected = expected.lines().next().unwrap_or_default();
            if expected.split(':').next() != Some(e.class) {
                return differs(said);
            }
            let found = thrown(e.class, &e.message);
            if found != expected {
                words = Some(format!("{found}, expected: {expected}"));
            }
        }
        (None, None) if said == wanted => {}
        // Where what an object says of itself is another thing in each run, it was not kept.
        (None, None) if object(said) == Some(wanted) => {}
        // What an object says of itself can have more in it than what it is.
        (None, None) if object(said).is_some() && object(said) == object(wanted) => {
            words = Some(format!("{}, expected: {}", brief(said), brief(wanted)));
        }
        _ => return differs(said),
    }
    if printed.as_bytes() != test.expected.stdout {
        let expected = String::from_utf8_lossy(&test.expected.stdout);
        let (found, expected) = (brief(printed), brief(&expected));
        return ReplayVerdict::DifferentOutput(format!("printed {found:?}, expected {expected:?}"));
    }
    if let (Some(way), Some(expected)) = (way, &test.expected.path_hash)
        && way != expected
    {
        let what = "the same outcome by another way through the blocks of the program";
        return ReplayVerdict::DifferentWay(what.into());
    }
    match words {
        Some(words) => ReplayVerdict::DifferentMessages(words),
        None => ReplayVerdict::Same,
    }
}

/// A result that says something of itself, without that.
fn object(said: &str) -> Option<&str> {
    let (what, source) = said.split_once('\n')?;
    source.starts_with(SAYS).then_some(what)
}

/// The beginning, on one line.
fn brief(text: &str) -> String {
    const SHOWN: usize = 120;
    let mut out: String = text.chars().take(SHOWN).collect();
    if out.len() < text.len() {
        out.push('…');
    }
    out.replace('\n', " ")
}

/// `unsteady`: what was expected, if another run may come to something else.
fn confirm(error: &ErrorRecord, seen: &CallResult, unsteady: Option<&Expected>) -> Confirmation {
    let contradicted = |what: String| match unsteady {
        Some(expected) => Confirmation::Undecided(format!("{what}; {}", expected.unsteady_words())),
        None => Confirmation::Contradicted(what),
    };
    let CallResult::Ended(said, ..) = seen else {
        return Confirmation::Undecided("its call ended the JVM, or took too long".into());
    };
    let Some(e) = exception(said) else {
        return contradicted(format!("a plain JVM: {}", brief(said)));
    };
    let (file, line) = e.place;
    let is_same = error.message.split(':').next() == Some(e.class);
    let words = format!("{} at {file}:{line}", e.class);
    // The error has the path of the source; the JVM knows its name.
    let name = error.file.rsplit('/').next().unwrap_or_default();
    if is_same && (file, line) == (name, error.line) {
        Confirmation::Confirmed(words)
    } else {
        contradicted(format!("a plain JVM: {words}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(said: &str) -> TestCase {
        TestCase {
            expected: Expected {
                stderr: said.into(),
                ..Expected::default()
            },
            ..TestCase::default()
        }
    }

    fn ended(said: &str) -> CallResult {
        CallResult::Ended(said.into(), String::new(), None)
    }

    #[test]
    fn planted_divergences_are_found() {
        let same = |a: &str, b: &str| compare(&test(a), &ended(b)) == ReplayVerdict::Same;
        assert!(same("returned I 5", "returned I 5"));
        assert!(!same("returned I 5", "returned I 6"));
        assert!(!same("returned L a.B", "threw a.B\n\n\na.B"));
        let throws = "threw a.E: no\nE";
        assert!(same(throws, "threw a.E\nno\n\na.E"));
        assert!(!same(throws, "threw a.F\nno\n\na.F"));
        let other = compare(&test(throws), &ended("threw a.E\nyes\n\na.E"));
        assert!(matches!(other, ReplayVerdict::DifferentMessages(_)));
        let said = |what: &str| format!("returned L a.B\ntoString \"{what}\"");
        let other = compare(&test(&said("1")), &ended(&said("2")));
        assert!(matches!(other, ReplayVerdict::DifferentMessages(_)));
        let gone = compare(&test("returned V"), &CallResult::Gone(NativeEnd::Exited(3)));
        assert!(matches!(gone, ReplayVerdict::DifferentExit(_)));
        let printed = CallResult::Ended("returned V".into(), "x".into(), None);
        let printed = compare(&test("returned V"), &printed);
        assert!(matches!(printed, ReplayVerdict::DifferentOutput(_)));
        // A run that asked for the time may come to anything; what was the same is.
        let mut of_time = test("returned J 5");
        of_time.expected.unsteady = vec!["A.f:3".into(), "A.g:7".into()];
        let ReplayVerdict::Unsteady(words) = compare(&of_time, &ended("returned J 6")) else {
            panic!("a divergence")
        };
        assert!(words.ends_with("in its own way (A.f:3, A.g:7)"), "{words}");
        assert_eq!(
            compare(&of_time, &ended("returned J 5")),
            ReplayVerdict::Same
        );
        // What an object says of itself was not kept.
        assert!(same("returned L a.B", "returned L a.B\ntoString \"1\""));
        assert!(!same("returned L a.C", "returned L a.B\ntoString \"1\""));
        let mut test = test("returned V");
        test.expected.path_hash = Some(1);
        let by = |way| CallResult::Ended("returned V".into(), String::new(), way);
        let another = compare(&test, &by(Some(2)));
        assert!(matches!(another, ReplayVerdict::DifferentWay(_)));
        assert_eq!(compare(&test, &by(Some(1))), ReplayVerdict::Same);
        // A plain JVM could not tell.
        assert_eq!(compare(&test, &by(None)), ReplayVerdict::Same);
    }

    #[test]
    fn an_error_is_confirmed_at_its_own_line_only() {
        let error = |line| ErrorRecord {
            message: "java.lang.ArithmeticException: / by zero".into(),
            file: "A.java".into(),
            line,
            ..ErrorRecord::default()
        };
        let seen = ended(
            "threw java.lang.ArithmeticException\n/ by zero\n\nx\n\
             java.lang.Math\tfloorDiv\tMath.java\t9\tjava.base\nA\tf\tA.java\t7\t",
        );
        assert!(matches!(
            confirm(&error(7), &seen, None),
            Confirmation::Confirmed(_)
        ));
        assert!(matches!(
            confirm(&error(8), &seen, None),
            Confirmation::Contradicted(_)
        ));
        // Another run may come to another line, as the first one had it from the time.
        let of_time = Expected {
            unsteady: vec!["A.f:3".into()],
            ..Expected::default()
        };
        assert!(matches!(
            confirm(&error(8), &seen, Some(&of_time)),
            Confirmation::Undecided(_)
        ));
    }
}
