//! One function: LLVM's instructions to a [`Body`].
//!
//! Blocks are visited in reverse postorder, so that every value is lowered before its uses; phis
//! get their registers first and become parallel copies on the edges at the end. A value is a list
//! of scalars ([`Elems`]); instructions that only rearrange bits (insertvalue, shuffles, ptrtoint,
//! truncation of limbs) emit nothing.

use super::Lowering;
use super::body::{Body, BodyBlock, Move, Op};
use crate::ffi::{Block, Type, Value};
use crate::types::{Scalar, ScalarKind, Shape};
use ir::operands::{slot_width, slots};
use ir::{Inst, Location, Reg, StrId, Val};
use llvm_sys::LLVMOpcode::{self, *};
use llvm_sys::LLVMValueKind::*;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::rc::Rc;

/// The first register or constant of each scalar of a value.
pub type Elems = SmallVec<[Val; 2]>;

/// Why an instruction has no translation: the construct's name.
pub type Refused = String;

/// `base + index * scale + offset`, kept back until it is known whether a load or store takes it in.
#[derive(Clone, Copy)]
pub struct Address {
    pub base: Val,
    pub index: Option<(Val, u32)>,
    pub offset: i64,
}

pub struct FnLower<'p> {
    pub p: &'p mut Lowering,
    pub body: Body,
    pub current: usize,
    pub location: Location,
    values: FxHashMap<Value, Elems>,
    /// GEPs whose only users are loads and stores.
    pub addresses: FxHashMap<Value, Address>,
    block_ids: FxHashMap<Block, u32>,
    /// The tables of landing pads.
    pub pads: FxHashMap<Block, u32>,
    pub function: Value,
    pub own: bool,
    /// Variables whose scopes are marked.
    pub scoped: FxHashSet<Value>,
    /// Loads that are made now may read bytes that were never written.
    pub raw: bool,
    /// Comparisons that the branch at the end of their block takes in.
    fused: FxHashMap<Value, ()>,
}

/// Lowers `function`; the parameters are the first registers.
pub fn lower_function(p: &mut Lowering, function: Value) -> Body {
    let own = p.own.contains(&function);
    let mut f = FnLower {
        p,
        body: Body::default(),
        current: 0,
        location: Location::default(),
        values: FxHashMap::default(),
        addresses: FxHashMap::default(),
        block_ids: FxHashMap::default(),
        pads: FxHashMap::default(),
        function,
        own,
        scoped: FxHashSet::default(),
        raw: false,
        fused: FxHashMap::default(),
    };
    f.body.returns_twice = function
        .blocks()
        .any(|b| b.instructions().any(returns_twice));
    f.find_scopes();
    f.run();
    f.body
}

