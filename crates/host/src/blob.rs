//! Bytes that other processes of the same user can read, without a name on any disk.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::path::PathBuf;

/// A file in memory, which lives as long as somebody has it open.
pub(crate) fn memory_file() -> io::Result<File> {
    // SAFETY: the name is a string that ends with NUL; the result is checked.
    let fd = unsafe { libc::memfd_create(c"polypath".as_ptr(), libc::MFD_CLOEXEC) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor was just made, and nobody else has it.
    Ok(unsafe { File::from_raw_fd(fd) })
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
