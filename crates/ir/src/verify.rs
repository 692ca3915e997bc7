//! The verifier: run on what a front end or a transform produced, before it is used.
//!
//! Checks
//! 1. functions cover the code without gap or overlap, in order; none is empty;
//! 2. a function ends in an instruction that ends a block; nothing falls into the next function;
//! 3. every branch target and switch target lies in its function; cases are sorted, without duplicates,
//!    and fit the width;
//! 4. every register is below the function's count, all limbs of wide operands included;
//! 5. every constant exists, all limbs included, and fits its operand's width;
//! 6. widths: 1..=64 in narrow instructions, above 64 in wide ones; extensions widen, truncations narrow;
//!    bytes of loads and stores are 1..=8; byte swaps are of whole bytes;
//! 7. every index into a table (strings, operands, call sites, switches, sites, functions, externs) exists;
//! 8. direct calls match the callee's parameters and are not variadic; returns match the results;
//!    call sites have one width and class per argument, and room for the results that they expect;
//! 9. parameters fit the registers;
//! 10. sites name existing functions and branch outcomes, branches existing functions, shared blocks
//!     existing sites; lines are sorted;
//! 11. globals are sorted, do not overlap, keep the red zone, and their contents fit their size;
//! 12. locations are sorted by pc and name existing files;
//! 13. the entry names existing functions;
//! 14. a function that simulates a float operation has the parameters and results that it needs.

use crate::operands::{Operands, slot_width, slots};
use crate::{BinOp, CastOp, Function, Inst, Module, Pc, Reg, Target, UnOp, Val, layout};

/// What is wrong with a module, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub what: String,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "invalid IR: {}", self.what)
    }
}

impl std::error::Error for Fault {}

fn fault<T>(what: String) -> Result<T, Fault> {
    Err(Fault { what })
}

/// Runs all checks; the first fault is reported.
pub fn verify(m: &Module) -> Result<(), Fault> {
    tables(m)?;
    let mut next = 0;
    for (id, f) in m.functions.iter().enumerate() {
        if f.entry != next || f.end <= f.entry || f.end as usize > m.code.len() {
            return fault(format!(
                "function {id} {}: code {}..{} after {next}",
                f.name, f.entry, f.end
            ));
        }
        next = f.end;
        function(m, f).map_err(|e| Fault {
            what: format!("function {id} {}: {}", f.name, e.what),
        })?;
    }
    if next as usize != m.code.len() {
        return fault(format!(
            "{} instructions behind the last function",
            m.code.len() - next as usize
        ));
    }
    Ok(())
}

fn tables(m: &Module) -> Result<(), Fault> {
    let functions = m.functions.len() as u32;
    for (id, s) in m.sites.iter().enumerate() {
        let outcome_ok = match s.outcome {
            Some((b, k)) => m
                .branches
                .get(b as usize)
                .is_some_and(|b| k < b.outcomes && b.function == s.function),
            None => true,
        };
        if s.function >= functions || !outcome_ok || !s.lines.is_sorted_by(|a, b| a < b) {
            return fault(format!("site {id}: {s:?}"));
        }
    }
    let sites = m.sites.len() as u32;
    if let Some(b) = m
        .shared_blocks
        .iter()
        .find(|b| b.sites.iter().any(|s| *s >= sites))
    {
        return fault(format!("shared block of sites {:?}", b.sites));
    }
    for (id, b) in m.branches.iter().enumerate() {
        if b.function >= functions || b.outcomes < 2 {
            return fault(format!("branch {id}: {b:?}"));
        }
    }
    let mut free = layout::GLOBALS;
    for g in &m.globals {
        if g.address < free
            || g.address > layout::HEAP
            || g.init.len() as u64 > g.size
            || g.size > layout::HEAP - g.address
        {
            return fault(format!(
                "global {} at {:#x}, {} bytes",
                g.name, g.address, g.size
            ));
        }
        free = g.address + g.size + layout::RED_ZONE;
    }
    if !m.locations.is_sorted_by(|a, b| a.0 < b.0) {
        return fault("locations are not sorted".into());
    }
    if let Some((pc, l)) = m
        .locations
        .iter()
        .find(|(_, l)| l.line != 0 && l.file as usize >= m.files.len())
    {
        return fault(format!("location at {pc}: file {} does not exist", l.file));
    }
    for id in [m.entry.main, m.entry.libc_start].into_iter().flatten() {
        if id >= functions {
            return fault(format!("entry names function {id}"));
        }
    }
    for &(op, id) in &m.soft_floats {
        let (operands, result) = op.widths();
        let list = |widths: &[u32]| -> Vec<u16> {
            let all = widths.iter();
            all.flat_map(|&w| (0..slots(w)).map(move |n| slot_width(w, n) as u16))
                .collect()
        };
        let fits = m.functions.get(id as usize).is_some_and(|f| {
            f.params == list(&operands) && f.results == list(&[result]) && f.variadic.is_none()
        });
        if !fits {
            return fault(format!("function {id} does not simulate {op:?}"));
        }
    }
    Ok(())
}

