//! Coverage sites and checks, put into the front end's IR before any pass.
//!
//! Each basic block of the program under test gets a call of [`COVER`] with the number of its site;
//! critical edges were split before, so each outcome of each branch has a block of its own. A block
//! that always runs behind its predecessors (they jump to it and call nothing that may exit) needs no
//! site: its lines belong to theirs. Checks become calls as well. The callees touch only memory that the program cannot see, so promotion
//! of locals to registers works, while no pass may delete, merge or reorder the calls against each
//! other.
//!
//! Own functions and globals carry an attribute or metadata, because handles do not survive linking.

use crate::LowerOptions;
use crate::alignment;
use crate::facts;
use crate::ffi::{Block, Metadata, Module, Type, Value, c};
use crate::float_checks;
use crate::guard::{self, Markers};
use crate::marks::{MetadataKind, OPTIMIZED, OWN};
use crate::opaque::Hider;
use crate::raw;
use crate::types::Types;
use ir::{BranchId, CheckKind};
use llvm_sys::LLVMOpcode::*;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use vocab::Check;

/// The prefix of all markers.
pub const MARKER_PREFIX: &str = "__polypath_mark_";
/// `void (i32 site)`
pub const COVER: &str = "__polypath_mark_cover";
/// `void (ptr)`: keeps a stack object in memory although each access is at a constant offset.
pub const KEEP: &str = "__polypath_mark_keep";
/// `void ()`: a function begins in which a check that was asked for cannot be made.
pub const UNCHECKED: &str = "__polypath_mark_unchecked";
/// `void ()`: stands before an `unreachable` that no call of a function without return leads to.
pub const UNREACHABLE: &str = "__polypath_mark_unreachable";
/// `void ()`: a function of an optimizer's bitcode begins.
pub const OPTIMIZED_CODE: &str = "__polypath_mark_optimized";

const CHECKS: [(CheckKind, &str); 9] = [
    (CheckKind::DivZero, "__polypath_mark_div_zero."),
    (CheckKind::SignedDiv, "__polypath_mark_signed_div."),
    (CheckKind::Shift, "__polypath_mark_shift."),
    (CheckKind::SignedAdd, "__polypath_mark_signed_add."),
    (CheckKind::SignedSub, "__polypath_mark_signed_sub."),
    (CheckKind::SignedMul, "__polypath_mark_signed_mul."),
    (CheckKind::Index, "__polypath_mark_index."),
    (CheckKind::Zero, "__polypath_mark_zero."),
    (CheckKind::Misaligned, "__polypath_mark_misaligned."),
];

/// The check that a marker's name stands for.
pub fn check_of_marker(name: &str) -> Option<CheckKind> {
    CHECKS
        .iter()
        .find(|(_, prefix)| name.starts_with(prefix))
        .map(|(kind, _)| *kind)
}

/// A coverage site.
#[derive(Clone)]
pub struct SiteInfo {
    /// The function that it is in.
    pub function: Value,
    /// The first position in its block.
    pub location: Option<Metadata>,
    /// The branch outcome that leads here, if the block has one single branching predecessor.
    pub outcome: Option<(BranchId, u32)>,
    /// Lines of its block in the file of the function.
    pub lines: Vec<u32>,
    /// Instructions of the front end's IR that run with this site and with no other.
    pub instructions: u32,
}

/// A conditional branch or a switch.
#[derive(Clone)]
pub struct BranchInfo {
    /// The function that it is in.
    pub function: Value,
    /// Its position.
    pub location: Option<Metadata>,
    /// How many ways lead on.
    pub outcomes: u32,
}

/// The places that were marked.
#[derive(Clone, Default)]
pub struct Instrumentation {
    /// By [`ir::SiteId`].
    pub sites: Vec<SiteInfo>,
    /// Instructions that run behind each of several sites.
    pub shared_blocks: Vec<ir::SharedBlock>,
    /// By [`BranchId`].
    pub branches: Vec<BranchInfo>,
}

// --- what is the program's own ---

