//! The compact executable IR of Polypath.
//!
//! A [`Module`] is a whole program: one flat code array, one pool of constants, globals with
//! addresses already assigned. Front ends (crate `llvm`) produce it, the machine (crate `exec`)
//! runs it as it is; nothing here knows LLVM or terms.
//!
//! # Values
//!
//! A register holds 64 bits. An integer of width `w <= 64` lives in one register with the bits
//! above `w` zero. Wider integers take `ceil(w / 64)` consecutive registers, least significant
//! limb first, again with the unused top bits zero. Floats are their IEEE bits (x87: 80 bits, two
//! registers; quad: two registers). Aggregates and vectors are flattened into one such group per
//! scalar element, in order. Pointers are plain 64-bit addresses.
//!
//! # Memory layout
//!
//! The front end assigns the addresses of functions and globals, so that both are constants.
//! See [`layout`].

#![warn(missing_docs)]
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

pub mod beginning;
pub mod bits;
pub mod builder;
#[macro_use]
pub mod fields;
pub mod file;
pub mod inst;
pub mod layout;
pub mod operands;
pub mod ops;
pub mod parse;
pub mod print;
pub mod soft_float;
pub mod trace;
pub mod verified;
pub mod verify;

pub use builder::{Builder, Label};
pub use float::{FloatFormat, FloatPredicate, MathFunction};
pub use inst::{Inst, Reg, Val};
pub use ops::{BinOp, CastOp, CheckKind, CmpOp, ConvOp, FloatBinOp, FloatOp, FloatUnOp, UnOp};
pub use parse::ParseError;
pub use soft_float::SoftOp;
pub use verified::{Landing, Verified};

use serde::{Deserialize, Serialize};

/// Index into [`Module::code`].
pub type Pc = u32;
/// Index into [`Module::functions`].
pub type FuncId = u32;
/// Index into [`Module::externs`].
pub type ExternId = u32;
/// Index into [`Module::strings`].
pub type StrId = u32;
/// Index into [`Module::sites`].
pub type SiteId = u32;
/// Index into [`Module::branches`].
pub type BranchId = u32;

/// A whole program, ready to run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Module {
    /// All functions, libc's included.
    pub functions: Vec<Function>,
    /// The code of all functions, one after the other; branch targets are absolute.
    pub code: Vec<Inst>,
    /// Pooled constants; a wide constant takes consecutive entries.
    pub consts: Vec<u64>,
    /// Operand lists of `Call` and `Ret`.
    pub operands: Vec<Val>,
    /// Calls that are not plain direct calls, by the index in `Inst::CallSite`.
    pub call_sites: Vec<CallSite>,
    /// Tables of the multi-way branches, by the index in `Inst::Switch`.
    pub switches: Vec<Switch>,
    /// What the landing pads of exceptions are for, by the index in `Inst::Invoked`.
    pub pads: Vec<LandingPad>,
    /// All global variables and constants.
    pub globals: Vec<Global>,
    /// Functions that are called but not defined: the engine supplies them by name.
    pub externs: Vec<String>,
    /// Names and messages: objects, unsupported constructs.
    pub strings: Vec<String>,
    /// Source files, as the compiler named them (directory joined).
    pub files: Vec<String>,
    /// Source position from this pc (inclusive) to the next entry; sorted by pc.
    pub locations: Vec<(Pc, Location)>,
    /// Coverage sites, fixed before any pass.
    pub sites: Vec<Site>,
    /// Blocks without a site of their own that several sites lead to.
    pub shared_blocks: Vec<SharedBlock>,
    /// Conditional branches of the program under test.
    pub branches: Vec<Branch>,
    /// Functions that simulate float operations, when asked for: see [`soft_float`].
    pub soft_floats: Vec<(SoftOp, FuncId)>,
    /// Where execution begins.
    pub entry: Entry,
}

/// Where execution begins. With which arguments is the environment's business.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Entry {
    /// The program's `main`.
    pub main: Option<FuncId>,
    /// A function of the language's library that is entered instead and calls it: libc's `__libc_start_main`, which runs
    /// constructors, `main` and `exit`.
    pub start: Option<FuncId>,
}

