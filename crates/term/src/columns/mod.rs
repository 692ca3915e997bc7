//! Values of a term at 256 points at a time: a point gives each of the term's symbols a value.
//!
//! Each node becomes a loop over an array of 256 lanes, which the compiler turns into vector
//! code. The lanes are as narrow as the values allow: when no node's interval exceeds 2^n - 1, lanes of n
//! bits hold all values, whatever the terms' widths, because every operator here is
//! computed modulo 2^n and its true result lies below. A sign bit above the lane is then 0.
//!
//! A cone is walked down to what is [`KnownColumns`] only. Terms with floats, stores, array symbols or more than 64 bits have no lanes.

mod run;

use crate::node::{Op, Symbol, Term};
use crate::pool::Pool;
use crate::semantics::is_bitvector_op;
use std::cell::RefCell;

/// Lanes.
pub(crate) const POINTS: usize = 256;

/// A cone of fewer steps than this is not kept, unless it rests on what is kept.
pub(crate) const KEPT_FROM: usize = 48;
/// Smaller terms (as trees) are computed anew rather than looked up.
pub(crate) const KEPT_SIZE: u32 = 16;
/// Lanes of a larger cone than this are given back.
const SHRINK_FROM: usize = 1 << 12;
/// Lanes of a larger cone than this should not even be made.
pub(crate) const MOST_STEPS: usize = 1 << 17;

/// Columns that need not be computed.
pub(crate) trait KnownColumns {
    /// Is the term's column known?
    fn has(&mut self, pool: &Pool, t: Term) -> bool;

    /// The values of a term for which [`Self::has`] returned true.
    fn column(&self, pool: &Pool, t: Term) -> KnownColumn<'_>;
}

