//! The frontier of a worker as the others know it: a list with an entry for each part that can be explored by itself.
//!
//! A part that has not changed since it was reported is an entry. A part that has run since, or is new, belongs to the
//! entry that it came from, until the list is brought up to date ([`List::update`]).

use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The changes of a frontier.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Entries that are gone.
    pub gone: Vec<u64>,
    /// The share of all entries that is counted elsewhere, too.
    pub counted: Counted,
}

/// Entries that a run's counters count although they are still open: a worker that continues them counts them anew.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    /// Parked sides, by the reason.
    pub parked: BTreeMap<String, u64>,
    /// Pruned states that wait, which are counted as paths that ended.
    pub pruned: u64,
}

/// See the module.
#[derive(Default)]
pub struct List {
    /// The entries that do not rest.
    told: FxHashSet<u64>,
    /// The number given last.
    last: u64,
    /// There is no other worker: the list is kept for a later run.
    pub is_alone: bool,
    /// The prefix that is being reported.
    prefix: Vec<u8>,
}

/// A new entry.
pub struct Told<'a> {
    /// Its number.
    pub key: u64,
    /// The entry that it was a part of: the number of the same path some time ago, or of the one that it was forked off.
    pub from: u64,
    /// The prefix that leads there, as bytes.
    pub prefix: &'a [u8],
}

/// The receiver of new entries, which returns whether to continue.
pub type Hear<'a> = dyn FnMut(Told<'_>) -> bool + 'a;

impl List {
    /// The lease of a worker that explores alone.
    pub fn alone() -> List {
        List {
            is_alone: true,
            ..List::default()
        }
    }

    /// Others have given this entry.
    pub fn adopt(&mut self, key: u64) {
        self.told.insert(key);
    }

    /// This entry does not change for a while, and is not reported until it wakes.
    pub fn rest(&mut self, key: u64) {
        self.told.remove(&key);
    }

    /// An entry that rested is shown again, or is gone.
    pub fn wake(&mut self, key: u64) {
        self.told.insert(key);
    }

    /// Brings the list up to date; with `whole`, all entries are reported.
    pub fn update<'a>(&'a mut self, whole: bool, new: &'a mut Hear<'a>) -> Update<'a> {
        Update {
            now: FxHashSet::with_capacity_and_hasher(self.told.len(), Default::default()),
            list: self,
            whole,
            new,
            goes_on: true,
            counted: Counted::default(),
        }
    }
}

/// The list while it is brought up to date.
pub struct Update<'a> {
    list: &'a mut List,
    now: FxHashSet<u64>,
    whole: bool,
    new: &'a mut Hear<'a>,
    goes_on: bool,
    counted: Counted,
}

impl Update<'_> {
    /// This is to be explored: the entry of this number, or a new one if it was not reported. `prefix` writes the bytes that lead
    /// there.
    pub fn entry(&mut self, key: &mut u64, is_told: &mut bool, prefix: impl FnOnce(&mut Vec<u8>)) {
        if !self.goes_on {
            return;
        }
        let from = *key;
        if !*is_told {
            self.list.last += 1;
            *key = self.list.last;
        }
        if !std::mem::replace(is_told, true) || self.whole {
            let bytes = &mut self.list.prefix;
            bytes.clear();
            prefix(bytes);
            self.goes_on = (self.new)(Told {
                key: *key,
                from,
                prefix: bytes,
            });
        }
        self.now.insert(*key);
    }

    /// The same of one that goes on resting.
    pub fn resting(
        &mut self,
        key: &mut u64,
        is_told: &mut bool,
        prefix: impl FnOnce(&mut Vec<u8>),
    ) {
        self.entry(key, is_told, prefix);
        self.now.remove(key);
        self.list.told.remove(key);
    }

    /// Are all entries to be reported?
    pub fn is_whole(&self) -> bool {
        self.whole
    }

    /// So many entries are parked sides for this reason.
    pub fn parked(&mut self, why: &str, sides: u64) {
        *self.counted.parked.entry(why.into()).or_default() += sides;
    }

    /// So many entries are pruned states that wait.
    pub fn pruned(&mut self, states: u64) {
        self.counted.pruned += states;
    }

    /// The changes. `None`: the receiver did not continue, and the entries reported to it do not count.
    pub fn finish(self) -> Option<Changes> {
        if !self.goes_on {
            return None;
        }
        let mut gone: Vec<u64> = self.list.told.difference(&self.now).copied().collect();
        gone.sort_unstable();
        self.list.told = self.now;
        Some(Changes {
            gone,
            counted: self.counted,
        })
    }
}
