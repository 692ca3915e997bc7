//! A library prepared for the test of one function: found, described, cut out.
//!
//! The program's own modules (and the members of archives that they need) are linked; a static
//! function, or `main`, gets an alias that the driver can call, the library's own `main` becomes local; and
//! everything that the function does not reach is dropped. The result is bitcode like any other: the
//! driver is compiled and linked with it as C code is.

mod describe;
mod node;

use crate::archive::{self, Archive};
use crate::ffi::{Module, Value, c, run_passes};
use crate::input::{Context, split};
use crate::link::{link_tree, undefined};
use describe::Describer;
use harness::Description;
use llvm_sys::LLVMLinkage::*;
use llvm_sys::core::*;
use llvm_sys::prelude::LLVMContextRef;
use node::Node;
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::{Path, PathBuf};

/// What to prepare.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Bitcode, binaries, objects, archives.
    pub inputs: Vec<PathBuf>,
    /// `FUNCTION`, or `FILE:FUNCTION` where static functions share a name.
    pub entry: String,
    pub precondition: Option<String>,
    /// Pointers followed from a parameter.
    pub depth: u32,
    /// Where the bitcode goes.
    pub output: PathBuf,
}

/// A module and where it comes from.
struct Unit {
    module: Module,
    from: PathBuf,
}

/// What the symbols of static functions begin with.
const STATIC: &str = "polypath.static.";

/// Prepares the library and describes the function.
pub fn prepare(options: &Options) -> Result<Description, String> {
    let mut context = Context::new();
    let (mut units, archives) = read(&mut context, options)?;
    let mut wanted = vec![&options.entry];
    wanted.extend(&options.precondition);
    for name in &wanted {
        if find(&units, name)?.is_none() {
            from_archives(&mut context, &archives, name, &mut units)?;
        }
    }
    let mut found = Vec::new();
    for name in &wanted {
        match find(&units, name)? {
            Some(f) => found.push(f),
            None => return Err(unknown(&mut context, &units, &archives, name)),
        }
    }
    close(&mut context, &archives, &mut units)?;
    let modules: Vec<Module> = units.iter().map(|u| u.module).collect();
    for module in &modules {
        // Debug intrinsics instead of records: the C API can walk only those.
        // SAFETY: a live module.
        unsafe { LLVMSetIsNewDbgInfoFormat(module.0, 0) };
    }
    let mut describer = Describer::new(context.raw, &modules, options.depth.saturating_add(1));
    let mut functions = Vec::new();
    let mut keep = Vec::new();
    for (module, f) in found {
        let symbol = reachable(module, f);
        keep.push(symbol.clone());
        functions.push(describer.function(f, symbol));
    }
    for module in &modules {
        if let Some(main) = module.function("main").filter(|f| !f.is_declaration()) {
            // SAFETY: a defined function of the module.
            unsafe { LLVMSetLinkage(main.0, LLVMInternalLinkage) };
        }
    }
    let mut functions = functions.into_iter();
    let description = Description {
        entry: functions.next().unwrap_or_default(),
        precondition: functions.next(),
        notes: std::mem::take(&mut describer.notes),
        types: std::mem::take(&mut describer.types),
    };
    let library = link_tree(&mut context, modules)?;
    let keep: Vec<String> = keep.iter().map(|k| format!("preserve-gv={k}")).collect();
    run_passes(
        library,
        &format!("internalize<{}>,globaldce", keep.join(";")),
    )?;
    write(library, &options.output)?;
    Ok(description)
}

/// All modules of the program itself, and the archives.
fn read(context: &mut Context, options: &Options) -> Result<(Vec<Unit>, Vec<Archive>), String> {
    let (mut units, mut archives) = (Vec::new(), Vec::new());
    for path in &options.inputs {
        let mut head = [0; archive::MAGIC.len()];
        let is_archive = std::fs::File::open(path)
            .and_then(|mut f| std::io::Read::read_exact(&mut f, &mut head))
            .is_ok()
            && head == archive::MAGIC;
        if is_archive {
            archives.push(Archive::of_a_user(path)?);
            continue;
        }
        for module in context.read(path)? {
            if !crate::debug::is_runtime(module) {
                units.push(Unit {
                    module,
                    from: path.clone(),
                });
            }
        }
    }
    Ok((units, archives))
}

