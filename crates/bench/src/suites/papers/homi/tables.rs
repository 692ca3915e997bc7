//! The tables: one for the terminal, and those of the paper beside its numbers in `homi.md`.

use super::contenders::HOMI;
use super::explored::RoundRecord;
use super::{Compared, Runs};
use crate::tools::Context;
use crate::tools::report::{Cell, Report};
use anyhow::{Context as _, Result};
use std::collections::{BTreeMap, BTreeSet};

/// What Homi is to reach: programs on which it covers most, and the factors for exclusive branches and states.
const BEST_ON: f64 = 8.0 / 9.0;
const MORE_EXCLUSIVE: f64 = 3.0;
const FEWER_STATES: f64 = 10.0;

/// Writes the tables of what is there so far.
pub fn write(context: &Context, all: &[Compared], seconds: f64, seeds: u64) -> Result<()> {
    let tables = [
        report(all, seconds, seeds),
        exclusive(all),
        states(all),
        naive(all),
        bugs(all),
        goals(all),
    ];
    let text: Vec<String> = tables.iter().map(Report::markdown).collect();
    let path = context.out.join("homi.md");
    std::fs::write(&path, text.join("\n"))
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Everything: a row for each contender.
pub fn report(all: &[Compared], seconds: f64, seeds: u64) -> Report {
    let title = format!(
        "Learned state pruning, {seconds} CPU s a run, means of {seeds} seeds, branches by gcov at the end (Fig. 1)"
    );
    let columns = [
        "program",
        "contender",
        "branches",
        "median",
        "since 1st round",
        "paper",
        "exclusive",
        "mean states",
        "tests",
        "errors",
    ];
    let mut report = Report::new(&title, &columns);
    report.plotted = vec![2];
    for one in all {
        let best = one.best().branches();
        for runs in one.shown() {
            let (is_homi, is_best) = (runs.name == HOMI, runs.name == one.best().name);
            let branches = if is_homi {
                at_least(runs.branches(), best)
            } else {
                runs.branches().into()
            };
            let paper = one
                .program
                .branches
                .map(|(homi, best)| if is_homi { homi } else { best });
            let paper = paper.filter(|_| is_homi || is_best);
            let errors: BTreeSet<&String> =
                runs.runs.iter().flat_map(|r| r.errors.keys()).collect();
            report.rows.push(vec![
                one.program.subject.name.into(),
                name(one, runs).into(),
                branches,
                runs.median_branches().into(),
                runs.mean(RoundRecord::since_first_round).into(),
                paper.map_or(Cell::Empty, Cell::from),
                one.exclusive(runs).into(),
                runs.states().into(),
                runs.mean(|r| r.tests as f64).into(),
                (errors.len() as u64).into(),
            ]);
        }
    }
    report
}

fn name(all: &Compared, runs: &Runs) -> String {
    match all.pruned(&runs.name) {
        Some(_) => format!("{} + {}", all.best().name, runs.name),
        None => runs.name.clone(),
    }
}

fn at_least(value: f64, goal: f64) -> Cell {
    Cell::Goal {
        value,
        goal,
        at_most: false,
    }
}

/// The paper's Table 3.
fn exclusive(all: &[Compared]) -> Report {
    let columns = [
        "program",
        "homi",
        "best",
        "2nd",
        "3rd",
        "4th",
        "5th",
        "paper: homi",
        "best",
    ];
    let mut report = Report::new("Exclusive branches (Table 3)", &columns);
    let mut totals = vec![0.0; columns.len() - 1];
    for one in all {
        let mut row = vec![one.pruned(HOMI).map(|r| one.exclusive(r))];
        row.extend((0..super::TOP).map(|i| Some(one.exclusive(one.top().get(i)?))));
        let paper = one.program.exclusive;
        row.extend([paper.map(|p| p.0), paper.map(|p| p.1)]);
        for (total, value) in totals.iter_mut().zip(&row) {
            *total += value.unwrap_or(0.0);
        }
        let cells = row.into_iter().map(|v| v.map_or(Cell::Empty, Cell::from));
        let cells = [one.program.subject.name.into()].into_iter().chain(cells);
        report.rows.push(cells.collect());
    }
    let cells = totals.into_iter().map(Cell::from);
    report
        .rows
        .push([Cell::from("total")].into_iter().chain(cells).collect());
    report
}

/// The averages of the paper's Fig. 2.
fn states(all: &[Compared]) -> Report {
    let columns = ["program", "homi", "best", "factor", "paper: homi", "best"];
    let mut report = Report::new("Mean number of states (Fig. 2)", &columns);
    for one in all {
        let Some(homi) = one.pruned(HOMI).map(Runs::states) else {
            continue;
        };
        let best = one.best().states();
        let paper =
            |of: fn((f64, f64)) -> f64| one.program.states.map_or(Cell::Empty, |p| of(p).into());
        report.rows.push(vec![
            one.program.subject.name.into(),
            homi.into(),
            best.into(),
            (best / homi.max(1.0)).into(),
            paper(|p| p.0),
            paper(|p| p.1),
        ]);
    }
    report
}

/// The paper's Fig. 3: branches of each way to prune, and its states.
fn naive(all: &[Compared]) -> Report {
    let mut columns = vec!["program".to_string(), "best".to_string()];
    let names = all.first().map_or(&[][..], |one| &one.pruned[..]);
    columns.extend(names.iter().map(|r| r.name.clone()));
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut report = Report::new(
        "Branches at mean states, beside naive approaches (Fig. 3)",
        &columns,
    );
    for one in all {
        let cell = |r: &Runs| Cell::from(format!("{:.0} at {:.0}", r.branches(), r.states()));
        let cells = [one.program.subject.name.into(), cell(one.best())].into_iter();
        report
            .rows
            .push(cells.chain(one.pruned.iter().map(cell)).collect());
    }
    report.remarks.push(
        "Paper, grep: 2,851 with Homi, about 2,505 of the best heuristic and of random pruning, 2,406 of divide.".into(),
    );
    report
}

/// The paper's Table 4: errors, what native replay says of each, and how many seeds found it, with and without Homi on the two best
/// heuristics.
fn bugs(all: &[Compared]) -> Report {
    let columns = [
        "program",
        "error",
        "native replay",
        "best + homi",
        "best",
        "2nd + homi",
        "2nd",
        "others",
    ];
    let mut report = Report::new("Errors found, by how many seeds (Table 4)", &columns);
    for one in all {
        let mut found: BTreeMap<&String, &String> = BTreeMap::new();
        for (error, word) in one.shown().flat_map(|r| &r.runs).flat_map(|r| &r.errors) {
            let said = found.entry(error).or_insert(word);
            // One test that shows it is enough.
            if word == "confirmed" {
                *said = word;
            }
        }
        let four = [
            one.pruned(HOMI),
            one.plain.first(),
            one.second.as_ref(),
            one.plain.get(1),
        ];
        let is_other = |r: &&Runs| four.iter().flatten().all(|f| f.name != r.name);
        for (error, said) in found {
            let by =
                |runs: Option<&Runs>| runs.map_or(Cell::Empty, |r| (r.found(error) as u64).into());
            let others = one.shown().filter(is_other);
            let others = others.filter(|r| r.found(error) > 0);
            let others: Vec<&str> = others.map(|r| r.name.as_str()).collect();
            let head = [
                one.program.subject.name.into(),
                error.clone().into(),
                said.clone().into(),
            ];
            let cells = head.into_iter().chain(four.map(by));
            report
                .rows
                .push(cells.chain([others.join("; ").into()]).collect());
        }
    }
    report.remarks.push("Paper: five errors in gawk 3.1.4, grep 2.6 and combine 0.4.0, three of them with Homi only: best + Homi finds four, 2nd + Homi four, each without it two.".into());
    report
}

/// What was to be reached.
fn goals(all: &[Compared]) -> Report {
    let mut report = Report::new("Goals", &["what", "reached"]);
    let both = || all.iter().filter_map(|one| Some((one, one.pruned(HOMI)?)));
    let most = both().filter(|(one, homi)| homi.branches() >= one.best().branches());
    let most = most.count() as f64;
    let enough = (BEST_ON * all.len() as f64).ceil();
    let exclusive = |of: &dyn Fn(&Compared) -> f64| all.iter().map(of).sum::<f64>();
    let ours = exclusive(&|one| one.pruned(HOMI).map_or(0.0, |r| one.exclusive(r)));
    let best = exclusive(&|one| one.exclusive(one.best()));
    let states = |one: &Compared| one.best().mean(RoundRecord::mean_states);
    let few = both().filter(|(one, homi)| {
        homi.states() * FEWER_STATES <= states(one) && homi.branches() >= one.best().branches()
    });
    report.rows = vec![
        vec![
            "programs on which Homi covers most branches".into(),
            at_least(most, enough),
        ],
        vec![
            format!("exclusive branches, {MORE_EXCLUSIVE} times those of the best heuristics")
                .into(),
            at_least(ours, MORE_EXCLUSIVE * best),
        ],
        vec![
            format!("programs with at most 1/{FEWER_STATES} of the states at no less coverage")
                .into(),
            at_least(few.count() as f64, all.len() as f64),
        ],
    ];
    report
}
