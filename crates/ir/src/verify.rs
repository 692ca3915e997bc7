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
//! 7. every index into a table (strings, operands, call sites, switches, landing pads, sites, functions, externs) exists;
//! 8. direct calls match the callee's parameters and are not variadic; returns match the results;
//!    call sites have one width and class per argument, and room for the results that they expect;
//! 9. parameters fit the registers;
//! 10. sites name existing functions and branch outcomes, branches existing functions, shared blocks
//!     existing sites; lines are sorted;
//! 11. globals are sorted, do not overlap, keep the red zone, and their contents fit their size;
//! 12. locations are sorted by pc and name existing files;
//! 13. the entry names existing functions;
//! 14. a function that simulates a float operation has the parameters and results that it needs;
//! 15. float formats are those that have names.

use crate::fields::{Fields, IntegerField};
use crate::operands::{slot_width, slots};
use crate::ops::Word;
use crate::{
    CallSite, Clause, Function, Inst, Module, Pc, Reg, SiteId, StrId, Target, Val, layout,
};
use std::ops::RangeInclusive;

/// What is wrong with a module, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The fault, in words.
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
    for id in [m.entry.main, m.entry.start].into_iter().flatten() {
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

/// Checks the fields of one instruction of a function.
struct Checker<'m> {
    m: &'m Module,
    f: &'m Function,
}

type Checked = Result<(), String>;

impl Checker<'_> {
    fn value(&self, v: Val, width: u32) -> Checked {
        if !v.is_const() {
            return self.register(Reg(v.0), width);
        }
        for n in 0..slots(width) {
            let index = v.index() + n as usize;
            let Some(c) = self.m.consts.get(index) else {
                return Err(format!("constant {index} does not exist"));
            };
            let w = slot_width(width, n);
            if w < 64 && c >> w != 0 {
                return Err(format!("constant {c:#x} is wider than {w} bits"));
            }
        }
        Ok(())
    }

    fn values(&self, values: &[Val], widths: &[u16]) -> Checked {
        let mut all = values.iter().zip(widths);
        all.try_for_each(|(v, w)| self.value(*v, u32::from(*w)))
    }

    fn register(&self, r: Reg, width: u32) -> Checked {
        self.registers(r, slots(width) as usize)
    }

    fn registers(&self, r: Reg, count: usize) -> Checked {
        let inside = r.0 as usize + count <= self.f.registers as usize;
        need(inside, || format!("register {} does not exist", r.0))
    }

    fn target(&self, target: Pc) -> Checked {
        let inside = target >= self.f.entry && target < self.f.end;
        need(inside, || "target outside the function".into())
    }

    /// A run of the module's operands.
    fn operands(&self, start: u32, count: u16, widths: &[u16]) -> Checked {
        let range = start as usize..start as usize + count as usize;
        let list = self.m.operands.get(range);
        self.values(list.ok_or("operands do not exist")?, widths)
    }
}

fn need(ok: bool, what: impl FnOnce() -> String) -> Checked {
    if ok { Ok(()) } else { Err(what()) }
}

impl Fields for Checker<'_> {
    type Error = String;

    fn width(&mut self, width: &mut impl IntegerField, allowed: RangeInclusive<u32>) -> Checked {
        need(allowed.contains(&width.bits()), || "width".into())
    }
    fn word<W: Word>(&mut self, word: &mut W) -> Checked {
        need(word.exists(), || "a word that does not exist".into())
    }
    fn flag(&mut self, _: &mut bool, _: [&'static str; 2]) -> Checked {
        Ok(())
    }
    fn read(&mut self, value: &mut Val, width: u32) -> Checked {
        self.value(*value, width)
    }
    fn write(&mut self, register: &mut Reg, width: u32, flag: bool) -> Checked {
        self.registers(*register, slots(width) as usize + usize::from(flag))
    }
    fn label(&mut self, target: &mut Pc) -> Checked {
        self.target(*target)
    }
    fn number(&mut self, _: &'static str, _: &mut impl IntegerField) -> Checked {
        Ok(())
    }
    fn string(&mut self, string: &mut StrId) -> Checked {
        let exists = (*string as usize) < self.m.strings.len();
        need(exists, || "string does not exist".into())
    }
    fn site(&mut self, site: &mut SiteId) -> Checked {
        let site = self.m.sites.get(*site as usize);
        let site = site.ok_or("site does not exist")?;
        let here = self.m.functions[site.function as usize].entry == self.f.entry;
        need(here, || "site of another function".into())
    }
}

