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

/// Why a run that found nothing says nothing about its program, if that is so: a success that CI must not take for one.
fn says_nothing(stats: &RunStats) -> Option<String> {
    let left_out = stats.halted.is_some();
    if left_out && stats.completed_paths == 0 {
        return Some("no path was explored to its end".into());
    }
    let name = explore::Loss::Divergences.name();
    let divergences = stats.more.get(name).and_then(serde_json::Value::as_u64);
    match divergences {
        Some(n @ 1..) => Some(format!(
            "{n} inputs did not take the paths for which they were made"
        )),
        _ => None,
    }
}

/// The exit status of a run that is over, or that was stopped: `stopped` if by a signal.
pub fn exit(stats: &RunStats, found: u64, failed: bool, strict: bool, stopped: bool) -> Exit {
    let left_out = stats.halted.is_some();
    let exit = match says_nothing(stats) {
        Some(_) => Exit::of_run(found, failed, true, true),
        None => Exit::of_run(found, failed, left_out || is_bounded(stats), strict),
    };
    if stopped && left_out {
        exit.unless_stopped()
    } else {
        exit
    }
}

/// The exit status of a run that found errors, if none of them counted: from its statistics, as they were written.
pub fn besides_errors(stats: &RunStats, strict: bool, stopped: bool) -> Exit {
    let count = |name: &str| stats.more.get(name).and_then(serde_json::Value::as_u64);
    let internal = stats.endings.contains_key(explore::Ending::Internal.name());
    let wrong = count(explore::Loss::Models.name()).unwrap_or(0);
    let failed = internal || wrong + stats.tests_lost > 0 || !stats.failures.is_empty();
    exit(stats, 0, failed, strict, stopped)
}

/// Prints the claim of the run. Losses are always listed, since "nothing found" alone would be a claim. `command`
/// continues the run in this directory if it can be continued.
pub fn say(stats: &RunStats, dir: &std::path::Path, command: &str, quiet: bool, strict: bool) {
    match &stats.halted {
        Some(why) => {
            say::err!("polypath: not everything was explored: {why}");
            if stats.errors == 0
                && let Some(why) = says_nothing(stats)
            {
                say::err!("polypath: no claim about the program: {why} (docs/exit.md)");
            }
            if testcase::frontier::exists(dir) {
                let dir = testcase::shell::word(dir.as_os_str().as_encoded_bytes());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_says_nothing_is_no_success() {
        let stats = |halted: bool, paths, divergences: u64| RunStats {
            halted: halted.then(|| "time limit".into()),
            completed_paths: paths,
            more: [("divergences".to_string(), divergences.into())].into(),
            ..RunStats::default()
        };
        let exit = |stats: &RunStats, found| super::exit(stats, found, false, false, false);
        assert_eq!(exit(&stats(false, 3, 0), 0), Exit::Nothing);
        assert_eq!(exit(&stats(true, 3, 0), 0), Exit::Nothing);
        // Nothing was left out of a program that has no path.
        assert_eq!(exit(&stats(false, 0, 0), 0), Exit::Nothing);
        assert_eq!(exit(&stats(true, 0, 0), 0), Exit::LeftOut);
        assert_eq!(exit(&stats(true, 3, 1), 0), Exit::LeftOut);
        // What was found was found.
        assert_eq!(exit(&stats(true, 0, 1), 2), Exit::Found);
        // Errors that do not count hide no file that was not written.
        let mut stats = stats(false, 3, 0);
        assert_eq!(besides_errors(&stats, false, false), Exit::Nothing);
        stats.failures.push("no witness was written".into());
        assert_eq!(besides_errors(&stats, false, false), Exit::Failed);
    }
}