struct Ranges<'m> {
    m: &'m Module,
    registers: u32,
    wrong: Option<String>,
}

impl Ranges<'_> {
    fn value(&mut self, v: Val, width: u32) {
        for n in 0..slots(width) {
            let limb = v.limb(n);
            if !limb.is_const() {
                if limb.0 >= self.registers {
                    self.wrong = Some(format!("register {} does not exist", limb.0));
                }
                continue;
            }
            match self.m.consts.get(limb.index()) {
                None => self.wrong = Some(format!("constant {} does not exist", limb.index())),
                Some(c) => {
                    let w = slot_width(width, n);
                    if w < 64 && c >> w != 0 {
                        self.wrong = Some(format!("constant {c:#x} is wider than {w} bits"));
                    }
                }
            }
        }
    }

    fn register(&mut self, r: Reg, width: u32) {
        if width > 0 && u64::from(r.0) + u64::from(slots(width)) > u64::from(self.registers) {
            self.wrong = Some(format!("register {} does not exist", r.0));
        }
    }
}

impl Operands for Ranges<'_> {
    fn reads(&mut self, value: &mut Val, width: u32) {
        self.value(*value, width);
    }
    fn writes(&mut self, register: &mut Reg, width: u32) {
        self.register(*register, width);
    }
}

fn function(m: &Module, f: &Function) -> Result<(), Fault> {
    if f.ty as usize >= m.strings.len() {
        return fault("its type does not exist".into());
    }
    if f.params.len() > f.registers as usize {
        return fault(format!(
            "{} parameters in {} registers",
            f.params.len(),
            f.registers
        ));
    }
    if f.params
        .iter()
        .chain(&f.results)
        .any(|w| *w == 0 || *w > 64)
    {
        return fault("a parameter or result slot is not 1..=64 bits wide".into());
    }
    let mut ranges = Ranges {
        m,
        registers: f.registers,
        wrong: None,
    };
    for pc in f.entry..f.end {
        let inst = m.code[pc as usize];
        let at = |what: &str| Fault {
            what: format!("at {pc}, {inst:?}: {what}"),
        };
        let mut copy = inst;
        copy.operands(&mut ranges);
        instruction(m, f, &inst, &mut ranges).map_err(|what| at(&what))?;
        if let Some(what) = ranges.wrong.take() {
            return Err(at(&what));
        }
        let inside = |t: Pc| t >= f.entry && t < f.end;
        let mut outside = false;
        copy.targets(|t| outside |= !inside(*t));
        if let Inst::Switch { table, w, .. } = inst {
            let t = &m.switches[table as usize];
            outside |= !inside(t.default) || t.cases.iter().any(|(_, pc)| !inside(*pc));
            if !t.cases.is_sorted_by(|a, b| a.0 < b.0)
                || t.cases.iter().any(|(v, _)| w < 64 && v >> w != 0)
            {
                return Err(at("cases are not sorted or too wide"));
            }
        }
        if outside {
            return Err(at("target outside the function"));
        }
    }
    if !m.code[f.end as usize - 1].ends_block() {
        return fault("the last instruction falls through".into());
    }
    Ok(())
}

