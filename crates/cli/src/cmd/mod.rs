//! One module for each subcommand.

pub mod build;
pub mod cc;
pub mod doctor;
pub mod extract;
