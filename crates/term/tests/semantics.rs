//! The constructors rewrite: what they make must mean what their names say.

use crate::common::{BINARY, O, Random, World, exhaustive, interesting, sampled};
use polypath_term::Term;
use std::collections::BTreeSet;

/// Every operator over every pair of terms from `left` and `right`.
fn combine(world: &mut World, left: &[Term], right: &[Term], into: &mut BTreeSet<Term>) {
    for &a in left {
        for &b in right {
            if world.pool.width(a) == world.pool.width(b) {
                for op in BINARY {
                    into.insert(world.check(op, &[a, b]));
                }
            }
            if world.pool.width(a) + world.pool.width(b) <= 6 {
                into.insert(world.check(O::Concat, &[a, b]));
            }
        }
    }
}

fn unary(world: &mut World, terms: &[Term], into: &mut BTreeSet<Term>) {
    for &t in terms {
        let width = world.pool.width(t);
        for op in [
            O::Not,
            O::Neg,
            O::Zext(width + 1),
            O::Zext(width + 2),
            O::Sext(width + 1),
            O::Sext(width + 2),
        ] {
            into.insert(world.check(op, &[t]));
        }
        for hi in 0..width {
            for lo in 0..=hi {
                into.insert(world.check(O::Extract(hi, lo), &[t]));
            }
        }
    }
}

/// All terms of depth one over two symbols and all constants of `width`, and on them all
/// operators again with a leaf or (a sample of) each other.
fn prove(width: u32, pairs: usize) {
    let (mut world, mut leaves) = exhaustive(&[width, width, 1]);
    let condition = leaves[2];
    for value in 0..1 << width {
        leaves.push(world.pool.bv(width, value));
    }
    let mut first: BTreeSet<Term> = leaves.iter().copied().collect();
    unary(&mut world, &leaves, &mut first);
    combine(&mut world, &leaves, &leaves, &mut first);
    for &a in &leaves {
        for &b in &leaves {
            if world.pool.width(a) == world.pool.width(b) {
                first.insert(world.check(O::Ite, &[condition, a, b]));
            }
        }
    }
    let first: Vec<Term> = first.into_iter().collect();
    let mut second = BTreeSet::new();
    unary(&mut world, &first, &mut second);
    combine(&mut world, &first, &leaves, &mut second);
    combine(&mut world, &leaves, &first, &mut second);
    let conditions: Vec<Term> = first
        .iter()
        .copied()
        .filter(|&t| world.pool.width(t) == 1)
        .collect();
    let mut random = Random::new(width as u64);
    for _ in 0..pairs {
        let a = first[random.index(first.len())];
        let b = first[random.index(first.len())];
        let c = conditions[random.index(conditions.len())];
        if world.pool.width(a) == world.pool.width(b) {
            let op = BINARY[random.index(BINARY.len())];
            second.insert(world.check(op, &[a, b]));
            second.insert(world.check(O::Ite, &[c, a, b]));
        }
    }
    let second: Vec<Term> = second.into_iter().collect();
    for _ in 0..pairs {
        let a = second[random.index(second.len())];
        let b = second[random.index(second.len())];
        let c = conditions[random.index(conditions.len())];
        if world.pool.width(a) == world.pool.width(b) {
            let op = BINARY[random.index(BINARY.len())];
            world.check(op, &[a, b]);
            world.check(O::Ite, &[c, a, b]);
        }
        let width = world.pool.width(a);
        let hi = random.index(width as usize) as u32;
        let lo = random.index(hi as usize + 1) as u32;
        world.check(O::Extract(hi, lo), &[a]);
        if width + world.pool.width(b) <= 12 {
            world.check(O::Concat, &[a, b]);
        }
    }
    eprintln!("width {width}: {} terms checked", world.checked);
}

#[test]
fn all_terms_of_width_1() {
    prove(1, 20_000);
}

#[test]
fn all_terms_of_width_2() {
    prove(2, 20_000);
}

