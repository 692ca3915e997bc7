//! Constructors: functions of the library that make what only the library can make.
//!
//! A type is the library's own if its definition is not for its users: it is defined nowhere, only declared
//! where the tested function stands, or defined in a source file while a header has a typedef of it
//! (`XML_Parser`). Such an object comes from a function that returns one and needs none. Structures with
//! visible members and hooks or foreign pointers inside (`z_stream`) come from the function that initializes them,
//! if no function returns one.
//!
//! Which value of an initializer means success is read from its control flow: the one that is returned farthest
//! from the entry, since success has to pass every check.

use super::describe::{Describer, pointee_name};
use super::{Unit, node};
use crate::ffi::{Module, Value};
use harness::types::{How, Type};
use llvm_sys::LLVMLinkage::*;
use llvm_sys::LLVMOpcode::*;
use llvm_sys::LLVMValueKind::*;
use llvm_sys::prelude::LLVMContextRef;
use node::MdNode;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// A type that wants a constructor.
#[derive(Clone, Debug)]
pub struct Wish {
    pub name: String,
    /// Only the library knows its content.
    pub private: bool,
}

/// A constructor that was found.
pub struct Maker {
    pub of: String,
    pub module: Module,
    pub function: Value,
    pub how: How,
}

/// What the types of a description want: the library's own, and structures behind the entry's parameters
/// that hold hooks or pointers to what is not described.
pub fn wishes(describer: &Describer<'_>, parameters: &[usize]) -> Vec<Wish> {
    let mut wishes: Vec<Wish> = describer
        .private()
        .into_iter()
        .map(|name| Wish {
            name,
            private: true,
        })
        .collect();
    for p in parameters {
        let Type::Pointer(to) = describer.types[*p] else {
            continue;
        };
        let Type::Record { name, fields, .. } = &describer.types[to] else {
            continue;
        };
        let hook = |f: &harness::types::Field| match describer.types[f.ty] {
            Type::Pointer(of) => {
                matches!(describer.types[of], Type::Function { .. } | Type::Opaque(_))
            }
            _ => false,
        };
        let known = wishes.iter().any(|w| w.name == *name);
        if !name.is_empty() && !known && fields.iter().any(hook) {
            wishes.push(Wish {
                name: name.clone(),
                private: false,
            });
        }
    }
    wishes
}

/// The best constructor for each wish.
pub fn find(units: &[Unit], wishes: &[Wish], entry: &str, context: LLVMContextRef) -> Vec<Maker> {
    let mut best: FxHashMap<&str, (i64, Maker)> = FxHashMap::default();
    let mut returned: Vec<&str> = Vec::new();
    for unit in units {
        for f in unit.module.functions() {
            let external = matches!(f.linkage(), LLVMExternalLinkage | LLVMWeakODRLinkage);
            if f.is_declaration() || !external {
                continue;
            }
            let Some(signature) = signature(f, context) else {
                continue;
            };
            for wish in wishes {
                let named = |n: &Option<String>| n.as_deref() == Some(wish.name.as_str());
                if named(&signature[0]) && !returned.contains(&wish.name.as_str()) {
                    returned.push(&wish.name);
                }
                let Some((score, how)) = rate(f, &signature, wish, entry) else {
                    continue;
                };
                let found = Maker {
                    of: wish.name.clone(),
                    module: unit.module,
                    function: f,
                    how,
                };
                match best.get(wish.name.as_str()) {
                    Some((other, _)) if *other <= score => {}
                    _ => {
                        best.insert(&wish.name, (score, found));
                    }
                }
            }
        }
    }
    // What the library also returns whole is not only filled.
    let ends: Vec<&str> = wishes
        .iter()
        .filter(|w| !w.private && returned.contains(&w.name.as_str()))
        .map(|w| w.name.as_str())
        .collect();
    let mut found: Vec<Maker> = best
        .into_iter()
        .filter(|(name, _)| !ends.contains(name))
        .map(|(_, (_, found))| found)
        .collect();
    found.sort_by(|a, b| a.of.cmp(&b.of));
    found
}

/// For the result and each parameter the structure that it points to; `None` without debug information.
fn signature(f: Value, context: LLVMContextRef) -> Option<Vec<Option<String>>> {
    let types = MdNode::new(f.subprogram()?, context)
        .reference(node::SUBPROGRAM_TYPE)?
        .reference(node::SUBROUTINE_TYPES)?
        .elements();
    if types.len() != f.param_count() as usize + 1 {
        return None;
    }
    Some(
        types
            .into_iter()
            .map(|t| t.and_then(pointee_name))
            .collect(),
    )
}

