//! The machine: everything that is not part of one path.

use crate::assumptions::Assumptions;
use crate::environment::{Builtin, Contract, Environment};
use crate::errors::{ProgramError, Termination};
use crate::float_checks::FloatChecks;
use crate::marks::Marking;
use crate::objects::Names;
use crate::policy::{Decider, Policy};
use crate::simulation::{Floats, Simulation};
use crate::stack::Reported;
use crate::state::{EnvState, Frame, State};
use crate::turn::Turn;
use crate::unwritten::Unwritten;
use explore::{Bound, Commons, Counters, Loss, MachineStats};
use ir::{BranchId, FuncId, Landing, Reg, Verified};
use memory::{Fault, Memory, Tlb, Value};
use solver::{Budget, Reasoner, Solver};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;
use term::Symbol;
use vocab::Checks;

/// Distinct warnings that are kept: a program may make them of its input.
const MAX_WARNINGS: usize = 1000;

/// How the machine behaves; plain values.
#[derive(Clone, Debug)]
pub struct MachineOptions {
    /// What becomes of the other side of a branch.
    pub policy: Policy,
    /// What a query may spend.
    pub budget: Budget,
    /// [`Budget::effort`] of a branch's other side at the first attempt; what takes more is parked and
    /// tried again with more when nothing else is left to run.
    pub first_effort: u64,
    /// Forks on one path at most (`--max-depth`), 0 = unlimited.
    pub max_depth: u32,
    /// Forks in the whole run at most (`--max-forks`), 0 = unlimited.
    pub max_forks: u64,
    /// What is looked for.
    pub checks: Checks,
    /// Simulate operations on symbolic floats from the beginning, and not only where terms were not enough. Either
    /// takes a module with a table of such functions.
    pub simulate_floats: bool,
    /// Say nothing of assumptions that cannot hold.
    pub silent_assume: bool,
    /// Objects that one symbolic address may mean before the rest is cut off.
    pub max_resolutions: u32,
    /// Values that a symbolic operand of an engine operation may take before it is made concrete.
    pub max_values: u32,
    /// How often one instruction may re-execute on its forks before the engine calls it a loop.
    pub max_retries: u32,
    /// Report an error once per kind, place and call stack.
    pub dedupe_errors: bool,
    /// For tests of the engine: each path that ends is followed from its start once more ([`Machine::follow`]). Where
    /// that leads elsewhere is an internal error.
    pub check_prefixes: bool,
    /// Run what it can do in the inner loop. Off, every instruction takes the slow way, for tests that compare both.
    pub fast: bool,
}

impl Default for MachineOptions {
    fn default() -> MachineOptions {
        MachineOptions {
            policy: Policy::Fork,
            budget: Budget::default(),
            first_effort: 4_000_000,
            max_depth: 0,
            max_forks: 0,
            checks: Checks::default(),
            simulate_floats: false,
            silent_assume: false,
            max_resolutions: 64,
            max_values: 64,
            max_retries: 100_000,
            dedupe_errors: true,
            check_prefixes: false,
            fast: true,
        }
    }
}

/// The machine. See the crate's documentation.
pub struct Machine {
    /// The program.
    pub module: Rc<Verified>,
    pub(crate) environment: Rc<dyn Environment>,
    /// All terms, and who reasons about them.
    pub reason: Reasoner,
    /// Translations of addresses for the state that runs.
    pub tlb: Tlb,
    /// How the machine behaves.
    pub options: MachineOptions,
    /// What has happened.
    pub stats: MachineStats,
    /// Sites that some path has passed.
    pub covered: Vec<bool>,
    /// Outcomes of branches that some path has taken.
    pub covered_outcomes: HashSet<(BranchId, u32)>,
    /// What the running turn has brought so far; empty between two turns.
    pub(crate) turn: Turn,
    /// Conditions on the running path when the running instruction began.
    pub(crate) path_before: usize,
    /// The last fault that the program has a handler for, and the error that it is without.
    pub(crate) caught: Option<(Fault, ProgramError)>,
    /// What becomes of the sides of branches.
    pub(crate) decider: Decider,
    pub(crate) unwritten: Unwritten,
    /// Types of calls and of what they called that differ and fit all the same.
    pub(crate) fitting_types: HashSet<(u32, u32)>,
    /// For a pruner, if there is one.
    pub(crate) marking: Option<Marking>,
    pub(crate) reported: Reported,
    warned: HashSet<String>,
    pub(crate) assumptions: Assumptions,
    pub(crate) builtins: Vec<Option<Builtin>>,
    /// What each function asks of the calls of the program.
    pub(crate) contracts: Vec<Option<Contract>>,
    pub(crate) simulation: Simulation,
    pub(crate) float_checks: FloatChecks,
    /// Symbols of objects by the number of their name and their size, so that equal inputs of sibling states are the same symbols.
    pub(crate) symbols: HashMap<(usize, usize), Rc<[Symbol]>>,
    pub(crate) names: Names,
    /// Name and size of each object by its first symbol; the others follow it.
    pub(crate) owners: BTreeMap<Symbol, (Rc<str>, usize)>,
    /// What it shares with other workers, if there are any.
    pub commons: Option<Rc<dyn Commons>>,
    landings: Vec<Landing>,
}

