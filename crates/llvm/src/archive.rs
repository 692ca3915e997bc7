//! Archives of ELF objects that carry bitcode, read member by member.

use crate::input::section;
use object::read::archive::{ArchiveFile, ArchiveOffset};
use rustc_hash::FxHashMap;
use std::path::Path;

/// What archives begin with.
pub const MAGIC: &[u8] = b"!<arch>\n";

/// An archive in memory with its symbol index.
pub struct Archive {
    bytes: memmap2::Mmap,
    shown: String,
    index: FxHashMap<Vec<u8>, ArchiveOffset>,
}

/// One member.
pub struct Member<'a> {
    pub name: String,
    /// Its bitcode, if it has any.
    pub bitcode: Option<&'a [u8]>,
}

impl Archive {
    /// Opens the archive at `path`, which must not change while it is read.
    pub fn open(path: &Path) -> Result<Archive, String> {
        let shown = path.display().to_string();
        let file = std::fs::File::open(path).map_err(|e| format!("{shown}: {e}"))?;
        // SAFETY: builds and our cache replace archives as a whole, they do not write into them.
        let bytes = unsafe { memmap2::Mmap::map(&file) }.map_err(|e| format!("{shown}: {e}"))?;
        let mut index: FxHashMap<Vec<u8>, ArchiveOffset> = FxHashMap::default();
        let parsed =
            ArchiveFile::parse(&*bytes).map_err(|e| format!("{shown}: not an archive: {e}"))?;
        let symbols = parsed.symbols().map_err(|e| format!("{shown}: {e}"))?;
        let symbols = symbols
            .ok_or_else(|| format!("{shown}: the archive has no symbol index (run llvm-ranlib)"))?;
        for symbol in symbols {
            let symbol = symbol.map_err(|e| format!("{shown}: {e}"))?;
            index
                .entry(symbol.name().to_vec())
                .or_insert(symbol.offset());
        }
        Ok(Archive {
            bytes,
            shown,
            index,
        })
    }

    /// Where the member that defines the symbol starts.
    pub fn defines(&self, symbol: &str) -> Option<u64> {
        self.index.get(symbol.as_bytes()).map(|o| o.0)
    }

    /// All names in the symbol index.
    pub fn symbols(&self) -> impl Iterator<Item = &str> {
        self.index
            .keys()
            .filter_map(|n| std::str::from_utf8(n).ok())
    }

    /// The member at an offset of [`Archive::defines`].
    pub fn member(&self, offset: u64) -> Result<Member<'_>, String> {
        let file = self.parsed()?;
        let member = file
            .member(ArchiveOffset(offset))
            .map_err(|e| format!("{}: {e}", self.shown))?;
        self.read(&member)
    }

    /// All members.
    pub fn members(&self) -> Result<Vec<Member<'_>>, String> {
        let file = self.parsed()?;
        file.members()
            .map(|m| self.read(&m.map_err(|e| format!("{}: {e}", self.shown))?))
            .collect()
    }

    fn parsed(&self) -> Result<ArchiveFile<'_>, String> {
        ArchiveFile::parse(&*self.bytes).map_err(|e| format!("{}: not an archive: {e}", self.shown))
    }

    fn read<'a>(
        &'a self,
        member: &object::read::archive::ArchiveMember<'a>,
    ) -> Result<Member<'a>, String> {
        let name = String::from_utf8_lossy(member.name()).into_owned();
        let shown = format!("{}({name})", self.shown);
        let data = member
            .data(&*self.bytes)
            .map_err(|e| format!("{shown}: {e}"))?;
        let bitcode = section(data).map_err(|e| format!("{shown}: {e}"))?;
        Ok(Member {
            name: shown,
            bitcode,
        })
    }
}
