//! A library prepared for the test of one function: found, described, cut out.
//!
//! The program's own modules (and the members of archives that they need) are linked; a static
//! function, or `main`, gets an alias that the driver can call, the library's own `main` becomes local; and
//! everything that the function does not reach is dropped. The result is bitcode like any other: the
//! driver is compiled and linked with it as C code is.

mod callers;
mod describe;
mod granted;
mod makers;
mod name;
mod node;
mod offered;
mod state;
mod tags;

use crate::archive::{self, Archive};
use crate::ffi::{Module, Value, c, run_passes};
use crate::input::{Context, split};
use crate::link::{link_tree, undefined};
use describe::Describer;
use harness::Description;
use harness::types::STATIC;
use llvm_sys::LLVMLinkage::*;
use llvm_sys::core::*;
use llvm_sys::prelude::LLVMContextRef;
use name::Wanted;
use node::MdNode;
pub use offered::offered;
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::{Path, PathBuf};

/// Options of the preparation.
#[derive(Clone, Debug, Default)]
pub struct LibraryOptions {
    /// Bitcode, binaries, objects, archives.
    pub inputs: Vec<PathBuf>,
    /// `FUNCTION`, or `FILE:FUNCTION` where static functions share a name.
    pub entry: String,
    /// The function that decides whether the entry may be called, named as `entry` is.
    pub precondition: Option<String>,
    /// Pointers followed from a parameter.
    pub depth: u32,
    /// The file for the bitcode.
    pub output: PathBuf,
}

/// A module and where it comes from.
struct Unit {
    module: Module,
    from: PathBuf,
}

/// Prepares the library and describes the function.
pub fn prepare(options: &LibraryOptions) -> Result<Description, String> {
    let mut context = Context::new()?;
    let (mut units, archives) = read(&mut context, &options.inputs)?;
    let mut wanted = vec![symbol_of(&mut context, &units, &archives, &options.entry)?];
    if let Some(precondition) = &options.precondition {
        wanted.push(symbol_of(&mut context, &units, &archives, precondition)?);
    }
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
    let Constructors {
        mut makers,
        mutators,
        mut private,
    } = constructors(&mut context, options, &archives, &mut units, &found)?;
    let modules = walkable(&units);
    let mut describer = Describer::new(context.raw, &modules, options.depth.saturating_add(1));
    let mut functions = Vec::new();
    let mut described = Vec::new();
    let mut keep = Vec::new();
    let entry = found.first().map(|(_, f)| *f);
    for (module, f) in found {
        let symbol = reachable(module, f);
        keep.push(symbol.clone());
        functions.push(describer.function(f, symbol));
    }
    private.extend(describer.private());
    private.sort();
    private.dedup();
    for maker in &mut makers {
        let symbol = maker.function.name();
        keep.push(symbol.clone());
        let function = describer.function(maker.function, symbol);
        described.push(harness::types::Maker {
            of: std::mem::take(&mut maker.of),
            function,
            how: maker.how,
        });
    }
    let mut changers = Vec::new();
    for mutator in mutators {
        let symbol = mutator.function.name();
        keep.push(symbol.clone());
        changers.push(harness::types::Mutator {
            of: mutator.of,
            function: describer.function(mutator.function, symbol),
        });
    }
    for module in &modules {
        if let Some(main) = module.function("main").filter(|f| !f.is_declaration()) {
            // SAFETY: a defined function of the module.
            unsafe { LLVMSetLinkage(main.0, LLVMInternalLinkage) };
        }
    }
    let (sources, files) = offered::files(&modules, context.raw);
    let mut functions = functions.into_iter();
    let mut description = Description {
        entry: functions.next().unwrap_or_default(),
        precondition: functions.next(),
        notes: std::mem::take(&mut describer.notes),
        types: std::mem::take(&mut describer.types),
        makers: described,
        mutators: changers,
        private,
        state: Vec::new(),
        sources,
        files,
        ..Description::default()
    };
    description.tagged = tags::tagged(&modules, &description);
    if let Some(f) = entry {
        // A hidden parameter (a structure returned) shifts the others: then nothing is known.
        let granted = granted::granted(&modules, f);
        if granted.len() == description.entry.params.len() {
            let params = description.entry.params.iter_mut();
            for (param, is_granted) in params.zip(granted) {
                param.granted = is_granted;
            }
        }
        let shown = callers::shown(&modules, f, &description.entry, &description.types);
        description.said.called = shown.lengths;
        description.said.texts = shown.texts;
    }
    let library = link_tree(&mut context, modules)?;
    let mut state = state::writable(library);
    let keep: Vec<String> = keep.iter().map(|k| format!("preserve-gv={k}")).collect();
    run_passes(
        library,
        &format!("internalize<{}>,globaldce", keep.join(";")),
    )?;
    // What the function does not reach is gone.
    state.retain(|name| library.global(name).is_some());
    description.state = state.into_iter().collect();
    write(library, &options.output)?;
    Ok(description)
}

