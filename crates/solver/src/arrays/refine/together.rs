//! The axioms that are necessary for a read, all at once and in one circuit.
//!
//! Of the axioms of a read, intervals and types leave those for the elements at `lo, lo + step, … hi` (Alg. 4 of "Type
//! and interval aware array constraint solving for symbolic execution"). One by one they are an equality of the index
//! and eight clauses each. Together they state that under `lo <= index <= hi`, and the residue of the step, the value
//! is a multiplexer tree over the index, in which equal runs of elements are one node: the same axioms, smaller, and
//! propagation goes through the tree. The condition makes it valid for every query, so it is asserted for good.

use super::super::read::{ReadWindow, is_between, window};
use super::super::state::{Below, ReadId, Source};
use super::super::tables::{LARGEST, Progression, is_random};
use super::Refiner;
use crate::query::Why;
use crate::sat::Lit;
use term::mask;

/// Elements that are few enough to be given with the first violated one.
const SMALL: u64 = 256;

impl Refiner<'_, '_> {
    /// Adds all necessary elements of a read of content, if they are not too many: few at the first violation, more in
    /// later rounds. Returns whether it did.
    pub(super) fn together(
        &mut self,
        id: ReadId,
        wanted: Progression,
        round: u32,
    ) -> Result<bool, Why> {
        let read = &self.arrays.reads[id as usize];
        let Below::Source(Source::Content(content)) = read.below else {
            return Ok(false);
        };
        let wanted = match read.table {
            Some(given) if given.covers(wanted) => return Ok(false),
            Some(given) => given.hull(wanted),
            None => wanted,
        };
        let length = self.arrays.length(id);
        let count = wanted.count(length);
        if count > LARGEST || (round == 0 && count > SMALL) {
            return Ok(false);
        }
        let bytes = self.arrays.contents[content as usize].clone();
        if is_random(&bytes, wanted) {
            self.decoded(id, wanted);
            return Ok(true);
        }
        let Progression { lo, hi, step } = wanted;
        let (mut index, value) = (read.index.clone(), read.value.clone());
        let hi = hi.min(mask(index.len() as u32));
        let mut guard = is_between(self.cx.circuit, &index, lo, hi);
        for (i, bit) in index
            .iter_mut()
            .take(step.trailing_zeros() as usize)
            .enumerate()
        {
            let residue = Lit::from(lo >> i & 1 != 0);
            let same = self.cx.circuit.aig.xor(*bit, !residue);
            guard = self.cx.circuit.aig.and(guard, same);
            *bit = residue;
        }
        let place = ReadWindow {
            index,
            window: (lo, hi),
            elem: value.len(),
        };
        let table = window(self.cx.circuit, &bytes, &[], &place)?;
        self.arrays.reads[id as usize].table = Some(wanted);
        if guard == Lit::FALSE {
            return Ok(false);
        }
        let literal = |this: &mut Self, lit: Lit| {
            if lit.is_const() {
                lit
            } else {
                this.cx.literal(lit)
            }
        };
        let guard = literal(self, guard);
        for (&own, &given) in value.iter().zip(&table) {
            let (own, given) = (literal(self, own), literal(self, given));
            for clause in [[!guard, !own, given], [!guard, own, !given]] {
                if clause.contains(&Lit::TRUE) {
                    continue;
                }
                let open: Vec<Lit> = clause.into_iter().filter(|l| !l.is_const()).collect();
                self.cx.sat.add_clause(&open);
            }
        }
        self.added += count.max(1);
        Ok(true)
    }

    /// Gives the elements of a progression one by one, under the literals of a decoder: its two halves are
    /// gates that all reads at this index share.
    fn decoded(&mut self, id: ReadId, wanted: Progression) {
        let end = self.arrays.length(id);
        let index = self.arrays.reads[id as usize].index.clone();
        let free: Vec<usize> = (0..index.len()).filter(|&i| !index[i].is_const()).collect();
        let (low, high) = free.split_at(free.len() / 2);
        let mut at = wanted.lo;
        while at <= wanted.hi && at < end {
            let fixed = index.iter().enumerate().filter(|(_, l)| l.is_const());
            let differs = |(i, &l): (usize, &Lit)| (l == Lit::TRUE) != (at >> i & 1 != 0);
            let mut here = Lit::from(!fixed.clone().any(differs));
            for half in [low, high] {
                let lits = half.iter().map(|&i| index[i].negate_if(at >> i & 1 == 0));
                let all = self.cx.circuit.aig.and_all(lits.collect::<Vec<_>>());
                if !all.is_const() {
                    self.cx.literal(all);
                }
                here = self.cx.circuit.aig.and(here, all);
            }
            self.element_under(id, at, |_| here);
            match at.checked_add(wanted.step) {
                Some(next) => at = next,
                None => break,
            }
        }
        if wanted.hi >= end {
            self.element_under(id, end, |_| Lit::TRUE);
        }
    }
}
