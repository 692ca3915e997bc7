//! Virtual registers to frame registers.
//!
//! Idea: live ranges with holes as sorted segments (Wimmer and Franz, "Linear scan register
//! allocation on SSA form", CGO 2010, the interval building), phi copies coalesced when the ranges
//! of both sides do not meet, then first fit in order of the first definition. There is no spilling,
//! because a frame may have any number of registers; the aim is small frames (a fork copies them)
//! and no copies. Groups (wide values, results of calls) take consecutive registers.
//!
//! Cost: near linear; first fit looks at each register's last segments only.

use super::body::{Body, each_register, successors};
use ir::operands::Operands;
use ir::{Inst, Module, Reg, Val};

/// Half-open ranges of positions, in increasing order. Instruction `i` reads at `2 i + 1` and
/// writes at `2 i + 2`.
type Segments = Vec<(u32, u32)>;

/// The result that the second half of the work needs.
pub struct Allocation {
    pub registers: u32,
}

/// Rewrites all registers of the body, and those in the tables that its calls and returns use.
pub fn allocate(body: &mut Body, out: &mut Module) -> Allocation {
    let count = body.widths.len();
    let mut ranges = live_ranges(body, out);
    // Groups are classes of a union-find over first registers; segments are united per class.
    let mut classes = Classes::new(body, &mut ranges);
    if !body.returns_twice {
        classes.coalesce(body);
    }
    let (place, registers) = classes.assign(body);
    let map = |v: u32| place[v as usize];
    debug_assert_eq!(place.len(), count);
    rewrite(body, out, map);
    Allocation { registers }
}

// --- liveness ---

fn positions(body: &Body) -> Vec<u32> {
    let mut start = Vec::with_capacity(body.blocks.len() + 1);
    let mut at = 0;
    for b in &body.blocks {
        start.push(at);
        at += b.ops.len() as u32 + 1; // one position for the moves
    }
    start.push(at);
    start
}

/// Sets of registers that live across blocks, one bit row per block.
struct LiveSets {
    words: usize,
    data: Vec<u64>,
}

impl LiveSets {
    fn new(rows: usize, columns: usize) -> LiveSets {
        let words = columns.div_ceil(64).max(1);
        LiveSets {
            words,
            data: vec![0; rows * words],
        }
    }
    fn row(&self, r: usize) -> &[u64] {
        &self.data[r * self.words..(r + 1) * self.words]
    }
    fn set(&mut self, r: usize, c: u32) {
        self.data[r * self.words + c as usize / 64] |= 1 << (c % 64);
    }
    fn get(&self, r: usize, c: u32) -> bool {
        self.data[r * self.words + c as usize / 64] >> (c % 64) & 1 != 0
    }
}