impl FnLower<'_> {
    fn run(&mut self) {
        let blocks = reverse_postorder(self.function.first_block());
        for (i, (block, depth)) in blocks.iter().enumerate() {
            self.block_ids.insert(*block, i as u32);
            self.body.blocks.push(BodyBlock {
                depth: *depth,
                ..BodyBlock::default()
            });
        }
        self.location = self.p.function_location(self.function);
        self.parameters();
        for (block, _) in &blocks {
            for inst in block.instructions().take_while(|i| i.opcode() == LLVMPHI) {
                let shape = self.shape(inst.ty());
                let elems = self.fresh_elems(&shape);
                self.values.insert(inst, elems);
            }
        }
        for (i, (block, _)) in blocks.iter().enumerate() {
            self.current = i;
            for inst in block.instructions() {
                if inst.opcode() == LLVMPHI {
                    continue;
                }
                self.location = self.p.location(inst, self.location);
                self.instruction(inst);
            }
        }
        for (i, (block, _)) in blocks.iter().enumerate() {
            self.phi_moves(i as u32, *block);
        }
    }

    fn parameters(&mut self) {
        let count = self.function.param_count();
        let mut by_value = Vec::new();
        for i in 0..count {
            let param = self.function.param(i);
            let shape = self.shape(param.ty());
            let elems: Elems = shape
                .scalars
                .iter()
                .map(|s| {
                    // Each slot is its own group with a fixed register, so that they can be freed one by one;
                    // their numbers are consecutive anyhow.
                    let first = self.body.widths.len() as u32;
                    for n in 0..s.slots() {
                        self.body.fresh_group([slot_width(s.width, n)]);
                    }
                    Val::reg(Reg(first))
                })
                .collect();
            if let Some((ty, align)) = self.p.byval(self.function, i) {
                by_value.push((param, ty, align, elems[0]));
            }
            self.values.insert(param, elems);
        }
        self.body.params = self.body.widths.len() as u32;
        for (param, ty, align, address) in by_value {
            // The callee owns a copy of an argument that is passed in memory.
            let size = self.constant(self.p.types.size(ty));
            let name = self.p.string(&param.name());
            let dst = self.body.fresh(64);
            self.emit(Inst::Alloca {
                align: align as u16,
                dst,
                size,
                name,
            });
            self.emit(Inst::MemCopy {
                dst: dst.into(),
                src: address,
                len: size,
            });
            self.values
                .insert(param, [Val::reg(dst)].into_iter().collect());
        }
    }

    /// Puts the copies that `block`'s successors' phis ask for on the edges.
    fn phi_moves(&mut self, id: u32, block: Block) {
        let end = block.terminator();
        let mut targets: Vec<Block> = (0..end.successor_count())
            .map(|i| end.successor(i))
            .collect();
        // Not by address: the result must not depend on where LLVM's objects lie.
        targets.sort_by_key(|b| self.block_ids[b]);
        targets.dedup();
        for target in targets {
            let mut moves = Vec::new();
            let mut refused = None;
            for phi in target.instructions().take_while(|i| i.opcode() == LLVMPHI) {
                let source = (0..phi.incoming_count())
                    .map(|i| phi.incoming(i))
                    .find(|(_, from)| *from == block);
                let Some((value, _)) = source else { continue };
                let shape = self.shape(phi.ty());
                let dst = self.values[&phi].clone();
                let src = match self.elems(value) {
                    Ok(src) => src,
                    Err(why) => {
                        refused = Some(why);
                        continue;
                    }
                };
                for ((d, s), scalar) in dst.iter().zip(&src).zip(&shape.scalars) {
                    for n in 0..scalar.slots() {
                        let w = slot_width(scalar.width, n) as u8;
                        moves.push(Move {
                            dst: Reg(d.0 + n),
                            src: s.limb(n),
                            w,
                        });
                    }
                }
            }
            if moves.is_empty() && refused.is_none() {
                continue;
            }
            let target_id = self.block_ids[&target];
            let from = &mut self.body.blocks[id as usize];
            let last = *from
                .ops
                .last()
                .expect("a lowered block has a last instruction");
            if matches!(last.inst, Inst::Jump { .. }) && refused.is_none() {
                from.moves = moves;
                continue;
            }
            // An edge of its own.
            let depth = from.depth.min(self.body.blocks[target_id as usize].depth);
            let edge = self.body.blocks.len() as u32;
            let inst = match refused {
                None => Inst::Jump { target: target_id },
                Some(why) => {
                    moves.clear();
                    Inst::Unsupported {
                        what: self.p.string(&why),
                    }
                }
            };
            self.body.blocks.push(BodyBlock {
                ops: vec![Op {
                    inst,
                    location: last.location,
                }],
                moves,
                depth,
            });
            let mut inst = last.inst;
            let redirect = |t: &mut u32| {
                if *t == target_id {
                    *t = edge;
                }
            };
            if let Inst::Switch { table, .. } = inst {
                let table = &mut self.p.out.switches[table as usize];
                table.cases.iter_mut().for_each(|(_, t)| redirect(t));
                redirect(&mut table.default);
            } else {
                inst.targets(redirect);
            }
            let from = &mut self.body.blocks[id as usize];
            from.ops.last_mut().expect("checked above").inst = inst;
        }
    }

    // --- values ---

    pub fn shape(&self, ty: Type) -> Rc<Shape> {
        self.p.types.shape(ty)
    }

    /// The scalars of a value that has been lowered, or of a constant.
    pub fn elems(&mut self, v: Value) -> Result<Elems, Refused> {
        if let Some(elems) = self.values.get(&v) {
            return Ok(elems.clone());
        }
        if let Some(address) = self.addresses.get(&v).copied() {
            let value = self.materialize(address);
            return Ok([value].into_iter().collect());
        }
        if v.is_constant() {
            let all = self.p.const_scalars(v)?;
            return Ok(all.iter().map(|limbs| self.p.pool(limbs)).collect());
        }
        match v.value_kind() {
            LLVMInlineAsmValueKind => Err("inline assembly as a value".into()),
            LLVMMetadataAsValueValueKind => Err("metadata as a value".into()),
            _ => Err(format!("value `{}`", v.print().trim())),
        }
    }

    /// The only scalar of a value.
    pub fn val(&mut self, v: Value) -> Result<Val, Refused> {
        let elems = self.elems(v)?;
        match elems.as_slice() {
            [one] => Ok(*one),
            _ => Err(format!("value of type {}", v.ty().print())),
        }
    }

    pub fn set(&mut self, v: Value, elems: Elems) {
        self.values.insert(v, elems);
    }

    pub fn set1(&mut self, v: Value, value: Val) {
        self.values.insert(v, [value].into_iter().collect());
    }

    /// New registers for a value of this shape, one group per scalar.
    pub fn fresh_elems(&mut self, shape: &Shape) -> Elems {
        shape
            .scalars
            .iter()
            .map(|s| Val::reg(self.body.fresh(s.width)))
            .collect()
    }

    pub fn constant(&mut self, value: u64) -> Val {
        self.p.pool(&[value])
    }

    pub fn zero(&mut self, width: u32) -> Val {
        let limbs: SmallVec<[u64; 2]> = SmallVec::from_elem(0, slots(width) as usize);
        self.p.pool(&limbs)
    }

    /// The value of a one-limb pooled constant.
    pub fn as_constant(&self, v: Val) -> Option<u64> {
        v.is_const().then(|| self.p.out.consts[v.index()])
    }

    // --- emission ---

    pub fn emit(&mut self, inst: Inst) {
        self.body.blocks[self.current].ops.push(Op {
            inst,
            location: self.location,
        });
    }

    /// Ends the path here when reached.
    pub fn unsupported(&mut self, what: &str) {
        let what: StrId = self.p.string(what);
        self.emit(Inst::Unsupported { what });
    }

    pub fn target(&self, block: Block) -> u32 {
        self.block_ids[&block]
    }

    fn instruction(&mut self, v: Value) {
        let result = self.try_instruction(v);
        if let Err(what) = result {
            self.unsupported(&what);
            if !v.ty().is_void() {
                // Nothing runs behind it, but the uses need registers.
                let shape = self.shape(v.ty());
                let zeros = shape.scalars.iter().map(|s| self.zero(s.width)).collect();
                self.set(v, zeros);
            }
        }
    }

    fn try_instruction(&mut self, v: Value) -> Result<(), Refused> {
        if self.body.blocks[self.current]
            .ops
            .last()
            .is_some_and(|op| op.inst.ends_block())
        {
            // Behind something unsupported or a trap: dead, but its value may have users.
            if !v.ty().is_void() {
                let shape = self.shape(v.ty());
                let zeros = shape.scalars.iter().map(|s| self.zero(s.width)).collect();
                self.set(v, zeros);
            }
            return Ok(());
        }
        let shape = self.shape(v.ty());
        if let Some(why) = &shape.unsupported
            && !matches!(v.opcode(), LLVMCall)
        {
            return Err(why.clone());
        }
        let opcode = v.opcode();
        match opcode {
            LLVMAdd | LLVMSub | LLVMMul | LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem | LLVMShl
            | LLVMLShr | LLVMAShr | LLVMAnd | LLVMOr | LLVMXor => self.binary(v, opcode, &shape),
            LLVMFNeg | LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv | LLVMFRem => {
                self.float_arithmetic(v, opcode, &shape)
            }
            LLVMICmp => self.compare(v),
            LLVMFCmp => self.float_compare(v),
            LLVMTrunc | LLVMZExt | LLVMSExt | LLVMPtrToInt | LLVMPtrToAddr | LLVMIntToPtr
            | LLVMBitCast | LLVMAddrSpaceCast | LLVMFPTrunc | LLVMFPExt | LLVMFPToUI
            | LLVMFPToSI | LLVMUIToFP | LLVMSIToFP => self.cast(v, opcode, &shape),
            LLVMSelect => self.select(v, &shape),
            LLVMFreeze => {
                let elems = self.elems(v.operand(0))?;
                self.set(v, elems);
                Ok(())
            }
            LLVMAlloca => self.alloca(v),
            LLVMLoad => self.load(v, &shape),
            LLVMStore => self.store(v),
            LLVMGetElementPtr => self.gep(v),
            LLVMFence => Ok(()),
            LLVMAtomicRMW => self.atomic_rmw(v),
            LLVMAtomicCmpXchg => self.compare_exchange(v),
            LLVMVAArg => self.va_arg(v, &shape),
            LLVMExtractValue | LLVMInsertValue => self.aggregate(v, opcode),
            LLVMExtractElement | LLVMInsertElement | LLVMShuffleVector => {
                self.vector(v, opcode, &shape)
            }
            LLVMCall => self.call(v),
            LLVMInvoke => self.invoke(v),
            LLVMLandingPad => self.landing(v, &shape),
            LLVMResume => self.resume(v),
            LLVMRet => self.ret(v),
            LLVMBr => self.branch(v),
            LLVMSwitch => self.switch(v),
            LLVMIndirectBr => self.indirect_branch(v),
            LLVMUnreachable => {
                self.emit(Inst::Unreachable);
                Ok(())
            }
            LLVMCleanupRet | LLVMCatchRet | LLVMCatchPad | LLVMCleanupPad | LLVMCatchSwitch => {
                Err("exception handling of another system".into())
            }
            LLVMCallBr => {
                let text = super::asm::shown(v.called_value());
                Err(format!("inline assembly with jumps (asm goto) `{text}`"))
            }
            LLVMPHI | LLVMUserOp1 | LLVMUserOp2 => {
                Err(format!("instruction `{}`", v.print().trim()))
            }
        }
    }

    // --- control flow ---

    fn ret(&mut self, v: Value) -> Result<(), Refused> {
        let mut list = Vec::new();
        if v.operand_count() == 1 {
            let value = v.operand(0);
            let shape = self.shape(value.ty());
            let elems = self.elems(value)?;
            for (e, s) in elems.iter().zip(&shape.scalars) {
                list.extend((0..s.slots()).map(|n| e.limb(n)));
            }
        }
        let count = list.len() as u16;
        let values = self.p.operands(list);
        self.emit(Inst::Ret { values, count });
        Ok(())
    }

    fn branch(&mut self, v: Value) -> Result<(), Refused> {
        if !v.is_conditional() {
            let target = self.target(v.successor(0));
            self.emit(Inst::Jump { target });
            return Ok(());
        }
        let (then, other) = (self.target(v.successor(0)), self.target(v.successor(1)));
        let condition = v.operand(0);
        if then == other {
            self.emit(Inst::Jump { target: then });
        } else if self.fused.contains_key(&condition) {
            let (op, a, b) = compare_operator(condition);
            let w = self.shape(condition.operand(0).ty()).scalars[0].width as u8;
            let (a, b) = (
                self.val(condition.operand(a))?,
                self.val(condition.operand(b))?,
            );
            self.emit(Inst::CmpBranch {
                op,
                w,
                a,
                b,
                then,
                other,
            });
        } else {
            let c = self.val(condition)?;
            match self.as_constant(c) {
                Some(bit) => self.emit(Inst::Jump {
                    target: if bit != 0 { then } else { other },
                }),
                None => self.emit(Inst::Branch { c, then, other }),
            }
        }
        Ok(())
    }

    /// Whether `v` is a comparison that only the branch at the end of its block uses.
    pub fn fuse_into_branch(&mut self, v: Value) -> bool {
        if !v.has_one_use() {
            return false;
        }
        let end = v.parent().terminator();
        let fits = end.opcode() == LLVMBr && end.is_conditional() && end.operand(0) == v && {
            let shape = self.shape(v.operand(0).ty());
            shape.scalars.len() == 1 && shape.scalars[0].width <= 64
        };
        if fits {
            self.fused.insert(v, ());
        }
        fits
    }

    fn switch(&mut self, v: Value) -> Result<(), Refused> {
        let w = v.operand(0).ty().int_width();
        let value = self.val(v.operand(0))?;
        let default = self.target(v.successor(0));
        if w > 64 {
            return Err(format!("switch on i{w}"));
        }
        let mut cases = Vec::new();
        for (value, block) in v.cases() {
            cases.push((value.zext_value(), self.target(block)));
        }
        cases.sort_unstable();
        if cases.is_empty() {
            self.emit(Inst::Jump { target: default });
            return Ok(());
        }
        let table = self.p.out.switches.len() as u32;
        self.p.out.switches.push(ir::Switch { cases, default });
        self.emit(Inst::Switch {
            w: w as u8,
            value,
            table,
        });
        Ok(())
    }

    fn indirect_branch(&mut self, v: Value) -> Result<(), Refused> {
        let value = self.val(v.operand(0))?;
        let mut cases: Vec<(u64, u32)> = (1..v.operand_count())
            .map(|i| v.operand(i).as_block())
            .map(|b| (self.p.block_address(b), self.target(b)))
            .collect();
        cases.sort_unstable();
        cases.dedup();
        // An address that is not one of the labels is undefined behavior: it goes to the trap block.
        let default = self.body.blocks.len() as u32;
        let trap = Op {
            inst: Inst::Unreachable,
            location: self.location,
        };
        self.body.blocks.push(BodyBlock {
            ops: vec![trap],
            ..BodyBlock::default()
        });
        let table = self.p.out.switches.len() as u32;
        self.p.out.switches.push(ir::Switch { cases, default });
        self.emit(Inst::Switch {
            w: 64,
            value,
            table,
        });
        Ok(())
    }

    /// One scalar of a value for each scalar of its shape.
    pub fn map_scalars(
        &mut self,
        v: Value,
        shape: &Shape,
        mut f: impl FnMut(&mut Self, usize, Scalar) -> Result<Val, Refused>,
    ) -> Result<(), Refused> {
        let mut elems = Elems::new();
        for (i, s) in shape.scalars.iter().enumerate() {
            elems.push(f(self, i, *s)?);
        }
        self.set(v, elems);
        Ok(())
    }
}

