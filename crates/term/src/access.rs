//! Queries about terms and about the pool.

use crate::domain::{Fact, Operator};
use crate::info::{HAS_ARRAY, HAS_FLOAT, HAS_INT, Info};
use crate::node::{Node, Op, Symbol, Term};
use crate::pool::Pool;
use crate::rules::Rule;
use crate::sort::Sort;
use crate::symset::{SymbolIter, SymbolSet};
use crate::{FloatFormat, FloatPredicate, RoundingMode};
use float::MathFunction;

impl Pool {
    #[inline]
    pub(crate) fn node(&self, t: Term) -> &Node {
        debug_assert!(t.is_some(), "Term::NONE has no node");
        &self.nodes[t.at()]
    }

    /// The operator.
    #[inline]
    pub fn op(&self, t: Term) -> Op {
        self.node(t).op
    }

    /// The operands.
    #[inline]
    pub fn children(&self, t: Term) -> &[Term] {
        self.node(t).children()
    }

    /// One operand.
    #[inline]
    pub fn child(&self, t: Term, index: usize) -> Term {
        self.node(t).children()[index]
    }

    /// The sort.
    #[inline]
    pub fn sort(&self, t: Term) -> Sort {
        Sort::decode(self.node(t).sort)
    }

    /// Width of a bit-vector, or of a float's bit pattern.
    ///
    /// # Panics
    /// When the term is an array or an integer.
    #[inline]
    pub fn width(&self, t: Term) -> u32 {
        let code = self.node(t).sort;
        if code <= Sort::MAX_WIDTH {
            return code;
        }
        let bits = Sort::decode(code).bits();
        assert!(bits > 0, "{:?} has no width", self.sort(t));
        bits
    }

    /// Format of a float.
    ///
    /// # Panics
    /// When the term is not a float.
    pub fn float_format(&self, t: Term) -> FloatFormat {
        match self.sort(t) {
            Sort::Float(format) => format,
            sort => panic!("{sort:?} is not a float"),
        }
    }

    /// Value of a constant of at most 64 bits.
    #[inline]
    pub fn as_const(&self, t: Term) -> Option<u64> {
        let node = self.node(t);
        (node.op == Op::Const).then(|| node.value())
    }

    /// Limbs of a constant of more than 64 bits.
    pub fn as_const_wide(&self, t: Term) -> Option<&[u64]> {
        let node = self.node(t);
        (node.op == Op::ConstWide).then(|| &*self.wide.items[node.aux as usize])
    }

    /// Is the term a bit-vector constant of any width?
    #[inline]
    pub fn is_const(&self, t: Term) -> bool {
        matches!(self.node(t).op, Op::Const | Op::ConstWide)
    }

    /// The symbol of a symbol's term.
    #[inline]
    pub fn as_symbol(&self, t: Term) -> Option<Symbol> {
        let node = self.node(t);
        (node.op == Op::Symbol).then_some(Symbol(node.aux))
    }

    /// (highest, lowest) bit of an [`Op::Extract`].
    #[inline]
    pub fn extract_bounds(&self, t: Term) -> (u32, u32) {
        let node = self.node(t);
        debug_assert_eq!(node.op, Op::Extract);
        (node.aux + node.sort - 1, node.aux)
    }

    /// Inclusive bounds of the index of an [`Op::Select`] made by
    /// [`Pool::select_bounded`]; `None` when it was made without (or by bounds above 2^32 - 2).
    pub fn select_bounds(&self, t: Term) -> Option<(u64, u64)> {
        let node = self.node(t);
        debug_assert_eq!(node.op, Op::Select);
        (node.imm & 1 == 1).then(|| (node.kids[2].0 as u64, node.aux as u64))
    }

    /// The number of elements of the access that an [`Op::Select`] belongs to, a power of two; 1 when
    /// nothing is known. See [`Pool::select_typed`].
    pub fn select_size(&self, t: Term) -> u64 {
        let node = self.node(t);
        debug_assert_eq!(node.op, Op::Select);
        1 << (node.imm >> 1)
    }

    /// Content of an [`Op::ArrayBytes`].
    pub fn array_content(&self, t: Term) -> &[u8] {
        let node = self.node(t);
        debug_assert_eq!(node.op, Op::ArrayBytes);
        &self.contents.items[node.aux as usize]
    }

    /// Rounding mode of a float operation that has one.
    pub fn rounding(&self, t: Term) -> RoundingMode {
        RoundingMode::ALL[self.node(t).imm as usize]
    }

    /// Predicate of an [`Op::FCmp`].
    pub fn predicate(&self, t: Term) -> FloatPredicate {
        debug_assert_eq!(self.op(t), Op::FCmp);
        FloatPredicate::ALL[self.node(t).imm as usize]
    }

    /// Function of an [`Op::FCall`].
    pub fn math_function(&self, t: Term) -> MathFunction {
        debug_assert_eq!(self.op(t), Op::FCall);
        MathFunction::ALL[self.node(t).imm as usize]
    }

