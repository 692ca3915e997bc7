//! Encodings of a read of a base: constant content, by configuration, and array symbols.

use super::super::method::Content;
use super::super::state::{AbstractRead, Below, ReadId, Source};
use super::super::tables::{self, Progression};
use super::Arrays;
use crate::circuit::Circuit;
use crate::circuit::circuits::{Bits, TableLeaves, constant};
use crate::query::Why;
use crate::sat::Lit;
use rustc_hash::FxHashMap;

/// Under `auto`, reads that can meet more elements are abstracted.
pub(super) const WIDEST_WINDOW: u64 = 1 << 14;
/// Windows above this many entries are refused.
const MAX_WINDOW: u64 = 1 << 22;

/// The index at which a base is read, and its bounds.
pub(crate) struct ReadWindow {
    pub index: Bits,
    /// Inclusive bounds of the index.
    pub window: (u64, u64),
    /// Bits of an element.
    pub elem: usize,
}

impl Arrays {
    /// Is a read of content a table into which stores at constant indices can be written?
    /// `end` is where the zeros begin.
    pub(super) fn is_table(&self, end: u64, window: (u64, u64)) -> bool {
        let last = window.1.min(end.saturating_sub(1));
        matches!(self.method.traits().content, Content::Window)
            && last.saturating_sub(window.0.min(last)) < WIDEST_WINDOW
    }

    /// The element of `content` at an index, and the abstract read that it is. `fixed` are stores above it that a
    /// table absorbs.
    ///
    /// # Errors
    /// The circuit would be too large.
    pub(in super::super) fn content_value(
        &mut self,
        circuit: &mut Circuit,
        content: u32,
        fixed: &[(u64, Bits)],
        place: &ReadWindow,
    ) -> Result<(Bits, Option<ReadId>), Why> {
        let ReadWindow {
            index,
            window: bounds,
            elem,
        } = place;
        let bytes = self.contents[content as usize].clone();
        if !fixed.is_empty()
            || self.is_table(bytes.len() as u64, *bounds)
                && !self.is_random(content, index, *bounds)
        {
            return Ok((window(circuit, &bytes, fixed, place)?, None));
        }
        match self.method.traits().content {
            Content::Whole(encode) => Ok((encode(circuit, &bytes, index, *elem)?, None)),
            Content::Window | Content::Abstract => {
                Ok(self.base_read(circuit, Source::Content(content), place))
            }
        }
    }

    /// Are the elements of a window too irregular for a multiplexer tree?
    fn is_random(&mut self, content: u32, index: &Bits, window: (u64, u64)) -> bool {
        let elements = Progression::of(index, window);
        if let Some(&known) = self.random.get(&(content, elements)) {
            return known;
        }
        let is_random = tables::is_random(&self.contents[content as usize], elements);
        self.random.insert((content, elements), is_random);
        is_random
    }

    /// The fresh inputs that stand for a base's element, whatever the window.
    pub(in super::super) fn base_read(
        &mut self,
        circuit: &mut Circuit,
        source: Source,
        place: &ReadWindow,
    ) -> (Bits, Option<ReadId>) {
        let id = self.find(source, &place.index).unwrap_or_else(|| {
            let whole = (0, u64::MAX);
            let read = AbstractRead::new(place.index.clone(), Below::Source(source), whole);
            self.abstract_read(circuit, read, place.elem)
        });
        (self.reads[id as usize].value.clone(), Some(id))
    }

    /// Registers a read with fresh inputs as its value.
    pub(super) fn abstract_read(
        &mut self,
        circuit: &mut Circuit,
        read: AbstractRead,
        elem: usize,
    ) -> ReadId {
        let value = circuit.inputs(elem);
        self.add(AbstractRead { value, ..read })
    }
}

/// `index = at`.
pub(in super::super) fn is_at(circuit: &mut Circuit, index: &Bits, at: u64) -> Lit {
    let at = constant(index.len(), at);
    circuit.aig.equal(index, &at)
}

/// `first <= index <= last`.
pub(in super::super) fn is_between(
    circuit: &mut Circuit,
    index: &Bits,
    first: u64,
    last: u64,
) -> Lit {
    if first == last {
        return is_at(circuit, index, first);
    }
    let (low, high) = (constant(index.len(), first), constant(index.len(), last));
    let above = circuit.aig.less(&low, index, true);
    let below = circuit.aig.less(index, &high, true);
    circuit.aig.and(above, below)
}

/// The multiplexer tree over a base's bytes with stores at constant indices (newest first).
///
/// # Errors
/// The window is too large.
pub(in super::super) fn window(
    circuit: &mut Circuit,
    content: &[u8],
    fixed: &[(u64, Bits)],
    place: &ReadWindow,
) -> Result<Bits, Why> {
    let ReadWindow {
        index,
        window,
        elem,
    } = place;
    let mut newest: FxHashMap<u64, &Bits> = FxHashMap::default();
    for (i, value) in fixed {
        newest.entry(*i).or_insert(value);
    }
    // Past the content and the stores everything is 0.
    let end = (content.len() as u64).max(newest.keys().max().map_or(0, |&i| i + 1));
    let zero = constant(*elem, 0);
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
                    *id = leaves.intern(constant(*elem, byte as u64));
                }
                *id
            }
        });
    }
    let inside = circuit.aig.table(&index[..differing], entries, &mut leaves);
    if window.1 <= hi {
        return Ok(inside);
    }
    let bound = constant(index.len(), hi);
    let in_range = circuit.aig.less(index, &bound, true);
    Ok(circuit.aig.choose(in_range, &inside, &zero))
}
