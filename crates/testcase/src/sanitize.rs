//! Builds of a program for replay, from its whole-program bitcode.
//!
//! * [`Tools::address`]: LLVM's asan pass over everything, libc included, with the run time in
//!   `runtime/address.c` (ASan's own does not link against a static musl), and checks that accesses stay in the object
//!   that their pointer came from (`derived`);
//! * [`Tools::traps`]: signed overflow, shifts out of range, counts of the zeros of zero and reached `unreachable`s trap. The
//!   instructions of the unoptimized bitcode still carry `nsw`, so the checks are put in by
//!   rewriting the text of the functions in question (see `instrument`);
//! * [`Tools::hashed`]: the module that the machine's IR was made of, whose coverage markers update
//!   the path hash and whose system calls ask us (`runtime/modelled.c`).

use crate::addresses::{self, AddressLayout};
use crate::replay::sandbox::tool;
use anyhow::{Context, Result, ensure};
use ir::layout;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const ADDRESS_RUNTIME: &str = include_str!("../runtime/address.c");
const MODELLED_RUNTIME: &str = include_str!("../runtime/modelled.c");

/// The programs and libraries that these builds need.
#[derive(Clone, Debug)]
pub struct Tools {
    /// `clang-19`.
    pub clang: PathBuf,
    /// `opt-19`.
    pub opt: PathBuf,
    /// `llvm-dis-19`.
    pub dis: PathBuf,
    /// `ld.lld-19`.
    pub lld: PathBuf,
    /// Directory with `crt1.o`, `libc.a`, `libpolypath.a`, `libgcc.a` of the sysroot.
    pub lib: PathBuf,
    /// `libc++.a`, for programs of C++.
    pub libcxx: Option<PathBuf>,
}

/// What code of C++ names that may unwind: natively the C++ library does that.
const PERSONALITY: &str = "@__gxx_personality_v0";

impl Tools {
    /// LLVM 19's programs. `there` knows where one is, by its name with the version.
    pub fn find(
        lib: &Path,
        libcxx: Option<PathBuf>,
        there: impl Fn(&str) -> Option<PathBuf>,
    ) -> Result<Tools> {
        let find = |name: &str| {
            there(name)
                .with_context(|| format!("{name} is missing (Debian: clang-19, llvm-19, lld-19)"))
        };
        Ok(Tools {
            clang: find("clang-19")?,
            opt: find("opt-19")?,
            dis: find("llvm-dis-19")?,
            lld: find("ld.lld-19")?,
            lib: lib.to_owned(),
            libcxx,
        })
    }

    /// Builds `out` with address checks from the program's `bitcode` (libc included). Intermediate files are written
    /// next to `out`. In the given functions, accesses must stay in the object from which their pointers are derived.
    pub fn address(&self, bitcode: &Path, functions: &BTreeSet<String>, out: &Path) -> Result<()> {
        let text = self.text(bitcode)?;
        let derived = out.with_extension("derived.ll");
        write(&derived, &crate::derived::instrument(&text, functions))?;
        let checked = out.with_extension("asan.bc");
        tool(
            Command::new(&self.opt)
                .args([
                    "-passes=forceattrs,asan",
                    "-force-attribute=sanitize_address",
                ])
                .args(["-asan-use-after-return=always", "-asan-use-after-scope"])
                // All variables, so that the leak check knows where the live ones are.
                .arg("-asan-skip-promotable-allocas=0")
                // An access that stays in its variable may still read what was never written.
                .arg("-asan-use-stack-safety=0")
                // Always by calls: the run time sees each access.
                .arg("-asan-instrumentation-with-call-threshold=0")
                // None left out as known already: it notes what was written, too.
                .arg("-asan-opt=0")
                .arg(&derived)
                .arg("-o")
                .arg(&checked),
        )?;
        let runtime = self.runtime(ADDRESS_RUNTIME, &out.with_extension("address.c"), &[])?;
        let object = self.object(&checked)?;
        self.link(
            &text,
            &[&object, &runtime],
            &["-e", "polypath_address_start"],
            out,
        )
    }

