//! A tree as a zip archive (PKWARE's APPNOTE 6.3): in the order of names, with the oldest time that the format has, so that the same files are the
//! same bytes. Below 4 GB and 65,535 files, which the format's plain records can say.

use crate::tree::{InstallTree, Installed};
use anyhow::{Context as _, Result};
use flate2::Compression;
use flate2::write::DeflateEncoder;
use std::io::Write;

/// The first of January 1980, in the format of MS-DOS.
const DATE: u16 = (1 << 5) | 1;
/// The version of the format that is needed: compression by deflate.
const VERSION: u16 = 20;
const DEFLATED: u16 = 8;
/// Made on Unix: permissions are in the upper half of the attributes.
const UNIX: u16 = 3 << 8;
const REGULAR: u32 = 0o100_000;

/// Writes all files of the tree.
///
/// # Errors
/// A file cannot be read, the archive cannot be written, or the tree is too large for the format.
pub fn write(tree: &InstallTree, out: &mut impl Write) -> Result<()> {
    let mut directory = Vec::new();
    let mut at: u64 = 0;
    for (name, entry) in tree {
        let bytes = entry.bytes()?;
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&bytes)?;
        let packed = encoder.finish()?;
        let mut sum = flate2::Crc::new();
        sum.update(&bytes);
        // What both the file's own header and the directory say.
        let mut common = Vec::new();
        for half in [VERSION, 0, DEFLATED, 0, DATE] {
            common.extend(half.to_le_bytes());
        }
        for word in [sum.sum(), size(packed.len())?, size(bytes.len())?] {
            common.extend(word.to_le_bytes());
        }
        let length = u16::try_from(name.len()).context("a name")?;
        common.extend(length.to_le_bytes());
        common.extend(0u16.to_le_bytes());
        let header = [&b"PK\x03\x04"[..], &common, name.as_bytes()].concat();
        out.write_all(&header)?;
        out.write_all(&packed)?;
        directory.extend(b"PK\x01\x02");
        directory.extend((UNIX | VERSION).to_le_bytes());
        directory.extend(common);
        // No comment, on the first disk, no text.
        directory.extend([0; 6]);
        directory.extend(((REGULAR | mode(entry)) << 16).to_le_bytes());
        directory.extend(size(at)?.to_le_bytes());
        directory.extend(name.as_bytes());
        at += (header.len() + packed.len()) as u64;
    }
    out.write_all(&directory)?;
    let count = u16::try_from(tree.len()).context("more files than a zip archive can have")?;
    let mut end = b"PK\x05\x06\0\0\0\0".to_vec();
    end.extend([count.to_le_bytes(), count.to_le_bytes()].concat());
    end.extend(size(directory.len())?.to_le_bytes());
    end.extend(size(at)?.to_le_bytes());
    end.extend([0; 2]);
    out.write_all(&end)?;
    Ok(())
}

fn size(bytes: impl TryInto<u32>) -> Result<u32> {
    bytes.try_into().ok().context("more than 4 GB")
}

fn mode(entry: &Installed) -> u32 {
    if entry.is_executable { 0o755 } else { 0o644 }
}
