//! What a run of a Java program leaves behind, held against the tools that read it: javac and JUnit (the classes compile
//! without Polypath and pass), and a plain JVM (replay finds the same outcome).

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use testkit::{Place, place};

fn jar(name: &str) -> String {
    format!("/usr/share/java/{name}.jar")
}

fn polypath(place: &Place, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_polypath"));
    command
        .current_dir(&**place)
        .env("POLYPATH_JAVA_CHECK", "1");
    command.args(args).output().expect("polypath")
}

fn javac(place: &Place, class_path: &str, to: &str, sources: &[PathBuf]) {
    let mut command = testkit::java::javac();
    command.current_dir(&**place);
    command.args(["-g", "-encoding", "UTF-8", "-cp", class_path, "-d", to]);
    let output = command.args(sources).output().expect("javac");
    assert!(output.status.success(), "{output:?}");
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/java/output")
}

fn bank(place: &Place) {
    let files = ["Account", "Shapes", "Results"].map(|f| format!("bank/{f}.java"));
    let files = files.iter().map(|f| sources().join(f));
    let files: Vec<PathBuf> = files.chain([sources().join("Tool.java")]).collect();
    javac(place, ".", "classes", &files);
}

/// Explores, and gives the text of the JUnit class and its place.
fn explore(place: &Place, out: &str, entry: &str, junit: &str, length: &str) -> (PathBuf, String) {
    let run = [
        "java",
        "run",
        "classes",
        "--entry",
        entry,
        "--out",
        out,
        "--junit",
        junit,
        "--time",
        "60",
        "--array-len",
        length,
    ];
    let output = polypath(place, &run);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{said}");
    let folder = place.join(out).join("junit/bank");
    let files = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{e}: {said}"));
    let file = files.map(|f| f.expect("a file").path()).next();
    let file = file.expect("a class");
    let text = std::fs::read_to_string(&file).expect("text");
    (file, text)
}

fn replay(place: &Place, out: &str) -> (Option<i32>, serde_json::Value, String) {
    let output = polypath(place, &["replay", out]);
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    let file = std::fs::read(place.join(out).join("replay.json"));
    let file = file.unwrap_or_else(|e| panic!("{e}: {said}"));
    let summary = serde_json::from_slice(&file).expect("replay.json");
    (output.status.code(), summary, said)
}

const ENTRIES: [&str; 4] = [
    "bank.Account.withdraw",
    "bank.Account.result",
    "bank.Account.hidden",
    "bank.Results.of",
];

#[test]
fn an_object_that_its_constructor_refuses_is_a_test_and_no_error() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("refused");
    let text = "package bank; class Limit { final int part;
        record Day(int n) { Day { if (n > 31) throw new IllegalArgumentException(); } }
        Limit(int most, Day day) { part = 100 / most; }
        int path(byte b) { return part > b ? 1 : 2; } }";
    place.write("Limit.java", text);
    javac(&place, ".", "classes", &[place.join("Limit.java")]);
    let (_, text) = explore(&place, "out", "bank.Limit.path", "5", "1");
    // What is evaluated after the exception is anything.
    for call in [
        "assertThrows(ArithmeticException.class, () -> new Limit(0, ",
        "assertThrows(IllegalArgumentException.class, () -> new Limit(",
    ] {
        assert!(text.contains(call), "{call}: {text}");
    }
    let errors = std::fs::read_to_string(place.join("out/errors.json"));
    assert_eq!(errors.expect("errors.json").trim(), "[]");
    let (status, summary, said) = replay(&place, "out");
    assert_eq!(status, Some(0), "{said}");
    assert_eq!(summary["divergences"], serde_json::json!([]), "{said}");
}

