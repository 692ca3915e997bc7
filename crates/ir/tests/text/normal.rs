//! What a module says, without the numbers of constants, strings, files and lists: two modules are equal if these lines
//! are. It shares nothing with the printer but the walk over operands.

use ir::operands::{Operands, slots};
use ir::{Inst, Location, Module, Reg, Target, Val};

/// The lines.
pub fn normal(m: &Module) -> Vec<String> {
    let mut lines = vec![format!("{:?}", m.entry)];
    lines.extend(m.externs.iter().map(|e| format!("extern {e:?}")));
    lines.extend(m.globals.iter().map(|g| format!("{g:?}")));
    for b in &m.branches {
        let at = place(m, b.location);
        lines.push(format!("branch {} {at} {}", b.function, b.outcomes));
    }
    for s in &m.sites {
        let at = place(m, s.location);
        lines.push(format!(
            "site {} {at} {:?} {:?} {}",
            s.function, s.outcome, s.lines, s.instructions
        ));
    }
    lines.extend(m.shared_blocks.iter().map(|b| format!("{b:?}")));
    lines.extend(m.soft_floats.iter().map(|f| format!("{f:?}")));
    for f in &m.functions {
        lines.push(format!(
            "function {:?} {}..{} {:?} {:?} {} {:?} {:?} {} {}",
            f.name,
            f.entry,
            f.end,
            f.params,
            f.results,
            f.registers,
            m.strings[f.ty as usize],
            f.variadic,
            f.own,
            place(m, f.location),
        ));
    }
    for pc in 0..m.code.len() as u32 {
        let at = place(m, m.location_at(pc));
        lines.push(format!("{pc} {} {at}", instruction(m, m.code[pc as usize])));
    }
    lines
}

/// Panics at the first line in which two modules differ.
pub fn assert_equal(a: &Module, b: &Module, what: &str) {
    let (a, b) = (normal(a), normal(b));
    for (a, b) in a.iter().zip(&b) {
        assert_eq!(a, b, "{what}");
    }
    assert_eq!(a.len(), b.len(), "{what}");
}

fn place(m: &Module, at: Location) -> String {
    match at.line {
        0 => "?".to_string(),
        line => format!("{:?}:{line}:{}", m.file_name(at), at.column),
    }
}

fn value(m: &Module, v: Val, width: u32) -> String {
    if v.is_const() {
        format!(
            "{:x?}",
            &m.consts[v.index()..][..slots(width).max(1) as usize]
        )
    } else {
        format!("register {}", v.0)
    }
}

fn list(m: &Module, start: u32, count: u16) -> Vec<String> {
    let values = &m.operands[start as usize..][..usize::from(count)];
    values.iter().map(|v| value(m, *v, 64)).collect()
}

fn instruction(m: &Module, mut inst: Inst) -> String {
    struct Take<'m>(&'m Module, Vec<String>);
    impl Operands for Take<'_> {
        fn reads(&mut self, v: &mut Val, width: u32) {
            self.1.push(value(self.0, *v, width));
            *v = Val(0);
        }
        fn writes(&mut self, _: &mut Reg, _: u32) {}
    }
    let mut take = Take(m, Vec::new());
    inst.operands(&mut take);
    let operands = take.1;
    let more = match &mut inst {
        Inst::Alloca { name: id, .. } | Inst::Unsupported { what: id } => {
            format!("{:?}", m.strings[std::mem::take(id) as usize])
        }
        Inst::Switch { table, .. } => format!("{:?}", m.switches[std::mem::take(table) as usize]),
        Inst::Invoked { clauses, .. } => format!("{:?}", m.pads[std::mem::take(clauses) as usize]),
        Inst::Call { args, count, .. } => format!("{:?}", list(m, std::mem::take(args), *count)),
        Inst::Ret { values, count } => format!("{:?}", list(m, std::mem::take(values), *count)),
        Inst::CallSite { site } => {
            let s = &m.call_sites[std::mem::take(site) as usize];
            let target = match s.target {
                Target::Pointer(v) => value(m, v, 64),
                other => format!("{other:?}"),
            };
            let args = s.args.iter().zip(&s.widths);
            let args: Vec<String> = args.map(|(v, w)| value(m, *v, u32::from(*w))).collect();
            let varargs = s.varargs.iter().map(|v| {
                let bits = if v.by_value { 64 } else { v.bytes * 8 };
                let shown = value(m, v.value, bits);
                (shown, v.bytes, v.align, v.by_value, v.class)
            });
            let varargs: Vec<_> = varargs.collect();
            format!(
                "{target} {:?} {args:?} {:?} {:?} {varargs:?} {:?} {:?}",
                m.strings[s.ty as usize], s.widths, s.classes, s.dst, s.results
            )
        }
        _ => String::new(),
    };
    format!("{inst:?} {operands:?} {more}")
}
