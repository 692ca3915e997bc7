//! Runs of a tape under several values of its inputs at once: reading an operation costs as much as computing it, and
//! several results in a row do not wait for each other.

use super::{Scratch, Tape};
use crate::assignment::Assignment;
use crate::fpu;
use crate::node::Op;
use crate::quick_float;
use crate::semantics::{self, mask};
use std::ops::Range;

/// Runs at once.
pub const LANES: usize = 8;

/// Slots of [`LANES`] runs; they serve any number of tapes.
#[derive(Default)]
pub struct Lanes {
    tape: u64,
    slots: Vec<[u64; LANES]>,
    /// For tapes with values that are no numbers of at most 64 bits: there it is one run after the other.
    single: Scratch,
}

impl Lanes {
    /// Lanes without slots.
    pub fn new() -> Lanes {
        Lanes::default()
    }
}

impl Tape {
    #[inline]
    fn fit_lanes(&self, lanes: &mut Lanes) {
        if lanes.tape != self.id {
            lanes.slots.clear();
            let initial = self.initial.iter().map(|&value| [value; LANES]);
            lanes.slots.extend(initial);
            lanes.tape = self.id;
        }
    }

    /// Sets an input ([`Tape::over`]) in one of the runs to come. `bits` fit into its width.
    #[inline]
    pub fn set_lane(&self, lanes: &mut Lanes, lane: usize, input: usize, bits: u128) {
        self.fit_lanes(lanes);
        let (slot, width) = self.inputs[input];
        lanes.slots[slot as usize][lane] = bits as u64;
        if width > 64 {
            lanes.slots[slot as usize + 1][lane] = (bits >> 64) as u64;
        }
    }

    /// Evaluates all roots in all lanes. Symbols that are no part of an input have their values of `others`.
    pub fn run_lanes(&self, others: &Assignment, lanes: &mut Lanes) {
        self.run_lanes_between(others, lanes, 0..self.len());
    }

    /// How many operations must have run before root `index` has its value.
    pub fn reach(&self, index: usize) -> usize {
        if self.is_narrow {
            (self.roots[index].0 + 1).saturating_sub(self.first) as usize
        } else {
            self.len()
        }
    }

    /// A part of [`Self::run_lanes`]: these operations, where all before them have run for the same values.
    pub fn run_lanes_between(&self, others: &Assignment, lanes: &mut Lanes, ops: Range<usize>) {
        self.fit_lanes(lanes);
        crate::work::spend(2 * ops.len() as u64);
        if !self.is_narrow {
            if ops.start == 0 {
                self.run_one_by_one(others, lanes);
            }
            return;
        }
        if ops.start == 0 {
            for input in &self.symbols {
                lanes.slots[input.slot as usize] =
                    [others.get(input.symbol) & mask(input.width); LANES];
            }
        }
        assert!(lanes.slots.len() == self.initial.len());
        let base = lanes.slots.as_mut_ptr();
        let first = self.first as usize + ops.start;
        for (dst, step) in (first..).zip(&self.ops[ops]) {
            let (width, aux) = (step.width as u32, step.aux as u32);
            // SAFETY: `check` has seen at compile time that operands lie before this operation's slot, and there are as many
            // slots as the tape wants (asserted above); so the result is apart from them.
            let get = |at: u32| unsafe { &*base.add(at as usize) };
            // SAFETY: as above; nobody else refers to it.
            let out = unsafe { &mut *base.add(dst) };
            macro_rules! dispatch {
                ($($op:ident)*; $($float:ident)*) => {
                    match step.op {
                        $(Op::$op => {
                            let (a, b, c) = (get(step.a), get(step.b), get(step.c));
                            for k in 0..LANES {
                                out[k] = semantics::apply(Op::$op, width, aux, a[k], b[k], c[k]);
                            }
                        })*
                        $(Op::$float => {
                            let args = [get(step.a), get(step.b)];
                            quick_float::apply_all(Op::$float, width, aux, args, out);
                        })*
                        _ => {
                            let slow = &self.slow[step.a as usize];
                            let args = slow.args.map(|(slot, _)| get(slot));
                            let imm = slow.node.imm;
                            for (k, out) in out.iter_mut().enumerate() {
                                let args = args.map(|values| values[k]);
                                *out = fpu::apply_narrow(slow.node.op, slow.from, slow.to, imm, args);
                            }
                        }
                    }
                };
            }
            dispatch!(
                Not Neg Add Sub Mul Udiv Sdiv Urem Srem Shl Lshr Ashr And Or Xor Concat Extract Zext
                Sext Eq Ult Slt Ite;
                FAdd FSub FMul FDiv FSqrt FNeg FAbs FpToFp FCmp
            );
        }
    }

    fn run_one_by_one(&self, others: &Assignment, lanes: &mut Lanes) {
        let Lanes { slots, single, .. } = lanes;
        self.fit(single);
        for lane in 0..LANES {
            for &(slot, width) in &self.inputs {
                let slot = slot as usize;
                single.slots[slot] = slots[slot][lane];
                if width > 64 {
                    single.slots[slot + 1] = slots[slot + 1][lane];
                }
            }
            self.run(others, single);
            for (slot, &value) in slots.iter_mut().zip(&single.slots) {
                slot[lane] = value;
            }
        }
    }

    /// Values of root `index` after a run: the low 64 bits of wide ones.
    #[inline]
    pub fn values<'a>(&self, lanes: &'a Lanes, index: usize) -> &'a [u64; LANES] {
        debug_assert_eq!(lanes.tape, self.id);
        &lanes.slots[self.roots[index].0 as usize]
    }

    /// The bits from 64 on of the values of root `index` after a run.
    #[inline]
    pub fn high_values<'a>(&self, lanes: &'a Lanes, index: usize) -> &'a [u64; LANES] {
        debug_assert_eq!(lanes.tape, self.id);
        let (slot, sort) = self.roots[index];
        if crate::sort::Sort::decode(sort).bits() <= 64 {
            return &[0; LANES];
        }
        &lanes.slots[slot as usize + 1]
    }
}
