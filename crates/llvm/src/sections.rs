//! Sections that the program names: `__attribute__((section("NAME")))`, with `__start_NAME` and `__stop_NAME`.
//!
//! Programs walk over all objects of such a section (commands, tests, drivers) as over one array. So where a program uses
//! one of the two symbols, the section's objects are parts of one object here, in the order and at the distances that the
//! linker gave them; where there is no table of symbols, in the order of the link. Bounds between the parts are gone, as they are for
//! AddressSanitizer, which leaves objects of such sections alone.

use crate::ffi::{Module, Value, c};
use crate::resolution::Symbols;
use crate::types::Types;
use llvm_sys::LLVMLinkage::LLVMInternalLinkage;
use llvm_sys::core::*;
use std::collections::BTreeSet;

const START: &str = "__start_";
const STOP: &str = "__stop_";

/// One object of a section.
struct SectionMember {
    global: Value,
    name: String,
    size: u64,
    align: u64,
}

/// The positions of the parts in the section.
struct Layout {
    /// The parts that are there, by their offsets.
    parts: Vec<(u64, SectionMember)>,
    size: u64,
}

/// Joins the objects of each section whose ends the program asks for. `binaries` are the tables of symbols of the program's
/// files.
///
/// # Errors
/// The name of a section that holds code or variables of threads, or that the linker laid out in a way that its objects do
/// not tell.
pub fn join(module: Module, binaries: &[&Symbols]) -> Result<(), String> {
    let asked: BTreeSet<String> = module
        .globals()
        .filter(|g| g.is_declaration() && g.has_uses())
        .filter_map(|g| {
            let name = g.name();
            let section = name.strip_prefix(START).or(name.strip_prefix(STOP))?;
            Some(section.to_owned())
        })
        .collect();
    for section in asked {
        let holds = |v: &Value| !v.is_declaration() && v.section() == section;
        if module.functions().any(|f| holds(&f)) {
            return Err(format!(
                "section {section}, for whose ends the program asks, holds code"
            ));
        }
        let types = Types::new(module);
        let parts: Vec<SectionMember> = module
            .globals()
            .filter(holds)
            .map(|global| SectionMember {
                global,
                name: global.name(),
                size: types.size(global.value_type()),
                align: match u64::from(global.alignment()) {
                    0 => types.global_align(global),
                    align => align,
                },
            })
            .collect();
        if parts.iter().any(|p| p.global.is_thread_local()) {
            return Err(format!(
                "section {section}, for whose ends the program asks, holds variables of threads"
            ));
        }
        // Without objects it is no section; a weak symbol is null then.
        if parts.is_empty() {
            continue;
        }
        let layout = match binaries.iter().find(|b| b.has(&start_of(&section))) {
            Some(symbols) => linked(symbols, &section, parts)?,
            None => in_order(parts),
        };
        replace(module, &section, layout);
    }
    Ok(())
}

fn start_of(section: &str) -> String {
    format!("{START}{section}")
}

/// The parts one after the other.
fn in_order(parts: Vec<SectionMember>) -> Layout {
    let mut at: u64 = 0;
    let parts = parts
        .into_iter()
        .map(|part| {
            let offset = at.next_multiple_of(part.align.max(1));
            at = offset + part.size;
            (offset, part)
        })
        .collect();
    Layout { parts, size: at }
}

