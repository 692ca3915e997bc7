//! Reads `polypath.toml`, and finds all of its mistakes at once.

use super::{Mistake, OUT, Project, Setting, Target};
use crate::options::{OptionKey, Value, Whose};
use harness::nearest::nearest;
use std::ops::Range;
use std::path::Path;
use testcase::{ErrorKind, Suppression};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Keys of the file.
const TOP: &[&str] = &["out", "build", "stale", "options", "target", "suppress"];
const TARGET: &[&str] = &["name", "program", "java", "arguments", "replay", "options"];
const SUPPRESS: &[&str] = &["kind", "file", "function", "line", "reason"];

/// Reads the text of a file.
///
/// # Errors
/// Its mistakes, in the order of their lines.
pub fn read(text: &str) -> Result<Project, Vec<Mistake>> {
    let mut reader = Reader {
        text,
        faults: Vec::new(),
    };
    let root = DeTable::parse(text).map_err(|e| {
        let line = reader.line(e.span().unwrap_or_default());
        let text = e.message().to_string();
        vec![Mistake { line, text }]
    })?;
    let project = reader.project(root.get_ref());
    if project.targets.is_empty() && reader.faults.is_empty() {
        let text = "there is no [[target]]: nothing is explored".to_string();
        reader.faults.push(Mistake { line: 1, text });
    }
    if reader.faults.is_empty() {
        Ok(project)
    } else {
        reader.faults.sort();
        Err(reader.faults)
    }
}

struct Reader<'t> {
    text: &'t str,
    faults: Vec<Mistake>,
}

type Node<'t> = Spanned<DeValue<'t>>;

