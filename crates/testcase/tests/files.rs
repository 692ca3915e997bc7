//! What a run writes, it can read back; what is damaged is named and nothing else is lost.

use polypath_testcase as testcase;
use std::fs;
use std::path::Path;
use testcase::ktest::{KTest, ParseError};
use testcase::output::LOOSE_TESTS;
use testcase::pack::PlainTest;
use testcase::*;

type Parsed = (Vec<String>, u32, u32, Vec<(String, Vec<u8>)>);

/// A reader of KLEE's format written from its description, independent of the crate's own.
fn parse_independently(file: &[u8]) -> Parsed {
    let mut at = 0usize;
    let mut bytes = |n: usize| {
        at += n;
        file[at - n..at].to_vec()
    };
    assert_eq!(bytes(5), b"KTEST");
    fn number(b: Vec<u8>) -> u32 {
        (u32::from(b[0]) << 24) + (u32::from(b[1]) << 16) + (u32::from(b[2]) << 8) + u32::from(b[3])
    }
    assert_eq!(number(bytes(4)), 3);
    let mut args = Vec::new();
    for _ in 0..number(bytes(4)) {
        let n = number(bytes(4));
        args.push(String::from_utf8(bytes(n as usize)).unwrap());
    }
    let (sym_argvs, sym_argv_len) = (number(bytes(4)), number(bytes(4)));
    let mut objects = Vec::new();
    for _ in 0..number(bytes(4)) {
        let n = number(bytes(4));
        let name = String::from_utf8(bytes(n as usize)).unwrap();
        let n = number(bytes(4));
        objects.push((name, bytes(n as usize)));
    }
    assert_eq!(at, file.len());
    (args, sym_argvs, sym_argv_len, objects)
}

fn sample(id: u32) -> TestCase {
    TestCase {
        id,
        objects: vec![
            ("n_args".into(), vec![2, 0, 0, 0]),
            ("arg00".into(), b"-n\0\0\0\0\0\0\0\0\0".to_vec()),
            ("arg01".into(), b"A\0\0\0\0\0\0\0\0\0\0".to_vec()),
            ("A_data".into(), b"one\ntwo\n".to_vec()),
            ("stdin".into(), b"12345678".to_vec()),
            ("x".into(), vec![0xFF, 0, 1, 2]),
        ],
        input_objects: 5,
        args: vec![b"cat".to_vec(), b"-n".to_vec(), b"A".to_vec()],
        stdin: Some(b"12345678".to_vec()),
        files: vec![
            FileSpec {
                path: "A".into(),
                bytes: b"one\ntwo\n".to_vec(),
                mode: 0o644,
                mtime: 1,
                atime: 2,
            },
            FileSpec {
                path: "../escape".into(),
                bytes: b"no".to_vec(),
                ..FileSpec::default()
            },
            FileSpec {
                path: "dir/B".into(),
                bytes: Vec::new(),
                mode: 0o600,
                ..FileSpec::default()
            },
            FileSpec {
                path: "dir".into(),
                bytes: Vec::new(),
                mode: 0o040755,
                ..FileSpec::default()
            },
        ],
        env: vec![b"LC_ALL=C".to_vec(), b"ODD=\xFF".to_vec()],
        expected: Expected {
            exit: ExitKind::Error(ErrorKind::OutOfBounds),
            stdout: b"     1\tone\n".to_vec(),
            stderr: Vec::new(),
            path_hash: Some(u64::MAX - 1),
            unsteady: vec!["A.f:3".into()],
        },
        prefix: vec![(1, 0, 1), (7, 2, 40)],
        error: Some(ErrorRecord {
            kind: ErrorKind::OutOfBounds,
            message: "read of 1 byte past x".into(),
            file: "cat.c".into(),
            line: 12,
            function: "main".into(),
            test: String::new(),
            stack: vec![StackFrame {
                function: "main".into(),
                file: "cat.c".into(),
                line: 12,
                column: 3,
                ..StackFrame::default()
            }],
            ..ErrorRecord::default()
        }),
        covered_new: false,
        time_s: 0.25,
        instructions: 1234,
        relevant: Vec::new(),
    }
}

