//! Finds accesses that leave the object from which their pointer was derived, and that the address check cannot see:
//! an index far out of bounds may hit another object, which is addressable.
//!
//! In the text of LLVM IR, in the functions named, each access through a pointer that a `getelementptr` made is
//! preceded by a call with the pointer that it was made from; the run time (`runtime/address.c`) knows whether both
//! lie in one object. Pointers that go through memory, phis or calls are not checked.

use crate::sanitize::is_one_of;
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

const CHECK: &str = "__polypath_same_object";

/// The text with the calls.
pub fn instrument(text: &str, functions: &BTreeSet<String>) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    let mut inside = false;
    // What each derived pointer of the function came from.
    let mut roots: HashMap<&str, &str> = HashMap::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("define ") {
            inside = is_one_of(rest, functions);
            roots.clear();
        }
        if inside {
            if let Some((result, base)) = derivation(line) {
                let root = roots.get(base).copied().unwrap_or(base);
                roots.insert(result, root);
            }
            for pointer in accessed(line) {
                if let Some(root) = roots.get(pointer) {
                    let _ = writeln!(out, "  call void @{CHECK}(ptr {root}, ptr {pointer})");
                }
            }
        }
        out.push_str(line);
        out.push('\n');
    }
    let _ = writeln!(out, "declare void @{CHECK}(ptr, ptr)");
    out
}

/// Result and base of a `getelementptr`.
fn derivation(line: &str) -> Option<(&str, &str)> {
    let (result, rest) = line.trim_start().split_once(" = ")?;
    let rest = rest.strip_prefix("getelementptr ")?;
    // The type may hold pointers, the first operand is the first with a name.
    let base = rest
        .match_indices(", ptr ")
        .map(|(at, found)| value(&rest[at + found.len()..]))
        .find(|base| base.starts_with(['%', '@']))?;
    Some((result, base))
}

/// The pointers that an instruction reads or writes through.
fn accessed(line: &str) -> Vec<&str> {
    let line = line.trim_start();
    let operation = line.split_once(" = ").map_or(line, |(_, rest)| rest);
    let last_pointer = || {
        let at = operation.rfind(", ptr ")? + ", ptr ".len();
        Some(value(&operation[at..]))
    };
    if operation.starts_with("load ") || operation.starts_with("store ") {
        return last_pointer().into_iter().collect();
    }
    let is_call = ["call ", "tail call "]
        .iter()
        .any(|c| operation.starts_with(c));
    let of_memory = ["@llvm.mem", "@mem", "@str"]
        .iter()
        .any(|f| operation.contains(f));
    if !is_call || !of_memory {
        return Vec::new();
    }
    let arguments = operation.split_once('(').map_or("", |(_, rest)| rest);
    arguments
        .split(", ")
        .filter(|a| a.starts_with("ptr "))
        .filter_map(|a| a.rsplit_once(' '))
        .map(|(_, name)| value(name))
        .collect()
}

/// A name at the beginning of a text.
fn value(text: &str) -> &str {
    let end = text.find([',', ' ', ')']).unwrap_or(text.len());
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
define i32 @f(ptr %0, i64 %1) {
  %3 = load ptr, ptr %0, align 8
  %4 = getelementptr inbounds i32, ptr %3, i64 %1
  %5 = getelementptr inbounds { i32, ptr }, ptr %4, i32 0, i32 1
  store ptr %3, ptr %5, align 4
  %6 = load i32, ptr %4, align 4, !dbg !3
  %7 = load i32, ptr %3, align 4
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %5, ptr align 1 %3, i64 4, i1 false)
  %8 = getelementptr inbounds [4 x i8], ptr @g, i64 0, i64 %1
  store i8 1, ptr %8
}
define i32 @other(ptr %0) {
  %2 = getelementptr i32, ptr %0, i64 9
  %3 = load i32, ptr %2
}
";

    #[test]
    fn accesses_through_derived_pointers_are_checked() {
        let out = instrument(TEXT, &BTreeSet::from(["f".to_owned()]));
        let calls: Vec<&str> = out
            .lines()
            .filter_map(|l| l.trim().strip_prefix("call void @__polypath_same_object"))
            .collect();
        assert_eq!(
            calls,
            [
                "(ptr %3, ptr %5)",
                "(ptr %3, ptr %4)",
                "(ptr %3, ptr %5)",
                "(ptr @g, ptr %8)",
            ]
        );
    }
}
