//! A generator of well-sorted conditions over a few input bytes, and the brute-force oracle.
#![allow(dead_code)] // each test binary uses its part

use polypath_solver as solver;
use solver::{Budget, Model, Origin, PathCondition, Solver};
use term::{Evaluator, Pool, Scratch, Sort, Symbol, Tape, Term};

/// No clock: what a loaded machine is slow at must not change an answer.
pub const UNHURRIED: Budget = Budget {
    effort: u64::MAX,
    conflicts: 2_000_000,
    evaluations: 256,
    seconds: f64::INFINITY,
    until: None,
    stop: host::Stop::never(),
};

pub use testkit::Random as Rng;

/// Terms over the bytes `b0`, `b1`, … of every operator that has a circuit.
pub struct Generator {
    pub rng: Rng,
    pub bytes: Vec<Symbol>,
    /// Terms of each width built so far, so that graphs share.
    seen: Vec<Term>,
    tables: Vec<Term>,
    /// Widths of compared terms.
    pub widths: &'static [u32],
}

/// Widths above a machine word.
pub const WIDE: &[u32] = &[1, 8, 65, 96, 128];
const WIDTHS: &[u32] = &[1, 5, 8, 16, 32, 64, 8];

impl Generator {
    pub fn new(pool: &mut Pool, seed: u64, bytes: usize) -> Generator {
        let mut rng = Rng::new(seed);
        let bytes: Vec<Symbol> = (0..bytes)
            .map(|i| pool.new_symbol(&format!("b{i}"), Sort::BitVec(8)))
            .collect();
        let mut tables = Vec::new();
        for (len, values) in [(256, 256), (13, 256), (64, 3)] {
            let content: Vec<u8> = (0..len).map(|_| rng.below(values) as u8).collect();
            tables.push(pool.array_bytes(&content));
        }
        Generator {
            rng,
            bytes,
            seen: Vec::new(),
            tables,
            widths: WIDTHS,
        }
    }

    pub fn condition(&mut self, pool: &mut Pool, depth: u32) -> Term {
        self.term(pool, 1, depth)
    }

    pub fn term(&mut self, pool: &mut Pool, width: u32, depth: u32) -> Term {
        if self.rng.below(6) == 0 {
            let same: Vec<Term> = self
                .seen
                .iter()
                .copied()
                .filter(|&t| pool.width(t) == width)
                .collect();
            if !same.is_empty() {
                return same[self.rng.below(same.len() as u64) as usize];
            }
        }
        let t = if depth == 0 {
            self.leaf(pool, width)
        } else {
            self.node(pool, width, depth - 1)
        };
        assert_eq!(pool.width(t), width);
        self.seen.push(t);
        t
    }

    fn leaf(&mut self, pool: &mut Pool, width: u32) -> Term {
        if self.rng.below(4) == 0 {
            let shape = self.rng.below(4);
            let value = match shape {
                0 => self.rng.next(),
                1 => self.rng.below(5),
                2 => self.rng.below(256),
                _ => u64::MAX - self.rng.below(3),
            };
            return if width <= 64 {
                pool.bv(width, value)
            } else {
                let limbs = [value, self.rng.next(), 0];
                pool.bv_wide(width, &limbs[..width.div_ceil(64) as usize])
            };
        }
        let symbol = self.bytes[self.rng.below(self.bytes.len() as u64) as usize];
        let byte = pool.symbol_term(symbol);
        match width {
            8 => byte,
            w if w < 8 => {
                let lo = self.rng.below((8 - w + 1) as u64) as u32;
                pool.extract(lo + w - 1, lo, byte)
            }
            w if self.rng.below(3) == 0 => pool.sext(w, byte),
            w => pool.zext(w, byte),
        }
    }