#[test]
fn junit_5_classes_pass_on_a_plain_jvm() {
    if !testkit::need("java") || !testkit::need("junit5") {
        return;
    }
    let place = place!("junit5");
    bank(&place);
    let parts = ["junit-jupiter-api", "apiguardian-api", "opentest4j"];
    let class_path = format!("classes:{}", parts.map(jar).join(":"));
    for (k, entry) in ENTRIES.iter().enumerate() {
        let (file, text) = explore(&place, &format!("out{k}"), entry, "5", "1");
        javac(&place, &class_path, "tests", &[file]);
        assert!(
            text.contains("@Test") && !text.contains("polypath."),
            "{text}"
        );
    }
    // A file of input is in the working directory for as long as its test runs.
    let reads = sources().join("bank/Reads.java");
    javac(&place, ".", "classes", &[reads]);
    let (file, text) = explore(&place, "reads", "bank.Reads.first", "5", "1");
    javac(&place, &class_path, "tests", &[file]);
    let call = "assertEquals(1, Reads.first(written(\"input\", new byte[] {80}).toFile()))";
    assert!(text.contains(call) && !text.contains("of input"), "{text}");
    let text = std::fs::read_to_string(place.join("out3/junit/bank/ResultsOfTest.java"));
    let text = text.expect("the class");
    for what in [
        "(Object) (java.util.Arrays.asList(1, -2L))",
        "(Object) (java.util.Arrays.asList((Object) (-5)))",
        "new java.util.HashSet<>(java.util.Arrays.asList(\"y\", \"z\", null))",
        "put(-1, java.util.Arrays.asList(\"a\", \"b\")); put(null, java.util.List.of()); ",
        "(Object) (new Results.Pair(-7, (String) null))",
        "assertEquals(\"Half[a=4]\", String.valueOf(",
        "assertEquals(\"no. 6\\n\", String.valueOf(",
        "assertArrayEquals(new String[] {\"a\", null}, ",
        "new Object[] {java.util.Arrays.asList((Object) ('x')), new Results.Pair(1, \"y\")}",
        "java.util.Optional.of((short) -3)",
        "assertEquals(\"1.50\", String.valueOf(",
        "(Object) (java.util.Arrays.asList((Object) (null)))",
    ] {
        assert!(text.contains(what), "{what}: {text}");
    }
    let input = ["--sym-stdin", "1", "--sym-args", "0", "1", "1", "--", "-n"];
    let run = ["java", "run", "classes", "--out", "whole", "--time", "60"];
    let ran = polypath(&place, &[&run[..], &input].concat());
    assert_eq!(ran.status.code(), Some(1), "{ran:?}");
    let file = place.join("whole/junit/ToolMainTest.java");
    let text = std::fs::read_to_string(&file).expect("the class");
    let call = "assertEquals(\"\", printed(() -> assertThrows(IllegalStateException.class, () -> Tool.main(";
    assert!(text.contains(call), "{text}");
    assert!(
        text.contains("assertEquals(\"1\\n\", printed(() -> Tool.main("),
        "{text}"
    );
    javac(&place, &class_path, "tests", &[file]);
    let text = std::fs::read_to_string(place.join("out0/junit/bank/AccountWithdrawTest.java"));
    let text = text.expect("the class");
    assert!(
        text.contains("assertThrows(ArithmeticException.class, () -> new Account(")
            && text.contains("_throwsArithmetic()"),
        "{text}"
    );
    let all = [
        "junit-platform-console",
        "junit-platform-launcher",
        "junit-platform-engine",
        "junit-platform-commons",
        "junit-platform-reporting",
        "junit-jupiter-api",
        "junit-jupiter-engine",
        "apiguardian-api",
        "opentest4j",
        "picocli",
        "opentest4j-reporting-events",
        "opentest4j-reporting-schema",
    ];
    let mut command = Command::new("java");
    command.current_dir(&*place).args(["-ea", "-cp"]);
    command.arg(format!("tests:classes:{}", all.map(jar).join(":")));
    command.args([
        "org.junit.platform.console.ConsoleLauncher",
        "--scan-classpath",
        "tests",
    ]);
    command.arg("--disable-banner");
    let output = command.output().expect("java");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{output:?}");
    let passed = said
        .lines()
        .find(|l| l.contains("tests successful"))
        .unwrap_or_default();
    let passed: usize = passed
        .split_whitespace()
        .find_map(|w| w.parse().ok())
        .unwrap_or(0);
    assert!(passed > 20, "{said}");
    assert!(!place.join("input").exists());
}

#[test]
fn junit_4_classes_pass_on_a_plain_jvm() {
    if !testkit::need("java") || !testkit::need("junit4") {
        return;
    }
    let place = place!("junit4");
    bank(&place);
    let parts = ["junit4", "hamcrest-core"].map(jar).join(":");
    let class_path = format!("classes:{parts}");
    let mut names = Vec::new();
    for (k, entry) in ENTRIES.iter().enumerate() {
        let (file, _) = explore(&place, &format!("out{k}"), entry, "4", "1");
        let stem = file.file_stem().expect("a name").to_string_lossy();
        names.push(format!("bank.{stem}"));
        javac(&place, &class_path, "tests", &[file]);
    }
    let mut command = Command::new("java");
    command.current_dir(&*place).args(["-ea", "-cp"]);
    command.arg(format!("tests:{class_path}"));
    command.arg("org.junit.runner.JUnitCore").args(names);
    let output = command.output().expect("java");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("OK ("),
        "{said}{output:?}"
    );
}

#[test]
fn a_plain_jvm_comes_to_the_same_and_confirms_errors() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("replay");
    bank(&place);
    for (k, entry) in ENTRIES.iter().chain(&["bank.Account.stops"]).enumerate() {
        let out = format!("out{k}");
        explore(&place, &out, entry, "5", "1");
        let (status, summary, said) = replay(&place, &out);
        assert_eq!(summary["divergences"], serde_json::json!([]), "{said}");
        assert_eq!(summary["incomplete"], serde_json::Value::Null, "{said}");
        let totals = summary["totals"].as_object().expect("totals");
        let known = ["same", "different messages", "error path"];
        assert!(totals.keys().all(|k| known.contains(&k.as_str())), "{said}");
        if k == 0 {
            assert_eq!(status, Some(1), "{said}");
            assert_eq!(summary["error_totals"]["confirmed"], 1, "{said}");
        }
    }
    // The program changes: the tests say so.
    let source = sources().join("bank/Account.java");
    let text = std::fs::read_to_string(source).expect("the program");
    let changed = place.join("Account.java");
    std::fs::write(&changed, text.replace("100 / amount", "100 / (amount + 1)")).expect("a file");
    javac(&place, ".", "classes", &[changed]);
    let (status, summary, said) = replay(&place, "out0");
    assert_eq!(status, Some(3), "{said}");
    assert!(
        !summary["divergences"]
            .as_array()
            .expect("a list")
            .is_empty()
    );
    assert_eq!(summary["error_totals"]["contradicted"], 1, "{said}");
}

