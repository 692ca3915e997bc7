//! Input that tools for Java stumble over: methods that are too long, old, new, broken and missing class files, archives of
//! several versions or with signatures, packages with the names of ours, programs that wait for ever.

use crate::java_brute::{brute, outcomes};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use testkit::java::{self, compile};
use testkit::{Attended, Place, place};

/// What a run left behind.
struct Run {
    status: Option<i32>,
    said: String,
    stats: serde_json::Value,
    errors: serde_json::Value,
}

impl Run {
    fn halted(&self) -> &str {
        self.stats["halted"].as_str().unwrap_or_default()
    }
}

/// Explores in check mode.
fn run(place: &Place, class_path: &str, entry: &str, more: &[&str]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_polypath"));
    command
        .current_dir(&**place)
        .env("POLYPATH_JAVA_CHECK", "1")
        // Options for other programs: the JVM would write its log among the records.
        .env("JDK_JAVA_OPTIONS", "-Xlog:gc")
        .env("_JAVA_OPTIONS", "-Xlog:gc");
    command.args(["java", "run", class_path, "--entry", entry, "--out", entry]);
    let ran = command.args(more).output().expect("polypath");
    let json = |name: &str| match std::fs::read(place.join(entry).join(name)) {
        Ok(text) => serde_json::from_slice(&text).expect("JSON"),
        Err(_) => serde_json::Value::Null,
    };
    let run = Run {
        status: ran.status.code(),
        said: String::from_utf8_lossy(&ran.stderr).into_owned(),
        stats: json("stats.json"),
        errors: json("errors.json"),
    };
    let wrong = run.stats["java_wrong"].as_array().map_or(0, Vec::len);
    assert_eq!(wrong, 0, "{}", run.said);
    run
}

/// A class from this source.
fn source(place: &Place, name: &str, text: &str) {
    place.write(&format!("{name}.java"), text);
    compile(place, &[], &[place.join(format!("{name}.java"))]);
}

fn tool(place: &Place, program: &str, args: &[&str]) {
    let mut command = Command::new(program);
    let output = command.current_dir(&**place).args(args).output();
    let output = output.unwrap_or_else(|e| panic!("{program}: {e}"));
    assert!(output.status.success(), "{program} {args:?}: {output:?}");
}

/// Explored to the end, with the outcomes of a plain JVM.
fn is_complete(place: &Place, class: &str) {
    let ran = run(place, "classes", &format!("{class}.path"), &[]);
    assert!(ran.stats["halted"].is_null(), "{class}: {}", ran.said);
    let found = outcomes(&place.join(format!("{class}.path")));
    assert_eq!(found, brute(place, class), "{class}");
}

/// A class whose method `work` has so many statements of some 40 bytes, each of which is five times as long when it is woven.
fn long(name: &str, statements: u32) -> String {
    let mut text = format!("class {name} {{\n static int[] t = new int[4]; static int f, g;\n");
    text.push_str(" static int work(int s) { g = 7; s = 1; t[2] = 9;\n");
    for k in 0..statements {
        let (from, to) = (k & 1, (k + 1) & 1);
        writeln!(
            text,
            "s = s * 31 + t[{from}] + f; f = s; t[{to}] = s ^ {k};"
        )
        .expect("a string");
    }
    text.push_str("return s; }\n static int path(byte x) {\n");
    text.push_str("if (x == 77) return 5; g = x; t[2] = x; t[3] = x; work(x);\n");
    text.push_str("if (g == 3 || t[2] == 3) return 1; return t[3] == 4 ? 2 : 3; } }\n");
    text
}

#[test]
fn what_comes_to_a_method_that_is_too_long_is_lost_by_name() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("long");
    source(&place, "Long", &long("Long", 600));
    let ran = run(&place, "classes", "Long.path", &[]);
    let what = "values in methods too long to be woven (Long.work:0)";
    assert!(ran.halted().ends_with(what), "{}", ran.said);
    // What it wrote has the values that it wrote, and what it did not touch is followed.
    let found = outcomes(&place.join("Long.path"));
    let all = ["returned I 2", "returned I 3", "returned I 5"];
    assert_eq!(found, all.map(str::to_string).into());
    source(&place, "Longer", &long("Longer", 1500));
    let ran = run(&place, "classes", "Longer.path", &[]);
    assert!(
        ran.halted().starts_with("1 paths unsupported ("),
        "{}",
        ran.said
    );
    let what = &ran.errors[0]["message"];
    assert_eq!(what, "method that cannot be woven: Longer.work");
}

