//! Which errors an exploration has reported: the first one of a place, and of the calls that lead there.
//!
//! An error that depends on what a driver made up is *in doubt* (see [`crate::Sink::ended`]). Some more that come to its place by
//! the same calls are reported then, until one leaves no doubt.

use std::collections::HashMap;
use std::hash::Hash;

/// Largest number of errors at one place that are distinguished by their calls.
const MOST_CALLS: usize = 8;
/// Reports of an error that follow one in doubt.
const AFTER_DOUBT: u32 = 64;

/// See the module. `P`: a place, with the kind of error. `C`: calls that lead there.
#[derive(Clone, Debug)]
pub struct Reported<P, C> {
    /// For each place its calls, and how often the error may be reported again, if all reports so far were in doubt.
    places: HashMap<P, HashMap<C, Option<u32>>>,
}

impl<P, C> Default for Reported<P, C> {
    fn default() -> Self {
        Reported {
            places: HashMap::new(),
        }
    }
}

impl<P: Eq + Hash, C: Eq + Hash> Reported<P, C> {
    /// Was any error of that place reported?
    pub fn has(&self, place: &P) -> bool {
        self.places.contains_key(place)
    }

    /// Would an error there be reported?
    pub fn is_open(&self, place: &P, calls: &C) -> bool {
        let Some(known) = self.places.get(place) else {
            return true;
        };
        match known.get(calls) {
            Some(more) => more.is_some_and(|n| n > 0),
            None => known.len() < MOST_CALLS,
        }
    }

    /// An error there: is it to be reported? Notes it.
    pub fn report(&mut self, place: P, calls: C) -> bool {
        let is_open = self.is_open(&place, &calls);
        let known = self.places.entry(place).or_default();
        if let Some(more) = known.get_mut(&calls) {
            *more = more.map(|n| n.saturating_sub(1));
        } else if is_open {
            known.insert(calls, None);
        }
        is_open
    }

    /// What was reported there is in doubt, or it is not.
    pub fn told(&mut self, place: &P, calls: &C, is_in_doubt: bool) {
        let known = self.places.get_mut(place);
        if let Some(more) = known.and_then(|known| known.get_mut(calls)) {
            if is_in_doubt {
                more.get_or_insert(AFTER_DOUBT);
            } else {
                *more = None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_reported_once_unless_it_is_in_doubt() {
        let mut reported = Reported::default();
        assert!(reported.report("here", 1));
        assert!(!reported.report("here", 1) && !reported.is_open(&"here", &1));
        assert!(reported.report("here", 2) && reported.report("there", 1));

        reported.told(&"here", &2, true);
        assert!(reported.is_open(&"here", &2) && !reported.is_open(&"here", &1));
        assert!(reported.report("here", 2));
        // One without a doubt: that is enough.
        reported.told(&"here", &2, false);
        assert!(!reported.report("here", 2));

        reported.told(&"there", &1, true);
        for _ in 0..AFTER_DOUBT {
            assert!(reported.report("there", 1));
            reported.told(&"there", &1, true);
        }
        assert!(!reported.report("there", 1));
    }

    #[test]
    fn calls_of_a_place_are_few() {
        let mut reported = Reported::default();
        let fresh = (0..100).filter(|&calls| reported.report("here", calls));
        assert_eq!(fresh.count(), MOST_CALLS);
    }
}
