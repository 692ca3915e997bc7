//! Suite `homi`: learned state pruning against plain searchers, after "Making symbolic execution promising by learning
//! aggressive state-pruning strategy" (Fig. 1 to 3, Tables 3 and 4), on the paper's programs.
//!
//! Each program runs under the nine heuristics of the paper and our default, then with pruning on top of the best
//! one, and with Homi on top of the second best one (Table 4). Branches are counted natively, in the order in which the tests were made. Each
//! run is kept in `OUT/homi`, so that a suite that was killed goes on. Numbers are means over the seeds, as in the paper. `homi-branches-PROGRAM.svg` and
//! `homi-states-PROGRAM.svg` are the paper's Fig. 1 and 3, and Fig. 2; in `homi-later-PROGRAM.svg` the time of the first round is taken off, as in Fig. 1; `homi.md`
//! has all tables.

mod contenders;
mod explored;
mod programs;
mod tables;

use crate::tools::Context;
use crate::tools::array_programs::mean;
use crate::tools::curve::{self, Curve};
use crate::tools::kept::SharedStore;
use crate::tools::report::{Report, median};
use anyhow::{Context as _, Result};
use contenders::HOMI;
use explored::{RoundRecord, explore};
use programs::{PROGRAMS, PaperProgram};
use std::collections::BTreeSet;

/// Heuristics that Homi is compared with.
const TOP: usize = 5;

/// Names a curve of a run.
type PointsOf = fn(&RoundRecord) -> &[(f64, u64)];

/// The runs of one contender on one program, a run for each seed.
struct Runs {
    name: String,
    runs: Vec<RoundRecord>,
}

impl Runs {
    fn values(&self, of: impl Fn(&RoundRecord) -> f64) -> Vec<f64> {
        self.runs.iter().map(of).collect()
    }

    /// The mean over the seeds, as in the paper.
    fn mean(&self, of: impl Fn(&RoundRecord) -> f64) -> f64 {
        mean(&self.values(of))
    }

    fn branches(&self) -> f64 {
        self.mean(|r| r.branches.len() as f64)
    }

    fn median_branches(&self) -> f64 {
        median(&self.values(|r| r.branches.len() as f64)).unwrap_or(0.0)
    }

    fn states(&self) -> f64 {
        self.mean(RoundRecord::mean_states)
    }

    /// Seeds whose runs found this error.
    fn found(&self, error: &str) -> usize {
        let found = |r: &&RoundRecord| r.errors.contains_key(error);
        self.runs.iter().filter(found).count()
    }

    /// The mean of a curve at these times; between two points it is as at the first of them.
    fn curve(&self, of: PointsOf, times: impl Iterator<Item = f64>) -> Vec<(f64, f64)> {
        let at = |points: &[(f64, u64)], time: f64| {
            let n = points.partition_point(|p| p.0 <= time + 1e-9);
            n.checked_sub(1).map_or(0.0, |i| points[i].1 as f64)
        };
        let mean_at = |time| (time, self.mean(|r| at(of(r), time)));
        times.map(mean_at).collect()
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
    /// Homi on top of the second best.
    second: Option<Runs>,
}

impl Compared {
    /// The best heuristics, with which the others are compared.
    fn top(&self) -> &[Runs] {
        &self.plain[..self.plain.len().min(TOP)]
    }

    fn best(&self) -> &Runs {
        &self.plain[0]
    }

