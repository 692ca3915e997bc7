//! The cache of lowered programs: one file each, named by a hash of everything it depends on; the least
//! recently used ones go when it grows too large.

use crate::Lowered;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

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

/// The bytes of what another machine translated and this one keeps, under a name that the other one gave.
pub fn kept(dir: &Path, name: &str) -> Option<Vec<u8>> {
    let path = foreign(dir, name)?;
    let bytes = fs::read(&path).ok()?;
    if let Ok(file) = fs::File::options().append(true).open(path) {
        let _ = file.set_modified(SystemTime::now());
    }
    Some(bytes)
}

/// Keeps the bytes of what another machine translated.
///
/// # Errors
/// The directory or the file cannot be written.
pub fn keep(dir: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let path = foreign(dir, name).ok_or(io::ErrorKind::InvalidInput)?;
    fs::create_dir_all(dir)?;
    // Made under a name of its own: another process may be making the same.
    let made = path.with_extension(std::process::id().to_string());
    let written = fs::write(&made, bytes).and_then(|()| fs::rename(&made, &path));
    if written.is_err() {
        let _ = fs::remove_file(&made);
    }
    prune(dir);
    written
}

/// Where that is kept; a name that is more than a word is none.
fn foreign(dir: &Path, name: &str) -> Option<PathBuf> {
    let is_word = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric());
    is_word.then(|| path(dir, &format!("from-{name}")))
}

/// Deletes the least recently used entries above the capacity, once a minute. Files that cannot be looked at or
/// deleted stay.
pub fn prune(dir: &Path) {
    if !host::sweep::is_due(dir, Duration::from_secs(60)) {
        return;
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_comes_back_under_its_name_only() {
        let dir = std::env::temp_dir().join(format!("polypath-kept-{}", std::process::id()));
        keep(&dir, "12ab", b"bytes").unwrap();
        assert_eq!(kept(&dir, "12ab").as_deref(), Some(&b"bytes"[..]));
        assert_eq!(kept(&dir, "12ac"), None);
        // A name cannot lead elsewhere.
        assert!(keep(&dir, "../12ab", b"bytes").is_err());
        assert_eq!(kept(&dir, ""), None);
        fs::remove_dir_all(&dir).unwrap();
    }
}
