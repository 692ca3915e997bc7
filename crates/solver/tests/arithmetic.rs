//! Abstract products and divisions: identities that no circuit proves in time, incremental contexts, and
//! operators at small widths against their meaning.

use crate::common::UNHURRIED;
use polypath_solver as solver;
use solver::{
    Budget, LayerId, Model, NoTrials, Origin, Outcome, PathCondition, Solver, SolverOptions,
    Technique, Trials,
};
use term::{Evaluator, Pool, Sort, Term};

fn symbols<const N: usize>(pool: &mut Pool, width: u32) -> [Term; N] {
    std::array::from_fn(|i| {
        let symbol = pool.new_symbol(&format!("s{i}"), Sort::BitVec(width));
        pool.symbol_term(symbol)
    })
}

fn blast(width: Option<u32>) -> Solver {
    Solver::new(SolverOptions {
        abstract_width: width,
        ..SolverOptions::with_layers(&[LayerId::Blast])
    })
}

fn solve(solver: &mut Solver, pool: &mut Pool, terms: &[Term], trials: &mut dyn Trials) -> Outcome {
    let mut pc = PathCondition::new();
    for &t in terms {
        solver.push(pool, &mut pc, t, Origin::Assume);
    }
    let budget = Budget {
        conflicts: 40_000,
        ..UNHURRIED
    };
    solver.solve(pool, &pc, &budget, trials)
}

/// `x = x / y * y + x % y`, `(x * y) / y = x` for halves, `x <= max / y -> x * y >= x`.
#[test]
fn identities_are_proved_by_lemmas() {
    for width in [32, 64] {
        let pool = &mut Pool::new();
        let [x, y, small, other] = symbols(pool, width);
        let zero = pool.bv(width, 0);
        let nonzero = pool.ne(y, zero);
        let (q, r) = (pool.udiv(x, y), pool.urem(x, y));
        let back = pool.mul(q, y);
        let back = pool.add(back, r);
        let definition = pool.ne(back, x);

        let half = pool.bv(width, 1 << (width / 2));
        let (below, also) = (pool.ult(small, half), pool.ult(y, half));
        let product = pool.mul(small, y);
        let quotient = pool.udiv(product, y);
        let inverse = pool.ne(quotient, small);

        let ones = pool.ones(width);
        let most = pool.udiv(ones, y);
        let guarded = pool.ule(other, most);
        let product = pool.mul(other, y);
        let overflow = pool.ult(product, other);
        for terms in [
            vec![nonzero, definition],
            vec![nonzero, below, also, inverse],
            vec![nonzero, guarded, overflow],
        ] {
            let mut solver = blast(None);
            let outcome = solve(&mut solver, pool, &terms, &mut NoTrials);
            assert!(
                matches!(outcome, Outcome::Unsat(_)),
                "{}",
                term::to_smt2(pool, &terms)
            );
            assert!(solver.stats().arith_lemmas > 0);
        }
    }
}

/// Without its guard each identity is false, and the model says so.
#[test]
fn near_identities_have_models() {
    let pool = &mut Pool::new();
    let [x, y] = symbols(pool, 32);
    let zero = pool.bv(32, 0);
    let nonzero = pool.ne(y, zero);
    let product = pool.mul(x, y);
    let quotient = pool.udiv(product, y);
    let inverse = pool.ne(quotient, x);
    let ones = pool.ones(32);
    let most = pool.udiv(ones, y);
    let guarded = pool.ult(most, x);
    let overflow = pool.ult(product, x);
    let rest = pool.srem(x, y);
    let sign = pool.slt(rest, zero);
    for terms in [
        vec![nonzero, inverse],
        vec![nonzero, guarded, overflow],
        vec![nonzero, sign],
    ] {
        let outcome = solve(&mut blast(None), pool, &terms, &mut NoTrials);
        let Outcome::Sat(model) = outcome else {
            panic!("{}", term::to_smt2(pool, &terms));
        };
        assert!(Evaluator::new().first_false(pool, &terms, &model).is_none());
    }
}

struct Count(u32);

impl Trials for Count {
    fn tried(&mut self, _: &Model, by: Technique) {
        self.0 += u32::from(by == Technique::Abstraction);
    }
}

/// Every operator at small widths, all in one solver: lemmas of one query must not harm another one.
#[test]
fn results_are_right_in_contexts_that_live_on() {
    let pool = &mut Pool::new();
    let mut solver = blast(Some(1));
    let mut shown = Count(0);
    for width in [1, 3, 4] {
        let [x, y] = symbols(pool, width);
        let results = [
            pool.mul(x, y),
            pool.udiv(x, y),
            pool.urem(x, y),
            pool.sdiv(x, y),
            pool.srem(x, y),
        ];
        for (k, &result) in results.iter().enumerate() {
            for n in (0..1u64 << (2 * width)).filter(|n| n % 5 == k as u64 || width < 4) {
                let mut model = Model::new();
                let (a, b) = (n & ((1 << width) - 1), n >> width);
                for (s, v) in [(x, a), (y, b)] {
                    model.set(pool.as_symbol(s).unwrap(), v);
                }
                let value = Evaluator::new().eval(pool, result, &model);
                let (a, b) = (pool.bv(width, a), pool.bv(width, b));
                let value = pool.bv(width, value);
                let terms = [pool.eq(x, a), pool.eq(y, b)];
                let (right, wrong) = (pool.eq(result, value), pool.ne(result, value));
                let [with, without] = [right, wrong]
                    .map(|last| solve(&mut solver, pool, &[terms[0], terms[1], last], &mut shown));
                assert!(matches!(with, Outcome::Sat(_)), "{k} {n} {width}");
                assert!(matches!(without, Outcome::Unsat(_)), "{k} {n} {width}");
            }
        }
    }
    assert!(shown.0 > 0, "abstract models are shown");
    assert_eq!(solver.stats().models_rejected, 0);
}

/// A product of a hostile width is refused at once.
#[test]
fn hostile_widths_are_too_large() {
    let pool = &mut Pool::new();
    let [x, y] = symbols(pool, 1 << 20);
    for result in [pool.mul(x, y), pool.udiv(x, y), pool.shl(x, y)] {
        let wrong = pool.ult(result, y);
        let outcome = solve(&mut blast(None), pool, &[wrong], &mut NoTrials);
        assert!(
            matches!(outcome, Outcome::Unknown(solver::Why::TooLarge)),
            "{outcome:?}"
        );
    }
}
