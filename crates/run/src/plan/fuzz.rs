//! The plan of the native fuzzers beside an exploration (`polypath fuzz`).

use super::Plan;
use crate::exit::UsageError;
use fuzz::By;
use linux::ArgSpec;
use serde::{Deserialize, Serialize};
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
    /// Tokens of a dictionary.
    pub tokens: Vec<Vec<u8>>,
}

/// The program's input, as a fuzzer gives it.
pub struct NativeInput {
    /// The arguments of the program.
    pub arguments: Vec<String>,
    /// How it gets the input.
    pub by: By,
    /// The longest input, in bytes.
    pub max_len: usize,
    /// Variables of its environment.
    pub environment: Vec<(String, String)>,
}

/// The longest input of a fuzzer, in bytes: each is kept in memory.
const LONGEST: u64 = 16 << 20;

impl Plan {
    /// How the native program gets its input.
    ///
    /// # Errors
    /// It is none that a fuzzer can give: what it is instead.
    pub fn native_input(&self) -> Result<NativeInput, UsageError> {
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
        if c.program.shows_files() {
            return refuse("--fs shows files of this machine, which the native program has not");
        }
        let input = &c.program.input;
        let longest = input.files.map_or(0, |files| files.len);
        if longest.max(input.stdin.unwrap_or(0)) > LONGEST {
            return refuse("the input may have more than 16 MiB");
        }
        let environment = c.program.world().env;
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
                environment,
            });
        }
        match (input.files, input.stdin) {
            (Some(files), None) if files.count == 1 => Ok(NativeInput {
                arguments,
                by: By::File,
                max_len: files.len as usize,
                environment,
            }),
            (None, Some(len)) => Ok(NativeInput {
                arguments,
                by: By::Stdin,
                max_len: len as usize,
                environment,
            }),
            (None, None) => refuse("nothing of the program's input is symbolic"),
            _ => refuse("there are several symbolic inputs"),
        }
    }
}
