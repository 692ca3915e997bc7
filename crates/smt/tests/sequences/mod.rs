//! Random sequences of calls of the solver against brute force, after CaDiCaL's `mobical`.
//!
//! A seed is a configuration (layers, SAT solver, arrays, theory), a space of at most 16 input bits, and
//! a list of calls on paths that are extended, forked and dropped, with collections of the pool in
//! between. Each call carries its own randomness, so any part of the list is a sequence too:
//! what fails is shrunk (delta debugging: Zeller and Hildebrandt, 2002) and printed as
//! `SEED:CALL,CALL,…`, which `POLYPATH_SEQUENCE` runs again. `POLYPATH_SEQUENCES=N` runs N seeds.
//!
//! A call that may spend all it wants must be decided when the SAT solver is among the layers; one
//! with little to spend may give up, but never be wrong.

mod run;
mod space;

use run::{Call, Config, run};
use std::panic::{AssertUnwindSafe, catch_unwind};
use testkit::Random as Rng;

/// Seeds without further wishes.
const COUNT: u64 = 180;
/// Most runs to shrink one sequence.
const MOST_RUNS: usize = 600;

/// What was found once, as seed and calls.
const REGRESSIONS: &[(&str, u64, &[usize])] = &[
    (
        "numbers of a second collection, the first was missed",
        13,
        &[2, 8, 9, 14],
    ),
    ("the same, seen by bounds", 64, &[15, 17, 31, 32, 36, 38]),
    (
        "equality of arrays, instantiated while the budget ended",
        1553,
        &[36, 44],
    ),
    ("the same under assertions", 2017, &[17, 18]),
    ("the same after other calls", 3610, &[0, 6, 12, 14, 15, 18]),
];

fn calls_of(seed: u64) -> Vec<Call> {
    let mut rng = Rng::new(seed ^ 0xca11);
    let count = 10 + rng.below(50);
    (0..count).map(|_| Call::random(&mut rng)).collect()
}

/// What goes wrong, a panic included.
fn fails(config: &Config, calls: &[Call]) -> Option<String> {
    match catch_unwind(AssertUnwindSafe(|| run(config, calls))) {
        Ok(result) => result.err(),
        Err(panic) => Some(match panic.downcast_ref::<String>() {
            Some(text) => format!("panic: {text}"),
            None => match panic.downcast_ref::<&str>() {
                Some(text) => format!("panic: {text}"),
                None => "panic".into(),
            },
        }),
    }
}

/// The calls that are needed for a failure, by number; and the configuration with fewest layers.
fn shrink(mut config: Config, calls: &[Call]) -> (Config, Vec<usize>) {
    let mut kept: Vec<usize> = (0..calls.len()).collect();
    let mut runs = 0;
    let mut failing = |config: &Config, kept: &[usize]| {
        runs += 1;
        runs <= MOST_RUNS && fails(config, &part(calls, kept)).is_some()
    };
    let mut chunk = kept.len().div_ceil(2);
    while chunk > 0 && !kept.is_empty() {
        let mut at = 0;
        while at < kept.len() {
            let mut fewer = kept.clone();
            fewer.drain(at..(at + chunk).min(kept.len()));
            if failing(&config, &fewer) {
                kept = fewer
            } else {
                at += chunk
            }
        }
        chunk /= 2;
    }
    for layer in config.layers() {
        let fewer = config.without(layer);
        if failing(&fewer, &kept) {
            config = fewer;
        }
    }
    (config, kept)
}

fn report(seed: u64, config: &Config, calls: &[Call]) -> Option<String> {
    fails(config, calls)?;
    let (small, kept) = shrink(config.clone(), calls);
    let part = part(calls, &kept);
    let why = fails(&small, &part).unwrap_or_else(|| "it does not fail every time".into());
    let numbers: Vec<String> = kept.iter().map(usize::to_string).collect();
    Some(format!(
        "{why}\n  POLYPATH_SEQUENCE={seed}:{}\n  {small:?}\n  {part:?}",
        numbers.join(",")
    ))
}

fn part(calls: &[Call], numbers: &[usize]) -> Vec<Call> {
    numbers.iter().map(|&k| calls[k].clone()).collect()
}

#[test]
fn regressions_stay_mended() {
    for (what, seed, numbers) in REGRESSIONS {
        let calls = part(&calls_of(*seed), numbers);
        let result = run(&Config::random(*seed), &calls);
        assert_eq!(result, Ok(()), "{what}");
    }
}

#[test]
fn sequences_agree_with_brute_force() {
    let variable = |name: &str| std::env::var(name).ok();
    if let Some(text) = variable("POLYPATH_SEQUENCE") {
        let (seed, numbers) = text.split_once(':').unwrap_or((&text, ""));
        let seed = seed.parse().expect("SEED:CALL,CALL");
        let calls = calls_of(seed);
        let numbers = numbers.split(',').filter_map(|n| n.parse().ok());
        let numbers: Vec<usize> = numbers.collect();
        let calls = if numbers.is_empty() {
            calls
        } else {
            part(&calls, &numbers)
        };
        run(&Config::random(seed), &calls).unwrap();
        return;
    }
    let count = variable("POLYPATH_SEQUENCES").map_or(COUNT, |n| n.parse().expect("a number"));
    let first = variable("POLYPATH_FIRST_SEED").map_or(1, |n| n.parse().expect("a number"));
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let failures: Vec<String> = (first..first + count)
        .filter_map(|seed| report(seed, &Config::random(seed), &calls_of(seed)))
        .collect();
    std::panic::set_hook(hook);
    println!("{}", failures.join("\n"));
    assert!(failures.is_empty());
}

/// The fuzzer sees what it is there for, and shrinks it.
#[test]
fn planted_faults_are_found() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    for fault in [
        run::Fault::FlipVerdict,
        run::Fault::DropFromCore,
        run::Fault::ShiftExtreme,
    ] {
        let found = (1..60).find_map(|seed| {
            let config = Config {
                fault: Some(fault),
                ..Config::random(seed)
            };
            let calls = calls_of(seed);
            fails(&config, &calls)?;
            Some(shrink(config, &calls).1.len())
        });
        assert!(
            found.is_some_and(|calls| calls <= 6),
            "{fault:?}: {found:?}"
        );
    }
    std::panic::set_hook(hook);
}
