//! Suite `solvers`: raw queries of symbolic execution, our solver beside bitwuzla, z3 and cvc5.
//!
//! Programs run with `--log-queries`; of the distinct queries a sample is drawn, as many of each
//! program as there are. Each solver gets the same files in one process, every file a fresh
//! context, and counts CPU seconds from the moment at which the assertions are read. The score is
//! PAR-2: a query that is not decided within the limit counts twice the limit. Queries that any
//! solver needs more than [`SLOW`] seconds for are a stratum of their own. Then the first queries of each
//! program are asked in order, of solvers that keep their state (`in_order`).

mod in_order;

use crate::tools::Context;
use crate::tools::contenders::{Contender, ContenderAnswer};
use crate::tools::kept::ResultStore;
use crate::tools::queries::{self, Stream};
use crate::tools::report::{Cell, Report, number};
use anyhow::{Context as _, Result};
use std::path::PathBuf;

/// A query is slow when some solver needs this many seconds or does not decide it.
const SLOW: f64 = 0.05;
/// How many queries that others solve may be unsolved.
const UNSOLVED: f64 = 0.002;

/// In order, we may take this share of the best one's time.
const SHARE: f64 = 1.0 / 3.0;

/// What all solvers say about one query, ours first.
struct QueryRow {
    query: PathBuf,
    answers: Vec<ContenderAnswer>,
}

impl QueryRow {
    /// Decided in time?
    fn solved(&self, contender: usize, limit: f64) -> bool {
        let answer = &self.answers[contender];
        answer.is_decided() && answer.solve <= limit
    }

    fn par2(&self, contender: usize, limit: f64) -> f64 {
        if self.solved(contender, limit) {
            self.answers[contender].solve
        } else {
            2.0 * limit
        }
    }

    fn is_slow(&self, limit: f64) -> bool {
        (0..self.answers.len()).any(|k| self.par2(k, limit) > SLOW)
    }

    /// Both verdicts were given.
    fn is_disputed(&self) -> bool {
        let said = |word: &str| self.answers.iter().any(|a| a.word == word);
        said("sat") && said("unsat")
    }

    fn words(&self, asked: &[Contender]) -> String {
        let each = asked.iter().zip(&self.answers);
        let texts = each.map(|(c, a)| format!("{} {} {:.3} s", c.name, a.word, a.solve));
        texts.collect::<Vec<_>>().join(", ")
    }
}

/// See the module.
pub fn run(context: &Context) -> Result<Report> {
    let limit = context.time.unwrap_or(10.0);
    let mut asked = vec![Contender::ours()];
    asked.extend(Contender::peers(context));
    let queries::Collection { queries, streams } = queries::collect(context)?;
    let mut kept = ResultStore::open(&context.out.join("solvers/said.jsonl"))?;
    let mut answers = Vec::new();
    for contender in &asked {
        say::err!("solvers: {}, {} queries", contender.name, queries.len());
        answers.push(
            contender
                .answer(context, &mut kept, &queries, limit)?
                .into_iter(),
        );
    }
    let mut rows = Vec::new();
    for query in queries {
        let of_query: Option<Vec<ContenderAnswer>> =
            answers.iter_mut().map(Iterator::next).collect();
        rows.push(QueryRow {
            query,
            answers: of_query.context("a solver left queries out")?,
        });
    }
    write_rows(context, &asked, &rows)?;
    let title = format!(
        "{} distinct queries, each from nothing, PAR-2 in CPU s, {limit} s a query",
        rows.len()
    );
    let mut columns = vec!["queries", "count"];
    columns.extend(asked.iter().map(|c| c.name.as_str()));
    let mut report = Report::new(&title, &columns);
    report.plotted = (2..2 + asked.len()).collect();
    let (slow, quick): (Vec<&QueryRow>, Vec<&QueryRow>) =
        rows.iter().partition(|r| r.is_slow(limit));
    let all: Vec<&QueryRow> = rows.iter().collect();
    score(&mut report, "all", &all, limit, true);
    score(&mut report, "slow", &slow, limit, false);
    score(&mut report, "quick", &quick, limit, false);
    for program in queries::PROGRAMS {
        let is_own = |r: &&&QueryRow| queries::program_of(&r.query) == Some(program.name);
        let own: Vec<&QueryRow> = all.iter().filter(is_own).copied().collect();
        if !own.is_empty() {
            score(&mut report, program.name, &own, limit, false);
        }
    }
    let count = |what: &dyn Fn(usize) -> f64| -> Vec<Cell> {
        (0..asked.len()).map(|k| what(k).into()).collect()
    };
    let reading = count(&|k| all.iter().map(|r| r.answers[k].read).sum());
    let head = |name: &str| -> Vec<Cell> { vec![name.into(), (all.len() as u64).into()] };
    report.rows.push([head("reading, CPU s"), reading].concat());
    let unsolved = count(&|k| all.iter().filter(|r| !r.solved(k, limit)).count() as f64);
    report.rows.push([head("unsolved"), unsolved].concat());
    remarks(&mut report, &asked, &rows, limit);
    in_order(context, &mut report, &asked, &streams, limit)?;
    Ok(report)
}

