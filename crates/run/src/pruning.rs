//! Learned state pruning in the status line and in the statistics.

use explore::{Counters, Ending, PruningStatus};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The text in the status line.
pub fn status(n: &Counters) -> Option<String> {
    let p = n.pruning.as_ref()?;
    let mut line = format!(
        "  round {} ({})  {} pruned",
        p.round,
        p.how,
        n.endings.of(Ending::Pruned)
    );
    if p.waiting > 0 {
        line.push_str(&format!(" ({} wait)", p.waiting));
    }
    if let Some((feature, weight)) = p.weights.first() {
        line.push_str(&format!(
            "  {} features, {feature}: {weight:+.2}",
            p.features
        ));
    }
    Some(line)
}

/// The counters in a line of `run.jsonl`, in addition to the others.
pub fn point(n: &Counters) -> BTreeMap<String, Value> {
    let mut more = BTreeMap::new();
    if let Some(p) = &n.pruning {
        more.insert("round".into(), p.round.into());
        more.insert("pruned".into(), n.endings.of(Ending::Pruned).into());
        more.insert("waiting".into(), p.waiting.into());
        more.insert("features".into(), p.features.into());
    }
    more
}

/// The rounds and features in `stats.json`.
pub fn stats(p: &PruningStatus) -> Value {
    let rounds = p.rounds.iter().map(|r| {
        json!({
            "how": r.how,
            "searcher": r.searcher,
            "share": r.share,
            "seconds": r.seconds,
            "ticks": r.ticks,
            "pruned": r.pruned,
            "new_branches": r.new_branches,
        })
    });
    let weights = p.weights.iter();
    let weights = weights.map(|(feature, weight)| json!({ "feature": feature, "weight": weight }));
    json!({
        "round": p.round,
        "how": p.how,
        "searcher": p.searcher,
        "features": p.features,
        "branches": p.branches,
        "waiting": p.waiting,
        "given_up": p.given_up,
        "early_tests": p.early_tests,
        "tests_run": p.tests_run,
        "tests_cut": p.tests_cut,
        "tests_left": p.tests_left,
        "weights": weights.collect::<Vec<_>>(),
        "rounds": rounds.collect::<Vec<_>>(),
    })
}
