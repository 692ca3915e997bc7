//! Random graphs over six inputs, a truth table in one word for each literal, asked in several steps.

use super::*;
use crate::sat::{SatEngine, SatLimits, SatResult};
use testkit::Random;

const INPUTS: usize = 6;
const FREE: SatLimits = SatLimits {
    conflicts: u64::MAX,
    deadline: None,
};

/// A graph and what its literals mean.
struct World {
    rng: Random,
    aig: Aig,
    /// The inputs first.
    all: Vec<(Lit, u64)>,
}

impl World {
    fn new(seed: u64) -> World {
        let mut aig = Aig::default();
        // Bit `k` of a word is the value under assignment `k`.
        let columns = (0..INPUTS).map(|i| {
            let column = (0..64).filter(|k| k >> i & 1 == 1);
            (aig.input(), column.fold(0, |word, k| word | 1u64 << k))
        });
        World {
            all: columns.collect(),
            rng: Random::new(seed),
            aig,
        }
    }

    /// A literal, more often a late one.
    fn pick(&mut self) -> (Lit, u64) {
        let count = self.all.len();
        let (a, b) = (self.rng.index(count), self.rng.index(count));
        let (lit, word) = self.all[a.max(b)];
        match self.rng.index(2) {
            0 => (lit, word),
            _ => (!lit, !word),
        }
    }

    fn grow(&mut self) {
        let [(a, x), (b, y), (c, z)] = [0; 3].map(|_| self.pick());
        let g = &mut self.aig;
        let made = match self.rng.index(6) {
            0 => (g.and(a, b), x & y),
            1 => (g.or(a, b), x | y),
            2 => (g.xor(a, b), x ^ y),
            3 => (g.mux(a, b, c), x & y | !x & z),
            4 => {
                let (t, e) = (g.and(a, b), g.and(!a, c));
                (g.or(t, e), x & y | !x & z)
            }
            _ => (g.and_all([a, !b, c]), x & !y & z),
        };
        self.all.push(made);
    }
}

/// Some steps in one back end: new gates, clauses for good, assumptions, values that are read back.
fn run(engine: SatEngine, seed: u64) {
    let mut world = World::new(seed);
    let mut sat = engine.build();
    let mut cnf = Cnf::default();
    let mut possible = u64::MAX;
    for step in 0..10 {
        (0..6).for_each(|_| world.grow());
        let at = format!("seed {seed}, step {step}");
        let clause = [world.pick(), world.pick()];
        let left = possible & (clause[0].1 | clause[1].1);
        if world.rng.index(3) == 0 && left != 0 && !clause.iter().any(|c| c.0.is_const()) {
            possible = left;
            let lits = clause.map(|(l, _)| cnf.implying(&world.aig, &mut *sat, l));
            sat.add_clause(&lits);
        }
        let count = 1 + world.rng.index(4);
        let mut asked: Vec<(Lit, u64)> = (0..count).map(|_| world.pick()).collect();
        asked.retain(|(l, _)| !l.is_const());
        asked.sort_unstable();
        asked.dedup();
        let mut assumptions = Vec::new();
        for &(lit, _) in &asked {
            assumptions.push(cnf.implying(&world.aig, &mut *sat, lit));
        }
        let mut read = Vec::new();
        for (lit, word) in [world.pick(), world.pick()] {
            if !lit.is_const() && world.rng.index(2) == 0 {
                read.push((cnf.literal(&world.aig, &mut *sat, lit), word));
            }
        }
        let expected = asked.iter().fold(possible, |all, (_, word)| all & word);
        match sat.solve(&assumptions, &FREE) {
            SatResult::Sat => {
                let mut assignment = 0;
                for i in 0..INPUTS {
                    let known = cnf.get(world.all[i].0);
                    let value = known.is_some_and(|l| sat.value(l));
                    assignment |= usize::from(value) << i;
                }
                assert!(expected >> assignment & 1 == 1, "{at}: no model");
                for (lit, word) in read {
                    let value = word >> assignment & 1 == 1;
                    assert_eq!(sat.value(lit), value, "{at}: a value that is read");
                }
            }
            SatResult::Unsat => {
                let needed = asked.iter().zip(&assumptions);
                let core = needed.filter(|(_, a)| sat.failed(**a));
                let left = core.fold(possible, |all, ((_, word), _)| all & word);
                assert_eq!((expected, left), (0, 0), "{at}: no refutation");
            }
            other => panic!("{at}: {other:?}"),
        }
    }
}

#[test]
fn answers_models_cores_and_values_are_those_of_the_graph() {
    for &(_, engine) in SatEngine::ALL {
        (0..300).for_each(|seed| run(engine, seed));
    }
}

/// Counts what is added.
fn clauses_of(lit: impl Fn(&mut Aig, &[Lit]) -> Lit) -> [u64; 5] {
    let mut aig = Aig::default();
    let inputs: Vec<Lit> = (0..4).map(|_| aig.input()).collect();
    let lit = lit(&mut aig, &inputs);
    let mut sat = SatEngine::Batsat.build();
    let mut cnf = Cnf::default();
    let mut counts = [0; 5];
    // Both halves, or that of the literal or of its negation.
    let asks = [Some(false), Some(false), Some(true), None, Some(true)];
    for (count, negated) in counts.iter_mut().zip(asks) {
        let before = cnf.clauses;
        let known = match negated {
            Some(flip) => cnf.implying(&aig, &mut *sat, lit.negate_if(flip)),
            None => cnf.literal(&aig, &mut *sat, lit),
        };
        assert_eq!(known.var(), cnf.get(lit).unwrap().var());
        *count = cnf.clauses - before;
    }
    counts
}

#[test]
fn a_half_is_added_when_it_is_asked_for_and_once() {
    let all = clauses_of(|aig, i| aig.and_all(i.iter().copied()));
    assert_eq!(all, [4, 0, 1, 0, 0]);
    let any = clauses_of(|aig, i| aig.or_all(i.iter().copied()));
    assert_eq!(any, [1, 0, 4, 0, 0]);
    let nested = clauses_of(|aig, i| {
        let either = aig.or(i[0], i[1]);
        aig.and(either, i[2])
    });
    assert_eq!(nested, [3, 0, 3, 0, 0]);
    let same = clauses_of(|aig, i| aig.equal(&i[..2], &i[2..]));
    assert_eq!(same, [2 + 4, 0, 1 + 4, 0, 0]);
    let chosen = clauses_of(|aig, i| {
        let (c, t) = (aig.and(i[0], i[1]), aig.and(i[1], i[2]));
        aig.mux(c, t, i[3])
    });
    assert_eq!(chosen, [3 + 3 + 2, 0, 3 + 1, 0, 0], "one of the branches");
}