fn live_ranges(body: &Body, out: &Module) -> Vec<Segments> {
    let count = body.widths.len();
    let blocks = body.blocks.len();
    const NONE: u32 = u32::MAX;
    // Registers touched in more than one block get a column in the bit sets.
    let mut home = vec![NONE; count];
    let mut column = vec![NONE; count];
    let mut global = Vec::new();
    home[..body.params as usize].fill(0);
    for (b, block) in body.blocks.iter().enumerate() {
        let mut touch = |v: u32| {
            let v = v as usize;
            if home[v] == NONE {
                home[v] = b as u32;
            } else if home[v] != b as u32 && column[v] == NONE {
                column[v] = global.len() as u32;
                global.push(v as u32);
            }
        };
        for op in &block.ops {
            // Two closures cannot share `touch`, so the registers go through a list.
            let mut list: smallvec::SmallVec<[u32; 8]> = smallvec::SmallVec::new();
            let mut written: smallvec::SmallVec<[u32; 4]> = smallvec::SmallVec::new();
            each_register(&op.inst, out, &mut |v| list.push(v), &mut |v| {
                written.push(v)
            });
            list.into_iter().chain(written).for_each(&mut touch);
        }
        for m in &block.moves {
            touch(m.dst.0);
            if !m.src.is_const() {
                touch(m.src.0);
            }
        }
    }
    // A phi's register may be written in one block and read in that block only by the next round.
    for (b, block) in body.blocks.iter().enumerate() {
        for m in &block.moves {
            let v = m.dst.0 as usize;
            if column[v] == NONE && home[v] == b as u32 {
                column[v] = global.len() as u32;
                global.push(v as u32);
            }
        }
    }
    let mut used = LiveSets::new(blocks, global.len());
    let mut defined = LiveSets::new(blocks, global.len());
    for (b, block) in body.blocks.iter().enumerate() {
        let ends = block.ops.len() - 1;
        for (i, op) in block.ops.iter().enumerate() {
            if i == ends {
                for m in &block.moves {
                    if !m.src.is_const()
                        && column[m.src.0 as usize] != NONE
                        && !defined.get(b, column[m.src.0 as usize])
                    {
                        used.set(b, column[m.src.0 as usize]);
                    }
                }
                for m in &block.moves {
                    defined.set(b, column[m.dst.0 as usize]);
                }
            }
            let mut written: smallvec::SmallVec<[u32; 4]> = smallvec::SmallVec::new();
            each_register(
                &op.inst,
                out,
                &mut |v| {
                    let c = column[v as usize];
                    if c != NONE && !defined.get(b, c) {
                        used.set(b, c);
                    }
                },
                &mut |v| written.push(v),
            );
            for v in written {
                if column[v as usize] != NONE {
                    defined.set(b, column[v as usize]);
                }
            }
        }
    }
    let mut live_in = used;
    let mut live_out = LiveSets::new(blocks, global.len());
    let words = live_in.words;
    let mut changed = true;
    while changed {
        changed = false;
        for b in (0..blocks).rev() {
            let mut row: Vec<u64> = live_out.row(b).to_vec();
            successors(&body.blocks[b], &out.switches, |s| {
                for (w, word) in row.iter_mut().enumerate() {
                    *word |= live_in.data[s as usize * words + w];
                }
            });
            for (w, word) in row.iter().enumerate() {
                let at = b * words + w;
                live_out.data[at] = *word;
                let new = live_in.data[at] | (word & !defined.data[at]);
                if new != live_in.data[at] {
                    live_in.data[at] = new;
                    changed = true;
                }
            }
        }
    }
    // Segments, backwards.
    let start = positions(body);
    let mut ranges: Vec<Segments> = vec![Vec::new(); count];
    let add = |ranges: &mut Vec<Segments>, v: u32, from: u32, to: u32| {
        let list = &mut ranges[v as usize];
        match list.last_mut() {
            // Kept in decreasing order while walking backwards.
            Some(last) if last.0 <= to => last.0 = last.0.min(from),
            _ => list.push((from, to)),
        }
    };
    for (b, block) in body.blocks.iter().enumerate().rev() {
        let (from, to) = (start[b] * 2, start[b + 1] * 2);
        for (w, word) in live_out.row(b).iter().enumerate() {
            let mut word = *word;
            while word != 0 {
                let c = w as u32 * 64 + word.trailing_zeros();
                word &= word - 1;
                add(&mut ranges, global[c as usize], from, to);
            }
        }
        // Order of positions: all but the last instruction, the moves, the last instruction.
        let last = block.ops.len() - 1;
        let moves_at = start[b] + last as u32;
        walk_op(
            &block.ops[last].inst,
            out,
            moves_at + 1,
            from,
            &mut ranges,
            &add,
        );
        for m in &block.moves {
            cut(&mut ranges, m.dst.0, moves_at * 2 + 2);
        }
        for m in &block.moves {
            if !m.src.is_const() {
                add(&mut ranges, m.src.0, from, moves_at * 2 + 2);
            }
        }
        for i in (0..last).rev() {
            walk_op(
                &block.ops[i].inst,
                out,
                start[b] + i as u32,
                from,
                &mut ranges,
                &add,
            );
        }
    }
    for list in &mut ranges {
        list.reverse();
    }
    for list in ranges.iter_mut().take(body.params as usize) {
        // A parameter is written before the first instruction.
        match list.first_mut() {
            Some(first) => first.0 = 0,
            None => list.push((0, 1)),
        }
    }
    ranges
}

fn walk_op(
    inst: &Inst,
    out: &Module,
    at: u32,
    from: u32,
    ranges: &mut Vec<Segments>,
    add: &impl Fn(&mut Vec<Segments>, u32, u32, u32),
) {
    let mut read: smallvec::SmallVec<[u32; 8]> = smallvec::SmallVec::new();
    let mut written: smallvec::SmallVec<[u32; 4]> = smallvec::SmallVec::new();
    each_register(inst, out, &mut |v| read.push(v), &mut |v| written.push(v));
    // An instruction that reads several limbs and writes several registers must not see its own
    // results: it is safe for the machine to write the first result before it read the last operand.
    let overlap = written.len() > 1;
    for v in written {
        cut(ranges, v, at * 2 + 2);
    }
    for v in read {
        add(ranges, v, from, at * 2 + if overlap { 3 } else { 2 });
    }
}

