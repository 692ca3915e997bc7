//! A world of terms with their values under a list of assignments, and naive semantics of every
//! bit-vector operator on lists of bits, written without a look at the crate's own.

#![allow(dead_code)]

use polypath_term::{
    Assignment, Evaluator, LANES, Lanes, Op, Pool, Scratch, Sort, Symbol, Tape, Term,
};
use std::collections::HashMap;
use std::rc::Rc;

/// Every bit-vector constructor.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum O {
    Not,
    Neg,
    Add,
    Sub,
    Mul,
    Udiv,
    Sdiv,
    Urem,
    Srem,
    Shl,
    Lshr,
    Ashr,
    And,
    Or,
    Xor,
    Concat,
    Extract(u32, u32),
    Zext(u32),
    Sext(u32),
    Eq,
    Ne,
    Ult,
    Ule,
    Ugt,
    Uge,
    Slt,
    Sle,
    Sgt,
    Sge,
    Ite,
}

/// Operators that take two operands of one width.
pub const BINARY: [O; 23] = {
    use O::*;
    [
        Add, Sub, Mul, Udiv, Sdiv, Urem, Srem, Shl, Lshr, Ashr, And, Or, Xor, Eq, Ne, Ult, Ule,
        Ugt, Uge, Slt, Sle, Sgt, Sge,
    ]
};

pub fn build(pool: &mut Pool, op: O, args: &[Term]) -> Term {
    let a = args[0];
    let b = args.get(1).copied().unwrap_or(Term::NONE);
    match op {
        O::Not => pool.not(a),
        O::Neg => pool.neg(a),
        O::Add => pool.add(a, b),
        O::Sub => pool.sub(a, b),
        O::Mul => pool.mul(a, b),
        O::Udiv => pool.udiv(a, b),
        O::Sdiv => pool.sdiv(a, b),
        O::Urem => pool.urem(a, b),
        O::Srem => pool.srem(a, b),
        O::Shl => pool.shl(a, b),
        O::Lshr => pool.lshr(a, b),
        O::Ashr => pool.ashr(a, b),
        O::And => pool.and(a, b),
        O::Or => pool.or(a, b),
        O::Xor => pool.xor(a, b),
        O::Concat => pool.concat(a, b),
        O::Extract(hi, lo) => pool.extract(hi, lo, a),
        O::Zext(to) => pool.zext(to, a),
        O::Sext(to) => pool.sext(to, a),
        O::Eq => pool.eq(a, b),
        O::Ne => pool.ne(a, b),
        O::Ult => pool.ult(a, b),
        O::Ule => pool.ule(a, b),
        O::Ugt => pool.ugt(a, b),
        O::Uge => pool.uge(a, b),
        O::Slt => pool.slt(a, b),
        O::Sle => pool.sle(a, b),
        O::Sgt => pool.sgt(a, b),
        O::Sge => pool.sge(a, b),
        O::Ite => pool.ite(a, b, args[2]),
    }
}

/// Bits of a value, lowest first.
pub type Bits = Vec<bool>;

fn add(a: &Bits, b: &Bits, mut carry: bool) -> Bits {
    let mut sum = Vec::new();
    for (&x, &y) in a.iter().zip(b) {
        sum.push(x ^ y ^ carry);
        carry = (x & y) | (carry & (x | y));
    }
    sum
}

fn not(a: &Bits) -> Bits {
    a.iter().map(|x| !x).collect()
}

fn neg(a: &Bits) -> Bits {
    add(&not(a), &vec![false; a.len()], true)
}

fn ult(a: &Bits, b: &Bits) -> bool {
    a.iter().rev().lt(b.iter().rev())
}

fn slt(a: &Bits, b: &Bits) -> bool {
    let top = a.len() - 1;
    if a[top] != b[top] { a[top] } else { ult(a, b) }
}

fn divide(a: &Bits, b: &Bits) -> (Bits, Bits) {
    let width = a.len();
    if b.iter().all(|bit| !bit) {
        return (vec![true; width], a.clone());
    }
    // One bit more, so that the doubled remainder fits.
    let mut divisor = b.clone();
    divisor.push(false);
    let mut rest = vec![false; width + 1];
    let mut quotient = vec![false; width];
    for k in (0..width).rev() {
        rest.pop();
        rest.insert(0, a[k]);
        if !ult(&rest, &divisor) {
            rest = add(&rest, &not(&divisor), true);
            quotient[k] = true;
        }
    }
    rest.pop();
    (quotient, rest)
}

