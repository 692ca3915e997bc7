//! The claim "everything was explored" and its limits, for a run of any language.

use crate::exit::Exit;
use explore::Bound;
use std::collections::BTreeMap;
use testcase::RunStats;

/// Limits by their names, for `stats.json`.
pub fn named(bounds: Vec<(Bound, String)>) -> BTreeMap<String, String> {
    let named = bounds.into_iter();
    named
        .map(|(bound, words)| (bound.name().to_string(), words))
        .collect()
}

/// Does the claim have a limit that `--strict` does not take?
fn is_bounded(stats: &RunStats) -> bool {
    let mut strict = Bound::ALL.iter().filter(|b| b.is_strict());
    strict.any(|b| stats.bounds.contains_key(b.name()))
}

/// The exit status of a run that is over.
pub fn exit(stats: &RunStats, found: u64, failed: bool, strict: bool) -> Exit {
    let left_out = stats.halted.is_some() || is_bounded(stats);
    Exit::of_run(found, failed, left_out, strict)
}

/// Prints the claim of the run. Losses are always listed, since "nothing found" alone would be a claim. `command`
/// continues the run in this directory if it can be continued.
pub fn say(stats: &RunStats, dir: &std::path::Path, command: &str, quiet: bool, strict: bool) {
    match &stats.halted {
        Some(why) => {
            say::err!("polypath: not everything was explored: {why}");
            if testcase::frontier::exists(dir) {
                let dir = testcase::report::shell_word(dir.as_os_str().as_encoded_bytes());
                say::err!("polypath: to continue: {command} --resume {dir}");
            }
        }
        None if quiet && !(strict && is_bounded(stats)) => {}
        None if stats.bounds.is_empty() => say::err!("polypath: everything was explored"),
        None => {
            let bounds: Vec<&str> = stats.bounds.values().map(|words| &words[..]).collect();
            say::err!(
                "polypath: everything was explored within this: {}",
                bounds.join("; ")
            );
        }
    }
}