/// The modules, with debug intrinsics instead of records: the C API can walk only those.
fn walkable(units: &[Unit]) -> Vec<Module> {
    let modules: Vec<Module> = units.iter().map(|u| u.module).collect();
    for module in &modules {
        // SAFETY: a live module.
        unsafe { LLVMSetIsNewDbgInfoFormat(module.0, 0) };
    }
    modules
}

/// The library's constructors for objects that the function needs and only the library can make.
fn constructors(
    context: &mut Context,
    options: &LibraryOptions,
    archives: &[Archive],
    units: &mut Vec<Unit>,
    found: &[(Module, Value)],
) -> Result<Constructors, String> {
    let modules = walkable(units);
    let mut describer = Describer::new(context.raw, &modules, options.depth.saturating_add(1));
    let Some((_, entry)) = found.first() else {
        return Ok(Constructors::default());
    };
    let name = entry.name();
    let function = describer.function(*entry, name.clone());
    let parameters: Vec<usize> = function.params.iter().map(|p| p.ty).collect();
    let names: FxHashSet<&String> = describer.names().filter(|n| !n.is_empty()).collect();
    if names.is_empty() {
        return Ok(Constructors::default());
    }
    // Constructors stand anywhere in the library, but not where nobody speaks of the type.
    let mut members = Vec::new();
    for archive in archives {
        for member in archive.members()? {
            let is_loaded = units
                .iter()
                .any(|u| u.from.as_os_str() == member.name.as_str());
            let mentions = |bytes: &[u8]| names.iter().any(|n| contains(bytes, n.as_bytes()));
            if !is_loaded && member.bitcode.is_some_and(mentions) {
                add(context, member, &mut members)?;
            }
        }
    }
    walkable(&members);
    let loaded = units.len();
    units.append(&mut members);
    let everywhere: Vec<Module> = units.iter().map(|u| u.module).collect();
    let declared = describe::declared(&everywhere, context.raw);
    let wishes = makers::wishes(&describer, &parameters, &declared);
    let makers = makers::find(units, &wishes, &name, context.raw);
    let wanted = |u: &Unit| makers.iter().any(|m| m.module == u.module);
    let mut i = 0;
    units.retain(|u| {
        i += 1;
        i <= loaded || wanted(u)
    });
    close(context, archives, units)?;
    let mutators = makers::mutators(units, &makers, &name, context.raw);
    let private = wishes.into_iter().filter(|w| w.private).map(|w| w.name);
    Ok(Constructors {
        makers,
        mutators,
        private: private.collect(),
    })
}

/// How the library makes what the function needs.
#[derive(Default)]
struct Constructors {
    makers: Vec<makers::Maker>,
    mutators: Vec<makers::Mutator>,
    /// Structures that users of the library cannot see into.
    private: Vec<String>,
}

fn contains(bytes: &[u8], text: &[u8]) -> bool {
    bytes.windows(text.len().max(1)).any(|w| w == text)
}

