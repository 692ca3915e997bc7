//! A few numbers that all processes of a run see at once.

use exec::Commons;
use host::words::Words;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Numbers for the whole run: the forks, the workers, the sites, how many seconds may be left.
const HEAD: usize = 4;
/// Numbers for each worker: the lease that it works for, and how many live states it has.
const SEAT: usize = 2;

/// The numbers, laid out: those of the run, of each worker, a bit for each coverage site, and another one for each that the scout has
/// covered.
pub struct Board {
    words: Words,
}

impl Board {
    /// For so many workers, and a program with so many sites.
    pub fn new(workers: u32, sites: usize) -> io::Result<Board> {
        let words = Words::new(HEAD + SEAT * workers as usize + 2 * sites.div_ceil(64))?;
        words[1].store(u64::from(workers), Relaxed);
        words[2].store(sites as u64, Relaxed);
        Ok(Board { words })
    }

    /// That of another process.
    pub fn open(path: &Path) -> io::Result<Board> {
        let board = Board {
            words: Words::open(path)?,
        };
        let needed = board.first_site() + 2 * board.sites().div_ceil(64);
        if board.words.len() < needed {
            return Err(io::Error::other("the workers' shared memory is too small"));
        }
        Ok(board)
    }

    /// Where another process opens it.
    pub fn path(&self) -> Option<PathBuf> {
        self.words.path()
    }

    fn sites(&self) -> usize {
        self.words[2].load(Relaxed) as usize
    }

    fn first_site(&self) -> usize {
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

    /// What is seen of a worker on another machine.
    pub fn see(&self, seat: u32, lease: u64, states: u64) {
        self.works_on(seat).store(lease, Relaxed);
        self.live(seat).store(states, Relaxed);
    }

    /// Nobody has the seat any more.
    pub fn leave(&self, seat: u32) {
        self.see(seat, 0, 0);
    }

    fn bit(&self, site: ir::SiteId) -> (&AtomicU64, u64) {
        let word = &self.words[self.first_site() + site as usize / 64];
        (word, 1 << (site % 64))
    }

    fn scouted_bit(&self, site: ir::SiteId) -> (&AtomicU64, u64) {
        let (site, sites) = (site as usize, self.sites());
        let word = &self.words[self.first_site() + sites.div_ceil(64) + site / 64];
        (word, 1 << (site % 64))
    }

    /// Has the scout covered the site?
    pub fn is_scouted(&self, site: ir::SiteId) -> bool {
        let (word, bit) = self.scouted_bit(site);
        word.load(Relaxed) & bit != 0
    }

    /// Says that the scout has covered a site. Returns whether it has not said so before.
    pub fn scout(&self, site: ir::SiteId) -> bool {
        let (word, bit) = self.scouted_bit(site);
        word.fetch_or(bit, Relaxed) & bit == 0
    }

    /// Is the site covered by any worker?
    pub fn is_claimed(&self, site: ir::SiteId) -> bool {
        let (word, bit) = self.bit(site);
        word.load(Relaxed) & bit != 0
    }

    /// Says that a site is covered. Returns whether nobody has said so before.
    pub fn claim(&self, site: ir::SiteId) -> bool {
        let (word, bit) = self.bit(site);
        word.fetch_or(bit, Relaxed) & bit == 0
    }

    /// Says which sites are covered. Who claims one at this moment may not be heard: then a second worker is the first
    /// there, too.
    pub fn set_claimed(&self, covered: &[bool]) {
        for (at, chunk) in covered.chunks(64).enumerate() {
            let bits = chunk.iter().enumerate();
            let bits = bits.fold(0, |all, (i, &hit)| all | u64::from(hit) << i);
            self.words[self.first_site() + at].store(bits, Relaxed);
        }
    }

    /// Seconds until everything is explored, as far as can be told; at first 0.
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

    fn claim(&self, site: ir::SiteId) -> bool {
        self.board.claim(site)
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
        let mut covered = vec![false; 130];
        covered[64] = true;
        board.set_claimed(&covered);
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
}
