//! The queries: programs run with `--log-queries`, duplicates go, a sample stays; and the first ones of
//! each program in order.
//!
//! Samples lie in `OUT/solvers/PROGRAM/`, streams beside them, and are taken again by the next run with
//! the same count, so that two versions of the solver can be compared on the same queries.

pub mod log;
mod stream;

use self::log::Log;
use super::{Context, fresh_dir, run, trees};
use anyhow::{Context as _, Result, ensure};
use std::path::{Path, PathBuf};
pub use stream::Stream;

/// CPU seconds of a run that is logged.
const SECONDS: f64 = 10.0;

/// A program whose queries are logged.
pub struct LoggedProgram {
    pub name: &'static str,
    /// The name `bench/fetch` knows, and where it leaves the program.
    pub tree: &'static str,
    pub path: &'static str,
    /// Its symbolic input.
    pub arguments: &'static [&'static str],
}

#[rustfmt::skip]
pub const PROGRAMS: &[LoggedProgram] = &[
    LoggedProgram { name: "sort", tree: "coreutils", path: "src/sort", arguments: &["--sym-args", "1", "2", "3", "--sym-files", "1", "10"] },
    LoggedProgram { name: "bc", tree: "bc", path: "bc/bc", arguments: &["--sym-stdin", "10"] },
    LoggedProgram { name: "grep", tree: "grep", path: "src/grep", arguments: &["--sym-arg", "6", "--sym-stdin", "8"] },
    LoggedProgram { name: "gawk", tree: "gawk", path: "gawk", arguments: &["--sym-arg", "8", "--sym-stdin", "6"] },
    LoggedProgram { name: "flex-dates", tree: "flex", path: "flex-dates", arguments: &["--sym-stdin", "12"] },
    LoggedProgram { name: "flex-numbers", tree: "flex", path: "flex-numbers", arguments: &["--sym-stdin", "8"] },
    LoggedProgram { name: "flex-string1", tree: "flex", path: "flex-string1", arguments: &["--sym-stdin", "8"] },
    LoggedProgram { name: "flex-wc", tree: "flex", path: "flex-wc", arguments: &["--sym-stdin", "8"] },
    LoggedProgram { name: "flex-j2t", tree: "flex", path: "flex-j2t", arguments: &["--sym-stdin", "10"] },
    LoggedProgram { name: "libyaml", tree: "libyaml", path: "yaml-scan", arguments: &["--sym-stdin", "12"] },
];

/// The program that a query of the sample is from.
pub fn program_of(query: &Path) -> Option<&str> {
    query.parent()?.file_name()?.to_str()
}

/// What is asked.
pub struct Collection {
    /// One script each.
    pub queries: Vec<PathBuf>,
    /// In order, by program.
    pub streams: Vec<Stream>,
}

/// The queries of the programs that the context chooses.
pub fn collect(context: &Context) -> Result<Collection> {
    let dir = context.out.join("solvers");
    let made_for = dir.join("made-for");
    let is_named = |p: &&LoggedProgram| context.only.iter().any(|o| o == p.name);
    let all = !PROGRAMS.iter().any(|p| is_named(&p));
    let chosen = PROGRAMS.iter().filter(|p| all || is_named(p));
    let chosen: Vec<&LoggedProgram> = chosen.collect();
    let names: Vec<&str> = chosen.iter().map(|p| p.name).collect();
    let key = format!("{} of {}", context.count(), names.join(" "));
    if !std::fs::read_to_string(&made_for).is_ok_and(|text| text == key) {
        fresh_dir(&dir)?;
        std::fs::create_dir_all(&dir)?;
        gather(context, &chosen, &dir)?;
        std::fs::write(&made_for, key)?;
    }
    let mut collection = Collection {
        queries: Vec::new(),
        streams: Vec::new(),
    };
    for program in &chosen {
        collection.queries.extend(files(&dir.join(program.name))?);
        let base = stream::base(&dir, program.name);
        collection.streams.push(Stream::open(program.name, base));
    }
    ensure!(!collection.queries.is_empty(), "no query was logged");
    Ok(collection)
}

/// Logs, samples, and writes the files.
fn gather(context: &Context, chosen: &[&LoggedProgram], dir: &Path) -> Result<()> {
    let count = context.count() as usize;
    let raw = context.out.join("solvers-raw");
    let mut found: Vec<Vec<PathBuf>> = Vec::new();
    for program in chosen {
        say::err_part!("solvers: logging the queries of {}: ", program.name);
        fresh_dir(&raw)?;
        log_queries(context, program, &raw)?;
        // What a program cannot give, others may.
        let most = count.min(4 * count.div_ceil(chosen.len()));
        let log = Log::read(
            &raw.join("queries.smt2"),
            most,
            count.div_ceil(chosen.len()),
        )?;
        Stream::write(&log, program.name, stream::base(dir, program.name))?;
        let own = dir.join(program.name);
        std::fs::create_dir_all(&own)?;
        let mut paths = Vec::new();
        let scripts = log.scripts().filter(|s| !log::has_floats(s));
        for (k, script) in scripts.enumerate() {
            let path = own.join(format!("{k:05}.smt2"));
            std::fs::write(&path, script)?;
            paths.push(path);
        }
        say::err!(
            "{} queries, {} distinct ones kept",
            log.queries,
            paths.len()
        );
        found.push(paths);
    }
    fresh_dir(&raw)?;
    let kept = shares(&found, count);
    for (paths, kept) in found.iter().zip(kept) {
        for path in &paths[kept.len()..] {
            std::fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// Runs a program with a log of its queries.
fn log_queries(context: &Context, program: &LoggedProgram, log: &Path) -> Result<()> {
    let tree = trees::fetched(program.tree)?;
    let out = context.out.join("runs").join(program.name);
    let mut command = run::explore(context, &out)?;
    command.args(["--no-tests", "--cpu-time", &SECONDS.to_string()]);
    command.arg("--log-queries").arg(log);
    command.args(&context.run_options);
    command.arg(tree.join(program.path)).args(program.arguments);
    run::finish(&mut command, program.name, 20.0 * SECONDS + 60.0)?;
    Ok(())
}

/// The files of a directory by name.
fn files(dir: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(dir).with_context(|| dir.display().to_string())?;
    let mut files = Vec::new();
    for entry in entries {
        files.push(entry?.path());
    }
    files.sort();
    Ok(files)
}

/// The first ones of each list, as many of each as there are, `count` in all if there are as many.
pub fn shares(lists: &[Vec<PathBuf>], count: usize) -> Vec<&[PathBuf]> {
    let mut taken = vec![0; lists.len()];
    let mut left = count;
    loop {
        let open: Vec<usize> = (0..lists.len())
            .filter(|&k| taken[k] < lists[k].len())
            .collect();
        if left == 0 || open.is_empty() {
            let each = lists.iter().zip(taken);
            return each.map(|(list, n)| &list[..n]).collect();
        }
        let share = left.div_ceil(open.len());
        for k in open {
            let more = share.min(left).min(lists[k].len() - taken[k]);
            taken[k] += more;
            left -= more;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_program_lacks_others_give() {
        let list = |n: usize| vec![PathBuf::from("q"); n];
        let lists = [list(2), list(50), list(30)];
        let taken =
            |count| -> Vec<usize> { shares(&lists, count).iter().map(|s| s.len()).collect() };
        assert_eq!(taken(30), [2, 14, 14]);
        assert_eq!(taken(1000), [2, 50, 30]);
    }
}
