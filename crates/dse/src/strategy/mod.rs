//! Which open branch is asked for next.
//!
//! To add a strategy: one file beside `dfs.rs`, one line in [`REGISTRY`].

mod bfs;
mod cover_new;
mod dfs;
mod distance;
mod generational;
mod random;

pub use crate::tree::BranchId;

/// What a strategy knows of an open branch.
#[derive(Clone, Copy, Debug, Default)]
pub struct Traits {
    /// Decisions before it on its path.
    pub depth: u32,
    /// Serial number of the run that found it.
    pub run: u64,
    /// Places that this run covered first.
    pub newly_covered: u64,
    /// From the branch to uncovered code, in instructions, when it was found; `u32::MAX` when unknown.
    pub distance: u32,
}

/// Keeps the open branches.
pub trait Strategy {
    /// A run met an open branch. Those of one run come in the order of the path.
    fn add(&mut self, id: BranchId, t: &Traits);
    /// The branch to ask for. It leaves the strategy, which may name branches that are open no longer.
    fn next(&mut self) -> Option<BranchId>;
}

/// A strategy's line.
pub struct Entry {
    /// The name on the command line.
    pub name: &'static str,
    /// What it prefers, in a few words.
    pub help: &'static str,
    /// Makes one; the seed fixes all of its random choices.
    pub make: fn(seed: u64) -> Box<dyn Strategy>,
}

/// All strategies.
pub const REGISTRY: &[Entry] = &[
    Entry {
        name: "dfs",
        help: "the deepest open branch of the latest path",
        make: |_| Box::<dfs::Dfs>::default(),
    },
    Entry {
        name: "bfs",
        help: "the open branch nearest to the program's start",
        make: |_| Box::<bfs::Bfs>::default(),
    },
    Entry {
        name: "random",
        help: "any open branch",
        make: |seed| Box::new(random::Random::new(seed)),
    },
    Entry {
        name: "cover-new",
        help: "branches near runs that covered something new, drawn by weight",
        make: |seed| Box::new(cover_new::CoverNew::new(seed)),
    },
    Entry {
        name: "distance",
        help: "the open branch nearest to uncovered code",
        make: |_| Box::<distance::Distance>::default(),
    },
    Entry {
        name: "generational",
        help: "all branches of the run that covered most, as SAGE does",
        make: |_| Box::<generational::Generational>::default(),
    },
];

/// The strategy of a name.
pub fn find(name: &str) -> Option<&'static Entry> {
    REGISTRY.iter().find(|e| e.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_strategy_gives_each_branch_back_once_and_repeats_itself() {
        for entry in REGISTRY {
            let order = |seed| {
                let mut s = (entry.make)(seed);
                let mut out = Vec::new();
                for i in 0..200u64 {
                    let t = Traits {
                        depth: (i * 7 % 31) as u32,
                        run: i / 20,
                        newly_covered: i / 20 % 3,
                        distance: (i * 13 % 17) as u32,
                    };
                    s.add(BranchId(i), &t);
                    if i % 3 == 0 {
                        out.extend(s.next());
                    }
                }
                while let Some(id) = s.next() {
                    out.push(id);
                }
                out
            };
            let got = order(1);
            assert_eq!(got.len(), 200, "{}", entry.name);
            assert_eq!(
                got.iter().collect::<BTreeSet<_>>().len(),
                200,
                "{}",
                entry.name
            );
            assert_eq!(got, order(1), "{}", entry.name);
        }
    }

    #[test]
    fn names_are_told_apart() {
        assert!(find("dfs").is_some() && find("nothing").is_none());
        let names: BTreeSet<_> = REGISTRY.iter().map(|e| e.name).collect();
        assert_eq!(names.len(), REGISTRY.len());
    }
}
