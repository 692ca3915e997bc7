//! Each rule where it must fire and where it must not; and the whole against enumeration.

use super::*;
use crate::{Budget, NoTrials, Origin, Outcome, Solver, SolverOptions};

fn preprocessed(pool: &mut Pool, conditions: &[Term]) -> (Preprocess, SolverStats) {
    let mut stats = SolverStats::default();
    let mut query = Preprocess::new(pool, conditions.to_vec(), &mut stats);
    for _ in 0..MAX_ROUNDS {
        if !query.propagate(pool, &mut stats) {
            break;
        }
    }
    (query, stats)
}

#[test]
fn constant_stores_become_a_table_and_others_do_not() {
    let pool = &mut Pool::new();
    let symbol = pool.new_symbol("x", Sort::BitVec(64));
    let (x, zero, seven) = (pool.symbol_term(symbol), pool.bv(8, 0), pool.bv(8, 7));
    let base = pool.array_const(64, 8, zero);
    let (one, two, far) = (pool.bv(64, 1), pool.bv(64, 2), pool.bv(64, 1 << 40));
    let chain = pool.store(base, two, zero);
    let chain = pool.store(chain, two, seven);
    let chain = pool.store(chain, one, seven);
    let read = |pool: &mut Pool, array: Term| {
        let element = pool.select(array, x);
        pool.eq(element, seven)
    };
    let condition = read(pool, chain);
    let (query, stats) = preprocessed(pool, &[condition]);
    assert_eq!(stats.preprocess_tables, 1);
    let tables = pool.cone(&query.conjuncts);
    let content = tables.iter().find(|&&t| pool.op(t) == Op::ArrayBytes);
    assert_eq!(pool.array_content(*content.unwrap()), [0, 7, 7]);

    for at in [far, x] {
        let open = pool.store(base, at, seven);
        let y = pool.bv(64, 3);
        let element = pool.select(open, y);
        let other = pool.store(open, one, element);
        let condition = read(pool, other);
        let (query, _) = preprocessed(pool, &[condition]);
        assert!(
            pool.cone(&query.conjuncts)
                .iter()
                .any(|&t| pool.op(t) == Op::Store)
        );
    }
}

#[test]
fn a_symbol_goes_unless_it_occurs_in_its_own_value() {
    let pool = &mut Pool::new();
    let [x, y] = ["x", "y"].map(|n| {
        let symbol = pool.new_symbol(n, Sort::BitVec(8));
        pool.symbol_term(symbol)
    });
    let product = pool.mul(y, y);
    let definition = pool.eq(x, product);
    let less = pool.ult(x, y);
    let (query, stats) = preprocessed(pool, &[definition, less]);
    assert_eq!((query.conjuncts.len(), stats.preprocess_equalities), (1, 1));
    assert!(!pool.cone(&query.conjuncts).contains(&x));
    let own = pool.mul(x, y);
    let circular = pool.eq(x, own);
    let (query, stats) = preprocessed(pool, &[circular, less]);
    assert_eq!((query.conjuncts.len(), stats.preprocess_equalities), (2, 0));
}

#[test]
fn what_is_known_is_known_elsewhere_and_not_in_itself() {
    let pool = &mut Pool::new();
    let [x, y] = ["x", "y"].map(|n| {
        let symbol = pool.new_symbol(n, Sort::BitVec(8));
        pool.symbol_term(symbol)
    });
    let p = pool.ult(x, y);
    let sum = pool.add(x, y);
    let q = pool.ult(sum, x);
    let (not_p, either) = (pool.not(p), pool.or(p, q));
    let (query, stats) = preprocessed(pool, &[not_p, either]);
    assert_eq!(
        (query.conjuncts, stats.preprocess_known),
        (vec![not_p, q], 1)
    );
    let (query, stats) = preprocessed(pool, &[p, q]);
    assert_eq!((query.conjuncts, stats.preprocess_known), (vec![p, q], 0));
}

/// Formulas over three symbols of two bits and one Boolean, at random, against all assignments.
#[test]
fn formulas_are_satisfiable_as_they_were() {
    let mut seed = 12345u64;
    let mut random = |n: u64| {
        seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (seed >> 33) % n
    };
    for case in 0..600 {
        let pool = &mut Pool::new();
        let widths = [2, 2, 2, 1];
        let symbols = widths.map(|w| pool.new_symbol("s", Sort::BitVec(w)));
        let mut words: Vec<Term> = symbols[..3].iter().map(|&s| pool.symbol_term(s)).collect();
        let mut facts: Vec<Term> = vec![pool.symbol_term(symbols[3])];
        for _ in 0..8 {
            let (a, b) = (random(words.len() as u64), random(words.len() as u64));
            let (a, b) = (words[a as usize], words[b as usize]);
            let c = facts[random(facts.len() as u64) as usize];
            match random(7) {
                0 => words.push(pool.add(a, b)),
                1 => words.push(pool.mul(a, b)),
                2 => words.push(pool.ite(c, a, b)),
                3 => {
                    let k = pool.bv(2, random(4));
                    facts.push(pool.eq(a, k));
                }
                4 => facts.push(pool.ult(a, b)),
                5 => facts.push(pool.not(c)),
                _ => facts.push(pool.eq(a, b)),
            }
        }
        let chosen: Vec<Term> = (0..1 + random(4))
            .map(|_| {
                let k = |random: &mut dyn FnMut(u64) -> u64| random(facts.len() as u64) as usize;
                let (p, q) = (facts[k(&mut random)], facts[k(&mut random)]);
                match random(3) {
                    0 => pool.or(p, q),
                    1 => pool.and(p, q),
                    _ => p,
                }
            })
            .collect();
        let mut evaluator = Evaluator::new();
        let satisfiable = (0..128u64).any(|n| {
            let mut model = Model::new();
            for (k, &symbol) in symbols.iter().enumerate() {
                model.set(symbol, n >> (2 * k) & ((1 << widths[k]) - 1));
            }
            evaluator.first_false(pool, &chosen, &model).is_none()
        });
        let mut solver = Solver::new(SolverOptions::default()).unwrap();
        let mut path = PathCondition::new();
        for &t in &chosen {
            solver.push(pool, &mut path, t, Origin::Assume);
        }
        let outcome = solver.solve_once(pool, &path, &Budget::default(), &mut NoTrials);
        assert_eq!(
            matches!(outcome, Outcome::Sat(_)),
            satisfiable,
            "case {case}"
        );
        assert_eq!(solver.stats().models_rejected, 0, "case {case}");
    }
}