/// The parts where the linker put them.
fn linked(symbols: &Symbols, section: &str, parts: Vec<SectionMember>) -> Result<Layout, String> {
    let refused =
        || format!("the linker laid section {section} out in a way that its objects do not tell");
    let start = symbols.address(&start_of(section)).ok_or_else(refused)?;
    let stop = symbols.address(&format!("{STOP}{section}"));
    let known = |part: &SectionMember| {
        let at = symbols.address(&part.name)?;
        at.checked_sub(start)
    };
    if parts.iter().all(|p| known(p).is_some()) {
        let mut parts: Vec<(u64, SectionMember)> = parts
            .into_iter()
            .filter_map(|p| Some((known(&p)?, p)))
            .collect();
        parts.sort_by_key(|(offset, _)| *offset);
        // Nothing but padding lies between: assembly and objects without bitcode may have put more there.
        let most = parts.iter().map(|(_, p)| p.align).max().unwrap_or(1);
        let mut end = 0;
        let mut is_all = true;
        for (offset, part) in &parts {
            is_all &= (end..end + most).contains(offset);
            end = offset + part.size;
        }
        let size = stop.map_or(end, |stop| stop.wrapping_sub(start));
        is_all &= (end..end + most).contains(&size);
        return if is_all {
            Ok(Layout { parts, size })
        } else {
            Err(refused())
        };
    }
    // Local names that several objects have, or a table without local names: the objects come one after the other.
    let layout = in_order(parts);
    let is_so = layout
        .parts
        .iter()
        .all(|(offset, part)| known(part).is_none_or(|at| at == *offset));
    let is_whole = stop.is_none_or(|stop| stop.wrapping_sub(start) == layout.size);
    if is_so && is_whole {
        Ok(layout)
    } else {
        Err(refused())
    }
}

/// Puts one object in the place of the parts.
fn replace(module: Module, section: &str, layout: Layout) {
    // What keeps unused objects alive lists them by name, and they are parts of another object from here on.
    for list in ["llvm.used", "llvm.compiler.used"] {
        if let Some(list) = module.global(list) {
            // SAFETY: nothing uses these lists.
            unsafe { LLVMDeleteGlobal(list.0) };
        }
    }
    let Layout { parts, size } = layout;
    // SAFETY: constants and types of the module's context; each part is deleted after its last use was replaced, and not
    // used again.
    unsafe {
        let context = module.context();
        let byte = LLVMInt8TypeInContext(context);
        let padding = |n: u64| LLVMConstNull(LLVMArrayType2(byte, n));
        let mut fields = Vec::new();
        let mut types = Vec::new();
        let mut push = |value| {
            types.push(LLVMTypeOf(value));
            fields.push(value);
        };
        let mut at = 0;
        for (offset, part) in &parts {
            if *offset > at {
                push(padding(offset - at));
            }
            push(LLVMGetInitializer(part.global.0));
            at = offset + part.size;
        }
        if size > at {
            push(padding(size - at));
        }
        let count = types.len() as u32;
        let ty = LLVMStructTypeInContext(context, types.as_mut_ptr(), count, 1);
        let whole = Value(LLVMAddGlobal(module.0, ty, c("").as_ptr()));
        LLVMSetLinkage(whole.0, LLVMInternalLinkage);
        let align = parts.iter().map(|(_, p)| p.align).max().unwrap_or(1);
        LLVMSetAlignment(whole.0, align as u32);
        let is_constant = parts
            .iter()
            .all(|(_, p)| LLVMIsGlobalConstant(p.global.0) != 0);
        LLVMSetGlobalConstant(whole.0, is_constant.into());
        let place = |offset: u64| {
            let mut index = [LLVMConstInt(LLVMInt64TypeInContext(context), offset, 0)];
            Value(LLVMConstGEP2(byte, whole.0, index.as_mut_ptr(), 1))
        };
        // The initializer has parts in it that point to others.
        LLVMSetInitializer(
            whole.0,
            LLVMConstStructInContext(context, fields.as_mut_ptr(), count, 1),
        );
        for (offset, part) in &parts {
            part.global.replace_all_uses(place(*offset));
            LLVMDeleteGlobal(part.global.0);
        }
        for (name, offset) in [(format!("{STOP}{section}"), size), (start_of(section), 0)] {
            if let Some(old) = module.global(&name).filter(|g| g.is_declaration()) {
                old.replace_all_uses(place(offset));
                LLVMDeleteGlobal(old.0);
            }
        }
        whole.set_name(&start_of(section));
    }
}
