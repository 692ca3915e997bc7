//! A function's parameters and their types, out of its debug information.
//!
//! The graph of types is walked in breadth, so that each pointer is followed at its least distance from
//! a parameter; what lies further than the driver's depth is left out. Typedefs and qualifiers go. A
//! `void *` takes the type of the local variable to which the function assigns it, which is how C
//! passes state through interfaces.

use super::node::*;
use crate::ffi::{Metadata, Module, Value};
use harness::types::{Field, FloatKind, Function, Param, Spelling, Type, TypeId};
use llvm_sys::LLVMOpcode::*;
use llvm_sys::LLVMTypeKind::*;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// Collects types.
pub struct Describer<'a> {
    context: LLVMContextRef,
    pub types: Vec<Type>,
    ids: FxHashMap<LLVMMetadataRef, TypeId>,
    /// Names that typedefs give to types without one.
    names: FxHashMap<LLVMMetadataRef, String>,
    /// Types to fill in, with their distance in pointers.
    queue: VecDeque<(MdNode, TypeId, u32)>,
    /// Pointers at this distance point to void.
    depth: u32,
    /// Modules in which an incomplete structure may be defined.
    modules: &'a [Module],
    complete: Option<FxHashMap<String, MdNode>>,
    pub notes: Vec<String>,
    /// Types that a header names, by a typedef of them or of a pointer to them: those headers.
    public: FxHashMap<LLVMMetadataRef, FxHashSet<String>>,
    /// Structures: as they were referred to, name, and whether they may be the library's own.
    records: Vec<(LLVMMetadataRef, String, Privacy)>,
}

/// The place where a structure is defined.
#[derive(Clone, PartialEq, Eq)]
enum Privacy {
    /// In this header: the library's own if another header names it (`typedef struct node_s node_t` in `node.h`, the body
    /// in `node-private.h`). Of C++ nothing is said, since headers give classes other names at will.
    Header(Option<String>),
    /// In a source file: the library's own if a header names it.
    Source,
    /// Only declared where it is used.
    Declared,
}

