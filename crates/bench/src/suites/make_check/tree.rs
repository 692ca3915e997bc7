//! The files that a command left in its directory, natively and in the world.

use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Seconds within which a time counts as "now".
const NOW: i64 = 300;
/// Content beyond this is compared by size only.
const COMPARED_BYTES: u64 = 16 << 20;

/// Type, permission bits, links, time of change if it is not the command's own, content.
#[derive(PartialEq, Eq)]
struct TreeEntry {
    what: String,
    content: Vec<u8>,
}

/// What differs, in words.
pub fn difference(native: &Path, ours: &Path) -> Result<Option<String>> {
    if !ours.is_dir() {
        return Ok(Some("no directory was saved".into()));
    }
    let (native, ours) = (read(native)?, read(ours)?);
    let names = native.keys().chain(ours.keys());
    for name in names {
        let shown = name.display();
        match (native.get(name), ours.get(name)) {
            (Some(a), Some(b)) if a == b => {}
            (Some(a), Some(b)) if a.what != b.what => {
                let (a, b) = (&a.what, &b.what);
                return Ok(Some(format!("file {shown}: native {a}, ours {b}")));
            }
            (Some(_), Some(_)) => return Ok(Some(format!("file {shown}: its content differs"))),
            (Some(a), None) => {
                return Ok(Some(format!("file {shown}: native {}, ours none", a.what)));
            }
            (None, Some(b)) => {
                return Ok(Some(format!("file {shown}: native none, ours {}", b.what)));
            }
            (None, None) => {}
        }
    }
    Ok(None)
}

fn read(root: &Path) -> Result<BTreeMap<PathBuf, TreeEntry>> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs() as i64;
    let mut open = vec![root.to_path_buf()];
    let mut entries = BTreeMap::new();
    while let Some(dir) = open.pop() {
        for item in fs::read_dir(&dir).with_context(|| format!("cannot list {}", dir.display()))? {
            let path = item?.path();
            let meta = fs::symlink_metadata(&path)?;
            let kind = meta.file_type();
            // Pipes and devices are not saved.
            if kind.is_fifo() || kind.is_char_device() || kind.is_block_device() || kind.is_socket()
            {
                continue;
            }
            let mode = meta.mode() & 0o7777;
            let (what, content) = if kind.is_dir() {
                open.push(path.clone());
                (format!("directory {mode:o}"), Vec::new())
            } else if kind.is_symlink() {
                let target = fs::read_link(&path)?;
                (format!("link to {}", target.display()), Vec::new())
            } else {
                let time = match meta.mtime() {
                    t if (now - t).abs() < NOW => "now".to_string(),
                    t => format!("{t}.{:09}", meta.mtime_nsec()),
                };
                let (size, links) = (meta.size(), meta.nlink());
                let content = match size {
                    0..=COMPARED_BYTES => fs::read(&path)?,
                    _ => Vec::new(),
                };
                (
                    format!("{mode:o}, {size} bytes, {links} links, {time}"),
                    content,
                )
            };
            let name = path.strip_prefix(root)?.to_path_buf();
            entries.insert(name, TreeEntry { what, content });
        }
    }
    Ok(entries)
}
