//! The totals of a run, as plain values: they can be sent, and those of several workers are added up.

use crate::counters::Counters;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use vocab::{Bound, Loss, Lost, Tally};

/// The counters of the machine; the schedule has its own [`Counters`].
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct MachineStats {
    /// States that were forked.
    pub forks: u64,
    /// Branches on symbolic values.
    pub branches_symbolic: u64,
    /// Those whose other side a neighbour of the witness took, without a query.
    pub neighbours: u64,
    /// Losses that ended no path.
    pub losses: Tally<Loss>,
    /// Paths that went on from their first float operation with simulation.
    pub float_restarts: u64,
    /// Queries whether an operation can raise a floating-point exception.
    pub float_check_queries: u64,
    /// Float operations that were simulated over integers.
    pub soft_float_calls: u64,
    /// Symbolic branches inside of the simulation, also counted in `branches_symbolic`.
    pub soft_float_branches: u64,
    /// Forks inside of the simulation, also counted in `forks`.
    pub soft_float_forks: u64,
    /// Names of the constructs that ended a path, with the number of paths.
    pub unsupported: BTreeMap<String, u64>,
    /// Names of the calls that were refused where a real system would do them, with the number of refusals.
    pub refused: BTreeMap<String, u64>,
    /// Limits of the claim that everything was explored, each with its subjects and how often they were met.
    pub bounds: BTreeMap<Bound, BTreeMap<String, u64>>,
    /// Symbolic objects that were made.
    pub symbolic_objects: u64,
    /// Distinct warnings, the first of them.
    pub warnings: Vec<String>,
}

/// The numbers of a run, or of a worker's part of it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Totals {
    /// The counters of the schedule.
    pub counters: Counters,
    /// The counters of the machine.
    pub machine: MachineStats,
    /// Losses that ended no path.
    pub losses: Tally<Loss>,
    /// Queries to the solver.
    pub queries: u64,
    /// Processor time spent in the solver, in seconds.
    pub solver_time_s: f64,
    /// The solver's other counters with their names, which are the same for all workers.
    pub solver: Vec<(Cow<'static, str>, f64)>,
    /// Terms in the pool.
    pub terms: u64,
    /// Losses at places of the program.
    pub lost_at: BTreeMap<(Lost, String), u64>,
    /// Terms that differ from what the program computed, in words: a fault of ours.
    pub wrong: Vec<String>,
    /// Processes that run the program.
    pub children: Children,
}

/// Seconds of processor time of the processes that run the program for a worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Children {
    /// Time of running children; that of earlier ones is part of the worker's children's time.
    pub running_s: f64,
    /// Time that the worker's parent will not see: processes behind a fence are killed with the process that started
    /// them.
    pub unheard_s: f64,
}

/// Faults that are kept in words.
pub const WRONG: usize = 20;

impl Totals {
    /// Adds the numbers of another worker.
    pub fn add(&mut self, other: &Totals) {
        self.counters.add(&other.counters);
        self.machine.add(&other.machine);
        self.losses.add_all(&other.losses);
        self.queries += other.queries;
        self.solver_time_s += other.solver_time_s;
        if self.solver.is_empty() {
            self.solver.clone_from(&other.solver);
        } else {
            let both = self.solver.iter_mut().zip(&other.solver);
            both.for_each(|((_, sum), (_, n))| *sum += n);
        }
        self.terms += other.terms;
        add_each(&mut self.lost_at, &other.lost_at);
        let room = WRONG.saturating_sub(self.wrong.len());
        self.wrong.extend(other.wrong.iter().take(room).cloned());
        self.children.running_s += other.children.running_s;
        self.children.unheard_s += other.children.unheard_s;
    }
}

/// Adds up values of the same name.
pub(crate) fn add_each<Name: Ord + Clone, Number: Copy + Default + std::ops::AddAssign>(
    sums: &mut BTreeMap<Name, Number>,
    more: &BTreeMap<Name, Number>,
) {
    for (name, &n) in more {
        *sums.entry(name.clone()).or_default() += n;
    }
}

impl Counters {
    /// Adds what another worker counted. The most states and the most memory at once are sums, too: an upper bound.
    fn add(&mut self, other: &Counters) {
        let both = (self.completed, other.completed);
        self.exit_status = match both {
            (_, 0) => self.exit_status,
            (0, _) => other.exit_status,
            _ => None,
        };
        self.completed += other.completed;
        self.partial += other.partial;
        self.explored += other.explored;
        self.live += other.live;
        self.live_max += other.live_max;
        self.parked += other.parked;
        self.rescued += other.rescued;
        self.instructions += other.instructions;
        self.followed_instructions += other.followed_instructions;
        self.memory_bytes += other.memory_bytes;
        self.memory_max += other.memory_max;
        self.shortages += other.shortages;
        self.late += other.late;
        self.collections += other.collections;
        self.endings.add_all(&other.endings);
        add_each(&mut self.errors, &other.errors);
        add_each(&mut self.parked_by, &other.parked_by);
        add_each(&mut self.schedule, &other.schedule);
        self.unsaved += other.unsaved;
        self.spilled += other.spilled;
        self.taken_up += other.taken_up;
        self.adopted += other.adopted;
        self.given += other.given;
        self.resumed += other.resumed;
        self.followed += other.followed;
        self.live_runs += other.live_runs;
        self.live_cut += other.live_cut;
        self.live_tests += other.live_tests;
        self.live_left += other.live_left;
        if let Some(pruning) = &other.pruning {
            self.pruning.get_or_insert_default().add(pruning);
        }
    }
}

impl MachineStats {
    fn add(&mut self, other: &MachineStats) {
        self.forks += other.forks;
        self.branches_symbolic += other.branches_symbolic;
        self.losses.add_all(&other.losses);
        self.float_restarts += other.float_restarts;
        self.float_check_queries += other.float_check_queries;
        self.soft_float_calls += other.soft_float_calls;
        self.soft_float_branches += other.soft_float_branches;
        self.soft_float_forks += other.soft_float_forks;
        self.neighbours += other.neighbours;
        add_each(&mut self.unsupported, &other.unsupported);
        add_each(&mut self.refused, &other.refused);
        for (bound, names) in &other.bounds {
            add_each(self.bounds.entry(*bound).or_default(), names);
        }
        self.symbolic_objects += other.symbolic_objects;
        for warning in &other.warnings {
            if !self.warnings.contains(warning) {
                self.warnings.push(warning.clone());
            }
        }
    }
}
