//! The symbolic bytes of a page: which byte of which term each one is.
//!
//! Cells are grouped by aligned 8-byte word and kept densely in word order; a bit set of the words
//! that are present gives a cell's place by counting bits. Storing an n-byte term writes n
//! (term, index) pairs and creates no extract; loading it back finds the same term with
//! ascending indices.

use crate::page::PAGE;
use std::cell::Cell;
use term::Term;

const WORDS: usize = PAGE / 8;
const SETS: usize = WORDS.div_ceil(64);

/// Eight bytes of which at least one is symbolic.
#[derive(Clone)]
struct SymbolicWord {
    /// Interior mutability lets the collector rewrite the handles of a page that states share.
    terms: [Cell<Term>; 8],
    index: [u8; 8],
}

impl SymbolicWord {
    fn new() -> SymbolicWord {
        SymbolicWord {
            terms: Default::default(),
            index: [0; 8],
        }
    }

    fn is_empty(&self) -> bool {
        self.terms.iter().all(|term| term.get().is_none())
    }
}

/// The symbolic bytes of one page.
#[derive(Clone)]
pub(crate) struct SymbolicBytes {
    present: [u64; SETS],
    words: Vec<SymbolicWord>,
    /// The last collection that visited the cells.
    pub stamp: Cell<u64>,
}

impl SymbolicBytes {
    pub fn new() -> SymbolicBytes {
        SymbolicBytes {
            present: [0; SETS],
            words: Vec::new(),
            stamp: Cell::new(0),
        }
    }

    /// The number of present words before `word`.
    fn rank(&self, word: usize) -> usize {
        let below = self.present[..word / 64]
            .iter()
            .map(|set| set.count_ones())
            .sum::<u32>();
        let here = self.present[word / 64] & ((1 << (word % 64)) - 1);
        (below + here.count_ones()) as usize
    }

    fn has(&self, word: usize) -> bool {
        self.present[word / 64] >> (word % 64) & 1 != 0
    }

    /// The term and the byte index within it of the byte at `offset`; `NONE` when it is not symbolic.
    #[inline]
    pub fn get(&self, offset: usize) -> (Term, u8) {
        let word = offset / 8;
        if !self.has(word) {
            return (Term::NONE, 0);
        }
        let cell = &self.words[self.rank(word)];
        (cell.terms[offset % 8].get(), cell.index[offset % 8])
    }

    /// The bytes from..to become the bytes `index..` of `term`.
    #[inline]
    pub fn set(&mut self, from: usize, to: usize, term: Term, index: u8) {
        let mut at = from;
        while at < to {
            let word = at / 8;
            let end = to.min(word * 8 + 8);
            let rank = self.rank(word);
            if !self.has(word) {
                self.words.insert(rank, SymbolicWord::new());
                self.present[word / 64] |= 1 << (word % 64);
            }
            let cell = &mut self.words[rank];
            for offset in at..end {
                cell.terms[offset % 8].set(term);
                cell.index[offset % 8] = index + (offset - from) as u8;
            }
            at = end;
        }
    }

    /// The term whose bytes 0.. are those of from..to.
    #[inline]
    pub fn whole(&self, from: usize, to: usize) -> Option<Term> {
        let (term, 0) = self.get(from) else {
            return None;
        };
        if term.is_none() {
            return None;
        }
        let mut at = from;
        while at < to {
            let word = at / 8;
            if !self.has(word) {
                return None;
            }
            let cell = &self.words[self.rank(word)];
            let end = to.min(word * 8 + 8);
            for offset in at..end {
                if cell.terms[offset % 8].get() != term
                    || cell.index[offset % 8] as usize != offset - from
                {
                    return None;
                }
            }
            at = end;
        }
        Some(term)
    }

    /// The bytes from..to are not symbolic any more.
    pub fn clear(&mut self, from: usize, to: usize) {
        if from == to || self.words.is_empty() {
            return;
        }
        for word in from / 8..=(to - 1) / 8 {
            if !self.has(word) {
                continue;
            }
            let rank = self.rank(word);
            let first = from.saturating_sub(word * 8);
            let end = (to - word * 8).min(8);
            let cell = &mut self.words[rank];
            for byte in first..end {
                cell.terms[byte].set(Term::NONE);
            }
            if cell.is_empty() {
                self.words.remove(rank);
                self.present[word / 64] &= !(1 << (word % 64));
            }
        }
    }

    /// Is any byte of from..to symbolic?
    pub fn any(&self, from: usize, to: usize) -> bool {
        from < to
            && (from / 8..=(to - 1) / 8).any(|word| {
                self.has(word)
                    && (from.max(word * 8)..to.min(word * 8 + 8))
                        .any(|offset| self.get(offset).0.is_some())
            })
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub fn trace(&self, visit: &mut dyn FnMut(&mut Term)) {
        for cell in self.words.iter().flat_map(|word| &word.terms) {
            let mut term = cell.get();
            if term.is_some() {
                visit(&mut term);
                cell.set(term);
            }
        }
    }

    pub fn heap_bytes(&self) -> usize {
        std::mem::size_of::<SymbolicBytes>()
            + self.words.capacity() * std::mem::size_of::<SymbolicWord>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_come_and_go() {
        let mut side = SymbolicBytes::new();
        for (at, offset) in [700usize, 3, 64, 65, 512, 0].into_iter().enumerate() {
            side.set(offset, offset + 1, Term(at as u32 + 10), at as u8);
        }
        assert_eq!(side.get(65), (Term(13), 3));
        assert_eq!(side.get(66).0, Term::NONE);
        assert!(side.any(60, 65) && !side.any(4, 64));
        side.clear(1, 65);
        assert_eq!(side.get(3).0, Term::NONE);
        assert_eq!(side.get(64).0, Term::NONE);
        assert_eq!(side.get(0), (Term(15), 5));
        assert_eq!(side.get(700), (Term(10), 0));
        side.clear(0, PAGE);
        assert!(side.is_empty());
    }
}
