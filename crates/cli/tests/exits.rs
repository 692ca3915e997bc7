//! The exit statuses: a test for each row of `docs/exit.md`; and what programs say reaches a terminal escaped.

use std::collections::BTreeMap;
use testkit::{Attended, Place, engine};

/// What is run: shell scripts with `$P` for `polypath`, or the test of another module that has the case.
enum How {
    Scripts(&'static [&'static str]),
    Stopped(&'static str, &'static str),
    Elsewhere(&'static str),
}
use How::{Elsewhere, Scripts, Stopped};

/// Two paths that never end.
const SPIN: &str =
    "int main(int c, char **v) { unsigned n = 0; for (;;) if (v[1][0] == 'b') n += 3; }\n";

/// The same behind an error that is found first.
const FOUND: &str = "int main(int c, char **v) { int a[2] = {0}; if (v[1][0] == 'a') return a[v[1][0]];\n\
    for (unsigned n = 0;;) if (v[1][0] == 'b') n += 3; }\n";

/// The rows, in the order of the page. Later ones use what earlier ones have left.
const ROWS: &[(&str, &str, How)] = &[
    (
        "everything was explored, no errors",
        "0",
        Scripts(&["$P run ok.c --sym-arg 1 --strict --out ok"]),
    ),
    (
        "a limit that was asked for ended the run, no errors",
        "0",
        Scripts(&["$P run many.c --sym-arg 8 --max-forks 3 --out many"]),
    ),
    (
        "the same with `--strict`",
        "4",
        Scripts(&["$P run many.c --sym-arg 8 --max-forks 3 --strict --out strict"]),
    ),
    (
        "errors were found",
        "1",
        Scripts(&["$P run bug.c --sym-arg 1 --out bug"]),
    ),
    (
        "no path was explored to its end, no errors",
        "4",
        Scripts(&["$P run part.c --out part", "$P run -q part.c --out quiet"]),
    ),
    (
        "inputs did not take the paths for which they were made (of a Java program), no errors",
        "4",
        Elsewhere("run::claim"),
    ),
    ("an internal error, no errors", "3", Elsewhere("jobs")),
    (
        "SIGINT before the end, no errors",
        "130",
        Stopped("spin.c", "-INT"),
    ),
    (
        "SIGTERM before the end, no errors",
        "143",
        Stopped("spin.c", "-TERM"),
    ),
    (
        "a signal before the end, and errors were found",
        "1",
        Stopped("found.c", "-INT"),
    ),
    (
        "a second signal, after 0.3 s: ends at once",
        "130 or 143",
        Elsewhere("limits"),
    ),
    (
        "a mistake in the command line, or an unknown name",
        "2",
        Scripts(&[
            "$P frobnicate",
            "$P run",
            "$P run ok.c --frobnicate",
            "$P run ok.c --search frobnicate",
            "$P java run",
            "$P replay ok --sample 0",
            "$P explain frobnicate",
            "$P add frobnicate",
            "$P harness ok.c --entry frobnicate",
            "$P run ok.c --entry frobnicate",
        ]),
    ),
    (
        "the program's file is missing, a directory, or no program",
        "2",
        Scripts(&[
            "$P run missing.c",
            "$P run .",
            "$P run text",
            "$P java run missing.jar",
            "$P harness missing.c --entry f",
            "$P extract missing",
            "$P extract text",
            "$P solve missing.smt2",
        ]),
    ),
    (
        "the source does not compile",
        "2",
        Scripts(&[
            "$P run broken.c",
            "$P run broken.c --entry f",
            "$P harness broken.c --entry f",
        ]),
    ),
    (
        "the program has no `main`, or something that Polypath refuses",
        "2",
        Scripts(&["$P run nomain.c", "$P run junk.bc"]),
    ),
    (
        "the binary has no bitcode",
        "2",
        Scripts(&["$P run /bin/sh", "$P extract /bin/sh"]),
    ),
    (
        "the directory is none of a run",
        "2",
        Scripts(&[
            "$P replay missing",
            "$P replay .",
            "$P java replay .",
            "$P report missing",
            "$P report .",
            "$P show missing",
            "$P show .",
            "$P export . --to kept",
            "$P run --resume .",
        ]),
    ),
    (
        "the run has no test of this name",
        "2",
        Scripts(&[
            "$P show ok 999",
            "$P show ok/tests/test000999",
            "$P replay ok/tests/test000999",
            "$P export ok 999 --to kept",
        ]),
    ),
    (
        "there is no binary to replay on",
        "2",
        Scripts(&["$P replay ok -- ./missing", "$P replay part"]),
    ),
    (
        "every test came out as predicted, no errors",
        "0",
        Scripts(&["$P replay ok", "$P replay ok --sample 1 --no-modelled"]),
    ),
    ("an error was confirmed", "1", Scripts(&["$P replay bug"])),
    (
        "a test came out differently, took too long, or was not run; nothing could tell whether an error happens (it has no test)",
        "4",
        Scripts(&[
            "$P replay ok --no-modelled -- ./differs",
            "$P replay ok --no-modelled -- ./text",
            "$P replay ok --no-modelled --time 0.2 -- ./hangs",
            "$P run bug.c --sym-arg 1 --tests none --out untested; $P replay untested",
        ]),
    ),
    (
        "a divergence: the machine was wrong, or a Java program came out differently",
        "3",
        Elsewhere("java_output"),
    ),
    (
        "the reports are written; results are printed, or tests written",
        "0",
        Scripts(&[
            "$P report ok",
            "$P report bug",
            "$P show bug",
            "$P show bug --errors",
            "$P show --stats ok bug",
            "$P export bug 1 --to kept",
        ]),
    ),
    (
        "parts of the results cannot be read",
        "3",
        Scripts(&[
            "cp -r ok torn; echo x >torn/errors.json; echo x >torn/tests/tests.pack; $P report torn",
            "$P show torn",
            "$P show torn --errors",
            "$P show torn --tests",
            "$P export torn --to kept-torn",
        ]),
    ),
    (
        "results, or the output, cannot be written",
        "3",
        Scripts(&["$P solve right.smt2 >/dev/full", "$P doctor >/dev/full"]),
    ),
    (
        "a tool is missing",
        "3",
        Scripts(&["POLYPATH_LLVM=/nowhere PATH=/nowhere $P doctor"]),
    ),
    (
        "the kernel gives no fence, without `--no-fence`",
        "3",
        Elsewhere("escape"),
    ),
    (
        "every target was explored, no errors but suppressed ones",
        "0",
        Elsewhere("project"),
    ),
    (
        "a target has an error that is not suppressed",
        "1",
        Elsewhere("project"),
    ),
    (
        "the file has a mistake, the build fails, or a target cannot be run",
        "2",
        Scripts(&[
            "$P test",
            "echo 'frobnicate = 1' >wrong.toml; $P test --file wrong.toml",
            "printf '[[target]]\\nprogram = \"broken.c\"\\n' >broken.toml; $P test --file broken.toml",
        ]),
    ),
    ("a target's run or replay failed", "3", Elsewhere("project")),
    (
        "a signal before all targets were explored, no errors but suppressed ones",
        "130 or 143",
        Elsewhere("project"),
    ),
    (
        "a target proves less than was asked for, or a suppression is stale with `stale = \"fail\"`",
        "4",
        Elsewhere("project"),
    ),
    (
        "all commands of the scripts were carried out",
        "0",
        Scripts(&["$P solve right.smt2"]),
    ),
    (
        "a command of a script failed",
        "1",
        Scripts(&["$P solve wrong.smt2", "$P solve wrong.smt2 right.smt2"]),
    ),
    (
        "the command ended",
        "its status",
        Scripts(&[
            "$P build -- sh -c 'exit 77'; exit $(($? - 77))",
            "$P cc ok.c -o compiled",
            "$P cc broken.c -o broken; exit $(($? - 1))",
        ]),
    ),
    (
        "there is no such command",
        "127",
        Scripts(&["$P build -- no-such-command"]),
    ),
    (
        "code for another machine",
        "2",
        Scripts(&["$P cc -m32 ok.c", "$P c++ -m32 ok.c"]),
    ),
];

