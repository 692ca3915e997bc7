//! Dialogues in whole: each check against the same assertions asked alone, and single cases.

use super::{Flow, Session};
use crate::limits::ScriptLimits;
use smtlib::Reader;
use solver::SolverOptions;
use std::time::Instant;
use term::Pool;
use testkit::Random;

/// What is answered to a script.
fn answers(script: &str) -> Vec<String> {
    let limits = ScriptLimits::start(Instant::now(), None, None, false).unwrap();
    let mut session = Session::new(SolverOptions::default(), limits, false, false);
    let (mut pool, mut reader) = (Pool::new(), Reader::new(script.as_bytes()));
    let mut out = Vec::new();
    loop {
        match reader.next(&mut pool) {
            Ok(None) => break,
            Ok(Some(command)) => {
                let flow = session.execute(&mut pool, &mut reader, command, &mut out);
                if flow.unwrap() == Flow::Stop {
                    break;
                }
            }
            Err(error) => panic!("{error} in {script}"),
        }
    }
    assert!(!session.failed, "{script}");
    let text = String::from_utf8(out).unwrap();
    text.lines().map(str::to_string).collect()
}

/// A check that takes longer than this is open; those here take milliseconds.
const TIMEOUT: &str = "(set-option :timeout 60000)";

/// Passes decide the first check; circuits of 48 bits do not decide it in a minute.
const DIFFERENCE_OF_SQUARES: &str =
    "(not (= (bvmul (bvsub a b) (bvadd a b)) (bvsub (bvmul a a) (bvmul b b))))";
const DECLARED: &str = "(declare-const a (_ BitVec 48)) (declare-const b (_ BitVec 48))
    (declare-const p Bool) (declare-const q Bool)";

#[test]
fn each_check_has_the_passes() {
    let hard = DIFFERENCE_OF_SQUARES;
    for (body, expected) in [
        (
            format!("(assert {hard}) (check-sat) (check-sat)"),
            "unsat unsat",
        ),
        (
            format!("(push 1) (assert {hard}) (check-sat) (pop 1) (check-sat)"),
            "unsat sat",
        ),
        (
            format!(
                "(assert (=> p {hard})) (check-sat-assuming (q p)) (get-unsat-assumptions) (check-sat-assuming (q))"
            ),
            "unsat (p) sat",
        ),
        (
            format!(
                "(check-sat) (assert (! q :named first)) (assert (! {hard} :named second)) (check-sat) (get-unsat-core)"
            ),
            "sat unsat (second)",
        ),
    ] {
        let options =
            "(set-option :produce-unsat-cores true) (set-option :produce-unsat-assumptions true)";
        let script = format!("{TIMEOUT} {options} {DECLARED} {body}");
        assert_eq!(answers(&script).join(" "), expected, "{body}");
    }
}

/// Assertions of every difficulty over four constants.
fn assertion(random: &mut Random) -> String {
    let constant = |random: &mut Random| format!("#x{:012x}", random.below(1 << 20));
    let variable = |random: &mut Random| ["a", "b"][random.below(2) as usize];
    let literal = |random: &mut Random| ["p", "q", "(not p)", "(not q)"][random.below(4) as usize];
    let condition = match random.below(9) {
        0 => DIFFERENCE_OF_SQUARES.to_string(),
        1 => "(not (= (bvmul a (bvadd b b)) (bvadd (bvmul b a) (bvmul a b))))".to_string(),
        2 => format!("(= {} {})", variable(random), constant(random)),
        3 => format!("(bvult {} {})", variable(random), constant(random)),
        4 => format!("(= (bvand a b) {})", constant(random)),
        5 => format!(
            "(= (bvadd a (bvmul b {})) {})",
            constant(random),
            constant(random)
        ),
        6 => "(not (= (bvudiv a b) (bvudiv a (bvadd b (bvsub a a)))))".to_string(),
        7 => "(bvult (bvor a b) a)".to_string(),
        _ => return format!("(or {} {})", literal(random), literal(random)),
    };
    match random.below(3) {
        0 => condition,
        _ => format!("(=> {} {condition})", literal(random)),
    }
}

