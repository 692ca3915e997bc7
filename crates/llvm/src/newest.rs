//! The newest producer among the input, which decides on the library of LLVM that reads it all.

use crate::archive::{self, Archive};
use crate::input::{self, FileContent};
use crate::producer;
use std::path::{Path, PathBuf};

/// The newest version among these files, with the name of its producer. What cannot be read says so when it is read; textual IR
/// names no producer.
pub fn version_of(inputs: &[PathBuf]) -> Option<(u32, String)> {
    inputs.iter().filter_map(|path| of_file(path)).max()
}

fn of_file(path: &Path) -> Option<(u32, String)> {
    let bytes = std::fs::read(path).ok()?;
    if bytes.starts_with(archive::MAGIC) {
        let archive = Archive::of_a_user(path).ok()?;
        let members = archive.members().ok()?;
        let parts = members.iter().filter_map(|m| input::split(m.bitcode?).ok());
        return parts.flatten().filter_map(of_module).max();
    }
    match input::bitcode_in(&bytes).ok()? {
        FileContent::Modules(parts) => parts.into_iter().filter_map(of_module).max(),
        FileContent::Text => None,
    }
}

fn of_module(module: &[u8]) -> Option<(u32, String)> {
    let name = producer::producer(module)?;
    Some((producer::major_version(&name)?, name))
}
