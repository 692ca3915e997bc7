//! Conjunctions: systems of inequalities and equations without a choice for the SAT search.

use super::script::{Problem, ScriptBuilder, Terms, at, number, sum};
use oracle::random::Random;

/// A number of `-most..=most`.
fn signed(random: &mut Random, most: u32) -> i128 {
    random.below(2 * most + 1) as i128 - most as i128
}

/// The same, but 0.
fn factor(random: &mut Random, most: u32) -> i128 {
    let size = 1 + random.below(most) as i128;
    if random.below(2) == 0 { size } else { -size }
}

fn dense_form(random: &mut Random, names: &[String], most: u32) -> Terms {
    let named = names.iter();
    named.map(|n| (signed(random, most), n.clone())).collect()
}

fn point(random: &mut Random, count: usize, most: u32) -> Vec<i128> {
    (0..count).map(|_| signed(random, most)).collect()
}

/// Dense inequalities in 20 to 45 unknowns around a point with thirds as coordinates: the relaxation has room, and whether
/// the integers do is left open (after Dillig, Dillig and Aiken, CAV 2009).
pub fn dense(random: &mut Random, size: u32) -> Problem {
    let mut script = ScriptBuilder::new();
    let names = script.ints("x", 20 + 6 * size as usize);
    for form in inequalities(random, &names) {
        script.assert(format!("(<= {} {})", sum(&form.0), number(form.1)));
    }
    script.problem(None)
}

/// The same as equations with a slack variable each.
pub fn slack(random: &mut Random, size: u32) -> Problem {
    let mut script = ScriptBuilder::new();
    let names = script.ints("x", 20 + 6 * size as usize);
    for (i, (mut form, bound)) in inequalities(random, &names).into_iter().enumerate() {
        let slack = script.int(format!("s{i}"));
        script.assert(format!("(>= {slack} 0)"));
        form.push((1, slack));
        script.assert(format!("(= {} {})", sum(&form), number(bound)));
    }
    script.problem(None)
}

fn inequalities(random: &mut Random, names: &[String]) -> Vec<(Terms, i128)> {
    let thirds = point(random, names.len(), 60);
    let spare = [0, 3, 15][random.below(3) as usize];
    (0..names.len())
        .map(|_| {
            let form = dense_form(random, names, 14);
            let value = at(&form, &thirds).div_euclid(3);
            (form, value + 1 + random.below(spare + 1) as i128)
        })
        .collect()
}

/// Two forms with both bounds in many unknowns without any, and forms that have one. The two differ by a multiple of a
/// number, which the bounds leave room for in half of the cases.
pub fn unbounded(random: &mut Random, size: u32) -> Problem {
    let mut script = ScriptBuilder::new();
    let names = script.ints("x", 4 + 3 * size as usize);
    let is_sat = random.below(2) == 0;
    let k = 4 + random.below(4) as i128;
    let hidden = point(random, names.len(), 100);
    let [a, b] = [(); 2].map(|()| dense_form(random, &names, 9));
    let pairs = a.iter().zip(&b);
    let other: Terms = pairs
        .map(|((x, n), (y, _))| (x + k * y, n.clone()))
        .collect();
    let (low, high) = (at(&a, &hidden), at(&other, &hidden));
    // Without a solution, their difference lies strictly between two multiples.
    let beyond = if is_sat { high } else { high + 2 };
    for (form, value, end) in [(&a, low, low + 1), (&other, beyond, high + k - 1)] {
        let (value, end) = (number(value), number(end));
        script.assert(format!("(<= {value} {} {end})", sum(form)));
    }
    for _ in 0..names.len() / 2 {
        let form = dense_form(random, &names, 9);
        let value = at(&form, &hidden) - random.below(50) as i128;
        script.assert(format!("(>= {} {})", sum(&form), number(value)));
    }
    script.problem(Some(is_sat))
}

/// Quadrangles with almost parallel edges, linked at their corners: long and thin, with few points or none.
pub fn rhombi(random: &mut Random, size: u32) -> Problem {
    let mut script = ScriptBuilder::new();
    let count = 1 + 2 * size as usize;
    let is_sat = random.below(2) == 0;
    let names = script.ints("x", 2 * count);
    for pair in names.chunks(2) {
        let slope = 10 + random.below(300 << (2 * size)) as i128;
        let hidden = [0, 1].map(|_| signed(random, 1000));
        for (p, q) in [(slope, slope + 1), (slope + 2, slope + 3)] {
            let form = vec![(p, pair[0].clone()), (-q, pair[1].clone())];
            let value = at(&form, &hidden) - (!is_sat) as i128 * (1 + random.below(5) as i128);
            let high = value + (random.below(slope as u32 / 8 + 1)) as i128;
            script.assert(format!(
                "(<= {} {} {})",
                number(value),
                sum(&form),
                number(high)
            ));
        }
    }
    for pair in names.windows(3) {
        script.assert(format!(
            "(<= (- {} {}) {})",
            pair[0],
            pair[2],
            2000 + random.below(2000)
        ));
    }
    script.problem(None)
}

