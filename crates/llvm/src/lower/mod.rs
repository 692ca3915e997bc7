//! A linked and optimized LLVM module to an [`ir::Module`].
//!
//! First every function and global gets its address, so that constants are plain numbers; then
//! each function is lowered on its own: `function` and the files of its instruction families fill a
//! [`body::Body`] over virtual registers, `regalloc` maps those to frame registers, `emit` lays out
//! the blocks and appends the code.

mod asm;
pub mod body;
mod calls;
mod constants;
pub mod constrained;
mod emit;
mod families;
mod float;
mod function;
mod int;
mod intrinsics;
pub mod libm;
mod memory;
mod raise;
mod regalloc;
mod scope;
pub mod unwind;

pub use asm::asks_processor;
pub use constants::element_count;
pub use intrinsics::{libm_for_intrinsic, table};

use crate::LowerOptions;
use crate::ffi::{self, Block, Metadata, Type, Value};
use crate::instrument::Instrumentation;
use crate::types::Types;
use ir::{
    ArgClass, ExternId, FixedRegisters, FuncId, Global, Location, StrId, Target, Val, layout,
};
use llvm_sys::LLVMLinkage;
use llvm_sys::LLVMValueKind::*;
use llvm_sys::core::*;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::cell::RefCell;

/// The module being lowered, and the result so far.
pub struct Lowering {
    /// The module.
    pub module: ffi::Module,
    /// Its types.
    pub types: Types,
    /// The result so far.
    pub out: ir::Module,
    /// How to lower.
    pub options: LowerOptions,
    /// Functions of the program under test.
    pub own: FxHashSet<Value>,
    /// Sites, branches and checks that were marked before the passes.
    pub instrumentation: Instrumentation,
    addresses: FxHashMap<Value, u64>,
    function_ids: FxHashMap<Value, FuncId>,
    extern_ids: FxHashMap<String, ExternId>,
    constants: FxHashMap<u64, u32>,
    wide_constants: FxHashMap<SmallVec<[u64; 4]>, u32>,
    strings: FxHashMap<String, StrId>,
    type_names: FxHashMap<Type, StrId>,
    /// Which functions keep their arguments' addresses, see `scope`.
    captures: scope::Captures,
    files: FxHashMap<String, u32>,
    file_of: FxHashMap<Metadata, u32>,
    scope_files: FxHashMap<Metadata, u32>,
    /// Numbers of blocks whose address is taken, as values of the program.
    labels: RefCell<FxHashMap<Block, u64>>,
    /// The selectors of the types that landing pads catch, by the addresses of their descriptions.
    selectors: FxHashMap<u64, u32>,
    byval_kind: u32,
    align_kind: u32,
    /// Operations raise exception flags.
    reads_flags: bool,
}

/// Lowers the whole module.
pub fn lower(
    module: ffi::Module,
    instrumentation: Instrumentation,
    options: &LowerOptions,
) -> Result<ir::Module, String> {
    let mut p = Lowering {
        module,
        types: Types::new(module),
        out: ir::Module::default(),
        options: options.clone(),
        own: FxHashSet::default(),
        instrumentation,
        addresses: FxHashMap::default(),
        function_ids: FxHashMap::default(),
        extern_ids: FxHashMap::default(),
        constants: FxHashMap::default(),
        wide_constants: FxHashMap::default(),
        strings: FxHashMap::default(),
        type_names: FxHashMap::default(),
        captures: scope::Captures::default(),
        files: FxHashMap::default(),
        file_of: FxHashMap::default(),
        scope_files: FxHashMap::default(),
        labels: RefCell::default(),
        selectors: FxHashMap::default(),
        // SAFETY: the name of an attribute with its length.
        byval_kind: unsafe { LLVMGetEnumAttributeKindForName(c"byval".as_ptr(), 5) },
        // SAFETY: as above.
        align_kind: unsafe { LLVMGetEnumAttributeKindForName(c"align".as_ptr(), 5) },
        reads_flags: constrained::reads_flags(module),
    };
    p.declare_functions()?;
    p.declare_externs();
    p.place_globals()?;
    p.fill_globals()?;
    p.sites_and_branches();
    for function in module.functions().filter(|f| !f.is_declaration()) {
        let id = p.function_ids[&function];
        let mut body = function::lower_function(&mut p, function);
        emit::prune(&mut body, &p.out.switches);
        emit::check_widths(&body, &p.out, id)?;
        let registers = regalloc::allocate(&mut body, &mut p.out);
        emit::append(&mut p.out, id, body, registers);
    }
    p.entry()?;
    Ok(p.out)
}

