//! Finds the shared library of LLVM 19 (Debian's `libllvm19`) and links against that file alone:
//! no headers, no `llvm-config`. `POLYPATH_LIBLLVM` names another place.

use std::path::{Path, PathBuf};

const NAME: &str = "libLLVM.so.19.1";
const PLACES: [&str; 6] = [
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/llvm-19/lib",
    "/usr/lib64",
    "/usr/lib",
    "/usr/local/lib",
    "/usr/lib64/llvm19/lib64",
];

fn main() {
    println!("cargo:rerun-if-env-changed=POLYPATH_LIBLLVM");
    println!("cargo:rerun-if-changed=build.rs");
    let given = std::env::var_os("POLYPATH_LIBLLVM").map(PathBuf::from);
    let found = given
        .into_iter()
        .chain(PLACES.iter().map(|p| Path::new(p).join(NAME)))
        .find(|p| p.is_file());
    let Some(file) = found else {
        println!(
            "cargo:error={NAME} not found: install Debian's package libllvm19 (apt-get install libllvm19), or name the file in POLYPATH_LIBLLVM"
        );
        std::process::exit(1);
    };
    let folder = file.parent().expect("a file has a folder");
    println!("cargo:rerun-if-changed={}", file.display());
    println!("cargo:rustc-link-search=native={}", folder.display());
    println!(
        "cargo:rustc-link-lib=dylib:+verbatim={}",
        file.file_name()
            .expect("a file has a name")
            .to_string_lossy()
    );
}
