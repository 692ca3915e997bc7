//! What a sanitizer says of each case and input, the whole of them run natively.

use super::case::{Case, INPUTS, Kind};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::process::Command;
use testkit::Place;

/// The file that the native program and the explored one have in common.
pub const CASES: &str = "cases.c";

const HEAD: &str = "#define _GNU_SOURCE
#include <ctype.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>
#ifdef NATIVE
void _exit(int);
#define FAILS_IF(c) if (c) { fprintf(stderr, \"cases.c:%d:1: runtime error: known\\n\", __LINE__); _exit(1); }
#else
#define FAILS_IF(c)
#endif
// What lies before the first of the cases' objects.
char first_data[64] = {1}, first_zeros[64] = {0};
const char first_constant[64] = {1};
";

/// What is in the file [`CASES`].
pub fn text(cases: &[Case]) -> String {
    let all: String = cases.iter().map(|case| case.text.as_str()).collect();
    format!("{HEAD}{all}")
}

/// What is known of one case.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Truth {
    /// The inputs that fail, as a bit mask.
    pub failing: u32,
    /// What the function returns for the others.
    pub results: [i32; INPUTS as usize],
    /// The lines in which it fails.
    pub lines: BTreeSet<u32>,
    /// UBSan cannot print numbers of more than 128 bits, and ends without a line.
    pub is_line_unknown: bool,
}

impl Truth {
    pub fn fails(&self, x: u32) -> bool {
        self.failing >> x & 1 != 0
    }
}

/// Runs all cases with all inputs, each in a process of its own. The directory has the file [`CASES`].
pub fn truths(dir: &Place, kind: &Kind, cases: usize) -> Vec<Truth> {
    let mut text = format!(
        "#define NATIVE\n#include \"{CASES}\"\n#include <sys/wait.h>\n#include <unistd.h>\n\
         int (*const cases[])(unsigned char) = {{"
    );
    (0..cases).for_each(|n| write!(text, "case_{n}, ").expect("a string takes it"));
    let _ = write!(
        text,
        "}};\nint main(void) {{ dup2(1, 2); for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++)
    for (unsigned x = 0; x < {INPUTS}; x++) {{ pid_t child = fork(); int status;
        if (!child) {{ int r = cases[n](x); printf(\"\\nresult %d\\n\", r); fflush(stdout); _exit(0); }}
        waitpid(child, &status, 0); printf(\"\\nended %u %u %d\\n\", n, x, status); fflush(stdout); }}
    return 0; }}\n"
    );
    dir.write("native.c", text);
    // UBSan tells lines by itself, and ends the program.
    let built = Command::new("clang-19")
        .args(["-w", "-O0", "-g", "-fno-sanitize-recover=all"])
        .args(["native.c", "-o", "native"])
        .args(kind.sanitizer)
        .current_dir(dir.join("."))
        .output()
        .expect("clang starts");
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{said}");
    // A memcmp that finds a difference reads no further, here and there. Lines are looked up afterwards, all at once.
    let ran = Command::new(dir.join("native"))
        .env("ASAN_OPTIONS", "symbolize=0:strict_memcmp=0:detect_leaks=0")
        .env("MSAN_OPTIONS", "symbolize=0")
        .output()
        .expect("it starts");
    let said = String::from_utf8_lossy(&ran.stdout);
    let mut truths = vec![Truth::default(); cases];
    let mut places = BTreeMap::<Vec<String>, Vec<usize>>::new();
    let (mut since, mut count) = (Vec::new(), 0);
    for line in said.lines() {
        // A report may quote the strings of `main`.
        let ended = line.strip_prefix("ended ").unwrap_or("");
        let numbers: Vec<usize> = ended.split(' ').filter_map(|n| n.parse().ok()).collect();
        let &[n, x, status] = &numbers[..] else {
            since.push(line);
            continue;
        };
        count += 1;
        let result = since.iter().find_map(|l| l.strip_prefix("result "));
        match result {
            Some(r) if status == 0 => truths[n].results[x] = r.parse().expect("a number"),
            _ => {
                truths[n].failing |= 1 << x;
                let told = since.iter().find_map(|l| told_line(l));
                truths[n].lines.extend(told);
                if since.iter().any(|l| l.contains("unexpected bit width")) {
                    truths[n].is_line_unknown = true;
                } else if told.is_none() {
                    places.entry(stack(&since)).or_default().push(n);
                }
            }
        }
        since.clear();
    }
    assert_eq!(count, cases * INPUTS as usize, "{said}");
    let lines = lines_of(dir, places.keys().flatten());
    for (stack, of) in &places {
        let line = stack.iter().find_map(|address| lines.get(address));
        let line = line.unwrap_or_else(|| panic!("no line of a case in {stack:?}: {said}"));
        of.iter().for_each(|&n| {
            truths[n].lines.insert(*line);
        });
    }
    truths
}

/// The line that UBSan or `FAILS_IF` names.
fn told_line(said: &str) -> Option<u32> {
    let (place, _) = said.split_once(": runtime error")?;
    place.split(':').nth(1)?.parse().ok()
}

/// The addresses of the first stack in a report, innermost first, as offsets in the program.
fn stack(report: &[&str]) -> Vec<String> {
    let frame = |l: &&&str| l.trim_start().starts_with('#');
    let frames = report.iter().skip_while(|l| !frame(l)).take_while(frame);
    let offset = |l: &&str| {
        let (_, rest) = l.split_once("/native+")?;
        Some(rest.split(')').next()?.to_string())
    };
    frames.filter_map(offset).collect()
}

/// Those of the addresses that are in a case, with their lines.
fn lines_of<'a>(
    dir: &Place,
    addresses: impl Iterator<Item = &'a String>,
) -> BTreeMap<&'a String, u32> {
    let addresses: BTreeSet<&String> = addresses.collect();
    if addresses.is_empty() {
        return BTreeMap::new();
    }
    let ran = Command::new("llvm-symbolizer-19")
        .args(["--obj=native", "--no-inlines"])
        .args(&addresses)
        .current_dir(dir.join("."))
        .output()
        .expect("llvm-symbolizer-19 starts");
    let said = String::from_utf8_lossy(&ran.stdout);
    // A function, a place, an empty line.
    let places: Vec<&str> = said.lines().skip(1).step_by(3).collect();
    assert_eq!(places.len(), addresses.len(), "{said}");
    let line = |place: &str| {
        let (_, line) = place.split_once(&format!("/{CASES}:"))?;
        line.split(':').next()?.parse().ok()
    };
    let known = addresses.into_iter().zip(places);
    known
        .filter_map(|(a, place)| Some((a, line(place)?)))
        .collect()
}
