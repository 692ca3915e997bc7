//! LLVM bitcode to Polypath's IR.
//!
//! The pipeline: `input` reads modules, `link` joins them with the libc members that they need, `instrument` fixes
//! coverage sites and checks, `passes` optimizes the rest, `lower` makes the IR, which is verified before it leaves.
//!
//! `libllvm` opens the shared library of LLVM: that of the newest producer among the input.
//!
//! This crate is the only one that knows LLVM, and it knows no execution. Broken bitcode can abort
//! LLVM, so it runs in a process of its own (`polypath-lower`); see `crates/llvm-client`.

#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]
#![warn(missing_docs)]

mod alignment;
pub mod archive;
pub mod bounds;
pub mod byte_wise;
pub mod debug;
pub mod facts;
pub mod ffi;
mod float_checks;
pub mod guard;
pub mod input;
pub mod instrument;
mod known;
pub mod libc;
pub mod libllvm;
pub mod library;
pub mod link;
pub mod lower;
mod marks;
mod module_asm;
pub mod newest;
pub mod opaque;
mod own_functions;
pub mod passes;
pub mod producer;
mod promoted;
pub mod raw;
mod resolution;
mod sections;
mod soft_float;
mod structors;
mod types;

use std::path::PathBuf;
use vocab::Checks;

/// Options of lowering.
#[derive(Clone, Debug)]
pub struct LowerOptions {
    /// Bitcode files of the program.
    pub inputs: Vec<PathBuf>,
    /// An archive whose members carry bitcode.
    pub libc: Option<PathBuf>,
    /// The same of the C++ library, for programs that need it.
    pub libcxx: Option<PathBuf>,
    /// Bitcode of the functions that simulate float operations.
    pub soft_float: Option<PathBuf>,
    /// Calls of the functions of [`ir::MathFunction`] become operations of the environment.
    pub libm_calls: bool,
    /// libc converts between text and numbers by its own code alone, without operations of the environment.
    pub number_code: bool,
    /// The function to begin with.
    pub entry: String,
    /// What the program is marked for; checks that need nothing from lowering make no difference.
    pub checks: Checks,
    /// Pass pipeline instead of the built-in one.
    pub passes: Option<String>,
    /// Also write the optimized LLVM module here.
    pub emit_llvm: Option<PathBuf>,
    /// Report the time of each step on stderr.
    pub time: bool,
}

impl Default for LowerOptions {
    fn default() -> LowerOptions {
        LowerOptions {
            inputs: Vec::new(),
            libc: None,
            libcxx: None,
            soft_float: None,
            libm_calls: false,
            number_code: false,
            entry: "main".into(),
            checks: Checks::default(),
            passes: None,
            emit_llvm: None,
            time: false,
        }
    }
}

/// Runs the whole pipeline. The result is verified.
pub fn lower_program(options: &LowerOptions) -> Result<ir::Verified, String> {
    let mut watch = StepTimes {
        on: options.time,
        last: 0.0,
    };
    let mut context = input::Context::new()?;
    let module = link::link_program(&mut context, options, &mut watch)?;
    let instrumentation = instrument::instrument(module, options);
    watch.lap("instrument");
    passes::optimize(module, options)?;
    watch.lap("passes");
    let mut lowered = lower::lower(module, instrumentation.clone(), options)?;
    watch.lap("lower");
    if let Some(path) = &options.soft_float
        && let needed @ [_, ..] = &soft_float::needed(&lowered)[..]
    {
        soft_float::link(&mut context, module, path, needed, options)?;
        // The addresses of functions depend on how many there are.
        lowered = lower::lower(module, instrumentation, options)?;
        watch.lap("soft float");
    }
    if let Some(path) = &options.emit_llvm {
        link::write_text(module, path)?;
    }
    let lowered = ir::Verified::new(lowered).map_err(|e| format!("internal error: {e}"))?;
    watch.lap("verify");
    Ok(lowered)
}

/// Processor time of each step, so that a busy machine does not matter.
pub struct StepTimes {
    on: bool,
    last: f64,
}

impl StepTimes {
    /// Reports the processor time since the last call, if asked to.
    pub fn lap(&mut self, what: &str) {
        if self.on {
            // The first number is this thread's time on a processor, in nanoseconds.
            let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
            let now = text
                .split(' ')
                .next()
                .and_then(|n| n.parse::<f64>().ok())
                .unwrap_or(0.0)
                / 1e6;
            say::err!("{what}: {:.1} ms", now - self.last);
            self.last = now;
        }
    }
}
