//! Branches that can wait: the other side of a choice of which a plain input took the plain one (no call that changes an object, say). They
//! are asked for one by one when no other branch is open, or when the runs since have covered nothing for as long as it took until
//! they last did. (States of a program wait in the same way, `search::Deferring`; there time is work, here it is runs.)

use search::BranchId;
use std::collections::VecDeque;

/// Runs without news after which a branch is due, at least.
const LEAST: u64 = 32;

/// See the module.
#[derive(Default)]
pub(super) struct Deferred {
    waiting: VecDeque<BranchId>,
    /// All runs so far; how many there were when the last branch had its turn, and when something new was covered last.
    runs: u64,
    began: u64,
    news: u64,
}

impl Deferred {
    pub fn add(&mut self, id: BranchId) {
        self.waiting.push_back(id);
    }

    /// A run has ended.
    pub fn ran(&mut self, is_news: bool) {
        self.runs += 1;
        if is_news {
            self.news = self.runs;
        }
    }

    /// The one that has waited longest, if the others have had their time.
    pub fn due(&mut self) -> Option<BranchId> {
        let quiet = self.runs - self.news.max(self.began);
        if quiet <= LEAST.max(self.news.saturating_sub(self.began)) {
            return None;
        }
        self.next()
    }

    /// The one that has waited longest.
    pub fn next(&mut self) -> Option<BranchId> {
        let id = self.waiting.pop_front()?;
        (self.began, self.news) = (self.runs, self.runs);
        Some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_waits_until_the_others_bring_nothing_new() {
        let mut d = Deferred::default();
        d.add(BranchId(1));
        d.add(BranchId(2));
        for n in 1..=80 {
            d.ran(n == 20);
            assert_eq!(d.due(), (n == 53).then_some(BranchId(1)), "{n}");
        }
        // The next one has to wait as long again, unless nothing else is left.
        assert_eq!(d.next(), Some(BranchId(2)));
        assert_eq!(d.next(), None);
    }
}
