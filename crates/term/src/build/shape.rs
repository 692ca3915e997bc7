//! Operators that move bits: concat, extract, zero and sign extension.
//!
//! Normal forms: concatenations nest to the right and no two neighbors could be one term (two
//! constants, adjacent bits of one term, a sign and what it extends); zeros on top are a zext.
//! Bytes that are cut from a term and put together again give the same term.

use crate::node::{Op, Term};
use crate::pool::Pool;
use crate::rules::Rule;
use crate::sort::Sort;

/// Most parts of a concatenation that are put in order when another term is appended.
const SPINE: usize = 32;

impl Pool {
    /// `hi` above `lo`.
    pub fn concat(&mut self, hi: Term, lo: Term) -> Term {
        self.nested(|pool| pool.make_concat(hi, lo))
    }

    fn make_concat(&mut self, hi: Term, lo: Term) -> Term {
        let (high_width, low_width) = (self.same_width(hi, hi), self.same_width(lo, lo));
        let width = high_width + low_width;
        assert!(width <= Sort::MAX_WIDTH, "width {width}");
        if !self.may_rewrite() {
            return self.plain(Op::Concat, width, low_width, &[hi, lo]);
        }
        // The parts of `hi`, highest first.
        let mut parts = [Term::NONE; SPINE];
        let mut count = 0;
        let mut rest = hi;
        while let Some((first, tail)) = self.operands(Op::Concat, rest) {
            if count == SPINE - 1 {
                break;
            }
            parts[count] = first;
            count += 1;
            rest = tail;
        }
        parts[count] = rest;
        if count > 0 {
            self.fire(Rule::ConcatRight);
        }
        let mut result = lo;
        for &part in parts[..=count].iter().rev() {
            result = self.prepend(part, result);
        }
        result
    }

    /// `part`, which is no concatenation (unless a very long one), above `rest`.
    fn prepend(&mut self, part: Term, rest: Term) -> Term {
        let (part_width, low_width) = (self.node(part).sort, self.node(rest).sort);
        let width = part_width + low_width;
        if self.is_const(part) && self.is_const(rest) {
            return self.plain(Op::Concat, width, low_width, &[part, rest]);
        }
        if self.is_zero(part) {
            self.fire(Rule::ConcatZero);
            return self.zext(width, rest);
        }
        if let Some(x) = self.operand(Op::Zext, part) {
            self.fire(Rule::ConcatZext);
            let low = self.concat(x, rest);
            return self.zext(width, low);
        }
        if let Some((first, tail)) = self.operands(Op::Concat, rest) {
            if let Some(merged) = self.merged(part, first) {
                return self.concat(merged, tail);
            }
        } else if let (true, Some(x)) = (self.is_const(part), self.operand(Op::Zext, rest)) {
            self.fire(Rule::ConcatConst);
            let zeros = low_width - self.node(x).sort;
            let zero = self.zero(zeros);
            let high = self.plain(Op::Concat, part_width + zeros, zeros, &[part, zero]);
            return self.concat(high, x);
        } else if let Some(merged) = self.merged(part, rest) {
            return merged;
        }
        self.plain(Op::Concat, width, low_width, &[part, rest])
    }

    /// One term for `a` above `b`, when they fit together.
    fn merged(&mut self, a: Term, b: Term) -> Option<Term> {
        let (x, y) = (*self.node(a), *self.node(b));
        let width = x.sort + y.sort;
        if self.is_const(a) && self.is_const(b) {
            return Some(self.plain(Op::Concat, width, y.sort, &[a, b]));
        }
        match x.op {
            Op::Extract if x.aux >= y.sort => {
                let (source, start) = (x.kids[0], x.aux - y.sort);
                let adjacent = if y.op == Op::Extract {
                    y.kids[0] == source && y.aux == start
                } else {
                    // The low part may have been simplified when it was cut.
                    y.op == self.op(source) || y.op == Op::Concat || y.op == Op::Zext || {
                        matches!(self.op(source), Op::And | Op::Or | Op::Xor)
                    }
                };
                let same = adjacent
                    && (y.op == Op::Extract && y.kids[0] == source
                        || self.may_rewrite() && self.extract(x.aux - 1, start, source) == b);
                same.then(|| {
                    self.fire(Rule::ConcatAdjacent);
                    self.extract(x.aux + x.sort - 1, start, source)
                })
            }
            Op::Sext if self.node(x.kids[0]).sort == 1 => {
                let sign = self.sign_bit(b);
                (sign == x.kids[0]).then(|| {
                    self.fire(Rule::ConcatSign);
                    self.sext(width, b)
                })
            }
            Op::Not if y.op == Op::Not => {
                let inner = self.merged(x.kids[0], y.kids[0])?;
                self.fire(Rule::ConcatNot);
                Some(self.not(inner))
            }
            _ if (x.op == Op::Ite || y.op == Op::Ite) && self.may_branch() => {
                let c = if x.op == Op::Ite {
                    x.kids[0]
                } else {
                    y.kids[0]
                };
                let (t, e) = self.by_choice(a, c)?;
                let (u, f) = self.by_choice(b, c)?;
                self.fire(Rule::ConcatIte);
                let yes = self.concat(t, u);
                let no = self.concat(e, f);
                Some(self.ite(c, yes, no))
            }
            _ => None,
        }
    }

