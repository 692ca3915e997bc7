//! Suite `csmith`: generated programs under Polypath and natively. The source of a failing one is kept.

use crate::tools::Context;
use crate::tools::report::{Cell, Report};
use anyhow::{Context as _, Result, ensure};
use oracle::csmith::{LEVELS, available, check};
use std::path::PathBuf;

/// See the module.
pub fn run(context: &Context) -> Result<Report> {
    ensure!(
        available(),
        "csmith or its headers are missing: apt-get install csmith libcsmith-dev"
    );
    let dir: PathBuf = context.out.join("csmith");
    std::fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
    let mut report = Report::new(
        "Generated programs against their native run",
        &["", "count"],
    );
    let (mut compared, mut endless, mut wrong) = (0u64, 0u64, 0u64);
    let seeds: Vec<u64> = (context.first_seed..)
        .take(context.count() as usize)
        .collect();
    for seeds in seeds.chunks(50) {
        let results = context.each(seeds, |&seed| check(&context.polypath, seed, &dir))?;
        for (seed, result) in seeds.iter().zip(results) {
            let Some(failed) = result else {
                endless += 1;
                continue;
            };
            compared += LEVELS.len() as u64;
            wrong += failed.len() as u64;
            for (level, why) in failed {
                say::err!("csmith: seed {seed} {level}: {why}");
                report.failures.push(format!("seed {seed} {level}: {why}"));
            }
        }
        say::err!("csmith: {compared} runs compared, {wrong} differ");
    }
    let mut row = |name: &str, n: u64| report.rows.push(vec![Cell::from(name), Cell::from(n)]);
    row("runs compared", compared);
    row("differing", wrong);
    row("programs whose native run does not end", endless);
    if wrong > 0 {
        report
            .remarks
            .push(format!("sources of failing programs: {}", dir.display()));
    }
    Ok(report)
}
