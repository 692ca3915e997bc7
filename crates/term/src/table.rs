//! The table of the hash-consing: from a node's hash to its handle.
//!
//! Open addressing with linear probing over words of (32 hash bits, handle). The home of an entry
//! is given by the top bits of its hash bits, so that entries lie in hash order: growing streams
//! from the old slots to the new ones without a look at the nodes, and a probe costs one cache line
//! (a general table reads its control bytes, the bucket, and all nodes when it grows).

/// Handles by hash; 0 is no handle.
pub(crate) struct NodeTable {
    slots: Vec<u64>,
    /// The home of hash bits h is h >> shift.
    shift: u32,
    len: usize,
}

/// Slots behind the last home, for entries that overflow there: probing never wraps around.
const TAIL: usize = 1 << 10;
const SMALLEST: u32 = 10;

impl NodeTable {
    pub fn new() -> NodeTable {
        NodeTable::with_bits(SMALLEST)
    }

    fn with_bits(bits: u32) -> NodeTable {
        let slots = vec![0; (1 << bits) + TAIL];
        prefer_huge_pages(&slots);
        NodeTable {
            slots,
            shift: 32 - bits,
            len: 0,
        }
    }

    /// A table for `count` entries.
    pub fn with_capacity(count: usize) -> NodeTable {
        let bits = (count * 2).next_power_of_two().trailing_zeros();
        NodeTable::with_bits(bits.clamp(SMALLEST, 31))
    }

    #[inline]
    fn key(hash: u64) -> u64 {
        hash & 0xffff_ffff_0000_0000
    }

    #[inline]
    fn home(&self, key: u64) -> usize {
        (key >> 32 >> self.shift) as usize
    }

    /// The handle with this hash that `is_it` accepts, or the slot where it belongs.
    #[inline]
    pub fn find(&self, hash: u64, mut is_it: impl FnMut(u32) -> bool) -> Result<u32, usize> {
        let key = NodeTable::key(hash);
        let mut at = self.home(key);
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return Err(at);
            }
            if slot ^ key <= u32::MAX as u64 && is_it(slot as u32) {
                return Ok(slot as u32);
            }
            at += 1;
        }
    }

    /// Enters a handle at the slot that [`NodeTable::find`] gave for its hash.
    #[inline]
    pub fn insert(&mut self, at: usize, hash: u64, handle: u32) {
        debug_assert!(self.slots[at] == 0 && handle != 0);
        self.slots[at] = NodeTable::key(hash) | handle as u64;
        self.len += 1;
        // At most five eighths full; and the last slot stays empty, which ends every probe.
        if at + 2 >= self.slots.len() {
            self.grow();
        } else if self.len * 8 > (self.slots.len() - TAIL) * 5 {
            // If that is refused, the next entry asks again.
            room::need(2 * self.bytes() as u64);
            self.grow();
        }
    }

    #[cold]
    fn grow(&mut self) {
        let mut bits = 33 - self.shift;
        'again: loop {
            assert!(bits < 32, "more terms than handles");
            let mut larger = NodeTable::with_bits(bits);
            for &slot in self.slots.iter().filter(|&&slot| slot != 0) {
                let mut at = larger.home(slot);
                while larger.slots[at] != 0 {
                    at += 1;
                }
                if at + 2 >= larger.slots.len() {
                    bits += 1;
                    continue 'again;
                }
                larger.slots[at] = slot;
            }
            larger.len = self.len;
            *self = larger;
            return;
        }
    }

    /// Allocated bytes.
    pub fn bytes(&self) -> usize {
        self.slots.len() * 8
    }
}

/// Asks for huge pages behind a large table: look-ups are random, and each would miss the TLB.
fn prefer_huge_pages(slots: &[u64]) {
    #[cfg(target_os = "linux")]
    if size_of_val(slots) >= 4 << 20 {
        const PAGE: usize = 2 << 20;
        let start = (slots.as_ptr() as usize).next_multiple_of(PAGE);
        let end = (slots.as_ptr() as usize + size_of_val(slots)) / PAGE * PAGE;
        // SAFETY: the range lies within our own allocation, and this advice changes no content. It
        // may be refused, which costs speed only.
        unsafe { libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = slots;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enter(table: &mut NodeTable, hash: u64, handle: u32) {
        let at = table
            .find(hash, |h| h == handle)
            .expect_err("not there yet");
        table.insert(at, hash, handle);
    }

    #[test]
    fn entries_are_found_again_as_the_table_grows() {
        let mut table = NodeTable::new();
        let hash = |k: u32| (k as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for k in 1..100_000 {
            enter(&mut table, hash(k), k);
        }
        for k in 1..100_000 {
            assert_eq!(table.find(hash(k), |h| h == k), Ok(k));
        }
        assert!(table.find(hash(100_001), |h| h == 100_001).is_err());
    }

    #[test]
    fn equal_hashes_and_hashes_at_the_end_work() {
        let mut table = NodeTable::new();
        for k in 1..200 {
            enter(&mut table, u64::MAX, k);
            enter(&mut table, 0, k + 1000);
        }
        for k in 1..200 {
            assert_eq!(table.find(u64::MAX, |h| h == k), Ok(k));
            assert_eq!(table.find(0, |h| h == k + 1000), Ok(k + 1000));
        }
    }
}
