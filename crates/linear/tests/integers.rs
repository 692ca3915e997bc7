//! The integer layer against brute force: verdicts, models, cores, ends of ranges, levels.

use crate::common;

use crate::common::{Stream, System, load};
use polypath_linear::{Form, IntegerVerdict, Integers, NoObserver, Rational, Side, Ticks, Var};

fn ints(problem: &Integers, vars: &[Var]) -> Vec<i64> {
    vars.iter()
        .map(|v| problem.solution()[v.at()].to_i64().expect("an integer"))
        .collect()
}

fn decide(
    problem: &mut Integers,
    wanted: &[common::Wanted],
    only: &dyn Fn(u32) -> bool,
) -> IntegerVerdict {
    let mut ticks = Ticks::new(5_000_000);
    for (i, (v, side, value)) in wanted.iter().enumerate() {
        if only(i as u32)
            && let Err(core) = problem.assert(*v, *side, value, i as u32)
        {
            return IntegerVerdict::Unsat(core);
        }
    }
    problem.solve(&mut ticks, &mut NoObserver)
}

#[test]
fn verdicts_models_and_cores_agree_with_brute_force() {
    let mut s = Stream::new(42);
    let (mut sat, mut unsat) = (0, 0);
    for round in 0..3000 {
        let vars = 1 + round % 4;
        let system = System::random(&mut s, vars, 1 + round % 5, 4, 1 + round as i64 % 9);
        let exists = !system.solutions().is_empty();
        let mut problem = Integers::new();
        problem.check_proofs();
        let (vars, wanted, constants) = load(&system, &mut problem);
        if !constants {
            assert!(!exists);
            continue;
        }
        problem.push();
        let verdict = decide(&mut problem, &wanted, &|_| true);
        problem.pop();
        assert!(problem.simplex().is_consistent(), "{system:?}");
        match verdict {
            IntegerVerdict::Sat => {
                assert!(system.holds(&ints(&problem, &vars)), "{system:?}");
                sat += 1;
            }
            IntegerVerdict::Unsat(core) => {
                assert!(!exists, "{system:?}");
                // The core alone is refuted too.
                let verdict = decide(&mut problem, &wanted, &|i| core.contains(&i));
                assert!(matches!(verdict, IntegerVerdict::Unsat(_)), "{system:?}");
                unsat += 1;
            }
            IntegerVerdict::OutOfTicks => panic!("out of ticks: {system:?}"),
        }
    }
    assert!(sat > 300 && unsat > 300, "{sat} {unsat}");
}

#[test]
fn levels_come_and_go() {
    let mut s = Stream::new(7);
    for round in 0..300 {
        let system = System::random(&mut s, 3, 4, 4, 6);
        let mut problem = Integers::new();
        problem.check_proofs();
        let (_, wanted, constants) = load(&system, &mut problem);
        if !constants {
            continue;
        }
        // Asserted one by one with a level each, undone in part, asserted again.
        let mut fresh = problem.clone();
        let expected = decide(&mut fresh, &wanted, &|_| true);
        for keep in [0, wanted.len() / 2, wanted.len()] {
            let mut levels = 0;
            let mut refuted = false;
            let mut ticks = Ticks::new(5_000_000);
            for (i, (v, side, value)) in wanted.iter().enumerate() {
                problem.push();
                levels += 1;
                if problem.assert(*v, *side, value, i as u32).is_err() {
                    refuted = true;
                    break;
                }
                if i == keep
                    && problem
                        .check_relaxation(&mut ticks, &mut NoObserver)
                        .is_err()
                {
                    refuted = true;
                    break;
                }
            }
            if !refuted {
                let verdict = problem.solve(&mut ticks, &mut NoObserver);
                refuted = matches!(verdict, IntegerVerdict::Unsat(_));
            }
            assert_eq!(
                refuted,
                matches!(expected, IntegerVerdict::Unsat(_)),
                "{round}"
            );
            for _ in 0..levels {
                problem.pop();
            }
            assert!(problem.simplex().is_consistent());
        }
    }
}