fn signed_divide(a: &Bits, b: &Bits) -> (Bits, Bits) {
    let sign = |x: &Bits| *x.last().unwrap();
    let magnitude = |x: &Bits| if sign(x) { neg(x) } else { x.clone() };
    let (quotient, rest) = divide(&magnitude(a), &magnitude(b));
    let quotient = if sign(a) != sign(b) {
        neg(&quotient)
    } else {
        quotient
    };
    let rest = if sign(a) { neg(&rest) } else { rest };
    (quotient, rest)
}

fn shift(a: &Bits, by: &Bits, left: bool, fill: bool) -> Bits {
    let width = a.len();
    let mut amount = 0usize;
    for (k, &bit) in by.iter().enumerate() {
        if bit {
            amount = if k < 32 {
                amount.saturating_add(1 << k)
            } else {
                usize::MAX / 2
            };
        }
    }
    (0..width)
        .map(|k| {
            let from = if left {
                k.checked_sub(amount)
            } else {
                k.checked_add(amount)
            };
            from.and_then(|from| a.get(from).copied()).unwrap_or(fill)
        })
        .collect()
}

/// What `op` means, on bits.
pub fn reference(op: O, args: &[Bits]) -> Bits {
    let a = &args[0];
    let empty = Vec::new();
    let b = args.get(1).unwrap_or(&empty);
    let zip = |f: fn(bool, bool) -> bool| a.iter().zip(b).map(|(&x, &y)| f(x, y)).collect();
    match op {
        O::Not => not(a),
        O::Neg => neg(a),
        O::Add => add(a, b, false),
        O::Sub => add(a, &not(b), true),
        O::Mul => {
            let mut product = vec![false; a.len()];
            let mut shifted = a.clone();
            for &bit in b {
                if bit {
                    product = add(&product, &shifted, false);
                }
                shifted.pop();
                shifted.insert(0, false);
            }
            product
        }
        O::Udiv => divide(a, b).0,
        O::Urem => divide(a, b).1,
        O::Sdiv => signed_divide(a, b).0,
        O::Srem => signed_divide(a, b).1,
        O::Shl => shift(a, b, true, false),
        O::Lshr => shift(a, b, false, false),
        O::Ashr => shift(a, b, false, *a.last().unwrap()),
        O::And => zip(|x, y| x & y),
        O::Or => zip(|x, y| x | y),
        O::Xor => zip(|x, y| x ^ y),
        O::Concat => b.iter().chain(a).copied().collect(),
        O::Extract(hi, lo) => a[lo as usize..=hi as usize].to_vec(),
        O::Zext(to) => {
            let mut out = a.clone();
            out.resize(to as usize, false);
            out
        }
        O::Sext(to) => {
            let mut out = a.clone();
            out.resize(to as usize, *a.last().unwrap());
            out
        }
        O::Eq => vec![a == b],
        O::Ne => vec![a != b],
        O::Ult => vec![ult(a, b)],
        O::Ule => vec![!ult(b, a)],
        O::Ugt => vec![ult(b, a)],
        O::Uge => vec![!ult(a, b)],
        O::Slt => vec![slt(a, b)],
        O::Sle => vec![!slt(b, a)],
        O::Sgt => vec![slt(b, a)],
        O::Sge => vec![!slt(a, b)],
        O::Ite => {
            if a[0] {
                b.clone()
            } else {
                args[2].clone()
            }
        }
    }
}

pub fn to_bits(limbs: &[u64], width: u32) -> Bits {
    (0..width as usize)
        .map(|k| limbs[k / 64] >> (k % 64) & 1 == 1)
        .collect()
}

pub fn to_limbs(bits: &Bits) -> Vec<u64> {
    let mut limbs = vec![0; bits.len().div_ceil(64)];
    for (k, &bit) in bits.iter().enumerate() {
        limbs[k / 64] |= (bit as u64) << (k % 64);
    }
    limbs
}

pub use testkit::Random;

/// The values of a term under all assignments, `stride` limbs each.
pub struct Values {
    stride: usize,
    limbs: Vec<u64>,
}

impl Values {
    pub fn at(&self, k: usize) -> &[u64] {
        &self.limbs[k * self.stride..][..self.stride]
    }
}

