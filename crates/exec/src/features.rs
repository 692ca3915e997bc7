//! The features of states, for searchers: see the table in `search::feature`.

use crate::prefix::Prefix;
use crate::state::{PathProgress, State};
use ir::{Module, Pc, SiteId};
use search::{Distances, Feature, Metrics, Needs};
use std::collections::BTreeMap;

/// Knows what the features of a state take that the state itself does not say.
pub(crate) struct Features {
    distances: Option<Distances>,
    /// Instructions that all states executed, by where their turns ended; if they are counted.
    pc_counts: Option<BTreeMap<Pc, u64>>,
}

impl Features {
    /// For a searcher with these needs.
    pub fn new(needs: Needs, module: &Module) -> Features {
        let near = needs.has(Feature::Distance) || needs.has(Feature::Nearest);
        let counts = needs.has(Feature::PcCount) || needs.has(Feature::CallPath);
        Features {
            distances: near.then(|| Distances::new(module)),
            pc_counts: counts.then(BTreeMap::new),
        }
    }

    /// A site was covered for the first time.
    pub fn covered(&mut self, site: SiteId) {
        if let Some(d) = &mut self.distances {
            d.mark_covered(site);
        }
    }

    /// A state ran for so many instructions, up to `pc`.
    pub fn ran(&mut self, pc: Pc, instructions: u64) {
        if let Some(counts) = &mut self.pc_counts {
            *counts.entry(pc).or_default() += instructions;
        }
    }

    /// The features of a state as they are now.
    pub fn of(&mut self, s: &State) -> Metrics {
        let callers = s.frames().iter().rev().map(|f| f.return_pc);
        self.at(
            &s.progress,
            (s.hot.pc, s.hot.site),
            s.recent_branches,
            callers,
        )
    }

    /// The features of a state that a prefix leads to.
    pub fn of_prefix(&mut self, p: &Prefix) -> Metrics {
        let callers = p.callers.iter().rev().copied();
        self.at(&p.progress, (p.pc, p.site), p.recent_branches, callers)
    }

    fn at(
        &mut self,
        p: &PathProgress,
        (pc, site): (Pc, SiteId),
        recent_branches: u64,
        callers: impl Iterator<Item = Pc> + Clone,
    ) -> Metrics {
        let mut m = Metrics {
            depth: p.depth,
            instructions: p.instructions,
            since_new_coverage: match p.last_new {
                0 => u64::MAX,
                last => p.instructions - last,
            },
            covered_new: p.covered_new,
            site,
            recent_branches,
            query_cost_s: p.query_cost_s,
            ..Metrics::default()
        };
        if let Some(counts) = self.pc_counts.as_ref().filter(|c| !c.is_empty()) {
            m.pc_instructions = counts.get(&pc).copied().unwrap_or(0);
            m.call_path_instructions = callers.clone().filter_map(|pc| counts.get(&pc)).sum();
        }
        if let Some(d) = &mut self.distances {
            let near = d.of(pc, callers);
            m.min_distance_to_uncovered = near.distance;
            m.nearest_uncovered = near.site;
        }
        m
    }
}
