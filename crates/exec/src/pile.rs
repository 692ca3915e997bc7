//! Prefixes that wait until they are taken up, the latest one first.
//!
//! They are bytes, in the form in which they go to another process. The latest ones are in memory; those below them go to
//! a file when that is too much, in blocks, and come back one block at a time.

use crate::floats::Floats;
use crate::lease::Lease;
use explore::{List, Update};
use host::shelf::{Piece, Shelf};
use solver::Why;
use std::collections::{BTreeMap, VecDeque};

/// Bytes of a block, about: as much as is read at a time.
const BLOCK: u64 = 1 << 18;
/// Bytes that each takes in addition to its own, about.
const HEAD: u64 = size_of::<Waiting>() as u64 + 16;

/// Why a block that can be read is lost.
const CHANGED: &str = "spilled states differ from what was written";

/// The part of the run's memory that prefixes may take.
const PART: u64 = 8;

/// Bytes that what waits may take of so much memory; 0 = no limit.
pub(crate) fn part_of(cap: u64) -> u64 {
    if cap == 0 { u64::MAX } else { cap / PART }
}

/// A prefix that waits.
pub(crate) struct Waiting {
    pub bytes: Vec<u8>,
    pub lease: Lease,
    /// Forks on its path.
    pub depth: u32,
    /// Its path has covered something new that was not reported yet.
    pub is_unsaved: bool,
    /// Why the solver did not decide it, if it is a parked side.
    pub why: Option<Why>,
    /// How its path computes with floats, if another worker cannot know that.
    pub floats: Option<Floats>,
}

impl Waiting {
    fn size(&self) -> u64 {
        self.bytes.len() as u64 + HEAD
    }
}

/// A block in the file, with the facts about its prefixes that are kept in memory.
struct Block {
    piece: Piece,
    /// The leases of its prefixes, the lowest prefix first.
    leases: Vec<Lease>,
    unsaved: u64,
    parked: BTreeMap<&'static str, u64>,
    /// Reasons by the place in the block.
    whys: Vec<(usize, Why)>,
    floats: Vec<(usize, Floats)>,
}

/// See the module.
pub(crate) struct Pile {
    top: VecDeque<Waiting>,
    /// Bytes in memory.
    size: u64,
    blocks: Vec<Block>,
    shelf: Option<Shelf>,
    /// Prefixes in the file.
    below: usize,
    /// Prefixes that could not be read again, and why.
    lost: Option<(u64, String)>,
}

impl Pile {
    /// An empty one, in memory alone.
    pub fn new() -> Pile {
        Pile {
            top: VecDeque::new(),
            size: 0,
            blocks: Vec::new(),
            shelf: None,
            below: 0,
            lost: None,
        }
    }