    fn text(&self, bitcode: &Path) -> Result<String> {
        let text = tool(Command::new(&self.dis).arg(bitcode).args(["-o", "-"]))?;
        String::from_utf8(text).context("llvm-dis wrote text that is not UTF-8")
    }

    /// Builds `out` with traps in the given functions, and [`for_valgrind`] next to it.
    pub fn traps(&self, bitcode: &Path, functions: &BTreeSet<String>, out: &Path) -> Result<()> {
        let text = self.text(bitcode)?;
        let checked = out.with_extension("traps.ll");
        write(&checked, &instrument(&text, functions))?;
        let object = self.object(&checked)?;
        self.link(&text, &[&object], &["--strip-debug"], &for_valgrind(out))?;
        self.link(&text, &[&object], &[], out)
    }

    /// Builds `out` for modelled replay from the module that `polypath-lower --emit-llvm` wrote, and the IR that it
    /// wrote of the same. Things lie where the machine has them; if that cannot be, what stands against it is the result.
    pub fn hashed(
        &self,
        module: &Path,
        ir: &ir::Module,
        places: AddressLayout,
        out: &Path,
    ) -> Result<Option<String>> {
        let text = fs::read_to_string(module)
            .with_context(|| format!("cannot read {}", module.display()))?;
        ensure!(
            text.contains(COVER),
            "{} has no coverage markers",
            module.display()
        );
        let text = define_markers(&text);
        let constants = [
            ("GAP", layout::GAP),
            ("GAP_MAX", layout::GAP_MAX),
            ("SMALL", layout::SMALL),
            ("SMALL_LOCAL", layout::SMALL_LOCAL),
            ("SMALL_GAP", layout::SMALL_GAP),
            ("FEW", layout::FEW as u64),
            ("RED_ZONE", layout::RED_ZONE),
            ("HEAP", layout::HEAP),
            ("STACK", layout::STACK),
            ("STACK_END", layout::STACK_END),
            ("HEAP_START", places.heap),
            ("STACK_START", places.stack),
            ("LARGEST", places.largest),
            ("ALL", places.all),
        ]
        .map(|(name, value)| format!("-D{name}={value}ul"));
        let runtime = self.runtime(
            MODELLED_RUNTIME,
            &out.with_extension("modelled.c"),
            &constants,
        )?;
        let refused = match self.placed(&text, ir, &runtime, out) {
            Ok(()) => return Ok(None),
            Err(e) => format!("{e:#}"),
        };
        let marked = out.with_extension("hashed.ll");
        write(&marked, &text)?;
        let object = self.object(&marked)?;
        self.link(&text, &[&object, &runtime], &["-e", MODELLED_START], out)?;
        Ok(Some(refused))
    }

    fn placed(&self, text: &str, ir: &ir::Module, runtime: &Path, out: &Path) -> Result<()> {
        // They become part of a file.
        const MOST: u64 = 256 << 20;
        let ends = ir.globals.iter().map(|g| g.address + g.size);
        let size = ends.max().unwrap_or(layout::GLOBALS) - layout::GLOBALS;
        ensure!(size <= MOST, "{size} bytes of global variables");
        let placed = addresses::place(text, ir);
        let path = |extension: &str| out.with_extension(extension);
        let (module, script) = (path("placed.ll"), path("placed.ld"));
        write(&module, &placed.text)?;
        write(&script, &placed.script)?;
        let object = self.object(&module)?;
        let script = script.display().to_string();
        self.link(
            text,
            &[&object, runtime],
            &["-e", MODELLED_START, "-T", &script],
            out,
        )
    }