/// Marks everything that the module defines as part of the program under test.
pub fn mark_own(module: Module) {
    let context = module.context();
    // The program may be joined with libc already (`polypath extract`).
    let is_own = |f: &Value| !f.is_declaration() && !crate::debug::is_runtime_function(*f);
    for f in module.functions().filter(is_own) {
        add_string_attribute(context, f, OWN);
    }
    for g in module.globals().filter(|g| !g.is_declaration()) {
        // SAFETY: an empty node of this context is attached to a live global.
        unsafe {
            LLVMGlobalSetMetadata(
                g.0,
                MetadataKind::Own.number(module),
                LLVMMDNodeInContext2(context, std::ptr::null_mut(), 0),
            )
        };
    }
}

/// Remembers that the module's bitcode is the output of LLVM's optimizer, which may compute shifts
/// and signed sums that the program does not (and ignore the result): such code cannot be checked
/// for them. The mark of the optimizer is `local_unnamed_addr`, which clang itself never writes.
pub fn mark_optimized(module: Module) {
    let defined = || module.functions().filter(|f| !f.is_declaration());
    // SAFETY: `f` is a function of this module.
    let local = |f: Value| unsafe { LLVMGetUnnamedAddress(f.0) } == llvm_sys::LLVMUnnamedAddr::LLVMLocalUnnamedAddr;
    if defined().any(local) {
        defined().for_each(|f| add_string_attribute(module.context(), f, OPTIMIZED));
    }
}

fn has_attribute(f: Value, name: &str) -> bool {
    let (place, len) = (llvm_sys::LLVMAttributeFunctionIndex, name.len() as u32);
    // SAFETY: the name with its length; the answer is only compared with null.
    !unsafe { LLVMGetStringAttributeAtIndex(f.0, place, name.as_ptr().cast(), len) }.is_null()
}

fn add_string_attribute(context: LLVMContextRef, f: Value, name: &str) {
    // SAFETY: name and value with their lengths, which LLVM copies; `f` is a function.
    unsafe {
        let attribute = LLVMCreateStringAttribute(
            context,
            name.as_ptr().cast(),
            name.len() as u32,
            c"".as_ptr(),
            0,
        );
        LLVMAddAttributeAtIndex(f.0, llvm_sys::LLVMAttributeFunctionIndex, attribute);
    }
}

fn add_enum_attribute(context: LLVMContextRef, f: Value, name: &str, value: u64) {
    // SAFETY: the name with its length; the kind is known.
    unsafe {
        let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
        assert!(kind != 0, "LLVM 19 knows the attribute {name}");
        let attribute = LLVMCreateEnumAttribute(context, kind, value);
        LLVMAddAttributeAtIndex(f.0, llvm_sys::LLVMAttributeFunctionIndex, attribute);
    }
}

/// Whether [`mark_own`] saw the function.
pub fn is_own(f: Value) -> bool {
    has_attribute(f, OWN)
}

/// Whether [`mark_own`] saw the global.
pub fn is_own_global(g: Value, module: Module) -> bool {
    let mut count = 0;
    // SAFETY: the entries are read below their count, and disposed once.
    unsafe {
        let entries = LLVMGlobalCopyAllMetadata(g.0, &mut count);
        let own = MetadataKind::Own.number(module);
        let found = (0..count as u32).any(|i| LLVMValueMetadataEntriesGetKind(entries, i) == own);
        LLVMDisposeValueMetadataEntries(entries);
        found
    }
}

// --- insertion ---

/// How control comes to a block.
struct Incoming {
    from: Vec<Block>,
    /// The outcome of the last edge.
    outcome: Option<(BranchId, u32)>,
    /// Each predecessor always continues here: its site says as much as one of the block itself
    /// would, so the block needs none.
    implied: bool,
}

impl Default for Incoming {
    fn default() -> Incoming {
        Incoming {
            from: Vec::new(),
            outcome: None,
            implied: true,
        }
    }
}

