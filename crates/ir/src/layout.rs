//! The flat 64-bit address space that front end and engine agree on.
//!
//! ```text
//! 0                      null page and guard, never mapped
//! FUNCTIONS              one address every FUNCTION_STRIDE bytes, no memory behind them
//! GLOBALS                globals, each followed by a red zone
//! HEAP                   malloc family, brk
//! MMAP                   mmap
//! STACK .. STACK_END     stack objects, growing upwards, with red zones
//! ```

use crate::FuncId;

/// Accesses below this address are null dereferences.
pub const NULL_END: u64 = 0x1_0000;
/// Address of function 0.
pub const FUNCTIONS: u64 = 0x40_0000;
/// Distance between the addresses of two functions.
pub const FUNCTION_STRIDE: u64 = 16;
/// Where globals begin.
pub const GLOBALS: u64 = 0x1000_0000;
/// Unaddressable bytes kept between two objects, at least.
pub const RED_ZONE: u64 = 32;
/// Unaddressable bytes kept behind an object while there are few of its kind.
pub const GAP: u64 = 4096;
/// Objects up to this size are small: nodes of lists and trees, scalars. There are many of them.
pub const SMALL: u64 = 48;
/// The same for local variables: each call has them anew, and most pages that a fork copies are the stack's.
pub const SMALL_LOCAL: u64 = 256;
/// Kept behind a small object while there are few.
pub const SMALL_GAP: u64 = 192;
/// Behind large objects as many as they have, up to so many.
pub const GAP_MAX: u64 = 16 << 20;
/// So many objects of a kind are few.
pub const FEW: usize = 1 << 12;
/// Where the heap begins.
pub const HEAP: u64 = 0x10_0000_0000;
/// Where `mmap` places things.
pub const MMAP: u64 = 0x2000_0000_0000;
/// Where the stack begins; it grows upwards.
pub const STACK: u64 = 0x7000_0000_0000;
/// Where the stack's addresses end.
pub const STACK_END: u64 = STACK + (64 << 30);
/// The stack's size in bytes, as Linux gives it, where neither `--stack` nor the program says another one.
pub const STACK_SIZE: u64 = 8 << 20;
/// The largest size of the stack, whatever the program's limit.
pub const STACK_MOST: u64 = 64 << 20;
/// What a program has of it whatever its limit: the kernel maps that much before it starts.
pub const STACK_LEAST: u64 = 128 << 10;
/// What each call takes of the stack beside its arrays and structures: x86-64 code without optimization has a return address
/// and a frame pointer there, and keeps parameters and small variables, which are registers here.
pub const FRAME: u64 = 48;

/// Unaddressable bytes behind an object that has `others` before it, a multiple of 16.
///
/// Addresses cost nothing, so that what misses an object by less than its size, or by less than [`GAP`], meets
/// no other one. But objects this far apart share no page, and a fork copies each page that it writes to: a list of a
/// hundred nodes would take a hundred. So small objects lie closer.
pub const fn gap(size: u64, others: usize) -> u64 {
    behind(size, others, SMALL)
}

/// [`gap`] for a local variable.
pub const fn local_gap(size: u64, others: usize) -> u64 {
    behind(size, others, SMALL_LOCAL)
}

const fn behind(size: u64, others: usize, small: u64) -> u64 {
    let least = match others < FEW {
        true if size > small => GAP,
        true => SMALL_GAP,
        false => RED_ZONE,
    };
    let most = if size < GAP_MAX { size } else { GAP_MAX };
    let gap = if most > least { most } else { least };
    gap.next_multiple_of(16)
}

/// The address of a function as a value of the program.
pub const fn function_address(id: FuncId) -> u64 {
    FUNCTIONS + id as u64 * FUNCTION_STRIDE
}

/// The address of an external function as a value of the program: behind the `functions` defined ones.
pub const fn extern_address(functions: usize, id: crate::ExternId) -> u64 {
    FUNCTIONS + (functions as u64 + id as u64) * FUNCTION_STRIDE
}

/// The inverse of [`function_address`] and [`extern_address`]: an index that counts functions
/// first, then externs; `None` when the address is not the beginning of a function.
pub const fn callable_index(address: u64) -> Option<u64> {
    if address < FUNCTIONS
        || address >= GLOBALS
        || !(address - FUNCTIONS).is_multiple_of(FUNCTION_STRIDE)
    {
        None
    } else {
        Some((address - FUNCTIONS) / FUNCTION_STRIDE)
    }
}
