//! Suite `homi`: learned state pruning against plain searchers, after "Making symbolic execution promising by learning
//! aggressive state-pruning strategy" (Fig. 1 to 3, Table 3), on the programs of coreutils.
//!
//! Each program runs under the nine heuristics of the paper, and then with pruning on top of the best one. Branches are
//! counted natively, in the order in which the tests were made. Each run is kept in `OUT/homi`, so that a suite that was
//! killed goes on. `homi-branches-PROGRAM.svg` and `homi-states-PROGRAM.svg` are the paper's Fig. 1 and Fig. 2.

mod contenders;
mod explored;

use crate::tools::Context;
use crate::tools::coreutils::Trees;
use crate::tools::curve::{self, Line};
use crate::tools::kept::Kept;
use crate::tools::report::{Cell, Report, median};
use anyhow::{Context as _, Result};
use contenders::{HEURISTICS, HOMI, ON_BEST, PROGRAMS, Program};
use explored::{Explored, explore};
use std::collections::BTreeSet;

/// Heuristics that Homi is compared with.
const TOP: usize = 5;

/// The runs of one contender on one program, a run for each seed.
struct Runs {
    name: String,
    runs: Vec<Explored>,
}

impl Runs {
    fn middle(&self, of: impl Fn(&Explored) -> f64) -> f64 {
        let values: Vec<f64> = self.runs.iter().map(of).collect();
        median(&values).unwrap_or(0.0)
    }

    fn branches(&self) -> f64 {
        self.middle(|r| r.branches.len() as f64)
    }

    /// Branches that none of the others covers with the same seed, on average.
    fn exclusive(&self, others: &[&Runs]) -> f64 {
        let of = |(seed, run): (usize, &Explored)| {
            let known: BTreeSet<_> = others.iter().flat_map(|o| &o.runs[seed].branches).collect();
            run.branches.iter().filter(|b| !known.contains(b)).count() as f64
        };
        let total: f64 = self.runs.iter().enumerate().map(of).sum();
        total / self.runs.len().max(1) as f64
    }
}

/// See the module.
pub fn run(context: &Context) -> Result<Report> {
    let trees = Trees::find()?;
    let dir = context.out.join("homi");
    std::fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
    let mut kept: Kept<Explored> = Kept::open(&dir.join("runs.jsonl"))?;
    let (seconds, seeds) = (
        contenders::seconds(context),
        context.seeds.unwrap_or(3).max(1),
    );
    let columns = [
        "program",
        "contender",
        "branches",
        "exclusive",
        "paper",
        "mean states",
        "tests",
        "errors",
    ];
    let title =
        format!("Learned state pruning, {seconds} s a run, {seeds} seeds, branches by gcov");
    let mut report = Report::new(&title, &columns);
    report.plotted = vec![2];
    let build = context.build()?;
    let heuristics: Vec<String> = match &context.searchers[..] {
        [] => HEURISTICS.iter().map(ToString::to_string).collect(),
        named => named.to_vec(),
    };
    for program in PROGRAMS.iter().filter(|p| context.wants(p.name)) {
        let mut all = |name: &str, options: &[String]| -> Result<Runs> {
            let mut runs = Vec::new();
            for seed in 1..=seeds {
                let words = options.join(" ");
                let more = context.run_options.join(" ");
                let key = format!("{build} {} {seconds} {seed} {words} {more}", program.name);
                runs.push(kept.get(&key, || {
                    say::err!("homi: {}, {name}, seed {seed}", program.name);
                    explore(context, &trees, program.name, seed, seconds, options)
                })?);
            }
            let name = name.to_string();
            Ok(Runs { name, runs })
        };
        let mut plain = Vec::new();
        for name in &heuristics {
            plain.push(all(name, &["--search".into(), name.clone()])?);
        }
        plain.sort_by(|a, b| b.branches().total_cmp(&a.branches()));
        let best = plain[0].name.clone();
        let mut pruned = Vec::new();
        for (name, more) in ON_BEST {
            let mut options = vec!["--search".to_string(), best.clone()];
            options.extend(more.iter().map(ToString::to_string));
            options.extend(contenders::scaled(seconds));
            pruned.push(all(name, &options)?);
        }
        report.rows.extend(rows(program, &plain, &pruned));
        plots(context, program, &plain, &pruned, seconds)?;
        report.write(&context.out, "homi")?;
    }
    let path = context.out.join("homi.md");
    std::fs::write(&path, report.markdown())
        .with_context(|| format!("cannot write {}", path.display()))?;
    Ok(report)
}

