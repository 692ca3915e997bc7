//! The functions that simulate float operations (`runtime/softfloat`): those of the operations that a program has, and no others.
//!
//! Passes take longer for all of them together than for most programs. Which operations there are is known when the program is lowered, so
//! these functions come last: a module of their own until the passes are done, and then part of the program's, which is lowered again.

use crate::LowerOptions;
use crate::ffi::Module;
use crate::input::Context;
use crate::{instrument, link, passes};
use ir::SoftOp;
use rustc_hash::FxHashSet;
use std::path::Path;

/// The operations of a program that have a function, in the order of [`SoftOp::all`].
pub fn needed(program: &ir::Module) -> Vec<SoftOp> {
    let used: FxHashSet<SoftOp> = program
        .code
        .iter()
        .copied()
        .filter_map(SoftOp::of)
        .collect();
    let mut all = SoftOp::all();
    all.retain(|op| used.contains(op));
    all
}

/// Links the functions of these operations, which are in the bitcode at `path`, into a module that has gone through the passes.
///
/// # Errors
/// The bitcode cannot be read.
pub fn link(
    context: &mut Context,
    program: Module,
    path: &Path,
    operations: &[SoftOp],
    options: &LowerOptions,
) -> Result<(), String> {
    let modules = context.read(path)?;
    let functions = link::link_tree(context, modules)?;
    let names: Vec<String> = operations.iter().map(|op| op.symbol()).collect();
    link::reduce(functions, &names)?;
    // None of them is the program's own, so there are no places and no checks to be marked; all else is as for libc.
    instrument::instrument(functions, options);
    passes::optimize(functions, options)?;
    link::link_into(context, program, functions)
}
