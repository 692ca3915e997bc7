//! Array reads: read-over-write, down to a base.
//!
//! The update list is walked from the newest store down. Stores at constant indices directly above
//! the base overwrite entries of the base's table; a store at a symbolic index (and what lies
//! above it) becomes "index equal ? value : older". The table covers only the window of the index:
//! the bounds that the executor knew, what the index's own interval says, and constant index bits
//! (which select without a gate). Equal sub-tables are one node, so a table with few distinct
//! values stays small. Array symbols, long update lists and, in some configurations, tables are
//! abstracted: see [`crate::arrays`].
//!
//! Bounds given with a select hold under the path on which it was made; that path is part of every
//! query about it, and each model is evaluated with the real semantics afterwards.

use super::circuits::{Bits, TableLeaves, constant};
use super::lower::{Lowering, Task};
use crate::arrays::abstraction::{AbstractRead, Below, Parts, Source};
use crate::arrays::encode::WIDEST_WINDOW;
use crate::arrays::scaled::Scaled;
use crate::query::Why;
use crate::sat::Lit;
use rustc_hash::FxHashMap;
use term::{Op, Pool, Relocation, Sort, Symbol, Term};

/// Windows above this many entries are refused.
const MAX_WINDOW: u64 = 1 << 22;
/// Longer update lists are abstracted.
const EAGER_UPDATES: usize = 24;

/// Where an array is read.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum At {
    /// At the value of a term.
    Term(Term),
    /// At an index vector that is no term, by its number in the abstraction.
    Bits(u32),
}

/// A read of an array version at an index known to lie in a window.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ReadKey {
    array: Term,
    index: At,
    lo: u64,
    hi: u64,
}

impl ReadKey {
    pub(crate) fn of(pool: &Pool, select: Term) -> ReadKey {
        let kids = pool.children(select);
        let (array, index) = (kids[0], kids[1]);
        let (mut lo, mut hi) = pool.interval(index);
        if let Some((l, h)) = pool.select_bounds(select) {
            lo = lo.max(l);
            hi = hi.min(h);
        }
        if lo > hi {
            (lo, hi) = pool.interval(index); // contradictory bounds: the path is infeasible anyway
        }
        ReadKey {
            array,
            index: At::Term(index),
            lo,
            hi,
        }
    }

    /// The read of an array at an index vector, which is known to lie in a window.
    pub(crate) fn at_bits(array: Term, index: u32, (lo, hi): (u64, u64)) -> ReadKey {
        ReadKey {
            array,
            index: At::Bits(index),
            lo,
            hi,
        }
    }

    fn at(self, array: Term) -> ReadKey {
        ReadKey { array, ..self }
    }

    /// Inclusive bounds of the index.
    pub(crate) fn window(self) -> (u64, u64) {
        (self.lo, self.hi)
    }

    /// The term that is the index, if one is.
    pub(crate) fn index_term(self) -> Option<Term> {
        match self.index {
            At::Term(t) => Some(t),
            At::Bits(_) => None,
        }
    }

    /// The key after a collection, if its terms survived it.
    pub(crate) fn moved(self, relocation: &Relocation) -> Option<ReadKey> {
        Some(ReadKey {
            array: relocation.get(self.array)?,
            index: match self.index {
                At::Term(t) => At::Term(relocation.get(t)?),
                bits => bits,
            },
            ..self
        })
    }
}

/// Part of an update list, newest first.
enum Update {
    /// Stores at constant indices.
    Fixed(Vec<(u64, Bits)>),
    /// A store whose index may equal the read's: its index, the equality, and the value.
    Maybe(Bits, Lit, Bits),
}

/// Where a walk ends.
enum Base {
    Content(u32),
    Free(Symbol),
    Value(Bits),
}

