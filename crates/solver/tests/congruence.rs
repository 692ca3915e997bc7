//! Trials from the classes of equal terms, by the layer alone.

use polypath_solver as solver;
use solver::{
    Ask, Budget, LayerId, Model, NoTrials, Origin, Outcome, PathCondition, Solver, SolverOptions,
    Technique, Trials,
};
use term::{Evaluator, Pool, Sort, Term};

struct Recorder(Vec<Model>);

impl Trials for Recorder {
    fn tried(&mut self, model: &Model, by: Technique) {
        assert_eq!(by, Technique::Congruence);
        self.0.push(model.clone());
    }
}

struct World {
    pool: Pool,
    solver: Solver,
    path: PathCondition,
}

impl World {
    fn new() -> World {
        World {
            pool: Pool::new(),
            solver: Solver::new(SolverOptions::with_layers(&[LayerId::Congruence])),
            path: PathCondition::new(),
        }
    }

    fn words<const N: usize>(&mut self, names: [&str; N]) -> [Term; N] {
        names.map(|name| {
            let symbol = self.pool.new_symbol(name, Sort::BitVec(32));
            self.pool.symbol_term(symbol)
        })
    }

    fn function(&mut self) -> Term {
        let sort = Sort::Array {
            index: 32,
            elem: 32,
        };
        let symbol = self.pool.new_symbol("f", sort);
        self.pool.symbol_term(symbol)
    }

    fn push(&mut self, condition: Term) {
        let World { pool, solver, path } = self;
        solver.push(pool, path, condition, Origin::Branch);
    }

    fn solve(&mut self) -> (Outcome, Vec<Model>) {
        let mut trials = Recorder(Vec::new());
        let World { pool, solver, path } = self;
        let outcome = solver.solve(pool, path, &Budget::default(), &mut trials);
        (outcome, trials.0)
    }

    fn satisfied(&self, model: &Model) -> usize {
        let mut evaluator = Evaluator::new();
        let holds = |t: Term| evaluator.eval(&self.pool, t, model) == 1;
        self.path
            .iter()
            .map(|c| c.term)
            .map(holds)
            .filter(|&h| h)
            .count()
    }
}

#[test]
fn a_constant_reaches_its_class_and_what_follows_from_it() {
    let mut w = World::new();
    let [x, y, z, next, u] = w.words(["x", "y", "z", "next", "u"]);
    let (one, seven, sum) = (w.pool.bv(32, 1), w.pool.bv(32, 7), w.pool.bv(32, 56));
    let after = w.pool.add(x, one);
    let square = w.pool.mul(u, u);
    let hard = w.pool.add(square, x);
    for (a, b) in [(x, y), (y, z), (after, next), (z, seven), (hard, sum)] {
        let equality = w.pool.eq(a, b);
        w.push(equality);
    }
    assert_eq!(w.satisfied(&Model::new()), 2);
    let (outcome, trials) = w.solve();
    assert!(matches!(outcome, Outcome::Unknown(_)), "no root is taken");
    let Some(trial) = trials.last() else {
        panic!("no trial");
    };
    assert_eq!(w.satisfied(trial), 4);
    for (term, value) in [(x, 7), (y, 7), (z, 7), (next, 8)] {
        assert_eq!(Evaluator::new().eval(&w.pool, term, trial), value);
    }
}

#[test]
fn a_function_has_one_value_at_equal_arguments() {
    let mut w = World::new();
    let [a, b, x] = w.words(["a", "b", "x"]);
    let f = w.function();
    let [of_a, of_b] = [a, b].map(|t| w.pool.select(f, t));
    let twice = w.pool.select(f, of_b);
    let (five, nine) = (w.pool.bv(32, 5), w.pool.bv(32, 9));
    for (s, t) in [(a, b), (of_a, five), (x, of_b), (twice, nine)] {
        let equality = w.pool.eq(s, t);
        w.push(equality);
    }
    let (outcome, trials) = w.solve();
    let Outcome::Sat(model) = outcome else {
        panic!("{outcome:?} {trials:?}");
    };
    assert_eq!(w.satisfied(&model), 4);
    assert_eq!(Evaluator::new().eval(&w.pool, x, &model), 5);
    assert_eq!(w.solver.stats().by(LayerId::Congruence), 1);
}

