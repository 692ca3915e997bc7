//! What a library offers: its public functions, with what tells how much there is to find in each.

use serde::{Deserialize, Serialize};

/// A library as `polypath-lower --functions` sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfferedFunctions {
    /// The functions of C that other files can call, in the order of the library.
    pub functions: Vec<OfferedFunction>,
    /// The sources of the library's modules, absolute where the compiler's directory is known.
    pub sources: Vec<String>,
    /// Files in which types stand that the sources use: headers among them.
    pub files: Vec<String>,
}

/// One of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfferedFunction {
    /// The name by which `--entry` takes it.
    pub name: String,
    /// The source that defines it; empty without debug information.
    pub file: String,
    /// Ways out of its conditional branches and switches.
    pub branches: u64,
    /// The same with all functions of the library that it reaches by calls and by names, each counted once.
    pub reach: u64,
    /// It takes text, bytes, a stream, or numbers with their count.
    pub takes_data: bool,
    /// It takes a variable number of arguments, or a `va_list` of them.
    pub is_variadic: bool,
}