impl<'a> Describer<'a> {
    pub fn new(context: LLVMContextRef, modules: &'a [Module], depth: u32) -> Describer<'a> {
        Describer {
            context,
            types: vec![Type::Void],
            ids: FxHashMap::default(),
            names: FxHashMap::default(),
            queue: VecDeque::new(),
            depth,
            modules,
            complete: None,
            notes: Vec::new(),
            public: FxHashMap::default(),
            records: Vec::new(),
        }
    }

    /// Structures whose content only the library knows.
    pub fn private(&self) -> Vec<String> {
        let own = |raw: &LLVMMetadataRef, privacy: &Privacy| {
            let mut named = self.public.get(raw).into_iter().flatten();
            match privacy {
                Privacy::Header(Some(body)) => named.any(|header| header != body),
                Privacy::Header(None) => false,
                Privacy::Source => named.next().is_some(),
                Privacy::Declared => true,
            }
        };
        let mut names: Vec<String> = self
            .records
            .iter()
            .filter(|(raw, name, privacy)| {
                !name.is_empty() && name != "_IO_FILE" && own(raw, privacy)
            })
            .map(|(_, name, _)| name.clone())
            .collect();
        names.sort();
        names.dedup();
        names
    }

    /// The names of the structures that were described.
    pub fn names(&self) -> impl Iterator<Item = &String> {
        self.records.iter().map(|(_, name, _)| name)
    }

    /// Describes a function under the name by which the linker knows it.
    pub fn function(&mut self, f: Value, symbol: String) -> Function {
        let name = super::name::shown(&f.name());
        let variables = variables(f, self.context);
        let typed = f.subprogram().and_then(|s| {
            let types = MdNode::new(s, self.context)
                .reference(SUBPROGRAM_TYPE)?
                .reference(SUBROUTINE_TYPES)?
                .elements();
            (types.len() > 1 || f.param_count() == 0).then_some((s, types))
        });
        let Some((subprogram, types)) = typed else {
            return self.without_debug_information(f, name, symbol);
        };
        let mut list = types.into_iter();
        let result = match list.next().flatten() {
            Some(node) => self.id(node, 0),
            None => 0,
        };
        let mut list: Vec<Option<MdNode>> = list.collect();
        // A trailing null stands for `...`.
        let variadic = list.last().is_some_and(Option::is_none) || f.value_type().is_variadic();
        list.retain(Option::is_some);
        let mut params = Vec::new();
        for (i, node) in list.into_iter().flatten().enumerate() {
            let variable = variables.iter().find(|v| v.argument == Some(i as u32 + 1));
            let mut node = node;
            if let Some(better) = variable.and_then(|v| inferred(node, v, &variables)) {
                node = better;
            }
            params.push(Param {
                name: variable.map_or(String::new(), |v| v.name.clone()),
                ty: self.id(node, 0),
                nonnull: has_nonnull(f, i as u32),
                granted: false,
            });
        }
        // A hidden parameter (a structure returned) shifts the others: then nothing is known of null.
        if params.len() != f.param_count() as usize {
            params.iter_mut().for_each(|p| p.nonnull = false);
        }
        self.finish();
        let file = subprogram
            .scope_file()
            .map_or(String::new(), Metadata::file_path);
        Function {
            name,
            symbol,
            file,
            line: subprogram.subprogram_line(),
            params,
            result,
            variadic,
        }
    }

    /// From LLVM's own types: numbers are what they are, what a pointer points to is not known.
    fn without_debug_information(&mut self, f: Value, name: String, symbol: String) -> Function {
        self.notes.push(format!(
            "{name} has no debug information on its parameters (compile with -g): integers are taken as signed, \
             pointers as pointers to bytes"
        ));
        let ty = f.value_type();
        let attribute = |i: u32, name: &str| has_attribute(f, i, name);
        let params = ty.params();
        let params = params.iter().enumerate().map(|(i, t)| {
            let i = i as u32;
            let by_value = attribute(i, "byval") || attribute(i, "sret");
            let id = if by_value {
                self.add(Type::Unsupported(
                    "structure by value, without debug information".into(),
                ))
            } else {
                self.plain(*t, attribute(i, "zeroext"))
            };
            Param {
                name: String::new(),
                ty: id,
                nonnull: attribute(i, "nonnull"),
                granted: false,
            }
        });
        let params = params.collect();
        Function {
            params,
            result: self.plain(ty.return_type(), false),
            variadic: ty.is_variadic(),
            name,
            symbol,
            ..Function::default()
        }
    }

    fn plain(&mut self, t: crate::ffi::Type, unsigned: bool) -> TypeId {
        let ty = match t.kind() {
            LLVMVoidTypeKind => return 0,
            LLVMIntegerTypeKind => match t.int_width() {
                1 => Type::Bool,
                bits @ (8 | 16 | 32 | 64 | 128) => Type::Int {
                    bits,
                    signed: !unsigned,
                    character: false,
                },
                bits => Type::Unsupported(format!("integer of {bits} bits")),
            },
            LLVMFloatTypeKind => Type::Float(FloatKind::Single),
            LLVMDoubleTypeKind => Type::Float(FloatKind::Double),
            LLVMX86_FP80TypeKind => Type::Float(FloatKind::Extended),
            LLVMPointerTypeKind => {
                let unknown = self.add(Type::Unsupported("unknown".into()));
                Type::Pointer(unknown)
            }
            _ => Type::Unsupported(t.print()),
        };
        self.add(ty)
    }

    fn add(&mut self, ty: Type) -> TypeId {
        match self.types.iter().position(|t| *t == ty) {
            Some(id) => id,
            None => {
                self.types.push(ty);
                self.types.len() - 1
            }
        }
    }

    /// The index of a type; it is filled in by [`Describer::finish`].
    fn id(&mut self, node: MdNode, distance: u32) -> TypeId {
        let alias = node;
        let Some(node) = bare(node) else {
            return 0;
        };
        let headers = typedefs_in_headers(alias);
        if !headers.is_empty() {
            self.public.entry(node.raw).or_default().extend(headers);
        }
        if alias.raw != node.raw {
            self.names
                .entry(node.raw)
                .or_insert_with(|| alias.type_name());
        }
        if let Some(id) = self.ids.get(&node.raw) {
            return *id;
        }
        let id = self.types.len();
        self.types.push(Type::Void);
        self.ids.insert(node.raw, id);
        self.queue.push_back((node, id, distance));
        id
    }

    fn reference(&mut self, node: MdNode, operand: usize, distance: u32) -> TypeId {
        node.reference(operand).map_or(0, |n| self.id(n, distance))
    }

    fn finish(&mut self) {
        while let Some((node, id, distance)) = self.queue.pop_front() {
            let ty = self.describe(node, distance);
            self.types[id] = ty;
        }
    }

    fn describe(&mut self, node: MdNode, distance: u32) -> Type {
        let text = node.text();
        let Some(tag) = field(&text, "tag") else {
            if text.contains("!DISubroutineType(") {
                return self.subroutine(node, distance);
            }
            return basic(node, &text);
        };
        match tag {
            "DW_TAG_pointer_type" | "DW_TAG_reference_type" => {
                if let Some(headers) = self.public.get(&node.raw).cloned()
                    && let Some(target) = node.reference(DERIVED_BASE).and_then(bare)
                {
                    self.public.entry(target.raw).or_default().extend(headers);
                }
                let far = distance >= self.depth;
                Type::Pointer(if far {
                    0
                } else {
                    self.reference(node, DERIVED_BASE, distance + 1)
                })
            }
            "DW_TAG_array_type" if text.contains("DIFlagVector") => {
                Type::Unsupported("vector".into())
            }
            "DW_TAG_array_type" => self.array(node, distance),
            "DW_TAG_enumeration_type" => enumeration(node),
            "DW_TAG_structure_type" | "DW_TAG_class_type" | "DW_TAG_union_type" => {
                self.record(node, &text, tag, distance)
            }
            _ => Type::Unsupported(tag.trim_start_matches("DW_TAG_").replace('_', " ")),
        }
    }

    fn subroutine(&mut self, node: MdNode, distance: u32) -> Type {
        let list = node
            .reference(SUBROUTINE_TYPES)
            .map_or(Vec::new(), MdNode::elements);
        let mut list = list.into_iter();
        let result = list.next().flatten().map_or(0, |n| self.id(n, distance));
        let rest: Vec<Option<MdNode>> = list.collect();
        let variadic = rest.last().is_some_and(Option::is_none);
        let params = rest
            .into_iter()
            .flatten()
            .map(|n| self.id(n, distance))
            .collect();
        Type::Function {
            params,
            result,
            variadic,
        }
    }

    /// One array of arrays for each dimension.
    fn array(&mut self, node: MdNode, distance: u32) -> Type {
        let of = self.reference(node, COMPOSITE_BASE, distance);
        let mut counts: Vec<Option<u64>> = node
            .reference(COMPOSITE_ELEMENTS)
            .map_or(Vec::new(), MdNode::elements)
            .into_iter()
            .flatten()
            .map(|range| range.constant(0).and_then(|n| u64::try_from(n).ok()))
            .collect();
        let Some(outer) = (!counts.is_empty()).then(|| counts.remove(0)) else {
            return Type::Array { of, count: None };
        };
        let mut element = of;
        for count in counts.into_iter().rev() {
            self.types.push(Type::Array { of: element, count });
            element = self.types.len() - 1;
        }
        Type::Array {
            of: element,
            count: outer,
        }
    }

    fn record(&mut self, node: MdNode, text: &str, tag: &str, distance: u32) -> Type {
        let mut name = node.type_name();
        let has_tag = !name.is_empty();
        if !has_tag {
            name = self.names.get(&node.raw).cloned().unwrap_or_default();
        }
        let mut node = node;
        let privacy = match text.contains("DIFlagFwdDecl") {
            true => Privacy::Declared,
            false if in_source(node) => Privacy::Source,
            false if field(text, "identifier").is_some() => Privacy::Header(None),
            false => Privacy::Header(file(node)),
        };
        let is_declared = privacy == Privacy::Declared;
        self.records.push((node.raw, name.clone(), privacy));
        if is_declared {
            match self.completed(&name) {
                Some(complete) => node = complete,
                None => return Type::Opaque(name),
            }
        }
        let mut fields = Vec::new();
        let elements = node
            .reference(COMPOSITE_ELEMENTS)
            .map_or(Vec::new(), MdNode::elements);
        for member in elements.into_iter().flatten() {
            let text = member.text();
            // Methods, static members and nested types are not part of the layout.
            if field(&text, "tag") == Some("DW_TAG_inheritance") {
                return Type::Unsupported(format!("class {name} with a base class"));
            }
            if field(&text, "tag") != Some("DW_TAG_member") || text.contains("DIFlagStaticMember") {
                continue;
            }
            let bit_field = text.contains("DIFlagBitField");
            fields.push(Field {
                name: member.type_name(),
                ty: self.reference(member, DERIVED_BASE, distance),
                offset: member.offset(),
                bits: bit_field.then(|| member.size() as u32),
            });
        }
        let union = tag == "DW_TAG_union_type";
        // (What has an identifier is of C++.)
        let is_named = !name.is_empty() && field(&node.text(), "identifier").is_none();
        let word = match (has_tag, union) {
            (false, _) => "",
            (true, false) => "struct ",
            (true, true) => "union ",
        };
        let spelling = file(node).filter(|_| is_named).map(|file| Spelling {
            text: format!("{word}{name}"),
            file,
        });
        Type::Record {
            name,
            union,
            size: node.size() / 8,
            fields,
            spelling,
        }
    }

    /// The definition of a structure that is only declared where it is used.
    fn completed(&mut self, name: &str) -> Option<MdNode> {
        if name.is_empty() {
            return None;
        }
        let (modules, context) = (self.modules, self.context);
        let complete = self
            .complete
            .get_or_insert_with(|| definitions(modules, context));
        complete.get(name).copied()
    }
}

/// What a type points to.
pub fn pointee(node: MdNode) -> Option<MdNode> {
    let pointer = bare(node)?;
    let is_pointer = field(&pointer.text(), "tag") == Some("DW_TAG_pointer_type");
    is_pointer
        .then(|| pointer.reference(DERIVED_BASE))
        .flatten()
}

/// The structure that a type points to, by its name or that of a typedef.
pub fn pointee_name(node: MdNode) -> Option<String> {
    let alias = pointee(node)?;
    let target = bare(alias)?;
    let text = target.text();
    if !matches!(
        field(&text, "tag"),
        Some("DW_TAG_structure_type" | "DW_TAG_union_type")
    ) {
        return None;
    }
    let name = target.type_name();
    Some(if name.is_empty() {
        alias.type_name()
    } else {
        name
    })
}

/// The file in which a type stands, without detours (`src/../node.h`).
fn file(node: MdNode) -> Option<String> {
    let path = Metadata(node.raw).scope_file().map(Metadata::file_path)?;
    let mut plain: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." if plain.last().is_some_and(|p| !p.is_empty() && *p != "..") => {
                plain.pop();
            }
            _ => plain.push(part),
        }
    }
    Some(plain.join("/"))
}

