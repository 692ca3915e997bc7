//! What the papers' searches find.

use super::Hopping;
use crate::model::Model;
use crate::numeric::conditions::{QueryBuilder, SOLVABLE, Writer};
use crate::numeric::{Metric, Problem};
use term::Evaluator;

/// The baselines: what they find, and how often.
#[test]
fn the_papers_searches_find_what_is_smooth() {
    for metric in [Metric::Gosat, Metric::Xsat] {
        let mut solved = Vec::new();
        for row in SOLVABLE {
            let count = (0..10)
                .filter(|&seed| hop(row.conditions, metric, seed))
                .count();
            println!("{metric:?} {:<30} {count:>2}", row.name);
            solved.push((row.name, count));
        }
        for name in ["cube", "distance", "close"] {
            let (_, count) = solved.iter().find(|(n, _)| *n == name).expect("a row");
            assert!(*count >= 5, "{metric:?}, {name}: {count} of 10");
        }
    }
}

/// Does basin hopping find a solution?
fn hop(conditions: QueryBuilder, metric: Metric, seed: u64) -> bool {
    let mut w = Writer::new();
    let floats = ["x", "y", "z"].map(|name| w.double(name));
    let conditions = conditions(&mut w, floats);
    let mut problem = Problem::new(&w.pool, &conditions, &Model::new(), metric);
    let mut hopping = Hopping::new(&mut problem, seed, 1 << 18, None);
    let found = hopping.run(&mut |_| {});
    if let Some(model) = &found {
        let violated = Evaluator::new().first_false(&w.pool, &conditions, model);
        assert_eq!(violated, None);
    }
    found.is_some()
}
