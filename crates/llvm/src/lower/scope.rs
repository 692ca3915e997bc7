//! Marks the begin and the end of scopes, for variables that can be accessed outside of them.
//!
//! clang marks scopes (`llvm.lifetime.start` and `end`). A variable in memory whose address only occurs in direct
//! accesses needs no marks: these are in its scope. That is most of them, and hiding a variable at the end of each
//! round of a loop costs more than the loop.
//!
//! The others: the address goes into memory, into a phi or select, or to a function that may keep it; or, once
//! pointers to it became registers, an access can be reached from an end without passing a start. Functions are
//! analyzed if their code is known (recursive ones are assumed to keep nothing until shown otherwise).
//!
//! Functions that call `setjmp` get no marks: a jump back may lead into a scope that was left.

use super::function::FnLower;
use crate::ffi::Value;
use llvm_sys::LLVMOpcode::*;
use llvm_sys::LLVMValueKind::*;
use llvm_sys::core::LLVMGetNextInstruction;
use rustc_hash::{FxHashMap, FxHashSet};
use vocab::Check;

/// Larger variables are not hidden: it would cost their pages.
const LARGEST: u64 = 8 << 20;
/// Uses of one address that are looked at.
const MAX_USES: usize = 1000;

/// Engine functions that keep no address.
const KEEP_NOTHING: [&str; 14] = [
    "memcpy",
    "memmove",
    "mempcpy",
    "memset",
    "memcmp",
    "bcmp",
    "memchr",
    "strlen",
    "free",
    "klee_make_symbolic",
    "klee_check_memory_access",
    "klee_define_fixed_object",
    "klee_is_symbolic",
    "klee_print_expr",
];

/// Functions that return an address which lies in one of their arguments.
const GIVE_BACK: [&str; 5] = ["memcpy", "memmove", "mempcpy", "memset", "memchr"];

/// The known facts about parameters: does their function keep the address given to it?
#[derive(Default)]
pub struct Captures(FxHashMap<(Value, u32), bool>);

impl Captures {
    fn parameter(&mut self, f: Value, index: u32) -> bool {
        if f.is_declaration() {
            return !KEEP_NOTHING.contains(&f.name().as_str());
        }
        if index >= f.param_count() {
            return true; // through the dots
        }
        if let Some(known) = self.0.get(&(f, index)) {
            return *known;
        }
        self.0.insert((f, index), false);
        let keeps = self.address(f.param(index)).is_none();
        self.0.insert((f, index), keeps);
        keeps
    }

    /// The instructions that access what `pointer` points to, if nothing keeps the address.
    fn address(&mut self, pointer: Value) -> Option<Vec<Value>> {
        let mut accesses = Vec::new();
        let mut work = vec![pointer];
        let mut count = 0;
        while let Some(pointer) = work.pop() {
            for user in pointer.uses() {
                count += 1;
                if count > MAX_USES || user.value_kind() != LLVMInstructionValueKind {
                    return None;
                }
                match user.opcode() {
                    LLVMLoad | LLVMICmp => accesses.push(user),
                    LLVMStore | LLVMAtomicRMW | LLVMAtomicCmpXchg => {
                        let place = u32::from(user.opcode() == LLVMStore);
                        let elsewhere = (0..user.operand_count())
                            .any(|i| i != place && user.operand(i) == pointer);
                        if elsewhere {
                            return None;
                        }
                        accesses.push(user);
                    }
                    LLVMGetElementPtr if !user.ty().is_vector() => work.push(user),
                    LLVMBitCast => work.push(user),
                    LLVMCall => {
                        if !self.call(user, pointer) {
                            return None;
                        }
                        accesses.push(user);
                        if gives_back(user) {
                            work.push(user);
                        }
                    }
                    _ => return None,
                }
            }
        }
        Some(accesses)
    }