/// Whether control may come back to behind this call a second time (`setjmp`).
fn returns_twice(inst: Value) -> bool {
    const ATTRIBUTE: &str = "returns_twice";
    const NAMES: [&str; 6] = [
        "setjmp",
        "_setjmp",
        "__setjmp",
        "sigsetjmp",
        "__sigsetjmp",
        "vfork",
    ];
    if !matches!(inst.opcode(), LLVMCall | LLVMInvoke) {
        return false;
    }
    let Some(f) = inst.callee() else { return false };
    if f.intrinsic_id() != 0 {
        return false;
    }
    // SAFETY: name and length are those of a constant; `inst` is a call, and `f` the function that it calls.
    let marked = unsafe {
        use llvm_sys::core::*;
        let kind = LLVMGetEnumAttributeKindForName(ATTRIBUTE.as_ptr().cast(), ATTRIBUTE.len());
        let place = llvm_sys::LLVMAttributeFunctionIndex;
        !LLVMGetEnumAttributeAtIndex(f.0, place, kind).is_null()
            || !LLVMGetCallSiteEnumAttribute(inst.0, place, kind).is_null()
    };
    marked || NAMES.contains(&f.name().as_str())
}

/// The comparison of an `icmp`, and the indices of its operands in our order.
pub fn compare_operator(v: Value) -> (ir::CmpOp, u32, u32) {
    use ir::CmpOp::*;
    use llvm_sys::LLVMIntPredicate::*;
    // SAFETY: callers pass an `icmp`.
    match unsafe { llvm_sys::core::LLVMGetICmpPredicate(v.0) } {
        LLVMIntEQ => (Eq, 0, 1),
        LLVMIntNE => (Ne, 0, 1),
        LLVMIntULT => (Ult, 0, 1),
        LLVMIntULE => (Ule, 0, 1),
        LLVMIntUGT => (Ult, 1, 0),
        LLVMIntUGE => (Ule, 1, 0),
        LLVMIntSLT => (Slt, 0, 1),
        LLVMIntSLE => (Sle, 0, 1),
        LLVMIntSGT => (Slt, 1, 0),
        LLVMIntSGE => (Sle, 1, 0),
    }
}

