//! Functions that run before `main` and behind it: constructors, destructors, and what lies in `.init_array` and `.fini_array`.

use crate::ffi::{Module, Value, c};
use llvm_sys::core::*;

/// Pointers to functions that a module puts into `.init_array` or `.fini_array` itself become entries of the lists of
/// constructors and destructors. They come before those of the same priority, as clang's code has them.
///
/// # Errors
/// A variable of such a section that is neither a pointer nor an array of pointers, and code in `.init` or `.fini`.
pub fn gather(module: Module) -> Result<(), String> {
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
pub fn list(module: Module, list: &str) -> Vec<Value> {
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
