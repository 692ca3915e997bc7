//! A wheel, which `pip install` puts below any Python's packages, without root (PyPA's "Binary distribution format", formerly PEP 427).
//!
//! The tree is the package's folder `polypath`; the command `polypath` is a function of Python that becomes the program. LLVM's programs and library are part of it
//! (`bundle`), and the compiler is a package that the wheel depends on.

use crate::bundle::{self, Package};
use crate::tree::{Bytes, InstallTree, Installed};
use crate::{VERSION, programs, sbom, zip};
use anyhow::{Context as _, Result};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io::Write;
use std::path::Path;
use toolchain::tools::bundled::{ZIG_PACKAGE, ZIG_VARIABLE};

/// The package's folder.
const PACKAGE: &str = "polypath";

/// A wheel that is ready to be written.
pub struct Wheel {
    /// Its file's name, which says for which machines it is.
    pub name: String,
    files: InstallTree,
}

/// Makes the wheel of a tree. Changed copies of files are in `work`.
///
/// # Errors
/// A program that the bundle needs is missing or fails, or a file cannot be read.
pub fn make(mut tree: InstallTree, work: &Path) -> Result<Wheel> {
    let bundle = bundle::add(&mut tree, work)?;
    let list = format!("{}/sbom.cdx.json", crate::tree::ABOUT);
    let parts = tree.get(&list).context("the list of parts")?.bytes()?;
    let parts = sbom::with_packages(&parts, &bundle.packages)?;
    tree.insert(list, text(parts));
    let glibc = newest_glibc(&tree)?;
    let tag = format!("py3-none-manylinux_{}_{}_x86_64", glibc.0, glibc.1);
    let info = format!("{PACKAGE}-{VERSION}.dist-info");
    let mut files: InstallTree = tree
        .into_iter()
        .map(|(place, entry)| (format!("{PACKAGE}/{place}"), entry))
        .collect();
    files.insert(format!("{PACKAGE}/__init__.py"), text(String::new()));
    files.insert(format!("{PACKAGE}/__main__.py"), text(launcher()));
    let readme = files
        .get(&format!("{PACKAGE}/{}/README.md", crate::tree::ABOUT))
        .context("README.md")?
        .bytes()?;
    for (name, words) in [
        (
            "METADATA",
            metadata(&String::from_utf8_lossy(&readme), &bundle.packages),
        ),
        (
            "WHEEL",
            format!(
                "Wheel-Version: 1.0\nGenerator: polypath-dist {VERSION}\nRoot-Is-Purelib: false\nTag: {tag}\n"
            ),
        ),
        (
            "entry_points.txt",
            format!("[console_scripts]\npolypath = {PACKAGE}.__main__:main\n"),
        ),
    ] {
        files.insert(format!("{info}/{name}"), text(words));
    }
    let record = format!("{info}/RECORD");
    let words = recorded(&files, &record)?;
    files.insert(record, text(words));
    Ok(Wheel {
        name: format!("{PACKAGE}-{VERSION}-{tag}.whl"),
        files,
    })
}

impl Wheel {
    /// Writes it.
    ///
    /// # Errors
    /// A file cannot be read, or the wheel cannot be written.
    pub fn write(&self, out: &mut impl Write) -> Result<()> {
        zip::write(&self.files, out)
    }
}

fn text(words: impl Into<Vec<u8>>) -> Installed {
    Installed {
        content: Bytes::Made(words.into()),
        is_executable: false,
    }
}

/// The newest version of the GNU C library that any file of the tree asks for.
fn newest_glibc(tree: &InstallTree) -> Result<(u32, u32)> {
    let mut newest = None;
    for entry in tree.values() {
        let Bytes::File(path) = &entry.content else {
            continue;
        };
        if is_loaded(&fs::read(path).with_context(|| path.display().to_string())?) {
            newest = newest.max(programs::asked_glibc(path)?);
        }
    }
    newest.context("no program asks for a version of glibc")
}

/// Whether the bytes are a program or a shared library of ELF (types 2 and 3), and no object or archive.
fn is_loaded(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fELF") && matches!(bytes.get(16), Some(2 | 3))
}

/// What `polypath` is in Python: the program takes its place.
fn launcher() -> String {
    format!(
        "\"\"\"The command polypath: becomes the program of this package.\"\"\"\n\
         \n\
         import importlib.util\n\
         import os\n\
         import sys\n\
         \n\
         \n\
         def main():\n    \
             compiler = importlib.util.find_spec(\"ziglang\")\n    \
             if compiler is not None and compiler.origin is not None:\n        \
                 zig = os.path.join(os.path.dirname(compiler.origin), \"zig\")\n        \
                 os.environ.setdefault(\"{ZIG_VARIABLE}\", zig)\n    \
             here = os.path.dirname(os.path.abspath(__file__))\n    \
             program = os.path.join(here, \"bin\", \"polypath\")\n    \
             try:\n        \
                 os.execv(program, [\"polypath\"] + sys.argv[1:])\n    \
             except OSError as error:\n        \
                 sys.exit(\"polypath: \" + program + \": \" + str(error) + \": this wheel is for Linux on x86-64\")\n\
         \n\
         \n\
         if __name__ == \"__main__\":\n    \
             main()\n"
    )
}

