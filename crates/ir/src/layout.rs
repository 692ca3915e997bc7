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
/// Unaddressable bytes kept between two globals, at least.
pub const RED_ZONE: u64 = 32;
/// Where the heap begins.
pub const HEAP: u64 = 0x10_0000_0000;
/// Where `mmap` places things.
pub const MMAP: u64 = 0x2000_0000_0000;
/// Where the stack begins; it grows upwards.
pub const STACK: u64 = 0x7000_0000_0000;
/// The stack's limit: 64 MiB of stack objects, then `stack_overflow`.
pub const STACK_END: u64 = STACK + (64 << 20);

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
