//! The cache directory, and things that are built into it once.
//!
//! An entry appears whole or not at all: it is built in a temporary directory beside its place, under
//! a lock, and renamed. Who uses an entry holds its lock together with others ([`hold`]), so that [`clean`] leaves it alone.

pub mod clean;
mod hold;

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// The cache directory: `$XDG_CACHE_HOME/polypath`, by default `~/.cache/polypath`. Where that cannot be written (a home on a read-only
/// disk, or of another user, or none) it is a directory of this user among the temporary files.
///
/// The environment is read here, not in `cli`, because every build script in a tree that runs the compiler wrapper
/// must arrive at the same directory.
///
/// # Errors
/// There is no directory that can be written.
pub fn root() -> io::Result<PathBuf> {
    let absolute = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|p| p.is_absolute())
    };
    let wanted = absolute("XDG_CACHE_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".cache")))
        .map(|dir| dir.join("polypath"));
    if let Some(dir) = &wanted
        && can_be_written(dir)
    {
        return Ok(dir.clone());
    }
    temporary().map_err(|error| {
        let place = wanted.map_or(
            "neither XDG_CACHE_HOME nor HOME is an absolute path".into(),
            |dir| format!("{} cannot be written", dir.display()),
        );
        io::Error::new(error.kind(), format!("{place}, and {error}"))
    })
}

/// Whether the directory is there, or can be made, and can be written by this user.
fn can_be_written(dir: &Path) -> bool {
    use rustix::fs::{Access, access};
    let is_there = dir.is_dir() || fs::create_dir_all(dir).is_ok();
    is_there && access(dir, Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

/// This user's own directory among the temporary files, which nobody else can write.
fn temporary() -> io::Result<PathBuf> {
    use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
    let user = rustix::process::geteuid().as_raw();
    let dir = std::env::temp_dir().join(format!("polypath-cache-{user}"));
    match fs::DirBuilder::new().mode(0o700).create(&dir) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(at(&dir)(error)),
        _ => {}
    }
    let meta = fs::symlink_metadata(&dir).map_err(at(&dir))?;
    if meta.is_dir() && meta.uid() == user && meta.mode() & 0o022 == 0 {
        return Ok(dir);
    }
    let error = io::Error::new(
        io::ErrorKind::PermissionDenied,
        "it is not this user's alone",
    );
    Err(at(&dir)(error))
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

/// What the user can do about an error of the cache, for the end of the line that tells it.
pub fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "; free some room (polypath clean), or set XDG_CACHE_HOME to a directory where there is some"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "; set XDG_CACHE_HOME to a directory that this user can write"
        }
        _ => "",
    }
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
    if let Some(found) = found(&place) {
        return Ok(found);
    }
    fs::create_dir_all(&root).map_err(at(&root))?;
    let path = hold::lock_of(&place);
    hold::release(&place);
    let lock = File::create(&path).map_err(at(&path))?;
    lock.lock().map_err(at(&path))?;
    if place.exists() {
        drop(lock);
        hold::hold(&place);
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
        Ok(()) => {
            drop(lock);
            hold::hold(&place);
            clean::trim(&mut |text| say::err!("polypath: {text}"));
            Ok(place)
        }
        Err(error) => {
            // The first error is the one to tell; a leftover directory is only untidy.
            let _ = fs::remove_dir_all(&temporary);
            Err(error)
        }
    }
}

/// The entry if it is there. It is held from then on.
fn found(place: &Path) -> Option<PathBuf> {
    if !place.exists() {
        return None;
    }
    hold::hold(place);
    // It may have been removed while this process waited for the lock.
    place.exists().then(|| place.to_owned())
}

/// The entry `name` if it has been built. It is held from then on.
///
/// # Errors
/// There is no place for a cache.
pub fn existing(name: &str) -> io::Result<Option<PathBuf>> {
    Ok(found(&root()?.join(name)))
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
        // This process uses it.
        assert_eq!(clean::remove(&place).unwrap(), clean::Removal::InUse);
        // Deleted by hand all the same, it is made again, without waiting for this process itself.
        fs::remove_dir_all(&place).unwrap();
        let again = entry(&name, |dir, _| fs::write(dir.join("file"), "y")).unwrap();
        assert_eq!(fs::read_to_string(again.join("file")).unwrap(), "y");
        fs::remove_dir_all(&place).unwrap();
        fs::remove_file(root().unwrap().join(format!("{name}.lock"))).unwrap();
    }

    #[test]
    fn what_nobody_uses_is_removed() {
        let place = root()
            .unwrap()
            .join(format!("test-unused-{}", std::process::id()));
        fs::create_dir_all(place.join("sealed")).unwrap();
        fs::write(place.join("sealed/file"), "x").unwrap();
        let mut rights = fs::metadata(place.join("sealed")).unwrap().permissions();
        rights.set_readonly(true);
        fs::set_permissions(place.join("sealed"), rights).unwrap();
        let listed = clean::list().unwrap();
        assert!(
            listed
                .iter()
                .any(|kept| kept.place == place && kept.size > 0)
        );
        assert_eq!(clean::remove(&place).unwrap(), clean::Removal::Removed);
        assert!(!place.exists());
        assert_eq!(clean::remove(&place).unwrap(), clean::Removal::Removed);
        fs::remove_file(hold::lock_of(&place)).unwrap();
    }
}
