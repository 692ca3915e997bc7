//! The comparison itself: it sees a miss, a false alarm, a wrong result, a wrong line and a lost input.

use super::case::{After, Case, Kind, Lines};
use super::compare::{What, judge};
use super::objects;
use super::setting::{Half, Setting, explore, sought};
use super::truth::{CASES, Truth, text, truths};
use testkit::{Random, engine};

/// Fails for 3 alone.
const CASE: &str = "__attribute__((noinline)) int case_0(unsigned char x) { int a[3] = {4, 5, 6};
    int r = x & 3;
    r += a[r]; return r; }\n";

#[test]
fn planted_faults_are_found() {
    if !testkit::need("sanitizers") {
        return;
    }
    let Some(dir) = engine!("planted") else {
        return;
    };
    let kind = Kind {
        name: "planted",
        lines: Lines::Same,
        after: After::Ends,
        ..objects::KIND
    };
    let cases = [Case::new(CASE)];
    dir.write(CASES, text(&cases));
    let truth = truths(&dir, &kind, 1).remove(0);
    assert_eq!((truth.failing, truth.lines.len()), (0b1000_1000, 1));
    assert_eq!(truth.results[..3], [4, 6, 8]);
    let [setting, _] = Setting::of_batch(0);
    let whats = |truth: Truth, sought: Option<u32>| {
        let truths = [truth];
        let report = explore(&dir, &kind, &truths, &[sought], setting, Half::Both);
        let wrong = judge(&kind, setting, &truths, &[sought], &report);
        let mut all: Vec<What> = wrong.iter().map(|w| w.what).collect();
        all.sort();
        all
    };
    let input = sought(std::slice::from_ref(&truth), &mut Random::new(1))[0];
    assert_eq!(whats(truth.clone(), input), []);
    // Natively one more fails, in another line: polypath has missed it.
    let mut missed = truth.clone();
    missed.failing |= 1;
    assert_eq!(whats(missed, Some(1)), [What::MissedSome]);
    // All that fails natively is what polypath does not see.
    let mut other = truth.clone();
    other.failing = 1;
    other.results[3] = 3;
    other.results[7] = 3;
    assert_eq!(
        whats(other, Some(1)),
        [What::Missed, What::MissedSome, What::FalseAlarm]
    );
    // One less fails: polypath's error is a false alarm.
    let mut alarm = truth.clone();
    alarm.failing &= !8;
    assert_eq!(whats(alarm, input), [What::FalseAlarm]);
    let mut result = truth.clone();
    result.results[2] += 1;
    assert_eq!(whats(result, Some(1)), [What::Result]);
    let mut line = truth.clone();
    line.lines = line.lines.iter().map(|l| l + 1).collect();
    assert_eq!(whats(line, input), [What::Line]);
    // An input whose end is not reached: here since it fails.
    assert_eq!(whats(truth, Some(3)), [What::Lost]);
}
