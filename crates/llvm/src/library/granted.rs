//! Which pointer parameters a function takes for granted: it uses what they lead to, and neither it nor a function that it hands them on to
//! ever asks whether there is anything.
//!
//! A pointer is optional if the code says so: it is compared with something or converted to a number; it is kept where other code may
//! look at it, or given to code that is not there, and not followed in each call (in the first block of the function); or a caller within
//! the library passes null. What is said of the others in a finding, that they must not be null, says nothing to the author of the code.
//!
//! The values that a parameter has are followed forward: through local variables (which hold it in code without optimization), casts and
//! calls. That a variable gets other values, too, only makes more pointers optional.

use crate::ffi::{Block, Module, Value};
use llvm_sys::LLVMLinkage::*;
use llvm_sys::LLVMOpcode::*;
use llvm_sys::LLVMValueKind::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Functions of libc, and which of their parameters lead to something. `memcpy` and its like do not count: they take
/// null with a length of 0 on all machines that are known.
#[rustfmt::skip]
const LIBC: &[(&str, &[u32])] = &[
    ("atof", &[0]), ("atoi", &[0]), ("atol", &[0]), ("atoll", &[0]), ("fclose", &[0]), ("feof", &[0]), ("ferror", &[0]), ("fgetc", &[0]),
    ("fgets", &[0, 2]), ("fileno", &[0]), ("fopen", &[0, 1]), ("fprintf", &[0, 1]), ("fputc", &[1]), ("fputs", &[0, 1]), ("fread", &[3]),
    ("fscanf", &[0, 1]), ("fseek", &[0]), ("ftell", &[0]), ("fwrite", &[3]), ("getc", &[0]), ("getenv", &[0]), ("open", &[0]), ("opendir", &[0]),
    ("printf", &[0]), ("putc", &[1]), ("puts", &[0]), ("remove", &[0]), ("rename", &[0, 1]), ("rewind", &[0]), ("snprintf", &[2]),
    ("sprintf", &[0, 1]), ("sscanf", &[0, 1]), ("stat", &[0, 1]), ("strcasecmp", &[0, 1]), ("strcat", &[0, 1]), ("strchr", &[0]),
    ("strcmp", &[0, 1]), ("strcpy", &[0, 1]), ("strcspn", &[0, 1]), ("strdup", &[0]), ("strlen", &[0]), ("strncasecmp", &[0, 1]),
    ("strncat", &[0, 1]), ("strncmp", &[0, 1]), ("strncpy", &[0, 1]), ("strndup", &[0]), ("strpbrk", &[0, 1]), ("strrchr", &[0]),
    ("strspn", &[0, 1]), ("strstr", &[0, 1]), ("strtod", &[0]), ("strtol", &[0]), ("strtoll", &[0]), ("strtoul", &[0]), ("strtoull", &[0]),
    ("ungetc", &[1]), ("unlink", &[0]), ("vfprintf", &[0, 1]), ("vprintf", &[0]), ("vsnprintf", &[2]), ("vsprintf", &[0, 1]),
];

/// What the code does with a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Use {
    /// It reads, writes or calls what the pointer leads to.
    is_followed: bool,
    /// It does so in each call.
    is_always_followed: bool,
    /// It compares the pointer, or makes a number of it.
    is_asked: bool,
    /// It keeps the pointer, or gives it to code that is not known.
    is_given_away: bool,
}

impl Use {
    const FOLLOWED: Use = Use {
        is_followed: true,
        ..Use::NONE
    };
    const ASKED: Use = Use {
        is_asked: true,
        ..Use::NONE
    };
    const GIVEN_AWAY: Use = Use {
        is_given_away: true,
        ..Use::NONE
    };
    const NONE: Use = Use {
        is_followed: false,
        is_always_followed: false,
        is_asked: false,
        is_given_away: false,
    };

    fn add(&mut self, other: Use) {
        self.is_followed |= other.is_followed;
        self.is_always_followed |= other.is_always_followed;
        self.is_asked |= other.is_asked;
        self.is_given_away |= other.is_given_away;
    }

    /// The same of an instruction that runs in each call, or not.
    fn within(self, is_always: bool) -> Use {
        Use {
            is_always_followed: self.is_followed && is_always,
            ..self
        }
    }
}

/// For each parameter of `f`, whether the code takes it for granted.
pub fn granted(modules: &[Module], f: Value) -> Vec<bool> {
    let mut look = Look {
        modules,
        known: FxHashMap::default(),
    };
    let is_granted = |i| {
        let seen = look.parameter(f, i);
        let is_open = seen.is_given_away && !seen.is_always_followed;
        seen.is_followed && !seen.is_asked && !is_open && !look.is_passed_null(f, i)
    };
    (0..f.param_count()).map(is_granted).collect()
}

struct Look<'a> {
    modules: &'a [Module],
    known: FxHashMap<(Value, u32), Use>,
}