#[test]
fn bytes_that_mattered_stand_in_the_test() {
    let base = tempfile::tempdir().unwrap();
    let mut test = sample(1);
    let ranges = |list: &[usize]| ByteRanges::of(list.iter().copied());
    test.relevant = vec![ByteRanges::default(); test.objects.len()];
    test.relevant[1] = ranges(&[0, 1]);
    test.relevant[5] = ranges(&[0, 2, 3]);
    assert_eq!(test.decided_by(), ["arg00[0-1]", "x[0, 2-3]"]);
    assert!(test.relevant[5].contains(3) && !test.relevant[5].contains(1));
    testcase::testdir::write(base.path(), &test, Vec::new()).unwrap();
    assert_eq!(testcase::testdir::read(base.path()).unwrap(), test);
}

#[test]
fn a_test_survives_the_way_to_disk_and_back() {
    let base = tempfile::tempdir().unwrap();
    let out = OutputDir::create(None, base.path()).unwrap();
    let test = sample(1);
    assert!(out.write_test(&test));
    assert_eq!(out.finish().loose, 1);

    let run = Run::read(&base.path().join("polypath-last")).unwrap();
    assert_eq!(run.problems, Vec::<String>::new());
    assert_eq!(run.tests, vec![test]);
    assert_eq!(run.errors.len(), 1);
    assert_eq!(run.errors[0].test, "test000001");
    assert_eq!(run.errors[0].kind, ErrorKind::OutOfBounds);
}

#[test]
fn the_ktest_is_what_klee_replay_expects() {
    let base = tempfile::tempdir().unwrap();
    let out = OutputDir::create(None, base.path()).unwrap();
    out.write_test(&sample(1));
    let file = fs::read(out.path().join("tests/test000001.ktest")).unwrap();
    let (args, sym_argvs, sym_argv_len, objects) = parse_independently(&file);
    assert_eq!(
        args.join(" "),
        "cat --sym-args 0 2 10 --sym-files 1 8 --sym-stdin 8"
    );
    assert_eq!((sym_argvs, sym_argv_len), (0, 0));
    let names: Vec<_> = objects
        .iter()
        .map(|(n, d)| format!("{n}:{}", d.len()))
        .collect();
    let wanted = "n_args:4 arg00:11 arg01:11 A_data:8 A_data_stat:144 stdin:8 stdin_stat:144 \
                  model_version:4 x:4";
    assert_eq!(names.join(" "), wanted);
    // st_size and st_mode of the generated stat
    let stat = &objects[4].1;
    assert_eq!(u64::from_le_bytes(stat[48..56].try_into().unwrap()), 8);
    assert_eq!(
        u32::from_le_bytes(stat[24..28].try_into().unwrap()),
        0o100644
    );
    // Our own reader and writer agree byte by byte.
    assert_eq!(KTest::parse(&file).unwrap().to_bytes(), file);
}

#[test]
fn concrete_arguments_keep_their_place_in_the_header() {
    let test = TestCase {
        objects: vec![
            ("arg00".into(), b"q\0\0".to_vec()),
            ("n_args".into(), vec![1, 0, 0, 0]),
            ("arg01".into(), b"zz\0".to_vec()),
            ("n_args_1".into(), vec![0; 4]),
        ],
        input_objects: 4,
        args: ["p", "-v", "q", "--", "zz", "end"]
            .map(|a| a.as_bytes().to_vec())
            .to_vec(),
        ..TestCase::default()
    };
    let klee = klee::to_ktest(&test);
    let args: Vec<_> = klee
        .ktest
        .args
        .iter()
        .map(|a| String::from_utf8_lossy(a))
        .collect();
    assert_eq!(
        args.join(" "),
        "p -v --sym-arg 2 -- --sym-args 0 1 2 --sym-args 0 1 1 end"
    );
    assert_eq!(klee.limits, Vec::<String>::new());
}

