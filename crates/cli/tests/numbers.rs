//! `--conversions`: text as numbers and numbers as text, by operations, against the same program run natively, where libc's own code
//! computes them.
//!
//! `POLYPATH_NUMBERS=1000000 cargo test -p polypath-cli --release --test suite numbers::` compares a million texts.

use std::fmt::Write as _;
use testkit::{Place, Ran, engine, need};

/// Prints, for each fifty texts and each fifty numbers, a hash of what they are, and of what is told beside the value (its end, errno).
/// Texts: any digits, those of random floats of all sizes, ties between two floats (as many digits as one number holds, and more), hexadecimal
/// ones, and a list of shapes.
const CONCRETE: &str = r#"
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static uint64_t seed = 1;
static uint64_t below(uint64_t n) { seed = seed * 6364136223846793005u + 1442695040888963407u; return (seed >> 20) % n; }
static uint64_t add(uint64_t h, uint64_t b) { return (h ^ b) * 0x100000001b3u; }
static double any_double(void) { uint64_t b = below(1l << 32) << 32 | below(1l << 32); double x; memcpy(&x, &b, 8); return x; }
static double some_double(void) { return ldexp(below(1l << 40), (int)below(120) - 80); }
static float any_float(void) { uint32_t b = below(1l << 32); float x; memcpy(&x, &b, 4); return x; }
static uint64_t values, told;
static void mix(long double v, long length) {
    uint64_t m = 0; uint16_t se = 0;
    memcpy(&m, &v, 8); memcpy(&se, (char *)&v + 8, 2);
    if (v != v) m = se = 1;
    values = add(add(values, m), se);
    told = add(add(told, length), errno);
    errno = 0;
}
static const char *const shapes[] = { "42.5", "-0", "-0.000", "1e400", "1e-400", "4.9e-324", "2e-324", "3e-324", "1.7976931348623158e308",
    "1.7976931348623159e308", "12345678901234567890", "0000000000000000000000000001.5", "0.00000000000000000000000000000000000001", "1.",
    ".", ".5", ".e5", "1e", "1e+", "1e+5x", "0x1.8p3", "inf", "-infinity", "nan", "nan(1)", "1e99999999999", "0e99999999999", "1e-99999999999",
    "00000000000000000000000000000", "0.0000000000000000000000000", "1e-45", "7e-46", "3.4028236e38", "3.4028235e38", "1.17549435e-38",
    "1.1754942e-38", "  +12.75abc", "9007199254740993", "1.234567890123456789012345e5", "0.1e-320", "8.5e22", "1..2", "1.5.2", "+", "- 1", "",
    "2.2250738585072012e-308", "2.2250738585072011e-308", "6.631236846766476e-316", "9223372036854775807", "9223372036854775808",
    "-9223372036854775808", "-9223372036854775809", "99999999999999999999", "-99999999999999999999", "18446744073709551615",
    "18446744073709551616", "0x7fffffffffffffff", "077", "08", "2147483648", "-2147483649" };
static void text(char *s) {
    switch (below(8)) {
    case 0: sprintf(s, "%.17g", any_double()); return;
    case 1: { double x = some_double(); sprintf(s, "%.*Le", (int)(15 + below(10)), ((long double)x + nextafter(x, 1e300)) / 2); return; }
    case 2: { float x = any_float(); sprintf(s, "%.*e", (int)(7 + below(10)), ((double)x + nextafterf(x, 1e30f)) / 2); return; }
    case 3: sprintf(s, "%llue%d", (unsigned long long)below(1ul << 62), (int)below(60) - 345); return;
    case 4: sprintf(s, "%a", any_double()); return;
    case 5: strcpy(s, shapes[below(sizeof shapes / sizeof *shapes)]); return;
    }
    char *p = s;
    if (!below(4)) *p++ = "+- "[below(3)];
    for (int n = below(12); n--;) *p++ = '0' + below(below(3) ? 10 : 1);
    if (below(3)) { *p++ = '.'; for (int n = below(12); n--;) *p++ = '0' + below(10); }
    if (!below(3)) p += sprintf(p, "e%d", (int)below(60) - 30);
    *p = 0;
}
static const char *const formats[] = { "%g", "%.3g", "%.0f", "%f", "%.2f", "%e", "%.0e", "%.17g", "%.15g", "%.16e", "%#g", "%10.4f", "%-12.1e|",
    "%+g", "%010.2f", "%.20f", "%.10f", "%G", "%.1g" };