/// Whether a type is defined in a source file, and not in a header.
fn in_source(node: MdNode) -> bool {
    file(node).is_some_and(|f| {
        let end = f.rsplit('.').next().unwrap_or_default();
        matches!(end, "c" | "cc" | "cpp" | "cxx" | "C")
    })
}

/// The headers of the typedefs in front of a type.
fn typedefs_in_headers(node: MdNode) -> Vec<String> {
    let (mut node, mut headers) = (node, Vec::new());
    loop {
        match field(&node.text(), "tag") {
            Some("DW_TAG_typedef") => headers.extend(file(node).filter(|_| !in_source(node))),
            Some("DW_TAG_const_type" | "DW_TAG_volatile_type" | "DW_TAG_restrict_type") => {}
            _ => return headers,
        }
        match node.reference(DERIVED_BASE) {
            Some(next) => node = next,
            None => return headers,
        }
    }
}

/// A type without typedefs and qualifiers; `None` for void.
fn bare(node: MdNode) -> Option<MdNode> {
    let mut node = node;
    loop {
        let text = node.text();
        let Some(tag) = field(&text, "tag") else {
            return Some(node);
        };
        match tag {
            "DW_TAG_typedef"
            | "DW_TAG_const_type"
            | "DW_TAG_volatile_type"
            | "DW_TAG_restrict_type"
            | "DW_TAG_atomic_type"
            | "DW_TAG_immutable_type" => {
                node = node.reference(DERIVED_BASE)?;
            }
            _ => return Some(node),
        }
    }
}

