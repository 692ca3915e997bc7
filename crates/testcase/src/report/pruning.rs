//! Learned state pruning in the report: its rounds, and the features by their weights.

use super::text::{duration, escape, grouped};
use crate::RunStats;
use serde_json::Value;
use std::fmt::Write;

/// Where the statistics have it.
pub const KEY: &str = "homi";

/// The section, if states were pruned.
pub fn section(out: &mut String, stats: &RunStats) {
    let Some(homi) = stats.more.get(KEY) else {
        return;
    };
    let list = |of: &Value, key: &str| of[key].as_array().cloned().unwrap_or_default();
    let text = |of: &Value, key: &str| escape(of[key].as_str().unwrap_or_default());
    let number = |of: &Value, key: &str| of[key].as_f64().unwrap_or_default();
    out.push_str("<section id=pruning><h2>State pruning</h2><div class=panel><table><tr><th>Round<th>Weights<th>Searcher<th>Share pruned<th>Time<th>States pruned<th>New branches");
    for (i, round) in list(homi, "rounds").iter().enumerate() {
        let _ = write!(
            out,
            "<tr><td>{}<td>{}<td>{}<td>{:.0} %<td>{}<td>{}<td>{}",
            i + 1,
            text(round, "how"),
            text(round, "searcher"),
            100.0 * number(round, "share"),
            duration(number(round, "seconds")),
            grouped(number(round, "pruned") as i64),
            grouped(number(round, "new_branches") as i64)
        );
    }
    out.push_str("</table>");
    let weights = list(homi, "weights");
    if !weights.is_empty() {
        let _ = write!(
            out,
            "<h3>Features of the last round</h3><p>{} core branch conditions; a state's score is the sum of the weights \
             of those on its path.</p><table><tr><th>Feature<th>Weight",
            grouped(number(homi, "features") as i64)
        );
        for weight in &weights {
            let _ = write!(
                out,
                "<tr><td><code>{}</code><td>{:+.2}",
                text(weight, "feature"),
                number(weight, "weight")
            );
        }
        out.push_str("</table>");
    }
    out.push_str("</div></section>");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_and_features_are_shown_and_nothing_else_is_said() {
        let mut out = String::new();
        section(&mut out, &RunStats::default());
        assert_eq!(out, "");
        let mut stats = RunStats::default();
        let homi = serde_json::json!({
            "features": 2,
            "weights": [{ "feature": "arg00[0] = '<'", "weight": 0.5 }],
            "rounds": [{ "how": "first", "searcher": "dfs", "share": 0.4, "seconds": 2.0, "pruned": 1234, "new_branches": 7 }],
        });
        stats.more.insert(KEY.into(), homi);
        section(&mut out, &stats);
        for part in ["&lt;", "+0.50", "first", "40 %", "<td>7"] {
            assert!(out.contains(part), "{part}: {out}");
        }
    }
}
