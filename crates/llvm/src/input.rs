//! Reading bitcode: plain and concatenated files, textual IR, and the `.llvmbc` section of ELF
//! objects and executables.

use crate::ffi::{Module, take_message};
use llvm_sys::bit_reader::LLVMParseBitcodeInContext2;
use llvm_sys::core::*;
#[allow(deprecated)] // its successor is not in LLVM 19
use llvm_sys::ir_reader::LLVMParseIRInContext;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMDiagnosticSeverity, core};
use object::{Object, ObjectSection};
use std::ffi::c_void;
use std::path::Path;

const MAGIC: [u8; 4] = [b'B', b'C', 0xC0, 0xDE];
const WRAPPER: [u8; 4] = [0xDE, 0xC0, 0x17, 0x0B];

/// The one context of this process, with its last error message.
pub struct Context {
    /// LLVM's handle.
    pub raw: LLVMContextRef,
    #[allow(clippy::box_collection)] // its address is registered with LLVM
    last_error: Box<String>,
}

extern "C" fn on_diagnostic(info: LLVMDiagnosticInfoRef, place: *mut c_void) {
    // SAFETY: `place` is the boxed string that `Context::new` registered; it lives as long as the context.
    unsafe {
        if LLVMGetDiagInfoSeverity(info) == LLVMDiagnosticSeverity::LLVMDSError {
            *place.cast::<String>() = take_message(LLVMGetDiagInfoDescription(info));
        }
    }
}

impl Context {
    /// Makes the context and sets LLVM up for x86-64.
    ///
    /// # Errors
    /// There is no library of LLVM.
    pub fn new() -> Result<Context, String> {
        crate::libllvm::opened()?;
        static OPTIONS: std::sync::Once = std::sync::Once::new();
        OPTIONS.call_once(crate::passes::set_pass_options);
        let mut last_error = Box::new(String::new());
        // SAFETY: plain creation; the box's content does not move.
        let raw = unsafe {
            let raw = core::LLVMContextCreate();
            LLVMContextSetDiagnosticHandler(
                raw,
                Some(on_diagnostic),
                std::ptr::from_mut(last_error.as_mut()).cast(),
            );
            llvm_sys::target::LLVMInitializeX86TargetInfo();
            llvm_sys::target::LLVMInitializeX86Target();
            llvm_sys::target::LLVMInitializeX86TargetMC();
            llvm_sys::target::LLVMInitializeX86AsmParser();
            raw
        };
        Ok(Context { raw, last_error })
    }

    /// The last error that LLVM reported; it is forgotten.
    pub fn take_error(&mut self) -> String {
        std::mem::take(&mut *self.last_error)
    }

    /// Parses one bitcode module.
    pub fn parse(&mut self, bytes: &[u8], name: &str) -> Result<Module, String> {
        let reader = crate::libllvm::version_opened();
        if let Some(producer) = crate::producer::producer(bytes)
            && crate::producer::major_version(&producer).is_some_and(|v| v > reader)
        {
            return Err(format!(
                "bitcode of {producer} cannot be read with the library of LLVM {reader}"
            ));
        }
        let name = crate::ffi::c(name);
        let mut module = std::ptr::null_mut();
        // SAFETY: the buffer copies the bytes; LLVM reports errors through the handler.
        let failed = unsafe {
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
                bytes.as_ptr().cast(),
                bytes.len(),
                name.as_ptr(),
            );
            let failed = LLVMParseBitcodeInContext2(self.raw, buffer, &mut module);
            LLVMDisposeMemoryBuffer(buffer);
            failed
        };
        if failed != 0 {
            return Err(explain(&self.take_error()));
        }
        Ok(Module(module))
    }

    /// Parses textual IR.
    pub fn parse_text(&mut self, bytes: &[u8], name: &str) -> Result<Module, String> {
        let name = crate::ffi::c(name);
        let mut module = std::ptr::null_mut();
        let mut message = std::ptr::null_mut();
        // SAFETY: the buffer copies the bytes and belongs to the parser afterwards.
        let failed = unsafe {
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
                bytes.as_ptr().cast(),
                bytes.len(),
                name.as_ptr(),
            );
            #[allow(deprecated)]
            LLVMParseIRInContext(self.raw, buffer, &mut module, &mut message)
        };
        if failed != 0 {
            let text = take_message(message);
            let mut why = format!(
                "not readable as LLVM IR: {}",
                text.lines().next().unwrap_or("")
            );
            if has_definitions(bytes) {
                let reader = crate::libllvm::version_opened();
                why += &format!(
                    " (read as text of LLVM {reader}; for a newer one give the bitcode, which its llvm-as or \
                     `-emit-llvm -c` makes)"
                );
            }
            return Err(why);
        }
        Ok(Module(module))
    }

    /// All modules of a file.
    pub fn read(&mut self, path: &Path) -> Result<Vec<Module>, String> {
        let shown = path.display();
        let bytes = std::fs::read(path).map_err(|e| format!("{shown}: {e}"))?;
        let name = path.to_string_lossy();
        let parts = bitcode_in(&bytes).map_err(|why| format!("{shown}: {why}"))?;
        match parts {
            FileContent::Modules(parts) => parts
                .iter()
                .map(|part| {
                    self.parse(part, &name)
                        .map_err(|why| format!("{shown}: {why}"))
                })
                .collect(),
            FileContent::Text => Ok(vec![
                self.parse_text(&bytes, &name)
                    .map_err(|why| format!("{shown}: {why}"))?,
            ]),
        }
    }
}