#[test]
fn class_files_of_old_compilers_are_explored() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("old");
    let old = java::source("hard/Old.java");
    let path = "/usr/share/java/asm.jar";
    let (classes, old) = (place.join("classes"), old.display().to_string());
    let to = classes.display().to_string();
    tool(&place, "java", &["-cp", path, &old, &to]);
    compile(&place, &[], &[java::source("Brute.java")]);
    is_complete(&place, "Finally");
    // Those of Java 8 have nests, concatenation and private methods of another kind than today's.
    let names = ["Inner", "Lambdas", "Builders", "Keys"];
    let files: Vec<PathBuf> = names
        .iter()
        .map(|n| java::source(&format!("paths/{n}.java")))
        .collect();
    compile(&place, &["--release", "8"], &files);
    for name in names {
        is_complete(&place, name);
    }
}

#[test]
fn a_class_file_that_the_jvm_refuses_is_refused_with_its_words() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("broken");
    let text = "class User { static int path(byte x) {
        if (x == 1) return Broken.one();
        if (x == 2) return Newer.one();
        if (x == 3) return Missing.one();
        return x > 5 ? 6 : 7; } }
        class Broken { static int one() { return 1; } }
        class Newer { static int one() { return 2; } }
        class Missing { static int one() { return 3; } }";
    source(&place, "User", text);
    let file = |name: &str| place.join(format!("classes/{name}.class"));
    let broken = std::fs::read(file("Broken")).expect("a class");
    std::fs::write(file("Broken"), &broken[..broken.len() / 2]).expect("a class");
    let mut newer = std::fs::read(file("Newer")).expect("a class");
    newer[7] = 99;
    std::fs::write(file("Newer"), &newer).expect("a class");
    std::fs::remove_file(file("Missing")).expect("a class");
    let ran = run(&place, "classes", "User.path", &[]);
    assert!(ran.stats["halted"].is_null(), "{}", ran.said);
    let errors = ran.errors.as_array().expect("a list");
    let mut said: Vec<String> = errors
        .iter()
        .map(|e| e["message"].as_str().expect("text").to_string())
        .collect();
    said.sort();
    assert_eq!(said.len(), 3, "{said:?}");
    assert!(
        said[0].starts_with("java.lang.ClassFormatError: "),
        "{said:?}"
    );
    assert_eq!(said[1], "java.lang.NoClassDefFoundError: Missing");
    assert!(
        said[2].starts_with("java.lang.UnsupportedClassVersionError: Newer has been compiled by a more recent version"),
        "{said:?}"
    );
    assert_eq!(outcomes(&place.join("User.path")).len(), 5);
    // A plain JVM agrees.
    let replayed = place.polypath(["replay", "User.path"]);
    let said = replayed.text();
    assert!(
        replayed.code == 1 && said.contains("3 error path, 2 same"),
        "{said}"
    );
    let ran = run(&place, "classes", "Newer.one", &[]);
    assert_eq!(ran.status, Some(2), "{}", ran.said);
    let why = "class Newer cannot be loaded: java.lang.UnsupportedClassVersionError";
    assert!(ran.said.contains(why), "{}", ran.said);
}

#[test]
fn archives_of_several_versions_and_with_signatures_are_explored() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("archives");
    for folder in ["base", "new"] {
        std::fs::create_dir(place.join(folder)).expect("a folder");
    }
    place.write(
        "base/Version.java",
        "class Version { static int path(byte x) { return 8; } }",
    );
    place.write(
        "new/Version.java",
        "class Version { static int path(byte x) { return x == 9 ? 11 : 12; } }",
    );
    for (from, to) in [("base", "b"), ("new", "n")] {
        let file = format!("{from}/Version.java");
        let compiled = java::javac()
            .current_dir(&*place)
            .args(["-g", "-d", to, &file])
            .status();
        assert!(compiled.expect("javac").success());
    }
    let versions = ["-C", "b", ".", "--release", "11", "-C", "n", "."];
    let archive = ["--create", "--file", "app.jar"];
    tool(&place, "jar", &[&archive[..], &versions].concat());
    let secret = ["-storepass", "secret", "-keystore", "keys"];
    let key = [
        "-genkeypair",
        "-alias",
        "me",
        "-dname",
        "CN=me",
        "-keyalg",
        "RSA",
    ];
    tool(&place, "keytool", &[&key[..], &secret].concat());
    tool(
        &place,
        "jarsigner",
        &[&secret[..], &["app.jar", "me"]].concat(),
    );
    let ran = run(&place, "app.jar", "Version.path", &[]);
    assert!(ran.stats["halted"].is_null(), "{}", ran.said);
    let all = ["returned I 11", "returned I 12"].map(str::to_string);
    assert_eq!(outcomes(&place.join("Version.path")), all.into());
}