fn basic(node: MdNode, text: &str) -> Type {
    let (name, bits) = (node.type_name(), node.size());
    let float = |bits| match bits {
        32 => Some(FloatKind::Single),
        64 => Some(FloatKind::Double),
        128 if !name.contains("float128") => Some(FloatKind::Extended),
        _ => None,
    };
    let integer = |signed| match bits {
        8 | 16 | 32 | 64 | 128 => Type::Int {
            bits: bits as u32,
            signed,
            character: name == "char",
        },
        _ => Type::Unsupported(name.clone()),
    };
    let unsupported = || Type::Unsupported(name.clone());
    match field(text, "encoding") {
        Some("DW_ATE_boolean") if bits == 8 => Type::Bool,
        Some("DW_ATE_signed" | "DW_ATE_signed_char") => integer(true),
        Some("DW_ATE_unsigned" | "DW_ATE_unsigned_char" | "DW_ATE_UTF") => integer(false),
        Some("DW_ATE_float") => float(bits).map_or_else(unsupported, Type::Float),
        Some("DW_ATE_complex_float") => float(bits / 2).map_or_else(unsupported, Type::Complex),
        _ => unsupported(),
    }
}

fn enumeration(node: MdNode) -> Type {
    let elements = node
        .reference(COMPOSITE_ELEMENTS)
        .map_or(Vec::new(), MdNode::elements);
    let values: Vec<i64> = elements
        .into_iter()
        .flatten()
        .filter_map(|e| field(&e.text(), "value")?.parse().ok())
        .collect();
    let base = node.reference(COMPOSITE_BASE).and_then(bare);
    let unsigned = base.is_some_and(|b| {
        field(&b.text(), "encoding").is_some_and(|e| e.starts_with("DW_ATE_unsigned"))
    });
    match node.size() {
        bits @ (8 | 16 | 32 | 64) => Type::Enum {
            bits: bits as u32,
            signed: !unsigned,
            values,
        },
        bits => Type::Unsupported(format!("enumeration of {bits} bits")),
    }
}

