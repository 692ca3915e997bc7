//! What programs and circuits compute, written as integers.

use super::script::{Problem, ScriptBuilder, Terms, add, number, or, shuffle, sum};
use oracle::random::Random;

/// Sums of bytes modulo a power of two from 2^12 to 2^64, added up in two orders, with a choice between terms here and
/// there; equal unless one order has one more term.
pub fn rings(random: &mut Random, size: u32) -> Problem {
    let mut script = ScriptBuilder::new();
    let modulus = 1i128 << [12, 16, 32, 48, 64][random.below(5) as usize];
    let count = 3 + size as usize;
    let mut parts = script.ints("x", count);
    for part in &mut parts {
        script.within(part, 0, modulus - 1);
        if random.below(5) < 2 {
            let guard = script.bool(format!("g_{part}"));
            *part = format!("(ite {guard} {part} {})", random.below(1000));
        }
    }
    let is_sat = random.below(3) == 0;
    let mut ends = Vec::new();
    for side in 0..2 {
        // A random order.
        shuffle(random, &mut parts);
        let mut end = parts[0].clone();
        for (i, part) in parts[1..].iter().enumerate() {
            let [s, carry] = ["s", "c"].map(|n| script.int(format!("{n}{side}_{i}")));
            script.within(&s, 0, modulus - 1);
            script.within(&carry, 0, 1);
            script.assert(format!(
                "(= {s} (- (+ {end} {part}) (* {modulus} {carry})))"
            ));
            end = s;
        }
        ends.push(end);
    }
    if is_sat {
        ends[1] = format!("(+ 1 {})", ends[1]);
    }
    script.assert(format!("(not (= {} {}))", ends[0], ends[1]));
    script.problem(Some(is_sat))
}

/// A ripple-carry adder and the sum of its operands' numbers: gates over integers of 0 and 1.
pub fn circuits(random: &mut Random, size: u32) -> Problem {
    let mut script = ScriptBuilder::new();
    let width = 2 + 2 * size as usize;
    let bits = |script: &mut ScriptBuilder, prefix: &str| {
        let names = script.ints(prefix, width);
        names.iter().for_each(|n| script.within(n, 0, 1));
        names
    };
    let [a, b] = ["a", "b"].map(|p| bits(&mut script, p));
    let is_sat = random.below(3) == 0;
    let fault = is_sat.then(|| random.below(width as u32) as usize);
    let mut carry = "0".to_string();
    let mut out = Vec::new();
    for i in 0..width {
        let [s, c] = ["s", "c"].map(|p| script.int(format!("{p}{i}")));
        script.within(&s, 0, 1);
        script.within(&c, 0, 1);
        // Exclusive or and majority as inequalities (a faulty gate says `or` instead of the majority).
        let ins = [a[i].clone(), b[i].clone(), carry.clone()];
        let total = add(&ins);
        if fault == Some(i) {
            ins.iter()
                .for_each(|n| script.assert(format!("(>= {c} {n})")));
            script.assert(format!("(<= {c} {total})"));
        } else {
            script.assert(format!("(<= (* 2 {c}) {total})"));
            script.assert(format!("(>= (+ 1 (* 2 {c})) {total})"));
        }
        let [x, y, z] = &ins;
        script.assert(format!("(= {s} (ite (= {x} {y}) {z} (- 1 {z})))"));
        out.push((1i128 << i, s));
        carry = c;
    }
    out.push((1 << width, carry));
    let value = |names: &[String]| -> Terms {
        let weighted = names.iter().enumerate();
        weighted.map(|(i, n)| (1 << i, n.clone())).collect()
    };
    let operands = [value(&a), value(&b)].concat();
    script.assert(format!("(not (= {} {}))", sum(&out), sum(&operands)));
    script.problem(Some(is_sat))
}

/// The chain of definitions of a fast transform, forward and backward; the end is not a multiple of the beginning, or a
/// wanted output is given.
pub fn fft(random: &mut Random, size: u32) -> Problem {
    let mut script = ScriptBuilder::new();
    let (layers, count) = (2 + size as usize % 4, 4 << (size as usize / 2));
    let input = script.ints("x", count);
    input.iter().for_each(|n| script.within(n, -100, 100));
    let mut now = input.clone();
    let mut step = 1;
    for layer in 0..layers {
        let next = script.ints(&format!("y{layer}_"), count);
        for i in 0..count {
            let j = i ^ step;
            let c = 1 + random.below(7) as i128;
            let terms = vec![
                (c, now[i].clone()),
                (if i < j { 1 } else { -1 }, now[j].clone()),
            ];
            script.assert(format!("(= {} {})", next[i], sum(&terms)));
        }
        now = next;
        step = if step * 2 < count { step * 2 } else { 1 };
    }
    for name in now.iter().take(count / 2) {
        let low = random.below(400) as i128 - 200;
        script.within(name, low, low + random.below(40) as i128);
    }
    // A disjunction over the outputs.
    let parts: Vec<String> = now
        .windows(2)
        .map(|w| format!("(= {} (+ {} {}))", w[0], w[1], 1 + random.below(20)))
        .collect();
    script.assert(or(&parts));
    script.problem(None)
}

