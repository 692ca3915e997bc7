//! All values of a term over one byte, 256 lanes at a time.
//!
//! Each node becomes a loop over an array of 256 lanes, which the compiler turns into vector
//! code. The lanes are as narrow as the values allow: when no node's interval exceeds 2^n - 1, lanes of n
//! bits hold all values, whatever the terms' widths, because every operator here is
//! computed modulo 2^n and its true result lies below. A sign bit above the lane is then 0.
//!
//! Terms with floats, stores, array symbols or more than 64 bits take the slow way: a tape run
//! 256 times.
//!
//! Along a path, terms grow at their root: `x = x % 2 ? 3 * x + 1 : x / 2` on one byte makes each condition the last
//! one and a few nodes. So the values of large cones are kept by term, nodes near the root first, and a cone is
//! walked down to what is known only. What is kept has a bound, and goes with the next collection of the pool.

use crate::assignment::Assignment;
use crate::eval::content_at;
use crate::node::{Op, Symbol, Term};
use crate::pool::Pool;
use crate::semantics::{is_bitvector_op, mask};
use crate::sort::Sort;
use crate::tape::{Scratch, Tape};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// One node of the cone, by position; `value` is a constant's value, and of a read `a` is the
/// array's handle.
#[derive(Clone, Copy)]
struct Step {
    op: Op,
    width: u32,
    aux: u32,
    a: u32,
    b: u32,
    c: u32,
    value: u64,
}

/// A cone of more steps than this is kept.
const KEPT_FROM: usize = 48;
/// Smaller terms (as trees) are computed anew.
const KEPT_SIZE: u32 = 16;
/// Tables of one generation, of 2 KiB each; there are two.
const KEPT: usize = 2048;

/// Terms kept of one that is evaluated byte by byte.
const KEPT_NEAR: usize = 64;
/// Lanes of a larger cone than this are given back.
const SHRINK_FROM: usize = 1 << 12;
/// Lanes of a larger cone than this are not even made: it is evaluated byte by byte.
const MOST_STEPS: usize = 1 << 17;

/// Values of terms over one byte, least recently used ones dropped first.
#[derive(Default)]
struct Kept {
    /// Epoch of the pool that the terms are of.
    epoch: u64,
    young: FxHashMap<Term, Box<[u64; 256]>>,
    old: FxHashMap<Term, Box<[u64; 256]>>,
}

impl Kept {
    /// Forgets the terms of another pool or from before a collection.
    fn start(&mut self, pool: &Pool) {
        if self.epoch != pool.epoch {
            self.epoch = pool.epoch;
            self.young.clear();
            self.old.clear();
        }
    }

    fn is_empty(&self) -> bool {
        self.young.is_empty() && self.old.is_empty()
    }

    /// Is the term known? It is young afterwards, so that [`Self::of`] has it until the next [`Self::add`].
    fn touch(&mut self, t: Term) -> bool {
        if self.young.contains_key(&t) {
            return true;
        }
        match self.old.remove(&t) {
            Some(values) => {
                self.young.insert(t, values);
                true
            }
            None => false,
        }
    }

    fn of(&self, t: Term) -> Option<&[u64; 256]> {
        self.young.get(&t).map(|values| &**values)
    }

    fn add(&mut self, t: Term, values: Box<[u64; 256]>) {
        if self.young.len() >= KEPT {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(t, values);
    }
}

#[derive(Default)]
struct Work {
    generation: u32,
    /// By handle: the generation in which the node got its position, and that position.
    marks: Vec<(u32, u32)>,
    stack: Vec<Term>,
    steps: Vec<Step>,
    /// The terms of the steps.
    terms: Vec<Term>,
    kept: Kept,
    bytes: Vec<[u8; 256]>,
    halves: Vec<[u16; 256]>,
    words: Vec<[u32; 256]>,
    longs: Vec<[u64; 256]>,
}

thread_local! {
    static WORK: RefCell<Work> = RefCell::default();
}

impl Tape {
    /// The values of `condition`, of width 1, for all 256 values of its only free symbol `symbol`:
    /// bit v of the result (bit v % 64 of word v / 64) is its value when the symbol is v.
    pub fn truth_table(pool: &Pool, condition: Term, symbol: Symbol) -> [u64; 4] {
        debug_assert_eq!(pool.width(condition), 1);
        let fast = WORK.with_borrow_mut(|work| {
            let most = work.plan(pool, condition, symbol)?;
            let mut flags = [0u8; 256];
            work.run(pool, most);
            work.lanes(most, work.steps.len() - 1, &mut flags, |x| x as u8);
            work.keep(pool, most);
            Some(pack(&flags))
        });
        fast.unwrap_or_else(|| {
            let mut table = [0; 4];
            slowly(pool, condition, symbol, |value, result| {
                table[value / 64] |= result << (value % 64)
            });
            table
        })
    }