impl Lowering {
    fn declare_functions(&mut self) -> Result<(), String> {
        for f in self.module.functions().filter(|f| !f.is_declaration()) {
            let id = self.out.functions.len() as FuncId;
            let own = crate::instrument::is_own(f);
            if own {
                self.own.insert(f);
            }
            let ty = f.value_type();
            let mut params = Vec::new();
            for t in ty.params() {
                params.extend(self.types.shape(t).slot_widths());
            }
            let results = self.types.shape(ty.return_type()).slot_widths();
            let location = self.function_location(f);
            let ty_name = self.type_name(ty);
            self.out.functions.push(ir::Function {
                name: f.name(),
                ty: ty_name,
                entry: 0,
                end: 0,
                params,
                results,
                registers: 0,
                frame: (layout::FRAME + crate::promoted::bytes(f)).min(layout::STACK_MOST),
                variadic: ty.is_variadic().then(|| self.fixed_registers(f)),
                own,
                location,
            });
            self.function_ids.insert(f, id);
            self.addresses.insert(f, layout::function_address(id));
        }
        Ok(())
    }

    /// What the fixed parameters of a variadic function take of the argument registers.
    fn fixed_registers(&self, f: Value) -> FixedRegisters {
        let (mut general, mut vector) = (0, 0);
        for (i, t) in f.value_type().params().into_iter().enumerate() {
            if self.byval(f, i as u32).is_some() {
                continue;
            }
            let shape = self.types.shape(t);
            match calls::argument_class(t, &shape) {
                ArgClass::Vector => vector += 1,
                ArgClass::General if general + shape.slots() <= 6 => general += shape.slots(),
                ArgClass::General | ArgClass::Stack => {}
            }
        }
        FixedRegisters {
            general: general as u8,
            vector: vector.min(8),
        }
    }

    /// Numbers the functions that the environment supplies.
    fn declare_externs(&mut self) {
        let declared = |f: &Value| {
            f.is_declaration()
                && f.has_uses()
                && f.intrinsic_id() == 0
                && f.linkage() != LLVMLinkage::LLVMExternalWeakLinkage
        };
        for f in self.module.functions().filter(declared) {
            let name = f.name();
            if !name.starts_with(crate::instrument::MARKER_PREFIX) {
                self.extern_id(&name);
            }
        }
    }

    fn place_globals(&mut self) -> Result<(), String> {
        let mut next = layout::GLOBALS;
        let globals: Vec<Value> = self.module.globals().collect();
        for g in globals {
            let name = g.name();
            if g.is_declaration() {
                match g.linkage() {
                    LLVMLinkage::LLVMExternalWeakLinkage => {
                        self.addresses.insert(g, 0);
                    }
                    _ if !g.has_uses() => {}
                    _ => return Err(format!("undefined symbol: {name}")),
                }
                continue;
            }
            if name.starts_with("llvm.") {
                continue; // llvm.used, llvm.global_ctors and the like are not memory
            }
            let ty = g.value_type();
            let size = self.types.size(ty);
            let align = u64::from(g.alignment())
                .max(self.types.global_align(g))
                .max(1);
            let address = next.next_multiple_of(align.max(16));
            next = address + size + layout::gap(size, self.out.globals.len());
            if next >= layout::HEAP {
                return Err(format!(
                    "the global variables do not fit into the address space (at {name})"
                ));
            }
            self.addresses.insert(g, address);
            self.out.globals.push(Global {
                name,
                address,
                size,
                init: Vec::new(),
                constant: g.is_global_constant(),
                own: crate::instrument::is_own_global(g, self.module),
            });
        }
        Ok(())
    }

    fn fill_globals(&mut self) -> Result<(), String> {
        let mut index = 0;
        let globals: Vec<Value> = self.module.globals().collect();
        for g in globals {
            if g.is_declaration() || g.name().starts_with("llvm.") {
                continue;
            }
            let initializer = g
                .initializer()
                .ok_or_else(|| format!("global {} has no initializer", g.name()))?;
            if !initializer.is_null() {
                let mut bytes = vec![0; self.out.globals[index].size as usize];
                self.write_constant(initializer, &mut bytes, 0)
                    .map_err(|why| format!("initializer of {}: {why}", g.name()))?;
                let used = bytes
                    .iter()
                    .rposition(|b| *b != 0)
                    .map_or(0, |last| last + 1);
                bytes.truncate(used);
                self.out.globals[index].init = bytes;
            }
            index += 1;
        }
        Ok(())
    }

