//! Numbers in shared memory that all processes of a run see at once.

use explore::{Commons, Place};
use host::words::Words;
use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Numbers for the whole run: the forks, the workers, the slots of places, how many seconds may be left.
const HEAD: usize = 4;
/// Numbers for each worker: the lease that it works for, and how many live states it has.
const SEAT: usize = 2;
/// Slots that are tried for one place: where more are taken, the board is full.
const TRIES: usize = 64;

/// The numbers, laid out: those of the run, of each worker, the covered places (a hash table with open addressing;
/// places that are numbered from 0 on have a slot each), a bit for each slot whose place a worker has covered, and
/// another one for the scout.
pub struct Board {
    words: Words,
}

/// The process that has covered a place.
#[derive(Clone, Copy)]
enum Who {
    Workers = 0,
    Scout = 1,
}

impl Board {
    /// For so many workers, and a program of which so many places are covered at most. Beyond that each of them is the first at a place.
    pub fn new(workers: u32, places: usize) -> io::Result<Board> {
        let slots = places.next_multiple_of(64);
        let words = Words::new(HEAD + SEAT * workers as usize + slots + 2 * slots / 64)?;
        words[1].store(u64::from(workers), Relaxed);
        words[2].store(slots as u64, Relaxed);
        Ok(Board { words })
    }

    /// Opens the board of another process.
    pub fn open(path: &Path) -> io::Result<Board> {
        let board = Board {
            words: Words::open(path)?,
        };
        let needed = board.first_slot() + board.slots() + 2 * board.slots() / 64;
        if board.words.len() < needed {
            return Err(io::Error::other("the workers' shared memory is too small"));
        }
        Ok(board)
    }

    /// The path by which another process opens it.
    pub fn path(&self) -> Option<PathBuf> {
        self.words.path()
    }

    fn slots(&self) -> usize {
        self.words[2].load(Relaxed) as usize
    }

    fn first_slot(&self) -> usize {
        HEAD + SEAT * self.words[1].load(Relaxed) as usize
    }

    fn works_on(&self, seat: u32) -> &AtomicU64 {
        &self.words[HEAD + SEAT * seat as usize]
    }

    fn live(&self, seat: u32) -> &AtomicU64 {
        &self.words[HEAD + SEAT * seat as usize + 1]
    }

    /// The lease that a worker works for, and how many live states it has.
    pub fn seen_of(&self, seat: u32) -> (u64, u64) {
        let states = self.live(seat).load(Relaxed);
        (self.works_on(seat).load(Relaxed), states)
    }

    /// Shows the state of a worker on another machine.
    pub fn see(&self, seat: u32, lease: u64, states: u64) {
        self.works_on(seat).store(lease, Relaxed);
        self.live(seat).store(states, Relaxed);
    }

    /// Frees the seat.
    pub fn leave(&self, seat: u32) {
        self.see(seat, 0, 0);
    }

    /// The slot of a place; `None` if it has none, and is to get none or the board is full.
    fn slot(&self, place: Place, is_wanted: bool) -> Option<usize> {
        let slots = self.slots();
        // An empty slot is 0.
        let content = place.wrapping_add(1).max(1);
        for at in (0..TRIES.min(slots)).map(|n| (place as usize).wrapping_add(n) % slots) {
            let word = &self.words[self.first_slot() + at];
            let found = match word.load(Relaxed) {
                0 if !is_wanted => return None,
                0 => match word.compare_exchange(0, content, Relaxed, Relaxed) {
                    Ok(_) => content,
                    Err(other) => other,
                },
                found => found,
            };
            if found == content {
                return Some(at);
            }
        }
        None
    }

    fn bit(&self, slot: usize, who: Who) -> (&AtomicU64, u64) {
        let words = self.slots() / 64;
        let first = self.first_slot() + self.slots() + who as usize * words;
        (&self.words[first + slot / 64], 1 << (slot % 64))
    }

    fn has(&self, place: Place, who: Who) -> bool {
        self.slot(place, false).is_some_and(|slot| {
            let (word, bit) = self.bit(slot, who);
            word.load(Relaxed) & bit != 0
        })
    }

    fn set(&self, place: Place, who: Who) -> bool {
        self.slot(place, true).is_none_or(|slot| {
            let (word, bit) = self.bit(slot, who);
            word.fetch_or(bit, Relaxed) & bit == 0
        })
    }