fn metadata(readme: &str, packages: &BTreeSet<Package>) -> String {
    let mut of = String::new();
    for package in packages {
        let _ = write!(
            of,
            " {}",
            package.name.split(':').next().unwrap_or_default()
        );
    }
    format!(
        "Metadata-Version: 2.1\n\
         Name: {PACKAGE}\n\
         Version: {VERSION}\n\
         Summary: Symbolic execution of C and Java programs\n\
         License: Apache-2.0 OR MIT; {}/licences has those of the files of other packages{of}\n\
         Requires-Python: >=3.8\n\
         Requires-Dist: {ZIG_PACKAGE}\n\
         Classifier: Operating System :: POSIX :: Linux\n\
         Description-Content-Type: text/markdown\n\
         \n\
         {readme}",
        crate::tree::ABOUT
    )
}

/// The list of all files with their digests. Of itself it has none.
fn recorded(files: &InstallTree, record: &str) -> Result<String> {
    let mut words = String::new();
    for (name, entry) in files {
        let bytes = entry.bytes()?;
        let digest = base64(&Sha256::digest(&bytes));
        let _ = writeln!(words, "{},sha256={digest},{}", quoted(name), bytes.len());
    }
    let _ = writeln!(words, "{record},,");
    Ok(words)
}

/// A field of a table with commas.
fn quoted(field: &str) -> String {
    if field.contains([',', '"']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

/// Base 64 for names of files, without padding (RFC 4648, section 5).
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut out = String::new();
    for part in bytes.chunks(3) {
        let mut bits = 0;
        for (i, &byte) in part.iter().enumerate() {
            bits |= usize::from(byte) << (16 - 8 * i);
        }
        for i in 0..=part.len() {
            out.push(char::from(DIGITS[bits >> (18 - 6 * i) & 63]));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn made(text: &str, is_executable: bool) -> Installed {
        Installed {
            content: Bytes::Made(text.into()),
            is_executable,
        }
    }

    #[test]
    fn digests_are_written_as_python_writes_them() {
        for (bytes, wanted) in [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(bytes.as_bytes()), wanted);
        }
        assert_eq!(base64(&[0xfb, 0xff]), "-_8");
        assert_eq!(quoted("a,b"), "\"a,b\"");
    }

    #[test]
    fn only_what_the_dynamic_linker_loads_asks_for_a_version() {
        let elf = |kind: u8| [b"\x7fELF".as_slice(), &[0; 12], &[kind, 0]].concat();
        assert!(is_loaded(&elf(2)) && is_loaded(&elf(3)));
        assert!(!is_loaded(&elf(1)) && !is_loaded(b"!<arch>\n"));
    }

    /// Python's own reader finds the files, their bytes and the digests of the list; its own start finds the program.
    #[test]
    fn python_reads_the_wheel_and_starts_its_program() {
        let dir = tempfile::tempdir().unwrap();
        let mut files = InstallTree::from([
            ("polypath/__init__.py".to_owned(), made("", false)),
            ("polypath/__main__.py".to_owned(), made(&launcher(), false)),
            (
                "polypath/bin/polypath".to_owned(),
                made("#!/bin/sh\necho \"$POLYPATH_ZIG $*\"\n", true),
            ),
            ("ziglang/__init__.py".to_owned(), made("", false)),
        ]);
        let record = recorded(&files, "RECORD").unwrap();
        files.insert("RECORD".into(), text(record));
        let mut bytes = Vec::new();
        zip::write(&files, &mut bytes).unwrap();
        let mut again = Vec::new();
        zip::write(&files, &mut again).unwrap();
        assert_eq!(bytes, again);
        fs::write(dir.path().join("w.whl"), bytes).unwrap();
        let read = "
import base64, csv, hashlib, io, os, subprocess, sys, zipfile
wheel = zipfile.ZipFile('w.whl')
assert wheel.testzip() is None
for name, digest, size in csv.reader(io.StringIO(wheel.read('RECORD').decode())):
    if name == 'RECORD': continue
    data = wheel.read(name)
    wanted = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()
    assert digest == 'sha256=' + wanted and int(size) == len(data), name
    wheel.extract(name, 'site')
    os.chmod(os.path.join('site', name), wheel.getinfo(name).external_attr >> 16)
out = subprocess.run([sys.executable, '-m', 'polypath', 'a b'], cwd='site', stdout=subprocess.PIPE, check=True)
print(out.stdout.decode(), end='')
";
        let output = Command::new("python3")
            .args(["-c", read])
            .current_dir(dir.path())
            .env_remove(ZIG_VARIABLE)
            .output()
            .unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(
            said.ends_with("site/ziglang/zig a b\n"),
            "{said}{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}
