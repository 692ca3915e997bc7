//! Generated formulas against brute force, with every layer and without each of them.

mod common;

use common::{Generator, brute_force, path, satisfies};
use polypath_solver as solver;
use solver::{Budget, LAYERS, NoTrials, Outcome, SatKind, Solver, SolverOptions};
use term::{Evaluator, Pool, Term};

fn without(layer: &str) -> SolverOptions {
    SolverOptions {
        layers: LAYERS
            .iter()
            .map(|(name, _)| name.to_string())
            .filter(|name| name != layer)
            .collect(),
        ..SolverOptions::default()
    }
}

/// Asks one generated question of a solver, checks the answer, and says what it was.
fn ask(options: SolverOptions, seed: u64, bytes: usize, depth: u32) -> Option<bool> {
    let mut pool = Pool::new();
    let mut solver = Solver::new(options).unwrap();
    let mut generator = Generator::new(&mut pool, seed, bytes);
    let witness = generator.model();
    let len = seed % 4;
    let pc = path(&mut pool, &mut solver, &mut generator, &witness, len, depth);
    let mut cond = generator.condition(&mut pool, depth + 1);
    if Evaluator::new().eval(&pool, cond, &witness) == 1 {
        cond = pool.not(cond);
    }
    let terms: Vec<Term> = pc.iter().map(|c| c.term).chain([cond]).collect();
    let expected = brute_force(&pool, &terms, &generator.bytes);
    let text = term::to_smt2(&pool, &terms);
    let outcome = solver.feasible(
        &mut pool,
        &pc,
        &witness,
        cond,
        &Budget::default(),
        &mut NoTrials,
    );
    match outcome {
        Outcome::Sat(model) => {
            assert!(expected, "seed {seed}: wrong sat\n{}", text);
            assert!(
                satisfies(&pool, &pc, cond, &model),
                "seed {seed}: wrong model\n{}",
                text
            );
            Some(true)
        }
        Outcome::Unsat(core) => {
            assert!(!expected, "seed {seed}: wrong unsat\n{}", text);
            let mut terms = core;
            assert!(
                terms.iter().all(|&t| pc.iter().any(|c| c.term == t)),
                "seed {seed}: foreign core"
            );
            terms.push(cond);
            assert!(
                !brute_force(&pool, &terms, &generator.bytes),
                "seed {seed}: the core is satisfiable"
            );
            Some(false)
        }
        Outcome::Unknown(_) => None,
    }
}

#[test]
fn all_layers_agree_with_brute_force() {
    let mut counts = [0; 2];
    for seed in 0..400 {
        let bytes = 1 + (seed % 2) as usize;
        let answer = ask(SolverOptions::default(), seed, bytes, 1 + (seed % 3) as u32);
        counts[answer.expect("decided") as usize] += 1;
    }
    assert!(
        counts[0] > 40 && counts[1] > 40,
        "a one-sided test: {counts:?}"
    );
}

#[test]
fn bit_blasting_alone_agrees_with_brute_force() {
    for &(_, sat) in SatKind::ALL {
        for seed in 1000..1250 {
            let options = SolverOptions {
                sat,
                ..SolverOptions::with_layers(&["blast"])
            };
            assert!(ask(options, seed, 2, 2).is_some());
        }
    }
}

#[test]
fn each_layer_can_be_left_out() {
    for &(name, _) in LAYERS {
        for seed in 2000..2060 {
            let answer = ask(without(name), seed, 2, 2);
            assert!(
                answer.is_some() || name == "blast",
                "{name}: seed {seed} undecided"
            );
        }
    }
}
