//! The machine's addresses in a native binary, so that a program that hashes or compares addresses takes the machine's path.
//!
//! * Globals lie where the front end put them: each in a section of its own, placed by a linker script.
//! * Functions have the machine's addresses: a jump to the code stands there, and every use of a function's name means it.
//! * Stack objects are taken from the machine's stack, in its order: `alloca` becomes a call of the run time
//!   (`runtime/modelled.c`), which gives them back where the function returns, where `longjmp` leads, and at
//!   `stackrestore`. Copies of arguments that are passed by value are counted, too; the areas of variable arguments are
//!   not, so what a variadic function and those below it put on the stack lies elsewhere.
//! * Heap, mappings, arguments and environment: see the run time.
//!
//! Works on the text of LLVM IR, as its other rewritings do.

use std::collections::HashMap;
use std::fmt::Write;

/// The start addresses of the stack and the heap, which the front end does not place, and the limits of the heap.
#[derive(Clone, Copy, Debug)]
pub struct AddressLayout {
    /// The start of the heap.
    pub heap: u64,
    /// The start of the stack.
    pub stack: u64,
    /// Bytes of the largest heap object.
    pub largest: u64,
    /// Bytes of all live heap objects.
    pub all: u64,
}

/// A module at the machine's addresses.
pub struct Placed {
    /// The module as LLVM assembly.
    pub text: String,
    /// For the linker.
    pub script: String,
}

/// Code of a function `f` is called `f.pp`.
const SUFFIX: &str = ".pp";

/// Rewrites a module's text to the addresses that its IR has.
pub fn place(text: &str, module: &ir::Module) -> Placed {
    let functions: HashMap<&str, usize> = module
        .functions
        .iter()
        .enumerate()
        .map(|(i, f)| (f.name.as_str(), i))
        .collect();
    let globals: HashMap<&str, u64> = module
        .globals
        .iter()
        .map(|g| (g.name.as_str(), g.address))
        .collect();
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    let mut aliases = Vec::new();
    let mut defined = HashMap::new();
    let mut frame = StackObjects::default();
    let known = alias_targets(text);
    let lines: Vec<&str> = text.lines().collect();
    for (i, &line) in lines.iter().enumerate() {
        if line.starts_with('@') {
            match global(line, &functions, &globals, &known) {
                AddressLine::Kept(line) => push(&mut out, &line),
                AddressLine::Alias(name, target) => {
                    let _ = writeln!(out, "declare void @{name}()");
                    aliases.push((name, target, Reach::of(line)));
                }
            }
        } else if let Some(rest) = line.strip_prefix("define ") {
            let (line, name) = definition(rest, &functions);
            defined.extend(name.map(|n| (n, Reach::of(rest))));
            push(&mut out, &line);
            frame = StackObjects::new(rest, &lines[i + 1..]);
        } else if line == "}" {
            push(&mut out, line);
            frame = StackObjects::default();
        } else {
            frame.instruction(line, &mut out);
        }
    }
    let mut names: Vec<&String> = defined.keys().collect();
    names.sort();
    for name in names {
        let _ = writeln!(out, "declare void @{name}()");
    }
    out.push_str(DECLARATIONS);
    let mut text = direct_uses(out, &defined);
    for line in stubs(module, &defined, &aliases).lines() {
        let _ = writeln!(text, "module asm \"{}\"", line.replace('"', "\\22"));
    }
    Placed {
        text,
        script: script(module),
    }
}

const DECLARATIONS: &str = "\
declare ptr @__polypath_alloca(i64, i64)
declare { i64, i64 } @__polypath_mark()
declare void @__polypath_release({ i64, i64 })
declare ptr @__polypath_stack_save()
declare void @__polypath_stack_restore(ptr)
";

fn push(out: &mut String, line: &str) {
    out.push_str(line);
    out.push('\n');
}