/// Instructions of a block that the program's author caused: not the marks of life times, and not the
/// lone jump of a block that only splits an edge.
fn count(block: Block) -> u32 {
    let caused = |inst: &Value| {
        inst.opcode() != LLVMCall
            || inst.callee().is_none_or(|f| {
                f.intrinsic_id() == 0
                    || !["llvm.lifetime.", "llvm.dbg.", MARKER_PREFIX]
                        .iter()
                        .any(|p| f.name().starts_with(p))
            })
    };
    let n = block.instructions().filter(caused).count() as u32;
    let end = block.terminator();
    let lone = n == 1 && end.opcode() == LLVMBr && !end.is_conditional();
    if lone { 0 } else { n }
}

/// A call of anything but an intrinsic: it may exit.
fn may_not_return(inst: Value) -> bool {
    match inst.opcode() {
        LLVMCall => inst.callee().is_none_or(|f| f.intrinsic_id() == 0),
        LLVMInvoke => true,
        _ => false,
    }
}

struct Inserter<'a> {
    module: Module,
    context: LLVMContextRef,
    builder: LLVMBuilderRef,
    options: &'a LowerOptions,
    out: Instrumentation,
    markers: FxHashMap<(CheckKind, Type), Value>,
}

/// Inserts all markers into the own functions.
pub fn instrument(module: Module, options: &LowerOptions) -> Instrumentation {
    if options.checks.has(Check::Uninit) {
        raw::mark(module);
    }
    facts::strip_promises(module);
    let context = module.context();
    // SAFETY: the context lives as long as the process; the builder is disposed at the end of this function.
    let builder = unsafe { LLVMCreateBuilderInContext(context) };
    let mut i = Inserter {
        module,
        context,
        builder,
        options,
        out: Instrumentation::default(),
        markers: FxHashMap::default(),
    };
    // SAFETY: a type of this context.
    let i32_type = unsafe { Type(LLVMInt32TypeInContext(context)) };
    let cover = i.marker(COVER, &[i32_type]);
    let types = Types::new(module);
    let hider = Hider::new(module);
    let own: Vec<Value> = module
        .functions()
        .filter(|f| !f.is_declaration() && is_own(*f))
        .collect();
    for f in own {
        i.sites(f, cover, i32_type);
        i.checks(f, &hider);
        i.alignments(&types, f);
        i.float_checks(f);
        i.unreachable(f);
        keep_overrun_objects(&mut i, &types, f);
        let whole_copies = options.checks.has(Check::Uninit);
        guard::pin(module, &types, f, whole_copies, &hider, &mut i);
    }
    for f in module.functions().filter(|f| !f.is_declaration()) {
        hider.conversions(f);
        if !is_own(f) {
            guard::pin(module, &types, f, false, &hider, &mut i);
        }
    }
    facts::strip_flags(module);
    // SAFETY: made above, and not used again.
    unsafe { LLVMDisposeBuilder(builder) };
    i.out
}

