//! The programs, with the paper's figures.

use crate::tools::coreutils::Trees;
use crate::tools::gcov::Judge;
use crate::tools::trees;
use anyhow::Result;
use std::path::PathBuf;

/// A program of the paper's Table 2; where the package is not the paper's version, it is Debian's.
pub struct PaperProgram {
    pub name: &'static str,
    /// Its source package, if it is not coreutils: name, program in the tree, directories with the program's objects.
    package: Option<(&'static str, &'static str, &'static [&'static str])>,
    /// Exclusive branches in the paper's Table 3: with Homi, and of the best heuristic alone.
    pub exclusive: Option<(f64, f64)>,
    /// Branches at the end, in its section 4.2.1: the same.
    pub branches: Option<(f64, f64)>,
    /// Mean states, in its section 4.3: the same.
    pub states: Option<(f64, f64)>,
}

#[rustfmt::skip]
pub const PROGRAMS: &[PaperProgram] = &[
    PaperProgram { package: Some(("gawk", "gawk", &[".", "support"])), branches: Some((2884.0, 2447.0)), states: Some((1897.0, 37_315.0)), ..paper("gawk", (139.0, 10.0)) },
    PaperProgram { package: Some(("grep", "src/grep", &["src", "lib"])), branches: Some((2851.0, 2505.0)), states: Some((2030.0, 41_210.0)), ..paper("grep", (208.0, 53.0)) },
    PaperProgram { package: Some(("trueprint", "src/trueprint", &["src"])), ..paper("trueprint", (147.0, 17.0)) },
    // In place of combine 0.4.0, which Debian does not have.
    PaperProgram { package: Some(("bc", "bc/bc", &["bc", "lib"])), exclusive: None, ..paper("bc", (0.0, 0.0)) },
    paper("ginstall", (16.0, 3.0)),
    paper("ptx", (39.0, 4.0)),
    paper("vdir", (118.0, 44.0)),
    paper("pr", (61.0, 3.0)),
    paper("dd", (23.0, 17.0)),
];

const fn paper(name: &'static str, exclusive: (f64, f64)) -> PaperProgram {
    PaperProgram {
        name,
        package: None,
        exclusive: Some(exclusive),
        branches: None,
        states: None,
    }
}

impl PaperProgram {
    /// The binary with bitcode.
    pub fn binary(&self) -> Result<PathBuf> {
        Ok(match self.package {
            Some((package, program, _)) => trees::fetched(package)?.join(program),
            None => Trees::find()?.bitcode.join("src").join(self.name),
        })
    }

    /// Who counts its branches.
    pub fn judge(&self) -> Result<Judge> {
        match self.package {
            Some((package, program, objects)) => {
                Judge::package(&trees::judge(package)?, program, objects)
            }
            None => Judge::coreutils(&Trees::find()?.gcov, self.name),
        }
    }
}
