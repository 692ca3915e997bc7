//! Words that users bring: options of KLEE, CBMC and fuzzers, flags of the compiler, and the program's arguments
//! without `--`. A command line that clap refuses is searched for them; each is explained, and the command line that
//! was probably meant is shown.

mod table;

use clap::builder::ArgAction;
use clap::{Command, CommandFactory};
use run::c::PLACEHOLDER;
use std::collections::BTreeMap;
use std::path::Path;
use table::{Here, WORDS, Word};

/// Whose word it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    Klee,
    Cbmc,
    /// AFL++ and libFuzzer.
    Fuzzer,
}

impl Tool {
    fn name(self) -> &'static str {
        match self {
            Tool::Klee => "KLEE",
            Tool::Cbmc => "CBMC",
            Tool::Fuzzer => "a fuzzer",
        }
    }
}

/// The new place of a subcommand that has been moved, by the first word of a command line.
pub fn moved(first: &str) -> Option<&'static str> {
    (first == "bench")
        .then_some("the experiments are in polypath-bench; in the source tree: ./x bench SUITE")
}

/// The words found in a command line.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Advice {
    /// One sentence for each word that is not ours.
    pub lines: Vec<String>,
    /// The words of the command line that was meant; empty if that is unknown.
    pub command: Vec<String>,
}

impl Advice {
    /// It in lines, with the proposal at the end.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = self.lines.clone();
        lines.push(if self.command.is_empty() {
            "all options: polypath run --help".into()
        } else {
            let words = self.command.iter();
            let words: Vec<String> = words.map(|w| testcase::shell::word(w.as_bytes())).collect();
            format!("try: {}", words.join(" "))
        });
        lines
    }
}

/// Our option for a corpus.
const SEEDS: &str = "--seed-input";

/// Beginnings of the compiler's flags.
const COMPILER: &[&str] = &["-I", "-D", "-U", "-O", "-W", "-f", "-std=", "-include"];

/// Reads the words of a command line that was refused; `None` if there is nothing to say beyond that.
pub fn advise(cli: &Command, words: &[String]) -> Option<Advice> {
    let (first, rest) = words.split_first()?;
    if first == "run" {
        return of_run(cli.find_subcommand("run")?, rest);
    }
    // A program or an option where a subcommand stands: run is what everybody means.
    let is_source = |w: &String| toolchain::compile::kind(Path::new(w)).is_some();
    let begins_a_run = first.starts_with('-') || is_source(first) || Path::new(first).is_file();
    if cli.find_subcommand(first).is_some() || !begins_a_run || !words.iter().any(is_source) {
        return None;
    }
    let run = cli.find_subcommand("run")?;
    let mut advice = of_run(run, words).unwrap_or_else(|| Advice {
        lines: Vec::new(),
        command: [vec!["polypath".into(), "run".into()], words.to_vec()].concat(),
    });
    let what = "the first word is a subcommand; `polypath run` explores a program";
    advice.lines.insert(0, what.to_string());
    Some(advice)
}

/// Reads the words behind `polypath run`.
fn of_run(run: &Command, words: &[String]) -> Option<Advice> {
    let mut reader = Reader::new(run);
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if word == "--" {
            reader.program_args.extend(rest.by_ref().cloned());
            break;
        }
        if !word.starts_with('-') || word == "-" {
            reader.positional(word);
            continue;
        }
        reader.option(word, &mut rest);
    }
    reader.finish()
}

/// Reads the arguments of a fuzz target, which are those of a fuzzer.
pub fn of_target(target: &Path, arguments: &[String]) -> Advice {
    let cli = crate::Cli::command();
    let mut reader = Reader::new(cli.find_subcommand("run").unwrap_or(&cli));
    reader.positional(&target.to_string_lossy());
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        match word.strip_prefix('-') {
            Some(_) => reader.option(word, &mut rest),
            None => reader.positional(word),
        }
    }
    for word in std::mem::take(&mut reader.loose) {
        reader.lines.push(format!(
            "{word}: a fuzz target has no arguments here; --seed-input DIR begins with the files of a directory, and the binary itself runs the \
             files that it is given"
        ));
    }
    reader.finish().unwrap_or_default()
}

