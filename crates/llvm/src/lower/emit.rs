//! Block layout and the final code of a function.
//!
//! Blocks are chained along jumps, the ones in the deepest loops first (Pettis and Hansen,
//! "Profile guided code positioning", PLDI 1990, bottom-up, with loop depth as the profile), so
//! that most jumps fall through and vanish. Parallel copies become sequences here, on final
//! registers, with one scratch register for cycles.

use super::body::{Body, BodyBlock, Move, Op, each_register, successors};
use super::regalloc::Allocation;
use ir::operands::Operands;
use ir::{FuncId, Inst, Module, Reg, Val};

/// Drops what no path reaches and jumps over empty blocks.
pub fn prune(body: &mut Body, switches: &[ir::Switch]) {
    let mut keep = vec![false; body.blocks.len()];
    let mut work = vec![0u32];
    while let Some(b) = work.pop() {
        if std::mem::replace(&mut keep[b as usize], true) {
            continue;
        }
        successors(&body.blocks[b as usize], switches, |s| work.push(s));
    }
    for (block, keep) in body.blocks.iter_mut().zip(keep) {
        if !keep {
            block.moves.clear();
            block.ops.clear();
            block.ops.push(Op {
                inst: Inst::Unreachable,
                location: ir::Location::default(),
            });
            block.depth = DROPPED;
        }
    }
}

const DROPPED: u32 = u32::MAX;

/// Each instruction reads and writes virtual registers of the width that it says.
pub fn check_widths(body: &Body, out: &Module, id: FuncId) -> Result<(), String> {
    struct LoweredCheck<'a> {
        body: &'a Body,
        wrong: Option<(u32, u32)>,
    }
    impl LoweredCheck<'_> {
        fn one(&mut self, v: u32, width: u32) {
            for n in 0..ir::operands::slots(width) {
                let w = ir::operands::slot_width(width, n);
                match self.body.widths.get((v + n) as usize) {
                    Some(is) if u32::from(*is) == w => {}
                    _ => self.wrong = Some((v + n, w)),
                }
            }
        }
    }
    impl Operands for LoweredCheck<'_> {
        fn reads(&mut self, value: &mut Val, width: u32) {
            if !value.is_const() {
                self.one(value.0, width);
            }
        }
        fn writes(&mut self, register: &mut Reg, width: u32) {
            self.one(register.0, width);
        }
    }
    let mut check = LoweredCheck { body, wrong: None };
    for block in &body.blocks {
        for op in &block.ops {
            let mut inst = op.inst;
            inst.operands(&mut check);
            if let Some((v, w)) = check.wrong {
                let name = &out.functions[id as usize].name;
                return Err(format!(
                    "internal error in {name}: {inst:?} uses register {v} as {w} bits"
                ));
            }
            each_register(
                &op.inst,
                out,
                &mut |v| assert!((v as usize) < body.widths.len()),
                &mut |_| {},
            );
        }
        for m in &block.moves {
            if !m.src.is_const() && body.widths[m.src.0 as usize] != body.widths[m.dst.0 as usize] {
                return Err(format!(
                    "internal error in {}: copy {m:?} changes the width",
                    out.functions[id as usize].name
                ));
            }
        }
    }
    Ok(())
}

/// Appends the body's code and finishes its function's entry in the table.
pub fn append(out: &mut Module, id: FuncId, mut body: Body, frame: Allocation) {
    let mut scratch_used = false;
    let scratch = Reg(frame.registers);
    for block in &mut body.blocks {
        sequentialise(block, scratch, &mut scratch_used);
    }
    let thread = thread_jumps(&body);
    let order = layout(&body, &thread);
    let entry = out.code.len() as u32;
    let mut pc_of = vec![u32::MAX; body.blocks.len()];
    let mut pending = Vec::new();
    let mut last_location = None;
    for (i, b) in order.iter().enumerate() {
        pc_of[*b as usize] = out.code.len() as u32;
        let block = &body.blocks[*b as usize];
        for (k, op) in block.ops.iter().enumerate() {
            if k + 1 == block.ops.len()
                && let Inst::Jump { target } = op.inst
                && order.get(i + 1) == Some(&thread[target as usize])
            {
                continue;
            }
            if last_location != Some(op.location) {
                out.locations.push((out.code.len() as u32, op.location));
                last_location = Some(op.location);
            }
            if op.inst.ends_block() {
                pending.push(out.code.len());
            }
            out.code.push(op.inst);
        }
    }
    for at in pending {
        if let Inst::Switch { table, .. } = out.code[at] {
            let table = &mut out.switches[table as usize];
            for (_, target) in &mut table.cases {
                *target = pc_of[thread[*target as usize] as usize];
            }
            table.default = pc_of[thread[table.default as usize] as usize];
        } else {
            out.code[at].targets(|t| *t = pc_of[thread[*t as usize] as usize]);
        }
    }
    let function = &mut out.functions[id as usize];
    function.entry = entry;
    function.end = out.code.len() as u32;
    function.registers = frame.registers + u32::from(scratch_used);
}