/// The name, as it is written behind `@`, and as it is.
fn name_at(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix('@')?;
    if let Some(quoted) = rest.strip_prefix('"') {
        let end = quoted.find('"')?;
        return Some((&rest[..end + 2], &quoted[..end]));
    }
    let end = rest
        .find(|c: char| !(c.is_ascii_alphanumeric() || "._$-".contains(c)))
        .unwrap_or(rest.len());
    Some((&rest[..end], &rest[..end]))
}

/// The modules that may use a name. The C library's archive has other symbols with the same names as the module.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    Module,
    Weak,
    All,
}

impl Reach {
    /// The reach of a `define` line, or of an alias.
    fn of(line: &str) -> Reach {
        let words = line.split_once(" = ").map_or(line, |(_, rest)| rest);
        words
            .split(' ')
            .take_while(|w| !w.contains(['@', '(']) && *w != "alias")
            .find_map(|w| match w {
                "internal" | "private" => Some(Reach::Module),
                "weak" | "weak_odr" | "linkonce" | "linkonce_odr" => Some(Reach::Weak),
                _ => None,
            })
            .unwrap_or(Reach::All)
    }

    /// The assembler's word for a symbol.
    fn declare(self, name: &str) -> String {
        match self {
            Reach::Module => String::new(),
            Reach::Weak => format!(".weak \"{name}\"\n"),
            Reach::All => format!(".globl \"{name}\"\n"),
        }
    }
}

enum AddressLine {
    Kept(String),
    /// An alias of a function: its name as written, the function's.
    Alias(String, String),
}

/// The targets of the aliases: plain names.
fn alias_targets(text: &str) -> HashMap<&str, &str> {
    text.lines()
        .filter(|l| l.starts_with('@'))
        .filter_map(|line| {
            let (_, target) = line.split_once(" alias ")?;
            let at = target.rfind("ptr @")? + "ptr ".len();
            Some((name_at(line)?.1, name_at(&target[at..])?.1))
        })
        .collect()
}

fn global(
    line: &str,
    functions: &HashMap<&str, usize>,
    globals: &HashMap<&str, u64>,
    aliases: &HashMap<&str, &str>,
) -> AddressLine {
    let Some((written, name)) = name_at(line) else {
        return AddressLine::Kept(line.into());
    };
    if let Some(mut target) = aliases.get(name).copied() {
        // Of an alias of an alias; a circle would not be a module.
        for _ in 0..aliases.len() {
            target = aliases.get(target).copied().unwrap_or(target);
        }
        return if functions.contains_key(target) {
            AddressLine::Alias(written.into(), target.into())
        } else {
            AddressLine::Kept(line.into())
        };
    }
    let Some(address) = globals.get(name) else {
        return AddressLine::Kept(line.into());
    };
    // Words before the type: what would merge, share or drop it, or make one for each thread.
    let Some((head, rest)) = [" global ", " constant "]
        .iter()
        .filter_map(|k| Some((line.find(k)?, k)))
        .min()
        .map(|(at, k)| (&line[..at], &line[at + k.len()..]))
    else {
        return AddressLine::Kept(line.into());
    };
    let dropped = |w: &&str| {
        !matches!(
            *w,
            "unnamed_addr"
                | "local_unnamed_addr"
                | "common"
                | "private"
                | "linkonce_odr"
                | "linkonce"
                | "weak_odr"
        ) && !w.starts_with("thread_local")
    };
    let head: Vec<&str> = head.split(' ').filter(dropped).collect();
    // Its own section instead of one that it may have; what follows is comdat, align, metadata.
    let end = tail(rest);
    let (body, tail) = rest.split_at(end);
    let align = tail
        .split(", ")
        .filter(|part| part.starts_with("align ") || part.starts_with('!'))
        .fold(String::new(), |all, part| format!("{all}, {part}"));
    AddressLine::Kept(format!(
        "{} global {body}, section \".pp.{address:x}\"{align}",
        head.join(" ")
    ))
}

/// The start of the parts behind a global's initializer.
fn tail(rest: &str) -> usize {
    top_level_comma(rest).unwrap_or(rest.len())
}

