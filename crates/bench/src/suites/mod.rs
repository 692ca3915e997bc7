//! The experiments.
//!
//! To add one: its file or folder with a `run(&Context) -> Result<Report>`, and one line in [`SUITES`], which also says
//! what it needs. What several suites share goes to `tools`. A suite whose question is answered goes to `papers`, and its line
//! to [`PAPERS`].

mod core;
mod coreutils;
mod csmith;
mod formulas;
mod fp;
mod functions;
mod java;
mod java_fidelity;
mod jobs;
mod large_report;
mod make_check;
mod packages;
mod papers;
mod parsers;
mod planted;
pub mod publications;
mod search;
mod seeded;
mod solver_bound;
mod solvers;
mod stops;

use crate::tools::report::Report;
use crate::tools::{Context, Need};
use Need::{Judge, Tree};
use anyhow::{Context as _, Result};

/// A named experiment.
pub struct Suite {
    pub name: &'static str,
    pub help: &'static str,
    /// What has to be there.
    pub needs: &'static [&'static [Need]],
    run: fn(&Context) -> Result<Report>,
}

/// Those that are run from day to day.
#[rustfmt::skip]
pub const SUITES: &[Suite] = &[
    Suite { name: "core", help: "interpreter and forking speed beside KLEE's figures", needs: &[], run: core::run },
    Suite { name: "coreutils", help: "coverage of GNU coreutils beside KLEE's", needs: &[COVERAGE], run: coreutils::run },
    Suite { name: "search", help: "searchers compared on coreutils", needs: &[COVERAGE], run: search::run },
    Suite { name: "make-check", help: "the commands of coreutils' own tests against their native run", needs: &[&[Tree("coreutils")]], run: make_check::run },
    Suite { name: "parsers", help: "readers of binary formats and coreutils with and without partial solutions, after the paper's Table 5", needs: &[PARSERS], run: parsers::run },
    Suite { name: "java", help: "Java libraries with and without partial solutions, after the paper's Tables 5 and 7 (--only table7)", needs: &[JDK, JAVA], run: java::run },
    Suite { name: "java-fidelity", help: "unit tests of Java libraries on the woven JVM beside a plain one", needs: &[JDK, JAVA_TESTS], run: java_fidelity::run },
    Suite { name: "solver-bound", help: "programs in which solving costs most, with and without partial solutions", needs: &[], run: solver_bound::run },
    Suite { name: "packages", help: "Debian source packages built unchanged, explored and replayed", needs: &[BUILDS], run: packages::run },
    Suite { name: "functions", help: "all public functions of C and Java libraries: branches, errors, and which unmarked ones are real", needs: &[LIBRARIES, JDK, JARS], run: functions::run },
    Suite { name: "c-tests", help: "the tests as C that are written of C libraries, run by CTest with a library built with sanitizers", needs: &[LIBRARIES], run: functions::c_tests::run },
    Suite { name: "csmith", help: "generated programs against their native run", needs: &[CSMITH], run: csmith::run },
    Suite { name: "solvers", help: "logged queries, our solver beside bitwuzla, z3 and cvc5", needs: &[QUERIES, PYTHON], run: solvers::run },
    Suite { name: "fp", help: "floating-point conditions: methods beside each other and beside other solvers", needs: &[PYTHON], run: fp::run },
    Suite { name: "jobs", help: "one worker and two: time, coverage, memory, tests on disk, going on", needs: &[&[Tree("coreutils")]], run: jobs::run },
    Suite { name: "seeded", help: "parsers from one small valid file: paths and branches", needs: &[SEEDED], run: seeded::run },
    Suite { name: "stops", help: "real programs, explored with ten stops at random and without: what is lost", needs: &[STOPPED], run: stops::run },
    Suite { name: "planted", help: "time until a planted bug is found, by search and mode", needs: &[], run: planted::run },
    Suite { name: "large-report", help: "the report of a large run: writing it, and its page in a browser", needs: &[BROWSER], run: large_report::run },
    Suite { name: "formulas", help: "generated formulas against z3 and bitwuzla", needs: &[PYTHON], run: formulas::run },
];