impl Look<'_> {
    /// What a defined function does with a parameter. Calls that lead back to it add nothing.
    fn parameter(&mut self, f: Value, index: u32) -> Use {
        if !f.param(index).ty().is_pointer() {
            return Use::NONE;
        }
        if let Some(known) = self.known.get(&(f, index)) {
            return *known;
        }
        self.known.insert((f, index), Use::NONE);
        let found = self.follow(f.param(index), f.first_block());
        self.known.insert((f, index), found);
        found
    }

    /// What is done with a pointer in a function that begins with this block.
    fn follow(&mut self, pointer: Value, first: Block) -> Use {
        let mut all = Use::NONE;
        let mut seen = FxHashSet::default();
        let mut open = vec![pointer];
        while let Some(value) = open.pop() {
            if !seen.insert(value) {
                continue;
            }
            for user in value.uses() {
                if !user.is_instruction() {
                    all.add(Use::GIVEN_AWAY);
                    continue;
                }
                let one = match user.opcode() {
                    LLVMLoad => Use::FOLLOWED,
                    LLVMStore if user.operand(0) != value => Use::FOLLOWED,
                    LLVMStore => match variable(user.operand(1)) {
                        Some(loads) => {
                            open.extend(loads);
                            continue;
                        }
                        None => Use::GIVEN_AWAY,
                    },
                    LLVMGetElementPtr => {
                        all.add(accesses(user, first));
                        continue;
                    }
                    LLVMBitCast | LLVMAddrSpaceCast | LLVMPHI | LLVMSelect | LLVMFreeze => {
                        open.push(user);
                        continue;
                    }
                    LLVMCall | LLVMInvoke => self.call(user, value),
                    LLVMRet => continue,
                    LLVMAtomicRMW | LLVMAtomicCmpXchg if user.operand(0) == value => Use::FOLLOWED,
                    _ => Use::ASKED,
                };
                let is_call = matches!(user.opcode(), LLVMCall | LLVMInvoke);
                let is_sure = !is_call || one.is_always_followed;
                all.add(one.within(is_sure && user.parent() == first));
            }
        }
        all
    }

    /// What a call does with a value that it gets.
    fn call(&mut self, call: Value, value: Value) -> Use {
        let mut all = Use::NONE;
        if call.called_value() == value {
            all.add(Use::FOLLOWED.within(true));
        }
        let places = (0..call.arg_count()).filter(|i| call.arg(*i) == value);
        let places: Vec<u32> = places.collect();
        let Some(callee) = call.callee() else {
            all.is_given_away |= !places.is_empty();
            return all;
        };
        let name = callee.name();
        if is_copy(&name) {
            let length = call.arg(2);
            let is_some =
                length.value_kind() == LLVMConstantIntValueKind && length.zext_value() > 0;
            if is_some {
                all.add(Use::FOLLOWED.within(true));
            }
            return all;
        }
        if callee.intrinsic_id() != 0 {
            return all;
        }
        let definition = definition(self.modules, callee, &name);
        let libc = LIBC.iter().find(|(known, _)| *known == name);
        for place in places {
            all.add(match (definition, libc) {
                (Some(f), _) if place < f.param_count() => {
                    let inner = self.parameter(f, place);
                    Use {
                        is_given_away: inner.is_given_away && !inner.is_always_followed,
                        ..inner
                    }
                }
                (None, Some((_, follows))) if follows.contains(&place) => {
                    Use::FOLLOWED.within(true)
                }
                _ => Use::GIVEN_AWAY,
            });
        }
        all
    }

    /// Does some call in the library pass null there?
    fn is_passed_null(&self, f: Value, index: u32) -> bool {
        let name = f.name();
        let others = self.modules.iter().filter_map(|m| m.function(&name));
        let others = others.filter(|other| !is_local(f) && !is_local(*other) && *other != f);
        let names = std::iter::once(f).chain(others);
        let mut calls = names
            .flat_map(Value::uses)
            .filter(|user| user.is_instruction() && matches!(user.opcode(), LLVMCall | LLVMInvoke));
        calls.any(|call| {
            let is_it = call.callee().is_some_and(|callee| callee.name() == name);
            is_it && index < call.arg_count() && call.arg(index).is_null()
        })
    }
}

/// The function that is called under a name.
pub fn definition(modules: &[Module], callee: Value, name: &str) -> Option<Value> {
    if !callee.is_declaration() {
        return Some(callee);
    }
    let mut all = modules.iter().filter_map(|m| m.function(name));
    all.find(|f| !f.is_declaration() && !is_local(*f))
}

/// Does this function of libc read or write bytes behind that argument?
pub fn follows_bytes(name: &str, place: u32) -> bool {
    let libc = LIBC.iter().find(|(known, _)| *known == name);
    libc.is_some_and(|(name, follows)| name.starts_with("str") && follows.contains(&place))
}

fn is_local(f: Value) -> bool {
    matches!(f.linkage(), LLVMInternalLinkage | LLVMPrivateLinkage)
}

fn is_copy(name: &str) -> bool {
    let is_intrinsic = |of: &str| {
        name.strip_prefix("llvm.")
            .is_some_and(|n| n.starts_with(of))
    };
    matches!(name, "memcpy" | "memmove" | "memset" | "memcmp" | "memchr")
        || ["memcpy.", "memmove.", "memset."]
            .iter()
            .any(|of| is_intrinsic(of))
}

/// The values that are read from a local variable, if nothing else is done with it than to read and write it.
pub fn variable(place: Value) -> Option<Vec<Value>> {
    if !place.is_instruction() || place.opcode() != LLVMAlloca {
        return None;
    }
    let mut loads = Vec::new();
    for user in place.uses() {
        match user.opcode() {
            LLVMLoad => loads.push(user),
            LLVMStore if user.operand(0) != place => {}
            LLVMCall if user.callee().is_some_and(|f| f.intrinsic_id() != 0) => {}
            _ => return None,
        }
    }
    Some(loads)
}

/// How a part of what a pointer leads to is read or written through this address, in a function that begins with this block.
fn accesses(address: Value, first: Block) -> Use {
    let mut all = Use::NONE;
    let mut open = vec![address];
    while let Some(value) = open.pop() {
        for user in value.uses() {
            match user.opcode() {
                LLVMLoad => all.add(Use::FOLLOWED.within(user.parent() == first)),
                LLVMStore if user.operand(0) != value => {
                    all.add(Use::FOLLOWED.within(user.parent() == first));
                }
                LLVMGetElementPtr | LLVMBitCast => open.push(user),
                _ => {}
            }
        }
    }
    all
}
