//! Floors under the structure of the code: what the lists here allow is what there is, and it only gets less.
//!
//! Modules that import each other in a circle can be read, tested and moved only together. Each folder of each crate is
//! looked at: between the modules in it (files, and folders as a whole) no circle is larger than a handful, but for those
//! in a list. A path counts as an import wherever it stands, after `use` or inline, and what a module re-exports counts as
//! an import of what it comes from. The standard library and other crates do not count, nor does what is for tests only.

use super::{root, sources};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Modules in a circle that anybody can keep in mind.
const HANDFUL: usize = 5;

/// The folders with a larger circle, and its size. Shrink a circle, and lower its number here.
const CIRCLES: &[(&str, usize)] = &[];

/// A type name that is defined in so many files means too many things.
const MANY: usize = 4;

/// The names that may stand in so many files, each with the reason.
const SHARED_NAMES: &[(&str, &str)] = &[(
    "Args",
    "clap's word for the arguments of a subcommand: each subcommand has one, and no file has two",
)];

/// The names of the modules from the crate's root down.
type ModulePath = Vec<String>;

/// Names, `::` and single signs of Rust code, without comments, literals and what is for tests only.
fn tokens(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let is_name = |b: u8| b == b'_' || b.is_ascii_alphanumeric() || !b.is_ascii();
    let after = |from: usize, end: &str| {
        let found = text.get(from..).and_then(|rest| rest.find(end));
        found.map_or(bytes.len(), |at| from + at + end.len())
    };
    let quoted = |mut at: usize, quote: u8| {
        while at < bytes.len() && bytes[at] != quote {
            at += 1 + usize::from(bytes[at] == b'\\');
        }
        at + 1
    };
    let (mut found, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let begin = at;
        let rest = &bytes[at..];
        if rest.starts_with(b"//") {
            at = after(at, "\n");
        } else if rest.starts_with(b"/*") {
            at = after(at, "*/");
        } else if rest[0] == b'"' {
            at = quoted(at + 1, b'"');
        } else if rest[0] == b'\'' {
            // A character, or the name of a lifetime.
            let next = text[at + 1..].chars().next().map_or(1, char::len_utf8);
            let is_character = rest[1] == b'\\' || rest.get(1 + next) == Some(&b'\'');
            at = if is_character {
                quoted(at + 1, b'\'')
            } else {
                at + 1
            };
        } else if is_name(rest[0]) {
            at += rest.iter().take_while(|&&b| is_name(b)).count();
            let hashes = bytes[at..].iter().take_while(|&&b| b == b'#').count();
            let is_raw = matches!(&text[begin..at], "r" | "br" | "cr");
            if is_raw && bytes.get(at + hashes) == Some(&b'"') {
                at = after(at + hashes + 1, &format!("\"{}", "#".repeat(hashes)));
            } else {
                found.push(&text[begin..at]);
            }
        } else {
            at += if rest.starts_with(b"::") { 2 } else { 1 };
            if !rest[0].is_ascii_whitespace() {
                found.push(&text[begin..at]);
            }
        }
    }
    without_tests(&found)
}

/// Leaves out each item that `#[cfg(test)]` stands before.
fn without_tests<'a>(all: &[&'a str]) -> Vec<&'a str> {
    let (mut kept, mut at) = (Vec::new(), 0);
    while at < all.len() {
        let rest = &all[at..];
        let is_for_tests = rest.starts_with(&["#", "[", "cfg", "(", "test", ")"])
            || rest.starts_with(&["#", "[", "cfg", "(", "all", "(", "test"]);
        if !is_for_tests {
            kept.push(all[at]);
            at += 1;
            continue;
        }
        let mut depth = 0;
        loop {
            let token = all.get(at).copied().unwrap_or("}");
            at += 1;
            depth += match token {
                "{" | "(" | "[" => 1,
                "}" | ")" | "]" => -1,
                _ => 0,
            };
            if depth < 0 || depth == 0 && matches!(token, "}" | ";" | ",") {
                break;
            }
        }
    }
    kept
}

/// A path in the code, from the crate's root down, and the name that a `use` gives it.
struct Import {
    path: ModulePath,
    name: Option<String>,
}

