//! Which entries are in use: a process holds a shared lock on each entry that it uses until it ends, and the time of the lock's
//! file says when the entry was last used.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// The locks that this process holds.
static HELD: Mutex<Vec<(PathBuf, File)>> = Mutex::new(Vec::new());

/// The time of last use is noted at most this often.
const NOTED: Duration = Duration::from_secs(3600);

/// The lock of an entry.
pub(super) fn lock_of(place: &Path) -> PathBuf {
    let mut name = place.as_os_str().to_owned();
    name.push(".lock");
    name.into()
}

/// Marks the entry as used by this process until it ends. Where the cache cannot be written, nobody can remove the entry
/// either, and nothing is marked.
pub(super) fn hold(place: &Path) {
    let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    if held.iter().any(|(path, _)| path == place) {
        return;
    }
    let path = lock_of(place);
    let Ok(file) = File::options()
        .append(true)
        .create(true)
        .open(&path)
        .or_else(|_| File::open(&path))
    else {
        return;
    };
    if file.lock_shared().is_err() {
        return;
    }
    let now = SystemTime::now();
    let is_old =
        last_use(&file).is_ok_and(|then| now.duration_since(then).is_ok_and(|age| age > NOTED));
    if is_old {
        // A time that cannot be written only lets the entry look unused for longer than it is.
        file.set_modified(now).ok();
    }
    held.push((place.to_owned(), file));
}

/// Ends this process's own use of an entry that somebody has deleted: who builds it anew waits for all that use it.
pub(super) fn release(place: &Path) {
    let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    held.retain(|(path, _)| path != place);
}

/// When an entry was last used, by its lock.
pub(super) fn last_use(lock: &File) -> io::Result<SystemTime> {
    lock.metadata()?.modified()
}

/// The entry's lock for this process alone, so that it can be removed; `None` while a process uses or builds it.
pub(super) fn alone(place: &Path) -> io::Result<Option<File>> {
    let path = lock_of(place);
    let file = File::options().append(true).create(true).open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}
