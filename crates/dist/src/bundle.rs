//! LLVM for an installation without a distribution's packages (`toolchain::tools::bundled`): the programs and the library of a release of Rust, what
//! they need besides the C library, and the licences of it all.
//!
//! Rust's releases are made for old systems (glibc 2.17), where a distribution's programs are for its own version. Nothing of it is looked for by a variable: each
//! file says, relative to its own place, where its libraries are (`$ORIGIN` in `DT_RUNPATH`, `ld.so(8)`).

use crate::programs::{self, command};
use crate::tree::{ABOUT, Bytes, InstallTree, Installed};
use anyhow::{Context as _, Result, bail};
use host::installed::FOLDER;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use toolchain::tools::bundled;

/// What the system has: the C library's own parts, and that of the compiler, which each system with programs of C has.
const SYSTEM: [&str; 8] = [
    "ld-linux-x86-64.so.2",
    "libc.so.6",
    "libdl.so.2",
    "libgcc_s.so.1",
    "libm.so.6",
    "libpthread.so.0",
    "librt.so.1",
    "linux-vdso.so.1",
];

/// Where the programs of the component `llvm-tools` are, below a toolchain.
const LLVM_TOOLS: &str = "lib/rustlib/x86_64-unknown-linux-gnu/bin";

/// Where Debian has the texts of licences that many packages have: they refer to them there.
const COMMON: &str = "/usr/share/common-licenses";

/// A package that the bundle has files of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Package {
    /// Its name, which is that of its licence's text, too.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its address as a package URL.
    pub url: String,
}

/// What was bundled.
pub struct Bundle {
    /// The packages whose files it has.
    pub packages: BTreeSet<Package>,
}

/// Adds LLVM to a tree, and has the tree's own programs find its libraries. Changed copies of files are in `work`.
///
/// # Errors
/// A program of LLVM, or one of those that look into programs (`ldd`, `patchelf`, `dpkg`), is missing or fails.
pub fn add(tree: &mut InstallTree, work: &Path) -> Result<Bundle> {
    let work = work.join("bundle");
    fs::create_dir_all(&work).with_context(|| work.display().to_string())?;
    let top = format!("{FOLDER}/{}", bundled::FOLDER);
    let release = toolchain_of_rust()?;
    let mut packages = BTreeSet::from([llvm_of(&release)?]);
    let mut libraries: BTreeMap<String, PathBuf> = BTreeMap::new();
    for name in bundled::PROGRAMS {
        // (The same program, which goes by its name.)
        let file = if name == "llvm-ranlib" {
            "llvm-ar"
        } else {
            name
        };
        let path = release.join(LLVM_TOOLS).join(file);
        libraries.extend(needed(&path)?);
        let changed = work.join(name);
        fs::copy(&path, &changed).with_context(|| path.display().to_string())?;
        let theirs = library_of_rust();
        patch(&changed, &["--replace-needed", &theirs, bundled::LIBRARY])?;
        search(&changed, "$ORIGIN/../lib")?;
        tree.insert(format!("{top}/bin/{name}"), executable(changed));
    }
    // Our own programs, whose places in the tree differ.
    for (name, _) in programs::PROGRAMS {
        let (place, file) = own(tree, name)?;
        libraries.extend(needed(&file)?);
        let changed = work.join(name);
        fs::copy(&file, &changed).with_context(|| file.display().to_string())?;
        let up = "../".repeat(place.matches('/').count());
        search(&changed, &format!("$ORIGIN/{up}{top}/lib"))?;
        tree.insert(place, executable(changed));
    }
    for (name, path) in libraries {
        let path = path.canonicalize()?;
        let is_llvm = path.starts_with(&release);
        let name = if is_llvm { bundled::LIBRARY } else { &name };
        let changed = work.join(name);
        fs::copy(&path, &changed).with_context(|| path.display().to_string())?;
        if is_llvm {
            patch(&changed, &["--set-soname", bundled::LIBRARY])?;
        } else {
            packages.insert(package_of(&path)?);
        }
        search(&changed, "$ORIGIN")?;
        tree.insert(format!("{top}/lib/{name}"), plain(changed));
    }
    for (name, text) in bundled::launchers() {
        let script = Installed {
            content: Bytes::Made(text.into_bytes()),
            is_executable: true,
        };
        tree.insert(format!("{top}/bin/{name}"), script);
    }
    let mut common = BTreeSet::new();
    for Package { name, .. } in &packages {
        let place = format!("{ABOUT}/licences/{name}.txt");
        if name == LLVM {
            let mut text = Vec::new();
            for part in ["Apache-2.0.txt", "LLVM-exception.txt"] {
                let part = release.join("share/doc/rust/licenses").join(part);
                text.extend(fs::read(&part).with_context(|| part.display().to_string())?);
            }
            let content = Bytes::Made(text);
            let is_executable = false;
            tree.insert(
                place,
                Installed {
                    content,
                    is_executable,
                },
            );
            continue;
        }
        let text = PathBuf::from(format!("/usr/share/doc/{name}/copyright"));
        let text = text
            .canonicalize()
            .with_context(|| text.display().to_string())?;
        let words = fs::read(&text).with_context(|| text.display().to_string())?;
        common.extend(common_licences(&String::from_utf8_lossy(&words)));
        tree.insert(place, plain(text));
    }
    for name in common {
        let text = Path::new(COMMON).join(&name);
        tree.insert(format!("{ABOUT}/licences/common/{name}"), plain(text));
    }
    Ok(Bundle { packages })
}

