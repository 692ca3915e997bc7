//! What KLEE 3.2 reaches (LLVM 16, STP 2.3.3 + MiniSat, tcmalloc, uclibc, POSIX run time), measured on
//! two shared cores: compare per CPU second, and expect 20 % either way.

/// Coverage after native replay of KLEE's tests, percent of lines and of branches taken, of the
/// program's own source (gcc -O0 --coverage), for its two configurations (default; batching with the
/// in-process solver), after 60 s of wall time.
pub struct Coreutils {
    pub program: &'static str,
    pub default: (f64, f64),
    pub batching: (f64, f64),
    /// Completed paths, the better configuration's.
    #[expect(dead_code, reason = "a record of what was measured; no table shows it")]
    pub paths: Option<u64>,
    /// Instructions per CPU second, the better configuration's.
    #[expect(dead_code, reason = "a record of what was measured; no table shows it")]
    pub instructions_per_s: Option<f64>,
}

impl Coreutils {
    /// The better of the two, lines and branches each.
    pub fn best(&self) -> (f64, f64) {
        (
            self.default.0.max(self.batching.0),
            self.default.1.max(self.batching.1),
        )
    }
}

#[rustfmt::skip]
pub const COREUTILS: &[Coreutils] = &[
    Coreutils { program: "echo",   default: (83.0, 67.0), batching: (83.0, 66.0), paths: Some(35_350), instructions_per_s: Some(2.1e6) },
    Coreutils { program: "cat",    default: (78.0, 65.0), batching: (76.0, 67.0), paths: Some(10_308), instructions_per_s: Some(1.5e6) },
    Coreutils { program: "wc",     default: (57.0, 53.0), batching: (61.0, 55.0), paths: Some(10_121), instructions_per_s: Some(1.4e6) },
    Coreutils { program: "cut",    default: (87.0, 73.0), batching: (77.0, 57.0), paths: Some(5_472), instructions_per_s: Some(1.6e6) },
    Coreutils { program: "expr",   default: (60.0, 42.0), batching: (70.0, 48.0), paths: Some(8_376), instructions_per_s: Some(1.5e6) },
    Coreutils { program: "tr",     default: (55.0, 41.0), batching: (61.0, 53.0), paths: Some(6_017), instructions_per_s: Some(1.1e6) },
    Coreutils { program: "pr",     default: (55.0, 41.0), batching: (65.0, 51.0), paths: Some(175), instructions_per_s: Some(0.09e6) },
    Coreutils { program: "base64", default: (91.0, 75.0), batching: (88.0, 71.0), paths: Some(5_586), instructions_per_s: Some(1.1e6) },
    Coreutils { program: "od",     default: (74.0, 58.0), batching: (74.0, 58.0), paths: None, instructions_per_s: None },
    Coreutils { program: "sort",   default: (30.0, 18.0), batching: (30.0, 18.0), paths: Some(0), instructions_per_s: None },
];

/// The symbolic arguments of that comparison.
pub const COREUTILS_ARGUMENTS: &[&str] = &[
    "--sym-args",
    "0",
    "1",
    "10",
    "--sym-args",
    "0",
    "2",
    "2",
    "--sym-files",
    "1",
    "8",
    "--sym-stdin",
    "8",
    "--sym-stdout",
    // As KLEE has it.
    "--sym-stat",
    "--sym-exact",
];
