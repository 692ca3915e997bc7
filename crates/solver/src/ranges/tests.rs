//! What is kept is what a pass that begins with nothing finds, and holds for all values that the conjuncts admit.

use super::pass::{Effort, Pass};
use super::size::Sizes;
use super::*;
use crate::path::Origin;
use term::{Evaluator, Sort};
use testkit::Random;

/// Terms over two bytes, each operation over earlier ones.
struct MadeTerms {
    pool: Pool,
    symbols: Vec<Symbol>,
    /// Each width has some.
    made: Vec<Term>,
    random: Random,
}

const WIDTHS: [u32; 4] = [1, 8, 16, 32];

impl MadeTerms {
    fn new(seed: u64) -> MadeTerms {
        let mut pool = Pool::new();
        let symbols: Vec<Symbol> = ["a", "b"]
            .map(|name| pool.new_symbol(name, Sort::BitVec(8)))
            .into();
        let bytes: Vec<Term> = symbols.iter().map(|&s| pool.symbol_term(s)).collect();
        let mut terms = MadeTerms {
            pool,
            symbols,
            made: bytes,
            random: Random::new(seed),
        };
        for _ in 0..60 {
            let t = terms.next();
            terms.made.push(t);
        }
        terms
    }

    /// One of those made, extended or cut to a width.
    fn some(&mut self, width: u32) -> Term {
        let at = self.random.below(self.made.len() as u64 + 2) as usize;
        let pool = &mut self.pool;
        let Some(&t) = self.made.get(at) else {
            let value = self.random.below(70);
            return pool.bv(width, value & term::mask(width));
        };
        match pool.width(t) {
            own if own < width && at.is_multiple_of(3) => pool.sext(width, t),
            own if own < width => pool.zext(width, t),
            own if own > width => pool.extract(width - 1, 0, t),
            _ => t,
        }
    }

    fn next(&mut self) -> Term {
        let width = WIDTHS[self.random.below(4) as usize];
        let (a, b) = (self.some(width), self.some(width));
        let (c, byte) = (self.some(1), self.some(8));
        let index = self.some(32);
        let pool = &mut self.pool;
        match self.random.below(16) {
            0 | 1 => pool.add(a, b),
            2 => pool.sub(a, b),
            3 => pool.mul(a, b),
            4 => pool.and(a, b),
            5 => pool.or(a, b),
            6 => pool.xor(a, b),
            7 => pool.lshr(a, b),
            8 => pool.urem(a, b),
            9 => pool.eq(a, b),
            10 => pool.ult(a, b),
            11 => pool.slt(a, b),
            12 => pool.ite(c, a, b),
            13 => pool.not(a),
            14 => {
                let content: Vec<u8> = (0..20).map(|i| i * 7).collect();
                let array = pool.array_bytes(&content);
                let four = pool.bv(64, 4);
                let array = pool.store(array, four, byte);
                let low = pool.bv(32, 7);
                let index = pool.and(index, low);
                let index = pool.zext(64, index);
                pool.select(array, index)
            }
            _ => pool.concat(byte, byte),
        }
    }

    fn conjunct(&mut self) -> Term {
        match self.random.below(3) {
            0 => self.some(1),
            _ => {
                let width = WIDTHS[1 + self.random.below(3) as usize];
                let t = self.some(width);
                let most = self.random.below(300).min(term::mask(width));
                let most = self.pool.bv(width, most);
                if self.random.below(4) == 0 {
                    self.pool.ult(most, t)
                } else {
                    self.pool.ule(t, most)
                }
            }
        }
    }
}

/// The range by a pass over facts that are found anew.
fn anew(pool: &Pool, tables: &mut TruthTables, pc: &PathCondition, t: Term) -> Fact {
    let mut facts = Facts::default();
    pc.iter().for_each(|c| facts.add(pool, c.term));
    let mut pass = Pass {
        pool,
        tables,
        pc,
        facts: &facts,
        known: &mut FxHashMap::default(),
        notes: &mut Sources::default(),
        effort: Effort::of(usize::MAX),
    };
    if Sizes::default().fits(pool, t) {
        pass.range(t)
    } else {
        pass.shallow(t, kept::SHALLOW)
    }
}

