//! Random 12×8 systems of inequalities: time, pivots and partial solutions of each; then the same
//! over the integers. `cargo bench -p polypath-linear`.

use polypath_linear::{
    Deadline, Delta, Form, IntegerVerdict, Integers, NoObserver, Observer, ProofCheck, Rational,
    Side, Simplex, Ticks, Var,
};
use testkit::Random;

struct Count(u64);

impl Observer for Count {
    fn before_pivot(&mut self, _: &Simplex) {
        self.0 += 1;
    }
}

fn system(stream: &mut Random, rows: usize, vars: usize) -> Vec<(Vec<i64>, Side, i64)> {
    let row = |s: &mut Random| {
        let coefficients = (0..vars).map(|_| s.range(-9, 9)).collect();
        let side = [Side::Lower, Side::Upper][s.range(0, 1) as usize];
        (coefficients, side, s.range(-50, 50))
    };
    (0..rows).map(|_| row(stream)).collect()
}

/// Processor time of a piece of work: a busy machine changes little.
struct Clock(Deadline);

impl Clock {
    fn start() -> Clock {
        Clock(Deadline::new(1e6, None, host::Stop::never()).expect("an end"))
    }

    fn seconds(&self) -> f64 {
        1e6 - self.0.cpu_seconds_left()
    }
}

fn form(vars: &[Var], coefficients: &[i64]) -> Form {
    Form::from_terms(
        vars.iter()
            .zip(coefficients)
            .map(|(v, &c)| (*v, Rational::from(c))),
    )
}

fn main() {
    for (rows, columns, count) in [(12, 8, 5_000), (16, 12, 100)] {
        let mut stream = Random::new(1);
        let systems: Vec<_> = (0..count)
            .map(|_| system(&mut stream, rows, columns))
            .collect();
        let (mut pivots, mut partial, mut feasible) = (0, Count(0), 0);
        let clock = Clock::start();
        for system in &systems {
            let mut s = Simplex::new();
            let vars: Vec<Var> = (0..columns).map(|_| s.new_var()).collect();
            for (i, (coefficients, side, value)) in system.iter().enumerate() {
                let v = s.define(&form(&vars, coefficients));
                // A fresh row has no bound to conflict with.
                let _ = s.assert(v, *side, Delta::from(*value), i as u32);
            }
            let mut ticks = Ticks::new(1 << 40);
            feasible += matches!(s.check(&mut ticks, &mut partial), ProofCheck::Feasible) as usize;
            pivots += s.stats.pivots;
        }
        let seconds = clock.seconds();
        println!(
            "rational {rows}x{columns}: {:.1} µs, {:.1} pivots, {:.1} partial solutions, {:.0} pivots/s, {:.0} % feasible",
            seconds * 1e6 / count as f64,
            pivots as f64 / count as f64,
            partial.0 as f64 / count as f64,
            pivots as f64 / seconds,
            100.0 * feasible as f64 / count as f64,
        );
    }
    let count = 300;
    let mut stream = Random::new(2);
    let (mut sat, mut unsat, mut unknown) = (0, 0, 0);
    let clock = Clock::start();
    for _ in 0..count {
        let mut s = Integers::new();
        let vars: Vec<Var> = (0..8).map(|_| s.new_var()).collect();
        let system = system(&mut stream, 12, 8);
        let mut ok = true;
        for v in &vars {
            ok &= s
                .assert(*v, Side::Lower, &Rational::from(-100), v.0)
                .is_ok();
            ok &= s.assert(*v, Side::Upper, &Rational::from(100), v.0).is_ok();
        }
        for (i, (coefficients, side, value)) in system.iter().enumerate() {
            let f = form(&vars, coefficients);
            if !f.is_zero() {
                let v = s.define(&f);
                ok &= s
                    .assert(v, *side, &Rational::from(*value), 100 + i as u32)
                    .is_ok();
            }
        }
        match s.solve(&mut Ticks::new(200_000), &mut NoObserver) {
            _ if !ok => unsat += 1,
            IntegerVerdict::Sat => sat += 1,
            IntegerVerdict::Unsat(_) => unsat += 1,
            IntegerVerdict::OutOfTicks => unknown += 1,
        }
    }
    println!(
        "integers 12x8: {:.1} µs, {sat} sat, {unsat} unsat, {unknown} out of budget",
        clock.seconds() * 1e6 / count as f64
    );
}