/// The rows of one program: the best heuristics, then what prunes. Exclusive branches are those that none of the best
/// heuristics covers; for these, that no other of them and not Homi covers.
fn rows(program: &Program, plain: &[Runs], pruned: &[Runs]) -> Vec<Vec<Cell>> {
    let top = || plain.iter().take(TOP);
    let homi = pruned.iter().find(|r| r.name == HOMI);
    let best = &plain[0];
    let line = |runs: &Runs, name: String, exclusive: f64, paper: Option<f64>| {
        let is_homi = runs.name == HOMI;
        let goal = |value: f64, goal: f64, at_most: bool| {
            if is_homi {
                Cell::Goal {
                    value,
                    goal,
                    at_most,
                }
            } else {
                Cell::Number(value)
            }
        };
        let states = runs.middle(Explored::mean_states);
        let errors: BTreeSet<&String> = runs.runs.iter().flat_map(|r| &r.errors).collect();
        vec![
            program.name.into(),
            name.into(),
            goal(runs.branches(), best.branches(), false),
            exclusive.into(),
            paper.map_or(Cell::Empty, Cell::from),
            goal(states, best.middle(Explored::mean_states) / 10.0, true),
            runs.middle(|r| r.tests as f64).into(),
            (errors.len() as u64).into(),
        ]
    };
    let mut rows = Vec::new();
    for (i, runs) in top().enumerate() {
        let others = top().enumerate().filter(|(j, _)| *j != i).map(|(_, r)| r);
        let others: Vec<&Runs> = others.chain(homi).collect();
        let paper = (i == 0).then_some(program.exclusive.1);
        rows.push(line(
            runs,
            runs.name.clone(),
            runs.exclusive(&others),
            paper,
        ));
    }
    for runs in pruned {
        let others: Vec<&Runs> = top().collect();
        let paper = (runs.name == HOMI).then_some(program.exclusive.0);
        let name = format!("{} + {}", best.name, runs.name);
        rows.push(line(runs, name, runs.exclusive(&others), paper));
    }
    rows
}

/// Branches and states over time, of the first seed.
fn plots(
    context: &Context,
    program: &Program,
    plain: &[Runs],
    pruned: &[Runs],
    seconds: f64,
) -> Result<()> {
    let shown = || plain.iter().take(TOP).chain(pruned);
    type Curve = fn(&Explored) -> &[(f64, u64)];
    let figures: [(&str, Curve); 2] = [("branches", |r| &r.over_time), ("states", |r| &r.states)];
    for (what, of) in figures {
        let lines: Vec<Line> = shown()
            .map(|runs| Line {
                name: &runs.name,
                dashed: plain.iter().any(|p| p.name == runs.name),
                points: of(&runs.runs[0])
                    .iter()
                    .map(|&(t, v)| (t, v as f64))
                    .collect(),
            })
            .collect();
        let highest = lines.iter().flat_map(|l| &l.points);
        let highest = highest.map(|p| p.1).fold(0.0, f64::max);
        let title = format!("{}: {what} over time", program.name);
        let svg = curve::svg(&title, "seconds", seconds, highest, &lines);
        let path = context
            .out
            .join(format!("homi-{what}-{}.svg", program.name));
        std::fs::write(&path, svg).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(name: &str, branches: &[&[(u32, u32)]]) -> Runs {
        let run = |of: &&[(u32, u32)]| Explored {
            branches: of.iter().copied().collect(),
            states: vec![(0.0, 10), (1.0, 30), (2.0, 0)],
            ..Explored::default()
        };
        Runs {
            name: name.into(),
            runs: branches.iter().map(run).collect(),
        }
    }

    #[test]
    fn exclusive_branches_are_counted_per_seed_and_states_per_second() {
        let a = runs("a", &[&[(1, 0), (2, 0)], &[(1, 0)]]);
        let b = runs("b", &[&[(1, 0)], &[(2, 0), (3, 0)]]);
        assert_eq!(a.exclusive(&[&b]), 1.0);
        assert_eq!(b.exclusive(&[&a]), 1.0);
        assert_eq!(a.runs[0].mean_states(), 20.0);
        assert_eq!(b.branches(), 1.5);
    }

    #[test]
    fn the_paper_s_time_constants_are_scaled() {
        let scaled = contenders::scaled(600.0);
        assert_eq!(scaled[1], "1");
        assert!(scaled[3].starts_with("26.66"));
    }
}