#[test]
fn ends_of_ranges_are_bounds() {
    let mut s = Stream::new(3);
    let mut exact = 0;
    for round in 0..600 {
        let system = System::random(&mut s, 3, 2, 4, 3);
        let solutions = system.solutions();
        let mut problem = Integers::new();
        let (vars, wanted, constants) = load(&system, &mut problem);
        let refused = wanted
            .iter()
            .enumerate()
            .any(|(i, (v, side, value))| problem.assert(*v, *side, value, i as u32).is_err());
        let mut ticks = Ticks::new(1_000_000);
        if !constants
            || refused
            || problem
                .check_relaxation(&mut ticks, &mut NoObserver)
                .is_err()
        {
            assert!(solutions.is_empty());
            continue;
        }
        for (i, v) in vars.iter().enumerate() {
            let all = || solutions.iter().map(|x| Rational::from(x[i]));
            let (low, _) = problem
                .extreme(*v, Side::Lower, &mut ticks)
                .expect("bounded");
            let (high, _) = problem
                .extreme(*v, Side::Upper, &mut ticks)
                .expect("bounded");
            assert!(all().all(|x| low <= x && x <= high), "{round} {system:?}");
            exact += (all().min() == Some(low)) as u32;
            assert!(problem.simplex().is_consistent());
        }
    }
    assert!(exact > 150, "{exact}");
}

#[test]
fn equations_without_integer_solution() {
    // 6x + 10y + 15z = 1 has one; 6x + 10y - 4z = 1 has none although nothing is bounded.
    for (coefficients, solvable) in [([6, 10, 15], true), ([6, 10, -4], false)] {
        let mut problem = Integers::new();
        problem.check_proofs();
        let system = System {
            bounds: vec![(0, 0); 3],
            rows: vec![common::Row {
                coefficients: coefficients.to_vec(),
                low: Some(1),
                high: Some(1),
            }],
        };
        let (vars, wanted, _) = load(&system, &mut problem);
        let free: Vec<_> = wanted.into_iter().skip(2 * vars.len()).collect();
        match decide(&mut problem, &free, &|_| true) {
            IntegerVerdict::Sat => assert!(solvable),
            IntegerVerdict::Unsat(_) => assert!(!solvable),
            IntegerVerdict::OutOfTicks => panic!("out of ticks"),
        }
    }
}

#[test]
fn modular_equations() {
    // 3·x = y + 2^64·k with y in [5, 6] and 0 <= x < 2^64, k in 0..=2: solved, with big numbers.
    let mut problem = Integers::new();
    problem.check_proofs();
    let (x, y, k) = (problem.new_var(), problem.new_var(), problem.new_var());
    let modulus = Rational::power_of_two(64);
    let form = polypath_linear::Form::from_terms([
        (x, Rational::from(3)),
        (y, Rational::MINUS_ONE),
        (k, -&modulus),
    ]);
    let row = problem.define(&form);
    let mut bound = |v, low: &Rational, high: &Rational| {
        problem.assert(v, Side::Lower, low, 0).unwrap();
        problem.assert(v, Side::Upper, high, 0).unwrap();
    };
    bound(row, &Rational::ZERO, &Rational::ZERO);
    bound(x, &Rational::ZERO, &(&modulus - &Rational::ONE));
    bound(y, &Rational::from(5), &Rational::from(5));
    bound(k, &Rational::ZERO, &Rational::from(2));
    let mut ticks = Ticks::new(1_000_000);
    assert!(matches!(
        problem.solve(&mut ticks, &mut NoObserver),
        IntegerVerdict::Sat
    ));
    let x = problem.solution()[x.at()].to_i128().unwrap() as u128;
    assert_eq!((x * 3) & u64::MAX as u128, 5);
}