#[test]
fn packages_named_as_ours_or_as_the_librarys_are_the_programs() {
    if !testkit::need("java") {
        return;
    }
    for package in ["polypath", "polypath.driver", "javax.shop", "com.sun.shop"] {
        let place = place!(&format!("package-{package}"));
        let text = format!(
            "package {package}; public class Main {{ static int half(int n) {{ return 10 / n; }}\
             public static int path(byte x) {{ int h = half(x - 3); return h > 2 ? 1 : 2; }} }}"
        );
        source(&place, "Main", &text);
        let ran = run(&place, "classes", &format!("{package}.Main.path"), &[]);
        assert!(ran.stats["halted"].is_null(), "{package}: {}", ran.said);
        let error = &ran.errors[0];
        assert_eq!(error["kind"], "div_zero", "{}", ran.said);
        assert_eq!(error["function"], format!("{package}.Main.half"));
        let replayed = place.polypath(["replay", &format!("{package}.Main.path")]);
        let said = replayed.text();
        assert!(replayed.code == 1 && said.contains("confirmed"), "{said}");
    }
}

#[test]
fn a_deadlock_ends_its_run_once_and_by_name() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("deadlock");
    let text = "class Lock { static int path(byte x) throws Exception {\
        Object a = new Object(), b = new Object(); if (x == 9) {\
        Thread t = new Thread(() -> { synchronized (b) { pause(); synchronized (a) { } } });\
        synchronized (a) { t.start(); pause(); synchronized (b) { return 1; } } }\
        if (x == 5) synchronized (a) { a.wait(); } return x > 3 ? 2 : 3; }\
        static void pause() { try { Thread.sleep(100); } catch (InterruptedException e) { } } }";
    source(&place, "Lock", text);
    let limits = ["--run-time", "600", "--time", "300"];
    let ran = run(&place, "classes", "Lock.path", &limits);
    assert_eq!(ran.halted(), "2 paths blocked", "{}", ran.said);
    let found = outcomes(&place.join("Lock.path"));
    let ways = ["returned I 2", "returned I 3"].map(str::to_string);
    assert!(ways.iter().all(|w| found.contains(w)), "{found:?}");
}

#[test]
fn a_handler_that_covers_itself_lets_the_end_of_a_run_pass() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("covered");
    // Each loop is cut by the number of steps; a program's own exception leaves through the same handlers.
    let text = "class Covered { static int n; static int path(byte x) {
        if (x == 1) { synchronized (Covered.class) { while (true) n++; } }
        if (x == 2) { try { while (true) n++; } catch (Throwable t) { n = 0; } finally { n = 1; } }
        if (x == 3) { try { synchronized (Covered.class) { try { while (true) n++; } finally { n = 2; } } } finally { return 7; } }
        if (x == 4) { synchronized (Covered.class) { Object o = null; try { return o.hashCode(); } finally { n = 3; } } }
        return 5; } }";
    source(&place, "Covered", text);
    let limits = ["--run-steps", "2000000", "--time", "100"];
    let ran = run(&place, "classes", "Covered.path", &limits);
    assert_eq!(ran.halted(), "3 runs too long", "{}", ran.said);
    assert_eq!(ran.stats["completed_paths"], 2, "{}", ran.said);
    assert_eq!(ran.errors[0]["kind"], "null", "{}", ran.said);
}

#[test]
fn a_run_that_is_stopped_while_its_program_waits_keeps_its_numbers() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("stopped");
    let text = "class Slow { static int path(byte x) throws Exception {
        if (x == 9) while (true) Thread.sleep(1000);
        return x > 3 ? 2 : 3; } }";
    source(&place, "Slow", text);
    let limits = ["--run-time", "600", "--time", "20"];
    let ran = run(&place, "classes", "Slow.path", &limits);
    assert!(ran.halted().starts_with("time limit"), "{}", ran.said);
    assert_eq!(ran.stats["completed_paths"], 2, "{}", ran.said);
}

#[test]
fn a_run_that_is_stopped_inside_a_run_says_what_is_open_and_leaves_its_class() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("open");
    // The second path is long enough for the user to hear of sides that are open; what it opens never ends.
    let text = "class Open { static int path(byte x, byte y) throws Exception {
        Thread.sleep(300);
        int sum = (x > 3 ? 2 : 3) + (x > 5 ? 2 : 3) + (y > 7 ? 2 : 3);
        if (y > 7 && x == 9) while (true) Thread.sleep(1000);
        return sum; } }";
    source(&place, "Open", text);
    let limits = ["--run-time", "600", "--time", "20", "--jobs", "1"];
    let ran = run(&place, "classes", "Open.path", &limits);
    let halted = ran.halted();
    // Whether the JVM could be stopped in time, or the process ended inside of the run.
    assert!(halted.starts_with("time limit"), "{}", ran.said);
    assert!(halted.contains("branches left open"), "{}", ran.said);
    has_class(&place.join("Open.path"));
}

