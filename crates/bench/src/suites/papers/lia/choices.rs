//! Problems with many choices: disjunctions, orders, placements.

use super::script::{Problem, ScriptBuilder, Terms, add, or, shuffle, sum};
use oracle::random::Random;

/// A chain of diamonds: each end lies behind its beginning by one of two ways; the last one lies before the first.
pub fn diamonds(random: &mut Random, size: u32) -> Problem {
    let mut script = ScriptBuilder::new();
    let count = 8 + 8 * size as usize;
    let ends = script.ints("a", count + 1);
    let mut least = 0;
    for (i, pair) in ends.windows(2).enumerate() {
        let [x, y] = ["x", "y"].map(|p| script.int(format!("{p}{i}")));
        let ways = [&x, &y].map(|m| {
            let [p, q] = [(); 2].map(|()| 1 + random.below(3) as i128);
            (
                p + q,
                format!(
                    "(and (>= (- {m} {}) {p}) (>= (- {} {m}) {q}))",
                    pair[0], pair[1]
                ),
            )
        });
        least += ways[0].0.min(ways[1].0);
        script.assert(or(&ways.map(|w| w.1)));
    }
    let is_sat = random.below(3) == 0;
    let most = least - !is_sat as i128;
    script.assert(format!("(<= (- {} {}) {most})", ends[count], ends[0]));
    script.problem(Some(is_sat))
}

/// Pigeons and holes as sums of integers of 0 and 1; one pigeon too many in half of the cases.
pub fn pigeons(random: &mut Random, size: u32) -> Problem {
    let mut script = ScriptBuilder::new();
    let holes = 4 + size as usize;
    let is_sat = random.below(2) == 0;
    let pigeons = holes + !is_sat as usize;
    let names: Vec<Vec<String>> = (0..pigeons)
        .map(|p| script.ints(&format!("p{p}_"), holes))
        .collect();
    let ones = |names: &mut dyn Iterator<Item = &String>| add(&names.cloned().collect::<Vec<_>>());
    for row in &names {
        row.iter().for_each(|n| script.within(n, 0, 1));
        script.assert(format!("(>= {} 1)", ones(&mut row.iter())));
    }
    for hole in 0..holes {
        let column = ones(&mut names.iter().map(|row| &row[hole]));
        script.assert(format!("(<= {column} 1)"));
    }
    if random.below(2) == 0 {
        // As clauses, too: a pair of pigeons shares no hole.
        for hole in 0..holes {
            for pair in names.windows(2) {
                script.assert(format!(
                    "(or (= {} 0) (= {} 0))",
                    pair[0][hole], pair[1][hole]
                ));
            }
        }
    }
    script.problem(Some(is_sat))
}

/// Clauses of random linear conditions over bounded unknowns.
pub fn disjunctions(random: &mut Random, size: u32) -> Problem {
    let mut script = ScriptBuilder::new();
    let count = 4 + 2 * size as usize;
    let names = script.ints("x", count);
    names.iter().for_each(|n| script.within(n, -20, 20));
    for _ in 0..count * (3 + random.below(3) as usize) {
        let parts = (0..3).map(|_| {
            let terms = (0..3).map(|_| {
                let factor = random.below(11) as i128 - 5;
                (factor, random.one_of(&names).clone())
            });
            let terms: Terms = terms.collect();
            format!("(>= {} {})", sum(&terms), 10 + random.below(40))
        });
        let parts: Vec<String> = parts.collect();
        script.assert(or(&parts));
    }
    script.problem(None)
}

/// A job shop: jobs pass all machines in orders of their own, and end before a time.
pub fn scheduling(random: &mut Random, size: u32) -> Problem {
    let mut script = ScriptBuilder::new();
    let (jobs, machines) = (2 + size as usize / 2, 2 + size.div_ceil(2) as usize);
    let mut tasks: Vec<Vec<(String, i128)>> = vec![Vec::new(); machines];
    let mut total = 0;
    let mut ends = Vec::new();
    for job in 0..jobs {
        let mut order: Vec<usize> = (0..machines).collect();
        shuffle(random, &mut order);
        let mut before = "0".to_string();
        for machine in order {
            let start = script.int(format!("j{job}_{machine}"));
            let takes = 1 + random.below(9) as i128;
            script.assert(format!("(>= {start} {before})"));
            before = format!("(+ {start} {takes})");
            tasks[machine].push((start, takes));
            total += takes;
        }
        ends.push(before);
    }
    for on_machine in &tasks {
        for (i, (a, takes)) in on_machine.iter().enumerate() {
            for (b, other) in &on_machine[i + 1..] {
                script.assert(format!(
                    "(or (<= (+ {a} {takes}) {b}) (<= (+ {b} {other}) {a}))"
                ));
            }
        }
    }
    let share = 45 + random.below(30) as i128;
    let most = total * share / 100;
    ends.iter()
        .for_each(|e| script.assert(format!("(<= {e} {most})")));
    script.problem(None)
}