/// A variable of the source.
struct Variable {
    name: String,
    /// 1 for the first parameter.
    argument: Option<u32>,
    ty: Option<MdNode>,
    /// The place where it lives.
    place: Option<Value>,
}

/// The declarations of a function's variables: the debug intrinsics with the nodes of the variables.
fn declarations(f: Value, context: LLVMContextRef) -> impl Iterator<Item = (Value, MdNode)> {
    let instructions = f.blocks().flat_map(|b| b.instructions());
    instructions.filter_map(move |inst| {
        // SAFETY: these only look at the kind of an instruction.
        let declares =
            inst.opcode() == LLVMCall && unsafe { !LLVMIsADbgDeclareInst(inst.0).is_null() };
        let node = || MdNode::of_value(inst.operand(1), context);
        Some((inst, declares.then(node).flatten()?))
    })
}

/// The variables of a function, from the debug intrinsics. LLVM numbers all that a module has before it prints a node that one of the
/// module's instructions uses, so the nodes are printed while records stand in the place of the intrinsics: those are no users.
fn variables(f: Value, context: LLVMContextRef) -> Vec<Variable> {
    let declared: Vec<(Option<Value>, MdNode)> = declarations(f, context)
        .map(|(inst, node)| (crate::debug::wrapped(inst.operand(0)), node))
        .collect();
    if declared.is_empty() {
        return Vec::new();
    }
    let records = |are_wanted: bool| {
        // SAFETY: the module of a live function; no handle of an intrinsic is kept.
        unsafe { LLVMSetIsNewDbgInfoFormat(LLVMGetGlobalParent(f.0), are_wanted.into()) };
    };
    records(true);
    let variable = |(place, node): (Option<Value>, MdNode)| {
        let text = node.text();
        Variable {
            name: field(&text, "name").unwrap_or_default().to_string(),
            argument: field(&text, "arg").and_then(|n| n.parse().ok()),
            ty: node.reference(VARIABLE_TYPE),
            place,
        }
    };
    let variables = declared.into_iter().map(variable).collect();
    records(false);
    variables
}

