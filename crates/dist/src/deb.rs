//! A package for Debian and its relatives: an `ar` archive of a format's number, control data, and the tree below `/usr`
//! (`deb(5)`).

use crate::VERSION;
use crate::archive;
use crate::programs;
use crate::tree::{Bytes, InstallTree, Installed};
use anyhow::Result;
use std::io::Write;

/// What the programs are linked with and start. The tools of LLVM are found by the names that this package's have.
const DEPENDS: &str =
    "libc6 (>= 2.34), libgcc-s1, libstdc++6, clang-19, lld-19, llvm-19, libllvm19";
/// `polypath java`, `polypath add` and a first C program that is built as usual.
const SUGGESTS: &str = "openjdk-17-jdk-headless, libasm-java, make, dpkg-dev, linux-libc-dev";

/// Writes the package.
///
/// # Errors
/// A file of the tree cannot be read, or the package cannot be written.
pub fn write(tree: &InstallTree, out: &mut impl Write) -> Result<()> {
    let mut size = 0;
    for entry in tree.values() {
        size += entry.bytes()?.len() as u64;
    }
    let text = |text: String| Installed {
        content: Bytes::Made(text.into_bytes()),
        is_executable: false,
    };
    let control = InstallTree::from([("control".to_owned(), text(control(size >> 10)))]);
    let mut archive = ar::Builder::new(out);
    let mut member = |name: &str, bytes: &[u8]| {
        let mut header = ar::Header::new(name.into(), bytes.len() as u64);
        header.set_mode(0o100_644);
        archive.append(&header, bytes)
    };
    member("debian-binary", b"2.0\n")?;
    member("control.tar.gz", &packed(&control, ".")?)?;
    member("data.tar.gz", &packed(tree, "./usr")?)?;
    Ok(())
}

fn packed(tree: &InstallTree, top: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    archive::gzip(&mut bytes, |out| archive::write(tree, top, out))?;
    Ok(bytes)
}

/// The control file. `size`: of what is installed, in KiB.
fn control(size: u64) -> String {
    let glibc = programs::version(programs::GLIBC);
    format!(
        "Package: polypath\n\
         Version: {VERSION}\n\
         Architecture: amd64\n\
         Maintainer: The Polypath developers <polypath@localhost>\n\
         Installed-Size: {size}\n\
         Depends: libc6 (>= {glibc}), {DEPENDS}\n\
         Suggests: {SUGGESTS}\n\
         Section: devel\n\
         Priority: optional\n\
         Description: symbolic execution of C and Java programs\n \
         Polypath runs programs on symbolic input: it follows the paths that a program\n \
         can take, asks a solver for an input for each, writes these inputs as tests,\n \
         and reports the errors that it meets, each with an input that shows it.\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_has_its_three_members_in_order() {
        let entry = Installed {
            content: Bytes::Made(b"x".to_vec()),
            is_executable: false,
        };
        let tree = InstallTree::from([("bin/x".to_owned(), entry)]);
        let mut bytes = Vec::new();
        write(&tree, &mut bytes).unwrap();
        let mut archive = ar::Archive::new(bytes.as_slice());
        let mut names = Vec::new();
        while let Some(member) = archive.next_entry() {
            names.push(String::from_utf8(member.unwrap().header().identifier().to_vec()).unwrap());
        }
        assert_eq!(names, ["debian-binary", "control.tar.gz", "data.tar.gz"]);
    }
}
