//! The program as blocks with weighted edges, calls summarized by what the callee needs to return.
//!
//! A block begins at a function's entry, a jump target, a `Cover`, or behind a call or a jump, and
//! ends behind a call or a jump; an edge costs the block's instructions, a call's edge past the call
//! also the callee's way to its return. The ways to return are least fixed points, found by Knuth's
//! generalization of Dijkstra's algorithm (Inf. Proc. Letters 6(1), 1977).

use super::lists::Lists;
use super::nearest::Edge;
use crate::UNKNOWN;
use ir::{FuncId, Inst, Module, Pc, SiteId, Val, layout};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The cost of an indirect call beyond its block: the callee is a guess.
const INDIRECT_COST: u32 = 20;

pub(super) struct GraphBlock {
    start: Pc,
    end: Pc,
    /// The site of the `Cover` at its start, or [`UNKNOWN`].
    pub site: SiteId,
}

pub(super) struct Graph {
    pub blocks: Vec<GraphBlock>,
    block_at: Vec<u32>,
    to_return: Vec<u32>,
}

/// The successors of the end of a block.
#[derive(Default)]
struct Exits {
    jumps: Vec<Pc>,
    /// Behind a call: the callees, and whether they are only candidates.
    callees: Vec<FuncId>,
    indirect: bool,
    /// Goes on behind the block, after the callees if there are any.
    falls: bool,
    returns: bool,
}

impl Graph {
    /// The graph, and its edges by the blocks that they leave.
    pub fn new(module: &Module) -> (Graph, Vec<(u32, Edge)>) {
        let taken = address_taken(module);
        let (blocks, block_at) = split(module);
        let mut pairs = Vec::new();
        let mut calls = Vec::new();
        let mut returning = Vec::new();
        for (b, block) in blocks.iter().enumerate() {
            let b = b as u32;
            let cost = block.end - block.start;
            let exits = exits(module, block.end - 1, &taken);
            let at = |pc: Pc| block_at.get(pc as usize).copied().filter(|b| *b != UNKNOWN);
            for to in exits.jumps.iter().filter_map(|pc| at(*pc)) {
                pairs.push((b, Edge { to, cost }));
            }
            let guess = if exits.indirect { INDIRECT_COST } else { 0 };
            for f in &exits.callees {
                if let Some(to) = at(module.functions[*f as usize].entry) {
                    pairs.push((
                        b,
                        Edge {
                            to,
                            cost: cost + guess,
                        },
                    ));
                }
            }
            if let (true, Some(next)) = (exits.falls, at(block.end)) {
                match exits.callees.first() {
                    Some(f) if !exits.indirect => calls.push((b, *f, next)),
                    _ => pairs.push((
                        b,
                        Edge {
                            to: next,
                            cost: cost + guess,
                        },
                    )),
                }
            }
            if exits.returns {
                returning.push(b);
            }
        }
        let to_return = ways_to_return(module, &blocks, &block_at, &pairs, &calls, &returning);
        for (b, f, next) in calls {
            let entry = module.functions[f as usize].entry;
            let callee = block_at
                .get(entry as usize)
                .map_or(UNKNOWN, |e| to_return[*e as usize]);
            if callee != UNKNOWN {
                let block = &blocks[b as usize];
                let cost = (block.end - block.start)
                    .saturating_add(callee)
                    .min(UNKNOWN - 1);
                pairs.push((b, Edge { to: next, cost }));
            }
        }
        let graph = Graph {
            to_return,
            block_at,
            blocks,
        };
        (graph, pairs)
    }

    /// The block of an instruction and the offset in it.
    pub fn locate(&self, pc: Pc) -> Option<(u32, u32)> {
        let block = self
            .block_at
            .get(pc as usize)
            .copied()
            .filter(|b| *b != UNKNOWN)?;
        Some((block, pc - self.blocks[block as usize].start))
    }