impl Machine {
    /// A machine for a program in its environment.
    pub fn new(
        mut module: Verified,
        environment: Rc<dyn Environment>,
        solver: Solver,
        options: MachineOptions,
    ) -> Machine {
        let mut landings = Vec::new();
        for name in environment.landings() {
            let landing;
            (module, landing) = module.with_landing(name);
            landings.push(landing);
        }
        let externs = module.externs.iter();
        let builtins = externs.map(|name| environment.builtin(name)).collect();
        let functions = module.functions.iter();
        let contracts = functions.map(|f| environment.contract(f)).collect();
        Machine {
            covered: vec![false; module.sites.len()],
            covered_outcomes: HashSet::new(),
            simulation: Simulation::of(&module),
            decider: Decider::new(options.policy, &module),
            float_checks: FloatChecks::default(),
            module: Rc::new(module),
            environment,
            reason: Reasoner::new(solver),
            tlb: Tlb::default(),
            options,
            stats: MachineStats::default(),
            turn: Turn::default(),
            path_before: 0,
            caught: None,
            unwritten: Unwritten::default(),
            fitting_types: HashSet::new(),
            marking: None,
            reported: Reported::default(),
            warned: HashSet::new(),
            assumptions: Assumptions::default(),
            builtins,
            contracts,
            symbols: HashMap::new(),
            names: Names::default(),
            owners: BTreeMap::new(),
            commons: None,
            landings,
        }
    }

    /// The states in which the program begins, see [`Environment::first_states`].
    ///
    /// # Errors
    /// Why the program cannot begin; the memory cap may be too small for its input.
    // The engine keeps its states in boxes.
    #[allow(clippy::vec_box)]
    pub fn first_states(&mut self, checks: memory::Checks) -> Result<Vec<Box<State>>, String> {
        let made = room::within_limit(|| {
            let mut memory = Memory::new(checks);
            for g in &self.module.globals {
                let (tlb, init) = (&mut self.tlb, &g.init);
                memory.add_global(tlb, g.address, g.size, init, g.constant, &g.name);
            }
            let environment = self.environment.clone();
            environment.first_states(self, &memory)
        });
        made.unwrap_or_else(|refused| {
            Err(format!(
                "the program's input is too large for --memory: {refused}"
            ))
        })
    }

    /// A path that has not begun: number `start` of the first states, over a copy of this memory.
    pub fn new_state(&mut self, start: u32, memory: &Memory, env: Box<dyn EnvState>) -> State {
        let memory = memory.fork(&mut self.tlb);
        let floats = Floats::new(self.options.simulate_floats);
        State::new(start, memory, env, floats)
    }

    /// Enters the function with which a path begins.
    ///
    /// # Errors
    /// The path ends there: its arguments do not fit.
    pub fn begin(
        &mut self,
        s: &mut State,
        function: FuncId,
        args: &[Value],
    ) -> Result<(), Termination> {
        let mark = s.memory.stack_mark();
        self.enter(s, function, args, Reg(0), Frame::MATCHED, 0, 0, mark)
    }

    /// Where frames return to that shall call number `index` of [`Environment::landings`].
    pub fn landing(&self, index: usize) -> Landing {
        self.landings[index]
    }

    /// Counts something that is left out.
    pub(crate) fn lose(&mut self, what: Loss) {
        self.stats.losses.add(what, 1);
    }

    /// Says what the machine begins to work on, see [`Commons::works_on`].
    pub(crate) fn works_on(&self, lease: u64) {
        if let Some(commons) = &self.commons {
            commons.works_on(lease);
        }
    }

    /// How often something was left out, with what the schedule counts of it.
    pub(crate) fn lost(&self, loss: Loss, n: &Counters) -> u64 {
        match loss {
            Loss::Parked => n.parked,
            Loss::Refused => self.stats.refused.values().sum(),
            Loss::Models => self.reason.solver.stats().models_rejected,
            Loss::Unsaved => n.unsaved,
            Loss::FloatChecks => self.float_checks.undecided(),
            _ => self.stats.losses.of(loss),
        }
    }

    /// Counts a limit of the claim that a path met, by name.
    pub(crate) fn meets(&mut self, bound: Bound, what: String) {
        let names = self.stats.bounds.entry(bound).or_default();
        // Names that the program makes up one after the other are not kept all.
        const MOST: usize = 1000;
        if names.len() < MOST || names.contains_key(&what) {
            *names.entry(what).or_default() += 1;
        }
    }

    /// A message for the user, once.
    pub fn warn_once(&mut self, message: String) {
        if self.warned.len() < MAX_WARNINGS && self.warned.insert(message.clone()) {
            self.stats.warnings.push(message);
            if self.warned.len() == MAX_WARNINGS {
                self.stats
                    .warnings
                    .push("further warnings are left out".into());
            }
        }
    }
}