/// Terms with their values under each of a list of assignments.
pub struct World {
    pub pool: Pool,
    pub assignments: Vec<Assignment>,
    evaluator: Evaluator,
    values: HashMap<Term, Rc<Values>>,
    /// By operator and widths: the meaning by the operands' values, as far as known.
    memo: HashMap<(O, Vec<u32>), Vec<u64>>,
    pub checked: usize,
}

impl World {
    pub fn new(pool: Pool, assignments: Vec<Assignment>) -> World {
        World {
            pool,
            assignments,
            evaluator: Evaluator::new(),
            values: HashMap::new(),
            memo: HashMap::new(),
            checked: 0,
        }
    }

    pub fn values(&mut self, t: Term) -> Rc<Values> {
        let World {
            pool,
            assignments,
            evaluator,
            values,
            ..
        } = self;
        let compute = || {
            let stride = pool.width(t).div_ceil(64) as usize;
            let mut limbs = Vec::with_capacity(stride * assignments.len());
            for assignment in assignments.iter() {
                if stride == 1 {
                    limbs.push(evaluator.eval(pool, t, assignment));
                } else {
                    limbs.extend(evaluator.eval_wide(pool, t, assignment));
                }
            }
            Rc::new(Values { stride, limbs })
        };
        values.entry(t).or_insert_with(compute).clone()
    }

    fn meaning(&self, op: O, widths: &[u32], args: &[&[u64]]) -> Vec<u64> {
        let bits: Vec<Bits> = args
            .iter()
            .zip(widths)
            .map(|(v, &w)| to_bits(v, w))
            .collect();
        to_limbs(&reference(op, &bits))
    }

    /// Does `op` of `args` mean `expected`? `table`, when there is one, remembers.
    fn agrees(
        &self,
        op: O,
        widths: &[u32],
        args: &[&[u64]],
        expected: &[u64],
        table: &mut [u64],
    ) -> bool {
        if table.is_empty() {
            return self.meaning(op, widths, args) == expected;
        }
        let place =
            (widths.iter().zip(args)).fold(0, |place, (width, arg)| place << width | arg[0]);
        let known = &mut table[place as usize];
        if *known == u64::MAX {
            *known = self.meaning(op, widths, args)[0];
        }
        *known == expected[0]
    }

    /// Makes `op(args)` and checks its values, known bits and interval against the values of
    /// `args`.
    pub fn check(&mut self, op: O, args: &[Term]) -> Term {
        let widths: Vec<u32> = args.iter().map(|&t| self.pool.width(t)).collect();
        let result = build(&mut self.pool, op, args);
        let arg_values: Vec<Rc<Values>> = args.iter().map(|&t| self.values(t)).collect();
        let got = self.values(result);
        let width = self.pool.width(result);
        let (zeros, ones) = self.pool.known_bits(result);
        let (lo, hi) = self.pool.interval(result);
        let total = widths.iter().sum::<u32>();
        let size = if total <= 12 && width <= 12 {
            1 << total
        } else {
            0
        };
        let key = (op, widths.clone());
        let mut table = self
            .memo
            .remove(&key)
            .unwrap_or_else(|| vec![u64::MAX; size]);
        for k in 0..self.assignments.len() {
            let mut now: [&[u64]; 3] = [&[]; 3];
            for (slot, values) in now.iter_mut().zip(&arg_values) {
                *slot = values.at(k);
            }
            let now = &now[..args.len()];
            assert!(
                self.agrees(op, &widths, now, got.at(k), &mut table),
                "{op:?} of {now:?} (widths {widths:?}) is {:?}\n operands {:?}\n result {} = {:?}",
                self.meaning(op, &widths, now),
                args.iter()
                    .map(|&t| self.pool.display(t).to_string())
                    .collect::<Vec<_>>(),
                self.pool.display(result),
                got.at(k),
            );
            if width <= 64 {
                let value = got.at(k)[0];
                let sound = value & zeros == 0 && !value & ones == 0 && lo <= value && value <= hi;
                assert!(
                    sound,
                    "facts of {} are wrong: value {value:#x}, zeros {zeros:#x}, ones {ones:#x}, [{lo}, {hi}]",
                    self.pool.display(result)
                );
            }
        }
        self.memo.insert(key, table);
        self.checked += 1;
        result
    }

