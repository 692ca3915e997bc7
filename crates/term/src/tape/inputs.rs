//! Inputs of a tape that are numbers: the machine's symbols are bytes, but a program reads several of them as one float or
//! one integer. Given that number, an evaluation need not put it together from its bytes.

use super::{Scratch, Slow, Tape, TapeOp};
use crate::node::{Node, Op, Term};
use crate::pool::Pool;
use crate::sort::Sort;
use rustc_hash::FxHashMap;

/// A symbol's place in an input: the input's number, and the lowest bit there.
#[derive(Clone, Copy)]
pub(super) struct InputPart {
    input: usize,
    low: u32,
}

/// The inputs that a tape is compiled over.
#[derive(Default)]
pub(super) struct Inputs {
    numbers: FxHashMap<Term, usize>,
    widths: Vec<u32>,
    parts: FxHashMap<Term, InputPart>,
}

impl Inputs {
    fn new(pool: &Pool, inputs: &[Term]) -> Inputs {
        let mut all = Inputs::default();
        for (input, &term) in inputs.iter().enumerate() {
            assert!(pool.width(term) <= 128, "an input of at most 128 bits");
            all.numbers.insert(term, input);
            all.widths.push(pool.width(term));
            let mut pending = vec![(term, 0)];
            while let Some((t, low)) = pending.pop() {
                match pool.op(t) {
                    Op::Concat => {
                        let [high, rest] = [0, 1].map(|k| pool.child(t, k));
                        pending.push((rest, low));
                        pending.push((high, low + pool.width(rest)));
                    }
                    Op::Symbol => {
                        let is_part = t == term || pool.width(t) <= 64;
                        assert!(is_part, "a part of at most 64 bits");
                        let other = all.parts.insert(t, InputPart { input, low });
                        assert!(other.is_none(), "a symbol is part of one input");
                    }
                    _ if t == term => {}
                    op => panic!("{op:?} in an input of a tape"),
                }
            }
        }
        all
    }

    pub fn widths(&self) -> &[u32] {
        &self.widths
    }

    pub fn number(&self, t: Term) -> Option<usize> {
        self.numbers.get(&t).copied()
    }

    pub fn part(&self, t: Term) -> Option<InputPart> {
        self.parts.get(&t).copied()
    }

    /// The terms that are needed for `roots` where the inputs are given.
    fn cone(&self, pool: &Pool, roots: &[Term]) -> Vec<Term> {
        let mut order = pool.cone(roots);
        let place = |order: &[Term], t: Term| order.binary_search(&t).expect("it is in the cone");
        let mut needed = vec![false; order.len()];
        for &root in roots {
            needed[place(&order, root)] = true;
        }
        for k in (0..order.len()).rev() {
            if needed[k] && self.number(order[k]).is_none() {
                for &kid in pool.children(order[k]) {
                    needed[place(&order, kid)] = true;
                }
            }
        }
        let mut is_needed = needed.into_iter();
        order.retain(|_| is_needed.next().expect("one for each"));
        order
    }
}

impl Tape {
    /// Compiles the terms that `roots` are made of, with numbers as inputs: each of `inputs` is a symbol, a concatenation of
    /// symbols (of at most 64 bits each, 128 together), or any other term, whose value is given by [`Tape::set`] instead of by
    /// the assignment of a run. What an input of the last kind is made of is not evaluated for its sake.
    ///
    /// # Panics
    /// If a concatenation has other parts, or shares a symbol with another input.
    pub fn over(pool: &Pool, roots: &[Term], inputs: &[Term]) -> Tape {
        let inputs = Inputs::new(pool, inputs);
        Tape::compile_cone(pool, roots, &inputs.cone(pool, roots), &inputs)
    }

    /// Sets an input for the runs to come. `bits` fit into its width.
    #[inline]
    pub fn set(&self, scratch: &mut Scratch, input: usize, bits: u128) {
        self.fit(scratch);
        let (slot, width) = self.inputs[input];
        scratch.slots[slot as usize] = bits as u64;
        if width > 64 {
            scratch.slots[slot as usize + 1] = (bits >> 64) as u64;
        }
    }