impl Inserter<'_> {
    /// Declares a marker function: no pass may look behind it. It does not promise to return: a path can
    /// end there.
    fn marker(&mut self, name: &str, params: &[Type]) -> Value {
        if let Some(f) = self.module.function(name) {
            return f;
        }
        let mut params: Vec<LLVMTypeRef> = params.iter().map(|t| t.0).collect();
        // SAFETY: the parameter types are of this context and are copied by the call.
        let f = unsafe {
            let ty = LLVMFunctionType(
                LLVMVoidTypeInContext(self.context),
                params.as_mut_ptr(),
                params.len() as u32,
                0,
            );
            Value(LLVMAddFunction(self.module.0, c(name).as_ptr(), ty))
        };
        // Two bits per kind of memory: argument, inaccessible, other. Reads and writes the second.
        const INACCESSIBLE_READ_WRITE: u64 = 3 << 2;
        add_enum_attribute(self.context, f, "memory", INACCESSIBLE_READ_WRITE);
        for attribute in ["nounwind", "nomerge", "nofree", "nosync", "nocallback"] {
            add_enum_attribute(self.context, f, attribute, 0);
        }
        f
    }

    fn call(&self, f: Value, args: &[Value]) {
        let mut args: Vec<LLVMValueRef> = args.iter().map(|a| a.0).collect();
        // SAFETY: the builder stands in a block, and the arguments have the types of the parameters.
        unsafe {
            let ty = f.value_type();
            LLVMBuildCall2(
                self.builder,
                ty.0,
                f.0,
                args.as_mut_ptr(),
                args.len() as u32,
                c"".as_ptr(),
            );
        }
    }

    fn before(&self, at: Value) {
        // SAFETY: `at` is an instruction in a block.
        unsafe { LLVMPositionBuilderBefore(self.builder, at.0) };
        self.stands_at(at);
    }

    /// The next instructions that are built get the position of `inst` in the source.
    fn stands_at(&self, inst: Value) {
        let location = inst.debug_loc().map_or(std::ptr::null_mut(), |m| m.0);
        // SAFETY: no location is null, as LLVM wants it.
        unsafe { LLVMSetCurrentDebugLocation2(self.builder, location) };
    }

    fn sites(&mut self, f: Value, cover: Value, i32_type: Type) {
        let blocks: Vec<Block> = f.blocks().collect();
        let mut incoming: FxHashMap<Block, Incoming> = FxHashMap::default();
        for block in &blocks {
            let end = block.terminator();
            let n = end.successor_count();
            let branches = (end.opcode() == LLVMBr && end.is_conditional())
                || (end.opcode() == LLVMSwitch && n > 1);
            let id = self.out.branches.len() as BranchId;
            if branches {
                self.out.branches.push(BranchInfo {
                    function: f,
                    location: end.debug_loc(),
                    outcomes: n,
                });
            }
            let plain =
                end.opcode() == LLVMBr && n == 1 && !block.instructions().any(may_not_return);
            for k in 0..n {
                let outcome = match (branches, end.opcode()) {
                    (false, _) => None,
                    // A switch has its default first; we count it last.
                    (true, LLVMSwitch) => Some((id, if k == 0 { n - 1 } else { k - 1 })),
                    (true, _) => Some((id, k)),
                };
                let entry = incoming.entry(end.successor(k)).or_default();
                entry.outcome = outcome;
                entry.implied &= plain;
                entry.from.push(*block);
            }
        }
        let file = f.subprogram().and_then(|s| s.scope_file());
        let mut site_of: FxHashMap<Block, usize> = FxHashMap::default();
        let mut implied = Vec::new();
        for block in &blocks {
            let mut location = None;
            let mut lines = Vec::new();
            let mut first = None;
            for inst in block.instructions() {
                if first.is_none()
                    && !matches!(inst.opcode(), LLVMPHI | LLVMAlloca | LLVMLandingPad)
                {
                    first = Some(inst);
                }
                // A variable's place is where it is declared: nothing happens there.
                let happens = inst.opcode() != LLVMAlloca;
                let Some(loc) = inst.debug_loc().filter(|l| happens && l.line() != 0) else {
                    continue;
                };
                location.get_or_insert(loc);
                if loc.scope().scope_file() == file {
                    lines.push(loc.line());
                }
            }
            let into = incoming.get(block);
            if into.is_some_and(|i| i.implied) {
                implied.push((*block, lines, count(*block)));
                continue;
            }
            let outcome = into.filter(|i| i.from.len() == 1).and_then(|i| i.outcome);
            let Some(first) = first else { continue };
            let id = self.out.sites.len();
            site_of.insert(*block, id);
            self.out.sites.push(SiteInfo {
                function: f,
                location,
                outcome,
                lines,
                instructions: count(*block),
            });
            self.before(first);
            // SAFETY: a constant of an integer type.
            let number = unsafe { Value(LLVMConstInt(i32_type.0, id as u64, 0)) };
            self.call(cover, &[number]);
        }
        for (block, lines, instructions) in implied {
            // The sites behind which this block always runs.
            let mut sites = Vec::new();
            let mut seen = FxHashSet::default();
            let mut work = vec![block];
            while let Some(b) = work.pop() {
                match site_of.get(&b) {
                    Some(id) => {
                        self.out.sites[*id].lines.extend(&lines);
                        sites.push(*id as ir::SiteId);
                    }
                    None if seen.insert(b) => {
                        work.extend(incoming.get(&b).map_or(&[][..], |i| &i.from))
                    }
                    None => {}
                }
            }
            sites.sort_unstable();
            sites.dedup();
            match sites[..] {
                [one] => self.out.sites[one as usize].instructions += instructions,
                _ => self.out.shared_blocks.push(ir::SharedBlock {
                    instructions,
                    sites,
                }),
            }
        }
        for id in site_of.values() {
            let lines = &mut self.out.sites[*id].lines;
            lines.sort_unstable();
            lines.dedup();
        }
    }

    /// What the program declares unreachable is reached, if it is: passes would drop the way there.
    fn unreachable(&mut self, f: Value) {
        let found: Vec<Value> = f
            .blocks()
            .map(|b| b.terminator())
            .filter(|end| end.opcode() == LLVMUnreachable && !is_behind_noreturn(*end))
            .collect();
        for end in found {
            self.mark(end, UNREACHABLE, &[]);
        }
    }

    fn checks(&mut self, f: Value, hider: &Hider) {
        let o = self.options;
        let raw = !has_attribute(f, OPTIMIZED);
        if !raw {
            self.begins_with(f, OPTIMIZED_CODE);
        }
        let (shift, overflow, bounds) = (
            o.checks.has(Check::Shift),
            o.checks.has(Check::Overflow),
            o.checks.has(Check::Bounds),
        );
        let mut found = Vec::new();
        let builtin = o.checks.has(Check::Builtin);
        let (mut magnitudes, mut counts) = (Vec::new(), Vec::new());
        let mut unchecked_shifts = Vec::new();
        let mut elements = Vec::new();
        for block in f.blocks() {
            for inst in block.instructions() {
                let kind = match inst.opcode() {
                    LLVMCall if is_undefined_for_one_operand(inst) => {
                        let is_magnitude = inst.called_value().name().contains("abs");
                        if overflow && is_magnitude {
                            magnitudes.push(inst);
                        }
                        if builtin && !is_magnitude && !is_replaced_for_zero(inst) {
                            counts.push(inst);
                        }
                        // It wraps, or counts all bits, as the native build does.
                        // SAFETY: a constant of an integer type.
                        let defined = unsafe { Value(LLVMConstInt(inst.operand(1).ty().0, 0, 0)) };
                        inst.set_operand(1, defined);
                        continue;
                    }
                    // These trap, whatever is looked for.
                    LLVMUDiv | LLVMURem => CheckKind::DivZero,
                    LLVMSDiv | LLVMSRem => CheckKind::SignedDiv,
                    LLVMExtractElement | LLVMInsertElement => {
                        elements.extend(element(inst).map(|(index, n)| (inst, index, n)));
                        continue;
                    }
                    LLVMShl | LLVMLShr | LLVMAShr if shift => CheckKind::Shift,
                    LLVMAdd if overflow && inst.nsw() => CheckKind::SignedAdd,
                    LLVMSub if overflow && inst.nsw() => CheckKind::SignedSub,
                    LLVMMul if overflow && inst.nsw() => CheckKind::SignedMul,
                    LLVMShl | LLVMLShr | LLVMAShr => {
                        unchecked_shifts.push(inst);
                        continue;
                    }
                    _ => continue,
                };
                if !obviously_holds(kind, inst) {
                    found.push((kind, inst));
                }
            }
        }
        let indices: Vec<_> = if bounds {
            let all = f.blocks().flat_map(|b| b.instructions());
            all.filter_map(crate::bounds::index).collect()
        } else {
            Vec::new()
        };
        // An optimizer computes what the program does not: its sums, shifts and indices prove nothing.
        let traps = |kind| matches!(kind, CheckKind::DivZero | CheckKind::SignedDiv);
        if !raw {
            let all = found.len() + magnitudes.len() + counts.len() + indices.len();
            found.retain(|(kind, _)| traps(*kind));
            if all > found.len() {
                self.begins_with(f, UNCHECKED);
            }
            let shifts = f.blocks().flat_map(|b| b.instructions());
            unchecked_shifts = shifts
                .filter(|i| matches!(i.opcode(), LLVMShl | LLVMLShr | LLVMAShr))
                .collect();
        }
        for inst in unchecked_shifts {
            hider.shift(inst);
        }
        for (kind, inst) in found {
            self.check(kind, inst, inst.operand(0), inst.operand(1));
        }
        if !raw {
            return;
        }
        for (inst, index, len) in elements {
            // SAFETY: the index of an element is an integer.
            let limit = unsafe { Value(LLVMConstInt(index.ty().0, len, 0)) };
            self.check(CheckKind::Index, inst, index, limit);
        }
        for inst in magnitudes {
            let of = inst.operand(0);
            // SAFETY: a constant of its type.
            let zero = unsafe { Value(LLVMConstNull(of.ty().0)) };
            self.check(CheckKind::SignedSub, inst, zero, of);
        }
        for inst in counts {
            let of = inst.operand(0);
            self.check(CheckKind::Zero, inst, of, of);
        }
        for i in indices {
            // SAFETY: indices have integer types.
            let limit = unsafe { Value(LLVMConstInt(i.index.ty().0, i.limit, 0)) };
            self.check(CheckKind::Index, i.user, i.index, limit);
        }
    }

    /// Addresses that have to be aligned, behind the accesses: that an address leads nowhere is reported first.
    fn alignments(&mut self, types: &Types, f: Value) {
        if !self.options.checks.has(Check::Align) {
            return;
        }
        let all = f.blocks().flat_map(|b| b.instructions());
        let found: Vec<_> = all
            .filter_map(|inst| Some((inst, alignment::access(types, f, inst)?)))
            .collect();
        for (inst, access) in found {
            // SAFETY: a constant of this context; an access is no terminator, so an instruction follows it.
            let (align, next) = unsafe {
                let i64_type = LLVMInt64TypeInContext(self.context);
                let align = LLVMConstInt(i64_type, access.align, 0);
                (Value(align), Value(LLVMGetNextInstruction(inst.0)))
            };
            let marker = self.check_marker(CheckKind::Misaligned, access.pointer, align);
            self.before(next);
            self.stands_at(inst);
            self.call(marker, &[access.pointer, align]);
        }
    }

    /// Marks at the start of a function that not all of it is checked, or that an optimizer has made it.
    fn begins_with(&mut self, f: Value, marker: &str) {
        let mut instructions = f.first_block().instructions();
        let first = instructions.find(|i| !matches!(i.opcode(), LLVMPHI | LLVMAlloca));
        if let Some(first) = first {
            self.mark(first, marker, &[]);
        }
    }

    /// Marks operations that can raise a floating-point exception, if one is looked for.
    fn float_checks(&mut self, f: Value) {
        if !self.options.checks.have_floats() {
            return;
        }
        let all = f.blocks().flat_map(|b| b.instructions());
        let marks: Vec<_> = all.filter_map(float_checks::mark).collect();
        for mark in marks {
            let types: Vec<Type> = mark.operands.iter().map(|o| o.ty()).collect();
            let marker = self.marker(&mark.name, &types);
            self.before(mark.before);
            self.stands_at(mark.of);
            self.call(marker, &mark.operands);
        }
    }

    /// Puts a check of two operands before an instruction.
    fn check(&mut self, kind: CheckKind, inst: Value, a: Value, b: Value) {
        let marker = self.check_marker(kind, a, b);
        self.before(inst);
        self.call(marker, &[a, b]);
    }

    /// The marker of a check of these operands. The type of the second one follows from that of the first.
    fn check_marker(&mut self, kind: CheckKind, a: Value, b: Value) -> Value {
        let ty = a.ty();
        if let Some(marker) = self.markers.get(&(kind, ty)) {
            return *marker;
        }
        let prefix = CHECKS
            .iter()
            .find(|(k, _)| *k == kind)
            .map_or("", |(_, p)| p);
        let marker = self.marker(&format!("{prefix}{}", ty.print()), &[ty, b.ty()]);
        self.markers.insert((kind, ty), marker);
        marker
    }
}

