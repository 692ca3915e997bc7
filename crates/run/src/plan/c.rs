//! The plan of a run of a program in IR: C, C++ and other languages with LLVM bitcode.

use super::{FpSolver, Language, Mode, Plan};
use crate::exit::UsageError;
use harness::Description;
use harness::expr::Length;
use linux::{ProgramInput, WorldConfig};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use testcase::RunInfo;
use vocab::Checks;

/// See the module.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct C {
    /// The program with its inputs.
    pub program: CProgram,
    /// The function that is explored instead of `main`.
    pub entry: Option<EntryPlan>,
    /// The most bytes of an input, if the program is a fuzz target that is given an input file.
    #[serde(default)]
    pub longest_input: Option<u64>,
    /// No error about a `klee_assume` that no path gets past.
    pub silent_assume: bool,
    /// The directory to which the content of the first shown directory is written at the end of the one path of a
    /// concrete run.
    pub save_fs: Option<PathBuf>,
}

/// The program and its environment.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct CProgram {
    /// The file as the user named it, relative to the directory of the plan; with `--entry`, once it is built, the
    /// driver of the function.
    pub file: PathBuf,
    /// Flags for the compiler, if the program is a source.
    pub cc_flags: Vec<String>,
    /// The checks that are on.
    pub checks: Checks,
    /// The program has functions that simulate float operations.
    pub soft_float: bool,
    /// The meaning of calls of the mathematical library.
    pub libm: Libm,
    /// How libc converts between text and numbers.
    #[serde(default)]
    pub conversions: Conversions,
    /// Which of its input is symbolic.
    pub input: ProgramInput,
    /// The world around it, but for `stdin`.
    world: WorldConfig,
    /// Concrete standard input.
    #[serde(with = "testcase::bytes::list")]
    stdin: Vec<Vec<u8>>,
}

/// The meaning of calls of the mathematical library.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Libm {
    #[default]
    /// The library's code.
    Code,
    /// One operation each.
    Call,
}

impl super::Named for Libm {
    const ALL: &'static [(Libm, &'static str, Option<&'static str>)] = &[
        (
            Libm::Code,
            "code",
            Some("The library's code, whose branches are explored"),
        ),
        (
            Libm::Call,
            "call",
            Some(
                "One operation without branches: its conditions are decided by numeric search, never proved",
            ),
        ),
    ];
}

/// How libc converts between text and numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Conversions {
    /// One operation for each shape of a text.
    #[default]
    Call,
    /// The library's code.
    Code,
}

impl super::Named for Conversions {
    const ALL: &'static [(Conversions, &'static str, Option<&'static str>)] = &[
        (
            Conversions::Call,
            "call",
            Some(
                "One operation for each shape of a text: which of its characters are digits, and where the point is",
            ),
        ),
        (
            Conversions::Code,
            "code",
            Some("The library's code, whose branches are explored"),
        ),
    ];
}

/// A function that is explored by a driver.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct EntryPlan {
    /// The library as the user named it.
    pub library: PathBuf,
    /// Flags for the compiler if it is a source.
    pub cc_flags: Vec<String>,
    /// The function's name.
    pub function: String,
    /// A driver of the user's own.
    pub harness: Option<PathBuf>,
    /// The options about its parameters.
    pub parameters: Parameters,
}

/// How the parameters of a function are made.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Parameters {
    /// A function that decides whether the function may be called with given parameters.
    pub precondition: Option<String>,
    /// Lengths of the arrays behind parameters and fields: ARRAY=LENGTH[:MAX].
    pub array_len: Vec<String>,
    /// Bound of lengths, and elements of arrays of unknown length.
    pub array_max: u64,
    /// Characters of a string.
    pub string_max: u64,
    /// Objects in a row behind a pointer.
    pub pointer_depth: u32,
    /// No pointer is null.
    pub no_null: bool,
    /// Parameters may be null that the code uses without a look, too.
    #[serde(default)]
    pub null: bool,
    /// No two point to the same object.
    pub no_alias: bool,
    /// Structures with visible members are made member by member, whatever initializes them.
    #[serde(default)]
    pub by_hand: bool,
    /// Calls of other functions that change an object before the tested one, at most.
    #[serde(default)]
    pub prior_calls: u32,
    /// Further sources, objects and archives of the library.
    pub with: Vec<PathBuf>,
}