    /// Instructions from `pc` until its function returns; [`UNKNOWN`] if it never does.
    pub fn to_return(&self, pc: Pc) -> u32 {
        match self.locate(pc) {
            Some((b, offset)) if self.to_return[b as usize] != UNKNOWN => {
                self.to_return[b as usize] - offset
            }
            _ => UNKNOWN,
        }
    }
}

/// Functions whose address occurs as a constant or in a global's bytes.
fn address_taken(module: &Module) -> Vec<FuncId> {
    let words = module.globals.iter().flat_map(|g| g.init.chunks_exact(8));
    let words = words.map(|w| u64::from_le_bytes(std::array::from_fn(|i| w[i])));
    let callable = |w| layout::callable_index(w).filter(|i| *i < module.functions.len() as u64);
    let mut taken: Vec<FuncId> = words
        .chain(module.consts.iter().copied())
        .filter_map(callable)
        .map(|i| i as FuncId)
        .collect();
    taken.sort_unstable();
    taken.dedup();
    taken
}

fn constant(module: &Module, v: Val) -> Option<u64> {
    v.is_const()
        .then(|| module.consts.get(v.index()).copied())
        .flatten()
}

fn exits(module: &Module, pc: Pc, taken: &[FuncId]) -> Exits {
    let known = |f: u64| (f < module.functions.len() as u64).then_some(f as FuncId);
    let mut exits = Exits::default();
    match module.code[pc as usize] {
        Inst::Jump { target } => exits.jumps.push(target),
        Inst::Branch { then, other, .. } | Inst::CmpBranch { then, other, .. } => {
            exits.jumps.extend([then, other]);
        }
        Inst::Invoked { target, pad, .. } => exits.jumps.extend([target, pad]),
        Inst::Switch { table, .. } => {
            let switch = &module.switches[table as usize];
            exits.jumps.extend(switch.cases.iter().map(|(_, pc)| *pc));
            exits.jumps.push(switch.default);
            exits.jumps.sort_unstable();
            exits.jumps.dedup();
        }
        Inst::Call { callee, .. } => {
            exits.callees.push(callee);
            exits.falls = true;
        }
        Inst::CallSite { site } => {
            let call = &module.call_sites[site as usize];
            exits.falls = true;
            match call.target {
                ir::Target::Function(f) => exits.callees.push(f),
                ir::Target::Extern(_) => {}
                ir::Target::Pointer(v) => match constant(module, v) {
                    Some(w) => exits
                        .callees
                        .extend(layout::callable_index(w).and_then(known)),
                    None => {
                        exits.indirect = true;
                        let fits = |f: &&FuncId| {
                            let f = &module.functions[**f as usize];
                            f.params.len() == call.args.len()
                                || (f.variadic.is_some() && f.params.len() <= call.args.len())
                        };
                        exits.callees.extend(taken.iter().filter(fits));
                    }
                },
            }
        }
        Inst::Ret { .. } => exits.returns = true,
        Inst::Unreachable | Inst::Trap | Inst::Unsupported { .. } => {}
        _ => exits.falls = true,
    }
    exits
}

/// The blocks, and the block of each instruction.
fn split(module: &Module) -> (Vec<GraphBlock>, Vec<u32>) {
    let code = &module.code;
    let mut leader = vec![false; code.len() + 1];
    for f in &module.functions {
        leader[f.entry as usize] = true;
    }
    for (pc, inst) in code.iter().enumerate() {
        match *inst {
            Inst::Cover { .. } => leader[pc] = true,
            Inst::Call { .. } | Inst::CallSite { .. } => leader[pc + 1] = true,
            Inst::Jump { .. }
            | Inst::Branch { .. }
            | Inst::CmpBranch { .. }
            | Inst::Switch { .. }
            | Inst::Invoked { .. }
            | Inst::Ret { .. }
            | Inst::Unreachable
            | Inst::Trap
            | Inst::Unsupported { .. } => {
                leader[pc + 1] = true;
                for target in exits(module, pc as Pc, &[]).jumps {
                    leader[target as usize] = true;
                }
            }
            _ => {}
        }
    }
    let mut blocks: Vec<GraphBlock> = Vec::new();
    let mut block_at = vec![UNKNOWN; code.len()];
    for f in &module.functions {
        for pc in f.entry..f.end {
            if leader[pc as usize] {
                let site = match code[pc as usize] {
                    Inst::Cover { site } => site,
                    _ => UNKNOWN,
                };
                blocks.push(GraphBlock {
                    start: pc,
                    end: pc,
                    site,
                });
            }
            if let Some(block) = blocks.last_mut() {
                block.end = pc + 1;
                block_at[pc as usize] = blocks.len() as u32 - 1;
            }
        }
    }
    (blocks, block_at)
}

