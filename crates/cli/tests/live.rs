//! Tests of states that are alive at the end: what the run without them covers and what each live state's input goes on to cover, no path
//! counted, and each test replayed as predicted. The truth is a model of the generated program.

use std::collections::BTreeSet;
use std::path::Path;
use testkit::{Place, Random, engine};

/// Symbolic bytes.
const BYTES: usize = 6;
/// Cases of the tail.
const CASES: u64 = 23;
/// Turns of the tail's loop: more instructions than a state has when no fork is left.
const LOOP: u64 = 250_000;

/// `if (b[byte] < bound) sum += then; else sum ^= other;`
struct Step {
    byte: usize,
    bound: u8,
    then: u64,
    other: u64,
}

/// A program with many paths, each with a long concrete tail.
struct Program {
    steps: Vec<Step>,
    /// Case of the tail that is an error, if one is.
    error: Option<u64>,
    /// Case of the tail that does not end, if one does not.
    endless: Option<u64>,
}

impl Program {
    fn random(random: &mut Random) -> Program {
        let step = |random: &mut Random| Step {
            byte: random.index(BYTES),
            bound: 1 + random.below(254) as u8,
            then: random.below(100),
            other: random.below(100),
        };
        Program {
            steps: (0..9 + random.index(4)).map(|_| step(random)).collect(),
            error: None,
            endless: None,
        }
    }

    fn text(&self) -> String {
        let mut text = format!(
            "#include <klee/klee.h>\n#include <stdio.h>\nint main(void) {{\n  unsigned char b[{BYTES}];\n  \
             klee_make_symbolic(b, sizeof b, \"b\");\n  unsigned sum = 1;\n"
        );
        for s in &self.steps {
            let Step {
                byte,
                bound,
                then,
                other,
            } = s;
            text += &format!("  if (b[{byte}] < {bound}) sum += {then}; else sum ^= {other};\n");
        }
        text += &format!(
            "  for (volatile unsigned i = 0; i < {LOOP}; i++);\n  switch (sum % {CASES}) {{\n"
        );
        for case in 0..CASES {
            let what = if self.error == Some(case) {
                "*(volatile int *)0 = 1;".to_string()
            } else if self.endless == Some(case) {
                "for (volatile unsigned i = 0;; i++);".to_string()
            } else {
                format!("puts(\"case {case}\");")
            };
            text += &format!("  case {case}: {what} break;\n");
        }
        text + "  }\n  return 0;\n}\n"
    }

    /// The case in which an input ends.
    fn case(&self, b: &[u8]) -> u64 {
        let sum = self.steps.iter().fold(1u64, |sum, s| {
            if b[s.byte] < s.bound {
                sum + s.then
            } else {
                sum ^ s.other
            }
        });
        sum % CASES
    }
}

/// What a run leaves.
struct Left {
    run: testcase::Run,
    stats: serde_json::Value,
}

impl Left {
    fn read(out: &Path) -> Left {
        Left {
            run: testcase::Run::read(out).expect("the run can be read"),
            stats: testkit::json(&out.join("stats.json")),
        }
    }

    fn count(&self, name: &str) -> u64 {
        self.stats[name].as_u64().unwrap_or(0)
    }

    /// The cases that its tests reach by the model, whose predictions it confirms.
    fn cases(&self, program: &Program) -> BTreeSet<u64> {
        let mut cases = BTreeSet::new();
        for test in &self.run.tests {
            let case = program.case(&test.objects[0].1);
            cases.insert(case);
            match &test.expected.exit {
                testcase::ExitKind::Status(status) => {
                    assert_eq!(*status, 0);
                    let said = format!("case {case}\n").into_bytes();
                    assert_eq!(test.expected.stdout, said, "{test:?}");
                }
                testcase::ExitKind::Error(_) => assert_eq!(program.error, Some(case)),
                testcase::ExitKind::Killed(_) => {}
                testcase::ExitKind::Signal(_) => panic!("{test:?}"),
            }
        }
        cases
    }
}

fn run(place: &Place, out: &str, options: &[&str]) -> Left {
    let mut args = vec![
        "run",
        "program.c",
        "--jobs",
        "1",
        "--out",
        out,
        "--search",
        "bfs",
    ];
    args.extend(options);
    let ran = place.polypath(args);
    assert!((0..6).contains(&ran.code), "{}: {}", ran.code, ran.text());
    Left::read(&place.join(out))
}

