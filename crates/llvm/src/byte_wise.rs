//! String functions of the program itself that read whole words past the end of their string, on
//! purpose: gnulib brings them where the libc has none. Aligned words never cross a page, so no
//! machine notices, but byte-precise memory does (an access out of bounds in each grep and csplit).
//! They get bodies that read byte by byte and do the same, as our libc's own functions have.
//!
//! To add one: its name and its body in LLVM IR. Another function of the name stays as it is: one with another type,
//! and one that reads no words.

use crate::ffi::{Module, Value};
use crate::input::Context;
use crate::link::link_into;
use llvm_sys::LLVMOpcode::{LLVMAlloca, LLVMLoad};
use llvm_sys::core::{LLVMDeleteFunction, LLVMGlobalGetValueType};

const BODIES: &[(&str, &str)] = &[
    (
        "rawmemchr",
        "define ptr @rawmemchr(ptr %s, i32 %c) {
entry:
  %wanted = trunc i32 %c to i8
  br label %next
next:
  %at = phi ptr [ %s, %entry ], [ %after, %next ]
  %byte = load i8, ptr %at, align 1
  %found = icmp eq i8 %byte, %wanted
  %after = getelementptr i8, ptr %at, i64 1
  br i1 %found, label %done, label %next
done:
  ret ptr %at
}
",
    ),
    (
        "strchrnul",
        "define ptr @strchrnul(ptr %s, i32 %c) {
entry:
  %wanted = trunc i32 %c to i8
  br label %next
next:
  %at = phi ptr [ %s, %entry ], [ %after, %step ]
  %byte = load i8, ptr %at, align 1
  %found = icmp eq i8 %byte, %wanted
  br i1 %found, label %done, label %step
step:
  %end = icmp eq i8 %byte, 0
  %after = getelementptr i8, ptr %at, i64 1
  br i1 %end, label %done, label %next
done:
  ret ptr %at
}
",
    ),
];

/// Gives the program's own versions of these functions byte-wise bodies.
pub fn replace(context: &mut Context, program: Module) -> Result<(), String> {
    for (name, body) in BODIES {
        let Some(own) = program.function(name).filter(|f| !f.is_declaration()) else {
            continue;
        };
        let module = context.parse_text(body.as_bytes(), name)?;
        let same_type = module.function(name).is_some_and(|new| {
            // SAFETY: both are functions; types are unique in their context.
            unsafe { LLVMGlobalGetValueType(new.0) == LLVMGlobalGetValueType(own.0) }
        });
        if !same_type || !reads_words(own) {
            continue;
        }
        own.set_name("");
        link_into(context, program, module)?;
        if let Some(new) = program.function(name) {
            own.replace_all_uses(new);
            // SAFETY: nothing uses it any more.
            unsafe { LLVMDeleteFunction(own.0) };
        }
    }
    Ok(())
}

/// Does the function read more than a byte through a pointer that it did not make itself?
fn reads_words(f: Value) -> bool {
    f.blocks().flat_map(|b| b.instructions()).any(|inst| {
        // At -O0 parameters and locals live in variables, which are read as a whole.
        let from = (inst.opcode() == LLVMLoad).then(|| inst.operand(0));
        let ty = inst.ty();
        from.is_some_and(|p| p.is_instruction() && p.opcode() != LLVMAlloca)
            && ty.is_int()
            && ty.int_width() > 8
    })
}
