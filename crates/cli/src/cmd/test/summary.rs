//! What is said of all targets together: lines for people, `test.json` for scripts, and the exit status.

use super::shared::LEAST;
use super::target::Outcome;
use super::{Course, worse};
use crate::cmd::show;
use crate::exit::Exit;
use crate::project::Project;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use testcase::{Bug, ErrorRecord, Run, bug, suppress};
use vocab::counted;

/// Errors that are printed with their input.
const SHOWN: usize = 20;

/// An error of one target or several.
struct Found<'a> {
    bug: Bug<'a>,
    /// The outcomes that show it.
    targets: Vec<&'a Outcome>,
}

/// Marks what is suppressed, writes reports, and says what was found.
pub fn conclude(
    course: &Course<'_>,
    project: &Project,
    file: &Path,
    mut outcomes: Vec<Outcome>,
) -> anyhow::Result<Exit> {
    let here = std::env::current_dir()?;
    let mut used = vec![false; project.suppressions.len()];
    for outcome in &mut outcomes {
        if outcome.run.is_none() {
            continue;
        }
        let marked = suppress::mark(&outcome.dir, &mut |bug| {
            let mut fitting = None;
            for ((_, suppression), used) in project.suppressions.iter().zip(&mut used) {
                if suppression.fits(bug, &here) {
                    *used = true;
                    fitting.get_or_insert(suppression);
                }
            }
            fitting.map(|s| s.reason.clone())
        });
        if !project.suppressions.is_empty()
            && let Err(e) = testcase::ctest::write(&outcome.dir)
        {
            // With the marks, too.
            say::err!("polypath: {}: {e:#}", outcome.name);
            outcome.exit = worse(outcome.exit, Exit::Failed);
        }
        let reported = marked.and_then(|()| testcase::report::run(&outcome.dir));
        match reported {
            Ok(written) => {
                for problem in &written.problems {
                    say::err!("polypath: {}: {problem}", outcome.name);
                    outcome.exit = worse(outcome.exit, Exit::Failed);
                }
            }
            Err(e) => {
                say::err!("polypath: {}: {e:#}", outcome.name);
                outcome.exit = worse(outcome.exit, Exit::Failed);
            }
        }
        // With the marks.
        outcome.run = Run::without_tests(&outcome.dir).ok();
    }
    let tests = tests_as_source(course, project, &outcomes)?;
    let mut runs: Vec<(&str, &mut Run)> = outcomes
        .iter_mut()
        .filter_map(|o| Some((&o.name[..], o.run.as_mut()?)))
        .collect();
    // (What cannot be read of a run was said above.)
    let coverage = testcase::report::together(course.results.path(), &mut runs)?;
    let ways = coverage.counts().branches;
    let found = found(&outcomes);
    let stale: Vec<usize> = (0..used.len())
        .filter(|at| !used[*at] && could_have_shown(project, *at, &outcomes, &here))
        .collect();
    let open = found.iter().filter(|f| f.bug.suppressed().is_none());
    let exit = exit(
        &outcomes,
        open.count(),
        project.stale_fails && !stale.is_empty(),
    );
    let all = Summary {
        outcomes: &outcomes,
        found: &found,
        stale: &stale,
        ways,
        tests,
    };
    say(course, project, file, &all);
    let record = record(project, &all, exit);
    course.results.write("test.json", &record)?;
    Ok(exit)
}

/// The directory of all functions' tests as source. (A function has no such name.)
const C_TESTS: &str = "c-tests";

/// Brings the tests of a library's functions together that were written as source, those of earlier commands, too.
fn tests_as_source(
    course: &Course<'_>,
    project: &Project,
    outcomes: &[Outcome],
) -> anyhow::Result<Option<PathBuf>> {
    if outcomes.iter().all(|o| o.is_named) {
        return Ok(None);
    }
    let targets = project.targets.iter().map(|t| &t.name[..]);
    let places: Vec<(&str, PathBuf)> = targets.map(|t| (t, course.results.of(t))).collect();
    let runs: Vec<(&str, &Path)> = places
        .iter()
        .map(|(name, dir)| (*name, dir.as_path()))
        .collect();
    testcase::ctest::collect(&course.results.path().join(C_TESTS), &runs)
}

/// The status of all targets together.
fn exit(outcomes: &[Outcome], open: usize, stale_fails: bool) -> Exit {
    let mut exit = Exit::Nothing;
    for outcome in outcomes {
        exit = worse(exit, outcome.exit);
    }
    if stale_fails {
        exit = worse(exit, Exit::LeftOut);
    }
    if open > 0 {
        worse(exit, Exit::Found)
    } else {
        exit
    }
}

