//! A file to begin with.

use crate::exit::{Exit, UsageError};
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// Its text.
pub const TEXT: &str = r#"# What `polypath test` explores. All keys: docs/test.md
# build = "make"                 # runs first, with `polypath cc` as the compiler

[options]                        # options of `polypath run`, for every target
time = "1m"

[[target]]
name = "prog"
program = "prog.c"               # a source, or a binary that the build makes; java = "classes" for Java
[target.options]
sym-args = [0, 2, 4]             # up to two symbolic arguments of four bytes

# [[suppress]]                   # an error that is accepted
# kind = "null"
# file = "prog.c"
# function = "main"
# reason = "why"
"#;

/// Writes it, where nothing stands yet.
pub fn write(path: &Path) -> anyhow::Result<Exit> {
    let usage = |e: std::io::Error| UsageError(format!("{}: {e}", path.display()));
    let mut file = File::create_new(path).map_err(usage)?;
    file.write_all(TEXT.as_bytes()).map_err(usage)?;
    say::out!(
        "{}: name your program there, then: polypath test",
        path.display()
    );
    Ok(Exit::Nothing)
}
