//! What a run came to, as plain values: they can be sent, and those of several workers added up.

use crate::counters::Counters;
use crate::endings::{Loss, Tally};
use crate::machine::{Machine, MachineStats};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The numbers of a run, or of a worker's part of it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Totals {
    /// What the schedule counted.
    pub counters: Counters,
    /// What the machine counted.
    pub machine: MachineStats,
    /// What was left out without ending a path.
    pub losses: Tally<Loss>,
    /// Queries to the solver.
    pub queries: u64,
    /// Time spent in the solver, in seconds.
    pub solver_time_s: f64,
    /// The solver's other counters with their names, which are the same for all workers.
    pub solver: Vec<(Cow<'static, str>, f64)>,
    /// Terms in the pool.
    pub terms: u64,
}

impl Totals {
    /// The numbers as they are now.
    pub fn of(m: &Machine, n: &Counters) -> Totals {
        let mut losses = Tally::default();
        for &loss in Loss::ALL {
            losses.add(loss, m.lost(loss, n));
        }
        let stats = m.solver.stats();
        let rows = stats.rows().into_iter();
        Totals {
            counters: n.clone(),
            machine: m.stats.clone(),
            losses,
            queries: stats.queries,
            solver_time_s: m.solver.solver_time_s(),
            solver: rows.map(|row| (row.name.into(), row.value)).collect(),
            terms: m.pool.len() as u64,
        }
    }

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
    }
}

/// Adds up what has the same name.
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