/// For a `void *` parameter: the type of the pointer variable to which its value is assigned.
fn inferred(node: MdNode, parameter: &Variable, variables: &[Variable]) -> Option<MdNode> {
    let points_to_void = |n: MdNode| {
        let n = bare(n)?;
        let pointer = field(&n.text(), "tag") == Some("DW_TAG_pointer_type");
        pointer.then(|| n.reference(DERIVED_BASE).and_then(bare).is_none())
    };
    if points_to_void(node) != Some(true) {
        return None;
    }
    let loads = parameter
        .place?
        .uses()
        .into_iter()
        .filter(|u| u.is_instruction() && u.opcode() == LLVMLoad);
    for store in loads.flat_map(|l| l.uses()) {
        if !store.is_instruction() || store.opcode() != LLVMStore {
            continue;
        }
        let target = variables.iter().find(|v| v.place == Some(store.operand(1)));
        if let Some(ty) = target.and_then(|v| v.ty)
            && points_to_void(ty) == Some(false)
        {
            return Some(ty);
        }
    }
    None
}

/// All structures that the modules define, by name.
fn definitions(modules: &[Module], context: LLVMContextRef) -> FxHashMap<String, MdNode> {
    let mut found = FxHashMap::default();
    for node in structures(modules, context) {
        if node.size() > 0 && !node.text().contains("DIFlagFwdDecl") {
            found.entry(node.type_name()).or_insert(node);
        }
    }
    found
}

/// The structures that some module of C only declares. A compiler describes what it has seen, so the header that this
/// module includes has no body.
pub fn declared(modules: &[Module], context: LLVMContextRef) -> FxHashSet<String> {
    let declared = structures(modules, context).into_iter().filter(|node| {
        let text = node.text();
        text.contains("DIFlagFwdDecl") && field(&text, "identifier").is_none()
    });
    declared.map(MdNode::type_name).collect()
}

/// The structures and unions with names that the debug information of the modules has.
fn structures(modules: &[Module], context: LLVMContextRef) -> Vec<MdNode> {
    use llvm_sys::debuginfo::LLVMMetadataKind::LLVMDICompositeTypeMetadataKind;
    let is_named = |node: &MdNode| {
        matches!(node.kind(), LLVMDICompositeTypeMetadataKind) && !node.type_name().is_empty()
    };
    let mut found = nodes(modules, context);
    found.retain(is_named);
    found
}

