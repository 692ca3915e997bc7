//! Archives of ELF objects that carry bitcode, read member by member.

use crate::input::section;
use object::read::archive::{ArchiveFile, ArchiveKind, ArchiveOffset};
use object::read::elf::ElfFile64;
use object::{Endianness, Object, ObjectSymbol};
use rustc_hash::FxHashMap;
use std::path::Path;

/// The first bytes of archives.
pub const MAGIC: &[u8] = b"!<arch>\n";

/// An archive in memory with its symbol index.
pub struct Archive {
    bytes: memmap2::Mmap,
    shown: String,
    index: Index,
}

type Index = FxHashMap<Vec<u8>, ArchiveOffset>;

/// One member.
pub struct LibraryMember<'a> {
    /// Its file name.
    pub name: String,
    /// Its bitcode, if it has any.
    pub bitcode: Option<&'a [u8]>,
}

/// Bytes in front of a member's content.
const HEADER: u64 = 60;

impl Archive {
    /// Opens an archive of the user, made by any `ar`: symbols that its index lacks are read from the members. (Of
    /// objects for link-time optimization, an `ar` without the compiler's plug-in lists no symbol.)
    pub fn of_a_user(path: &Path) -> Result<Archive, String> {
        let mut archive = Archive::map(path)?;
        let file = archive.parsed()?;
        let mut found = archive.listed(&file)?.unwrap_or_default();
        for member in file.members() {
            let member = member.map_err(|e| format!("{}: {e}", archive.shown))?;
            let data = member.data(&*archive.bytes);
            let data = data.map_err(|e| format!("{}: {e}", archive.shown))?;
            let is_plain = matches!(file.kind(), ArchiveKind::Gnu | ArchiveKind::Unknown);
            let object = ElfFile64::<Endianness>::parse(data);
            let (Ok(object), true) = (object, is_plain && !member.is_thin()) else {
                continue;
            };
            let offset = ArchiveOffset(member.file_range().0 - HEADER);
            for symbol in object
                .symbols()
                .filter(|s| s.is_global() && s.is_definition())
            {
                if let Ok(name) = symbol.name_bytes() {
                    found.entry(name.to_vec()).or_insert(offset);
                }
            }
        }
        archive.index = found;
        Ok(archive)
    }

    /// Opens the archive at `path`, which must not change while it is read.
    pub fn open(path: &Path) -> Result<Archive, String> {
        let mut archive = Archive::map(path)?;
        let index = archive.listed(&archive.parsed()?)?;
        archive.index = index.ok_or_else(|| {
            let shown = &archive.shown;
            format!("{shown}: the archive has no symbol index (run llvm-ranlib)")
        })?;
        Ok(archive)
    }

    fn map(path: &Path) -> Result<Archive, String> {
        let shown = path.display().to_string();
        let file = std::fs::File::open(path).map_err(|e| format!("{shown}: {e}"))?;
        // SAFETY: builds and our cache replace archives as a whole, they do not write into them.
        let bytes = unsafe { memmap2::Mmap::map(&file) }.map_err(|e| format!("{shown}: {e}"))?;
        Ok(Archive {
            bytes,
            shown,
            index: FxHashMap::default(),
        })
    }

    /// The archive's own index, if it has one.
    fn listed(&self, file: &ArchiveFile<'_>) -> Result<Option<Index>, String> {
        let symbols = file.symbols().map_err(|e| format!("{}: {e}", self.shown))?;
        let Some(symbols) = symbols else {
            return Ok(None);
        };
        let mut index = Index::default();
        for symbol in symbols {
            let symbol = symbol.map_err(|e| format!("{}: {e}", self.shown))?;
            index
                .entry(symbol.name().to_vec())
                .or_insert(symbol.offset());
        }
        Ok(Some(index))
    }

    /// The start of the member that defines the symbol.
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
    pub fn member(&self, offset: u64) -> Result<LibraryMember<'_>, String> {
        let file = self.parsed()?;
        let member = file
            .member(ArchiveOffset(offset))
            .map_err(|e| format!("{}: {e}", self.shown))?;
        self.read(&member)
    }

    /// All members.
    pub fn members(&self) -> Result<Vec<LibraryMember<'_>>, String> {
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
    ) -> Result<LibraryMember<'a>, String> {
        let name = String::from_utf8_lossy(member.name()).into_owned();
        let shown = format!("{}({name})", self.shown);
        let data = member
            .data(&*self.bytes)
            .map_err(|e| format!("{shown}: {e}"))?;
        let bitcode = section(data).map_err(|e| format!("{shown}: {e}"))?;
        Ok(LibraryMember {
            name: shown,
            bitcode,
        })
    }
}
