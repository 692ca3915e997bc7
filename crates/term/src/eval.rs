//! One-shot evaluation of terms under an assignment.
//!
//! Lazy and memoised: of an if-then-else only the taken branch is evaluated, of a chain of stores
//! only what a read passes. The memo is a generation-stamped vector over the whole pool; it
//! lives as long as the assignment stays the same, and a fresh one costs nothing to start. For many assignments to one term use a
//! [`Tape`](crate::Tape).

use crate::assignment::{ArrayValue, Assignment};
use crate::fpu;
use crate::node::{Node, Op, Symbol, Term};
use crate::pool::Pool;
use crate::semantics::{self, is_bitvector_op, mask};
use crate::sort::Sort;
use crate::value::BitValue;
use crate::{wide, work};
use num_bigint::BigInt;
use num_integer::Integer as _;

/// Work of a step of an evaluation.
const STEP: u64 = 4;

/// A stack entry: a term to evaluate and, for a read, the array where its walk stands.
type EvalStep = (Term, Term);

/// A term's value, if it was stamped in this generation: of a wide one its place in `limbs`, of an
/// integer its place in `ints`, of an array the array that it is after its if-then-elses are decided.
#[derive(Clone, Copy, Default)]
struct Cell {
    value: u64,
    generation: u32,
}

/// Reusable scratch of evaluations. It notices another assignment, another pool and a collection
/// of the pool, and starts afresh then.
#[derive(Default)]
pub struct Evaluator {
    generation: u32,
    /// Epoch of the pool and assignment that the values are of, if a call of `eval` began them.
    last: Option<(u64, Assignment)>,
    /// By handle.
    cells: Vec<Cell>,
    limbs: Vec<u64>,
    ints: Vec<BigInt>,
    stack: Vec<EvalStep>,
    /// Work of the run at hand.
    steps: u64,
}

impl Evaluator {
    /// An evaluator without scratch.
    pub fn new() -> Evaluator {
        Evaluator::default()
    }

    /// Value of `t`, which has at most 64 bits, under `assignment`. While the assignment stays
    /// the same, values computed before are kept: along a path, where terms grow under one
    /// witness, each node is computed once.
    pub fn eval(&mut self, pool: &Pool, t: Term, assignment: &Assignment) -> u64 {
        self.start_for(pool, assignment);
        self.eval_more(pool, t, assignment)
    }

    /// Keeps the memo if pool and assignment are those of the last call, else starts afresh. The
    /// evaluator shares the assignment's content, so that whoever changes it gets a copy: the
    /// same content in memory is unchanged content.
    fn start_for(&mut self, pool: &Pool, assignment: &Assignment) {
        let same = |(epoch, last): &(u64, Assignment)| {
            *epoch == pool.epoch && last.is_shared_with(assignment)
        };
        if self.last.as_ref().is_some_and(same) {
            self.fit(pool);
        } else {
            self.start(pool);
            self.last = Some((pool.epoch, assignment.clone()));
        }
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
        self.cells[t.at()].value
    }

    /// Little-endian limbs of the value of `t`, of any width.
    pub fn eval_wide(&mut self, pool: &Pool, t: Term, assignment: &Assignment) -> Vec<u64> {
        self.start_for(pool, assignment);
        self.settle(pool, t, assignment);
        self.limbs_of(pool, t).to_vec()
    }

    /// Like [`Evaluator::eval_more`], for values of any width.
    pub fn eval_wide_more(&mut self, pool: &Pool, t: Term, assignment: &Assignment) -> Vec<u64> {
        self.fit(pool);
        self.settle(pool, t, assignment);
        self.limbs_of(pool, t).to_vec()
    }

    /// Value of an integer term.
    pub fn eval_int(&mut self, pool: &Pool, t: Term, assignment: &Assignment) -> BigInt {
        debug_assert_eq!(pool.sort(t), Sort::Int);
        self.start_for(pool, assignment);
        self.settle(pool, t, assignment);
        self.int_of(t).clone()
    }

