//! Reads a compiler's command line as far as the wrapper must understand it: which inputs there
//! are, in which language, how far the compile goes, and where the result is put.

use std::path::{Path, PathBuf};

/// How far the driver goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Nothing is compiled: `--version`, `-print-…`, no input.
    Query,
    /// `-E`, `-M`, `-MM`, `-fsyntax-only`: no code comes out.
    NoCode,
    /// `-S`.
    Assembly,
    /// `-c`.
    Object,
    /// `-r`, or `-shared`, which is carried out as `-r`.
    Relocatable,
    /// None of these: the inputs are compiled and linked.
    Link,
}

/// The kind of an input, as far as bitcode is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// A source of C or C++, also a preprocessed one.
    Source,
    /// A source of assembly, which has no bitcode.
    Assembler,
    /// Objects, archives, linker scripts.
    Linkable,
}

/// A command line, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// How far the compiler goes.
    pub mode: Mode,
    /// Input files in order.
    pub inputs: Vec<(PathBuf, InputKind)>,
    /// The argument of `-o`.
    pub output: Option<PathBuf>,
    /// All arguments with response files expanded, in order, without `-shared`.
    pub arguments: Vec<String>,
    /// `-shared` was given.
    pub shared: bool,
    /// `-nostdlib` and friends: (start files, default libraries) are wanted.
    pub start_files: bool,
    /// See `start_files`.
    pub default_libraries: bool,
    /// Another machine than ours was asked for.
    pub foreign_target: Option<String>,
}

/// The names by which programs ask for parts of a C++ library.
const CXX_LIBRARIES: &[&str] = &["-lc++", "-lc++abi", "-lstdc++", "-lsupc++"];

impl CommandLine {
    /// Whether a C++ library is needed although it is not asked of the C++ compiler: there is a source of C++, or the
    /// library is named.
    pub fn is_cxx(&self) -> bool {
        let is_source = |path: &Path| {
            let extension = path.extension().and_then(|e| e.to_str());
            extension.is_some_and(|e| CXX_EXTENSIONS.contains(&e))
        };
        let mut arguments = self.arguments.iter();
        let mut is_named = false;
        while let Some(argument) = arguments.next() {
            is_named |= match argument.as_str() {
                "-x" => arguments.next().is_some_and(|l| l.starts_with("c++")),
                "-l" => arguments
                    .next()
                    .is_some_and(|l| CXX_LIBRARIES.contains(&format!("-l{l}").as_str())),
                other => other.starts_with("-xc++") || CXX_LIBRARIES.contains(&other),
            };
        }
        let mut sources = self
            .inputs
            .iter()
            .filter(|(_, kind)| *kind == InputKind::Source);
        is_named || sources.any(|(path, _)| is_source(path))
    }
}

/// What the names of sources of C++ end with.
const CXX_EXTENSIONS: &[&str] = &[
    "cc", "cp", "cxx", "cpp", "CPP", "c++", "C", "ii", "hh", "hpp", "H",
];

/// Options whose operand is the next argument.
const WITH_OPERAND: &[&str] = &[
    "-o",
    "-x",
    "-I",
    "-D",
    "-U",
    "-L",
    "-l",
    "-B",
    "-F",
    "-T",
    "-e",
    "-u",
    "-z",
    "-A",
    "-b",
    "-include",
    "-imacros",
    "-include-pch",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-isysroot",
    "-cxx-isystem",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-Xlinker",
    "-Xclang",
    "-Xpreprocessor",
    "-Xassembler",
    "-mllvm",
    "-arch",
    "-target",
    "--param",
    "--sysroot",
    "-aux-info",
    "-rpath",
    "-ivfsoverlay",
    "-dumpbase",
    "-dumpdir",
    "-specs",
    "-serialize-diagnostics",
    "-index-store-path",
];

/// Whether the option's operand is the next argument.
pub fn takes_operand(option: &str) -> bool {
    WITH_OPERAND.contains(&option)
}

