//! Enumerations whose values the user chooses by name.

use serde::{Deserialize, Serialize};
use solver::{FloatMethod, Metric, Points};

/// A value with a name.
pub trait Named: Copy + Eq + 'static {
    /// All values, each with its name and its description in the help.
    const ALL: &'static [(Self, &'static str, Option<&'static str>)];

    /// The name for the user.
    fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|row| row.0 == self);
        found.map_or("", |row| row.1)
    }

    /// The value of this name.
    fn by_name(name: &str) -> Option<Self> {
        let found = Self::ALL.iter().find(|row| row.1 == name);
        found.map(|row| row.0)
    }
}

/// What happens at a branch: both sides are explored, or one input runs after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mode {
    #[default]
    /// Both sides: states fork.
    Fork,
    /// One input after the other.
    Concolic,
}

impl Named for Mode {
    const ALL: &'static [(Mode, &'static str, Option<&'static str>)] = &[
        (Mode::Fork, "fork", None),
        (Mode::Concolic, "concolic", None),
    ];
}

/// The form of tests that people keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum KeptTests {
    /// Source of C, and a list for CTest.
    C,
}

impl Named for KeptTests {
    const ALL: &'static [(KeptTests, &'static str, Option<&'static str>)] = &[(
        KeptTests::C,
        "c",
        Some("a C file that is compiled with the library alone, and CMakeLists.txt for CTest"),
    )];
}

/// How the progress is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProgressForm {
    #[default]
    /// A line for people.
    Line,
    /// The lines of `run.jsonl`, on stderr.
    Json,
}

impl Named for ProgressForm {
    const ALL: &'static [(ProgressForm, &'static str, Option<&'static str>)] = &[
        (
            ProgressForm::Line,
            "line",
            Some(
                "a line for people; on a terminal it redraws itself, elsewhere there is one every ten seconds",
            ),
        ),
        (
            ProgressForm::Json,
            "json",
            Some("JSON objects, one a line (docs/progress.md)"),
        ),
    ];
}

/// What happens to operations on symbolic floats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum FpSolver {
    #[default]
    /// The best known method.
    Auto,
    /// They are terms that no method decides.
    None,
    /// Numeric search.
    Search,
    /// The distance of goSAT.
    SearchGosat,
    /// The distance of XSat.
    SearchXsat,
    /// Fuzzing.
    Fuzz,
    /// Boxes of real numbers.
    Rso,
    /// Circuits.
    Bvfp,
    /// Circuits, then real numbers, then fuzzing.
    Synergy,
    /// Integer simulation.
    Isc,
    /// Real numbers, then fuzzing, as in the paper.
    RsoPaper,
    /// Circuits, then real numbers, then fuzzing, as in the paper.
    SynergyPaper,
    /// Simulated annealing with the distance of goSAT.
    AnnealGosat,
    /// Simulated annealing with the distance of XSat.
    AnnealXsat,
}

impl Named for FpSolver {
    #[rustfmt::skip]
    const ALL: &'static [(FpSolver, &'static str, Option<&'static str>)] = &[
        (FpSolver::Auto, "auto", Some("Float terms, decided by numeric search and circuits; sides that these park go to integer simulation when nothing else is left to run")),
        (FpSolver::None, "none", Some("Float terms only: known inputs are tried on a condition, else its side is parked")),
        (FpSolver::Search, "search", Some("Float terms, decided by numeric search: descent on the distance to satisfying a condition")),
        (FpSolver::SearchGosat, "search:gosat", Some("Float terms, decided by basin hopping on the differences of the sides of comparisons (goSAT)")),
        (FpSolver::SearchXsat, "search:xsat", Some("Float terms, decided by basin hopping on the floats between the sides of comparisons (XSat)")),
        (FpSolver::AnnealGosat, "search:anneal:gosat", Some("The same by simulated annealing, on the distance of search:gosat")),
        (FpSolver::AnnealXsat, "search:anneal:xsat", Some("The same by simulated annealing, on the distance of search:xsat (\"Multiplex symbolic execution\")")),
        (FpSolver::Fuzz, "fuzz", Some("Float terms, decided by fuzzing: inputs that cover something new of a condition are mutated")),
        (FpSolver::Rso, "rso", Some("Float terms, decided over the real numbers: boxes of values are contracted and halved, the floats next to a solution are searched, and fuzzing is last")),
        (FpSolver::RsoPaper, "rso:paper", Some("Float terms, decided over the real numbers, then by fuzzing from the floats next to a solution, without a search around it")),
        (FpSolver::Bvfp, "bvfp", Some("Float terms, decided by circuits: operations as bit-vector terms for the SAT solver")),
        (FpSolver::Synergy, "synergy", Some("Float terms, decided as \"Symbolic execution of floating-point programs: how far are we?\" combines methods: simple conditions by circuits, then as with rso")),
        (FpSolver::SynergyPaper, "synergy:paper", Some("The same with rso:paper: the algorithm as it is written")),
        (FpSolver::Isc, "isc", Some("Integer simulation: each operation runs as code over integers, whose special cases (NaN, infinity, zero, overflow, underflow) become paths; all conditions are about bits")),
    ];
}

