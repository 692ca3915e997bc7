//! One bit per byte of a page.
//!
//! The words are followed by one word of zeros, so that the bits of an access that runs past the
//! page's end are always clear: the fast path needs no test of its own for page crossings.

use crate::page::PAGE;

const WORDS: usize = PAGE / 64;

// The fast test reads two bytes of a word array as a little-endian half word.
const _: () = assert!(cfg!(target_endian = "little"));

/// A set of byte offsets of a page.
#[repr(C)]
#[derive(Clone)]
pub(crate) struct Mask([u64; WORDS + 1]);

impl Mask {
    pub const EMPTY: Mask = Mask([0; WORDS + 1]);

    /// Are the `bytes <= 8` bits from `offset` on all set? Bits past the page are clear.
    #[inline(always)]
    pub fn all_short(&self, offset: usize, bytes: u32) -> bool {
        debug_assert!(offset < PAGE && bytes <= 8);
        // SAFETY: offset / 8 + 2 <= PAGE / 8 + 1, inside the array with its extra word.
        unsafe { Mask::test_raw(&raw const *self, offset, bytes) }
    }

    /// [`Mask::all_short`] on a raw pointer.
    ///
    /// # Safety
    /// `this` points to a mask, and `offset` is less than the page size.
    #[inline(always)]
    pub unsafe fn test_raw(this: *const Mask, offset: usize, bytes: u32) -> bool {
        // SAFETY: by the caller; the extra word keeps the half word inside.
        let half = unsafe {
            this.cast::<u8>()
                .add(offset >> 3)
                .cast::<u16>()
                .read_unaligned()
        };
        let want = (1u32 << bytes) - 1;
        (half as u32 >> (offset & 7)) & want == want
    }

    #[inline(always)]
    pub fn get(&self, offset: usize) -> bool {
        self.0[offset / 64] >> (offset % 64) & 1 != 0
    }

    /// Calls `f(word, bits)` for each word that `from..to` touches.
    #[inline(always)]
    fn each_word(from: usize, to: usize, mut f: impl FnMut(usize, u64)) {
        debug_assert!(from <= to && to <= PAGE);
        if from == to {
            return;
        }
        let (first, last) = (from / 64, (to - 1) / 64);
        let head = !0u64 << (from % 64);
        let tail = !0u64 >> (63 - (to - 1) % 64);
        if first == last {
            f(first, head & tail);
            return;
        }
        f(first, head);
        for word in first + 1..last {
            f(word, !0);
        }
        f(last, tail);
    }

    #[inline(always)]
    pub fn set(&mut self, from: usize, to: usize) {
        Mask::each_word(from, to, |word, bits| self.0[word] |= bits);
    }

    #[inline(always)]
    pub fn clear(&mut self, from: usize, to: usize) {
        Mask::each_word(from, to, |word, bits| self.0[word] &= !bits);
    }

    pub fn all(&self, from: usize, to: usize) -> bool {
        let mut all = true;
        Mask::each_word(from, to, |word, bits| all &= self.0[word] & bits == bits);
        all
    }

    pub fn any(&self, from: usize, to: usize) -> bool {
        let mut any = false;
        Mask::each_word(from, to, |word, bits| any |= self.0[word] & bits != 0);
        any
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// The end of the run of equal bits that begins at `from`, at most `to`.
    pub fn run_end(&self, from: usize, to: usize) -> usize {
        debug_assert!(from < to);
        let flip = if self.get(from) { !0 } else { 0 };
        let mut word = from / 64;
        let mut differing = (self.0[word] ^ flip) & (!0 << (from % 64));
        while differing == 0 {
            word += 1;
            if word * 64 >= to {
                return to;
            }
            differing = self.0[word] ^ flip;
        }
        to.min(word * 64 + differing.trailing_zeros() as usize)
    }

    /// self = a without b.
    pub fn assign_difference(&mut self, a: &Mask, b: &Mask) {
        for word in 0..WORDS {
            self.0[word] = a.0[word] & !b.0[word];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_agree_with_single_bits() {
        for (from, to) in [
            (0, 0),
            (0, 1),
            (3, 64),
            (3, 65),
            (63, 64),
            (64, 192),
            (5, 700),
            (0, PAGE),
        ] {
            let mut mask = Mask::EMPTY;
            mask.set(from, to);
            for bit in 0..PAGE {
                assert_eq!(mask.get(bit), (from..to).contains(&bit));
            }
            assert!(mask.all(from, to));
            assert_eq!(mask.any(0, PAGE), from < to);
            if from < to {
                assert_eq!(mask.run_end(from, PAGE), to);
                assert!(to == PAGE || !mask.all(from, to + 1));
            }
            mask.clear(from, to);
            assert!(mask.is_empty());
        }
    }

    #[test]
    fn an_access_across_the_page_end_is_not_plain() {
        let mut mask = Mask::EMPTY;
        mask.set(0, PAGE);
        assert!(mask.all_short(PAGE - 8, 8));
        for offset in PAGE - 7..PAGE {
            assert!(!mask.all_short(offset, 8));
        }
        assert!(mask.all_short(PAGE - 1, 1));
    }
}
