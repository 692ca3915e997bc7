//! Generated formulas against z3 and bitwuzla, which are installed by pip into the cache; without
//! them (no pip, no network) the test says so and passes. 20,000 by command:
//! `polypath bench formulas --count 20000`.

use bench::formulas::{Comparison, Finding};
use std::path::Path;

const COUNT: u64 = 500;

#[test]
fn answers_models_and_cores_agree_with_other_solvers() {
    let binary = Path::new(env!("CARGO_BIN_EXE_polypath"));
    let folder = toolchain::cache::root().unwrap().join("oracles");
    let mut comparison = match Comparison::start(binary, &[], &folder, 2000) {
        Ok(comparison) => comparison,
        Err(error) => return eprintln!("skipped: {error:#}"),
    };
    let (mut wrong, mut decided) = (vec![], 0);
    for seed in 1..=COUNT {
        let (finding, script) = comparison.check(seed).unwrap();
        match finding {
            Finding::Agreed(_) => decided += 1,
            Finding::Wrong(why) => wrong.push(format!("seed {seed}: {why}\n{script}")),
            Finding::Unsolved(_) | Finding::Undecided => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        decided * 10 >= COUNT * 9,
        "only {decided} of {COUNT} were decided"
    );
}
