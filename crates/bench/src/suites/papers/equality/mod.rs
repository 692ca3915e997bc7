//! Suite `equality`: generated scripts about equality of arrays, functions and declared sorts, our solver beside the others
//! (with `--only`, beside those, or over these families).
//!
//! The families go round over six sizes, with and without models. The goal is of each problem by itself: at most
//! [`RATIO`] times the best of the others, and [`MORE`]. The time is that of reading and solving, in a process that has started.

mod chains;
mod relations;
mod script;

use crate::tools::Context;
use crate::tools::contenders::PEERS;
use crate::tools::families::{Families, FamilyRow, Generate, Reading};
use crate::tools::report::{Cell, Report};
use anyhow::Result;

/// We may take so many times the time of the best of the others,
const RATIO: f64 = 3.0;
/// and so many seconds more.
const MORE: f64 = 0.02;

const SUITE: Families = Families {
    name: "equality",
    all: FAMILIES,
    sizes: 6,
    count: 500,
    limit: 4.0,
    peers: PEERS,
};

/// All families, each one's own row.
#[rustfmt::skip]
const FAMILIES: &[(&str, Generate)] = &[
    ("choices", relations::choices),
    ("chosen-stores", relations::chosen_stores),
    ("constants", relations::constants),
    ("copies", chains::copies),
    ("declared-sorts", relations::declared_sorts),
    ("different-before-a-store", chains::different_before_a_store),
    ("exchanges", chains::exchanges),
    ("functions", relations::functions),
    ("stores-in-two-orders", chains::stores_in_two_orders),
    ("swaps-and-back", chains::swaps_and_back),
    ("swaps-in-two-orders", chains::swaps_in_two_orders),
];

/// CPU seconds of reading and solving, the latter at most the limit.
fn time(row: &FamilyRow, contender: usize, limit: f64) -> f64 {
    let answer = &row.answers[contender];
    answer.read + answer.solve.min(limit)
}

/// Are we slower than the best of the others allows? Not where none of them decides.
fn is_over(row: &FamilyRow, limit: f64) -> bool {
    let others = (1..row.answers.len()).filter(|&k| row.is_decided(k, limit));
    let best = others.map(|k| time(row, k, limit)).min_by(f64::total_cmp);
    best.is_some_and(|best| !row.is_decided(0, limit) || time(row, 0, limit) > RATIO * best + MORE)
}

/// See the module.
pub fn run(context: &Context) -> Result<Report> {
    let asked = SUITE.ask(context)?;
    let limit = asked.limit;
    let over = |rows: &[&FamilyRow], _is_all: bool| Cell::Goal {
        value: rows.iter().filter(|row| is_over(row, limit)).count() as f64,
        goal: 0.0,
        at_most: true,
    };
    Ok(asked.report(&Reading {
        title: format!(
            "{} scripts about equality, {limit} s each",
            asked.rows.len()
        ),
        time: &|row, k| time(row, k, limit),
        last_column: format!("over {RATIO} times the best and {MORE} s"),
        last: &over,
        remark: &|row| is_over(row, limit).then_some("over"),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::contenders::ContenderAnswer;
    use crate::tools::families;

    #[test]
    fn a_family_makes_the_same_problem_from_the_same_seed_and_others_of_other_sizes() {
        families::check(&SUITE);
        for &(name, generate) in FAMILIES {
            let of = |size| families::problem(name, generate, 7, size).script;
            for size in 1..SUITE.sizes {
                assert_ne!(of(size), of(size - 1), "{name}");
            }
        }
    }

    #[test]
    fn what_is_over_is_held_against_the_best_that_decides() {
        let answer = |&(word, solve): &(&str, f64)| ContenderAnswer {
            word: word.into(),
            read: 0.0,
            solve,
        };
        let over = |answers: &[(&str, f64)]| {
            let row = FamilyRow {
                family: "a",
                file: std::path::PathBuf::new(),
                is_sat: None,
                answers: answers.iter().map(answer).collect(),
            };
            is_over(&row, 4.0)
        };
        let best = ("sat", 0.1);
        assert!(!over(&[("sat", 0.31), ("unknown", 0.01), best]));
        assert!(over(&[("sat", 0.33), ("sat", 3.0), best]));
        assert!(over(&[("unknown", 0.01), best]));
        assert!(!over(&[("unknown", 4.0), ("unknown", 4.0)]));
    }
}
