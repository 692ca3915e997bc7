//! Terms compiled to a flat tape, for evaluation under many assignments.
//!
//! A tape is a list of operations over a vector of 64-bit slots: constants first (copied into the
//! scratch once), then symbols, then one operation a node in topological order. A value of more than 64 bits
//! takes consecutive slots. An array's slot holds the number of the array operation that it is
//! after its if-then-elses are decided, so a read walks stores by number. A run allocates nothing.

use crate::assignment::Assignment;
use crate::eval::content_at;
use crate::fpu;
use crate::node::{Node, Op, Symbol, Term};
use crate::pool::Pool;
use crate::semantics::{self, is_bitvector_op, mask};
use crate::sort::Sort;
use crate::wide;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// One operation: `slots[dst] = op(slots[a], slots[b], slots[c])`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TapeOp {
    pub op: Op,
    pub kind: Kind,
    pub width: u8,
    pub aux: u32,
    pub a: u32,
    pub b: u32,
    pub c: u32,
    pub dst: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// All values have at most 64 bits, and `op` is a bit-vector operator (or copies a float).
    Narrow,
    /// `aux` is the index of a [`Slow`] operation.
    Slow,
    /// A read; `a` is the array's slot, `b` the index's.
    Select,
}

/// A wide or a floating-point operation.
#[derive(Clone, Debug)]
struct Slow {
    node: Node,
    from: Sort,
    to: Sort,
    args: [(u32, u32); 3],
}

/// What an array operation is, by its number.
#[derive(Clone, Debug)]
enum ArrayOp {
    Bytes(Box<[u8]>),
    Const { value: u32 },
    Symbol { symbol: Symbol, elem: u32 },
    Store { base: u32, key: u32, value: u32 },
}

struct SymbolSlot {
    symbol: Symbol,
    width: u32,
    slot: u32,
}

/// Slots of runs; one serves any number of tapes.
#[derive(Default)]
pub struct Scratch {
    tape: u64,
    slots: Vec<u64>,
    limbs: Vec<u64>,
}

impl Scratch {
    /// Scratch without slots.
    pub fn new() -> Scratch {
        Scratch::default()
    }
}

/// A compiled set of terms. It does not refer to the pool any more, and survives its collection.
pub struct Tape {
    id: u64,
    /// Slots before a run: constants in place, the rest 0.
    initial: Vec<u64>,
    symbols: Vec<SymbolSlot>,
    pub(crate) ops: Vec<TapeOp>,
    slow: Vec<Slow>,
    arrays: Vec<ArrayOp>,
    roots: Vec<(u32, u32)>,
}

static NEXT_TAPE: AtomicU64 = AtomicU64::new(1);

impl Tape {
    /// Compiles the terms that `roots` are made of.
    pub fn compile(pool: &Pool, roots: &[Term]) -> Tape {
        let order = pool.cone(roots);
        let mut tape = Tape {
            id: NEXT_TAPE.fetch_add(1, Ordering::Relaxed),
            initial: Vec::new(),
            symbols: Vec::new(),
            ops: Vec::new(),
            slow: Vec::new(),
            arrays: Vec::new(),
            roots: Vec::new(),
        };
        let mut slots: FxHashMap<Term, u32> = FxHashMap::default();
        slots.reserve(order.len());
        let is_leaf = |t: Term| matches!(pool.op(t), Op::Const | Op::ConstWide | Op::Symbol);
        for &t in order.iter().filter(|&&t| is_leaf(t)) {
            let slot = tape.leaf(pool, t);
            slots.insert(t, slot);
        }
        for &t in order.iter().filter(|&&t| !is_leaf(t)) {
            let slot = tape.operation(pool, t, &slots);
            slots.insert(t, slot);
        }
        tape.roots = roots
            .iter()
            .map(|t| (slots[t], pool.node(*t).sort))
            .collect();
        tape
    }

    fn reserve(&mut self, bits: u32) -> u32 {
        let slot = self.initial.len() as u32;
        let count = wide::limbs(bits).max(1);
        self.initial.resize(self.initial.len() + count, 0);
        slot
    }

    fn leaf(&mut self, pool: &Pool, t: Term) -> u32 {
        let node = pool.node(t);
        let sort = Sort::decode(node.sort);
        let slot = self.reserve(sort.bits());
        match node.op {
            Op::Symbol if sort.bits() == 0 => {
                let (_, elem) = pool.array_sort(t);
                let symbol = Symbol(node.aux);
                self.initial[slot as usize] = self.array(ArrayOp::Symbol { symbol, elem });
            }
            Op::Symbol => self.symbols.push(SymbolSlot {
                symbol: Symbol(node.aux),
                width: sort.bits(),
                slot,
            }),
            _ => {
                let limbs = pool.const_limbs(t);
                self.initial[slot as usize..][..limbs.len()].copy_from_slice(&limbs);
            }
        }
        slot
    }

    fn array(&mut self, op: ArrayOp) -> u64 {
        self.arrays.push(op);
        self.arrays.len() as u64 - 1
    }

