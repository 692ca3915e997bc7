//! What annealing finds, and what it shows on its way.

use super::Annealing;
use crate::model::Model;
use crate::numeric::conditions::{SOLVABLE, Writer};
use crate::numeric::{Metric, Problem};
use term::Evaluator;

#[test]
fn annealing_finds_what_is_smooth() {
    for metric in [Metric::Gosat, Metric::Xsat] {
        for name in ["cube", "distance", "close", "quadratic"] {
            let row = SOLVABLE.iter().find(|row| row.name == name);
            let row = row.expect("a row");
            let is_solved = |&seed: &u64| {
                let mut w = Writer::new();
                let floats = ["x", "y", "z"].map(|name| w.double(name));
                let conditions = (row.conditions)(&mut w, floats);
                let mut problem = Problem::new(&w.pool, &conditions, &Model::new(), metric);
                let found = Annealing::new(&mut problem, seed, 1 << 20, None).run(&mut |_| {});
                if let Some(model) = &found {
                    let violated = Evaluator::new().first_false(&w.pool, &conditions, model);
                    assert_eq!(violated, None, "{metric:?}, {name}");
                }
                found.is_some()
            };
            let count = (0..6).filter(is_solved).count();
            assert!(count >= 5, "{metric:?}, {name}: {count} of 6");
        }
    }
}

/// Where it is so cold that no move up is taken, moves up are shown all the same.
#[test]
fn moves_are_shown_before_they_are_judged() {
    let mut w = Writer::new();
    let [x, y] = ["x", "y"].map(|name| w.double(name));
    let (square, product) = (w.mul(x, x), w.mul(x, y));
    let conditions = [
        w.below(square, 4.0),
        w.above(square, 5.0),
        w.above(product, 7.0),
    ];
    let mut problem = Problem::new(&w.pool, &conditions, &Model::new(), Metric::Gosat);
    let mut shown = Vec::new();
    let mut annealing = Annealing::new(&mut problem, 1, 1 << 16, None);
    annealing.reach.fill(50.0);
    let mut cost = annealing.walk.cost;
    for _ in 0..40 {
        annealing.go_or_stay(0, 1e-300, &mut |model| {
            let violated = Evaluator::new().first_false(&w.pool, &conditions, model);
            shown.push((violated.expect("there is no solution"), model.clone()));
        });
        assert!(annealing.walk.cost <= cost, "a move up was taken");
        cost = annealing.walk.cost;
    }
    let [(0, model)] = &shown[..] else {
        panic!(
            "one assignment for each condition that is violated first, but for the start's: {shown:?}"
        );
    };
    let square = w.pool.fp_to_bits(square);
    let value = f64::from_bits(Evaluator::new().eval(&w.pool, square, model));
    assert!(value >= 4.0, "{value}");
}
