//! Where the search of a SAT solver begins: near the witness, or without its values.

use polypath_solver as solver;
use solver::{
    Ask, Budget, LayerId, Model, Origin, Outcome, PathCondition, SatKind, SatStart, Solver,
    SolverOptions,
};
use term::{Pool, Sort, Symbol, Term};

fn solver(sat_start: SatStart) -> Solver {
    Solver::new(SolverOptions {
        sat_start,
        sat: SatKind::Batsat,
        ..SolverOptions::with_layers(&[LayerId::Blast])
    })
}

fn bytes(pool: &mut Pool, count: usize) -> Vec<(Symbol, Term)> {
    let byte = |k| {
        let symbol = pool.new_symbol(&format!("b{k}"), Sort::BitVec(8));
        (symbol, pool.symbol_term(symbol))
    };
    (0..count).map(byte).collect()
}

fn model_of(
    pool: &mut Pool,
    solver: &mut Solver,
    path: &PathCondition,
    witness: &Model,
    condition: Term,
) -> Model {
    let budget = Budget::default();
    match solver.feasible(pool, condition, Ask::new(path, witness, &budget)) {
        Outcome::Sat(model) => model,
        other => panic!("{other:?}"),
    }
}

/// Bits that no clause mentions have the witness's values, or none of it.
#[test]
fn bits_that_matter_to_nothing_are_the_witness_s_or_zero() {
    for &(name, start) in SatStart::ALL {
        let pool = &mut Pool::new();
        let [(x, byte), (other, _)] = bytes(pool, 2)[..] else {
            unreachable!("two bytes")
        };
        let low = pool.extract(0, 0, byte);
        let mut witness = Model::new();
        witness.set(x, 0xf0);
        witness.set(other, 9);
        let path = PathCondition::new();
        let model = model_of(pool, &mut solver(start), &path, &witness, low);
        let expected = if start == SatStart::Witness { 0xf1 } else { 1 };
        assert_eq!(model.get(x), expected, "{name}");
        assert_eq!(
            model.get(other),
            9,
            "{name}: what the query is not about stays"
        );
    }
}

/// After some conflicts the phases are the witness's, or the solver's own.
#[test]
fn a_search_goes_on_at_the_witness_or_where_it_is() {
    const OTHERS: usize = 24;
    for &(name, start) in SatStart::ALL {
        let pool = &mut Pool::new();
        let all = bytes(pool, OTHERS + 4);
        let word = |pool: &mut Pool, k: usize| {
            let word = pool.concat(all[k + 1].1, all[k].1);
            pool.zext(32, word)
        };
        let (p, q) = (word(pool, OTHERS), word(pool, OTHERS + 2));
        let product = pool.mul(p, q);
        let [target, one] = [64_231u64 * 59_369, 1].map(|n| pool.bv(32, n));
        let mut condition = pool.eq(product, target);
        for factor in [p, q] {
            let is_large = pool.ult(one, factor);
            condition = pool.and(condition, is_large);
        }
        // Many values for each of the others, which are part of the query.
        let (mut witness, limit) = (Model::new(), pool.bv(8, 0xf0));
        for &(symbol, byte) in &all[..OTHERS] {
            let below = pool.ult(byte, limit);
            condition = pool.and(condition, below);
            witness.set(symbol, 0xa5);
        }
        let path = PathCondition::new();
        let mut solver = solver(start);
        let model = model_of(pool, &mut solver, &path, &witness, condition);
        assert!(solver.stats().sat_conflicts > 20, "{name}: an easy query");
        let same = all[..OTHERS].iter().filter(|b| model.get(b.0) == 0xa5);
        let expected = if start == SatStart::Witness {
            OTHERS
        } else {
            0
        };
        assert_eq!(same.count(), expected, "{name}");
    }
}

/// A fresh solver is built for each query, where the others serve several.
#[test]
fn a_fresh_start_knows_no_earlier_query() {
    for &(name, start) in SatStart::ALL {
        let pool = &mut Pool::new();
        let all = bytes(pool, 2);
        let sum = pool.add(all[0].1, all[1].1);
        let mut solver = solver(start);
        let mut path = PathCondition::new();
        let mut witness = Model::new();
        for k in [200, 210, 220] {
            let limit = pool.bv(8, k);
            let above = pool.ult(limit, sum);
            witness = model_of(pool, &mut solver, &path, &witness, above);
            solver.push(pool, &mut path, above, Origin::Branch);
        }
        let asked = solver.stats().sat_calls;
        let built = if start == SatStart::Fresh { asked } else { 1 };
        assert_eq!(
            solver.stats().contexts_built,
            built,
            "{name}, {asked} calls"
        );
    }
}