/// Which run asks an enum for its constants first is chance, and no part of its way.
#[test]
fn tables_by_constants_take_the_same_way_on_a_plain_jvm() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("constants");
    let text = "import java.util.*; class Table { enum Color { RED, GREEN }
        static int path(byte a, Color c) {
            EnumMap<Color, Byte> m = new EnumMap<>(Color.class);
            if (c != null) m.put(c, a);
            Set<Color> all = a > 3 ? EnumSet.allOf(Color.class) : EnumSet.noneOf(Color.class);
            return m.containsKey(Color.valueOf(a == 1 ? \"RED\" : \"GREEN\")) ? all.size() : Color.values().length; } }";
    place.write("Table.java", text);
    javac(&place, ".", "classes", &[place.join("Table.java")]);
    let entry = "Table.path";
    let run = ["java", "run", "classes", "--entry", entry, "--out", "out"];
    let ran = polypath(&place, &run);
    assert_eq!(ran.status.code(), Some(0), "{ran:?}");
    let (status, summary, said) = replay(&place, "out");
    assert_eq!(summary["divergences"], serde_json::json!([]), "{said}");
    let all = summary["totals"]["same"].as_u64();
    assert!(
        all > Some(4) && summary["followed"].as_u64() == all,
        "{said}"
    );
    assert_eq!(status, Some(0), "{said}");
}

/// A string's length, and whether its characters fit into bytes, make paths when the program looks at it and not before.
#[test]
fn strings_make_paths_where_the_program_looks_at_them() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("lazy");
    let at = sources().join("bank/Lazy.java");
    javac(&place, ".", "classes", &[at]);
    // No first character, one that is 'k', another one, with characters of one byte or some of two. No list, or one of three sizes.
    // What has the length that is asked for, or another one.
    let cases = [
        ("five", 4 + 1 + 2 + 2, 1),
        ("never", 2 + 3 * 2, 0),
        ("wide", 2 + 3, 0),
        ("same", 3 + 1, 0),
    ];
    for (method, paths, errors) in cases {
        let entry = format!("bank.Lazy.{method}");
        let sizes = ["--array-len", "0-2"];
        let run = ["java", "run", "classes", "--out", method, "--entry", &entry];
        let ran = polypath(&place, &[&run[..], &sizes].concat());
        let said = String::from_utf8_lossy(&ran.stderr);
        let stats = place.json(&format!("{method}/stats.json"));
        assert!(stats["halted"].is_null(), "{said}");
        assert_eq!(stats["java_wrong"], serde_json::json!([]), "{said}");
        let run = testcase::Run::read(&place.join(method)).expect("a run");
        assert_eq!(
            (run.tests.len(), run.errors.len()),
            (paths, errors),
            "{said}"
        );
        let (_, summary, said) = replay(&place, method);
        assert_eq!(summary["divergences"], serde_json::json!([]), "{said}");
    }
}

/// What was observed on the tests of a run: results and exceptions, each once.
fn outcomes(dir: &Path) -> std::collections::BTreeSet<String> {
    let mut problems = Vec::new();
    let tests = testcase::read::tests(&dir.join("tests"), &mut problems).expect("tests");
    assert!(problems.is_empty(), "{problems:?}");
    let text = |t: testcase::TestCase| String::from_utf8(t.expected.stderr).expect("text");
    let last = |text: String| text.lines().last().unwrap_or_default().to_string();
    tests.into_iter().map(text).map(last).collect()
}

#[test]
fn objects_are_made_by_constructors_and_written_as_source() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("objects");
    bank(&place);
    let cases: [(&str, &str, &[&str]); 3] = [
        (
            "area",
            "1",
            &[
                "returned I -1",
                "returned I 1",
                "returned I 2",
                "returned I 3",
            ],
        ),
        ("names", "2", &["\"null\"", "\"found\"", "\"other\""]),
        (
            "sizes",
            "1",
            &[
                "returned I -1",
                "returned I 0",
                "returned I 1",
                "returned I 5",
            ],
        ),
    ];
    for (method, length, wanted) in cases {
        let entry = format!("bank.Shapes.{method}");
        let (_, text) = explore(&place, method, &entry, "5", length);
        let found = outcomes(&place.join(method));
        for outcome in wanted {
            assert!(found.contains(*outcome), "{method}: {outcome}: {found:?}");
        }
        assert!(!text.contains("that have an argument"), "{text}");
        let (_, summary, said) = replay(&place, method);
        assert_eq!(summary["divergences"], serde_json::json!([]), "{said}");
    }
    let args = [
        "java",
        "run",
        "classes",
        "--entry",
        "bank.Shapes.refused",
        "--out",
        "no",
    ];
    let refused = polypath(&place, &args);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("java.lang.Thread"), "{said}");
}

#[test]
fn a_whole_program_gets_arguments_and_standard_input() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("whole");
    bank(&place);
    let args = [
        "java",
        "run",
        "classes",
        "--out",
        "out",
        "--sym-stdin",
        "1",
        "--sym-args",
        "0",
        "1",
        "1",
        "--time",
        "60",
        "--",
        "-n",
    ];
    let ran = polypath(&place, &args);
    let said = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(1), "{said}");
    let mut problems = Vec::new();
    let tests = testcase::read::tests(&place.join("out/tests"), &mut problems).expect("tests");
    let exits = tests
        .iter()
        .filter(|t| t.expected.exit == testcase::ExitKind::Status(4));
    assert!(exits.clone().count() > 0, "{said}");
    assert!(
        exits
            .clone()
            .all(|t| t.expected.stdout == b"bye\n" && t.stdin == Some(b"q".to_vec()))
    );
    let seven = |t: &&testcase::TestCase| t.args[1].starts_with(b"new String[] {\"-n\", \"7\"}");
    assert_eq!(tests.iter().filter(seven).count(), 1, "{said}");
    let junit = std::fs::read_to_string(place.join("out/junit/ToolMainTest.java")).expect("JUnit");
    assert!(junit.contains("System.setIn(") && junit.contains(" that end the JVM."));
    let (status, summary, said) = replay(&place, "out");
    assert_eq!(status, Some(1), "{said}");
    assert_eq!(summary["divergences"], serde_json::json!([]), "{said}");
    assert_eq!(summary["error_totals"]["confirmed"], 1, "{said}");
}

