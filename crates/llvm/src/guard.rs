//! Accesses that can fail stay: no pass deletes them, moves them past each other, or takes another for them.
//!
//! LLVM may assume that an access that fails never happens. Only volatile accesses are left alone by all of its
//! passes. So before the first pass each access of the program and of libc becomes volatile, unless it cannot fail: at
//! a known offset inside of a local or global variable. The variables that promotion to registers is about are
//! accessed in this way only, and lose nothing.
//!
//! - Loads, stores and the `memcpy` family have a flag for it, read-modify-write instructions as well.
//! - A copy of a few known bytes between a variable and somewhere else should still become registers. It
//!   stays as it is, and a *probe* before it, a marker that nothing deletes, stands for its side that can fail.
//!   Lowering makes accesses of a probe unless those that are left of the copy do the same.
//! - Other intrinsics that read memory (masked loads, gathers) get a use of their result.
//! - The addresses of all of these are hidden from the passes (`opaque`), which would conclude from the object's size
//!   and content where they lead.
//! - Calls lose the attributes by which a pass may drop, merge or move them (`facts`).

use crate::ffi::{Module, Type, Value};
use crate::marks::MetadataKind;
use crate::opaque::Hider;
use crate::types::Types;
use llvm_sys::LLVMOpcode::*;
use llvm_sys::LLVMValueKind::*;
use llvm_sys::core::*;

/// `void (ptr, i64)`: reads that many bytes there.
pub const PROBE_READ: &str = "__polypath_mark_read";
/// `void (ptr, i64)`: writes that many bytes there.
pub const PROBE_WRITE: &str = "__polypath_mark_write";
/// `void (T)`: needs the value.
pub const USE: &str = "__polypath_mark_use.";

/// Copies up to this many bytes may become registers.
const SMALL: u64 = 128;

/// The metadata that marks what [`pin`] made volatile.
fn pinned(module: Module) -> u32 {
    MetadataKind::Pinned.number(module)
}

fn set_volatile(inst: Value) {
    // SAFETY: the callers have looked at the opcode.
    unsafe { LLVMSetVolatile(inst.0, 1) }
}

/// The effect of an intrinsic on memory, by its name.
enum Effect {
    /// `memcpy`, `memmove`: operands 0, 1 and length 2, flag 3.
    Copy,
    /// `memset`: operand 0 and length 2, flag 3.
    Fill,
    /// Another one that reads memory and gives a value.
    Read,
    None,
}

fn effect(call: Value) -> Effect {
    let Some(f) = call.callee().filter(|f| f.intrinsic_id() != 0) else {
        return Effect::None;
    };
    let name = f.name();
    let rest = name.strip_prefix("llvm.").unwrap_or(&name);
    let is = |list: &[&str]| list.iter().any(|p| rest.starts_with(p));
    if is(&["memcpy.element", "memmove.element", "memset.element"]) {
        Effect::None // never deleted: they are atomic
    } else if is(&["memcpy.", "memmove."]) {
        Effect::Copy
    } else if is(&["memset."]) {
        Effect::Fill
    } else if is(&[
        "masked.load",
        "masked.gather",
        "masked.expandload",
        "vp.load",
        "vp.gather",
        "load.relative",
    ]) || is(&["experimental.vp.strided.load", "matrix.column.major.load"])
    {
        Effect::Read
    } else {
        Effect::None
    }
}

/// Makes markers: see `instrument`.
pub trait Markers {
    /// Puts a call of the marker `name` with these operands before `at`.
    fn mark(&mut self, at: Value, name: &str, operands: &[Value]);
}

/// Operands that are addresses which passes must not see through.
type Addresses = Vec<(Value, u32)>;

/// Guards the accesses of one function. With `whole_copies` every copy stays one: as a load, it
/// would be an error where it takes unwritten bytes (padding) along.
pub fn pin(
    module: Module,
    types: &Types,
    f: Value,
    whole_copies: bool,
    hider: &Hider,
    markers: &mut impl Markers,
) {
    let kind = pinned(module);
    let accesses: Vec<Value> = f.blocks().flat_map(|b| b.instructions()).collect();
    // They are hidden when all decisions are made: what is hidden looks like something that escapes.
    let mut addresses = Addresses::new();
    for inst in accesses {
        let keep = match inst.opcode() {
            LLVMLoad => !holds(types, inst.operand(0), types.store_size(inst.ty()), false),
            LLVMStore => {
                let bytes = types.store_size(inst.operand(0).ty());
                !holds(types, inst.operand(1), bytes, true)
            }
            LLVMAtomicRMW | LLVMAtomicCmpXchg => true,
            LLVMCall => {
                pin_intrinsic(module, types, inst, whole_copies, &mut addresses, markers);
                false
            }
            _ => false,
        };
        if keep {
            addresses.push((inst, u32::from(inst.opcode() == LLVMStore)));
        }
        if keep && !inst.is_volatile() {
            set_volatile(inst);
            // SAFETY: an empty node of the module's context.
            unsafe {
                let node = LLVMMDNodeInContext2(module.context(), std::ptr::null_mut(), 0);
                LLVMSetMetadata(inst.0, kind, LLVMMetadataAsValue(module.context(), node));
            }
        }
    }
    for (user, operand) in addresses {
        hider.address(user, operand);
    }
}

