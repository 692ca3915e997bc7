//! Where instructions of a native binary stand in its source.

use addr2line::Loader;
use std::fmt;
use std::path::Path;

/// The position of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeLocation {
    /// Libc has line tables without names.
    pub function: Option<String>,
    /// The file's name without its directory.
    pub file: String,
    /// From 1; 0 where it is not known.
    pub line: u32,
}

impl fmt::Display for CodeLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, line) = (&self.file, self.line);
        match &self.function {
            Some(function) => write!(f, "{function} ({file}:{line})"),
            None => write!(f, "{file}:{line}"),
        }
    }
}

/// The position of each of these instructions (addresses in the file), as far as the binary's debug information and symbols tell. The function is
/// the one that was compiled, whatever was inlined there; the line is that of the instruction.
pub fn of(binary: &Path, pcs: &[u64]) -> Vec<Option<CodeLocation>> {
    // (What is no such file has no places.)
    let loader = Loader::new(binary).ok();
    let place = |pc: &u64| {
        let loader = loader.as_ref()?;
        let location = loader.find_location(*pc).ok().flatten()?;
        Some(CodeLocation {
            function: function(loader, *pc),
            file: Path::new(location.file?).file_name()?.to_str()?.into(),
            line: location.line.unwrap_or(0),
        })
    };
    pcs.iter().map(place).collect()
}

/// The function that the code of an instruction was compiled for: the outermost of those that were inlined.
fn function(loader: &Loader, pc: u64) -> Option<String> {
    let mut outermost = None;
    if let Ok(mut frames) = loader.find_frames(pc) {
        while let Ok(Some(frame)) = frames.next() {
            outermost = frame
                .function
                .and_then(|f| Some(f.raw_name().ok()?.into_owned()));
        }
    }
    outermost.or_else(|| loader.find_symbol(pc).map(str::to_owned))
}