impl Lowering {
    /// Builds a read, or pushes what it needs first and returns false.
    pub(super) fn read(
        &mut self,
        pool: &Pool,
        key: ReadKey,
        work: &mut Vec<Task>,
    ) -> Result<bool, Why> {
        let Sort::Array { elem, .. } = pool.sort(key.array) else {
            return Err(Why::Array);
        };
        let elem = elem as usize;
        if let (At::Term(index), Op::ArrayBytes) = (key.index, pool.op(key.array))
            && self.arrays.method.scales()
            && let Some(scaled) = Scaled::of(pool, index, key.window())
            && scaled.last < WIDEST_WINDOW
        {
            let Some(inner) = self.wanted(scaled.inner, work) else {
                return Ok(false);
            };
            let content = self.arrays.scaled_content(pool, key.array, scaled.scale);
            let mut parts = Parts {
                scale: Some(scaled.scale),
                ..Parts::default()
            };
            let window = (scaled.first, scaled.last);
            let result = self.content_value(content, &[], &inner, window, elem, &mut parts)?;
            let range = self.store(&result);
            self.reads.insert(key, range);
            if !parts.is_empty() {
                self.arrays.parts.insert(key, parts);
            }
            return Ok(true);
        }
        let waiting = work.len();
        let index = match key.index {
            At::Bits(id) => self.arrays.indices[id as usize].clone(),
            At::Term(t) => match self.wanted(t, work) {
                Some(bits) => bits,
                None => return Ok(false),
            },
        };
        let mut parts = Parts::default();
        let mut updates: Vec<Update> = Vec::new();
        let mut array = key.array;
        let base = loop {
            if array != key.array
                && let Some(&range) = self.reads.get(&key.at(array))
            {
                parts.keys.push(key.at(array));
                break Base::Value(self.range(range).to_vec());
            }
            let kids = pool.children(array);
            match pool.op(array) {
                Op::ArrayBytes => break Base::Content(self.arrays.content(pool, array)),
                Op::Symbol => break Base::Free(pool.as_symbol(array).expect("a symbol")),
                Op::ArrayConst => match self.wanted(kids[0], work) {
                    Some(value) => break Base::Value(value),
                    None => return Ok(false),
                },
                Op::Ite => {
                    let condition = self.wanted(kids[0], work);
                    let then = self.wanted_read(key.at(kids[1]), work);
                    let other = self.wanted_read(key.at(kids[2]), work);
                    match (condition, then, other) {
                        (Some(c), Some(t), Some(e)) => {
                            parts.keys.extend([key.at(kids[1]), key.at(kids[2])]);
                            break Base::Value(self.aig.choose(c[0], &t, &e));
                        }
                        _ => return Ok(false),
                    }
                }
                Op::Store => {
                    let (at, value, older) = (kids[1], kids[2], kids[0]);
                    if let Some(i) = pool.as_const(at) {
                        if (key.lo..=key.hi).contains(&i)
                            && let Some(value) = self.wanted(value, work)
                        {
                            match updates.last_mut() {
                                Some(Update::Fixed(list)) => list.push((i, value)),
                                _ => updates.push(Update::Fixed(vec![(i, value)])),
                            }
                        }
                    } else {
                        let (lo, hi) = pool.interval(at);
                        if hi >= key.lo && lo <= key.hi {
                            let at = self.wanted(at, work);
                            let value = self.wanted(value, work);
                            if let (Some(at), Some(value)) = (at, value) {
                                let same = self.aig.equal(&index, &at);
                                if same == Lit::TRUE {
                                    break Base::Value(value);
                                }
                                if same != Lit::FALSE {
                                    updates.push(Update::Maybe(at, same, value));
                                }
                            }
                        }
                    }
                    array = older;
                }
                _ => return Err(Why::Array),
            }
        };
        if work.len() > waiting {
            return Ok(false);
        }
        // What a table absorbs needs no comparison.
        let mut fixed = Vec::new();
        if let Base::Content(content) = base {
            let len = self.arrays.contents[content as usize].len() as u64;
            let end = match updates.last() {
                Some(Update::Fixed(list)) => list
                    .iter()
                    .map(|s| s.0.saturating_add(1))
                    .fold(len, u64::max),
                _ => len,
            };
            if self.is_table(end, key.window()) {
                match updates.pop() {
                    Some(Update::Fixed(list)) => fixed = list,
                    Some(other) => updates.push(other),
                    None => {}
                }
            }
        }
        let comparisons: usize = updates
            .iter()
            .map(|u| match u {
                Update::Fixed(list) => list.len(),
                Update::Maybe(..) => 1,
            })
            .sum();
        let result =
            if comparisons > EAGER_UPDATES && self.arrays.method.is_lazy() && fixed.is_empty() {
                self.abstract_chain(&index, updates, base, key.window(), elem, &mut parts)
            } else {
                let below =
                    self.base_value(base, &fixed, &index, key.window(), elem, &mut parts)?;
                self.updated(&index, updates, below)
            };
        let range = self.store(&result);
        self.reads.insert(key, range);
        parts.keys.retain(|k| self.arrays.parts.contains_key(k));
        if !parts.is_empty() {
            self.arrays.parts.insert(key, parts);
        }
        Ok(true)
    }

