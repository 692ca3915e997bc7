//! A module as text: one instruction a line, constants shown by value, positions where they change.

use crate::operands::{Operands, slots};
use crate::{Inst, Location, Module, Reg, Target, Val};
use std::fmt::Write;

/// The whole module.
pub fn print(m: &Module) -> String {
    let mut s = String::new();
    for g in &m.globals {
        let kind = if g.constant { "constant" } else { "global" };
        let own = if g.own { " own" } else { "" };
        let _ = writeln!(
            s,
            "{kind} {:#x} {} bytes {}{own}",
            g.address, g.size, g.name
        );
    }
    for (id, name) in m.externs.iter().enumerate() {
        let _ = writeln!(s, "extern {id} {name}");
    }
    for id in 0..m.functions.len() {
        print_function(m, id as u32, &mut s);
    }
    s
}

/// One function.
pub fn print_function(m: &Module, id: u32, s: &mut String) {
    let f = &m.functions[id as usize];
    let own = if f.own { " own" } else { "" };
    let dots = if f.variadic.is_some() { ", ..." } else { "" };
    let params: Vec<String> = f
        .params
        .iter()
        .enumerate()
        .map(|(i, w)| format!("r{i}: {w}"))
        .collect();
    let results: Vec<String> = f.results.iter().map(|w| w.to_string()).collect();
    let _ = writeln!(
        s,
        "\nfunction {id} {}({}{dots}) -> ({}) registers {}{own}",
        f.name,
        params.join(", "),
        results.join(", "),
        f.registers
    );
    let mut last = Location::default();
    for pc in f.entry..f.end {
        let at = m.location_at(pc);
        let place = if at == last {
            String::new()
        } else {
            format!("  ; {}:{}:{}", m.file_name(at), at.line, at.column)
        };
        last = at;
        let _ = writeln!(s, "{pc:6}  {}{place}", print_inst(m, &m.code[pc as usize]));
    }
}

fn val(m: &Module, v: Val, width: u32) -> String {
    if !v.is_const() {
        return match slots(width) {
            0 | 1 => format!("r{}", v.0),
            n => format!("r{}..r{}", v.0, v.0 + n - 1),
        };
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

/// One instruction.
pub fn print_inst(m: &Module, inst: &Inst) -> String {
    struct Collect<'a> {
        m: &'a Module,
        reads: Vec<String>,
        writes: Vec<String>,
    }
    impl Operands for Collect<'_> {
        fn reads(&mut self, value: &mut Val, width: u32) {
            self.reads.push(val(self.m, *value, width));
        }
        fn writes(&mut self, register: &mut Reg, width: u32) {
            self.writes.push(val(self.m, Val::reg(*register), width));
        }
    }
    let mut copy = *inst;
    let mut c = Collect {
        m,
        reads: Vec::new(),
        writes: Vec::new(),
    };
    copy.operands(&mut c);
    let string = |id: u32| m.strings.get(id as usize).map_or("?", String::as_str);
    let list = |start: u32, count: u16| -> String {
        let range = start as usize..start as usize + count as usize;
        let vals = m.operands.get(range).unwrap_or(&[]);
        vals.iter()
            .map(|v| val(m, *v, 64))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let name_of = |id: u32| {
        m.functions
            .get(id as usize)
            .map_or("?", |f| f.name.as_str())
    };
    let debug = format!("{inst:?}");
    let mut name = debug.split([' ', '{']).next().unwrap_or("").to_string();
    // The fields that are neither registers nor targets, as the derive prints them.
    let extra = match inst {
        Inst::Call {
            callee,
            dst,
            args,
            count,
        } => {
            return format!(
                "r{} = Call {}({})",
                dst.0,
                name_of(*callee),
                list(*args, *count)
            );
        }
        Inst::Ret { values, count } => {
            return format!("Ret {}", list(*values, *count))
                .trim_end()
                .to_string();
        }
        Inst::CallSite { site } => return print_site(m, *site, name_of),
        Inst::Switch { table, .. } => {
            let t = &m.switches[*table as usize];
            let cases: Vec<String> = t
                .cases
                .iter()
                .map(|(v, pc)| format!("{v} -> {pc}"))
                .collect();
            format!("[{}] else {}", cases.join(", "), t.default)
        }
        Inst::Jump { target } => format!("{target}"),
        Inst::Branch { then, other, .. } => format!("then {then} else {other}"),
        Inst::CmpBranch {
            op, w, then, other, ..
        } => format!("{op:?} {w} then {then} else {other}"),
        Inst::Unsupported { what } => format!("`{}`", string(*what)),
        Inst::Alloca { align, name, .. } => format!("align {align} `{}`", string(*name)),
        Inst::Cover { site } => format!("{site}"),
        Inst::LoadIndex { bytes, scale, .. } | Inst::StoreIndex { bytes, scale, .. } => {
            format!("bytes {bytes} scale {scale}")
        }
        Inst::LoadOffset { bytes, offset, .. } | Inst::StoreOffset { bytes, offset, .. } => {
            format!("bytes {bytes} offset {offset}")
        }
        Inst::Load { bytes, .. } | Inst::Store { bytes, .. } => format!("bytes {bytes}"),
        Inst::Index { scale, .. } => format!("scale {scale}"),
        _ => {
            // `w`, `to`, `op`, `format` and the like, in declaration order.
            let fields = debug
                .split_once('{')
                .map_or("", |(_, rest)| rest.trim_end_matches([' ', '}']));
            fields
                .split(", ")
                .filter(|f| !f.contains("Val(") && !f.contains("Reg("))
                .map(|f| f.trim().split_once(": ").map_or(f, |(_, v)| v).to_string())
                .collect::<Vec<_>>()
                .join(" ")
        }
    };
    if !c.writes.is_empty() {
        name = format!("{} = {name}", c.writes.join(", "));
    }
    format!("{name} {} {extra}", c.reads.join(", "))
        .replace("  ", " ")
        .trim_end()
        .to_string()
}

fn print_site<'m>(m: &'m Module, site: u32, name_of: impl Fn(u32) -> &'m str) -> String {
    let Some(site) = m.call_sites.get(site as usize) else {
        return "CallSite ?".into();
    };
    let target = match site.target {
        Target::Function(id) => name_of(id).to_string(),
        Target::Extern(id) => format!(
            "extern {}",
            m.externs.get(id as usize).map_or("?", String::as_str)
        ),
        Target::Pointer(v) => format!("*{}", val(m, v, 64)),
    };
    let mut args: Vec<String> = site.args.iter().map(|v| val(m, *v, 64)).collect();
    for v in &site.varargs {
        let kind = match (v.by_value, v.class) {
            (true, _) => " by value",
            (_, crate::ArgClass::General) => "",
            (_, crate::ArgClass::Vector) => " vector",
            (_, crate::ArgClass::Stack) => " stack",
        };
        args.push(format!(
            "...{}: {} bytes{kind}",
            val(m, v.value, 64),
            v.bytes
        ));
    }
    format!("r{} = CallSite {target}({})", site.dst.0, args.join(", "))
}
