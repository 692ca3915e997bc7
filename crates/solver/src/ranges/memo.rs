//! Ranges that hold on a path, each until a conjunct touches what it was computed from.

use super::pass::Notes;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use term::domain::Fact;
use term::{Relocation, Symbol, Term};

/// Ranges that are kept.
const KEPT: usize = 1 << 17;
/// A list that is this long may name a term again; of each range so many notes are expected.
const NOTES: usize = 8;

type Dependents = SmallVec<[Term; 4]>;

/// The ranges.
#[derive(Default)]
pub(super) struct Memo {
    pub known: FxHashMap<Term, Fact>,
    pub rests: Rests,
}

/// What was computed from a term, and what from the values that are left to a byte.
#[derive(Default)]
pub(super) struct Rests {
    on_terms: FxHashMap<Term, Dependents>,
    on_bytes: FxHashMap<Symbol, Dependents>,
    notes: usize,
}

impl Memo {
    /// The conjuncts say something else about a term.
    pub fn forget(&mut self, t: Term) {
        let mut open: Dependents = SmallVec::from_slice(&[t]);
        while let Some(t) = open.pop() {
            // What rests on a range went when the range went.
            if self.known.remove(&t).is_some()
                && let Some(above) = self.rests.on_terms.remove(&t)
            {
                self.rests.notes -= above.len();
                open.extend(above);
            }
        }
    }

    /// A byte has other values left.
    pub fn forget_byte(&mut self, byte: Symbol) {
        if let Some(above) = self.rests.on_bytes.remove(&byte) {
            self.rests.notes -= above.len();
            above.into_iter().for_each(|t| self.forget(t));
        }
    }

    /// Begins anew if too much is kept: ranges, or notes of ranges that were forgotten in the meantime.
    pub fn trim(&mut self) {
        if self.known.len() > KEPT || self.rests.notes > NOTES * (self.known.len() + 1024) {
            *self = Memo::default();
        }
    }

    /// Terms were renumbered. A term that is there has its operands, so the ranges of what is gone take none along.
    pub fn relocate(&mut self, relocation: &Relocation) {
        let old = std::mem::take(self);
        let known = old.known.into_iter();
        self.known = known
            .filter_map(|(t, range)| Some((relocation.get(t)?, range)))
            .collect();
        let moved = |terms: Dependents| -> Dependents {
            let terms = terms.into_iter();
            terms.filter_map(|t| relocation.get(t)).collect()
        };
        for (t, above) in old.rests.on_terms {
            if let Some(t) = relocation.get(t) {
                self.rests.on_terms.insert(t, moved(above));
            }
        }
        for (byte, above) in old.rests.on_bytes {
            self.rests.on_bytes.insert(byte, moved(above));
        }
        let lists = self
            .rests
            .on_terms
            .values()
            .chain(self.rests.on_bytes.values());
        self.rests.notes = lists.map(|list| list.len()).sum();
    }
}

impl Notes for Rests {
    fn uses(&mut self, _: Term) {}

    fn rests_on(&mut self, t: Term, on: Term) {
        self.notes += note(self.on_terms.entry(on).or_default(), t);
    }

    fn rests_on_byte(&mut self, t: Term, byte: Symbol) {
        self.notes += note(self.on_bytes.entry(byte).or_default(), t);
    }
}

/// Adds a term to a list, unless it is seen at a glance that it is there; gives the number of terms added.
fn note(list: &mut Dependents, t: Term) -> usize {
    let from = list.len().saturating_sub(NOTES);
    if list[from..].contains(&t) {
        return 0;
    }
    list.push(t);
    1
}