/// A function with a body.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Function {
    /// Its name in the object file.
    pub name: String,
    /// Its address as seen by the program, see [`layout::function_address`].
    pub entry: Pc,
    /// One past its last instruction.
    pub end: Pc,
    /// Width in bits of each parameter slot; slot `i` arrives in register `i`.
    pub params: Vec<u16>,
    /// Width in bits of each result slot.
    pub results: Vec<u16>,
    /// Registers of a frame, parameters included.
    pub registers: u32,
    /// Bytes that a call takes of the stack beside its variables in memory.
    pub frame: u64,
    /// Its type, for messages and to compare with that of a [`CallSite`].
    pub ty: StrId,
    /// Of a variadic function: the argument registers that its fixed parameters use up.
    pub variadic: Option<FixedRegisters>,
    /// Part of the program under test (not of libc or the run time): its coverage counts.
    pub own: bool,
    /// Where it is defined.
    pub location: Location,
}

/// How many argument registers of the System V calling convention the fixed parameters of a variadic
/// function take: `va_start` leaves them out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FixedRegisters {
    /// Of the six general ones.
    pub general: u8,
    /// Of the eight vector ones.
    pub vector: u8,
}

/// A global variable or constant with its place in the address space.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Global {
    /// Its name in the object file.
    pub name: String,
    /// Where it lies.
    pub address: u64,
    /// Its size in bytes.
    pub size: u64,
    /// Initial bytes, addresses of other globals and functions already filled in. Shorter than
    /// `size` means that the rest is zero.
    pub init: Vec<u8>,
    /// The program must not write to it.
    pub constant: bool,
    /// Part of the program under test.
    pub own: bool,
}

/// A source position; `line` 0 is unknown.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub struct Location {
    /// Index into [`Module::files`].
    pub file: u32,
    /// Line, from 1; 0 is unknown.
    pub line: u32,
    /// Column, from 1; 0 is unknown.
    pub column: u32,
}

/// A coverage site: a basic block of the front end's IR after critical edges were split, so that
/// each outcome of each branch has a site of its own.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Site {
    /// The function that it lies in.
    pub function: FuncId,
    /// The first position of the block.
    pub location: Location,
    /// The branch outcome that leads here, if the block has one single branching predecessor.
    pub outcome: Option<(BranchId, u32)>,
    /// Source lines that the block covers, in the file of the function, sorted, no duplicates.
    pub lines: Vec<u32>,
    /// Instructions of the front end's IR that run with this site and with no other.
    pub instructions: u32,
}

/// Instructions that run behind each of several sites.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedBlock {
    /// How many, as the compiler's front end wrote them.
    pub instructions: u32,
    /// Those that lead to the block.
    pub sites: Vec<SiteId>,
}

/// A conditional branch or switch of the program as the compiler's front end wrote it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Branch {
    /// The function that it lies in.
    pub function: FuncId,
    /// Where the condition stands.
    pub location: Location,
    /// Number of outcomes: 2 for a branch (0 = true side, 1 = false side), cases + 1 for a
    /// switch (the last one is the default).
    pub outcomes: u32,
}

/// A multi-way branch; `cases` sorted by value, no duplicates.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Switch {
    /// Values with where they lead, sorted by value.
    pub cases: Vec<(u64, Pc)>,
    /// Where every other value leads.
    pub default: Pc,
}

impl Switch {
    /// Where a switch on this value goes.
    #[inline]
    pub fn target(&self, value: u64) -> Pc {
        match self.cases.binary_search_by_key(&value, |c| c.0) {
            Ok(i) => self.cases[i].1,
            Err(_) => self.default,
        }
    }
}

/// Which exceptions a landing pad is entered for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LandingPad {
    /// All, on their way to a handler further out: there is something to clean up.
    pub cleanup: bool,
    /// Its code only ends the program, because the function promises that no exception leaves it.
    pub terminates: bool,
    /// Those that it handles. The first clause that takes an exception counts.
    pub clauses: Vec<Clause>,
}

