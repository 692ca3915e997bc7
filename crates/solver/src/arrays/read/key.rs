//! The key of a read: an array version, an index, and a window in which the index is known to lie.

use term::{Pool, Relocation, Term};

/// The index of a read.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum At {
    /// At the value of a term.
    Term(Term),
    /// At an index vector that is no term, by its number in the abstraction.
    Bits(u32),
}

/// A read of an array version at an index known to lie in a window.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ReadKey {
    pub(super) array: Term,
    pub(super) index: At,
    pub(super) lo: u64,
    pub(super) hi: u64,
}

impl ReadKey {
    pub(crate) fn of(pool: &Pool, select: Term) -> ReadKey {
        let kids = pool.children(select);
        let (array, index) = (kids[0], kids[1]);
        let (mut lo, mut hi) = pool.interval(index);
        if let Some((l, h)) = pool.select_bounds(select) {
            lo = lo.max(l);
            hi = hi.min(h);
        }
        if lo > hi {
            (lo, hi) = pool.interval(index); // contradictory bounds: the path is infeasible anyway
        }
        ReadKey {
            array,
            index: At::Term(index),
            lo,
            hi,
        }
    }

    /// The read of an array at an index vector, which is known to lie in a window.
    pub(crate) fn at_bits(array: Term, index: u32, (lo, hi): (u64, u64)) -> ReadKey {
        ReadKey {
            array,
            index: At::Bits(index),
            lo,
            hi,
        }
    }

    /// The same read of another array.
    pub(super) fn at(self, array: Term) -> ReadKey {
        ReadKey { array, ..self }
    }

    /// Inclusive bounds of the index.
    pub(crate) fn window(self) -> (u64, u64) {
        (self.lo, self.hi)
    }

    /// The term that is the index, if one is.
    pub(crate) fn index_term(self) -> Option<Term> {
        match self.index {
            At::Term(t) => Some(t),
            At::Bits(_) => None,
        }
    }

    /// The key after a collection, if its terms survived it.
    pub(crate) fn moved(self, relocation: &Relocation) -> Option<ReadKey> {
        Some(ReadKey {
            array: relocation.get(self.array)?,
            index: match self.index {
                At::Term(t) => At::Term(relocation.get(t)?),
                bits => bits,
            },
            ..self
        })
    }
}
