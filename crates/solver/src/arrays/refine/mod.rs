//! From violations to axioms.
//!
//! Every axiom is valid by itself, so it is asserted for good. For a violated element of constant
//! content, all elements that the read can meet are given in the second round (up to [`BATCH`] a
//! round): a proof of unsatisfiability over a table needs most of them anyway, and one at a time
//! would take as many calls of the SAT solver.

mod distinguish;
mod together;

use super::Arrays;
use super::equality::stored_indices;
use super::method::Necessary;
use super::read::{ReadKey, ReadWindow, is_at};
use super::relevant::{Member, Relevant};
use super::state::{Below, ReadId, Source, Violation};
use super::tables::{Progression, known_residue};
use crate::circuit::circuits::{Bits, constant};
use crate::circuit::terms::Range;
use crate::circuit::{Circuit, Clauses};
use crate::query::Why;
use crate::sat::Lit;
use rustc_hash::FxHashSet;
use term::{Pool, Sort, Term, mask};

/// Elements of one read that a later round adds.
const BATCH: u64 = 1024;
/// Blocks of older stores that follow at once are at most two to this power.
const FURTHEST: u32 = 20;

/// Adds axioms about arrays to one SAT instance.
pub(crate) struct Refiner<'a, 'c> {
    pub pool: &'a Pool,
    pub arrays: &'a mut Arrays,
    pub cx: &'a mut Clauses<'c>,
    /// Axioms added.
    pub added: u64,
    /// Violations that the filter calls impossible.
    pub filtered: u64,
}

impl<'a, 'c> Refiner<'a, 'c> {
    /// Nothing was added yet.
    pub fn new(arrays: &'a mut Arrays, cx: &'a mut Clauses<'c>, pool: &'a Pool) -> Self {
        Refiner {
            pool,
            arrays,
            cx,
            added: 0,
            filtered: 0,
        }
    }

    /// Gives the axioms that lowering left to the SAT solver.
    pub fn settle(&mut self) {
        for axiom in std::mem::take(&mut self.arrays.pending) {
            self.assert(axiom);
        }
    }

    /// Answers violations; `round` counts from 0. With `filter`, elements that known facts about an index exclude are
    /// left out.
    pub fn refine(
        &mut self,
        relevant: &Relevant,
        violations: &[Violation],
        round: u32,
        filter: bool,
    ) -> Result<(), Why> {
        if self.arrays.method.traits().all_at_once && round > 0 {
            self.everything(relevant);
        }
        for &violation in violations {
            match violation {
                Violation::Element(member, at) => self.elements(member, at, round, filter)?,
                Violation::Pair(a, b) => self.pair(a, b),
                Violation::Store(id, k) => self.store(id, k),
                Violation::Below(id) => self.below(id)?,
                Violation::Equal(t) => self.equal(t, relevant)?,
            }
        }
        self.settle();
        Ok(())
    }

    pub(super) fn assert(&mut self, axiom: Lit) {
        if axiom == Lit::TRUE {
            return;
        }
        self.added += 1;
        self.cx.assert(axiom);
    }

    /// `condition` implies that two values are equal.
    fn imply_equal(&mut self, condition: Lit, a: &Bits, b: &Bits) {
        let same = self.cx.circuit.aig.equal(a, b);
        let axiom = self.cx.circuit.aig.or(!condition, same);
        self.assert(axiom);
    }

    /// The axiom of one element, if it is new: `index = at` implies the content.
    pub(super) fn element(&mut self, id: ReadId, at: u64) -> bool {
        let index = self.arrays.reads[id as usize].index.clone();
        self.element_under(id, at, |circuit| is_at(circuit, &index, at))
    }

    /// The same with the condition that the index is `at`, which is built when it is needed.
    pub(super) fn element_under(
        &mut self,
        id: ReadId,
        at: u64,
        here: impl FnOnce(&mut Circuit) -> Lit,
    ) -> bool {
        let read = &self.arrays.reads[id as usize];
        let Below::Source(Source::Content(content)) = read.below else {
            return false;
        };
        debug_assert!(read.updates.is_empty(), "the read of a base");
        let bytes = &self.arrays.contents[content as usize];
        let (index, value) = (read.index.clone(), read.value.clone());
        let end = bytes.len() as u64;
        let read = &mut self.arrays.reads[id as usize];
        if at >= end {
            if std::mem::replace(&mut read.beyond, true) {
                return false;
            }
            let limit = constant(index.len(), end);
            let inside = self.cx.circuit.aig.less(&index, &limit, false);
            self.imply_equal(!inside, &value, &constant(value.len(), 0));
            return true;
        }
        if !read.elements.insert(at) {
            return false;
        }
        let byte = bytes[at as usize];
        let here = here(self.cx.circuit);
        if here == Lit::FALSE {
            return false;
        }
        // Directly as clauses: one gate for the index, whatever the value.
        let here = (here != Lit::TRUE).then(|| !self.cx.literal(here));
        for (i, &bit) in value.iter().enumerate() {
            let bit = self.cx.literal(bit);
            let wanted = bit.negate_if(i >= 8 || byte >> i & 1 == 0);
            let clause: Vec<Lit> = here.into_iter().chain([wanted]).collect();
            self.cx.sat.add_clause(&clause);
        }
        self.added += 1;
        true
    }