fn files(place: &Place) {
    for (name, text) in [
        (
            "ok.c",
            "int main(int c, char **v) { return c > 1 && v[1][0] == 'a'; }\n",
        ),
        (
            "many.c",
            "int main(int c, char **v) { int n = 0; for (int i = 0; i < 8 && v[1][i]; i++) n += v[1][i] == 'x'; return n; }\n",
        ),
        (
            "bug.c",
            "int main(int c, char **v) { int a[2] = {0}; return a[v[1][0] == 'a' ? 7000000 : 0]; }\n",
        ),
        (
            "part.c",
            "int parse_options(int);\nint main(void) { return parse_options(3); }\n",
        ),
        ("spin.c", SPIN),
        ("found.c", FOUND),
        ("broken.c", "int main(void) { return }\n"),
        ("nomain.c", "int f(void) { return 1; }\n"),
        ("junk.bc", "no bitcode\n"),
        ("text", "neither a program nor a source\n"),
        ("differs", "#!/bin/sh\nexit 77\n"),
        ("hangs", "#!/bin/sh\nexec sleep 60\n"),
        ("right.smt2", "(set-logic QF_BV)\n(check-sat)\n"),
        ("wrong.smt2", "(set-logic QF_BV)\n(frobnicate)\n"),
    ] {
        place.write(name, text);
    }
    for name in ["differs", "hangs"] {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(place.join(name), mode).expect("its mode");
    }
}