/// Paths grow, fork, are left and taken up again, and terms are collected in between.
#[test]
fn kept_ranges_are_those_found_anew_and_hold_for_all_values() {
    let mut evaluator = Evaluator::new();
    let (mut narrowed, mut checked) = (0, 0);
    for seed in 0..60 {
        let mut terms = MadeTerms::new(seed);
        let mut tables = TruthTables::default();
        let mut kept = PathRanges::default();
        let mut paths = vec![PathCondition::new()];
        for _ in 0..60 {
            let at = terms.random.below(paths.len() as u64) as usize;
            if terms.random.below(3) == 0 && paths.len() < 8 {
                let fork = paths[at].clone();
                paths.push(fork);
            }
            if terms.random.below(2) == 0 {
                let c = terms.conjunct();
                paths[at].push(&terms.pool, Some(&mut tables), c, Origin::Branch);
            }
            if terms.random.below(25) == 0 {
                let mut seen = crate::path::TraceSet::new();
                let (made, drop) = (&mut terms.made, terms.random.below(20) as usize);
                made.truncate(made.len() - drop);
                let moved = terms.pool.collect(&mut |visit| {
                    made.iter_mut().for_each(&mut *visit);
                    paths
                        .iter_mut()
                        .for_each(|p| p.trace_shared(&mut seen, visit));
                    seen = crate::path::TraceSet::new();
                });
                tables.relocate(Some(&moved));
                kept.relocate(Some(&moved));
                evaluator = Evaluator::new();
                while terms.made.len() < 40 {
                    let t = terms.next();
                    terms.made.push(t);
                }
            }
            let at = terms.random.below(paths.len() as u64) as usize;
            let t = terms.made[terms.random.below(terms.made.len() as u64) as usize];
            let pc = &paths[at];
            let range = kept.range(&terms.pool, &mut tables, pc, t);
            assert_eq!(range, anew(&terms.pool, &mut tables, pc, t), "seed {seed}");
            narrowed += usize::from(range != terms.pool.fact(t));
            if checked % 10 == 0 {
                holds(&mut evaluator, &terms, pc, t, range);
            }
            checked += 1;
        }
    }
    assert!(narrowed > 500, "{narrowed}: the conjuncts say something");
}

/// All values that the conjuncts admit are within the range.
fn holds(evaluator: &mut Evaluator, terms: &MadeTerms, pc: &PathCondition, t: Term, range: Fact) {
    let width = terms.pool.width(t);
    let conjuncts: Vec<Term> = pc.iter().map(|c| c.term).collect();
    let mut model = crate::model::Model::new();
    for values in 0..1u64 << 16 {
        model.set(terms.symbols[0], values & 0xff);
        model.set(terms.symbols[1], values >> 8);
        if evaluator
            .first_false(&terms.pool, &conjuncts, &model)
            .is_none()
        {
            let value = evaluator.eval(&terms.pool, t, &model);
            let met = Fact::constant(value, width).meet(range, width);
            assert!(met.is_some(), "{value} is not within {range:?}");
        }
    }
}

/// Nodes are those of sequences of conjuncts, and of one tree.
#[test]
fn what_another_solver_kept_is_not_believed() {
    let mut terms = MadeTerms::new(7);
    let mut tables = TruthTables::default();
    let x = terms.made[0];
    let mut path = |most: u64, terms: &mut MadeTerms| {
        let most = terms.pool.bv(8, most);
        let c = terms.pool.ult(x, most);
        let mut pc = PathCondition::new();
        pc.push(&terms.pool, Some(&mut tables), c, Origin::Branch);
        pc
    };
    let (low, high) = (path(10, &mut terms), path(100, &mut terms));
    let (mut one, mut other) = (PathRanges::default(), PathRanges::default());
    for (kept, pc, most) in [(&mut one, &low, 9), (&mut other, &high, 99)] {
        assert_eq!(kept.range(&terms.pool, &mut tables, pc, x).hi, most);
    }
    assert_eq!(other.range(&terms.pool, &mut tables, &low, x).hi, 9);
    assert_eq!(one.range(&terms.pool, &mut tables, &high, x).hi, 99);
}
