//! The cache of lowered programs: one file each, named by a hash of everything it depends on; the least
//! recently used ones go when it grows too large.

use crate::Lowered;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Bytes that the cache may hold.
const CAPACITY: u64 = 512 << 20;

pub fn path(dir: &Path, key: &str) -> PathBuf {
    dir.join(format!("{key}.ir"))
}

/// What is kept there. A damaged or outdated file is as good as none: it is made again.
pub fn read(path: &Path) -> Option<Lowered> {
    let bytes = fs::read(path).ok()?;
    let module = ir::file::from_bytes(&bytes).ok()?;
    // Marks the entry as used; without it the entry only goes sooner.
    if let Ok(file) = fs::File::options().append(true).open(path) {
        let _ = file.set_modified(SystemTime::now());
    }
    Some(Lowered {
        module,
        checksum: ir::file::checksum(&bytes)?,
        cached: true,
    })
}

/// Deletes the least recently used entries above the capacity. Files that cannot be looked at or
/// deleted stay.
pub fn prune(dir: &Path) {
    let Ok(list) = fs::read_dir(dir) else { return };
    let mut entries: Vec<(SystemTime, u64, PathBuf)> = list
        .flatten()
        .filter_map(|e| {
            let m = e.metadata().ok()?;
            Some((m.modified().ok()?, m.len(), e.path()))
        })
        .collect();
    entries.sort();
    let mut held: u64 = entries.iter().map(|e| e.1).sum();
    for (_, size, path) in entries {
        if held <= CAPACITY {
            break;
        }
        let _ = fs::remove_file(path);
        held -= size;
    }
}