/// The first comma outside of brackets and quotes.
pub(crate) fn top_level_comma(rest: &str) -> Option<usize> {
    let (mut depth, mut quoted) = (0, false);
    for (i, c) in rest.char_indices() {
        match c {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '{' | '[' | '(' | '<' => depth += 1,
            '}' | ']' | ')' | '>' => depth -= 1,
            ',' if depth == 0 => return Some(i),
            _ => {}
        }
    }
    None
}

/// The `define` line of a function's code, and the function's name as written.
fn definition(rest: &str, functions: &HashMap<&str, usize>) -> (String, Option<String>) {
    let plain = || (format!("define {rest}"), None);
    let Some(at) = rest.find('@') else {
        return plain();
    };
    let Some((written, name)) = name_at(&rest[at..]) else {
        return plain();
    };
    if !functions.contains_key(name) {
        return plain();
    }
    let linkage = |w: &&str| {
        !matches!(
            *w,
            "internal"
                | "private"
                | "weak"
                | "weak_odr"
                | "linkonce"
                | "linkonce_odr"
                | "available_externally"
                | "hidden"
        )
    };
    let head: Vec<&str> = rest[..at].split(' ').filter(linkage).collect();
    let mut behind = rest[at + 1 + written.len()..].to_owned();
    if let Some(comdat) = behind.rfind(" comdat") {
        let end = behind[comdat + 1..]
            .find([' ', '('])
            .map_or(behind.len(), |n| comdat + 1 + n);
        let end = match behind[end..].strip_prefix('(') {
            Some(name) => end + 1 + name.find(')').map_or(0, |n| n + 1),
            None => end,
        };
        behind.replace_range(comdat..end, "");
    }
    (
        format!("define {}@\"{name}{SUFFIX}\"{behind}", head.join(" ")),
        Some(written.to_owned()),
    )
}

/// Addresses of labels need the code itself.
fn direct_uses(text: String, defined: &HashMap<String, Reach>) -> String {
    const USE: &str = "blockaddress(";
    if !text.contains(USE) {
        return text;
    }
    let mut parts = text.split(USE);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(USE);
        match name_at(part) {
            Some((written, name)) if defined.contains_key(written) => {
                let _ = write!(out, "@\"{name}{SUFFIX}\"{}", &part[1 + written.len()..]);
            }
            _ => out.push_str(part),
        }
    }
    out
}

/// The code that a function needs for its stack objects.
#[derive(Default)]
struct StackObjects {
    /// It has stack objects.
    inside: bool,
    begun: bool,
    copies: Vec<String>,
    /// Names made here.
    made: u32,
    /// A `musttail` call gave the frame back already.
    left: bool,
    /// It has landing pads of exceptions.
    lands: bool,
    /// The last instruction was a landing pad.
    landed: bool,
}

impl StackObjects {
    /// For a function with the rest of this `define` line, and what follows it.
    fn new(rest: &str, body: &[&str]) -> StackObjects {
        let copies: Vec<String> = rest
            .match_indices("byval(")
            .filter_map(|(at, found)| {
                let ty = &rest[at + found.len()..];
                Some(ty[..closing(ty)?].to_owned())
            })
            .collect();
        let body = body.iter().take_while(|l| **l != "}");
        let changed = [
            "= alloca ",
            " @llvm.stacksave",
            " @llvm.threadlocal.address",
        ];
        let lands = body.clone().any(|l| l.contains("= landingpad "));
        let inside = lands
            || !copies.is_empty()
            || body
                .clone()
                .any(|l| changed.iter().any(|c| l.contains(c)) || is_setjmp(l));
        StackObjects {
            inside,
            copies,
            lands,
            ..StackObjects::default()
        }
    }

