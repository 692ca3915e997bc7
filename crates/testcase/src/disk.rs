//! Files that appear whole or not at all: written under another name, then renamed.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes `bytes` to `path`, replacing an existing file in one step.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temp = temp_name(path);
    let done = fs::write(&temp, bytes).and_then(|()| fs::rename(&temp, path));
    if done.is_err() {
        // A left-over is harmless (readers skip it), so failing to remove it is not worse.
        let _ = fs::remove_file(&temp);
    }
    done
}

/// Gives a complete file its name; an old file at `path` becomes `old`.
pub fn move_into(complete: &Path, path: &Path, old: &Path) -> io::Result<()> {
    match fs::rename(path, old) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => fs::rename(complete, path),
    }
}

/// Fills a directory through `fill` and gives it its name when it is complete.
pub fn create_dir_atomic(
    path: &Path,
    fill: impl FnOnce(&Path) -> io::Result<()>,
) -> io::Result<()> {
    let temp = temp_name(path);
    let done = fs::create_dir(&temp)
        .and_then(|()| fill(&temp))
        .and_then(|()| fs::rename(&temp, path));
    if done.is_err() {
        let _ = fs::remove_dir_all(&temp);
    }
    done
}

/// Whether a directory entry is a left-over of an interrupted write.
pub fn is_temporary(name: &std::ffi::OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".tmp-")
}

/// A name next to a place, for a file that is not complete.
pub fn temp_name(path: &Path) -> PathBuf {
    // Two threads may write the same file.
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let mut name = OsString::from(format!(".tmp-{}-", COUNT.fetch_add(1, Ordering::Relaxed)));
    name.push(path.file_name().unwrap_or_default());
    path.with_file_name(name)
}
