//! A store of bytes that are needed late, or perhaps never: it keeps as many as fit in memory, and the others in a file.
//!
//! A piece stays where it was put. Its place in the file is reused when its last owner has dropped it; adjacent free
//! places are merged, and free space at the end of the file is given back to the disk. The file has no name, so it
//! disappears with its process, however that ends.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Places in the file begin at multiples of this.
const GRAIN: u64 = 64;
/// Bytes at the end of the file that may be free before they are given back.
const SLACK: u64 = 1 << 18;

/// See the module. A clone is the same shelf.
#[derive(Clone, Debug)]
pub struct Shelf(Arc<Mutex<Inner>>);

#[derive(Debug)]
struct Inner {
    dir: PathBuf,
    /// Bytes in memory, and how many there may be.
    memory: u64,
    most_memory: u64,
    /// Bytes of the file, and how many of them hold pieces.
    places: Extents,
    used: u64,
    most_disk: u64,
    file: Option<Arc<File>>,
    /// The file's length, at most.
    length: u64,
    /// Why the file took no more; said once.
    refused: Option<String>,
    /// The file refused when it was this long: nothing is put behind that, until something was put before it.
    full_at: u64,
}

/// Which bytes of a file are taken.
#[derive(Debug, Default)]
struct Extents {
    /// All are below this.
    end: u64,
    /// Where free places begin, and their sizes; no two touch, and none touches the end.
    free: BTreeMap<u64, u64>,
    /// The same by size.
    by_size: BTreeSet<(u64, u64)>,
}

impl Extents {
    /// The smallest free place that has room for so many bytes; what is too much of it stays free.
    fn reuse(&mut self, size: u64) -> Option<u64> {
        let &(found, at) = self.by_size.range((size, 0)..).next()?;
        self.remove(at, found);
        if found > size {
            self.insert(at + size, found - size);
        }
        Some(at)
    }

    /// Nobody has this place any more.
    fn give_back(&mut self, mut at: u64, mut size: u64) {
        if let Some((&before, &room)) = self.free.range(..at).next_back()
            && before + room == at
        {
            self.remove(before, room);
            (at, size) = (before, size + room);
        }
        if let Some(&room) = self.free.get(&(at + size)) {
            self.remove(at + size, room);
            size += room;
        }
        if at + size == self.end {
            self.end = at;
        } else {
            self.insert(at, size);
        }
    }

    fn insert(&mut self, at: u64, size: u64) {
        self.free.insert(at, size);
        self.by_size.insert((size, at));
    }

    fn remove(&mut self, at: u64, size: u64) {
        self.free.remove(&at);
        self.by_size.remove(&(size, at));
    }
}

/// A piece on a shelf.
#[derive(Debug)]
pub struct Piece {
    id: u64,
    extent: Extent,
}

#[derive(Debug)]
enum Extent {
    /// In memory; with the shelf that counts it.
    Here(Box<[u8]>, Arc<Mutex<Inner>>),
    /// In the file.
    There {
        at: u64,
        length: u64,
        shelf: Arc<Mutex<Inner>>,
    },
}

impl Shelf {
    /// So many bytes are in memory at most, as long as the file in this directory takes the others: so many at most.
    pub fn new(dir: &Path, most_memory: u64, most_disk: u64) -> Shelf {
        Shelf(Arc::new(Mutex::new(Inner {
            dir: dir.to_owned(),
            memory: 0,
            most_memory,
            places: Extents::default(),
            used: 0,
            most_disk,
            file: None,
            length: 0,
            refused: None,
            full_at: u64::MAX,
        })))
    }

    /// One that has everything in memory.
    pub fn in_memory() -> Shelf {
        Shelf::new(Path::new(""), u64::MAX, 0)
    }