/// Libraries that musl's libc has inside.
const PART_OF_LIBC: &[&str] = &[
    "-lm",
    "-lc",
    "-lpthread",
    "-lrt",
    "-ldl",
    "-lutil",
    "-lcrypt",
];

struct Reader {
    /// Our options, with the number of words that follow each.
    ours: BTreeMap<String, usize>,
    shorts: Vec<char>,
    lines: Vec<String>,
    options: Vec<String>,
    searches: Vec<String>,
    program: Option<String>,
    program_args: Vec<String>,
    /// An argument of the program was found in front of `--`.
    loose: Vec<String>,
    unclear: bool,
    /// An unknown option: the next word may be its value.
    misspelt: bool,
}

impl Reader {
    fn new(run: &Command) -> Reader {
        let mut ours = BTreeMap::new();
        let mut shorts = Vec::new();
        for arg in run.get_arguments() {
            let takes = match arg.get_action() {
                ArgAction::Set | ArgAction::Append => {
                    arg.get_num_args().map_or(1, |n| n.max_values())
                }
                _ => 0,
            };
            if let Some(long) = arg.get_long() {
                ours.insert(long.to_string(), takes);
            }
            shorts.extend(arg.get_short());
        }
        Reader {
            ours,
            shorts,
            lines: Vec::new(),
            options: Vec::new(),
            searches: Vec::new(),
            program: None,
            program_args: Vec::new(),
            loose: Vec::new(),
            unclear: false,
            misspelt: false,
        }
    }

    fn positional(&mut self, word: &str) {
        if self.program.is_none() {
            self.program = Some(word.to_string());
            return;
        }
        if Path::new(word).is_dir() && self.has_target() {
            if self.options.iter().any(|o| o == SEEDS) {
                let line =
                    format!("{word}: {SEEDS} takes one directory, and the results have their own");
                self.lines.push(line);
                return;
            }
            let line = format!("{word} is a corpus; here: {SEEDS} {word}");
            self.lines.push(line);
            self.options.extend([SEEDS.into(), word.to_string()]);
            return;
        }
        self.loose.push(word.to_string());
    }

    /// Is the program a fuzz target?
    fn has_target(&self) -> bool {
        let program = self.program.as_deref().map(Path::new);
        program.is_some_and(|p| toolchain::fuzz_target::is_one(p).unwrap_or(false))
    }