/// The range begins here; a value that is never read still occupies its register while written.
fn cut(ranges: &mut [Segments], v: u32, position: u32) {
    let list = &mut ranges[v as usize];
    match list.last_mut() {
        Some(last) if last.0 <= position && position < last.1 => last.0 = position,
        _ => list.push((position, position + 1)),
    }
}

// --- classes ---

struct Classes<'r> {
    parent: Vec<u32>,
    /// Length of the group of each first register.
    len: Vec<u32>,
    fixed: Vec<Option<u32>>,
    ranges: &'r mut Vec<Segments>,
}

impl<'r> Classes<'r> {
    fn new(body: &Body, ranges: &'r mut Vec<Segments>) -> Classes<'r> {
        let count = body.widths.len();
        let mut len = vec![0; count];
        for g in &body.group {
            len[*g as usize] += 1;
        }
        let mut fixed = vec![None; count];
        for v in 0..body.params {
            fixed[v as usize] = Some(v);
        }
        // The first register of a group carries the segments of all.
        for v in 0..count {
            let first = body.group[v] as usize;
            if first != v {
                let segments = std::mem::take(&mut ranges[v]);
                let merged = unite(&ranges[first], &segments);
                ranges[first] = merged;
            }
        }
        Classes {
            parent: (0..count as u32).collect(),
            len,
            fixed,
            ranges,
        }
    }

    fn find(&mut self, mut v: u32) -> u32 {
        while self.parent[v as usize] != v {
            let up = self.parent[self.parent[v as usize] as usize];
            self.parent[v as usize] = up;
            v = up;
        }
        v
    }

    /// Joins the two sides of copies, those in deep loops first.
    fn coalesce(&mut self, body: &Body) {
        let mut copies = Vec::new();
        for block in &body.blocks {
            for m in &block.moves {
                if !m.src.is_const() {
                    copies.push((block.depth, m.dst.0, m.src.0));
                }
            }
            for op in &block.ops {
                if let Inst::Copy { dst, a, .. } = op.inst
                    && !a.is_const()
                {
                    copies.push((block.depth, dst.0, a.0));
                }
            }
        }
        copies.sort_by_key(|(depth, _, _)| std::cmp::Reverse(*depth));
        for (_, dst, src) in copies {
            let (gd, gs) = (body.group[dst as usize], body.group[src as usize]);
            if dst - gd != src - gs || self.len[gd as usize] != self.len[gs as usize] {
                continue;
            }
            let (a, b) = (self.find(gd), self.find(gs));
            if a == b {
                continue;
            }
            let fixed = match (self.fixed[a as usize], self.fixed[b as usize]) {
                (Some(_), Some(_)) => continue,
                (x, y) => x.or(y),
            };
            if meet(&self.ranges[a as usize], &self.ranges[b as usize]) {
                continue;
            }
            let taken = std::mem::take(&mut self.ranges[b as usize]);
            self.ranges[a as usize] = unite(&self.ranges[a as usize], &taken);
            self.parent[b as usize] = a;
            self.fixed[a as usize] = fixed;
        }
    }

    /// First fit by start. Returns each virtual register's place and the size of the frame.
    fn assign(&mut self, body: &Body) -> (Vec<u32>, u32) {
        let count = body.widths.len();
        let mut order: Vec<u32> = (0..count as u32)
            .filter(|v| body.group[*v as usize] == *v && self.parent[*v as usize] == *v)
            .collect();
        order.sort_by_key(|v| {
            (
                self.fixed[*v as usize].is_none(),
                self.ranges[*v as usize].first().map_or(0, |s| s.0),
            )
        });
        let mut taken: Vec<Segments> = Vec::new();
        let mut place_of = vec![0; count];
        let exclusive = body.returns_twice;
        for v in order {
            let len = self.len[v as usize] as usize;
            let segments = &self.ranges[v as usize];
            let free = |list: Option<&Segments>| {
                list.is_none_or(|list| !exclusive && !meet_at_end(list, segments))
            };
            let start = match self.fixed[v as usize] {
                Some(place) => place as usize,
                None => (0..)
                    .find(|r| (*r..*r + len).all(|k| free(taken.get(k))))
                    .expect("registers do not end"),
            };
            if taken.len() < start + len {
                taken.resize(start + len, Vec::new());
            }
            for list in &mut taken[start..start + len] {
                if list
                    .last()
                    .is_none_or(|last| segments.first().is_some_and(|first| last.1 < first.0))
                {
                    list.extend_from_slice(segments);
                } else {
                    *list = unite(list, segments);
                }
            }
            place_of[v as usize] = start as u32;
        }
        let mut place = vec![0; count];
        for v in 0..count as u32 {
            let first = body.group[v as usize];
            let class = self.find(first);
            place[v as usize] = place_of[class as usize] + (v - first);
        }
        (place, taken.len() as u32)
    }
}

/// Whether two sorted lists of segments overlap.
fn meet(a: &[(u32, u32)], b: &[(u32, u32)]) -> bool {
    let (mut i, mut k) = (0, 0);
    while i < a.len() && k < b.len() {
        if a[i].1 <= b[k].0 {
            i += 1;
        } else if b[k].1 <= a[i].0 {
            k += 1;
        } else {
            return true;
        }
    }
    false
}

/// [`meet`], quick when `b` begins near the end of the long list `a`.
fn meet_at_end(a: &[(u32, u32)], b: &[(u32, u32)]) -> bool {
    let Some(first) = b.first() else { return false };
    let i = a.partition_point(|s| s.1 <= first.0);
    meet(&a[i..], b)
}

/// The union of two sorted lists, neighbors joined.
fn unite(a: &[(u32, u32)], b: &[(u32, u32)]) -> Segments {
    if a.last()
        .is_none_or(|last| b.first().is_some_and(|first| last.1 < first.0))
    {
        let mut all = a.to_vec();
        all.extend_from_slice(b);
        return all;
    }
    let mut all: Segments = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut k) = (0, 0);
    while i < a.len() || k < b.len() {
        let next = if k == b.len() || (i < a.len() && a[i].0 <= b[k].0) {
            i += 1;
            a[i - 1]
        } else {
            k += 1;
            b[k - 1]
        };
        match all.last_mut() {
            Some(last) if last.1 >= next.0 => last.1 = last.1.max(next.1),
            _ => all.push(next),
        }
    }
    all
}

