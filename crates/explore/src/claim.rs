//! The claim of a run, computed from the tables of endings and losses alone.
//!
//! A wrong "everything was explored" needs a wrong row in one of them.

use crate::totals::Totals;
use host::Cause;
use std::collections::BTreeMap;
use vocab::{Bound, Ending, Loss, Lost};

/// Why a run stops before everything was explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// A limit, or the user.
    Stopped(Cause),
    /// `--max-forks`.
    Forks,
    /// The program cannot be run any more.
    Failed,
}

impl Halt {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Halt::Stopped(cause) => cause.name(),
            Halt::Forks => "fork limit",
            Halt::Failed => "the program cannot be run any more",
        }
    }

    /// How the paths end that are still alive then.
    pub fn ending(self) -> Ending {
        match self {
            Halt::Stopped(cause) => stopped(cause),
            Halt::Forks => Ending::NoForks,
            Halt::Failed => Ending::Interrupted,
        }
    }
}

/// The end of a path that was alive when the run had to end.
pub fn stopped(cause: Cause) -> Ending {
    match cause {
        Cause::Signal => Ending::Interrupted,
        Cause::Time | Cause::CpuTime | Cause::FirstLook => Ending::Time,
        Cause::Memory => Ending::Memory,
    }
}

/// The parts that a run left out, as a message; `None`: everything was explored.
pub fn left_out(stopped: Option<&str>, totals: &Totals) -> Option<String> {
    let n = &totals.counters;
    let mut reasons: Vec<String> = stopped.map(str::to_string).into_iter().collect();
    for &ending in Ending::ALL {
        let count = n.endings.of(ending);
        if let Some(words) = ending.loss().filter(|_| count > 0) {
            let which = match ending {
                Ending::Unsupported => named(&totals.machine.unsupported),
                _ => String::new(),
            };
            reasons.push(format!("{count} {words}{which}"));
        }
    }
    for &loss in Loss::ALL {
        let count = totals.losses.of(loss);
        if count > 0 {
            let which = match loss {
                Loss::Parked => named(&n.parked_by),
                Loss::Refused => named(&totals.machine.refused),
                _ => String::new(),
            };
            reasons.push(format!("{count} {}{which}", loss.words()));
        }
    }
    reasons.extend(lost_at(totals));
    if !totals.wrong.is_empty() {
        reasons.push("terms that differ from the values of the program".into());
    }
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

/// How often, and where how often.
type Times<'a> = (u64, Vec<(&'a str, u64)>);

/// "12 values given to the library (p.A.f:7, …)" for each kind.
fn lost_at(totals: &Totals) -> Vec<String> {
    const PLACES: usize = 2;
    let mut kinds: BTreeMap<Lost, Times<'_>> = BTreeMap::new();
    for ((lost, place), &n) in &totals.lost_at {
        let (sum, places) = kinds.entry(*lost).or_default();
        *sum += n;
        places.push((place, n));
    }
    let part = |(lost, (sum, mut places)): (Lost, Times<'_>)| {
        places.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        let more = if places.len() > PLACES { ", …" } else { "" };
        let named: Vec<&str> = places.iter().take(PLACES).map(|p| p.0).collect();
        format!("{sum} {} ({}{more})", lost.words(), named.join(", "))
    };
    kinds.into_iter().map(part).collect()
}

/// The limits of the claim, as messages: the limits that the program `met` (and how often), whether anything is
/// symbolic, and the limits that are `set`, such as those of the driver of a function.
pub fn bounds(
    met: &BTreeMap<Bound, BTreeMap<String, u64>>,
    has_input: bool,
    set: &BTreeMap<Bound, String>,
) -> Vec<(Bound, String)> {
    let mut found = Vec::new();
    for &bound in Bound::ALL {
        if let Some(words) = set.get(&bound) {
            found.push((bound, words.clone()));
            continue;
        }
        let met = met.get(&bound);
        let names = || few(met.into_iter().flatten().map(|(name, _)| &name[..]));
        let words = match bound {
            Bound::NoInput if !has_input => "no input is symbolic".to_string(),
            Bound::Missing if met.is_some() => {
                format!(
                    "the program looked for {}, which its world lacks (--fs)",
                    names()
                )
            }
            Bound::Unset if met.is_some() => {
                format!("the environment lacks {} (--env)", names())
            }
            Bound::Optimized if met.is_some() => {
                format!(
                    "the bitcode is an optimizer's, which may have taken errors away ({})",
                    names()
                )
            }
            Bound::Unsteady if met.is_some() => {
                format!(
                    "the time, random numbers, identities of objects and the orders of tables that follow from them are those of this run ({})",
                    names()
                )
            }
            Bound::InputEnd if met.is_some() => {
                let all = met.into_iter().flatten();
                let all: Vec<String> = all.map(|(what, n)| format!("{what} {n} times")).collect();
                format!("the program {}", few(all.iter().map(|s| &s[..])))
            }
            _ => continue,
        };
        found.push((bound, words));
    }
    found
}

/// The first three of some names.
pub fn few<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    const SHOWN: usize = 3;
    let names: Vec<&str> = names.into_iter().collect();
    let more = match names.len().checked_sub(SHOWN) {
        Some(n) if n > 0 => format!(" and {n} more"),
        _ => String::new(),
    };
    let shown = &names[..names.len().min(SHOWN)];
    format!("{}{more}", shown.join(", "))
}

/// The most frequent names, in brackets.
fn named<Name: AsRef<str>>(names: &BTreeMap<Name, u64>) -> String {
    const SHOWN: usize = 3;
    let all = names.iter().filter(|&(_, &n)| n > 0);
    let mut all: Vec<(&str, u64)> = all.map(|(name, n)| (name.as_ref(), *n)).collect();
    all.sort_by_key(|&(_, n)| std::cmp::Reverse(n));
    let more = if all.len() > SHOWN { ", …" } else { "" };
    let shown: Vec<&str> = all.iter().take(SHOWN).map(|&(name, _)| name).collect();
    if shown.is_empty() {
        String::new()
    } else {
        format!(" ({}{more})", shown.join(", "))
    }
}