    /// (k, m) when `t` is ite(c, k, m) for constants k and m, or an extension of c or ~c.
    fn by_choice(&mut self, t: Term, c: Term) -> Option<(Term, Term)> {
        let node = *self.node(t);
        let [x, y, z] = node.kids;
        if node.op == Op::Ite {
            return (x == c && self.is_const(y) && self.is_const(z)).then_some((y, z));
        }
        let bit = if matches!(node.op, Op::Zext | Op::Sext) {
            x
        } else {
            t
        };
        let holds = match bit {
            _ if bit == c => true,
            _ if self.negated(bit) == Some(c) => false,
            _ => return None,
        };
        let zero = self.zero(node.sort);
        let set = if node.op == Op::Sext {
            self.ones(node.sort)
        } else {
            self.bv(node.sort, 1)
        };
        Some(if holds { (set, zero) } else { (zero, set) })
    }

    /// Bits `hi_bit` down to `lo_bit` of `t`.
    pub fn extract(&mut self, hi_bit: u32, lo_bit: u32, t: Term) -> Term {
        self.nested(|pool| pool.make_extract(hi_bit, lo_bit, t))
    }

    fn make_extract(&mut self, hi_bit: u32, lo_bit: u32, t: Term) -> Term {
        let (mut t, mut hi, mut lo) = (t, hi_bit, lo_bit);
        loop {
            let from = self.same_width(t, t);
            assert!(lo <= hi && hi < from, "bits {hi}..{lo} of {from}");
            let width = hi - lo + 1;
            if width == from {
                return self.fired_as(Rule::ExtractAll, t);
            }
            let node = *self.node(t);
            match node.op {
                Op::Extract => {
                    self.fire(Rule::ExtractExtract);
                    (hi, lo, t) = (hi + node.aux, lo + node.aux, node.kids[0]);
                }
                Op::Concat if lo >= node.aux => {
                    self.fire(Rule::ExtractConcat);
                    (hi, lo, t) = (hi - node.aux, lo - node.aux, node.kids[0]);
                }
                Op::Concat if hi < node.aux => {
                    self.fire(Rule::ExtractConcat);
                    t = node.kids[1];
                }
                Op::Zext | Op::Sext if hi < node.aux => {
                    self.fire(Rule::ExtractExtend);
                    t = node.kids[0];
                }
                Op::Zext if lo >= node.aux => {
                    self.fire(Rule::ExtractExtend);
                    return self.zero(width);
                }
                _ => {
                    let result = if self.may_rewrite() {
                        self.extract_through(hi, lo, t)
                    } else {
                        None
                    };
                    return result.unwrap_or_else(|| self.plain(Op::Extract, width, lo, &[t]));
                }
            }
        }
    }

