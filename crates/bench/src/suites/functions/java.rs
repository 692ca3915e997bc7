//! Java libraries of the suite: the public methods of an archive, explored by `polypath java test`.

use super::read;
use crate::tools::{Context, fresh_dir};
use anyhow::{Result, bail};
use oracle::measure::measure;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// A Java library that Debian has.
#[derive(Clone, Copy, Debug)]
pub struct JavaLibrary {
    /// Its name, and that of its archive in `/usr/share/java`.
    pub name: &'static str,
}

/// All of them.
pub const LIBRARIES: &[JavaLibrary] = &[
    JavaLibrary {
        name: "commons-csv",
    },
    JavaLibrary {
        name: "commons-cli",
    },
    JavaLibrary {
        name: "commons-codec",
    },
    JavaLibrary {
        name: "commons-validator",
    },
    JavaLibrary {
        name: "json-simple",
    },
    JavaLibrary { name: "jsoup" },
    JavaLibrary {
        name: "java-semver",
    },
    JavaLibrary {
        name: "plexus-interpolation",
    },
];

/// Explores all public methods of a library for so many seconds. Returns what was found in the form of `polypath test`'s `test.json`, and the
/// processor seconds.
pub fn explore(context: &Context, library: &JavaLibrary, seconds: f64) -> Result<(Value, f64)> {
    let out = context.out.join("functions").join(library.name);
    fresh_dir(&out)?;
    let mut command = Command::new(&context.polypath);
    command
        .args(["java", "test", "--jobs", "1", "--time"])
        .arg(seconds.to_string())
        .arg("--out")
        .arg(&out)
        .arg(format!("/usr/share/java/{}.jar", library.name));
    command.arg("--").args(&context.run_options);
    let most = Duration::from_secs_f64(900.0 + 20.0 * seconds);
    let usage = measure(&mut command, most)?;
    if usage.timed_out || usage.code() > 1 {
        bail!("exit {}: {}", usage.code(), usage.last_words());
    }
    Ok((tested(&out)?, usage.cpu_s))
}

/// The methods and the errors of a pass. An error that some run shows without a condition has none.
fn tested(out: &Path) -> Result<Value> {
    let methods = read(&out.join("methods.json"))?;
    let mut errors: BTreeMap<(String, String, String, u64), Value> = BTreeMap::new();
    let (mut targets, mut lines) = (Vec::new(), (0, 0));
    for method in methods.as_array().into_iter().flatten() {
        let number = |key: &str| method[key].as_u64().unwrap_or(0);
        let name = &method["method"];
        lines.0 += number("covered_lines");
        lines.1 += number("total_lines");
        let directory = method["directory"].as_str().unwrap_or_default();
        let is_run = !directory.is_empty() && method["trouble"].is_null();
        let tests = if is_run {
            json!(number("tests"))
        } else {
            Value::Null
        };
        targets.push(json!({"name": name, "tests": tests}));
        if number("errors") == 0 || !is_run {
            continue;
        }
        let found = read(&out.join(directory).join("errors.json"))?;
        for error in found.as_array().into_iter().flatten() {
            let word = |key: &str| error[key].as_str().unwrap_or("?").to_string();
            let line = error["line"].as_u64().unwrap_or(0);
            let at = (word("kind"), word("function"), word("file"), line);
            let known = errors.entry(at).or_insert_with(|| {
                let mut error = error.clone();
                error["targets"] = json!([]);
                error
            });
            if error["precondition"].is_null() {
                known["precondition"] = Value::Null;
            }
            if let Some(targets) = known["targets"].as_array_mut() {
                targets.push(name.clone());
            }
        }
    }
    let errors: Vec<Value> = errors.into_values().collect();
    Ok(json!({
        "targets": targets, "errors": errors, "covered_branches": lines.0, "total_branches": lines.1,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_several_methods_are_one_and_lose_their_condition() {
        let dir = std::env::temp_dir().join(format!("polypath-functions-{}", std::process::id()));
        std::fs::create_dir_all(dir.join("0001")).expect("a directory");
        std::fs::create_dir_all(dir.join("0002")).expect("a directory");
        let method = |name: &str, directory: &str, errors: u64| {
            json!({
                "method": name, "directory": directory, "tests": 3, "errors": errors, "covered_lines": 2,
                "total_lines": 5, "trouble": null,
            })
        };
        let methods = json!([
            method("a", "0001", 1),
            method("b", "0002", 1),
            method("c", "", 0)
        ]);
        let error = |precondition: Value| json!([{"kind": "null", "function": "f", "file": "F.java", "line": 7, "precondition": precondition}]);
        let write = |name: &str, value: &Value| {
            std::fs::write(dir.join(name), value.to_string()).expect("a file");
        };
        write("methods.json", &methods);
        write("0001/errors.json", &error(json!("x is null")));
        write("0002/errors.json", &error(Value::Null));
        let found = tested(&dir).expect("results");
        std::fs::remove_dir_all(&dir).expect("it is ours");
        let [error] = &found["errors"].as_array().expect("a list")[..] else {
            panic!("{found}")
        };
        assert_eq!(error["precondition"], Value::Null);
        assert_eq!(error["targets"], json!(["a", "b"]));
        assert_eq!(found["covered_branches"], 6);
        assert_eq!(found["targets"][2]["tests"], Value::Null);
    }
}