/// The paths of one module that begin in its own crate.
fn imports(module: &[String], tokens: &[&str]) -> Vec<Import> {
    let mut found = Vec::new();
    // Modules within the file, with the number of braces that are open where they begin.
    let mut inside: Vec<(&str, usize)> = Vec::new();
    let (mut at, mut open) = (0, 0);
    while at < tokens.len() {
        let here = || -> ModulePath {
            let inside = inside.iter().map(|(name, _)| name.to_string());
            module.iter().cloned().chain(inside).collect()
        };
        let is_path = tokens.get(at + 1) == Some(&"::") && (at == 0 || tokens[at - 1] != "::");
        match tokens[at] {
            "use" => {
                at += 1;
                tree(tokens, &mut at, &here(), Vec::new(), true, &mut found);
                continue;
            }
            "crate" | "super" | "self" if is_path => {
                tree(tokens, &mut at, &here(), Vec::new(), false, &mut found);
                continue;
            }
            "mod" if tokens.get(at + 2) == Some(&"{") => inside.push((tokens[at + 1], open)),
            "{" => open += 1,
            "}" => {
                open -= 1;
                inside.pop_if(|&mut (_, begin)| begin == open);
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// One path, or one for each member of a group in braces.
fn tree(
    tokens: &[&str],
    at: &mut usize,
    here: &[String],
    mut prefix: Vec<String>,
    is_use: bool,
    found: &mut Vec<Import>,
) {
    while let Some(&token) = tokens.get(*at) {
        *at += 1;
        match token {
            "{" => {
                while tokens.get(*at).is_some_and(|&t| t != "}") {
                    tree(tokens, at, here, prefix.clone(), is_use, found);
                    *at += usize::from(tokens.get(*at) == Some(&","));
                }
                *at += 1;
                return;
            }
            "*" => break,
            name => prefix.push(name.to_string()),
        }
        let next = tokens.get(*at + 1);
        let goes_on = next.is_some_and(|t| t.starts_with(['{', '*', '_']) || is_word(t));
        if tokens.get(*at) != Some(&"::") || !goes_on {
            break;
        }
        *at += 1;
    }
    let last = prefix.iter().rfind(|step| *step != "self");
    let mut name = last.filter(|_| is_use).cloned();
    if is_use && tokens.get(*at) == Some(&"as") {
        name = tokens.get(*at + 1).map(|name| name.to_string());
        *at += 2;
    }
    let mut path = here.to_vec();
    for (i, step) in prefix.iter().enumerate() {
        match step.as_str() {
            "crate" => path.clear(),
            "super" => drop(path.pop()),
            "self" => {}
            _ if i == 0 && !is_use => return,
            step => path.push(step.to_string()),
        }
    }
    found.push(Import { path, name });
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c == '_' || c.is_alphabetic())
}

/// Which module of a crate imports from which.
struct Crate {
    edges: BTreeSet<(ModulePath, ModulePath)>,
}

impl Crate {
    /// Of the text of each module.
    fn of(texts: &BTreeMap<ModulePath, String>) -> Crate {
        let modules: BTreeSet<ModulePath> = texts.keys().cloned().collect();
        let each = texts.iter().map(|(m, text)| (m, imports(m, &tokens(text))));
        let each: Vec<(&ModulePath, Vec<Import>)> = each.collect();
        // What a module makes known under its own name: the name there, and what it is.
        let mut known: BTreeMap<ModulePath, &ModulePath> = BTreeMap::new();
        for (module, imports) in &each {
            for import in imports {
                if let Some(name) = &import.name {
                    let as_named = [module.as_slice(), std::slice::from_ref(name)].concat();
                    known.entry(as_named).or_insert(&import.path);
                }
            }
        }
        let mut edges = BTreeSet::new();
        for (module, imports) in &each {
            for import in imports {
                let from = home(&modules, &known, &import.path);
                edges.insert((module.to_vec(), from));
            }
        }
        Crate { edges }
    }

    /// For each folder: the largest circle between the modules in it, of more than one.
    fn circles(&self) -> BTreeMap<ModulePath, Vec<String>> {
        let mut folders: BTreeMap<ModulePath, BTreeSet<(&String, &String)>> = BTreeMap::new();
        for (a, b) in &self.edges {
            let common = a.iter().zip(b).take_while(|(x, y)| x == y).count();
            if let (Some(from), Some(to)) = (a.get(common), b.get(common)) {
                let folder = folders.entry(a[..common].to_vec()).or_default();
                folder.insert((from, to));
            }
        }
        let largest = |edges: &BTreeSet<(&String, &String)>| {
            let reach = |from: &String| {
                let (mut seen, mut todo) = (BTreeSet::new(), vec![from]);
                while let Some(at) = todo.pop() {
                    for (_, to) in edges.iter().filter(|(a, _)| *a == at) {
                        if seen.insert(*to) {
                            todo.push(to);
                        }
                    }
                }
                seen
            };
            let all: BTreeSet<&String> = edges.iter().map(|&(from, _)| from).collect();
            let reached: BTreeMap<&String, _> = all.iter().map(|&m| (m, reach(m))).collect();
            let circle = |m: &String| -> Vec<String> {
                let back = |other: &&&String| reached.get(*other).is_some_and(|r| r.contains(m));
                reached[m]
                    .iter()
                    .filter(back)
                    .map(|m| m.to_string())
                    .collect()
            };
            all.iter()
                .map(|m| circle(m))
                .max_by_key(Vec::len)
                .unwrap_or_default()
        };
        let all = folders
            .iter()
            .map(|(folder, edges)| (folder.clone(), largest(edges)));
        all.filter(|(_, circle)| circle.len() > 1).collect()
    }
}

/// The module in which what has this path is defined.
fn home(
    modules: &BTreeSet<ModulePath>,
    known: &BTreeMap<ModulePath, &ModulePath>,
    path: &[String],
) -> ModulePath {
    let mut path = path.to_vec();
    // A chain of re-exports is short; one that never ends is an error of the compiler's to report.
    for _ in 0..8 {
        let of = (0..=path.len())
            .rev()
            .find(|&n| modules.contains(&path[..n]));
        let of = of.unwrap_or(0);
        match path.get(..of + 1).and_then(|named| known.get(named)) {
            Some(&meant) if meant[..] != path[..of + 1] => {
                path = [meant.as_slice(), &path[of + 1..]].concat();
            }
            _ => {
                path.truncate(of);
                break;
            }
        }
    }
    path
}

/// The modules of the crate whose `src` this is, with their texts.
fn texts(src: &Path) -> BTreeMap<ModulePath, String> {
    let mut files = Vec::new();
    sources(src, &mut files);
    let mut texts: BTreeMap<ModulePath, String> = BTreeMap::new();
    for file in files {
        let place = file.strip_prefix(src).expect("inside").with_extension("");
        let steps = place.iter().map(|step| step.to_string_lossy().into_owned());
        let mut module: ModulePath = steps.collect();
        module.pop_if(|last| matches!(last.as_str(), "mod" | "lib" | "main"));
        if module.iter().any(|m| matches!(m.as_str(), "tests" | "bin")) {
            continue;
        }
        let text = fs::read_to_string(&file).expect("text");
        texts.entry(module).or_default().push_str(&text);
    }
    texts
}

/// The texts of all crates by name.
fn crates() -> BTreeMap<String, BTreeMap<ModulePath, String>> {
    let crates = fs::read_dir(root().join("crates")).expect("crates");
    let crates = crates.map(|entry| {
        let entry = entry.expect("an entry");
        let name = entry.file_name().to_string_lossy().into_owned();
        (name, texts(&entry.path().join("src")))
    });
    crates.collect()
}

#[test]
fn no_circle_of_imports_grows() {
    let mut wrong = Vec::new();
    let mut allowed: BTreeMap<&str, usize> = CIRCLES.iter().copied().collect();
    for (name, texts) in crates() {
        for (folder, circle) in Crate::of(&texts).circles() {
            let folder = [std::slice::from_ref(&name), folder.as_slice()]
                .concat()
                .join("/");
            let (size, circle_is) = (circle.len(), circle.join(", "));
            match allowed.remove(folder.as_str()) {
                None if size > HANDFUL => wrong.push(format!(
                    "{folder}: {size} modules import each other: {circle_is}"
                )),
                Some(was) if was < size => wrong.push(format!(
                    "{folder}: the circle grew from {was} to {size} modules: {circle_is}"
                )),
                Some(was) if was > size => wrong.push(format!(
                    "{folder}: the circle shrank from {was} to {size} modules: say so in CIRCLES{}",
                    if size > HANDFUL {
                        ""
                    } else {
                        " by leaving it out"
                    }
                )),
                _ => {}
            }
        }
    }
    wrong.extend(
        allowed
            .into_keys()
            .map(|gone| format!("{gone}: no circle: leave it out")),
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The names of the types that a text defines: those at the left margin, which no function or implementation has inside.
fn types(text: &str) -> BTreeSet<&str> {
    let kinds = ["struct", "enum", "trait", "union", "type"];
    let name = |line: &'_ str| -> Option<(usize, usize)> {
        let visible = line.strip_prefix("pub(").and_then(|l| l.split_once(") "));
        let bare = visible.map_or(line, |(_, rest)| rest);
        let bare = bare.strip_prefix("pub ").unwrap_or(bare);
        let (kind, rest) = bare.split_once(' ')?;
        let len = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
        let begin = line.len() - rest.len();
        kinds.contains(&kind).then_some((begin, begin + len))
    };
    let named = text
        .lines()
        .filter_map(|l| name(l).map(|(from, to)| &l[from..to]));
    named.collect()
}

#[test]
fn names_of_types_mean_one_thing() {
    let mut files: BTreeMap<String, usize> = BTreeMap::new();
    for text in crates().values().flat_map(BTreeMap::values) {
        for name in types(text) {
            *files.entry(name.to_string()).or_default() += 1;
        }
    }
    files.retain(|_, n| *n >= MANY);
    let allowed: BTreeSet<&str> = SHARED_NAMES.iter().map(|&(name, _)| name).collect();
    let found: BTreeSet<&str> = files.keys().map(String::as_str).collect();
    let mut wrong: Vec<String> = Vec::new();
    for name in found.difference(&allowed) {
        wrong.push(format!(
            "{name}: {} files define a type of this name: give each what it is for a name",
            files[*name]
        ));
    }
    for name in allowed.difference(&found) {
        wrong.push(format!(
            "{name}: fewer than {MANY} files define it: leave it out of SHARED_NAMES"
        ));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The circles of a crate that consists of these files.
fn circles_of(files: &[(&str, &str)]) -> Vec<(String, Vec<String>)> {
    let module = |file: &str| -> ModulePath {
        let steps = file.split('/').filter(|s| !s.is_empty());
        steps.map(str::to_string).collect()
    };
    let texts = files
        .iter()
        .map(|(file, text)| (module(file), text.to_string()));
    let circles = Crate::of(&texts.collect()).circles().into_iter();
    circles
        .map(|(folder, circle)| (folder.join("/"), circle))
        .collect()
}

#[test]
fn circles_are_found_however_a_path_is_written() {
    let back = [
        "use crate::a::A;",
        "use crate::{c::C, a::{self, A}};",
        "use super::a::A;",
        "use super::{c, a};",
        "fn f() -> crate::a::A { crate::a::g::<u8>() }",
        "mod inner { use super::super::a::A; }",
        "use crate::Known;",
        "macro_rules! m { () => { $crate::a::f() } }",
        "const QUOTES: [char; 2] = ['\\'', '\"']; use crate::a::A;",
        "fn f<'a>(x: &'a str) -> crate::a::A { r#\"\"\"#; \"\\\"\" }",
    ];
    for text in back {
        let files = [
            ("", "mod a; mod b; mod c; pub use a::A as Known;"),
            ("a", "use crate::b::B;"),
            ("b", text),
            ("c", ""),
        ];
        let circle = vec!["a".to_string(), "b".to_string()];
        assert!(
            circles_of(&files).contains(&(String::new(), circle)),
            "{text}"
        );
    }
}

#[test]
fn what_is_no_import_makes_no_circle() {
    let none = [
        "// use crate::a::A;",
        "/* use crate::a::A; */",
        "const TEXT: &str = \"crate::a::A\";",
        "const TEXT: &str = r#\"\" crate::a::A\"#;",
        "#[cfg(test)]\nmod tests { use crate::a::A; fn f() { g(); } }",
        "#[cfg(test)]\nuse crate::a::A;",
        "use other::a::A; use std::a;",
        "use crate::c::C;",
        "use crate::*;",
        "pub(crate) fn f(&self) { self.a(); }",
        "fn f() { other::crate_::a::A }",
    ];
    for text in none {
        let files = [
            ("", "mod a; mod b; mod c;"),
            ("a", "use crate::b::B;"),
            ("b", text),
            ("c", ""),
        ];
        assert_eq!(circles_of(&files), [], "{text}");
    }
}

#[test]
fn what_comes_after_a_test_is_read() {
    let b = "#[cfg(test)]\nmod tests;\nuse crate::a::A;";
    let files = [("", ""), ("a", "use crate::b::B;"), ("b", b)];
    assert_eq!(circles_of(&files).len(), 1);
}

#[test]
fn a_folder_counts_as_one_module_and_is_looked_into() {
    let files = [
        ("", "mod a; mod b;"),
        ("a", "mod x; mod y;"),
        ("a/x", "use super::y::Y; use crate::b::B;"),
        ("a/y", "use crate::a::x::X;"),
        ("b", "use crate::a::x::X;"),
    ];
    let names = |names: [&str; 2]| names.map(str::to_string).to_vec();
    let expected = [
        (String::new(), names(["a", "b"])),
        ("a".to_string(), names(["x", "y"])),
    ];
    assert_eq!(circles_of(&files), expected);
}

#[test]
fn types_are_named_at_the_margin() {
    let text = "pub(crate) struct A<T>(T);\nenum B {}\nimpl A {\n    type C = u8;\n}\npub type D = u8;\nstruct E;";
    assert_eq!(types(text), BTreeSet::from(["A", "B", "D", "E"]));
}