/// A run has left one JUnit class, with tests.
fn has_class(out: &Path) {
    let mut found = Vec::new();
    let mut todo = vec![out.join("junit")];
    while let Some(dir) = todo.pop() {
        for entry in std::fs::read_dir(&dir).expect("the class is in a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                todo.push(path)
            } else {
                found.push(path)
            }
        }
    }
    assert_eq!(found.len(), 1, "{found:?}");
    let class = std::fs::read_to_string(&found[0]).expect("the class can be read");
    assert!(class.contains("@Test"), "{class}");
}

/// The paths that a run has completed, by its last line of progress.
fn paths(out: &Path) -> u64 {
    let text = std::fs::read_to_string(out.join("run.jsonl")).unwrap_or_default();
    let mut points = text
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    points
        .next_back()
        .and_then(|point| point["paths"].as_u64())
        .unwrap_or(0)
}

/// Is the first thread of a process in a call that waits for input?
fn reads(pid: u32) -> bool {
    let call = std::fs::read_to_string(format!("/proc/{pid}/syscall")).unwrap_or_default();
    call.starts_with(&format!("{} ", libc::SYS_read))
}

/// Holds the first thread of a process for ever, as an operation that never ends would; its other threads go on.
fn hold_first_thread(pid: u32) {
    let pid = pid as libc::pid_t;
    // SAFETY: these requests read and write nothing of this process.
    unsafe {
        assert_eq!(
            libc::ptrace(libc::PTRACE_SEIZE, pid, 0, 0),
            0,
            "it can be traced"
        );
        assert_eq!(libc::ptrace(libc::PTRACE_INTERRUPT, pid, 0, 0), 0);
        // Its stop is told here, and not to who waits for its end.
        assert_eq!(libc::waitpid(pid, std::ptr::null_mut(), libc::__WALL), pid);
    }
}

#[test]
fn a_run_that_is_stuck_when_its_time_is_over_leaves_all_that_was_known() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("stuck");
    // A value that no first query finds, many paths, and an error.
    let text = "class Stuck {
        static void nap() { try { Thread.sleep(200); } catch (InterruptedException e) { } }
        static int path(long p, byte x, byte y) {
            nap();
            long h = p;
            for (int i = 0; i < 3; i++) h = h * h + 12345 ^ h >>> 31;
            if (h == 4611685975477714963L) return 1;
            int sum = 0;
            for (int i = 0; i < 6; i++) if ((y >> i & 1) == 1) sum++;
            String none = null;
            if (x > 50) if (x > 60) if (x > 70) if (x == 77) return none.length();
            return sum; } }";
    source(&place, "Stuck", text);
    let mut command = Command::new(env!("CARGO_BIN_EXE_polypath"));
    command
        .current_dir(&*place)
        .args(["java", "run", "classes", "--entry", "Stuck.path"])
        .args(["--out", "out", "--jobs", "1", "--time", "20", "--quiet"]);
    let mut run = Attended::begin(&mut command);
    let out = place.join("out");
    // In the midst of a run, whose program naps.
    run.until("it has paths, and waits for the JVM", |pid| {
        paths(&out) > 5 && reads(pid)
    });
    hold_first_thread(run.id());
    let (status, said) = run.end();
    let json = |name: &str| testkit::json(&out.join(name));
    let stats = json("stats.json");
    let halted = stats["halted"].as_str().unwrap_or_default();
    let begin = "time limit (stopped inside an operation); ";
    assert!(halted.starts_with(begin), "{status} {said}: {stats}");
    for words in ["branches left open", "parked"] {
        assert!(halted.contains(words), "{words}: {halted}");
    }
    assert!(stats["completed_paths"].as_u64() > Some(2), "{stats}");
    assert!(stats["queries"].as_u64() > Some(2), "{stats}");
    assert!(stats["wall_s"].as_f64() >= Some(20.0), "{stats}");
    let covered = stats["covered_lines"].as_u64();
    assert!(covered > Some(3), "{stats}");
    let run = testcase::Run::read(&place.join("out")).expect("a run");
    let coverage = run.coverage.expect("coverage.json");
    let lines = coverage.files.iter().flat_map(|f| &f.lines);
    let lines = lines.filter(|(_, covered)| *covered).count() as u64;
    assert_eq!(Some(lines), covered);
    has_class(&place.join("out"));
}

#[test]
fn a_limit_that_is_over_before_the_jvm_has_started_is_named() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("soon");
    source(
        &place,
        "Soon",
        "public class Soon { static int path(int a) { return a / 3; } }",
    );
    let limit = ["--time", "0.02", "--jobs", "1"];
    let run = run(&place, "classes", "Soon.path", &limit);
    assert_eq!(run.status, Some(4), "{}", run.said);
    assert!(run.halted().starts_with("time limit"), "{}", run.said);
    assert!(run.said.contains("not everything was explored"));
}
