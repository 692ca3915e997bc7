//! Pass `table`: constant stores over zeroes, or over a constant array, become one constant array.
//!
//! Scripts write a table as a chain of stores. As one array its content bounds what is read from it, a
//! condition over one byte through it has a truth table, and a read is a multiplexer tree.

use super::{Pass, PassContext, Preprocess};
use rustc_hash::FxHashMap;
use term::{Op, Pool, Sort, Term};

/// Longer tables stay chains.
const MAX_LENGTH: u64 = 1 << 20;
/// Bytes and stores of all tables together; further ones stay chains. One may be [`MAX_LENGTH`] long for a single store.
const MAX_WORK: usize = 1 << 24;

/// The pass.
pub(super) struct Tables;

impl Pass for Tables {
    fn name(&self) -> &'static str {
        "table"
    }

    fn apply(&self, query: &mut Preprocess, around: &mut PassContext<'_>) -> bool {
        let before = around.stats.tables;
        let conjuncts = rebuild(around.pool, &query.conjuncts, &mut around.stats.tables);
        query.conjuncts = conjuncts;
        query.flatten(around.pool);
        around.stats.tables > before
    }
}

/// The conditions over constant arrays.
fn rebuild(pool: &mut Pool, conditions: &[Term], count: &mut u64) -> Vec<Term> {
    let mut rebuilt: FxHashMap<Term, Term> = FxHashMap::default();
    // Stores of a table that nobody has read yet.
    let mut waiting: FxHashMap<Term, Term> = FxHashMap::default();
    let mut work = 0;
    for t in pool.cone(conditions) {
        if pool.op(t) == Op::ArrayConst && is_zeroes(pool, t) {
            waiting.insert(t, Term::NONE);
            continue;
        }
        if pool.op(t) == Op::ArrayBytes {
            waiting.insert(t, Term::NONE);
            continue;
        }
        let old: Vec<Term> = pool.children(t).to_vec();
        if pool.op(t) == Op::Store
            && waiting.contains_key(&old[0])
            && pool.as_const(old[1]).is_some_and(|i| i < MAX_LENGTH)
            && pool.is_const(old[2])
        {
            waiting.insert(t, old[0]);
            continue;
        }
        let new: Vec<Term> = old
            .iter()
            .map(|&k| match rebuilt.get(&k) {
                Some(&new) => new,
                None => {
                    let table = table(pool, &waiting, k, &mut work);
                    *count += u64::from(table != k);
                    rebuilt.insert(k, table);
                    table
                }
            })
            .collect();
        let own = if new == old { t } else { pool.rebuild(t, &new) };
        rebuilt.insert(t, own);
    }
    conditions.iter().map(|t| rebuilt[t]).collect()
}

fn is_zeroes(pool: &Pool, t: Term) -> bool {
    let zeroes = Sort::Array { index: 64, elem: 8 };
    pool.sort(t) == zeroes && pool.as_const(pool.child(t, 0)) == Some(0)
}

/// The constant array that a chain of stores makes, or the chain when `work` is too much by then.
fn table(pool: &mut Pool, older: &FxHashMap<Term, Term>, chain: Term, work: &mut usize) -> Term {
    let mut updates: Vec<(usize, u8)> = Vec::new();
    let mut base = chain;
    while let Some(&next) = older.get(&base).filter(|next| next.is_some()) {
        if *work + updates.len() > MAX_WORK {
            return chain;
        }
        if let (Some(at), Some(value)) = (
            pool.as_const(pool.child(base, 1)),
            pool.as_const(pool.child(base, 2)),
        ) {
            updates.push((at as usize, value as u8));
        }
        base = next;
    }
    let mut content = match pool.op(base) {
        Op::ArrayBytes => pool.array_content(base).to_vec(),
        _ => Vec::new(),
    };
    let end = updates.iter().map(|u| u.0 + 1).max().unwrap_or(0);
    *work += updates.len() + end.max(content.len());
    if *work > MAX_WORK {
        return chain;
    }
    content.resize(end.max(content.len()), 0);
    for (at, value) in updates.into_iter().rev() {
        content[at] = value;
    }
    pool.array_bytes(&content)
}
