//! When a directory that several processes fill was last tidied.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// The file whose time says when the directory was tidied.
const STAMP: &str = ".swept";

/// Whether the directory was not tidied for so long, by any process; if so, it counts as tidied from now on.
///
/// Tidying looks at each file, so a process that adds one file must not tidy each time. A stamp that cannot be written
/// means that each call says yes: the directory is then tidied too often, never too rarely.
pub fn is_due(dir: &Path, every: Duration) -> bool {
    let stamp = dir.join(STAMP);
    let age = fs::metadata(&stamp)
        .and_then(|m| m.modified())
        .map(|then| SystemTime::now().duration_since(then));
    // A stamp from the future is no stamp.
    if let Ok(Ok(age)) = age
        && age < every
    {
        return false;
    }
    // Written, not only opened, so that an empty file gets a new time as well.
    let _ = fs::write(&stamp, b"\n");
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_tidied_once_a_while() {
        let dir = std::env::temp_dir().join(format!("polypath-swept-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let hour = Duration::from_secs(3600);
        assert!(is_due(&dir, hour));
        assert!(!is_due(&dir, hour));
        assert!(is_due(&dir, Duration::ZERO));
        let stamp = fs::File::options()
            .append(true)
            .open(dir.join(STAMP))
            .unwrap();
        stamp.set_modified(SystemTime::now() - 2 * hour).unwrap();
        assert!(is_due(&dir, hour));
        // A clock that was set back does not put tidying off for years.
        stamp.set_modified(SystemTime::now() + 2 * hour).unwrap();
        assert!(is_due(&dir, hour));
        assert!(!is_due(&dir, hour));
        fs::remove_dir_all(&dir).unwrap();
    }
}
