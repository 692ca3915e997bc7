//! Reports of an invented run, of an empty one and of a hostile one.

use polypath_testcase as testcase;
use std::fs;
use testcase::coverage::FileCoverage;
use testcase::*;

#[allow(dead_code)]
#[path = "../examples/synthetic_run/main.rs"]
mod synthetic;

#[test]
fn all_reports_of_a_run() {
    let base = tempfile::tempdir().unwrap();
    let dir = base.path().join("run");
    synthetic::write_run(&dir).unwrap();
    let written = testcase::report::run(&dir).unwrap();
    assert_eq!(written.problems, Vec::<String>::new());
    assert_eq!(written.files.len(), 4);

    let html = fs::read_to_string(dir.join("report.html")).unwrap();
    for part in [
        "3 errors found",
        "division by zero",
        "confirmed",
        "test000012",
        "99*9*&lt;",
        "not found; coverage is counted",
        "s-&gt;values",
    ] {
        assert!(html.contains(part), "{part}");
    }
    // Static and self-contained.
    assert!(!html.contains("http://") && !html.contains("https://") && !html.contains("<link"));

    let sarif: serde_json::Value =
        serde_json::from_slice(&fs::read(dir.join("report.sarif")).unwrap()).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 3);
    assert_eq!(results[0]["ruleId"], "out_of_bounds");
    assert_eq!(
        results[0]["stacks"][0]["frames"].as_array().unwrap().len(),
        3
    );
    assert_eq!(results[2]["level"], "warning");
    let rules = sarif["runs"][0]["tool"]["driver"]["rules"]
        .as_array()
        .unwrap();
    assert!(
        results
            .iter()
            .all(|r| rules.iter().any(|rule| rule["id"] == r["ruleId"]))
    );

    let junit = fs::read_to_string(dir.join("junit.xml")).unwrap();
    testkit::xml::assert_well_formed(&junit);
    assert!(junit.contains("<testsuite name=\"replay\" tests=\"40\" failures=\"1\""));

    let lcov = fs::read_to_string(dir.join("lcov.info")).unwrap();
    let sum = |key: &str| -> u32 {
        lcov.lines()
            .filter_map(|l| l.strip_prefix(key))
            .map(|n| n.parse::<u32>().unwrap())
            .sum()
    };
    assert_eq!(
        sum("LF:"),
        lcov.lines().filter(|l| l.starts_with("DA:")).count() as u32
    );
    assert_eq!(
        sum("LH:"),
        lcov.lines()
            .filter(|l| l.starts_with("DA:") && l.ends_with(",1"))
            .count() as u32
    );
    assert_eq!(
        sum("BRF:"),
        lcov.lines().filter(|l| l.starts_with("BRDA:")).count() as u32
    );
    assert_eq!(lcov.matches("end_of_record").count(), 2);
}

#[test]
fn an_empty_or_killed_run_still_gives_a_page() {
    let base = tempfile::tempdir().unwrap();
    let out = OutputDir::create(Some(&base.path().join("run")), base.path()).unwrap();
    fs::write(out.path().join("replay.json"), "{").unwrap();
    let written = testcase::report::run(out.path()).unwrap();
    assert!(written.problems[0].starts_with("replay.json"));
    let html = fs::read_to_string(written.html).unwrap();
    assert!(html.contains("Interrupted") && html.contains("No tests were written"));
    testkit::xml::assert_well_formed(&fs::read_to_string(out.path().join("junit.xml")).unwrap());
    assert!(testcase::report::run(&base.path().join("missing")).is_err());
}

/// What a caller could only do against the contract comes last and is called so, even if a native run shows
/// it; the bytes that decided an input are marked.
#[test]
fn findings_on_made_up_objects_come_last() {
    let base = tempfile::tempdir().unwrap();
    let out = OutputDir::create(Some(&base.path().join("run")), base.path()).unwrap();
    for (id, line, precondition) in [
        (1, 10, Some("the content of struct X is invented")),
        (2, 20, None),
    ] {
        out.write_test(&TestCase {
            id,
            objects: vec![("data".into(), b"PP\0\0\0\0\0\0\0\0\0\0".to_vec())],
            relevant: vec![ByteRanges::of([0, 1])],
            error: Some(ErrorRecord {
                kind: ErrorKind::Null,
                message: format!("number {id}"),
                file: "x.c".into(),
                line,
                function: "_ZN2ns1fEi".into(),
                test: String::new(),
                stack: Vec::new(),
                paths: 1,
                input: vec!["data[0-1]".into()],
                precondition: precondition.map(str::to_string),
                ..ErrorRecord::default()
            }),
            ..TestCase::default()
        });
    }
    out.finish();
    let html = fs::read_to_string(testcase::report::run(out.path()).unwrap().html).unwrap();
    let at = |text: &str| html.find(text).unwrap_or_else(|| panic!("no {text}"));
    assert!(at("number 2") < at("number 1"));
    assert!(at("precondition likely") > at("number 1"));
    assert_eq!(html.matches("Precondition likely:").count(), 1);
    assert!(html.contains("<b>50</b> <b>50</b> 00"), "marked bytes");
    assert!(html.contains("ns::f(int)") && !html.contains("_ZN2ns"));
}

