//! The floating-point environment: rounding modes and exception flags, of numbers and of symbolic floats, against the
//! same program run natively.

use testkit::{Place, engine};

/// Prints what operations give in each mode, and the flags that they leave.
const CONCRETE: &str = r#"
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#pragma STDC FENV_ACCESS ON
static const int modes[] = { FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO };
static void show(const char *what, double r)
{
    printf("%s %a %x\n", what, r, fetestexcept(FE_ALL_EXCEPT));
    feclearexcept(FE_ALL_EXCEPT);
}
#define SHOW(e) do { volatile double r = (e); show(#e, r); } while (0)
int main(void)
{
    volatile double one = 1, three = 3, zero = 0, huge = 1e308, tiny = 0x1p-1022, sub = 0x1.8p-1074, nan = NAN;
    volatile float single = 0.1f;
    volatile long double wide = 1;
    volatile int number = 0x7fffffff;
    for (int i = 0; i < 4; i++) {
        printf("mode %d %x %d\n", fesetround(modes[i]), fegetround(), FLT_ROUNDS);
        feclearexcept(FE_ALL_EXCEPT);
        SHOW(one / three); SHOW(-one / three); SHOW(one + 0x1p-60); SHOW(one - 0x1p-60);
        SHOW(huge * 10); SHOW(-huge * 10); SHOW(tiny / 3); SHOW(tiny * 0.5); SHOW(sub * 0.5); SHOW(sub + one);
        SHOW(one / zero); SHOW(zero / zero); SHOW(huge - huge); SHOW(sqrt(2 * one)); SHOW(sqrt(-one));
        SHOW((float)(one / three)); SHOW((float)huge); SHOW((float)tiny); SHOW(single * three); SHOW((float)number);
        SHOW((int)(one * 2.5)); SHOW((int)huge); SHOW((long)(three * 1e30)); SHOW((int)three);
        SHOW(rint(2.5 * one)); SHOW(rint(-2.5 * one)); SHOW(nearbyint(1.5 * one)); SHOW(lrint(0.5 * one)); SHOW(rint(three));
        SHOW(wide / 3); SHOW(wide / zero); SHOW(wide + 1e-30L);
        SHOW(nan + one); SHOW(nan < one); SHOW(nan == one); SHOW(one < three);
        SHOW(exp(one)); SHOW(log(three)); SHOW(pow(three, 0.5)); SHOW(log(-one)); SHOW(exp(huge));
    }
    printf("wrong mode %d\n", fesetround(5) != 0);
    fesetround(FE_UPWARD);
    feraiseexcept(FE_INVALID | FE_OVERFLOW);
    fenv_t env;
    printf("hold %d %x\n", feholdexcept(&env), fetestexcept(FE_ALL_EXCEPT));
    SHOW(one / three);
    fesetround(FE_DOWNWARD);
    volatile double r = one / zero;
    printf("update %d %x %x\n", feupdateenv(&env), fetestexcept(FE_ALL_EXCEPT), fegetround());
    fexcept_t flags;
    fegetexceptflag(&flags, FE_OVERFLOW);
    feclearexcept(FE_ALL_EXCEPT);
    fesetexceptflag(&flags, FE_ALL_EXCEPT);
    printf("flag %x\n", fetestexcept(FE_ALL_EXCEPT));
    printf("default %d %x %x\n", fesetenv(FE_DFL_ENV), fetestexcept(FE_ALL_EXCEPT), fegetround());
    return r == INFINITY;
}
"#;

