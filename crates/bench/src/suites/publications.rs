//! The four papers whose methods Polypath has: which suites make the tables and figures of each, and with which budget.
//!
//! `polypath-bench papers 001` runs the parts of one paper one after the other, `papers all` those of all four. Each part has a
//! directory of its own under `--out`, in which its results are kept under the build that they are of, so that a run that was
//! stopped goes on. `paper-NUMBER.md` has all tables.

use super::{SuiteGroup, known_suite};
use crate::tools::{Context, Need};
use anyhow::{Context as _, Result};
use std::fmt::Write;
use std::path::Path;

/// A paper.
pub struct Publication {
    /// How it is asked for.
    pub number: &'static str,
    pub title: &'static str,
    parts: &'static [PaperPart],
}

/// A part of a paper's evaluation: a suite, and how it is run.
struct PaperPart {
    /// Its directory.
    name: &'static str,
    /// The paper's tables and figures that stand beside.
    shows: &'static str,
    group: SuiteGroup,
    suite: &'static str,
    /// What the suite's `--only`, `--search` and options after `--` would be.
    only: &'static [&'static str],
    searchers: &'static [&'static str],
    options: &'static [&'static str],
    /// Seconds a run and seeds: by default, and with `--all`.
    budget: (f64, u64),
    whole: (f64, u64),
}

/// A part without choices of its own.
const PART: PaperPart = PaperPart {
    name: "",
    shows: "",
    group: SuiteGroup::Papers,
    suite: "",
    only: &[],
    searchers: &[],
    options: &[],
    budget: (5.0, 1),
    whole: (60.0, 3),
};

/// The papers, in the order of their numbers.
#[rustfmt::skip]
pub const PUBLICATIONS: &[Publication] = &[
    Publication {
        number: "000",
        title: "Multiplex symbolic execution: exploring multiple paths by solving once",
        parts: &[
            PaperPart { name: "table5", shows: "Table 5, Fig. 8 for Java", group: SuiteGroup::Front, suite: "java", budget: (6.0, 1), whole: (900.0, 3), ..PART },
            PaperPart { name: "table6", shows: "Tables 3 and 6, Fig. 6 and 8", suite: "multiplex", whole: (900.0, 3), ..PART },
            PaperPart { name: "table7", shows: "Table 7", group: SuiteGroup::Front, suite: "java", only: &["table7"], whole: (900.0, 3), ..PART },
            PaperPart { name: "table7-c", shows: "Table 7 in C, Fig. 7", suite: "fp-gsl", only: &["multiplex"], whole: (900.0, 3), ..PART },
        ],
    },
    Publication {
        number: "001",
        title: "Type and interval aware array constraint solving for symbolic execution",
        parts: &[
            PaperPart { name: "table2", shows: "Tables 2 and 3, Fig. 5 to 8", suite: "arrays", budget: (3.0, 1), whole: (1800.0, 1), ..PART },
            PaperPart { name: "queries", shows: "Section 5.3: the same queries for each configuration", suite: "array-logs", budget: (2.0, 1), whole: (60.0, 1), ..PART },
        ],
    },
    Publication {
        number: "003",
        title: "Making symbolic execution promising by learning aggressive state-pruning strategy",
        parts: &[
            PaperPart { name: "homi", shows: "Fig. 1 to 3, Tables 3 and 4", suite: "homi", budget: (8.0, 1), whole: (18_000.0, 3), ..PART },
        ],
    },
    Publication {
        number: "004",
        title: "Symbolic execution of floating-point programs: how far are we?",
        parts: &[
            PaperPart { name: "study", shows: "Fig. 2, 4 and 6, Table I", suite: "fp-gsl", only: &["study", "auto", "search", "fuzz", "rso", "rso:paper", "synergy", "synergy:paper", "isc", "bvfp", "search:gosat", "search:xsat"], searchers: &["bfs"], budget: (2.0, 1), whole: (10.0, 3), ..PART },
            PaperPart { name: "uninterpreted", shows: "the same for FUZZ, RSO and Synergy, functions of libm called as they are", suite: "fp-gsl", only: &["study", "fuzz", "rso:paper", "synergy:paper"], searchers: &["bfs"], options: &["--mode", "concolic", "--libm", "call"], budget: (2.0, 1), whole: (10.0, 3), ..PART },
        ],
    },
];

/// What asks for all four.
pub const EVERY: &str = "all";

/// The papers of that number, or all of them; none if it is the name of something else.
pub fn named(name: &str) -> Vec<&'static Publication> {
    let all = PUBLICATIONS.iter();
    all.filter(|p| name == EVERY || name == p.number).collect()
}

