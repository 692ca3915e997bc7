//! Arrays: constant content, select and store.

use crate::eval::content_at;
use crate::info::Info;
use crate::node::{Node, Op, Term};
use crate::pool::Pool;
use crate::rules::Rule;
use crate::semantics::mask;
use crate::sort::Sort;

/// Most elements that are looked at to bound the value of a read from constant content.
const SCAN: u64 = 4096;
/// Most stores that a read looks past while it is made.
const WALK: usize = 4096;

impl Pool {
    /// The array with 64-bit indices and 8-bit elements that holds `content`, and 0 past its end.
    pub fn array_bytes(&mut self, content: &[u8]) -> Term {
        let id = self.contents.intern(content);
        let sort = Sort::Array { index: 64, elem: 8 };
        self.intern(Node::new(Op::ArrayBytes, sort.encode(), &[]).with_aux(id))
    }

    /// The array that holds `value` everywhere.
    pub fn array_const(&mut self, index_width: u32, elem_width: u32, value: Term) -> Term {
        assert!(index_width <= Sort::MAX_INDEX && elem_width <= Sort::MAX_ELEM);
        debug_assert_eq!(self.width(value), elem_width);
        let sort = Sort::Array {
            index: index_width,
            elem: elem_width,
        };
        self.intern(Node::new(Op::ArrayConst, sort.encode(), &[value]))
    }

    pub(crate) fn array_sort(&self, a: Term) -> (u32, u32) {
        match self.sort(a) {
            Sort::Array { index, elem } => (index, elem),
            sort => panic!("{sort:?} is not an array"),
        }
    }

    /// Element `i` of array `a`.
    pub fn select(&mut self, a: Term, i: Term) -> Term {
        self.read(a, i, None, 1)
    }

    /// Element `i` of array `a`, where `lo <= i <= hi` is implied by the path condition under
    /// which the term is made and used. The bounds are part of the node; what rewriting concludes
    /// from them holds under that path condition only.
    pub fn select_bounded(&mut self, a: Term, i: Term, lo: u64, hi: u64) -> Term {
        self.select_typed(a, i, lo, hi, 1)
    }

    /// The same for one element of an access to `size` consecutive ones, the first of which lies at
    /// `lo` or a multiple of `size` above it: a hint for the solver, which does not rely on it.
    pub fn select_typed(&mut self, a: Term, i: Term, lo: u64, hi: u64, size: u32) -> Term {
        debug_assert!(lo <= hi);
        self.read(a, i, Some((lo, hi)), size)
    }

    fn read(&mut self, a: Term, i: Term, bounds: Option<(u64, u64)>, size: u32) -> Term {
        let (index_width, elem) = self.array_sort(a);
        debug_assert_eq!(self.width(i), index_width);
        let mut array = a;
        let known = self.as_const(i);
        for _ in 0..WALK {
            let node = *self.node(array);
            match node.op {
                Op::Store if node.kids[1] == i => {
                    return self.fired_as(Rule::SelectStore, node.kids[2]);
                }
                Op::Store if self.are_distinct(node.kids[1], i) => {
                    self.fire(Rule::SelectPast);
                    array = node.kids[0];
                }
                Op::ArrayConst => return self.fired_as(Rule::SelectConst, node.kids[0]),
                Op::ArrayBytes => {
                    let Some(at) = known else { break };
                    self.fire(Rule::SelectConst);
                    let value = content_at(&self.contents.items[node.aux as usize], at);
                    return self.bv(8, value);
                }
                _ => break,
            }
        }
        let mut node = Node::new(Op::Select, elem, &[array, i]);
        let limit = u32::MAX as u64;
        if let Some((lo, hi)) = bounds.filter(|&(_, hi)| hi < limit) {
            node.kids[2] = Term(lo as u32);
            // Sizes that are no power of two count as the largest one that divides them.
            let log = size.trailing_zeros().min(7) as u8;
            node = node.with_aux(hi as u32).with_imm(1 | log << 1);
        }
        self.intern(node)
    }

    /// Array `a` with element `i` replaced by `v`.
    pub fn store(&mut self, a: Term, i: Term, v: Term) -> Term {
        let (index, elem) = self.array_sort(a);
        debug_assert_eq!((self.width(i), self.width(v)), (index, elem));
        let node = *self.node(a);
        if node.op == Op::Store && node.kids[1] == i {
            self.fire(Rule::StoreStore);
            return self.store(node.kids[0], i, v);
        }
        if self.operands(Op::Select, v) == Some((a, i)) {
            return self.fired_as(Rule::StoreSelect, a);
        }
        self.intern(Node::new(Op::Store, self.node(a).sort, &[a, i, v]))
    }

    /// Facts about a read: from the constant content within the index's bounds.
    pub(crate) fn select_facts(&self, node: &Node) -> Info {
        let all = mask(node.sort);
        let mut out = Info {
            hi: all,
            ..Info::ANYTHING
        };
        let array = self.node(node.kids[0]);
        if array.op != Op::ArrayBytes {
            return out;
        }
        let content = &self.contents.items[array.aux as usize];
        let index = &self.info[node.kids[1].at()];
        let (mut lo, mut hi) = (index.lo, index.hi);
        if node.imm & 1 == 1 {
            (lo, hi) = (lo.max(node.kids[2].0 as u64), hi.min(node.aux as u64));
        }
        // Every index past the end reads 0.
        let end = content.len() as u64;
        let past = hi >= end;
        let last = hi.min(end);
        if lo > hi || last.saturating_sub(lo) >= SCAN {
            return out;
        }
        (out.zeros, out.ones, out.lo, out.hi) = (all, all, all, 0);
        let mut meet = |value: u64| {
            out.zeros &= !value;
            out.ones &= value;
            out.lo = out.lo.min(value);
            out.hi = out.hi.max(value);
        };
        for at in lo..(last + 1).min(end) {
            if at & index.zeros == 0 && !at & index.ones == 0 {
                meet(content[at as usize] as u64);
            }
        }
        if past {
            meet(0);
        }
        if out.lo > out.hi {
            // No index satisfies both bounds and known bits: the read is never made.
            return Info {
                hi: all,
                ..Info::ANYTHING
            };
        }
        out.refine(all);
        out
    }
}
