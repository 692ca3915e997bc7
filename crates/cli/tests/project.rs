//! `polypath test`: projects with a `polypath.toml`, from a fresh directory to the exit status.

use serde_json::Value;
use testkit::{Attended, Place, Ran, engine};

/// Divides by what is read; `read_old` is where.
const SHARED: &str = "int read_old(int c) {\n    return 100 / (c - 'q');\n}\n";
const PARSE: &str = "int read_old(int c);\n\
    int main(int c, char **v) { int a[2] = {0}; if (v[1][0] == 'x') return a[v[1][0] - 'v']; return read_old(v[1][0]); }\n";
const CONV: &str = "#include <unistd.h>\nint read_old(int c);\n\
    int main(void) { char c; if (read(0, &c, 1) != 1) return 1; return read_old(c); }\n";
const MAKEFILE: &str = "all: parse conv\n%: %.c shared.c\n\t$(CC) -g -O1 -o $@ $^\n";
const TARGETS: &str = "build = \"make -s\"\n\
    [[target]]\nprogram = \"parse\"\noptions.sym-arg = 1\n\
    [[target]]\nprogram = \"conv\"\noptions.sym-stdin = 1\n";
const DIVISION: &str = "[[suppress]]\nkind = \"div_zero\"\nfile = \"shared.c\"\nfunction = \"read_old\"\nreason = \"known: issue 12\"\n";
const BOUNDS: &str =
    "[[suppress]]\nkind = \"out_of_bounds\"\nfile = \"parse.c\"\nreason = \"a < b & \\\"c\\\"\"\n";

fn project(place: &Place, more: &str) {
    place
        .write("shared.c", SHARED)
        .write("parse.c", PARSE)
        .write("conv.c", CONV)
        .write("Makefile", MAKEFILE)
        .write("polypath.toml", format!("{TARGETS}{more}"));
}

fn test(place: &Place, words: &[&str]) -> Ran {
    place.polypath([&["test"], words].concat())
}

fn of<'a>(test: &'a Value, what: &str) -> &'a Vec<Value> {
    test[what].as_array().expect("a list")
}

