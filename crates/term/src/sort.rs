//! Sorts of terms.

use float::FloatFormat;

/// The sort of a term. A Boolean is a bit-vector of width 1 (true = 1).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Sort {
    /// Bit-vector of the given width, 1 ..= [`Sort::MAX_WIDTH`].
    BitVec(u32),
    /// Floating-point number. Its value is a bit pattern: NaN payloads are kept.
    Float(FloatFormat),
    /// Total map from bit-vectors to bit-vectors.
    Array {
        /// Width of an index, at most [`Sort::MAX_INDEX`].
        index: u32,
        /// Width of an element, at most [`Sort::MAX_ELEM`].
        elem: u32,
    },
    /// Mathematical integer.
    Int,
    /// Real number. Reserved: no constructor makes one yet.
    Real,
}

const TAG: u32 = 29;

impl Sort {
    /// Widest bit-vector.
    pub const MAX_WIDTH: u32 = 1 << 24;
    /// Widest index of an array.
    pub const MAX_INDEX: u32 = 0x1fff;
    /// Widest element of an array.
    pub const MAX_ELEM: u32 = 0xffff;

    /// Packs the sort into a word: the tag in the three top bits; a bit-vector is its width.
    pub(crate) const fn encode(self) -> u32 {
        match self {
            Sort::BitVec(width) => width,
            Sort::Float(format) => 1 << TAG | format.code() as u32,
            Sort::Array { index, elem } => 2 << TAG | index << 16 | elem,
            Sort::Int => 3 << TAG,
            Sort::Real => 4 << TAG,
        }
    }

    pub(crate) const fn decode(code: u32) -> Sort {
        match code >> TAG {
            0 => Sort::BitVec(code),
            1 => Sort::Float(FloatFormat::from_code(code as u16).expect("an encoded sort")),
            2 => Sort::Array {
                index: (code >> 16) & 0x1fff,
                elem: code & 0xffff,
            },
            3 => Sort::Int,
            _ => Sort::Real,
        }
    }

    /// Bits of a value of this sort: a bit-vector's width or a float's pattern; 0 otherwise.
    pub const fn bits(self) -> u32 {
        match self {
            Sort::BitVec(width) => width,
            Sort::Float(format) => format.bits(),
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_survive_encoding() {
        let mut sorts = vec![
            Sort::BitVec(1),
            Sort::BitVec(Sort::MAX_WIDTH),
            Sort::Array { index: 64, elem: 8 },
            Sort::Array { index: 1, elem: 64 },
            Sort::Array {
                index: Sort::MAX_INDEX,
                elem: Sort::MAX_ELEM,
            },
            Sort::Int,
            Sort::Real,
        ];
        sorts.extend(FloatFormat::NAMED.iter().copied().map(Sort::Float));
        for sort in sorts {
            assert_eq!(Sort::decode(sort.encode()), sort);
        }
    }
}
