//! Every SAT engine behind the one interface, against brute force and against each other.

use crate::common::Rng;
use linear::Deadline;
use polypath_solver as solver;
use solver::sat::{Lit, Recorder, SatBackend, SatEngine, SatLimits, SatResult};

const FREE: SatLimits = SatLimits {
    conflicts: u64::MAX,
    deadline: None,
};

fn random_clauses(rng: &mut Rng, vars: u32, count: usize) -> Vec<Vec<Lit>> {
    (0..count)
        .map(|_| {
            (0..1 + rng.below(3))
                .map(|_| {
                    Lit::positive(1 + rng.below(vars as u64) as u32).negate_if(rng.below(2) == 1)
                })
                .collect()
        })
        .collect()
}

fn holds(clauses: &[Vec<Lit>], assignment: u32) -> bool {
    let value = |l: Lit| (assignment >> (l.var() - 1) & 1 == 1) != l.is_negated();
    clauses.iter().all(|c| c.iter().any(|&l| value(l)))
}

#[test]
fn engines_agree_with_brute_force_incrementally() {
    for &(name, engine) in SatEngine::ALL {
        let mut rng = Rng::new(7);
        for round in 0..60 {
            let vars = 8;
            let mut sat = engine.build();
            for v in 1..=vars {
                assert_eq!(sat.new_var(), v);
            }
            let mut clauses = Vec::new();
            for step in 0..6 {
                for clause in random_clauses(&mut rng, vars, 5) {
                    sat.add_clause(&clause);
                    clauses.push(clause);
                }
                let mut assumptions: Vec<Lit> = random_clauses(&mut rng, vars, 3)
                    .into_iter()
                    .map(|c| c[0])
                    .collect();
                assumptions.sort_unstable();
                assumptions.dedup();
                let units: Vec<Vec<Lit>> = assumptions.iter().map(|&l| vec![l]).collect();
                let all = |units: &[Vec<Lit>]| {
                    (0..1u32 << vars).any(|a| holds(&clauses, a) && holds(units, a))
                };
                match sat.solve(&assumptions, &FREE) {
                    SatResult::Sat => {
                        let model = (1..=vars).fold(0, |m, v| {
                            m | (sat.value(Lit::positive(v)) as u32) << (v - 1)
                        });
                        assert!(
                            holds(&clauses, model) && holds(&units, model),
                            "{name} {round} {step}"
                        );
                    }
                    SatResult::Unsat => {
                        let core: Vec<Vec<Lit>> = assumptions
                            .iter()
                            .filter(|&&l| sat.failed(l))
                            .map(|&l| vec![l])
                            .collect();
                        assert!(
                            !all(&core),
                            "{name} {round} {step}: the core is satisfiable"
                        );
                    }
                    other => panic!("{name}: {other:?} without limits"),
                }
            }
        }
    }
}

/// Pigeons that do not fit: hard enough to meet a limit.
fn pigeons(sat: &mut dyn solver::sat::SatBackend, holes: u32) {
    let var = |p: u32, h: u32| Lit::positive(1 + p * holes + h);
    for _ in 0..(holes + 1) * holes {
        sat.new_var();
    }
    for p in 0..=holes {
        let clause: Vec<Lit> = (0..holes).map(|h| var(p, h)).collect();
        sat.add_clause(&clause);
    }
    for h in 0..holes {
        for p in 0..=holes {
            for q in 0..p {
                sat.add_clause(&[!var(p, h), !var(q, h)]);
            }
        }
    }
}

#[test]
fn limits_end_a_call_and_the_engine_goes_on() {
    for &(name, engine) in SatEngine::ALL {
        let mut sat = engine.build();
        pigeons(&mut *sat, 10);
        let few = SatLimits {
            conflicts: 50,
            deadline: None,
        };
        assert_eq!(sat.solve(&[], &few), SatResult::OutOfConflicts, "{name}");
        assert!(
            sat.conflicts() >= 50 && sat.conflicts() < 5000,
            "{name}: {}",
            sat.conflicts()
        );
        let short = SatLimits {
            conflicts: u64::MAX,
            deadline: Deadline::new(0.03, None, host::Stop::never()),
        };
        let overslept = Deadline::new(5.0, None, host::Stop::never()).expect("an end");
        let result = sat.solve(&[], &short);
        assert!(
            matches!(result, SatResult::OutOfTime | SatResult::Unsat),
            "{name}: {result:?}"
        );
        assert!(!overslept.is_past(), "{name} overslept");
    }
}

/// Clauses of three different variables each.
fn add_ternary(sat: &mut dyn SatBackend, rng: &mut Rng, vars: u32, count: usize) {
    for _ in 0..count {
        let mut clause: Vec<Lit> = Vec::new();
        while clause.len() < 3 {
            let var = 1 + rng.below(vars as u64) as u32;
            if clause.iter().all(|l| l.var() != var) {
                clause.push(Lit::positive(var).negate_if(rng.below(2) == 1));
            }
        }
        sat.add_clause(&clause);
    }
}

/// Watched and unwatched calls by turns on one growing instance, hard enough for in-processing,
/// against an instance that nobody watches.
#[test]
fn watching_changes_no_answer() {
    for &(name, engine) in SatEngine::ALL {
        let mut tried = 0;
        for seed in 0..3 {
            let (mut sat, mut plain) = (engine.build(), engine.build());
            let vars = 170;
            for sat in [&mut sat, &mut plain] {
                (1..=vars).for_each(|v| assert_eq!(sat.new_var(), v));
                add_ternary(&mut **sat, &mut Rng::new(seed), vars, 650);
            }
            let mut rng = Rng::new(100 + seed);
            for step in 0..14 {
                let more = Rng::new(1000 + 50 * seed + step);
                for sat in [&mut sat, &mut plain] {
                    add_ternary(&mut **sat, &mut more.clone(), vars, 4);
                }
                let literal = |k: u32| {
                    let var = 1 + 9 * k + rng.below(9) as u32;
                    Lit::positive(var).negate_if(rng.below(2) == 1)
                };
                let mut assumptions: Vec<Lit> = (0..3).map(literal).collect();
                assumptions.truncate(step as usize % 4);
                // Other inputs late: some of them may be eliminated by then.
                let inputs = if step < 9 { 1..=60 } else { 40..=170 };
                let inputs: Vec<Lit> = inputs.map(Lit::positive).collect();
                let mut recorder = Recorder::new(inputs.clone(), vec![false; inputs.len()]);
                let watched = sat.solve_watched(&assumptions, &FREE, &mut recorder);
                assert_eq!(
                    watched,
                    plain.solve(&assumptions, &FREE),
                    "{name}, seed {seed}, step {step}"
                );
                assert!(recorder.tried.iter().all(|t| t.len() == inputs.len()));
                tried += recorder.tried.len();
                match watched {
                    SatResult::Sat => assert!(assumptions.iter().all(|&l| sat.value(l))),
                    _ => assumptions.iter().for_each(|&l| _ = sat.failed(l)),
                }
                let again = sat.solve(&assumptions, &FREE);
                assert_eq!(again, watched, "{name}, seed {seed}, step {step}");
            }
        }
        assert!(tried > 100, "{name}: {tried}");
    }
}
