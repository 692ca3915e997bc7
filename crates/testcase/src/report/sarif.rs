//! SARIF 2.1.0: errors with their call stacks, for code hosts and editors.

use super::parts::{OneRun, replayed, showing, test_of};
use crate::bug::{self, Bug};
use crate::kind::ErrorKind;
use crate::model::{ErrorRecord, StackFrame};
use crate::names::readable;
use crate::origin;
use crate::replay::Confirmation;
use serde_json::{Value, json};

/// The document. Limits of the engine are notifications, not results. What several runs show is one result.
pub fn sarif(parts: &[OneRun<'_>]) -> String {
    let rules: Vec<Value> = ErrorKind::ALL
        .iter()
        .copied()
        .filter(|k| k.is_program_error())
        .map(rule)
        .collect();
    let errors = || parts.iter().flat_map(|part| &part.run.errors);
    let bugs = bug::of_program(errors());
    let results: Vec<Value> = bugs.iter().map(|b| result(b, parts)).collect();
    let notes: Vec<Value> = errors()
        .filter(|e| !e.kind.is_program_error())
        .map(|e| json!({"level": "note", "message": {"text": e.message}, "locations": [location(&e.file, e.line, 0)]}))
        .collect();
    let mut versions = parts.iter().filter_map(|part| part.run.info.as_ref());
    let version = versions
        .next()
        .map_or(env!("CARGO_PKG_VERSION"), |i| i.version.as_str());
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "Polypath", "version": version, "rules": rules}},
            "invocations": [{"executionSuccessful": true, "toolExecutionNotifications": notes}],
            "columnKind": "utf16CodeUnits",
            "results": results,
        }],
    });
    format!("{document:#}\n")
}

fn rule(kind: ErrorKind) -> Value {
    let mut rule = json!({
        "id": kind.id(),
        "shortDescription": {"text": kind.title()},
        "defaultConfiguration": {"level": "error"},
    });
    if let Some(cwe) = kind.cwe() {
        rule["properties"] = json!({"tags": [format!("external/cwe/cwe-{cwe}")]});
    }
    rule
}

fn result(bug: &Bug<'_>, parts: &[OneRun<'_>]) -> Value {
    let error = bug.shown();
    let showing = showing(bug, parts);
    // In the order of the runs.
    let names = parts
        .iter()
        .filter(|p| showing.iter().any(|s| std::ptr::eq(*s, *p)));
    let names: Vec<&str> = names.filter_map(|part| part.name).collect();
    let replayed = replayed(bug, parts);
    let contradicted =
        replayed.is_some_and(|r| matches!(r.confirmation, Confirmation::Contradicted(_)));
    let level = if contradicted || bug.is_doubtful() {
        "warning"
    } else {
        "error"
    };
    let title = error.kind.title();
    let text = if error.message.is_empty() {
        title.to_owned()
    } else {
        format!("{title}: {}", error.message)
    };
    let mut value = json!({
        "ruleId": error.kind.id(),
        "level": level,
        "message": {"text": text},
        "locations": [location(&error.file, error.line, error.column)],
        "properties": {"test": test_of(error, parts), "paths": bug.paths()},
    });
    if !names.is_empty() {
        value["properties"]["targets"] = json!(names);
    }
    if let Some(why) = bug.suppressed() {
        value["suppressions"] = json!([{"kind": "external", "justification": why}]);
    }
    if let Some(why) = &error.precondition {
        value["properties"]["precondition likely"] = json!(why);
    }
    if let Some(r) = replayed {
        value["properties"]["replay"] = json!(format!("{}: {}", r.name(), r.detail()));
    }
    let stacks: Vec<Value> = bug.stacks.iter().filter_map(|e| stack(e, parts)).collect();
    if !stacks.is_empty() {
        value["stacks"] = json!(stacks);
    }
    value
}

/// The calls of an entry, with the test that shows them.
fn stack(error: &ErrorRecord, parts: &[OneRun<'_>]) -> Option<Value> {
    if error.stack.is_empty() {
        return None;
    }
    let frames: Vec<Value> = error.stack.iter().map(frame).collect();
    let mut stack = json!({"frames": frames});
    if !error.test.is_empty() {
        let text = format!("{}, {} paths", test_of(error, parts), error.all_paths());
        stack["message"] = json!({"text": text});
    }
    Some(stack)
}

fn frame(f: &StackFrame) -> Value {
    let mut location = location(&f.file, f.line, f.column);
    location["logicalLocations"] = json!([{"fullyQualifiedName": readable(&f.function)}]);
    json!({"location": location})
}

/// SARIF counts lines and columns from 1; unknown ones are left out.
fn location(file: &str, line: u32, column: u32) -> Value {
    if !origin::is_known(file) {
        return json!({"message": {"text": "no source position"}});
    }
    let mut physical = json!({"artifactLocation": {"uri": uri(file)}});
    if line > 0 {
        physical["region"] = json!({"startLine": line});
        if column > 0 {
            physical["region"]["startColumn"] = json!(column);
        }
    }
    json!({"physicalLocation": physical})
}

/// A file name as a URI: absolute ones with a scheme, others relative.
fn uri(path: &str) -> String {
    let mut out = String::from(if path.starts_with('/') { "file://" } else { "" });
    for b in path.bytes() {
        if b.is_ascii_alphanumeric() || b"-_./~+".contains(&b) {
            out.push(b as char);
        } else {
            out.push_str(&format!("%{b:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_become_uris() {
        assert_eq!(super::uri("/a b/c.c"), "file:///a%20b/c.c");
        assert_eq!(super::uri("src/é.c"), "src/%C3%A9.c");
    }
}