    /// A violated element, and more of the same read with each round.
    fn elements(&mut self, member: Member, at: u64, round: u32, filter: bool) -> Result<(), Why> {
        let (lo, hi, step) = self.necessary(member, filter);
        if at < lo || at > hi || !(at - lo).is_multiple_of(step) {
            self.filtered += 1;
            if (lo..=hi).contains(&at)
                && let Below::Source(source) = self.arrays.reads[member.id as usize].below
            {
                self.arrays.untyped.insert(source);
            }
            return Ok(());
        }
        if self.arrays.method.traits().gives_together
            && filter
            && self.together(member.id, Progression { lo, hi, step }, round)?
        {
            return Ok(());
        }
        self.element(member.id, at);
        if self.arrays.method.traits().all_at_once {
            return Ok(()); // violated ones only, and then all at once
        }
        let end = self.arrays.length(member.id);
        let mut more = if round == 0 { 0 } else { BATCH };
        let mut next = at;
        let mut looked = 0;
        while more > 0 && looked < end / step {
            looked += 1;
            next = match next.checked_add(step) {
                Some(next) if next <= hi && next < end => next,
                _ => lo,
            };
            more -= self.element(member.id, next) as u64;
        }
        Ok(())
    }

    /// The indices that a read may have: the first, the last and their distance.
    pub fn necessary(&self, member: Member, filter: bool) -> (u64, u64, u64) {
        let known = self.arrays.method.traits().necessary;
        if !filter || known == Necessary::All {
            return (0, u64::MAX, 1);
        }
        let (lo, hi) = member.window;
        if known == Necessary::Window || lo > hi {
            return (lo, hi.max(lo), 1);
        }
        let index = &self.arrays.reads[member.id as usize].index;
        let (mut step, mut residue) = known_residue(index);
        let mut lo = lo;
        // The access type, where known bits say less and do not contradict it.
        let (size, anchor) = member.access;
        if size > step && anchor & (step - 1) == residue {
            (step, residue) = (size, anchor & (size - 1));
        }
        lo = lo.saturating_add(residue.wrapping_sub(lo) & (step - 1));
        (lo, hi, step)
    }

    /// Equal indices imply equal values.
    pub(super) fn pair(&mut self, a: ReadId, b: ReadId) {
        if !self.arrays.pairs.insert((a.min(b), a.max(b))) {
            return;
        }
        let [(i, v), (j, w)] = [a, b].map(|id| {
            let read = &self.arrays.reads[id as usize];
            (read.index.clone(), read.value.clone())
        });
        let same = self.cx.circuit.aig.equal(&i, &j);
        self.imply_equal(same, &v, &w);
    }

    /// The condition that a read's index is none of the first `count` stores'.
    fn misses(&mut self, id: ReadId, count: usize) -> Lit {
        let read = &self.arrays.reads[id as usize];
        let index = read.index.clone();
        let stores: Vec<Range> = read.updates[..count].iter().map(|u| u.0).collect();
        let mut none = Lit::TRUE;
        for at in stores {
            let at = self.cx.circuit.range(at).to_vec();
            let same = self.cx.circuit.aig.equal(&index, &at);
            none = self.cx.circuit.aig.and(none, !same);
        }
        none
    }

    /// Read-over-write, hit: no newer store has the index, this one has.
    fn store(&mut self, id: ReadId, k: usize) {
        let misses = self.misses(id, k);
        let read = &self.arrays.reads[id as usize];
        let (index, value) = (read.index.clone(), read.value.clone());
        let (at, stored) = read.updates[k];
        let [at, stored] = [at, stored].map(|range| self.cx.circuit.range(range).to_vec());
        let same = self.cx.circuit.aig.equal(&index, &at);
        let hit = self.cx.circuit.aig.and(misses, same);
        self.imply_equal(hit, &value, &stored);
    }

    /// Read-over-write, miss: no store has the index, so the read equals that of the array below. If that is a block
    /// of older stores, the next ones follow at once: twice as many each time, so that few rounds reach the end of a
    /// chain.
    fn below(&mut self, id: ReadId) -> Result<(), Why> {
        let reach = self.arrays.reads[id as usize].reach;
        let mut next = Some(id);
        for _ in 0..1u64 << reach {
            let Some(id) = next else {
                break;
            };
            next = self.block_below(id)?;
        }
        if let Some(next) = next {
            let next = &mut self.arrays.reads[next as usize];
            next.reach = next.reach.max(reach + 1).min(FURTHEST);
        }
        Ok(())
    }

