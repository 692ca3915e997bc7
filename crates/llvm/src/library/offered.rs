//! The functions that a library offers: those of C that other files can call, with what tells how much there is to find in each.

use super::describe::nodes;
use super::node::{DERIVED_BASE, MdNode, SUBPROGRAM_TYPE, SUBROUTINE_TYPES, field};
use super::{Unit, add, read, source, walkable};
use crate::ffi::{Metadata, Module, Value};
use crate::input::Context;
use harness::offered::{OfferedFunction, OfferedFunctions};
use harness::types::VA_LIST;
use llvm_sys::LLVMLinkage::*;
use llvm_sys::LLVMOpcode::*;
use llvm_sys::debuginfo::LLVMMetadataKind::*;
use llvm_sys::prelude::LLVMContextRef;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Bits of a character.
const BYTE: u64 = 8;

/// What the library in these files offers.
///
/// # Errors
/// A file cannot be read.
pub fn offered(inputs: &[PathBuf]) -> Result<OfferedFunctions, String> {
    let mut context = Context::new()?;
    let (mut units, archives) = read(&mut context, inputs)?;
    for archive in &archives {
        for member in archive.members()? {
            add(&mut context, member, &mut units)?;
        }
    }
    units.retain(|unit: &Unit| !crate::debug::is_runtime(unit.module));
    let modules = walkable(&units);
    let graph = Graph::of(&modules);
    let mut names = FxHashSet::default();
    let mut functions = Vec::new();
    for f in modules.iter().flat_map(|m| m.functions()) {
        let name = f.name();
        if !is_offered(f, &name) || !names.insert(name.clone()) {
            continue;
        }
        let takes = takes(f, context.raw);
        functions.push(OfferedFunction {
            file: source(f).unwrap_or_default(),
            branches: graph.ways.get(&name).copied().unwrap_or_default(),
            reach: graph.reach(&name),
            takes_data: takes_data(&takes),
            is_variadic: f.value_type().is_variadic() || takes.contains(&Taken::Arguments),
            name,
        });
    }
    let (sources, files) = files(&modules, context.raw);
    Ok(OfferedFunctions {
        functions,
        sources,
        files,
    })
}

/// The sources of these modules, and the files in which types stand that they use.
pub(super) fn files(modules: &[Module], context: LLVMContextRef) -> (Vec<String>, Vec<String>) {
    let mut sources = BTreeSet::new();
    let mut files = BTreeSet::new();
    for node in nodes(modules, context) {
        let is_unit = matches!(node.kind(), LLVMDICompileUnitMetadataKind);
        let list = if is_unit { &mut sources } else { &mut files };
        let has_file = matches!(
            node.kind(),
            LLVMDICompileUnitMetadataKind
                | LLVMDICompositeTypeMetadataKind
                | LLVMDIDerivedTypeMetadataKind
                | LLVMDISubprogramMetadataKind
        );
        if has_file && let Some(file) = Metadata(node.raw).scope_file() {
            list.insert(file.file_path());
        }
    }
    (sources.into_iter().collect(), files.into_iter().collect())
}

/// Can other files call it, by a name of C?
fn is_offered(f: Value, name: &str) -> bool {
    let linkage = matches!(
        f.linkage(),
        LLVMExternalLinkage | LLVMWeakAnyLinkage | LLVMWeakODRLinkage
    );
    let is_of_c = !name.starts_with("_Z") && !name.contains('.') && name != "main";
    !f.is_declaration() && linkage && !f.is_hidden() && is_of_c
}

/// Which functions name which, by symbol. (Static functions of the same name in two files count as one: it is an estimate.)
struct Graph {
    ways: FxHashMap<String, u64>,
    names: FxHashMap<String, FxHashSet<String>>,
}

impl Graph {
    fn of(modules: &[Module]) -> Graph {
        let mut graph = Graph {
            ways: FxHashMap::default(),
            names: FxHashMap::default(),
        };
        let defined = |module: &Module| module.functions().filter(|f| !f.is_declaration());
        for f in modules.iter().flat_map(defined) {
            let mut ways = 0;
            let mut names = FxHashSet::default();
            for inst in f.blocks().flat_map(|block| block.instructions()) {
                ways += match inst.opcode() {
                    LLVMBr if inst.is_conditional() => 2,
                    LLVMSwitch => u64::from(inst.successor_count()),
                    _ => 0,
                };
                let globals = inst.operands().filter(|v| v.is_global());
                names.extend(globals.map(Value::name));
            }
            let name = f.name();
            graph.ways.insert(name.clone(), ways);
            graph.names.insert(name, names);
        }
        graph
    }

    /// The ways out of the branches of a function and of all that it leads to.
    fn reach(&self, from: &str) -> u64 {
        let mut seen = FxHashSet::from_iter([from]);
        let mut work = vec![from];
        let mut reach = 0;
        while let Some(name) = work.pop() {
            reach += self.ways.get(name).copied().unwrap_or_default();
            let next = self.names.get(name).into_iter().flatten();
            work.extend(next.map(String::as_str).filter(|next| seen.insert(next)));
        }
        reach
    }
}

/// Does it take text, bytes, a stream, or numbers with their count?
fn takes_data(params: &[Taken]) -> bool {
    let has = |what: Taken| params.contains(&what);
    has(Taken::Data) || (has(Taken::Numbers) && has(Taken::Integer))
}

/// What its parameters are.
fn takes(f: Value, context: LLVMContextRef) -> Vec<Taken> {
    let function = f.subprogram().map(|s| MdNode::new(s, context));
    let types = function
        .and_then(|f| f.reference(SUBPROGRAM_TYPE))
        .and_then(|ty| ty.reference(SUBROUTINE_TYPES))
        .map_or(Vec::new(), MdNode::elements);
    // The first one is the result.
    types.into_iter().skip(1).map(taken).collect()
}

/// What a parameter is, as far as that tells what can be found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Taken {
    /// Text, bytes of any kind, a stream.
    Data,
    /// A pointer to numbers.
    Numbers,
    /// A `va_list`.
    Arguments,
    Integer,
    Other,
}

fn taken(node: Option<MdNode>) -> Taken {
    let Some(node) = node.and_then(bare) else {
        return Taken::Other;
    };
    let tag = |text: &str| field(text, "tag").map(str::to_string);
    let text = node.text();
    if matches!(node.kind(), LLVMDIBasicTypeMetadataKind) {
        return Taken::Integer;
    }
    if tag(&text).as_deref() != Some("DW_TAG_pointer_type") {
        return Taken::Other;
    }
    // (`void` has no node.)
    let Some(pointee) = node.reference(DERIVED_BASE).and_then(bare) else {
        return Taken::Data;
    };
    if matches!(pointee.kind(), LLVMDIBasicTypeMetadataKind) {
        return if pointee.size() == BYTE {
            Taken::Data
        } else {
            Taken::Numbers
        };
    }
    match &pointee.type_name()[..] {
        "_IO_FILE" | "FILE" => Taken::Data,
        VA_LIST => Taken::Arguments,
        _ => Taken::Other,
    }
}

/// A type without its names and qualifiers; `None` for `void`.
fn bare(mut node: MdNode) -> Option<MdNode> {
    loop {
        let text = node.text();
        match field(&text, "tag") {
            Some(
                "DW_TAG_typedef"
                | "DW_TAG_const_type"
                | "DW_TAG_volatile_type"
                | "DW_TAG_restrict_type"
                | "DW_TAG_atomic_type",
            ) => node = node.reference(DERIVED_BASE)?,
            _ => return Some(node),
        }
    }
}
