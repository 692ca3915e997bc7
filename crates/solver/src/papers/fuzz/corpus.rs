//! The inputs that are worth mutating.

use fastrand::Rng;

/// Inputs that are kept; later ones take the place of others.
const MOST: usize = 1024;

/// An input, and how many conditions it satisfies before the first one that it violates.
struct Entry {
    input: Box<[u128]>,
    passed: usize,
}

/// The inputs that covered something new.
#[derive(Default)]
pub(super) struct Corpus {
    entries: Vec<Entry>,
    /// Those that come furthest.
    furthest: Vec<usize>,
}

impl Corpus {
    /// Keeps an input.
    pub fn add(&mut self, input: &[u128], passed: usize, rng: &mut Rng) {
        let most = self.furthest.first().map(|&k| self.entries[k].passed);
        let entry = Entry {
            input: input.into(),
            passed,
        };
        let place = if self.entries.len() < MOST {
            self.entries.push(entry);
            self.entries.len() - 1
        } else {
            let place = rng.usize(..MOST);
            // What comes furthest stays.
            if most.is_some_and(|most| self.entries[place].passed >= most.min(passed + 1)) {
                return;
            }
            self.entries[place] = entry;
            place
        };
        if most.is_none_or(|most| passed > most) {
            self.furthest.clear();
        }
        if most.is_none_or(|most| passed >= most) {
            self.furthest.push(place);
        }
    }

    /// An input to mutate: every second one of those that come furthest.
    ///
    /// # Panics
    /// If there is none.
    pub fn choose(&self, rng: &mut Rng) -> &[u128] {
        let random = rng.u64(..);
        let at = |count: usize| (((random >> 32) * count as u64) >> 32) as usize;
        let k = if random & 1 == 0 {
            self.furthest[at(self.furthest.len())]
        } else {
            at(self.entries.len())
        };
        &self.entries[k].input
    }
}
