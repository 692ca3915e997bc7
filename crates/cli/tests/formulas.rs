//! Generated scripts against z3 and bitwuzla, which are installed by pip into the cache; without
//! them (no pip, no network) the tests are counted as skipped. 20,000 by command:
//! `./x bench formulas --count 20000`; here `POLYPATH_FORMULAS=N`, and 200 without.

use oracle::formulas::{Answer, Comparison, FormulaFinding, Script, Subject};
use std::path::Path;

/// Generated scripts.
fn count() -> u64 {
    let asked = std::env::var("POLYPATH_FORMULAS");
    asked.map_or(200, |n| n.parse().expect("POLYPATH_FORMULAS is a number"))
}

fn start() -> Option<Comparison> {
    let binary = Path::new(env!("CARGO_BIN_EXE_polypath"));
    match Comparison::start(binary, &[], 2000) {
        Ok(comparison) => Some(comparison),
        Err(error) => {
            testkit::skip(&format!("{error:#}"));
            None
        }
    }
}

#[test]
fn answers_models_and_cores_agree_with_other_solvers() {
    let _limit = testkit::limit();
    let Some(mut comparison) = start() else {
        return;
    };
    let count = count();
    let (mut wrong, mut decided) = (vec![], 0);
    for seed in 1..=count {
        let (finding, script) = comparison.check(seed).unwrap();
        match finding {
            FormulaFinding::Agreed(_) => decided += 1,
            FormulaFinding::Wrong(why) => wrong.push(format!("seed {seed}: {why}\n{script}")),
            FormulaFinding::Unsolved(_) | FormulaFinding::Undecided => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        decided * 10 >= count * 9,
        "only {decided} of {count} were decided"
    );
}

/// Changes an answer.
type Fault = fn(&mut Answer);

/// Our solver with a fault between it and the comparison.
struct Faulty {
    inner: Box<dyn Subject>,
    fault: Fault,
}

impl Subject for Faulty {
    fn answers(&mut self, script: &Script) -> Vec<Answer> {
        let mut answers = self.inner.answers(script);
        for answer in &mut answers {
            (self.fault)(answer);
        }
        answers
    }
}

fn flip(answer: &mut Answer) {
    answer.word = match &answer.word[..] {
        "sat" => "unsat".into(),
        "unsat" => "sat".into(),
        _ => return,
    };
}

/// Other values for all Booleans and bits of a model.
fn corrupt_model(answer: &mut Answer) {
    let swap = |text: &str| {
        let text = text.replace("true", "\0").replace("false", "true");
        let text = text.replace('\0', "false");
        let Some((head, bits)) = text.rsplit_once(" #b") else {
            return text;
        };
        let bits: String = bits
            .chars()
            .map(|c| match c {
                '0' => '1',
                '1' => '0',
                other => other,
            })
            .collect();
        format!("{head} #b{bits}")
    };
    answer.model.iter_mut().for_each(|line| *line = swap(line));
}

fn shorten_core(answer: &mut Answer) {
    answer.core.pop();
}

fn shorten_failed(answer: &mut Answer) {
    answer.failed.pop();
}

/// The harness sees what it is there for: each kind of fault is reported, shrunk, and nothing else.
#[test]
fn planted_faults_are_found() {
    let _limit = testkit::limit();
    let faults: [(Fault, &str, u64); 4] = [
        (flip, "we say ", 12),
        (corrupt_model, "the model is wrong", 12),
        (shorten_core, "the core is wrong", 40),
        (
            shorten_failed,
            "the list of failed assumptions is wrong",
            250,
        ),
    ];
    for (fault, words, seeds) in faults {
        let Some(comparison) = start() else {
            return;
        };
        let mut comparison = comparison.interpose(|inner| Box::new(Faulty { inner, fault }));
        let mut found = 0;
        for seed in 1..=seeds {
            let (finding, script) = comparison.check(seed).unwrap();
            if let FormulaFinding::Wrong(why) = finding {
                assert!(why.starts_with(words), "seed {seed}: {why}");
                assert!(script.len() < 2000, "not shrunk:\n{script}");
                found += 1;
            }
            if found >= 3 {
                break;
            }
        }
        assert!(found >= 3, "{words}: found {found} times");
    }
}
