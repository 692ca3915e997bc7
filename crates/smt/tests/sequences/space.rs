//! A few input bits, terms over them, and the set of inputs that satisfy a condition.

use solver::Model;
use std::rc::Rc;
use term::{ArrayValue, Pool, Scratch, Sort, Symbol, Tape, Term};
use testkit::Random as Rng;

/// A set of points of the space.
pub type Points = Rc<Vec<bool>>;

/// The symbols: at most 16 bits together.
pub struct Space {
    symbols: Vec<Symbol>,
    bits: u32,
    /// Widths of index and element of the free arrays.
    array: Option<(u32, u32)>,
    tables: Vec<Vec<u8>>,
}

impl Space {
    pub fn new(pool: &mut Pool, rng: &mut Rng) -> Space {
        let sorts: &[Sort] = match rng.below(7) {
            0 | 1 => &[Sort::BitVec(8)],
            2 => &[Sort::BitVec(8), Sort::BitVec(4)],
            3 if rng.below(4) == 0 => &[Sort::BitVec(8), Sort::BitVec(8)],
            3 => &[Sort::BitVec(5), Sort::BitVec(4), Sort::BitVec(1)],
            4 => &[
                Sort::Array { index: 1, elem: 2 },
                Sort::Array { index: 1, elem: 2 },
                Sort::BitVec(1),
                Sort::BitVec(2),
            ],
            5 => &[
                Sort::Array { index: 2, elem: 1 },
                Sort::Array { index: 2, elem: 1 },
                Sort::BitVec(2),
                Sort::BitVec(1),
            ],
            _ => &[
                Sort::Array { index: 2, elem: 2 },
                Sort::BitVec(2),
                Sort::BitVec(1),
            ],
        };
        let named = sorts.iter().enumerate();
        let symbols = named.map(|(k, &sort)| pool.new_symbol(&format!("s{k}"), sort));
        let bits = |sort: &Sort| match *sort {
            Sort::Array { index, elem } => elem << index,
            other => other.bits(),
        };
        let array = sorts.iter().find_map(|sort| match *sort {
            Sort::Array { index, elem } => Some((index, elem)),
            _ => None,
        });
        let tables = [(256, 256), (13, 256), (40, 3)]
            .map(|(len, values)| (0..len).map(|_| rng.below(values) as u8).collect());
        Space {
            symbols: symbols.collect(),
            bits: sorts.iter().map(bits).sum(),
            array,
            tables: tables.to_vec(),
        }
    }

    /// Number of points.
    pub fn points(&self) -> u64 {
        1 << self.bits
    }

    /// The input at a point.
    pub fn model(&self, pool: &Pool, mut point: u64) -> Model {
        let mut take = |width: u32| {
            let value = point & ((1 << width) - 1);
            point >>= width;
            value
        };
        let mut model = Model::new();
        for &symbol in &self.symbols {
            match pool.symbol_sort(symbol) {
                Sort::Array { index, elem } => {
                    let entries = (0..1u64 << index).map(|i| (i.into(), take(elem).into()));
                    let value = ArrayValue {
                        default: Default::default(),
                        entries: entries.collect(),
                    };
                    model.set_array(symbol, value);
                }
                sort => model.set(symbol, take(sort.bits())),
            }
        }
        model
    }

    /// The value of a term (at most 64 bits) at each point.
    pub fn values(&self, pool: &Pool, t: Term) -> Vec<u64> {
        let tape = Tape::compile(pool, &[t]);
        let mut scratch = Scratch::new();
        let value = |point| {
            tape.run(&self.model(pool, point), &mut scratch);
            tape.value(&scratch, 0)
        };
        (0..self.points()).map(value).collect()
    }

    /// Where a condition holds.
    pub fn where_true(&self, pool: &Pool, condition: Term) -> Points {
        let values = self.values(pool, condition);
        Rc::new(values.into_iter().map(|v| v & 1 == 1).collect())
    }

    /// A condition.
    pub fn condition(&self, pool: &mut Pool, rng: &mut Rng, depth: u32) -> Term {
        if let Some((index, elem)) = self.array
            && rng.below(6) == 0
        {
            let a = self.array(pool, rng, depth.min(2));
            let b = self.array(pool, rng, depth.min(2));
            debug_assert_eq!(pool.sort(a), Sort::Array { index, elem });
            return pool.eq(a, b);
        }
        if rng.below(5) == 0 {
            return self.bits(pool, rng, 1, depth);
        }
        let width = [1, 3, 4, 8, 8, 16, 32][rng.below(7) as usize];
        let a = self.bits(pool, rng, width, depth);
        let b = self.bits(pool, rng, width, depth.saturating_sub(1));
        match rng.below(7) {
            0 | 1 => pool.eq(a, b),
            2 => pool.ne(a, b),
            3 => pool.ult(a, b),
            4 => pool.ule(a, b),
            5 => pool.slt(a, b),
            _ => pool.sge(a, b),
        }
    }

