//! What is installed where: the one description that all forms pack.

use crate::programs::{Below, Split};
use crate::{VERSION, sbom};
use anyhow::{Context as _, Result, bail};
use host::installed::FOLDER;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Documents, licences, and the list of what is contained.
pub const ABOUT: &str = "share/doc/polypath";

/// A file of the tree.
pub struct Installed {
    pub content: Bytes,
    pub is_executable: bool,
}

/// Where its bytes come from.
pub enum Bytes {
    /// A file on the disk.
    File(PathBuf),
    /// Made here.
    Made(Vec<u8>),
}

impl Installed {
    /// The bytes.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn bytes(&self) -> Result<Vec<u8>> {
        match &self.content {
            Bytes::File(path) => fs::read(path).with_context(|| path.display().to_string()),
            Bytes::Made(bytes) => Ok(bytes.clone()),
        }
    }
}

/// Files by their paths below the directory that is installed to (`/usr`, or a folder of the user).
pub type InstallTree = BTreeMap<String, Installed>;

fn file(path: PathBuf) -> Installed {
    Installed {
        content: Bytes::File(path),
        is_executable: false,
    }
}

fn text(text: impl Into<Vec<u8>>) -> Installed {
    Installed {
        content: Bytes::Made(text.into()),
        is_executable: false,
    }
}

/// What `install -D` would put where: programs, parts, C library, manual pages, completions, licences, the list of what it contains.
///
/// # Errors
/// A file is missing, or a program does not run.
pub fn installed(
    source: &Path,
    programs: &[Split],
    [sysroot, cxx]: [&Path; 2],
    work: &Path,
) -> Result<InstallTree> {
    let mut tree = InstallTree::new();
    for program in programs {
        let folder = match program.place {
            Below::Bin => "bin",
            Below::Parts => FOLDER,
        };
        tree.insert(
            format!("{folder}/{}", program.name),
            Installed {
                is_executable: true,
                ..file(program.stripped.clone())
            },
        );
    }
    let library = format!("{FOLDER}/{}", toolchain::sysroot::folder());
    add_folder(&mut tree, &library, sysroot)?;
    let library = format!("{FOLDER}/{}", toolchain::cxx::folder().display());
    add_folder(&mut tree, &library, cxx)?;
    let polypath = programs
        .iter()
        .find(|program| program.name == "polypath")
        .context("polypath is one of the programs")?;
    let pages = work.join("man");
    command(
        &polypath.stripped,
        &["man", "--to", &pages.display().to_string()],
    )?;
    add_folder(&mut tree, "share/man/man1", &pages)?;
    for (shell, path) in [
        ("bash", "share/bash-completion/completions/polypath"),
        ("zsh", "share/zsh/site-functions/_polypath"),
        ("fish", "share/fish/vendor_completions.d/polypath.fish"),
    ] {
        let words = command(&polypath.stripped, &["completions", shell])?;
        tree.insert(path.into(), text(words));
    }
    let about = ABOUT;
    for name in ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"] {
        tree.insert(format!("{about}/{name}"), file(source.join(name)));
    }
    add_folder(&mut tree, &format!("{about}/docs"), &source.join("docs"))?;
    let musl = sysroot.join("src/musl/COPYRIGHT");
    let copyright = fs::read_to_string(&musl).with_context(|| musl.display().to_string())?;
    tree.insert(format!("{about}/copyright"), text(licences(&copyright)));
    let parts = sbom::cyclonedx(source)?;
    tree.insert(format!("{about}/sbom.cdx.json"), text(parts));
    Ok(tree)
}

/// The debug information of the programs, for the folder beside them, where debuggers look.
///
/// # Errors
/// None so far.
pub fn debug(programs: &[Split]) -> Result<InstallTree> {
    Ok(programs
        .iter()
        .map(|program| {
            let folder = match program.place {
                Below::Bin => "bin",
                Below::Parts => FOLDER,
            };
            let path = format!("{folder}/.debug/{}.debug", program.name);
            (path, file(program.debug.clone()))
        })
        .collect())
}

fn add_folder(tree: &mut InstallTree, name: &str, folder: &Path) -> Result<()> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    for entry in entries {
        let path = entry?.path();
        let base = path.file_name().unwrap_or_default().to_string_lossy();
        let below = format!("{name}/{base}");
        // Links of a sysroot stay what they lead to: there are none to folders.
        if path.is_dir() {
            add_folder(tree, &below, &path)?;
        } else {
            tree.insert(below, file(path));
        }
    }
    Ok(())
}

/// What a program prints.
fn command(program: &Path, arguments: &[&str]) -> Result<Vec<u8>> {
    let output = Command::new(program)
        .args(arguments)
        .output()
        .with_context(|| program.display().to_string())?;
    if !output.status.success() {
        bail!(
            "{} {}: {}",
            program.display(),
            arguments.join(" "),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(output.stdout)
}

/// The licences of all that the archive contains.
fn licences(musl: &str) -> String {
    format!(
        "Polypath {VERSION} is licensed under the Apache License 2.0 or the MIT license, at your option (LICENSE-APACHE, LICENSE-MIT\n\
         in this folder). It contains, in {FOLDER}/sysroot-*:\n\
         \n\
         - a C library made of musl (below), whose sources, with Polypath's changes, are in src/musl;\n\
         - headers of the Linux kernel (include/linux, include/asm, ...): GPL-2.0 WITH Linux-syscall-note;\n\
         - include/sys/queue.h of the GNU C library: BSD-3-Clause, University of California;\n\
         - lib/libgcc.a of GCC: GPL-3.0-or-later WITH GCC-exception-3.1, which lets programs of any license be linked with it.\n\
         \n\
         In {FOLDER}/cxx-* it contains a C++ library made of LLVM's libc++, libc++abi and libunwind: Apache-2.0 WITH LLVM-exception\n\
         (src/*/LICENSE.TXT).\n\
         \n\
         The Rust crates and their licences are listed in sbom.cdx.json.\n\
         \n\
         ==== musl ====\n\
         \n{musl}"
    )
}
