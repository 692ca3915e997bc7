//! The libc: an archive of ELF objects that carry their bitcode, read member by member as symbols
//! are needed, as a linker does.

use crate::archive::Archive;
use crate::ffi::{Module, Value, c};
use crate::input::{Context, split};
use crate::link::{define, link_into, link_tree, undefined};
use crate::lower::unwind;
use crate::resolution::Symbols;
use llvm_sys::core::*;
use rustc_hash::FxHashSet;
use std::path::Path;

/// Pulls in what the program and `__libc_start_main` need, until nothing more is found.
///
/// A member without bitcode stays out: its symbols are the engine's (memory functions, the system
/// call, `setjmp`, ...).
///
/// # Errors
/// An archive that cannot be read, and a function of libc in whose place a binary has one without bitcode.
pub fn close(
    context: &mut Context,
    program: Module,
    archive: &Path,
    libcxx: Option<&Path>,
    binaries: &[&Symbols],
) -> Result<(), String> {
    let shown = archive.display();
    // The C++ library's definitions come first, as the linker has it.
    let mut archives = Vec::new();
    for path in libcxx.into_iter().chain([archive]) {
        archives.push(Archive::open(path)?);
    }
    let mut wanted: Vec<String> = undefined(program);
    wanted.push("__libc_start_main".into());
    for f in program.functions() {
        wanted.extend(crate::lower::libm_for_intrinsic(&f.name()));
    }
    let mut defined: FxHashSet<String> = program
        .symbols()
        .filter(|v| !v.is_declaration())
        .map(Value::name)
        .collect();
    let mut seen = FxHashSet::default();
    let mut loaded: FxHashSet<(usize, u64)> = FxHashSet::default();
    let mut modules = Vec::new();
    while let Some(name) = wanted.pop() {
        if defined.contains(&name) || !seen.insert(name.clone()) {
            continue;
        }
        // Their member has what stands for the unwinder, which the program has already if it was linked.
        let is_unwinder = name == unwind::PERSONALITY || unwind::in_place_of(&name).is_some();
        if is_unwinder && unwind::functions().all(|f| defined.contains(f)) {
            continue;
        }
        let found = archives
            .iter()
            .enumerate()
            .find_map(|(i, archive)| Some((i, archive, archive.defines(&name)?)));
        let Some((number, archive, offset)) = found else {
            continue;
        };
        if !loaded.insert((number, offset)) {
            continue;
        }
        let member = archive.member(offset)?;
        let Some(bitcode) = member.bitcode else {
            continue;
        };
        // What a binary has of libc is among its bitcode.
        if binaries.iter().any(|b| b.is_linked() && b.has(&name)) {
            return Err(format!(
                "the binary replaces libc's {name} by its own, and has no bitcode of it"
            ));
        }
        for part in split(bitcode).map_err(|e| format!("{}: {e}", member.name))? {
            let module = context
                .parse(part, &member.name)
                .map_err(|e| format!("{}: {e}", member.name))?;
            defined.extend(
                module
                    .symbols()
                    .filter(|v| !v.is_declaration())
                    .map(Value::name),
            );
            wanted.extend(undefined(module));
            for f in module.functions() {
                wanted.extend(crate::lower::libm_for_intrinsic(&f.name()));
            }
            modules.push(module);
        }
    }
    if !defined.contains("__libc_start_main") {
        return Err(format!(
            "{shown}: no bitcode of __libc_start_main in this archive"
        ));
    }
    if modules.is_empty() {
        return Ok(());
    }
    let libc = link_tree(context, modules)?;
    // The program's definitions come first: they replace weak ones of the libc.
    link_into(context, program, libc)?;
    Ok(())
}

/// What a linker would supply.
pub fn boundary_symbols(module: Module) {
    // SAFETY: constants of the module's own context.
    unsafe {
        let context = module.context();
        let pointer = LLVMPointerTypeInContext(context, 0);
        for (list, start, end) in [
            (
                "llvm.global_ctors",
                "__init_array_start",
                "__init_array_end",
            ),
            (
                "llvm.global_dtors",
                "__fini_array_start",
                "__fini_array_end",
            ),
            ("", "__preinit_array_start", "__preinit_array_end"),
        ] {
            let mut functions = crate::structors::list(module, list);
            let count = functions.len();
            if module.global(start).is_none_or(|g| !g.is_declaration()) {
                continue;
            }
            let mut raw: Vec<_> = functions.drain(..).map(|f| f.0).collect();
            let array = Value(LLVMConstArray2(pointer, raw.as_mut_ptr(), count as u64));
            define(module, start, array);
            let base = module.global(start).expect("just defined");
            if let Some(old) = module.global(end).filter(|g| g.is_declaration()) {
                let mut index = [LLVMConstInt(
                    LLVMInt64TypeInContext(context),
                    count as u64,
                    0,
                )];
                let past = LLVMConstGEP2(pointer, base.0, index.as_mut_ptr(), 1);
                old.replace_all_uses(Value(past));
                LLVMDeleteGlobal(old.0);
            }
        }
        let zeros = |n: u64| {
            Value(LLVMConstNull(LLVMArrayType2(
                LLVMInt8TypeInContext(context),
                n,
            )))
        };
        for (name, size) in [("__ehdr_start", 64), ("_DYNAMIC", 16), ("__dso_handle", 8)] {
            define(module, name, zeros(size));
        }
        for name in ["_init", "_fini"] {
            if let Some(f) = module.function(name).filter(|f| f.is_declaration()) {
                let block = LLVMAppendBasicBlockInContext(context, f.0, c("").as_ptr());
                let builder = LLVMCreateBuilderInContext(context);
                LLVMPositionBuilderAtEnd(builder, block);
                LLVMBuildRetVoid(builder);
                LLVMDisposeBuilder(builder);
            }
        }
    }
}
