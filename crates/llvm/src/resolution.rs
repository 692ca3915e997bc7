//! Finds symbols of the program that the native linker resolved differently than its bitcode.
//!
//! A binary carries the bitcode of its objects, and the objects' own definitions are in it. Options of the linker
//! (`--defsym`, an assignment in a linker script) can give a name another value, and the native program then runs
//! other code. The binary's table of symbols shows it: such a symbol has no size, while a definition of code or data
//! has one. If the value is the address of another definition, the name stands for that one here as well; otherwise
//! the program is refused.
//!
//! The table does not show `--wrap=NAME`, and a stripped binary has none, so `polypath cc` leaves a note with the
//! linker's options in the binary ([`link_note`]). If neither gives the meaning of a name, the program is refused.
//!
//! Two definitions at one address are one: assembly gave a name another meaning (`.set`), or the linker folded equal code
//! (`--icf`), after which pointers to the two compare equal.

use crate::ffi::{Module, Value, c};
use crate::instrument::is_own;
use crate::types::Types;
use llvm_sys::LLVMLinkage::*;
use llvm_sys::LLVMOpcode::LLVMUnreachable;
use llvm_sys::LLVMValueKind::LLVMFunctionValueKind;
use llvm_sys::core::*;
use object::{Object, ObjectSection, ObjectSymbol};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use vocab::link_note;

/// The start of libc's programs.
const START: &str = "_start";

/// The defined symbols of a binary or object, and its linker's options about names.
#[derive(Default)]
pub struct Symbols {
    of: FxHashMap<String, Symbol>,
    record: Record,
    /// It is a binary without a table of symbols.
    is_stripped: bool,
    /// The entry point, if it is not `_start`.
    entry: Option<String>,
    /// How many functions a binary calls before `main`, and how many behind it.
    lists: Option<[u64; 2]>,
}

/// The options of the linker.
#[derive(Default)]
struct Record {
    /// The functions that are wrapped (`--wrap`).
    wrapped: Vec<String>,
    /// Names with their values (`--defsym`).
    assigned: Vec<(String, String)>,
    /// The first of several definitions counts (`-z muldefs`).
    takes_first: bool,
    /// A linker script, which can say the same.
    has_script: bool,
    /// Equal functions become one (`--icf=all`).
    folds: bool,
    /// The name where the program begins (`-e`).
    entry: Option<String>,
}

impl Record {
    /// Reads the note of a binary.
    fn read(note: &[u8]) -> Record {
        let mut record = Record::default();
        let facts = link_note::facts(note).unwrap_or_default();
        for fact in facts.split(' ') {
            match fact.split_once('=') {
                Some(("entry", name)) => record.entry = Some(name.to_owned()),
                Some(("wrap", name)) => record.wrapped.push(name.to_owned()),
                Some(("defsym", rest)) => {
                    let (name, value) = rest.split_once('=').unwrap_or((rest, ""));
                    record.assigned.push((name.to_owned(), value.to_owned()));
                }
                None if fact == "muldefs" => record.takes_first = true,
                None if fact == "icf" => record.folds = true,
                None if fact == "script" => record.has_script = true,
                _ => {}
            }
        }
        record.wrapped.sort_unstable();
        record.wrapped.dedup();
        record
    }
}

#[derive(Clone, Copy)]
struct Symbol {
    /// Section and address.
    place: (usize, u64),
    size: u64,
    is_global: bool,
    is_weak: bool,
    /// Several local symbols have the name.
    is_ambiguous: bool,
}

impl Symbols {
    /// Those of a file's bytes; none if it is no ELF file, or was stripped.
    pub fn read(bytes: &[u8]) -> Symbols {
        let mut symbols = Symbols::default();
        let Ok(file) = object::File::parse(bytes) else {
            return symbols;
        };
        for symbol in file.symbols().filter(|s| !s.is_undefined()) {
            let Ok(name) = symbol.name() else { continue };
            let new = Symbol {
                place: (symbol.section_index().map_or(0, |i| i.0), symbol.address()),
                size: symbol.size(),
                is_global: !symbol.is_local(),
                is_weak: symbol.is_weak(),
                is_ambiguous: false,
            };
            let known = symbols.of.entry(name.to_owned()).or_insert(new);
            if new.is_global && !known.is_global {
                *known = new;
            } else if new.place != known.place && new.is_global == known.is_global {
                known.is_ambiguous = true;
            }
        }
        let note = file.section_by_name(link_note::SECTION);
        if let Some(note) = note.and_then(|section| section.data().ok()) {
            symbols.record = Record::read(note);
        }
        let is_binary = file.kind() == object::ObjectKind::Executable;
        symbols.is_stripped = is_binary && symbols.of.is_empty();
        let pointers = |name: &str| file.section_by_name(name).map_or(0, |s| s.size() / 8);
        symbols.lists = is_binary.then(|| [pointers(".init_array"), pointers(".fini_array")]);
        let begins = symbols.of.get(START).map(|s| s.place.1);
        symbols.entry = if symbols.is_stripped {
            symbols.record.entry.clone().filter(|name| name != START)
        } else {
            (is_binary && begins != Some(file.entry())).then(|| format!("{:#x}", file.entry()))
        };
        symbols
    }

