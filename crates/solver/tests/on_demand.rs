//! Conjuncts on demand: questions at the end of long paths, by circuits alone. Models are evaluated on the whole path, and cores are refuted by
//! brute force.

use crate::common::{Generator, UNHURRIED, brute_force, path, satisfies};
use polypath_solver as solver;
use solver::{Ask, LayerId, Outcome, Solver, SolverOptions};
use term::{Pool, Term};

const PATHS: u64 = 12;
const CONJUNCTS: u64 = 40;
const QUESTIONS: usize = 12;

#[test]
fn long_paths_agree_with_brute_force() {
    let (mut satisfiable, mut refuted, mut with_core, mut searches) = (0, 0, 0, 0);
    for seed in 0..PATHS {
        let pool = &mut Pool::new();
        let mut generator = Generator::new(pool, seed, 2);
        let witness = generator.model();
        let mut solver = Solver::new(SolverOptions::with_layers(&[LayerId::Blast]));
        let path = path(pool, &mut solver, &mut generator, &witness, CONJUNCTS, 3);
        for question in 0..QUESTIONS {
            let condition = generator.condition(pool, 3);
            let ask = Ask::new(&path, &witness, &UNHURRIED);
            match solver.feasible(pool, condition, ask) {
                Outcome::Sat(model) => {
                    satisfiable += 1;
                    assert!(
                        satisfies(pool, &path, condition, &model),
                        "{seed}, {question}: a wrong model"
                    );
                }
                Outcome::Unsat(core) => {
                    refuted += 1;
                    with_core += usize::from(!core.is_empty());
                    let terms: Vec<Term> = core.iter().copied().chain([condition]).collect();
                    assert!(
                        !brute_force(pool, &terms, &generator.bytes),
                        "{seed}, {question}: the core is satisfiable"
                    );
                }
                Outcome::Unknown(why) => panic!("{seed}, {question}: {why:?}"),
            }
        }
        searches += solver.stats().sat_calls;
    }
    assert!(
        satisfiable >= 10 && refuted >= 10 && with_core >= 5,
        "{satisfiable}, {refuted}, {with_core}"
    );
    assert!(
        searches > satisfiable + refuted,
        "{searches} searches assert everything at once"
    );
}
