//! Distances to the nearest uncovered site in a graph of blocks.
//!
//! They come from one backward Dijkstra at the beginning. When a
//! site gets covered, distances only grow, and only for the blocks whose nearest site it was: those
//! are reset and repaired from their border (deletion in the manner of Ramalingam and Reps,
//! "An incremental algorithm for a generalization of the shortest-path problem", 1996). The result is
//! exact after each call of [`Nearest::mark_covered`], and the cost is that of the part that changes.

use super::lists::Lists;
use crate::UNKNOWN;
use ir::SiteId;
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

    pub(super) fn plus(self, distance: u32) -> Near {
        match self.distance {
            UNKNOWN => Near::NONE,
            d => Near {
                distance: d.saturating_add(distance).min(UNKNOWN - 1),
                site: self.site,
            },
        }
    }
}

/// A way from a block to another one.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// The block at the other end.
    pub to: u32,
    /// Instructions; at least the length of the block that the edge leaves.
    pub cost: u32,
}

/// See the module.
pub struct Nearest {
    /// Per block, the site that its beginning covers, or [`UNKNOWN`].
    sites: Vec<SiteId>,
    successors: Lists<Edge>,
    /// Edges from the predecessors, whose `to` is the predecessor.
    predecessors: Lists<Edge>,
    blocks_of_site: Lists<u32>,
    /// Per block, from its first instruction.
    near: Vec<Near>,
    covered: Vec<bool>,
    uncovered: usize,
    /// Scratch space of `mark_covered`.
    affected: Vec<bool>,
}

impl Nearest {
    /// The distances in a graph of blocks with these sites ([`UNKNOWN`]: none) and edges, by the blocks that they
    /// leave. `covered` has for each site whether it is covered or does not count.
    pub fn new(sites: Vec<SiteId>, edges: &[(u32, Edge)], covered: Vec<bool>) -> Nearest {
        let back = |&(from, e): &(u32, Edge)| (e.to, Edge { to: from, ..e });
        let reversed: Vec<_> = edges.iter().map(back).collect();
        let of_site = sites.iter().enumerate().filter(|(_, s)| **s != UNKNOWN);
        let of_site: Vec<_> = of_site.map(|(i, s)| (*s, i as u32)).collect();
        let blocks = sites.len();
        let mut this = Nearest {
            successors: Lists::new(blocks, edges),
            predecessors: Lists::new(blocks, &reversed),
            blocks_of_site: Lists::new(covered.len(), &of_site),
            sites,
            near: vec![Near::NONE; blocks],
            uncovered: covered.iter().filter(|c| !**c).count(),
            covered,
            affected: vec![true; blocks],
        };
        this.repair((0..blocks as u32).collect());
        this
    }

    /// From the beginning of a block.
    pub fn of(&self, block: u32) -> Near {
        self.near.get(block as usize).copied().unwrap_or(Near::NONE)
    }

    /// From an instruction of a block, so many behind its first, that is not the first.
    pub fn within(&self, block: u32, offset: u32) -> Near {
        let through = |e: &Edge| self.of(e.to).plus(e.cost.saturating_sub(offset));
        let ways = self.successors.of(block).iter().map(through);
        ways.min().unwrap_or(Near::NONE)
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
        let mut found: Vec<u32> = self.blocks_of_site.of(site).to_vec();
        found.retain(|b| self.near[*b as usize].site == site);
        found.iter().for_each(|b| self.affected[*b as usize] = true);
        let mut i = 0;
        while let Some(block) = found.get(i).copied() {
            i += 1;
            for edge in self.predecessors.of(block) {
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
            let site = self.sites[b as usize];
            let mut best = Near::NONE;
            if !self.is_covered(site) {
                best = Near { distance: 0, site };
            } else {
                for edge in self.successors.of(b) {
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
            for edge in self.predecessors.of(b) {
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
}