fn function(m: &Module, f: &Function) -> Result<(), Fault> {
    if f.ty as usize >= m.strings.len() {
        return fault("its type does not exist".into());
    }
    if f.frame > crate::layout::STACK_MOST {
        return fault(format!("a frame of {} bytes", f.frame));
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
    let mut checker = Checker { m, f };
    for pc in f.entry..f.end {
        let mut inst = m.code[pc as usize];
        instruction(&mut checker, &mut inst).map_err(|what| Fault {
            what: format!("at {pc}, {inst:?}: {what}"),
        })?;
    }
    if !m.code[f.end as usize - 1].ends_block() {
        return fault("the last instruction falls through".into());
    }
    Ok(())
}

/// One instruction: each field by itself, the fields together, and what it has in tables of the module.
fn instruction(c: &mut Checker<'_>, inst: &mut Inst) -> Checked {
    inst.fields(c)?;
    inst.rule()?;
    let m = c.m;
    match *inst {
        Inst::Switch { w, table, .. } => {
            let t = m.switches.get(table as usize);
            let t = t.ok_or("table does not exist")?;
            c.target(t.default)?;
            t.cases.iter().try_for_each(|(_, pc)| c.target(*pc))?;
            let fit = t.cases.iter().all(|(v, _)| w == 64 || v >> w == 0);
            need(fit && t.cases.is_sorted_by(|a, b| a.0 < b.0), || {
                "cases are not sorted or too wide".into()
            })
        }
        Inst::Invoked { clauses, .. } => {
            let pad = m.pads.get(clauses as usize);
            let is_selected = |clause: &Clause| match clause {
                Clause::Catch { selector, .. } => (1..=i32::MAX as u32).contains(selector),
                Clause::Filter(types) => types.len() < i32::MAX as usize,
            };
            let is_sound = pad.is_some_and(|pad| pad.clauses.iter().all(is_selected));
            need(is_sound, || {
                "no such landing pad, or a selector that is none".into()
            })
        }
        Inst::Call {
            callee,
            dst,
            args,
            count,
        } => {
            let callee = m.functions.get(callee as usize);
            let callee = callee.ok_or("callee does not exist")?;
            let matches = callee.variadic.is_none() && callee.params.len() == usize::from(count);
            need(matches, || "call does not match its callee".into())?;
            c.operands(args, count, &callee.params)?;
            c.registers(dst, callee.results.len())
        }
        Inst::Ret { values, count } => {
            let matches = c.f.results.len() == usize::from(count);
            need(matches, || "return does not match the results".into())?;
            c.operands(values, count, &c.f.results)
        }
        Inst::CallSite { site } => {
            let site = m.call_sites.get(site as usize);
            call_site(c, site.ok_or("call site does not exist")?)
        }
        // The table of instructions has said it all.
        _ => Ok(()),
    }
}

fn call_site(c: &Checker<'_>, s: &CallSite) -> Checked {
    let m = c.m;
    need((s.ty as usize) < m.strings.len(), || {
        "type does not exist".into()
    })?;
    let per_argument = s.args.len() == s.widths.len() && s.args.len() == s.classes.len();
    need(per_argument, || "one width and class per argument".into())?;
    let mut widths = s.widths.iter().chain(&s.results);
    need(widths.all(|w| (1..=64).contains(w)), || {
        "an argument or result slot is not 1..=64 bits wide".into()
    })?;
    c.values(&s.args, &s.widths)?;
    for v in &s.varargs {
        let bytes = if v.by_value { 8 } else { v.bytes };
        for n in 0..bytes.div_ceil(8) {
            let limb = v.value.0.checked_add(n).map(Val);
            // A constant's limbs do not become registers, nor registers constants.
            let limb = limb.filter(|limb| limb.is_const() == v.value.is_const());
            c.value(limb.ok_or("limb of a variable argument")?, 64)?;
        }
    }
    match s.target {
        Target::Function(id) => need((id as usize) < m.functions.len(), || {
            "callee does not exist".into()
        }),
        Target::Extern(id) => need((id as usize) < m.externs.len(), || {
            "extern does not exist".into()
        }),
        Target::Pointer(v) => c.value(v, 64),
    }?;
    c.registers(s.dst, s.results.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BinOp;

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
            frame: crate::layout::FRAME,
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
