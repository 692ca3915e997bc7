//! The machine: everything that is not part of one path.

use crate::environment::{Environment, Links};
use crate::errors::Termination;
use crate::floats::Floats;
use crate::objects::Naming;
use crate::observe::Observers;
use crate::policy::{Decider, Policy};
use crate::state::{EnvState, Frame, State};
use crate::turn::Turn;
use explore::MachineStats;
use ir::{FuncId, Landing, Reg, Verified};
use memory::{Memory, Tlb, Value};
use solver::{Budget, Reasoner, Solver};
use std::rc::Rc;
use vocab::Checks;

/// How the machine behaves; plain values.
#[derive(Clone, Debug)]
pub struct MachineOptions {
    /// What happens to the other side of a branch.
    pub policy: Policy,
    /// The budget of a query.
    pub budget: Budget,
    /// [`Budget::effort`] of a branch's other side at the first attempt; what takes more is parked and
    /// tried again with more when nothing else is left to run.
    pub first_effort: u64,
    /// Forks on one path at most (`--max-depth`), 0 = unlimited.
    pub max_depth: u32,
    /// Forks in the whole run at most (`--max-forks`), 0 = unlimited.
    pub max_forks: u64,
    /// The run ends when a path is beyond the first bounds of a driver (`--first-look`).
    pub first_look: bool,
    /// The checks that are on.
    pub checks: Checks,
    /// Simulate operations on symbolic floats from the beginning, and not only where terms were not enough. Either
    /// takes a module with a table of such functions.
    pub simulate_floats: bool,
    /// Say nothing of assumptions that cannot hold.
    pub silent_assume: bool,
    /// Objects that one symbolic address may be resolved to before the others are cut off.
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
    /// Whether the inner loop runs. Without it every instruction takes the slow way, for tests that compare both.
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
            first_look: false,
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
    /// Its links to the environment.
    pub(crate) links: Links,
    /// All terms, and the solver over them.
    pub reason: Reasoner,
    /// Translations of addresses for the state that runs.
    pub tlb: Tlb,
    /// How the machine behaves.
    pub options: MachineOptions,
    /// Counts of events.
    pub stats: MachineStats,
    /// The results of the running turn so far; empty between two turns.
    pub(crate) turn: Turn,
    /// The names of symbolic input.
    pub(crate) names: Naming,
    /// Decides what happens to the sides of branches.
    pub(crate) decider: Decider,
    /// The observers of running paths.
    pub(crate) observers: Observers,
}

impl Machine {
    /// A machine for a program in its environment.
    pub fn new(
        module: Verified,
        environment: Rc<dyn Environment>,
        solver: Solver,
        options: MachineOptions,
    ) -> Machine {
        let (module, links) = Links::of(module, environment);
        Machine {
            decider: Decider::new(options.policy, &module),
            observers: Observers::of(&module),
            module: Rc::new(module),
            links,
            reason: Reasoner::new(solver),
            tlb: Tlb::default(),
            options,
            stats: MachineStats::default(),
            turn: Turn::default(),
            names: Naming::default(),
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
            let environment = self.links.environment.clone();
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

    /// The address to which frames return that call number `index` of [`Environment::landings`].
    pub fn landing(&self, index: usize) -> Landing {
        self.links.landings[index]
    }
}
