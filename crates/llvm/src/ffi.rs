//! Thin, typed handles over LLVM's C API.
//!
//! All handles are plain pointers into one `Context` that lives until the process ends (the
//! process lowers one program and exits), so they are `Copy`, and nothing is disposed but what `erase` and linking
//! delete, which callers do not use again. That is why the methods are safe although their bodies are not; LLVM is
//! trusted to be asked what fits the kind of a value (an operand below the count, a predicate of a comparison).

use crate::{known, libllvm};
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMLinkage, LLVMOpcode, LLVMTypeKind, LLVMValueKind};
use std::ffi::{CStr, CString};

/// A constant, a global, an argument or an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Value(pub LLVMValueRef);

/// A type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Type(pub LLVMTypeRef);

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Block(pub LLVMBasicBlockRef);

/// A node of metadata, mostly of debug information.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Metadata(pub LLVMMetadataRef);

/// A module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Module(pub LLVMModuleRef);

/// A C string without inner zero bytes, as LLVM wants some of its arguments.
pub fn c(text: &str) -> CString {
    CString::new(text.replace('\0', "")).expect("zero bytes were removed")
}

/// Copies a message that LLVM allocated and frees it.
#[allow(clippy::not_unsafe_ptr_arg_deref)] // only LLVM's own messages come here; see the module comment
pub fn take_message(message: *mut std::ffi::c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: LLVM hands out a zero-terminated string that the caller has to dispose.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        text
    }
}

fn text(pointer: *const std::ffi::c_char, len: usize) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: LLVM gives pointer and length of a live string.
    let bytes = unsafe { std::slice::from_raw_parts(pointer.cast::<u8>(), len) };
    String::from_utf8_lossy(bytes).into_owned()
}

macro_rules! walk {
    ($name:ident, $item:ident, $first:ident, $next:ident) => {
        /// All of them in order; an item may be erased while it is visited.
        pub fn $name(self) -> impl Iterator<Item = $item> {
            // SAFETY: the handle is live; see the module comment.
            let mut at = unsafe { $first(self.0) };
            std::iter::from_fn(move || {
                if at.is_null() {
                    return None;
                }
                let item = $item(at);
                // The successor is read before the caller may erase the item.
                // SAFETY: the item is live; nobody has erased it yet.
                at = unsafe { $next(at) };
                Some(item)
            })
        }
    };
}

macro_rules! get {
    ($($name:ident -> $kind:ty = $call:expr;)*) => {
        $(#[doc = concat!("`", stringify!($call), "`")]
        pub fn $name(self) -> $kind {
            // SAFETY: the handle is live; see the module comment.
            #[allow(clippy::redundant_closure_call)]
            unsafe { ($call)(self.0) }
        })*
    };
}

impl Module {
    walk!(functions, Value, LLVMGetFirstFunction, LLVMGetNextFunction);
    walk!(globals, Value, LLVMGetFirstGlobal, LLVMGetNextGlobal);
    walk!(
        aliases,
        Value,
        LLVMGetFirstGlobalAlias,
        LLVMGetNextGlobalAlias
    );
    walk!(
        ifuncs,
        Value,
        LLVMGetFirstGlobalIFunc,
        LLVMGetNextGlobalIFunc
    );
    get! {
        context -> LLVMContextRef = |m| LLVMGetModuleContext(m);
        data_layout -> llvm_sys::target::LLVMTargetDataRef = |m| llvm_sys::target::LLVMGetModuleDataLayout(m);
    }

    /// The function with this name, defined or declared.
    pub fn function(self, name: &str) -> Option<Value> {
        // SAFETY: the name is a zero-terminated string that lives through the call.
        let value = unsafe { LLVMGetNamedFunction(self.0, c(name).as_ptr()) };
        (!value.is_null()).then_some(Value(value))
    }

    /// The variable with this name, defined or declared.
    pub fn global(self, name: &str) -> Option<Value> {
        // SAFETY: the same.
        let value = unsafe { LLVMGetNamedGlobal(self.0, c(name).as_ptr()) };
        (!value.is_null()).then_some(Value(value))
    }

    /// The assembly outside of functions.
    pub fn assembly(self) -> String {
        let mut len = 0;
        // SAFETY: the text with its length is the live module's, and is copied.
        unsafe { text(LLVMGetModuleInlineAsm(self.0, &mut len), len) }
    }

