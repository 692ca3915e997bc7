//! File tests: programs in IR text with what they are expected to do.
//!
//! A file is a program; lines that begin with `;!` say how it is run, those that begin with `;=`, at its end, what is
//! expected. `POLYPATH_BLESS=1` writes the latter. All `*.ir` here are run.
//!
//! | line | means |
//! |---|---|
//! | `;! slice N` | a slice has N instructions |
//! | `;! uninitialized` | reads of what nothing has written are errors |
//! | `;! leaks` | so is memory that nothing points to at the end |
//! | `;! function-type` | and a call through another type |
//! | `;! partial` | not all inputs take exactly one of the paths |
//!
//! Each path is shown with how it ends, the inputs that take it (which are all tried, so there are at most two
//! symbolic bytes) and, for the least of them, the content of the global `out` and what was written to standard output.
//! Unless the file says `partial`, each input must take exactly one path. Every program runs twice: with the inner loop
//! and without it.

use super::explore::{Way, content, explore, global};
use ir::Verified;
use linux::Stream;
use polypath_exec::{Machine, State, Termination};
use solver::Model;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use term::Symbol;
use vocab::Check;

/// How a file wants to be run.
struct Directions {
    way: Way,
    partial: bool,
}

impl Directions {
    fn look_for(&mut self, check: Check) {
        let options = &mut self.way.options;
        options.checks = options.checks.with(check);
    }
}

fn directions(text: &str) -> Directions {
    let mut d = Directions {
        way: Way::default(),
        partial: false,
    };
    for line in text.lines().filter_map(|l| l.strip_prefix(";!")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[0] {
            "slice" => d.way.slice = words[1].parse().expect("a number"),
            "uninitialized" => d.way.checks.uninitialized = true,
            "leaks" => d.look_for(Check::Leak),
            "function-type" => d.look_for(Check::FunctionType),
            "partial" => d.partial = true,
            other => panic!("no such direction: {other}"),
        }
    }
    d
}

/// All inputs, as models of these symbols.
fn inputs(symbols: &[Symbol]) -> Vec<Model> {
    assert!(
        symbols.len() <= 2,
        "more than two symbolic bytes are too many to try"
    );
    let all = 0..1u32 << (8 * symbols.len());
    let model = |n: u32| {
        let mut model = Model::new();
        for (i, symbol) in symbols.iter().enumerate() {
            model.set(*symbol, u64::from(n >> (8 * i) & 0xff));
        }
        model
    };
    all.map(model).collect()
}

/// Numbers as ranges.
fn ranges(numbers: &[usize]) -> String {
    let mut parts: Vec<(usize, usize)> = Vec::new();
    for &n in numbers {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == n => *last = n,
            _ => parts.push((n, n)),
        }
    }
    let show = |&(a, b): &(usize, usize)| {
        if a == b {
            a.to_string()
        } else {
            format!("{a}..={b}")
        }
    };
    let parts: Vec<String> = parts.iter().map(show).collect();
    match parts.len() {
        0..=12 => parts.join(", "),
        n => format!("{}, … ({n} ranges)", parts[..8].join(", ")),
    }
}

fn ending(
    m: &mut Machine,
    s: &State,
    end: &Termination,
    models: &[Model],
    taken: &[usize],
) -> String {
    match end {
        Termination::Exit(status) => {
            let all = taken.iter().map(|n| m.status_under(*status, &models[*n]));
            let mut all: Vec<usize> = all.map(|status| status as usize).collect();
            all.sort_unstable();
            all.dedup();
            format!("exit {}", ranges(&all))
        }
        Termination::Error(e) => {
            let function = m
                .module
                .function_at(e.pc)
                .map(|f| &m.module.functions[f as usize]);
            let place = function.map_or("?".into(), |f| format!("{}+{}", f.name, e.pc - f.entry));
            let depth = s.frames().len();
            format!("{} at {place}, {depth} frames: {}", e.kind.id(), e.message)
        }
        Termination::Cut(ending) => format!("cut: {}", ending.name()),
        Termination::Internal(what) => format!("internal error: {what}"),
    }
}

