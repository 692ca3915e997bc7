//! The classes of a program on their way to another machine: what stands on the class path, as bytes.
//!
//! Of a directory all files go, since a program may read others than classes; nothing is said of links and rights.

use crate::exit::UsageError;
use anyhow::{Context, ensure};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// Bytes of all files at most.
const MOST: u64 = 1 << 30;

/// A part of a class path.
#[derive(Serialize, Deserialize)]
enum Part {
    Archive(#[serde(with = "serde_bytes")] Vec<u8>),
    Directory(Vec<File>),
}

/// A file by its name in its directory.
#[derive(Serialize, Deserialize)]
struct File {
    #[serde(with = "serde_bytes")]
    name: Vec<u8>,
    #[serde(with = "serde_bytes")]
    bytes: Vec<u8>,
}

/// What stands on a class path.
///
/// # Errors
/// It cannot be read, or is too much.
pub fn pack(class_path: &[PathBuf]) -> anyhow::Result<Vec<u8>> {
    let mut left = MOST;
    let mut parts = Vec::new();
    for path in class_path {
        parts.push(if path.is_dir() {
            let mut files = Vec::new();
            collect(path, path, &mut left, &mut files)?;
            files.sort_by(|a, b| a.name.cmp(&b.name));
            Part::Directory(files)
        } else {
            Part::Archive(read(path, &mut left)?)
        });
    }
    Ok(postcard::to_stdvec(&parts)?)
}

fn collect(top: &Path, dir: &Path, left: &mut u64, files: &mut Vec<File>) -> anyhow::Result<()> {
    let unreadable = || dir.display().to_string();
    for entry in std::fs::read_dir(dir).with_context(unreadable)? {
        let path = entry.with_context(unreadable)?.path();
        if path.is_dir() {
            if !path.is_symlink() {
                collect(top, &path, left, files)?;
            }
        } else if path.is_file() {
            let name = path.strip_prefix(top).unwrap_or(&path);
            files.push(File {
                name: name.as_os_str().as_bytes().to_vec(),
                bytes: read(&path, left)?,
            });
        }
    }
    Ok(())
}

fn read(path: &Path, left: &mut u64) -> anyhow::Result<Vec<u8>> {
    let unreadable = || path.display().to_string();
    let size = std::fs::metadata(path).with_context(unreadable)?.len();
    *left = left.checked_sub(size).ok_or_else(|| {
        let most = MOST >> 20;
        UsageError(format!(
            "--listen: the class path has more than {most} MiB of files, which is too much for other machines"
        ))
    })?;
    std::fs::read(path).with_context(unreadable)
}

/// The hash by which a machine knows what it has.
pub fn hash(parcel: &[u8]) -> String {
    format!("{:x}", Sha256::digest(parcel))
}

/// Puts what was packed into a directory. Returns the class path there.
///
/// # Errors
/// It makes no sense, or cannot be written.
pub fn unpack(parcel: &[u8], dir: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let parts: Vec<Part> = postcard::from_bytes(parcel).context("the run's classes")?;
    let mut class_path = Vec::new();
    for (number, part) in parts.into_iter().enumerate() {
        let path = match part {
            Part::Archive(bytes) => {
                let path = dir.join(format!("{number}.jar"));
                std::fs::write(&path, bytes).with_context(|| path.display().to_string())?;
                path
            }
            Part::Directory(files) => {
                let path = dir.join(number.to_string());
                std::fs::create_dir_all(&path)?;
                for File { name, bytes } in files {
                    let name = Path::new(OsStr::from_bytes(&name));
                    let is_inside = name.components().all(|c| matches!(c, Component::Normal(_)));
                    ensure!(is_inside, "the run's classes: {}", name.display());
                    let file = path.join(name);
                    if let Some(parent) = file.parent() {
                        std::fs::create_dir_all(parent)?;
                    }
                    std::fs::write(&file, bytes).with_context(|| file.display().to_string())?;
                }
                path
            }
        };
        class_path.push(path);
    }
    Ok(class_path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_path_comes_as_it_was() {
        let dir = std::env::temp_dir().join(format!("polypath-parcel-{}", std::process::id()));
        let (from, to) = (dir.join("from"), dir.join("to"));
        std::fs::create_dir_all(from.join("classes/p")).unwrap();
        std::fs::create_dir_all(&to).unwrap();
        std::fs::write(from.join("classes/p/A.class"), "a").unwrap();
        std::fs::write(from.join("classes/words"), "w").unwrap();
        std::fs::write(from.join("lib.jar"), "jar").unwrap();
        let parcel = pack(&[from.join("lib.jar"), from.join("classes")]).unwrap();
        assert_eq!(
            hash(&parcel),
            hash(&pack(&[from.join("lib.jar"), from.join("classes")]).unwrap())
        );
        let there = unpack(&parcel, &to).unwrap();
        let text = |path: PathBuf| std::fs::read_to_string(path).unwrap();
        assert_eq!(text(there[0].clone()), "jar");
        assert_eq!(text(there[1].join("p/A.class")), "a");
        assert_eq!(text(there[1].join("words")), "w");
        let outside = vec![Part::Directory(vec![File {
            name: b"../up".to_vec(),
            bytes: Vec::new(),
        }])];
        assert!(unpack(&postcard::to_stdvec(&outside).unwrap(), &to).is_err());
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
