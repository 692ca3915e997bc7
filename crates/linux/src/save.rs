//! Writes the content of a directory of the world, as the program left it, into a directory of the host.
//!
//! Files with their permission bits and modification times, hard links among them, directories and
//! symbolic links; holes stay holes. Pipes and devices are left out. Only for a path on which all of
//! this is concrete.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File, FileTimes, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use crate::bytes::{Bytes, Word};
use crate::content::Content;
use crate::fs::{FileSystem, ROOT};
use crate::inode::{Ino, Inode, InodeKind};
use crate::world::World;

/// Bytes copied at once.
const PIECE: u64 = 1 << 16;

fn refused(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_string())
}

fn concrete(bytes: &Bytes) -> io::Result<&[u8]> {
    bytes.as_concrete().ok_or_else(|| refused("symbolic bytes"))
}

impl World {
    /// Saves the directory `at` of the world, an absolute path without symbolic links, as `host`,
    /// which must not exist.
    pub fn save(&self, at: &str, host: &Path) -> io::Result<()> {
        // Looking at host files fills in the table; that is our copy's own business.
        let mut files = self.inner.fs.clone();
        let mut dir = ROOT;
        for name in at.split('/').filter(|n| !n.is_empty()) {
            let child = files.find(dir, name.as_bytes());
            dir = child
                .ok()
                .flatten()
                .ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        }
        save_tree(&mut files, dir, host)
    }
}

fn save_tree(files: &mut FileSystem, root: Ino, host: &Path) -> io::Result<()> {
    let mut open: Vec<(Ino, PathBuf)> = vec![(root, host.to_path_buf())];
    let mut directories = Vec::new();
    let mut written: BTreeMap<Ino, PathBuf> = BTreeMap::new();
    while let Some((dir, path)) = open.pop() {
        fs::create_dir(&path)?;
        let entries = files.list(dir).map_err(io::Error::from_raw_os_error)?;
        for (name, ino) in entries {
            let path = path.join(OsStr::from_bytes(concrete(&name)?));
            match &files.get(ino).kind {
                InodeKind::Directory(_) => open.push((ino, path)),
                InodeKind::Symlink(target) => {
                    symlink(OsStr::from_bytes(concrete(&target.to_bytes())?), path)?;
                }
                InodeKind::File(content) => match written.get(&ino) {
                    Some(first) => fs::hard_link(first, path)?,
                    None => {
                        save_file(content, files.get(ino), &path)?;
                        written.insert(ino, path);
                    }
                },
                _ => {}
            }
        }
        directories.push((dir, path));
    }
    // Last, and inner ones first: a directory may not let even its owner in.
    for (dir, path) in directories.into_iter().rev() {
        set_mode(files.get(dir), &path)?;
    }
    Ok(())
}

fn save_file(content: &Content, inode: &Inode, path: &Path) -> io::Result<()> {
    let file = File::create_new(path)?;
    file.set_len(content.size())?;
    let mut at = 0;
    while at < content.size() {
        let piece = content
            .read(at, PIECE)
            .map_err(io::Error::from_raw_os_error)?;
        let bytes = concrete(&piece)?;
        if bytes.iter().any(|b| *b != 0) {
            file.write_all_at(bytes, at)?;
        }
        at += PIECE;
    }
    if let Word::Concrete(seconds) = inode.mtime.sec.get()
        && let Ok(seconds) = u64::try_from(seconds as i64)
    {
        let time = UNIX_EPOCH + Duration::new(seconds, inode.mtime.nsec);
        file.set_times(FileTimes::new().set_modified(time))?;
    }
    set_mode(inode, path)
}

fn set_mode(inode: &Inode, path: &Path) -> io::Result<()> {
    let mode = inode
        .mode_bits()
        .ok_or_else(|| refused("a symbolic mode"))?;
    fs::set_permissions(path, Permissions::from_mode(mode & 0o7777))
}