/// Widths and table indices of one instruction.
fn instruction(m: &Module, f: &Function, inst: &Inst, ranges: &mut Ranges) -> Result<(), String> {
    let need = |ok: bool, what: &str| if ok { Ok(()) } else { Err(what.to_string()) };
    let narrow = |w: u8| need((1..=64).contains(&w), "width");
    match *inst {
        Inst::Add { w, .. }
        | Inst::Sub { w, .. }
        | Inst::Mul { w, .. }
        | Inst::UDiv { w, .. }
        | Inst::SDiv { w, .. }
        | Inst::URem { w, .. }
        | Inst::SRem { w, .. }
        | Inst::Shl { w, .. }
        | Inst::LShr { w, .. }
        | Inst::AShr { w, .. }
        | Inst::And { w, .. }
        | Inst::Or { w, .. }
        | Inst::Xor { w, .. }
        | Inst::Eq { w, .. }
        | Inst::Ne { w, .. }
        | Inst::Ult { w, .. }
        | Inst::Ule { w, .. }
        | Inst::Slt { w, .. }
        | Inst::Sle { w, .. }
        | Inst::Select { w, .. }
        | Inst::Copy { w, .. }
        | Inst::Funnel { w, .. }
        | Inst::CmpBranch { w, .. }
        | Inst::Check { w, .. } => narrow(w),
        Inst::Un { op, w, .. } => {
            narrow(w)?;
            need(op != UnOp::Bswap || w % 8 == 0, "byte swap of odd bits")
        }
        Inst::Overflow { op, w, .. } => {
            narrow(w)?;
            need(
                matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul),
                "overflow of another operation",
            )
        }
        Inst::Zext { w, to, .. } | Inst::Sext { w, to, .. } => {
            need(w >= 1 && w <= to && to <= 64, "extension")
        }
        Inst::Trunc { w, to, .. } => need(to >= 1 && to <= w && w <= 64, "truncation"),
        Inst::WideBin { w, .. } | Inst::WideCmp { w, .. } => {
            need(w > 64, "narrow width in a wide instruction")
        }
        Inst::WideUn { op, w, .. } => need(w > 64 && (op != UnOp::Bswap || w % 8 == 0), "width"),
        Inst::WideCast { op, from, to, .. } => {
            need(from >= 1 && to >= 1 && from.max(to) > 64, "width")?;
            match op {
                CastOp::Zext | CastOp::Sext => need(from <= to, "extension narrows"),
                CastOp::Trunc => need(to <= from, "truncation widens"),
            }
        }
        Inst::FloatConv { w, .. } => need((1..=128).contains(&w), "width"),
        Inst::Load { bytes, .. }
        | Inst::Store { bytes, .. }
        | Inst::LoadIndex { bytes, .. }
        | Inst::StoreIndex { bytes, .. }
        | Inst::LoadOffset { bytes, .. }
        | Inst::StoreOffset { bytes, .. } => need((1..=8).contains(&bytes), "bytes"),
        Inst::Alloca { align, name, .. } => {
            need(align.is_power_of_two(), "alignment")?;
            need((name as usize) < m.strings.len(), "string does not exist")
        }
        Inst::Unsupported { what } => {
            need((what as usize) < m.strings.len(), "string does not exist")
        }
        Inst::Cover { site } => {
            let site = m.sites.get(site as usize).ok_or("site does not exist")?;
            need(
                m.functions[site.function as usize].entry == f.entry,
                "site of another function",
            )
        }
        Inst::Switch { w, table, .. } => {
            narrow(w)?;
            need((table as usize) < m.switches.len(), "table does not exist")
        }
        Inst::Call {
            callee,
            dst,
            args,
            count,
        } => {
            let callee = m
                .functions
                .get(callee as usize)
                .ok_or("callee does not exist")?;
            need(
                callee.variadic.is_none() && callee.params.len() == count as usize,
                "call does not match its callee",
            )?;
            operands(m, args, count, &callee.params, ranges)?;
            need(
                dst.0 as usize + callee.results.len() <= f.registers as usize,
                "result register does not exist",
            )
        }
        Inst::Ret { values, count } => {
            need(
                f.results.len() == count as usize,
                "return does not match the results",
            )?;
            operands(m, values, count, &f.results, ranges)
        }
        Inst::CallSite { site } => {
            let s = m
                .call_sites
                .get(site as usize)
                .ok_or("call site does not exist")?;
            need((s.ty as usize) < m.strings.len(), "type does not exist")?;
            need(
                s.args.len() == s.widths.len() && s.args.len() == s.classes.len(),
                "one width and class per argument",
            )?;
            need(
                s.widths
                    .iter()
                    .chain(&s.results)
                    .all(|w| (1..=64).contains(w)),
                "an argument or result slot is not 1..=64 bits wide",
            )?;
            for (v, w) in s.args.iter().zip(&s.widths) {
                ranges.value(*v, u32::from(*w));
            }
            for v in &s.varargs {
                let bits = if v.by_value {
                    64
                } else {
                    v.bytes.saturating_mul(8)
                };
                for n in 0..slots(bits) {
                    ranges.value(v.value.limb(n), 64);
                }
            }
            match s.target {
                Target::Function(id) => {
                    need((id as usize) < m.functions.len(), "callee does not exist")?
                }
                Target::Extern(id) => {
                    need((id as usize) < m.externs.len(), "extern does not exist")?
                }
                Target::Pointer(v) => ranges.value(v, 64),
            }
            need(
                s.dst.0 as usize + s.results.len() <= f.registers as usize,
                "result register does not exist",
            )
        }
        Inst::Index { .. }
        | Inst::FloatBin { .. }
        | Inst::FloatUn { .. }
        | Inst::FloatFma { .. }
        | Inst::FloatCmp { .. }
        | Inst::FloatCast { .. }
        | Inst::StackSave { .. }
        | Inst::StackRestore { .. }
        | Inst::ScopeStart { .. }
        | Inst::ScopeEnd { .. }
        | Inst::MemCopy { .. }
        | Inst::MemMove { .. }
        | Inst::MemSet { .. }
        | Inst::Jump { .. }
        | Inst::Branch { .. }
        | Inst::Unreachable
        | Inst::Trap
        | Inst::VaStart { .. }
        | Inst::VaCopy { .. }
        | Inst::ThreadPointer { .. } => Ok(()),
    }
}

