//! Embeds the files of `runtime/` into the crate, so that an installed binary needs nothing beside it.
//!
//! Generates `FILES: &[(path, executable, bytes)]` and `SYSROOT_HASH`, a fingerprint of those that the
//! sysroot is made of.

use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// What of `runtime/` the sysroot is made of.
const SYSROOT_PARTS: &[&str] = &[
    "build",
    "apt-source",
    "musl",
    "include",
    "rt",
    "glibc",
    "native",
    "fuzz",
];

fn collect(dir: &Path, out: &mut Vec<PathBuf>) {
    println!("cargo::rerun-if-changed={}", dir.display());
    for entry in std::fs::read_dir(dir).expect("runtime/ is readable") {
        let path = entry.expect("runtime/ is readable").path();
        if path.is_dir() {
            collect(&path, out);
        } else {
            println!("cargo::rerun-if-changed={}", path.display());
            out.push(path);
        }
    }
}

fn main() {
    let manifest = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let root = manifest
        .join("../../runtime")
        .canonicalize()
        .expect("runtime/ exists");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    // FNV-1a, 128 bits: a fingerprint of our own files, not a defence.
    let mut hash: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    let mut add = |bytes: &[u8]| {
        for &b in bytes.iter().chain(&[0xff]) {
            hash = (hash ^ u128::from(b)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
    };
    let mut code = String::from(
        "/// The files of `runtime/`: name, whether it is executable, content.\npub const FILES: &[(&str, bool, &[u8])] = &[\n",
    );
    for file in &files {
        let name = file
            .strip_prefix(&root)
            .expect("collected below root")
            .to_str()
            .expect("names are ASCII");
        let bytes = std::fs::read(file).expect("runtime/ is readable");
        if SYSROOT_PARTS
            .iter()
            .any(|part| name.split('/').next() == Some(part))
        {
            add(name.as_bytes());
            add(&bytes);
        }
        let executable = std::fs::metadata(file)
            .expect("runtime/ is readable")
            .permissions()
            .mode()
            & 0o100
            != 0;
        // Without the path of the source tree: a digest of this text is in the program's bitcode, and makes names of symbols.
        let path = format!("concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/../../runtime/{name}\")");
        writeln!(
            code,
            "    ({name:?}, {executable}, include_bytes!({path})),"
        )
        .expect("string");
    }
    code.push_str("];\n");
    code.push_str("/// Fingerprint of the files that the sysroot is built from.\n");
    writeln!(code, "pub const SYSROOT_HASH: &str = \"{hash:032x}\";").expect("string");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("set by cargo")).join("runtime.rs");
    std::fs::write(out, code).expect("OUT_DIR is writable");
}
