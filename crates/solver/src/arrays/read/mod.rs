//! Array reads: read-over-write, down to a base.
//!
//! The update list is walked from the newest store down. Stores at constant indices directly above the base overwrite
//! entries of the base's table; a store at a symbolic index (and what lies above it) becomes "index equal ? value :
//! older". The table covers only the window of the index: the bounds that the executor knew, the index's own interval,
//! and constant index bits (which select without a gate). [`walk`] handles updates, [`base`] the array below them. A
//! long chain of stores at symbolic indices is read a block of stores at a time, on demand ([`block`]).
//!
//! Bounds given with a select hold under the path on which it was made; that path is part of every
//! query about it, and each model is evaluated with the real semantics afterwards.

mod base;
mod block;
mod key;
mod walk;

pub(super) use base::{ReadWindow, is_at, is_between, window};
pub(crate) use key::ReadKey;

use super::Arrays;
use super::scaled::Scaled;
use super::state::{AbstractRead, Below, ReadDependencies};
use crate::circuit::Circuit;
use crate::circuit::circuits::Bits;
use crate::query::Why;
use crate::sat::Lit;
use base::WIDEST_WINDOW;
use block::Beginning;
use key::At;
use term::{Op, Pool, Sort, Term};

impl Arrays {
    /// The bits of a read; `None` if terms were pushed to `work` that need bits first.
    ///
    /// # Errors
    /// The circuit would be too large, or a part of the array has no circuit.
    pub(super) fn read(
        &mut self,
        circuit: &mut Circuit,
        pool: &Pool,
        root: ReadKey,
        work: &mut Vec<Term>,
    ) -> Result<Option<Bits>, Why> {
        let mut stack = self.waiting.remove(&root).unwrap_or_else(|| vec![root]);
        while let Some(&key) = stack.last() {
            circuit.check()?;
            if !self.lowered.contains_key(&key) {
                let waiting = work.len();
                if !self.step(circuit, pool, key, work, &mut stack)? {
                    if work.len() == waiting {
                        continue; // other reads first
                    }
                    if stack.len() > 1 {
                        self.waiting.insert(root, stack);
                    }
                    return Ok(None);
                }
            }
            stack.pop();
        }
        Ok(Some(circuit.range(self.lowered[&root]).to_vec()))
    }

    fn keep(&mut self, circuit: &mut Circuit, key: ReadKey, bits: &[Lit], parts: ReadDependencies) {
        self.lowered.insert(key, circuit.store(bits));
        if !parts.is_empty() {
            self.parts.insert(key, parts);
        }
    }

    /// Builds a read. Returns false if it pushed terms or other reads that it needs first.
    fn step(
        &mut self,
        circuit: &mut Circuit,
        pool: &Pool,
        key: ReadKey,
        work: &mut Vec<Term>,
        stack: &mut Vec<ReadKey>,
    ) -> Result<bool, Why> {
        let Sort::Array { elem, .. } = pool.sort(key.array) else {
            return Err(Why::Array);
        };
        let elem = elem as usize;
        if let Some(scaled) = self.scaled(pool, key) {
            let Some(index) = circuit.wanted(scaled.inner, work) else {
                return Ok(false);
            };
            let content = self.scaled_content(pool, key.array, scaled.scale);
            let place = ReadWindow {
                index,
                window: (scaled.first, scaled.last),
                elem,
            };
            let (result, read) = self.content_value(circuit, content, &[], &place)?;
            let parts = ReadDependencies {
                reads: read.into_iter().collect(),
                scale: Some(scaled.scale),
                ..ReadDependencies::default()
            };
            self.keep(circuit, key, &result, parts);
            return Ok(true);
        }
        let index = match key.index {
            At::Bits(id) => self.indices[id as usize].clone(),
            At::Term(t) => match circuit.wanted(t, work) {
                Some(bits) => bits,
                None => return Ok(false),
            },
        };
        match self.beginning(circuit, pool, key, &index, work) {
            Beginning::Short => {}
            Beginning::Later => return Ok(false),
            Beginning::Block(block) => {
                let read = AbstractRead {
                    updates: block.updates,
                    ..AbstractRead::new(index, Below::Older(block.below), key.window())
                };
                let id = self.abstract_read(circuit, read, elem);
                let parts = ReadDependencies {
                    reads: vec![id],
                    ..ReadDependencies::default()
                };
                let value = self.reads[id as usize].value.clone();
                self.keep(circuit, key, &value, parts);
                return Ok(true);
            }
        }
        let Some(mut walk) = self.walk(circuit, pool, key, &index, work, stack)? else {
            return Ok(false);
        };
        let mut keys = std::mem::take(&mut walk.keys);
        let place = ReadWindow {
            index,
            window: key.window(),
            elem,
        };
        let (result, read) = self.assemble(circuit, walk, &place)?;
        keys.retain(|k| self.parts.contains_key(k));
        let parts = ReadDependencies {
            reads: read.into_iter().collect(),
            keys,
            scale: None,
        };
        self.keep(circuit, key, &result, parts);
        Ok(true)
    }

    /// The index taken apart, where that makes the table smaller.
    fn scaled(&self, pool: &Pool, key: ReadKey) -> Option<Scaled> {
        let At::Term(index) = key.index else {
            return None;
        };
        let may = self.method.traits().scales && pool.op(key.array) == Op::ArrayBytes;
        let scaled = may.then(|| Scaled::of(pool, index, key.window()))??;
        (scaled.last < WIDEST_WINDOW).then_some(scaled)
    }
}
