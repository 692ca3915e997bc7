//! `polypath run --check fp-...`: which exceptions are found at which lines, in all modes and by all methods; that paths go
//! on; and that native runs confirm each.

use std::collections::BTreeSet;
use std::path::Path;
use testkit::{Place, Ran, engine};

/// Each line says what its operations can raise, on the inputs that get there.
const PROGRAM: &str = r#"
#include <klee/klee.h>
#include <math.h>
volatile double result;
volatile long double extended;
static double fixed(double x) { return x * 0 + 1e308; }
int main(void)
{
    double x, y;
    float f;
    klee_make_symbolic(&x, sizeof x, "x");
    klee_make_symbolic(&y, sizeof y, "y");
    klee_make_symbolic(&f, sizeof f, "f");
    if (x > 1 && x < 10 && y > 1 && y < 10) {
        result = x * y; // fp_inexact
        result = x / y; // fp_inexact
        result = sqrt(x); // fp_inexact
        result = (float)x; // fp_inexact
        int whole = (int)x; // fp_inexact
        return whole;
    }
    if (x > 1e300 && x <= 1.7e308 && f > 0 && f < 1) {
        result = x * x; // fp_overflow fp_inexact
        result = result + x; //
        result = result - result; // fp_invalid fp_nan
        result = result * 2; //
        int whole = (int)x; // fp_cast
        f = f * f; // fp_underflow fp_inexact
        f = f * 0.5f; // fp_underflow fp_inexact
        result = fixed(x) * 10; // fp_overflow fp_inexact
        long double wide = x; //
        extended = wide * wide; // fp_inexact
        return whole;
    }
    if (x == 2) {
        result = y / (x - 2); // fp_div_zero fp_invalid fp_nan
        result = sqrt(x - 3); // fp_invalid fp_nan
        result = log(x - 3); // fp_nan
        result = 1 / fabs(y + 1); // fp_div_zero fp_underflow fp_inexact
        for (int i = 0; i < 3; i++)
            result = x / (i - 1); // fp_div_zero
        return 2;
    }
    return 0;
}
"#;

const ALL: &str = "fp,fp-inexact,fp-nan,fp-cast";

fn directory(name: &str, program: &str) -> Option<Place> {
    let place = engine!(name)?;
    place.write("t.c", program);
    Some(place)
}

fn run(place: &Place, checks: &str, options: &[&str]) -> Ran {
    let fixed = ["run", "--out", "out", "t.c", "--check", checks];
    place.polypath([&fixed[..], options].concat())
}

/// Lines and kinds of what was found.
fn found(dir: &Path) -> BTreeSet<(u32, String)> {
    let run = testcase::Run::read(&dir.join("out")).expect("a run");
    let errors = run.errors.iter();
    errors.map(|e| (e.line, e.kind.to_string())).collect()
}

/// Lines and kinds that the comments name.
fn expected(program: &str) -> BTreeSet<(u32, String)> {
    let mut all = BTreeSet::new();
    for (at, line) in program.lines().enumerate() {
        if let Some((_, kinds)) = line.split_once(" // ") {
            let kinds = kinds.split_whitespace();
            all.extend(kinds.map(|kind| (at as u32 + 1, kind.to_owned())));
        }
    }
    all
}

#[test]
fn every_method_finds_what_there_is() {
    for options in [
        &[][..],
        &["--fp-solver", "bvfp"],
        &["--fp-solver", "isc"],
        &["--mode", "concolic"],
    ] {
        let Some(place) = directory("float-checks", PROGRAM) else {
            return;
        };
        let ran = run(&place, ALL, options);
        assert_eq!(ran.code, 1, "{options:?}: {}", ran.text());
        assert_eq!(
            found(&place),
            expected(PROGRAM),
            "{options:?}: {}",
            ran.text()
        );
    }
}

#[test]
fn native_runs_confirm_each() {
    let Some(place) = directory("float-checks-replay", PROGRAM) else {
        return;
    };
    run(&place, ALL, &[]);
    let replay = place.polypath(["replay", "out"]);
    let words = replay.text();
    assert_eq!(replay.code, 1, "{words}");
    let errors: Vec<&str> = words.lines().filter(|l| l.contains(" (test")).collect();
    assert_eq!(errors.len(), expected(PROGRAM).len(), "{words}");
    for error in errors {
        assert!(error.contains(": confirmed: exception"), "{error}");
    }
    assert!(!words.contains("diverged"), "{words}");
}

#[test]
fn paths_go_on_and_checks_are_off_by_default() {
    let Some(place) = directory("float-checks-off", PROGRAM) else {
        return;
    };
    let paths = |ran: &Ran| {
        let text = ran.text();
        let line = text.lines().find(|l| l.contains(" paths complete"));
        let words = line.and_then(|l| l.split_whitespace().nth(1));
        words.expect("a summary").to_owned()
    };
    let with = run(&place, "fp", &[]);
    std::fs::remove_dir_all(place.join("out")).expect("the first run's directory");
    let without = run(&place, "div", &[]);
    assert_eq!((with.code, without.code), (1, 0), "{}", without.text());
    assert_eq!(paths(&with), paths(&without));
    assert_eq!(found(&place), BTreeSet::new());
}

/// x87 reports an exception at its next instruction.
const EXTENDED: &str = r#"
#include <klee/klee.h>
volatile long double result;
int main(void)
{
    long double x;
    klee_make_symbolic(&x, sizeof x, "x");
    if (x > 1) {
        result = x * x; // fp_overflow
    } else if (x < 0.5L && x > 0) {
        result = x * x; // fp_underflow
    } else if (x == 0) {
        result = 1 / x; // fp_div_zero
    }
    return 0;
}
"#;

#[test]
fn long_double_is_confirmed() {
    let Some(place) = directory("float-checks-x87", EXTENDED) else {
        return;
    };
    let ran = run(&place, "fp", &[]);
    assert_eq!(found(&place), expected(EXTENDED), "{}", ran.text());
    let replay = place.polypath(["replay", "out"]).text();
    assert_eq!(
        replay.matches(": confirmed: exception").count(),
        3,
        "{replay}"
    );
}

/// Doubles that nothing decides are counted.
#[test]
fn what_is_not_decided_is_named() {
    let program = "#include <klee/klee.h>\nvolatile double r;\nint main(void) { double x; \
        klee_make_symbolic(&x, sizeof x, \"x\"); r = x * x; r = x / 3; return 0; }\n";
    let Some(place) = directory("float-checks-open", program) else {
        return;
    };
    let ran = run(&place, "fp-overflow,fp-underflow", &["--fp-solver", "none"]);
    let text = ran.text();
    assert!(
        text.contains("2 floating-point checks not decided"),
        "{text}"
    );
    assert_eq!(ran.code, 0, "{text}");
}