#[test]
fn terms_of_width_3() {
    prove(3, 20_000);
}

/// What is left of a division, for each divisor, dividend and form in which programs write it.
#[test]
fn remainders_from_quotients() {
    for width in 2..=5 {
        let (mut world, leaves) = exhaustive(&[width]);
        let x = leaves[0];
        let minus = world.check(O::Neg, &[x]);
        for k in 0..1 << width {
            let k = world.pool.bv(width, k);
            let factors = [k, world.pool.neg(k)];
            for (op, y) in [
                (O::Udiv, x),
                (O::Udiv, minus),
                (O::Sdiv, x),
                (O::Sdiv, minus),
            ] {
                let quotient = world.check(op, &[y, k]);
                for factor in factors {
                    let multiple = world.check(O::Mul, &[factor, quotient]);
                    for other in [x, minus] {
                        world.check(O::Add, &[other, multiple]);
                        world.check(O::Sub, &[other, multiple]);
                        world.check(O::Sub, &[multiple, other]);
                    }
                }
            }
        }
    }
}

/// Random growth of a world at one width, with all its conversions to other widths.
fn grow(width: u32, steps: usize, seed: u64) {
    let mut random = Random::new(seed);
    let narrow = if width > 8 { 8 } else { width };
    let (mut world, mut terms) = sampled(&[width, width, 1, narrow], 12, &mut random);
    for _ in 0..steps {
        let a = terms[random.index(terms.len())];
        let own = world.pool.width(a);
        let limit = 2 * width + 8;
        let (op, args) = match random.index(16) {
            0 => (O::Not, vec![a]),
            1 => (O::Neg, vec![a]),
            2 => (
                O::Zext((own + random.index(width as usize + 1) as u32).min(limit.max(own))),
                vec![a],
            ),
            3 => (
                O::Sext((own + random.index(width as usize + 1) as u32).min(limit.max(own))),
                vec![a],
            ),
            4 | 5 => {
                let hi = random.index(own as usize) as u32;
                let lo = random.index(hi as usize + 1) as u32;
                (O::Extract(hi, lo), vec![a])
            }
            6 => {
                let b = terms[random.index(terms.len())];
                if own + world.pool.width(b) > limit {
                    continue;
                }
                (O::Concat, vec![a, b])
            }
            7 => {
                let (b, c) = (partner(&mut world, &terms, own, &mut random), terms[2]);
                let c = if random.index(2) == 0 {
                    c
                } else {
                    partner(&mut world, &terms, 1, &mut random)
                };
                (O::Ite, vec![c, a, b])
            }
            _ => {
                let b = partner(&mut world, &terms, own, &mut random);
                let op = BINARY[random.index(BINARY.len())];
                if random.index(2) == 0 {
                    (op, vec![a, b])
                } else {
                    (op, vec![b, a])
                }
            }
        };
        let t = world.check(op, &args);
        if world.pool.size_hint(t) < 60 {
            terms.push(t);
        }
        if terms.len() > 80 {
            let keep = 4 + random.index(terms.len() - 4);
            terms.swap_remove(keep);
        }
    }
    world.check_tape(&terms);
}

/// A term of the given width: one of `terms` or a constant.
fn partner(world: &mut World, terms: &[Term], width: u32, random: &mut Random) -> Term {
    for _ in 0..6 {
        let t = terms[random.index(terms.len())];
        if world.pool.width(t) == width {
            return t;
        }
    }
    let value = interesting(width, random);
    world.pool.bv_wide(width, &value)
}

#[test]
fn random_terms_of_every_width() {
    for width in (1..=9).chain([16, 31, 32, 33, 63, 64]) {
        for seed in 0..6 {
            grow(width, 600, seed * 1000 + width as u64);
        }
    }
}

#[test]
fn random_terms_of_wide_widths() {
    for width in [65, 127, 128, 129, 256] {
        for seed in 0..2 {
            grow(width, 500, seed * 1000 + width as u64);
        }
    }
}
