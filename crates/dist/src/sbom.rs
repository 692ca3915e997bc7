//! The list of what the programs contain, in the format CycloneDX 1.5: crates with versions and licences, and the sources of the C
//! library.

use crate::bundle::Package;
use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Packages whose dependencies are part of the programs.
const TOPS: [&str; 2] = ["polypath-cli", "polypath-llvm"];

/// The list, for the workspace of `source`, by `cargo metadata`.
///
/// # Errors
/// Cargo does not run, or has nothing to say of the workspace.
pub fn cyclonedx(source: &Path) -> Result<String> {
    let output = Command::new("cargo")
        .args(["metadata", "--format-version", "1", "--locked"])
        .args(["--filter-platform", "x86_64-unknown-linux-gnu"])
        .current_dir(source)
        .output()
        .context("cargo metadata")?;
    if !output.status.success() {
        bail!(
            "cargo metadata: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let mut components: Vec<Value> = contained(&metadata)?;
    components.push(json!({
        "type": "library", "name": "musl", "version": "1.2.3",
        "purl": "pkg:deb/debian/musl@1.2.3",
        "licenses": [{ "expression": "MIT" }],
    }));
    let all = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": {
            "type": "application", "name": "polypath", "version": crate::VERSION,
            "licenses": [{ "expression": "MIT OR Apache-2.0" }],
        }},
        "components": components,
    });
    Ok(serde_json::to_string_pretty(&all)?)
}

/// The list with packages of others beside the rest, whose licences are texts of their own.
///
/// # Errors
/// It is no list.
pub fn with_packages(list: &[u8], packages: &BTreeSet<Package>) -> Result<String> {
    let mut all: Value = serde_json::from_slice(list)?;
    let components = all["components"].as_array_mut().context("no components")?;
    for Package { name, version, url } in packages {
        components.push(json!({
            "type": "library", "name": name, "version": version,
            "purl": url,
            "licenses": [{ "license": { "name": format!("licences/{name}.txt") } }],
        }));
    }
    Ok(serde_json::to_string_pretty(&all)?)
}

/// The packages that are linked into the programs: what they need, and what that needs, without what only builds and tests.
fn contained(metadata: &Value) -> Result<Vec<Value>> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_else(Vec::new);
    let packages = list(&metadata["packages"]);
    let nodes = list(&metadata["resolve"]["nodes"]);
    let id_of = |name: &str| {
        let found = packages.iter().find(|package| package["name"] == name);
        found.map(|package| package["id"].clone())
    };
    let mut todo: Vec<Value> = Vec::new();
    for top in TOPS {
        todo.push(id_of(top).with_context(|| format!("no package {top}"))?);
    }
    let mut seen: BTreeSet<String> = BTreeSet::new();
    while let Some(id) = todo.pop() {
        if !seen.insert(id.to_string()) {
            continue;
        }
        let Some(node) = nodes.iter().find(|node| node["id"] == id) else {
            continue;
        };
        for needed in list(&node["deps"]) {
            let is_linked = list(&needed["dep_kinds"])
                .iter()
                .any(|kind| kind["kind"].is_null());
            if is_linked {
                todo.push(needed["pkg"].clone());
            }
        }
    }
    let mut components: Vec<(String, Value)> = packages
        .iter()
        .filter(|package| seen.contains(&package["id"].to_string()) && !package["source"].is_null())
        .map(|package| {
            let text = |key: &str| package[key].as_str().unwrap_or("unknown").to_owned();
            let (name, version) = (text("name"), text("version"));
            // Old manifests separate alternatives by a slash.
            let license = text("license").replace('/', " OR ");
            let purl = format!("pkg:cargo/{name}@{version}");
            let component = json!({
                "type": "library", "name": name, "version": version, "purl": purl,
                "licenses": [{ "expression": license }],
            });
            (purl, component)
        })
        .collect();
    components.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(components
        .into_iter()
        .map(|(_, component)| component)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_has_what_is_linked_and_not_what_only_tests() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let all: Value = serde_json::from_str(&cyclonedx(&source).unwrap()).unwrap();
        let components = all["components"].as_array().unwrap();
        let has = |name: &str| components.iter().any(|c| c["name"] == name);
        assert!(has("clap") && has("musl") && has("serde"));
        assert!(!has("trycmd") && !has("polypath-cli"));
        for component in components {
            let license = component["licenses"][0]["expression"].as_str().unwrap();
            assert!(license != "unknown" && !license.is_empty(), "{component}");
        }
    }
}