#[test]
fn live_states_leave_what_their_inputs_reach() {
    let Some(place) = engine!("live_reach") else {
        return;
    };
    let mut random = Random::new(38);
    for round in 0..3 {
        let program = Program::random(&mut random);
        place.write("program.c", program.text());
        let forks = (10 + random.below(30)).to_string();
        let name = |what: &str| format!("{what}{round}");
        let stopped = |what: &str, more: &[&str]| {
            let options = [&["--max-forks", &forks], more].concat();
            run(&place, &name(what), &options)
        };
        let without = stopped("without", &["--live-share", "0"]);
        let with = stopped("with", &["--live-share", "90"]);
        let every = stopped("every", &["--live-share", "90", "--tests", "live"]);
        assert_eq!(without.count("live_runs"), 0);
        assert!(without.count("live_left") > 0, "{}", without.stats);
        for left in [&with, &every] {
            assert_eq!(left.count("live_left"), 0, "{}", left.stats);
            assert!(left.count("live_runs") > 0);
            for same in [
                "completed_paths",
                "partial_paths",
                "endings",
                "forks",
                "instructions",
            ] {
                assert_eq!(left.stats[same], without.stats[same], "{same}");
            }
            assert_eq!(left.count("tests"), left.run.tests.len() as u64);
            let halted = left.stats["halted"].as_str().expect("a reason");
            assert!(halted.contains("paths unfinished"), "{halted}");
        }
        assert_eq!(every.count("live_runs"), every.count("live_tests"));
        let (least, some, all) = (
            without.cases(&program),
            with.cases(&program),
            every.cases(&program),
        );
        assert!(some.is_superset(&least));
        // What covers nothing new may go without a test, but nothing that is covered does.
        assert_eq!(some, all);
        let ahead = with.run.tests.iter().filter(|t| t.is_ahead());
        assert_eq!(ahead.count() as u64, with.count("live_tests"));
        let replayed = place.polypath(["replay".to_string(), name("with")]);
        assert_eq!(replayed.code, 0, "{}", replayed.text());
        // What goes on from there is what would have been without them.
        let resumed = |what: &str| {
            let ran = place.polypath(["run", "--resume", &name(what), "--max-forks", "0"]);
            assert!((0..2).contains(&ran.code), "{}", ran.text());
            Left::read(&place.join(name(what)))
        };
        let (without, with) = (resumed("without"), resumed("with"));
        for same in [
            "halted",
            "completed_paths",
            "endings",
            "covered_branches",
            "covered_lines",
        ] {
            assert_eq!(with.stats[same], without.stats[same], "{same}");
        }
        assert_eq!(with.cases(&program), without.cases(&program));
    }
}

#[test]
fn an_error_on_the_way_is_found_and_counts_once() {
    let Some(place) = engine!("live_error") else {
        return;
    };
    // A case that is reached ahead of the exploration only, which does not depend on what the cases do.
    let mut random = Random::new(3);
    let options = ["--max-forks", "20", "--live-share", "90"];
    let found = (0..10).find_map(|round| {
        let program = Program::random(&mut random);
        place.write("program.c", program.text());
        let left = run(&place, &format!("probe{round}"), &options);
        let cases = |ahead: bool| -> BTreeSet<u64> {
            let tests = left.run.tests.iter().filter(|t| t.is_ahead() == ahead);
            tests.map(|t| program.case(&t.objects[0].1)).collect()
        };
        let error = cases(true).difference(&cases(false)).next().copied();
        error.is_some().then_some(Program { error, ..program })
    });
    let program = found.expect("one program of ten");
    place.write("program.c", program.text());
    run(
        &place,
        "without",
        &["--max-forks", "20", "--live-share", "0"],
    );
    let stopped = run(&place, "stopped", &options);
    let ahead = |e: &&testcase::ErrorRecord| {
        let shown = stopped.run.tests.iter();
        let mut shown = shown.filter(|t| testcase::test_name(t.id) == e.test);
        shown.next().is_some_and(testcase::TestCase::is_ahead)
    };
    assert_eq!(stopped.run.errors.len(), 1, "{:?}", stopped.run.errors);
    assert!(stopped.run.errors.iter().any(|e| ahead(&e)));
    stopped.cases(&program);
    let replayed = place.polypath(["replay", "stopped"]);
    assert_eq!(replayed.code, 1, "{}", replayed.text());
    // The exploration comes there later, as it does without.
    let [ended, without] = ["stopped", "without"].map(|out| {
        let ran = place.polypath(["run", "--resume", out, "--max-forks", "0"]);
        assert_eq!(ran.code, 1, "{}", ran.text());
        Left::read(&place.join(out))
    });
    for same in ["halted", "completed_paths", "endings", "errors", "bugs"] {
        assert_eq!(ended.stats[same], without.stats[same], "{same}");
    }
    let paths = |left: &Left| left.run.errors.iter().map(|e| e.paths).sum::<u64>();
    assert_eq!(paths(&ended), paths(&without));
}

#[test]
fn an_input_that_never_ends_takes_its_share_and_is_named() {
    let Some(place) = engine!("live_endless") else {
        return;
    };
    let mut random = Random::new(5);
    let mut program = Program::random(&mut random);
    program.endless = Some(program.case(&[0; BYTES]));
    place.write("program.c", program.text());
    let options = ["--max-forks", "20", "--live-share", "50", "--tests", "live"];
    let left = run(&place, "out", &options);
    assert!(left.count("live_cut") > 0, "{}", left.stats);
    assert!(left.count("live_runs") > left.count("live_cut"));
    let cut = left.run.tests.iter().filter(|t| t.is_ahead());
    let cut = cut.filter(|t| t.expected.exit == testcase::ExitKind::Killed("instructions".into()));
    assert!(cut.count() > 0);
    left.cases(&program);
    // A limit of time holds, with them inside of it.
    let began = std::time::Instant::now();
    let left = run(&place, "timed", &["--time", "3", "--live-share", "50"]);
    assert!(began.elapsed().as_secs() < 30);
    let wall = left.stats["wall_s"].as_f64().expect("a number");
    assert!(wall < 4.0, "{wall}");
    assert!(left.count("live_runs") > 0, "{}", left.stats);
    let halted = left.stats["halted"].as_str().expect("a reason");
    assert!(halted.contains("paths unfinished"), "{halted}");
}
