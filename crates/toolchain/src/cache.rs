//! The cache directory, and things that are built into it once.
//!
//! An entry appears whole or not at all: it is built in a temporary directory beside its place, under
//! a lock, and renamed. Readers of an entry that is there need no lock.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// The cache directory: `$XDG_CACHE_HOME/polypath`, by default `~/.cache/polypath`.
///
/// The environment is read here, not in `cli`, because every build script in a tree that runs the compiler wrapper
/// must arrive at the same directory.
pub fn root() -> io::Result<PathBuf> {
    let absolute = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|p| p.is_absolute())
    };
    absolute("XDG_CACHE_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".cache")))
        .map(|dir| dir.join("polypath"))
        .ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::NotFound,
                "neither XDG_CACHE_HOME nor HOME is an absolute path",
            )
        })
}

/// 64-bit FNV-1a: names of cache entries.
pub fn fingerprint(parts: &[&[u8]]) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for part in parts {
        for &b in part.iter().chain(&[0xff]) {
            hash = (hash ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    hash
}

/// Adds the path to an error.
pub fn at(path: &Path) -> impl FnOnce(io::Error) -> io::Error + use<> {
    let path = path.to_owned();
    move |e| io::Error::new(e.kind(), format!("{}: {e}", path.display()))
}

/// The entry `name`, built by `make` if it is not there yet. `make` gets the directory to fill and
/// must not rely on its name: it is renamed to the returned path afterwards.
pub fn entry<E: From<io::Error>>(
    name: &str,
    make: impl FnOnce(&Path, &Path) -> Result<(), E>,
) -> Result<PathBuf, E> {
    let root = root()?;
    let place = root.join(name);
    if place.exists() {
        return Ok(place);
    }
    fs::create_dir_all(&root).map_err(at(&root))?;
    let path = root.join(format!("{name}.lock"));
    let lock = File::create(&path).map_err(at(&path))?;
    lock.lock().map_err(at(&path))?;
    if place.exists() {
        return Ok(place);
    }
    // We hold the lock: whatever else bears the name was left by a process that was killed.
    for leftover in fs::read_dir(&root).map_err(at(&root))? {
        let leftover = leftover?;
        let suffix = leftover
            .file_name()
            .to_str()
            .and_then(|n| Some(n.strip_prefix(name)?.strip_prefix('.')?.to_owned()));
        if suffix.is_some_and(|s| s.bytes().all(|b| b.is_ascii_digit())) {
            fs::remove_dir_all(leftover.path()).map_err(at(&leftover.path()))?;
        }
    }
    let mut temporary = OsString::from(&place);
    temporary.push(format!(".{}", std::process::id()));
    let temporary = PathBuf::from(temporary);
    let result = fs::create_dir_all(&temporary)
        .map_err(at(&temporary))
        .map_err(E::from)
        .and_then(|()| make(&temporary, &place));
    match result.and_then(|()| fs::rename(&temporary, &place).map_err(E::from)) {
        Ok(()) => Ok(place),
        Err(error) => {
            // The first error is the one to tell; a leftover directory is only untidy.
            let _ = fs::remove_dir_all(&temporary);
            Err(error)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_made_once_whole_and_after_failures_again() {
        let name = format!("test-{}", std::process::id());
        let leftover = root().unwrap().join(format!("{name}.4000000000"));
        fs::create_dir_all(&leftover).unwrap();
        let failed = entry(&name, |_, _| Err(io::Error::other("no")));
        assert_eq!(failed.unwrap_err().to_string(), "no");
        assert!(!leftover.exists() && !root().unwrap().join(&name).exists());
        let place = entry(&name, |dir, _| fs::write(dir.join("file"), "x")).unwrap();
        assert_eq!(fs::read_to_string(place.join("file")).unwrap(), "x");
        let again = entry(&name, |_, _| Err(io::Error::other("made twice"))).unwrap();
        assert_eq!(again, place);
        fs::remove_dir_all(&place).unwrap();
        fs::remove_file(root().unwrap().join(format!("{name}.lock"))).unwrap();
    }
}