/// `FILE:FUNCTION` in two.
fn parts(name: &str) -> (Option<&str>, &str) {
    match name.rsplit_once(':') {
        Some((file, name)) => (Some(file), name),
        None => (None, name),
    }
}

/// The one definition of a function; an error if there are several.
fn find(units: &[Unit], wanted: &str) -> Result<Option<(Module, Value)>, String> {
    let (file, name) = parts(wanted);
    let mut found: Vec<(String, Module, Value)> = Vec::new();
    for unit in units {
        let Some(f) = unit.module.function(name).filter(|f| !f.is_declaration()) else {
            continue;
        };
        let source = source(f).unwrap_or_else(|| unit.from.display().to_string());
        let fits = file.is_none_or(|file| Path::new(&source).ends_with(file));
        if fits && f.linkage() != LLVMAvailableExternallyLinkage {
            found.push((source, unit.module, f));
        }
    }
    // Inline functions are defined in several modules alike.
    let one = found
        .iter()
        .any(|(_, _, f)| f.linkage() == LLVMExternalLinkage)
        || found
            .iter()
            .all(|(s, ..)| found.first().is_some_and(|(first, ..)| first == s));
    found.sort_by_key(|(_, _, f)| f.linkage() != LLVMExternalLinkage);
    if !one {
        let files: Vec<String> = found
            .iter()
            .map(|(source, ..)| {
                let name = Path::new(source).file_name().unwrap_or_default();
                format!("{}:{}", name.to_string_lossy(), parts(wanted).1)
            })
            .collect();
        return Err(format!(
            "several functions have the name {name}; say which: {}",
            files.join(", ")
        ));
    }
    Ok(found.first().map(|(_, m, f)| (*m, *f)))
}

/// The source file of a function.
fn source(f: Value) -> Option<String> {
    f.subprogram()?.scope_file().map(|file| file.file_path())
}

/// Adds the member that defines the function: by the index, or, for a static one, whichever mentions it.
fn from_archives(
    context: &mut Context,
    archives: &[Archive],
    wanted: &str,
    units: &mut Vec<Unit>,
) -> Result<(), String> {
    let (file, name) = parts(wanted);
    for archive in archives {
        if let Some(offset) = archive.defines(name).filter(|_| file.is_none()) {
            return add(context, archive.member(offset)?, units);
        }
    }
    for archive in archives {
        for member in archive.members()? {
            let mentions = |bytes: &[u8]| {
                bytes
                    .windows(name.len().max(1))
                    .any(|w| w == name.as_bytes())
            };
            if member.bitcode.is_some_and(mentions) {
                let before = units.len();
                add(context, member, units)?;
                let defines =
                    |u: &Unit| u.module.function(name).is_some_and(|f| !f.is_declaration());
                if !units[before..].iter().any(defines) {
                    units.truncate(before);
                }
            }
        }
    }
    Ok(())
}

fn add(
    context: &mut Context,
    member: archive::Member<'_>,
    units: &mut Vec<Unit>,
) -> Result<(), String> {
    // A member without bitcode has nothing to test; what is broken is said.
    let Some(bitcode) = member.bitcode else {
        return Ok(());
    };
    for part in split(bitcode).map_err(|e| format!("{}: {e}", member.name))? {
        let module = context
            .parse(part, &member.name)
            .map_err(|e| format!("{}: {e}", member.name))?;
        units.push(Unit {
            module,
            from: member.name.clone().into(),
        });
    }
    Ok(())
}