impl Markers for Inserter<'_> {
    fn mark(&mut self, at: Value, name: &str, operands: &[Value]) {
        let types: Vec<Type> = operands.iter().map(|o| o.ty()).collect();
        let marker = self.marker(name, &types);
        self.before(at);
        self.call(marker, operands);
    }
}

/// Does a call of a function that does not return stand right before?
fn is_behind_noreturn(end: Value) -> bool {
    // SAFETY: the name with its length; the instruction before may be missing.
    unsafe {
        let kind = LLVMGetEnumAttributeKindForName(c"noreturn".as_ptr(), 8);
        let before = Value(LLVMGetPreviousInstruction(end.0));
        if before.0.is_null() || before.opcode() != LLVMCall {
            return false;
        }
        let place = llvm_sys::LLVMAttributeFunctionIndex;
        !LLVMGetCallSiteEnumAttribute(before.0, place, kind).is_null()
            || before
                .callee()
                .is_some_and(|f| !LLVMGetEnumAttributeAtIndex(f.0, place, kind).is_null())
    }
}

/// Is it a call of a magnitude or of a count of zeros that says it has no meaning for the lowest number, or for zero? Passes
/// make use of that.
fn is_undefined_for_one_operand(call: Value) -> bool {
    let name = call.called_value().name();
    ["llvm.abs.", "llvm.ctlz.", "llvm.cttz."]
        .iter()
        .any(|prefix| name.starts_with(prefix))
        && call.operand(1).zext_value() != 0
}

