//! What a source file of a run is: a part of the program, or of what is around it.

use crate::model::StackFrame;
use std::borrow::Cow;
use std::path::Path;

/// The file of code without a source position, in `errors.json` and `coverage.json`.
pub const UNKNOWN: &str = "?";

/// The name of a file for people.
pub fn name(file: &str) -> &str {
    if is_known(file) {
        file
    } else {
        "code without source positions (compiled without -g)"
    }
}

/// Has the code a source?
pub fn is_known(file: &str) -> bool {
    !file.is_empty() && file != UNKNOWN
}

/// A place for people, by the file's whole name.
pub fn place(file: &str, line: u32) -> String {
    if is_known(file) {
        format!("{file}:{line}")
    } else {
        "no source position".into()
    }
}

/// A place for people, by the file's name without its directories.
pub fn short_place(file: &str, line: u32) -> String {
    let base = Path::new(file).file_name();
    let base = base.map_or(Cow::Borrowed(file), |n| n.to_string_lossy());
    place(&base, line)
}

/// Where a function stands that is none of the program, from its file.
pub fn of_library(frame: &StackFrame) -> &'static str {
    let file = &frame.file;
    if file.starts_with("harness/") {
        "in the driver of --entry"
    } else if file.contains("/src/musl/") {
        "in libc"
    } else if file.contains("/src/runtime/") {
        "in Polypath's run-time library"
    } else if is_known(file) {
        "in a library"
    } else {
        "in code without source positions"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_code_has_its_name() {
        let of = |file: &str| {
            of_library(&StackFrame {
                file: file.into(),
                ..StackFrame::default()
            })
        };
        assert_eq!(of("harness/f.c"), "in the driver of --entry");
        assert_eq!(of("/c/sysroot-1/src/musl/src/exit/abort.c"), "in libc");
        assert_eq!(
            of("/c/sysroot-1/src/runtime/rt/cpu.c"),
            "in Polypath's run-time library"
        );
        assert_eq!(of("/usr/include/x.h"), "in a library");
        assert_eq!(of("?"), "in code without source positions");
        assert_eq!(short_place("a/b.c", 3), "b.c:3");
        assert_eq!(short_place("?", 0), "no source position");
        assert!(name("").starts_with("code without"));
    }
}