    /// Everything with a symbol: functions, variables, aliases, indirect functions.
    pub fn symbols(self) -> impl Iterator<Item = Value> {
        self.functions()
            .chain(self.globals())
            .chain(self.aliases())
            .chain(self.ifuncs())
    }
}

impl Type {
    get! {
        kind -> LLVMTypeKind = |t| known::type_kind(t);
        int_width -> u32 = |t| LLVMGetIntTypeWidth(t);
        element -> Type = |t| Type(LLVMGetElementType(t));
        array_len -> u64 = |t| LLVMGetArrayLength2(t);
        vector_len -> u32 = |t| LLVMGetVectorSize(t);
        field_count -> u32 = |t| LLVMCountStructElementTypes(t);
        is_variadic -> bool = |t| LLVMIsFunctionVarArg(t) != 0;
        return_type -> Type = |t| Type(LLVMGetReturnType(t));
        is_sized -> bool = |t| LLVMTypeIsSized(t) != 0;
        print -> String = |t| take_message(LLVMPrintTypeToString(t));
    }

    /// The name of a structure; empty when it has none.
    pub fn struct_name(self) -> String {
        // SAFETY: callers ask structures; LLVM gives a zero-terminated string that is its own, or null.
        unsafe {
            let name = LLVMGetStructName(self.0);
            if name.is_null() {
                return String::new();
            }
            CStr::from_ptr(name).to_string_lossy().into_owned()
        }
    }

    /// The type of a field of a structure.
    pub fn field(self, index: u32) -> Type {
        // SAFETY: callers pass the index of a field of a structure.
        Type(unsafe { LLVMStructGetTypeAtIndex(self.0, index) })
    }

    /// The parameters of a function type.
    pub fn params(self) -> Vec<Type> {
        // SAFETY: callers ask function types.
        let count = unsafe { LLVMCountParamTypes(self.0) } as usize;
        let mut list = vec![std::ptr::null_mut(); count];
        // SAFETY: the list has room for all parameters.
        unsafe { LLVMGetParamTypes(self.0, list.as_mut_ptr()) };
        list.into_iter().map(Type).collect()
    }

    /// Whether it is `void`.
    pub fn is_void(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMVoidTypeKind
    }
    /// Whether it is an integer of any width.
    pub fn is_int(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMIntegerTypeKind
    }
    /// Whether it is a pointer.
    pub fn is_pointer(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMPointerTypeKind
    }
    /// Whether it is a structure.
    pub fn is_struct(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMStructTypeKind
    }
    /// Whether it is an array.
    pub fn is_array(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMArrayTypeKind
    }
    /// Whether it is a vector, of fixed length or not.
    pub fn is_vector(self) -> bool {
        matches!(
            self.kind(),
            LLVMTypeKind::LLVMVectorTypeKind | LLVMTypeKind::LLVMScalableVectorTypeKind
        )
    }
    /// The element of a vector, or the type itself.
    pub fn scalar(self) -> Type {
        if self.is_vector() {
            self.element()
        } else {
            self
        }
    }
}

impl Block {
    walk!(
        instructions,
        Value,
        LLVMGetFirstInstruction,
        LLVMGetNextInstruction
    );
    get! {
        terminator -> Value = |b| Value(LLVMGetBasicBlockTerminator(b));
        as_value -> Value = |b| Value(LLVMBasicBlockAsValue(b));
        first -> Value = |b| Value(LLVMGetFirstInstruction(b));
    }
}

