//! What a run of a Java program leaves behind, held against the tools that read it: javac and JUnit (the classes compile
//! without Polypath and pass), and a plain JVM (replay finds the same outcome).

use crate::java_kit::{bank, explore, jar, javac, outcomes, polypath, replay, sources};
use std::process::Command;
use testkit::place;

const ENTRIES: [&str; 4] = [
    "bank.Account.withdraw",
    "bank.Account.result",
    "bank.Account.hidden",
    "bank.Results.of",
];

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
