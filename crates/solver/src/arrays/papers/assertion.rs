//! KLEE's assertion encoding with STP's refinement: first the violated axioms, then all of them, for all reads.

use super::super::refine::Refiner;
use super::super::relevant::Relevant;
use super::super::state::{Below, ReadId, Source};
use rustc_hash::FxHashMap;

impl Refiner<'_, '_> {
    /// Every axiom of the content that the query reads, as the assertion encoding has them.
    pub(in super::super) fn everything(&mut self, relevant: &Relevant) {
        let mut by_content: FxHashMap<u32, Vec<ReadId>> = FxHashMap::default();
        for member in &relevant.reads {
            let read = &self.arrays.reads[member.id as usize];
            let (Below::Source(Source::Content(content)), true) =
                (&read.below, read.updates.is_empty())
            else {
                continue;
            };
            by_content.entry(*content).or_default().push(member.id);
            for at in 0..=self.arrays.length(member.id) {
                self.element(member.id, at);
            }
        }
        let mut groups: Vec<Vec<ReadId>> = by_content.into_values().collect();
        groups.sort_unstable();
        for group in groups {
            for (i, &a) in group.iter().enumerate() {
                for &b in &group[i + 1..] {
                    self.pair(a, b);
                }
            }
        }
    }
}
