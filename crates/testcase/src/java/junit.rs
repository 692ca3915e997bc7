//! JUnit classes: one for a target, a method for a test, which asserts what was observed. They compile without Polypath.

use super::{Method, SAYS, asks, comment, names, replay, utf8};
use crate::bug::{self, Bug};
use crate::disk;
use crate::model::{ExitKind, TestCase, test_name};
use crate::read::{OUTLINE_OUTPUT, Run};
use crate::telling::{MOST, Telling, bug_of};
use anyhow::{Context, Result, bail};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Which JUnit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Version {
    /// JUnit 4.13 or later, which has `assertThrows`.
    Four,
    /// JUnit 5.
    #[default]
    Five,
}

impl Version {
    /// "4" or "5".
    ///
    /// # Errors
    /// It is another one.
    pub fn by_name(name: &str) -> Result<Version> {
        match name {
            "4" => Ok(Version::Four),
            "5" => Ok(Version::Five),
            _ => bail!("there are 4 and 5"),
        }
    }
}

/// How source begins that makes a file of input (`NamedFiles.java`): its name follows, and behind [`NAMED`] the bytes.
const WRITES: &str = "java.nio.file.Files.write(java.nio.file.Path.of(";
const NAMED: &str = "), ";

/// Writes the class into `junit/` of the run's directory. The most telling tests are in it: one for each bug, and those that
/// reach something new. `None` if no test can be written as source.
///
/// # Errors
/// The tests cannot be read, or the file cannot be written.
pub fn write(dir: &Path, method: &Method, version: Version) -> Result<Option<PathBuf>> {
    let run = Run::outline(dir, MOST)?;
    let bugs = bug::of_program(&run.errors);
    let Some((name, text)) = class(method, &run.tests, &bugs, run.totals.tests, version) else {
        return Ok(None);
    };
    let folder = run.dir.join("junit").join(method.folder());
    let path = folder.join(format!("{name}.java"));
    std::fs::create_dir_all(&folder)
        .and_then(|()| disk::write_atomic(&path, text.as_bytes()))
        .with_context(|| format!("cannot write {}", path.display()))?;
    Ok(Some(path))
}

/// Name and text of the class. `all`: how many tests the run has.
fn class(
    method: &Method,
    tests: &[TestCase],
    bugs: &[Bug<'_>],
    all: usize,
    version: Version,
) -> Option<(String, String)> {
    let (imports, public) = match version {
        Version::Four => (
            "import static org.junit.Assert.*;\n\nimport org.junit.Test;\n",
            "public ",
        ),
        Version::Five => (
            "import static org.junit.jupiter.api.Assertions.*;\n\nimport org.junit.jupiter.api.Test;\n",
            "",
        ),
    };
    let mut telling = Telling::new(bugs);
    let mut body = String::new();
    let mut written = 0;
    for test in tests {
        let (end, printed) = outcome(method, test);
        let outcome = format!("{end} {}", printed.escape_ascii());
        let made = telling.choose(test, &outcome, || one(method, test, bugs, version));
        let Some(TestMethod {
            doc,
            name,
            statements,
        }) = made
        else {
            continue;
        };
        let name = telling.unique(name);
        let _ = write!(
            body,
            "\n    /** {doc} */\n    @Test\n    {public}void {name}() throws Throwable {{\n        {statements}\n    }}\n"
        );
        written += 1;
    }
    if written == 0 {
        return None;
    }
    let name = format!("{}Test", method.camel());
    let mut doc = format!(
        "/**\n * {}: {written} of {all} paths that Polypath found, with the behaviour observed on each.\n",
        comment(&format!("{}.{}", method.class, method.name))
    );
    for (why, n) in telling.left_out() {
        let _ = writeln!(doc, " * Not here: {n} that {why}.");
    }
    doc.push_str(" */\n");
    let printed = if body.contains(PRINTED_CALL) {
        PRINTED
    } else {
        ""
    };
    let written = match (body.contains(WRITTEN_CALL), version) {
        (false, _) => String::new(),
        (true, Version::Four) => WRITTEN.replace("ENDS", "@org.junit.After"),
        (true, Version::Five) => WRITTEN.replace("ENDS", "@org.junit.jupiter.api.AfterEach"),
    };
    let text = format!(
        "{}{imports}\n{doc}{public}class {name} {{{body}{}{printed}{written}}}\n",
        method.package_line(),
        method.helper()
    );
    Some((name, text))
}

/// A test as source.
struct TestMethod {
    /// Its number, and the bug that it shows.
    doc: String,
    name: String,
    statements: String,
}

/// What a test shows beside the code that it reaches: its result, or the class of its exception, and of a whole program what it prints.
fn outcome<'a>(method: &Method, test: &'a TestCase) -> (&'a str, &'a [u8]) {
    let said = utf8(&test.expected.stderr);
    let end = match said.strip_prefix("threw ") {
        Some(thrown) => thrown.split([':', '\n']).next().unwrap_or_default(),
        None if test.expected.is_unsteady() => "anew",
        None => said,
    };
    let is_shown = method.is_main() && !test.expected.is_unsteady();
    let printed = Some(&test.expected.stdout[..]).filter(|_| is_shown);
    (end, printed.unwrap_or_default())
}

