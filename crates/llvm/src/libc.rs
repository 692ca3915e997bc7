//! The libc: an archive of ELF objects that carry their bitcode, read member by member as symbols
//! are needed, as a linker does.

use crate::archive::Archive;
use crate::ffi::{Module, Value, c};
use crate::input::{Context, split};
use crate::link::{define, link_into, link_tree, undefined};
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
    binaries: &[&Symbols],
) -> Result<(), String> {
    let shown = archive.display();
    let archive = Archive::open(archive)?;
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
    let mut loaded: FxHashSet<u64> = FxHashSet::default();
    let mut modules = Vec::new();
    while let Some(name) = wanted.pop() {
        if defined.contains(&name) || !seen.insert(name.clone()) {
            continue;
        }
        let Some(offset) = archive.defines(&name) else {
            continue;
        };
        if !loaded.insert(offset) {
            continue;
        }
        let member = archive.member(offset)?;
        let Some(bitcode) = member.bitcode else {
            continue;
        };
        // What a binary has of libc is among its bitcode.
        if binaries.iter().any(|b| b.is_linked() && b.has(&name)) {
            return Err(format!(
                "the binary has a {name} of its own in the place of libc's, and no bitcode of it"
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
            let mut functions = structors(module, list);
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

/// Pointers to functions that a module puts into `.init_array` or `.fini_array` itself become entries of the lists of
/// constructors and destructors. They come before those of the same priority, as clang's code has them.
///
/// # Errors
/// A variable of such a section that is neither a pointer nor an array of pointers, and code in `.init` or `.fini`.
pub fn gather_structors(module: Module) -> Result<(), String> {
    const LAST: u64 = 65535;
    let is_code = |f: &Value| [".init", ".fini"].contains(&&*f.section());
    if let Some(f) = module.functions().find(is_code) {
        let (name, section) = (f.name(), f.section());
        return Err(format!(
            "{name} lies in section {section}, whose code runs as one piece"
        ));
    }
    for (section, list) in [
        (".init_array", "llvm.global_ctors"),
        (".fini_array", "llvm.global_dtors"),
    ] {
        let mut found: Vec<(u64, Value)> = Vec::new();
        for variable in module.globals().filter(|g| !g.is_declaration()) {
            let name = variable.section();
            let Some(rest) = name.strip_prefix(section) else {
                continue;
            };
            let priority = match rest.strip_prefix('.') {
                Some(number) => number.parse().ok(),
                None => rest.is_empty().then_some(LAST),
            };
            let content = variable.initializer();
            let (Some(priority), Some(content)) = (priority, content) else {
                continue;
            };
            let ty = content.ty();
            if ty.is_pointer() {
                found.push((priority, content));
            } else if ty.is_array() && ty.element().is_pointer() {
                let all = (0..ty.array_len() as u32).map(|i| content.aggregate_element(i));
                found.extend(all.map(|f| (priority, f)));
            } else {
                let name = variable.name();
                return Err(format!(
                    "{name} lies in section {section} and is no pointer"
                ));
            }
        }
        if found.is_empty() {
            continue;
        }
        // SAFETY: constants and types of the module's context; the old list is deleted after its entries were taken over, and
        // nothing uses it.
        unsafe {
            let context = module.context();
            let pointer = LLVMPointerTypeInContext(context, 0);
            let number = LLVMInt32TypeInContext(context);
            let entry = |(priority, f): &(u64, Value)| {
                let mut fields = [
                    LLVMConstInt(number, *priority, 0),
                    f.0,
                    LLVMConstNull(pointer),
                ];
                LLVMConstStructInContext(context, fields.as_mut_ptr(), 3, 0)
            };
            let mut entries: Vec<_> = found.iter().map(entry).collect();
            if let Some(old) = module.global(list) {
                if let Some(array) = old.initializer() {
                    let count = crate::lower::element_count(array.ty());
                    entries.extend((0..count).map(|i| array.aggregate_element(i).0));
                }
                LLVMDeleteGlobal(old.0);
            }
            let ty = LLVMTypeOf(entries[0]);
            let array = LLVMConstArray2(ty, entries.as_mut_ptr(), entries.len() as u64);
            let new = LLVMAddGlobal(module.0, LLVMTypeOf(array), c(list).as_ptr());
            LLVMSetInitializer(new, array);
            LLVMSetLinkage(new, llvm_sys::LLVMLinkage::LLVMAppendingLinkage);
        }
    }
    Ok(())
}

/// Constructors or destructors in the order of their priorities.
pub fn structors(module: Module, list: &str) -> Vec<Value> {
    let Some(array) = module.global(list).and_then(Value::initializer) else {
        return Vec::new();
    };
    let count = crate::lower::element_count(array.ty());
    let mut entries: Vec<(u64, Value)> = (0..count)
        .map(|i| array.aggregate_element(i))
        .map(|entry| {
            (
                entry.aggregate_element(0).zext_value(),
                entry.aggregate_element(1),
            )
        })
        .filter(|(_, f)| !f.is_null())
        .collect();
    entries.sort_by_key(|(priority, _)| *priority);
    entries.into_iter().map(|(_, f)| f).collect()
}
