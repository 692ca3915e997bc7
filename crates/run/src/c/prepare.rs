//! Prepares the first step of a run, or of one of its workers: the machine, the first states, the searcher.

use crate::exit::UsageError;
use crate::frontend::{Around, Loaded};
use crate::plan::{FpSolver, Mode, Plan};
use anyhow::{Error, anyhow};
use dse::PartialOptions;
use exec::{
    Concolic, Engine, FirstEnd, Machine, MachineOptions, Policy, PruningPlan, RunLimits, State,
    Subject,
};
use explore::Exploration;
use host::shelf::Shelf;
use solver::{Budget, Solver, SolverOptions};
use std::path::PathBuf;
use vocab::Check;

/// A program that is ready to run.
pub struct Ready {
    pub machine: Machine,
    // The engine keeps its states in boxes.
    #[allow(clippy::vec_box)]
    pub first: Vec<Box<State>>,
    pub starts: Vec<linux::Start>,
    pub config: linux::WorldConfig,
    /// The name of its front end, and the hash of its IR.
    pub frontend: &'static str,
    pub hash: String,
    pub native: Option<PathBuf>,
    pub bitcode: Option<PathBuf>,
}

/// Makes the states in which the plan's program begins.
///
/// # Errors
/// Why it cannot be run.
pub fn ready(
    plan: &Plan,
    program: Loaded,
    solver: Solver,
    stop: host::Stop,
) -> anyhow::Result<Ready> {
    let Loaded {
        frontend,
        module,
        hash,
        around: Around {
            environment,
            symbolic,
        },
        native,
        bitcode,
    } = program;
    let c = plan.c().map_err(Error::msg)?;
    if symbolic && c.save_fs.is_some() {
        return Err(UsageError("--save-fs: only for a run without symbolic input".into()).into());
    }
    let options = MachineOptions {
        policy: match plan.search.mode {
            Mode::Fork => Policy::Fork,
            Mode::Concolic => Policy::Record,
        },
        budget: Budget {
            stop,
            ..Budget::seconds(plan.solver.seconds)
        },
        max_depth: plan.limits.max_depth,
        max_forks: plan.limits.max_forks,
        first_look: plan.limits.first_look,
        simulate_floats: plan.solver.floats == FpSolver::Isc,
        checks: c.program.checks,
        silent_assume: c.silent_assume,
        max_retries: plan.limits.max_retries,
        check_prefixes: std::env::var_os("POLYPATH_CHECK_PREFIXES").is_some(),
        ..MachineOptions::default()
    };
    let config = c.program.world();
    let starts = c.program.input.starts(&config);
    let mut machine = Machine::new(module, environment, solver, options);
    let checks = memory::Checks {
        uninitialized: c.program.checks.has(Check::Uninit),
        ..memory::Checks::default()
    };
    let first = machine.first_states(checks).map_err(|e| anyhow!("{e}"))?;
    Ok(Ready {
        machine,
        first,
        starts,
        config,
        frontend,
        hash,
        native,
        bitcode,
    })
}

/// Whose solver it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// Of the only worker.
    Alone,
    /// Of one of several workers.
    Worker,
    /// Of the coordinator, which explores nothing.
    Coordinator,
}

/// The solver that the options describe.
///
/// # Errors
/// They name layers that do not exist.
pub fn solver(plan: &Plan, whose: Whose) -> Result<Solver, UsageError> {
    let log = plan.solver.log.clone();
    if let (Whose::Coordinator, Some(dir)) = (whose, &log) {
        let failed = |e| UsageError(format!("--log-queries {}: {e}", dir.display()));
        std::fs::create_dir_all(dir).map_err(failed)?;
    }
    // The simulation leaves no conditions on floats but those of checks.
    let checks_floats = plan.c().is_ok_and(|c| c.program.checks.have_floats());
    let floats = match plan.solver.floats {
        FpSolver::Isc if checks_floats => FpSolver::Auto,
        other => other,
    };
    let mut solver = Solver::new(SolverOptions {
        floats: floats.method(),
        ..plan.solver_options()?
    });
    if let Some(dir) = log.filter(|_| whose != Whose::Coordinator) {
        let logged = solver.log_to(&dir, whose == Whose::Worker);
        logged.map_err(|e| UsageError(format!("--log-queries: {e}")))?;
    }
    Ok(solver)
}

/// The searcher that the options name, with this seed.
///
/// # Errors
/// There is none of this name.
pub fn searcher(plan: &Plan, seed: u64) -> anyhow::Result<Box<dyn search::Searcher>> {
    let options = search::SearchOptions {
        seed,
        batch_instructions: plan.search.batch_instructions,
    };
    search::parse(plan.search_name(), &options)
        .map_err(|e| UsageError(format!("--search: {e}")).into())
}

/// The resources of an exploration apart from its program.
pub struct Aside {
    /// The shelf for prefixes that do not fit in memory.
    pub disk: Option<Shelf>,
    /// Sees the first path that ends.
    pub at_first_end: Option<FirstEnd>,
}

impl Aside {
    /// The exploration of an engine that has this.
    pub fn of_engine(self, mut engine: Engine) -> Box<dyn Exploration> {
        engine.worker.at_first_end = self.at_first_end;
        if let Some(disk) = &self.disk {
            engine.spill_to(disk);
        }
        Box::new(engine)
    }

    /// The same in concolic mode.
    pub fn of_concolic(self, mut concolic: Concolic) -> Box<dyn Exploration> {
        concolic.program.worker.at_first_end = self.at_first_end;
        if let Some(disk) = &self.disk {
            concolic.program.spill_to(disk);
        }
        Box::new(concolic)
    }
}

/// The choice of what one of several workers explores next.
pub enum Search {
    Fork(Box<dyn search::Searcher>, Option<PruningPlan>),
    Concolic(Box<dyn search::Strategy>, PartialOptions),
}

impl Search {
    /// With this seed.
    ///
    /// # Errors
    /// The options have unknown names.
    pub fn new(plan: &Plan, seed: u64) -> anyhow::Result<Search> {
        Ok(match plan.search.mode {
            Mode::Fork => Search::Fork(searcher(plan, seed)?, plan.pruning(seed)?),
            Mode::Concolic => Search::Concolic(plan.strategy(seed)?, plan.partial_options()?),
        })
    }

    /// An exploration that begins with nothing but the prefixes that other workers give.
    #[allow(clippy::vec_box)]
    pub fn shared(
        self,
        machine: Machine,
        first: Vec<Box<State>>,
        limits: RunLimits,
        aside: Aside,
    ) -> Box<dyn Exploration> {
        match self {
            Search::Fork(searcher, pruning) => {
                let engine = Engine::shared(machine, searcher, first, limits);
                aside.of_engine(engine.pruned_by(pruning))
            }
            Search::Concolic(strategy, partial) => {
                let subject = Subject::new(machine, first, limits);
                let options = subject.explorer_options(partial);
                aside.of_concolic(Concolic::new(subject, strategy, options).shared())
            }
        }
    }
}
