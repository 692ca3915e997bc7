//! `polypath-lower`: bitcode in, verified IR out. A process of its own, because broken bitcode can
//! abort LLVM.
//!
//! Exit status: 0 done, 2 wrong usage, 3 the input cannot be lowered (one line on stderr says which
//! file and why), anything else or a signal: LLVM or this program failed.

#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

use polypath_llvm::{LowerOptions, lower_program};
use std::path::PathBuf;

const USAGE: &str = "\
usage: polypath-lower [OPTIONS] FILE...
  FILE               bitcode (.bc, also concatenated), textual IR (.ll), or an ELF file with a .llvmbc section
  --libc ARCHIVE     a libc whose members carry bitcode
  --libcxx ARCHIVE   the same of the C++ library
  --soft-float FILE  bitcode of functions that simulate float operations
  --entry NAME       the function to begin with (default main)
  --check LIST       of div, shift, overflow, bounds; other names are the engine's and ignored (default div,shift)
  -O PIPELINE        LLVM pass pipeline instead of the built-in one
  --output FILE      where to write the IR
  --print            write the IR as text to stdout
  --emit-llvm FILE   also write the optimized LLVM module
  --time             report the time of each step on stderr
or: polypath-lower --intrinsics
  the llvm.* intrinsics that it knows: name, what it stands for, what is left out, with tabs between
or: polypath-lower --libraries
  the libraries of LLVM that are found: version and file, with a tab between
or: polypath-lower --describe FILE --entry NAME [--precondition NAME] [--depth N] --output BC FILE...
  the parts of a library that NAME needs, as bitcode, and a description of NAME's parameters (JSON)
or: polypath-lower --functions --output FILE FILE...
  the functions that a library offers (JSON)";

struct Arguments {
    options: LowerOptions,
    describe: Option<PathBuf>,
    functions: bool,
    precondition: Option<String>,
    depth: u32,
    output: Option<PathBuf>,
    print: bool,
}

fn parse(mut args: impl Iterator<Item = std::ffi::OsString>) -> Result<Arguments, String> {
    let mut a = Arguments {
        options: LowerOptions::default(),
        describe: None,
        functions: false,
        precondition: None,
        depth: 3,
        output: None,
        print: false,
    };
    while let Some(arg) = args.next() {
        let mut value = |name: &str| args.next().ok_or_else(|| format!("{name} needs a value"));
        let text = |v: std::ffi::OsString| {
            v.into_string()
                .map_err(|v| format!("{} is not UTF-8", v.to_string_lossy()))
        };
        match arg.to_str() {
            Some("--libc") => a.options.libc = Some(value("--libc")?.into()),
            Some("--libcxx") => a.options.libcxx = Some(value("--libcxx")?.into()),
            Some("--soft-float") => a.options.soft_float = Some(value("--soft-float")?.into()),
            Some("--libm-calls") => a.options.libm_calls = true,
            Some("--number-code") => a.options.number_code = true,
            Some("--entry") => a.options.entry = text(value("--entry")?)?,
            Some("--check") => a.options.checks = vocab::Checks::parse(&text(value("--check")?)?)?,
            Some("-O") => a.options.passes = Some(text(value("-O")?)?),
            Some("--output") => a.output = Some(value("--output")?.into()),
            Some("--emit-llvm") => a.options.emit_llvm = Some(value("--emit-llvm")?.into()),
            Some("--describe") => a.describe = Some(value("--describe")?.into()),
            Some("--functions") => a.functions = true,
            Some("--precondition") => a.precondition = Some(text(value("--precondition")?)?),
            Some("--depth") => {
                let depth = text(value("--depth")?)?;
                a.depth = depth.parse().map_err(|_| format!("--depth {depth}"))?;
            }
            Some("--print") => a.print = true,
            Some("--time") => a.options.time = true,
            Some("--help") => return Err(String::new()),
            Some("--") => {
                a.options.inputs.extend(args.by_ref().map(PathBuf::from));
                break;
            }
            Some(other) if other.starts_with('-') => return Err(format!("unknown option {other}")),
            _ => a.options.inputs.push(arg.into()),
        }
    }
    if a.options.inputs.is_empty() {
        return Err("no input file".into());
    }
    if a.output.is_none() && !a.print {
        return Err("give --output or --print".into());
    }
    Ok(a)
}

fn main() {
    let status = answer();
    // On a busy machine the last message may still be on its way.
    say::settle();
    // The context is big and the process ends: nothing is freed.
    std::process::exit(i32::from(status))
}

/// Does what the command line says, and gives the exit status.
fn answer() -> u8 {
    if std::env::args_os().skip(1).eq(["--intrinsics"]) {
        for row in polypath_llvm::lower::table() {
            say::out!("{}\t{}\t{}", row.name, row.means, row.left_out);
        }
        return 0;
    }
    if std::env::args_os().skip(1).eq(["--libraries"]) {
        for (version, path) in polypath_llvm::libllvm::all() {
            say::out!("{version}\t{}", path.display());
        }
        return 0;
    }
    let arguments = match parse(std::env::args_os().skip(1)) {
        Ok(arguments) => arguments,
        Err(why) => {
            if !why.is_empty() {
                say::err!("polypath-lower: {why}");
            }
            say::err!("{USAGE}");
            return 2;
        }
    };
    match run(&arguments) {
        Ok(()) => 0,
        Err(why) => {
            say::err!("polypath-lower: {why}");
            3
        }
    }
}

/// Lists what a library offers.
fn functions(a: &Arguments) -> Result<(), String> {
    let output = a.output.as_deref().ok_or("give --output")?;
    let text = serde_json::to_vec(&polypath_llvm::library::offered(&a.options.inputs)?);
    std::fs::write(output, text.map_err(|e| e.to_string())?)
        .map_err(|e| format!("{}: {e}", output.display()))
}

/// Cuts a function out of its library and describes it.
fn describe(a: &Arguments, description: &std::path::Path) -> Result<(), String> {
    let output = a.output.clone().ok_or("give --output")?;
    let found = polypath_llvm::library::prepare(&polypath_llvm::library::LibraryOptions {
        inputs: a.options.inputs.clone(),
        entry: a.options.entry.clone(),
        precondition: a.precondition.clone(),
        depth: a.depth,
        output,
    })?;
    let text = serde_json::to_vec(&found).map_err(|e| e.to_string())?;
    std::fs::write(description, text).map_err(|e| format!("{}: {e}", description.display()))
}

fn run(a: &Arguments) -> Result<(), String> {
    polypath_llvm::libllvm::open_for(polypath_llvm::newest::version_of(&a.options.inputs))?;
    if let Some(path) = &a.describe {
        return describe(a, path);
    }
    if a.functions {
        return functions(a);
    }
    let module = lower_program(&a.options)?;
    if a.print {
        say::out_part!("{}", ir::print::print(&module));
    }
    if let Some(path) = &a.output {
        // A reader never sees half a file.
        let part = path.with_extension(format!("part{}", std::process::id()));
        let done = std::fs::write(&part, ir::file::to_bytes(&module))
            .and_then(|()| std::fs::rename(&part, path));
        done.map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(())
}
