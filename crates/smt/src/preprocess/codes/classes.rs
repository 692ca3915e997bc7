//! Which values of a query can meet, and which of these classes get codes.

use rustc_hash::FxHashMap;
use term::{Op, Pool, Sort, Term};

/// Bits of a code of an index: its array is written out when a model is lifted.
const INDEX_BITS: u32 = 8;
/// Bits of any code.
const BITS: u32 = 12;
/// Elements of all arrays that a model has written out.
const WRITTEN_OUT: u64 = 1 << 14;

/// The class of a word, or of the elements of an array.
pub(super) const VALUE: usize = 0;
/// The class of the indices of an array.
pub(super) const INDEX: usize = 1;

/// Which values can meet: two places for each term, joined.
pub(super) struct Classes {
    positions: FxHashMap<Term, usize>,
    parents: Vec<usize>,
}

/// What is known of a class.
#[derive(Clone, Default)]
pub(super) struct Class {
    pub width: u32,
    /// Of a code, once that is known.
    pub bits: u32,
    pub constants: Vec<Term>,
    /// Values that terms of the class and witnesses have, with the other one.
    named: u64,
    /// Elements of array symbols.
    elements: u64,
    pub is_index: bool,
    /// Is something computed from its values?
    is_computed: bool,
}

impl Classes {
    pub fn of(cone: &[Term]) -> Classes {
        Classes {
            positions: cone.iter().copied().zip(0..).collect(),
            parents: (0..2 * cone.len()).collect(),
        }
    }

    /// The class of a part of a term; `None` for single bits and what is neither a word nor an array.
    pub fn class(&mut self, pool: &Pool, t: Term, part: usize) -> Option<usize> {
        let width = match (pool.sort(t), part) {
            (Sort::BitVec(width), VALUE) => width,
            (Sort::Array { elem, .. }, VALUE) => elem,
            (Sort::Array { index, .. }, INDEX) => index,
            _ => return None,
        };
        if width < 2 {
            return None;
        }
        let mut at = 2 * self.positions[&t] + part;
        while self.parents[at] != at {
            self.parents[at] = self.parents[self.parents[at]];
            at = self.parents[at];
        }
        Some(at)
    }

    /// The classes of a term.
    pub fn parts(&mut self, pool: &Pool, t: Term) -> Vec<usize> {
        let parts = [VALUE, INDEX].map(|part| self.class(pool, t, part));
        parts.into_iter().flatten().collect()
    }

    fn join(&mut self, pool: &Pool, (a, part): (Term, usize), (b, other): (Term, usize)) {
        let classes = (self.class(pool, a, part), self.class(pool, b, other));
        if let (Some(a), Some(b)) = classes {
            self.parents[a.max(b)] = a.min(b);
        }
    }

    fn join_all(&mut self, pool: &Pool, a: Term, b: Term) {
        for part in [VALUE, INDEX] {
            self.join(pool, (a, part), (b, part));
        }
    }

    /// Joins what can meet in a term; `false` if it computes something else from the values below it.
    fn join_below(&mut self, pool: &Pool, t: Term) -> bool {
        let kids = pool.children(t);
        match pool.op(t) {
            Op::Symbol | Op::Const | Op::ConstWide => {}
            Op::Eq => self.join_all(pool, kids[0], kids[1]),
            Op::Ite => {
                self.join_all(pool, t, kids[1]);
                self.join_all(pool, t, kids[2]);
            }
            Op::Select if pool.select_bounds(t).is_none() => {
                self.join(pool, (t, VALUE), (kids[0], VALUE));
                self.join(pool, (kids[1], VALUE), (kids[0], INDEX));
            }
            Op::Store => {
                self.join_all(pool, t, kids[0]);
                self.join(pool, (kids[1], VALUE), (t, INDEX));
                self.join(pool, (kids[2], VALUE), (t, VALUE));
            }
            Op::ArrayConst => self.join(pool, (kids[0], VALUE), (t, VALUE)),
            _ => return false,
        }
        true
    }

    /// The classes that get codes.
    pub fn coded(&mut self, pool: &Pool, cone: &[Term]) -> FxHashMap<usize, Class> {
        let computing: Vec<Term> = cone
            .iter()
            .copied()
            .filter(|&t| !self.join_below(pool, t))
            .collect();
        let mut all: FxHashMap<usize, Class> = FxHashMap::default();
        for &t in cone {
            let width = |part| match pool.sort(t) {
                Sort::Array { index, .. } if part == INDEX => index,
                Sort::Array { elem, .. } => elem,
                _ => pool.width(t),
            };
            for part in [VALUE, INDEX] {
                if let Some(class) = self.class(pool, t, part) {
                    let class = all.entry(class).or_default();
                    class.width = width(part);
                    class.named += u64::from(matches!(pool.sort(t), Sort::BitVec(_)));
                    if part == INDEX && !std::mem::replace(&mut class.is_index, true) {
                        class.named += 1;
                    }
                }
            }
            if pool.op(t) == Op::Eq
                && let Some(class) = self.class(pool, pool.child(t, 0), INDEX)
            {
                all.entry(class).or_default().named += 1;
            }
        }
        for &t in &computing {
            for &t in pool.children(t).iter().chain([&t]) {
                for class in self.parts(pool, t) {
                    all.entry(class).or_default().is_computed = true;
                }
            }
        }
        let arrays = cone
            .iter()
            .copied()
            .filter(|&t| matches!(pool.sort(t), Sort::Array { .. }));
        let arrays: Vec<(Term, Option<usize>, Option<usize>)> = arrays
            .map(|t| (t, self.class(pool, t, VALUE), self.class(pool, t, INDEX)))
            .collect();
        let is_symbol = |t: Term| pool.op(t) == Op::Symbol;
        for &(_, value, index) in arrays.iter().filter(|a| is_symbol(a.0)) {
            let named = index.map_or(0, |class| all[&class].named);
            if let Some(class) = value.and_then(|class| all.get_mut(&class)) {
                class.elements = class.elements.saturating_add(named);
            }
        }
        let mut sizes: FxHashMap<usize, u32> = all
            .iter()
            .filter_map(|(&k, class)| Some((k, class.fewest_bits()?)))
            .collect();
        while let Some(class) = arrays.iter().find_map(|&(_, value, index)| {
            value.filter(|v| sizes.contains_key(v) && index.is_none_or(|i| !sizes.contains_key(&i)))
        }) {
            sizes.remove(&class);
        }
        let written = arrays.iter().filter(|a| is_symbol(a.0));
        let written = written.filter_map(|a| Some(1u64 << sizes.get(&a.2?)?));
        if written.sum::<u64>() > WRITTEN_OUT {
            return FxHashMap::default();
        }
        all.retain(|k, class| {
            class.bits = sizes.get(k).copied().unwrap_or(0);
            class.bits > 0
        });
        for &t in cone.iter().filter(|&&t| pool.is_const(t)) {
            let class = self.class(pool, t, VALUE);
            if let Some(class) = class.and_then(|class| all.get_mut(&class)) {
                class.constants.push(t);
            }
        }
        all
    }
}

impl Class {
    /// Bits of a code, if at least half of the bits go.
    fn fewest_bits(&self) -> Option<u32> {
        let values = self.named.saturating_add(self.elements);
        let bits = values.checked_next_power_of_two()?.ilog2().max(1);
        let limit = if self.is_index { INDEX_BITS } else { BITS };
        (!self.is_computed && bits <= limit && 2 * bits <= self.width).then_some(bits)
    }
}
