//! The native programs that are fuzzed, made from the bitcode that is explored.
//!
//! There are two: one with counters of its edges, and one that also reports the operands of its comparisons, for the few
//! executions that ask for them. Only the program's own modules have either: the C library is linked as machine code. `main` is
//! that of the server (`runtime/server.c`), which calls the program's.

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use toolchain::cache;

const SERVER: &str = include_str!("../runtime/server.c");
const COUNTERS: &str = include_str!("../runtime/counters.ld");

/// What stands for all compilations.
const TARGET: &[&str] = &["--target=x86_64-linux-musl", "-fno-pic", "-w", "-c"];
/// Counters, which one addition each maintains.
const EDGES: &[&str] = &["-O2", "-fsanitize-coverage=inline-8bit-counters"];
/// The same, and calls that report comparisons. `memcmp` stays a call.
const OPERANDS: &[&str] = &[
    "-O1",
    "-fsanitize-coverage=inline-8bit-counters,trace-cmp",
    "-mllvm",
    "-max-loads-per-memcmp=0",
];
/// The functions whose operands the second program reports.
const WRAPPED: &[&str] = &[
    "memcmp",
    "bcmp",
    "strcmp",
    "strncmp",
    "strcasecmp",
    "strncasecmp",
    "strstr",
];

/// What programs are linked with, in a sysroot; the first has the `main` of fuzz targets.
const LIBRARIES: [&str; 4] = ["libFuzzingEngine.a", "libc.a", "libpolypath.a", "libgcc.a"];

/// The programs of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Programs {
    /// With counters of edges.
    pub edges: PathBuf,
    /// With counters, and operands of comparisons.
    pub operands: PathBuf,
}

impl Programs {
    /// Those of a file that carries bitcode. They are made once, and kept in the cache by content.
    ///
    /// # Errors
    /// The file carries no bitcode, a tool is missing, or something does not link natively.
    pub fn of(file: &Path, say: &mut dyn FnMut(&str)) -> Result<Programs> {
        let modules = match toolchain::compile::kind(file) {
            Some(_) => modules_of(file)?,
            None => toolchain::extract::modules(file)?,
        };
        let sysroot = toolchain::sysroot::ensure(say)?;
        let is_own = |module: &Vec<u8>| !toolchain::sysroot::is_part(module);
        let own: Vec<Vec<u8>> = modules.into_iter().filter(is_own).collect();
        ensure!(
            !own.is_empty(),
            "{}: no code but the C library's",
            file.display()
        );
        // A program of C++ was linked with it.
        let libcxx = toolchain::cxx::existing()?.map(|library| library.archive);
        let identity = sysroot.root.display().to_string();
        let mut parts: Vec<&[u8]> =
            vec![SERVER.as_bytes(), COUNTERS.as_bytes(), identity.as_bytes()];
        let flags = [TARGET, EDGES, OPERANDS, WRAPPED].concat();
        parts.extend(flags.iter().map(|flag| flag.as_bytes()));
        parts.extend(own.iter().map(Vec::as_slice));
        let name = format!("fuzz-{:016x}", cache::fingerprint(&parts));
        let place = cache::entry(&name, |dir, _| {
            say(&format!(
                "compiling the program for fuzzing: {} modules, twice",
                own.len()
            ));
            make(&own, &sysroot.lib, libcxx.as_deref(), dir).map_err(std::io::Error::other)
        })?;
        Ok(Programs {
            edges: place.join("edges"),
            operands: place.join("operands"),
        })
    }
}

/// The modules of a file of bitcode.
fn modules_of(file: &Path) -> Result<Vec<Vec<u8>>> {
    let bytes = fs::read(file).with_context(|| file.display().to_string())?;
    let modules = toolchain::extract::split(&bytes);
    let modules =
        modules.map_err(|(at, what)| anyhow!("{}: at offset {at}: {what}", file.display()))?;
    Ok(modules.into_iter().map(<[u8]>::to_vec).collect())
}

/// Compiles and links both programs in this directory.
fn make(modules: &[Vec<u8>], lib: &Path, libcxx: Option<&Path>, dir: &Path) -> Result<()> {
    let work = dir.join("work");
    fs::create_dir_all(&work)?;
    let script = work.join("counters.ld");
    fs::write(&script, COUNTERS)?;
    let source = work.join("server.c");
    fs::write(&source, SERVER)?;
    let server = work.join("server.o");
    let clang = toolchain::tools::Tool::Clang.find()?;
    let mut compile = Command::new(&clang);
    compile.args(TARGET).args([
        "-O2",
        "-ffreestanding",
        "-fno-builtin",
        "-fno-stack-protector",
    ]);
    run(compile.arg(&source).arg("-o").arg(&server))?;
    let mut inputs = Vec::new();
    for (i, module) in modules.iter().enumerate() {
        let path = work.join(format!("{i}.bc"));
        fs::write(&path, module)?;
        inputs.push(path);
    }
    for (name, flags) in [("edges", EDGES), ("operands", OPERANDS)] {
        let objects = compile_all(&clang, &inputs, flags, name)?;
        let mut link = Command::new(find("ld.lld-19")?);
        link.args(["-static", "--gc-sections", "-o"])
            .arg(dir.join(name));
        link.arg("-T").arg(&script).arg("--wrap=main");
        if name == "operands" {
            link.args(WRAPPED.iter().map(|of| format!("--wrap={of}")));
        }
        link.arg(lib.join("crt1.o")).arg(&server).args(&objects);
        link.arg("--start-group");
        // The C++ library comes first, since the C library has a part of it for programs without; with what its unwinder looks for the
        // tables of the program by.
        let cxx = libcxx.iter();
        link.args(cxx.flat_map(|archive| ["--eh-frame-hdr".as_ref(), archive.as_os_str()]));
        link.args(LIBRARIES.map(|of| lib.join(of)));
        run(link.arg("--end-group"))?;
    }
    fs::remove_dir_all(&work)?;
    Ok(())
}

fn find(name: &str) -> Result<PathBuf> {
    toolchain::tools::find_llvm(name).with_context(|| format!("{name} is missing (Debian: lld-19)"))
}

/// Compiles modules, as many at the same time as there are cores.
fn compile_all(
    clang: &Path,
    inputs: &[PathBuf],
    flags: &[&str],
    name: &str,
) -> Result<Vec<PathBuf>> {
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(None));
    let object = |input: &Path| input.with_extension(format!("{name}.o"));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores.min(inputs.len()) {
            scope.spawn(|| {
                while let Some(input) = inputs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut compile = Command::new(clang);
                    compile.args(TARGET).args(flags).arg("-ffunction-sections");
                    if let Err(e) = run(compile.arg(input).arg("-o").arg(object(input))) {
                        next.store(inputs.len(), Ordering::Relaxed);
                        failed
                            .lock()
                            .unwrap_or_else(|e| e.into_inner())
                            .get_or_insert(e);
                    }
                }
            });
        }
    });
    match failed.into_inner().unwrap_or_else(|e| e.into_inner()) {
        Some(error) => Err(error),
        None => Ok(inputs.iter().map(|input| object(input)).collect()),
    }
}

/// Runs a tool; what it says is the error if it fails.
fn run(command: &mut Command) -> Result<()> {
    let tool = command.get_program().to_string_lossy().into_owned();
    let done = host::child::output(command).with_context(|| tool.clone())?;
    if !done.status.success() {
        let words = String::from_utf8_lossy(&done.stderr);
        let few: Vec<&str> = words.lines().take(8).collect();
        bail!("{tool}: {}", few.join("\n"));
    }
    Ok(())
}
