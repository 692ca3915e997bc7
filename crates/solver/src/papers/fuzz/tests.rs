//! What fuzzing finds, that all of it repeats, and what it shows.

use super::Fuzzer;
use crate::model::Model;
use crate::numeric::conditions::{QueryBuilder, SOLVABLE, Writer};
use term::{Evaluator, Pool, Term};

/// What fuzzing finds in a few million operations.
const EASY: &[&str] = &["absorbed", "not a number", "either", "exponent bits"];

fn written(conditions: QueryBuilder) -> (Pool, Vec<Term>) {
    let mut w = Writer::new();
    let floats = ["x", "y", "z"].map(|name| w.double(name));
    let conditions = conditions(&mut w, floats);
    (w.pool, conditions)
}

fn fuzz(pool: &Pool, conditions: &[Term], seed: u64, ticks: u64) -> (Option<Model>, u64) {
    let mut fuzzer = Fuzzer::new(pool, conditions, &Model::new(), seed, ticks, None);
    let found = fuzzer.run(&mut |_| {});
    (found, fuzzer.executions)
}

#[test]
fn what_is_easy_is_found_with_every_seed() {
    for row in SOLVABLE.iter().filter(|row| EASY.contains(&row.name)) {
        let (pool, conditions) = written(row.conditions);
        let mut most = 0;
        for seed in 0..10 {
            let (found, executions) = fuzz(&pool, &conditions, seed, 1 << 26);
            let model = found.unwrap_or_else(|| panic!("{}, seed {seed}", row.name));
            let violated = Evaluator::new().first_false(&pool, &conditions, &model);
            assert_eq!(violated, None, "{}, seed {seed}", row.name);
            most = most.max(executions);
        }
        println!("{:<30} {most:>8}", row.name);
    }
}

#[test]
fn the_limit_is_kept_and_one_input_shown_for_each_condition() {
    let (pool, conditions) = written(|w, [x, y, _]| {
        vec![
            w.above(x, 3.0),
            w.below(y, 7.0),
            w.above(y, -1.0),
            w.below(x, 2.0),
        ]
    });
    let mut fuzzer = Fuzzer::new(&pool, &conditions, &Model::new(), 1, 1_000_000, None);
    let mut first = Vec::new();
    let found = fuzzer.run(&mut |model| {
        first.push(Evaluator::new().first_false(&pool, &conditions, model));
    });
    assert!(found.is_none());
    assert!((10_000..1_000_000).contains(&fuzzer.executions));
    first.sort_unstable();
    assert_eq!(first, [Some(0), Some(1), Some(2), Some(3)]);
}
