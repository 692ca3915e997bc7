//! The branch with the fewest decisions before it, among those the one that was met first.

use super::{BranchId, Strategy};
use crate::Metrics;
use std::collections::VecDeque;

/// The branches by their depth. Eight bytes each, as there can be millions.
#[derive(Default)]
pub struct Shallow {
    open: Vec<VecDeque<BranchId>>,
    /// Above it nothing is open.
    least: usize,
}

impl Strategy for Shallow {
    fn add(&mut self, id: BranchId, m: &Metrics) {
        let depth = m.depth as usize;
        if depth >= self.open.len() {
            self.open.resize_with(depth + 1, VecDeque::new);
        }
        self.open[depth].push_back(id);
        self.least = self.least.min(depth);
    }

    fn next(&mut self) -> Option<BranchId> {
        while let Some(same) = self.open.get_mut(self.least) {
            if let Some(id) = same.pop_front() {
                return Some(id);
            }
            self.least += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shallowest_comes_first_also_if_it_comes_late() {
        let mut s = Shallow::default();
        let mut add = |id, depth| {
            let m = Metrics {
                depth,
                ..Metrics::default()
            };
            s.add(BranchId(id), &m);
            s.next()
        };
        assert_eq!(add(1, 7), Some(BranchId(1)));
        assert_eq!(add(2, 9), Some(BranchId(2)));
        assert_eq!(add(3, 4), Some(BranchId(3)));
        assert_eq!(s.next(), None);
    }
}