/// Whether all users of `v` are loads from it and stores to it.
pub fn only_accessed(v: Value) -> bool {
    v.uses().iter().all(|user| {
        user.is_instruction()
            && match user.opcode() {
                LLVMOpcode::LLVMLoad => true,
                LLVMOpcode::LLVMStore => user.operand(1) == v && user.operand(0) != v,
                _ => false,
            }
    })
}

/// Reachable blocks in reverse postorder, each with a loop depth: the number of enclosing ranges
/// (in that order) that a backward edge spans.
fn reverse_postorder(entry: Block) -> Vec<(Block, u32)> {
    let mut seen: FxHashMap<Block, ()> = FxHashMap::default();
    let mut order = Vec::new();
    let mut stack = vec![(entry, 0)];
    seen.insert(entry, ());
    while let Some((block, next)) = stack.last_mut() {
        let end = block.terminator();
        if *next < end.successor_count() {
            let s = end.successor(*next);
            *next += 1;
            if seen.insert(s, ()).is_none() {
                stack.push((s, 0));
            }
        } else {
            order.push((*block, 0));
            stack.pop();
        }
    }
    order.reverse();
    let index: FxHashMap<Block, usize> = order
        .iter()
        .enumerate()
        .map(|(i, (b, _))| (*b, i))
        .collect();
    let mut delta = vec![0i32; order.len() + 1];
    for (i, (b, _)) in order.iter().enumerate() {
        let end = b.terminator();
        for s in 0..end.successor_count() {
            let head = index[&end.successor(s)];
            if head <= i {
                delta[head] += 1;
                delta[i + 1] -= 1;
            }
        }
    }
    let mut depth = 0;
    for (i, (_, d)) in order.iter_mut().enumerate() {
        depth += delta[i];
        *d = depth as u32;
    }
    order
}

/// Pointers and integers are one thing to arithmetic.
pub fn is_float(s: Scalar) -> Option<ir::FloatFormat> {
    match s.kind {
        ScalarKind::Float(format) => Some(format),
        ScalarKind::Int | ScalarKind::Pointer => None,
    }
}
