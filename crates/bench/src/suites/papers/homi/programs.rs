//! The programs, with the paper's figures.

use crate::tools::coreutils::JudgedProgram;

/// A program of the paper's Table 2; where the package is not the paper's version, it is Debian's.
pub struct PaperProgram {
    pub subject: JudgedProgram<'static>,
    /// Exclusive branches in the paper's Table 3: with Homi, and of the best heuristic alone.
    pub exclusive: Option<(f64, f64)>,
    /// Branches at the end, in its section 4.2.1: the same.
    pub branches: Option<(f64, f64)>,
    /// Mean states, in its section 4.3: the same.
    pub states: Option<(f64, f64)>,
}

#[rustfmt::skip]
pub const PROGRAMS: &[PaperProgram] = &[
    PaperProgram { subject: JudgedProgram::of("gawk", "gawk", "gawk", &[".", "support"]), branches: Some((2884.0, 2447.0)), states: Some((1897.0, 37_315.0)), ..paper("gawk", (139.0, 10.0)) },
    PaperProgram { subject: JudgedProgram::of("grep", "grep", "src/grep", &["src", "lib"]), branches: Some((2851.0, 2505.0)), states: Some((2030.0, 41_210.0)), ..paper("grep", (208.0, 53.0)) },
    PaperProgram { subject: JudgedProgram::of("trueprint", "trueprint", "src/trueprint", &["src"]), ..paper("trueprint", (147.0, 17.0)) },
    // In place of combine 0.4.0, which Debian does not have.
    PaperProgram { subject: JudgedProgram::of("bc", "bc", "bc/bc", &["bc", "lib"]), exclusive: None, ..paper("bc", (0.0, 0.0)) },
    paper("ginstall", (16.0, 3.0)),
    paper("ptx", (39.0, 4.0)),
    paper("vdir", (118.0, 44.0)),
    paper("pr", (61.0, 3.0)),
    paper("dd", (23.0, 17.0)),
];

const fn paper(name: &'static str, exclusive: (f64, f64)) -> PaperProgram {
    PaperProgram {
        subject: JudgedProgram::coreutils(name),
        exclusive: Some(exclusive),
        branches: None,
        states: None,
    }
}