    fn sites_and_branches(&mut self) {
        let sites = std::mem::take(&mut self.instrumentation.sites);
        for site in &sites {
            let location = self.location_of(site.location);
            let function = self.function_ids[&site.function];
            let lines = site.lines.clone();
            self.out.sites.push(ir::Site {
                function,
                location,
                outcome: site.outcome,
                lines,
                instructions: site.instructions,
            });
        }
        self.instrumentation.sites = sites;
        self.out.shared_blocks = std::mem::take(&mut self.instrumentation.shared_blocks);
        let branches = std::mem::take(&mut self.instrumentation.branches);
        for b in &branches {
            let location = self.location_of(b.location);
            let function = self.function_ids[&b.function];
            self.out.branches.push(ir::Branch {
                function,
                location,
                outcomes: b.outcomes,
            });
        }
        self.instrumentation.branches = branches;
    }

    fn entry(&mut self) -> Result<(), String> {
        let find = |name: &str| {
            self.module
                .function(name)
                .and_then(|f| self.function_ids.get(&f).copied())
        };
        let main = find(&self.options.entry);
        let start = if self.options.libc.is_some() {
            find("__libc_start_main")
        } else {
            None
        };
        if main.is_none() {
            return Err(format!(
                "the program has no function {}",
                self.options.entry
            ));
        }
        self.out.entry = ir::Entry { main, start };
        let soft = ir::SoftOp::all().into_iter();
        self.out.soft_floats = soft
            .filter_map(|op| Some((op, find(&op.symbol())?)))
            .collect();
        Ok(())
    }

    // --- symbols ---

    /// The address of a function or variable.
    ///
    /// # Errors
    /// In words, for what has none (indirect functions, undeclared names).
    pub fn address_of(&self, v: Value) -> Result<u64, String> {
        if let Some(address) = self.addresses.get(&v) {
            return Ok(*address);
        }
        match v.value_kind() {
            LLVMGlobalAliasValueKind => Ok(self.const_scalar(v.aliasee())?[0]),
            LLVMFunctionValueKind if v.linkage() == LLVMLinkage::LLVMExternalWeakLinkage => Ok(0),
            LLVMFunctionValueKind => match self.extern_ids.get(&v.name()) {
                Some(id) => Ok(layout::extern_address(self.out.functions.len(), *id)),
                None => Err(format!("address of undeclared function {}", v.name())),
            },
            LLVMGlobalIFuncValueKind => Err(format!("indirect function {}", v.name())),
            _ => Err(format!("address of {}", v.name())),
        }
    }

    /// Numbers the external functions whose address is taken or that are called.
    pub fn extern_id(&mut self, name: &str) -> ExternId {
        if let Some(id) = self.extern_ids.get(name) {
            return *id;
        }
        let id = self.out.externs.len() as ExternId;
        self.out.externs.push(name.to_string());
        self.extern_ids.insert(name.to_string(), id);
        id
    }

    /// The target of a direct call; null for a weak function without a definition.
    pub fn call_target(&mut self, f: Value) -> Result<Target, String> {
        if let Some(id) = self.function_ids.get(&f) {
            return Ok(Target::Function(*id));
        }
        if f.linkage() == LLVMLinkage::LLVMExternalWeakLinkage {
            let null = self.pool(&[0]);
            return Ok(Target::Pointer(null));
        }
        if let Some(own) = unwind::in_place_of(&f.name()) {
            return Ok(self.target_by_name(own));
        }
        Ok(Target::Extern(self.extern_id(&f.name())))
    }

    /// The function at a constant address.
    pub fn callable_at(&self, address: u64) -> Option<Target> {
        let index = layout::callable_index(address)? as usize;
        let defined = self.out.functions.len();
        if index < defined {
            Some(Target::Function(index as FuncId))
        } else {
            (index - defined < self.out.externs.len())
                .then(|| Target::Extern((index - defined) as ExternId))
        }
    }

    /// The function of this name, or the external one.
    pub fn target_by_name(&mut self, name: &str) -> Target {
        match self
            .module
            .function(name)
            .and_then(|f| self.function_ids.get(&f).copied())
        {
            Some(id) => Target::Function(id),
            None => Target::Extern(self.extern_id(name)),
        }
    }

    /// The value of `&&label`: small numbers that no object has.
    pub fn block_address(&self, block: Block) -> u64 {
        let mut labels = self.labels.borrow_mut();
        let next = labels.len() as u64 + 1;
        *labels.entry(block).or_insert(next)
    }