/// The name of the package that LLVM is.
const LLVM: &str = "llvm";

/// The toolchain of the release, which `rustup` installs.
fn toolchain_of_rust() -> Result<PathBuf> {
    let release = bundled::RUST_RELEASE;
    let how =
        format!("rustup toolchain install {release} --profile minimal --component llvm-tools");
    let mut rustc = Command::new("rustup");
    rustc.args(["run", release, "rustc", "--print", "sysroot"]);
    let words = command(&mut rustc).with_context(|| how.clone())?;
    let path = PathBuf::from(words.trim());
    if !path.join(LLVM_TOOLS).join("opt").is_file() {
        bail!("{} has no programs of LLVM ({how})", path.display());
    }
    Ok(path)
}

/// The name of the release's library, which its programs know.
fn library_of_rust() -> String {
    format!("{}-rust-{}-stable", bundled::LIBRARY, bundled::RUST_RELEASE)
}

/// The LLVM of a toolchain.
fn llvm_of(release: &Path) -> Result<Package> {
    let words = command(Command::new(release.join(LLVM_TOOLS).join("opt")).arg("--version"))?;
    let version = words.split("LLVM version ").nth(1);
    let version = version.and_then(|rest| rest.split_whitespace().next());
    let version = version.with_context(|| format!("opt tells no version: {words}"))?;
    Ok(Package {
        name: LLVM.to_owned(),
        version: version.to_owned(),
        url: format!("pkg:github/rust-lang/rust@{}", bundled::RUST_RELEASE),
    })
}

/// The names of the common licences that a package's own text refers to, of those that are there.
fn common_licences(text: &str) -> BTreeSet<String> {
    let names = text.split(COMMON).skip(1).filter_map(|rest| {
        let rest = rest.strip_prefix('/')?;
        let end = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || "-.+".contains(c)))
            .unwrap_or(rest.len());
        let name = rest[..end].trim_end_matches('.');
        Some(name.to_owned()).filter(|name| Path::new(COMMON).join(name).is_file())
    });
    names.collect()
}

fn plain(path: PathBuf) -> Installed {
    Installed {
        content: Bytes::File(path),
        is_executable: false,
    }
}

fn executable(path: PathBuf) -> Installed {
    Installed {
        is_executable: true,
        ..plain(path)
    }
}

/// One of our programs: its place in the tree, and its file.
fn own(tree: &InstallTree, name: &str) -> Result<(String, PathBuf)> {
    let found = tree.iter().find_map(|(place, entry)| {
        let (_, base) = place.rsplit_once('/')?;
        match &entry.content {
            Bytes::File(path) if base == name && entry.is_executable => {
                Some((place.clone(), path.clone()))
            }
            _ => None,
        }
    });
    found.with_context(|| format!("{name} is not in the tree"))
}

