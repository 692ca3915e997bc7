//! The constructors. Each one folds constants, rewrites, and interns the result.
//!
//! Normal forms: a constant operand of a commutative operator comes first; `sub` of a constant is
//! `add`; shifts by constants, masks of low bits and products by powers of two are `concat`,
//! `extract`, `zext`, `sext` where that costs nothing; of the comparisons only `eq`, `ult`, `slt`.

mod arith;
mod array;
mod bits;
mod compare;
pub(crate) mod decimal;
mod float;
mod int;
mod ite;
mod order;
mod shape;

use crate::node::{Node, Op, Term};
use crate::pool::Pool;
use crate::rules::Rule;
use crate::{semantics, wide};

impl Pool {
    /// Interns an operator over bit-vectors, or folds it when all operands are constants.
    pub(crate) fn plain(&mut self, op: Op, width: u32, aux: u32, kids: &[Term]) -> Term {
        let constants = kids.iter().filter(|&&kid| self.is_const(kid)).count();
        if constants == kids.len() {
            return self.fold(op, width, aux, kids);
        }
        if kids.iter().any(|&kid| self.node(kid).op == Op::Ite)
            && let Some(result) = self.through_choice(op, width, aux, kids)
        {
            return result;
        }
        self.intern(Node::new(op, width, kids).with_aux(aux))
    }

    /// op(ite(c, k, m), …) with constants k, m and only constants or such choices by the same c
    /// beside it: ite(c, op(k, …), op(m, …)).
    fn through_choice(&mut self, op: Op, width: u32, aux: u32, kids: &[Term]) -> Option<Term> {
        let mut condition = Term::NONE;
        let (mut yes, mut no) = ([Term::NONE; 3], [Term::NONE; 3]);
        for (k, &kid) in kids.iter().enumerate() {
            (yes[k], no[k]) = (kid, kid);
            if self.is_const(kid) {
                continue;
            }
            let node = self.node(kid);
            let [c, t, e] = node.kids;
            let choice = node.op == Op::Ite && self.is_const(t) && self.is_const(e);
            if !choice || (condition.is_some() && condition != c) {
                return None;
            }
            (condition, yes[k], no[k]) = (c, t, e);
        }
        self.fire(Rule::ThroughChoice);
        let yes = self.fold(op, width, aux, &yes[..kids.len()]);
        let no = self.fold(op, width, aux, &no[..kids.len()]);
        Some(self.ite(condition, yes, no))
    }

    /// Some child of an operator `op` at `t`: the operands, when `t` is such a term.
    #[inline]
    pub(crate) fn operands(&self, op: Op, t: Term) -> Option<(Term, Term)> {
        let node = self.node(t);
        (node.op == op).then(|| (node.kids[0], node.kids[1]))
    }

    /// The operands of `op(constant, x)`; constants come first in commutative operators.
    #[inline]
    pub(crate) fn with_const(&self, op: Op, t: Term) -> Option<(Term, Term)> {
        self.operands(op, t).filter(|&(k, _)| self.is_const(k))
    }

    /// The only operand of an operator `op` at `t`.
    #[inline]
    pub(crate) fn operand(&self, op: Op, t: Term) -> Option<Term> {
        let node = self.node(t);
        (node.op == op).then(|| node.kids[0])
    }

    /// How many low bits are surely 0.
    pub(crate) fn low_zeros(&self, t: Term) -> u32 {
        let node = self.node(t);
        let (width, mut t) = (node.sort, t);
        if width <= 64 {
            return self.info[t.at()].zeros.trailing_ones().min(width);
        }
        let mut count = 0;
        loop {
            let node = self.node(t);
            match node.op {
                Op::Concat => {
                    let low = node.kids[1];
                    let zeros = if self.is_zero(low) {
                        node.aux
                    } else {
                        self.low_zeros_leaf(low)
                    };
                    count += zeros;
                    if zeros < node.aux {
                        return count;
                    }
                    t = node.kids[0];
                }
                _ => return count + self.low_zeros_leaf(t),
            }
        }
    }

    fn low_zeros_leaf(&self, t: Term) -> u32 {
        let width = self.node(t).sort;
        if width <= 64 {
            return self.info[t.at()].zeros.trailing_ones().min(width);
        }
        match self.as_const_wide(t) {
            Some(limbs) => {
                let zero = limbs.iter().take_while(|&&limb| limb == 0).count();
                let rest = limbs.get(zero).map_or(0, |limb| limb.trailing_zeros());
                (zero as u32 * 64 + rest).min(width)
            }
            None => 0,
        }
    }

    /// How many low bits may be other than 0.
    pub(crate) fn used_bits(&self, t: Term) -> u32 {
        let node = self.node(t);
        if node.sort <= 64 {
            let possible = semantics::mask(node.sort) & !self.info[t.at()].zeros;
            return 64 - possible.leading_zeros();
        }
        match node.op {
            Op::Zext => node.aux,
            Op::ConstWide => {
                let limbs = self.as_const_wide(t).expect("wide constant");
                let top = limbs.iter().rposition(|&limb| limb != 0);
                top.map_or(0, |top| top as u32 * 64 + 64 - limbs[top].leading_zeros())
            }
            _ => node.sort,
        }
    }

    /// The highest bit, as a truth value.
    pub(crate) fn sign_bit(&mut self, t: Term) -> Term {
        let top = self.node(t).sort - 1;
        self.extract(top, top, t)
    }

