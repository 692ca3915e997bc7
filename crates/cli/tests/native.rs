//! The native program of `polypath run --entry`: it is linked when a user is told of it, at the end of the run, or for a replay.

use std::path::Path;
use std::process::Command;
use testkit::{Attended, Place, engine};
use toolchain::tools::Tool;

const LIBRARY: &str = r#"
int missing(int x);
int positive(int a) { return a > 0; }
int divide(int a, int b) { return a / b; }
int rough(int a) { return a > 5 ? missing(a) : 7 / (a - 2); }
int endless(const char *s) {
    volatile unsigned n = 1;
    if (s && s[0] == 'x') return 1 / (s[1] - 'y');
    while (n) n = n % 1000 + 1;
    return 0;
}
"#;

/// Notes what the results say when it is called, and links.
const LINKER: &str = "#!/bin/sh\ncat \"$RESULTS\"/stats.json >>\"$LINKED\" 2>/dev/null\necho '--' >>\"$LINKED\"\nexec \"$LINKER\" \"$@\"\n";

fn place(name: &str) -> Option<Place> {
    use std::os::unix::fs::PermissionsExt;
    let place = engine!(name)?;
    place.write("lib.c", LIBRARY);
    std::fs::create_dir_all(place.join("bin")).unwrap();
    let linker = Path::new("bin").join(Tool::Lld.program());
    place.write(linker.to_str().unwrap(), LINKER);
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(place.join(linker), mode).unwrap();
    Some(place)
}

/// A command that calls the linker of this place.
fn watched(place: &Place, out: &str, words: &[&str]) -> Command {
    let mut command = place.command();
    let path = std::env::var("PATH").unwrap();
    let before = place.join("bin");
    command
        .args(words)
        .env("PATH", format!("{}:{path}", before.display()))
        .env_remove("POLYPATH_LLVM")
        .env("LINKER", Tool::Lld.find().unwrap())
        .env("RESULTS", place.join(out))
        .env("LINKED", place.join(format!("{out}.linked")));
    command
}

/// Runs it to its end: the exit status and all it said.
fn run(place: &Place, out: &str, words: &[&str]) -> (i32, String) {
    let done = watched(place, out, words).output().unwrap();
    let text = String::from_utf8_lossy(&done.stderr).into_owned();
    (
        done.status.code().unwrap_or(-1),
        text + &String::from_utf8_lossy(&done.stdout),
    )
}

/// Of each call of the linker, how the run had ended by what its results said.
fn linked(place: &Place, out: &str) -> Vec<Option<String>> {
    let path = place.join(format!("{out}.linked"));
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let halted = |stats: &str| {
        let stats: serde_json::Value = serde_json::from_str(stats).unwrap();
        stats["halted"].as_str().map(str::to_string)
    };
    let calls = text.split("--\n").filter(|call| !call.is_empty());
    calls.map(halted).collect()
}

fn entry<'a>(function: &'a str, out: &'a str) -> Vec<&'a str> {
    vec![
        "run", "lib.c", "--jobs=1", "--out", out, "--entry", function,
    ]
}

#[test]
fn the_program_is_linked_when_the_run_is_over_or_somebody_is_told_of_it() {
    let Some(place) = place("when") else { return };
    let (status, text) = run(&place, "plain", &entry("positive", "plain"));
    assert_eq!(status, 0, "{text}");
    assert_eq!(linked(&place, "plain"), [None], "{text}");
    assert!(place.join("plain/harness/positive").is_file());
    let (status, text) = run(&place, "told", &entry("divide", "told"));
    assert_eq!(status, 1, "{text}");
    let still_running = Some("still running".to_string());
    assert_eq!(linked(&place, "told"), [still_running], "{text}");
    // What reads the progress waits for the end, and hears what the link took.
    let words = [&entry("divide", "read")[..], &["--progress=json"]].concat();
    let (status, text) = run(&place, "read", &words);
    assert_eq!(status, 1, "{text}");
    assert_eq!(linked(&place, "read"), [None], "{text}");
    let last = text.lines().rfind(|line| line.starts_with('{'));
    let last: serde_json::Value = serde_json::from_str(last.unwrap()).unwrap();
    assert!(last["native_cpu_s"].as_f64() > Some(0.0), "{last}");
    // The commands that were told work.
    let command = text
        .lines()
        .rfind(|line| line.trim().starts_with("env KTEST_FILE="));
    let ended = place.shell(command.unwrap()).output().unwrap();
    assert!(!ended.status.success(), "{ended:?}");
}

/// The program is made of the bitcode that was explored, whose hash the run has: native replay follows its paths.
#[test]
fn the_program_is_that_which_was_explored() {
    let Some(place) = place("same") else { return };
    let (_, text) = run(&place, "out", &entry("divide", "out"));
    let info = place.json("out/info.json");
    let name = |key: &str| info[key].as_str().unwrap().to_string();
    assert!(name("native").ends_with("/out/harness/divide"), "{info}");
    assert_eq!(name("program"), name("native"));
    assert_eq!(name("bitcode"), name("native") + ".bc");
    let file = &info["plan"]["language"]["C"]["program"]["file"];
    assert_eq!(file, &info["bitcode"]);
    let replayed = place.polypath(["replay", "out"]).text();
    assert!(replayed.contains("modelled replay: "), "{text} {replayed}");
    let is_other = |line: &&str| line.contains("other path") || line.contains("has changed");
    assert_eq!(replayed.lines().find(is_other), None, "{replayed}");
    // It says the same when it is explored itself.
    let ran = place.polypath(["run", "--out", "again", &name("native")]);
    assert_eq!(ran.code, 1, "{}", ran.text());
}

