//! Suite `seeded`: parsers from one small valid file, in concolic mode, and from nothing, in fork mode: paths and branches.
//!
//! What a run costs where a seed leads far into a program, and queries are about a long path: scanners in tables, decoders, hashes,
//! numbers in text. Targets as users build them, from Debian's source packages.

use crate::tools::report::{Cell, Report, median, number};
use crate::tools::trees::work_dir;
use crate::tools::{Context, run};
use anyhow::{Result, ensure};
use std::path::Path;
use testcase::{Run, RunStats};

/// A program with its seed.
struct SeededParser {
    name: &'static str,
    /// In the directory that `bench/fetch` leaves.
    binary: &'static str,
    arguments: &'static [&'static str],
    seed: &'static [u8],
}

const TARGETS: &[SeededParser] = &[
    SeededParser {
        name: "png (libpng)",
        binary: "libpng1.6/png-read",
        arguments: &["A"],
        seed: PNG,
    },
    SeededParser {
        name: "json (jansson)",
        binary: "jansson/json-load",
        arguments: &["A"],
        seed: br#"{"a": [1, 2.5, "x\u00e9"], "b": null, "cd": true, "e": {"f": -3e2}}"#,
    },
    SeededParser {
        name: "bzip2",
        binary: "bzip2/bzip2",
        arguments: &["-dc", "A"],
        seed: BZIP2,
    },
    SeededParser {
        name: "configuration (libconfig)",
        binary: "libconfig/config-read",
        arguments: &["A"],
        seed: b"a = 1;\nb = { c = \"x\\n\"; d = [1, 2]; };\ne = 25; f = true;\n",
    },
    SeededParser {
        name: "the same with a float",
        binary: "libconfig/config-read",
        arguments: &["A"],
        seed: b"a = 1;\nb = { c = \"x\\n\"; d = [1, 2]; };\ne = 2.5; f = true;\n",
    },
];

/// Four by two pixels of a byte, with a gamma.
#[rustfmt::skip]
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x08\x00\x00\x00\x02\x08\x00\x00\x00\x00@\xff\xc21\x00\x00\
      \x00\x04gAMA\x00\x00\xb1\x8f\x0b\xfca\x05\x00\x00\x00\x1aIDATx\x9cc``dbfaecg\xe0\xe2\xe6\xe1\xe5\xe3\x17\x10\
      \x04\x00\x03\x1e\x00\x89\xf3;e\xf3\x00\x00\x00\x00IEND\xaeB`\x82";

/// A sentence.
#[rustfmt::skip]
const BZIP2: &[u8] = b"BZh91AY&SY\x11f\x1f\xc5\x00\x00\x06\x11\x80@\x04\"d\x8c@ \x00!\x89=Fjb\x01\xa6\x9a3\x02o\x8f\xc6\n\x09U\x98\
      \x0c\x0f\xe9\xe8\xbb\x92)\xc2\x84\x80\x8b0\xfe(";

/// See the module.
pub fn run(context: &Context) -> Result<Report> {
    let work = work_dir()?;
    let seconds = context.time.unwrap_or(20.0);
    let seeds = context.seeds.unwrap_or(1).max(1);
    let title =
        format!("Paths (branches of the program), {seconds} CPU s, one worker, median of {seeds}");
    let mut report = Report::new(
        &title,
        &["program", "branches", "concolic, a seed", "fork, no seed"],
    );
    for target in TARGETS.iter().filter(|t| context.wants(t.name)) {
        let mut row: Vec<Cell> = vec![target.name.into()];
        for mode in ["concolic", "fork"] {
            let cases: Vec<u64> = (1..=seeds).collect();
            let runs = context.each(&cases, |&seed| {
                say::err!("seeded: {}, {mode}, seed {seed}", target.name);
                run_one(context, &work, target, mode, seed, seconds)
            })?;
            let middle = |value: fn(&RunStats) -> u64| {
                let all: Vec<f64> = runs.iter().map(|s| value(s) as f64).collect();
                median(&all).unwrap_or(0.0)
            };
            if row.len() == 1 {
                row.push(number(middle(|s| s.total_branches)).into());
            }
            let (paths, branches) = (
                middle(|s| s.completed_paths),
                middle(|s| s.covered_branches),
            );
            row.push(format!("{} ({})", number(paths), number(branches)).into());
        }
        report.rows.push(row);
        report.write(&context.out, "seeded")?;
    }
    Ok(report)
}

fn run_one(
    context: &Context,
    work: &Path,
    target: &SeededParser,
    mode: &str,
    seed: u64,
    seconds: f64,
) -> Result<RunStats> {
    let binary = work.join(target.binary);
    ensure!(
        binary.exists(),
        "{} is missing: run bench/fetch libpng1.6 jansson bzip2 libconfig first",
        binary.display()
    );
    let name: String = target
        .name
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect();
    let label = format!("{name}-{mode}-{seed}");
    let out = context.out.join("runs").join(&label);
    let mut command = run::explore(context, &out)?;
    command.args(["--no-tests", "--jobs", "1", "--mode", mode]);
    command.args(&context.run_options);
    command.args(["--seed", &seed.to_string(), "--memory", "2000"]);
    command.args(["--cpu-time", &seconds.to_string()]);
    if mode == "concolic" {
        let seeds = context.out.join("seeds").join(&name);
        std::fs::create_dir_all(&seeds)?;
        std::fs::write(seeds.join("valid"), target.seed)?;
        command.arg("--seed-input").arg(&seeds);
    }
    command.arg(binary).arg("--").args(target.arguments);
    command.args(["--sym-files", "1", &target.seed.len().to_string()]);
    run::finish(&mut command, &label, 20.0 * seconds + 120.0)?;
    Ok(Run::without_tests(&out)?.whole()?.1)
}
