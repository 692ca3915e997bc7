//! Generated formulas over more bytes than brute force can cover: the SAT engines against each other, and against z3 and
//! bitwuzla where they are there (see `testkit::solvers`). `POLYPATH_ORACLE_COUNT` is the number of formulas.

use crate::common::{Generator, UNHURRIED, WIDE, path, satisfies};
use polypath_solver as solver;
use solver::{Ask, Budget, LayerId, Outcome, SatKind, Solver, SolverOptions};
use term::{Evaluator, Pool, Term};

fn verdict(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Sat(_) => "sat",
        Outcome::Unsat(_) => "unsat",
        Outcome::Unknown(_) => "unknown",
    }
}

/// One question to one solver; the pool is built anew from the seed.
fn ask(options: SolverOptions, seed: u64) -> (&'static str, String) {
    let mut pool = Pool::new();
    let mut solver = Solver::new(options);
    let mut g = Generator::new(&mut pool, seed, 3 + (seed % 6) as usize);
    if seed.is_multiple_of(3) {
        g.widths = WIDE;
    }
    let witness = g.model();
    let pc = path(&mut pool, &mut solver, &mut g, &witness, seed % 5, 2);
    let mut cond = g.condition(&mut pool, 3);
    if Evaluator::new().eval(&pool, cond, &witness) == 1 {
        cond = pool.not(cond);
    }
    let terms: Vec<Term> = pc.iter().map(|c| c.term).chain([cond]).collect();
    let text = term::to_smt2(&pool, &terms);
    let budget = Budget {
        conflicts: 20_000,
        ..UNHURRIED
    };
    let outcome = solver.feasible(&mut pool, cond, Ask::new(&pc, &witness, &budget));
    if let Outcome::Sat(model) = &outcome {
        assert!(satisfies(&pool, &pc, cond, model), "seed {seed}");
    }
    (verdict(&outcome), text)
}

#[test]
fn engines_and_oracles_agree() {
    let count: u64 = std::env::var("POLYPATH_ORACLE_COUNT")
        .ok()
        .map_or(40, |v| v.parse().unwrap());
    let dir = std::env::temp_dir().join(format!("polypath-oracle-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let mut ours = Vec::new();
    for seed in 0..count {
        let mut verdicts = vec![ask(SolverOptions::default(), seed)];
        for &(_, sat) in SatKind::ALL {
            let options = SolverOptions {
                sat,
                ..SolverOptions::with_layers(&[LayerId::Blast])
            };
            verdicts.push(ask(options, seed));
        }
        let mut known = verdicts.iter().map(|v| v.0).filter(|v| *v != "unknown");
        let first = known.next().unwrap_or("unknown");
        assert!(
            known.all(|v| v == first),
            "seed {seed}: {:?}",
            verdicts.iter().map(|v| v.0).collect::<Vec<_>>()
        );
        let path = dir.join(format!("f{seed:06}.smt2"));
        std::fs::write(&path, &verdicts[0].1).unwrap();
        ours.push((path, first));
    }
    let undecided = ours.iter().filter(|o| o.1 == "unknown").count();
    assert!(
        undecided * 20 <= ours.len(),
        "{undecided} of {count} undecided"
    );
    if let Some(verdicts) = testkit::solvers::ask(&dir, &["z3", "bitwuzla"], 20_000) {
        for theirs in &verdicts {
            let path = dir.join(&theirs.file);
            let (_, mine) = ours.iter().find(|o| o.0 == path).unwrap();
            let both = theirs.answer != "unknown" && *mine != "unknown";
            assert!(!both || theirs.answer == *mine, "{theirs:?}, we say {mine}");
        }
        println!("{count} formulas, {} verdicts agreed", verdicts.len());
    }
    std::fs::remove_dir_all(&dir).unwrap();
}
