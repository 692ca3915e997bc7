//! Reads of constant arrays: which elements the index reaches, and which indices reach an element that is possible.

use term::domain::Fact;
use term::{Pool, Term};

/// Indices looked at, from either end.
const MAX_WINDOW: usize = 256;

/// The content, and the widths of the index and of the elements. Past its end are zeros.
fn table(pool: &Pool, t: Term) -> (&[u8], u32, u32) {
    let content = pool.array_content(pool.child(t, 0));
    (content, pool.width(pool.child(t, 1)), pool.width(t))
}

/// The join of the elements in reach.
pub(super) fn element(pool: &Pool, t: Term, index: &Fact) -> Fact {
    let (content, from, width) = table(pool, t);
    let anything = Fact::anything(width);
    let end = content.len() as u64;
    let inside = index.lo..end.min(index.hi.saturating_add(1));
    if inside.end.saturating_sub(inside.start) > MAX_WINDOW as u64 {
        return anything;
    }
    let zero = (index.hi >= end).then_some(0);
    let elements = inside.filter(|&i| index.has(i, from));
    let elements = elements.map(|i| content[i as usize] as u64).chain(zero);
    elements
        .map(|value| Fact::constant(value, width))
        .reduce(Fact::join)
        .unwrap_or(anything)
}

/// Tells `learn` between which indices there are elements that `own` allows.
pub(super) fn index(
    pool: &Pool,
    t: Term,
    own: &Fact,
    index: &Fact,
    learn: &mut dyn FnMut(usize, Fact),
) {
    let (content, from, width) = table(pool, t);
    if *own == Fact::anything(width) {
        return;
    }
    let element = |i: u64| content.get(i as usize).copied().unwrap_or(0) as u64;
    let possible = |i: &u64| index.has(*i, from) && own.has(element(*i), width);
    let (mut lo, mut hi) = (index.lo, index.hi);
    if !own.has(0, width) {
        hi = hi.min((content.len() as u64).saturating_sub(1));
    }
    lo = match (lo..=hi).take(MAX_WINDOW).find(possible) {
        Some(first) => first,
        None => lo.saturating_add(MAX_WINDOW as u64),
    };
    hi = match (lo..=hi).rev().take(MAX_WINDOW).find(possible) {
        Some(last) => last,
        None => hi.saturating_sub(MAX_WINDOW as u64),
    };
    // No index at all says that the facts contradict each other, as it should.
    learn(0, Fact::interval(lo, hi, from));
}
