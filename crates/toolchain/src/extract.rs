//! The bitcode inside a native binary.
//!
//! Each object that `polypath cc` makes has a section `.llvmbc` with one bitcode module. A linker
//! concatenates sections of the same name, so a binary's section is a sequence of modules, possibly
//! with zero bytes between them. A module says nothing about its own length, but it is a sequence
//! of blocks, each with its length in words (LLVM's bitstream format): we walk the
//! blocks at top level and cut where the next magic number stands. Nothing inside a block is read.

use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use object::{Object, ObjectSection};

/// The section that holds bitcode.
pub const SECTION: &str = ".llvmbc";

const ELF: &[u8] = b"\x7fELF";
const MAGIC: [u8; 4] = *b"BC\xc0\xde";
/// The wrapper header that some other tool chains put before the magic number.
const WRAPPER: [u8; 4] = [0xde, 0xc0, 0x17, 0x0b];

/// Why a file gives no modules.
#[derive(Debug)]
pub enum ExtractError {
    /// The file could not be read.
    Unreadable(PathBuf, io::Error),
    /// The file is neither an ELF file nor an archive.
    NotElf(PathBuf),
    /// An ELF file for another machine than x86-64: the machine's number.
    ForeignMachine(PathBuf, String),
    /// The file is intact but has no bitcode: it was not built by `polypath cc`.
    NoBitcode(PathBuf),
    /// The ELF file or archive is damaged.
    Malformed(PathBuf, String),
    /// The section's contents are damaged or not ours: offset and problem.
    Bitcode(PathBuf, usize, &'static str),
}

impl fmt::Display for ExtractError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExtractError::Unreadable(path, error) => write!(f, "{}: {error}", path.display()),
            ExtractError::NotElf(path) => write!(
                f,
                "{}: not an ELF binary (nor bitcode, nor a C source that Polypath knows by its name)",
                path.display()
            ),
            ExtractError::ForeignMachine(path, machine) => {
                write!(
                    f,
                    "{}: a binary for {machine}; Polypath reads x86-64",
                    path.display()
                )
            }
            ExtractError::NoBitcode(path) => write!(
                f,
                "{}: no bitcode inside (no section {SECTION}): it was built without `polypath cc`, or stripped by \
                 a tool that drops the section (llvm-strip, objcopy --strip-all; GNU strip keeps it)",
                path.display()
            ),
            ExtractError::Malformed(path, what) => {
                write!(f, "{}: damaged file: {what}", path.display())
            }
            ExtractError::Bitcode(path, offset, what) => {
                write!(
                    f,
                    "{}: bad bitcode in section {SECTION} at offset {offset}: {what}",
                    path.display()
                )
            }
        }
    }
}

impl std::error::Error for ExtractError {}

/// Checks that the file begins as an ELF binary does.
///
/// # Errors
/// If it does not, or cannot be read.
pub fn check_elf(path: &Path) -> Result<(), ExtractError> {
    let mut magic = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(ELF.len() as u64).read_to_end(&mut magic))
        .map_err(|e| ExtractError::Unreadable(path.to_owned(), e))?;
    if magic == ELF {
        Ok(())
    } else {
        Err(ExtractError::NotElf(path.to_owned()))
    }
}

/// The bitcode modules of the binary or object file at `path`, in link order.
pub fn modules(path: &Path) -> Result<Vec<Vec<u8>>, ExtractError> {
    let data = std::fs::read(path).map_err(|e| ExtractError::Unreadable(path.to_owned(), e))?;
    modules_of(path, &data)
}

/// The same for a file already read; `path` is for messages.
pub fn modules_of(path: &Path, data: &[u8]) -> Result<Vec<Vec<u8>>, ExtractError> {
    if !data.starts_with(ELF) {
        return Err(ExtractError::NotElf(path.to_owned()));
    }
    let malformed = |e: object::Error| ExtractError::Malformed(path.to_owned(), e.to_string());
    let file = object::File::parse(data).map_err(malformed)?;
    if file.architecture() != object::Architecture::X86_64 {
        return Err(ExtractError::ForeignMachine(
            path.to_owned(),
            format!("{:?}", file.architecture()),
        ));
    }
    // An object can have several sections of the name, a linked binary has one.
    let mut out = Vec::new();
    for section in file.sections() {
        if section.name().map_err(malformed)? == SECTION {
            let contents = section.data().map_err(malformed)?;
            let parts = split(contents)
                .map_err(|(offset, what)| ExtractError::Bitcode(path.to_owned(), offset, what))?;
            out.extend(parts.into_iter().map(<[u8]>::to_vec));
        }
    }
    if out.is_empty() {
        Err(ExtractError::NoBitcode(path.to_owned()))
    } else {
        Ok(out)
    }
}

/// The known facts about how a file was linked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Link {
    /// It is no binary.
    None,
    /// By `polypath cc`, with these options of the linker about names, separated by blanks.
    Recorded(String),
    /// By another linker, whose options are unknown.
    Unknown,
}

/// How the file was linked.
///
/// # Errors
/// If the file cannot be read, or is damaged.
pub fn link(path: &Path) -> Result<Link, ExtractError> {
    let data = std::fs::read(path).map_err(|e| ExtractError::Unreadable(path.to_owned(), e))?;
    if !data.starts_with(ELF) {
        return Ok(Link::None);
    }
    let file = object::File::parse(&*data)
        .map_err(|e| ExtractError::Malformed(path.to_owned(), e.to_string()))?;
    if file.kind() != object::ObjectKind::Executable {
        return Ok(Link::None);
    }
    let note = file.section_by_name(vocab::link_note::SECTION);
    let facts = note.and_then(|section| vocab::link_note::facts(section.data().ok()?));
    Ok(facts.map_or(Link::Unknown, Link::Recorded))
}

