//! Many small pieces of bytes, of which most are needed late: as many as fit are in memory, the others are in a file.
//!
//! A piece stays where it was put. Its place in the file is free for another one when nobody has it any more. Places have few
//! different sizes, so that a free one soon fits again; the file shrinks when nothing is in it. It has no name, and so is gone with its process.

use crate::scratch::nameless;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Pieces below this size have places of this size.
const LEAST: u64 = 64;
/// Sizes of places between one power of two and the next: a fifth of a place stays empty at most.
const STEPS: u64 = 4;

/// See the module. A clone is the same shelf.
#[derive(Clone, Debug)]
pub struct Shelf(Arc<Mutex<Inner>>);

#[derive(Debug)]
struct Inner {
    dir: PathBuf,
    /// Bytes in memory, and how many there may be.
    memory: u64,
    most_memory: u64,
    /// Bytes of the file, how many there may be, and how many of them hold pieces.
    end: u64,
    most_disk: u64,
    used: u64,
    file: Option<Arc<File>>,
    /// Places that are free, by their size.
    free: BTreeMap<u64, Vec<u64>>,
    /// Why the file took no more; said once.
    refused: Option<String>,
    /// The file refused when it was this long: nothing is put behind that any more.
    full_at: u64,
}

/// A piece on a shelf.
#[derive(Debug)]
pub struct Piece(Place);

#[derive(Debug)]
enum Place {
    /// In memory; with the shelf that counts it.
    Here(Box<[u8]>, Arc<Mutex<Inner>>),
    /// In the file.
    There {
        at: u64,
        length: u32,
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
            end: 0,
            most_disk,
            used: 0,
            file: None,
            free: BTreeMap::new(),
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
        if !fits && let Some((at, length)) = inner.store(&bytes) {
            let shelf = self.0.clone();
            return Piece(Place::There { at, length, shelf });
        }
        inner.memory += bytes.len() as u64;
        Piece(Place::Here(bytes.into_boxed_slice(), self.0.clone()))
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
    /// Writes a piece into the file, if there is room.
    fn store(&mut self, bytes: &[u8]) -> Option<(u64, u32)> {
        let length = u32::try_from(bytes.len()).ok()?;
        let size = size_of_place(length);
        let reused = self.free.get_mut(&size).and_then(Vec::pop);
        let at = reused.unwrap_or(self.end);
        if reused.is_none() {
            let end = at + size;
            if end > self.most_disk || end > self.full_at {
                return None;
            }
            self.end = end;
        }
        match self.write(bytes, at) {
            Ok(()) => {
                self.used += size;
                Some((at, length))
            }
            Err(why) => {
                self.refused = Some(why.to_string());
                match reused {
                    Some(at) => self.free.entry(size).or_default().push(at),
                    None => {
                        self.end = at;
                        self.full_at = at;
                    }
                }
                None
            }
        }
    }

    /// Nothing is in the file: it gives its room back.
    fn begin_anew(&mut self) {
        self.file = None;
        self.free.clear();
        self.end = 0;
        self.full_at = u64::MAX;
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
    /// How many bytes it has.
    pub fn len(&self) -> usize {
        match &self.0 {
            Place::Here(bytes, _) => bytes.len(),
            Place::There { length, .. } => *length as usize,
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
        match &self.0 {
            Place::Here(bytes, _) => Ok(Cow::Borrowed(bytes)),
            Place::There { at, length, shelf } => {
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
        match &self.0 {
            Place::Here(bytes, shelf) => lock(shelf).memory -= bytes.len() as u64,
            Place::There { at, length, shelf } => {
                let mut inner = lock(shelf);
                let size = size_of_place(*length);
                inner.used -= size;
                inner.free.entry(size).or_default().push(*at);
                if inner.used == 0 {
                    inner.begin_anew();
                }
            }
        }
    }
}

/// Bytes that a piece of this length takes of the file.
fn size_of_place(length: u32) -> u64 {
    let length = u64::from(length).max(LEAST);
    let step = (length.next_power_of_two() / 2 / STEPS).max(1);
    length.next_multiple_of(step)
}

fn lock(inner: &Mutex<Inner>) -> MutexGuard<'_, Inner> {
    inner.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

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
        assert_eq!(lock(&shelf.0).end, used);
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

    #[test]
    fn a_fifth_of_a_place_stays_empty_at_most() {
        for length in 64..100_000 {
            let size = size_of_place(length);
            assert!(
                size >= length.into() && size * 4 <= u64::from(length) * 5,
                "{length}"
            );
        }
    }
}
