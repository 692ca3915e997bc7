//! `errors.json`: every distinct error once, each bug as it was said on stderr, its stack beginning in the program's own code.

use testcase::{ErrorKind, ErrorRecord};
use testkit::{Place, engine};

/// The errors of a program; as many are said.
fn errors(dir: &Place, name: &str, program: &str) -> Vec<ErrorRecord> {
    let source = format!("{name}.c");
    let head = "#include <klee/klee.h>\n#include <stdlib.h>\n#include <string.h>\n";
    dir.write(&source, format!("{head}{program}"));
    // By its whole path, as errors name it.
    let source = dir.join(source);
    let ran = dir.polypath([
        "run".as_ref(),
        "--quiet".as_ref(),
        "--out".as_ref(),
        name.as_ref(),
        source.as_os_str(),
    ]);
    let said = ran.stderr;
    assert_eq!(ran.code, 1, "{said}");
    let (run, stats) = testcase::Run::read(&dir.join(name))
        .and_then(testcase::Run::whole)
        .expect("everything can be read");
    let bugs = testcase::bug::of_program(&run.errors);
    for bug in &bugs {
        let line = format!("polypath: {}", bug.stacks[0]);
        assert!(said.lines().any(|l| l == line), "{line} is not in\n{said}");
    }
    assert!(run.errors.iter().all(|e| !e.test.is_empty()));
    let messages = said.lines().filter(|l| l.starts_with("polypath:"));
    assert_eq!(messages.count(), bugs.len(), "{said}");
    assert_eq!(stats.errors, run.errors.len() as u64);
    assert_eq!(stats.bugs, bugs.len() as u64);
    run.errors
}

#[test]
fn errors_differ_in_place_and_calls() {
    let Some(dir) = engine!("places") else { return };
    let columns = errors(
        &dir,
        "columns",
        "int main(void) { int a[2] = {0}, i = klee_range(0, 9, \"i\"), j = klee_range(0, 9, \"j\");\n\
         return a[i] + a[j]; }\n",
    );
    let places: Vec<(u32, u32)> = columns.iter().map(|e| (e.line, e.column)).collect();
    assert_eq!(places.len(), 2, "{places:?}");
    assert!(
        places[0].0 == places[1].0 && places[0].1 != places[1].1,
        "{places:?}"
    );

    let callers = errors(
        &dir,
        "callers",
        "static int get(int *p, int i) { return p[i]; }\n\
         int main(void) { int a[2] = {0}, i = klee_range(0, 9, \"i\");\n\
         int first = get(a, i);\n\
         return first + get(a, i + 1); }\n",
    );
    let lines: Vec<u32> = callers.iter().map(|e| e.stack[1].line).collect();
    assert_eq!(callers.len(), 2, "{lines:?}");
    assert!(callers.iter().all(|e| e.function == "get" && e.line == 4));
    assert_ne!(lines[0], lines[1]);
}

#[test]
fn a_recursion_is_few_errors_and_many_callers_are_limited() {
    let Some(dir) = engine!("callers") else {
        return;
    };
    let recursion = errors(
        &dir,
        "recursion",
        "static int down(int *p, int i, int n) {\n\
         if (n == 0) return p[i];\n\
         return down(p, i, n - 1); }\n\
         int main(void) { int a[2] = {0};\n\
         return down(a, klee_range(0, 9, \"i\"), klee_range(0, 40, \"n\")); }\n",
    );
    assert_eq!(recursion.len(), 2, "once without and once with recursion");

    let calls: String = (0..20).map(|_| "n += get(a, i);\n").collect();
    let many = errors(
        &dir,
        "many",
        &format!(
            "static int get(int *p, int i) {{ return p[i]; }}\n\
             int main(void) {{ int a[2] = {{0}}, n = 0, i;\n\
             for (int k = 0; k < 3; k++) {{ i = klee_range(0, 9, \"i\");\n{calls}}} return n; }}\n"
        ),
    );
    assert!(many.len() <= testcase::output::MAX_STACKS, "{}", many.len());

    let deep = errors(
        &dir,
        "deep",
        "static int f(int n) { return n ? f(n - 1) + 1 : *(volatile int *)0; }\n\
         int main(void) { return f(5000); }\n",
    );
    assert!(deep[0].stack.len() < 10, "{}", deep[0].stack.len());
    assert!(deep[0].stack.iter().any(|f| f.times >= 4999));
}

#[test]
fn a_stack_begins_in_the_program() {
    let Some(dir) = engine!("stacks") else { return };
    let inside = errors(
        &dir,
        "inside",
        "static int length(const char *s) { return atoi(s); }\n\
         int main(void) { return length(klee_int(\"x\") == 3 ? 0 : \"a\"); }\n",
    );
    let e = &inside[0];
    assert_eq!(
        (e.kind, e.function.as_str(), e.line),
        (ErrorKind::Null, "length", 4)
    );
    let names = |frames: &[testcase::StackFrame]| -> Vec<String> {
        frames.iter().map(|f| f.function.clone()).collect()
    };
    assert_eq!(names(&e.inside), ["atoi"]);
    assert_eq!(names(&e.stack[..2]), ["length", "main"]);
    assert!(!e.stack[0].library && !e.stack[1].library);
    assert!(e.to_string().contains("in length, inside atoi"), "{e}");

    let callback = errors(
        &dir,
        "callback",
        "static int compare(const void *a, const void *b) { if (*(int *)a == 2) abort(); return 1; }\n\
         int main(void) { int v[] = {3, 1, 2, 5}; qsort(v, 4, sizeof *v, compare); return 0; }\n",
    );
    let e = &callback[0];
    assert_eq!((e.kind, e.function.as_str()), (ErrorKind::Abort, "compare"));
    assert_eq!(names(&e.inside).last().map(String::as_str), Some("abort"));
    let main = e
        .stack
        .iter()
        .position(|f| f.function == "main")
        .expect("main");
    assert!(
        e.stack[1..main].iter().all(|f| f.library) && main > 1,
        "{:?}",
        e.stack
    );
}
