//! What is compared, and what the paper says of it.

use crate::tools::Context;

/// The paper's budget, in seconds, which its time constants are made for.
pub const PAPER_SECONDS: f64 = 18_000.0;
/// Its η_t and τ_max.
const CYCLE_S: f64 = 30.0;
const ROUND_S: f64 = 800.0;

/// The heuristics of section 4.1, by their names here; the first is KLEE's default.
pub const HEURISTICS: &[&str] = &[
    "random-path,nurs:covnew",
    "nurs:covnew",
    "nurs:md2u",
    "nurs:cpicnt",
    "nurs:icnt",
    "nurs:qc",
    "nurs:depth",
    "random-path",
    "random-state",
];

/// What runs on top of the best heuristic of a program: name, options.
pub const ON_BEST: &[(&str, &[&str])] = &[
    (HOMI, &["--homi"]),
    ("random pruning", &["--homi=random"]),
    ("divide", &["--homi=divide"]),
    ("portfolio", &["--homi", "--homi-portfolio"]),
    ("resume", &["--homi", "--homi-resume", "100"]),
];
/// The method itself.
pub const HOMI: &str = "homi";

/// A program, and exclusive branches in the paper's Table 3: with Homi, and of the best heuristic alone.
pub struct Program {
    pub name: &'static str,
    pub exclusive: (f64, f64),
}

pub const PROGRAMS: &[Program] = &[
    program("ginstall", (16.0, 3.0)),
    program("ptx", (39.0, 4.0)),
    program("vdir", (118.0, 44.0)),
    program("pr", (61.0, 3.0)),
    program("dd", (23.0, 17.0)),
];

const fn program(name: &'static str, exclusive: (f64, f64)) -> Program {
    Program { name, exclusive }
}

/// The paper's time constants for runs of so many seconds.
pub fn scaled(seconds: f64) -> [String; 4] {
    let scale = seconds / PAPER_SECONDS;
    [
        "--homi-cycle".into(),
        (CYCLE_S * scale).to_string(),
        "--homi-round".into(),
        (ROUND_S * scale).to_string(),
    ]
}

/// Seconds of a run: ten minutes, with `--all` the paper's five hours.
pub fn seconds(context: &Context) -> f64 {
    let default = if context.all { PAPER_SECONDS } else { 600.0 };
    context.time.unwrap_or(default)
}
