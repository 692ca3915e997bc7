//! Nodes of debug information, where LLVM's C API has no accessors: references by operand number (as in
//! `DebugInfoMetadata.h` of LLVM 19), plain fields out of the node's printed form.

use crate::ffi::{Metadata, Value, take_message};
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;

/// Operand numbers of the references that are followed.
pub const DERIVED_BASE: usize = 3;
pub const COMPOSITE_BASE: usize = 3;
pub const COMPOSITE_ELEMENTS: usize = 4;
pub const SUBROUTINE_TYPES: usize = 3;
pub const SUBPROGRAM_TYPE: usize = 4;
pub const VARIABLE_TYPE: usize = 3;

/// A metadata node.
#[derive(Clone, Copy)]
pub struct MdNode {
    pub raw: LLVMMetadataRef,
    context: LLVMContextRef,
}

impl MdNode {
    pub fn new(metadata: Metadata, context: LLVMContextRef) -> MdNode {
        MdNode {
            raw: metadata.0,
            context,
        }
    }

    /// The node that a value stands for; `None` for constants and the like.
    pub fn of_value(value: Value, context: LLVMContextRef) -> Option<MdNode> {
        // SAFETY: the kind is asked before the value is taken for metadata.
        unsafe {
            (LLVMGetValueKind(value.0) == llvm_sys::LLVMValueKind::LLVMMetadataAsValueValueKind)
                .then(|| MdNode {
                    raw: LLVMValueAsMetadata(value.0),
                    context,
                })
        }
    }

    fn value(self) -> LLVMValueRef {
        // SAFETY: node and context are live (see `ffi`).
        unsafe { LLVMMetadataAsValue(self.context, self.raw) }
    }

    /// The kind of node.
    pub fn kind(self) -> LLVMMetadataKind {
        // SAFETY: as above.
        unsafe { LLVMGetMetadataKind(self.raw) }
    }

    fn is_node(self) -> bool {
        use LLVMMetadataKind::*;
        !matches!(
            self.kind(),
            LLVMMDStringMetadataKind
                | LLVMConstantAsMetadataMetadataKind
                | LLVMLocalAsMetadataMetadataKind
        )
    }

    /// The operands, as values; null references are `None`.
    fn operands(self) -> Vec<Option<Value>> {
        if !self.is_node() {
            return Vec::new();
        }
        // SAFETY: LLVM fills as many operands as it counts.
        unsafe {
            let value = self.value();
            let count = LLVMGetMDNodeNumOperands(value) as usize;
            let mut list = vec![std::ptr::null_mut(); count];
            LLVMGetMDNodeOperands(value, list.as_mut_ptr());
            list.into_iter()
                .map(|v| (!v.is_null()).then_some(Value(v)))
                .collect()
        }
    }

    /// The node that an operand refers to.
    pub fn reference(self, operand: usize) -> Option<MdNode> {
        let value = (*self.operands().get(operand)?)?;
        MdNode::of_value(value, self.context)
    }

    /// The elements of a list; a null one is `None`.
    pub fn elements(self) -> Vec<Option<MdNode>> {
        self.operands()
            .into_iter()
            .map(|v| v.and_then(|v| MdNode::of_value(v, self.context)))
            .collect()
    }

    /// The constant that an operand is.
    pub fn constant(self, operand: usize) -> Option<i64> {
        let value = (*self.operands().get(operand)?)?;
        (value.value_kind() == llvm_sys::LLVMValueKind::LLVMConstantIntValueKind)
            .then(|| value.sext_value())
    }

    /// The node as LLVM prints it.
    pub fn text(self) -> String {
        // SAFETY: LLVM hands out a message of its own.
        let text = take_message(unsafe { LLVMPrintValueToString(self.value()) });
        #[cfg(test)]
        tests::PRINTED.with_borrow_mut(|printed| printed.push(text.clone()));
        text
    }

    /// The name of a type.
    pub fn type_name(self) -> String {
        let mut len = 0;
        // SAFETY: pointer and length of a string that lives as long as the context.
        unsafe {
            let name = LLVMDITypeGetName(self.raw, &mut len);
            if name.is_null() {
                String::new()
            } else {
                String::from_utf8_lossy(std::slice::from_raw_parts(name.cast(), len)).into_owned()
            }
        }
    }

    /// The size of a type in bits.
    pub fn size(self) -> u64 {
        // SAFETY: called for types only.
        unsafe { LLVMDITypeGetSizeInBits(self.raw) }
    }

    /// The offset of a member in bits.
    pub fn offset(self) -> u64 {
        // SAFETY: called for types only.
        unsafe { LLVMDITypeGetOffsetInBits(self.raw) }
    }
}

/// A plain field of a printed node: the text behind `key: `, without quotes.
pub fn field<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let mut rest = text;
    loop {
        let at = rest.find(key)?;
        let before = rest[..at].chars().next_back();
        let after = &rest[at + key.len()..];
        if matches!(before, Some('(' | ' '))
            && let Some(value) = after.strip_prefix(": ")
        {
            return match value.strip_prefix('"') {
                Some(quoted) => quoted.split('"').next(),
                None => value.split([',', ')']).next(),
            };
        }
        rest = after;
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::field;
    use std::cell::RefCell;

    thread_local! {
        /// What was printed by this thread.
        pub static PRINTED: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    }

    #[test]
    fn fields_of_a_printed_node() {
        let text = "<0x1> = !DIDerivedType(tag: DW_TAG_member, name: \"size\", size: 3, flags: DIFlagBitField | DIFlagPublic)";
        assert_eq!(field(text, "tag"), Some("DW_TAG_member"));
        assert_eq!(field(text, "name"), Some("size"));
        assert_eq!(field(text, "size"), Some("3"));
        assert_eq!(field(text, "flags"), Some("DIFlagBitField | DIFlagPublic"));
        assert_eq!(field(text, "offset"), None);
    }
}
