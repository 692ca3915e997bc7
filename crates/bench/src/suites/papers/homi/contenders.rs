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
    options: &'static [&'static str],
    /// It goes in rounds, whose times are scaled.
    has_rounds: bool,
}

impl Pruning {
    /// The options of a run of so many seconds with this searcher.
    pub fn options(&self, searcher: &str, seconds: f64) -> Vec<String> {
        let mut options = vec!["--search".to_string(), searcher.to_string()];
        options.extend(self.options.iter().map(ToString::to_string));
        if self.has_rounds {
            options.extend(scaled(seconds));
        }
        options
    }
}

/// The method itself, in our version: what is compared with the best heuristic.
pub const HOMI: &str = "homi";

/// The states that memory has no room for are lost at random, as all searchers of the paper lose them (Alg. 1, line 5); nothing else is pruned.
pub const DROP: &str = "drop";

#[rustfmt::skip]
pub const PRUNINGS: &[Pruning] = &[
    Pruning { name: HOMI, options: &["--homi"], has_rounds: true },
    Pruning { name: "paper", options: &["--homi=learned"], has_rounds: true },
    Pruning { name: "random", options: &["--homi=random"], has_rounds: true },
    Pruning { name: "divide", options: &["--homi=divide"], has_rounds: true },
    Pruning { name: DROP, options: &["--memory-policy", "drop"], has_rounds: false },
    Pruning { name: "portfolio", options: &["--homi", "--homi-portfolio"], has_rounds: true },
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
        first_round(seconds).to_string(),
    ]
}

/// The longest first round of a run of so many seconds: the part that the paper takes off in its Fig. 1.
pub fn first_round(seconds: f64) -> f64 {
    ROUND_S * seconds / PAPER_SECONDS
}

/// Seconds of a run: twenty, with `--all` the paper's five hours.
pub fn seconds(context: &Context) -> f64 {
    let default = if context.all { PAPER_SECONDS } else { 20.0 };
    context.time.unwrap_or(default)
}
