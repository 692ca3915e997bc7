//! Terms compiled to a flat tape, for evaluation under many assignments.
//!
//! A tape is a list of operations over a vector of 64-bit slots: constants, symbols and wide
//! results first (copied into the scratch once), then one slot an operation, in topological order.
//! A value of more than 64 bits takes consecutive slots. An integer's slot holds the number of its
//! place among the scratch's integers, each integer operation having its own. An array's slot holds the number of the array operation that it is
//! after its if-then-elses are decided, so a read walks stores by number. A run
//! allocates nothing but for integers and wide reads.

use crate::assignment::{ArrayValue, Assignment};
use crate::eval::{apply_int, content_at};
use crate::fpu;
use crate::node::{Node, Op, Symbol, Term};
use crate::pool::Pool;
use crate::quick_float;
use crate::semantics::{self, is_bitvector_op, mask};
use crate::sort::Sort;
use crate::value::BitValue;
use crate::{wide, work};
use inputs::Inputs;
use num_bigint::BigInt;
use std::sync::atomic::{AtomicU64, Ordering};

mod inputs;
mod lanes;

pub use lanes::{LANES, Lanes};

/// One operation; its result goes to the slot after the one of the operation before. Sixteen bytes,
/// so that four share a cache line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TapeOp {
    /// A bit-vector operator on values of at most 64 bits; a quick one on floats, with the width of the first operand's
    /// format and the predicate as `aux`; or [`Op::Select`], where `a` is the
    /// array's slot and `b` the index's; or [`Op::None`], where `a` is the number of a [`Slow`]
    /// operation.
    pub op: Op,
    pub width: u8,
    pub aux: u8,
    pub a: u32,
    pub b: u32,
    pub c: u32,
}

const _: () = assert!(size_of::<TapeOp>() == 16);

/// Work of an operation that has no quick arm.
const SLOW_STEP: u64 = 64;

/// A wide or a floating-point operation.
#[derive(Clone, Debug)]
struct Slow {
    node: Node,
    from: Sort,
    to: Sort,
    args: [(u32, u32); 3],
    /// First slot of a wide result; its operation's own slot stays unused then.
    dst: u32,
    /// Place of an integer result.
    int: u32,
    /// A float operator over values of at most 64 bits.
    narrow_float: bool,
}

/// An array operation, by its number.
#[derive(Clone, Debug)]
enum ArrayOp {
    Bytes(Box<[u8]>),
    Const { value: u32 },
    Symbol { symbol: Symbol },
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
    ints: Vec<BigInt>,
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
    /// Slot of the first operation.
    first: u32,
    symbols: Vec<SymbolSlot>,
    /// Slots and widths of the inputs that are set by number.
    inputs: Vec<(u32, u32)>,
    /// Integer symbols and their places.
    int_symbols: Vec<(Symbol, u32)>,
    /// Integers before a run: constants in place, the rest 0.
    ints: Vec<BigInt>,
    pub(crate) ops: Vec<TapeOp>,
    slow: Vec<Slow>,
    arrays: Vec<ArrayOp>,
    roots: Vec<(u32, u32)>,
    /// Are all values of at most 64 bits, none of them an array or an integer of SMT-LIB?
    is_narrow: bool,
}

/// Slots of the terms of a cone, found by bisection or, when the cone is dense, directly.
struct Slots<'a> {
    order: &'a [Term],
    of: Vec<u32>,
}

impl Slots<'_> {
    fn new(order: &[Term]) -> Slots<'_> {
        Slots {
            order,
            of: vec![0; order.len()],
        }
    }

    #[inline]
    fn get(&self, t: Term) -> u32 {
        // Where it would be if the cone were contiguous up to its last term, else bisect.
        let back = (self.order[self.order.len() - 1].0 - t.0) as usize;
        let guess = self.order.len().wrapping_sub(1 + back);
        if self.order.get(guess) == Some(&t) {
            return self.of[guess];
        }
        let at = self
            .order
            .binary_search(&t)
            .expect("the operand is in the cone");
        self.of[at]
    }
}

static NEXT_TAPE: AtomicU64 = AtomicU64::new(1);

impl Tape {
    /// Compiles the terms that `roots` are made of.
    pub fn compile(pool: &Pool, roots: &[Term]) -> Tape {
        Tape::compile_cone(pool, roots, &pool.cone(roots), &Inputs::default())
    }

