//! One module for each subcommand.

pub mod add;
pub mod build;
pub mod cc;
pub mod clean;
pub mod cluster;
pub mod doctor;
pub mod explain;
pub mod export;
pub mod extract;
pub mod fuzz;
pub mod harness;
pub mod java;
pub mod man;
pub mod part;
pub mod replay;
pub mod report;
pub mod run;
pub mod show;
pub mod solve;
pub mod test;
pub mod worker;
