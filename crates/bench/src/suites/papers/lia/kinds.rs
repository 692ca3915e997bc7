//! Kinds of public benchmarks that the other families have not: products by large constants modulo a power of two, circuits that multiply,
//! reads of what a program has stored, and sparse inequalities, more than there are unknowns, with slack variables.

use super::script::{Problem, ScriptBuilder, Terms, add, number, or, shuffle, sum};
use oracle::random::Random;

/// Multiples of inputs, and of choices between two of them by the order of two, modulo a power of two, added up in two orders. The quotients
/// have no bounds of their own. In the second order each multiple comes in two parts; the ends are equal, unless a part is one too large.
pub fn scaled_rings(random: &mut Random, size: u32) -> Problem {
    let mut script = ScriptBuilder::new();
    let modulus = 1i128 << [4, 8, 16, 32][random.below(4) as usize];
    let inputs = script.ints("x", 3 + size as usize);
    let mut parts = inputs.clone();
    for x in &inputs {
        script.within(x, 0, modulus - 1);
    }
    for _ in 0..size {
        let mut of = inputs.clone();
        shuffle(random, &mut of);
        parts.push(format!("(ite (< {} {}) {} {})", of[0], of[1], of[1], of[2]));
    }
    let is_sat = random.below(2) == 0;
    let below = |random: &mut Random, end: i128| i128::from(random.below(end as u32));
    let mut reduced = 0;
    let mut residue = |script: &mut ScriptBuilder, of: String| {
        let quotient = script.int(format!("q{reduced}"));
        reduced += 1;
        let rest = format!("(- {of} (* {modulus} {quotient}))");
        script.within(&rest, 0, modulus - 1);
        rest
    };
    let largest = modulus.min(1 << 30);
    let scaled = parts.into_iter();
    let scaled = scaled.map(|part| (1 + below(random, largest - 1), part));
    let mut scaled: Vec<(i128, String)> = scaled.collect();
    let mut ends = Vec::new();
    for side in 0..2 {
        shuffle(random, &mut scaled);
        let mut end: Option<String> = None;
        for (k, (factor, part)) in scaled.iter().enumerate() {
            let first = if side == 0 {
                *factor
            } else {
                below(random, factor + 1)
            };
            let fault = i128::from(is_sat && side == 1 && k == 0);
            for factor in [first, factor - first + fault] {
                if factor == 0 {
                    continue;
                }
                let multiple = residue(&mut script, format!("(* {factor} {part})"));
                end = Some(match end {
                    Some(end) => residue(&mut script, add(&[end, multiple])),
                    None => multiple,
                });
            }
        }
        ends.extend(end);
    }
    script.assert(format!("(not (= {}))", ends.join(" ")));
    script.problem(Some(is_sat))
}

/// A circuit of full adders over integers of 0 and 1 multiplies two numbers above 1: is the product a given one?
pub fn multipliers(random: &mut Random, size: u32) -> Problem {
    let mut script = ScriptBuilder::new();
    let width = 3 + size as usize;
    let bit = |script: &mut ScriptBuilder, name: String| {
        let bit = script.int(name);
        script.within(&bit, 0, 1);
        bit
    };
    let [a, b] = ["a", "b"].map(|p| {
        let names = (0..width).map(|i| bit(&mut script, format!("{p}{i}")));
        names.collect::<Vec<String>>()
    });
    let mut columns: Vec<Vec<String>> = vec![Vec::new(); 2 * width + 1];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            let product = bit(&mut script, format!("p{i}_{j}"));
            script.assert(format!("(= {product} (ite (and (= {x} 1) (= {y} 1)) 1 0))"));
            columns[i + j].push(product);
        }
    }
    let wanted = random.below(1 << (2 * width)) | 1;
    let factors = 2..1u32 << width;
    let is_sat = factors
        .clone()
        .any(|f| wanted.is_multiple_of(f) && factors.contains(&(wanted / f)));
    for place in 0..2 * width {
        let mut k = 0;
        while columns[place].len() > 1 {
            let taken = columns[place].len().min(3);
            let ins: Vec<String> = columns[place].drain(..taken).collect();
            let [s, c] = ["s", "c"].map(|p| bit(&mut script, format!("{p}{place}_{k}")));
            script.assert(format!("(= {} (+ {s} (* 2 {c})))", add(&ins)));
            columns[place].push(s);
            columns[place + 1].push(c);
            k += 1;
        }
        let out = columns[place].first().map_or("0", String::as_str);
        script.assert(format!("(= {out} {})", wanted >> place & 1));
    }
    for names in [a, b] {
        let weighted = names.into_iter().enumerate();
        let number: Terms = weighted.map(|(i, n)| (1 << i, n)).collect();
        script.assert(format!("(> {} 1)", sum(&number)));
    }
    script.problem(Some(is_sat))
}

/// Values that are read from a memory after stores at computed places: choices by equal places, and a function of the places before the stores.
pub fn selections(random: &mut Random, size: u32) -> Problem {
    let mut script = ScriptBuilder::new();
    let count = 2 + 2 * size as usize;
    let [places, values, before] = ["i", "e", "f"].map(|p| script.ints(p, count));
    for k in 0..count {
        for j in 0..k {
            let (i, j, f, g) = (&places[k], &places[j], &before[k], &before[j]);
            script.assert(format!("(=> (= {i} {j}) (= {f} {g}))"));
        }
    }
    let read = |random: &mut Random, stores: usize, at: usize| {
        (0..stores).fold(before[at].clone(), |rest, k| {
            let (to, value) = (random.below(3), i128::from(random.below(5)) - 2);
            let (i, j, e) = (&places[at], &places[k], &values[k]);
            format!(
                "(ite (= {i} (+ {j} {to})) (+ {e} {}) {rest})",
                number(value)
            )
        })
    };
    let below = |random: &mut Random, end: usize| random.below(end as u32) as usize;
    for _ in 0..count {
        let (a, b) = (below(random, count), below(random, count));
        let stores = [1 + below(random, count - 1), 1 + below(random, count - 1)];
        let [x, y] = [read(random, stores[0], a), read(random, stores[1], b)];
        script.assert(format!("(<= {x} (+ 1 {y}))"));
        let (i, j) = (&places[a], &places[b]);
        let second = read(random, 2.min(count - 1), b);
        script.assert(or(&[
            format!("(< {i} {j})"),
            format!("(= {second} (+ {i} 2))"),
        ]));
    }
    script.assert(format!("(distinct {})", places.join(" ")));
    let [x, y] = [0, 1].map(|at| read(random, count - 1, at));
    script.assert(format!("(not (= {x} {y}))"));
    script.problem(None)
}

/// More inequalities than unknowns, of any length, each an equation with a slack variable that has one bound.
pub fn slack_rows(random: &mut Random, size: u32) -> Problem {
    let mut script = ScriptBuilder::new();
    let mut names = script.ints("x", 6 + 3 * size as usize);
    let rows = names.len() + 4 + random.below(names.len() as u32 / 2) as usize;
    for k in 0..rows {
        shuffle(random, &mut names);
        let length = 3 + random.below(names.len() as u32 - 3) as usize;
        let factor = |random: &mut Random| i128::from(random.below(81)) - 40;
        let form: Terms = names[..length]
            .iter()
            .map(|n| (factor(random), n.clone()))
            .collect();
        let slack = script.int(format!("s{k}"));
        script.assert(format!("(= {slack} {})", sum(&form)));
        let bound = i128::from(random.below(70)) - 60;
        script.assert(format!("(<= {slack} {})", number(bound)));
    }
    script.problem(None)
}
