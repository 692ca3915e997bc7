//! Joining modules: the program as a balanced tree of links, libc members as their symbols are needed.

use crate::ffi::{Module, Value, c, run_passes};
use crate::input::Context;
use crate::instrument;
use crate::resolution::Symbols;
use crate::{LowerOptions, StepTimes};
use llvm_sys::LLVMLinkage::*;
use llvm_sys::core::*;
use llvm_sys::linker::LLVMLinkModules2;
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use vocab::FUZZ_TARGET;

/// The whole program in one module, marked, closed over the libc, and reduced to what is reached
/// from the entry.
pub fn link_program(
    context: &mut Context,
    options: &LowerOptions,
    watch: &mut StepTimes,
) -> Result<Module, String> {
    let (mut own, mut runtime) = (Vec::new(), Vec::new());
    let mut defined_in: FxHashMap<String, PathBuf> = FxHashMap::default();
    let mut binaries = Vec::new();
    for path in &options.inputs {
        let bytes = std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let symbols = Symbols::read(&bytes);
        for module in context.read(path)? {
            crate::marks::forget(module);
            for symbol in module.symbols() {
                if symbol.is_declaration() || symbol.linkage() != LLVMExternalLinkage {
                    continue;
                }
                let name = symbol.name();
                match defined_in.get(&name) {
                    // The linker took the first definition (-z muldefs), and so does ours.
                    Some(other) if other == path && symbols.takes_first(&name) => {
                        // SAFETY: a definition of a live module.
                        unsafe { LLVMSetLinkage(symbol.0, LLVMWeakAnyLinkage) };
                    }
                    Some(other) => return Err(duplicate(&name, path, other)),
                    None => {
                        defined_in.insert(name, path.clone());
                    }
                }
            }
            crate::debug::reduce(module)?;
            crate::structors::gather(module).map_err(|why| format!("{}: {why}", path.display()))?;
            call_hooks(module)?;
            instrument::mark_optimized(module);
            let list = if crate::debug::is_runtime(module) || crate::debug::is_driver(module) {
                &mut runtime
            } else {
                &mut own
            };
            list.push(module);
        }
        binaries.push((path, symbols));
    }
    watch.lap("read");
    if own.is_empty() {
        return Err("nothing but the run-time library in the input".into());
    }
    let program = link_tree(context, own)?;
    crate::module_asm::apply(program)?;
    if program
        .function("_start")
        .is_some_and(|f| !f.is_declaration())
    {
        return Err(
            "the program begins with a _start of its own, and not with that of libc".into(),
        );
    }
    for (path, symbols) in &binaries {
        symbols
            .wrap(program)
            .and_then(|()| symbols.apply(program, &runtime))
            .map_err(|why| format!("{}: {why}", path.display()))?;
    }
    watch.lap("link program");
    instrument::mark_own(program);
    crate::byte_wise::replace(context, program)?;
    run_passes(program, "function(break-crit-edges)")?;
    watch.lap("split edges");
    if !runtime.is_empty() {
        let runtime = link_tree(context, runtime)?;
        link_into(context, program, runtime)?;
    }
    watch.lap("link run time");
    if !is_defined(program, &options.entry) {
        let first = options
            .inputs
            .first()
            .map_or(String::new(), |p| format!("{}: ", p.display()));
        let is_target = options.entry == "main" && is_defined(program, FUZZ_TARGET);
        let advice = if is_target {
            format!(
                "; it is a fuzz target: `polypath cc -fsanitize=fuzzer` links it with one, or --entry {FUZZ_TARGET}"
            )
        } else {
            String::new()
        };
        return Err(format!(
            "{first}the program has no function {}{advice}",
            options.entry
        ));
    }
    let tables: Vec<&Symbols> = binaries.iter().map(|(_, symbols)| symbols).collect();
    if let Some(libc) = &options.libc {
        crate::libc::close(context, program, libc, options.libcxx.as_deref(), &tables)?;
    }
    for (_, symbols) in &binaries {
        symbols.wrap_in_libc(program);
    }
    crate::libc::boundary_symbols(program);
    crate::sections::join(program, &tables)?;
    crate::own_functions::call(program);
    watch.lap("libc");
    let mut keep = vec![options.entry.clone(), "__libc_start_main".into()];
    let declared = program.functions().filter(|f| f.is_declaration());
    keep.extend(declared.filter_map(|f| crate::lower::libm_for_intrinsic(&f.name())));
    let unwinder = crate::lower::unwind::functions()
        .filter(|name| program.function(name).is_some_and(|f| !f.is_declaration()));
    keep.extend(unwinder.map(String::from));
    reduce(program, &keep)?;
    watch.lap("internalise");
    Ok(program)
}

