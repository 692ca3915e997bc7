//! A module as text: declarations, then one instruction a line. `parse` reads it back.
//!
//! What the text does not say is how constants, strings, files, operand lists, switches and call sites are numbered;
//! they stand where they are used. Functions, externs, globals, branches and sites stand in their order, because their
//! numbers mean something (addresses, the hash of a path).
//!
//! Labels are named by the pc that they had.

use crate::fields::{Fields, IntegerField};
use crate::operands::slots;
use crate::ops::Word;
use crate::{
    ArgClass, CallSite, Clause, FuncId, Inst, LandingPad, Location, Module, Pc, Reg, SiteId, StrId,
    Target, Val,
};
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::fmt::Write;
use std::ops::RangeInclusive;

/// The whole module.
pub fn print(m: &Module) -> String {
    let mut s = String::new();
    let entries = [("main", m.entry.main), ("start", m.entry.start)];
    for (what, id) in entries {
        if let Some(id) = id {
            line(&mut s, format_args!("entry {what} {}", function(m, id)));
        }
    }
    for (id, name) in m.externs.iter().enumerate() {
        line(&mut s, format_args!("extern {}  ; {id}", named(name)));
    }
    for g in &m.globals {
        let kind = if g.constant { "constant" } else { "global" };
        let own = if g.own { " own" } else { "" };
        let (name, init) = (named(&g.name), quoted(&g.init));
        let head = format!("{kind} {name} size {} at {:#x}{own}", g.size, g.address);
        if g.init.is_empty() {
            line(&mut s, format_args!("{head}"))
        } else {
            line(&mut s, format_args!("{head} {init}"))
        }
    }
    for (id, b) in m.branches.iter().enumerate() {
        let (f, at) = (function(m, b.function), place(m, b.location));
        line(
            &mut s,
            format_args!("branch in {f} outcomes {}{at}  ; {id}", b.outcomes),
        );
    }
    for (id, site) in m.sites.iter().enumerate() {
        let mut text = format!("site in {}", function(m, site.function));
        if let Some((branch, outcome)) = site.outcome {
            let _ = write!(text, " outcome {branch} {outcome}");
        }
        if !site.lines.is_empty() {
            let _ = write!(text, " lines {}", list(&site.lines, " "));
        }
        let at = place(m, site.location);
        let n = site.instructions;
        line(&mut s, format_args!("{text} instructions {n}{at}  ; {id}"));
    }
    for b in &m.shared_blocks {
        let sites = list(&b.sites, " ");
        line(
            &mut s,
            format_args!("shared instructions {} sites {sites}", b.instructions),
        );
    }
    for (op, id) in &m.soft_floats {
        let f = function(m, *id);
        line(&mut s, format_args!("soft {} {f}", op.symbol()));
    }
    for id in 0..m.functions.len() {
        print_function(m, id as u32, &mut s);
    }
    s
}

fn line(s: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = writeln!(s, "{text}");
}

fn list(items: &[impl ToString], between: &str) -> String {
    let items: Vec<String> = items.iter().map(ToString::to_string).collect();
    items.join(between)
}

/// One function.
pub fn print_function(m: &Module, id: FuncId, s: &mut String) {
    let f = &m.functions[id as usize];
    let (name, params, results) = (
        named(&f.name),
        list(&f.params, ", "),
        list(&f.results, ", "),
    );
    let _ = write!(s, "\nfunction {name}({params}) -> ({results})");
    let _ = write!(s, " registers {}", f.registers);
    if f.frame != crate::layout::FRAME {
        let _ = write!(s, " frame {}", f.frame);
    }
    if let Some(v) = f.variadic {
        let _ = write!(s, " variadic {} {}", v.general, v.vector);
    }
    let own = if f.own { " own" } else { "" };
    let ty = m.strings.get(f.ty as usize).map_or("", String::as_str);
    let ty = match ty {
        "" => String::new(),
        ty => format!(" type {}", quoted(ty.as_bytes())),
    };
    let at = place(m, f.location);
    line(s, format_args!("{own}{ty}{at}  ; {id}"));
    let labels = labels(m, id);
    let mut last = Location::default();
    for pc in f.entry..f.end {
        if labels.contains(&pc) {
            line(s, format_args!("{}:", label(pc)));
        }
        let at = known(m.location_at(pc));
        let inst = print_inst(m, &m.code[pc as usize]);
        match (at == last, at == Location::default()) {
            (true, _) => line(s, format_args!("    {inst}")),
            (_, true) => line(s, format_args!("    {inst}  @?")),
            _ => line(s, format_args!("    {inst} {}", place(m, at))),
        }
        last = at;
    }
}