    fn option<'a>(&mut self, word: &str, rest: &mut impl Iterator<Item = &'a String>) {
        let bare = word.trim_start_matches('-');
        let (name, value) = match bare.split_once('=') {
            Some((name, value)) => (name, Some(value.to_string())),
            None => (bare, None),
        };
        let double = word.starts_with("--");
        if let Some(&takes) = self.ours.get(name) {
            if !double {
                self.lines
                    .push(format!("{word}: options have two dashes here: --{name}"));
            }
            let mut values: Vec<String> = value.into_iter().collect();
            while values.len() < takes {
                let Some(next) = rest.next() else { break };
                if next == "--" {
                    self.lines.push(format!(
                        "--{name} stands without its value: what follows -- is the program's"
                    ));
                    self.unclear = true;
                    self.program_args.extend(rest.cloned());
                    break;
                }
                values.push(next.clone());
            }
            if name == "search" {
                self.searches.extend(values);
                return;
            }
            self.options.push(format!("--{name}"));
            self.options.extend(values);
            return;
        }
        let short = !double && bare.chars().all(|c| self.shorts.contains(&c));
        if short {
            self.options.push(word.to_string());
            return;
        }
        let known = WORDS
            .iter()
            .find(|w| w.name == name && (double || w.name.len() > 1 || self.program.is_none()));
        if let Some(known) = known {
            let value = value.or_else(|| {
                if known.value {
                    rest.next().cloned()
                } else {
                    None
                }
            });
            self.foreign(word, *known, value);
            return;
        }
        if !double && COMPILER.iter().any(|c| word.starts_with(c)) {
            self.lines.push(format!(
                "{word} is a flag of the compiler: --cc-flag={word} for a source; a project is built by `polypath build`"
            ));
            self.options.push(format!("--cc-flag={word}"));
            return;
        }
        if !double && PART_OF_LIBC.contains(&word) {
            self.lines
                .push(format!("{word}: leave it out, it is part of the C library"));
            return;
        }
        if !double && word.starts_with("-l") && word.len() > 2 {
            self.lines.push(format!(
                "{word}: libraries are linked before: `polypath cc prog.c {word} -o prog`, then `polypath run ./prog`"
            ));
            self.unclear = true;
            return;
        }
        match self.program {
            // An option of the program, or one of ours misspelt; clap says which are similar.
            Some(_) if !double => self.loose.push(word.to_string()),
            _ => {
                self.unclear = true;
                self.misspelt = true;
            }
        }
    }

    fn foreign(&mut self, written: &str, word: Word, value: Option<String>) {
        // A switch that is turned off asks for nothing.
        let off = !word.value && matches!(value.as_deref(), Some("false" | "0"));
        let says = match word.here {
            _ if off => "there is nothing to switch off".to_string(),
            Here::Always(why) => format!("not needed: {why}"),
            Here::Instead(what) => what.to_string(),
            Here::Words(words) => {
                let filled = words.iter().map(|w| match (*w, &value) {
                    ("DIR", Some(value)) => value.clone(),
                    (w, _) => w.to_string(),
                });
                let filled: Vec<String> = filled.collect();
                let says = format!("here: {}", filled.join(" "));
                self.options.extend(filled);
                says
            }
            Here::Is(ours) => self.renamed(ours, value),
            Here::Seconds(ours) => match value.as_deref().map(seconds) {
                Some(None) => format!("here: {ours} with a number of seconds"),
                Some(Some(value)) => self.renamed(ours, Some(value)),
                None => self.renamed(ours, None),
            },
        };
        self.lines.push(format!(
            "{written} is an option of {}; {says}",
            word.tool.name()
        ));
    }

    fn renamed(&mut self, ours: &str, value: Option<String>) -> String {
        self.options.push(ours.to_string());
        match value {
            Some(value) => {
                self.options.push(value.clone());
                format!("here: {ours} {value}")
            }
            None => {
                self.unclear = true;
                format!("here: {ours}")
            }
        }
    }

    fn finish(mut self) -> Option<Advice> {
        if self.searches.len() > 1 {
            self.lines.push(format!(
                "several searchers take turns, joined by commas: --search {}",
                self.searches.join(",")
            ));
        }
        if self.loose.iter().any(|w| w == "@@") {
            self.lines.push(PLACEHOLDER.to_string());
        }
        let strangers: Vec<&String> = self.loose.iter().filter(|w| *w != "@@").collect();
        if let ([first, ..], false) = (&strangers[..], self.misspelt) {
            self.lines.push(format!(
                "{first} stands behind PROGRAM: the program's own arguments follow after --"
            ));
        }
        if self.lines.is_empty() {
            return None;
        }
        let mut command = Vec::new();
        if !self.unclear {
            command.extend(["polypath".to_string(), "run".to_string()]);
            command.extend(self.options);
            if !self.searches.is_empty() {
                command.extend(["--search".to_string(), self.searches.join(",")]);
            }
            let file = self.loose.iter().any(|w| w == "@@");
            if file {
                command.extend(["--sym-files", "1", "16"].map(str::to_string));
            }
            command.push(self.program.unwrap_or_else(|| "PROGRAM".into()));
            let loose = self.loose.into_iter().chain(self.program_args);
            let loose: Vec<String> = loose
                .map(|w| if w == "@@" { "A".into() } else { w })
                .collect();
            if !loose.is_empty() {
                command.push("--".into());
                command.extend(loose);
            }
        }
        Some(Advice {
            lines: self.lines,
            command,
        })
    }
}

