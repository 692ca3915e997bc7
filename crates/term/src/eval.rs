//! One-shot evaluation of terms under an assignment.
//!
//! Lazy and memoised: of an if-then-else only the taken branch is evaluated, of a chain of stores
//! only what a read passes. The memo is a generation-stamped vector over the whole pool, so a
//! fresh evaluation costs nothing to start. For many assignments to one term use a
//! [`Tape`](crate::Tape).

use crate::assignment::{ArrayValue, Assignment};
use crate::fpu;
use crate::node::{Node, Op, Symbol, Term};
use crate::pool::Pool;
use crate::semantics::{self, is_bitvector_op, mask};
use crate::sort::Sort;
use crate::wide;

/// A stack entry: a term to evaluate and, for a read, the array where its walk stands.
type Frame = (Term, Term);

/// Reusable scratch of evaluations. Use one for one pool at a time; after a collection of the
/// pool it just starts afresh.
#[derive(Default)]
pub struct Evaluator {
    generation: u32,
    stamps: Vec<u32>,
    /// Value of each stamped term; for a wide one its place in `limbs`; for an array the array
    /// that it is after its if-then-elses are decided.
    values: Vec<u64>,
    limbs: Vec<u64>,
    stack: Vec<Frame>,
}

impl Evaluator {
    /// An evaluator without scratch.
    pub fn new() -> Evaluator {
        Evaluator::default()
    }

    /// Value of `t`, which has at most 64 bits, under `assignment`.
    pub fn eval(&mut self, pool: &Pool, t: Term, assignment: &Assignment) -> u64 {
        self.start(pool);
        self.eval_more(pool, t, assignment)
    }

    /// Like [`Evaluator::eval`], with the values that were computed since the last call of
    /// [`Evaluator::eval`] or [`Evaluator::start`]: the assignment must be the same.
    pub fn eval_more(&mut self, pool: &Pool, t: Term, assignment: &Assignment) -> u64 {
        debug_assert!(pool.width(t) <= 64);
        if let Some(value) = pool.as_const(t) {
            return value;
        }
        self.fit(pool);
        self.settle(pool, t, assignment);
        self.values[t.at()]
    }

    /// Little-endian limbs of the value of `t`, of any width.
    pub fn eval_wide(&mut self, pool: &Pool, t: Term, assignment: &Assignment) -> Vec<u64> {
        self.start(pool);
        self.settle(pool, t, assignment);
        self.limbs_of(pool, t).to_vec()
    }

    /// Position of the first of `conditions` that is false, if one is.
    pub fn first_false(
        &mut self,
        pool: &Pool,
        conditions: &[Term],
        assignment: &Assignment,
    ) -> Option<usize> {
        self.start(pool);
        conditions
            .iter()
            .position(|&condition| self.eval_more(pool, condition, assignment) == 0)
    }