impl Value {
    walk!(blocks, Block, LLVMGetFirstBasicBlock, LLVMGetNextBasicBlock);
    get! {
        ty -> Type = |v| Type(LLVMTypeOf(v));
        value_kind -> LLVMValueKind = |v| known::value_kind(v);
        operand_count -> u32 = |v| LLVMGetNumOperands(v) as u32;
        opcode -> LLVMOpcode = |v| known::opcode(LLVMGetInstructionOpcode, v);
        const_opcode -> LLVMOpcode = |v| known::opcode(LLVMGetConstOpcode, v);
        is_constant -> bool = |v| LLVMIsConstant(v) != 0;
        is_null -> bool = |v| LLVMIsNull(v) != 0;
        is_undef -> bool = |v| LLVMIsUndef(v) != 0;
        is_declaration -> bool = |v| LLVMIsDeclaration(v) != 0;
        is_thread_local -> bool = |v| LLVMIsThreadLocal(v) != 0;
        is_global_constant -> bool = |v| LLVMIsGlobalConstant(v) != 0;
        is_global -> bool = |v| !LLVMIsAGlobalValue(v).is_null();
        is_instruction -> bool = |v| !LLVMIsAInstruction(v).is_null();
        is_call -> bool = |v| !LLVMIsACallInst(v).is_null();
        is_inline_asm -> bool = |v| !LLVMIsAInlineAsm(v).is_null();
        is_terminator -> bool = |v| !LLVMIsATerminatorInst(v).is_null();
        linkage -> LLVMLinkage = |v| LLVMGetLinkage(v);
        value_type -> Type = |v| Type(LLVMGlobalGetValueType(v));
        alignment -> u32 = |v| LLVMGetAlignment(v);
        param_count -> u32 = |v| LLVMCountParams(v);
        parent -> Block = |v| Block(LLVMGetInstructionParent(v));
        called_value -> Value = |v| Value(LLVMGetCalledValue(v));
        called_type -> Type = |v| Type(LLVMGetCalledFunctionType(v));
        arg_count -> u32 = |v| LLVMGetNumArgOperands(v);
        successor_count -> u32 = |v| LLVMGetNumSuccessors(v);
        is_conditional -> bool = |v| LLVMIsConditional(v) != 0;
        incoming_count -> u32 = |v| LLVMCountIncoming(v);
        index_count -> u32 = |v| LLVMGetNumIndices(v);
        gep_source -> Type = |v| Type(LLVMGetGEPSourceElementType(v));
        allocated_type -> Type = |v| Type(LLVMGetAllocatedType(v));
        intrinsic_id -> u32 = |v| LLVMGetIntrinsicID(v);
        nsw -> bool = |v| LLVMGetNSW(v) != 0;
        is_volatile -> bool = |v| LLVMGetVolatile(v) != 0;
        as_block -> Block = |v| Block(LLVMValueAsBasicBlock(v));
        print -> String = |v| take_message(LLVMPrintValueToString(v));
        aliasee -> Value = |v| Value(LLVMAliasGetAliasee(v));
        is_constant_string -> bool = |v| LLVMIsConstantString(v) != 0;
        zext_value -> u64 = |v| LLVMConstIntGetZExtValue(v);
        sext_value -> i64 = |v| LLVMConstIntGetSExtValue(v);
        first_block -> Block = |v| Block(LLVMGetFirstBasicBlock(v));
        block_count -> u32 = |v| LLVMCountBasicBlocks(v);
        has_uses -> bool = |v| !LLVMGetFirstUse(v).is_null();
        debug_loc -> Option<Metadata> = |v| some(LLVMInstructionGetDebugLoc(v));
        subprogram -> Option<Metadata> = |v| some(LLVMGetSubprogram(v));
    }

    /// Its name; empty when it has none.
    pub fn name(self) -> String {
        let mut len = 0;
        // SAFETY: the handle is live; `len` receives the length.
        let pointer = unsafe { LLVMGetValueName2(self.0, &mut len) };
        text(pointer, len)
    }

    /// Renames it; LLVM adds a number where the name is taken.
    pub fn set_name(self, name: &str) {
        // SAFETY: LLVM copies the name, which is given with its length.
        unsafe { LLVMSetValueName2(self.0, name.as_ptr().cast(), name.len()) }
    }

    /// Whether a function or variable is only seen inside of the library.
    pub fn is_hidden(self) -> bool {
        // SAFETY: callers ask globals.
        let visibility = unsafe { LLVMGetVisibility(self.0) };
        matches!(visibility, llvm_sys::LLVMVisibility::LLVMHiddenVisibility)
    }

