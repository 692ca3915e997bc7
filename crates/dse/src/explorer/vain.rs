//! Places of the program where questions are in vain: for long they have opened nothing. The branches there wait, one has a turn now and then, and all are
//! asked for where nothing else is left.
//!
//! A decoder meets the same few comparisons on each path, thousands of times. Those that depend on all of the input are beyond the solver on each of them, and
//! those that can never be true are refuted on each of them, while branches elsewhere take a thousandth of that to open. So what counts is
//! the work at a place since a branch last opened there, in counted work, so that runs repeat. A place that opens a branch has no debt any more.
//!
//! Only strategies that look for uncovered code have it ([`Strategy::may_put_off`](search::Strategy::may_put_off)): an order like depth first is kept.

use rustc_hash::FxHashMap;
use search::BranchId;
use std::collections::VecDeque;

/// Questions at a place are in vain when they have taken as much work as so many runs.
const RUNS: u64 = 16;
/// One question in so many is for a branch that waits.
const TURN: u64 = 16;

/// See the module.
#[derive(Default)]
pub(super) struct Vain {
    /// The work of the questions at each place since one of them opened a branch.
    debts: FxHashMap<u64, u64>,
    waiting: VecDeque<BranchId>,
    /// Questions since one of those that wait had its turn.
    since: u64,
    /// All runs so far, and their work.
    runs: u64,
    work: u64,
}

impl Vain {
    /// A run has ended, which took so much work.
    pub fn ran(&mut self, work: u64) {
        self.runs += 1;
        self.work += work;
    }

    /// A question at a place has taken so much work.
    pub fn asked(&mut self, place: u64, has_opened: bool, work: u64) {
        self.since += 1;
        if has_opened {
            self.debts.remove(&place);
        } else {
            *self.debts.entry(place).or_default() += work;
        }
    }

    /// Are questions at the place in vain? Then the branch waits.
    pub fn puts_off(&mut self, id: BranchId, place: u64) -> bool {
        let debt = self.debts.get(&place).copied().unwrap_or(0);
        let is_in_vain = debt > RUNS * (self.work / self.runs.max(1));
        if is_in_vain {
            self.waiting.push_back(id);
        }
        is_in_vain
    }

    /// The one that has waited longest, if it is time for one.
    pub fn due(&mut self) -> Option<BranchId> {
        if self.since < TURN {
            return None;
        }
        self.next()
    }

    /// The one that has waited longest.
    pub fn next(&mut self) -> Option<BranchId> {
        self.since = 0;
        self.waiting.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_debt_has_a_turn_now_and_then_until_it_opens_a_branch() {
        let mut vain = Vain::default();
        vain.ran(10);
        vain.ran(30);
        assert!(!vain.puts_off(BranchId(1), 7), "nothing is known of it");
        vain.asked(7, false, RUNS * 20);
        assert!(!vain.puts_off(BranchId(2), 7), "as much as sixteen runs");
        vain.asked(7, false, 1);
        assert!(vain.puts_off(BranchId(3), 7));
        assert!(vain.puts_off(BranchId(4), 7));
        assert!(!vain.puts_off(BranchId(5), 8), "another place");
        assert_eq!(vain.due(), None);
        for _ in 0..TURN {
            vain.asked(8, true, 5);
        }
        assert_eq!(vain.due(), Some(BranchId(3)));
        assert_eq!(vain.due(), None);
        vain.asked(7, true, 5);
        assert!(!vain.puts_off(BranchId(6), 7));
        assert_eq!(vain.next(), Some(BranchId(4)));
        assert_eq!(vain.next(), None);
    }
}
