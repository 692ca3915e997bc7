//! Operators that move bits: concat, extract, zero and sign extension.

use crate::node::{Op, Term};
use crate::pool::Pool;
use crate::rules::Rule;
use crate::sort::Sort;

impl Pool {
    /// `hi` above `lo`.
    pub fn concat(&mut self, hi: Term, lo: Term) -> Term {
        let (high_width, low_width) = (self.same_width(hi, hi), self.same_width(lo, lo));
        let width = high_width + low_width;
        assert!(width <= Sort::MAX_WIDTH, "width {width}");
        if self.is_zero(hi) && !self.is_const(lo) {
            self.fire(Rule::ConcatZero);
            return self.zext(width, lo);
        }
        if self.op(hi) == Op::Extract && self.op(lo) == Op::Extract {
            let (source, (top, middle)) = (self.child(hi, 0), self.extract_bounds(hi));
            let (high, bottom) = self.extract_bounds(lo);
            if source == self.child(lo, 0) && middle == high + 1 {
                self.fire(Rule::ConcatAdjacent);
                return self.extract(top, bottom, source);
            }
        }
        self.plain(Op::Concat, width, low_width, &[hi, lo])
    }

    /// Bits `hi_bit` down to `lo_bit` of `t`.
    pub fn extract(&mut self, hi_bit: u32, lo_bit: u32, t: Term) -> Term {
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
                Op::Concat if self.may_rebuild() => {
                    self.fire(Rule::ExtractConcat);
                    return self.nested(|pool| {
                        let high = pool.extract(hi - node.aux, 0, node.kids[0]);
                        let low = pool.extract(node.aux - 1, lo, node.kids[1]);
                        pool.concat(high, low)
                    });
                }
                Op::Zext | Op::Sext if hi < node.aux => {
                    self.fire(Rule::ExtractExtend);
                    t = node.kids[0];
                }
                Op::Zext if lo >= node.aux => {
                    self.fire(Rule::ExtractExtend);
                    return self.zero(width);
                }
                Op::Zext | Op::Sext => {
                    self.fire(Rule::ExtractExtend);
                    let start = lo.min(node.aux - 1);
                    return self.nested(|pool| {
                        let part = pool.extract(node.aux - 1, start, node.kids[0]);
                        match node.op {
                            Op::Zext => pool.zext(width, part),
                            _ => pool.sext(width, part),
                        }
                    });
                }
                _ => return self.plain(Op::Extract, width, lo, &[t]),
            }
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
        if self.op(t) == Op::Zext {
            self.fire(Rule::ExtendExtend);
            return self.zext(to_width, self.child(t, 0));
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
        match self.op(t) {
            Op::Sext => {
                self.fire(Rule::ExtendExtend);
                self.sext(to_width, self.child(t, 0))
            }
            Op::Zext => {
                self.fire(Rule::ExtendExtend);
                self.zext(to_width, self.child(t, 0))
            }
            _ => self.plain(Op::Sext, to_width, from, &[t]),
        }
    }
}