    /// `order` has the terms that are needed for `roots`, in the order of their handles.
    fn compile_cone(pool: &Pool, roots: &[Term], order: &[Term], inputs: &Inputs) -> Tape {
        let mut tape = Tape {
            id: NEXT_TAPE.fetch_add(1, Ordering::Relaxed),
            initial: Vec::new(),
            first: 0,
            symbols: Vec::new(),
            inputs: Vec::new(),
            int_symbols: Vec::new(),
            ints: Vec::new(),
            ops: Vec::new(),
            slow: Vec::new(),
            arrays: Vec::new(),
            roots: Vec::new(),
            is_narrow: false,
        };
        for &bits in inputs.widths() {
            let slot = tape.reserve(bits);
            tape.inputs.push((slot, bits));
        }
        let mut slots = Slots::new(order);
        // Leaves, and the places of wide results, come before the slots of operations.
        let mut pending = Vec::with_capacity(order.len());
        for (k, &t) in order.iter().enumerate() {
            let node = pool.node(t);
            if let Some(input) = inputs.number(t) {
                slots.of[k] = tape.inputs[input].0;
                continue;
            }
            match node.op {
                Op::Symbol if inputs.part(t).is_some() => pending.push(k),
                Op::Const | Op::ConstWide | Op::IntConst | Op::Symbol => {
                    slots.of[k] = tape.leaf(pool, t);
                }
                Op::ArrayBytes | Op::ArrayConst | Op::Store => {
                    slots.of[k] = tape.reserve(0);
                    pending.push(k);
                }
                _ => {
                    let bits = Sort::decode(node.sort).bits();
                    if bits > 64 && !matches!(node.op, Op::FpFromBits | Op::FpToBits) {
                        slots.of[k] = tape.reserve(bits);
                    }
                    pending.push(k);
                }
            }
        }
        tape.first = tape.initial.len() as u32;
        tape.ops.reserve(pending.len());
        for k in pending {
            slots.of[k] = match inputs.part(order[k]) {
                Some(part) => tape.part(pool, order[k], part),
                None => tape.operation(pool, order[k], slots.of[k], &slots),
            };
        }
        tape.initial.resize(tape.first as usize + tape.ops.len(), 0);
        tape.roots = roots
            .iter()
            .map(|&t| (slots.get(t), pool.node(t).sort))
            .collect();
        tape.is_narrow = tape.arrays.is_empty()
            && tape.ints.is_empty()
            && tape.symbols.iter().all(|symbol| symbol.width <= 64)
            && tape.slow.iter().all(|slow| slow.narrow_float);
        tape.check();
        tape
    }

