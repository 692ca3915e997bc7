//! Implied bounds against brute force: what is implied holds in all solutions, reasons alone suffice and have a proof.

use crate::common;

use crate::common::{Stream, System, load};
use polypath_linear::{Implied, Integers, Side, Ticks, Var};

/// Asserts the wanted bounds whose numbers are in `only`; `Err`: the reasons of a clash.
fn assert_all(
    problem: &Integers,
    wanted: &[common::Wanted],
    only: &dyn Fn(u32) -> bool,
) -> (Implied, Result<(), Vec<u32>>) {
    let mut implied = Implied::new(problem.simplex());
    let mut ticks = Ticks::new(1 << 40);
    let mut result = Ok(());
    for (i, (v, side, value)) in wanted.iter().enumerate() {
        implied.push();
        if !only(i as u32) {
            continue;
        }
        result = implied
            .assert(*v, *side, value, i as u32)
            .and_then(|()| implied.propagate(&mut ticks))
            .map_err(|clash| {
                assert!(implied.is_proved(problem.simplex(), &clash));
                implied.reasons(&clash)
            });
        if result.is_err() {
            break;
        }
    }
    (implied, result)
}

#[test]
fn implied_bounds_hold_in_all_solutions_and_have_reasons() {
    let mut s = Stream::new(7);
    let (mut clashes, mut derived) = (0, 0);
    for round in 0..1500 {
        let system = System::random(
            &mut s,
            1 + round % 4,
            1 + round % 5,
            4,
            1 + round as i64 % 9,
        );
        let solutions = system.solutions();
        let mut problem = Integers::new();
        let (vars, wanted, constants) = load(&system, &mut problem);
        if !constants {
            continue;
        }
        let (implied, result) = assert_all(&problem, &wanted, &|_| true);
        if let Err(core) = result {
            assert!(solutions.is_empty(), "{system:?}");
            // Other bounds may come in another order now, but the reasons are refuted by the integers.
            let mut again = problem.clone();
            let refuted = core.iter().any(|&i| {
                let (v, side, value) = &wanted[i as usize];
                again.assert(*v, *side, value, i).is_err()
            });
            let verdict = again.solve(&mut Ticks::new(5_000_000), &mut polypath_linear::NoObserver);
            assert!(
                refuted || matches!(verdict, polypath_linear::IntegerVerdict::Unsat(_)),
                "{system:?}"
            );
            clashes += 1;
            continue;
        }
        for at in 0..implied.len() {
            let (v, side, value) = implied.bound(at);
            for weaker in [value, value + if side == Side::Upper { 1 } else { -1 }] {
                let needed = [implied.needed(at, weaker)];
                assert!(implied.is_proved(problem.simplex(), &needed), "{system:?}");
                assert!(!implied.reasons(&needed).is_empty());
            }
            let Some(k) = vars.iter().position(|w: &Var| *w == v) else {
                continue;
            };
            derived += 1;
            assert!(
                solutions.iter().all(|x| match side {
                    Side::Lower => x[k] >= value,
                    Side::Upper => x[k] <= value,
                }),
                "{system:?}"
            );
        }
    }
    assert!(clashes > 50 && derived > 1000, "{clashes} {derived}");
}

#[test]
fn undoing_a_level_undoes_what_it_implied() {
    let mut s = Stream::new(8);
    for round in 0..300 {
        let system = System::random(
            &mut s,
            1 + round % 4,
            1 + round % 5,
            4,
            1 + round as i64 % 9,
        );
        let mut problem = Integers::new();
        let (_, wanted, constants) = load(&system, &mut problem);
        let half = wanted.len() as u32 / 2;
        let (mut implied, result) = assert_all(&problem, &wanted, &|_| true);
        if !constants || result.is_err() {
            continue;
        }
        let (first, _) = assert_all(&problem, &wanted, &|i| i < half);
        for _ in half..wanted.len() as u32 {
            implied.pop();
        }
        let bounds = |implied: &Implied| -> Vec<_> {
            (0..implied.len()).map(|i| implied.bound(i)).collect()
        };
        assert_eq!(bounds(&implied), bounds(&first), "{system:?}");
    }
}
