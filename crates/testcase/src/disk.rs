//! Files that appear whole or not at all: written beside their place, then renamed.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes `bytes` to `path`, replacing what is there in one step.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temp = temp_name(path);
    let done = fs::write(&temp, bytes).and_then(|()| fs::rename(&temp, path));
    if done.is_err() {
        // A left-over is harmless (readers skip it), so failing to remove it is not worse.
        let _ = fs::remove_file(&temp);
    }
    done
}

/// The same with what `fill` writes; what was at `path` is at `old` then.
pub fn replace(
    path: &Path,
    old: &Path,
    fill: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let temp = temp_name(path);
    let keep = || match fs::rename(path, old) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    };
    let done = File::create(&temp)
        .and_then(|mut file| fill(&mut file))
        .and_then(|()| keep())
        .and_then(|()| fs::rename(&temp, path));
    if done.is_err() {
        let _ = fs::remove_file(&temp);
    }
    done
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

fn temp_name(path: &Path) -> PathBuf {
    // Two threads may write the same file.
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let mut name = OsString::from(format!(".tmp-{}-", COUNT.fetch_add(1, Ordering::Relaxed)));
    name.push(path.file_name().unwrap_or_default());
    path.with_file_name(name)
}
