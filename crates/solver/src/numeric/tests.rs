//! What the search finds, and that all of it repeats.

use super::conditions::{QueryBuilder, SOLVABLE, Writer};
use super::{Descent, Metric, Problem};
use crate::model::Model;
use crate::numbers::variables;
use term::{Evaluator, FloatFormat, Pool, Term};

fn search(
    conditions: QueryBuilder,
    seed: u64,
    ticks: u64,
) -> (Option<Model>, u64, Pool, Vec<Term>) {
    let mut w = Writer::new();
    let floats = ["x", "y", "z"].map(|name| w.double(name));
    let conditions = conditions(&mut w, floats);
    let Writer { pool, .. } = w;
    let mut problem = Problem::new(&pool, &conditions, &Model::new(), Metric::Steps);
    let mut descent = Descent::new(&mut problem, seed, ticks, None);
    let found = descent.run(&mut |_| {});
    let evaluations = descent.evaluations();
    (found, evaluations, pool, conditions)
}

#[test]
fn solutions_are_found_soon_with_every_seed() {
    for row in SOLVABLE {
        let mut counts = Vec::new();
        for seed in 0..10 {
            let (found, evaluations, pool, conditions) = search(row.conditions, seed, 1 << 24);
            let model = found.unwrap_or_else(|| panic!("{}, seed {seed}", row.name));
            let violated = Evaluator::new().first_false(&pool, &conditions, &model);
            assert_eq!(violated, None, "{}, seed {seed}", row.name);
            counts.push(evaluations);
        }
        counts.sort_unstable();
        let (median, most) = (counts[5], counts[9]);
        println!("{:<30} {median:>8} {most:>8}", row.name);
        assert!(most <= row.most, "{}: {most} evaluations", row.name);
    }
}

#[test]
fn a_search_repeats_and_keeps_its_limit() {
    let impossible: QueryBuilder = |w, [x, ..]| vec![w.below(x, 1.0), w.above(x, 2.0)];
    let (found, evaluations, ..) = search(impossible, 1, 100_000);
    assert!(found.is_none() && (1000..100_000).contains(&evaluations));
    assert_eq!(search(impossible, 1, 100_000).1, evaluations);
    let conditions = SOLVABLE[2].conditions;
    let (first, second) = (
        search(conditions, 3, 1 << 24),
        search(conditions, 3, 1 << 24),
    );
    assert_eq!(first.1, second.1);
    assert_eq!(first.0, second.0);
}

#[test]
fn variables_are_what_conditions_read_as_one_number() {
    let mut w = Writer::new();
    let (x, y) = (w.double("x"), w.double("y"));
    let byte = w.bytes("b", 1);
    let bits = w.pool.fp_to_bits(y);
    let (limit, seven) = (w.pool.bv(64, 99), w.pool.bv(8, 7));
    let conditions = [
        w.above(x, 0.0),
        w.pool.ult(bits, limit),
        w.pool.eq(byte, seven),
    ];
    let Writer { pool, .. } = w;
    let found = variables(&pool, &conditions);
    let kinds: Vec<_> = found.iter().map(|v| (v.width, v.format)).collect();
    assert_eq!(
        kinds,
        [(64, Some(FloatFormat::DOUBLE)), (64, None), (8, None)]
    );
    let mut model = Model::new();
    for value in [0u128, 1, 0x0123_4567_89ab_cdef, u64::MAX.into()] {
        found[0].write(value, &mut model);
        assert_eq!(found[0].read(&model), value);
        assert_eq!(found[0].moved(found[0].moved(value, 12345), -12345), value);
    }
    // Steps follow the order of values, through the zeros.
    let bits = |x: f64| u128::from(x.to_bits());
    assert_eq!(found[0].moved(bits(1.0), 1), bits(1.0f64.next_up()));
    assert_eq!(found[0].moved(bits(-1.0), 1), bits((-1.0f64).next_up()));
    assert_eq!(found[0].moved(bits(-0.0), 1), bits(0.0));
}