/// Those whose question is answered (`polypath-bench papers SUITE`).
#[rustfmt::skip]
pub const PAPERS: &[Suite] = &[
    Suite { name: "array-logs", help: "configurations of array solving on the same raw queries", needs: &[], run: papers::array_logs::run },
    Suite { name: "arrays", help: "configurations of array solving on table-heavy programs and on programs of Debian", needs: &[QUERIES], run: papers::arrays::run },
    Suite { name: "equality", help: "generated scripts about equality of arrays, our solver beside bitwuzla, z3 and cvc5", needs: &[PYTHON], run: papers::equality::run },
    Suite { name: "fp-gsl", help: "floating-point conditions in GSL: queries, functions and matrices, beside two papers (--only queries, study, multiplex)", needs: &[&[Tree("gsl")], PYTHON], run: papers::fp_gsl::run },
    Suite { name: "homi", help: "learned state pruning: branches, exclusive branches, states and bugs beside plain searchers and naive pruning, beside the paper", needs: &[COVERAGE, PRUNED], run: papers::homi::run },
    Suite { name: "lia", help: "generated problems over linear integers, our solver beside z3", needs: &[PYTHON], run: papers::lia::run },
    Suite { name: "multiplex", help: "GSL functions with and without partial solutions, beside the paper's Table 6", needs: &[&[Tree("gsl")]], run: papers::multiplex::run },
    Suite { name: "observation", help: "CPU time with and without partial solutions on logged queries", needs: &[QUERIES], run: papers::observation::run },
    Suite { name: "scale", help: "the coordinator of several workers: useful time of up to a thousand of them, simulated", needs: &[&[Tree("coreutils")]], run: papers::scale::run },
];

/// Programs of coreutils, and a build of them that counts what was covered.
const COVERAGE: &[Need] = &[Tree("coreutils"), Judge("coreutils")];
/// The programs of the paper on state pruning, and the same for their coverage.
const PRUNED: &[Need] = &[
    Tree("gawk"),
    Tree("grep"),
    Tree("trueprint"),
    Tree("bc"),
    Judge("gawk"),
    Judge("grep"),
    Judge("trueprint"),
    Judge("bc"),
    Need::package("ed", "command -v ed"),
];
/// Programs that are explored to the end.
const STOPPED: &[Need] = &[
    Need::package("tcl", "command -v tclsh"),
    Tree("dos2unix"),
    Tree("byacc"),
    Tree("sqlite3"),
];
const PARSERS: &[Need] = &[
    Tree("coreutils"),
    Tree("giflib"),
    Tree("netpbm-free"),
    Tree("wavpack"),
];
/// The parsers that begin with a valid file.
const SEEDED: &[Need] = &[
    Tree("libpng1.6"),
    Tree("jansson"),
    Tree("bzip2"),
    Tree("libconfig"),
    Need::package("cmake", "command -v cmake"),
];
/// The programs whose queries are logged (`tools::queries`).
const QUERIES: &[Need] = &[
    Tree("coreutils"),
    Tree("bc"),
    Tree("grep"),
    Tree("gawk"),
    Tree("libyaml"),
    Tree("flex"),
];
/// The JDK, and what weaves.
const JDK: &[Need] = &[
    Need::package("openjdk-17-jdk-headless", "command -v javac"),
    Need::package("libasm-java", "test -e /usr/share/java/asm-9.4.jar"),
];
/// The libraries of suite `java`.
const JAVA: &[Need] = &[
    Need::package("libij-java", "test -e /usr/share/java/ij.jar"),
    Need::package(
        "libtwelvemonkeys-java",
        "test -e /usr/share/java/imageio-bmp.jar",
    ),
    Need::package("libjlayer-java", "test -e /usr/share/java/jl.jar"),
    Need::package(
        "libtritonus-java",
        "test -e /usr/share/java/tritonus_remaining.jar",
    ),
    Need::package("libbcel-java", "test -e /usr/share/java/bcel.jar"),
    Need::package(
        "libjacoco-java",
        "test -e /usr/share/java/org.jacoco.core.jar",
    ),
    Need::package("libla4j-java", "test -e /usr/share/java/la4j.jar"),
    Need::package("libcolt-free-java", "test -e /usr/share/java/colt.jar"),
];
/// JUnit, and libraries with unit tests.
const JAVA_TESTS: &[Need] = &[
    Need::package("junit4", "test -e /usr/share/java/junit4.jar"),
    Need::package(
        "junit5",
        "test -e /usr/share/java/junit-platform-launcher.jar",
    ),
    Need::package("libjsr305-java", "test -e /usr/share/java/jsr305.jar"),
    Need::package(
        "libcommons-lang3-java",
        "test -e /usr/share/java/commons-lang3.jar",
    ),
    Tree("libcommons-codec-java"),
    Tree("libcommons-lang3-java"),
    Tree("commons-math3"),
    Tree("libla4j-java"),
];
/// The other solvers are Python packages, which the suite itself installs.
const PYTHON: &[Need] = &[Need::package(
    "python3-venv",
    "python3 -c 'import ensurepip'",
)];
const CSMITH: &[Need] = &[
    Need::package("csmith", "command -v csmith"),
    Need::package("libcsmith-dev", "test -e /usr/include/csmith/csmith.h"),
];
/// What the packages' own builds call.
const BUILDS: &[Need] = &[
    Need::package("autoconf", "command -v autoreconf"),
    Need::package("automake", "command -v aclocal"),
    Need::package("autopoint", "command -v autopoint"),
    Need::package("bison", "command -v bison"),
    Need::package("cmake", "command -v cmake"),
    Need::package("flex", "command -v flex"),
    Need::package("libtool", "command -v libtoolize"),
    Need::package("m4", "command -v m4"),
    Need::package("perl", "command -v perl"),
    Need::package("pkgconf", "command -v pkg-config"),
    Need::package("tcl", "command -v tclsh"),
    Need::package("ed", "command -v ed"),
];