#[test]
fn multiples_are_rounded() {
    // 4x - 6y >= 7 is 4x - 6y >= 8.
    let mut problem = Integers::new();
    problem.check_proofs();
    let (x, y) = (problem.new_var(), problem.new_var());
    let form = polypath_linear::Form::from_terms([(x, Rational::from(4)), (y, Rational::from(-6))]);
    let v = problem.define(&form);
    problem
        .assert(v, Side::Lower, &Rational::from(7), 0)
        .unwrap();
    assert_eq!(
        problem.simplex().bound(v, Side::Lower).unwrap().value,
        8.into()
    );
    assert_eq!(
        problem.assert(v, Side::Upper, &Rational::from(7), 1),
        Err(vec![0, 1])
    );
}

/// `low <= form <= high` for forms by their coefficients; `None` for no bound.
type Rows<'a> = &'a [(&'a [i64], Option<i64>, Option<i64>)];

/// The verdict on rows over variables without bounds, with every proof checked, and how it was found.
fn of_rows(rows: Rows<'_>) -> (IntegerVerdict, polypath_linear::IntegerStats) {
    let mut problem = Integers::new();
    problem.check_proofs();
    let vars: Vec<Var> = rows[0].0.iter().map(|_| problem.new_var()).collect();
    let terms = |c: &[i64]| -> Vec<(Var, Rational)> {
        let terms = vars.iter().zip(c);
        terms.map(|(v, &c)| (*v, Rational::from(c))).collect()
    };
    let mut bounds = Vec::new();
    for (coefficients, low, high) in rows {
        let form = Form::from_terms(terms(coefficients));
        let row = match form.terms() {
            [(v, _)] => *v,
            _ => problem.define(&form),
        };
        bounds.extend(low.map(|low| (row, Side::Lower, low)));
        bounds.extend(high.map(|high| (row, Side::Upper, high)));
    }
    for (i, &(row, side, value)) in bounds.iter().enumerate() {
        let asserted = problem.assert(row, side, &value.into(), i as u32);
        assert!(asserted.is_ok());
    }
    let mut ticks = Ticks::new(20_000_000);
    let verdict = problem.solve(&mut ticks, &mut NoObserver);
    if let IntegerVerdict::Sat = verdict {
        let values = ints(&problem, &vars);
        for (coefficients, low, high) in rows {
            let value: i64 = coefficients.iter().zip(&values).map(|(c, v)| c * v).sum();
            assert!(low.is_none_or(|low| low <= value) && high.is_none_or(|high| value <= high));
        }
    }
    (verdict, problem.stats)
}

#[test]
fn a_lattice_that_misses_the_bounds_is_refuted_without_bounds_of_variables() {
    // The second form is the first one and four times another.
    let rows: Rows<'_> = &[
        (&[3, -7, 5, 2], Some(10), Some(11)),
        (&[7, 1, -7, 30], Some(12), Some(13)),
        (&[1, 2, -1, 1], Some(-500), None),
    ];
    let (verdict, stats) = of_rows(rows);
    assert!(matches!(verdict, IntegerVerdict::Unsat(_)), "{verdict:?}");
    assert!(stats.forms > 0 && stats.branches < 50, "{stats:?}");
}

#[test]
fn a_cube_is_found_beside_equations() {
    // Slack variables make equations of inequalities that have room.
    let rows: Rows<'_> = &[
        (&[13, -11, 7, 1, 0, 0], Some(5), Some(5)),
        (&[-9, 14, 12, 0, 1, 0], Some(-3), Some(-3)),
        (&[8, -13, -11, 0, 0, 1], Some(7), Some(7)),
        (&[0, 0, 0, 1, 0, 0], Some(0), None),
        (&[0, 0, 0, 0, 1, 0], Some(0), None),
        (&[0, 0, 0, 0, 0, 1], Some(0), None),
    ];
    assert!(matches!(of_rows(rows).0, IntegerVerdict::Sat));
    let mut s = Stream::new(11);
    let mut cubes = 0;
    for _ in 0..40 {
        let rows: Vec<Vec<i64>> = (0..9)
            .map(|_| (0..9).map(|_| s.below(29) as i64 - 14).collect())
            .collect();
        let rows: Vec<(&[i64], Option<i64>, Option<i64>)> = rows
            .iter()
            .map(|row| (row.as_slice(), None, Some(s.below(9) as i64 - 4)))
            .collect();
        let (verdict, stats) = of_rows(&rows);
        assert!(matches!(verdict, IntegerVerdict::Sat), "{verdict:?}");
        cubes += stats.by_cubes;
    }
    assert!(cubes > 5, "{cubes}");
}