/// The errors of all targets; those that several show, once.
fn found(outcomes: &[Outcome]) -> Vec<Found<'_>> {
    let runs = || outcomes.iter().filter_map(|o| Some((o, o.run.as_ref()?)));
    let errors = runs().flat_map(|(_, run)| &run.errors);
    let with_targets = |bug: Bug<'_>| {
        let shows = |run: &Run| {
            let of_bug = |e: &ErrorRecord| bug.stacks.iter().any(|stack| std::ptr::eq(*stack, e));
            run.errors.iter().any(of_bug)
        };
        runs()
            .filter(|(_, run)| shows(run))
            .map(|(o, _)| o)
            .collect()
    };
    bug::of_program(errors)
        .into_iter()
        .map(|bug| Found {
            targets: with_targets(bug.clone()),
            bug,
        })
        .collect()
}

/// Were all targets explored that could show what this suppression is about?
fn could_have_shown(project: &Project, at: usize, outcomes: &[Outcome], here: &Path) -> bool {
    let (_, suppression) = &project.suppressions[at];
    project.targets.iter().all(|target| {
        let outcome = outcomes.iter().find(|o| o.name == target.name);
        let Some(outcome) = outcome else { return false };
        if outcome.is_explored() {
            return true;
        }
        // One that has none of the file's code cannot show it.
        let run = outcome.run.as_ref();
        let coverage = run.and_then(|run| run.coverage.as_ref());
        let files = coverage.map(|coverage| &coverage.files[..]);
        files.is_some_and(|files| {
            !files.is_empty() && !files.iter().any(|f| suppression.is_in(&f.path, here))
        })
    })
}

/// Bugs by what is said of them.
#[derive(Clone, Copy, Debug, Default)]
struct BugCounts {
    /// Not suppressed.
    open: usize,
    /// Of those, what a function's contract may exclude.
    doubtful: usize,
    suppressed: usize,
}

impl BugCounts {
    fn of<'a>(bugs: impl Iterator<Item = &'a Bug<'a>>) -> BugCounts {
        let mut counts = BugCounts::default();
        for bug in bugs {
            let is_open = bug.suppressed().is_none();
            counts.suppressed += usize::from(!is_open);
            counts.open += usize::from(is_open);
            counts.doubtful += usize::from(is_open && bug.is_doubtful());
        }
        counts
    }
}

impl std::fmt::Display for BugCounts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&counted(self.open, "error"))?;
        if self.doubtful > 0 {
            write!(f, " ({} precondition likely)", self.doubtful)?;
        }
        if self.suppressed > 0 {
            write!(f, ", {} suppressed", self.suppressed)?;
        }
        Ok(())
    }
}

/// The line of a target.
fn line(outcome: &Outcome) -> String {
    let name = &outcome.name;
    let stats = outcome.run.as_ref().and_then(|run| run.stats.as_ref());
    let (Some(run), Some(stats)) = (&outcome.run, stats) else {
        let why = outcome.trouble.as_deref().unwrap_or("it left no results");
        return format!("{name}: not explored: {why}");
    };
    let bugs = bug::of_program(&run.errors);
    let tests = counted(stats.tests, "test");
    let mut text = format!("{name}: {tests}, {}; ", BugCounts::of(bugs.iter()));
    match &stats.halted {
        Some(why) => text += why,
        // All paths ended in what the driver does first: where a constructor fails, there is no call.
        None if stats.completed_paths == 0 => {
            text += "nothing was explored: no path came to its end";
        }
        None if stats.bounds.is_empty() => text += "everything was explored",
        None if !outcome.is_named => text += "everything was explored within its bounds",
        None => {
            let bounds: Vec<&str> = stats.bounds.values().map(|w| &w[..]).collect();
            text += &format!("everything was explored within this: {}", bounds.join("; "));
        }
    }
    if let Some(replayed) = &outcome.replayed {
        let all = replayed.tests.len();
        let same = replayed
            .tests
            .iter()
            .filter(|t| t.verdict.is_as_predicted());
        text += &format!("; replay: {} of {all} as predicted", same.count());
        if let n @ 1.. = replayed.divergences.len() {
            text += &format!(", {n} diverge");
        }
        if let Some(why) = &replayed.incomplete {
            text += &format!(" ({why})");
        }
    }
    if let Some(why) = &outcome.trouble {
        text += &format!("; {why}");
    }
    text
}