    /// Forgets all values, for a new assignment or a changed pool.
    pub fn start(&mut self, pool: &Pool) {
        self.fit(pool);
        self.limbs.clear();
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.stamps.fill(0);
            self.generation = 1;
        }
    }

    fn fit(&mut self, pool: &Pool) {
        if self.stamps.len() < pool.len() {
            self.stamps.resize(pool.len(), 0);
            self.values.resize(pool.len(), 0);
        }
    }

    #[inline]
    fn done(&self, t: Term) -> bool {
        self.stamps[t.at()] == self.generation
    }

    #[inline]
    fn set(&mut self, t: Term, value: u64) {
        self.stamps[t.at()] = self.generation;
        self.values[t.at()] = value;
    }

    /// The limbs of an evaluated term.
    fn limbs_of(&self, pool: &Pool, t: Term) -> &[u64] {
        let width = pool.width(t);
        if width <= 64 {
            return std::slice::from_ref(&self.values[t.at()]);
        }
        let start = self.values[t.at()] as usize;
        &self.limbs[start..start + wide::limbs(width)]
    }

    fn settle(&mut self, pool: &Pool, root: Term, assignment: &Assignment) {
        debug_assert!(self.stack.is_empty());
        self.stack.push((root, Term::NONE));
        while let Some(&(t, _)) = self.stack.last() {
            if self.done(t) || self.step(pool, t, assignment) {
                self.stack.pop();
            }
        }
    }

    /// Pushes `t` unless it has a value; tells whether it has.
    #[inline]
    fn want(&mut self, t: Term) -> bool {
        let done = self.done(t);
        if !done {
            self.stack.push((t, Term::NONE));
        }
        done
    }

    /// Computes the term on top of the stack, or pushes what it needs first.
    fn step(&mut self, pool: &Pool, t: Term, assignment: &Assignment) -> bool {
        let node = *pool.node(t);
        match node.op {
            Op::Const => self.set(t, node.value()),
            Op::ConstWide => {
                let start = self.limbs.len() as u64;
                self.limbs
                    .extend(pool.as_const_wide(t).expect("wide constant"));
                self.set(t, start);
            }
            Op::Symbol => self.read_symbol(t, &node, assignment),
            Op::Ite => {
                let [condition, yes, no] = node.kids;
                if !self.want(condition) {
                    return false;
                }
                let taken = if self.values[condition.at()] != 0 {
                    yes
                } else {
                    no
                };
                if !self.want(taken) {
                    return false;
                }
                // A wide value's place is shared.
                self.set(t, self.values[taken.at()]);
            }
            Op::ArrayBytes | Op::ArrayConst | Op::Store => self.set(t, t.0 as u64),
            Op::Select => return self.step_select(pool, t, &node, assignment),
            Op::Eq if node.aux == 0 => return self.step_array_eq(pool, t, &node, assignment),
            _ => {
                let mut ready = true;
                for &kid in node.children() {
                    ready &= self.want(kid);
                }
                if !ready {
                    return false;
                }
                self.compute(pool, t, &node);
            }
        }
        true
    }

    fn read_symbol(&mut self, t: Term, node: &Node, assignment: &Assignment) {
        let symbol = Symbol(node.aux);
        let width = Sort::decode(node.sort).bits();
        if width == 0 {
            self.set(t, t.0 as u64);
        } else if width <= 64 {
            self.set(t, assignment.get(symbol) & mask(width));
        } else {
            let start = self.limbs.len();
            self.limbs
                .extend((0..wide::limbs(width)).map(|k| assignment.limb(symbol, k)));
            wide::trim(&mut self.limbs[start..], width);
            self.set(t, start as u64);
        }
    }

    /// Computes an operator whose operands have values.
    fn compute(&mut self, pool: &Pool, t: Term, node: &Node) {
        let width = Sort::decode(node.sort).bits();
        let kids = node.children();
        let narrow = width <= 64 && kids.iter().all(|&kid| pool.width(kid) <= 64);
        let value = |kid: Term| {
            if kid.is_some() {
                self.values[kid.at()]
            } else {
                0
            }
        };
        if narrow {
            let [a, b, c] = node.kids.map(value);
            let result = if is_bitvector_op(node.op) {
                semantics::apply(node.op, width, node.aux, a, b, c)
            } else if matches!(node.op, Op::FpFromBits | Op::FpToBits) {
                a
            } else {
                let (from, to) = (pool.sort(kids[0]), Sort::decode(node.sort));
                fpu::apply_narrow(node.op, from, to, node.imm, a, b, c)
            };
            return self.set(t, result);
        }
        if matches!(node.op, Op::FpFromBits | Op::FpToBits) {
            return self.set(t, self.values[kids[0].at()]);
        }
        let mut out = vec![0; wide::limbs(width)];
        if is_bitvector_op(node.op) {
            let mut args: [&[u64]; 3] = [&[]; 3];
            for (arg, &kid) in args.iter_mut().zip(kids) {
                *arg = self.limbs_of(pool, kid);
            }
            wide::apply(node.op, width, node.aux, args, &mut out);
        } else {
            let mut args = [0u128; 3];
            for (arg, &kid) in args.iter_mut().zip(kids) {
                *arg = wide::to_u128(self.limbs_of(pool, kid));
            }
            let (from, to) = (pool.sort(kids[0]), Sort::decode(node.sort));
            wide::from_u128(&mut out, fpu::apply(node.op, from, to, node.imm, args));
        }
        if width <= 64 {
            return self.set(t, out[0]);
        }
        let start = self.limbs.len() as u64;
        self.limbs.extend_from_slice(&out);
        self.set(t, start);
    }

    /// The array that `array` is after its if-then-elses are decided, or what that needs is
    /// pushed. Arrays that are no choice are themselves, so that a chain of stores needs no stack.
    fn decided_array(&mut self, pool: &Pool, array: Term) -> Option<Term> {
        if pool.op(array) != Op::Ite {
            return Some(array);
        }
        self.want(array)
            .then(|| Term(self.values[array.at()] as u32))
    }

    /// Equality of arrays: evaluates all updates of both, then compares all elements.
    fn step_array_eq(
        &mut self,
        pool: &Pool,
        t: Term,
        node: &Node,
        assignment: &Assignment,
    ) -> bool {
        let mut sides = [ArrayValue::default(), ArrayValue::default()];
        let mut ready = true;
        for (side, &array) in sides.iter_mut().zip(node.children()) {
            if !self.want(array) {
                ready = false;
                continue;
            }
            let mut place = Term(self.values[array.at()] as u32);
            loop {
                let here = *pool.node(place);
                let [base, key, value] = here.kids;
                let end = match here.op {
                    Op::Store => {
                        let known = [key, value].map(|part| self.want(part));
                        ready &= known == [true; 2];
                        if known == [true; 2] {
                            let (key, value) = (self.values[key.at()], self.values[value.at()]);
                            side.entries.entry(key).or_insert(value);
                        }
                        let Some(next) = self.decided_array(pool, base) else {
                            ready = false;
                            break;
                        };
                        place = next;
                        continue;
                    }
                    Op::ArrayBytes => ArrayValue::of_bytes(pool.array_content(place)),
                    Op::ArrayConst => {
                        ready &= self.want(base);
                        ArrayValue {
                            default: self.values[base.at()],
                            ..ArrayValue::default()
                        }
                    }
                    _ => assignment
                        .array(Symbol(here.aux))
                        .cloned()
                        .unwrap_or_default(),
                };
                *side = end.updated(std::mem::take(side));
                break;
            }
        }
        if ready {
            let (index, _) = pool.array_sort(node.kids[0]);
            self.set(t, sides[0].equals(&sides[1], index) as u64);
        }
        ready
    }

    /// One step of a read: walks down the stores from where the frame stands. The frame keeps the
    /// place while an index or element is being evaluated, so a walk is linear.
    fn step_select(&mut self, pool: &Pool, t: Term, node: &Node, assignment: &Assignment) -> bool {
        let [array, index, _] = node.kids;
        let frame = self.stack.len() - 1;
        if !self.want(index) {
            return false;
        }
        let at = self.values[index.at()];
        let mut place = self.stack[frame].1;
        if place.is_none() {
            if !self.want(array) {
                return false;
            }
            place = Term(self.values[array.at()] as u32);
        }
        loop {
            self.stack[frame].1 = place;
            let here = pool.node(place);
            match here.op {
                Op::Store => {
                    let [base, key, value] = here.kids;
                    if !self.want(key) {
                        return false;
                    }
                    if self.values[key.at()] == at {
                        if !self.want(value) {
                            return false;
                        }
                        self.set(t, self.values[value.at()]);
                        return true;
                    }
                    match self.decided_array(pool, base) {
                        Some(next) => place = next,
                        None => return false,
                    }
                }
                Op::ArrayBytes => {
                    let content = pool.array_content(place);
                    self.set(t, content_at(content, at));
                    return true;
                }
                Op::ArrayConst => {
                    let value = here.kids[0];
                    if !self.want(value) {
                        return false;
                    }
                    self.set(t, self.values[value.at()]);
                    return true;
                }
                Op::Symbol => {
                    let value = assignment
                        .array(Symbol(here.aux))
                        .map_or(0, |array| array.get(at));
                    self.set(t, value & mask(node.sort));
                    return true;
                }
                op => unreachable!("{op:?} is not a decided array"),
            }
        }
    }
}

/// Byte `index` of the content, 0 past its end.
#[inline]
pub(crate) fn content_at(content: &[u8], index: u64) -> u64 {
    usize::try_from(index)
        .ok()
        .and_then(|index| content.get(index))
        .copied()
        .unwrap_or(0) as u64
}