impl FpSolver {
    /// Does it decide conditions? Otherwise it says how the machine executes a program in IR.
    pub fn decides_conditions(self) -> bool {
        self != FpSolver::Isc
    }

    /// The method of the solver.
    pub fn method(self) -> FloatMethod {
        match self {
            FpSolver::Auto => FloatMethod::Auto,
            FpSolver::Search => FloatMethod::Search(Metric::Steps),
            FpSolver::SearchGosat => FloatMethod::Search(Metric::Gosat),
            FpSolver::SearchXsat => FloatMethod::Search(Metric::Xsat),
            FpSolver::AnnealGosat => FloatMethod::Annealing(Metric::Gosat),
            FpSolver::AnnealXsat => FloatMethod::Annealing(Metric::Xsat),
            FpSolver::Fuzz => FloatMethod::Fuzz,
            FpSolver::Synergy => FloatMethod::Synergy(Points::Searched),
            FpSolver::SynergyPaper => FloatMethod::Synergy(Points::Fuzzed),
            FpSolver::Rso => FloatMethod::Rso(Points::Searched),
            FpSolver::RsoPaper => FloatMethod::Rso(Points::Fuzzed),
            FpSolver::Bvfp => FloatMethod::Bvfp,
            FpSolver::None | FpSolver::Isc => FloatMethod::None,
        }
    }
}

/// Which paths get a test case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Tests {
    #[default]
    /// Every path that ends.
    All,
    /// The same, and every state that the end of the run finds alive.
    Live,
    /// Paths that covered something new, and errors.
    New,
    /// The first paths to errors.
    Errors,
    /// None.
    None,
}

impl Named for Tests {
    const ALL: &'static [(Tests, &'static str, Option<&'static str>)] = &[
        (Tests::All, "all", Some("Every path that ends")),
        (
            Tests::Live,
            "live",
            Some("The same, and every state that is alive at the end (--live-share; fork mode)"),
        ),
        (
            Tests::New,
            "new",
            Some("Paths that covered something new, and errors"),
        ),
        (
            Tests::Errors,
            "errors",
            Some("The first path to each error"),
        ),
        (Tests::None, "none", None),
    ];
}

/// What happens to live states when memory is short.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum MemoryPolicy {
    #[default]
    /// They are put aside.
    Spill,
    /// They are lost at random.
    Drop,
}

impl Named for MemoryPolicy {
    const ALL: &'static [(MemoryPolicy, &'static str, Option<&'static str>)] = &[
        (
            MemoryPolicy::Spill,
            "spill",
            Some(
                "The least promising quarter is put aside, and rebuilt when nothing else is left: nothing is lost",
            ),
        ),
        (
            MemoryPolicy::Drop,
            "drop",
            Some(
                "A random tenth ends for good, each with its test: what KLEE does, a baseline for comparisons",
            ),
        ),
    ];
}

/// The source of concrete standard input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum StdinKind {
    #[default]
    /// A file.
    File,
    /// A pipe.
    Pipe,
    /// A terminal.
    Terminal,
    /// `/dev/null`.
    Null,
}

impl Named for StdinKind {
    const ALL: &'static [(StdinKind, &'static str, Option<&'static str>)] = &[
        (StdinKind::File, "file", None),
        (StdinKind::Pipe, "pipe", None),
        (StdinKind::Terminal, "terminal", None),
        (StdinKind::Null, "null", None),
    ];
}

impl StdinKind {
    /// The stream that the program sees.
    pub fn stream(self) -> linux::StreamKind {
        match self {
            StdinKind::File => linux::StreamKind::File,
            StdinKind::Pipe => linux::StreamKind::Pipe,
            StdinKind::Terminal => linux::StreamKind::Terminal,
            StdinKind::Null => linux::StreamKind::Null,
        }
    }
}
