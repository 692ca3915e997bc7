//! The programs of the experiment, with what the paper reports (`benches/multiplex/gsl.txt`).

use anyhow::{Context as _, Result, ensure};

const TEXT: &str = include_str!("../../../../../../benches/multiplex/gsl.txt");

/// Sources that options name, so that the installed binary can run the suite.
pub const SOURCES: &[(&str, &str)] = &[(
    "eigengs.c",
    include_str!("../../../../../../benches/multiplex/eigengs.c"),
)];

/// What the paper's Table 6 says in each of its six columns: coverage in per cent.
pub const COLUMNS: usize = 6;

/// A function and what is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    pub name: String,
    pub function: String,
    /// LLVM instructions in the paper's count.
    pub loc: u64,
    /// Partial solutions of DFS+P and BFS+P.
    pub partial: [u64; 2],
    /// Coverage of DFS+P, BFS+P, RCN, RSS, DFS, BFS.
    pub coverage: [f64; COLUMNS],
    /// Options for `polypath run`.
    pub options: Vec<String>,
}

/// All cases, in the paper's order.
pub fn cases() -> Result<Vec<Case>> {
    let lines = TEXT
        .lines()
        .filter(|l| !l.starts_with('#') && !l.trim().is_empty());
    lines
        .map(|l| case(l).with_context(|| format!("bad case: {l}")))
        .collect()
}

fn case(line: &str) -> Result<Case> {
    let (facts, options) = line.split_once('|').context("a bar")?;
    let words: Vec<&str> = facts.split_whitespace().collect();
    ensure!(words.len() == 5 + COLUMNS, "{} words", words.len());
    let number = |i: usize| -> Result<f64> { Ok(words[i].parse()?) };
    Ok(Case {
        name: words[0].into(),
        function: words[1].into(),
        loc: words[2].parse()?,
        partial: [words[3].parse()?, words[5].parse()?],
        coverage: [
            number(4)?,
            number(6)?,
            number(7)?,
            number(8)?,
            number(9)?,
            number(10)?,
        ],
        options: options.split_whitespace().map(String::from).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cases_are_the_papers() {
        let cases = cases().unwrap();
        assert_eq!(cases.len(), 13);
        assert_eq!(cases.iter().map(|c| c.loc).sum::<u64>(), 64319);
        let mean = |i: usize| cases.iter().map(|c| c.coverage[i]).sum::<f64>() / 13.0;
        // The averages of Table 6.
        for (i, average) in [78.8, 90.4, 64.3, 54.8, 61.9, 69.4].into_iter().enumerate() {
            assert!((mean(i) - average).abs() < 0.06, "column {i}: {}", mean(i));
        }
    }
}