/// One row for each stream and one for all, ours with a share of the best one's as goal.
fn in_order(
    context: &Context,
    report: &mut Report,
    asked: &[Contender],
    streams: &[Stream],
    limit: f64,
) -> Result<()> {
    let mut sums = vec![0.0; asked.len()];
    let mut all = 0;
    for stream in streams {
        let queries = stream.queries()?;
        all += queries;
        let mut said = Vec::new();
        for contender in asked {
            say::err!("solvers: {}, {} in order", contender.name, stream.program);
            said.push(in_order::ask(stream, context, contender, limit)?);
        }
        let scores: Vec<f64> = said.iter().map(|s| s.par2(queries, limit)).collect();
        let mut cells: Vec<Cell> = vec![
            format!("{} in order", stream.program).into(),
            (queries as u64).into(),
        ];
        cells.extend(scores.iter().map(|&s| Cell::from(s)));
        report.rows.push(cells);
        sums.iter_mut().zip(&scores).for_each(|(sum, s)| *sum += s);
        if let Some(query) = (0..queries).find(|&q| in_order::is_disputed(&said, q)) {
            let text = format!("disagreement: {} in order, query {query}", stream.program);
            report.failures.push(text);
        }
        for (contender, said) in asked.iter().zip(&said) {
            if said.words.len() < queries {
                report.remarks.push(format!(
                    "{} in order: {} got to query {} of {queries}",
                    stream.program,
                    contender.name,
                    said.words.len()
                ));
            }
        }
    }
    let best = sums[1..].iter().copied().fold(f64::INFINITY, f64::min);
    let mut cells: Vec<Cell> = vec!["all in order".into(), (all as u64).into()];
    cells.push(Cell::Goal {
        value: sums[0],
        goal: best * SHARE,
        at_most: true,
    });
    cells.extend(sums[1..].iter().map(|&s| Cell::from(s)));
    report.rows.push(cells);
    Ok(())
}

/// One row of PAR-2 sums; ours with bitwuzla's as goal when asked.
fn score(report: &mut Report, name: &str, rows: &[&QueryRow], limit: f64, goal: bool) {
    let sum = |k: usize| rows.iter().map(|r| r.par2(k, limit)).sum::<f64>();
    let mut cells: Vec<Cell> = vec![name.into(), (rows.len() as u64).into()];
    let answers = rows.first().map_or(0, |r| r.answers.len());
    cells.extend((0..answers).map(|k| Cell::from(sum(k))));
    if goal && answers > 1 {
        cells[2] = Cell::Goal {
            value: sum(0),
            goal: sum(1),
            at_most: true,
        };
    }
    report.rows.push(cells);
}

/// What was not solved by us but by another, disagreements, and our slowest queries beside the
/// best solver's time.
fn remarks(report: &mut Report, asked: &[Contender], rows: &[QueryRow], limit: f64) {
    let others = 1..asked.len();
    let name = |r: &QueryRow| r.query.display().to_string();
    let unsolved =
        |r: &&QueryRow| !r.solved(0, limit) && others.clone().any(|k| r.solved(k, limit));
    let unsolved: Vec<&QueryRow> = rows.iter().filter(unsolved).collect();
    for row in &unsolved {
        let text = format!("unsolved: {}: {}", name(row), row.words(asked));
        report.remarks.push(text);
    }
    if unsolved.len() as f64 > UNSOLVED * rows.len() as f64 {
        report.failures.push(format!(
            "{} queries are unsolved that another solver solves, {} may be",
            unsolved.len(),
            number(UNSOLVED * rows.len() as f64)
        ));
    }
    for row in rows.iter().filter(|r| r.is_disputed()) {
        let text = format!("disagreement: {}: {}", name(row), row.words(asked));
        report.failures.push(text);
    }
    let lost = |r: &QueryRow| {
        let best = others.clone().map(|k| r.par2(k, limit));
        r.par2(0, limit) - best.fold(f64::INFINITY, f64::min)
    };
    let mut slowest: Vec<&QueryRow> = rows.iter().filter(|r| lost(r) > SLOW).collect();
    slowest.sort_by(|a, b| lost(b).total_cmp(&lost(a)));
    for row in slowest.into_iter().take(10) {
        let text = format!("behind the best: {}: {}", name(row), row.words(asked));
        report.remarks.push(text);
    }
}

/// Every answer as a line of a table, for scripts.
fn write_rows(context: &Context, asked: &[Contender], rows: &[QueryRow]) -> Result<()> {
    let mut text = String::from("query");
    for contender in asked {
        let n = &contender.name;
        text.push_str(&format!(",{n},{n}_read_s,{n}_solve_s"));
    }
    for row in rows {
        text.push_str(&format!("\n{}", row.query.display()));
        for ContenderAnswer { word, read, solve } in &row.answers {
            text.push_str(&format!(",{word},{read:.6},{solve:.6}"));
        }
    }
    text.push('\n');
    let path = context.out.join("solvers.csv");
    std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(word: &str, solve: f64) -> ContenderAnswer {
        ContenderAnswer {
            word: word.into(),
            read: 0.0,
            solve,
        }
    }

    #[test]
    fn undecided_counts_twice_the_limit_and_disputes_are_seen() {
        let words = [
            ("sat", 0.01),
            ("unknown", 1.0),
            ("sat", 20.0),
            ("unsat", 0.02),
        ];
        let row = QueryRow {
            query: "q".into(),
            answers: words.iter().map(|(w, s)| answer(w, *s)).collect(),
        };
        let scores: Vec<f64> = (0..4).map(|k| row.par2(k, 10.0)).collect();
        assert_eq!(scores, [0.01, 20.0, 20.0, 0.02]);
        assert!(row.is_slow(10.0) && row.is_disputed());
        let mut report = Report::new("", &["", "", "", "", "", ""]);
        let asked: Vec<Contender> = words.iter().map(|_| Contender::ours()).collect();
        remarks(&mut report, &asked, &[row], 10.0);
        assert_eq!(report.failures.len(), 1);
    }
}