    fn runtime(&self, source: &str, path: &Path, constants: &[String]) -> Result<PathBuf> {
        write(path, source)?;
        let object = path.with_extension("o");
        tool(
            Command::new(&self.clang)
                .args([
                    "--target=x86_64-linux-musl",
                    "-O2",
                    "-ffreestanding",
                    "-fno-builtin",
                ])
                .args(["-fno-stack-protector", "-fno-pic", "-w", "-c"])
                .args(constants)
                .arg(path)
                .arg("-o")
                .arg(&object),
        )?;
        Ok(object)
    }

    /// Machine code for a module as it is: no pass may take away what the checks look for.
    fn object(&self, module: &Path) -> Result<PathBuf> {
        let object = module.with_extension("o");
        tool(
            Command::new(&self.clang)
                .args([
                    "--target=x86_64-linux-musl",
                    "-O1",
                    "-Xclang",
                    "-disable-llvm-passes",
                ])
                .args(["-fno-pic", "-w", "-c"])
                .arg(module)
                .arg("-o")
                .arg(&object),
        )?;
        Ok(object)
    }

    /// Links the objects, which were made of this module.
    fn link(&self, text: &str, objects: &[&Path], options: &[&str], out: &Path) -> Result<()> {
        let lib = |name: &str| self.lib.join(name);
        let libcxx = self.libcxx.iter().filter(|_| text.contains(PERSONALITY));
        let mut command = Command::new(&self.lld);
        command
            .args(["-static", "-o"])
            .arg(out)
            .args(options)
            .args(objects);
        // The start-up code may be part of the bitcode already: taken only if it is not.
        command
            .arg("--start-lib")
            .arg(lib("crt1.o"))
            .arg("--end-lib")
            .arg("--start-group");
        // With what the unwinder looks for the tables of the program by.
        command.args(libcxx.flat_map(|archive| ["--eh-frame-hdr".as_ref(), archive.as_os_str()]));
        command
            .args(["libc.a", "libpolypath.a", "libgcc.a"].map(lib))
            .arg("--end-group");
        tool(&mut command).map(drop)
    }
}

/// The same binary as `traps` without debug information: valgrind gives up on forms of it that it does not know.
pub fn for_valgrind(traps: &Path) -> PathBuf {
    traps.with_extension("valgrind")
}

/// The entry point of a binary for modelled replay.
const MODELLED_START: &str = "polypath_modelled_start";

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

const COVER: &str = "__polypath_mark_cover";
const MARKER: &str = "__polypath_mark_";
/// Markers that stand for an instruction of LLVM.
const CONVERSIONS: [(&str, &str); 2] = [
    ("__polypath_mark_to_signed.", "fptosi"),
    ("__polypath_mark_to_unsigned.", "fptoui"),
];

/// Gives the markers bodies: a coverage marker updates the path hash, those that stand for an operation do it, the others
/// do nothing.
fn define_markers(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 1024);
    for line in text.lines() {
        match line.strip_prefix("declare ").filter(|l| l.contains(MARKER)) {
            Some(rest) => {
                // `void @NAME(i32, ptr) #3` becomes `define void @NAME(i32, ptr) noinline { … }`.
                let rest = match rest.strip_prefix("!dbg ") {
                    Some(after) => after
                        .split_once(' ')
                        .map_or(after, |(_, signature)| signature),
                    None => rest,
                };
                // Attributes behind it say that the call has no visible effect: dropped.
                let signature = &rest[..rest.rfind(')').map_or(rest.len(), |at| at + 1)];
                let body = marker_body(signature);
                let _ = writeln!(out, "define {signature} noinline {{\n{body}\n}}");
            }
            None => {
                out.push_str(line);
                out.push('\n');
            }
        }
    }
    out.push_str("declare void @__polypath_site(i32)\n");
    out
}