fn pin_intrinsic(
    module: Module,
    types: &Types,
    call: Value,
    whole_copies: bool,
    addresses: &mut Addresses,
    markers: &mut impl Markers,
) {
    let constant = |v: Value| (v.value_kind() == LLVMConstantIntValueKind).then(|| v.zext_value());
    let keep = || {
        // SAFETY: the fourth operand of these intrinsics is the flag.
        unsafe {
            LLVMSetOperand(
                call.0,
                3,
                LLVMConstInt(LLVMInt1TypeInContext(module.context()), 1, 0),
            )
        }
    };
    match effect(call) {
        Effect::None => {}
        Effect::Read => {
            // SAFETY: a call is no terminator, so an instruction of its block follows it.
            let next = Value(unsafe { LLVMGetNextInstruction(call.0) });
            addresses.push((call, 0));
            markers.mark(next, &format!("{USE}{}", call.ty().print()), &[call]);
        }
        Effect::Fill => match constant(call.arg(2)) {
            Some(n) if holds(types, call.arg(0), n, true) => {}
            _ => {
                addresses.push((call, 0));
                keep();
            }
        },
        Effect::Copy => {
            let n = constant(call.arg(2));
            let to = n.is_some_and(|n| holds(types, call.arg(0), n, true));
            let from = n.is_some_and(|n| holds(types, call.arg(1), n, false));
            let failing = [(call, 0), (call, 1)].into_iter().zip([to, from]);
            addresses.extend(failing.filter(|(_, holds)| !holds).map(|(a, _)| a));
            let Some(n) = n.filter(|_| !whole_copies) else {
                return keep();
            };
            // Nobody else has the variable's address: the two sides do not overlap.
            let apart = root(call.arg(0)) != root(call.arg(1));
            let private = |v: Value| n <= SMALL && apart && is_private(root(v));
            let (name, at) = match (to, from) {
                (true, true) if overlap(types, call, n) => return keep(),
                (true, true) => return,
                (true, false) if private(call.arg(0)) => (PROBE_READ, call.arg(1)),
                (false, true) if private(call.arg(1)) => (PROBE_WRITE, call.arg(0)),
                _ => return keep(),
            };
            // SAFETY: a constant of the module's context.
            let n = Value(unsafe { LLVMConstInt(LLVMInt64TypeInContext(module.context()), n, 0) });
            markers.mark(call, name, &[at, n]);
        }
    }
}

/// Do the two sides of a copy within variables overlap?
fn overlap(types: &Types, copy: Value, bytes: u64) -> bool {
    let (to, from) = (place(types, copy.arg(0)), place(types, copy.arg(1)));
    matches!((to, from), (Some((a, x)), Some((b, y))) if a == b && x != y && x.abs_diff(y) < bytes)
}

/// Can the two sides of a copy of a few bytes overlap without being the same? Not if both are aligned to
/// their size, or inside of different variables.
pub fn may_overlap(types: &Types, copy: Value, bytes: u64) -> bool {
    // SAFETY: the name with its length; a missing attribute is null.
    let align = |place: u32| unsafe {
        let kind = LLVMGetEnumAttributeKindForName(c"align".as_ptr(), 5);
        let attribute = LLVMGetCallSiteEnumAttribute(copy.0, place, kind);
        if attribute.is_null() {
            1
        } else {
            LLVMGetEnumAttributeValue(attribute)
        }
    };
    if align(1) >= bytes && align(2) >= bytes {
        return false;
    }
    let variable =
        |v: Value| place(types, v).filter(|(base, _)| object_size(types, *base, false).is_some());
    match (variable(copy.arg(0)), variable(copy.arg(1))) {
        (Some((a, _)), Some((b, _))) if a != b => false,
        (Some((_, x)), Some((_, y))) => x != y && x.abs_diff(y) < bytes,
        _ => true,
    }
}

/// The base from which an address was computed, by whatever indices.
fn root(pointer: Value) -> Value {
    let mut at = pointer;
    while at.value_kind() == LLVMInstructionValueKind
        && matches!(at.opcode(), LLVMGetElementPtr | LLVMBitCast)
    {
        at = at.operand(0);
    }
    at
}

/// Is this a local variable whose address is used to access it, and for nothing else?
pub fn is_private(variable: Value) -> bool {
    if variable.value_kind() != LLVMInstructionValueKind || variable.opcode() != LLVMAlloca {
        return false;
    }
    let mut work = vec![variable];
    while let Some(pointer) = work.pop() {
        for user in pointer.uses() {
            match user.opcode() {
                LLVMLoad => {}
                LLVMStore if user.operand(0) != pointer => {}
                LLVMGetElementPtr | LLVMBitCast => work.push(user),
                LLVMCall if !matches!(effect(user), Effect::None) => {}
                LLVMCall
                    if user
                        .callee()
                        .is_some_and(|f| f.name().starts_with("llvm.lifetime.")) => {}
                _ => return false,
            }
        }
    }
    true
}

