//! The plan of learned state pruning (`docs/homi.md`).

use super::{Mode, Plan};
use crate::exit::UsageError;
use exec::{NewSearcher, PruningPlan};
use search::homi::{METHODS, Options, PORTFOLIO, RoundPlanner, Span};
use serde::{Deserialize, Serialize};

/// Seconds of the paper's runs.
const PAPER_RUN_S: f64 = 18_000.0;

/// See the module.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Homi {
    /// The method that plans the rounds, by name; without one nothing is pruned.
    pub method: Option<String>,
    /// Time between two prunings. `None`: the paper's, for the time that the run has.
    pub cycle: Option<Span>,
    /// The longest round, with the same default.
    pub round: Option<Span>,
    /// Lengths of rounds to choose from.
    pub round_steps: u16,
    /// The largest share of the states that one pruning removes.
    pub ratio: f64,
    /// How many shares there are to choose from.
    pub ratio_steps: u16,
    /// Rounds after the first one that only explore weights.
    pub explore: u16,
    /// Draws among which a weight is found that differs from the learned one.
    pub draws: u16,
    /// Searchers from which each round chooses one, joined by `/`; empty: those of KLEE.
    pub portfolio: Option<String>,
    /// States of those pruned earlier that a round takes up again.
    pub resume: Option<u16>,
    /// The part of the work in which the inputs of pruned states run on to the end of the program, from 0 to 1. `None`: the method's.
    #[serde(default)]
    pub test_share: Option<f64>,
}

impl Homi {
    fn method(&self) -> Result<Option<&'static RoundPlanner>, UsageError> {
        let Some(name) = &self.method else {
            return Ok(None);
        };
        let found = METHODS.iter().find(|m| m.name == name);
        let unknown = || UsageError(format!("--homi={name}: no such method"));
        found.ok_or_else(unknown).map(Some)
    }

    /// The option that requires a single worker: if rounds begin anew, one process has to know which paths are
    /// explored twice.
    pub fn alone(&self) -> Option<&'static str> {
        let method = METHODS
            .iter()
            .find(|m| self.method.as_deref() == Some(m.name))?;
        (!method.goes_on).then_some("rounds of --homi that begin from the start")
    }
}

impl Plan {
    /// How states are pruned by a worker with this seed, if they are.
    ///
    /// # Errors
    /// The options contradict each other, or name searchers that do not exist.
    pub fn pruning(&self, seed: u64) -> Result<Option<PruningPlan>, UsageError> {
        let homi = &self.search.homi;
        let Some(method) = homi.method()? else {
            return Ok(None);
        };
        if self.search.mode == Mode::Concolic {
            return Err(UsageError(
                "--homi: only with --mode fork (concolic mode has no states to prune)".into(),
            ));
        }
        let names: Vec<&str> = match homi.portfolio.as_deref() {
            None => vec![self.search_name()],
            Some("") => PORTFOLIO.to_vec(),
            Some(list) => list.split('/').collect(),
        };
        let mut searchers = Vec::new();
        for name in names {
            searchers.push((name.to_string(), self.new_searcher(name)?));
        }
        // The paper's constants are those of runs of five hours.
        let cpu_time = self.limits.cpu_time.as_secs_f64() / f64::from(self.jobs().max(1));
        let times = [cpu_time, self.limits.time.as_secs_f64()];
        let run_s = times.into_iter().find(|&s| s > 0.0);
        let scale = run_s.unwrap_or(PAPER_RUN_S) / PAPER_RUN_S;
        let standard = Options::default();
        Ok(Some(PruningPlan {
            options: Options {
                method,
                cycle: homi.cycle.unwrap_or(standard.cycle.times(scale)),
                round: homi.round.unwrap_or(standard.round.times(scale)),
                round_steps: homi.round_steps.into(),
                ratio: homi.ratio,
                ratio_steps: homi.ratio_steps.into(),
                explore: homi.explore.into(),
                draws: homi.draws.into(),
                searchers: searchers.len(),
                seed,
            },
            searchers,
            resume: match homi.resume {
                None if method.goes_on => None,
                n => Some(n.unwrap_or(0).into()),
            },
            test_share: homi.test_share.unwrap_or(method.test_share),
        }))
    }

    /// The constructor of a searcher of this name.
    fn new_searcher(&self, name: &str) -> Result<NewSearcher, UsageError> {
        let (name, batch_instructions) = (name.to_string(), self.search.batch_instructions);
        let make = move |seed| {
            let options = search::SearchOptions {
                seed,
                batch_instructions,
            };
            search::parse(&name, &options)
        };
        let made = make(self.search.seed);
        made.map_err(|e| UsageError(format!("--homi-portfolio: {e}")))?;
        Ok(Box::new(move |seed| {
            make(seed).expect("the name was understood before")
        }))
    }
}