    /// Does a call with the pointer among its arguments keep nothing of it?
    fn call(&mut self, call: Value, pointer: Value) -> bool {
        let Some(f) = call.callee() else {
            return false;
        };
        if f.intrinsic_id() != 0 || f.name().starts_with(crate::instrument::MARKER_PREFIX) {
            // Some give the same pointer back.
            return !call.ty().is_pointer();
        }
        (0..call.arg_count())
            .filter(|i| call.arg(*i) == pointer)
            .all(|i| !self.parameter(f, i))
    }
}

/// Does a call of an engine function give back an address that it was given?
fn gives_back(call: Value) -> bool {
    let given = |f: Value| f.is_declaration() && GIVE_BACK.contains(&f.name().as_str());
    call.callee().is_some_and(given)
}

/// The variable of a mark: its only operand since LLVM 22, before that behind the size.
fn marked(mark: Value) -> Value {
    mark.arg(mark.arg_count() - 1)
}

/// Is this a mark of the variable's scope, and of its start?
fn mark_of(inst: Value, variable: Value) -> Option<bool> {
    if inst.opcode() != LLVMCall {
        return None;
    }
    let name = inst.callee()?.name();
    let kind = name.strip_prefix("llvm.lifetime.")?;
    (marked(inst) == variable).then(|| kind.starts_with("start"))
}

/// Can one of the accesses run behind an end without a start in between?
fn reached_after_end(variable: Value, accesses: &[Value]) -> bool {
    let accesses: FxHashSet<Value> = accesses.iter().copied().collect();
    let ends = variable
        .uses()
        .into_iter()
        .filter(|u| mark_of(*u, variable) == Some(false));
    // SAFETY: a mark or another instruction that ends no block has a next one.
    let next = |at: Value| Value(unsafe { LLVMGetNextInstruction(at.0) });
    let mut work: Vec<Value> = ends.map(next).collect();
    let mut seen = FxHashSet::default();
    while let Some(mut at) = work.pop() {
        loop {
            match mark_of(at, variable) {
                Some(true) => break,
                None if accesses.contains(&at) => return true,
                _ => {}
            }
            if at.is_terminator() {
                let successors = (0..at.successor_count()).map(|i| at.successor(i));
                work.extend(successors.filter(|b| seen.insert(*b)).map(|b| b.first()));
                break;
            }
            at = next(at);
        }
    }
    false
}

impl FnLower<'_> {
    /// Finds the variables whose scopes are to be marked.
    pub fn find_scopes(&mut self) {
        if !self.own || !self.p.options.checks.has(Check::Scope) || self.body.returns_twice {
            return;
        }
        let function = self.function;
        let variables = function
            .blocks()
            .flat_map(|b| b.instructions())
            .filter(|i| i.opcode() == LLVMAlloca);
        for variable in variables {
            if !variable
                .uses()
                .iter()
                .any(|u| mark_of(*u, variable).is_some())
            {
                continue;
            }
            let needed = match self.p.captures.address(variable) {
                None => true,
                Some(accesses) => {
                    let real: Vec<Value> = accesses
                        .into_iter()
                        .filter(|a| mark_of(*a, variable).is_none() && a.opcode() != LLVMICmp)
                        .collect();
                    reached_after_end(variable, &real)
                }
            };
            if needed {
                self.scoped.insert(variable);
            }
        }
    }

    /// A mark of a scope.
    pub fn lifetime(&mut self, v: Value, start: bool) {
        let variable = marked(v);
        if !self.scoped.contains(&variable) {
            return;
        }
        let size = self.p.types.size(variable.allocated_type());
        let Ok(address) = self.val(variable) else {
            return;
        };
        if size > LARGEST || variable.operand(0).zext_value() != 1 {
            return;
        }
        let size = size as u32;
        self.emit(if start {
            ir::Inst::ScopeStart { address, size }
        } else {
            ir::Inst::ScopeEnd { address, size }
        });
    }
}
