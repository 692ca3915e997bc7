//! Random modules: every instruction with random fields, and every table.

use ir::fields::{Fields, IntegerField};
use ir::ops::Word;
use ir::{
    ArgClass, Branch, Builder, CallSite, Clause, Entry, FixedRegisters, Function, Global, Inst,
    Label, LandingPad, Location, Module, Pc, Reg, Site, SiteId, StrId, Target, Val, VarArg,
};
use std::convert::Infallible;
use std::ops::RangeInclusive;
use testkit::Random;

/// Small numbers, large ones and those around powers of two.
fn number(r: &mut Random) -> u64 {
    match r.below(4) {
        0 => r.below(8),
        1 => r.next(),
        2 => r.next() >> r.below(64),
        _ => (1u64 << r.below(64)).wrapping_sub(r.below(2)),
    }
}

const REGISTERS: u32 = 600;
const FUNCTIONS: u64 = 3;

fn name(r: &mut Random) -> String {
    const NAMES: [&str; 9] = [
        "main",
        "f",
        "f.1",
        "with space",
        "",
        "quote\"s\\",
        "été",
        "extern",
        "line\nbreak",
    ];
    NAMES[r.below(NAMES.len() as u64) as usize].to_string()
}

fn location(r: &mut Random, b: &mut Builder) -> Location {
    if r.below(3) == 0 {
        return Location::default();
    }
    let file = b.file(["a.c", "dir with space/b.c"][r.below(2) as usize]);
    Location {
        file,
        line: 1 + r.below(3) as u32,
        column: r.below(3) as u32,
    }
}

fn widths(r: &mut Random) -> Vec<u16> {
    (0..r.below(4)).map(|_| 1 + r.below(64) as u16).collect()
}

/// A module that the verifier mostly accepts.
pub fn module(r: &mut Random) -> Module {
    let mut b = Builder::new();
    for _ in 0..r.below(3) {
        let name = name(r);
        b.import(&name);
    }
    for _ in 0..r.below(3) {
        let init: Vec<u8> = (0..r.below(20)).map(|_| r.next() as u8).collect();
        let global = Global {
            name: name(r),
            address: 0,
            size: 20 + r.below(9000),
            init,
            constant: r.below(2) == 0,
            own: r.below(2) == 0,
        };
        b.global(global);
    }
    for _ in 0..FUNCTIONS {
        let (name, ty) = (
            name(r),
            b.string(["", "i32 (i32)", "a \"b\""][r.below(3) as usize]),
        );
        let location = location(r, &mut b);
        let variadic = (r.below(3) == 0).then(|| FixedRegisters {
            general: r.below(7) as u8,
            vector: r.below(9) as u8,
        });
        b.declare(Function {
            name,
            entry: 0,
            end: 0,
            params: widths(r),
            results: widths(r),
            registers: 10 + r.below(u64::from(REGISTERS)) as u32,
            frame: ir::layout::FRAME + 8 * r.below(3),
            ty,
            variadic,
            own: r.below(2) == 0,
            location,
        });
    }
    for _ in 0..r.below(3) {
        let (function, location) = (r.below(FUNCTIONS) as u32, location(r, &mut b));
        b.branch(Branch {
            function,
            location,
            outcomes: 2 + r.below(3) as u32,
        });
    }
    for function in 0..FUNCTIONS as u32 {
        let location = location(r, &mut b);
        let mut lines: Vec<u32> = (0..r.below(4)).map(|_| r.below(9) as u32).collect();
        lines.sort_unstable();
        lines.dedup();
        b.site(Site {
            function,
            location,
            outcome: None,
            lines,
            instructions: r.below(9) as u32,
        });
    }
    b.entry(Entry {
        main: (r.below(2) == 0).then(|| r.below(FUNCTIONS) as u32),
        start: (r.below(2) == 0).then(|| r.below(FUNCTIONS) as u32),
    });
    for f in 0..FUNCTIONS as u32 {
        b.select(f);
        body(r, &mut b, f);
    }
    b.module().expect("all labels are bound")
}

fn body(r: &mut Random, b: &mut Builder, function: u32) {
    let labels: Vec<Label> = (0..1 + r.below(4)).map(|_| b.label()).collect();
    for label in &labels {
        b.bind(*label);
        for _ in 0..r.below(12) {
            let at = location(r, b);
            b.at(at);
            instruction(r, b, function, &labels);
        }
    }
    b.emit(Inst::Unreachable);
}

fn value(r: &mut Random, b: &mut Builder, width: u32) -> Val {
    if r.below(2) == 0 {
        return Val(r.below(u64::from(REGISTERS)) as u32 / 2);
    }
    let mut limbs: Vec<u64> = (0..width.div_ceil(64).max(1)).map(|_| number(r)).collect();
    if let (Some(top), 1..) = (limbs.last_mut(), width % 64) {
        *top &= u64::MAX >> (64 - width % 64);
    }
    b.wide_constant(&limbs)
}

fn values(r: &mut Random, b: &mut Builder, widths: &[u16]) -> Vec<Val> {
    widths.iter().map(|w| value(r, b, u32::from(*w))).collect()
}