/// Sends the signal once the run is in the midst of its work, and has found what is to be found.
fn stopped(place: &Place, program: &str, signal: &str) -> (i32, String) {
    let out = format!("out-{program}{signal}");
    let mut command = place.command();
    command.args([
        "run",
        program,
        "--sym-arg",
        "4",
        "--jobs",
        "1",
        "--out",
        &out,
    ]);
    let mut run = Attended::begin(&mut command);
    assert!(
        run.explores(&place.join(&out)),
        "{program}: it ended by itself"
    );
    if program == "found.c" {
        let errors = place.join(&out).join("errors.json");
        let has_some = |_| std::fs::read_to_string(&errors).is_ok_and(|text| text.contains("kind"));
        assert!(
            run.until("an error is found", has_some),
            "it ended by itself"
        );
    }
    run.signal(signal);
    let (code, said) = run.end();
    let stats = place.json(&format!("{out}/stats.json"));
    let halted = stats["halted"].as_str().unwrap_or_default();
    assert!(halted.starts_with("interrupted"), "{stats} {said}");
    (code, said)
}

/// The last table of the page: its cases with their statuses.
fn page() -> Vec<(String, String)> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/exit.md");
    let text = std::fs::read_to_string(path).expect("docs/exit.md");
    let table = text.split("| case | commands | status |\n").nth(1);
    let rows = table.expect("the table").lines().skip(1);
    rows.take_while(|line| line.starts_with('|'))
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            (cells[0].to_string(), cells[2].to_string())
        })
        .collect()
}

#[test]
fn the_page_has_the_rows_that_are_tested() {
    let rows = ROWS
        .iter()
        .map(|(case, status, _)| (case.to_string(), status.to_string()));
    assert_eq!(page(), rows.collect::<Vec<_>>());
    // The tests that have a case elsewhere are there.
    for (case, _, how) in ROWS {
        if let Elsewhere(module) = how {
            let path = match module.strip_prefix("run::") {
                Some(module) => format!("../run/src/{module}.rs"),
                None => format!("tests/{module}.rs"),
            };
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
            let text = std::fs::read_to_string(path).expect(case);
            assert!(text.contains("#[test]"), "{case}");
        }
    }
}

#[test]
fn each_row_ends_so() {
    let Some(place) = engine!("rows") else {
        return;
    };
    files(&place);
    let mut wrong = BTreeMap::new();
    for (case, status, how) in ROWS {
        let expected = status.parse().unwrap_or(0);
        match how {
            Scripts(scripts) => {
                for script in *scripts {
                    let output = place.shell(script).output().expect("sh");
                    let said = String::from_utf8_lossy(&output.stderr).into_owned();
                    let code = output.status.code();
                    if code != Some(expected) {
                        wrong.insert(*script, format!("{case}: {code:?}, not {expected}: {said}"));
                    }
                }
            }
            Stopped(program, signal) => {
                let (code, said) = stopped(&place, program, signal);
                if code != expected {
                    wrong.insert(*case, format!("{code}, not {expected}: {said}"));
                }
            }
            Elsewhere(_) => {}
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// An assertion, a file and an argument with escapes in their names.
#[test]
fn no_word_of_a_program_takes_the_terminal_over() {
    let Some(place) = engine!("escapes") else {
        return;
    };
    let program = "#include <klee/klee.h>\n#include <stdlib.h>\n\
        void __assert_fail(const char *, const char *, int, const char *) __attribute__((noreturn));\n\
        int main(void) { unsigned char x[2]; klee_make_symbolic(x, 2, \"\\033]0;name\\007\");\n\
        if (x[0] == 3) __assert_fail(\"say \\033[2J\\007\\r\\342\\200\\256\", \"f\\033[1m\\007.c\", 7, \"g\\033\");\n\
        char *p = malloc(x[1] & 1); return p[x[1]]; }\n";
    let name = "esc\u{1b}[31m\u{7}\r\u{202e}.c";
    place.write(name, program);
    for (args, code) in [
        (vec!["run", name, "--out", "out"], 1),
        (vec!["replay", "out"], 1),
        (vec!["report", "out"], 0),
        (vec!["run", "no\u{1b}[1m\u{7}.c"], 2),
        (vec!["extract", name], 2),
    ] {
        let ran = place.polypath(&args);
        assert_eq!(ran.code, code, "{args:?}: {}", ran.text());
        let acts = |c: char| (c < ' ' && c != '\n' && c != '\t') || c == '\u{202e}';
        assert!(!ran.text().contains(acts), "{args:?}: {:?}", ran.text());
        if args[0] == "run" {
            assert!(ran.stderr.contains("\\u{1b}["), "{}", ran.stderr);
        }
    }
    // Files have the true text.
    let errors = place.json("out/errors.json").to_string();
    assert!(errors.contains("\\u001b[2J\\u0007"), "{errors}");
}