int main(int argc, char **argv) {
    for (long n = atol(argv[1]); n > 0; n--) {
        char s[400], *e;
        text(s);
        errno = 0;
        float f = strtof(s, &e); mix(f, e - s);
        double d = strtod(s, &e); mix(d, e - s);
        long double l = strtold(s, &e); mix(l, e - s);
#ifndef FLOATS_OF_TEXTS
        values = add(values, strtol(s, &e, 10)); mix(0, e - s);
        values = add(values, strtoul(s, &e, 0)); mix(0, e - s);
        values = add(values, atoi(s));
        f = 0; d = 0; int i = 0, k = sscanf(s, "%5f%9lf%d", &f, &d, &i); mix(f, k); mix(d, i);
        switch (below(4)) {
        case 0: d = any_double(); break;
        case 1: d = some_double(); break;
        case 2: d = (double)below(20000000) / 1000; break;
        case 3: d = (double)(below(20000) * 2 + 1) / 64; break;
        }
        k = snprintf(s, sizeof s, formats[below(sizeof formats / sizeof *formats)], d);
        for (char *p = s; *p; p++) values = add(values, *p);
        snprintf(s, sizeof s, "%d %lu %.*Lf %Le", (int)below(1l << 32), (unsigned long)seed, (int)below(9), (long double)d / 3, 1.0L / 3);
        for (char *p = s; *p; p++) if (fabs(d) < 1e15) values = add(values, *p);
#endif
        if (n % 50 == 1) { printf("%ld %016lx %016lx\n", n, values, told); values = told = 0; }
    }
    return 0;
}
"#;

/// What a native program prints.
fn native(place: &Place, script: &str) -> String {
    let ran = place.shell(script).output().expect("sh");
    assert!(ran.status.success(), "{ran:?}");
    String::from_utf8(ran.stdout).expect("text")
}

#[test]
fn texts_and_numbers_are_what_they_are_natively() {
    let Some(place) = engine!("numbers-concrete") else {
        return;
    };
    let given = std::env::var("POLYPATH_NUMBERS");
    let n = given.unwrap_or_else(|_| "2000".into());
    place.write("t.c", CONCRETE);
    let wanted = native(
        &place,
        &format!("$P cc -O1 t.c -o t 2>/dev/null && ./t {n}"),
    );
    for how in ["call", "code"] {
        let mut command = place.command();
        command.env("POLYPATH_EVERY_NUMBER", "1");
        command.args(["run", "--conversions", how, "--out", "out", "./t", "--", &n]);
        let ran = Ran::from(command.output().expect("polypath"));
        let said = testcase::Run::read(&place.join("out")).expect("a run");
        let ours = String::from_utf8_lossy(&said.tests[0].expected.stdout).into_owned();
        for (ours, wanted) in ours.lines().zip(wanted.lines()) {
            assert_eq!(ours, wanted, "{how}: {}", ran.text());
        }
        assert_eq!(ours.lines().count(), wanted.lines().count(), "{how}");
        std::fs::remove_dir_all(place.join("out")).expect("the run's directory");
    }
}

/// Prints the meaning of every text of so many characters of an alphabet.
const TABLE: &str = r#"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "given.h"
int main(void)
{
    unsigned all = 1;
    for (int i = 0; i < N; i++) all *= sizeof ALPHABET - 1;
    printf("static const struct { unsigned long m; int se, length, error; } table[] = {\n");
    for (unsigned k = 0; k < all; k++) {
        char s[N + 1] = "", *e;
        unsigned rest = k;
        for (int i = N; i--; rest /= sizeof ALPHABET - 1) s[i] = ALPHABET[rest % (sizeof ALPHABET - 1)];
        errno = 0;
        long double v = CALL(s, &e);
        unsigned long m = 0; unsigned short se = 0;
        memcpy(&m, &v, 8); memcpy(&se, (char *)&v + 8, 2);
        printf("{ %luu, %d, %d, %d },\n", m, se, (int)(e - s), errno);
    }
    printf("};\n");
    return 0;
}
"#;

/// Asks for the meaning of a symbolic text, and then for the text.
const EACH: &str = r#"
#include <klee/klee.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "given.h"
#include "table.h"
int main(void)
{
    char s[N + 1], *e;
    klee_make_symbolic(s, sizeof s, "s");
    s[N] = 0;
    errno = 0;
    long double v = CALL(s, &e);
    int error = errno, length = e - s;
    unsigned long m = 0; unsigned short se = 0;
    memcpy(&m, &v, 8); memcpy(&se, (char *)&v + 8, 2);
    unsigned k = 0;
    for (int i = 0; i < N; i++) {
        unsigned at = 0;
        while (at < sizeof ALPHABET - 1 && s[i] != ALPHABET[at]) at++;
        if (at == sizeof ALPHABET - 1) return 1;
        k = k * (sizeof ALPHABET - 1) + at;
    }
    if (m != table[k].m || se != table[k].se || length != table[k].length || error != table[k].error) abort();
    return 0;
}
"#;

/// Explores all of a program, which must abort nowhere.
fn explored(place: &Place, options: &[&str], what: &str) {
    let mut args = vec!["run", "--time", "300", "--out", "out"];
    args.extend_from_slice(options);
    let ran = place.polypath(args.into_iter().chain(["t.c"]));
    let text = ran.text();
    assert!(text.contains("everything was explored"), "{what}: {text}");
    let errors = place.json("out/errors.json");
    let errors = errors.as_array().expect("a list");
    assert!(errors.is_empty(), "{what}: {text}");
    std::fs::remove_dir_all(place.join("out")).expect("the run's directory");
}