/// Is it a function of the program that has a body?
fn is_defined(program: Module, name: &str) -> bool {
    program.function(name).is_some_and(|f| !f.is_declaration())
}

/// Reduces a module to what these symbols need. No pass may turn calls of library functions into calls of others, or fold them.
pub fn reduce(module: Module, keep: &[String]) -> Result<(), String> {
    for f in module.functions().filter(|f| !f.is_declaration()) {
        f.set_string_attribute(module, "no-builtins", "");
    }
    let keep: Vec<String> = keep
        .iter()
        .map(|name| format!("preserve-gv={name}"))
        .collect();
    run_passes(
        module,
        &format!("internalize<{}>,globaldce", keep.join(";")),
    )
}

/// Puts the calls into functions that `-finstrument-functions` asks for, which clang leaves to passes.
fn call_hooks(module: Module) -> Result<(), String> {
    const MARKS: [&str; 4] = [
        "instrument-function-entry",
        "instrument-function-entry-inlined",
        "instrument-function-exit",
        "instrument-function-exit-inlined",
    ];
    let is_marked = |f: Value| MARKS.iter().any(|mark| f.string_attribute(mark).is_some());
    if module.functions().any(is_marked) {
        run_passes(module, "function(ee-instrument,ee-instrument<post-inline>)")?;
    }
    Ok(())
}

fn duplicate(name: &str, path: &Path, other: &Path) -> String {
    if path == other {
        return format!("{}: duplicate symbol {name}", path.display());
    }
    format!(
        "{}: duplicate symbol {name}, also defined in {}",
        path.display(),
        other.display()
    )
}

/// Links pairs, then pairs of pairs: linking into one growing module is quadratic.
pub fn link_tree(context: &mut Context, mut modules: Vec<Module>) -> Result<Module, String> {
    if modules.is_empty() {
        return Err("no input".into());
    }
    while modules.len() > 1 {
        let mut next = Vec::with_capacity(modules.len().div_ceil(2));
        let mut pairs = modules.chunks_exact(2);
        for pair in &mut pairs {
            link_into(context, pair[0], pair[1])?;
            next.push(pair[0]);
        }
        next.extend_from_slice(pairs.remainder());
        modules = next;
    }
    Ok(modules[0])
}

/// Moves `source` into `target`.
pub fn link_into(context: &mut Context, target: Module, source: Module) -> Result<(), String> {
    // SAFETY: both modules belong to one context; LLVM consumes `source`, whose handles nobody uses afterward.
    if unsafe { LLVMLinkModules2(target.0, source.0) } != 0 {
        let message = context.take_error();
        return Err(format!("linking: {}", message.trim()));
    }
    Ok(())
}

/// Names that a module needs from elsewhere.
pub fn undefined(module: Module) -> Vec<String> {
    module
        .functions()
        .chain(module.globals())
        .filter(|v| v.is_declaration() && v.has_uses() && v.linkage() != LLVMExternalWeakLinkage)
        .map(Value::name)
        .filter(|name| !name.starts_with("llvm."))
        .collect()
}

/// Gives a declared variable a definition.
pub fn define(module: Module, name: &str, initializer: Value) {
    let Some(old) = module.global(name).filter(|g| g.is_declaration()) else {
        return;
    };
    // SAFETY: the initializer is a constant of this context; the old global is deleted after its last use was replaced, and
    // `old` is not used again.
    unsafe {
        let new = Value(LLVMAddGlobal(module.0, initializer.ty().0, c("").as_ptr()));
        LLVMSetInitializer(new.0, initializer.0);
        LLVMSetLinkage(new.0, LLVMInternalLinkage);
        LLVMSetAlignment(new.0, 16);
        old.replace_all_uses(new);
        LLVMDeleteGlobal(old.0);
        new.set_name(name);
    }
}

/// Writes the module as textual IR.
pub fn write_text(module: Module, path: &std::path::Path) -> Result<(), String> {
    let mut message = std::ptr::null_mut();
    // SAFETY: the path is a zero-terminated string that lives through the call; the message is taken over below.
    let failed = unsafe {
        LLVMPrintModuleToFile(module.0, c(&path.to_string_lossy()).as_ptr(), &mut message)
    };
    if failed != 0 {
        return Err(format!(
            "{}: {}",
            path.display(),
            crate::ffi::take_message(message)
        ));
    }
    Ok(())
}
