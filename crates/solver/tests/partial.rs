//! Partial solutions through the receiver, on the motivating example of "Multiplex symbolic
//! execution" (Fig. 2 and 3): one call of the solver reaches every path of the function.
//!
//! ```c
//! if (x + y >= 2) if (2*y - x >= 1) if (2*x - y >= 0) p2 else p1; else p3; else p4;
//! ```

use polypath_solver as solver;
use solver::{
    Ask, Budget, LayerId, Model, Origin, Outcome, PathCondition, Receiver, Solver, SolverOptions,
    Technique, TheoryKind,
};
use term::{Evaluator, Pool, Sort, Symbol, Term};

/// The function over two 16-bit words of the input, computed in 32 bits.
struct Start {
    pool: Pool,
    conditions: [Term; 3],
    bytes: Vec<Symbol>,
}

impl Start {
    fn new() -> Start {
        let mut pool = Pool::new();
        let mut bytes = Vec::new();
        let [x, y] = ["x", "y"].map(|name| {
            let symbols = [0, 1].map(|i| pool.new_symbol(&format!("{name}{i}"), Sort::BitVec(8)));
            bytes.extend(symbols);
            let [low, high] = symbols.map(|s| pool.symbol_term(s));
            let word = pool.concat(high, low);
            pool.zext(32, word)
        });
        let conditions = [(1, 1, 2), (-1, 2, 1), (2, -1, 0)].map(|(a, b, low): (i32, i32, u64)| {
            let [a, b] = [a, b].map(|c| pool.bv(32, c as u32 as u64));
            let (ax, by) = (pool.mul(a, x), pool.mul(b, y));
            let (sum, low) = (pool.add(ax, by), pool.bv(32, low));
            pool.sge(sum, low)
        });
        Start {
            pool,
            conditions,
            bytes,
        }
    }

    fn input(&self, x: u64, y: u64) -> Model {
        let mut model = Model::new();
        for (i, value) in [x & 255, x >> 8, y & 255, y >> 8].into_iter().enumerate() {
            model.set(self.bytes[i], value);
        }
        model
    }

    /// The path that an input takes, by the paper's numbers.
    fn path_of(&self, model: &Model) -> u32 {
        let first = Evaluator::new().first_false(&self.pool, &self.conditions, model);
        [4, 3, 1, 2][first.unwrap_or(3)]
    }

    /// Flips the last branch of the run on (1, 3), with `closed` branches explored already.
    fn flip(&mut self, theory: TheoryKind, closed: &[usize]) -> (Outcome, Vec<solver::Trial>) {
        let witness = self.input(1, 3);
        assert_eq!(self.path_of(&witness), 1);
        let mut solver = Solver::new(SolverOptions {
            theory,
            ..SolverOptions::default()
        });
        let mut pc = PathCondition::new();
        for &c in &self.conditions[..2] {
            solver.push(&mut self.pool, &mut pc, c, Origin::Branch);
        }
        let cond = self.conditions[2];
        let mut receiver = Receiver::of_path(&pc, cond, |k| !closed.contains(&k));
        let budget = Budget::default();
        let outcome = solver.feasible(
            &mut self.pool,
            cond,
            Ask::new(&pc, &witness, &budget).heard_by(&mut receiver),
        );
        let kept = receiver.judge(&self.pool, &mut Evaluator::new());
        (outcome, kept)
    }
}

#[test]
fn one_call_of_the_solver_reaches_every_path() {
    let mut start = Start::new();
    let (outcome, kept) = start.flip(TheoryKind::Lia, &[]);
    let Outcome::Sat(model) = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(start.path_of(&model), 2);
    let mut paths: Vec<u32> = kept.iter().map(|t| start.path_of(&t.assignment)).collect();
    // The trial that violates nothing is the solution itself.
    paths.sort_unstable();
    paths.dedup();
    assert_eq!(paths, [2, 3, 4], "{kept:?}");
    for trial in &kept {
        let first = Evaluator::new().first_false(&start.pool, &start.conditions, &trial.assignment);
        assert_eq!(first.unwrap_or(3), trial.prefix);
        assert_eq!(trial.technique, Technique::Simplex);
    }
}

#[test]
fn explored_branches_are_dropped() {
    let mut start = Start::new();
    let (_, kept) = start.flip(TheoryKind::Lia, &[0]);
    assert!(!kept.is_empty());
    assert!(kept.iter().all(|t| t.prefix != 0), "{kept:?}");
}

#[test]
fn only_conjuncts_that_a_run_can_open_are_kept() {
    let mut start = Start::new();
    let pc = {
        let mut solver = Solver::new(SolverOptions::default());
        let mut pc = PathCondition::new();
        solver.push(
            &mut start.pool,
            &mut pc,
            start.conditions[0],
            Origin::Assume,
        );
        pc
    };
    let cond = start.conditions[1];
    let mut receiver = Receiver::of_path(&pc, cond, |_| true);
    let (assumed, asked, again) = (start.input(0, 0), start.input(2, 0), start.input(5, 0));
    for model in [&assumed, &asked, &again] {
        solver::Trials::tried(&mut receiver, model, Technique::Sat);
    }
    // (0, 0) violates what was assumed, and one trial is enough for the condition asked.
    assert_eq!(receiver.seen, 3);
    let kept = receiver.judge(&start.pool, &mut Evaluator::new());
    let prefixes: Vec<usize> = kept.iter().map(|t| t.prefix).collect();
    assert_eq!(prefixes, [1]);
}

/// The simplex's assignments.
struct OfSimplex(Vec<Model>);

impl solver::Trials for OfSimplex {
    fn tried(&mut self, model: &Model, by: Technique) {
        if by == Technique::Simplex {
            self.0.push(model.clone());
        }
    }
}

/// "As in the paper": without the layers that make queries smaller, the simplex gets the whole path condition.
#[test]
fn without_independence_the_simplex_gets_the_whole_path() {
    let whole = [LayerId::Ilp, LayerId::Blast];
    for layers in [&[][..], &whole[..]] {
        let mut start = Start::new();
        let other = ["z", "w"].map(|name| {
            let symbol = start.pool.new_symbol(name, Sort::BitVec(8));
            let byte = start.pool.symbol_term(symbol);
            (symbol, start.pool.zext(32, byte))
        });
        let (sum, five) = (start.pool.add(other[0].1, other[1].1), start.pool.bv(32, 5));
        let apart = start.pool.uge(sum, five);
        let mut witness = start.input(1, 3);
        witness.set(other[0].0, 7);
        let mut solver = Solver::new(SolverOptions {
            theory: TheoryKind::Lia,
            ..SolverOptions::with_layers(layers)
        });
        let mut path = PathCondition::new();
        for c in [start.conditions[0], start.conditions[1], apart] {
            solver.push(&mut start.pool, &mut path, c, Origin::Branch);
        }
        let mut seen = OfSimplex(Vec::new());
        let budget = Budget::default();
        let ask = Ask::new(&path, &witness, &budget).heard_by(&mut seen);
        let outcome = solver.feasible(&mut start.pool, start.conditions[2], ask);
        assert!(matches!(outcome, Outcome::Sat(_)));
        assert!(!seen.0.is_empty(), "{layers:?}");
        // One that violates the condition which shares no symbol with the one asked.
        let mut evaluator = Evaluator::new();
        let is_apart = |model| evaluator.eval(&start.pool, apart, model) == 0;
        assert_eq!(
            seen.0.iter().any(is_apart),
            !layers.is_empty(),
            "{layers:?}"
        );
    }
}
