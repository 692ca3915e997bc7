//! The simplex over the rationals: strict bounds, conflicts, the observer, the budget.

use crate::common::Stream;
use polypath_linear::{
    Delta, Form, NoObserver, Observer, ProofCheck, Rational, Side, Simplex, Ticks, Var,
};

fn form(terms: &[(Var, i64)]) -> Form {
    Form::from_terms(terms.iter().map(|&(v, c)| (v, Rational::from(c))))
}

#[test]
fn strict_bounds() {
    // x < y, y < x + 1, x + y = 1 is satisfiable; x < y, y < x is not.
    let mut s = Simplex::new();
    let (x, y) = (s.new_var(), s.new_var());
    let difference = s.define(&form(&[(y, 1), (x, -1)]));
    let sum = s.define(&form(&[(x, 1), (y, 1)]));
    s.assert(difference, Side::Lower, Delta::above(Rational::ZERO), 1)
        .unwrap();
    s.push();
    s.assert(difference, Side::Upper, Delta::below(Rational::ONE), 2)
        .unwrap();
    s.assert(sum, Side::Lower, Delta::from(1), 3).unwrap();
    s.assert(sum, Side::Upper, Delta::from(1), 4).unwrap();
    assert!(matches!(
        s.check(&mut Ticks::new(1000), &mut NoObserver),
        ProofCheck::Feasible
    ));
    assert!(s.is_consistent());
    s.pop();
    let conflict = s.assert(difference, Side::Upper, Delta::below(Rational::ZERO), 5);
    let mut reasons: Vec<u32> = conflict.unwrap_err().reasons().collect();
    reasons.sort_unstable();
    assert_eq!(reasons, [1, 5]);
}

/// Counts assignments and checks that rows hold in each.
struct Watcher(usize);

impl Observer for Watcher {
    fn before_pivot(&mut self, simplex: &Simplex) {
        assert!(simplex.is_consistent());
        self.0 += 1;
    }
}

#[test]
fn the_motivating_example_shows_its_partial_solutions() {
    // x + y >= 2, 2y - x >= 1, 2x - y >= 0 from (0, 0): one assignment before each pivot.
    let mut s = Simplex::new();
    let (x, y) = (s.new_var(), s.new_var());
    for (a, b, low) in [(1, 1, 2), (-1, 2, 1), (2, -1, 0)] {
        let v = s.define(&form(&[(x, a), (y, b)]));
        s.assert(v, Side::Lower, Delta::from(low), 0).unwrap();
    }
    let mut watcher = Watcher(0);
    assert!(matches!(
        s.check(&mut Ticks::new(1000), &mut watcher),
        ProofCheck::Feasible
    ));
    assert_eq!(watcher.0 as u64, s.stats.pivots);
    assert!(watcher.0 >= 2);
}

#[test]
fn random_systems_keep_the_invariants_and_their_certificates_add_up() {
    let mut stream = Stream::new(99);
    let (mut feasible, mut conflicts) = (0, 0);
    for _ in 0..400 {
        let mut s = Simplex::new();
        let vars: Vec<Var> = (0..8).map(|_| s.new_var()).collect();
        let rows: Vec<Var> = (0..12)
            .map(|_| {
                let terms: Vec<(Var, i64)> =
                    vars.iter().map(|&v| (v, stream.range(-9, 9))).collect();
                s.define(&form(&terms))
            })
            .collect();
        let mut watcher = Watcher(0);
        let mut ticks = Ticks::new(1_000_000);
        for chunk in rows.chunks(4) {
            s.push();
            for &v in chunk {
                let side = [Side::Lower, Side::Upper][stream.range(0, 1) as usize];
                s.assert(v, side, Delta::from(stream.range(-50, 50)), v.0)
                    .unwrap();
            }
            match s.check(&mut ticks, &mut watcher) {
                ProofCheck::Feasible => feasible += 1,
                ProofCheck::Conflict(conflict) => {
                    assert!(s.is_contradiction(&conflict));
                    conflicts += 1;
                    s.pop();
                }
                ProofCheck::OutOfTicks => panic!("out of ticks"),
            }
            assert!(s.is_consistent());
        }
    }
    assert!(feasible > 100 && conflicts > 10, "{feasible} {conflicts}");
}

#[test]
fn the_budget_ends_a_check_which_goes_on_later() {
    let mut s = Simplex::new();
    let vars: Vec<Var> = (0..10).map(|_| s.new_var()).collect();
    for i in 0..9 {
        let v = s.define(&form(&[(vars[i + 1], 1), (vars[i], -2)]));
        s.assert(v, Side::Lower, Delta::from(1), 0).unwrap();
    }
    assert!(matches!(
        s.check(&mut Ticks::new(3), &mut NoObserver),
        ProofCheck::OutOfTicks
    ));
    assert!(matches!(
        s.check(&mut Ticks::new(100_000), &mut NoObserver),
        ProofCheck::Feasible
    ));
    assert!(s.is_consistent());
}

#[test]
fn a_long_chain_is_no_recursion() {
    let mut s = Simplex::new();
    let vars: Vec<Var> = (0..3000).map(|_| s.new_var()).collect();
    for pair in vars.windows(2) {
        let v = s.define(&form(&[(pair[1], 1), (pair[0], -1)]));
        s.assert(v, Side::Lower, Delta::from(1), v.0).unwrap();
    }
    s.assert(vars[0], Side::Lower, Delta::from(0), 0).unwrap();
    s.assert(vars[2999], Side::Upper, Delta::from(2998), 1)
        .unwrap();
    let check = s.check(&mut Ticks::new(1_000_000_000), &mut NoObserver);
    let ProofCheck::Conflict(conflict) = check else {
        panic!("{check:?}");
    };
    assert_eq!(conflict.0.len(), 3001);
}