/// Where the branches of a function go.
fn labels(m: &Module, id: FuncId) -> BTreeSet<Pc> {
    let f = &m.functions[id as usize];
    let mut labels = BTreeSet::new();
    for inst in &m.code[f.entry as usize..f.end as usize] {
        let mut copy = *inst;
        copy.targets(|t| {
            labels.insert(*t);
        });
        if let Inst::Switch { table, .. } = inst {
            let t = &m.switches[*table as usize];
            labels.extend(t.cases.iter().map(|c| c.1));
            labels.insert(t.default);
        }
    }
    labels
}

fn label(pc: Pc) -> String {
    format!("L{pc}")
}

/// Line 0 is unknown, whatever else it says.
fn known(at: Location) -> Location {
    match at.line {
        0 => Location::default(),
        _ => at,
    }
}

fn place(m: &Module, at: Location) -> String {
    if at.line == 0 {
        return String::new();
    }
    let file = quoted(m.file_name(at).as_bytes());
    format!(" @{file}:{}:{}", at.line, at.column)
}

/// The name of a function, or its number if it shares the name with one before it.
fn function(m: &Module, id: FuncId) -> String {
    let name = m.functions.get(id as usize).map(|f| f.name.as_str());
    let shared = || {
        m.functions
            .iter()
            .position(|f| Some(f.name.as_str()) == name)
            != Some(id as usize)
    };
    reference(id, name, shared)
}

fn import(m: &Module, id: u32) -> String {
    let name = m.externs.get(id as usize).map(String::as_str);
    let shared = || m.externs.iter().position(|n| Some(n.as_str()) == name) != Some(id as usize);
    reference(id, name, shared)
}

fn reference(id: u32, name: Option<&str>, shared: impl Fn() -> bool) -> String {
    match name {
        Some(name) if !shared() => named(name),
        _ => format!("#{id}"),
    }
}

/// Whether a character belongs to a word of the text.
pub(crate) fn is_word(c: u8) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, b'_' | b'.' | b'$')
}

fn named(name: &str) -> String {
    if !name.is_empty() && name != "extern" && name.bytes().all(is_word) {
        name.to_string()
    } else {
        quoted(name.as_bytes())
    }
}

/// In quotation marks; what is not printable ASCII, a quotation mark or a backslash is `\` and two hexadecimal digits.
fn quoted(bytes: &[u8]) -> String {
    let mut s = String::with_capacity(bytes.len() + 2);
    s.push('"');
    for &b in bytes {
        match b {
            b'"' | b'\\' => {
                let _ = write!(s, "\\{b:02x}");
            }
            b' '..=b'~' => s.push(char::from(b)),
            _ => {
                let _ = write!(s, "\\{b:02x}");
            }
        }
    }
    s.push('"');
    s
}

fn val(m: &Module, v: Val, width: u32) -> String {
    if !v.is_const() {
        return register(Reg(v.0), width);
    }
    let limbs: Vec<u64> = (0..slots(width).max(1) as usize)
        .map_while(|n| m.consts.get(v.index() + n).copied())
        .collect();
    match limbs.as_slice() {
        [one] if *one < 4096 => one.to_string(),
        [one] => format!("{one:#x}"),
        many => {
            let digits: String = many.iter().rev().map(|l| format!("{l:016x}")).collect();
            format!("0x{digits}")
        }
    }
}

fn register(r: Reg, width: u32) -> String {
    match slots(width) {
        0 | 1 => format!("r{}", r.0),
        n => format!("r{}..r{}", r.0, r.0.saturating_add(n - 1)),
    }
}

/// One instruction.
pub fn print_inst(m: &Module, inst: &Inst) -> String {
    let values = |start: u32, count: u16| -> String {
        let range = start as usize..start as usize + usize::from(count);
        let vals = m.operands.get(range).unwrap_or(&[]);
        let vals: Vec<String> = vals.iter().map(|v| val(m, *v, 64)).collect();
        vals.join(", ")
    };
    match *inst {
        Inst::Call {
            callee,
            dst,
            args,
            count,
        } => {
            let results = m
                .functions
                .get(callee as usize)
                .map(|f| f.results.as_slice());
            let dst = result(dst, results.unwrap_or(&[]));
            format!("{dst}Call {}({})", function(m, callee), values(args, count))
        }
        Inst::Ret {
            values: from,
            count,
        } => format!("Ret {}", values(from, count))
            .trim_end()
            .to_string(),
        Inst::CallSite { site } => print_site(m, &m.call_sites[site as usize]),
        Inst::Switch { w, value, table } => {
            let t = &m.switches[table as usize];
            let cases = t
                .cases
                .iter()
                .map(|(v, pc)| format!("{v} -> {}", label(*pc)));
            let cases: Vec<String> = cases.collect();
            let (value, other) = (val(m, value, u32::from(w)), label(t.default));
            format!("Switch.{w} {value}, [{}] else {other}", cases.join(", "))
        }
        Inst::Invoked {
            target,
            pad,
            clauses,
        } => {
            let words = m.pads.get(clauses as usize).map_or("?".into(), print_pad);
            format!("Invoked {}, {} [{words}]", label(target), label(pad))
        }
        _ => {
            let mut p = Printer {
                m,
                head: inst.name().to_string(),
                dst: String::new(),
                rest: Vec::new(),
            };
            let mut copy = *inst;
            let Ok(()) = copy.fields(&mut p);
            format!("{}{} {}", p.dst, p.head, p.rest.join(", "))
                .trim_end()
                .to_string()
        }
    }
}

