//! Numbers that several processes read and write at once.

use crate::blob::{memory_file, path_of};
use memmap2::MmapRaw;
use std::fs::{File, OpenOptions};
use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

/// An array of numbers in shared memory, all 0 at first.
pub struct Words {
    map: MmapRaw,
    /// Of who made it: the file lives as long as somebody has it open or mapped.
    file: Option<File>,
}

impl Words {
    /// Makes `n` of them.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn new(n: usize) -> io::Result<Words> {
        let file = memory_file()?;
        file.set_len((n.max(1) * size_of::<u64>()) as u64)?;
        Ok(Words {
            map: MmapRaw::map_raw(&file)?,
            file: Some(file),
        })
    }

    /// Where another process of the same user can open them, as long as this one lives.
    pub fn path(&self) -> Option<PathBuf> {
        self.file.as_ref().map(path_of)
    }

    /// Those of another process.
    ///
    /// # Errors
    /// When they cannot be opened.
    pub fn open(path: &Path) -> io::Result<Words> {
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        Ok(Words {
            map: MmapRaw::map_raw(&file)?,
            file: None,
        })
    }
}

impl Deref for Words {
    type Target = [AtomicU64];

    fn deref(&self) -> &[AtomicU64] {
        let n = self.map.len() / size_of::<u64>();
        // SAFETY: the map is that large, lives as long as `self`, begins at a page, and is only ever accessed as atomic
        // numbers, which all bits are valid for.
        unsafe { std::slice::from_raw_parts(self.map.as_mut_ptr().cast(), n) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering::Relaxed;

    #[test]
    fn both_sides_see_what_is_written() {
        let made = Words::new(1000).unwrap();
        let opened = Words::open(&made.path().unwrap()).unwrap();
        assert!(opened.len() >= 1000);
        made[999].store(7, Relaxed);
        assert_eq!(opened[999].fetch_add(1, Relaxed), 7);
        assert_eq!(made[999].load(Relaxed), 8);
    }
}
