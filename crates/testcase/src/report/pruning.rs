//! Learned state pruning in the report: its rounds, and the features by their weights.

use super::text::{duration, grouped};
use crate::RunStats;
use maud::{Markup, html};
use serde_json::Value;

/// Its key in the statistics.
pub const KEY: &str = "homi";

/// The section, if states were pruned.
pub fn section(stats: &RunStats) -> Markup {
    let Some(homi) = stats.more.get(KEY) else {
        return Markup::default();
    };
    let list = |key: &str| homi[key].as_array().map_or(&[][..], Vec::as_slice);
    let weights = list("weights");
    html! {
        section #pruning {
            h2 { "State pruning" }
            div.panel {
                table {
                    tr {
                        @for title in ["Round", "Weights", "Searcher", "Share pruned", "Time", "States pruned", "New branches"] {
                            th { (title) }
                        }
                    }
                    @for (i, round) in list("rounds").iter().enumerate() {
                        tr {
                            td { (i + 1) }
                            td { (text(round, "how")) }
                            td { (text(round, "searcher")) }
                            td { (format_args!("{:.0} %", 100.0 * number(round, "share"))) }
                            td { (duration(number(round, "seconds"))) }
                            td { (grouped(number(round, "pruned") as i64)) }
                            td { (grouped(number(round, "new_branches") as i64)) }
                        }
                    }
                }
                @if !weights.is_empty() {
                    h3 { "Features of the last round" }
                    p {
                        (grouped(number(homi, "features") as i64))
                        " core branch conditions; a state's score is the sum of the weights of those on its path."
                    }
                    table {
                        tr { th { "Feature" } th { "Weight" } }
                        @for weight in weights {
                            tr {
                                td { code { (text(weight, "feature")) } }
                                td { (format_args!("{:+.2}", number(weight, "weight"))) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn text<'a>(of: &'a Value, key: &str) -> &'a str {
    of[key].as_str().unwrap_or_default()
}

fn number(of: &Value, key: &str) -> f64 {
    of[key].as_f64().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_and_features_are_shown_and_nothing_else_is_said() {
        assert_eq!(section(&RunStats::default()).into_string(), "");
        let mut stats = RunStats::default();
        let homi = serde_json::json!({
            "features": 2,
            "weights": [{ "feature": "arg00[0] = '<'", "weight": 0.5 }],
            "rounds": [{ "how": "first", "searcher": "dfs", "share": 0.4, "seconds": 2.0, "pruned": 1234, "new_branches": 7 }],
        });
        stats.more.insert(KEY.into(), homi);
        let out = section(&stats).into_string();
        for part in ["&lt;", "+0.50", "first", "40 %", "<td>7"] {
            assert!(out.contains(part), "{part}: {out}");
        }
    }
}