#[test]
fn every_truncation_of_a_ktest_is_named() {
    let file = klee::to_ktest(&sample(1)).ktest.to_bytes();
    for n in 0..file.len() {
        match KTest::parse(&file[..n]) {
            Err(ParseError::Magic) => assert!(n < 5),
            Err(ParseError::Truncated(_)) => assert!(n >= 5),
            other => panic!("{n} bytes: {other:?}"),
        }
    }
    let mut longer = file.clone();
    longer.push(0);
    assert_eq!(KTest::parse(&longer), Err(ParseError::Trailing(1)));
    let huge = b"KTEST\0\0\0\x03\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF";
    assert!(matches!(KTest::parse(huge), Err(ParseError::Truncated(_))));
    assert_eq!(
        KTest::parse(b"KTEST\0\0\0\x04"),
        Err(ParseError::Version(4))
    );
}

#[test]
fn tests_beyond_the_first_thousand_go_to_the_pack_and_come_back() {
    let base = tempfile::tempdir().unwrap();
    let out = OutputDir::create(Some(&base.path().join("o")), base.path()).unwrap();
    let plain = |id| TestCase {
        id,
        objects: vec![("x".into(), vec![id as u8])],
        ..TestCase::default()
    };
    for id in 1..=3000 {
        assert!(out.write_test(&TestCase {
            covered_new: id == 2500,
            ..plain(id)
        }));
    }
    let summary = out.finish();
    assert_eq!(
        (summary.loose, summary.packed, summary.lost),
        (1001, 1999, 0)
    );
    assert!(out.path().join("tests/test002500.ktest").exists());
    let run = Run::read(out.path()).unwrap();
    assert_eq!(run.tests.len(), 3000);
    assert_eq!(run.tests[2000], plain(2001));
    assert_eq!(run.problems, Vec::<String>::new());
    assert_eq!((run.totals.tests, run.totals.new), (3000, 1));

    // A report keeps the telling ones only.
    let outline = Run::outline(out.path(), 10).unwrap();
    assert_eq!(outline.totals, run.totals);
    let ids: Vec<u32> = outline.tests.iter().map(|t| t.id).collect();
    assert_eq!(ids, [1, 2, 3, 4, 5, 6, 7, 8, 9, 2500]);
    // Each has one byte of input.
    let outline = Run::outline_within(out.path(), 10, 3).unwrap();
    assert_eq!(outline.totals, run.totals);
    let ids: Vec<u32> = outline.tests.iter().map(|t| t.id).collect();
    assert_eq!(ids, [1, 2, 2500]);

    // A kill in the middle of a write tears the last record only.
    let pack = out.path().join("tests/tests.pack");
    let bytes = fs::read(&pack).unwrap();
    fs::write(&pack, &bytes[..bytes.len() - 3]).unwrap();
    let run = Run::read(out.path()).unwrap();
    assert_eq!(run.tests.len(), 2999);
    assert!(
        run.problems[0].contains("torn record"),
        "{:?}",
        run.problems
    );
}

#[test]
fn an_error_that_is_met_without_a_precondition_has_none() {
    let base = tempfile::tempdir().unwrap();
    let out = OutputDir::create(None, base.path()).unwrap();
    let error = |precondition: Option<&str>, test: &str| ErrorRecord {
        kind: ErrorKind::DivZero,
        file: "A.java".into(),
        precondition: precondition.map(str::to_string),
        test: test.into(),
        ..ErrorRecord::default()
    };
    out.record_error(error(Some("a"), "test000001"));
    out.record_error(error(None, ""));
    assert!(
        Run::read(out.path()).unwrap().errors[0]
            .precondition
            .is_some()
    );
    out.unmark(&error(None, "test000002"));
    let run = Run::read(out.path()).unwrap();
    assert_eq!(run.errors[0].precondition, None);
    assert_eq!(
        (run.errors[0].test.as_str(), run.errors.len()),
        ("test000002", 1)
    );
}