/// Does the front end take another value where the zeros of zero are counted? `ffs(x)` is `x == 0 ? 0 : cttz(x) + 1`,
/// without a branch.
fn is_replaced_for_zero(count: Value) -> bool {
    let of = count.operand(0);
    let mut work = vec![count];
    while let Some(value) = work.pop() {
        let users = value.uses();
        if users.is_empty() {
            return false;
        }
        for user in users {
            match user.opcode() {
                LLVMAdd | LLVMZExt | LLVMTrunc => work.push(user),
                LLVMSelect if is_zero_test(user.operand(0), of) => {}
                _ => return false,
            }
        }
    }
    true
}

/// Is the condition that `of` is zero?
fn is_zero_test(condition: Value, of: Value) -> bool {
    condition.is_instruction()
        && condition.opcode() == LLVMICmp
        && condition.operand(0) == of
        && condition.operand(1).is_null()
}

/// The index of an element of a vector, and the number of elements, unless it is known to be one of them.
fn element(inst: Value) -> Option<(Value, u64)> {
    let index = inst.operand(u32::from(inst.opcode() == LLVMInsertElement) + 1);
    let len = u64::from(inst.operand(0).ty().vector_len());
    let is_known = index.value_kind() == llvm_sys::LLVMValueKind::LLVMConstantIntValueKind
        && index.zext_value() < len;
    (!is_known).then_some((index, len))
}

