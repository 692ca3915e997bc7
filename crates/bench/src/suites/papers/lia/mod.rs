//! Suite `lia`: generated problems over linear integers, our solver beside z3 (with `--only`, beside others, or over these
//! families). The families go round over five sizes.

mod choices;
mod kinds;
mod programs;
mod script;
mod systems;

use crate::tools::Context;
use crate::tools::families::{Asked, Families, FamilyRow, Generate, Reading};
use crate::tools::report::{Cell, Report};
use anyhow::Result;

/// We may take so many times z3's time in all, and in a family.
const RATIO: (f64, f64) = (2.0, 5.0);
/// Seconds added to both times before a family's ratio is taken: below, what differs is noise.
const NOISE: f64 = 0.02;

const SUITE: Families = Families {
    name: "lia",
    all: FAMILIES,
    sizes: 5,
    count: 300,
    limit: 10.0,
    peers: &["z3"],
};

/// All families, each one's own row.
#[rustfmt::skip]
const FAMILIES: &[(&str, Generate)] = &[
    ("circuits", programs::circuits),
    ("dense", systems::dense),
    ("diamonds", choices::diamonds),
    ("differences", choices::differences),
    ("digits", programs::digits),
    ("disjunctions", choices::disjunctions),
    ("fft", programs::fft),
    ("gcd", systems::gcd),
    ("knapsack", systems::knapsack),
    ("loops", programs::loops),
    ("multipliers", kinds::multipliers),
    ("narrow", systems::narrow),
    ("packing", choices::packing),
    ("petri", systems::petri),
    ("pigeons", choices::pigeons),
    ("pseudo-boolean", choices::pseudo_boolean),
    ("puzzles", choices::puzzles),
    ("queens", choices::queens),
    ("rhombi", systems::rhombi),
    ("rings", programs::rings),
    ("scaled-rings", kinds::scaled_rings),
    ("scheduling", choices::scheduling),
    ("selections", kinds::selections),
    ("slack", systems::slack),
    ("slack-rows", kinds::slack_rows),
    ("tropical", programs::tropical),
    ("unbounded", systems::unbounded),
];

/// See the module.
pub fn run(context: &Context) -> Result<Report> {
    let asked = SUITE.ask(context)?;
    Ok(report(&asked))
}

fn report(asked: &Asked) -> Report {
    let limit = asked.limit;
    // CPU seconds of solving, at most the limit.
    let time = |row: &FamilyRow, k: usize| row.answers[k].solve.min(limit);
    let first = asked.solvers.get(1).map_or("-", |c| &c.name);
    let ratio = |rows: &[&FamilyRow], is_all: bool| {
        if asked.solvers.len() < 2 {
            return Cell::Empty;
        }
        let noise = NOISE * rows.len() as f64;
        let sum = |k: usize| rows.iter().map(|row| time(row, k)).sum::<f64>() + noise;
        Cell::Goal {
            value: sum(0) / sum(1),
            goal: if is_all { RATIO.0 } else { RATIO.1 },
            at_most: true,
        }
    };
    let remark = |row: &FamilyRow| {
        let by_others = (1..row.answers.len()).any(|k| row.is_decided(k, limit));
        (by_others && !row.is_decided(0, limit)).then_some("undecided")
    };
    let mut report = asked.report(&Reading {
        title: format!(
            "{} problems over linear integers, {limit} s each",
            asked.rows.len()
        ),
        time: &time,
        last_column: format!("ratio to {first}"),
        last: &ratio,
        remark: &remark,
    });
    // In all, we are to decide as many as the first of the others.
    if let Some(all) = report.rows.last_mut()
        && let (Cell::Number(value), Cell::Number(goal)) = (&all[2], &all[4])
    {
        all[2] = Cell::Goal {
            value: *value,
            goal: *goal,
            at_most: false,
        };
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_makes_the_same_problem_from_the_same_seed() {
        crate::tools::families::check(&SUITE);
    }
}
