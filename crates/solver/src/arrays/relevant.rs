//! Collects the abstract array reads and equalities that a query depends on.

use super::Arrays;
use super::equality::is_array_equality;
use super::read::ReadKey;
use super::state::{Below, ReadId, Source};
use crate::circuit::Scope;
use rustc_hash::{FxHashMap, FxHashSet};
use term::{Op, Pool, Term};

/// A read that a query rests on, with what the query knows of its index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub id: ReadId,
    /// Inclusive bounds of the index.
    pub window: (u64, u64),
    /// Access size, and the index of one such access. Every aligned access has an index congruent to it modulo the
    /// size.
    pub access: (u64, u64),
}

/// The abstract parts of a query.
#[derive(Default)]
pub(crate) struct Relevant {
    /// The reads and equalities as terms.
    pub roots: Vec<Term>,
    /// Ascending.
    pub reads: Vec<Member>,
    pub equalities: Vec<Term>,
}

impl Relevant {
    /// The abstract parts below reads and equalities of arrays.
    pub fn gather(arrays: &Arrays, roots: &[Term], scope: &Scope<'_>) -> Relevant {
        let pool = scope.pool;
        let mut members: FxHashMap<ReadId, Member> = FxHashMap::default();
        let mut equalities = Vec::new();
        let mut seen: FxHashSet<(ReadKey, u64)> = FxHashSet::default();
        let mut stack: Vec<(ReadKey, u64)> = Vec::new();
        for &t in roots {
            if let Some(equality) = arrays.equalities.get(&t) {
                equalities.push(t);
                stack.extend(equality.keys.iter().map(|&key| (key, 1)));
            } else if pool.op(t) == Op::Select {
                stack.push((ReadKey::of(pool, t), pool.select_size(t)));
            }
        }
        while let Some((key, size)) = stack.pop() {
            let Some(parts) = arrays.parts.get(&key) else {
                continue;
            };
            if !seen.insert((key, size)) {
                continue;
            }
            stack.extend(parts.keys.iter().map(|&key| (key, size)));
            let mut access = (size, key.window().0);
            let (mut lo, mut hi) = key.window();
            if let Some(&(low, high)) = key.index_term().and_then(|t| scope.intervals.get(&t)) {
                (lo, hi) = (lo.max(low), hi.min(high));
            }
            if let Some(scale) = parts.scale {
                (lo, hi) = scale.within((lo, hi));
                access = (1, 0);
            }
            for &id in &parts.reads {
                let read = &arrays.reads[id as usize];
                if let (Below::Older(key), Some(_)) = (&read.below, &read.base) {
                    stack.push((*key, size));
                }
                let base = read.base.as_ref().and_then(|b| b.1);
                for id in [Some(id), base].into_iter().flatten() {
                    let member = members.entry(id).or_insert(Member {
                        id,
                        window: (0, u64::MAX),
                        access,
                    });
                    member.window = (member.window.0.max(lo), member.window.1.min(hi));
                    member.access.0 = member.access.0.min(access.0);
                }
            }
        }
        // An array's type is its smallest access.
        let mut types: FxHashMap<Source, u64> = FxHashMap::default();
        for member in members.values() {
            if let Below::Source(source) = arrays.reads[member.id as usize].below {
                let size = types.entry(source).or_insert(u64::MAX);
                let is_untyped = arrays.untyped.contains(&source);
                *size = (*size).min(if is_untyped { 1 } else { member.access.0 });
            }
        }
        let mut reads: Vec<Member> = members.into_values().collect();
        for member in &mut reads {
            if let Below::Source(source) = arrays.reads[member.id as usize].below {
                member.access.0 = types[&source];
            }
        }
        reads.sort_unstable_by_key(|m| m.id);
        Relevant {
            roots: roots.to_vec(),
            reads,
            equalities,
        }
    }

    /// Is nothing abstract?
    pub fn is_empty(&self) -> bool {
        self.reads.is_empty() && self.equalities.is_empty()
    }
}

/// Number of axioms saved, compared with one per element and read plus one per pair of reads.
pub(crate) fn spared(arrays: &Arrays, members: &[Member]) -> u64 {
    let mut spared = 0;
    let mut together: FxHashMap<Source, u64> = FxHashMap::default();
    for member in members {
        let read = &arrays.reads[member.id as usize];
        let Below::Source(source) = read.below else {
            continue;
        };
        let length = arrays.length(member.id);
        let given = read.table.map_or(0, |table| table.count(length));
        spared += length.saturating_sub(given.max(read.elements.len() as u64));
        let earlier = together.entry(source).or_default();
        spared += *earlier;
        *earlier += 1;
    }
    spared
}

/// The reads and equalities of arrays among terms.
pub(crate) fn roots(pool: &Pool, terms: &[Term]) -> Vec<Term> {
    let is_root = |&&t: &&Term| pool.op(t) == Op::Select || is_array_equality(pool, t);
    terms.iter().filter(is_root).copied().collect()
}
