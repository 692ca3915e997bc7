//! The partial assignments that a SAT search tries: its trail, each time that it backtracks.
//!
//! A trail assigns part of the inputs; the others keep the value that they had last (saved phases), or
//! that of the start ("Multiplex symbolic execution", section 3.5). Trails that follow each other differ
//! little, so the search is sampled: every backtracking at first, ever fewer later, a bounded
//! number in all. Nothing is shown during the search: one of the solvers allows no borrowed observer.

use super::Lit;

/// Largest number of assignments taken from one search.
const MOST: usize = 48;
/// So many backtrackings are all noted; later ones at growing distances.
const DENSE: u64 = 12;

/// Records assignments of some inputs.
#[derive(Default)]
pub struct Recorder {
    /// The inputs.
    pub inputs: Vec<Lit>,
    /// The last value of each input.
    phases: Vec<bool>,
    /// Did an input change since the last assignment that was noted?
    changed: bool,
    backtracks: u64,
    next: u64,
    /// Values of the inputs, in the order of the search.
    pub tried: Vec<Vec<bool>>,
}

impl Recorder {
    /// For inputs that begin with these values.
    pub fn new(inputs: Vec<Lit>, phases: Vec<bool>) -> Recorder {
        Recorder {
            inputs,
            phases,
            ..Recorder::default()
        }
    }

    /// Position of each input by key; `key` gives a solver's number of a variable.
    pub(super) fn positions(&self, key: impl Fn(Lit) -> usize) -> Vec<u32> {
        let mut positions = Vec::new();
        for (i, &input) in self.inputs.iter().enumerate() {
            let key = key(input);
            if positions.len() <= key {
                positions.resize(key + 1, u32::MAX);
            }
            positions[key] = i as u32;
        }
        positions
    }

    /// The variable of an input got a value.
    pub fn assign(&mut self, position: u32, value: bool) {
        let Some(&input) = self.inputs.get(position as usize) else {
            return; // u32::MAX: no input
        };
        let value = value != input.is_negated();
        let phase = &mut self.phases[position as usize];
        self.changed |= *phase != value;
        *phase = value;
    }

    /// The search gives its trail up.
    pub fn backtrack(&mut self) {
        self.backtracks += 1;
        if self.changed && self.backtracks >= self.next && self.tried.len() < MOST {
            self.changed = false;
            self.next = self.backtracks + 1 + self.backtracks / DENSE;
            self.tried.push(self.phases.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_are_completed_by_what_was_last_and_thin_out() {
        let inputs = vec![Lit::positive(3), !Lit::positive(5)];
        let mut recorder = Recorder::new(inputs, vec![false, false]);
        let at = recorder.positions(|l| l.var() as usize);
        assert_eq!((at[3], at[5], at[4]), (0, 1, u32::MAX));
        recorder.backtrack(); // nothing was assigned
        recorder.assign(at[4], true);
        recorder.backtrack();
        assert!(recorder.tried.is_empty());
        recorder.assign(at[5], false);
        recorder.backtrack();
        recorder.assign(at[3], true);
        recorder.backtrack();
        assert_eq!(recorder.tried, [[false, true], [true, true]]);
        for k in 0..10_000 {
            recorder.assign(0, k % 2 == 0);
            recorder.backtrack();
        }
        assert!((20..=MOST).contains(&recorder.tried.len()));
    }
}
