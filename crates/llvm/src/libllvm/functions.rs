//! The functions of LLVM's C interface that this crate calls, by name, and where each lies in the library that was opened.
//!
//! `llvm-sys` declares them, and each is defined here: a jump through a word of a table, as the linker itself would make it
//! for a shared library. A function that is called and has no line here is an undefined symbol when the program is linked.

use std::sync::atomic::{AtomicUsize, Ordering};

macro_rules! functions {
    ($(#[doc = $doc:literal] $list:ident: $($name:ident)*;)*) => {
        $(#[doc = $doc] const $list: &[&str] = &[$(stringify!($name)),*];)*

        const COUNT: usize = 0 $($(+ { let _name = stringify!($name); 1 })*)*;

        std::arch::global_asm!(
            ".pushsection .text.polypath_libllvm,\"ax\",@progbits",
            $($(
                concat!(".globl ", stringify!($name)),
                concat!(".hidden ", stringify!($name)),
                concat!(".type ", stringify!($name), ",@function"),
                concat!(stringify!($name), ": jmp *polypath_slot_", stringify!($name), "(%rip)"),
            )*)*
            ".popsection",
            ".pushsection .data.polypath_libllvm,\"aw\",@progbits",
            ".balign 8",
            ".globl polypath_libllvm_slots",
            ".hidden polypath_libllvm_slots",
            "polypath_libllvm_slots:",
            $($(
                concat!("polypath_slot_", stringify!($name), ": .quad {absent}"),
            )*)*
            ".popsection",
            absent = sym absent,
            options(att_syntax)
        );
    };
}

// The order of the two lists is that of the table.
functions! {
    /// Those that every version has.
    REQUIRED:
        LLVMABIAlignmentOfType
        LLVMABISizeOfType
        LLVMAddAlias2
        LLVMAddAttributeAtIndex
        LLVMAddCallSiteAttribute
        LLVMAddFunction
        LLVMAddGlobal
        LLVMAddIncoming
        LLVMAliasGetAliasee
        LLVMAppendBasicBlockInContext
        LLVMArrayType2
        LLVMBuildAShr
        LLVMBuildAlloca
        LLVMBuildAnd
        LLVMBuildBinOp
        LLVMBuildCall2
        LLVMBuildCast
        LLVMBuildFCmp
        LLVMBuildFNeg
        LLVMBuildICmp
        LLVMBuildIntCast2
        LLVMBuildLoad2
        LLVMBuildMemSet
        LLVMBuildPhi
        LLVMBuildRetVoid
        LLVMBuildSelect
        LLVMCanValueUseFastMathFlags
        LLVMConstArray2
        LLVMConstBitCast
        LLVMConstGEP2
        LLVMConstInt
        LLVMConstIntGetSExtValue
        LLVMConstIntGetZExtValue
        LLVMConstNull
        LLVMConstStructInContext
        LLVMConstVector
        LLVMContextCreate
        LLVMContextSetDiagnosticHandler
        LLVMCountIncoming
        LLVMCountParamTypes
        LLVMCountParams
        LLVMCountStructElementTypes
        LLVMCreateBuilderInContext
        LLVMCreateEnumAttribute
        LLVMCreateMemoryBufferWithMemoryRangeCopy
        LLVMCreatePassBuilderOptions
        LLVMCreateStringAttribute
        LLVMDIFileGetDirectory
        LLVMDIFileGetFilename
        LLVMDILocationGetColumn
        LLVMDILocationGetLine
        LLVMDILocationGetScope
        LLVMDIScopeGetFile
        LLVMDISubprogramGetLine
        LLVMDITypeGetName
        LLVMDITypeGetOffsetInBits
        LLVMDITypeGetSizeInBits
        LLVMDeleteFunction
        LLVMDeleteGlobal
        LLVMDisposeBuilder
        LLVMDisposeErrorMessage
        LLVMDisposeMemoryBuffer
        LLVMDisposeMessage
        LLVMDisposePassBuilderOptions
        LLVMDisposeValueMetadataEntries
        LLVMFunctionType
        LLVMGEPSetNoWrapFlags
        LLVMGetAggregateElement
        LLVMGetAlignment
        LLVMGetAllocatedType
        LLVMGetArgOperand
        LLVMGetArrayLength2
        LLVMGetAsString
        LLVMGetAtomicRMWBinOp
        LLVMGetAttributeCountAtIndex
        LLVMGetAttributesAtIndex
        LLVMGetBasicBlockParent
        LLVMGetBasicBlockTerminator
        LLVMGetBlockAddressBasicBlock
        LLVMGetCallSiteAttributeCount
        LLVMGetCallSiteAttributes
        LLVMGetCallSiteEnumAttribute
        LLVMGetCalledFunctionType
        LLVMGetCalledValue
        LLVMGetClause
        LLVMGetConstOpcode
        LLVMGetDebugLocLine
        LLVMGetDiagInfoDescription
        LLVMGetDiagInfoSeverity
        LLVMGetElementType
        LLVMGetEnumAttributeAtIndex
        LLVMGetEnumAttributeKind
        LLVMGetEnumAttributeKindForName
        LLVMGetEnumAttributeValue
        LLVMGetErrorMessage
        LLVMGetExact
        LLVMGetFCmpPredicate
        LLVMGetFastMathFlags
        LLVMGetFirstBasicBlock
        LLVMGetFirstFunction
        LLVMGetFirstGlobal
        LLVMGetFirstGlobalAlias
        LLVMGetFirstGlobalIFunc
        LLVMGetFirstInstruction
        LLVMGetFirstUse
        LLVMGetGEPSourceElementType
        LLVMGetGlobalParent
        LLVMGetICmpPredicate
        LLVMGetIncomingBlock
        LLVMGetIncomingValue
        LLVMGetIndices
        LLVMGetInitializer
        LLVMGetInlineAsmAsmString
        LLVMGetInlineAsmConstraintString
        LLVMGetInstructionOpcode
        LLVMGetInstructionParent
        LLVMGetIntTypeWidth
        LLVMGetIntrinsicID
        LLVMGetLinkage
        LLVMGetMDKindIDInContext
        LLVMGetMDNodeNumOperands
        LLVMGetMDNodeOperands
        LLVMGetMDString
        LLVMGetMaskValue
        LLVMGetMetadata
        LLVMGetMetadataKind
        LLVMGetModuleContext
        LLVMGetModuleDataLayout
        LLVMGetModuleInlineAsm
        LLVMGetNSW
        LLVMGetNamedFunction
        LLVMGetNamedGlobal
        LLVMGetNamedMetadataNumOperands
        LLVMGetNamedMetadataOperands
        LLVMGetNextBasicBlock
        LLVMGetNextFunction
        LLVMGetNextGlobal
        LLVMGetNextGlobalAlias
        LLVMGetNextGlobalIFunc
        LLVMGetNextInstruction
        LLVMGetNextUse
        LLVMGetNumArgOperands
        LLVMGetNumClauses
        LLVMGetNumIndices
        LLVMGetNumMaskElements
        LLVMGetNumOperands
        LLVMGetNumSuccessors
        LLVMGetOperand
        LLVMGetOrdering
        LLVMGetParam
        LLVMGetParamTypes
        LLVMGetPointerAddressSpace
        LLVMGetPreviousInstruction
        LLVMGetReturnType
        LLVMGetSection
        LLVMGetStringAttributeAtIndex
        LLVMGetStringAttributeValue
        LLVMGetStructName
        LLVMGetSubprogram
        LLVMGetSuccessor
        LLVMGetTypeAttributeValue
        LLVMGetTypeKind
        LLVMGetUnnamedAddress
        LLVMGetUser
        LLVMGetValueKind
        LLVMGetValueName2
        LLVMGetVectorSize
        LLVMGetVisibility
        LLVMGetVolatile
        LLVMGlobalCopyAllMetadata
        LLVMGlobalEraseMetadata
        LLVMGlobalGetValueType
        LLVMGlobalSetMetadata
        LLVMHasMetadata
        LLVMInitializeX86AsmParser
        LLVMInitializeX86Target
        LLVMInitializeX86TargetInfo
        LLVMInitializeX86TargetMC
        LLVMInstructionEraseFromParent
        LLVMInstructionGetAllMetadataOtherThanDebugLoc
        LLVMInstructionGetDebugLoc
        LLVMInstructionSetDebugLoc
        LLVMInt1TypeInContext
        LLVMInt32TypeInContext
        LLVMInt64TypeInContext
        LLVMInt8TypeInContext
        LLVMIntTypeInContext
        LLVMIntrinsicGetName
        LLVMIsACallInst
        LLVMIsADbgDeclareInst
        LLVMIsADbgInfoIntrinsic
        LLVMIsAGlobalValue
        LLVMIsAInlineAsm
        LLVMIsAInstruction
        LLVMIsAMDString
        LLVMIsATerminatorInst
        LLVMIsCleanup
        LLVMIsConditional
        LLVMIsConstant
        LLVMIsConstantString
        LLVMIsDeclaration
        LLVMIsFunctionVarArg
        LLVMIsGlobalConstant
        LLVMIsNull
        LLVMIsStringAttribute
        LLVMIsThreadLocal
        LLVMIsTypeAttribute
        LLVMIsUndef
        LLVMLinkModules2
        LLVMMDNodeInContext2
        LLVMMetadataAsValue
        LLVMOffsetOfElement
        LLVMParseBitcodeInContext2
        LLVMParseCommandLineOptions
        LLVMParseIRInContext
        LLVMPointerTypeInContext
        LLVMPositionBuilderAtEnd
        LLVMPositionBuilderBefore
        LLVMPreferredAlignmentOfGlobal
        LLVMPrintModuleToFile
        LLVMPrintTypeToString
        LLVMPrintValueToString
        LLVMRemoveCallSiteEnumAttribute
        LLVMRemoveCallSiteStringAttribute
        LLVMRemoveEnumAttributeAtIndex
        LLVMRemoveStringAttributeAtIndex
        LLVMReplaceAllUsesWith
        LLVMRunPasses
        LLVMSetAlignment
        LLVMSetCurrentDebugLocation2
        LLVMSetExact
        LLVMSetGlobalConstant
        LLVMSetInitializer
        LLVMSetIsDisjoint
        LLVMSetLinkage
        LLVMSetMetadata
        LLVMSetNNeg
        LLVMSetNSW
        LLVMSetNUW
        LLVMSetOperand
        LLVMSetValueName2
        LLVMSetVolatile
        LLVMStoreSizeOfType
        LLVMStructGetTypeAtIndex
        LLVMStructTypeInContext
        LLVMTypeIsSized
        LLVMTypeOf
        LLVMValueAsBasicBlock
        LLVMValueAsMetadata
        LLVMValueMetadataEntriesGetKind
        LLVMVoidTypeInContext
        LLVMWriteBitcodeToFile;
    /// Those that some versions lack, or have and must not be called in: whoever calls one asks [`super::has`], or for the version.
    OPTIONAL:
        LLVMDbgRecordGetDebugLoc
        LLVMDbgRecordGetKind
        LLVMDbgVariableRecordGetValue
        LLVMDbgVariableRecordGetVariable
        LLVMGetFirstDbgRecord
        LLVMGetNextDbgRecord
        LLVMGetSwitchCaseValue
        LLVMSetICmpSameSign
        LLVMSetIsNewDbgInfoFormat;
}

unsafe extern "C" {
    /// One word for each function: those of [`REQUIRED`], then those of [`OPTIONAL`].
    static polypath_libllvm_slots: [AtomicUsize; COUNT];
}

/// What a function leads to that the library lacks, or before there is a library.
extern "C" fn absent() -> ! {
    say::err!("internal error: a function of LLVM was called that is not there");
    std::process::abort()
}

fn absent_address() -> usize {
    let absent: extern "C" fn() -> ! = absent;
    absent as usize
}

/// Fills the table. `find` gives the address of a function of the library.
///
/// # Errors
/// The name of a function that every version should have.
pub fn fill(find: impl Fn(&str) -> Option<usize>) -> Result<(), &'static str> {
    // SAFETY: the table is defined above and has this many words; whoever calls through it at the same time reads whole words.
    let slots = unsafe { &polypath_libllvm_slots };
    for (name, slot) in REQUIRED.iter().zip(slots) {
        slot.store(find(name).ok_or(*name)?, Ordering::Relaxed);
    }
    for (name, slot) in OPTIONAL.iter().zip(&slots[REQUIRED.len()..]) {
        slot.store(find(name).unwrap_or(absent_address()), Ordering::Relaxed);
    }
    Ok(())
}

/// Whether the library that was opened has a function of the list of those that may be absent.
pub fn is_there(name: &str) -> bool {
    let at = OPTIONAL.iter().position(|n| *n == name);
    // SAFETY: as in `fill`.
    let slots = unsafe { &polypath_libllvm_slots };
    at.is_some_and(|at| slots[REQUIRED.len() + at].load(Ordering::Relaxed) != absent_address())
}
