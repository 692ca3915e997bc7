//! All heuristics by name, for both modes. To add one: its file, its `mod` line, and one line in [`REGISTRY`].

use crate::batching::Batching;
use crate::branches::{self, Ordered, Strategy};
use crate::deferring::Deferring;
use crate::interleaved::{Interleaved, Shares};
use crate::nurs::{Nurs, covnew, cpicnt, depth, icnt, md2u, qc, rp};
use crate::{
    Searcher, bfs, class_uniform, dfs, frontier, random_path, random_state, seed, subpath,
};

/// Makes a searcher without states, from a seed.
pub type MakeSearcher = fn(u64) -> Box<dyn Searcher>;
/// Makes a strategy without branches, from a seed that fixes all of its random choices.
pub type MakeStrategy = fn(u64) -> Box<dyn Strategy>;

/// A heuristic that can be named.
pub struct Heuristic {
    /// The name for the user.
    pub name: &'static str,
    /// The name in concolic mode, if it is another one. Either is understood.
    pub alias: Option<&'static str>,
    /// One line for the help text.
    pub help: &'static str,
    /// Ranks states.
    pub searcher: Option<MakeSearcher>,
    /// Ranks open branches.
    pub strategy: Option<MakeStrategy>,
}

impl Heuristic {
    const fn new(name: &'static str, help: &'static str) -> Heuristic {
        Heuristic {
            name,
            alias: None,
            help,
            searcher: None,
            strategy: None,
        }
    }

    const fn states(mut self, make: MakeSearcher) -> Heuristic {
        self.searcher = Some(make);
        self
    }

    const fn branches(mut self, make: MakeStrategy) -> Heuristic {
        self.strategy = Some(make);
        self
    }

    const fn or(mut self, alias: &'static str) -> Heuristic {
        self.alias = Some(alias);
        self
    }

    /// The name in concolic mode.
    pub fn branch_name(&self) -> &'static str {
        self.alias.unwrap_or(self.name)
    }
}

/// What is used when the user names none. Their shares of the time are learned ([`Interleaved`]): frontier alone is ahead where much
/// uncovered code is in reach (`expr`) and behind where its targets are costly to solve for (`pr`, `tr`), and KLEE's default pair the other
/// way round. Depth first has three quarters of the first seconds: what lies deep (`benches/planted`) it finds by then, and the others late or
/// never.
pub const DEFAULT: &str = "random-path,nurs:covnew,frontier,dfs*9:";

/// The same in concolic mode.
pub const DEFAULT_STRATEGY: &str = "cover-new";

