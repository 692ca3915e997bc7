//! Instructions from a state to the nearest uncovered site (KLEE's md2u, interprocedural).
//!
//! The program becomes a graph of blocks (`graph`): an instruction that calls has an edge into the
//! callee and one past the call, which costs what the callee needs to return. A state's distance is
//! the minimum over: its own block; and, for each frame of its stack, the way to return into it
//! plus the distance there.
//!
//! Distances within the graph are [`Nearest`]'s, which knows blocks and edges only; whoever has another program than one of the
//! IR makes a graph of it.
//!
//! Incomplete where the graph is: an indirect call may reach any function whose address is taken
//! and whose parameters fit; `longjmp` and signals have no edges; feasibility is not considered.

mod graph;
mod lists;
mod nearest;

pub use nearest::{Edge, Near, Nearest};

use graph::Graph;
use ir::{Module, Pc, SiteId};

/// See the module.
pub struct Distances {
    graph: Graph,
    nearest: Nearest,
}

impl Distances {
    /// Analyses a program of which nothing is covered yet. Only sites of own functions count.
    pub fn new(module: &Module) -> Distances {
        let (graph, edges) = Graph::new(module);
        let own = |s: &ir::Site| {
            module
                .functions
                .get(s.function as usize)
                .is_some_and(|f| f.own)
        };
        let covered = module.sites.iter().map(|s| !own(s)).collect();
        let sites = graph.blocks.iter().map(|b| b.site).collect();
        Distances {
            nearest: Nearest::new(sites, &edges, covered),
            graph,
        }
    }

    /// Whether the site was marked, or does not count.
    pub fn is_covered(&self, site: SiteId) -> bool {
        self.nearest.is_covered(site)
    }

    /// Sites that count and were not marked yet.
    pub fn uncovered(&self) -> usize {
        self.nearest.uncovered()
    }

    /// Notes that a path passed `site`; whether it was the first.
    pub fn mark_covered(&mut self, site: SiteId) -> bool {
        self.nearest.mark_covered(site)
    }

    /// The nearest uncovered site within the functions that are called from `pc` on.
    fn local(&self, pc: Pc) -> Near {
        match self.graph.locate(pc) {
            None => Near::NONE,
            Some((block, 0)) => self.nearest.of(block),
            Some((block, offset)) => self.nearest.within(block, offset),
        }
    }

    /// The nearest uncovered site for a state that executes `pc` next, and whose callers continue
    /// at `return_pcs`, the innermost first.
    pub fn of(&self, pc: Pc, return_pcs: impl IntoIterator<Item = Pc>) -> Near {
        if self.uncovered() == 0 {
            return Near::NONE;
        }
        let mut best = self.local(pc);
        let mut to_here = self.graph.to_return(pc);
        for pc in return_pcs {
            if to_here >= best.distance {
                break;
            }
            best = best.min(self.local(pc).plus(to_here));
            to_here = to_here.saturating_add(self.graph.to_return(pc));
        }
        best
    }
}

#[cfg(test)]
mod tests;