    fn node(&mut self, pool: &mut Pool, width: u32, depth: u32) -> Term {
        if width == 1 && self.rng.below(3) > 0 {
            let w = self.widths[self.rng.below(self.widths.len() as u64) as usize];
            let (a, b) = (self.term(pool, w, depth), self.term(pool, w, depth));
            return match self.rng.below(9) {
                0 => pool.eq(a, b),
                1 => pool.ne(a, b),
                2 => pool.ult(a, b),
                3 => pool.ule(a, b),
                4 => pool.slt(a, b),
                5 => pool.sle(a, b),
                6 => pool.ugt(a, b),
                7 => pool.sge(a, b),
                _ => {
                    let c = self.term(pool, 1, depth);
                    let d = self.term(pool, 1, depth);
                    pool.implies(c, d)
                }
            };
        }
        let pick = self.rng.below(22);
        match pick {
            0 => {
                let a = self.term(pool, width, depth);
                return pool.not(a);
            }
            1 => {
                let a = self.term(pool, width, depth);
                return pool.neg(a);
            }
            2 => {
                let c = self.term(pool, 1, depth);
                let (a, b) = (self.term(pool, width, depth), self.term(pool, width, depth));
                return pool.ite(c, a, b);
            }
            3 if width > 1 => {
                let low = 1 + self.rng.below(width as u64 - 1) as u32;
                let (a, b) = (
                    self.term(pool, width - low, depth),
                    self.term(pool, low, depth),
                );
                return pool.concat(a, b);
            }
            4 => {
                let lo = self.rng.below(5) as u32;
                let wide = width + lo + self.rng.below(4) as u32;
                if width > 64 || wide <= 64 {
                    let a = self.term(pool, wide, depth);
                    return pool.extract(lo + width - 1, lo, a);
                }
            }
            5 | 6 if width > 1 => {
                let from = 1 + self.rng.below(width as u64 - 1) as u32;
                let a = self.term(pool, from, depth);
                return if pick == 5 {
                    pool.zext(width, a)
                } else {
                    pool.sext(width, a)
                };
            }
            7 | 8 if width == 8 => return self.read(pool, depth),
            _ => {}
        }
        let (a, b) = (self.term(pool, width, depth), self.term(pool, width, depth));
        match self.rng.below(13) {
            0 => pool.add(a, b),
            1 => pool.sub(a, b),
            2 => pool.mul(a, b),
            3 => pool.udiv(a, b),
            4 => pool.sdiv(a, b),
            5 => pool.urem(a, b),
            6 => pool.srem(a, b),
            7 => pool.shl(a, b),
            8 => pool.lshr(a, b),
            9 => pool.ashr(a, b),
            10 => pool.and(a, b),
            11 => pool.or(a, b),
            _ => pool.xor(a, b),
        }
    }

    fn read(&mut self, pool: &mut Pool, depth: u32) -> Term {
        let mut array = self.tables[self.rng.below(3) as usize];
        for _ in 0..self.rng.below(3) {
            let at = self.term(pool, 8, depth.min(1));
            let at = pool.zext(64, at);
            let value = self.term(pool, 8, depth.min(1));
            array = pool.store(array, at, value);
        }
        if self.rng.below(5) == 0 {
            let c = self.term(pool, 1, depth.min(1));
            let other = self.tables[self.rng.below(3) as usize];
            array = pool.ite(c, array, other);
        }
        let index = self.term(pool, 8, depth);
        let index = pool.zext(64, index);
        pool.select(array, index)
    }

    pub fn model(&mut self) -> Model {
        let mut model = Model::new();
        for i in 0..self.bytes.len() {
            model.set(self.bytes[i], self.rng.below(256));
        }
        model
    }
}

/// Do the conditions hold together for some values of the (at most two) bytes?
pub fn brute_force(pool: &Pool, terms: &[Term], bytes: &[Symbol]) -> bool {
    assert!(bytes.len() <= 2);
    let tape = Tape::compile(pool, terms);
    let mut scratch = Scratch::new();
    let mut model = Model::new();
    for v in 0..1u64 << (8 * bytes.len()) {
        for (i, &symbol) in bytes.iter().enumerate() {
            model.set(symbol, v >> (8 * i) & 0xff);
        }
        tape.run(&model, &mut scratch);
        if (0..terms.len()).all(|i| tape.value(&scratch, i) & 1 == 1) {
            return true;
        }
    }
    false
}

/// A path of `len` generated conjuncts that the model satisfies.
pub fn path(
    pool: &mut Pool,
    solver: &mut Solver,
    gen_: &mut Generator,
    model: &Model,
    len: u64,
    depth: u32,
) -> PathCondition {
    let mut pc = PathCondition::new();
    for _ in 0..len {
        let mut c = gen_.condition(pool, depth);
        if Evaluator::new().eval(pool, c, model) == 0 {
            c = pool.not(c);
        }
        solver.push(pool, &mut pc, c, Origin::Branch);
    }
    pc
}

/// Does the model satisfy the whole path and the condition?
pub fn satisfies(pool: &Pool, pc: &PathCondition, cond: Term, model: &Model) -> bool {
    let mut ev = Evaluator::new();
    pc.iter()
        .map(|c| c.term)
        .chain([cond])
        .all(|t| ev.eval(pool, t, model) == 1)
}

impl term::Trace for Generator {
    fn trace(&mut self, visit: &mut dyn FnMut(&mut Term)) {
        self.seen.trace(visit);
        self.tables.trace(visit);
    }
}
