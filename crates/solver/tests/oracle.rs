//! Generated formulas over more bytes than brute force can cover, against z3 and bitwuzla (the
//! Python packages `z3-solver` and `bitwuzla`; the test says so and passes when neither is
//! there) and the SAT engines against each other.
//!
//! `POLYPATH_ORACLE_PYTHON` names the interpreter (default `python3`), `POLYPATH_ORACLE_COUNT` the
//! number of formulas.

mod common;

use common::{Generator, UNHURRIED, WIDE, path, satisfies};
use polypath_solver as solver;
use solver::{Budget, NoTrials, Outcome, SatKind, Solver, SolverOptions};
use std::process::Command;
use term::{Evaluator, Pool, Term};

const SCRIPT: &str = r#"
import sys, glob
answers = {}
def z3_check(text):
    import z3
    s = z3.Solver()
    s.set("timeout", 20000)
    s.from_string(text)
    return str(s.check())
def bitwuzla_check(path):
    import bitwuzla
    options = bitwuzla.Options()
    options.set(bitwuzla.Option.TIME_LIMIT_PER, 20000)
    parser = bitwuzla.Parser(bitwuzla.TermManager(), options)
    parser.parse(path, parse_only=True)
    return str(parser.bitwuzla().check_sat()).split(".")[-1].lower()
have = []
for name in ("z3", "bitwuzla"):
    try:
        __import__(name); have.append(name)
    except ImportError:
        pass
if not have:
    print("none"); sys.exit(0)
print(" ".join(have))
for path in sorted(glob.glob(sys.argv[1] + "/*.smt2")):
    text = open(path).read()
    for name in have:
        print(path, name, z3_check(text) if name == "z3" else bitwuzla_check(path))
"#;

fn verdict(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Sat(_) => "sat",
        Outcome::Unsat(_) => "unsat",
        Outcome::Unknown(_) => "unknown",
    }
}

/// One question to one solver; the pool is built anew from the seed.
fn ask(options: SolverOptions, seed: u64) -> (&'static str, String) {
    let mut pool = Pool::new();
    let mut solver = Solver::new(options).unwrap();
    let mut g = Generator::new(&mut pool, seed, 3 + (seed % 6) as usize);
    if seed.is_multiple_of(3) {
        g.widths = WIDE;
    }
    let witness = g.model();
    let pc = path(&mut pool, &mut solver, &mut g, &witness, seed % 5, 2);
    let mut cond = g.condition(&mut pool, 3);
    if Evaluator::new().eval(&pool, cond, &witness) == 1 {
        cond = pool.not(cond);
    }
    let terms: Vec<Term> = pc.iter().map(|c| c.term).chain([cond]).collect();
    let text = term::to_smt2(&pool, &terms);
    let budget = Budget {
        conflicts: 20_000,
        ..UNHURRIED
    };
    let outcome = solver.feasible(&mut pool, &pc, &witness, cond, &budget, &mut NoTrials);
    if let Outcome::Sat(model) = &outcome {
        assert!(satisfies(&pool, &pc, cond, model), "seed {seed}");
    }
    (verdict(&outcome), text)
}

#[test]
fn engines_and_oracles_agree() {
    let count: u64 = std::env::var("POLYPATH_ORACLE_COUNT")
        .ok()
        .map_or(40, |v| v.parse().unwrap());
    let dir = std::env::temp_dir().join(format!("polypath-oracle-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let mut ours = Vec::new();
    for seed in 0..count {
        let mut verdicts = vec![ask(SolverOptions::default(), seed)];
        for &(_, sat) in SatKind::ALL {
            let options = SolverOptions {
                sat,
                ..SolverOptions::with_layers(&["blast"])
            };
            verdicts.push(ask(options, seed));
        }
        let mut known = verdicts.iter().map(|v| v.0).filter(|v| *v != "unknown");
        let first = known.next().unwrap_or("unknown");
        assert!(
            known.all(|v| v == first),
            "seed {seed}: {:?}",
            verdicts.iter().map(|v| v.0).collect::<Vec<_>>()
        );
        let path = dir.join(format!("f{seed:06}.smt2"));
        std::fs::write(&path, &verdicts[0].1).unwrap();
        ours.push((path, first));
    }
    let undecided = ours.iter().filter(|o| o.1 == "unknown").count();
    assert!(
        undecided * 20 <= ours.len(),
        "{undecided} of {count} undecided"
    );
    let python = std::env::var("POLYPATH_ORACLE_PYTHON").unwrap_or_else(|_| "python3".into());
    let output = Command::new(&python)
        .args(["-c", SCRIPT])
        .arg(&dir)
        .output();
    let text = match &output {
        Ok(out) if out.status.success() => String::from_utf8_lossy(&out.stdout).into_owned(),
        Ok(out) => panic!(
            "the oracle failed: {}",
            String::from_utf8_lossy(&out.stderr)
        ),
        Err(error) => {
            println!("SKIPPED the oracles: {python}: {error}");
            return;
        }
    };
    let mut lines = text.lines();
    let have = lines.next().unwrap_or("none");
    if have == "none" {
        println!("SKIPPED the oracles: neither z3-solver nor bitwuzla is installed for {python}");
    }
    for line in lines {
        let mut words = line.split(' ');
        let (path, name, theirs) = (
            words.next().unwrap(),
            words.next().unwrap(),
            words.next().unwrap(),
        );
        let (_, mine) = ours.iter().find(|o| o.0.as_os_str() == path).unwrap();
        let both = theirs != "unknown" && *mine != "unknown";
        assert!(
            !both || theirs == *mine,
            "{path}: {name} says {theirs}, we say {mine}"
        );
    }
    println!("{count} formulas agreed with: {have}");
    std::fs::remove_dir_all(&dir).unwrap();
}