    /// The values of `t`, of at most 64 bits, for all 256 values of its only free symbol.
    pub fn value_table(pool: &Pool, t: Term, symbol: Symbol) -> Box<[u64; 256]> {
        debug_assert!(pool.width(t) <= 64);
        let mut table = Box::new([0; 256]);
        let fast = WORK.with_borrow_mut(|work| {
            let most = work.plan(pool, t, symbol)?;
            work.run(pool, most);
            work.lanes(most, work.steps.len() - 1, &mut table, |x| x);
            work.keep(pool, most);
            Some(())
        });
        if fast.is_none() {
            slowly(pool, t, symbol, |value, result| table[value] = result);
        }
        table
    }
}

fn copy<L: Copy + Into<u64>, M>(lanes: &[L; 256], out: &mut [M; 256], convert: impl Fn(u64) -> M) {
    for (out, &lane) in out.iter_mut().zip(lanes) {
        *out = convert(lane.into());
    }
}

/// The low bits of 256 bytes: eight at a time, gathered into the top byte by a product.
fn pack(flags: &[u8; 256]) -> [u64; 4] {
    let mut table = [0; 4];
    for (k, eight) in flags.chunks_exact(8).enumerate() {
        let word = u64::from_le_bytes(eight.try_into().expect("eight bytes"));
        let bits = word.wrapping_mul(0x0102_0408_1020_4080) >> 56;
        table[k / 8] |= bits << (k % 8 * 8);
    }
    table
}

fn slowly(pool: &Pool, t: Term, symbol: Symbol, mut take: impl FnMut(usize, u64)) {
    let mut roots = vec![t];
    near(pool, &mut roots);
    let tape = Tape::compile(pool, &roots);
    let mut tables: Vec<_> = roots[1..].iter().map(|_| Box::new([0; 256])).collect();
    let (mut scratch, mut assignment) = (Scratch::new(), Assignment::new());
    for value in 0..256 {
        assignment.set(symbol, value as u64);
        tape.run(&assignment, &mut scratch);
        take(value, tape.value(&scratch, 0));
        for (k, table) in tables.iter_mut().enumerate() {
            table[value] = tape.value(&scratch, k + 1);
        }
    }
    WORK.with_borrow_mut(|work| {
        work.kept.start(pool);
        for (&root, table) in roots[1..].iter().zip(tables) {
            work.kept.add(root, table);
        }
    });
}

/// Adds the terms just below the first one that are worth keeping.
fn near(pool: &Pool, roots: &mut Vec<Term>) {
    let mut at = 0;
    while at < roots.len() {
        for &kid in pool.children(roots[at]) {
            let fits = matches!(pool.sort(kid), Sort::BitVec(1..=64));
            if fits
                && roots.len() < KEPT_NEAR
                && pool.size_hint(kid) >= KEPT_SIZE
                && !roots.contains(&kid)
            {
                roots.push(kid);
            }
        }
        at += 1;
    }
}

impl Work {
    /// Lists the cone of `root` in `steps`, root last, and gives the largest value that a lane
    /// must hold; `None` when an operator has no lanes. What is kept is not walked into.
    fn plan(&mut self, pool: &Pool, root: Term, symbol: Symbol) -> Option<u64> {
        self.steps.clear();
        self.terms.clear();
        self.stack.clear();
        self.kept.start(pool);
        let some_kept = !self.kept.is_empty();
        if self.marks.len() < pool.len() {
            self.marks.resize(pool.len(), (0, 0));
        }
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.marks.fill((0, 0));
            self.generation = 1;
        }
        let mut most = 0xff;
        self.stack.push(root);
        while let Some(&t) = self.stack.last() {
            if self.marks[t.at()].0 == self.generation {
                self.stack.pop();
                continue;
            }
            let node = pool.node(t);
            if some_kept && pool.size_hint(t) >= KEPT_SIZE && self.kept.touch(t) {
                self.stack.pop();
                let known = Step {
                    op: Op::None,
                    width: node.sort,
                    aux: t.0,
                    a: 0,
                    b: 0,
                    c: 0,
                    value: 0,
                };
                most = most.max(pool.interval(t).1);
                self.list(t, known);
                continue;
            }
            let before = self.stack.len();
            let operands = if node.op == Op::Select {
                if pool.op(node.kids[0]) != Op::ArrayBytes {
                    return None;
                }
                &node.kids[1..2]
            } else {
                node.children()
            };
            for &kid in operands {
                if self.marks[kid.at()].0 != self.generation {
                    self.stack.push(kid);
                }
            }
            if self.stack.len() > before {
                continue;
            }
            self.stack.pop();
            let position = |kid: Term| self.marks[kid.at()].1;
            let [a, b, c] = node.kids;
            let mut step = Step {
                op: node.op,
                width: node.sort,
                aux: node.aux,
                a: 0,
                b: 0,
                c: 0,
                value: 0,
            };
            match node.op {
                Op::Const => step.value = node.value(),
                Op::Symbol if Symbol(node.aux) == symbol && node.sort <= 64 => {}
                Op::Select => (step.a, step.b) = (a.0, position(b)),
                op if is_bitvector_op(op) && node.sort <= 64 && pool.node(a).sort <= 64 => {
                    let at = |k: usize, kid| {
                        if k < node.arity as usize {
                            position(kid)
                        } else {
                            0
                        }
                    };
                    (step.a, step.b, step.c) = (at(0, a), at(1, b), at(2, c));
                }
                _ => return None,
            }
            most = most.max(pool.interval(t).1);
            self.list(t, step);
            if self.steps.len() > MOST_STEPS {
                return None;
            }
        }
        Some(most)
    }