    /// The value of an array term: all stored elements over the array below.
    pub fn eval_array(&mut self, pool: &Pool, t: Term, assignment: &Assignment) -> ArrayValue {
        self.start_for(pool, assignment);
        self.settle(pool, t, assignment);
        loop {
            if let Some(value) = self.whole_array(pool, t, assignment) {
                return value;
            }
            self.run(pool, assignment);
        }
    }

    /// Position of the first of `conditions` that is false, if one is.
    pub fn first_false(
        &mut self,
        pool: &Pool,
        conditions: &[Term],
        assignment: &Assignment,
    ) -> Option<usize> {
        self.start_for(pool, assignment);
        conditions
            .iter()
            .position(|&condition| self.eval_more(pool, condition, assignment) == 0)
    }

    /// Forgets all values, for a sequence of [`Evaluator::eval_more`].
    pub fn start(&mut self, pool: &Pool) {
        self.last = None;
        self.fit(pool);
        self.limbs.clear();
        self.ints.clear();
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.cells.fill(Cell::default());
            self.generation = 1;
        }
    }

    fn fit(&mut self, pool: &Pool) {
        if self.cells.len() < pool.len() {
            self.cells.resize(pool.len(), Cell::default());
        }
    }

    #[inline]
    fn done(&self, t: Term) -> bool {
        self.cells[t.at()].generation == self.generation
    }

    #[inline]
    fn set(&mut self, t: Term, value: u64) {
        self.cells[t.at()] = Cell {
            value,
            generation: self.generation,
        };
    }

    /// The limbs of an evaluated term.
    fn limbs_of(&self, pool: &Pool, t: Term) -> &[u64] {
        let width = pool.width(t);
        if width <= 64 {
            return std::slice::from_ref(&self.cells[t.at()].value);
        }
        let start = self.cells[t.at()].value as usize;
        &self.limbs[start..start + wide::limbs(width)]
    }

    fn set_bits(&mut self, t: Term, width: u32, value: &BitValue) {
        if width <= 64 {
            return self.set(t, value.low() & mask(width));
        }
        let start = self.limbs.len();
        self.limbs.resize(start + wide::limbs(width), 0);
        value.write(&mut self.limbs[start..]);
        wide::trim(&mut self.limbs[start..], width);
        self.set(t, start as u64);
    }

    fn int_of(&self, t: Term) -> &BigInt {
        &self.ints[self.cells[t.at()].value as usize]
    }

    fn set_int(&mut self, t: Term, value: BigInt) {
        self.set(t, self.ints.len() as u64);
        self.ints.push(value);
    }

    /// Value of an evaluated bit-vector.
    fn bits_of(&self, pool: &Pool, t: Term) -> BitValue {
        BitValue::from_limbs(self.limbs_of(pool, t))
    }

    fn settle(&mut self, pool: &Pool, root: Term, assignment: &Assignment) {
        debug_assert!(self.stack.is_empty());
        self.stack.push((root, Term::NONE));
        self.run(pool, assignment);
    }

    fn run(&mut self, pool: &Pool, assignment: &Assignment) {
        while let Some(&(t, _)) = self.stack.last() {
            self.steps += STEP;
            if self.done(t) || self.step(pool, t, assignment) {
                self.stack.pop();
            }
        }
        work::spend(std::mem::take(&mut self.steps));
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

    /// Computes the term on top of the stack, or pushes the terms that it needs first.
    #[inline]
    fn step(&mut self, pool: &Pool, t: Term, assignment: &Assignment) -> bool {
        let node = pool.node(t);
        if !is_bitvector_op(node.op) || node.op == Op::Ite {
            return self.step_other(pool, t, assignment);
        }
        let [a, b, _] = node.kids;
        let binary = node.arity == 2;
        if !self.leaf_or_done(pool, a, assignment) {
            // Depth first: the second operand is pushed below, and looked at after the first.
            if binary && !self.done(b) {
                self.stack.push((b, Term::NONE));
            }
            self.stack.push((a, Term::NONE));
            return false;
        }
        if binary && !self.leaf_or_done(pool, b, assignment) {
            self.stack.push((b, Term::NONE));
            return false;
        }
        // Operands are as wide as the result but in these.
        let narrow = node.sort <= 64
            && match node.op {
                Op::Eq => (1..=64).contains(&node.aux),
                Op::Ult | Op::Slt => node.aux <= 64,
                Op::Extract => pool.node(a).sort <= 64,
                _ => true,
            };
        if !narrow {
            return self.step_wide(pool, t, assignment);
        }
        let x = self.cells[a.at()].value;
        let y = if binary { self.cells[b.at()].value } else { 0 };
        self.set(t, semantics::apply(node.op, node.sort, node.aux, x, y, 0));
        true
    }

    /// Has the term a value now? Constants and symbols get theirs without the stack.
    #[inline]
    fn leaf_or_done(&mut self, pool: &Pool, t: Term, assignment: &Assignment) -> bool {
        if self.done(t) {
            return true;
        }
        let node = pool.node(t);
        match node.op {
            Op::Const => self.set(t, node.value()),
            Op::Symbol if node.sort <= 64 => {
                self.set(t, assignment.get(Symbol(node.aux)) & mask(node.sort));
            }
            _ => return false,
        }
        true
    }

    /// A bit-vector operator over evaluated operands, not all of at most 64 bits; or an equality of arrays.
    fn step_wide(&mut self, pool: &Pool, t: Term, assignment: &Assignment) -> bool {
        let node = *pool.node(t);
        if node.op == Op::Eq && node.aux == 0 {
            if pool.sort(node.kids[0]) == Sort::Int {
                let [a, b, _] = node.kids;
                self.set(t, (self.int_of(a) == self.int_of(b)) as u64);
                return true;
            }
            return self.step_array_eq(pool, t, &node, assignment);
        }
        self.compute(pool, t, &node);
        true
    }

    /// Leaves, choices, arrays and floats.
    fn step_other(&mut self, pool: &Pool, t: Term, assignment: &Assignment) -> bool {
        let node = *pool.node(t);
        match node.op {
            Op::Const => self.set(t, node.value()),
            Op::ConstWide => {
                let start = self.limbs.len() as u64;
                self.limbs
                    .extend(pool.as_const_wide(t).expect("wide constant"));
                self.set(t, start);
            }
            Op::IntConst => self.set_int(t, pool.int_value(&node)),
            Op::Symbol => self.read_symbol(t, &node, assignment),
            Op::Ite => {
                let [condition, yes, no] = node.kids;
                if !self.want(condition) {
                    return false;
                }
                let taken = if self.cells[condition.at()].value != 0 {
                    yes
                } else {
                    no
                };
                if !self.want(taken) {
                    return false;
                }
                // The place of a wide value or an integer is shared.
                self.set(t, self.cells[taken.at()].value);
            }
            Op::ArrayBytes | Op::ArrayConst | Op::Store => self.set(t, t.0 as u64),
            Op::Select => return self.step_select(pool, t, &node, assignment),
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
        let sort = Sort::decode(node.sort);
        let width = sort.bits();
        if sort == Sort::Int {
            self.set_int(t, assignment.int(symbol));
        } else if width == 0 {
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
        if node.op.is_int() {
            let [a, b] = [node.kids[0], node.kids[1]].map(|kid| self.int_of(kid));
            if node.op == Op::IntLe {
                let value = (a <= b) as u64;
                return self.set(t, value);
            }
            let value = apply_int(node.op, a, b);
            return self.set_int(t, value);
        }
        let width = Sort::decode(node.sort).bits();
        let kids = node.children();
        let narrow = width <= 64 && kids.iter().all(|&kid| pool.width(kid) <= 64);
        let value = |kid: Term| {
            if kid.is_some() {
                self.cells[kid.at()].value
            } else {
                0
            }
        };
        if narrow {
            let args = node.kids.map(value);
            let result = if is_bitvector_op(node.op) {
                let [a, b, c] = args;
                semantics::apply(node.op, width, node.aux, a, b, c)
            } else if matches!(node.op, Op::FpFromBits | Op::FpToBits) {
                args[0]
            } else {
                let (from, to) = (pool.sort(kids[0]), Sort::decode(node.sort));
                fpu::apply_narrow(node.op, from, to, node.imm, args)
            };
            return self.set(t, result);
        }
        if matches!(node.op, Op::FpFromBits | Op::FpToBits) {
            return self.set(t, self.cells[kids[0].at()].value);
        }
        let mut out = vec![0; wide::limbs(width)];
        let mut args: [&[u64]; 3] = [&[]; 3];
        for (arg, &kid) in args.iter_mut().zip(kids) {
            *arg = self.limbs_of(pool, kid);
        }
        if is_bitvector_op(node.op) {
            wide::apply(node.op, width, node.aux, args, &mut out);
        } else {
            let (from, to) = (pool.sort(kids[0]), Sort::decode(node.sort));
            fpu::apply_limbs(node.op, from, to, node.imm, args, &mut out);
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
            .then(|| Term(self.cells[array.at()].value as u32))
    }

    /// Equality of arrays: evaluates all updates of both, then compares all elements.
    fn step_array_eq(
        &mut self,
        pool: &Pool,
        t: Term,
        node: &Node,
        assignment: &Assignment,
    ) -> bool {
        let [a, b, _] = node.kids;
        if !(self.want(a) & self.want(b)) {
            return false;
        }
        let left = self.whole_array(pool, a, assignment);
        let right = self.whole_array(pool, b, assignment);
        let (Some(left), Some(right)) = (left, right) else {
            return false;
        };
        let (index, _) = pool.array_sort(a);
        self.set(t, left.equals(&right, index) as u64);
        true
    }

    /// All elements of an array whose first if-then-elses are decided, or what that needs is pushed.
    fn whole_array(
        &mut self,
        pool: &Pool,
        array: Term,
        assignment: &Assignment,
    ) -> Option<ArrayValue> {
        let mut updates = ArrayValue::default();
        let mut ready = true;
        let mut place = Term(self.cells[array.at()].value as u32);
        loop {
            let here = *pool.node(place);
            let [base, key, value] = here.kids;
            let end = match here.op {
                Op::Store => {
                    let known = [key, value].map(|part| self.want(part)) == [true; 2];
                    ready &= known;
                    if known {
                        let (key, value) = (self.bits_of(pool, key), self.bits_of(pool, value));
                        updates.entries.entry(key).or_insert(value);
                    }
                    place = self.decided_array(pool, base)?;
                    continue;
                }
                Op::ArrayBytes => ArrayValue::of_bytes(pool.array_content(place)),
                Op::ArrayConst => {
                    if !self.want(base) {
                        return None;
                    }
                    ArrayValue {
                        default: self.bits_of(pool, base),
                        ..ArrayValue::default()
                    }
                }
                _ => assignment
                    .array(Symbol(here.aux))
                    .cloned()
                    .unwrap_or_default(),
            };
            return ready.then(|| end.updated(updates));
        }
    }

    /// One step of a read: walks down the stores from where the frame stands. The frame keeps the
    /// place while an index or element is being evaluated, so a walk is linear.
    fn step_select(&mut self, pool: &Pool, t: Term, node: &Node, assignment: &Assignment) -> bool {
        let [array, index, _] = node.kids;
        let frame = self.stack.len() - 1;
        if !self.want(index) {
            return false;
        }
        let mut place = self.stack[frame].1;
        if place.is_none() {
            if !self.want(array) {
                return false;
            }
            place = Term(self.cells[array.at()].value as u32);
        }
        let is_narrow = pool.width(index) <= 64;
        let wanted = self.cells[index.at()].value;
        loop {
            self.steps += STEP;
            self.stack[frame].1 = place;
            let here = pool.node(place);
            match here.op {
                Op::Store => {
                    let [base, key, value] = here.kids;
                    if !self.want(key) {
                        return false;
                    }
                    let is_here = if is_narrow {
                        self.cells[key.at()].value == wanted
                    } else {
                        self.limbs_of(pool, key) == self.limbs_of(pool, index)
                    };
                    if is_here {
                        if !self.want(value) {
                            return false;
                        }
                        self.set(t, self.cells[value.at()].value);
                        return true;
                    }
                    match self.decided_array(pool, base) {
                        Some(next) => place = next,
                        None => return false,
                    }
                }
                Op::ArrayBytes => {
                    let content = pool.array_content(place);
                    self.set(t, content_at(content, self.cells[index.at()].value));
                    return true;
                }
                Op::ArrayConst => {
                    let value = here.kids[0];
                    if !self.want(value) {
                        return false;
                    }
                    self.set(t, self.cells[value.at()].value);
                    return true;
                }
                Op::Symbol => {
                    let at = self.bits_of(pool, index);
                    let array = assignment.array(Symbol(here.aux));
                    let value = array.map_or(&BitValue::ZERO, |array| array.get(&at));
                    self.set_bits(t, node.sort, value);
                    return true;
                }
                op => unreachable!("{op:?} is not a decided array"),
            }
        }
    }
}

/// Computes an integer operator that gives an integer. Divisors are not 0.
pub(crate) fn apply_int(op: Op, a: &BigInt, b: &BigInt) -> BigInt {
    match op {
        Op::IntAdd => a + b,
        Op::IntMul => a * b,
        Op::IntDiv => a.div_floor(b),
        Op::IntMod => a.mod_floor(b),
        _ => unreachable!("{op:?} gives no integer"),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memo_notices_another_assignment_pool_or_collection() {
        let mut pool = Pool::new();
        let (a, b) = (
            pool.new_symbol("a", Sort::BitVec(8)),
            pool.new_symbol("b", Sort::BitVec(8)),
        );
        let (x, y) = (pool.symbol_term(a), pool.symbol_term(b));
        let mut sum = pool.add(x, y);
        let mut evaluator = Evaluator::new();
        let mut assignment = Assignment::from_bytes(&[1, 2]);
        assert_eq!(evaluator.eval(&pool, sum, &assignment), 3);
        let generation = evaluator.generation;
        let product = pool.mul(sum, x);
        assert_eq!(evaluator.eval(&pool, product, &assignment.clone()), 3);
        assert_eq!(evaluator.generation, generation, "the memo is kept");
        assignment.set(b, 9);
        assert_eq!(evaluator.eval(&pool, sum, &assignment), 10);
        assignment.set(b, 300);
        assert_eq!(evaluator.eval(&pool, sum, &assignment), 45);
        assignment.set(b, 9);
        assert_eq!(evaluator.eval(&pool, sum, &assignment), 10);
        evaluator.start(&pool);
        assert_eq!(
            evaluator.eval_more(&pool, sum, &Assignment::from_bytes(&[4, 4])),
            8
        );
        assert_eq!(evaluator.eval(&pool, sum, &assignment), 10);
        // After a collection the handle means another term.
        let k = pool.bv(8, 5);
        let mut other = pool.sub(product, k);
        let before = evaluator.eval(&pool, other, &assignment);
        pool.collect(&mut |visit| {
            visit(&mut other);
            visit(&mut sum);
        });
        assert_eq!(evaluator.eval(&pool, other, &assignment), before);
        assert_eq!(evaluator.eval(&pool, sum, &assignment), 10);
        let mut second = Pool::new();
        let c = second.new_symbol("c", Sort::BitVec(8));
        let z = second.symbol_term(c);
        let negative = second.neg(z);
        assert_eq!(evaluator.eval(&second, negative, &assignment), 255);
    }
}
