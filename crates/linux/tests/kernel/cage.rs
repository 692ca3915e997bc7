//! A root directory of its own, in which nothing is harmed.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether this process is locked up in a root directory of its own.
pub static CAGED: AtomicBool = AtomicBool::new(false);

pub fn caged() -> bool {
    CAGED.load(Ordering::Relaxed)
}

/// Brings a directory of the cage back to its first state.
pub fn clean(dir: &Path) {
    use std::os::unix::fs::{PermissionsExt, chown};
    std::fs::set_permissions(dir, PermissionsExt::from_mode(0o755)).unwrap();
    chown(dir, Some(0), Some(0)).unwrap();
    for entry in std::fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        if !FIXED.iter().any(|name| entry.file_name() == *name) {
            remove(&entry.path());
        }
    }
}

/// The directories of the cage's root.
pub const FIXED: &[&str] = &["dev", "etc", "home", "proc", "tmp", "base"];

/// Removes a tree whose directories may have lost their permissions.
pub fn remove(dir: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let Ok(entries) = std::fs::symlink_metadata(dir) else {
        return;
    };
    if entries.is_dir() {
        let _ = std::fs::set_permissions(dir, PermissionsExt::from_mode(0o700));
        for entry in std::fs::read_dir(dir).unwrap() {
            remove(&entry.unwrap().path());
        }
        std::fs::remove_dir(dir).unwrap();
    } else {
        std::fs::remove_file(dir).unwrap();
    }
}

/// Whether directories of this file system count their subdirectories as links.
pub fn counts_links(dir: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::create_dir(dir.join("probe")).unwrap();
    let links = std::fs::metadata(dir).unwrap().nlink();
    std::fs::remove_dir(dir.join("probe")).unwrap();
    links == std::fs::metadata(dir).unwrap().nlink() + 1
}

/// Makes `base` the root directory for good, with the names that the world's root has. Some
/// containers do not allow that even to root.
pub fn enter_cage(base: &Path) -> bool {
    if std::os::unix::fs::chroot(base).is_err() {
        return false;
    }
    std::env::set_current_dir("/").unwrap();
    for name in FIXED {
        std::fs::create_dir(Path::new("/").join(name)).unwrap();
    }
    CAGED.store(true, Ordering::Relaxed);
    true
}