/// Exceptions that a landing pad handles.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Clause {
    /// Those of the type that the object at this address describes, or all if that is 0. The code of the pad tells its clauses
    /// apart by the selector, which is positive.
    Catch {
        /// What the pad is entered with.
        selector: u32,
        /// The address of the description.
        ty: u64,
    },
    /// Those of none of these types.
    Filter(Vec<u64>),
}

/// Whom a [`CallSite`] calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Target {
    /// A function with a body.
    Function(FuncId),
    /// A function that the engine supplies.
    Extern(ExternId),
    /// Whatever function has this address.
    Pointer(Val),
}

/// An indirect, variadic or external call.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CallSite {
    /// Whom it calls.
    pub target: Target,
    /// The type that the function is called as.
    pub ty: StrId,
    /// Fixed arguments, flattened into slots.
    pub args: Vec<Val>,
    /// Width in bits of each slot of `args`.
    pub widths: Vec<u16>,
    /// In what each slot of `args` is passed: where a variadic callee looks for it.
    pub classes: Vec<ArgClass>,
    /// What is passed through `...`, in order.
    pub varargs: Vec<VarArg>,
    /// First register of the result.
    pub dst: Reg,
    /// Width in bits of each result slot.
    pub results: Vec<u16>,
}

/// One argument behind `...`. The engine lays it out as the System V calling convention does, in the
/// register save area or the overflow area of a `va_list` (8-byte slots, 16-aligned where `align` says
/// so): the code that clang emits for `va_arg` branches on where it lies.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct VarArg {
    /// First slot of the value, or the address of the object for `by_value`.
    pub value: Val,
    /// Size in bytes of the value in memory (x87 `long double`: 16, of which 10 count).
    pub bytes: u32,
    /// Alignment in bytes.
    pub align: u32,
    /// The value is an aggregate in memory, to be copied from the address in `value`.
    pub by_value: bool,
    /// In what it is passed.
    pub class: ArgClass,
}

/// In what a variable argument is passed while there is room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ArgClass {
    /// General registers, one for each 8 bytes.
    General,
    /// One vector register.
    Vector,
    /// The stack.
    Stack,
}

impl Module {
    /// The function whose code contains `pc`.
    pub fn function_at(&self, pc: Pc) -> Option<FuncId> {
        let i = self.functions.partition_point(|f| f.entry <= pc);
        let id = i.checked_sub(1)?;
        (pc < self.functions[id].end).then_some(id as FuncId)
    }

    /// The source position of the instruction at `pc`; default (line 0) when unknown.
    pub fn location_at(&self, pc: Pc) -> Location {
        let i = self.locations.partition_point(|(p, _)| *p <= pc);
        match i.checked_sub(1) {
            Some(i) => self.locations[i].1,
            None => Location::default(),
        }
    }

    /// The file name of a position, or "?" when unknown.
    pub fn file_name(&self, location: Location) -> &str {
        match self.files.get(location.file as usize) {
            Some(name) if location.line != 0 => name,
            _ => "?",
        }
    }

    /// Instructions of the program under test, as the compiler's front end wrote them, that `covered`
    /// sites reached, and all of them. A block counts as a whole.
    pub fn covered_instructions(&self, covered: impl Fn(SiteId) -> bool) -> (u64, u64) {
        let sites = (0..).zip(&self.sites);
        let own = sites.map(|(id, s)| (s.instructions, covered(id)));
        let shared = self
            .shared_blocks
            .iter()
            .map(|b| (b.instructions, b.sites.iter().any(|s| covered(*s))));
        own.chain(shared).fold((0, 0), |(hit, all), (n, yes)| {
            let n = u64::from(n);
            (hit + if yes { n } else { 0 }, all + n)
        })
    }

    /// Branch outcomes of the program under test: what `total_branches` counts.
    pub fn total_outcomes(&self) -> u64 {
        self.branches.iter().map(|b| u64::from(b.outcomes)).sum()
    }
}