#[test]
fn reports_show_the_lines_of_the_source() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("report");
    bank(&place);
    let from = sources().display().to_string();
    let args = [
        "java",
        "run",
        "classes",
        "--entry",
        "bank.Account.withdraw",
        "--out",
        "out",
        "--source-path",
        &from,
        "--time",
        "60",
        "--array-len",
        "1",
    ];
    let ran = polypath(&place, &args);
    assert_eq!(ran.status.code(), Some(1), "{ran:?}");
    let report = polypath(&place, &["report", "out"]);
    assert_eq!(report.status.code(), Some(0), "{report:?}");
    let read = |name: &str| std::fs::read_to_string(place.join("out").join(name)).expect("a file");
    let source = std::fs::read_to_string(sources().join("bank/Account.java")).expect("the source");
    let line = |what: &str| {
        1 + source
            .lines()
            .position(|l| l.contains(what))
            .expect("a line")
    };
    let lcov = read("lcov.info");
    assert!(lcov.contains("bank/Account.java"), "{lcov}");
    for (what, hit) in [("100 / amount", 1), ("\"too\\\" much", 1), ("case 0:", 0)] {
        let entry = format!("\nDA:{},{hit}\n", line(what));
        assert!(lcov.contains(&entry), "{what}: {entry}: {lcov}");
    }
    // The page has the text of each file, packed.
    let page = read("report.html");
    let entries = page
        .split("<details")
        .filter(|e| e.contains("Account.java</span>"));
    let packed = entries.filter(|e| e.contains("id=\"file") && e.contains("data-later="));
    assert_eq!(packed.count(), 1, "the source");
    let sarif = read("report.sarif");
    assert!(
        sarif.contains("bank/Account.java") && sarif.contains("div_zero"),
        "{sarif}"
    );
    // What is expected is no error.
    let out = [
        "--out",
        "calm",
        "--expect",
        "ArithmeticException",
        "--time",
        "60",
    ];
    let calm = ["java", "run", "classes", "--entry", "bank.Account.withdraw"];
    let ran = polypath(&place, &[&calm[..], &out[..]].concat());
    assert_eq!(ran.status.code(), Some(0), "{ran:?}");
}

/// `java test` of all classes: the names of the methods, the list in methods.json, and what was said.
fn test_all(place: &Place, more: &[&str]) -> (Option<i32>, Vec<serde_json::Value>, String) {
    let args = ["java", "test", "classes", "--jobs", "1", "--out", "out"];
    let ran = polypath(place, &[&args[..], more].concat());
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&ran.stdout),
        String::from_utf8_lossy(&ran.stderr)
    );
    let file =
        std::fs::read(place.join("out/methods.json")).unwrap_or_else(|e| panic!("{e}: {said}"));
    let methods = serde_json::from_slice(&file).expect("a list");
    (ran.status.code(), methods, said)
}

/// Methods of one JVM: the second one leaves it blocked, so that the third one gets another.
#[test]
fn all_packages_are_explored_under_one_budget() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("package");
    bank(&place);
    let more = "public class Several {
        private final int kept;
        public Several(int k) { kept = k; }
        public int aGetter() { return kept; }
        public static int never(int x) throws Exception {
            if (x == 9) synchronized (Several.class) { Several.class.wait(); }
            return x;
        }
        public static int zero(int x) { return x == 7 ? 1 : 0; }
    }";
    std::fs::write(place.join("Several.java"), more).expect("written");
    javac(&place, ".", "classes", &["Several.java".into()]);
    let more = ["--time", "60", "--", "--array-len", "1"];
    let (code, methods, said) = test_all(&place, &more);
    assert_eq!(code, Some(0), "{said}");
    let names: Vec<&str> = methods
        .iter()
        .filter_map(|m| m["method"].as_str())
        .collect();
    // Account is no public class.
    assert_eq!(names.len(), 8, "{said}");
    assert!(
        names.contains(&"bank.Shapes.kinds(bank.Shapes$Shape)")
            || names.iter().any(|n| n.starts_with("bank.")),
        "{said}"
    );
    assert_eq!(names.last(), Some(&"Several.aGetter()"), "{said}");
    for m in &methods {
        let name = m["method"].as_str().expect("a name");
        let tests = m["tests"].as_u64().unwrap_or(0);
        if name.contains(".refused(") {
            assert!(
                m["trouble"].as_str().is_some_and(|t| t.contains("Thread")),
                "{m}"
            );
        } else if name.starts_with("Several.") {
            // The path that is blocked has no test.
            let paths = if name.contains("zero") { 2 } else { 1 };
            let blocked = m["halted"].as_str().is_some_and(|h| h.contains("blocked"));
            assert_eq!((tests, blocked), (paths, name.contains("never")), "{m}");
        } else {
            assert!(tests > 0 && m["covered_lines"].as_u64() > Some(0), "{m}");
        }
    }
    assert!(!said.contains("a full pass needs"), "{said}");
    // Results of another time stay as they are.
    let again = ["java", "test", "classes", "--out", "out"];
    let again = polypath(&place, &again);
    let refused = String::from_utf8_lossy(&again.stderr);
    assert_eq!(again.status.code(), Some(2), "{refused}");
    assert!(refused.contains("out exists and is not empty"), "{refused}");
}

