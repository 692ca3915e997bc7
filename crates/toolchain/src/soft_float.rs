//! The functions that simulate float operations over integers (`runtime/softfloat`), as bitcode.
//!
//! Compiled on first use and kept in the cache under a key of the sources, the compiler and the flags. They need no
//! sysroot: the code is freestanding.

use crate::cache;
use crate::runtime;
use crate::sysroot::{SysrootError, compiler_identity, step};
use crate::tools::Tool;
use std::path::PathBuf;
use std::process::Command;

const DIRECTORY: &str = "softfloat/";

/// Optimized here, as no error is looked for in it: each instruction less is one less on symbolic values.
/// Loops stay loops; there are no vectors and no library to call.
const FLAGS: &[&str] = &[
    "--target=x86_64-linux-musl",
    "-std=c17",
    "-O2",
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-fno-unroll-loops",
    "-ffreestanding",
    "-fno-builtin",
    "-mno-sse",
    "-g0",
    "-w",
    "-emit-llvm",
    "-c",
];

/// The path of the bitcode; makes it if need be.
pub fn bitcode(progress: &mut dyn FnMut(&str)) -> Result<PathBuf, SysrootError> {
    let identity = compiler_identity()?;
    let mut parts: Vec<&[u8]> = vec![identity.as_bytes()];
    parts.extend(FLAGS.iter().map(|f| f.as_bytes()));
    for (name, _, bytes) in runtime::FILES {
        if name.starts_with(DIRECTORY) {
            parts.extend([name.as_bytes(), *bytes]);
        }
    }
    let name = format!("softfloat-{:016x}", cache::fingerprint(&parts));
    let place = cache::entry(&name, |dir, _| {
        progress("compiling the soft-float functions (once)");
        let sources = dir.join("runtime");
        runtime::unpack(&sources)?;
        step(
            "soft-float",
            Command::new(Tool::Clang.find()?)
                .args(FLAGS)
                .arg(sources.join(DIRECTORY).join("softfloat.c"))
                .arg("-o")
                .arg(dir.join("softfloat.bc")),
        )?;
        std::fs::remove_dir_all(&sources)?;
        Ok::<(), SysrootError>(())
    })?;
    Ok(place.join("softfloat.bc"))
}