    /// Is the highest bit surely 0?
    pub(crate) fn is_nonnegative(&self, t: Term) -> bool {
        let node = self.node(t);
        node.op == Op::Zext
            || node.sort <= 64 && self.info[t.at()].zeros >> (node.sort - 1) & 1 == 1
            || node.sort > 64 && self.used_bits(t) < node.sort
    }

    /// Is the highest bit surely 1?
    pub(crate) fn is_negative(&self, t: Term) -> bool {
        let node = self.node(t);
        node.sort <= 64 && self.info[t.at()].ones >> (node.sort - 1) & 1 == 1
            || self
                .as_const_wide(t)
                .is_some_and(|limbs| wide::bit(limbs, node.sort - 1))
    }

    /// The constant that a bit-vector operator makes of constants.
    fn fold(&mut self, op: Op, width: u32, aux: u32, kids: &[Term]) -> Term {
        self.fire(Rule::Fold);
        let mut narrow = [0; 3];
        let mut is_narrow = width <= 64;
        for (value, &kid) in narrow.iter_mut().zip(kids) {
            match self.as_const(kid) {
                Some(known) => *value = known,
                None => is_narrow = false,
            }
        }
        if is_narrow {
            let [a, b, c] = narrow;
            return self.bv(width, semantics::apply(op, width, aux, a, b, c));
        }
        let limbs: Vec<Vec<u64>> = kids.iter().map(|&kid| self.const_limbs(kid)).collect();
        let mut args: [&[u64]; 3] = [&[]; 3];
        for (arg, value) in args.iter_mut().zip(&limbs) {
            *arg = value;
        }
        let mut out = vec![0; wide::limbs(width)];
        wide::apply(op, width, aux, args, &mut out);
        self.bv_wide(width, &out)
    }

    /// Limbs of a constant of any width.
    pub fn const_limbs(&self, t: Term) -> Vec<u64> {
        match self.as_const(t) {
            Some(value) => vec![value],
            None => self.as_const_wide(t).expect("a constant").to_vec(),
        }
    }

    /// Is the term the constant 0 of its width?
    #[inline]
    pub fn is_zero(&self, t: Term) -> bool {
        match self.as_const(t) {
            Some(value) => value == 0,
            None => self
                .as_const_wide(t)
                .is_some_and(|limbs| limbs.iter().all(|&l| l == 0)),
        }
    }

    /// Is the term the constant with all bits set?
    pub fn is_ones(&self, t: Term) -> bool {
        let width = self.node(t).sort;
        match self.as_const(t) {
            Some(value) => value == semantics::mask(width),
            None => self
                .as_const_wide(t)
                .is_some_and(|limbs| ones_at_bottom(limbs) == Some(width)),
        }
    }

    /// Is the term the constant 1 of its width?
    pub(crate) fn is_one(&self, t: Term) -> bool {
        self.power_of_two(t) == Some(0)
    }

    /// k when the term is the constant 2^k.
    pub(crate) fn power_of_two(&self, t: Term) -> Option<u32> {
        if let Some(value) = self.as_const(t) {
            return value.is_power_of_two().then(|| value.trailing_zeros());
        }
        let limbs = self.as_const_wide(t)?;
        let at = limbs.iter().position(|&limb| limb != 0)?;
        let single = limbs[at].is_power_of_two() && limbs[at + 1..].iter().all(|&limb| limb == 0);
        single.then(|| at as u32 * 64 + limbs[at].trailing_zeros())
    }

    /// The constant with all bits set.
    pub fn ones(&mut self, width: u32) -> Term {
        if width <= 64 {
            return self.bv(width, u64::MAX);
        }
        self.bv_wide(width, &vec![u64::MAX; wide::limbs(width)])
    }

    /// The constant 0.
    #[inline]
    pub fn zero(&mut self, width: u32) -> Term {
        self.bv(width, 0)
    }

    /// `x` when the term is `~x`.
    #[inline]
    pub(crate) fn negated(&self, t: Term) -> Option<Term> {
        let node = self.node(t);
        (node.op == Op::Not).then(|| node.kids[0])
    }

    /// Are the terms complements of each other, visibly?
    #[inline]
    pub(crate) fn are_opposite(&self, a: Term, b: Term) -> bool {
        self.negated(a) == Some(b) || self.negated(b) == Some(a)
    }

    /// Operands of a commutative operator in order: a constant first, then by handle.
    #[inline]
    pub(crate) fn ordered(&self, a: Term, b: Term) -> (Term, Term) {
        let swap = match (self.is_const(a), self.is_const(b)) {
            (false, true) => true,
            (true, false) => false,
            _ => b < a,
        };
        if swap { (b, a) } else { (a, b) }
    }

    #[inline]
    #[track_caller]
    pub(crate) fn same_width(&self, a: Term, b: Term) -> u32 {
        let (x, y) = (self.node(a).sort, self.node(b).sort);
        debug_assert!(
            x == y && x <= crate::Sort::MAX_WIDTH,
            "operands of sorts {:?} and {:?}",
            self.sort(a),
            self.sort(b)
        );
        x
    }
}

/// n when the number is 2^n - 1.
pub(crate) fn ones_at_bottom(limbs: &[u64]) -> Option<u32> {
    let full = limbs.iter().take_while(|&&limb| limb == u64::MAX).count();
    let rest = limbs.get(full).copied().unwrap_or(0);
    let clean =
        rest & rest.wrapping_add(1) == 0 && limbs.iter().skip(full + 1).all(|&limb| limb == 0);
    clean.then(|| full as u32 * 64 + rest.trailing_ones())
}