/// What there is to say.
struct Summary<'a> {
    outcomes: &'a [Outcome],
    found: &'a [Found<'a>],
    /// Suppressions by number.
    stale: &'a [usize],
    /// Ways out of branches: covered, all.
    ways: (u64, u64),
    /// Where the tests are that were written as source.
    tests: Option<PathBuf>,
}

/// What the budget did not reach, and how much would.
fn unserved(outcomes: &[Outcome]) -> Option<String> {
    let names = outcomes.iter().filter(|o| o.is_unserved);
    let names: Vec<&str> = names.map(|o| &o.name[..]).collect();
    if names.is_empty() {
        return None;
    }
    // A first look takes half of a budget.
    let needed = 2 * LEAST.as_secs() * outcomes.len() as u64;
    Some(format!(
        "{} without a look, since there was no time left: {}\n--time {needed} gives each {} s at first",
        counted(names.len(), "function"),
        names.join(", "),
        LEAST.as_secs()
    ))
}

fn say(course: &Course<'_>, project: &Project, file: &Path, all: &Summary<'_>) {
    let Summary {
        outcomes,
        found,
        stale,
        ways,
        tests,
    } = all;
    for outcome in outcomes.iter().filter(|o| !o.is_unserved) {
        say::out!("{}", line(outcome));
    }
    if let Some(text) = unserved(outcomes) {
        say::out!("{text}");
    }
    let open = found.iter().filter(|f| f.bug.suppressed().is_none());
    let (doubtful, certain): (Vec<_>, Vec<_>) = open.partition(|f| f.bug.is_doubtful());
    for Found { bug, targets } in certain.iter().take(SHOWN) {
        say::out!("\n{bug}");
        told_by(targets);
        let owner = owner(targets, bug.shown());
        for line in owner.map_or(Vec::new(), |(_, run)| show::lines(run)(bug.shown())) {
            say::out!("    {line}");
        }
    }
    more_errors(certain.len());
    let conditions = by_condition(&doubtful);
    if !doubtful.is_empty() {
        let counts = match conditions.len() {
            n if n == doubtful.len() => String::new(),
            n => format!(" ({} errors, {})", doubtful.len(), counted(n, "condition")),
        };
        say::out!(
            "\nprecondition likely: each happens only if a caller does what the function may forbid{counts}"
        );
    }
    for errors in conditions.iter().take(SHOWN) {
        say::out!("{}", assumption(errors));
        let mut targets: Vec<&Outcome> = Vec::new();
        for target in errors.iter().flat_map(|f| &f.targets) {
            if !targets.iter().any(|t| t.name == target.name) {
                targets.push(target);
            }
        }
        told_by(&targets);
    }
    let more: usize = conditions.iter().skip(SHOWN).map(Vec::len).sum();
    more_errors(SHOWN + more);
    let mut is_first = true;
    let mut part = |text: String| {
        say::out!("{}{text}", if is_first { "\n" } else { "" });
        is_first = false;
    };
    for (_, suppression) in &project.suppressions {
        let reason = Some(&suppression.reason[..]);
        let n = found
            .iter()
            .filter(|f| f.bug.suppressed() == reason)
            .count();
        if n > 0 {
            part(format!(
                "suppressed: {n} × {suppression}: {}",
                suppression.reason
            ));
        }
    }
    for at in *stale {
        let (line, suppression) = &project.suppressions[*at];
        part(format!(
            "{}:{line}: stale: nothing shows {suppression} any more",
            file.display()
        ));
    }
    let counts = BugCounts::of(found.iter().map(|f| &f.bug));
    let is_library = outcomes.iter().any(|o| !o.is_named);
    let what = if is_library { "function" } else { "target" };
    let mut text = format!("{}: {counts}", counted(outcomes.len(), what));
    if !stale.is_empty() {
        text += &format!(", {}", counted(stale.len(), "stale suppression"));
    }
    if ways.1 > 0 {
        text += &format!("; {} of {} branches", ways.0, ways.1);
    }
    let pages = course.results.path().join("*/report.html");
    say::out!("{text}; {}", super::shown(&pages).display());
    if let Some(lists) = tests {
        say::out!("tests as C: {}", super::shown(lists).display());
    }
    let can_go_on = outcomes.iter().any(|o| {
        let run = o.run.as_ref();
        let is_left = run.is_some_and(|run| testcase::frontier::exists(&run.dir));
        is_left || matches!(o.exit, Exit::Status(_))
    });
    if can_go_on {
        say::err!(
            "polypath: to continue what was not explored: {}",
            course.again
        );
    }
}

