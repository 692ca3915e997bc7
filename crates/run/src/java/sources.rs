//! Finds the sources of a Java program: a class file has only the name of its source file.

use jvm::MethodCoverage;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use testcase::Coverage;
use testcase::coverage::{FileCoverage, FunctionCoverage};

/// Folders of sources as builds have them, from the folder of the classes and those above it.
const FOLDERS: &[&str] = &["", "src", "src/main/java", "src/test/java"];
/// Folders above that of the classes that are looked at (`target/classes`, `build/classes/java/main`).
const ABOVE: usize = 4;

/// Finds sources; by default none, which lie on another machine.
#[derive(Default)]
pub struct Sources {
    roots: Vec<PathBuf>,
    found: HashMap<(String, String), String>,
}

impl Sources {
    /// Sources below these folders, or near the class path.
    pub fn new(given: &[PathBuf], class_path: &[PathBuf]) -> Sources {
        let mut roots = given.to_vec();
        let here = std::env::current_dir().ok();
        let bases = here.iter().map(PathBuf::as_path);
        let above = class_path
            .iter()
            .flat_map(|p| p.ancestors().take(1 + ABOVE));
        for base in bases.chain(above) {
            roots.extend(FOLDERS.iter().map(|folder| base.join(folder)));
        }
        Sources {
            roots,
            found: HashMap::new(),
        }
    }

    /// The path of a source: by the folder of its package and its name; if there is no such file, just these.
    pub fn path(&mut self, package: &str, file: &str) -> String {
        if file.is_empty() {
            return String::new();
        }
        let key = (package.to_string(), file.to_string());
        if let Some(known) = self.found.get(&key) {
            return known.clone();
        }
        let name = Path::new(&package.replace('.', "/")).join(file);
        let there = self.roots.iter().map(|root| root.join(&name));
        let path = there.into_iter().find(|p| p.is_file()).unwrap_or(name);
        let path = path.display().to_string();
        self.found.insert(key, path.clone());
        path
    }

    /// Coverage by source.
    pub fn coverage(&mut self, methods: &[MethodCoverage]) -> Coverage {
        let mut files: BTreeMap<String, (BTreeMap<u32, bool>, Vec<FunctionCoverage>)> =
            BTreeMap::new();
        for method in methods.iter().filter(|m| !m.lines.is_empty()) {
            let class = method.class.replace('/', ".");
            let path = self.path(package(&class), &method.source);
            // Lines without a file cannot be shown.
            if path.is_empty() {
                continue;
            }
            let (lines, functions) = files.entry(path).or_default();
            for &(line, covered) in &method.lines {
                *lines.entry(line).or_default() |= covered;
            }
            functions.push(FunctionCoverage {
                line: method.lines[0].0,
                name: format!("{class}.{}", method.name),
                reached: method.reached,
            });
        }
        let file = |(path, (lines, mut functions)): (String, (BTreeMap<u32, bool>, Vec<_>))| {
            functions.sort();
            FileCoverage {
                path,
                lines: lines.into_iter().collect(),
                branches: Vec::new(),
                functions,
            }
        };
        Coverage {
            files: files.into_iter().map(file).collect(),
        }
    }
}

/// The package of a class by its name with dots.
pub fn package(class: &str) -> &str {
    class.rsplit_once('.').map_or("", |(package, _)| package)
}
