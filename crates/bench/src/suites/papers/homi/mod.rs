//! Suite `homi`: learned state pruning against plain searchers, after "Making symbolic execution promising by learning
//! aggressive state-pruning strategy" (Fig. 1 to 3, Tables 3 and 4), on the paper's programs.
//!
//! Each program runs under the nine heuristics of the paper and our default, and then with pruning on top of the best
//! one. Branches are counted natively, in the order in which the tests were made. Each run is kept in `OUT/homi`, so that
//! a suite that was killed goes on. `homi-branches-PROGRAM.svg` and `homi-states-PROGRAM.svg` are the paper's Fig. 1
//! and 3, and Fig. 2; `homi.md` has all tables.

mod contenders;
mod explored;
mod programs;
mod tables;

use crate::tools::Context;
use crate::tools::curve::{self, Curve};
use crate::tools::kept::ResultStore;
use crate::tools::report::{Report, median};
use anyhow::{Context as _, Result};
use contenders::HOMI;
use explored::{RoundRecord, explore};
use programs::{PROGRAMS, PaperProgram};
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// Heuristics that Homi is compared with.
const TOP: usize = 5;

/// The runs of one contender on one program, a run for each seed.
struct Runs {
    name: String,
    runs: Vec<RoundRecord>,
}

impl Runs {
    fn middle(&self, of: impl Fn(&RoundRecord) -> f64) -> f64 {
        let values: Vec<f64> = self.runs.iter().map(of).collect();
        median(&values).unwrap_or(0.0)
    }

    fn branches(&self) -> f64 {
        self.middle(|r| r.branches.len() as f64)
    }

    fn states(&self) -> f64 {
        self.middle(RoundRecord::mean_states)
    }

    /// Branches that none of the others covers with the same seed, on average.
    fn exclusive(&self, others: &[&Runs]) -> f64 {
        let of = |(seed, run): (usize, &RoundRecord)| {
            let known: BTreeSet<_> = others.iter().flat_map(|o| &o.runs[seed].branches).collect();
            run.branches.iter().filter(|b| !known.contains(b)).count() as f64
        };
        let total: f64 = self.runs.iter().enumerate().map(of).sum();
        total / self.runs.len().max(1) as f64
    }
}

/// All runs on one program.
struct Compared {
    program: &'static PaperProgram,
    /// Searchers alone, the best first.
    plain: Vec<Runs>,
    /// What prunes on top of the best.
    pruned: Vec<Runs>,
}

impl Compared {
    /// The best heuristics, with which the others are compared.
    fn top(&self) -> &[Runs] {
        &self.plain[..self.plain.len().min(TOP)]
    }

    fn best(&self) -> &Runs {
        &self.plain[0]
    }

    fn pruned(&self, name: &str) -> Option<&Runs> {
        self.pruned.iter().find(|r| r.name == name)
    }

    /// Exclusive branches: of what prunes, those that none of the top heuristics covers; of one of these, those that no
    /// other one covers and Homi does not.
    fn exclusive(&self, runs: &Runs) -> f64 {
        let top = self.top().iter().filter(|r| r.name != runs.name);
        let is_plain = self.top().iter().any(|r| r.name == runs.name);
        let others: Vec<&Runs> = if is_plain {
            top.chain(self.pruned(HOMI)).collect()
        } else {
            top.collect()
        };
        runs.exclusive(&others)
    }
}