    /// The names that are wrapped.
    fn wrapped(&self) -> impl Iterator<Item = &str> {
        self.record.wrapped.iter().map(String::as_str)
    }

    /// Whether the linker took the first of several definitions of the name.
    pub fn takes_first(&self, name: &str) -> bool {
        self.has(name) || self.is_stripped && self.record.takes_first
    }

    /// In the program's own code the name of a wrapped function means `__wrap_NAME`, and `__real_NAME` means the function.
    ///
    /// # Errors
    /// The name of a function without a wrapper.
    pub fn wrap(&self, module: Module) -> Result<(), String> {
        for name in self.wrapped() {
            let real = module.function(&format!("__real_{name}"));
            let function = module.function(name);
            if let Some(function) = function.filter(|f| f.has_uses()) {
                let wrapper = module
                    .function(&format!("__wrap_{name}"))
                    .ok_or_else(|| format!("{name} is wrapped, and there is no __wrap_{name}"))?;
                function.replace_all_uses(wrapper);
            }
            match (real, function) {
                (Some(real), Some(function)) => real.replace_all_uses(function),
                (Some(real), None) => real.set_name(name),
                (None, _) => {}
            }
        }
        Ok(())
    }

    /// The same for what calls the function in libc, once that is there.
    pub fn wrap_in_libc(&self, module: Module) {
        for name in self.wrapped() {
            let function = module.function(name);
            let wrapper = module.function(&format!("__wrap_{name}"));
            let (Some(function), Some(wrapper)) = (function, wrapper) else {
                continue;
            };
            for user in function.uses().into_iter().filter(|u| u.is_instruction()) {
                // SAFETY: an instruction of a function.
                let within = unsafe { LLVMGetBasicBlockParent(LLVMGetInstructionParent(user.0)) };
                if is_own(Value(within)) {
                    continue;
                }
                for i in 0..user.operand_count() {
                    if user.operand(i) == function {
                        user.set_operand(i, wrapper);
                    }
                }
            }
        }
    }

    /// Whether these are the symbols of a binary.
    pub fn is_linked(&self) -> bool {
        self.lists.is_some()
    }

    /// Whether a linker defined the name.
    pub fn has(&self, name: &str) -> bool {
        self.of.contains_key(name)
    }

    /// The address that the linker gave to a name that one symbol has.
    pub fn address(&self, name: &str) -> Option<u64> {
        let symbol = self.of.get(name).filter(|s| !s.is_ambiguous)?;
        Some(symbol.place.1)
    }

    /// The symbol to which the linker gave another value.
    fn assigned(&self, name: &str) -> Option<Symbol> {
        let symbol = self.of.get(name).copied();
        symbol.filter(|s| s.size == 0 && !s.is_ambiguous)
    }

    /// Gives names of the program the meaning that the linker gave them. The run-time libraries are joined with it later.
    ///
    /// # Errors
    /// The name of a definition that the linker put something else in the place of, which no other definition is.
    pub fn apply(&self, module: Module, runtime: &[Module]) -> Result<(), String> {
        if let Some(entry) = &self.entry {
            return Err(format!(
                "the linker was told to begin at {entry} (-e), and not at {START}, which calls main"
            ));
        }
        for (n, list) in self.lists.into_iter().flatten().zip(["ctors", "dtors"]) {
            let name = format!("llvm.global_{list}");
            let all = std::iter::once(&module).chain(runtime);
            let known: usize = all.map(|m| crate::structors::list(*m, &name).len()).sum();
            let known = known as u64;
            if n > known {
                return Err(format!(
                    "{n} functions run before or after main (.{}_array), and {known} of them have bitcode",
                    if list == "ctors" { "init" } else { "fini" }
                ));
            }
        }
        if self.is_stripped {
            return self.apply_record(module);
        }
        let types = Types::new(module);
        let functions = || module.functions().filter(|f| f.intrinsic_id() == 0);
        for v in functions().chain(module.globals()) {
            // It is there, if perhaps without bitcode: no null pointer.
            if v.linkage() == LLVMExternalWeakLinkage && self.has(&v.name()) {
                // SAFETY: a declaration of this module.
                unsafe { LLVMSetLinkage(v.0, LLVMExternalLinkage) };
            }
        }
        let has_code = |f: &Value| !is_empty(*f);
        let mut at: BTreeMap<(usize, u64), Vec<Value>> = BTreeMap::new();
        for v in functions().filter(has_code).chain(module.globals()) {
            let symbol = self.of.get(&v.name());
            if let Some(symbol) = symbol.filter(|s| s.size > 0 && !s.is_ambiguous)
                && !v.is_declaration()
            {
                at.entry(symbol.place).or_default().push(v);
            }
        }
        let mut definitions: FxHashMap<(usize, u64), Value> = FxHashMap::default();
        for (place, list) in at {
            definitions.insert(place, join(module, &list)?);
        }
        let is_replaced = |v: &Value| {
            let symbol = self.of.get(&v.name());
            is_weak(*v) && symbol.is_some_and(|s| s.is_global && !s.is_weak && s.size > 0)
        };
        let mut weak = functions().filter(has_code).chain(module.globals());
        if let Some(v) = weak.find(|v| !v.is_declaration() && is_replaced(v)) {
            return Err(format!(
                "{} has a weak definition in the program's bitcode, and the linker took another one, which has no bitcode",
                v.name()
            ));
        }
        // A declared variable may be a place among others (`__start_NAME`), and is no other variable then.
        let names: Vec<Value> = functions()
            .filter(|f| is_visible(*f) && has_code(f))
            .chain(module.globals().filter(|g| {
                is_visible(*g) && !g.is_declaration() && types.size(g.value_type()) > 0
            }))
            .collect();
        for old in names {
            let name = old.name();
            let Some(symbol) = self.assigned(&name) else {
                continue;
            };
            match definitions.get(&symbol.place) {
                Some(new) if is_function(*new) == is_function(old) => {
                    rename(module, old, *new, &name)
                }
                _ if old.is_declaration() => {}
                _ => return Err(other_value(&name)),
            }
        }
        Ok(())
    }