/// The native code of a marker of this signature.
fn marker_body(signature: &str) -> String {
    if signature.contains(COVER) {
        return "  tail call void @__polypath_site(i32 %0)\n  ret void".into();
    }
    // `i32 @"NAME"(double)`: a conversion that passes were not to look into.
    let conversion = CONVERSIONS
        .iter()
        .find(|(name, _)| signature.contains(name));
    let types = signature.split_once(" @").and_then(|(result, rest)| {
        let (_, operand) = rest.rsplit_once('(')?;
        Some((result, operand.trim_end_matches(')')))
    });
    match (conversion, types) {
        (Some((_, operation)), Some((result, operand))) => {
            format!("  %r = {operation} {operand} %0 to {result}\n  ret {result} %r")
        }
        _ => "  ret void".into(),
    }
}

/// Checks in the text of LLVM IR, for the functions named (or their renamed copies, `name.12`).
///
/// `%x = add nsw i32 %a, %b` becomes a call of a function that traps on overflow; so do `sub`, `mul`
/// with `nsw`, shifts by a variable amount of at least the width, divisions without a result, and counts of the zeros of zero.
/// Before each `unreachable` stands a trap.
fn instrument(text: &str, functions: &BTreeSet<String>) -> String {
    let mut out = String::with_capacity(text.len() + 4096);
    let mut helpers: BTreeSet<(&str, u32)> = BTreeSet::new();
    let mut inside = false;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(rest) = line.strip_prefix("define ") {
            inside = is_one_of(rest, functions);
        }
        if inside && line.trim_start().starts_with("unreachable") {
            let location = line.find(", !dbg").map_or("", |at| &line[at..]);
            let _ = writeln!(out, "  call void @llvm.trap(){location}");
        }
        match inside
            .then(|| checked(line).or_else(|| count(line, lines.clone())))
            .flatten()
        {
            Some((helper, replacement)) => {
                helpers.insert(helper);
                out.push_str(&replacement);
            }
            None => out.push_str(line),
        }
        out.push('\n');
    }
    let declared = |name: &str| {
        text.lines()
            .any(|l| l.starts_with("declare ") && l.contains(&format!("@{name}(")))
    };
    let mut declare = |signature: &str, name: &str| {
        if !declared(name) {
            let _ = writeln!(out, "declare {}", signature.replace("NAME", name));
        }
    };
    declare("void @NAME()", "llvm.trap");
    for (op, width) in &helpers {
        if let Some(intrinsic) = overflow_intrinsic(op, *width) {
            declare(
                &format!("{{ i{width}, i1 }} @NAME(i{width}, i{width})"),
                &intrinsic,
            );
        }
    }
    for (op, width) in helpers {
        out.push_str(&helper(op, width));
    }
    out
}

/// Whether the rest of a `define` line is that of a function named, or of a renamed copy of it (`name.12`).
pub(crate) fn is_one_of(rest: &str, functions: &BTreeSet<String>) -> bool {
    defined_name(rest).is_some_and(|name| {
        functions.contains(name)
            || name.rsplit_once('.').is_some_and(|(stem, n)| {
                functions.contains(stem) && n.bytes().all(|b| b.is_ascii_digit())
            })
    })
}

/// The function's name in the rest of a `define` line.
fn defined_name(rest: &str) -> Option<&str> {
    let after = &rest[rest.find('@')? + 1..];
    match after.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => after.split('(').next(),
    }
}

