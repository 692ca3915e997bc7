//! Leak check: a conservative scan from globals, mappings and live stack objects.

use crate::state::State;
use memory::{Object, ObjectKind};
use std::collections::HashSet;

/// Live heap objects that no aligned word of reachable memory points into.
pub fn unreachable(s: &State) -> Vec<Object> {
    let mut seen: HashSet<u64> = HashSet::new();
    let mut todo: Vec<Object> = s
        .memory
        .objects_between(0, u64::MAX)
        .filter(|o| o.kind != ObjectKind::Heap)
        .collect();
    while let Some(o) = todo.pop() {
        let mut at = o.start.next_multiple_of(8);
        while at + 8 <= o.end() {
            // Symbolic words are not followed: a pointer computed from input is rare.
            if let Some(word) = s.memory.read_concrete(at, 8) {
                let word = u64::from_le_bytes(word.try_into().unwrap_or_default());
                if let Some(to) = s.memory.object_at(word) {
                    let inside = to.live && (to.contains(word) || word == to.end());
                    if inside && to.kind == ObjectKind::Heap && seen.insert(to.start) {
                        todo.push(to);
                    }
                }
            }
            at += 8;
        }
    }
    s.memory
        .live_heap()
        .filter(|o| !seen.contains(&o.start))
        .collect()
}