    /// Bits known to be 0 and bits known to be 1. Nothing is known of terms above 64 bits.
    #[inline]
    pub fn known_bits(&self, t: Term) -> (u64, u64) {
        let info = &self.info[t.at()];
        (info.zeros, info.ones)
    }

    /// Inclusive unsigned bounds; (0, `u64::MAX`) of terms above 64 bits.
    #[inline]
    pub fn interval(&self, t: Term) -> (u64, u64) {
        let info = &self.info[t.at()];
        (info.lo, info.hi)
    }

    /// The known fact about the value of a bit-vector of at most 64 bits, under every assignment. For other terms
    /// nothing is known, in 64 bits.
    #[inline]
    pub fn fact(&self, t: Term) -> Fact {
        self.info[t.at()].fact(self.node(t).sort.min(64))
    }

    /// The operator of a term over bit-vectors of at most 64 bits, as [`forward`](crate::domain::forward) takes it.
    #[inline]
    pub fn operator(&self, t: Term) -> Operator {
        let node = self.node(t);
        let first = match node.arity {
            0 => node.sort,
            _ => self.node(node.kids[0]).sort,
        };
        Operator {
            op: node.op,
            width: node.sort,
            first,
            low: node.aux,
        }
    }

    /// Free symbols.
    #[inline]
    pub fn symbols(&self, t: Term) -> SymbolSet {
        self.info[t.at()].symbols
    }

    /// The only free symbol, if there is exactly one.
    #[inline]
    pub fn single_symbol(&self, t: Term) -> Option<Symbol> {
        self.sets.single(self.info[t.at()].symbols)
    }

    /// Does a float occur in the term?
    #[inline]
    pub fn has_float(&self, t: Term) -> bool {
        self.info[t.at()].meta & HAS_FLOAT != 0
    }

    /// Does an array occur in the term?
    #[inline]
    pub fn has_array(&self, t: Term) -> bool {
        self.info[t.at()].meta & HAS_ARRAY != 0
    }

    /// Does an integer occur in the term?
    #[inline]
    pub fn has_int(&self, t: Term) -> bool {
        self.info[t.at()].meta & HAS_INT != 0
    }

    /// Number of nodes of the term read as a tree, saturating at 2^29 - 1: an upper bound of the
    /// size of its DAG, known without a walk.
    #[inline]
    pub fn size_hint(&self, t: Term) -> u32 {
        self.info[t.at()].size()
    }

    /// Number of nodes: the measure by which collections are scheduled.
    #[inline]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Bytes that the pool has allocated.
    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.info.capacity() * size_of::<Info>()
            + self.table.bytes()
            + self
                .contents
                .items
                .iter()
                .map(|c| c.len() + 16)
                .sum::<usize>()
            + self
                .wide
                .items
                .iter()
                .map(|c| c.len() * 8 + 16)
                .sum::<usize>()
            + self.sets.bytes()
    }

    /// How often each rewrite rule has fired.
    pub fn rule_counts(&self) -> impl Iterator<Item = (Rule, u64)> + '_ {
        Rule::ALL
            .iter()
            .map(|&rule| (rule, self.fired[rule as usize]))
    }

    // ---- symbol sets -----------------------------------------------------------------------

    /// The symbols of a set in ascending order.
    pub fn set_iter(&self, set: SymbolSet) -> SymbolIter<'_> {
        self.sets.iter(set)
    }

    /// The symbols of some sets in ascending order; what the sets share is looked at once.
    pub fn set_elements(&self, sets: impl Iterator<Item = SymbolSet>) -> Vec<Symbol> {
        self.sets.elements(sets)
    }

    /// The symbols of the first set that are not in the second, in ascending order; what they share is not looked at.
    pub fn set_difference(&self, a: SymbolSet, b: SymbolSet) -> Vec<Symbol> {
        self.sets.difference(a, b)
    }

    /// Number of symbols in a set.
    pub fn set_len(&self, set: SymbolSet) -> usize {
        self.sets.len(set)
    }

    /// Is the symbol in the set?
    pub fn set_contains(&self, set: SymbolSet, symbol: Symbol) -> bool {
        self.sets.contains(set, symbol)
    }

    /// Have the sets a common symbol?
    #[inline]
    pub fn set_intersects(&self, a: SymbolSet, b: SymbolSet) -> bool {
        self.sets.intersects(a, b)
    }

    /// The union of two sets.
    #[inline]
    pub fn set_union(&mut self, a: SymbolSet, b: SymbolSet) -> SymbolSet {
        self.sets.union(a, b)
    }

    /// The set of one symbol.
    pub fn set_of(&mut self, symbol: Symbol) -> SymbolSet {
        self.sets.singleton(symbol)
    }

    /// Is the first set within the second?
    pub fn set_is_subset(&mut self, a: SymbolSet, b: SymbolSet) -> bool {
        self.sets.is_subset(a, b)
    }
}