/// Random dialogues (`POLYPATH_DIALOGUES=N` for N): a check decides what a new solver decides of the same assertions, and failed
/// assumptions are failed.
#[test]
fn checks_decide_what_they_decide_alone() {
    let (mut sat, mut unsat) = (0, 0);
    let asked = std::env::var("POLYPATH_DIALOGUES");
    let count = asked.map_or(6, |n| n.parse().expect("POLYPATH_DIALOGUES is a number"));
    for seed in 0..count {
        let mut random = Random::new(seed + 1);
        let options = "(set-option :produce-unsat-assumptions true)";
        let mut script = format!("{TIMEOUT} {options} {DECLARED}\n");
        let mut levels: Vec<Vec<String>> = vec![Vec::new()];
        // The assertions of each check, and its assumptions.
        let mut checks: Vec<(String, Vec<String>)> = Vec::new();
        for _ in 0..12 {
            match random.below(8) {
                0 | 1 => {
                    script += "(push 1)\n";
                    levels.push(Vec::new());
                }
                2 if levels.len() > 1 => {
                    script += "(pop 1)\n";
                    levels.pop();
                }
                3 | 4 => {
                    let all = [("p", "(not p)"), ("q", "(not q)")];
                    let chosen = all.iter().filter_map(|(yes, no)| match random.below(3) {
                        0 => None,
                        1 => Some(yes.to_string()),
                        _ => Some(no.to_string()),
                    });
                    let assumed: Vec<String> = chosen.collect();
                    script += &format!(
                        "(check-sat-assuming ({}))\n(get-unsat-assumptions)\n",
                        assumed.join(" ")
                    );
                    checks.push((levels.concat().join(" "), assumed));
                }
                5 => {
                    script += "(check-sat)\n(get-unsat-assumptions)\n";
                    checks.push((levels.concat().join(" "), Vec::new()));
                }
                _ => {
                    let text = format!("(assert {})", assertion(&mut random));
                    script += &format!("{text}\n");
                    levels.last_mut().unwrap().push(text);
                }
            }
        }
        let given = answers(&script);
        assert_eq!(given.len(), 2 * checks.len(), "{script}");
        for (answer, (assertions, assumed)) in given.chunks(2).zip(checks) {
            let alone = |assumed: &[String]| {
                let assumed = assumed.iter().map(|a| format!("(assert {a})"));
                let assumed: Vec<String> = assumed.collect();
                let script = format!(
                    "{TIMEOUT} {DECLARED} {assertions} {} (check-sat)",
                    assumed.join(" ")
                );
                answers(&script)[0].clone()
            };
            assert_eq!(
                answer[0],
                alone(&assumed),
                "{script}: {assertions} {assumed:?}"
            );
            sat += u32::from(answer[0] == "sat");
            unsat += u32::from(answer[0] == "unsat");
            if answer[0] == "unsat" {
                let inner = answer[1].trim_start_matches('(').trim_end_matches(')');
                let failed = assumed.iter().filter(|a| answer[1].contains(&a[..]));
                // `p` is part of `(not p)`, which is never assumed with it.
                let failed: Vec<String> = failed.cloned().collect();
                assert!(
                    inner.is_empty() || !failed.is_empty(),
                    "{script}: {}",
                    answer[1]
                );
                assert_eq!(alone(&failed), "unsat", "{script}: {}", answer[1]);
            }
        }
    }
    assert!(sat > 5 && unsat > 5, "{sat} {unsat}");
}

