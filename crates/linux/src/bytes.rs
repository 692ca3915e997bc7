//! Bytes, arguments and results that may be symbolic.
//!
//! `Bytes` is what crosses the border between the machine and the world: a plain byte vector, with
//! a parallel vector of terms only when at least one byte is symbolic. `Chunk` is the same thing at
//! rest inside the world: it is shared between states by `Rc`, so its terms stand in cells, which
//! the collector of the term pool may rewrite in place.

use std::cell::Cell;
use std::ops::Range;

use term::{Pool, Term};

/// One byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Byte {
    /// A known value.
    Concrete(u8),
    /// A term of sort BitVec(8).
    Symbolic(Term),
}

/// A byte string; `terms` is empty when every byte is concrete, else as long as `bits`.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub struct Bytes {
    /// The concrete bytes; meaningless where `terms` holds a term.
    pub bits: Vec<u8>,
    /// Per byte its term, or `Term::NONE`.
    pub terms: Vec<Term>,
}

impl Bytes {
    /// The empty string.
    pub fn new() -> Bytes {
        Bytes::default()
    }

    /// A string without symbolic bytes.
    pub fn concrete(bits: impl Into<Vec<u8>>) -> Bytes {
        Bytes {
            bits: bits.into(),
            terms: Vec::new(),
        }
    }

    /// `len` zero bytes.
    pub fn zeros(len: usize) -> Bytes {
        Bytes::concrete(vec![0; len])
    }

    /// Number of bytes.
    pub fn len(&self) -> usize {
        self.bits.len()
    }

    /// Whether there is no byte.
    pub fn is_empty(&self) -> bool {
        self.bits.is_empty()
    }

    /// Whether no byte is symbolic.
    pub fn is_concrete(&self) -> bool {
        self.terms.iter().all(|t| t.is_none())
    }

    /// The string, when no byte is symbolic.
    pub fn as_concrete(&self) -> Option<&[u8]> {
        self.is_concrete().then_some(&self.bits[..])
    }

    /// The byte at `index`.
    pub fn get(&self, index: usize) -> Byte {
        match self.terms.get(index) {
            Some(&t) if t.is_some() => Byte::Symbolic(t),
            _ => Byte::Concrete(self.bits[index]),
        }
    }

    /// Replaces the byte at `index`.
    pub fn put(&mut self, index: usize, byte: Byte) {
        match byte {
            Byte::Concrete(b) => {
                self.bits[index] = b;
                if let Some(t) = self.terms.get_mut(index) {
                    *t = Term::NONE;
                }
            }
            Byte::Symbolic(t) => {
                self.terms.resize(self.bits.len(), Term::NONE);
                self.bits[index] = 0;
                self.terms[index] = t;
            }
        }
    }

    /// Appends one byte.
    pub fn push(&mut self, byte: Byte) {
        self.bits.push(0);
        if !self.terms.is_empty() {
            self.terms.push(Term::NONE);
        }
        self.put(self.bits.len() - 1, byte);
    }

    /// Appends a string.
    pub fn extend(&mut self, other: &Bytes) {
        if !other.terms.is_empty() {
            self.terms.resize(self.bits.len(), Term::NONE);
            self.terms.extend_from_slice(&other.terms);
        } else if !self.terms.is_empty() {
            self.terms
                .resize(self.bits.len() + other.bits.len(), Term::NONE);
        }
        self.bits.extend_from_slice(&other.bits);
    }

    /// Appends concrete bytes.
    pub fn extend_concrete(&mut self, bits: &[u8]) {
        self.bits.extend_from_slice(bits);
        if !self.terms.is_empty() {
            self.terms.resize(self.bits.len(), Term::NONE);
        }
    }

    /// A part of the string.
    pub fn slice(&self, range: Range<usize>) -> Bytes {
        let terms = if self.terms.is_empty() {
            Vec::new()
        } else {
            self.terms[range.clone()].to_vec()
        };
        Bytes {
            bits: self.bits[range].to_vec(),
            terms,
        }
    }

    /// All bytes in order.
    pub fn iter(&self) -> impl Iterator<Item = Byte> + '_ {
        (0..self.len()).map(|i| self.get(i))
    }

    /// The byte at `index` as a term of 8 bits.
    pub fn term(&self, pool: &mut Pool, index: usize) -> Term {
        match self.get(index) {
            Byte::Concrete(b) => pool.bv(8, b as u64),
            Byte::Symbolic(t) => t,
        }
    }

    /// The little-endian integer in `width` bytes at `offset`.
    pub fn word(&self, pool: &mut Pool, offset: usize, width: usize) -> Word {
        if (offset..offset + width).all(|i| matches!(self.get(i), Byte::Concrete(_))) {
            let value = (0..width).fold(0, |v, i| v | (self.bits[offset + i] as u64) << (8 * i));
            return Word::Concrete(value);
        }
        let mut value = self.term(pool, offset);
        for i in 1..width {
            let high = self.term(pool, offset + i);
            value = pool.concat(high, value);
        }
        Word::Symbolic(if width == 8 {
            value
        } else {
            pool.zext(64, value)
        })
    }

    /// Writes the low `width` bytes of `word` at `offset`, little-endian.
    pub fn put_word(&mut self, pool: &mut Pool, offset: usize, width: usize, word: Word) {
        for i in 0..width {
            let byte = match word {
                Word::Concrete(v) => Byte::Concrete((v >> (8 * i)) as u8),
                Word::Symbolic(t) => {
                    let part = pool.extract(8 * i as u32 + 7, 8 * i as u32, t);
                    match pool.as_const(part) {
                        Some(v) => Byte::Concrete(v as u8),
                        None => Byte::Symbolic(part),
                    }
                }
            };
            self.put(offset + i, byte);
        }
    }

    /// Writes a concrete little-endian integer of `width` bytes at `offset`.
    pub fn put_int(&mut self, offset: usize, width: usize, value: u64) {
        for i in 0..width {
            self.put(offset + i, Byte::Concrete((value >> (8 * i)) as u8));
        }
    }
}