/// Clauses of differences.
pub fn differences(random: &mut Random, size: u32) -> Problem {
    let mut script = ScriptBuilder::new();
    let count = 8 + 6 * size as usize;
    let names = script.ints("x", count);
    let edge = |random: &mut Random| {
        let [a, b] = [(); 2].map(|()| random.one_of(&names).clone());
        format!(
            "(<= (- {a} {b}) {})",
            super::script::number(random.below(40) as i128 - 22)
        )
    };
    for _ in 0..count * 3 {
        let parts: Vec<String> = (0..1 + random.below(3)).map(|_| edge(random)).collect();
        script.assert(or(&parts));
    }
    script.problem(None)
}

/// Queens on a board, by column; a queen or two stand already.
pub fn queens(random: &mut Random, size: u32) -> Problem {
    let mut script = ScriptBuilder::new();
    let n = 4 + 2 * size as i128;
    let names = script.ints("q", n as usize);
    names.iter().for_each(|q| script.within(q, 1, n));
    for (i, a) in names.iter().enumerate() {
        for (j, b) in names.iter().enumerate().skip(i + 1) {
            script.assert(format!("(distinct {a} {b})"));
            let apart = j - i;
            script.assert(format!("(distinct {a} (+ {b} {apart}) (- {b} {apart}))"));
        }
    }
    let row = 1 + random.below(n as u32);
    script.assert(format!(
        "(= {} {row})",
        names[random.below(n as u32) as usize]
    ));
    script.problem(None)
}

/// Cryptarithms: a sum of words as digits, different letters being different digits.
pub fn puzzles(random: &mut Random, size: u32) -> Problem {
    let mut script = ScriptBuilder::new();
    let letters = script.ints("l", 6 + size.min(4) as usize);
    letters.iter().for_each(|l| script.within(l, 0, 9));
    script.assert(format!("(distinct {})", letters.join(" ")));
    // Digits that solve it, unless a letter of the result is changed.
    let mut values: Vec<i128> = (0..10).collect();
    shuffle(random, &mut values);
    let is_sat = random.below(2) == 0;
    let length = 3 + size as usize;
    let mut terms: Terms = Vec::new();
    let mut total = 0;
    for _ in 0..2 {
        for place in 0..length {
            let letter = random.below(letters.len() as u32) as usize;
            terms.push((10i128.pow(place as u32), letters[letter].clone()));
            total += 10i128.pow(place as u32) * values[letter];
        }
    }
    let mut rest = total;
    for place in 0..=length {
        let digit = rest % 10;
        rest /= 10;
        match values[..letters.len()].iter().position(|v| *v == digit) {
            Some(letter) => terms.push((-(10i128.pow(place as u32)), letters[letter].clone())),
            None => terms.push((-(10i128.pow(place as u32)), digit.to_string())),
        }
    }
    if !is_sat {
        let other = random.one_of(&letters).clone();
        terms.push((1, other));
        terms.push((-1, "3".into()));
    }
    script.assert(format!("(= {} 0)", sum(&terms)));
    script.problem(is_sat.then_some(true))
}

/// Sums of weighted integers of 0 and 1 with bounds.
pub fn pseudo_boolean(random: &mut Random, size: u32) -> Problem {
    let mut script = ScriptBuilder::new();
    let count = 10 + 6 * size as usize;
    let names = script.ints("b", count);
    names.iter().for_each(|n| script.within(n, 0, 1));
    for _ in 0..count * 2 / 3 {
        let terms = (0..6).map(|_| (1 + random.below(20) as i128, random.one_of(&names).clone()));
        let terms: Terms = terms.collect();
        let total: i128 = terms.iter().map(|t| t.0).sum();
        let (low, high) = (total * 2 / 5, total * 3 / 5);
        match random.below(3) {
            0 => script.assert(format!("(>= {} {low})", sum(&terms))),
            1 => script.assert(format!("(<= {} {high})", sum(&terms))),
            _ => script.assert(format!("(<= {low} {} {high})", sum(&terms))),
        }
    }
    script.problem(None)
}

/// Rectangles in a larger one, no two of which overlap.
pub fn packing(random: &mut Random, size: u32) -> Problem {
    let mut script = ScriptBuilder::new();
    let count = 3 + size as usize;
    let mut area = 0;
    let boxes: Vec<_> = (0..count)
        .map(|i| {
            let [w, h] = [(); 2].map(|()| 2 + random.below(6) as i128);
            area += w * h;
            let [x, y] = ["x", "y"].map(|p| script.int(format!("{p}{i}")));
            (x, y, w, h)
        })
        .collect();
    let share = 105 + random.below(50) as i128;
    let width = 9 + random.below(4) as i128;
    let height = (area * share / 100).div_euclid(width).max(7);
    for (x, y, w, h) in &boxes {
        script.within(x, 0, width - w);
        script.within(y, 0, height - h);
    }
    for (i, (x, y, w, h)) in boxes.iter().enumerate() {
        for (u, v, a, b) in &boxes[i + 1..] {
            script.assert(format!(
                "(or (<= (+ {x} {w}) {u}) (<= (+ {u} {a}) {x}) (<= (+ {y} {h}) {v}) (<= (+ {v} {b}) {y}))"
            ));
        }
    }
    script.problem(None)
}