    /// Emits what reads a symbol out of the input that it is part of; gives its slot.
    pub(super) fn part(&mut self, pool: &Pool, t: Term, part: InputPart) -> u32 {
        let to = pool.sort(t);
        let (slot, whole) = self.inputs[part.input];
        let dst = self.first + self.ops.len() as u32;
        if whole <= 64 {
            self.ops.push(TapeOp {
                op: Op::Extract,
                width: to.bits() as u8,
                aux: part.low as u8,
                a: slot,
                b: 0,
                c: 0,
            });
        } else {
            self.push_slow(Slow {
                node: Node::new(Op::Extract, pool.node(t).sort, &[]).with_aux(part.low),
                from: Sort::BitVec(whole),
                to,
                args: [(slot, whole), (0, 0), (0, 0)],
                dst,
                int: 0,
                narrow_float: false,
            });
        }
        dst
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Assignment;
    use crate::tape::{LANES, Lanes};

    #[test]
    fn any_term_can_be_given() {
        let mut pool = Pool::new();
        let symbol = pool.new_symbol("i", Sort::BitVec(64));
        let (index, array) = (pool.symbol_term(symbol), pool.array_bytes(&[1, 2, 3]));
        let read = pool.select(array, index);
        let seven = pool.bv(8, 7);
        let sum = pool.add(read, seven);
        let tape = Tape::over(&pool, &[sum], &[read]);
        // The sum and its constant: the read itself is not evaluated, so its index need not be known.
        let mut scratch = Scratch::new();
        for byte in 0..9 {
            tape.set(&mut scratch, 0, byte);
            tape.run(&Assignment::new(), &mut scratch);
            assert_eq!(tape.value(&scratch, 0), byte as u64 + 7);
        }
        let evaluated = Tape::over(&pool, &[sum], &[]);
        assert!(tape.len() < evaluated.len(), "the read is evaluated");
    }

    #[test]
    fn numbers_are_what_their_bytes_are() {
        for bytes in [8usize, 10, 16] {
            let mut pool = Pool::new();
            let parts: Vec<Term> = (0..bytes)
                .map(|k| {
                    let symbol = pool.new_symbol(&format!("b{k}"), Sort::BitVec(8));
                    pool.symbol_term(symbol)
                })
                .collect();
            let other = pool.new_symbol("other", Sort::BitVec(8));
            let mut whole = parts[0];
            for &part in &parts[1..] {
                whole = pool.concat(part, whole);
            }
            let other_term = pool.symbol_term(other);
            let negated = pool.neg(whole);
            let word = pool.concat(parts[3], parts[2]);
            let sum = pool.add(parts[bytes - 1], other_term);
            let roots = [negated, word, sum, parts[0], whole];
            let (by_bytes, by_number) = (
                Tape::compile(&pool, &roots),
                Tape::over(&pool, &roots, &[whole]),
            );
            assert!(by_number.len() < by_bytes.len());
            let (mut a, mut b, mut lanes) = (Scratch::new(), Scratch::new(), Lanes::new());
            for turn in 0..50u128 {
                let bits = turn.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
                let bits = bits & (u128::MAX >> (128 - 8 * bytes));
                let mut assignment = Assignment::from_bytes(&bits.to_le_bytes()[..bytes]);
                assignment.set(other, turn as u64);
                by_bytes.run(&assignment, &mut a);
                by_number.set(&mut b, 0, bits);
                by_number.run(&assignment, &mut b);
                let lane = turn as usize % LANES;
                by_number.set_lane(&mut lanes, lane, 0, bits);
                by_number.run_lanes(&assignment, &mut lanes);
                for root in 0..roots.len() {
                    let limbs = by_number.value_wide(&b, root);
                    assert_eq!(by_number.values(&lanes, root)[lane], limbs[0]);
                    let high = limbs.get(1).copied().unwrap_or(0);
                    assert_eq!(by_number.high_values(&lanes, root)[lane], high);
                    assert_eq!(
                        by_bytes.value_wide(&a, root),
                        by_number.value_wide(&b, root),
                        "root {root} of {bits:x} with {bytes} bytes"
                    );
                }
            }
        }
    }
}
