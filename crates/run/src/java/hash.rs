//! The hash of a program's classes: a run is continued only with the same ones.

use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// A hash of what stands on a class path: names and contents of all files that can be read.
pub fn hash(class_path: &[PathBuf]) -> String {
    let mut sum = Sha256::new();
    for part in class_path {
        let mut files = Vec::new();
        collect(part, &mut files);
        files.sort();
        for file in files {
            let name = file.strip_prefix(part).unwrap_or(&file);
            // What cannot be read is no class for the JVM either.
            let Ok(bytes) = std::fs::read(&file) else {
                continue;
            };
            sum.update(name.as_os_str().as_encoded_bytes());
            sum.update([0]);
            sum.update((bytes.len() as u64).to_le_bytes());
            sum.update(bytes);
        }
        sum.update([1]);
    }
    format!("{:x}", sum.finalize())
}

/// All files of classes in a directory, or the archive itself. What else lies there is not the program.
fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if !path.is_dir() {
        files.push(path.to_owned());
        return;
    }
    let entries = std::fs::read_dir(path);
    for entry in entries.into_iter().flatten().flatten() {
        let path = entry.path();
        let is_class = path.extension().is_some_and(|e| e == "class");
        if is_class || path.is_dir() && !path.is_symlink() {
            collect(&path, files);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_classes_and_their_names_count() {
        let dir = std::env::temp_dir().join(format!("polypath-hash-{}", std::process::id()));
        let of = |files: &[(&str, &str)]| {
            std::fs::create_dir_all(dir.join("p")).unwrap();
            for (name, text) in files {
                std::fs::write(dir.join(name), text).unwrap();
            }
            let hash = hash(std::slice::from_ref(&dir));
            std::fs::remove_dir_all(&dir).unwrap();
            hash
        };
        let first = of(&[("p/A.class", "a")]);
        assert_eq!(first, of(&[("p/A.class", "a"), ("p/test", "b")]));
        assert_ne!(first, of(&[("p/A.class", "b")]));
        assert_ne!(first, of(&[("p/B.class", "a")]));
    }
}
