//! What an installation has beside the program: `bin/polypath` and `lib/polypath/`, in whatever directory both are.

use std::path::{Path, PathBuf};

/// The folder of the parts below the directory that is installed to.
pub const FOLDER: &str = "lib/polypath";

/// The place of [`FOLDER`] in a system's package. Line tables of the installed C library have this path, wherever it is unpacked.
pub const PLACE: &str = "/usr/lib/polypath";

/// Whether the system says which file this program is: by `/proc`, which a bare `chroot` does not have.
pub fn is_known() -> bool {
    std::env::current_exe().is_ok()
}

/// The program's own folder of parts; `None` if it is not installed, as in a source tree.
pub fn folder() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?.canonicalize().ok()?;
    beside(&program)
}

/// The folder of parts of the program `prefix/bin/NAME`.
fn beside(program: &Path) -> Option<PathBuf> {
    let prefix = program.parent()?.parent()?;
    Some(prefix.join(FOLDER)).filter(|folder| folder.is_dir())
}

/// Where a file of [`PLACE`] is in this installation; `None` for any other path.
pub fn moved(path: &Path) -> Option<PathBuf> {
    let below = path.strip_prefix(PLACE).ok()?;
    Some(folder()?.join(below))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_lie_beside_the_directory_of_the_program() {
        let prefix = tempfile::tempdir().unwrap();
        let program = prefix.path().join("bin/polypath");
        assert_eq!(beside(&program), None);
        let parts = prefix.path().join(FOLDER);
        std::fs::create_dir_all(&parts).unwrap();
        assert_eq!(beside(&program), Some(parts));
    }
}
