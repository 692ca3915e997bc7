//! Arrays against a naive map: rewriting, evaluation, tape.

use crate::common::Random;
use polypath_term::{
    ArrayValue, Assignment, Evaluator, Pool, Scratch, Sort, Substitution, Symbol, Tape, Term,
    substitute,
};

struct World {
    pool: Pool,
    bytes: Vec<Symbol>,
    array: Symbol,
    assignment: Assignment,
}

fn world(random: &mut Random) -> World {
    let mut pool = Pool::new();
    let bytes = (0..4)
        .map(|k| pool.new_symbol(&format!("b{k}"), Sort::BitVec(8)))
        .collect::<Vec<_>>();
    let array = pool.new_symbol("a", Sort::Array { index: 64, elem: 8 });
    let mut assignment = Assignment::new();
    for &byte in &bytes {
        assignment.set(byte, random.index(8) as u64);
    }
    let entries = (0..4)
        .map(|_| {
            let (at, value) = (random.index(8) as u64, random.index(256) as u64);
            (at.into(), value.into())
        })
        .collect();
    assignment.set_array(
        array,
        ArrayValue {
            default: 77.into(),
            entries,
        },
    );
    World {
        pool,
        bytes,
        array,
        assignment,
    }
}

/// An index: a constant or a byte plus a constant, small enough to hit often; with its value.
fn index(world: &mut World, random: &mut Random) -> (Term, u64) {
    let offset = random.index(8) as u64;
    let constant = world.pool.bv(64, offset);
    if random.index(2) == 0 {
        return (constant, offset);
    }
    let symbol = world.bytes[random.index(4)];
    let byte = world.pool.symbol_term(symbol);
    let wide = world.pool.zext(64, byte);
    (
        world.pool.add(constant, wide),
        world.assignment.get(symbol) + offset,
    )
}

fn byte(world: &mut World, random: &mut Random) -> (Term, u8) {
    if random.index(2) == 0 {
        let value = random.next() as u8;
        return (world.pool.bv(8, value as u64), value);
    }
    let symbol = world.bytes[random.index(4)];
    (
        world.pool.symbol_term(symbol),
        world.assignment.get(symbol) as u8,
    )
}

const SPAN: u64 = 20;

/// A random array and its first elements.
fn array(world: &mut World, depth: usize, random: &mut Random) -> (Term, Vec<u8>) {
    let (mut term, mut model) = match random.index(4) {
        0 => {
            let (value, known) = byte(world, random);
            (
                world.pool.array_const(64, 8, value),
                vec![known; SPAN as usize],
            )
        }
        1 => {
            let term = world.pool.symbol_term(world.array);
            let value = world.assignment.array(world.array).unwrap();
            (
                term,
                (0..SPAN)
                    .map(|at| value.get(&at.into()).low() as u8)
                    .collect(),
            )
        }
        _ => {
            let mut model: Vec<u8> = (0..random.index(12))
                .map(|_| random.index(4) as u8)
                .collect();
            let term = world.pool.array_bytes(&model);
            model.resize(SPAN as usize, 0);
            (term, model)
        }
    };
    for _ in 0..random.index(5) {
        let (at, place) = index(world, random);
        let (value, known) = byte(world, random);
        term = world.pool.store(term, at, value);
        if place < SPAN {
            model[place as usize] = known;
        }
        if depth > 0 && random.index(4) == 0 {
            let (other, other_model) = array(world, depth - 1, random);
            let (x, y) = (index(world, random), index(world, random));
            let condition = world.pool.ult(x.0, y.0);
            term = world.pool.ite(condition, term, other);
            if x.1 >= y.1 {
                model = other_model;
            }
        }
    }
    (term, model)
}