/// Every heuristic.
#[rustfmt::skip]
pub const REGISTRY: &[Heuristic] = &[
    Heuristic::new("dfs", "depth first").states(|_| Box::new(dfs::Dfs::default())).branches(|_| Box::<branches::Dfs>::default()),
    Heuristic::new("bfs", "breadth first").states(|_| Box::new(bfs::Bfs::default())).branches(|_| Ordered::by(|m, id| [m.depth.into(), id, 0])),
    Heuristic::new("random-state", "each alike").or("random").states(|s| Box::new(random_state::RandomState::new(s))).branches(|s| Box::new(branches::Random::new(s))),
    Heuristic::new("random-path", "random walk down the fork tree").states(|s| Box::new(random_path::RandomPath::new(s))),
    Heuristic::new("nurs:covnew", "covered something new lately, or near to uncovered code").or("cover-new").states(|s| Box::new(Nurs::new(covnew::CovNew, s))).branches(|s| Box::new(branches::CoverNew::new(s))),
    Heuristic::new("cover-shallow", "as cover-new, and now and then the branch with the fewest decisions before it").branches(|s| Box::new(branches::CoverNew::with_shallow(s))),
    Heuristic::new("nurs:md2u", "near to uncovered code").or("distance").states(|s| Box::new(Nurs::new(md2u::Md2u, s))).branches(|_| Ordered::by(|m, id| [m.min_distance_to_uncovered.into(), !id, 0])),
    Heuristic::new("nurs:cpicnt", "call stack executed rarely").states(|s| Box::new(Nurs::new(cpicnt::CallPathCount, s))),
    Heuristic::new("nurs:icnt", "instruction executed rarely").states(|s| Box::new(Nurs::new(icnt::InstructionCount, s))),
    Heuristic::new("nurs:qc", "cheap queries").states(|s| Box::new(Nurs::new(qc::QueryCost, s))),
    Heuristic::new("nurs:depth", "deep in the fork tree").states(|s| Box::new(Nurs::new(depth::Depth, s))),
    Heuristic::new("nurs:rp", "2^-depth").states(|s| Box::new(Nurs::new(rp::RandomPathWeight, s))),
    Heuristic::new("cupa", "each coverage site alike, then a random state there").states(|s| Box::new(class_uniform::ClassUniform::new(s))),
    Heuristic::new("subpath:1", "last branch outcome continued least").states(|s| Box::new(subpath::SubpathGuided::new(1, s))),
    Heuristic::new("subpath:2", "last two branch outcomes continued least").states(|s| Box::new(subpath::SubpathGuided::new(2, s))),
    Heuristic::new("subpath:4", "last four branch outcomes continued least").states(|s| Box::new(subpath::SubpathGuided::new(4, s))),
    Heuristic::new("frontier", "each uncovered site in reach alike, then a near state").states(|s| Box::new(frontier::Frontier::new(s))),
    Heuristic::new("generational", "all branches of the run that covered most, as SAGE does").branches(|_| Ordered::by(|m, id| [!m.run_covered, m.run, id])),
];

/// Those that rank states.
pub fn searchers() -> impl Iterator<Item = &'static Heuristic> {
    REGISTRY.iter().filter(|e| e.searcher.is_some())
}

/// Those that rank open branches.
pub fn strategies() -> impl Iterator<Item = &'static Heuristic> {
    REGISTRY.iter().filter(|e| e.strategy.is_some())
}

fn find(name: &str) -> Option<&'static Heuristic> {
    let is_it = |e: &&Heuristic| e.name == name || e.alias == Some(name);
    REGISTRY.iter().find(is_it)
}

/// The settings from which the named searchers are composed.
#[derive(Clone, Copy, Debug, Default)]
pub struct SearchOptions {
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
        let names: Vec<&str> = searchers().map(|e| e.name).collect();
        let names = names.join(", ");
        write!(
            f,
            "unknown searcher '{}'; there are: {names}; 'a,b' shares the time as is learned, 'a*1,b*2' in parts of 1 and 2, 'b*9:2' in other parts at first",
            self.0
        )
    }
}

impl std::error::Error for UnknownSearcher {}

/// The searcher for a list of names with commas between. Their shares of the time are learned; with `*N` behind its name one has N shares, with `*M:N`
/// M at first and N later, and with `*M:` M at first and what is learned later.
pub fn parse(names: &str, options: &SearchOptions) -> Result<Box<dyn Searcher>, UnknownSearcher> {
    let mut parts = Vec::new();
    for (i, part) in names.split(',').map(str::trim).enumerate() {
        let (name, shares) = match part.split_once('*') {
            Some((name, shares)) => (name, Shares::parse(shares)),
            None => (part, Some(Shares::LEARNED)),
        };
        let make = find(name).and_then(|e| e.searcher);
        let unknown = || UnknownSearcher(part.into());
        let searcher = make.ok_or_else(unknown)?(seed::derive(options.seed, i as u64));
        parts.push((searcher, shares.ok_or_else(unknown)?));
    }
    let searcher = match parts.len() {
        1 => parts.remove(0).0,
        _ => Box::new(Interleaved::new(parts)),
    };
    let searcher = match options.batch_instructions {
        0 => searcher,
        n => Box::new(Batching::new(searcher, n)),
    };
    Ok(Box::new(Deferring::new(searcher)))
}

/// The strategy of a name, for concolic mode; `None` if none of [`strategies`] has it.
pub fn strategy(name: &str, seed: u64) -> Option<Box<dyn Strategy>> {
    Some(find(name)?.strategy?(seed))
}