/// Objects come from the public interface. Where it has no way to make one, errors that may depend on that are marked.
#[test]
fn errors_need_objects_that_a_caller_can_make_or_say_so() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("made");
    let files = ["Point", "Plan", "Token", "Cost", "Lexer"];
    let at = sources().join("../made/lib");
    javac(
        &place,
        ".",
        "classes",
        &files.map(|f| at.join(format!("{f}.java"))),
    );
    let (_, methods, said) = test_all(&place, &["--time", "60", "--", "--array-len", "0-3"]);
    let errors = |method: &str| {
        let found = methods
            .iter()
            .find(|m| m["method"].as_str().is_some_and(|n| n.starts_with(method)));
        let found = found.unwrap_or_else(|| panic!("{method}: {said}"));
        assert!(found["tests"].as_u64() > Some(0), "{found}");
        let dir = place
            .join("out")
            .join(found["directory"].as_str().expect("a directory"));
        let run = testcase::Run::read(&dir).expect("a run");
        let calls = run
            .tests
            .iter()
            .map(|t| String::from_utf8_lossy(&t.args.join(&b' ')).into_owned());
        (run.errors, calls.collect::<Vec<_>>().join("\n"), dir)
    };
    let (none, calls, _) = errors("lib.Point.first");
    assert!(
        none.is_empty() && calls.contains("Point.of(7)"),
        "{none:?} {calls}"
    );
    let (none, calls, _) = errors("lib.Plan.share");
    assert!(
        none.is_empty() && calls.contains("new Plan.Builder(") && calls.contains(").build()"),
        "{none:?} {calls}"
    );
    let (none, calls, _) = errors("lib.Cost.twice");
    assert!(
        none.is_empty() && calls.contains("new Cost.Fixed(") && !calls.contains("Once"),
        "{none:?} {calls}"
    );

    // No lexer gives an empty word: there is one error.
    let (certain, calls, _) = errors("lib.Lexer$Word.share");
    let made = calls.contains("new Lexer(\"") && calls.contains(").next()");
    assert!(made, "{calls}");
    assert_eq!(certain.len(), 1, "{certain:?}");
    assert_eq!(certain[0].precondition, None, "{certain:?}");
    let (marked, _, dir) = errors("lib.Token.length");
    let why = "this is a Token that no public method makes";
    assert_eq!(marked.len(), 1, "{said}");
    assert_eq!(marked[0].precondition.as_deref(), Some(why));
    let out = dir.to_str().expect("a path");
    let (_, summary, replayed) = replay(&place, out);
    assert!(
        replayed.contains(&format!("happens if {why}")),
        "{replayed}"
    );
    assert_eq!(summary["errors"][0]["precondition"], why, "{summary}");
    // It was seen with a token first, and without one as well.
    let (certain, ..) = errors("lib.Token.share");
    assert_eq!(certain.len(), 1, "{certain:?}");
    assert_eq!(certain[0].precondition, None, "{certain:?}");
}

/// Longer input waits until shorter brings nothing new. Each length is explored once, and the claim has the bound that was reached.
#[test]
fn bounds_of_strings_and_arrays_grow() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("longer");
    let at = sources().join("../made/lib/Longer.java");
    javac(&place, ".", "classes", &[at]);
    let explored = |entry: &str, more: &[&str]| {
        let entry = format!("lib.Longer.{entry}");
        let run = ["java", "run", "classes", "--entry", &entry, "--out", &entry];
        let ran = polypath(&place, &[&run[..], more].concat());
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        let run =
            testcase::Run::read(&place.join(&entry)).unwrap_or_else(|e| panic!("{e}: {said}"));
        let marks = run.errors.iter().map(|e| e.precondition.clone());
        let marks: Vec<Option<String>> = marks.collect();
        (run.tests, marks, said)
    };
    let most = ["--array-max", "16", "--string-max", "16"];
    let (tests, marks, said) = explored("fields", &most);
    assert_eq!(marks, [None], "{said}");
    let of_error = tests.iter().find(|t| t.error.is_some()).expect("a test");
    assert_eq!(of_error.args[1].iter().filter(|&&c| c == b',').count(), 1);
    let (tests, marks, said) = explored("far", &most);
    // Shorter than ten within each bound, and then three.
    assert_eq!((tests.len(), marks.len()), (5, 1), "{said}");
    let reached =
        "arrays, strings and collections have up to 16 elements (--array-max, --string-max)";
    assert!(said.contains(reached), "{said}");
    // What is not looked at has no length.
    let (tests, ..) = explored("unread", &most);
    assert_eq!(tests.len(), 1);
    let (tests, ..) = explored("within", &most);
    let results = tests
        .iter()
        .filter(|t| t.expected.stderr.starts_with(b"returned"));
    assert!(results.count() > 0);
    // Numbers are held against the length of the array, also where its lengths do not begin with none.
    let (_, marks, said) = explored("part", &["--array-len", "6-7"]);
    assert_eq!(marks, [None], "{said}");
}

/// What the library asks of a value, a method that hands it on asks of its callers, and says so; it does not where it is a parser that declares
/// another exception, or where it has made the value itself.
#[test]
fn what_the_library_asks_of_a_value_is_asked_of_the_caller() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("asking");
    let at = sources().join("../made/lib/Asking.java");
    javac(&place, ".", "classes", &[at]);
    let more = ["--time", "60", "--", "--array-len", "2", "--heap", "64"];
    let (_, methods, said) = test_all(&place, &more);
    let marks = |method: &str| {
        let name = format!("lib.Asking.{method}(");
        let of =
            |m: &&serde_json::Value| m["method"].as_str().is_some_and(|n| n.starts_with(&name));
        let found = methods.iter().find(of);
        let found = found.unwrap_or_else(|| panic!("{method}: {said}"));
        let dir = found["directory"].as_str().expect("a directory");
        let run = testcase::Run::read(&place.join("out").join(dir)).expect("a run");
        let marks = run.errors.into_iter().map(|e| e.precondition);
        let marks: std::collections::BTreeSet<Option<String>> = marks.collect();
        marks.into_iter().collect::<Vec<_>>()
    };
    let marked = |what: &str| vec![Some(what.to_string())];
    assert_eq!(marks("number"), marked("text is no number"));
    assert_eq!(marks("part"), marked("text is no number"));
    assert_eq!(marks("parse"), [None]);
    assert_eq!(marks("composed"), [None]);
    let no_room = "out has 2, no room for what is written";
    assert_eq!(marks("result"), marked(no_room));
    assert_eq!(marks("shifted"), [None]);
    let begins = |method: &str, what: &str| {
        let marks = marks(method);
        let is_it = |m: &Option<String>| m.as_deref().is_some_and(|m| m.contains(what));
        assert!(
            !marks.is_empty() && marks.iter().all(is_it),
            "{method}: {marks:?}"
        );
    };
    begins("sized", "is no size");
    begins("large", "size = ");
    begins("between", "is no ");
    begins("held", "numbers holds a String");
    // The caller's is the number that is an argument, but not one among many.
    let places = marks("position");
    assert_eq!((places.len(), &places[0]), (2, &None), "{places:?}");
    let of_argument = places[1].as_deref().is_some_and(|m| m.starts_with("at "));
    assert!(of_argument, "{places:?}");
    assert_eq!(marks("keyLength"), []);
    assert_eq!(marks("constants"), marked("type is null"));
}