#[test]
fn equal_errors_are_one_and_unsupported_does_not_count() {
    let base = tempfile::tempdir().unwrap();
    let out = OutputDir::create(None, base.path()).unwrap();
    let error = |kind, line, message: &str| ErrorRecord {
        kind,
        line,
        message: message.into(),
        file: "a.c".into(),
        function: "f".into(),
        test: String::new(),
        stack: Vec::new(),
        ..ErrorRecord::default()
    };
    assert!(out.record_error(error(ErrorKind::DivZero, 3, "a")));
    assert!(!out.record_error(error(ErrorKind::DivZero, 3, "b")));
    assert!(out.record_error(error(ErrorKind::DivZero, 4, "a")));
    assert!(out.record_error(error(ErrorKind::Unsupported, 4, "vector shuffle")));
    assert!(!out.record_error(error(ErrorKind::Unsupported, 9, "vector shuffle")));
    assert_eq!(out.program_errors(), 2);
    out.write_stats(&RunStats {
        completed_paths: 5,
        ..RunStats::default()
    });
    out.finish();
    let run = Run::read(out.path()).unwrap();
    assert_eq!(
        run.errors.iter().map(|e| e.paths).collect::<Vec<_>>(),
        [2, 1, 2]
    );
    let stats = run.stats.unwrap();
    assert_eq!(
        (stats.errors, stats.completed_paths, stats.halted),
        (2, 5, None)
    );
    let json: serde_json::Value =
        serde_json::from_slice(&fs::read(out.path().join("stats.json")).unwrap()).unwrap();
    for field in [
        "completed_paths",
        "partial_paths",
        "instructions",
        "queries",
        "solver_time_s",
        "covered_branches",
        "total_branches",
        "partial_solutions",
        "halted",
    ] {
        assert!(json.get(field).is_some(), "{field}");
    }
    let errors: serde_json::Value =
        serde_json::from_slice(&fs::read(out.path().join("errors.json")).unwrap()).unwrap();
    for field in [
        "kind", "message", "file", "line", "function", "test", "stack",
    ] {
        assert!(errors[0].get(field).is_some(), "{field}");
    }
}

/// The names of the tests in a directory of results, and the errors with theirs.
fn listed(dir: &Path) -> (Vec<String>, Vec<(String, u64)>) {
    let entries = fs::read_dir(dir.join("tests")).unwrap();
    let name = |e: std::io::Result<fs::DirEntry>| e.unwrap().file_name().into_string().unwrap();
    let mut tests: Vec<String> = entries.map(name).collect();
    tests.sort();
    let errors = fs::read(dir.join("errors.json")).unwrap();
    let errors: Vec<ErrorRecord> = serde_json::from_slice(&errors).unwrap();
    let errors = errors.into_iter().map(|e| (e.test, e.paths));
    (tests, errors.collect())
}

#[test]
fn provisional_tests_give_way_to_those_that_show_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().join("out");
    let out = OutputDir::create(Some(&place), dir.path()).unwrap();
    let error = |line| ErrorRecord {
        kind: ErrorKind::DivZero,
        file: "a.c".into(),
        line,
        ..ErrorRecord::default()
    };
    let shows = |id, line| TestCase {
        error: Some(error(line)),
        ..sample(id)
    };
    assert!(out.write_provisional(&shows(1, 7)));
    assert!(out.write_provisional(&shows(2, 8)));
    assert!(out.write_provisional(&TestCase {
        covered_new: true,
        error: None,
        ..sample(3)
    }));
    assert_eq!(out.finish().loose, 3);
    assert!(out.lists(&error(7)) && !out.knows(&error(7)));
    // Another path to the first error: its entry has this test from now on. One to the second is not found.
    assert!(out.write_test(&shows(4, 7)));
    assert!(out.knows(&error(7)) && !out.knows(&error(8)));
    let all = |names: &[&str]| -> Vec<String> {
        let both = |name: &&str| [name.to_string(), format!("{name}.ktest")];
        names.iter().flat_map(both).collect()
    };
    let errors = vec![("test000004".to_string(), 1), ("test000002".into(), 1)];
    let before = all(&["test000002", "test000003", "test000004"]);
    assert_eq!(listed(&place), (before, errors.clone()));
    // A run that goes on knows which they are.
    let written = out.written();
    assert_eq!(written.provisional.len(), 2);
    let (out, next) = OutputDir::resume(&place, written, 5).unwrap();
    assert_eq!(next, 5);
    out.settle();
    let after = all(&["test000002", "test000004"]);
    assert_eq!(listed(&place), (after, errors));
    assert_eq!(out.finish().written(), 2);
}