    fn list(&mut self, t: Term, step: Step) {
        self.marks[t.at()] = (self.generation, self.steps.len() as u32);
        self.steps.push(step);
        self.terms.push(t);
    }

    /// Computes all steps, in lanes that hold `most`.
    fn run(&mut self, pool: &Pool, most: u64) {
        let (steps, kept) = (&self.steps, &self.kept);
        match most {
            0..=0xff => run_bytes(pool, steps, kept, &mut self.bytes),
            0x100..=0xffff => run_halves(pool, steps, kept, &mut self.halves),
            0x1_0000..=0xffff_ffff => run_words(pool, steps, kept, &mut self.words),
            _ => run_longs(pool, steps, kept, &mut self.longs),
        }
    }

    /// The values of a step.
    fn lanes<M>(&self, most: u64, step: usize, out: &mut [M; 256], convert: impl Fn(u64) -> M) {
        match most {
            0..=0xff => copy(&self.bytes[step], out, convert),
            0x100..=0xffff => copy(&self.halves[step], out, convert),
            0x1_0000..=0xffff_ffff => copy(&self.words[step], out, convert),
            _ => copy(&self.longs[step], out, convert),
        }
    }

    /// Keeps the values of a large cone, as far as they fit: those near the root, which stand last.
    fn keep(&mut self, pool: &Pool, most: u64) {
        let extends = || self.steps.iter().any(|step| step.op == Op::None);
        if self.steps.len() < KEPT_FROM && (self.kept.is_empty() || !extends()) {
            return;
        }
        for at in self.steps.len().saturating_sub(KEPT / 2)..self.steps.len() {
            let is_large = pool.size_hint(self.terms[at]) >= KEPT_SIZE;
            if is_large && self.steps[at].op != Op::None {
                let mut values = Box::new([0; 256]);
                self.lanes(most, at, &mut values, |x| x);
                self.kept.add(self.terms[at], values);
            }
        }
        if self.steps.len() > SHRINK_FROM {
            (self.bytes, self.halves) = Default::default();
            (self.words, self.longs) = Default::default();
        }
    }
}

