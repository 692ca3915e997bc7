//! What explorers have done, in numbers that can be added up over processes.

use dse::{Counted, ExplorerStats};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// See the module.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Explored {
    /// Branches whose query was not decided, by reason.
    pub parked: BTreeMap<String, u64>,
    /// Addresses that may reach more objects than were followed.
    pub limited: u64,
    /// Inputs whose run did not take the branch they were made for.
    pub divergences: u64,
    /// Open branches given up because memory ran short.
    pub dropped: u64,
    /// Runs that were cut and get no more steps.
    pub cut: u64,
    /// Partial solutions that were kept.
    pub partial_solutions: u64,
    /// Name and value of each count, for `stats.json`.
    pub rows: BTreeMap<String, u64>,
    /// Branches that nobody has asked for, inputs that nobody has run, and runs that were cut and wait for more steps.
    pub open: u64,
}

impl Explored {
    /// What one explorer has done; `open` is what it has left.
    pub fn of(stats: &ExplorerStats, open: usize) -> Explored {
        let rows = stats.rows().into_iter();
        Explored {
            parked: stats
                .parked
                .iter()
                .map(|(&why, &n)| (why.into(), n))
                .collect(),
            limited: stats.limited,
            divergences: stats.divergences,
            dropped: stats.dropped,
            cut: stats.cut,
            partial_solutions: stats.partial_kept,
            // That one has a place of its own.
            rows: rows
                .filter(|(name, _)| name != "partial_solutions")
                .collect(),
            open: open as u64,
        }
    }

    /// Adds what another explorer has done.
    pub fn add(&mut self, other: &Explored) {
        for (of, to) in [
            (&other.parked, &mut self.parked),
            (&other.rows, &mut self.rows),
        ] {
            for (name, n) in of {
                *to.entry(name.clone()).or_default() += n;
            }
        }
        self.limited += other.limited;
        self.divergences += other.divergences;
        self.dropped += other.dropped;
        self.cut += other.cut;
        self.partial_solutions += other.partial_solutions;
        self.open += other.open;
    }

    /// What stays true when others go on with what is left, of which so much is `counted` here.
    pub fn settled(mut self, counted: &Counted) -> Explored {
        for (why, &sides) in &counted.parked {
            if let Some(of) = self.parked.get_mut(why) {
                *of = of.saturating_sub(sides);
            }
        }
        self.open = 0;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_go_on_with_is_counted_once() {
        let mut stats = ExplorerStats {
            runs: 7,
            cut: 1,
            ..ExplorerStats::default()
        };
        stats.parked.insert("timeout", 3);
        let one = Explored::of(&stats, 5);
        let counted = Counted {
            parked: BTreeMap::from([("timeout".to_string(), 2)]),
            ..Counted::default()
        };
        let mut all = one.clone().settled(&counted);
        assert_eq!((all.open, all.parked["timeout"]), (0, 1));
        all.add(&one);
        assert_eq!((all.open, all.cut, all.parked["timeout"]), (5, 2, 4));
        assert_eq!(all.rows["dse_runs"], 14);
    }
}
