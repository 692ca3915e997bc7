//! `polypath run --fp-solver`: conditions on symbolic doubles, where errors are said to be, wrong names.

use std::path::Path;
use testkit::{Place, Ran, engine};

/// Each condition is one that a solver of bits alone decides; all eight bytes are symbolic.
const CONDITIONS: &str = r#"
#include <klee/klee.h>
#include <math.h>
int main(void)
{
    double x, y, z;
    klee_make_symbolic(&x, sizeof x, "x");
    klee_make_symbolic(&y, sizeof y, "y");
    klee_make_symbolic(&z, sizeof z, "z");
    if (isnan(x)) return 1;
    if (x + y == z) return 2;
    if (fabs(x - 1) < 1e-9) return 3;
    if ((int)x == 5) return 4;
    if (x * 2 == 1e300) return 5;
    return 0;
}
"#;

const FAILING: &str = r#"
#include <assert.h>
#include <klee/klee.h>
static double twice(double x)
{
    return x * 2;
}
int main(void)
{
    double x;
    klee_make_symbolic(&x, sizeof x, "x");
    assert(twice(x) != 5);
    return 0;
}
"#;

fn directory(name: &str, program: &str) -> Option<Place> {
    let place = engine!(name)?;
    place.write("t.c", program);
    Some(place)
}

fn run(place: &Place, options: &[&str]) -> Ran {
    place.polypath([&["run", "--out", "out", "t.c"], options].concat())
}