    /// Puts a piece on it. One for which the file has no room is in memory, however many there are.
    pub fn put(&self, bytes: Vec<u8>) -> Piece {
        let mut inner = lock(&self.0);
        let fits = inner.memory.saturating_add(bytes.len() as u64) <= inner.most_memory;
        if !fits {
            match inner.store(&bytes) {
                Ok(Some(at)) => return self.there(at, &bytes),
                Ok(None) => {}
                Err(why) => inner.refused = Some(why.to_string()),
            }
        }
        inner.memory += bytes.len() as u64;
        Piece::new(Extent::Here(bytes.into_boxed_slice(), self.0.clone()))
    }

    /// Puts a piece into the file, if there is room. A disk that was full is tried again once something has gone.
    ///
    /// # Errors
    /// It cannot be written. Nothing has changed then.
    pub fn store(&self, bytes: &[u8]) -> io::Result<Option<Piece>> {
        let at = lock(&self.0).store(bytes)?;
        Ok(at.map(|at| self.there(at, bytes)))
    }

    fn there(&self, at: u64, bytes: &[u8]) -> Piece {
        Piece::new(Extent::There {
            at,
            length: bytes.len() as u64,
            shelf: self.0.clone(),
        })
    }

    /// Bytes that the file may have at most.
    pub fn most_disk(&self) -> u64 {
        lock(&self.0).most_disk
    }

    /// Bytes of pieces in memory.
    pub fn memory(&self) -> u64 {
        lock(&self.0).memory
    }

    /// Is more in memory than is to be, since the file has no room for it?
    pub fn is_over(&self) -> bool {
        let inner = lock(&self.0);
        inner.memory > inner.most_memory
    }

    /// Bytes of the file that hold pieces.
    pub fn disk(&self) -> u64 {
        lock(&self.0).used
    }

    /// Why the file took no more, if it refused since this was asked last.
    pub fn refused(&self) -> Option<String> {
        lock(&self.0).refused.take()
    }
}

impl Inner {
    /// Writes a piece into the file, and says where, if there is room.
    fn store(&mut self, bytes: &[u8]) -> io::Result<Option<u64>> {
        let size = size_of_place(bytes.len() as u64);
        let reused = self.places.reuse(size);
        let at = reused.unwrap_or(self.places.end);
        if reused.is_none() {
            let end = at.saturating_add(size);
            if end > self.most_disk || end > self.full_at {
                return Ok(None);
            }
            self.places.end = end;
        }
        if let Err(why) = self.write(bytes, at) {
            if reused.is_none() {
                self.full_at = at;
            }
            self.places.give_back(at, size);
            return Err(why);
        }
        if reused.is_none() {
            self.full_at = u64::MAX;
        }
        self.length = self.length.max(at + size);
        self.used += size;
        Ok(Some(at))
    }

    /// A piece of this length is gone from this place.
    fn give_back(&mut self, at: u64, length: u64) {
        let size = size_of_place(length);
        self.used -= size;
        self.places.give_back(at, size);
        if self.used == 0 {
            self.file = None;
            self.length = 0;
            self.full_at = u64::MAX;
        } else if self.length - self.places.end > SLACK
            && let Some(file) = &self.file
        {
            self.length = self.places.end;
            // What stays is written over.
            let _ = file.set_len(self.length);
        }
    }

    fn write(&mut self, bytes: &[u8], at: u64) -> io::Result<()> {
        let file = match self.file.take() {
            Some(file) => file,
            None => Arc::new(nameless(&self.dir)?),
        };
        self.file.insert(file).write_all_at(bytes, at)
    }
}

impl Piece {
    fn new(extent: Extent) -> Piece {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let id = LAST.fetch_add(1, Relaxed) + 1;
        Piece { id, extent }
    }

    /// Its number: no other piece of this process has or had it, and later pieces have larger ones.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// How many bytes it has.
    pub fn len(&self) -> usize {
        match &self.extent {
            Extent::Here(bytes, _) => bytes.len(),
            Extent::There { length, .. } => *length as usize,
        }
    }