    /// A bit-vector.
    pub fn bits(&self, pool: &mut Pool, rng: &mut Rng, width: u32, depth: u32) -> Term {
        if depth == 0 || rng.below(9) == 0 {
            return self.leaf(pool, rng, width);
        }
        let depth = depth - 1;
        match rng.below(12) {
            0 => {
                let a = self.bits(pool, rng, width, depth);
                if rng.below(2) == 0 {
                    pool.not(a)
                } else {
                    pool.neg(a)
                }
            }
            1 => {
                let c = self.condition(pool, rng, depth);
                let a = self.bits(pool, rng, width, depth);
                let b = self.bits(pool, rng, width, depth);
                pool.ite(c, a, b)
            }
            2 if width > 1 => {
                let low = 1 + rng.below(width as u64 - 1) as u32;
                let a = self.bits(pool, rng, width - low, depth);
                let b = self.bits(pool, rng, low, depth);
                pool.concat(a, b)
            }
            3 => {
                let low = rng.below(4) as u32;
                let wide = width + low + rng.below(3) as u32;
                let a = self.bits(pool, rng, wide, depth);
                pool.extract(low + width - 1, low, a)
            }
            4 if width > 1 => {
                let from = 1 + rng.below(width as u64 - 1) as u32;
                let a = self.bits(pool, rng, from, depth);
                if rng.below(2) == 0 {
                    pool.zext(width, a)
                } else {
                    pool.sext(width, a)
                }
            }
            5 | 6 => {
                let read = self.read(pool, rng, depth);
                fit(pool, read, width)
            }
            _ => {
                let a = self.bits(pool, rng, width, depth);
                let b = self.bits(pool, rng, width, depth);
                match rng.below(13) {
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
        }
    }

    fn leaf(&self, pool: &mut Pool, rng: &mut Rng, width: u32) -> Term {
        let is_bits = |s: &&Symbol| matches!(pool.symbol_sort(**s), Sort::BitVec(_));
        let symbols: Vec<Symbol> = self.symbols.iter().filter(is_bits).copied().collect();
        if rng.below(4) == 0 {
            let value = match rng.below(3) {
                0 => rng.next(),
                1 => rng.below(5),
                _ => u64::MAX - rng.below(3),
            };
            return pool.bv(width, value & (u64::MAX >> (64 - width.min(64))));
        }
        let t = pool.symbol_term(symbols[rng.below(symbols.len() as u64) as usize]);
        if pool.width(t) < width && rng.below(3) == 0 {
            return pool.sext(width, t);
        }
        fit(pool, t, width)
    }

    /// A read of a free array or of a table with updates.
    fn read(&self, pool: &mut Pool, rng: &mut Rng, depth: u32) -> Term {
        if let Some((index, _)) = self.array
            && rng.below(5) > 0
        {
            let a = self.array(pool, rng, depth.min(2));
            let i = self.bits(pool, rng, index, depth);
            return pool.select(a, i);
        }
        let mut table = pool.array_bytes(&self.tables[rng.below(3) as usize]);
        for _ in 0..rng.below(3) {
            let at = self.bits(pool, rng, 8, depth.min(1));
            let at = pool.zext(64, at);
            let value = self.bits(pool, rng, 8, depth.min(1));
            table = pool.store(table, at, value);
        }
        let index = self.bits(pool, rng, 8, depth);
        let index = pool.zext(64, index);
        if rng.below(2) == 0 {
            return pool.select_bounded(table, index, 0, 255);
        }
        pool.select(table, index)
    }

    fn array(&self, pool: &mut Pool, rng: &mut Rng, depth: u32) -> Term {
        let (index, elem) = self.array.expect("a space with arrays");
        if depth == 0 || rng.below(3) == 0 {
            let is_array = |s: &&Symbol| matches!(pool.symbol_sort(**s), Sort::Array { .. });
            let arrays: Vec<Symbol> = self.symbols.iter().filter(is_array).copied().collect();
            if rng.below(6) == 0 {
                let value = self.bits(pool, rng, elem, 0);
                return pool.array_const(index, elem, value);
            }
            return pool.symbol_term(arrays[rng.below(arrays.len() as u64) as usize]);
        }
        let depth = depth - 1;
        if rng.below(4) == 0 {
            let c = self.condition(pool, rng, depth);
            let (a, b) = (self.array(pool, rng, depth), self.array(pool, rng, depth));
            return pool.ite(c, a, b);
        }
        let a = self.array(pool, rng, depth);
        let i = self.bits(pool, rng, index, depth);
        let v = self.bits(pool, rng, elem, depth);
        pool.store(a, i, v)
    }
}

/// The low bits, or zeros in front.
fn fit(pool: &mut Pool, t: Term, width: u32) -> Term {
    match pool.width(t) {
        w if w > width => pool.extract(width - 1, 0, t),
        w if w < width => pool.zext(width, t),
        _ => t,
    }
}