    /// Has the scout covered the place?
    pub fn is_scouted(&self, place: Place) -> bool {
        self.has(place, Who::Scout)
    }

    /// Records that the scout has covered a place. Returns whether that is new.
    pub fn scout(&self, place: Place) -> bool {
        self.set(place, Who::Scout)
    }

    /// Is the place covered by any worker?
    pub fn is_claimed(&self, place: Place) -> bool {
        self.has(place, Who::Workers)
    }

    /// Records that a place is covered. Returns whether no process has recorded it before.
    pub fn claim(&self, place: Place) -> bool {
        self.set(place, Who::Workers)
    }

    /// Sets these places as the covered ones. A process that claims one at this moment may get lost: then a second
    /// worker is the first there, too.
    pub fn set_claimed(&self, covered: &HashSet<Place>) {
        let first = self.first_slot() + self.slots();
        for word in first..first + self.slots() / 64 {
            self.words[word].store(0, Relaxed);
        }
        for &place in covered {
            self.claim(place);
        }
    }

    /// Estimated seconds until everything is explored; at first 0.
    pub fn seconds_left(&self) -> f64 {
        f64::from_bits(self.words[3].load(Relaxed))
    }

    /// So many seconds are left.
    pub fn expect(&self, seconds: f64) {
        self.words[3].store(seconds.to_bits(), Relaxed);
    }

    /// Forks of the whole run.
    pub fn forks(&self) -> u64 {
        self.words[0].load(Relaxed)
    }

    /// There were so many forks before, or elsewhere.
    pub fn add_forks(&self, forks: u64) {
        self.words[0].fetch_add(forks, Relaxed);
    }
}

/// A worker's place on the board.
pub struct Seat {
    pub board: Board,
    pub number: u32,
}

impl Seat {
    /// The worker has so many live states.
    pub fn has(&self, states: usize) {
        self.board.live(self.number).store(states as u64, Relaxed);
    }
}

impl Commons for Seat {
    fn works_on(&self, lease: u64) {
        self.board.works_on(self.number).store(lease, Relaxed);
    }

    fn claim(&self, place: Place) -> bool {
        self.board.claim(place)
    }

    fn forked(&self) {
        self.board.add_forks(1);
    }

    fn forks(&self) -> u64 {
        self.board.forks()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_see_each_other() {
        let board = Board::new(2, 130).unwrap();
        let path = board.path().unwrap();
        let seats = [0, 1].map(|number| Seat {
            board: Board::open(&path).unwrap(),
            number,
        });
        seats[0].works_on(5);
        seats[1].works_on(6);
        seats[1].has(70);
        assert_eq!((board.seen_of(0), board.seen_of(1)), ((5, 0), (6, 70)));
        assert!(seats[0].claim(129) && !seats[1].claim(129) && seats[1].claim(128));
        assert!(board.is_claimed(129) && board.is_claimed(128) && !board.is_claimed(1));
        board.set_claimed(&HashSet::from([64]));
        assert!(board.is_claimed(64) && !board.is_claimed(129));
        assert_eq!(board.seconds_left(), 0.0);
        board.expect(12.5);
        assert_eq!(seats[0].board.seconds_left(), 12.5);
        seats[0].forked();
        seats[1].forked();
        assert_eq!(seats[0].forks(), 2);
        board.leave(1);
        assert_eq!((board.seen_of(0), board.seen_of(1)), ((5, 0), (0, 0)));
    }

    #[test]
    fn places_share_slots_until_the_board_is_full() {
        let board = Board::new(0, 64).unwrap();
        // All in one slot, were there no others.
        let places: Vec<Place> = (1..=64).map(|n| 64 * n).chain([Place::MAX]).collect();
        assert!(places[..64].iter().all(|&place| board.claim(place)));
        assert!(places[..64].iter().all(|&place| !board.claim(place)));
        assert!(places[..64].iter().all(|&place| board.is_claimed(place)));
        assert!(!board.is_scouted(places[0]) && board.scout(places[0]));
        assert!(board.claim(places[64]) && board.claim(places[64]));
        assert!(!board.is_claimed(places[64]));
        board.set_claimed(&HashSet::new());
        assert!(!board.is_claimed(64) && board.is_scouted(64) && board.claim(64));
    }
}
