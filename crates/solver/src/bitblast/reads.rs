//! Array reads to multiplexers.
//!
//! The update list is walked from the newest store down. Stores at constant indices directly above
//! the base overwrite entries of the base's table; a store at a symbolic index (and what lies
//! above it) becomes "index equal ? value : older". The table covers only the window of the index:
//! the bounds that the executor knew, what the index's own interval says, and constant index bits
//! (which select without a gate). Equal sub-tables are one node, so a table with few distinct
//! values stays small.
//!
//! Bounds given with a select hold under the path on which it was made; that path is part of every
//! query about it, and each model is evaluated with the real semantics afterwards.

use super::circuits::{Bits, TableLeaves, constant};
use super::lower::{Lowering, Task};
use crate::query::Why;
use crate::sat::Lit;
use rustc_hash::FxHashMap;
use term::{Op, Pool, Relocation, Sort, Term};

/// Windows above this many entries are refused.
const MAX_WINDOW: u64 = 1 << 22;

/// A read of an array version at an index known to lie in a window.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ReadKey {
    array: Term,
    index: Term,
    lo: u64,
    hi: u64,
}

impl ReadKey {
    pub(super) fn of(pool: &Pool, select: Term) -> ReadKey {
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
            index,
            lo,
            hi,
        }
    }

    fn at(self, array: Term) -> ReadKey {
        ReadKey { array, ..self }
    }

    /// The key after a collection, if both terms survived it.
    pub(super) fn moved(self, relocation: &Relocation) -> Option<ReadKey> {
        Some(ReadKey {
            array: relocation.get(self.array)?,
            index: relocation.get(self.index)?,
            ..self
        })
    }
}

/// Part of an update list, newest first.
enum Update {
    /// Stores at constant indices.
    Fixed(Vec<(u64, Bits)>),
    /// A store whose index may equal the read's: the equality, and the value.
    Maybe(Lit, Bits),
}

/// Where a walk ends.
enum Base {
    Content(Term),
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
        let waiting = work.len();
        let index = match self.wanted(key.index, work) {
            Some(bits) => bits,
            None => return Ok(false),
        };
        let mut updates: Vec<Update> = Vec::new();
        let mut array = key.array;
        let base = loop {
            if array != key.array
                && let Some(&range) = self.reads.get(&key.at(array))
            {
                break Base::Value(self.range(range).to_vec());
            }
            let kids = pool.children(array);
            match pool.op(array) {
                Op::ArrayBytes => break Base::Content(array),
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
                                    updates.push(Update::Maybe(same, value));
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
        let mut result = match base {
            Base::Content(content) => {
                let fixed = match updates.pop() {
                    Some(Update::Fixed(list)) => list,
                    Some(other) => {
                        updates.push(other);
                        Vec::new()
                    }
                    None => Vec::new(),
                };
                self.window(
                    pool.array_content(content),
                    &fixed,
                    &index,
                    key,
                    elem as usize,
                )?
            }
            Base::Value(bits) => bits,
        };
        while let Some(update) = updates.pop() {
            match update {
                Update::Maybe(same, value) => result = self.aig.choose(same, &value, &result),
                Update::Fixed(list) => {
                    for (i, value) in list.iter().rev() {
                        let at = constant(index.len(), *i);
                        let same = self.aig.equal(&index, &at);
                        result = self.aig.choose(same, value, &result);
                    }
                }
            }
        }
        let range = self.store(&result);
        self.reads.insert(key, range);
        Ok(true)
    }

    fn wanted(&self, t: Term, work: &mut Vec<Task>) -> Option<Bits> {
        let bits = self.get(t).map(<[Lit]>::to_vec);
        if bits.is_none() {
            work.push(Task::Bits(t));
        }
        bits
    }

    fn wanted_read(&self, key: ReadKey, work: &mut Vec<Task>) -> Option<Bits> {
        let bits = self.reads.get(&key).map(|&r| self.range(r).to_vec());
        if bits.is_none() {
            work.push(Task::Read(key));
        }
        bits
    }

    /// The multiplexer tree over a base's bytes with stores at constant indices (newest first).
    fn window(
        &mut self,
        content: &[u8],
        fixed: &[(u64, Bits)],
        index: &[Lit],
        key: ReadKey,
        elem: usize,
    ) -> Result<Bits, Why> {
        let mut newest: FxHashMap<u64, &Bits> = FxHashMap::default();
        for (i, value) in fixed {
            newest.entry(*i).or_insert(value);
        }
        // Past the content and the stores everything is 0.
        let end = (content.len() as u64).max(newest.keys().max().map_or(0, |&i| i + 1));
        let zero = constant(elem, 0);
        if key.lo >= end {
            return Ok(zero);
        }
        let (lo, hi) = (key.lo, key.hi.min(end - 1));
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
        if key.hi <= hi {
            return Ok(inside);
        }
        let bound = constant(index.len(), hi);
        let in_range = self.aig.less(index, &bound, true);
        Ok(self.aig.choose(in_range, &inside, &zero))
    }
}