fn obviously_holds(kind: CheckKind, inst: Value) -> bool {
    let (ty, b) = (inst.ty(), inst.operand(1));
    if !ty.is_int()
        || ty.int_width() > 64
        || b.value_kind() != llvm_sys::LLVMValueKind::LLVMConstantIntValueKind
    {
        return false;
    }
    let n = b.zext_value();
    match kind {
        CheckKind::DivZero => n != 0,
        CheckKind::SignedDiv => n != 0 && b.sext_value() != -1,
        CheckKind::Shift => n < u64::from(ty.int_width()),
        CheckKind::SignedAdd | CheckKind::SignedSub => n == 0,
        CheckKind::SignedMul => n <= 1 && ty.int_width() > 1,
        CheckKind::Overlap | CheckKind::Index | CheckKind::Zero | CheckKind::Misaligned => false,
    }
}

/// Bytes of the largest variables that may become registers.
const MOST_PROMOTED: u64 = 4096;

/// Promotion to registers (`sroa`) takes an access that lies outside its object at a known offset
/// for unreachable and deletes it. Such objects stay in memory, so that the machine sees the error; and all whose
/// address goes somewhere, where it could become such an access later. So do large ones: where the stack has no room for
/// one, the error stands at the variable.
fn keep_overrun_objects(i: &mut Inserter, types: &Types, f: Value) {
    // SAFETY: a type of this context.
    let pointer = unsafe { Type(LLVMPointerTypeInContext(i.context, 0)) };
    let mut keep = Vec::new();
    for block in f.blocks() {
        for alloca in block.instructions().filter(|v| v.opcode() == LLVMAlloca) {
            let count = alloca.operand(0);
            if count.value_kind() != llvm_sys::LLVMValueKind::LLVMConstantIntValueKind {
                continue;
            }
            let size = types
                .size(alloca.allocated_type())
                .saturating_mul(count.zext_value());
            if size > MOST_PROMOTED || overruns(types, alloca, size) || !guard::is_private(alloca) {
                keep.push(alloca);
            }
        }
    }
    for alloca in keep {
        let marker = i.marker(KEEP, &[pointer]);
        let mut at = alloca;
        while at.opcode() == LLVMAlloca {
            // SAFETY: an `alloca` is no terminator, so an instruction follows it.
            at = unsafe { Value(LLVMGetNextInstruction(at.0)) };
        }
        i.before(at);
        i.call(marker, &[alloca]);
        // A scope in which nothing is left would lose the marks of its ends, which stand side by side.
        let ends = alloca.uses().into_iter().filter(|u| {
            let callee = (u.opcode() == LLVMCall).then(|| u.callee()).flatten();
            callee.is_some_and(|f| f.name().starts_with("llvm.lifetime.end"))
        });
        for end in ends {
            i.before(end);
            i.call(marker, &[alloca]);
        }
    }
}

