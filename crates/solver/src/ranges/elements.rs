//! The elements that a read in a small window can meet, without a query.

use term::domain::Fact;
use term::{Op, Pool, Term};

/// Windows with more indices are not enumerated.
const MAX_WINDOW: u64 = 32;
/// Stores walked.
const MAX_STORES: usize = 4096;

/// Values stored and bytes of the base that `array` can have at an index in `window`. `None`: too
/// many, or an array that is not built from bytes by stores. The stores that were looked at are counted in `walked`.
pub(super) fn elements(
    pool: &Pool,
    array: Term,
    window: &Fact,
    walked: &mut usize,
) -> Option<(Vec<Term>, Vec<u8>)> {
    if window.lo > window.hi || window.hi - window.lo >= MAX_WINDOW {
        return None;
    }
    let possible = |i: u64| i & window.zeros == 0 && !i & window.ones == 0;
    let mut open: Vec<u64> = (window.lo..=window.hi).filter(|&i| possible(i)).collect();
    let mut values: Vec<Term> = Vec::new();
    let mut array = array;
    for _ in 0..MAX_STORES {
        if open.is_empty() {
            return Some((values, Vec::new()));
        }
        *walked += 1;
        match pool.op(array) {
            Op::Store => {
                let (at, value) = (pool.child(array, 1), pool.child(array, 2));
                if let Some(at) = pool.as_const(at) {
                    if let Some(k) = open.iter().position(|&i| i == at) {
                        open.swap_remove(k);
                        values.push(value);
                    }
                } else {
                    let (lo, hi) = pool.interval(at);
                    if open.iter().any(|i| (lo..=hi).contains(i)) {
                        values.push(value);
                    }
                }
                array = pool.child(array, 0);
            }
            Op::ArrayConst => {
                values.push(pool.child(array, 0));
                return Some((values, Vec::new()));
            }
            Op::ArrayBytes => {
                let content = pool.array_content(array);
                let byte = |i: &u64| content.get(*i as usize).copied().unwrap_or(0);
                return Some((values, open.iter().map(byte).collect()));
            }
            _ => return None,
        }
    }
    None
}
