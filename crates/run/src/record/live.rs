//! The tests of live states in the statistics and in the last words.

use explore::Counters;
use serde_json::Value;
use std::collections::BTreeMap;

// Both name the same choice.
const _: () = assert!(testcase::AHEAD == exec::ChoiceKind::Ahead as u8);

/// The counters in `stats.json`.
pub fn stats(n: &Counters) -> impl Iterator<Item = (String, Value)> {
    let counts = [
        ("live_runs", n.live_runs),
        ("live_cut", n.live_cut),
        ("live_tests", n.live_tests),
        ("live_left", n.live_left),
    ];
    let is_any = counts.iter().any(|(_, count)| *count > 0);
    let counts = counts.into_iter().filter(move |_| is_any);
    counts.map(|(name, count)| (name.to_string(), count.into()))
}

/// Those in a line of `run.jsonl`.
pub fn point(n: &Counters) -> BTreeMap<String, Value> {
    if n.live_runs == 0 {
        return BTreeMap::new();
    }
    [("live_runs", n.live_runs), ("live_tests", n.live_tests)]
        .map(|(name, count)| (name.to_string(), count.into()))
        .into()
}

/// What became of live states, if there were any that are worth a word.
pub fn told(n: &Counters) -> Option<String> {
    if n.live_runs == 0 {
        return None;
    }
    let cut = match n.live_cut {
        0 => String::new(),
        cut => format!(", {cut} not to the end of the program"),
    };
    let left = match n.live_left {
        0 => String::new(),
        left => format!("; {left} at the end did not (--live-share)"),
    };
    Some(format!(
        "live states: {} ran on{cut}, and left {} tests{left}",
        n.live_runs, n.live_tests
    ))
}
