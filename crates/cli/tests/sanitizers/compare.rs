//! Verdicts of `polypath` held against the truth.

use super::case::{After, Case, INPUTS, Kind, Lines};
use super::setting::{Built, Found, Half, Mark, Report, Setting, batch, explore, sought};
use super::truth::{CASES, Truth, text, truths};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use testkit::{Place, Random};

/// Cases of one program.
pub const BATCH: usize = 60;

/// In what a run and the truth differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// No error is reported of a case that fails for some input.
    Missed,
    /// An input that fails comes to its end.
    MissedSome,
    /// An error is reported for inputs that do not fail.
    FalseAlarm,
    /// The error is of another kind.
    OtherKind,
    /// Another line is reported.
    Line,
    /// Another result than natively.
    Result,
    /// An input that does not fail does not come to its end.
    Lost,
    /// The run does not claim that everything was explored.
    LeftOut,
}

/// A difference that is understood and stays.
struct Explained {
    kind: &'static str,
    what: What,
    /// In programs that are built so, or in all.
    built: Option<Built>,
    /// What the case has in it.
    has: &'static str,
    /// Why it is right so, or why it stays.
    #[expect(dead_code, reason = "for whoever reads the list")]
    because: &'static str,
}

const READS_AHEAD: Explained = Explained {
    kind: "scalars",
    what: What::FalseAlarm,
    built: Some(Built::Optimized),
    has: "",
    because: "an optimizer reads ahead of conditions what may not have been written, and `--check uninit` tells reads",
};

const EXPLAINED: &[Explained] = &[
    READS_AHEAD,
    // The path ends there.
    Explained {
        what: What::Lost,
        ..READS_AHEAD
    },
    Explained {
        kind: "structures",
        ..READS_AHEAD
    },
    Explained {
        kind: "structures",
        what: What::Lost,
        ..READS_AHEAD
    },
    Explained {
        kind: "conversions",
        because: "an optimizer converts ahead of a condition, and drops the result",
        ..READS_AHEAD
    },
];

/// One difference.
#[derive(Clone, Debug)]
pub struct Disagreement {
    pub what: What,
    /// The case, if it is about one.
    pub case: Option<usize>,
    pub words: String,
}

impl Disagreement {
    fn is_explained(&self, kind: &Kind, setting: Setting, cases: &[Case]) -> bool {
        EXPLAINED.iter().any(|e| {
            let has = |n: usize| cases[n].text.contains(e.has);
            let built = e.built.is_none_or(|built| built == setting.built);
            let same = e.kind == kind.name && e.what == self.what && built;
            same && self.case.is_some_and(has)
        })
    }
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.what)?;
        if let Some(n) = self.case {
            write!(f, " in case_{n}")?;
        }
        write!(f, ": {}", self.words)
    }
}

/// Where a run and the truth differ.
///
/// Bitcode that an optimizer wrote is another program: what fails in C may be gone, or may have become anything. It has
/// to do the same where nothing fails, and if a check cannot be made the run has to say so.
pub fn judge(
    kind: &Kind,
    setting: Setting,
    truths: &[Truth],
    sought: &[Option<u32>],
    report: &Report,
) -> Vec<Disagreement> {
    let optimized = setting.built == Built::Optimized;
    let mut wrong = Vec::new();
    let mut tell = |what, case, words: String| wrong.push(Disagreement { what, case, words });
    if let Some(why) = &report.halted
        && !(optimized && why.contains("calls that cannot be checked"))
    {
        tell(What::LeftOut, None, why.clone());
    }
    let mut seen = BTreeSet::new();
    let mut lines = BTreeMap::<usize, BTreeSet<u32>>::new();
    for found in &report.errors {
        let Found {
            around,
            mark,
            line,
            error,
        } = found;
        let words = error.to_string();
        let is_of_kind = kind.errors.contains(&error.kind.id());
        match (*around, mark) {
            (Some((false, n)), Some(Mark::Seen)) => {
                seen.insert(n);
            }
            (Some((false, n)), Some(Mark::Wrong)) => tell(What::Result, Some(n), words),
            (Some((true, n)), Some(Mark::Past)) if !optimized => {
                tell(What::MissedSome, Some(n), words);
            }
            (Some((true, n)), None) if is_of_kind => {
                lines.entry(n).or_default().insert(*line);
            }
            (Some((true, _)), _) if optimized => {}
            (Some((true, n)), _) => tell(What::OtherKind, Some(n), words),
            (Some((false, n)), _) => tell(What::FalseAlarm, Some(n), words),
            (None, _) => tell(What::FalseAlarm, None, words),
        }
    }
    for (n, truth) in truths.iter().enumerate() {
        if report.half != Half::Bad && sought[n].is_some() && !seen.contains(&n) {
            tell(What::Lost, Some(n), format!("input {:?}", sought[n]));
        }
        if report.half == Half::Good || truth.failing == 0 {
            continue;
        }
        let Some(lines) = lines.get(&n) else {
            // What an optimizer has left of a sum or an index cannot be checked: then no claim was made.
            let told = optimized && (report.halted.is_some() || !is_named(kind));
            if !told {
                tell(What::Missed, Some(n), format!("{truth:?}"));
            }
            continue;
        };
        let any = kind.lines == Lines::Inside || truth.is_line_unknown;
        let same = any || *lines == truth.lines;
        if !same && !optimized {
            let words = format!("{lines:?}, and {:?} natively", truth.lines);
            tell(What::Line, Some(n), words);
        }
    }
    wrong
}