/// KLEE's spans of time (`1h30min`, `10`, `500ms`) in seconds.
fn seconds(text: &str) -> Option<String> {
    let mut total = 0.0;
    let mut rest = text.trim();
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(rest.len());
        let number: f64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let unit = rest
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(rest.len());
        total += number
            * match &rest[..unit] {
                "" | "s" => 1.0,
                "h" => 3600.0,
                "min" | "m" => 60.0,
                "ms" => 1e-3,
                "us" => 1e-6,
                "ns" => 1e-9,
                "d" => 86400.0,
                _ => return None,
            };
        rest = &rest[unit..];
    }
    Some(total.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    fn advice(line: &str) -> Option<Advice> {
        let words = format!("run {line}");
        let words: Vec<String> = words.split(' ').map(str::to_string).collect();
        advise(&crate::Cli::command(), &words)
    }

    /// Each row: the word is not ours, is explained in both spellings, and what is proposed is accepted.
    #[test]
    fn every_word_of_the_table_is_explained() {
        for word in WORDS {
            let dashes: &[&str] = match word.name.len() {
                1 => &["-"],
                _ => &["-", "--"],
            };
            for dash in dashes {
                let written = if word.value {
                    format!("{dash}{}=3", word.name)
                } else {
                    format!("{dash}{}", word.name)
                };
                let line = ["polypath", "run", &written, "p.c"];
                assert!(
                    crate::Cli::try_parse_from(line).is_err(),
                    "{written} is ours"
                );
                let advice = advice(&format!("{written} p.c")).expect("advice");
                assert!(advice.lines[0].starts_with(&written), "{advice:?}");
                assert_eq!(advice.command.last().map(String::as_str), Some("p.c"));
                let parsed = crate::Cli::try_parse_from(&advice.command);
                assert!(parsed.is_ok(), "{written}: {:?}", advice.command);
            }
        }
    }

    #[test]
    fn names_are_unique() {
        for (i, word) in WORDS.iter().enumerate() {
            assert!(
                WORDS[..i].iter().all(|w| w.name != word.name),
                "{}",
                word.name
            );
        }
    }

    #[test]
    fn a_command_line_of_klee_becomes_ours() {
        let line = "-max-time=1min --optimize --libc=uclibc --posix-runtime --search=random-path --search=nurs:covnew \
                    --output-dir out --only-output-states-covering-new p.bc --sym-args 0 2 4 -n";
        let advice = advice(line).expect("advice");
        assert_eq!(
            advice.command.join(" "),
            "polypath run --time 60 --out out --tests new --sym-args 0 2 4 --search random-path,nurs:covnew p.bc -- -n"
        );
    }

    #[test]
    fn arguments_and_flags_find_their_place() {
        let command = |line: &str| advice(line).expect("advice").command.join(" ");
        assert_eq!(command("p.c x y"), "polypath run p.c -- x y");
        assert_eq!(command("p.c x -- y"), "polypath run p.c -- x y");
        assert_eq!(
            command("p.c -DX=1 -O2"),
            "polypath run --cc-flag=-DX=1 --cc-flag=-O2 p.c"
        );
        assert_eq!(
            command("-i in p.c @@"),
            "polypath run --sym-files 1 16 p.c -- A"
        );
        assert_eq!(
            command("--time 5 p.c -quiet"),
            "polypath run --time 5 --quiet p.c"
        );
        assert_eq!(command("p.c -lm"), "polypath run p.c");
        assert!(advice("p.c -lz").expect("advice").command.is_empty());
        assert_eq!(advice("p.c --tiem 5"), None);
        assert_eq!(advice("p.c --time 5 -q -- --max-time=3"), None);
        assert_eq!(advice("--tiem 5 p.c"), None);
    }

    #[test]
    fn a_program_in_the_first_place_is_run() {
        let words = ["p.c", "--max-time=3"].map(str::to_string);
        let advice = advise(&crate::Cli::command(), &words).expect("advice");
        assert_eq!(advice.command.join(" "), "polypath run --time 3 p.c");
        let words = ["rnu".to_string()];
        assert_eq!(advise(&crate::Cli::command(), &words), None);
    }

    #[test]
    fn spans_of_time() {
        for (text, want) in [
            ("10", "10"),
            ("1h30min", "5400"),
            ("500ms", "0.5"),
            ("2.5s", "2.5"),
        ] {
            assert_eq!(seconds(text).as_deref(), Some(want));
        }
        for text in ["", "soon", "3 weeks"] {
            assert_eq!(seconds(text), None);
        }
    }
}