const BROWSER: &[Need] = &[Need::package("chromium", "command -v chromium")];

/// What the libraries' own builds call.
const LIBRARIES: &[Need] = &[
    Need::package("cmake", "command -v cmake"),
    Need::package("make", "command -v make"),
];

/// Java libraries whose methods are tested.
const JARS: &[Need] = &[
    Need::package(
        "libcommons-csv-java",
        "test -e /usr/share/java/commons-csv.jar",
    ),
    Need::package(
        "libcommons-cli-java",
        "test -e /usr/share/java/commons-cli.jar",
    ),
    Need::package(
        "libcommons-codec-java",
        "test -e /usr/share/java/commons-codec.jar",
    ),
    Need::package(
        "libcommons-validator-java",
        "test -e /usr/share/java/commons-validator.jar",
    ),
    Need::package(
        "libjson-simple-java",
        "test -e /usr/share/java/json-simple.jar",
    ),
    Need::package("libjsoup-java", "test -e /usr/share/java/jsoup.jar"),
    Need::package("libsemver-java", "test -e /usr/share/java/java-semver.jar"),
    Need::package(
        "libplexus-interpolation-java",
        "test -e /usr/share/java/plexus-interpolation.jar",
    ),
];

/// Which suites are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuiteGroup {
    /// [`SUITES`].
    Front,
    /// [`PAPERS`].
    Papers,
}

impl SuiteGroup {
    pub fn suites(self) -> &'static [Suite] {
        match self {
            SuiteGroup::Front => SUITES,
            SuiteGroup::Papers => PAPERS,
        }
    }

    fn other(self) -> SuiteGroup {
        match self {
            SuiteGroup::Front => SuiteGroup::Papers,
            SuiteGroup::Papers => SuiteGroup::Front,
        }
    }

    /// How a suite of it is asked for.
    fn words(self, name: &str) -> String {
        match self {
            SuiteGroup::Front => name.into(),
            SuiteGroup::Papers => format!("papers {name}"),
        }
    }

    fn get(self, name: &str) -> Option<&'static Suite> {
        self.suites().iter().find(|s| s.name == name)
    }

    /// The suite of that name.
    ///
    /// # Errors
    /// There is none, in words: where it is, or which there are.
    pub fn find(self, name: &str) -> Result<&'static Suite, String> {
        if let Some(suite) = self.get(name) {
            return Ok(suite);
        }
        if self.other().get(name).is_some() {
            let words = self.other().words(name);
            return Err(format!("the suite '{name}' is called so: {words}"));
        }
        let names: Vec<_> = self.suites().iter().map(|s| s.name).collect();
        Err(format!(
            "no suite '{name}'; there are: {}",
            names.join(", ")
        ))
    }
}