/// Cuts concatenated modules apart; on failure the offset and the reason.
pub fn split(data: &[u8]) -> Result<Vec<&[u8]>, (usize, &'static str)> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < data.len() {
        if data[at] == 0 {
            at += 1;
        } else if data[at..].starts_with(&MAGIC) {
            let end = module_end(data, at)?;
            out.push(&data[at..end]);
            at = end;
        } else if data[at..].starts_with(&WRAPPER) {
            return Err((
                at,
                "bitcode with a wrapper header, made by another tool chain",
            ));
        } else {
            return Err((at, "not bitcode"));
        }
    }
    Ok(out)
}

/// The end of the module that starts at `start`.
fn module_end(data: &[u8], start: usize) -> Result<usize, (usize, &'static str)> {
    let mut at = start + MAGIC.len();
    while at < data.len() {
        // Between modules stands padding or the next magic number; a block's first byte is neither 0
        // nor 'B', as its two low bits are 1 (ENTER_SUBBLOCK) at the top level's width of 2.
        if data[at] == 0 || data[at..].starts_with(&MAGIC) {
            break;
        }
        at = block_end(data, at)?;
    }
    if at == start + MAGIC.len() {
        Err((start, "an empty module"))
    } else {
        Ok(at)
    }
}

/// Where the block whose ENTER_SUBBLOCK stands at `start` (32-bit aligned relative to the magic
/// number, as all blocks at top level are) ends: `[1 : 2 bits, block id : vbr8, width : vbr4,
/// align to 32 bits, length in words : 32 bits]`.
fn block_end(data: &[u8], start: usize) -> Result<usize, (usize, &'static str)> {
    const SHORT: &str = "cut short";
    let mut bits = BitReader {
        data,
        at: start * 8,
    };
    if bits.read(2).ok_or((start, SHORT))? != 1 {
        return Err((start, "a block was expected"));
    }
    bits.vbr(8).ok_or((start, SHORT))?;
    bits.vbr(4).ok_or((start, SHORT))?;
    let header = (bits.at - start * 8).div_ceil(32) * 4;
    let length = data
        .get(start + header..start + header + 4)
        .ok_or((start, SHORT))?;
    let words = u32::from_le_bytes(length.try_into().expect("four bytes")) as usize;
    let end = start + header + 4 + words * 4;
    if end > data.len() {
        Err((start, SHORT))
    } else {
        Ok(end)
    }
}

struct BitReader<'a> {
    data: &'a [u8],
    at: usize,
}

impl BitReader<'_> {
    fn read(&mut self, n: usize) -> Option<u64> {
        let mut value = 0;
        for i in 0..n {
            let byte = *self.data.get(self.at / 8)?;
            value |= u64::from(byte >> (self.at % 8) & 1) << i;
            self.at += 1;
        }
        Some(value)
    }

    /// A variable-width number in chunks of `n` bits, the highest of each says that more follow.
    fn vbr(&mut self, n: usize) -> Option<u64> {
        let (mut value, mut shift) = (0, 0);
        loop {
            let chunk = self.read(n)?;
            if shift >= 60 {
                return None;
            }
            value |= (chunk & ((1 << (n - 1)) - 1)) << shift;
            if chunk >> (n - 1) == 0 {
                return Some(value);
            }
            shift += n - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A module with one block of `words` words.
    fn module(words: u32) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        // ENTER_SUBBLOCK(1), block id 8, width 3: 01 | 00001000 | 0011 from the low bits up.
        out.extend(((1u32) | (8 << 2) | (3 << 10)).to_le_bytes());
        out.extend(words.to_le_bytes());
        out.extend(vec![0x42; words as usize * 4]);
        out
    }

    #[test]
    fn splits_concatenated_modules_with_and_without_padding() {
        let (a, b, c) = (module(3), module(1), module(7));
        let joined = [&a[..], &b, &[0; 12], &c, &[0; 3]].concat();
        assert_eq!(split(&joined).unwrap(), vec![&a[..], &b, &c]);
    }

    #[test]
    fn a_module_of_several_blocks_stays_whole() {
        let mut a = module(2);
        a.extend_from_slice(&module(5)[4..]);
        let joined = [&a[..], &module(1)].concat();
        assert_eq!(split(&joined).unwrap()[0], a);
    }

    #[test]
    fn every_truncation_is_an_error_or_whole_modules() {
        let joined = [module(3), module(2)].concat();
        let whole = module(3).len();
        for n in 1..joined.len() {
            assert_eq!(split(&joined[..n]).is_ok(), n == whole, "{n} bytes");
        }
    }

    #[test]
    fn foreign_contents_are_named() {
        assert_eq!(split(b"hello").unwrap_err(), (0, "not bitcode"));
        assert!(split(&WRAPPER).unwrap_err().1.contains("wrapper"));
        assert!(matches!(
            modules_of(Path::new("x"), b"#!/bin/sh"),
            Err(ExtractError::NotElf(_))
        ));
        assert!(matches!(
            modules_of(Path::new("x"), b"\x7fELF junk"),
            Err(ExtractError::Malformed(..))
        ));
    }
}
