//! A copy of a directory of the host for one test, which then does with it what it likes.

use super::child::set_times;
use rustix::fs::{CWD, Mode, mkfifoat};
use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;

/// Bytes of what is copied for each test, and its files. A larger directory is shown as it is.
const BYTES: u64 = 64 << 20;
const FILES: usize = 10_000;

/// Copies what stands in a directory; `false`: it is too large, or has something that cannot be copied, and nothing was.
pub(super) fn directory(from: &Path, to: &Path) -> io::Result<bool> {
    let (mut bytes, mut files) = (0, 0);
    if !fits(from, &mut bytes, &mut files)? {
        return Ok(false);
    }
    copy(from, to)?;
    Ok(true)
}

fn fits(dir: &Path, bytes: &mut u64, files: &mut usize) -> io::Result<bool> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let data = entry.metadata()?;
        *files += 1;
        if data.is_file() {
            *bytes += data.len();
        }
        if *bytes > BYTES || *files > FILES {
            return Ok(false);
        }
        if data.is_dir() && !fits(&entry.path(), bytes, files)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (data, target) = (entry.metadata()?, to.join(entry.file_name()));
        let kind = data.file_type();
        if kind.is_symlink() {
            symlink(fs::read_link(entry.path())?, target)?;
            continue;
        }
        if kind.is_dir() {
            fs::create_dir(&target)?;
            copy(&entry.path(), &target)?;
        } else if kind.is_file() {
            // With its permissions.
            fs::copy(entry.path(), &target)?;
        } else if data.mode() & libc::S_IFMT == libc::S_IFIFO {
            mkfifoat(CWD, &target, Mode::RUSR | Mode::WUSR)?;
        } else {
            // Sockets and devices are not in the machine's world either.
            continue;
        }
        set_times(&target, data.atime(), data.mtime())?;
        fs::set_permissions(&target, data.permissions())?;
    }
    Ok(())
}