#[test]
fn what_was_written_after_the_last_record_stays_and_counts_once() {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().join("out");
    let out = OutputDir::create(Some(&place), dir.path()).unwrap();
    let on_path = |id: u32, path: u32, line: u32| TestCase {
        prefix: vec![(path, 0, 1)],
        error: (line > 0).then(|| ErrorRecord {
            kind: ErrorKind::DivZero,
            file: "a.c".into(),
            line,
            ..ErrorRecord::default()
        }),
        ..sample(id)
    };
    let plain = |path: u32| PlainTest::of(on_path(0, path, 0));
    for id in 1..=LOOSE_TESTS as u32 {
        assert!(out.write_test(&on_path(id, id, 0)));
    }
    assert!(out.write_test(&on_path(1001, 1001, 7)));
    assert!(out.write_plain(1002, &plain(1002)));
    let recorded = out.written();
    // After the record: two plain tests, one more path to the known error, an error, and one that is half written.
    assert!(out.write_plain(1003, &plain(1003)));
    assert!(out.write_plain(1004, &plain(1004)));
    assert!(out.write_test(&on_path(1005, 1005, 7)));
    assert!(out.write_test(&on_path(1006, 1006, 9)));
    assert!(out.write_test(&on_path(1007, 1007, 9)));
    out.finish();
    fs::remove_file(place.join("tests/test001006.ktest")).unwrap();
    fs::create_dir(place.join("tests/.tmp-1-test001008")).unwrap();
    let damaged = place.join("tests/test001009");
    fs::create_dir(&damaged).unwrap();
    fs::write(damaged.join("meta.json"), "{").unwrap();
    fs::write(damaged.with_extension("ktest"), "").unwrap();
    let pack = place.join("tests/tests.pack");
    let whole = fs::read(&pack).unwrap();
    fs::write(&pack, [&whole[..], b"PPTE torn"].concat()).unwrap();

    let (out, next) = OutputDir::resume(&place, recorded, 1003).unwrap();
    assert_eq!(next, 1008);
    assert!(!damaged.exists() && !damaged.with_extension("ktest").exists());
    assert_eq!(
        fs::read(&pack).unwrap(),
        whole,
        "a torn end goes, whole tests stay"
    );
    let paths = |out: &OutputDir| -> Vec<(u32, u64)> {
        let errors = out.errors();
        errors.iter().map(|e| (e.line, e.paths)).collect()
    };
    // The record had one path to the first error. The second one is listed, its paths are counted anew.
    assert_eq!(paths(&out), [(7, 1), (9, 2)]);
    assert!(out.has_written_plain(1008, &plain(1003)));
    assert!(
        !out.has_written_plain(1008, &plain(1003)),
        "each test stands for one path"
    );
    assert!(
        !out.has_written(&on_path(1008, 5, 0)),
        "its path was recorded"
    );
    assert!(out.has_written(&on_path(1008, 1006, 9)));
    assert_eq!(paths(&out), [(7, 1), (9, 1)]);
    // A second stop, before the others were explored again.
    let recorded = out.written();
    drop(out);
    let (out, next) = OutputDir::resume(&place, recorded, next).unwrap();
    assert_eq!(next, 1008);
    assert!(out.has_written_plain(1008, &plain(1004)));
    assert!(out.has_written(&on_path(1008, 1005, 7)));
    assert!(out.has_written(&on_path(1008, 1007, 9)));
    assert_eq!(paths(&out), [(7, 2), (9, 2)]);
    let run = Run::read(&place).unwrap();
    assert_eq!(run.problems, Vec::<String>::new());
    let ids: Vec<u32> = run.tests.iter().map(|t| t.id).collect();
    assert_eq!(ids, (1..=1007).collect::<Vec<_>>());
    assert_eq!(out.finish().written(), 1007);
    assert_eq!(run.errors[1].test, "test001006");
}

