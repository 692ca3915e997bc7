//! One interface over the SAT solvers.
//!
//! A back end is incremental: variables and clauses are only ever added, every query is a list of
//! assumptions, and an unsatisfiable answer names the assumptions that were needed. Limits are
//! conflicts (deterministic) and a deadline (a safety net, looked at rarely).
//!
//! To add a back end: one file beside `cadical.rs`, one arm in [`SatEngine::build`], and the tests in `tests/sat.rs`
//! cover it.

mod batsat;
mod cadical;
mod watch;

pub use batsat::Batsat;
pub use watch::Recorder;

use linear::Deadline;

/// A literal: variable number times two, plus one when negated. Variable 0 is the constant *true*
/// of every circuit, so that `Lit::TRUE` needs no special case downstream.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(transparent)]
pub struct Lit(pub u32);

impl Lit {
    /// The constant true.
    pub const TRUE: Lit = Lit(0);
    /// The constant false.
    pub const FALSE: Lit = Lit(1);

    /// The positive literal of a variable.
    #[inline]
    pub fn positive(var: u32) -> Lit {
        Lit(var << 1)
    }

    /// Its variable.
    #[inline]
    pub fn var(self) -> u32 {
        self.0 >> 1
    }

    /// Is it a negation?
    #[inline]
    pub fn is_negated(self) -> bool {
        self.0 & 1 != 0
    }

    /// Is it one of the two constants?
    #[inline]
    pub fn is_const(self) -> bool {
        self.0 < 2
    }

    /// The literal, negated when `flip` holds.
    #[inline]
    pub fn negate_if(self, flip: bool) -> Lit {
        Lit(self.0 ^ flip as u32)
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;
    #[inline]
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

impl From<bool> for Lit {
    fn from(b: bool) -> Lit {
        if b { Lit::TRUE } else { Lit::FALSE }
    }
}

/// The limits of a SAT call.
#[derive(Clone, Copy, Debug)]
pub struct SatLimits {
    /// Conflicts; the deterministic measure.
    pub conflicts: u64,
    /// Wall-clock end; `None` for no clock at all.
    pub deadline: Option<Deadline>,
}

/// Answer of a SAT call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SatResult {
    /// Satisfiable: values through [`SatBackend::value`].
    Sat,
    /// Unsatisfiable: the assumptions used through [`SatBackend::failed`].
    Unsat,
    /// The conflict limit was reached.
    OutOfConflicts,
    /// The deadline passed.
    OutOfTime,
}

/// An incremental SAT solver. Variables are numbered from 1 and declared by [`Self::new_var`].
pub trait SatBackend {
    /// A fresh variable.
    fn new_var(&mut self) -> u32;
    /// Adds a clause; constants are not allowed in it.
    fn add_clause(&mut self, clause: &[Lit]);
    /// Decides the clauses under assumptions.
    fn solve(&mut self, assumptions: &[Lit], limits: &SatLimits) -> SatResult;
    /// Like [`Self::solve`]; the recorder notes what the search tries. It costs next to nothing on the
    /// average: a back end for which it costs more records only some of its calls.
    fn solve_watched(
        &mut self,
        assumptions: &[Lit],
        limits: &SatLimits,
        recorder: &mut Recorder,
    ) -> SatResult;
    /// After `Sat`: the value of a literal in the model.
    fn value(&mut self, lit: Lit) -> bool;
    /// After `Unsat`: was this assumption needed?
    fn failed(&mut self, lit: Lit) -> bool;
    /// Conflicts so far.
    fn conflicts(&self) -> u64;
}

/// A SAT solver.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum SatEngine {
    /// CaDiCaL: the faster one on hard queries; a new instance and each call cost more.
    Cadical,
    /// batsat: pure Rust, several times faster on small queries, its trail can be watched at no
    /// cost.
    Batsat,
}

impl SatEngine {
    /// Every engine with its name.
    pub const ALL: &'static [(&'static str, SatEngine)] = &[
        ("cadical", SatEngine::Cadical),
        ("batsat", SatEngine::Batsat),
    ];

    /// A new, empty solver.
    pub fn build(self) -> Box<dyn SatBackend> {
        match self {
            SatEngine::Cadical => Box::new(cadical::Cadical::new()),
            SatEngine::Batsat => Box::new(batsat::Batsat::new()),
        }
    }
}

/// Which SAT solvers the bit-blaster uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum SatKind {
    /// batsat for a bounded number of conflicts, then CaDiCaL.
    #[default]
    Auto,
    /// CaDiCaL only.
    Cadical,
    /// batsat only.
    Batsat,
}

impl SatKind {
    /// Every kind with the name used on the command line.
    pub const ALL: &'static [(&'static str, SatKind)] = &[
        ("auto", SatKind::Auto),
        ("cadical", SatKind::Cadical),
        ("batsat", SatKind::Batsat),
    ];

    /// The engines to try in order, each with the most conflicts it may spend.
    pub fn stages(self) -> &'static [(SatEngine, u64)] {
        match self {
            SatKind::Auto => &[(SatEngine::Batsat, 8000), (SatEngine::Cadical, u64::MAX)],
            SatKind::Cadical => &[(SatEngine::Cadical, u64::MAX)],
            SatKind::Batsat => &[(SatEngine::Batsat, u64::MAX)],
        }
    }
}
