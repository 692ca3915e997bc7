//! Suite `formulas`: generated formulas (with `--only floats`, those with floats), our answers against z3's and
//! bitwuzla's. Each wrong one is kept as a script.

use crate::tools::Context;
use crate::tools::report::{Cell, Report};
use anyhow::{Context as _, Result, ensure};
use oracle::formulas::{Comparison, FormulaFinding};
use std::collections::BTreeMap;

/// See the module.
pub fn run(context: &Context) -> Result<Report> {
    let milliseconds = (context.time.unwrap_or(5.0) * 1000.0) as u64;
    let dir = context.out.join("formulas");
    std::fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
    let mut comparison = Comparison::start(&context.polypath, &context.run_options, milliseconds)?;
    if !context.only.is_empty() {
        ensure!(
            context.only == ["floats"],
            "--only: `floats` is all there is"
        );
        comparison = comparison.of_floats();
    }
    let mut report = Report::new("Generated formulas against z3 and bitwuzla", &["", "count"]);
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for seed in context.first_seed..context.first_seed + context.count() {
        let (finding, script) = comparison.check(seed)?;
        let row = match &finding {
            FormulaFinding::Agreed(word) => format!("{word}, agreed and checked"),
            FormulaFinding::Unsolved(word) => format!("unknown to us, {word} to others"),
            FormulaFinding::Undecided => "unknown to all".into(),
            FormulaFinding::Wrong(_) => "wrong".into(),
        };
        *counts.entry(row).or_default() += 1;
        match finding {
            FormulaFinding::Wrong(why) => {
                let text = format!("; seed {seed}: {why}\n{script}");
                std::fs::write(dir.join(format!("wrong-{seed}.smt2")), &text)?;
                say::err!("formulas: seed {seed}: {why}");
                report.failures.push(format!("seed {seed}: {why}"));
            }
            FormulaFinding::Unsolved(word) => {
                let text = format!("; seed {seed}: others say {word}\n{script}");
                std::fs::write(dir.join(format!("unsolved-{seed}.smt2")), text)?;
            }
            FormulaFinding::Agreed(_) | FormulaFinding::Undecided => {}
        }
        if (seed + 1 - context.first_seed).is_multiple_of(500) {
            say::err!("formulas: {counts:?}");
        }
    }
    let crashes = comparison.crashes().len() as u64;
    if crashes > 0 {
        counts.insert("times another solver crashed or hung".into(), crashes);
    }
    for (name, count) in counts {
        report.rows.push(vec![Cell::from(name), Cell::from(count)]);
    }
    Ok(report)
}
