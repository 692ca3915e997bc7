//! Generated programs whose errors clang's sanitizers know: for each input the same verdict, line and result.
//!
//! A case is a function of one byte. Run natively with each of its inputs, the sanitizer tells which of them fail and
//! where, and what the function returns for the others. Then `polypath` explores two functions that call it: `ok_N` with
//! the inputs that do not fail, in which it has to find nothing but the native results, and `bad_N` with the others, in
//! which it has to find an error in the same line, and no way past it. Each batch of cases is explored in two of ten settings
//! ([`setting`]): both modes, and each way to build the program.
//!
//! `POLYPATH_SANITIZERS=2000 cargo test -p polypath-cli --test suite sanitizers::` takes 2000 cases of each kind, with other seeds.

mod calls;
mod case;
mod compare;
mod conversions;
mod families;
mod integers;
mod lifetimes;
mod members;
mod objects;
mod planted;
mod scalars;
mod setting;
mod strings;
mod structures;
mod truth;

use case::Kind;
use compare::{BATCH, Seen, hold};
use testkit::engine;

/// All kinds. The first batch of each has other settings than that of its neighbours.
const KINDS: [&Kind; 9] = [
    &integers::KIND,
    &conversions::KIND,
    &structures::KIND,
    &scalars::KIND,
    &objects::KIND,
    &members::KIND,
    &lifetimes::KIND,
    &calls::KIND,
    &strings::KIND,
];

/// Cases of each kind in a plain test.
const CASES: usize = 24;

/// Holds cases of a kind against its sanitizer, a batch after the other.
fn compare(kind: &Kind) {
    if !testkit::need("sanitizers") {
        return;
    }
    let Some(dir) = engine!(kind.name) else {
        return;
    };
    let offset = KINDS.iter().position(|k| k.name == kind.name);
    let offset = offset.expect("it is in the list");
    let wanted = std::env::var("POLYPATH_SANITIZERS").ok();
    let count = wanted.map_or(CASES, |n| n.parse().expect("a number"));
    let (mut all, mut wrong) = (Seen::default(), Vec::new());
    for number in 0..count.div_ceil(BATCH) {
        let cases = BATCH.min(count - number * BATCH);
        let (seen, words) = hold(&dir, kind, number, offset, cases);
        all.failing += seen.failing;
        all.good += seen.good;
        wrong.extend(words);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    // A generator whose cases all fail, or none, would compare nothing.
    let some = count / 10 + 1;
    assert!(
        all.failing >= some && all.good >= some,
        "{}: {all:?} of {count}",
        kind.name
    );
}

#[test]
fn integers_of_any_width() {
    compare(&integers::KIND);
}

#[test]
fn floats_that_become_integers() {
    compare(&conversions::KIND);
}

#[test]
fn structures_of_which_not_all_is_written() {
    compare(&structures::KIND);
}

#[test]
fn values_that_were_not_written() {
    compare(&scalars::KIND);
}

#[test]
fn objects_of_each_kind() {
    compare(&objects::KIND);
}

#[test]
fn arrays_in_larger_objects() {
    compare(&members::KIND);
}

#[test]
fn objects_that_are_gone() {
    compare(&lifetimes::KIND);
}

#[test]
fn calls_through_other_types() {
    compare(&calls::KIND);
}

#[test]
fn strings_through_libc() {
    compare(&strings::KIND);
}