fn operands(
    m: &Module,
    start: u32,
    count: u16,
    widths: &[u16],
    ranges: &mut Ranges,
) -> Result<(), String> {
    let range = start as usize..start as usize + count as usize;
    let list = m.operands.get(range).ok_or("operands do not exist")?;
    for (v, w) in list.iter().zip(widths) {
        ranges.value(*v, u32::from(*w));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(code: Vec<Inst>) -> Module {
        let mut m = Module {
            consts: vec![1, 1 << 40],
            operands: vec![Val::constant(0)],
            strings: vec!["i32 (i32)".into()],
            code,
            ..Module::default()
        };
        let end = m.code.len() as u32;
        m.functions.push(Function {
            name: "f".into(),
            ty: 0,
            entry: 0,
            end,
            params: vec![32],
            results: vec![32],
            registers: 2,
            variadic: None,
            own: true,
            location: crate::Location::default(),
        });
        m
    }

    const RET: Inst = Inst::Ret {
        values: 0,
        count: 1,
    };

    #[test]
    fn a_valid_function() {
        let add = Inst::Add {
            w: 32,
            dst: Reg(1),
            a: Val(0),
            b: Val::constant(0),
        };
        assert_eq!(verify(&module(vec![add, RET])), Ok(()));
    }

    #[test]
    fn faults_are_found() {
        let bad = [
            vec![
                Inst::Add {
                    w: 32,
                    dst: Reg(2),
                    a: Val(0),
                    b: Val(0),
                },
                RET,
            ],
            vec![
                Inst::Add {
                    w: 32,
                    dst: Reg(1),
                    a: Val(0),
                    b: Val::constant(1),
                },
                RET,
            ],
            vec![
                Inst::Add {
                    w: 32,
                    dst: Reg(1),
                    a: Val(0),
                    b: Val::constant(2),
                },
                RET,
            ],
            vec![
                Inst::Add {
                    w: 65,
                    dst: Reg(1),
                    a: Val(0),
                    b: Val(0),
                },
                RET,
            ],
            vec![Inst::Jump { target: 9 }],
            vec![Inst::Copy {
                w: 32,
                dst: Reg(1),
                a: Val(0),
            }],
            vec![Inst::Ret {
                values: 0,
                count: 0,
            }],
            vec![
                Inst::Load {
                    bytes: 9,
                    dst: Reg(1),
                    address: Val(0),
                },
                RET,
            ],
            vec![Inst::Cover { site: 0 }, RET],
            vec![
                Inst::WideBin {
                    op: BinOp::Add,
                    w: 128,
                    dst: Reg(1),
                    a: Val(0),
                    b: Val(0),
                },
                RET,
            ],
            vec![
                Inst::Trunc {
                    w: 8,
                    to: 32,
                    dst: Reg(1),
                    a: Val(0),
                },
                RET,
            ],
            vec![],
        ];
        for code in bad {
            let shown = format!("{code:?}");
            assert!(verify(&module(code)).is_err(), "{shown}");
        }
    }
}