/// Equations whose coefficients have a common divisor modulo which a sum of them has no solution, in half of the cases.
pub fn gcd(random: &mut Random, size: u32) -> Problem {
    let mut script = ScriptBuilder::new();
    let count = 6 + 5 * size as usize;
    let names = script.ints("x", count);
    let is_sat = random.below(2) == 0;
    let k = [2, 3, 5, 7, 11, 6][random.below(6) as usize];
    let hidden = point(random, count, 1000);
    let mut last: Terms = names.iter().map(|n| (0, n.clone())).collect();
    let mut value = 0;
    for _ in 0..count / 2 {
        let form = dense_form(random, &names, 20);
        let at_hidden = at(&form, &hidden);
        script.assert(format!("(= {} {})", sum(&form), number(at_hidden)));
        let share = factor(random, 3);
        last.iter_mut()
            .zip(&form)
            .for_each(|(l, f)| l.0 += share * f.0);
        value += share * at_hidden;
    }
    // The sum of all, plus a multiple of k.
    for l in &mut last {
        let more = k * signed(random, 5);
        value += more * hidden[names.iter().position(|n| *n == l.1).unwrap_or(0)];
        l.0 += more;
    }
    value += !is_sat as i128;
    script.assert(format!("(= {} {})", sum(&last), number(value)));
    for name in &names {
        if random.below(3) == 0 {
            script.within(name, -2000, 2000);
        }
    }
    script.problem(Some(is_sat))
}

/// Equations over bounded unknowns with large positive coefficients.
pub fn knapsack(random: &mut Random, size: u32) -> Problem {
    let mut script = ScriptBuilder::new();
    let count = 4 + 2 * size as usize;
    let names = script.ints("x", count);
    let most = 3 + random.below(20);
    let mut hidden = Vec::new();
    for name in &names {
        script.within(name, 0, most as i128);
        hidden.push(random.below(most + 1) as i128);
    }
    let is_sat = random.below(2) == 0;
    let range = 1000 << (2 * size.min(3));
    for _ in 0..1 + random.below(2) {
        let weights = names.iter();
        let form: Terms = weights
            .map(|n| (range / 2 + random.below(range as u32) as i128, n.clone()))
            .collect();
        let value = at(&form, &hidden) + !is_sat as i128 * (1 + random.below(9) as i128);
        script.assert(format!("(= {} {})", sum(&form), number(value)));
    }
    script.problem(is_sat.then_some(true))
}

/// Reachability of a marking of a Petri net by the state equation: sparse equations with factors of -2 to 2 over
/// naturals without upper bounds.
pub fn petri(random: &mut Random, size: u32) -> Problem {
    let mut script = ScriptBuilder::new();
    let (places, moves) = (8 + 6 * size as usize, 12 + 9 * size as usize);
    let names = script.ints("t", moves);
    let hidden: Vec<i128> = names.iter().map(|_| random.below(9) as i128).collect();
    names
        .iter()
        .for_each(|n| script.assert(format!("(>= {n} 0)")));
    let is_sat = random.below(2) == 0;
    for p in 0..places {
        let form: Terms = names
            .iter()
            .map(|n| {
                let is_used = random.below(4) == 0;
                (is_used as i128 * factor(random, 3), n.clone())
            })
            .collect();
        let off = !is_sat && p < 4;
        let value = at(&form, &hidden) + off as i128 * factor(random, 3);
        script.assert(format!("(= {} {})", sum(&form), number(value)));
    }
    script.problem(is_sat.then_some(true))
}

/// Inequalities in few bounded unknowns with large coefficients and a narrow relaxation.
pub fn narrow(random: &mut Random, size: u32) -> Problem {
    let mut script = ScriptBuilder::new();
    let count = 3 + size as usize;
    let names = script.ints("x", count);
    let hidden = point(random, count, 500);
    names.iter().for_each(|n| script.within(n, -1000, 1000));
    let is_sat = random.below(2) == 0;
    for _ in 0..count - 1 {
        let form = dense_form(random, &names, 4000);
        let value = at(&form, &hidden) + if is_sat { 0 } else { 17 };
        let high = value + random.below(60) as i128;
        script.assert(format!(
            "(<= {} {} {})",
            number(value),
            sum(&form),
            number(high)
        ));
    }
    script.problem(is_sat.then_some(true))
}