impl Reader<'_> {
    fn line(&self, span: Range<usize>) -> usize {
        let before = self.text.as_bytes().iter().take(span.start);
        1 + before.filter(|b| **b == b'\n').count()
    }

    fn fault(&mut self, span: Range<usize>, text: String) {
        let line = self.line(span);
        self.faults.push(Mistake { line, text });
    }

    fn project(&mut self, root: &DeTable<'_>) -> Project {
        self.known(root, TOP, "");
        let options = self.options(root, None);
        let stale = self.word(root, "stale");
        let stale_fails = match stale.as_deref() {
            None | Some("warn") => false,
            Some("fail") => true,
            Some(_) => {
                let span = span_of(root, "stale");
                self.fault(span, "`stale` is \"warn\" or \"fail\"".into());
                false
            }
        };
        let mut project = Project {
            out: self.word(root, "out").unwrap_or_else(|| OUT.into()).into(),
            build: self.word(root, "build"),
            stale_fails,
            targets: Vec::new(),
            suppressions: Vec::new(),
        };
        for (span, table) in self.tables(root, "target") {
            if let Some(target) = self.target(span.clone(), table, &options) {
                if project.targets.iter().any(|t| t.name == target.name) {
                    let why = format!(
                        "a target {} stands above: `name` tells them apart",
                        target.name
                    );
                    self.fault(span, why);
                }
                project.targets.push(target);
            }
        }
        for (span, table) in self.tables(root, "suppress") {
            let line = self.line(span.clone());
            let suppression = self.suppression(span, table);
            project.suppressions.extend(suppression.map(|s| (line, s)));
        }
        project
    }

    fn target(
        &mut self,
        span: Range<usize>,
        table: &DeTable<'_>,
        options: &[Setting],
    ) -> Option<Target> {
        self.known(table, TARGET, "target");
        let (program, java) = (self.word(table, "program"), self.word(table, "java"));
        let (of, program) = match (program, java) {
            (Some(program), None) => (Whose::Run, program),
            (None, Some(classes)) => (Whose::JavaRun, classes),
            (Some(_), Some(_)) => {
                let why = "a target has `program` or `java`, not both";
                self.fault(span, why.into());
                return None;
            }
            (None, None) => {
                let is_there = table.get("program").or(table.get("java")).is_some();
                if !is_there {
                    let why = "a target needs `program` (C, C++, bitcode, or a binary of `polypath cc`) or `java` (a class path)";
                    self.fault(span, why.into());
                }
                return None;
            }
        };
        let name = match self.word(table, "name") {
            Some(name) => name,
            None => {
                let stem = Path::new(&program).file_stem();
                stem.map_or(String::new(), |s| s.to_string_lossy().into_owned())
            }
        };
        let is_usual = |c: char| c.is_alphanumeric() || "._-+".contains(c);
        if name.is_empty() || name.starts_with(['.', '-']) || !name.chars().all(is_usual) {
            let why = format!(
                "`name` is a directory of results: {name:?} has more than letters, digits and . _ - +"
            );
            self.fault(span.clone(), why);
        }
        let own = self.options(table, Some(of));
        let mut settings: Vec<Setting> = options
            .iter()
            .filter(|s| OptionKey::named(of, &s.name).is_some())
            .filter(|s| own.iter().all(|o| o.name != s.name))
            .cloned()
            .collect();
        settings.extend(own);
        Some(Target {
            name,
            of,
            program,
            arguments: self.words(table, "arguments"),
            replay: self.flag(table, "replay").unwrap_or(true),
            settings,
            line: self.line(span),
            is_named: true,
        })
    }

    fn suppression(&mut self, span: Range<usize>, table: &DeTable<'_>) -> Option<Suppression> {
        self.known(table, SUPPRESS, "suppress");
        let faults = self.faults.len();
        let kind = self.word(table, "kind");
        let known = kind.as_ref().and_then(|kind| {
            let mut kinds = program_kinds();
            kinds.find(|k| k.id() == kind)
        });
        match (&kind, known) {
            (Some(kind), None) => {
                let names = program_kinds().map(ErrorKind::id);
                let meant = meant(kind, names.collect());
                let why = format!("no kind of error is called {kind:?}{meant} (docs/kinds.md)");
                self.fault(span_of(table, "kind"), why);
            }
            (None, _) if table.get("kind").is_none() => {
                let why = "a suppression needs `kind`: which error is accepted (docs/kinds.md)";
                self.fault(span.clone(), why.into());
            }
            _ => {}
        }
        let reason = self.word(table, "reason").unwrap_or_default();
        if reason.trim().is_empty() {
            let why = "a suppression needs a `reason`, which results show";
            self.fault(span.clone(), why.into());
        }
        let (file, function) = (self.word(table, "file"), self.word(table, "function"));
        if file.is_none() && function.is_none() {
            let why = "a suppression needs `file`, `function` or both: where the error is";
            self.fault(span.clone(), why.into());
        }
        let line = match table.get("line").map(Spanned::get_ref) {
            None => None,
            Some(DeValue::Integer(n)) if file.is_some() => {
                u32::from_str_radix(n.as_str(), n.radix()).ok()
            }
            Some(_) => {
                let why = "`line` is the number of a line of `file`";
                self.fault(span_of(table, "line"), why.into());
                None
            }
        };
        (self.faults.len() == faults).then_some(())?;
        Some(Suppression {
            kind: known?,
            file,
            function,
            line,
            reason,
        })
    }

    /// The options in a table: of one command, or of any.
    fn options(&mut self, table: &DeTable<'_>, of: Option<Whose>) -> Vec<Setting> {
        let Some(node) = table.get("options") else {
            return Vec::new();
        };
        let DeValue::Table(options) = node.get_ref() else {
            self.fault(node.span(), "`options` is a table".into());
            return Vec::new();
        };
        let mut settings = Vec::new();
        for (key, node) in options {
            let name = key.get_ref().as_ref();
            let value = match value(node.get_ref()) {
                Some(value) => value,
                None => {
                    let what = node.get_ref().type_str();
                    let why = format!("`{name}`: a {what} is no value of an option");
                    self.fault(node.span(), why);
                    continue;
                }
            };
            match setting(name, &value, of) {
                Ok(()) => settings.push(Setting {
                    name: name.into(),
                    value,
                    line: self.line(key.span()),
                }),
                Err(why) => self.fault(key.span(), why),
            }
        }
        settings
    }

    /// Refuses the keys that are none of these.
    fn known(&mut self, table: &DeTable<'_>, keys: &[&str], of: &str) {
        for key in table.keys() {
            let name = key.get_ref().as_ref();
            if keys.contains(&name) {
                continue;
            }
            let is_option = [Whose::Run, Whose::JavaRun]
                .into_iter()
                .any(|of| OptionKey::named(of, name).is_some());
            let why = match of {
                "" if is_option => format!("`{name}` is an option: it belongs below [options]"),
                "target" if is_option => {
                    format!("`{name}` is an option: it belongs below [target.options]")
                }
                _ => {
                    let meant = meant(name, keys.to_vec());
                    format!(
                        "unknown key `{name}`{meant}; there are: {}",
                        keys.join(", ")
                    )
                }
            };
            self.fault(key.span(), why);
        }
    }

    /// The tables of an array of them.
    fn tables<'d, 'i>(
        &mut self,
        table: &'d DeTable<'i>,
        name: &str,
    ) -> Vec<(Range<usize>, &'d DeTable<'i>)> {
        let nodes: Vec<&'d Node<'i>> = match table.get(name).map(|node| (node, node.get_ref())) {
            None => Vec::new(),
            Some((_, DeValue::Array(nodes))) => nodes.iter().collect(),
            Some((node, _)) => vec![node],
        };
        let mut tables = Vec::new();
        for node in nodes {
            match node.get_ref() {
                DeValue::Table(table) => tables.push((node.span(), table)),
                _ => self.fault(node.span(), format!("`{name}` is written as [[{name}]]")),
            }
        }
        tables
    }

    fn word(&mut self, table: &DeTable<'_>, name: &str) -> Option<String> {
        let node = table.get(name)?;
        match node.get_ref() {
            DeValue::String(text) if !text.is_empty() => Some(text.to_string()),
            _ => {
                self.fault(node.span(), format!("`{name}` is a string"));
                None
            }
        }
    }

    fn flag(&mut self, table: &DeTable<'_>, name: &str) -> Option<bool> {
        let node = table.get(name)?;
        if let DeValue::Boolean(flag) = node.get_ref() {
            return Some(*flag);
        }
        self.fault(node.span(), format!("`{name}` is true or false"));
        None
    }

    fn words(&mut self, table: &DeTable<'_>, name: &str) -> Vec<String> {
        let Some(node) = table.get(name) else {
            return Vec::new();
        };
        let words = match value(node.get_ref()) {
            Some(Value::List(values)) => values
                .into_iter()
                .map(|value| match value {
                    Value::Word(word) => Some(word),
                    _ => None,
                })
                .collect(),
            _ => None,
        };
        words.unwrap_or_else(|| {
            self.fault(node.span(), format!("`{name}` is a list of words"));
            Vec::new()
        })
    }
}

