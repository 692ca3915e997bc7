//! Both encodings against brute force, and what is refuted before any choice.

use super::decide::encode_and_search;
use super::encode::IntegerEncoding;
use solver::theory::SearchAnswer;
use solver::{
    Budget, Cx, Layer, LayerId, Model, NoTrials, Origin, Outcome, PathCondition, Query, Solver,
    SolverOptions,
};
use term::{BigInt, Evaluator, Pool, Sort, Symbol, Term};
use testkit::Random;

/// The layer with one of its encodings.
struct OneEncoding(IntegerEncoding);

impl Layer for OneEncoding {
    fn check(&mut self, cx: &mut Cx<'_>, query: &Query<'_>) -> Outcome {
        match encode_and_search(cx, query, self.0) {
            Ok(SearchAnswer::Sat(model)) => Outcome::Sat(model),
            Ok(SearchAnswer::Unsat(core)) => query.refuted(core),
            Ok(SearchAnswer::Unknown(why)) | Err(why) => Outcome::Unknown(why),
        }
    }
}

/// What an encoding says about some conditions, and the conflicts that it took.
fn ask(pool: &mut Pool, conditions: &[Term], method: IntegerEncoding) -> (Outcome, u64) {
    let options = SolverOptions::with_layers(&[LayerId::Lia]);
    let guest: Box<dyn Layer> = Box::new(OneEncoding(method));
    let mut solver = Solver::with_guests(options, vec![(LayerId::Lia, guest)]);
    let mut path = PathCondition::new();
    for &t in conditions {
        solver.push(pool, &mut path, t, Origin::Assume);
    }
    let outcome = solver.solve(pool, &path, &Budget::default(), &mut NoTrials);
    (outcome, solver.stats().sat_conflicts)
}

/// Integers within bounds, and clauses of comparisons of their sums.
fn random_clauses(
    pool: &mut Pool,
    random: &mut Random,
    symbols: &[Symbol],
    most: i64,
) -> Vec<Term> {
    let terms: Vec<Term> = symbols.iter().map(|&s| pool.symbol_term(s)).collect();
    let ends = [-most, most].map(|n| pool.int(&n.into()));
    let mut conditions = Vec::new();
    for &x in &terms {
        conditions.extend([pool.int_le(ends[0], x), pool.int_le(x, ends[1])]);
    }
    for _ in 0..3 + random.below(5) {
        let mut clause = Term::FALSE;
        for _ in 0..1 + random.below(3) {
            let mut sum = pool.int(&random.range(-6, 6).into());
            for _ in 0..2 {
                let x = random.pick(&terms);
                let scaled = pool.int_scale(&random.range(-4, 4).into(), x);
                sum = pool.int_add(sum, scaled);
            }
            let zero = pool.int(&0.into());
            let one = match random.below(3) {
                0 => pool.eq(sum, zero),
                _ => pool.int_lt(sum, zero),
            };
            clause = pool.or(clause, one);
        }
        conditions.push(clause);
    }
    conditions
}

#[test]
fn both_encodings_agree_with_brute_force() {
    let mut random = Random::new(77);
    let most = 2;
    let (mut sat, mut unsat) = (0, 0);
    for _ in 0..300 {
        let pool = &mut Pool::new();
        let symbols = ["x", "y", "z"].map(|name| pool.new_symbol(name, Sort::Int));
        let conditions = random_clauses(pool, &mut random, &symbols, most);
        let mut evaluator = Evaluator::new();
        let exists = (0..125).any(|n| {
            let mut model = Model::new();
            let values = [n % 5, n / 5 % 5, n / 25].map(|value| BigInt::from(value - most));
            for (&symbol, value) in symbols.iter().zip(values) {
                model.set_int(symbol, value);
            }
            evaluator.first_false(pool, &conditions, &model).is_none()
        });
        for method in [IntegerEncoding::Rows, IntegerEncoding::Bits] {
            match ask(pool, &conditions, method).0 {
                Outcome::Sat(model) => {
                    assert!(evaluator.first_false(pool, &conditions, &model).is_none());
                    sat += 1;
                }
                Outcome::Unsat(core) => {
                    assert!(!exists && core.iter().all(|t| conditions.contains(t)));
                    let again = ask(pool, &core, method).0;
                    assert!(matches!(again, Outcome::Unsat(_)));
                    unsat += 1;
                }
                Outcome::Unknown(why) => panic!("{method:?}: {why}"),
            }
        }
    }
    assert!(sat > 100 && unsat > 100, "{sat} {unsat}");
}

/// A counter that each of many steps changes by one of two multiples of a number, and its end.
fn steps(pool: &mut Pool, count: usize, end: i64) -> Vec<Term> {
    let mut conditions = Vec::new();
    let mut now = pool.int(&0.into());
    for k in 0..count {
        let guard = pool.new_symbol(&format!("c{k}"), Sort::BitVec(1));
        let guard = pool.symbol_term(guard);
        let next = pool.new_symbol(&format!("s{k}"), Sort::Int);
        let next = pool.symbol_term(next);
        let [up, down] = [6, -9].map(|n: i64| pool.int(&n.into()));
        let step = pool.ite(guard, up, down);
        let after = pool.int_add(now, step);
        conditions.push(pool.eq(next, after));
        // Something to choose by.
        let zero = pool.int(&0.into());
        let is_positive = pool.int_lt(zero, next);
        conditions.push(pool.or(guard, is_positive));
        now = next;
    }
    let end = pool.int(&end.into());
    conditions.push(pool.eq(now, end));
    conditions
}

#[test]
fn what_no_choice_changes_is_refuted_without_a_choice() {
    let pool = &mut Pool::new();
    let conditions = steps(pool, 30, 100);
    let (answer, conflicts) = ask(pool, &conditions, IntegerEncoding::Rows);
    let Outcome::Unsat(core) = answer else {
        panic!("100 is no multiple of 3");
    };
    assert_eq!(conflicts, 0);
    assert_eq!(core.len(), 31, "the equations");
    let pool = &mut Pool::new();
    let conditions = steps(pool, 5, 15);
    let (answer, _) = ask(pool, &conditions, IntegerEncoding::Rows);
    assert!(matches!(answer, Outcome::Sat(_)), "6·4 - 9");
}