/// All modules of the program itself, and the archives.
fn read(context: &mut Context, inputs: &[PathBuf]) -> Result<(Vec<Unit>, Vec<Archive>), String> {
    let (mut units, mut archives) = (Vec::new(), Vec::new());
    for path in inputs {
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

/// The function as `SYMBOL` or `FILE:SYMBOL`, if it was written as C++ does it; else as it stands.
fn symbol_of(
    context: &mut Context,
    units: &[Unit],
    archives: &[Archive],
    text: &str,
) -> Result<String, String> {
    let wanted = Wanted::parse(text);
    let mut names: Vec<String> = units
        .iter()
        .flat_map(|u| defined(u.module).collect::<Vec<_>>())
        .collect();
    for archive in archives {
        names.extend(archive.symbols().map(str::to_string));
    }
    let mut symbol = name::resolve(wanted.name, names.iter().map(String::as_str))?;
    if symbol.is_none() {
        // A static function of an archive's member: no index lists it.
        let mut members = Vec::new();
        for archive in archives {
            mentioning(context, archive, wanted.identifier(), &mut members)?;
        }
        let names: Vec<String> = members.iter().flat_map(|u| defined(u.module)).collect();
        symbol = name::resolve(wanted.name, names.iter().map(String::as_str))?;
    }
    Ok(match (wanted.file, symbol) {
        (Some(file), Some(symbol)) => format!("{file}:{symbol}"),
        (None, Some(symbol)) => symbol,
        (_, None) => text.to_string(),
    })
}

/// The functions with a body.
fn defined(module: Module) -> impl Iterator<Item = String> {
    module
        .functions()
        .filter(|f| !f.is_declaration())
        .map(Value::name)
}

/// Adds the members of an archive in which the text occurs.
fn mentioning(
    context: &mut Context,
    archive: &Archive,
    text: &str,
    units: &mut Vec<Unit>,
) -> Result<(), String> {
    for member in archive.members()? {
        let mentions = |bytes: &[u8]| contains(bytes, text.as_bytes());
        if member.bitcode.is_some_and(mentions) {
            add(context, member, units)?;
        }
    }
    Ok(())
}

/// The one definition of a function; an error if there are several.
fn find(units: &[Unit], wanted: &str) -> Result<Option<(Module, Value)>, String> {
    let Wanted { file, name } = Wanted::parse(wanted);
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
                format!("{}:{}", name.to_string_lossy(), Wanted::parse(wanted).name)
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
    let Wanted { file, name } = Wanted::parse(wanted);
    for archive in archives {
        if let Some(offset) = archive.defines(name).filter(|_| file.is_none()) {
            return add(context, archive.member(offset)?, units);
        }
    }
    let mut members = Vec::new();
    for archive in archives {
        mentioning(context, archive, name, &mut members)?;
    }
    let defines = |u: &Unit| u.module.function(name).is_some_and(|f| !f.is_declaration());
    units.extend(members.into_iter().filter(defines));
    Ok(())
}

fn add(
    context: &mut Context,
    member: archive::LibraryMember<'_>,
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
    let name = Wanted::parse(wanted).name;
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
    let names: FxHashMap<String, String> = names
        .keys()
        .map(|n| (name::comparable(n, name), name::shown(n)))
        .collect();
    let written = name.split('(').next().unwrap_or(name);
    let nearest: Vec<&str> = harness::nearest::nearest(written, names.keys().map(String::as_str))
        .into_iter()
        .map(|key| names[key].as_str())
        .collect();
    if nearest.is_empty() {
        format!(
            "there is no function {wanted} (nor one with a similar name; the compiler drops static functions that nothing uses)"
        )
    } else {
        format!(
            "there is no function {wanted}; similar names: {}",
            nearest.join(", ")
        )
    }
}

/// The compile units of a module.
fn compile_units(module: Module, context: LLVMContextRef) -> Vec<MdNode> {
    const NAME: &std::ffi::CStr = c"llvm.dbg.cu";
    // SAFETY: LLVM fills as many operands as it counts.
    unsafe {
        let count = LLVMGetNamedMetadataNumOperands(module.0, NAME.as_ptr()) as usize;
        let mut list = vec![std::ptr::null_mut(); count];
        LLVMGetNamedMetadataOperands(module.0, NAME.as_ptr(), list.as_mut_ptr());
        list.into_iter()
            .filter_map(|v| MdNode::of_value(Value(v), context))
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