    /// The same for a binary without symbols.
    fn apply_record(&self, module: Module) -> Result<(), String> {
        const CANNOT: &str = "the binary is stripped, and its linker was given";
        if self.record.has_script {
            return Err(format!(
                "{CANNOT} a script, which can give names other values than their definitions: a table of symbols would tell"
            ));
        }
        if self.record.folds {
            return Err(format!(
                "{CANNOT} --icf=all, after which pointers to equal functions compare equal: a table of symbols would tell which"
            ));
        }
        let named = |name: &str| module.function(name).or_else(|| module.global(name));
        for (name, value) in &self.record.assigned {
            let Some(old) = named(name) else { continue };
            match named(value).filter(|new| !new.is_declaration()) {
                Some(new) if new == old => {}
                Some(new) if is_function(new) == is_function(old) => rename(module, old, new, name),
                _ if old.is_declaration() => {}
                _ => return Err(other_value(name)),
            }
        }
        Ok(())
    }
}

fn other_value(name: &str) -> String {
    format!(
        "the linker gave {name} another value than its definition has (--defsym or a linker script), which is not one of the \
         program's other definitions"
    )
}

fn is_visible(v: Value) -> bool {
    v.linkage() == LLVMExternalLinkage || is_weak(v)
}

/// Another definition can take its place.
pub fn is_weak(v: Value) -> bool {
    matches!(
        v.linkage(),
        LLVMWeakAnyLinkage | LLVMWeakODRLinkage | LLVMExternalWeakLinkage
    )
}

fn is_function(v: Value) -> bool {
    v.value_kind() == LLVMFunctionValueKind
}

/// Definitions at one address: gives the one that is there. A weak one was replaced by it. Others are equal code or constants
/// that the linker folded: calls find the same code in each, so only pointers become those of the one.
///
/// # Errors
/// Variables that share a place.
fn join(module: Module, list: &[Value]) -> Result<Value, String> {
    let first = list[0];
    let kept = list.iter().copied().find(|v| !is_weak(*v)).unwrap_or(first);
    for &other in list.iter().filter(|v| **v != kept) {
        let is_constant = |v: Value| is_function(v) || v.is_global_constant();
        let may_join = is_weak(other) || is_constant(other) && is_constant(kept);
        if is_function(other) != is_function(kept) || !may_join {
            let (name, other) = (kept.name(), other.name());
            return Err(format!("the linker put {name} and {other} in one place"));
        }
        if is_weak(other) {
            let name = other.name();
            rename(module, other, kept, &name);
            continue;
        }
        let is_call = |user: &Value| user.is_call() && user.called_value() == other;
        let calls: Vec<Value> = other.uses().into_iter().filter(is_call).collect();
        other.replace_all_uses(kept);
        for call in calls {
            call.set_operand(call.operand_count() - 1, other);
        }
    }
    Ok(kept)
}

/// A function of which no machine code exists.
fn is_empty(f: Value) -> bool {
    !f.is_declaration()
        && f.first_block()
            .instructions()
            .next()
            .is_some_and(|i| i.opcode() == LLVMUnreachable)
}

/// `new` is what the name of `old` means.
pub fn rename(module: Module, old: Value, new: Value, name: &str) {
    old.replace_all_uses(new);
    // SAFETY: nothing uses the old function or variable any more; the alias is for one of this module.
    unsafe {
        if is_function(old) {
            LLVMDeleteFunction(old.0);
        } else {
            LLVMDeleteGlobal(old.0);
        }
        LLVMAddAlias2(module.0, new.value_type().0, 0, new.0, c(name).as_ptr());
    }
}
