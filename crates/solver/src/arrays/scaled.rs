//! Indices that are a multiple of a smaller term.
//!
//! A field of an array of structures is read at `stride * k + offset`. When the stride is no power of
//! two, that is a multiplication, and a table over the index has `stride` times the entries that can
//! be met. Over `k` it has as many as there are structures, and the multiplication is not built.

use term::{Op, Pool, Sort, Term};

/// `stride * k + offset` over `k`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Scale {
    pub stride: i128,
    pub offset: i128,
}

impl Scale {
    /// Every index.
    pub const ONE: Scale = Scale {
        stride: 1,
        offset: 0,
    };

    /// The index that belongs to `k`.
    pub fn at(self, k: u64) -> i128 {
        self.stride * k as i128 + self.offset
    }

    /// The `k` (inclusive bounds) whose indices lie between inclusive bounds; the first above the last when
    /// none does.
    pub fn within(self, (lo, hi): (u64, u64)) -> (u64, u64) {
        let first = (lo as i128 - self.offset + self.stride - 1).div_euclid(self.stride);
        let last = (hi as i128 - self.offset).div_euclid(self.stride);
        if last < 0 {
            return (1, 0);
        }
        (first.max(0) as u64, last.min(u64::MAX as i128) as u64)
    }
}

/// `index = stride * inner + offset`, without wrap-around, for `inner` in `first..=last`.
pub(crate) struct Scaled {
    pub inner: Term,
    pub scale: Scale,
    pub first: u64,
    pub last: u64,
}

impl Scaled {
    /// Takes an index apart that is known to lie in a window; `None` when its stride is a power of two.
    pub fn of(pool: &Pool, index: Term, window: (u64, u64)) -> Option<Scaled> {
        let (mut t, mut stride, mut offset) = (index, 1i128, 0i128);
        loop {
            let Sort::BitVec(width @ 1..=64) = pool.sort(t) else {
                return None;
            };
            let all = 1i128 << width;
            let kids = pool.children(t);
            let constant = |k: usize| kids.get(k).and_then(|&c| pool.as_const(c));
            let (x, k) = match pool.op(t) {
                Op::Zext => (kids[0], 0),
                Op::Concat => {
                    let scale = 1i128 << pool.width(kids[1]);
                    match (constant(0), constant(1)) {
                        (_, Some(low)) => {
                            offset += stride * low as i128;
                            stride *= scale;
                            t = kids[0];
                        }
                        // An address in an object whose own address has so many zeros at its end.
                        (Some(high), _) => {
                            offset += stride * scale * high as i128;
                            t = kids[1];
                        }
                        _ => break,
                    }
                    continue;
                }
                Op::Add | Op::Mul => match (constant(0), constant(1)) {
                    (Some(k), None) => (kids[1], k),
                    (None, Some(k)) => (kids[0], k),
                    _ => break,
                },
                _ => break,
            };
            let (lo, hi) = pool.interval(x);
            let (lo, hi, k) = (lo as i128, hi as i128, k as i128);
            match pool.op(t) {
                // The sum wraps for no value of x, or for every one.
                Op::Add if hi + k < all => offset += stride * k,
                Op::Add if lo + k >= all => offset += stride * (k - all),
                Op::Mul if k > 0 && hi * k < all => stride *= k,
                Op::Zext => {}
                _ => break,
            }
            t = x;
            if stride >= 1 << 40 || offset.abs() >= 1 << 80 {
                return None;
            }
        }
        if stride.count_ones() == 1 {
            return None;
        }
        let (lo, hi) = pool.interval(t);
        let scale = Scale { stride, offset };
        let (first, last) = scale.within(window);
        let (first, last) = (first.max(lo), last.min(hi));
        (first <= last).then_some(Scaled {
            inner: t,
            scale,
            first,
            last,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every index that the window allows is met, by exactly one inner value.
    #[test]
    fn taking_apart_loses_no_index() {
        let mut pool = Pool::new();
        let s = pool.new_symbol("k", Sort::BitVec(4));
        let k = pool.symbol_term(s);
        for (width, stride, offset) in [
            (64, 7, 3),
            (64, 12, 5),
            (16, 24, 0),
            (8, 3, 250),
            (64, 7, -5i64 as u64),
        ] {
            let wide = pool.zext(width, k);
            let (m, c) = (pool.bv(width, stride), pool.bv(width, offset));
            let product = pool.mul(wide, m);
            let index = pool.add(product, c);
            for window in [(0, u64::MAX), (10, 60), (17, 17)] {
                let expected: Vec<u64> = (0..16u64)
                    .map(|v| {
                        let mut a = term::Assignment::new();
                        a.set(s, v);
                        term::Evaluator::new().eval(&pool, index, &a)
                    })
                    .filter(|i| (window.0..=window.1).contains(i))
                    .collect();
                // Where the sum wraps for some values only, nothing is taken apart.
                let Some(scaled) = Scaled::of(&pool, index, window) else {
                    assert!(
                        offset > 64 || expected.is_empty(),
                        "{width} {stride} {offset}"
                    );
                    continue;
                };
                let got: Vec<u64> = (scaled.first..=scaled.last)
                    .map(|v| scaled.scale.at(v) as u64)
                    .collect();
                assert_eq!(got, expected, "{width} {stride} {offset} {window:?}");
            }
        }
        // The second field of an element of a table at 0xabc000: the address, less that of the table.
        let narrow = pool.zext(12, k);
        let seven = pool.bv(12, 7);
        let product = pool.mul(narrow, seven);
        let high = pool.bv(52, 0xabc);
        let address = pool.concat(high, product);
        let base = pool.bv(64, 0u64.wrapping_sub(0xabbfff));
        let index = pool.add(address, base);
        let scaled = Scaled::of(&pool, index, (0, u64::MAX)).expect("seven elements each");
        assert_eq!((scaled.scale.stride, scaled.scale.offset), (7, 1));
        assert_eq!((scaled.first, scaled.last), (0, 15));
        let four = pool.bv(64, 4);
        let wide = pool.zext(64, k);
        let even = pool.mul(wide, four);
        assert!(Scaled::of(&pool, even, (0, 99)).is_none(), "a power of two");
    }
}