#[test]
fn functions_over_integers_have_values_and_agree_with_themselves() {
    let script = "(declare-fun f (Int) Int) (declare-fun g (Int Bool) Bool)
        (declare-const a Int) (declare-const b Int)
        (define-fun h ((x Int)) Int (+ (f x) (f (+ x 1))))
        (assert (= (h a) 7)) (assert (= (f b) 3)) (assert (=> (= a b) (= (f (+ b 1)) 5)))
        (assert (g (f a) true))
        (check-sat)
        (push 1) (assert (= a b)) (check-sat) (pop 1)
        (push 1) (assert (not (= (h a) (h (- (+ a 1) 1))))) (check-sat) (pop 1)
        (assert (= a 4)) (assert (distinct a b)) (assert (= (f 4) 2))
        (check-sat) (get-value (a (f a) (f 4) (f (- 6 2)) (h 4) (g 2 true) (= (f b) 3)))";
    let expected = "sat unsat unsat sat ((a 4) ((f a) 2) ((f 4) 2) ((f (- 6 2)) 2) ((h 4) 7) ((g 2 true) true) ((= (f b) 3) true))";
    assert_eq!(answers(script).join(" "), expected);
    let script = "(declare-fun f (Int) Int) (declare-const a Int) (assert (= a 3)) (assert (= (f a) 7)) (assert (= (f 4) 8))
        (check-sat) (get-model)";
    let expected = "sat (   (define-fun f ((x!0 Int)) Int (ite (= x!0 3) 7 (ite (= x!0 4) 8 7)))   (define-fun a () Int 3) )";
    assert_eq!(answers(script).join(" "), expected);
}

#[test]
fn products_of_integers_are_right_in_models_and_lemmas_refute() {
    let declared =
        format!("{TIMEOUT} (declare-const x Int) (declare-const y Int) (declare-const z Int)");
    for (body, expected) in [
        (
            "(assert (= (* x y) 35)) (assert (< 1 x y)) (check-sat) (get-value (x y (* y x)))",
            "sat ((x 5) (y 7) ((* y x) 35))",
        ),
        (
            "(assert (= (* x x x) 27)) (check-sat) (get-value (x (* 2 x x)))",
            "sat ((x 3) ((* 2 x x) 18))",
        ),
        ("(assert (= (* x x) 2)) (check-sat)", "unsat"),
        ("(assert (< (* x x) 0)) (check-sat)", "unsat"),
        (
            "(assert (distinct (* (- x y) (+ x y)) (- (* x x) (* y y)))) (check-sat)",
            "unsat",
        ),
        (
            "(assert (< 0 x)) (assert (< 0 y 3)) (assert (< (* 2 x) (* x y))) (check-sat)",
            "unsat",
        ),
        // Products of a level that is gone do not matter, but have their values.
        (
            "(push 1) (assert (= (* x x) 2)) (check-sat) (pop 1) (assert (= x 5)) (check-sat) (get-value ((* x x)))",
            "unsat sat (((* x x) 25))",
        ),
        (
            "(define-fun twice ((u Int) (v Int)) Int (* 2 u v)) (assert (= (twice x y) 30)) (assert (= x 3)) (check-sat) (get-value (y (twice y y)))",
            "sat ((y 5) ((twice y y) 50))",
        ),
        (
            "(assert (= (div x y) 3)) (assert (= (mod x y) 2)) (assert (= y (- 4))) (check-sat) (get-value (x (div (- x) y)))",
            "sat ((x (- 10)) ((div (- x) y) (- 2)))",
        ),
        (
            "(assert (distinct (div x 0) (div y 0))) (check-sat) (assert (= x y)) (check-sat)",
            "sat unsat",
        ),
        (
            "(assert (= (mod x y) (- 1))) (check-sat) (get-value (y)) (assert (distinct y 0)) (check-sat)",
            "sat ((y 0)) unsat",
        ),
        (
            "(define-fun d ((u Int) (v Int)) Int (div u v)) (assert (= (d x 2) 4)) (assert (= (d x y) 3)) (assert (= (d 7 0) 9)) (check-sat) (get-value ((d 7 0) (d 8 2)))",
            "sat (((d 7 0) 9) ((d 8 2) 4))",
        ),
        (
            "(assert (= (+ (* x x) (* y y)) (* z z))) (assert (< 0 x y)) (assert (< 0 z 6)) (check-sat) (get-value ((* x y) z))",
            "sat (((* x y) 12) (z 5))",
        ),
    ] {
        assert_eq!(
            answers(&format!("{declared} {body}")).join(" "),
            expected,
            "{body}"
        );
    }
}
