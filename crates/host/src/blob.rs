//! Bytes that other processes of the same user can read, without a name on any disk.

use rustix::fs::{MemfdFlags, memfd_create};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::path::PathBuf;

/// A file in memory, which lives as long as somebody has it open.
pub(crate) fn memory_file() -> io::Result<File> {
    Ok(memfd_create(c"polypath", MemfdFlags::CLOEXEC)?.into())
}

/// Where another process of the same user can open such a file, as long as this one has it.
pub(crate) fn path_of(file: &File) -> PathBuf {
    format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd()).into()
}

/// See the module.
pub struct Blob(File);

impl Blob {
    /// Keeps these bytes.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn new(bytes: &[u8]) -> io::Result<Blob> {
        let mut file = memory_file()?;
        file.write_all(bytes)?;
        Ok(Blob(file))
    }

    /// Where another process of the same user can read them, as long as this value lives.
    pub fn path(&self) -> PathBuf {
        path_of(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_it_can_be_read_more_than_once() {
        let blob = Blob::new(&[7; 100_000]).unwrap();
        for _ in 0..2 {
            assert_eq!(std::fs::read(blob.path()).unwrap(), [7; 100_000]);
        }
    }
}