/// Splits the text of a response file into arguments, as GCC and clang do: white space separates, quotes
/// group, a backslash takes the next character as it is.
pub fn response_arguments(text: &str) -> Vec<String> {
    let (mut out, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', _) => word.get_or_insert_default().extend(chars.next()),
            (c, Some(q)) if c == q => quote = None,
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => out.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    out.extend(word);
    out
}

/// Replaces `@file` by the file's arguments, down to a fixed depth; an unreadable `@file` is left for
/// clang to complain of.
pub fn expand(arguments: &[String]) -> Vec<String> {
    let mut out = arguments.to_vec();
    for _ in 0..16 {
        if !out.iter().any(|a| a.len() > 1 && a.starts_with('@')) {
            break;
        }
        out = out
            .into_iter()
            .flat_map(|a| match a.strip_prefix('@').map(std::fs::read_to_string) {
                Some(Ok(text)) => response_arguments(&text),
                _ => vec![a],
            })
            .collect();
    }
    out
}

fn kind_of(path: &Path, language: Option<&str>) -> InputKind {
    match language {
        Some("assembler" | "assembler-with-cpp") => InputKind::Assembler,
        Some(_) => InputKind::Source,
        None => match path.extension().and_then(|e| e.to_str()) {
            Some("s" | "S" | "sx" | "asm") => InputKind::Assembler,
            Some(
                "c" | "i" | "cc" | "cp" | "cxx" | "cpp" | "CPP" | "c++" | "C" | "ii" | "h" | "hh"
                | "hpp" | "H" | "ll" | "bc" | "m",
            ) => InputKind::Source,
            _ if path == Path::new("-") => InputKind::Source,
            _ => InputKind::Linkable,
        },
    }
}

/// Reads a command line (without the program's name).
pub fn parse(arguments: &[String]) -> CommandLine {
    let mut line = CommandLine {
        mode: Mode::Link,
        inputs: Vec::new(),
        output: None,
        arguments: Vec::new(),
        shared: false,
        start_files: true,
        default_libraries: true,
        foreign_target: None,
    };
    let (mut language, mut stop, mut libraries) = (None::<String>, None, false);
    let mut relocatable = false;
    let mut arguments = expand(arguments).into_iter();
    while let Some(argument) = arguments.next() {
        let operand = if takes_operand(&argument) {
            arguments.next()
        } else {
            None
        };
        match (argument.as_str(), operand.as_deref()) {
            ("-o", Some(path)) => line.output = Some(path.into()),
            ("-x", Some(l)) => language = (l != "none").then(|| l.to_owned()),
            ("-target" | "-arch", Some(t)) => line.foreign_target = Some(t.to_owned()),
            ("-l", _) => libraries = true,
            ("-E" | "-M" | "-MM" | "-fsyntax-only", _) => stop = Some(Mode::NoCode),
            ("-S", _) if stop != Some(Mode::NoCode) => stop = Some(Mode::Assembly),
            ("-c", _) if stop.is_none() => stop = Some(Mode::Object),
            ("-r" | "-Wl,-r" | "-Wl,--relocatable", _) => relocatable = true,
            ("-shared" | "--shared", _) => {
                line.shared = true;
                continue;
            }
            ("-m32" | "-mx32" | "-m16", _) => line.foreign_target = Some(argument.clone()),
            ("-nostdlib", _) => (line.start_files, line.default_libraries) = (false, false),
            ("-nostartfiles", _) => line.start_files = false,
            ("-nodefaultlibs" | "-nolibc", _) => line.default_libraries = false,
            (a, None) => {
                if let Some(path) = a.strip_prefix("-o").filter(|p| !p.is_empty()) {
                    line.output = Some(path.into());
                } else if let Some(l) = a.strip_prefix("-x").filter(|l| !l.is_empty()) {
                    language = (l != "none").then(|| l.to_owned());
                } else if let Some(t) = a.strip_prefix("--target=") {
                    line.foreign_target = Some(t.to_owned());
                } else if a.starts_with("-l") && a.len() > 2 {
                    libraries = true;
                } else if a == "-" || !a.starts_with('-') {
                    line.inputs
                        .push((a.into(), kind_of(Path::new(a), language.as_deref())));
                }
            }
            _ => {}
        }
        line.arguments.push(argument);
        line.arguments.extend(operand);
    }
    line.mode = match stop {
        _ if line.inputs.is_empty() && !libraries => Mode::Query,
        Some(mode) => mode,
        None if relocatable || line.shared => Mode::Relocatable,
        None => Mode::Link,
    };
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> CommandLine {
        parse(&text.split(' ').map(String::from).collect::<Vec<_>>())
    }

    #[test]
    fn modes() {
        for (text, mode) in [
            ("--version", Mode::Query),
            ("-v", Mode::Query),
            ("-c a.c", Mode::Object),
            ("-c a.c -MD -MF x.d", Mode::Object),
            ("-MM a.c", Mode::NoCode),
            ("-E -", Mode::NoCode),
            ("-c -E a.c", Mode::NoCode),
            ("-S a.c -o -", Mode::Assembly),
            ("a.o -lm", Mode::Link),
            ("-shared -o x.so a.o", Mode::Relocatable),
            ("a.c", Mode::Link),
        ] {
            assert_eq!(read(text).mode, mode, "{text}");
        }
    }

    #[test]
    fn inputs_have_kinds_and_operands_are_no_inputs() {
        let line = read("-I inc -include x.h a.c -x assembler b -x none c.o d.S -o out -x c -");
        let kinds: Vec<_> = line
            .inputs
            .iter()
            .map(|(p, k)| (p.to_str().unwrap(), *k))
            .collect();
        use InputKind::*;
        let wanted = [
            ("a.c", Source),
            ("b", Assembler),
            ("c.o", Linkable),
            ("d.S", Assembler),
            ("-", Source),
        ];
        assert_eq!(kinds, wanted);
        assert_eq!(line.output.as_deref(), Some(Path::new("out")));
    }

    #[test]
    fn response_files_are_split_as_gcc_does() {
        assert_eq!(
            response_arguments("-DA=\\\"x\\\" 'b c' \"d e\"f\n''"),
            ["-DA=\"x\"", "b c", "d ef", ""]
        );
    }
}
