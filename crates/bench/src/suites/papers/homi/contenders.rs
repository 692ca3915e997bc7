//! The searchers and pruners that are compared.

use crate::tools::Context;

/// The paper's budget, in seconds, which its time constants are made for.
pub const PAPER_SECONDS: f64 = 18_000.0;
/// Its η_t and τ_max.
const CYCLE_S: f64 = 30.0;
const ROUND_S: f64 = 800.0;

/// What runs on top of a searcher.
#[derive(Clone, Copy, Debug)]
pub struct Pruning {
    pub name: &'static str,
    pub options: &'static [&'static str],
}

/// The method itself, in our version: what is compared with the best heuristic.
pub const HOMI: &str = "homi";

#[rustfmt::skip]
pub const PRUNINGS: &[Pruning] = &[
    Pruning { name: HOMI, options: &["--homi"] },
    Pruning { name: "paper", options: &["--homi=learned"] },
    Pruning { name: "random", options: &["--homi=random"] },
    Pruning { name: "divide", options: &["--homi=divide"] },
    Pruning { name: "portfolio", options: &["--homi", "--homi-portfolio"] },
];

/// The contenders of a suite's run: searchers alone, and what prunes on top of the best one. `--search` names some of
/// either kind; those of a kind that it does not name are all taken.
pub fn chosen(context: &Context) -> (Vec<String>, Vec<Pruning>) {
    let named = |p: &Pruning| context.searchers.iter().any(|s| s == p.name);
    let mut prunings: Vec<Pruning> = PRUNINGS.iter().copied().filter(named).collect();
    if prunings.is_empty() {
        prunings = PRUNINGS.to_vec();
    }
    let is_pruning = |s: &String| PRUNINGS.iter().any(|p| p.name == s);
    let mut plain: Vec<String> = context.searchers.clone();
    plain.retain(|s| !is_pruning(s));
    if plain.is_empty() {
        let ours = [search::registry::DEFAULT];
        let all = ours.iter().chain(search::homi::PORTFOLIO);
        plain = all.map(ToString::to_string).collect();
    }
    (plain, prunings)
}

/// The paper's time constants for runs of so many seconds.
pub fn scaled(seconds: f64) -> [String; 4] {
    let scale = seconds / PAPER_SECONDS;
    [
        "--homi-cycle".into(),
        (CYCLE_S * scale).to_string(),
        "--homi-round".into(),
        (ROUND_S * scale).to_string(),
    ]
}

/// Seconds of a run: ten minutes, with `--all` the paper's five hours.
pub fn seconds(context: &Context) -> f64 {
    let default = if context.all { PAPER_SECONDS } else { 600.0 };
    context.time.unwrap_or(default)
}