const MAKES: &[&str] = &[
    "create",
    "new",
    "alloc",
    "init",
    "open",
    "make",
    "initialize",
    "initialise",
];
const FILLS: &[&str] = &["init", "initialize", "initialise", "open", "setup"];

/// How good a constructor a function is, less is better; `None` if it is none.
fn rate(f: Value, signature: &[Option<String>], wish: &Wish, entry: &str) -> Option<(i64, How)> {
    let name = f.name();
    let words = words(&name);
    let says = |list: &[&str]| words.iter().any(|w| list.contains(&w.as_str()));
    let this = |n: &Option<String>| n.as_deref() == Some(wish.name.as_str());
    let (result, params) = signature.split_first()?;
    let how = if this(result) && !params.iter().any(this) && says(MAKES) {
        How::Returns
    } else if params.first().is_some_and(this)
        && !params[1..].iter().any(this)
        && says(FILLS)
        && f.name() != entry
    {
        let void = f.value_type().return_type().is_void();
        How::Fills {
            success: if void {
                None
            } else {
                Some(success(f, 3).unwrap_or(0))
            },
        }
    } else {
        return None;
    };
    let structures = params.iter().filter(|p| p.is_some() && !this(p)).count() as i64;
    let common = name
        .bytes()
        .zip(entry.bytes())
        .take_while(|(a, b)| a == b)
        .count() as i64;
    let filled = if how == How::Returns { 0 } else { 40 };
    Some((
        filled + 10 * structures + 2 * params.len() as i64 - common.min(16),
        how,
    ))
}

/// The words of a name, in small letters: `XML_ParserCreate` has `xml`, `parser`, `create`.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut last = '_';
    for c in name.chars() {
        let starts = c.is_ascii_uppercase() && last.is_ascii_lowercase();
        if !c.is_ascii_alphabetic() {
            last = c;
            continue;
        }
        if starts || !last.is_ascii_alphabetic() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.push(c.to_ascii_lowercase());
        }
        last = c;
    }
    words
}

/// The result of a function that succeeds: the constant that is returned farthest from its entry, through
/// calls whose result is passed on.
fn success(f: Value, depth: u32) -> Option<i64> {
    let mut far: FxHashMap<usize, u32> = FxHashMap::default();
    let mut queue = VecDeque::from([f.first_block()]);
    far.insert(f.first_block().0 as usize, 0);
    while let Some(block) = queue.pop_front() {
        let distance = far[&(block.0 as usize)];
        let end = block.terminator();
        for i in 0..end.successor_count() {
            let next = end.successor(i);
            far.entry(next.0 as usize).or_insert_with(|| {
                queue.push_back(next);
                distance + 1
            });
        }
    }
    let mut best: Option<(u32, Option<i64>)> = None;
    let mut consider = |at: Value, value: Value| {
        let Some(distance) = far.get(&(at.parent().0 as usize)) else {
            return;
        };
        let result = match value.value_kind() {
            LLVMConstantIntValueKind => Some(value.sext_value()),
            _ if value.is_instruction() && value.is_call() && depth > 0 => value
                .callee()
                .filter(|c| !c.is_declaration())
                .and_then(|c| success(c, depth - 1)),
            _ => None,
        };
        if best.is_none_or(|(d, _)| *distance >= d) {
            best = Some((*distance, result));
        }
    };
    let mut places = Vec::new();
    for block in f.blocks() {
        let end = block.terminator();
        if end.opcode() != LLVMRet || end.operand_count() == 0 {
            continue;
        }
        let value = end.operand(0);
        if value.is_instruction() && value.opcode() == LLVMLoad {
            places.push(value.operand(0))
        } else {
            consider(end, value)
        }
    }
    // In the order of the source: of two that are equally far, the later one is what remains.
    for inst in f.blocks().flat_map(|b| b.instructions()) {
        if inst.opcode() == LLVMStore && places.contains(&inst.operand(1)) {
            consider(inst, inst.operand(0));
        }
    }
    best.and_then(|(_, result)| result)
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn names_fall_into_words() {
        assert_eq!(words("XML_ParserCreate"), ["xml", "parser", "create"]);
        assert_eq!(
            words("yaml_parser_initialize"),
            ["yaml", "parser", "initialize"]
        );
        assert_eq!(words("deflateInit2_"), ["deflate", "init"]);
        assert_eq!(words("renewal"), ["renewal"]);
    }
}
