//! Methods that only find inputs: what their limits left open is open for want of effort, and more of it decides more.

use polypath_solver as solver;
use solver::{
    Ask, Budget, FloatMethod, Metric, Model, Outcome, PathCondition, Points, Solver, SolverOptions,
    Why,
};
use term::{Evaluator, FloatFormat, FloatPredicate, Pool, Sort, Term};

/// The methods, each of which decides alone.
const METHODS: [FloatMethod; 10] = [
    FloatMethod::Search(Metric::Steps),
    FloatMethod::Search(Metric::Gosat),
    FloatMethod::Search(Metric::Xsat),
    FloatMethod::Annealing(Metric::Gosat),
    FloatMethod::Annealing(Metric::Xsat),
    FloatMethod::Fuzz,
    FloatMethod::Rso(Points::Searched),
    FloatMethod::Rso(Points::Fuzzed),
    FloatMethod::Synergy(Points::Searched),
    FloatMethod::Synergy(Points::Fuzzed),
];

/// What an executor gives a query at first.
const FIRST: u64 = 4_000_000;

fn double(pool: &mut Pool, name: &str) -> Term {
    let symbol = pool.new_symbol(name, Sort::BitVec(64));
    let bits = pool.symbol_term(symbol);
    pool.fp_from_bits(FloatFormat::DOUBLE, bits)
}

/// left ? right
fn compare(pool: &mut Pool, predicate: FloatPredicate, left: Term, right: f64) -> Term {
    let bits = pool.bv(64, right.to_bits());
    let right = pool.fp_from_bits(FloatFormat::DOUBLE, bits);
    pool.fcmp(predicate, left, right)
}

fn ask(pool: &mut Pool, floats: FloatMethod, condition: Term, effort: u64) -> Outcome {
    let options = SolverOptions {
        floats,
        ..SolverOptions::default()
    };
    let budget = Budget {
        effort,
        seconds: f64::INFINITY,
        ..Budget::default()
    };
    let (path, witness) = (PathCondition::new(), Model::new());
    Solver::new(options).feasible(pool, condition, Ask::new(&path, &witness, &budget))
}

#[test]
fn what_effort_left_open_says_so() {
    let mut pool = Pool::new();
    let [x, y] = ["x", "y"].map(|name| double(&mut pool, name));
    let product = pool.fmul(x, y);
    let conditions = [
        compare(&mut pool, FloatPredicate::Ogt, x, 2.0),
        compare(&mut pool, FloatPredicate::Ogt, y, 2.0),
        compare(&mut pool, FloatPredicate::Olt, product, 4.0),
    ];
    let [first, second, third] = conditions;
    let both = pool.and(first, second);
    let infeasible = pool.and(both, third);
    for method in METHODS {
        for effort in [FIRST / 16, FIRST] {
            let outcome = ask(&mut pool, method, infeasible, effort);
            let is_open = matches!(outcome, Outcome::Unknown(Why::Budget));
            assert!(is_open, "{method:?} at {effort}: {outcome:?}");
        }
    }
    // Where nothing ever decides floats, effort does not help.
    let outcome = ask(&mut pool, FloatMethod::None, infeasible, FIRST);
    assert!(
        matches!(outcome, Outcome::Unknown(Why::Float)),
        "{outcome:?}"
    );
}

#[test]
fn with_growing_effort_each_method_finds_a_cube_root() {
    let mut pool = Pool::new();
    let x = double(&mut pool, "x");
    let square = pool.fmul(x, x);
    let cube = pool.fmul(square, x);
    let condition = compare(&mut pool, FloatPredicate::Oeq, cube, 27.0);
    let mut open = 0;
    for method in METHODS {
        let mut effort = 16;
        let model = loop {
            match ask(&mut pool, method, condition, effort) {
                Outcome::Sat(model) => break model,
                Outcome::Unknown(Why::Budget) => open += 1,
                other => panic!("{method:?} at {effort}: {other:?}"),
            }
            effort = Budget::next_effort(effort).expect("found before the last effort");
        };
        assert_eq!(Evaluator::new().eval(&pool, condition, &model), 1);
    }
    assert!(open > 5, "asked with too much at first: {open}");
}