/// The shared libraries that a program is loaded with, but for the system's: names and paths, as the dynamic linker finds them.
fn needed(program: &Path) -> Result<BTreeMap<String, PathBuf>> {
    let words = command(Command::new("ldd").arg(program))?;
    let all: BTreeMap<String, PathBuf> = found_libraries(&words);
    let mut todo = programs::needed(program)?;
    let mut result = BTreeMap::new();
    while let Some(name) = todo.pop_first() {
        if SYSTEM.contains(&name.as_str()) || result.contains_key(&name) {
            continue;
        }
        let Some(path) = all.get(&name) else {
            bail!("{}: {name} is not found", program.display());
        };
        todo.extend(programs::needed(path)?);
        result.insert(name, path.clone());
    }
    Ok(result)
}

/// The lines `NAME => PATH (ADDRESS)` of `ldd`.
fn found_libraries(words: &str) -> BTreeMap<String, PathBuf> {
    let parts = words.lines().filter_map(|line| {
        let (name, rest) = line.trim().split_once(" => ")?;
        let path = rest.split(" (").next()?;
        path.starts_with('/')
            .then(|| (name.to_owned(), PathBuf::from(path)))
    });
    parts.collect()
}

/// Has the dynamic linker look there first for what a program or library needs.
fn search(file: &Path, place: &str) -> Result<()> {
    patch(file, &["--set-rpath", place])
}

/// Changes what a program or library says to the dynamic linker.
fn patch(file: &Path, change: &[&str]) -> Result<()> {
    command(Command::new("patchelf").args(change).arg(file))
        .context("patchelf (apt-get install patchelf)")?;
    Ok(())
}

/// The package of the distribution that a file is of.
fn package_of(file: &Path) -> Result<Package> {
    // Where /lib is a link to /usr/lib, packages may know their files by the former name.
    let text = file.display().to_string();
    let names = [text.as_str(), text.strip_prefix("/usr").unwrap_or(&text)];
    let owner = names
        .iter()
        .find_map(|name| command(Command::new("dpkg-query").args(["--search", name])).ok())
        .with_context(|| format!("no package has {text}"))?;
    let whole = owner.split(": ").next().unwrap_or_default();
    let version = command(Command::new("dpkg-query").args(["--show", "-f=${Version}", whole]))?;
    let name = whole.split(':').next().unwrap_or(whole).to_owned();
    Ok(Package {
        url: format!("pkg:deb/debian/{name}@{version}"),
        name,
        version,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_read_from_what_the_dynamic_linker_says() {
        let words = "\tlinux-vdso.so.1 (0x00007f)\n\tlibz.so.1 => /lib/x86_64-linux-gnu/libz.so.1 (0x00007f68)\n\tlibx.so => not found\n";
        let found = found_libraries(words);
        let wanted = (
            "libz.so.1".to_owned(),
            "/lib/x86_64-linux-gnu/libz.so.1".into(),
        );
        assert_eq!(found, BTreeMap::from([wanted]));
    }

    #[test]
    fn licences_that_a_text_refers_to_are_found() {
        let text = "see /usr/share/common-licenses/GPL-3.\nor `/usr/share/common-licenses/Apache-2.0'; not /usr/share/common-licenses/none";
        let found: Vec<String> = common_licences(text).into_iter().collect();
        assert_eq!(found, ["Apache-2.0", "GPL-3"]);
    }

    #[test]
    fn a_program_of_llvm_needs_its_library_and_what_that_needs_but_not_the_systems() {
        let program = toolchain::tools::find_llvm("llvm-link-19").expect("LLVM 19 is installed");
        let program = program.canonicalize().unwrap();
        let found = needed(&program).unwrap();
        assert!(found.contains_key("libLLVM.so.19.1"), "{found:?}");
        assert!(found.contains_key("libstdc++.so.6"), "{found:?}");
        assert!(!found.contains_key("libc.so.6"), "{found:?}");
    }
}