/// Pulls in the members that the modules need, as a linker does.
fn close(context: &mut Context, archives: &[Archive], units: &mut Vec<Unit>) -> Result<(), String> {
    // A body for inlining only is not code: C wants the definition that another member has.
    let inline_only = |v: &Value| v.linkage() == LLVMAvailableExternallyLinkage;
    let definitions = |module: Module| {
        module
            .symbols()
            .filter(move |v| {
                !v.is_declaration() && v.linkage() != LLVMInternalLinkage && !inline_only(v)
            })
            .map(Value::name)
    };
    let needs = |module: Module| {
        let mut names = undefined(module);
        names.extend(module.functions().filter(inline_only).map(Value::name));
        names
    };
    let mut defined: FxHashSet<String> = units.iter().flat_map(|u| definitions(u.module)).collect();
    let mut wanted: Vec<String> = units.iter().flat_map(|u| needs(u.module)).collect();
    let mut tried = FxHashSet::default();
    let mut loaded = FxHashSet::default();
    while let Some(name) = wanted.pop() {
        if defined.contains(&name) || !tried.insert(name.clone()) {
            continue;
        }
        for (i, archive) in archives.iter().enumerate() {
            let Some(offset) = archive.defines(&name) else {
                continue;
            };
            if loaded.insert((i, offset)) {
                let before = units.len();
                add(context, archive.member(offset)?, units)?;
                for unit in &units[before..] {
                    defined.extend(definitions(unit.module));
                    wanted.extend(needs(unit.module));
                }
            }
            break;
        }
    }
    Ok(())
}

/// The symbol by which another module can call the function.
fn reachable(module: Module, f: Value) -> String {
    let name = f.name();
    let local = matches!(f.linkage(), LLVMInternalLinkage | LLVMPrivateLinkage);
    if !local && name != "main" {
        return name;
    }
    let symbol = format!("{STATIC}{name}");
    // SAFETY: an alias for a function of the same module.
    unsafe { LLVMAddAlias2(module.0, f.value_type().0, 0, f.0, c(&symbol).as_ptr()) };
    symbol
}

/// "There is no such function", with those that have similar names.
fn unknown(context: &mut Context, units: &[Unit], archives: &[Archive], wanted: &str) -> String {
    let (_, name) = parts(wanted);
    let defined = |module: Module| {
        module
            .functions()
            .filter(|f| !f.is_declaration())
            .map(Value::name)
    };
    let mut names: FxHashMap<String, ()> = FxHashMap::default();
    names.extend(
        units
            .iter()
            .flat_map(|u| defined(u.module))
            .map(|n| (n, ())),
    );
    for archive in archives {
        names.extend(archive.symbols().map(|n| (n.to_string(), ())));
        let mut static_functions = Vec::new();
        for member in archive.members().unwrap_or_default() {
            // A member that cannot be read has no names to offer.
            let _ = add(context, member, &mut static_functions);
        }
        names.extend(
            static_functions
                .iter()
                .flat_map(|u| defined(u.module))
                .map(|n| (n, ())),
        );
    }
    let nearest = harness::nearest::nearest(name, names.keys().map(String::as_str));
    match nearest.is_empty() {
        true => format!(
            "there is no function {wanted} (nor one with a similar name; the compiler drops static functions that nothing uses)"
        ),
        false => format!(
            "there is no function {wanted}; similar names: {}",
            nearest.join(", ")
        ),
    }
}

/// The compile units of a module.
fn compile_units(module: Module, context: LLVMContextRef) -> Vec<Node> {
    const NAME: &std::ffi::CStr = c"llvm.dbg.cu";
    // SAFETY: LLVM fills as many operands as it counts.
    unsafe {
        let count = LLVMGetNamedMetadataNumOperands(module.0, NAME.as_ptr()) as usize;
        let mut list = vec![std::ptr::null_mut(); count];
        LLVMGetNamedMetadataOperands(module.0, NAME.as_ptr(), list.as_mut_ptr());
        list.into_iter()
            .filter_map(|v| Node::of_value(Value(v), context))
            .collect()
    }
}

fn write(module: Module, path: &Path) -> Result<(), String> {
    // SAFETY: a live module and a zero-terminated path.
    let failed = unsafe {
        llvm_sys::bit_writer::LLVMWriteBitcodeToFile(module.0, c(&path.to_string_lossy()).as_ptr())
    };
    match failed {
        0 => Ok(()),
        _ => Err(format!("{}: cannot be written", path.display())),
    }
}
