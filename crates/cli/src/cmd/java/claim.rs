//! What a run of a Java program claims: everything was explored, or what was left out, by name.

use super::explored::Explored;
use super::options::RunArgs;
use exec::{Bound, Ending, Loss};
use jvm::{Lost, Totals};
use std::collections::BTreeMap;

/// Places of a loss that are named.
const PLACES: usize = 2;

/// What was left out, in words; `None` if nothing was. `endings` counts the paths by how they ended.
pub fn left_out(
    stopped: Option<&str>,
    stats: &Explored,
    endings: &BTreeMap<Ending, u64>,
    totals: &Totals,
) -> Option<String> {
    let mut parts: Vec<String> = stopped.map(str::to_string).into_iter().collect();
    for (ending, &n) in endings {
        // Runs that were cut are counted by the loop, which takes them up again.
        if let Some(words) = ending.loss().filter(|_| *ending != Ending::Instructions) {
            parts.push(format!("{n} {words}"));
        }
    }
    if stats.cut > 0 {
        let words = Ending::Instructions.loss().unwrap_or_default();
        parts.push(format!("{} {words}", stats.cut));
    }
    let parked: u64 = stats.parked.values().sum();
    if parked > 0 {
        let reasons = stats.parked.iter().filter(|(_, n)| **n > 0);
        let reasons: Vec<String> = reasons.map(|(why, n)| format!("{why} {n}")).collect();
        let words = Loss::Parked.words();
        parts.push(format!("{parked} {words} ({})", reasons.join(", ")));
    }
    for (loss, n) in [
        (Loss::Resolutions, stats.limited),
        (Loss::Open, stats.open),
        (Loss::Divergences, stats.divergences),
        (Loss::Forgotten, stats.dropped + totals.forgotten),
    ] {
        if n > 0 {
            parts.push(format!("{n} {}", loss.words()));
        }
    }
    parts.extend(losses(totals));
    if !totals.wrong.is_empty() {
        parts.push("terms that differ from what the JVM computed".into());
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// What limits the claim, in words.
pub fn bounds(totals: &Totals, args: &RunArgs) -> Vec<(Bound, String)> {
    let mut met: BTreeMap<Bound, BTreeMap<String, u64>> = BTreeMap::new();
    for ((lost, place), n) in &totals.losses {
        if let Some(bound) = lost.bound() {
            let name = match lost {
                Lost::Unsteady => place.clone(),
                Lost::Unset => format!("what {place} asks for"),
                Lost::Missing => place.clone(),
                _ => "read to the end of its input".into(),
            };
            *met.entry(bound).or_default().entry(name).or_default() += n;
        }
    }
    let lengths = || {
        let asked = args.string_len.map_or(String::new(), |n| {
            format!(", strings that it asks for up to {n} characters (--string-len)")
        });
        let most = args.array_len.1;
        format!("arrays, strings and collections have up to {most} elements (--array-len){asked}")
    };
    let met_lengths = met.contains_key(&Bound::Lengths);
    let mut set: BTreeMap<Bound, String> = met_lengths
        .then(|| (Bound::Lengths, lengths()))
        .into_iter()
        .collect();
    if let Some(places) = met.remove(&Bound::Missing) {
        let places: Vec<&str> = places.keys().map(String::as_str).collect();
        let words = format!(
            "the program looked for files that are not there ({})",
            exec::few(places)
        );
        set.insert(Bound::Missing, words);
    }
    exec::bounds(&met, totals.has_input, &set)
}

/// How often, and where how often.
type Times<'a> = (u64, Vec<(&'a str, u64)>);

/// "12 values given to the library (p.A.f:7, …)" for each kind.
fn losses(totals: &Totals) -> Vec<String> {
    let mut kinds: BTreeMap<&Lost, Times<'_>> = BTreeMap::new();
    let lost = totals
        .losses
        .iter()
        .filter(|((lost, _), _)| lost.bound().is_none());
    for ((lost, place), &n) in lost {
        let (sum, places) = kinds.entry(lost).or_default();
        *sum += n;
        places.push((place, n));
    }
    let part = |(lost, (sum, mut places)): (&Lost, Times<'_>)| {
        places.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        let more = if places.len() > PLACES { ", …" } else { "" };
        let named: Vec<&str> = places.iter().take(PLACES).map(|p| p.0).collect();
        format!("{sum} {} ({}{more})", lost.words(), named.join(", "))
    };
    kinds.into_iter().map(part).collect()
}