    /// Every operand of an operation exists before it: what [`Tape::run`] relies on.
    fn check(&self) {
        for (k, step) in self.ops.iter().enumerate() {
            let before = self.first + k as u32;
            match step.op {
                Op::None => assert!((step.a as usize) < self.slow.len()),
                _ => assert!(step.a < before && step.b < before && step.c < before),
            }
        }
        assert_eq!(self.initial.len(), self.first as usize + self.ops.len());
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
            Op::Symbol if sort == Sort::Int => {
                let place = self.int_place(BigInt::ZERO);
                self.int_symbols.push((Symbol(node.aux), place));
                self.initial[slot as usize] = place as u64;
            }
            Op::IntConst => {
                self.initial[slot as usize] = self.int_place(pool.int_value(node)) as u64;
            }
            Op::Symbol if sort.bits() == 0 => {
                let symbol = Symbol(node.aux);
                self.initial[slot as usize] = self.array(ArrayOp::Symbol { symbol });
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

    fn int_place(&mut self, value: BigInt) -> u32 {
        self.ints.push(value);
        self.ints.len() as u32 - 1
    }

    fn array(&mut self, op: ArrayOp) -> u64 {
        self.arrays.push(op);
        self.arrays.len() as u64 - 1
    }

    /// Are the operands values of at most 64 bits, none of them an array?
    fn are_narrow(&self, count: usize, args: &[(u32, u32); 3]) -> bool {
        args[..count]
            .iter()
            .all(|&(_, bits)| (1..=64).contains(&bits))
    }

    /// Emits the operation of `t`, whose own place (if it has one) is `place`; gives its slot.
    fn operation(&mut self, pool: &Pool, t: Term, place: u32, slots: &Slots) -> u32 {
        let node = *pool.node(t);
        let to = Sort::decode(node.sort);
        let mut args = [(0, 0); 3];
        for (arg, &kid) in args.iter_mut().zip(node.children()) {
            *arg = (slots.get(kid), pool.sort(kid).bits());
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
            self.initial[place as usize] = self.array(array);
            return place;
        }
        if matches!(node.op, Op::FpFromBits | Op::FpToBits) {
            return a;
        }
        let slot = self.first + self.ops.len() as u32;
        let narrow = (1..=64).contains(&to.bits()) && self.are_narrow(node.children().len(), &args);
        let narrow_read = node.op == Op::Select && to.bits() <= 64 && args[1].1 <= 64;
        let from = pool.sort(node.kids[0]);
        let is_float = quick_float::is_quick(node.op, from, to, node.imm);
        if is_float || narrow_read || narrow && is_bitvector_op(node.op) {
            let (width, aux) = if is_float {
                (from.bits() as u8, node.imm)
            } else {
                (to.bits() as u8, node.aux as u8)
            };
            let op = node.op;
            self.ops.push(TapeOp {
                op,
                width,
                aux,
                a,
                b,
                c,
            });
            return slot;
        }
        let wide = to.bits() > 64;
        let dst = if wide { place } else { slot };
        let int = if to == Sort::Int && node.op != Op::Ite {
            self.int_place(BigInt::ZERO)
        } else {
            0
        };
        self.push_slow(Slow {
            node,
            from,
            to,
            args,
            dst,
            int,
            narrow_float: narrow && node.op.is_float(),
        });
        dst
    }

    fn push_slow(&mut self, slow: Slow) {
        self.slow.push(slow);
        self.ops.push(TapeOp {
            op: Op::None,
            width: 0,
            aux: 0,
            a: self.slow.len() as u32 - 1,
            b: 0,
            c: 0,
        });
    }

    /// Number of operations in a run.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.ops.len()
    }

    /// Work of a run.
    pub(crate) fn work(&self) -> u64 {
        self.ops.len() as u64 + SLOW_STEP * self.slow.len() as u64
    }

    /// Makes the scratch one of this tape.
    #[inline]
    fn fit(&self, scratch: &mut Scratch) {
        if scratch.tape != self.id {
            scratch.slots.clear();
            scratch.slots.extend_from_slice(&self.initial);
            scratch.ints.clone_from(&self.ints);
            scratch.tape = self.id;
        }
    }

    /// Evaluates all roots under `assignment`; read them by [`Tape::value`].
    pub fn run(&self, assignment: &Assignment, scratch: &mut Scratch) {
        work::spend(self.work());
        self.fit(scratch);
        let Scratch {
            slots, limbs, ints, ..
        } = scratch;
        for &(symbol, place) in &self.int_symbols {
            ints[place as usize] = assignment.int(symbol);
        }
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
        assert!(slots.len() == self.initial.len());
        // A place in a register: the compiler reads that of a vector anew for each operation.
        let base = slots.as_mut_ptr();
        let mut dst = self.first as usize;
        for step in &self.ops {
            let (width, aux) = (step.width as u32, step.aux as u32);
            // SAFETY: `check` has seen at compile time that operands lie before this operation's
            // slot, and there are as many slots as the tape wants (asserted above). Bounds checks
            // here cost a fifth of the run.
            let get = |at: u32| unsafe { *base.add(at as usize) };
            // SAFETY: these are all slots, and nobody else refers to them.
            let all = || unsafe { std::slice::from_raw_parts_mut(base, self.initial.len()) };
            // One arm an operator, in each of which the meaning's own match folds away.
            macro_rules! dispatch {
                ($($op:ident)*; $($float:ident)*) => {
                    match step.op {
                        $(Op::$op => {
                            semantics::apply(Op::$op, width, aux, get(step.a), get(step.b), get(step.c))
                        })*
                        $(Op::$float => {
                            quick_float::apply(Op::$float, width, aux, get(step.a), get(step.b))
                        })*
                        Op::Select => self.read(step, all(), assignment),
                        _ => {
                            self.run_slow(step, all(), limbs, ints, assignment);
                            dst += 1;
                            continue;
                        }
                    }
                };
            }
            let result = dispatch!(
                Not Neg Add Sub Mul Udiv Sdiv Urem Srem Shl Lshr Ashr And Or Xor Concat Extract Zext
                Sext Eq Ult Slt Ite;
                FAdd FSub FMul FDiv FSqrt FNeg FAbs FpToFp FCmp
            );
            // SAFETY: there is a slot for each operation, see above.
            unsafe { *base.add(dst) = result };
            dst += 1;
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

    /// Root `index` after a run, which is an integer.
    pub fn value_int<'a>(&self, scratch: &'a Scratch, index: usize) -> &'a BigInt {
        debug_assert_eq!(scratch.tape, self.id);
        let (slot, sort) = self.roots[index];
        debug_assert_eq!(Sort::decode(sort), Sort::Int);
        &scratch.ints[scratch.slots[slot as usize] as usize]
    }

    fn run_slow(
        &self,
        step: &TapeOp,
        slots: &mut [u64],
        limbs: &mut Vec<u64>,
        ints: &mut [BigInt],
        assignment: &Assignment,
    ) {
        let slow = &self.slow[step.a as usize];
        let dst = slow.dst as usize;
        if slow.narrow_float {
            let [a, b, c] = slow.args;
            let args = [
                slots[a.0 as usize],
                slots[b.0 as usize],
                slots[c.0 as usize],
            ];
            slots[dst] = fpu::apply_narrow(slow.node.op, slow.from, slow.to, slow.node.imm, args);
            return;
        }
        let bits = slow.to.bits();
        if slow.from == Sort::Int && slow.node.op != Op::Ite {
            let [a, b] = [0, 1].map(|k| &ints[slots[slow.args[k].0 as usize] as usize]);
            match slow.node.op {
                Op::IntLe => slots[dst] = (a <= b) as u64,
                Op::Eq => slots[dst] = (a == b) as u64,
                op => {
                    let value = apply_int(op, a, b);
                    ints[slow.int as usize] = value;
                    slots[dst] = slow.int as u64;
                }
            }
            return;
        }
        if bits == 0 {
            // If-then-else of arrays or integers.
            let [(condition, _), (yes, _), (no, _)] = slow.args;
            let taken = if slots[condition as usize] != 0 {
                yes
            } else {
                no
            };
            slots[dst] = slots[taken as usize];
            return;
        }
        if let (Op::Eq, Sort::Array { index, .. }) = (slow.node.op, slow.from) {
            let [a, b] = [slow.args[0].0, slow.args[1].0]
                .map(|slot| self.whole(slots[slot as usize], slow.from, slots, assignment));
            slots[dst] = a.equals(&b, index) as u64;
            return;
        }
        if slow.node.op == Op::Select {
            let value = self.read_wide(slow, slots, assignment);
            let out = &mut slots[dst..][..wide::limbs(bits)];
            value.write(out);
            wide::trim(out, bits);
            return;
        }
        limbs.clear();
        limbs.resize(wide::limbs(bits), 0);
        let args = slow
            .args
            .map(|(slot, bits)| &slots[slot as usize..][..wide::limbs(bits)]);
        if slow.node.op.is_float() {
            fpu::apply_limbs(slow.node.op, slow.from, slow.to, slow.node.imm, args, limbs);
        } else {
            wide::apply(slow.node.op, bits, slow.node.aux, args, limbs);
        }
        slots[dst..][..limbs.len()].copy_from_slice(limbs);
    }

    fn read(&self, step: &TapeOp, slots: &[u64], assignment: &Assignment) -> u64 {
        let at = slots[step.b as usize];
        let mut array = slots[step.a as usize];
        loop {
            match &self.arrays[array as usize] {
                ArrayOp::Bytes(content) => return content_at(content, at),
                ArrayOp::Const { value } => return slots[*value as usize],
                ArrayOp::Symbol { symbol } => {
                    let value = assignment
                        .array(*symbol)
                        .map_or(0, |array| array.get(&BitValue::from(at)).low());
                    return value & mask(step.width as u32);
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

    /// A read with a wide index or element.
    fn read_wide(&self, slow: &Slow, slots: &[u64], assignment: &Assignment) -> BitValue {
        let Sort::Array { index, elem } = slow.from else {
            unreachable!("a read is of an array")
        };
        let value_at = |slot: u32, width: u32| number(slots, slot, width);
        let at = value_at(slow.args[1].0, index);
        let mut array = slots[slow.args[0].0 as usize];
        loop {
            match &self.arrays[array as usize] {
                ArrayOp::Bytes(content) => return content_at(content, at.low()).into(),
                ArrayOp::Const { value } => return value_at(*value, elem),
                ArrayOp::Symbol { symbol } => {
                    let array = assignment.array(*symbol);
                    return array.map_or(BitValue::ZERO, |array| array.get(&at).clone());
                }
                ArrayOp::Store { base, key, value } => {
                    if value_at(*key, index) == at {
                        return value_at(*value, elem);
                    }
                    array = slots[*base as usize];
                }
            }
        }
    }

    /// All elements of the array of the given sort with number `array`.
    fn whole(
        &self,
        mut array: u64,
        sort: Sort,
        slots: &[u64],
        assignment: &Assignment,
    ) -> ArrayValue {
        let Sort::Array { index, elem } = sort else {
            unreachable!("{sort:?} is not an array")
        };
        let mut updates = ArrayValue::default();
        loop {
            let base = match &self.arrays[array as usize] {
                ArrayOp::Store { base, key, value } => {
                    let key = number(slots, *key, index);
                    let value = number(slots, *value, elem);
                    updates.entries.entry(key).or_insert(value);
                    array = slots[*base as usize];
                    continue;
                }
                ArrayOp::Bytes(content) => ArrayValue::of_bytes(content),
                ArrayOp::Const { value } => ArrayValue {
                    default: number(slots, *value, elem),
                    ..ArrayValue::default()
                },
                ArrayOp::Symbol { symbol } => {
                    assignment.array(*symbol).cloned().unwrap_or_default()
                }
            };
            return base.updated(updates);
        }
    }
}

/// The value of `width` bits that begins at a slot.
fn number(slots: &[u64], slot: u32, width: u32) -> BitValue {
    BitValue::from_limbs(&slots[slot as usize..][..wide::limbs(width)])
}