#[test]
fn a_run_that_was_interrupted_has_its_program_and_one_that_was_killed_gets_it() {
    let Some(place) = place("stopped") else {
        return;
    };
    let out = |name: &str| place.join(name);
    let words = [&entry("endless", "int")[..], &["--progress=json"]].concat();
    let mut begun = Attended::begin(&mut watched(&place, "int", &words));
    assert!(begun.explores(&out("int")));
    begun.signal("-INT");
    let (status, text) = begun.end();
    assert!(status == 1 || status == 130, "{status} {text}");
    assert!(out("int/harness/endless").is_file(), "{text}");
    let [Some(_)] = &linked(&place, "int")[..] else {
        panic!("{text}")
    };
    // One that goes on has it, too.
    let (_, text) = run(&place, "int", &["run", "--resume", "int", "--cpu-time=0.5"]);
    assert_eq!(linked(&place, "int").len(), 1, "{text}");

    let words = [&entry("endless", "kill")[..], &["--progress=json"]].concat();
    let mut begun = Attended::begin(&mut watched(&place, "kill", &words));
    assert!(begun.explores(&out("kill")));
    begun.until("an error is there", |_| {
        let errors = std::fs::read_to_string(out("kill/errors.json"));
        errors.is_ok_and(|text| text.contains("kind"))
    });
    begun.signal("-KILL");
    begun.end();
    assert!(!out("kill/harness/endless").exists());
    // No command names what is not there.
    let shown = place.polypath(["show", "kill", "--errors"]).text();
    assert!(!shown.contains("env KTEST_FILE"), "{shown}");
    assert!(shown.contains("polypath replay"), "{shown}");
    let replayed = place.polypath(["replay", "kill"]).text();
    assert!(out("kill/harness/endless").is_file(), "{replayed}");
    assert!(replayed.contains("replayed "), "{replayed}");
}

#[test]
fn a_library_that_does_not_link_is_explored_all_the_same() {
    let Some(place) = place("missing") else {
        return;
    };
    let note = "note: the tests will not replay natively, the program does not link: undefined: missing (--with FILE adds a library)";
    for (out, options, when) in [
        ("told", &["--quiet"][..], "still running"),
        ("read", &["--progress=json"], "1 paths unsupported"),
    ] {
        let words = [&entry("rough", out)[..], options].concat();
        let (status, text) = run(&place, out, &words);
        assert_eq!(status, 1, "{text}");
        assert_eq!(text.matches(note).count(), 1, "{text}");
        assert!(text.contains("div_zero"), "{text}");
        assert!(!text.contains("KTEST_FILE"), "{text}");
        let [Some(halted)] = &linked(&place, out)[..] else {
            panic!("{text}")
        };
        assert!(halted.starts_with(when), "{halted} {text}");
        let info = place.json(&format!("{out}/info.json"));
        assert!(info["native"].is_null(), "{info}");
        assert!(info["program"].as_str().unwrap().ends_with("rough.bc"));
        // Whoever replays it is told the same.
        let replayed = place.polypath(["replay", out]);
        let why = "the program does not link: undefined: missing (`polypath run --with FILE` adds a library)";
        assert_eq!(replayed.code, 2, "{}", replayed.text());
        assert!(replayed.stderr.contains(why), "{}", replayed.text());
    }
    // What adds the function makes the program.
    place.write("more.c", "int missing(int x) { return x; }\n");
    let words = [&entry("rough", "with")[..], &["--with", "more.c"]].concat();
    let (_, text) = run(&place, "with", &words);
    assert!(!text.contains("replay natively"), "{text}");
    assert!(place.join("with/harness/rough").is_file(), "{text}");
}

#[test]
fn each_function_of_a_library_is_linked_once() {
    let Some(place) = place("rounds") else { return };
    let library = LIBRARY.replace(
        "int missing(int x);",
        "static int missing(int x) { return x; }",
    );
    place.write("lib.c", &library);
    place.write(
        "lib.h",
        "int positive(int a);\nint divide(int a, int b);\nint endless(const char *s);\n",
    );
    place.write("all.c", "#include \"lib.h\"\n#include \"lib.c\"\n");
    let words = [
        "test",
        "all.c",
        "--cpu-time=4",
        "--header",
        "lib.h",
        "--no-replay",
        "--out",
        "all",
    ];
    let (status, text) = run(&place, "all", &words);
    assert_eq!(status, 1, "{text}");
    // The endless one has had more than one part.
    assert!(text.matches("] endless: ").count() > 1, "{text}");
    let calls = std::fs::read_to_string(place.join("all.linked")).unwrap();
    assert_eq!(calls.lines().filter(|l| *l == "--").count(), 3, "{text}");
    for function in ["positive", "divide", "endless"] {
        let program = place.join(format!("all/{function}/harness/{function}"));
        assert!(program.is_file(), "{text}");
    }
}