// --- rewriting ---

struct Rename<F>(F);

impl<F: Fn(u32) -> u32> Operands for Rename<F> {
    fn reads(&mut self, value: &mut Val, _: u32) {
        if !value.is_const() {
            value.0 = (self.0)(value.0);
        }
    }
    fn writes(&mut self, register: &mut Reg, _: u32) {
        // The overflow flag of `Inst::Overflow` is reported as a copy; renaming it is harmless.
        register.0 = (self.0)(register.0);
    }
}

fn rewrite(body: &mut Body, out: &mut Module, map: impl Fn(u32) -> u32 + Copy) {
    let val = |v: &mut Val| {
        if !v.is_const() {
            v.0 = map(v.0);
        }
    };
    // Results that nobody has (void calls) keep a valid register number.
    let reg = |r: &mut Reg, results: usize| r.0 = if results == 0 { 0 } else { map(r.0) };
    for block in &mut body.blocks {
        for op in &mut block.ops {
            match &mut op.inst {
                Inst::Call {
                    callee,
                    dst,
                    args,
                    count,
                } => {
                    out.operands[*args as usize..][..*count as usize]
                        .iter_mut()
                        .for_each(val);
                    reg(dst, out.functions[*callee as usize].results.len());
                }
                Inst::Ret { values, count } => {
                    out.operands[*values as usize..][..*count as usize]
                        .iter_mut()
                        .for_each(val);
                }
                Inst::CallSite { site } => {
                    let site = &mut out.call_sites[*site as usize];
                    if let ir::Target::Pointer(p) = &mut site.target {
                        val(p);
                    }
                    site.args.iter_mut().for_each(val);
                    site.varargs.iter_mut().for_each(|v| val(&mut v.value));
                    reg(&mut site.dst, site.results.len());
                }
                inst => inst.operands(&mut Rename(map)),
            }
        }
        for m in &mut block.moves {
            m.dst.0 = map(m.dst.0);
            val(&mut m.src);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments() {
        assert!(!meet(&[(0, 2), (4, 6)], &[(2, 4), (6, 8)]));
        assert!(meet(&[(0, 2), (4, 6)], &[(5, 7)]));
        assert_eq!(unite(&[(0, 2), (6, 8)], &[(2, 4)]), vec![(0, 4), (6, 8)]);
        assert_eq!(unite(&[(0, 2)], &[(4, 5)]), vec![(0, 2), (4, 5)]);
    }
}