/// How a statement begins that makes a call and gives what it prints.
const PRINTED_CALL: &str = "printed(() -> ";

/// The helper method for that.
const PRINTED: &str = r#"
    /** What a call prints. */
    private static String printed(Call call) throws Throwable {
        java.io.PrintStream out = System.out;
        java.io.PrintStream err = System.err;
        java.io.ByteArrayOutputStream all = new java.io.ByteArrayOutputStream();
        java.io.PrintStream to = new java.io.PrintStream(all, true, "UTF-8");
        System.setOut(to);
        System.setErr(to);
        try {
            call.make();
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
        return all.toString("UTF-8");
    }

    private interface Call {
        void make() throws Throwable;
    }
"#;

/// How an expression begins that makes a file of a test.
const WRITTEN_CALL: &str = "written(\"";

/// The helper method for that: the files are in the working directory, which is what the program was told.
const WRITTEN: &str = r#"
    private final java.util.List<java.nio.file.Path> written = new java.util.ArrayList<>();

    /** A file of these bytes until the test ends. None of this name may be there before. */
    private java.nio.file.Path written(String name, byte[] bytes) throws java.io.IOException {
        java.nio.file.Path path = java.nio.file.Path.of(name);
        java.nio.file.Files.write(path, bytes, java.nio.file.StandardOpenOption.CREATE_NEW);
        written.add(path);
        return path;
    }

    ENDS
    public void removeWritten() throws java.io.IOException {
        for (java.nio.file.Path path : written) java.nio.file.Files.deleteIfExists(path);
    }
"#;

/// The same source with files that are removed when the test ends.
fn with_files(source: &str) -> String {
    let mut text = String::new();
    let mut rest = source;
    while let Some((before, behind)) = rest.split_once(WRITES) {
        let (name, bytes) = behind.split_once(NAMED).unwrap_or((behind, ""));
        text += &format!("{before}written({name}, ");
        rest = bytes;
    }
    text + rest
}

/// The output of a whole program in source, unless it is no text or was cut.
fn output(test: &TestCase) -> Option<String> {
    let bytes = &test.expected.stdout;
    let words = std::str::from_utf8(bytes).ok()?;
    // (The number of a line's end has a name.)
    let source = || replay::text(words).replace("\\012", "\\n");
    (bytes.len() < OUTLINE_OUTPUT).then(source)
}

/// The method for one test; `Err`: the reason why there is none.
fn one(
    method: &Method,
    test: &TestCase,
    bugs: &[Bug<'_>],
    version: Version,
) -> Result<TestMethod, &'static str> {
    if matches!(test.expected.exit, ExitKind::Killed(_)) {
        return Err("did not come to an end");
    }
    let (_, arguments) = method.arguments(test)?;
    if asks(test) {
        return Err("take input inside of the program");
    }
    if test.expected.stderr.ends_with(super::IN_THREAD.as_bytes()) {
        return Err("throw in another thread");
    }
    let call = with_files(&method.call(test)?);
    let mut said = utf8(&test.expected.stderr);
    if said.len() >= OUTLINE_OUTPUT {
        // A value that was cut is none.
        said = said.lines().next().unwrap_or_default();
    }
    let is_unsteady = test.expected.is_unsteady();
    let mut shown = said;
    let statement = if let (true, Some(_)) = (is_unsteady, said.strip_prefix("returned ")) {
        // What it returns is another thing in each run.
        shown = "";
        call.clone()
    } else if let Some(value) = said.strip_prefix("returned ") {
        returned(method, value, &call, version)
    } else if let Some(thrown) = said.strip_prefix("threw ") {
        let name = thrown.lines().nth(1).unwrap_or("Throwable");
        format!("assertThrows({name}.class, () -> {call})")
    } else {
        return Err("end the JVM");
    };
    let is_printed = method.is_main() && !is_unsteady;
    let printed = is_printed.then(|| output(test)).flatten();
    let statement = match printed {
        Some(text) => format!("assertEquals({text}, {PRINTED_CALL}{statement}))"),
        None => statement,
    };
    let mut doc = test_name(test.id);
    if is_unsteady {
        let words = test.expected.unsteady_words();
        let _ = write!(
            doc,
            " (nothing is asserted of a result: {})",
            comment(&words)
        );
    }
    if let Some(e) = &test.error {
        let bug = bug_of(e, bugs).map(Bug::to_string);
        let told = bug.unwrap_or_else(|| e.to_string());
        let _ = write!(doc, ": {}", comment(&told));
    }
    let name = names::name(&method.name, &arguments, shown);
    let mut before = with_files(&method.before(test));
    if !before.is_empty() {
        before.push_str("\n        ");
    }
    Ok(TestMethod {
        doc,
        name,
        statements: format!("{before}{statement};"),
    })
}

/// An assertion on a result, in the form of the driver (`Said.returned`).
fn returned(method: &Method, value: &str, call: &str, version: Version) -> String {
    let (what, source) = value.split_once('\n').unwrap_or((value, ""));
    let (kind, rest) = what.split_once(' ').unwrap_or((what, ""));
    // Floats are equal by their bits in JUnit 5, and in JUnit 4 to within nothing.
    let exactly = match version {
        Version::Four => ", 0",
        Version::Five => "",
    };
    match kind {
        "V" => call.to_string(),
        "null" => format!("assertNull({call})"),
        // An array of what has no literal, or a class that has another name in each JVM.
        "L" if source.is_empty() && (rest.contains(['[', '/']) || rest.contains("$$")) => {
            format!("assertNotNull({call})")
        }
        "L" if source.is_empty() => {
            format!("assertEquals(\"{rest}\", {call}.getClass().getName())")
        }
        "L" if source.starts_with(SAYS) => {
            let text = &source[SAYS.len()..];
            format!("assertEquals({text}, String.valueOf((Object) {call}))")
        }
        "L" if rest.ends_with("[]") => {
            let is_real = matches!(rest, "float[]" | "double[]");
            let exactly = if is_real { exactly } else { "" };
            let call = method.typed(call, rest);
            format!("assertArrayEquals({source}, {call}{exactly})")
        }
        "L" if rest == "java.lang.String" => format!("assertEquals({source}, {call})"),
        // A cast before a sign would be a subtraction.
        "L" => format!("assertEquals((Object) ({source}), {call})"),
        _ => {
            let exactly = if matches!(kind, "F" | "D") {
                exactly
            } else {
                ""
            };
            let call = method.typed(call, &method.returns);
            format!("assertEquals({}, {call}{exactly})", literal(kind, rest))
        }
    }
}

/// A primitive, from its type and its bits as a number.
fn literal(kind: &str, bits: &str) -> String {
    let number: i64 = bits.parse().unwrap_or(0);
    match kind {
        "B" => format!("(byte) {bits}"),
        "S" => format!("(short) {bits}"),
        "C" => format!("(char) {bits}"),
        "J" if number == i64::MIN => "Long.MIN_VALUE".into(),
        "J" => format!("{bits}L"),
        "I" if number == i64::from(i32::MIN) => "Integer.MIN_VALUE".into(),
        "F" => {
            let f = f32::from_bits(number as u32);
            let whole = format!("Float.intBitsToFloat(0x{:x})", number as u32);
            if f.is_finite() {
                format!("{f:?}f")
            } else {
                whole
            }
        }
        "D" => {
            let d = f64::from_bits(number as u64);
            let whole = format!("Double.longBitsToDouble(0x{number:x}L)");
            if d.is_finite() {
                format!("{d:?}")
            } else {
                whole
            }
        }
        _ => bits.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ErrorRecord, Expected};

    fn method() -> Method {
        Method {
            package: "p".into(),
            class: "p.Outer$Account".into(),
            class_object: "Outer.Account.class".into(),
            name: "withdraw".into(),
            source: "Outer.Account".into(),
            types: "int.class".into(),
            returns: "int".into(),
            ..Method::default()
        }
    }

    fn test(said: &str) -> TestCase {
        TestCase {
            id: 3,
            args: vec![
                b"p.Outer$Account.withdraw".to_vec(),
                b"new Outer.Account()".to_vec(),
                b"5".to_vec(),
            ],
            expected: Expected {
                stderr: said.into(),
                ..Expected::default()
            },
            ..TestCase::default()
        }
    }

    #[test]
    fn a_result_is_asserted_and_an_exception_expected() {
        let tests = [test("returned I -2147483648")];
        let (name, text) = class(&method(), &tests, &[], 1, Version::Five).unwrap();
        assert_eq!(name, "OuterAccountWithdrawTest");
        assert!(text.starts_with("package p;\n"), "{text}");
        let call = "new Outer.Account().withdraw(5)";
        assert!(text.contains(&format!("assertEquals(Integer.MIN_VALUE, {call});")));
        let mut failing =
            test("threw java.lang.ArithmeticException: / by zero\nArithmeticException");
        failing.error = Some(ErrorRecord {
            message: "*/ \\u000a".into(),
            ..ErrorRecord::default()
        });
        let (_, text) = class(&method(), &[failing], &[], 1, Version::Four).unwrap();
        assert!(text.contains(&format!(
            "assertThrows(ArithmeticException.class, () -> {call});"
        )));
        assert!(
            text.contains("public class") && !text.contains("\\u"),
            "{text}"
        );
    }

    #[test]
    fn of_a_result_that_each_run_has_anew_nothing_is_asserted() {
        let unsteady = |id, said: &str| {
            let mut test = TestCase { id, ..test(said) };
            test.expected.unsteady = vec!["p.Outer.withdraw:7".into()];
            test
        };
        let tests = [
            unsteady(3, "returned I 27319466"),
            unsteady(4, "returned I 5"),
            unsteady(5, "threw p.E: no @5c82cd4f\nE"),
        ];
        let (_, text) = class(&method(), &tests, &[], 3, Version::Five).unwrap();
        let call = "new Outer.Account().withdraw(5)";
        assert!(
            text.contains(&format!(
                "void withdraw() throws Throwable {{\n        {call};\n"
            )),
            "{text}"
        );
        let why = "nothing is asserted of a result: it may follow from what each run answers in its own way (p.Outer.withdraw:7)";
        assert!(text.contains(why), "{text}");
        assert!(
            text.contains("assertThrows(E.class") && !text.contains("assertEquals"),
            "{text}"
        );
        // The results are one outcome.
        assert!(
            text.contains("1 that come to what another test here shows"),
            "{text}"
        );
    }

    #[test]
    fn a_bug_has_one_test_however_it_was_reached() {
        let failing = |id, line, caller: &str| TestCase {
            id,
            error: Some(ErrorRecord {
                line,
                stack: vec![crate::StackFrame {
                    function: caller.into(),
                    ..crate::StackFrame::default()
                }],
                kind: crate::ErrorKind::Exception,
                test: test_name(id),
                ..ErrorRecord::default()
            }),
            ..test("threw java.lang.ArithmeticException: / by zero\nArithmeticException")
        };
        let mut tests: Vec<TestCase> =
            vec![failing(1, 7, "a"), failing(2, 7, "b"), failing(3, 9, "a")];
        let errors: Vec<ErrorRecord> = tests.iter().filter_map(|t| t.error.clone()).collect();
        // Paths to errors that are known have no entry.
        tests.extend([failing(4, 7, "a"), failing(5, 9, "a")]);
        let bugs = bug::of_program(&errors);
        let (_, text) = class(&method(), &tests, &bugs, 5, Version::Five).unwrap();
        assert_eq!(text.matches("@Test\n").count(), 2, "{text}");
        assert!(
            text.contains("/** test000001: ") && text.contains("/** test000003: "),
            "{text}"
        );
        assert!(text.contains(": 2 of 5 paths"), "{text}");
        assert!(
            text.contains("Not here: 3 that fail where another test here fails"),
            "{text}"
        );
        assert!(text.contains("; 2 call stacks, 2 paths */"), "{text}");
        assert!(text.contains("void withdraw_throwsArithmetic()"), "{text}");
        assert!(
            text.contains("void withdraw_throwsArithmetic_2()"),
            "{text}"
        );
    }

    #[test]
    fn an_outcome_has_one_test_unless_another_reaches_something_new() {
        let numbered = |id, said: &str, covered_new| TestCase {
            id,
            covered_new,
            ..test(said)
        };
        let refused = "threw p.Refused: 5\np.Refused";
        let tests = [
            numbered(1, "returned L p.Outer$Part", true),
            numbered(2, "returned L p.Outer$Part", false),
            numbered(3, "returned L p.Outer$Part", true),
            numbered(4, refused, false),
            numbered(5, "threw p.Refused: 6\np.Refused", false),
            numbered(6, "returned L p.Outer$$Lambda$3/0x01", false),
        ];
        let (_, text) = class(&method(), &tests, &[], 6, Version::Five).unwrap();
        assert_eq!(text.matches("@Test\n").count(), 4, "{text}");
        assert!(text.contains("Not here: 2 that come to what"), "{text}");
        let class =
            "assertEquals(\"p.Outer$Part\", new Outer.Account().withdraw(5).getClass().getName())";
        assert!(
            text.contains(class) && text.contains("assertNotNull("),
            "{text}"
        );
        assert!(text.contains("void withdraw_returnsPart_2()"), "{text}");
    }

    #[test]
    fn a_whole_program_prints_what_it_printed() {
        let main = Method {
            name: "main".into(),
            types: "String[].class".into(),
            returns: "void".into(),
            is_static: Some(String::new()),
            ..method()
        };
        let printing = |id, text: &[u8]| {
            let mut test = test("returned V");
            test.id = id;
            test.args = vec![
                b"p.Outer$Account.main".to_vec(),
                b"new String[] {}".to_vec(),
            ];
            test.expected.stdout = text.to_vec();
            test
        };
        // Another output is another outcome; what is no text is not compared.
        let tests = [
            printing(1, b"a\"\n"),
            printing(2, b"a\"\n"),
            printing(3, b"b"),
            printing(4, b"\xff"),
        ];
        let (_, text) = class(&main, &tests, &[], 4, Version::Five).unwrap();
        let call =
            r#"assertEquals("a\042\n", printed(() -> Outer.Account.main(new String[] {})));"#;
        assert_eq!(text.matches(call).count(), 1, "{text}");
        assert_eq!(text.matches("@Test\n").count(), 3, "{text}");
        assert!(text.contains("        Outer.Account.main(new String[] {});\n"));
        assert!(text.contains("String printed(Call call)"), "{text}");
    }

    #[test]
    fn what_cannot_be_source_is_named() {
        let mut inside = test("returned V");
        inside.objects.push(("nondet".into(), vec![0; 4]));
        let tests = [test("returned V"), inside];
        let (_, text) = class(&method(), &tests, &[], 2, Version::Five).unwrap();
        assert!(text.contains("Not here: 1 that take input inside of the program."));
        assert!(class(&method(), &tests[1..], &[], 1, Version::Five).is_none());
    }

    #[test]
    fn files_of_input_are_there_for_their_test_only() {
        let mut of_file = test("returned I 5");
        let write = "java.nio.file.Files.write(java.nio.file.Path.of(\"input\"), new byte[] {1, 2}).toFile()";
        of_file.args[2] = write.into();
        let tests = [of_file];
        let (_, text) = class(&method(), &tests, &[], 1, Version::Five).unwrap();
        let call = "withdraw(written(\"input\", new byte[] {1, 2}).toFile())";
        assert!(text.contains(call), "{text}");
        assert!(text.contains("@org.junit.jupiter.api.AfterEach\n    public void"));
        let (_, text) = class(&method(), &tests, &[], 1, Version::Four).unwrap();
        assert!(text.contains("@org.junit.After\n    public void"));
        let twice = "a(java.nio.file.Files.write(java.nio.file.Path.of(\"A\"), x);java.nio.file.Files.write(java.nio.file.Path.of(\"B\"), y);";
        assert_eq!(with_files(twice), "a(written(\"A\", x);written(\"B\", y);");
        assert_eq!(with_files("f(1, 2)"), "f(1, 2)");
    }

    #[test]
    fn literals_are_exact() {
        assert_eq!(
            literal("D", &i64::from_ne_bytes(0.1f64.to_ne_bytes()).to_string()),
            "0.1"
        );
        assert_eq!(
            literal("F", "2143289344"),
            "Float.intBitsToFloat(0x7fc00000)"
        );
        assert_eq!(literal("J", "-5"), "-5L");
    }
}