/// Gives the loads of a function back to the passes, but for those whose value nothing needs: of several loads
/// of one address the first must stay.
pub fn release_loads(module: Module, f: Value, is_dead: impl Fn(Value) -> bool) {
    let kind = pinned(module);
    for inst in f.blocks().flat_map(|b| b.instructions()) {
        // SAFETY: looking a piece of metadata up, and taking it away.
        let ours = unsafe { !LLVMGetMetadata(inst.0, kind).is_null() };
        if ours && inst.opcode() == LLVMLoad && !is_dead(inst) {
            // SAFETY: the instruction is a load, which has this flag.
            unsafe { LLVMSetVolatile(inst.0, 0) };
        }
    }
}

/// Does an access of `bytes` at `pointer` lie inside of a variable, whatever happens?
fn holds(types: &Types, pointer: Value, bytes: u64, write: bool) -> bool {
    let Some((base, offset)) = place(types, pointer) else {
        return false;
    };
    let Some(size) = object_size(types, base, write) else {
        return false;
    };
    offset >= 0
        && (offset as u64)
            .checked_add(bytes)
            .is_some_and(|end| end <= size)
}

/// Bytes of a variable that lives as long as the function runs, if `base` is one.
fn object_size(types: &Types, base: Value, write: bool) -> Option<u64> {
    match base.value_kind() {
        LLVMGlobalVariableValueKind => {
            let is_readonly = write && base.is_global_constant();
            (!base.is_declaration() && !is_readonly).then(|| types.size(base.value_type()))
        }
        LLVMInstructionValueKind if base.opcode() == LLVMAlloca => {
            let count = base.operand(0);
            (count.value_kind() == LLVMConstantIntValueKind).then(|| {
                types
                    .size(base.allocated_type())
                    .saturating_mul(count.zext_value())
            })
        }
        _ => None,
    }
}

/// The start of a chain of address computations, and the distance if it is known.
pub fn place(types: &Types, pointer: Value) -> Option<(Value, i64)> {
    let (mut at, mut offset) = (pointer, 0i64);
    loop {
        let opcode = match at.value_kind() {
            LLVMInstructionValueKind => at.opcode(),
            LLVMConstantExprValueKind => at.const_opcode(),
            _ => return Some((at, offset)),
        };
        match opcode {
            LLVMGetElementPtr => {
                let Some(step) = constant_gep(types, at) else {
                    return Some((at, offset));
                };
                offset = offset.checked_add(step)?;
                at = at.operand(0);
            }
            LLVMBitCast | LLVMAddrSpaceCast => at = at.operand(0),
            LLVMCall
                if at
                    .callee()
                    .is_some_and(|f| f.name().starts_with("llvm.threadlocal.address")) =>
            {
                at = at.arg(0);
            }
            _ => return Some((at, offset)),
        }
    }
}

/// The byte offset of a GEP whose indices are all constant.
pub fn constant_gep(types: &Types, gep: Value) -> Option<i64> {
    if gep.ty().is_vector() {
        return None;
    }
    let mut ty: Type = gep.gep_source();
    let mut offset = 0i64;
    for i in 1..gep.operand_count() {
        let index = gep.operand(i);
        if index.value_kind() != LLVMConstantIntValueKind {
            return None;
        }
        let step;
        (step, ty) = types.gep_step(ty, i == 1, index.sext_value());
        offset = offset.wrapping_add(step);
    }
    Some(offset)
}

/// Do the accesses behind a probe, up to the next call, touch all bytes that it stands for?
pub fn is_superfluous(types: &Types, probe: Value, write: bool) -> bool {
    let (pointer, bytes) = (probe.arg(0), probe.arg(1).zext_value());
    let Some((base, start)) = place(types, pointer) else {
        return false;
    };
    let mut missing: Vec<bool> = vec![true; bytes as usize];
    let mut at = probe;
    loop {
        // SAFETY: `at` is a live instruction; the end of its block gives null.
        at = match unsafe { LLVMGetNextInstruction(at.0) } {
            next if next.is_null() => return false,
            next => Value(next),
        };
        let (pointer, touched) = match at.opcode() {
            LLVMLoad if !write => (at.operand(0), types.store_size(at.ty())),
            LLVMStore if write => (at.operand(1), types.store_size(at.operand(0).ty())),
            LLVMCall if matches!(effect(at), Effect::Copy) => {
                let n = at.arg(2);
                if n.value_kind() != LLVMConstantIntValueKind {
                    return false;
                }
                (at.arg(u32::from(!write)), n.zext_value())
            }
            LLVMCall
                if at
                    .callee()
                    .is_none_or(|f| !f.name().starts_with("llvm.lifetime.")) =>
            {
                return false;
            }
            LLVMInvoke => return false,
            _ => continue,
        };
        let Some((b, offset)) = place(types, pointer) else {
            continue;
        };
        if b != base {
            continue;
        }
        let first = offset.wrapping_sub(start);
        let end = first
            .saturating_add_unsigned(touched)
            .clamp(0, bytes as i64);
        missing[first.clamp(0, end) as usize..end as usize].fill(false);
        if !missing.contains(&true) {
            return true;
        }
    }
}