/// Whether a run names what it does not see in bitcode of an optimizer.
fn is_named(kind: &Kind) -> bool {
    let named = ["shift", "builtin", "overflow", "bounds"];
    let mut checks = kind.checks.split(',');
    checks.any(|check| named.contains(&check))
}

/// How many cases of a batch fail for some input, and for not all.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    pub failing: usize,
    pub good: usize,
}

/// Explores cases in all settings, and says where they differ from the truth.
pub fn disagreements(
    dir: &Place,
    kind: &Kind,
    cases: &[Case],
    settings: &[Setting],
    seed: u64,
) -> (Seen, Vec<(Setting, Disagreement)>) {
    dir.write(CASES, text(cases));
    let truths = truths(dir, kind, cases.len());
    let sought = sought(&truths, &mut Random::new(seed));
    let halves: &[Half] = match kind.after {
        After::Ends => &[Half::Both],
        After::GoesOn => &[Half::Good, Half::Bad],
    };
    let mut all = Vec::new();
    for &setting in settings {
        for &half in halves {
            let report = explore(dir, kind, &truths, &sought, setting, half);
            let wrong = judge(kind, setting, &truths, &sought, &report);
            all.extend(wrong.into_iter().map(|w| (setting, w)));
        }
    }
    let count = |is: fn(&Truth) -> bool| truths.iter().filter(|t| is(t)).count();
    let seen = Seen {
        failing: count(|t| t.failing != 0),
        good: count(|t| t.failing != (1 << INPUTS) - 1),
    };
    all.retain(|(setting, wrong)| !wrong.is_explained(kind, *setting, cases));
    (seen, all)
}

/// The smallest program that still shows it: the case alone, if it does, and how to run it.
fn alone(dir: &Place, kind: &Kind, cases: &[Case], setting: Setting, of: &Disagreement) -> String {
    let Some(n) = of.case else {
        return String::new();
    };
    // Its functions keep their names, so that it is the first of the program's cases under another number.
    let case = Case {
        text: cases[n].text.replace(&format!("_{n}"), "_0"),
    };
    let (_, wrong) = disagreements(dir, kind, std::slice::from_ref(&case), &[setting], 0);
    match wrong.first() {
        Some((_, wrong)) => format!(
            "alone, too: {wrong}\n{setting} --check {}\n{}\n{}",
            kind.checks,
            dir.text(CASES),
            dir.text("explored.c"),
        ),
        None => format!("not alone:\n{}", cases[n].text),
    }
}

/// Keeps the program of a batch, to be looked at: what is wrong may need all of its cases.
fn keep(dir: &Place, number: usize) {
    let kept = dir.join(format!("batch-{number}"));
    std::fs::create_dir_all(&kept).expect("a directory");
    for name in [CASES, "explored.c"] {
        std::fs::copy(dir.join(name), kept.join(name)).expect("a copy");
    }
}

/// Holds a batch against the truth. Says what is wrong, in words.
pub fn hold(
    dir: &Place,
    kind: &Kind,
    number: usize,
    offset: usize,
    count: usize,
) -> (Seen, Vec<String>) {
    let cases = batch(kind, number as u64, count);
    let settings = Setting::of_batch(number + offset);
    let (seen, wrong) = disagreements(dir, kind, &cases, &settings, number as u64);
    if !wrong.is_empty() {
        keep(dir, number);
    }
    let words = |(setting, wrong): &(Setting, Disagreement)| {
        let shown = alone(dir, kind, &cases, *setting, wrong);
        format!("{} batch {number}, {setting}: {wrong}\n{shown}", kind.name)
    };
    (seen, wrong.iter().map(words).collect())
}
