//! Names of the marks that we put into bitcode for our own later steps. Bitcode from outside can carry the same names,
//! by accident or on purpose; these would be wrong, so they are removed before the first mark is made.

use crate::ffi::{Module, Value};
use llvm_sys::core::*;

/// Attributes of functions: the program's own ones ([`crate::instrument`]), those that an optimizer made, and what
/// promotion took from the frame ([`crate::promoted`]).
pub const OWN: &str = "polypath-own";
/// See [`OWN`].
pub const OPTIMIZED: &str = "polypath-optimized";
/// See [`OWN`].
pub const PROMOTED: &str = "polypath-promoted";

const ATTRIBUTES: [&str; 3] = [OWN, OPTIMIZED, PROMOTED];

/// A kind of metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetadataKind {
    /// On a global variable: the program's own one.
    Own,
    /// On an access that was made volatile for the passes ([`crate::guard`]).
    Pinned,
    /// On a load that is the front end's ([`crate::raw`]).
    Raw,
}

impl MetadataKind {
    const ALL: [MetadataKind; 3] = [MetadataKind::Own, MetadataKind::Pinned, MetadataKind::Raw];

    fn name(self) -> &'static str {
        match self {
            MetadataKind::Own => "polypath.own",
            MetadataKind::Pinned => "polypath.pinned",
            MetadataKind::Raw => "polypath.raw",
        }
    }

    /// LLVM's number of the kind in the module's context.
    pub fn number(self, module: Module) -> u32 {
        let name = self.name();
        // SAFETY: a name with its length.
        unsafe {
            LLVMGetMDKindIDInContext(module.context(), name.as_ptr().cast(), name.len() as u32)
        }
    }
}

/// Removes whatever bears one of these names.
pub fn forget(module: Module) {
    let kinds = MetadataKind::ALL.map(|kind| kind.number(module));
    for f in module.functions() {
        ATTRIBUTES.iter().for_each(|name| forget_attribute(f, name));
        for inst in f.blocks().flat_map(|b| b.instructions()) {
            for kind in kinds {
                // SAFETY: an instruction; null takes the metadata away.
                unsafe { LLVMSetMetadata(inst.0, kind, std::ptr::null_mut()) };
            }
        }
    }
    for g in module.globals() {
        for kind in kinds {
            // SAFETY: a global of the module.
            unsafe { LLVMGlobalEraseMetadata(g.0, kind) };
        }
    }
}

fn forget_attribute(f: Value, name: &str) {
    let (place, len) = (llvm_sys::LLVMAttributeFunctionIndex, name.len() as u32);
    // SAFETY: the name with its length; `f` is a function.
    unsafe { LLVMRemoveStringAttributeAtIndex(f.0, place, name.as_ptr().cast(), len) };
}
