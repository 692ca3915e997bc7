//! The machine: everything that is not part of one path.

use crate::builtins::{self, Builtin};
use crate::errors::{ErrorKind, Termination};
use crate::overheard::Overheard;
use crate::soft_float::SoftFloats;
use crate::state::State;
use ir::{BranchId, Module, Pc, SiteId};
use memory::Tlb;
use solver::{Budget, Solver, Why};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;
use term::{Evaluator, Pool, Symbol};

/// What `Policy::branch` does with the side of a branch that the witness does not take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Fork a state for it, if it is feasible.
    Fork,
    /// Only note that it is open: concolic execution of one input.
    Record,
}

/// How the machine behaves; plain values.
#[derive(Clone, Debug)]
pub struct Options {
    pub policy: Policy,
    pub budget: Budget,
    /// [`Budget::effort`] of a branch's other side at the first attempt; what takes more is parked and
    /// tried again with more when nothing else is left to run.
    pub first_effort: u64,
    /// Forks on one path at most (`--max-depth`), 0 = unlimited.
    pub max_depth: u32,
    /// Forks in the whole run at most (`--max-forks`), 0 = unlimited.
    pub max_forks: u64,
    pub check_leaks: bool,
    /// How many system calls on a path may fail by choice (`--fail-syscalls`).
    pub fail_syscalls: u32,
    /// Objects that one symbolic address may mean before the rest is cut off.
    pub max_resolutions: u32,
    /// Values that a symbolic operand of an engine operation may take before it is made concrete.
    pub max_values: u32,
    /// Print what the program writes to its standard output and error (concrete runs).
    pub echo: bool,
    /// Report an error once per kind and place.
    pub dedupe_errors: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            policy: Policy::Fork,
            budget: Budget::default(),
            first_effort: 4_000_000,
            max_depth: 0,
            max_forks: 0,
            check_leaks: false,
            fail_syscalls: 0,
            max_resolutions: 64,
            max_values: 64,
            echo: false,
            dedupe_errors: true,
        }
    }
}

/// Counters of the machine; the engine adds its own.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    pub forks: u64,
    pub branches_symbolic: u64,
    pub concretizations: u64,
    pub limited_resolutions: u64,
    pub limited_forks: u64,
    pub float_parked: u64,
    /// Float operations that were simulated over integers.
    pub soft_float_calls: u64,
    /// Symbolic branches inside of the simulation, also counted in `branches_symbolic`.
    pub soft_float_branches: u64,
    /// Forks inside of the simulation, also counted in `forks`.
    pub soft_float_forks: u64,
    /// Names of calls and constructs that ended a path or were answered with ENOSYS.
    pub unmodelled: BTreeMap<String, u64>,
    pub warnings: Vec<String>,
}

/// The other side of a branch, which the solver could not decide.
pub struct Parked {
    pub state: Box<State>,
    pub why: Why,
    /// The effort that was not enough, see [`Budget::effort`].
    pub effort: u64,
}

/// The machine. See the crate's documentation.
pub struct Machine {
    pub module: Rc<Module>,
    pub pool: Pool,
    pub solver: Solver,
    pub evaluator: Evaluator,
    pub tlb: Tlb,
    pub options: Options,
    pub stats: Stats,
    /// Sites that some path has passed.
    pub covered: Vec<bool>,
    pub covered_outcomes: HashSet<(BranchId, u32)>,
    /// Sites covered since the engine last asked.
    pub new_sites: Vec<SiteId>,
    /// States that the running instruction forked off.
    pub spawned: Vec<Box<State>>,
    /// States that ended beside the running one (the failing side of a check).
    pub ended: Vec<(Box<State>, Termination)>,
    pub parked: Vec<Parked>,
    pub(crate) overheard: Overheard,
    /// What a run under `Policy::Record` decided, in order.
    pub(crate) recorded: Vec<dse::Decision>,
    pub(crate) conditions: dse::Conditions,
    /// The state before its first decision, kept when wanted.
    pub(crate) checkpoint: Option<Box<State>>,
    pub(crate) wants_checkpoint: bool,
    /// For the distances of recorded decisions.
    pub(crate) distances: Option<search::Distances>,
    reported: HashSet<(ErrorKind, Pc)>,
    pub(crate) builtins: Vec<Option<Builtin>>,
    pub(crate) soft_floats: SoftFloats,
    /// Symbols of named objects, so that equal inputs of sibling states are the same symbols.
    pub(crate) symbols: HashMap<(String, usize), Vec<Symbol>>,
    /// Where a signal handler returns to.
    pub(crate) signal_return: Pc,
}

impl Machine {
    /// A machine for a verified module.
    pub fn new(mut module: Module, solver: Solver, options: Options) -> Machine {
        let signal_return = builtins::signal::install(&mut module);
        let builtins = module
            .externs
            .iter()
            .map(|name| builtins::find(name))
            .collect();
        Machine {
            covered: vec![false; module.sites.len()],
            covered_outcomes: HashSet::new(),
            new_sites: Vec::new(),
            soft_floats: SoftFloats::of(&module),
            module: Rc::new(module),
            pool: Pool::new(),
            solver,
            evaluator: Evaluator::default(),
            tlb: Tlb::default(),
            options,
            stats: Stats::default(),
            spawned: Vec::new(),
            ended: Vec::new(),
            parked: Vec::new(),
            overheard: Overheard::default(),
            recorded: Vec::new(),
            conditions: dse::Conditions::default(),
            checkpoint: None,
            wants_checkpoint: false,
            distances: None,
            reported: HashSet::new(),
            builtins,
            symbols: HashMap::new(),
            signal_return,
        }
    }

    /// Whether an error of this kind at this place is new; notes it.
    pub fn first_report(&mut self, kind: ErrorKind, pc: Pc) -> bool {
        self.reported.insert((kind, pc)) || !self.options.dedupe_errors
    }

    pub(crate) fn was_reported(&self, kind: ErrorKind, pc: Pc) -> bool {
        self.options.dedupe_errors && self.reported.contains(&(kind, pc))
    }

    /// A message for the user, once.
    pub fn warn_once(&mut self, message: String) {
        if !self.stats.warnings.contains(&message) {
            self.stats.warnings.push(message);
        }
    }
}
