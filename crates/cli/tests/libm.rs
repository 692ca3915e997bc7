//! `polypath run --libm call`: functions of the mathematical library as operations, and their values.
//!
//! `POLYPATH_LIBM=10000000 cargo test -p polypath-cli --release --test suite libm::` compares ten million arguments of each function.

use std::fmt::Write as _;
use std::path::Path;
use term::{FloatFormat, MathFunction};
use testkit::{Place, engine};

/// A multiplicative congruential generator, in C and here: all exponents are as likely.
const STEP: u64 = 6_364_136_223_846_793_005;

/// Prints, for each function and format, a hash over the bits of its results.
fn native_program() -> String {
    let mut text = String::from(
        r"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static uint64_t seed;
static uint64_t next(void) { seed = seed * 6364136223846793005u + 1; return seed; }
static double next_double(void) { uint64_t b = next(); b ^= b >> 29; double x; memcpy(&x, &b, 8); return x; }
static float next_float(void) { uint32_t b = next() >> 24; float x; memcpy(&x, &b, 4); return x; }
static uint64_t add(uint64_t h, uint64_t b) { return (h ^ b) * 0x100000001b3u; }
int main(int argc, char **argv)
{
    long n = atol(argv[1]);
    uint64_t h, b;
    uint32_t s;
",
    );
    for function in MathFunction::ALL {
        for (suffix, float, bits) in [("", "double", "b"), ("f", "float", "s")] {
            let name = format!("{}{suffix}", function.name());
            let args = match function.arity() {
                2 => "x, y",
                _ => "x",
            };
            let _ = writeln!(
                text,
                "    seed = 1; h = 0;
    for (long i = 0; i < n; i++) {{ {float} x = next_{float}(), y = next_{float}(); \
                 {float} z = {name}({args}); memcpy(&{bits}, &z, sizeof z);
        if (x != x && y != y && z != z) {bits} = 0;
        h = add(h, {bits}); }}
    printf(\"{name} %016lx\\n\", h);"
            );
        }
    }
    text.push_str("    return 0;\n}\n");
    text
}

fn is_nan(format: FloatFormat, bits: u128) -> bool {
    if format == FloatFormat::DOUBLE {
        f64::from_bits(bits as u64).is_nan()
    } else {
        f32::from_bits(bits as u32).is_nan()
    }
}

/// The same by the library that terms are evaluated with.
fn here(n: u64) -> String {
    let mut out = String::new();
    for function in MathFunction::ALL {
        for (suffix, format) in [("", FloatFormat::DOUBLE), ("f", FloatFormat::SINGLE)] {
            let mut seed = 1u64;
            let mut next = || {
                seed = seed.wrapping_mul(STEP).wrapping_add(1);
                if format == FloatFormat::DOUBLE {
                    u128::from(seed ^ (seed >> 29))
                } else {
                    u128::from((seed >> 24) as u32)
                }
            };
            let mut hash = 0u64;
            for _ in 0..n {
                let (x, y) = (next(), next());
                let mut value = term::math_value(format, function, [x, y]) as u64;
                // Of two NaNs the compiler's choice of registers decides which one is passed on.
                if [x, y, value.into()]
                    .into_iter()
                    .all(|bits| is_nan(format, bits))
                {
                    value = 0;
                }
                hash = (hash ^ value).wrapping_mul(0x0000_0100_0000_01b3);
            }
            let _ = writeln!(out, "{}{suffix} {hash:016x}", function.name());
        }
    }
    out
}

#[allow(unsafe_code)]
fn load() {
    let names: Vec<String> = MathFunction::ALL
        .iter()
        .flat_map(|f| ["", "f"].map(|suffix| format!("{}{suffix}", f.name())))
        .collect();
    let object = toolchain::libm::shared_object(&names, &mut |_| {}).unwrap();
    // SAFETY: this is the C library's code, linked for that.
    term::use_math_library(unsafe { term::MathLibrary::load(&object) }.unwrap());
}

#[test]
fn values_are_those_of_the_program_to_the_last_bit() {
    let Some(place) = engine!("libm-values") else {
        return;
    };
    let given = std::env::var("POLYPATH_LIBM");
    let n: u64 = given.map_or(20_000, |n| n.parse().expect("POLYPATH_LIBM is a number"));
    place.write("t.c", native_program());
    let built = place.polypath(["cc", "-O2", "t.c", "-o", "t"]);
    assert_eq!(built.code, 0, "{}", built.text());
    let native = std::process::Command::new(place.join("t"))
        .arg(n.to_string())
        .output()
        .unwrap();
    load();
    let native = String::from_utf8(native.stdout).unwrap();
    for (native, here) in native.lines().zip(here(n).lines()) {
        assert_eq!(native, here);
    }
    assert_eq!(native.lines().count(), 2 * MathFunction::ALL.len());
}

const CONDITIONS: &str = r#"
#include <klee/klee.h>
#include <math.h>
int main(void)
{
    double x;
    klee_make_symbolic(&x, sizeof x, "x");
    if (sin(x) > 0.5) {
        if (exp(x) > 100 && pow(x, 1.5) < 2000) return 1;
        return 2;
    }
    if (logf((float)x) == 2.5f) return 3;
    return sin(1.0) == sin(1) ? 0 : 4;
}
"#;

fn statuses(dir: &Path) -> Vec<i64> {
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

fn explore(place: &Place, mode: &str) {
    let ran = place.polypath([
        "run", "--libm", "call", "--mode", mode, "--time", "300", "--out", "out", "t.c",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert_eq!(statuses(place), [0, 1, 2, 3], "{mode}");
    let replayed = place.polypath(["replay", "out"]);
    assert_eq!(replayed.code, 0, "{}", replayed.text());
    assert!(!replayed.stdout.contains("diverged"), "{}", replayed.stdout);
}

#[test]
fn inputs_are_found_through_calls_and_replay_natively() {
    let Some(place) = engine!("libm-call") else {
        return;
    };
    place.write("t.c", CONDITIONS);
    explore(&place, "fork");
    std::fs::remove_dir_all(place.join("out")).unwrap();
    explore(&place, "concolic");
}

/// Values that keep the order of their arguments up to 4 units in the last place, and their signs: what `solver::boxes` counts on. All of
/// `float` by `cargo test -p polypath-cli --release --test suite libm:: -- --ignored`.
fn order(step: u64) {
    load();
    use MathFunction::{
        Acos, Acosh, Atan2, Cos, Cosh, Exp, Exp2, Hypot, Log, Log2, Log10, Pow, Sin, Tan,
    };
    let key = |bits: u32| {
        let magnitude = i64::from(bits & 0x7fff_ffff);
        if bits >> 31 == 1 {
            -1 - magnitude
        } else {
            magnitude
        }
    };
    for function in MathFunction::ALL {
        if matches!(function, Atan2 | Cos | Hypot | Pow | Sin | Tan) {
            continue;
        }
        let mut most = i64::from(i32::MIN);
        let mut k = if function == Cosh { 0 } else { -0x7f80_0001 };
        while k <= 0x7f80_0000 {
            let bits = if k < 0 {
                0x8000_0000 | (-1 - k) as u32
            } else {
                k as u32
            };
            let value = term::math_value(FloatFormat::SINGLE, function, [bits.into(), 0]) as u32;
            k += step as i64;
            if f32::from_bits(value).is_nan() {
                continue;
            }
            let sign = match function {
                Exp | Exp2 | Cosh | Acos | Acosh => 0,
                Log | Log2 | Log10 => value >> 31,
                _ => bits >> 31,
            };
            assert_eq!(value >> 31, sign, "{} of {bits:#x}", function.name());
            let value = if function == Acos {
                -1 - key(value)
            } else {
                key(value)
            };
            assert!(value >= most - 4, "{} of {bits:#x}", function.name());
            most = most.max(value);
        }
    }
    for bits in (0..=u64::from(u32::MAX)).step_by(step as usize) {
        for function in [Sin, Cos] {
            let value = term::math_value(FloatFormat::SINGLE, function, [bits.into(), 0]) as u32;
            let value = f32::from_bits(value);
            assert!(
                value.is_nan() || value.abs() <= 1.0,
                "{} of {bits:#x}",
                function.name()
            );
        }
    }
}

#[test]
fn values_keep_the_order_of_arguments() {
    if engine!("libm-order").is_some() {
        order(65_537);
    }
}

#[test]
#[ignore = "ten minutes"]
fn values_keep_the_order_of_all_arguments() {
    if engine!("libm-all").is_some() {
        order(1);
    }
}

const MODES: &str = r#"
#include <fenv.h>
#include <math.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    if (argc > 1) fesetround(FE_UPWARD);
    printf("%g\n", exp(argc));
    return 0;
}
"#;

#[test]
fn other_rounding_modes_are_refused() {
    let Some(place) = engine!("libm-modes") else {
        return;
    };
    place.write("t.c", MODES);
    let ran = place.polypath(["run", "--libm", "call", "--sym-args", "0", "1", "1", "t.c"]);
    let text = ran.text();
    assert!(text.contains("exp in another rounding mode"), "{text}");
    assert!(text.contains("not everything was explored"), "{text}");
}