#[test]
fn output_directories_are_numbered_and_never_reused() {
    let base = tempfile::tempdir().unwrap();
    let first = OutputDir::create(None, base.path()).unwrap();
    let second = OutputDir::create(None, base.path()).unwrap();
    assert!(first.path().ends_with("polypath-out-0"));
    assert!(second.path().ends_with("polypath-out-1"));
    let last = base.path().join("polypath-last");
    assert_eq!(fs::read_link(&last).unwrap(), Path::new("polypath-out-1"));
    let error = OutputDir::create(Some(first.path()), base.path())
        .err()
        .unwrap();
    assert!(error.to_string().contains("not empty"), "{error}");
    // A file of that name is not replaced.
    fs::remove_file(&last).unwrap();
    fs::write(&last, "mine").unwrap();
    assert!(OutputDir::create(None, base.path()).is_err());
    assert_eq!(fs::read(&last).unwrap(), b"mine");
}

#[test]
fn hostile_and_damaged_directories_are_named_not_followed() {
    let base = tempfile::tempdir().unwrap();
    assert!(Run::read(&base.path().join("missing")).is_err());
    assert!(
        Run::read(base.path())
            .unwrap_err()
            .to_string()
            .contains("no tests/")
    );

    let out = OutputDir::create(Some(&base.path().join("o")), base.path()).unwrap();
    for id in 1..=6 {
        out.write_test(&TestCase {
            id,
            args: vec![b"p".to_vec()],
            ..TestCase::default()
        });
    }
    let tests = out.path().join("tests");
    let meta = |id: u32| tests.join(test_name(id)).join("meta.json");
    fs::write(meta(1), "{\"format\":1,").unwrap();
    let text = fs::read_to_string(meta(2)).unwrap();
    let file = r#""files":[{"path":"A","stored":"../../../stolen","mode":0,"mtime":0,"atime":0}]"#;
    fs::write(meta(2), text.replace("\"files\":[]", file)).unwrap();
    fs::write(meta(3), text.replace("\"format\":1", "\"format\":99")).unwrap();
    fs::remove_dir_all(tests.join(test_name(4))).unwrap();
    fs::write(tests.join("test000004.ktest"), b"KTEST\0\0").unwrap();
    fs::create_dir(tests.join(".tmp-test000009")).unwrap();
    fs::write(out.path().join("stats.json"), "[[[[").unwrap();
    fs::write(out.path().join("run.jsonl"), "{\"t\":1}\n{\"t\":").unwrap();
    let deep = "[".repeat(100_000);
    fs::write(out.path().join("errors.json"), deep).unwrap();

    let run = Run::read(out.path()).unwrap();
    // Where the directory is damaged the .ktest still gives the objects.
    assert_eq!(
        run.tests.iter().map(|t| t.id).collect::<Vec<_>>(),
        [1, 2, 3, 5, 6]
    );
    assert_eq!(run.timeline.len(), 1);
    let all = run.problems.join("\n");
    for part in [
        "test000001/meta.json is damaged",
        "leads out of the test",
        "format 99 is unknown",
        "test000004.ktest",
        "stats.json:",
        "run.jsonl: 1 damaged",
        "errors.json:",
    ] {
        assert!(all.contains(part), "{part} not in:\n{all}");
    }
}

#[test]
fn a_lone_ktest_is_read_as_objects() {
    let base = tempfile::tempdir().unwrap();
    let out = OutputDir::create(None, base.path()).unwrap();
    out.write_test(&sample(3));
    fs::remove_dir_all(out.path().join("tests/test000003")).unwrap();
    let run = Run::read(out.path()).unwrap();
    assert_eq!(run.tests[0].id, 3);
    assert!(
        run.tests[0]
            .objects
            .iter()
            .any(|(n, d)| n == "x" && d == &[0xFF, 0, 1, 2])
    );
    assert!(run.problems[0].contains("expected result unknown"));
}

#[test]
fn a_directory_that_vanishes_loses_tests_but_not_the_run() {
    let base = tempfile::tempdir().unwrap();
    let out = OutputDir::create(None, base.path()).unwrap();
    assert!(out.write_test(&sample(1)));
    fs::remove_dir_all(out.path()).unwrap();
    assert!(!out.write_test(&sample(2)));
    assert!(!out.write_test(&sample(3)));
    assert!(out.problem().unwrap().contains("cannot write"));
    assert_eq!(out.problem(), None);
    out.write_stats(&RunStats::default());
    out.timeline(&TimePoint::default());
    let summary = out.finish();
    assert_eq!((summary.loose, summary.lost), (1, 2));
    assert!(summary.failed_writes >= 2);
}
