//! libc's archive, from which the undefined symbols of a program's bitcode are resolved.
//!
//! # Reading a member's bitcode
//!
//! `libc.a` is an `ar` archive with a symbol index, made by llvm-ar. Each member is an ELF
//! relocatable object; its section `.llvmbc` is one bitcode module, byte for byte
//! ([`members`] gives all of them). Members without the section are operations of the engine
//! (the malloc family, memcpy, setjmp, ...) or the system-call hook: they stay external.
//!
//! # The rule of resolution
//!
//! As a static linker does it. Start with the program's modules. While some symbol is referenced,
//! not defined, and the reference is strong: if the archive's index has the symbol, add the module of
//! the *first* member that the index names for it. A *weak* reference never pulls a member in (it
//! stays null unless something else brings the member). A strong definition wins over a weak one
//! whatever the order; of several weak ones the first wins. Never add the whole archive: musl relies
//! on weak stubs (`__stdio_exit`, `__pthread_tsd_run_dtors`, ...) being left alone when the member with the
//! real thing is not needed.
//!
//! A binary linked by `polypath cc` already carries the modules of all members that its machine code
//! pulled in, and as nothing is optimized before code generation, its bitcode needs no others but
//! by libc calls that code generation itself removed. The archive is the fall-back for these and
//! for sources compiled on their own.

use std::path::{Path, PathBuf};

use object::read::archive::ArchiveFile;

use crate::extract::{self, ExtractError};
use crate::sysroot::{self, SysrootError};

/// The path of libc's archive; builds the sysroot if need be.
pub fn archive(progress: &mut dyn FnMut(&str)) -> Result<PathBuf, SysrootError> {
    Ok(sysroot::ensure(progress)?.libc_a)
}

/// A member of an archive and its bitcode.
#[derive(Clone, Debug)]
pub struct LibcMember {
    /// The file name of the member.
    pub name: String,
    /// Its bitcode, as the front end made it.
    pub bitcode: Vec<u8>,
}

/// All members of the archive that have bitcode, in archive order.
pub fn members(archive: &Path) -> Result<Vec<LibcMember>, ExtractError> {
    let data =
        std::fs::read(archive).map_err(|e| ExtractError::Unreadable(archive.to_owned(), e))?;
    let malformed = |e: object::Error| ExtractError::Malformed(archive.to_owned(), e.to_string());
    let file = ArchiveFile::parse(&*data).map_err(malformed)?;
    let mut out = Vec::new();
    for member in file.members() {
        let member = member.map_err(malformed)?;
        let name = String::from_utf8_lossy(member.name()).into_owned();
        let object = member.data(&*data).map_err(malformed)?;
        match extract::modules_of(archive, object) {
            Ok(mut modules) => match modules.len() {
                1 => out.push(LibcMember {
                    name,
                    bitcode: modules.remove(0),
                }),
                n => {
                    return Err(ExtractError::Malformed(
                        archive.to_owned(),
                        format!("{name} has {n} modules"),
                    ));
                }
            },
            Err(ExtractError::NoBitcode(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(out)
}
