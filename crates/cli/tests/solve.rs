//! `polypath solve` on the scripts of `tests/smt2`, each with its expected output beside it.
//!
//! `POLYPATH_BLESS=1 cargo test -p polypath-cli --test suite solve::` writes the expected outputs anew.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use testkit::Random;

fn corpus() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/smt2");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "smt2"))
        .collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

fn polypath() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_polypath"));
    command.arg("solve");
    command
}

/// Output and exit status on a script given on standard input.
fn answer(script: &str, options: &[&str]) -> (String, Option<i32>) {
    let mut child = polypath()
        .arg("-")
        .args(options)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let script = script.as_bytes().to_vec();
    // The solver may stop reading early.
    let writer = std::thread::spawn(move || drop(input.write_all(&script)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    (
        String::from_utf8(output.stdout).unwrap(),
        output.status.code(),
    )
}

#[test]
fn scripts_get_their_expected_answers() {
    let _limit = testkit::limit();
    let mut failures = vec![];
    for path in corpus() {
        let output = polypath().arg(&path).output().unwrap();
        let status = output.status.code().unwrap_or(-1);
        let got = format!(
            "{}; exit {status}\n",
            String::from_utf8(output.stdout).unwrap()
        );
        let expected = path.with_extension("expected");
        if std::env::var_os("POLYPATH_BLESS").is_some() {
            std::fs::write(&expected, &got).unwrap();
            continue;
        }
        let want = std::fs::read_to_string(&expected).unwrap_or_default();
        if got != want {
            failures.push(format!(
                "{}:\n--- got\n{got}--- expected\n{want}",
                path.display()
            ));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn a_dialogue_is_answered_command_by_command() {
    let _limit = testkit::limit();
    let mut child = polypath()
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut say = |text: &str| {
        input.write_all(text.as_bytes()).unwrap();
        input.flush().unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        line
    };
    assert_eq!(say("(set-option :print-success true)"), "success\n");
    assert_eq!(say("(declare-const x (_ BitVec 8))"), "success\n");
    assert_eq!(say("(assert (= x #x07))"), "success\n");
    assert_eq!(say("(check-sat)"), "sat\n");
    assert_eq!(say("(get-value (x))"), "((x #x07))\n");
    assert_eq!(say("(echo \"on\")"), "\"on\"\n");
    assert_eq!(say("(exit)"), "success\n");
    assert!(child.wait().unwrap().success());
}

#[test]
fn deep_nesting_does_not_overflow_the_stack() {
    let _limit = testkit::limit();
    const DEPTH: usize = 100_000;
    let mut script = String::from("(declare-const p Bool)(declare-const x (_ BitVec 8))(assert ");
    script.push_str(&"(not ".repeat(DEPTH));
    script.push('p');
    script.push_str(&")".repeat(DEPTH));
    script.push_str(")(assert (= x ");
    script.push_str(&"(bvadd x (bvmul x ".repeat(DEPTH / 2));
    script.push_str("#x00");
    script.push_str(&"))".repeat(DEPTH / 2));
    script.push_str("))(assert ");
    script.push_str(&"(let ((q p)) ".repeat(DEPTH));
    script.push('q');
    script.push_str(&")".repeat(DEPTH));
    script.push_str(")(assert p)(check-sat)(assert (let ((a ");
    script.push_str(&"((_ rotate_left ".repeat(DEPTH));
    let (output, status) = answer(&script, &["--solver-layers", "rewrite,domains"]);
    let first = output.lines().next();
    assert!(matches!(first, Some("sat" | "unknown")), "{output}");
    assert!(output.contains("(error \"line 1 column"), "{output}");
    assert_eq!(status, Some(1));
}

#[test]
fn limits_end_with_unknown() {
    let _limit = testkit::limit();
    // Factors of the product of two primes: nobody finds them in time.
    let hard = "(declare-const x (_ BitVec 128))(declare-const y (_ BitVec 128))\
        (assert (= (bvmul x y) (_ bv1329227995784915676907151277116365817 128)))\
        (assert (bvult x (_ bv18446744073709551615 128)))\
        (assert (bvult y (_ bv18446744073709551615 128)))\
        (assert (bvugt x (_ bv1 128)))(assert (bvugt y (_ bv1 128)))(check-sat)\n";
    let (output, status) = answer(hard, &["--time", "1"]);
    assert_eq!((output.as_str(), status), ("unknown\n", Some(0)));
    let (output, status) = answer(hard, &["--memory", "1"]);
    // It may be over before the question is read.
    let told = [
        "unknown\n",
        "(error \"memory limit before the next check-sat\")\n",
    ];
    assert!(told.contains(&output.as_str()), "{output}");
    assert_eq!(status, Some(0));
}

#[test]
fn scripts_after_one_that_is_given_up_are_executed() {
    let _limit = testkit::limit();
    let folder = testkit::place!("several");
    // It takes more memory than there is.
    let mut long = String::from("(declare-const x (_ BitVec 32))\n");
    for i in 0..300_000 {
        long.push_str(&format!("(assert (bvult (bvmul x #x{i:08x}) (bvnot x)))\n"));
    }
    let answered = format!("(check-sat)\n{long}");
    long.push_str("(check-sat)\n");
    let scripts = [
        ("a", "(check-sat)(assert)\n"),
        ("b", &long),
        ("answered", &answered),
        (
            "c",
            "(declare-const p Bool)(assert (and p (not p)))(check-sat)\n",
        ),
    ];
    let files = scripts.map(|(name, text)| {
        let file = folder.join(name);
        std::fs::write(&file, text).unwrap();
        file
    });
    for jobs in ["1", "3"] {
        let output = polypath()
            .args(["--memory", "200", "--jobs", jobs])
            .args(&files)
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let ends = |line: &str, name: &str| {
            line.starts_with("; read ") && line.ends_with(&format!("/{name}"))
        };
        assert!(
            lines.len() == 9
                && lines[0] == "sat"
                && lines[1].starts_with("(error ")
                && ends(lines[2], "a")
                && lines[3] == "unknown"
                && ends(lines[4], "b")
                && lines[5] == "sat"
                && ends(lines[6], "answered")
                && lines[7] == "unsat"
                && ends(lines[8], "c"),
            "{jobs} at the same time: {text}"
        );
        assert_eq!(output.status.code(), Some(1)); // of the first
    }
}

#[test]
fn answers_keep_the_order_of_their_scripts() {
    let _limit = testkit::limit();
    let folder = testkit::place!("order");
    // The later a script stands, the sooner it is done.
    let files: Vec<_> = (0..150)
        .map(|i| {
            let file = folder.join(format!("{i}.smt2"));
            let text = format!(
                "(declare-const x (_ BitVec 16)) (assert (= (bvmul x x) #x{:04x}))\n{}(get-value (x))",
                i * i,
                "(check-sat)\n".repeat(if i < 3 { 3000 } else { 1 }),
            );
            std::fs::write(&file, text).unwrap();
            file
        })
        .collect();
    let answers = |jobs: &str| {
        let options = ["--stats", "--jobs", jobs];
        let output = polypath().args(options).args(&files).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        let words = String::from_utf8(output.stderr).unwrap();
        assert_eq!(words.matches("\ntime").count(), files.len(), "{words}");
        let text = String::from_utf8(output.stdout).unwrap();
        // Without the times.
        let lines = text.lines().map(|line| match line.strip_prefix("; read") {
            Some(told) => told.rsplit(' ').next().unwrap().to_string(),
            None => line.to_string(),
        });
        lines.collect::<Vec<_>>()
    };
    let alone = answers("1");
    assert!(alone.len() > 3 * 150, "{}", alone.len());
    for jobs in ["2", "7"] {
        assert_eq!(answers(jobs), alone);
    }
}

#[test]
fn all_processes_end_with_a_signal() {
    let _limit = testkit::limit();
    let folder = testkit::place!("signalled");
    // Products of primes.
    let files = ["a", "b", "c", "d", "e"].map(|name| {
        let file = folder.join(name);
        let text = "(declare-const x (_ BitVec 80)) (declare-const y (_ BitVec 80))
(assert (bvult x #x000000000fffffffffff)) (assert (bvult y #x000000000fffffffffff))
(assert (bvugt x #x00000000000000000001)) (assert (bvugt y #x00000000000000000001))
(assert (= (bvmul x y) #x00003fffffff9fffd8b1)) (check-sat)\n";
        std::fs::write(&file, text).unwrap();
        file
    });
    let mut solve = polypath();
    solve.args(["--jobs", "2"]).args(&files);
    let solve = solve.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let list = format!("/proc/{0}/task/{0}/children", solve.id());
    let children = || std::fs::read_to_string(&list).unwrap_or_default();
    testkit::until("two processes work and listen", || {
        let children = children();
        let ids = children.split_whitespace().filter_map(|n| n.parse().ok());
        let works = |&id: &u32| {
            testkit::listens(id, 15) && testkit::processor_time(id) > Duration::from_millis(50)
        };
        ids.filter(works).count() == 2
    });
    let children = children();
    // SAFETY: kill only reads its arguments.
    unsafe { libc::kill(solve.id() as libc::pid_t, libc::SIGTERM) };
    let output = solve.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(143));
    // The answers of those at work, and nothing of those that were not begun.
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "unknown\nunknown\n"
    );
    for child in children.split_whitespace() {
        assert!(!std::path::Path::new(&format!("/proc/{child}")).exists());
    }
}

#[test]
fn queries_over_floats_are_asked_in_a_replay() {
    let _limit = testkit::limit();
    let folder = testkit::place!("floats");
    let log = folder.join("queries.smt2");
    let text = "(declare-const x (_ BitVec 64))
(define-fun ?1 () (_ FloatingPoint 11 53) ((_ to_fp 11 53) x))
(define-fun ?2 () Bool (fp.lt ?1 ((_ to_fp 11 53) #x4008000000000000)))
(push 1)(assert (bvult x #x00000000000000ff))(check-sat)
(push 1)(assert ?2)(check-sat)
(push 1)(assert (= x #x0000000000000001))(check-sat)(pop 1)
(push 1)(assert (not ?2))(check-sat)(pop 3)\n";
    std::fs::write(&log, text).unwrap();
    let output = polypath().arg("--replay").arg(&log).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let words: Vec<&str> = text.lines().filter_map(|l| l.split(' ').next()).collect();
    assert_eq!(words, ["sat", "sat", "sat", "unsat"]);
}

/// Doubles, with an alternative and a function of which nothing but floats near a solution is known.
const CUBE: &str = "
(set-option :produce-models true)
(declare-const x (_ FloatingPoint 11 53))
(declare-const y (_ FloatingPoint 11 53))
(define-fun number ((n (_ BitVec 16))) (_ FloatingPoint 11 53) ((_ to_fp_unsigned 11 53) RNE n))
(assert (fp.eq (fp.mul RNE (fp.mul RNE x x) x) (number #x001b)))
(assert (or (fp.eq (fp.mul RNE y y) (number #x0031)) (fp.lt (fp.mul RNE y x) (fp.neg (number #x03e8)))))
(check-sat)
(get-value ((fp.eq x (number #x0003))))
";

/// Every method of `--fp-solver` finds the model, which is evaluated on the script before it is printed.
#[test]
fn each_method_for_floats_decides_scripts() {
    let _limit = testkit::limit();
    let methods = [
        "auto",
        "search",
        "search:gosat",
        "search:xsat",
        "search:anneal:gosat",
        "search:anneal:xsat",
        "fuzz",
        "rso",
        "rso:paper",
        "bvfp",
        "synergy",
        "synergy:paper",
    ];
    for method in methods {
        let (said, status) = answer(CUBE, &["--fp-solver", method, "--time", "60"]);
        assert_eq!(status, Some(0), "{method}: {said}");
        assert_eq!(
            said, "sat\n(((fp.eq x (number #x0003)) true))\n",
            "{method}"
        );
    }
    let (said, status) = answer(CUBE, &["--fp-solver", "none", "--time", "60"]);
    assert!(said.starts_with("unknown\n"), "{said}");
    assert_eq!(status, Some(1), "there is no value");
}

#[test]
fn bad_usage_is_told_apart_from_bad_scripts() {
    let _limit = testkit::limit();
    let status = |arguments: &[&str]| {
        let mut command = polypath();
        let output = command
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        output.status.code()
    };
    assert_eq!(status(&["-", "--sat", "nobody"]), Some(2));
    assert_eq!(status(&["-"]), Some(0));
}

/// A script with something changed: bytes, tokens or parts of other scripts.
fn mutated(scripts: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut text = scripts[random.index(scripts.len())].clone();
    for _ in 0..1 + random.index(4) {
        let at = random.index(text.len());
        match random.index(6) {
            0 => text[at] = random.index(256) as u8,
            1 => drop(text.remove(at)),
            2 => text.insert(at, b"()|\"#:;_!0x1"[random.index(12)]),
            3 => text.truncate(at.max(1)),
            4 => {
                let end = (at + random.index(40)).min(text.len());
                let part = text[at..end].to_vec();
                let to = random.index(text.len());
                text.splice(to..to, part);
            }
            _ => {
                let other = &scripts[random.index(scripts.len())];
                let from = random.index(other.len());
                let part = other[from..(from + random.index(60)).min(other.len())].to_vec();
                text.splice(at..at, part);
            }
        }
    }
    text
}

#[test]
fn mutated_scripts_get_errors_and_no_panics() {
    let _limit = testkit::limit();
    let scripts: Vec<Vec<u8>> = corpus().iter().map(|p| std::fs::read(p).unwrap()).collect();
    let mut random = Random::new(7);
    let folder = std::env::temp_dir().join(format!("polypath-solve-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("mutated.smt2");
    for round in 0..150 {
        let text = mutated(&scripts, &mut random);
        std::fs::write(&path, &text).unwrap();
        let output = polypath()
            .arg(&path)
            .args(["--time", "5", "--solver-layers", "rewrite,domains"])
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(
            matches!(output.status.code(), Some(0 | 1)) && told.is_empty(),
            "round {round}: {:?} {told}\n{}",
            output.status,
            String::from_utf8_lossy(&text)
        );
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// By command: `cargo test --release -p polypath-cli --test suite solve:: -- --ignored`.
#[test]
#[ignore = "a minute and a gigabyte"]
fn a_million_assertions() {
    let _limit = testkit::limit();
    let mut script = String::new();
    for symbol in 0..4000 {
        script.push_str(&format!("(declare-const x{symbol} (_ BitVec 8))\n"));
    }
    for k in 0..1_000_000 {
        let (symbol, value) = (k % 4000, k / 4000);
        script.push_str(&format!("(assert (not (= x{symbol} #x{value:02x})))\n"));
    }
    script.push_str("(check-sat)(assert (bvult x7 #x10))(check-sat)\n");
    let (output, status) = answer(&script, &["--time", "300"]);
    assert_eq!((output.as_str(), status), ("sat\nunsat\n", Some(0)));
}