    /// Rules that move an extract below the operator of `t`.
    fn extract_through(&mut self, hi: u32, lo: u32, t: Term) -> Option<Term> {
        let node = *self.node(t);
        let width = hi - lo + 1;
        let [a, b, c] = node.kids;
        match node.op {
            Op::Concat => {
                self.fire(Rule::ExtractConcat);
                let high = self.extract(hi - node.aux, 0, a);
                let low = self.extract(node.aux - 1, lo, b);
                Some(self.concat(high, low))
            }
            Op::Zext | Op::Sext => {
                self.fire(Rule::ExtractExtend);
                let part = self.extract(node.aux - 1, lo.min(node.aux - 1), a);
                Some(match node.op {
                    Op::Zext => self.zext(width, part),
                    _ => self.sext(width, part),
                })
            }
            Op::Not => {
                self.fire(Rule::ExtractNot);
                let part = self.extract(hi, lo, a);
                Some(self.not(part))
            }
            Op::And | Op::Or | Op::Xor if self.is_const(a) => {
                let k = self.extract(hi, lo, a);
                if !self.is_zero(k) && !self.is_ones(k) {
                    return None;
                }
                self.fire(Rule::ExtractMask);
                let part = self.extract(hi, lo, b);
                Some(match node.op {
                    Op::And => self.and(k, part),
                    Op::Or => self.or(k, part),
                    _ => self.xor(k, part),
                })
            }
            Op::And | Op::Or | Op::Xor | Op::Add | Op::Sub | Op::Mul
                if lo == 0
                    && self.may_branch()
                    && self.cuts_cheaply(a, width, 2)
                    && self.cuts_cheaply(b, width, 2) =>
            {
                self.fire(Rule::ExtractLow);
                let x = self.extract(hi, 0, a);
                let y = self.extract(hi, 0, b);
                Some(self.rebuilt_binary(node.op, x, y))
            }
            Op::Neg if lo == 0 && self.cuts_cheaply(a, width, 2) => {
                self.fire(Rule::ExtractLow);
                let x = self.extract(hi, 0, a);
                Some(self.neg(x))
            }
            Op::Ite if self.may_branch() => {
                let cheap = |t| self.is_const(t) || lo == 0 && self.cuts_cheaply(t, width, 2);
                if !cheap(b) || !cheap(c) {
                    return None;
                }
                self.fire(Rule::ExtractIte);
                let yes = self.extract(hi, lo, b);
                let no = self.extract(hi, lo, c);
                Some(self.ite(a, yes, no))
            }
            _ => None,
        }
    }

    fn rebuilt_binary(&mut self, op: Op, x: Term, y: Term) -> Term {
        match op {
            Op::And => self.and(x, y),
            Op::Or => self.or(x, y),
            Op::Xor => self.xor(x, y),
            Op::Add => self.add(x, y),
            Op::Sub => self.sub(x, y),
            _ => self.mul(x, y),
        }
    }

    /// Do the `width` low bits of `t` exist without a new extract, by at most `depth` operators?
    fn cuts_cheaply(&self, t: Term, width: u32, depth: u32) -> bool {
        let node = self.node(t);
        match node.op {
            Op::Const | Op::ConstWide => true,
            Op::Zext | Op::Sext => {
                node.aux <= width || depth > 0 && self.cuts_cheaply(node.kids[0], width, depth - 1)
            }
            Op::Concat => {
                node.aux == width
                    || node.aux > width
                        && depth > 0
                        && self.cuts_cheaply(node.kids[1], width, depth - 1)
            }
            Op::Add | Op::Sub | Op::Mul | Op::And | Op::Or | Op::Xor => {
                depth > 0
                    && self.cuts_cheaply(node.kids[0], width, depth - 1)
                    && self.cuts_cheaply(node.kids[1], width, depth - 1)
            }
            _ => false,
        }
    }

    /// Zero extension to `to_width`, which may be the term's own width.
    pub fn zext(&mut self, to_width: u32, t: Term) -> Term {
        let from = self.same_width(t, t);
        assert!(
            from <= to_width && to_width <= Sort::MAX_WIDTH,
            "zext {from} to {to_width}"
        );
        if from == to_width {
            return t;
        }
        if let Some(x) = self.operand(Op::Zext, t) {
            self.fire(Rule::ExtendExtend);
            return self.plain(Op::Zext, to_width, self.node(x).sort, &[x]);
        }
        self.plain(Op::Zext, to_width, from, &[t])
    }

    /// Sign extension to `to_width`, which may be the term's own width.
    pub fn sext(&mut self, to_width: u32, t: Term) -> Term {
        let from = self.same_width(t, t);
        assert!(
            from <= to_width && to_width <= Sort::MAX_WIDTH,
            "sext {from} to {to_width}"
        );
        if from == to_width {
            return t;
        }
        if self.is_nonnegative(t) {
            self.fire(Rule::SextPositive);
            return self.zext(to_width, t);
        }
        if let Some(x) = self.operand(Op::Sext, t) {
            self.fire(Rule::ExtendExtend);
            return self.plain(Op::Sext, to_width, self.node(x).sort, &[x]);
        }
        self.plain(Op::Sext, to_width, from, &[t])
    }
}