    fn instruction(&mut self, line: &str, out: &mut String) {
        let code = line.trim_start();
        if !self.inside || code.is_empty() || code.starts_with(';') || !line.starts_with(' ') {
            return push(out, line);
        }
        // The second line of an `invoke`, and the clauses of a landing pad.
        if line.starts_with("          ") {
            return push(out, line);
        }
        if std::mem::take(&mut self.landed) {
            self.made += 1;
            let n = self.made;
            let _ = writeln!(
                out,
                "  %pp.pad{n} = load {{ i64, i64 }}, ptr %pp.called\n  \
                 call void @__polypath_release({{ i64, i64 }} %pp.pad{n})"
            );
        }
        if !self.begun {
            self.begun = true;
            push(out, "  %pp.mark = call { i64, i64 } @__polypath_mark()");
            // Where the stack stood at the last call that has a landing pad.
            if self.lands {
                push(out, "  %pp.called = alloca { i64, i64 }");
            }
            for (i, ty) in std::mem::take(&mut self.copies).iter().enumerate() {
                let _ = writeln!(
                    out,
                    "  %pp.copy{i} = call ptr @__polypath_alloca(i64 {}, i64 16)",
                    size(ty)
                );
            }
        }
        let (result, operation) = match code.split_once(" = ") {
            Some((result, operation)) if code.starts_with('%') => (Some(result), operation),
            _ => (None, code),
        };
        match result {
            Some(result) if operation.starts_with("alloca ") => {
                if let Some(text) = self.alloca(result, operation) {
                    return push(out, &text);
                }
            }
            Some(result) if operation.contains(" @llvm.stacksave") => {
                let _ = writeln!(out, "  {result} = call ptr @__polypath_stack_save()");
                return;
            }
            Some(result) if operation.contains(" @llvm.threadlocal.address") => {
                if let Some((_, global)) = operation.rsplit_once('@') {
                    let end = global.find(')').unwrap_or(global.len());
                    let _ = writeln!(
                        out,
                        "  {result} = getelementptr i8, ptr @{}, i64 0",
                        &global[..end]
                    );
                    return;
                }
            }
            _ if operation.starts_with("invoke ") => {
                self.made += 1;
                let n = self.made;
                let _ = writeln!(
                    out,
                    "  %pp.in{n} = call {{ i64, i64 }} @__polypath_mark()\n  \
                     store {{ i64, i64 }} %pp.in{n}, ptr %pp.called"
                );
                return push(out, line);
            }
            Some(_) if operation.starts_with("landingpad ") => {
                self.landed = true;
                return push(out, line);
            }
            Some(_) if is_setjmp(operation) => {
                self.made += 1;
                let n = self.made;
                let _ = writeln!(
                    out,
                    "  %pp.jump{n} = call {{ i64, i64 }} @__polypath_mark()"
                );
                push(out, line);
                let _ = writeln!(
                    out,
                    "  call void @__polypath_release({{ i64, i64 }} %pp.jump{n})"
                );
                return;
            }
            _ => {}
        }
        const RELEASE: &str = "  call void @__polypath_release({ i64, i64 } %pp.mark)";
        if operation.contains(" @llvm.stackrestore") {
            let pointer = operation.rsplit_once("ptr ").map_or("", |(_, p)| p);
            let end = pointer.find(')').unwrap_or(pointer.len());
            let pointer = &pointer[..end];
            let _ = writeln!(out, "  call void @__polypath_stack_restore(ptr {pointer})");
            return;
        }
        if operation.starts_with("musttail ") {
            self.left = true;
            push(out, RELEASE);
        } else if operation.starts_with("ret ") && !std::mem::take(&mut self.left) {
            push(out, RELEASE);
        }
        push(out, line);
    }

    /// `alloca TYPE[, TYPE COUNT], align N` as a call.
    fn alloca(&mut self, result: &str, operation: &str) -> Option<String> {
        let rest = operation.strip_prefix("alloca ")?;
        let end = tail(rest);
        let (ty, rest) = rest.split_at(end);
        let mut align = "16";
        let mut count = None;
        for part in rest.split(", ").filter(|p| !p.is_empty()) {
            match part.strip_prefix("align ") {
                Some(n) => align = n,
                None if part.starts_with('i') => count = part.split_once(' '),
                None => {}
            }
        }
        let one = size(ty);
        let Some((kind, count)) = count else {
            return Some(format!(
                "  {result} = call ptr @__polypath_alloca(i64 {one}, i64 {align})"
            ));
        };
        self.made += 1;
        let n = self.made;
        let widened = match kind {
            "i64" => String::new(),
            _ => format!("  %pp.count{n} = zext {kind} {count} to i64\n"),
        };
        let count = match kind {
            "i64" => count.to_owned(),
            _ => format!("%pp.count{n}"),
        };
        Some(format!(
            "{widened}  %pp.size{n} = mul i64 {count}, {one}\n  \
             {result} = call ptr @__polypath_alloca(i64 %pp.size{n}, i64 {align})"
        ))
    }
}