fn print_pad(pad: &LandingPad) -> String {
    let mut words = Vec::new();
    words.extend(pad.cleanup.then(|| "cleanup".to_string()));
    words.extend(pad.terminates.then(|| "terminates".to_string()));
    for clause in &pad.clauses {
        words.push(match clause {
            Clause::Catch { selector, ty } => format!("catch {selector} {ty:#x}"),
            Clause::Filter(types) => {
                let types: Vec<String> = types.iter().map(|ty| format!(" {ty:#x}")).collect();
                format!("filter {}{}", types.len(), types.concat())
            }
        });
    }
    words.join(" ")
}

/// `r1 = `, but nothing where there is no result and nothing to keep.
fn result(dst: Reg, results: &[u16]) -> String {
    if dst == Reg(0) && results.is_empty() {
        String::new()
    } else {
        format!("r{} = ", dst.0)
    }
}

fn print_site(m: &Module, site: &CallSite) -> String {
    let target = match site.target {
        Target::Function(id) => function(m, id),
        Target::Extern(id) => format!("extern {}", import(m, id)),
        Target::Pointer(v) => format!("*{}", val(m, v, 64)),
    };
    let class = |class: ArgClass| match class {
        ArgClass::General => "",
        ArgClass::Vector => "vector ",
        ArgClass::Stack => "stack ",
    };
    let mut args = Vec::new();
    for ((v, w), c) in site.args.iter().zip(&site.widths).zip(&site.classes) {
        args.push(format!("{w} {}{}", class(*c), val(m, *v, u32::from(*w))));
    }
    for v in &site.varargs {
        let (by_value, bits) = if v.by_value {
            ("by_value ", 64)
        } else {
            ("", v.bytes.saturating_mul(8))
        };
        args.push(format!(
            "... {} align {} {}{by_value}{}",
            v.bytes,
            v.align,
            class(v.class),
            val(m, v.value, bits)
        ));
    }
    let ty = match m.strings.get(site.ty as usize).map_or("", String::as_str) {
        "" => String::new(),
        ty => format!(" type {}", quoted(ty.as_bytes())),
    };
    let (dst, args) = (result(site.dst, &site.results), args.join(", "));
    let results = list(&site.results, ", ");
    format!("{dst}CallSite {target}({args}) -> ({results}){ty}")
}

/// The fields of an instruction as text.
struct Printer<'m> {
    m: &'m Module,
    head: String,
    dst: String,
    rest: Vec<String>,
}

impl Printer<'_> {
    fn suffix(&mut self, text: &str) {
        self.head.push('.');
        self.head.push_str(text);
    }
}

impl Fields for Printer<'_> {
    type Error = Infallible;

    fn width(
        &mut self,
        width: &mut impl IntegerField,
        _: RangeInclusive<u32>,
    ) -> Result<(), Infallible> {
        self.suffix(&width.get().to_string());
        Ok(())
    }

    fn word<W: Word>(&mut self, word: &mut W) -> Result<(), Infallible> {
        self.suffix(word.word());
        Ok(())
    }

    fn flag(&mut self, flag: &mut bool, words: [&'static str; 2]) -> Result<(), Infallible> {
        self.suffix(words[usize::from(!*flag)]);
        Ok(())
    }

    fn read(&mut self, value: &mut Val, width: u32) -> Result<(), Infallible> {
        self.rest.push(val(self.m, *value, width));
        Ok(())
    }

    fn write(&mut self, register: &mut Reg, width: u32, flag: bool) -> Result<(), Infallible> {
        // The flag's register follows as the last limb of a wide value does.
        let width = if flag { 128 } else { width };
        self.dst = format!("{} = ", self::register(*register, width));
        Ok(())
    }

    fn label(&mut self, target: &mut Pc) -> Result<(), Infallible> {
        self.rest.push(label(*target));
        Ok(())
    }

    fn number(
        &mut self,
        name: &'static str,
        number: &mut impl IntegerField,
    ) -> Result<(), Infallible> {
        self.rest.push(format!("{name} {}", number.get()));
        Ok(())
    }

    fn string(&mut self, string: &mut StrId) -> Result<(), Infallible> {
        let text = self.m.strings.get(*string as usize);
        let text = text.map_or("?", String::as_str);
        self.rest.push(quoted(text.as_bytes()));
        Ok(())
    }

    fn site(&mut self, site: &mut SiteId) -> Result<(), Infallible> {
        self.rest.push(format!("site {site}"));
        Ok(())
    }
}