#[test]
fn arrays_agree_with_a_naive_model() {
    let mut random = Random::new(3);
    let mut evaluator = Evaluator::new();
    let mut scratch = Scratch::new();
    for _ in 0..1500 {
        let mut world = world(&mut random);
        let (term, model) = array(&mut world, 2, &mut random);
        let (at, place) = index(&mut world, &mut random);
        let expected = if place < SPAN {
            model[place as usize] as u64
        } else {
            continue;
        };
        let read = if random.index(2) == 0 {
            let lo = place.saturating_sub(random.index(3) as u64);
            world
                .pool
                .select_bounded(term, at, lo, place + random.index(3) as u64)
        } else {
            world.pool.select(term, at)
        };
        let pool = &world.pool;
        assert_eq!(
            evaluator.eval(pool, read, &world.assignment),
            expected,
            "{}",
            pool.display(read)
        );
        let tape = Tape::compile(pool, &[read]);
        tape.run(&world.assignment, &mut scratch);
        assert_eq!(tape.value(&scratch, 0), expected, "{}", pool.display(read));
        let (lo, hi) = pool.interval(read);
        assert!(lo <= expected && expected <= hi);
        // Substituting all bytes by their values must decide the read, but for the array symbol.
        let mut map = Substitution::default();
        for &symbol in &world.bytes {
            let value = world.pool.bv(8, world.assignment.get(symbol));
            map.insert(world.pool.symbol_term(symbol), value);
        }
        let decided = substitute(&mut world.pool, read, &map);
        let value = evaluator.eval(&world.pool, decided, &Assignment::new());
        let set = world.pool.symbols(decided);
        assert!(world.pool.set_iter(set).all(|s| s == world.array));
        if set.is_empty() {
            assert_eq!(value, expected);
        }
    }
}

#[test]
fn equality_of_arrays_compares_all_elements() {
    let mut random = Random::new(11);
    let mut evaluator = Evaluator::new();
    let mut scratch = Scratch::new();
    let mut seen = [0; 2];
    for _ in 0..600 {
        let mut world = world(&mut random);
        let (a, mut model) = array(&mut world, 1, &mut random);
        // Mostly a variation of the same array.
        let (b, other) = if random.index(4) == 0 {
            array(&mut world, 1, &mut random)
        } else {
            let (at, place) = index(&mut world, &mut random);
            let (value, known) = byte(&mut world, &mut random);
            let stored = world.pool.store(a, at, value);
            let before = model.clone();
            if place < SPAN {
                model[place as usize] = known;
            }
            (stored, std::mem::replace(&mut model, before))
        };
        let equal = world.pool.eq(a, b);
        let got = evaluator.eval(&world.pool, equal, &world.assignment);
        let tape = Tape::compile(&world.pool, &[equal]);
        tape.run(&world.assignment, &mut scratch);
        assert_eq!(tape.value(&scratch, 0), got);
        // The bases may differ beyond the span.
        if got == 1 {
            assert_eq!(model, other);
        }
        if model != other {
            assert_eq!(got, 0);
        }
        seen[got as usize] += 1;
    }
    assert!(seen[0] > 50 && seen[1] > 10, "{seen:?}");
}

#[test]
fn a_read_knows_what_its_bounds_leave() {
    let mut pool = Pool::new();
    let symbol = pool.new_symbol("i", Sort::BitVec(64));
    let i = pool.symbol_term(symbol);
    let array = pool.array_bytes(&[9, 5, 5, 5, 7, 0, 1]);
    let five = pool.bv(8, 5);
    assert_eq!(
        pool.select_bounded(array, i, 1, 3),
        five,
        "all candidates are equal"
    );
    let read = pool.select_bounded(array, i, 1, 4);
    assert_eq!(
        (pool.interval(read), pool.select_bounds(read)),
        ((5, 7), Some((1, 4)))
    );
    let zero = pool.bv(8, 0);
    let typed = pool.select_typed(array, i, 1, 4, 12);
    assert_eq!(
        (pool.select_size(typed), pool.select_bounds(typed)),
        (4, Some((1, 4)))
    );
    assert_eq!(pool.select_size(read), 1);
    assert_eq!(pool.select_bounded(array, i, 7, 500), zero, "past the end");
    let anywhere = pool.select(array, i);
    assert_eq!(pool.interval(anywhere), (0, 9));
}
