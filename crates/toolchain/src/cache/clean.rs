//! Removing entries: all of them, or those that were not used for the longest time, down to a bound.

use super::{at, hold, root};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Bytes that the entries may hold together before unused ones are removed, unless `POLYPATH_CACHE_MAX` (MB) says otherwise.
pub const CAPACITY: u64 = 4 << 30;
/// An entry that was used within this time stays.
const RECENT: Duration = Duration::from_secs(24 * 3600);

/// A folder of the cache.
#[derive(Clone, Debug)]
pub struct Kept {
    /// Where it is.
    pub place: PathBuf,
    /// Bytes on the disk, as far as they can be read.
    pub size: u64,
    /// When it was last used.
    pub used: SystemTime,
    /// It is an entry, which is made again when it is needed ([`super::entry`]). Other folders have bounds of their own, or belong to tests.
    pub is_entry: bool,
}

/// What was done about a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    /// It is gone, or would be.
    Removed,
    /// A process uses or builds it.
    InUse,
}

/// The folders of the cache, those that were not used for the longest time first. Without a cache there are none.
///
/// # Errors
/// The cache cannot be read.
pub fn list() -> io::Result<Vec<Kept>> {
    let root = root()?;
    let folders = match fs::read_dir(&root) {
        Ok(folders) => folders,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(at(&root)(error)),
    };
    let mut all = Vec::new();
    for folder in folders {
        let folder = folder.map_err(at(&root))?;
        let place = folder.path();
        // What another process removes meanwhile is no folder any more.
        let lock = fs::metadata(hold::lock_of(&place));
        let is_entry = lock.is_ok();
        let used = lock.or_else(|_| folder.metadata());
        let Ok(used) = used.and_then(|m| m.modified()) else {
            continue;
        };
        if folder.file_type().is_ok_and(|kind| kind.is_dir()) {
            let size = size_of(&place);
            all.push(Kept {
                place,
                size,
                used,
                is_entry,
            });
        }
    }
    all.sort_by(|a, b| (a.used, &a.place).cmp(&(b.used, &b.place)));
    Ok(all)
}

/// Bytes below `dir`. What disappears or cannot be read meanwhile counts nothing.
fn size_of(dir: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let Ok(entries) = fs::read_dir(dir) else {
        return 0;
    };
    entries
        .flatten()
        .filter_map(|entry| {
            let meta = entry.metadata().ok()?;
            let below = if meta.is_dir() {
                size_of(&entry.path())
            } else {
                0
            };
            Some(meta.blocks() * 512 + below)
        })
        .sum()
}

/// Removes a folder of the cache, unless a process uses it.
///
/// # Errors
/// It cannot be removed; what is left of it is no entry any more.
pub fn remove(place: &Path) -> io::Result<Removal> {
    if !place.exists() {
        return Ok(Removal::Removed);
    }
    // The lock's file stays: who waits for it and who comes later must wait for the same one.
    let Some(_lock) = hold::alone(place).map_err(at(place))? else {
        return Ok(Removal::InUse);
    };
    // Under another name first, so that nobody takes half a folder for an entry.
    let gone = place.with_extension("0");
    fs::rename(place, &gone).map_err(at(place))?;
    writable(&gone);
    fs::remove_dir_all(&gone).map_err(at(&gone))?;
    Ok(Removal::Removed)
}

/// Folders without the right to write, as some archives have them, are given it: otherwise what is in them cannot be removed.
fn writable(dir: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let Ok(entries) = fs::read_dir(dir) else {
        return;
    };
    for entry in entries.flatten() {
        if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        if let Ok(meta) = entry.metadata() {
            let mut rights = meta.permissions();
            if rights.mode() & 0o700 != 0o700 {
                rights.set_mode(rights.mode() | 0o700);
                // If this fails, the removal fails and says so.
                fs::set_permissions(entry.path(), rights).ok();
            }
        }
        writable(&entry.path());
    }
}

/// Removes the entries that were not used for the longest time until all of them hold no more than their bound. What was used within a
/// day, or is in use, stays. `tell` gets a line for each.
pub(super) fn trim(tell: &mut dyn FnMut(&str)) {
    let capacity = std::env::var("POLYPATH_CACHE_MAX")
        .ok()
        .and_then(|mb| mb.parse::<u64>().ok())
        .map_or(CAPACITY, |mb| mb << 20);
    let Ok(all) = list() else { return };
    for place in surplus(&all, capacity, SystemTime::now()) {
        if matches!(remove(place), Ok(Removal::Removed)) {
            tell(&format!(
                "{} was not used for more than a day and is removed: the cache holds more than {} MB",
                place.display(),
                capacity >> 20
            ));
        }
    }
}

/// The entries whose removal brings all of them below the bound, of those that may go.
fn surplus(all: &[Kept], capacity: u64, now: SystemTime) -> Vec<&Path> {
    let entries = || all.iter().filter(|kept| kept.is_entry);
    let mut held: u64 = entries().map(|kept| kept.size).sum();
    let mut out = Vec::new();
    for kept in entries() {
        if held <= capacity {
            break;
        }
        let age = now.duration_since(kept.used);
        if age.is_ok_and(|age| age >= RECENT) {
            held -= kept.size;
            out.push(kept.place.as_path());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_entries_go_down_to_the_bound_and_nothing_else() {
        let now = SystemTime::now();
        let kept = |name: &str, days: u64, is_entry| Kept {
            place: name.into(),
            size: 10,
            used: now - Duration::from_secs(days * 24 * 3600),
            is_entry,
        };
        let all = [
            kept("not an entry", 9, false),
            kept("oldest", 8, true),
            kept("older", 7, true),
            kept("old", 6, true),
            kept("of today", 0, true),
        ];
        let names = |capacity| -> Vec<String> {
            let places = surplus(&all, capacity, now);
            places.iter().map(|p| p.display().to_string()).collect()
        };
        assert_eq!(names(40), Vec::<String>::new());
        assert_eq!(names(25), ["oldest", "older"]);
        assert_eq!(names(0), ["oldest", "older", "old"]);
    }
}