    /// Has it none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read(&self) -> io::Result<Cow<'_, [u8]>> {
        match &self.extent {
            Extent::Here(bytes, _) => Ok(Cow::Borrowed(bytes)),
            Extent::There { at, length, shelf } => {
                let file = lock(shelf).file.clone();
                let file = file.ok_or_else(|| io::Error::other("the file is gone"))?;
                let mut bytes = vec![0; *length as usize];
                file.read_exact_at(&mut bytes, *at)?;
                Ok(Cow::Owned(bytes))
            }
        }
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        match &self.extent {
            Extent::Here(bytes, shelf) => lock(shelf).memory -= bytes.len() as u64,
            Extent::There { at, length, shelf } => lock(shelf).give_back(*at, *length),
        }
    }
}

/// Bytes that a piece of this length takes of the file.
fn size_of_place(length: u64) -> u64 {
    length.max(1).next_multiple_of(GRAIN)
}

/// A file in this directory that is gone when nobody has it open any more.
fn nameless(dir: &Path) -> io::Result<File> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let number = COUNT.fetch_add(1, Relaxed);
    let path = dir.join(format!(".tmp-shelf-{}-{number}", std::process::id()));
    let mut options = OpenOptions::new();
    let file = options
        .read(true)
        .write(true)
        .create_new(true)
        .open(&path)?;
    fs::remove_file(&path)?;
    Ok(file)
}

/// Bytes of the disk that are free for this user where the directory lies.
///
/// # Errors
/// The system does not say.
pub fn free_disk(dir: &Path) -> io::Result<u64> {
    let found = rustix::fs::statvfs(dir)?;
    Ok(found.f_bavail.saturating_mul(found.f_frsize))
}