impl Publication {
    /// What its suites need, each thing once.
    pub fn needs(&self) -> Result<Vec<Need>> {
        let mut needs = Vec::new();
        for part in self.parts {
            for &need in known_suite(part.group, part.suite)?
                .needs
                .iter()
                .copied()
                .flatten()
            {
                if !needs.contains(&need) {
                    needs.push(need);
                }
            }
        }
        Ok(needs)
    }

    /// Runs its parts, prints their tables and writes `paper-NUMBER.md`, anew after each part; whether all goals were met. A part that
    /// fails is named, and the others run.
    pub fn run(&self, context: &Context) -> Result<bool> {
        let mut page = format!("# {}: {}\n\n", self.number, self.title);
        let mut met = true;
        for part in self.parts {
            let own = part.context(context, self.number);
            say::err!(
                "{}: {} (suite {}, {})",
                self.number,
                part.shows,
                part.suite,
                part.budget(&own)
            );
            let text = match known_suite(part.group, part.suite)?.report(&own) {
                Ok(report) => {
                    met &= report.met();
                    let written = tables(&own.out)?;
                    if written.is_empty() {
                        report.markdown()
                    } else {
                        written
                    }
                }
                Err(error) => {
                    met = false;
                    say::err!("{}: {error:#}", part.name);
                    format!("FAILED: {error:#}\n")
                }
            };
            let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_else(|e| e.to_string());
            let load = load.split(' ').next().unwrap_or("?");
            // Into a String, which takes everything.
            writeln!(
                page,
                "# {}\n\nSuite {}, {}, {} runs at the same time; load at the end {load}.\n\n{}",
                part.shows,
                part.suite,
                part.budget(&own),
                own.jobs,
                text.trim_end()
            )?;
            let path = context.out.join(format!("paper-{}.md", self.number));
            std::fs::write(&path, &page)
                .with_context(|| format!("cannot write {}", path.display()))?;
            say::err!("written: {}", path.display());
        }
        Ok(met)
    }
}

impl PaperPart {
    /// The context of its suite: what the user says goes before what the part says.
    fn context(&self, context: &Context, number: &str) -> Context {
        let (seconds, seeds) = if context.all { self.whole } else { self.budget };
        let or = |own: &[&str], users: &[String]| -> Vec<String> {
            match users {
                [] => own.iter().map(ToString::to_string).collect(),
                users => users.to_vec(),
            }
        };
        let mut only = or(self.only, &[]);
        only.extend(context.only.iter().cloned());
        let mut options = or(self.options, &[]);
        options.extend(context.run_options.iter().cloned());
        Context {
            out: context.out.join(number).join(self.name),
            time: context.time.or(Some(seconds)),
            seeds: context.seeds.or(Some(seeds)),
            only,
            searchers: or(self.searchers, &context.searchers),
            run_options: options,
            ..context.clone()
        }
    }

    /// The budget of its context, in words.
    fn budget(&self, own: &Context) -> String {
        let seconds = own.time.unwrap_or(self.budget.0);
        let seeds = own.seeds.unwrap_or(self.budget.1);
        format!("{seconds} s a run, seeds: {seeds}")
    }
}

/// The tables that a suite wrote as Markdown, by name.
fn tables(dir: &Path) -> Result<String> {
    let failed = || dir.display().to_string();
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(dir).with_context(failed)? {
        let path = entry.with_context(failed)?.path();
        if path.extension().is_some_and(|e| e == "md") {
            paths.push(path);
        }
    }
    paths.sort();
    let mut text = String::new();
    for path in paths {
        text += &std::fs::read_to_string(&path).with_context(failed)?;
        text += "\n";
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_is_a_suite_with_a_directory_of_its_own() {
        for publication in PUBLICATIONS {
            assert!(!publication.needs().unwrap().is_empty());
            let mut names: Vec<&str> = publication.parts.iter().map(|p| p.name).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), publication.parts.len());
            assert!(known_suite(SuiteGroup::Papers, publication.number).is_err());
        }
        assert_eq!(named("003").len(), 1);
        assert_eq!(named(EVERY).len(), 4);
        assert!(named("homi").is_empty());
    }

    #[test]
    fn what_the_user_says_goes_before_a_part_s_budget() {
        let part = &PUBLICATIONS[3].parts[1];
        let plain = Context::default();
        let own = part.context(&plain, "004");
        assert_eq!(own.time, Some(part.budget.0));
        assert_eq!(own.run_options, part.options);
        let asked = Context {
            time: Some(1.0),
            all: true,
            only: vec!["gsl_sf_exp_e".into()],
            ..Context::default()
        };
        let own = part.context(&asked, "004");
        assert_eq!((own.time, own.seeds), (Some(1.0), Some(part.whole.1)));
        assert!(own.wants("gsl_sf_exp_e") && own.wants("study"));
    }
}