/// A checked instruction: which helper it needs, and the call.
fn checked(line: &str) -> Option<((&'static str, u32), String)> {
    let (result, rest) = line.trim_start().split_once(" = ")?;
    let mut words = rest.split(' ');
    let op = match words.next()? {
        "add" => "add",
        "sub" => "sub",
        "mul" => "mul",
        "shl" => "shl",
        "lshr" => "lshr",
        "ashr" => "ashr",
        "sdiv" => "sdiv",
        "udiv" => "udiv",
        "srem" => "srem",
        "urem" => "urem",
        _ => return None,
    };
    let mut nsw = false;
    let kind = loop {
        match words.next()? {
            "nsw" => nsw = true,
            "nuw" | "exact" => {}
            kind => break kind,
        }
    };
    let width: u32 = kind.strip_prefix('i')?.parse().ok()?;
    let shift = matches!(op, "shl" | "lshr" | "ashr");
    let operands = words.collect::<Vec<_>>().join(" ");
    // An operand may be an expression with commas of its own.
    let at = crate::addresses::top_level_comma(&operands)?;
    let (a, b) = (&operands[..at], operands.get(at + 2..)?);
    let (b, location) = b
        .split_once(", ")
        .map_or((b, String::new()), |(b, l)| (b, format!(", {l}")));
    let division = matches!(op, "sdiv" | "udiv" | "srem" | "urem");
    // A constant amount was checked by the compiler.
    if (!shift && !division && !nsw) || (shift && !b.starts_with('%')) {
        return None;
    }
    let call = format!(
        "  {result} = call {kind} @__polypath_checked_{op}_{kind}({kind} {a}, {kind} {b}){location}"
    );
    Some(((op, width), call))
}

/// A checked count of zeros, as [`checked`]; not one whose result for zero the front end replaces (`ffs`).
fn count<'a>(
    line: &str,
    next: impl Iterator<Item = &'a str>,
) -> Option<((&'static str, u32), String)> {
    let (result, rest) = line.trim_start().split_once(" = ")?;
    let (before, call) = rest.split_once(" @llvm.")?;
    let op = ["ctlz", "cttz"]
        .into_iter()
        .find(|op| call.starts_with(op))?;
    let kind = before.rsplit(' ').next()?;
    let width: u32 = kind.strip_prefix('i')?.parse().ok()?;
    let (_, operands) = call.split_once(&format!("({kind} "))?;
    let (of, location) = operands.split_once(", i1 true)")?;
    let compared = format!(" = icmp eq {kind} {of}, 0");
    let next: Vec<&str> = next.take(3).collect();
    let has = |what: &str| next.iter().any(|l| l.contains(what));
    if has(&compared) && has(" = select i1 ") {
        return None;
    }
    let call = format!(
        "  {result} = call {kind} @__polypath_checked_{op}_{kind}({kind} {of}, {kind} 0){location}"
    );
    Some(((op, width), call))
}

fn overflow_intrinsic(op: &str, width: u32) -> Option<String> {
    matches!(op, "add" | "sub" | "mul").then(|| format!("llvm.s{op}.with.overflow.i{width}"))
}

fn helper(op: &str, width: u32) -> String {
    let name = format!("__polypath_checked_{op}_i{width}");
    let (compute, value) = match overflow_intrinsic(op, width) {
        Some(intrinsic) => (
            format!(
                "  %r = call {{ i{width}, i1 }} @{intrinsic}(i{width} %a, i{width} %b)\n  \
                 %bad = extractvalue {{ i{width}, i1 }} %r, 1"
            ),
            format!("  %v = extractvalue {{ i{width}, i1 }} %r, 0"),
        ),
        None if matches!(op, "udiv" | "urem") => (
            format!("  %bad = icmp eq i{width} %b, 0"),
            format!("  %v = {op} i{width} %a, %b"),
        ),
        None if matches!(op, "sdiv" | "srem") => (
            // The least number has no negative.
            format!(
                "  %zero = icmp eq i{width} %b, 0\n  %ones = icmp eq i{width} %b, -1\n  \
                 %n = sub i{width} 0, %a\n  %same = icmp eq i{width} %n, %a\n  \
                 %some = icmp ne i{width} %a, 0\n  %least = and i1 %same, %some\n  \
                 %over = and i1 %ones, %least\n  %bad = or i1 %zero, %over"
            ),
            format!("  %v = {op} i{width} %a, %b"),
        ),
        None if matches!(op, "ctlz" | "cttz") => (
            format!("  %bad = icmp eq i{width} %a, 0"),
            format!("  %v = call i{width} @llvm.{op}.i{width}(i{width} %a, i1 false)"),
        ),
        None => (
            format!("  %bad = icmp uge i{width} %b, {width}"),
            format!("  %v = {op} i{width} %a, %b"),
        ),
    };
    format!(
        "define internal i{width} @{name}(i{width} %a, i{width} %b) noinline {{\n{compute}\n  \
         br i1 %bad, label %trap, label %good\ntrap:\n  call void @llvm.trap()\n  unreachable\n\
         good:\n{value}\n  ret i{width} %v\n}}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
declare void @llvm.trap()
define internal i32 @f.3(i32 %0) !dbg !4 {
  %2 = add nsw i32 %0, 1, !dbg !5
  %3 = add i32 %2, 1
  %4 = shl i32 %3, 3
  %5 = shl i64 %4, %0
  %6 = mul nuw nsw i64 %5, %5, !dbg !7
  %7 = sdiv exact i32 %0, %2
  %8 = sdiv i64 sub (i64 1, i64 2), 4, !dbg !9
  %9 = call i32 @llvm.ctlz.i32(i32 %0, i1 true), !dbg !9
  %10 = call i64 @llvm.cttz.i64(i64 %5, i1 false)
  %11 = call range(i32 0, 33) i32 @llvm.cttz.i32(i32 %2, i1 true)
  %12 = add i32 %11, 1
  %13 = icmp eq i32 %2, 0
  %14 = select i1 %13, i32 0, i32 %12
  unreachable, !dbg !8
}
define i32 @g() {
  %1 = add nsw i32 1, 2
}
";

    #[test]
    fn only_named_functions_and_checked_operations_change() {
        let out = instrument(TEXT, &BTreeSet::from(["f".to_owned()]));
        for line in [
            "  %2 = call i32 @__polypath_checked_add_i32(i32 %0, i32 1), !dbg !5",
            "  %3 = add i32 %2, 1",
            "  %4 = shl i32 %3, 3",
            "  %5 = call i64 @__polypath_checked_shl_i64(i64 %4, i64 %0)",
            "  %6 = call i64 @__polypath_checked_mul_i64(i64 %5, i64 %5), !dbg !7",
            "  %7 = call i32 @__polypath_checked_sdiv_i32(i32 %0, i32 %2)",
            "  %8 = call i64 @__polypath_checked_sdiv_i64(i64 sub (i64 1, i64 2), i64 4), !dbg !9",
            "  %9 = call i32 @__polypath_checked_ctlz_i32(i32 %0, i32 0), !dbg !9",
            "  %10 = call i64 @llvm.cttz.i64(i64 %5, i1 false)",
            "  %11 = call range(i32 0, 33) i32 @llvm.cttz.i32(i32 %2, i1 true)",
            "  call void @llvm.trap(), !dbg !8\n  unreachable, !dbg !8",
            "  %1 = add nsw i32 1, 2",
            "declare { i32, i1 } @llvm.sadd.with.overflow.i32(i32, i32)",
        ] {
            assert!(out.contains(line), "{line}\nnot in\n{out}");
        }
        assert_eq!(out.matches("declare void @llvm.trap()").count(), 1);
    }

    #[test]
    fn markers_get_bodies() {
        let text = "declare !dbg !4 void @__polypath_mark_cover(i32) #1\ndeclare void @\"__polypath_mark_shift.i32\"(i32, i32)\ndeclare i32 @other()\n";
        let out = define_markers(text);
        assert!(out.contains("define void @__polypath_mark_cover(i32) noinline {\n  tail call void @__polypath_site(i32 %0)"));
        assert!(out.contains(
            "define void @\"__polypath_mark_shift.i32\"(i32, i32) noinline {\n  ret void\n}"
        ));
        assert!(out.contains("declare i32 @other()\n"));
        let text = "declare <2 x i32> @\"__polypath_mark_to_signed.<2 x double>.<2 x i32>\"(<2 x double>) #5\n";
        let body = "{\n  %r = fptosi <2 x double> %0 to <2 x i32>\n  ret <2 x i32> %r\n}";
        assert!(define_markers(text).contains(body));
    }
}
