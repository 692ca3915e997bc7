//! Embeds the Java sources of `java/` into the crate: `SOURCES: &[(path, text)]`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn collect(dir: &Path, out: &mut Vec<PathBuf>) {
    println!("cargo::rerun-if-changed={}", dir.display());
    for entry in std::fs::read_dir(dir).expect("java/ is readable") {
        let path = entry.expect("java/ is readable").path();
        if path.is_dir() {
            collect(&path, out);
        } else if path.extension().is_some_and(|e| e == "java") {
            out.push(path);
        }
    }
}

fn main() {
    let manifest = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let root = manifest
        .join("../../java")
        .canonicalize()
        .expect("java/ exists");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let mut code = String::from(
        "/// The Java sources: name below `java/`, and text.\npub const SOURCES: &[(&str, &str)] = &[\n",
    );
    for file in &files {
        let name = file.strip_prefix(&root).expect("collected below root");
        let name = name.to_str().expect("names are ASCII");
        // Without the path of the source tree: a digest of this text is in the program's bitcode.
        let path = format!("concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/../../java/{name}\")");
        writeln!(code, "    ({name:?}, include_str!({path})),").expect("string");
    }
    code.push_str("];\n");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("set by cargo")).join("sources.rs");
    std::fs::write(out, code).expect("OUT_DIR is writable");
}
