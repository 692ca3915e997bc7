//! From C sources to native binaries that carry their own bitcode, and back to that bitcode.
//!
//! * [`sysroot`] builds musl (machine code and bitcode in one archive) once and caches it;
//! * [`cxx`] builds the C++ library for it, when there is C++ to compile;
//! * [`driver`] is the compiler wrapper behind `polypath cc`;
//! * [`build`] runs a project's build with that wrapper as its compiler;
//! * [`libraries`] builds other libraries for the same C library;
//! * [`extract`] reads the modules out of a binary, [`libc`] out of the archive;
//! * [`soft_float`] is the bitcode of float operations over integers;
//! * [`fuzz_target`] knows programs that a fuzzer calls;
//! * [`compile`] makes bitcode of a single source file;
//! * [`gcc`] and [`preprocessed`] accept options and sources for GCC and glibc;
//! * [`doctor`] lists the tools that were found.
//!
//! This crate knows no IR: bitcode is bytes here.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]
#![warn(missing_docs)]

mod archives;
pub mod build;
pub mod cache;
pub mod command_line;
pub mod compile;
pub mod cxx;
pub mod doctor;
pub mod driver;
pub mod extract;
pub mod flags;
pub mod functions;
pub mod fuzz_target;
pub mod gcc;
pub mod headers;
pub mod libc;
pub mod libm;
pub mod libraries;
pub mod link;
pub mod linked;
pub mod preprocessed;
pub mod soft_float;
pub mod sysroot;
pub mod tools;

/// The embedded files of `runtime/`.
pub mod runtime {
    include!(concat!(env!("OUT_DIR"), "/runtime.rs"));

    /// Writes the whole tree below `dir`.
    pub fn unpack(dir: &std::path::Path) -> std::io::Result<()> {
        use std::os::unix::fs::OpenOptionsExt;
        for &(name, executable, bytes) in FILES {
            let path = dir.join(name);
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent).map_err(crate::cache::at(parent))?;
            }
            let mode = if executable { 0o755 } else { 0o644 };
            let mut file = std::fs::OpenOptions::new()
                .write(true)
                .create(true)
                .truncate(true)
                .mode(mode)
                .open(&path)
                .map_err(crate::cache::at(&path))?;
            std::io::Write::write_all(&mut file, bytes).map_err(crate::cache::at(&path))?;
        }
        Ok(())
    }

    #[cfg(test)]
    mod tests {
        /// The compiler puts a digest of the list's text into the program's bitcode.
        #[test]
        fn the_list_of_files_does_not_say_where_the_source_tree_is() {
            let list = include_str!(concat!(env!("OUT_DIR"), "/runtime.rs"));
            let tree = env!("CARGO_MANIFEST_DIR").strip_suffix("/crates/toolchain");
            assert!(!list.contains(tree.expect("the crate's place in the tree")));
        }
    }
}
