//! All values of a term over one byte, 256 lanes at a time.
//!
//! Each node becomes a loop over an array of 256 lanes, which the compiler turns into vector
//! code. The lanes are as narrow as the values allow: when no node's interval exceeds 2^n - 1, lanes of n
//! bits hold all values, whatever the terms' widths, because every operator here is
//! computed modulo 2^n and its true result lies below. A sign bit above the lane is then 0.
//!
//! Terms with floats, stores, array symbols or more than 64 bits take the slow way: a tape run
//! 256 times.

use crate::assignment::Assignment;
use crate::eval::content_at;
use crate::node::{Op, Symbol, Term};
use crate::pool::Pool;
use crate::semantics::{is_bitvector_op, mask};
use crate::tape::{Scratch, Tape};
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

#[derive(Default)]
struct Work {
    generation: u32,
    /// By handle: the generation in which the node got its position, and that position.
    marks: Vec<(u32, u32)>,
    stack: Vec<Term>,
    steps: Vec<Step>,
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
            match most {
                0..=0xff => flags = *run_bytes(pool, &work.steps, &mut work.bytes),
                0x100..=0xffff => narrow(
                    run_halves(pool, &work.steps, &mut work.halves),
                    &mut flags,
                    |x| x as u8,
                ),
                0x1_0000..=0xffff_ffff => narrow(
                    run_words(pool, &work.steps, &mut work.words),
                    &mut flags,
                    |x| x as u8,
                ),
                _ => narrow(
                    run_longs(pool, &work.steps, &mut work.longs),
                    &mut flags,
                    |x| x as u8,
                ),
            }
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
            match most {
                0..=0xff => narrow(
                    run_bytes(pool, &work.steps, &mut work.bytes),
                    &mut table,
                    |x| x as u64,
                ),
                0x100..=0xffff => narrow(
                    run_halves(pool, &work.steps, &mut work.halves),
                    &mut table,
                    |x| x as u64,
                ),
                0x1_0000..=0xffff_ffff => {
                    narrow(
                        run_words(pool, &work.steps, &mut work.words),
                        &mut table,
                        |x| x as u64,
                    );
                }
                _ => *table = *run_longs(pool, &work.steps, &mut work.longs),
            }
            Some(())
        });
        if fast.is_none() {
            slowly(pool, t, symbol, |value, result| table[value] = result);
        }
        table
    }
}

fn narrow<L: Copy, M>(lanes: &[L; 256], out: &mut [M; 256], convert: impl Fn(L) -> M) {
    for (out, &lane) in out.iter_mut().zip(lanes) {
        *out = convert(lane);
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
    let tape = Tape::compile(pool, &[t]);
    let (mut scratch, mut assignment) = (Scratch::new(), Assignment::new());
    for value in 0..256 {
        assignment.set(symbol, value as u64);
        tape.run(&assignment, &mut scratch);
        take(value, tape.value(&scratch, 0));
    }
}

impl Work {
    /// Lists the cone of `root` in `steps`, root last, and gives the largest value that a lane
    /// must hold; `None` when an operator has no lanes.
    fn plan(&mut self, pool: &Pool, root: Term, symbol: Symbol) -> Option<u64> {
        self.steps.clear();
        self.stack.clear();
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
            self.marks[t.at()] = (self.generation, self.steps.len() as u32);
            self.steps.push(step);
        }
        Some(most)
    }
}

macro_rules! lanes {
    ($run:ident, $lane:ty, $signed:ty) => {
        /// Computes all steps in lanes of this type; gives the last one's.
        fn $run<'a>(
            pool: &Pool,
            steps: &[Step],
            lanes: &'a mut Vec<[$lane; 256]>,
        ) -> &'a [$lane; 256] {
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
            &lanes[steps.len() - 1]
        }
    };
}

lanes!(run_bytes, u8, i8);
lanes!(run_halves, u16, i16);
lanes!(run_words, u32, i32);
lanes!(run_longs, u64, i64);
