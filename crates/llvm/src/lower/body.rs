//! A function under construction: blocks of instructions over virtual registers.
//!
//! Instructions are already those of the IR; their registers are virtual, their branch targets are
//! indices of blocks. `regalloc` maps the registers, `emit` lays out the blocks.

use ir::operands::{Operands, slot_width, slots};
use ir::{Inst, Location, Reg, Val};

/// An instruction with its position.
#[derive(Clone, Copy)]
pub struct Op {
    /// The instruction, over virtual registers.
    pub inst: Inst,
    /// Its position in the source.
    pub location: Location,
}

/// One move of a parallel copy; all reads happen before all writes.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    /// The register written.
    pub dst: Reg,
    /// The register or constant read.
    pub src: Val,
    /// Width in bits of the register.
    pub w: u8,
}

/// A basic block.
#[derive(Default)]
pub struct BodyBlock {
    /// The last one ends the block.
    pub ops: Vec<Op>,
    /// Runs before the last instruction; only in blocks that end in a jump.
    pub moves: Vec<Move>,
    /// How often the block probably runs, as a loop depth.
    pub depth: u32,
}

/// A function.
#[derive(Default)]
pub struct Body {
    /// Its blocks; branches name them by index.
    pub blocks: Vec<BodyBlock>,
    /// Width of each virtual register, 1..=64.
    pub widths: Vec<u8>,
    /// For each virtual register: the first one of its group. A group takes consecutive registers.
    pub group: Vec<u32>,
    /// The first so many virtual registers are parameters: they keep their numbers.
    pub params: u32,
    /// A call in here may return twice: no register may be used for two values.
    pub returns_twice: bool,
}

impl Body {
    /// A group of consecutive registers, one for each width.
    pub fn fresh_group(&mut self, widths: impl IntoIterator<Item = u32>) -> Reg {
        let first = self.widths.len() as u32;
        for w in widths {
            self.widths.push(w as u8);
            self.group.push(first);
        }
        Reg(first)
    }

    /// The registers of an integer or float of `w` bits.
    pub fn fresh(&mut self, w: u32) -> Reg {
        self.fresh_group((0..slots(w)).map(|n| slot_width(w, n)))
    }

    /// Number of registers in the group that begins with `first`.
    pub fn group_len(&self, first: u32) -> u32 {
        self.group[first as usize..]
            .iter()
            .take_while(|g| **g == first)
            .count() as u32
    }
}

/// Successor blocks of the block's last instruction.
pub fn successors(block: &BodyBlock, switches: &[ir::Switch], mut f: impl FnMut(u32)) {
    let Some(last) = block.ops.last() else { return };
    let mut inst = last.inst;
    if let Inst::Switch { table, .. } = inst {
        let table = &switches[table as usize];
        for (_, target) in &table.cases {
            f(*target);
        }
        f(table.default);
    } else {
        inst.targets(|t| f(*t));
    }
}

/// Calls `on_read` and `on_write` for every single register that an instruction touches, those in
/// the tables included.
pub fn each_register(
    inst: &Inst,
    out: &ir::Module,
    on_read: &mut impl FnMut(u32),
    on_write: &mut impl FnMut(u32),
) {
    struct Visit<'a, R, W>(&'a mut R, &'a mut W);
    impl<R: FnMut(u32), W: FnMut(u32)> Operands for Visit<'_, R, W> {
        fn reads(&mut self, value: &mut Val, width: u32) {
            if !value.is_const() {
                for n in 0..slots(width) {
                    (self.0)(value.0 + n);
                }
            }
        }
        fn writes(&mut self, register: &mut Reg, width: u32) {
            for n in 0..slots(width) {
                (self.1)(register.0 + n);
            }
        }
    }
    let mut read = |v: &Val| {
        if !v.is_const() {
            on_read(v.0);
        }
    };
    match inst {
        Inst::Call {
            callee,
            dst,
            args,
            count,
        } => {
            out.operands[*args as usize..][..*count as usize]
                .iter()
                .for_each(&mut read);
            for n in 0..out.functions[*callee as usize].results.len() as u32 {
                on_write(dst.0 + n);
            }
        }
        Inst::Ret { values, count } => {
            out.operands[*values as usize..][..*count as usize]
                .iter()
                .for_each(read);
        }
        Inst::CallSite { site } => {
            let site = &out.call_sites[*site as usize];
            if let ir::Target::Pointer(p) = &site.target {
                read(p);
            }
            site.args.iter().for_each(&mut read);
            for v in &site.varargs {
                let count = if v.by_value { 1 } else { v.bytes.div_ceil(8) };
                for n in 0..count {
                    read(&v.value.limb(n));
                }
            }
            for n in 0..site.results.len() as u32 {
                on_write(site.dst.0 + n);
            }
        }
        _ => {
            let mut copy = *inst;
            copy.operands(&mut Visit(on_read, on_write));
        }
    }
}
