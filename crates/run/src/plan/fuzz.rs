//! The plan of the native fuzzers beside an exploration (`polypath fuzz`).

use super::Plan;
use crate::exit::UsageError;
use fuzz::By;
use linux::ArgSpec;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;

/// See the module.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FuzzPlan {
    /// How many processes.
    pub processes: u32,
    /// Time for one input.
    pub time: Duration,
    /// MiB of address space for the program.
    pub memory_mb: u64,
    /// A dictionary, in the form of AFL++ and libFuzzer.
    pub dictionary: Option<PathBuf>,
}

/// The program's input, as a fuzzer gives it.
pub(crate) struct NativeInput {
    pub arguments: Vec<String>,
    pub by: By,
    pub max_len: usize,
}

impl Plan {
    /// How the native program gets its input.
    ///
    /// # Errors
    /// It is none that a fuzzer can give: what it is instead.
    pub(crate) fn native_input(&self) -> Result<NativeInput, UsageError> {
        let refuse = |why: &str| {
            Err(UsageError(format!(
                "polypath fuzz: {why}; the input of a fuzzer is one file (@@ among the arguments), standard input, or that of a fuzz target \
                 (polypath run explores the other kinds)"
            )))
        };
        let c = self.c().map_err(UsageError)?;
        if c.entry.is_some() {
            return refuse("--entry makes the parameters of a function");
        }
        let input = &c.program.input;
        let mut arguments = Vec::new();
        for argument in &input.args {
            match argument {
                ArgSpec::Concrete(bytes) => match std::str::from_utf8(bytes) {
                    Ok(text) => arguments.push(text.to_string()),
                    Err(_) => return refuse("an argument is no UTF-8"),
                },
                ArgSpec::Symbolic { .. } | ArgSpec::Several { .. } => {
                    return refuse("there are symbolic arguments");
                }
            }
        }
        if c.longest_input.is_some() {
            let max_len = input.files.map_or(0, |files| files.len) as usize;
            return Ok(NativeInput {
                arguments: Vec::new(),
                by: By::Call,
                max_len,
            });
        }
        match (input.files, input.stdin) {
            (Some(files), None) if files.count == 1 => Ok(NativeInput {
                arguments,
                by: By::File,
                max_len: files.len as usize,
            }),
            (None, Some(len)) => Ok(NativeInput {
                arguments,
                by: By::Stdin,
                max_len: len as usize,
            }),
            (None, None) => refuse("nothing of the program's input is symbolic"),
            _ => refuse("there are several symbolic inputs"),
        }
    }
}