    fn operation(&mut self, pool: &Pool, t: Term, slots: &FxHashMap<Term, u32>) -> u32 {
        let node = *pool.node(t);
        let to = Sort::decode(node.sort);
        let mut args = [(0, 0); 3];
        for (arg, kid) in args.iter_mut().zip(node.children()) {
            *arg = (slots[kid], pool.sort(*kid).bits());
        }
        let [a, b, c] = args.map(|(slot, _)| slot);
        let array = match node.op {
            Op::ArrayBytes => Some(ArrayOp::Bytes(pool.array_content(t).into())),
            Op::ArrayConst => Some(ArrayOp::Const { value: a }),
            Op::Store => Some(ArrayOp::Store {
                base: a,
                key: b,
                value: c,
            }),
            _ => None,
        };
        if let Some(array) = array {
            let slot = self.reserve(0);
            self.initial[slot as usize] = self.array(array);
            return slot;
        }
        if matches!(node.op, Op::FpFromBits | Op::FpToBits) {
            return a;
        }
        let dst = self.reserve(to.bits());
        let narrow = to.bits() <= 64 && args.iter().all(|&(_, bits)| bits <= 64);
        let (kind, aux) = if node.op == Op::Select {
            (Kind::Select, 0)
        } else if narrow && is_bitvector_op(node.op) {
            (Kind::Narrow, node.aux)
        } else {
            let from = pool.sort(node.kids[0]);
            self.slow.push(Slow {
                node,
                from,
                to,
                args,
            });
            (Kind::Slow, self.slow.len() as u32 - 1)
        };
        self.ops.push(TapeOp {
            op: node.op,
            kind,
            width: to.bits().clamp(1, 64) as u8,
            aux,
            a,
            b,
            c,
            dst,
        });
        dst
    }

    /// Number of operations in a run.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.ops.len()
    }

    /// Evaluates all roots under `assignment`; read them by [`Tape::value`].
    pub fn run(&self, assignment: &Assignment, scratch: &mut Scratch) {
        if scratch.tape != self.id {
            scratch.slots.clear();
            scratch.slots.extend_from_slice(&self.initial);
            scratch.tape = self.id;
        }
        let Scratch { slots, limbs, .. } = scratch;
        for input in &self.symbols {
            if input.width <= 64 {
                slots[input.slot as usize] = assignment.get(input.symbol) & mask(input.width);
            } else {
                let value = &mut slots[input.slot as usize..][..wide::limbs(input.width)];
                for (k, limb) in value.iter_mut().enumerate() {
                    *limb = assignment.limb(input.symbol, k);
                }
                wide::trim(value, input.width);
            }
        }
        for step in &self.ops {
            match step.kind {
                Kind::Narrow => {
                    let (a, b, c) = (
                        slots[step.a as usize],
                        slots[step.b as usize],
                        slots[step.c as usize],
                    );
                    slots[step.dst as usize] =
                        semantics::apply(step.op, step.width as u32, step.aux, a, b, c);
                }
                Kind::Slow => self.run_slow(step, slots, limbs),
                Kind::Select => {
                    slots[step.dst as usize] = self.read(step, slots, assignment);
                }
            }
        }
    }

    /// Value of root `index` after a run: the low 64 bits of a wide one.
    #[inline]
    pub fn value(&self, scratch: &Scratch, index: usize) -> u64 {
        debug_assert_eq!(scratch.tape, self.id);
        scratch.slots[self.roots[index].0 as usize]
    }

    /// Limbs of root `index` after a run.
    pub fn value_wide<'a>(&self, scratch: &'a Scratch, index: usize) -> &'a [u64] {
        debug_assert_eq!(scratch.tape, self.id);
        let (slot, sort) = self.roots[index];
        &scratch.slots[slot as usize..][..wide::limbs(Sort::decode(sort).bits())]
    }

    fn run_slow(&self, step: &TapeOp, slots: &mut [u64], limbs: &mut Vec<u64>) {
        let slow = &self.slow[step.aux as usize];
        let bits = slow.to.bits();
        let dst = step.dst as usize;
        if bits == 0 {
            // If-then-else of arrays.
            let taken = if slots[step.a as usize] != 0 {
                step.b
            } else {
                step.c
            };
            slots[dst] = slots[taken as usize];
            return;
        }
        if slow.node.op.is_float() {
            if bits <= 64 && slow.args.iter().all(|&(_, bits)| bits <= 64) {
                let [a, b, c] = slow.args.map(|(slot, _)| slots[slot as usize]);
                slots[dst] =
                    fpu::apply_narrow(slow.node.op, slow.from, slow.to, slow.node.imm, a, b, c);
                return;
            }
            let args = slow.args.map(|(slot, bits)| {
                wide::to_u128(&slots[slot as usize..][..wide::limbs(bits.max(1))])
            });
            let result = fpu::apply(slow.node.op, slow.from, slow.to, slow.node.imm, args);
            wide::from_u128(&mut slots[dst..][..wide::limbs(bits)], result);
            return;
        }
        limbs.clear();
        limbs.resize(wide::limbs(bits), 0);
        let args = slow
            .args
            .map(|(slot, bits)| &slots[slot as usize..][..wide::limbs(bits)]);
        wide::apply(slow.node.op, bits, slow.node.aux, args, limbs);
        slots[dst..][..limbs.len()].copy_from_slice(limbs);
    }

    fn read(&self, step: &TapeOp, slots: &[u64], assignment: &Assignment) -> u64 {
        let at = slots[step.b as usize];
        let mut array = slots[step.a as usize];
        loop {
            match &self.arrays[array as usize] {
                ArrayOp::Bytes(content) => return content_at(content, at),
                ArrayOp::Const { value } => return slots[*value as usize],
                ArrayOp::Symbol { symbol, elem } => {
                    let value = assignment.array(*symbol).map_or(0, |array| array.get(at));
                    return value & mask(*elem);
                }
                ArrayOp::Store { base, key, value } => {
                    if slots[*key as usize] == at {
                        return slots[*value as usize];
                    }
                    array = slots[*base as usize];
                }
            }
        }
    }
}
