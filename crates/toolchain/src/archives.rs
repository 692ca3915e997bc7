//! The libraries that a build has made, if it has linked no program.

use crate::linked::{named, shown};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Libraries that are named at most.
const NAMED: usize = 8;
/// Directories within directories, and files, that are looked at.
const DEEP: usize = 8;
const MANY: usize = 50_000;

/// The end of a build, in lines: which archives below this directory can be explored function by function.
pub fn summary(here: &Path, begun: SystemTime) -> Vec<String> {
    let mut found = Vec::new();
    let mut looks = MANY;
    look(here, begun, DEEP, &mut looks, &mut found);
    found.sort();
    let names: Vec<String> = found.iter().map(|path| shown(path, here)).collect();
    let first = names.first().map(|first| {
        let all = named(&names, NAMED);
        format!("can be explored by their functions: {all} (polypath test {first}, or one: polypath run {first} --entry FUNCTION)")
    });
    first.into_iter().collect()
}

fn look(dir: &Path, begun: SystemTime, deep: usize, looks: &mut usize, found: &mut Vec<PathBuf>) {
    // What cannot be read has nothing to offer: this is advice.
    let Ok(entries) = fs::read_dir(dir) else {
        return;
    };
    for entry in entries.flatten() {
        *looks = looks.saturating_sub(1);
        if *looks == 0 {
            return;
        }
        let (path, Ok(kind)) = (entry.path(), entry.file_type()) else {
            continue;
        };
        if kind.is_dir() && deep > 0 && entry.file_name() != ".git" {
            look(&path, begun, deep - 1, looks, found);
        } else if kind.is_file() && path.extension().is_some_and(|e| e == "a") {
            let made = entry.metadata().and_then(|m| m.modified());
            if made.is_ok_and(|made| made >= begun) {
                found.push(path);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn archives_of_this_build_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let begun = SystemTime::now() - Duration::from_secs(60);
        assert!(summary(dir.path(), begun).is_empty());
        fs::create_dir(dir.path().join(".libs")).unwrap();
        for name in [".libs/libx.a", "liby.a", "y.c", "old.a"] {
            fs::write(dir.path().join(name), "").unwrap();
        }
        let old = fs::File::options()
            .write(true)
            .open(dir.path().join("old.a"));
        old.unwrap()
            .set_modified(begun - Duration::from_secs(60))
            .unwrap();
        let lines = summary(dir.path(), begun);
        let wanted = "can be explored by their functions: ./.libs/libx.a, ./liby.a (polypath test ./.libs/libx.a, or one: polypath run ./.libs/libx.a --entry FUNCTION)";
        assert_eq!(lines, [wanted]);
    }
}