    /// Checks that a compiled tape computes the same values as the evaluator.
    pub fn check_tape(&mut self, terms: &[Term]) {
        let tape = Tape::compile(&self.pool, terms);
        let mut scratch = Scratch::new();
        for k in 0..self.assignments.len() {
            tape.run(&self.assignments[k].clone(), &mut scratch);
            for (index, &t) in terms.iter().enumerate() {
                assert_eq!(tape.value_wide(&scratch, index), self.values(t).at(k));
            }
        }
        self.check_lanes(terms);
    }

    /// Checks that a tape whose inputs are given computes the same values, several at a time.
    fn check_lanes(&mut self, terms: &[Term]) {
        let is_number = |t: &Term| {
            self.pool.op(*t) == Op::Symbol && matches!(self.pool.sort(*t), Sort::BitVec(..=128))
        };
        let mut inputs = self.pool.cone(terms);
        inputs.retain(is_number);
        let symbol = |&t: &Term| self.pool.single_symbol(t).expect("a symbol");
        let symbols: Vec<Symbol> = inputs.iter().map(symbol).collect();
        let tape = Tape::over(&self.pool, terms, &inputs);
        let mut lanes = Lanes::new();
        for k in 0..self.assignments.len() {
            let assignment = self.assignments[k].clone();
            let lane = k % LANES;
            for (input, &symbol) in symbols.iter().enumerate() {
                let [low, high] = [0, 1].map(|at| u128::from(assignment.limb(symbol, at)));
                tape.set_lane(&mut lanes, lane, input, low | high << 64);
            }
            tape.run_lanes(&assignment, &mut lanes);
            for (index, &t) in terms.iter().enumerate() {
                let values = self.values(t);
                let want = values.at(k);
                assert_eq!(tape.values(&lanes, index)[lane], want[0]);
                let high = want.get(1).copied().unwrap_or(0);
                assert_eq!(tape.high_values(&lanes, index)[lane], high);
            }
        }
    }
}

/// A world of symbols of the given widths under all their assignments.
pub fn exhaustive(widths: &[u32]) -> (World, Vec<Term>) {
    let mut pool = Pool::new();
    let symbols: Vec<Symbol> = widths
        .iter()
        .enumerate()
        .map(|(k, &width)| pool.new_symbol(&format!("v{k}"), Sort::BitVec(width)))
        .collect();
    let terms = symbols.iter().map(|&s| pool.symbol_term(s)).collect();
    let total: u32 = widths.iter().sum();
    let assignments = (0..1u64 << total)
        .map(|code| {
            let mut assignment = Assignment::new();
            let mut rest = code;
            for (&symbol, &width) in symbols.iter().zip(widths) {
                assignment.set(symbol, rest & ((1 << width) - 1));
                rest >>= width;
            }
            assignment
        })
        .collect();
    (World::new(pool, assignments), terms)
}

/// A world of symbols of the given widths under random assignments rich in corner cases.
pub fn sampled(widths: &[u32], count: usize, random: &mut Random) -> (World, Vec<Term>) {
    let mut pool = Pool::new();
    let symbols: Vec<Symbol> = widths
        .iter()
        .enumerate()
        .map(|(k, &width)| pool.new_symbol(&format!("v{k}"), Sort::BitVec(width)))
        .collect();
    let terms = symbols.iter().map(|&s| pool.symbol_term(s)).collect();
    let assignments = (0..count)
        .map(|_| {
            let mut assignment = Assignment::new();
            for (&symbol, &width) in symbols.iter().zip(widths) {
                assignment.set_wide(symbol, &interesting(width, random));
            }
            assignment
        })
        .collect();
    (World::new(pool, assignments), terms)
}

/// A value of `width` bits: often 0, small, a power of two, or near the ends.
pub fn interesting(width: u32, random: &mut Random) -> Vec<u64> {
    let mut bits: Bits = match random.index(7) {
        0 => vec![false; width as usize],
        1 => vec![true; width as usize],
        2 => (0..width).map(|k| k + 1 == width).collect(),
        3 => (0..width).map(|k| k + 1 != width).collect(),
        4 => (0..width).map(|k| k < 3 && random.index(2) == 0).collect(),
        5 => {
            let one = random.index(width as usize) as u32;
            (0..width).map(|k| k == one).collect()
        }
        _ => (0..width).map(|_| random.index(2) == 0).collect(),
    };
    if random.index(4) == 0 {
        let flip = random.index(width as usize);
        bits[flip] = !bits[flip];
    }
    to_limbs(&bits)
}