    /// What the base gives.
    fn base_value(
        &mut self,
        base: Base,
        fixed: &[(u64, Bits)],
        index: &Bits,
        window: (u64, u64),
        elem: usize,
        parts: &mut Parts,
    ) -> Result<Bits, Why> {
        match base {
            Base::Value(bits) => Ok(bits),
            Base::Content(content) => {
                self.content_value(content, fixed, index, window, elem, parts)
            }
            Base::Free(symbol) => {
                let id = self.base_read(Source::Free(symbol), index, elem);
                parts.reads.push(id);
                Ok(self.arrays.reads[id as usize].value.clone())
            }
        }
    }

    /// Read-over-write: the value below under the updates.
    fn updated(&mut self, index: &Bits, mut updates: Vec<Update>, below: Bits) -> Bits {
        let mut result = below;
        while let Some(update) = updates.pop() {
            match update {
                Update::Maybe(_, same, value) => result = self.aig.choose(same, &value, &result),
                Update::Fixed(list) => {
                    for (i, value) in list.iter().rev() {
                        let same = self.is_at(index, *i);
                        result = self.aig.choose(same, value, &result);
                    }
                }
            }
        }
        result
    }

    /// A read of a long update list as fresh inputs.
    fn abstract_chain(
        &mut self,
        index: &Bits,
        updates: Vec<Update>,
        base: Base,
        window: (u64, u64),
        elem: usize,
        parts: &mut Parts,
    ) -> Bits {
        let mut list: Vec<(Bits, Bits)> = Vec::new();
        for update in updates {
            match update {
                Update::Fixed(fixed) => list.extend(
                    fixed
                        .into_iter()
                        .map(|(i, value)| (constant(index.len(), i), value)),
                ),
                Update::Maybe(at, _, value) => list.push((at, value)),
            }
        }
        let below = match base {
            Base::Content(content) => Below::Source(Source::Content(content)),
            Base::Free(symbol) => Below::Source(Source::Free(symbol)),
            Base::Value(bits) => Below::Value(bits),
        };
        let read = AbstractRead {
            updates: list,
            ..AbstractRead::new(index.clone(), below, window)
        };
        let id = self.abstract_read(read, elem);
        parts.reads.push(id);
        self.arrays.reads[id as usize].value.clone()
    }

    pub(crate) fn wanted(&self, t: Term, work: &mut Vec<Task>) -> Option<Bits> {
        let bits = self.get(t).map(<[Lit]>::to_vec);
        if bits.is_none() {
            work.push(Task::Bits(t));
        }
        bits
    }

    pub(crate) fn wanted_read(&self, key: ReadKey, work: &mut Vec<Task>) -> Option<Bits> {
        let bits = self.reads.get(&key).map(|&r| self.range(r).to_vec());
        if bits.is_none() {
            work.push(Task::Read(key));
        }
        bits
    }

    /// The multiplexer tree over a base's bytes with stores at constant indices (newest first).
    pub(crate) fn window(
        &mut self,
        content: &[u8],
        fixed: &[(u64, Bits)],
        index: &[Lit],
        window: (u64, u64),
        elem: usize,
    ) -> Result<Bits, Why> {
        let mut newest: FxHashMap<u64, &Bits> = FxHashMap::default();
        for (i, value) in fixed {
            newest.entry(*i).or_insert(value);
        }
        // Past the content and the stores everything is 0.
        let end = (content.len() as u64).max(newest.keys().max().map_or(0, |&i| i + 1));
        let zero = constant(elem, 0);
        if window.0 >= end {
            return Ok(zero);
        }
        let (lo, hi) = (window.0, window.1.min(end - 1));
        let differing = 64 - (lo ^ hi).leading_zeros() as usize;
        let differing = differing.min(index.len());
        if differing >= 63 || 1u64 << differing > MAX_WINDOW {
            return Err(Why::TooLarge);
        }
        let first = lo & !((1u64 << differing) - 1);
        let mut leaves = TableLeaves::default();
        let mut byte_ids = [u32::MAX; 256];
        let mut entries = Vec::with_capacity(1 << differing);
        for i in first..first + (1u64 << differing) {
            // Outside lo..=hi any value will do: the nearest one shares best.
            let i = i.clamp(lo, hi);
            entries.push(match newest.get(&i) {
                Some(&bits) => leaves.intern(bits.clone()),
                None => {
                    let byte = content.get(i as usize).copied().unwrap_or(0);
                    let id = &mut byte_ids[byte as usize];
                    if *id == u32::MAX {
                        *id = leaves.intern(constant(elem, byte as u64));
                    }
                    *id
                }
            });
        }
        let inside = self.aig.table(&index[..differing], entries, &mut leaves);
        if window.1 <= hi {
            return Ok(inside);
        }
        let bound = constant(index.len(), hi);
        let in_range = self.aig.less(index, &bound, true);
        Ok(self.aig.choose(in_range, &inside, &zero))
    }
}
