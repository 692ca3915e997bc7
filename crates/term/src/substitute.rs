//! Walks over terms: the cone of some roots, and substitution.

use crate::node::{Node, Op, Term};
use crate::pool::Pool;
use crate::sort::Sort;
use float::MathFunction;
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// The replacements of [`substitute`].
pub type Substitution = FxHashMap<Term, Term>;

thread_local! {
    /// Generation, and by handle the one in which a walk last saw the term.
    static MARKS: RefCell<(u32, Vec<u32>)> = RefCell::default();
}

impl Pool {
    /// All terms that `roots` are made of, children before parents, each once.
    pub fn cone(&self, roots: &[Term]) -> Vec<Term> {
        MARKS.with_borrow_mut(|(generation, marks)| {
            if marks.len() < self.len() {
                marks.resize(self.len(), 0);
            }
            *generation = generation.wrapping_add(1);
            if *generation == 0 {
                marks.fill(0);
                *generation = 1;
            }
            let mut see =
                |t: Term| std::mem::replace(&mut marks[t.at()], *generation) != *generation;
            let mut order: Vec<Term> = Vec::new();
            order.extend(roots.iter().copied().filter(|&root| see(root)));
            let mut next = 0;
            while next < order.len() {
                let node = self.node(order[next]);
                for &kid in node.children() {
                    if see(kid) {
                        order.push(kid);
                    }
                }
                next += 1;
            }
            // Nearly descending, which turned around is nearly sorted.
            order.reverse();
            order.sort_unstable();
            order
        })
    }

    /// The operator of `t` applied to other operands of the same sorts, through its constructor.
    pub fn rebuild(&mut self, t: Term, kids: &[Term]) -> Term {
        let node = *self.node(t);
        debug_assert_eq!(kids.len(), node.arity as usize);
        let (a, b, c) = match *kids {
            [] => return t,
            [a] => (a, Term::NONE, Term::NONE),
            [a, b] => (a, b, Term::NONE),
            [a, b, c] => (a, b, c),
            _ => unreachable!("at most three operands"),
        };
        let format = |node: &Node| match Sort::decode(node.sort) {
            Sort::Float(format) => format,
            sort => unreachable!("{sort:?} is not a float"),
        };
        match node.op {
            Op::None | Op::Const | Op::ConstWide | Op::Symbol | Op::ArrayBytes | Op::IntConst => t,
            Op::IntAdd => self.int_add(a, b),
            Op::IntMul => {
                let factor = self.as_int(a).expect("the factor is a constant");
                self.int_scale(&factor, b)
            }
            Op::IntDiv => {
                let divisor = self.as_int(b).expect("the divisor is a constant");
                self.int_div(a, &divisor)
            }
            Op::IntMod => {
                let divisor = self.as_int(b).expect("the divisor is a constant");
                self.int_mod(a, &divisor)
            }
            Op::IntLe => self.int_le(a, b),
            Op::Not => self.not(a),
            Op::Neg => self.neg(a),
            Op::Add => self.add(a, b),
            Op::Sub => self.sub(a, b),
            Op::Mul => self.mul(a, b),
            Op::Udiv => self.udiv(a, b),
            Op::Sdiv => self.sdiv(a, b),
            Op::Urem => self.urem(a, b),
            Op::Srem => self.srem(a, b),
            Op::Shl => self.shl(a, b),
            Op::Lshr => self.lshr(a, b),
            Op::Ashr => self.ashr(a, b),
            Op::And => self.and(a, b),
            Op::Or => self.or(a, b),
            Op::Xor => self.xor(a, b),
            Op::Concat => self.concat(a, b),
            Op::Extract => self.extract(node.aux + node.sort - 1, node.aux, a),
            Op::Zext => self.zext(node.sort, a),
            Op::Sext => self.sext(node.sort, a),
            Op::Eq => self.eq(a, b),
            Op::Ult => self.ult(a, b),
            Op::Slt => self.slt(a, b),
            Op::Ite => self.ite(a, b, c),
            Op::ArrayConst => {
                let (index, elem) = self.array_sort(t);
                self.array_const(index, elem, a)
            }
            Op::Select => match self.select_bounds(t) {
                Some((lo, hi)) => {
                    let size = self.select_size(t) as u32;
                    self.select_typed(a, b, lo, hi, size)
                }
                None => self.select(a, b),
            },
            Op::Store => self.store(a, b, c),
            Op::FpFromBits => self.fp_from_bits(format(&node), a),
            Op::FpToBits => self.fp_to_bits(a),
            Op::FAdd => self.fadd_rounded(self.rounding(t), a, b),
            Op::FSub => self.fsub_rounded(self.rounding(t), a, b),
            Op::FMul => self.fmul_rounded(self.rounding(t), a, b),
            Op::FDiv => self.fdiv_rounded(self.rounding(t), a, b),
            Op::FRem => self.frem(a, b),
            Op::FRemainder => self.fremainder(a, b),
            Op::Fma => self.fma_rounded(self.rounding(t), a, b, c),
            Op::FSqrt => self.fsqrt_rounded(self.rounding(t), a),
            Op::FNeg => self.fneg(a),
            Op::FAbs => self.fabs(a),
            Op::FMin => self.fmin(a, b),
            Op::FMax => self.fmax(a, b),
            Op::FRound => self.fround_to_integral(self.rounding(t), a),
            Op::FCmp => self.fcmp(self.predicate(t), a, b),
            Op::FpToFp => {
                let target = format(&node);
                self.fp_to_fp_rounded(self.rounding(t), target, a)
            }
            Op::FpToSint => self.fp_to_sint_rounded(self.rounding(t), node.sort, a),
            Op::FpToUint => self.fp_to_uint_rounded(self.rounding(t), node.sort, a),
            Op::SintToFp => self.sint_to_fp_rounded(self.rounding(t), format(&node), a),
            Op::UintToFp => self.uint_to_fp_rounded(self.rounding(t), format(&node), a),
            Op::FCall => {
                let function: MathFunction = self.math_function(t);
                self.fcall(function, kids)
            }
        }
    }
}

/// `t` with each key of `map` replaced by its value, all at once; what is put in is not looked at
/// again.
pub fn substitute(pool: &mut Pool, t: Term, map: &Substitution) -> Term {
    let mut done: FxHashMap<Term, Term> = map.clone();
    let mut stack = vec![t];
    while let Some(&top) = stack.last() {
        if done.contains_key(&top) {
            stack.pop();
            continue;
        }
        let node = *pool.node(top);
        let before = stack.len();
        stack.extend(node.children().iter().filter(|kid| !done.contains_key(kid)));
        if stack.len() > before {
            continue;
        }
        stack.pop();
        let mut kids = [Term::NONE; 3];
        let mut changed = false;
        for (new, old) in kids.iter_mut().zip(node.children()) {
            *new = done[old];
            changed |= *new != *old;
        }
        let result = if changed {
            pool.rebuild(top, &kids[..node.arity as usize])
        } else {
            top
        };
        done.insert(top, result);
    }
    done[&t]
}