fn program_kinds() -> impl Iterator<Item = ErrorKind> {
    ErrorKind::ALL
        .iter()
        .copied()
        .filter(|k| k.is_program_error())
}

fn span_of(table: &DeTable<'_>, name: &str) -> Range<usize> {
    table.get(name).map_or(0..0, Spanned::span)
}

/// "; is `x` meant?"
fn meant(name: &str, names: Vec<&str>) -> String {
    match nearest(name, names).first() {
        Some(near) => format!("; is `{near}` meant?"),
        None => String::new(),
    }
}

/// Refuses an option that the command has not, or every command if none is named; and a value that is none of it.
fn setting(name: &str, value: &Value, of: Option<Whose>) -> Result<(), String> {
    const ALL: [Whose; 2] = [Whose::Run, Whose::JavaRun];
    let asked = of.map_or(ALL.to_vec(), |of| vec![of]);
    let keys: Vec<OptionKey> = asked
        .iter()
        .filter_map(|of| OptionKey::named(*of, name))
        .collect();
    if let Some(why) = keys.iter().find_map(OptionKey::not_in_file) {
        return Err(format!("`{name}` is no key of the file: {why}"));
    }
    if let Some(needed) = keys.iter().find_map(|key| key.words(value).err()) {
        return Err(format!("`{name}` needs {needed}"));
    }
    if !keys.is_empty() {
        return Ok(());
    }
    if let Some(of) = of {
        if let Some(why) = OptionKey::refused(of, name) {
            return Err(format!("`{name}`: {why}"));
        }
        if let Some(other) = ALL
            .into_iter()
            .find(|o| OptionKey::named(*o, name).is_some())
        {
            let (command, other) = (of.words().join(" "), other.words().join(" "));
            return Err(format!(
                "`{name}` is an option of `polypath {other}`, and this target is run by `polypath {command}`"
            ));
        }
    }
    let offered: Vec<OptionKey> = asked.into_iter().flat_map(OptionKey::all).collect();
    let names = offered
        .iter()
        .filter(|key| key.is_offered())
        .map(OptionKey::name);
    let meant = meant(name, names.collect());
    Err(format!("unknown option `{name}`{meant} (docs/options.md)"))
}

/// A value as options have it.
fn value(node: &DeValue<'_>) -> Option<Value> {
    Some(match node {
        DeValue::String(text) => Value::Word(text.to_string()),
        DeValue::Integer(n) => {
            let number = i128::from_str_radix(n.as_str(), n.radix()).ok()?;
            Value::Word(number.to_string())
        }
        DeValue::Float(x) => Value::Word(x.as_str().to_string()),
        DeValue::Boolean(flag) => Value::Flag(*flag),
        DeValue::Array(nodes) => {
            let values = nodes.iter().map(|node| value(node.get_ref()));
            Value::List(values.collect::<Option<_>>()?)
        }
        DeValue::Datetime(_) | DeValue::Table(_) => return None,
    })
}