impl Parameters {
    /// Are there options other than the defaults?
    pub fn any(&self) -> bool {
        self.precondition.is_some()
            || !self.array_len.is_empty()
            || self.no_null
            || self.null
            || self.no_alias
            || self.by_hand
            || !self.with.is_empty()
    }

    /// Up to which lengths a function is explored.
    pub fn lengths(&self) -> String {
        format!(
            "arrays have up to {} elements, strings up to {} characters (--array-max, --string-max)",
            self.array_max, self.string_max
        )
    }

    /// The driver of a described function, which is told what the call brings about where tests compare its results.
    ///
    /// # Errors
    /// A length is no expression, or the function cannot be called.
    pub fn driver(
        &self,
        description: &Description,
        results: bool,
    ) -> anyhow::Result<harness::Driver> {
        let options = self.driver_options(results)?;
        harness::driver::write(description, &options).map_err(|e| UsageError(e).into())
    }

    /// The options of drivers, which are told what the call brings about where tests compare its results.
    ///
    /// # Errors
    /// A length is no expression.
    pub fn driver_options(&self, results: bool) -> anyhow::Result<harness::DriverOptions> {
        let mut lengths = Vec::new();
        for text in &self.array_len {
            let parsed = text
                .split_once('=')
                .ok_or_else(|| "ARRAY=LENGTH was expected".to_string())
                .and_then(|(array, length)| Ok((array.trim().to_string(), Length::parse(length)?)))
                .map_err(|e| UsageError(format!("--array-len {text}: {e}")))?;
            lengths.push(parsed);
        }
        Ok(harness::DriverOptions {
            array_max: self.array_max,
            string_max: self.string_max,
            depth: self.pointer_depth,
            null: !self.no_null,
            null_everywhere: self.null,
            alias: !self.no_alias,
            by_hand: self.by_hand,
            prior_calls: self.prior_calls,
            results,
            lengths,
        })
    }
}

impl CProgram {
    /// The world around the program.
    pub fn world(&self) -> WorldConfig {
        WorldConfig {
            stdin: self.stdin.concat(),
            ..self.world.clone()
        }
    }

    /// Does the program see files of this machine?
    pub fn shows_files(&self) -> bool {
        !self.world.views.is_empty()
    }

    /// Puts it into this world.
    pub fn set_world(&mut self, mut world: WorldConfig) {
        self.stdin = vec![std::mem::take(&mut world.stdin)];
        self.world = world;
    }
}

impl Plan {
    /// May the run simulate float operations?
    pub fn simulates_floats(&self) -> bool {
        match (self.solver.floats, self.search.mode) {
            // Concolic mode has no states to go on from.
            (FpSolver::Isc, _) => true,
            (FpSolver::Auto, mode) => mode == Mode::Fork,
            _ => false,
        }
    }

    /// The plan of a run with the driver of a function in the place of its program.
    #[must_use]
    pub fn of_driver(&self, driver: &Path) -> Plan {
        let mut plan = self.clone();
        if let Language::C(c) = &mut plan.language {
            c.program.file = driver.to_owned();
            c.program.cc_flags = Vec::new();
        }
        plan
    }

    /// Keeps the plan with what else is known of the run. What ran with `--entry` is the driver's bitcode, which `info` names.
    ///
    /// # Errors
    /// A name that is not UTF-8: the run has no plan then, and its tests replay natively only.
    pub fn keep(&self, info: &mut RunInfo, is_driver: bool) -> Result<(), serde_json::Error> {
        let plan = if is_driver {
            let driver = info.bitcode.as_deref().unwrap_or(&info.program);
            serde_json::to_value(self.of_driver(Path::new(driver)))
        } else {
            serde_json::to_value(self)
        };
        info.plan = Some(plan?);
        Ok(())
    }
}
