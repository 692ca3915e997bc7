//! Encodings of a read of constant content, by configuration.

use super::abstraction::{AbstractRead, Below, Parts, ReadId, Source};
use super::method::ArrayMethod;
use super::tables::{self, Progression};
use crate::bitblast::circuits::{Bits, constant};
use crate::bitblast::lower::Lowering;
use crate::query::Why;
use crate::sat::Lit;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Under `auto`, reads that can meet more elements are abstracted.
pub(crate) const WIDEST_WINDOW: u64 = 1 << 14;
/// Comparisons that one read of the eager encodings may cost.
const MAX_COMPARISONS: usize = 1 << 20;

impl Lowering {
    /// Is a read of content a table into which stores at constant indices can be written?
    /// `end` is where the zeros begin.
    pub(crate) fn is_table(&self, end: u64, window: (u64, u64)) -> bool {
        let last = window.1.min(end.saturating_sub(1));
        self.arrays.method == ArrayMethod::Auto
            && last.saturating_sub(window.0.min(last)) < WIDEST_WINDOW
    }

    /// The element of `content` at an index; `fixed` are stores above it that a table absorbs.
    pub(crate) fn content_value(
        &mut self,
        content: u32,
        fixed: &[(u64, Bits)],
        index: &Bits,
        window: (u64, u64),
        elem: usize,
        parts: &mut Parts,
    ) -> Result<Bits, Why> {
        let bytes = self.arrays.contents[content as usize].clone();
        if !fixed.is_empty()
            || self.is_table(bytes.len() as u64, window) && !self.is_random(content, index, window)
        {
            return self.window(&bytes, fixed, index, window, elem);
        }
        match self.arrays.method {
            ArrayMethod::Flush => self.flushed(&bytes, index, elem),
            ArrayMethod::ArraySimplify => self.merged(&bytes, index, elem),
            _ => {
                let id = self.base_read(Source::Content(content), index, elem);
                parts.reads.push(id);
                Ok(self.arrays.reads[id as usize].value.clone())
            }
        }
    }

    /// Are the elements of a window too irregular for a multiplexer tree?
    fn is_random(&mut self, content: u32, index: &Bits, window: (u64, u64)) -> bool {
        let elements = Progression::of(index, window);
        if let Some(&known) = self.arrays.random.get(&(content, elements)) {
            return known;
        }
        let is_random = tables::is_random(&self.arrays.contents[content as usize], elements);
        self.arrays.random.insert((content, elements), is_random);
        is_random
    }

    /// The fresh inputs that stand for a base's element.
    pub(crate) fn base_read(&mut self, source: Source, index: &Bits, elem: usize) -> ReadId {
        if let Some(id) = self.arrays.find(source, index) {
            return id;
        }
        self.abstract_read(
            AbstractRead::new(index.clone(), Below::Source(source), (0, u64::MAX)),
            elem,
        )
    }

    /// Registers a read with fresh inputs as its value.
    pub(crate) fn abstract_read(&mut self, read: AbstractRead, elem: usize) -> ReadId {
        let value: Bits = (0..elem).map(|_| self.aig.input()).collect();
        self.arrays.add(AbstractRead { value, ..read })
    }

    /// The flushing encoding (vanilla KLEE): the array is a chain of writes over all elements, so a
    /// read is one comparison and choice for each.
    fn flushed(&mut self, bytes: &Rc<[u8]>, index: &Bits, elem: usize) -> Result<Bits, Why> {
        if bytes.len() > MAX_COMPARISONS {
            return Err(Why::TooLarge);
        }
        let mut result = constant(elem, 0);
        for (i, &byte) in bytes.iter().enumerate() {
            let same = self.is_at(index, i as u64);
            let value = constant(elem, byte as u64);
            result = self.aig.choose(same, &value, &result);
        }
        Ok(result)
    }

    /// Repeated values merged (Perry, Mattavelli, Zhang and Cadar, "Accelerating array constraints
    /// in symbolic execution", ISSTA 2017): a choice between the distinct values, the condition of
    /// each being the runs of indices that hold it; the most frequent value is what is left.
    fn merged(&mut self, bytes: &Rc<[u8]>, index: &Bits, elem: usize) -> Result<Bits, Why> {
        let mut runs: FxHashMap<u8, Vec<(u64, u64)>> = FxHashMap::default();
        let mut start = 0;
        for i in 1..=bytes.len() {
            if i == bytes.len() || bytes[i] != bytes[start] {
                let run = (start as u64, i as u64 - 1);
                runs.entry(bytes[start]).or_default().push(run);
                start = i;
            }
        }
        // Past the end everything is zero.
        if (bytes.len() as u64) < term::mask(index.len() as u32) {
            runs.entry(0)
                .or_default()
                .push((bytes.len() as u64, u64::MAX));
        }
        let mut runs: Vec<(u8, Vec<(u64, u64)>)> = runs.into_iter().collect();
        runs.sort_unstable_by(|(v, a), (w, b)| (b.len(), v).cmp(&(a.len(), w)));
        let mut runs = runs.into_iter();
        let Some((common, _)) = runs.next() else {
            return Ok(constant(elem, 0));
        };
        let mut result = constant(elem, common as u64);
        for (value, runs) in runs {
            let within: Vec<Lit> = runs
                .iter()
                .map(|&(first, last)| self.is_between(index, first, last))
                .collect();
            let any = self.aig.or_all(within);
            let value = constant(elem, value as u64);
            result = self.aig.choose(any, &value, &result);
        }
        Ok(result)
    }

    /// `index = at`.
    pub(crate) fn is_at(&mut self, index: &Bits, at: u64) -> Lit {
        let at = constant(index.len(), at);
        self.aig.equal(index, &at)
    }

    /// `first <= index <= last`.
    pub(crate) fn is_between(&mut self, index: &Bits, first: u64, last: u64) -> Lit {
        if first == last {
            return self.is_at(index, first);
        }
        let (low, high) = (constant(index.len(), first), constant(index.len(), last));
        let above = self.aig.less(&low, index, true);
        let below = self.aig.less(index, &high, true);
        self.aig.and(above, below)
    }
}