fn overruns(types: &Types, alloca: Value, size: u64) -> bool {
    let mut seen = FxHashSet::default();
    let mut work = vec![(alloca, 0i64)];
    while let Some((pointer, offset)) = work.pop() {
        if !seen.insert((pointer, offset)) || seen.len() > 10_000 {
            continue;
        }
        let outside =
            |bytes: u64| bytes > 0 && (offset < 0 || (offset as u64).saturating_add(bytes) > size);
        for user in pointer.uses() {
            if !user.is_instruction() {
                continue;
            }
            match user.opcode() {
                LLVMLoad if outside(types.store_size(user.ty())) => return true,
                LLVMStore
                    if user.operand(1) == pointer
                        && outside(types.store_size(user.operand(0).ty())) =>
                {
                    return true;
                }
                LLVMGetElementPtr if user.operand(0) == pointer => {
                    if let Some(step) = guard::constant_gep(types, user) {
                        work.push((user, offset.wrapping_add(step)));
                    }
                }
                LLVMBitCast | LLVMPHI | LLVMSelect => work.push((user, offset)),
                LLVMCall if user.callee().is_some_and(|f| f.intrinsic_id() != 0) => {
                    let name = user.called_value().name();
                    let copies = ["llvm.memcpy", "llvm.memmove", "llvm.memset"]
                        .iter()
                        .any(|p| name.starts_with(p));
                    if copies {
                        let len = user.arg(2);
                        if len.value_kind() == llvm_sys::LLVMValueKind::LLVMConstantIntValueKind
                            && outside(len.zext_value())
                        {
                            return true;
                        }
                    }
                }
                _ => {}
            }
        }
    }
    false
}