#[test]
fn disequalities_keep_classes_and_arguments_apart() {
    let mut w = World::new();
    let [a, b, c, d] = w.words(["a", "b", "c", "d"]);
    let f = w.function();
    let [of_a, of_b] = [a, b].map(|t| w.pool.select(f, t));
    let same = w.pool.eq(c, d);
    w.push(same);
    for (s, t) in [(of_a, of_b), (a, c), (b, d)] {
        let different = w.pool.ne(s, t);
        w.push(different);
    }
    assert_eq!(w.satisfied(&Model::new()), 1);
    let (outcome, trials) = w.solve();
    let Outcome::Sat(model) = outcome else {
        panic!("{outcome:?} {trials:?}");
    };
    assert_eq!(w.satisfied(&model), 4);
}

#[test]
fn what_is_asked_comes_before_the_path() {
    let mut w = World::new();
    let [a, b] = w.words(["a", "b"]);
    let (different, equal) = (w.pool.ne(a, b), w.pool.eq(a, b));
    w.push(different);
    let mut witness = Model::new();
    witness.set(w.pool.as_symbol(a).unwrap(), 1);
    let mut trials = Recorder(Vec::new());
    let World { pool, solver, path } = &mut w;
    let budget = Budget::default();
    let outcome = solver.feasible(
        pool,
        equal,
        Ask::new(path, &witness, &budget).heard_by(&mut trials),
    );
    assert!(matches!(outcome, Outcome::Unknown(_)));
    assert_eq!(Evaluator::new().eval(pool, equal, &trials.0[0]), 1);
}

/// The classes at the end satisfy all but the last conjunct, which contradicts the condition asked; those after the condition
/// alone, and on the way, violate an earlier one.
#[test]
fn classes_are_shown_at_several_points_of_their_construction() {
    let mut w = World::new();
    let [x, y, z, u, v] = w.words(["x", "y", "z", "u", "v"]);
    for (a, b) in [(x, y), (y, z), (z, u), (u, v)] {
        let equality = w.pool.eq(a, b);
        w.push(equality);
    }
    let (zero, seven) = (w.pool.bv(32, 0), w.pool.bv(32, 7));
    let (is_zero, is_seven) = (w.pool.eq(v, zero), w.pool.eq(x, seven));
    w.push(is_zero);
    let mut trials = Recorder(Vec::new());
    let World { pool, solver, path } = &mut w;
    let (witness, budget) = (Model::new(), Budget::default());
    let ask = Ask::new(path, &witness, &budget).heard_by(&mut trials);
    assert!(matches!(
        solver.feasible(pool, is_seven, ask),
        Outcome::Unknown(_)
    ));
    let conjuncts: Vec<Term> = path.iter().map(|c| c.term).collect();
    let mut evaluator = Evaluator::new();
    let mut prefix = |model| {
        assert_eq!(evaluator.eval(pool, is_seven, model), 1);
        evaluator.first_false(pool, &conjuncts, model)
    };
    let prefixes: Vec<Option<usize>> = trials.0.iter().map(&mut prefix).collect();
    // After the condition, and after one, three and all conjuncts.
    assert_eq!(prefixes, [Some(0), Some(1), Some(3), Some(4)]);
    assert_eq!(w.solver.stats().congruence_trials, 4);
}

#[test]
fn nothing_is_done_while_nobody_listens() {
    let mut w = World::new();
    let [a, b] = w.words(["a", "b"]);
    let different = w.pool.ne(a, b);
    w.push(different);
    let World { pool, solver, path } = &mut w;
    let outcome = solver.solve(pool, path, &Budget::default(), &mut NoTrials);
    assert!(matches!(outcome, Outcome::Unknown(_)));
    assert_eq!(w.solver.stats().congruence_trials, 0);
    assert!(matches!(w.solve().0, Outcome::Sat(_)));
}