/// A symbolic mode, and what the flags and results of symbolic operations say.
const SYMBOLIC: &str = r#"
#include <fenv.h>
#include <klee/klee.h>
#pragma STDC FENV_ACCESS ON
static const int modes[] = { FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO };
int main(void)
{
    unsigned char m;
    signed char c;
    klee_make_symbolic(&m, sizeof m, "m");
    klee_make_symbolic(&c, sizeof c, "c");
    if (m >= 4 || fesetround(modes[m]))
        return 99;
    feclearexcept(FE_ALL_EXCEPT);
    volatile float sum = c + 16777216.0f;
    int inexact = fetestexcept(FE_INEXACT) != 0;
    float even = c & 1 ? c - 1 : c;
    int up = sum > even + 16777216.0f;
    if (inexact)
        return up ? 10 * m + 3 : 10 * m + 2;
    if (up)
        return 10 * m + 1;
    return 10 * m;
}
"#;

const FLAGS: &str = r#"
#include <fenv.h>
#include <klee/klee.h>
int main(void)
{
    float x;
    klee_make_symbolic(&x, sizeof x, "x");
    feclearexcept(FE_ALL_EXCEPT);
    volatile float y = 1 / x;
    int raised = fetestexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW);
    switch (raised) {
    case FE_INVALID: return 1;
    case FE_DIVBYZERO: return 2;
    case FE_OVERFLOW: return 3;
    case FE_UNDERFLOW: return 4;
    case 0: return 5;
    }
    return 6;
}
"#;

fn directory(name: &str, program: &str) -> Option<Place> {
    let place = engine!(name)?;
    place.write("t.c", program);
    Some(place)
}

/// The exit statuses of the paths, and that each test does natively what was predicted.
fn statuses(place: &Place, options: &[&str]) -> Vec<i32> {
    let fixed = ["run", "--out", "out", "t.c"];
    let ran = place.polypath([&fixed[..], options].concat());
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert!(
        ran.text().contains("everything was explored"),
        "{}",
        ran.text()
    );
    let run = testcase::Run::read(&place.join("out")).expect("a run");
    let status = |t: &testcase::TestCase| match t.expected.exit {
        testcase::ExitKind::Status(status) => status,
        ref other => panic!("{other:?}"),
    };
    let mut all: Vec<i32> = run.tests.iter().map(status).collect();
    all.sort_unstable();
    all.dedup();
    let replay = place.polypath(["replay", "out"]);
    assert_eq!(replay.code, 0, "{}", replay.text());
    std::fs::remove_dir_all(place.join("out")).expect("the run's directory");
    all
}

#[test]
fn concrete_programs_compute_what_they_do_natively() {
    let Some(place) = directory("fenv-concrete", CONCRETE) else {
        return;
    };
    let native = place
        .shell("$P cc -O0 t.c -o t 2>&1 && ./t")
        .output()
        .expect("sh");
    let native = String::from_utf8_lossy(&native.stdout).into_owned();
    assert!(native.contains("default 0 0 0"), "{native}");
    let ran = place.polypath(["run", "--out", "out", "./t"]);
    let said = testcase::Run::read(&place.join("out")).expect("a run");
    let ours = String::from_utf8_lossy(&said.tests[0].expected.stdout).into_owned();
    for (n, (ours, native)) in ours.lines().zip(native.lines()).enumerate() {
        assert_eq!(ours, native, "line {n}: {}", ran.text());
    }
    assert_eq!(ours.lines().count(), native.lines().count());
}

#[test]
fn a_symbolic_mode_forks_and_rounds() {
    let Some(place) = directory("fenv-symbolic", SYMBOLIC) else {
        return;
    };
    // An odd number above 2^24 is between two floats; below it is one.
    let expected = [0, 1, 2, 3, 10, 11, 12, 20, 21, 23, 30, 31, 32, 99];
    assert_eq!(statuses(&place, &[]), expected);
}

#[test]
fn flags_of_symbolic_operations_are_conditions() {
    let Some(place) = directory("fenv-flags", FLAGS) else {
        return;
    };
    for options in [&[][..], &["--fp-solver", "bvfp"], &["--mode", "concolic"]] {
        assert_eq!(statuses(&place, options), [1, 2, 3, 4, 5], "{options:?}");
    }
}