/// Two programs that share a file, built by plain make: an error of both is told once.
#[test]
fn a_fresh_clone_is_built_explored_replayed_and_reported() {
    let Some(place) = engine!("fresh") else {
        return;
    };
    project(&place, "");
    let ran = test(&place, &[]);
    assert_eq!(ran.code, 1, "{}", ran.text());
    assert_eq!(
        ran.stdout.matches("div_zero: ").count(),
        1,
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("    in parse, conv\n"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("2 targets: 2 errors; "),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("\n    polypath replay "),
        "{}",
        ran.stdout
    );
    for name in ["parse", "conv"] {
        for file in [
            "report.html",
            "report.sarif",
            "junit.xml",
            "lcov.info",
            "replay.json",
            "run.log",
        ] {
            let path = place.join("polypath-results").join(name).join(file);
            assert!(path.is_file(), "{}", path.display());
        }
    }
    let record = place.json("polypath-results/test.json");
    assert_eq!(record["status"], 1);
    let division = of(&record, "errors")
        .iter()
        .find(|e| e["kind"] == "div_zero");
    assert_eq!(
        division.expect("it")["targets"],
        serde_json::json!(["parse", "conv"])
    );
    // A result of ours is replaced, as cargo's are; and a target alone leaves the others as they are.
    let before = place.text("polypath-results/parse/info.json");
    let ran = test(&place, &["conv", "--no-build"]);
    assert_eq!(ran.code, 1, "{}", ran.text());
    assert!(ran.stdout.contains("1 target: 1 error; "), "{}", ran.stdout);
    assert_eq!(before, place.text("polypath-results/parse/info.json"));
    // What is not ours stays.
    std::fs::create_dir_all(place.join("elsewhere/parse")).expect("directories");
    place.write("elsewhere/parse/thesis.tex", "mine");
    place.write("polypath.toml", format!("out = \"elsewhere\"\n{TARGETS}"));
    let ran = test(&place, &[]);
    assert_eq!(ran.code, 2, "{}", ran.text());
    assert!(ran.stderr.contains("does not replace it"), "{}", ran.stderr);
    assert_eq!(place.text("elsewhere/parse/thesis.tex"), "mine");
}

/// Suppressed errors are counted, shown and marked; they follow their function, and are named when nothing shows them any more.
#[test]
fn suppressed_errors_are_shown_and_do_not_count() {
    let Some(place) = engine!("suppressed") else {
        return;
    };
    project(&place, DIVISION);
    let ran = test(&place, &[]);
    assert_eq!(ran.code, 1, "one of two is suppressed: {}", ran.text());
    assert!(
        ran.stdout.contains(": 1 error, 1 suppressed; "),
        "{}",
        ran.stdout
    );
    project(&place, &format!("{DIVISION}{BOUNDS}"));
    let ran = test(&place, &[]);
    assert_eq!(ran.code, 0, "{}", ran.text());
    let told = "suppressed: 1 × div_zero at shared.c in read_old: known: issue 12";
    assert!(ran.stdout.contains(told), "{}", ran.stdout);
    assert!(
        ran.stdout.contains(": 0 errors, 2 suppressed; "),
        "{}",
        ran.stdout
    );
    // All results have the marks.
    let errors = place.json("polypath-results/parse/errors.json");
    let reasons: Vec<&Value> = errors
        .as_array()
        .expect("a list")
        .iter()
        .map(|e| &e["suppressed"])
        .collect();
    assert!(reasons.contains(&&"known: issue 12".into()), "{errors}");
    let sarif = place.json("polypath-results/parse/report.sarif");
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    for result in results {
        let [mark] = &result["suppressions"].as_array().expect("marked")[..] else {
            panic!("{result}")
        };
        assert_eq!(mark["kind"], "external");
        assert!(mark["justification"].is_string(), "{mark}");
    }
    assert_eq!(results.len(), 2, "{sarif}");
    let conv = place.json("polypath-results/conv/report.sarif");
    // One document for all: what both targets show is one result.
    let all = place.json("polypath-results/report.sarif");
    assert_eq!(all["version"], "2.1.0");
    let [run] = &of(&all, "runs")[..] else {
        panic!("{all}")
    };
    let division = of(run, "results")
        .iter()
        .find(|result| result["ruleId"] == "div_zero")
        .expect("it");
    let marks = serde_json::json!([{"kind": "external", "justification": "known: issue 12"}]);
    assert_eq!(division["suppressions"], marks);
    let targets = &division["properties"]["targets"];
    assert_eq!(*targets, serde_json::json!(["parse", "conv"]));
    let shown = division["properties"]["test"].as_str().expect("a name");
    let shown = place.join("polypath-results").join(shown);
    assert!(shown.join("meta.json").is_file(), "{}", shown.display());
    // Each has what a document of one target has: rules, places, levels.
    for result in of(run, "results") {
        let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
        assert!(rules.iter().any(|rule| rule["id"] == result["ruleId"]));
        let alone = results.iter().chain(of(&conv["runs"][0], "results"));
        let mut same = alone.filter(|r| r["ruleId"] == result["ruleId"]);
        let same = same.next().expect("a target shows it");
        for key in ["level", "message", "locations", "suppressions"] {
            assert_eq!(result[key], same[key], "{key}");
        }
        assert!(result["properties"]["replay"].is_string(), "{result}");
    }
    assert_eq!(of(run, "results").len(), 2, "{run}");
    let junit = place.text("polypath-results/parse/junit.xml");
    testkit::xml::assert_well_formed(&junit);
    assert!(
        junit.contains("<skipped message=\"suppressed: a &lt; b &amp; &quot;c&quot;\"/>"),
        "{junit}"
    );
    assert!(!junit.contains("<failure"), "{junit}");
    let page = place.text("polypath-results/parse/report.html");
    assert!(page.contains("No errors but 2 suppressed"), "{page}");
    let shown = place.polypath(["show", "polypath-results/conv", "--errors"]);
    assert!(
        shown.stdout.contains("(suppressed: known: issue 12)"),
        "{}",
        shown.text()
    );
    // One line further down, it is the same function.
    place.write("shared.c", format!("\n{SHARED}"));
    let ran = test(&place, &[]);
    assert_eq!(ran.code, 0, "{}", ran.text());
    // Mended: the suppression is stale, and counts only if the file says so.
    place.write("shared.c", SHARED.replace("100 / (c - 'q')", "c"));
    let ran = test(&place, &[]);
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert!(
        ran.stdout
            .contains("polypath.toml:8: stale: nothing shows div_zero at shared.c in read_old"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("1 stale suppression"), "{}", ran.stdout);
    // One target alone says nothing about what the other one could show.
    let ran = test(&place, &["parse"]);
    assert!(!ran.stdout.contains("stale"), "{}", ran.stdout);
    place.write(
        "polypath.toml",
        format!("stale = \"fail\"\n{TARGETS}{DIVISION}{BOUNDS}"),
    );
    let ran = test(&place, &[]);
    assert_eq!(ran.code, 4, "{}", ran.text());
}

/// Everything that is wrong is told before anything is built or run.
#[test]
fn mistakes_are_told_before_anything_runs() {
    let Some(place) = engine!("mistakes") else {
        return;
    };
    let ran = test(&place, &[]);
    assert_eq!(ran.code, 2, "{}", ran.text());
    assert!(
        ran.stderr.contains("polypath test --init"),
        "{}",
        ran.stderr
    );
    project(&place, "[[suppress]]\nkind = \"null\"\nfile = \"a.c\"\n");
    place.write(
        "polypath.toml",
        place.text("polypath.toml").replace("sym-stdin", "sym-stdn"),
    );
    let ran = test(&place, &[]);
    assert_eq!(ran.code, 2, "{}", ran.text());
    assert!(
        ran.stderr
            .contains("polypath.toml:7: unknown option `sym-stdn`; is `sym-stdin` meant?"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr
            .contains("polypath.toml:8: a suppression needs a `reason`"),
        "{}",
        ran.stderr
    );
    assert!(!place.join("parse").exists() && !place.join("polypath-results").exists());
    project(&place, "");
    for (words, said) in [
        (
            &["prase"][..],
            "has no target prase; is parse meant? There are: parse, conv",
        ),
        (&["--", "--listen", "h:1"], "--listen: "),
        (&["--", "--frobnicate"], "unexpected argument"),
        (&["--file", "missing.toml"], "missing.toml: "),
    ] {
        let ran = test(&place, words);
        assert_eq!(ran.code, 2, "{words:?}: {}", ran.text());
        assert!(ran.stderr.contains(said), "{words:?}: {}", ran.stderr);
    }
    assert!(!place.join("parse").exists());
    // The program is looked for once it is built.
    place.write(
        "polypath.toml",
        TARGETS.replace("program = \"conv\"", "program = \"cnov\""),
    );
    let ran = test(&place, &[]);
    assert_eq!(ran.code, 2, "{}", ran.text());
    assert!(
        ran.stderr
            .contains("polypath.toml:5: target cnov: cnov: No such file"),
        "{}",
        ran.stderr
    );
    assert!(place.join("parse").exists() && !place.join("polypath-results/parse").exists());
    let ran = test(&place, &["--list"]);
    assert_eq!(
        ran.stdout,
        "parse: polypath run --sym-arg=1 parse\ncnov: polypath run --sym-stdin=1 cnov\n"
    );
}

#[test]
fn the_small_file_to_begin_with_works() {
    let Some(place) = engine!("init") else {
        return;
    };
    place.write(
        "prog.c",
        "int main(int c, char **v) { return c > 1 && v[1][0] == 'a'; }\n",
    );
    let ran = test(&place, &["--init"]);
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert_eq!(test(&place, &["--init"]).code, 2, "it is there");
    std::fs::create_dir(place.join("below")).expect("a directory");
    let ran = place.shell("cd below && $P test").output().expect("sh");
    let said = String::from_utf8_lossy(&ran.stdout);
    assert_eq!(ran.status.code(), Some(0), "{said}");
    assert!(said.contains("everything was explored; replay: "), "{said}");
    assert!(place.join("polypath-results/prog/report.html").exists());
}

/// A target can have each status of `docs/exit.md`, and the worst counts.
#[test]
fn targets_have_the_statuses_of_their_runs() {
    let Some(place) = engine!("statuses") else {
        return;
    };
    place
        .write("ok.c", "int main(int c, char **v) { return c > 1 && v[1][0] == 'a'; }\n")
        .write("bug.c", "int main(int c, char **v) { int a[2] = {0}; return a[v[1][0] == 'a' ? 7000000 : 0]; }\n")
        .write("part.c", "int parse_options(int);\nint main(void) { return parse_options(3); }\n")
        .write("broken.c", "int main(void) { return }\n")
        .write("differs.c", "#include <unistd.h>\n#include <stdio.h>\nint main(void) { printf(\"%d\\n\", getppid()); return 0; }\n")
        .write("many.c", "int main(int c, char **v) { int n = 0; for (int i = 0; i < 8 && v[1][i]; i++) n += v[1][i] == 'x'; return n; }\n");
    let target = |name: &str, more: &str| format!("[[target]]\nprogram = \"{name}.c\"\n{more}\n");
    let arg = "options.sym-arg = 1";
    let cut = "options = { sym-arg = 8, max-forks = 3 }";
    let strict = "options = { sym-arg = 8, max-forks = 3, strict = true }";
    for (status, targets) in [
        (0, vec![target("ok", arg), target("many", cut)]),
        (1, vec![target("ok", arg), target("bug", arg)]),
        (1, vec![target("bug", arg), target("broken", "")]),
        (2, vec![target("broken", ""), target("part", "")]),
        (4, vec![target("many", strict), target("ok", arg)]),
        (4, vec![target("part", "replay = false")]),
        (4, vec![target("differs", "")]),
        (0, vec![target("differs", "replay = false")]),
    ] {
        place.write("polypath.toml", targets.concat());
        let ran = test(&place, &[]);
        assert_eq!(ran.code, status, "{}{}", targets.concat(), ran.text());
        let record = place.json("polypath-results/test.json");
        assert_eq!(record["status"], status, "{record}");
    }
    // Results that cannot be written are a failure of ours.
    place.write("polypath.toml", target("ok", arg));
    let ran = place.shell("$P test >/dev/full").output().expect("sh");
    assert_eq!(ran.status.code(), Some(3));
}

/// A suppressed error hides no other reason to fail.
#[test]
fn behind_a_suppressed_error_the_rest_counts() {
    let Some(place) = engine!("behind") else {
        return;
    };
    place.write(
        "found.c",
        "int main(int c, char **v) { int a[2] = {0}; if (v[1][0] == 'a') return a[v[1][0] - '_'];\n\
        int n = 0; for (int i = 0; i < 8 && v[1][i]; i++) n += v[1][i] == 'x'; return n; }\n",
    );
    let file = |strict: bool| {
        format!(
            "[[target]]\nprogram = \"found.c\"\noptions = {{ sym-arg = 8, max-forks = 3, search = \"bfs\", strict = {strict} }}\n\
             [[suppress]]\nkind = \"out_of_bounds\"\nfunction = \"main\"\nreason = \"known\"\n"
        )
    };
    for (strict, status) in [(false, 0), (true, 4)] {
        place.write("polypath.toml", file(strict));
        let ran = test(&place, &[]);
        assert!(ran.stdout.contains("1 suppressed"), "{}", ran.text());
        assert_eq!(ran.code, status, "{}", ran.text());
    }
}

const SPIN: &str =
    "int main(int c, char **v) { unsigned n = 0; for (;;) if (v[1][0] == 'b') n += 3; }\n";

/// Ctrl-C ends the target at work like a run, leaves the others, and `--resume` goes on.
#[test]
fn a_signal_leaves_everything_to_go_on_with() {
    let Some(place) = engine!("signal") else {
        return;
    };
    place
        .write("ok.c", "int main(int c, char **v) { return c > 1 && v[1][0] == 'a'; }\n")
        .write("spin.c", SPIN)
        .write("last.c", "int main(void) { return 0; }\n")
        .write("polypath.toml", "[options]\nsym-arg = 1\n[[target]]\nprogram = \"ok.c\"\n[[target]]\nprogram = \"spin.c\"\n\
            [[target]]\nprogram = \"last.c\"\n[[suppress]]\nkind = \"null\"\nfile = \"spin.c\"\nreason = \"x\"\n");
    for (signal, status) in [("-INT", 130), ("-TERM", 143)] {
        let mut run = Attended::begin_with_output(
            place
                .command()
                .arg("test")
                .stdout(std::fs::File::create(place.join("said")).expect("a file")),
        );
        let course = place.join("polypath-results/spin/run.jsonl");
        let is_on = |_| std::fs::read_to_string(&course).is_ok_and(|text| text.lines().count() > 1);
        assert!(
            run.until("the second target is explored", is_on),
            "it ended by itself"
        );
        run.signal(signal);
        let (code, said) = run.end();
        let said = place.text("said") + &said;
        assert_eq!(code, status, "{said}");
        assert!(
            said.contains("last: not explored: interrupted before it began"),
            "{said}"
        );
        assert!(said.contains("polypath test --resume"), "{said}");
        assert!(!said.contains("stale"), "{said}");
        let stats = place.json("polypath-results/spin/stats.json");
        assert!(
            stats["halted"]
                .as_str()
                .unwrap_or_default()
                .starts_with("interrupted"),
            "{stats}"
        );
        assert!(place.join("polypath-results/spin/frontier.bin").exists());
        if signal == "-INT" {
            std::fs::remove_dir_all(place.join("polypath-results/spin")).expect("ours");
        }
    }
    let before = place.text("polypath-results/ok/info.json");
    // The first target is whole, the second one never ends, the third one begins.
    let ran = test(&place, &["--resume", "spin", "--", "--time", "1"]);
    assert_eq!(ran.code, 4, "{}", ran.text());
    let ran = test(&place, &["--resume", "ok", "last"]);
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert!(
        ran.stderr.contains("ok: was explored before"),
        "{}",
        ran.text()
    );
    assert_eq!(before, place.text("polypath-results/ok/info.json"));
    assert!(
        ran.stdout
            .contains("last: 1 test, 0 errors; everything was explored"),
        "{}",
        ran.text()
    );
    let log = place.text("polypath-results/spin/run.log");
    assert!(
        log.contains("--time and --cpu-time count from here"),
        "{log}"
    );
    // With other options it is another run.
    let ran = test(&place, &["--resume", "spin", "--", "--seed", "3"]);
    assert_eq!(ran.code, 2, "{}", ran.text());
    assert!(
        ran.text().contains("the options of spin have changed"),
        "{}",
        ran.text()
    );
}

/// The same while the tests are replayed.
#[test]
fn a_signal_ends_the_replay() {
    let Some(place) = engine!("replay") else {
        return;
    };
    place.write(
        "slow.c",
        "#include <unistd.h>\nint main(int c, char **v) { sleep(60); return v[1][0] == 'x'; }\n",
    );
    place.write(
        "polypath.toml",
        "[[target]]\nprogram = \"slow.c\"\noptions.sym-arg = 1\n",
    );
    let mut run = Attended::begin(place.command().arg("test"));
    let log = place.join("polypath-results/slow/run.log");
    assert!(run.until("the run is over", |_| log.exists()));
    run.signal("-INT");
    let (code, said) = run.end();
    assert_eq!(code, 130, "{said}");
    assert!(said.contains("polypath test --resume"), "{said}");
    assert!(place.join("polypath-results/slow/report.html").exists());
}

/// A replay has as much time as the run had.
#[test]
fn the_time_of_a_target_is_that_of_its_replay_too() {
    let Some(place) = engine!("late") else {
        return;
    };
    // Natively it waits, which the machine does not.
    place.write(
        "slow.c",
        "#include <unistd.h>\nint main(int c, char **v) { int n = 0;\n\
        for (int i = 0; i < 6 && v[1][i]; i++) n += v[1][i] == 'x'; sleep(2); return n; }\n",
    );
    place.write(
        "polypath.toml",
        "[[target]]\nprogram = \"slow.c\"\n[target.options]\nsym-arg = 6\ntime = 4\n",
    );
    let ran = test(&place, &[]);
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert!(
        ran.stdout.contains(" as predicted (interrupted after "),
        "{}",
        ran.text()
    );
}

/// A PATH with an `llvm-dis-19` that never comes to an end: the builds with checks begin with it. It leaves its number, and that of
/// a child.
fn endless_tool(place: &Place) -> String {
    let numbers = place.join("numbers");
    std::fs::create_dir_all(place.join("tools")).expect("a directory");
    place.write(
        "tools/llvm-dis-19",
        format!(
            "#!/bin/sh\nsleep 600 &\necho $$ $! >>{}\nwait\n",
            numbers.display()
        ),
    );
    let tool = place.join("tools/llvm-dis-19");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(tool, mode).expect("ours");
    let path = std::env::var("PATH").expect("a PATH");
    format!("{}:{path}", place.join("tools").display())
}

/// The processes whose numbers stand in a file have ended, or end now.
#[track_caller]
fn are_gone(place: &Place, file: &str) {
    let numbers = place.text(file);
    assert!(!numbers.trim().is_empty(), "none has begun");
    for number in numbers.split_whitespace() {
        let number = number.parse().expect("a number");
        testkit::until("it has ended", || testkit::is_gone(number));
    }
}

/// Builds before a replay are ended by the target's time and by a signal, with all that they have started.
#[test]
fn builds_of_a_replay_have_an_end() {
    let Some(place) = engine!("builds") else {
        return;
    };
    let path = endless_tool(&place);
    place
        .write(
            "div.c",
            "int main(int c, char **v) { return 10 / (v[1][0] - 'x'); }\n",
        )
        .write(
            "polypath.toml",
            "[[target]]\nprogram = \"div.c\"\noptions = { sym-arg = 1, time = 5 }\n",
        );
    let begun = std::time::Instant::now();
    let output = place.command().arg("test").env("PATH", &path).output();
    let ran = Ran::from(output.expect("polypath starts"));
    assert!(begun.elapsed().as_secs() < 300, "{}", ran.text());
    assert_eq!(ran.code, 1, "{}", ran.text());
    are_gone(&place, "numbers");
    let ended = "the time limit of 5 s ended the builds with checks, which confirm errors; \
        no time was left for the build for the modelled replay";
    assert!(ran.stdout.contains(ended), "{}", ran.text());
    let record = place.json("polypath-results/div/replay.json");
    assert_eq!(record["incomplete"], ended);
    assert!(!of(&record, "tests").is_empty(), "{record}");
    for words in [&["replay", "polypath-results/div"][..], &["test"]] {
        std::fs::remove_file(place.join("numbers")).expect("it is there");
        place.write(
            "polypath.toml",
            "[[target]]\nprogram = \"div.c\"\noptions.sym-arg = 1\n",
        );
        let mut command = place.command();
        let mut replay = Attended::begin(command.args(words).env("PATH", &path));
        let numbers = place.join("numbers");
        assert!(replay.until("it builds", |_| numbers.exists()));
        replay.signal("-TERM");
        let (code, said) = replay.end();
        let status = if words == ["test"] { 1 } else { 143 };
        assert_eq!(code, status, "{words:?}: {said}");
        are_gone(&place, "numbers");
    }
}

/// The file's own build ends with the command, whoever gets the signal.
#[test]
fn a_signal_ends_the_build() {
    let Some(place) = engine!("ended_build") else {
        return;
    };
    place
        .write("ok.c", "int main(void) { return 0; }\n")
        .write(
            "polypath.toml",
            "build = \"(sleep 600 & echo $$ $! >numbers; wait); true\"\n[[target]]\nprogram = \"ok.c\"\n",
        );
    let mut run = Attended::begin(place.command().arg("test"));
    let numbers = place.join("numbers");
    assert!(run.until("it builds", |_| numbers.exists()));
    run.signal("-TERM");
    let (code, said) = run.end();
    assert_eq!(code, 143, "{said}");
    assert!(said.contains("the build was interrupted"), "{said}");
    are_gone(&place, "numbers");
}

/// A project with a configure script, as most are.
#[test]
fn a_project_of_configure_and_make_is_tested() {
    let Some(place) = engine!("configure") else {
        return;
    };
    project(&place, "");
    place.write(
        "configure",
        "#!/bin/sh\nset -e\necho 'int main(void) { return 0; }' >conftest.c\n\
        ${CC:-cc} conftest.c -o conftest\nsed \"s|@CC@|${CC:-cc}|\" Makefile.in >Makefile\n",
    );
    place.write("Makefile.in", format!("CC = @CC@\n{MAKEFILE}"));
    std::fs::remove_file(place.join("Makefile")).expect("configure makes it");
    place.write(
        "polypath.toml",
        TARGETS.replace("make -s", "sh ./configure && make -s"),
    );
    let ran = test(&place, &[]);
    assert_eq!(ran.code, 1, "{}", ran.text());
    assert!(ran.stdout.contains("2 targets: 2 errors"), "{}", ran.text());
    place.write(
        "polypath.toml",
        TARGETS.replace("make -s", "make -s nothing"),
    );
    let ran = test(&place, &[]);
    assert_eq!(ran.code, 2, "{}", ran.text());
    assert!(ran.stderr.contains("the build failed"), "{}", ran.text());
}

#[test]
fn a_java_class_is_a_target_as_well() {
    let Some(place) = engine!("java") else {
        return;
    };
    if !testkit::need("java") {
        return;
    }
    place.write("Words.java", "public class Words { public static void main(String[] a) {\n\
        int[] t = new int[3]; if (a.length > 0 && a[0].startsWith(\"w\")) System.out.println(t[a[0].length()]); } }\n");
    place.write(
        "ok.c",
        "int main(int c, char **v) { return c > 1 && v[1][0] == 'a'; }\n",
    );
    let file = "build = \"javac -g -d classes Words.java\"\n[options]\nsym-args = [0, 1, 3]\nmain = \"Words\"\n\
        [[target]]\njava = \"classes\"\n[[target]]\nprogram = \"ok.c\"\n";
    place.write("polypath.toml", file);
    let ran = test(&place, &[]);
    assert_eq!(ran.code, 1, "{}", ran.text());
    assert!(ran.stdout.contains("ok: "), "{}", ran.text());
    place.write("polypath.toml", format!("{file}[[suppress]]\nkind = \"out_of_bounds\"\nfile = \"Words.java\"\nfunction = \"main\"\nreason = \"known\"\n"));
    let ran = test(&place, &[]);
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert!(ran.stdout.contains("1 suppressed"), "{}", ran.text());
    // A suppressed error does not hide that a file was not written: no witness can have arguments.
    let file = place.text("polypath.toml");
    let witness = "java = \"classes\"\noptions.witness = \"w.graphml\"";
    let file = file.replace("java = \"classes\"", witness);
    place.write("polypath.toml", file);
    let ran = test(&place, &[]);
    assert_eq!(ran.code, 3, "{}", ran.text());
    let said = "no witness was written: ";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
    let line = ran.stdout.lines().find(|l| l.starts_with("classes: "));
    let line = line.expect("the line of the target");
    assert!(line.contains(said) && line.contains("replay: "), "{line}");
    let stats = place.json("polypath-results/classes/stats.json");
    assert!(
        of(&stats, "failures")[0]
            .as_str()
            .is_some_and(|s| s.starts_with(said))
    );
}