    /// From now on it may use the disk.
    pub fn spill_to(&mut self, shelf: Shelf) {
        self.shelf = Some(shelf);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.top.len() + self.below
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes in memory, about.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Those in memory, the lowest first.
    pub fn top(&self) -> &VecDeque<Waiting> {
        &self.top
    }

    /// How many have covered something new that was not reported yet.
    pub fn unsaved(&self) -> u64 {
        let top = self.top.iter().filter(|w| w.is_unsaved).count() as u64;
        top + self.blocks.iter().map(|b| b.unsaved).sum::<u64>()
    }

    /// Can each of them go on elsewhere?
    pub fn may_go_elsewhere(&self) -> bool {
        self.blocks.iter().all(|b| b.floats.is_empty())
            && self.top.iter().all(|w| w.floats.is_none())
    }

    /// Those that could not be read again since this was asked last, and why.
    pub fn lost(&mut self) -> Option<(u64, String)> {
        self.lost.take()
    }

    /// Puts one on top.
    pub fn push(&mut self, waiting: Waiting) {
        self.size += waiting.size();
        self.top.push_back(waiting);
    }

    /// Takes the prefix that was added last.
    pub fn pop_latest(&mut self) -> Option<Waiting> {
        let waiting = self.top.pop_back()?;
        self.size -= waiting.size();
        Some(waiting)
    }

    /// The one on top.
    pub fn pop(&mut self, list: &mut Option<List>) -> Option<Waiting> {
        self.fill(1, list);
        self.pop_latest()
    }

    /// The lease of the one on top.
    pub fn peek(&mut self, list: &mut Option<List>) -> Option<Lease> {
        self.fill(1, list);
        self.top.back().map(|w| w.lease)
    }

    /// Takes out those in memory at these places, which ascend.
    pub fn take(&mut self, places: &[usize]) -> Vec<Waiting> {
        let taken = places.iter().rev().filter_map(|&at| self.top.remove(at));
        let taken: Vec<Waiting> = taken.collect();
        self.size -= taken.iter().map(Waiting::size).sum::<u64>();
        taken
    }

    /// Moves the lower half of the prefixes in memory to the disk, at least one, as far as there is room. Returns
    /// whether any were moved.
    ///
    /// # Errors
    /// The disk refuses, in words.
    pub fn sink(&mut self, list: &mut Option<List>) -> Result<bool, String> {
        let mut left = self.size / 2;
        let mut any = false;
        let Some(shelf) = &self.shelf else {
            return Ok(false);
        };
        loop {
            let (mut bytes, mut n, mut size) = (Vec::new(), 0, 0);
            for waiting in &self.top {
                if n > 0 && (size >= left.min(BLOCK)) {
                    break;
                }
                write(waiting, &mut bytes);
                size += waiting.size();
                n += 1;
            }
            if n == 0 {
                return Ok(any);
            }
            let Some(piece) = shelf.store(&bytes).map_err(|e| e.to_string())? else {
                return Ok(any);
            };
            let block = Block::of(piece, self.top.drain(..n), list);
            self.below += n;
            self.size -= size;
            self.blocks.push(block);
            any = true;
            left = left.saturating_sub(size);
            if left == 0 {
                return Ok(any);
            }
        }
    }

    /// Brings blocks back until so many are in memory, if there are so many.
    pub fn fill(&mut self, wanted: usize, list: &mut Option<List>) {
        while self.top.len() < wanted {
            let Some(block) = self.blocks.pop() else {
                return;
            };
            let n = block.leases.len();
            self.below -= n;
            if let Some(list) = list {
                block.leases.iter().for_each(|lease| lease.wake(list));
            }
            match block.waiting() {
                Ok(waiting) => {
                    for waiting in waiting.into_iter().rev() {
                        self.size += waiting.size();
                        self.top.push_front(waiting);
                    }
                }
                Err(why) => self.lose(n, why),
            }
        }
    }

    fn lose(&mut self, n: usize, why: String) {
        let before = self.lost.take().map_or(0, |(n, _)| n);
        self.lost = Some((before + n as u64, why));
    }

    /// Reports the prefixes to the list of the frontier. In the file only those are read that were not reported yet.
    pub fn tell(&mut self, list: &mut Update<'_>) {
        for waiting in &mut self.top {
            if let Some(why) = waiting.why {
                list.parked(why.name(), 1);
            }
            let prefix = &waiting.bytes;
            waiting.lease.show(list, |bytes| bytes.extend(prefix));
        }
        let mut unread = None;
        for block in &mut self.blocks {
            for (why, sides) in &block.parked {
                list.parked(why, *sides);
            }
            if !list.is_whole() && block.leases.iter().all(|lease| lease.is_told()) {
                continue;
            }
            // When it is taken up, it is lost, and that is said.
            unread = block.tell(list).err().or(unread);
        }
        if let Some(why) = unread {
            self.lose(0, why);
        }
    }
}

impl Block {
    /// A block of these prefixes, which rest from now on as this piece.
    fn of(piece: Piece, waiting: impl Iterator<Item = Waiting>, list: &mut Option<List>) -> Block {
        let mut block = Block {
            piece,
            leases: Vec::new(),
            unsaved: 0,
            parked: BTreeMap::new(),
            whys: Vec::new(),
            floats: Vec::new(),
        };
        for (at, waiting) in waiting.enumerate() {
            if let Some(list) = list {
                waiting.lease.rest(list);
            }
            block.leases.push(waiting.lease);
            block.unsaved += u64::from(waiting.is_unsaved);
            if let Some(why) = waiting.why {
                *block.parked.entry(why.name()).or_default() += 1;
                block.whys.push((at, why));
            }
            if let Some(floats) = waiting.floats {
                block.floats.push((at, floats));
            }
        }
        block
    }

