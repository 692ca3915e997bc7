//! An invented run of any size: sources with coverage, tests, errors. The bench `report` and the tests of the page in a browser measure and
//! try the report with it.

use std::fmt::Write as _;
use std::path::Path;
use testcase::coverage::{BranchCoverage, FileCoverage, FunctionCoverage};
use testcase::*;

/// How large the run is.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Bytes of all source files together, about.
    pub source_bytes: usize,
    /// Source files.
    pub files: usize,
    /// Tests, those of errors included.
    pub tests: u32,
    /// Errors, each at a place of its own.
    pub errors: u32,
}

/// A word that stands in one line of all sources.
pub const RARE: &str = "needle_in_the_sources";

/// Pseudo-random numbers: the same run each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }
}

const WORDS: &[&str] = &[
    "state", "buffer", "length", "table", "entry", "node", "parser", "token", "stream", "index",
    "offset", "cache", "packet", "header", "value", "symbol", "frame", "list", "queue", "block",
    "chunk", "count", "limit", "mask",
];

/// A source that reads like C, of about so many bytes.
fn source(numbers: &mut Numbers, file: usize, bytes: usize) -> String {
    let mut text =
        format!("/* Part {file} of an invented program. */\n#include \"part{file}.h\"\n\n");
    let mut function = 0;
    while text.len() < bytes {
        let name = |n: &mut Numbers| format!("{}_{}", n.of(WORDS), n.of(WORDS));
        let (subject, other) = (name(numbers), name(numbers));
        let _ = write!(
            text,
            "/* Makes the {subject} fit the {other}; {} at most. */\nstatic int f{file}_{function}(struct {subject} *{subject}, int {other}) {{\n",
            numbers.below(9999)
        );
        for _ in 0..4 + numbers.below(24) {
            let (a, b, k) = (name(numbers), name(numbers), numbers.below(1 << 20));
            let _ = match numbers.below(5) {
                0 => writeln!(
                    text,
                    "    if ({subject}->{a} > {k} && {other} != 0x{k:x}) return {subject}->{b}; // {}",
                    numbers.of(WORDS)
                ),
                1 => writeln!(
                    text,
                    "    for (int i = 0; i < {k}; i++) {subject}->{a}[i & {}] ^= {other};",
                    numbers.below(255)
                ),
                2 => writeln!(
                    text,
                    "    log_message(\"{a}: %d of {k} in {b}\\n\", {subject}->{b});"
                ),
                3 => writeln!(text, "    {subject}->{a} = {other} + {k} * {subject}->{b};"),
                _ => writeln!(
                    text,
                    "    {other} -= {a}({subject}, '{}', sizeof(struct {b}));",
                    (b'a' + (k % 26) as u8) as char
                ),
            };
        }
        text.push_str("    return 0;\n}\n\n");
        function += 1;
    }
    if file == 0 {
        let _ = writeln!(text, "int {RARE};");
    }
    text
}

/// What an exploration might have reached of it.
fn coverage(numbers: &mut Numbers, path: &str, text: &str) -> FileCoverage {
    let (mut file, mut name) = (
        FileCoverage {
            path: path.into(),
            ..FileCoverage::default()
        },
        String::new(),
    );
    for (line, code) in (1..).zip(text.lines()) {
        if let Some(begin) = code.strip_prefix("static int ") {
            name = begin.split('(').next().unwrap_or(begin).to_owned();
            file.functions.push(FunctionCoverage {
                line,
                name: name.clone(),
                reached: line % 3 != 0,
            });
        } else if code.starts_with("    ") {
            file.lines.push((line, numbers.below(3) != 0));
            if code.contains("if (") || code.contains("for (") {
                let taken = vec![numbers.below(2) == 0, numbers.below(2) == 0];
                file.branches.push(BranchCoverage {
                    line,
                    column: 9,
                    function: name.clone(),
                    taken,
                });
            }
        }
    }
    file
}

/// Writes the run into `dir`, and its sources into `dir/sources`.
pub fn write_large(dir: &Path, size: Size) -> anyhow::Result<()> {
    let out = OutputDir::create(Some(dir), Path::new("."))?;
    let sources = dir.join("sources");
    std::fs::create_dir_all(&sources)?;
    let (mut numbers, mut files) = (Numbers(size.tests.into()), Vec::new());
    for n in 0..size.files {
        // Some files are large, most are not.
        let share = size.source_bytes / size.files;
        let bytes = if n % 8 == 0 { share * 4 } else { share * 4 / 7 };
        let text = source(&mut numbers, n, bytes);
        let path = sources.join(format!("part{n}.c"));
        std::fs::write(&path, &text)?;
        let path = path.canonicalize()?.display().to_string();
        files.push(coverage(&mut numbers, &path, &text));
    }
    out.write_info(&RunInfo {
        command: ["polypath", "run", "invented"]
            .map(|w| w.as_bytes().to_vec())
            .to_vec(),
        version: "0.1.0".into(),
        program: files[0].path.clone(),
        ..RunInfo::default()
    });
    for id in 1..=size.tests {
        let error = (id <= size.errors).then(|| error(&files, id));
        let input = format!("{}{}", numbers.of(WORDS), numbers.below(1 << 30));
        out.write_test(&TestCase {
            id,
            objects: vec![
                ("arg00".into(), input.clone().into_bytes()),
                ("A_data".into(), vec![id as u8; 64]),
            ],
            input_objects: 1,
            args: vec![b"invented".to_vec(), input.into_bytes()],
            expected: Expected {
                exit: error
                    .as_ref()
                    .map_or(ExitKind::Status((id % 4) as i32), |e| {
                        ExitKind::Error(e.kind)
                    }),
                stdout: format!("{} {}\n", numbers.of(WORDS), id).into_bytes(),
                ..Expected::default()
            },
            covered_new: id % 10 == 0,
            error,
            time_s: f64::from(id) * 0.01,
            instructions: numbers.below(1 << 24) as u64,
            ..TestCase::default()
        });
    }
    let coverage = Coverage { files };
    let counts = coverage.counts();
    out.write_coverage(&coverage);
    out.write_stats(&RunStats {
        completed_paths: size.tests.into(),
        covered_lines: counts.lines.0,
        total_lines: counts.lines.1,
        ..RunStats::default()
    });
    out.finish();
    Ok(())
}

fn error(files: &[FileCoverage], id: u32) -> ErrorRecord {
    let file = &files[id as usize % files.len()];
    let line = file.lines[id as usize * 7 % file.lines.len()].0;
    let frame = |depth: usize| StackFrame {
        function: file.functions[(id as usize + depth) % file.functions.len()]
            .name
            .clone(),
        file: file.path.clone(),
        line: line + depth as u32,
        column: 9,
        ..StackFrame::default()
    };
    ErrorRecord {
        kind: [ErrorKind::OutOfBounds, ErrorKind::DivZero, ErrorKind::Null][id as usize % 3],
        message: format!("number {id} of the invented errors"),
        file: file.path.clone(),
        line,
        function: frame(0).function,
        stack: (0..6).map(frame).collect(),
        paths: 1,
        ..ErrorRecord::default()
    }
}