    /// Type and alignment of what is passed in memory, if a parameter is marked so: `attribute` gives its attributes by
    /// their kind.
    fn passed_copy(
        &self,
        attribute: impl Fn(u32) -> llvm_sys::prelude::LLVMAttributeRef,
    ) -> Option<(Type, u64)> {
        let (byval, align) = (attribute(self.byval_kind), attribute(self.align_kind));
        if byval.is_null() {
            return None;
        }
        // SAFETY: an attribute of kind `byval`, which has a type.
        let ty = Type(unsafe { LLVMGetTypeAttributeValue(byval) });
        let said = if align.is_null() {
            1
        } else {
            // SAFETY: an attribute of kind `align`, which has a number.
            unsafe { LLVMGetEnumAttributeValue(align) }
        };
        // The stack is made of words.
        Some((ty, said.max(self.types.align(ty)).max(8)))
    }

    /// Type and alignment of a `byval` parameter of a function.
    pub fn byval(&self, f: Value, param: u32) -> Option<(Type, u64)> {
        // SAFETY: `f` is a function with this parameter; attribute places count from 1 there.
        self.passed_copy(|kind| unsafe { LLVMGetEnumAttributeAtIndex(f.0, param + 1, kind) })
    }

    /// Type and alignment of a `byval` argument of a call.
    pub fn call_byval(&self, call: Value, arg: u32) -> Option<(Type, u64)> {
        // SAFETY: `call` is a call with this argument; attribute places count from 1 there.
        self.passed_copy(|kind| unsafe { LLVMGetCallSiteEnumAttribute(call.0, arg + 1, kind) })
    }

    // --- pools ---

    /// The pooled constant with these limbs.
    pub fn pool(&mut self, limbs: &[u64]) -> Val {
        let consts = &mut self.out.consts;
        let add = || {
            let index = consts.len() as u32;
            consts.extend_from_slice(limbs);
            index
        };
        let index = match limbs {
            [one] => *self.constants.entry(*one).or_insert_with(add),
            _ => *self
                .wide_constants
                .entry(SmallVec::from_slice(limbs))
                .or_insert_with(add),
        };
        Val::constant(index)
    }

    /// Stores a list of operands; gives the index of the first.
    pub fn operands(&mut self, list: Vec<Val>) -> u32 {
        let start = self.out.operands.len() as u32;
        self.out.operands.extend(list);
        start
    }

    /// The name of a function's type.
    pub fn type_name(&mut self, ty: Type) -> StrId {
        if let Some(id) = self.type_names.get(&ty) {
            return *id;
        }
        let id = self.string(&ty.print());
        self.type_names.insert(ty, id);
        id
    }

    /// The number of a string.
    pub fn string(&mut self, text: &str) -> StrId {
        if let Some(id) = self.strings.get(text) {
            return *id;
        }
        let id = self.out.strings.len() as StrId;
        self.out.strings.push(text.to_string());
        self.strings.insert(text.to_string(), id);
        id
    }

    // --- source positions ---

    fn file(&mut self, file: Metadata) -> u32 {
        if let Some(id) = self.file_of.get(&file) {
            return *id;
        }
        let path = file.file_path();
        let next = self.out.files.len() as u32;
        let id = *self.files.entry(path.clone()).or_insert(next);
        if id == next {
            self.out.files.push(path);
        }
        self.file_of.insert(file, id);
        id
    }

    fn scope_file(&mut self, scope: Metadata) -> u32 {
        if let Some(id) = self.scope_files.get(&scope) {
            return *id;
        }
        let id = scope.scope_file().map_or(0, |f| self.file(f));
        self.scope_files.insert(scope, id);
        id
    }

    /// A position of the source; line 0 when there is none.
    pub fn location_of(&mut self, loc: Option<Metadata>) -> Location {
        match loc {
            Some(loc) => Location {
                file: self.scope_file(loc.scope()),
                line: loc.line(),
                column: loc.column(),
            },
            None => Location::default(),
        }
    }

    /// The position of an instruction; one without a line keeps that of its predecessor.
    pub fn location(&mut self, inst: Value, before: Location) -> Location {
        match inst.debug_loc() {
            Some(loc) if loc.line() != 0 => self.location_of(Some(loc)),
            _ => before,
        }
    }

    /// Where a function is declared in the source; line 0 when unknown.
    pub fn function_location(&mut self, f: Value) -> Location {
        match f.subprogram() {
            Some(s) => Location {
                file: self.scope_file(s),
                line: s.subprogram_line(),
                column: 0,
            },
            None => Location::default(),
        }
    }
}
