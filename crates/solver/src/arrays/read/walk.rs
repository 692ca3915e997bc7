//! Read-over-write: from the newest store down to a base, and up again.

use super::super::state::{AbstractRead, Below, ReadId, Source};
use super::{Arrays, ReadKey, ReadWindow, is_at};
use crate::circuit::Circuit;
use crate::circuit::circuits::{Bits, constant};
use crate::circuit::terms::Range;
use crate::query::Why;
use crate::sat::Lit;
use term::{Op, Pool, Term};

/// Longer update lists are abstracted.
pub(super) const EAGER_UPDATES: usize = 24;

/// Part of an update list, newest first.
enum Update {
    /// Stores at constant indices.
    Fixed(Vec<(u64, Bits)>),
    /// A store whose index may equal the read's: its index, the equality, and the value.
    Maybe(Bits, Lit, Bits),
}

/// The end of a walk: a base, or a known value.
enum Base {
    Source(Source),
    Value(Bits),
}

/// The updates that a read passes.
pub(super) struct Walk {
    updates: Vec<Update>,
    base: Base,
    /// Reads of older versions that it ends at.
    pub keys: Vec<ReadKey>,
}

impl Arrays {
    /// Walks down from the newest store. `None` when something has to be lowered first: terms, now on `work`, or
    /// else reads, now on `stack`.
    pub(super) fn walk(
        &mut self,
        circuit: &mut Circuit,
        pool: &Pool,
        key: ReadKey,
        index: &Bits,
        work: &mut Vec<Term>,
        stack: &mut Vec<ReadKey>,
    ) -> Result<Option<Walk>, Why> {
        let waiting = work.len();
        let mut keys: Vec<ReadKey> = Vec::new();
        let mut updates: Vec<Update> = Vec::new();
        let mut array = key.array;
        let base = loop {
            if array != key.array
                && let Some(&range) = self.lowered.get(&key.at(array))
            {
                keys.push(key.at(array));
                break Base::Value(circuit.range(range).to_vec());
            }
            let kids = pool.children(array);
            match pool.op(array) {
                Op::ArrayBytes => break Base::Source(Source::Content(self.content(pool, array))),
                Op::Symbol => {
                    let symbol = pool.as_symbol(array).expect("a symbol");
                    break Base::Source(Source::Free(symbol));
                }
                Op::ArrayConst => match circuit.wanted(kids[0], work) {
                    Some(value) => break Base::Value(value),
                    None => return Ok(None),
                },
                Op::Ite => {
                    let arms = [kids[1], kids[2]].map(|arm| key.at(arm));
                    let reads = stack.len();
                    stack.extend(arms.iter().filter(|k| !self.lowered.contains_key(k)));
                    if stack.len() > reads {
                        work.truncate(waiting);
                        return Ok(None);
                    }
                    let Some(condition) = circuit.wanted(kids[0], work) else {
                        return Ok(None);
                    };
                    keys.extend(arms);
                    let [then, other] = arms.map(|k| circuit.range(self.lowered[&k]).to_vec());
                    break Base::Value(circuit.aig.choose(condition[0], &then, &other));
                }
                Op::Store => {
                    let (at, value, older) = (kids[1], kids[2], kids[0]);
                    if let Some(i) = pool.as_const(at) {
                        if (key.lo..=key.hi).contains(&i)
                            && let Some(value) = circuit.wanted(value, work)
                        {
                            match updates.last_mut() {
                                Some(Update::Fixed(list)) => list.push((i, value)),
                                _ => updates.push(Update::Fixed(vec![(i, value)])),
                            }
                        }
                    } else {
                        let (lo, hi) = pool.interval(at);
                        if hi >= key.lo && lo <= key.hi {
                            let at = circuit.wanted(at, work);
                            let value = circuit.wanted(value, work);
                            if let (Some(at), Some(value)) = (at, value) {
                                let same = circuit.aig.equal(index, &at);
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
        let is_complete = work.len() == waiting;
        Ok(is_complete.then_some(Walk {
            updates,
            base,
            keys,
        }))
    }

    /// The result of a read, and the abstract read that it depends on.
    pub(super) fn assemble(
        &mut self,
        circuit: &mut Circuit,
        walk: Walk,
        place: &ReadWindow,
    ) -> Result<(Bits, Option<ReadId>), Why> {
        let Walk {
            mut updates, base, ..
        } = walk;
        let fixed = self.absorbed(&mut updates, &base, place);
        let comparisons: usize = updates
            .iter()
            .map(|u| match u {
                Update::Fixed(list) => list.len(),
                Update::Maybe(..) => 1,
            })
            .sum();
        if comparisons > EAGER_UPDATES && self.method.traits().is_lazy && fixed.is_empty() {
            let id = self.abstract_chain(circuit, updates, base, place);
            return Ok((self.reads[id as usize].value.clone(), Some(id)));
        }
        let (below, read) = match base {
            Base::Value(bits) => (bits, None),
            Base::Source(Source::Content(content)) => {
                self.content_value(circuit, content, &fixed, place)?
            }
            Base::Source(free) => self.base_read(circuit, free, place),
        };
        Ok((updated(circuit, &place.index, updates, below), read))
    }

    /// The oldest stores, if they are written into the base's table: they need no comparison.
    fn absorbed(
        &self,
        updates: &mut Vec<Update>,
        base: &Base,
        place: &ReadWindow,
    ) -> Vec<(u64, Bits)> {
        let Base::Source(Source::Content(content)) = *base else {
            return Vec::new();
        };
        let len = self.contents[content as usize].len() as u64;
        let Some(Update::Fixed(list)) = updates.last_mut() else {
            return Vec::new();
        };
        let ends = list.iter().map(|s| s.0.saturating_add(1));
        if !self.is_table(ends.fold(len, u64::max), place.window) {
            return Vec::new();
        }
        let fixed = std::mem::take(list);
        updates.pop();
        fixed
    }

    /// A read of a long update list as fresh inputs.
    fn abstract_chain(
        &mut self,
        circuit: &mut Circuit,
        updates: Vec<Update>,
        base: Base,
        place: &ReadWindow,
    ) -> ReadId {
        let mut list: Vec<(Range, Range)> = Vec::new();
        let mut push = |at: &Bits, value: &Bits| {
            list.push((circuit.store(at), circuit.store(value)));
        };
        for update in updates {
            match update {
                Update::Fixed(fixed) => {
                    for (i, value) in fixed {
                        push(&constant(place.index.len(), i), &value);
                    }
                }
                Update::Maybe(at, _, value) => push(&at, &value),
            }
        }
        let below = match base {
            Base::Source(source) => Below::Source(source),
            Base::Value(bits) => Below::Value(bits),
        };
        let read = AbstractRead {
            updates: list,
            ..AbstractRead::new(place.index.clone(), below, place.window)
        };
        self.abstract_read(circuit, read, place.elem)
    }
}

/// Read-over-write: the value below under the updates.
fn updated(circuit: &mut Circuit, index: &Bits, mut updates: Vec<Update>, below: Bits) -> Bits {
    let mut result = below;
    while let Some(update) = updates.pop() {
        match update {
            Update::Maybe(_, same, value) => result = circuit.aig.choose(same, &value, &result),
            Update::Fixed(list) => {
                for (i, value) in list.iter().rev() {
                    let same = is_at(circuit, index, *i);
                    result = circuit.aig.choose(same, value, &result);
                }
            }
        }
    }
    result
}