/// Per block, instructions until its function returns. `pairs` are the edges that are no direct
/// calls (edges into callees lead out of the function and are left out here by `same`).
fn ways_to_return(
    module: &Module,
    blocks: &[GraphBlock],
    block_at: &[u32],
    pairs: &[(u32, Edge)],
    calls: &[(u32, FuncId, u32)],
    returning: &[u32],
) -> Vec<u32> {
    let mut function_of = vec![UNKNOWN; blocks.len()];
    let mut entry_of = vec![UNKNOWN; module.functions.len()];
    for (f, function) in module.functions.iter().enumerate() {
        entry_of[f] = block_at
            .get(function.entry as usize)
            .copied()
            .unwrap_or(UNKNOWN);
        for pc in function.entry..function.end {
            function_of[block_at[pc as usize] as usize] = f as u32;
        }
    }
    let is_entry = |b: u32| entry_of[function_of[b as usize] as usize] == b;
    // An edge to an entry is a call (the front end gives entry blocks no predecessors) or a self
    // call; either way it is no step towards the return.
    let steps = pairs.iter().filter(|(from, e)| {
        function_of[*from as usize] == function_of[e.to as usize] && !is_entry(e.to)
    });
    let steps: Vec<_> = steps
        .map(|(from, e)| {
            (
                e.to,
                Edge {
                    to: *from,
                    cost: e.cost,
                },
            )
        })
        .collect();
    let steps = Lists::new(blocks.len(), &steps);
    let by_next: Vec<_> = calls.iter().map(|(b, f, next)| (*next, (*b, *f))).collect();
    let by_next = Lists::new(blocks.len(), &by_next);
    let by_callee: Vec<_> = calls.iter().map(|(b, f, next)| (*f, (*b, *next))).collect();
    let by_callee = Lists::new(module.functions.len(), &by_callee);

    let length = |b: u32| blocks[b as usize].end - blocks[b as usize].start;
    let mut done = vec![false; blocks.len()];
    let mut best = vec![UNKNOWN; blocks.len()];
    let mut heap = BinaryHeap::new();
    let reach = |best: &mut Vec<u32>, heap: &mut BinaryHeap<_>, b: u32, cost: u32| {
        let cost = cost.min(UNKNOWN - 1);
        if cost < best[b as usize] {
            best[b as usize] = cost;
            heap.push(Reverse((cost, b)));
        }
    };
    for &b in returning {
        reach(&mut best, &mut heap, b, length(b));
    }
    while let Some(Reverse((cost, b))) = heap.pop() {
        if std::mem::replace(&mut done[b as usize], true) {
            continue;
        }
        for edge in steps.of(b) {
            reach(
                &mut best,
                &mut heap,
                edge.to,
                cost.saturating_add(edge.cost),
            );
        }
        // A call's cost is known once both the callee's way and the way behind it are final.
        for &(call, f) in by_next.of(b) {
            let entry = entry_of[f as usize];
            if entry != UNKNOWN && done[entry as usize] {
                let callee = best[entry as usize];
                let total = cost.saturating_add(callee).saturating_add(length(call));
                reach(&mut best, &mut heap, call, total);
            }
        }
        if is_entry(b) {
            for &(call, next) in by_callee.of(function_of[b as usize]) {
                if done[next as usize] {
                    let behind = best[next as usize];
                    let total = cost.saturating_add(behind).saturating_add(length(call));
                    reach(&mut best, &mut heap, call, total);
                }
            }
        }
    }
    best
}