/// The functions that show an error, if there are several.
fn told_by(targets: &[&Outcome]) {
    if targets.len() < 2 {
        return;
    }
    let names: Vec<&str> = targets.iter().take(SHOWN).map(|o| &o.name[..]).collect();
    let more = match targets.len() - names.len() {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    say::out!("    in {}{more}", names.join(", "));
}

/// Errors that a contract may exclude; those of one kind that need the same are together: that all functions of a library want their object
/// is one thing to know.
fn by_condition<'a>(doubtful: &[&'a Found<'a>]) -> Vec<Vec<&'a Found<'a>>> {
    let needs = |found: &Found<'_>| {
        let error = found.bug.shown();
        let needed = error.made_up.as_ref().or(error.precondition.as_ref());
        (error.kind, needed.cloned())
    };
    let mut groups: Vec<Vec<&Found<'_>>> = Vec::new();
    for found in doubtful {
        match groups.iter_mut().find(|g| needs(g[0]) == needs(found)) {
            Some(group) => group.push(found),
            None => groups.push(vec![found]),
        }
    }
    groups
}

/// How many errors there are besides those that are shown.
fn more_errors(all: usize) {
    if let more @ 1.. = all.saturating_sub(SHOWN) {
        say::out!("{more} more errors: polypath show DIR --errors, for each target");
    }
}

/// The target that has this error in its results.
fn owner<'a>(targets: &[&'a Outcome], error: &ErrorRecord) -> Option<(&'a Outcome, &'a Run)> {
    let mut runs = targets.iter().filter_map(|o| Some((*o, o.run.as_ref()?)));
    runs.find(|(_, run)| run.errors.iter().any(|e| std::ptr::eq(e, error)))
}

/// The line of errors that contracts may exclude: what they need, which is to be judged first, and the test of the first one.
fn assumption(errors: &[&Found<'_>]) -> String {
    let Found { bug, targets } = errors[0];
    let shown = ErrorRecord {
        input: Vec::new(),
        ..bug.shown().clone()
    };
    let mut text = format!("- {shown}");
    if let places @ 2.. = errors.iter().map(|f| f.bug.places()).sum::<usize>() {
        text += &format!("; {places} places");
    }
    if let (Some((target, _)), false) = (owner(targets, bug.shown()), shown.test.is_empty()) {
        text += &format!("; {}/tests/{}", target.name, shown.test);
    }
    text
}

/// The same for scripts.
fn record(project: &Project, all: &Summary<'_>, exit: Exit) -> Value {
    let Summary {
        outcomes,
        found,
        stale,
        ways,
        tests,
    } = all;
    let tests = tests.as_ref().map(|lists| lists.to_string_lossy());
    let targets = outcomes.iter().map(|o| {
        let stats = o.run.as_ref().and_then(|run| run.stats.as_ref());
        json!({
            "name": o.name,
            "status": u8::from(o.exit),
            "trouble": o.trouble,
            "explored": o.is_explored(),
            "halted": stats.and_then(|s| s.halted.clone()),
            "tests": stats.map(|s| s.tests),
            "covered_branches": stats.map(|s| s.covered_branches),
            "total_branches": stats.map(|s| s.total_branches),
            "replay": o.replayed.as_ref().map(|r| &r.totals),
        })
    });
    let errors = found.iter().map(|Found { bug, targets }| {
        let e = bug.shown();
        json!({
            "kind": e.kind,
            "file": e.file,
            "line": e.line,
            "column": e.column,
            "function": e.function,
            "message": e.message,
            "precondition": e.precondition,
            "made_up": e.made_up,
            "places": bug.places(),
            "paths": bug.paths(),
            "targets": targets.iter().map(|o| &o.name).collect::<Vec<_>>(),
            "suppressed": bug.suppressed(),
        })
    });
    let stale = stale.iter().map(|at| {
        let (line, suppression) = &project.suppressions[*at];
        json!({"line": line, "suppression": suppression.to_string()})
    });
    json!({
        "status": u8::from(exit),
        "covered_branches": ways.0,
        "total_branches": ways.1,
        "targets": targets.collect::<Vec<_>>(),
        "errors": errors.collect::<Vec<_>>(),
        "stale": stale.collect::<Vec<_>>(),
        "c_tests": tests,
    })
}