    /// An operand, by an index below `operand_count`.
    pub fn operand(self, index: u32) -> Value {
        // SAFETY: the index is below `operand_count`: callers know it from the opcode, or count.
        Value(unsafe { LLVMGetOperand(self.0, index) })
    }
    /// The values and targets of a switch without its default.
    pub fn cases(self) -> Vec<(Value, Block)> {
        // Since LLVM 22, the values are no operands. Number 0 is the default.
        if libllvm::has("LLVMGetSwitchCaseValue") {
            let value = |i| {
                // SAFETY: the number of a case is that of its successor.
                Value(unsafe { LLVMGetSwitchCaseValue(self.0, i) })
            };
            let numbers = 1..self.successor_count();
            return numbers.map(|i| (value(i), self.successor(i))).collect();
        }
        (2..self.operand_count())
            .step_by(2)
            .map(|i| (self.operand(i), self.operand(i + 1).as_block()))
            .collect()
    }
    /// All operands in order.
    pub fn operands(self) -> impl Iterator<Item = Value> {
        (0..self.operand_count()).map(move |i| self.operand(i))
    }
    /// Replaces an operand.
    pub fn set_operand(self, index: u32, value: Value) {
        // SAFETY: as in `operand`.
        unsafe { LLVMSetOperand(self.0, index, value.0) }
    }
    /// An argument of a call, by an index below `arg_count`.
    pub fn arg(self, index: u32) -> Value {
        // SAFETY: the value is a call, and the index is below `arg_count`.
        Value(unsafe { LLVMGetArgOperand(self.0, index) })
    }
    /// A parameter of a function, by an index below `param_count`.
    pub fn param(self, index: u32) -> Value {
        // SAFETY: the value is a function, and the index is below `param_count`.
        Value(unsafe { LLVMGetParam(self.0, index) })
    }
    /// A successor of a terminator, by an index below `successor_count`.
    pub fn successor(self, index: u32) -> Block {
        // SAFETY: the value is a terminator, and the index is below `successor_count`.
        Block(unsafe { LLVMGetSuccessor(self.0, index) })
    }
    /// A value of a phi with the block that it comes from.
    pub fn incoming(self, index: u32) -> (Value, Block) {
        // SAFETY: the value is a phi, and the index is below `incoming_count`.
        unsafe {
            (
                Value(LLVMGetIncomingValue(self.0, index)),
                Block(LLVMGetIncomingBlock(self.0, index)),
            )
        }
    }
    /// The constant indices of an `extractvalue` or `insertvalue`.
    pub fn indices(self) -> &'static [u32] {
        // SAFETY: the indices live in the instruction, which outlives the walk; see the module comment.
        unsafe { std::slice::from_raw_parts(LLVMGetIndices(self.0), self.index_count() as usize) }
    }
    /// The initializer of a global variable.
    pub fn initializer(self) -> Option<Value> {
        // SAFETY: the value is a global variable; null says that it has no initializer.
        let value = unsafe { LLVMGetInitializer(self.0) };
        (!value.is_null()).then_some(Value(value))
    }
    /// An element of a constant aggregate; a null handle where there is none.
    pub fn aggregate_element(self, index: u32) -> Value {
        // SAFETY: LLVM answers null where a constant has no such element.
        Value(unsafe { LLVMGetAggregateElement(self.0, index) })
    }
    /// The raw bytes of a constant byte string.
    pub fn string_bytes(self) -> &'static [u8] {
        let mut len = 0;
        // SAFETY: the constant lives as long as the context.
        unsafe {
            let pointer = LLVMGetAsString(self.0, &mut len);
            std::slice::from_raw_parts(pointer.cast(), len)
        }
    }
    /// The function called directly, if it is one.
    pub fn callee(self) -> Option<Value> {
        let f = self.called_value();
        (f.value_kind() == LLVMValueKind::LLVMFunctionValueKind).then_some(f)
    }
    /// Whether a function's code may use an extension of the processor, `+fma` say.
    pub fn has_feature(self, feature: &str) -> bool {
        let list = self.string_attribute("target-features");
        list.is_some_and(|list| list.split(',').any(|f| f == feature))
    }
    /// The section that a definition names, or "".
    pub fn section(self) -> String {
        // SAFETY: a function or variable; the text is null or ends with a NUL, and is copied.
        unsafe {
            let text = LLVMGetSection(self.0);
            if text.is_null() {
                return String::new();
            }
            std::ffi::CStr::from_ptr(text)
                .to_string_lossy()
                .into_owned()
        }
    }
    /// The text of a string attribute of a function, if it has it.
    pub fn string_attribute(self, name: &str) -> Option<String> {
        let place = llvm_sys::LLVMAttributeFunctionIndex;
        // SAFETY: the name with its length; the text of an attribute that is there lives as long as the context.
        unsafe {
            let (at, len) = (name.as_ptr().cast(), name.len() as u32);
            let attribute = LLVMGetStringAttributeAtIndex(self.0, place, at, len);
            if attribute.is_null() {
                return None;
            }
            let mut len = 0;
            let pointer = LLVMGetStringAttributeValue(attribute, &mut len);
            Some(text(pointer, len as usize))
        }
    }
    /// Gives a function of the module a string attribute.
    pub fn set_string_attribute(self, module: Module, name: &str, value: &str) {
        // SAFETY: name and text with their lengths, which LLVM copies; the function is live.
        unsafe {
            let attribute = LLVMCreateStringAttribute(
                module.context(),
                name.as_ptr().cast(),
                name.len() as u32,
                value.as_ptr().cast(),
                value.len() as u32,
            );
            LLVMAddAttributeAtIndex(self.0, llvm_sys::LLVMAttributeFunctionIndex, attribute);
        }
    }
    /// The users, one for each use.
    pub fn uses(self) -> Vec<Value> {
        let mut list = Vec::new();
        // SAFETY: use lists are walked without a change in between.
        unsafe {
            let mut at = LLVMGetFirstUse(self.0);
            while !at.is_null() {
                list.push(Value(LLVMGetUser(at)));
                at = LLVMGetNextUse(at);
            }
        }
        list
    }
    /// Whether it has exactly one use.
    pub fn has_one_use(self) -> bool {
        // SAFETY: the first use is looked at only if there is one.
        unsafe {
            let first = LLVMGetFirstUse(self.0);
            !first.is_null() && LLVMGetNextUse(first).is_null()
        }
    }
    /// Deletes an instruction, which has no uses left.
    pub fn erase(self) {
        // SAFETY: the value is an instruction in a block; callers do not use it again.
        unsafe { LLVMInstructionEraseFromParent(self.0) }
    }
    /// Puts another value in the place of this one.
    pub fn replace_all_uses(self, with: Value) {
        // SAFETY: both values are live and have the same type.
        unsafe { LLVMReplaceAllUsesWith(self.0, with.0) }
    }
}

