//! The shared library of LLVM 22, which lowers bitcode that LLVM 19 does not read.

use std::path::PathBuf;

/// Its file: the distribution's, or that of a Rust toolchain of rustup. Tests pass it on, so that they do not depend on the
/// search that they test.
pub fn llvm_22() -> Option<PathBuf> {
    let debian = PathBuf::from("/usr/lib/x86_64-linux-gnu/libLLVM.so.22.1");
    let home = std::env::var_os("RUSTUP_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".rustup")))?;
    let toolchains = std::fs::read_dir(home.join("toolchains")).into_iter();
    let libraries = toolchains
        .flatten()
        .flatten()
        .filter_map(|toolchain| std::fs::read_dir(toolchain.path().join("lib")).ok())
        .flatten()
        .flatten()
        .map(|file| file.path());
    let is_one = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libLLVM.so.22.")
    };
    std::iter::once(debian)
        .filter(|path| path.is_file())
        .chain(libraries.filter(is_one))
        .min()
}
