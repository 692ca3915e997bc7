//! Families in which equations of arrays, functions and declared sorts are combined.

use super::script::{Problem, ScriptBuilder, chance, distinct, equal, not, select, store};
use oracle::random::Random;

/// Either two arrays are equal, or one is another one with a store.
pub fn choices(random: &mut Random, size: u32) -> Problem {
    let size = size as usize;
    let mut script = ScriptBuilder::of_widths(random, &[8, 32], &[8]);
    let count = 3 + 2 * size;
    let arrays = script.arrays("a", count);
    let [i, j] = ["i", "j"].map(|name| script.index(name));
    for _ in 0..2 * count {
        let [p, q, t, u] = [(); 4].map(|()| random.one_of(&arrays));
        let stored = store(u, &i, &select(p, &j));
        script.assert(format!("(or {} {})", equal(p, q), equal(t, &stored)));
    }
    let start = random.below(count as u32 - 2) as usize;
    let reads = arrays[start..start + 3].iter().map(|a| select(a, &i));
    script.assert(distinct(&reads.collect::<Vec<_>>()));
    if chance(random, 50) {
        script.assert(not(&equal(&arrays[0], &arrays[1])));
    }
    script.finish()
}

/// An array is a constant one with some stores, and differs from the constant somewhere else.
pub fn constants(random: &mut Random, size: u32) -> Problem {
    let size = size as usize;
    let mut script = ScriptBuilder::of_widths(random, &[8, 32], &[8]);
    let constant =
        |script: &ScriptBuilder, value: &str| format!("((as const {}) {value})", script.sort());
    let value = script.element("c");
    let indices = script.indices("i", 1 + size);
    let elements = script.elements("e", 1 + size);
    let stores = indices.iter().zip(&elements);
    let chain = stores.fold(constant(&script, &value), |array, (i, e)| {
        store(&array, i, e)
    });
    let array = script.array("a");
    script.assert(equal(&array, &chain));
    let k = script.index("k");
    script.assert(not(&equal(&select(&array, &k), &value)));
    for i in &indices {
        if chance(random, 60) {
            script.assert(not(&equal(&k, i)));
        }
    }
    if chance(random, 50) {
        let other = script.element("d");
        let all = constant(&script, &other);
        script.assert(equal(&array, &all));
    }
    script.finish()
}

/// Each array is the one before it with one of two stores.
pub fn chosen_stores(random: &mut Random, size: u32) -> Problem {
    let size = size as usize;
    let mut script = ScriptBuilder::of_widths(random, &[8, 16], &[8]);
    let count = 3 + 2 * size;
    let arrays = script.arrays("a", count);
    let elements = script.elements("e", count);
    let indices = script.indices("i", count);
    for k in 0..count - 1 {
        let [one, other] = [k, k + 1].map(|i| store(&arrays[k], &indices[i], &elements[k]));
        let condition = format!("(bvult {} {})", elements[k], elements[k + 1]);
        let next = format!("(ite {condition} {one} {other})");
        script.assert(equal(&arrays[k + 1], &next));
    }
    let ends = equal(&arrays[0], &arrays[count - 1]);
    if chance(random, 50) {
        script.assert(ends);
        let reads = indices.iter().take(4).map(|i| select(&arrays[0], i));
        script.assert(distinct(&reads.collect::<Vec<_>>()));
    } else {
        script.assert(not(&ends));
        for (i, e) in indices.iter().zip(&elements) {
            script.assert(equal(&select(&arrays[0], i), e));
        }
    }
    script.finish()
}

/// Powers of a function that are the identity, and a function of two arguments that commutes.
pub fn functions(random: &mut Random, size: u32) -> Problem {
    let size = size as usize;
    let mut script = ScriptBuilder::new(16, 16);
    script.line("(declare-fun f ((_ BitVec 16)) (_ BitVec 16))");
    script.line("(declare-fun g ((_ BitVec 16) (_ BitVec 16)) (_ BitVec 16))");
    let [x, y] = ["x", "y"].map(|name| script.element(name));
    let power = |count: usize| (0..count).fold(x.clone(), |t, _| format!("(f {t})"));
    let first = 3 + 2 * size;
    let second = first + 2 + random.below(3) as usize;
    for count in [first, second] {
        script.assert(equal(&power(count), &x));
    }
    if chance(random, 70) {
        script.assert(not(&equal(&power(1), &x)));
    }
    script.assert("(= (g x y) (g y x))");
    if chance(random, 50) {
        script.assert("(not (= (g (f x) y) (g y (f x))))");
    }
    if chance(random, 50) {
        script.assert("(= (f y) y)");
        script.assert(equal(&x, &y));
    }
    script.finish()
}

/// Clauses over equations of a declared sort and of a function over it.
pub fn declared_sorts(random: &mut Random, size: u32) -> Problem {
    let size = size as usize;
    let mut script = ScriptBuilder::new(8, 8);
    script.line("(declare-sort U 0)");
    script.line("(declare-fun f (U U) U)");
    let names: Vec<String> = (0..4 + 2 * size).map(|k| format!("u{k}")).collect();
    for name in &names {
        script.line(format!("(declare-const {name} U)"));
    }
    for two in names.windows(2) {
        let [a, b, c, d] = [(); 4].map(|()| random.one_of(&names));
        let [near, far] = [
            equal(&two[0], &two[1]),
            format!("(= (f {a} {b}) (f {c} {d}))"),
        ];
        script.assert(format!("(or {near} {far})"));
        script.assert(format!("(or (not (= {a} {b})) (not (= (f {a} {c}) {d})))"));
    }
    script.assert("(not (= (f u0 u1) (f u1 u0)))");
    script.finish()
}