/// Decimal digits of a string read as a number, with a bound, a checksum and a comparison, as programs ask.
pub fn digits(random: &mut Random, size: u32) -> Problem {
    let mut script = ScriptBuilder::new();
    let count = 3 + 2 * size as usize;
    let names = script.ints("c", count);
    names.iter().for_each(|n| script.within(n, 0, 255));
    let mut power = 1;
    let mut terms = Vec::new();
    let mut hidden = 0;
    let mut check = (Vec::new(), 0);
    for (i, name) in names.iter().enumerate().rev() {
        script.within(name, 48, 57);
        let digit = random.below(10) as i128;
        terms.push((power, format!("(- {name} 48)")));
        hidden += power * digit;
        check.0.push((1 + i as i128 % 7, name.clone()));
        check.1 += (1 + i as i128 % 7) * (digit + 48);
        power *= 10;
    }
    let wrapped = 1i128 << [8, 16, 32][random.below(3) as usize];
    let is_sat = random.below(3) > 0;
    let rest = (hidden + !is_sat as i128).rem_euclid(wrapped);
    script.assert(format!("(= (mod {} {wrapped}) {rest})", sum(&terms)));
    let modulus = 97 + random.below(100) as i128;
    script.assert(format!(
        "(= (mod {} {modulus}) {})",
        sum(&check.0),
        check.1.rem_euclid(modulus)
    ));
    script.assert(format!("(> {} {})", sum(&terms), number(hidden / 2)));
    script.problem(is_sat.then_some(true))
}

/// Maxima of sums (a product of matrices over maximum and plus), both of them as chains of choices.
pub fn tropical(random: &mut Random, size: u32) -> Problem {
    let mut script = ScriptBuilder::new();
    let n = 2 + size as usize / 2;
    let names = script.ints("m", n * n);
    names
        .iter()
        .for_each(|v| script.within(v, 0, 30 + random.below(30) as i128));
    let maximum = |parts: Vec<String>| {
        let mut parts = parts.into_iter();
        let first = parts.next().unwrap_or("0".into());
        parts.fold(first, |a, b| format!("(ite (>= {a} {b}) {a} {b})"))
    };
    let mut square = Vec::new();
    for i in 0..n {
        for j in 0..n {
            let parts = (0..n).map(|k| format!("(+ {} {})", names[i * n + k], names[k * n + j]));
            let s = script.int(format!("s{i}_{j}"));
            let parts: Vec<String> = parts.collect();
            script.assert(format!("(= {s} {})", maximum(parts)));
            square.push(s);
        }
    }
    // The square is everywhere as much greater as a number says.
    let step = random.below(60);
    for (s, m) in square.iter().zip(&names) {
        script.assert(format!("(= {s} (+ {m} {step}))"));
    }
    let different: Vec<String> = names
        .windows(2)
        .map(|w| format!("(> {} (+ {} {}))", w[0], w[1], random.below(30)))
        .collect();
    script.assert(or(&different));
    script.problem(None)
}

/// Counters that go one of two ways in each step, as in the unrolling of a loop; the sum at the end is given.
pub fn loops(random: &mut Random, size: u32) -> Problem {
    let mut script = ScriptBuilder::new();
    let steps = 6 + 6 * size as usize;
    let mut state = script.ints("s0_", 2);
    state.iter().for_each(|n| script.within(n, 0, 10));
    let modulus = 3 + random.below(5) as i128;
    let is_sat = random.below(2) == 0;
    for step in 1..=steps {
        let next = script.ints(&format!("s{step}_"), 2);
        let guard = script.bool(format!("b{step}"));
        let [p, q] = [(); 2].map(|()| modulus * (1 + random.below(3) as i128));
        let [x, y] = [&state[0], &state[1]];
        script.assert(format!(
            "(ite {guard} (and (= {0} (+ {x} {p})) (= {1} (- {y} {q}))) (and (= {0} (- {x} {q})) (= {1} (+ {y} {p}))))",
            next[0], next[1]
        ));
        state = next;
    }
    let shift = if is_sat { 0 } else { 1 };
    script.assert(format!(
        "(= (+ {} (* {modulus} 1000) {shift}) (+ s0_0 (* {modulus} {})))",
        state[0],
        1000 + random.below(steps as u32 / 2)
    ));
    // Every step changes the first counter by a multiple of the modulus.
    script.problem((!is_sat).then_some(false))
}
