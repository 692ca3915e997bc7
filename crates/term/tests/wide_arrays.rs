//! Arrays with indices and elements of any width against a naive map.

use crate::common::{Random, interesting};
use polypath_term::{ArrayValue, Assignment, BitValue, Evaluator, Pool, Scratch, Sort, Tape, Term};
use std::collections::BTreeMap;

/// Elements by index over a default.
#[derive(Clone, PartialEq, Debug)]
struct Map {
    default: BitValue,
    entries: BTreeMap<BitValue, BitValue>,
}

impl Map {
    fn at(&self, index: &BitValue) -> &BitValue {
        self.entries.get(index).unwrap_or(&self.default)
    }

    /// Compares by listing every index that is somewhere mentioned (and one that is not, where
    /// there is one).
    fn same(&self, other: &Map, width: u32) -> bool {
        let mut keys: Vec<BitValue> = self
            .entries
            .keys()
            .chain(other.entries.keys())
            .cloned()
            .collect();
        if width <= 4 {
            keys = (0..1u64 << width).map(BitValue::from).collect();
        } else {
            let free = (0u64..).map(BitValue::from).find(|k| !keys.contains(k));
            keys.extend(free);
        }
        keys.iter().all(|key| self.at(key) == other.at(key))
    }
}

struct World {
    pool: Pool,
    assignment: Assignment,
    index: u32,
    elem: u32,
    /// Terms with values, by kind.
    indices: Vec<(Term, BitValue)>,
    elements: Vec<(Term, BitValue)>,
    arrays: Vec<(Term, Map)>,
    conditions: Vec<(Term, bool)>,
}

impl World {
    fn new(index: u32, elem: u32, random: &mut Random) -> World {
        let mut world = World {
            pool: Pool::new(),
            assignment: Assignment::new(),
            index,
            elem,
            indices: vec![],
            elements: vec![],
            arrays: vec![],
            conditions: vec![],
        };
        for k in 0..4 {
            for width in [index, elem] {
                let limbs = interesting(width, random);
                let value = BitValue::from_limbs(&limbs);
                let t = if k < 2 {
                    world.pool.bv_wide(width, &limbs)
                } else {
                    let symbol = world.pool.new_symbol("v", Sort::BitVec(width));
                    world.assignment.set_wide(symbol, &limbs);
                    world.pool.symbol_term(symbol)
                };
                // In the order of `[index, elem]`, also when the widths are the same.
                if world.indices.len() == world.elements.len() {
                    world.indices.push((t, value));
                } else {
                    world.elements.push((t, value));
                }
            }
        }
        for _ in 0..2 {
            let symbol = world.pool.new_symbol("a", Sort::Array { index, elem });
            let (at, value) = (
                world.indices[random.index(4)].1.clone(),
                world.elements[random.index(4)].1.clone(),
            );
            let default = world.elements[random.index(4)].1.clone();
            let map = Map {
                default,
                entries: [(at, value)].into(),
            };
            let value = ArrayValue {
                default: map.default.clone(),
                entries: map.entries.clone(),
            };
            world.assignment.set_array(symbol, value);
            world.arrays.push((world.pool.symbol_term(symbol), map));
        }
        world.conditions.push((Term::TRUE, true));
        world
    }

    fn grow(&mut self, random: &mut Random) {
        fn pick<T: Clone>(list: &[T], random: &mut Random) -> T {
            list[random.index(list.len())].clone()
        }
        let (i, at) = pick(&self.indices, random);
        let (v, value) = pick(&self.elements, random);
        let (a, x) = pick(&self.arrays, random);
        let (b, y) = pick(&self.arrays, random);
        let (c, holds) = pick(&self.conditions, random);
        match random.index(7) {
            0 | 1 => {
                let mut map = x;
                map.entries.insert(at, value);
                self.arrays.push((self.pool.store(a, i, v), map));
            }
            2 => self.arrays.push((
                self.pool.array_const(self.index, self.elem, v),
                Map {
                    default: value,
                    entries: BTreeMap::new(),
                },
            )),
            3 => self
                .arrays
                .push((self.pool.ite(c, a, b), if holds { x } else { y })),
            4 => self
                .elements
                .push((self.pool.select(a, i), x.at(&at).clone())),
            5 => self
                .conditions
                .push((self.pool.eq(a, b), x.same(&y, self.index))),
            _ => {
                let (w, other) = pick(&self.elements, random);
                self.conditions.push((self.pool.eq(v, w), value == other));
            }
        }
    }

    fn check(&self) {
        let mut evaluator = Evaluator::new();
        let roots: Vec<Term> = self
            .elements
            .iter()
            .map(|p| p.0)
            .chain(self.conditions.iter().map(|p| p.0))
            .collect();
        let tape = Tape::compile(&self.pool, &roots);
        let mut scratch = Scratch::new();
        tape.run(&self.assignment, &mut scratch);
        for (k, (t, value)) in self.elements.iter().enumerate() {
            let limbs = evaluator.eval_wide(&self.pool, *t, &self.assignment);
            assert_eq!(
                BitValue::from_limbs(&limbs),
                *value,
                "{}",
                self.pool.display(*t)
            );
            assert_eq!(BitValue::from_limbs(tape.value_wide(&scratch, k)), *value);
        }
        for (k, (t, holds)) in self.conditions.iter().enumerate() {
            let got = evaluator.eval(&self.pool, *t, &self.assignment);
            assert_eq!(got, *holds as u64, "{}", self.pool.display(*t));
            assert_eq!(tape.value(&scratch, self.elements.len() + k), got);
        }
        for (t, map) in &self.arrays {
            let value = evaluator.eval_array(&self.pool, *t, &self.assignment);
            let got = Map {
                default: value.default,
                entries: value.entries,
            };
            assert!(
                got.same(map, self.index),
                "{}: {got:?} is not {map:?}",
                self.pool.display(*t)
            );
        }
    }
}

#[test]
fn arrays_of_any_widths_have_the_values_of_a_map() {
    let mut random = Random::new(5);
    for (index, elem) in [
        (1, 1),
        (2, 3),
        (8, 8),
        (64, 64),
        (65, 1),
        (3, 65),
        (70, 130),
        (256, 256),
        (32, 200),
    ] {
        for _ in 0..40 {
            let mut world = World::new(index, elem, &mut random);
            for _ in 0..30 {
                world.grow(&mut random);
            }
            world.check();
        }
    }
}
