//! Counters of an exploration.

use crate::partial::LeftOut;
use solver::Technique;
use std::collections::BTreeMap;

/// The yield of the partial solutions of one technique.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Yield {
    /// Kept, since they open a branch.
    pub kept: u64,
    /// Runs.
    pub runs: u64,
    /// Distinct paths that they opened.
    pub paths: u64,
    /// Places that they covered first.
    pub covered: u64,
}

/// Counts of events.
#[derive(Clone, Debug, Default)]
pub struct ExplorerStats {
    /// Runs of the target.
    pub runs: u64,
    /// Distinct paths.
    pub paths: u64,
    /// Queries for an open branch.
    pub queries: u64,
    /// Queries answered with an input.
    pub sat: u64,
    /// Queries whose branch cannot be taken.
    pub unsat: u64,
    /// Queries that the solver did not decide.
    pub unknown: u64,
    /// Branches whose query was not decided and that are not decided yet, by reason.
    pub parked: BTreeMap<&'static str, u64>,
    /// Inputs whose run did not take the branch they were made for.
    pub divergences: u64,
    /// Runs that were cut since they took more steps than any is given.
    pub cut: u64,
    /// Parts of other workers' frontiers that were taken in.
    pub adopted: u64,
    /// Addresses that may reach more objects than were followed.
    pub limited: u64,
    /// Open branches given up because memory ran short.
    pub dropped: u64,
    /// Assignments that the solver showed.
    pub partial_tried: u64,
    /// Those kept: a light execution (a walk through the tree of paths) shows that they open a branch.
    pub partial_kept: u64,
    /// The yield of each technique's partial solutions.
    pub partial_by: BTreeMap<&'static str, Yield>,
    /// Those left out by a second light execution: their path was known when their turn came.
    pub partial_known: u64,
    /// Those left out by a limit.
    pub partial_left_out: LeftOut,
    /// Runs of partial solutions.
    pub partial_runs: u64,
    /// Distinct paths that they opened.
    pub partial_paths: u64,
    /// Places that they covered first.
    pub partial_covered: u64,
    /// Branches that a partial solution opened, so that no query was needed.
    pub queries_saved: u64,
}

impl ExplorerStats {
    pub(crate) fn kept(&mut self, by: Technique) {
        self.partial_kept += 1;
        self.by(by).kept += 1;
    }

    /// A run of a partial solution ended.
    pub(crate) fn ran(&mut self, by: Technique, new_path: bool, covered: u64) {
        self.partial_runs += 1;
        self.partial_paths += u64::from(new_path);
        self.partial_covered += covered;
        let by = self.by(by);
        by.runs += 1;
        by.paths += u64::from(new_path);
        by.covered += covered;
    }

    fn by(&mut self, technique: Technique) -> &mut Yield {
        self.partial_by.entry(technique.name()).or_default()
    }

    /// Name and value of each count, for reports.
    pub fn rows(&self) -> Vec<(String, u64)> {
        let fixed = [
            ("dse_runs", self.runs),
            ("dse_paths", self.paths),
            ("dse_queries", self.queries),
            ("dse_sat", self.sat),
            ("dse_unsat", self.unsat),
            ("dse_unknown", self.unknown),
            ("divergences", self.divergences),
            ("dse_dropped_branches", self.dropped),
            ("dse_cut_runs", self.cut),
            ("partial_solutions", self.partial_kept),
            ("multiplex_tried", self.partial_tried),
            ("multiplex_known", self.partial_known),
            ("multiplex_over_budget", self.partial_left_out.sum()),
            ("multiplex_over_tried", self.partial_left_out.tried),
            ("multiplex_over_kept", self.partial_left_out.kept),
            ("multiplex_over_waiting", self.partial_left_out.waiting),
            ("multiplex_over_memory", self.partial_left_out.memory),
            ("multiplex_runs", self.partial_runs),
            ("multiplex_paths", self.partial_paths),
            ("multiplex_covered", self.partial_covered),
            ("multiplex_queries_saved", self.queries_saved),
        ];
        let by = self.partial_by.iter().flat_map(|(name, y)| {
            [
                (format!("multiplex_by_{name}"), y.kept),
                (format!("multiplex_runs_by_{name}"), y.runs),
                (format!("multiplex_paths_by_{name}"), y.paths),
                (format!("multiplex_covered_by_{name}"), y.covered),
            ]
        });
        let fixed = fixed.into_iter().map(|(name, n)| (name.to_string(), n));
        fixed.chain(by).collect()
    }
}