/// Methods that change an object are called after its constructor, in runs that come after those without such calls.
#[test]
fn objects_are_changed_by_their_own_methods() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("changed");
    let at = sources().join("../made/lib/Tank.java");
    javac(&place, ".", "classes", &[at]);
    let entry = "lib.Tank.share";
    let run = ["java", "run", "classes", "--entry", entry, "--out", "out"];
    let ran = polypath(&place, &run);
    assert_eq!(ran.status.code(), Some(1), "{ran:?}");
    let stats = place.json("out/stats.json");
    assert!(stats["halted"].is_null(), "{stats}");
    let run = testcase::Run::read(&place.join("out")).expect("a run");
    let call = |t: &testcase::TestCase| String::from_utf8_lossy(&t.args[1]).into_owned();
    assert_eq!(call(&run.tests[0]), "new Tank()");
    // There is no tank whose level is below zero.
    let found = outcomes(&place.join("out"));
    let wanted = [
        "ArithmeticException",
        "returned I 0",
        "returned I 1",
        "returned I 2",
    ];
    assert!(found.iter().eq(&wanted), "{found:?}");
    let of_error = run.tests.iter().find(|t| t.error.is_some()).map(call);
    let of_error = of_error.expect("an error");
    let calls = of_error.contains("o0.setLevel(77); ") && of_error.contains("o0.open(); ");
    assert!(
        calls && of_error.ends_with("return o0; }).call()"),
        "{of_error}"
    );
    assert_eq!(run.errors[0].precondition, None);
    let (status, summary, said) = replay(&place, "out");
    assert_eq!(summary["divergences"], serde_json::json!([]), "{said}");
    assert_eq!(summary["error_totals"]["confirmed"], 1, "{said}");
    assert_eq!(status, Some(1), "{said}");
}

/// What no class implements is a stub, whose methods return input. Errors say so, unless it is a function that users write.
#[test]
fn interfaces_that_nothing_implements_get_stubs() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("stubs");
    let at = sources().join("../made/lib/Stubbed.java");
    javac(&place, ".", "classes", &[at]);
    let more = ["--time", "90", "--", "--array-len", "1"];
    let (_, methods, said) = test_all(&place, &more);
    let find = |method: &str| {
        let of = |m: &&serde_json::Value| m["method"].as_str().is_some_and(|n| n.contains(method));
        let found = methods.iter().find(of);
        let found = found.unwrap_or_else(|| panic!("{method}: {said}"));
        let dir = found["directory"].as_str().expect("a directory");
        let dir = format!("out/{dir}");
        let run = testcase::Run::read(&place.join(&dir)).expect("a run");
        let calls = run.tests.iter().map(|t| t.args.join(&b' '));
        let calls: Vec<String> = calls.map(|c| String::from_utf8_lossy(&c).into()).collect();
        let marks = run.errors.iter().map(|e| e.precondition.clone());
        let mut marks: Vec<Option<String>> = marks.collect();
        marks.sort();
        marks.dedup();
        let (_, summary, said) = replay(&place, &dir);
        assert_eq!(summary["divergences"], serde_json::json!([]), "{said}");
        assert_eq!(summary["totals"].get("not run"), None, "{said}");
        (outcomes(&place.join(&dir)), calls.join("\n"), marks)
    };
    let marked = |what: &str| vec![Some(what.to_string())];
    let (found, calls, marks) = find("Stubbed.share(");
    for outcome in ["returned I -1", "returned I 5", "returned I 0"] {
        assert!(found.contains(outcome), "{outcome}: {found:?}");
    }
    assert!(calls.contains("new Stubbed.Source() { "), "{calls}");
    // Each of its errors, also where a method of the stub returns null.
    let is_of_stub = |mark: &Option<String>| {
        let mark = mark.as_deref();
        mark.is_some_and(|m| m.starts_with("source is a stub of Source"))
    };
    assert!(marks.iter().all(is_of_stub), "{marks:?}");
    let (_, calls, marks) = find("Stubbed$Shape.share(");
    assert!(calls.contains("new Stubbed.Shape("), "{calls}");
    assert_eq!(marks, marked("this is a stub of Shape"));
    // Anybody can write a function that returns null.
    let (found, calls, marks) = find("Stubbed.apply(");
    assert!(found.contains("returned I 1"), "{found:?}");
    let function = "((java.util.function.Function) (p0) -> Integer.valueOf(42))";
    assert!(calls.contains(function), "{calls}");
    let of_null = |m: &Option<String>| m.as_deref() == Some("f.apply is null");
    assert!(marks.iter().all(of_null), "{marks:?}");
    let (found, ..) = find("Stubbed.nested(");
    assert!(found.contains("returned I 3"), "{found:?}");
    let (found, ..) = find("Stubbed.same(");
    assert!(found.contains("returned L lib.Stubbed$Check"), "{found:?}");
}

/// Types of parameters with their packages and without them, in one name; a name that fits nothing gets the list.
#[test]
fn overloads_are_told_apart_by_short_and_long_types() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("overloads");
    javac(
        &place,
        ".",
        "classes",
        &[sources().join("../made/lib/Token.java")],
    );
    let entry = |entry: &str| {
        let args = [
            "java", "run", "classes", "--junit", "none", "--time", "60", "--entry", entry,
        ];
        let ran = polypath(&place, &args);
        (
            ran.status.code(),
            String::from_utf8_lossy(&ran.stderr).into_owned(),
        )
    };
    let (code, said) = entry("lib.Token.is(lib.Token, String)");
    assert_eq!(code, Some(0), "{said}");
    let both = "is(lib.Token,java.lang.Object), is(lib.Token,java.lang.String)";
    for wrong in ["lib.Token.is", "lib.Token.is(Token)"] {
        let (code, said) = entry(wrong);
        assert_eq!(code, Some(2), "{said}");
        let named = said.contains(both)
            || said.contains("is(lib.Token,java.lang.String), is(lib.Token,java.lang.Object)");
        assert!(named, "{said}");
    }
}

