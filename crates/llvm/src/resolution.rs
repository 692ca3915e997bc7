//! What the native linker made of the program's symbols, where that is not what its bitcode says.
//!
//! A binary carries the bitcode of its objects, and the objects' own definitions are in it. Options of the linker
//! (`--defsym`, an assignment in a linker script) can give a name another value, and the native program then runs other
//! code. The binary's table of symbols tells: such a symbol has no size, while a definition of code or data has one. Where the
//! value is the address of another definition, the name stands for that one here as well; else the program is refused.
//!
//! Of `--wrap=NAME` the table says nothing, so `polypath cc` leaves a symbol for it ([`WRAPPED`]).

use crate::ffi::{Module, Value, c};
use crate::instrument::is_own;
use crate::types::Types;
use llvm_sys::LLVMLinkage::*;
use llvm_sys::LLVMOpcode::LLVMUnreachable;
use llvm_sys::LLVMValueKind::LLVMFunctionValueKind;
use llvm_sys::core::*;
use object::{Object, ObjectSymbol};
use rustc_hash::FxHashMap;

/// What the name of a symbol begins with that says of the rest that it is wrapped; crate `toolchain` has the same.
const WRAPPED: &str = "__polypath_wrapped.";

/// The defined symbols of a binary or object.
#[derive(Default)]
pub struct Symbols {
    of: FxHashMap<String, Symbol>,
}

#[derive(Clone, Copy)]
struct Symbol {
    /// Section and address.
    place: (usize, u64),
    size: u64,
    is_global: bool,
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
                is_ambiguous: false,
            };
            let known = symbols.of.entry(name.to_owned()).or_insert(new);
            if new.is_global && !known.is_global {
                *known = new;
            } else if new.place != known.place && new.is_global == known.is_global {
                known.is_ambiguous = true;
            }
        }
        symbols
    }

    /// The names that are wrapped.
    fn wrapped(&self) -> impl Iterator<Item = &str> {
        let mut names: Vec<&str> = self
            .of
            .keys()
            .filter_map(|name| name.strip_prefix(WRAPPED))
            .collect();
        names.sort_unstable();
        names.into_iter()
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

    /// Whether a linker defined the name.
    pub fn has(&self, name: &str) -> bool {
        self.of.contains_key(name)
    }

    /// The symbol that the linker gave a value of its own.
    fn assigned(&self, name: &str) -> Option<Symbol> {
        let symbol = self.of.get(name).copied();
        symbol.filter(|s| s.size == 0 && !s.is_ambiguous)
    }

    /// Gives names of the program the meaning that the linker gave them.
    ///
    /// # Errors
    /// The name of a definition that the linker put something else in the place of, which no other definition is.
    pub fn apply(&self, module: Module) -> Result<(), String> {
        let types = Types::new(module);
        let visible = |v: &Value| {
            matches!(
                v.linkage(),
                LLVMExternalLinkage
                    | LLVMWeakAnyLinkage
                    | LLVMWeakODRLinkage
                    | LLVMExternalWeakLinkage
            )
        };
        let functions = || module.functions().filter(|f| f.intrinsic_id() == 0);
        let definitions: FxHashMap<(usize, u64), Value> = functions()
            .chain(module.globals())
            .filter(|v| !v.is_declaration())
            .filter_map(|v| {
                let symbol = self.of.get(&v.name())?;
                (symbol.size > 0 && !symbol.is_ambiguous).then_some((symbol.place, v))
            })
            .collect();
        // A declared variable may be a place among others (`__start_NAME`), and is no other variable then.
        let names: Vec<Value> =
            functions()
                .filter(|f| visible(f) && !is_empty(*f))
                .chain(module.globals().filter(|g| {
                    visible(g) && !g.is_declaration() && types.size(g.value_type()) > 0
                }))
                .collect();
        for old in names {
            let name = old.name();
            let Some(symbol) = self.assigned(&name) else {
                continue;
            };
            let is_function = |v: Value| v.value_kind() == LLVMFunctionValueKind;
            match definitions.get(&symbol.place) {
                Some(new) if is_function(*new) == is_function(old) => {
                    rename(module, old, *new, &name)
                }
                _ if old.is_declaration() => {}
                _ => {
                    return Err(format!(
                        "the linker gave {name} another value than its definition has (--defsym or a linker script), which \
                         is not one of the program's other definitions"
                    ));
                }
            }
        }
        Ok(())
    }
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
fn rename(module: Module, old: Value, new: Value, name: &str) {
    old.replace_all_uses(new);
    // SAFETY: nothing uses the old function or variable any more; the alias is for one of this module.
    unsafe {
        if old.value_kind() == LLVMFunctionValueKind {
            LLVMDeleteFunction(old.0);
        } else {
            LLVMDeleteGlobal(old.0);
        }
        LLVMAddAlias2(module.0, new.value_type().0, 0, new.0, c(name).as_ptr());
    }
}