/// The final target of a jump to each block, past blocks that only jump.
fn thread_jumps(body: &Body) -> Vec<u32> {
    let mut to: Vec<u32> = (0..body.blocks.len() as u32).collect();
    #[allow(clippy::needless_range_loop)] // `b` is a block's number first of all
    for b in 0..to.len() {
        let mut at = b as u32;
        // Bounded, because a loop of empty blocks has no end.
        for _ in 0..body.blocks.len() {
            match body.blocks[at as usize].ops.as_slice() {
                [
                    Op {
                        inst: Inst::Jump { target },
                        ..
                    },
                ] if *target != at && *target != b as u32 => at = *target,
                _ => break,
            }
        }
        to[b] = at;
    }
    to
}

fn layout(body: &Body, thread: &[u32]) -> Vec<u32> {
    let count = body.blocks.len();
    let used = |b: usize| body.blocks[b].depth != DROPPED && (b == 0 || thread[b] == b as u32);
    let mut edges: Vec<(u32, bool, u32, u32)> = Vec::new();
    for (b, block) in body.blocks.iter().enumerate().filter(|(b, _)| used(*b)) {
        if let Some(Op {
            inst: Inst::Jump { target },
            ..
        }) = block.ops.last()
        {
            let target = thread[*target as usize];
            edges.push((block.depth, target <= b as u32, b as u32, target));
        }
    }
    // Deep ones first, and among those the ones that go back.
    edges.sort_by_key(|(depth, back, b, _)| (std::cmp::Reverse(*depth), !*back, *b));
    let mut next = vec![u32::MAX; count];
    let mut before = vec![u32::MAX; count];
    let mut head: Vec<u32> = (0..count as u32).collect(); // head of a chain, valid at its tail
    for (_, _, from, to) in edges {
        if to == 0
            || next[from as usize] != u32::MAX
            || before[to as usize] != u32::MAX
            || head[from as usize] == to
        {
            continue;
        }
        next[from as usize] = to;
        before[to as usize] = from;
        let first = head[from as usize];
        let mut tail = to;
        while next[tail as usize] != u32::MAX {
            tail = next[tail as usize];
        }
        head[tail as usize] = first;
    }
    let mut order = Vec::with_capacity(count);
    for b in (0..count).filter(|b| used(*b) && before[*b] == u32::MAX) {
        let mut at = b as u32;
        while at != u32::MAX {
            order.push(at);
            at = next[at as usize];
        }
    }
    order
}

/// Replaces the parallel copy in front of the last instruction by copies in a right order.
fn sequentialise(block: &mut BodyBlock, scratch: Reg, scratch_used: &mut bool) {
    let mut moves: Vec<Move> = std::mem::take(&mut block.moves);
    moves.retain(|m| m.src != Val::reg(m.dst));
    if moves.is_empty() {
        return;
    }
    let jump = block.ops.pop().expect("a block with moves ends in a jump");
    let mut push = |w: u8, dst: Reg, a: Val| {
        block.ops.push(Op {
            inst: Inst::Copy { w, dst, a },
            location: jump.location,
        });
    };
    while !moves.is_empty() {
        // A move whose target nobody still reads can go first.
        let ready = moves
            .iter()
            .position(|m| !moves.iter().any(|o| o.src == Val::reg(m.dst)));
        match ready {
            Some(i) => {
                let m = moves.swap_remove(i);
                push(m.w, m.dst, m.src);
            }
            None => {
                // Only cycles are left: set one register aside.
                *scratch_used = true;
                let first = moves[0].dst;
                let reader = moves
                    .iter()
                    .find(|m| m.src == Val::reg(first))
                    .expect("a cycle reads it");
                push(reader.w, scratch, first.into());
                for m in &mut moves {
                    if m.src == Val::reg(first) {
                        m.src = scratch.into();
                    }
                }
            }
        }
    }
    block.ops.push(jump);
}
