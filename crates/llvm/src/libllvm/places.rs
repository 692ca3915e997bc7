//! Where the shared library of a version of LLVM lies.
//!
//! Distributions have it in the linker's folders or in one of LLVM's own; each Rust toolchain brings its own, which
//! exports the same functions.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// A directory with LLVM's programs, as for the rest of Polypath: its library lies there or beside it.
const PROGRAMS_VARIABLE: &str = "POLYPATH_LLVM";

/// The names of the library of a version; from 18 on, the first is the one that LLVM itself gives it.
fn names(version: u32) -> [String; 3] {
    [
        format!("libLLVM.so.{version}.1"),
        format!("libLLVM-{version}.so.1"),
        format!("libLLVM-{version}.so"),
    ]
}

/// Folders in which distributions have the library of a version.
fn folders(version: u32) -> Vec<PathBuf> {
    [
        "/usr/lib/x86_64-linux-gnu".to_string(),
        format!("/usr/lib/llvm-{version}/lib"),
        "/usr/lib64".into(),
        "/usr/lib".into(),
        "/usr/local/lib".into(),
        format!("/usr/lib64/llvm{version}/lib64"),
        format!("/usr/lib64/llvm{version}/lib"),
        format!("/usr/lib/llvm{version}/lib"),
        format!("/usr/lib/llvm/{version}/lib64"),
    ]
    .map(PathBuf::from)
    .to_vec()
}

/// Libraries of a version that are there, the one to take first.
pub fn found(version: u32) -> Vec<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty());
    let given = variable(PROGRAMS_VARIABLE).map(PathBuf::from);
    let near = given
        .iter()
        .flat_map(|dir| [dir.clone(), dir.join("lib"), dir.join("../lib")]);
    let mut all: Vec<PathBuf> = near
        .chain(folders(version))
        .flat_map(|dir| names(version).map(|name| dir.join(name)))
        .filter(|path| path.is_file())
        .collect();
    let rustup = variable("RUSTUP_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(variable("HOME")?).join(".rustup")));
    all.extend(rustup.map_or_else(Vec::new, |home| of_rustup(&home, version)));
    all
}

/// The name under which the dynamic linker may know the library, from its cache or from `LD_LIBRARY_PATH`.
pub fn soname(version: u32) -> PathBuf {
    let [first, ..] = names(version);
    first.into()
}

/// Libraries of a version in the toolchains of rustup, by their names: `libLLVM.so.22.1-rust-1.95.0-stable`. Among several,
/// the choice does not depend on the order of the directory.
fn of_rustup(home: &Path, version: u32) -> Vec<PathBuf> {
    let entries = |dir: &Path| {
        let found = std::fs::read_dir(dir).into_iter().flatten().flatten();
        found.map(|e| e.path()).collect::<Vec<_>>()
    };
    let start = format!("libLLVM.so.{version}.");
    let is_one = |path: &PathBuf| {
        let name = path.file_name().and_then(OsStr::to_str);
        name.is_some_and(|n| n.starts_with(&start) && n.contains("-rust-"))
    };
    let mut all: Vec<PathBuf> = entries(&home.join("toolchains"))
        .iter()
        .flat_map(|toolchain| entries(&toolchain.join("lib")))
        .filter(is_one)
        .collect();
    all.sort();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_toolchain_of_rustup_is_found_by_the_version_of_its_library() {
        let home = std::env::temp_dir().join(format!("polypath-rustup-{}", std::process::id()));
        for (toolchain, file) in [
            ("nightly", "libLLVM.so.22.1-rust-1.97.0-nightly"),
            ("stable", "libLLVM.so.22.1-rust-1.95.0-stable"),
            ("old", "libLLVM.so.19.1-rust-1.86.0-stable"),
            ("stable", "libLLVM-22-rust-1.95.0-stable.so"),
        ] {
            let dir = home.join("toolchains").join(toolchain).join("lib");
            std::fs::create_dir_all(&dir).unwrap();
            std::fs::write(dir.join(file), "").unwrap();
        }
        let names = |version| {
            of_rustup(&home, version)
                .iter()
                .map(|p| p.file_name().unwrap().to_str().unwrap().to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            names(22),
            [
                "libLLVM.so.22.1-rust-1.97.0-nightly",
                "libLLVM.so.22.1-rust-1.95.0-stable"
            ]
        );
        assert_eq!(names(19), ["libLLVM.so.19.1-rust-1.86.0-stable"]);
        assert!(names(21).is_empty());
        std::fs::remove_dir_all(home).unwrap();
    }
}
