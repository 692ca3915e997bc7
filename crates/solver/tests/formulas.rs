//! Generated formulas against brute force, with every layer and without each of them.

use crate::common::{Generator, UNHURRIED, brute_force, satisfies};
use polypath_solver as solver;
use solver::{Ask, LayerId, Model, Origin, Outcome, PathCondition, SatKind, Solver, SolverOptions};
use term::{Evaluator, Pool, Symbol, Term};

fn without(layer: LayerId) -> SolverOptions {
    SolverOptions {
        layers: LayerId::ALL
            .iter()
            .copied()
            .filter(|&id| id != layer)
            .collect(),
        ..SolverOptions::default()
    }
}

/// A generated question with the answer by brute force.
struct Question {
    seed: u64,
    pool: Pool,
    bytes: Vec<Symbol>,
    conjuncts: Vec<Term>,
    cond: Term,
    witness: Model,
    expected: bool,
}

impl Question {
    fn new(seed: u64, bytes: usize, depth: u32) -> Question {
        let mut pool = Pool::new();
        let mut generator = Generator::new(&mut pool, seed, bytes);
        let witness = generator.model();
        let mut oriented = |pool: &mut Pool, depth, holds| {
            let c = generator.condition(pool, depth);
            let value = Evaluator::new().eval(pool, c, &witness) == 1;
            if value == holds { c } else { pool.not(c) }
        };
        let conjuncts: Vec<Term> = (0..seed % 4)
            .map(|_| oriented(&mut pool, depth, true))
            .collect();
        let cond = oriented(&mut pool, depth + 1, false);
        let terms: Vec<Term> = conjuncts.iter().copied().chain([cond]).collect();
        let expected = brute_force(&pool, &terms, &generator.bytes);
        Question {
            seed,
            pool,
            bytes: generator.bytes,
            conjuncts,
            cond,
            witness,
            expected,
        }
    }

    /// Asks a new solver, checks the answer, and says what it was.
    fn ask(&mut self, options: &SolverOptions) -> Option<bool> {
        let (seed, cond) = (self.seed, self.cond);
        let mut solver = Solver::new(options.clone());
        let mut pc = PathCondition::new();
        for &c in &self.conjuncts {
            solver.push(&mut self.pool, &mut pc, c, Origin::Branch);
        }
        let outcome = solver.feasible(
            &mut self.pool,
            cond,
            Ask::new(&pc, &self.witness, &UNHURRIED),
        );
        let text = || {
            let terms: Vec<Term> = self.conjuncts.iter().copied().chain([cond]).collect();
            term::to_smt2(&self.pool, &terms)
        };
        match outcome {
            Outcome::Sat(model) => {
                assert!(self.expected, "seed {seed}: wrong sat\n{}", text());
                assert!(
                    satisfies(&self.pool, &pc, cond, &model),
                    "seed {seed}: wrong model\n{}",
                    text()
                );
                Some(true)
            }
            Outcome::Unsat(mut core) => {
                assert!(!self.expected, "seed {seed}: wrong unsat\n{}", text());
                assert!(
                    core.iter().all(|t| self.conjuncts.contains(t)),
                    "seed {seed}: foreign core"
                );
                core.push(cond);
                assert!(
                    !brute_force(&self.pool, &core, &self.bytes),
                    "seed {seed}: the core is satisfiable\n{}",
                    text()
                );
                Some(false)
            }
            Outcome::Unknown(_) => None,
        }
    }
}

#[test]
fn all_layers_agree_with_brute_force() {
    let mut counts = [0; 2];
    for seed in 0..240 {
        let mut question = Question::new(seed, 1 + (seed % 2) as usize, 1 + (seed % 3) as u32);
        let answer = question.ask(&SolverOptions::default());
        counts[answer.expect("decided") as usize] += 1;
    }
    assert!(
        counts[0] > 40 && counts[1] > 40,
        "a one-sided test: {counts:?}"
    );
}

#[test]
fn bit_blasting_alone_agrees_with_brute_force() {
    for seed in 1000..1080 {
        let mut question = Question::new(seed, 1 + (seed % 2) as usize, 2);
        for &(name, sat) in SatKind::ALL {
            let options = SolverOptions {
                sat,
                ..SolverOptions::with_layers(&[LayerId::Blast])
            };
            assert!(
                question.ask(&options).is_some(),
                "{name}: seed {seed} undecided"
            );
        }
    }
}

/// Alone, and with the sets of bytes that it takes for granted then.
#[test]
fn enumeration_alone_agrees_with_brute_force() {
    let mut counts = [0; 2];
    for seed in 4000..4200 {
        let mut question = Question::new(seed, 1 + (seed % 2) as usize, 2);
        for layers in [
            &[LayerId::Enumeration][..],
            &[
                LayerId::Domains,
                LayerId::Independence,
                LayerId::Enumeration,
            ],
        ] {
            let answer = question.ask(&SolverOptions::with_layers(layers));
            counts[answer.expect("decided") as usize] += 1;
        }
    }
    assert!(counts[0] > 80 && counts[1] > 80, "{counts:?}");
}

#[test]
fn each_layer_can_be_left_out() {
    for seed in 2000..2050 {
        let mut question = Question::new(seed, 1 + (seed % 2) as usize, 2);
        for &layer in LayerId::ALL {
            let answer = question.ask(&without(layer));
            assert!(
                answer.is_some() || layer == LayerId::Blast,
                "{layer:?}: seed {seed} undecided"
            );
        }
    }
}

#[test]
fn abstract_arithmetic_agrees_with_brute_force() {
    let mut counts = [0; 2];
    for seed in 3000..3300 {
        let mut question = Question::new(seed, 1 + (seed % 2) as usize, 2 + (seed % 2) as u32);
        let options = SolverOptions {
            abstract_width: Some(2),
            ..SolverOptions::with_layers(&[LayerId::Blast])
        };
        let answer = question.ask(&options);
        counts[answer.expect("decided") as usize] += 1;
    }
    assert!(counts[0] > 40 && counts[1] > 40, "{counts:?}");
}
