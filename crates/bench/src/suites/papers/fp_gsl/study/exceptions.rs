//! Tables I and II: exceptions that were found, means over the seeds as in the paper.

use super::tables::{at_least, beside};
use super::{EXCEPTIONS, SEARCHES, Study, paper};
use crate::tools::float::ErrorSite;
use crate::tools::report::{Cell, Report};
use std::collections::BTreeSet;

/// Goals: exceptions of `synergy` over those of the best single method, of `auto` over those of `synergy`, of `search` over
/// those of `fuzz`.
const SYNERGY: f64 = 1.1;
const AUTO: f64 = 1.0;
const SEARCH: f64 = 0.8;

impl Study {
    /// Tables I and II.
    pub(super) fn exceptions(&self, search: usize) -> Report {
        let title = format!(
            "Floating-point exceptions found, {} (in brackets the paper's, after an hour on 277 functions)",
            SEARCHES[search]
        );
        let mut columns = vec!["method"];
        columns.extend(EXCEPTIONS.iter().map(|(name, _)| *name));
        columns.extend(["all", "confirmed natively", "divergences"]);
        let mut report = Report::new(&title, &columns);
        report.plotted = vec![5];
        let mut totals: Vec<Option<f64>> = Vec::new();
        for (m, method) in self.methods.iter().enumerate() {
            let paper = paper::of(method).map(|p| p.exceptions[search]);
            let Some(counts) = self.count_exceptions(search, m) else {
                totals.push(None);
                let mut row: Vec<Cell> = vec![method.as_str().into()];
                row.resize(columns.len(), "skipped".into());
                report.rows.push(row);
                continue;
            };
            let all: f64 = counts.iter().sum();
            totals.push(Some(all));
            let mut row: Vec<Cell> = vec![method.as_str().into()];
            let beside_paper = |k: usize| Cell::from(beside(counts[k], paper.map(|p| p[k])));
            row.extend((0..EXCEPTIONS.len()).map(beside_paper));
            row.push(all.into());
            // Both are sums of means: what differs is rounding.
            row.push(at_least(self.confirmed(search, m), all - 1e-6));
            let diverged = self.of(search, m).map(|o| o.diverged).sum::<u64>();
            row.push(Cell::Goal {
                value: diverged as f64,
                goal: 0.0,
                at_most: true,
            });
            report.rows.push(row);
        }
        if totals.iter().any(Option::is_none) {
            let text = "exceptions are skipped: this `polypath run` has no --check fp-overflow";
            report.remarks.push(text.into());
        }
        self.goals_of_exceptions(&totals, &mut report);
        report
    }

    /// How often each exception was found, the mean of the seeds: different places for each function. `None`: nobody looked.
    fn count_exceptions(&self, search: usize, method: usize) -> Option<[f64; 4]> {
        let mut counts = [0.0; 4];
        for outcomes in &self.outcomes[search][method] {
            let found = outcomes.iter().map(|o| o.exceptions.as_ref());
            let found: Vec<&BTreeSet<ErrorSite>> = found.collect::<Option<_>>()?;
            for (count, (_, id)) in counts.iter_mut().zip(EXCEPTIONS) {
                let sites = found.iter().copied().flatten();
                let of_kind = sites.filter(|(kind, ..)| kind == id).count();
                *count += of_kind as f64 / outcomes.len().max(1) as f64;
            }
        }
        Some(counts)
    }

    /// How many of them native replay confirms, the mean of the seeds.
    fn confirmed(&self, search: usize, method: usize) -> f64 {
        let functions = self.outcomes[search][method].iter();
        let places = functions.map(|outcomes| {
            let confirmed = outcomes.iter().map(|o| o.confirmed_exceptions.len() as f64);
            confirmed.sum::<f64>() / outcomes.len().max(1) as f64
        });
        places.sum()
    }

    fn goals_of_exceptions(&self, totals: &[Option<f64>], report: &mut Report) {
        let of = |method: &str| totals[self.at(method)?];
        let single = ["search", "bvfp", "rso", "fuzz", "isc"];
        let best = single
            .iter()
            .filter_map(|m| of(m))
            .fold(None, |best: Option<f64>, n| {
                Some(best.map_or(n, |b| b.max(n)))
            });
        for (name, value, base, goal) in [
            ("synergy / best single", of("synergy"), best, SYNERGY),
            ("auto / synergy", of("auto"), of("synergy"), AUTO),
            ("search / fuzz", of("search"), of("fuzz"), SEARCH),
        ] {
            if let (Some(value), Some(base)) = (value, base) {
                let mut row = vec![Cell::Empty; report.columns.len()];
                row[0] = name.into();
                row[5] = at_least(value / base.max(1.0), goal);
                report.rows.push(row);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::StudyRun;
    use super::super::tables::tests::study;
    use std::collections::BTreeSet;

    #[test]
    fn exceptions_are_counted_by_place() {
        let table = study(true).exceptions(0).table();
        assert!(table.contains("1 (262)"), "{table}");
        assert_eq!(
            study(true).count_exceptions(0, 1),
            Some([2.0, 0.0, 1.0, 0.0])
        );
        // The mean of two seeds, of which one found nothing more than the other has.
        let mut two = study(true);
        let first = two.outcomes[0][1][0][0].clone();
        two.outcomes[0][1][0] = vec![first, StudyRun::default()];
        two.outcomes[0][1][0][1].exceptions = Some(BTreeSet::new());
        assert_eq!(two.count_exceptions(0, 1), Some([1.5, 0.0, 0.5, 0.0]));
        let skipped = study(false).exceptions(1).table();
        assert!(skipped.contains("no --check fp-overflow"), "{skipped}");
    }
}