/// The size of a type as a constant.
fn size(ty: &str) -> String {
    format!("ptrtoint (ptr getelementptr ({ty}, ptr null, i32 1) to i64)")
}

/// The position of the closing parenthesis of one that was opened before this text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.char_indices().find_map(|(i, c)| {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(i),
            ')' => depth -= 1,
            _ => {}
        }
        None
    })
}

fn is_setjmp(operation: &str) -> bool {
    [
        "@setjmp(",
        "@_setjmp(",
        "@__setjmp(",
        "@sigsetjmp(",
        "@__sigsetjmp(",
    ]
    .iter()
    .any(|f| operation.contains(f))
}

/// Assembly: at each function's address a jump to its code.
fn stubs(
    module: &ir::Module,
    defined: &HashMap<String, Reach>,
    aliases: &[(String, String, Reach)],
) -> String {
    let mut out = String::from(".section .pp.functions,\"ax\",@progbits\n");
    for (id, f) in module.functions.iter().enumerate() {
        let name = &f.name;
        let reach = defined
            .get(name)
            .or_else(|| defined.get(&format!("\"{name}\"")));
        let Some(reach) = reach else { continue };
        let _ = writeln!(
            out,
            ".org {}\n{}\"{name}\":\njmp \"{name}{SUFFIX}\"",
            id as u64 * ir::layout::FUNCTION_STRIDE,
            reach.declare(name)
        );
    }
    for (name, target, reach) in aliases {
        let name = name.trim_matches('"');
        let _ = writeln!(out, "{}.set \"{name}\", \"{target}\"", reach.declare(name));
    }
    out
}