    /// All that is shown.
    fn shown(&self) -> impl Iterator<Item = &Runs> {
        self.top().iter().chain(&self.pruned).chain(&self.second)
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
    let kept: SharedStore<RoundRecord> = SharedStore::open(&dir.join("runs.jsonl"))?;
    let seconds = contenders::seconds(context);
    let seeds = context.seeds.unwrap_or(3).max(1);
    let build = context.build()?;
    let (heuristics, prunings) = contenders::chosen(context);
    let mut all = Vec::new();
    for program in PROGRAMS.iter().filter(|p| context.wants(p.subject.name)) {
        let runs_of = |contenders: &[(String, Vec<String>)]| -> Result<Vec<Runs>> {
            let cases: Vec<_> = contenders
                .iter()
                .flat_map(|(name, options)| (1..=seeds).map(move |seed| (name, options, seed)))
                .collect();
            let runs = context.each(&cases, |&(name, options, seed)| {
                let words = options.join(" ");
                let more = context.run_options.join(" ");
                let key = format!(
                    "{build} {} {seconds} {seed} {words} {more}",
                    program.subject.name
                );
                kept.get(&key, || {
                    explore(context, program, seed, seconds, name, options)
                })
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
            let options = pruning.options(&best, seconds);
            (pruning.name.to_string(), options)
        });
        let pruned = runs_of(&pruned.collect::<Vec<_>>())?;
        let homi = prunings.iter().find(|p| p.name == HOMI);
        let second = plain.get(1).zip(homi).map(|(second, homi)| {
            let name = format!("{} + {HOMI}", second.name);
            (name, homi.options(&second.name, seconds))
        });
        let second = runs_of(&second.into_iter().collect::<Vec<_>>())?.pop();
        all.push(Compared {
            program,
            plain,
            pruned,
            second,
        });
        plots(context, &all[all.len() - 1], seconds)?;
        tables::write(context, &all, seconds, seeds)?;
    }
    Ok(tables::report(&all, seconds, seeds))
}

/// Branches and states over time, and branches over the time after the first round: means over the seeds.
fn plots(context: &Context, all: &Compared, seconds: f64) -> Result<()> {
    let times = |n: usize| (1..=n).map(move |i| seconds * i as f64 / n as f64);
    let branches: PointsOf = |r| &r.over_time;
    let over_time = |runs: &Runs| runs.curve(branches, times(explored::MOMENTS));
    let states = |runs: &Runs| runs.curve(|r| &r.states, times(4 * explored::MOMENTS));
    let later = |runs: &Runs| after_first_round(runs, &over_time(runs));
    plot(context, all, "branches", seconds, &over_time)?;
    plot(context, all, "later", seconds, &later)?;
    plot(context, all, "states", seconds, &states)
}

/// The part of a curve of branches after the first round, whose time is taken off.
fn after_first_round(runs: &Runs, curve: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let end = runs.mean(|r| r.first_round.0);
    let first = (0.0, runs.mean(|r| r.first_round.1 as f64));
    let rest = curve.iter().filter(|p| p.0 > end);
    let rest = rest.map(|&(time, value)| (time - end, value));
    [first].into_iter().chain(rest).collect()
}

/// A figure with a curve for each contender.
fn plot(
    context: &Context,
    all: &Compared,
    what: &str,
    seconds: f64,
    points: &dyn Fn(&Runs) -> Vec<(f64, f64)>,
) -> Result<()> {
    let lines = all.shown().map(|runs| Curve {
        name: &runs.name,
        dashed: all.top().iter().any(|p| p.name == runs.name),
        points: points(runs),
    });
    let lines: Vec<Curve> = lines.collect();
    let highest = lines.iter().flat_map(|l| &l.points);
    let highest = highest.map(|p| p.1).fold(0.0, f64::max);
    let program = all.program.subject.name;
    let title = match what {
        "later" => format!("{program}: branches over the time after the first round"),
        what => format!("{program}: {what} over time"),
    };
    let svg = curve::svg(&title, "CPU seconds", seconds, highest, &lines);
    let path = context.out.join(format!("homi-{what}-{program}.svg"));
    std::fs::write(&path, svg).with_context(|| format!("cannot write {}", path.display()))
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
            second: Some(runs("b + homi", &[&[(0, 2, 0), (0, 4, 0)]])),
        };
        let exclusive: Vec<f64> = [&all.plain[0], &all.plain[1], &all.pruned[0], &all.pruned[1]]
            .map(|r| all.exclusive(r))
            .into();
        assert_eq!(exclusive, [0.0, 1.0, 1.0, 1.0]);
        let second = all.second.as_ref().expect("it is there");
        assert_eq!(all.exclusive(second), 1.0);
        assert_eq!(all.shown().count(), 5);
    }

    #[test]
    fn numbers_are_means_over_the_seeds_and_the_first_round_can_be_taken_off() {
        let mut a = runs(
            "a",
            &[
                &[],
                &[(0, 1, 0)],
                &[(0, 1, 0), (0, 2, 0), (0, 3, 0), (0, 4, 0), (0, 5, 0)],
            ],
        );
        assert_eq!((a.branches(), a.median_branches()), (2.0, 1.0));
        for (run, n) in a.runs.iter_mut().zip(1..) {
            run.over_time = vec![(1.0, n), (2.0, 10 * n), (3.0, 20 * n)];
            run.first_round = (1.5, 4);
        }
        a.runs[0].errors.insert("here".into(), "confirmed".into());
        assert_eq!((a.found("here"), a.found("there")), (1, 0));
        let of: PointsOf = |r| &r.over_time;
        let curve = a.curve(of, [0.5, 1.0, 2.5, 3.0].into_iter());
        assert_eq!(curve, [(0.5, 0.0), (1.0, 2.0), (2.5, 20.0), (3.0, 40.0)]);
        let later = after_first_round(&a, &curve);
        assert_eq!(later, [(0.0, 4.0), (1.0, 20.0), (1.5, 40.0)]);
        assert_eq!(a.mean(RoundRecord::since_first_round), -2.0);
    }

    #[test]
    fn each_contender_has_the_options_of_its_kind() {
        let all = contenders::PRUNINGS;
        let of = |name: &str| {
            let found = all.iter().find(|p| p.name == name);
            found.expect("it is there").options("dfs", 45.0).join(" ")
        };
        assert_eq!(of(contenders::DROP), "--search dfs --memory-policy drop");
        let homi = "--search dfs --homi --homi-cycle 0.075 --homi-round 2";
        assert_eq!(of(HOMI), homi);
    }

    #[test]
    fn the_paper_s_time_constants_are_scaled() {
        let scaled = contenders::scaled(600.0);
        assert_eq!(scaled[1], "1");
        assert!(scaled[3].starts_with("26.66"));
    }
}
