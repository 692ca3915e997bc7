//! Programs with many tables, and the configurations of array solving that are compared on them.

use super::Context;
use anyhow::{Context as _, Result};

macro_rules! sources {
    ($($name:literal: $path:literal;)*) => {
        &[$(($name, include_str!(concat!("../../../../benches/", $path)))),*]
    };
}

/// The programs, so that the installed binary can run the suite.
pub const SOURCES: &[(&str, &str)] = sources! {
    "crc.c": "arrays/crc.c";
    "base64.c": "arrays/base64.c";
    "utf8.c": "arrays/utf8.c";
    "hash.c": "arrays/hash.c";
    "aes.c": "arrays/aes.c";
    "huffman.c": "arrays/huffman.c";
    "scanner.c": "arrays/scanner.c";
    "indexsort.c": "arrays/indexsort.c";
    "sparse.c": "arrays/sparse.c";
    "machine.c": "arrays/machine.c";
    "calendar.c": "arrays/calendar.c";
    "rainbow.c": "arrays/rainbow.c";
    "table6.c": "core/table6.c";
};

/// The configurations, the first being what the others are compared with.
pub const METHODS: &[&str] = &[
    "flush",
    "assertion",
    "assertion+precheck",
    "array-simplify",
    "klee-array",
    "cegar",
    "cegar+precheck",
    "cegar+precheck+typed",
    "auto",
];

/// The arithmetic mean.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Writes the programs to `OUT/arrays`.
pub fn write_sources(context: &Context) -> Result<()> {
    let sources = context.out.join("arrays");
    std::fs::create_dir_all(&sources)?;
    for (name, text) in SOURCES {
        std::fs::write(sources.join(name), text).with_context(|| format!("cannot write {name}"))?;
    }
    Ok(())
}
