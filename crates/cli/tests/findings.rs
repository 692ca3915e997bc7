//! What a run says of a finding can be pasted into a shell: the command fails natively in the same way, at the same line.

use testkit::{Place, engine, place};

/// A message about an error, and the lines below it.
struct Told {
    message: String,
    lines: Vec<String>,
}

/// The errors that a run told of at its end; those that were told while it went on are the same.
#[track_caller]
fn told(said: &str) -> Vec<Told> {
    let mut all: Vec<Told> = Vec::new();
    for line in said.lines() {
        match line.strip_prefix("    ") {
            Some(below) => {
                let last = all.last_mut().expect("a message");
                last.lines.push(below.to_string());
            }
            None => all.push(Told {
                message: line.to_string(),
                lines: Vec::new(),
            }),
        }
    }
    let end = all.iter().position(|t| t.message.contains(" found: "));
    let end = end.unwrap_or_else(|| panic!("{said}"));
    let mut live = all;
    let mut last = live.split_off(end);
    live.retain(|t| !t.lines.is_empty());
    last.retain(|t| !t.lines.is_empty());
    assert_eq!(live.len(), last.len(), "{said}");
    for (live, last) in live.iter().zip(&last) {
        assert!(last.message.starts_with(&live.message), "{said}");
        assert_eq!(live.lines, last.lines, "{said}");
    }
    last
}

/// Pastes a command into `sh`: its exit status as a shell has it, and what it wrote to stderr.
fn pasted(place: &Place, command: &str) -> (i32, String) {
    let path = place.binary().parent().expect("a directory");
    let path = format!(
        "{}:{}",
        path.display(),
        std::env::var("PATH").expect("a path")
    );
    // A shell says of a signal only what its own child ended with.
    let script = format!("ulimit -c 0; {command}\nexit $?");
    let mut shell = place.shell(&script);
    let output = shell.env("PATH", path).output().expect("sh");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code().expect("a status"), said)
}

/// The exit status of a shell whose command failed so.
fn status(kind: &str) -> i32 {
    128 + match kind {
        "abort" | "assert" => 6,
        "div_zero" => 8,
        "null" => 11,
        other => panic!("{other}"),
    }
}

/// Each error that is told of fails natively, where the command says nothing but the line at which it fails.
#[track_caller]
fn all_fail(place: &Place, out: &str, said: &str, lines: &[u64]) {
    let errors = place.json(&format!("{out}/errors.json"));
    let errors = errors.as_array().expect("a list");
    let mut seen = Vec::new();
    for told in told(said) {
        let (replay, input) = told.lines.split_last().expect("lines");
        let test = replay.rsplit('/').next().expect("a name");
        let error = errors.iter().find(|e| e["test"] == test);
        let error = error.unwrap_or_else(|| panic!("{test} in {errors:?}"));
        let (kind, line) = (error["kind"].as_str().unwrap(), error["line"].as_u64());
        let command = input.last().expect("a command");
        assert!(told.message.contains(&format!(":{} ", line.unwrap())));
        let (code, said) = pasted(place, command);
        assert_eq!(code, status(kind), "{command}: {said}");
        let line = line.expect("a line");
        assert!(
            said.contains(&format!("line {line}\n")),
            "{command}: {said}"
        );
        if seen.is_empty() {
            let (code, said) = pasted(place, replay);
            assert_eq!(code, 1, "{replay}: {said}");
        }
        seen.push(line);
    }
    seen.sort_unstable();
    assert_eq!(seen, lines);
}

const HEAD: &str = "#include <fcntl.h>\n#include <klee/klee.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n\
    #define AT dprintf(2, \"line %d\\n\", __LINE__)\n";

const PROGRAM: &str = r#"int main(int argc, char **argv)
{
    char b[8] = {0};
    if (argc < 2) return 3;
    if (argv[1][0] == '\n') AT, abort();
    if (argv[1][0] == 'n' && argv[1][1] == '\n') AT, abort();
    if (argv[1][0] == '\'' && argv[1][1] == (char)200) AT, *(volatile int *)0 = 1;
    int n = read(0, b, 4);
    if (n == 4 && b[0] == '%' && b[1] == 0 && b[2] == '\\') AT, abort();
    int fd = open("A", O_RDONLY);
    if (fd >= 0 && read(fd, b, 3) == 3 && b[0] == '-' && b[2] == '\n' && b[1] == 'x')
        AT, argc = 100 / (b[1] - 'x');
    return 0;
}
"#;

