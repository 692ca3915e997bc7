//! The libraries of a program, which stay visible where they lie in a directory that the fence hides: an rpath into a build's tree. Libraries
//! that a program loads by itself (`dlopen`) are not known.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The libraries that the dynamic loader would load for a program, as the loader itself says; none for a script, or a program without
/// a loader.
pub(super) fn libraries(program: &Path) -> io::Result<Vec<PathBuf>> {
    let Some(loader) = loader(program)? else {
        return Ok(Vec::new());
    };
    let mut command = Command::new(loader);
    // (It only lists; nothing of the program runs.)
    command.arg("--list").arg(program).env_clear();
    let output = command.stdin(Stdio::null()).output()?;
    // A library that is missing is the program's own failure, which its tests show.
    let text = String::from_utf8_lossy(&output.stdout);
    let paths = text.lines().filter_map(|line| {
        let path = line.split_once("=>").map_or(line, |(_, path)| path);
        let path = path.rsplit_once(" (0x").map_or(path, |(path, _)| path);
        Some(Path::new(path.trim())).filter(|path| path.is_absolute() && path.is_file())
    });
    Ok(paths.map(Path::to_path_buf).collect())
}

/// The loader that an ELF file for x86-64 names.
fn loader(program: &Path) -> io::Result<Option<PathBuf>> {
    // A program header, and its type where it has the loader's name.
    const SIZE: usize = 56;
    const INTERP: u32 = 3;
    if !program.is_file() {
        return Ok(None);
    }
    let file = File::open(program)?;
    let mut header = [0; 64];
    if file.read_exact_at(&mut header, 0).is_err() || !header.starts_with(b"\x7fELF\x02\x01") {
        return Ok(None);
    }
    let half = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
    let start = u64::from_le_bytes(header[32..40].try_into().map_err(io::Error::other)?);
    for number in 0..u64::from(half(56)) {
        let mut part = [0; SIZE];
        if usize::from(half(54)) != SIZE
            || file
                .read_exact_at(&mut part, start + number * SIZE as u64)
                .is_err()
        {
            return Ok(None);
        }
        if u32::from_le_bytes([part[0], part[1], part[2], part[3]]) == INTERP {
            let word = |at: usize| {
                part[at..at + 8]
                    .try_into()
                    .map(u64::from_le_bytes)
                    .map_err(io::Error::other)
            };
            let (at, length) = (word(8)?, word(32)?);
            let mut name = vec![0; usize::try_from(length.min(4096)).map_err(io::Error::other)?];
            if file.read_exact_at(&mut name, at).is_err() {
                return Ok(None);
            }
            name.truncate(name.iter().position(|b| *b == 0).unwrap_or(name.len()));
            let name = String::from_utf8(name).map_err(io::Error::other)?;
            return Ok(Some(name.into()).filter(|name: &PathBuf| name.is_file()));
        }
    }
    Ok(None)
}
