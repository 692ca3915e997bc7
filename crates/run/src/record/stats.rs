//! `stats.json`.

use super::Recorder;
use crate::pruning;
use crate::usage::peak_memory_mb;
use explore::{Counters, Ending, Loss, MachineStats, Totals};
use std::collections::BTreeMap;
use testcase::RunStats;

/// Messages that nobody has read.
const UNREAD: &str = "messages_unread";

/// Writes the statistics once more if messages were not read since: those about the end.
pub(crate) fn tell_unread(mut stats: RunStats, out: &testcase::OutputDir) {
    say::settle();
    let counted = stats.more.get(UNREAD).and_then(|n| n.as_u64());
    let unread = say::unread();
    if unread > counted.unwrap_or(0) {
        stats.more.insert(UNREAD.into(), unread.into());
        out.write_stats(&stats);
        out.finish();
    }
}

impl Recorder {
    /// The statistics as they are now, with the coverage of the last look.
    pub(super) fn stats(&self, totals: &Totals, halted: Option<String>) -> RunStats {
        let covered = &self.covered;
        let (n, m) = (&totals.counters, &totals.machine);
        let mut more: BTreeMap<String, serde_json::Value> = BTreeMap::new();
        for (name, value) in &totals.solver {
            more.insert(format!("solver_{name}"), (*value).into());
        }
        for &loss in Loss::ALL {
            more.insert(loss.name().into(), totals.losses.of(loss).into());
        }
        if m.soft_float_calls > 0 {
            for (name, value) in [
                ("soft_float_calls", m.soft_float_calls),
                ("soft_float_branches", m.soft_float_branches),
                ("soft_float_forks", m.soft_float_forks),
                ("float_restarts", m.float_restarts),
            ] {
                more.insert(name.into(), value.into());
            }
        }
        if m.float_check_queries > 0 {
            let queries = m.float_check_queries;
            more.insert("float_check_queries".into(), queries.into());
        }
        more.insert("parked_rescued".into(), n.rescued.into());
        if m.neighbours > 0 {
            more.insert("neighbours".into(), m.neighbours.into());
        }
        more.insert("states_spilled".into(), n.spilled.into());
        more.insert("states_taken_up".into(), n.taken_up.into());
        if !self.beside.workers.is_empty() {
            more.insert("states_given".into(), n.given.into());
            more.insert("states_adopted".into(), n.adopted.into());
            more.insert("workers".into(), self.beside.workers.clone().into());
        }
        if self.beside.install_s >= 1.0 {
            more.insert("install_s".into(), self.beside.install_s.into());
        }
        let ahead = self.ahead();
        if ahead > 0 {
            more.insert("paths_ahead".into(), ahead.into());
        }
        let unread = say::unread();
        if unread > 0 {
            more.insert(UNREAD.into(), unread.into());
        }
        if let Some(scout) = &self.beside.scout {
            more.insert("scout".into(), scout.clone());
        }
        if let Some(fuzzers) = &self.beside.fuzzers {
            let stats = fuzzers.figures().stats().into_iter();
            more.extend(stats.map(|(name, count)| (name.to_string(), count.into())));
        }
        if let Some(is_repeatable) = self.beside.repeatable {
            more.insert("repeatable".into(), is_repeatable.into());
        }
        more.extend(super::live::stats(n));
        if n.followed > 0 {
            more.insert("prefixes_followed".into(), n.followed.into());
        }
        if let Some(p) = &n.pruning {
            more.insert("homi".into(), pruning::stats(p));
            more.insert("states_resumed".into(), n.resumed.into());
        }
        let for_memory = [Ending::Memory, Ending::Disk, Ending::RandomDrop];
        let killed: u64 = for_memory.iter().map(|&e| n.endings.of(e)).sum();
        more.insert("memory_killed".into(), killed.into());
        more.insert(
            "internal_errors".into(),
            n.endings.of(Ending::Internal).into(),
        );
        more.insert("collections".into(), n.collections.into());
        more.insert("terms".into(), totals.terms.into());
        self.cases.given.count(totals, &mut more);
        let schedule = n.schedule.iter().filter(|(name, _)| *name != PARTIAL);
        more.extend(schedule.map(|(name, &count)| (name.clone(), count.into())));
        RunStats {
            completed_paths: self.completed(n),
            partial_paths: n.partial,
            instructions: n.instructions,
            forks: m.forks,
            queries: totals.queries,
            solver_time_s: totals.solver_time_s,
            covered_branches: covered.branches.0,
            total_branches: covered.branches.1,
            covered_lines: covered.lines.0,
            total_lines: covered.lines.1,
            covered_instructions: covered.instructions.0,
            total_instructions: covered.instructions.1,
            exit_status: if n.completed == 1 {
                n.exit_status
            } else {
                None
            },
            halted,
            bounds: self.bounds(m),
            wall_s: self.progress.elapsed().as_secs_f64(),
            cpu_s: self.cpu_s(),
            memory_max_mb: peak_memory_mb().max(self.beside.memory_max_mb),
            states_max: n.live_max as u64,
            parked: n
                .parked_by
                .iter()
                .map(|(k, v)| (k.to_string(), *v))
                .collect(),
            endings: endings(n),
            unsupported: m.unsupported.clone(),
            refused: m.refused.clone(),
            more,
            partial_solutions: n.schedule.get(PARTIAL).copied().unwrap_or(0),
            ..RunStats::default()
        }
    }
}

impl Recorder {
    /// The limits of the claim.
    fn bounds(&self, m: &MachineStats) -> BTreeMap<String, String> {
        let mut limits = self.limits.clone();
        limits.extend(self.cases.given.limits(&m.bounds));
        let has_input = m.symbolic_objects > 0;
        crate::claim::named(explore::bounds(&m.bounds, has_input, &limits))
    }
}

/// Counters of concolic mode that have a field of their own.
const PARTIAL: &str = "partial_solutions";

/// Paths by how they ended; errors by their kind.
fn endings(n: &Counters) -> BTreeMap<String, u64> {
    let errors = n.errors.iter().map(|(kind, &paths)| (kind.id(), paths));
    let others = Ending::ALL
        .iter()
        .filter(|e| !matches!(e, Ending::Error | Ending::Unsupported))
        .map(|&e| (e.name(), n.endings.of(e)));
    errors
        .chain(others)
        .filter(|&(_, paths)| paths > 0)
        .map(|(name, paths)| (name.to_string(), paths))
        .collect()
}