#[test]
fn what_is_told_of_arguments_input_and_files_fails_so_in_a_shell() {
    let Some(place) = engine!("native") else {
        return;
    };
    place.write("prog name.c", format!("{HEAD}{PROGRAM}"));
    let built = place.polypath(["cc", "-g", "prog name.c", "-o", "prog"]);
    assert_eq!(built.code, 0, "{}", built.text());
    let input = [
        "--sym-arg",
        "2",
        "--sym-stdin",
        "4",
        "--sym-files",
        "1",
        "3",
    ];
    for (out, program) in [("binary", "prog"), ("source", "prog name.c")] {
        let ran = place.polypath([&["run", "--out", out, program][..], &input].concat());
        assert_eq!(ran.code, 1, "{}", ran.text());
        all_fail(&place, out, &ran.stderr, &[11, 12, 13, 15, 18]);
    }
    // As it was typed, if that is enough.
    let ran = place.polypath(["run", "--out", "typed", "prog", "--sym-arg", "2"]);
    assert_eq!(ran.code, 1, "{}", ran.text());
    let line = "\n    ./prog \"$(printf '\\047\\310')\" </dev/null\n";
    assert!(ran.stderr.contains(line), "{}", ran.stderr);
    all_fail(&place, "typed", &ran.stderr, &[11, 12, 13]);
}

#[test]
fn what_is_told_of_objects_long_input_and_variables_fails_so_in_a_shell() {
    let Some(place) = engine!("stored") else {
        return;
    };
    let program = "int main(void) {\n\
        char b[600]; int n, x; klee_make_symbolic(&x, sizeof x, \"x\");\n\
        if (x == 70000) AT, abort();\n\
        if (getenv(\"MODE\") && x == 3) AT, abort();\n\
        n = read(0, b, 600);\n\
        if (n == 600 && b[599] == 'z') AT, abort();\n\
        return 0; }\n";
    place.write("p.c", format!("{HEAD}{program}"));
    let ran = place.polypath([
        "run",
        "p.c",
        "--out",
        "out",
        "--sym-stdin",
        "600",
        "--env",
        "MODE=a b",
    ]);
    assert_eq!(ran.code, 1, "{}", ran.text());
    for line in [
        "    # x = 70000 (\"p\\x11\\x01\\x00\")\n",
        " </",
        " KTEST_FILE=/",
    ] {
        assert!(ran.stderr.contains(line), "{line}: {}", ran.stderr);
    }
    all_fail(&place, "out", &ran.stderr, &[9, 10, 12]);
}

#[test]
fn a_function_has_its_parameters_in_the_message() {
    let Some(place) = engine!("entry") else {
        return;
    };
    place.write(
        "f.c",
        "int f(int n, unsigned char c) { return c == 'q' ? 10 / (n - 5) : 0; }\n",
    );
    let ran = place.polypath(["run", "f.c", "--entry", "f", "--out", "out"]);
    assert_eq!(ran.code, 1, "{}", ran.text());
    let told = told(&ran.stderr);
    let [of] = &told[..] else {
        panic!("{}", ran.text());
    };
    assert_eq!(
        of.lines[..2],
        ["# n = 5 (\"\\x05\\x00\\x00\\x00\")", "# c = 113 (\"q\")"]
    );
    let (code, said) = pasted(&place, &of.lines[2]);
    assert_eq!(code, status("div_zero"), "{}: {said}", of.lines[2]);
}

