//! Programs in IR as a language of runs.

mod concolic;
pub(crate) mod limits;
pub mod part;
mod prepare;
mod program;
mod seeds;
mod shared;

pub use program::IrProgram;

/// The message about the placeholder of AFL's input file.
pub const PLACEHOLDER: &str = "@@ stands for the input file in AFL; here: --sym-files 1 LEN makes a symbolic file named A, so write A for @@";
