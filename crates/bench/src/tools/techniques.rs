//! The ablation: the yield of each technique's partial solutions, from the statistics of runs.

use crate::tools::report::number;
use std::collections::BTreeMap;
use testcase::RunStats;

/// A line for each technique: partial solutions kept, distinct paths that they opened, places that they covered first;
/// then what the walks through the tree of paths spared.
pub fn ablation<'a>(runs: impl Iterator<Item = &'a RunStats>) -> Vec<String> {
    let mut sums: BTreeMap<String, f64> = BTreeMap::new();
    for (name, value) in runs.flat_map(|s| &s.more) {
        if let (Some(name), Some(value)) = (name.strip_prefix("multiplex_"), value.as_f64()) {
            *sums.entry(name.to_string()).or_default() += value;
        }
    }
    let sum = |name: &str| sums.get(name).copied().unwrap_or(0.0);
    let techniques = sums.keys().filter_map(|n| n.strip_prefix("by_"));
    let mut lines: Vec<String> = techniques
        .map(|technique| {
            let of = |what: &str| number(sum(&format!("{what}by_{technique}")));
            format!(
                "partial solutions by {technique}: {} kept, {} paths opened, {} places covered first",
                of(""),
                of("paths_"),
                of("covered_")
            )
        })
        .collect();
    if sum("tried") > 0.0 {
        lines.push(format!(
            "of {} assignments tried, {} were left out by a light execution, {} ran, {} queries were saved",
            number(sum("tried")),
            number(sum("tried") - sum("runs") - sum("over_budget")),
            number(sum("runs")),
            number(sum("queries_saved"))
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_added_up() {
        let run = |tried: u64, kept: u64| {
            let mut stats = RunStats::default();
            for (name, value) in [
                ("tried", tried),
                ("runs", kept),
                ("by_sat", kept),
                ("paths_by_sat", kept),
            ] {
                stats.more.insert(format!("multiplex_{name}"), value.into());
            }
            stats
        };
        assert_eq!(
            ablation([run(10, 2), run(20, 3), RunStats::default()].iter()),
            [
                "partial solutions by sat: 5 kept, 5 paths opened, 0 places covered first",
                "of 30 assignments tried, 25 were left out by a light execution, 5 ran, 0 queries were saved"
            ]
        );
        assert!(ablation([].iter()).is_empty());
    }
}