/// See the module.
pub fn run(context: &Context) -> Result<Report> {
    let dir = context.out.join("homi");
    std::fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
    let kept: ResultStore<RoundRecord> = ResultStore::open(&dir.join("runs.jsonl"))?;
    let kept = Mutex::new(kept);
    let kept = || kept.lock().unwrap_or_else(PoisonError::into_inner);
    let seconds = contenders::seconds(context);
    let seeds = context.seeds.unwrap_or(3).max(1);
    let build = context.build()?;
    let (heuristics, prunings) = contenders::chosen(context);
    let mut all = Vec::new();
    for program in PROGRAMS.iter().filter(|p| context.wants(p.name)) {
        let runs_of = |contenders: &[(String, Vec<String>)]| -> Result<Vec<Runs>> {
            let cases: Vec<_> = contenders
                .iter()
                .flat_map(|(name, options)| (1..=seeds).map(move |seed| (name, options, seed)))
                .collect();
            let runs = context.each(&cases, |&(name, options, seed)| {
                let words = options.join(" ");
                let more = context.run_options.join(" ");
                let key = format!("{build} {} {seconds} {seed} {words} {more}", program.name);
                if let Some(explored) = kept().find(&key) {
                    return Ok(explored);
                }
                let explored = explore(context, program, seed, seconds, name, options)?;
                kept().put(&key, explored.clone())?;
                Ok(explored)
            })?;
            let mut runs = runs.into_iter();
            let of_each = contenders.iter().map(|(name, _)| Runs {
                name: name.clone(),
                runs: runs.by_ref().take(seeds as usize).collect(),
            });
            Ok(of_each.collect())
        };
        let plain = heuristics
            .iter()
            .map(|name| (name.clone(), vec!["--search".into(), name.clone()]));
        let mut plain = runs_of(&plain.collect::<Vec<_>>())?;
        plain.sort_by(|a, b| b.branches().total_cmp(&a.branches()));
        let best = plain[0].name.clone();
        let pruned = prunings.iter().map(|pruning| {
            let mut options = vec!["--search".to_string(), best.clone()];
            options.extend(pruning.options.iter().map(ToString::to_string));
            options.extend(contenders::scaled(seconds));
            (pruning.name.to_string(), options)
        });
        let pruned = runs_of(&pruned.collect::<Vec<_>>())?;
        all.push(Compared {
            program,
            plain,
            pruned,
        });
        plots(context, &all[all.len() - 1], seconds)?;
        tables::write(context, &all, seconds, seeds)?;
    }
    Ok(tables::report(&all, seconds, seeds))
}

/// Branches and states over time, of the first seed.
fn plots(context: &Context, all: &Compared, seconds: f64) -> Result<()> {
    let shown = || all.top().iter().chain(&all.pruned);
    type Values = fn(&RoundRecord) -> &[(f64, u64)];
    let figures: [(&str, Values); 2] = [("branches", |r| &r.over_time), ("states", |r| &r.states)];
    for (what, of) in figures {
        let points = |r: &RoundRecord| of(r).iter().map(|&(t, v)| (t, v as f64)).collect();
        let lines: Vec<Curve> = shown()
            .map(|runs| Curve {
                name: &runs.name,
                dashed: all.top().iter().any(|p| p.name == runs.name),
                points: points(&runs.runs[0]),
            })
            .collect();
        let highest = lines.iter().flat_map(|l| &l.points);
        let highest = highest.map(|p| p.1).fold(0.0, f64::max);
        let program = all.program.name;
        let title = format!("{program}: {what} over time");
        let svg = curve::svg(&title, "CPU seconds", seconds, highest, &lines);
        let path = context.out.join(format!("homi-{what}-{program}.svg"));
        std::fs::write(&path, svg).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::gcov::Branch;

    fn runs(name: &str, branches: &[&[Branch]]) -> Runs {
        let run = |of: &&[Branch]| RoundRecord {
            branches: of.iter().copied().collect(),
            states: vec![(0.0, 10), (1.0, 30), (2.0, 0)],
            ..RoundRecord::default()
        };
        Runs {
            name: name.into(),
            runs: branches.iter().map(run).collect(),
        }
    }

    #[test]
    fn exclusive_branches_are_counted_per_seed_and_states_per_second() {
        let a = runs("a", &[&[(0, 1, 0), (0, 2, 0)], &[(0, 1, 0)]]);
        let b = runs("b", &[&[(0, 1, 0)], &[(0, 2, 0), (0, 3, 0)]]);
        assert_eq!(a.exclusive(&[&b]), 1.0);
        assert_eq!(b.exclusive(&[&a]), 1.0);
        assert_eq!(a.runs[0].mean_states(), 20.0);
        assert_eq!(b.branches(), 1.5);
    }

    #[test]
    fn what_prunes_is_compared_with_heuristics_only() {
        let all = Compared {
            program: &PROGRAMS[0],
            plain: vec![runs("a", &[&[(0, 1, 0)]]), runs("b", &[&[(0, 2, 0)]])],
            pruned: vec![
                runs(HOMI, &[&[(0, 1, 0), (0, 3, 0)]]),
                runs("divide", &[&[(0, 3, 0)]]),
            ],
        };
        let exclusive: Vec<f64> = [&all.plain[0], &all.plain[1], &all.pruned[0], &all.pruned[1]]
            .map(|r| all.exclusive(r))
            .into();
        assert_eq!(exclusive, [0.0, 1.0, 1.0, 1.0]);
    }

    #[test]
    fn the_paper_s_time_constants_are_scaled() {
        let scaled = contenders::scaled(600.0);
        assert_eq!(scaled[1], "1");
        assert!(scaled[3].starts_with("26.66"));
    }
}