#[test]
fn a_reduced_basis_decides_knapsacks() {
    let mut s = Stream::new(5);
    let (mut sat, mut unsat, mut reductions) = (0, 0, 0);
    for round in 0..30 {
        let count = 6 + round % 5;
        let weights: Vec<i64> = (0..count)
            .map(|_| 20_000 + s.below(50_000) as i64)
            .collect();
        let hidden: Vec<i64> = (0..count).map(|_| s.below(8) as i64).collect();
        let total: i64 = weights.iter().zip(&hidden).map(|(w, h)| w * h).sum();
        // Near the end few combinations are left, and often none.
        let total = total + [0, 1, 7][round % 3];
        let units: Vec<Vec<i64>> = (0..count)
            .map(|i| (0..count).map(|j| (i == j) as i64).collect())
            .collect();
        let mut rows: Vec<(&[i64], Option<i64>, Option<i64>)> = units
            .iter()
            .map(|unit| (unit.as_slice(), Some(0), Some(7)))
            .collect();
        rows.push((&weights, Some(total), Some(total)));
        let (verdict, stats) = of_rows(&rows);
        match verdict {
            IntegerVerdict::Sat => sat += 1,
            IntegerVerdict::Unsat(_) => unsat += 1,
            IntegerVerdict::OutOfTicks => panic!("out of ticks"),
        }
        assert!(round % 3 > 0 || matches!(verdict, IntegerVerdict::Sat));
        reductions += stats.reductions;
    }
    assert!(
        sat > 5 && unsat > 2 && reductions > 10,
        "{sat} {unsat} {reductions}"
    );
}

/// Sums modulo 2^12 in two ways, with quotients that are free: the relaxation satisfies them by fractions, but once the summands
/// have values, all quotients follow.
#[test]
fn dives_find_summands_whose_quotients_follow() {
    let mut s = Stream::new(11);
    let (modulus, summands) = (1i64 << 12, 5);
    let mut dives = 0;
    for round in 0..20 {
        // Columns: the summands, then a quotient for each row.
        let count = summands * 3;
        let mut rows: Vec<(Vec<i64>, Option<i64>, Option<i64>)> = Vec::new();
        let width = summands + count;
        let unit = |i: usize| (0..width).map(|j| (i == j) as i64).collect::<Vec<i64>>();
        for i in 0..summands {
            rows.push((unit(i), Some(0), Some(modulus - 1)));
        }
        let mut kept: Vec<Vec<i64>> = Vec::new();
        for j in 0..count {
            let mut row = vec![0; width];
            for entry in row.iter_mut().take(summands) {
                *entry = 1 + s.below(modulus as u64 - 1) as i64;
            }
            row[summands + j] = -modulus;
            rows.push((row.clone(), Some(0), Some(modulus - 1)));
            kept.push(row);
        }
        // Some residues lie below others.
        for pair in kept.chunks(2).take(1 + round % 2) {
            if let [a, b] = pair {
                let difference = a.iter().zip(b).map(|(a, b)| a - b).collect();
                rows.push((difference, Some(1), None));
            }
        }
        let rows: Vec<(&[i64], Option<i64>, Option<i64>)> = rows
            .iter()
            .map(|(row, low, high)| (&row[..], *low, *high))
            .collect();
        let (verdict, stats) = of_rows(&rows);
        assert!(
            matches!(verdict, IntegerVerdict::Sat),
            "{round}: {verdict:?}"
        );
        dives += stats.by_dives;
    }
    assert!(dives > 10, "{dives}");
}