fn reached(dir: &Path) -> Vec<i64> {
    let run = testcase::Run::read(&dir.join("out")).unwrap();
    let mut all: Vec<i64> = run
        .tests
        .iter()
        .filter_map(|t| match t.expected.exit {
            testcase::ExitKind::Status(status) => Some(status.into()),
            _ => None,
        })
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[test]
fn both_sides_of_conditions_on_doubles_are_reached() {
    for (method, mode) in [
        ("isc", "fork"),
        ("isc", "concolic"),
        ("search", "fork"),
        ("bvfp", "fork"),
        ("bvfp", "concolic"),
        ("auto", "fork"),
        ("auto", "concolic"),
    ] {
        let Some(dir) = directory(&format!("{method}-{mode}"), CONDITIONS) else {
            return;
        };
        let done = run(&dir, &["--fp-solver", method, "--mode", mode]);
        let said = done.stderr;
        assert_eq!(done.code, 0, "{said}");
        assert_eq!(reached(&dir), [0, 1, 2, 3, 4, 5], "{method} {mode}: {said}");
        let stats = dir.json("out/stats.json");
        assert!(stats["halted"].is_null(), "{method} {mode}: {said}");
        assert_eq!(
            stats["soft_float_calls"].as_u64() > Some(0),
            method == "isc"
        );
        let by = |layer: &str| stats[layer].as_f64() > Some(0.0);
        let searches = matches!(method, "search" | "auto");
        assert_eq!(by("solver_by_float-search"), searches, "{stats}");
        let builds = matches!(method, "bvfp" | "isc");
        let built = by("solver_by_blast") || by("solver_by_small-float");
        assert_eq!(built, builds, "{stats}");
        // The path hash knows nothing of the simulation: native replay takes the same paths.
        let said = dir.polypath(["replay", "out"]).stdout;
        let same = |line: &str| line.starts_with("modelled replay") && line.ends_with(" same path");
        assert!(said.lines().any(same), "{said}");
    }
}

/// What methods find that take more luck than descent.
const SMOOTH: &str = r#"
#include <klee/klee.h>
int main(void)
{
    double x;
    klee_make_symbolic(&x, sizeof x, "x");
    if (x * x > 27 && x > 0) {
        if (x < 6) return 1;
        return 2;
    }
    return 0;
}
"#;

#[test]
fn the_methods_beside_descent_find_inputs() {
    for (method, layer) in [
        ("search:gosat", "solver_by_float-search"),
        ("search:xsat", "solver_by_float-search"),
        ("search:anneal:gosat", "solver_by_float-search"),
        ("search:anneal:xsat", "solver_by_float-search"),
        ("fuzz", "solver_by_fuzz"),
        ("synergy", "solver_by_synergy"),
    ] {
        let name = method.replace(':', "-");
        let Some(dir) = directory(&format!("smooth-{name}"), SMOOTH) else {
            return;
        };
        let done = run(&dir, &["--fp-solver", method]);
        assert_eq!(reached(&dir), [0, 1, 2], "{method}: {}", done.stderr);
        let stats = dir.json("out/stats.json");
        assert!(stats[layer].as_f64() > Some(0.0), "{method}: {stats}");
    }
}

/// The paper's third example: circuits refute the simple part, and what is not simple needs real numbers and fuzzing.
const SIMPLE_PART: &str = r#"
#include <klee/klee.h>
int main(void)
{
    float c;
    double x, y;
    klee_make_symbolic(&c, sizeof c, "c");
    klee_make_symbolic(&x, sizeof x, "x");
    klee_make_symbolic(&y, sizeof y, "y");
    if (x * y == 21 && x + y == 10) {
        if (c - 1.0f == 1.1) return 1;
        return 2;
    }
    return 0;
}
"#;

#[test]
fn synergy_refutes_by_circuits_and_finds_near_real_solutions() {
    let Some(dir) = directory("synergy-parts", SIMPLE_PART) else {
        return;
    };
    let done = run(&dir, &["--fp-solver", "synergy", "--time", "300"]);
    let said = done.stderr;
    assert_eq!(reached(&dir), [0, 2], "{said}");
    let stats = dir.json("out/stats.json");
    assert!(stats["solver_by_synergy"].as_f64() > Some(1.0), "{stats}");
    let parked = stats["parked"].as_object().map_or(0, |by| by.len());
    assert_eq!(parked, 0, "{said}");
}

#[test]
fn without_a_method_the_sides_are_parked() {
    let Some(dir) = directory("without", CONDITIONS) else {
        return;
    };
    run(&dir, &["--fp-solver", "none"]);
    let stats = dir.json("out/stats.json");
    assert!(stats["parked"]["float"].as_u64() > Some(0), "{stats}");
    let halted = stats["halted"].as_str().unwrap_or_default();
    assert!(halted.contains("branches parked (float)"), "{halted}");
}

/// 2,048 paths, with a side each that takes a circuit.
const MANY: &str = r#"
#include <klee/klee.h>
int main(void)
{
    unsigned char b[11];
    int x, r = 0;
    klee_make_symbolic(b, sizeof b, "b");
    klee_make_symbolic(&x, sizeof x, "x");
    for (int i = 0; i < 11; i++)
        if (b[i] & 1) r++;
    if (x * x + r == 40007) return 77;
    return r;
}
"#;

/// More sides than are kept as states are parked, without a layer that decides them. Each is asked again four times.
#[test]
fn each_of_many_parked_sides_is_asked_again() {
    let Some(dir) = directory("many", MANY) else {
        return;
    };
    let layers = "rewrite,domains,independence";
    let done = run(
        &dir,
        &[
            "--solver-layers",
            layers,
            "--solver-time",
            "1",
            "--tests",
            "none",
        ],
    );
    let stats = dir.json("out/stats.json");
    let parked = stats["parked"]["incomplete"].as_u64();
    assert_eq!(parked, Some(2048), "{}", done.stderr);
    assert!(stats["queries"].as_u64() >= Some(2048 * 5), "{stats}");
}

/// One side is infeasible, which neither a search nor the real numbers prove.
const IMPOSSIBLE: &str = r#"
#include <klee/klee.h>
int main(void)
{
    double x, y;
    klee_make_symbolic(&x, sizeof x, "x");
    klee_make_symbolic(&y, sizeof y, "y");
    if (x > 2 && y > 2 && x * y < 4) return 1;
    return 0;
}
"#;

#[test]
fn circuits_and_sets_prove_that_a_side_is_infeasible() {
    let methods = [
        ("bvfp", true),
        ("auto", true),
        ("search", false),
        ("rso", false),
    ];
    for (method, proves) in methods {
        let Some(dir) = directory(&format!("impossible-{method}"), IMPOSSIBLE) else {
            return;
        };
        let done = run(&dir, &["--fp-solver", method, "--solver-time", "0.2"]);
        assert_eq!(reached(&dir), [0], "{}", done.stderr);
        let halted = &dir.json("out/stats.json")["halted"];
        assert_eq!(halted.is_null(), proves, "{method}: {halted}");
        let says = halted.as_str().unwrap_or_default();
        assert_eq!(
            says.contains("branches parked"),
            !proves,
            "{method}: {halted}"
        );
    }
}

/// What fuzzing does not find with a query's first effort.
const LATER: &str = r#"
#include <klee/klee.h>
int main(void)
{
    float x;
    double y;
    int r = 0;
    klee_make_symbolic(&x, sizeof x, "x");
    if (x * x * x == 27.0f) r |= 1;
    klee_make_symbolic(&y, sizeof y, "y");
    if (y * y * y == 27.0) r |= 2;
    return r;
}
"#;

/// A side that the first effort does not decide is asked again with more, until all is found that can be.
#[test]
fn sides_that_effort_left_open_are_asked_again() {
    let methods = [
        "search",
        "search:xsat",
        "search:gosat",
        "fuzz",
        "rso",
        "rso:paper",
        "synergy",
        "synergy:paper",
    ];
    for method in methods {
        let Some(dir) = directory(&format!("later-{}", method.replace(':', "-")), LATER) else {
            return;
        };
        let done = run(
            &dir,
            &["--fp-solver", method, "--solver-time", "4", "--time", "60"],
        );
        assert_eq!(reached(&dir), [0, 1, 2, 3], "{method}: {}", done.stderr);
        let stats = dir.json("out/stats.json");
        let dropped = stats["parked"]["float"].as_u64().unwrap_or(0);
        assert_eq!(dropped, 0, "{method}: {stats}");
    }
}

/// A cube root that no known input hits, and a loop of which each round parks a side.
const CUBE: &str = r#"
#include <klee/klee.h>
int main(void)
{
    double x;
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    klee_make_symbolic(&x, sizeof x, "x");
    int rounds = 0;
    if (n > 100) rounds += 10;
    if (x * x * x == 27) return 27 + rounds;
    return rounds;
}
"#;

#[test]
fn parked_sides_are_simulated_when_nothing_else_is_left() {
    let Some(dir) = directory("auto", CUBE) else {
        return;
    };
    // Without the layers that decide floats.
    let layers = "rewrite,domains,independence,cores,reuse,intervals,search,blast";
    let done = run(&dir, &["--solver-layers", layers]);
    let said = done.stderr;
    assert_eq!(reached(&dir), [0, 10, 27, 37], "{said}");
    let stats = dir.json("out/stats.json");
    assert!(stats["halted"].is_null(), "{said}");
    assert_eq!(stats["parked"]["float"].as_u64().unwrap_or(0), 0, "{stats}");
    assert_eq!(stats["float_restarts"].as_u64(), Some(2), "{stats}");
    // What was explored with terms is no new test when it comes again.
    assert!(stats["endings"]["again"].as_u64() > Some(0), "{stats}");
    assert_eq!(done.code, 0, "{said}");
}

#[test]
fn an_error_is_where_the_program_is() {
    let Some(dir) = directory("error", FAILING) else {
        return;
    };
    let done = run(&dir, &["--fp-solver", "isc"]);
    assert_eq!(done.code, 1, "{}", done.stderr);
    let errors = dir.text("out/errors.json");
    assert!(
        errors.contains("\"main\"") && !errors.contains("soft"),
        "{errors}"
    );
}