    /// The same for one block; the next one, if there is one.
    fn block_below(&mut self, id: ReadId) -> Result<Option<ReadId>, Why> {
        let read = &self.arrays.reads[id as usize];
        let below = read.below.clone();
        if read.base.is_none() {
            let (index, value, window) = (read.index.clone(), read.value.clone(), read.window);
            let count = read.updates.len();
            let place = ReadWindow {
                index,
                window,
                elem: value.len(),
            };
            let base = match below.clone() {
                Below::Value(bits) => (bits, None),
                Below::Older(key) => (self.instance(key)?, None),
                Below::Gone => return Err(Why::Internal),
                Below::Source(source @ Source::Free(_)) => {
                    self.arrays.base_read(self.cx.circuit, source, &place)
                }
                Below::Source(Source::Content(content)) => {
                    self.arrays
                        .content_value(self.cx.circuit, content, &[], &place)?
                }
            };
            let misses = self.misses(id, count);
            self.imply_equal(misses, &value, &base.0);
            self.arrays.reads[id as usize].base = Some(base);
        }
        let Below::Older(key) = below else {
            return Ok(None);
        };
        let parts = self.arrays.parts.get(&key);
        let next = parts.and_then(|parts| parts.reads.first().copied());
        Ok(next.filter(|&id| !self.arrays.reads[id as usize].updates.is_empty()))
    }

    /// Instantiates an equality of arrays at the indices of the query.
    fn equal(&mut self, t: Term, relevant: &Relevant) -> Result<(), Why> {
        let (a, b) = (self.pool.child(t, 0), self.pool.child(t, 1));
        let Sort::Array { index: width, .. } = self.pool.sort(a) else {
            return Err(Why::Array);
        };
        for index in self.indices(relevant, width) {
            let id = self.arrays.index(&index);
            let Some(equality) = self.arrays.equalities.get_mut(&t) else {
                return Err(Why::Internal);
            };
            let bit = equality.bit;
            if equality.instances.contains(&id) {
                continue;
            }
            let window = if index.iter().all(|l| l.is_const()) && width <= 64 {
                let at = (0..width)
                    .map(|i| ((index[i as usize] == Lit::TRUE) as u64) << i)
                    .sum();
                (at, at)
            } else {
                (0, mask(width))
            };
            let keys = [a, b].map(|array| ReadKey::at_bits(array, id, window));
            let left = self.instance(keys[0])?;
            let right = self.instance(keys[1])?;
            // Not before: the budget may end between two instances.
            if let Some(equality) = self.arrays.equalities.get_mut(&t) {
                equality.instances.insert(id);
                equality.keys.extend(keys);
            }
            self.imply_equal(bit, &left, &right);
        }
        Ok(())
    }

    /// The read of a compared array at an index vector: all terms that the array is built of have bits.
    pub(super) fn instance(&mut self, key: ReadKey) -> Result<Bits, Why> {
        let read = self
            .arrays
            .read(self.cx.circuit, self.pool, key, &mut Vec::new())?;
        read.ok_or(Why::Internal)
    }

    /// The indices at which arrays of an index width have to agree.
    fn indices(&mut self, relevant: &Relevant, width: u32) -> Vec<Bits> {
        let equalities = relevant.equalities.iter();
        let mut equalities = equalities.filter_map(|t| Some((t, self.arrays.equalities.get(t)?)));
        if equalities.any(|(&t, e)| e.everywhere && index_width(self.pool, t) == Some(width)) {
            return (0..1 << width)
                .map(|i| constant(width as usize, i))
                .collect();
        }
        let mut all: Vec<Bits> = Vec::new();
        let mut arrays: Vec<Term> = Vec::new();
        for &t in &relevant.equalities {
            if index_width(self.pool, t) != Some(width) {
                continue;
            }
            arrays.extend([self.pool.child(t, 0), self.pool.child(t, 1)]);
            let equality = self.arrays.equalities.get(&t);
            if let Some(witness) = equality.and_then(|e| e.witness) {
                all.push(self.arrays.indices[witness as usize].clone());
            }
        }
        let (stored, content) = stored_indices(self.pool, &arrays);
        all.extend(
            stored
                .iter()
                .filter_map(|&i| Some(self.cx.circuit.get(i)?.to_vec())),
        );
        for member in &relevant.reads {
            let read = &self.arrays.reads[member.id as usize];
            if read.index.len() == width as usize {
                all.push(read.index.clone());
                let circuit = &self.cx.circuit;
                all.extend(read.updates.iter().map(|u| circuit.range(u.0).to_vec()));
            }
        }
        all.extend((0..content).map(|i| constant(width as usize, i)));
        let mut seen: FxHashSet<Bits> = FxHashSet::default();
        all.retain(|index| seen.insert(index.clone()));
        all
    }
}

/// The width of the indices of two arrays that are compared.
fn index_width(pool: &Pool, t: Term) -> Option<u32> {
    match pool.sort(pool.child(t, 0)) {
        Sort::Array { index, .. } => Some(index),
        _ => None,
    }
}