impl Suite {
    /// Runs it, prints its table and writes `NAME.json` and `NAME.svg`; the table.
    pub fn report(&self, context: &Context) -> Result<Report> {
        std::fs::create_dir_all(&context.out)
            .with_context(|| format!("cannot make {}", context.out.display()))?;
        let report = (self.run)(context)?;
        say::out!("{}", report.table());
        report.write(&context.out, self.name)?;
        let written = context.out.join(format!("{}.{{json,svg}}", self.name));
        say::err!("written: {}", written.display());
        Ok(report)
    }
}

/// The suite of that name, as an error if there is none.
fn known_suite(group: SuiteGroup, name: &str) -> Result<&'static Suite> {
    group.find(name).map_err(anyhow::Error::msg)
}

#[cfg(test)]
mod tests {
    use super::{Need, PAPERS, QUERIES, SUITES, SuiteGroup};
    use crate::tools::queries::PROGRAMS;
    use std::collections::BTreeSet;

    #[test]
    fn suites_that_log_queries_need_the_trees_of_the_programs() {
        let trees: BTreeSet<&str> = PROGRAMS.iter().map(|p| p.tree).collect();
        let needed: BTreeSet<&str> = QUERIES
            .iter()
            .filter_map(|n| match n {
                Need::Tree(name) => Some(*name),
                _ => None,
            })
            .collect();
        assert_eq!(trees, needed);
    }

    #[test]
    fn a_suite_that_moved_says_where_it_is() {
        let find = |group: SuiteGroup, name| group.find(name).map(|s| s.name);
        assert_eq!(find(SuiteGroup::Front, "core"), Ok("core"));
        assert_eq!(find(SuiteGroup::Papers, "lia"), Ok("lia"));
        let said = find(SuiteGroup::Front, "lia").unwrap_err();
        assert_eq!(said, "the suite 'lia' is called so: papers lia");
        let said = find(SuiteGroup::Papers, "core").unwrap_err();
        assert_eq!(said, "the suite 'core' is called so: core");
        let said = find(SuiteGroup::Papers, "x").unwrap_err();
        assert!(
            said.starts_with("no suite 'x'; there are: array-logs, "),
            "{said}"
        );
        for suite in SUITES {
            assert!(
                find(SuiteGroup::Papers, suite.name).is_err(),
                "{}",
                suite.name
            );
        }
    }

    /// What two suites share is a tool, so that each suite can be read, changed and removed by itself.
    #[test]
    fn suites_know_tools_and_nobody_knows_a_suite() {
        let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut folders = vec![source.join("suites"), source.join("tools")];
        let mut wrong = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let text = std::fs::read_to_string(&path).expect("text");
                // Put together here, so that this file does not find itself.
                let siblings = SUITES
                    .iter()
                    .chain(PAPERS)
                    .map(|s| format!("super::{}::", s.name.replace('-', "_")));
                let mut ways = siblings.chain([format!("{}::suites", "crate")]);
                if ways.any(|way| text.contains(&way)) {
                    wrong.push(path);
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:?}");
    }

    /// A name that `bench/fetch` or the repository does not know would be found out by the user.
    #[test]
    fn what_suites_need_can_be_provided() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let fetch = std::fs::read_to_string(root.join("bench/fetch")).expect("bench/fetch");
        let gcov = std::fs::read_to_string(root.join("bench/gcov")).expect("bench/gcov");
        let all = SUITES.iter().chain(PAPERS);
        for need in all.flat_map(|s| s.needs).copied().flatten() {
            match need {
                Need::Tree(name) => assert!(
                    fetch.contains(&format!("recipe_{}()", name.replace('-', "_")))
                        || fetch.contains(&format!("recipe_{name}()")),
                    "bench/fetch has no recipe for {name}"
                ),
                Need::Judge(name) => assert!(
                    gcov.contains(&format!("recipe_{name}()")),
                    "bench/gcov has no recipe for {name}"
                ),
                Need::Package { name, .. } => assert!(!name.contains(' '), "{name}"),
            }
        }
    }
}