#[test]
fn what_is_told_of_java_fails_so_in_a_shell() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("java");
    place.write(
        "Shop.java",
        "public class Shop {\n\
         static int price(int n) { return 100 / (n - 7); }\n\
         public static void main(String[] a) throws Exception {\n\
         int c = System.in.read();\n\
         if (a[0].equals(\"x'\\u00e9\") && c == '%') throw new IllegalStateException(\"line 5\");\n\
         } }\n",
    );
    testkit::java::compile(&place, &[], &[place.join("Shop.java")]);
    let run = |args: &[&str]| {
        let ran = place.polypath([&["java", "run", "classes", "--time", "300"], args].concat());
        assert_eq!(ran.code, 1, "{}", ran.text());
        told(&ran.stderr)
    };
    let told = run(&[
        "--out",
        "main",
        "--check",
        "deliberate",
        "--sym-arg",
        "3",
        "--sym-stdin",
        "1",
    ]);
    let [of] = &told[..] else {
        panic!("{:?}", told.iter().map(|t| &t.message).collect::<Vec<_>>());
    };
    let (code, said) = pasted(
        &place,
        &format!("LC_ALL=C.UTF-8; export LC_ALL; {}", of.lines[0]),
    );
    assert!(
        code == 1 && said.contains("IllegalStateException: line 5"),
        "{code} {said}"
    );
    let (code, said) = pasted(&place, &of.lines[1]);
    assert_eq!(code, 1, "{said}");
    let told = run(&["--out", "method", "--entry", "Shop.price"]);
    assert_eq!(told[0].lines[0], "Shop.price(7)");
}

/// Four calls of a function with one bug are one message, at its end with all of them; each stack has an entry and a test.
#[test]
fn a_bug_is_told_once_whatever_calls_lead_there() {
    let Some(place) = engine!("once") else {
        return;
    };
    let program = "static int get(int *p) { return *p; }\n\
        int main(int c, char **v) {\n\
        switch (v[1][0]) {\n\
        case 'a': return get(0);\n\
        case 'b': return get(0);\n\
        case 'c': return get(0);\n\
        } return 0; }\n";
    place.write("once.c", program);
    for jobs in ["1", "3"] {
        let ran = place.polypath([
            "run",
            "once.c",
            "--out",
            jobs,
            "--jobs",
            jobs,
            "--sym-arg",
            "1",
        ]);
        assert_eq!(ran.code, 1, "{}", ran.text());
        let told = told(&ran.stderr);
        assert_eq!(told.len(), 1, "{}", ran.stderr);
        assert!(
            ran.stderr.contains("polypath: 1 error found: "),
            "{}",
            ran.stderr
        );
        let end = "; 3 call stacks, 3 paths";
        assert!(told[0].message.ends_with(end), "{}", ran.stderr);
        let errors = place.json(&format!("{jobs}/errors.json"));
        let errors = errors.as_array().expect("a list");
        assert!(
            errors.len() == 3 && errors.iter().all(|e| e["bug"] == 1),
            "{errors:?}"
        );
        let shown = place.polypath(["show", jobs, "--errors"]);
        for line in [4, 5, 6] {
            let frame = format!("once.c:{line}\n");
            assert!(shown.stdout.contains(&frame), "{}", shown.text());
        }
    }
}

/// The same of a Java method: one JUnit test, in a class that compiles (which other tests do).
#[test]
fn a_bug_of_java_has_one_test_whatever_calls_lead_there() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("java-once");
    place.write(
        "Cart.java",
        "public class Cart {\n\
         private static int size(String s) { return s.length(); }\n\
         public static int all(int n) {\n\
         if (n == 1) return size(null);\n\
         if (n == 2) return 5 + size(null);\n\
         if (n == 3) return 7 + size(null);\n\
         return n > 50 ? n / 2 : n; } }\n",
    );
    testkit::java::compile(&place, &[], &[place.join("Cart.java")]);
    let args = [
        "java", "run", "classes", "--entry", "Cart.all", "--time", "300", "--out", "out",
    ];
    let ran = place.polypath(args);
    assert_eq!(ran.code, 1, "{}", ran.text());
    let told = told(&ran.stderr);
    assert_eq!(told.len(), 1, "{}", ran.stderr);
    let errors = place.json("out/errors.json");
    assert_eq!(errors.as_array().map(Vec::len), Some(3), "{errors}");
    let class = place.text("out/junit/CartAllTest.java");
    assert_eq!(
        class
            .matches("assertThrows(NullPointerException.class")
            .count(),
        1,
        "{class}"
    );
    assert_eq!(class.matches("@Test\n").count(), 3, "{class}");
    assert!(
        class.contains("Not here: 2 that fail where another test here fails"),
        "{class}"
    );
}
