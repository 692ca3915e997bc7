//! Constructors: functions of the library that make what only the library can make.
//!
//! A type is the library's own if users of its header cannot see its members: it is defined nowhere; or only declared
//! where the tested function, or some other part of the library, stands; or defined in another file than the header that has
//! a typedef of it (`XML_Parser`; `node_t` of `node.h` whose body is in `node.c` or `node-private.h`). Such an object comes from a
//! function that returns one and needs none, from one that hands one over through a parameter (`int foo_new(struct foo **out)`), or from
//! one that fills it. Structures with visible members (`z_stream`,
//! `http_parser`) come from the function that initializes them, if there is one.
//!
//! Which value of an initializer means success is read from its control flow: the one that is returned farthest
//! from the entry, since success has to pass every check.

use super::describe::{Describer, pointee, pointee_name};
use super::{Unit, node};
use crate::ffi::{Module, Value};
use harness::types::{How, Type, VA_LIST};
use llvm_sys::LLVMLinkage::*;
use llvm_sys::LLVMOpcode::*;
use llvm_sys::LLVMValueKind::*;
use llvm_sys::prelude::LLVMContextRef;
use node::MdNode;
use rustc_hash::{FxHashMap, FxHashSet};
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

/// What the types of a description want: the library's own, and structures behind the entry's parameters. `declared`
/// are those that a part of the library sees no body of.
pub fn wishes(
    describer: &Describer<'_>,
    parameters: &[usize],
    declared: &FxHashSet<String>,
) -> Vec<Wish> {
    let mut private = describer.private();
    let is_unseen = |n: &&String| declared.contains(*n) && *n != "_IO_FILE";
    private.extend(describer.names().filter(is_unseen).cloned());
    private.sort();
    private.dedup();
    let mut wishes: Vec<Wish> = private
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
        let Type::Record {
            name, union: false, ..
        } = &describer.types[to]
        else {
            continue;
        };
        let known = wishes.iter().any(|w| w.name == *name);
        if !name.is_empty() && !known {
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
    for unit in units {
        for f in unit.module.functions() {
            let external = matches!(f.linkage(), LLVMExternalLinkage | LLVMWeakODRLinkage);
            if f.is_declaration() || !external {
                continue;
            }
            let Some(signature) = signature(f, context) else {
                continue;
            };
            let outs = outs(f, context);
            for wish in wishes {
                let Some((score, how)) = rate(f, &signature, &outs, wish, entry) else {
                    continue;
                };
                // What can be seen may be made by hand, too: a vector whose numbers matter is more than what a
                // function returns that only allocates it.
                let is_filled = matches!(how, How::Fills { .. });
                if !is_filled && !wish.private {
                    continue;
                }
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
    let mut found: Vec<Maker> = best.into_values().map(|(_, found)| found).collect();
    found.sort_by(|a, b| a.of.cmp(&b.of));
    found
}

/// A function that changes an object which a constructor made.
pub struct Mutator {
    pub of: String,
    pub function: Value,
}

/// Changers of one type.
const MAX_MUTATORS: usize = 4;

/// Words of functions after which an object must not be used.
const ENDS: &[&str] = &[
    "free",
    "destroy",
    "delete",
    "close",
    "release",
    "fini",
    "finalize",
    "finish",
    "cleanup",
    "dispose",
    "unref",
    "term",
    "terminate",
    "destruct",
    "drop",
    "end",
    "kill",
    "exit",
    "done",
];

/// The functions in the modules of the entry and of the constructors that may change what these made, for each type those first whose
/// names have most in common with the entry's.
pub fn mutators(
    units: &[Unit],
    makers: &[Maker],
    entry: &str,
    context: LLVMContextRef,
) -> Vec<Mutator> {
    let mut rated: Vec<(usize, std::cmp::Reverse<usize>, String, Value)> = Vec::new();
    for f in units.iter().flat_map(|u| u.module.functions()) {
        let external = matches!(f.linkage(), LLVMExternalLinkage | LLVMWeakODRLinkage);
        let name = f.name();
        let is_public = external && !f.is_declaration() && !f.is_hidden() && !name.starts_with('_');
        if !is_public || name == "main" {
            continue;
        }
        let Some(signature) = signature(f, context) else {
            continue;
        };
        let Some((_, [Some(of), others @ ..])) = signature.split_first() else {
            continue;
        };
        let Some(maker) = makers.iter().position(|m| m.of == *of) else {
            continue;
        };
        let words = words(&name);
        let ends = words.iter().any(|w| ENDS.contains(&&w[..]));
        let is_maker =
            makers.iter().any(|m| m.function == f) || words.iter().any(|w| FILLS.contains(&&w[..]));
        let takes_two = others.iter().flatten().any(|o| o == of);
        if ends || is_maker || takes_two || !sets_members(f) {
            continue;
        }
        let common = name
            .bytes()
            .zip(entry.bytes())
            .take_while(|(a, b)| a == b)
            .count();
        rated.push((maker, std::cmp::Reverse(common), name, f));
    }
    rated.sort_by(|a, b| (a.0, a.1, &a.2).cmp(&(b.0, b.1, &b.2)));
    let mut found: Vec<Mutator> = Vec::new();
    for (maker, _, _, function) in rated {
        let of = &makers[maker].of;
        if found.iter().filter(|m| m.of == *of).count() < MAX_MUTATORS {
            found.push(Mutator {
                of: of.clone(),
                function,
            });
        }
    }
    found
}

/// For the result and each parameter the structure that it points to; `None` without debug information, and for a `va_list`, which only a
/// function with variable arguments has.
fn signature(f: Value, context: LLVMContextRef) -> Option<Vec<Option<String>>> {
    let types = MdNode::new(f.subprogram()?, context)
        .reference(node::SUBPROGRAM_TYPE)?
        .reference(node::SUBROUTINE_TYPES)?
        .elements();
    if types.len() != f.param_count() as usize + 1 {
        return None;
    }
    let pointees: Vec<Option<String>> = types
        .into_iter()
        .map(|t| t.and_then(pointee_name))
        .collect();
    let is_list = |name: &Option<String>| name.as_deref() == Some(VA_LIST);
    (!pointees.iter().any(is_list)).then_some(pointees)
}

/// For each parameter the structure to which the pointer behind it points.
fn outs(f: Value, context: LLVMContextRef) -> Vec<Option<String>> {
    let types = f.subprogram().and_then(|s| {
        let function = MdNode::new(s, context).reference(node::SUBPROGRAM_TYPE)?;
        Some(function.reference(node::SUBROUTINE_TYPES)?.elements())
    });
    let parameters = types.into_iter().flatten().skip(1);
    let pointed = parameters.map(|t| t.and_then(pointee).and_then(pointee_name));
    pointed.collect()
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
/// Words for filling an object, the better ones first: `reset` may expect one that was filled before.
const FILLS: &[&str] = &["init", "initialize", "initialise", "open", "setup", "reset"];
/// What a name that is worse than others costs.
const WORSE: i64 = 20;

/// How good a constructor a function is, less is better; `None` if it is none.
fn rate(
    f: Value,
    signature: &[Option<String>],
    outs: &[Option<String>],
    wish: &Wish,
    entry: &str,
) -> Option<(i64, How)> {
    let name = f.name();
    let words = words(&name);
    let says = |list: &[&str]| words.iter().any(|w| list.contains(&w.as_str()));
    let this = |n: &Option<String>| n.as_deref() == Some(wish.name.as_str());
    let (result, params) = signature.split_first()?;
    let success = || {
        let void = f.value_type().return_type().is_void();
        (!void).then(|| success(f, 3).unwrap_or(0))
    };
    let out = outs.iter().position(this).filter(|_| f.name() != entry);
    let how = if this(result) && !params.iter().any(this) && says(MAKES) {
        How::Returns
    } else if let Some(at) = out.filter(|_| !params.iter().any(this) && says(MAKES)) {
        How::Out {
            at,
            success: success(),
        }
    } else if params.first().is_some_and(this)
        && !params[1..].iter().any(this)
        && says(FILLS)
        && f.name() != entry
        && sets_members(f)
    {
        How::Fills { success: success() }
    } else {
        return None;
    };
    let structures = params.iter().filter(|p| p.is_some() && !this(p)).count() as i64;
    let common = name
        .bytes()
        .zip(entry.bytes())
        .take_while(|(a, b)| a == b)
        .count() as i64;
    let filled = match how {
        How::Returns => 0,
        How::Out { .. } => WORSE,
        How::Fills { .. } => 2 * WORSE,
    };
    // `http_parser_init` for `http_parser`, before `http_parser_pause_init`.
    let verbs = words.iter().filter(|w| is_verb(w)).count();
    let plain = words.len() - verbs;
    let own = words_of_type(&wish.name);
    let others = plain.saturating_sub(own.len()) as i64;
    let foreign = own.iter().filter(|w| !words.contains(w)).count() as i64;
    let mut score = filled + 10 * structures + 2 * params.len() as i64 - common.min(16);
    score += 4 * (others + foreign);
    // What is not for users: other modules of the library may call it in a state that no user sees.
    if f.is_hidden() || name.starts_with('_') {
        score += WORSE;
    }
    // `yaml_emitter_initialize` before `yaml_emitter_open`, which expects an object that was made.
    let is_begun = |w: &String| FILLS.iter().position(|f| f == w).is_some_and(|at| at > 2);
    if matches!(how, How::Fills { .. }) && words.iter().any(is_begun) {
        score += WORSE;
    }
    Some((score, how))
}

fn is_verb(word: &str) -> bool {
    MAKES.contains(&word) || FILLS.contains(&word)
}

/// The words of a type's name without the endings of tags and typedefs (`node_s`, `node_t`).
fn words_of_type(name: &str) -> Vec<String> {
    let mut words = words(name);
    words.retain(|w| !matches!(&w[..], "s" | "t" | "st" | "struct" | "tag"));
    words
}

/// Whether a function writes members of the object behind its first parameter, or passes it on to one that may. An
/// initializer does; one that only fills the array in an object that was made before (`gsl_permutation_init`) does not.
fn sets_members(f: Value) -> bool {
    let parameter = f.param(0);
    let mut work = vec![parameter];
    let mut seen = FxHashSet::default();
    while let Some(pointer) = work.pop() {
        if !seen.insert(pointer) {
            continue;
        }
        for user in pointer.uses() {
            if !user.is_instruction() {
                continue;
            }
            match user.opcode() {
                // The place of the parameter in a debug build: what is loaded from it is the parameter again.
                LLVMStore if user.operand(0) == pointer => {
                    let place = user.operand(1);
                    let loads = place.uses().into_iter();
                    work.extend(loads.filter(|l| l.is_instruction() && l.opcode() == LLVMLoad));
                }
                LLVMStore => return true,
                LLVMGetElementPtr | LLVMBitCast => work.push(user),
                _ if user.is_call() => return true,
                _ => {}
            }
        }
    }
    false
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
    use super::{words, words_of_type};

    #[test]
    fn names_fall_into_words() {
        assert_eq!(words("XML_ParserCreate"), ["xml", "parser", "create"]);
        assert_eq!(
            words("yaml_parser_initialize"),
            ["yaml", "parser", "initialize"]
        );
        assert_eq!(words("deflateInit2_"), ["deflate", "init"]);
        assert_eq!(words("renewal"), ["renewal"]);
        assert_eq!(words_of_type("node_s"), ["node"]);
        assert_eq!(words_of_type("http_parser"), ["http", "parser"]);
    }
}