/// Four stacks at two places are two findings in each report, with all stacks inside.
#[test]
fn one_bug_is_one_entry_with_its_stacks() {
    let base = tempfile::tempdir().unwrap();
    let out = OutputDir::create(Some(&base.path().join("run")), base.path()).unwrap();
    let frame = |function: &str, line| StackFrame {
        function: function.into(),
        file: "x.c".into(),
        line,
        ..StackFrame::default()
    };
    for (id, line, caller) in [
        (1, 10, "one"),
        (2, 10, "two"),
        (3, 20, "one"),
        (4, 10, "three"),
    ] {
        out.write_test(&TestCase {
            id,
            error: Some(ErrorRecord {
                kind: ErrorKind::Null,
                message: "a null pointer".into(),
                file: "x.c".into(),
                line,
                function: "f".into(),
                stack: vec![frame("f", line), frame(caller, 99)],
                ..ErrorRecord::default()
            }),
            ..TestCase::default()
        });
    }
    out.write_stats(&RunStats::default());
    out.finish();
    let json = |name: &str| -> serde_json::Value {
        serde_json::from_slice(&fs::read(out.path().join(name)).unwrap()).unwrap()
    };
    let errors = json("errors.json");
    let numbers: Vec<_> = errors
        .as_array()
        .unwrap()
        .iter()
        .map(|e| e["bug"].as_u64())
        .collect();
    assert_eq!(numbers, [Some(1), Some(1), Some(2), Some(1)]);
    let stats = json("stats.json");
    assert_eq!((&stats["errors"], &stats["bugs"]), (&4.into(), &2.into()));

    let html = fs::read_to_string(testcase::report::run(out.path()).unwrap().html).unwrap();
    assert!(html.contains("2 errors found") && html.contains("3 call stacks"));
    assert!(html.contains("Other call stacks: 2"));
    assert_eq!(html.matches("details class=\"item\" id=\"error").count(), 2);
    let sarif = json("report.sarif");
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let stacks: Vec<usize> = results
        .iter()
        .map(|r| r["stacks"].as_array().unwrap().len())
        .collect();
    assert_eq!(stacks, [3, 1]);
    assert_eq!(
        results[0]["stacks"][1]["message"]["text"],
        "test000002, 1 paths"
    );
    assert_eq!(results[0]["properties"]["paths"], 3);
    let junit = fs::read_to_string(out.path().join("junit.xml")).unwrap();
    testkit::xml::assert_well_formed(&junit);
    assert!(
        junit.contains("<testsuite name=\"errors\" tests=\"2\" failures=\"2\""),
        "{junit}"
    );
    assert!(junit.contains("  three x.c:99"), "{junit}");
    let run = Run::read(out.path()).unwrap();
    let text = testcase::show::errors(&run, &mut |e| vec![e.test.clone()]);
    assert_eq!(text.matches("null: a null pointer").count(), 2, "{text}");
    assert!(
        text.contains("; 3 call stacks, 3 paths\n    test000001\n"),
        "{text}"
    );
    assert_eq!(text.matches("    stack ").count(), 4, "{text}");
}

#[test]
fn nothing_from_the_program_becomes_markup() {
    let base = tempfile::tempdir().unwrap();
    let out = OutputDir::create(Some(&base.path().join("run")), base.path()).unwrap();
    let evil = "</script><img src=x onerror=alert(1)>\"'&\u{1}";
    let error = ErrorRecord {
        kind: ErrorKind::User,
        message: evil.into(),
        file: evil.into(),
        line: u32::MAX,
        function: evil.into(),
        test: String::new(),
        stack: vec![StackFrame {
            function: evil.into(),
            file: evil.into(),
            line: 0,
            column: 0,
            ..StackFrame::default()
        }],
        paths: u64::MAX,
        ..ErrorRecord::default()
    };
    out.write_test(&TestCase {
        id: 1,
        objects: vec![(evil.into(), evil.as_bytes().to_vec())],
        args: vec![evil.as_bytes().to_vec(), b"\xff<b>".to_vec()],
        stdin: Some(evil.as_bytes().to_vec()),
        files: vec![FileSpec {
            path: "<i>".into(),
            bytes: b"<u>".to_vec(),
            ..FileSpec::default()
        }],
        expected: Expected {
            exit: ExitKind::Killed(evil.into()),
            stdout: evil.into(),
            ..Expected::default()
        },
        error: Some(error.clone()),
        ..TestCase::default()
    });
    out.record_error(ErrorRecord {
        kind: ErrorKind::Unsupported,
        ..error
    });
    out.write_info(&RunInfo {
        program: evil.into(),
        command: vec![evil.as_bytes().to_vec()],
        ..RunInfo::default()
    });
    out.write_stats(&RunStats {
        halted: Some(evil.into()),
        parked: [(evil.to_owned(), 1)].into(),
        more: [(evil.to_owned(), serde_json::json!(evil))].into(),
        solver_time_s: -1.0,
        ..RunStats::default()
    });
    let file = FileCoverage {
        path: evil.into(),
        lines: vec![(0, true), (u32::MAX, false)],
        ..FileCoverage::default()
    };
    out.write_coverage(&Coverage { files: vec![file] });
    out.timeline(&TimePoint {
        t: -5.0,
        ..TimePoint::default()
    });
    out.timeline(&TimePoint {
        t: 1e300,
        memory_mb: -1e300,
        ..TimePoint::default()
    });
    out.finish();

    let written = testcase::report::run(out.path()).unwrap();
    let html = fs::read_to_string(written.html).unwrap();
    assert!(!html.contains("<img") && !html.contains("<b>\u{FFFD}") && !html.contains("<u>\""));
    assert_eq!(html.matches("</script>").count(), 1);
    testkit::xml::assert_well_formed(&fs::read_to_string(out.path().join("junit.xml")).unwrap());
    let sarif = fs::read(out.path().join("report.sarif")).unwrap();
    serde_json::from_slice::<serde_json::Value>(&sarif).unwrap();
}

