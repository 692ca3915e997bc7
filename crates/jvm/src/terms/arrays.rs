//! Arrays that are read or written at symbolic indices: their bytes, little-endian, as an array of bytes that is indexed by
//! 64 bits, so that the solver's layers for typed accesses see what they know ("Symbolic execution with typed arrays",
//! papers/001: content once, then writes).

use super::size;
use term::{Pool, Term};

/// An array at one moment of a run.
#[derive(Clone, Copy)]
pub(crate) struct Array {
    pub term: Term,
    /// Type of its elements.
    pub kind: char,
    /// How many there are.
    pub length: u32,
}

impl Array {
    /// An array with these elements.
    pub fn new(pool: &mut Pool, kind: char, elements: &[u64]) -> Array {
        let size = size(kind);
        let bytes: Vec<u8> = elements
            .iter()
            .flat_map(|v| v.to_le_bytes().into_iter().take(size))
            .collect();
        Array {
            term: pool.array_bytes(&bytes),
            kind,
            length: elements.len() as u32,
        }
    }

    /// The address of an element's first byte; the index is inside, by the path or as a constant.
    fn address(self, pool: &mut Pool, index: Term) -> Term {
        let wide = pool.zext(64, index);
        let size = pool.bv(64, size(self.kind) as u64);
        pool.mul(wide, size)
    }

    /// An element, as it is on the operand stack.
    pub fn read(self, pool: &mut Pool, index: Term) -> Term {
        let first = self.address(pool, index);
        let size = size(self.kind) as u64;
        let last = u64::from(self.length.saturating_sub(1)) * size;
        let mut value = None;
        for k in 0..size {
            let offset = pool.bv(64, k);
            let at = pool.add(first, offset);
            let byte = pool.select_typed(self.term, at, k, last + k, size as u32);
            value = Some(match value {
                None => byte,
                Some(low) => pool.concat(byte, low),
            });
        }
        let value = value.unwrap_or(Term::NONE);
        match self.kind {
            'B' | 'S' => pool.sext(32, value),
            'Z' | 'C' => pool.zext(32, value),
            _ => value,
        }
    }

    /// The array after a write.
    pub fn write(self, pool: &mut Pool, index: Term, value: Term) -> Array {
        let first = self.address(pool, index);
        let mut term = self.term;
        for k in 0..size(self.kind) as u32 {
            let offset = pool.bv(64, u64::from(k));
            let at = pool.add(first, offset);
            let byte = pool.extract(8 * k + 7, 8 * k, value);
            term = pool.store(term, at, byte);
        }
        Array { term, ..self }
    }
}