/// All nodes of debug information that functions, their variables and the compile units lead to.
pub fn nodes(modules: &[Module], context: LLVMContextRef) -> Vec<MdNode> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut work: Vec<MdNode> = Vec::new();
    for module in modules {
        work.extend(super::compile_units(*module, context));
        for f in module.functions() {
            work.extend(f.subprogram().map(|s| MdNode::new(s, context)));
            let variables = declarations(f, context);
            work.extend(variables.filter_map(|(_, node)| node.reference(VARIABLE_TYPE)));
        }
    }
    while let Some(node) = work.pop() {
        if !seen.insert(node.raw) {
            continue;
        }
        found.push(node);
        work.extend(node.elements().into_iter().flatten());
    }
    found
}

fn has_nonnull(f: Value, param: u32) -> bool {
    has_attribute(f, param, "nonnull")
}

fn has_attribute(f: Value, param: u32, name: &str) -> bool {
    if param >= f.param_count() {
        return false;
    }
    // SAFETY: LLVM knows the kind, and the index is that of a parameter.
    unsafe {
        let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
        !LLVMGetEnumAttributeAtIndex(f.0, param + 1, kind).is_null()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Context;
    use crate::library::node::tests::PRINTED;

    /// A function with a parameter and a variable of two types.
    const MODULE: &str = r#"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-musl"
define void @f(i32 %n) !dbg !4 {
  %n.addr = alloca i32
  %c = alloca i8
    #dbg_declare(ptr %n.addr, !10, !DIExpression(), !12)
    #dbg_declare(ptr %c, !11, !DIExpression(), !12)
  ret void, !dbg !12
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "f.c", directory: "/d")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{null, !7}
!7 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!8 = !DIBasicType(name: "char", size: 8, encoding: DW_ATE_signed_char)
!10 = !DILocalVariable(name: "n", arg: 1, scope: !4, file: !1, line: 1, type: !7)
!11 = !DILocalVariable(name: "c", scope: !4, file: !1, line: 2, type: !8)
!12 = !DILocation(line: 1, scope: !4)
"#;

    /// To print a node that instructions use, LLVM numbers the whole module: for all variables of a library that is quadratic.
    #[test]
    fn nothing_is_printed_for_which_the_module_is_numbered() {
        let mut context = Context::new().unwrap();
        let module = context.parse_text(MODULE.as_bytes(), "f.ll").unwrap();
        // SAFETY: a live module.
        unsafe { LLVMSetIsNewDbgInfoFormat(module.0, 0) };
        let printed = || PRINTED.take();
        printed();
        let found = nodes(&[module], context.raw);
        assert_eq!(printed(), [""; 0]);
        use llvm_sys::debuginfo::LLVMMetadataKind::LLVMDIBasicTypeMetadataKind;
        let is_number = |n: &&MdNode| matches!(n.kind(), LLVMDIBasicTypeMetadataKind);
        let numbers = found.iter().filter(is_number);
        let names: Vec<String> = numbers.map(|n| n.type_name()).collect();
        assert!(names.contains(&"char".to_string()), "{names:?}");
        let f = module.function("f").unwrap();
        let variables = variables(f, context.raw);
        let found: Vec<_> = variables
            .iter()
            .map(|v| (&v.name[..], v.argument, v.place.is_some()))
            .collect();
        assert_eq!(found, [("n", Some(1), true), ("c", None, true)]);
        let printed = printed();
        assert_eq!(printed.len(), 2);
        for text in printed {
            // Other nodes have no numbers, but addresses.
            assert!(text.contains("scope: <0x"), "{text}");
        }
        // Afterwards the intrinsics are there again.
        assert_eq!(declarations(f, context.raw).count(), 2);
    }
}