fn lock(inner: &Mutex<Inner>) -> MutexGuard<'_, Inner> {
    inner.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_into_memory_is_in_the_file_and_its_place_is_used_again() {
        let dir = std::env::temp_dir().join(format!("shelf-test-{}", std::process::id()));
        fs::create_dir(&dir).unwrap();
        let shelf = Shelf::new(&dir, 1000, 10_000);
        let put = |n: u8| shelf.put(vec![n; 300 + usize::from(n)]);
        let pieces: Vec<Piece> = (0..20).map(put).collect();
        assert!(shelf.memory() <= 1000 && shelf.disk() > 4000);
        for (n, piece) in (0..).zip(&pieces) {
            assert_eq!(*piece.read().unwrap(), vec![n; 300 + usize::from(n)]);
        }
        let used = shelf.disk();
        drop(pieces);
        assert_eq!((shelf.memory(), shelf.disk()), (0, 0));
        // The same again takes no more of the file.
        let again: Vec<Piece> = (0..20).map(put).collect();
        assert_eq!(shelf.disk(), used);
        drop(shelf.put(vec![0; 305]));
        drop(again);
        let again: Vec<Piece> = (0..20).map(put).collect();
        assert_eq!(lock(&shelf.0).places.end, used);
        // There is no room for these: they are in memory, all the same.
        let many: Vec<Piece> = (0..40).map(put).collect();
        assert!(shelf.disk() <= 10_000 && shelf.memory() > 1000);
        let sound = |(n, p): (u8, &Piece)| p.read().unwrap().iter().all(|&b| b == n);
        assert!((0..).zip(&again).all(sound) && (0..).zip(&many).all(sound));
        assert_eq!(shelf.refused(), None, "a bound is no failure");
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 0);
        fs::remove_dir(&dir).unwrap();
        // The place is gone: everything is in memory, and it says why.
        let late = Shelf::new(&dir, 0, 1000);
        let piece = late.put(vec![7; 10]);
        assert_eq!((&*piece.read().unwrap(), late.memory()), (&[7; 10][..], 10));
        assert!(late.refused().is_some() && late.refused().is_none());
    }

    /// The bytes in use are counted after each step, byte by byte.
    #[test]
    fn places_do_not_overlap_and_free_ones_that_touch_are_one() {
        let mut places = Extents::default();
        let mut taken: Vec<(u64, u64)> = Vec::new();
        let mut random = 1_u64;
        for _ in 0..5000 {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1);
            let number = random >> 33;
            if number.is_multiple_of(3) && !taken.is_empty() {
                let (at, size) = taken.swap_remove(number as usize / 3 % taken.len());
                places.give_back(at, size);
            } else {
                let size = (number % 7 + 1) * GRAIN;
                let at = places.reuse(size).unwrap_or_else(|| {
                    let at = places.end;
                    places.end += size;
                    at
                });
                taken.push((at, size));
            }
            let mut all: Vec<(u64, u64, bool)> = Vec::new();
            all.extend(taken.iter().map(|&(at, size)| (at, size, true)));
            all.extend(places.free.iter().map(|(&at, &size)| (at, size, false)));
            all.sort_unstable();
            let mut end = 0;
            for pair in all.windows(2) {
                assert!(pair[0].2 || pair[1].2, "two free places touch: {pair:?}");
            }
            for &(at, size, _) in &all {
                assert_eq!(at, end, "they follow each other without a gap");
                end = at + size;
            }
            assert_eq!(end, places.end);
            assert!(all.last().is_none_or(|last| last.2), "the end is taken");
            let by_size: BTreeSet<_> = places.free.iter().map(|(&at, &size)| (size, at)).collect();
            assert_eq!(by_size, places.by_size);
            if taken.len() > 100 {
                taken
                    .drain(..50)
                    .for_each(|(at, size)| places.give_back(at, size));
            }
        }
    }

    #[test]
    fn what_goes_into_the_file_alone_gives_its_room_back() {
        let dir = std::env::temp_dir().join(format!("shelf-file-test-{}", std::process::id()));
        fs::create_dir(&dir).unwrap();
        let shelf = Shelf::new(&dir, 0, 1 << 20);
        let put = |n: u8| shelf.store(&vec![n; 1 << 17]).unwrap();
        let mut pieces: Vec<Piece> = (0..8).map(|n| put(n).expect("there is room")).collect();
        assert!(put(8).is_none() && shelf.disk() == 1 << 20);
        let length = || {
            let inner = lock(&shelf.0);
            inner
                .file
                .as_ref()
                .map(|file| file.metadata().unwrap().len())
        };
        pieces.truncate(2);
        assert!(length().unwrap() <= (1 << 18) + SLACK, "{:?}", length());
        pieces.push(put(9).expect("there is room again"));
        for (piece, n) in pieces.iter().zip([0, 1, 9]) {
            assert_eq!(*piece.read().unwrap(), [n; 1 << 17]);
        }
        drop(pieces);
        assert_eq!((length(), shelf.disk()), (None, 0));
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 0);
        assert!(free_disk(&dir).unwrap() > 0);
        fs::remove_dir(&dir).unwrap();
    }

    /// A disk without room, here a file whose process may not write so much, is tried again once something has gone.
    #[test]
    fn a_full_disk_is_asked_again_when_something_has_gone() {
        let dir = std::env::temp_dir().join(format!("shelf-full-test-{}", std::process::id()));
        fs::create_dir(&dir).unwrap();
        let shelf = Shelf::new(&dir, 0, 1 << 20);
        let first = shelf.store(&[1; 100]).unwrap();
        let second = shelf.store(&[2; 100]).unwrap();
        // From now on writing fails, as on a full disk.
        let read_only = |shelf: &Shelf| {
            let mut inner = lock(&shelf.0);
            let file = inner.file.as_ref().expect("there is one").clone();
            let link = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&*file));
            inner.file = Some(Arc::new(File::open(link).unwrap()));
            file
        };
        let file = read_only(&shelf);
        assert!(shelf.store(&[3; 100]).is_err());
        assert!(shelf.store(&[3; 100]).unwrap().is_none(), "it is not asked");
        lock(&shelf.0).file = Some(file);
        assert!(shelf.store(&[3; 100]).unwrap().is_none(), "it is not asked");
        drop(second);
        let third = shelf.store(&[3; 100]).unwrap().expect("there is room");
        assert_eq!(*third.read().unwrap(), [3; 100]);
        assert!(shelf.store(&[4; 100]).unwrap().is_some());
        drop(first);
        fs::remove_dir(&dir).unwrap();
    }
}