/// Functions and globals where they belong, everything else behind them.
fn script(module: &ir::Module) -> String {
    use ir::layout::{FUNCTIONS, GLOBALS};
    let mut globals: Vec<u64> = module.globals.iter().map(|g| g.address).collect();
    globals.sort_unstable();
    // The headers of the file are loaded if there is room for them before the first section: the unwinder reads them.
    let mut out = format!(
        "SECTIONS {{\n  . = 0x200000 + SIZEOF_HEADERS;\n  .pp.headers : {{ BYTE(0) }}\n  \
         .pp.functions {FUNCTIONS:#x} : {{ KEEP(*(.pp.functions)) }}\n  \
         .pp.globals {GLOBALS:#x} : {{\n"
    );
    for address in globals {
        let _ = writeln!(out, "    . = {address:#x}; KEEP(*(.pp.{address:x}))");
    }
    out.push_str("  }\n");
    for (name, inputs) in [
        (".text", "*(.text .text.*)"),
        (".rodata", "*(.rodata .rodata.*)"),
        (".eh_frame", "*(.eh_frame)"),
        (".init_array", "KEEP(*(.init_array .init_array.*))"),
        (".fini_array", "KEEP(*(.fini_array .fini_array.*))"),
        (".got", "*(.got .got.plt)"),
        (".data", "*(.data .data.*)"),
        (".bss", "*(.bss .bss.* COMMON)"),
    ] {
        let _ = writeln!(out, "  . = ALIGN(0x1000);\n  {name} : {{ {inputs} }}");
    }
    out.push_str("}\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module() -> ir::Module {
        let function = |name: &str| ir::Function {
            name: name.into(),
            entry: 0,
            end: 0,
            params: Vec::new(),
            results: Vec::new(),
            registers: 0,
            frame: ir::layout::FRAME,
            ty: 0,
            variadic: None,
            own: true,
            location: ir::Location::default(),
        };
        let global = |name: &str, address| ir::Global {
            name: name.into(),
            address,
            size: 4,
            init: Vec::new(),
            constant: false,
            own: true,
        };
        ir::Module {
            functions: vec![function("f"), function("a b")],
            globals: vec![global("x", 0x1000_0000), global(".str.1", 0x1000_0040)],
            ..ir::Module::default()
        }
    }

    const TEXT: &str = r#"
@x = internal thread_local global { i32, ptr } { i32 1, ptr @f }, section "old", comdat, align 8, !dbg !4
@.str.1 = private unnamed_addr constant [4 x i8] c"a, \22\00", align 1
@other = external global i32
@g = weak alias i32 (), ptr @f
define internal i32 @f(ptr byval({ i64, i64 }) align 8 %0, i32 %1) #3 comdat !dbg !5 {
  %3 = alloca [4 x { i8, i32 }], align 4
  %4 = alloca i8, i32 %1, align 16
  %5 = call ptr @llvm.stacksave.p0()
  call void @llvm.stackrestore.p0(ptr %5)
  %6 = call ptr @llvm.threadlocal.address.p0(ptr align 8 @x)
  store ptr blockaddress(@f, %7), ptr %3
  br label %7

7:
  %8 = call i32 @setjmp(ptr %3)
  ret i32 %8
}
define void @"a b"() {
  call i32 @f()
  ret void
}
"#;

    #[test]
    fn everything_has_the_machines_address() {
        let placed = place(TEXT, &module());
        for line in [
            "@x = internal global { i32, ptr } { i32 1, ptr @f }, section \".pp.10000000\", align 8, !dbg !4",
            "@.str.1 = global [4 x i8] c\"a, \\22\\00\", section \".pp.10000040\", align 1",
            "@other = external global i32",
            "declare void @g()",
            "define i32 @\"f.pp\"(ptr byval({ i64, i64 }) align 8 %0, i32 %1) #3 !dbg !5 {",
            "  %pp.copy0 = call ptr @__polypath_alloca(i64 ptrtoint (ptr getelementptr ({ i64, i64 }, ptr null, i32 1) to i64), i64 16)",
            "  %3 = call ptr @__polypath_alloca(i64 ptrtoint (ptr getelementptr ([4 x { i8, i32 }], ptr null, i32 1) to i64), i64 4)",
            "  %pp.count1 = zext i32 %1 to i64",
            "  %4 = call ptr @__polypath_alloca(i64 %pp.size1, i64 16)",
            "  %5 = call ptr @__polypath_stack_save()",
            "  call void @__polypath_stack_restore(ptr %5)",
            "  %6 = getelementptr i8, ptr @x, i64 0",
            "  store ptr blockaddress(@\"f.pp\", %7), ptr %3",
            "  %pp.jump2 = call { i64, i64 } @__polypath_mark()",
            "define void @\"a b.pp\"() {",
            "  call i32 @f()",
            "declare void @f()",
            "declare void @\"a b\"()",
        ] {
            assert!(
                placed.text.lines().any(|l| l == line),
                "{line}\nnot in\n{}",
                placed.text
            );
        }
        assert!(!placed.text.contains(" alias "));
        let asm: Vec<&str> = placed
            .text
            .lines()
            .filter_map(|l| l.strip_prefix("module asm "))
            .collect();
        assert_eq!(
            asm,
            [
                r#"".section .pp.functions,\22ax\22,@progbits""#,
                r#"".org 0""#,
                r#""\22f\22:""#,
                r#""jmp \22f.pp\22""#,
                r#"".org 16""#,
                r#"".globl \22a b\22""#,
                r#""\22a b\22:""#,
                r#""jmp \22a b.pp\22""#,
                r#"".weak \22g\22""#,
                r#"".set \22g\22, \22f\22""#,
            ]
        );
        assert!(
            placed
                .script
                .contains(". = 0x10000040; KEEP(*(.pp.10000040))")
        );
    }
}
