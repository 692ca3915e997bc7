//! What a layer that only finds inputs may evaluate for a query, and what it answers when it finds none.
//!
//! A search that its limits ended is open for want of effort ([`Why::Budget`]): whoever asked may ask again with more. Only
//! one that nothing is left to try for, or that gets no more however much there is, hands the query on for good.

use super::record::Record;
use crate::model::Model;
use crate::query::{Budget, Outcome, Why};

/// With this many misses for each decided query, only an eighth is spent.
const RARELY: u32 = 8;

/// How a search ended.
#[derive(Debug)]
pub(crate) enum Searched {
    /// With a solution.
    Found(Model),
    /// By its limits.
    Limited,
    /// More effort finds nothing more.
    Exhausted,
}

impl Searched {
    /// Of a search that ends only with a solution or at its limits, if it has anything to move at all.
    pub fn of(found: Option<Model>, can_move: bool) -> Searched {
        match found {
            Some(model) => Searched::Found(model),
            None if can_move => Searched::Limited,
            None => Searched::Exhausted,
        }
    }
}

/// The part of a query's effort that a layer gets.
pub(crate) struct Allowance {
    part: u64,
    most: Option<u64>,
    record: Record,
}

impl Allowance {
    /// One operation for each `part` units of effort, and at most so many: that is for layers in front of others that
    /// decide what they do not find.
    pub fn new(part: u64, most: Option<u64>) -> Allowance {
        Allowance {
            part,
            most,
            record: Record::default(),
        }
    }

    /// Operations that may be evaluated for a query with this budget: less while the layer rarely finds anything.
    pub fn ticks(&self, budget: &Budget) -> u64 {
        self.ticks_of(budget, self.most)
    }

    /// The same with another limit for this one query.
    pub fn ticks_of(&self, budget: &Budget, most: Option<u64>) -> u64 {
        let all = budget.bounded_effort() / self.part;
        let allowed = most.map_or(all, |most| all.min(most));
        allowed >> if self.record.is_poor(RARELY) { 3 } else { 0 }
    }

    /// The answer to a query after a search that was allowed these ticks.
    pub fn answer(&mut self, budget: &Budget, searched: Searched) -> Outcome {
        self.answer_of(budget, self.most, searched)
    }

    /// The same with another limit for this one query.
    pub fn answer_of(&mut self, budget: &Budget, most: Option<u64>, searched: Searched) -> Outcome {
        self.record.note(matches!(searched, Searched::Found(_)));
        // Nobody has more than all.
        let gets_more = budget.effort < u64::MAX
            && most.is_none_or(|most| budget.bounded_effort() / self.part < most);
        match searched {
            Searched::Found(model) => Outcome::Sat(model),
            Searched::Limited if gets_more => Outcome::Unknown(Why::Budget),
            Searched::Limited | Searched::Exhausted => Outcome::Unknown(Why::Incomplete),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effort(effort: u64) -> Budget {
        Budget {
            effort,
            ..Budget::default()
        }
    }

    fn why(outcome: &Outcome) -> Option<Why> {
        match outcome {
            Outcome::Unknown(why) => Some(*why),
            _ => None,
        }
    }

    #[test]
    fn a_search_that_effort_ended_is_open_until_it_gets_no_more() {
        let mut before_others = Allowance::new(16, Some(1000));
        assert_eq!(before_others.ticks(&effort(1600)), 100);
        let mut answer = |all, searched| why(&before_others.answer(&effort(all), searched));
        assert_eq!(answer(1600, Searched::Limited), Some(Why::Budget));
        assert_eq!(answer(1600, Searched::Exhausted), Some(Why::Incomplete));
        assert_eq!(answer(16_000, Searched::Limited), Some(Why::Incomplete));
        assert_eq!(answer(1, Searched::Found(Model::new())), None);
    }

    /// Nobody decides what a layer leaves that is alone: there is always more, and without a limit still an end.
    #[test]
    fn alone_it_may_always_spend_more() {
        let mut alone = Allowance::new(16, None);
        let mut last = 0;
        let mut next = Some(4_000_000);
        while let Some(all) = next {
            assert!(alone.ticks(&effort(all)) > last);
            last = alone.ticks(&effort(all));
            let open = alone.answer(&effort(all), Searched::Limited);
            assert_eq!(why(&open), Some(Why::Budget));
            // A find: otherwise rare success makes it spend less.
            alone.answer(&effort(all), Searched::Found(Model::new()));
            next = Budget::next_effort(all);
        }
        let unlimited = alone.answer(&effort(u64::MAX), Searched::Limited);
        assert_eq!(why(&unlimited), Some(Why::Incomplete));
        let all = alone.ticks(&effort(u64::MAX));
        assert!(last < all && all < u64::MAX / 16);
    }

    #[test]
    fn rare_success_makes_it_spend_an_eighth() {
        let mut layer = Allowance::new(1, None);
        for _ in 0..RARELY {
            layer.answer(&effort(8000), Searched::Limited);
        }
        assert_eq!(layer.ticks(&effort(8000)), 1000);
    }
}