/// A known column.
pub(crate) enum KnownColumn<'a> {
    /// Of a symbol of at most 16 bits.
    Short(&'a [u16; POINTS]),
    /// Of any term.
    Long(&'a [u64; POINTS]),
}

/// One node of the cone, by position; `value` is a constant's value, and of a read `a` is the
/// array's handle. [`Op::None`] is a known column, of the term `aux`.
#[derive(Clone, Copy)]
pub(crate) struct ColumnStep {
    op: Op,
    width: u32,
    aux: u32,
    a: u32,
    b: u32,
    c: u32,
    value: u64,
}

/// The steps that compute a term, and lanes for them; one serves any number of terms.
#[derive(Default)]
pub(crate) struct Columns {
    generation: u32,
    /// By handle: the generation in which the node got its position, and that position.
    marks: Vec<(u32, u32)>,
    stack: Vec<Term>,
    steps: Vec<ColumnStep>,
    /// The terms of the steps.
    terms: Vec<Term>,
    /// The largest value that a lane must hold.
    most: u64,
    bytes: Vec<[u8; POINTS]>,
    halves: Vec<[u16; POINTS]>,
    words: Vec<[u32; POINTS]>,
    longs: Vec<[u64; POINTS]>,
}

fn copy<L: Copy + Into<u64>, M>(lanes: &[L], out: &mut [M], convert: impl Fn(u64) -> M) {
    for (out, &lane) in out.iter_mut().zip(lanes) {
        *out = convert(lane.into());
    }
}

/// The low bits of 256 bytes: eight at a time, gathered into the top byte by a product.
pub(crate) fn pack(flags: &[u8; POINTS]) -> [u64; 4] {
    let mut table = [0; 4];
    for (k, eight) in flags.chunks_exact(8).enumerate() {
        let word = u64::from_le_bytes(eight.try_into().expect("eight bytes"));
        let bits = word.wrapping_mul(0x0102_0408_1020_4080) >> 56;
        table[k / 8] |= bits << (k % 8 * 8);
    }
    table
}

thread_local! {
    static COLUMNS: RefCell<Columns> = RefCell::default();
}

/// Lends the thread's columns.
pub(crate) fn with<R>(use_them: impl FnOnce(&mut Columns) -> R) -> R {
    COLUMNS.with_borrow_mut(use_them)
}

impl Columns {
    /// Lists the cone of `root`, root last; `None` when an operator has no lanes, or when there are more steps than `limit`.
    /// Point `k` gives the symbol `byte` the value `k`; other symbols must be known.
    pub fn plan(
        &mut self,
        pool: &Pool,
        root: Term,
        byte: Option<Symbol>,
        known: &mut impl KnownColumns,
        limit: usize,
    ) -> Option<()> {
        self.steps.clear();
        self.terms.clear();
        self.stack.clear();
        if self.marks.len() < pool.len() {
            self.marks.resize(pool.len(), (0, 0));
        }
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.marks.fill((0, 0));
            self.generation = 1;
        }
        self.most = 0xff;
        self.stack.push(root);
        while let Some(&t) = self.stack.last() {
            if self.marks[t.at()].0 == self.generation {
                self.stack.pop();
                continue;
            }
            let node = pool.node(t);
            let mut step = ColumnStep {
                op: node.op,
                width: node.sort,
                aux: node.aux,
                a: 0,
                b: 0,
                c: 0,
                value: 0,
            };
            if known.has(pool, t) {
                self.stack.pop();
                (step.op, step.aux) = (Op::None, t.0);
                self.list(pool, t, step);
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
            match node.op {
                Op::Const => step.value = node.value(),
                Op::Symbol if Some(Symbol(node.aux)) == byte && node.sort <= 64 => {}
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
            self.list(pool, t, step);
            if self.steps.len() > limit {
                return None;
            }
        }
        Some(())
    }

    fn list(&mut self, pool: &Pool, t: Term, step: ColumnStep) {
        self.most = self.most.max(pool.interval(t).1);
        self.marks[t.at()] = (self.generation, self.steps.len() as u32);
        self.steps.push(step);
        self.terms.push(t);
    }

    /// Steps of the plan.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// The term of a step, where it is computed and large enough to be looked up later.
    pub fn worth_keeping(&self, pool: &Pool, at: usize) -> Option<Term> {
        let is_large = pool.size_hint(self.terms[at]) >= KEPT_SIZE;
        (is_large && self.steps[at].op != Op::None).then_some(self.terms[at])
    }

    /// Does the plan rest on known columns other than those of symbols?
    pub fn extends(&self, pool: &Pool) -> bool {
        let is_known =
            |step: &ColumnStep| step.op == Op::None && pool.op(Term(step.aux)) != Op::Symbol;
        self.steps.iter().any(is_known)
    }

    /// Computes all steps.
    pub fn run(&mut self, pool: &Pool, known: &impl KnownColumns) {
        let steps = &self.steps;
        match self.most {
            0..=0xff => run::bytes(pool, steps, known, &mut self.bytes),
            0x100..=0xffff => run::halves(pool, steps, known, &mut self.halves),
            0x1_0000..=0xffff_ffff => run::words(pool, steps, known, &mut self.words),
            _ => run::longs(pool, steps, known, &mut self.longs),
        }
    }

    /// The values of a step, after a run, at as many points as fit into `out`.
    pub fn values<M>(&self, step: usize, out: &mut [M], convert: impl Fn(u64) -> M) {
        match self.most {
            0..=0xff => copy(&self.bytes[step], out, convert),
            0x100..=0xffff => copy(&self.halves[step], out, convert),
            0x1_0000..=0xffff_ffff => copy(&self.words[step], out, convert),
            _ => copy(&self.longs[step], out, convert),
        }
    }

    /// Appends the values of a step, after a run.
    pub fn append(&self, step: usize, to: &mut Vec<u64>) {
        match self.most {
            0..=0xff => to.extend(self.bytes[step].iter().map(|&x| u64::from(x))),
            0x100..=0xffff => to.extend(self.halves[step].iter().map(|&x| u64::from(x))),
            0x1_0000..=0xffff_ffff => to.extend(self.words[step].iter().map(|&x| u64::from(x))),
            _ => to.extend(self.longs[step]),
        }
    }

    /// The values of the root, a condition, after a run, one bit each.
    pub fn truth(&self) -> [u64; 4] {
        let mut flags = [0u8; POINTS];
        self.values(self.steps.len() - 1, &mut flags, |x| x as u8);
        pack(&flags)
    }

    /// Gives back the lanes of a large cone.
    pub fn shrink(&mut self) {
        if self.steps.len() > SHRINK_FROM {
            (self.bytes, self.halves) = Default::default();
            (self.words, self.longs) = Default::default();
        }
    }
}