/// The paths of a program as text, in the order of the inputs that take them.
fn outcome(program: &Verified, d: &Directions, fast: bool) -> String {
    let mut way = d.way.clone();
    way.options.fast = fast;
    let mut run = explore(program.clone(), &way);
    assert!(run.complete || d.partial, "not everything was explored");
    let m = &mut run.machine;
    // Paths share the symbols of objects of one name: those of all paths are the input.
    let mut symbols: Vec<(Symbol, String)> = Vec::new();
    for (s, _) in &run.paths {
        for o in s.objects.iter() {
            for (i, symbol) in o.symbols.iter().enumerate() {
                if symbols.iter().all(|(known, _)| known != symbol) {
                    symbols.push((*symbol, format!("{}[{i}]", o.name)));
                }
            }
        }
    }
    let names: Vec<String> = symbols.iter().map(|s| s.1.clone()).collect();
    let symbols: Vec<Symbol> = symbols.iter().map(|s| s.0).collect();
    let models = inputs(&symbols);
    let mut taken_by = vec![0; models.len()];
    let mut shown = Vec::new();
    for (s, end) in &mut run.paths {
        let mut taken = Vec::new();
        for (n, model) in models.iter().enumerate() {
            let holds = s
                .path
                .iter()
                .all(|c| m.reason.evaluator.eval(&m.reason.pool, c.term, model) == 1);
            if holds {
                taken.push(n);
                taken_by[n] += 1;
            }
        }
        let first = *taken.first().expect("a path has an input");
        let mut text = ending(m, s, end, &models, &taken);
        match names.as_slice() {
            [] => {}
            [name] => {
                let _ = write!(text, "\n  {name} in {}", ranges(&taken));
            }
            names => {
                let [low, high] = [first & 0xff, first >> 8];
                let count = taken.len();
                let _ = write!(
                    text,
                    "\n  {count} inputs, the least {} = {low}, {} = {high}",
                    names[0], names[1]
                );
            }
        }
        if let Some((address, size)) = global(&m.module.clone(), "out") {
            let bytes = content(m, s, address, size, &models[first]);
            let bytes = bytes
                .iter()
                .map(|b| b.map_or("--".into(), |b| format!("{b:02x}")));
            let _ = write!(text, "\n  out {}", bytes.collect::<Vec<_>>().join(" "));
        }
        let mut written = Vec::new();
        for out in env_c::world(s)
            .output()
            .iter()
            .filter(|o| o.stream == Stream::Stdout)
        {
            written.extend(env_c::bytes_under(m, &out.bytes, &models[first]));
        }
        if !written.is_empty() {
            let _ = write!(text, "\n  stdout {}", written.escape_ascii());
        }
        shown.push((first, text));
    }
    if !d.partial {
        let odd = taken_by.iter().position(|n| *n != 1);
        assert_eq!(odd, None, "this input takes no path, or several");
    }
    shown.sort();
    let mut text = String::new();
    for (_, path) in shown {
        for line in path.lines() {
            let _ = writeln!(text, ";= {line}");
        }
    }
    text
}

fn check(path: &Path, bless: bool) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let d = directions(&text);
    let kept = text.lines().filter(|l| !l.starts_with(";="));
    let kept: String = kept.map(|l| format!("{l}\n")).collect();
    let module = ir::parse::parse(&kept).map_err(|e| e.to_string())?;
    let program = Verified::new(module).map_err(|e| e.to_string())?;
    let run = |fast| {
        let run = std::panic::AssertUnwindSafe(|| outcome(&program, &d, fast));
        std::panic::catch_unwind(run).map_err(|_| "it panicked, see above".to_string())
    };
    let (fast, slow) = (run(true)?, run(false)?);
    if fast != slow {
        return Err(format!("with the inner loop:\n{fast}without it:\n{slow}"));
    }
    let new = format!("{kept}{fast}");
    if new == text {
        return Ok(());
    }
    if bless {
        return std::fs::write(path, new).map_err(|e| e.to_string());
    }
    let old = text.lines().filter(|l| l.starts_with(";="));
    let old: String = old.map(|l| format!("{l}\n")).collect();
    Err(format!("expected:\n{old}but it does:\n{fast}"))
}

#[test]
fn programs_do_what_their_files_say() {
    let bless = std::env::var_os("POLYPATH_BLESS").is_some_and(|v| v == "1");
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ir");
    let files = std::fs::read_dir(directory).unwrap();
    let mut files: Vec<PathBuf> = files.map(|f| f.unwrap().path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "ir"));
    files.sort();
    assert!(!files.is_empty());
    let failed = files.iter().filter_map(|f| {
        let why = check(f, bless).err()?;
        Some(format!("{}:\n{why}", f.display()))
    });
    let failed: Vec<String> = failed.collect();
    assert!(failed.is_empty(), "\n{}", failed.join("\n"));
}

/// What a program is expected to do is looked at: another expectation fails, and blessing writes what it does.
#[test]
fn a_wrong_expectation_is_found() {
    let path = std::env::temp_dir().join(format!("polypath-{}.ir", std::process::id()));
    let program = "entry main main\nfunction main(32, 64, 64) -> (32)\n    Ret 7\n";
    std::fs::write(&path, format!("{program};= exit 8\n")).unwrap();
    let wrong = check(&path, false);
    let blessed = check(&path, true);
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(
        wrong.unwrap_err(),
        "expected:\n;= exit 8\nbut it does:\n;= exit 7\n"
    );
    assert_eq!(blessed, Ok(()));
    assert_eq!(text, format!("{program};= exit 7\n"));
}