/// What there is nothing of is not covered by 100 %, code without a source is called so, and code around the program is not
/// called libc unless it is.
#[test]
fn the_page_calls_things_what_they_are() {
    let base = tempfile::tempdir().unwrap();
    let out = OutputDir::create(Some(&base.path().join("run")), base.path()).unwrap();
    let frame = |function: &str, file: &str, library: bool| StackFrame {
        function: function.into(),
        file: file.into(),
        line: 3,
        library,
        ..StackFrame::default()
    };
    let file = |path: &str, lines: Vec<(u32, bool)>, taken: Vec<bool>| FileCoverage {
        path: path.into(),
        lines,
        branches: (!taken.is_empty())
            .then(|| testcase::coverage::BranchCoverage {
                taken,
                ..Default::default()
            })
            .into_iter()
            .collect(),
        ..FileCoverage::default()
    };
    let error = |file: &str| ErrorRecord {
        kind: ErrorKind::Null,
        message: "read at null".into(),
        file: file.into(),
        line: if file == "?" { 0 } else { 7 },
        function: "inner".into(),
        stack: vec![
            frame("inner", file, false),
            frame("sift", "/c/sysroot-0/src/musl/src/stdlib/qsort.c", true),
            frame("qsort", "/c/sysroot-0/src/musl/src/stdlib/qsort.c", true),
            frame("main", "harness/f.c", true),
            frame(
                "__libc_start_main",
                "/c/sysroot-0/src/musl/src/env/start.c",
                true,
            ),
        ],
        ..ErrorRecord::default()
    };
    out.record_error(error("x.c"));
    out.record_error(error("?"));
    let files = vec![
        file("?", Vec::new(), vec![true, false]),
        file("A.java", vec![(1, false)], Vec::new()),
        file("x.c", vec![(1, true)], vec![true, true]),
    ];
    out.write_coverage(&Coverage { files });
    for t in [0.0, 1.0] {
        out.timeline(&TimePoint {
            t,
            ..TimePoint::default()
        });
    }
    out.write_stats(&RunStats {
        total_lines: 2,
        ..RunStats::default()
    });
    out.finish();
    let written = testcase::report::run(out.path()).unwrap();
    let html = fs::read_to_string(&written.html).unwrap();
    // The row of each file.
    let row = |name: &str| {
        let row = html
            .split("<details")
            .find(|d| d.contains(name) && d.contains("\"meter\""));
        row.unwrap_or_else(|| panic!("no row of {name}")).to_owned()
    };
    let java = row("A.java");
    assert!(
        java.contains("<b>0%</b>lines") && java.contains("<b>–</b>branches"),
        "{java}"
    );
    let unknown = row("code without source positions");
    assert!(
        unknown.contains("<b>–</b>lines") && unknown.contains("<b>50%</b>branches"),
        "{unknown}"
    );
    assert!(row("x.c").contains("<b>100%</b>branches"));
    assert!(
        !html.contains(">?<") && !html.contains("?:0"),
        "a file without a name"
    );
    // No curve of branches, since the statistics have none.
    assert!(html.contains("data-name=\"lines\"") && !html.contains("data-name=\"branches\""));
    assert!(html.contains("in libc: sift ← qsort<"));
    assert!(html.contains("in the driver of --entry: main<"));
    assert!(html.contains("in libc: __libc_start_main<"));

    let said: Vec<String> = Run::read(out.path())
        .unwrap()
        .errors
        .iter()
        .map(|e| e.to_string())
        .collect();
    assert_eq!(
        said,
        [
            "null: read at null at x.c:7 in inner",
            "null: read at null in inner (no source position)"
        ]
    );
    let lcov = fs::read_to_string(out.path().join("lcov.info")).unwrap();
    assert!(!lcov.contains("SF:?") && lcov.contains("SF:x.c"), "{lcov}");
    let sarif = fs::read_to_string(out.path().join("report.sarif")).unwrap();
    assert!(!sarif.contains("\"%3F\""), "{sarif}");
    let junit = fs::read_to_string(out.path().join("junit.xml")).unwrap();
    assert!(
        junit.contains("null in inner") && !junit.contains("?:0"),
        "{junit}"
    );
}