/// A budget that is less than what one method needs.
#[test]
fn methods_that_the_budget_leaves_out_are_named() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("leftout");
    bank(&place);
    let (code, methods, said) = test_all(&place, &["--time", "0.2", "--package", "bank"]);
    assert_eq!(code, Some(4), "{said}");
    assert_eq!(methods.len(), 4, "{said}");
    let told = "0 of 4 methods served within --time 0.2; a full pass needs about 3 s";
    assert!(said.contains(told), "{said}");
    let left_out = ": not served: there was no time left";
    assert_eq!(said.matches(left_out).count(), 4, "{said}");
}

/// Each part of a method is too short for a path, however fast the machine is (the user's own limit holds): it has the turns that a method gets, and then
/// the progress, its line, the sum and `methods.json` say the same of it.
#[test]
fn a_method_that_comes_to_no_path_has_more_turns_and_is_told_as_not_served() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("short");
    let source = "public class Short { public static int share(int n) { return n == 7 ? 1 : 2; }
        public static int other(Thread t) { return t == null ? 1 : 2; } }";
    place.write("Short.java", source);
    javac(&place, ".", "classes", &["Short.java".into()]);
    let more = [
        "--time",
        "60",
        "--progress",
        "json",
        "--",
        "--time",
        "0.001",
    ];
    let (code, methods, said) = test_all(&place, &more);
    assert_eq!(code, Some(4), "{said}");
    let state = |of: &str| {
        let name = format!("Short.{of}");
        let is_it = |m: &&serde_json::Value| m["method"].as_str().is_some_and(|m| m == name);
        let method = methods.iter().find(is_it);
        let method = method.unwrap_or_else(|| panic!("{name}: {said}"));
        (
            method["state"].as_str().expect("a state"),
            method["trouble"].as_str().unwrap_or_default(),
        )
    };
    let (short, why) = state("share(int)");
    assert_eq!(short, "not_served", "{said}");
    let turns = "no path came to its end in 4 parts of ";
    assert!(why.starts_with(turns), "{said}");
    assert!(
        said.contains(&format!("Short.share(int): not served: {turns}")),
        "{said}"
    );
    // That it cannot be called is all that there is to say.
    let (refused, why) = state("other(java.lang.Thread)");
    assert_eq!(refused, "not_run", "{said}");
    assert!(why.contains("Thread"), "{said}");
    for told in [
        "2 methods: 0 tests, 0 errors; 0 explored, 0 in part, 1 not run, 1 not served",
        "1 of 2 methods served within --time 60; ",
        "\"done\":1,",
    ] {
        assert!(said.contains(told), "{told}: {said}");
    }
    assert!(!said.contains("\"done\":2,"), "{said}");
}

#[test]
fn a_run_begins_with_the_seeds() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("seeds");
    bank(&place);
    std::fs::create_dir_all(place.join("seeds")).expect("a directory");
    std::fs::write(place.join("seeds/one"), "hi").expect("a seed");
    let entry = "bank.Account.withdraw";
    let run = |out: &str, sizes: &str| {
        polypath(
            &place,
            &[
                "java",
                "run",
                "classes",
                "--entry",
                entry,
                "--out",
                out,
                "--seed-input",
                "seeds",
                "--array-len",
                sizes,
                "--time",
                "60",
            ],
        )
    };
    let ran = run("out", "1-3");
    assert_eq!(ran.status.code(), Some(1), "{ran:?}");
    let mut problems = Vec::new();
    let tests = testcase::read::tests(&place.join("out/tests"), &mut problems).expect("tests");
    assert_eq!(tests[0].args[3], b"\"hi\"", "{:?}", tests[0]);
    let small = run("small", "1");
    let said = String::from_utf8_lossy(&small.stderr);
    assert_eq!(small.status.code(), Some(2), "{said}");
    assert!(said.contains("seeds/one"), "{said}");
}

#[test]
fn a_program_that_asks_for_input_gets_that_of_the_test() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("asks");
    let own = sources().join("../../../java/runtime/polypath/Symbolic.java");
    let verifier = "org/sosy_lab/sv_benchmarks/Verifier.java";
    let files = ["Asks.java", verifier].map(|f| sources().join("asks").join(f));
    javac(&place, ".", "classes", &[&files[..], &[own]].concat());
    let args = ["java", "run", "classes", "--out", "out", "--time", "300"];
    let ran = polypath(&place, &args);
    assert_eq!(ran.status.code(), Some(1), "{ran:?}");
    let (status, summary, said) = replay(&place, "out");
    assert_eq!(status, Some(1), "{said}");
    assert_eq!(summary["divergences"], serde_json::json!([]), "{said}");
    assert_eq!(summary["error_totals"]["confirmed"], 1, "{said}");
    assert_eq!(
        summary["totals"]["not run"],
        serde_json::Value::Null,
        "{said}"
    );
}

