//! The functions that a library offers: what a user can name where there is no `main`.

use object::read::archive::ArchiveFile;
use object::{Object, ObjectKind, ObjectSymbol, SymbolKind};
use std::path::Path;

/// The public functions of an archive or object file, in their order there; `None` if the file is neither, or has a `main`.
pub fn of_library(path: &Path) -> Option<Vec<String>> {
    let data = std::fs::read(path).ok()?;
    let mut found = Vec::new();
    match ArchiveFile::parse(&*data) {
        Ok(archive) => {
            for member in archive.members() {
                let Ok(content) = member.and_then(|m| m.data(&*data)) else {
                    continue;
                };
                found.extend(of_object(content).into_iter().flatten());
            }
        }
        Err(_) => found = of_object(&data)?,
    }
    (!found.iter().any(|name| name == "main")).then_some(found)
}

/// The public functions of a relocatable object.
fn of_object(data: &[u8]) -> Option<Vec<String>> {
    let file = object::File::parse(data).ok()?;
    if file.kind() != ObjectKind::Relocatable {
        return None;
    }
    let functions = file
        .symbols()
        .filter(|s| s.is_global() && s.is_definition() && s.kind() == SymbolKind::Text);
    let names = functions.filter_map(|s| s.name().ok());
    Some(
        names
            .filter(|n| !n.starts_with('_'))
            .map(str::to_string)
            .collect(),
    )
}
