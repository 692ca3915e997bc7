//! Learned state pruning: its options, and what the user reads of it.

use super::options::{Args, Mode, seconds};
use crate::exit::UsageError;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use exec::{NewSearcher, PruningPlan};
use explore::{Counters, Ending, PruningStatus};
use search::homi::{METHODS, Method, Options, PORTFOLIO, Span};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Seconds of the paper's runs.
const PAPER_RUN_S: f64 = 18_000.0;

/// The options `--homi…`.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "State pruning")]
pub struct HomiArgs {
    /// Keep only promising states, and learn which they are (docs/homi.md)
    #[arg(long, value_name = "METHOD", num_args = 0..=1, require_equals = true, default_missing_value = METHODS[0].name, value_parser = method())]
    pub homi: Option<&'static Method>,

    /// Time between two prunings: seconds, or ticks ("20000t", about a millisecond each): then a run repeats
    /// [default: 1/600 of the run's time, or 30]
    #[arg(long, value_name = "T", value_parser = span, requires = "homi")]
    pub homi_cycle: Option<Span>,

    /// The longest round, after which what was learned is used [default: 2/45 of the run's time, or 800]
    #[arg(long, value_name = "T", value_parser = span, requires = "homi")]
    pub homi_round: Option<Span>,

    /// Lengths of rounds to choose from, in equal steps up to --homi-round
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..), requires = "homi")]
    pub homi_round_steps: u16,

    /// The largest share of the states that one pruning takes, below 1
    #[arg(
        long,
        value_name = "R",
        default_value_t = 0.6,
        value_parser = share,
        requires = "homi"
    )]
    pub homi_ratio: f64,

    /// Shares to choose from, in equal steps up to --homi-ratio
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..), requires = "homi")]
    pub homi_ratio_steps: u16,

    /// Rounds after the first one that only explore weights
    #[arg(long, value_name = "N", default_value_t = 10, requires = "homi")]
    pub homi_explore: u16,

    /// Draws among which a weight is found that is unlike what was learned
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..), requires = "homi")]
    pub homi_draws: u16,

    /// Searchers from which each round chooses one in place of --search, joined by `/` [without a list: KLEE's nine]
    #[arg(long, value_name = "LIST", num_args = 0..=1, require_equals = true, default_missing_value = "", requires = "homi")]
    pub homi_portfolio: Option<String>,

    /// Promising states of those pruned earlier that a round takes up again [default: what an eighth of a round rebuilds if rounds go on, else 0]
    #[arg(long, value_name = "N", requires = "homi")]
    pub homi_resume: Option<u16>,
}

fn method() -> impl TypedValueParser<Value = &'static Method> {
    let values = METHODS.iter();
    let values = values.map(|m| PossibleValue::new(m.name).help(m.help));
    PossibleValuesParser::new(values).map(|name| {
        let is_it = |m: &&Method| m.name == name;
        METHODS.iter().find(is_it).expect("a name of the table")
    })
}

/// Seconds as `--time` takes them, or ticks.
fn span(text: &str) -> Result<Span, String> {
    match text.strip_suffix('t').map(str::parse) {
        Some(Ok(ticks)) if ticks > 0 => Ok(Span::Ticks(ticks)),
        Some(_) => Err(format!("`{text}` is no number of ticks (example: 20000t)")),
        None => match seconds(text)?.as_secs_f64() {
            0.0 => Err("no time at all".into()),
            s => Ok(Span::Seconds(s)),
        },
    }
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok();
    let share = share.filter(|r| (0.0..1.0).contains(r) && *r > 0.0);
    share.ok_or_else(|| format!("`{text}` is no share (example: 0.6)"))
}

impl HomiArgs {
    /// The option with which one worker explores: what is explored twice where rounds begin anew, one process has to know.
    pub fn alone(&self) -> Option<&'static str> {
        match self.homi {
            Some(method) if !method.goes_on => Some("rounds of --homi that begin anew"),
            _ => None,
        }
    }

    /// How states are pruned by a worker with this seed, if they are.
    ///
    /// # Errors
    /// The options contradict each other, or name searchers that do not exist.
    pub fn plan(&self, args: &Args, seed: u64) -> Result<Option<PruningPlan>, UsageError> {
        let Some(method) = self.homi else {
            return Ok(None);
        };
        if args.mode == Mode::Concolic {
            return Err(UsageError(
                "--homi: only with --mode fork (concolic mode has no states to prune)".into(),
            ));
        }
        let names: Vec<&str> = match self.homi_portfolio.as_deref() {
            None => vec![args.search_name()],
            Some("") => PORTFOLIO.to_vec(),
            Some(list) => list.split('/').collect(),
        };
        let mut searchers = Vec::new();
        for name in names {
            searchers.push((name.to_string(), searcher(name, args)?));
        }
        // The paper's constants are those of runs of five hours.
        let cpu_time = args.cpu_time.as_secs_f64() / f64::from(args.jobs().max(1));
        let times = [cpu_time, args.time.as_secs_f64()];
        let run_s = times.into_iter().find(|&s| s > 0.0);
        let scale = run_s.unwrap_or(PAPER_RUN_S) / PAPER_RUN_S;
        let standard = Options::default();
        Ok(Some(PruningPlan {
            options: Options {
                method,
                cycle: self.homi_cycle.unwrap_or(standard.cycle.times(scale)),
                round: self.homi_round.unwrap_or(standard.round.times(scale)),
                round_steps: self.homi_round_steps.into(),
                ratio: self.homi_ratio,
                ratio_steps: self.homi_ratio_steps.into(),
                explore: self.homi_explore.into(),
                draws: self.homi_draws.into(),
                searchers: searchers.len(),
                seed,
            },
            searchers,
            resume: match self.homi_resume {
                None if method.goes_on => None,
                n => Some(n.unwrap_or(0).into()),
            },
        }))
    }
}

/// What makes a searcher of this name.
fn searcher(name: &str, args: &Args) -> Result<NewSearcher, UsageError> {
    let (name, batch_instructions) = (name.to_string(), args.batch_instructions);
    let make = move |seed| {
        let options = search::SearchOptions {
            seed,
            batch_instructions,
        };
        search::parse(&name, &options)
    };
    make(args.seed).map_err(|e| UsageError(format!("--homi-portfolio: {e}")))?;
    Ok(Box::new(move |seed| {
        make(seed).expect("the name was understood before")
    }))
}

/// What the status line says.
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

/// What a line of `run.jsonl` says beside the other counters.
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

/// What `stats.json` says of rounds and features.
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
        "waiting": p.waiting,
        "given_up": p.given_up,
        "early_tests": p.early_tests,
        "weights": weights.collect::<Vec<_>>(),
        "rounds": rounds.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_seconds_or_ticks() {
        assert_eq!(span("30"), Ok(Span::Seconds(30.0)));
        assert_eq!(span("15m"), Ok(Span::Seconds(900.0)));
        assert_eq!(span("500t"), Ok(Span::Ticks(500)));
        for wrong in ["0", "0t", "t", "-5t", "soon"] {
            assert!(span(wrong).is_err(), "{wrong}");
        }
        assert_eq!(share("0.5"), Ok(0.5));
        assert!(
            ["0", "1", "-1", "NaN", "x"]
                .iter()
                .all(|w| share(w).is_err())
        );
    }
}