fn instruction(r: &mut Random, b: &mut Builder, function: u32, labels: &[Label]) {
    let name = Inst::NAMES[r.below(Inst::NAMES.len() as u64) as usize];
    let mut inst = Inst::blank(name).expect("it has the name");
    let mut fill = Fill {
        r,
        b,
        function,
        labels,
    };
    let Ok(()) = inst.fields(&mut fill);
    let module = |b: &Builder| b.tables().functions.clone();
    match inst {
        Inst::Call { .. } => {
            let id = r.below(FUNCTIONS) as usize;
            let params = module(b)[id].params.clone();
            let args = values(r, b, &params);
            b.call(Reg(r.below(9) as u32), id as u32, &args);
        }
        Inst::Ret { .. } => {
            let results = module(b)[function as usize].results.clone();
            let results = values(r, b, &results);
            b.ret(&results);
        }
        Inst::Switch { w, value, .. } => {
            let mut cases: Vec<u64> = (0..r.below(5))
                .map(|_| number(r) & (u64::MAX >> (64 - w)))
                .collect();
            cases.sort_unstable();
            cases.dedup();
            let mut label = || labels[r.below(labels.len() as u64) as usize];
            let cases: Vec<(u64, Label)> = cases.into_iter().map(|c| (c, label())).collect();
            let default = label();
            b.switch(w, value, &cases, default);
        }
        Inst::Invoked { target, pad, .. } => {
            let clauses = (0..r.below(4)).map(|_| clause(r)).collect();
            let (cleanup, terminates) = (r.below(2) == 0, r.below(2) == 0);
            let clauses = b.landing_pad(LandingPad {
                cleanup,
                terminates,
                clauses,
            });
            b.emit(Inst::Invoked {
                target,
                pad,
                clauses,
            });
        }
        Inst::CallSite { .. } => {
            let site = call_site(r, b);
            b.call_site(site);
        }
        // Fields that do not fit each other are the verifier's to find; most modules shall pass it.
        _ if inst.rule().is_err() && r.below(50) != 0 => {}
        _ => b.emit(inst),
    }
}

fn clause(r: &mut Random) -> Clause {
    if r.below(2) == 0 {
        return Clause::Filter((0..r.below(3)).map(|_| number(r)).collect());
    }
    let selector = 1 + r.below(9) as u32;
    let ty = number(r);
    Clause::Catch { selector, ty }
}

fn call_site(r: &mut Random, b: &mut Builder) -> CallSite {
    let widths = widths(r);
    let class = |r: &mut Random| {
        [ArgClass::General, ArgClass::Vector, ArgClass::Stack][r.below(3) as usize]
    };
    let externs = b.tables().externs.len() as u64;
    let target = match r.below(3) {
        0 if externs > 0 => Target::Extern(r.below(externs) as u32),
        1 => Target::Pointer(value(r, b, 64)),
        _ => Target::Function(r.below(FUNCTIONS) as u32),
    };
    let varargs = (0..r.below(3)).map(|_| {
        let (bytes, by_value) = (1 + r.below(20) as u32, r.below(3) == 0);
        let width = if by_value { 64 } else { bytes * 8 };
        VarArg {
            value: value(r, b, width),
            bytes,
            align: 1 << r.below(5),
            by_value,
            class: class(r),
        }
    });
    let varargs = varargs.collect();
    CallSite {
        target,
        ty: b.string(["", "i32 (ptr, ...)"][r.below(2) as usize]),
        args: values(r, b, &widths),
        classes: widths.iter().map(|_| class(r)).collect(),
        widths,
        varargs,
        dst: Reg(r.below(4) as u32),
        results: self::widths(r),
    }
}

/// Random fields of one instruction.
struct Fill<'a> {
    r: &'a mut Random,
    b: &'a mut Builder,
    function: u32,
    labels: &'a [Label],
}

impl Fill<'_> {
    fn any<N: IntegerField>(&mut self) -> N {
        loop {
            let number = number(self.r) as i64;
            let number = if self.r.below(3) == 0 {
                number.wrapping_neg()
            } else {
                number
            };
            if let Some(n) = N::of(number) {
                return n;
            }
        }
    }
}

impl Fields for Fill<'_> {
    type Error = Infallible;

    fn width(
        &mut self,
        width: &mut impl IntegerField,
        allowed: RangeInclusive<u32>,
    ) -> Result<(), Infallible> {
        // Wide integers of thousands of limbs are not worth their text.
        let (low, high) = (*allowed.start(), (*allowed.end()).min(300));
        let w = i64::from(low) + self.r.below(u64::from(high - low) + 1) as i64;
        *width = IntegerField::of(w).expect("in range");
        Ok(())
    }
    fn word<W: Word>(&mut self, word: &mut W) -> Result<(), Infallible> {
        *word = W::ALL[self.r.below(W::ALL.len() as u64) as usize];
        Ok(())
    }
    fn flag(&mut self, flag: &mut bool, _: [&'static str; 2]) -> Result<(), Infallible> {
        *flag = self.r.below(2) == 0;
        Ok(())
    }
    fn read(&mut self, v: &mut Val, width: u32) -> Result<(), Infallible> {
        *v = value(self.r, self.b, width);
        Ok(())
    }
    fn write(&mut self, register: &mut Reg, _: u32, _: bool) -> Result<(), Infallible> {
        *register = Reg(self.r.below(u64::from(REGISTERS)) as u32);
        Ok(())
    }
    fn label(&mut self, target: &mut Pc) -> Result<(), Infallible> {
        *target = self.labels[self.r.below(self.labels.len() as u64) as usize].pc();
        Ok(())
    }
    fn number(
        &mut self,
        name: &'static str,
        number: &mut impl IntegerField,
    ) -> Result<(), Infallible> {
        *number = match name {
            "align" => IntegerField::of(1 << self.r.below(16)).expect("in range"),
            _ => self.any(),
        };
        Ok(())
    }
    fn string(&mut self, string: &mut StrId) -> Result<(), Infallible> {
        let text = name(self.r);
        *string = self.b.string(&text);
        Ok(())
    }
    fn site(&mut self, site: &mut SiteId) -> Result<(), Infallible> {
        *site = self.function;
        Ok(())
    }
}