macro_rules! lanes {
    ($run:ident, $lane:ty, $signed:ty) => {
        /// Computes all steps in lanes of this type.
        fn $run(pool: &Pool, steps: &[Step], kept: &Kept, lanes: &mut Vec<[$lane; 256]>) {
            const BITS: u32 = <$lane>::BITS;
            if lanes.len() < steps.len() {
                lanes.resize(steps.len(), [0; 256]);
            }
            for (k, step) in steps.iter().enumerate() {
                let (before, rest) = lanes.split_at_mut(k);
                let out = &mut rest[0];
                // A width beyond the lane's is as good as the lane's, see the head.
                let width = step.width.min(BITS);
                let all = mask(width) as $lane;
                let aux = step.aux;
                macro_rules! unary {
                    (|$x:ident| $body:expr) => {{
                        let a = &before[step.a as usize];
                        for k in 0..256 {
                            let $x = a[k];
                            out[k] = $body;
                        }
                    }};
                }
                macro_rules! binary {
                    (|$x:ident, $y:ident| $body:expr) => {{
                        let (a, b) = (&before[step.a as usize], &before[step.b as usize]);
                        for k in 0..256 {
                            let ($x, $y) = (a[k], b[k]);
                            out[k] = $body;
                        }
                    }};
                }
                let extend = |x: $lane, from: u32| -> $signed {
                    let shift = BITS.saturating_sub(from);
                    ((x << shift) as $signed) >> shift
                };
                // Is a value of this width signed within the lane?
                let fits = |from: u32| from <= BITS;
                match step.op {
                    Op::None => {
                        let known = kept
                            .of(Term(step.aux))
                            .expect("touched when it was planned");
                        for k in 0..256 {
                            out[k] = known[k] as $lane;
                        }
                    }
                    Op::Const => out.fill(step.value as $lane),
                    Op::Symbol => {
                        for k in 0..256 {
                            out[k] = k as $lane & mask(step.width) as $lane;
                        }
                    }
                    Op::Select => {
                        let content = pool.array_content(Term(step.a));
                        let index = &before[step.b as usize];
                        for k in 0..256 {
                            out[k] = content_at(content, index[k] as u64) as $lane;
                        }
                    }
                    Op::Not => unary!(|x| !x & all),
                    Op::Neg => unary!(|x| x.wrapping_neg() & all),
                    Op::Add => binary!(|x, y| x.wrapping_add(y) & all),
                    Op::Sub => binary!(|x, y| x.wrapping_sub(y) & all),
                    Op::Mul => binary!(|x, y| x.wrapping_mul(y) & all),
                    Op::Udiv => binary!(|x, y| x.checked_div(y).unwrap_or(all)),
                    Op::Urem => binary!(|x, y| x.checked_rem(y).unwrap_or(x)),
                    Op::Sdiv if fits(step.width) => binary!(|x, y| {
                        let (x, y) = (extend(x, width), extend(y, width));
                        let quotient = match y {
                            0 if x < 0 => 1,
                            0 => -1,
                            _ => x.wrapping_div(y),
                        };
                        quotient as $lane & all
                    }),
                    Op::Sdiv => binary!(|x, y| x.checked_div(y).unwrap_or(all)),
                    Op::Srem if fits(step.width) => binary!(|x, y| {
                        let (x, y) = (extend(x, width), extend(y, width));
                        (if y == 0 { x } else { x.wrapping_rem(y) }) as $lane & all
                    }),
                    Op::Srem => binary!(|x, y| x.checked_rem(y).unwrap_or(x)),
                    Op::Shl => binary!(|x, y| {
                        if (y as u64) < width as u64 {
                            x << y & all
                        } else {
                            0
                        }
                    }),
                    Op::Lshr => binary!(|x, y| if (y as u64) < width as u64 { x >> y } else { 0 }),
                    Op::Ashr if fits(step.width) => binary!(|x, y| {
                        let amount = (y as u64).min(width as u64 - 1) as u32;
                        (extend(x, width) >> amount) as $lane & all
                    }),
                    Op::Ashr => binary!(|x, y| if (y as u64) < width as u64 { x >> y } else { 0 }),
                    Op::And => binary!(|x, y| x & y),
                    Op::Or => binary!(|x, y| x | y),
                    Op::Xor => binary!(|x, y| x ^ y),
                    // Beyond the lane the high part is 0.
                    Op::Concat if aux >= BITS => binary!(|_x, y| y),
                    Op::Concat => binary!(|x, y| x << aux | y),
                    Op::Extract if aux >= BITS => out.fill(0),
                    Op::Extract => unary!(|x| x >> aux & all),
                    Op::Zext => unary!(|x| x),
                    Op::Sext if fits(aux) => unary!(|x| extend(x, aux) as $lane & all),
                    Op::Sext => unary!(|x| x),
                    Op::Eq => binary!(|x, y| (x == y) as $lane),
                    Op::Ult => binary!(|x, y| (x < y) as $lane),
                    Op::Slt if fits(aux) => {
                        let flip = 1 << (aux - 1);
                        binary!(|x, y| (x ^ flip < y ^ flip) as $lane)
                    }
                    Op::Slt => binary!(|x, y| (x < y) as $lane),
                    Op::Ite => {
                        let (a, b) = (&before[step.a as usize], &before[step.b as usize]);
                        let c = &before[step.c as usize];
                        for k in 0..256 {
                            let chosen = (a[k] as $lane).wrapping_neg();
                            out[k] = b[k] & chosen | c[k] & !chosen;
                        }
                    }
                    op => unreachable!("{op:?} has no lanes"),
                }
            }
        }
    };
}

lanes!(run_bytes, u8, i8);
lanes!(run_halves, u16, i16);
lanes!(run_words, u32, i32);
lanes!(run_longs, u64, i64);