    /// The prefixes, as they were.
    fn waiting(self) -> Result<Vec<Waiting>, String> {
        let bytes = self.piece.read().map_err(|e| e.to_string())?;
        let mut bytes = &*bytes;
        let mut all = Vec::with_capacity(self.leases.len());
        for lease in self.leases {
            let (head, prefix) = read(&mut bytes)?;
            all.push(Waiting {
                bytes: prefix.to_vec(),
                lease,
                depth: head.0,
                is_unsaved: head.1,
                why: None,
                floats: None,
            });
        }
        if !bytes.is_empty() {
            return Err(CHANGED.into());
        }
        self.whys
            .into_iter()
            .for_each(|(at, why)| all[at].why = Some(why));
        let floats = self.floats.into_iter();
        floats.for_each(|(at, floats)| all[at].floats = Some(floats));
        Ok(all)
    }

    fn tell(&mut self, list: &mut Update<'_>) -> Result<(), String> {
        let bytes = self.piece.read().map_err(|e| e.to_string())?;
        let mut bytes = &*bytes;
        for lease in &mut self.leases {
            let (_, prefix) = read(&mut bytes)?;
            if list.is_whole() || !lease.is_told() {
                lease.show_resting(list, |bytes| bytes.extend(prefix));
            }
        }
        Ok(())
    }
}

/// A prefix in a block: its length, depth and whether it is unsaved, then its bytes.
fn write(waiting: &Waiting, block: &mut Vec<u8>) {
    block.extend((waiting.bytes.len() as u32).to_le_bytes());
    block.extend(waiting.depth.to_le_bytes());
    block.push(u8::from(waiting.is_unsaved));
    block.extend(&waiting.bytes);
}

/// Takes one from the front of a block: depth, whether it is unsaved, and its bytes.
fn read<'a>(block: &mut &'a [u8]) -> Result<((u32, bool), &'a [u8]), String> {
    let whole = |block: &'a [u8]| {
        let (length, rest) = block.split_first_chunk::<4>()?;
        let (depth, rest) = rest.split_first_chunk::<4>()?;
        let (&is_unsaved, rest) = rest.split_first()?;
        let (bytes, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        Some(((u32::from_le_bytes(*depth), is_unsaved != 0), bytes, rest))
    };
    let (head, bytes, rest) = whole(block).ok_or(CHANGED)?;
    *block = rest;
    Ok((head, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use explore::Told;
    use testkit::Random;

    fn waiting(n: u8) -> Waiting {
        Waiting {
            bytes: vec![n; 5000],
            lease: Lease::default(),
            depth: n.into(),
            is_unsaved: n.is_multiple_of(3),
            why: n.is_multiple_of(10).then_some(Why::Timeout),
            floats: None,
        }
    }

    /// The entries that are reported as new, in order, and the numbers of entries that are gone and of parked sides.
    fn told(pile: &mut Pile, list: &mut Option<List>, whole: bool) -> (Vec<u8>, usize, u64) {
        let mut new = Vec::new();
        let mut hear = |told: Told| {
            new.push(told.prefix[0]);
            true
        };
        let list = list.as_mut().expect("there is a list");
        let mut update = list.update(whole, &mut hear);
        pile.tell(&mut update);
        let changes = update.finish().expect("nobody stopped");
        new.sort_unstable();
        (
            new,
            changes.gone.len(),
            changes.counted.parked.values().sum(),
        )
    }

    #[test]
    fn the_latest_comes_first_and_each_is_told_once_wherever_it_lies() {
        let mut list = Some(List::default());
        let mut pile = Pile::new();
        pile.push(waiting(0));
        assert_eq!(pile.sink(&mut list), Ok(false), "there is no disk");
        pile.spill_to(Shelf::new(&std::env::temp_dir(), 0, 1 << 20));
        for n in 1..100 {
            pile.push(waiting(n));
            if n == 40 || n == 80 {
                assert_eq!(pile.sink(&mut list), Ok(true));
            }
            if n == 60 {
                // Some in memory, others that were on the disk before anybody heard of them.
                assert_eq!(told(&mut pile, &mut list, false), ((0..61).collect(), 0, 7));
            }
        }
        assert!(pile.len() == 100 && pile.top().len() < 70 && pile.size() < 400_000);
        assert_eq!(pile.unsaved(), 34);
        let rest = (61..100).collect();
        assert_eq!(told(&mut pile, &mut list, false), (rest, 0, 10));
        assert_eq!(told(&mut pile, &mut list, false), (Vec::new(), 0, 10));
        assert_eq!(
            told(&mut pile, &mut list, true),
            ((0..100).collect(), 0, 10)
        );
        for n in (0..100).rev() {
            if n == 29 {
                assert_eq!(told(&mut pile, &mut list, false), (Vec::new(), 70, 3));
            }
            let w = pile.pop(&mut list).expect("it is there");
            assert_eq!(w.bytes, [n; 5000]);
            assert_eq!((w.depth, w.is_unsaved), (n.into(), n.is_multiple_of(3)));
            assert_eq!(w.why.is_some(), n.is_multiple_of(10));
        }
        assert!(pile.is_empty() && pile.size() == 0 && pile.pop(&mut list).is_none());
        assert_eq!(told(&mut pile, &mut list, false), (Vec::new(), 30, 0));
        assert_eq!(pile.lost(), None);
    }

    #[test]
    fn nothing_goes_where_there_is_no_room() {
        let mut pile = Pile::new();
        pile.spill_to(Shelf::new(&std::env::temp_dir(), 0, 30_000));
        for n in 0..20 {
            pile.push(waiting(n));
        }
        assert_eq!(pile.sink(&mut None), Ok(false), "half of it does not fit");
        assert_eq!((pile.len(), pile.top().len()), (20, 20));
    }

    /// All that a prefix is.
    fn content(w: &Waiting) -> String {
        let Waiting {
            bytes,
            lease,
            depth,
            is_unsaved,
            why,
            floats,
        } = w;
        format!("{bytes:?} {lease:?} {depth} {is_unsaved} {why:?} {floats:?}")
    }

    fn random_waiting(random: &mut Random, n: u32) -> Waiting {
        let length = random.index(3000);
        let mut bytes = n.to_le_bytes().to_vec();
        bytes.extend((0..length).map(|_| random.next() as u8));
        Waiting {
            bytes,
            lease: Lease::of(u64::from(n)),
            depth: random.below(100) as u32,
            is_unsaved: random.chance(30),
            why: random.pick(&[
                None,
                Some(Why::Timeout),
                Some(Why::Memory),
                Some(Why::Float),
            ]),
            floats: match random.below(4) {
                0 => Some(Floats::terms(None)),
                1 => Some(Floats::simulated([(u64::from(n), Some(3))].into())),
                _ => None,
            },
        }
    }

    /// Compared with a stack in memory.
    #[test]
    fn whatever_goes_to_the_disk_comes_back_equal() {
        let mut sunk = 0;
        for seed in 1..=20 {
            let mut random = Random::new(seed);
            let room = random.pick(&[20_000, 200_000, 1 << 20]);
            let shelf = Shelf::new(&std::env::temp_dir(), 0, room);
            let (mut pile, mut model) = (Pile::new(), Vec::new());
            pile.spill_to(shelf.clone());
            for n in 0..600 {
                match random.below(100) {
                    0..55 => {
                        let waiting = random_waiting(&mut random, n);
                        model.push((content(&waiting), waiting.is_unsaved));
                        pile.push(waiting);
                    }
                    55..85 => {
                        let popped = pile.pop(&mut None).map(|w| content(&w));
                        assert_eq!(popped, model.pop().map(|(w, _)| w), "seed {seed}");
                    }
                    _ => sunk += u32::from(pile.sink(&mut None) == Ok(true)),
                }
                let unsaved = model.iter().filter(|(_, is_unsaved)| *is_unsaved);
                let (unsaved, n) = (unsaved.count() as u64, model.len());
                assert_eq!((pile.len(), pile.unsaved()), (n, unsaved), "seed {seed}");
            }
            while let Some(waiting) = pile.pop(&mut None) {
                let model = model.pop().map(|(w, _)| w);
                assert_eq!(Some(content(&waiting)), model, "seed {seed}");
            }
            assert!(model.is_empty(), "seed {seed}");
            assert_eq!((pile.size(), shelf.disk(), pile.lost()), (0, 0, None));
        }
        assert!(sunk > 100, "{sunk}");
    }

    /// Of a file in which something has changed only that is lost, and it is counted.
    #[test]
    fn a_damaged_block_is_lost_alone_and_named() {
        type Damage = fn(&mut Vec<u8>);
        let damages: [Damage; 5] = [
            Vec::clear,
            |bytes| bytes.truncate(bytes.len() - 1),
            |bytes| bytes.push(0),
            // The first prefix is as long as can be; or shorter, and there is one more behind it.
            |bytes| bytes[..4].fill(0xff),
            |bytes| bytes[..4].copy_from_slice(&1_u32.to_le_bytes()),
        ];
        for (number, damage) in damages.into_iter().enumerate() {
            let shelf = Shelf::new(&std::env::temp_dir(), 0, 1 << 20);
            let mut pile = Pile::new();
            pile.spill_to(shelf.clone());
            for n in 0..40 {
                pile.push(waiting(n));
                if n % 10 == 9 {
                    assert_eq!(pile.sink(&mut None), Ok(true));
                }
            }
            let block = &mut pile.blocks[1];
            let harmed = block.leases.len();
            let mut bytes = block.piece.read().expect("it is there").into_owned();
            damage(&mut bytes);
            let stored = shelf.store(&bytes).expect("there is room");
            block.piece = stored.expect("there is room");
            let first = u8::try_from(pile.blocks[0].leases.len()).expect("few");
            let behind = first + u8::try_from(harmed).expect("few");
            let popped = std::iter::from_fn(|| pile.pop(&mut None));
            let popped: Vec<u8> = popped.map(|w| w.bytes[0]).collect();
            let expected: Vec<u8> = (behind..40).rev().chain((0..first).rev()).collect();
            assert_eq!(popped, expected, "damage {number}");
            let lost = (harmed as u64, CHANGED.to_string());
            assert_eq!(pile.lost(), Some(lost), "damage {number}");
            assert!(pile.is_empty() && pile.size() == 0);
        }
    }

    #[test]
    fn a_file_that_is_gone_is_a_loss_of_what_was_in_it() {
        let dir = std::env::temp_dir().join(format!("polypath-pile-{}", std::process::id()));
        std::fs::create_dir(&dir).expect("a directory");
        let mut pile = Pile::new();
        pile.spill_to(Shelf::new(&dir, 0, 1 << 20));
        for n in 0..20 {
            pile.push(waiting(n));
        }
        assert_eq!(pile.sink(&mut None), Ok(true));
        let above = pile.top().len();
        // The file has no name any more, but this process has it open.
        for entry in std::fs::read_dir("/proc/self/fd").expect("our descriptors") {
            let path = entry.expect("a descriptor").path();
            if std::fs::read_link(&path).is_ok_and(|to| to.starts_with(&dir)) {
                let file = std::fs::OpenOptions::new().write(true).open(&path);
                file.and_then(|file| file.set_len(0)).expect("it is ours");
            }
        }
        std::fs::remove_dir(&dir).expect("it is empty");
        let popped = std::iter::from_fn(|| pile.pop(&mut None)).count();
        let (lost, why) = pile.lost().expect("it is said");
        assert_eq!((popped, popped + lost as usize), (above, 20), "{why}");
    }

    #[test]
    fn a_disk_that_refuses_says_why_and_all_stay_in_memory() {
        let mut pile = Pile::new();
        pile.spill_to(Shelf::new(
            std::path::Path::new("/there/is/none"),
            0,
            1 << 20,
        ));
        for n in 0..20 {
            pile.push(waiting(n));
        }
        let size = pile.size();
        let why = pile
            .sink(&mut None)
            .expect_err("there is no such directory");
        assert!(!why.is_empty());
        assert_eq!((pile.len(), pile.top().len(), pile.size()), (20, 20, size));
        let popped = std::iter::from_fn(|| pile.pop(&mut None)).map(|w| w.bytes[0]);
        assert_eq!(
            popped.collect::<Vec<u8>>(),
            (0..20).rev().collect::<Vec<u8>>()
        );
    }
}