#[test]
fn each_text_of_an_alphabet_means_what_it_does_natively() {
    let Some(place) = engine!("numbers-each") else {
        return;
    };
    place.write("gen.c", TABLE).write("t.c", EACH);
    let calls = [
        ("strtod(s, e)", "0159.e-+ x"),
        ("strtof(s, e)", "09.e-i"),
        ("strtold(s, e)", "09.e-n"),
        ("strtol(s, e, 10)", "0159.-+ "),
        ("strtoul(s, e, 0)", "0179-xa"),
    ];
    for (call, alphabet) in calls {
        let mut given = String::from("#define N 3\n");
        let _ = writeln!(
            given,
            "#define ALPHABET \"{alphabet}\"\n#define CALL(s, e) {call}"
        );
        place.write("given.h", given);
        place.write(
            "table.h",
            native(&place, "$P cc gen.c -o gen 2>/dev/null && ./gen"),
        );
        explored(&place, &[], call);
        if call.starts_with("strtod") {
            explored(&place, &["--mode", "concolic"], call);
        }
    }
}

/// Prints a symbolic number, and then asks which it is.
const PRINTED: &str = r#"
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "table.h"
int main(void)
{
    signed char c;
    klee_make_symbolic(&c, sizeof c, "c");
    char s[60];
    snprintf(s, sizeof s, FORMAT, CONVERT(c));
    for (int k = -128; k < 128; k++)
        if (c == k) {
            if (strcmp(s, table[k + 128])) abort();
            return 0;
        }
    return 1;
}
"#;

const PRINTED_TABLE: &str = r##"
#include <stdio.h>
#include "table.h"
int main(void)
{
    printf("#define FORMAT \"%s\"\n#define CONVERT(c) %s\nstatic const char *const table[] = {\n", FORMAT, NAME);
    for (int k = -128; k < 128; k++) { printf("\""); printf(FORMAT, CONVERT((signed char)k)); printf("\",\n"); }
    printf("};\n");
    return 0;
}
"##;

#[test]
fn each_number_is_printed_as_it_is_natively() {
    let Some(place) = engine!("numbers-printed") else {
        return;
    };
    place.write("gen.c", PRINTED_TABLE).write("t.c", PRINTED);
    let all = [
        ("%d", "((c) * 1000)"),
        ("%g", "((c) / 8.0)"),
        ("%.2f", "((c) / 8.0)"),
        ("%.1e", "((c) * 3.0)"),
    ];
    for (format, convert) in all {
        let given = format!(
            "#define FORMAT \"{format}\"\n#define CONVERT(c) {convert}\n#define NAME \"{convert}\"\n"
        );
        place.write("table.h", given);
        place.write(
            "table.h",
            native(&place, "$P cc gen.c -o gen 2>/dev/null && ./gen"),
        );
        explored(&place, &[], format);
    }
}

const FOUND: &str = r#"
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    char s[6];
    klee_make_symbolic(s, sizeof s, "s");
    s[5] = 0;
    if (strtod(s, 0) == 42.5) return 1;
    return 0;
}
"#;

/// All of it: with libc's own code the one path is not found in minutes.
#[test]
fn a_wanted_number_is_found_and_replays_natively() {
    let Some(place) = engine!("numbers-found") else {
        return;
    };
    place.write("t.c", FOUND);
    for mode in ["fork", "concolic"] {
        let args = [
            "run", "--mode", mode, "--time", "300", "--out", "out", "t.c",
        ];
        let ran = place.polypath(args);
        let all = ran.text().contains("everything was explored");
        assert!(all, "{mode}: {}", ran.text());
        let run = testcase::Run::read(&place.join("out")).expect("a run");
        let one = testcase::ExitKind::Status(1);
        let found = run.tests.iter().any(|t| t.expected.exit == one);
        assert!(found, "{mode}: {}", ran.text());
        let replayed = place.polypath(["replay", "out"]);
        assert_eq!(replayed.code, 0, "{}", replayed.text());
        assert!(!replayed.stdout.contains("diverged"), "{}", replayed.stdout);
        std::fs::remove_dir_all(place.join("out")).expect("the run's directory");
    }
}

/// The values beside glibc's, which has another implementation of everything.
#[test]
fn values_are_those_of_another_library() {
    let Some(place) = engine!("numbers-glibc") else {
        return;
    };
    if !need("clang-19") {
        return;
    }
    // What is told beside the values, and what overflows and rounds in other functions, is not the same everywhere.
    place.write(
        "t.c",
        CONCRETE.replace("told = add(add(told, length), errno);", ""),
    );
    let build = "t.c -O1 -w -DFLOATS_OF_TEXTS";
    let wanted = native(
        &place,
        &format!("clang-19 -fno-builtin {build} -lm -o t && ./t 20000"),
    );
    let ours = native(
        &place,
        &format!("$P cc {build} -o u 2>/dev/null && ./u 20000"),
    );
    assert_eq!(ours, wanted);
}
