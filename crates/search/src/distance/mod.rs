//! Instructions from a state to the nearest uncovered site (KLEE's md2u, interprocedural).
//!
//! The program becomes a graph of blocks (`graph`): an instruction that calls has an edge into the
//! callee and one past the call, which costs what the callee needs to return. A state's distance is
//! the minimum over: its own block; and, for each frame of its stack, the way to return into it
//! plus the distance there.
//!
//! Distances to the nearest uncovered site come from one backward Dijkstra at the beginning. When a
//! site gets covered, distances only grow, and only for the blocks whose nearest site it was: those
//! are reset and repaired from their border (deletion in the manner of Ramalingam and Reps,
//! "An incremental algorithm for a generalization of the shortest-path problem", 1996). The result is
//! exact after each call of [`Distances::mark_covered`], and the cost is that of the part that changes.
//!
//! Incomplete where the graph is: an indirect call may reach any function whose address is taken
//! and whose parameters fit; `longjmp` and signals have no edges; feasibility is not considered.

mod graph;

use crate::UNKNOWN;
use graph::Graph;
use ir::{Module, Pc, SiteId};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A distance in instructions and the uncovered site it leads to; both [`UNKNOWN`] when none is
/// reachable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Near {
    /// Instructions to go; 0 when the next instruction covers the site.
    pub distance: u32,
    /// The site.
    pub site: SiteId,
}

impl Near {
    /// No uncovered site is reachable.
    pub const NONE: Near = Near {
        distance: UNKNOWN,
        site: UNKNOWN,
    };

    fn plus(self, distance: u32) -> Near {
        match self.distance {
            UNKNOWN => Near::NONE,
            d => Near {
                distance: d.saturating_add(distance).min(UNKNOWN - 1),
                site: self.site,
            },
        }
    }
}

/// See the module.
pub struct Distances {
    graph: Graph,
    /// Per block, from its first instruction.
    near: Vec<Near>,
    covered: Vec<bool>,
    uncovered: usize,
    /// Scratch space of `mark_covered`.
    affected: Vec<bool>,
}

impl Distances {
    /// Analyses a program of which nothing is covered yet. Only sites of own functions count.
    pub fn new(module: &Module) -> Distances {
        let graph = Graph::new(module);
        let own = |s: &ir::Site| {
            module
                .functions
                .get(s.function as usize)
                .is_some_and(|f| f.own)
        };
        let covered: Vec<bool> = module.sites.iter().map(|s| !own(s)).collect();
        let blocks = graph.blocks.len();
        let uncovered = covered.iter().filter(|c| !**c).count();
        let near = vec![Near::NONE; blocks];
        let mut this = Distances {
            graph,
            near,
            covered,
            uncovered,
            affected: vec![true; blocks],
        };
        this.repair((0..blocks as u32).collect());
        this
    }

    /// Whether the site was marked, or does not count.
    pub fn is_covered(&self, site: SiteId) -> bool {
        self.covered.get(site as usize).copied().unwrap_or(true)
    }

    /// Sites that count and were not marked yet.
    pub fn uncovered(&self) -> usize {
        self.uncovered
    }

    /// Notes that a path passed `site`; whether it was the first.
    pub fn mark_covered(&mut self, site: SiteId) -> bool {
        if self.is_covered(site) {
            return false;
        }
        self.covered[site as usize] = true;
        self.uncovered -= 1;
        // All blocks whose nearest site it was: found backwards, since the nearest site is
        // inherited from a successor.
        let mut found: Vec<u32> = self.graph.blocks_of_site(site).to_vec();
        found.retain(|b| self.near[*b as usize].site == site);
        found.iter().for_each(|b| self.affected[*b as usize] = true);
        let mut i = 0;
        while let Some(block) = found.get(i).copied() {
            i += 1;
            for edge in self.graph.predecessors(block) {
                let p = edge.to as usize;
                if !self.affected[p] && self.near[p].site == site {
                    self.affected[p] = true;
                    found.push(edge.to);
                }
            }
        }
        self.repair(found);
        true
    }

    /// Recomputes the blocks of the list, which are marked as affected, from all others.
    fn repair(&mut self, blocks: Vec<u32>) {
        let mut heap = BinaryHeap::new();
        for &b in &blocks {
            let site = self.graph.blocks[b as usize].site;
            let mut best = Near::NONE;
            if !self.is_covered(site) {
                best = Near { distance: 0, site };
            } else {
                for edge in self.graph.successors(b) {
                    if !self.affected[edge.to as usize] {
                        best = best.min(self.near[edge.to as usize].plus(edge.cost));
                    }
                }
            }
            self.near[b as usize] = best;
            if best != Near::NONE {
                heap.push(Reverse((best, b)));
            }
        }
        while let Some(Reverse((near, b))) = heap.pop() {
            if self.near[b as usize] != near {
                continue;
            }
            for edge in self.graph.predecessors(b) {
                let p = edge.to as usize;
                let through = near.plus(edge.cost);
                if self.affected[p] && through < self.near[p] {
                    self.near[p] = through;
                    heap.push(Reverse((through, edge.to)));
                }
            }
        }
        blocks
            .iter()
            .for_each(|b| self.affected[*b as usize] = false);
    }

    /// The nearest uncovered site within the functions that are called from `pc` on.
    fn local(&self, pc: Pc) -> Near {
        let Some((b, offset)) = self.graph.locate(pc) else {
            return Near::NONE;
        };
        if offset == 0 {
            return self.near[b as usize];
        }
        let through = |e: &graph::Edge| self.near[e.to as usize].plus(e.cost - offset);
        self.graph
            .successors(b)
            .iter()
            .map(through)
            .min()
            .unwrap_or(Near::NONE)
    }

    /// The nearest uncovered site for a state that executes `pc` next, and whose callers continue
    /// at `return_pcs`, the innermost first.
    pub fn of(&self, pc: Pc, return_pcs: impl IntoIterator<Item = Pc>) -> Near {
        if self.uncovered == 0 {
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