fn some(m: LLVMMetadataRef) -> Option<Metadata> {
    (!m.is_null()).then_some(Metadata(m))
}

impl Metadata {
    get! {
        line -> u32 = |m| LLVMDILocationGetLine(m);
        column -> u32 = |m| LLVMDILocationGetColumn(m);
        scope -> Metadata = |m| Metadata(LLVMDILocationGetScope(m));
        scope_file -> Option<Metadata> = |m| some(LLVMDIScopeGetFile(m));
        subprogram_line -> u32 = |m| LLVMDISubprogramGetLine(m);
    }

    /// A file with its directory joined.
    pub fn file_path(self) -> String {
        let (mut name_len, mut folder_len) = (0, 0);
        // SAFETY: the metadata is a file; the lengths belong to the strings, which are copied.
        let (name, folder) = unsafe {
            let name = LLVMDIFileGetFilename(self.0, &mut name_len);
            let folder = LLVMDIFileGetDirectory(self.0, &mut folder_len);
            (
                text(name, name_len as usize),
                text(folder, folder_len as usize),
            )
        };
        if name.starts_with('/') || folder.is_empty() {
            name
        } else {
            format!("{}/{}", folder.trim_end_matches('/'), name)
        }
    }
}

/// A pass over `module` by LLVM's new pass manager.
pub fn run_passes(module: Module, pipeline: &str) -> Result<(), String> {
    use llvm_sys::error::*;
    use llvm_sys::transforms::pass_builder::*;
    // SAFETY: the module is live and the pipeline is a zero-terminated string; options and error are disposed once.
    unsafe {
        let options = LLVMCreatePassBuilderOptions();
        let error = LLVMRunPasses(
            module.0,
            c(pipeline).as_ptr(),
            std::ptr::null_mut(),
            options,
        );
        LLVMDisposePassBuilderOptions(options);
        if error.is_null() {
            return Ok(());
        }
        let message = LLVMGetErrorMessage(error);
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeErrorMessage(message);
        Err(format!("pass pipeline `{pipeline}`: {text}"))
    }
}
