//! The requirements of a suite other than Polypath. The script `x` asks for it (`polypath-bench needs SUITE`) and
//! provides it.

use std::fmt;

/// One thing that a suite needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// A source package that `bench/fetch` builds.
    Tree(&'static str),
    /// A source package that `bench/gcov` builds: a judge of coverage.
    Judge(&'static str),
    /// A Debian package, and a shell command that succeeds where it is installed.
    Package {
        name: &'static str,
        test: &'static str,
    },
}

impl Need {
    /// A Debian package.
    pub const fn package(name: &'static str, test: &'static str) -> Need {
        Need::Package { name, test }
    }
}

/// One line, as `x` reads it.
impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Need::Tree(name) => write!(f, "tree {name}"),
            Need::Judge(name) => write!(f, "judge {name}"),
            Need::Package { name, test } => write!(f, "package {name} {test}"),
        }
    }
}
