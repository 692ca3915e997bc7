//! Families in which chains of stores over one or two arrays are compared.

use super::script::{
    Problem, ScriptBuilder, chance, distinct, equal, not, plus, select, shuffled, store,
};
use oracle::random::Random;

/// The array with two elements swapped.
fn swap(script: &mut ScriptBuilder, array: &str, (i, j): (&str, &str), name: String) -> String {
    let first = store(array, i, &select(array, j));
    script.define(name, &store(&first, j, &select(array, i)))
}

/// Pairs of indices.
fn pairs(indices: &[String]) -> Vec<(&str, &str)> {
    let pairs = indices.chunks(2);
    pairs.map(|pair| (&pair[0][..], &pair[1][..])).collect()
}

/// Swaps, then the same ones backwards (or with the last one first, which has a model): is the array what it was?
pub fn swaps_and_back(random: &mut Random, size: u32) -> Problem {
    let size = size as usize;
    let mut script = ScriptBuilder::of_widths(random, &[8, 32], &[8, 32]);
    let first = script.array("a");
    let indices = script.indices("i", 2 * (1 + size));
    let pairs = pairs(&indices);
    let mut back: Vec<(&str, &str)> = pairs.iter().rev().copied().collect();
    if chance(random, 40) {
        back.rotate_left(1);
    }
    let mut array = first.clone();
    for (k, &(i, j)) in pairs.iter().chain(&back).enumerate() {
        let pair = if chance(random, 30) { (j, i) } else { (i, j) };
        array = swap(&mut script, &array, pair, format!("s{k}"));
    }
    script.assert(not(&equal(&array, &first)));
    script.finish()
}

/// Swaps in two orders, mostly of elements that are all different.
pub fn swaps_in_two_orders(random: &mut Random, size: u32) -> Problem {
    let size = size as usize;
    let mut script = ScriptBuilder::of_widths(random, &[8, 32], &[8, 32]);
    let first = script.array("a");
    let indices = script.indices("i", 2 * (2 + size));
    if chance(random, 70) {
        script.assert(distinct(&indices));
    }
    let one = pairs(&indices);
    let other = shuffled(random, &one);
    let [mut x, mut y] = [first.clone(), first];
    for (k, (&pair, &(i, j))) in one.iter().zip(&other).enumerate() {
        x = swap(&mut script, &x, pair, format!("x{k}"));
        y = swap(&mut script, &y, (j, i), format!("y{k}"));
    }
    script.assert(not(&equal(&x, &y)));
    script.finish()
}

/// Two arrays that exchange elements and are equal then: they were equal before.
pub fn exchanges(random: &mut Random, size: u32) -> Problem {
    let size = size as usize;
    let mut script = ScriptBuilder::of_widths(random, &[8, 32], &[8, 32]);
    let [a, b] = ["a", "b"].map(|name| script.array(name));
    let indices = script.indices("i", 1 + size);
    let [mut x, mut y] = [a.clone(), b.clone()];
    for (k, i) in indices.iter().enumerate() {
        let [one, other] = [store(&x, i, &select(&y, i)), store(&y, i, &select(&x, i))];
        x = script.define(format!("x{k}"), &one);
        y = script.define(format!("y{k}"), &other);
    }
    script.assert(equal(&x, &y));
    let same = if chance(random, 80) {
        equal(&a, &b)
    } else {
        equal(&select(&a, "i0"), &select(&b, "i0"))
    };
    script.assert(not(&same));
    script.finish()
}

/// Stores at different indices in two orders; where two indices may be equal, there is a model.
pub fn stores_in_two_orders(random: &mut Random, size: u32) -> Problem {
    let size = size as usize;
    let mut script = ScriptBuilder::of_widths(random, &[8, 32], &[8, 32]);
    let count = 4 * (1 + size);
    let first = script.array("a");
    let stores: Vec<(String, String)> = script
        .indices("i", count)
        .into_iter()
        .zip(script.elements("e", count))
        .collect();
    let leaves_out_one = chance(random, 40);
    for k in 0..count {
        for j in 0..k {
            if !leaves_out_one || (k, j) != (count - 1, 0) {
                script.assert(not(&equal(&stores[k].0, &stores[j].0)));
            }
        }
    }
    let chain = |order: &[(String, String)]| {
        let below = first.clone();
        order
            .iter()
            .fold(below, |array, (i, e)| store(&array, i, e))
    };
    let [x, y] = [chain(&stores), chain(&shuffled(random, &stores))];
    script.assert(not(&equal(&x, &y)));
    script.finish()
}

/// Arrays that are pairwise different, but equal to the next one after a store.
pub fn different_before_a_store(random: &mut Random, size: u32) -> Problem {
    let size = size as usize;
    let mut script = ScriptBuilder::of_widths(random, &[2, 8, 32], &[8, 32]);
    let arrays = script.arrays("a", 2 + size);
    script.assert(distinct(&arrays));
    let index = script.index("i");
    let value = script.element("v");
    let is_one_index = chance(random, 50);
    for (k, two) in arrays.windows(2).enumerate() {
        let [j, l] = if is_one_index {
            [index.clone(), index.clone()]
        } else {
            ["j", "l"].map(|name| script.index(format!("{name}{k}")))
        };
        let [x, y] = [store(&two[0], &j, &value), store(&two[1], &l, &value)];
        script.assert(equal(&x, &y));
    }
    if chance(random, 50) {
        let [x, y] = [0, 1].map(|k| select(&arrays[k], &index));
        script.assert(equal(&x, &y));
    }
    script.finish()
}

/// A copy of some elements upwards and one downwards; with one element more there is a model.
pub fn copies(random: &mut Random, size: u32) -> Problem {
    let size = size as usize;
    const WIDTH: u32 = 32;
    let mut script = ScriptBuilder::new(WIDTH, 8);
    let count = 2 + 3 * size;
    let [from, to] = ["a", "b"].map(|name| script.array(name));
    let [p, q] = ["p", "q"].map(|name| script.index(name));
    let copy = |order: &mut dyn Iterator<Item = usize>| {
        order.fold(to.clone(), |array, k| {
            let value = select(&from, &plus(&p, k, WIDTH));
            store(&array, &plus(&q, k, WIDTH), &value)
        })
    };
    let [mut x, y] = [copy(&mut (0..count)), copy(&mut (0..count).rev())];
    if chance(random, 40) {
        let value = script.element("e");
        x = store(&x, &plus(&q, count, WIDTH), &value);
    }
    script.assert(not(&equal(&x, &y)));
    script.finish()
}