/// What is made of a parameter has its name, where the class file has it; what is asked of numbers beside arrays, and of texts by their
/// name, holds whatever the names are.
#[test]
fn parameters_have_the_names_of_the_source() {
    if !testkit::need("java") {
        return;
    }
    let numbers = "public class Named {
        private final byte[] data; private final int offset, length;
        public Named(byte[] data, int offset, int length) { this.data = data; this.offset = offset; this.length = length; }
        public int sum() { int s = 0; for (int i = 0; i < length; i++) s += data[offset + i]; return s; }
        public static int at(long unused, int index) { int[] all = new int[3]; return all[index + 1]; }
    }";
    let texts = "import java.util.regex.*;
    public class Named {
        public static int groups(String startRegex) {
            Matcher m = Pattern.compile(\"x\" + startRegex).matcher(\"x\");
            return m.find() ? m.group(1).length() : 0;
        }
        public static boolean prefixed(String prefix) { return Pattern.compile(\"^\" + prefix).matcher(\"a\").find(); }
    }";
    let explored = |names: &str, options: &str, source: &str| {
        let place = place!(&format!("named-{names}"));
        place.write("Named.java", source);
        let mut command = testkit::java::javac();
        command.current_dir(&*place);
        command.args([options, "-d", "classes", "Named.java"]);
        assert!(command.status().expect("javac").success());
        let (_, methods, _) = test_all(&place, &["--time", "10", "--", "--array-len", "2"]);
        let marks = |m: &serde_json::Value| {
            let dir = m["directory"].as_str().expect("a directory");
            let run = testcase::Run::read(&place.join("out").join(dir)).expect("a run");
            let marks = run.errors.into_iter().map(|e| e.precondition);
            let marks: std::collections::BTreeSet<String> =
                marks.map(Option::unwrap_or_default).collect();
            (m["method"].as_str().expect("a name").to_string(), marks)
        };
        methods
            .iter()
            .map(marks)
            .collect::<std::collections::BTreeMap<_, _>>()
    };
    for (names, options, data, index) in [
        ("debug", "-g", "this.data", "index"),
        ("kept", "-parameters", "this.data", "index"),
        ("none", "-g:lines", "this.0", "arg1"),
    ] {
        let marks = explored(names, options, numbers);
        // (`this.length` is how long an array is: such a name is not used.)
        let of_data = format!("is no part of {data}, which has ");
        let sum = &marks["Named.sum()"];
        assert!(
            !sum.is_empty() && sum.iter().all(|m| m.contains(&of_data)),
            "{names}: {marks:?}"
        );
        let at: Vec<&String> = marks["Named.at(long,int)"].iter().collect();
        assert_eq!(at, [&format!("{index} is no index")], "{names}");
    }
    let marks = explored("texts", "-g", texts);
    let groups: Vec<&String> = marks["Named.groups(java.lang.String)"].iter().collect();
    let wanted = [
        "startRegex has not the groups that are asked for",
        "startRegex is no part of a regular expression",
    ];
    assert_eq!(groups, wanted, "{marks:?}");
    let prefixed: Vec<&String> = marks["Named.prefixed(java.lang.String)"].iter().collect();
    assert_eq!(prefixed, [""], "{marks:?}");
}

/// What a method never reads makes no paths: neither whether it is null nor what it is.
#[test]
fn a_parameter_that_is_never_read_is_no_input() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("unread");
    let source = "public class Unread {
        public static int share(Object o, java.util.List<String> all, int n, String text, Unread[] more) { return n == 7 ? 1 : 2; }
        public static int read(Unread o, int n) { Object p = o; return n == 7 ? 1 : p == null ? 2 : 3; }
    }";
    place.write("Unread.java", source);
    javac(&place, ".", "classes", &["Unread.java".into()]);
    // (Whether a parameter that is read is null is chosen when it is made.)
    for (method, paths) in [("share", 2), ("read", 4)] {
        let entry = format!("Unread.{method}");
        let run = ["java", "run", "classes", "--entry", &entry, "--out", method];
        let ran = polypath(&place, &run);
        assert_eq!(ran.status.code(), Some(0), "{ran:?}");
        let stats = place.json(&format!("{method}/stats.json"));
        assert_eq!(stats["completed_paths"], paths, "{stats}");
        assert!(stats["halted"].is_null(), "{stats}");
        let (code, _, said) = replay(&place, method);
        assert_eq!(code, Some(0), "{said}");
    }
}

/// javac takes the second of two backslashes for the beginning of a Unicode escape where one stands before them: such a text is written otherwise.
#[test]
fn a_backslash_between_unicode_escapes_compiles() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("backslash");
    let source = "public class Escape {
        public static int share(String s) { return s.equals(new String(new char[] {0x100, 0xd800, 0x5c, 0xd7ff})) ? 1 : 0; }
    }";
    place.write("Escape.java", source);
    javac(&place, ".", "classes", &["Escape.java".into()]);
    let run = [
        "java",
        "run",
        "classes",
        "--entry",
        "Escape.share",
        "--out",
        "out",
    ];
    let ran = polypath(&place, &run);
    assert_eq!(ran.status.code(), Some(0), "{ran:?}");
    assert!(outcomes(&place.join("out")).contains("returned I 1"));
    let (code, _, said) = replay(&place, "out");
    assert_eq!(code, Some(0), "{said}");
}

/// Of classes without lines (`-g:none`) methods are known: their errors are told apart.
#[test]
fn errors_without_lines_have_their_methods() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("lineless");
    let source = "public class Bare {
        static int first(int[] a) { return a[7]; }
        static int other(int[] a) { return a[9]; }
        public static int share(int n) { int[] a = new int[3]; return n == 1 ? first(a) : n == 2 ? other(a) : 0; }
    }";
    place.write("Bare.java", source);
    let mut command = testkit::java::javac();
    command.current_dir(&*place);
    command.args(["-g:none", "-d", "classes", "Bare.java"]);
    assert!(command.status().expect("javac").success());
    let run = [
        "java",
        "run",
        "classes",
        "--entry",
        "Bare.share",
        "--out",
        "out",
    ];
    let ran = polypath(&place, &run);
    assert_eq!(ran.status.code(), Some(1), "{ran:?}");
    let errors = testcase::Run::read(&place.join("out"))
        .expect("a run")
        .errors;
    let mut functions: Vec<&str> = errors.iter().map(|e| &e.function[..]).collect();
    functions.sort_unstable();
    assert_eq!(functions, ["Bare.first", "Bare.other"]);
    assert_eq!(testcase::bug::of_program(&errors).len(), 2);
}
