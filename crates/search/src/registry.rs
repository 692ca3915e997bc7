//! All searchers by name. To add one: its file, its `mod` line, and one line in [`REGISTRY`].

use crate::batching::Batching;
use crate::interleaved::Interleaved;
use crate::nurs::{Nurs, covnew, cpicnt, depth, icnt, md2u, qc, rp};
use crate::{Searcher, bfs, class_uniform, dfs, frontier, random_path, random_state, rng, subpath};

/// A searcher that can be named.
pub struct Entry {
    /// What the user writes.
    pub name: &'static str,
    /// One line for the help text.
    pub help: &'static str,
    /// Makes one without states, from a seed.
    pub make: fn(u64) -> Box<dyn Searcher>,
}

/// What is used when the user names none. Measured on coreutils by covered branches per CPU second:
/// frontier alone is ahead where much uncovered code is in reach (`expr`) and behind where its
/// targets are costly to solve for (`pr`, `tr`); in turns with KLEE's default pair it is ahead of
/// that pair on all three.
pub const DEFAULT: &str = "random-path,nurs:covnew,frontier";

/// Every searcher.
#[rustfmt::skip]
pub const REGISTRY: &[Entry] = &[
    Entry { name: "dfs", help: "depth first", make: |_| Box::new(dfs::Dfs::default()) },
    Entry { name: "bfs", help: "breadth first, by forks", make: |_| Box::new(bfs::Bfs::default()) },
    Entry { name: "random-state", help: "each state alike", make: |s| Box::new(random_state::RandomState::new(s)) },
    Entry { name: "random-path", help: "random walk down the fork tree", make: |s| Box::new(random_path::RandomPath::new(s)) },
    Entry { name: "nurs:covnew", help: "covered something new lately, or near to uncovered code", make: |s| Box::new(Nurs::new(covnew::CovNew, s)) },
    Entry { name: "nurs:md2u", help: "near to uncovered code", make: |s| Box::new(Nurs::new(md2u::Md2u, s)) },
    Entry { name: "nurs:cpicnt", help: "call stack executed rarely", make: |s| Box::new(Nurs::new(cpicnt::CallPathCount, s)) },
    Entry { name: "nurs:icnt", help: "instruction executed rarely", make: |s| Box::new(Nurs::new(icnt::InstructionCount, s)) },
    Entry { name: "nurs:qc", help: "cheap queries", make: |s| Box::new(Nurs::new(qc::QueryCost, s)) },
    Entry { name: "nurs:depth", help: "deep in the fork tree", make: |s| Box::new(Nurs::new(depth::Depth, s)) },
    Entry { name: "nurs:rp", help: "2^-depth", make: |s| Box::new(Nurs::new(rp::RandomPathWeight, s)) },
    Entry { name: "cupa", help: "each coverage site alike, then a random state there", make: |s| Box::new(class_uniform::ClassUniform::new(s)) },
    Entry { name: "subpath:1", help: "last branch outcome continued least", make: |s| Box::new(subpath::SubpathGuided::new(1, s)) },
    Entry { name: "subpath:2", help: "last two branch outcomes continued least", make: |s| Box::new(subpath::SubpathGuided::new(2, s)) },
    Entry { name: "subpath:4", help: "last four branch outcomes continued least", make: |s| Box::new(subpath::SubpathGuided::new(4, s)) },
    Entry { name: "frontier", help: "each uncovered site in reach alike, then a near state", make: |s| Box::new(frontier::Frontier::new(s)) },
];

/// What composes the named searchers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Same seed, same choices.
    pub seed: u64,
    /// A selected state keeps running for so many instructions; 0: no batches.
    pub batch_instructions: u64,
}

/// A name that is not in the registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownSearcher(pub String);

impl std::fmt::Display for UnknownSearcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = REGISTRY.iter().map(|e| e.name).collect();
        let names = names.join(", ");
        write!(
            f,
            "unknown searcher '{}'; there are: {names}; 'a,b' takes turns",
            self.0
        )
    }
}

impl std::error::Error for UnknownSearcher {}

/// The searcher for a list of names with commas between.
pub fn parse(names: &str, options: &Options) -> Result<Box<dyn Searcher>, UnknownSearcher> {
    let mut parts = Vec::new();
    for (i, name) in names.split(',').map(str::trim).enumerate() {
        let entry = REGISTRY.iter().find(|e| e.name == name);
        let entry = entry.ok_or_else(|| UnknownSearcher(name.into()))?;
        parts.push((entry.make)(rng::derive(options.seed, i as u64)));
    }
    let searcher = match parts.len() {
        1 => parts.remove(0),
        _ => Box::new(Interleaved::new(parts)),
    };
    Ok(match options.batch_instructions {
        0 => searcher,
        n => Box::new(Batching::new(searcher, n)),
    })
}
