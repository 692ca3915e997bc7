//! The inner loop: concrete instructions, one dispatch each, no allocation, no clock.
//!
//! There are two copies of one source. `MIXED = false` runs frames in which no register holds a term: terms are
//! neither tested nor written. `MIXED = true` tests the operands' terms and clears the destination's. Whatever the
//! loop cannot do (symbolic operands, faults, calls of the engine, new coverage) leaves it with [`Exit::Slow`] *at*
//! that instruction; `slow` then executes it whole. Instructions are counted at control transfers, not one by one.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "the blocks repeat; the header of `run` says once why they are sound"
)]

use crate::concrete::{bin, cmp, funnel, un};
use crate::concrete_float;
use crate::state::{Frame, State, reserve};
use float::RoundingMode;
use ir::bits::{mask, signed};
use ir::{BinOp, CmpOp, FloatBinOp, FloatFormat, Inst, Reg, Val, Verified};
use memory::Tlb;
use term::Term;

/// Paths with another rounding mode are not run here.
const NEAREST: RoundingMode = RoundingMode::NearestEven;

/// Why the inner loop stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The budget of instructions is spent.
    Fuel,
    /// The instruction at `pc` needs the slow way.
    Slow,
    /// The current frame is of the other mode now.
    Mode,
}

/// Runs `s` until something else must look at it. `fuel` is lowered by what was executed; it is looked at where a block
/// ends, with `EXACT` at each instruction.
///
/// # Safety of the unchecked accesses
/// A [`Verified`] module has passed the verifier (`ir::verify`): every register index is below its
/// function's `registers`, every constant, operand, site and branch target is in range, a plain call
/// has room for its callee's results, and code does not run past a function's end. Results of a call
/// that is not plain may not fit (`Frame::mismatched`); they are returned by `slow`.
/// [`reserve`] keeps `top` registers allocated. Memory is a matter of [`memory::Running`].
pub fn run<const MIXED: bool, const EXACT: bool>(
    module: &Verified,
    s: &mut State,
    tlb: &mut Tlb,
    covered: &[bool],
    fuel: &mut u64,
) -> Exit {
    let code = module.code.as_ptr();
    let consts = module.consts.as_ptr();
    let mut pc = s.hot.pc;
    let mut start = pc;
    let mut hash = s.hot.hash;
    let mut executed = 0u64;
    let budget = *fuel;
    let base = s.frame().base as usize;
    let mut memory = s.memory.enter(tlb);
    // SAFETY: see the function's header; the vectors do not move while the pointers live, and
    // whoever lets them grow (calls) recomputes the pointers.
    let mut regs = unsafe { s.threads.running.regs.as_mut_ptr().add(base) };
    let mut terms = unsafe { s.threads.running.terms.as_mut_ptr().add(base) };

    macro_rules! leave {
        ($exit:expr) => {{
            executed += u64::from(pc - start);
            s.hot.pc = pc;
            s.hot.hash = hash;
            s.progress.instructions += executed;
            *fuel = budget.saturating_sub(executed);
            return $exit;
        }};
    }
    macro_rules! get {
        ($v:expr) => {{
            let v: Val = $v;
            let p = if v.is_const() {
                consts
            } else {
                regs.cast_const()
            };
            // SAFETY: in range, see the header.
            unsafe { *p.add(v.index()) }
        }};
    }
    macro_rules! concrete {
        ($($v:expr),*) => {
            if MIXED {
                // SAFETY: in range, see the header.
                $( if !$v.is_const() && unsafe { *terms.add($v.index()) }.is_some() { leave!(Exit::Slow) } )*
            }
        };
    }
    macro_rules! set {
        ($dst:expr, $value:expr) => {{
            let dst: Reg = $dst;
            let value: u64 = $value;
            // SAFETY: in range, see the header.
            unsafe {
                *regs.add(dst.0 as usize) = value;
                if MIXED {
                    *terms.add(dst.0 as usize) = Term::NONE;
                }
            }
        }};
    }
    macro_rules! go {
        ($target:expr) => {{
            executed += u64::from(pc - start) + 1;
            pc = $target;
            start = pc;
            if executed >= budget {
                leave!(Exit::Fuel);
            }
            continue;
        }};
    }
    macro_rules! binary {
        ($op:expr, $w:expr, $dst:expr, $a:expr, $b:expr) => {{
            concrete!($a, $b);
            set!($dst, bin($op, $w, get!($a), get!($b)));
        }};
    }
    macro_rules! compare {
        ($op:expr, $w:expr, $dst:expr, $a:expr, $b:expr) => {{
            concrete!($a, $b);
            set!($dst, u64::from(cmp($op, $w, get!($a), get!($b))));
        }};
    }

    loop {
        if EXACT && executed + u64::from(pc - start) >= budget {
            leave!(Exit::Fuel);
        }
        // SAFETY: pc is a verified target or follows a verified non-terminator.
        let inst = unsafe { &*code.add(pc as usize) };
        match *inst {
            Inst::Add { w, dst, a, b } => binary!(BinOp::Add, w, dst, a, b),
            Inst::Sub { w, dst, a, b } => binary!(BinOp::Sub, w, dst, a, b),
            Inst::Mul { w, dst, a, b } => binary!(BinOp::Mul, w, dst, a, b),
            Inst::And { w, dst, a, b } => binary!(BinOp::And, w, dst, a, b),
            Inst::Or { w, dst, a, b } => binary!(BinOp::Or, w, dst, a, b),
            Inst::Xor { w, dst, a, b } => binary!(BinOp::Xor, w, dst, a, b),
            Inst::Shl { w, dst, a, b } => binary!(BinOp::Shl, w, dst, a, b),
            Inst::LShr { w, dst, a, b } => binary!(BinOp::LShr, w, dst, a, b),
            Inst::AShr { w, dst, a, b } => binary!(BinOp::AShr, w, dst, a, b),
            Inst::UDiv { w, dst, a, b }
            | Inst::SDiv { w, dst, a, b }
            | Inst::URem { w, dst, a, b }
            | Inst::SRem { w, dst, a, b } => {
                concrete!(a, b);
                let (x, y) = (get!(a), get!(b));
                if y == 0 || (y == mask(w) && signed(w, x) == signed(w, 1 << (w - 1))) {
                    leave!(Exit::Slow); // traps natively
                }
                let op = match inst {
                    Inst::UDiv { .. } => BinOp::UDiv,
                    Inst::SDiv { .. } => BinOp::SDiv,
                    Inst::URem { .. } => BinOp::URem,
                    _ => BinOp::SRem,
                };
                set!(dst, bin(op, w, x, y));
            }
            Inst::Eq { w, dst, a, b } => compare!(CmpOp::Eq, w, dst, a, b),
            Inst::Ne { w, dst, a, b } => compare!(CmpOp::Ne, w, dst, a, b),
            Inst::Ult { w, dst, a, b } => compare!(CmpOp::Ult, w, dst, a, b),
            Inst::Ule { w, dst, a, b } => compare!(CmpOp::Ule, w, dst, a, b),
            Inst::Slt { w, dst, a, b } => compare!(CmpOp::Slt, w, dst, a, b),
            Inst::Sle { w, dst, a, b } => compare!(CmpOp::Sle, w, dst, a, b),
            Inst::Un { op, w, dst, a } => {
                concrete!(a);
                set!(dst, un(op, w, get!(a)));
            }
            Inst::Zext { dst, a, .. } | Inst::Copy { dst, a, .. } => {
                concrete!(a);
                set!(dst, get!(a));
            }
            Inst::Sext { w, to, dst, a } => {
                concrete!(a);
                set!(dst, signed(w, get!(a)) as u64 & mask(to));
            }
            Inst::Trunc { to, dst, a, .. } => {
                concrete!(a);
                set!(dst, get!(a) & mask(to));
            }
            Inst::Select { dst, c, a, b, .. } => {
                concrete!(c);
                let chosen = if get!(c) != 0 { a } else { b };
                concrete!(chosen);
                set!(dst, get!(chosen));
            }
            Inst::Funnel {
                left,
                w,
                dst,
                a,
                b,
                c,
            } => {
                concrete!(a, b, c);
                set!(dst, funnel(left, w, get!(a), get!(b), get!(c)));
            }
            Inst::Index {
                dst,
                base,
                index,
                scale,
            } => {
                concrete!(base, index);
                set!(
                    dst,
                    get!(base).wrapping_add(get!(index).wrapping_mul(u64::from(scale)))
                );
            }
            Inst::Load {
                bytes,
                dst,
                address,
            }
            | Inst::LoadRaw {
                bytes,
                dst,
                address,
            } => {
                concrete!(address);
                match memory.load(get!(address), u32::from(bytes)) {
                    Some(v) => set!(dst, v),
                    None => leave!(Exit::Slow),
                }
            }
            Inst::LoadIndex {
                bytes,
                dst,
                base,
                index,
                scale,
            } => {
                concrete!(base, index);
                let at = get!(base).wrapping_add(get!(index).wrapping_mul(u64::from(scale)));
                match memory.load(at, u32::from(bytes)) {
                    Some(v) => set!(dst, v),
                    None => leave!(Exit::Slow),
                }
            }
            Inst::LoadOffset {
                bytes,
                dst,
                base,
                offset,
            } => {
                concrete!(base);
                let at = get!(base).wrapping_add_signed(i64::from(offset));
                match memory.load(at, u32::from(bytes)) {
                    Some(v) => set!(dst, v),
                    None => leave!(Exit::Slow),
                }
            }
            Inst::StoreOffset {
                bytes,
                base,
                offset,
                value,
            } => {
                concrete!(base, value);
                let at = get!(base).wrapping_add_signed(i64::from(offset));
                if !memory.store(at, u32::from(bytes), get!(value)) {
                    leave!(Exit::Slow);
                }
            }
            Inst::StoreIndex {
                bytes,
                base,
                index,
                scale,
                value,
            } => {
                concrete!(base, index, value);
                let at = get!(base).wrapping_add(get!(index).wrapping_mul(u64::from(scale)));
                if !memory.store(at, u32::from(bytes), get!(value)) {
                    leave!(Exit::Slow);
                }
            }
            Inst::Store {
                bytes,
                address,
                value,
            } => {
                concrete!(address, value);
                if !memory.store(get!(address), u32::from(bytes), get!(value)) {
                    leave!(Exit::Slow);
                }
            }
            Inst::Jump { target } | Inst::Invoked { target, .. } => go!(target),
            Inst::Branch { c, then, other } => {
                concrete!(c);
                go!(if get!(c) != 0 { then } else { other });
            }
            Inst::CmpBranch {
                op,
                w,
                a,
                b,
                then,
                other,
            } => {
                concrete!(a, b);
                go!(if cmp(op, w, get!(a), get!(b)) {
                    then
                } else {
                    other
                });
            }
            Inst::Switch { value, table, .. } => {
                concrete!(value);
                go!(module.switches[table as usize].target(get!(value)));
            }
            Inst::Cover { site } => {
                if !covered[site as usize] {
                    leave!(Exit::Slow);
                }
                hash = ir::trace::step(hash, site);
                s.hot.site = site;
            }
            Inst::Check { kind, w, a, b } => {
                concrete!(a, b);
                if crate::check::violated(kind, w, get!(a), get!(b)) {
                    leave!(Exit::Slow);
                }
            }
            Inst::FloatBin {
                op,
                format,
                dst,
                a,
                b,
            } if is_host(format) => {
                concrete!(a, b);
                let (x, y) = (get!(a), get!(b));
                set!(dst, host_float(op, format, x, y));
            }
            Inst::FloatUn { op, format, dst, a } if is_host(format) => {
                concrete!(a);
                set!(
                    dst,
                    concrete_float::un(op, format, NEAREST, u128::from(get!(a))) as u64
                );
            }
            Inst::FloatCmp {
                op,
                format,
                dst,
                a,
                b,
            } if is_host(format) => {
                concrete!(a, b);
                let (x, y) = (u128::from(get!(a)), u128::from(get!(b)));
                set!(dst, u64::from(concrete_float::cmp(op, format, x, y)));
            }
            Inst::Call {
                callee,
                dst,
                args,
                count,
            } => {
                // SAFETY: verified.
                let f = unsafe { module.functions.get_unchecked(callee as usize) };
                let caller = s
                    .threads
                    .running
                    .frames
                    .last()
                    .expect("a running state has a frame");
                let (base, top) = (caller.base as usize, caller.top as usize);
                let new_top = top + f.registers as usize;
                let frames_taken = caller.taken + f.frame;
                if memory.stack_used() + frames_taken > s.stack_size {
                    leave!(Exit::Slow);
                }
                if s.threads.running.regs.len() < new_top {
                    reserve(
                        &mut s.threads.running.regs,
                        &mut s.threads.running.terms,
                        new_top,
                    );
                }
                // SAFETY: reserved just now.
                unsafe {
                    regs = s.threads.running.regs.as_mut_ptr().add(base);
                    terms = s.threads.running.terms.as_mut_ptr().add(base);
                }
                let args = &module.operands[args as usize..args as usize + count as usize];
                let mut symbolic = false;
                // SAFETY (all blocks here): the new frame's registers lie behind the caller's, within
                // the vectors.
                let new_regs = unsafe { regs.add(top - base) };
                let new_terms = unsafe { terms.add(top - base) };
                for (i, &v) in args.iter().enumerate() {
                    let x = get!(v);
                    unsafe { *new_regs.add(i) = x };
                    if MIXED && !v.is_const() && unsafe { *terms.add(v.index()) }.is_some() {
                        symbolic = true;
                    }
                }
                if MIXED && symbolic {
                    unsafe { std::ptr::write_bytes(new_terms, 0, f.registers as usize) };
                    for (i, &v) in args.iter().enumerate() {
                        if !v.is_const() {
                            unsafe { *new_terms.add(i) = *terms.add(v.index()) };
                        }
                    }
                }
                regs = new_regs;
                terms = new_terms;
                s.threads.running.frames.push(Frame {
                    function: callee,
                    base: top as u32,
                    top: new_top as u32,
                    return_pc: pc + 1,
                    dst,
                    mismatched: Frame::MATCHED,
                    mark: memory.stack_mark(),
                    taken: frames_taken,
                    symbolic,
                    varargs: 0,
                    tag: 0,
                });
                executed += u64::from(pc - start) + 1;
                pc = f.entry;
                start = pc;
                if executed >= budget {
                    leave!(Exit::Fuel);
                }
                if MIXED && !symbolic {
                    leave!(Exit::Mode);
                }
                continue;
            }
            Inst::Ret { values, count } => {
                if s.threads.running.frames.len() < 2 {
                    leave!(Exit::Slow);
                }
                let caller = &s.threads.running.frames[s.threads.running.frames.len() - 2];
                let caller_base = caller.base as usize;
                let caller_symbolic = caller.symbolic;
                let values = &module.operands[values as usize..values as usize + count as usize];
                if MIXED && !caller_symbolic {
                    for &v in values {
                        concrete!(v);
                    }
                }
                let frame = s.threads.running.frames.last().expect("checked above");
                if frame.mismatched != Frame::MATCHED {
                    leave!(Exit::Slow);
                }
                let into = caller_base + frame.dst.0 as usize;
                // SAFETY (all blocks here): the caller's registers lie before this frame's in the same
                // vectors.
                let (all_regs, all_terms) = (
                    s.threads.running.regs.as_mut_ptr(),
                    s.threads.running.terms.as_mut_ptr(),
                );
                for (i, &v) in values.iter().enumerate() {
                    let x = get!(v);
                    unsafe { *all_regs.add(into + i) = x };
                    if caller_symbolic {
                        let t = if MIXED && !v.is_const() {
                            unsafe { *terms.add(v.index()) }
                        } else {
                            Term::NONE
                        };
                        unsafe { *all_terms.add(into + i) = t };
                    }
                }
                regs = unsafe { all_regs.add(caller_base) };
                terms = unsafe { all_terms.add(caller_base) };
                let frame = s.threads.running.frames.pop().expect("checked above");
                memory.stack_release(frame.mark);
                executed += u64::from(pc - start) + 1;
                pc = frame.return_pc;
                start = pc;
                if executed >= budget {
                    leave!(Exit::Fuel);
                }
                if MIXED != caller_symbolic {
                    leave!(Exit::Mode);
                }
                continue;
            }
            Inst::Alloca { .. }
            | Inst::Overflow { .. }
            | Inst::WideBin { .. }
            | Inst::WideCmp { .. }
            | Inst::WideUn { .. }
            | Inst::WideCast { .. }
            | Inst::WideCheck { .. }
            | Inst::FloatBin { .. }
            | Inst::FloatUn { .. }
            | Inst::FloatFma { .. }
            | Inst::FloatCmp { .. }
            | Inst::FloatCast { .. }
            | Inst::FloatConv { .. }
            | Inst::StackSave { .. }
            | Inst::StackRestore { .. }
            | Inst::ScopeStart { .. }
            | Inst::ScopeEnd { .. }
            | Inst::MemCopy { .. }
            | Inst::MemMove { .. }
            | Inst::MemSet { .. }
            | Inst::CallSite { .. }
            | Inst::CheckFloat { .. }
            | Inst::CheckFloatCast { .. }
            | Inst::CheckFloatConv { .. }
            | Inst::Unreachable
            | Inst::Trap
            | Inst::Unsupported { .. } => leave!(Exit::Slow),
        }
        pc += 1;
    }
}

#[inline(always)]
fn is_host(format: FloatFormat) -> bool {
    matches!(format, FloatFormat::SINGLE | FloatFormat::DOUBLE)
}

#[inline(always)]
fn host_float(op: FloatBinOp, format: FloatFormat, x: u64, y: u64) -> u64 {
    concrete_float::bin(op, format, NEAREST, u128::from(x), u128::from(y)) as u64
}