/// LLVM's message in the user's terms.
fn explain(message: &str) -> String {
    if message.is_empty() {
        "not valid bitcode".into()
    } else {
        format!("not valid bitcode: {message}")
    }
}

/// The content of a file.
pub enum FileContent<'a> {
    /// Bitcode, one slice for each module.
    Modules(Vec<&'a [u8]>),
    /// Textual IR.
    Text,
}

/// Finds the bitcode in the bytes of a file.
pub fn bitcode_in(bytes: &[u8]) -> Result<FileContent<'_>, String> {
    if bytes.starts_with(&MAGIC) || bytes.starts_with(&WRAPPER) {
        return split(bytes).map(FileContent::Modules);
    }
    if bytes.starts_with(b"\x7fELF") {
        return match section(bytes)? {
            Some(section) => split(section).map(FileContent::Modules),
            None => Err("no bitcode in this object (compile it with `polypath cc`)".into()),
        };
    }
    if bytes.starts_with(b"!<arch>\n") {
        return Err("an archive is not a program; give it as a library".into());
    }
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.trim().is_empty() && !text.contains('\0') => Ok(FileContent::Text),
        Ok(text) if text.trim().is_empty() => Err("the file is empty".into()),
        _ => Err("neither LLVM bitcode nor an ELF file".into()),
    }
}

/// The `.llvmbc` section of an ELF file.
pub fn section(bytes: &[u8]) -> Result<Option<&[u8]>, String> {
    let file = object::File::parse(bytes).map_err(|e| format!("not a valid ELF file: {e}"))?;
    let Some(section) = file.section_by_name(".llvmbc") else {
        return Ok(None);
    };
    let data = section
        .data()
        .map_err(|e| format!("section .llvmbc: {e}"))?;
    Ok((!data.is_empty()).then_some(data))
}

/// Cuts concatenated bitcode into modules, by the lengths of its top-level blocks.
pub fn split(bytes: &[u8]) -> Result<Vec<&[u8]>, String> {
    let mut modules = Vec::new();
    let word = |at: usize| -> Option<u32> {
        bytes
            .get(at..at + 4)
            .map(|b| u32::from_le_bytes(b.try_into().expect("four bytes")))
    };
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == 0 {
            at += 1; // padding between sections
            continue;
        }
        if bytes[at..].starts_with(&WRAPPER) {
            let (Some(offset), Some(size)) = (word(at + 8), word(at + 12)) else {
                return Err("truncated bitcode".into());
            };
            let (from, to) = (at + offset as usize, at + offset as usize + size as usize);
            modules.push(bytes.get(from..to).ok_or("truncated bitcode")?);
            at = to;
            continue;
        }
        if !bytes[at..].starts_with(&MAGIC) {
            return Err(if modules.is_empty() {
                "not LLVM bitcode"
            } else {
                "foreign bytes behind the bitcode"
            }
            .into());
        }
        let start = at;
        at += 4;
        // Top-level blocks: abbreviation id 1 in two bits, block id, abbreviation width, then the length in words.
        while let Some(head) = word(at) {
            if head & 3 != 1 || bytes[at..].starts_with(&MAGIC) {
                break;
            }
            let Some(words) = word(at + 4) else {
                return Err("truncated bitcode".into());
            };
            at += 8 + words as usize * 4;
            if at > bytes.len() {
                return Err("truncated bitcode".into());
            }
        }
        if at == start + 4 {
            return Err("truncated bitcode".into());
        }
        modules.push(&bytes[start..at]);
    }
    if modules.is_empty() {
        Err("no bitcode".into())
    } else {
        Ok(modules)
    }
}

/// Whether some line begins as those of textual IR do: what is not readable may then be newer than the reader.
fn has_definitions(text: &[u8]) -> bool {
    let begins = |line: &[u8]| {
        [&b"define "[..], b"declare ", b"target ", b"source_filename"]
            .iter()
            .any(|word| line.starts_with(word))
    };
    text.split(|&byte| byte == b'\n').any(begins)
}
