//! A tree as a tar archive: sorted, without times and owners, so that the same files are the same bytes.

use crate::tree::{InstallTree, Installed};
use anyhow::Result;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::collections::BTreeSet;
use std::io::{self, Write};

/// Writes all files below the folder `top`, and the folders that they are in.
///
/// # Errors
/// A file cannot be read, or the archive cannot be written.
pub fn write<W: Write>(tree: &InstallTree, top: &str, out: W) -> Result<W> {
    let mut archive = tar::Builder::new(out);
    let mut folders = BTreeSet::new();
    for (name, entry) in tree {
        let path = format!("{top}/{name}");
        for (at, _) in path.match_indices('/') {
            let folder = &path[..=at];
            if folder != "./" && folders.insert(folder.to_owned()) {
                let mut header = header(0, 0o755);
                header.set_entry_type(tar::EntryType::Directory);
                archive.append_data(&mut header, folder, io::empty())?;
            }
        }
        let bytes = entry.bytes()?;
        let mut header = header(bytes.len() as u64, mode(entry));
        archive.append_data(&mut header, &path, bytes.as_slice())?;
    }
    Ok(archive.into_inner()?)
}

fn mode(entry: &Installed) -> u32 {
    if entry.is_executable { 0o755 } else { 0o644 }
}

/// A file's header but for its name: nobody's in particular, and as old as every other.
pub fn header(size: u64, mode: u32) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_size(size);
    header.set_mode(mode);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    header.set_entry_type(tar::EntryType::Regular);
    header
}

/// Compresses what `write` writes.
///
/// # Errors
/// That of `write`, or the output cannot be written.
pub fn gzip<W: Write>(
    out: W,
    write: impl FnOnce(GzEncoder<W>) -> Result<GzEncoder<W>>,
) -> Result<()> {
    // The header of gzip has no time and no name then.
    let encoder = flate2::GzBuilder::new()
        .mtime(0)
        .write(out, Compression::best());
    write(encoder)?.finish()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Bytes;

    fn small() -> InstallTree {
        let entry = |text: &str, is_executable| Installed {
            content: Bytes::Made(text.into()),
            is_executable,
        };
        InstallTree::from([
            ("bin/p".into(), entry("program", true)),
            ("lib/a/b".into(), entry("part", false)),
        ])
    }

    #[test]
    fn archives_of_the_same_files_are_the_same_and_have_them_all() {
        let pack = || {
            let mut bytes = Vec::new();
            gzip(&mut bytes, |out| write(&small(), "top", out)).unwrap();
            bytes
        };
        let bytes = pack();
        assert_eq!(bytes, pack());
        let dir = tempfile::tempdir().unwrap();
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(bytes.as_slice()));
        archive.unpack(dir.path()).unwrap();
        let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap();
        assert_eq!(read("top/bin/p"), "program");
        assert_eq!(read("top/lib/a/b"), "part");
        use std::os::unix::fs::PermissionsExt;
        let program = std::fs::metadata(dir.path().join("top/bin/p")).unwrap();
        assert_eq!(program.permissions().mode() & 0o777, 0o755);
    }
}
