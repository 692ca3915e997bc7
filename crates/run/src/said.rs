//! What a library's headers and sources say of the arguments of a function under test: crate `harness` reads their text, this finds the
//! files.

use harness::Description;
use harness::said::{KnownParameter, Said};
use harness::types::{Function, Type};
use std::path::{Path, PathBuf};
use toolchain::headers::LibraryHeaders;

/// What is said of the entry of this library: by its calls, the header that users include first, by the others, and where it is defined.
pub(crate) fn of(library: &Path, description: &Description) -> Said {
    let headers = LibraryHeaders::of(&description.sources, &description.files);
    let entry = &description.entry;
    let mut files: Vec<PathBuf> = Vec::new();
    let user = headers.of_user(library, &entry.name);
    files.extend(user.map(|user| user.file));
    files.extend(headers.files().map(Path::to_owned));
    files.extend(definition(entry, &description.sources));
    // (What calls show is there already.)
    let mut said = description.said.clone();
    let known: Vec<KnownParameter<'_>> = entry
        .params
        .iter()
        .map(|p| KnownParameter {
            name: &p.name,
            is_pointer: matches!(description.ty(p.ty), Type::Pointer(_)),
        })
        .collect();
    for file in &files {
        let Ok(text) = std::fs::read(file) else {
            continue;
        };
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        said.read(&name, &String::from_utf8_lossy(&text), &entry.name, &known);
    }
    said
}

/// The source that defines a function, if it still stands where it was compiled.
fn definition(entry: &Function, sources: &[String]) -> Option<PathBuf> {
    let file = Path::new(&entry.file);
    let mut all = sources.iter().map(Path::new);
    let found = all.find(|source| source.ends_with(file) || file.ends_with(source));
    found.map(Path::to_owned)
}