/// One argument of a system call; a symbolic one is resolved through [`crate::Cx::concretize`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arg {
    /// The value when `term` is `NONE`.
    pub bits: u64,
    /// BitVec(64), or `NONE`.
    pub term: Term,
}

impl Arg {
    /// An argument without a term.
    pub fn concrete(bits: u64) -> Arg {
        Arg {
            bits,
            term: Term::NONE,
        }
    }
}

/// A result or a field of a record; terms are BitVec(64).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Word {
    /// A known value.
    Concrete(u64),
    /// A term of 64 bits.
    Symbolic(Term),
}

impl Word {
    /// The word as a term of 64 bits.
    pub fn term(self, pool: &mut Pool) -> Term {
        match self {
            Word::Concrete(v) => pool.bv(64, v),
            Word::Symbolic(t) => t,
        }
    }
}

impl From<u64> for Word {
    fn from(value: u64) -> Word {
        Word::Concrete(value)
    }
}

/// A word at rest in shared data: the collector may rewrite its term through a shared reference.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    bits: u64,
    term: Cell<Term>,
}

impl Field {
    pub(crate) fn new(word: Word) -> Field {
        match word {
            Word::Concrete(bits) => Field {
                bits,
                term: Cell::new(Term::NONE),
            },
            Word::Symbolic(term) => Field {
                bits: 0,
                term: Cell::new(term),
            },
        }
    }

    pub(crate) fn get(&self) -> Word {
        match self.term.get() {
            t if t.is_none() => Word::Concrete(self.bits),
            t => Word::Symbolic(t),
        }
    }

    pub(crate) fn trace(&self, visit: &mut dyn FnMut(&mut Term)) {
        trace_cell(&self.term, visit);
    }
}

impl From<u64> for Field {
    fn from(value: u64) -> Field {
        Field::new(Word::Concrete(value))
    }
}

/// A byte string at rest in shared data.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chunk {
    bits: Vec<u8>,
    terms: Vec<Cell<Term>>,
}

impl Chunk {
    pub(crate) fn new(bytes: &Bytes) -> Chunk {
        let terms = if bytes.is_concrete() {
            &[][..]
        } else {
            &bytes.terms[..]
        };
        Chunk {
            bits: bytes.bits.clone(),
            terms: terms.iter().map(|&t| Cell::new(t)).collect(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.bits.len()
    }

    pub(crate) fn bytes(&self, range: Range<usize>) -> Bytes {
        let terms = if self.terms.is_empty() {
            Vec::new()
        } else {
            self.terms[range.clone()].iter().map(Cell::get).collect()
        };
        Bytes {
            bits: self.bits[range].to_vec(),
            terms,
        }
    }

    pub(crate) fn to_bytes(&self) -> Bytes {
        self.bytes(0..self.len())
    }

    pub(crate) fn as_concrete(&self) -> Option<&[u8]> {
        self.terms
            .iter()
            .all(|t| t.get().is_none())
            .then_some(&self.bits[..])
    }

    /// Overwrites from `offset` on; grows with zeros when needed.
    pub(crate) fn write(&mut self, offset: usize, bytes: &Bytes, range: Range<usize>) {
        let end = offset + range.len();
        if self.bits.len() < end {
            self.bits.resize(end, 0);
            if !self.terms.is_empty() {
                self.terms.resize(end, Cell::new(Term::NONE));
            }
        }
        self.bits[offset..end].copy_from_slice(&bytes.bits[range.clone()]);
        if !bytes.terms.is_empty() {
            if self.terms.is_empty() {
                self.terms.resize(self.bits.len(), Cell::new(Term::NONE));
            }
            for (cell, &t) in self.terms[offset..end].iter().zip(&bytes.terms[range]) {
                cell.set(t);
            }
        } else if !self.terms.is_empty() {
            self.terms[offset..end]
                .iter()
                .for_each(|cell| cell.set(Term::NONE));
        }
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        self.bits.truncate(len);
        self.terms.truncate(len);
    }

    pub(crate) fn trace(&self, visit: &mut dyn FnMut(&mut Term)) {
        self.terms.iter().for_each(|cell| trace_cell(cell, visit));
    }
}

/// Shows the term of a cell to the collector, unless it is `NONE`.
pub(crate) fn trace_cell(cell: &Cell<Term>, visit: &mut dyn FnMut(&mut Term)) {
    let mut term = cell.get();
    if term.is_some() {
        visit(&mut term);
        cell.set(term);
    }
}
